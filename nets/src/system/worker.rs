//! Expands packed markings.

use super::alike::Alike;
use super::binding::{Flow, Search, Tokens};
use super::firing::{Firings, negative};
use super::{Figure, PackedNet};
use crate::formula::Sum;
use engine::system::{FaultId, Label, Steps, Worker};
use terms::PropertyId;

/// Executes a net: one per thread.
pub(super) struct NetWorker<'s, 'n> {
    net: &'s PackedNet<'n>,
    tokens: Tokens,
    binding: Vec<u32>,
    sum: Vec<(u64, i64)>,
    /// The bindings of a transition that were found, one after the other.
    found: Vec<u32>,
    firings: Firings,
    /// By transition: whether it has made a step.
    fireable: Vec<bool>,
    alike: Alike,
    /// Whether some class has alike colours.
    is_dividing: bool,
}

impl<'s, 'n> NetWorker<'s, 'n> {
    pub(super) fn new(net: &'s PackedNet<'n>) -> Self {
        NetWorker {
            net,
            tokens: Tokens::new(net.places.len()),
            binding: Vec::new(),
            sum: Vec::new(),
            found: Vec::new(),
            firings: Firings::default(),
            fireable: Vec::new(),
            alike: Alike::default(),
            is_dividing: net.exchanges.contains(&true),
        }
    }

    /// The steps of a transition.
    fn transition(&mut self, of: usize, packed: &[u64], steps: &mut Steps) {
        let net = self.net;
        let plan = &net.plans[of];
        let (tokens, found) = (&self.tokens, &mut self.found);
        found.clear();
        let mut count = 0;
        let mut search = Search {
            net,
            plan,
            tokens,
            binding: &mut self.binding,
            sum: &mut self.sum,
            alike: self.is_dividing.then_some(&mut self.alike),
        };
        search.all(&mut |binding, wrong| {
            match wrong {
                None => {
                    count += 1;
                    found.extend_from_slice(binding);
                }
                Some(arc) => steps.faults.push(negative(net, of, plan.inputs[arc.0].place)),
            }
            Flow::Continue
        });
        let length = plan.sizes.len();
        for k in 0..count {
            let binding = &found[k * length..(k + 1) * length];
            run::poll();
            Steps::count(packed.len());
            let start = steps.targets.len();
            steps.targets.extend_from_slice(packed);
            match self.firings.fire(net, of, binding, tokens, &mut steps.targets[start..]) {
                Ok(stutters) => {
                    let first_argument = steps.arguments.len() as u32;
                    let slots = plan.classes.iter().zip(binding);
                    let slots =
                        slots.map(|(&class, &colour)| i64::from(net.slots.slot(class, colour)));
                    steps.arguments.extend(slots);
                    steps.labels.push(Label { rule: of as u32, first_argument, stutters });
                }
                Err(fault) => {
                    steps.targets.truncate(start);
                    steps.faults.push(fault);
                }
            }
        }
    }

    /// Tells the figures that are watched. A transition can fire if it has made a step, though not all
    /// of its steps may have been made.
    fn watch(&mut self, labels: &[Label]) {
        let NetWorker { net, tokens, fireable, .. } = self;
        if net.watched.is_empty() {
            return;
        }
        fireable.clear();
        fireable.resize(net.plans.len(), false);
        for label in labels {
            fireable[label.rule as usize] = true;
        }
        let tokens: &Tokens = tokens;
        let of = |place: usize| tokens.tokens[place].iter().map(|token| token.count);
        for watched in &net.watched {
            let value: u64 = match &watched.figure {
                Figure::Sum(places) => places.iter().flat_map(|&place| of(place)).sum(),
                Figure::Single(places) => {
                    places.iter().flat_map(|&place| of(place)).max().unwrap_or(0)
                }
                Figure::Condition(_) if watched.most() > 0 => continue,
                Figure::Condition(condition) => {
                    let is_true = condition.evaluate(
                        &mut |sum: &Sum| {
                            let total = |place: usize| of(place).sum::<u64>() as i64;
                            let terms = sum.places.iter();
                            sum.constant
                                + terms.map(|&(factor, place)| factor * total(place)).sum::<i64>()
                        },
                        &mut |transitions: &[usize]| transitions.iter().any(|&one| fireable[one]),
                    );
                    u64::from(is_true)
                }
            };
            watched.see(value);
        }
    }
}

impl Worker for NetWorker<'_, '_> {
    fn is_assumed(&mut self, _: &[u64]) -> Result<bool, FaultId> {
        Ok(true)
    }

    fn property(&mut self, _: &[u64], _: PropertyId) -> Vec<Result<bool, FaultId>> {
        unreachable!("nets declare no properties")
    }

    fn is_violated(&mut self, _: &[u64], _: PropertyId) -> bool {
        unreachable!("nets declare no properties")
    }

    fn expand(&mut self, packed: &[u64], steps: &mut Steps) {
        self.tokens.load(self.net, packed);
        let first = steps.labels.len();
        if self.is_dividing {
            self.alike.divide(self.net, &self.tokens);
        }
        for of in 0..self.net.plans.len() {
            self.transition(of, packed, steps);
        }
        self.watch(&steps.labels[first..]);
    }
}
