//! Logs, profiles and phases of a run.
//!
//! All are made of what the libraries tell `tracing`: a span per phase, with its counts as fields.
//! Nothing is installed unless asked for; then a disabled span costs one load of a static.
//!
//! One [`record`] is kept of what is under way. A profile is written as spans close, in the format that the file's
//! name asks for: [`chrome`], [`jsonl`] or [`folded`]. It takes no memory to speak of, however long the run.
//! Times are added up by [`phases`](mod@phases). A [`ticker`] looks at the record now and then: it shows progress, and
//! writes down counts.

mod record;
mod phases;
mod profile;
mod ticker;
mod chrome;
mod jsonl;
mod folded;

pub(crate) use phases::{Phase, mebibytes, milliseconds};
pub(crate) use record::UnderWay;

use super::budget::peak_memory;
use super::console;
use super::error::Error;
use super::progress::{ProgressLine, When};
use clap::ValueEnum;
use ltl::source::Colour;
use profile::{Profile, Sink};
use record::{Record, Recorder, lock};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use ticker::Ticker;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};

/// `--log`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Level {
    /// Nothing but errors
    Error,
    /// Warnings too
    Warn,
    /// What happens
    Info,
    /// Each phase with its counts and its time
    Debug,
    /// Everything
    Trace,
}

/// What is asked of a run besides its results.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// `--log`
    pub(crate) log: Option<Level>,
    /// `--trace`
    pub(crate) file: Option<&'a Path>,
    /// `--stats`
    pub(crate) stats: bool,
    /// `--progress`
    pub(crate) progress: When,
    /// Somebody will ask for [`phases`].
    pub(crate) phases: bool,
}

/// What was set up for a run, to be finished at its end.
pub(crate) struct Tracing<'a> {
    asked: Asked<'a>,
    ticker: Option<Ticker>,
}

/// The record of this run, if it is recorded.
static RECORD: OnceLock<Arc<Mutex<Record>>> = OnceLock::new();

/// The phases of this run so far, what took longest first. None, if nobody said in advance that they would be
/// asked for.
pub(crate) fn phases() -> Vec<Phase> {
    RECORD.get().map_or_else(Vec::new, |record| lock(record).phases().sorted())
}

/// Completes the profile, if there is one, of a process that is about to end.
pub(crate) fn finish_at_once() {
    console::end_live();
    if let Some(record) = RECORD.get() {
        // A failure cannot be reported any more.
        let _ = lock(record).finish();
    }
}

impl<'a> Tracing<'a> {
    /// Starts logs and record, as far as asked for by options or environment.
    pub(crate) fn set_up(asked: Asked<'a>, colour: Colour) -> Result<Self, Error> {
        let filter = log_filter(asked.log)?;
        let profile = asked.file.map(open).transpose()?;
        let line = ProgressLine::new(asked.progress);
        let is_recorded = profile.is_some() || asked.stats || asked.phases || line.is_some();
        if filter.is_none() && !is_recorded {
            return Ok(Tracing { asked, ticker: None });
        }
        let log = filter.map(|filter| {
            tracing_subscriber::fmt::layer()
                .with_writer(|| console::Messages)
                .with_ansi(colour == Colour::On)
                .with_timer(tracing_subscriber::fmt::time::uptime())
                .with_span_events(FmtSpan::CLOSE)
                // A closed standard error is no reason to panic.
                .log_internal_errors(false)
                .with_filter(filter)
        });
        let is_sampled = profile.as_ref().is_some_and(Profile::is_sampled);
        let record =
            is_recorded.then(|| RECORD.get_or_init(|| Arc::new(Mutex::new(Record::new(profile)))));
        let (follower, line) = match line {
            Some(line) if line.pause().is_zero() => (Some(line), None),
            line => (None, line),
        };
        let recorder = record.map(|record| {
            Recorder::new(record, follower).with_filter(filter_fn(record::is_recorded))
        });
        let subscriber = tracing_subscriber::registry().with(recorder).with(log);
        tracing::subscriber::set_global_default(subscriber)
            .map_err(|error| Error::Internal(error.to_string()))?;
        let ticker = record.and_then(|record| Ticker::start(record, is_sampled, line));
        Ok(Tracing { asked, ticker })
    }

    /// Completes the profile and prints what is to be printed at the end.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Some(record) = RECORD.get() else { return Ok(()) };
        drop(self.ticker);
        let outcome = lock(record).finish();
        if self.asked.stats {
            let time = lock(record).elapsed();
            let text = phases::layout(&phases(), time, peak_memory());
            console::say(format_args!("{text}"));
        }
        outcome.map_err(|error| {
            let name = self.asked.file.map(|file| file.display().to_string()).unwrap_or_default();
            Error::File { action: "write", name, error }
        })
    }
}

/// The option, or else the environment.
fn log_filter(level: Option<Level>) -> Result<Option<EnvFilter>, Error> {
    if let Some(level) = level {
        let level = match level {
            Level::Error => LevelFilter::ERROR,
            Level::Warn => LevelFilter::WARN,
            Level::Info => LevelFilter::INFO,
            Level::Debug => LevelFilter::DEBUG,
            Level::Trace => LevelFilter::TRACE,
        };
        return Ok(Some(EnvFilter::default().add_directive(level.into())));
    }
    let Some(directives) = std::env::var_os("ISONOMY_LOG").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let directives = directives.to_string_lossy();
    let filter = EnvFilter::builder().parse(&directives).map_err(|error| {
        Error::usage(format!("ISONOMY_LOG is `{directives}`: {error}"))
            .help("levels are error, warn, info, debug, trace; for one part: `automata=debug`")
    })?;
    Ok(Some(filter))
}

type MakeSink = fn(BufWriter<File>) -> Box<dyn Sink + Send>;

/// The file, in the format that its name asks for.
fn open(path: &Path) -> Result<Profile, Error> {
    let name = path.display().to_string();
    let make: MakeSink = match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => |file| Box::new(chrome::Chrome::new(file)),
        Some("jsonl") => |file| Box::new(jsonl::Jsonl::new(file)),
        Some("folded") => |file| Box::new(folded::Folded::new(file)),
        _ => {
            return Err(Error::usage(format!("`--trace {name}`: the ending says no format")).help(
                "end the name in .json (Chrome trace events), .jsonl (one record per span) or \
                 .folded (stacks for flame graphs)",
            ));
        }
    };
    let file = File::create(path).map_err(|error| Error::File {
        action: "create",
        name: name.clone(),
        error,
    })?;
    Ok(Profile::new(make(BufWriter::new(file))))
}
