//! Reading HOA: the fixtures by the words that they accept, bad texts by their messages.

use super::acceptance::{Word, accepts};
use super::{built, fixture};
use automata::formats::hoa;
use automata::{Limits, StopReason};
use ltl::source::Colour;
use ltl::{Atom, Source};
use std::fmt::Write as _;

/// `"a + b ; | c"`: a letter is the names of its true atoms; `;` stands between letters.
fn word(document: &hoa::Document, text: &str) -> Word {
    let letters = |text: &str| -> Vec<u32> {
        let letters = text.split(';').map(str::trim);
        let letter = |letter: &str| {
            let names = letter.split('+').map(str::trim).filter(|name| !name.is_empty());
            names.fold(0, |bits, name| {
                let found = (0..document.atoms().len() as u32).find(|&id| {
                    match document.atoms().kind(Atom(id)) {
                        ltl::AtomKind::Proposition(own) => own == name,
                        ltl::AtomKind::Event(event) => event.to_string() == name,
                    }
                });
                bits | 1 << found.unwrap_or_else(|| panic!("no atom {name}"))
            })
        };
        letters.map(letter).collect()
    };
    let (stem, cycle) = text.split_once('|').expect("a stem and a cycle");
    let mut all = if stem.trim().is_empty() { Vec::new() } else { letters(stem) };
    let back = all.len();
    all.extend(letters(cycle));
    Word { letters: all, back }
}

#[test]
fn fixtures_accept_what_they_say() {
    //  file                   word                                    accepted
    let table = [
        ("response-tgba.hoa", "request | grant", true),
        ("response-tgba.hoa", "request | request", false),
        ("response-tgba.hoa", "| request + grant", true),
        ("response-buchi.hoa", "request | ", false),
        ("response-buchi.hoa", "request ; | grant ; request", true),
        ("three-sets.hoa", "| p0 ; p1", true),
        ("three-sets.hoa", "| p0 ; p1 ; p2", false),
        ("three-sets.hoa", "| p0 ; p1 ; p2 ; p3", true),
        ("implicit-labels.hoa", "| a ; b", true),
        ("implicit-labels.hoa", "b | a", false),
        ("implicit-labels.hoa", "| a + b", true),
        ("state-labels.hoa", "| a ; ", true),
        ("state-labels.hoa", "a ; a | ", false),
        ("aliases.hoa", "| a + b", true),
        ("aliases.hoa", "a ; c | ", true),
        ("aliases.hoa", "a | ", false),
        ("rabin.hoa", "| a + b", true),
        ("rabin.hoa", "; a ; | b ; a + b", true),
        ("rabin.hoa", "| b", false),
        ("rabin.hoa", "| a + b ; ", false),
        ("streett.hoa", "| a ; b", true),
        ("streett.hoa", "| a ; b ; c", false),
        ("streett.hoa", "a ; c | b", true),
        ("streett.hoa", "| a + d ; b + c", true),
        ("streett.hoa", "| a ; d", false),
        ("parity.hoa", "| ", false),
        ("parity.hoa", "| low ; ", true),
        ("parity.hoa", "| low ; high", false),
        ("parity.hoa", "high | low", true),
        ("parity.hoa", "| low + high ; high ; ", true),
        ("complements.hoa", "| a ; a + b", true),
        ("complements.hoa", "; | a + b", true),
        ("complements.hoa", "| a", false),
        ("complements.hoa", "| a + b ; b", false),
        ("events.hoa", "@request(c) + @request(_) | @grant(c)", true),
        ("events.hoa", "@request(c) + @request(_) | @by(server)", true),
        ("events.hoa", "@request(c) + @request(_) | @request(_)", false),
        ("events.hoa", "| @request(_)", true),
        ("events.hoa", "| @request(c) + @request(_) + @by(server)", true),
        // Not a letter at all.
        ("events.hoa", "@request(c) + @request(_) + @grant(c) | ", false),
        ("no-start.hoa", "| ", false),
        ("long-guards.hoa", "@by(server) | @grant(c, _)", true),
    ];
    for (file, text, expected) in table {
        let [(document, guards, automaton)] = &mut built(&fixture(&format!("hoa/{file}")))[..]
        else {
            panic!("{file}: one automaton")
        };
        let word = word(document, text);
        assert_eq!(accepts(guards, automaton, &word), expected, "{file}: {text}");
    }
}

#[test]
fn every_fixture_is_in_a_test() {
    let own = include_str!("reading.rs");
    let folder = format!("{}/../fixtures/hoa", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let name = entry.expect("readable").file_name().into_string().expect("a plain name");
        assert!(
            own.contains(&format!("\"{name}\"")) || own.contains(&format!("hoa/{name}")),
            "{name}"
        );
    }
}

