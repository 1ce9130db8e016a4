//! How much work a call may take, counted in steps (see [`super`] for what a step is).

/// For each subformula and each of its operands, so that large formulas of simple parts are
/// simplified throughout.
const STEPS_FOR_EACH: u64 = 64;
/// On top of that, for the parts that need more.
const STEPS_IN_ALL: u64 = 1 << 20;
/// A subformula may take no more than this on top, so that it does not starve the others.
const STEPS_OF_ONE: u64 = 1 << 16;

/// The steps that a call may take for a formula, in negation normal form, of this size: the number of
/// different subformulas and of their operands.
pub const fn most_steps(size: usize) -> u64 {
    STEPS_IN_ALL + STEPS_FOR_EACH * size as u64
}

/// The steps of one call.
#[derive(Clone, Default, Debug)]
pub(super) struct Budget {
    granted: u64,
    /// Those left for the subformula under way.
    left: u64,
    /// Those left for subformulas to come.
    reserve: u64,
    gave_up: bool,
}

impl Budget {
    pub(super) fn start_call(&mut self, size: usize) {
        let granted = most_steps(size);
        *self = Budget { granted, reserve: granted, ..Budget::default() };
    }

    pub(super) fn start_part(&mut self, operands: usize) {
        let most = STEPS_OF_ONE + STEPS_FOR_EACH * (1 + operands as u64);
        self.reserve += self.left;
        self.left = self.reserve.min(most);
        self.reserve -= self.left;
    }

    /// Takes steps; `false` if there are not as many.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        if steps as u64 <= self.left {
            self.left -= steps as u64;
            return true;
        }
        self.left = 0;
        self.gave_up = true;
        false
    }

    pub(super) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    pub(super) const fn gave_up(&self) -> bool {
        self.gave_up
    }

    pub(super) const fn steps(&self) -> u64 {
        self.granted - self.reserve - self.left
    }
}
