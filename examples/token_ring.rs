//! A system written in Rust, without a model text: stations on a ring pass a token, and only who has
//! it may work. Explored like any model: `cargo run --example token_ring`.

use isonomy::explore::{Deadlock, Exploration, Options, Path, explore_system};
use isonomy::model::checked::PropertyId;
use isonomy::model::interpret::Failure;
use isonomy::model::syntax::PropertyKind;
use isonomy::system::{Label, Layout, PropertySummary, Shape, Steps, System, Worker};

/// The number of stations.
const STATIONS: usize = 6;

/// Where the token is, then for each station what it does: 0 rests, 1 wants to work, 2 works.
struct TokenRing {
    layout: Layout,
}

impl TokenRing {
    fn new() -> Self {
        let last = i64::try_from(STATIONS).expect("a small number") - 1;
        let station = Box::new(Shape::range(0, 2));
        let length = STATIONS as u64;
        let stations = Shape::Array { length, indices: Vec::new(), element: station };
        TokenRing { layout: Layout::new(vec![Shape::range(0, last), stations]) }
    }
}

impl System for TokenRing {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, Failure>> + '_> {
        let mut packed = vec![0; self.layout.words()];
        self.layout.pack(&[0; 1 + STATIONS], &mut packed);
        Box::new(std::iter::once(Ok(packed.into_boxed_slice())))
    }

    fn properties(&self) -> Vec<PropertySummary> {
        vec![PropertySummary { kind: PropertyKind::Invariant, is_statement: false }]
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Stations { layout: &self.layout, cells: [0; 1 + STATIONS] })
    }
}

struct Stations<'s> {
    layout: &'s Layout,
    cells: [i64; 1 + STATIONS],
}

impl Stations<'_> {
    /// Adds the step by which one cell changes.
    fn step(&self, rule: u32, state: &[u64], cell: usize, value: i64, steps: &mut Steps) {
        let start = steps.targets.len();
        steps.targets.extend_from_slice(state);
        self.layout.set(&mut steps.targets[start..], cell, value);
        let first_argument = u32::try_from(steps.arguments.len()).expect("few steps");
        steps.labels.push(Label { rule, first_argument, stutters: false });
        steps.fired += 1;
    }
}

impl Worker for Stations<'_> {
    fn is_assumed(&mut self, _: &[u64]) -> Result<bool, Failure> {
        Ok(true)
    }

    /// At most one station works.
    fn property(&mut self, state: &[u64], _: PropertyId) -> Vec<Result<bool, Failure>> {
        self.layout.unpack(state, &mut self.cells);
        let working = self.cells[1..].iter().filter(|&&station| station == 2).count();
        vec![Ok(working <= 1)]
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        self.property(state, property).contains(&Ok(false))
    }

    fn expand(&mut self, state: &[u64], steps: &mut Steps) {
        self.layout.unpack(state, &mut self.cells);
        let token = usize::try_from(self.cells[0]).expect("a station");
        for station in 0..STATIONS {
            match self.cells[1 + station] {
                0 => self.step(0, state, 1 + station, 1, steps),
                1 if station == token => self.step(1, state, 1 + station, 2, steps),
                2 => self.step(2, state, 1 + station, 0, steps),
                _ => {}
            }
        }
        if self.cells[1 + token] != 2 {
            let next = i64::try_from((token + 1) % STATIONS).expect("a small number");
            self.step(3, state, 0, next, steps);
        }
    }
}

/// All of it.
pub(crate) fn explored() -> Exploration<Path> {
    let options = Options {
        deadlock: Deadlock::Stuck,
        expand_violating: false,
        most_states: None,
        threads: 2,
    };
    explore_system(&TokenRing::new(), &options, &mut |_| None)
}

#[allow(dead_code, clippy::print_stdout, reason = "an example prints; a test only explores")]
fn main() {
    let found = explored();
    println!(
        "{} states, {} steps, {} violations",
        found.progress.states,
        found.progress.steps,
        found.violations.len()
    );
}
