//! Texts as tokens, which are deleted, repeated, exchanged and mixed with those of other texts.
//!
//! The tokens are coarse and the same for all languages: words, numbers, strings and signs, each with the blanks before
//! it. A text is its tokens one after another.

use super::choices::Choices;

/// Signs of several characters, longest first.
const SIGNS: [&str; 20] = [
    "==>", "<->", "<=>", "..", ":=", "->", "=>", "<=", ">=", "!=", "==", "&&", "||", "[]", "<>",
    "--", "/*", "*/", "<<", ">>",
];

/// The tokens of a text.
pub fn split(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start().len();
        let length = blanks + length(&rest[blanks..]);
        tokens.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    tokens
}

/// The length of the token at the start of a text.
fn length(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    if is_word(first) {
        return text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    }
    if first == '"' {
        return text[1..].find('"').map_or(text.len(), |end| end + 2);
    }
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign));
    sign.map_or(first.len_utf8(), |sign| sign.len())
}

/// How much is done to tokens: mostly little, so that what comes out is often still valid.
const CHANGES: [usize; 8] = [0, 1, 1, 1, 2, 2, 4, 8];

/// Changes the tokens, with words of the language and tokens of another text.
pub fn change(
    tokens: &mut Vec<String>,
    words: &[&str],
    other: &[String],
    choices: &mut Choices<'_>,
) {
    for _ in 0..*choices.pick(&CHANGES) {
        if tokens.is_empty() || choices.is_empty() {
            return;
        }
        let at = choices.below(tokens.len());
        let end = (at + 1 + choices.below(6)).min(tokens.len());
        match choices.below(8) {
            0 => drop(tokens.drain(at..end)),
            1 => {
                let copy = tokens[at..end].to_vec();
                let to = choices.below(tokens.len() + 1);
                tokens.splice(to..to, copy);
            }
            2 => {
                let with = choices.below(tokens.len());
                tokens.swap(at, with);
            }
            3 => tokens[at] = format!(" {}", choices.pick(words)),
            4 => tokens.insert(at, format!(" {}", choices.pick(words))),
            5 => tokens[at] = choices.pick(tokens).clone(),
            6 if !other.is_empty() => {
                let from = choices.below(other.len());
                let to = (from + 1 + choices.below(12)).min(other.len());
                tokens.splice(at..at, other[from..to].iter().cloned());
            }
            _ => tokens[at..end].reverse(),
        }
    }
}

/// The text of bytes: themselves, if they begin with ASCII; else a text that `base` makes of choices, changed.
pub fn text(
    bytes: &[u8],
    words: &[&str],
    base: impl Fn(&mut Choices<'_>) -> String,
) -> Option<String> {
    if bytes.first().is_none_or(u8::is_ascii) {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let mut choices = Choices::new(&bytes[1..]);
    let mut tokens = split(&base(&mut choices));
    let other = if bytes[0].is_multiple_of(2) { split(&base(&mut choices)) } else { Vec::new() };
    change(&mut tokens, words, &other, &mut choices);
    Some(tokens.concat())
}
