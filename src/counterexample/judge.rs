//! The judge of counterexamples.
//!
//! A run refutes a formula if it is a run of the system and does not satisfy the formula. Both are
//! decided by definition, from the checked model alone: the reference interpreter says where runs
//! start and which steps there are, every atom is evaluated at every position, and [`ltl::word`] says
//! what the formula means on the word of these letters. Nothing here may know of compiled code,
//! permutations, automata or searches, for those are the accused.
//!
//! # Runs of the system
//! A run begins in a start state that satisfies all global assumptions. Each of its steps is an
//! enabled instance of a rule whose body leads to the next state (an `assume` statement that is false
//! makes it no step), and that state satisfies all global assumptions, too: otherwise the step is
//! *cut*. A state without steps, cut ones included, is followed by itself for ever: it *stutters*,
//! nobody acts and no event happens.
//!
//! The assumptions do more: a state that has steps, but only such as are cut or lead to states that
//! are removed, is itself removed, until nothing changes. What remains is the system. So the states
//! that remain are the greatest set M of states such that each one
//!
//! ```text
//! (1)  has no steps, not even cut ones, or
//! (2)  has a step that is not cut, to a state in M.
//! ```
//!
//! The judge computes no such set: the states of an infinite run are one that is closed in this
//! way. Each state before a step has (2) by that very step, whose target is on the run, and each
//! state that stutters has (1), which is looked at. So they all are in the greatest one. A run that
//! ends proves nothing of the kind about its last state, and nothing is claimed about it: that is
//! how properties of states are meant, which a state violates even if no run goes on from there.
//!
//! # Failures
//! A state in which a guard fails has no steps at all. A body that fails is no step, and a state where
//! one does is not one without steps. Failures elsewhere are findings of their own; they are no
//! objection to a run that does not meet them.
//!
//! # Claims and laps
//! A run that ends may be claimed to end in a state that violates something ([`judge_claim`]); a cycle may
//! be given by its first lap only ([`judge_laps`]). The renaming of index values that takes a lap to the next
//! is a claim like others: it is written down a second time for the judge, and is tested by walking. Of a globally
//! fair run there may be no more than the component that it stays in ([`judge_component`]).
//!
//! # Cost
//! The guards of all rules that might fail, those of the rules of one event and the body of one, per step; all start states up to the one that is
//! meant; one byte per position and subformula.
//!
//! # Fairness
//! That a run is fair is a claim of its own ([`judge_fairness`]).

mod claim;
mod component;
mod fair;
mod laps;
mod objection;
mod reading;
mod sure;
mod unreduced;

pub use claim::{Claim, Deadlock, Extent, MOST_STATES, choice, judge_claim};
pub use component::{LetterGraph, judge_component};
pub use fair::judge_fairness;
pub use laps::{Laps, judge_laps};
pub use objection::{Flaw, Objection};

use super::Run;
use ltl::{Lasso, Letter};
use model::checked::{Formula, LocalId, Model};
use model::value::Scalar;
use reading::Reading;
use unreduced::Unreduced;

/// Judges a counterexample: accepts it if this is an infinite run of the system that does not satisfy
/// the formula for these values of its tracked variables.
pub fn judge(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    run: &Run,
) -> Result<(), Objection> {
    if run.cycle.is_empty() {
        return Err(Objection::Finite);
    }
    walk(model, run)?;
    refutes(formula, letters(model, formula, binding, run)?, run.stem.len())
}

/// Whether the word of these letters, the first so many of which are its stem, does not satisfy the
/// formula.
fn refutes(formula: &Formula, mut letters: Vec<Letter>, stem: usize) -> Result<(), Objection> {
    let cycle = letters.split_off(stem);
    let word = Lasso::new(letters, cycle).expect("the cycle is not empty");
    if word.satisfies(&formula.formulas, formula.root) {
        return Err(Objection::Satisfied);
    }
    Ok(())
}

/// Judges whether a run, infinite or not, is one of the system.
///
/// A state is compared with what the interpreter has made before anything is evaluated in it; so a
/// state that is no state of this model at all does no harm.
pub fn walk(model: &Model, run: &Run) -> Result<(), Objection> {
    follow(&Unreduced::new(model), run)?;
    match run.cycle.first() {
        Some(first) if first.state != run.end => Err(Objection::Open),
        _ => Ok(()),
    }
}

/// Which atoms of the formula are true at each step of the run, of the stem and then of the cycle,
/// for these values of the tracked variables. The states must be states of this model, such as
/// those of a run that [`walk`] accepts.
pub fn letters(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    run: &Run,
) -> Result<Vec<Letter>, Objection> {
    let reading = Reading::new(model, formula, binding)?;
    run.steps().enumerate().map(|(position, step)| reading.letter(position, step)).collect()
}

/// The same, but the cycle may lead anywhere.
fn follow(unreduced: &Unreduced<'_>, run: &Run) -> Result<(), Objection> {
    unreduced.start(run.states().next().expect("a run has one more state than steps"))?;
    for (position, (step, target)) in run.steps().zip(run.states().skip(1)).enumerate() {
        tracing::trace!(target: "progress", steps_walked = position);
        unreduced.follow(position, step, target)?;
    }
    Ok(())
}
