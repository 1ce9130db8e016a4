//! Walks over the parts of expressions and statements.

use super::checked::{
    Argument, Domain, Expression, ExpressionKind, Place, Selector, Statement, StatementKind,
};

/// Visits an expression and all expressions inside, outermost first, from left to right.
pub fn expressions<'e>(expression: &'e Expression, visit: &mut dyn FnMut(&'e Expression)) {
    visit(expression);
    parts(expression, &mut |part| expressions(part, visit));
}

/// Visits the expressions directly inside an expression, including the selectors of its places.
pub fn parts<'e>(expression: &'e Expression, visit: &mut dyn FnMut(&'e Expression)) {
    match &expression.kind {
        ExpressionKind::Constant(_) => {}
        ExpressionKind::Read(place)
        | ExpressionKind::Peek(place)
        | ExpressionKind::Length(place)
        | ExpressionKind::IsUndefined(place) => indices(place, visit),
        ExpressionKind::InQueue(element, queue) => {
            visit(element);
            indices(queue, visit);
        }
        ExpressionKind::Not(e)
        | ExpressionKind::Negate(e)
        | ExpressionKind::BitwiseNot(e)
        | ExpressionKind::IsMember(e, _)
        | ExpressionKind::Size(e)
        | ExpressionKind::Next(e)
        | ExpressionKind::Previous(e) => visit(e),
        ExpressionKind::Arithmetic(_, a, b)
        | ExpressionKind::Compare(_, a, b)
        | ExpressionKind::Equal(a, b)
        | ExpressionKind::NotEqual(a, b)
        | ExpressionKind::And(a, b)
        | ExpressionKind::Or(a, b)
        | ExpressionKind::Implies(a, b)
        | ExpressionKind::SetOperation(_, a, b)
        | ExpressionKind::InSet(a, b)
        | ExpressionKind::Subset(a, b)
        | ExpressionKind::Adjacent(a, b) => {
            visit(a);
            visit(b);
        }
        ExpressionKind::Conditional(c, a, b) => {
            visit(c);
            visit(a);
            visit(b);
        }
        ExpressionKind::Quantified { binder, body, .. } | ExpressionKind::Sum { binder, body } => {
            bounds(&binder.domain, visit);
            visit(body);
        }
        ExpressionKind::Parts(all) => all.iter().flatten().for_each(visit),
        ExpressionKind::SetOf(all) => all.iter().for_each(visit),
        ExpressionKind::Call { arguments, .. } => inside_arguments(arguments, visit),
        ExpressionKind::MultisetCount { multiset, condition, .. } => {
            indices(multiset, visit);
            visit(condition);
        }
    }
}

/// Visits the places directly in an expression: those that it reads, queries or passes by
/// reference.
pub fn places<'e>(expression: &'e Expression, visit: &mut dyn FnMut(&'e Place)) {
    match &expression.kind {
        ExpressionKind::Read(place)
        | ExpressionKind::Peek(place)
        | ExpressionKind::Length(place)
        | ExpressionKind::InQueue(_, place)
        | ExpressionKind::IsUndefined(place)
        | ExpressionKind::MultisetCount { multiset: place, .. } => visit(place),
        ExpressionKind::Call { arguments, .. } => {
            for argument in arguments {
                if let Argument::Reference(place) = argument {
                    visit(place);
                }
            }
        }
        _ => {}
    }
}

/// Visits the indices in a place.
pub fn indices<'e>(place: &'e Place, visit: &mut dyn FnMut(&'e Expression)) {
    for selector in &place.selectors {
        if let Selector::Element(index) | Selector::Position(index) = selector {
            visit(index);
        }
    }
}

fn bounds<'e>(domain: &'e Domain, visit: &mut dyn FnMut(&'e Expression)) {
    if let Domain::Steps { from, to, by } = domain {
        visit(from);
        visit(to);
        if let Some(by) = by {
            visit(by);
        }
    }
}

fn inside_arguments<'e>(arguments: &'e [Argument], visit: &mut dyn FnMut(&'e Expression)) {
    for argument in arguments {
        match argument {
            Argument::Reference(place) => indices(place, visit),
            Argument::Value(value) => visit(value),
        }
    }
}

/// Visits all expressions of a statement, at any depth, but not those of the statements inside it.
pub fn own_expressions<'e>(statement: &'e Statement, visit: &mut dyn FnMut(&'e Expression)) {
    let mut deep = |e: &'e Expression| expressions(e, visit);
    match &statement.kind {
        StatementKind::Assign { target, value }
        | StatementKind::Accumulate { target, value, .. } => {
            indices(target, &mut deep);
            deep(value);
        }
        StatementKind::Clear(place) | StatementKind::Undefine(place) => indices(place, &mut deep),
        StatementKind::If { branches, .. } => {
            for (condition, _) in branches {
                deep(condition);
            }
        }
        StatementKind::Switch { subject, cases, .. } => {
            deep(subject);
            cases.iter().flat_map(|(values, _)| values).for_each(deep);
        }
        StatementKind::For { binder, .. } => bounds(&binder.domain, &mut deep),
        StatementKind::While { condition, .. } | StatementKind::Property { condition, .. } => {
            deep(condition);
        }
        StatementKind::Alias { target, .. } => deep(target),
        StatementKind::Return(value) => value.iter().for_each(deep),
        StatementKind::Error(_) | StatementKind::PutText(_) => {}
        StatementKind::Put(value) => deep(value),
        StatementKind::Call { arguments, .. } => inside_arguments(arguments, &mut deep),
        StatementKind::Push { queue: into, element, .. }
        | StatementKind::Member { set: into, element, .. }
        | StatementKind::MultisetAdd { element, multiset: into } => {
            deep(element);
            indices(into, &mut deep);
        }
        StatementKind::Pop(queue) => indices(queue, &mut deep),
        StatementKind::Each { multiset, .. } | StatementKind::MultisetRemove { multiset, .. } => {
            indices(multiset, &mut deep);
        }
        StatementKind::MultisetRemoveWhere { multiset, condition, .. } => {
            indices(multiset, &mut deep);
            deep(condition);
        }
    }
}

/// Visits the statements directly inside a statement.
pub fn substatements<'s>(statement: &'s Statement, visit: &mut dyn FnMut(&'s Statement)) {
    match &statement.kind {
        StatementKind::If { branches, otherwise } => {
            branches.iter().flat_map(|(_, body)| body).chain(otherwise).for_each(visit);
        }
        StatementKind::Switch { cases, otherwise, .. } => {
            cases.iter().flat_map(|(_, body)| body).chain(otherwise).for_each(visit);
        }
        StatementKind::For { body, .. }
        | StatementKind::Each { body, .. }
        | StatementKind::While { body, .. }
        | StatementKind::Alias { body, .. } => body.iter().for_each(visit),
        _ => {}
    }
}
