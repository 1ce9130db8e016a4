//! Lowers statements.

use super::value::{NO_VALUE, Use};
use super::{Binding, Lowered, Lowering, Outcome, Unsupported};
use crate::cells::{UNDEFINED, flatten, width};
use crate::form::{Place, Range, Statement, Value};
use model::checked::{self, Expression, LocalId, LocalKind, PropertyId, StatementKind};
use model::syntax::PropertyKind;
use model::value::Value as Constant;

impl<'m> Lowering<'m> {
    /// Lowers the body of a rule or start state, after its declared variables.
    pub(super) fn body(&mut self, list: &'m [checked::Statement]) -> Lowered<Vec<Statement>> {
        self.is_body = true;
        self.declare();
        self.statements(list)?;
        Ok(std::mem::take(&mut self.out))
    }

    /// Declares the variables among the current locals, undefined.
    pub(super) fn declare(&mut self) {
        for (k, local) in self.locals.iter().enumerate() {
            if local.kind != LocalKind::Variable {
                continue;
            }
            let binding = if self.model.types.is_simple(local.of) {
                let register = self.register(Range::ALL);
                self.out.push(Statement::undefine(register));
                Binding::Variable(register)
            } else {
                let cells = width(&self.model.types, local.of);
                let at = self.allocate(cells);
                self.out.push(Statement::Fill(at.clone(), vec![UNDEFINED; cells]));
                Binding::Place(at.into())
            };
            self.bind(LocalId(k as u32), binding);
        }
    }

    /// Lowers a sequence of statements.
    pub(super) fn statements(&mut self, list: &'m [checked::Statement]) -> Lowered<()> {
        list.iter().try_for_each(|one| self.statement(one))
    }

    pub(super) fn branch(&mut self, list: &'m [checked::Statement]) -> Lowered<Vec<Statement>> {
        self.list(|lowering| lowering.statements(list))
    }

