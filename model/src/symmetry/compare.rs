//! Compares the iterations of a loop with each other, and explains conflicts.

use super::super::checked::LocalId;
use super::super::types::Types;
use super::access::{Access, Form, Iteration, StoreRoot};
use super::follow::Walk;
use super::{LoopKey, Reason};
use hashbrown::HashSet;
use ltl::Span;
use std::collections::BTreeMap;

impl Walk<'_, '_> {
    /// Compares the accesses of a loop's body, from `first` on. Returns the variables that are
    /// private to the iterations, but whose final values depend on the order.
    pub(super) fn compare(
        &mut self,
        key: LoopKey,
        iteration: Iteration,
        first: usize,
        span: Span,
    ) -> Vec<(u32, LocalId)> {
        let mut by_root: BTreeMap<StoreRoot, Vec<usize>> = BTreeMap::new();
        let mut seen = HashSet::new();
        for (k, access) in self.accesses.iter().enumerate().skip(first) {
            // Two reads at different positions are equivalent; two statements that write are not.
            let place = if access.form.writes() { access.span } else { Span::at(0) };
            if seen.insert((access.root, &access.path, access.form, access.assigned, place)) {
                by_root.entry(access.root).or_default().push(k);
            }
        }
        let mut private = Vec::new();
        for (root, accesses) in by_root {
            let accesses: Vec<_> = accesses.into_iter().map(|k| self.accesses[k].clone()).collect();
            let mut conflict = None;
            let mut accumulated = HashSet::new();
            'search: for a in accesses.iter().filter(|access| access.form.writes()) {
                for b in accesses.iter().filter(|b| iteration.overlap(a, b)) {
                    if !iteration.commute(a, b) {
                        conflict = Some((a, b));
                        break 'search;
                    }
                    accumulated.insert((a.body, a.span));
                }
            }
            let is_private = || accesses.iter().all(|a| !a.form.reads() || a.assigned >= self.open);
            match (conflict, root) {
                (None, _) => {}
                (Some(_), StoreRoot::Local(number, local)) if is_private() => {
                    // Variables of a call inside the loop do not outlive it.
                    if number <= iteration.frame {
                        private.push((number, local));
                    }
                }
                (Some((a, b)), _) => {
                    let reason = self.conflict(a, b, span);
                    self.findings.blame(key, reason);
                }
            }
            for access in &accesses {
                if matches!(access.form, Form::Logical { .. }) && access.frame == iteration.frame {
                    let at = (access.body, access.span);
                    let here = conflict.is_none() && accumulated.contains(&at);
                    self.findings.updates.entry(at).or_default().insert((key, here));
                }
            }
        }
        private
    }

    /// Explains why two accesses of different iterations do not commute; the first one writes.
    fn conflict(&self, a: &Access, b: &Access, span: Span) -> Reason {
        let name = self.name(a.root);
        let (what, at, help) = match (a.root, a.form, b.form) {
            (StoreRoot::Anything, ..) => (
                "a loop runs a function that calls itself".to_owned(),
                a,
                "write it without recursion".to_owned(),
            ),
            (StoreRoot::Output, ..) => (
                "a loop prints in the order of its iterations".to_owned(),
                a,
                "print before or after the loop".to_owned(),
            ),
            (_, _, Form::Read) => (
                format!("an iteration of a loop reads `{name}` here, which another may write"),
                b,
                format!(
                    "write and read `{name}` with the loop variable as a subscript, or read a copy \
                     made before the loop"
                ),
            ),
            (_, Form::Logical { .. }, Form::Logical { .. }) if a.form == b.form => (
                format!("iterations of a loop update `{name}`, and a failure may hide behind it"),
                a,
                format!("write this update into the loop itself, with a fixed place for `{name}`"),
            ),
            (_, Form::Sum { .. } | Form::Bits(_) | Form::Add, _)
                if b.form.reads() && b.form != Form::Read =>
            {
                (
                    format!("iterations of a loop update `{name}` in more than one way"),
                    a,
                    "one statement for all iterations may update it, in one direction".to_owned(),
                )
            }
            _ => (
                format!("iterations of a loop may leave different values in `{name}`"),
                a,
                self.advice(a, name),
            ),
        };
        let mut reason = Reason::new(at.span, what).help(help);
        let other = if at.span == a.span { b } else { a };
        if other.span != at.span {
            let does = if other.form.writes() { "written" } else { "read" };
            reason = reason.related(other.span, format!("{does} here, by another iteration"));
        }
        reason.related(span, "the loop")
    }

    /// Suggests a replacement for an assignment in a loop.
    fn advice(&self, access: &Access, name: &str) -> String {
        let types = &self.model.types;
        let also = match self.type_of(access) {
            Some(of) if of == Types::BOOLEAN => {
                format!(", or update by `{name} := {name} | ...` or `{name} := {name} & ...`")
            }
            Some(of) if types.is_range(of) => format!(", or update by `{name} := {name} + ...`"),
            Some(of) if types.is_simple(of) && !types.indices(of).is_empty() => {
                ", or choose a value by a `ruleset` around the rule".to_owned()
            }
            _ => String::new(),
        };
        format!("use the loop variable as a subscript, let all iterations store the same{also}")
    }
}
