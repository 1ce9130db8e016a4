//! Standard output and standard error: the one place that writes to either.
//!
//! Each result goes to standard output as soon as it is there, so that a reader at the other end of a
//! pipe gets them as they come. When that reader has gone (`| head`), there
//! is nobody left to tell: the write fails with `BrokenPipe`, which becomes [`Error::ClosedPipe`]
//! here and a quiet end of the run, with the exit code of what is known by then. Any other failure to write results is an error. Writing to
//! standard error never fails the run.
//!
//! Results and messages are text for people, in which characters that cannot be seen are escaped
//! ([`escape`](super::escape)), JSON, or data for other programs, which are escaped at a terminal only.
//!
//! A live line may stand at the end of a terminal. Whatever is written, to either, wipes it away before.

use super::error::Error;
use super::escape::{drawn, escaped, escaped_json, mark, printable};
use super::exit::Exit;
use super::input::Text;
use super::message::{Item, Kind, Message, MessageFormat, row};
use clap::ValueEnum;
use ltl::source::{Colour, Diagnostic};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
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

/// The value of an option on a command line that may turn out not to parse: what is printed about that
/// is printed as asked.
fn chosen<T: ValueEnum + Default>(option: &str, arguments: &[OsString]) -> T {
    let mut choice = T::default();
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix(option) {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('=').map(|value| value.to_owned().into()),
            None if argument == "--" => break,
            None => None,
        };
        if let Some(value) = value
            && let Ok(value) = T::from_str(&value, false)
        {
            choice = value;
        }
    }
    choice
}

impl ColourChoice {
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

/// A text in a colour (the number of an ANSI escape sequence), if there are colours; to be printed by
/// a [`Console`].
pub(crate) fn paint(colour: Colour, code: &str, text: &str) -> String {
    let mark = mark();
    match colour {
        Colour::On => format!("{mark}[{code}m{text}{mark}[0m"),
        Colour::Off => text.to_owned(),
    }
}

/// Standard output as a file like others. What the standard library has for it loses all that is written to
/// a descriptor that cannot be written to (`1</dev/null`), and says that all went well.
fn standard_output() -> Box<dyn io::Write + Send> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(descriptor) => Box::new(File::from(descriptor)),
        Err(_) => Box::new(io::stdout()),
    }
}

/// Where results and messages go.
pub(crate) struct Console {
    out: Box<dyn io::Write + Send>,
    /// Whether standard output was open when the process began.
    is_open: bool,
    choice: ColourChoice,
    messages: MessageFormat,
}

impl Console {
    /// The process's own streams, used as the command line asks for.
    pub(crate) fn new(arguments: &[OsString], is_open: bool) -> Self {
        Console {
            out: standard_output(),
            is_open,
            choice: chosen("--color", arguments),
            messages: chosen("--message-format", arguments),
        }
    }

    /// How messages are written.
    pub(crate) fn messages(&self) -> MessageFormat {
        self.messages
    }

    /// Whether messages on standard error are coloured.
    pub(crate) fn colour(&self) -> Colour {
        self.choice.on(&io::stderr())
    }

    /// Whether results on standard output are coloured.
    pub(crate) fn colour_of_results(&self) -> Colour {
        self.choice.on(&io::stdout())
    }

