//! The machine that compiled code runs on: one flat memory of cells.
//!
//! The first cells are the state ([`Layout`](super::cells::Layout)), behind them are frames: that of
//! the rule or property at a fixed place, those of functions one behind the other. So a reference is
//! an address, whatever it refers to.
//!
//! Code is made of closures ([`Eval`], [`Exec`]). When something fails, they say no more than
//! [`Trap::Failure`]: the reference interpreter is asked what exactly happened, and its word counts.

use super::cells::{PRESENT, Slots, UNDEFINED};
use model::checked::PropertyId;

/// In the first cell of a multiset's slot: there was an element before this step removed it. The slot
/// is not used again in this step, so that what was chosen does not become another element.
pub(super) const REMOVED: i64 = 2;
/// In the cells of an element that was removed: who reads or writes them now, through an alias, fails.
pub(super) const GONE: i64 = UNDEFINED + 1;

/// Why code stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trap {
    /// Something failed, or cannot be decided here.
    Failure,
    /// An `assume` statement was false.
    Abandoned,
}

/// What a statement leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Next,
    Return,
}

/// Computes a simple value.
pub(super) type Eval = Box<dyn Fn(&Code, &mut Machine) -> Result<i64, Trap> + Send + Sync>;
/// Computes an address.
pub(super) type Locate = Box<dyn Fn(&Code, &mut Machine) -> Result<usize, Trap> + Send + Sync>;
/// Executes a statement.
pub(super) type Exec = Box<dyn Fn(&Code, &mut Machine) -> Result<Flow, Trap> + Send + Sync>;

/// The compiled functions of a model.
#[derive(Default)]
pub(super) struct Code {
    pub(super) functions: Vec<Option<FunctionCode>>,
}

/// A compiled function.
pub(super) struct FunctionCode {
    pub(super) body: Exec,
    /// Cells of its frame.
    pub(super) frame: usize,
    /// Cells of its frame that are undefined on entry: its declared variables.
    pub(super) variables: Vec<std::ops::Range<usize>>,
    /// Whether it must return a value.
    pub(super) returns: bool,
}

/// Calls may go this deep; the reference interpreter allows more, and is asked beyond.
const DEEPEST_CALL: u32 = 200;
/// Iterations of loops and calls in one guard or property; the reference interpreter is asked beyond.
const FUEL: u64 = 5_000_000;
/// The same of a body, which does things that the interpreter counts and this machine does not.
const FUEL_OF_BODY: u64 = 1_000_000;

/// Memory.
pub(super) struct Machine {
    pub(super) memory: Vec<i64>,
    /// How many cells are the state.
    state: usize,
    /// Where the current function's frame starts.
    pub(super) base: usize,
    /// Behind the last frame.
    pub(super) top: usize,
    depth: u32,
    fuel: u64,
    /// Cells of the state that were written, with what they held before.
    log: Vec<(u32, i64)>,
    /// Whether a cell was written whose element is gone.
    misled: bool,
    /// The simple result of the function that returned last.
    pub(super) result: i64,
    /// The `cover` statements that were true since they were last looked at.
    pub(super) covered: Vec<PropertyId>,
}

impl Machine {
    /// A machine for states of so many cells, and a frame of so many cells behind them.
    pub(super) fn new(state: usize, frame: usize) -> Self {
        Machine {
            memory: vec![UNDEFINED; state + frame],
            state,
            base: state,
            top: state + frame,
            depth: 0,
            fuel: FUEL,
            log: Vec::new(),
            misled: false,
            result: UNDEFINED,
            covered: Vec::new(),
        }
    }

    /// The cells of the state.
    pub(super) fn state(&self) -> &[i64] {
        &self.memory[..self.state]
    }

    /// The cells of the state, to be set from outside.
    pub(super) fn state_mut(&mut self) -> &mut [i64] {
        &mut self.memory[..self.state]
    }

    /// What has been written since the last [`Machine::undo`].
    pub(super) fn written(&self) -> &[(u32, i64)] {
        &self.log
    }

    /// Takes back what was written to the state.
    pub(super) fn undo(&mut self) {
        while let Some((cell, before)) = self.log.pop() {
            self.memory[cell as usize] = before;
        }
    }

    /// Gets ready for another guard or body.
    #[inline]
    pub(super) fn renew(&mut self, frame: usize) {
        self.fuel = FUEL;
        self.depth = 0;
        self.misled = false;
        self.base = self.state;
        self.top = self.state + frame;
    }

