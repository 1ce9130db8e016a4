//! The code of a protocol behind one interface, without its types.
//!
//! [`TypedCode`] is the only part of this crate that is compiled for each protocol: it calls the user's
//! methods and closures, and makes the workers that execute steps on packed states. Everything else uses
//! [`Code`], and [`Value`]s as states and events.

use crate::cells::Renaming;
use crate::coding::{Coding, EventKind};
use crate::index::Indices;
use crate::protocol::{
    Condition, Owner, PropertyCondition, Protocol, RequirementConditions, StateCondition,
};
use crate::shape::CellName;
use crate::system::{Evaluator, Loader, Prepared, ProtocolWorker};
use crate::value::Value;
use engine::system::Worker;
use engine::system::layout::Layout;

/// An index by its position and the number of values of its type.
pub(crate) type Position = (u32, u32);

/// The code of a protocol, and how its values become cells.
///
/// States and events must be values that this code has made.
pub(crate) trait Code: Send + Sync {
    /// The start states.
    fn starts(&self, all: &Indices) -> Vec<Value>;

    /// The events that are listed in a state.
    fn events(&self, state: &Value) -> Vec<Value>;

    /// The state after an event, if it is enabled.
    fn next(&self, state: &Value, event: &Value) -> Option<Value>;

    /// The owner of an event.
    fn owner(&self, event: &Value) -> Owner;

    /// Whether the property of this number is true of a state.
    fn property(&self, number: usize, state: &Value) -> bool;

    /// Whether the atom of this number is true of a state; an atom of steps is false.
    fn atom_of_state(&self, number: usize, state: &Value, of: &[Position]) -> bool;

    /// Whether the atom of this number is true of an event; an atom of states is false.
    fn atom_of_event(&self, number: usize, event: &Value, of: &[Position]) -> bool;

    /// Whether the premise of a requirement is true of a state; true if there is none.
    fn premise(&self, requirement: usize, state: &Value, of: &[Position]) -> bool;

    /// Whether the goal of a requirement is true of a state.
    fn goal(&self, requirement: usize, state: &Value, of: &[Position]) -> bool;

    /// Whether indices are found in cells, so that they can be renamed.
    fn has_indices(&self) -> bool;

    /// How states are packed.
    fn layout(&self) -> &Layout;

    /// The cells of a state, with their names.
    fn names(&self) -> &[CellName];

    /// The kinds of events.
    fn kinds(&self) -> &[EventKind];

    /// Appends the cells of a state.
    fn write(&self, all: &Indices, state: &Value, cells: &mut Vec<i64>);

    /// The state with these cells.
    fn read(&self, all: &Indices, cells: &[i64]) -> Value;

    /// Appends the cells of an event's arguments, and returns its kind.
    fn write_event(&self, all: &Indices, event: &Value, cells: &mut Vec<i64>) -> u32;

    /// The event of this kind whose arguments have these cells.
    fn read_event(&self, all: &Indices, kind: u32, cells: &[i64]) -> Value;

    /// The image of a state.
    fn renamed(&self, by: &Renaming<'_>, state: &Value) -> Value;

    /// The image of an event.
    fn renamed_event(&self, by: &Renaming<'_>, event: &Value) -> Value;

    /// Executes steps on packed states.
    fn worker<'a>(&'a self, system: &'a Prepared) -> Box<dyn Worker + 'a>;

    /// Evaluates atoms and requirements on packed states.
    fn evaluator<'a>(&'a self, system: &'a Prepared) -> Box<dyn Evaluator + 'a>;
}

/// The code of a protocol with its types.
pub(crate) struct TypedCode<P: Protocol, C> {
    pub(crate) protocol: P,
    pub(crate) coding: C,
    pub(crate) conditions: Conditions<P>,
}

/// The closures that a protocol declares, by the numbers of what they belong to.
pub(crate) struct Conditions<P: Protocol> {
    pub(crate) atoms: Vec<Condition<P>>,
    pub(crate) properties: Vec<PropertyCondition<P>>,
    pub(crate) requirements: Vec<RequirementConditions<P>>,
}

impl<P: Protocol, C> TypedCode<P, C> {
    fn goal_of(&self, requirement: usize) -> &StateCondition<P> {
        &self.conditions.requirements[requirement].goal
    }
}

impl<P: Protocol, C: Coding<P>> Code for TypedCode<P, C> {
    fn starts(&self, all: &Indices) -> Vec<Value> {
        self.protocol.starts(all).into_iter().map(Value::new).collect()
    }

    fn events(&self, state: &Value) -> Vec<Value> {
        let mut events = Vec::new();
        self.protocol.events(state.get(), &mut events);
        events.into_iter().map(Value::new).collect()
    }

    fn next(&self, state: &Value, event: &Value) -> Option<Value> {
        self.protocol.next(state.get(), event.get()).map(Value::new)
    }

    fn owner(&self, event: &Value) -> Owner {
        self.protocol.owner(event.get())
    }

    fn property(&self, number: usize, state: &Value) -> bool {
        (self.conditions.properties[number])(state.get())
    }

    fn atom_of_state(&self, number: usize, state: &Value, of: &[Position]) -> bool {
        match &self.conditions.atoms[number] {
            Condition::State(is) => is(state.get(), of),
            Condition::Step(_) => false,
        }
    }

    fn atom_of_event(&self, number: usize, event: &Value, of: &[Position]) -> bool {
        match &self.conditions.atoms[number] {
            Condition::State(_) => false,
            Condition::Step(is) => is(event.get(), of),
        }
    }

    fn premise(&self, requirement: usize, state: &Value, of: &[Position]) -> bool {
        let premise = &self.conditions.requirements[requirement].premise;
        premise.as_ref().is_none_or(|is| is(state.get(), of))
    }

    fn goal(&self, requirement: usize, state: &Value, of: &[Position]) -> bool {
        self.goal_of(requirement)(state.get(), of)
    }

    fn has_indices(&self) -> bool {
        C::HAS_INDICES
    }

    fn layout(&self) -> &Layout {
        self.coding.layout()
    }

    fn names(&self) -> &[CellName] {
        self.coding.names()
    }

    fn kinds(&self) -> &[EventKind] {
        self.coding.kinds()
    }

    fn write(&self, all: &Indices, state: &Value, cells: &mut Vec<i64>) {
        self.coding.write(all, state.get(), cells);
    }

    fn read(&self, all: &Indices, cells: &[i64]) -> Value {
        Value::new(self.coding.read(all, cells))
    }

    fn write_event(&self, all: &Indices, event: &Value, cells: &mut Vec<i64>) -> u32 {
        self.coding.write_event(all, event.get(), cells)
    }

    fn read_event(&self, all: &Indices, kind: u32, cells: &[i64]) -> Value {
        Value::new(self.coding.read_event(all, kind, cells))
    }

    fn renamed(&self, by: &Renaming<'_>, state: &Value) -> Value {
        Value::new(self.coding.renamed(by, state.get()))
    }

    fn renamed_event(&self, by: &Renaming<'_>, event: &Value) -> Value {
        Value::new(self.coding.renamed_event(by, event.get()))
    }

    fn worker<'a>(&'a self, system: &'a Prepared) -> Box<dyn Worker + 'a> {
        Box::new(ProtocolWorker::new(system, self))
    }

    fn evaluator<'a>(&'a self, system: &'a Prepared) -> Box<dyn Evaluator + 'a> {
        Box::new(Loader::new(system, self))
    }
}