    /// Prints one result: text for people.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Error> {
        self.write(&printable(text))
    }

    /// Prints one result: JSON.
    pub(crate) fn print_json(&mut self, json: &str) -> Result<(), Error> {
        self.write(&escaped_json(json))
    }

    /// Prints one result, or a part of it, in which nothing is left to escape.
    pub(crate) fn print_escaped(&mut self, text: &str) -> Result<(), Error> {
        self.write(text)
    }

    /// Prints one result: data for other programs. Only people look at a terminal.
    pub(crate) fn print_data(&mut self, data: &str) -> Result<(), Error> {
        let is_seen = io::IsTerminal::is_terminal(&io::stdout());
        self.write(&if is_seen { escaped(data) } else { data.into() })
    }

    fn write(&mut self, result: &str) -> Result<(), Error> {
        let _span = tracing::debug_span!("report.write", bytes = result.len()).entered();
        let _terminal = terminal();
        let written = if self.is_open {
            self.out.write_all(result.as_bytes()).and_then(|()| self.out.flush())
        } else {
            Err(io::Error::other("it is closed"))
        };
        written.map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                return Error::ClosedPipe(Exit::Done);
            }
            Error::System { action: "write to", name: "standard output".to_owned(), error }
        })
    }

    /// Prints what clap has to say: help and version as results, the rest as messages. It must be about
    /// arguments in which nothing is hidden.
    pub(crate) fn print_clap(&mut self, message: &clap::Error) -> Result<(), Error> {
        let text = message.render();
        if message.use_stderr() && self.messages == MessageFormat::Json {
            tell(&Message::usage(&text.to_string()));
            return Ok(());
        }
        let colour = if message.use_stderr() { self.colour() } else { self.colour_of_results() };
        let text = match colour {
            Colour::On => text.ansi().to_string(),
            Colour::Off => text.to_string(),
        };
        if message.use_stderr() {
            say(format_args!("{}", text.trim_end()));
            return Ok(());
        }
        self.write(&text)
    }

    /// Prints the message about a text that was read.
    pub(crate) fn diagnose(&self, text: &Text, diagnostic: &Diagnostic) {
        self.diagnose_among(Kind::Input, &[text], diagnostic);
    }

    /// Prints the message about one of several texts, which stand in one row of offsets.
    pub(crate) fn diagnose_among(&self, kind: Kind, texts: &[&Text], diagnostic: &Diagnostic) {
        match self.messages {
            MessageFormat::Text => {
                let message = row(texts).sources.render(diagnostic, self.colour());
                say(format_args!("{}", drawn(message.trim_end())));
            }
            MessageFormat::Json => tell(&Message::about(kind, texts, diagnostic)),
        }
    }

    /// The console, if messages are for programs: those look at messages only, and what is wrong
    /// according to the results has to be said again. People have seen it.
    pub(crate) fn for_programs(&self) -> Option<&Self> {
        (self.messages == MessageFormat::Json).then_some(self)
    }

    /// Prints what a reader of the results should know.
    pub(crate) fn note(&self, message: &str) {
        match self.messages {
            MessageFormat::Text => say(format_args!("note: {}", escaped(message))),
            MessageFormat::Json => tell(&Message::note(Kind::Advice, message)),
        }
    }

    /// Prints what is not as the user asked for.
    pub(crate) fn warn(&self, message: &str) {
        match self.messages {
            MessageFormat::Text => say(format_args!("warning: {message}")),
            MessageFormat::Json => tell(&Message::warning(Kind::Advice, message)),
        }
    }

    /// Prints a line that the model prints, where it is no part of the results.
    pub(crate) fn pass_on(&self, line: &str) {
        match self.messages {
            MessageFormat::Text => say(format_args!("{}", escaped(line))),
            MessageFormat::Json => tell(&Message::note(Kind::Printed, line)),
        }
    }

    /// Prints why a command ended early.
    pub(crate) fn complain(&self, error: &Error) {
        self.complain_about(None, error);
    }

    /// Prints why there is no result for one of several items, or for all.
    pub(crate) fn complain_about(&self, item: Option<Item<'_>>, error: &Error) {
        if matches!(error, Error::ClosedPipe(_) | Error::Diagnosed) {
            return;
        }
        if self.messages == MessageFormat::Json {
            return tell(&Message::complaint(error, &error.headline(), item));
        }
        let (word, code) = match error.kind() {
            Kind::Stopped => ("stopped", "1;33"),
            _ => ("error", "1;31"),
        };
        let word = paint(self.colour(), code, word);
        let place = item.map(|item| item.name() + ": ").unwrap_or_default();
        say(format_args!("{}", printable(&format!("{word}: {place}{error}"))));
    }
}

/// Prints a panic: a bug of ours, wherever it happens.
pub(crate) fn report(messages: MessageFormat, panic: &str, trace: &Backtrace) {
    let is_traced = trace.status() == BacktraceStatus::Captured;
    match messages {
        MessageFormat::Text => {
            say(format_args!("{}", escaped(&Error::Internal(panic.to_owned()).to_string())));
            if is_traced {
                say(format_args!("{trace}"));
            }
        }
        MessageFormat::Json => {
            let trace = if is_traced { format!("\n{trace}") } else { String::new() };
            let error = Error::Internal(format!("{panic}{trace}"));
            tell(&Message::complaint(&error, &error.headline(), None));
        }
    }
}

/// Prints a message for programs.
fn tell(message: &Message<'_>) {
    say(format_args!("{}", escaped_json(&message.json())));
}

/// Whether a live line stands at the end of the terminal.
static IS_LIVE: Mutex<bool> = Mutex::new(false);

/// Locks the terminal, without a live line, as long as the guard is kept.
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

/// Takes the live line away before the process ends, unless another thread is still writing.
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

/// Standard error, for writers of pieces of lines.
pub(crate) struct Messages;

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _terminal = terminal();
        // Whether anybody reads it does not matter.
        let _ = io::stderr().write_all(bytes);
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
            assert_eq!(chosen::<ColourChoice>("--color", &arguments), expected, "{line}");
        }
    }
}
