//! Walks a body as if it were executed: takes every branch, follows every call, and lists all
//! accesses.

use super::super::checked::{
    Argument, Binder, Domain, Expression, ExpressionKind, FunctionId, Local, LocalId, LocalKind,
    Model, Place, Root, Scope, Selector, Statement, StatementKind,
};
use super::super::types::{Type, TypeId, Types};
use super::super::value::Scalar;
use super::access::{Access, Form, Iteration, PathStep, StoreRoot, Term};
use super::flow::DataFlow;
use super::loops::Findings;
use super::rules::{Rules, SymmetryRule};
use super::update::update;
use super::{Body, LoopKey, Reason, Top, is_over_indices};
use hashbrown::HashMap;
use ltl::Span;
use std::collections::BTreeSet;

/// The most nodes of a body, callees included, that are visited.
const BUDGET: usize = 100_000;
/// The greatest depth to which calls are followed.
const DEEPEST: usize = 200;

/// The meaning of a slot of a frame.
#[derive(Clone, Debug)]
enum Binding {
    Unbound,
    Value(Term),
    Place(StoreRoot, Vec<PathStep>),
}

/// An activation of a body.
struct Frame<'m> {
    number: u32,
    body: Body,
    locals: &'m [Local],
    bindings: Vec<Binding>,
    /// The number of loops that were open when it began: since then its variables are fresh.
    fresh: u32,
    /// The joined flow of its `return`s.
    returned: DataFlow,
}

/// A walk through one rule, start state or property.
pub(super) struct Walk<'m, 'f> {
    pub(super) model: &'m Model,
    rules: Rules,
    /// The active frames, the current one last; never empty during a walk.
    frames: Vec<Frame<'m>>,
    /// The number of frames so far.
    activations: u32,
    /// The number of bindings so far.
    symbols: u32,
    /// The number of open loops.
    pub(super) open: u32,
    /// The open loops without an order, each with its frame and its span.
    unordered: Vec<(LoopKey, u32, Span)>,
    pub(super) accesses: Vec<Access>,
    /// The local variables seen so far, and how many loops were open when they were fresh.
    variables: HashMap<(u32, LocalId), (&'m Local, u32)>,
    /// The spans of the loops without an order.
    loops: HashMap<LoopKey, Span>,
    flow: DataFlow,
    /// Whether a state is only looked at: output is dropped there.
    is_looking: bool,
    visited: usize,
    /// Functions that were called while they were active.
    pub(super) recursive: BTreeSet<FunctionId>,
    pub(super) findings: &'f mut Findings,
}

impl<'m, 'f> Walk<'m, 'f> {
    pub(super) fn new(model: &'m Model, rules: Rules, findings: &'f mut Findings) -> Self {
        Walk {
            model,
            rules,
            frames: Vec::new(),
            activations: 0,
            symbols: 0,
            open: 0,
            unordered: Vec::new(),
            accesses: Vec::new(),
            variables: HashMap::new(),
            loops: HashMap::new(),
            flow: DataFlow::default(),
            is_looking: false,
            visited: 0,
            recursive: BTreeSet::new(),
            findings,
        }
    }

    fn frame(&self) -> &Frame<'m> {
        self.frames.last().expect("a walk has entered a body")
    }

    /// Walks a rule, start state or property.
    pub(super) fn top(&mut self, top: &Top<'m>) {
        self.enter(top.body, top.locals);
        self.is_looking = true;
        self.scope(top.scope);
        for condition in &top.conditions {
            self.expression(condition);
        }
        self.is_looking = false;
        self.block(top.statements);
    }

    /// Whether the walk ended early.
    pub(super) fn is_exhausted(&self) -> bool {
        self.visited >= BUDGET
    }

    fn enter(&mut self, body: Body, locals: &'m [Local]) {
        self.frames.push(Frame {
            number: self.activations,
            body,
            locals,
            bindings: vec![Binding::Unbound; locals.len()],
            fresh: self.open,
            returned: DataFlow::unreachable(),
        });
        self.activations += 1;
    }

    fn bind(&mut self, local: LocalId, binding: Binding) {
        let frame = self.frames.last_mut().expect("a walk has entered a body");
        frame.bindings[local.0 as usize] = binding;
    }

    fn bind_symbol(&mut self, local: LocalId) -> u32 {
        let symbol = self.symbols;
        self.symbols += 1;
        self.bind(local, Binding::Value(Term::Symbol(symbol)));
        symbol
    }

    /// Counts a node; false if there have been too many.
    fn visit(&mut self) -> bool {
        self.visited = BUDGET.min(self.visited + 1);
        self.visited < BUDGET
    }

