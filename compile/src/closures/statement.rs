//! Compiles statements.

use super::expression::Simple;
use super::place::Address;
use super::types::Values;
use super::{Base, Compiled, Compiler, RESULT_AT, Unsupported};
use crate::cells::{PRESENT, Slots, UNDEFINED, flatten, width};
use crate::machine::{Code, Exec, Flow, Machine, Trap};
use model::checked::{Binder, Expression, ExpressionKind, Place, Statement, StatementKind};
use model::syntax::PropertyKind;
use model::types::{Type, TypeId};
use model::value::Value;

impl Compiler<'_> {
    /// Compiles a sequence of statements.
    pub(super) fn block(&mut self, list: &[Statement]) -> Compiled<Exec> {
        let mut all = list.iter().map(|one| self.statement(one)).collect::<Compiled<Vec<_>>>()?;
        Ok(match all.len() {
            0 => Box::new(|_, _| Ok(Flow::Next)),
            1 => all.remove(0),
            _ => Box::new(move |code, m| {
                for one in &all {
                    if one(code, m)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
                Ok(Flow::Next)
            }),
        })
    }

    #[expect(clippy::too_many_lines, reason = "one arm for every kind of statement")]
    fn statement(&mut self, statement: &Statement) -> Compiled<Exec> {
        Ok(match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(target, value)?,
            StatementKind::Clear(place) => {
                let least = Value::least(&self.model.types, place.of);
                self.fill(place, &least)?
            }
            StatementKind::Undefine(place) => {
                let undefined = Value::undefined(&self.model.types, place.of);
                self.fill(place, &undefined)?
            }
            StatementKind::If { branches, otherwise } => self.if_statement(branches, otherwise)?,
            StatementKind::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise)?
            }
            StatementKind::For { binder, unordered, body } => {
                self.for_loop(binder, *unordered, body)?
            }
            StatementKind::While { condition, body } => {
                let condition = self.simple(condition)?.eval();
                let body = self.block(body)?;
                Box::new(move |code, m| {
                    while condition(code, m)? != 0 {
                        m.burn()?;
                        if body(code, m)? == Flow::Return {
                            return Ok(Flow::Return);
                        }
                    }
                    Ok(Flow::Next)
                })
            }
            StatementKind::Alias { local, target, body } => {
                let target = self.bind(*local, target)?;
                let address = self.slot(*local).locate();
                let body = self.block(body)?;
                Box::new(move |code, m| {
                    let value = target(code, m)?;
                    let address = address(code, m)?;
                    m.memory[address] = value;
                    body(code, m)
                })
            }
            StatementKind::Return(None) => Box::new(|_, _| Ok(Flow::Return)),
            StatementKind::Return(Some(value)) => self.return_value(value)?,
            StatementKind::Error(_) => Box::new(|_, _| Err(Trap::Failure)),
            StatementKind::PutText(_) => Box::new(|_, _| Ok(Flow::Next)),
            StatementKind::Put(value) => self.put(value)?,
            StatementKind::Call { function, arguments } => {
                let result = self.model.functions[function.0 as usize].result;
                let result = match result {
                    Some(of) if !self.model.types.is_simple(of) => {
                        let offset = self.temporary(width(&self.model.types, of));
                        Some(self.in_frame(offset).locate())
                    }
                    _ => None,
                };
                let call = self.call(*function, arguments, result)?;
                Box::new(move |code, m| {
                    call(code, m)?;
                    Ok(Flow::Next)
                })
            }
            StatementKind::Property { property, condition } => {
                let kind = self.model.properties[property.0 as usize].kind;
                let property = *property;
                let condition = self.simple(condition)?.eval();
                match kind {
                    PropertyKind::Invariant | PropertyKind::Assert => Box::new(move |code, m| {
                        if condition(code, m)? == 0 { Err(Trap::Failure) } else { Ok(Flow::Next) }
                    }),
                    PropertyKind::Assume => Box::new(move |code, m| {
                        if condition(code, m)? == 0 { Err(Trap::Abandoned) } else { Ok(Flow::Next) }
                    }),
                    PropertyKind::Cover | PropertyKind::Liveness => Box::new(move |code, m| {
                        if condition(code, m)? != 0 && !m.covered.contains(&property) {
                            m.covered.push(property);
                        }
                        Ok(Flow::Next)
                    }),
                }
            }
            StatementKind::Accumulate { target, or, value, .. } => {
                let (or, locate) = (i64::from(*or), self.address(target)?.locate());
                let value = self.simple(value)?.eval();
                Box::new(move |code, m| {
                    let address = locate(code, m)?;
                    // If the value fails, the interpreter decides whether that matters.
                    if m.load(address)? != or {
                        let value = value(code, m)?;
                        m.store(address, value);
                    }
                    Ok(Flow::Next)
                })
            }
            StatementKind::MultisetAdd { element, multiset } => self.add(element, multiset)?,
            StatementKind::MultisetRemove { local, multiset } => {
                let stride = self.slots_of(multiset.of)?.stride;
                let at = self.address(multiset)?;
                let slot = self.chosen_slot(at, *local, multiset.of)?;
                Box::new(move |code, m| {
                    let slot = slot(code, m)?;
                    m.remove(slot, stride)?;
                    Ok(Flow::Next)
                })
            }
            StatementKind::MultisetRemoveWhere { local, multiset, condition } => {
                let stride = self.slots_of(multiset.of)?.stride;
                let matching = self.matching(*local, multiset, condition)?;
                Box::new(move |code, m| {
                    for slot in matching(code, m)? {
                        m.remove(slot, stride)?;
                    }
                    Ok(Flow::Next)
                })
            }
        })
    }

    fn assign(&mut self, target: &Place, value: &Expression) -> Compiled<Exec> {
        if !self.model.types.is_simple(target.of) {
            let cells = width(&self.model.types, target.of);
            let (to, from) = (self.address(target)?.locate(), self.complex(value)?.locate());
            return Ok(Box::new(move |code, m| {
                let to = to(code, m)?;
                let from = from(code, m)?;
                m.copy(from, to, cells)?;
                Ok(Flow::Next)
            }));
        }
        let value = self.simple_in(value, target.of)?;
        Ok(match (self.address(target)?, value) {
            (Address::Fixed(cell), Simple::Constant(value)) => Box::new(move |_, m| {
                m.store(cell, value);
                Ok(Flow::Next)
            }),
            (Address::Fixed(cell), value) => {
                let value = value.eval();
                Box::new(move |code, m| {
                    let value = value(code, m)?;
                    m.store(cell, value);
                    Ok(Flow::Next)
                })
            }
            (Address::Element { base, cell, stride }, Simple::Constant(value)) => {
                Box::new(move |_, m| {
                    let address = super::place::element(base, m.memory[cell], stride);
                    m.store(address, value);
                    Ok(Flow::Next)
                })
            }
            (address, value) => {
                let (locate, value) = (address.locate(), value.eval());
                Box::new(move |code, m| {
                    let address = locate(code, m)?;
                    let value = value(code, m)?;
                    m.store(address, value);
                    Ok(Flow::Next)
                })
            }
        })
    }

    /// Adds an element to a multiset.
    fn add(&mut self, element: &Expression, multiset: &Place) -> Compiled<Exec> {
        let Slots { capacity, stride, .. } = self.slots_of(multiset.of)?;
        let Type::Multiset { element: of, .. } = *self.model.types.get(multiset.of) else {
            return Err(Unsupported);
        };
        let is_simple = self.model.types.is_simple(of);
        let value = if is_simple {
            self.simple_in(element, of)?.eval()
        } else {
            let from = self.complex(element)?.locate();
            Box::new(move |code: &Code, m: &mut Machine| Ok(from(code, m)? as i64))
        };
        let start = self.address(multiset)?.locate();
        Ok(Box::new(move |code, m| {
            let value = value(code, m)?;
            let start = start(code, m)?;
            let slots = || (0..capacity).map(|k| start + k * stride);
            let present = slots().filter(|&slot| m.memory[slot] == PRESENT).count();
            // If only slots of removed elements are left, the interpreter still has room.
            let free = slots().find(|&slot| m.memory[slot] == UNDEFINED);
            let Some(slot) = free.filter(|_| present < capacity) else {
                return Err(Trap::Failure);
            };
            m.store(slot, PRESENT);
            if is_simple {
                m.store(slot + 1, value);
            } else {
                m.copy(value as usize, slot + 1, stride - 1)?;
            }
            Ok(Flow::Next)
        }))
    }

    /// Stores a constant.
    fn fill(&mut self, place: &Place, value: &Value) -> Compiled<Exec> {
        // Overwritten elements leave their slots unused, which only the interpreter can represent.
        if self.model.types.contains_multiset(place.of) {
            return Err(Unsupported);
        }
        let mut cells = Vec::new();
        flatten(&self.model.types, place.of, value, &mut cells);
        let locate = self.address(place)?.locate();
        Ok(Box::new(move |code, m| {
            let address = locate(code, m)?;
            for (k, &cell) in cells.iter().enumerate() {
                m.store(address + k, cell);
            }
            Ok(Flow::Next)
        }))
    }

    fn if_statement(
        &mut self,
        branches: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Compiled<Exec> {
        let mut made = Vec::new();
        for (condition, body) in branches {
            made.push((self.simple(condition)?.eval(), self.block(body)?));
        }
        let otherwise = self.block(otherwise)?;
        Ok(Box::new(move |code, m| {
            for (condition, body) in &made {
                if condition(code, m)? != 0 {
                    return body(code, m);
                }
            }
            otherwise(code, m)
        }))
    }

    fn switch(
        &mut self,
        subject: &Expression,
        cases: &[(Vec<Expression>, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Compiled<Exec> {
        if !self.model.types.is_simple(subject.of) {
            return Err(Unsupported);
        }
        let value = self.simple(subject)?.eval();
        let mut made = Vec::new();
        for (values, body) in cases {
            let mut list = Vec::new();
            for one in values {
                let ranges = self.model.types.is_range(one.of);
                if one.of != subject.of && !ranges {
                    return Err(Unsupported);
                }
                list.push(self.simple(one)?.eval());
            }
            made.push((list, self.block(body)?));
        }
        let otherwise = self.block(otherwise)?;
        Ok(Box::new(move |code, m| {
            let value = value(code, m)?;
            for (list, body) in &made {
                for one in list {
                    if one(code, m)? == value {
                        return body(code, m);
                    }
                }
            }
            otherwise(code, m)
        }))
    }

    fn for_loop(&mut self, binder: &Binder, unordered: bool, body: &[Statement]) -> Compiled<Exec> {
        let values = self.domain(&binder.domain)?;
        let address = self.slot(binder.local).locate();
        let body = self.block(body)?;
        Ok(Box::new(move |code, m| {
            let Values { from, by, count } = values(code, m)?;
            let address = address(code, m)?;
            let mut value = from;
            for _ in 0..count {
                m.burn()?;
                m.memory[address] = value;
                match body(code, m) {
                    Ok(Flow::Next) => {}
                    Ok(Flow::Return) => return Ok(Flow::Return),
                    // Another iteration may fail, and a failure takes precedence.
                    Err(Trap::Abandoned) if unordered => return Err(Trap::Failure),
                    Err(trap) => return Err(trap),
                }
                value = value.wrapping_add(by);
            }
            Ok(Flow::Next)
        }))
    }

    fn return_value(&mut self, value: &Expression) -> Compiled<Exec> {
        let of: TypeId = self.result.ok_or(Unsupported)?;
        if self.model.types.is_simple(of) {
            // A number is not checked against the range of the result, only where it is stored.
            let value = if self.model.types.is_range(of) {
                self.simple(value)?.eval()
            } else {
                self.simple_in(value, of)?.eval()
            };
            return Ok(Box::new(move |code, m| {
                m.result = value(code, m)?;
                Ok(Flow::Return)
            }));
        }
        debug_assert_eq!(self.base, Base::Relative, "only functions return values");
        let cells = width(&self.model.types, of);
        let from = self.complex(value)?.locate();
        Ok(Box::new(move |code, m| {
            let from = from(code, m)?;
            let to = m.memory[m.base + RESULT_AT] as usize;
            m.copy(from, to, cells)?;
            Ok(Flow::Return)
        }))
    }

    /// Prints nothing, but the value's evaluation may fail.
    fn put(&mut self, value: &Expression) -> Compiled<Exec> {
        if let ExpressionKind::Read(place) = &value.kind {
            let locate = self.address(place)?.locate();
            return Ok(Box::new(move |code, m| {
                locate(code, m)?;
                Ok(Flow::Next)
            }));
        }
        if !self.model.types.is_simple(value.of) {
            let locate = self.complex(value)?.locate();
            return Ok(Box::new(move |code, m| {
                locate(code, m)?;
                Ok(Flow::Next)
            }));
        }
        let value = self.simple(value)?.eval();
        Ok(Box::new(move |code, m| {
            value(code, m)?;
            Ok(Flow::Next)
        }))
    }
}
