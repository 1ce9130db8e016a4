//! The unreduced graph of a model, by the reference interpreter.

use isonomy::explore::Deadlock;
use model::checked::{Model, Property, PropertyId};
use model::interpret::{Event, Interpreter, Process, State};
use model::syntax::PropertyKind;
use std::collections::HashMap;

/// States by number, in the order in which they were found, with their steps.
#[derive(Default)]
pub struct Graph {
    /// The states by their numbers.
    pub states: Vec<State>,
    /// The inverse of `states`.
    pub numbers: HashMap<State, usize>,
    /// By state: whether a run may start there.
    pub is_start: Vec<bool>,
    /// By state: whether it is a deadlock, by the kind that was asked for.
    pub is_deadlock: Vec<bool>,
    /// By rule: how many of its instances were fired.
    pub fired: Vec<u64>,
    /// By state: its different steps.
    pub steps: Vec<Vec<Step>>,
}

/// The global assumptions of a model.
pub fn assumptions(model: &Model) -> Vec<PropertyId> {
    let all = (0..).map(PropertyId).zip(&model.properties);
    let is_one = |one: &Property| !one.is_statement && one.kind == PropertyKind::Assume;
    all.filter(|(_, one)| is_one(one)).map(|(id, _)| id).collect()
}

/// A step of the unreduced graph, out of a state that its place says.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// The owner of the step.
    pub process: Process,
    /// The event, with its arguments.
    pub event: Event,
    /// The number of the state that it leads to.
    pub target: usize,
}

impl Graph {
    /// All that is reachable; none if that is more than so many states. A state that violates an
    /// invariant has steps only if that is asked for; one in which a guard fails has none.
    pub fn of(
        model: &Model,
        deadlock: Deadlock,
        expand_violating: bool,
        most: usize,
    ) -> Option<Graph> {
        let interpreter = Interpreter::new(model);
        let of_kind = |kinds: &'static [PropertyKind]| {
            let all = (0..).map(PropertyId).zip(&model.properties);
            all.filter(|(_, one)| !one.is_statement && kinds.contains(&one.kind)).map(|(id, _)| id)
        };
        let holds = |state: &State, kinds| {
            of_kind(kinds).all(|property| interpreter.holds(state, property) == Ok(true))
        };
        let mut graph = Graph { fired: vec![0; model.rules.len()], ..Graph::default() };
        for start in interpreter.starts() {
            // One that fails, or is not assumed, is none.
            if let Ok(start) = start
                && holds(&start.state, &[PropertyKind::Assume])
            {
                let number = graph.number(start.state);
                graph.is_start[number] = true;
            }
            if graph.states.len() > most {
                return None;
            }
        }
        let mut next = 0;
        while next < graph.states.len() {
            if graph.states.len() > most {
                return None;
            }
            let state = graph.states[next].clone();
            if expand_violating || holds(&state, &[PropertyKind::Invariant, PropertyKind::Assert]) {
                graph.expand(interpreter, next, deadlock, &|state| {
                    holds(state, &[PropertyKind::Assume])
                });
            }
            next += 1;
        }
        Some(graph)
    }

    fn expand(
        &mut self,
        interpreter: Interpreter,
        source: usize,
        deadlock: Deadlock,
        is_assumed: &dyn Fn(&State) -> bool,
    ) {
        let state = self.states[source].clone();
        let Ok(instances) = interpreter.instances(&state) else { return };
        let (mut fails, mut can_step, mut can_move) = (false, false, false);
        for instance in instances {
            let Ok(outcome) = interpreter.fire(&state, &instance) else {
                fails = true;
                continue;
            };
            // An abandoned body is no step at all.
            let Some(target) = outcome.target else { continue };
            can_step = true;
            self.fired[instance.rule] += 1;
            can_move |= target != state;
            if is_assumed(&target) {
                let target = self.number(target);
                let step = Step { process: instance.process, event: instance.event, target };
                if !self.steps[source].contains(&step) {
                    self.steps[source].push(step);
                }
            }
        }
        // Nobody can tell whether what fails would have been a step.
        self.is_deadlock[source] = !fails
            && match deadlock {
                Deadlock::Stuck => !can_step,
                Deadlock::Off | Deadlock::Stuttering => !can_move,
            };
    }

    fn number(&mut self, state: State) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
            self.is_start.push(false);
            self.is_deadlock.push(false);
            self.steps.push(Vec::new());
        }
        number
    }
}
