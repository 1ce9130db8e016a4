//! Results as every command knows them: of which kind they are, their verdicts, how they are written.

use super::choices::Format;
use super::describe::property_kind;
use super::error::Error;
use model::syntax::PropertyKind;
use serde::{Serialize, Serializer};
use std::fs;
use std::path::Path;

/// The kinds of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultKind {
    /// A temporal formula.
    Ltl,
    /// A property of states.
    State(PropertyKind),
    /// A deadlock.
    Deadlock,
    /// Something that cannot be executed or evaluated.
    RuntimeError,
}

impl ResultKind {
    /// All of them. An assumption has no result.
    pub(crate) const ALL: [ResultKind; 7] = [
        ResultKind::Ltl,
        ResultKind::State(PropertyKind::Invariant),
        ResultKind::State(PropertyKind::Assert),
        ResultKind::State(PropertyKind::Cover),
        ResultKind::State(PropertyKind::Liveness),
        ResultKind::Deadlock,
        ResultKind::RuntimeError,
    ];

    /// Its name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ResultKind::Ltl => "ltl",
            ResultKind::State(kind) => property_kind(kind),
            ResultKind::Deadlock => "deadlock",
            ResultKind::RuntimeError => "runtime-error",
        }
    }
}

impl Serialize for ResultKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// A verdict in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VerdictWord {
    Holds,
    Violated,
    Unknown,
}

impl VerdictWord {
    /// The word, in JSON as in texts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            VerdictWord::Holds => "holds",
            VerdictWord::Violated => "violated",
            VerdictWord::Unknown => "unknown",
        }
    }
}

impl Serialize for VerdictWord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// Results in the format that was asked for: a text, or a JSON object on a line.
pub(crate) fn written<J: Serialize>(
    format: Format,
    text: impl FnOnce() -> String,
    json: impl FnOnce() -> J,
) -> String {
    match format {
        Format::Text => text(),
        Format::Json => {
            serde_json::to_string(&json()).expect("strings, numbers and lists are JSON") + "\n"
        }
    }
}

/// Writes a text to a file.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    fs::write(file, text).map_err(|error| Error::File {
        action: "write",
        name: file.display().to_string(),
        error,
    })
}
