//! The loose way: states and events of any type that is `Clone + Eq + Hash`.
//!
//! A value is stored in a table. Its cells are its hash and its position among the values with the same
//! hash, which is nearly always 0. So the cells of a value do not depend on the order in which threads
//! come to it, and two values never have the same cells. Indices in the values are not found: there is
//! no symmetry.
//!
//! An event that has a [name](crate::EventNames) is of the kind of that name, and has the cells of its
//! arguments in front of those of its value. All others are of the last kind.

use crate::cells::Renaming;
use crate::changes::Changes;
use crate::coding::{Coding, EventKind, snake_case, type_name};
use crate::fault::{self, FaultKind};
use crate::index::Indices;
use crate::protocol::{EventNames, NamedEvent, Protocol};
use crate::shape::{CellName, Shape};
use crate::system::SetupError;
use engine::system::layout::Layout;
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, PoisonError};

/// The number of tables, each with a lock.
const SHARDS: usize = 64;
/// The number of values with the same hash that are told apart.
const MOST_EQUAL: i64 = 1 << 16;

/// The number of cells of a value.
const CELLS: usize = 3;

/// The coding of any types.
pub struct Loose<P: Protocol> {
    layout: Layout,
    names: Vec<CellName>,
    /// The kinds of named events, then that of all others.
    kinds: Vec<EventKind>,
    /// By kind of named events: the cells of the arguments.
    arguments: Vec<(NamedEvent<P>, Vec<CellName>)>,
    states: Values<P::State>,
    events: Values<P::Event>,
}

/// Values by their hash.
struct Values<T> {
    shards: Vec<Mutex<Table<T>>>,
}

type Table<T> = HashMap<u64, SmallVec<[T; 1]>, foldhash::fast::FixedState>;

impl<T: Clone + Eq + Hash> Values<T> {
    fn new() -> Self {
        let shard = || Mutex::new(HashMap::with_hasher(foldhash::fast::FixedState::default()));
        Values { shards: std::iter::repeat_with(shard).take(SHARDS).collect() }
    }

    fn shard(&self, hash: u64) -> std::sync::MutexGuard<'_, Table<T>> {
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a value, unless it is known, and returns its cells.
    fn cells(&self, value: &T) -> [i64; CELLS] {
        let hash = foldhash::fast::FixedState::with_seed(0x1005e).hash_one(value);
        let mut shard = self.shard(hash);
        let equal = shard.entry(hash).or_default();
        let at = equal.iter().position(|one| one == value).unwrap_or_else(|| {
            equal.push(value.clone());
            equal.len() - 1
        });
        [(hash >> 32) as i64, i64::from(hash as u32), at as i64]
    }

    /// The value with these cells.
    fn read(&self, cells: &[i64]) -> T {
        let hash = (cells[0] as u64) << 32 | cells[1] as u64;
        let equal = &self.shard(hash)[&hash];
        equal[cells[2] as usize].clone()
    }
}

/// The shape of a value.
fn shape() -> Shape {
    let half = || Shape::range(0, i64::from(u32::MAX));
    let parts =
        [("hash", half()), ("hash_low", half()), ("equal", Shape::range(0, MOST_EQUAL - 1))];
    Shape::Struct(parts.map(|(name, shape)| (name.to_owned(), shape)).to_vec())
}

/// The kind of events with a name: their arguments, and behind them, out of the reach of formulas, the
/// value.
fn kind_of<P: Protocol>(event: &NamedEvent<P>, value: &Shape, all: &Indices) -> EventKind {
    let arguments = match (event.shape)(all) {
        Shape::Struct(fields) => fields,
        other => vec![("0".to_owned(), other)],
    };
    let mut kind = EventKind::new(event.name.clone(), arguments, 0, all);
    kind.shapes.push(value.packed(all));
    kind.cells += CELLS;
    kind
}

impl<P: Protocol> Coding<P> for Loose<P> {
    const HAS_INDICES: bool = false;

    fn new(all: &Indices, events: EventNames<P>) -> Result<Self, SetupError> {
        let shape = shape();
        let mut names = Vec::new();
        shape.list("", all, &mut names);
        let mut kinds: Vec<EventKind> =
            events.list.iter().map(|event| kind_of(event, &shape, all)).collect();
        let value = vec![("0".to_owned(), shape.clone())];
        kinds.push(EventKind::new(snake_case(type_name::<P::Event>()), value, 0, all));
        let cells = |kind: &EventKind| {
            let mut cells = Vec::new();
            kind.arguments.iter().for_each(|(name, shape)| shape.list(name, all, &mut cells));
            cells
        };
        let cells: Vec<_> = kinds.iter().map(cells).collect();
        Ok(Loose {
            layout: Layout::new(vec![shape.packed(all)]),
            names,
            kinds,
            arguments: events.list.into_iter().zip(cells).collect(),
            states: Values::new(),
            events: Values::new(),
        })
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn names(&self) -> &[CellName] {
        &self.names
    }

    fn kinds(&self) -> &[EventKind] {
        &self.kinds
    }

    fn write(&self, _: &Indices, state: &P::State, cells: &mut Vec<i64>) {
        cells.extend(self.states.cells(state));
    }

    fn write_changes(&self, new: &P::State, _: &P::State, to: &mut Changes<'_>) -> usize {
        let cells = self.states.cells(new);
        cells.iter().enumerate().for_each(|(cell, &value)| to.set(cell, value));
        CELLS
    }

    fn read(&self, _: &Indices, cells: &[i64]) -> P::State {
        self.states.read(cells)
    }

    fn write_event(&self, all: &Indices, event: &P::Event, cells: &mut Vec<i64>) -> u32 {
        let start = cells.len();
        let kind = self.arguments.iter().position(|(named, places)| {
            cells.truncate(start);
            // An event whose name cannot be found out does not have it: the judge says so, too.
            let has_name = fault::call(|| (named.arguments)(event, all, cells)) == Ok(true);
            has_name && FaultKind::outside(places, &cells[start..]).is_none()
        });
        if kind.is_none() {
            cells.truncate(start);
        }
        cells.extend(self.events.cells(event));
        kind.unwrap_or(self.arguments.len()) as u32
    }

    fn read_event(&self, _: &Indices, _: u32, cells: &[i64]) -> P::Event {
        self.events.read(&cells[cells.len() - CELLS..])
    }

    fn renamed(&self, _: &Renaming<'_>, state: &P::State) -> P::State {
        state.clone()
    }

    fn renamed_event(&self, _: &Renaming<'_>, event: &P::Event) -> P::Event {
        event.clone()
    }
}
