//! A lock for interchangeable clients, with declared fairness of every kind.

use super::{Order, Tally, Twins};
use isonomy::protocol::*;

index! { pub Client }

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

/// What is declared of the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Declared {
    Nothing,
    Weak,
    Strong,
    Justice,
    Compassion,
}

struct Locks {
    clients: usize,
    declared: Declared,
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
            Event::Enter(client) => (lock.at[client], lock.holder) = (Phase::Inside, Some(client)),
            Event::Leave(client) => (lock.at[client], lock.holder) = (Phase::Idle, None),
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
            .state1("inside", |lock, c| lock.at[c] == Phase::Inside)
            .state("free", |lock| lock.holder.is_none())
            .step("goes in", |event| matches!(event, Event::Enter(_)))
            .step1("leaves", |event, c| *event == Event::Leave(c));
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |lock| lock.at.count(|phase| *phase == Phase::Inside) <= 1)
            .always("not all wait", |lock| !lock.at.all(|phase| *phase == Phase::Waiting))
            .sometimes("all wait", |lock| lock.at.all(|phase| *phase == Phase::Waiting))
            .sometimes("two inside", |lock| lock.at.count(|phase| *phase == Phase::Inside) == 2)
            .possible("free", |lock| lock.holder.is_none());
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        match self.declared {
            Declared::Nothing => required,
            Declared::Weak => required.weakly_fair("enter"),
            Declared::Strong => required.strongly_fair("enter").weakly_fair("leave"),
            Declared::Justice => required
                .justice("free", |lock| lock.holder.is_none())
                .justice1("idle", |lock, c: Client| lock.at[c] == Phase::Idle),
            Declared::Compassion => required
                .compassion(
                    "turn",
                    |lock| lock.at.any(|phase| *phase == Phase::Waiting),
                    |lock| lock.at.any(|phase| *phase == Phase::Inside),
                )
                .compassion1(
                    "own turn",
                    |lock, c: Client| lock.at[c] == Phase::Waiting && lock.holder.is_none(),
                    |lock, c| lock.at[c] == Phase::Inside,
                ),
        };
    }
}

/// The lock as a model.
fn text(declared: Declared) -> String {
    let enter = match declared {
        Declared::Weak => "fair",
        Declared::Strong => "strongly fair",
        _ => "",
    };
    let leave = if declared == Declared::Strong { "fair" } else { "" };
    let requirements = match declared {
        Declared::Justice => {
            "justice \"free\": isundefined(holder);
             justice \"idle\": forall c: client. at[c] = Idle;"
        }
        Declared::Compassion => {
            "compassion \"turn\": (exists c: client do at[c] = Waiting end,
                                   exists c: client do at[c] = Inside end);
             compassion \"own turn\": forall c: client. (at[c] = Waiting & isundefined(holder),
                                                         at[c] = Inside);"
        }
        _ => "",
    };
    format!(
        "const N: 3;
         type client: scalarset(N);
         var at: array [client] of enum {{ Idle, Waiting, Inside }}; holder: client;
         startstate for c: client do at[c] := Idle end; undefine holder end;
         process c: client do
           rule \"ask\" at[c] = Idle ==> at[c] := Waiting end;
           {enter} rule \"enter\" at[c] = Waiting & isundefined(holder) ==>
             at[c] := Inside; holder := c end;
           {leave} rule \"leave\" at[c] = Inside ==> at[c] := Idle; undefine holder end;
         end;
         invariant \"exclusion\" forall c: client do forall d: client do
           at[c] = Inside & at[d] = Inside -> c = d end end;
         invariant \"not all wait\" exists c: client do at[c] != Waiting end;
         cover \"all wait\" forall c: client do at[c] = Waiting end;
         cover \"two inside\" exists c: client do exists d: client do
           at[c] = Inside & at[d] = Inside & c != d end end;
         liveness \"free\" isundefined(holder);
         {requirements}"
    )
}

const FORMULAS: [(&str, &str); 9] = [
    (
        "forall c: Client. G (waiting(c) -> F inside(c))",
        "forall c: client. G (at[c] = Waiting -> F at[c] = Inside)",
    ),
    ("G F free", "G F isundefined(holder)"),
    (
        "forall c: Client. G (@ask(c) -> F @enter(c))",
        "forall c: client. G (@ask(c) -> F @enter(c))",
    ),
    (
        "forall c: Client. G (@enter(c) -> F leaves(c))",
        "forall c: client. G (@enter(c) -> F @leave(c))",
    ),
    ("forall c: Client. G F @by(c)", "forall c: client. G F @by(c)"),
    (
        "forall distinct c, d: Client. G !(inside(c) & inside(d))",
        "forall distinct c, d: client. G !(at[c] = Inside & at[d] = Inside)",
    ),
    (
        "forall distinct c, d: Client. G (waiting(c) -> !inside(d) W inside(c))",
        "forall distinct c, d: client. G (at[c] = Waiting -> !(at[d] = Inside) W at[c] = Inside)",
    ),
    ("G (\"goes in\" -> X !free)", "G (@enter -> X !isundefined(holder))"),
    (
        "forall c, d: Client. F G (@by(c) -> !waiting(d))",
        "forall c, d: client. F G (@by(c) -> !(at[d] = Waiting))",
    ),
];

fn compare(clients: usize, declared: Declared) -> Tally {
    let make = move || Locks { clients, declared };
    Twins::new(make, (&text(declared), clients), &FORMULAS, Order::Other).compare()
}

#[test]
fn a_lock() {
    for clients in [2, 3, 4] {
        compare(clients, Declared::Nothing).assert_mixed();
    }
}

#[test]
fn a_lock_that_declares_fairness() {
    for declared in [Declared::Weak, Declared::Strong, Declared::Justice, Declared::Compassion] {
        for clients in [2, 3] {
            compare(clients, declared).assert_mixed();
        }
    }
}
