//! Logs and profiles of a run.
//!
//! Both are made of what the libraries tell `tracing`: a span per phase, with its counts as fields.
//! Nothing is installed unless asked for; then a disabled span costs one load of a static.
//!
//! A profile is written as spans close, in the format that the file's name asks for: [`chrome`],
//! [`jsonl`] or [`folded`]. It takes no memory to speak of, however long the run.

mod record;
mod chrome;
mod jsonl;
mod folded;

use super::error::Error;
use clap::ValueEnum;
use ltl::source::Colour;
use record::{Recorder, Sink};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
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

/// What was set up for a run, to be finished at its end.
pub(crate) struct Tracing {
    profile: Option<(String, Arc<Mutex<Profile>>)>,
}

/// The profile of this run, for those who end it from outside: see [`finish_at_once`].
static PROFILE: OnceLock<Arc<Mutex<Profile>>> = OnceLock::new();

/// A profile in the making.
struct Profile {
    sink: Box<dyn Sink + Send>,
    /// What went wrong first; nothing is written after that.
    failed: Option<io::Error>,
    /// Nothing is written after that, either.
    finished: bool,
}

impl Profile {
    fn span(&mut self, span: &record::Span) {
        if self.failed.is_none() && !self.finished {
            self.failed = self.sink.span(span).err();
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        self.failed.take().map_or_else(|| self.sink.finish(), Err)
    }
}

/// Completes the profile, if there is one, of a process that is about to end.
pub(crate) fn finish_at_once() {
    if let Some(profile) = PROFILE.get() {
        // There is nobody left to tell of a failure.
        let _ = profile.lock().expect("sinks do not panic").finish();
    }
}

impl Tracing {
    /// Starts logs and profile, as far as asked for by option or environment.
    pub(crate) fn set_up(
        log: Option<Level>,
        file: Option<&Path>,
        colour: Colour,
    ) -> Result<Tracing, Error> {
        let filter = log_filter(log)?;
        let profile = file.map(open).transpose()?;
        if filter.is_none() && profile.is_none() {
            return Ok(Tracing { profile: None });
        }
        let log = filter.map(|filter| {
            tracing_subscriber::fmt::layer()
                .with_writer(io::stderr)
                .with_ansi(colour == Colour::On)
                .with_timer(tracing_subscriber::fmt::time::uptime())
                .with_span_events(FmtSpan::CLOSE)
                // A closed standard error is no reason to panic.
                .log_internal_errors(false)
                .with_filter(filter)
        });
        let recorder = profile.as_ref().map(|(_, profile)| {
            let profile = Arc::clone(PROFILE.get_or_init(|| Arc::clone(profile)));
            Recorder::new(move |span| {
                profile.lock().expect("sinks do not panic").span(span);
            })
            .with_filter(filter_fn(only_spans))
        });
        let subscriber = tracing_subscriber::registry().with(recorder).with(log);
        tracing::subscriber::set_global_default(subscriber)
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Tracing { profile })
    }

    /// Completes the profile.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Some((name, profile)) = self.profile else { return Ok(()) };
        let outcome = profile.lock().expect("sinks do not panic").finish();
        outcome.map_err(|error| Error::File { action: "write", name, error })
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

fn only_spans(metadata: &tracing::Metadata<'_>) -> bool {
    metadata.is_span()
}

type MakeSink = fn(BufWriter<File>) -> Box<dyn Sink + Send>;

/// The file, in the format that its name asks for.
fn open(path: &Path) -> Result<(String, Arc<Mutex<Profile>>), Error> {
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
    let profile = Profile { sink: make(BufWriter::new(file)), failed: None, finished: false };
    Ok((name, Arc::new(Mutex::new(profile))))
}
