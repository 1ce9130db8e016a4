//! Lowers statements.

use super::calls::NO_VALUE;
use super::place::Found;
use super::value::choice;
use super::{Binding, Exit, Lowered, Lowering, ResultAt, Unsupported};
use crate::cells::{UNDEFINED, width};
use crate::form::{Added, Operator, Place, Range, Statement, Value};
use model::checked::{
    self, Expression, ExpressionKind, LocalId, LocalKind, PropertyId, StatementKind,
};
use model::syntax::PropertyKind;
use model::types::Type;
use model::value::Value as Constant;

impl<'m> Lowering<'m> {
    /// Lowers the body of a rule or start state, after its declared variables.
    pub(super) fn body(&mut self, list: &'m [checked::Statement]) -> Lowered<Vec<Statement>> {
        self.is_body = true;
        for binding in &mut self.bindings {
            if let Binding::Place(cells) = binding
                && let Some(element) = &mut cells.within
            {
                element.may_go = true;
            }
        }
        let mut out = Vec::new();
        self.declare(&mut out);
        self.statements(list, &mut out)?;
        Ok(out)
    }

    /// Declares the variables among the current locals, undefined.
    pub(super) fn declare(&mut self, out: &mut Vec<Statement>) {
        for (k, local) in self.locals.iter().enumerate() {
            if local.kind != LocalKind::Variable {
                continue;
            }
            let binding = if self.model.types.is_simple(local.of) {
                let register = self.register(Range::ALL);
                out.push(Statement::Undefine(register));
                Binding::Variable(register)
            } else {
                let cells = width(&self.model.types, local.of);
                let at = self.allocate(cells);
                out.push(Statement::Fill(at.clone(), vec![UNDEFINED; cells]));
                Binding::Place(at)
            };
            self.bind(LocalId(k as u32), binding);
        }
    }

    /// Lowers a sequence of statements.
    pub(super) fn statements(
        &mut self,
        list: &'m [checked::Statement],
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        list.iter().try_for_each(|one| self.statement(one, out))
    }

    fn list(&mut self, list: &'m [checked::Statement]) -> Lowered<Vec<Statement>> {
        let mut out = Vec::new();
        self.statements(list, &mut out)?;
        Ok(out)
    }

