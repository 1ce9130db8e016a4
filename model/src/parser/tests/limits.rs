//! Texts that are deep, long or full of errors.

use super::*;
use run::SplitMix64;

/// Constructs that nest, with the text before and after their inside.
const NESTS: &[(&str, &str, &str, &str, &str)] = &[
    ("invariant ", "(", "x", ")", ""),
    ("invariant ", "!", "x", "", ""),
    ("invariant ", "", "x", " & x", ""),
    ("invariant ", "", "x", " + x", ""),
    ("invariant ", "", "x", ".x", ""),
    ("invariant ", "", "x", "[1]", ""),
    ("invariant ", "x[", "x", "]", ""),
    ("invariant ", "f(", "x", ")", ""),
    ("invariant ", "x ? ", "x", " : x", ""),
    ("invariant ", "forall i: t do ", "x", " end", ""),
    ("invariant ", "MultiSetCount(i: m, ", "x", ")", ""),
    ("rule ", "if x then ", "x := 1", " end", " end"),
    ("rule ", "if x then else ", "x := 1", " end", " end"),
    ("rule ", "while x do ", "x := 1", " end", " end"),
    ("rule ", "for i: t do ", "x := 1", " end", " end"),
    ("rule ", "switch x case 1: ", "x := 1", " end", " end"),
    ("rule ", "alias x: x do ", "x := 1", " end", " end"),
    ("", "ruleset i: t do ", "rule end", " end", ""),
    ("", "process i: t do ", "rule end", " end", ""),
    ("", "choose i: t do ", "rule end", " end", ""),
    ("", "alias i: t do ", "rule end", " end", ""),
    ("var x: ", "array [t] of ", "t", "", ""),
    ("var x: ", "array [", "t", "] of t", ""),
    ("var x: ", "record x: ", "t", " end", ""),
    ("var x: ", "union { ", "t", " }", ""),
    ("var x: ", "multiset [1] of ", "t", "", ""),
];

#[test]
fn nesting_is_limited() {
    for (start, open, inside, close, end) in NESTS {
        let nested = |levels: usize| {
            format!("{start}{}{inside}{}{end}", open.repeat(levels), close.repeat(levels))
        };
        let parsed = parse(&nested(990));
        assert_eq!(parsed.errors, [], "{open}{inside}{close}");
        assert_eq!(parsed.model.items.len(), 1);
        for levels in [1100, 100_000] {
            let errors = parse(&nested(levels)).errors;
            let messages: Vec<_> = errors.iter().map(|error| &error.message[..]).collect();
            assert_eq!(messages, ["this is nested more than 1000 levels deep"], "{open}{close}");
        }
    }
}

#[test]
fn every_kind_of_nesting_counts() {
    let nested = |levels: usize| {
        let (open, close) =
            ("forall i: array [0..(".repeat(levels), ")] of t do x end".repeat(levels));
        format!("invariant {open}x{close}")
    };
    assert_eq!(parse(&nested(240)).errors, []);
    assert_eq!(parse(&nested(1000)).errors.len(), 1);
}

#[test]
fn operators_that_nest_at_every_level_count_each() {
    let text = format!(
        "invariant {}x{}",
        "x -> x || x && x | x ^ x & !x = x << x + x * (".repeat(1000),
        ")".repeat(1000)
    );
    let errors = parse(&text).errors;
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn long_texts_are_read() {
    let million = 1_000_000;
    for (text, items) in [
        (format!("startstate {} end", "x := 1; ".repeat(million / 8)), 1),
        ("rule x = 1 ==> x := x + 1; end;\n".repeat(million / 20), million / 20),
        (format!("-- {}\nvar {}: t", "-".repeat(million), "x".repeat(million)), 1),
        (format!("type t: enum {{ {} }}", "a, ".repeat(million / 3)), 1),
        (format!("rule \"{}\" end", "\\\"".repeat(million / 2)), 1),
        (format!("ltl {};", "x ".repeat(million / 2)), 1),
        ("/**/".repeat(million / 4), 0),
    ] {
        let Parsed { model, errors } = parse(&text);
        assert_eq!((errors.len(), model.items.len()), (0, items), "{}", &text[..40]);
    }
}

#[test]
fn long_texts_of_errors_end_soon() {
    let many = 100_000;
    for word in [
        "$",
        "end;",
        "“\n",
        "\"\n",
        "/*",
        "rule x = = 1; end; ",
        "ltl G(",
        "justice forall(",
        "rule ( ",
        "if ",
        "rule if ",
        "x := ",
        "ruleset ",
        "function ",
        "record ",
        "var x: record ",
        "const x ",
        "startstate if x then x = 1; ",
        "process ",
        "choose ",
        "forall ",
        ") ",
        "case 1: ",
        "alias ",
        "ltl x under weak ",
        "// x\n",
        "invariant \"",
        "switch ",
    ] {
        let errors = parse(&word.repeat(many)).errors;
        assert!(errors.len() <= ERROR_LIMIT + 1, "{word}: {}", errors.len());
        if errors.len() > ERROR_LIMIT {
            let last = &errors[ERROR_LIMIT].message;
            assert_eq!(last, "too many errors: the rest is not reported", "{word}");
        }
    }
}

/// A model with every construct, to be mutated.
const MODEL: &str = "const N: 3; type t: scalarset(N); r: record a: t; end; e: enum { A, B }; \
    var x: array [t] of 0..N; m: multiset [2] of r; function f(a: t; var b: e): t; var c: t; \
    begin return a; end; startstate \"s\" begin for i: t do x[i] := 0; end; end; \
    ruleset i: t; j := 1 to 2 do fair rule \"r\" x[i] = 1 & (forall k: t do x[k] != 2 end) ==> \
    var y: t; begin if x[i] = 1 then p(i, j); elsif !x then y := -1; else switch x case 1, 2: \
    clear y; else put \"z\"; end; end; alias a: b do while x do a := ~1; end; end; end; end; \
    process c: t do choose q: m do rule MultiSetRemove(q, m); end; end; end; \
    invariant \"i\" x -> y; ltl \"l\": forall c: t. G(@r(c) -> F x[c] = 1) under weak fairness; \
    compassion (x, MultiSetCount(i: m, m[i].a = c) > 0);";

/// If words are missing, doubled or exchanged, parsing terminates, spans are in the text, and a
/// text that is wrong has an error.
#[test]
fn spoilt_models_are_survived() {
    assert_eq!(parse(MODEL).errors, []);
    let words: Vec<&str> = MODEL.split_inclusive(' ').collect();
    let check = |text: &str| {
        for error in parse(text).errors {
            let places = error.related.iter().map(|(place, _)| *place).chain([error.span]);
            for place in places {
                assert!(text.get(place.start..place.end).is_some(), "{error:?}: {text}");
            }
        }
    };
    for at in 0..words.len() {
        check(&[&words[..at], &words[at + 1..]].concat().concat());
        check(&[&words[..=at], &words[at..]].concat().concat());
        check(&words[..at].concat());
        check(&words[at..].concat());
    }
    let mut rng = SplitMix64::new(7);
    for _ in 0..2000 {
        let mut words = words.clone();
        for _ in 0..=rng.below(4) {
            let (a, b) = (rng.below(words.len()), rng.below(words.len()));
            words.swap(a, b);
        }
        check(&words.concat());
    }
    for at in 0..MODEL.len() {
        check(&MODEL[..at]);
        check(&MODEL[at..]);
    }
}
