//! Effects of functions, and where effects are forbidden.
//!
//! A guard, a property or an alias around rules is evaluated to *observe* a state. If it called a
//! function with effects, the result would depend on the number and order of evaluations. One that
//! only prints may be called: its output is dropped.

use super::Checker;
use crate::checked::{
    Argument, Expression, ExpressionKind, FunctionId, Local, LocalId, LocalKind, Place, Property,
    Root, Scope, Statement, StatementKind,
};
use crate::syntax::PropertyKind;
use crate::walk;
use hashbrown::HashMap;
use ltl::{Diagnostic, Span};

/// The effects of a call outside its frame.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Effects {
    /// Whether it changes global variables, or ends the step.
    global: bool,
    /// Whether it prints.
    prints: bool,
    /// Whether it changes an argument of a `var` parameter.
    parameters: bool,
}

impl Checker<'_> {
    /// Computes the effects of all functions, and reports them where they are forbidden.
    pub(super) fn effects(&mut self) {
        let mut effects = vec![Effects::default(); self.functions.len()];
        loop {
            let mut grown = false;
            for (id, function) in self.functions.iter().enumerate() {
                let mut body = EffectCollector {
                    effects: &effects,
                    locals: &function.locals,
                    properties: &self.properties,
                    aliases: HashMap::new(),
                    found: effects[id],
                };
                body.statements(&function.body);
                let found = body.found;
                grown |= found != effects[id];
                effects[id] = found;
            }
            if !grown {
                break;
            }
        }
        for (function, effects) in self.functions.iter_mut().zip(&effects) {
            let changes = effects.global || effects.parameters;
            function.has_effects = changes || effects.prints;
            function.only_prints = effects.prints && !changes;
        }
        let mut looks: Vec<(&Expression, &str)> = Vec::new();
        for rule in &self.rules {
            looks.extend(rule.guard.iter().map(|guard| (guard, "a guard")));
            looks.extend(targets(&rule.scope));
        }
        for start in &self.starts {
            looks.extend(targets(&start.scope));
        }
        for property in &self.properties {
            looks.extend(property.condition.iter().map(|condition| (condition, "a property")));
            looks.extend(targets(&property.scope));
        }
        let wrong: Vec<_> =
            looks.into_iter().filter_map(|(look, role)| self.effect_in(look, role)).collect();
        self.errors.extend(wrong);
    }

    fn changes(&self, function: FunctionId) -> bool {
        let function = &self.functions[function.0 as usize];
        function.has_effects && !function.only_prints
    }

    /// The error for the first call with an effect in an expression that must have none.
    pub(super) fn effect_in(&self, look: &Expression, role: &str) -> Option<Diagnostic> {
        let mut found: Option<(FunctionId, Span)> = None;
        walk::expressions(look, &mut |e| {
            if let ExpressionKind::Call { function, .. } = e.kind
                && self.changes(function)
            {
                found.get_or_insert((function, e.span));
            }
        });
        let (function, span) = found?;
        let function = &self.functions[function.0 as usize];
        let message = format!("`{}` changes something, so {role} cannot call it", function.name);
        Some(
            Diagnostic::error(span, message)
                .related(function.span, "the function")
                .help("move the change into the body of a rule"),
        )
    }
}

fn targets(scope: &[Scope]) -> impl Iterator<Item = (&Expression, &'static str)> {
    scope.iter().filter_map(|one| match one {
        Scope::Alias { target, .. } => Some((target, "an alias around rules")),
        _ => None,
    })
}

/// Collects the effects of the body of a function.
struct EffectCollector<'c> {
    effects: &'c [Effects],
    locals: &'c [Local],
    properties: &'c [Property],
    /// The storage that aliases of places refer to.
    aliases: HashMap<LocalId, Root>,
    found: Effects,
}

impl EffectCollector<'_> {
    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Accumulate { target, .. }
            | StatementKind::Clear(target)
            | StatementKind::Undefine(target)
            | StatementKind::Push { queue: target, .. }
            | StatementKind::Member { set: target, .. }
            | StatementKind::Pop(target)
            | StatementKind::MultisetAdd { multiset: target, .. }
            | StatementKind::MultisetRemove { multiset: target, .. }
            | StatementKind::MultisetRemoveWhere { multiset: target, .. } => self.change(target),
            StatementKind::Alias { local, target, .. } => {
                if let ExpressionKind::Read(place) = &target.kind {
                    let root = self.storage(place);
                    self.aliases.insert(*local, root);
                }
            }
            StatementKind::PutText(_) | StatementKind::Put(_) => self.found.prints = true,
            StatementKind::Property { property, .. } => {
                let kind = self.properties[property.0 as usize].kind;
                self.found.global |= matches!(kind, PropertyKind::Assume | PropertyKind::Cover);
            }
            StatementKind::Call { function, arguments } => self.call(*function, arguments),
            _ => {}
        }
        walk::own_expressions(statement, &mut |e| {
            if let ExpressionKind::Call { function, arguments } = &e.kind {
                self.call(*function, arguments);
            }
        });
        walk::substatements(statement, &mut |inner| self.statement(inner));
    }

    fn storage(&self, place: &Place) -> Root {
        match place.root {
            Root::Local(id) => self.aliases.get(&id).copied().unwrap_or(place.root),
            Root::Global(_) => place.root,
        }
    }

    fn change(&mut self, place: &Place) {
        match self.storage(place) {
            Root::Global(_) => self.found.global = true,
            Root::Local(id) => {
                self.found.parameters |=
                    self.locals[id.0 as usize].kind == LocalKind::WritableParameter;
            }
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) {
        let effects = self.effects[function.0 as usize];
        self.found.global |= effects.global;
        self.found.prints |= effects.prints;
        if effects.parameters {
            for argument in arguments {
                if let Argument::Reference(place) = argument {
                    self.change(place);
                }
            }
        }
    }
}
