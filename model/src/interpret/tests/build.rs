//! Builds checked models by hand.

use crate::checked::{
    Argument, Arithmetic, Binder, Comparison, Domain, Event, EventId, Expression, ExpressionKind,
    FamilyId, Function, FunctionId, Local, LocalId, LocalKind, Model, Owner, ParameterDomain,
    Place, ProcessFamily, Property, PropertyId, Root, Rule, Scope, Selector, Start, Statement,
    StatementKind, Variable, VariableId,
};
use crate::syntax::{IndexKind, PropertyKind, QuantifierKind};
use crate::types::{IndexType, Type, TypeId, Types};
use crate::value::Scalar;
use ltl::Span;

/// The span of parts whose position does not matter.
pub(super) const HERE: Span = Span::at(0);
pub(super) const BOOLEAN: TypeId = Types::BOOLEAN;

/// A model with nothing in it but the process `system`.
pub(super) fn empty() -> Model {
    Model {
        types: Types::new(),
        constants: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        starts: Vec::new(),
        rules: Vec::new(),
        events: Vec::new(),
        processes: vec![ProcessFamily { name: "system".to_owned(), of: None, span: None }],
        properties: Vec::new(),
        formulas: Vec::new(),
        questions: Vec::new(),
        shown: Vec::new(),
        requirements: Vec::new(),
        symmetries: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Adds parts to a model.
pub(super) trait Build {
    fn range(&mut self, low: i64, high: i64) -> TypeId;
    fn index(&mut self, name: &str, kind: IndexKind, size: u32) -> TypeId;
    fn array(&mut self, index: TypeId, element: TypeId) -> TypeId;
    fn record(&mut self, fields: &[(&str, TypeId)]) -> TypeId;
    fn multiset(&mut self, capacity: u32, element: TypeId) -> TypeId;
    fn variable(&mut self, name: &str, of: TypeId) -> Place;
    fn start(&mut self, scope: Vec<Scope>, locals: Vec<Local>, body: Vec<Statement>);
    fn family(&mut self, name: &str, of: TypeId) -> FamilyId;
    fn rule(&mut self, name: &str, rule: Around, body: Vec<Statement>);
    fn function(
        &mut self,
        parameters: Vec<Local>,
        variables: Vec<Local>,
        result: Option<TypeId>,
        body: Vec<Statement>,
    ) -> FunctionId;
    fn property(
        &mut self,
        kind: PropertyKind,
        name: &str,
        condition: Option<Expression>,
    ) -> PropertyId;
}

/// The scope, guard and owner of a rule.
#[derive(Default)]
pub(super) struct Around {
    pub(super) scope: Vec<Scope>,
    pub(super) locals: Vec<Local>,
    pub(super) guard: Option<Expression>,
    pub(super) owner: Option<(FamilyId, LocalId)>,
}

impl Build for Model {
    fn range(&mut self, low: i64, high: i64) -> TypeId {
        self.types.intern(Type::Range { low, high })
    }

    fn index(&mut self, name: &str, kind: IndexKind, size: u32) -> TypeId {
        let name = name.to_owned();
        self.types.declare_index_type(IndexType { name, kind, size, span: HERE })
    }

    fn array(&mut self, index: TypeId, element: TypeId) -> TypeId {
        self.types.intern(Type::Array { index, element })
    }

    fn record(&mut self, fields: &[(&str, TypeId)]) -> TypeId {
        let fields = fields.iter().map(|&(name, of)| (name.to_owned(), of)).collect();
        self.types.intern(Type::Record(fields))
    }

    fn multiset(&mut self, capacity: u32, element: TypeId) -> TypeId {
        self.types.intern(Type::Multiset { capacity, element })
    }

    fn variable(&mut self, name: &str, of: TypeId) -> Place {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable { name: name.to_owned(), of, span: HERE });
        Place { root: Root::Global(id), selectors: Vec::new(), of, span: HERE }
    }

    fn start(&mut self, scope: Vec<Scope>, locals: Vec<Local>, body: Vec<Statement>) {
        let name = format!("start_{}", self.starts.len());
        self.starts.push(Start { name, scope, locals, body, span: HERE });
    }

    fn family(&mut self, name: &str, of: TypeId) -> FamilyId {
        let (name, of) = (name.to_owned(), Some(of));
        self.processes.push(ProcessFamily { name, of, span: None });
        FamilyId(self.processes.len() as u32 - 1)
    }

    fn rule(&mut self, name: &str, rule: Around, body: Vec<Statement>) {
        let Around { scope, locals, guard, owner } = rule;
        let parameters = scope.iter().filter_map(|part| match part {
            Scope::Parameter { local, .. } | Scope::Choose { local, .. } => {
                let local = &locals[local.0 as usize];
                Some((local.name.clone(), local.of))
            }
            Scope::Alias { .. } => None,
        });
        let fresh =
            Event { name: name.to_owned(), parameters: parameters.collect(), fairness: None };
        let known = self.events.iter().position(|event| *event == fresh);
        let event = EventId(known.unwrap_or(self.events.len()) as u32);
        if known.is_none() {
            self.events.push(fresh);
        }
        let owner = match owner {
            Some((family, local)) => Owner { family, parameter: Some(local) },
            None => Owner { family: FamilyId(0), parameter: None },
        };
        let (name, span, fairness) = (name.to_owned(), HERE, None);
        self.rules.push(Rule { name, scope, locals, guard, body, owner, event, fairness, span });
    }

    fn function(
        &mut self,
        parameters: Vec<Local>,
        variables: Vec<Local>,
        result: Option<TypeId>,
        body: Vec<Statement>,
    ) -> FunctionId {
        let (name, arity) = (format!("f{}", self.functions.len()), parameters.len());
        let locals = [parameters, variables].concat();
        let (has_effects, only_prints, span) = (true, false, HERE);
        self.functions.push(Function {
            name,
            locals,
            arity,
            result,
            body,
            has_effects,
            only_prints,
            span,
        });
        FunctionId(self.functions.len() as u32 - 1)
    }

    fn property(
        &mut self,
        kind: PropertyKind,
        name: &str,
        condition: Option<Expression>,
    ) -> PropertyId {
        let (name, is_statement) = (Some(name.to_owned()), condition.is_none());
        let (scope, locals, span) = (Vec::new(), Vec::new(), HERE);
        self.properties.push(Property { name, kind, is_statement, scope, locals, condition, span });
        PropertyId(self.properties.len() as u32 - 1)
    }
}

pub(super) fn local(name: &str, of: TypeId, kind: LocalKind) -> Local {
    Local { name: name.to_owned(), of, kind, span: HERE }
}

pub(super) fn slot(k: u32, of: TypeId) -> Place {
    Place { root: Root::Local(LocalId(k)), selectors: Vec::new(), of, span: HERE }
}

pub(super) fn global(model: &Model, k: u32) -> Place {
    let of = model.variables[k as usize].of;
    Place { root: Root::Global(VariableId(k)), selectors: Vec::new(), of, span: HERE }
}

/// The k-th value of an index type.
pub(super) fn index(model: &Model, of: TypeId, k: u64) -> Expression {
    expression(ExpressionKind::Constant(Scalar::nth(&model.types, of, k)), of)
}

pub(super) fn parameter(k: u32, of: TypeId) -> Scope {
    Scope::Parameter { local: LocalId(k), domain: ParameterDomain::Type(of) }
}

/// Builds paths into a place.
pub(super) trait Path {
    fn select(&self, selector: Selector, of: TypeId) -> Place;
    fn element(&self, index: Expression, of: TypeId) -> Place;
    fn field(&self, k: u32, of: TypeId) -> Place;
    fn chosen(&self, k: u32, of: TypeId) -> Place;
    fn read(&self) -> Expression;
}

impl Path for Place {
    fn select(&self, selector: Selector, of: TypeId) -> Place {
        let mut selectors = self.selectors.clone();
        selectors.push(selector);
        Place { selectors, of, ..self.clone() }
    }

    fn element(&self, index: Expression, of: TypeId) -> Place {
        self.select(Selector::Element(index), of)
    }

    fn field(&self, k: u32, of: TypeId) -> Place {
        self.select(Selector::Field(k), of)
    }

    fn chosen(&self, k: u32, of: TypeId) -> Place {
        self.select(Selector::Chosen(LocalId(k)), of)
    }

    fn read(&self) -> Expression {
        Expression { kind: ExpressionKind::Read(self.clone()), of: self.of, span: self.span }
    }
}

pub(super) fn expression(kind: ExpressionKind, of: TypeId) -> Expression {
    Expression { kind, of, span: HERE }
}

pub(super) fn condition(kind: ExpressionKind) -> Expression {
    expression(kind, BOOLEAN)
}

pub(super) fn truth(value: bool) -> Expression {
    condition(ExpressionKind::Constant(Scalar::boolean(value)))
}

pub(super) fn number(n: i64) -> Expression {
    expression(ExpressionKind::Constant(Scalar::Number(n)), Types::INTEGER)
}

pub(super) fn arithmetic(operator: Arithmetic, a: Expression, b: Expression) -> Expression {
    let kind = ExpressionKind::Arithmetic(operator, Box::new(a), Box::new(b));
    expression(kind, Types::INTEGER)
}

pub(super) fn add(a: Expression, b: Expression) -> Expression {
    arithmetic(Arithmetic::Add, a, b)
}

pub(super) fn equal(a: Expression, b: Expression) -> Expression {
    condition(ExpressionKind::Equal(Box::new(a), Box::new(b)))
}

pub(super) fn less(a: Expression, b: Expression) -> Expression {
    condition(ExpressionKind::Compare(Comparison::Less, Box::new(a), Box::new(b)))
}

pub(super) fn quantified(
    kind: QuantifierKind,
    k: u32,
    domain: Domain,
    body: Expression,
) -> Expression {
    let binder = Binder { local: LocalId(k), domain };
    condition(ExpressionKind::Quantified { kind, binder, body: Box::new(body) })
}

pub(super) fn call(function: FunctionId, arguments: Vec<Argument>, of: TypeId) -> Expression {
    expression(ExpressionKind::Call { function, arguments }, of)
}

pub(super) fn steps(from: i64, to: i64, by: Option<i64>) -> Domain {
    let by = by.map(|by| Box::new(number(by)));
    Domain::Steps { from: Box::new(number(from)), to: Box::new(number(to)), by }
}

pub(super) fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: HERE }
}

pub(super) fn assign(target: &Place, value: Expression) -> Statement {
    statement(StatementKind::Assign { target: target.clone(), value })
}

pub(super) fn if_then(condition: Expression, body: Vec<Statement>) -> Statement {
    statement(StatementKind::If { branches: vec![(condition, body)], otherwise: Vec::new() })
}

pub(super) fn for_each(k: u32, domain: Domain, unordered: bool, body: Vec<Statement>) -> Statement {
    let binder = Binder { local: LocalId(k), domain };
    statement(StatementKind::For { binder, unordered, body })
}

pub(super) fn perform(function: FunctionId, arguments: Vec<Argument>) -> Statement {
    statement(StatementKind::Call { function, arguments })
}

/// Sets the span of a part.
pub(super) trait At {
    fn at(self, offset: usize) -> Self;
}

impl At for Expression {
    fn at(mut self, offset: usize) -> Self {
        self.span = Span::at(offset);
        if let ExpressionKind::Read(place) = &mut self.kind {
            place.span = self.span;
        }
        self
    }
}

impl At for Statement {
    fn at(self, offset: usize) -> Self {
        Statement { span: Span::at(offset), ..self }
    }
}
