//! Proves that a unit touches only its own memory.
//!
//! Machine code has no checks of addresses. What it needs is proved here, whatever memory contains:
//!
//! - every [`Cells`] lies in the region of its base, between the bounds that it states, with all the
//!   cells that are used from there;
//! - a register is in its declared range wherever it is read by [`Value::Register`], because it is bound
//!   before, and only to such values.
//!
//! The bounds of values are those of [`bounds`](super::bounds), and only proved ones count. Tests check
//! every form that they lower, and that altered forms are rejected.

use super::bounds::bounds;
use super::{
    Cells, ConditionsForm, Frame, Level, Loop, Place, PropertyForm, Range, Register, RuleForm,
    Scope, StartForm, Statement, Value,
};

/// Why a unit was rejected.
pub(crate) type Fault = String;

type Checked = Result<(), Fault>;

/// The number of values and statements of a unit, or why it was rejected.
pub(crate) type Size = Result<usize, Fault>;

/// Checks a rule over a state of so many cells.
pub(crate) fn rule(form: &RuleForm, state: usize) -> Size {
    let mut checker = Checker::new(&form.frame, state);
    checker.scope(&form.scope)?;
    form.arguments.iter().try_for_each(|argument| checker.place(argument))?;
    checker.statements(&form.body)?;
    Ok(checker.size)
}

/// Checks a property.
pub(crate) fn property(form: &PropertyForm, state: usize) -> Size {
    let mut checker = Checker::new(&form.frame, state);
    checker.scope(&form.scope)?;
    checker.value(&form.condition)?;
    Ok(checker.size)
}

/// Checks conditions. Their caller sets the first registers.
pub(crate) fn conditions(form: &ConditionsForm, state: usize, set: usize) -> Checked {
    let mut checker = Checker::new(&form.frame, state);
    checker.is_bound[..set].fill(true);
    form.conditions.iter().flatten().try_for_each(|one| checker.inside(|c| c.value(one)))
}

/// Checks a start state.
pub(crate) fn start(form: &StartForm, state: usize) -> Size {
    let mut checker = Checker::new(&form.frame, state);
    for (at, values) in &form.digits {
        checker.set(at, values.range())?;
    }
    checker.statements(&form.body)?;
    Ok(checker.size)
}

struct Checker<'f> {
    frame: &'f Frame,
    /// Cells of the state.
    state: usize,
    /// By register: whether it is bound here.
    is_bound: Vec<bool>,
    /// By register: whether it is set, and whether it keeps a value that is evaluated once. It must not
    /// be both: a kept value has the bounds of what is evaluated.
    is_set: Vec<bool>,
    is_kept: Vec<bool>,
    /// Values and statements so far.
    size: usize,
}

impl<'f> Checker<'f> {
    fn new(frame: &'f Frame, state: usize) -> Self {
        let none = || vec![false; frame.registers.len()];
        Checker { frame, state, is_bound: none(), is_set: none(), is_kept: none(), size: 0 }
    }

    /// Checks something after which what it binds is not bound any more.
    fn inside(&mut self, check: impl FnOnce(&mut Self) -> Checked) -> Checked {
        let before = self.is_bound.clone();
        let checked = check(self);
        self.is_bound = before;
        checked
    }

    fn declared(&self, register: Register) -> Result<Range, Fault> {
        let range = self.frame.registers.get(register.0 as usize);
        range.copied().ok_or_else(|| format!("there is no {register:?}"))
    }

    /// A register that may hold anything.
    fn any(&self, register: Register) -> Checked {
        match self.declared(register)? {
            Range::ALL => Ok(()),
            range => Err(format!("{register:?} is in {range:?} and may be undefined")),
        }
    }

    fn bound(&self, register: Register) -> Checked {
        self.declared(register)?;
        let is_bound = self.is_bound[register.0 as usize];
        if is_bound { Ok(()) } else { Err(format!("{register:?} is not bound")) }
    }

    fn bind(&mut self, register: Register, values: Range) -> Checked {
        let declared = self.declared(register)?;
        if !declared.contains(values) {
            return Err(format!("{register:?} of {declared:?} is bound to {values:?}"));
        }
        self.is_bound[register.0 as usize] = true;
        self.is_set[register.0 as usize] = true;
        self.is_one(register)
    }

    /// A register that keeps a value.
    fn keep(&mut self, register: Register) -> Checked {
        self.any(register)?;
        self.is_kept[register.0 as usize] = true;
        self.is_one(register)
    }

    fn is_one(&self, register: Register) -> Checked {
        let k = register.0 as usize;
        if self.is_set[k] && self.is_kept[k] {
            return Err(format!("{register:?} is set and keeps a value"));
        }
        Ok(())
    }

