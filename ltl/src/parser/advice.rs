//! What is wrong with a text, and what its author may have meant.
//!
//! Every message is made here or beside the rule that it is about. Advice is looked up by the token
//! at the place, and by the name before it (`not a`: `not` was read as a name).

use super::lexer::{Reader, is_word};
use super::{Language, operators, spot};
use crate::source::{Diagnostic, Span, character};

/// Comparisons, which belong to atoms; longer ones first.
const COMPARISONS: [&str; 8] = ["===", "==", "!=", ">=", "<=", ">", "<", "="];

/// What starts or continues an expression of PSL.
const PSL: [&str; 12] = ["{", "}", ";", ":", "##", "[*", "[+", "[=", "[->", "[:", "|->", "|=>"];

/// Words after an operand that mean an operator elsewhere: Spot's and Isonomy's, then Spin's.
const BINARY_WORDS: [(&str, &str, &str); 12] = [
    ("and", "&", "&&"),
    ("or", "|", "||"),
    ("implies", "->", "->"),
    ("iff", "<->", "<->"),
    ("equivalent", "<->", "<->"),
    ("until", "U", "U"),
    ("stronguntil", "U", "U"),
    ("release", "R", "V"),
    ("u", "U", "U"),
    ("r", "R", "V"),
    ("v", "R", "V"),
    ("xor", "xor", "!(a <-> b)"),
];

/// Operators about the past, before an operand and after one, as other languages spell them.
const PAST_PREFIXES: [&str; 7] = ["O", "H", "Y", "Z", "once", "historically", "previously"];
const PAST_INFIXES: [&str; 4] = ["S", "T", "since", "triggered"];

/// What to do without them.
const NO_PAST: &str = "there are no past operators: keep what has happened in a variable of the \
                       model, and write about that variable";

/// Names before an operand that mean a prefix operator elsewhere.
const PREFIX_WORDS: [(&str, &str, &str); 9] = [
    ("not", "!", "!"),
    ("NOT", "!", "!"),
    ("always", "G", "[]"),
    ("globally", "G", "[]"),
    ("eventually", "F", "<>"),
    ("finally", "F", "<>"),
    ("next", "X", "X"),
    ("g", "G", "[]"),
    ("f", "F", "<>"),
];

/// Spin's other words, which Spot reads as names.
const SPIN_WORDS: [&str; 5] = ["always", "eventually", "next", "until", "not"];

/// Operators that Spin's language lacks, and how to do without.
const SPIN_LACKS: [(&str, &str); 6] = [
    ("F", "write <> for F"),
    ("G", "write [] for G"),
    ("R", "write V for R"),
    ("W", "Spin has no W: write `b V (a || b)` for `a W b`"),
    ("M", "Spin has no M: write `b U (a && b)` for `a M b`"),
    ("xor", "Spin has no xor: write `!(a <-> b)`"),
];

