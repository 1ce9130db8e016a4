//! The queue lock of Mellor-Crummey and Scott: states are full of optional indices.

use super::{Order, Twins};
use isonomy::protocol::*;

index! { pub Process }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Queue {
    at: Map<Process, Place>,
    tail: Option<Process>,
    before: Map<Process, Option<Process>>,
    after: Map<Process, Option<Process>>,
    locked: Map<Process, bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Place {
    Away,
    Link,
    Spin,
    Critical,
    Release,
    AwaitLink,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Swap(Process),
    Link(Process),
    Spin(Process),
    Finish(Process),
    Release(Process),
    Linked(Process),
}

struct McsLock {
    processes: usize,
}

impl Queue {
    fn unlock_successor(&mut self, p: Process) {
        let successor = self.after[p].take().expect("there is a successor");
        self.locked[successor] = false;
        self.at[p] = Place::Away;
    }
}

impl Protocol for McsLock {
    type State = Queue;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Process>(self.processes)
    }

    fn starts(&self, all: &Indices) -> Vec<Queue> {
        vec![Queue {
            at: Map::filled(all, Place::Away),
            tail: None,
            before: Map::filled(all, None),
            after: Map::filled(all, None),
            locked: Map::filled(all, false),
        }]
    }

    fn events(&self, queue: &Queue, enabled: &mut Vec<Event>) {
        let at = |place: Place| queue.at.keys().filter(move |&p| queue.at[p] == place);
        enabled.extend(at(Place::Away).map(Event::Swap));
        enabled.extend(at(Place::Link).map(Event::Link));
        enabled.extend(at(Place::Spin).filter(|&p| !queue.locked[p]).map(Event::Spin));
        enabled.extend(at(Place::Critical).map(Event::Finish));
        enabled.extend(at(Place::Release).map(Event::Release));
        // Whether it is linked is seen by `next`.
        enabled.extend(at(Place::AwaitLink).map(Event::Linked));
    }

    fn next(&self, queue: &Queue, event: &Event) -> Option<Queue> {
        let mut queue = queue.clone();
        match *event {
            Event::Swap(p) => match queue.tail.replace(p) {
                None => queue.at[p] = Place::Critical,
                before => {
                    queue.before[p] = before;
                    queue.locked[p] = true;
                    queue.at[p] = Place::Link;
                }
            },
            Event::Link(p) => {
                let before = queue.before[p].take().expect("there is a predecessor");
                queue.after[before] = Some(p);
                queue.at[p] = Place::Spin;
            }
            Event::Spin(p) => queue.at[p] = Place::Critical,
            Event::Finish(p) => queue.at[p] = Place::Release,
            Event::Release(p) => {
                if queue.after[p].is_some() {
                    queue.unlock_successor(p);
                } else if queue.tail == Some(p) {
                    queue.tail = None;
                    queue.at[p] = Place::Away;
                } else {
                    queue.at[p] = Place::AwaitLink;
                }
            }
            Event::Linked(p) => {
                queue.after[p]?;
                queue.unlock_successor(p);
            }
        }
        Some(queue)
    }

    fn owner(&self, event: &Event) -> Owner {
        match *event {
            Event::Swap(p)
            | Event::Link(p)
            | Event::Spin(p)
            | Event::Finish(p)
            | Event::Release(p)
            | Event::Linked(p) => Owner::of(p),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("away", |queue, p| queue.at[p] == Place::Away)
            .state1("links", |queue, p| queue.at[p] == Place::Link)
            .state1("critical", |queue, p| queue.at[p] == Place::Critical)
            .state2("follows", |queue, p, q: Process| queue.after[p] == Some(q))
            .state("empty", |queue| queue.tail.is_none());
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |queue| queue.at.count(|place| *place == Place::Critical) <= 1);
    }
}

const TEXT: &str = include_str!("../../../fixtures/models/mcs_lock.m");

const FORMULAS: [(&str, &str); 10] = [
    (
        "forall p: Process. G (links(p) -> F critical(p))",
        "forall p: proc. G (pc[p] = Link -> F pc[p] = Critical)",
    ),
    (
        "forall p: Process. G (@swap(p) -> F @finish(p))",
        "forall p: proc. G (@swap(p) -> F @finish(p))",
    ),
    ("forall p: Process. G F @by(p)", "forall p: proc. G F @by(p)"),
    ("forall p: Process. G F critical(p)", "forall p: proc. G F pc[p] = Critical"),
    ("forall p: Process. F G away(p)", "forall p: proc. F G pc[p] = Away"),
    ("G F empty", "G F isundefined(tail)"),
    (
        "forall distinct p, q: Process. G (follows(p, q) -> !critical(p) R !critical(q))",
        "forall distinct p, q: proc. \
         G (!isundefined(after[p]) & after[p] = q -> (pc[p] != Critical) R (pc[q] != Critical))",
    ),
    (
        "forall distinct p, q: Process. G (follows(p, q) -> F @by(q))",
        "forall distinct p, q: proc. G (!isundefined(after[p]) & after[p] = q -> F @by(q))",
    ),
    (
        "forall distinct p, q: Process. G (@swap(p) -> !(@swap(q) | @finish(q)) U @finish(p))",
        "forall distinct p, q: proc. G (@swap(p) -> !(@swap(q) | @finish(q)) U @finish(p))",
    ),
    ("forall p: Process. G (@linked(p) -> X @by(p))", "forall p: proc. G (@linked(p) -> X @by(p))"),
];

#[test]
fn an_mcs_lock() {
    for processes in [2, 3] {
        let make = move || McsLock { processes };
        Twins::new(make, (TEXT, processes), &FORMULAS, Order::Rules).compare().assert_mixed();
    }
}

#[test]
fn an_mcs_lock_of_four_has_the_same_counts() {
    Twins::new(|| McsLock { processes: 4 }, (TEXT, 4), &FORMULAS, Order::Rules).compare_counts();
}
