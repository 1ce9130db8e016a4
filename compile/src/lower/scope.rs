//! Lowers scopes: the parameters, chosen elements and aliases around rules, properties and start states.

use super::once::{self, GuardScope, bound_by};
use super::types::{values_of_parameter, values_of_type};
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::width;
use crate::form::{
    ArgumentForm, Digit, DigitAt, Element, Level, Register, Scope, Statement, Value,
};
use model::checked::{self, Expression, ExpressionKind, ParameterDomain, Root, Selector};
use model::types::{Type, TypeId};
use model::walk;

/// A scope whose constructs are bound.
struct BoundScope {
    levels: Vec<Level>,
    /// How many of them are bound when the first k constructs of the model's scope are.
    depths: Vec<usize>,
    /// The first construct before which no condition may be evaluated, because binding it, or one
    /// before it, may trap.
    earliest: usize,
}

impl<'m> Lowering<'m> {
    /// Lowers the scope of a rule, and the conjuncts of its guard at the levels where they are
    /// evaluated.
    pub(super) fn scope(
        &mut self,
        scope: &'m [checked::Scope],
        guard: Option<&'m Expression>,
    ) -> Lowered<Scope> {
        let BoundScope { levels, depths, earliest } = self.levels(scope)?;
        let mut conditions = by_level(&levels);
        let mut kept: Vec<Vec<Register>> = vec![Vec::new(); scope.len() + 1];
        for (level, conjunct) in conjuncts(scope, guard, earliest) {
            self.around = Some(GuardScope { scope, level, kept });
            let condition = self.simple(conjunct)?;
            conditions[depths[level]].push(condition);
            kept = self.around.take().map(|around| around.kept).unwrap_or_default();
        }
        let mut reset = by_level(&levels);
        for (level, registers) in kept.into_iter().enumerate() {
            reset[depths[level]].extend(registers);
        }
        let deciders = by_level(&levels);
        Ok(Scope { levels, conditions, kept: reset, deciders })
    }

    /// Lowers the scope of a property, and the conditions that decide it early.
    pub(super) fn scope_of_property(
        &mut self,
        scope: &'m [checked::Scope],
        condition: &'m Expression,
    ) -> Lowered<Scope> {
        let BoundScope { levels, depths, .. } = self.levels(scope)?;
        let (conditions, kept) = (by_level(&levels), by_level(&levels));
        let mut deciders = by_level(&levels);
        for level in 0..=scope.len() {
            for one in once::deciders_around(scope, level, condition, self.locals) {
                deciders[depths[level]].push((self.simple(one.condition)?, one.value));
            }
        }
        Ok(Scope { levels, conditions, kept, deciders })
    }

    fn levels(&mut self, scope: &'m [checked::Scope]) -> Lowered<BoundScope> {
        let (mut levels, mut depths) = (Vec::new(), vec![0]);
        let mut earliest = 0;
        for (k, one) in scope.iter().enumerate() {
            let mut before = Vec::new();
            let level = match one {
                checked::Scope::Parameter { local, domain } => {
                    let values = values_of_parameter(&self.model.types, domain)?;
                    let register = self.register(values.range());
                    self.bind(*local, Binding::Value(Value::Register(register)));
                    Some(Level::Parameter(register, values))
                }
                checked::Scope::Alias { local, target } => {
                    self.bind_alias(*local, target, &mut before)?;
                    None
                }
                checked::Scope::Choose { local, multiset } => {
                    let bag = self.bag(multiset, &mut before)?;
                    let slot = self.bind_element(*local, &bag, true);
                    let outer = levels.iter().filter_map(|level| match level {
                        Level::Choose { bag, slot, .. } => Some((bag.clone(), *slot)),
                        Level::Parameter(..) | Level::Let(_) => None,
                    });
                    let outer = outer.collect();
                    Some(Level::Choose { bag, slot, outer })
                }
            };
            if !before.is_empty() {
                // These may trap, and they do so before the guard is evaluated.
                earliest = k + 1;
                levels.push(Level::Let(before));
            }
            levels.extend(level);
            depths.push(levels.len());
        }
        Ok(BoundScope { levels, depths, earliest })
    }

