//! Whether a formula holds, by definition as far as possible: every tuple of tracked values, every state
//! of the unreduced graph, a tableau that nothing has reduced.

use isonomy::automata::guard::{Guard, Guards};
use isonomy::automata::limits::Limits;
use isonomy::automata::tableau::tableau;
use isonomy::automata::{Automaton, Builder, Components, Marks, State};
use isonomy::counterexample::{Binding, Run};
use isonomy::explore::Deadlock;
use isonomy::ltl::normal;
use isonomy::model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand};
use isonomy::model::interpret::{self, Interpreter};
use isonomy::model::value::{Scalar, Value};
use std::collections::HashMap;
use support::orbits::{Graph, Step, assumptions};

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

/// A model, with all of its states.
pub(crate) struct Reference<'m> {
    pub(crate) model: &'m Model,
    pub(crate) graph: Graph,
    /// Whether a start state, a rule or an assumption fails.
    pub(crate) fails: bool,
}

/// What is true of a formula, tuple by tuple.
pub(crate) struct Truth<'f> {
    formula: &'f Formula,
    automaton: Automaton,
    guards: Guards<'static>,
    pub(crate) answer: Answer,
    /// The tuples for which some run violates it.
    pub(crate) violated: Vec<Binding>,
}

impl<'m> Reference<'m> {
    /// None, if there are more states than that.
    pub(crate) fn new(model: &'m Model, most: usize) -> Option<Reference<'m>> {
        let graph = Graph::of(model, Deadlock::Stuck, true, most)?;
        let interpreter = Interpreter::new(model);
        let assumptions = assumptions(model);
        let is_bad = |state: &interpret::State| {
            assumptions.iter().any(|&one| interpreter.holds(state, one).is_err())
        };
        let fails = |state| match interpreter.steps(state) {
            Err(_) => true,
            Ok(steps) => steps.iter().any(|step| is_bad(&step.target)),
        };
        let bad_start =
            interpreter.starts().any(|start| start.map_or(true, |start| is_bad(&start.state)));
        let fails = bad_start || graph.states.iter().any(fails);
        Some(Reference { model, graph, fails })
    }

    /// What is true of a formula.
    pub(crate) fn truth<'f>(&self, formula: &'f Formula) -> Truth<'f> {
        let mut formulas = formula.formulas.clone();
        let negation = formulas.not(formula.root);
        let negation = normal::negation_normal_form(&mut formulas, negation);
        let mut guards = Guards::new(Limits::default());
        let automaton = tableau(&mut guards, &formulas, negation).expect("a small formula");
        let (answer, violated) = (Answer::Fails, Vec::new());
        let mut truth = Truth { formula, automaton, guards, answer, violated };
        if self.fails {
            return truth;
        }
        let runs = Runs::of(&self.graph);
        for binding in bindings(self.model, formula) {
            match truth.violates(self.model, &runs, &binding) {
                Some(true) => truth.violated.push(binding),
                Some(false) => {}
                None => return truth,
            }
        }
        truth.answer = if truth.violated.is_empty() { Answer::Holds } else { Answer::Violated };
        truth
    }

    /// Whether a run is one of the graph, and is read by the tableau of the negation; what is wrong, if
    /// not. This is no part of the judge, and should say the same.
    pub(crate) fn refutes(
        &self,
        truth: &Truth<'_>,
        binding: &Binding,
        run: &Run,
    ) -> Result<(), String> {
        if truth.answer == Answer::Violated && !truth.violated.contains(binding) {
            return Err(format!("no run violates it for {binding:?}"));
        }
        let number = |state| self.graph.numbers.get(state).copied();
        let numbers: Option<Vec<usize>> = run.states().map(number).collect();
        let numbers = numbers.ok_or("a state that is not reachable")?;
        if !self.graph.is_start[numbers[0]] {
            return Err("it does not start in a start state".to_owned());
        }
        let mut steps: Vec<Option<Step>> = Vec::new();
        for (position, step) in run.steps().enumerate() {
            let (source, target) = (numbers[position], numbers[position + 1]);
            let step = step.action.clone().map(|(process, event)| Step { process, event, target });
            let is_one = match &step {
                Some(step) => self.graph.steps[source].contains(step),
                None => self.graph.is_deadlock[source] && source == target,
            };
            if !is_one {
                return Err(format!("step {position} is none"));
            }
            steps.push(step);
        }
        let (home, length) = (run.stem.len(), steps.len());
        if numbers.get(home) != numbers.last() || home == length {
            return Err("it does not close".to_owned());
        }
        // The graph of this run alone: its states are positions.
        let next = |position| if position + 1 < length { position + 1 } else { home };
        let alone = Runs {
            states: run.states().take(length).collect(),
            starts: vec![0],
            moves: steps
                .iter()
                .enumerate()
                .map(|(k, step)| vec![(step.as_ref(), next(k))])
                .collect(),
        };
        match truth.violates(self.model, &alone, binding) {
            Some(true) => Ok(()),
            Some(false) => Err("it satisfies the formula".to_owned()),
            None => Err("an atom fails".to_owned()),
        }
    }
}

/// Who can go where.
struct Runs<'g> {
    states: Vec<&'g interpret::State>,
    starts: Vec<usize>,
    /// By state: steps, or stutters, and where they lead.
    moves: Vec<Vec<(Option<&'g Step>, usize)>>,
}

impl Runs<'_> {
    /// All runs of a graph.
    fn of(graph: &Graph) -> Runs<'_> {
        let all = 0..graph.states.len();
        let moves = all.clone().map(|state| {
            let stutter = graph.is_deadlock[state].then_some((None, state));
            let steps = graph.steps[state].iter().map(|step| (Some(step), step.target));
            stutter.into_iter().chain(steps).collect()
        });
        Runs {
            states: graph.states.iter().collect(),
            starts: all.clone().filter(|&state| graph.is_start[state]).collect(),
            moves: moves.collect(),
        }
    }
}

/// All values of the tracked variables.
fn bindings(model: &Model, formula: &Formula) -> Vec<Binding> {
    let mut found = vec![Vec::new()];
    for group in &formula.tracked {
        for (k, &local) in group.locals.iter().enumerate() {
            let longer = found.iter().flat_map(|binding: &Binding| {
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

impl<'f> Truth<'f> {
    /// Of which formula.
    pub(crate) fn formula(&self) -> &'f Formula {
        self.formula
    }

    /// Whether some run violates the formula for these values; none if an atom fails in one of the
    /// states.
    fn violates(&self, model: &Model, all: &Runs<'_>, binding: &Binding) -> Option<bool> {
        let Truth { formula, automaton, guards, .. } = self;
        let interpreter = Interpreter::new(model);
        let mut of_state = Vec::new();
        for state in &all.states {
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
        for &start in &all.starts {
            let target = number(&mut nodes, (start, automaton.initial()));
            runs.edge(Guard::TRUE, Marks::NONE, target);
        }
        let initial = runs.end_state();
        let mut next = 0;
        while next < nodes.len() {
            let (state, q) = nodes[next];
            next += 1;
            for &(step, target) in &all.moves[state] {
                let mut letter = of_state[state].clone();
                for (truth, atom) in letter.iter_mut().zip(&formula.atoms) {
                    *truth |= step.is_some_and(|step| happens(atom, step, binding));
                }
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
