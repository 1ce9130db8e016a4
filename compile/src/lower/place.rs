//! Lowers places.

use super::types::range_of;
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::width;
use crate::form::bounds::bounds;
use crate::form::{Bag, Cells, Element, Index, Place, Range, Register, Statement, Value};
use model::checked::{self, Expression, LocalId, Root, Selector};
use model::types::{Type, TypeId};

/// A place, or the value of a local that has none: it does not change.
pub(super) enum Found {
    Place(Place),
    Value(Value),
}

impl<'m> Lowering<'m> {
    /// Lowers a place.
    pub(super) fn find(&mut self, place: &'m checked::Place) -> Lowered<Found> {
        if let (Root::Local(id), []) = (place.root, &place.selectors[..]) {
            match &self.bindings[id.0 as usize] {
                Binding::Value(value) => return Ok(Found::Value(value.clone())),
                Binding::Variable(register) => {
                    return Ok(Found::Place(Place::Register(*register)));
                }
                Binding::Place(_) | Binding::None | Binding::Chosen(_) => {}
            }
        }
        Ok(Found::Place(Place::Cells(self.cells(place)?)))
    }

    /// Lowers a place that is in memory.
    pub(super) fn cells(&mut self, place: &'m checked::Place) -> Lowered<Cells> {
        let types = &self.model.types;
        let (mut at, mut of) = match place.root {
            Root::Global(id) => {
                let of = self.model.variables[id.0 as usize].of;
                (Cells::state(self.layout.variable(id.0 as usize)), of)
            }
            Root::Local(id) => match &self.bindings[id.0 as usize] {
                Binding::Place(at) => (at.clone(), self.locals[id.0 as usize].of),
                _ => return Err(Unsupported("a local that has no place")),
            },
        };
        for selector in &place.selectors {
            match (selector, types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => {
                    let before = &fields[..*k as usize];
                    at = at.after(before.iter().map(|&(_, of)| width(types, of)).sum());
                    of = fields[*k as usize].1;
                }
                (Selector::Element(index), &Type::Array { index: wanted, element }) => {
                    at = self.element(at, index, wanted, width(types, element))?;
                    of = element;
                }
                (Selector::Chosen(local), &Type::Multiset { element, .. }) => {
                    at = self.chosen(at, *local)?;
                    of = element;
                }
                _ => return Err(Unsupported("a path that does not fit its type")),
            }
        }
        Ok(at)
    }

    fn element(
        &mut self,
        at: Cells,
        index: &'m Expression,
        wanted: TypeId,
        stride: usize,
    ) -> Lowered<Cells> {
        let range = range_of(&self.model.types, wanted);
        let index = self.simple_in(index, wanted)?;
        let known = bounds(&index, &self.frame).certain();
        if range.contains(known) {
            return Ok(at.nth(index, known, range.low, stride));
        }
        Ok(at.nth(Value::Inside(Box::new(index), range), range, range.low, stride))
    }

    /// The place of a chosen element, which must be chosen from the multiset at `written`.
    fn chosen(&mut self, written: Cells, local: LocalId) -> Lowered<Cells> {
        let element = self.chosen_from(written, local)?;
        let at = element.bag.slot(element.slot).after(1);
        Ok(Cells { within: Some(Box::new(element)), ..at })
    }

    /// The element that a local is bound to, which must be chosen from the multiset at `written`.
    pub(super) fn chosen_from(&mut self, written: Cells, local: LocalId) -> Lowered<Element> {
        let Binding::Chosen(element) = &self.bindings[local.0 as usize] else {
            return Err(Unsupported("an element that is not bound"));
        };
        let mut element = element.clone();
        element.may_go &= self.is_body;
        if written.within.is_some() {
            return Err(Unsupported("a multiset inside a multiset"));
        }
        if written != element.bag.at {
            element.written = Some(Box::new(written));
        }
        Ok(element)
    }

    /// Lowers a multiset; its address is evaluated now.
    pub(super) fn bag(
        &mut self,
        place: &'m checked::Place,
        before: &mut Vec<Statement>,
    ) -> Lowered<Bag> {
        let at = self.cells(place)?;
        if at.within.is_some() {
            return Err(Unsupported("a multiset inside a multiset"));
        }
        let at = self.fixed(at, before);
        self.bag_at(at, place.of)
    }

    /// The multiset of this type at a fixed place.
    pub(super) fn bag_at(&self, at: Cells, of: TypeId) -> Lowered<Bag> {
        let Type::Multiset { capacity, element } = *self.model.types.get(of) else {
            return Err(Unsupported("a path that does not fit its type"));
        };
        if capacity == 0 {
            return Err(Unsupported("a multiset without room"));
        }
        let stride = 1 + width(&self.model.types, element);
        Ok(Bag { at, capacity: capacity as usize, stride })
    }

    /// The same cells, with indices that are evaluated now and do not change any more.
    pub(super) fn fixed(&mut self, mut at: Cells, before: &mut Vec<Statement>) -> Cells {
        if at.within.as_ref().is_some_and(|element| element.written.is_some()) {
            // This compares both multisets.
            before.push(Statement::Locate(at.clone()));
            if let Some(element) = &mut at.within {
                element.written = None;
            }
        }
        let indices = std::mem::take(&mut at.indices);
        at.indices = indices
            .into_iter()
            .map(|index| Index { value: self.settled(index.value, before), ..index })
            .collect();
        at
    }

    /// Binds a local to an element of a multiset, and returns the register for the number of its slot.
    pub(super) fn bind_element(&mut self, local: LocalId, bag: &Bag, may_go: bool) -> Register {
        let slot = self.register(Range { low: 0, high: bag.capacity as i64 - 1 });
        let element = Element { bag: bag.clone(), slot, may_go, written: None };
        self.bind(local, Binding::Chosen(element));
        slot
    }

    /// The range of the values of a simple type.
    pub(super) fn range_of(&self, of: TypeId) -> Range {
        range_of(&self.model.types, of)
    }
}
