//! Arrays and records are passed by value: the arguments that must be copied for that.
//!
//! A parameter without `var` keeps the value that its argument has when it is evaluated. As long as
//! nothing writes to the argument before the call returns, a reference serves as well, and costs
//! nothing. So the checker makes references, and this pass turns those into values (which are
//! copied) that a write may reach: a write to a global variable or through a `var` parameter, by the
//! function, by a function that it calls, or by the evaluation of an argument further right.
//!
//! What is written is known by variable, not by element: where two places may be the same, they
//! count as the same. A parameter without `var` that is passed on needs no copy: if something in the
//! dynamic extent of its function could write to it, it was copied when that function was called.

use crate::checked::{
    Argument, Atom, Domain, Expression, ExpressionKind, Formula, FunctionId, Local, LocalId,
    LocalKind, Model, Place, Requirement, Root, Scope, Selector, Shown, Statement, StatementKind,
    VariableId,
};
use crate::walk;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// Makes every call of a model pass arrays and records by value.
pub(super) fn by_value(model: &mut Model) {
    let writes = writes_of(model);
    let is_value = |local: &Local| local.kind == LocalKind::Parameter;
    let values: Vec<Vec<bool>> = model
        .functions
        .iter()
        .map(|one| one.locals[..one.arity].iter().map(is_value).collect())
        .collect();
    let known = Known { writes, values };
    for function in &mut model.functions {
        known.pass(&function.locals).statements(&mut function.body);
    }
    for start in &mut model.starts {
        let mut pass = known.pass(&start.locals);
        pass.scope(&mut start.scope);
        pass.statements(&mut start.body);
    }
    for rule in &mut model.rules {
        let mut pass = known.pass(&rule.locals);
        pass.scope(&mut rule.scope);
        rule.guard.iter_mut().for_each(|guard| pass.expression(guard));
        pass.statements(&mut rule.body);
    }
    for property in &mut model.properties {
        let mut pass = known.pass(&property.locals);
        pass.scope(&mut property.scope);
        property.condition.iter_mut().for_each(|condition| pass.expression(condition));
    }
    for Formula { locals, atoms, .. } in model.formulas.iter_mut().chain(&mut model.questions) {
        for atom in atoms {
            if let Atom::State { condition, .. } = atom {
                known.pass(locals).expression(condition);
            }
        }
    }
    for Shown { locals, value, .. } in &mut model.shown {
        known.pass(locals).expression(value);
    }
    for Requirement { locals, premise, conclusion, .. } in &mut model.requirements {
        for condition in premise.iter_mut().chain([conclusion]) {
            known.pass(locals).expression(condition);
        }
    }
}

/// The storage that a place is a part of, as the body that names it sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A variable of the state.
    Global(VariableId),
    /// A slot of the body's own frame.
    Own(LocalId),
    /// The argument of a `var` parameter: any storage outside the body's own frame.
    Reference(LocalId),
    /// The argument of another parameter, which nothing writes to.
    Parameter,
}

impl Origin {
    /// Whether a write to `written` may change a part of this.
    fn may_be(self, written: Origin) -> bool {
        match (self, written) {
            (Origin::Parameter, _)
            | (_, Origin::Parameter)
            | (Origin::Reference(_), Origin::Own(_))
            | (Origin::Own(_), Origin::Reference(_)) => false,
            (Origin::Reference(_), _) | (_, Origin::Reference(_)) => true,
            (one, other) => one == other,
        }
    }
}

/// The origins of the slots of a frame.
struct Origins<'l> {
    locals: &'l [Local],
    /// Of the aliases met so far.
    aliases: HashMap<LocalId, Origin>,
}

impl<'l> Origins<'l> {
    fn new(locals: &'l [Local]) -> Self {
        Origins { locals, aliases: HashMap::new() }
    }

    fn of(&self, place: &Place) -> Origin {
        match place.root {
            Root::Global(variable) => Origin::Global(variable),
            Root::Local(local) => match self.locals[local.0 as usize].kind {
                LocalKind::WritableParameter => Origin::Reference(local),
                LocalKind::Parameter => Origin::Parameter,
                LocalKind::Alias => self.aliases.get(&local).copied().unwrap_or(Origin::Own(local)),
                LocalKind::Bound | LocalKind::Variable | LocalKind::Chosen => Origin::Own(local),
            },
        }
    }

    /// Follows an alias; that of a computed value is a slot of its own.
    fn alias(&mut self, local: LocalId, target: &Expression) {
        let origin = match &target.kind {
            ExpressionKind::Read(place) => self.of(place),
            _ => Origin::Own(local),
        };
        self.aliases.insert(local, origin);
    }
}

