//! Edges where nothing is permuted: every state is its own representative, and every step its own orbit.
//!
//! Such edges are not stored. To make them again takes about as long as to read them, and they would take more memory
//! than everything else: a search needs them once for each state of the automaton, and a few times more where it finds
//! strongly connected sets.
//!
//! What steps do, their *actions*, are few. They are numbered, so that whoever wants to know something of an action finds
//! it out once.

use super::rows::Rows;
use super::{Outline, Representative, Walker};
use crate::model::interpret::Failure;
use crate::system::states::{Key, hash};

/// The number of an action: a rule with the arguments of its event.
pub type ActionNumber = u32;

/// An edge where nothing is permuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainEdge<'e> {
    /// Its number among those that leave its representative: they ascend, but may leave out some.
    pub number: u32,
    /// What it does.
    pub action: ActionNumber,
    /// The rule.
    pub rule: u32,
    /// The arguments of its event, as cells.
    pub arguments: &'e [i64],
    /// Where it leads.
    pub target: Representative,
}

/// Different actions, numbered as they come: the rule, and the arguments behind it.
#[derive(Debug, Default)]
pub(super) struct Actions {
    rows: Rows<i64>,
    /// The one that is looked for.
    row: Vec<i64>,
}

impl Actions {
    /// The rule and the arguments of an action.
    pub(super) fn get(&self, number: ActionNumber) -> (u32, &[i64]) {
        let [rule, arguments @ ..] = self.rows.get(number) else { unreachable!("a rule is there") };
        (rule.cast_unsigned() as u32, arguments)
    }

    /// The number of an action, which is put in if it is new.
    fn intern(&mut self, rule: u32, arguments: &[i64]) -> ActionNumber {
        self.row.clear();
        self.row.push(rule.into());
        self.row.extend_from_slice(arguments);
        self.rows.intern(&self.row)
    }
}

/// The targets of steps, on their way to their numbers.
#[derive(Debug, Default)]
pub(super) struct Targets {
    keys: Vec<Key>,
    slots: Vec<u32>,
    numbers: Vec<Option<u32>>,
}

impl Walker<'_> {
    /// See [`Walk::plain_edges`](super::Walk::plain_edges).
    pub(super) fn plain_edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Failure> {
        if self.plain != Some(of) {
            self.plain = None;
            self.make_plain(of)?;
            self.plain = Some(of);
        }
        let (steps, left) = self.expander.made();
        for (&number, &k) in self.targets.numbers.iter().zip(left) {
            let rule = steps.labels[k as usize].rule;
            let arguments = steps.arguments_of(k as usize);
            each(PlainEdge {
                number: k,
                action: self.actions.intern(rule, arguments),
                rule,
                arguments,
                target: Representative(number.expect("it has been put in")),
            });
        }
        Ok(Outline { edges: left.len(), is_stuck: steps.labels.is_empty() })
    }

    /// Makes the steps out of a representative, and finds the numbers of their targets.
    fn make_plain(&mut self, of: Representative) -> Result<(), Failure> {
        let Walker { quotient, expander, packed, targets, .. } = self;
        quotient.load(of, packed);
        let layout = quotient.layout();
        let (words, bytes) = (layout.words(), layout.bytes());
        let (steps, left) = expander.plain_steps(packed)?;
        let target = |k: u32| &steps.targets[k as usize * words..(k as usize + 1) * words];
        let Targets { keys, slots, numbers } = targets;
        keys.clear();
        keys.extend(left.iter().map(|&k| Key::of(hash(target(k), bytes))));
        numbers.clear();
        {
            let known = quotient.read();
            // The loads of one loop do not wait for each other.
            slots.clear();
            slots.extend(keys.iter().map(|&key| known.states.touch(key)));
            let both = keys.iter().zip(&*slots);
            let touched =
                both.fold(0, |all, (&key, &slot)| all ^ known.states.touch_state(key, slot));
            std::hint::black_box(touched);
            let both = keys.iter().zip(left);
            numbers.extend(both.map(|(&key, &k)| known.states.find(key, target(k))));
        }
        if numbers.iter().any(Option::is_none) {
            let mut known = quotient.write();
            for ((number, &key), &k) in numbers.iter_mut().zip(&*keys).zip(left) {
                // Somebody may have put it in by now: another thread, or an equal step before this one.
                number.get_or_insert_with(|| known.states.insert(key, target(k)).0);
            }
        }
        Ok(())
    }

    /// See [`Walk::plain_action`](super::Walk::plain_action).
    pub(super) fn plain_action(&self, number: ActionNumber) -> (u32, &[i64]) {
        self.actions.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_numbered_once_each() {
        let all: [(u32, &[i64]); 6] =
            [(0, &[]), (1, &[]), (1, &[7]), (1, &[7, -2]), (2, &[7, -2]), (0, &[i64::MIN])];
        let mut actions = Actions::default();
        for _ in 0..2 {
            for (number, (rule, arguments)) in (0..).zip(all) {
                assert_eq!(actions.intern(rule, arguments), number);
                assert_eq!(actions.get(number), (rule, arguments));
            }
        }
    }
}
