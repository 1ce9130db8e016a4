//! The start states of a compiled model.
//!
//! Self-stabilising systems start everywhere, so that there may be many millions: parameters are
//! counted like digits, directly in registers and cells of the frame, and the form of the body is executed. Where it fails,
//! the interpreter executes the start for the same values.

use super::CompiledModel;
use crate::cells::{decode, flatten_state};
use crate::form::{Place, StartForm, Values};
use crate::machine::{Machine, Trap};
use crate::settle::{self, settle};
use engine::system::FaultId;
use model::checked::{ParameterDomain, PropertyId, Scope};
use model::interpret::{Failure, StartState};
use model::types::{Type, TypeId};
use model::value::{Scalar, Value};

/// A packed start state, or what fails.
pub(super) type PackedStart = Result<Box<[u64]>, FaultId>;

type Interpreted<'s> = Box<dyn Iterator<Item = Result<StartState, Failure>> + 's>;

/// Enumerates start states, in the order of the interpreter.
pub(super) struct CompiledStarts<'s> {
    system: &'s CompiledModel<'s>,
    machine: Machine,
    /// The position of the current start in the model, and its digits; none before its first state.
    start: usize,
    digits: Option<Vec<u64>>,
    /// Start states of the interpreter that are next.
    interpreted: Option<Interpreted<'s>>,
    /// The `cover` statements whose condition was true so far.
    pub(super) covered: Vec<PropertyId>,
    /// A packed state without defined cells.
    empty: Box<[u64]>,
    slots: Vec<u64>,
}

impl<'s> CompiledStarts<'s> {
    pub(super) fn new(system: &'s CompiledModel<'s>) -> Self {
        CompiledStarts {
            system,
            machine: Machine::new(system.layout.cells(), &system.frame),
            start: 0,
            digits: None,
            interpreted: None,
            covered: Vec::new(),
            empty: vec![0; system.layout.words()].into(),
            slots: Vec::new(),
        }
    }

    /// Executes the body for the current digits.
    fn run(&mut self, start: &StartForm, digits: &[u64]) -> Option<PackedStart> {
        self.machine.count();
        for ((place, values), &digit) in start.digits.iter().zip(digits) {
            let value = nth(*values, digit);
            match place {
                Place::Register(register) => self.machine.set_register(*register, value),
                Place::Cells(cells) => self.machine.store(cells.base, value),
            }
        }
        let outcome = self.machine.block(&start.body);
        let found = match outcome {
            Ok(()) => {
                let layout = &self.system.layout;
                let mut packed = self.empty.clone();
                for (cell, &value) in self.machine.state().iter().enumerate() {
                    settle::set(layout, &mut packed, cell, value);
                }
                settle(layout, &self.empty, &mut packed, &mut self.slots);
                Some(Ok(packed))
            }
            Err(Trap::Abandoned) => None,
            Err(Trap::Failure | Trap::Returned) => {
                self.machine.covered.clear();
                let values = self.values(digits);
                let states = self.system.interpreter.starts_at(self.start, &values);
                self.interpreted = Some(Box::new(states));
                None
            }
        };
        // An assumption that is false hides what was covered before it.
        let covered = std::mem::take(&mut self.machine.covered);
        if found.is_some() {
            self.cover(&covered);
        }
        self.machine.undo();
        found
    }

    fn cover(&mut self, covered: &[PropertyId]) {
        for property in covered {
            if !self.covered.contains(property) {
                self.covered.push(*property);
            }
        }
    }

    /// A state of the interpreter, packed.
    fn packed(&mut self, start: Result<StartState, Failure>) -> PackedStart {
        let start = start.map_err(|failure| self.system.fault_of(failure))?;
        self.cover(&start.covered);
        let mut cells = Vec::new();
        flatten_state(self.system.model, &start.state, &mut cells);
        let mut packed = vec![0; self.system.layout.words()];
        self.system.layout.pack(&cells, &mut packed);
        Ok(packed.into_boxed_slice())
    }

    /// The values of the parameters of the current start.
    fn values(&self, digits: &[u64]) -> Vec<Value> {
        let model = self.system.model;
        let mut digits = digits.iter().copied();
        let scope = model.starts[self.start].scope.iter();
        let value = |one: &Scope| match one {
            Scope::Parameter { domain: ParameterDomain::Type(of), .. } => {
                Some(self.value(*of, &mut digits))
            }
            Scope::Parameter { domain: ParameterDomain::Steps { from, by, .. }, .. } => {
                let digit = digits.next().expect("a digit for every parameter");
                let number = from.wrapping_add(by.wrapping_mul(digit as i64));
                Some(Value::Scalar(Scalar::Number(number)))
            }
            Scope::Choose { .. } | Scope::Alias { .. } => None,
        };
        scope.filter_map(value).collect()
    }

    fn value(&self, of: TypeId, digits: &mut dyn Iterator<Item = u64>) -> Value {
        let types = &self.system.model.types;
        match types.get(of) {
            &Type::Array { index, element } => {
                Value::Parts((0..types.size(index)).map(|_| self.value(element, digits)).collect())
            }
            Type::Record(fields) => {
                Value::Parts(fields.iter().map(|&(_, of)| self.value(of, digits)).collect())
            }
            Type::Range { low, .. } => {
                let digit = digits.next().expect("a digit for every cell");
                Value::Scalar(Scalar::Number(low.wrapping_add(digit as i64)))
            }
            _ => {
                let digit = digits.next().expect("a digit for every cell");
                Value::Scalar(decode(types, of, digit as i64))
            }
        }
    }
}

impl Iterator for CompiledStarts<'_> {
    type Item = PackedStart;

    fn next(&mut self) -> Option<PackedStart> {
        let system = self.system;
        loop {
            if let Some(start) = self.interpreted.as_mut().and_then(Iterator::next) {
                return Some(self.packed(start));
            }
            let Some(code) = system.starts.get(self.start)? else {
                // It is left to the interpreter as a whole.
                self.interpreted = Some(Box::new(system.interpreter.starts_of(self.start)));
                self.start += 1;
                continue;
            };
            let next = match self.digits.take() {
                None => {
                    let is_empty = code.digits.iter().any(|(_, values)| values.count == 0);
                    (!is_empty).then(|| vec![0; code.digits.len()])
                }
                Some(mut digits) => advance(code, &mut digits).then_some(digits),
            };
            let Some(digits) = next else {
                self.start += 1;
                continue;
            };
            let found = self.run(code, &digits);
            self.digits = Some(digits);
            if found.is_some() {
                return found;
            }
        }
    }
}

/// The value of a digit.
fn nth(values: Values, digit: u64) -> i64 {
    values.from.wrapping_add(values.by.wrapping_mul(digit as i64))
}

/// Counts by one; false after the last number. The last digit changes first.
fn advance(code: &StartForm, digits: &mut [u64]) -> bool {
    for (digit, (_, values)) in digits.iter_mut().zip(&code.digits).rev() {
        *digit += 1;
        if *digit < values.count {
            return true;
        }
        *digit = 0;
    }
    false
}
