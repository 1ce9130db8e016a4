//! The whole graph of a small state space, or its quotient, to be drawn.
//!
//! It is computed by the reference interpreter, breadth first, one state after the other: it shares
//! only the meaning of the options with the search and, under symmetry, the computation of
//! representatives. Equivalent steps are found by searching for the image of each under the
//! generators of the stabiliser, not by the arguments alone. So the graph is a second opinion about
//! all counts of a search.

use super::{Deadlock, Options, Progress, Symmetry, Watch};
use compile::CompiledModel;
use compile::cells::{Layout, flatten_state, state_of};
use engine::symmetry::{
    Canonicaliser, Indices, OrbitPartition, Permutation, Point, Stabiliser, Structure,
};
use engine::system::System as _;
use hashbrown::{HashMap, HashSet};
use model::action::Permutations;
use model::checked::{Model, PropertyId};
use model::interpret::{Event, Failure, Interpreter, Process, State};
use model::syntax::PropertyKind;
use num_bigint::BigUint;
use run::StopReason;
use tracing::field::Empty;

/// States and steps; under symmetry, representatives and orbits of their steps.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The states: start states first, then in the order in which they were found.
    pub nodes: Vec<Node>,
    /// The steps, in the order of their sources.
    pub edges: Vec<Edge>,
    /// The index types whose values are the points of permutations.
    pub indices: Indices,
}

/// A state of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// The state.
    pub state: State,
    /// The number of states that it stands for; 1 without symmetry.
    pub orbit: BigUint,
    /// Whether it is a start state.
    pub is_start: bool,
    /// Whether an invariant is violated here, or an evaluation fails.
    pub is_violating: bool,
    /// Whether it counts as a deadlock.
    pub is_deadlock: bool,
}

/// A step of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The node before the step.
    pub source: usize,
    /// The node after it.
    pub target: usize,
    /// The process that executes it.
    pub process: Process,
    /// The observable event.
    pub event: Event,
    /// The permutation that takes the state of the target node to the one after the step; the
    /// identity without symmetry.
    pub permutation: Permutation,
    /// The number of steps out of the source that it stands for: they are equivalent under the
    /// stabiliser of the source. 1 without symmetry.
    pub steps: u64,
}

/// The graph of what [`explore`](super::explore) explores with the same options, but with unique
/// representatives even if the options only sort states. The progress is reported to `watch`, which
/// may stop the computation.
pub fn graph(
    system: &CompiledModel<'_>,
    options: &Options,
    watch: &Watch,
) -> Result<Graph, StopReason> {
    watch.over(|| built(system, options, watch)).and_then(|graph| graph)
}

fn built(
    system: &CompiledModel<'_>,
    options: &Options,
    watch: &Watch,
) -> Result<Graph, StopReason> {
    let model = system.model();
    let of_kind = |wanted: &[PropertyKind]| -> Vec<PropertyId> {
        let all = (0..).map(PropertyId).zip(&model.properties);
        let those = all.filter(|(_, one)| !one.is_statement && wanted.contains(&one.kind));
        those.map(|(id, _)| id).collect()
    };
    let indices = match options.symmetry {
        Symmetry::Off => Indices::new([]),
        Symmetry::Canonical | Symmetry::Sorted => system.indices(),
    };
    let structure = (!indices.is_trivial()).then(|| Structure::new(system.layout(), &indices));
    let mut builder = Builder {
        orbits: structure.as_ref().map(|structure| Orbits::new(system, &indices, structure)),
        interpreter: Interpreter::new(model),
        assumptions: of_kind(&[PropertyKind::Assume]),
        invariants: of_kind(&[PropertyKind::Invariant, PropertyKind::Assert]),
        options,
        numbers: HashMap::new(),
        graph: Graph { nodes: Vec::new(), edges: Vec::new(), indices },
    };
    let span = tracing::debug_span!("explore.graph", nodes = Empty, edges = Empty).entered();
    builder.starts(watch)?;
    let mut next = 0;
    while next < builder.graph.nodes.len() {
        let (nodes, edges) = (builder.graph.nodes.len(), builder.graph.edges.len());
        tracing::trace!(target: "progress", nodes, edges);
        builder.ask(watch)?;
        builder.expand(next);
        next += 1;
    }
    span.record("nodes", builder.graph.nodes.len());
    span.record("edges", builder.graph.edges.len());
    Ok(builder.graph)
}

