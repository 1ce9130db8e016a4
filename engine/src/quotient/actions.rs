//! Actions of steps: rules with the arguments of their events, numbered.

use crate::narrow::to_u32;
use crate::rows::Rows;

/// The number of an action: a rule with the arguments of its event.
pub type ActionNumber = u32;

/// Different actions, numbered in the order in which they are interned. A row is the rule, followed
/// by the arguments.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    rows: Rows<i64>,
    /// A buffer for the row that is being looked up.
    row: Vec<i64>,
}

impl Actions {
    /// The rule and the arguments of an action.
    pub(crate) fn get(&self, number: ActionNumber) -> (u32, &[i64]) {
        let [rule, arguments @ ..] = self.rows.get(number) else { unreachable!("a rule is there") };
        (to_u32(rule.cast_unsigned()), arguments)
    }

    /// The number of actions.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of an action, which is inserted if it is new.
    #[inline]
    pub(crate) fn intern(&mut self, rule: u32, arguments: &[i64]) -> ActionNumber {
        self.rows.ask_to_grow();
        self.row.clear();
        self.row.push(rule.into());
        self.row.extend_from_slice(arguments);
        self.rows.intern(&self.row)
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
