//! The direct parts of expressions and statements, for walks that look at all of them alike.

use super::super::checked::{
    Argument, Binder, Domain, Expression, ExpressionKind, FunctionId, Place, Selector, Statement,
    StatementKind,
};

/// The expressions directly inside one.
pub(super) fn operands(expression: &Expression) -> Vec<&Expression> {
    use ExpressionKind as E;
    match &expression.kind {
        E::Constant(_) => Vec::new(),
        E::Read(place) | E::IsUndefined(place) => subscripts(place).collect(),
        E::Not(a)
        | E::Negate(a)
        | E::BitwiseNot(a)
        | E::IsMember(a, _)
        | E::Next(a)
        | E::Previous(a) => vec![a],
        E::Arithmetic(_, a, b)
        | E::Compare(_, a, b)
        | E::Equal(a, b)
        | E::NotEqual(a, b)
        | E::And(a, b)
        | E::Or(a, b)
        | E::Implies(a, b)
        | E::Adjacent(a, b) => vec![a, b],
        E::Conditional(a, b, c) => vec![a, b, c],
        E::Quantified { binder, body, .. } => bounds(binder).chain([&**body]).collect(),
        E::Call { arguments, .. } => arguments.iter().flat_map(in_argument).collect(),
        E::MultisetCount { multiset, condition, .. } => {
            subscripts(multiset).chain([&**condition]).collect()
        }
    }
}

/// The expressions and the blocks directly inside a statement.
pub(super) fn parts(statement: &Statement) -> (Vec<&Expression>, Vec<&[Statement]>) {
    use StatementKind as S;
    match &statement.kind {
        S::Assign { target, value } | S::Accumulate { target, value, .. } => {
            (subscripts(target).chain([value]).collect(), Vec::new())
        }
        S::Clear(place) | S::Undefine(place) => (subscripts(place).collect(), Vec::new()),
        S::If { branches, otherwise } => (
            branches.iter().map(|(condition, _)| condition).collect(),
            branches.iter().map(|(_, block)| &block[..]).chain([&otherwise[..]]).collect(),
        ),
        S::Switch { subject, cases, otherwise } => (
            [subject].into_iter().chain(cases.iter().flat_map(|(values, _)| values)).collect(),
            cases.iter().map(|(_, block)| &block[..]).chain([&otherwise[..]]).collect(),
        ),
        S::For { binder, body, .. } => (bounds(binder).collect(), vec![body]),
        S::While { condition, body } => (vec![condition], vec![body]),
        S::Alias { target, body, .. } => (vec![target], vec![body]),
        S::Return(value) => (value.iter().collect(), Vec::new()),
        S::Error(_) | S::PutText(_) => (Vec::new(), Vec::new()),
        S::Put(value) => (vec![value], Vec::new()),
        S::Call { arguments, .. } => (arguments.iter().flat_map(in_argument).collect(), Vec::new()),
        S::MultisetAdd { element, multiset } => {
            ([element].into_iter().chain(subscripts(multiset)).collect(), Vec::new())
        }
        S::MultisetRemove { multiset, .. } => (subscripts(multiset).collect(), Vec::new()),
        S::MultisetRemoveWhere { multiset, condition, .. } => {
            (subscripts(multiset).chain([condition]).collect(), Vec::new())
        }
        S::Property { condition, .. } => (vec![condition], Vec::new()),
    }
}

/// Calls `visit` for every function that is called in the expression.
pub(super) fn calls_in(expression: &Expression, visit: &mut dyn FnMut(FunctionId)) {
    if let ExpressionKind::Call { function, .. } = &expression.kind {
        visit(*function);
    }
    for operand in operands(expression) {
        calls_in(operand, visit);
    }
}

/// Calls `visit` for every statement of the block, at any depth.
pub(super) fn statements_in<'a>(block: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for statement in block {
        visit(statement);
        for block in parts(statement).1 {
            statements_in(block, visit);
        }
    }
}

fn subscripts(place: &Place) -> impl Iterator<Item = &Expression> {
    place.selectors.iter().filter_map(|selector| match selector {
        Selector::Element(subscript) => Some(subscript),
        Selector::Field(_) | Selector::Chosen(_) => None,
    })
}

fn bounds(binder: &Binder) -> impl Iterator<Item = &Expression> {
    let bounds = match &binder.domain {
        Domain::Type(_) => [None, None, None],
        Domain::Steps { from, to, by } => [Some(&**from), Some(&**to), by.as_deref()],
    };
    bounds.into_iter().flatten()
}

fn in_argument(argument: &Argument) -> Vec<&Expression> {
    match argument {
        Argument::Reference(place) => subscripts(place).collect(),
        Argument::Value(value) => vec![value],
    }
}
