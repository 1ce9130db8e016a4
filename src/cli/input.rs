//! Texts from files and standard input.
//!
//! A file of formulas is read line by line, so that a result can be printed before the next formula
//! is written at the other end of a pipe. Text must be UTF-8; a byte order mark and carriage
//! returns at line ends are dropped. What is longer than any text that makes sense is refused while
//! it is read: who names `/dev/zero` by mistake gets a message, and keeps the memory.

use super::error::Error;
use super::interrupt::Interrupt;
use ltl::{Diagnostic, Source};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

/// A text to be read, and where it stands.
#[derive(Clone)]
pub(crate) struct Text {
    /// A file's path, or `formula`.
    pub(crate) name: String,
    /// The number of its first line in the file.
    pub(crate) line: usize,
    /// Without its line end, if it is a line.
    pub(crate) content: String,
    /// Set if the bytes were not UTF-8; then `content` is an approximation, for the message.
    pub(crate) fault: Option<Diagnostic>,
}

impl Text {
    /// Given on the command line.
    pub(crate) fn argument(name: &str, text: &str) -> Self {
        Text { name: name.to_owned(), line: 1, content: text.to_owned(), fault: None }
    }

    /// As messages about it need it.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: &self.content, first_line: self.line }
    }

    fn decode(name: &str, line: usize, bytes: Vec<u8>) -> Self {
        let name = name.to_owned();
        match String::from_utf8(bytes) {
            Ok(content) => Text { name, line, content, fault: None },
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let message = format!("not UTF-8 text: byte 0x{:02x}", error.as_bytes()[start]);
                let content = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let span = start..start + char::REPLACEMENT_CHARACTER.len_utf8();
                Text { name, line, content, fault: Some(Diagnostic::error(span, message)) }
            }
        }
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
    reader: Box<dyn BufRead>,
    /// How many lines were read.
    lines: usize,
}

impl Input {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            let reader = Box::new(io::stdin().lock());
            return Ok(Input { name: "standard input".to_owned(), reader, lines: 0 });
        }
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Ok(Input { name, reader: Box::new(BufReader::new(file)), lines: 0 }),
            Err(error) => Err(Error::File { action: "read", name, error }),
        }
    }

    /// The whole text.
    pub(crate) fn read(mut self, interrupt: &Interrupt) -> Result<Text, Error> {
        let mut bytes = Vec::new();
        let mut reader = self.reader.by_ref().take(LARGEST_FILE + 1);
        let outcome = interrupt.waiting(|| reader.read_to_end(&mut bytes))?;
        outcome.map_err(|error| self.fault(error))?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(self.fault(too_long("it", LARGEST_FILE)));
        }
        drop_byte_order_mark(&mut bytes);
        Ok(Text::decode(&self.name, 1, bytes))
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
            if bytes.len() as u64 > LONGEST_LINE {
                let line = format!("line {}", self.lines);
                return Err(self.fault(too_long(&line, LONGEST_LINE)));
            }
            if self.lines == 1 {
                drop_byte_order_mark(&mut bytes);
            }
            for end in *b"\n\r" {
                if bytes.last() == Some(&end) {
                    bytes.pop();
                }
            }
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some(Text::decode(&self.name, self.lines, bytes)));
            }
        }
    }

    fn fault(&self, error: io::Error) -> Error {
        Error::File { action: "read", name: self.name.clone(), error }
    }
}

fn drop_byte_order_mark(bytes: &mut Vec<u8>) {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
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
        let mut input = Input { name: "f".to_owned(), reader, lines: 0 };
        let interrupt = Interrupt::watch();
        let mut lines = Vec::new();
        while let Some(Text { line, content, fault, .. }) =
            input.next_line(&interrupt).expect("text")
        {
            lines.push((line, content, fault.map(|fault| (fault.message, fault.span))));
        }
        let fault = ("not UTF-8 text: byte 0xff".to_owned(), (4..7).into());
        assert_eq!(
            lines,
            [
                (1, "a".to_owned(), None),
                (4, "b & \u{fffd}\u{fffd}(".to_owned(), Some(fault)),
                (5, "c".to_owned(), None)
            ]
        );
    }
}
