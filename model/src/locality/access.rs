//! Accesses: which parts of the state an expression, a statement or a rule reads and writes, with
//! functions, references and aliases followed.

use super::Root;
use crate::checked::{
    Argument, Binder, Domain, Expression, ExpressionKind, Function, Local, LocalId, LocalKind,
    Model, Place, Root as Start, Rule, Scope, Selector, Statement, StatementKind, VariableId,
};
use crate::value::Scalar;
use crate::walk;
use run::Span;

/// The index at which an array is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    /// The value of a bound variable, moved so many places around its ring.
    Bound { local: LocalId, shift: i32 },
    /// This value.
    Constant(Scalar),
    /// Anything else, or all indices.
    Other,
}

/// An access to a root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// The position of the root.
    pub(super) root: usize,
    /// The index, if the root is an array over a simple type; otherwise it says nothing.
    pub(super) term: Term,
    /// The fields behind the index.
    pub(super) fields: Vec<u32>,
    pub(super) writes: bool,
    /// Whether it is an access of the guard, or of what is around the rule.
    pub(super) in_guard: bool,
    pub(super) span: Span,
}

/// A place in the state, as far as it is understood.
#[derive(Clone, Debug)]
struct Path {
    variable: VariableId,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Field(u32),
    Element(Term),
    /// An element of a queue or a multiset.
    Inside,
}

/// What a local of the current frame stands for.
#[derive(Clone, Debug)]
enum Meaning {
    /// A bound variable of the rule, or an index that is made of one.
    Term(Term),
    /// A part of the state.
    Path(Path),
    /// A value, or a part of the frame.
    Local,
}

/// A frame: that of the rule, or of a function that it calls.
#[derive(Clone, Debug)]
pub(super) struct Frame<'f> {
    locals: &'f [Local],
    meanings: Vec<(LocalId, Meaning)>,
    /// How many calls are around it; 0 for the rule itself.
    depth: u32,
}

/// Calls that are nested deeper than this are not followed: they may access everything. Nor are more calls
/// than this, in all.
const DEEPEST: u32 = 8;
const MOST_CALLS: u32 = 1 << 12;

/// Reads off accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'r> {
    pub(super) model: &'r Model,
    pub(super) roots: &'r [Root],
}

/// Where accesses are collected.
struct Collector<'r> {
    reader: Reader<'r>,
    found: Vec<Access>,
    in_guard: bool,
    calls: u32,
}

impl Reader<'_> {
    /// All accesses of a rule: of what is around it, its guard and its body.
    pub(super) fn of_rule(self, rule: &Rule) -> Vec<Access> {
        let mut collector = Collector { reader: self, found: Vec::new(), in_guard: true, calls: 0 };
        let mut frame = Frame::new(&rule.locals);
        for scope in &rule.scope {
            match scope {
                Scope::Parameter { .. } => {}
                Scope::Alias { local, target } => collector.alias(*local, target, &mut frame),
                Scope::Choose { multiset, .. } => collector.place(multiset, false, &frame),
            }
        }
        if let Some(guard) = &rule.guard {
            collector.expression(guard, &frame);
        }
        collector.in_guard = false;
        collector.block(&rule.body, &mut frame);
        collector.found
    }

    /// The accesses of an expression.
    pub(super) fn of_expression(self, expression: &Expression, frame: &Frame<'_>) -> Vec<Access> {
        let mut collector = Collector { reader: self, found: Vec::new(), in_guard: true, calls: 0 };
        collector.expression(expression, frame);
        collector.found
    }

    /// The accesses of a statement.
    pub(super) fn of_statement(self, statement: &Statement, frame: &mut Frame<'_>) -> Vec<Access> {
        let mut collector =
            Collector { reader: self, found: Vec::new(), in_guard: false, calls: 0 };
        collector.statement(statement, frame);
        collector.found
    }

    /// The accesses of a place itself, without the indices in it.
    pub(super) fn of_place(self, place: &Place, frame: &Frame<'_>) -> Vec<Access> {
        let mut collector = Collector { reader: self, found: Vec::new(), in_guard: true, calls: 0 };
        if let Some(path) = frame.path(place) {
            collector.path(&path, false, place.span);
        }
        collector.found
    }
}

impl<'f> Frame<'f> {
    /// The frame of a rule, a formula or a requirement, in which only bound variables have values.
    pub(super) fn new(locals: &'f [Local]) -> Self {
        Frame { locals, meanings: Vec::new(), depth: 0 }
    }

