//! Enumerates the instances of the scope around a rule, start state or property.

use super::super::checked::{LocalId, ParameterDomain, Place, Scope};
use super::super::value::Value;
use super::expression::Values;
use super::failure::EvalStop;
use super::machine::{Machine, Slot, StoreReference};
use hashbrown::HashSet;

/// An enumeration in progress.
pub(super) struct Instances<'v, 'a> {
    /// Whether parameters are bound already and keep their values.
    parameters_are_bound: bool,
    /// The elements chosen so far: the multiset, and the position in it.
    chosen: Vec<(StoreReference, usize)>,
    /// Called with everything bound, or with the failure of a binding.
    visit: &'v mut Visit<'v, 'a>,
}

type Visit<'v, 'a> = dyn FnMut(&mut Machine<'a>, Result<(), EvalStop>) -> Result<(), EvalStop> + 'v;

impl<'v, 'a> Instances<'v, 'a> {
    /// Visits every instance, with its parameters, aliases and chosen elements bound in the frame;
    /// inner parameters change first. If an alias or a multiset of an instance fails, the instance
    /// is visited with that failure.
    ///
    /// Equal elements of a multiset are one instance, unless an outer `choose` has chosen one of
    /// them: then the chosen element itself is one instance, and all others are one.
    pub(super) fn visit(
        machine: &mut Machine<'a>,
        scope: &[Scope],
        visit: &'v mut Visit<'v, 'a>,
    ) -> Result<(), EvalStop> {
        Instances::new(visit).inside(machine, scope)
    }

    /// Like [`Instances::visit`], with the parameters as they are bound.
    pub(super) fn visit_bound(
        machine: &mut Machine<'a>,
        scope: &[Scope],
        visit: &'v mut Visit<'v, 'a>,
    ) -> Result<(), EvalStop> {
        let instances = Instances::new(visit);
        Instances { parameters_are_bound: true, ..instances }.inside(machine, scope)
    }

    fn new(visit: &'v mut Visit<'v, 'a>) -> Self {
        Instances { parameters_are_bound: false, chosen: Vec::new(), visit }
    }

    /// Visits the instances of the rest of the scope.
    fn inside(&mut self, machine: &mut Machine<'a>, scope: &[Scope]) -> Result<(), EvalStop> {
        let Some((outermost, rest)) = scope.split_first() else {
            return self.instance(machine, Ok(()));
        };
        match outermost {
            Scope::Parameter { .. } if self.parameters_are_bound => self.inside(machine, rest),
            Scope::Parameter { local, domain } => {
                let types = &machine.model.types;
                let mut values = match *domain {
                    ParameterDomain::Type(of) => Values::of(types, of),
                    ParameterDomain::Steps { from, to, by } => {
                        Values::Steps { next: Some(from), to, by }
                    }
                };
                while let Some(scalar) = values.next(types) {
                    machine.bind_scalar(*local, scalar);
                    self.inside(machine, rest)?;
                }
                Ok(())
            }
            Scope::Alias { local, target } => match machine.bind_alias(*local, target) {
                Ok(()) => self.inside(machine, rest),
                Err(stop) => self.instance(machine, Err(stop)),
            },
            Scope::Choose { local, multiset } => self.choose(machine, *local, multiset, rest),
        }
    }

    fn choose(
        &mut self,
        machine: &mut Machine<'a>,
        local: LocalId,
        multiset: &Place,
        rest: &[Scope],
    ) -> Result<(), EvalStop> {
        let found = machine.resolve(multiset).and_then(|reference| {
            let elements = machine.elements(&reference, multiset.span)?;
            Ok((elements.clone(), reference))
        });
        let (elements, reference) = match found {
            Ok(found) => found,
            Err(stop) => return self.instance(machine, Err(stop)),
        };
        let mut seen: HashSet<(&Value, Vec<bool>)> = HashSet::new();
        for (k, element) in elements.iter().enumerate() {
            let Some(element) = element else { continue };
            let here = (reference.clone(), k);
            let chosen_before = self.chosen.iter().map(|before| *before == here).collect();
            if seen.insert((element, chosen_before)) {
                machine.bind(local, Slot::Position(Box::new(here.clone())));
                self.chosen.push(here);
                let result = self.inside(machine, rest);
                self.chosen.pop();
                result?;
            }
        }
        Ok(())
    }

    fn instance(
        &mut self,
        machine: &mut Machine<'a>,
        bound: Result<(), EvalStop>,
    ) -> Result<(), EvalStop> {
        run::poll();
        (self.visit)(machine, bound)
    }
}

impl Machine<'_> {
    /// The values of the parameters and of the chosen elements that are bound, outermost first.
    pub(super) fn arguments(&mut self, scope: &[Scope]) -> Result<Vec<Value>, EvalStop> {
        let mut arguments = Vec::new();
        for part in scope {
            match part {
                Scope::Parameter { local, .. } => arguments.push(self.bound(*local).clone()),
                Scope::Choose { local, multiset } => {
                    let reference = self.resolve(multiset)?;
                    let position = self.position(*local, &reference, multiset.span)?;
                    let element = self.elements(&reference, multiset.span)?[position].clone();
                    arguments.push(element.expect("nothing has been removed before the step"));
                }
                Scope::Alias { .. } => {}
            }
        }
        Ok(arguments)
    }
}
