//! Standard output and standard error: the one place that writes to either.
//!
//! Results go to standard output through one buffer that is flushed after each, so that a reader
//! at the other end of a pipe gets them as they come. When that reader has gone (`| head`), there
//! is nobody left to tell: the write fails with `BrokenPipe`, which becomes [`Error::ClosedPipe`]
//! here and a quiet end of the run. Writing to standard error never fails the run.
//!
//! A live line may stand at the end of a terminal. Whatever is written, to either, wipes it away before.

use super::error::Error;
use clap::ValueEnum;
use ltl::source::{Colour, Diagnostic};
use ltl::{Source, Sources};
use std::fmt;
use std::io::{self, BufWriter, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `--color`
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum ColourChoice {
    /// Colours on a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Colours everywhere
    Always,
    /// No colours
    Never,
}

impl ColourChoice {
    /// The choice on a command line that may turn out not to parse: what is printed about that is
    /// coloured, or not, as asked.
    pub(crate) fn among(arguments: &[std::ffi::OsString]) -> Self {
        let mut choice = ColourChoice::Auto;
        let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
        while let Some(argument) = arguments.next() {
            let value = match argument.strip_prefix("--color") {
                Some("") => arguments.next(),
                Some(rest) => rest.strip_prefix('=').map(|value| value.to_owned().into()),
                None if argument == "--" => break,
                None => None,
            };
            if let Some(value) = value
                && let Ok(chosen) = ColourChoice::from_str(&value, false)
            {
                choice = chosen;
            }
        }
        choice
    }

    /// Whether to colour what goes to `stream`.
    fn on(self, stream: &impl io::IsTerminal) -> Colour {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let coloured = match self {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => {
                stream.is_terminal()
                    && !set("NO_COLOR")
                    && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
            }
        };
        if coloured { Colour::On } else { Colour::Off }
    }
}

/// A text in a colour (the number of an ANSI escape sequence), if there are colours.
pub(crate) fn paint(colour: Colour, code: &str, text: &str) -> String {
    match colour {
        Colour::On => format!("\x1b[{code}m{text}\x1b[0m"),
        Colour::Off => text.to_owned(),
    }
}

/// Where results and messages go.
pub(crate) struct Console {
    /// Not locked for good, so that a command may print from a thread of its own.
    out: BufWriter<io::Stdout>,
    choice: ColourChoice,
}

impl Console {
    /// The process's own streams.
    pub(crate) fn new(choice: ColourChoice) -> Self {
        Console { out: BufWriter::with_capacity(1 << 16, io::stdout()), choice }
    }

    /// Whether messages on standard error are coloured.
    pub(crate) fn colour(&self) -> Colour {
        self.choice.on(&io::stderr())
    }

    /// Whether results on standard output are coloured.
    pub(crate) fn colour_of_results(&self) -> Colour {
        self.choice.on(&io::stdout())
    }

    /// Prints one result.
    pub(crate) fn print(&mut self, result: &str) -> Result<(), Error> {
        let _span = tracing::debug_span!("report.write", bytes = result.len()).entered();
        let _terminal = terminal();
        self.out.write_all(result.as_bytes()).and_then(|()| self.out.flush()).map_err(|error| {
            match error.kind() {
                io::ErrorKind::BrokenPipe => Error::ClosedPipe,
                _ => Error::File { action: "write to", name: "standard output".to_owned(), error },
            }
        })
    }

    /// Prints what clap has to say: help and version as results, the rest as messages.
    pub(crate) fn print_clap(&mut self, message: &clap::Error) -> Result<(), Error> {
        let text = message.render();
        let colour = if message.use_stderr() { self.colour() } else { self.colour_of_results() };
        let text = match colour {
            Colour::On => text.ansi().to_string(),
            Colour::Off => text.to_string(),
        };
        if message.use_stderr() {
            say(format_args!("{}", text.trim_end()));
            return Ok(());
        }
        self.print(&text)
    }

    /// Prints the message about a text.
    pub(crate) fn diagnose(&self, source: &Source<'_>, diagnostic: &Diagnostic) {
        say(format_args!("{}", source.render(diagnostic, self.colour()).trim_end()));
    }

    /// Prints the message about one of several texts.
    pub(crate) fn diagnose_among(&self, sources: &Sources<'_>, diagnostic: &Diagnostic) {
        say(format_args!("{}", sources.render(diagnostic, self.colour()).trim_end()));
    }

    /// Prints why a command ended early.
    pub(crate) fn complain(&self, error: &Error) {
        self.complain_about("", error);
    }

    /// Prints why there is no result for what stands at `place` (a file and a line, or nothing).
    pub(crate) fn complain_about(&self, place: &str, error: &Error) {
        let (word, code) = match error {
            Error::ClosedPipe | Error::Diagnosed => return,
            Error::Stopped(_) | Error::TooLarge(_) => ("stopped", "1;33"),
            _ => ("error", "1;31"),
        };
        let colon = if place.is_empty() { "" } else { ": " };
        match self.colour() {
            Colour::On => say(format_args!("\x1b[{code}m{word}\x1b[0m: {place}{colon}{error}")),
            Colour::Off => say(format_args!("{word}: {place}{colon}{error}")),
        }
    }
}

/// Whether a live line stands at the end of the terminal.
static IS_LIVE: Mutex<bool> = Mutex::new(false);

/// The terminal without a live line, for whoever keeps this.
fn terminal() -> MutexGuard<'static, bool> {
    let mut is_live = IS_LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    wipe(&mut is_live);
    is_live
}

fn wipe(is_live: &mut bool) {
    if std::mem::take(is_live) {
        let _ = write!(io::stderr(), "\r\x1b[2K");
    }
}

/// Replaces the live line of the terminal at standard error; by none, if it is empty.
pub(crate) fn live(line: &str) {
    let mut is_live = terminal();
    if !line.is_empty() {
        let _ = write!(io::stderr(), "{line}");
        *is_live = true;
    }
}

/// Takes the live line away before the process ends, unless somebody is still writing.
pub(crate) fn end_live() {
    if let Ok(mut is_live) = IS_LIVE.try_lock() {
        wipe(&mut is_live);
    }
}

/// A line on standard error; whether anybody reads it does not matter.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _terminal = terminal();
    let _ = writeln!(io::stderr(), "{line}");
}

/// Standard error for those who write pieces of lines.
pub(crate) struct Messages;

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _terminal = terminal();
        io::stderr().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_choice_of_colours_counts() {
        for (line, expected) in [
            ("man", ColourChoice::Auto),
            ("--color always man", ColourChoice::Always),
            ("man --color=always --color never", ColourChoice::Never),
            ("man --color=mauve", ColourChoice::Auto),
            ("man --color", ColourChoice::Auto),
            ("man --colors=always", ColourChoice::Auto),
            ("man -- --color=always", ColourChoice::Auto),
        ] {
            let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
            assert_eq!(ColourChoice::among(&arguments), expected, "{line}");
        }
    }
}
