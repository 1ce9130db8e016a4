//! Lowers operations of multisets to loads and stores of slots: see [`form`](crate::form).

use super::place::{Element, Part, equalities};
use super::value::Use;
use super::whole::Item;
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::{PRESENT, UNDEFINED, width};
use crate::form::{ADDED, Cells, Loop, Operator, Place, Range, Register, Statement, Value, Values};
use model::checked::{self, Arithmetic, Expression, FunctionId, LocalId};
use model::types::{Type, TypeId};
use model::walk;
use std::collections::BTreeSet;

/// Whether a slot with this mark has an element.
fn has_element(mark: Cells) -> Value {
    let operator = Operator::Arithmetic(Arithmetic::BitwiseAnd);
    Value::binary(operator, Value::Peek(Place::Cells(mark)), Value::Constant(1))
}

fn mark(slot: Cells, mark: i64) -> Statement {
    Statement::store(slot, Value::Constant(mark))
}

/// A multiset.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bag {
    /// The first slot. Its indices are constants and registers: evaluating them again gives the same.
    pub(crate) at: Cells,
    /// The number of slots.
    pub(crate) capacity: usize,
    /// Cells from one slot to the next.
    pub(crate) stride: usize,
}

impl Bag {
    /// The numbers of slots.
    pub(super) fn numbers(&self) -> Values {
        Values { from: 0, by: 1, count: self.capacity as u64 }
    }

    /// The slot with the number in a register.
    fn slot(&self, slot: Register) -> Cells {
        self.nth(Value::Register(slot))
    }

    fn nth(&self, number: Value) -> Cells {
        self.at.clone().nth(number, self.numbers().range(), 0, self.stride)
    }

    /// Repeats statements for all slots.
    fn each(&self, slot: Register, body: Vec<Statement>) -> Statement {
        Statement::For(self.slots(slot), body)
    }

    /// A loop over the numbers of slots.
    pub(super) fn slots(&self, register: Register) -> Loop {
        Loop { register, values: self.numbers() }
    }

    /// Adds an element to the first slot without one; traps if there is none. The register holds the
    /// numbers of slots; `store` stores the element to cells.
    pub(crate) fn add(&self, slot: Register, store: impl FnOnce(Cells) -> Statement) -> Statement {
        let at = self.slot(slot);
        // The element may have been read from the same slot: so the mark is set last.
        let add = vec![store(at.clone().after(1)), mark(at.clone(), ADDED), Statement::Return];
        let search = self.each(slot, vec![Statement::If(has_element(at), vec![], add)]);
        Statement::Block(vec![search, Statement::Trap])
    }

    /// Replaces the elements by those of another multiset of the same type, or of the same one: so
    /// each slot is copied by itself.
    pub(crate) fn copy(&self, slot: Register, from: &Bag) -> Statement {
        let (to, from) = (self.slot(slot), from.slot(slot));
        let (element, cells) = (from.clone().after(1), self.stride - 1);
        let copy = Statement::Copy { to: to.clone().after(1), from: element, cells };
        let (yes, no) = (vec![copy, mark(to.clone(), ADDED)], vec![mark(to, UNDEFINED)]);
        self.each(slot, vec![Statement::If(has_element(from), yes, no)])
    }

    /// The number of elements for which a condition is true.
    pub(crate) fn count(&self, slot: Register, condition: Value) -> Value {
        let [no, yes] = [0, 1].map(Value::Constant);
        let one = Value::choice(condition, yes, no.clone());
        let one = Value::choice(has_element(self.slot(slot)), one, no);
        Value::Sum(Box::new((self.slots(slot), one)))
    }

