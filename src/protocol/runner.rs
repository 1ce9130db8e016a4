//! Checks of protocols: what is asked, within which limits, and the thread that answers.
//!
//! The user's code may loop, and no thread can be ended from outside. So a check runs in a thread of its
//! own. The caller waits for it and looks now and then at the calls of the user's code; if one lasts too
//! long, the thread is left behind, and the report has what is known.

use super::certificate::{self, Certificate, Proof, Unproved, Wanted};
use super::report::{Counts, Parts, Report, Results, Stuck};
use crate::check::states::{self, check_states_on};
use crate::check::{self, Engine, Shortening, check_all_on};
use crate::cli::resident_memory;
use crate::explore::{Asked, Compression, Deadlock};
use crate::finding::{self, Findings, Item};
use ::certify::Limits;
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use protocol::{
    AnyWords, Broken, Cells, Formula, FormulaError, Loose, Prepared, Protocol, SetupError, Typed,
    Verified, verify,
};
use run::{Progress, StopReason, Watch};
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use terms::{Demand, Fairness, Over, PropertyId, PropertyKind};

/// The states that are examined for symmetry, unless it is said otherwise.
const EXAMINED: usize = 10_000;
/// How long one call of the user's code may last, unless it is said otherwise.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the caller looks at a run.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The stack of the thread that checks.
const STACK: usize = 64 << 20;

/// A check of a protocol whose types have [`Cells`]: with symmetry.
pub fn check<P>(protocol: P) -> Check<P>
where
    P: Protocol,
    P::State: Cells,
    P::Event: Cells,
{
    Check::new(Prepared::new::<P, Typed<P>>(protocol))
}

/// A check of a protocol with any types: in the loose way, without symmetry.
pub fn check_loose<P: Protocol>(protocol: P) -> Check<P> {
    Check::new(Prepared::new::<P, Loose<P>>(protocol))
}

/// Counts the states and steps of a protocol whose types have [`Cells`].
pub fn explore<P>(protocol: P) -> Result<Counts, CheckError>
where
    P: Protocol,
    P::State: Cells,
    P::Event: Cells,
{
    check(protocol).count()
}

/// How many states are examined, before a check, for the promises that a protocol makes: that it is
/// deterministic, and that it does not tell indices apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verification {
    /// None: the protocol is trusted.
    Off,
    /// So many, breadth first.
    First(usize),
    /// All reachable ones.
    All,
}

/// What is called with the progress of a check.
type OnProgress = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What is asked about a protocol, and how.
///
/// All properties of the protocol are checked, and all formulas that are given.
#[must_use = "nothing is checked before `run`"]
pub struct Check<P: Protocol> {
    asked: Questions,
    of: PhantomData<fn() -> P>,
}

/// What is asked about a protocol whose types do not matter any more.
struct Questions {
    /// The name of the protocol's type.
    protocol: &'static str,
    system: Result<Prepared, SetupError>,
    formulas: Vec<Formula>,
    options: Options,
    progress: Option<OnProgress>,
}

/// The options of a check.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) demand: Demand,
    pub(super) symmetry: bool,
    engine: Engine,
    shortening: Shortening,
    verification: Verification,
    deadlock: Deadlock,
    threads: usize,
    time: Option<Duration>,
    memory: Option<u64>,
    states: Option<u64>,
    patience: Duration,
    certificate: bool,
}

