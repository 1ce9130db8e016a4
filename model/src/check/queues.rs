//! Checks the operations of queues, and `in`.
//!
//! They are words only where no declaration of the model has their name. `for v in q` is written with
//! other statements: a loop over positions, and an alias for the element at each of them.

use super::Checker;
use super::scope::ScopeSymbol;
use crate::checked::{
    Binder, Comparison, Domain, Expression, ExpressionKind, LocalId, LocalKind, Place, Root,
    Selector, Statement, StatementKind,
};
use crate::syntax::{self, IndexKind, Name};
use crate::types::{IndexType, Type, TypeId, Types};
use ltl::{Diagnostic, Span};

/// The operations of queues that are written as calls.
const OPERATIONS: [&str; 6] = ["push", "pushfront", "pop", "head", "last", "length"];

/// Whether a place is inside of an element of a queue.
pub(super) fn is_in_queue(place: &Place) -> bool {
    let is_element = |one: &Selector| matches!(one, Selector::Position(_) | Selector::Last);
    place.selectors.iter().any(is_element)
}

/// `for v in q`, whose body is checked apart.
pub(super) struct Visit {
    /// The queue as it is written, and the slot of an alias for it.
    queue: Expression,
    alias: LocalId,
    /// The positions of the queue, and the slot of the current one.
    positions: TypeId,
    position: LocalId,
    /// The slot of the current element.
    element: LocalId,
    of_element: TypeId,
}

impl Visit {
    /// The loop around its body. If the body changes the queue, the positions that are still to come
    /// are those of the changed queue.
    pub(super) fn around(self, body: Vec<Statement>, span: Span) -> Statement {
        let place = self.queue.span;
        let local =
            |id, of| Place { root: Root::Local(id), selectors: Vec::new(), of, span: place };
        let expression = |kind, of| Expression { kind, of, span: place };
        let statement = |kind| Statement { kind, span };
        let position =
            expression(ExpressionKind::Read(local(self.position, self.positions)), self.positions);
        let queue = local(self.alias, self.queue.of);
        let length = expression(ExpressionKind::Length(queue.clone()), Types::INTEGER);
        let (at, length) = (Box::new(position.clone()), Box::new(length));
        let is_there =
            expression(ExpressionKind::Compare(Comparison::Less, at, length), Types::BOOLEAN);
        let element =
            Place { selectors: vec![Selector::Position(position)], of: self.of_element, ..queue };
        let target = expression(ExpressionKind::Peek(element), self.of_element);
        let inner = statement(StatementKind::Alias { local: self.element, target, body });
        let branches = vec![(is_there, vec![inner])];
        let visit = statement(StatementKind::If { branches, otherwise: Vec::new() });
        let binder = Binder { local: self.position, domain: Domain::Type(self.positions) };
        let over = statement(StatementKind::For { binder, unordered: false, body: vec![visit] });
        statement(StatementKind::Alias { local: self.alias, target: self.queue, body: vec![over] })
    }
}

