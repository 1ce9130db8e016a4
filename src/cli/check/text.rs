//! The results of a check as text: a block per result; what is violated comes with a run.

use super::super::argument;
use super::super::console::paint;
use super::super::escape::marked;
use super::super::numbers::{counted, seconds};
use super::super::places;
use super::super::properties;
use super::super::results::{ResultKind, VerdictWord};
use super::super::steps;
use super::super::table::table;
use super::super::view::LoadedSystem;
use super::super::writing::Sheet;
use super::asked::KINDS;
use super::report::{Proof, Report, ResultView, WordsOf};
use super::words;
use crate::finding::Work;
use ltl::source::Colour;
use num_bigint::BigUint;
use run::StopReason;
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout<L: LoadedSystem>(
    out: &mut Sheet<'_>,
    report: &Report<'_, L>,
    full_states: bool,
    colour: Colour,
) {
    let teller = Teller { report, full_states, colour };
    for (k, result) in report.results.iter().enumerate() {
        if k > 0 {
            out.push("\n");
        }
        teller.block(out, result);
    }
    if report.results.len() > 1 {
        for table in teller.tables() {
            out.push("\n");
            out.push(&table);
        }
    }
    if report.results.len() != 1 {
        if !report.results.is_empty() {
            out.push("\n");
        }
        out.push(&summary(report, colour));
    }
    if report.shows_coverage {
        out.push(&format!("\nrules\n{}", table(&report.coverage.rows(report.loaded))));
    }
}

struct Teller<'a, L: LoadedSystem> {
    report: &'a Report<'a, L>,
    full_states: bool,
    colour: Colour,
}

impl<L: LoadedSystem> Teller<'_, L> {
    fn paint(&self, code: &str, text: &str) -> String {
        paint(self.colour, code, text)
    }

    fn block(&self, out: &mut Sheet<'_>, result: &ResultView<'_, WordsOf<L>>) {
        let Teller { report, full_states, colour } = *self;
        out.push(&self.headline(result));
        out.push(&table(&rows(report, result)));
        // One message at the end says that runs were cut.
        let _ = run(out, report.loaded, result, full_states, colour);
    }

    /// The verdict.
    fn headline(&self, result: &ResultView<'_, WordsOf<L>>) -> String {
        if let Some(diagnostic) = &result.diagnostic {
            let headline = properties::headline(diagnostic);
            return marked(&self.report.loaded.sources().render(&headline, self.colour));
        }
        let (word, code) = match result.verdict {
            VerdictWord::Holds => ("holds", "1;32"),
            VerdictWord::Unknown => ("unknown", "1;33"),
            VerdictWord::Violated => ("violated", "1;31"),
        };
        format!("{}: {}\n", self.paint(code, word), self.paint("1", &result.subject()))
    }

    /// All results at a glance: a table for each formula that was asked about under all kinds of fairness, and one
    /// for the rest.
    fn tables(&self) -> Vec<String> {
        let (of_all_kinds, others): (Vec<_>, Vec<_>) =
            self.report.results.iter().partition(|result| result.is_of_all_kinds);
        let row = |mut cells: Vec<String>, result: &ResultView<'_, WordsOf<L>>| {
            let states = result.work.and_then(Work::quotient);
            cells.push(states.map_or("-".to_owned(), |(states, _)| states.to_string()));
            if self.report.is_timed {
                cells.push(result.work.map_or("-".to_owned(), |work| seconds(work.time())));
            }
            cells
        };
        let head = |names: &[&str]| {
            let columns = if self.report.is_timed { &["states", "time"][..] } else { &["states"] };
            let names = names.iter().chain(columns);
            names.map(|name| self.paint("1", name)).collect::<Vec<_>>()
        };
        let mut tables = Vec::new();
        for same in of_all_kinds.chunks(KINDS) {
            let mut rows = vec![head(&["fairness", "verdict"])];
            let cells = |result: &ResultView<'_, WordsOf<L>>| {
                vec![fairness(self.report, result), self.verdict(result)]
            };
            rows.extend(same.iter().map(|result| row(cells(result), result)));
            tables.push(format!("{}\n{}", self.paint("1", &same[0].subject()), table(&rows)));
        }
        if !others.is_empty() {
            let mut rows = vec![head(&["property", "verdict", "fairness"])];
            let cells = |result: &ResultView<'_, WordsOf<L>>| {
                let subject = shortened(&result.subject());
                vec![subject, self.verdict(result), self.brief_fairness(result)]
            };
            rows.extend(others.iter().map(|result| row(cells(result), result)));
            tables.push(table(&rows));
        }
        tables
    }

    /// The kind of fairness. Properties of states are not about runs.
    fn brief_fairness(&self, result: &ResultView<'_, WordsOf<L>>) -> String {
        if result.kind != ResultKind::Ltl {
            return "-".to_owned();
        }
        let (fairness, _) = words::under(result.demand);
        match (fairness, self.report.declared_fairness(result).is_empty()) {
            (_, true) => fairness.to_owned(),
            ("none", false) => "declared".to_owned(),
            (_, false) => format!("{fairness}, declared"),
        }
    }

    /// In one word.
    fn verdict(&self, result: &ResultView<'_, WordsOf<L>>) -> String {
        let verdict = result.verdict;
        let code = match verdict {
            VerdictWord::Holds => "1;32",
            VerdictWord::Violated => "1;31",
            VerdictWord::Unknown => "1;33",
        };
        self.paint(code, verdict.name())
    }
}

