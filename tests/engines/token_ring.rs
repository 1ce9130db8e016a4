//! A system of the engine, without a model text: stations on a ring pass a token, and only the station
//! that has it may work.
//!
//! That the stations are a ring, and which parts of a state and of an event are stations, is all that has
//! to be said for states to be explored up to rotation.

use engine::explore::{Deadlock, Exploration, Options, Symmetry, explore_system};
use engine::symmetry::{IndexType, Indices};
use engine::system::{
    EventSummary, FamilySummary, FaultId, FaultSummary, Label, Layout, OwnerSummary,
    PropertySummary, RuleSummary, Shape, Steps, System, Worker,
};
use terms::{EventId, FamilyId, Group, IndexTypeId, PropertyId, PropertyKind};

/// The number of stations.
const STATIONS: usize = 6;

/// The index type of the stations.
const STATION: IndexTypeId = IndexTypeId(0);

/// What a station looks like in a state or an event.
fn station() -> Shape {
    Shape::Simple { low: 0, values: STATIONS as u64, indices: vec![(STATION, 0)] }
}

/// Where the token is, then for each station what it does: 0 rests, 1 wants to work, 2 works.
pub(crate) struct TokenRing {
    layout: Layout,
    group: Group,
}

impl TokenRing {
    /// Stations that may undergo these permutations: rotations, if it is to be true.
    pub(crate) fn new(group: Group) -> Self {
        let element = Box::new(Shape::range(0, 2));
        let length = STATIONS as u64;
        let stations = Shape::Array { length, indices: vec![(STATION, 0)], element };
        TokenRing { layout: Layout::new(vec![station(), stations]), group }
    }
}

impl System for TokenRing {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        // The token may be anywhere.
        Box::new((0..STATIONS).map(|token| {
            let mut cells = [0; 1 + STATIONS];
            cells[0] = i64::try_from(token).expect("a small number");
            let mut packed = vec![0; self.layout.words()];
            self.layout.pack(&cells, &mut packed);
            Ok(packed.into_boxed_slice())
        }))
    }

    fn indices(&self) -> Indices {
        Indices::new([IndexType { size: STATIONS as u32, group: self.group }])
    }

    /// Each by one station, and its event says which.
    fn rules(&self) -> Vec<RuleSummary> {
        let rule = |event| RuleSummary {
            event: EventId(event),
            arguments: vec![station()],
            owner: OwnerSummary::Argument {
                cell: 0,
                members: (0..6).map(|station| (station, (FamilyId(0), station))).collect(),
            },
        };
        (0..4).map(rule).collect()
    }

    fn properties(&self) -> Vec<PropertySummary> {
        let kind = PropertyKind::Invariant;
        vec![PropertySummary { kind, is_statement: false, parameters: Vec::new() }]
    }

    fn families(&self) -> Vec<FamilySummary> {
        vec![FamilySummary { members: Some(station()) }]
    }

    fn events(&self) -> Vec<EventSummary> {
        vec![EventSummary { fairness: None }; 4]
    }

    fn fault(&self, fault: FaultId) -> FaultSummary {
        unreachable!("nothing fails here: {fault:?}")
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
    /// Adds the step of a station by which one cell changes.
    fn step(&self, rule: u32, state: &[u64], change: Change, steps: &mut Steps) {
        let Change { station, cell, value } = change;
        let start = steps.targets.len();
        steps.targets.extend_from_slice(state);
        self.layout.set(&mut steps.targets[start..], cell, value);
        let first_argument = u32::try_from(steps.arguments.len()).expect("few steps");
        steps.labels.push(Label { rule, first_argument, stutters: false });
        steps.arguments.push(i64::try_from(station).expect("a small number"));
    }
}

/// What a station does to a cell.
#[derive(Clone, Copy)]
struct Change {
    station: usize,
    cell: usize,
    value: i64,
}

impl Worker for Stations<'_> {
    fn is_assumed(&mut self, _: &[u64]) -> Result<bool, FaultId> {
        Ok(true)
    }

    /// At most one station works.
    fn property(&mut self, state: &[u64], _: PropertyId) -> Vec<Result<bool, FaultId>> {
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
                0 => self.step(0, state, Change { station, cell: 1 + station, value: 1 }, steps),
                1 if station == token => {
                    self.step(1, state, Change { station, cell: 1 + station, value: 2 }, steps);
                }
                2 => self.step(2, state, Change { station, cell: 1 + station, value: 0 }, steps),
                _ => {}
            }
        }
        if self.cells[1 + token] != 2 {
            let next = i64::try_from((token + 1) % STATIONS).expect("a small number");
            self.step(3, state, Change { station: token, cell: 0, value: next }, steps);
        }
    }
}

/// All of it, up to rotation or not.
pub(crate) fn explored(symmetry: Symmetry) -> Exploration {
    let options = Options { deadlock: Deadlock::Stuck, threads: 2, symmetry, ..Options::default() };
    explore_system(&TokenRing::new(Group::Rotations), &options, &isonomy::Watch::none())
}
