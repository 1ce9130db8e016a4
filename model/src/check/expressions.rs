//! Checks expressions, and determines their types and variables.

use super::scope::ScopeSymbol;
use super::{Checker, constants};
use crate::checked::{
    Arithmetic, Binder, Comparison, Domain, Expression, ExpressionKind, LocalKind,
};
use crate::syntax::{self, BinaryOperator, Quantifier, QuantifierDomain, TotalKind, UnaryOperator};
use crate::types::{BOOLEAN_ENUMERATION, Type, TypeId, Types};
use crate::value::Scalar;
use ltl::{Diagnostic, Span};

impl Checker<'_> {
    /// An expression of any type.
    pub(super) fn expression(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        use syntax::ExpressionKind as Tree;
        let span = tree.place.0;
        match &tree.kind {
            Tree::Number(n) => {
                let kind = ExpressionKind::Constant(Scalar::Number(*n));
                Some(Expression { kind, of: Types::INTEGER, span })
            }
            Tree::Name(name) => match self.symbol(name, span)? {
                ScopeSymbol::Constant(value, of) => {
                    Some(Expression { kind: ExpressionKind::Constant(value), of, span })
                }
                _ => self.read(tree),
            },
            Tree::Field(..) | Tree::Element(..) => self.read(tree),
            Tree::Record { name, fields } => self.record_literal(name, fields, span),
            Tree::Array(_) => {
                self.refuse_array(span);
                None
            }
            Tree::Set(all) => self.set_literal(all, None, span),
            Tree::Call { name, arguments } => self.call_expression(name, arguments, span),
            Tree::Unary(operator, operand) => self.unary(*operator, operand, span),
            Tree::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            Tree::Conditional(condition, yes, no) => {
                let condition = self.boolean(condition);
                let (yes, no) = (self.expression(yes), self.expression(no));
                let (condition, yes, no) = (condition?, yes?, no?);
                let of = self.common_type(&yes, &no, span)?;
                let parts = (Box::new(condition), Box::new(yes), Box::new(no));
                let kind = ExpressionKind::Conditional(parts.0, parts.1, parts.2);
                Some(Expression { kind, of, span })
            }
            Tree::Quantified { kind, quantifiers, body } => {
                self.scopes.enter();
                let binders: Vec<_> =
                    quantifiers.iter().map(|quantifier| self.binder(quantifier)).collect();
                let body = self.boolean(body);
                self.scopes.leave();
                let mut made = body?;
                for binder in binders.into_iter().rev() {
                    let body = Box::new(made);
                    let kind = ExpressionKind::Quantified { kind: *kind, binder: binder?, body };
                    made = Expression { kind, of: Types::BOOLEAN, span };
                }
                Some(made)
            }
            Tree::Total { kind, quantifiers, body } => {
                self.scopes.enter();
                let binders: Vec<_> =
                    quantifiers.iter().map(|quantifier| self.binder(quantifier)).collect();
                let body = match kind {
                    TotalKind::Count => self.boolean(body),
                    TotalKind::Sum => self.number(body),
                };
                self.scopes.leave();
                let number = |kind| Expression { kind, of: Types::INTEGER, span };
                let constant = |n| Box::new(number(ExpressionKind::Constant(Scalar::Number(n))));
                let body = body?;
                let mut made = match kind {
                    TotalKind::Count => {
                        let body = Box::new(body);
                        number(ExpressionKind::Conditional(body, constant(1), constant(0)))
                    }
                    TotalKind::Sum => body,
                };
                for binder in binders.into_iter().rev() {
                    let body = Box::new(made);
                    made = number(ExpressionKind::Sum { binder: binder?, body });
                }
                Some(made)
            }
            Tree::CountWhere { name, multiset, condition } => {
                let (local, multiset, condition) = self.element(name, multiset, condition)?;
                let condition = Box::new(condition);
                let kind = ExpressionKind::MultisetCount { local, multiset, condition };
                Some(Expression { kind, of: Types::INTEGER, span })
            }
        }
    }

    /// A Boolean expression.
    pub(super) fn boolean(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let made = self.expression(tree)?;
        self.must_be_boolean(&made)?;
        Some(made)
    }

    pub(super) fn must_be_boolean(&mut self, made: &Expression) -> Option<()> {
        if made.of == Types::BOOLEAN {
            return Some(());
        }
        let message = format!("expected a condition, found {}", self.described(made));
        let help = match self.types.get(made.of) {
            Type::Range { .. } => Some("compare it with something, for example `!= 0`".to_owned()),
            _ => None,
        };
        self.error(made.span, message).help = help;
        None
    }

    /// An expression whose value is a number.
    fn number(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let made = self.expression(tree)?;
        self.must_be_number(&made, "expected a number")?;
        Some(made)
    }

    pub(super) fn must_be_number(&mut self, made: &Expression, expected: &str) -> Option<()> {
        if self.types.is_range(made.of) {
            return Some(());
        }
        let message = format!("{expected}, found {}", self.described(made));
        let help = match self.types.get(made.of) {
            Type::Index(_) => Some(
                "the values of an index type are interchangeable: they have no numbers and no order",
            ),
            Type::Enumeration(_) => Some("members of an enum have no numbers and no order"),
            _ => None,
        };
        self.error(made.span, message).help = help.map(str::to_owned);
        None
    }

    /// A value with its type, for messages.
    pub(super) fn described(&self, made: &Expression) -> String {
        match self.types.get(made.of) {
            Type::Range { .. } => "a number".to_owned(),
            _ => format!("a value of type {}", self.types.show(made.of)),
        }
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &syntax::Expression,
        span: Span,
    ) -> Option<Expression> {
        let (kind, of) = match operator {
            UnaryOperator::Not => {
                (ExpressionKind::Not(Box::new(self.boolean(operand)?)), Types::BOOLEAN)
            }
            UnaryOperator::Plus => return self.number(operand),
            UnaryOperator::Negate => {
                (ExpressionKind::Negate(Box::new(self.number(operand)?)), Types::INTEGER)
            }
            UnaryOperator::BitwiseNot => {
                (ExpressionKind::BitwiseNot(Box::new(self.number(operand)?)), Types::INTEGER)
            }
        };
        Some(Expression { kind, of, span })
    }

    /// Warns of `a && b | c`, which is `a && (b | c)`, unless the parentheses are written.
    fn warn_of_or_inside(&mut self, operand: &syntax::Expression, whole: Span) {
        let Span { start, end } = operand.place.0;
        let is_or = matches!(operand.kind, syntax::ExpressionKind::Binary(BinaryOperator::Or, ..));
        // Definitions are texts of their own.
        let (Some(before), Some(behind)) = (self.text.get(..start), self.text.get(end..)) else {
            return;
        };
        let is_grouped = before.trim_end().ends_with('(') && behind.trim_start().starts_with(')');
        if is_or && !is_grouped {
            let message = "`|` is tighter than `&&`: this is one operand of `&&`";
            let warning = Diagnostic::warning(operand.place, message);
            let help = "put it in parentheses, or write `&` and `|`, or `&&` and `||`";
            self.report(warning.related(whole, "the whole condition").help(help));
        }
    }

    /// Whether this is the word `UNDEFINED`, in any case, in a model that declares no such name.
    pub(super) fn is_undefined_word(&self, tree: &syntax::Expression) -> bool {
        matches!(&tree.kind, syntax::ExpressionKind::Name(name)
            if name.eq_ignore_ascii_case("undefined")
                && self.scopes.find(name).is_none()
                && !self.declared.contains_key(name))
    }

    /// d in `d = UNDEFINED`, on either side.
    fn asked_for<'a>(
        &self,
        left: &'a syntax::Expression,
        right: &'a syntax::Expression,
    ) -> Option<&'a syntax::Expression> {
        match (self.is_undefined_word(left), self.is_undefined_word(right)) {
            (false, true) => Some(left),
            (true, false) => Some(right),
            _ => None,
        }
    }

    /// The operands of an operator. The type of a literal of an array or a set is that of the other
    /// operand.
    fn operands(
        &mut self,
        operator: BinaryOperator,
        left: &syntax::Expression,
        right: &syntax::Expression,
    ) -> (Option<Expression>, Option<Expression>) {
        let is_literal = |tree: &syntax::Expression| match tree.kind {
            syntax::ExpressionKind::Set(_) => true,
            syntax::ExpressionKind::Array(_) => {
                matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual)
            }
            _ => false,
        };
        if is_literal(left) && !is_literal(right) {
            let right = self.expression(right);
            let left = right.as_ref().and_then(|right| self.value_for(left, right.of));
            return (left, right);
        }
        let left = self.expression(left);
        let right = match &left {
            Some(left) if is_literal(right) => self.value_for(right, left.of),
            _ => self.expression(right),
        };
        (left, right)
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &syntax::Expression,
        right: &syntax::Expression,
        span: Span,
    ) -> Option<Expression> {
        use BinaryOperator as Op;
        if let Op::Equal | Op::NotEqual = operator
            && let Some(asked) = self.asked_for(left, right)
        {
            let is_undefined = self.is_undefined(asked, span)?;
            if operator == Op::Equal {
                return Some(is_undefined);
            }
            let kind = ExpressionKind::Not(Box::new(is_undefined));
            return Some(Expression { kind, of: Types::BOOLEAN, span });
        }
        if operator == Op::In {
            return self.membership(left, right, span);
        }
        let (left_tree, right_tree) = (left, right);
        let (left, right) = self.operands(operator, left, right);
        let (left, right) = (left?, right?);
        let has_set = self.types.set_of(left.of).or(self.types.set_of(right.of)).is_some();
        if has_set && let Op::Or | Op::And | Op::Subtract | Op::LessOrEqual = operator {
            return self.set_operation(operator, left, right, span);
        }
        if operator == Op::AndAlso {
            self.warn_of_or_inside(left_tree, span);
            self.warn_of_or_inside(right_tree, span);
        }
        let logical = match operator {
            Op::Implies => Some(ExpressionKind::Implies as fn(_, _) -> _),
            Op::OrElse => Some(ExpressionKind::Or as fn(_, _) -> _),
            Op::AndAlso => Some(ExpressionKind::And as fn(_, _) -> _),
            Op::Or if !self.types.is_range(left.of) => Some(ExpressionKind::Or as fn(_, _) -> _),
            Op::And if !self.types.is_range(left.of) => Some(ExpressionKind::And as fn(_, _) -> _),
            _ => None,
        };
        if let Some(kind) = logical {
            let both = (self.must_be_boolean(&left), self.must_be_boolean(&right));
            both.0.and(both.1)?;
            let kind = kind(Box::new(left), Box::new(right));
            return Some(Expression { kind, of: Types::BOOLEAN, span });
        }
        if let Op::Equal | Op::NotEqual = operator {
            self.must_be_comparable(&left, &right, span)?;
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Op::Equal => ExpressionKind::Equal(left, right),
                _ => ExpressionKind::NotEqual(left, right),
            };
            return Some(Expression { kind, of: Types::BOOLEAN, span });
        }
        let order = match operator {
            Op::Less => Some(Comparison::Less),
            Op::LessOrEqual => Some(Comparison::LessOrEqual),
            Op::GreaterOrEqual => Some(Comparison::GreaterOrEqual),
            Op::Greater => Some(Comparison::Greater),
            _ => None,
        };
        let expected = match order {
            Some(_) => "only numbers are ordered",
            None => "expected a number",
        };
        let both = (self.must_be_number(&left, expected), self.must_be_number(&right, expected));
        both.0.and(both.1)?;
        let (left, right) = (Box::new(left), Box::new(right));
        if let Some(order) = order {
            let kind = ExpressionKind::Compare(order, left, right);
            return Some(Expression { kind, of: Types::BOOLEAN, span });
        }
        let arithmetic = match operator {
            Op::Add => Arithmetic::Add,
            Op::Subtract => Arithmetic::Subtract,
            Op::Multiply => Arithmetic::Multiply,
            Op::Divide => Arithmetic::Divide,
            Op::Remainder => Arithmetic::Remainder,
            Op::ShiftLeft => Arithmetic::ShiftLeft,
            Op::ShiftRight => Arithmetic::ShiftRight,
            Op::And => Arithmetic::BitwiseAnd,
            Op::Or => Arithmetic::BitwiseOr,
            _ => Arithmetic::BitwiseXor,
        };
        let kind = ExpressionKind::Arithmetic(arithmetic, left, right);
        Some(Expression { kind, of: Types::INTEGER, span })
    }

    /// Whether a value of one type may be compared with, or assigned to, one of the other: equal
    /// types; numbers; a union and a type that has values in common with it. Ranges and unions are
    /// checked when the value is known.
    pub(super) fn are_compatible(&self, one: TypeId, other: TypeId) -> bool {
        let parts = |id| match self.types.get(id) {
            Type::Union(parts) => parts.clone(),
            _ => vec![id],
        };
        one == other
            || self.types.is_range(one) && self.types.is_range(other)
            || self.types.is_simple(one)
                && self.types.is_simple(other)
                && parts(one).iter().any(|part| parts(other).contains(part))
    }

    pub(super) fn must_be_comparable(
        &mut self,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Option<()> {
        if self.are_compatible(left.of, right.of) {
            return Some(());
        }
        let message =
            format!("{} cannot be compared with {}", self.described(left), self.described(right));
        let help = self.why_different(left.of, right.of);
        self.error(span, message).help = help;
        None
    }

    /// Advice for two incompatible types.
    pub(super) fn why_different(&self, one: TypeId, other: TypeId) -> Option<String> {
        let pair = (self.types.get(one), self.types.get(other));
        Some(match pair {
            (Type::Index(_), Type::Index(_)) => {
                "two index types never mix, even if they are of one size: the values of each are \
                 interchangeable on their own; to have one type, declare one of them as another \
                 name of the other"
                    .to_owned()
            }
            (Type::Index(_), Type::Range { .. }) | (Type::Range { .. }, Type::Index(_)) => {
                "no single value of an index type can be named; bind one with `ruleset`, `forall`, \
                 `exists` or `for`"
                    .to_owned()
            }
            (Type::Enumeration(id), Type::Range { .. })
            | (Type::Range { .. }, Type::Enumeration(id)) => match *id {
                BOOLEAN_ENUMERATION => "`true` and `false` are no numbers".to_owned(),
                _ => "members of an enum are no numbers".to_owned(),
            },
            (Type::Array { .. }, Type::Array { .. }) | (Type::Record(_), Type::Record(_)) => {
                "whole arrays and records must have the same type, bounds of ranges included"
                    .to_owned()
            }
            _ => return None,
        })
    }

    /// The type of `c ? yes : no`.
    fn common_type(&mut self, yes: &Expression, no: &Expression, span: Span) -> Option<TypeId> {
        if yes.of == no.of {
            return Some(yes.of);
        }
        if self.types.is_range(yes.of) && self.types.is_range(no.of) {
            return Some(Types::INTEGER);
        }
        let holds = |outer, inner| match (self.types.get(outer), self.types.get(inner)) {
            (Type::Union(all), Type::Union(some)) => some.iter().all(|part| all.contains(part)),
            (Type::Union(all), _) => all.contains(&inner),
            _ => false,
        };
        if holds(yes.of, no.of) {
            return Some(yes.of);
        }
        if holds(no.of, yes.of) {
            return Some(no.of);
        }
        let (a, b) = (self.described(yes), self.described(no));
        let message = format!("this is either {a} or {b}: both must have one type");
        self.error(span, message);
        None
    }

    /// A bound variable, declared in the innermost scope. Bounds are checked outside of it.
    pub(super) fn binder(&mut self, quantifier: &Quantifier) -> Option<Binder> {
        let (of, domain) = match &quantifier.domain {
            QuantifierDomain::Type(of) => {
                let Some(of) = self.simple_type(of, "a bound variable") else {
                    self.declare(&quantifier.name, ScopeSymbol::Broken);
                    return None;
                };
                (of, Domain::Type(of))
            }
            QuantifierDomain::In(of) => {
                self.refuse_in(of.place.0);
                self.declare(&quantifier.name, ScopeSymbol::Broken);
                return None;
            }
            QuantifierDomain::Steps { from, to, by } => {
                let (from, to) = (self.number(from), self.number(to));
                let by = match by {
                    None => Some(None),
                    Some(by) => self.number(by).map(Some),
                };
                let (Some(from), Some(to), Some(by)) = (from, to, by) else {
                    self.declare(&quantifier.name, ScopeSymbol::Broken);
                    return None;
                };
                self.must_run_the_right_way(&from, &to, by.as_ref());
                let (from, to) = (Box::new(from), Box::new(to));
                (Types::INTEGER, Domain::Steps { from, to, by: by.map(Box::new) })
            }
        };
        let local = self.local(&quantifier.name, of, LocalKind::Bound);
        Some(Binder { local, domain })
    }

    /// Reports constant bounds from which the loop would run in the wrong direction.
    fn must_run_the_right_way(
        &mut self,
        from: &Expression,
        to: &Expression,
        by: Option<&Expression>,
    ) {
        let known = |e: &Expression| match constants::evaluate(e) {
            Ok(Scalar::Number(n)) => Some(n),
            _ => None,
        };
        let step = by.map_or(Some(1), known);
        if step == Some(0) {
            let span = by.map_or(from.span, |by| by.span);
            self.error(span, "a loop in steps of zero never ends");
        } else if let (Some(a), Some(b), Some(step)) = (known(from), known(to), step)
            && (step > 0 && a > b || step < 0 && a < b)
        {
            let message = format!("this runs the wrong way: from {a} to {b} in steps of {step}");
            let span = Span { start: from.span.start, end: to.span.end };
            self.error(span, message).help = Some(format!("write `by {}`", -step.signum()));
        }
    }
}

/// `1 argument`, `3 arguments`.
pub(super) fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}