    /// Stores a cell.
    #[inline]
    pub(super) fn store(&mut self, address: usize, value: i64) {
        let before = self.memory[address];
        self.misled |= before == GONE;
        if address < self.state {
            self.log.push((address as u32, before));
        }
        self.memory[address] = value;
    }

    /// Whether something was written that is not there.
    pub(super) fn is_misled(&self) -> bool {
        self.misled
    }

    /// Copies cells.
    pub(super) fn copy(&mut self, from: usize, to: usize, width: usize) -> Result<(), Trap> {
        if self.memory[from..from + width].contains(&GONE) {
            return Err(Trap::Failure);
        }
        if from < to {
            for k in (0..width).rev() {
                let value = self.memory[from + k];
                self.store(to + k, value);
            }
        } else {
            for k in 0..width {
                let value = self.memory[from + k];
                self.store(to + k, value);
            }
        }
        Ok(())
    }

    /// Removes the element of a slot.
    pub(super) fn remove(&mut self, slot: usize, stride: usize) -> Result<(), Trap> {
        if self.memory[slot] != PRESENT {
            return Err(Trap::Failure);
        }
        self.store(slot, REMOVED);
        for cell in slot + 1..slot + stride {
            self.store(cell, GONE);
        }
        Ok(())
    }

    /// Brings a multiset of the state into its order between steps.
    pub(super) fn settle(&mut self, slots: Slots, scratch: &mut Vec<i64>) {
        let Slots { start, capacity, stride } = slots;
        scratch.clear();
        for slot in (0..capacity).map(|k| start + k * stride) {
            let element = &self.memory[slot..slot + stride];
            if element[0] != PRESENT {
                continue;
            }
            // Most are in order.
            let mut at = scratch.len();
            while at > 0 && &scratch[at - stride..at] > element {
                at -= stride;
            }
            scratch.extend_from_slice(element);
            scratch[at..].rotate_right(stride);
        }
        scratch.resize(capacity * stride, UNDEFINED);
        for (k, &value) in scratch.iter().enumerate() {
            if self.memory[start + k] != value {
                self.store(start + k, value);
            }
        }
    }

    /// A cell that must be defined.
    #[inline]
    pub(super) fn load(&self, address: usize) -> Result<i64, Trap> {
        match self.memory[address] {
            UNDEFINED | GONE => Err(Trap::Failure),
            value => Ok(value),
        }
    }

    /// Counts an iteration or a call.
    #[inline]
    pub(super) fn burn(&mut self) -> Result<(), Trap> {
        self.burn_all(1)
    }

    /// Counts as many of them. When there is no fuel left, there is none until [`Machine::renew`].
    #[inline]
    pub(super) fn burn_all(&mut self, count: u64) -> Result<(), Trap> {
        self.fuel = self.fuel.saturating_sub(count);
        if self.fuel == 0 { Err(Trap::Failure) } else { Ok(()) }
    }

    /// What is left for iterations and calls.
    #[inline]
    pub(super) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Goes back to what was left before another instance was looked at.
    #[inline]
    pub(super) fn refuel(&mut self, fuel: u64) {
        self.fuel = fuel;
    }

    /// Leaves no more fuel than a body may take.
    pub(super) fn begin_body(&mut self) {
        self.fuel = self.fuel.min(FUEL_OF_BODY);
    }

    /// Calls a function whose arguments stand at the start of its frame, at `top`.
    pub(super) fn call(&mut self, code: &Code, function: usize) -> Result<(), Trap> {
        let Some(called) = &code.functions[function] else { return Err(Trap::Failure) };
        self.burn()?;
        if self.depth == DEEPEST_CALL {
            return Err(Trap::Failure);
        }
        let (base, top) = (self.base, self.top);
        self.base = top;
        self.top = top + called.frame;
        if self.memory.len() < self.top {
            self.memory.resize(self.top, UNDEFINED);
        }
        for range in &called.variables {
            self.memory[top + range.start..top + range.end].fill(UNDEFINED);
        }
        self.depth += 1;
        let flow = (called.body)(code, self);
        self.depth -= 1;
        (self.base, self.top) = (base, top);
        match flow? {
            Flow::Next if called.returns => Err(Trap::Failure),
            _ => Ok(()),
        }
    }
}
