//! Lowers scopes: the parameters, chosen elements and aliases around rules, properties and start states.

use super::once;
use super::place::Element;
use super::types::{values_of_parameter, values_of_type};
use super::{Binding, Lowered, Lowering, Unsupported};
use crate::cells::width;
use crate::form::walk::Part;
use crate::form::{Cells, Level, Loop, Place, Range, Register, Scope, Statement, Value, Values};
use model::checked::{self, Expression, ParameterDomain};
use model::types::{Type, TypeId};

/// A scope whose constructs are bound.
struct BoundScope {
    /// The levels, with the conditions so far.
    form: Scope,
    /// How many levels are bound when the first k constructs of the model's scope are.
    depths: Vec<usize>,
    /// The first register that is not bound then.
    registers: Vec<Register>,
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

    /// How many constructs must be bound for a value to be evaluated; `None` if it depends on what is
    /// bound further in.
    fn needed(&self, value: &mut Value) -> Option<usize> {
        let last = once::last_read(value);
        self.registers.iter().position(|&first| last.is_none_or(|last| last < first))
    }

    /// Whether values are bound between the first constructs and the first ones of more.
    fn repeats(&self, outer: usize, inner: usize) -> bool {
        let levels = &self.form.levels[self.depths[outer]..self.depths[inner]];
        levels.iter().any(|level| matches!(level, Level::Parameter(_)))
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
    /// Lowers the scope of a rule, with the conjuncts of its guard, and the arguments of its event. A
    /// conjunct is evaluated when as few constructs are bound as it needs, but not before any to the
    /// left of it.
    pub(super) fn scope_of_rule(
        &mut self,
        scope: &'m [checked::Scope],
        guard: Option<&'m Expression>,
    ) -> Lowered<(Scope, Vec<Place>)> {
        let mut bound = self.levels(scope)?;
        let mut rest = guard.map_or(Ok(Value::Constant(1)), |guard| self.simple(guard))?;
        let mut level = bound.earliest;
        while rest != Value::Constant(1) {
            let mut conjunct;
            (conjunct, rest) = match rest {
                Value::If(parts) if parts[2] == Value::Constant(0) => {
                    let [first, others, _] = *parts;
                    (first, others)
                }
                last => (last, Value::Constant(1)),
            };
            level = level.max(bound.needed(&mut conjunct).unwrap_or(scope.len()));
            self.keep(&mut conjunct, level, &mut bound);
            bound.push(level, conjunct, false);
        }
        let arguments = std::mem::take(&mut bound.arguments);
        Ok((bound.finish(), arguments))
    }

    /// Keeps the values of those parts of a conjunct that are large and do not depend on all that is
    /// bound when it is evaluated.
    fn keep(&mut self, conjunct: &mut Value, level: usize, bound: &mut BoundScope) {
        conjunct.walk(&mut |part| {
            let Part::Value(value) = part else { return true };
            let needed = once::is_large(value).then(|| bound.needed(value)).flatten();
            let Some(needed) = needed.filter(|&needed| bound.repeats(needed, level.max(needed)))
            else {
                return true;
            };
            let register = self.register(Range::ALL);
            bound.form.kept[bound.depths[needed]].push(register);
            let kept = std::mem::replace(value, Value::Constant(0));
            *value = Value::Once(register, Box::new(kept));
            false
        });
    }

    /// Lowers the scope of a property and its condition, without what decides the property when fewer
    /// constructs are bound.
    pub(super) fn scope_of_property(
        &mut self,
        scope: &'m [checked::Scope],
        condition: &'m Expression,
    ) -> Lowered<(Scope, Value)> {
        let mut bound = self.levels(scope)?;
        let mut condition = self.simple(condition)?;
        for k in 0..scope.len() {
            let inner = &bound.form.levels[bound.depths[k]..];
            if inner.iter().any(|level| matches!(level, Level::Let(_))) {
                // It may fail.
                continue;
            }
            while let Some([outer, yes, no]) = once::taken_out(&condition, bound.registers[k]) {
                // If it has this value, the property is true for all that is bound further in.
                let value = yes == Value::Constant(1);
                if !value && no != Value::Constant(1) {
                    break;
                }
                bound.push(k, outer, value);
                condition = if value { no } else { yes };
            }
        }
        Ok((bound.finish(), condition))
    }

    fn levels(&mut self, scope: &'m [checked::Scope]) -> Lowered<BoundScope> {
        let (mut levels, mut depths, mut registers) = (Vec::new(), vec![0], vec![self.next()]);
        let (mut chosen, mut arguments, mut earliest) = (Vec::new(), Vec::new(), 0);
        for (k, one) in scope.iter().enumerate() {
            let (mut level, mut element) = (None, None);
            match one {
                checked::Scope::Parameter { local, domain } => {
                    let over = self.parameter(*local, domain)?;
                    level = Some(Level::Parameter(over));
                    arguments.push(Place::Register(over.register));
                }
                checked::Scope::Alias { local, target } => self.bind_alias(*local, target)?,
                checked::Scope::Choose { local, multiset } => {
                    let bag = self.bag(multiset)?;
                    let bound = self.bind_element(*local, bag, true);
                    level = Some(Level::Parameter(bound.bag.slots(bound.slot)));
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
            registers.push(self.next());
        }
        let (kept, conditions) =
            (vec![Vec::new(); levels.len() + 1], vec![Vec::new(); levels.len() + 1]);
        let form = Scope { levels, kept, conditions };
        Ok(BoundScope { form, depths, registers, earliest, chosen, arguments })
    }

    /// Binds a simple parameter to a register.
    fn parameter(&mut self, local: checked::LocalId, domain: &ParameterDomain) -> Lowered<Loop> {
        let values = values_of_parameter(&self.model.types, domain)?;
        let register = self.register(values.range());
        self.bind(local, Binding::Value(Value::Register(register)));
        Ok(Loop { register, values })
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
                    self.digits_of(*of, &mut at.base.clone(), &mut digits)?;
                    self.bind(*local, Binding::Place(at.into()));
                }
                checked::Scope::Parameter { local, domain } => {
                    let Loop { register, values } = self.parameter(*local, domain)?;
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
                digits.push((Place::Cells(Cells::at(*next)), values_of_type(types, of)?));
                *next += 1;
                Ok(())
            }
        }
    }
}
