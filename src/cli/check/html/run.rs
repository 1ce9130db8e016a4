//! A run as data for the script of the page.
//!
//! States of a run have most in common. So the first one is given, and for each step what it changes; places, values,
//! processes and events are numbers of a list of names. Rows of the page are states: row 0 is the first, row k the one
//! behind step k.

use super::super::super::error::Error;
use super::super::super::steps;
use super::super::super::view::{
    ComponentOf, EnabledStep, EventOf, LoadedSystem, OnwardOf, ProcessOf, RunOf, StateOf, StepOf,
    View,
};
use super::super::report::{ResultView, WordsOf};
use super::word::{self, AutomatonData, PartData};
use super::{Writer, line, prefix};
use crate::frontend::FrontEnd;
use judge::{Reference, letters};
use ltl::word::Lasso;
use run::Progress;
use run::poll::poll_for;
use serde::Serialize;
use std::collections::HashMap;

/// More processes are shown only if they do something.
const MOST_PROCESSES: usize = 40;
/// More places of a component are left out.
const MOST_PLACES: usize = 5000;
/// What else is possible is not computed for longer runs.
const MOST_EXPANDED: usize = 300;
/// Nor is it shown if there are more steps than this in all.
const MOST_ENABLED: usize = 20_000;

/// A run.
#[derive(Serialize)]
pub(super) struct RunData {
    /// Those who act, and if these are few, all.
    processes: Vec<String>,
    events: Vec<String>,
    places: Vec<String>,
    values: Vec<String>,
    /// The places of arrays over the same index type.
    tables: Vec<TableData>,
    /// The rules: name, line in its file, and where that is on the page.
    rules: Vec<(String, usize, String)>,
    /// For each row what can be done in its state; none if there is too much of it.
    enabled: Option<EnabledRows>,
    /// For each step where it is among those that are enabled before it.
    taken: Vec<Option<usize>>,
    /// The value of each place in the first state.
    start: Vec<u32>,
    steps: Vec<StepData>,
    /// Steps that come once; all others come again and again.
    stem: usize,
    /// What takes a lap to the next.
    lap: Option<String>,
    /// The formula, and its parts.
    parts: Vec<PartData>,
    /// `, for c = client_0`: the values that it is about.
    around: String,
    pub(super) automaton: Option<AutomatonData>,
    /// The node of each row in the picture of the state space.
    nodes: Option<Vec<Option<usize>>>,
    component: Option<ComponentData>,
}

/// The process and the event, if it is no stutter, and the places that change with their new values and,
/// of multisets, sets and queues, with what was removed and added.
#[derive(Serialize)]
struct StepData(Option<u32>, Option<u32>, Vec<(u32, u32, Option<u32>)>);

/// A table: the names of its rows, and each column with the number of its place in each row.
#[derive(Serialize)]
struct TableData(Vec<String>, Vec<(String, Vec<u32>)>);

/// For each row what can be done in its state.
type EnabledRows = Vec<Vec<EnabledData>>;

/// A step that is possible: its label, among the events, and its rule.
#[derive(Serialize)]
struct EnabledData(u32, usize);

/// A component of a globally fair run.
#[derive(Serialize)]
struct ComponentData {
    places: Vec<PlaceData>,
    /// How many there are, those left out included.
    count: usize,
    /// The node of each place in the picture of the state space.
    nodes: Option<Vec<Option<usize>>>,
}

/// A place of a component.
#[derive(Serialize)]
struct PlaceData {
    /// The value of each place of the state.
    state: Vec<u32>,
    steps: Vec<OnwardData>,
    symmetries: Vec<String>,
}

/// The process and the event, if it is no stutter, the place where it leads to, and what permutes that.
#[derive(Serialize)]
struct OnwardData(Option<u32>, Option<u32>, usize, String);

/// Different texts, numbered in the order in which they were met.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        })
    }
}

impl<L: LoadedSystem, F: FrontEnd> Writer<'_, L, F>
where
    F::Reference: Reference<Vocabulary = WordsOf<L>>,
{
    /// The run of the k-th result.
    pub(super) fn run(
        &self,
        k: usize,
        result: &ResultView<'_, WordsOf<L>>,
        run: &RunOf<L::View>,
    ) -> Result<RunData, Error> {
        let view = self.loaded.view();
        let found = result.counterexample;
        let mut recorder = Recorder::new(view);
        let (places, start): (Vec<String>, Vec<String>) =
            view.parts(run.states().next().expect("a run has a state")).into_iter().unzip();
        let start = start.into_iter().map(|value| recorder.values.number(value)).collect();
        recorder.places = (0..).zip(&places).map(|(k, place)| (place.clone(), k)).collect();
        let work = 1 + places.len() as u64;
        let steps = run.steps().zip(run.states().skip(1)).map(|(step, after)| {
            poll_for(work);
            recorder.step(step, after)
        });
        let steps = steps.collect();
        let (enabled, taken) = self.enabled(run, &mut recorder).unzip();
        let component = found.and_then(|found| found.component.as_ref()).map(|component| {
            let shown = component.places.iter().take(MOST_PLACES).map(|place| &place.state);
            let nodes = self.space.nodes(&shown.collect::<Vec<_>>());
            recorder.component(component, nodes)
        });
        let (mut parts, mut automaton) = (Vec::new(), None);
        let reference = self.system.reference();
        if let (Some(formula), Some(found), false) = (result.formula, found, run.cycle.is_empty())
            && let Ok(mut stem) = letters(reference, formula, &found.binding, run)
        {
            let cycle = stem.split_off(run.stem.len());
            let word = Lasso::new(stem, cycle).expect("the cycle is not empty");
            let watch = |_: &Progress| self.budget.probe();
            parts = word::parts(reference, formula, &word);
            let limits = self.budget.limits(&watch);
            automaton = match word::automaton(self.system, formula, &word, &prefix(k), limits) {
                // The run is worth a report without a picture, too.
                Err(Error::Stopped(_)) => None,
                other => other?,
            };
        }
        let first = run.states().next().expect("a run has a state");
        let tables = view.tables(first).into_iter().map(|table| {
            let place = |place: String| recorder.places[&place];
            let columns = table.columns.into_iter();
            let columns = columns.map(|(name, all)| (name, all.into_iter().map(place).collect()));
            TableData(table.rows, columns.collect())
        });
        let tables = tables.collect();
        let rule = |(name, span): (&str, _)| {
            let place = self.loaded.place(span);
            let anchor = line(place.included.unwrap_or(0), place.line);
            (name.to_owned(), place.line, anchor)
        };
        Ok(RunData {
            tables,
            rules: self.loaded.rules().into_iter().map(rule).collect(),
            enabled,
            taken: taken.unwrap_or_default(),
            processes: recorder.processes.names,
            events: recorder.events.names,
            places,
            values: recorder.values.names,
            start,
            steps,
            stem: run.stem.len(),
            lap: found
                .and_then(|found| found.renaming.as_ref())
                .map(|renaming| steps::permutation(view, renaming)),
            parts,
            around: result.bindings.around().to_owned(),
            automaton,
            nodes: self.space.nodes(&run.states().collect::<Vec<_>>()),
            component,
        })
    }
}

