//! Lowers places.

use super::bag::{Bag, NESTED};
use super::types::range_of;
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::width;
use crate::form::bounds::bounds;
use crate::form::{Cells, Index, Place, Range, Register, Statement, Value};
use model::checked::{self, Expression, LocalId, Root, Selector};
use model::types::{Type, TypeId};

/// A place in memory.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) cells: Cells,
    /// The element of a multiset that it is a part of.
    pub(super) within: Option<Element>,
}

/// An element of a multiset that is bound to a local.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) bag: Bag,
    /// The number of its slot.
    pub(crate) slot: Register,
    /// Whether it may be removed while it is bound. Then a body that uses it must find it there.
    pub(crate) may_go: bool,
}

/// A place, or the value of a local that has none: it does not change.
pub(super) enum Found {
    Value(Value),
    /// With the element that it is a part of.
    Place(Place, Option<Element>),
}

impl From<Cells> for Part {
    fn from(cells: Cells) -> Part {
        Part { cells, within: None }
    }
}

impl<'m> Lowering<'m> {
    /// Lowers a place.
    pub(super) fn find(&mut self, place: &'m checked::Place) -> Lowered<Found> {
        if let (Root::Local(id), []) = (place.root, &place.selectors[..]) {
            match &self.bindings[id.0 as usize] {
                Binding::Value(value) => return Ok(Found::Value(value.clone())),
                Binding::Variable(register) => {
                    return Ok(Found::Place(Place::Register(*register), None));
                }
                Binding::Place(_) | Binding::None | Binding::Chosen(_) => {}
            }
        }
        let Part { cells, within } = self.part(place)?;
        Ok(Found::Place(Place::Cells(cells), within))
    }

    /// Lowers a place that something is written to.
    pub(super) fn target(
        &mut self,
        place: &'m checked::Place,
    ) -> Lowered<(Place, Option<Element>)> {
        match self.find(place)? {
            Found::Place(place, within) => Ok((place, within)),
            Found::Value(_) => Err(Unsupported("an assignment to a value")),
        }
    }

    /// Lowers a place that is in memory. If it is a part of an element, that must be there.
    pub(super) fn part(&mut self, place: &'m checked::Place) -> Lowered<Part> {
        let types = &self.model.types;
        let (mut part, mut of) = match place.root {
            Root::Global(id) => {
                let of = self.model.variables[id.0 as usize].of;
                (Cells::at(self.layout.variable(id.0 as usize)).into(), of)
            }
            Root::Local(id) => match &self.bindings[id.0 as usize] {
                Binding::Place(part) => (part.clone(), self.locals[id.0 as usize].of),
                _ => return Err(Unsupported("a local that has no place")),
            },
        };
        self.require_presence(part.within.as_ref());
        let mut is_in_queue = false;
        for selector in &place.selectors {
            match (selector, types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => {
                    let before = &fields[..*k as usize];
                    let cells = before.iter().map(|&(_, of)| width(types, of)).sum();
                    part.cells = part.cells.after(cells);
                    of = fields[*k as usize].1;
                }
                (Selector::Element(index), &Type::Array { index: wanted, element }) => {
                    if is_in_queue && self.has_effects(index) {
                        return Err(Unsupported("an effect between an element and a part of it"));
                    }
                    let mut index = self.index(index, wanted)?;
                    if part.within.is_some() && !index.is_settled() {
                        // Evaluating it may remove the element.
                        part = self.fixed_part(part);
                        index = self.settled(index);
                        self.require_presence(part.within.as_ref());
                    }
                    let known = bounds(&index, &self.frame).certain();
                    let least = range_of(types, wanted).low;
                    part.cells = part.cells.nth(index, known, least, width(types, element));
                    of = element;
                }
                (Selector::Position(position), &Type::Queue { element, .. }) => {
                    let queue = self.line_at(part.cells, of)?;
                    part.cells = self.position(&queue, position)?;
                    is_in_queue = true;
                    of = element;
                }
                (Selector::Last, &Type::Queue { element, .. }) => {
                    let queue = self.line_at(part.cells, of)?;
                    part.cells = self.last(&queue);
                    is_in_queue = true;
                    of = element;
                }
                (Selector::Chosen(local), &Type::Multiset { element, .. }) => {
                    let chosen = self.chosen_from(&part, *local)?;
                    part = Part { cells: chosen.slot().after(1), within: Some(chosen) };
                    self.require_presence(part.within.as_ref());
                    of = element;
                }
                _ => return Err(Unsupported("a path that does not fit its type")),
            }
        }
        Ok(part)
    }

    /// An index, which is proved to be in its range.
    fn index(&mut self, index: &'m Expression, wanted: TypeId) -> Lowered<Value> {
        let range = self.range_of(wanted);
        let index = self.simple_in(index, wanted)?;
        let is_inside = range.contains(bounds(&index, &self.frame).certain());
        Ok(if is_inside { index } else { index.inside(range) })
    }

    /// Traps unless the element that a place is a part of is there, if it may have been removed.
    pub(super) fn require_presence(&mut self, within: Option<&Element>) {
        let element = within.filter(|element| element.may_go && self.is_body);
        self.out.extend(element.map(Element::require));
    }

    /// The element that a local is bound to. Traps unless it was chosen from the multiset that is
    /// written.
    pub(super) fn chosen_from(&mut self, written: &Part, local: LocalId) -> Lowered<Element> {
        let Binding::Chosen(element) = &self.bindings[local.0 as usize] else {
            return Err(Unsupported("an element that is not bound"));
        };
        let element = element.clone();
        if written.within.is_some() {
            return Err(NESTED);
        }
        if written.cells != element.bag.at {
            match equalities(&written.cells, &element.bag.at) {
                Some(all) => self.out.extend(all.into_iter().map(Statement::require)),
                None => self.out.push(Statement::Trap),
            }
        }
        Ok(element)
    }

    /// The same cells, with indices that are evaluated now and do not change any more.
    pub(super) fn fixed(&mut self, mut at: Cells) -> Cells {
        let indices = std::mem::take(&mut at.indices).into_iter();
        at.indices = indices.map(|one| Index { value: self.settled(one.value), ..one }).collect();
        at
    }

    /// The same place, if it is in memory with indices that are evaluated now.
    pub(super) fn fixed_place(&mut self, place: Place) -> Place {
        match place {
            Place::Register(register) => Place::Register(register),
            Place::Cells(cells) => Place::Cells(self.fixed(cells)),
        }
    }

    pub(super) fn fixed_part(&mut self, part: Part) -> Part {
        Part { cells: self.fixed(part.cells), ..part }
    }

    /// The range of the values of a simple type.
    pub(super) fn range_of(&self, of: TypeId) -> Range {
        range_of(&self.model.types, of)
    }
}

/// What must be true for two paths to lead to the same multiset; `None` if they never do. Multisets of
/// one variable have paths that differ in indices only.
pub(super) fn equalities(one: &Cells, other: &Cells) -> Option<Vec<Value>> {
    let is_alike = one.base == other.base && one.indices.len() == other.indices.len();
    let pairs = one.indices.iter().zip(&other.indices).map(|(a, b)| {
        let is_alike = (a.least, a.stride) == (b.least, b.stride);
        is_alike.then(|| Value::equal(a.value.clone(), b.value.clone()))
    });
    if is_alike { pairs.collect() } else { None }
}