    /// Removes the elements for which a condition is true, which is evaluated for all of them first.
    /// There are as many cells at `found` as slots.
    pub(crate) fn remove_where(
        &self,
        slot: Register,
        condition: Value,
        found: Cells,
    ) -> [Statement; 2] {
        let at = self.slot(slot);
        let found = found.nth(Value::Register(slot), self.numbers().range(), 0, 1);
        let condition = Value::choice(has_element(at.clone()), condition, Value::Constant(0));
        let find = Statement::store(found.clone(), condition);
        let is_found = Value::Load(Place::Cells(found), Range::BOOLEAN);
        let remove = Statement::If(is_found, vec![mark(at, UNDEFINED)], vec![]);
        [self.each(slot, vec![find]), self.each(slot, vec![remove])]
    }
}

impl Element {
    /// The slot, which begins with its mark.
    pub(crate) fn slot(&self) -> Cells {
        self.bag.slot(self.slot)
    }

    /// Whether the element is there.
    pub(crate) fn is_present(&self) -> Value {
        Value::equal(Value::Peek(Place::Cells(self.slot())), Value::Constant(PRESENT))
    }

    /// Traps unless the element is there.
    pub(crate) fn require(&self) -> Statement {
        Statement::require(self.is_present())
    }

    /// Whether an element that a scope chooses is equal to the one before it, so that it need not be
    /// chosen: equal elements are neighbours, because no body has begun. But one that is chosen further
    /// out is different from equal ones that are not.
    pub(crate) fn is_repeated<'o>(&self, outer: impl Iterator<Item = &'o Element>) -> Value {
        let [no, yes] = [0, 1].map(Value::Constant);
        let minus = Operator::Arithmetic(Arithmetic::Subtract);
        let number = Value::Register(self.slot);
        let before = Value::binary(minus, number.clone(), yes.clone());
        let at = self.bag.nth(before.clone().inside(self.bag.numbers().range()));
        let mut repeated = yes.clone();
        for other in outer {
            let Some(same) = equalities(&self.bag.at, &other.bag.at) else { continue };
            let slot = || Value::Register(other.slot);
            let is_chosen = [number.clone(), before.clone()].map(|one| Value::equal(one, slot()));
            let [own, neighbour] = is_chosen;
            let is_chosen = Value::choice(own, yes.clone(), neighbour);
            let is_chosen =
                same.into_iter().fold(is_chosen, |all, one| Value::choice(one, all, no.clone()));
            repeated = Value::choice(is_chosen, no.clone(), repeated);
        }
        let is_equal = Value::SameCells(Box::new((self.slot(), at)), self.bag.stride);
        let repeated = Value::choice(is_equal, repeated, no.clone());
        Value::choice(Value::equal(number, no.clone()), no, repeated)
    }
}

impl<'m> Lowering<'m> {
    /// Lowers a multiset; its address is evaluated now.
    pub(super) fn bag(&mut self, place: &'m checked::Place) -> Lowered<Bag> {
        let Part { cells, within } = self.part(place)?;
        if within.is_some() {
            return Err(NESTED);
        }
        let at = self.fixed(cells);
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
        if self.model.types.contains_multiset(element) {
            return Err(NESTED);
        }
        let stride = 1 + width(&self.model.types, element);
        Ok(Bag { at, capacity: capacity as usize, stride })
    }

    /// A register for the numbers of the slots of a multiset.
    pub(super) fn slot_register(&mut self, bag: &Bag) -> Register {
        self.register(bag.numbers().range())
    }

    /// Binds a local to an element of a multiset.
    pub(super) fn bind_element(&mut self, local: LocalId, bag: Bag, may_go: bool) -> Element {
        let slot = self.slot_register(&bag);
        let element = Element { bag, slot, may_go };
        self.bind(local, Binding::Chosen(element.clone()));
        element
    }

    pub(super) fn count(
        &mut self,
        local: LocalId,
        multiset: &'m checked::Place,
        condition: &'m Expression,
    ) -> Lowered<Value> {
        let bag = self.bag(multiset)?;
        let Element { bag, slot, .. } = self.bind_element(local, bag, false);
        Ok(bag.count(slot, self.simple(condition)?))
    }

