//! The machine that compiled code runs on: one flat memory of cells.
//!
//! The first cells are the state ([`Layout`](super::cells::Layout)). They are followed by frames:
//! that of the rule or property at a fixed address, then those of functions, one after the other.
//! So every reference is an address, whether it refers to the state or to a frame.
//!
//! Code consists of closures ([`Eval`], [`Exec`]). When something fails, they return only
//! [`Trap::Failure`]: the reference interpreter then determines what happened, and its answer is
//! final.

use super::cells::{PRESENT, Slots, UNDEFINED};
use model::checked::PropertyId;

/// In the first cell of a multiset's slot: the element was removed in this step. The slot is not
/// used again within the step, so that a chosen element cannot become another one.
pub(super) const REMOVED: i64 = 2;
/// In the cells of a removed element: reading or writing them through an alias fails.
pub(super) const GONE: i64 = UNDEFINED + 1;

/// The reason why code stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trap {
    /// Something failed, or cannot be decided by this code.
    Failure,
    /// An `assume` statement was false.
    Abandoned,
}

/// How execution continues after a statement.
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

/// The greatest depth of calls. The reference interpreter allows more and takes over beyond it.
const DEEPEST_CALL: u32 = 200;
/// The limit of loop iterations and calls in one guard or property. The reference interpreter takes
/// over beyond it.
const FUEL: u64 = 5_000_000;
/// The limit for a body. It is lower because the interpreter counts some of a body's work that this
/// machine does not count.
const FUEL_OF_BODY: u64 = 1_000_000;

/// The memory and registers of the machine.
pub(super) struct Machine {
    pub(super) memory: Vec<i64>,
    /// The number of cells of the state.
    state: usize,
    /// The start of the current function's frame.
    pub(super) base: usize,
    /// The address after the last frame.
    pub(super) top: usize,
    depth: u32,
    fuel: u64,
    /// Cells of the state that were written, with their previous values.
    log: Vec<(u32, i64)>,
    /// Whether a cell of a removed element was written.
    misled: bool,
    /// The simple result of the function that returned last.
    pub(super) result: i64,
    /// The `cover` statements whose condition was true since this list was last cleared.
    pub(super) covered: Vec<PropertyId>,
}

impl Machine {
    /// A machine for states and frames of these numbers of cells.
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

    /// The cells of the state, for loading another one.
    pub(super) fn state_mut(&mut self) -> &mut [i64] {
        &mut self.memory[..self.state]
    }

    /// The stores to the state since the last [`Machine::undo`].
    pub(super) fn written(&self) -> &[(u32, i64)] {
        &self.log
    }

    /// Undoes the stores to the state.
    pub(super) fn undo(&mut self) {
        while let Some((cell, before)) = self.log.pop() {
            self.memory[cell as usize] = before;
        }
    }

    /// Prepares the machine for another guard or body.
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

    /// Whether a cell of a removed element was written.
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

    /// Restores the order of a multiset of the state that holds between steps.
    pub(super) fn settle(&mut self, slots: Slots, scratch: &mut Vec<i64>) {
        let Slots { start, capacity, stride } = slots;
        scratch.clear();
        for slot in (0..capacity).map(|k| start + k * stride) {
            let element = &self.memory[slot..slot + stride];
            if element[0] != PRESENT {
                continue;
            }
            // Most elements are in order already.
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

    /// Loads a cell that must be defined.
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

    /// Counts `count` iterations or calls. Once the fuel is used up, there is none until
    /// [`Machine::renew`].
    #[inline]
    pub(super) fn burn_all(&mut self, count: u64) -> Result<(), Trap> {
        self.fuel = self.fuel.saturating_sub(count);
        if self.fuel == 0 { Err(Trap::Failure) } else { Ok(()) }
    }

    /// The remaining fuel for iterations and calls.
    #[inline]
    pub(super) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Restores the fuel that was left before another instance was evaluated.
    #[inline]
    pub(super) fn refuel(&mut self, fuel: u64) {
        self.fuel = fuel;
    }

    /// Limits the fuel to that of a body.
    pub(super) fn begin_body(&mut self) {
        self.fuel = self.fuel.min(FUEL_OF_BODY);
    }

    /// Calls a function whose arguments are at the start of its frame, at `top`.
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
