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
//! are expanded where they are called, each time with registers and cells of their own; only recursive
//! ones, and those that are called too often, are [called](Value::Call).
//!
//! **Memory.** The first cells are the state. The frame of a unit follows: cells of variables that are
//! not simple. Registers hold simple variables, loop counters and intermediate values. No reference
//! leads to a register.
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
/// `(value - least) * stride`. Indices are evaluated in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cells {
    pub(crate) base: Base,
    pub(crate) indices: Vec<Index>,
    /// The least distance from the start of the region of the base, whatever is computed.
    pub(crate) low: usize,
    /// The greatest distance.
    pub(crate) high: usize,
}

/// The start of an address. The number of cells is part of `low` and `high`, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// A cell of the state.
    State(usize),
    /// A cell of the frame.
    Frame(usize),
    /// So many cells after the address in a register. Only in functions that are called, and in what
    /// calls them: nothing is known of such an address.
    Pointer(Register, usize),
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
    /// The address of a place, as an argument of a call. A register has one here: that of its cell in
    /// the frame of the caller.
    Address(Place),
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
    /// The simple result of a function, or 0 if it has none.
    Call(Box<Call>),
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

/// A loop over values, with the register that holds the current one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loop {
    pub(crate) register: Register,
    pub(crate) over: Domain,
}

/// The values of a loop. Every iteration counts as work.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Domain {
    Fixed(Values),
    /// Traps if the step is 0 or leads away from `to`.
    Steps(Box<Steps>),
}

/// Numbers that are evaluated once, in this order, before the loop.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Steps {
    pub(crate) from: Value,
    pub(crate) to: Value,
    pub(crate) by: Value,
}

/// A quantified condition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Quantifier {
    /// Whether one true instance makes it true; otherwise, one false instance makes it false.
    pub(crate) is_exists: bool,
    pub(crate) over: Loop,
    pub(crate) body: Value,
    /// Whether an instance that decides counts for more than one that traps, in whatever order.
    pub(crate) is_unordered: bool,
}

/// A call of a function that is not expanded.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Call {
    /// Its number in the model.
    pub(crate) function: usize,
    /// All are evaluated before the call. They may be undefined.
    pub(crate) arguments: Vec<Value>,
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
    /// Repeats statements. If the loop is unordered, an iteration that traps counts for more than one
    /// that abandons the step: so a back end traps instead of abandoning.
    For {
        over: Loop,
        is_unordered: bool,
        body: Vec<Statement>,
    },
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
    Parameter(Register, Values),
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

/// A function that is called.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FunctionForm {
    pub(crate) frame: Frame,
    /// The registers that hold its arguments: values, or addresses.
    pub(crate) parameters: Vec<Register>,
    /// The register of a simple result. A body that returns has set it.
    pub(crate) result: Option<Register>,
    pub(crate) body: Vec<Statement>,
}

impl Frame {
    /// The number of cells that it takes, registers included.
    pub(crate) fn size(&self) -> usize {
        self.registers.len() + self.cells
    }
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

    /// Whether two values are equal.
    pub(crate) fn equal(a: Value, b: Value) -> Value {
        Value::binary(Operator::Equal, a, b)
    }

    /// The second if the first is true, else the third.
    pub(crate) fn choice(condition: Value, yes: Value, no: Value) -> Value {
        Value::If(Box::new([condition, yes, no]))
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

    /// Traps unless a condition is true.
    pub(crate) fn require(condition: Value) -> Statement {
        Statement::If(condition, vec![], vec![Statement::Trap])
    }
}

impl Cells {
    /// Cells from this one of the state on.
    pub(crate) fn state(first: usize) -> Cells {
        Cells { base: Base::State(first), indices: Vec::new(), low: first, high: first }
    }

    /// Cells from this one of the frame on.
    pub(crate) fn frame(first: usize) -> Cells {
        Cells { base: Base::Frame(first), indices: Vec::new(), low: first, high: first }
    }

    /// Cells from the address in a register on.
    pub(crate) fn pointer(register: Register) -> Cells {
        let base = Base::Pointer(register, 0);
        Cells { base, indices: Vec::new(), low: 0, high: 0 }
    }

    /// The place so many cells later.
    #[must_use]
    pub(crate) fn after(mut self, cells: usize) -> Cells {
        let (Base::State(first) | Base::Frame(first) | Base::Pointer(_, first)) = &mut self.base;
        *first += cells;
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
