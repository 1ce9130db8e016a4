//! Which atoms of a formula can be true of one step.
//!
//! A step has one event and one owner. So `@a` and `@b` exclude each other, and so do `@a(1)` and
//! `@a(2)`; but `@a(c)` and `@a(d)`, c and d being tracked variables, may both be true, unless the
//! variables are distinct. The combinations found here include all that occur, and perhaps others:
//! an automaton that is right for them is right for all runs.
//!
//! As in [`ltl::alphabet`], combinations are found event by event, and place by place within the
//! arguments: patterns that agree so far are divided by the values that they name in that place.

use crate::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand, TrackedGroup};
use crate::value::Scalar;
use hashbrown::HashSet;
use ltl::Alphabet;
use std::collections::BTreeSet;

/// If there are more combinations than this, all of them count as possible.
const MOST_COMBINATIONS: usize = 1 << 12;

/// The letters that a formula may read along a run of the model.
pub fn alphabet(model: &Model, formula: &Formula) -> Alphabet {
    combinations(model, formula).unwrap_or_default()
}

fn combinations(model: &Model, formula: &Formula) -> Option<Alphabet> {
    let mut named: Vec<(ltl::Atom, &Atom)> = Vec::new();
    let mut owners: Vec<(ltl::Atom, Option<ProcessOperand>)> = Vec::new();
    for (k, atom) in (0..).zip(&formula.atoms) {
        match atom {
            Atom::State { .. } => {}
            Atom::Event { .. } => named.push((ltl::Atom(k), atom)),
            Atom::By { process, .. } => owners.push((ltl::Atom(k), *process)),
        }
    }
    let by_event = by_event(model, &formula.tracked, &named)?;
    let by_owner = by_owner(&formula.tracked, &owners)?;
    if by_event.len() * by_owner.len() > MOST_COMBINATIONS {
        return None;
    }
    let both = by_event.iter().flat_map(|event| {
        by_owner.iter().map(move |owner| event.iter().chain(owner).copied().collect())
    });
    let events = named.iter().map(|(atom, _)| *atom).chain(owners.iter().map(|(atom, _)| *atom));
    Some(Alphabet::of_combinations(events, both))
}

/// The sets of event atoms that are true of one event.
fn by_event(
    model: &Model,
    tracked: &[TrackedGroup],
    named: &[(ltl::Atom, &Atom)],
) -> Option<BTreeSet<Vec<ltl::Atom>>> {
    // An event that no atom names.
    let mut found = BTreeSet::from([Vec::new()]);
    for (id, event) in model.events.iter().enumerate() {
        let mut patterns: Vec<(ltl::Atom, &[Option<Operand>])> = Vec::new();
        for &(number, atom) in named {
            if let Atom::Event { events, arguments, .. } = atom
                && events.iter().any(|one| one.0 as usize == id)
            {
                patterns.push((number, arguments));
            }
        }
        let mut sets = HashSet::from([(0..patterns.len()).collect::<Vec<usize>>()]);
        for place in 0..event.parameters.len() {
            let operand = |k: usize| patterns[k].1.get(place).copied().flatten();
            let mut divided = HashSet::new();
            for set in &sets {
                let operands: Vec<_> = set.iter().map(|&k| (k, operand(k))).collect();
                divided.extend(agreeing(tracked, &operands)?);
            }
            sets = divided;
            if sets.len() > MOST_COMBINATIONS {
                return None;
            }
        }
        let atoms = |set: Vec<usize>| set.into_iter().map(|k| patterns[k].0).collect();
        found.extend(sets.into_iter().map(atoms));
        if found.len() > MOST_COMBINATIONS {
            return None;
        }
    }
    Some(found)
}

/// The sets of owner atoms that are true of one owner.
fn by_owner(
    tracked: &[TrackedGroup],
    owners: &[(ltl::Atom, Option<ProcessOperand>)],
) -> Option<BTreeSet<Vec<ltl::Atom>>> {
    let any = || owners.iter().filter(|(_, process)| process.is_none()).map(|(atom, _)| *atom);
    // A single process that no atom names.
    let mut found = BTreeSet::from([any().collect::<Vec<_>>()]);
    for (_, process) in owners {
        if let Some(ProcessOperand::Single(family)) = process {
            let is_it = |one: &&(ltl::Atom, Option<ProcessOperand>)| matches!(one.1, Some(ProcessOperand::Single(other)) if other == *family);
            let named = owners.iter().filter(is_it).map(|(atom, _)| *atom);
            found.insert(named.chain(any()).collect());
        }
    }
    let members: Vec<_> = owners
        .iter()
        .enumerate()
        .filter_map(|(k, (_, process))| match process {
            Some(ProcessOperand::Member(operand)) => Some((k, Some(*operand))),
            _ => None,
        })
        .collect();
    for set in agreeing(tracked, &members)? {
        found.insert(set.into_iter().map(|k| owners[k].0).chain(any()).collect());
    }
    Some(found)
}

/// The sets of patterns that one value can match, given what each has in the place of the value;
/// `None` if there are too many.
fn agreeing(
    tracked: &[TrackedGroup],
    operands: &[(usize, Option<Operand>)],
) -> Option<HashSet<Vec<usize>>> {
    let mut constants: Vec<Option<Scalar>> = vec![None];
    let mut locals: Vec<LocalId> = Vec::new();
    for (_, operand) in operands {
        match operand {
            Some(Operand::Constant(value)) if !constants.contains(&Some(*value)) => {
                constants.push(Some(*value));
            }
            Some(Operand::Local(local)) if !locals.contains(local) => locals.push(*local),
            _ => {}
        }
    }
    if locals.len() > 8 {
        return None;
    }
    let mut found = HashSet::new();
    for subset in 0..1_u32 << locals.len() {
        let equal: Vec<_> =
            (0..locals.len()).filter(|k| subset >> k & 1 == 1).map(|k| locals[k]).collect();
        if !may_be_equal(tracked, &equal) {
            continue;
        }
        for constant in &constants {
            let matches = |operand: &Option<Operand>| match operand {
                None => true,
                Some(Operand::Constant(value)) => *constant == Some(*value),
                Some(Operand::Local(local)) => equal.contains(local),
            };
            let set = operands.iter().filter(|(_, operand)| matches(operand));
            found.insert(set.map(|(k, _)| *k).collect());
        }
    }
    Some(found)
}

/// Whether tracked variables may all have one value: no two of them are declared to be distinct.
fn may_be_equal(tracked: &[TrackedGroup], locals: &[LocalId]) -> bool {
    tracked
        .iter()
        .filter(|group| group.distinct)
        .all(|group| group.locals.iter().filter(|local| locals.contains(local)).count() <= 1)
}
