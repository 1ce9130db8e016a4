//! Texts from files and standard input.
//!
//! A file of formulas is read line by line, so that a result can be printed before the next formula
//! is written at the other end of a pipe. Text must be UTF-8; a byte order mark and carriage
//! returns at line ends are dropped. What is longer than any text that makes sense is refused while
//! it is read: naming `/dev/zero` by mistake gives a message, and does not fill the memory.

use super::budget::Budget;
use super::error::Error;
use super::include::Joined;
use super::interrupt::Interrupt;
use ltl::{Diagnostic, Source};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

/// A text to be read, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// A file's path, `standard input`, or `formula`.
    pub(crate) name: String,
    /// What the name is the name of.
    pub(crate) origin: Origin,
    /// The number of its first line in the file.
    pub(crate) line: usize,
    /// The number of bytes before it in the file.
    pub(crate) offset: usize,
    /// Without its line end, if it is a line.
    pub(crate) content: String,
    /// Set if the bytes were not UTF-8; then `content` is an approximation, for the message.
    pub(crate) fault: Option<Diagnostic>,
    /// The files that it was put together from; none if it is one.
    pub(crate) joined: Option<Box<Joined>>,
}

/// Where a text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    File,
    StandardInput,
    /// It was given on the command line.
    Argument,
}

impl Text {
    /// Given on the command line.
    pub(crate) fn argument(name: &str, text: &str) -> Self {
        Text {
            name: name.to_owned(),
            origin: Origin::Argument,
            line: 1,
            offset: 0,
            content: text.to_owned(),
            fault: None,
            joined: None,
        }
    }

    /// As messages about it need it, unless it was put together: see [`row`](super::message::row).
    pub(crate) fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: &self.content, first_line: self.line }
    }
}

/// U+FEFF, which some editors put first.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of a line at most; formulas are not printed longer than this either.
const LONGEST_LINE: u64 = 16 << 20;
/// Bytes of a file that is read as a whole at most.
const LARGEST_FILE: u64 = 512 << 20;

/// A file, or standard input as `-`.
pub(crate) struct Input {
    name: String,
    origin: Origin,
    reader: Box<dyn BufRead>,
    /// How many lines were read.
    lines: usize,
    /// How many bytes were read.
    offset: usize,
    /// How many bytes there are, if that is known.
    size: u64,
}

impl Input {
    /// Opens a file. Opening a named pipe waits for its writer.
    pub(crate) fn open(path: &Path, interrupt: &Interrupt) -> Result<Self, Error> {
        if path == Path::new("-") {
            let (name, reader) = ("standard input".to_owned(), Box::new(io::stdin().lock()));
            return Ok(Input::of(name, Origin::StandardInput, reader));
        }
        Input::open_file(path, interrupt)
    }

    /// Opens a file, also one that is called `-`.
    pub(crate) fn open_file(path: &Path, interrupt: &Interrupt) -> Result<Self, Error> {
        let name = path.display().to_string();
        match interrupt.waiting(|| File::open(path))? {
            Ok(file) => {
                let size = file.metadata().map_or(0, |file| file.len());
                Ok(Input { size, ..Input::of(name, Origin::File, Box::new(BufReader::new(file))) })
            }
            Err(error) => Err(Error::File { action: "read", name, error }),
        }
    }

    fn of(name: String, origin: Origin, reader: Box<dyn BufRead>) -> Self {
        Input { name, origin, reader, lines: 0, offset: 0, size: 0 }
    }

    /// The whole text.
    pub(crate) fn read(mut self, interrupt: &Interrupt) -> Result<Text, Error> {
        let mut bytes = Vec::new();
        let mut reader = self.reader.by_ref().take(LARGEST_FILE + 1);
        let outcome = interrupt.waiting(|| reader.read_to_end(&mut bytes))?;
        outcome.map_err(|error| self.fault(error))?;
        self.whole(bytes)
    }

