//! Avoids repeated evaluation.
//!
//! *Quantifiers.* In `forall d do st[c] = K & st[d] = K -> c = d end`, `st[c] = K` has the same
//! value for all d, and where it is false, every instance is true and the loop is superfluous. Such
//! a condition is a [`Decider`]. It is evaluated before the loop, and its value is used only if it
//! decides. Nothing that an instance evaluates before the decider may fail, so that no failure is
//! lost; if the decider fails, the interpreter finds out whether the quantifier does.
//!
//! *Guards.* In `st[c] = R & forall d do st[d] != K end`, the second conjunct has the same value
//! for all c, but must not be evaluated before the first. So it is evaluated when it is first
//! reached, and its value is kept until a local that it depends on changes: see [`GuardScope`].

use crate::form::Register;
use hashbrown::HashSet;
use model::checked::{
    Expression, ExpressionKind, Local, LocalId, LocalKind, Root, Scope, Selector,
};
use model::walk;

/// A condition that has the same value in all instances of a quantifier, and decides all of them if
/// it has a certain value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Decider<'e> {
    pub(super) condition: &'e Expression,
    /// If the condition has this value ...
    pub(super) value: bool,
    /// ... then every instance has this one.
    pub(super) outcome: bool,
}

/// The deciders of a property when `level` levels around it are bound: if one has its value, the
/// property is true for all values of the remaining levels. There are none if a remaining level may
/// fail or may have no values.
pub(super) fn deciders_around<'e>(
    scope: &[Scope],
    level: usize,
    condition: &'e Expression,
    locals: &[Local],
) -> Vec<Decider<'e>> {
    let binder = |one: &Scope| match one {
        Scope::Parameter { local, .. } => Some(*local),
        Scope::Choose { .. } | Scope::Alias { .. } => None,
    };
    let Some(binders) = scope[level..].iter().map(binder).collect::<Option<Vec<LocalId>>>() else {
        return Vec::new();
    };
    if binders.is_empty() {
        return Vec::new();
    }
    let mut found = deciders(&binders, condition, locals);
    // Deciders that need fewer levels are evaluated further out.
    let needs = |one: &Decider<'_>| {
        mentioned(one.condition).into_iter().filter_map(|id| bound_by(scope, id)).max()
    };
    found.retain(|one| one.outcome && needs(one).unwrap_or(0) == level);
    found
}

/// The deciders if these variables are bound next, from left to right. None has a loop.
pub(super) fn deciders<'e>(
    binders: &[LocalId],
    body: &'e Expression,
    locals: &[Local],
) -> Vec<Decider<'e>> {
    let mut conditions = Vec::new();
    independent_of(binders, body, &mut conditions);
    let decides = |condition: &'e Expression| {
        let decides = move |value: bool| match known(body, condition, value, locals) {
            ConditionFact::Value(outcome) => Some(Decider { condition, value, outcome }),
            ConditionFact::Harmless | ConditionFact::Nothing => None,
        };
        [false, true].into_iter().filter_map(decides)
    };
    conditions.into_iter().flat_map(decides).collect()
}

/// The largest parts of a condition, reached through connectives alone, that do not depend on some
/// variables and are evaluated without loops and calls.
fn independent_of<'e>(
    binders: &[LocalId],
    condition: &'e Expression,
    found: &mut Vec<&'e Expression>,
) {
    if is_small(condition) && mentioned(condition).is_disjoint(&binders.iter().copied().collect()) {
        found.push(condition);
        return;
    }
    match &condition.kind {
        ExpressionKind::Not(a) => independent_of(binders, a, found),
        ExpressionKind::And(a, b) | ExpressionKind::Or(a, b) | ExpressionKind::Implies(a, b) => {
            independent_of(binders, a, found);
            independent_of(binders, b, found);
        }
        _ => {}
    }
}

/// Whether an expression contains no loop and no call.
fn is_small(expression: &Expression) -> bool {
    let mut is_small = true;
    walk::expressions(expression, &mut |part| is_small &= !is_large(part));
    is_small
}

