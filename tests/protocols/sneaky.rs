//! Protocols that tell indices apart, each in a way that the types leave open: all are caught before
//! the check.

use isonomy::protocol::*;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicUsize, Ordering};

index! { Client }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Seats {
    taken: Map<Client, bool>,
    last: Option<Client>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Take(Client),
    Leave(Client),
}

/// How a protocol tells indices apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trick {
    /// Not at all.
    None,
    /// The first free client in the order of iteration takes a seat.
    Iteration,
    /// A client that was stored when the protocol was made may not leave.
    Constant(Client),
    /// Clients with an odd hash may not take a seat.
    Hash,
    /// A client whose name ends with a 0 may not leave.
    Format,
    /// Every third call enables nothing.
    Counter,
    /// Where the state is in memory decides whether somebody may leave.
    Address,
    /// The owner of everything is one client.
    Owner(Client),
    /// An atom is about one client.
    Atom(Client),
    /// A property is about one client.
    Property(Client),
    /// A requirement is about one client.
    Requirement(Client),
    /// There is a start state for one client only.
    Start(Client),
}

struct Tricky(Trick);

/// Clients of a type with as many values as that of the protocol has.
fn clients() -> Vec<Client> {
    Indices::new().with::<Client>(4).all().collect()
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

impl Protocol for Tricky {
    type State = Seats;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(4)
    }

    fn starts(&self, all: &Indices) -> Vec<Seats> {
        let mut start = Seats { taken: Map::filled(all, false), last: None };
        if let Trick::Start(client) = self.0 {
            start.taken[client] = true;
        }
        vec![start]
    }

    fn events(&self, seats: &Seats, enabled: &mut Vec<Event>) {
        let may_take = |client: Client| match self.0 {
            Trick::Iteration => {
                seats.taken.iter().find(|(_, taken)| !**taken).map(|(first, _)| first)
                    == Some(client)
            }
            Trick::Hash => {
                let hasher = BuildHasherDefault::<DefaultHasher>::default();
                hasher.hash_one(client) % 2 == 0
            }
            _ => true,
        };
        let may_leave = |client: Client| match self.0 {
            Trick::Constant(favourite) => client != favourite,
            Trick::Format => !format!("{client:?}").ends_with('0'),
            Trick::Counter => !CALLS.fetch_add(1, Ordering::Relaxed).is_multiple_of(3),
            Trick::Address => (std::ptr::from_ref(seats).addr() / 16).is_multiple_of(3),
            _ => true,
        };
        for (client, taken) in seats.taken.iter() {
            if *taken && may_leave(client) {
                enabled.push(Event::Leave(client));
            }
            if !*taken && may_take(client) {
                enabled.push(Event::Take(client));
            }
        }
    }

    fn next(&self, seats: &Seats, event: &Event) -> Option<Seats> {
        let mut seats = seats.clone();
        match *event {
            Event::Take(client) => {
                seats.taken[client] = true;
                seats.last = Some(client);
            }
            Event::Leave(client) => {
                seats.taken[client] = false;
                seats.last = None;
            }
        }
        Some(seats)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::Take(client) | Event::Leave(client)) = *event;
        match self.0 {
            Trick::Owner(other) => Owner::of(other),
            _ => Owner::of(client),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state1("sits", |seats, c| seats.taken[c]);
        if let Trick::Atom(client) = self.0 {
            atoms.state("first", move |seats| seats.taken[client]);
        }
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        if let Trick::Property(client) = self.0 {
            properties.always("free", move |seats| !seats.taken[client]);
        }
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        if let Trick::Requirement(client) = self.0 {
            required.justice("free", move |seats| !seats.taken[client]);
        }
    }
}

fn checked(trick: Trick) -> Result<bool, CheckError> {
    let formula = "forall c: Client. G F !sits(c)";
    let report = check(Tricky(trick)).fairness(Fairness::Weak).formula(formula)?.run()?;
    Ok(report.holds())
}

#[test]
fn an_honest_protocol_is_checked() {
    assert_eq!(checked(Trick::None), Ok(true));
}

