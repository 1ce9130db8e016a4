//! Chrome's trace event format: complete events (`"ph": "X"`), times in microseconds.
//!
//! Read by ui.perfetto.dev, `chrome://tracing` and speedscope. Events are nested by their times.

use super::profile::{Sink, microseconds};
use super::record::Span;
use serde_json::json;
use std::io::{self, Write};

/// One JSON object with all events.
pub(super) struct Chrome<W> {
    out: W,
    events: u64,
}

impl<W: Write> Chrome<W> {
    /// An empty profile.
    pub(super) fn new(out: W) -> Self {
        Chrome { out, events: 0 }
    }
}

impl<W: Write> Sink for Chrome<W> {
    fn span(&mut self, span: &Span) -> io::Result<()> {
        let before = if self.events == 0 { "{\"traceEvents\":[\n" } else { ",\n" };
        self.events += 1;
        let event = json!({
            "name": span.name,
            "cat": span.target,
            "ph": "X",
            "ts": microseconds(span.start),
            "dur": microseconds(span.duration),
            "pid": std::process::id(),
            "tid": span.thread,
            "args": span.fields,
        });
        write!(self.out, "{before}{event}")
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
    use serde_json::Value;

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
        assert_eq!(names, ["reduce", "translate", "translate"]);
        let [reduce, translate, second] = &events[..] else { unreachable!("three events") };
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
}