/// Whether an expression is a loop or a call.
fn is_large(expression: &Expression) -> bool {
    matches!(
        expression.kind,
        ExpressionKind::Quantified { .. }
            | ExpressionKind::Sum { .. }
            | ExpressionKind::MultisetCount { .. }
            | ExpressionKind::InQueue(..)
            | ExpressionKind::Size(_)
            | ExpressionKind::Subset(..)
            | ExpressionKind::Call { .. }
    )
}

/// Knowledge about a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConditionFact {
    /// It has this value and is evaluated without a failure.
    Value(bool),
    /// It is evaluated without a failure, and without loops and calls.
    Harmless,
    Nothing,
}

/// Derives what is known about a condition if a part of it has this value.
fn known(
    condition: &Expression,
    part: &Expression,
    value: bool,
    locals: &[Local],
) -> ConditionFact {
    let inside = |inner: &Expression| known(inner, part, value, locals);
    if std::ptr::eq(condition, part) {
        return ConditionFact::Value(value);
    }
    match &condition.kind {
        ExpressionKind::Not(a) => match inside(a) {
            ConditionFact::Value(value) => ConditionFact::Value(!value),
            other => other,
        },
        // The second operand is evaluated if the first has the third argument's value; otherwise
        // the result is the fourth argument.
        ExpressionKind::And(a, b) => then(inside(a), inside(b), true, false),
        ExpressionKind::Or(a, b) => then(inside(a), inside(b), false, true),
        ExpressionKind::Implies(a, b) => then(inside(a), inside(b), true, true),
        _ if is_harmless(condition, locals) => ConditionFact::Harmless,
        _ => ConditionFact::Nothing,
    }
}

/// Combines two conditions, the second of which is evaluated if the first has the value `so`;
/// otherwise the value of the whole is `otherwise`.
fn then(first: ConditionFact, second: ConditionFact, so: bool, otherwise: bool) -> ConditionFact {
    match (first, second) {
        (ConditionFact::Value(value), _) if value != so => ConditionFact::Value(otherwise),
        (ConditionFact::Value(_), second) => second,
        // The result is the same whether the second is evaluated or not.
        (ConditionFact::Harmless, ConditionFact::Value(value)) if value == otherwise => {
            ConditionFact::Value(otherwise)
        }
        (ConditionFact::Harmless, ConditionFact::Value(_) | ConditionFact::Harmless) => {
            ConditionFact::Harmless
        }
        _ => ConditionFact::Nothing,
    }
}

/// Whether a condition reads or compares only operands that are always defined: bound variables and
/// constants.
fn is_harmless(condition: &Expression, locals: &[Local]) -> bool {
    let is_bound = |e: &Expression| match &e.kind {
        ExpressionKind::Constant(_) => true,
        ExpressionKind::Read(place) => {
            place.selectors.is_empty()
                && matches!(place.root, Root::Local(id) if locals[id.0 as usize].kind == LocalKind::Bound)
        }
        _ => false,
    };
    match &condition.kind {
        ExpressionKind::Equal(a, b)
        | ExpressionKind::NotEqual(a, b)
        | ExpressionKind::Compare(_, a, b) => is_bound(a) && is_bound(b),
        _ => is_bound(condition),
    }
}

/// The locals that an expression mentions, except for those that it binds itself.
pub(super) fn mentioned(expression: &Expression) -> HashSet<LocalId> {
    let (mut found, mut bound) = (HashSet::new(), HashSet::new());
    walk::expressions(expression, &mut |e| {
        match &e.kind {
            ExpressionKind::Quantified { binder, .. } | ExpressionKind::Sum { binder, .. } => {
                bound.insert(binder.local);
            }
            ExpressionKind::MultisetCount { local, .. } => {
                bound.insert(*local);
            }
            _ => {}
        }
        walk::places(e, &mut |place| {
            found.extend(place.selectors.iter().filter_map(|one| match one {
                Selector::Chosen(id) => Some(*id),
                Selector::Field(_)
                | Selector::Element(_)
                | Selector::Position(_)
                | Selector::Last => None,
            }));
            if let Root::Local(id) = place.root {
                found.insert(id);
            }
        });
    });
    // No two locals share a slot.
    found.retain(|id| !bound.contains(id));
    found
}

