//! The intermediate form of rules, start states, properties and atoms.
//!
//! A checked model is [lowered](super::lower) to this form once; it is [executed](super::execute) as it
//! is, and [machine code](super::native) is made of it. It knows neither names nor types of the model: a
//! value is one `i64`, and what is stored is a cell of memory or a register of the frame. Whatever may
//! fail is explicit: a [`Value::Load`] of an undefined cell, a value that is not [`Value::Inside`] a
//! range. Then the code gives up: it *traps*. Where machine
//! code traps, the unit is executed; where that traps, the interpreter takes over. So a back end may
//! trap too often, but must never be wrong.
//!
//! The form is structured: conditions, loops and blocks are nested, and there are no jumps. Functions
//! are expanded where they are called, each time with registers and cells of their own; recursive ones
//! are left to the interpreter.
//!
//! **Memory.** The first cells are the state. The frame of a unit follows: cells of variables that are
//! not simple. Registers are apart, and hold simple variables, loop counters and intermediate values. No
//! reference leads to a register.
//!
//! **Bounds.** Every [`Cells`] says between which cells it starts, whatever memory contains. The
//! [checker](check) proves that from the bounds of its indices ([`bounds`]), so that machine code needs
//! no checks of its own.
//!
//! **Multisets.** Between steps the elements of a multiset come first, in order, and the remaining slots
//! are undefined. A body changes slots in place, so that chosen elements do not move. The first cell of
//! a slot is its *mark*:
//!
//! - [`UNDEFINED`]: there is no element, or it was removed,
//! - [`PRESENT`](super::cells::PRESENT): its element has been there since before the body,
//! - [`ADDED`]: an element was put there in this step, into the first slot without one.
//!
//! So a slot has an element if its mark is odd. An element that was chosen before the body is there only
//! as long as the mark is `PRESENT`. All of this is lowered to loads and stores of marks and elements:
//! back ends know nothing of multisets. The order of those that were written is restored in the
//! [packed target](super::settle).

pub(crate) mod bounds;
pub(crate) mod check;
pub(crate) mod walk;

use super::cells::UNDEFINED;
use model::checked::{Arithmetic, Comparison, PropertyId};
use std::sync::Arc;

/// In the first cell of a slot of a multiset: an element was added in this step.
pub(crate) const ADDED: i64 = 3;

/// A register of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Register(pub(crate) u32);

/// Numbers from `low` to `high`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Range {
    /// All numbers.
    pub(crate) const ALL: Range = Range { low: i64::MIN, high: i64::MAX };
    /// False and true.
    pub(crate) const BOOLEAN: Range = Range { low: 0, high: 1 };

    /// Whether all numbers of another range are in this one.
    pub(crate) fn contains(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// The values of a loop with constant bounds: `from`, `from + by`, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    pub(crate) from: i64,
    pub(crate) by: i64,
    pub(crate) count: u64,
}

/// By position in one type: the position of the same value in another type, or of a neighbour in a
/// ring, or -1.
pub(crate) type Table = Arc<[i64]>;

/// What is stored somewhere.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    /// In a register.
    Register(Register),
    /// In memory.
    Cells(Cells),
}

/// Cells of memory, by the first one: its address is the base plus, for each index,
/// `(value - least) * stride`. Indices are evaluated in order. All that it may be is in the region of the
/// base: the state, or the frame.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cells {
    pub(crate) base: usize,
    pub(crate) indices: Vec<Index>,
    /// The least address, whatever is computed.
    pub(crate) low: usize,
    /// The greatest address.
    pub(crate) high: usize,
}

/// One index of an address.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Index {
    /// Proved to be at least `least`, and small enough for the array.
    pub(crate) value: Value,
    pub(crate) least: i64,
    pub(crate) stride: usize,
}

