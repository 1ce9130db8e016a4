//! A random run.
//!
//! Nothing is kept but the present state, and steps are printed as they are taken, so a run may be
//! as long as one likes. Of the enabled rule instances one is drawn and carried out; if an assumption
//! is against it, another one is drawn. So a failure is one that this run met.

use super::super::budget::Budget;
use super::super::console::Console;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::json::{ConstantsOf, StateEntry, StepEntry};
use super::super::loading::no_start;
use super::super::view::LoadedSystem as _;
use super::system::{
    Started, StateOfSystem, System, TakenOf, Trouble, TroubleOf, WordsOfSystem, printed,
};
use super::{Format, Options};
use judge::Action;
use run::SplitMix64;
use serde::Serialize;
use std::time::{Duration, Instant};

/// The run starts in one of the first so many start states.
pub(super) const STARTS: usize = 1000;

/// Runs the command.
pub(super) fn run<S: System>(
    system: &S,
    seed: u64,
    options: &Options,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let mut walk = Walk {
        system,
        format: options.format,
        full_states: options.full_states,
        taken: 0,
        out: Out {
            console,
            format: options.format,
            buffer: String::new(),
            flushed: Instant::now(),
        },
    };
    let span = tracing::debug_span!("simulate.walk", steps = tracing::field::Empty).entered();
    let mut random = SplitMix64::new(seed);
    walk.begin(seed);
    let start = match draw_start(system, &mut random, budget)? {
        Ok(start) => start,
        Err(trouble) => return walk.end(None, &End::Trouble(trouble)),
    };
    walk.start(&start)?;
    let mut state = start.state;
    let watch = budget.watch();
    let end = loop {
        match watch.over(|| system.trouble(&state)) {
            Err(reason) => break End::Stopped(reason.into()),
            Ok(Some(trouble)) => break End::Trouble(trouble),
            Ok(None) => {}
        }
        if walk.taken == options.steps {
            break End::Done;
        }
        if let Err(error) = budget.check() {
            break End::Stopped(error);
        }
        tracing::trace!(target: "progress", parent: &span, steps = walk.taken);
        let drawn = match watch.over(|| draw_step(system, &state, &mut random)) {
            Err(reason) => break End::Stopped(reason.into()),
            Ok(drawn) => drawn,
        };
        match drawn {
            Ok(Drawn::Step(action, taken)) => {
                walk.step(&action, &state, &taken)?;
                state = taken.target;
            }
            Ok(Drawn::Stuck) => break End::Deadlock("no step is possible"),
            Ok(Drawn::Stuttering) => break End::Deadlock("no step changes the state"),
            Err(trouble) => break End::Trouble(trouble),
        }
    };
    span.record("steps", walk.taken);
    walk.end(Some(&state), &end)
}

/// One of the first start states.
pub(super) fn draw_start<S: System>(
    system: &S,
    random: &mut SplitMix64,
    budget: &Budget,
) -> Result<Result<Started<StateOfSystem<S>>, TroubleOf<S>>, Error> {
    budget.watch().over(|| {
        let mut drawn = None;
        for (k, start) in system.starts(budget).take(STARTS).enumerate() {
            match start? {
                Err(failure) => return Ok(Err(Trouble::Failed(failure))),
                // The k-th of so many replaces what was drawn before with probability 1 / (k + 1).
                Ok(start) if random.below(k + 1) == 0 => drawn = Some(start),
                Ok(_) => {}
            }
        }
        drawn.map(Ok).ok_or_else(no_start)
    })?
}

enum Drawn<S: System + ?Sized> {
    Step(Action<WordsOfSystem<S>>, TakenOf<S>),
    Stuck,
    Stuttering,
}

/// One of the possible steps.
fn draw_step<S: System>(
    system: &S,
    state: &StateOfSystem<S>,
    random: &mut SplitMix64,
) -> Result<Drawn<S>, TroubleOf<S>> {
    let mut left = system.instances(state).map_err(Trouble::Failed)?;
    while !left.is_empty() {
        let instance = left.swap_remove(random.below(left.len()));
        let Some(taken) = system.take(state, &instance).map_err(Trouble::Failed)? else { continue };
        // Those drawn before came to nothing.
        let moves = |other: &S::Instance| match system.take(state, other) {
            Ok(Some(taken)) => taken.target != *state,
            Ok(None) => false,
            Err(_) => true,
        };
        if taken.target == *state && !left.iter().any(moves) {
            return Ok(Drawn::Stuttering);
        }
        return Ok(Drawn::Step(system.action(&instance), taken));
    }
    Ok(Drawn::Stuck)
}

/// How a run ended.
enum End<S: System> {
    Done,
    Deadlock(&'static str),
    Trouble(TroubleOf<S>),
    Stopped(Error),
}

/// Prints a run.
struct Walk<'a, S> {
    system: &'a S,
    format: Format,
    full_states: bool,
    /// How many steps.
    taken: u64,
    out: Out<'a>,
}

