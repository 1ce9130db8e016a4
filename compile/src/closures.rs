//! Turns the [intermediate form](super::form) into closures for the [`machine`].
//!
//! Every node becomes a closure, and so do frequent small groups of nodes (`st[c] = Idle` is one
//! closure), so that a guard costs a few indirect calls.
//!
//! The frame of a rule has a fixed address in memory, directly after the state, so its registers
//! and cells have fixed addresses; those of a function that is called are relative to the frame of
//! its call. Closures trust memory: what a cell holds is a value of its type, and is not checked
//! again.

mod bag;
pub(crate) mod machine;
mod operand;
mod place;
pub(crate) mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod value;

use super::form::{
    ArgumentForm, ConditionsForm, DigitAt, Frame, FunctionForm, PropertyForm, Register, RuleForm,
    StartForm, Values,
};
use machine::{Code, Eval, Exec, FunctionCode, Machine, Trap};
use place::{Address, Cell};
use scope::Block;

/// The code of functions that are called. `None` is left to the interpreter.
pub(crate) fn functions(forms: &[Option<FunctionForm>]) -> Code {
    Code { functions: forms.iter().map(|form| form.as_ref().map(function)).collect() }
}

fn function(form: &FunctionForm) -> FunctionCode {
    let compiler = Compiler { frame: &form.frame, base: None };
    let offset = |register: Register| register.0 as usize;
    FunctionCode {
        body: compiler.block(&form.body),
        frame: compiler.size(),
        parameters: form.parameters.iter().copied().map(offset).collect(),
        result_at: form.result_at.map(offset),
        result: form.result.map(offset),
        must_return: form.must_return,
    }
}

/// The code of a rule.
pub(crate) struct RuleCode {
    pub(crate) block: Block,
    pub(crate) body: Exec,
    /// The arguments of the event, outermost first.
    pub(crate) arguments: Vec<ArgumentAt>,
    /// The number of cells that they take.
    pub(crate) argument_cells: usize,
}

impl RuleCode {
    /// Appends the cells of the arguments of the instance that is bound. The state must be the one
    /// before the body.
    pub(crate) fn append_arguments(
        &self,
        code: &Code,
        machine: &mut Machine,
        cells: &mut Vec<i64>,
    ) -> Result<(), Trap> {
        for argument in &self.arguments {
            match argument {
                ArgumentAt::Cell(cell) => cells.push(machine.memory[*cell]),
                ArgumentAt::Chosen(address, width) => {
                    let at = address.at(code, machine)?;
                    cells.extend_from_slice(&machine.memory[at..at + width]);
                }
            }
        }
        Ok(())
    }
}

/// The cells that hold an argument of an event.
pub(crate) enum ArgumentAt {
    /// This cell.
    Cell(usize),
    /// So many cells at an address: those of a chosen element.
    Chosen(Address, usize),
}

/// The code of a rule whose frame starts at this address.
pub(crate) fn rule(form: &RuleForm, base: usize) -> RuleCode {
    let compiler = Compiler { frame: &form.frame, base: Some(base) };
    let arguments = form.arguments.iter().map(|argument| match argument {
        ArgumentForm::Register(register) => ArgumentAt::Cell(base + register.0 as usize),
        ArgumentForm::Element(bag, slot) => {
            ArgumentAt::Chosen(compiler.slot(bag, *slot).offset(1), argument.cells())
        }
    });
    RuleCode {
        block: compiler.scope(&form.scope),
        body: compiler.block(&form.body),
        arguments: arguments.collect(),
        argument_cells: form.arguments.iter().map(ArgumentForm::cells).sum(),
    }
}

/// The scope and the condition of a property.
pub(crate) fn property(form: &PropertyForm, base: usize) -> (Block, Eval) {
    let compiler = Compiler { frame: &form.frame, base: Some(base) };
    (compiler.scope(&form.scope), compiler.eval(&form.condition))
}

/// Conditions that share a frame.
pub(crate) struct Conditions {
    /// In order; `None` is left to the interpreter.
    pub(crate) code: Vec<Option<Eval>>,
    /// Cells of the frame.
    pub(crate) frame: usize,
}

/// The code of conditions that share a frame.
pub(crate) fn conditions(form: &ConditionsForm, base: usize) -> Conditions {
    let compiler = Compiler { frame: &form.frame, base: Some(base) };
    let code = form.conditions.iter().map(|one| one.as_ref().map(|one| compiler.eval(one)));
    Conditions { code: code.collect(), frame: compiler.size() }
}

/// The code of a start state.
pub(crate) struct StartCode {
    /// The cell of each parameter, or part of one, with its values. The last one changes first.
    pub(crate) digits: Vec<(usize, Values)>,
    pub(crate) body: Exec,
    /// Cells of the frame.
    pub(crate) frame: usize,
}

/// The code of a start state.
pub(crate) fn start(form: &StartForm, base: usize) -> StartCode {
    let compiler = Compiler { frame: &form.frame, base: Some(base) };
    let digits = form.digits.iter().map(|digit| {
        let offset = match digit.at {
            DigitAt::Register(register) => register.0 as usize,
            DigitAt::Frame(cell) => form.frame.registers.len() + cell,
        };
        (base + offset, digit.values)
    });
    StartCode { digits: digits.collect(), body: compiler.block(&form.body), frame: compiler.size() }
}

/// Makes the closures of one unit.
struct Compiler<'f> {
    frame: &'f Frame,
    /// The address of the frame, if it is fixed; otherwise, frames start at the machine's base.
    base: Option<usize>,
}

impl Compiler<'_> {
    /// The number of cells of the frame, registers included.
    fn size(&self) -> usize {
        self.frame.registers.len() + self.frame.cells
    }

    /// The cell of a register.
    fn register(&self, register: Register) -> Cell {
        self.in_frame(register.0 as usize)
    }

    /// The cell with this offset in the frame.
    fn in_frame(&self, offset: usize) -> Cell {
        match self.base {
            Some(base) => Cell::Fixed(base + offset),
            None => Cell::Frame(offset),
        }
    }
}
