//! The number of steps of the shortest fair lasso that violates a formula, by trying all of them; and how much longer
//! the counterexamples of the checker are.
#![allow(clippy::cast_precision_loss, reason = "ratios of small numbers")]

use super::brute_force::{Reference, Requirement, demanded, requirements};
use super::{LARGEST, demands, system};
use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::{Options, Shortening, Verdict, check};
use judge::{Bound, Reference as _};
use ltl::{Atom, Lasso, Letter};
use model::checked::{Demand, Formula};
use model::reference::{ModelReference, ModelVocabulary};
use model::syntax::Fairness;
use std::collections::HashMap;

/// The steps that are tried for one question.
const MOST_STEPS: usize = 300_000;

/// A lasso is tried step by step.
struct Trial<'t> {
    reference: &'t Reference<'t>,
    formula: &'t Formula,
    requirements: Vec<Requirement>,
    is_global: bool,
    /// By state and step: the letter that the formula reads. A state without steps stutters, which is its step 0.
    letters: HashMap<(usize, usize), Letter>,
    binding: &'t [Bound<ModelVocabulary>],
    /// The states and steps of the path.
    path: Vec<(usize, usize)>,
    left: usize,
}

/// The number of steps of the shortest fair lasso that violates a formula for these values, if it has fewer steps than
/// `below`; then `below`. None if there are too many to be tried.
fn shortest(
    reference: &Reference<'_>,
    formula: &Formula,
    demand: Demand,
    binding: &[Bound<ModelVocabulary>],
    below: usize,
) -> Option<usize> {
    let demand = demanded(formula, demand);
    let mut trial = Trial {
        reference,
        formula,
        requirements: requirements(reference, demand)?,
        is_global: demand.fairness == Fairness::Global,
        letters: HashMap::new(),
        binding,
        path: Vec::new(),
        left: MOST_STEPS,
    };
    for steps in 1..below {
        for start in (0..reference.graph.states.len()).filter(|&one| reference.graph.is_start[one])
        {
            if trial.is_closed_by(start, steps)? {
                return Some(steps);
            }
        }
    }
    Some(below)
}

impl Trial<'_> {
    /// Whether so many more steps from a state make a lasso.
    fn is_closed_by(&mut self, state: usize, steps: usize) -> Option<bool> {
        if steps == 0 {
            let first = (0..self.path.len()).filter(|&k| self.path[k].0 == state);
            return Some(first.collect::<Vec<_>>().into_iter().any(|k| self.is_violation(k)));
        }
        let graph = &self.reference.graph;
        let targets: Vec<usize> = if graph.is_deadlock[state] {
            vec![state]
        } else {
            graph.steps[state].iter().map(|step| step.target).collect()
        };
        for (k, target) in targets.into_iter().enumerate() {
            self.left = self.left.checked_sub(1)?;
            self.path.push((state, k));
            let is_closed = self.is_closed_by(target, steps - 1)?;
            self.path.pop();
            if is_closed {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether the path is a fair lasso that violates the formula, if its cycle begins there.
    fn is_violation(&mut self, first: usize) -> bool {
        let cycle = &self.path[first..];
        let is_kept = |one: &Requirement| {
            !cycle.iter().any(|&(state, _)| one.p[state])
                || cycle.iter().any(|&(state, _)| one.q[state])
                || cycle.iter().any(|step| one.taken.contains(step))
        };
        let steps = &self.reference.graph.steps;
        let takes_all = |state: usize| (0..steps[state].len()).all(|k| cycle.contains(&(state, k)));
        if !self.requirements.iter().all(is_kept)
            || self.is_global && !cycle.iter().all(|&(state, _)| takes_all(state))
        {
            return false;
        }
        let path = self.path.clone();
        let mut letters: Vec<Letter> = path.into_iter().map(|step| self.letter(step)).collect();
        let cycle = letters.split_off(first);
        let word = Lasso::new(letters, cycle).expect("it has a cycle");
        !word.satisfies(&self.formula.formulas, self.formula.root)
    }

    fn letter(&mut self, (state, k): (usize, usize)) -> Letter {
        if let Some(known) = self.letters.get(&(state, k)) {
            return known.clone();
        }
        let Reference { model, graph } = self.reference;
        let reference = ModelReference::new(model);
        let step = graph.steps[state].get(k);
        let action = step.map(|step| (step.process, step.event.clone()));
        let atoms = (0..reference.atoms(self.formula)).map(Atom);
        let is_true = |atom: &Atom| {
            let state = &graph.states[state];
            reference.atom(self.formula, *atom, self.binding, state, action.as_ref()) == Ok(true)
        };
        let letter: Letter = atoms.filter(is_true).collect();
        self.letters.insert((state, k), letter.clone());
        letter
    }
}

/// Counterexamples of one kind of fairness, compared with the shortest ones.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ratios {
    pub compared: usize,
    /// Questions of which the shortest lasso is not known.
    pub unknown: usize,
    /// Sums of logarithms of ratios: without shortening, by default, thoroughly.
    pub sums: [f64; 3],
    /// How many are longer than the shortest one.
    pub longer: [usize; 3],
}

impl Ratios {
    /// The geometric means.
    #[must_use]
    pub fn means(&self) -> [f64; 3] {
        self.sums.map(|sum| (sum / self.compared.max(1) as f64).exp())
    }

    /// Adds others.
    pub fn add(&mut self, other: &Ratios) {
        self.compared += other.compared;
        self.unknown += other.unknown;
        for k in 0..3 {
            self.sums[k] += other.sums[k];
            self.longer[k] += other.longer[k];
        }
    }
}

/// The ways to shorten, from the cheapest on.
const WAYS: [Shortening; 3] = [Shortening::Off, Shortening::Quick, Shortening::Thorough];

/// Compares the counterexamples of a small system, by kinds of fairness. Every one is judged by the checker; none may be
/// longer than with less work.
pub fn compare(seed: u64) -> Vec<(Fairness, Ratios)> {
    let (context, model) = system(seed);
    let mut found = Vec::new();
    let Some(reference) = Reference::new(&model, LARGEST) else { return found };
    let compiled = CompiledModel::new(&model);
    for (formula, demand) in model.questions.iter().zip(demands(seed, &model)) {
        let reduction = [Reduction::Off, Reduction::Canonical][(seed % 2) as usize];
        let counterexample = |shortening| {
            let options = Options { reduction, shortening, demand, ..Options::default() };
            let outcome = check(&compiled, formula, &options, &isonomy::Watch::none());
            match outcome.unwrap_or_else(|wrong| panic!("{wrong:#?} {context}")).verdict {
                Verdict::Violated(found) if found.component.is_none() => Some(found),
                _ => None,
            }
        };
        let [Some(first), Some(quick), Some(thorough)] = WAYS.map(counterexample) else { continue };
        assert!(first.binding == quick.binding && first.binding == thorough.binding, "{context}");
        let lengths = [first, quick, thorough.clone()].map(|one| one.run.steps().count());
        assert!(
            lengths[2] <= lengths[1] && lengths[1] <= lengths[0],
            "{lengths:?} {demand:?} {} {context}",
            formula.text
        );
        let mut ratios = Ratios::default();
        match shortest(&reference, formula, demand, &thorough.binding, lengths[2]) {
            None => ratios.unknown = 1,
            Some(least) => {
                ratios.compared = 1;
                ratios.sums = lengths.map(|steps| (steps as f64 / least as f64).ln());
                ratios.longer = lengths.map(|steps| usize::from(steps > least));
            }
        }
        found.push((demanded(formula, demand).fairness, ratios));
    }
    found
}