/// A check that cannot be made, or whose protocol breaks a promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// What the protocol declares does not fit together.
    Setup(SetupError),
    /// A formula cannot be read.
    Formula(FormulaError),
    /// The protocol is not deterministic, or tells indices apart.
    Broken(Box<Broken>),
    /// A run that was found cannot be repeated on the protocol's own values, and the examined states
    /// do not say why.
    Unrepeatable(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Setup(error) => write!(out, "the protocol cannot be checked: {error}"),
            CheckError::Formula(error) => error.fmt(out),
            CheckError::Broken(broken) => broken.fmt(out),
            CheckError::Unrepeatable(what) => write!(
                out,
                "a run that was found cannot be repeated on the protocol's own values: {what}\n  help: \
                 the protocol is not deterministic, or tells indices apart; `verify(Verification::All)` \
                 examines every state"
            ),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<SetupError> for CheckError {
    fn from(error: SetupError) -> Self {
        CheckError::Setup(error)
    }
}

impl From<FormulaError> for CheckError {
    fn from(error: FormulaError) -> Self {
        CheckError::Formula(error)
    }
}

impl<P: Protocol> Check<P> {
    fn new(system: Result<Prepared, SetupError>) -> Self {
        let protocol = std::any::type_name::<P>();
        Check { asked: Questions::new(protocol, system), of: PhantomData }
    }

    /// One more formula.
    pub fn formula(mut self, text: &str) -> Result<Self, CheckError> {
        self.asked.add(text)?;
        Ok(self)
    }

    /// The fairness that is demanded of runs. By default every run counts.
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.asked.options.demand.fairness = fairness;
        self
    }

    /// Whether weak and strong fairness are about processes, which is the default, or about events.
    pub fn over(mut self, over: Over) -> Self {
        self.asked.options.demand.over = over;
        self
    }

    /// Whether the fairness that the protocol declares is demanded, too. By default it is.
    pub fn declared_fairness(mut self, counts: bool) -> Self {
        self.asked.options.demand.declared = counts;
        self
    }

    /// Whether states are reduced by symmetry. By default they are.
    pub fn symmetry(mut self, reduces: bool) -> Self {
        self.asked.options.symmetry = reduces;
        self
    }

    /// How products with the automata of formulas are searched. By default as seems best. With an
    /// engine that is not sound for the fairness that is demanded, the verdict is unknown.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.asked.options.engine = engine;
        self
    }

    /// How much is done to find shorter counterexamples than the first ones. By default as much as takes
    /// a fraction of the search.
    pub fn shortening(mut self, shortening: Shortening) -> Self {
        self.asked.options.shortening = shortening;
        self
    }

    /// How many states are examined before the check. By default the first 10,000.
    pub fn verify(mut self, verification: Verification) -> Self {
        self.asked.options.verification = verification;
        self
    }

    /// Whether to look for deadlocks, too: states without steps.
    pub fn deadlocks(mut self, are_sought: bool) -> Self {
        self.asked.options.deadlock = if are_sought { Deadlock::Stuck } else { Deadlock::Off };
        self
    }

    /// The number of threads. By default as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.asked.options.threads = threads.max(1);
        self
    }

    /// The longest time that the check may take.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.asked.options.time = Some(time);
        self
    }

    /// The most memory that the process may take, in bytes, where the system tells.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.asked.options.memory = Some(bytes);
        self
    }

    /// The most representatives that are stored.
    pub fn state_limit(mut self, states: u64) -> Self {
        self.asked.options.states = Some(states);
        self
    }

    /// The longest time that one call of the protocol's code may take, by default ten seconds. A call
    /// that lasts longer ends the check; its thread is left behind.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.asked.options.patience = patience;
        self
    }

    /// Whether to make a [certificate](Report::certificate) of what holds. By default none is made.
    pub fn certificate(mut self, is_wanted: bool) -> Self {
        self.asked.options.certificate = is_wanted;
        self
    }

    /// Verifies a certificate about this protocol with its plain code: no search, nothing packed. It may be
    /// any file; formulas and fairness are those of the certificate.
    pub fn verify_certificate(
        self,
        file: impl std::io::Read + Send + 'static,
    ) -> Result<Proof, Unproved> {
        self.asked.verify_certificate(Box::new(file))
    }

    /// A function that is called now and then with the progress of the check.
    pub fn progress(mut self, report: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.asked.progress = Some(Arc::new(report));
        self
    }

    /// Answers all questions.
    pub fn run(self) -> Result<Report<P>, CheckError> {
        Ok(Report::of(self.asked.run()?))
    }

    /// Counts all states and steps, and looks at nothing else.
    pub fn count(self) -> Result<Counts, CheckError> {
        self.asked.count()
    }
}

impl Questions {
    fn new(protocol: &'static str, system: Result<Prepared, SetupError>) -> Questions {
        let options = Options {
            demand: Demand { declared: true, ..Demand::NONE },
            symmetry: true,
            engine: Engine::Auto,
            shortening: Shortening::Quick,
            verification: Verification::First(EXAMINED),
            deadlock: Deadlock::Off,
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            time: None,
            memory: None,
            states: None,
            patience: PATIENCE,
            certificate: false,
        };
        Questions { protocol, system, formulas: Vec::new(), options, progress: None }
    }

    fn add(&mut self, text: &str) -> Result<(), CheckError> {
        let formula = match &self.system {
            Ok(system) => system.formula(text)?,
            Err(error) => return Err(error.clone().into()),
        };
        self.formulas.push(formula);
        Ok(())
    }

    fn run(self) -> Result<Results, CheckError> {
        let protocol = self.protocol;
        let run = Run::of(self)?;
        let (formulas, options) = (run.formulas.clone(), run.options);
        let system = Arc::clone(&run.system);
        let (parts, stuck) = run.supervised(Run::answer);
        Results::new((protocol, system), formulas, options, parts, stuck)
    }

