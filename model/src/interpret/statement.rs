//! Executes statements.

use super::super::checked::{
    Binder, Expression, ExpressionKind, LocalId, Place, PropertyId, Statement, StatementKind,
};
use super::super::syntax::PropertyKind;
use super::super::types::Type;
use super::super::value::{Scalar, Value};
use super::failure::{EvalStop, FailureKind, Gathered};
use super::machine::{Machine, Slot, Undecided};
use ltl::Span;

/// How execution continues after a statement.
pub(super) enum Flow {
    /// With the next statement.
    Next,
    /// The function, rule or start state returns, with this result.
    Return(Option<Value>),
}

impl Machine<'_> {
    /// Executes statements, up to a `return`.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Flow, EvalStop> {
        for statement in statements {
            let flow = self.nested(statement.span, |machine| machine.execute(statement))?;
            if let Flow::Return(_) = flow {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn execute(&mut self, statement: &Statement) -> Result<Flow, EvalStop> {
        use StatementKind as S;
        let span = statement.span;
        match &statement.kind {
            S::Assign { target, value } => self.assign(target, value)?,
            S::Clear(place) => self.reset(place, Value::least(&self.model.types, place.of))?,
            S::Undefine(place) => {
                self.reset(place, Value::undefined(&self.model.types, place.of))?;
            }
            S::If { branches, otherwise } => {
                for (condition, body) in branches {
                    if self.truth(condition)? {
                        return self.block(body);
                    }
                }
                return self.block(otherwise);
            }
            S::Switch { subject, cases, otherwise } => {
                let body = self.selected(subject, cases)?.unwrap_or(otherwise);
                return self.block(body);
            }
            S::For { binder, unordered: false, body } => {
                return self.ordered_for(binder, body, span);
            }
            S::For { binder, unordered: true, body } => {
                return self.unordered_for(binder, body, span);
            }
            S::Each { local, multiset, body } => self.each(*local, multiset, body, span)?,
            S::While { condition, body } => {
                while self.truth(condition)? {
                    run::poll();
                    if let flow @ Flow::Return(_) = self.block(body)? {
                        return Ok(flow);
                    }
                }
            }
            S::Alias { local, target, body } => {
                self.bind_alias(*local, target)?;
                return self.block(body);
            }
            S::Return(None) => return Ok(Flow::Return(None)),
            S::Return(Some(value)) => return Ok(Flow::Return(Some(self.copied(value)?))),
            S::Error(message) => {
                return Err(self.failure(FailureKind::Error, span, message.as_str(), None));
            }
            S::PutText(text) => self.printed.push(text.clone()),
            S::Put(value) => self.put(value)?,
            S::Call { function, arguments } => {
                self.call(*function, arguments, span)?;
            }
            S::Push { queue, element, is_front } => self.push(queue, element, *is_front, span)?,
            S::Pop(queue) => self.pop(queue, span)?,
            S::Member { set, element, is_added } => self.member(set, element, *is_added)?,
            S::MultisetAdd { element, multiset } => self.add(element, multiset, span)?,
            S::MultisetRemove { local, multiset } => self.remove(*local, multiset, span)?,
            S::MultisetRemoveWhere { local, multiset, condition } => {
                self.remove_where(*local, multiset, condition)?;
            }
            S::Property { property, condition } => self.property(*property, condition, span)?,
            S::Accumulate { target, or, value, loops } => {
                self.accumulate(target, *or, value, *loops)?;
            }
        }
        Ok(Flow::Next)
    }

    #[inline(never)]
    fn assign(&mut self, target: &Place, value: &Expression) -> Result<(), EvalStop> {
        let reference = self.resolve(target)?;
        let (span, value) = (value.span, self.copied(value)?);
        self.must_be_in(target.of, &value, span, |machine| {
            format!("`{}`", machine.describe(&reference))
        })?;
        self.store(&reference, value, target.span)
    }

    #[inline(never)]
    fn reset(&mut self, place: &Place, value: Value) -> Result<(), EvalStop> {
        let reference = self.resolve(place)?;
        self.store(&reference, value, place.span)
    }

    /// Executes the body of the first case that has the subject's value.
    #[inline(never)]
    fn selected<'s>(
        &mut self,
        subject: &Expression,
        cases: &'s [(Vec<Expression>, Vec<Statement>)],
    ) -> Result<Option<&'s Vec<Statement>>, EvalStop> {
        let subject = self.evaluate(subject)?;
        for (values, body) in cases {
            for value in values {
                if self.evaluate(value)? == subject {
                    return Ok(Some(body));
                }
            }
        }
        Ok(None)
    }

    #[inline(never)]
    fn ordered_for(
        &mut self,
        binder: &Binder,
        body: &[Statement],
        span: Span,
    ) -> Result<Flow, EvalStop> {
        let mut values = self.values(&binder.domain)?;
        while let Some(scalar) = values.next(&self.model.types) {
            if let flow @ Flow::Return(_) = self.iteration(binder, scalar, body, span)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Runs all iterations, even if one fails or abandons the step. (None returns: the symmetry
    /// rules classify a loop with `return` as ordered.)
    #[inline(never)]
    fn unordered_for(
        &mut self,
        binder: &Binder,
        body: &[Statement],
        span: Span,
    ) -> Result<Flow, EvalStop> {
        let mut values = self.values(&binder.domain)?;
        self.unordered(span, |machine, gathered| {
            while let Some(scalar) = values.next(&machine.model.types) {
                if let Err(stop) = machine.iteration(binder, scalar, body, span) {
                    gathered.add(stop);
                }
            }
        })?;
        Ok(Flow::Next)
    }

    /// Runs an iteration for each element that is there now.
    #[inline(never)]
    fn each(
        &mut self,
        local: LocalId,
        multiset: &Place,
        body: &[Statement],
        span: Span,
    ) -> Result<(), EvalStop> {
        let reference = self.resolve(multiset)?;
        let elements = self.elements(&reference, multiset.span)?.iter().enumerate();
        let present: Vec<_> =
            elements.filter(|(_, element)| element.is_some()).map(|(k, _)| k).collect();
        self.unordered(span, |machine, gathered| {
            for k in present {
                run::poll();
                machine.bind(local, Slot::Position(Box::new((reference.clone(), k))));
                if let Err(stop) = machine.nested(span, |machine| machine.block(body)) {
                    gathered.add(stop);
                }
            }
        })
    }

    /// Runs the iterations of an unordered loop, and reports the failure that comes first in the text.
    fn unordered(
        &mut self,
        span: Span,
        iterations: impl FnOnce(&mut Self, &mut Gathered),
    ) -> Result<(), EvalStop> {
        self.loops.push(Vec::new());
        let mut gathered = Gathered::default();
        iterations(self, &mut gathered);
        let undecided = self.loops.pop().expect("every unordered loop under way is here");
        for Undecided { accumulator, deciding, stop } in undecided {
            let value = self.find(&accumulator, span);
            if !value.is_ok_and(|value| *value == Value::boolean(deciding)) {
                gathered.add(stop);
            }
        }
        gathered.finish()
    }

    fn iteration(
        &mut self,
        binder: &Binder,
        scalar: Scalar,
        body: &[Statement],
        span: Span,
    ) -> Result<Flow, EvalStop> {
        run::poll();
        self.bind_scalar(binder.local, scalar);
        // A loop takes as much stack as two statements.
        self.nested(span, |machine| machine.block(body))
    }

    /// Binds an alias to a place or to a value.
    #[inline(never)]
    pub(super) fn bind_alias(
        &mut self,
        local: LocalId,
        target: &Expression,
    ) -> Result<(), EvalStop> {
        let slot = match &target.kind {
            ExpressionKind::Read(place) => Slot::Reference(self.resolve(place)?),
            _ => Slot::Value(self.copied(target)?),
        };
        self.bind(local, slot);
        Ok(())
    }

    #[inline(never)]
    fn put(&mut self, value: &Expression) -> Result<(), EvalStop> {
        let types = &self.model.types;
        let text = if let ExpressionKind::Read(place) = &value.kind {
            let reference = self.resolve(place)?;
            let mut value = self.find(&reference, place.span)?.clone();
            value.settle();
            value.show(types, place.of)
        } else {
            self.copied(value)?.show(types, value.of)
        };
        self.printed.push(text);
        Ok(())
    }

    #[inline(never)]
    fn push(
        &mut self,
        queue: &Place,
        element: &Expression,
        is_front: bool,
        span: Span,
    ) -> Result<(), EvalStop> {
        let (element_span, element) = (element.span, self.copied(element)?);
        let reference = self.resolve(queue)?;
        let &Type::Queue { capacity, element: of } = self.model.types.get(queue.of) else {
            unreachable!("elements are pushed to queues only")
        };
        self.must_be_in(of, &element, element_span, |machine| {
            format!("an element of `{}`", machine.describe(&reference))
        })?;
        match self.find_mut(&reference, queue.span)? {
            Value::Queue(elements) if elements.len() < capacity as usize => {
                elements.insert(if is_front { 0 } else { elements.len() }, element);
                return Ok(());
            }
            _ => {}
        }
        let name = self.describe(&reference);
        let message = format!("`{name}` is full: it has room for {capacity}");
        Err(self.failure(FailureKind::QueueFull, span, message, None))
    }

    /// Adds an element to a set, or removes it.
    #[inline(never)]
    fn member(
        &mut self,
        set: &Place,
        element: &Expression,
        is_added: bool,
    ) -> Result<(), EvalStop> {
        let (element_span, element) = (element.span, self.evaluate(element)?);
        let reference = self.resolve(set)?;
        let of = self.model.types.set_of(set.of).expect("only sets have members");
        self.must_be_in(of, &element, element_span, |machine| {
            format!("an element of `{}`", machine.describe(&reference))
        })?;
        if let (Value::Set(elements), Value::Scalar(scalar)) =
            (self.find_mut(&reference, set.span)?, element)
        {
            if is_added {
                elements.insert(scalar);
            } else {
                elements.remove(&scalar);
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn pop(&mut self, queue: &Place, span: Span) -> Result<(), EvalStop> {
        let reference = self.resolve(queue)?;
        match self.find_mut(&reference, queue.span)? {
            Value::Queue(elements) if !elements.is_empty() => {
                elements.remove(0);
                Ok(())
            }
            _ => Err(self.is_empty(&reference, span)),
        }
    }

    #[inline(never)]
    fn add(&mut self, element: &Expression, multiset: &Place, span: Span) -> Result<(), EvalStop> {
        let (element_span, element) = (element.span, self.copied(element)?);
        let reference = self.resolve(multiset)?;
        let &Type::Multiset { capacity, element: of } = self.model.types.get(multiset.of) else {
            unreachable!("elements are added to multisets only")
        };
        self.must_be_in(of, &element, element_span, |machine| {
            format!("an element of `{}`", machine.describe(&reference))
        })?;
        let elements = self.elements(&reference, multiset.span)?;
        if elements.iter().flatten().count() < capacity as usize {
            elements.push(Some(element));
            return Ok(());
        }
        let name = self.describe(&reference);
        let message = format!("`{name}` is full: it has room for {capacity}");
        Err(self.failure(FailureKind::MultisetFull, span, message, None))
    }

    #[inline(never)]
    fn remove(&mut self, local: LocalId, multiset: &Place, span: Span) -> Result<(), EvalStop> {
        let reference = self.resolve(multiset)?;
        let position = self.position(local, &reference, span)?;
        if self.elements(&reference, multiset.span)?[position].take().is_some() {
            return Ok(());
        }
        let message = format!("the element has been removed from `{}`", self.describe(&reference));
        Err(self.failure(FailureKind::ElementGone, span, message, None))
    }

    #[inline(never)]
    fn remove_where(
        &mut self,
        local: LocalId,
        multiset: &Place,
        condition: &Expression,
    ) -> Result<(), EvalStop> {
        let found = self.satisfying(local, multiset, condition)?;
        let reference = self.resolve(multiset)?;
        let elements = self.elements(&reference, multiset.span)?;
        for position in found {
            elements[position] = None;
        }
        Ok(())
    }

    #[inline(never)]
    fn property(
        &mut self,
        id: PropertyId,
        condition: &Expression,
        span: Span,
    ) -> Result<(), EvalStop> {
        let holds = self.truth(condition)?;
        let property = &self.model.properties[id.0 as usize];
        match property.kind {
            PropertyKind::Assert | PropertyKind::Invariant if !holds => {
                let name = property.name.as_ref();
                let message = name.map_or_else(
                    || "the assertion is false".to_owned(),
                    |name| format!("the assertion is false: {name}"),
                );
                Err(self.failure(FailureKind::Assertion(id), span, message, None))
            }
            PropertyKind::Assume if !holds => Err(EvalStop::Abandoned),
            PropertyKind::Cover if holds => {
                if !self.covered.contains(&id) {
                    self.covered.push(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `target := target & value`, or with `|`: see [`StatementKind::Accumulate`].
    #[inline(never)]
    fn accumulate(
        &mut self,
        target: &Place,
        or: bool,
        value: &Expression,
        loops: u32,
    ) -> Result<(), EvalStop> {
        let accumulator = self.resolve(target)?;
        let now = self.load(&accumulator, target.span)?;
        if now == Value::boolean(or) {
            return Ok(());
        }
        match self.truth(value) {
            Ok(truth) => self.store(&accumulator, Value::boolean(truth), target.span),
            Err(EvalStop::Failed(failure)) => {
                let around = self.loops.len().checked_sub(loops as usize);
                let around = around.expect("an accumulator is inside its unordered loops");
                let stop = EvalStop::Failed(failure);
                self.loops[around].push(Undecided { accumulator, deciding: or, stop });
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }
}
