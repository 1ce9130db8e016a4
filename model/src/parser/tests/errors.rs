//! The messages about texts with errors.

use super::*;
use ltl::Source;
use ltl::source::Colour;
use std::fmt::Write as _;

/// All messages about a text, each with the text that it points at.
fn messages(text: &str) -> Vec<String> {
    let errors = parse(text).errors;
    let shown = errors.iter().map(|error| {
        let mut shown = format!("{} @{}", error.message, &text[error.span.start..error.span.end]);
        for (place, note) in &error.related {
            let _ = write!(shown, "; {note} @{}", &text[place.start..place.end]);
        }
        if let Some(help) = &error.help {
            let _ = write!(shown, "; help: {help}");
        }
        // It can be rendered.
        Source::new("m", text).render(error, Colour::Off);
        shown
    });
    shown.collect()
}

/// Texts (`\n` is a line end), each followed by its messages, indented.
const SLIPS: &str = include_str!("slips.txt");

#[test]
fn slips_are_explained() {
    let mut lines = SLIPS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut line = lines.next();
    let mut count = 0;
    while let Some(text) = line {
        let mut expected = Vec::new();
        line = lines.next();
        while let Some(message) = line.and_then(|line| line.strip_prefix("    ")) {
            expected.push(message);
            line = lines.next();
        }
        assert_eq!(messages(&text.replace("\\n", "\n")), expected, "{text}");
        count += 1;
    }
    assert!(count > 90, "{count} texts");
}

#[test]
fn messages_are_drawn_with_their_places() {
    let text = "rule \"a\" x ==>\n  if y then z := 1\nendrule\n";
    let error = &parse(text).errors[0];
    assert_eq!(
        Source::new("a.m", text).render(error, Colour::Off),
        "\
error: expected `end` or `endif`, found `endrule`
 --> a.m:3:1
  3 | endrule
    | ^^^^^^^
note: to close this `if`
 --> a.m:2:3
  2 |   if y then z := 1
    |   ^^
"
    );
}

#[test]
fn expressions_that_stand_alone() {
    for (text, expected) in [
        ("1 2", "expected an operator or the end of the text, found `2`"),
        ("", "expected an expression, found the end of the text"),
        ("x = \"a\"", "expected an expression, found a string"),
        ("1 /*", "this comment is not closed"),
    ] {
        assert_eq!(parse_expression(text).expect_err("it is wrong").message, expected);
    }
}
