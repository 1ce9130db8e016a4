//! Folded stacks, the input of flame graph tools: `outer;inner 123`, a line per stack, the number
//! being the microseconds spent in the innermost span itself. Equal stacks are added up.

use super::profile::Sink;
use super::record::Span;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// The times, stack by stack.
pub(super) struct Folded<W> {
    out: W,
    own: BTreeMap<String, Duration>,
}

impl<W: Write> Folded<W> {
    /// An empty profile.
    pub(super) fn new(out: W) -> Self {
        Folded { out, own: BTreeMap::new() }
    }
}

impl<W: Write> Sink for Folded<W> {
    fn span(&mut self, span: &Span) -> io::Result<()> {
        *self.own.entry(span.path.clone()).or_default() += span.own;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        for (path, own) in &self.own {
            writeln!(self.out, "{path} {}", own.as_micros())?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    #[test]
    fn stacks_are_added_up() {
        let spans = example();
        let mut out = Vec::new();
        let mut sink = Folded::new(&mut out);
        for span in &spans {
            sink.span(span).expect("memory");
        }
        sink.finish().expect("memory");
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<(Vec<&str>, u128)> = text
            .lines()
            .map(|line| {
                let (stack, time) = line.rsplit_once(' ').expect("a stack and a number");
                assert!(!stack.contains(' '), "{line}");
                (stack.split(';').collect(), time.parse().expect("a number"))
            })
            .collect();
        let twice = (spans[1].own + spans[2].own).as_micros();
        let inner = spans[0].duration.as_micros();
        assert_eq!(lines, [(vec!["translate"], twice), (vec!["translate", "reduce"], inner)]);
    }
}
