//! A parser of profiles of one JSON record per span, in the order in which spans close.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A span.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) name: String,
    target: String,
    id: u64,
    parent: Option<u64>,
    thread: u64,
    start_us: f64,
    duration_us: f64,
    pub(crate) fields: Map<String, Value>,
}

/// A profile.
pub(crate) struct Lines {
    pub(crate) records: Vec<Record>,
}

/// Times are exact to the nanosecond; sums of them are rounded.
const ROUNDING: f64 = 1e-4;

impl Lines {
    pub(crate) fn parse(text: &str) -> Result<Lines, String> {
        if !text.is_empty() && !text.ends_with('\n') {
            return Err("the last line does not end".to_owned());
        }
        let mut lines = Lines { records: Vec::new() };
        // Parents that are still to come, with the last of their children.
        let mut awaited: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (at, line) in text.lines().enumerate() {
            let record: Record =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
            let Record { name, target, id, parent, thread, .. } = &record;
            if name.is_empty() || target.is_empty() || *thread == 0 || *id == 0 {
                return Err(format!("{record:?} lacks something"));
            }
            if record.start_us < 0.0 || record.duration_us < 0.0 || !seen.insert(*id) {
                return Err(format!("{record:?} has been there, or never"));
            }
            for child in awaited.remove(id).unwrap_or_default() {
                record.encloses(&lines.records[child])?;
            }
            if let Some(parent) = parent {
                if seen.contains(parent) {
                    return Err(format!("{record:?} closes after its parent"));
                }
                awaited.entry(*parent).or_default().push(at);
            }
            lines.records.push(record);
        }
        match awaited.first_key_value() {
            Some((parent, _)) => Err(format!("there is no parent {parent}")),
            None => Ok(lines),
        }
    }

    /// The names of all spans.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.records.iter().map(|record| record.name.clone()).collect()
    }

    /// The names of all spans, each with those around it.
    pub(crate) fn stacks(&self) -> BTreeSet<Vec<String>> {
        let by_id: BTreeMap<u64, &Record> = self.records.iter().map(|one| (one.id, one)).collect();
        let stack = |record: &Record| {
            let (mut names, mut parent) = (vec![record.name.clone()], record.parent);
            while let Some(id) = parent {
                names.insert(0, by_id[&id].name.clone());
                parent = by_id[&id].parent;
            }
            names
        };
        self.records.iter().map(stack).collect()
    }
}

impl Record {
    fn encloses(&self, inner: &Record) -> Result<(), String> {
        let end = |record: &Record| record.start_us + record.duration_us;
        let is_inside =
            self.start_us <= inner.start_us + ROUNDING && end(inner) <= end(self) + ROUNDING;
        if is_inside && self.thread == inner.thread && self.id < inner.id {
            return Ok(());
        }
        Err(format!("{inner:?} does not lie inside {self:?}"))
    }
}

#[test]
fn what_is_no_profile_is_refused() {
    let line = |id: u64, parent: &str, thread: u64, start: f64, duration: f64| {
        format!(
            "{{\"name\":\"a\",\"target\":\"m\",\"id\":{id},\"parent\":{parent},\"thread\":{thread},\
             \"start_us\":{start},\"duration_us\":{duration},\"fields\":{{}}}}\n"
        )
    };
    let outer = || line(1, "null", 1, 0.0, 9.0);
    for (text, is_good) in [
        (String::new(), true),
        (line(2, "1", 1, 1.0, 8.0) + &outer(), true),
        (line(2, "1", 1, 1.0, 8.0), false),
        (outer() + &line(2, "1", 1, 1.0, 8.0), false),
        (line(2, "1", 1, 1.0, 9.0) + &outer(), false),
        (line(2, "1", 2, 1.0, 8.0) + &outer(), false),
        (outer() + &outer(), false),
        (outer().trim_end().to_owned(), false),
        (outer().replace("\"thread\":1,", ""), false),
        (outer().replace("{}", "[]"), false),
        (line(1, "null", 1, 0.0, -1.0), false),
    ] {
        let read = Lines::parse(&text);
        assert_eq!(read.is_ok(), is_good, "{text}: {:?}", read.err());
    }
}
