//! Checks statements.

use super::queues::{Visit, is_in_queue};
use super::scope::ScopeSymbol;
use super::sets::Members;
use super::{Checker, Return, constants};
use crate::checked::{
    Binder, Expression, ExpressionKind, LocalId, LocalKind, Place, Property, PropertyId, Root,
    Statement, StatementKind,
};
use crate::syntax::{self, Alias, Name, Quantifier, QuantifierDomain, Text};
use crate::types::{Type, TypeId};
use crate::value::Scalar;
use ltl::{Diagnostic, Span};

/// The result of checking an alias.
pub(super) enum Aliased {
    /// The alias has become a constant.
    Constant,
    /// The alias has a slot, and stands for this expression.
    Slot(LocalId, Expression),
}

/// What a `for` ranges over.
pub(super) enum LoopHead {
    /// The values of a variable.
    Values(Binder),
    /// The elements of a queue.
    Queue(Visit),
    /// The elements of a set.
    Set(Members),
    /// The elements of a multiset.
    Multiset(LocalId, Place),
}

impl Checker<'_> {
    /// Checks a list of statements; those with errors are left out.
    pub(super) fn statements(&mut self, list: &[syntax::Statement]) -> Vec<Statement> {
        list.iter().filter_map(|tree| self.statement(tree)).flatten().collect()
    }

    /// Checks one statement; the result is several statements if it is an alias of a constant,
    /// which is dissolved.
    fn statement(&mut self, tree: &syntax::Statement) -> Option<Vec<Statement>> {
        use syntax::StatementKind as Tree;
        let span = tree.place.0;
        let kind = match &tree.kind {
            Tree::Assign { target, value } => self.assignment(target, value)?,
            Tree::Clear(target) => StatementKind::Clear(self.writable(target)?),
            Tree::Undefine(target) => StatementKind::Undefine(self.writable(target)?),
            Tree::If { branches, otherwise } => {
                let mut made = Vec::new();
                for (condition, body) in branches {
                    let condition = self.boolean(condition);
                    let body = self.statements(body);
                    made.push(condition.map(|condition| (condition, body)));
                }
                let otherwise =
                    otherwise.as_deref().map_or(Vec::new(), |body| self.statements(body));
                StatementKind::If { branches: made.into_iter().collect::<Option<_>>()?, otherwise }
            }
            Tree::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise.as_deref())?
            }
            Tree::For { quantifiers, body } => {
                self.scopes.enter();
                let loops: Vec<_> =
                    quantifiers.iter().map(|quantifier| self.loop_over(quantifier)).collect();
                let mut body = self.statements(body);
                self.scopes.leave();
                for one in loops.into_iter().rev() {
                    body = vec![match one? {
                        LoopHead::Values(binder) => {
                            let kind = StatementKind::For { binder, unordered: false, body };
                            Statement { kind, span }
                        }
                        LoopHead::Queue(visit) => visit.around(body, span),
                        LoopHead::Set(members) => members.around(body, span),
                        LoopHead::Multiset(local, multiset) => {
                            let kind = StatementKind::Each { local, multiset, body };
                            Statement { kind, span }
                        }
                    }];
                }
                return Some(body);
            }
            Tree::While { condition, body } => {
                let condition = self.boolean(condition);
                let body = self.statements(body);
                StatementKind::While { condition: condition?, body }
            }
            Tree::Alias { aliases, body } => {
                self.scopes.enter();
                let made: Vec<_> = aliases.iter().map(|alias| self.alias(alias)).collect();
                let mut body = self.statements(body);
                self.scopes.leave();
                let made: Vec<_> = made.into_iter().collect::<Option<_>>()?;
                for one in made.into_iter().rev() {
                    let Aliased::Slot(local, target) = one else { continue };
                    let kind = StatementKind::Alias { local, target, body };
                    body = vec![Statement { kind, span }];
                }
                return Some(body);
            }
            Tree::Return(value) => self.return_value(value.as_ref(), span)?,
            Tree::Error(Text { text, .. }) => StatementKind::Error(text.clone()),
            Tree::PutText(Text { text, .. }) => StatementKind::PutText(text.clone()),
            Tree::Put(value) => StatementKind::Put(self.expression(value)?),
            Tree::Call { name, arguments } => self.call_statement(name, arguments, span)?,
            Tree::RemoveWhere { name, multiset, condition } => {
                let (local, multiset, condition) = self.element(name, multiset, condition)?;
                self.must_be_writable(&multiset)?;
                StatementKind::MultisetRemoveWhere { local, multiset, condition }
            }
            Tree::Property(property) => {
                let condition = self.boolean(&property.condition)?;
                let id = PropertyId(self.properties.len() as u32);
                self.properties.push(Property {
                    name: property.name.as_ref().map(|name| name.text.clone()),
                    kind: property.kind,
                    is_statement: true,
                    scope: Vec::new(),
                    locals: Vec::new(),
                    condition: None,
                    span,
                });
                StatementKind::Property { property: id, condition }
            }
        };
        Some(vec![Statement { kind, span }])
    }

    fn loop_over(&mut self, quantifier: &Quantifier) -> Option<LoopHead> {
        match &quantifier.domain {
            QuantifierDomain::In(of) => self.elements_of(&quantifier.name, of),
            _ => self.binder(quantifier).map(LoopHead::Values),
        }
    }

    fn assignment(
        &mut self,
        target: &syntax::Expression,
        value: &syntax::Expression,
    ) -> Option<StatementKind> {
        if self.is_undefined_word(value) {
            return Some(StatementKind::Undefine(self.writable(target)?));
        }
        let target = self.writable(target);
        let value = match &target {
            Some(target) => self.value_for(value, target.of),
            None => self.expression(value),
        };
        let (target, value) = (target?, value?);
        self.must_fit(target.of, &value, "here a value of type", target.span)?;
        Some(StatementKind::Assign { target, value })
    }

    /// Checks a value where type `of` is needed. A constant that is out of range is only warned
    /// about: it is an error only if the statement is executed.
    pub(super) fn must_fit(
        &mut self,
        of: TypeId,
        value: &Expression,
        wanted: &str,
        place: Span,
    ) -> Option<()> {
        if !self.are_compatible(of, value.of) {
            let (is, needs) = (self.described(value), self.types.show(of));
            let wrong =
                Diagnostic::error(value.span, format!("{wanted} {needs} is wanted, this is {is}"));
            let help = self.why_different(of, value.of);
            self.report(Diagnostic { help, ..wrong });
            return None;
        }
        if let (Type::Range { low, high }, Ok(Scalar::Number(n))) =
            (self.types.get(of), constants::evaluate(value))
            && !(*low..=*high).contains(&n)
        {
            let message = format!("{n} is out of the range {low}..{high}");
            let warning = Diagnostic::warning(value.span, message);
            self.report(
                warning.related(place, "of this").help("whoever gets here meets a run-time error"),
            );
        }
        Some(())
    }

    fn switch(
        &mut self,
        subject: &syntax::Expression,
        cases: &[(Vec<syntax::Expression>, Vec<syntax::Statement>)],
        otherwise: Option<&[syntax::Statement]>,
    ) -> Option<StatementKind> {
        let subject = self.expression(subject);
        let mut made = Some(Vec::new());
        for (values, body) in cases {
            let mut list = Some(Vec::new());
            for value in values {
                let value = self.expression(value);
                let fits = match (&subject, &value) {
                    (Some(subject), Some(value)) if !self.are_compatible(subject.of, value.of) => {
                        let (is, of) = (self.described(value), self.described(subject));
                        let message = format!("{of} is never equal to {is}");
                        let help = self.why_different(subject.of, value.of);
                        self.error(value.span, message).help = help;
                        None
                    }
                    _ => value,
                };
                list = list.zip(fits).map(|(mut list, value)| {
                    list.push(value);
                    list
                });
            }
            let body = self.statements(body);
            made = made.zip(list).map(|(mut made, list)| {
                made.push((list, body));
                made
            });
        }
        let otherwise = otherwise.map_or(Vec::new(), |body| self.statements(body));
        Some(StatementKind::Switch { subject: subject?, cases: made?, otherwise })
    }

    /// Declares a name for a place or a value in the innermost scope. An alias of a constant is a
    /// constant, and needs no slot.
    pub(super) fn alias(&mut self, alias: &Alias) -> Option<Aliased> {
        let Some(target) = self.expression(&alias.target) else {
            self.declare(&alias.name, ScopeSymbol::Broken);
            return None;
        };
        if let Ok(value) = constants::evaluate(&target) {
            self.declare(&alias.name, ScopeSymbol::Constant(value, target.of));
            return Some(Aliased::Constant);
        }
        let local = self.local(&alias.name, target.of, LocalKind::Alias);
        if let ExpressionKind::Read(place) = &target.kind {
            self.frame.targets.insert(local, place.clone());
        }
        Some(Aliased::Slot(local, target))
    }

    fn return_value(
        &mut self,
        value: Option<&syntax::Expression>,
        span: Span,
    ) -> Option<StatementKind> {
        let made = match value {
            None => None,
            Some(value) => Some(match self.frame.result {
                Return::Value(of) => self.value_for(value, of)?,
                Return::Nothing => self.expression(value)?,
            }),
        };
        match (self.frame.result, &made) {
            (Return::Nothing, None) => {}
            (Return::Nothing, Some(value)) => {
                self.error(value.span, "nothing can be returned from here").help = Some(
                    "only a function that has declared the type of its result returns a value"
                        .to_owned(),
                );
                return None;
            }
            (Return::Value(of), None) => {
                let message = format!("a value of type {} must be returned", self.types.show(of));
                self.error(span, message);
                return None;
            }
            (Return::Value(of), Some(value)) => {
                let place = value.span;
                self.must_fit(of, value, "from here a value of type", place)?;
            }
        }
        Some(StatementKind::Return(made))
    }

    fn call_statement(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<StatementKind> {
        let symbol = self.scopes.find(&name.text);
        if symbol.is_none() {
            match &name.text[..] {
                "push" | "pushfront" => return self.push(name, arguments, span),
                "pop" => return self.pop(name, arguments, span),
                "insert" | "remove" => return self.member_statement(name, arguments, span),
                _ => {}
            }
        }
        if symbol.is_none() && name.text.eq_ignore_ascii_case("multisetadd") {
            let [element, multiset] = self.arguments(name, arguments, span)?;
            let Some(multiset) = self.multiset(multiset) else {
                self.expression(element);
                return None;
            };
            let Type::Multiset { element: of, .. } = *self.types.get(multiset.of) else {
                unreachable!("`multiset` returns places of multisets only")
            };
            let element = self.value_for(element, of);
            self.must_be_writable(&multiset)?;
            let element = element?;
            self.must_fit(of, &element, "here a value of type", multiset.span)?;
            return Some(StatementKind::MultisetAdd { element, multiset });
        }
        if symbol.is_none() && name.text.eq_ignore_ascii_case("multisetremove") {
            let [position, multiset] = self.arguments(name, arguments, span)?;
            let multiset = self.multiset(multiset)?;
            let local = self.position(position, multiset.of)?;
            self.must_be_writable(&multiset)?;
            return Some(StatementKind::MultisetRemove { local, multiset });
        }
        let (function, arguments) = self.call(name, symbol, arguments)?;
        Some(StatementKind::Call { function, arguments })
    }

    /// The arguments of a built-in operation, as many as it takes.
    pub(super) fn arguments<'a, const N: usize>(
        &mut self,
        name: &Name,
        arguments: &'a [syntax::Expression],
        span: Span,
    ) -> Option<&'a [syntax::Expression; N]> {
        if let Ok(all) = arguments.try_into() {
            return Some(all);
        }
        let wanted = super::expressions::count(N, "argument");
        let message = format!("`{}` takes {wanted}, but has {} here", name.text, arguments.len());
        self.error(span, message);
        None
    }

    /// A designator that may be assigned.
    fn writable(&mut self, tree: &syntax::Expression) -> Option<Place> {
        let place = self.place(tree)?;
        self.must_be_writable(&place)?;
        Some(place)
    }

    pub(super) fn must_be_writable(&mut self, place: &Place) -> Option<()> {
        if is_in_queue(place) {
            self.error(place.span, "an element of a queue cannot be assigned").help =
                Some("elements are pushed and popped as they are".to_owned());
            return None;
        }
        let Root::Local(id) = self.storage(place) else { return Some(()) };
        let local = &self.frame.locals[id.0 as usize];
        let (why, help) = match local.kind {
            LocalKind::Variable | LocalKind::WritableParameter => return Some(()),
            LocalKind::Bound | LocalKind::Chosen => {
                ("a bound variable is never assigned", "copy it to a variable first")
            }
            LocalKind::Parameter => {
                ("a parameter without `var` is never assigned", "declare it as a `var` parameter")
            }
            LocalKind::Alias => {
                ("this alias stands for a value, not for a variable", "assign to a variable")
            }
        };
        let message = format!("`{}` cannot be assigned: {why}", local.name);
        let wrong = Diagnostic::error(place.span, message);
        self.report(wrong.related(local.span, "declared here").help(help));
        None
    }
}
