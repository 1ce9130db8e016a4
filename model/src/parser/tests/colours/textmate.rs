//! A reader of `TextMate` grammars, for the features that our grammar uses.
//!
//! A text is read line by line. At each position the leftmost match of any active pattern counts;
//! if several start there, the first one in the list; the end of the innermost region comes before
//! all others. Any other word in a grammar is an error, so that no feature is silently ignored.
//! Regular expressions are those of `fancy-regex`; the grammar uses only features that mean the
//! same in Oniguruma.

use fancy_regex::Regex;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A grammar with its regular expressions.
pub(super) struct Grammar {
    root: Value,
    compiled: HashMap<String, Regex>,
}

/// The scopes that an editor gives to a text.
pub(super) struct Painted {
    /// The scopes of each byte, outermost first, with blanks between and around: ` a b `.
    scopes: Vec<String>,
    line_ends: BTreeSet<usize>,
}

/// The ranges of a pattern and its groups; the first is the whole match.
type Groups = Vec<Option<Range<usize>>>;

/// Matches in the current line that may still count; `None` if there are no more.
type LineMatches<'g> = HashMap<&'g str, Option<Groups>>;

impl Grammar {
    pub(super) fn read(text: &str) -> Grammar {
        let root: Value = serde_json::from_str(text).expect("JSON");
        let mut grammar = Grammar { compiled: HashMap::new(), root: Value::Null };
        grammar.compile(&root, true);
        grammar.root = root;
        for rule in grammar.root["repository"].as_object().expect("a repository").values() {
            grammar.active(std::slice::from_ref(rule));
        }
        grammar
    }

    /// Compiles the expressions in a rule and in the rules inside it.
    fn compile(&mut self, rule: &Value, is_root: bool) {
        for (word, value) in rule.as_object().expect("a rule is an object") {
            match word.as_str() {
                "match" | "begin" | "end" => {
                    let text = value.as_str().expect("a regular expression");
                    let regex = Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
                    self.compiled.insert(text.to_owned(), regex);
                }
                "patterns" => {
                    for rule in value.as_array().expect("a list") {
                        self.compile(rule, false);
                    }
                }
                "repository" if is_root => {
                    for rule in value.as_object().expect("an object").values() {
                        self.compile(rule, false);
                    }
                }
                "scopeName" | "fileTypes" if is_root => {}
                "name" | "include" => assert!(value.is_string(), "{value}"),
                "captures" | "beginCaptures" | "endCaptures" => {
                    for capture in value.as_object().expect("an object").values() {
                        assert!(capture["name"].is_string(), "{capture}");
                    }
                }
                other => panic!("unknown word {other} in the grammar"),
            }
        }
    }

