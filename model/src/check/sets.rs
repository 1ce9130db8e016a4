//! Checks the operations of sets.
//!
//! `for v in s` is written with other statements: a loop over all values of the element type, and a
//! condition that v is in s when its turn comes.

use super::Checker;
use super::scope::ScopeSymbol;
use super::statements::LoopHead;
use crate::checked::{
    Binder, Domain, Expression, ExpressionKind, LocalId, LocalKind, Place, Root, SetOperator,
    Statement, StatementKind,
};
use crate::syntax::{self, BinaryOperator, Name};
use crate::types::{Type, TypeId, Types};
use ltl::Span;

/// The operations of sets that are written as calls.
pub(super) const OPERATIONS: [&str; 3] = ["insert", "remove", "size"];

/// `for v in s`, whose body is checked apart.
pub(super) struct Members {
    /// The set as it is written, and the slot of an alias for it if it is a place.
    set: Expression,
    alias: Option<LocalId>,
    /// The slot of the current element, and the element type.
    element: LocalId,
    of_element: TypeId,
}

impl Members {
    /// The loop around its body.
    pub(super) fn around(self, body: Vec<Statement>, span: Span) -> Statement {
        let place = self.set.span;
        let read = |id, of| {
            let place = Place { root: Root::Local(id), selectors: Vec::new(), of, span: place };
            Expression { of, span: place.span, kind: ExpressionKind::Read(place) }
        };
        let statement = |kind| Statement { kind, span };
        let element = Box::new(read(self.element, self.of_element));
        let set = self.alias.map_or_else(|| self.set.clone(), |alias| read(alias, self.set.of));
        let kind = ExpressionKind::InSet(element, Box::new(set));
        let is_there = Expression { kind, of: Types::BOOLEAN, span: place };
        let branches = vec![(is_there, body)];
        let visit = statement(StatementKind::If { branches, otherwise: Vec::new() });
        let binder = Binder { local: self.element, domain: Domain::Type(self.of_element) };
        let over = statement(StatementKind::For { binder, unordered: false, body: vec![visit] });
        match self.alias {
            Some(local) => {
                statement(StatementKind::Alias { local, target: self.set, body: vec![over] })
            }
            None => over,
        }
    }
}

impl Checker<'_> {
    /// An expression that is a set.
    pub(super) fn set(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let set = self.expression(tree)?;
        if self.types.set_of(set.of).is_some() {
            return Some(set);
        }
        let shown = self.types.show(set.of);
        self.error(set.span, format!("expected a set, found a value of type {shown}"));
        None
    }

    /// `{ a, b }`, where a value of type `of` is wanted, if that is known. Otherwise the first element
    /// has the element type.
    pub(super) fn set_literal(
        &mut self,
        all: &[syntax::Expression],
        of: Option<TypeId>,
        span: Span,
    ) -> Option<Expression> {
        if let Some(of) = of
            && self.types.set_of(of).is_none()
        {
            let shown = self.types.show(of);
            self.error(span, format!("a value of type {shown} is wanted, this is a set"));
            return None;
        }
        let mut of = of;
        let mut made = Vec::new();
        for one in all {
            let value = self.expression(one)?;
            let of_set = match of {
                Some(of) => of,
                None => self.type_around(value.of, span)?,
            };
            of = Some(of_set);
            let element = self.types.set_of(of_set)?;
            self.must_fit(element, &value, "here a value of type", value.span)?;
            made.push(value);
        }
        let Some(of) = of else {
            self.unknown_set(span);
            return None;
        };
        Some(Expression { kind: ExpressionKind::SetOf(made), of, span })
    }

    /// A set literal in which a value of this type is looked for.
    pub(super) fn set_around(
        &mut self,
        tree: &syntax::Expression,
        of_element: TypeId,
    ) -> Option<Expression> {
        let of = if self.types.is_range(of_element) {
            None
        } else {
            Some(self.type_around(of_element, tree.place.0)?)
        };
        match (&tree.kind, of) {
            (syntax::ExpressionKind::Set(all), of) => self.set_literal(all, of, tree.place.0),
            _ => self.expression(tree),
        }
    }

    /// The type of the sets with such elements. Numbers have no type of their own.
    fn type_around(&mut self, element: TypeId, span: Span) -> Option<TypeId> {
        if !self.types.is_simple(element) || self.types.is_range(element) {
            self.unknown_set(span);
            return None;
        }
        Some(self.types.intern(Type::Set(element)))
    }

    fn unknown_set(&mut self, span: Span) {
        self.error(span, "the type of this set is not known here").help = Some(
            "write it where a set is assigned, passed, returned or combined with a variable"
                .to_owned(),
        );
    }

    /// `|`, `&`, `-` or `<=` of sets.
    pub(super) fn set_operation(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Option<Expression> {
        if left.of != right.of {
            let (a, b) = (self.described(&left), self.described(&right));
            self.error(span, format!("only sets of one type are combined, not {a} and {b}"));
            return None;
        }
        let operator = match operator {
            BinaryOperator::Or => Some(SetOperator::Union),
            BinaryOperator::And => Some(SetOperator::Intersection),
            BinaryOperator::Subtract => Some(SetOperator::Difference),
            _ => None,
        };
        let of = left.of;
        let (left, right) = (Box::new(left), Box::new(right));
        let (kind, of) = match operator {
            Some(operator) => (ExpressionKind::SetOperation(operator, left, right), of),
            None => (ExpressionKind::Subset(left, right), Types::BOOLEAN),
        };
        Some(Expression { kind, of, span })
    }

    /// `insert(s, v)`, `remove(s, v)`
    pub(super) fn member_statement(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<StatementKind> {
        let [set, element] = self.arguments(name, arguments, span)?;
        let (set, element) = (self.place(set), self.expression(element));
        let (set, element) = (set?, element?);
        let Some(of) = self.types.set_of(set.of) else {
            let shown = self.types.show(set.of);
            self.error(set.span, format!("expected a set, found a value of type {shown}"));
            return None;
        };
        self.must_be_writable(&set)?;
        self.must_fit(of, &element, "here a value of type", set.span)?;
        Some(StatementKind::Member { set, element, is_added: name.text == "insert" })
    }

    /// `for v in e`: declares v in the innermost scope.
    pub(super) fn elements_of(
        &mut self,
        name: &Name,
        tree: &syntax::Expression,
    ) -> Option<LoopHead> {
        let Some(all) = self.expression(tree) else {
            self.declare(name, ScopeSymbol::Broken);
            return None;
        };
        let Some(of_element) = self.types.set_of(all.of) else {
            match (self.types.get(all.of), &all.kind) {
                (Type::Queue { .. }, ExpressionKind::Read(place)) => {
                    return self.visit(name, place.clone()).map(LoopHead::Queue);
                }
                (Type::Multiset { .. }, ExpressionKind::Read(place)) => {
                    let local = self.chosen(name, Some(place))?;
                    return Some(LoopHead::Multiset(local, place.clone()));
                }
                _ => {}
            }
            self.declare(name, ScopeSymbol::Broken);
            self.no_elements(&all, "a queue, a set or a multiset");
            return None;
        };
        let alias = match &all.kind {
            ExpressionKind::Read(place) => {
                let hidden = Name { text: format!("set of {}", name.text), ..name.clone() };
                let alias = self.slot(&hidden, all.of, LocalKind::Alias);
                self.frame.targets.insert(alias, place.clone());
                Some(alias)
            }
            _ => None,
        };
        let element = self.local(name, of_element, LocalKind::Bound);
        Some(LoopHead::Set(Members { set: all, alias, element, of_element }))
    }
}
