//! Prints rules, start states, properties, and blocks of rules.

use super::Printer;
use crate::parser::Tokens;
use crate::syntax::{
    Declaration, Fairness, Ltl, Over, Rule, RuleFairness, RuleKind, Statement, Text, Tracked, Under,
};

/// Whether the rule is printed on one line.
pub(super) fn is_line(rule: &Rule) -> bool {
    matches!(
        rule.kind,
        RuleKind::Property(_)
            | RuleKind::Ltl(_)
            | RuleKind::Justice { .. }
            | RuleKind::Compassion { .. }
    )
}

impl Printer<'_> {
    /// Prints a rule on its own lines.
    pub(super) fn rule(&mut self, rule: &Rule) {
        let end = rule.place.0.end;
        self.start(rule.place.0.start);
        match &rule.kind {
            RuleKind::Start { name, declarations, body } => {
                self.write("startstate");
                self.name(name.as_ref());
                self.declarations_and_body(declarations, body, end);
            }
            RuleKind::Rule { fairness, name, guard, declarations, body } => {
                self.write(match fairness {
                    None => "rule",
                    Some(RuleFairness::Weak) => "fair rule",
                    Some(RuleFairness::Strong) => "strongly fair rule",
                });
                self.name(name.as_ref());
                if let Some(guard) = guard {
                    self.write(" ");
                    self.fitted(guard, " ==>".len());
                    self.write(" ==>");
                }
                self.declarations_and_body(declarations, body, end);
            }
            RuleKind::Property(property) => self.property(property),
            RuleKind::Ltl(property) => self.ltl(property),
            RuleKind::Justice { name, tracked, condition } => {
                self.heading("justice", name.as_ref(), tracked);
                self.fitted(condition, 1);
            }
            RuleKind::Compassion { name, tracked, premise, conclusion } => {
                self.heading("compassion", name.as_ref(), tracked);
                self.write("(");
                self.flat(premise);
                self.write(", ");
                self.flat(conclusion);
                self.write(")");
            }
            RuleKind::Ruleset { quantifiers, rules } => {
                self.write("ruleset ");
                self.quantifiers(quantifiers);
                self.rules(rules, end);
            }
            RuleKind::Alias { aliases, rules } => {
                self.aliases(aliases);
                self.rules(rules, end);
            }
            RuleKind::Choose { name, multiset, rules } => {
                self.write("choose ");
                self.write(&name.text);
                self.write(": ");
                self.flat(multiset);
                self.rules(rules, end);
            }
            RuleKind::Process { name, family, rules } => {
                self.write("process ");
                self.write(&name.text);
                if let Some(family) = family {
                    self.write(": ");
                    self.type_(family);
                }
                self.rules(rules, end);
            }
        }
        self.write(";");
        self.comments.follows(end);
    }

    pub(super) fn name(&mut self, name: Option<&Text>) {
        if let Some(name) = name {
            self.write(" ");
            self.text(name);
        }
    }

    /// Prints declarations, statements and `end`; `begin` is printed only after declarations.
    fn declarations_and_body(
        &mut self,
        declarations: &[Declaration],
        body: &[Statement],
        end: usize,
    ) {
        self.comments.follows_all();
        for section in declarations {
            self.section(section);
        }
        if !declarations.is_empty() {
            self.new_line();
            self.write("begin");
            self.comments.follows_all();
        }
        self.body(body);
        self.end(end);
    }

    /// ` do`, rules, `end`.
    fn rules(&mut self, rules: &[Rule], end: usize) {
        self.write(" do");
        self.comments.follows_all();
        self.indented(|printer| {
            for (index, rule) in rules.iter().enumerate() {
                if index > 0 && !(is_line(&rules[index - 1]) && is_line(rule)) {
                    printer.blank_line();
                }
                printer.rule(rule);
            }
        });
        self.end(end);
    }

    /// `ltl "name": forall c: T. `
    fn heading(&mut self, word: &str, name: Option<&Text>, tracked: &[Tracked]) {
        self.write(word);
        self.name(name);
        self.write(if name.is_some() { ": " } else { " " });
        self.tracked("forall", tracked);
    }

    fn ltl(&mut self, property: &Ltl) {
        // Formulas are printed as written, even faulty ones, and must be read as formulas again.
        let is_bare = property.name.is_none()
            && property.tracked.is_empty()
            && property.alternatives.is_empty();
        let colon = if is_bare && Tokens::of(&property.formula).needs_colon() { ":" } else { "" };
        let word = format!("ltl{colon}");
        self.heading(&word, property.name.as_ref(), &property.tracked);
        self.tracked("exists", &property.alternatives);
        self.write(&property.formula);
        let Some(Under { kind, over, .. }) = property.under else { return };
        self.write(match kind {
            Fairness::None => " under none fairness",
            Fairness::Weak => " under weak fairness",
            Fairness::Strong => " under strong fairness",
            Fairness::Global => " under global fairness",
        });
        self.write(match over {
            None => "",
            Some(Over::Processes) => " over processes",
            Some(Over::Events) => " over events",
        });
    }
}
