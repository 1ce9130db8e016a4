//! The machine that evaluates and executes: storage and frames.
//!
//! Everything that can be assigned is found by a [`StoreReference`]: the variable that stores it,
//! and the path into it. A reference never leads to another one: it is resolved when it is bound,
//! so that later changes of an index do not move it.
//!
//! Multisets only grow during a step: a removed element leaves a hole, an added one is appended. So
//! a position stands for the same element, or for none, until the step is over.

use super::super::checked::{Local, LocalId, LocalKind, Model, Place, PropertyId, Root, Selector};
use super::super::types::{Type, TypeId};
use super::super::value::{Scalar, Value};
use super::failure::{EvalStop, Failure, FailureKind};
use ltl::Span;
use run::{poll, poll_for};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The deepest nesting of calls.
const DEEPEST_CALLS: usize = 1_000;
/// The deepest nesting of expressions and statements, summed over all active calls. Chosen such
/// that the deepest evaluation fits a stack of eight megabytes with room to spare.
const DEEPEST_NESTING: usize = 10_000;

/// A state during an evaluation or execution.
pub(super) struct Machine<'a> {
    pub(super) model: &'a Model,
    /// The values of the variables: those of a state, until one is changed.
    pub(super) globals: Cow<'a, [Value]>,
    /// The frame of the rule, start state or property, and those of the active calls.
    frames: Vec<Frame<'a>>,
    /// The spans of the active calls.
    calls: Vec<Span>,
    nesting: usize,
    /// For each active unordered loop: the failures of its accumulators.
    pub(super) loops: Vec<Vec<Undecided>>,
    /// The output of `put`.
    pub(super) printed: Vec<String>,
    /// The `cover` statements whose condition was true, each once.
    pub(super) covered: Vec<PropertyId>,
}

/// An active call, rule, start state or property.
struct Frame<'a> {
    locals: &'a [Local],
    slots: Vec<Slot>,
}

/// The current meaning of a local.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// The local is out of scope.
    Unbound,
    /// The local stores this value.
    Value(Value),
    /// The local is another name for this place.
    Reference(StoreReference),
    /// The local is a position in this multiset.
    Position(Box<(StoreReference, usize)>),
}

