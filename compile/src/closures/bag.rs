//! Multisets.
//!
//! Bodies change slots in place and mark what they did (see [`form`](crate::form)): an element that
//! was removed leaves its cells behind, and one that was added takes the first slot without an
//! element. [`Machine::settle`] restores the order at the end.

use super::Compiler;
use super::machine::{Code, Eval, Exec, Flow, Machine, Trap, is_element};
use super::operand::Simple;
use super::place::{Address, Cell, Presence};
use crate::cells::UNDEFINED;
use crate::form::{ADDED, Added, Bag, Element, REMOVED, Register, Value};

/// The address and the arrangement of a multiset.
pub(super) struct BagCode {
    at: Address,
    capacity: usize,
    stride: usize,
}

impl BagCode {
    /// The slots of the multiset.
    pub(super) fn locate(&self, code: &Code, m: &mut Machine) -> Result<Span, Trap> {
        let start = self.at.at(code, m)?;
        Ok(Span { start, end: start + self.capacity * self.stride, stride: self.stride })
    }
}

/// The slots of a multiset.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) stride: usize,
}

impl Span {
    /// The addresses of all slots.
    fn slots(self) -> impl Iterator<Item = usize> {
        (self.start..self.end).step_by(self.stride)
    }

    /// Removes all elements.
    fn clear(self, m: &mut Machine) {
        for slot in self.slots() {
            match m.memory[slot] {
                UNDEFINED => break,
                REMOVED => {}
                _ => m.store(slot, REMOVED),
            }
        }
    }

    /// The first slot without an element.
    fn free(self, m: &Machine) -> Result<usize, Trap> {
        self.slots().find(|&slot| !is_element(m.memory[slot])).ok_or(Trap::Failure)
    }
}

/// Removes a chosen element.
fn remove(presence: &Presence, code: &Code, m: &mut Machine) -> Result<Flow, Trap> {
    let slot = presence.slot(code, m)?;
    m.store(slot, REMOVED);
    Ok(Flow::Next)
}

impl Compiler<'_> {
    pub(super) fn bag(&self, bag: &Bag) -> BagCode {
        BagCode { at: self.cells(&bag.at), capacity: bag.capacity, stride: bag.stride }
    }

    /// The number of elements for which a condition is true.
    pub(super) fn count(&self, bag: &Bag, slot: Register, condition: &Value) -> Simple {
        let matching = self.matching(bag, slot, condition);
        Simple::Other(Box::new(move |code, m| {
            let mut count = 0;
            matching.each(code, m, |_| count += 1)?;
            Ok(count)
        }))
    }

    pub(super) fn remove_where(&self, bag: &Bag, slot: Register, condition: &Value) -> Exec {
        let matching = self.matching(bag, slot, condition);
        Box::new(move |code, m| {
            let mut found = Vec::new();
            matching.each(code, m, |slot| found.push(slot))?;
            for slot in found {
                m.store(slot, REMOVED);
            }
            Ok(Flow::Next)
        })
    }

    fn matching(&self, bag: &Bag, slot: Register, condition: &Value) -> Matching {
        Matching { bag: self.bag(bag), slot: self.register(slot), condition: self.eval(condition) }
    }

    pub(super) fn add(&self, bag: &Bag, added: &Added) -> Exec {
        let bag = self.bag(bag);
        match added {
            Added::Simple(value) => {
                let value = self.eval(value);
                Box::new(move |code, m| {
                    let value = value(code, m)?;
                    let slot = bag.locate(code, m)?.free(m)?;
                    m.store(slot, ADDED);
                    m.store(slot + 1, value);
                    Ok(Flow::Next)
                })
            }
            Added::Cells(cells) => {
                let from = self.cells(cells);
                Box::new(move |code, m| {
                    let from = from.at(code, m)?;
                    let slot = bag.locate(code, m)?.free(m)?;
                    m.copy(from, slot + 1, bag.stride - 1);
                    m.store(slot, ADDED);
                    Ok(Flow::Next)
                })
            }
        }
    }

    pub(super) fn remove(&self, element: &Element) -> Exec {
        let presence = self.presence_of(element);
        match self.identity(element) {
            None => Box::new(move |code, m| remove(&presence, code, m)),
            Some(identity) => Box::new(move |code, m| {
                identity.check(code, m)?;
                remove(&presence, code, m)
            }),
        }
    }

    pub(super) fn clear(&self, bag: &Bag) -> Exec {
        let bag = self.bag(bag);
        Box::new(move |code, m| {
            bag.locate(code, m)?.clear(m);
            Ok(Flow::Next)
        })
    }

    pub(super) fn copy_bag(&self, to: &Bag, from: &Bag) -> Exec {
        let (to, from) = (self.bag(to), self.bag(from));
        let stride = from.stride;
        Box::new(move |code, m| {
            let to = to.locate(code, m)?;
            let from = from.locate(code, m)?;
            // All are read first, because it may be the same multiset.
            let elements: Vec<i64> = from
                .slots()
                .filter(|&slot| is_element(m.memory[slot]))
                .flat_map(|slot| m.memory[slot..slot + stride].iter().copied())
                .collect();
            to.clear(m);
            for element in elements.chunks_exact(stride) {
                let slot = to.free(m)?;
                m.store(slot, ADDED);
                for (k, &value) in element.iter().enumerate().skip(1) {
                    m.store(slot + k, value);
                }
            }
            Ok(Flow::Next)
        })
    }
}

/// The elements of a multiset for which a condition is true.
struct Matching {
    bag: BagCode,
    /// Holds the number of the slot.
    slot: Cell,
    condition: Eval,
}

impl Matching {
    /// Evaluates the condition for all elements, and visits the slots of those where it is true.
    fn each(&self, code: &Code, m: &mut Machine, mut visit: impl FnMut(usize)) -> Result<(), Trap> {
        let held = self.slot.at(m);
        for (k, slot) in self.bag.locate(code, m)?.slots().enumerate() {
            match m.memory[slot] {
                UNDEFINED => break,
                mark if !is_element(mark) => continue,
                _ => {}
            }
            m.count();
            m.memory[held] = k as i64;
            if (self.condition)(code, m)? != 0 {
                visit(slot);
            }
        }
        Ok(())
    }
}