    fn scope(&mut self, scope: &Scope) -> Checked {
        for k in 0..=scope.levels.len() {
            let (kept, conditions) = scope.at(k);
            kept.iter().try_for_each(|&register| self.any(register))?;
            for (condition, _) in conditions {
                self.inside(|c| c.value(condition))?;
            }
            match scope.levels.get(k) {
                None => {}
                Some(Level::Parameter(over)) => self.each(*over)?,
                Some(Level::Let(statements)) => self.statements(statements)?,
            }
        }
        Ok(())
    }

    fn each(&mut self, over: Loop) -> Checked {
        self.bind(over.register, over.values.range())
    }

    fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Checked {
        values.into_iter().try_for_each(|one| self.value(one))
    }

    fn value(&mut self, value: &Value) -> Checked {
        self.size += 1;
        match value {
            Value::Constant(_) => Ok(()),
            Value::Register(register) => self.bound(*register),
            Value::Load(place, _) | Value::Peek(place) => self.place(place),
            Value::Inside(one, _) | Value::Translate(one, _) => self.value(one),
            Value::Binary(_, a, b) => self.values([&**a, &**b]),
            Value::If(parts) => {
                self.value(&parts[0])?;
                self.inside(|c| c.value(&parts[1]))?;
                self.inside(|c| c.value(&parts[2]))
            }
            Value::Quantified(one) => self.inside(|c| {
                c.each(one.over)?;
                c.value(&one.body)
            }),
            Value::Sum(parts) => self.inside(|c| {
                c.each(parts.0)?;
                c.value(&parts.1)
            }),
            Value::SameCells(both, cells) => {
                self.cells(&both.0, *cells)?;
                self.cells(&both.1, *cells)
            }
            Value::Once(register, value) => {
                self.keep(*register)?;
                // It is not evaluated each time.
                self.inside(|c| c.value(value))
            }
            Value::After(statements, value) => self.inside(|c| {
                c.statements(statements)?;
                c.value(value)
            }),
        }
    }

    fn place(&mut self, place: &Place) -> Checked {
        match place {
            Place::Register(register) => self.declared(*register).map(|_| ()),
            Place::Cells(cells) => self.cells(cells, 1),
        }
    }

    /// So many cells from a place on.
    fn cells(&mut self, at: &Cells, count: usize) -> Checked {
        let region = if at.base < self.state {
            0..self.state
        } else {
            self.state..self.state + self.frame.cells
        };
        let (mut low, mut high) = (at.base as i128, at.base as i128);
        for index in &at.indices {
            self.value(&index.value)?;
            let range = bounds(&index.value, self.frame).certain();
            let cells = |index_value: i64| {
                (i128::from(index_value) - i128::from(index.least)) * index.stride as i128
            };
            low += cells(range.low);
            high += cells(range.high);
        }
        let is_proved = at.low as i128 <= low && high <= at.high as i128;
        let fits = region.start <= at.low
            && at.low <= at.high
            && at.high.checked_add(count).is_some_and(|end| end <= region.end);
        if !is_proved || !fits {
            return Err(format!("{count} cells at {low}..={high} of {region:?}: {at:?}"));
        }
        Ok(())
    }

    /// Something is stored in a place.
    fn set(&mut self, place: &Place, values: Range) -> Checked {
        match place {
            Place::Register(register) => self.bind(*register, values),
            Place::Cells(cells) => self.cells(cells, 1),
        }
    }

    fn statements(&mut self, list: &[Statement]) -> Checked {
        list.iter().try_for_each(|one| self.statement(one))
    }

    fn statement(&mut self, statement: &Statement) -> Checked {
        self.size += 1;
        match statement {
            Statement::Set(place, value) => {
                self.value(value)?;
                self.set(place, bounds(value, self.frame).certain())
            }
            Statement::Fill(cells, values) => self.cells(cells, values.len()),
            Statement::Copy { to, from, cells } => {
                self.cells(to, *cells)?;
                self.cells(from, *cells)
            }
            Statement::If(condition, yes, no) => {
                self.value(condition)?;
                self.inside(|c| c.statements(yes))?;
                self.inside(|c| c.statements(no))
            }
            Statement::For(over, body) => self.inside(|c| {
                c.each(*over)?;
                c.statements(body)
            }),
            Statement::While(condition, body) => self.inside(|c| {
                c.value(condition)?;
                c.statements(body)
            }),
            Statement::Block(body) => self.inside(|c| c.statements(body)),
            Statement::Return | Statement::Trap | Statement::Abandon | Statement::Cover(_) => {
                Ok(())
            }
        }
    }
}