    /// The arguments of the event of a rule with this scope.
    pub(super) fn arguments(&self, scope: &[checked::Scope]) -> Vec<ArgumentForm> {
        let argument = |one: &checked::Scope| match one {
            checked::Scope::Parameter { local, .. } | checked::Scope::Choose { local, .. } => {
                match &self.bindings[local.0 as usize] {
                    Binding::Value(Value::Register(register)) => {
                        Some(ArgumentForm::Register(*register))
                    }
                    Binding::Chosen(Element { bag, slot, .. }) => {
                        Some(ArgumentForm::Element(bag.clone(), *slot))
                    }
                    _ => unreachable!("parameters and elements are bound to registers"),
                }
            }
            checked::Scope::Alias { .. } => None,
        };
        scope.iter().filter_map(argument).collect()
    }

    /// Lowers the scope of a start state: what is enumerated, and statements that bind aliases.
    pub(super) fn digits(
        &mut self,
        scope: &'m [checked::Scope],
    ) -> Lowered<(Vec<Digit>, Vec<Statement>)> {
        let (mut digits, mut before) = (Vec::new(), Vec::new());
        for one in scope {
            match one {
                checked::Scope::Parameter { local, domain: ParameterDomain::Type(of) }
                    if !self.model.types.is_simple(*of) =>
                {
                    let at = self.allocate(width(&self.model.types, *of));
                    self.digits_of(*of, &mut at.low.clone(), &mut digits)?;
                    self.bind(*local, Binding::Place(at));
                }
                checked::Scope::Parameter { local, domain } => {
                    let values = values_of_parameter(&self.model.types, domain)?;
                    let register = self.register(values.range());
                    self.bind(*local, Binding::Value(Value::Register(register)));
                    digits.push(Digit { at: DigitAt::Register(register), values });
                }
                checked::Scope::Alias { local, target } => {
                    self.bind_alias(*local, target, &mut before)?;
                }
                checked::Scope::Choose { .. } => {
                    return Err(Unsupported("an element chosen before there is a state"));
                }
            }
        }
        Ok((digits, before))
    }

    /// The cells of a value that is enumerated, in order.
    fn digits_of(&self, of: TypeId, next: &mut usize, digits: &mut Vec<Digit>) -> Lowered<()> {
        let types = &self.model.types;
        match types.get(of) {
            &Type::Array { index, element } => {
                (0..types.size(index)).try_for_each(|_| self.digits_of(element, next, digits))
            }
            Type::Record(fields) => {
                fields.iter().try_for_each(|&(_, of)| self.digits_of(of, next, digits))
            }
            Type::Multiset { .. } => Err(Unsupported("an enumeration of multisets")),
            _ => {
                digits
                    .push(Digit { at: DigitAt::Frame(*next), values: values_of_type(types, of)? });
                *next += 1;
                Ok(())
            }
        }
    }
}

/// An empty list for each number of levels that may be bound.
fn by_level<T>(levels: &[Level]) -> Vec<Vec<T>> {
    (0..=levels.len()).map(|_| Vec::new()).collect()
}

/// The conjuncts of a guard, from left to right, each with the number of levels that are bound when
/// it is evaluated: as few as it needs, but not fewer than `earliest`, and not fewer than any
/// conjunct to the left of it.
fn conjuncts<'e>(
    scope: &[checked::Scope],
    guard: Option<&'e Expression>,
    earliest: usize,
) -> Vec<(usize, &'e Expression)> {
    let mut level = earliest;
    let mut found = Vec::new();
    if let Some(guard) = guard {
        split(guard, &mut found);
    }
    let mut placed = Vec::new();
    for conjunct in found {
        walk::expressions(conjunct, &mut |e| {
            walk::places(e, &mut |place| {
                let chosen = place.selectors.iter().filter_map(|one| match one {
                    Selector::Chosen(id) => Some(*id),
                    Selector::Field(_) | Selector::Element(_) => None,
                });
                let root = match place.root {
                    Root::Local(id) => Some(id),
                    Root::Global(_) => None,
                };
                for id in chosen.chain(root) {
                    level = level.max(bound_by(scope, id).unwrap_or(0));
                }
            });
        });
        placed.push((level, conjunct));
    }
    placed
}

/// The conjuncts of a condition, from left to right.
fn split<'e>(condition: &'e Expression, conjuncts: &mut Vec<&'e Expression>) {
    match &condition.kind {
        ExpressionKind::And(a, b) => {
            split(a, conjuncts);
            split(b, conjuncts);
        }
        _ => conjuncts.push(condition),
    }
}
