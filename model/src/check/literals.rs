//! Checks literals of records, arrays and sets, and the values that variables begin with.
//!
//! The type of an array literal follows from where it stands: see [`Checker::value_for`]. Initial
//! values become assignments at the beginning of every start state, or of the body that declares the
//! variable.

use super::Checker;
use super::scope::ScopeSymbol;
use crate::checked::{
    Binder, Domain, Expression, ExpressionKind, LocalId, LocalKind, Place, Root, Selector, Start,
    Statement, StatementKind,
};
use crate::syntax::{self, Name};
use crate::types::{Type, TypeId};
use ltl::{Diagnostic, Span};

/// A variable of the state, and what it begins with.
#[derive(Clone, Debug)]
pub(super) struct Initial {
    /// The name of the variable.
    pub(super) name: Name,
    /// Its place.
    pub(super) place: Place,
    /// The value.
    pub(super) value: syntax::Expression,
}

impl Checker<'_> {
    /// An expression where a value of type `of` is wanted. (Whether it fits is for the caller to check.)
    pub(super) fn value_for(
        &mut self,
        tree: &syntax::Expression,
        of: TypeId,
    ) -> Option<Expression> {
        match &tree.kind {
            syntax::ExpressionKind::Array(parts) => self.array_literal(parts, of, tree.place.0),
            syntax::ExpressionKind::Set(all) => self.set_literal(all, Some(of), tree.place.0),
            _ => self.expression(tree),
        }
    }

    /// `message { from: n, what: Ask }`
    pub(super) fn record_literal(
        &mut self,
        name: &Name,
        given: &[(Name, syntax::Expression)],
        span: Span,
    ) -> Option<Expression> {
        let kind = syntax::TypeKind::Named(name.text.clone());
        let of = self.type_of(&syntax::Type { kind, place: name.place })?;
        let Type::Record(fields) = self.types.get(of).clone() else {
            let shown = self.types.show(of);
            self.error(name.place, format!("{shown} is no record, so it has no fields"));
            return None;
        };
        let mut parts = vec![None; fields.len()];
        let mut seen: Vec<Option<Span>> = vec![None; fields.len()];
        let mut intact = true;
        for (field, value) in given {
            let Some((position, of_field)) = self.field(of, name.place.0, field) else {
                intact = false;
                continue;
            };
            let position = position as usize;
            if let Some(before) = seen[position] {
                let message = format!("the field `{}` has two values", field.text);
                let wrong = Diagnostic::error(field.place, message);
                self.report(wrong.related(before, "the first one"));
                intact = false;
            }
            seen[position] = Some(field.place.0);
            if self.is_undefined_word(value) {
                continue;
            }
            parts[position] = self.part(value, of_field, field.place.0);
            intact &= parts[position].is_some();
        }
        let kind = ExpressionKind::Parts(parts);
        intact.then_some(Expression { kind, of, span })
    }

    /// `[a, b]`, where a value of type `of` is wanted.
    fn array_literal(
        &mut self,
        given: &[syntax::Expression],
        of: TypeId,
        span: Span,
    ) -> Option<Expression> {
        let &Type::Array { index, element } = self.types.get(of) else {
            let shown = self.types.show(of);
            self.error(span, format!("a value of type {shown} is wanted, this is an array"));
            return None;
        };
        if !self.types.indices(index).is_empty() {
            let shown = self.types.show(index);
            let message = format!("the elements of an array over {shown} have no order");
            self.error(span, message).help =
                Some("its values are interchangeable: set the elements in a loop".to_owned());
            return None;
        }
        let size = self.types.size(index);
        if size != given.len() as u64 {
            let message = format!(
                "the array has {}, but here are {}",
                super::expressions::count(size as usize, "element"),
                given.len()
            );
            self.error(span, message);
            return None;
        }
        let parts: Vec<_> =
            given.iter().map(|value| self.part(value, element, value.place.0)).collect();
        let intact = parts.iter().all(Option::is_some);
        intact.then_some(Expression { kind: ExpressionKind::Parts(parts), of, span })
    }

    /// A part of a literal.
    fn part(&mut self, tree: &syntax::Expression, of: TypeId, place: Span) -> Option<Expression> {
        let value = self.value_for(tree, of)?;
        self.must_fit(of, &value, "here a value of type", place)?;
        Some(value)
    }

    /// An array literal whose type does not follow from where it stands.
    pub(super) fn refuse_array(&mut self, span: Span) {
        self.error(span, "the type of this array is not known here").help = Some(
            "an array is written so where it is assigned, passed, returned, compared with a \
             variable, or is a part of another literal"
                .to_owned(),
        );
    }

    /// `x: T := e`, where x is stored in this place: assigns e to x, or to all of its elements.
    pub(super) fn initialise(
        &mut self,
        name: &Name,
        place: Place,
        tree: &syntax::Expression,
    ) -> Option<Statement> {
        let (mut of, mut over) = (place.of, Vec::new());
        // A literal has no type of its own: it is of the first type that it may be of.
        let is_literal = |checker: &Self, of: TypeId| match tree.kind {
            syntax::ExpressionKind::Set(_) => Some(checker.types.set_of(of).is_some()),
            syntax::ExpressionKind::Array(_) => Some(match *checker.types.get(of) {
                Type::Array { index, .. } => checker.types.indices(index).is_empty(),
                _ => false,
            }),
            _ => None,
        };
        let other = match is_literal(self, of) {
            None => Some(self.value_for(tree, of)?),
            Some(_) => None,
        };
        while let &Type::Array { index, element } = self.types.get(of) {
            let fits = match &other {
                Some(value) => self.are_compatible(of, value.of),
                None => is_literal(self, of) == Some(true),
            };
            if fits {
                break;
            }
            over.push(index);
            of = element;
        }
        let value = match other {
            Some(value) => value,
            None => self.value_for(tree, of)?,
        };
        let wanted = if self.are_compatible(of, value.of) { of } else { place.of };
        self.must_fit(wanted, &value, "here a value of type", name.place.0)?;
        let span = Span { start: name.place.0.start, end: tree.place.0.end };
        let mut target = place;
        let mut binders = Vec::new();
        for index in over {
            let hidden = Name { text: format!("index of {}", name.text), place: name.place };
            let local = self.slot(&hidden, index, LocalKind::Bound);
            binders.push(Binder { local, domain: Domain::Type(index) });
            let root = Root::Local(local);
            let bound = Place { root, selectors: Vec::new(), of: index, span: name.place.0 };
            let kind = ExpressionKind::Read(bound);
            let Type::Array { element, .. } = *self.types.get(target.of) else {
                unreachable!("only arrays are filled")
            };
            target.selectors.push(Selector::Element(Expression {
                kind,
                of: index,
                span: name.place.0,
            }));
            target.of = element;
        }
        let mut made = Statement { kind: StatementKind::Assign { target, value }, span };
        for binder in binders.into_iter().rev() {
            let kind = StatementKind::For { binder, unordered: false, body: vec![made] };
            made = Statement { kind, span };
        }
        Some(made)
    }

    /// The assignments of the initial values of the state, in the frame of a start state. They see
    /// global names only. Their errors are reported with the first start state.
    pub(super) fn initial_state(&mut self) -> Vec<Statement> {
        if self.initials.is_empty() {
            return Vec::new();
        }
        let initials = self.initials.clone();
        let (errors, warnings) = (self.errors.len(), self.warnings.len());
        let inner = self.scopes.leave_all();
        self.scopes.enter();
        let made = initials
            .iter()
            .filter_map(|one| self.initialise(&one.name, one.place.clone(), &one.value))
            .collect();
        self.scopes.leave();
        self.scopes.enter_all(inner);
        if !self.starts.is_empty() {
            self.errors.truncate(errors);
            self.warnings.truncate(warnings);
        }
        made
    }

    /// The start state of a model that has initial values and no other start state.
    pub(super) fn only_start(&mut self) {
        let Some(first) = self.initials.first() else { return };
        let span = first.name.place.0;
        let body = self.initial_state();
        let locals = self.cut_frame(0);
        let name = "start_1".to_owned();
        self.starts.push(Start { name, scope: Vec::new(), locals, body, span });
    }

    /// Notes what a variable begins with.
    pub(super) fn begins_with(&mut self, name: &Name, value: &syntax::Expression) {
        let place = |root, of| Place { root, selectors: Vec::new(), of, span: name.place.0 };
        match self.scopes.find(&name.text) {
            Some(ScopeSymbol::Global(id)) => {
                let place = place(Root::Global(id), self.variables[id.0 as usize].of);
                self.initials.push(Initial { name: name.clone(), place, value: value.clone() });
            }
            Some(ScopeSymbol::Local(id @ LocalId(k))) => {
                let place = place(Root::Local(id), self.frame.locals[k as usize].of);
                let made = self.initialise(name, place, value);
                self.frame.initial.extend(made);
            }
            _ => {}
        }
    }
}
