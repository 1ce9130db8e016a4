//! A token ring: rotations are the symmetries, and fairness is declared in every way.

use super::{Order, Tally, Twins};
use isonomy::protocol::*;

index! { pub Station: ring }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct State {
    token: Station,
    at: Map<Station, Work>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Work {
    Rests,
    Wants,
    Works,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Ask(Station),
    Enter(Station),
    Leave(Station),
    Pass { from: Station, to: Station },
}

/// What is declared of the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Declared {
    Nothing,
    Weak,
    Strong,
    Justice,
    Compassion,
}

struct TokenRing {
    stations: usize,
    declared: Declared,
    /// Whether states in which all want to work are left out.
    is_bounded: bool,
}

impl Protocol for TokenRing {
    type State = State;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Station>(self.stations)
    }

    fn starts(&self, all: &Indices) -> Vec<State> {
        all.all().map(|token| State { token, at: Map::filled(all, Work::Rests) }).collect()
    }

    fn events(&self, state: &State, enabled: &mut Vec<Event>) {
        let at = |work: Work| state.at.keys().filter(move |&s| state.at[s] == work);
        enabled.extend(at(Work::Rests).map(Event::Ask));
        enabled.extend(at(Work::Wants).filter(|&s| state.token == s).map(Event::Enter));
        enabled.extend(at(Work::Works).map(Event::Leave));
        if state.at[state.token] != Work::Works {
            enabled.push(Event::Pass { from: state.token, to: state.token.next() });
        }
    }

    fn next(&self, state: &State, event: &Event) -> Option<State> {
        let mut state = state.clone();
        match *event {
            Event::Ask(s) => state.at[s] = Work::Wants,
            Event::Enter(s) => state.at[s] = Work::Works,
            Event::Leave(s) => state.at[s] = Work::Rests,
            Event::Pass { to, .. } => state.token = to,
        }
        Some(state)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::Ask(s) | Event::Enter(s) | Event::Leave(s) | Event::Pass { from: s, .. }) =
            *event;
        Owner::of(s)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("wants", |state, s| state.at[s] == Work::Wants)
            .state1("works", |state, s| state.at[s] == Work::Works)
            .state1("rests", |state, s| state.at[s] == Work::Rests)
            .state2("passes_to", |state, s: Station, t| state.token == s && s.next() == t)
            .state("somebody_works", |state| state.at.any(|work| *work == Work::Works));
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |state| state.at.count(|work| *work == Work::Works) <= 1)
            .possible("work", |state| state.at.any(|work| *work == Work::Works));
        if self.is_bounded {
            properties
                .within("somebody is content", |state| state.at.any(|work| *work != Work::Wants));
        }
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        match self.declared {
            Declared::Nothing => required,
            Declared::Weak => required.weakly_fair("enter").weakly_fair("pass"),
            Declared::Strong => required.strongly_fair("enter"),
            Declared::Justice => {
                required.justice1("rest", |state, s: Station| state.at[s] == Work::Rests)
            }
            Declared::Compassion => required.compassion1(
                "turn",
                |state, s: Station| state.token == s && state.at[s] == Work::Wants,
                |state, s| state.at[s] == Work::Works,
            ),
        };
    }
}

/// The ring as a model.
fn text(declared: Declared, is_bounded: bool) -> String {
    let (enter, pass) = match declared {
        Declared::Weak => ("fair", "fair"),
        Declared::Strong => ("strongly fair", ""),
        _ => ("", ""),
    };
    let requirement = match declared {
        Declared::Justice => "justice \"rest\": forall s: station. at[s] = Rests;",
        Declared::Compassion => {
            "compassion \"turn\": forall s: station. (token = s & at[s] = Wants, at[s] = Works);"
        }
        _ => "",
    };
    let boundary = if is_bounded { "assume exists s: station do at[s] != Wants end;" } else { "" };
    format!(
        "const N: 3;
         type station: ring(N);
         var token: station; at: array [station] of enum {{ Rests, Wants, Works }};
         ruleset t: station do
           startstate token := t; for s: station do at[s] := Rests end end
         end;
         process s: station do
           rule \"ask\" at[s] = Rests ==> at[s] := Wants end;
           {enter} rule \"enter\" at[s] = Wants & token = s ==> at[s] := Works end;
           rule \"leave\" at[s] = Works ==> at[s] := Rests end;
           {pass} rule \"pass\" token = s & at[s] != Works ==> token := next(s) end;
         end;
         invariant \"exclusion\" forall s: station do forall t: station do
           at[s] = Works & at[t] = Works -> s = t end end;
         liveness \"work\" exists s: station do at[s] = Works end;
         {boundary}
         {requirement}"
    )
}

const FORMULAS: [(&str, &str); 9] = [
    (
        "forall c: Station. G (wants(c) -> F works(c))",
        "forall c: station. G (at[c] = Wants -> F at[c] = Works)",
    ),
    ("G F somebody_works", "G F (exists s: station do at[s] = Works end)"),
    (
        "forall c: Station. G (@enter(c) -> F @leave(c))",
        "forall c: station. G (@enter(c) -> F @leave(c))",
    ),
    ("forall c: Station. G F @pass(c, _)", "forall c: station. G F @pass(c)"),
    ("forall c: Station. G F @by(c)", "forall c: station. G F @by(c)"),
    (
        "forall distinct c, d: Station. G !(works(c) & works(d))",
        "forall distinct c, d: station. G !(at[c] = Works & at[d] = Works)",
    ),
    (
        "forall distinct c, d: Station. G (passes_to(c, d) -> F @by(d))",
        "forall distinct c, d: station. G (token = c & next(c) = d -> F @by(d))",
    ),
    ("forall c: Station. F G rests(c)", "forall c: station. F G at[c] = Rests"),
    ("forall c: Station. G F rests(c)", "forall c: station. G F at[c] = Rests"),
];

fn compare(stations: usize, declared: Declared, is_bounded: bool) -> Tally {
    let make = move || TokenRing { stations, declared, is_bounded };
    let text = text(declared, is_bounded);
    Twins::new(make, (&text, stations), &FORMULAS, Order::Rules).compare()
}

#[test]
fn a_token_ring() {
    for stations in [2, 3, 4] {
        compare(stations, Declared::Nothing, false).assert_mixed();
    }
}

#[test]
fn a_token_ring_within_a_boundary() {
    for stations in [2, 3] {
        compare(stations, Declared::Nothing, true).assert_mixed();
    }
}

#[test]
fn a_token_ring_that_declares_fairness() {
    for declared in [Declared::Weak, Declared::Strong, Declared::Justice, Declared::Compassion] {
        compare(3, declared, false).assert_mixed();
    }
}