/// The positions of states in the graph of a system: the nodes that stand for them, if there are
/// any.
pub fn nodes_of<'s>(
    system: &CompiledModel<'_>,
    graph: &Graph,
    states: impl IntoIterator<Item = &'s State>,
) -> Vec<Option<usize>> {
    let indices = &graph.indices;
    let structure = (!indices.is_trivial()).then(|| Structure::new(system.layout(), indices));
    let mut orbits = structure.as_ref().map(|structure| Orbits::new(system, indices, structure));
    let numbers: HashMap<&State, usize> =
        graph.nodes.iter().enumerate().map(|(k, node)| (&node.state, k)).collect();
    let find = |state: &State| match &mut orbits {
        Some(orbits) => numbers.get(&orbits.representative(state).0).copied(),
        None => numbers.get(state).copied(),
    };
    states.into_iter().map(find).collect()
}

struct Builder<'g> {
    interpreter: Interpreter<'g>,
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    options: &'g Options,
    /// The orbits, if there is symmetry.
    orbits: Option<Orbits<'g>>,
    /// By state: its number among the nodes.
    numbers: HashMap<State, usize>,
    graph: Graph,
}

/// A step out of the state that is expanded.
struct Step {
    process: Process,
    event: Event,
    target: State,
}

impl Builder<'_> {
    fn ask(&self, watch: &Watch) -> Result<(), StopReason> {
        let (states, steps) = (self.graph.nodes.len() as u64, self.graph.edges.len() as u64);
        let most = self.options.most_states.filter(|most| states > *most);
        let stop = || watch.report(&Progress { states, steps, ..Progress::default() });
        most.map(|most| StopReason::States(most as usize)).or_else(stop).map_or(Ok(()), Err)
    }

    fn starts(&mut self, watch: &Watch) -> Result<(), StopReason> {
        let interpreter = self.interpreter;
        for start in interpreter.starts() {
            self.ask(watch)?;
            // A start state whose construction fails is no state.
            let Ok(start) = start else { continue };
            if self.is_assumed(&start.state) == Ok(true) {
                let (number, _) = self.number(start.state);
                self.graph.nodes[number].is_start = true;
            }
        }
        Ok(())
    }

    fn expand(&mut self, source: usize) {
        let state = self.graph.nodes[source].state.clone();
        let interpreter = self.interpreter;
        let stabiliser = self.orbits.as_mut().map(|orbits| orbits.stabiliser(&state));
        if let (Some(orbits), Some(stabiliser)) = (&self.orbits, &stabiliser) {
            self.graph.nodes[source].orbit = &orbits.order / stabiliser.order();
        }
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
        let (mut fails, mut count, mut moves) = (false, 0, 0);
        let mut seen = HashSet::new();
        let mut steps: Vec<Step> = Vec::new();
        for instance in instances {
            let outcome = interpreter.fire(&state, &instance);
            fails |= outcome.is_err();
            let Some(target) = outcome.ok().and_then(|outcome| outcome.target) else { continue };
            count += 1;
            moves += u32::from(target != state);
            // A step that an assumption forbids is no step, but a process that could take it is not
            // stuck.
            let is_assumed = self.is_assumed(&target);
            fails |= is_assumed.is_err();
            if is_assumed != Ok(true) {
                continue;
            }
            let (process, event) = (instance.process, instance.event);
            if seen.insert((process, event.clone(), target.clone())) {
                steps.push(Step { process, event, target });
            }
        }
        let node = &mut self.graph.nodes[source];
        node.is_violating |= fails;
        node.is_deadlock = !fails
            && match self.options.deadlock {
                Deadlock::Stuck => count == 0,
                Deadlock::Off | Deadlock::Stuttering => moves == 0,
            };
        let alike = match (&self.orbits, &stabiliser) {
            (Some(orbits), Some(stabiliser)) => orbits.alike(stabiliser, &steps),
            _ => OrbitPartition::new(steps.len()),
        };
        let mut sizes = vec![0; steps.len()];
        for k in 0..steps.len() {
            sizes[alike.find(k as Point) as usize] += 1;
        }
        for (Step { process, event, target }, steps) in steps.into_iter().zip(sizes) {
            if steps > 0 {
                let (target, permutation) = self.number(target);
                self.graph.edges.push(Edge { source, target, process, event, permutation, steps });
            }
        }
    }

    fn is_assumed(&self, state: &State) -> Result<bool, Failure> {
        for &assumption in &self.assumptions {
            if !self.interpreter.holds(state, assumption)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of a state's representative, which is added if it is new, and the permutation
    /// that takes it to the state.
    fn number(&mut self, state: State) -> (usize, Permutation) {
        let (state, permutation) = match &mut self.orbits {
            Some(orbits) => orbits.representative(&state),
            None => (state, Permutation::identity(self.graph.indices.points())),
        };
        let next = self.graph.nodes.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            let (is_start, is_violating, is_deadlock) = (false, false, false);
            let orbit = BigUint::from(1_u32);
            self.graph.nodes.push(Node { state, orbit, is_start, is_violating, is_deadlock });
        }
        (number, permutation)
    }
}

