//! Whether a formula holds, by definition as far as possible: every tuple of tracked values, every state
//! of the unreduced graph, a tableau that nothing has reduced.

use super::orbits::{Graph, Step};
use isonomy::automata::guard::{Guard, Guards};
use isonomy::automata::limits::Limits;
use isonomy::automata::tableau::tableau;
use isonomy::automata::{Automaton, Builder, Components, Marks, State};
use isonomy::ltl::normal;
use isonomy::model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand};
use isonomy::model::interpret::Interpreter;
use isonomy::model::value::{Scalar, Value};
use std::collections::HashMap;

/// What is true of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// For all tuples.
    Holds,
    /// For some tuple not, and nothing fails.
    Violated,
    /// A rule fails in a reachable state, or an atom does.
    Fails,
}

pub(crate) fn answer(model: &Model, graph: &Graph, formula: &Formula) -> Answer {
    let interpreter = Interpreter::new(model);
    let fails = |state| match interpreter.steps(state) {
        Err(_) => true,
        Ok(steps) => steps.iter().any(|step| {
            let assumptions = super::orbits::assumptions(model);
            assumptions.iter().any(|&one| interpreter.holds(&step.target, one).is_err())
        }),
    };
    let assumptions = super::orbits::assumptions(model);
    let bad_start = interpreter.starts().any(|start| {
        start.map_or(true, |start| {
            assumptions.iter().any(|&one| interpreter.holds(&start.state, one).is_err())
        })
    });
    if bad_start || graph.states.iter().any(fails) {
        return Answer::Fails;
    }
    let mut formulas = formula.formulas.clone();
    let negation = formulas.not(formula.root);
    let negation = normal::negation_normal_form(&mut formulas, negation);
    let mut guards = Guards::new(Limits::default());
    let automaton = tableau(&mut guards, &formulas, negation).expect("a small formula");
    let mut violated = false;
    for binding in bindings(model, formula) {
        let Some(is_violated) = violates(model, graph, formula, &binding, &automaton, &guards)
        else {
            return Answer::Fails;
        };
        violated |= is_violated;
    }
    if violated { Answer::Violated } else { Answer::Holds }
}

/// All values of the tracked variables.
fn bindings(model: &Model, formula: &Formula) -> Vec<Vec<(LocalId, Scalar)>> {
    let mut found = vec![Vec::new()];
    for group in &formula.tracked {
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

/// Whether some run violates the formula for these values; none if an atom fails in a reachable state.
fn violates(
    model: &Model,
    graph: &Graph,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    automaton: &Automaton,
    guards: &Guards<'_>,
) -> Option<bool> {
    let interpreter = Interpreter::new(model);
    let value = |operand: Operand| match operand {
        Operand::Constant(scalar) => scalar,
        Operand::Local(local) => binding.iter().find(|one| one.0 == local).expect("bound").1,
    };
    let mut of_state = Vec::new();
    for state in &graph.states {
        let mut letter = Vec::new();
        for atom in &formula.atoms {
            letter.push(match atom {
                Atom::State { condition, .. } => {
                    let value =
                        interpreter.evaluate(condition, &formula.locals, binding, state).ok()?;
                    value == Value::boolean(true)
                }
                _ => false,
            });
        }
        of_state.push(letter);
    }
    let happens = |atom: &Atom, step: &Step| match atom {
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
    };
    // Node 0 leads to all starts.
    let mut numbers: HashMap<(usize, State), State> = HashMap::new();
    let mut nodes: Vec<(usize, State)> = Vec::new();
    let mut number = |nodes: &mut Vec<(usize, State)>, node: (usize, State)| {
        *numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            State(nodes.len() as u32)
        })
    };
    let mut runs = Builder::new();
    for start in (0..graph.states.len()).filter(|&state| graph.is_start[state]) {
        let target = number(&mut nodes, (start, automaton.initial()));
        runs.edge(Guard::TRUE, Marks::NONE, target);
    }
    let initial = runs.end_state();
    let mut next = 0;
    while next < nodes.len() {
        let (state, q) = nodes[next];
        next += 1;
        let mut letters: Vec<(usize, Vec<bool>)> = Vec::new();
        if graph.is_deadlock[state] {
            letters.push((state, of_state[state].clone()));
        }
        for step in &graph.steps[state] {
            let mut letter = of_state[state].clone();
            for (truth, atom) in letter.iter_mut().zip(&formula.atoms) {
                *truth |= happens(atom, step);
            }
            letters.push((step.target, letter));
        }
        for (target, letter) in letters {
            for edge in automaton.edges(q) {
                if guards.evaluate(edge.guard, |atom| letter[atom as usize]) {
                    let target = number(&mut nodes, (target, edge.target));
                    runs.edge(Guard::TRUE, edge.marks, target);
                }
            }
        }
        runs.end_state();
    }
    let runs = runs.finish(initial, automaton.acceptance_sets());
    Some(Components::of(&runs).is_useful(initial))
}
