//! Stations on a ring pass a token, and only the station that has it may work.
//!
//! The stations are a `ring`: a station knows its `next()`, so only rotations are symmetries, not all
//! permutations. Run it with `cargo run --release --example token_ring`.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::wildcard_imports, reason = "the module is meant to be imported as a whole")]

use isonomy::protocol::*;

index! { Station: ring }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Round {
    token: Station,
    at: Map<Station, Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Phase {
    Resting,
    Waiting,
    Working,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Want(Station),
    Work(Station),
    Finish(Station),
    Pass(Station),
}

struct TokenRing {
    stations: usize,
}

impl Protocol for TokenRing {
    type State = Round;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Station>(self.stations)
    }

    /// The token may be anywhere. One start state alone would tell its station apart from the others.
    fn starts(&self, all: &Indices) -> Vec<Round> {
        let start = |token| Round { token, at: Map::filled(all, Phase::Resting) };
        all.all::<Station>().map(start).collect()
    }

    fn events(&self, round: &Round, enabled: &mut Vec<Event>) {
        for (station, phase) in round.at.iter() {
            match phase {
                Phase::Resting => enabled.push(Event::Want(station)),
                Phase::Waiting if station == round.token => enabled.push(Event::Work(station)),
                Phase::Waiting => {}
                Phase::Working => enabled.push(Event::Finish(station)),
            }
        }
        if round.at[round.token] != Phase::Working {
            enabled.push(Event::Pass(round.token));
        }
    }

    fn next(&self, round: &Round, event: &Event) -> Option<Round> {
        let mut round = round.clone();
        match *event {
            Event::Want(station) => round.at[station] = Phase::Waiting,
            Event::Work(station) => round.at[station] = Phase::Working,
            Event::Finish(station) => round.at[station] = Phase::Resting,
            Event::Pass(station) => round.token = station.next(),
        }
        Some(round)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::Want(station)
        | Event::Work(station)
        | Event::Finish(station)
        | Event::Pass(station)) = *event;
        Owner::of(station)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("waiting", |round, s| round.at[s] == Phase::Waiting)
            .state1("working", |round, s| round.at[s] == Phase::Working)
            .state1("has_token", |round, s| round.token == s);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties
            .always("exclusion", |round| round.at.count(|phase| *phase == Phase::Working) <= 1)
            .always("the token works", |round| {
                round.at.iter().all(|(s, phase)| *phase != Phase::Working || s == round.token)
            });
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Under weak fairness to stations, the station with the token may work infinitely often, and never
    // pass it on; or pass it on each time, and never work. Strong fairness to events forbids both: what
    // is enabled infinitely often, `Pass(s)` or `Work(s)`, is executed infinitely often.
    let token = "forall s: Station. G F has_token(s)";
    let access = "forall s: Station. G (waiting(s) -> F working(s))";
    let all = || check(TokenRing { stations: 5 }).formula(token)?.formula(access);
    println!("{}", all()?.fairness(Fairness::Weak).run()?);
    println!("{}", all()?.fairness(Fairness::Strong).over(Over::Events).run()?);

    let counts = explore(TokenRing { stations: 10 })?;
    println!("10 stations: {} states, {} stored", counts.states, counts.representatives);
    Ok(())
}
