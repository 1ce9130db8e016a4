//! Annotated quotient structures, unfolded: exactly the unreduced graph comes out, with and without
//! tracked indices, built in advance or on demand.

use crate::Counts;
use crate::representatives::{indices, renaming};
use compile::CompiledModel;
use compile::cells::{flatten, state_of};
use engine::quotient::{Quotient, Representative, Walk as _, Walker};
use engine::symmetry::{Indices, Point, Reduction};
use engine::system::{Layout, System as _};
use isonomy::explore::Deadlock;
use model::checked::Model;
use model::interpret::{Event, Interpreter, Process, State};
use run::Ticker;
use std::collections::{BTreeSet, HashMap, HashSet};
use support::orbits::{Figures, Graph, Orbits, Renaming, Step, elements, figures};
use support::random;

/// The most states of a random model that is looked at.
pub const LARGEST: usize = 120;

/// Unfolds the random model of a seed, if it has a symmetry.
pub fn random_model(seed: u64, counts: &Counts) {
    let found =
        random::symmetric_model(seed).and_then(|(context, model)| check(&context, &model, LARGEST));
    match found {
        // Built in advance and on demand, with several tracked tuples.
        Some(found) => counts.add(1, 1, 2 * (1 + 2 * found.tracked.len()), 0),
        None => counts.add(1, 0, 0, 1),
    }
}

/// Larger groups are not listed.
const MOST_ELEMENTS: usize = 600;

/// Checks a model with up to so many states and no failure; none if it is not like that.
pub fn check(context: &str, model: &Model, most: usize) -> Option<Figures> {
    let graph = Graph::of(model, Deadlock::Off, true, most)?;
    let group = elements(model, MOST_ELEMENTS)?;
    if fails(model, &graph) {
        return None;
    }
    let expected = figures(model, &graph);
    let system = CompiledModel::new(model);
    let indices = indices(model);
    let orbits = Orbits::of(model, &graph);
    for in_advance in [false, true] {
        let context = format!("in advance: {in_advance}, {context}");
        let quotient = Quotient::new(&system, Reduction::Canonical);
        if in_advance {
            let built = quotient.build(&Ticker::new(&|_| None));
            built.unwrap_or_else(|why| panic!("{why:?}: {context}"));
        }
        let mut unfolding = Unfolding {
            context: &context,
            model,
            graph: &graph,
            orbits: &orbits,
            group: &group,
            indices: &indices,
            layout: system.layout(),
            walker: quotient.walker(),
            starts: Vec::new(),
            numbers: HashMap::new(),
        };
        unfolding.starts = quotient.starts().map(|start| start.expect("none fails")).collect();
        unfolding.edges(&expected);
        assert_eq!(quotient.representatives(), expected.representatives, "{context}");
        // Where nothing is permuted, edges are not stored.
        let is_plain = quotient.is_plain();
        assert!(!is_plain || expected.representatives == graph.states.len(), "{context}");
        let stored = if is_plain { 0 } else { expected.orbit_edges };
        assert_eq!(quotient.stored_edges(), stored as u64, "{context}");
        for l0 in unfolding.tuples() {
            unfolding.tracked(&l0);
        }
    }
    Some(expected)
}

/// Whether a start state, a step or an assumption fails somewhere.
fn fails(model: &Model, graph: &Graph) -> bool {
    let interpreter = Interpreter::new(model);
    let assumptions = support::orbits::assumptions(model);
    let is_read = |state: &State| {
        assumptions.iter().all(|&assumption| interpreter.holds(state, assumption).is_ok())
    };
    let starts = interpreter.starts().any(|start| start.is_err_and(|_| true));
    let fails = |state: &State| match interpreter.steps(state) {
        Ok(steps) => steps.iter().any(|step| !is_read(&step.target)),
        Err(_) => true,
    };
    let mut made = interpreter.starts().flatten();
    starts || made.any(|start| !is_read(&start.state)) || graph.states.iter().any(fails)
}

struct Unfolding<'u> {
    context: &'u str,
    model: &'u Model,
    graph: &'u Graph,
    orbits: &'u Orbits,
    group: &'u [Renaming],
    indices: &'u Indices,
    layout: &'u Layout,
    walker: Walker<'u>,
    starts: Vec<Representative>,
    /// The numbers of representatives in the graph.
    numbers: HashMap<Representative, usize>,
}

