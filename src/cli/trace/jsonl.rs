//! One JSON record per closed span, a line each, in the order in which they close.

use super::profile::{Sink, microseconds};
use super::record::Span;
use serde_json::json;
use std::io::{self, Write};

/// A file of lines.
pub(super) struct Jsonl<W> {
    out: W,
}

impl<W: Write> Jsonl<W> {
    /// An empty profile.
    pub(super) fn new(out: W) -> Self {
        Jsonl { out }
    }
}

impl<W: Write> Sink for Jsonl<W> {
    fn span(&mut self, span: &Span) -> io::Result<()> {
        let record = json!({
            "name": span.name,
            "target": span.target,
            "id": span.id,
            "parent": span.parent,
            "thread": span.thread,
            "start_us": microseconds(span.start),
            "duration_us": microseconds(span.duration),
            "fields": span.fields,
        });
        writeln!(self.out, "{record}")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_line_is_a_record() {
        let mut out = Vec::new();
        let mut sink = Jsonl::new(&mut out);
        for span in &example() {
            sink.span(span).expect("memory");
        }
        sink.finish().expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.ends_with('\n'));
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let [reduce, translate, second] = &records[..] else { unreachable!("three spans") };
        for (record, name, parent, fields) in [
            (reduce, "reduce", &translate["id"], json!({"states": 3})),
            (translate, "translate", &Value::Null, json!({"formula": "G \"a\"\n", "states": 7})),
            (
                second,
                "translate",
                &Value::Null,
                json!({"weak": true, "ratio": 0.5, "at": "Some(1)"}),
            ),
        ] {
            assert_eq!(record["name"], name);
            assert_eq!(&record["parent"], parent);
            assert_eq!(record["fields"], fields);
            assert_eq!(record["thread"], reduce["thread"]);
            assert!(record["target"].as_str().expect("a module").contains("record"));
        }
        let number = |record: &Value, key: &str| record[key].as_f64().expect("a number");
        assert!(number(reduce, "duration_us") >= 2000.0);
        assert!(number(translate, "start_us") <= number(reduce, "start_us"));
        assert!(number(translate, "duration_us") >= number(reduce, "duration_us"));
    }
}
