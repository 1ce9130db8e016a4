//! Results as every command knows them: of which kind they are, their verdicts, how they are written.

use super::choices::Format;
use super::console::Console;
use super::describe::property_kind;
use super::error::Error;
use super::exit::Exit;
use super::writing::{LongParts, Sheet, Writing};
use model::syntax::PropertyKind;
use serde::{Serialize, Serializer};
use std::fs::File;
use std::io::Write as _;
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

/// Prints results in the format that was asked for: a text, or a JSON object on a line.
pub(crate) fn print<J: Serialize>(
    console: &mut Console,
    writing: &Writing,
    format: Format,
    text: impl FnOnce(&mut Sheet<'_>),
    json: impl FnOnce(&mut LongParts<'_>) -> J,
) -> Result<(), Error> {
    match format {
        Format::Text => {
            let mut sheet = Sheet::new(console, writing);
            text(&mut sheet);
            sheet.finish()
        }
        Format::Json => {
            let mut parts = LongParts::new(writing);
            let json = json(&mut parts);
            parts.print(&json, console)
        }
        Format::Mcc => Err(Error::usage("`--format mcc` is for Petri nets")
            .help("say `--format text` or `--format json`")),
    }
}

/// The exit of a run some of whose results may not have been written: what went wrong is said.
pub(crate) fn unless_written(exit: Exit, written: Result<(), Error>, console: &Console) -> Exit {
    match written {
        Ok(()) => exit,
        Err(error) => {
            console.complain(&error);
            exit.and(error.exit())
        }
    }
}

/// Writes a text to a file.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    write_pieces(file, &[text])
}

/// Writes the pieces of a text to a file.
pub(crate) fn write_pieces(file: &Path, pieces: &[impl AsRef<str>]) -> Result<(), Error> {
    let written = File::create(file).and_then(|mut file| {
        pieces.iter().try_for_each(|piece| file.write_all(piece.as_ref().as_bytes()))
    });
    written.map_err(|error| Error::File {
        action: "write",
        name: file.display().to_string(),
        error,
    })
}
