//! Advice about the author's intention, from the token at which the parser fails and the one before
//! it.

use super::cursor::Parser;
use super::lexer::{Symbol, TokenKind};
use super::words::Keyword;
use crate::syntax::RuleFairness;

/// Words that are operators in other languages, with advice.
const WORDS: [(&str, &str); 12] = [
    ("and", "conjunction is written `&`"),
    ("or", "disjunction is written `|`"),
    ("not", "negation is written `!`"),
    ("mod", "the remainder is written `%`"),
    ("rem", "the remainder is written `%`"),
    ("div", "division is written `/`"),
    ("xor", "write `!=` for Booleans, `^` for the bits of numbers"),
    ("implies", "implication is written `->`"),
    ("iff", "equivalence of Booleans is written `=`"),
    ("elseif", "write `elsif`"),
    ("elif", "write `elsif`"),
    ("in", "write `i: T` for the values of a type"),
];

/// Whether a word is an operator in other languages.
pub(super) fn is_operator(found: &str) -> bool {
    word(found).is_some()
}

/// Where temporal operators belong.
const TEMPORAL: &str = "temporal operators occur in the formulas of `ltl` properties only";

/// Whether the last token ends an operand.
fn is_behind_operand(parser: &Parser<'_>) -> bool {
    let before = parser.at.checked_sub(1).map(|before| parser.tokens[before].kind);
    matches!(
        before,
        Some(
            TokenKind::Name
                | TokenKind::Number
                | TokenKind::Symbol(Symbol::CloseParenthesis | Symbol::CloseBracket)
        )
    )
}

/// Words that start an item, to recognise misspelt ones.
const ITEMS: [&str; 23] = [
    "alias",
    "assert",
    "assume",
    "choose",
    "compassion",
    "const",
    "cover",
    "fair",
    "function",
    "invariant",
    "justice",
    "liveness",
    "ltl",
    "procedure",
    "process",
    "rule",
    "ruleset",
    "startstate",
    "strongly",
    "type",
    "var",
    "end",
    "endrule",
];

/// Advice for a parser that fails at its next token.
pub(super) fn of(parser: &Parser<'_>) -> Option<String> {
    let advice = match parser.kind() {
        TokenKind::Symbol(Symbol::Diamond) if !is_behind_operand(parser) => TEMPORAL,
        TokenKind::Symbol(Symbol::OpenBracket)
            if parser.kind_ahead(1) == TokenKind::Symbol(Symbol::CloseBracket) =>
        {
            TEMPORAL
        }
        TokenKind::Symbol(Symbol::Diamond) => "inequality is written `!=`",
        TokenKind::Symbol(Symbol::FatArrow) => {
            "implication is written `->`, and `==>` stands behind the guard of a rule"
        }
        TokenKind::Symbol(Symbol::Equivalent) => "equivalence of Booleans is written `=`",
        TokenKind::Symbol(Symbol::Assign) => "`:=` assigns; equality is written `=`",
        TokenKind::Foreign => match parser.word() {
            "$" | "_" => "a name is a letter, then letters, digits and `_`",
            "'" => "strings have double quotes",
            "@" => "events occur in the formulas of `ltl` properties only",
            "\\" if parser.word_before() == Some("/") => "conjunction is written `&`",
            "\\" if parser.kind_ahead(1) == TokenKind::Symbol(Symbol::Over) => {
                "disjunction is written `|`"
            }
            "\\" if parser.word_ahead(1) == "in" => "write `i: T` for the values of a type",
            "#" | "\\" => "comments start with `--`, or stand between `/*` and `*/`",
            _ => return None,
        },
        TokenKind::Name => return word(parser.word()).or_else(|| before(parser)),
        TokenKind::Keyword(Keyword::Record) => {
            "a value of a record is written with the name of its type: `message { from: c }`"
        }
        TokenKind::Keyword(keyword) => {
            let word = parser.word();
            let is_operand = matches!(
                parser.kind_ahead(1),
                TokenKind::Symbol(
                    Symbol::Semicolon
                        | Symbol::Comma
                        | Symbol::Dot
                        | Symbol::CloseParenthesis
                        | Symbol::CloseBracket
                        | Symbol::OpenBracket
                        | Symbol::Equal
                        | Symbol::NotEqual
                        | Symbol::Assign
                        | Symbol::And
                        | Symbol::Or
                        | Symbol::Plus
                        | Symbol::Minus
                )
            );
            let is_end = matches!(keyword, Keyword::End | Keyword::EndOf(_));
            return (is_operand && !is_end)
                .then(|| format!("`{word}` is a keyword, which cannot be a name"))
                .or_else(|| before(parser));
        }
        _ => return before(parser),
    };
    Some(advice.to_owned())
}

