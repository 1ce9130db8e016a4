//! Files in other languages that are given as models.
//!
//! Instead of a hundred errors about a file that was never meant to be a model, one error names the
//! language. It only replaces other errors: a text that can be parsed is a model, whatever it looks like.

use ltl::{Diagnostic, Span};

/// A language, words with which lines of it start, and the page about coming from it.
struct Foreign {
    name: &'static str,
    starts: &'static [&'static str],
    page: Option<&'static str>,
}

/// The first that fits. Each word is none that an item of a model starts with.
const LANGUAGES: [Foreign; 4] = [
    Foreign {
        name: "a PlusCal algorithm",
        starts: &[
            "--algorithm",
            "--fair algorithm",
            "(* --algorithm",
            "(*--algorithm",
            "(* --fair algorithm",
        ],
        page: Some("docs/from/tla.md"),
    },
    Foreign {
        name: "a TLA+ module",
        starts: &["---- MODULE", "EXTENDS ", "VARIABLES ", "CONSTANTS "],
        page: Some("docs/from/tla.md"),
    },
    Foreign {
        name: "a Promela model",
        starts: &[
            "proctype ",
            "active proctype",
            "active [",
            "mtype",
            "chan ",
            "init {",
            "never {",
            "inline ",
        ],
        page: Some("docs/from/spin.md"),
    },
    Foreign {
        name: "an SMV model",
        starts: &["MODULE ", "ASSIGN", "LTLSPEC ", "CTLSPEC ", "INVARSPEC "],
        page: None,
    },
];

/// The message about a text with these errors, if it is in a language that is known.
pub(crate) fn recognised(text: &str, errors: &[Diagnostic]) -> Option<Diagnostic> {
    if errors.is_empty() {
        return None;
    }
    let (language, line) = LANGUAGES.iter().find_map(|one| Some((one, one.line(text)?)))?;
    let wrong = Diagnostic::error(line, format!("this looks like {}", language.name));
    Some(wrong.help(match language.page {
        Some(page) => format!("models are written in another language: see {page}"),
        None => "models are written in another language: see docs/language.md".to_owned(),
    }))
}

impl Foreign {
    /// The first line that shows the language, without blanks around it.
    fn line(&self, text: &str) -> Option<Span> {
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let start = offset + (line.len() - line.trim_start().len());
            offset += line.len();
            let line = line.trim();
            // The line of a module starts with any number of dashes.
            let dashes = line.trim_start_matches('-');
            let is_module =
                line.len() - dashes.len() >= 4 && dashes.trim_start().starts_with("MODULE");
            let fits = |first: &&str| match *first {
                "---- MODULE" => is_module,
                first => line.starts_with(first),
            };
            if self.starts.iter().any(fits) {
                return Some(Span { start, end: start + line.len() });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_recognised_by_their_lines() {
        let wrong = [Diagnostic::error(0..1, "wrong")];
        for (text, expected) in [
            ("byte x;\nactive proctype P() { x++ }\n", Some((8, "a Promela model"))),
            ("#define N 3\n  init { run A() }", Some((14, "a Promela model"))),
            ("------ MODULE Lock ------\nEXTENDS Naturals\n====", Some((0, "a TLA+ module"))),
            ("---- MODULE A ----\n(* --algorithm A\n*)", Some((19, "a PlusCal algorithm"))),
            ("-- comment\nMODULE main\nVAR x : boolean;", Some((11, "an SMV model"))),
            ("-- MODULE of the lock\nvar x: bool;", None),
            ("var x: boolean", None),
            ("", None),
        ] {
            let found = recognised(text, &wrong);
            let found = found.map(|found| (found.span.start, found.message));
            let expected = expected.map(|(at, name)| (at, format!("this looks like {name}")));
            assert_eq!(found, expected, "{text}");
            assert_eq!(recognised(text, &[]).map(|found| found.message), None, "{text}");
        }
    }
}
