//! Messages for programs: `--message-format json`.
//!
//! One object on a line of standard error for each message that people would read there, with the
//! same words and the same places: a [`Place`] is where the text form points at. Lines and columns count
//! from 1, and columns count characters; offsets count bytes, from 0, of the file as it is. What is
//! printed is described for other programs by `fixtures/schema/message.schema.json`.

use super::error::Error;
use super::input::{Origin, Text};
use super::results::ResultKind;
use clap::ValueEnum;
use ltl::{Diagnostic, Sources};
use serde::Serialize;

/// `--message-format`
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum MessageFormat {
    /// For people, with the source lines underlined
    #[default]
    Text,
    /// For editors: a JSON object on a line for each message
    Json,
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Error,
    Warning,
    Note,
}

/// What kind of message it is. Words of messages may change, these do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// The request makes no sense.
    Usage,
    /// A file cannot be used.
    File,
    /// About a text that was read: a model, a formula, an automaton, a file of results.
    Input,
    /// A property of the model does not hold.
    Violated,
    /// The model does what it must not do, as a division by zero.
    RuntimeError,
    /// What was replayed is not a counterexample.
    NotValid,
    /// There is no answer: a limit was reached.
    Stopped,
    /// A bug of ours.
    Internal,
    /// What a reader of the results should know.
    Advice,
    /// A line that the model printed by `put`.
    Printed,
}

impl Kind {
    /// Of the message about a result that is a violation.
    pub(crate) fn of_result(kind: ResultKind) -> Kind {
        match kind {
            ResultKind::RuntimeError => Kind::RuntimeError,
            ResultKind::Ltl | ResultKind::State(_) | ResultKind::Deadlock => Kind::Violated,
        }
    }
}

/// A message.
#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    schema: u32,
    severity: Severity,
    kind: Kind,
    #[serde(rename = "message")]
    words: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    /// Other places that matter.
    labels: Vec<Label<'a>>,
    help: Option<&'a str>,
}

/// What a message is about, as far as it is about a text.
#[derive(Debug, Default, Serialize)]
struct Place<'a> {
    /// What the text form calls it.
    name: Option<String>,
    /// The file as it was named, so that `-` is standard input.
    file: Option<&'a str>,
    /// The text itself, if it was given on the command line.
    source: Option<&'a str>,
    span: Option<Span>,
}

#[derive(Debug, Serialize)]
struct Label<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Span {
    start: Position,
    /// Behind the last character.
    end: Position,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Position {
    line: usize,
    column: usize,
    offset: usize,
}

/// One of several things that a command does in turn.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    /// The text of this one, or of all.
    pub(crate) text: &'a Text,
    /// The number, from 0, among the automata of the text.
    pub(crate) nth: Option<usize>,
}

impl Item<'_> {
    /// As the text form calls it.
    pub(crate) fn name(self) -> String {
        match self.nth {
            None => format!("{}:{}", self.text.name, self.text.line),
            Some(nth) => format!("{}: automaton {}", self.text.name, nth + 1),
        }
    }
}

impl<'a> Message<'a> {
    /// About no place.
    fn new(severity: Severity, kind: Kind, words: &'a str) -> Self {
        let place = Place::default();
        Message { schema: 1, severity, kind, words, place, labels: Vec::new(), help: None }
    }