/// Something that cannot start a formula, where one is expected.
pub(super) fn expected_formula(reader: &Reader<'_>, opening: Option<(Span, char)>) -> Diagnostic {
    let (span, rest, language) = (token(reader), reader.rest(), reader.language);
    if let Some(wrong) = refused(reader) {
        return wrong;
    }
    let wrong = match unknown(rest) {
        Some(c) => Diagnostic::error(span, format!("unexpected character {}", character(c))),
        None => Diagnostic::error(span, "expected a formula"),
    };
    if rest.is_empty() {
        return match opening {
            Some((place, _)) => wrong.related(place, "inside the parenthesis opened here"),
            None => wrong,
        };
    }
    let word = word(rest);
    let help = if language == Language::Spin {
        operand_in_spin(rest, word)
    } else if matches!(word, "0" | "1") {
        Some(format!("write {}", if word == "1" { "true" } else { "false" }))
    } else if word.starts_with(|c: char| c.is_ascii_digit()) {
        Some("a number is no formula; put a comparison in double quotes: \"x > 1\"".to_owned())
    } else if word.starts_with('_') {
        Some("a name that does not start with a letter needs double quotes".to_owned())
    } else if rest.starts_with("\\A") && language == Language::Isonomy {
        Some("write `forall c: T.` in front of the whole formula".to_owned())
    } else if rest.starts_with("\\E") && language == Language::Isonomy {
        Some("inside of an atom write `exists c: T do ... end`".to_owned())
    } else if rest.starts_with('{') && language == Language::Isonomy {
        Some("formulas are grouped by parentheses".to_owned())
    } else if rest.starts_with('[') && language == Language::Isonomy {
        Some("bounded operators are part of Spot's language only: write X X X a".to_owned())
    } else if rest.starts_with('\'') {
        Some("names are quoted by double quotes: \"x > 1\"".to_owned())
    } else if unknown(rest).is_some_and(char::is_alphanumeric) {
        Some("a name with other characters than ASCII ones needs double quotes".to_owned())
    } else {
        None
    };
    let operator = || {
        let (spelling, _) = operators::binary(language, rest)?;
        let mut help = format!("`{spelling}` stands between two formulas: `a {spelling} b`");
        if language != Language::Spin && spelling.starts_with(|c: char| c.is_ascii_alphabetic()) {
            help += "; as a name it needs double quotes";
        }
        Some(help)
    };
    match help.or_else(operator) {
        Some(help) => wrong.help(help),
        None => wrong,
    }
}

fn operand_in_spin(rest: &str, word: &str) -> Option<String> {
    if let Some((_, advice)) = SPIN_LACKS.iter().find(|(lacking, _)| *lacking == word) {
        return Some((*advice).to_owned());
    }
    Some(match rest.chars().next()? {
        '1' if word == "1" => "write true".to_owned(),
        '0' if word == "0" => "write false".to_owned(),
        '"' => {
            "Spin's language has no quotes; write a predicate in parentheses: (x > 1)".to_owned()
        }
        '@' => "Spin's language has no events; they are read with --input spot".to_owned(),
        'U' | 'V' => return None,
        c if c.is_ascii_uppercase() => {
            "in Spin's language names start with a lower-case letter".to_owned()
        }
        _ => return None,
    })
}

/// Something that cannot follow an operand; `name` is the operand if it was a name without quotes.
pub(super) fn expected_operator(
    reader: &Reader<'_>,
    name: Option<&str>,
    opening: Option<(Span, char)>,
) -> Diagnostic {
    let (span, rest, language) = (token(reader), reader.rest(), reader.language);
    if let Some(wrong) = refused(reader) {
        return wrong;
    }
    let message = match (unknown(rest), opening) {
        (Some(c), _) => format!("unexpected character {}", character(c)),
        (None, Some((_, closer))) => format!("expected an operator or `{closer}`"),
        (None, None) => "expected an operator or the end of the formula".to_owned(),
    };
    let help = after_name(language, name, rest)
        .or_else(|| instead(language, rest))
        .or_else(|| comparison(reader, name))
        .or_else(|| expression(language, name, rest))
        .or_else(|| {
            let ignored = "Spin ignores what follows a complete formula; here it is an error";
            (language == Language::Spin && opening.is_none()).then(|| ignored.to_owned())
        });
    let wrong = Diagnostic::error(span, message);
    match help {
        Some(help) => wrong.help(help),
        None => wrong,
    }
}

