//! A simulation whose steps somebody chooses.
//!
//! The same commands do the same at a terminal and in a script; only prompts are for terminals. What
//! is asked for goes to standard output, messages about commands and violations to standard error.
//! Long lists come in pages, and start states, of which there may be very many, are made as they are
//! listed. A step or start state that fails is listed, too: who chooses it sees how it fails.

mod command;

use super::super::budget::Budget;
use super::super::console::Console;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::input::{Input, Text};
use super::super::loading::no_start;
use super::super::table::table;
use super::super::view::{Change, LoadedSystem as _, View as _};
use super::system::{
    OfferOf, StartOf, Started, StateOfSystem, System, TakenOf, Trouble, TroubleOf, WordsOfSystem,
    printed,
};
use super::walk::draw_start;
use command::{Command, HELP};
use judge::Action;
use run::SplitMix64;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;

/// Lines of a list that are shown at once.
const PAGE: usize = 20;
/// What a list ends in that goes on.
const MORE: &str = "  (`more` lists more)\n";
/// Changes that a list shows of one step.
const CHANGES: usize = 4;

/// Runs the command.
pub(super) fn run<S: System>(
    system: &S,
    given: Option<Given<S>>,
    full_states: bool,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let mut session = Session {
        system,
        full_states,
        budget,
        console,
        input: Input::open(Path::new("-"), budget.interrupt())?,
        at_terminal: io::stdin().is_terminal(),
        random: SplitMix64::new(0),
        exit: Exit::Done,
    };
    let outcome = session.converse(given);
    // What was met before counts, too.
    Ok(session.exit.and(outcome.err().map_or(Exit::Done, |error| {
        session.console.complain(&error);
        error.exit()
    })))
}

struct Session<'a, S> {
    system: &'a S,
    full_states: bool,
    budget: &'a Budget,
    console: &'a mut Console,
    input: Input,
    at_terminal: bool,
    /// Of `random`. The seed is fixed, so that the same commands make the same session.
    random: SplitMix64,
    /// The gravest that was met so far.
    exit: Exit,
}

/// What follows the steps from one start state.
#[derive(PartialEq)]
enum Next {
    Starts,
    Quit,
}

/// A step that was taken, and the state after it.
type Taking<S> = (Action<WordsOfSystem<S>>, StateOfSystem<S>);

/// A run to begin with.
pub(super) struct Given<S: System> {
    start: Started<StateOfSystem<S>>,
    steps: Vec<Taking<S>>,
}

impl<S: System> Given<S> {
    /// The first `most` steps of a run, or all of them. It is an error if the system does not have them.
    pub(super) fn of(
        system: &S,
        run: &judge::Run<WordsOfSystem<S>>,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Given<S>, Error> {
        let kind = system.view().kind().to_lowercase();
        let mut states = run.states();
        let first = states.next().expect("a run has a state");
        let find = |start: Result<StartOf<S>, Error>| match start {
            Ok(Ok(start)) => (start.state == *first).then_some(Ok(start)),
            Ok(Err(_)) => None,
            Err(error) => Some(Err(error)),
        };
        let Some(start) = system.starts(budget).find_map(find) else {
            let message = format!("the {kind} does not have the start state of that run");
            return Err(Error::usage(message));
        };
        let mut steps: Vec<Taking<S>> = Vec::new();
        let mut before = first;
        for (step, after) in run.steps().zip(states).take(most.unwrap_or(usize::MAX)) {
            budget.check()?;
            // A run that cannot go on stays where it is.
            let Some(action) = &step.action else { break };
            let is_it = |offer: &OfferOf<S>| {
                let leads = |taken: &TakenOf<S>| taken.target == *after;
                offer.action == *action && offer.outcome.as_ref().is_ok_and(leads)
            };
            if !system.offers(before).is_ok_and(|offers| offers.iter().any(is_it)) {
                return Err(Error::usage(format!(
                    "the {kind} does not have step {} of that run: {}",
                    steps.len() + 1,
                    system.label(action)
                ))
                .help("`isonomy replay` says more"));
            }
            steps.push((action.clone(), after.clone()));
            before = after;
        }
        Ok(Given { start: start?, steps })
    }
}

/// The steps since a start state, and what is possible now.
struct Run<S: System> {
    start: Started<StateOfSystem<S>>,
    steps: Vec<Taking<S>>,
    offers: Vec<OfferOf<S>>,
    /// What the lines of the list contain.
    filter: String,
    /// From this offer on none has been listed.
    listed: usize,
    /// Whether nobody knows what is possible, because a guard fails.
    guards_fail: bool,
}

impl<S: System> Run<S> {
    fn new(start: Started<StateOfSystem<S>>) -> Self {
        let (steps, offers, filter) = (Vec::new(), Vec::new(), String::new());
        Run { start, steps, offers, filter, listed: 0, guards_fail: false }
    }

