//! The machine that forms are executed on: registers, and one flat memory of cells.
//!
//! The first cells are the state ([`Layout`](crate::cells::Layout)). They are followed by those of the
//! frame.

use crate::cells::UNDEFINED;
use crate::form::Frame;
use model::checked::PropertyId;

/// The reason why code stopped early. It is as large as a value, so that a result with either fits into
/// two registers of the processor.
#[repr(i64)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    /// Something failed, or cannot be decided by this code: the interpreter determines what happened.
    Failure,
    /// An `assume` statement was false.
    Abandoned,
    /// A `return` statement, on the way to the end of its block.
    Returned,
}

/// Iterations and instances between two polls. They take some ten nanoseconds each.
const BETWEEN_POLLS: u32 = 1 << 12;
/// What they count for in a poll.
const WORK: u64 = 1 << 8;

/// The memory and registers of the machine.
pub(crate) struct Machine {
    pub(crate) memory: Vec<i64>,
    pub(crate) registers: Vec<i64>,
    /// The number of cells of the state.
    state: usize,
    /// Iterations and instances up to the next poll.
    left: u32,
    polls: u64,
    /// Cells of the state that were written, with their previous values.
    log: Vec<(u32, i64)>,
    /// The `cover` statements whose condition was true since this list was last cleared.
    pub(crate) covered: Vec<PropertyId>,
}

impl Machine {
    /// A machine for states of so many cells, and for units with at most this frame.
    pub(crate) fn new(state: usize, frame: &Frame) -> Machine {
        Machine {
            memory: vec![UNDEFINED; state + frame.cells],
            registers: vec![UNDEFINED; frame.registers.len()],
            state,
            left: BETWEEN_POLLS,
            polls: 0,
            log: Vec::new(),
            covered: Vec::new(),
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

    /// What a call of machine code counts for that takes at most so many iterations. Most calls take
    /// far fewer: a bound that counted in full would ask about limits all the time.
    pub(crate) fn weight(iterations: u64) -> u64 {
        iterations.clamp(1, u64::from(BETWEEN_POLLS / 64))
    }

    /// Counts calls of machine code of this weight.
    #[inline]
    pub(crate) fn count_calls(&mut self, weight: u64) {
        match u64::from(self.left).checked_sub(weight) {
            None | Some(0) => self.pause(),
            Some(left) => self.left = left as u32,
        }
    }

    /// Counts an iteration or an instance, and [polls](mod@run::poll) now and then. After a
    /// poll that does not return, the machine is used again only with another state.
    #[inline]
    pub(crate) fn count(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.pause();
        }
    }

    /// Iterations and instances so far.
    pub(crate) fn work(&self) -> u64 {
        self.polls * u64::from(BETWEEN_POLLS) + u64::from(BETWEEN_POLLS - self.left)
    }

    /// Polls, and keeps a body that runs for long from filling memory with its log.
    #[cold]
    fn pause(&mut self) {
        self.left = BETWEEN_POLLS;
        self.polls += 1;
        run::poll_for(WORK);
        if self.log.len() > 4 * self.state.max(1024) {
            // The first entry of a cell has its value before the body.
            let mut is_logged = vec![false; self.state];
            self.log.retain(|&(cell, _)| !std::mem::replace(&mut is_logged[cell as usize], true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However often a body stores, the log has few entries, and undoes all of it.
    #[test]
    fn long_bodies_have_short_logs() {
        let mut machine = Machine::new(3, &Frame { registers: vec![], cells: 1 });
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