/// `not a`, `always a`, `GF a`: the name was meant as an operator.
fn after_name(language: Language, name: Option<&str>, rest: &str) -> Option<String> {
    let name = name?;
    if !rest.starts_with(|c: char| is_word(c) || "(!~\"@.<[".contains(c))
        || COMPARISONS.iter().any(|sign| rest.starts_with(sign))
    {
        return None;
    }
    if language == Language::Isonomy && name.len() > 1 && name.chars().all(|c| "FGXfgx".contains(c))
    {
        let letters: Vec<_> = name.chars().map(|c| c.to_ascii_uppercase().to_string()).collect();
        return Some(format!("`{name}` is one name here: write `{}`", letters.join(" ")));
    }
    if PAST_PREFIXES.contains(&name) {
        return Some(format!("`{name}` is a name here, and {NO_PAST}"));
    }
    if language == Language::Isonomy && name == "ltl" {
        return Some("`ltl` is a name here: write the formula alone, as in `G F x`".to_owned());
    }
    let (_, ours, spins) = PREFIX_WORDS.iter().find(|(word, ..)| *word == name)?;
    let operator = if language == Language::Spin { spins } else { ours };
    let mut help = format!("`{name}` is a name here: write {operator}");
    if language == Language::Spot && SPIN_WORDS.contains(&name) {
        help += ", or read Spin's language with --input spin";
    }
    Some(help)
}

/// An operator of another language.
fn instead(language: Language, rest: &str) -> Option<String> {
    let word = word(rest);
    if PAST_INFIXES.contains(&word) {
        return Some(NO_PAST.to_owned());
    }
    if rest.starts_with("~>") {
        let (always, eventually) =
            if language == Language::Spin { ("[]", "<>") } else { ("G", "F") };
        return Some(format!("for `p ~> q` write `{always} (p -> {eventually} q)`"));
    }
    if language == Language::Spin {
        if let Some((_, advice)) = SPIN_LACKS.iter().find(|(lacking, _)| *lacking == word) {
            return Some((*advice).to_owned());
        }
        let signs = [("&", "&&"), ("|", "||"), ("=>", "->"), ("-->", "->"), ("<=>", "<->")];
        if let Some((_, right)) = signs.iter().find(|(sign, _)| rest.starts_with(sign)) {
            return Some(format!("write {right}"));
        }
    }
    if language == Language::Isonomy {
        if rest.starts_with("==>") {
            return Some("`==>` separates the guard of a rule from its body: write ->".to_owned());
        }
        if rest.starts_with("-->") {
            return Some("`--` starts a comment: write ->".to_owned());
        }
        if rest.starts_with('^') {
            return Some("write xor".to_owned());
        }
        if rest.starts_with('\'') {
            return Some("there are no primes: `X (x = 1)` is about the next state".to_owned());
        }
        if rest.starts_with('@') {
            return Some(
                "where a process is, a variable says: `state[c] = waiting`; an event is an operand \
                 of its own: `@name(c)`"
                    .to_owned(),
            );
        }
    }
    let lower = word.to_ascii_lowercase();
    let capital = word.len() == 1 && word != lower;
    let (_, ours, spins) = BINARY_WORDS.iter().find(|(w, ..)| *w == lower && !capital)?;
    let mut help = format!("write {}", if language == Language::Spin { spins } else { ours });
    if language == Language::Spot && SPIN_WORDS.contains(&word) {
        help += ", or read Spin's language with --input spin";
    }
    Some(help)
}

/// `x > 1`: belongs into an atom.
fn comparison(reader: &Reader<'_>, name: Option<&str>) -> Option<String> {
    let rest = reader.rest();
    let sign = COMPARISONS.iter().find(|sign| rest.starts_with(**sign))?;
    let right = rest[sign.len()..].trim_start();
    let length = right.find(|c| !is_word(c) && c != '.').unwrap_or(right.len());
    let (left, right) = (name.unwrap_or(""), &right[..length]);
    let place = match reader.language {
        Language::Spin => "in parentheses",
        Language::Spot | Language::Isonomy => "in double quotes",
    };
    Some(if reader.language == Language::Spot && *sign == "=" && matches!(right, "0" | "1") {
        format!("`={right}` stands right behind a name; elsewhere write !")
    } else if left.is_empty() || right.is_empty() {
        format!("put the comparison {place}")
    } else if reader.language == Language::Spin {
        format!("put the comparison {place}: ({left} {sign} {right})")
    } else {
        format!("put the comparison {place}: \"{left} {sign} {right}\"")
    })
}