/// The equivalence of states and steps under the group.
struct Orbits<'g> {
    model: &'g Model,
    layout: &'g Layout,
    indices: Indices,
    /// The order of the group.
    order: BigUint,
    canonicaliser: Canonicaliser<'g>,
}

impl<'g> Orbits<'g> {
    fn new(system: &'g CompiledModel<'_>, indices: &Indices, structure: &'g Structure) -> Self {
        Orbits {
            model: system.model(),
            layout: system.layout(),
            order: indices.all().order(),
            canonicaliser: structure.canonicaliser(),
            indices: indices.clone(),
        }
    }

    fn packed(&self, state: &State) -> Vec<u64> {
        let mut cells = Vec::new();
        flatten_state(self.model, state, &mut cells);
        let mut packed = vec![0; self.layout.words()];
        self.layout.pack(&cells, &mut packed);
        packed
    }

    fn stabiliser(&mut self, state: &State) -> Stabiliser {
        let packed = self.packed(state);
        self.canonicaliser.stabiliser(&packed).clone()
    }

    /// The representative of a state, and the permutation that takes it to the state.
    fn representative(&mut self, state: &State) -> (State, Permutation) {
        let mut packed = self.packed(state);
        let permutation = self.canonicaliser.canonicalise_with(&mut packed);
        let mut cells = vec![0; self.layout.cells()];
        self.layout.unpack(&packed, &mut cells);
        let representative = state_of(self.model, &cells);
        let image = self.by_types(&permutation).state(self.model, &representative);
        assert!(image == *state, "the permutation leads back from the representative");
        (representative, permutation)
    }

    /// A permutation of points as one of the crate `model`, type by type.
    fn by_types(&self, permutation: &Permutation) -> Permutations {
        let images = self.indices.types().map(|of| {
            let points = self.indices.points_of(of);
            points.clone().map(|point| permutation.image(point) - points.start).collect()
        });
        Permutations::of_images(images.collect()).expect("a value stays in its type")
    }

    /// The orbits of the steps out of a state under its stabiliser.
    fn alike(&self, stabiliser: &Stabiliser, steps: &[Step]) -> OrbitPartition {
        let mut by_event: HashMap<(Process, &Event), Vec<usize>> = HashMap::new();
        for (k, step) in steps.iter().enumerate() {
            by_event.entry((step.process, &step.event)).or_default().push(k);
        }
        let mut alike = OrbitPartition::new(steps.len());
        for generator in stabiliser.generators() {
            let by = self.by_types(&generator);
            for (k, step) in steps.iter().enumerate() {
                let (process, event) = self.renamed(&by, step);
                let those = by_event.get(&(process, &event)).map_or(&[][..], Vec::as_slice);
                let image = if let [only] = those {
                    Some(*only)
                } else {
                    let target = by.state(self.model, &step.target);
                    those.iter().copied().find(|&one| steps[one].target == target)
                };
                let image = image.expect("the image of a step is a step");
                alike.union(k as Point, image as Point);
            }
        }
        alike
    }

    fn renamed(&self, by: &Permutations, step: &Step) -> (Process, Event) {
        let Event { event, arguments } = &step.event;
        let parameters = &self.model.events[event.0 as usize].parameters;
        let arguments = arguments.iter().zip(parameters);
        let arguments = arguments.map(|(value, (_, of))| by.value(&self.model.types, *of, value));
        let member = step.process.member.map(|member| by.scalar(member));
        let process = Process::new(self.model, step.process.family, member);
        (process, Event { event: *event, arguments: arguments.collect() })
    }
}
