//! Counterexamples whose cycle is too long to be written down.
//!
//! Such a counterexample has the first lap of the cycle and a renaming g: the run is *stem, lap, g(lap),
//! g²(lap), ...* It is a run if the lap is one, leads from its first state s to g(s), and g takes steps
//! to steps. The last of these is guaranteed by the front end for the symmetries that it declares. It is
//! not only trusted: up to a limit, the laps are walked, step by step. If the run comes back to s within
//! the limit, all of it has been walked, and nothing was trusted.
//!
//! The letters of all laps must be those of the first: g does not change the tracked values, and atoms
//! do not distinguish other values. Then the word of the run is *stem lap lap ...*, and it is known
//! whether that satisfies the formula.

use crate::objection::Objection;
use crate::reading::Reading;
use crate::reference::{Bound, Reference};
use crate::renaming::Renaming;
use crate::run::{Run, Step};
use crate::unreduced::Unreduced;
use crate::{Formula, follow, letters, refutes};

/// How far the laps of a counterexample that is accepted were walked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Laps {
    /// Laps that were walked to their end, the first included.
    pub walked: usize,
    /// Whether the run came back to the first state of the first lap, so that all of it was walked.
    pub is_closed: bool,
}

/// Judges a counterexample that is given by one lap: `run.cycle` is the first lap, `run.end` the image
/// of its first state. At most so many steps of further laps are walked.
pub fn judge_laps<R: Reference>(
    reference: &R,
    formula: &Formula<R>,
    binding: &[Bound<R::Vocabulary>],
    run: &Run<R::Vocabulary>,
    renaming: &Renaming,
    most_steps: usize,
) -> Result<Laps, Objection<R::Vocabulary>> {
    let Some(first) = run.cycle.first() else { return Err(Objection::Finite) };
    let index_types = reference.index_types();
    if !renaming.is_of(&index_types) {
        return Err(Objection::NotARenaming);
    }
    if let Some(of) = renaming.asymmetric(&index_types) {
        return Err(Objection::NotASymmetry { of: of.name.clone() });
    }
    let reading = Reading::new(reference, formula, binding)?;
    reading.is_fixed_by(renaming)?;
    // Only now it is known that these are states of the system, so that they can be renamed.
    let unreduced = Unreduced::new(reference);
    follow(&unreduced, run)?;
    if reference.renamed_state(renaming, &first.state) != run.end {
        return Err(Objection::LapOpen);
    }
    let letters = letters(reference, formula, binding, run)?;
    refutes(reference, formula, letters.clone(), run.stem.len())?;
    let lap_letters = &letters[run.stem.len()..];
    let mut lap = run.cycle.clone();
    let mut position = run.stem.len() + lap.len();
    let mut laps = Laps { walked: 1, is_closed: false };
    let mut left = most_steps;
    loop {
        for step in &mut lap {
            *step = renamed(reference, renaming, step);
        }
        if lap[0].state == first.state {
            laps.is_closed = true;
            return Ok(laps);
        }
        let after = reference.renamed_state(renaming, &lap[0].state);
        for (k, step) in lap.iter().enumerate() {
            if left == 0 {
                return Ok(laps);
            }
            left -= 1;
            let target = lap.get(k + 1).map_or(&after, |next| &next.state);
            unreduced.follow(position, step, target)?;
            if reading.letter(position, step)? != lap_letters[k] {
                return Err(Objection::OtherLetter { position });
            }
            position += 1;
        }
        laps.walked += 1;
    }
}

fn renamed<R: Reference>(
    reference: &R,
    renaming: &Renaming,
    step: &Step<R::Vocabulary>,
) -> Step<R::Vocabulary> {
    Step {
        state: reference.renamed_state(renaming, &step.state),
        action: step.action.as_ref().map(|action| reference.renamed_action(renaming, action)),
    }
}
