//! Compiles simple expressions.
//!
//! An operand is a constant, in a cell, or computed: the frequent pairs of the first two have
//! closures of their own.

use super::once;
use super::place::{Address, element};
use super::types::{Conversion, Values, translation};
use super::{Compiled, Compiler};
use crate::cells::{PRESENT, Slots, UNDEFINED, encode, width};
use crate::machine::{Code, Eval, GONE, Machine, Trap};
use model::checked::{
    Arithmetic, Binder, Comparison, Domain, Expression, ExpressionKind, LocalId, LocalKind, Place,
    Root,
};
use model::syntax::QuantifierKind;
use model::types::TypeId;
use model::{calculate, compare};

/// Returns the slots of a multiset whose elements satisfy a condition.
pub(super) type Matching =
    Box<dyn Fn(&Code, &mut Machine) -> Result<Vec<usize>, Trap> + Send + Sync>;

/// A simple value.
pub(super) enum Simple {
    Constant(i64),
    /// In a cell; `true` if it is always defined.
    Cell(usize, bool),
    /// An element of an array, as in [`Address::Element`].
    Element {
        base: usize,
        cell: usize,
        stride: usize,
    },
    Other(Eval),
}

impl Simple {
    pub(super) fn eval(self) -> Eval {
        match self {
            Simple::Constant(value) => Box::new(move |_, _| Ok(value)),
            Simple::Cell(cell, true) => Box::new(move |_, m| Ok(m.memory[cell])),
            Simple::Cell(cell, false) => Box::new(move |_, m| m.load(cell)),
            Simple::Element { base, cell, stride } => {
                Box::new(move |_, m| m.load(element(base, m.memory[cell], stride)))
            }
            Simple::Other(eval) => eval,
        }
    }

    /// Applies a function to this value.
    fn map(self, f: impl Fn(i64) -> Result<i64, Trap> + Send + Sync + 'static) -> Simple {
        match self {
            Simple::Constant(value) => match f(value) {
                Ok(value) => Simple::Constant(value),
                // A constant that fails does so when it is reached, not before.
                Err(trap) => Simple::Other(Box::new(move |_, _| Err(trap))),
            },
            Simple::Cell(cell, _) => Simple::Other(Box::new(move |_, m| f(m.load(cell)?))),
            Simple::Element { base, cell, stride } => Simple::Other(Box::new(move |_, m| {
                f(m.load(element(base, m.memory[cell], stride))?)
            })),
            Simple::Other(eval) => Simple::Other(Box::new(move |code, m| f(eval(code, m)?))),
        }
    }

    /// Applies a function to two values, both of which are computed, the left one first.
    fn zip(
        self,
        right: Simple,
        f: impl Fn(i64, i64) -> Result<i64, Trap> + Send + Sync + 'static,
    ) -> Simple {
        match (self, right) {
            (left, Simple::Constant(b)) => left.map(move |a| f(a, b)),
            (Simple::Constant(a), right) => right.map(move |b| f(a, b)),
            (Simple::Cell(a, _), Simple::Cell(b, _)) => {
                Simple::Other(Box::new(move |_, m| f(m.load(a)?, m.load(b)?)))
            }
            (Simple::Element { base, cell, stride }, Simple::Cell(b, _)) => {
                Simple::Other(Box::new(move |_, m| {
                    f(m.load(element(base, m.memory[cell], stride))?, m.load(b)?)
                }))
            }
            (left, right) => {
                let (left, right) = (left.eval(), right.eval());
                Simple::Other(Box::new(move |code, m| {
                    let a = left(code, m)?;
                    f(a, right(code, m)?)
                }))
            }
        }
    }
}