    /// A line about what is possible, if nothing is.
    fn deadlock(&self) -> &'static str {
        let stays = |offer: &OfferOf<S>| match &offer.outcome {
            Ok(taken) => taken.target == *self.state(),
            Err(_) => false,
        };
        match (self.guards_fail, self.offers.is_empty()) {
            (true, _) => "  (unknown: a guard fails)\n",
            (false, true) => "  (deadlock: no step is possible)\n",
            (false, false) if self.offers.iter().all(stays) => {
                "  (deadlock: no step changes the state)\n"
            }
            (false, false) => "",
        }
    }

    fn state(&self) -> &StateOfSystem<S> {
        self.steps.last().map_or(&self.start.state, |(_, state)| state)
    }
}

/// Start states as far as they have been asked for.
struct Starts<I, T> {
    rest: I,
    made: Vec<T>,
}

impl<T, I: Iterator<Item = Result<T, Error>>> Starts<I, T> {
    /// Makes as many, if there are so many; how many there are now.
    fn make(&mut self, count: usize) -> Result<usize, Error> {
        while self.made.len() < count
            && let Some(start) = self.rest.next()
        {
            self.made.push(start?);
        }
        Ok(self.made.len())
    }
}

impl<S: System> Session<'_, S> {
    fn converse(&mut self, given: Option<Given<S>>) -> Result<(), Error> {
        if let Some(Given { start, steps }) = given
            && self.step_from(start, steps)? == Next::Quit
        {
            return Ok(());
        }
        while let Some(start) = self.choose_start()? {
            if self.step_from(start, Vec::new())? == Next::Quit {
                break;
            }
        }
        Ok(())
    }

    /// The start state that is chosen; the only one, if there is only one.
    fn choose_start(&mut self) -> Result<Option<Started<StateOfSystem<S>>>, Error> {
        let system = self.system;
        let mut starts = Starts { rest: system.starts(self.budget).fuse(), made: Vec::new() };
        if starts.make(2)? == 0 {
            return Err(no_start());
        }
        if let [Ok(only)] = &starts.made[..] {
            return Ok(Some(only.clone()));
        }
        self.console.print("start states\n")?;
        let mut listed = self.list_starts(&mut starts, 0)?;
        while let Some(line) = self.line()? {
            match Command::parse(&line) {
                Ok(Command::Quit) => return Ok(None),
                Ok(Command::Help) => self.console.print(HELP)?,
                Ok(Command::Go) => listed = self.list_starts(&mut starts, 0)?,
                Ok(Command::More) => listed = self.list_starts(&mut starts, listed)?,
                Ok(Command::Random(1)) => {
                    match draw_start(system, &mut self.random, self.budget)? {
                        Ok(start) => return Ok(Some(start)),
                        Err(trouble) => self.tell(&trouble),
                    }
                }
                Ok(Command::Number(number)) => {
                    starts.make(number)?;
                    match number.checked_sub(1).and_then(|k| starts.made.get(k)) {
                        None => self.refuse(&format!("{number} is not in the list")),
                        Some(Ok(start)) => return Ok(Some(start.clone())),
                        Some(Err(failure)) => self.tell(&Trouble::Failed(failure.clone())),
                    }
                }
                Ok(_) => self.refuse("choose a start state first, by its number"),
                Err(message) => self.refuse(&message),
            }
        }
        Ok(None)
    }

    /// A page of start states from this one on; where the next page begins.
    fn list_starts<I: Iterator<Item = Result<StartOf<S>, Error>>>(
        &mut self,
        starts: &mut Starts<I, StartOf<S>>,
        from: usize,
    ) -> Result<usize, Error> {
        let loaded = self.system.loaded();
        // One more tells whether there is another page.
        let to = starts.make(from + PAGE + 1)?.min(from + PAGE);
        let row = |(k, start): (usize, &StartOf<S>)| {
            let shown = match start {
                Ok(start) => start.name.clone(),
                Err(failure) => format!("fails: {}", loaded.fault(failure).message),
            };
            vec![(k + 1).to_string(), shown]
        };
        let rows: Vec<_> = starts.made.iter().enumerate().take(to).skip(from).map(row).collect();
        let more = if starts.made.len() > to { MORE } else { "" };
        self.console.print(&(table(&rows) + more))?;
        Ok(to)
    }

    fn step_from(
        &mut self,
        start: Started<StateOfSystem<S>>,
        steps: Vec<Taking<S>>,
    ) -> Result<Next, Error> {
        let mut run = Run::new(start);
        run.steps = steps;
        self.trace(&run)?;
        if !run.steps.is_empty() && !self.full_states {
            self.show(&run)?;
        }
        self.arrive(&mut run);
        self.list(&mut run, 0)?;
        while let Some(line) = self.line()? {
            match Command::parse(&line) {
                Ok(Command::Quit) => return Ok(Next::Quit),
                Ok(Command::Go) => return Ok(Next::Starts),
                Ok(Command::Help) => self.console.print(HELP)?,
                Ok(Command::Show) => self.show(&run)?,
                Ok(Command::Trace) => self.trace(&run)?,
                Ok(Command::More) => {
                    let from = run.listed;
                    self.list(&mut run, from)?;
                }
                Ok(Command::Filter(text)) => {
                    text.to_lowercase().clone_into(&mut run.filter);
                    self.list(&mut run, 0)?;
                }
                Ok(Command::Undo(count)) => {
                    let left = run.steps.len().saturating_sub(count);
                    if left == run.steps.len() {
                        self.refuse("there is no step to take back");
                        continue;
                    }
                    run.steps.truncate(left);
                    self.show(&run)?;
                    self.arrive(&mut run);
                    self.list(&mut run, 0)?;
                }
                Ok(Command::Random(count)) => {
                    for _ in 0..count {
                        self.budget.check()?;
                        let drawn = self.random.below(run.offers.len());
                        if run.offers.is_empty() || !self.take(&mut run, drawn)? {
                            break;
                        }
                    }
                    self.list(&mut run, 0)?;
                }
                Ok(Command::Number(number)) => {
                    match number.checked_sub(1).filter(|&k| k < run.offers.len()) {
                        None => self.refuse(&format!("{number} is not in the list")),
                        Some(k) => {
                            self.take(&mut run, k)?;
                            self.list(&mut run, 0)?;
                        }
                    }
                }
                Err(message) => self.refuse(&message),
            }
        }
        Ok(Next::Quit)
    }

    /// Takes a step and prints it; whether all is well.
    fn take(&mut self, run: &mut Run<S>, offer: usize) -> Result<bool, Error> {
        let OfferOf::<S> { action, outcome } = &run.offers[offer];
        let taken = match outcome {
            Ok(taken) => taken,
            Err(failure) => {
                self.tell(&Trouble::Failed(failure.clone()));
                return Ok(false);
            }
        };
        let (before, after) = (run.state(), &taken.target);
        let label = self.system.label(action);
        let what = self.difference(before, after);
        let number = run.steps.len() + 1;
        self.console.print(&format!("{number} {label}\n{}{what}", printed(&taken.printed)))?;
        run.steps.push((action.clone(), after.clone()));
        let is_well = self.arrive(run);
        if !is_well && !self.full_states {
            self.show(run)?;
        }
        Ok(is_well)
    }

    /// Judges the state and finds the steps out of it; whether all is well.
    fn arrive(&mut self, run: &mut Run<S>) -> bool {
        let trouble = self.system.trouble(run.state());
        let (offers, failed) = match self.system.offers(run.state()) {
            Ok(offers) => (offers, None),
            Err(failure) => (Vec::new(), Some(Trouble::Failed(failure))),
        };
        run.offers = offers;
        // What was looked for in one list is not looked for in the next.
        run.filter.clear();
        run.guards_fail = failed.is_some();
        let mut is_well = true;
        for trouble in trouble.into_iter().chain(failed) {
            self.tell(&trouble);
            is_well = false;
        }
        is_well
    }

    /// A page of the possible steps that contain the filter's text.
    fn list(&mut self, run: &mut Run<S>, from: usize) -> Result<(), Error> {
        let mut rows = Vec::new();
        let mut more = false;
        for (k, offer) in run.offers.iter().enumerate().skip(from) {
            let row = self.row(run.state(), k, offer);
            let contains = |cell: &String| cell.to_lowercase().contains(&run.filter);
            if !run.filter.is_empty() && !row[1..].iter().any(contains) {
                continue;
            }
            if rows.len() == PAGE {
                more = true;
                break;
            }
            rows.push(row);
            run.listed = k + 1;
        }
        let mut out = if from == 0 { "steps\n".to_owned() } else { String::new() };
        out += &table(&rows);
        if more {
            out += MORE;
        } else if rows.is_empty() && !run.offers.is_empty() {
            out += if from == 0 { "  (none contains the text)\n" } else { "  (no more)\n" };
        }
        if from == 0 {
            out += run.deadlock();
        }
        self.console.print(&out)
    }

    /// A line of the list: number, step, changes.
    fn row(&self, state: &StateOfSystem<S>, k: usize, offer: &OfferOf<S>) -> Vec<String> {
        let what = match &offer.outcome {
            Err(failure) => format!("fails: {}", self.system.loaded().fault(failure).message),
            Ok(taken) => {
                let changes = self.system.view().changes(state, &taken.target);
                let shown = changes.iter().take(CHANGES);
                let show = |one: &Change| match one.edit {
                    Some(_) => format!("{} {}", one.place, one.show(str::to_owned)),
                    None => format!("{} := {}", one.place, one.after),
                };
                let shown: Vec<_> = shown.map(show).collect();
                let more = changes.len().saturating_sub(CHANGES);
                match (shown.len(), more) {
                    (0, _) => "(changes nothing)".to_owned(),
                    (_, 0) => shown.join("; "),
                    _ => format!("{}; and {more} more", shown.join("; ")),
                }
            }
        };
        vec![(k + 1).to_string(), self.system.label(&offer.action), what]
    }

    fn show(&mut self, run: &Run<S>) -> Result<(), Error> {
        let title = match run.steps.len() {
            0 => "start state".to_owned(),
            1 => "state after 1 step".to_owned(),
            steps => format!("state after {steps} steps"),
        };
        self.console.print(&format!("{title}\n{}", self.system.state(run.state())))
    }

    fn trace(&mut self, run: &Run<S>) -> Result<(), Error> {
        let system = self.system;
        let mut out = started(&run.start) + &system.state(&run.start.state);
        let mut before = &run.start.state;
        for (k, (action, state)) in run.steps.iter().enumerate() {
            let what = self.difference(before, state);
            let _ = write!(out, "{} {}\n{what}", k + 1, system.label(action));
            before = state;
        }
        self.console.print(&out)
    }

    /// What is printed of the state after a step.
    fn difference(&self, before: &StateOfSystem<S>, after: &StateOfSystem<S>) -> String {
        if self.full_states { self.system.state(after) } else { self.system.changes(before, after) }
    }

    /// The next line of input, if there is one.
    fn line(&mut self) -> Result<Option<String>, Error> {
        loop {
            if self.at_terminal {
                self.console.print("> ")?;
            }
            let line = self.input.next_line(self.budget.interrupt())?;
            self.budget.check()?;
            match line {
                None if self.at_terminal => self.console.print("\n")?,
                None => {}
                Some(Text { fault: None, content, .. }) => return Ok(Some(content)),
                Some(text @ Text { fault: Some(_), .. }) => {
                    let fault = text.fault.as_ref().expect("it was just seen");
                    self.console.diagnose(&text, fault);
                    self.spoil();
                    continue;
                }
            }
            return Ok(None);
        }
    }

    /// Says what is wrong with the model.
    fn tell(&mut self, trouble: &TroubleOf<S>) {
        self.system.tell(trouble, self.console);
        self.exit = self.exit.and(Exit::Violated);
    }

    /// Says what is wrong with a command.
    fn refuse(&mut self, message: &str) {
        self.console.complain(&Error::usage(message));
        self.spoil();
    }

    /// A script with a line that is no command is bad input; at a terminal one just tries again.
    fn spoil(&mut self) {
        if !self.at_terminal {
            self.exit = self.exit.and(Exit::BadInput);
        }
    }
}

fn started<State>(start: &Started<State>) -> String {
    format!("start: {}\n{}", start.name, printed(&start.printed))
}
