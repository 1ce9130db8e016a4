//! Whether a formula holds: some run in the unreduced product for some tuple, or none.

use crate::brute_force::{Move, Negation, Runs, bindings};
use automata::guard::Guard;
use automata::{Builder, Components, Marks, State};
use isonomy::explore::Deadlock;
use model::checked::{Formula, Model};
use model::interpret::{self, Interpreter};
use model::reference::{Binding, Run};
use support::orbits::{Graph, Step, assumptions};

/// What is true of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// For all tuples.
    Holds,
    /// For some tuple not, and nothing fails.
    Violated,
    /// A rule fails in a reachable state, or an atom does.
    Fails,
}

/// A model, with all of its states.
pub struct Reference<'m> {
    pub model: &'m Model,
    pub graph: Graph,
    /// Whether a start state, a rule or an assumption fails.
    pub fails: bool,
}

/// What is true of a formula, tuple by tuple.
pub struct Truth<'f> {
    negation: Negation<'f>,
    pub answer: Answer,
    /// The tuples for which some run violates it.
    pub violated: Vec<Binding>,
}

impl<'m> Reference<'m> {
    /// None, if there are more states than that.
    pub fn new(model: &'m Model, most: usize) -> Option<Reference<'m>> {
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
    pub fn truth<'f>(&self, formula: &'f Formula) -> Truth<'f> {
        let (answer, violated) = (Answer::Fails, Vec::new());
        let mut truth = Truth { negation: Negation::of(formula), answer, violated };
        if self.fails {
            return truth;
        }
        let runs = Runs::of(&self.graph);
        for binding in bindings(self.model, &formula.tracked) {
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
    pub fn refutes(&self, truth: &Truth<'_>, binding: &Binding, run: &Run) -> Result<(), String> {
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
                .map(|(k, step)| {
                    vec![Move { step: step.as_ref().map(|one| (0, one)), target: next(k) }]
                })
                .collect(),
        };
        match truth.violates(self.model, &alone, binding) {
            Some(true) => Ok(()),
            Some(false) => Err("it satisfies the formula".to_owned()),
            None => Err("an atom fails".to_owned()),
        }
    }
}

impl<'f> Truth<'f> {
    /// Of which formula.
    pub fn formula(&self) -> &'f Formula {
        self.negation.formula
    }

    /// Whether some run violates the formula for these values; none if an atom fails in one of the
    /// states.
    fn violates(&self, model: &Model, all: &Runs<'_>, binding: &Binding) -> Option<bool> {
        let product = self.negation.product(model, all, binding)?;
        // State 0 leads to all starts.
        let number = |node: usize| State(node as u32 + 1);
        let mut runs = Builder::new();
        for start in 0..product.starts {
            runs.edge(Guard::TRUE, Marks::NONE, number(start));
        }
        let initial = runs.end_state();
        for edges in &product.edges {
            for edge in edges {
                runs.edge(Guard::TRUE, edge.marks, number(edge.target));
            }
            runs.end_state();
        }
        let runs = runs.finish(initial, self.negation.automaton.acceptance_sets());
        Some(Components::of(&runs).is_useful(initial))
    }
}
