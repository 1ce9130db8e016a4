//! How to get to a state: the way back by parents, the way forth by the reference interpreter.
//!
//! Compiled code has found the states; that they lead from one to the next is seen once more, by
//! the interpreter. A step that it does not know is a bug of ours.

use super::ViolationKind;
use super::search::read_words;
use super::store::{StateId, Store};
use crate::model::checked::Model;
use crate::model::interpret::{Event, Interpreter, Process, State};
use crate::system::Layout;

/// A run from a start state.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The name of the start state, with the values of its parameters.
    pub start: String,
    /// The steps, each with the state before it.
    pub steps: Vec<TraceStep>,
    /// The state behind the last step.
    pub end: State,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The state before the step.
    pub state: State,
    /// Who executes it.
    pub process: Process,
    /// What is observed of it.
    pub event: Event,
}

/// Makes traces.
pub(super) struct Tracer<'t> {
    pub(super) model: &'t Model,
    pub(super) layout: &'t Layout,
    pub(super) store: &'t Store,
}

impl Tracer<'_> {
    /// A shortest run to a state.
    pub(super) fn trace(&self, state: StateId, _: &ViolationKind) -> Trace {
        let mut way = vec![state];
        while let Some(parent) = self.store.parent(way[way.len() - 1]) {
            way.push(parent);
        }
        way.reverse();
        let interpreter = Interpreter::new(self.model);
        let states: Vec<State> = way.into_iter().map(|id| self.decode(id)).collect();
        let start = interpreter
            .starts()
            .flatten()
            .find(|start| start.state == states[0])
            .expect("the interpreter knows every start state")
            .show(self.model);
        let mut steps = Vec::new();
        for pair in states.windows(2) {
            let instances = interpreter
                .instances(&pair[0])
                .expect("a state with steps has guards that can be read");
            let (process, event) = instances
                .into_iter()
                .find(|instance| {
                    interpreter
                        .fire(&pair[0], instance)
                        .is_ok_and(|outcome| outcome.target.as_ref() == Some(&pair[1]))
                })
                .map(|instance| (instance.process, instance.event))
                .expect("the interpreter knows every step");
            steps.push(TraceStep { state: pair[0].clone(), process, event });
        }
        let end = states.last().expect("a run has a state").clone();
        Trace { start, steps, end }
    }

    fn decode(&self, id: StateId) -> State {
        let mut packed = vec![0; self.layout.words()];
        read_words(self.store.get(id), &mut packed);
        let mut cells = vec![0; self.layout.cells()];
        self.layout.unpack(&packed, &mut cells);
        self.layout.state(self.model, &cells)
    }
}
