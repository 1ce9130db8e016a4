//! A run as data for the script of the page.
//!
//! States of a run have most in common. So the first one is given, and for each step what it changes; places, values,
//! processes and events are numbers of a list of names. Rows of the page are states: row 0 is the first, row k the one
//! behind step k.

use super::super::super::error::Error;
use super::super::super::steps;
use super::super::report::ResultView;
use super::word::{self, AutomatonData, PartData};
use super::{Writer, prefix};
use judge::letters;
use ltl::word::Lasso;
use model::checked::{FamilyId, Model};
use model::interpret::{Event, Process, State};
use model::reference::ModelReference;
use model::reference::{Component, Onward};
use model::reference::{Run, Step};
use model::value::Scalar;
use run::Progress;
use run::poll::poll_for;
use serde::Serialize;
use std::collections::HashMap;

/// More processes are shown only if they do something.
const MOST_PROCESSES: usize = 40;
/// More places of a component are left out.
const MOST_PLACES: usize = 5000;

/// A run.
#[derive(Serialize)]
pub(super) struct RunData {
    /// Those who act, and if these are few, all.
    processes: Vec<String>,
    events: Vec<String>,
    places: Vec<String>,
    values: Vec<String>,
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

/// The process and the event, if it is no stutter, and the places that change with their new values.
#[derive(Serialize)]
struct StepData(Option<u32>, Option<u32>, Vec<(u32, u32)>);

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

impl Writer<'_> {
    /// The run of the k-th result.
    pub(super) fn run(
        &self,
        k: usize,
        result: &ResultView<'_>,
        run: &Run,
    ) -> Result<RunData, Error> {
        let model = &self.loaded.model;
        let found = result.finding.counterexample();
        let mut recorder = Recorder::new(model);
        let (places, start): (Vec<String>, Vec<String>) =
            run.states().next().expect("a run has a state").parts(model).into_iter().unzip();
        let start = start.into_iter().map(|value| recorder.values.number(value)).collect();
        recorder.places = (0..).zip(&places).map(|(k, place)| (place.clone(), k)).collect();
        let work = 1 + places.len() as u64;
        let steps = run.steps().zip(run.states().skip(1)).map(|(step, after)| {
            poll_for(work);
            recorder.step(step, after)
        });
        let steps = steps.collect();
        let component = found.and_then(|found| found.component.as_ref()).map(|component| {
            let shown = component.places.iter().take(MOST_PLACES).map(|place| &place.state);
            let nodes = self.space.nodes(self.system, shown);
            recorder.component(component, nodes)
        });
        let (mut parts, mut automaton) = (Vec::new(), None);
        if let (Some(formula), Some(found), false) = (result.formula, found, run.cycle.is_empty())
            && let Ok(mut stem) = letters(&ModelReference::new(model), formula, &found.binding, run)
        {
            let cycle = stem.split_off(run.stem.len());
            let word = Lasso::new(stem, cycle).expect("the cycle is not empty");
            let watch = |_: &Progress| self.budget.probe();
            parts = word::parts(formula, &word);
            let limits = self.budget.limits(&watch);
            automaton = match word::automaton(formula, &word, &prefix(k), limits) {
                // The run is worth a report without a picture, too.
                Err(Error::Stopped(_)) => None,
                other => other?,
            };
        }
        Ok(RunData {
            processes: recorder.processes.names,
            events: recorder.events.names,
            places,
            values: recorder.values.names,
            start,
            steps,
            stem: run.stem.len(),
            lap: found
                .and_then(|found| found.renaming.as_ref())
                .map(|renaming| steps::permutation(model, renaming)),
            parts,
            around: result.bindings.around(),
            automaton,
            nodes: self.space.nodes(self.system, run.states()),
            component,
        })
    }
}

/// The names of all processes; some may come several times.
fn names_of_processes(model: &Model) -> impl Iterator<Item = String> {
    let types = &model.types;
    (0..).map(FamilyId).zip(&model.processes).flat_map(move |(family, declared)| {
        let members = match declared.of {
            None => vec![None],
            Some(of) => {
                let few = 0..types.size(of).min(MOST_PROCESSES as u64 + 1);
                few.map(|k| Some(Scalar::nth(types, of, k))).collect()
            }
        };
        members.into_iter().map(move |member| Process::new(model, family, member).show(model))
    })
}

struct Recorder<'m> {
    model: &'m Model,
    processes: Names,
    events: Names,
    values: Names,
    places: HashMap<String, u32>,
}

impl<'m> Recorder<'m> {
    fn new(model: &'m Model) -> Self {
        let mut processes = Names::default();
        let all: Vec<String> = names_of_processes(model).take(MOST_PROCESSES + 1).collect();
        if all.len() <= MOST_PROCESSES {
            for name in all {
                processes.number(name);
            }
        }
        let (events, values) = (Names::default(), Names::default());
        Recorder { model, processes, events, values, places: HashMap::new() }
    }

    fn step(&mut self, step: &Step, after: &State) -> StepData {
        let (process, event) = self.action(step.action.as_ref());
        let changes = after.changes(&step.state, self.model).into_iter();
        let changes =
            changes.map(|change| (self.places[&change.place], self.values.number(change.after)));
        StepData(process, event, changes.collect())
    }

    fn action(&mut self, action: Option<&(Process, Event)>) -> (Option<u32>, Option<u32>) {
        let Some((process, event)) = action else { return (None, None) };
        let process = self.processes.number(process.show(self.model));
        (Some(process), Some(self.events.number(event.show(self.model))))
    }

    fn component(
        &mut self,
        component: &Component,
        nodes: Option<Vec<Option<usize>>>,
    ) -> ComponentData {
        let places = component.places.iter().take(MOST_PLACES).map(|place| {
            let parts = place.state.parts(self.model).into_iter();
            poll_for((parts.len() + place.steps.len()) as u64);
            PlaceData {
                state: parts.map(|(_, value)| self.values.number(value)).collect(),
                steps: place.steps.iter().map(|step| self.onward(step)).collect(),
                symmetries: (place.symmetries.iter())
                    .map(|one| steps::permutation(self.model, one))
                    .collect(),
            }
        });
        ComponentData { places: places.collect(), count: component.places.len(), nodes }
    }

    fn onward(&mut self, step: &Onward) -> OnwardData {
        let (process, event) = self.action(step.action.as_ref());
        let permutation = steps::permutation(self.model, &step.renaming);
        OnwardData(process, event, step.target, permutation)
    }
}
