//! The machine that closures run on: one flat memory of cells.
//!
//! The first cells are the state ([`Layout`](crate::cells::Layout)). They are followed by frames:
//! that of the rule or property at a fixed address, then those of functions that are called, one
//! after the other. A frame consists of its registers and its cells. So every reference is an
//! address, whether it refers to the state or to a frame.
//!
//! When something fails, code returns only [`Trap::Failure`]: the reference interpreter then
//! determines what happened, and its answer is final.

use super::place::Address;
use crate::cells::{Layout, PRESENT, Slots, UNDEFINED};
use model::checked::PropertyId;

/// The reason why code stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    /// Something failed, or cannot be decided by this code.
    Failure,
    /// An `assume` statement was false.
    Abandoned,
}

/// How execution continues after a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    Return,
}

/// Computes a simple value.
pub(crate) type Eval = Box<dyn Fn(&Code, &mut Machine) -> Result<i64, Trap> + Send + Sync>;
/// Computes an address.
pub(crate) type Locate = Box<dyn Fn(&Code, &mut Machine) -> Result<usize, Trap> + Send + Sync>;
/// Executes a statement.
pub(crate) type Exec = Box<dyn Fn(&Code, &mut Machine) -> Result<Flow, Trap> + Send + Sync>;

/// The functions of a model that are called. `None` is left to the interpreter.
#[derive(Default)]
pub(crate) struct Code {
    pub(super) functions: Vec<Option<FunctionCode>>,
}

/// A function that is called. Registers are given as offsets in its frame.
pub(super) struct FunctionCode {
    pub(super) body: Exec,
    /// Cells of its frame.
    pub(super) frame: usize,
    /// The registers that hold its arguments.
    pub(super) parameters: Vec<usize>,
    /// The register that holds the address of a result that is not simple.
    pub(super) result_at: Option<usize>,
    /// The register of a simple result.
    pub(super) result: Option<usize>,
    /// Whether it must not end without a `return`.
    pub(super) must_return: bool,
}

/// A call of a function.
pub(super) struct CallCode {
    pub(super) function: usize,
    /// Values and addresses.
    pub(super) arguments: Vec<Eval>,
    /// Where a result that is not simple is stored.
    pub(super) result: Option<Address>,
}

/// The greatest depth of calls. The reference interpreter allows more and takes over beyond it.
const DEEPEST_CALL: u32 = 200;
/// Iterations, calls and instances between two polls. They take some ten nanoseconds each.
const BETWEEN_POLLS: u32 = 1 << 12;
/// What they count for in a poll.
const WORK: u64 = 1 << 8;

/// Whether a slot of a multiset with this first cell has an element: the marks of elements are odd.
#[inline]
pub(super) fn is_element(mark: i64) -> bool {
    mark & 1 == 1
}

/// The memory and registers of the machine.
pub(crate) struct Machine {
    pub(crate) memory: Vec<i64>,
    /// The number of cells of the state.
    state: usize,
    /// The start of the current frame.
    pub(super) base: usize,
    /// The address after the last frame.
    top: usize,
    depth: u32,
    /// Iterations, calls and instances up to the next poll.
    left: u32,
    /// Cells of the state that were written, with their previous values.
    log: Vec<(u32, i64)>,
    /// The `cover` statements whose condition was true since this list was last cleared.
    pub(crate) covered: Vec<PropertyId>,
    /// Scratch memory of [`Machine::settle_written`].
    touched: Vec<usize>,
}

