//! The grammar in the book knows all words of the parser.

use super::blocks::{Piece, pieces};
use super::{read, root};
use std::collections::BTreeSet;
use std::fs;

/// Words that the parser looks for in order to say that they are wrong.
const REFUSED: [&str; 2] = ["elseif", "elif"];

/// The block of text behind the line that begins so.
fn block_behind(page: &str, line: &str) -> String {
    let mut behind = pieces(page)
        .into_iter()
        .skip_while(|piece| !matches!(piece, Piece::Prose(prose) if prose.starts_with(line)))
        .filter_map(|piece| match piece {
            Piece::Code(block) => Some(block.body.join("\n")),
            Piece::Prose(_) => None,
        });
    behind.next().unwrap_or_else(|| panic!("no block behind `{line}`"))
}

/// Strings in quotes behind each of the marks.
fn quoted_behind<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().expect("there is something before the tests")
}

fn keywords() -> BTreeSet<String> {
    let file = read("model/src/parser/words.rs");
    let table = without_tests(&file);
    let rows =
        table.lines().filter(|line| line.trim().starts_with("(\"") && line.contains("Keyword::"));
    let rows: BTreeSet<_> = rows.map(|row| quoted_behind(row, "(\"")[0].to_owned()).collect();
    assert!(rows.len() > 50, "the table of keywords looks different now");
    rows
}

#[test]
fn the_page_lists_the_keywords() {
    let listed = block_behind(&read("docs/language.md"), "These are the keywords");
    let listed: BTreeSet<_> = listed.split_whitespace().map(str::to_owned).collect();
    assert_eq!(listed, keywords());
}

#[test]
fn the_grammar_has_every_word() {
    let grammar = block_behind(&read("docs/language.md"), "## Grammar");
    let mut words = keywords();
    for entry in fs::read_dir(root().join("model/src/parser")).expect("the parser") {
        let Ok(text) = fs::read_to_string(entry.expect("a file").path()) else { continue };
        let text = without_tests(&text);
        for mark in ["is_word(\"", "take_word(\"", "is_word_ahead(1, \"", "is_element_call(\""] {
            words.extend(quoted_behind(text, mark).into_iter().map(str::to_owned));
        }
    }
    for word in words.iter().filter(|word| !REFUSED.contains(&&word[..])) {
        assert!(grammar.contains(&format!("\"{word}\"")), "the grammar lacks `{word}`");
    }
    assert!(words.contains("undirected") && words.contains("MultiSetCount"), "{words:?}");
}

/// Every rule is used, and what is used is a rule.
#[test]
fn the_grammar_is_closed() {
    let grammar = block_behind(&read("docs/language.md"), "## Grammar");
    let lines = grammar.lines().filter(|line| !line.starts_with("(*"));
    let grammar = lines.collect::<Vec<_>>().join("\n") + "\n";
    let mut known: BTreeSet<&str> = ["NAME", "NUMBER", "STRING"].into();
    let mut used: BTreeSet<&str> = ["model", "reserved"].into();
    for rule in grammar.split(" .\n").filter(|rule| !rule.trim().is_empty()) {
        let (name, rule) = rule.split_once(" = ").expect("a rule");
        known.insert(name.trim());
        // Every second part is literal.
        for part in rule.split('"').step_by(2) {
            let words = part.split(|c: char| !c.is_alphabetic());
            used.extend(words.filter(|word| !word.is_empty()));
        }
    }
    assert_eq!(known, used);
}
