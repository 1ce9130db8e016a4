//! Checks temporal properties, justice and compassion.

use super::meaning::ReadFormula;
use super::scope::ScopeSymbol;
use super::{Checker, Frame};
use crate::checked::{Formula, LocalKind, Requirement, Shown, TrackedGroup};
use crate::parser::Tokens;
use crate::syntax::{self, Item, Ltl, RuleKind, Text, Tracked};
use crate::types::TypeId;
use hashbrown::HashMap;
use ltl::{Diagnostic, Span};

impl Checker<'_> {
    /// Checks all temporal properties and requirements, in the order of the text.
    pub(super) fn formulas(&mut self, tree: &syntax::Model) {
        let tokens = Tokens::known(self.model_text);
        for item in &tree.items {
            let Item::Rule(rule) = item else { continue };
            let span = rule.place.0;
            self.frame = Frame::default();
            self.scopes.enter();
            match &rule.kind {
                RuleKind::Ltl(ltl) => {
                    let made = self.ltl(ltl, &tokens, span);
                    self.formulas.extend(made);
                }
                RuleKind::Justice { name, tracked, condition } => {
                    self.requirement(name.as_ref(), tracked, None, condition, span);
                }
                RuleKind::Compassion { name, tracked, premise, conclusion } => {
                    self.requirement(name.as_ref(), tracked, Some(premise), conclusion, span);
                }
                _ => {}
            }
            self.scopes.leave();
        }
        self.shared_names();
    }

    /// Checks the question in this span of the text.
    pub(super) fn question(&mut self, place: Span) {
        let tokens = Tokens::within(self.text, place);
        match tokens.question() {
            Err(wrong) => self.errors.extend(wrong),
            Ok(tree) => {
                self.frame = Frame::default();
                self.scopes.enter();
                let made = self.ltl(&tree, &tokens, place);
                self.questions.extend(made);
                self.scopes.leave();
            }
        }
    }

    /// Checks the expression in this span of the text, whose values are asked for.
    pub(super) fn show(&mut self, place: Span) {
        let tree = match Tokens::within(self.text, place).expression() {
            Err(wrong) => return self.errors.extend(wrong),
            Ok(tree) => tree,
        };
        self.frame = Frame::default();
        self.scopes.enter();
        let value = self.expression(&tree);
        self.scopes.leave();
        let Some(value) = value else { return };
        if let Some(wrong) = self.effect_in(&value, "an expression to be shown") {
            return self.errors.push(wrong);
        }
        let text = self.text[place.start..place.end].trim().to_owned();
        let locals = std::mem::take(&mut self.frame.locals);
        self.shown.push(Shown { text, value, locals });
    }

    /// Checks a formula of any origin, and reports errors in it.
    fn ltl(&mut self, tree: &Ltl, tokens: &Tokens<'_>, span: Span) -> Option<Formula> {
        let tracked = self.tracked(&tree.tracked);
        let alternatives = self.alternatives(&tree.alternatives);
        let choices = alternatives.as_ref().map_or(&[][..], |one| &one.choices);
        let read = self.temporal(tokens, tree.place.0, choices);
        let (mut tracked, alternatives) = (tracked?, alternatives?);
        let ReadFormula { formulas, root, atoms } = read?;
        let text =
            format!("{}{}{}", self.show_quantifiers(&tracked), alternatives.text, tree.formula);
        tracked.extend(alternatives.all);
        Some(Formula {
            name: tree.name.as_ref().map(|name| name.text.clone()),
            text,
            locals: std::mem::take(&mut self.frame.locals),
            tracked,
            formulas,
            root,
            atoms,
            under: tree.under.map(|under| (under.kind, under.over)),
            span,
        })
    }

    /// `forall distinct c, d: client, s: server. `
    fn show_quantifiers(&self, tracked: &[TrackedGroup]) -> String {
        let groups = tracked.iter().map(|group| {
            let names = group.locals.iter().map(|id| &self.frame.locals[id.0 as usize].name[..]);
            self.show_group(group.distinct, &names.collect::<Vec<_>>(), group.of)
        });
        match &groups.collect::<Vec<_>>()[..] {
            [] => String::new(),
            groups => format!("forall {}. ", groups.join(", ")),
        }
    }

    /// `distinct c, d: client`
    pub(super) fn show_group(&self, distinct: bool, names: &[&str], of: TypeId) -> String {
        let distinct = if distinct { "distinct " } else { "" };
        // The shown text can be parsed: a type without a name is in parentheses.
        let shown = self.types.show(of);
        let shown = if self.types.name(of).is_some() { shown } else { format!("({shown})") };
        format!("{distinct}{}: {shown}", names.join(", "))
    }

    /// Declares the variables of the leading quantifiers in the innermost scope.
    fn tracked(&mut self, groups: &[Tracked]) -> Option<Vec<TrackedGroup>> {
        let mut made = Some(Vec::new());
        for group in groups {
            let Some(of) = self.simple_type(&group.of, "a quantified variable") else {
                for name in &group.names {
                    self.declare(name, ScopeSymbol::Broken);
                }
                made = None;
                continue;
            };
            let locals: Vec<_> =
                group.names.iter().map(|name| self.local(name, of, LocalKind::Bound)).collect();
            if group.distinct && locals.len() as u64 > self.types.size(of) {
                let message = format!(
                    "{} has {}: no {} of them are distinct, so that the property holds vacuously",
                    self.types.show(of),
                    super::expressions::count(self.types.size(of) as usize, "value"),
                    locals.len()
                );
                self.report(Diagnostic::warning(group.of.place, message));
            }
            if let Some(made) = &mut made {
                let distinct = group.distinct;
                made.push(TrackedGroup { locals, of, distinct, stands_for_all: false });
            }
        }
        made
    }

    fn requirement(
        &mut self,
        name: Option<&Text>,
        tracked: &[Tracked],
        premise: Option<&syntax::Expression>,
        conclusion: &syntax::Expression,
        span: Span,
    ) {
        let tracked = self.tracked(tracked);
        let premise = premise.map(|premise| self.boolean(premise));
        let conclusion = self.boolean(conclusion);
        let parts = premise.iter().flatten().chain(&conclusion);
        let wrong: Vec<_> =
            parts.filter_map(|part| self.effect_in(part, "a fairness requirement")).collect();
        self.errors.extend(wrong);
        let premise = match premise {
            None => Some(None),
            Some(premise) => premise.map(Some),
        };
        if let (Some(tracked), Some(premise), Some(conclusion)) = (tracked, premise, conclusion) {
            self.requirements.push(Requirement {
                name: name.map(|name| name.text.clone()),
                locals: std::mem::take(&mut self.frame.locals),
                tracked,
                premise,
                conclusion,
                span,
            });
        }
    }

    /// Warns about names that several properties share, because properties are selected by name.
    fn shared_names(&mut self) {
        let states = self.properties.iter().filter(|one| !one.is_statement);
        let states = states.filter_map(|one| Some((one.name.clone()?, one.span)));
        let formulas = self.formulas.iter().filter_map(|one| Some((one.name.clone()?, one.span)));
        let mut all: Vec<_> = states.chain(formulas).collect();
        all.sort_by_key(|(_, span)| span.start);
        let mut first: HashMap<String, Span> = HashMap::new();
        for (name, span) in all {
            if let Some(&before) = first.get(&name) {
                let message = format!("two properties are called \"{name}\"");
                let warning = Diagnostic::warning(span, message).related(before, "the first one");
                self.report(warning);
            } else {
                first.insert(name, span);
            }
        }
    }
}