    /// Makes a name for the target of an alias.
    pub(super) fn name(&mut self, local: LocalId, target: &Expression) {
        let meaning = match &target.kind {
            ExpressionKind::Read(place) => self.meaning(place),
            _ => Meaning::Local,
        };
        self.meanings.push((local, meaning));
    }

    /// Ends the visibility of the name that was made last.
    pub(super) fn forget(&mut self) {
        self.meanings.pop();
    }

    fn meaning(&self, place: &Place) -> Meaning {
        match self.path(place) {
            Some(path) => Meaning::Path(path),
            None => match (place.root, &place.selectors[..]) {
                (Start::Local(local), []) => Meaning::Term(self.term(local)),
                _ => Meaning::Local,
            },
        }
    }

    /// The part of the state that a place is in; none if it is in the frame.
    fn path(&self, place: &Place) -> Option<Path> {
        let mut path = match place.root {
            Start::Global(variable) => Path { variable, steps: Vec::new() },
            Start::Local(local) => match self.find(local) {
                Some(Meaning::Path(path)) => path.clone(),
                _ => return None,
            },
        };
        for selector in &place.selectors {
            path.steps.push(match selector {
                Selector::Field(field) => Step::Field(*field),
                Selector::Element(index) => Step::Element(self.index(index)),
                Selector::Position(_) | Selector::Last | Selector::Chosen(_) => Step::Inside,
            });
        }
        Some(path)
    }

    /// The index that an expression is.
    fn index(&self, index: &Expression) -> Term {
        let shifted = |inner: &Expression, by: i32| match self.index(inner) {
            Term::Bound { local, shift } => Term::Bound { local, shift: shift + by },
            _ => Term::Other,
        };
        match &index.kind {
            ExpressionKind::Constant(scalar) => Term::Constant(*scalar),
            ExpressionKind::Read(Place { root: Start::Local(local), selectors, .. })
                if selectors.is_empty() =>
            {
                self.term(*local)
            }
            ExpressionKind::Next(inner) => shifted(inner, 1),
            ExpressionKind::Previous(inner) => shifted(inner, -1),
            _ => Term::Other,
        }
    }

    /// The index that is in a local.
    fn term(&self, local: LocalId) -> Term {
        match self.find(local) {
            Some(Meaning::Term(term)) => *term,
            Some(_) => Term::Other,
            // Locals of functions have other frames than those of the rule.
            None if self.depth > 0 => Term::Other,
            None if self.locals[local.0 as usize].kind != LocalKind::Bound => Term::Other,
            None => Term::Bound { local, shift: 0 },
        }
    }

    fn find(&self, local: LocalId) -> Option<&Meaning> {
        self.meanings.iter().rev().find(|(one, _)| *one == local).map(|(_, meaning)| meaning)
    }
}