    fn statement(&mut self, statement: &'m checked::Statement) -> Lowered<()> {
        match &statement.kind {
            StatementKind::Assign { target, value } => self.assign(target, value)?,
            StatementKind::Clear(place) => {
                self.set(place, &Constant::least(&self.model.types, place.of))?;
            }
            StatementKind::Undefine(place) => {
                self.set(place, &Constant::undefined(&self.model.types, place.of))?;
            }
            StatementKind::If { branches, otherwise } => self.branches(branches, otherwise)?,
            StatementKind::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise)?;
            }
            StatementKind::For { binder, unordered, body } => {
                let (over, is_one) = self.each(binder)?;
                let before = self.is_unordered;
                self.is_unordered |= *unordered;
                let body = self.branch(body)?;
                self.is_unordered = before;
                let body = Statement::when(is_one, body);
                self.out.push(Statement::For(over, body));
            }
            StatementKind::Each { local, multiset, body } => {
                self.for_elements(*local, multiset, body)?;
            }
            StatementKind::While { condition, body } => {
                let repeat = Statement::While(self.simple(condition)?, self.branch(body)?);
                self.out.push(repeat);
            }
            StatementKind::Alias { local, target, body } => {
                self.bind_alias(*local, target)?;
                self.statements(body)?;
            }
            StatementKind::Return(value) => self.return_value(value.as_ref())?,
            StatementKind::Error(_) => self.out.push(Statement::Trap),
            StatementKind::PutText(_) => {}
            StatementKind::Put(value) => {
                // Nothing is printed, but the evaluation may fail.
                self.named(value)?;
            }
            StatementKind::Call { function, arguments } => {
                // A result is not used, but its evaluation may fail.
                let result = self.call(*function, arguments, Use::Copied)?.0;
                result.map(|value| self.held(value));
            }
            StatementKind::Property { property, condition } => {
                let condition = self.simple(condition)?;
                self.out.push(self.property(*property, condition));
            }
            StatementKind::Accumulate { target, or, value, .. } => {
                self.accumulate(target, *or, value)?;
            }
            StatementKind::Push { queue, element, is_front } => {
                self.push(queue, element, *is_front)?;
            }
            StatementKind::Pop(queue) => self.pop(queue)?,
            StatementKind::Member { set, element, is_added } => {
                self.member(set, element, *is_added)?;
            }
            StatementKind::MultisetAdd { element, multiset } => self.add(element, multiset)?,
            StatementKind::MultisetRemove { local, multiset } => self.remove(*local, multiset)?,
            StatementKind::MultisetRemoveWhere { local, multiset, condition } => {
                self.remove_where(*local, multiset, condition)?;
            }
        }
        Ok(())
    }

    fn assign(&mut self, target: &'m checked::Place, value: &'m Expression) -> Lowered<()> {
        if !self.model.types.is_simple(target.of) {
            let to = self.part(target)?;
            let to = self.fixed_part(to);
            let from = self.whole(value)?.cells;
            let from = self.fixed(from);
            // Evaluating the value may have removed the element that is written to.
            self.require_presence(to.within.as_ref());
            return self.copy(target.of, to.cells, from);
        }
        let (mut to, within) = self.target(target)?;
        let mut value = self.copied_in(value, target.of)?;
        if within.is_some() && !value.is_settled() {
            to = self.fixed_place(to);
            value = self.held(value);
            self.require_presence(within.as_ref());
        }
        self.out.push(Statement::Set(to, value));
        Ok(())
    }

    /// Stores constants to all parts of a place. Multisets become empty.
    fn set(&mut self, place: &'m checked::Place, constant: &Constant) -> Lowered<()> {
        let mut cells = Vec::new();
        flatten(&self.model.types, place.of, constant, &mut cells);
        let set = match self.target(place)?.0 {
            Place::Cells(to) => Statement::Fill(to, cells),
            register @ Place::Register(_) => Statement::Set(register, Value::Constant(cells[0])),
        };
        self.out.push(set);
        Ok(())
    }

    fn branches(
        &mut self,
        branches: &'m [(Expression, Vec<checked::Statement>)],
        otherwise: &'m [checked::Statement],
    ) -> Lowered<()> {
        let mut made = Vec::new();
        for (condition, body) in branches {
            made.push((self.simple(condition)?, self.branch(body)?));
        }
        self.first_of(made, otherwise)
    }

    /// Executes the first statements whose condition is true, or those at the end.
    fn first_of(
        &mut self,
        made: Vec<(Value, Vec<Statement>)>,
        otherwise: &'m [checked::Statement],
    ) -> Lowered<()> {
        let rest = self.branch(otherwise)?;
        let nested = made
            .into_iter()
            .rev()
            .fold(rest, |rest, (condition, body)| vec![Statement::If(condition, body, rest)]);
        self.out.extend(nested);
        Ok(())
    }

    fn switch(
        &mut self,
        subject: &'m Expression,
        cases: &'m [(Vec<Expression>, Vec<checked::Statement>)],
        otherwise: &'m [checked::Statement],
    ) -> Lowered<()> {
        if !self.model.types.is_simple(subject.of) {
            return Err(Unsupported("a switch over values that are not simple"));
        }
        let value = self.simple(subject)?;
        let value = self.settled(value);
        let mut made = Vec::new();
        for (values, body) in cases {
            let mut condition = Value::Constant(0);
            for one in values.iter().rev() {
                let wanted = (self.simple(one)?, one.of);
                let equal = self.same(wanted, (value.clone(), subject.of))?;
                condition = Value::choice(equal, Value::Constant(1), condition);
            }
            made.push((condition, self.branch(body)?));
        }
        self.first_of(made, otherwise)
    }

    fn property(&self, id: PropertyId, condition: Value) -> Statement {
        let (yes, no) = match self.model.properties[id.0 as usize].kind {
            PropertyKind::Invariant | PropertyKind::Assert => (vec![], vec![Statement::Trap]),
            PropertyKind::Assume if self.is_unordered => (vec![], vec![Statement::Trap]),
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
    ) -> Lowered<()> {
        let (place, within) = self.target(target)?;
        let place = self.fixed_place(place);
        let known = Value::Load(place.clone(), self.range_of(target.of));
        let is_decided = Value::equal(known, Value::Constant(i64::from(or)));
        let rest = self.list(|lowering| {
            let value = lowering.simple(value)?;
            let value = lowering.settled(value);
            lowering.require_presence(within.as_ref());
            lowering.out.push(Statement::Set(place, value));
            Ok(())
        })?;
        self.out.push(Statement::If(is_decided, vec![], rest));
        Ok(())
    }

    fn return_value(&mut self, value: Option<&'m Expression>) -> Lowered<()> {
        match (value, self.exit.clone()) {
            (None, (_, None)) => {}
            (Some(value), (Outcome::Simple(register), Some(of))) => {
                let value = self.returned(value, of, Use::Copied)?;
                self.out.push(Statement::register(register, value));
            }
            (Some(value), (Outcome::Whole(to), Some(of))) => {
                let from = self.whole(value)?.cells;
                self.copy(of, to, from)?;
            }
            _ => return Err(NO_VALUE),
        }
        self.out.push(Statement::Return);
        Ok(())
    }
}
