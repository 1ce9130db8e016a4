//! A lock for interchangeable clients, written in Rust.
//!
//! Under weak fairness a client may wait forever, because others are faster; under strong fairness every
//! client that waits gets in. Run it with `cargo run --release --example lock`.

#![allow(clippy::print_stdout, clippy::wildcard_imports, reason = "an example")]

use isonomy::protocol::*;

index! { Client }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Lock {
    at: Map<Client, Phase>,
    holder: Option<Client>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Phase {
    Idle,
    Waiting,
    Inside,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Ask(Client),
    Enter(Client),
    Leave(Client),
}

struct Locks {
    clients: usize,
}

impl Protocol for Locks {
    type State = Lock;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(self.clients)
    }

    fn starts(&self, all: &Indices) -> Vec<Lock> {
        vec![Lock { at: Map::filled(all, Phase::Idle), holder: None }]
    }

    fn events(&self, lock: &Lock, enabled: &mut Vec<Event>) {
        for (client, phase) in lock.at.iter() {
            match phase {
                Phase::Idle => enabled.push(Event::Ask(client)),
                Phase::Waiting if lock.holder.is_none() => enabled.push(Event::Enter(client)),
                Phase::Waiting => {}
                Phase::Inside => enabled.push(Event::Leave(client)),
            }
        }
    }

    fn next(&self, lock: &Lock, event: &Event) -> Option<Lock> {
        let mut lock = lock.clone();
        match *event {
            Event::Ask(client) => lock.at[client] = Phase::Waiting,
            Event::Enter(client) => {
                lock.at[client] = Phase::Inside;
                lock.holder = Some(client);
            }
            Event::Leave(client) => {
                lock.at[client] = Phase::Idle;
                lock.holder = None;
            }
        }
        Some(lock)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::Ask(client) | Event::Enter(client) | Event::Leave(client)) = *event;
        Owner::of(client)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("waiting", |lock, c| lock.at[c] == Phase::Waiting)
            .state1("inside", |lock, c| lock.at[c] == Phase::Inside);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |lock| lock.at.count(|phase| *phase == Phase::Inside) <= 1)
            .sometimes("all wait", |lock| lock.at.all(|phase| *phase == Phase::Waiting));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let access = "forall c: Client. G (waiting(c) -> F inside(c))";
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let report = check(Locks { clients: 5 }).fairness(fairness).formula(access)?.run()?;
        println!("{report}");
    }
    let counts = explore(Locks { clients: 20 })?;
    println!("20 clients: {} states, {} stored", counts.states, counts.representatives);
    Ok(())
}
