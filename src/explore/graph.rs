//! The whole graph of a small state space, to be drawn.
//!
//! Made by the reference interpreter, breadth first: nothing here is shared with the search but the
//! meaning of the options.

use super::{Deadlock, Options};
use crate::model::checked::{Model, PropertyId};
use crate::model::interpret::{Event, Failure, Interpreter, Process, State};
use crate::model::syntax::PropertyKind;
use automata::StopReason;
use hashbrown::{HashMap, HashSet};

/// States and steps.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The states, start states first, then as they were found.
    pub nodes: Vec<Node>,
    /// The steps, in the order of their sources.
    pub edges: Vec<Edge>,
}

/// A state of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// The state.
    pub state: State,
    /// Whether it is a start state.
    pub is_start: bool,
    /// Whether an invariant is violated here, or something fails.
    pub is_violating: bool,
    /// Whether it counts as a deadlock.
    pub is_deadlock: bool,
}

/// A step of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The node before the step.
    pub source: usize,
    /// The node behind it.
    pub target: usize,
    /// Who executes it.
    pub process: Process,
    /// What is observed of it.
    pub event: Event,
}

/// The graph of what [`explore`](super::explore) explores with the same options. `stop` is asked
/// now and then whether to stop, and why.
pub fn graph(
    model: &Model,
    options: &Options,
    stop: &mut dyn FnMut() -> Option<StopReason>,
) -> Result<Graph, StopReason> {
    let of_kind = |wanted: &[PropertyKind]| -> Vec<PropertyId> {
        let all = (0..).map(PropertyId).zip(&model.properties);
        let those = all.filter(|(_, one)| !one.is_statement && wanted.contains(&one.kind));
        those.map(|(id, _)| id).collect()
    };
    let mut builder = Builder {
        interpreter: Interpreter::new(model),
        assumptions: of_kind(&[PropertyKind::Assume]),
        invariants: of_kind(&[PropertyKind::Invariant, PropertyKind::Assert]),
        options,
        numbers: HashMap::new(),
        graph: Graph::default(),
    };
    builder.starts(stop)?;
    let mut next = 0;
    while next < builder.graph.nodes.len() {
        builder.ask(stop)?;
        builder.expand(next);
        next += 1;
    }
    Ok(builder.graph)
}

struct Builder<'g> {
    interpreter: Interpreter<'g>,
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    options: &'g Options,
    /// Where a state is among the nodes.
    numbers: HashMap<State, usize>,
    graph: Graph,
}

impl Builder<'_> {
    fn ask(&self, stop: &mut dyn FnMut() -> Option<StopReason>) -> Result<(), StopReason> {
        let too_many = |most: &u64| self.graph.nodes.len() as u64 > *most;
        let most = self.options.most_states.filter(too_many);
        most.map(|most| StopReason::States(most as usize)).or_else(stop).map_or(Ok(()), Err)
    }

    fn starts(&mut self, stop: &mut dyn FnMut() -> Option<StopReason>) -> Result<(), StopReason> {
        let interpreter = self.interpreter;
        for start in interpreter.starts() {
            self.ask(stop)?;
            // One that fails is no state.
            let Ok(start) = start else { continue };
            if self.is_assumed(&start.state) == Ok(true) {
                let number = self.number(start.state);
                self.graph.nodes[number].is_start = true;
            }
        }
        Ok(())
    }

    fn expand(&mut self, source: usize) {
        let state = self.graph.nodes[source].state.clone();
        let interpreter = self.interpreter;
        let holds = |&claim: &PropertyId| interpreter.holds(&state, claim) == Ok(true);
        if !self.invariants.iter().all(holds) {
            self.graph.nodes[source].is_violating = true;
            if !self.options.expand_violating {
                return;
            }
        }
        let Ok(instances) = interpreter.instances(&state) else {
            self.graph.nodes[source].is_violating = true;
            return;
        };
        let (mut fails, mut steps, mut moves) = (false, 0, 0);
        let mut seen = HashSet::new();
        for instance in instances {
            let outcome = interpreter.fire(&state, &instance);
            fails |= outcome.is_err();
            let Some(target) = outcome.ok().and_then(|outcome| outcome.target) else { continue };
            steps += 1;
            moves += u32::from(target != state);
            // A step that an assumption forbids is no step, but who could take it is not stuck.
            let is_assumed = self.is_assumed(&target);
            fails |= is_assumed.is_err();
            if is_assumed != Ok(true) {
                continue;
            }
            let (process, event) = (instance.process, instance.event);
            if seen.insert((process, event.clone(), target.clone())) {
                let target = self.number(target);
                self.graph.edges.push(Edge { source, target, process, event });
            }
        }
        let node = &mut self.graph.nodes[source];
        node.is_violating |= fails;
        node.is_deadlock = !fails
            && match self.options.deadlock {
                Deadlock::Off => false,
                Deadlock::Stuck => steps == 0,
                Deadlock::Stuttering => moves == 0,
            };
    }

    fn is_assumed(&self, state: &State) -> Result<bool, Failure> {
        for &assumption in &self.assumptions {
            if !self.interpreter.holds(state, assumption)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of a state, a new one if it is new.
    fn number(&mut self, state: State) -> usize {
        let next = self.graph.nodes.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            let (is_start, is_violating, is_deadlock) = (false, false, false);
            self.graph.nodes.push(Node { state, is_start, is_violating, is_deadlock });
        }
        number
    }
}
