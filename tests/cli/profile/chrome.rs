//! A parser of Chrome's trace event format, as far as profiles use it: one object with complete events and counters.
//!
//! On each thread, complete events lie inside each other or apart; a counter's times never go back, nor do those of
//! complete events end after the last of it.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct File {
    trace_events: Vec<Event>,
    display_time_unit: String,
}

#[derive(Deserialize)]
#[serde(tag = "ph", deny_unknown_fields)]
enum Event {
    X(Span),
    C { name: String, ts: f64, pid: u64, args: BTreeMap<String, u64> },
    M { name: String, pid: u64, tid: Option<u64>, args: BTreeMap<String, String> },
}

/// A complete event.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Span {
    pub(crate) name: String,
    cat: String,
    ts: f64,
    dur: f64,
    pid: u64,
    tid: u64,
    pub(crate) args: Map<String, Value>,
}

/// A value of a counter.
pub(crate) struct Counter {
    pub(crate) name: String,
    of: String,
    ts: f64,
    pub(crate) count: u64,
}

/// A profile.
pub(crate) struct Chrome {
    pub(crate) spans: Vec<Span>,
    pub(crate) counters: Vec<Counter>,
}

/// Times are microseconds, exact to the nanosecond; sums of them are rounded.
const ROUNDING: f64 = 1e-4;

impl Chrome {
    pub(crate) fn parse(text: &str) -> Result<Chrome, String> {
        let File { trace_events, display_time_unit } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        if display_time_unit != "ms" {
            return Err(format!("there is no unit `{display_time_unit}` here"));
        }
        let mut processes = BTreeSet::new();
        let (mut spans, mut counters) = (Vec::new(), Vec::new());
        let mut threads = BTreeSet::new();
        for event in trace_events {
            match event {
                Event::M { name, pid, tid, args } => {
                    processes.insert(pid);
                    let is_new = match (&*name, tid) {
                        ("process_name", None) => processes.len() == 1 && threads.is_empty(),
                        ("thread_name", Some(tid)) => threads.insert(tid),
                        _ => false,
                    };
                    if !is_new || args.len() != 1 || args.get("name").is_none_or(String::is_empty) {
                        return Err(format!("{name} of {tid:?}: {args:?}"));
                    }
                }
                Event::X(span) => {
                    if !threads.contains(&span.tid) {
                        return Err(format!("thread {} has no name", span.tid));
                    }
                    processes.insert(span.pid);
                    spans.push(span);
                }
                Event::C { name, ts, pid, args } => {
                    processes.insert(pid);
                    let mut args = args.into_iter();
                    let (Some((of, count)), None) = (args.next(), args.next()) else {
                        return Err(format!("counter {name} has not exactly one value"));
                    };
                    counters.push(Counter { name, of, ts, count });
                }
            }
        }
        if processes.len() > 1 {
            return Err(format!("several processes: {processes:?}"));
        }
        let chrome = Chrome { spans, counters };
        chrome.check_spans()?;
        chrome.check_counters()?;
        Ok(chrome)
    }

    /// The last value of a counter.
    pub(crate) fn last(&self, name: &str, of: &str) -> Option<u64> {
        let is_it = |one: &&Counter| (one.name.as_str(), one.of.as_str()) == (name, of);
        self.counters.iter().rfind(is_it).map(|one| one.count)
    }

    fn check_spans(&self) -> Result<(), String> {
        let mut spans: Vec<&Span> = self.spans.iter().collect();
        spans.sort_by(|a, b| {
            (a.tid, a.ts)
                .partial_cmp(&(b.tid, b.ts))
                .expect("numbers")
                .then(b.dur.total_cmp(&a.dur))
        });
        // The ends of those that lie around.
        let mut around: Vec<(u64, f64)> = Vec::new();
        for Span { name, cat, ts, dur, tid, .. } in spans {
            if name.is_empty() || cat.is_empty() || *tid == 0 || *ts < 0.0 || *dur < 0.0 {
                return Err(format!("{name} of {cat} at {ts} for {dur} in thread {tid}"));
            }
            while around.last().is_some_and(|(of, end)| of != tid || *end <= ts + ROUNDING) {
                around.pop();
            }
            let end = ts + dur;
            if let Some((_, outer)) = around.last().filter(|(_, outer)| end > outer + ROUNDING) {
                return Err(format!("{name} ends at {end}, what lies around it at {outer}"));
            }
            around.push((*tid, end));
        }
        Ok(())
    }

    fn check_counters(&self) -> Result<(), String> {
        for pair in self.counters.windows(2) {
            if pair[0].ts > pair[1].ts {
                return Err(format!("counters go back from {} to {}", pair[0].ts, pair[1].ts));
            }
        }
        match self
            .counters
            .iter()
            .find(|one| one.name.is_empty() || one.of.is_empty() || one.ts < 0.0)
        {
            Some(one) => Err(format!("{} of {} at {}", one.name, one.of, one.ts)),
            None => Ok(()),
        }
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let span = |ts: f64, dur: f64| {
        format!(
            r#"{{"name":"a","cat":"m","ph":"X","ts":{ts},"dur":{dur},"pid":1,"tid":1,"args":{{}}}}"#
        )
    };
    let name = r#"{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"main"}}"#;
    let count = |ts: f64| format!(r#"{{"name":"n","ph":"C","ts":{ts},"pid":1,"args":{{"a":3}}}}"#);
    let file = |events: &[String]| {
        let events: Vec<&str> =
            std::iter::once(name).chain(events.iter().map(String::as_str)).collect();
        format!(r#"{{"traceEvents":[{}],"displayTimeUnit":"ms"}}"#, events.join(","))
    };
    for (text, is_good) in [
        (file(&[]), true),
        (file(&[span(0.0, 9.0), span(1.0, 3.0), span(4.0, 5.0), span(9.0, 1.0)]), true),
        (file(&[span(1.0, 3.0), count(1.0), count(2.0), span(0.0, 9.0)]), true),
        (file(&[span(0.0, 9.0)]).replace("}]", "}"), false),
        (file(&[span(0.0, 9.0), span(1.0, 9.0)]), false),
        (file(&[span(0.0, -1.0)]), false),
        (file(&[span(0.0, 9.0)]).replace(name, count(0.0).as_str()), false),
        (file(&[name.to_owned()]), false),
        (file(&[count(2.0), count(1.0)]), false),
        (file(&[count(2.0)]).replace(r#"{"a":3}"#, "{}"), false),
        (file(&[count(2.0)]).replace('3', "-3"), false),
        (file(&[span(0.0, 9.0)]).replace(r#""dur":9,"#, ""), false),
        (file(&[span(0.0, 9.0)]).replace("\"X\"", "\"B\""), false),
        (file(&[span(0.0, 9.0), count(1.0).replace("\"pid\":1", "\"pid\":2")]), false),
        (file(&[span(0.0, 9.0)]).replace("\"ms\"", "\"hours\""), false),
    ] {
        let read = Chrome::parse(&text);
        assert_eq!(read.is_ok(), is_good, "{text}: {:?}", read.err());
    }
}