/// Advice from the word before the failure: in `not a`, `not` was parsed as a name.
fn before(parser: &Parser<'_>) -> Option<String> {
    let before = parser.at.checked_sub(1)?;
    let span = parser.tokens[before].span;
    let found = &parser.text[span.start..span.end];
    if parser.tokens[before].kind != TokenKind::Name {
        return None;
    }
    if found.eq_ignore_ascii_case("include") && parser.kind() == TokenKind::Text {
        return Some("`include` stands outside of all blocks".to_owned());
    }
    if ["G", "F", "X"].contains(&found) && parser.kind() == TokenKind::Name {
        return Some(TEMPORAL.to_owned());
    }
    word(found)
}

fn word(found: &str) -> Option<String> {
    let mut words = WORDS.iter();
    let (_, advice) = words.find(|(word, _)| word.eq_ignore_ascii_case(found))?;
    Some((*advice).to_owned())
}

/// What a word says that starts an item in other languages, or elsewhere in this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ForeignItem {
    /// `init begin ... end`
    Start,
    /// `weakly fair rule`, `strong fair rule`
    Rule(RuleFairness),
    /// `fair process`
    Process,
}

/// What the next words say, if they start an item of another language; and how many of them are in
/// front of what this language has, too.
pub(super) fn foreign_item(parser: &Parser<'_>) -> Option<(ForeignItem, usize)> {
    if parser.kind() != TokenKind::Name {
        return None;
    }
    let word = |ahead: usize| parser.word_ahead(ahead).to_ascii_lowercase();
    let first = word(0);
    let is_body = matches!(
        parser.kind_ahead(1),
        TokenKind::Keyword(Keyword::Begin) | TokenKind::Name | TokenKind::Text
    );
    if is_body && ["init", "initial"].contains(&&first[..]) {
        return Some((ForeignItem::Start, 0));
    }
    let fairness = match &first[..] {
        "fair" | "weak" | "weakly" => RuleFairness::Weak,
        "strong" | "strongly" => RuleFairness::Strong,
        _ => return None,
    };
    let length = if first != "fair" && word(1) == "fair" { 2 } else { 1 };
    match word(length).as_str() {
        "process" => Some((ForeignItem::Process, length)),
        "rule" => Some((ForeignItem::Rule(fairness), length)),
        _ => None,
    }
}

/// The word that starts an item and that `found` misspells, if there is one.
pub(super) fn item_like(found: &str) -> Option<&'static str> {
    let found = found.to_ascii_lowercase();
    let distances = ITEMS.iter().map(|item| (distance(&found, item), *item));
    let (distance, item) = distances.min()?;
    (distance > 0 && distance <= 2 && 3 * distance <= item.len()).then_some(item)
}

/// The least number of letters to insert, remove, replace or swap with their neighbour to turn `a`
/// into `b`; for short words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen() {
        for (found, expected) in [
            ("invarient", Some("invariant")),
            ("Rulse", Some("rule")),
            ("strartstate", Some("startstate")),
            ("startsate", Some("startstate")),
            ("proces", Some("process")),
            ("vra", Some("var")),
            ("x", None),
            ("cache", None),
            ("node", None),
            ("rule", None),
        ] {
            assert_eq!(item_like(found), expected, "{found}");
        }
    }
}
