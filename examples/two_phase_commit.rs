//! Two-phase commit: resource managers commit all, or abort all.
//!
//! The system is that of Gray and Lamport, "Consensus on Transaction Commit", which Stateright has as an
//! example, too. The resource managers are interchangeable, and that is all to be said about symmetry.
//! Run it with `cargo run --release --example two_phase_commit`.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::wildcard_imports, reason = "the module is meant to be imported as a whole")]

use isonomy::protocol::*;

index! { Manager }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Transaction {
    at: Map<Manager, Phase>,
    /// The managers that have sent "prepared", and those whose message the coordinator has received.
    said: Map<Manager, bool>,
    heard: Map<Manager, bool>,
    /// The message of the coordinator to all, once it has decided.
    decision: Option<Decision>,
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
    Commit,
    Abort,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Prepare(Manager),
    GiveUp(Manager),
    Hear(Manager),
    Decide(Decision),
    Learn(Manager),
}

struct TwoPhaseCommit {
    managers: usize,
}

impl Protocol for TwoPhaseCommit {
    type State = Transaction;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Manager>(self.managers)
    }

    fn processes(&self) -> Vec<&'static str> {
        vec!["coordinator"]
    }

    fn starts(&self, all: &Indices) -> Vec<Transaction> {
        vec![Transaction {
            at: Map::filled(all, Phase::Working),
            said: Map::filled(all, false),
            heard: Map::filled(all, false),
            decision: None,
        }]
    }

    fn events(&self, now: &Transaction, enabled: &mut Vec<Event>) {
        if now.decision.is_none() {
            enabled.push(Event::Decide(Decision::Abort));
            if now.heard.all(|heard| *heard) {
                enabled.push(Event::Decide(Decision::Commit));
            }
        }
        for (manager, phase) in now.at.iter() {
            if *phase == Phase::Working {
                enabled.extend([Event::Prepare(manager), Event::GiveUp(manager)]);
            }
            if now.decision.is_none() && now.said[manager] {
                enabled.push(Event::Hear(manager));
            }
            if now.decision.is_some() {
                enabled.push(Event::Learn(manager));
            }
        }
    }

    fn next(&self, now: &Transaction, event: &Event) -> Option<Transaction> {
        let mut next = now.clone();
        match *event {
            Event::Prepare(manager) => {
                next.at[manager] = Phase::Prepared;
                next.said[manager] = true;
            }
            Event::GiveUp(manager) => next.at[manager] = Phase::Aborted,
            Event::Hear(manager) => next.heard[manager] = true,
            Event::Decide(decision) => next.decision = Some(decision),
            Event::Learn(manager) => {
                next.at[manager] = match now.decision? {
                    Decision::Commit => Phase::Committed,
                    Decision::Abort => Phase::Aborted,
                };
            }
        }
        Some(next)
    }

    fn owner(&self, event: &Event) -> Owner {
        match *event {
            Event::Prepare(manager) | Event::GiveUp(manager) | Event::Learn(manager) => {
                Owner::of(manager)
            }
            Event::Hear(_) | Event::Decide(_) => Owner::named("coordinator"),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("aborted", |now, m| now.at[m] == Phase::Aborted)
            .state1("committed", |now, m| now.at[m] == Phase::Committed);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        let all = |now: &Transaction, of| now.at.all(|phase| *phase == of);
        let any = |now: &Transaction, of| now.at.any(|phase| *phase == of);
        properties
            .always("consistent", move |now| {
                !(any(now, Phase::Aborted) && any(now, Phase::Committed))
            })
            .sometimes("all abort", move |now| all(now, Phase::Aborted))
            .sometimes("all commit", move |now| all(now, Phase::Committed));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Messages stay where they are, and may be received infinitely often. So without fairness to events the
    // coordinator may be busy with receiving forever, and never decide. With it every manager has an
    // outcome, and one abort is followed by all others.
    let outcome = "forall m: Manager. F (aborted(m) | committed(m))";
    let spreads = "forall distinct a, b: Manager. G (aborted(a) -> F aborted(b))";
    let all = || check(TwoPhaseCommit { managers: 4 }).formula(outcome)?.formula(spreads);
    println!("{}", all()?.fairness(Fairness::Weak).run()?);
    println!("{}", all()?.fairness(Fairness::Weak).over(Over::Events).run()?);

    let counts = explore(TwoPhaseCommit { managers: 12 })?;
    println!("12 managers: {} states, {} stored", counts.states, counts.representatives);
    Ok(())
}