    fn verify_certificate(self, file: Box<dyn std::io::Read + Send>) -> Result<Proof, Unproved> {
        let run = Run::of(self).map_err(Unproved::Check)?;
        let (found, stuck) = run.supervised(|run, send| {
            let threads = run.options.threads;
            let proved = certificate::verify(run.protocol, &run.system, file, threads, &run.watch);
            send(Message::Proof(proved));
        });
        let proved = found.into_iter().find_map(|message| match message {
            Message::Proof(proved) => Some(proved),
            Message::Panicked(what) => Some(Err(Unproved::Check(CheckError::Unrepeatable(what)))),
            _ => None,
        });
        match (proved, stuck) {
            (Some(proved), _) => proved,
            (None, Some(stuck)) => Err(Unproved::Stuck(stuck)),
            (None, None) => Err(Unproved::Stopped(StopReason::Interrupted)),
        }
    }

    fn count(self) -> Result<Counts, CheckError> {
        let run = Run::of(self)?;
        let (found, stuck) = run.supervised(|run, send| send(Message::Counts(run.count())));
        let counts = found.into_iter().find_map(|message| match message {
            Message::Counts(counts) => Some(Ok(counts)),
            Message::Panicked(what) => Some(Err(CheckError::Unrepeatable(what))),
            _ => None,
        });
        counts.unwrap_or_else(|| Ok(Counts::unknown(stuck)))
    }
}

/// A check that is being made.
struct Run {
    protocol: &'static str,
    system: Arc<Prepared>,
    formulas: Vec<Formula>,
    options: Options,
    watch: Watch,
    /// Set when the caller does not wait any more.
    is_left: Arc<AtomicBool>,
}

/// What the thread that checks has to say.
pub(super) enum Message {
    Verified(Result<Verified, Box<Broken>>),
    Findings(Findings<AnyWords>),
    Counts(Counts),
    Certificate(Certificate),
    Proof(Result<Proof, Unproved>),
    /// The checker itself panicked.
    Panicked(String),
}

impl Run {
    fn of(asked: Questions) -> Result<Self, CheckError> {
        let Questions { protocol, system, formulas, options, progress } = asked;
        let is_left = Arc::new(AtomicBool::new(false));
        let (left, start) = (Arc::clone(&is_left), Instant::now());
        let watch = Watch::new(move |now| {
            if let Some(report) = &progress {
                report(now);
            }
            if left.load(Ordering::Relaxed) {
                return Some(StopReason::Interrupted);
            }
            if let Some(time) = options.time.filter(|time| start.elapsed() >= *time) {
                return Some(StopReason::Timeout(time));
            }
            let most = options.memory?;
            let taken = resident_memory()?.saturating_add(now.wanted_bytes);
            (taken > most).then_some(StopReason::Memory(most))
        });
        Ok(Run { protocol, system: Arc::new(system?), formulas, options, watch, is_left })
    }

