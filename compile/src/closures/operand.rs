//! Operands.
//!
//! An operand is a constant, in a fixed cell, an array element whose index is in a fixed cell, or
//! computed. Operations are compiled for each of these [kinds](Operand), so that an operation on
//! operands of the first three is one closure.

use super::machine::{Code, Eval, Exec, Flow, Machine, Trap};
use super::place::{Address, Indexed};

/// Something that a simple value is loaded from, or computed by.
trait Operand: Send + Sync + 'static {
    fn get(&self, code: &Code, m: &mut Machine) -> Result<i64, Trap>;
}

/// A constant, as an operand.
struct Constant(i64);
/// A fixed cell, as an operand.
struct FixedCell(usize);

impl Operand for Constant {
    #[inline]
    fn get(&self, _: &Code, _: &mut Machine) -> Result<i64, Trap> {
        Ok(self.0)
    }
}

impl Operand for FixedCell {
    #[inline]
    fn get(&self, _: &Code, m: &mut Machine) -> Result<i64, Trap> {
        m.load(self.0)
    }
}

impl Operand for Indexed {
    #[inline]
    fn get(&self, _: &Code, m: &mut Machine) -> Result<i64, Trap> {
        m.load(self.at(m)?)
    }
}

impl Operand for Eval {
    #[inline]
    fn get(&self, code: &Code, m: &mut Machine) -> Result<i64, Trap> {
        self(code, m)
    }
}

/// A simple value.
pub(super) enum Simple {
    Constant(i64),
    /// In a fixed cell.
    Cell(usize),
    /// In an element of an array.
    Indexed(Indexed),
    Other(Eval),
}

impl Simple {
    /// Whether computing the value runs no other code.
    pub(super) fn is_plain(&self) -> bool {
        !matches!(self, Simple::Other(_))
    }

    pub(super) fn eval(self) -> Eval {
        match self {
            Simple::Constant(value) => Box::new(move |_, _| Ok(value)),
            Simple::Cell(cell) => Box::new(move |_, m| m.load(cell)),
            Simple::Indexed(one) => Box::new(move |_, m| m.load(one.at(m)?)),
            Simple::Other(eval) => eval,
        }
    }

    /// Uses this value in a statement.
    pub(super) fn exec(
        self,
        f: impl Fn(&mut Machine, i64) -> Result<Flow, Trap> + Send + Sync + 'static,
    ) -> Exec {
        match self {
            Simple::Constant(value) => used(Constant(value), f),
            Simple::Cell(cell) => used(FixedCell(cell), f),
            Simple::Indexed(one) => used(one, f),
            Simple::Other(eval) => used(eval, f),
        }
    }

    /// Applies a function to this value.
    pub(super) fn map(
        self,
        f: impl Fn(i64) -> Result<i64, Trap> + Send + Sync + 'static,
    ) -> Simple {
        match self {
            Simple::Constant(value) => match f(value) {
                Ok(value) => Simple::Constant(value),
                // A constant that fails does so when it is reached, not before.
                Err(trap) => Simple::Other(Box::new(move |_, _| Err(trap))),
            },
            Simple::Cell(cell) => mapped(FixedCell(cell), f),
            Simple::Indexed(one) => mapped(one, f),
            Simple::Other(eval) => mapped(eval, f),
        }
    }

    /// Applies a function to two values, both of which are computed, the left one first.
    pub(super) fn zip(
        self,
        right: Simple,
        f: impl Fn(i64, i64) -> Result<i64, Trap> + Send + Sync + 'static,
    ) -> Simple {
        match (self, right) {
            (left, Simple::Constant(b)) => left.map(move |a| f(a, b)),
            (Simple::Constant(a), right) => right.map(move |b| f(a, b)),
            (Simple::Cell(a), right) => right.after(FixedCell(a), f),
            (Simple::Indexed(a), right) => right.after(a, f),
            (Simple::Other(a), right) => right.after(a, f),
        }
    }

    /// Applies a function to another value, which is computed first, and this one.
    fn after(
        self,
        left: impl Operand,
        f: impl Fn(i64, i64) -> Result<i64, Trap> + Send + Sync + 'static,
    ) -> Simple {
        match self {
            Simple::Constant(b) => mapped(left, move |a| f(a, b)),
            Simple::Cell(b) => zipped(left, FixedCell(b), f),
            Simple::Indexed(b) => zipped(left, b, f),
            Simple::Other(b) => zipped(left, b, f),
        }
    }
}

fn used(
    operand: impl Operand,
    f: impl Fn(&mut Machine, i64) -> Result<Flow, Trap> + Send + Sync + 'static,
) -> Exec {
    Box::new(move |code, m| {
        let value = operand.get(code, m)?;
        f(m, value)
    })
}

fn mapped(
    operand: impl Operand,
    f: impl Fn(i64) -> Result<i64, Trap> + Send + Sync + 'static,
) -> Simple {
    Simple::Other(Box::new(move |code, m| f(operand.get(code, m)?)))
}

fn zipped(
    left: impl Operand,
    right: impl Operand,
    f: impl Fn(i64, i64) -> Result<i64, Trap> + Send + Sync + 'static,
) -> Simple {
    Simple::Other(Box::new(move |code, m| {
        let a = left.get(code, m)?;
        f(a, right.get(code, m)?)
    }))
}

/// What is stored at an address; it must be defined.
pub(super) fn load(address: Address) -> Simple {
    match address {
        Address::Fixed(cell) => Simple::Cell(cell),
        Address::Indexed(one) => Simple::Indexed(one),
        Address::Frame(offset) => Simple::Other(Box::new(move |_, m| m.load(m.base + offset))),
        Address::Other(locate) => Simple::Other(Box::new(move |code, m| {
            let address = locate(code, m)?;
            m.load(address)
        })),
        grid @ Address::Grid(..) => Simple::Other(Box::new(move |code, m| {
            let address = grid.at(code, m)?;
            m.load(address)
        })),
    }
}
