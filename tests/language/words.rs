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
const WORDS: [&str; 21] = [
    "count",
    "sum",
    "queue",
    "set",
    "in",
    "include",
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

/// What a name is declared as, and formulas that use it.
const ROLES: [(&str, &[&str]); 13] = [
    (
        "var NAME: boolean := false;",
        &["G NAME", "NAME U !NAME", "G(NAME -> F !NAME)", "forall c: client. G (x[c] | NAME)"],
    ),
    ("var NAME: 0..3 := 1;", &["G NAME = 1", "F NAME + NAME < 2", "G (NAME = 1 & X NAME = 1)"]),
    (
        "var NAME: array [client] of boolean := false;",
        &["forall c: client. G F NAME[c]", "forall c: client. NAME[c] U x[c]"],
    ),
    (
        "var r: record NAME: boolean; other: 0..3 end;",
        &["G r.NAME", "F r.NAME = r.NAME", "G (r.other = 1 | r.NAME)"],
    ),
    (
        "var e: enum { NAME, Other } := NAME;",
        &["G e = NAME", "F e != NAME", "e = NAME U e = Other"],
    ),
    ("const NAME: 1; var n: 0..3 := NAME;", &["G n = NAME", "G NAME < n", "F n - NAME = 0"]),
    (
        "process c: client do rule \"NAME\" x[c] ==> x[c] := false; end; end;",
        &[
            "forall c: client. G F @NAME(c)",
            "forall c: client. G (x[c] -> F NAME(c))",
            "F NAME",
            "G (NAME -> X @NAME(_))",
        ],
    ),
    ("rule \"NAME\" true ==> end;", &["G F NAME", "F (NAME & X @NAME)", "NAME U @NAME()"]),
    (
        "",
        &[
            "forall NAME: client. G x[NAME]",
            "forall NAME: client. F go(NAME)",
            "exists NAME: client. F G x[NAME]",
        ],
    ),
    (
        "type NAME: scalarset(2); var y: array [NAME] of boolean := false;",
        &["forall c: NAME. G y[c]", "G exists c: NAME do y[c] end", "exists c: NAME. G y[c]"],
    ),
    (
        "function NAME(c: client): boolean; begin return x[c]; end;",
        &["forall c: client. G NAME(c)", "forall c: client. F NAME(c) = x[c]"],
    ),
    ("process NAME do rule \"tick\" true ==> end; end;", &["G F @by(NAME)", "G @by(_)"]),
    (
        "ruleset NAME: client do rule \"tick\" x[NAME] ==> end; end;",
        &["forall c: client. G F tick(c)", "forall c: client. F @by(c)"],
    ),
];

#[test]
fn words_are_names_in_formulas() {
    for word in WORDS {
        let capital = word[..1].to_uppercase() + &word[1..];
        for name in [word, &word.to_uppercase(), &capital] {
            // A name of the same length, so that places are the same.
            let other = "z".repeat(name.len());
            for (declared, formulas) in ROLES {
                for formula in formulas {
                    let text = format!(
                        "type client: scalarset(2); var x: array [client] of boolean := false;\n\
                         process c: client do rule \"go\" !x[c] ==> x[c] := true; end; end;\n\
                         {declared}\nltl \"f\": {formula};\n"
                    );
                    let model = |name: &str| {
                        let text = text.replace("NAME", name);
                        check(&text, &[]).unwrap_or_else(|why| panic!("{why:#?}\n{text}"))
                    };
                    let (one, two) = (model(name), model(&other));
                    let shown = format!("{:?} {:?}", one.formulas, one.rules);
                    let expected = format!("{:?} {:?}", two.formulas, two.rules);
                    // The values of `exists` are shown with a number behind the name.
                    let alike = |shown: &str| {
                        renamed(shown, |word| {
                            let rest = word.strip_prefix(name)?;
                            let is_own = rest.is_empty() || rest.starts_with('_');
                            is_own.then(|| other.clone() + rest)
                        })
                    };
                    assert_eq!(alike(&shown), alike(&expected), "{}", text.replace("NAME", name));
                }
            }
        }
    }
}

/// Where a name and an operation compete, the name wins, and a warning says so.
#[test]
fn events_hide_operations_with_a_warning() {
    let text = |rule: &str, formula: &str| {
        format!(
            "type node: ring(3); var q: queue [2] of node; s: set of node; b: boolean := false; \
             process n: node do rule \"{rule}\" true ==> push(q, n); end; end; \
             ltl \"f\": forall n: node. {formula};"
        )
    };
    for (word, formula, expected) in [
        ("length", "G F length(n)", true),
        ("head", "G F head(n)", true),
        ("size", "F size(n)", true),
        ("next", "F next(n)", true),
        ("next", "F @next(n)", false),
        ("next", "G next(n) != n", false),
        ("size", "F size", false),
        ("go", "F go(n)", false),
    ] {
        let text = text(word, formula);
        let found = check(&text, &[]);
        if formula.contains("!=") {
            // The event is no value, and what is wrong is said.
            assert!(found.is_err(), "{text}");
            continue;
        }
        let warnings = found.unwrap_or_else(|why| panic!("{why:#?}\n{text}")).warnings;
        let is_said = warnings.iter().any(|one| one.message.contains("is an event here"));
        assert_eq!(is_said, expected, "{text}\n{warnings:#?}");
    }
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
