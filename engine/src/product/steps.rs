//! The steps out of (r, l), stored flat: eight bytes for a step, twelve for each (r, l).
//!
//! What a step is besides its target, its *kind*, is shared by many steps and stored once: its
//! letter, its permutation and its action.

use super::{Base, Label, Letter, Stop};
use crate::interned::Interned;
use crate::narrow::to_u32;
use crate::quotient::Actions;
use crate::symmetry::Permutation;
use run::StopReason;

/// The number of a step of a product.
pub type StepNumber = u32;

/// A step out of some (r, l).
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The target (r′, l′).
    pub(super) target: Base,
    /// The number of its kind.
    kind: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Kind {
    letter: Letter,
    /// The number of the permutation, if labels are kept.
    permutation: u32,
    /// The number of the action plus one, if labels are kept; 0 for the stutter.
    action: u32,
}

/// All steps that were computed so far.
#[derive(Debug)]
pub(super) struct Steps {
    /// By (r, l): the number of its head plus one; 0 if its steps were not computed yet. The head is
    /// an entry before the first step: its target is the number of steps, its kind the number of the
    /// state's letter.
    heads: Vec<u32>,
    /// Entry k is at index k % CHUNK of chunk k / CHUNK. A numbered step never moves.
    chunks: Vec<Vec<Step>>,
    kinds: Interned<Kind>,
    state_letters: Interned<Letter>,
    labels: Option<Labels>,
    /// The maximal number of entries, at most [`MOST_ENTRIES`].
    most: usize,
}

#[derive(Debug, Default)]
struct Labels {
    permutations: Interned<Permutation>,
    actions: Actions,
}

/// The maximal number of entries: numbers plus one are 32 bits wide.
const MOST_ENTRIES: usize = u32::MAX as usize - 1;
const CHUNK: usize = 1 << 14;

/// Steps that are being stored, until [`Steps::finish`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfinished {
    /// The number of the head.
    head: usize,
}

/// The steps out of one (r, l).
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The atoms that are true of the state.
    pub(super) letter: Letter,
    pub(super) first: StepNumber,
    pub(super) count: u32,
}

impl Found {
    /// The numbers of the steps.
    pub(super) fn numbers(self) -> std::ops::Range<StepNumber> {
        self.first..self.first + self.count
    }
}

impl Steps {
    /// Creates an empty table, which keeps labels or not.
    pub(super) fn new(keeps_labels: bool) -> Steps {
        Steps {
            heads: Vec::new(),
            chunks: Vec::new(),
            kinds: Interned::default(),
            state_letters: Interned::default(),
            labels: keeps_labels.then(Labels::default),
            most: MOST_ENTRIES,
        }
    }

    /// The steps out of (r, l), if they were stored.
    #[inline]
    pub(super) fn find(&self, of: Base) -> Option<Found> {
        let first = *self.heads.get(of.0 as usize)?;
        let Step { target: Base(count), kind: letter } = self.get(first.checked_sub(1)?);
        Some(Found { letter: *self.state_letters.get(letter), first, count })
    }

    /// Begins to store the steps out of some (r, l). All that is pushed belongs to it, until
    /// [`Steps::finish`] is called.
    pub(super) fn begin(&mut self) -> Unfinished {
        let head = self.len();
        self.append(Step { target: Base(0), kind: 0 });
        Unfinished { head }
    }

    /// Stores a step: its target, letter and permutation, and the rule and the arguments of its
    /// event; none for the stutter. Beyond the last number nothing is stored.
    pub(super) fn push(
        &mut self,
        target: Base,
        letter: Letter,
        permutation: &Permutation,
        action: Option<(u32, &[i64])>,
    ) {
        let mut kind = Kind { letter, permutation: 0, action: 0 };
        if let Some(Labels { permutations, actions }) = &mut self.labels {
            kind.permutation = permutations.intern(permutation);
            let action = action.map(|(rule, arguments)| actions.intern(rule, arguments));
            kind.action = action.map_or(0, |action| action + 1);
        }
        let kind = self.kinds.intern(&kind);
        self.append(Step { target, kind });
    }

