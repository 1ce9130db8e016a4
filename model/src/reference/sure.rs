//! Guards that cannot fail.
//!
//! A state in which a guard fails has no steps at all, so that the guards of all rules must be evaluated
//! to know one step; and where guards quantify over all processes, that takes longer than everything
//! else. But a guard that only compares values of variables, at indices that are always inside of their
//! arrays, and quantifies over types, fails only if a value that it reads is undefined. So where all of
//! these are defined, the guard need not be evaluated to know that it does not fail.

use crate::checked::{
    Domain, Expression, ExpressionKind, Local, LocalId, LocalKind, Model, ParameterDomain, Place,
    Root, Rule, Scope, Selector, VariableId,
};
use crate::interpret::State;
use crate::types::Type;
use crate::value::Value;
use std::collections::BTreeSet;

/// The greatest depth of expressions here: far less than the interpreter allows.
const DEEPEST: u32 = 50;

/// The variables that the guards of a model's rules read, if they cannot fail otherwise.
#[derive(Debug)]
pub(super) struct SureGuards {
    /// By rule: the variables; none if its guard may fail in other ways.
    reads: Vec<Option<BTreeSet<u32>>>,
}

impl SureGuards {
    pub(super) fn new(model: &Model) -> SureGuards {
        SureGuards { reads: model.rules.iter().map(|rule| reads(model, rule)).collect() }
    }

    /// By rule: whether its guard fails for no values of its parameters.
    pub(super) fn of(&self, state: &State) -> Vec<bool> {
        let is_defined: Vec<bool> = state.0.iter().map(is_defined).collect();
        let is_sure = |reads: &Option<BTreeSet<u32>>| {
            reads.as_ref().is_some_and(|reads| reads.iter().all(|&id| is_defined[id as usize]))
        };
        self.reads.iter().map(is_sure).collect()
    }
}

fn is_defined(value: &Value) -> bool {
    match value {
        Value::Undefined => false,
        Value::Scalar(_) | Value::Set(_) => true,
        Value::Parts(parts) | Value::Queue(parts) => parts.iter().all(is_defined),
        Value::Multiset(elements) => elements.iter().flatten().all(is_defined),
    }
}

/// The variables that a guard reads; none if it may fail for another reason than that one of them is
/// undefined.
fn reads(model: &Model, rule: &Rule) -> Option<BTreeSet<u32>> {
    let is_value =
        |one: &Scope| matches!(one, Scope::Parameter { domain: ParameterDomain::Type(_), .. });
    let mut guard = Guard { model, locals: &rule.locals, reads: BTreeSet::new() };
    let is_sure = rule.scope.iter().all(is_value)
        && rule.guard.as_ref().is_none_or(|condition| guard.is_sure(condition, DEEPEST));
    is_sure.then_some(guard.reads)
}

struct Guard<'m> {
    model: &'m Model,
    locals: &'m [Local],
    reads: BTreeSet<u32>,
}