/// The number of levels of a scope that are bound once a local is; `None` if the scope does not
/// bind it.
pub(super) fn bound_by(scope: &[Scope], id: LocalId) -> Option<usize> {
    let binds = |one: &Scope| match one {
        Scope::Parameter { local, .. }
        | Scope::Alias { local, .. }
        | Scope::Choose { local, .. } => *local == id,
    };
    scope.iter().position(binds).map(|at| at + 1)
}

/// The scope around a conjunct of a guard while the conjunct is compiled.
pub(super) struct GuardScope<'e> {
    pub(super) scope: &'e [Scope],
    /// The number of levels that are bound when the conjunct is evaluated.
    pub(super) level: usize,
    /// The registers of values that are kept until one of the first k levels is bound anew, with k.
    pub(super) kept: Vec<(usize, Register)>,
}

impl GuardScope<'_> {
    /// The number of outer levels that an expression depends on, if its value is kept while these
    /// stay bound; `None` if it is evaluated every time.
    pub(super) fn keeps(&self, expression: &Expression) -> Option<usize> {
        if !is_large(expression) {
            return None;
        }
        let levels: Option<Vec<usize>> =
            mentioned(expression).into_iter().map(|id| bound_by(self.scope, id)).collect();
        let needed = levels?.into_iter().max().unwrap_or(0);
        let repeats = |one: &Scope| !matches!(one, Scope::Alias { .. });
        self.scope[needed..self.level.max(needed)].iter().any(repeats).then_some(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::check;

    /// A condition, its value, and the outcome.
    type Expected = (&'static str, bool, bool);

    /// Quantifiers and their deciders.
    const TABLE: [(&str, &[Expected]); 14] = [
        ("forall j: p do a[i] & a[j] -> i = j end", &[("a[i]", false, true)]),
        ("exists j: p do i != j & a[i] & a[j] end", &[("a[i]", false, false)]),
        ("forall j: p do i = j | a[i] | a[j] end", &[("a[i]", true, true)]),
        ("forall j: p do i != j -> !(a[i] & a[j]) end", &[("a[i]", false, true)]),
        ("forall j: p do a[i] & b[i] -> a[j] end", &[("a[i] & b[i]", false, true)]),
        ("forall j: p do a[i] end", &[("a[i]", false, false), ("a[i]", true, true)]),
        ("forall j: p do a[i] -> (a[j] -> b[i]) end", &[("a[i]", false, true)]),
        // An operand before the condition may fail.
        ("forall j: p do a[j] & a[i] -> i = j end", &[]),
        ("exists j: p do a[j] | a[i] end", &[]),
        // An alias may fail, too.
        ("exists j: p do c & (a[i] & a[j]) end", &[("c", false, false)]),
        ("exists j: p do (c = true) & (a[i] & a[j]) end", &[("c = true", false, false)]),
        // Neither value decides.
        ("forall j: p do (i = j -> a[i]) & a[j] end", &[]),
        // A condition with a loop is no decider.
        ("exists j: p do (exists k: p do a[k] end) & a[j] end", &[]),
        ("forall j: p do forall k: p do a[j] -> a[k] end end", &[]),
    ];

    #[test]
    fn deciders_decide() {
        for (condition, expected) in TABLE {
            let text = format!(
                "type p: scalarset(3); var a, b: array [p] of boolean; startstate end
                 rule \"go\" true ==> end
                 ruleset i: p do alias c: b[i] do invariant {condition}; end end"
            );
            let model = check(&text, &[]).expect("it is a model");
            let property = &model.properties[0];
            let quantified = property.condition.as_ref().expect("it has one");
            let ExpressionKind::Quantified { binder, body, .. } = &quantified.kind else {
                panic!("{condition} is a quantifier")
            };
            let found = deciders(&[binder.local], body, &property.locals);
            let of = |one: &Decider<'_>| &text[one.condition.span.start..one.condition.span.end];
            let found: Vec<_> = found.iter().map(|one| (of(one), one.value, one.outcome)).collect();
            assert_eq!(found, expected, "{condition}");
        }
    }
}