impl<L: LoadedSystem, F: FrontEnd> Writer<'_, L, F>
where
    F::Reference: Reference<Vocabulary = WordsOf<L>>,
{
    /// What can be done in each state of a run, and which of it the run does, unless that is too much,
    /// or not known of such systems.
    fn enabled(
        &self,
        run: &RunOf<L::View>,
        recorder: &mut Recorder<'_, L::View>,
    ) -> Option<(EnabledRows, Vec<Option<usize>>)> {
        let rows = run.states().count();
        if rows > MOST_EXPANDED {
            return None;
        }
        let (mut all, mut taken, mut count) = (Vec::new(), Vec::new(), 0);
        let mut following = run.steps().zip(run.states().skip(1));
        for state in run.states() {
            poll_for(64);
            let steps = self.loaded.enabled(state, MOST_ENABLED - count)?;
            count += steps.len();
            if let Some((next, after)) = following.next() {
                let is_it = |one: &EnabledStep<WordsOf<L>>| {
                    next.action.as_ref() == Some(&one.action) && one.target == *after
                };
                taken.push(steps.iter().position(is_it));
            }
            all.push(steps.iter().map(|step| recorder.enabled(step)).collect());
        }
        Some((all, taken))
    }
}

struct Recorder<'m, W> {
    view: &'m W,
    processes: Names,
    events: Names,
    values: Names,
    places: HashMap<String, u32>,
}

impl<'m, W: View> Recorder<'m, W> {
    fn new(view: &'m W) -> Self {
        let mut processes = Names::default();
        let all = view.processes(MOST_PROCESSES);
        if all.len() <= MOST_PROCESSES {
            for name in all {
                processes.number(name);
            }
        }
        let (events, values) = (Names::default(), Names::default());
        Recorder { view, processes, events, values, places: HashMap::new() }
    }

    fn step(&mut self, step: &StepOf<W>, after: &StateOf<W>) -> StepData {
        let (process, event) = self.action(step.action.as_ref());
        let changes = self.view.changes(&step.state, after).into_iter();
        let changes = changes.map(|change| {
            let edit = change.edit.is_some().then(|| change.show(str::to_owned));
            let edit = edit.map(|edit| self.values.number(edit));
            (self.places[&change.place], self.values.number(change.after), edit)
        });
        StepData(process, event, changes.collect())
    }

    /// A step that is possible.
    fn enabled(&mut self, step: &EnabledStep<W::Words>) -> EnabledData {
        let (process, event) = &step.action;
        EnabledData(self.events.number(self.view.label(process, event)), step.rule)
    }

    fn action(
        &mut self,
        action: Option<&(ProcessOf<W>, EventOf<W>)>,
    ) -> (Option<u32>, Option<u32>) {
        let Some((process, event)) = action else { return (None, None) };
        let process = self.view.process(process).map(|name| self.processes.number(name));
        (process, Some(self.events.number(self.view.event(event))))
    }

    fn component(
        &mut self,
        component: &ComponentOf<W>,
        nodes: Option<Vec<Option<usize>>>,
    ) -> ComponentData {
        let places = component.places.iter().take(MOST_PLACES).map(|place| {
            let parts = self.view.parts(&place.state).into_iter();
            poll_for((parts.len() + place.steps.len()) as u64);
            PlaceData {
                state: parts.map(|(_, value)| self.values.number(value)).collect(),
                steps: place.steps.iter().map(|step| self.onward(step)).collect(),
                symmetries: (place.symmetries.iter())
                    .map(|one| steps::permutation(self.view, one))
                    .collect(),
            }
        });
        ComponentData { places: places.collect(), count: component.places.len(), nodes }
    }

    fn onward(&mut self, step: &OnwardOf<W>) -> OnwardData {
        let (process, event) = self.action(step.action.as_ref());
        let permutation = steps::permutation(self.view, &step.renaming);
        OnwardData(process, event, step.target, permutation)
    }
}
