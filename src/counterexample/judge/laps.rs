//! Counterexamples whose cycle is too long to be written down.
//!
//! What is written down is the first lap and a renaming g: the run is *stem, lap, g(lap), g²(lap), ...* It
//! is a run if the lap is one, leads from its first state s to g(s), and g takes steps to steps. The last of
//! these is what the model's types promise for the symmetries that they declare; it is not taken on trust as
//! far as the budget goes, but the laps are walked, step by step, by the interpreter. If the run comes back to
//! s within the budget, the whole of it has been walked, and nothing was taken on trust.
//!
//! The letters of all laps must be those of the first: g leaves the tracked values alone, and atoms do not
//! tell other values apart. Then the word of the run is *stem lap lap ...*, and it is known whether that
//! satisfies the formula.

use super::reading::Reading;
use super::unreduced::Unreduced;
use super::{Objection, follow, letters, refutes};
use crate::counterexample::renaming::Renaming;
use crate::counterexample::{Run, Step};
use model::checked::{Formula, LocalId, Model};
use model::value::Scalar;

/// How far the laps of a counterexample that is accepted were walked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Laps {
    /// Laps that were walked whole, the first included.
    pub walked: usize,
    /// Whether the run came back to where the first lap began, so that all of it was walked.
    pub is_closed: bool,
}

/// Judges a counterexample that is given by one lap: `run.cycle` is the first lap, `run.end` what the
/// renaming makes of its first state. At most so many steps of further laps are walked.
pub fn judge_laps(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    run: &Run,
    renaming: &Renaming,
    most_steps: usize,
) -> Result<Laps, Objection> {
    let Some(first) = run.cycle.first() else { return Err(Objection::Finite) };
    if !renaming.is_of(model) {
        return Err(Objection::NotARenaming);
    }
    if let Some(of) = renaming.asymmetric(model) {
        return Err(Objection::NotASymmetry { of: model.types.index_type(of).name.clone() });
    }
    let reading = Reading::new(model, formula, binding)?;
    if let Some((local, _)) = binding.iter().find(|(_, value)| renaming.scalar(*value) != *value) {
        return Err(Objection::Moves { name: formula.locals[local.0 as usize].name.clone() });
    }
    // Only now it is known that these are states of the model, so that they can be renamed.
    let unreduced = Unreduced::new(model);
    follow(&unreduced, run)?;
    if renaming.state(model, &first.state) != run.end {
        return Err(Objection::LapOpen);
    }
    let letters = letters(model, formula, binding, run)?;
    refutes(formula, letters.clone(), run.stem.len())?;
    let lap_letters = &letters[run.stem.len()..];
    let mut lap = run.cycle.clone();
    let mut position = run.stem.len() + lap.len();
    let mut laps = Laps { walked: 1, is_closed: false };
    let mut left = most_steps;
    loop {
        for step in &mut lap {
            *step = renamed(model, renaming, step);
        }
        if lap[0].state == first.state {
            laps.is_closed = true;
            return Ok(laps);
        }
        let behind = renaming.state(model, &lap[0].state);
        for (k, step) in lap.iter().enumerate() {
            if left == 0 {
                return Ok(laps);
            }
            left -= 1;
            let target = lap.get(k + 1).map_or(&behind, |next| &next.state);
            unreduced.follow(position, step, target)?;
            if reading.letter(position, step)? != lap_letters[k] {
                return Err(Objection::OtherLetter { position });
            }
            position += 1;
        }
        laps.walked += 1;
    }
}

fn renamed(model: &Model, renaming: &Renaming, step: &Step) -> Step {
    Step {
        state: renaming.state(model, &step.state),
        action: step
            .action
            .as_ref()
            .map(|(process, event)| (renaming.process(process), renaming.event(model, event))),
    }
}