    /// The scopes of a text.
    pub(super) fn paint(&self, text: &str) -> Painted {
        let line_ends = text.match_indices(['\n', '\r']).map(|(byte, _)| byte).collect();
        let mut painted = Painted { scopes: vec![" ".to_owned(); text.len()], line_ends };
        let mut open: Vec<&Value> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            self.line(line.trim_end_matches(['\n', '\r']), start, &mut open, &mut painted);
            start += line.len();
        }
        painted
    }

    /// Paints one line, which starts at an offset, inside the open regions.
    fn line<'g>(&'g self, line: &str, start: usize, open: &mut Vec<&'g Value>, out: &mut Painted) {
        let (mut at, mut known) = (0, LineMatches::new());
        loop {
            let region = open.last().copied();
            let patterns = region.unwrap_or(&self.root).get("patterns").and_then(Value::as_array);
            let patterns = self.active(patterns.map_or(&[], Vec::as_slice));
            let end = region.into_iter().map(|region| (region, "end"));
            let rules = patterns
                .into_iter()
                .map(|rule| (rule, if rule.get("match").is_some() { "match" } else { "begin" }));
            let mut best: Option<(&Value, &str, Groups)> = None;
            for (rule, word) in end.chain(rules) {
                let Some(groups) = self.find(&rule[word], line, at, &mut known) else { continue };
                if best.as_ref().is_none_or(|(_, _, best)| whole(&groups).start < whole(best).start)
                {
                    best = Some((rule, word, groups));
                }
            }
            let around: Vec<_> = open.iter().flat_map(|region| name(region)).collect();
            let Some((rule, word, groups)) = best else {
                return out.add(start + at..start + line.len(), &around);
            };
            let found = whole(&groups);
            out.add(start + at..start + found.start, &around);
            let mut scopes = around;
            if word == "end" {
                open.pop();
            } else {
                assert!(!found.is_empty(), "{rule} matches nothing");
                scopes.extend(name(rule));
                open.extend((word == "begin").then_some(rule));
            }
            out.add(start + found.start..start + found.end, &scopes);
            let captures = if word == "match" { "captures" } else { &format!("{word}Captures") };
            for (number, capture) in
                rule.get(captures).and_then(Value::as_object).into_iter().flatten()
            {
                let number: usize = number.parse().expect("the number of a group");
                if let Some(place) = &groups[number] {
                    out.add(start + place.start..start + place.end, &name(capture));
                }
            }
            at = found.end;
        }
    }

    /// The patterns, with included ones in their places.
    fn active<'g>(&'g self, patterns: &'g [Value]) -> Vec<&'g Value> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut left: Vec<&Value> = patterns.iter().rev().collect();
        while let Some(rule) = left.pop() {
            if let Some(include) = rule.get("include").and_then(Value::as_str) {
                let included = include.strip_prefix('#').expect("a rule of the repository");
                if seen.insert(included) {
                    let rule = self.root["repository"].get(included);
                    left.push(rule.unwrap_or_else(|| panic!("there is no rule {included}")));
                }
            } else if rule.get("match").or(rule.get("begin")).is_some() {
                found.push(rule);
            } else {
                left.extend(rule["patterns"].as_array().expect("a list of rules").iter().rev());
            }
        }
        found
    }

    /// The first match at or after a position.
    fn find<'g>(
        &self,
        pattern: &'g Value,
        line: &str,
        at: usize,
        known: &mut LineMatches<'g>,
    ) -> Option<Groups> {
        let pattern = pattern.as_str().expect("a regular expression");
        match known.get(pattern) {
            Some(None) => return None,
            Some(Some(groups)) if whole(groups).start >= at => return Some(groups.clone()),
            _ => {}
        }
        let found = self.compiled[pattern].captures_from_pos(line, at).expect("it ends");
        let groups: Option<Groups> =
            found.map(|found| found.iter().map(|group| group.map(|group| group.range())).collect());
        known.insert(pattern, groups.clone());
        groups
    }
}

fn whole(groups: &Groups) -> Range<usize> {
    groups[0].clone().expect("the first group is that of all")
}

/// The scopes of a rule.
fn name(rule: &Value) -> Vec<&str> {
    rule.get("name").and_then(Value::as_str).into_iter().flat_map(str::split_whitespace).collect()
}

impl Painted {
    fn add(&mut self, place: Range<usize>, scopes: &[&str]) {
        for byte in &mut self.scopes[place] {
            for scope in scopes {
                byte.push_str(scope);
                byte.push(' ');
            }
        }
    }

    /// Whether the byte is in a scope of one of these families: ` keyword.`
    pub(super) fn is(&self, byte: usize, families: &[&str]) -> bool {
        families.iter().any(|family| self.scopes[byte].contains(&format!(" {family}.")))
    }

    /// Whether all bytes are; the ends of lines have no colours.
    pub(super) fn are(&self, mut place: Range<usize>, families: &[&str]) -> bool {
        place.all(|byte| self.is(byte, families) || self.line_ends.contains(&byte))
    }

    /// The scopes of a byte.
    pub(super) fn scopes(&self, byte: usize) -> &str {
        self.scopes[byte].trim()
    }
}