    /// About one of several texts, which stand in one row of offsets.
    pub(crate) fn about(kind: Kind, texts: &[&'a Text], diagnostic: &'a Diagnostic) -> Self {
        let severity = match diagnostic.severity {
            ltl::source::Severity::Error | ltl::source::Severity::Violated => Severity::Error,
            ltl::source::Severity::Warning => Severity::Warning,
        };
        let row = row(texts);
        let place = |span| {
            let (text, span) = row.find(span);
            Place::of(text, span)
        };
        let related = diagnostic.related.iter();
        let labels = related.map(|(span, note)| Label { message: note, place: place(*span) });
        Message {
            place: place(diagnostic.span),
            labels: labels.collect(),
            help: diagnostic.help.as_deref(),
            ..Message::new(severity, kind, &diagnostic.message)
        }
    }

    /// Why a command ended early, or has no result for one item; `headline` is [`Error::headline`].
    pub(crate) fn complaint(error: &'a Error, headline: &'a str, item: Option<Item<'a>>) -> Self {
        let kind = error.kind();
        let severity = if kind == Kind::Stopped { Severity::Warning } else { Severity::Error };
        let place = match (item, error) {
            (Some(item), _) => {
                let whole = ltl::Span { start: 0, end: item.text.content.len() };
                let place = Place::of(item.text, whole);
                let span = place.span.filter(|_| item.nth.is_none());
                Place { name: Some(item.name()), span, ..place }
            }
            (None, Error::File { name, .. }) => {
                Place { name: Some(name.clone()), file: Some(name), ..Place::default() }
            }
            _ => Place::default(),
        };
        Message { place, help: error.advice(), ..Message::new(severity, kind, headline) }
    }

    /// A line for the reader of the results.
    pub(crate) fn note(kind: Kind, message: &'a str) -> Self {
        Message::new(Severity::Note, kind, message)
    }

    /// Something is not as the user asked for.
    pub(crate) fn warning(kind: Kind, message: &'a str) -> Self {
        Message::new(Severity::Warning, kind, message)
    }

    /// A command line that could not be read, as clap words it: the error is the first paragraph,
    /// behind a word that says so; the rest is advice.
    pub(crate) fn usage(rendered: &'a str) -> Self {
        let (message, help) = rendered.split_once("\n\n").unwrap_or((rendered, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message).trim_end();
        let help = Some(help.trim()).filter(|help| !help.is_empty());
        Message { help, ..Message::new(Severity::Error, Kind::Usage, message) }
    }

    /// On one line.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and lists are JSON")
    }
}

impl<'a> Place<'a> {
    fn of(text: &'a Text, span: ltl::Span) -> Self {
        let source = text.source();
        let position = |offset: usize| {
            let (line, column) = source.position(offset);
            Position { line, column, offset: text.offset + offset.min(text.content.len()) }
        };
        let is_argument = text.origin == Origin::Argument;
        Place {
            name: Some(text.name.clone()),
            file: match text.origin {
                Origin::File => Some(&text.name),
                Origin::StandardInput => Some("-"),
                Origin::Argument => None,
            },
            source: is_argument.then_some(&*text.content),
            span: Some(Span { start: position(span.start), end: position(span.end) }),
        }
    }
}

/// Several texts in one row of offsets, as diagnostics about one of them need it.
pub(crate) struct Row<'a> {
    /// The texts as they were read: for one that was put together, its files.
    texts: Vec<&'a Text>,
    pub(crate) sources: Sources<'a>,
}

/// These texts in a row.
pub(crate) fn row<'a>(texts: &[&'a Text]) -> Row<'a> {
    let mut row = Row { texts: Vec::new(), sources: Sources::default() };
    for &text in texts {
        if let Some(joined) = &text.joined {
            let sources: Vec<_> = joined.files.iter().map(Text::source).collect();
            row.sources.push_pieces(&sources, &joined.pieces, text.content.len());
            row.texts.extend(&joined.files);
        } else {
            row.sources.push(text.source());
            row.texts.push(text);
        }
    }
    row
}

impl<'a> Row<'a> {
    /// The text that a place belongs to, and the place in that text.
    pub(crate) fn find(&self, span: ltl::Span) -> (&'a Text, ltl::Span) {
        let (number, span) = self.sources.find(span);
        (self.texts[number], span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parsed(message: &Message<'_>) -> Value {
        serde_json::from_str(&message.json()).expect("JSON")
    }

    fn position(line: usize, column: usize, offset: usize) -> Value {
        json!({ "line": line, "column": column, "offset": offset })
    }

    #[test]
    fn places_are_in_the_text_that_they_belong_to() {
        let model = Text::argument("m.m", "var x;\n-- é\nvar y");
        let model = Text { origin: Origin::File, offset: 3, ..model };
        let formula = Text::argument("formula", "G \u{65e5}");
        let start = model.content.len() + 1;
        let wrong = Diagnostic::error(start + 2..start + 5, "bad").help("better");
        let wrong = wrong.related(10..13, "see");
        let found = parsed(&Message::about(Kind::Input, &[&model, &formula], &wrong));
        assert_eq!(
            found,
            json!({
                "schema": 1, "severity": "error", "kind": "input", "message": "bad",
                "name": "formula", "file": null, "source": "G 日",
                "span": { "start": position(1, 3, 2), "end": position(1, 4, 5) },
                "labels": [{
                    "message": "see", "name": "m.m", "file": "m.m", "source": null,
                    "span": { "start": position(2, 4, 13), "end": position(3, 1, 16) },
                }],
                "help": "better",
            })
        );
    }

    #[test]
    fn usage_is_a_sentence_and_advice() {
        let cases = [
            ("error: no\n\nUsage: yes\n\nFor more\n", "no", Some("Usage: yes\n\nFor more")),
            ("error: no\n  [possible values: a]\n\n", "no\n  [possible values: a]", None),
            ("no", "no", None),
        ];
        for (rendered, message, help) in cases {
            let found = Message::usage(rendered);
            assert_eq!((found.words, found.help), (message, help), "{rendered}");
        }
    }
}
