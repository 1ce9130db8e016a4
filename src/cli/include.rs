//! The text of a model, together with the files that it includes.
//!
//! `include "file";` stands for the text of that file, once, however often it is included. Every file is
//! parsed on its own first, so that an error in one of them is reported there. Then the texts are joined, each
//! in the place where it is included first, with [`FILE_SEPARATOR`]s between them: from there on the model has
//! one text, as if it had been written so.
//!
//! Invariant: the parser reads from the joined text the items that it reads from the files, because no item goes on
//! after a separator; and [`Joined::pieces`] leads each of its offsets back to a file.

use super::console::Console;
use super::error::Error;
use super::input::{Input, Origin, Text};
use super::interrupt::Interrupt;
use super::message::Kind;
use hashbrown::HashMap;
use ltl::{Diagnostic, Piece, Span};
use model::parser::{FILE_SEPARATOR, NESTING_LIMIT, Parsed, parse};
use model::syntax::{Include, Item};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The files of a text that was put together.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    /// The files; the one that was named on the command line is the first.
    pub(crate) files: Vec<Text>,
    /// Where each piece of the text comes from.
    pub(crate) pieces: Vec<Piece>,
}

/// Puts the files that a text includes into it. A text that includes nothing stays as it is. Standard input
/// includes files of `directory`.
pub(crate) fn included(
    text: Text,
    directory: Option<&Path>,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Text, Error> {
    if directory.is_some() && text.origin != Origin::StandardInput {
        return Err(Error::usage("`--include-dir` is for a model from standard input")
            .help("a file includes files by paths relative to its own directory"));
    }
    if !may_include(&text) {
        return Ok(text);
    }
    let path = PathBuf::from(&text.name);
    let is_file = text.origin == Origin::File;
    let directory = match directory {
        None if is_file => Some(path.parent().unwrap_or(Path::new("")).to_owned()),
        other => other.map(Path::to_owned),
    };
    let mut joining = Joining {
        files: Vec::new(),
        content: String::new(),
        pieces: Vec::new(),
        known: HashMap::new(),
        open: Vec::new(),
        errors: Vec::new(),
        interrupt,
    };
    let same = is_file.then(|| fs::canonicalize(&path).ok()).flatten();
    joining.file(text, same, directory)?;
    let Joining { mut files, content, pieces, errors, .. } = joining;
    if pieces.len() == 1 {
        // It only has the word. Its errors are reported with those of names.
        return Ok(files.remove(0));
    }
    if !errors.is_empty() {
        let texts: Vec<&Text> = files.iter().collect();
        for error in &errors {
            console.diagnose_among(Kind::Input, &texts, error);
        }
        return Err(Error::Diagnosed);
    }
    let first = files[0].clone();
    Ok(Text { content, joined: Some(Box::new(Joined { files, pieces })), ..first })
}

/// Whether the word is in the text. If not, it need not be parsed here.
fn may_include(text: &Text) -> bool {
    const WORD: &[u8] = b"include";
    let is_word = |window: &[u8]| window.eq_ignore_ascii_case(WORD);
    text.fault.is_none() && text.content.as_bytes().windows(WORD.len()).any(is_word)
}

/// The texts so far.
struct Joining<'i> {
    /// All files that have been read, in the order in which they were met.
    files: Vec<Text>,
    content: String,
    pieces: Vec<Piece>,
    /// The number of each file, by its canonical path.
    known: HashMap<PathBuf, usize>,
    /// The files that are being read, outermost first: each is included by the one before.
    open: Vec<Opened>,
    /// Errors, with places in the row of `files`.
    errors: Vec<Diagnostic>,
    interrupt: &'i Interrupt,
}

/// A file that is being read.
struct Opened {
    /// Its number.
    file: usize,
    /// The offset of its text in the row of files.
    offset: usize,
    /// The directory that its paths are relative to; none for standard input.
    directory: Option<PathBuf>,
    /// The `include` that is being looked at, in the row of files.
    include: Span,
}

impl Joining<'_> {
    /// Adds a file with all that it includes; `same` is its canonical path.
    fn file(
        &mut self,
        text: Text,
        same: Option<PathBuf>,
        directory: Option<PathBuf>,
    ) -> Result<(), Error> {
        let number = self.files.len();
        let offset: usize = self.files.iter().map(|file| file.content.len() + 1).sum();
        self.known.extend(same.map(|same| (same, number)));
        let Parsed { model, errors } = parse(&text.content);
        let errors = text.fault.clone().map_or(errors, |fault| vec![fault]);
        self.errors.extend(errors.into_iter().map(|error| error.moved(offset.cast_signed())));
        let end = text.content.len();
        self.files.push(text);
        self.open.push(Opened { file: number, offset, directory, include: Span::at(offset) });
        let mut at = 0;
        for item in &model.items {
            let Item::Include(include) = item else { continue };
            let place: Span = include.place.into();
            self.piece(number, at..place.start);
            at = place.end;
            self.include(include)?;
        }
        self.piece(number, at..end);
        self.open.pop();
        Ok(())
    }

    /// Appends a piece of a file, and a separator on a line of its own: the piece may end with a comment.
    fn piece(&mut self, file: usize, range: Range<usize>) {
        self.pieces.push(Piece { start: self.content.len(), source: file, from: range.start });
        self.content.push_str(&self.files[file].content[range]);
        self.content.push('\n');
        self.content.push_str(FILE_SEPARATOR);
        self.content.push('\n');
    }

    /// Adds what the innermost file includes.
    fn include(&mut self, include: &Include) -> Result<(), Error> {
        let depth = self.open.len();
        let opened = self.open.last_mut().expect("a file is being read");
        let by = opened.offset;
        let moved = |Span { start, end }: Span| Span { start: start + by, end: end + by };
        opened.include = moved(include.place.into());
        let wrong = |message: String| Diagnostic::error(moved(include.path.place.into()), message);
        let Some(directory) = &opened.directory else {
            let error = wrong("standard input cannot include a file".to_owned());
            let help = "say with `--include-dir DIR` in which directory the file is";
            self.errors.push(error.help(help));
            return Ok(());
        };
        let path = directory.join(&include.path.text);
        let same = fs::canonicalize(&path).ok();
        let known = same.as_ref().and_then(|same| self.known.get(same));
        if let Some(&number) = known {
            if let Some(outer) = self.open.iter().position(|one| one.file == number) {
                let error = wrong(format!("`{}` includes itself", self.files[number].name));
                let error = self.along(error, &self.open[outer..]);
                self.errors.push(error.help("put what both files need into a third one"));
            }
            return Ok(());
        }
        if depth > NESTING_LIMIT as usize {
            let message = format!("files are nested more than {NESTING_LIMIT} levels deep");
            self.errors.push(wrong(message));
            return Ok(());
        }
        let read = Input::open_file(&path, self.interrupt);
        match read.and_then(|input| input.read(self.interrupt)) {
            Ok(text) => {
                let directory = path.parent().map(Path::to_owned);
                self.file(text, same, directory)
            }
            Err(error @ Error::File { .. }) => {
                let error = self.along(wrong(error.headline()), &self.open);
                let help = "the path is relative to the directory of the file that includes it";
                self.errors.push(error.help(help));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// The error, with the places where each of these files includes the next one.
    fn along(&self, error: Diagnostic, open: &[Opened]) -> Diagnostic {
        open.windows(2).fold(error, |error, pair| {
            let name = &self.files[pair[1].file].name;
            error.related(pair[0].include, format!("`{name}` is included here"))
        })
    }
}