#[test]
fn a_stream_leaves_out_what_was_given_up() {
    let automata = built(&fixture("hoa/stream.hoa"));
    let names: Vec<_> = automata.iter().map(|(document, ..)| document.name()).collect();
    assert_eq!(names, [Some("one"), Some("two"), Some("none")]);
    let sizes: Vec<_> =
        automata.iter().map(|(.., automaton)| automaton.all_edges().len()).collect();
    assert_eq!(sizes, [1, 1, 0]);
    let only_aborted = hoa::read("HOA: v1 --ABORT--").expect("nothing is wrong with it");
    assert!(only_aborted.is_empty());
}

#[test]
fn names_and_strings_are_read() {
    let [(document, ..)] = &built(&fixture("hoa/aliases.hoa"))[..] else { panic!("one") };
    assert_eq!(document.name(), Some("G(a -> X(b | c)) with \"aliases\" and \\"));
    let [(document, ..)] = &built(&fixture("hoa/events.hoa"))[..] else { panic!("one") };
    let kinds: Vec<_> = document.atoms().iter().map(|(_, kind)| format!("{kind:?}")).collect();
    assert!(
        kinds[3].starts_with("Event") && kinds[4] == "Proposition(\"@by(server)\")",
        "{kinds:?}"
    );
}

#[test]
fn limits_stop_a_build() {
    let text = "HOA: v1 Start: 0 Acceptance: 1 Fin(0) --BODY-- State: 0 1 State: 1 0 --END--";
    let document = &hoa::read(text).expect("a good text")[0];
    let check = |limits: Limits, expected: StopReason| {
        let mut guards = document.guards(limits).expect("few letters");
        assert_eq!(document.build(&mut guards), Err(expected));
    };
    check(Limits { states: 3, ..Limits::default() }, StopReason::States(3));
    check(Limits { edges: 3, ..Limits::default() }, StopReason::Edges(3));
    // (0 xor 1) xor (2 xor 3) ... by aliases, each used twice: small as a diagram, not as a text.
    let mut aliases = String::from("Alias: @0 0 ");
    for k in 1..100 {
        let _ = write!(aliases, "Alias: @{k} @{p}&!{k} | !@{p}&{k} ", p = k - 1);
    }
    let names: Vec<_> = (0..100).map(|k| format!("\"p{k}\"")).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 100 {} {aliases} Acceptance: 0 t --BODY-- State: 0 [@99] 0 --END--",
        names.join(" ")
    );
    let document = &hoa::read(&text).expect("a good text")[0];
    let mut guards = document.guards(Limits { labels: 100_000, ..Limits::default() }).expect("few");
    let automaton = document.build(&mut guards).expect("a small diagram");
    let written = hoa::write(&mut guards, &automaton, document.atoms(), None);
    assert_eq!(written, Err(StopReason::Labels(100_000)), "2^99 products");
    let mut guards = document.guards(Limits { labels: 100, ..Limits::default() }).expect("few");
    assert_eq!(document.build(&mut guards), Err(StopReason::Labels(100)));
}

