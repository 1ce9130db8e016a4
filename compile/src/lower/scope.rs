//! Lowers scopes: the parameters, chosen elements and aliases around rules, properties and start states.

use super::once::{self, GuardScope, bound_by, mentioned};
use super::place::Element;
use super::types::{values_of_parameter, values_of_type};
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::width;
use crate::form::{Cells, Level, Place, Register, Scope, Statement, Value, Values};
use model::checked::{self, Expression, ExpressionKind, ParameterDomain};
use model::types::{Type, TypeId};

/// A scope whose constructs are bound.
struct BoundScope {
    /// The levels, with the conditions so far.
    form: Scope,
    /// How many levels are bound when the first k constructs of the model's scope are.
    depths: Vec<usize>,
    /// The first construct before which no condition may be evaluated, because binding it, or one
    /// before it, may trap.
    earliest: usize,
    /// Elements that are chosen, with the number of levels that are bound then.
    chosen: Vec<(usize, Element)>,
    /// The cells of parameters and chosen elements, outermost first: the arguments of an event.
    arguments: Vec<Place>,
}

impl BoundScope {
    /// Adds a condition to be evaluated when the first k constructs are bound.
    fn push(&mut self, k: usize, condition: Value, value: bool) {
        self.form.conditions[self.depths[k]].push((condition, value));
    }

    /// Of equal elements one is chosen. This comes after the guard, which is false for most of them.
    fn finish(self) -> Scope {
        let BoundScope { mut form, chosen, .. } = self;
        for (k, (depth, element)) in chosen.iter().enumerate() {
            let outer = chosen[..k].iter().map(|(_, outer)| outer);
            if element.bag.capacity > 1 {
                form.conditions[*depth].push((element.is_repeated(outer), true));
            }
        }
        form
    }
}

impl<'m> Lowering<'m> {
    /// Lowers the scope of a rule, with the conjuncts of its guard at the levels where they are
    /// evaluated, and the arguments of its event.
    pub(super) fn scope(
        &mut self,
        scope: &'m [checked::Scope],
        guard: Option<&'m Expression>,
    ) -> Lowered<(Scope, Vec<Place>)> {
        let mut bound = self.levels(scope)?;
        for (level, conjunct) in conjuncts(scope, guard, bound.earliest) {
            self.around = Some(GuardScope { scope, level, kept: Vec::new() });
            let condition = self.simple(conjunct)?;
            bound.push(level, condition, false);
            for (level, register) in self.around.take().into_iter().flat_map(|around| around.kept) {
                bound.form.kept[bound.depths[level]].push(register);
            }
        }
        let arguments = std::mem::take(&mut bound.arguments);
        Ok((bound.finish(), arguments))
    }

    /// Lowers the scope of a property, and the conditions that decide it early.
    pub(super) fn scope_of_property(
        &mut self,
        scope: &'m [checked::Scope],
        condition: &'m Expression,
    ) -> Lowered<Scope> {
        let mut bound = self.levels(scope)?;
        for level in 0..=scope.len() {
            for one in once::deciders_around(scope, level, condition, self.locals) {
                bound.push(level, self.simple(one.condition)?, one.value);
            }
        }
        Ok(bound.finish())
    }

