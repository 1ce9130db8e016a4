//! Where the time of a run went: its phases, and the table of them.

use super::record::Span;
use crate::cli::table::table;
use std::time::Duration;

/// A phase of a run: all spans of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    /// `product.search`
    pub(crate) name: &'static str,
    /// How many spans there were.
    pub(crate) calls: u64,
    /// How long they lasted, added up; what threads do at the same time counts for each of them. A span inside
    /// another one of this name is part of that.
    pub(crate) total: Duration,
    /// The same without the spans inside: the own times of all phases add up to the time of all spans.
    pub(crate) own: Duration,
}

/// The phases of a run, in the order in which they ended first.
#[derive(Clone, Default)]
pub(super) struct Phases(Vec<Phase>);

impl Phases {
    /// Adds a span.
    pub(super) fn add(&mut self, span: &Span) {
        let at = self.0.iter().position(|phase| phase.name == span.name).unwrap_or_else(|| {
            let (calls, total, own) = (0, Duration::ZERO, Duration::ZERO);
            self.0.push(Phase { name: span.name, calls, total, own });
            self.0.len() - 1
        });
        let phase = &mut self.0[at];
        phase.calls += 1;
        phase.own += span.own;
        if !span.is_repeated() {
            phase.total += span.duration;
        }
    }

    /// All of them, what took longest itself first.
    pub(super) fn sorted(mut self) -> Vec<Phase> {
        self.0.sort_by_key(|phase| std::cmp::Reverse(phase.own));
        self.0
    }
}

/// `--stats`: a line per phase, and what the run took in all.
pub(super) fn layout(phases: &[Phase], time: Duration, peak: Option<u64>) -> String {
    let mut rows = vec![["phase", "calls", "total", "own", "share"].map(str::to_owned).to_vec()];
    let all: Duration = phases.iter().map(|phase| phase.own).sum();
    for Phase { name, calls, total, own } in phases {
        let share = 100.0 * own.as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
        rows.push(vec![
            (*name).to_owned(),
            calls.to_string(),
            milliseconds(*total),
            milliseconds(*own),
            format!("{share:.1} %"),
        ]);
    }
    // Numbers stand below each other.
    for column in 1..5 {
        let width = rows.iter().map(|row| row[column].len()).max().unwrap_or_default();
        for row in &mut rows {
            row[column] = format!("{:>width$}", row[column]);
        }
    }
    let peak = peak.map_or_else(String::new, |peak| format!(", peak memory {}", mebibytes(peak)));
    format!("{}run time {}{peak}", table(&rows), milliseconds(time))
}

/// `1234.567 ms`: a unit that fits both short and long phases, so that columns can be compared.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{}.{:03} ms", time.as_millis(), time.as_micros() % 1000)
}

/// `12.3 MiB`
pub(crate) fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    #[test]
    fn spans_of_a_name_are_a_phase() {
        let [reduce, first, second] = &example()[..] else { unreachable!("three spans") };
        let mut phases = Phases::default();
        // One more inside of itself.
        let inner = Span { path: "translate;x;translate".to_owned(), ..second.clone() };
        [reduce, first, second, &inner].into_iter().for_each(|span| phases.add(span));
        let [longest, other] = &phases.sorted()[..] else { unreachable!("two names") };
        assert_eq!((longest.name, longest.calls, longest.total), ("reduce", 1, reduce.duration));
        let own = first.own + second.own + second.own;
        assert_eq!((other.name, other.calls, other.own), ("translate", 3, own));
        assert_eq!(other.total, first.duration + second.duration);
    }

    #[test]
    fn the_table_adds_up() {
        let phase = |name, calls, total, own| {
            let [total, own] = [total, own].map(Duration::from_micros);
            Phase { name, calls, total, own }
        };
        let phases = [
            phase("product.search", 12, 3_000_000, 1_500_000),
            phase("scc.refine", 1, 500_250, 500_000),
            phase("formula.parse", 1, 7, 7),
        ];
        let text = layout(&phases, Duration::from_millis(2001), Some(35 << 20));
        let expected = "  \
  phase           calls        total          own   share
  product.search     12  3000.000 ms  1500.000 ms  75.0 %
  scc.refine          1   500.250 ms   500.000 ms  25.0 %
  formula.parse       1     0.007 ms     0.007 ms   0.0 %
run time 2001.000 ms, peak memory 35.0 MiB";
        assert_eq!(text, expected);
        assert_eq!(layout(&[], Duration::ZERO, None).lines().last(), Some("run time 0.000 ms"));
        assert_eq!(mebibytes((3 << 20) / 2), "1.5 MiB");
    }
}
