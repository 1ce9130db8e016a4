//! Which atoms of a formula with tracked variables can be true of one step.
//!
//! A step has one event and one owner. So `@a` and `@b` exclude each other, and so do `@a(1)` and
//! `@a(2)`; but `@a(c)` and `@a(d)`, c and d being tracked variables, may both be true, unless the
//! variables are distinct. The combinations found here include all that occur, and perhaps others:
//! an automaton that is right for them is right for all runs.
//!
//! As in [`alphabet`](crate::alphabet), combinations are found event by event, and place by place within
//! the arguments: patterns that agree so far are divided by the values that they name in that place.

use crate::alphabet::Alphabet;
use crate::formula::Atom;
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// If there are more combinations than this, all of them count as possible.
const MOST_COMBINATIONS: usize = 1 << 12;
/// If more variables than this are compared with one value, all combinations count as possible.
const MOST_VARIABLES: usize = 8;

/// What an atom compares a value of a step with. `V` are constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<V> {
    /// A tracked variable, by its number.
    Variable(usize),
    /// A constant value.
    Constant(V),
}

/// An atom about the event of a step.
#[derive(Clone, Debug)]
pub struct EventAtom<V> {
    /// The atom.
    pub atom: Atom,
    /// The kinds of events of which it may be true.
    pub kinds: Vec<u32>,
    /// By place of the event's arguments: what is there, if that matters. Places after the last one do
    /// not matter.
    pub arguments: Vec<Option<Operand<V>>>,
}

/// An atom about the owner of a step.
#[derive(Clone, Debug)]
pub struct OwnerAtom<V> {
    /// The atom.
    pub atom: Atom,
    /// The owners of whose steps it is true.
    pub owner: OwnerOperand<V>,
}

/// Owners of steps. Owners are divided into classes, by numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnerOperand<V> {
    /// All of them.
    Any,
    /// All owners of a class, which may be a single one.
    Class(u32),
    /// The owner of a class that has this value.
    Member(u32, Operand<V>),
}

/// The atoms of a formula that are about steps. Other atoms are independent of all these.
#[derive(Clone, Debug)]
pub struct StepAtoms<V> {
    /// About events.
    pub events: Vec<EventAtom<V>>,
    /// About owners.
    pub owners: Vec<OwnerAtom<V>>,
    /// Groups of variables of which no two have the same value.
    pub distinct: Vec<Vec<usize>>,
}

impl<V: Copy + PartialEq> StepAtoms<V> {
    /// The letters that a formula with these atoms may read along a run.
    pub fn alphabet(&self) -> Alphabet {
        self.combinations().unwrap_or_default()
    }

    fn combinations(&self) -> Option<Alphabet> {
        let (by_event, by_owner) = (self.by_event()?, self.by_owner()?);
        if by_event.len() * by_owner.len() > MOST_COMBINATIONS {
            return None;
        }
        let both = by_event.iter().flat_map(|event| {
            by_owner.iter().map(move |owner| event.iter().chain(owner).copied().collect())
        });
        let atoms = self.events.iter().map(|one| one.atom);
        Some(Alphabet::of_combinations(atoms.chain(self.owners.iter().map(|one| one.atom)), both))
    }

    /// The sets of atoms that are true of one event.
    fn by_event(&self) -> Option<BTreeSet<Vec<Atom>>> {
        // An event that no atom names.
        let mut found = BTreeSet::from([Vec::new()]);
        let kinds: BTreeSet<u32> = self.events.iter().flat_map(|one| &one.kinds).copied().collect();
        for kind in kinds {
            let patterns: Vec<&EventAtom<V>> =
                self.events.iter().filter(|one| one.kinds.contains(&kind)).collect();
            let places = patterns.iter().map(|one| one.arguments.len()).max().unwrap_or(0);
            let mut sets = HashSet::from([(0..patterns.len()).collect::<Vec<usize>>()]);
            for place in 0..places {
                let operand = |k: usize| patterns[k].arguments.get(place).copied().flatten();
                let mut divided = HashSet::new();
                for set in &sets {
                    let operands: Vec<_> = set.iter().map(|&k| (k, operand(k))).collect();
                    divided.extend(self.agreeing(&operands)?);
                }
                sets = divided;
                if sets.len() > MOST_COMBINATIONS {
                    return None;
                }
            }
            let atoms = |set: Vec<usize>| set.into_iter().map(|k| patterns[k].atom).collect();
            found.extend(sets.into_iter().map(atoms));
            if found.len() > MOST_COMBINATIONS {
                return None;
            }
        }
        Some(found)
    }

