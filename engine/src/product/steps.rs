//! The steps out of (r, l), stored flat: sixteen bytes for a step, sixteen for each (r, l).
//!
//! Permutations, actions, and letters of steps are shared by many steps and stored once each.

use super::{Base, Label, Letter, Stop};
use crate::symmetry::Permutation;
use hashbrown::HashTable;
use run::StopReason;
use std::hash::{BuildHasher as _, Hash};

/// The number of a step of a product.
pub type StepNumber = u32;

/// A step out of some (r, l).
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The target (r′, l′).
    pub(super) target: Base,
    /// The number of the letter in [`Steps::letters`].
    letter: u32,
    permutation: u32,
    action: u32,
}

/// The action of a step: the rule, and the arguments of its event; none for the stutter.
pub type Action = Option<(u32, Box<[i64]>)>;

/// All steps that were computed so far.
#[derive(Debug)]
pub(super) struct Steps {
    /// The rows, indexed by (r, l).
    rows: Vec<Row>,
    /// Step k is at index k % CHUNK of chunk k / CHUNK. A numbered step never moves.
    chunks: Vec<Vec<Step>>,
    letters: Interned<Letter>,
    labels: Option<Labels>,
    /// The maximal number of steps, at most [`MOST_STEPS`].
    most: usize,
}

#[derive(Debug)]
struct Labels {
    permutations: Interned<Permutation>,
    actions: Interned<Action>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    letter: Letter,
    first: StepNumber,
    /// The number of steps, or [`NOT_MADE`] if they were not computed yet.
    count: u32,
}

const NOT_MADE: u32 = u32::MAX;
/// The maximal number of steps: the numbers of steps, and the count of those that leave one (r, l),
/// are 32 bits wide and less than [`NOT_MADE`].
const MOST_STEPS: usize = NOT_MADE as usize - 1;
const CHUNK: usize = 1 << 14;

/// A step that is to be stored.
pub(super) struct NewStep {
    pub(super) target: Base,
    pub(super) letter: Letter,
    pub(super) permutation: Permutation,
    pub(super) action: Action,
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
        let labels = keeps_labels
            .then(|| Labels { permutations: Interned::default(), actions: Interned::default() });
        Steps {
            rows: Vec::new(),
            chunks: Vec::new(),
            letters: Interned::default(),
            labels,
            most: MOST_STEPS,
        }
    }

    /// The steps out of (r, l), if they were stored.
    #[inline]
    pub(super) fn find(&self, of: Base) -> Option<Found> {
        let &Row { letter, first, count } = self.rows.get(of.0 as usize)?;
        (count != NOT_MADE).then_some(Found { letter, first, count })
    }

    /// Stores the steps out of (r, l), if there are enough numbers for all of them.
    pub(super) fn insert(
        &mut self,
        of: Base,
        letter: Letter,
        steps: Vec<NewStep>,
    ) -> Result<Found, Stop> {
        let before = self.len();
        if steps.len() > self.most - before {
            return Err(Stop::Stopped(StopReason::Edges(self.most)));
        }
        let (first, count) = (before as StepNumber, steps.len() as u32);
        let at = of.0 as usize;
        if self.rows.len() <= at {
            self.rows.resize(at + 1, Row { letter: 0, first: 0, count: NOT_MADE });
        }
        for NewStep { target, letter, permutation, action } in steps {
            let letter = self.letters.intern(letter);
            let (permutation, action) = match &mut self.labels {
                None => (0, 0),
                Some(Labels { permutations, actions }) => {
                    (permutations.intern(permutation), actions.intern(action))
                }
            };
            if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
                self.chunks.push(Vec::with_capacity(CHUNK));
            }
            let last = self.chunks.last_mut().expect("there is one with room");
            last.push(Step { target, letter, permutation, action });
        }
        self.rows[at] = Row { letter, first, count };
        Ok(Found { letter, first, count })
    }

    /// The number of steps: at most [`MOST_STEPS`].
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
        *self.letters.get(step.letter)
    }

    fn labels(&self) -> &Labels {
        self.labels.as_ref().expect("labels are kept")
    }

    /// The permutation of a step, if labels are kept.
    pub(super) fn permutation(&self, number: StepNumber) -> &Permutation {
        self.labels().permutations.get(self.get(number).permutation)
    }

    /// The label of a step, if labels are kept.
    pub(super) fn label(&self, number: StepNumber) -> Label<'_, Permutation> {
        let step = self.get(number);
        let Labels { permutations, actions } = self.labels();
        let action = actions.get(step.action).as_ref();
        Label {
            annotation: permutations.get(step.permutation),
            action: action.map(|(rule, arguments)| (*rule, &**arguments)),
        }
    }
}

/// Different values, numbered in the order in which they were interned.
#[derive(Debug)]
pub(super) struct Interned<T> {
    values: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned { values: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Eq + Hash> Interned<T> {
    #[inline]
    pub(super) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(super) fn intern(&mut self, value: T) -> u32 {
        let hash = |value: &T| foldhash::fast::FixedState::with_seed(0x1507).hash_one(value);
        let Interned { values, table } = self;
        if let Some(&known) = table.find(hash(&value), |&k| values[k as usize] == value) {
            return known;
        }
        let number = values.len() as u32;
        table.insert_unique(hash(&value), number, |&k| hash(&values[k as usize]));
        values.push(value);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps are refused if there are not enough numbers for them; the stored ones stay as they
    /// are.
    #[test]
    fn steps_are_numbered_or_refused() {
        let steps = |count: u32| {
            let step = |k| NewStep {
                target: Base(k),
                letter: k.into(),
                permutation: Permutation::identity(3),
                action: Some((k, [k.into()].into())),
            };
            (0..count).map(step).collect::<Vec<_>>()
        };
        let mut all = Steps { most: 5, ..Steps::new(true) };
        let first = all.insert(Base(7), 1, steps(3)).expect("three of five");
        assert_eq!((first.numbers(), first.letter), (0..3, 1));
        let refused = all.insert(Base(2), 1, steps(3)).expect_err("six of five");
        assert!(matches!(refused, Stop::Stopped(StopReason::Edges(5))), "{refused:?}");
        assert!(all.find(Base(2)).is_none());
        let second = all.insert(Base(2), 2, steps(2)).expect("five of five");
        assert_eq!((second.numbers(), second.letter), (3..5, 2));
        assert!(all.insert(Base(3), 0, steps(1)).is_err());
        assert_eq!(all.insert(Base(4), 0, steps(0)).expect("none of none").numbers(), 5..5);
        assert_eq!(all.find(Base(7)).expect("it is stored").numbers(), 0..3);
        assert_eq!(all.label(4).action, Some((1, &[1][..])));
    }
}