/// What stands between `‹` and `›` is underlined.
#[test]
fn bad_texts_have_a_place_and_a_reason() {
    let long = format!("HOA: v1 name: ‹{}›", "a".repeat(1000));
    let table = [
        ("‹›", "expected `HOA: v1`, found the end of the text"),
        ("‹--BODY--›", "expected `HOA: v1`, found `--BODY--`"),
        ("HOA: ‹v2›", "expected version `v1` of the format, found `v2`"),
        ("HOA: v1 ‹Colour:› 3", "`Colour:` may change the automaton's meaning, but is unknown"),
        ("HOA: v1 States: 1 ‹States:› 1", "a second `States:`"),
        ("HOA: v1 ‹HOA:› v1", "`HOA:` inside an automaton"),
        ("HOA: v1 States: ‹99999999999›", "a number is at most 2147483647"),
        ("HOA: v1 States: ‹01›", "a number does not start with `0`"),
        ("HOA: v1 AP: ‹2000000000›", "more than 1024 atomic propositions"),
        ("HOA: v1 AP: ‹3› \"a\" \"b\" Start: 0", "3 names declared, but 2 follow"),
        ("HOA: v1 AP: 1 \"a\" ‹\"b\"›", "more names than the 1 declared"),
        ("HOA: v1 AP: 2 \"a\" ‹\"a\"›", "the same atomic proposition twice"),
        ("HOA: v1 AP: 2 \"@a(x,_)\" ‹\"@a(x, _)\"›", "the same atomic proposition twice"),
        ("HOA: v1 AP: 1 ‹\"›a", "a string that does not end"),
        ("HOA: v1 name: ‹word›", "expected a string, found `word`"),
        ("HOA: v1 ‹/*› /* */", "a comment that does not end"),
        ("HOA: v1 ‹ü›", "unexpected character `ü`"),
        ("HOA: v1 ‹\0›", "unexpected character U+0000"),
        (&long[..], "expected a string, found `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...`"),
        ("HOA: v1 ‹-›-BODY-", "expected `--BODY--`, `--END--` or `--ABORT--`"),
        ("HOA: v1 Alias: ‹@› 0", "expected the name of an alias behind `@`"),
        ("HOA: v1 Alias: ‹0›", "expected the name of an alias, such as `@a`, found `0`"),
        ("HOA: v1 Alias: @a t Alias: ‹@a› f", "the alias `@a` is defined twice"),
        ("HOA: v1 Alias: @a ‹@a›", "the alias `@a` is not defined before"),
        (
            "HOA: v1 Alias: @a ‹7› AP: 1 \"a\" Acceptance: 0 t --BODY--",
            "there is no atomic proposition 7",
        ),
        (
            "HOA: v1 Start: 0 ‹&› 1",
            "a conjunction of states: alternating automata are not supported",
        ),
        ("HOA: v1 ‹--BODY--›", "no `Acceptance:` in the header"),
        ("HOA: v1 ‹{›", "expected a header item or `--BODY--`, found `{`"),
        ("HOA: v1 Acceptance: 1 ‹inf›(0)", "expected `Inf`, `Fin`, `t`, `f` or `(`, found `inf`"),
        ("HOA: v1 Acceptance: 1 ‹!›Inf(0)", "expected `Inf`, `Fin`, `t`, `f` or `(`, found `!`"),
        ("HOA: v1 Acceptance: 1 Inf(‹1›)", "there is no acceptance set 1"),
        ("HOA: v1 Acceptance: 1 Inf(0‹›", "expected `)`, found the end of the text"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [‹0›] 0", "there is no atomic proposition 0"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [‹]› 0", "expected a label, found `]`"),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0‹&›0",
            "a conjunction of states: alternating automata are not supported",
        ),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 {‹0›}", "there is no acceptance set 0"),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] ‹1› --END--",
            "state 1 is not listed in the body",
        ),
        (
            "HOA: v1 Start: ‹1› Acceptance: 0 t --BODY-- State: 0 --END--",
            "state 1 is not listed in the body",
        ),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: ‹1› --END--",
            "state 0 is not listed in the body",
        ),
        (
            "HOA: v1 States: ‹2000000000› Acceptance: 0 t --BODY-- State: 0 --END--",
            "state 1 is not listed in the body",
        ),
        ("HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: ‹1›", "there is no state 1"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 State: ‹0›", "state 0 is listed twice"),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: [t] 0 ‹[›t] 0",
            "a label on an edge of a state that has a label itself",
        ),
        (
            "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: ‹0› [t] 0 0 --END--",
            "some edges of the state have labels, others have none",
        ),
        (
            "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: ‹0› 0 --END--",
            "without labels a state has one edge for each letter: 2^1, not 1",
        ),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- ‹0›",
            "expected an edge, `State:` or `--END--`, found `0`",
        ),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: 0 ‹›",
            "expected an edge, `State:` or `--END--`, found the end of the text",
        ),
        ("HOA: v1 Acceptance: 0 t --BODY-- --END-- ‹x›", "expected `HOA: v1`, found `x`"),
        ("‹HOA›", "expected `HOA: v1`, found `HOA`"),
    ];
    for (marked, message) in table {
        let start = marked.find('‹').expect("a place");
        let end = marked.find('›').expect("a place") - '‹'.len_utf8();
        let text = marked.replace(['‹', '›'], "");
        let diagnostic = hoa::read(&text).expect_err(marked);
        assert_eq!(diagnostic.message, message, "{marked}");
        assert_eq!((diagnostic.span.start, diagnostic.span.end), (start, end), "{marked}");
    }
}

#[test]
fn messages_are_drawn_with_their_help() {
    let text = "HOA: v1\nAP: 2 \"a\" \"b\"\nAcceptance: 0 t\n--BODY--\nState: 0 [0&2] 0\n--END--\n";
    let diagnostic = hoa::read(text).expect_err("no atom 2");
    assert_eq!(
        Source::new("in.hoa", text).render(&diagnostic, Colour::Off),
        "error: there is no atomic proposition 2\n --> in.hoa:5:13\n  5 | State: 0 [0&2] 0\n    |             ^\n    \
         = help: `AP:` declares 2, numbered from 0\n"
    );
}

#[test]
fn deep_texts_do_not_exhaust_the_stack() {
    let deep = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(100_000), close.repeat(100_000))
    };
    let label = format!("HOA: v1 Acceptance: 0 t Alias: @a {}", deep("(", "t", ")"));
    let condition = format!("HOA: v1 Acceptance: 0 {}", deep("(", "t", ")"));
    for text in [label, condition] {
        let message = hoa::read(&text).expect_err("too deep").message;
        assert_eq!(message, "more than 200 parentheses inside each other");
    }
    let text = format!(
        "{} HOA: v1 Start: 0 Acceptance: 0 t Alias: @a {}t --BODY-- State: 0 [@a] 0 --END--",
        deep("/*", "", "*/"),
        "!".repeat(100_000)
    );
    assert_eq!(built(&text)[0].2.all_edges().len(), 1, "an even number of negations");
}