    fn levels(&mut self, scope: &'m [checked::Scope]) -> Lowered<BoundScope> {
        let (mut levels, mut depths) = (Vec::new(), vec![0]);
        let (mut chosen, mut arguments, mut earliest) = (Vec::new(), Vec::new(), 0);
        for (k, one) in scope.iter().enumerate() {
            let (mut level, mut element) = (None, None);
            match one {
                checked::Scope::Parameter { local, domain } => {
                    let (register, values) = self.parameter(*local, domain)?;
                    level = Some(Level::Parameter(register, values));
                    arguments.push(Place::Register(register));
                }
                checked::Scope::Alias { local, target } => self.bind_alias(*local, target)?,
                checked::Scope::Choose { local, multiset } => {
                    let bag = self.bag(multiset)?;
                    let bound = self.bind_element(*local, bag, true);
                    level = Some(Level::Parameter(bound.slot, bound.bag.numbers()));
                    let cell = |k| Place::Cells(bound.slot().after(k));
                    arguments.extend((1..bound.bag.stride).map(cell));
                    element = Some(bound);
                }
            }
            if !self.out.is_empty() {
                // These may trap, and they do so before the guard is evaluated.
                earliest = k + 1;
                levels.push(Level::Let(std::mem::take(&mut self.out)));
            }
            levels.extend(level);
            if let Some(element) = element {
                // No element follows the first slot without one.
                let stop = vec![Statement::Return];
                levels.push(Level::Let(vec![Statement::If(element.is_present(), vec![], stop)]));
                chosen.push((levels.len(), element));
            }
            depths.push(levels.len());
        }
        let (kept, conditions) =
            (vec![Vec::new(); levels.len() + 1], vec![Vec::new(); levels.len() + 1]);
        let form = Scope { levels, kept, conditions };
        Ok(BoundScope { form, depths, earliest, chosen, arguments })
    }

    /// Binds a simple parameter to a register.
    fn parameter(
        &mut self,
        local: checked::LocalId,
        domain: &ParameterDomain,
    ) -> Lowered<(Register, Values)> {
        let values = values_of_parameter(&self.model.types, domain)?;
        let register = self.register(values.range());
        self.bind(local, Binding::Value(Value::Register(register)));
        Ok((register, values))
    }

    /// Lowers the scope of a start state: what is enumerated. Aliases are bound by statements.
    pub(super) fn digits(&mut self, scope: &'m [checked::Scope]) -> Lowered<Vec<(Place, Values)>> {
        let mut digits = Vec::new();
        for one in scope {
            match one {
                checked::Scope::Parameter { local, domain: ParameterDomain::Type(of) }
                    if !self.model.types.is_simple(*of) =>
                {
                    let at = self.allocate(width(&self.model.types, *of));
                    self.digits_of(*of, &mut at.low.clone(), &mut digits)?;
                    self.bind(*local, Binding::Place(at.into()));
                }
                checked::Scope::Parameter { local, domain } => {
                    let (register, values) = self.parameter(*local, domain)?;
                    digits.push((Place::Register(register), values));
                }
                checked::Scope::Alias { local, target } => self.bind_alias(*local, target)?,
                checked::Scope::Choose { .. } => {
                    return Err(Unsupported("an element chosen before there is a state"));
                }
            }
        }
        Ok(digits)
    }

    /// The cells of a value that is enumerated, in order.
    fn digits_of(
        &self,
        of: TypeId,
        next: &mut usize,
        digits: &mut Vec<(Place, Values)>,
    ) -> Lowered<()> {
        let types = &self.model.types;
        match types.get(of) {
            &Type::Array { index, element } => {
                (0..types.size(index)).try_for_each(|_| self.digits_of(element, next, digits))
            }
            Type::Record(fields) => {
                fields.iter().try_for_each(|&(_, of)| self.digits_of(of, next, digits))
            }
            Type::Queue { .. } | Type::Set(_) | Type::Multiset { .. } => {
                Err(Unsupported("an enumeration of multisets, queues or sets"))
            }
            _ => {
                digits.push((Place::Cells(Cells::frame(*next)), values_of_type(types, of)?));
                *next += 1;
                Ok(())
            }
        }
    }
}

/// The conjuncts of a guard, from left to right, each with the number of levels that are bound when
/// it is evaluated: as few as it needs, but not fewer than `earliest`, and not fewer than any
/// conjunct to the left of it.
fn conjuncts<'e>(
    scope: &[checked::Scope],
    guard: Option<&'e Expression>,
    earliest: usize,
) -> Vec<(usize, &'e Expression)> {
    let mut found = Vec::new();
    if let Some(guard) = guard {
        split(guard, &mut found);
    }
    let mut level = earliest;
    let place = |conjunct| {
        let needed = mentioned(conjunct).into_iter().filter_map(|id| bound_by(scope, id));
        level = needed.fold(level, usize::max);
        (level, conjunct)
    };
    found.into_iter().map(place).collect()
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
