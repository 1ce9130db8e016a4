//! What edges are besides their targets: a letter, a permutation, and an action. There are few
//! kinds, and each is stored once.
//!
//! Threads give numbers together, but each remembers those that it knows: it asks for a number only
//! when it meets a kind for the first time.

use super::lock;
use crate::interned::Interned;
use crate::product::Letter;
use crate::quotient::Actions;
use crate::symmetry::Permutation;
use std::hash::Hash;
use std::sync::Mutex;

/// The kind of an edge, by numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Kind {
    /// The atoms that are true of the state and of the step.
    pub(super) letter: u32,
    /// The permutation; 0 if labels are not kept.
    pub(super) permutation: u32,
    /// The action plus one; 0 for the stutter, and if labels are not kept.
    pub(super) action: u32,
}

/// All that is numbered.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    pub(super) letters: Interned<Letter>,
    pub(super) permutations: Interned<Permutation>,
    pub(super) actions: Actions,
    pub(super) kinds: Interned<Kind>,
    /// Generators of the groups by which edges are dropped; the first group is trivial.
    pub(super) groups: Interned<Vec<Permutation>>,
    /// What declared requirements say of states, a bit for each condition and object.
    pub(super) declared: Interned<Vec<u64>>,
}

impl Numbered {
    pub(super) fn new() -> Numbered {
        let mut numbered = Numbered::default();
        numbered.groups.intern(&Vec::new());
        numbered
    }
}

/// The numbers that one thread knows.
pub struct Kinds<'k> {
    shared: &'k Mutex<Numbered>,
    permutations: Interned<Permutation>,
    actions: Actions,
    known: Known<(Letter, u32, u32)>,
    groups: Known<Vec<Permutation>>,
    declared: Known<Vec<u64>>,
    keeps_labels: bool,
}

/// Values in the numbers of one thread, with those that all threads share.
pub(super) struct Known<T> {
    own: Interned<T>,
    shared: Vec<u32>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known { own: Interned::default(), shared: Vec::new() }
    }
}

impl<T: Eq + Hash + Clone> Known<T> {
    /// The number of a value that all threads share.
    #[inline]
    pub(super) fn number(&mut self, value: &T, ask: impl FnOnce() -> u32) -> u32 {
        let own = self.own.intern(value) as usize;
        if own == self.shared.len() {
            self.shared.push(ask());
        }
        self.shared[own]
    }
}

impl<'k> Kinds<'k> {
    pub(super) fn new(shared: &'k Mutex<Numbered>, keeps_labels: bool) -> Self {
        Kinds {
            shared,
            permutations: Interned::default(),
            actions: Actions::default(),
            known: Known::default(),
            groups: Known::default(),
            declared: Known::default(),
            keeps_labels,
        }
    }

    /// The number of the kind of an edge. Without a permutation it is the identity; without an
    /// action it is the stutter.
    #[inline]
    pub(super) fn of(
        &mut self,
        letter: Letter,
        permutation: &Permutation,
        action: Option<(u32, &[i64])>,
    ) -> u32 {
        let Kinds { shared, permutations, actions, known, keeps_labels, .. } = self;
        if !*keeps_labels {
            return known.number(&(letter, 0, 0), || {
                let mut shared = lock(shared);
                let letter = shared.letters.intern(&letter);
                shared.kinds.intern(&Kind { letter, permutation: 0, action: 0 })
            });
        }
        let by = permutations.intern(permutation);
        let own = action.map_or(0, |(rule, arguments)| actions.intern(rule, arguments) + 1);
        known.number(&(letter, by, own), || {
            let mut shared = lock(shared);
            let letter = shared.letters.intern(&letter);
            let permutation = shared.permutations.intern(permutation);
            let action =
                action.map_or(0, |(rule, arguments)| shared.actions.intern(rule, arguments) + 1);
            shared.kinds.intern(&Kind { letter, permutation, action })
        })
    }

    /// The number of the group that these generate.
    pub(super) fn group(&mut self, generators: &Vec<Permutation>) -> u32 {
        if generators.is_empty() {
            return 0;
        }
        self.groups.number(generators, || lock(self.shared).groups.intern(generators))
    }

    /// The number of what declared requirements say.
    pub(super) fn declared(&mut self, said: &Vec<u64>) -> u32 {
        self.declared.number(said, || lock(self.shared).declared.intern(said))
    }
}