impl Guard<'_> {
    /// Whether an evaluation of an expression fails only if a variable that it reads is undefined.
    fn is_sure(&mut self, expression: &Expression, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if !self.model.types.is_simple(expression.of) {
            return false;
        }
        match &expression.kind {
            ExpressionKind::Constant(_) => true,
            ExpressionKind::Read(place) => self.is_sure_place(place).is_some(),
            ExpressionKind::Not(a) => self.is_sure(a, depth),
            ExpressionKind::And(a, b)
            | ExpressionKind::Or(a, b)
            | ExpressionKind::Implies(a, b)
            | ExpressionKind::Equal(a, b)
            | ExpressionKind::NotEqual(a, b)
            | ExpressionKind::Compare(_, a, b) => self.is_sure(a, depth) && self.is_sure(b, depth),
            ExpressionKind::Quantified { binder, body, .. } => {
                matches!(binder.domain, Domain::Type(_)) && self.is_sure(body, depth)
            }
            _ => false,
        }
    }

    /// The same for a place: a bound variable, or a part of a global one at indices that are bound
    /// variables of exactly the types that it is indexed by.
    fn is_sure_place(&mut self, place: &Place) -> Option<()> {
        let mut of = match place.root {
            Root::Local(id) => {
                return (place.selectors.is_empty() && self.is_bound(id)).then_some(());
            }
            Root::Global(VariableId(id)) => {
                self.reads.insert(id);
                self.model.variables[id as usize].of
            }
        };
        for selector in &place.selectors {
            of = match (selector, self.model.types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => fields.get(*k as usize)?.1,
                (Selector::Element(index), Type::Array { index: wanted, element }) => {
                    let ExpressionKind::Read(inner) = &index.kind else { return None };
                    let Root::Local(id) = inner.root else { return None };
                    let is_inside = inner.selectors.is_empty()
                        && self.is_bound(id)
                        && self.locals[id.0 as usize].of == *wanted;
                    is_inside.then_some(*element)?
                }
                _ => return None,
            };
        }
        Some(())
    }

    fn is_bound(&self, id: LocalId) -> bool {
        self.locals[id.0 as usize].kind == LocalKind::Bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::interpret::Interpreter;

    /// A guard of a rule of i, of p, and whether it cannot fail: if a is defined, and if not. b never is.
    const TABLE: [(&str, bool, bool); 10] = [
        ("true", true, true),
        ("a[i]", true, false),
        ("a[i] & exists j: p do i != j & a[j] end", true, false),
        ("exists j: p; k: p do j = k end", true, true),
        ("b", false, false),
        ("x = 1 | b", false, false),
        ("a[i] & x + 1 = 2", false, false),
        ("x < 2 -> c[x]", false, false),
        ("forall j := 0 to x do j = x end", false, false),
        ("f(i)", false, false),
    ];

    #[test]
    fn sure_guards_do_not_fail() {
        for (guard, defined, undefined) in TABLE {
            for (made, expected) in [("clear a", defined), ("undefine a", undefined)] {
                let text = format!(
                    "type p: scalarset(3);
                     var a: array [p] of boolean; b: boolean; c: array [0..1] of boolean; x: 0..2;
                     function f(i: p): boolean; begin return a[i]; end;
                     startstate x := 0; clear c; {made}; end
                     ruleset i: p do rule \"go\" {guard} ==> end end"
                );
                let model = check(&text, &[]).unwrap_or_else(|why| panic!("{guard}: {why:?}"));
                let interpreter = Interpreter::new(&model);
                let start = interpreter.starts().next().expect("there is one");
                let state = start.expect("nothing fails").state;
                assert_eq!(SureGuards::new(&model).of(&state), [expected], "{guard}, {made}");
                assert!(!expected || interpreter.instances(&state).is_ok(), "{guard}, {made}");
            }
        }
    }

    /// The scope of a rule, and its guard, which may fail; and whether it does where `who` and c[1] are
    /// undefined.
    const NOT_SURE: [(&str, &str, bool); 5] = [
        ("ruleset k: 0..2 do", "d[k]", true),
        ("ruleset k: 0..1 do", "c[k]", true),
        ("ruleset v: boolean do", "forall k: 0..1 do v & c[k] end", true),
        ("alias e: a[who] do", "true", true),
        ("choose e: m[who] do", "true", true),
    ];

    #[test]
    fn guards_that_may_fail_are_not_sure() {
        for (around, guard, fails) in NOT_SURE {
            let text = format!(
                "type p: scalarset(3);
                 var a: array [p] of boolean; c, d: array [0..1] of boolean; who: p;
                     m: array [p] of multiset [2] of boolean;
                 startstate clear a; clear d; c[0] := true; end
                 {around} rule \"go\" {guard} ==> end end"
            );
            let model = check(&text, &[]).unwrap_or_else(|why| panic!("{around} {guard}: {why:?}"));
            let interpreter = Interpreter::new(&model);
            let start = interpreter.starts().next().expect("there is one");
            let state = start.expect("nothing fails").state;
            assert_eq!(SureGuards::new(&model).of(&state), [false], "{around} {guard}");
            assert!(!fails || interpreter.instances(&state).is_err(), "{around} {guard}");
        }
    }
}