/// What a call may write to, calls of other functions included.
#[derive(Clone, PartialEq, Eq, Default)]
struct Writes {
    globals: BTreeSet<VariableId>,
    /// The `var` parameters whose arguments are written to.
    parameters: BTreeSet<LocalId>,
}

impl Writes {
    fn add(&mut self, origin: Origin) {
        match origin {
            Origin::Global(variable) => _ = self.globals.insert(variable),
            Origin::Reference(parameter) => _ = self.parameters.insert(parameter),
            Origin::Own(_) | Origin::Parameter => {}
        }
    }

    /// The storage that a call with these arguments may write to.
    fn origins(&self, arguments: &[Argument], origins: &Origins<'_>) -> Vec<Origin> {
        let passed = self.parameters.iter().filter_map(|parameter| {
            match arguments.get(parameter.0 as usize)? {
                Argument::Reference(place) => Some(origins.of(place)),
                Argument::Value(_) => None,
            }
        });
        self.globals.iter().map(|&variable| Origin::Global(variable)).chain(passed).collect()
    }
}

/// The writes of all functions: the least solution, since functions may be recursive.
fn writes_of(model: &Model) -> Vec<Writes> {
    let mut writes = vec![Writes::default(); model.functions.len()];
    loop {
        let mut grown = false;
        for (id, function) in model.functions.iter().enumerate() {
            let origins = Origins::new(&function.locals);
            let found = writes[id].clone();
            let mut survey = Survey { writes: &writes, origins, found };
            function.body.iter().for_each(|statement| survey.statement(statement));
            let found = survey.found;
            grown |= found != writes[id];
            writes[id] = found;
        }
        if !grown {
            return writes;
        }
    }
}

/// Collects the writes of a body.
struct Survey<'s> {
    /// Of all functions, as far as they are known.
    writes: &'s [Writes],
    origins: Origins<'s>,
    found: Writes,
}

impl Survey<'_> {
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
            | StatementKind::MultisetRemoveWhere { multiset: target, .. } => {
                self.found.add(self.origins.of(target));
            }
            StatementKind::Alias { local, target, .. } => self.origins.alias(*local, target),
            StatementKind::Call { function, arguments } => self.call(*function, arguments),
            _ => {}
        }
        walk::own_expressions(statement, &mut |expression| self.calls(expression));
        walk::substatements(statement, &mut |inner| self.statement(inner));
    }

    /// A call, if the expression is one.
    fn calls(&mut self, expression: &Expression) {
        if let ExpressionKind::Call { function, arguments } = &expression.kind {
            self.call(*function, arguments);
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) {
        for origin in self.writes[function.0 as usize].origins(arguments, &self.origins) {
            self.found.add(origin);
        }
    }
}

/// What is known of all functions.
struct Known {
    writes: Vec<Writes>,
    /// By function and parameter: whether it is one without `var`.
    values: Vec<Vec<bool>>,
}

impl Known {
    /// A pass through a body with these slots.
    fn pass<'p>(&'p self, locals: &'p [Local]) -> Pass<'p> {
        Pass { known: self, origins: Origins::new(locals) }
    }
}

/// Turns references into values.
struct Pass<'p> {
    known: &'p Known,
    origins: Origins<'p>,
}