    fn statement(
        &mut self,
        statement: &'m checked::Statement,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(target, value, out)?,
            StatementKind::Clear(place) => {
                self.set(place, &|of| Constant::least(&self.model.types, of), out)?;
            }
            StatementKind::Undefine(place) => {
                self.set(place, &|of| Constant::undefined(&self.model.types, of), out)?;
            }
            StatementKind::If { branches, otherwise } => {
                let made = self.branches(branches, otherwise)?;
                out.extend(made);
            }
            StatementKind::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise, out)?;
            }
            StatementKind::For { binder, unordered, body } => {
                let over = self.each(binder)?;
                let body = self.list(body)?;
                out.push(Statement::For { over, is_unordered: *unordered, body });
            }
            StatementKind::While { condition, body } => {
                out.push(Statement::While(self.simple(condition)?, self.list(body)?));
            }
            StatementKind::Alias { local, target, body } => {
                self.bind_alias(*local, target, out)?;
                self.statements(body, out)?;
            }
            StatementKind::Return(value) => self.return_value(value.as_ref(), out)?,
            StatementKind::Error(_) => out.push(Statement::Trap),
            StatementKind::PutText(_) => {}
            StatementKind::Put(value) => self.put(value, out)?,
            StatementKind::Call { function, arguments } => {
                self.call_for_effects(*function, arguments, out)?;
            }
            StatementKind::Property { property, condition } => {
                let condition = self.simple(condition)?;
                out.push(self.property(*property, condition));
            }
            StatementKind::Accumulate { target, or, value, .. } => {
                self.accumulate(target, *or, value, out)?;
            }
            StatementKind::MultisetAdd { element, multiset } => self.add(element, multiset, out)?,
            StatementKind::MultisetRemove { local, multiset } => {
                let at = self.cells(multiset)?;
                let element = self.chosen_from(at, *local)?;
                out.push(Statement::Remove(element));
            }
            StatementKind::MultisetRemoveWhere { local, multiset, condition } => {
                let bag = self.bag(multiset, out)?;
                let slot = self.bind_element(*local, &bag, false);
                out.push(Statement::RemoveWhere(bag, slot, self.simple(condition)?));
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        target: &'m checked::Place,
        value: &'m Expression,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        if self.model.types.is_simple(target.of) {
            let to = self.find(target)?;
            let value = self.simple_in(value, target.of)?;
            return Self::write(to, value, out);
        }
        let mut to = self.cells(target)?;
        let mut between = Vec::new();
        let from = self.whole(value, &mut between)?;
        if !between.is_empty() {
            // The place is evaluated before the value.
            to = self.fixed(to, out);
            out.append(&mut between);
        }
        self.copy(target.of, to, from, out)
    }

    /// Writes a simple value.
    fn write(to: Found, value: Value, out: &mut Vec<Statement>) -> Lowered<()> {
        out.push(match to {
            Found::Place(Place::Register(register)) => Statement::Set(register, value),
            Found::Place(Place::Cells(cells)) => Statement::Store(cells, value),
            Found::Value(_) => return Err(Unsupported("an assignment to a value")),
        });
        Ok(())
    }

    /// Stores constants to all parts of a place.
    fn set(
        &mut self,
        place: &'m checked::Place,
        constant: &dyn Fn(model::types::TypeId) -> Constant,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        match self.find(place)? {
            Found::Place(Place::Cells(cells)) => self.fill(place.of, cells, constant, out),
            Found::Place(Place::Register(register)) => {
                let mut cells = Vec::new();
                let value = constant(place.of);
                crate::cells::flatten(&self.model.types, place.of, &value, &mut cells);
                out.push(match cells[0] {
                    UNDEFINED => Statement::Undefine(register),
                    cell => Statement::Set(register, Value::Constant(cell)),
                });
                Ok(())
            }
            Found::Value(_) => Err(Unsupported("an assignment to a value")),
        }
    }

    fn branches(
        &mut self,
        branches: &'m [(Expression, Vec<checked::Statement>)],
        otherwise: &'m [checked::Statement],
    ) -> Lowered<Vec<Statement>> {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.list(otherwise);
        };
        let condition = self.simple(condition)?;
        let body = self.list(body)?;
        Ok(vec![Statement::If(condition, body, self.branches(rest, otherwise)?)])
    }

    fn switch(
        &mut self,
        subject: &'m Expression,
        cases: &'m [(Vec<Expression>, Vec<checked::Statement>)],
        otherwise: &'m [checked::Statement],
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        if !self.model.types.is_simple(subject.of) {
            return Err(Unsupported("a switch over values that are not simple"));
        }
        let value = self.simple(subject)?;
        let value = self.settled(value, out);
        let mut made = Vec::new();
        for (values, body) in cases {
            let mut condition = Value::Constant(0);
            for one in values.iter().rev() {
                let wanted = self.simple(one)?;
                let equal = self.same(wanted, one.of, value.clone(), subject.of)?;
                condition = choice(equal, Value::Constant(1), condition);
            }
            made.push((condition, self.list(body)?));
        }
        let rest = self.list(otherwise)?;
        let nested = made
            .into_iter()
            .rev()
            .fold(rest, |rest, (condition, body)| vec![Statement::If(condition, body, rest)]);
        out.extend(nested);
        Ok(())
    }

    fn property(&self, id: PropertyId, condition: Value) -> Statement {
        let (yes, no) = match self.model.properties[id.0 as usize].kind {
            PropertyKind::Invariant | PropertyKind::Assert => (vec![], vec![Statement::Trap]),
            PropertyKind::Assume => (vec![], vec![Statement::Abandon]),
            PropertyKind::Cover | PropertyKind::Liveness => (vec![Statement::Cover(id)], vec![]),
        };
        Statement::If(condition, yes, no)
    }

    /// If the operand fails, the interpreter decides whether that matters.
    fn accumulate(
        &mut self,
        target: &'m checked::Place,
        or: bool,
        value: &'m Expression,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let place = match self.find(target)? {
            Found::Place(Place::Cells(cells)) => Place::Cells(self.fixed(cells, out)),
            Found::Place(place) => place,
            Found::Value(_) => return Err(Unsupported("an assignment to a value")),
        };
        let known = Value::Load(place.clone(), self.range_of(target.of));
        let decided = Box::new(Value::Constant(i64::from(or)));
        let is_decided = Value::Binary(Operator::Equal, Box::new(known), decided);
        let mut rest = Vec::new();
        let value = self.simple(value)?;
        Self::write(Found::Place(place), value, &mut rest)?;
        out.push(Statement::If(is_decided, vec![], rest));
        Ok(())
    }

    fn add(
        &mut self,
        element: &'m Expression,
        multiset: &'m checked::Place,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let Type::Multiset { element: of, .. } = *self.model.types.get(multiset.of) else {
            return Err(Unsupported("a path that does not fit its type"));
        };
        if self.model.types.contains_multiset(of) {
            return Err(Unsupported("a multiset inside a multiset"));
        }
        let added = if self.model.types.is_simple(of) {
            let value = self.simple_in(element, of)?;
            Added::Simple(self.settled(value, out))
        } else {
            let from = self.whole(element, out)?;
            Added::Cells(self.fixed(from, out))
        };
        let bag = self.bag(multiset, out)?;
        out.push(Statement::Add(bag, added));
        Ok(())
    }

    fn return_value(
        &mut self,
        value: Option<&'m Expression>,
        out: &mut Vec<Statement>,
    ) -> Lowered<()> {
        let Exit { of, at } = self.exit.clone();
        match (value, of, at) {
            (None, None, _) => {}
            (Some(value), Some(of), ResultAt::Register(register)) => {
                // A number is not checked against the range of the result, only where it is stored.
                let value = if self.model.types.is_range(of) {
                    self.simple(value)?
                } else {
                    self.simple_in(value, of)?
                };
                out.push(Statement::Set(register, value));
            }
            (Some(value), Some(of), ResultAt::Cells(to)) => {
                let from = self.whole(value, out)?;
                self.copy(of, to, from, out)?;
            }
            _ => return Err(NO_VALUE),
        }
        out.push(Statement::Return);
        Ok(())
    }

    /// Prints nothing, but the value's evaluation may fail.
    fn put(&mut self, value: &'m Expression, out: &mut Vec<Statement>) -> Lowered<()> {
        if let ExpressionKind::Read(place) = &value.kind {
            if let Found::Place(Place::Cells(cells)) = self.find(place)? {
                out.push(Statement::Locate(cells));
            }
        } else if self.model.types.is_simple(value.of) {
            out.push(Statement::Evaluate(self.simple(value)?));
        } else {
            let cells = self.whole(value, out)?;
            out.push(Statement::Locate(cells));
        }
        Ok(())
    }
}
