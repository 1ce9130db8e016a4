//! Functions as irredundant sums of products, after Minato and Morreale.
//!
//! A sum is asked for between two bounds: it covers the lower one and stays within the upper one. No
//! product can be left out, and none can lose a literal. For a function that is monotone in its variables, both bounds
//! being the function itself, these are its prime implicants.

use super::{Cube, Guard, Guards};
use crate::limits::StopReason;
use run::Every;

impl Guards<'_> {
    /// An irredundant sum of products for f where it matters, i.e. for letters that exist: the
    /// label as a person would write it. `@a & !@b` comes out as `@a`.
    pub fn cubes(&mut self, f: Guard) -> Vec<Cube> {
        let lower = self.and(f, self.possible);
        let impossible = self.not(self.possible);
        let upper = self.or(f, impossible);
        self.cubes_between(lower, upper)
    }

    /// An irredundant sum of products that lies between the two functions (Minato-Morreale).
    /// `lower` must imply `upper`. If a limit is reached there are no products.
    pub fn cubes_between(&mut self, lower: Guard, upper: Guard) -> Vec<Cube> {
        let mut cubes = Vec::new();
        self.irredundant(lower, upper, &mut cubes);
        for cube in &mut cubes {
            cube.sort_unstable();
        }
        cubes
    }

    /// Appends the cubes and returns their union.
    fn irredundant(&mut self, lower: Guard, upper: Guard, out: &mut Vec<Cube>) -> Guard {
        if lower == Guard::FALSE || self.stopped.is_some() {
            return Guard::FALSE;
        }
        if upper == Guard::TRUE {
            self.count_literals(1);
            out.push(Cube::new());
            return Guard::TRUE;
        }
        let variable = self.top(lower).min(self.top(upper));
        let (lower0, lower1) = self.cofactors(lower, variable);
        let (upper0, upper1) = self.cofactors(upper, variable);
        // What only a cube with the negative (positive) literal can cover.
        let only0 = self.without(lower0, upper1);
        let covered0 = self.with_literal((variable, false), only0, upper0, out);
        let only1 = self.without(lower1, upper0);
        let covered1 = self.with_literal((variable, true), only1, upper1, out);
        let (rest0, rest1) = (self.without(lower0, covered0), self.without(lower1, covered1));
        let rest = self.or(rest0, rest1);
        let upper = self.and(upper0, upper1);
        let covered = self.irredundant(rest, upper, out);
        let (low, high) = (self.or(covered0, covered), self.or(covered1, covered));
        self.branch(variable, low, high)
    }

    /// As [`Self::irredundant`], with one more literal in each cube.
    fn with_literal(
        &mut self,
        literal: (u32, bool),
        lower: Guard,
        upper: Guard,
        out: &mut Vec<Cube>,
    ) -> Guard {
        let from = out.len();
        let covered = self.irredundant(lower, upper, out);
        if self.stopped.is_none() {
            self.count_literals(out.len() - from);
        }
        // The cubes of a sum that was stopped are not read. To complete them would take a literal in each
        // for every variable on the way back, which may be a thousand times what the limit allows.
        if self.stopped.is_some() {
            out.clear();
            return Guard::FALSE;
        }
        out[from..].iter_mut().for_each(|cube| cube.push(literal));
        covered
    }

    /// Every call of the recursion that does not end at once makes a cube, so this bounds time too.
    fn count_literals(&mut self, more: usize) {
        let before = self.literals;
        self.literals += more;
        if self.literals > self.limits.labels {
            self.stopped.get_or_insert(StopReason::Labels(self.limits.labels));
        } else if Every::LABEL.is_due_between(before as u64, self.literals as u64) {
            let _ = self.poll();
        }
    }
}
