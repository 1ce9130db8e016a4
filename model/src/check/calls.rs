//! Calls of functions, both declared and built-in ones.

use super::Checker;
use super::expressions::count;
use super::scope::ScopeSymbol;
use crate::checked::{Argument, Expression, ExpressionKind, FunctionId, Local, LocalKind};
use crate::syntax::{self, IndexKind, Name};
use crate::types::{Type, TypeId, Types};
use ltl::{Diagnostic, Span};

impl Checker<'_> {
    pub(super) fn call_expression(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        span: Span,
    ) -> Option<Expression> {
        let symbol = self.scopes.find(&name.text);
        if self.is_end_of_queue(&name.text) {
            let kind =
                syntax::ExpressionKind::Call { name: name.clone(), arguments: arguments.to_vec() };
            return self.read(&syntax::Expression { kind, place: span.into() });
        }
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
        // A result is in no range until it is stored; the range is checked then.
        let of = if self.types.is_range(of) { Types::INTEGER } else { of };
        Some(Expression { kind: ExpressionKind::Call { function, arguments }, of, span })
    }

    /// A function with its arguments.
    pub(super) fn call(
        &mut self,
        name: &Name,
        symbol: Option<ScopeSymbol>,
        arguments: &[syntax::Expression],
    ) -> Option<(FunctionId, Vec<Argument>)> {
        let function = match symbol {
            Some(ScopeSymbol::Function(id)) => Some(id),
            Some(ScopeSymbol::Broken) => None,
            Some(other) => {
                let message = format!("`{}` is {}, not a function", name.text, other.noun());
                self.error(name.place, message);
                None
            }
            None => {
                let is_function = |symbol| matches!(symbol, ScopeSymbol::Function(_));
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

    fn argument(&mut self, parameter: &Local, tree: &syntax::Expression) -> Option<Argument> {
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
        let value = self.value_for(tree, parameter.of)?;
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
            Builtin::Length => {
                let queue = self.queue(&arguments[0])?;
                (ExpressionKind::Length(queue), Types::INTEGER)
            }
            Builtin::Size => {
                let set = self.set(&arguments[0])?;
                (ExpressionKind::Size(Box::new(set)), Types::INTEGER)
            }
            Builtin::IsUndefined => return self.is_undefined(&arguments[0], span),
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

    /// `isundefined(d)`, of a simple designator.
    pub(super) fn is_undefined(
        &mut self,
        tree: &syntax::Expression,
        span: Span,
    ) -> Option<Expression> {
        let place = self.place(tree)?;
        if !self.types.is_simple(place.of) {
            let shown = self.types.show(place.of);
            let message =
                format!("only simple values can be asked for, not a value of type {shown}");
            self.error(place.span, message).help = Some("ask for one of its parts".to_owned());
            return None;
        }
        Some(Expression { kind: ExpressionKind::IsUndefined(place), of: Types::BOOLEAN, span })
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
    Length,
    Size,
}

impl Builtin {
    fn of(name: &str) -> Option<Builtin> {
        Some(match name {
            "next" => Builtin::Next,
            "prev" => Builtin::Previous,
            "adjacent" => Builtin::Adjacent,
            "length" => Builtin::Length,
            "size" => Builtin::Size,
            // Murphi's own words are recognised in upper and lower case.
            _ if name.eq_ignore_ascii_case("isundefined") => Builtin::IsUndefined,
            _ if name.eq_ignore_ascii_case("ismember") => Builtin::IsMember,
            _ => return None,
        })
    }

    fn arity(self) -> usize {
        match self {
            Builtin::IsUndefined
            | Builtin::Next
            | Builtin::Previous
            | Builtin::Length
            | Builtin::Size => 1,
            Builtin::IsMember | Builtin::Adjacent => 2,
        }
    }
}