/// A simple value. Operands are evaluated from left to right.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Constant(i64),
    /// A register that is defined. Its value is in the range that the form declares for it.
    Register(Register),
    /// What is stored in a place; traps if that is undefined. Where it is defined, it is in the range:
    /// memory contains values of the right types. Addresses must not rely on that.
    Load(Place, Range),
    /// What is stored in a place, or `UNDEFINED`.
    Peek(Place),
    /// An operation on two values.
    Binary(Operator, Box<Value>, Box<Value>),
    /// The value; traps unless it is in the range.
    Inside(Box<Value>, Range),
    /// The entry of a table at this position; -1 if there is none.
    Translate(Box<Value>, Table),
    /// The second if the first is true, else the third. Conjunction, disjunction and implication are
    /// of this form, and so are negations.
    If(Box<[Value; 3]>),
    /// Whether a condition is true for all values, or for some.
    Quantified(Box<Quantifier>),
    /// The sum of a value over all values of a loop; traps if a partial sum overflows.
    Sum(Box<(Loop, Value)>),
    /// Whether so many cells are equal, undefined ones included.
    SameCells(Box<(Cells, Cells)>, usize),
    /// Evaluated when it is first reached, then kept in the register until that is reset to
    /// `UNDEFINED`.
    Once(Register, Box<Value>),
    /// The value after some statements, which do not return.
    After(Vec<Statement>, Box<Value>),
}

/// An operation on two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    /// Traps on overflow, division by zero, and shifts that the language does not allow.
    Arithmetic(Arithmetic),
    Compare(Comparison),
    Equal,
    NotEqual,
}

/// A loop over values, with the register that holds the current one. Every iteration counts as work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub(crate) register: Register,
    pub(crate) values: Values,
}

/// A quantified condition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Quantifier {
    /// Whether one true instance makes it true; otherwise, one false instance makes it false.
    pub(crate) is_exists: bool,
    pub(crate) over: Loop,
    pub(crate) body: Value,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Statement {
    /// Stores a simple value, which may be undefined. The address is evaluated first.
    Set(Place, Value),
    /// Stores constants to consecutive cells.
    Fill(Cells, Vec<i64>),
    /// Copies cells, which may overlap. The address `to` is evaluated first.
    Copy {
        to: Cells,
        from: Cells,
        cells: usize,
    },
    If(Value, Vec<Statement>, Vec<Statement>),
    /// Repeats statements.
    For(Loop, Vec<Statement>),
    /// Repeats statements while a condition is true. Every iteration counts as work.
    While(Value, Vec<Statement>),
    /// Executes statements up to the first [`Statement::Return`] among them.
    Block(Vec<Statement>),
    /// Leaves the innermost block, or the unit.
    Return,
    /// Traps.
    Trap,
    /// The step does not exist: an assumption is false.
    Abandon,
    /// The condition of a `cover` statement was true.
    Cover(PropertyId),
}

/// One level of a scope.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Level {
    /// Binds one value after another.
    Parameter(Loop),
    /// Binds what does not change while inner levels are bound. A [`Statement::Return`] in it ends the
    /// values of the parameter before it.
    Let(Vec<Statement>),
}

/// Registers and cells of a unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Frame {
    /// By register: the range of its values wherever it is read by [`Value::Register`].
    pub(crate) registers: Vec<Range>,
    /// The number of cells.
    pub(crate) cells: usize,
}

/// The scope of a rule or property with the conditions that are evaluated on the way.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Scope {
    /// Outermost first.
    pub(crate) levels: Vec<Level>,
    /// Registers of [`Value::Once`] that are reset when k levels are bound, before the conditions.
    pub(crate) kept: Vec<Vec<Register>>,
    /// Conditions that are evaluated when k levels are bound, in order. If one has its value, the values
    /// of the remaining levels are skipped: a conjunct of a guard is false, or a property is true for
    /// all of them.
    pub(crate) conditions: Vec<Vec<(Value, bool)>>,
}

/// A rule.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RuleForm {
    pub(crate) frame: Frame,
    pub(crate) scope: Scope,
    pub(crate) body: Vec<Statement>,
    /// The cells of the arguments of its event, outermost first.
    pub(crate) arguments: Vec<Place>,
}

/// A property: whether the condition is true for all values of the scope.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PropertyForm {
    pub(crate) frame: Frame,
    pub(crate) scope: Scope,
    pub(crate) condition: Value,
}

/// Conditions that share a frame, whose first registers the caller sets.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ConditionsForm {
    pub(crate) frame: Frame,
    /// In order; `None` where the form does not have what a condition needs.
    pub(crate) conditions: Vec<Option<Value>>,
}

/// A start state: the body is executed for all values of the parameters, on a state without defined
/// cells.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartForm {
    pub(crate) frame: Frame,
    /// The parameters, or their parts, with their values. The last one changes first.
    pub(crate) digits: Vec<(Place, Values)>,
    pub(crate) body: Vec<Statement>,
}