#[test]
fn tricks_are_found() {
    let [first, second, ..] = clients()[..] else { panic!("there are four clients") };
    let tricks = [
        (Trick::Iteration, Promise::Symmetric, "is enabled"),
        (Trick::Constant(second), Promise::Symmetric, "Leave(Client_"),
        (Trick::Hash, Promise::Symmetric, "Take(Client_"),
        (Trick::Format, Promise::Symmetric, "Leave(Client_"),
        (Trick::Counter, Promise::Deterministic, "when"),
        (Trick::Owner(first), Promise::Symmetric, "the owner of"),
        (Trick::Atom(first), Promise::Symmetric, "the atom `first`"),
        (Trick::Property(second), Promise::Symmetric, "the property \"free\""),
        (Trick::Requirement(first), Promise::Symmetric, "the requirement \"free\""),
        (Trick::Start(first), Promise::Symmetric, "start state"),
    ];
    for (trick, promise, text) in tricks {
        let error = checked(trick).expect_err("the trick is found");
        let CheckError::Broken(broken) = &error else { panic!("{trick:?}: {error}") };
        assert_eq!(broken.promise, promise, "{trick:?}: {error}");
        assert!(broken.what.contains(text), "{trick:?}: {error}");
        let message = error.to_string();
        assert!(message.contains("in the state Seats {"), "{message}");
        assert_eq!(broken.renaming.is_some(), promise == Promise::Symmetric);
    }
}

/// Whether two calls see a state at one address is up to the allocator and the system: the trick is
/// found at once, or in one of the next runs, as code that is not deterministic or not symmetric.
#[test]
fn a_trick_with_addresses_is_found() {
    let found = (0..50).find_map(|_| checked(Trick::Address).err());
    let Some(CheckError::Broken(broken)) = found else { panic!("{found:?}") };
    assert!(matches!(broken.promise, Promise::Deterministic | Promise::Symmetric), "{broken:?}");
}

/// Without the examination a wrong claim never becomes a counterexample that is no run.
#[test]
fn without_the_examination_no_false_run_is_shown() {
    let [first, second, ..] = clients()[..] else { panic!("there are four clients") };
    let tricks = [Trick::Iteration, Trick::Constant(second), Trick::Hash, Trick::Owner(first)];
    for trick in tricks {
        for text in ["forall c: Client. G F !sits(c)", "forall c: Client. G F sits(c)"] {
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global] {
                let check = check(Tricky(trick)).verify(Verification::Off).fairness(fairness);
                // It is an error, or a verdict whose run, if there is one, the judge has accepted.
                match check.formula(text).expect("a formula").run() {
                    Ok(_) | Err(CheckError::Unrepeatable(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

/// A type whose cells do not list all of its fields. `#[derive(Cells)]` cannot make it: this is written
/// by hand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Forgetful {
    seen: bool,
    hidden: u8,
}

impl Cells for Forgetful {
    fn shape(all: &Indices) -> Shape {
        bool::shape(all)
    }

    fn cells(_: &Indices) -> usize {
        1
    }

    fn write(&self, to: &mut Writer<'_>) {
        self.seen.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Self {
        Forgetful { seen: bool::read(from), hidden: 0 }
    }

    fn renamed(&self, _: &Renaming<'_>) -> Self {
        self.clone()
    }
}

struct Forgets;

impl Protocol for Forgets {
    type State = Forgetful;
    type Event = bool;

    fn starts(&self, _: &Indices) -> Vec<Forgetful> {
        vec![Forgetful { seen: false, hidden: 0 }]
    }

    fn events(&self, _: &Forgetful, enabled: &mut Vec<bool>) {
        enabled.extend([false, true]);
    }

    fn next(&self, state: &Forgetful, event: &bool) -> Option<Forgetful> {
        Some(Forgetful { seen: *event, hidden: (state.hidden + 1) % 5 })
    }
}

#[test]
fn a_field_that_is_not_listed_is_missed() {
    let error = check(Forgets).run().err().expect("the hidden field is lost");
    let CheckError::Broken(broken) = error else { panic!("{error}") };
    assert_eq!(broken.promise, Promise::Faithful);
    assert!(broken.what.contains("hidden: 0"), "{broken}");
}

/// A renaming that does not agree with the shape, written by hand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Stubborn(Client);

impl Cells for Stubborn {
    fn shape(all: &Indices) -> Shape {
        Client::shape(all)
    }

    fn cells(_: &Indices) -> usize {
        1
    }

    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Self {
        Stubborn(Client::read(from))
    }

    fn renamed(&self, _: &Renaming<'_>) -> Self {
        self.clone()
    }
}

struct Stays;

impl Protocol for Stays {
    type State = Stubborn;
    type Event = bool;

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(2)
    }

    fn starts(&self, all: &Indices) -> Vec<Stubborn> {
        all.all().map(Stubborn).collect()
    }

    fn events(&self, _: &Stubborn, _: &mut Vec<bool>) {}

    fn next(&self, _: &Stubborn, _: &bool) -> Option<Stubborn> {
        None
    }
}

#[test]
fn a_renaming_by_hand_must_agree_with_the_shape() {
    let error = check(Stays).run().err().expect("the renaming is wrong");
    assert!(error.to_string().contains("does not agree with the shape"), "{error}");
}