impl<S: System> Walk<'_, S> {
    fn begin(&mut self, seed: u64) {
        if self.format == Format::Json {
            let loaded = self.system.loaded();
            let name = json(&loaded.text().name);
            let constants = json(&ConstantsOf(loaded));
            let head = format!(
                r#"{{"schema":1,"model":{name},"constants":{constants},"seed":{}"#,
                json(&super::super::json::Count(u128::from(seed)))
            );
            self.out.buffer.push_str(&head);
        }
    }

    fn start(&mut self, start: &Started<StateOfSystem<S>>) -> Result<(), Error> {
        let shown = &start.name;
        let text = match self.format {
            Format::Text => {
                let printed = printed(&start.printed);
                format!("start: {shown}\n{printed}{}", self.system.state(&start.state))
            }
            Format::Json => {
                say_printed(&start.printed, self.out.console);
                format!(r#","start":{},"steps":["#, json(shown))
            }
        };
        self.out.push(&text)
    }

    fn step(
        &mut self,
        action: &Action<WordsOfSystem<S>>,
        before: &StateOfSystem<S>,
        taken: &TakenOf<S>,
    ) -> Result<(), Error> {
        self.taken += 1;
        let text = match self.format {
            Format::Text => {
                let what = if self.full_states {
                    self.system.state(&taken.target)
                } else {
                    self.system.changes(before, &taken.target)
                };
                let label = self.system.label(action);
                format!("{} {label}\n{}{what}", self.taken, printed(&taken.printed))
            }
            Format::Json => {
                say_printed(&taken.printed, self.out.console);
                let comma = if self.taken > 1 { ",\n" } else { "\n" };
                comma.to_owned() + &json(&StepEntry::of(self.system.view(), Some(action), before))
            }
        };
        self.out.push(&text)
    }

    /// Says how the run ended, on which state if there is one.
    fn end(mut self, state: Option<&StateOfSystem<S>>, end: &End<S>) -> Result<Exit, Error> {
        let text = match self.format {
            Format::Text => self.end_text(state, end),
            Format::Json => self.end_json(state, end),
        };
        let known = match end {
            End::Done | End::Deadlock(_) => Exit::Done,
            End::Trouble(_) => Exit::Violated,
            End::Stopped(error) => error.exit(),
        };
        let printed = self.out.push(&text).and_then(|()| self.out.flush());
        printed.map_err(|error| error.knowing(known))?;
        match end {
            End::Done | End::Deadlock(_) => Ok(Exit::Done),
            End::Trouble(trouble) => {
                self.system.tell(trouble, self.out.console);
                Ok(Exit::Violated)
            }
            End::Stopped(error) => {
                self.out.console.complain(error);
                Ok(error.exit())
            }
        }
    }

    fn end_text(&self, state: Option<&StateOfSystem<S>>, end: &End<S>) -> String {
        let steps = if self.taken == 1 { "step" } else { "steps" };
        let after = format!("after {} {steps}", self.taken);
        // It has just been printed, if it is that of the start or all are.
        let is_known = self.full_states || self.taken == 0;
        let whole = |state: &StateOfSystem<S>| {
            if is_known { String::new() } else { self.system.state(state) }
        };
        match end {
            End::Done => format!("done {after}\n"),
            End::Stopped(_) => format!("stopped {after}\n"),
            End::Deadlock(why) => format!("deadlock {after}: {why}\n"),
            End::Trouble(trouble) => {
                let is_violation = self.system.is_violation(trouble);
                let word = if is_violation { "violation" } else { "run-time error" };
                let during = match trouble {
                    Trouble::Failed(failure) => self.system.during(failure),
                    Trouble::Violated(_) => None,
                };
                let during = during.map(|step| format!(" in {step}"));
                let state = state.map(whole).unwrap_or_default();
                format!("{word} {after}{}\n{state}", during.unwrap_or_default())
            }
        }
    }

    fn end_json(&self, state: Option<&StateOfSystem<S>>, end: &End<S>) -> String {
        // Without a start the list of steps has not been opened.
        let start = if state.is_none() { r#","start":null,"steps":["# } else { "" };
        let (result, message) = match end {
            End::Done => ("done", None),
            End::Deadlock(why) => ("deadlock", Some((*why).to_owned())),
            End::Trouble(trouble) => {
                let is_violation = self.system.is_violation(trouble);
                let word = if is_violation { "violated" } else { "runtime-error" };
                (word, Some(self.system.diagnostic(trouble).message))
            }
            End::Stopped(error) => ("stopped", Some(error.to_string())),
        };
        let place = match end {
            End::Trouble(trouble) => Some(self.system.location(trouble)),
            _ => None,
        };
        let file = place.and_then(|place| place.file);
        let file = file.map(|file| format!("\"file\":{},", json(&file))).unwrap_or_default();
        format!(
            "{start}],\"end\":{},\"result\":{},\"message\":{},{file}\"line\":{},\"column\":{}}}\n",
            json(&state.map(|state| StateEntry { view: self.system.view(), state })),
            json(&result),
            json(&message),
            json(&place.map(|place| place.line)),
            json(&place.map(|place| place.column)),
        )
    }
}

/// Prints in pieces of a reasonable size, at reasonable times.
struct Out<'a> {
    console: &'a mut Console,
    format: Format,
    buffer: String,
    flushed: Instant,
}

impl Out<'_> {
    /// Bytes that are printed at once.
    const ENOUGH: usize = 1 << 15;
    /// Nobody waits longer than this for what has happened.
    const LATEST: Duration = Duration::from_millis(100);

    fn push(&mut self, text: &str) -> Result<(), Error> {
        self.buffer.push_str(text);
        if self.buffer.len() >= Self::ENOUGH || self.flushed.elapsed() >= Self::LATEST {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        match self.format {
            Format::Text => self.console.print(&self.buffer)?,
            Format::Json => self.console.print_json(&self.buffer)?,
        }
        self.buffer.clear();
        self.flushed = Instant::now();
        Ok(())
    }
}

/// What `put` printed is no part of a step, as all commands write it.
fn say_printed(lines: &[String], console: &Console) {
    for line in printed(lines).lines() {
        console.pass_on(line.trim_start());
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings, numbers and lists are JSON")
}