    /// The sets of atoms that are true of one owner.
    fn by_owner(&self) -> Option<BTreeSet<Vec<Atom>>> {
        let of = |is: &dyn Fn(OwnerOperand<V>) -> bool| -> Vec<Atom> {
            self.owners.iter().filter(|one| is(one.owner)).map(|one| one.atom).collect()
        };
        let any = of(&|owner| owner == OwnerOperand::Any);
        // An owner that no atom names.
        let mut found = BTreeSet::from([any.clone()]);
        let class_of = |owner: OwnerOperand<V>| match owner {
            OwnerOperand::Any => None,
            OwnerOperand::Class(class) | OwnerOperand::Member(class, _) => Some(class),
        };
        let classes: BTreeSet<u32> =
            self.owners.iter().filter_map(|one| class_of(one.owner)).collect();
        for class in classes {
            let whole = of(&|owner| owner == OwnerOperand::Class(class));
            let member = |(k, one): (usize, &OwnerAtom<V>)| match one.owner {
                OwnerOperand::Member(of, operand) if of == class => Some((k, Some(operand))),
                _ => None,
            };
            let members: Vec<_> = self.owners.iter().enumerate().filter_map(member).collect();
            for set in self.agreeing(&members)? {
                let named = set.into_iter().map(|k| self.owners[k].atom);
                found.insert(named.chain(whole.iter().copied()).chain(any.clone()).collect());
            }
        }
        Some(found)
    }

    /// The sets of patterns that one value can match, given what each has in the place of the value;
    /// `None` if there are too many.
    fn agreeing(&self, operands: &[(usize, Option<Operand<V>>)]) -> Option<HashSet<Vec<usize>>> {
        let mut constants: Vec<Option<V>> = vec![None];
        let mut variables: Vec<usize> = Vec::new();
        for (_, operand) in operands {
            match operand {
                Some(Operand::Constant(value)) if !constants.contains(&Some(*value)) => {
                    constants.push(Some(*value));
                }
                Some(Operand::Variable(variable)) if !variables.contains(variable) => {
                    variables.push(*variable);
                }
                _ => {}
            }
        }
        if variables.len() > MOST_VARIABLES {
            return None;
        }
        let mut found = HashSet::new();
        for subset in 0..1_u32 << variables.len() {
            let equal: Vec<usize> = (0..variables.len())
                .filter(|k| subset >> k & 1 == 1)
                .map(|k| variables[k])
                .collect();
            if !self.may_be_equal(&equal) {
                continue;
            }
            for constant in &constants {
                let matches = |operand: &Option<Operand<V>>| match operand {
                    None => true,
                    Some(Operand::Constant(value)) => *constant == Some(*value),
                    Some(Operand::Variable(variable)) => equal.contains(variable),
                };
                let set = operands.iter().filter(|(_, operand)| matches(operand));
                found.insert(set.map(|(k, _)| *k).collect());
            }
        }
        Some(found)
    }

    /// Whether variables may all have one value: no two of them are distinct.
    fn may_be_equal(&self, variables: &[usize]) -> bool {
        let is_shared =
            |group: &Vec<usize>| group.iter().filter(|one| variables.contains(one)).count() <= 1;
        self.distinct.iter().all(is_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(atom: u32, kind: u32, arguments: &[Option<Operand<i64>>]) -> EventAtom<i64> {
        EventAtom { atom: Atom(atom), kinds: vec![kind], arguments: arguments.to_vec() }
    }

    fn profiles(atoms: &StepAtoms<i64>) -> Vec<Vec<u32>> {
        let alphabet = atoms.alphabet();
        let numbers = |profile: &Vec<Atom>| profile.iter().map(|atom| atom.0).collect();
        alphabet.profiles().iter().map(numbers).collect()
    }

    #[test]
    fn events_exclude_each_other() {
        use Operand::{Constant, Variable};
        let (c, d) = (Some(Variable(0)), Some(Variable(1)));
        let events = vec![
            event(0, 0, &[c]),
            event(1, 0, &[d]),
            event(2, 1, &[None, Some(Constant(3))]),
            event(3, 1, &[c]),
        ];
        let mut atoms = StepAtoms { events, owners: Vec::new(), distinct: Vec::new() };
        let free = vec![vec![], vec![0], vec![0, 1], vec![1], vec![2], vec![2, 3], vec![3]];
        assert_eq!(profiles(&atoms), free);
        atoms.distinct.push(vec![0, 1]);
        assert_eq!(profiles(&atoms), [vec![], vec![0], vec![1], vec![2], vec![2, 3], vec![3]]);
    }

    #[test]
    fn owners_of_two_classes_exclude_each_other() {
        let owner = |atom, owner| OwnerAtom { atom: Atom(atom), owner };
        let owners = vec![
            owner(0, OwnerOperand::Any),
            owner(1, OwnerOperand::Class(7)),
            owner(2, OwnerOperand::Class(8)),
            owner(3, OwnerOperand::Member(8, Operand::Variable(0))),
        ];
        let atoms = StepAtoms { events: Vec::new(), owners, distinct: Vec::new() };
        assert_eq!(profiles(&atoms), [vec![], vec![0], vec![0, 1], vec![0, 2], vec![0, 2, 3]]);
    }
}
