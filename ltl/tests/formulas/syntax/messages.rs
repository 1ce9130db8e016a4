//! What is said about bad texts, whole: `messages.txt` holds the messages, drawn as users see them.
//! `BLESS=1` rewrites it; read the difference before you keep it.

use super::World;
use ltl::parser::Language::{self, Isonomy, Spin, Spot};
use ltl::source::{Colour, Source};
use std::fmt::Write as _;
use support::golden;

const SPOT: &[&str] = &[
    "",
    "  ",
    "G (p -> )",
    "a U",
    "(a &",
    "(a",
    "a)",
    "a b",
    "a ? b",
    "日本 U b",
    "a = b",
    "a = 0",
    "(a U b)=0",
    "x > 1",
    "x == 1 & b",
    "(x + 1) != 2",
    "U b",
    "& b",
    "a & U",
    "2 U a",
    "\"abc",
    "a & /* b /* c */",
    "{a;b}[]-> c",
    "a ; b",
    "a |-> b",
    "a [*2]",
    "a ##1 b",
    "X[!]a",
    "F[1..2!]a",
    "Ⓧa",
    "X[1..2]a",
    "F[2]a",
    "F[3..2]a",
    "F[a]b",
    "F[1..2",
    "X[2000]a",
    "always a",
    "a until b",
    "a u b",
    "not a",
    "a and b",
    "a or b",
    "a[1] U b",
    "p@l",
    "f(x)",
    "'x' U b",
    "@by U a",
    "@by(a, b)",
    "@ a",
    "@a(b",
    "@a(b c)",
    "@a(_x)",
    "@a(,)",
    "( )",
    "a - b",
    "a\u{7}b",
    "first_match(a)",
];

const ISONOMY: &[&str] = &[
    "a & b || c",
    "GF a",
    "1 U a",
    "x = 1",
    "a ^ b",
    "a --> b",
    "a ==> b",
    "G",
    "!(!(a)",
    "_x",
    "X[3] a",
    "a + b",
    "a until b",
    "always a",
    "g f a",
    "gf a",
    "O a",
    "a S b",
    "G (a -> once b)",
    "ltl p { [] a }",
    "a ~> b",
    "\\A c: F a",
    "\\E c: F a",
    "G {a}",
    "a@waiting",
    "a' = b",
];

const SPIN: &[&str] = &[
    "1 U a",
    "a & b",
    "a | b",
    "x > 1",
    "G a",
    "a W b",
    "a U b c",
    "P U q",
    "\"p\"",
    "@a",
    "(a U",
    "(a U b}",
    "()",
    "c_expr { x }",
    "a => b",
    "a implies b",
    "(x > 1 U b)",
    "a and b",
    "a ~> b",
    "a S b",
];

/// The message about every text, under a line that shows the language and the text.
fn messages() -> String {
    let mut messages = String::new();
    for (language, texts) in [(Spot, SPOT), (Isonomy, ISONOMY), (Spin, SPIN)] {
        for text in texts {
            let shown = message(language, text);
            writeln!(messages, "# {language:?}: {text:?}\n{shown}").expect("a string takes it");
        }
    }
    messages
}

fn message(language: Language, text: &str) -> String {
    let mut world = World::default();
    match world.parse(language, text) {
        Ok(f) => panic!("{text} was read as {}", world.reading(f)),
        Err(wrong) => Source::new("formula", text).render(&wrong, Colour::Off),
    }
}

#[test]
fn messages_are_as_reviewed() {
    let found = messages();
    if golden::is_blessed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formulas/syntax/messages.txt");
        std::fs::write(path, &found).expect("the file can be written");
        return;
    }
    let mut expected = include_str!("messages.txt").split_inclusive("\n\n");
    for block in found.split_inclusive("\n\n") {
        assert_eq!(block, expected.next().unwrap_or_default());
    }
    assert_eq!(expected.next(), None, "no message is left over");
}
