//! The unreduced product, by definition: every tuple of tracked values, every state of the unreduced graph, a tableau
//! that nothing has reduced. With and without fairness, runs are looked for in it.

use automata::guard::Guards;
use automata::limits::Limits;
use automata::tableau::tableau;
use automata::{Automaton, Marks, State};
use ltl::normal;
use model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand, TrackedGroup};
use model::interpret::{self, Interpreter};
use model::value::{Scalar, Value};
use std::collections::HashMap;
use support::orbits::{Graph, Step};

/// All values of tracked variables.
pub fn bindings(model: &Model, tracked: &[TrackedGroup]) -> Vec<Vec<(LocalId, Scalar)>> {
    let mut found = vec![Vec::new()];
    for group in tracked {
        for (k, &local) in group.locals.iter().enumerate() {
            let longer = found.iter().flat_map(|binding: &Vec<(LocalId, Scalar)>| {
                let before = &binding[binding.len() - k..];
                let values = (0..model.types.size(group.of))
                    .map(|value| Scalar::nth(&model.types, group.of, value));
                let fits = values.filter(|value| {
                    !group.distinct || before.iter().all(|(_, other)| other != value)
                });
                fits.map(|value| [&binding[..], &[(local, value)]].concat()).collect::<Vec<_>>()
            });
            found = longer.collect();
        }
    }
    found
}

/// A formula, and the tableau of its negation.
pub struct Negation<'f> {
    pub formula: &'f Formula,
    pub automaton: Automaton,
    guards: Guards<'static>,
}

/// The runs of a graph, or one of them.
pub struct Runs<'g> {
    pub states: Vec<&'g interpret::State>,
    pub starts: Vec<usize>,
    /// By state: its steps.
    pub moves: Vec<Vec<Move<'g>>>,
}

/// A step of the graph with its number among those of its state, or a stutter.
pub struct Move<'g> {
    pub step: Option<(usize, &'g Step)>,
    pub target: usize,
}

impl Runs<'_> {
    /// All runs of a graph.
    pub fn of(graph: &Graph) -> Runs<'_> {
        let all = 0..graph.states.len();
        let moves = all.clone().map(|state| {
            let stutter = graph.is_deadlock[state].then_some(Move { step: None, target: state });
            let steps = graph.steps[state].iter().enumerate();
            let steps = steps.map(|(k, step)| Move { step: Some((k, step)), target: step.target });
            stutter.into_iter().chain(steps).collect()
        });
        Runs {
            states: graph.states.iter().collect(),
            starts: all.clone().filter(|&state| graph.is_start[state]).collect(),
            moves: moves.collect(),
        }
    }
}

/// Runs that violate a formula, as far as steps and the automaton go.
pub struct Product {
    /// State of the graph, state of the automaton. The first ones are those of start states.
    pub nodes: Vec<(usize, State)>,
    pub starts: usize,
    /// By node.
    pub edges: Vec<Vec<Edge>>,
}

/// An edge of the product.
pub struct Edge {
    pub target: usize,
    pub marks: Marks,
    /// The number of the step among those of its state; none is the stutter.
    pub step: Option<usize>,
}

impl<'f> Negation<'f> {
    pub fn of(formula: &'f Formula) -> Negation<'f> {
        let mut formulas = formula.formulas.clone();
        let negation = formulas.not(formula.root);
        let negation = normal::negation_normal_form(&mut formulas, negation);
        let mut guards = Guards::new(Limits::default());
        let automaton = tableau(&mut guards, &formulas, negation).expect("a small formula");
        Negation { formula, automaton, guards }
    }

    /// The product with some runs, for some values; none if an atom fails in one of their states.
    pub fn product(
        &self,
        model: &Model,
        runs: &Runs<'_>,
        binding: &[(LocalId, Scalar)],
    ) -> Option<Product> {
        let Negation { formula, automaton, guards } = self;
        let interpreter = Interpreter::new(model);
        let mut of_state = Vec::new();
        for state in &runs.states {
            let mut letter = Vec::new();
            for atom in &formula.atoms {
                letter.push(match atom {
                    Atom::State { condition, .. } => {
                        let locals = &formula.locals;
                        let value = interpreter.evaluate(condition, locals, binding, state).ok()?;
                        value == Value::boolean(true)
                    }
                    _ => false,
                });
            }
            of_state.push(letter);
        }
        let mut nodes: Vec<(usize, State)> = Vec::new();
        let mut numbers: HashMap<(usize, State), usize> = HashMap::new();
        let mut number = |nodes: &mut Vec<(usize, State)>, node: (usize, State)| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        for &start in &runs.starts {
            number(&mut nodes, (start, automaton.initial()));
        }
        let starts = nodes.len();
        let mut all = Vec::new();
        while all.len() < nodes.len() {
            let (state, q) = nodes[all.len()];
            let mut edges = Vec::new();
            for Move { step, target } in &runs.moves[state] {
                let mut letter = of_state[state].clone();
                for (truth, atom) in letter.iter_mut().zip(&formula.atoms) {
                    *truth |= step.is_some_and(|(_, step)| happens(atom, step, binding));
                }
                for edge in automaton.edges(q) {
                    if guards.evaluate(edge.guard, |atom| letter[atom as usize]) {
                        let target = number(&mut nodes, (*target, edge.target));
                        let step = step.map(|(k, _)| k);
                        edges.push(Edge { target, marks: edge.marks, step });
                    }
                }
            }
            all.push(edges);
        }
        Some(Product { nodes, starts, edges: all })
    }
}

/// Whether an atom is true of a step, whatever the state.
fn happens(atom: &Atom, step: &Step, binding: &[(LocalId, Scalar)]) -> bool {
    let value = |operand: Operand| match operand {
        Operand::Constant(scalar) => scalar,
        Operand::Local(local) => binding.iter().find(|one| one.0 == local).expect("bound").1,
    };
    match atom {
        Atom::State { .. } => false,
        Atom::Event { events, arguments, .. } => {
            let mut said = arguments.iter().zip(&step.event.arguments);
            events.contains(&step.event.event)
                && said.all(|(operand, argument)| {
                    operand.is_none_or(|operand| *argument == Value::Scalar(value(operand)))
                })
        }
        Atom::By { process: None, .. } => true,
        Atom::By { process: Some(ProcessOperand::Single(family)), .. } => {
            step.process.family == *family && step.process.member.is_none()
        }
        Atom::By { process: Some(ProcessOperand::Member(operand)), .. } => {
            step.process.member == Some(value(*operand))
        }
    }
}
