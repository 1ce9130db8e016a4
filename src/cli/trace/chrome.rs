//! Chrome's trace event format: complete events (`"ph": "X"`), counters (`"ph": "C"`), and the names of the process and its
//! threads (`"ph": "M"`), times in microseconds.
//!
//! Read by ui.perfetto.dev, `chrome://tracing` and speedscope. Events are nested by their times. A counter is a
//! curve for every phase: `nodes` of `product.search`, ...; another one is the memory.

use super::profile::{Sink, microseconds};
use super::record::Span;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

/// One JSON object with all events.
pub(super) struct Chrome<W> {
    out: W,
    events: u64,
    /// The threads that have a name.
    named: BTreeSet<u64>,
}

impl<W: Write> Chrome<W> {
    /// An empty profile.
    pub(super) fn new(out: W) -> Self {
        Chrome { out, events: 0, named: BTreeSet::new() }
    }

    /// Names the process before its first event, and each thread before its first.
    fn name(&mut self, thread: u64) -> io::Result<()> {
        let pid = std::process::id();
        if self.named.is_empty() {
            self.event(&json!({
                "name": "process_name", "ph": "M", "pid": pid, "args": { "name": "isonomy" },
            }))?;
        }
        if self.named.insert(thread) {
            let name =
                if thread == 1 { "main".to_owned() } else { format!("worker {}", thread - 1) };
            self.event(&json!({
                "name": "thread_name", "ph": "M", "pid": pid, "tid": thread, "args": { "name": name },
            }))?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Value) -> io::Result<()> {
        let before = if self.events == 0 { "{\"traceEvents\":[\n" } else { ",\n" };
        self.events += 1;
        write!(self.out, "{before}{event}")
    }
}

impl<W: Write> Sink for Chrome<W> {
    fn span(&mut self, span: &Span) -> io::Result<()> {
        self.name(span.thread)?;
        self.event(&json!({
            "name": span.name,
            "cat": span.target,
            "ph": "X",
            "ts": microseconds(span.start),
            "dur": microseconds(span.duration),
            "pid": std::process::id(),
            "tid": span.thread,
            "args": span.fields,
        }))
    }

    fn is_sampled(&self) -> bool {
        true
    }

    fn sample(&mut self, at: Duration, name: &str, of: &str, count: u64) -> io::Result<()> {
        self.event(&json!({
            "name": name,
            "ph": "C",
            "ts": microseconds(at),
            "pid": std::process::id(),
            "args": { of: count },
        }))
    }

    fn finish(&mut self) -> io::Result<()> {
        let before = if self.events == 0 { "{\"traceEvents\":[" } else { "\n" };
        writeln!(self.out, "{before}],\"displayTimeUnit\":\"ms\"}}")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    fn written(spans: &[Span]) -> Value {
        let mut out = Vec::new();
        let mut sink = Chrome::new(&mut out);
        for span in spans {
            sink.span(span).expect("memory");
        }
        sink.finish().expect("memory");
        serde_json::from_slice(&out).expect("JSON")
    }

    #[test]
    fn events_nest_and_carry_their_fields() {
        assert_eq!(written(&[])["traceEvents"], json!([]));
        let profile = written(&example());
        let events = profile["traceEvents"].as_array().expect("an array");
        let names: Vec<_> = events.iter().map(|event| &event["name"]).collect();
        assert_eq!(names, ["process_name", "thread_name", "reduce", "translate", "translate"]);
        let (names, events) = events.split_at(2);
        assert_eq!(names[0]["args"]["name"], "isonomy");
        assert_eq!(names[1]["tid"], events[0]["tid"]);
        let [reduce, translate, second] = events else { unreachable!("three events") };
        assert_eq!(translate["args"], json!({"formula": "G \"a\"\n", "states": 7}));
        assert_eq!(second["args"], json!({"weak": true, "ratio": 0.5, "at": "Some(1)"}));
        for event in events {
            assert_eq!(event["ph"], "X");
            assert_eq!(event["pid"], std::process::id());
            assert_eq!(event["tid"], reduce["tid"]);
            assert!(event["cat"].as_str().expect("a module").contains("record"));
        }
        let number = |event: &Value, key: &str| event[key].as_f64().expect("a number");
        let times = |event| (number(event, "ts"), number(event, "ts") + number(event, "dur"));
        let (outer, inner) = (times(translate), times(reduce));
        assert!(outer.0 <= inner.0 && inner.1 <= outer.1 + 1e-3, "{outer:?} {inner:?}");
    }

    #[test]
    fn counters_are_events_of_their_own() {
        let mut out = Vec::new();
        let mut sink = Chrome::new(&mut out);
        sink.sample(Duration::from_micros(7), "nodes", "product.search", 12).expect("memory");
        sink.finish().expect("memory");
        let profile: Value = serde_json::from_slice(&out).expect("JSON");
        let (pid, args) = (std::process::id(), json!({"product.search": 12}));
        let event = json!({"name": "nodes", "ph": "C", "ts": 7.0, "pid": pid, "args": args});
        assert_eq!(profile["traceEvents"], json!([event]));
    }
}
