//! Two-phase commit for Stateright, as its users write models: vectors, sets, an enumeration of messages.
//!
//! The system is that of Gray and Lamport, "Consensus on Transaction Commit": resource managers prepare
//! or abort on their own; the transaction manager commits when it has heard that all are prepared, or
//! aborts; messages are never removed. Stateright's two-phase commit is the same system.

use stateright::{Model, Property};
use std::collections::BTreeSet;

/// The system with so many resource managers.
pub struct TwoPhase {
    pub managers: usize,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Commit {
    managers: Vec<Manager>,
    coordinator: Coordinator,
    heard: Vec<bool>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Coordinator {
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    Hear(usize),
    Commit,
    Abort,
    Prepare(usize),
    GiveUp(usize),
    LearnCommit(usize),
    LearnAbort(usize),
}

impl Model for TwoPhase {
    type State = Commit;
    type Action = Action;

    fn init_states(&self) -> Vec<Commit> {
        vec![Commit {
            managers: vec![Manager::Working; self.managers],
            coordinator: Coordinator::Open,
            heard: vec![false; self.managers],
            messages: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &Commit, actions: &mut Vec<Action>) {
        let is_open = state.coordinator == Coordinator::Open;
        if is_open {
            if state.heard.iter().all(|heard| *heard) {
                actions.push(Action::Commit);
            }
            actions.push(Action::Abort);
        }
        for (k, manager) in state.managers.iter().enumerate() {
            if is_open && state.messages.contains(&Message::Prepared(k)) {
                actions.push(Action::Hear(k));
            }
            if *manager == Manager::Working {
                actions.push(Action::Prepare(k));
                actions.push(Action::GiveUp(k));
            }
            if state.messages.contains(&Message::Commit) {
                actions.push(Action::LearnCommit(k));
            }
            if state.messages.contains(&Message::Abort) {
                actions.push(Action::LearnAbort(k));
            }
        }
    }

    fn next_state(&self, state: &Commit, action: Action) -> Option<Commit> {
        let mut next = state.clone();
        match action {
            Action::Hear(k) => next.heard[k] = true,
            Action::Commit => {
                next.coordinator = Coordinator::Committed;
                next.messages.insert(Message::Commit);
            }
            Action::Abort => {
                next.coordinator = Coordinator::Aborted;
                next.messages.insert(Message::Abort);
            }
            Action::Prepare(k) => {
                next.managers[k] = Manager::Prepared;
                next.messages.insert(Message::Prepared(k));
            }
            Action::GiveUp(k) | Action::LearnAbort(k) => next.managers[k] = Manager::Aborted,
            Action::LearnCommit(k) => next.managers[k] = Manager::Committed,
        }
        Some(next)
    }

    /// One that holds, so that the search visits all states.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &Commit| {
            let has = |of: Manager| state.managers.contains(&of);
            !(has(Manager::Aborted) && has(Manager::Committed))
        })]
    }
}
