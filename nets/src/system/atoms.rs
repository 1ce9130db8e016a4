//! Atoms of formulas, on packed markings.

use super::PackedNet;
use super::binding::{Flow, Search, Tokens};
use crate::formula::{Atom, Event, Sum};
use crate::{Condition, Formula};
use engine::system::atoms::Letter;
use engine::system::{AtomFault, AtomWorker, Atoms};

/// The atoms of a formula.
pub(super) struct FormulaAtoms<'a, 'n> {
    net: &'a PackedNet<'n>,
    formula: &'a Formula,
    /// Whether some atom asks which transitions can fire.
    asks_steps: bool,
}

impl<'a, 'n> FormulaAtoms<'a, 'n> {
    pub(super) fn new(net: &'a PackedNet<'n>, formula: &'a Formula) -> Self {
        fn asks(condition: &Condition) -> bool {
            match condition {
                Condition::Constant(_) | Condition::AtMostZero(_) => false,
                Condition::Not(inner) => asks(inner),
                Condition::And(parts) | Condition::Or(parts) => parts.iter().any(asks),
                Condition::Fireable(_) => true,
            }
        }
        let asks_steps =
            formula.atoms.iter().any(|atom| matches!(atom, Atom::Marking(one) if asks(one)));
        FormulaAtoms { net, formula, asks_steps }
    }
}

impl Atoms for FormulaAtoms<'_, '_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        Box::new(FormulaWorker {
            of: self,
            tokens: Tokens::new(self.net.places.len()),
            binding: Vec::new(),
            sum: Vec::new(),
            fireable: vec![None; self.net.plans.len()],
        })
    }
}

struct FormulaWorker<'a, 'n> {
    of: &'a FormulaAtoms<'a, 'n>,
    tokens: Tokens,
    binding: Vec<u32>,
    sum: Vec<(u64, i64)>,
    /// By transition: whether it can fire, if that is known.
    fireable: Vec<Option<bool>>,
}

impl AtomWorker for FormulaWorker<'_, '_> {
    fn of_state(&mut self, state: &[u64], _: &[i64]) -> Result<Letter, AtomFault> {
        let FormulaAtoms { net, formula, asks_steps } = *self.of;
        if asks_steps {
            self.tokens.load(net, state);
            self.fireable.fill(None);
        }
        let (tokens, binding, scratch) = (&self.tokens, &mut self.binding, &mut self.sum);
        let fireable = &mut self.fireable;
        let mut letter = 0;
        for (k, atom) in formula.atoms.iter().enumerate() {
            let Atom::Marking(condition) = atom else { continue };
            let is_true = condition.evaluate(
                &mut |sum: &Sum| {
                    let total = |place: usize| net.places[place].total(&net.layout, state) as i64;
                    let places = sum.places.iter();
                    sum.constant + places.map(|&(factor, place)| factor * total(place)).sum::<i64>()
                },
                &mut |transitions| {
                    transitions.iter().any(|&of| {
                        *fireable[of].get_or_insert_with(|| {
                            let plan = &net.plans[of];
                            let mut search =
                                Search { net, plan, tokens, binding, sum: scratch, alike: None };
                            // An arc that is wrong is a fault of the step, and ends the run there.
                            search.all(&mut |_, _| Flow::Stop) == Flow::Stop
                        })
                    })
                },
            );
            letter |= Letter::from(is_true) << k;
        }
        Ok(letter)
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], _: &[i64]) -> Letter {
        let FormulaAtoms { net, formula, .. } = *self.of;
        let mut letter = 0;
        for (k, atom) in formula.atoms.iter().enumerate() {
            let Atom::Event(Event { transition, binding }) = atom else { continue };
            let classes = &net.plans[rule as usize].classes;
            let is_true = transition.is_none_or(|one| one == rule as usize)
                && binding.iter().zip(arguments).zip(classes).all(|((wanted, &slot), &class)| {
                    wanted.is_none_or(|wanted| net.slots.colour(class, slot as u32) == wanted)
                });
            letter |= Letter::from(is_true) << k;
        }
        letter
    }
}