    /// Does some work in a thread of its own, and returns its messages; and what it is stuck in, if it
    /// does not come to an end.
    fn supervised(
        self,
        work: impl FnOnce(&Self, &mut dyn FnMut(Message)) + Send + 'static,
    ) -> (Vec<Message>, Option<Stuck>) {
        let (sender, receiver) = mpsc::channel();
        let (system, is_left) = (Arc::clone(&self.system), Arc::clone(&self.is_left));
        let patience = self.options.patience;
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK);
        let spawned = thread.spawn(move || {
            let panicking = sender.clone();
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                tracing::dispatcher::with_default(&dispatch, || {
                    work(&self, &mut |message| {
                        // The caller may have left.
                        let _ = sender.send(message);
                    });
                });
            }));
            if let Err(payload) = caught {
                let text = payload.downcast_ref::<String>().cloned();
                let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.into()));
                let what = text.unwrap_or_else(|| "the checker panicked".to_owned());
                let _ = panicking.send(Message::Panicked(what));
            }
        });
        if let Err(error) = spawned {
            return (vec![Message::Panicked(format!("no thread can be started: {error}"))], None);
        }
        let mut messages = Vec::new();
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(message) => messages.push(message),
                Err(RecvTimeoutError::Disconnected) => return (messages, None),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((call, state)) = system.stuck(patience) {
                        is_left.store(true, Ordering::Relaxed);
                        // What is found in the last moment counts.
                        messages.extend(receiver.try_iter());
                        let state = state.map(|state| format!("{state:?}"));
                        return (messages, Some(Stuck { call, state, patience }));
                    }
                }
            }
        }
    }

    fn reduction(&self) -> Reduction {
        if self.options.symmetry && self.system.has_indices() {
            Reduction::Canonical
        } else {
            Reduction::Off
        }
    }

    /// Examines states, then answers all questions.
    fn answer(&self, send: &mut dyn FnMut(Message)) {
        let most = match self.options.verification {
            Verification::Off => 0,
            Verification::First(most) => most,
            Verification::All => usize::MAX,
        };
        if most > 0 {
            // A limit ends the examination, and then the check.
            let verified = self.watch.over(|| verify(&self.system, most));
            let is_broken = matches!(verified, Ok(Err(_)));
            if let Ok(verified) = verified {
                send(Message::Verified(verified));
            }
            if is_broken {
                return;
            }
        }
        let system = &*self.system;
        let properties: Vec<PropertyId> = (0..)
            .map(PropertyId)
            .zip(system.properties())
            .filter(|(_, (_, kind))| *kind != PropertyKind::Assume)
            .map(|(id, _)| id)
            .collect();
        let explores = !properties.is_empty() || self.options.deadlock != Deadlock::Off;
        let items = properties.iter().map(|&id| Item::Property(id));
        let items: Vec<Item> = items.chain((0..self.formulas.len()).map(Item::Formula)).collect();
        let (of_items, of_formulas) = items.split_at(properties.len());
        let options = check::Options {
            reduction: self.reduction(),
            most_states: self.options.states,
            threads: self.options.threads,
            finds_vacuity: true,
            demand: self.options.demand,
            engine: self.options.engine,
            shortening: self.options.shortening,
            ..check::Options::default()
        };
        let formulas: Vec<&Formula> = self.formulas.iter().collect();
        let mut wanted = Wanted::default();
        // As on the command line: one state space for all, if edges are stored.
        let shared = (explores && !formulas.is_empty())
            .then(|| Quotient::sharded(system, self.reduction(), Compression::None))
            .filter(|space| !space.is_plain())
            .map(Quotient::with_edges);
        if explores || formulas.is_empty() {
            let asked = states::Options {
                properties,
                deadlock: self.options.deadlock,
                symmetry: self.reduction(),
                most_states: self.options.states,
                threads: self.options.threads,
            };
            let found = match &shared {
                None => states::check_states(system, &asked, &self.watch),
                Some(space) => check_states_on(space, system, &asked, &self.watch),
            };
            let asked =
                finding::Asked { system, formulas: &[], options: &options, items: of_items };
            let findings = Findings::new(&asked, Vec::new(), Some(found));
            wanted.add(system, &self.formulas, &findings.all);
            send(Message::Findings(findings));
        }
        if !formulas.is_empty() {
            let found = match &shared {
                None => check::check_all(system, &formulas, &options, &self.watch),
                Some(space) => check_all_on(space, system, &formulas, &options, &self.watch),
            };
            let items = of_formulas;
            let asked = finding::Asked { system, formulas: &formulas, options: &options, items };
            let findings = Findings::new(&asked, found, None);
            wanted.add(system, &self.formulas, &findings.all);
            send(Message::Findings(findings));
        }
        if self.options.certificate {
            let limits = Limits::new(self.options.threads, &self.watch);
            let made = wanted.make(self.protocol, system, &self.formulas, self.reduction(), limits);
            send(Message::Certificate(made));
        }
    }

    fn count(&self) -> Counts {
        let system = &*self.system;
        let options = engine::explore::Options {
            symmetry: self.reduction(),
            deadlock: Deadlock::Off,
            most_states: self.options.states,
            threads: self.options.threads,
            ..engine::explore::Options::default()
        };
        let nothing = Asked { properties: Vec::new(), until_decided: false };
        let (found, _) = engine::explore::explore_asked(system, &options, &nothing, &self.watch);
        Counts::of(&found)
    }
}

impl From<Vec<Message>> for Parts {
    fn from(messages: Vec<Message>) -> Self {
        let mut parts = Parts::default();
        for message in messages {
            match message {
                Message::Verified(verified) => parts.verified = Some(verified),
                Message::Findings(found) => {
                    parts.stopped = parts.stopped.or(found.stopped);
                    parts.findings.extend(found.all);
                }
                Message::Panicked(what) => parts.panicked = Some(what),
                Message::Certificate(one) => parts.certificate = Some(one),
                Message::Counts(_) | Message::Proof(_) => {}
            }
        }
        parts
    }
}
