//! Checks rules, start states and properties, with the blocks around them, and collects processes
//! and events.

use super::scope::ScopeSymbol;
use super::statements::Aliased;
use super::{Checker, Frame, constants};
use crate::checked::{
    Binder, Domain, Event, EventId, Expression, FamilyId, LocalId, LocalKind, Owner,
    ParameterDomain, ProcessFamily, Property, Rule, Scope, Start, Statement,
};
use crate::syntax::{self, Declaration, Item, Name, Quantifier, QuantifierDomain, RuleKind, Text};
use crate::types::{Type, TypeId};
use crate::value::Scalar;
use hashbrown::{HashMap, HashSet};
use ltl::{Diagnostic, Span};

/// The constructs around a rule.
#[derive(Default)]
struct RuleContext {
    /// The scope, outermost first; its locals are in the frame of the checker.
    scope: Vec<Scope>,
    /// The `process` block, if there is one, with its span.
    process: Option<(Owner, Span)>,
    /// The outermost parameter over a type with index types.
    index: Option<(LocalId, TypeId)>,
    /// Whether one of them has an error: rules are checked, but not kept.
    broken: bool,
}

impl Checker<'_> {
    pub(super) fn all_rules(&mut self, tree: &syntax::Model) {
        self.frame = Frame::default();
        let mut around = RuleContext::default();
        for item in &tree.items {
            if let Item::Rule(rule) = item {
                self.rule(rule, &mut around);
            }
        }
        self.events();
        if self.starts.is_empty() && !self.partial {
            self.only_start();
        }
        if self.starts.is_empty() && !self.partial && self.errors.is_empty() {
            let end = self.model_text.trim_end().len();
            self.error(Span::at(end), "the model has no start state").help = Some(
                "add `startstate ... end` that sets every variable, or initial values as in \
                 `var x: boolean := false`: without a start nothing can be checked"
                    .to_owned(),
            );
        }
    }

    fn rule(&mut self, tree: &syntax::Rule, around: &mut RuleContext) {
        let span = tree.place.0;
        match &tree.kind {
            RuleKind::Start { name, declarations, body } => {
                self.start(name.as_ref(), declarations, body, around, span);
            }
            RuleKind::Rule { fairness, name, guard, declarations, body } => {
                let depth = self.frame.locals.len();
                let owner = self.owner(around);
                let simple = self.parameters_are_simple(around, span);
                let guard = guard.as_ref().map(|guard| self.boolean(guard));
                let (body, locals) = self.body(declarations, body, depth);
                let guard = match guard {
                    None => Some(None),
                    Some(guard) => guard.map(Some),
                };
                let (Some(guard), true) = (guard, simple && !around.broken) else { return };
                self.rule_names.push(name.as_ref().map(|name| name.text.clone()));
                self.rules.push(Rule {
                    name: String::new(),
                    scope: around.scope.clone(),
                    locals,
                    guard,
                    body,
                    owner,
                    event: EventId(0),
                    fairness: *fairness,
                    span,
                });
            }
            RuleKind::Property(property) => {
                let depth = self.frame.locals.len();
                let simple = self.parameters_are_simple(around, span);
                let condition = self.boolean(&property.condition);
                let locals = self.cut_frame(depth);
                if let (Some(condition), true) = (condition, simple && !around.broken) {
                    self.properties.push(Property {
                        name: property.name.as_ref().map(|name| name.text.clone()),
                        kind: property.kind,
                        is_statement: false,
                        scope: around.scope.clone(),
                        locals,
                        condition: Some(condition),
                        span,
                    });
                }
            }
            // These follow after all rules, because their atoms name events.
            RuleKind::Ltl(_) | RuleKind::Justice { .. } | RuleKind::Compassion { .. } => {}
            RuleKind::Ruleset { quantifiers, rules } => {
                self.block(rules, around, |checker, around| {
                    for quantifier in quantifiers {
                        checker.parameter(quantifier, around);
                    }
                });
            }
            RuleKind::Alias { aliases, rules } => {
                self.block(rules, around, |checker, around| {
                    for alias in aliases {
                        match checker.alias(alias) {
                            Some(Aliased::Slot(local, target)) => {
                                around.scope.push(Scope::Alias { local, target });
                            }
                            Some(Aliased::Constant) => {}
                            None => around.broken = true,
                        }
                    }
                });
            }
            RuleKind::Choose { name, multiset, rules } => {
                self.block(rules, around, |checker, around| {
                    let multiset = checker.multiset(multiset);
                    match checker.chosen(name, multiset.as_ref()).zip(multiset) {
                        Some((local, multiset)) => {
                            around.scope.push(Scope::Choose { local, multiset });
                        }
                        None => around.broken = true,
                    }
                });
            }
            RuleKind::Process { name, family, rules } => {
                self.process(name, family.as_ref(), rules, around, span);
            }
        }
    }

    /// Checks the rules inside a block, whose head is read in its own scope.
    fn block(
        &mut self,
        rules: &[syntax::Rule],
        around: &mut RuleContext,
        head: impl FnOnce(&mut Self, &mut RuleContext),
    ) {
        let (depth, locals) = (around.scope.len(), self.frame.locals.len());
        let (process, index, broken) = (around.process, around.index, around.broken);
        self.scopes.enter();
        head(self, around);
        for rule in rules {
            self.rule(rule, around);
        }
        self.scopes.leave();
        around.scope.truncate(depth);
        self.cut_frame(locals);
        (around.process, around.index, around.broken) = (process, index, broken);
    }

    /// The statements of a rule or start state, with its local declarations, and its whole frame,
    /// which is then cut back to `depth`.
    fn body(
        &mut self,
        declarations: &[Declaration],
        body: &[syntax::Statement],
        depth: usize,
    ) -> (Vec<Statement>, Vec<super::Local>) {
        self.scopes.enter();
        for declaration in declarations {
            self.declaration(declaration);
        }
        let body = self.statements(body);
        self.scopes.leave();
        let body = [std::mem::take(&mut self.frame.initial), body].concat();
        (body, self.cut_frame(depth))
    }

    fn start(
        &mut self,
        name: Option<&Text>,
        declarations: &[Declaration],
        body: &[syntax::Statement],
        around: &RuleContext,
        span: Span,
    ) {
        let depth = self.frame.locals.len();
        let initial = self.initial_state();
        let (body, locals) = self.body(declarations, body, depth);
        let body = [initial, body].concat();
        if let Some(Scope::Choose { local, .. }) =
            around.scope.iter().find(|one| matches!(one, Scope::Choose { .. }))
        {
            let before = locals[local.0 as usize].span;
            let wrong =
                Diagnostic::error(span, "before the start no multiset has an element to choose");
            self.report(wrong.related(before, "chosen here").help("use `ruleset`"));
        }
        let name = match name {
            Some(name) => name.text.clone(),
            None => format!("start_{}", self.starts.len() + 1),
        };
        // One with an error counts, too: the model has a start state.
        self.starts.push(Start { name, scope: around.scope.clone(), locals, body, span });
    }

    /// A parameter of a ruleset, declared in the innermost scope.
    fn parameter(&mut self, quantifier: &Quantifier, around: &mut RuleContext) {
        let Some((of, domain)) = self.parameter_domain(quantifier) else {
            self.declare(&quantifier.name, ScopeSymbol::Broken);
            around.broken = true;
            return;
        };
        let local = self.local(&quantifier.name, of, LocalKind::Bound);
        if around.index.is_none() && self.types.is_simple(of) && !self.types.indices(of).is_empty()
        {
            around.index = Some((local, of));
        }
        around.scope.push(Scope::Parameter { local, domain });
    }

    fn parameter_domain(&mut self, quantifier: &Quantifier) -> Option<(TypeId, ParameterDomain)> {
        match &quantifier.domain {
            QuantifierDomain::Type(of) => {
                let id = self.type_of(of)?;
                if self.types.contains_multiset(id) {
                    self.error(of.place, "a parameter cannot be a multiset");
                    return None;
                }
                if self.types.contains_collection(id) {
                    self.error(of.place, "a parameter cannot be a queue or a set");
                    return None;
                }
                Some((id, ParameterDomain::Type(id)))
            }
            QuantifierDomain::In(of) => {
                self.refuse_in(of.place.0);
                None
            }
            QuantifierDomain::Steps { .. } => {
                // Checked as a loop first, outside of the scope of the variable.
                let depth = self.frame.locals.len();
                self.scopes.enter();
                let binder = self.binder(quantifier);
                self.scopes.leave();
                self.cut_frame(depth);
                let Some(Binder { domain: Domain::Steps { from, to, by }, .. }) = binder else {
                    return None;
                };
                let mut known = |e: &Expression| match constants::evaluate(e) {
                    Ok(Scalar::Number(n)) => Some(n),
                    Ok(_) => None,
                    Err(wrong) => {
                        self.report(
                            wrong.help("the bounds of a parameter are known before anything runs"),
                        );
                        None
                    }
                };
                let (from, to) = (known(&from), known(&to));
                let by = by.map_or(Some(1), |by| known(&by));
                let (from, to, by) = (from?, to?, by?);
                if by == 0 || by > 0 && from > to || by < 0 && from < to {
                    return None; // Reported by `binder`.
                }
                let of = Type::Range { low: from.min(to), high: from.max(to) };
                Some((self.types.intern(of), ParameterDomain::Steps { from, to, by }))
            }
        }
    }

    /// Reports parameters with parts, which only start states may have.
    fn parameters_are_simple(&mut self, around: &RuleContext, span: Span) -> bool {
        for one in &around.scope {
            if let Scope::Parameter { local, domain: ParameterDomain::Type(of) } = one
                && !self.types.is_simple(*of)
            {
                let (name, shown) =
                    (self.frame.locals[local.0 as usize].name.clone(), self.types.show(*of));
                let place = self.frame.locals[local.0 as usize].span;
                let message =
                    format!("the parameter `{name}` must have a simple type here, not {shown}");
                let wrong = Diagnostic::error(place, message);
                self.report(
                    wrong
                        .related(span, "used by this")
                        .help("only start states have parameters with parts"),
                );
                return false;
            }
        }
        true
    }

    fn process(
        &mut self,
        name: &Name,
        family: Option<&syntax::Type>,
        rules: &[syntax::Rule],
        around: &mut RuleContext,
        span: Span,
    ) {
        if let Some((_, outer)) = around.process {
            let wrong = Diagnostic::error(name.place, "a process inside a process");
            self.report(
                wrong
                    .related(outer, "inside this one")
                    .help("every rule has one owner: use `ruleset` for further parameters"),
            );
        }
        self.block(rules, around, |checker, around| match family {
            None => {
                let family = checker.family(&name.text, None, Some(name.place.0));
                around.process = Some((Owner { family, parameter: None }, span));
            }
            Some(of) => {
                let Some(of) = checker.simple_type(of, "the parameter of a process") else {
                    checker.declare(name, ScopeSymbol::Broken);
                    around.broken = true;
                    return;
                };
                let local = checker.local(name, of, LocalKind::Bound);
                around.scope.push(Scope::Parameter { local, domain: ParameterDomain::Type(of) });
                let owner = checker.family_of(of, &name.text, local, name.place.0);
                around.process = Some((owner, span));
            }
        });
    }

    /// The process that executes a rule here.
    fn owner(&mut self, around: &RuleContext) -> Owner {
        match (around.process, around.index) {
            (Some((owner, _)), _) => owner,
            (None, Some((local, of))) => {
                let local_of = &self.frame.locals[local.0 as usize];
                let (name, span) = (local_of.name.clone(), local_of.span);
                self.family_of(of, &name, local, span)
            }
            (None, None) => Owner { family: self.family("system", None, None), parameter: None },
        }
    }

    /// The processes of a parameter's values. A value of a union is a process of its own type.
    fn family_of(&mut self, of: TypeId, parameter: &str, local: LocalId, span: Span) -> Owner {
        if let Type::Union(members) = self.types.get(of).clone() {
            for member in members {
                self.family_of(member, parameter, local, span);
            }
        }
        let name = match self.types.get(of) {
            Type::Range { .. } => self.types.name(of).unwrap_or(parameter).to_owned(),
            _ => self.types.show(of),
        };
        Owner { family: self.family(&name, Some(of), Some(span)), parameter: Some(local) }
    }

    fn family(&mut self, name: &str, of: Option<TypeId>, span: Option<Span>) -> FamilyId {
        let known = self
            .processes
            .iter()
            .position(|one| one.of == of && (of.is_some() || one.name == name));
        if let Some(position) = known {
            return FamilyId(position as u32);
        }
        let id = FamilyId(self.processes.len() as u32);
        self.processes.push(ProcessFamily { name: name.to_owned(), of, span });
        id
    }

    /// Makes one event of the rules with the same name and equal parameter types.
    fn events(&mut self) {
        let mut taken: HashSet<String> = self.rule_names.iter().flatten().cloned().collect();
        for (k, (rule, name)) in self.rules.iter_mut().zip(&self.rule_names).enumerate() {
            rule.name = name.clone().unwrap_or_else(|| {
                let mut name = format!("rule_{}", k + 1);
                while taken.contains(&name) {
                    name.push('_');
                }
                taken.insert(name.clone());
                name
            });
        }
        let mut ids: HashMap<(String, Vec<TypeId>), EventId> = HashMap::new();
        for rule in &mut self.rules {
            let parameters: Vec<(String, TypeId)> = rule
                .scope
                .iter()
                .filter_map(|one| match one {
                    Scope::Parameter { local, .. } | Scope::Choose { local, .. } => {
                        let local = &rule.locals[local.0 as usize];
                        Some((local.name.clone(), local.of))
                    }
                    Scope::Alias { .. } => None,
                })
                .collect();
            let key = (rule.name.clone(), parameters.iter().map(|&(_, of)| of).collect());
            let id = *ids.entry(key).or_insert_with(|| {
                let name = rule.name.clone();
                self.events.push(Event { name, parameters, fairness: None });
                EventId(self.events.len() as u32 - 1)
            });
            rule.event = id;
            let event = &mut self.events[id.0 as usize];
            event.fairness = event.fairness.max(rule.fairness);
        }
    }
}