    /// The whole text, unless it reaches a limit of the run.
    pub(crate) fn read_within(mut self, budget: &Budget) -> Result<Text, Error> {
        /// Bytes that are read at once.
        const PIECE: u64 = 1 << 20;
        let watch = budget.watch();
        let mut bytes = Vec::new();
        let wanted = self.size.min(LARGEST_FILE);
        watch.over(|| run::memory::ask_for(wanted as usize))??;
        // If there is no room for all of it at once, there is none later either.
        let _ = bytes.try_reserve_exact(wanted as usize);
        while bytes.len() as u64 <= LARGEST_FILE {
            budget.check()?;
            let mut reader = self.reader.by_ref().take(PIECE);
            let outcome = budget.interrupt().waiting(|| reader.read_to_end(&mut bytes))?;
            if outcome.map_err(|error| self.fault(error))? == 0 {
                break;
            }
        }
        self.whole(bytes)
    }

    /// The text that consists of these bytes.
    fn whole(mut self, mut bytes: Vec<u8>) -> Result<Text, Error> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(self.fault(too_long("it", LARGEST_FILE)));
        }
        self.lines = 1;
        self.drop_byte_order_mark(&mut bytes);
        Ok(self.decode(bytes))
    }

    /// The next line that is not blank; `None` at the end.
    pub(crate) fn next_line(&mut self, interrupt: &Interrupt) -> Result<Option<Text>, Error> {
        loop {
            let mut bytes = Vec::new();
            let mut reader = self.reader.by_ref().take(LONGEST_LINE + 1);
            let outcome = interrupt.waiting(|| reader.read_until(b'\n', &mut bytes))?;
            if outcome.map_err(|error| self.fault(error))? == 0 {
                return Ok(None);
            }
            self.lines += 1;
            let length = bytes.len();
            if length as u64 > LONGEST_LINE {
                let line = format!("line {}", self.lines);
                return Err(self.fault(too_long(&line, LONGEST_LINE)));
            }
            let start = self.offset;
            if self.lines == 1 {
                self.drop_byte_order_mark(&mut bytes);
            }
            for end in *b"\n\r" {
                if bytes.last() == Some(&end) {
                    bytes.pop();
                }
            }
            let text = (!bytes.trim_ascii().is_empty()).then(|| self.decode(bytes));
            self.offset = start + length;
            if text.is_some() {
                return Ok(text);
            }
        }
    }

    /// These bytes, which start where the input stands, as text.
    fn decode(&self, bytes: Vec<u8>) -> Text {
        let (content, fault) = match String::from_utf8(bytes) {
            Ok(content) => (content, None),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let message = format!("not UTF-8 text: byte 0x{:02x}", error.as_bytes()[start]);
                let content = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let span = start..start + char::REPLACEMENT_CHARACTER.len_utf8();
                (content, Some(Diagnostic::error(span, message)))
            }
        };
        let Input { name, origin, lines, offset, .. } = self;
        let (name, origin, line, offset) = (name.clone(), *origin, *lines, *offset);
        Text { name, origin, line, offset, content, fault, joined: None }
    }

    fn drop_byte_order_mark(&mut self, bytes: &mut Vec<u8>) {
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
            self.offset += BYTE_ORDER_MARK.len();
        }
    }

    fn fault(&self, error: io::Error) -> Error {
        let (action, name) = ("read", self.name.clone());
        match self.origin {
            Origin::File => Error::File { action, name, error },
            Origin::StandardInput | Origin::Argument => Error::System { action, name, error },
        }
    }
}

fn too_long(what: &str, limit: u64) -> io::Error {
    io::Error::other(format!("{what} is longer than {} MiB", limit >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_blank_ones_skipped() {
        let bytes = b"\xef\xbb\xbfa\r\n\n \t\r\nb & \xff\xc3(\nc";
        let reader: Box<dyn BufRead> = Box::new(&bytes[..]);
        let mut input = Input::of("f".to_owned(), Origin::File, reader);
        let interrupt = Interrupt::watch();
        let mut lines = Vec::new();
        while let Some(Text { line, offset, content, fault, .. }) =
            input.next_line(&interrupt).expect("text")
        {
            lines.push((line, offset, content, fault.map(|fault| (fault.message, fault.span))));
        }
        let fault = ("not UTF-8 text: byte 0xff".to_owned(), (4..7).into());
        assert_eq!(
            lines,
            [
                (1, 3, "a".to_owned(), None),
                (4, 11, "b & \u{fffd}\u{fffd}(".to_owned(), Some(fault)),
                (5, 19, "c".to_owned(), None)
            ]
        );
    }
}