impl Scope {
    /// What is reset, and the conditions that are evaluated, when so many levels are bound.
    pub(crate) fn at(&self, level: usize) -> (&[Register], &[(Value, bool)]) {
        let kept = self.kept.get(level).map_or(&[][..], Vec::as_slice);
        (kept, self.conditions.get(level).map_or(&[], Vec::as_slice))
    }
}

impl Value {
    /// A constant or a register: evaluating it again gives the same.
    pub(crate) fn is_settled(&self) -> bool {
        matches!(self, Value::Constant(_) | Value::Register(_))
    }

    /// An operation on two values.
    pub(crate) fn binary(operator: Operator, a: Value, b: Value) -> Value {
        Value::Binary(operator, Box::new(a), Box::new(b))
    }

    /// A comparison of two values.
    pub(crate) fn compare(comparison: Comparison, a: Value, b: Value) -> Value {
        Value::binary(Operator::Compare(comparison), a, b)
    }

    /// Whether two values are equal.
    pub(crate) fn equal(a: Value, b: Value) -> Value {
        Value::binary(Operator::Equal, a, b)
    }

    /// The second if the first is true, else the third. If the first is such a choice itself, with a part
    /// that decides, that one leads directly to what it decides.
    pub(crate) fn choice(condition: Value, yes: Value, no: Value) -> Value {
        let decides = |part: &Value| match part {
            Value::Constant(0) => matches!(no, Value::Constant(_)),
            Value::Constant(_) => matches!(yes, Value::Constant(_)),
            _ => false,
        };
        match condition {
            Value::Constant(0) => no,
            Value::Constant(_) => yes,
            Value::If(parts) if parts[1..].iter().any(decides) => {
                let [first, a, b] = *parts;
                let a = Value::choice(a, yes.clone(), no.clone());
                Value::If(Box::new([first, a, Value::choice(b, yes, no)]))
            }
            condition => Value::If(Box::new([condition, yes, no])),
        }
    }

    /// The negation of a condition.
    pub(crate) fn negated(condition: Value) -> Value {
        Value::choice(condition, Value::Constant(0), Value::Constant(1))
    }

    /// Whether nothing is stored in a place.
    pub(crate) fn is_undefined(place: Place) -> Value {
        Value::equal(Value::Peek(place), Value::Constant(UNDEFINED))
    }

    /// The value; traps unless it is in the range.
    pub(crate) fn inside(self, range: Range) -> Value {
        Value::Inside(Box::new(self), range)
    }

    /// What a table has at the position that a value is.
    pub(crate) fn translated(self, table: Table) -> Value {
        Value::Translate(Box::new(self), table)
    }

    /// The value after some statements, if there are any.
    pub(crate) fn after(self, statements: Vec<Statement>) -> Value {
        if statements.is_empty() { self } else { Value::After(statements, Box::new(self)) }
    }
}

impl Statement {
    /// Sets a register.
    pub(crate) fn register(register: Register, value: Value) -> Statement {
        Statement::Set(Place::Register(register), value)
    }

    /// Stores a value to a cell of memory.
    pub(crate) fn store(to: Cells, value: Value) -> Statement {
        Statement::Set(Place::Cells(to), value)
    }

    /// Makes a register undefined.
    pub(crate) fn undefine(register: Register) -> Statement {
        Statement::register(register, Value::Constant(UNDEFINED))
    }

    /// Statements that are executed if a condition is true.
    pub(crate) fn when(condition: Value, statements: Vec<Statement>) -> Vec<Statement> {
        match condition {
            Value::Constant(1) => statements,
            condition => vec![Statement::If(condition, statements, vec![])],
        }
    }

    /// Traps unless a condition is true.
    pub(crate) fn require(condition: Value) -> Statement {
        Statement::If(condition, vec![], vec![Statement::Trap])
    }
}

impl Cells {
    /// Cells from this one on.
    pub(crate) fn at(first: usize) -> Cells {
        Cells { base: first, indices: Vec::new(), low: first, high: first }
    }

    /// The place so many cells later.
    #[must_use]
    pub(crate) fn after(mut self, cells: usize) -> Cells {
        self.base += cells;
        self.low += cells;
        self.high += cells;
        self
    }

    /// One of several places, the first of which has the index `least`; the index is proved to be in
    /// the range.
    #[must_use]
    pub(crate) fn nth(mut self, value: Value, range: Range, least: i64, stride: usize) -> Cells {
        let cells = |index: i64| (index - least) as usize * stride;
        self.low += cells(range.low);
        self.high += cells(range.high);
        self.indices.push(Index { value, least, stride });
        self
    }
}