impl Compiler<'_> {
    /// Compiles a simple value that must be in the type `of`, and encodes it as that type does.
    pub(super) fn simple_in(&mut self, expression: &Expression, of: TypeId) -> Compiled<Simple> {
        let made = self.simple(expression)?;
        if expression.of == of {
            return Ok(made);
        }
        let conversion = Conversion::new(&self.model.types, expression.of, of)?;
        Ok(made.map(move |value| conversion.of(value).ok_or(Trap::Failure)))
    }

    /// Compiles a simple value, encoded as the expression's own type encodes it. In a guard the
    /// value may be [kept](super::once).
    pub(super) fn simple(&mut self, expression: &Expression) -> Compiled<Simple> {
        let Some(level) = self.around.as_ref().and_then(|around| around.keeps(expression)) else {
            return self.evaluated(expression);
        };
        let Address::Fixed(cell) = ({
            let offset = self.temporary(2);
            self.in_frame(offset)
        }) else {
            unreachable!("rules have fixed frames")
        };
        if let Some(around) = &mut self.around {
            around.kept[level].push(cell);
        }
        let value = self.evaluated(expression)?.eval();
        Ok(Simple::Other(Box::new(move |code, m| {
            let known = m.memory[cell];
            if known != UNDEFINED {
                m.burn_all(m.memory[cell + 1] as u64)?;
                return Ok(known);
            }
            let before = m.fuel();
            let value = value(code, m)?;
            m.memory[cell] = value;
            m.memory[cell + 1] = (before - m.fuel()) as i64;
            Ok(value)
        })))
    }

    /// Compiles a simple value that is evaluated every time.
    #[expect(clippy::too_many_lines, reason = "one arm for every kind of expression")]
    fn evaluated(&mut self, expression: &Expression) -> Compiled<Simple> {
        let types = &self.model.types;
        Ok(match &expression.kind {
            ExpressionKind::Constant(value) => {
                Simple::Constant(encode(types, expression.of, *value))
            }
            ExpressionKind::Read(place) => {
                let always = place.selectors.is_empty()
                    && matches!(place.root, Root::Local(id)
                        if self.locals[id.0 as usize].kind == LocalKind::Bound);
                match self.address(place)? {
                    Address::Fixed(cell) => Simple::Cell(cell, always),
                    Address::Element { base, cell, stride } => {
                        Simple::Element { base, cell, stride }
                    }
                    Address::Frame(offset) => {
                        Simple::Other(Box::new(move |_, m| m.load(m.base + offset)))
                    }
                    Address::Other(locate) => Simple::Other(Box::new(move |code, m| {
                        let address = locate(code, m)?;
                        m.load(address)
                    })),
                }
            }
            ExpressionKind::Not(e) => self.simple(e)?.map(|a| Ok(1 - a)),
            ExpressionKind::Negate(e) => {
                self.simple(e)?.map(|a| a.checked_neg().ok_or(Trap::Failure))
            }
            ExpressionKind::BitwiseNot(e) => self.simple(e)?.map(|a| Ok(!a)),
            ExpressionKind::Arithmetic(operator, a, b) => {
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                arithmetic(*operator, a, b)
            }
            ExpressionKind::Compare(operator, a, b) => {
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                comparison(*operator, a, b)
            }
            ExpressionKind::Equal(a, b) => self.equal(a, b, true)?,
            ExpressionKind::NotEqual(a, b) => self.equal(a, b, false)?,
            ExpressionKind::And(a, b) => {
                let (a, b) = (self.simple(a)?.eval(), self.simple(b)?.eval());
                Simple::Other(Box::new(
                    move |code, m| {
                        if a(code, m)? == 0 { Ok(0) } else { b(code, m) }
                    },
                ))
            }
            ExpressionKind::Or(a, b) => {
                let (a, b) = (self.simple(a)?.eval(), self.simple(b)?.eval());
                Simple::Other(Box::new(
                    move |code, m| {
                        if a(code, m)? != 0 { Ok(1) } else { b(code, m) }
                    },
                ))
            }
            ExpressionKind::Implies(a, b) => {
                let (a, b) = (self.simple(a)?.eval(), self.simple(b)?.eval());
                Simple::Other(Box::new(
                    move |code, m| {
                        if a(code, m)? == 0 { Ok(1) } else { b(code, m) }
                    },
                ))
            }
            ExpressionKind::Conditional(c, a, b) => {
                let c = self.simple(c)?.eval();
                let (a, b) = (self.simple_as(a, expression.of)?, self.simple_as(b, expression.of)?);
                Simple::Other(Box::new(
                    move |code, m| {
                        if c(code, m)? != 0 { a(code, m) } else { b(code, m) }
                    },
                ))
            }
            ExpressionKind::Quantified { kind, binder, body } => {
                self.quantified(*kind, binder, body)?
            }
            ExpressionKind::Call { function, arguments } => {
                let call = self.call(*function, arguments, None)?;
                Simple::Other(Box::new(move |code, m| {
                    call(code, m)?;
                    Ok(m.result)
                }))
            }
            ExpressionKind::IsUndefined(place) => {
                let locate = self.address(place)?.locate();
                Simple::Other(Box::new(move |code, m| {
                    let address = locate(code, m)?;
                    match m.memory[address] {
                        GONE => Err(Trap::Failure),
                        value => Ok(i64::from(value == UNDEFINED)),
                    }
                }))
            }
            ExpressionKind::IsMember(e, of) => {
                let table = translation(types, e.of, *of)?;
                self.simple(e)?.map(move |k| Ok(i64::from(table[k as usize].is_some())))
            }
            ExpressionKind::Next(e) => {
                let size = types.size(e.of) as i64;
                self.simple(e)?.map(move |k| Ok((k + 1) % size))
            }
            ExpressionKind::Previous(e) => {
                let size = types.size(e.of) as i64;
                self.simple(e)?.map(move |k| Ok((k + size - 1) % size))
            }
            ExpressionKind::Adjacent(a, b) => {
                let size = types.size(a.of) as i64;
                let (a, b) = (self.simple(a)?, self.simple(b)?);
                a.zip(b, move |a, b| {
                    Ok(i64::from(a != b && ((a + 1) % size == b || (b + 1) % size == a)))
                })
            }
            ExpressionKind::MultisetCount { local, multiset, condition } => {
                let matching = self.matching(*local, multiset, condition)?;
                Simple::Other(Box::new(move |code, m| Ok(matching(code, m)?.len() as i64)))
            }
        })
    }

    /// Compiles a simple value of one type, encoded as in a type that contains all of its values.
    fn simple_as(&mut self, expression: &Expression, of: TypeId) -> Compiled<Eval> {
        Ok(self.simple_in(expression, of)?.eval())
    }

    fn equal(&mut self, a: &Expression, b: &Expression, wanted: bool) -> Compiled<Simple> {
        let types = &self.model.types;
        if !types.is_simple(a.of) {
            let cells = width(types, a.of);
            let (a, b) = (self.complex(a)?.locate(), self.complex(b)?.locate());
            return Ok(Simple::Other(Box::new(move |code, m| {
                let a = a(code, m)?;
                let b = b(code, m)?;
                if m.memory[a..a + cells].contains(&GONE) || m.memory[b..b + cells].contains(&GONE)
                {
                    return Err(Trap::Failure);
                }
                Ok(i64::from((m.memory[a..a + cells] == m.memory[b..b + cells]) == wanted))
            })));
        }
        let same = a.of == b.of || types.is_range(a.of) && types.is_range(b.of);
        let (left, right) = (self.simple(a)?, self.simple(b)?);
        if same {
            return Ok(if wanted {
                left.zip(right, |a, b| Ok(i64::from(a == b)))
            } else {
                left.zip(right, |a, b| Ok(i64::from(a != b)))
            });
        }
        // A value that is not in the other type is equal to no value there.
        let table = translation(types, a.of, b.of)?;
        Ok(left.zip(right, move |a, b| Ok(i64::from((table[a as usize] == Some(b)) == wanted))))
    }

    /// Compiles the search for the slots whose elements satisfy a condition; all slots are tried.
    pub(super) fn matching(
        &mut self,
        local: LocalId,
        multiset: &Place,
        condition: &Expression,
    ) -> Compiled<Matching> {
        let Slots { capacity, stride, .. } = self.slots_of(multiset.of)?;
        let start = self.address(multiset)?.locate();
        let held = self.slot(local).locate();
        let condition = self.simple(condition)?.eval();
        Ok(Box::new(move |code, m| {
            let start = start(code, m)?;
            let held = held(code, m)?;
            let mut found = Vec::new();
            for k in 0..capacity {
                let slot = start + k * stride;
                if m.memory[slot] == PRESENT {
                    m.burn()?;
                    m.memory[held] = slot as i64;
                    if condition(code, m)? != 0 {
                        found.push(slot);
                    }
                }
            }
            Ok(found)
        }))
    }

    fn quantified(
        &mut self,
        kind: QuantifierKind,
        binder: &Binder,
        body: &Expression,
    ) -> Compiled<Simple> {
        let deciding = i64::from(kind == QuantifierKind::Exists);
        let address = self.slot(binder.local).locate();
        let values = self.domain(&binder.domain)?;
        let mut deciders = Vec::new();
        for one in once::deciders(binder.local, body, self.locals) {
            let condition = self.simple(one.condition)?.eval();
            deciders.push((condition, i64::from(one.value), i64::from(one.outcome)));
        }
        let body = self.simple(body)?.eval();
        let unordered = match binder.domain {
            Domain::Type(of) => !self.model.types.indices(of).is_empty(),
            Domain::Steps { .. } => false,
        };
        Ok(Simple::Other(Box::new(move |code, m| {
            let address = address(code, m)?;
            let Values { from, by, count } = values(code, m)?;
            for (condition, value, outcome) in deciders.iter().filter(|_| count > 0) {
                if condition(code, m) == Ok(*value) {
                    m.burn_all(if *outcome == deciding { 1 } else { count })?;
                    return Ok(*outcome);
                }
            }
            let mut failed = false;
            let mut value = from;
            for _ in 0..count {
                m.burn()?;
                m.memory[address] = value;
                match body(code, m) {
                    Ok(found) if found == deciding => return Ok(deciding),
                    Ok(_) => {}
                    Err(Trap::Failure) if unordered => failed = true,
                    Err(trap) => return Err(trap),
                }
                value = value.wrapping_add(by);
            }
            if failed { Err(Trap::Failure) } else { Ok(1 - deciding) }
        })))
    }

    /// Compiles the values of a bound variable, which may depend on the state.
    #[expect(clippy::type_complexity, reason = "one closure type, used once")]
    pub(super) fn domain(
        &mut self,
        domain: &Domain,
    ) -> Compiled<Box<dyn Fn(&super::Code, &mut Machine) -> Result<Values, Trap> + Send + Sync>>
    {
        Ok(match domain {
            Domain::Type(of) => {
                let values = Values::of_type(&self.model.types, *of)?;
                Box::new(move |_, _| Ok(values))
            }
            Domain::Steps { from, to, by } => {
                let (from, to) = (self.simple(from)?.eval(), self.simple(to)?.eval());
                let by = match by {
                    Some(by) => self.simple(by)?.eval(),
                    None => Simple::Constant(1).eval(),
                };
                Box::new(move |code, m| {
                    let (from, to, by) = (from(code, m)?, to(code, m)?, by(code, m)?);
                    if by == 0 || by > 0 && from > to || by < 0 && from < to {
                        return Err(Trap::Failure);
                    }
                    Ok(Values { from, by, count: from.abs_diff(to) / by.unsigned_abs() + 1 })
                })
            }
        })
    }
}

fn arithmetic(operator: Arithmetic, a: Simple, b: Simple) -> Simple {
    match operator {
        Arithmetic::Add => a.zip(b, |a, b| a.checked_add(b).ok_or(Trap::Failure)),
        Arithmetic::Subtract => a.zip(b, |a, b| a.checked_sub(b).ok_or(Trap::Failure)),
        Arithmetic::Multiply => a.zip(b, |a, b| a.checked_mul(b).ok_or(Trap::Failure)),
        Arithmetic::Remainder => a.zip(b, |a, b| a.checked_rem(b).ok_or(Trap::Failure)),
        other => a.zip(b, move |a, b| calculate(other, a, b).map_err(|_| Trap::Failure)),
    }
}

fn comparison(operator: Comparison, a: Simple, b: Simple) -> Simple {
    match operator {
        Comparison::Less => a.zip(b, |a, b| Ok(i64::from(a < b))),
        Comparison::LessOrEqual => a.zip(b, |a, b| Ok(i64::from(a <= b))),
        other => a.zip(b, move |a, b| Ok(i64::from(compare(other, a, b)))),
    }
}
