//! The words that Isonomy adds are names wherever plain Murphi has names, in any case.
//!
//! Random models get such names in place of their own. They must be accepted, and read as the same tree with other names.

use model::check;
use model::generate::{self, Options};
use model::parser::parse;
use model::printer::print;
use run::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use support::many::cases;

/// Words that are operators, types, statements or values where no name is declared.
const WORDS: [&str; 20] = [
    "count",
    "sum",
    "queue",
    "set",
    "in",
    "push",
    "pushfront",
    "pop",
    "head",
    "last",
    "length",
    "insert",
    "remove",
    "size",
    "undefined",
    "multiset",
    "ring",
    "process",
    "choose",
    "next",
];

/// The text with each of its identifiers replaced.
fn renamed(text: &str, rename: impl Fn(&str) -> Option<String>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(first.len_utf8()));
        match rename(word) {
            Some(other) if first.is_ascii_alphabetic() => out.push_str(&other),
            _ => out.push_str(word),
        }
        rest = behind;
    }
    out
}

/// The names that a random model declares: those that end in a number.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_own = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.ends_with(|c: char| c.is_ascii_digit())
    };
    words.filter(is_own).map(str::to_owned).collect()
}

fn in_some_case(word: &str, random: &mut SplitMix64) -> String {
    match random.below(4) {
        0 => word.to_uppercase(),
        1 => word[..1].to_uppercase() + &word[1..],
        _ => word.to_owned(),
    }
}

#[test]
fn words_are_names_where_names_are_declared() {
    let options = Options { queues: false, sets: false, ..Options::default() };
    let mut used = BTreeSet::new();
    for seed in 0..cases(400) {
        let text = generate::model(seed, &options);
        let mut random = SplitMix64::new(seed);
        let present: BTreeSet<String> =
            text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase).collect();
        let mut free: Vec<&str> =
            WORDS.into_iter().filter(|word| !present.contains(*word)).collect();
        let mut mapping = BTreeMap::new();
        for name in names(&text) {
            if free.is_empty() {
                break;
            }
            if random.below(3) > 0 {
                let word = free.swap_remove(random.below(free.len()));
                mapping.insert(name, in_some_case(word, &mut random));
            }
        }
        let other = renamed(&text, |word| mapping.get(word).cloned());
        let back: BTreeMap<&str, &str> =
            mapping.iter().map(|(name, word)| (&word[..], &name[..])).collect();
        let (one, two) = (parse(&text), parse(&other));
        assert!(two.errors.is_empty(), "seed {seed}: {:?}\n{other}", two.errors);
        let printed = renamed(&print(&two.model), |word| Some((*back.get(word)?).to_owned()));
        // Lines are broken by their length.
        let plain = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(plain(&printed), plain(&print(&one.model)), "seed {seed}:\n{other}");
        assert_eq!(check(&text, &[]).is_ok(), check(&other, &[]).is_ok(), "seed {seed}:\n{other}");
        used.extend(mapping.into_values().map(|word| word.to_ascii_lowercase()));
    }
    assert_eq!(used, WORDS.into_iter().map(str::to_owned).collect(), "all words are tried");
}