    fn scope(&mut self, scope: &'m [Scope]) {
        for part in scope {
            match part {
                Scope::Parameter { local, .. } => {
                    self.bind_symbol(*local);
                }
                Scope::Choose { multiset, .. } => self.read(multiset),
                Scope::Alias { local, target } => self.bind_alias(*local, target),
            }
        }
    }

    fn bind_alias(&mut self, local: LocalId, target: &'m Expression) {
        let binding = match &target.kind {
            ExpressionKind::Read(place) => self.resolve(place),
            _ => Binding::Value(self.expression(target)),
        };
        self.bind(local, binding);
    }

    /// Resolves a place and evaluates its subscripts.
    fn resolve(&mut self, place: &'m Place) -> Binding {
        let mut found = match place.root {
            Root::Global(id) => Binding::Place(StoreRoot::Global(id), Vec::new()),
            Root::Local(local) => {
                let frame = self.frame();
                let declared = &frame.locals[local.0 as usize];
                if declared.kind == LocalKind::Variable {
                    let (number, fresh) = (frame.number, frame.fresh);
                    self.variables.insert((number, local), (declared, fresh));
                    Binding::Place(StoreRoot::Local(number, local), Vec::new())
                } else {
                    frame.bindings[local.0 as usize].clone()
                }
            }
        };
        // Elements of a queue move: an access to one is an access to the queue.
        let mut is_in_queue = false;
        for selector in &place.selectors {
            let step = match selector {
                Selector::Field(k) => PathStep::Field(*k),
                Selector::Element(subscript) => PathStep::Element(self.expression(subscript)),
                Selector::Position(position) => {
                    self.expression(position);
                    is_in_queue = true;
                    continue;
                }
                Selector::Last => {
                    is_in_queue = true;
                    continue;
                }
                Selector::Chosen(local) => PathStep::Chosen(self.chosen(*local)),
            };
            match &mut found {
                Binding::Place(..) if is_in_queue => {}
                Binding::Place(_, path) => path.push(step),
                Binding::Value(term) => *term = Term::Unknown,
                Binding::Unbound => {}
            }
        }
        found
    }

    /// The element of a multiset that a local stands for.
    fn chosen(&self, local: LocalId) -> Term {
        match self.frame().bindings[local.0 as usize] {
            Binding::Value(term) => term,
            Binding::Unbound | Binding::Place(..) => Term::Unknown,
        }
    }

    fn read(&mut self, place: &'m Place) {
        let found = self.resolve(place);
        self.access(&found, Form::Read, place.span);
    }

    /// Records an access to a resolved place.
    fn access(&mut self, found: &Binding, form: Form, span: Span) {
        let Binding::Place(root, path) = found else { return };
        let mut assigned = 0;
        if let StoreRoot::Local(number, local) = *root {
            let fresh = self.variables.get(&(number, local)).map_or(0, |&(_, fresh)| fresh);
            assigned = self.flow.assigned((number, local), fresh);
            if form.reads() {
                let left: Vec<_> = self.flow.left_behind((number, local)).collect();
                for key in left {
                    self.blame_leftover(key, *root, span);
                }
            }
            if path.is_empty() && form.writes() && !form.reads() {
                self.flow.assign((number, local), self.open);
            }
        }
        let (body, frame) = (self.frame().body, self.frame().number);
        let path = path.clone();
        self.accesses.push(Access { root: *root, path, form, assigned, span, body, frame });
    }

