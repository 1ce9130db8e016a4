//! Checking: whether all runs of a model satisfy a formula.
//!
//! The negation of the formula becomes an automaton; for one tuple of tracked values per orbit, the
//! product with the quotient is searched for an accepting component. If there is one, a lasso in it is
//! made concrete, and what comes out is judged by somebody who knows nothing of all this: only then it is
//! a counterexample.

mod letters;

use crate::counterexample::concretise::{ConcreteLasso, ConcreteStep, Unfolded, unfold};
use crate::counterexample::find::lasso;
use crate::counterexample::judge::{Objection, judge};
use crate::counterexample::{Binding, Run, Step};
use crate::model::checked::Formula;
use crate::model::interpret::{Failure, Interpreter};
use crate::product::{MOST_ATOMS, Product, Stop};
use crate::property::{Instance, instances};
use crate::quotient::{Policy, Quotient};
use crate::search::{Component, Node, Statistics, Summary, accepting_component};
use crate::symmetry::{Indices, Permutation, Reduction};
use crate::system::layout::flatten;
use crate::system::{AtomFailure, Atoms, CompiledModel, System as _};
use automata::limits::Limits;
use automata::translate::{Acceptance, Effort, Translator};
use automata::{Automaton, Guards, Marks, StopReason};
use letters::ModelLetters;
use ltl::Alphabet;
use std::ops::ControlFlow;

/// What is asked of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What is done about symmetry.
    pub reduction: Reduction,
    /// When edges of the quotient are made.
    pub policy: Policy,
    /// How much is done to make the automaton small.
    pub effort: Effort,
    /// The longest cycle of a counterexample, in steps.
    pub longest_cycle: usize,
}

impl Default for Options {
    fn default() -> Self {
        let (reduction, policy) = (Reduction::Canonical, Policy::Store);
        Options { reduction, policy, effort: Effort::High, longest_cycle: 10_000 }
    }
}

/// What came of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// Tuples of tracked values that were asked about.
    pub instances: usize,
    /// States of the automaton.
    pub automaton_states: usize,
    /// Representatives known at the end.
    pub representatives: usize,
    /// What the searches did, all together.
    pub statistics: Statistics,
}

/// The answer.
#[derive(Debug)]
pub enum Verdict {
    /// Every run satisfies the formula.
    Holds,
    /// A run violates it; it has been judged.
    Violated(Box<Counterexample>),
    /// A rule fails in a state that was reached, or a start state.
    Failed(Box<Failure>),
    /// An atom of the formula does.
    AtomFailed(Box<AtomFailure>),
    /// A limit was met first.
    Unknown(Reason),
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Verdict {
        match stop {
            Stop::Failed(failure) => Verdict::Failed(failure),
            Stop::Atom(failure) => Verdict::AtomFailed(failure),
            Stop::Stopped(reason) => Verdict::Unknown(Reason::Stopped(reason)),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit.
    Stopped(StopReason),
    /// The formula has more atoms than a letter has room for.
    Atoms(usize),
    /// Some run violates the formula, but before its cycle closes it takes more steps than allowed: one
    /// lap has so many steps, and is followed by its image under this permutation.
    Laps(usize, Permutation),
}

/// A run that violates a formula, and the values of its tracked variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The values.
    pub binding: Binding,
    /// The run.
    pub run: Run,
}

/// A counterexample that the judge does not believe: a bug of ours.
#[derive(Debug)]
pub struct Misjudged {
    /// What was found.
    pub counterexample: Counterexample,
    /// What is wrong with it.
    pub objection: Objection,
}

/// Checks a formula on all runs, fair or not: what it says `under`, and requirements that the model
/// declares, are not looked at, so that for a formula under fairness only "holds" is an answer. `watch` is told now and then how far a search has come, and may stop it.
pub fn check(
    system: &CompiledModel<'_>,
    formula: &Formula,
    options: &Options,
    watch: &mut dyn FnMut(&Statistics) -> Option<StopReason>,
) -> Result<Outcome, Box<Misjudged>> {
    let mut outcome = Outcome {
        verdict: Verdict::Holds,
        instances: 0,
        automaton_states: 0,
        representatives: 0,
        statistics: Statistics::default(),
    };
    if formula.atoms.len() > MOST_ATOMS {
        outcome.verdict = Verdict::Unknown(Reason::Atoms(formula.atoms.len()));
        return Ok(outcome);
    }
    let alphabet = Alphabet::default();
    let mut formulas = formula.formulas.clone();
    let negation = formulas.not(formula.root);
    let mut translator = Translator::new(&alphabet, options.effort, Limits::default());
    let automaton = match translator.translate(&mut formulas, negation, Acceptance::Generalized) {
        Ok(automaton) => automaton,
        Err(stop) => {
            outcome.verdict = Verdict::Unknown(Reason::Stopped(stop));
            return Ok(outcome);
        }
    };
    outcome.automaton_states = automaton.state_count();
    let atoms = system.atoms(formula);
    let quotient = Quotient::new(system, options.reduction, options.policy);
    let checking = Checking {
        system,
        formula,
        options,
        quotient: &quotient,
        indices: quotient.structure().indices(),
        automaton: &automaton,
        guards: &translator.guards,
        atoms: &atoms,
    };
    for instance in instances(&formula.tracked, &system.model().types, checking.indices) {
        outcome.instances += 1;
        if let Some(verdict) = checking.instance(&instance, &mut outcome.statistics, watch)? {
            outcome.verdict = verdict;
            break;
        }
    }
    outcome.representatives = quotient.representatives();
    Ok(outcome)
}

struct Checking<'c> {
    system: &'c CompiledModel<'c>,
    formula: &'c Formula,
    options: &'c Options,
    quotient: &'c Quotient<'c>,
    indices: &'c Indices,
    automaton: &'c Automaton,
    guards: &'c Guards<'c>,
    atoms: &'c Atoms<'c>,
}