/// A resolved place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct StoreReference {
    root: Storage,
    /// Positions of parts and of elements of multisets.
    path: SmallVec<[u32; 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Storage {
    /// A variable of the state.
    Global(usize),
    /// A slot of a frame, which is a [`Slot::Value`].
    Local { frame: usize, slot: usize },
}

/// A failure that is reported unless an accumulator is decided at the end of its loop.
pub(super) struct Undecided {
    /// The accumulator.
    pub(super) accumulator: StoreReference,
    /// The value that decides it.
    pub(super) deciding: bool,
    /// The failure.
    pub(super) stop: EvalStop,
}

impl<'a> Machine<'a> {
    /// A machine in this state, before any evaluation.
    pub(super) fn new(model: &'a Model, globals: Cow<'a, [Value]>) -> Self {
        poll_for(globals.len() as u64);
        Machine {
            model,
            globals,
            frames: Vec::new(),
            calls: Vec::new(),
            nesting: 0,
            loops: Vec::new(),
            printed: Vec::new(),
            covered: Vec::new(),
        }
    }

    /// Starts an evaluation in a frame with nothing bound.
    pub(super) fn enter(&mut self, locals: &'a [Local]) {
        self.enter_with(locals, vec![Slot::Unbound; locals.len()]);
    }

    /// Starts an evaluation in this frame.
    pub(super) fn enter_with(&mut self, locals: &'a [Local], slots: Vec<Slot>) {
        self.frames.clear();
        self.frames.push(Frame { locals, slots });
    }

    /// Resets the declared variables of the frame to undefined.
    pub(super) fn declare(&mut self) {
        let types = &self.model.types;
        let frame = self.frames.last_mut().expect("evaluation is inside a frame");
        for (local, slot) in frame.locals.iter().zip(&mut frame.slots) {
            if local.kind == LocalKind::Variable {
                *slot = Slot::Value(Value::undefined(types, local.of));
            }
        }
    }

    /// The slots of the frame.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.frame().slots
    }

    fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("evaluation is inside a frame")
    }

    /// Binds a slot of the frame.
    pub(super) fn bind(&mut self, local: LocalId, slot: Slot) {
        let frame = self.frames.last_mut().expect("evaluation is inside a frame");
        frame.slots[local.0 as usize] = slot;
    }

    /// Binds a slot of the frame to a simple value.
    pub(super) fn bind_scalar(&mut self, local: LocalId, scalar: Scalar) {
        self.bind(local, Slot::Value(Value::Scalar(scalar)));
    }

    /// The value of a slot that stores one.
    pub(super) fn bound(&self, local: LocalId) -> &Value {
        match &self.slots()[local.0 as usize] {
            Slot::Value(value) => value,
            slot => unreachable!("parameters are values, not {slot:?}"),
        }
    }

    /// The position that a slot holds in this multiset. The multiset must be the one that the
    /// position was chosen from: in another one, a position would reveal an order of its elements.
    pub(super) fn position(
        &self,
        local: LocalId,
        multiset: &StoreReference,
        span: Span,
    ) -> Result<usize, EvalStop> {
        let (chosen_from, k) = match &self.slots()[local.0 as usize] {
            Slot::Position(chosen) => &**chosen,
            slot => unreachable!("what is chosen is a position, not {slot:?}"),
        };
        if chosen_from == multiset {
            return Ok(*k);
        }
        let (from, to) = (self.describe(chosen_from), self.describe(multiset));
        let message = format!("the element was chosen from `{from}`, not from `{to}`");
        Err(self.failure(FailureKind::OtherMultiset, span, message, None))
    }

    /// Runs `body` in the frame of a call, which is removed in any case.
    pub(super) fn in_call<T>(
        &mut self,
        span: Span,
        locals: &'a [Local],
        mut slots: Vec<Slot>,
        body: impl FnOnce(&mut Self) -> Result<T, EvalStop>,
    ) -> Result<T, EvalStop> {
        poll();
        if self.calls.len() == DEEPEST_CALLS {
            let message = format!("more than {DEEPEST_CALLS} calls inside each other");
            return Err(self.too_deep(span, message));
        }
        slots.resize(locals.len(), Slot::Unbound);
        self.frames.push(Frame { locals, slots });
        self.calls.push(span);
        self.declare();
        let result = body(self);
        self.calls.pop();
        self.frames.pop();
        result
    }

    /// Runs `body` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Self) -> Result<T, EvalStop>,
    ) -> Result<T, EvalStop> {
        if self.nesting == DEEPEST_NESTING {
            let message =
                format!("more than {DEEPEST_NESTING} expressions and statements inside each other");
            return Err(self.too_deep(span, message));
        }
        self.nesting += 1;
        let result = body(self);
        self.nesting -= 1;
        result
    }

    fn too_deep(&self, span: Span, message: String) -> EvalStop {
        self.failure(FailureKind::TooDeep, span, message, Some("is this recursion endless?"))
    }

    /// A run-time error here.
    pub(super) fn failure(
        &self,
        kind: FailureKind,
        span: Span,
        message: impl Into<String>,
        help: Option<&'static str>,
    ) -> EvalStop {
        let (message, calls) = (message.into(), self.calls.clone());
        EvalStop::Failed(Box::new(Failure { kind, message, span, calls, help, during: None }))
    }

    /// Resolves a place with the current values of its indices.
    pub(super) fn resolve(&mut self, place: &Place) -> Result<StoreReference, EvalStop> {
        let frame = self.frames.len() - 1;
        let (mut reference, mut of) = match place.root {
            Root::Global(variable) => {
                let variable = variable.0 as usize;
                let root = Storage::Global(variable);
                (StoreReference { root, path: SmallVec::new() }, self.model.variables[variable].of)
            }
            Root::Local(local) => {
                let slot = local.0 as usize;
                let reference = match &self.slots()[slot] {
                    Slot::Value(_) => StoreReference {
                        root: Storage::Local { frame, slot },
                        path: SmallVec::new(),
                    },
                    Slot::Reference(reference) => reference.clone(),
                    slot => unreachable!("a place starts at a value or a reference, not {slot:?}"),
                };
                (reference, self.frame().locals[slot].of)
            }
        };
        for selector in &place.selectors {
            let position;
            (position, of) = match (selector, self.model.types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => (*k as usize, fields[*k as usize].1),
                (Selector::Element(index), &Type::Array { index: indices, element }) => {
                    // Resolving takes as much stack as an expression.
                    let scalar = self.nested(index.span, |machine| machine.scalar(index))?;
                    let Some(k) = scalar.position(&self.model.types, indices) else {
                        return Err(self.no_element(scalar, indices, &reference, index.span));
                    };
                    (k as usize, element)
                }
                (Selector::Position(position), &Type::Queue { element, .. }) => {
                    let scalar = self.nested(position.span, |machine| machine.scalar(position))?;
                    (self.nth(scalar, &reference, position.span)?, element)
                }
                (Selector::Last, &Type::Queue { element, .. }) => {
                    let Some(last) = self.length(&reference, place.span)?.checked_sub(1) else {
                        return Err(self.is_empty(&reference, place.span));
                    };
                    (last, element)
                }
                (Selector::Chosen(local), &Type::Multiset { element, .. }) => {
                    (self.position(*local, &reference, place.span)?, element)
                }
                (selector, of) => unreachable!("{selector:?} is checked to fit {of:?}"),
            };
            reference.path.push(position as u32);
        }
        Ok(reference)
    }

    /// The number of elements of a queue.
    fn length(&self, queue: &StoreReference, span: Span) -> Result<usize, EvalStop> {
        match self.find(queue, span)? {
            Value::Queue(elements) => Ok(elements.len()),
            value => unreachable!("what is asked for its length is a queue, not {value:?}"),
        }
    }

    /// A position in a queue.
    fn nth(&self, at: Scalar, queue: &StoreReference, span: Span) -> Result<usize, EvalStop> {
        let Scalar::Number(number) = at else {
            unreachable!("positions are checked to be numbers, not {at:?}")
        };
        let length = self.length(queue, span)?;
        if let Some(position) = usize::try_from(number).ok().filter(|&k| k < length) {
            return Ok(position);
        }
        if length == 0 {
            return Err(self.is_empty(queue, span));
        }
        let queue = self.describe(queue);
        let message = format!("`{queue}` has no element {number}: its length is {length}");
        Err(self.failure(FailureKind::NoElement, span, message, None))
    }

    /// The failure of an operation that needs an element of a queue.
    pub(super) fn is_empty(&self, queue: &StoreReference, span: Span) -> EvalStop {
        let message = format!("`{}` is empty", self.describe(queue));
        self.failure(FailureKind::NoElement, span, message, Some("ask for its `length` before"))
    }

    fn no_element(
        &self,
        index: Scalar,
        of: TypeId,
        array: &StoreReference,
        span: Span,
    ) -> EvalStop {
        let types = &self.model.types;
        let (index, of, array) = (index.show(types), types.show(of), self.describe(array));
        let message = format!("`{array}` has no element {index}: its indices are {of}");
        self.failure(FailureKind::Index, span, message, None)
    }

    /// The value stored there; `span` is the place that reads it.
    pub(super) fn find(&self, reference: &StoreReference, span: Span) -> Result<&Value, EvalStop> {
        let mut value = match reference.root {
            Storage::Global(variable) => &self.globals[variable],
            Storage::Local { frame, slot } => match &self.frames[frame].slots[slot] {
                Slot::Value(value) => value,
                slot => unreachable!("references lead to values, not {slot:?}"),
            },
        };
        for k in reference.path.iter().map(|&k| k as usize) {
            value = match value {
                Value::Parts(parts) => &parts[k],
                Value::Queue(elements) => match elements.get(k) {
                    Some(element) => element,
                    None => return Err(self.gone(reference, span)),
                },
                Value::Multiset(elements) => match &elements[k] {
                    Some(element) => element,
                    None => return Err(self.gone(reference, span)),
                },
                value => unreachable!("a path does not lead into {value:?}"),
            };
        }
        Ok(value)
    }

    /// Like [`Machine::find`], for writing.
    pub(super) fn find_mut(
        &mut self,
        reference: &StoreReference,
        span: Span,
    ) -> Result<&mut Value, EvalStop> {
        self.find(reference, span)?;
        let mut value = match reference.root {
            Storage::Global(variable) => &mut self.globals.to_mut()[variable],
            Storage::Local { frame, slot } => match &mut self.frames[frame].slots[slot] {
                Slot::Value(value) => value,
                slot => unreachable!("references lead to values, not {slot:?}"),
            },
        };
        for k in reference.path.iter().map(|&k| k as usize) {
            value = match value {
                Value::Parts(parts) | Value::Queue(parts) => &mut parts[k],
                Value::Multiset(elements) => {
                    elements[k].as_mut().expect("`find` has found the element present")
                }
                value => unreachable!("a path does not lead into {value:?}"),
            };
        }
        Ok(value)
    }

    /// The slots of a multiset, elements and holes.
    pub(super) fn elements(
        &mut self,
        reference: &StoreReference,
        span: Span,
    ) -> Result<&mut Vec<Option<Value>>, EvalStop> {
        let Value::Multiset(elements) = self.find(reference, span)? else {
            unreachable!("what is asked for its elements is a multiset")
        };
        poll_for(elements.len() as u64);
        match self.find_mut(reference, span)? {
            Value::Multiset(elements) => Ok(elements),
            _ => unreachable!("what is asked for its elements is a multiset"),
        }
    }

    fn gone(&self, reference: &StoreReference, span: Span) -> EvalStop {
        let message = format!("`{}` has been removed", self.describe(reference));
        self.failure(FailureKind::ElementGone, span, message, None)
    }

    /// Stores a value of the reference's type.
    pub(super) fn store(
        &mut self,
        reference: &StoreReference,
        value: Value,
        span: Span,
    ) -> Result<(), EvalStop> {
        let holes = overwrite(self.find_mut(reference, span)?, value);
        poll_for(holes);
        Ok(())
    }

    /// The text of a reference in messages: `st[client_0].owner`. Elements of multisets have no
    /// names: `net[..]`.
    pub(super) fn describe(&self, reference: &StoreReference) -> String {
        let types = &self.model.types;
        let (mut out, mut of) = match reference.root {
            Storage::Global(variable) => {
                let variable = &self.model.variables[variable];
                (variable.name.clone(), variable.of)
            }
            Storage::Local { frame, slot } => {
                let local = &self.frames[frame].locals[slot];
                (local.name.clone(), local.of)
            }
        };
        for &k in &reference.path {
            let k = k as usize;
            of = match types.get(of) {
                Type::Record(fields) => {
                    out.push('.');
                    out.push_str(&fields[k].0);
                    fields[k].1
                }
                Type::Array { index, element } => {
                    let key = Scalar::nth(types, *index, k as u64).show(types);
                    let _ = write!(out, "[{key}]");
                    *element
                }
                Type::Queue { element, .. } => {
                    let _ = write!(out, "[{k}]");
                    *element
                }
                Type::Multiset { element, .. } => {
                    out.push_str("[..]");
                    *element
                }
                simple => unreachable!("a path does not lead into {simple:?}"),
            };
        }
        out
    }
}

/// Replaces a value. In multisets the old elements leave holes. Returns their number.
fn overwrite(old: &mut Value, new: Value) -> u64 {
    match (old, new) {
        (Value::Parts(old), Value::Parts(new)) => {
            old.iter_mut().zip(new).map(|(old, new)| overwrite(old, new)).sum()
        }
        (Value::Multiset(old), Value::Multiset(new)) => {
            old.fill(None);
            let holes = old.len() as u64;
            old.extend(new.into_iter().flatten().map(Some));
            holes
        }
        (old, new) => {
            *old = new;
            0
        }
    }
}