impl Checker<'_> {
    /// Whether `head` or `last` means an element of a queue here.
    pub(super) fn is_end_of_queue(&self, name: &str) -> bool {
        matches!(name, "head" | "last") && self.scopes.find(name).is_none()
    }

    /// A designator of a queue.
    pub(super) fn queue(&mut self, tree: &syntax::Expression) -> Option<Place> {
        let place = self.place(tree)?;
        if let Type::Queue { .. } = self.types.get(place.of) {
            return Some(place);
        }
        let shown = self.types.show(place.of);
        self.error(place.span, format!("expected a queue, found a value of type {shown}"));
        None
    }

    /// `push(q, v)`, `pushfront(q, v)`
    pub(super) fn push(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<StatementKind> {
        let [queue, element] = self.arguments(name, arguments, span)?;
        let Some(queue) = self.queue(queue) else {
            self.expression(element);
            return None;
        };
        let &Type::Queue { element: of, .. } = self.types.get(queue.of) else {
            unreachable!("`queue` returns places of queues only")
        };
        let element = self.value_for(element, of);
        self.must_be_writable(&queue)?;
        let element = element?;
        self.must_fit(of, &element, "here a value of type", queue.span)?;
        Some(StatementKind::Push { queue, element, is_front: name.text == "pushfront" })
    }

    /// `pop(q)`
    pub(super) fn pop(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<StatementKind> {
        let [queue] = self.arguments(name, arguments, span)?;
        let queue = self.queue(queue)?;
        self.must_be_writable(&queue)?;
        Some(StatementKind::Pop(queue))
    }

    /// `v in q`
    pub(super) fn membership(
        &mut self,
        element: &syntax::Expression,
        queue: &syntax::Expression,
        span: Span,
    ) -> Option<Expression> {
        // A set literal has the type of what is looked for.
        let (element, all) = if let syntax::ExpressionKind::Set(_) = queue.kind {
            let element = self.expression(element)?;
            let set = self.set_around(queue, element.of)?;
            (element, set)
        } else {
            let all = self.expression(queue);
            let of = all.as_ref().and_then(|all| match *self.types.get(all.of) {
                Type::Queue { element, .. } | Type::Set(element) => Some(element),
                _ => None,
            });
            let element = match of {
                Some(of) => self.value_for(element, of),
                None => self.expression(element),
            };
            (element?, all?)
        };
        let (noun, of) = match *self.types.get(all.of) {
            Type::Queue { element, .. } => ("queue", Some(element)),
            Type::Set(element) => ("set", Some(element)),
            _ => ("", None),
        };
        let Some(of) = of else {
            self.no_elements(&all, "a queue or a set");
            return None;
        };
        if !self.are_compatible(of, element.of) {
            let (is, needs) = (self.described(&element), self.types.show(of));
            let message = format!("the elements of the {noun} have type {needs}, this is {is}");
            let help = self.why_different(of, element.of);
            self.error(element.span, message).help = help;
            return None;
        }
        let element = Box::new(element);
        let kind = match (noun, all) {
            ("queue", Expression { kind: ExpressionKind::Read(place), .. }) => {
                ExpressionKind::InQueue(element, place)
            }
            ("queue", all) => {
                self.error(all.span, "a queue that is looked into must be a variable").help =
                    Some("keep the result in a variable first".to_owned());
                return None;
            }
            (_, all) => ExpressionKind::InSet(element, Box::new(all)),
        };
        Some(Expression { kind, of: Types::BOOLEAN, span })
    }

    /// Reports that something has no elements that one could look for or visit.
    pub(super) fn no_elements(&mut self, all: &Expression, wanted: &str) {
        let shown = self.types.show(all.of);
        self.error(all.span, format!("expected {wanted}, found a value of type {shown}"));
    }

    /// `for v in q`: declares v in the innermost scope.
    pub(super) fn visit(&mut self, name: &Name, place: Place) -> Option<Visit> {
        let (of, span) = (place.of, place.span);
        let &Type::Queue { capacity, element: of_element } = self.types.get(of) else {
            self.declare(name, ScopeSymbol::Broken);
            return None;
        };
        let hidden = |part: &str| Name { text: format!("{part} of {}", name.text), ..name.clone() };
        let alias = self.slot(&hidden("queue"), of, LocalKind::Alias);
        self.frame.targets.insert(alias, place.clone());
        let queue = Expression { kind: ExpressionKind::Read(place), of, span };
        let positions = self.types.intern(Type::Range { low: 0, high: i64::from(capacity) - 1 });
        let position = self.slot(&hidden("position"), positions, LocalKind::Bound);
        let element = self.local(name, of_element, LocalKind::Alias);
        Some(Visit { queue, alias, positions, position, element, of_element })
    }

    /// Refuses `v in q` where only a `for` visits elements.
    pub(super) fn refuse_in(&mut self, span: Span) {
        let message = "only a `for` in a body visits the elements of a queue, a set or a multiset";
        let help = "in an expression, range over the positions of a queue, or over the type of a set: \
                    `exists c: client do c in s & ... end`; elements of a multiset are counted by \
                    `MultiSetCount`";
        self.error(span, message).help = Some(help.to_owned());
    }

    /// Whether a call of this name, which nothing that is declared has, is an operation of something
    /// that the model has.
    pub(super) fn is_operation(&self, name: &str) -> bool {
        let is_ring = |of: &IndexType| of.kind != IndexKind::Scalarset;
        match name {
            "head" | "last" | "length" => self.types.has_queues(),
            "size" => self.types.has_sets(),
            "next" | "prev" | "adjacent" => self.types.index_types.iter().any(is_ring),
            _ => ["isundefined", "ismember"].iter().any(|word| name.eq_ignore_ascii_case(word)),
        }
    }

    /// Warns of functions that hide an operation of queues or sets in a model that has some.
    pub(super) fn hidden_operations(&mut self) {
        let kinds = [
            (self.types.has_queues(), &OPERATIONS[..], "queues"),
            (self.types.has_sets(), &super::sets::OPERATIONS[..], "sets"),
        ];
        for (_, words, noun) in kinds.into_iter().filter(|(is_used, ..)| *is_used) {
            let hiding = self.functions.iter().filter(|one| words.contains(&&one.name[..]));
            let warnings = hiding.map(|one| {
                let message = format!(
                    "`{}` is the function that is declared here, so that the operation of {noun} \
                     cannot be used",
                    one.name
                );
                Diagnostic::warning(one.span, message).help("rename the function")
            });
            self.warnings.extend(warnings);
        }
    }
}
