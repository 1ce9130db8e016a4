//! How states and events of a protocol become cells.
//!
//! There are two ways. [`Typed`] writes a value that is [`Cells`] part by part: compact, and symmetric
//! by its types. [`Loose`](crate::loose::Loose) stores any values in a table and their hashes in the cells.

use crate::cells::{Cells, Reader, Renaming, Writer};
use crate::changes::{AS_MANY_CELLS, Changes};
use crate::index::Indices;
use crate::protocol::{EventNames, Protocol};
use crate::shape::{CellName, Shape, Simple, Variant};
use crate::system::SetupError;
use engine::system::layout::{self, Layout};
use std::marker::PhantomData;

/// How states and events of a protocol become cells.
pub trait Coding<P: Protocol>: Send + Sync + Sized + 'static {
    /// Whether indices are found in cells, so that they can be renamed.
    const HAS_INDICES: bool;

    /// The coding for a protocol with these index types and names of events.
    fn new(all: &Indices, names: EventNames<P>) -> Result<Self, SetupError>;

    /// How states are packed.
    fn layout(&self) -> &Layout;

    /// The cells of a state, with their names.
    fn names(&self) -> &[CellName];

    /// The kinds of events.
    fn kinds(&self) -> &[EventKind];

    /// Appends the cells of a state.
    fn write(&self, all: &Indices, state: &P::State, cells: &mut Vec<i64>);

    /// Sets the cells of a state that differ from those of an older one, and returns their number.
    fn write_changes(&self, new: &P::State, old: &P::State, to: &mut Changes<'_>) -> usize;

    /// The state with these cells.
    fn read(&self, all: &Indices, cells: &[i64]) -> P::State;

    /// Appends the cells of an event's arguments, and returns its kind.
    fn write_event(&self, all: &Indices, event: &P::Event, cells: &mut Vec<i64>) -> u32;

    /// The event of this kind whose arguments have these cells.
    fn read_event(&self, all: &Indices, kind: u32, cells: &[i64]) -> P::Event;

    /// The image of a state.
    fn renamed(&self, by: &Renaming<'_>, state: &P::State) -> P::State;

    /// The image of an event.
    fn renamed_event(&self, by: &Renaming<'_>, event: &P::Event) -> P::Event;
}

/// A kind of event: a variant of the type of events.
#[derive(Clone, Debug)]
pub struct EventKind {
    /// The name in formulas.
    pub(crate) name: String,
    /// The arguments, in order, with the names of fields.
    pub(crate) arguments: Vec<(String, Shape)>,
    /// The shapes of their cells.
    pub(crate) shapes: Vec<layout::Shape>,
    /// The first cell of the variant's fields in the cells of the event.
    first: usize,
    /// The number of cells of its fields.
    pub(crate) cells: usize,
}

impl EventKind {
    /// The kind of this name. The cells of its arguments start at `first` of an event's cells.
    pub(crate) fn new(
        name: String,
        arguments: Vec<(String, Shape)>,
        first: usize,
        all: &Indices,
    ) -> EventKind {
        let mut cells = Vec::new();
        for (name, shape) in &arguments {
            shape.list(name, all, &mut cells);
        }
        let shapes = arguments.iter().map(|(_, shape)| shape.packed(all)).collect();
        EventKind { name, arguments, shapes, first, cells: cells.len() }
    }
}

/// The coding of types that are [`Cells`].
#[derive(Debug)]
pub struct Typed<P> {
    layout: Layout,
    names: Vec<CellName>,
    kinds: Vec<EventKind>,
    /// The number of cells of an event.
    event_cells: usize,
    /// The greatest number of cells of an event's arguments.
    most_arguments: usize,
    /// Whether the first cell of an event says which kind it is.
    has_tag: bool,
    of: PhantomData<fn() -> P>,
}

impl<P> Coding<P> for Typed<P>
where
    P: Protocol,
    P::State: Cells,
    P::Event: Cells,
{
    const HAS_INDICES: bool = true;

    fn new(all: &Indices, names: EventNames<P>) -> Result<Self, SetupError> {
        if !names.list.is_empty() {
            let message = "`Protocol::event_names` is for the loose way: events of a type with cells \
                           have the names of its variants";
            return Err(SetupError::new(message));
        }
        let shape = P::State::shape(all);
        // The fields of a state are its variables.
        let variables = match &shape {
            Shape::Struct(fields) => fields.iter().map(|(_, field)| field.packed(all)).collect(),
            other => vec![other.packed(all)],
        };
        let mut names = Vec::new();
        shape.list("", all, &mut names);
        let (kinds, has_tag) = event_kinds(&P::Event::shape(all), type_name::<P::Event>(), all);
        let event_cells = P::Event::cells(all);
        let most_arguments = kinds.iter().map(|kind| kind.cells).max().unwrap_or(0);
        Ok(Typed {
            layout: Layout::new(variables),
            names,
            kinds,
            event_cells,
            most_arguments,
            has_tag,
            of: PhantomData,
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

    #[inline]
    fn write(&self, all: &Indices, state: &P::State, cells: &mut Vec<i64>) {
        write(state, self.layout.cells(), all, cells);
    }

    #[inline]
    fn write_changes(&self, new: &P::State, old: &P::State, to: &mut Changes<'_>) -> usize {
        new.write_changes(old, 0, to)
    }

    #[inline]
    fn read(&self, all: &Indices, cells: &[i64]) -> P::State {
        P::State::read(&mut Reader::new(cells, all))
    }

    #[inline]
    fn write_event(&self, all: &Indices, event: &P::Event, cells: &mut Vec<i64>) -> u32 {
        let start = cells.len();
        cells.resize(start + self.most_arguments, layout::UNDEFINED);
        let mut writer = Writer::new(&mut cells[start..], all);
        if let Some(kind) = event.write_variant(&mut writer) {
            let written = writer.cells().len();
            assert_eq!(written, self.kinds[kind as usize].cells, "{AS_MANY_CELLS}");
            cells.truncate(start + written);
            return kind;
        }
        cells.truncate(start);
        write(event, self.event_cells, all, cells);
        assert_eq!(cells.len(), start + self.event_cells, "{AS_MANY_CELLS}");
        let kind = if self.has_tag { cells[start] as u32 } else { 0 };
        let EventKind { first, cells: count, .. } = self.kinds[kind as usize];
        cells.copy_within(start + first..start + first + count, start);
        cells.truncate(start + count);
        kind
    }

    fn read_event(&self, all: &Indices, kind: u32, cells: &[i64]) -> P::Event {
        let mut whole = vec![layout::UNDEFINED; self.event_cells];
        if self.has_tag {
            whole[0] = kind.into();
        }
        let EventKind { first, cells: count, .. } = self.kinds[kind as usize];
        whole[first..first + count].copy_from_slice(cells);
        P::Event::read(&mut Reader::new(&whole, all))
    }

    fn renamed(&self, by: &Renaming<'_>, state: &P::State) -> P::State {
        state.renamed(by)
    }

    fn renamed_event(&self, by: &Renaming<'_>, event: &P::Event) -> P::Event {
        event.renamed(by)
    }
}

/// Appends the cells of a value: so many, or fewer if its `write` is wrong.
#[inline]
pub(crate) fn write(value: &impl Cells, count: usize, all: &Indices, cells: &mut Vec<i64>) {
    let start = cells.len();
    cells.resize(start + count, layout::UNDEFINED);
    let mut writer = Writer::new(&mut cells[start..], all);
    value.write(&mut writer);
    let written = writer.cells().len();
    cells.truncate(start + written);
}

/// The kinds of events of a shape, and whether the first cell says which it is.
fn event_kinds(shape: &Shape, type_name: &str, all: &Indices) -> (Vec<EventKind>, bool) {
    let mut first = 1;
    let mut kind = |name: &str, fields: &[(String, Shape)]| {
        let kind = EventKind::new(snake_case(name), fields.to_vec(), first, all);
        first += kind.cells;
        kind
    };
    match shape {
        Shape::Enum(variants) => {
            let each = |Variant { name, fields }: &Variant| kind(name, fields);
            (variants.iter().map(each).collect(), true)
        }
        Shape::Simple(Simple::Names(names)) => {
            (names.iter().map(|name| kind(name, &[])).collect(), true)
        }
        Shape::Struct(fields) => {
            let only = kind(type_name, fields);
            (vec![EventKind { first: 0, ..only }], false)
        }
        other => {
            let only = kind(type_name, &[("0".to_owned(), other.clone())]);
            (vec![EventKind { first: 0, ..only }], false)
        }
    }
}

/// The name of a type without its path and arguments.
pub(crate) fn type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// `SendVote` is `send_vote`; what is no identifier, or has no capital letters, stays as it is.
pub(crate) fn snake_case(name: &str) -> String {
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return name.to_owned();
    }
    let mut snake = String::with_capacity(name.len() + 4);
    let mut before: Option<char> = None;
    for c in name.chars() {
        if c.is_uppercase() && before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit()) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = Some(c);
    }
    snake
}