    pub(super) fn name(&self, root: StoreRoot) -> &'m str {
        match root {
            StoreRoot::Global(id) => &self.model.variables[id.0 as usize].name,
            StoreRoot::Local(number, local) => {
                self.variables.get(&(number, local)).map_or("a variable", |&(it, _)| &it.name)
            }
            StoreRoot::Output => "the output",
            StoreRoot::Anything => "anything",
        }
    }

    fn blame_leftover(&mut self, key: LoopKey, root: StoreRoot, span: Span) {
        let name = self.name(root);
        let what = format!("this reads what the last iteration of a loop has left in `{name}`");
        let help = format!("assign `{name}` between the loop and here, or do not read it");
        let mut reason = Reason::new(span, what).help(help);
        if let Some(&around) = self.loops.get(&key) {
            reason = reason.related(around, "the loop");
        }
        self.findings.blame(key, reason);
    }

    /// The type of the accessed place, if it is known.
    pub(super) fn type_of(&self, access: &Access) -> Option<TypeId> {
        let types = &self.model.types;
        let start = match access.root {
            StoreRoot::Global(id) => self.model.variables[id.0 as usize].of,
            StoreRoot::Local(number, local) => self.variables.get(&(number, local))?.0.of,
            StoreRoot::Output | StoreRoot::Anything => return None,
        };
        access.path.iter().try_fold(start, |of, step| match (types.get(of), step) {
            (Type::Record(fields), PathStep::Field(k)) => Some(fields[*k as usize].1),
            (Type::Array { element, .. }, PathStep::Element(_))
            | (Type::Multiset { element, .. }, PathStep::Chosen(_)) => Some(*element),
            (Type::Set(_), PathStep::Element(_)) => Some(Types::BOOLEAN),
            _ => None,
        })
    }

    /// Evaluates an expression.
    fn expression(&mut self, expression: &'m Expression) -> Term {
        use ExpressionKind as E;
        if !self.visit() || self.is_left_out(expression) {
            return Term::Unknown;
        }
        match &expression.kind {
            E::Constant(value) => return Term::Constant(*value),
            E::Read(place) => {
                let found = self.resolve(place);
                self.access(&found, Form::Read, place.span);
                if let Binding::Value(term) = found {
                    return term;
                }
            }
            E::IsUndefined(place) | E::Peek(place) | E::Length(place) => self.read(place),
            E::InQueue(element, queue) => {
                self.expression(element);
                self.read(queue);
            }
            E::Not(a)
            | E::Negate(a)
            | E::BitwiseNot(a)
            | E::IsMember(a, _)
            | E::Size(a)
            | E::Next(a)
            | E::Previous(a) => _ = self.expression(a),
            E::Arithmetic(_, a, b)
            | E::Compare(_, a, b)
            | E::Equal(a, b)
            | E::NotEqual(a, b)
            | E::SetOperation(_, a, b)
            | E::Subset(a, b)
            | E::Adjacent(a, b) => self.both(a, b),
            E::SetOf(all) => {
                for one in all {
                    self.expression(one);
                }
            }
            E::InSet(element, set) => {
                let term = self.expression(element);
                self.member_of(term, set);
            }
            E::And(a, b) | E::Or(a, b) | E::Implies(a, b) => {
                self.expression(a);
                self.perhaps(|walk| _ = walk.expression(b));
            }
            E::Conditional(a, b, c) => {
                self.expression(a);
                let before = self.flow.clone();
                self.expression(b);
                let after = std::mem::replace(&mut self.flow, before);
                self.expression(c);
                self.flow.join(after);
            }
            E::Quantified { binder, body, .. } | E::Sum { binder, body } => {
                self.bounds(binder);
                self.repeat(|walk| {
                    walk.bind_symbol(binder.local);
                    walk.expression(body);
                });
            }
            E::Parts(all) => {
                for part in all.iter().flatten() {
                    self.expression(part);
                }
            }
            E::Call { function, arguments } => self.call(*function, arguments, expression.span),
            E::MultisetCount { multiset, condition, .. } => {
                self.read(multiset);
                self.repeat(|walk| _ = walk.expression(condition));
            }
        }
        Term::Unknown
    }

    /// Whether the rule about an expression of this kind is left out.
    fn is_left_out(&self, expression: &Expression) -> bool {
        use ExpressionKind as E;
        let rule = match &expression.kind {
            E::Peek(_) => SymmetryRule::ElementOfQueue,
            E::Length(_) => SymmetryRule::Length,
            E::InQueue(..) => SymmetryRule::InQueue,
            E::InSet(..) => SymmetryRule::InSet,
            E::Size(_) => SymmetryRule::Size,
            E::SetOperation(..) | E::Subset(..) => SymmetryRule::SetOperands,
            E::Sum { .. } => SymmetryRule::Sum,
            E::Parts(_) => SymmetryRule::Parts,
            _ => return false,
        };
        !self.rules.has(rule)
    }

    /// Looks for a value in a set: reads whether it is there, and nothing else.
    fn member_of(&mut self, element: Term, set: &'m Expression) {
        match &set.kind {
            ExpressionKind::Read(place) if self.visit() => {
                let member = self.member(place, element);
                self.access(&member, Form::Read, place.span);
            }
            ExpressionKind::SetOperation(_, a, b) if self.visit() => {
                self.member_of(element, a);
                self.member_of(element, b);
            }
            _ => _ = self.expression(set),
        }
    }

    /// The place that says whether a value is in a set: a set is like an array of booleans.
    fn member(&mut self, set: &'m Place, element: Term) -> Binding {
        match self.resolve(set) {
            Binding::Place(root, mut path) => {
                path.push(PathStep::Element(element));
                Binding::Place(root, path)
            }
            other => other,
        }
    }

    fn both(&mut self, a: &'m Expression, b: &'m Expression) {
        self.expression(a);
        self.expression(b);
    }

    /// Walks a part that may be executed or not.
    fn perhaps(&mut self, part: impl FnOnce(&mut Self)) {
        let before = self.flow.clone();
        part(self);
        self.flow.join(before);
    }

    /// Walks a part that may be executed any number of times.
    fn repeat(&mut self, part: impl FnOnce(&mut Self)) {
        let first = self.accesses.len();
        let before = self.flow.clone();
        self.open += 1;
        part(self);
        // The next iteration may read a variable that this one leaves behind.
        for k in first..self.accesses.len() {
            let Access { root, form, assigned, span, .. } = self.accesses[k];
            if let StoreRoot::Local(number, local) = root
                && form.reads()
                && assigned < self.open
            {
                let left: Vec<_> = self.flow.left_behind((number, local)).collect();
                for key in left {
                    self.blame_leftover(key, root, span);
                }
            }
        }
        self.open -= 1;
        self.flow.join(before);
    }

    fn bounds(&mut self, binder: &'m Binder) {
        if let Domain::Steps { from, to, by } = &binder.domain {
            self.both(from, to);
            if let Some(by) = by {
                self.expression(by);
            }
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &'m [Argument], span: Span) {
        let bindings: Vec<_> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Reference(place) => self.resolve(place),
                Argument::Value(value) => Binding::Value(self.expression(value)),
            })
            .collect();
        if self.frames.iter().any(|frame| frame.body == Body::Function(function)) {
            self.recursive.insert(function);
            // A recursive call may do anything, which counts against the loops around it.
            for binding in &bindings {
                self.access(binding, Form::Change, span);
            }
            self.access(&Binding::Place(StoreRoot::Anything, Vec::new()), Form::Change, span);
            return;
        }
        if self.frames.len() > DEEPEST {
            self.visited = BUDGET;
            return;
        }
        let called = &self.model.functions[function.0 as usize];
        self.enter(Body::Function(function), &called.locals);
        for (k, binding) in bindings.into_iter().enumerate() {
            self.bind(LocalId(k as u32), binding);
        }
        self.block(&called.body);
        let frame = self.frames.pop().expect("the frame of the call");
        self.flow.join(frame.returned);
    }

    fn block(&mut self, statements: &'m [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'m Statement) {
        use StatementKind as S;
        if !self.visit() {
            return;
        }
        let span = statement.span;
        match &statement.kind {
            S::Assign { target, value } => self.assign(target, value, span),
            S::Accumulate { .. } => unreachable!("made after the walk"),
            S::Clear(place) => self.write(place, Form::Clear, span),
            S::Undefine(place) => self.write(place, Form::Undefine, span),
            S::If { branches, otherwise } => {
                let mut ends = DataFlow::unreachable();
                for (condition, block) in branches {
                    self.expression(condition);
                    let before = self.flow.clone();
                    self.block(block);
                    ends.join(std::mem::replace(&mut self.flow, before));
                }
                self.block(otherwise);
                self.flow.join(ends);
            }
            S::Switch { subject, cases, otherwise } => {
                self.expression(subject);
                let mut ends = DataFlow::unreachable();
                for (values, block) in cases {
                    for value in values {
                        self.expression(value);
                    }
                    let before = self.flow.clone();
                    self.block(block);
                    ends.join(std::mem::replace(&mut self.flow, before));
                }
                self.block(otherwise);
                self.flow.join(ends);
            }
            S::For { binder, body, .. } => self.repeated(binder, body, span),
            S::Each { local, multiset, body } => self.each(*local, multiset, body, span),
            S::While { condition, body } => self.repeat(|walk| {
                walk.expression(condition);
                walk.block(body);
            }),
            S::Alias { local, target, body } => {
                self.bind_alias(*local, target);
                self.block(body);
            }
            S::Return(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
                self.leave_loops(span);
                let frame = self.frames.last_mut().expect("a walk has entered a body");
                frame.returned.join(self.flow.clone());
                self.flow.is_dead = true;
            }
            S::Error(_) => self.flow.is_dead = true,
            S::PutText(_) => self.print(Form::Print, span),
            S::Put(value) => {
                self.expression(value);
                self.print(Form::Write, span);
            }
            S::Call { function, arguments } => self.call(*function, arguments, span),
            S::Push { .. }
            | S::Pop(_)
            | S::Member { .. }
            | S::MultisetAdd { .. }
            | S::MultisetRemove { .. }
            | S::MultisetRemoveWhere { .. } => self.collection(statement),
            S::Property { condition, .. } => _ = self.expression(condition),
        }
    }

    /// A loop over the elements that a multiset has before.
    fn each(&mut self, local: LocalId, multiset: &'m Place, body: &'m [Statement], span: Span) {
        if self.rules.has(SymmetryRule::ElementsRead) {
            self.read(multiset);
        }
        if self.rules.has(SymmetryRule::Each) {
            return self.compared(local, body, span);
        }
        self.repeat(|walk| {
            walk.bind_symbol(local);
            walk.block(body);
        });
    }

    /// A statement that changes a queue, a set or a multiset.
    fn collection(&mut self, statement: &'m Statement) {
        use StatementKind as S;
        let span = statement.span;
        match &statement.kind {
            S::Push { queue, element, .. } => {
                self.expression(element);
                let form =
                    if self.rules.has(SymmetryRule::Push) { Form::Change } else { Form::Add };
                self.write(queue, form, span);
            }
            S::Member { set, element, is_added } => {
                let term = self.expression(element);
                let member = self.member(set, term);
                let stored = *is_added || !self.rules.has(SymmetryRule::Member);
                let stored = Term::Constant(Scalar::boolean(stored));
                self.access(&member, Form::Store(stored), span);
            }
            S::Pop(_) if !self.rules.has(SymmetryRule::Pop) => {}
            S::Pop(queue) => self.write(queue, Form::Change, span),
            S::MultisetAdd { element, multiset } => {
                self.expression(element);
                self.write(multiset, Form::Add, span);
            }
            S::MultisetRemove { .. } if !self.rules.has(SymmetryRule::Removal) => {}
            S::MultisetRemove { local, multiset } => {
                let mut found = self.resolve(multiset);
                if let Binding::Place(_, path) = &mut found {
                    path.push(PathStep::Chosen(self.chosen(*local)));
                }
                self.access(&found, Form::Change, span);
            }
            S::MultisetRemoveWhere { multiset, condition, .. } => {
                self.read(multiset);
                self.repeat(|walk| _ = walk.expression(condition));
                self.write(multiset, Form::Change, span);
            }
            _ => unreachable!("other statements change no collection"),
        }
    }

    /// Blames the open loops of the current frame for a `return` with this span.
    fn leave_loops(&mut self, span: Span) {
        let number = self.frame().number;
        let left = self.unordered.iter().filter(|(_, frame, _)| *frame == number);
        for &(key, _, around) in left {
            let what = "`return` leaves a loop before all of its iterations have run";
            let help = "find the answer with `exists` or `forall`, or gather it in a variable \
                        (`v := v | ...`) and return that behind the loop";
            let reason = Reason::new(span, what).related(around, "the loop").help(help);
            self.findings.blame(key, reason);
        }
    }

    fn print(&mut self, form: Form, span: Span) {
        if self.is_looking {
            return;
        }
        self.access(&Binding::Place(StoreRoot::Output, Vec::new()), form, span);
    }

    fn write(&mut self, place: &'m Place, form: Form, span: Span) {
        let found = self.resolve(place);
        self.access(&found, form, span);
    }

    fn assign(&mut self, target: &'m Place, value: &'m Expression, span: Span) {
        let found = self.resolve(target);
        let form = match update(self.model, target, value) {
            Some((form, operands)) => {
                for operand in operands {
                    self.expression(operand);
                }
                form
            }
            None => match self.expression(value) {
                Term::Unknown => Form::Write,
                term => Form::Store(term),
            },
        };
        self.access(&found, form, span);
    }

    /// Walks a `for`, of any kind.
    fn repeated(&mut self, binder: &'m Binder, body: &'m [Statement], span: Span) {
        self.bounds(binder);
        if is_over_indices(&self.model.types, binder) {
            return self.compared(binder.local, body, span);
        }
        self.repeat(|walk| {
            walk.bind_symbol(binder.local);
            walk.block(body);
        });
    }

    /// Walks a loop without an order, and compares its iterations.
    fn compared(&mut self, local: LocalId, body: &'m [Statement], span: Span) {
        let key = LoopKey { body: self.frame().body, local };
        let mut private = Vec::new();
        self.repeat(|walk| {
            let first = walk.accesses.len();
            let symbol = walk.bind_symbol(local);
            let number = walk.frame().number;
            walk.unordered.push((key, number, span));
            walk.block(body);
            walk.loops.insert(key, span);
            walk.unordered.pop();
            walk.findings.loops.entry(key).or_default();
            let iteration = Iteration { symbol, frame: number };
            private = walk.compare(key, iteration, first, span);
        });
        for variable in private {
            self.flow.leave_behind(variable, key);
        }
    }
}