/// `a[1]`, `p@l`, `x - 1`: belongs into an atom too.
fn expression(language: Language, name: Option<&str>, rest: &str) -> Option<String> {
    let place = match language {
        Language::Spin => "parentheses",
        Language::Spot | Language::Isonomy => "double quotes",
    };
    if rest.starts_with(['+', '-', '*', '/', '%', '?']) {
        return Some(format!("put an expression in {place}"));
    }
    let part_of_name = name.is_some() && rest.starts_with(['[', '(', '@', '\'', '.', '$', '#']);
    part_of_name.then(|| format!("a name with such characters needs {place}"))
}

/// Whether `rest` starts with an operator that only starts like one of the language.
pub(super) fn is_foreign_operator(language: Language, rest: &str) -> bool {
    match language {
        Language::Spot => rest.starts_with("|->") || rest.starts_with("|=>"),
        Language::Spin | Language::Isonomy => false,
    }
}

/// What Spot can read and we do not.
fn refused(reader: &Reader<'_>) -> Option<Diagnostic> {
    if reader.language != Language::Spot {
        return None;
    }
    let at = reader.at;
    if reader.rest().starts_with('Ⓧ') {
        return Some(spot::strong_next(at..at + 'Ⓧ'.len_utf8()));
    }
    let start = PSL.iter().find(|start| reader.rest().starts_with(**start))?;
    Some(no_psl(at..at + start.len()))
}

pub(super) fn no_psl(span: impl Into<Span>) -> Diagnostic {
    Diagnostic::error(span, "PSL is not supported")
        .help("formulas are LTL: group by ( ), and write sequences with X and U")
}

/// A parenthesis that is open at the end of the text.
pub(super) fn unclosed(end: usize, opening: Span, closer: char) -> Diagnostic {
    let what = if closer == '}' { "brace" } else { "parenthesis" };
    Diagnostic::error(Span::at(end), format!("unclosed {what}: expected an operator or `{closer}`"))
        .related(opening, "opened here")
}

/// A closing parenthesis that closes nothing.
pub(super) fn unopened(at: usize, closer: char) -> Diagnostic {
    Diagnostic::error(at..at + 1, format!("this `{closer}` closes nothing"))
}

/// A closing parenthesis of the wrong kind.
pub(super) fn wrong_closer(at: usize, opening: Span, wanted: char) -> Diagnostic {
    Diagnostic::error(at..at + 1, format!("expected an operator or `{wanted}`"))
        .related(opening, "opened here")
}

/// The place of the next token, as a person sees it: a word, a sign, or one character.
pub(super) fn token(reader: &Reader<'_>) -> Span {
    let rest = reader.rest();
    let signs = ["-->", "==>", "~>"].into_iter().chain(COMPARISONS);
    let mut signs = signs.filter(|sign| rest.starts_with(sign)).map(str::len);
    let operator = || operators::binary(reader.language, rest).map(|(spelling, _)| spelling.len());
    let length = match word(rest).len() {
        0 => operator()
            .or_else(|| signs.next())
            .or_else(|| rest.chars().next().map(char::len_utf8))
            .unwrap_or(0),
        length => length,
    };
    Span { start: reader.at, end: reader.at + length }
}

/// The word at the start of a text, perhaps empty.
fn word(rest: &str) -> &str {
    &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
}

/// The first character, if no language knows it.
fn unknown(rest: &str) -> Option<char> {
    let first = rest.chars().next()?;
    let known = is_word(first) || "()[]{}<>=!&|-+*/\\^~@\"'.,;:".contains(first);
    let known = known || operators::binary(Language::Spot, rest).is_some();
    (!known && operators::prefix(Language::Spot, rest).is_none()).then_some(first)
}