impl Pass<'_> {
    fn call(&mut self, function: FunctionId, arguments: &mut [Argument]) {
        for argument in &mut *arguments {
            match argument {
                Argument::Reference(place) => self.place(place),
                Argument::Value(value) => self.expression(value),
            }
        }
        let writes = &self.known.writes[function.0 as usize];
        let mut written = writes.origins(arguments, &self.origins);
        // From right to left, so that `written` is what may be written after an argument.
        for (k, is_value) in self.known.values[function.0 as usize].iter().enumerate().rev() {
            if let Argument::Reference(place) = &arguments[k]
                && *is_value
            {
                let origin = self.origins.of(place);
                if written.iter().any(|&one| origin.may_be(one)) {
                    let (of, span) = (place.of, place.span);
                    let kind = ExpressionKind::Read(place.clone());
                    arguments[k] = Argument::Value(Expression { kind, of, span });
                }
            }
            self.evaluated(&arguments[k], &mut written);
        }
    }

    /// Adds what the evaluation of an argument may write to.
    fn evaluated(&self, argument: &Argument, written: &mut Vec<Origin>) {
        let mut note = |expression: &Expression| {
            if let ExpressionKind::Call { function, arguments } = &expression.kind {
                let writes = &self.known.writes[function.0 as usize];
                written.extend(writes.origins(arguments, &self.origins));
            }
        };
        match argument {
            Argument::Value(value) => walk::expressions(value, &mut note),
            Argument::Reference(place) => {
                walk::indices(place, &mut |index| walk::expressions(index, &mut note));
            }
        }
    }

    fn scope(&mut self, scope: &mut [Scope]) {
        for part in scope {
            match part {
                Scope::Parameter { .. } => {}
                Scope::Choose { multiset, .. } => self.place(multiset),
                Scope::Alias { local, target } => {
                    self.expression(target);
                    self.origins.alias(*local, target);
                }
            }
        }
    }

    fn place(&mut self, place: &mut Place) {
        for selector in &mut place.selectors {
            if let Selector::Element(index) | Selector::Position(index) = selector {
                self.expression(index);
            }
        }
    }

    fn domain(&mut self, domain: &mut Domain) {
        if let Domain::Steps { from, to, by } = domain {
            self.expression(from);
            self.expression(to);
            if let Some(by) = by {
                self.expression(by);
            }
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        use ExpressionKind as E;
        match &mut expression.kind {
            E::Constant(_) => {}
            E::Read(place) | E::Peek(place) | E::Length(place) | E::IsUndefined(place) => {
                self.place(place);
            }
            E::InQueue(element, queue) => {
                self.expression(element);
                self.place(queue);
            }
            E::Not(e)
            | E::Negate(e)
            | E::BitwiseNot(e)
            | E::IsMember(e, _)
            | E::Size(e)
            | E::Next(e)
            | E::Previous(e) => self.expression(e),
            E::Arithmetic(_, a, b)
            | E::Compare(_, a, b)
            | E::Equal(a, b)
            | E::NotEqual(a, b)
            | E::And(a, b)
            | E::Or(a, b)
            | E::Implies(a, b)
            | E::SetOperation(_, a, b)
            | E::InSet(a, b)
            | E::Subset(a, b)
            | E::Adjacent(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            E::Conditional(condition, a, b) => {
                self.expression(condition);
                self.expression(a);
                self.expression(b);
            }
            E::Quantified { binder, body, .. } | E::Sum { binder, body } => {
                self.domain(&mut binder.domain);
                self.expression(body);
            }
            E::SetOf(all) => all.iter_mut().for_each(|one| self.expression(one)),
            E::Parts(all) => all.iter_mut().flatten().for_each(|part| self.expression(part)),
            E::Call { function, arguments } => self.call(*function, arguments),
            E::MultisetCount { multiset, condition, .. } => {
                self.place(multiset);
                self.expression(condition);
            }
        }
    }

    fn statements(&mut self, list: &mut [Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        use StatementKind as S;
        match &mut statement.kind {
            S::Assign { target, value } | S::Accumulate { target, value, .. } => {
                self.place(target);
                self.expression(value);
            }
            S::Clear(place) | S::Undefine(place) => self.place(place),
            S::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expression(condition);
                    self.statements(body);
                }
                self.statements(otherwise);
            }
            S::Switch { subject, cases, otherwise } => {
                self.expression(subject);
                for (values, body) in cases {
                    for value in values {
                        self.expression(value);
                    }
                    self.statements(body);
                }
                self.statements(otherwise);
            }
            S::For { binder, body, .. } => {
                self.domain(&mut binder.domain);
                self.statements(body);
            }
            S::Each { multiset, body, .. } => {
                self.place(multiset);
                self.statements(body);
            }
            S::While { condition, body } => {
                self.expression(condition);
                self.statements(body);
            }
            S::Alias { local, target, body } => {
                self.expression(target);
                self.origins.alias(*local, target);
                self.statements(body);
            }
            S::Return(value) => value.iter_mut().for_each(|value| self.expression(value)),
            S::Error(_) | S::PutText(_) => {}
            S::Put(value) | S::Property { condition: value, .. } => self.expression(value),
            S::Call { function, arguments } => self.call(*function, arguments),
            S::Push { queue: into, element, .. }
            | S::Member { set: into, element, .. }
            | S::MultisetAdd { element, multiset: into } => {
                self.expression(element);
                self.place(into);
            }
            S::Pop(queue) => self.place(queue),
            S::MultisetRemove { multiset, .. } => self.place(multiset),
            S::MultisetRemoveWhere { multiset, condition, .. } => {
                self.place(multiset);
                self.expression(condition);
            }
        }
    }
}
