//! The judge of counterexamples.
//!
//! Much lies between the text of a system and a violation that is found: compiled code,
//! representatives of states, automata, a search. Any of these may be wrong. So every counterexample is
//! judged, and the judge knows none of them: this crate depends on no other part of the checker than
//! the definitions of [`terms`] and the meaning of formulas in [`ltl`].
//!
//! A run refutes a formula if it is a run of the system and does not satisfy the formula. Both are
//! decided by definition. A [`Reference`], which a front end implements, says where runs start and which
//! steps there are; every atom is evaluated at every position, and [`ltl::word`] defines what the
//! formula means on the word of these letters.
//!
//! # Runs of the system
//! A run begins in a start state that satisfies all global assumptions. Each of its steps is an enabled
//! action that leads to the next state, and that state satisfies all global assumptions, too: otherwise
//! the step is *cut*. A state without steps, cut ones included, is followed by itself forever: it
//! *stutters*, no process acts and no event occurs.
//!
//! Assumptions do more: a state that has steps, but only such as are cut or lead to removed states, is
//! itself removed, until nothing changes. The rest is the system. So its states are the greatest set M
//! of states such that each one
//!
//! ```text
//! (1)  has no steps, not even cut ones, or
//! (2)  has a step that is not cut, to a state in M.
//! ```
//!
//! The judge computes no such set: the states of an infinite run are one that is closed in this way.
//! Each state before a step has (2) by that very step, whose target is on the run, and each state that
//! stutters has (1), which is checked. So they all are in the greatest set. A run that ends proves
//! nothing of the kind about its last state, and nothing is claimed about it: a state violates a
//! property of states even if no run continues from it.
//!
//! # Faults
//! A state in which a guard fails has no steps at all. A body that fails is no step, and a state in
//! which a body fails is not one without steps. Faults elsewhere are findings of their own; they are no
//! objection to a run that does not meet them.
//!
//! # Claims, laps, components
//! A run that ends may be claimed to end in a state that violates a property ([`judge_claim`]); a cycle
//! may be given by its first lap only ([`judge_laps`]). The renaming of index values that takes a lap to
//! the next is a claim like others, and is tested by walking. A globally fair run may be given by the
//! component that it stays in ([`judge_component`]).
//!
//! # Fairness
//! That a run is fair is a claim of its own ([`judge_fairness`]).
//!
//! # Cost
//! The steps of one action per step of the run; all start states up to the one that is meant; one byte
//! per position and subformula.

mod reference;
mod run;
mod renaming;
mod argument;
mod component;
mod claim;
mod fairness;
mod laps;
mod objection;
mod reading;
mod unreduced;

pub use argument::{AllSteps, Argument, Kept, Later, Occurrence, OwedEvents, Party, Reason};
pub use claim::{Claim, Deadlock, Extent, MOST_STATES, judge_claim};
pub use component::{Again, Component, Element, LetterGraph, Onward, Place, judge_component};
pub use fairness::{judge_fairness, required_tuples, tracked_tuples};
pub use laps::{Laps, judge_laps};
pub use objection::{Flaw, Objection};
pub use reference::{
    Action, Attempt, Bound, IndexType, PropertyInstance, Reference, Requirement,
    RequirementVariables, SoundSteps, Starts, Steps, TrackedGroup, Vocabulary,
};
pub use renaming::Renaming;
pub use run::{Run, Step};

use ltl::{Lasso, Letter};
use reading::Reading;
use unreduced::Unreduced;

type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// Judges a counterexample: accepts it if this is an infinite run of the system that does not satisfy
/// the formula for these values of its tracked variables.
pub fn judge<R: Reference>(
    reference: &R,
    formula: &Formula<R>,
    binding: &[Bound<R::Vocabulary>],
    run: &Run<R::Vocabulary>,
) -> Result<(), Objection<R::Vocabulary>> {
    if run.cycle.is_empty() {
        return Err(Objection::Finite);
    }
    walk(reference, run)?;
    let letters = letters(reference, formula, binding, run)?;
    refutes(reference, formula, letters, run.stem.len())
}

/// Whether the word of these letters, the first so many of which are its stem, does not satisfy the
/// formula.
fn refutes<R: Reference>(
    reference: &R,
    formula: &Formula<R>,
    mut letters: Vec<Letter>,
    stem: usize,
) -> Result<(), Objection<R::Vocabulary>> {
    let cycle = letters.split_off(stem);
    let word = Lasso::new(letters, cycle).expect("the cycle is not empty");
    let (formulas, root) = reference.syntax(formula);
    if word.satisfies(formulas, root) {
        return Err(Objection::Satisfied);
    }
    Ok(())
}

/// Judges whether a run, infinite or not, is one of the system.
///
/// A state is compared with those that the reference has made before anything is evaluated in it; so a
/// state that is no state of this system at all does no harm.
pub fn walk<R: Reference>(
    reference: &R,
    run: &Run<R::Vocabulary>,
) -> Result<(), Objection<R::Vocabulary>> {
    follow(&Unreduced::new(reference), run)?;
    match run.cycle.first() {
        Some(first) if first.state != run.end => Err(Objection::Open),
        _ => Ok(()),
    }
}

/// Which atoms of the formula are true at each step of the run, of the stem and then of the cycle,
/// for these values of the tracked variables. The states must be states of this system, such as
/// those of a run that [`walk`] accepts.
pub fn letters<R: Reference>(
    reference: &R,
    formula: &Formula<R>,
    binding: &[Bound<R::Vocabulary>],
    run: &Run<R::Vocabulary>,
) -> Result<Vec<Letter>, Objection<R::Vocabulary>> {
    let reading = Reading::new(reference, formula, binding)?;
    run.steps().enumerate().map(|(position, step)| reading.letter(position, step)).collect()
}

/// Judges whether the steps of a run are steps of the system. The cycle may lead anywhere.
fn follow<R: Reference>(
    unreduced: &Unreduced<'_, R>,
    run: &Run<R::Vocabulary>,
) -> Result<(), Objection<R::Vocabulary>> {
    unreduced.start(run.states().next().expect("a run has one more state than steps"))?;
    for (position, (step, target)) in run.steps().zip(run.states().skip(1)).enumerate() {
        tracing::trace!(target: "progress", steps_walked = position);
        unreduced.follow(position, step, target)?;
    }
    Ok(())
}