    /// Repeats statements for the elements that a multiset has before.
    pub(super) fn for_elements(
        &mut self,
        local: LocalId,
        multiset: &'m checked::Place,
        body: &'m [checked::Statement],
    ) -> Lowered<()> {
        let bag = self.bag(multiset)?;
        let found = self.allocate(bag.capacity);
        let may_go = self.may_remove(body);
        let element = self.bind_element(local, bag, may_go);
        let (bag, slot) = (&element.bag, element.slot);
        let found = found.nth(Value::Register(slot), bag.numbers().range(), 0, 1);
        let find = Statement::store(found.clone(), has_element(element.slot()));
        self.out.push(bag.each(slot, vec![find]));
        let is_found = Value::Load(Place::Cells(found), Range::BOOLEAN);
        let before = std::mem::replace(&mut self.is_unordered, true);
        let body = self.branch(body)?;
        self.is_unordered = before;
        self.out.push(bag.each(slot, vec![Statement::If(is_found, body, vec![])]));
        Ok(())
    }

    /// Whether statements, or functions that they call, may remove an element from some multiset. An
    /// element that was added in this step could not be told from another one in its slot.
    fn may_remove(&self, body: &[checked::Statement]) -> bool {
        use checked::StatementKind as S;
        let types = &self.model.types;
        let mut waiting: Vec<&[checked::Statement]> = vec![body];
        let mut called = BTreeSet::new();
        while let Some(list) = waiting.pop() {
            for statement in list {
                let removes = match &statement.kind {
                    S::MultisetRemove { .. } | S::MultisetRemoveWhere { .. } => true,
                    S::Assign { target, .. } | S::Clear(target) | S::Undefine(target) => {
                        types.contains_multiset(target.of)
                    }
                    _ => false,
                };
                if removes {
                    return true;
                }
                walk::substatements(statement, &mut |inner| {
                    waiting.push(std::slice::from_ref(inner));
                });
                let mut call = |function: FunctionId| {
                    if called.insert(function) {
                        waiting.push(&self.model.functions[function.0 as usize].body);
                    }
                };
                if let S::Call { function, .. } = &statement.kind {
                    call(*function);
                }
                walk::own_expressions(statement, &mut |e| {
                    if let checked::ExpressionKind::Call { function, .. } = &e.kind {
                        call(*function);
                    }
                });
            }
        }
        false
    }

    pub(super) fn add(
        &mut self,
        element: &'m Expression,
        multiset: &'m checked::Place,
    ) -> Lowered<()> {
        let Type::Multiset { element: of, .. } = *self.model.types.get(multiset.of) else {
            return Err(Unsupported("a path that does not fit its type"));
        };
        let item = self.item(element, of, Use::Copied)?;
        let bag = self.bag(multiset)?;
        if let Item::Whole(from) = &item {
            // Evaluating the multiset may have removed what is added.
            self.require_presence(from.within.as_ref());
        }
        let slot = self.slot_register(&bag);
        let added = bag.add(slot, |to| item.stored(to, bag.stride - 1));
        self.out.push(added);
        Ok(())
    }

    pub(super) fn remove(&mut self, local: LocalId, multiset: &'m checked::Place) -> Lowered<()> {
        let written = self.part(multiset)?;
        let element = self.chosen_from(&written, local)?;
        self.out.extend([element.require(), mark(element.slot(), UNDEFINED)]);
        Ok(())
    }

    pub(super) fn remove_where(
        &mut self,
        local: LocalId,
        multiset: &'m checked::Place,
        condition: &'m Expression,
    ) -> Lowered<()> {
        let bag = self.bag(multiset)?;
        let Element { bag, slot, .. } = self.bind_element(local, bag, false);
        let condition = self.simple(condition)?;
        let found = self.allocate(bag.capacity);
        self.out.extend(bag.remove_where(slot, condition, found));
        Ok(())
    }
}

/// The reason for which elements that contain multisets are left to the interpreter.
pub(super) const NESTED: Unsupported = Unsupported("a multiset inside a multiset");
