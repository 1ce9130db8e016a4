//! Views: what an expression sees of one process.

use super::access::{Access, Frame, Reader};
use super::{Contact, Locality, Owner, Subject, View};
use crate::checked::{
    Binder, Expression, ExpressionKind, Local, LocalId, LocalKind, Place, Root, Rule, Scope,
    Selector, Statement, StatementKind,
};
use crate::walk;

/// Collects what a rule, a formula or a requirement reads of processes.
pub(super) struct Views<'l, 'm, 'e> {
    locality: &'l Locality<'m>,
    pub(super) reader: Reader<'l>,
    /// The process whose cells may be read freely.
    own: Option<Subject>,
    locals: &'e [Local],
    /// Bound variables whose values are known wherever a view is evaluated.
    known: &'l [LocalId],
    pub(super) contacts: Vec<Contact<'e>>,
}

impl<'l, 'm, 'e> Views<'l, 'm, 'e> {
    pub(super) fn new(
        locality: &'l Locality<'m>,
        own: Option<Subject>,
        locals: &'e [Local],
        known: &'l [LocalId],
    ) -> Self {
        let reader = Reader { model: locality.model, roots: &locality.roots };
        Views { locality, reader, own, locals, known, contacts: Vec::new() }
    }

    /// What is collected about a process.
    pub(super) fn contact(&mut self, subject: Subject) -> &mut Contact<'e> {
        let known = self.contacts.iter().position(|one| one.subject == subject);
        let at = known.unwrap_or_else(|| {
            let (views, tests) = (Vec::new(), Vec::new());
            self.contacts.push(Contact { subject, writes: false, views, tests });
            self.contacts.len() - 1
        });
        &mut self.contacts[at]
    }

    /// Collects what a rule reads. If it writes cells of other processes, its body sees what it has
    /// written: then what it reads are cells, and not values of expressions.
    pub(super) fn rule(&mut self, rule: &'e Rule, writes_others: bool) {
        let mut frame = Frame::new(&rule.locals);
        for scope in &rule.scope {
            match scope {
                Scope::Parameter { .. } => {}
                Scope::Alias { local, target } => self.alias(*local, target, &mut frame),
                Scope::Choose { multiset, .. } => self.place(multiset, &frame),
            }
        }
        if let Some(guard) = &rule.guard {
            self.read(guard, &frame);
        }
        for statement in &rule.body {
            if writes_others {
                self.cells_of_statement(statement, &mut frame);
            } else {
                self.statement(statement, &mut frame);
            }
        }
    }

    /// Collects the views of an expression: its maximal subexpressions that read cells of one process
    /// only.
    pub(super) fn read(&mut self, expression: &'e Expression, frame: &Frame<'_>) {
        let accesses = self.reader.of_expression(expression, frame);
        let all: Vec<Option<Subject>> =
            accesses.iter().map(|access| self.locality.subject(access)).collect();
        let is_foreign = |one: &Option<Subject>| one.is_some() && *one != self.own;
        if !all.iter().any(is_foreign) {
            return;
        }
        if let Some(Some(subject)) = all.first()
            && all.iter().all(|one| *one == Some(*subject))
            && self.is_evaluable(expression, *subject)
        {
            let view = View::Value(expression);
            let contact = self.contact(*subject);
            if !contact.views.contains(&view) {
                contact.views.push(view);
            }
            return;
        }
        if let ExpressionKind::Call { .. } = expression.kind {
            // What functions read is not taken apart.
            self.cells(&accesses);
        } else {
            walk::places(expression, &mut |place| self.place_itself(place, frame));
            walk::parts(expression, &mut |part| self.read(part, frame));
        }
    }

    /// Whether the interpreter can evaluate an expression, given the index of a process: it has no other
    /// variables than that index and the known ones.
    pub(super) fn is_evaluable(&self, expression: &Expression, subject: Subject) -> bool {
        let index = match subject {
            Subject::Bound { local, .. } => Some(local),
            Subject::Constant(_) | Subject::Single(_) => None,
            Subject::Anyone => return false,
        };
        let (mut used, mut bound, mut is_plain) = (Vec::new(), Vec::new(), true);
        walk::expressions(expression, &mut |one| {
            walk::places(one, &mut |place| {
                if let Root::Local(local) = place.root {
                    used.push(local);
                }
                is_plain &= !place.selectors.iter().any(|one| matches!(one, Selector::Chosen(_)));
            });
            match &one.kind {
                ExpressionKind::Quantified { binder: Binder { local, .. }, .. }
                | ExpressionKind::Sum { binder: Binder { local, .. }, .. } => bound.push(*local),
                ExpressionKind::MultisetCount { .. } => is_plain = false,
                _ => {}
            }
        });
        let is_known = |local: &LocalId| {
            let kind = self.locals[local.0 as usize].kind;
            let is_given = Some(*local) == index || self.known.contains(local);
            kind == LocalKind::Bound && (is_given || bound.contains(local))
        };
        // An index that is bound inside stands for all processes.
        let is_bound = index.is_some_and(|index| bound.contains(&index));
        is_plain && !is_bound && used.iter().all(is_known)
    }

    fn place(&mut self, place: &'e Place, frame: &Frame<'_>) {
        walk::indices(place, &mut |index| self.read(index, frame));
        self.place_itself(place, frame);
    }

    fn place_itself(&mut self, place: &Place, frame: &Frame<'_>) {
        let accesses = self.reader.of_place(place, frame);
        self.cells(&accesses);
    }

    /// What is accessed of other processes, cell by cell.
    fn cells(&mut self, accesses: &[Access]) {
        for access in accesses {
            if let Some(subject) = self.locality.subject(access)
                && Some(subject) != self.own
            {
                let is_whole = subject == Subject::Anyone
                    || self.locality.roots[access.root].owner != Owner::Member
                        && self.locality.roots[access.root].index.is_some();
                let fields = if is_whole { Vec::new() } else { access.fields.clone() };
                let view = View::Cells { root: access.root, fields };
                let contact = self.contact(subject);
                if !contact.views.contains(&view) {
                    contact.views.push(view);
                }
            }
        }
    }

    fn alias(&mut self, local: LocalId, target: &'e Expression, frame: &mut Frame<'_>) {
        match &target.kind {
            ExpressionKind::Read(place) => {
                walk::indices(place, &mut |index| self.read(index, frame));
            }
            _ => self.read(target, frame),
        }
        frame.name(local, target);
    }

    fn block(&mut self, block: &'e [Statement], frame: &mut Frame<'_>) {
        for statement in block {
            self.statement(statement, frame);
        }
    }

    fn binder(&mut self, binder: &'e Binder, frame: &Frame<'_>) {
        if let crate::checked::Domain::Steps { from, to, by } = &binder.domain {
            for one in [from, to].into_iter().chain(by) {
                self.read(one, frame);
            }
        }
    }

    /// Views of a statement that writes no cells of other processes.
    fn statement(&mut self, statement: &'e Statement, frame: &mut Frame<'_>) {
        match &statement.kind {
            StatementKind::Assign { target, value }
            | StatementKind::Accumulate { target, value, .. } => {
                walk::indices(target, &mut |index| self.read(index, frame));
                self.read(value, frame);
            }
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.read(condition, frame);
                    self.block(body, frame);
                }
                self.block(otherwise, frame);
            }
            StatementKind::Switch { subject, cases, otherwise } => {
                self.read(subject, frame);
                for (values, body) in cases {
                    for value in values {
                        self.read(value, frame);
                    }
                    self.block(body, frame);
                }
                self.block(otherwise, frame);
            }
            StatementKind::For { binder, body, .. } => {
                self.binder(binder, frame);
                self.block(body, frame);
            }
            StatementKind::While { condition, body } => {
                self.read(condition, frame);
                self.block(body, frame);
            }
            StatementKind::Alias { local, target, body } => {
                self.alias(*local, target, frame);
                self.block(body, frame);
                frame.forget();
            }
            StatementKind::Return(value) => value.iter().for_each(|value| self.read(value, frame)),
            StatementKind::Put(value) => self.read(value, frame),
            StatementKind::Property { condition, .. } => self.read(condition, frame),
            // Calls and what changes collections are not taken apart.
            _ => self.cells_of_statement(statement, frame),
        }
    }

    fn cells_of_statement(&mut self, statement: &Statement, frame: &mut Frame<'_>) {
        let accesses = self.reader.of_statement(statement, frame);
        self.cells(&accesses);
    }
}