impl Machine {
    /// A machine for states and frames of these numbers of cells.
    pub(crate) fn new(state: usize, frame: usize) -> Self {
        Machine {
            memory: vec![UNDEFINED; state + frame],
            state,
            base: state,
            top: state + frame,
            depth: 0,
            left: BETWEEN_POLLS,
            log: Vec::new(),
            covered: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The cells of the state.
    pub(crate) fn state(&self) -> &[i64] {
        &self.memory[..self.state]
    }

    /// The cells of the state, for loading another one.
    pub(crate) fn state_mut(&mut self) -> &mut [i64] {
        &mut self.memory[..self.state]
    }

    /// The stores to the state since the last [`Machine::undo`].
    pub(crate) fn written(&self) -> &[(u32, i64)] {
        &self.log
    }

    /// Undoes the stores to the state.
    pub(crate) fn undo(&mut self) {
        while let Some((cell, before)) = self.log.pop() {
            self.memory[cell as usize] = before;
        }
    }

    /// Forgets the stores of an execution that was stopped, before another state is loaded.
    pub(crate) fn forget(&mut self) {
        self.log.clear();
        self.covered.clear();
    }

    /// Prepares the machine for another guard or body.
    #[inline]
    pub(crate) fn renew(&mut self, frame: usize) {
        self.depth = 0;
        self.base = self.state;
        self.top = self.state + frame;
    }

    /// Loads a cell that must be defined.
    #[inline]
    pub(super) fn load(&self, address: usize) -> Result<i64, Trap> {
        match self.memory[address] {
            UNDEFINED => Err(Trap::Failure),
            value => Ok(value),
        }
    }

    /// Stores a cell.
    #[inline]
    pub(crate) fn store(&mut self, address: usize, value: i64) {
        if address < self.state {
            self.log.push((address as u32, self.memory[address]));
        }
        self.memory[address] = value;
    }

    /// Copies cells, which may overlap.
    pub(super) fn copy(&mut self, from: usize, to: usize, cells: usize) {
        if to < self.state {
            let before = self.memory[to..to + cells].iter().enumerate();
            self.log.extend(before.map(|(k, &before)| ((to + k) as u32, before)));
        }
        self.memory.copy_within(from..from + cells, to);
    }

    /// Restores the order of a multiset of the state that holds between steps. Elements that were
    /// added become like those that were there; those that were removed disappear.
    pub(crate) fn settle(&mut self, slots: Slots, scratch: &mut Vec<i64>) {
        let Slots { start, capacity, stride } = slots;
        scratch.clear();
        for slot in (0..capacity).map(|k| start + k * stride) {
            if !is_element(self.memory[slot]) {
                continue;
            }
            let end = scratch.len();
            scratch.push(PRESENT);
            scratch.extend_from_slice(&self.memory[slot + 1..slot + stride]);
            let (ordered, element) = scratch.split_at(end);
            // Most elements are in order already.
            let mut at = end;
            while at > 0 && &ordered[at - stride..at] > element {
                at -= stride;
            }
            scratch[at..].rotate_right(stride);
        }
        scratch.resize(capacity * stride, UNDEFINED);
        for (k, &value) in scratch.iter().enumerate() {
            if self.memory[start + k] != value {
                self.store(start + k, value);
            }
        }
    }

    /// Restores the order of the multisets that were written.
    pub(crate) fn settle_written(&mut self, layout: &Layout, scratch: &mut Vec<i64>) {
        let multisets = layout.multisets();
        let (Some(first), Some(last)) = (multisets.first(), multisets.last()) else { return };
        let (first, last) = (first.start, last.start + last.capacity * last.stride);
        let mut touched = std::mem::take(&mut self.touched);
        for &(cell, _) in &self.log {
            let cell = cell as usize;
            if (first..last).contains(&cell) {
                let at = multisets.partition_point(|one| one.start <= cell) - 1;
                let one = multisets[at];
                if cell < one.start + one.capacity * one.stride && !touched.contains(&at) {
                    touched.push(at);
                }
            }
        }
        while let Some(at) = touched.pop() {
            self.settle(multisets[at], scratch);
        }
        self.touched = touched;
    }

    /// Counts a call of machine code that takes at most so many iterations. Most calls take far fewer:
    /// a bound that counted in full would ask about limits all the time.
    #[inline]
    pub(crate) fn count_call(&mut self, iterations: u64) {
        let iterations = iterations.clamp(1, u64::from(BETWEEN_POLLS / 64)) as u32;
        match self.left.checked_sub(iterations) {
            None | Some(0) => self.pause(),
            Some(left) => self.left = left,
        }
    }

    /// Counts an iteration, a call or an instance, and [polls](mod@run::poll) now and then. After a
    /// poll that does not return, the machine is used again only with another state.
    #[inline]
    pub(crate) fn count(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.pause();
        }
    }

    /// Polls, and keeps a body that runs for long from filling memory with its log.
    #[cold]
    fn pause(&mut self) {
        self.left = BETWEEN_POLLS;
        run::poll_for(WORK);
        if self.log.len() > 4 * self.state.max(1024) {
            // The first entry of a cell has its value before the body.
            let mut is_logged = vec![false; self.state];
            self.log.retain(|&(cell, _)| !std::mem::replace(&mut is_logged[cell as usize], true));
        }
    }

    /// Calls a function, and returns its simple result, or 0 if it has none.
    pub(super) fn call(&mut self, code: &Code, call: &CallCode) -> Result<i64, Trap> {
        let Some(Some(called)) = code.functions.get(call.function) else {
            return Err(Trap::Failure);
        };
        self.count();
        let (base, top) = (self.base, self.top);
        let outcome = self.pass(code, call, called).and_then(|()| self.enter(code, called));
        (self.base, self.top) = (base, top);
        outcome
    }

    /// Computes the arguments of a call and stores them in a new frame, which becomes the current
    /// one. They are held before the frame until all are known: computing one may use the memory
    /// that follows.
    fn pass(&mut self, code: &Code, call: &CallCode, called: &FunctionCode) -> Result<(), Trap> {
        let held = self.reserve(call.arguments.len());
        for (k, argument) in call.arguments.iter().enumerate() {
            let value = argument(code, self)?;
            self.memory[held + k] = value;
        }
        let result = match &call.result {
            Some(result) => Some(result.at(code, self)? as i64),
            None => None,
        };
        let frame = self.reserve(called.frame);
        for (k, &parameter) in called.parameters.iter().enumerate() {
            self.memory[frame + parameter] = self.memory[held + k];
        }
        if let (Some(register), Some(result)) = (called.result_at, result) {
            self.memory[frame + register] = result;
        }
        self.base = frame;
        Ok(())
    }

    /// Reserves cells after the last frame and returns their address.
    fn reserve(&mut self, cells: usize) -> usize {
        let start = self.top;
        self.top += cells;
        if self.memory.len() < self.top {
            self.memory.resize(self.top, UNDEFINED);
        }
        start
    }

    /// Executes a function in the current frame.
    fn enter(&mut self, code: &Code, called: &FunctionCode) -> Result<i64, Trap> {
        if self.depth == DEEPEST_CALL {
            return Err(Trap::Failure);
        }
        let result = called.result.map(|register| self.base + register);
        if let Some(result) = result {
            self.memory[result] = UNDEFINED;
        }
        self.depth += 1;
        let flow = (called.body)(code, self);
        self.depth -= 1;
        if flow? == Flow::Next && called.must_return {
            return Err(Trap::Failure);
        }
        result.map_or(Ok(0), |result| self.load(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However often a body stores, the log has few entries, and undoes all of it.
    #[test]
    fn long_bodies_have_short_logs() {
        let mut machine = Machine::new(3, 1);
        machine.state_mut().copy_from_slice(&[5, 6, 7]);
        for k in 0..1_000_000 {
            machine.count();
            machine.store(k % 2, k as i64);
            machine.store(3, k as i64);
        }
        assert_eq!(machine.state(), [999_998, 999_999, 7]);
        assert!(machine.written().len() < 20_000, "{}", machine.written().len());
        machine.undo();
        assert_eq!(machine.state(), [5, 6, 7]);
    }
}