impl Unfolding<'_> {
    /// The number of a representative's state in the graph.
    fn number(&mut self, of: Representative) -> usize {
        if let Some(&number) = self.numbers.get(&of) {
            return number;
        }
        let mut cells = vec![0; self.layout.cells()];
        self.layout.unpack(self.walker.state(of), &mut cells);
        let state = state_of(self.model, &cells);
        let number = self.graph.numbers.get(&state);
        let number = *number.unwrap_or_else(|| panic!("not reached: {}", self.context));
        self.numbers.insert(of, number);
        number
    }

    /// Who acts, and what is observed, by rule and cells of the arguments.
    fn labels(&self, state: usize) -> HashMap<(u32, Vec<i64>), (Process, Event)> {
        let interpreter = Interpreter::new(self.model);
        let instances = interpreter.instances(&self.graph.states[state]).expect("no guard fails");
        let label = |instance: model::interpret::Instance| {
            let parameters = &self.model.events[instance.event.event.0 as usize].parameters;
            let mut cells = Vec::new();
            for (value, (_, of)) in instance.event.arguments.iter().zip(parameters) {
                flatten(&self.model.types, *of, value, &mut cells);
            }
            ((instance.rule as u32, cells), (instance.process, instance.event))
        };
        instances.into_iter().map(label).collect()
    }

    /// The image of a state of the graph.
    fn image(&self, g: &Renaming, state: usize) -> usize {
        self.graph.numbers[&g.state(self.model, &self.graph.states[state])]
    }

    fn moved(&self, g: &Renaming, step: &Step) -> Step {
        Step {
            process: g.process(step.process),
            event: g.event(self.model, &step.event),
            target: self.image(g, step.target),
        }
    }

    /// Unfolds all edges from the start states on.
    fn edges(&mut self, expected: &Figures) {
        let mut open = self.starts.clone();
        let distinct: HashSet<_> = open.iter().copied().collect();
        assert_eq!(distinct.len(), open.len(), "a start comes twice: {}", self.context);
        assert_eq!(open.len(), expected.start_representatives, "starts: {}", self.context);
        let mut seen = distinct;
        let mut unfolded: HashSet<(usize, Step)> = HashSet::new();
        let mut edges = 0;
        while let Some(of) = open.pop() {
            let number = self.number(of);
            let labels = self.labels(number);
            let found = self.walker.edges(of).expect("nothing fails").clone();
            edges += found.len();
            for edge in found.iter() {
                if seen.insert(edge.target) {
                    open.push(edge.target);
                }
                let (process, event) = &labels[&(edge.rule, edge.arguments.to_vec())];
                let target = self.number(edge.target);
                let by = renaming(self.indices, &edge.permutation(self.indices.points()));
                let target = self.image(&by, target);
                let step = Step { process: *process, event: event.clone(), target };
                assert!(
                    self.graph.steps[number].contains(&step),
                    "no step: {step:?} {}",
                    self.context
                );
                for g in self.group {
                    unfolded.insert((self.image(g, number), self.moved(g, &step)));
                }
            }
        }
        assert_eq!(seen.len(), expected.representatives, "{}", self.context);
        assert_eq!(edges, expected.orbit_edges, "stored edges: {}", self.context);
        let all = self.graph.steps.iter().enumerate();
        let all: HashSet<_> =
            all.flat_map(|(k, steps)| steps.iter().map(move |step| (k, step.clone()))).collect();
        assert!(unfolded == all, "the unfolded graph is another: {}", self.context);
    }

    /// Tuples of indices to be tracked: none, one of each type, and some pairs.
    fn tuples(&self) -> Vec<Vec<Point>> {
        let types: Vec<_> = self.indices.types().map(|of| self.indices.points_of(of)).collect();
        let mut found: Vec<Vec<Point>> = vec![Vec::new()];
        for points in &types {
            let last = points.end - 1;
            found.push(vec![last]);
            found.push(vec![last, points.start]);
        }
        if let [first, second, ..] = &types[..] {
            found.push(vec![second.start, first.end - 1]);
        }
        found
    }

    /// The elements of the group that fix a state of the graph and a tuple.
    fn fixing(&self, number: usize, tuple: &[Point]) -> Vec<&Renaming> {
        let state = &self.graph.states[number];
        let fixes_tuple = |g: &&Renaming| tuple.iter().all(|&point| self.point(g, point) == point);
        let fixes_state = |g: &&Renaming| g.state(self.model, state) == *state;
        self.group.iter().filter(fixes_tuple).filter(fixes_state).collect()
    }

    fn point(&self, g: &Renaming, point: Point) -> Point {
        let (of, k) = self.indices.value(point);
        self.indices.points_of(of).start + g.images[of.0 as usize][k as usize]
    }

    /// Orbits of pairs of a state and a tuple: a state that brute force knows, and the least tuple.
    fn orbit(&self, number: usize, tuple: &[Point]) -> (usize, Vec<Point>) {
        let first = self.orbits.first[number];
        let image = |g: &Renaming| tuple.iter().map(|&point| self.point(g, point)).collect();
        let leads = self.group.iter().filter(|g| self.image(g, number) == first);
        (first, leads.map(image).min().expect("some element leads to the first state"))
    }

    /// Walks the quotient with tracked indices.
    fn tracked(&mut self, l0: &[Point]) {
        let mut open: Vec<(Representative, Vec<Point>)> = Vec::new();
        for start in self.starts.clone() {
            let tuples =
                self.walker.starts_with(start, l0).into_iter().map(|reached| reached.tuple);
            open.extend(tuples.into_iter().map(|tuple| (start, tuple)));
        }
        let mut seen: HashSet<_> = open.iter().cloned().collect();
        assert_eq!(seen.len(), open.len(), "a start comes twice: {}", self.context);
        while let Some((of, tuple)) = open.pop() {
            let context = format!("{l0:?} as {tuple:?}, {}", self.context);
            let number = self.number(of);
            let labels = self.labels(number);
            let found = self.walker.tracked_edges(of, &tuple).expect("nothing fails");
            let mut covered: BTreeSet<Step> = BTreeSet::new();
            let fixing: Vec<Renaming> = self.fixing(number, &tuple).into_iter().cloned().collect();
            for edge in found {
                let by = renaming(self.indices, &edge.permutation);
                let back: Vec<Point> = edge.tuple.iter().map(|&one| self.point(&by, one)).collect();
                assert_eq!(back, tuple, "tracked indices are led elsewhere: {context}");
                let (process, event) = &labels[&(edge.rule, edge.arguments.clone())];
                let target = self.number(edge.target);
                let target = self.image(&by, target);
                let step = Step { process: *process, event: event.clone(), target };
                assert!(self.graph.steps[number].contains(&step), "no step: {step:?} {context}");
                // One of an orbit, unless arguments are more than indices.
                let is_simple = event.arguments.iter().all(|one| {
                    use model::value::Value;
                    matches!(one, Value::Scalar(_) | Value::Undefined)
                });
                assert!(!is_simple || !covered.contains(&step), "two of an orbit: {context}");
                for g in &fixing {
                    covered.insert(self.moved(g, &step));
                }
                let node = (edge.target, edge.tuple);
                if seen.insert(node.clone()) {
                    open.push(node);
                }
            }
            let all: BTreeSet<_> = self.graph.steps[number].iter().cloned().collect();
            assert!(covered == all, "not all steps are covered: {context}");
        }
        // Every state with every tuple that l0 is led to, up to the group, and no orbit twice.
        let image = |g: &Renaming| l0.iter().map(|&point| self.point(g, point)).collect::<Vec<_>>();
        let tuples: HashSet<_> = self.group.iter().map(image).collect();
        let mut expected = HashSet::new();
        for number in self.orbits.representatives() {
            expected.extend(tuples.iter().map(|tuple| self.orbit(number, tuple)));
        }
        let nodes: Vec<_> = seen.into_iter().collect();
        let mut found = HashSet::new();
        for (of, tuple) in nodes {
            let number = self.number(of);
            let is_new = found.insert(self.orbit(number, &tuple));
            assert!(is_new, "two nodes of one orbit: {l0:?} {}", self.context);
        }
        assert!(found == expected, "other nodes: {l0:?} {}", self.context);
    }
}
