//! Event atoms: the events and processes that they name.

use super::Checker;
use super::scope::{ScopeSymbol, nearest};
use crate::checked::{Atom, EventId, FamilyId, Operand, ProcessOperand};
use crate::types::{TypeId, Types};
use crate::value::Scalar;
use hashbrown::HashSet;
use ltl::{Argument, Diagnostic, Span};

impl Checker<'_> {
    pub(super) fn named_event(
        &self,
        name: &str,
        arguments: Option<&[Argument]>,
        span: Span,
        text: String,
    ) -> Result<Atom, Diagnostic> {
        let named: Vec<EventId> = (0..self.events.len() as u32)
            .map(EventId)
            .filter(|id| self.events[id.0 as usize].name == name)
            .collect();
        if named.is_empty() {
            let wrong = Diagnostic::error(span, format!("no rule is called \"{name}\""));
            let names: HashSet<&str> = self.events.iter().map(|event| &event.name[..]).collect();
            return Err(match nearest(name, names.iter().copied()) {
                Some(near) => wrong.help(format!("did you mean `{near}`?")),
                None => wrong.help("`isonomy describe` lists the events of a model"),
            });
        }
        let Some(arguments) = arguments else {
            return Ok(Atom::Event { events: named, arguments: Vec::new(), text });
        };
        let mut operands = Vec::new();
        for argument in arguments {
            operands.push(match argument {
                Argument::Any => None,
                Argument::Value(value) => Some(self.operand(value, span)?),
            });
        }
        let fits = |id: &EventId| {
            let parameters = &self.events[id.0 as usize].parameters;
            parameters.len() == operands.len()
                && parameters.iter().zip(&operands).all(|(&(_, of), operand)| {
                    operand.is_none_or(|(_, is)| {
                        self.types.is_simple(of) && self.are_compatible(of, is)
                    })
                })
        };
        let fitting: Vec<EventId> = named.iter().copied().filter(fits).collect();
        if fitting.is_empty() {
            let shown: Vec<_> = named.iter().map(|&id| self.show_event(id)).collect();
            let message = format!("no event \"{name}\" has such arguments");
            let help = format!("the model has {}", shown.join(" and "));
            return Err(Diagnostic::error(span, message).help(help));
        }
        let arguments = operands.into_iter().map(|one| one.map(|(operand, _)| operand)).collect();
        Ok(Atom::Event { events: fitting, arguments, text })
    }

    /// `grant(c: client)`
    fn show_event(&self, id: EventId) -> String {
        let event = &self.events[id.0 as usize];
        let parameters: Vec<_> = event
            .parameters
            .iter()
            .map(|(name, of)| format!("{name}: {}", self.types.show(*of)))
            .collect();
        format!("`{}({})`", event.name, parameters.join(", "))
    }

    /// A tracked variable, a constant, or a number.
    fn operand(&self, text: &str, span: Span) -> Result<(Operand, TypeId), Diagnostic> {
        if let Ok(number) = text.parse() {
            return Ok((Operand::Constant(Scalar::Number(number)), Types::INTEGER));
        }
        match self.scopes.find(text) {
            Some(ScopeSymbol::Constant(value, of)) => Ok((Operand::Constant(value), of)),
            Some(ScopeSymbol::Local(id)) => {
                Ok((Operand::Local(id), self.frame.locals[id.0 as usize].of))
            }
            Some(other) => {
                let message =
                    format!("`{text}` is {}: an argument of an event is fixed", other.noun());
                Err(Diagnostic::error(span, message).help(
                    "use a variable of `forall ...` in front, a constant, or `_` for any value",
                ))
            }
            None => {
                let message = format!("unknown name `{text}`");
                let is_value =
                    |symbol| matches!(symbol, ScopeSymbol::Constant(..) | ScopeSymbol::Local(_));
                let help = match (self.printed_index(text), self.scopes.nearest(text, is_value)) {
                    (Some(of), _) => format!(
                        "values of index types have no names: write `forall c: {of}.` in front of \
                         the formula and `c` here, or `_` for any value"
                    ),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => {
                        "values of index types have no names: bind one with `forall c: T.` in front"
                            .to_owned()
                    }
                };
                Err(Diagnostic::error(span, message).help(help))
            }
        }
    }

    pub(super) fn by(
        &self,
        process: &Argument,
        span: Span,
        text: String,
    ) -> Result<Atom, Diagnostic> {
        let Argument::Value(name) = process else { return Ok(Atom::By { process: None, text }) };
        let local = matches!(self.scopes.find(name), Some(ScopeSymbol::Local(_)));
        let single = self.processes.iter().position(|one| one.of.is_none() && one.name == *name);
        if let (Some(position), false) = (single, local) {
            let process = Some(ProcessOperand::Single(FamilyId(position as u32)));
            return Ok(Atom::By { process, text });
        }
        let families = || {
            let all: Vec<_> = self
                .processes
                .iter()
                .map(|one| match one.of {
                    None => one.name.clone(),
                    Some(_) => format!("those of type {}", one.name),
                })
                .collect();
            format!("its processes are {}", all.join(", "))
        };
        let (operand, of) = self.operand(name, span).map_err(|wrong| {
            let message = format!("the model has no process `{name}`");
            Diagnostic { message, help: Some(families()), ..wrong }
        })?;
        let is_process =
            self.processes.iter().any(|one| one.of.is_some_and(|one| self.are_compatible(one, of)));
        if !is_process {
            let message = format!("no rule is executed by a value of type {}", self.types.show(of));
            return Err(Diagnostic::error(span, message).help(families()));
        }
        Ok(Atom::By { process: Some(ProcessOperand::Member(operand)), text })
    }
}