impl Collector<'_> {
    fn path(&mut self, path: &Path, writes: bool, span: Span) {
        let fields: Vec<u32> = path
            .steps
            .iter()
            .map_while(|step| match step {
                Step::Field(field) => Some(*field),
                _ => None,
            })
            .collect();
        let of_variable = self.reader.roots.iter().enumerate();
        let touched = of_variable.filter(|(_, root)| {
            let both = root.fields.iter().zip(&fields);
            root.variable == path.variable && both.clone().all(|(one, other)| one == other)
        });
        for (root, of) in touched {
            let rest = path.steps.get(of.fields.len()..).unwrap_or_default();
            let (term, rest) = match (of.index, rest) {
                (Some(_), [Step::Element(term), rest @ ..]) => (*term, rest),
                _ => (Term::Other, rest),
            };
            let fields = rest.iter().map_while(|step| match step {
                Step::Field(field) => Some(*field),
                _ => None,
            });
            let fields = if of.index.is_some() && term == Term::Other {
                Vec::new()
            } else {
                fields.collect()
            };
            let in_guard = self.in_guard;
            self.found.push(Access { root, term, fields, writes, in_guard, span });
        }
    }

    fn place(&mut self, place: &Place, writes: bool, frame: &Frame<'_>) {
        walk::indices(place, &mut |index| self.expression(index, frame));
        if let Some(path) = frame.path(place) {
            self.path(&path, writes, place.span);
        }
    }

    /// Everything may be read and written.
    fn everything(&mut self, span: Span) {
        for root in 0..self.reader.roots.len() {
            for writes in [false, true] {
                let in_guard = self.in_guard;
                let fields = Vec::new();
                self.found.push(Access { root, term: Term::Other, fields, writes, in_guard, span });
            }
        }
    }

    fn expression(&mut self, expression: &Expression, frame: &Frame<'_>) {
        walk::places(expression, &mut |place| {
            if let Some(path) = frame.path(place) {
                self.path(&path, false, place.span);
            }
        });
        if let ExpressionKind::Call { function, arguments } = &expression.kind {
            let function = &self.reader.model.functions[function.0 as usize];
            self.call(function, arguments, expression.span, frame);
            return;
        }
        walk::parts(expression, &mut |part| self.expression(part, frame));
    }

    fn call(&mut self, function: &Function, arguments: &[Argument], span: Span, frame: &Frame<'_>) {
        let locals = &function.locals;
        let mut inner = Frame { locals, meanings: Vec::new(), depth: frame.depth + 1 };
        for (k, argument) in (0..).map(LocalId).zip(arguments) {
            let meaning = match argument {
                Argument::Reference(place) => {
                    // A reference is followed to where it is used; it may be written there.
                    walk::indices(place, &mut |index| self.expression(index, frame));
                    frame.meaning(place)
                }
                Argument::Value(value) => {
                    self.expression(value, frame);
                    Meaning::Term(frame.index(value))
                }
            };
            // A parameter that is assigned is a variable.
            let is_fixed = function.locals[k.0 as usize].kind != LocalKind::Variable;
            inner.meanings.push((k, if is_fixed { meaning } else { Meaning::Local }));
        }
        self.calls += 1;
        if inner.depth > DEEPEST || self.calls > MOST_CALLS {
            return self.everything(span);
        }
        self.block(&function.body, &mut inner);
    }

    fn alias(&mut self, local: LocalId, target: &Expression, frame: &mut Frame<'_>) {
        match &target.kind {
            // What the name stands for is accessed where it is used.
            ExpressionKind::Read(place) => {
                walk::indices(place, &mut |index| self.expression(index, frame));
            }
            _ => self.expression(target, frame),
        }
        frame.name(local, target);
    }

    fn binder(&mut self, binder: &Binder, frame: &Frame<'_>) {
        if let Domain::Steps { from, to, by } = &binder.domain {
            for one in [from, to].into_iter().chain(by) {
                self.expression(one, frame);
            }
        }
    }

    fn block(&mut self, block: &[Statement], frame: &mut Frame<'_>) {
        for statement in block {
            self.statement(statement, frame);
        }
    }

    fn statement(&mut self, statement: &Statement, frame: &mut Frame<'_>) {
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                self.place(target, true, frame);
                self.expression(value, frame);
            }
            StatementKind::Accumulate { target, value, .. } => {
                self.place(target, true, frame);
                self.place(target, false, frame);
                self.expression(value, frame);
            }
            StatementKind::Clear(place) | StatementKind::Undefine(place) => {
                self.place(place, true, frame);
            }
            StatementKind::Pop(place) => {
                self.place(place, true, frame);
                self.place(place, false, frame);
            }
            StatementKind::Push { queue: into, element, .. }
            | StatementKind::Member { set: into, element, .. }
            | StatementKind::MultisetAdd { element, multiset: into } => {
                self.place(into, true, frame);
                self.place(into, false, frame);
                self.expression(element, frame);
            }
            StatementKind::MultisetRemove { multiset, .. } => {
                self.place(multiset, true, frame);
                self.place(multiset, false, frame);
            }
            StatementKind::MultisetRemoveWhere { multiset, condition, .. } => {
                self.place(multiset, true, frame);
                self.place(multiset, false, frame);
                self.expression(condition, frame);
            }
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expression(condition, frame);
                    self.block(body, frame);
                }
                self.block(otherwise, frame);
            }
            StatementKind::Switch { subject, cases, otherwise } => {
                self.expression(subject, frame);
                for (values, body) in cases {
                    for value in values {
                        self.expression(value, frame);
                    }
                    self.block(body, frame);
                }
                self.block(otherwise, frame);
            }
            StatementKind::For { binder, body, .. } => {
                self.binder(binder, frame);
                self.block(body, frame);
            }
            // Which element an iteration reads is no matter of an index.
            StatementKind::Each { .. } => self.everything(statement.span),
            StatementKind::While { condition, body } => {
                self.expression(condition, frame);
                self.block(body, frame);
            }
            StatementKind::Alias { local, target, body } => {
                self.alias(*local, target, frame);
                self.block(body, frame);
                frame.forget();
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(value, frame);
                }
            }
            StatementKind::Error(_) | StatementKind::PutText(_) => {}
            StatementKind::Put(value) => self.expression(value, frame),
            StatementKind::Call { function, arguments } => {
                let function = &self.reader.model.functions[function.0 as usize];
                self.call(function, arguments, statement.span, frame);
            }
            StatementKind::Property { condition, .. } => self.expression(condition, frame),
        }
    }
}
