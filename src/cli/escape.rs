//! Text for people: characters that cannot be seen are shown by their numbers.
//!
//! Names, formulas, paths and values come out of files and arguments. Printed as they are, control
//! characters in them could move the cursor or rewrite what stands on the screen, and format
//! characters could reorder or hide it. So all text passes through [`escaped`] before it is printed,
//! in one place, the [`Console`](super::console::Console).
//!
//! Our own colours must get through. They are written with a [`mark`] in place of the escape
//! character, which no input can contain because it is drawn at random for each process.

use run::source::is_unprintable;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;

/// The text with `\u{1b}` for each character that cannot be seen. Line ends and tabs remain.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A name on one line: also line ends and tabs are escaped.
pub(crate) fn on_one_line(name: &str) -> String {
    escaped(name).replace('\n', "\\n").replace('\t', "\\t")
}

/// The same JSON with an escape sequence for each character that cannot be seen. What it means is
/// the same: such characters occur in strings only.
pub(crate) fn escaped_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// JSON in whose strings each character that cannot be seen is replaced by the text that shows it:
/// for data that are displayed.
pub(crate) fn shown_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(|c| c == '\\' || is_escaped(c)) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = first(rest);
        match c {
            Some(c) if is_escaped(c) => {
                let _ = write!(out, "\\\\u{{{:x}}}", c as u32);
            }
            _ => out.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    out + rest
}

/// The character at the start of a part of JSON, an escape sequence or not, and the length of what
/// stands for it. (A half of a surrogate pair is no character by itself, and none that is escaped.)
fn first(json: &str) -> (Option<char>, usize) {
    let mut chars = json.chars();
    let c = chars.next().expect("there is a character");
    if c != '\\' {
        return (Some(c), c.len_utf8());
    }
    match chars.next() {
        Some('u') => {
            let digits = json.get(2..6);
            let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            (number.and_then(char::from_u32), if digits.is_some() { 6 } else { 2 })
        }
        Some('b') => (Some('\u{8}'), 2),
        Some('f') => (Some('\u{c}'), 2),
        Some('r') => (Some('\r'), 2),
        Some(c) => (None, 1 + c.len_utf8()),
        None => (None, 1),
    }
}

/// Control characters, and format characters that could reorder or hide what a terminal shows.
pub(crate) fn is_escaped(c: char) -> bool {
    c != '\n' && c != '\t' && is_unprintable(c)
}

/// A message with underlined source lines, in which nothing hidden remains: other characters of one cell
/// stand for what is left, so that carets remain nearly where they are. (Most such characters are
/// replaced when the message is made.)
pub(crate) fn drawn(rendered: &str) -> Cow<'_, str> {
    let is_left = |c: char| is_escaped(c) && c != '\x1b';
    if rendered.contains(is_left) {
        rendered.replace(is_left, "\u{fffd}").into()
    } else {
        rendered.into()
    }
}

/// What stands for the escape character of our own colours until they are printed.
pub(crate) fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let random = RandomState::new();
        format!("\u{fdd0}{:016x}{:016x}\u{fdd1}", random.hash_one(0), random.hash_one(1))
    })
}

/// Text that has colours and in which nothing else needs to be escaped, as text that is not printed
/// yet.
pub(crate) fn marked(coloured: &str) -> String {
    drawn(coloured).replace('\x1b', mark())
}

/// The text to print: escaped, with its colours.
pub(crate) fn printable(text: &str) -> String {
    escaped(text).replace(mark(), "\x1b")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_remains() {
        let all = (0..=0x10_ffff).filter_map(char::from_u32);
        for c in all.filter(|&c| is_escaped(c)) {
            let text = format!("a{c}b");
            let shown = escaped(&text);
            assert!(shown.starts_with('a') && shown.ends_with('b'), "{shown}");
            assert!(shown.chars().all(|c| (' '..='~').contains(&c)), "{shown}");
            assert_eq!(escaped(&shown), shown, "escaping again changes nothing");
            // JSON means the same, and is shown as text is.
            let json = serde_json::to_string(&text).expect("a string");
            let read = |json: &str| -> String { serde_json::from_str(json).expect("JSON") };
            assert_eq!(read(&escaped_json(&json)), text);
            assert!(!escaped_json(&json).contains(is_escaped));
            assert_eq!(read(&shown_json(&json)), shown.replace("\\r", "\\u{d}"));
        }
    }

    #[test]
    fn what_can_be_seen_remains() {
        let text = "läuft:\n\tst[c] = 日本 ⇒ “x” \\u{1b} \\ \u{1f600}";
        assert_eq!(escaped(text), text);
        let json = serde_json::to_string(text).expect("a string");
        assert_eq!(escaped_json(&json), json);
        assert_eq!(shown_json(&json), json);
        for json in ["", "\\", "\\u", "\\u12", "\\ud83d\\ude00", "\"\\\\u001b\\\"\""] {
            assert_eq!(shown_json(json), json);
        }
        assert_eq!(on_one_line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    }

    #[test]
    fn colours_get_through_and_nothing_else() {
        let text = format!("{}[1mname\x1b[31m{0}[0m", mark());
        assert_eq!(printable(&text), "\x1b[1mname\\u{1b}[31m\x1b[0m");
        assert_eq!(printable(&marked("\x1b[1mname\x1b[0m")), "\x1b[1mname\x1b[0m");
    }
}
