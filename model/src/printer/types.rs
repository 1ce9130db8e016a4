//! Prints types.

use super::{Printer, WIDTH, expressions};
use crate::syntax::{Expression, IndexKind, Name, Tracked, Type, TypeKind};

impl Printer<'_> {
    /// Prints a type; records take several lines, and so do long enumerations and those with
    /// comments.
    pub(super) fn type_(&mut self, of: &Type) {
        match &of.kind {
            TypeKind::Named(name) => self.write(name),
            TypeKind::Range(low, high) => {
                self.lower_bound(low);
                self.write("..");
                self.flat(high);
            }
            TypeKind::Enumeration(members) => self.enumeration(members, of.place.0.end),
            TypeKind::Record(fields) => {
                self.write("record");
                self.comments.follows_all();
                self.indented(|printer| {
                    for (names, of) in fields {
                        printer.entry(names, |printer| printer.type_(of));
                        printer.comments.follows(of.place.0.end);
                    }
                });
                self.end(of.place.0.end);
            }
            TypeKind::Array { index, element } => {
                self.write("array [");
                self.type_(index);
                self.write("] of ");
                self.type_(element);
            }
            TypeKind::Index { kind, size } => {
                self.write(match kind {
                    IndexKind::Scalarset => "scalarset(",
                    IndexKind::Ring => "ring(",
                    IndexKind::UndirectedRing => "undirected ring(",
                });
                self.flat(size);
                self.write(")");
            }
            TypeKind::Union(members) => {
                self.write("union {");
                for (index, member) in members.iter().enumerate() {
                    self.write(if index > 0 { ", " } else { " " });
                    self.type_(member);
                }
                self.write(if members.is_empty() { "}" } else { " }" });
            }
            TypeKind::Set(element) => {
                self.write("set of ");
                self.type_(element);
            }
            TypeKind::Queue { capacity, element } => {
                self.write("queue [");
                self.flat(capacity);
                self.write("] of ");
                self.type_(element);
            }
            TypeKind::Multiset { capacity, element } => {
                self.write("multiset [");
                self.flat(capacity);
                self.write("] of ");
                self.type_(element);
            }
        }
    }

    /// The expression before `..`; in parentheses if it starts like a literal, an index type, a multiset, a queue, or
    /// the prefix `forall c: T.` of a property.
    fn lower_bound(&mut self, low: &Expression) {
        let low = expressions::text(low);
        let lower = low.to_ascii_lowercase();
        let name = lower.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_misread = lower.starts_with(['[', '{'])
            || lower.starts_with("ring(")
            || lower.starts_with("multiset[")
            || lower.starts_with("queue[")
            || name.is_some_and(|end| lower[end..].starts_with('.'));
        self.write(if is_misread { "(" } else { "" });
        self.write(&low);
        self.write(if is_misread { ")" } else { "" });
    }

    fn enumeration(&mut self, members: &[Name], end: usize) {
        let width = members.iter().map(|name| name.text.chars().count() + 2).sum::<usize>();
        let is_long = self.column() + width + "enum { };".len() > WIDTH;
        if members.is_empty() || !is_long && !self.comments.is_before(end) {
            self.write(if members.is_empty() { "enum {" } else { "enum { " });
            self.names(members);
            self.write(if members.is_empty() { "}" } else { " }" });
            return;
        }
        self.write("enum {");
        self.comments.follows_all();
        self.indented(|printer| {
            for (index, name) in members.iter().enumerate() {
                printer.start(name.place.0.start);
                printer.write(&name.text);
                printer.write(if index + 1 < members.len() { "," } else { "" });
                printer.comments.follows(name.place.0.end);
            }
            printer.comments_before(end);
        });
        self.new_line();
        self.write("}");
        self.comments.follows(end);
    }

    /// `forall distinct c, d: T.` and a blank, if there are tracked variables; `word` is `forall`.
    pub(super) fn tracked(&mut self, word: &str, tracked: &[Tracked]) {
        for (index, group) in tracked.iter().enumerate() {
            if index == 0 {
                self.write(word);
                self.write(" ");
            } else {
                self.write(", ");
            }
            if group.distinct {
                self.write("distinct ");
            }
            self.names(&group.names);
            self.write(": ");
            if let TypeKind::Named(name) = &group.of.kind {
                self.write(name);
            } else {
                self.write("(");
                self.type_(&group.of);
                self.write(")");
            }
        }
        if !tracked.is_empty() {
            self.write(". ");
        }
    }
}
