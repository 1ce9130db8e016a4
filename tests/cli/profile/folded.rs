//! A parser of folded stacks: `outer;inner 123`, a line per stack.

use std::collections::{BTreeMap, BTreeSet};

/// The times, stack by stack.
pub(crate) struct Folded(BTreeMap<Vec<String>, u64>);

impl Folded {
    pub(crate) fn parse(text: &str) -> Result<Folded, String> {
        if !text.is_empty() && !text.ends_with('\n') {
            return Err("the last line does not end".to_owned());
        }
        let mut times = BTreeMap::new();
        for line in text.lines() {
            let (stack, time) = line.rsplit_once(' ').ok_or(format!("`{line}` has no time"))?;
            let names: Vec<String> = stack.split(';').map(str::to_owned).collect();
            if names.iter().any(|name| name.is_empty() || name.contains(char::is_whitespace)) {
                return Err(format!("`{stack}` is no stack"));
            }
            let is_number = time.bytes().all(|byte| byte.is_ascii_digit());
            let time: u64 = time.parse().map_err(|error| format!("`{time}`: {error}"))?;
            if !is_number || times.insert(names, time).is_some() {
                return Err(format!("`{line}` is there twice, or its number is no number"));
            }
        }
        // Whatever is inside of something is inside of something that is there.
        for names in times.keys() {
            if names.len() > 1 && !times.contains_key(&names[..names.len() - 1]) {
                return Err(format!("there is nothing around {names:?}"));
            }
        }
        Ok(Folded(times))
    }

    /// The stacks.
    pub(crate) fn stacks(&self) -> BTreeSet<Vec<String>> {
        self.0.keys().cloned().collect()
    }
}

#[test]
fn what_is_not_folded_is_refused() {
    for (text, is_good) in [
        ("", true),
        ("a 1\na;b 20\nc 0\n", true),
        ("a 1", false),
        ("a\n", false),
        ("a 1\na 1\n", false),
        ("a;b 1\n", false),
        ("a 1\na;;b 1\n", false),
        ("a b 1\n", false),
        ("a -1\n", false),
        ("a +1\n", false),
        ("a 1.5\n", false),
    ] {
        let read = Folded::parse(text);
        assert_eq!(read.is_ok(), is_good, "{text}: {:?}", read.err());
    }
}