/// The acceptance sets that a component meets.
struct Met {
    marks: Marks,
    all: Marks,
}

impl Summary<Marks> for Met {
    fn edge(&mut self, edge: Marks) {
        self.marks = self.marks | edge;
    }

    fn join(&mut self, by: Marks, other: Self) {
        self.marks = self.marks | by | other.marks;
    }

    fn is_accepting(&self) -> bool {
        self.marks.contains(self.all)
    }
}

impl Checking<'_> {
    /// The answer for one tuple of tracked values, if it is one for all.
    fn instance(
        &self,
        instance: &Instance,
        statistics: &mut Statistics,
        watch: &mut dyn FnMut(&Statistics) -> Option<StopReason>,
    ) -> Result<Option<Verdict>, Box<Misjudged>> {
        let model = self.system.model();
        let mut letters = ModelLetters::new(self.atoms, instance);
        let mut product = Product::new(
            self.quotient,
            self.automaton,
            self.guards,
            &mut letters,
            instance.points.clone(),
        );
        let all = self.automaton.all_marks();
        let before = *statistics;
        let mut watch = |now: &Statistics| {
            *statistics = before;
            statistics.nodes += now.nodes;
            statistics.edges += now.edges;
            statistics.components += now.components;
            match watch(statistics) {
                Some(reason) => ControlFlow::Break(Stop::Stopped(reason)),
                None => ControlFlow::Continue(()),
            }
        };
        let alone = |_: Node| Met { marks: Marks::NONE, all };
        let found = accepting_component(&mut product, &alone, &mut watch);
        let component = match found {
            Err(stop) => return Ok(Some(stop.into())),
            Ok((component, now)) => {
                *statistics = before;
                statistics.nodes += now.nodes;
                statistics.edges += now.edges;
                statistics.components += now.components;
                component
            }
        };
        let Some(Component { nodes, .. }) = component else { return Ok(None) };
        let starts = product.starts().to_vec();
        let found = lasso(&mut product, &starts, &nodes, all);
        let found = match found {
            Ok(found) => found,
            Err(stop) => return Ok(Some(stop.into())),
        };
        match unfold(self.system, &mut product, &found, self.options.longest_cycle) {
            Unfolded::Laps { first, permutation } => {
                let reason = Reason::Laps(first.cycle.len(), permutation);
                Ok(Some(Verdict::Unknown(reason)))
            }
            Unfolded::Lasso(concrete) => {
                let binding = instance.binding.clone();
                let run = self.run(&concrete);
                let counterexample = Counterexample { binding, run };
                match judge(model, self.formula, &counterexample.binding, &counterexample.run) {
                    Ok(()) => Ok(Some(Verdict::Violated(Box::new(counterexample)))),
                    Err(objection) => Err(Box::new(Misjudged { counterexample, objection })),
                }
            }
        }
    }

    /// A concrete lasso in the words of the interpreter.
    fn run(&self, lasso: &ConcreteLasso) -> Run {
        let model = self.system.model();
        let layout = self.system.layout();
        let interpreter = Interpreter::new(model);
        let mut cells = vec![0; layout.cells()];
        let mut step = |step: &ConcreteStep| {
            layout.unpack(&step.state, &mut cells);
            let state = layout.state(model, &cells);
            let action = step.action.as_ref().map(|(rule, arguments)| {
                let instances = interpreter.instances_of_rule(&state, *rule as usize);
                let instances = instances.expect("a step that was found has a guard that is true");
                let is_it = |instance: &crate::model::interpret::Instance| {
                    let parameters = &model.events[instance.event.event.0 as usize].parameters;
                    let mut cells = Vec::new();
                    for ((_, of), value) in parameters.iter().zip(&instance.event.arguments) {
                        flatten(&model.types, *of, value, &mut cells);
                    }
                    cells == *arguments
                };
                let instance = instances.into_iter().find(is_it).expect("the interpreter knows it");
                (instance.process, instance.event)
            });
            Step { state, action }
        };
        let stem: Vec<Step> = lasso.stem.iter().map(&mut step).collect();
        let cycle: Vec<Step> = lasso.cycle.iter().map(&mut step).collect();
        let end = cycle[0].state.clone();
        Run { stem, cycle, end }
    }
}
