//! Prints statements.

use super::Printer;
use crate::syntax::{Alias, Expression, Property, PropertyKind, Statement, StatementKind, Text};

impl Printer<'_> {
    /// Statements, indented by one more level.
    pub(super) fn body(&mut self, statements: &[Statement]) {
        self.indented(|printer| {
            for statement in statements {
                printer.start(statement.place.0.start);
                printer.statement(statement);
                printer.write(";");
                printer.comments.follows(statement.place.0.end);
            }
        });
    }

    fn statement(&mut self, statement: &Statement) {
        let end = statement.place.0.end;
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.flat(target);
                self.write(" := ");
                self.fitted(value, 1);
            }
            StatementKind::Clear(target) => self.word("clear ", target),
            StatementKind::Undefine(target) => self.word("undefine ", target),
            StatementKind::If { branches, otherwise } => {
                for (index, (condition, body)) in branches.iter().enumerate() {
                    if index > 0 {
                        self.start(condition.place.0.start);
                    }
                    self.write(if index > 0 { "elsif " } else { "if " });
                    self.fitted(condition, " then".len());
                    self.write(" then");
                    // If the body is empty, a comment further down may belong to `else`.
                    match body[..] {
                        [] => self.comments.follows(condition.place.0.end),
                        _ => self.comments.follows_all(),
                    }
                    self.body(body);
                }
                self.otherwise(otherwise.as_deref(), end);
                self.end(end);
            }
            StatementKind::Switch { subject, cases, otherwise } => {
                self.word("switch ", subject);
                self.comments.follows_all();
                for (values, body) in cases {
                    self.start(values.first().map_or(0, |value| value.place.0.start));
                    self.write("case ");
                    self.list(values);
                    self.write(":");
                    self.comments.follows_all();
                    self.body(body);
                }
                self.otherwise(otherwise.as_deref(), end);
                self.end(end);
            }
            StatementKind::For { quantifiers, body } => {
                self.write("for ");
                self.quantifiers(quantifiers);
                self.block(body, end);
            }
            StatementKind::While { condition, body } => {
                self.write("while ");
                self.fitted(condition, " do".len());
                self.block(body, end);
            }
            StatementKind::Alias { aliases, body } => {
                self.aliases(aliases);
                self.block(body, end);
            }
            StatementKind::Return(None) => self.write("return"),
            StatementKind::Return(Some(value)) => self.word("return ", value),
            StatementKind::Error(text) => {
                self.write("error ");
                self.text(text);
            }
            StatementKind::PutText(text) => {
                self.write("put ");
                self.text(text);
            }
            StatementKind::Put(value) => self.word("put ", value),
            StatementKind::Call { name, arguments } => self.call(&name.text, arguments),
            StatementKind::RemoveWhere { name, multiset, condition } => {
                self.element_call("MultiSetRemovePred", &name.text, multiset, condition);
            }
            StatementKind::Property(property) => self.property(property),
        }
    }

    fn word(&mut self, word: &str, operand: &Expression) {
        self.write(word);
        self.fitted(operand, 1);
    }

    /// ` do`, statements, `end`.
    fn block(&mut self, body: &[Statement], end: usize) {
        self.write(" do");
        self.comments.follows_all();
        self.body(body);
        self.end(end);
    }

    fn otherwise(&mut self, otherwise: Option<&[Statement]>, end: usize) {
        let Some(body) = otherwise else { return };
        let first = body.first().map_or(end, |statement| statement.place.0.start);
        self.trailing_comments(first);
        self.new_line();
        self.write("else");
        self.comments.follows_all();
        self.body(body);
    }

    /// `alias a: e; b: f`
    pub(super) fn aliases(&mut self, aliases: &[Alias]) {
        self.write("alias");
        for (index, alias) in aliases.iter().enumerate() {
            self.write(if index > 0 { "; " } else { " " });
            self.write(&alias.name.text);
            self.write(": ");
            self.flat(&alias.target);
        }
    }

    /// `invariant "name" e`
    pub(super) fn property(&mut self, property: &Property) {
        self.write(match property.kind {
            PropertyKind::Invariant => "invariant ",
            PropertyKind::Assert => "assert ",
            PropertyKind::Assume => "assume ",
            PropertyKind::Cover => "cover ",
            PropertyKind::Liveness => "liveness ",
        });
        if let Some(name) = &property.name {
            self.text(name);
            self.write(" ");
        }
        self.fitted(&property.condition, 1);
    }

    /// A string with its quotes.
    pub(super) fn text(&mut self, text: &Text) {
        self.write("\"");
        for c in text.text.chars() {
            match c {
                '"' => self.write("\\\""),
                '\\' => self.write("\\\\"),
                '\n' => self.write("\\n"),
                '\t' => self.write("\\t"),
                '\r' => self.write("\\r"),
                c => self.out.push(c),
            }
        }
        self.write("\"");
    }
}
