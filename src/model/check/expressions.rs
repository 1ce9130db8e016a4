//! Expressions and designators.

use super::scope::Symbol;
use super::{Checker, constants};
use crate::model::checked::{
    Argument, Arithmetic, Binder, Comparison, Domain, Expression, ExpressionKind, FunctionId,
    LocalId, LocalKind, Place, Root, Selector,
};
use crate::model::syntax::{
    self, BinaryOperator, IndexKind, Name, Quantifier, QuantifierDomain, UnaryOperator,
};
use crate::model::types::{BOOLEAN_ENUMERATION, Type, TypeId, Types};
use crate::model::value::Scalar;
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
                Symbol::Constant(value, of) => {
                    Some(Expression { kind: ExpressionKind::Constant(value), of, span })
                }
                _ => self.read(tree),
            },
            Tree::Field(..) | Tree::Element(..) => self.read(tree),
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
            Tree::CountWhere { name, multiset, condition } => {
                let (local, multiset, condition) = self.element(name, multiset, condition)?;
                let condition = Box::new(condition);
                let kind = ExpressionKind::MultisetCount { local, multiset, condition };
                Some(Expression { kind, of: Types::INTEGER, span })
            }
        }
    }

    /// An expression that is true or false.
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

    /// A number.
    fn number(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let made = self.expression(tree)?;
        self.must_be_number(&made, "expected a number")?;
        Some(made)
    }

    fn must_be_number(&mut self, made: &Expression, expected: &str) -> Option<()> {
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

    /// For messages: a value and its type.
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

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &syntax::Expression,
        right: &syntax::Expression,
        span: Span,
    ) -> Option<Expression> {
        use BinaryOperator as Op;
        let (left, right) = (self.expression(left), self.expression(right));
        let (left, right) = (left?, right?);
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
    /// types; numbers; a union and what it has a value in common with. Ranges and unions are checked
    /// when the value is known.
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

    fn must_be_comparable(
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

    /// Advice for two types that do not fit.
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
                    self.declare(&quantifier.name, Symbol::Broken);
                    return None;
                };
                (of, Domain::Type(of))
            }
            QuantifierDomain::Steps { from, to, by } => {
                let (from, to) = (self.number(from), self.number(to));
                let by = match by {
                    None => Some(None),
                    Some(by) => self.number(by).map(Some),
                };
                let (Some(from), Some(to), Some(by)) = (from, to, by) else {
                    self.declare(&quantifier.name, Symbol::Broken);
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

    /// Bounds that are known now must not run away from each other.
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

    /// What a name stands for; if nothing, that is reported.
    pub(super) fn symbol(&mut self, name: &str, span: Span) -> Option<Symbol> {
        match self.scopes.find(name) {
            Some(Symbol::Broken) => None,
            Some(symbol) => Some(symbol),
            None => {
                let is_value = |symbol| !matches!(symbol, Symbol::Type(_) | Symbol::Function(_));
                self.unknown(name, span, "name", is_value);
                None
            }
        }
    }

    /// Reports a name that nobody declared.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        span: Span,
        noun: &str,
        fit: impl Fn(Symbol) -> bool,
    ) {
        if self.partial {
            return;
        }
        let wrong = Diagnostic::error(span, format!("unknown {noun} `{name}`"));
        let near = self.scopes.nearest(name, fit).map(|near| format!("did you mean `{near}`?"));
        self.report(match (self.declared.get(name), near) {
            (Some(_), _) if noun == "function" => wrong.help(
                "constants, bounds and sizes are known before anything runs: they call no functions",
            ),
            (Some(&own), _) if own.start <= span.start => {
                let message = format!("the declaration of `{name}` refers to itself");
                Diagnostic { message, ..wrong }.related(own, "it starts here")
            }
            (Some(&later), _) => wrong.related(later, "it is declared here").help(
                "constants and types are declared before they are used: move its declaration up",
            ),
            (None, _)
                if noun == "function" && ["X", "F", "G", "U", "R", "W", "M"].contains(&name) =>
            {
                wrong.help("temporal operators stand in `ltl` properties, outside of expressions")
            }
            (None, Some(near)) => wrong.help(near),
            (None, None) if name.eq_ignore_ascii_case("undefined") => wrong.help(
                "undefined is no value that can be passed on: write `undefine x` to forget one, \
                 `isundefined(x)` to ask",
            ),
            (None, None) => wrong,
        });
    }

    /// What is stored in a designator.
    fn read(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let place = self.place(tree)?;
        Some(Expression { of: place.of, span: place.span, kind: ExpressionKind::Read(place) })
    }

    /// A designator.
    pub(super) fn place(&mut self, tree: &syntax::Expression) -> Option<Place> {
        use syntax::ExpressionKind as Tree;
        let span = tree.place.0;
        match &tree.kind {
            Tree::Name(name) => {
                let (root, of) = match self.symbol(name, span)? {
                    Symbol::Global(id) => (Root::Global(id), self.variables[id.0 as usize].of),
                    Symbol::Local(id) => {
                        let local = &self.frame.locals[id.0 as usize];
                        if local.kind == LocalKind::Chosen {
                            let message = format!(
                                "`{name}` is not a value: it stands for an element of a multiset"
                            );
                            let help = format!(
                                "write `m[{name}]`, where m is the multiset that it was chosen from"
                            );
                            self.error(span, message).help = Some(help);
                            return None;
                        }
                        (Root::Local(id), local.of)
                    }
                    Symbol::Function(_) => {
                        let message = format!("`{name}` is a function");
                        self.error(span, message).help =
                            Some(format!("to call it, write `{name}(...)`"));
                        return None;
                    }
                    other => {
                        let message = format!("expected a variable, found {}", other.noun());
                        self.error(span, message);
                        return None;
                    }
                };
                Some(Place { root, selectors: Vec::new(), of, span })
            }
            Tree::Field(base, field) => {
                let mut place = self.place(base)?;
                let (position, of) = self.field(place.of, base.place.0, field)?;
                place.selectors.push(Selector::Field(position));
                Some(Place { of, span, ..place })
            }
            Tree::Element(base, index) => {
                let mut place = self.place(base);
                if let Some(of) = place.as_ref().map(|place| place.of)
                    && let Type::Multiset { element, .. } = *self.types.get(of)
                {
                    let position = self.position(index, of)?;
                    let place = place.take()?;
                    let mut selectors = place.selectors;
                    selectors.push(Selector::Chosen(position));
                    return Some(Place { selectors, of: element, span, ..place });
                }
                let index = self.expression(index);
                let (mut place, index) = (place?, index?);
                let Type::Array { index: wanted, element } = *self.types.get(place.of) else {
                    let shown = self.types.show(place.of);
                    let message =
                        format!("a value of type {shown} has no elements: it is not an array");
                    self.error(span, message);
                    return None;
                };
                if !self.are_compatible(wanted, index.of) {
                    let (is, needs) = (self.described(&index), self.types.show(wanted));
                    let message = format!("the array is indexed by {needs}, not by {is}");
                    let help = self.why_different(wanted, index.of);
                    self.error(index.span, message).help = help;
                    return None;
                }
                place.selectors.push(Selector::Element(index));
                Some(Place { of: element, span, ..place })
            }
            _ => {
                let message = "expected a designator: a variable, perhaps with fields and indices";
                self.error(span, message);
                None
            }
        }
    }

    fn field(&mut self, of: TypeId, base: Span, field: &Name) -> Option<(u32, TypeId)> {
        let Type::Record(fields) = self.types.get(of) else {
            let shown = self.types.show(of);
            let message = format!("a value of type {shown} has no fields: it is not a record");
            self.error(base, message);
            return None;
        };
        if let Some(position) = fields.iter().position(|(name, _)| *name == field.text) {
            return Some((position as u32, fields[position].1));
        }
        let names = fields.iter().map(|(name, _)| &name[..]);
        let help = match super::scope::nearest(&field.text, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its fields are {}", names.collect::<Vec<_>>().join(", ")),
        };
        let message = format!("the record has no field `{}`", field.text);
        self.error(field.place, message).help = Some(help);
        None
    }

    /// The position of an element in a multiset of this type: a name bound by `choose` or the like.
    pub(super) fn position(&mut self, tree: &syntax::Expression, of: TypeId) -> Option<LocalId> {
        let span = tree.place.0;
        if let syntax::ExpressionKind::Name(name) = &tree.kind
            && let Symbol::Local(id) = self.symbol(name, span)?
            && let Some(&multiset) = self.frame.chosen.get(&id)
        {
            if multiset == of {
                return Some(id);
            }
            let message = format!("`{name}` stands for an element of another multiset");
            self.error(span, message);
            return None;
        }
        self.error(span, "the elements of a multiset have no numbers").help = Some(
            "bind one with `choose i: m do ... end`, `MultiSetCount(i: m, ...)` or \
             `MultiSetRemovePred(i: m, ...)`"
                .to_owned(),
        );
        None
    }

    /// A multiset with a name for its elements and a condition on them.
    pub(super) fn element(
        &mut self,
        name: &Name,
        multiset: &syntax::Expression,
        condition: &syntax::Expression,
    ) -> Option<(LocalId, Place, Expression)> {
        let multiset = self.multiset(multiset);
        self.scopes.enter();
        let local = self.chosen(name, multiset.as_ref());
        let condition = self.boolean(condition);
        self.scopes.leave();
        Some((local?, multiset?, condition?))
    }

    /// A designator of a multiset.
    pub(super) fn multiset(&mut self, tree: &syntax::Expression) -> Option<Place> {
        let place = self.place(tree)?;
        if let Type::Multiset { .. } = self.types.get(place.of) {
            return Some(place);
        }
        let shown = self.types.show(place.of);
        let message = format!("expected a multiset, found a value of type {shown}");
        self.error(place.span, message);
        None
    }

    /// A name for the position of an element.
    pub(super) fn chosen(&mut self, name: &Name, multiset: Option<&Place>) -> Option<LocalId> {
        let Some(of) = multiset.map(|place| place.of) else {
            self.declare(name, Symbol::Broken);
            return None;
        };
        let Type::Multiset { element, .. } = *self.types.get(of) else {
            unreachable!("`multiset` returns places of multisets only")
        };
        let local = self.local(name, element, LocalKind::Chosen);
        self.frame.chosen.insert(local, of);
        Some(local)
    }

    fn call_expression(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Expression> {
        let symbol = self.scopes.find(&name.text);
        if symbol.is_none()
            && let Some(builtin) = Builtin::of(&name.text)
        {
            return self.builtin(builtin, name, arguments, span);
        }
        let (function, arguments) = self.call(name, symbol, arguments)?;
        let Some(of) = self.functions[function.0 as usize].result else {
            let message = format!("`{}` is a procedure: it returns nothing", name.text);
            let declared = self.functions[function.0 as usize].span;
            let wrong = Diagnostic::error(span, message);
            self.report(wrong.related(declared, "declared without a type of its result"));
            return None;
        };
        // A result is in no range before it is stored: that is where it is checked.
        let of = if self.types.is_range(of) { Types::INTEGER } else { of };
        Some(Expression { kind: ExpressionKind::Call { function, arguments }, of, span })
    }

    /// A function with its arguments.
    pub(super) fn call(
        &mut self,
        name: &Name,
        symbol: Option<Symbol>,
        arguments: &[syntax::Expression],
    ) -> Option<(FunctionId, Vec<Argument>)> {
        let function = match symbol {
            Some(Symbol::Function(id)) => Some(id),
            Some(Symbol::Broken) => None,
            Some(other) => {
                let message = format!("`{}` is {}, not a function", name.text, other.noun());
                self.error(name.place, message);
                None
            }
            None => {
                let is_function = |symbol| matches!(symbol, Symbol::Function(_));
                self.unknown(&name.text, name.place.0, "function", is_function);
                None
            }
        };
        let Some(id) = function else {
            for argument in arguments {
                self.expression(argument);
            }
            return None;
        };
        let function = &self.functions[id.0 as usize];
        if function.arity != arguments.len() {
            let message = format!(
                "`{}` takes {}, but has {} here",
                name.text,
                count(function.arity, "argument"),
                arguments.len()
            );
            let wrong =
                Diagnostic::error(name.place, message).related(function.span, "declared here");
            self.report(wrong);
            return None;
        }
        let parameters: Vec<_> = function.locals[..function.arity].to_vec();
        let mut made = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            made.push(self.argument(parameter, argument));
        }
        Some((id, made.into_iter().collect::<Option<_>>()?))
    }

    fn argument(
        &mut self,
        parameter: &crate::model::checked::Local,
        tree: &syntax::Expression,
    ) -> Option<Argument> {
        if parameter.kind == LocalKind::WritableParameter {
            let place = self.place(tree)?;
            self.must_be_writable(&place)?;
            if place.of != parameter.of {
                let (is, needs) = (self.types.show(place.of), self.types.show(parameter.of));
                let message =
                    format!("the `var` parameter `{}` has type {needs}, not {is}", parameter.name);
                let wrong = Diagnostic::error(place.span, message);
                self.report(wrong.related(parameter.span, "the parameter").help(
                    "for a `var` parameter the types must be the same, bounds of ranges included",
                ));
                return None;
            }
            return Some(Argument::Reference(place));
        }
        let value = self.expression(tree)?;
        if !self.are_compatible(parameter.of, value.of) {
            let (is, needs) = (self.described(&value), self.types.show(parameter.of));
            let message =
                format!("the parameter `{}` has type {needs}, this is {is}", parameter.name);
            let wrong =
                Diagnostic::error(value.span, message).related(parameter.span, "the parameter");
            let help = self.why_different(parameter.of, value.of);
            self.report(Diagnostic { help, ..wrong });
            return None;
        }
        Some(match value {
            Expression { kind: ExpressionKind::Read(place), of, .. }
                if !self.types.is_simple(of) =>
            {
                Argument::Reference(place)
            }
            value => Argument::Value(value),
        })
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Expression> {
        let arity = builtin.arity();
        if arguments.len() != arity {
            let wanted = count(arity, "argument");
            let message =
                format!("`{}` takes {wanted}, but has {} here", name.text, arguments.len());
            self.error(span, message);
            return None;
        }
        let (kind, of) = match builtin {
            Builtin::IsUndefined => {
                let place = self.place(&arguments[0])?;
                if !self.types.is_simple(place.of) {
                    let shown = self.types.show(place.of);
                    let message =
                        format!("only simple values can be asked for, not a value of type {shown}");
                    self.error(place.span, message).help =
                        Some("ask for one of its parts".to_owned());
                    return None;
                }
                (ExpressionKind::IsUndefined(place), Types::BOOLEAN)
            }
            Builtin::IsMember => {
                let value = self.expression(&arguments[0]);
                let member = self.type_argument(&arguments[1]);
                let (value, member) = (value?, member?);
                if !self.are_compatible(value.of, member) || self.types.is_range(member) {
                    let (is, of) = (self.described(&value), self.types.show(member));
                    let message = format!("{is} is never a member of {of}");
                    self.error(span, message);
                    return None;
                }
                (ExpressionKind::IsMember(Box::new(value), member), Types::BOOLEAN)
            }
            Builtin::Next | Builtin::Previous => {
                let value = self.expression(&arguments[0])?;
                self.must_be_index(&value, IndexKind::Ring, &name.text)?;
                let (of, value) = (value.of, Box::new(value));
                match builtin {
                    Builtin::Next => (ExpressionKind::Next(value), of),
                    _ => (ExpressionKind::Previous(value), of),
                }
            }
            Builtin::Adjacent => {
                let (one, other) = (self.expression(&arguments[0]), self.expression(&arguments[1]));
                let (one, other) = (one?, other?);
                let both = (
                    self.must_be_index(&one, IndexKind::UndirectedRing, &name.text),
                    self.must_be_index(&other, IndexKind::UndirectedRing, &name.text),
                );
                both.0.and(both.1)?;
                self.must_be_comparable(&one, &other, span)?;
                (ExpressionKind::Adjacent(Box::new(one), Box::new(other)), Types::BOOLEAN)
            }
        };
        Some(Expression { kind, of, span })
    }

    /// The second argument of `ismember`.
    fn type_argument(&mut self, tree: &syntax::Expression) -> Option<TypeId> {
        let syntax::ExpressionKind::Name(name) = &tree.kind else {
            self.error(tree.place, "expected the name of a type");
            return None;
        };
        let kind = syntax::TypeKind::Named(name.clone());
        self.type_of(&syntax::Type { kind, place: tree.place })
    }

    fn must_be_index(
        &mut self,
        value: &Expression,
        wanted: IndexKind,
        function: &str,
    ) -> Option<()> {
        let kind = match self.types.get(value.of) {
            Type::Index(id) => Some(self.types.index_type(*id).kind),
            _ => None,
        };
        if kind == Some(wanted) {
            return Some(());
        }
        let noun = match wanted {
            IndexKind::UndirectedRing => "an undirected ring",
            _ => "a ring",
        };
        let message =
            format!("`{function}` is for values of {noun}, this is {}", self.described(value));
        let help = match (kind, wanted) {
            (Some(IndexKind::UndirectedRing), IndexKind::Ring) => Some(
                "an undirected ring has no direction; use `adjacent(x, y)`, or declare it as `ring(N)`",
            ),
            (Some(IndexKind::Ring), IndexKind::UndirectedRing) => {
                Some("in a ring write `y = next(x) | y = prev(x)`")
            }
            (Some(IndexKind::Scalarset), _) => Some(
                "the values of a scalarset have no neighbours; declare it as `ring(N)` or `undirected ring(N)`",
            ),
            _ => None,
        };
        self.error(value.span, message).help = help.map(str::to_owned);
        None
    }
}

/// Functions that need no declaration; a declared function of the same name hides them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Builtin {
    IsUndefined,
    IsMember,
    Next,
    Previous,
    Adjacent,
}

impl Builtin {
    fn of(name: &str) -> Option<Builtin> {
        Some(match name {
            "next" => Builtin::Next,
            "prev" => Builtin::Previous,
            "adjacent" => Builtin::Adjacent,
            // Murphi's own words are known in any case.
            _ if name.eq_ignore_ascii_case("isundefined") => Builtin::IsUndefined,
            _ if name.eq_ignore_ascii_case("ismember") => Builtin::IsMember,
            _ => return None,
        })
    }

    fn arity(self) -> usize {
        match self {
            Builtin::IsUndefined | Builtin::Next | Builtin::Previous => 1,
            Builtin::IsMember | Builtin::Adjacent => 2,
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
