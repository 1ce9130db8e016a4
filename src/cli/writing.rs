//! Results are written within the limits of the run, too.
//!
//! A run of three million steps takes seconds to write down. So whatever may be long is made under a
//! watch. What a run has found before a limit was reached is still told: a little work is always
//! allowed ([`GRACE`]). Beyond that, a text is cut where it stands, with a line that says so; in JSON,
//! the part that is too long is left out as a whole, so that no reader takes a part for the whole.

use super::budget::Budget;
use super::console::Console;
use super::error::Error;
use super::escape::{escaped_json, mark};
use super::exit::Exit;
use run::poll::poll_for;
use run::{StopReason, Watch};
use serde::{Serialize, Serializer};
use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long results may be written when a limit is reached already.
const GRACE: Duration = Duration::from_millis(200);
/// So many questions are not asked, however long that takes: what is short is written on a machine that
/// has other things to do, too.
const FREE: u64 = 32;
/// Bytes that are printed at once.
const PIECE: usize = 1 << 16;

/// The limits while something is written, and whether one was reached.
pub(crate) struct Writing {
    watch: Watch,
    cut: Cell<Option<StopReason>>,
}

impl Writing {
    /// Results are written from now on.
    pub(crate) fn results(budget: &Budget) -> Self {
        let (watch, began, asked) = (budget.watch(), Instant::now(), AtomicU64::new(0));
        let watch = Watch::new(move |now| {
            let is_free = asked.fetch_add(1, Ordering::Relaxed) < FREE || began.elapsed() < GRACE;
            if is_free && now.wanted_bytes == 0 { None } else { watch.report(now) }
        });
        Writing { watch, cut: Cell::default() }
    }

    /// What is written is not yet the result.
    pub(crate) fn before_results(budget: &Budget) -> Self {
        Writing { watch: budget.watch(), cut: Cell::default() }
    }

    /// Does some work within the limits; what reaches one is kept.
    pub(crate) fn over<T>(&self, work: impl FnOnce() -> T) -> Result<T, StopReason> {
        self.watch.over(work).inspect_err(|reason| self.cut.set(Some(*reason)))
    }

    /// Says that results are incomplete, if they are.
    pub(crate) fn concluded(&self, console: &Console) -> Exit {
        let Some(reason) = self.cut.get() else { return Exit::Done };
        let error =
            Error::Unwritten { what: "not all of the results were written".to_owned(), reason };
        console.complain(&error);
        error.exit()
    }
}

/// A text for people that is printed while it is made.
pub(crate) struct Sheet<'c> {
    console: &'c mut Console,
    writing: &'c Writing,
    /// What is not printed yet.
    text: String,
    printed: Result<(), Error>,
}

impl<'c> Sheet<'c> {
    pub(crate) fn new(console: &'c mut Console, writing: &'c Writing) -> Self {
        Sheet { console, writing, text: String::new(), printed: Ok(()) }
    }

    /// Adds to the text.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() >= PIECE
            && let Some(end) = self.text.rfind('\n')
        {
            // Colours and escapes do not go beyond the end of a line.
            let rest = self.text.split_off(end + 1);
            self.print();
            self.text = rest;
        }
    }

    fn print(&mut self) {
        if self.printed.is_ok() {
            self.printed = self.console.print(&self.text);
        }
        self.text.clear();
    }

    /// Whether nobody can read what is added.
    pub(crate) fn is_lost(&self) -> bool {
        self.printed.is_err()
    }

    /// Adds what may be long, and has so many steps. If it gets too long, it is cut, and that is said.
    pub(crate) fn push_long(
        &mut self,
        steps: usize,
        tell: impl FnOnce(&mut Self),
    ) -> Result<(), StopReason> {
        let writing = self.writing;
        let told = writing.over(|| tell(self));
        if let Err(reason) = told {
            self.push(&format!("the run is cut here: {reason}; it has {steps} steps\n"));
        }
        told
    }

    /// Prints the rest.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.print();
        self.printed
    }
}

impl fmt::Write for Sheet<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

/// Parts of a JSON text that may be long, and are written before the text around them.
pub(crate) struct LongParts<'w> {
    writing: &'w Writing,
    parts: Vec<Vec<String>>,
}

/// Stands for a part in the text around it.
pub(crate) struct LongPart(usize);

impl Serialize for LongPart {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // No other string has this mark.
        to.serialize_str(&format!("{}{}", mark(), self.0))
    }
}

impl<'w> LongParts<'w> {
    pub(crate) fn new(writing: &'w Writing) -> Self {
        LongParts { writing, parts: Vec::new() }
    }

    /// A part, unless a limit is reached before it is written.
    pub(crate) fn add<T: Serialize>(
        &mut self,
        part: impl FnOnce() -> T,
    ) -> Result<LongPart, StopReason> {
        let written =
            self.writing.over(|| Pieces::of(&part(), |json| escaped_json(json).into()))?;
        self.parts.push(written);
        Ok(LongPart(self.parts.len() - 1))
    }

    /// Prints a text with its parts.
    pub(crate) fn print(self, around: &impl Serialize, console: &mut Console) -> Result<(), Error> {
        let around = serde_json::to_string(around).expect("strings, numbers and lists are JSON");
        let mut text = String::new();
        for (k, between) in around.split(&format!("\"{}", mark())).enumerate() {
            let mut between = between;
            if k > 0 {
                let (number, rest) = between.split_once('"').expect("a string has an end");
                let number: usize = number.parse().expect("the number of a part");
                for piece in &self.parts[number] {
                    text.push_str(piece);
                    if text.len() >= PIECE {
                        console.print_escaped(&std::mem::take(&mut text))?;
                    }
                }
                between = rest;
            }
            text.push_str(&escaped_json(between));
        }
        text.push('\n');
        console.print_escaped(&text)
    }
}

/// JSON in pieces, each of which is changed by a function. No piece ends inside of a character or of an
/// escape sequence: `serde_json` writes each of these at once.
pub(crate) struct Pieces {
    done: Vec<String>,
    open: Vec<u8>,
    change: fn(&str) -> String,
}

impl Pieces {
    /// The value as JSON. To be called under a watch.
    pub(crate) fn of(value: &impl Serialize, change: fn(&str) -> String) -> Vec<String> {
        let mut pieces = Pieces { done: Vec::new(), open: Vec::new(), change };
        serde_json::to_writer(&mut pieces, value).expect("strings, numbers and lists are JSON");
        pieces.close();
        pieces.done
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        let open = str::from_utf8(&open).expect("whole characters are written");
        self.done.push((self.change)(open));
    }
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open.extend_from_slice(bytes);
        if self.open.len() >= PIECE {
            self.close();
            poll_for(PIECE as u64);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_whole() {
        let value: Vec<String> = (0..20_000).map(|k| format!("<\u{1b}ä\"{k}\u{202e}日")).collect();
        let pieces = Pieces::of(&value, |json| escaped_json(json).into());
        assert!(pieces.len() > 3, "{}", pieces.len());
        let whole = serde_json::to_string(&value).expect("JSON");
        assert_eq!(pieces.concat(), escaped_json(&whole));
    }
}