/// The run of a result, if it has one, and why it is fair. Returns the limit that has cut it.
pub(in crate::cli) fn run<L: LoadedSystem>(
    out: &mut Sheet<'_>,
    loaded: &L,
    result: &ResultView<'_, WordsOf<L>>,
    full_states: bool,
    colour: Colour,
) -> Result<(), StopReason> {
    let (view, mut cut) = (loaded.view(), Ok(()));
    let found = result.counterexample;
    if let Some(run) = result.run {
        let start = loaded.start(run);
        let start = start.as_deref();
        let lap = found.and_then(|found| found.renaming.as_ref());
        let component = found.and_then(|found| found.component.as_ref());
        cut = out.push_long(run.steps().count(), |out| match component {
            None => steps::run(out, view, start, run, lap, full_states, colour),
            Some(component) => {
                places::run(out, view, start, run, component, full_states, colour);
            }
        });
    }
    if let Some(found) = found {
        out.push(&argument::block(loaded, &found.argument, colour));
    }
    if let Some(step) = &result.failing {
        out.push(&format!("fails in {step}\n"));
    }
    cut
}

/// How many of which verdict.
pub(super) fn summary<L: LoadedSystem>(report: &Report<'_, L>, colour: Colour) -> String {
    let number = |verdict| report.results.iter().filter(|one| one.verdict == verdict).count();
    let parts = [
        (number(VerdictWord::Violated), "violated", "1;31"),
        (number(VerdictWord::Unknown), "unknown", "1;33"),
        (number(VerdictWord::Holds), "hold", "1;32"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, word, code)| match (count, word) {
            (1, "hold") => paint(colour, code, "1 holds"),
            _ => paint(colour, code, &format!("{count} {word}")),
        })
        .collect();
    match (parts.is_empty(), report.stopped) {
        (true, None) => "no run-time error\n".to_owned(),
        (true, Some(reason)) => format!("stopped ({reason}): no run-time error so far\n"),
        (false, _) => {
            let all = counted(&report.results.len().into(), "result");
            format!("{all}: {}\n", parts.join(", "))
        }
    }
}

/// What is said of a result besides its run: names and values; a value without a name belongs to the name before.
pub(super) fn rows<L: LoadedSystem>(
    report: &Report<'_, L>,
    result: &ResultView<'_, WordsOf<L>>,
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    if let (VerdictWord::Unknown, Some(reason)) = (result.verdict, &result.reason) {
        row("reason", reason.clone());
    }
    for (k, line) in result.why.iter().enumerate() {
        row(if k == 0 { "why" } else { "" }, line.clone());
    }
    for warning in &result.warnings {
        row("warning", warning.clone());
    }
    if result.kind == ResultKind::Ltl {
        row("fairness", fairness(report, result));
    }
    if let Some(work) = result.work {
        row("searched", searched(report, work));
        if let Some(reduced) = words::by_partial_order(work) {
            row("reduced", reduced);
        }
        if report.is_timed {
            row("time", seconds(work.time()));
        }
    }
    match result.certificate {
        Some(Ok(Proof { file, nodes })) => {
            let nodes = match nodes {
                0 => String::new(),
                _ => format!(", {}", counted(&BigUint::from(nodes), "node")),
            };
            let model = &report.loaded.text().name;
            row("proof", format!("{file}{nodes}; verified by `isonomy verify {model} {file}`"));
        }
        Some(Err(why)) if result.verdict == VerdictWord::Holds => {
            row("proof", format!("no certificate: {why}"));
        }
        _ => {}
    }
    rows
}

pub(super) fn fairness<L: LoadedSystem>(
    report: &Report<'_, L>,
    result: &ResultView<'_, WordsOf<L>>,
) -> String {
    let (fairness, over) = words::under(result.demand);
    let mut out = match over {
        Some(over) => format!("{fairness}, over {over}"),
        None => fairness.to_owned(),
    };
    let declared = report.declared_fairness(result);
    if !declared.is_empty() {
        let declared: Vec<_> = declared.iter().map(|name| format!("\"{name}\"")).collect();
        let _ = write!(out, "; declared: {}", declared.join(", "));
    }
    out
}

/// A text that fits into a column.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 50;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 3).chain("...".chars()).collect()
}

/// What was done.
fn searched<L: LoadedSystem>(report: &Report<'_, L>, work: &Work) -> String {
    let number = |count: u64, one: &str| counted(&BigUint::from(count), one);
    let mut parts = Vec::new();
    if let Some((states, edges)) = work.quotient() {
        let state = if report.is_reduced { "representative" } else { "state" };
        parts.push(format!("{}, {}", number(states, state), number(edges, "edge")));
    }
    if let Work::Product { statistics: done, tuples, .. } = work {
        let (nodes, edges) = (done.product_nodes, done.product_edges);
        parts.push(format!("product: {}, {}", number(nodes, "node"), number(edges, "edge")));
        parts.push(format!("automaton: {}", number(done.automaton_states, "state")));
        if *tuples > BigUint::from(1_u32) {
            parts.push(format!("{} of {}", done.instances, counted(tuples, "instance")));
        }
    }
    parts.join("; ")
}
