//! Two-phase commit as a protocol, and as a model text.
#![allow(clippy::wildcard_imports, reason = "the module is meant to be imported as a whole")]

use isonomy::protocol::{Cells, Indices, Map, Properties, Protocol, index};

index! {
    /// A resource manager.
    pub Manager
}

/// The system with so many resource managers.
pub struct TwoPhase {
    pub managers: usize,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
pub struct Commit {
    managers: Map<Manager, Phase>,
    coordinator: Decision,
    heard: Map<Manager, bool>,
    said: Map<Manager, bool>,
    /// The message of the coordinator.
    order: Option<Order>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Phase {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Decision {
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Order {
    Commit,
    Abort,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
pub enum Event {
    Hear(Manager),
    Commit,
    Abort,
    Prepare(Manager),
    GiveUp(Manager),
    LearnCommit(Manager),
    LearnAbort(Manager),
}

impl Protocol for TwoPhase {
    type State = Commit;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Manager>(self.managers)
    }

    fn starts(&self, all: &Indices) -> Vec<Commit> {
        vec![Commit {
            managers: Map::filled(all, Phase::Working),
            coordinator: Decision::Open,
            heard: Map::filled(all, false),
            said: Map::filled(all, false),
            order: None,
        }]
    }

    fn events(&self, state: &Commit, enabled: &mut Vec<Event>) {
        let is_open = state.coordinator == Decision::Open;
        if is_open {
            if state.heard.all(|heard| *heard) {
                enabled.push(Event::Commit);
            }
            enabled.push(Event::Abort);
        }
        for (manager, phase) in state.managers.iter() {
            if is_open && state.said[manager] {
                enabled.push(Event::Hear(manager));
            }
            if *phase == Phase::Working {
                enabled.push(Event::Prepare(manager));
                enabled.push(Event::GiveUp(manager));
            }
            match state.order {
                Some(Order::Commit) => enabled.push(Event::LearnCommit(manager)),
                Some(Order::Abort) => enabled.push(Event::LearnAbort(manager)),
                None => {}
            }
        }
    }

    fn next(&self, state: &Commit, event: &Event) -> Option<Commit> {
        let mut next = state.clone();
        match *event {
            Event::Hear(manager) => next.heard[manager] = true,
            Event::Commit => {
                next.coordinator = Decision::Committed;
                next.order = Some(Order::Commit);
            }
            Event::Abort => {
                next.coordinator = Decision::Aborted;
                next.order = Some(Order::Abort);
            }
            Event::Prepare(manager) => {
                next.managers[manager] = Phase::Prepared;
                next.said[manager] = true;
            }
            Event::GiveUp(manager) | Event::LearnAbort(manager) => {
                next.managers[manager] = Phase::Aborted;
            }
            Event::LearnCommit(manager) => next.managers[manager] = Phase::Committed,
        }
        Some(next)
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("consistent", |state| {
            let has = |of: Phase| state.managers.any(|phase| *phase == of);
            !(has(Phase::Aborted) && has(Phase::Committed))
        });
    }
}

/// The same system as a model text.
pub const TEXT: &str = r#"
const N: 5;
type
  manager: scalarset(N);
  phase: enum { Working, Prepared, Committed, Aborted };
  decision: enum { Open, DecidedCommit, DecidedAbort };
  order: enum { NoOrder, OrderCommit, OrderAbort };
var
  managers: array [manager] of phase;
  coordinator: decision;
  heard: array [manager] of boolean;
  said: array [manager] of boolean;
  message: order;

startstate begin
  for m: manager do managers[m] := Working; heard[m] := false; said[m] := false; end;
  coordinator := Open;
  message := NoOrder;
end;

rule "commit" coordinator = Open & forall m: manager do heard[m] end ==>
  coordinator := DecidedCommit; message := OrderCommit;
end;

rule "abort" coordinator = Open ==>
  coordinator := DecidedAbort; message := OrderAbort;
end;

ruleset m: manager do
  rule "hear" coordinator = Open & said[m] ==> heard[m] := true; end;
  rule "prepare" managers[m] = Working ==> managers[m] := Prepared; said[m] := true; end;
  rule "give up" managers[m] = Working ==> managers[m] := Aborted; end;
  rule "learn commit" message = OrderCommit ==> managers[m] := Committed; end;
  rule "learn abort" message = OrderAbort ==> managers[m] := Aborted; end;
end;

invariant "consistent"
  !((exists m: manager do managers[m] = Aborted end)
    & (exists m: manager do managers[m] = Committed end));
"#;
