//! Peterson's tournament: two index types, one of which is ordered, and numbers with a range.

use super::{Order, Twins};
use isonomy::protocol::*;

index! { pub Process }
index! {
    /// The levels of the tournament, one less than processes. No level is like another.
    pub Level: ordered
}

/// A level from 1, or 0 for none.
type Height = Ranged<0, 3>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Tournament {
    at: Map<Process, Place>,
    raised: Map<Process, Height>,
    goal: Map<Process, Height>,
    /// Who came last to a level.
    last: Map<Level, Option<Process>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Place {
    Start,
    Raise,
    Yield,
    Wait,
    Critical,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Event {
    what: What,
    who: Process,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum What {
    Begin,
    Raise,
    Yield,
    Climb,
    Leave,
}

struct Peterson {
    processes: usize,
}

impl Tournament {
    fn level(&self, p: Process) -> Level {
        let goal = usize::try_from(self.goal[p].get() - 1).expect("it has a goal");
        self.last.keys().nth(goal).expect("a goal is a level")
    }

    fn may_climb(&self, p: Process) -> bool {
        let is_below = |k| k == p || self.raised[k] < self.goal[p];
        self.last[self.level(p)] != Some(p) || self.at.keys().all(is_below)
    }
}

impl Protocol for Peterson {
    type State = Tournament;
    type Event = Event;

    fn indices(&self) -> Indices {
        // Processes come second: their numbers as owners do not start with that of the first.
        Indices::new().with::<Level>(self.processes - 1).with::<Process>(self.processes)
    }

    fn starts(&self, all: &Indices) -> Vec<Tournament> {
        vec![Tournament {
            at: Map::filled(all, Place::Start),
            raised: Map::filled(all, Height::LOW),
            goal: Map::filled(all, Height::LOW),
            last: Map::filled(all, None),
        }]
    }

    fn events(&self, state: &Tournament, enabled: &mut Vec<Event>) {
        for (place, what) in [
            (Place::Start, What::Begin),
            (Place::Raise, What::Raise),
            (Place::Yield, What::Yield),
            (Place::Wait, What::Climb),
            (Place::Critical, What::Leave),
        ] {
            let there = state.at.keys().filter(|&p| state.at[p] == place);
            let there = there.filter(|&p| what != What::Climb || state.may_climb(p));
            enabled.extend(there.map(|who| Event { what, who }));
        }
    }

    fn next(&self, state: &Tournament, event: &Event) -> Option<Tournament> {
        let (mut state, p) = (state.clone(), event.who);
        state.at[p] = match event.what {
            What::Begin => {
                state.goal[p] = Height::new(1);
                Place::Raise
            }
            What::Raise => {
                state.raised[p] = state.goal[p];
                Place::Yield
            }
            What::Yield => {
                let level = state.level(p);
                state.last[level] = Some(p);
                Place::Wait
            }
            What::Climb if state.level(p).position() + 1 < state.last.len() => {
                state.goal[p] += 1;
                Place::Raise
            }
            What::Climb => Place::Critical,
            What::Leave => {
                (state.raised[p], state.goal[p]) = (Height::LOW, Height::LOW);
                Place::Start
            }
        };
        Some(state)
    }

    fn owner(&self, event: &Event) -> Owner {
        Owner::of(event.who)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("tries", |state, p: Process| state.at[p] == Place::Raise)
            .state1("critical", |state, p: Process| state.at[p] == Place::Critical)
            .state1("away", |state, p: Process| state.at[p] == Place::Start);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |state| state.at.count(|place| *place == Place::Critical) <= 1);
    }
}

const TEXT: &str = include_str!("../../../fixtures/models/peterson.m");

/// There is one kind of event, with two arguments; the model has a rule for each value of the
/// first.
const FORMULAS: [(&str, &str); 8] = [
    (
        "forall p: Process. G (tries(p) -> F critical(p))",
        "forall i: proc. G (pc[i] = Raise -> F pc[i] = Critical)",
    ),
    (
        "forall p: Process. G (@event(Begin, p) -> F @event(Leave, p))",
        "forall i: proc. G (@begin(i) -> F @leave(i))",
    ),
    ("forall p: Process. G F @by(p)", "forall i: proc. G F @by(i)"),
    ("forall p: Process. G F @event(_, p)", "forall i: proc. G F @by(i)"),
    ("forall p: Process. F G away(p)", "forall i: proc. F G pc[i] = Start"),
    ("G F @event(Leave, _)", "G F @leave"),
    (
        "forall distinct p, q: Process. G (@event(Yield, p) -> !critical(q) U critical(p))",
        "forall distinct i, k: proc. G (@yield(i) -> (pc[k] != Critical) U (pc[i] = Critical))",
    ),
    (
        "forall distinct p, q: Process. G (@by(p) & away(q) -> X away(q))",
        "forall distinct i, k: proc. G (@by(i) & pc[k] = Start -> X pc[k] = Start)",
    ),
];

#[test]
fn peterson() {
    for processes in [2, 3] {
        let make = move || Peterson { processes };
        Twins::new(make, (TEXT, processes), &FORMULAS, Order::Rules).compare().assert_mixed();
    }
}

#[test]
fn peterson_for_four_has_the_same_counts() {
    Twins::new(|| Peterson { processes: 4 }, (TEXT, 4), &FORMULAS, Order::Rules).compare_counts();
}
