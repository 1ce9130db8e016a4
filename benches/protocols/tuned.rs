//! Two-phase commit for Stateright, tuned: a state is two words that are copied, and nothing allocates.

use stateright::{Model, Property};

/// The system with so many resource managers, at most 16.
pub struct TwoPhase {
    pub managers: u32,
}

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Commit {
    /// Two bits for each manager.
    managers: u32,
    /// The managers that have said that they are prepared, and those that were heard: a bit for each.
    said: u16,
    heard: u16,
    coordinator: u8,
}

const WORKING: u32 = 0;
const PREPARED: u32 = 1;
const COMMITTED: u32 = 2;
const ABORTED: u32 = 3;

const OPEN: u8 = 0;
const HAS_COMMITTED: u8 = 1;
const HAS_ABORTED: u8 = 2;

/// A step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    Hear(u8),
    Commit,
    Abort,
    Prepare(u8),
    GiveUp(u8),
    LearnCommit(u8),
    LearnAbort(u8),
}

impl Commit {
    /// What is left of a state if managers have no names.
    pub fn sorted(&self, managers: u8) -> (u8, Vec<(u32, u16, u16)>) {
        let each = |k| (self.manager(k), self.said >> k & 1, self.heard >> k & 1);
        let mut all: Vec<_> = (0..managers).map(each).collect();
        all.sort_unstable();
        (self.coordinator, all)
    }

    fn manager(&self, k: u8) -> u32 {
        self.managers >> (2 * k) & 3
    }

    fn set(&mut self, k: u8, phase: u32) {
        self.managers = self.managers & !(3 << (2 * k)) | phase << (2 * k);
    }
}

impl Model for TwoPhase {
    type State = Commit;
    type Action = Action;

    fn init_states(&self) -> Vec<Commit> {
        vec![Commit { managers: 0, said: 0, heard: 0, coordinator: OPEN }]
    }

    fn actions(&self, state: &Commit, actions: &mut Vec<Action>) {
        if state.coordinator == OPEN {
            if state.heard.count_ones() == self.managers {
                actions.push(Action::Commit);
            }
            actions.push(Action::Abort);
        }
        for k in 0..self.managers as u8 {
            if state.coordinator == OPEN && state.said >> k & 1 == 1 {
                actions.push(Action::Hear(k));
            }
            if state.manager(k) == WORKING {
                actions.push(Action::Prepare(k));
                actions.push(Action::GiveUp(k));
            }
            // The message of the coordinator is there if, and only if, it has decided.
            match state.coordinator {
                HAS_COMMITTED => actions.push(Action::LearnCommit(k)),
                HAS_ABORTED => actions.push(Action::LearnAbort(k)),
                _ => {}
            }
        }
    }

    fn next_state(&self, state: &Commit, action: Action) -> Option<Commit> {
        let mut next = *state;
        match action {
            Action::Hear(k) => next.heard |= 1 << k,
            Action::Commit => next.coordinator = HAS_COMMITTED,
            Action::Abort => next.coordinator = HAS_ABORTED,
            Action::Prepare(k) => {
                next.set(k, PREPARED);
                next.said |= 1 << k;
            }
            Action::GiveUp(k) | Action::LearnAbort(k) => next.set(k, ABORTED),
            Action::LearnCommit(k) => next.set(k, COMMITTED),
        }
        Some(next)
    }

    /// One that holds, so that the search visits all states.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |of, state: &Commit| {
            let has = |phase| (0..of.managers as u8).any(|k| state.manager(k) == phase);
            !(has(ABORTED) && has(COMMITTED))
        })]
    }
}