    /// The steps that were pushed are those out of (r, l), whose state has this letter. If there
    /// were not enough numbers for all of them, none is kept.
    pub(super) fn finish(
        &mut self,
        of: Base,
        letter: Letter,
        Unfinished { head }: Unfinished,
    ) -> Result<Found, Stop> {
        if self.len() > self.most {
            self.abandon(Unfinished { head });
            return Err(Stop::Stopped(StopReason::Edges(self.most)));
        }
        let at = of.0 as usize;
        if self.heads.len() <= at {
            self.heads.resize(at + 1, 0);
        }
        let (first, count) = (to_u32(head + 1), to_u32(self.len() - head - 1));
        self.heads[at] = first;
        let kind = self.state_letters.intern(&letter);
        self.chunks[head / CHUNK][head % CHUNK] = Step { target: Base(count), kind };
        Ok(Found { letter, first, count })
    }

    /// Drops the steps that were pushed.
    pub(super) fn abandon(&mut self, Unfinished { head }: Unfinished) {
        self.chunks.truncate(head.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut() {
            last.truncate(head - (head.div_ceil(CHUNK) - 1) * CHUNK);
        }
    }

    /// Appends an entry, or one more than there are numbers.
    fn append(&mut self, step: Step) {
        if self.len() > self.most {
            return;
        }
        if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut().expect("there is one with room").push(step);
    }

    /// The number of entries.
    fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        full + self.chunks.last().map_or(0, Vec::len)
    }

    /// A step by its number.
    #[inline]
    pub(super) fn get(&self, number: StepNumber) -> Step {
        self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    /// The atoms that are true of a step.
    #[inline]
    pub(super) fn letter(&self, step: Step) -> Letter {
        self.kinds.get(step.kind).letter
    }

    fn labels(&self) -> &Labels {
        self.labels.as_ref().expect("labels are kept")
    }

    /// The permutation of a step, if labels are kept.
    pub(super) fn permutation(&self, number: StepNumber) -> &Permutation {
        let kind = self.kinds.get(self.get(number).kind);
        self.labels().permutations.get(kind.permutation)
    }

    /// The label of a step, if labels are kept.
    pub(super) fn label(&self, number: StepNumber) -> Label<'_, Permutation> {
        let kind = self.kinds.get(self.get(number).kind);
        let Labels { permutations, actions } = self.labels();
        Label {
            annotation: permutations.get(kind.permutation),
            action: kind.action.checked_sub(1).map(|action| actions.get(action)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps are refused if there are not enough numbers for them; the stored ones stay as they
    /// are.
    #[test]
    fn steps_are_numbered_or_refused() {
        // Around the end of a chunk, too.
        for before in [0, CHUNK - 4, CHUNK - 3, CHUNK - 1] {
            let mut all = Steps { most: before + 8, ..Steps::new(true) };
            let insert = |all: &mut Steps, of: Base, letter: Letter, count: usize| {
                let new = all.begin();
                for k in 0..to_u32(count) {
                    let identity = Permutation::identity(3);
                    all.push(Base(k), k.into(), &identity, Some((k, &[k.into()])));
                }
                all.finish(of, letter, new)
            };
            if before > 0 {
                insert(&mut all, Base(0), 0, before - 1).expect("there is room");
            }
            let at = to_u32(before);
            let first = insert(&mut all, Base(7), 1, 3).expect("four of eight");
            assert_eq!((first.numbers(), first.letter), (at + 1..at + 4, 1));
            let refused = insert(&mut all, Base(2), 1, 4).expect_err("nine of eight");
            let most = before + 8;
            assert!(matches!(refused, Stop::Stopped(StopReason::Edges(n)) if n == most));
            assert!(all.find(Base(2)).is_none());
            let second = insert(&mut all, Base(2), 2, 2).expect("seven of eight");
            assert_eq!((second.numbers(), second.letter), (at + 5..at + 7, 2));
            assert!(insert(&mut all, Base(3), 0, 1).is_err());
            let none = insert(&mut all, Base(4), 0, 0).expect("eight of eight");
            assert_eq!(none.numbers(), at + 8..at + 8);
            assert_eq!(all.find(Base(7)).expect("it is stored").numbers(), at + 1..at + 4);
            assert_eq!(all.label(at + 6).action, Some((1, &[1][..])));
            assert_eq!(all.letter(all.get(at + 3)), 2);
        }
    }
}
