//! Executes a protocol on packed states.

use super::Prepared;
use crate::changes::{AS_MANY_CELLS, Changes};
use crate::code::{Position, TypedCode};
use crate::coding::Coding;
use crate::fault::{self, Call, Fault, FaultKind};
use crate::protocol::{Condition, Owner, Protocol};
use crate::value::Value;
use engine::system::atoms::Letter;
use engine::system::{FaultId, Label, Steps, Worker};
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use terms::{PropertyId, PropertyKind};

/// What a worker does now: the watchdog of a run looks at it.
#[derive(Debug, Default)]
pub struct Beat {
    /// Grows with every call of the user's code.
    count: AtomicU64,
    /// The call: [`Doing`] in the upper half, a number in the lower one.
    doing: AtomicU64,
    /// The packed state that the user's code is called for.
    state: Mutex<Vec<u64>>,
    /// The count when the watchdog looked, and when it first saw that count.
    seen: Mutex<Option<(u64, Instant)>>,
}

/// The kinds of calls, as numbers.
pub(crate) mod doing {
    pub(crate) const NOTHING: u64 = 0;
    pub(crate) const STARTS: u64 = 1;
    pub(crate) const EVENTS: u64 = 2;
    pub(crate) const NEXT: u64 = 3;
    pub(crate) const PROPERTY: u64 = 4;
    pub(crate) const ATOM: u64 = 5;
    pub(crate) const REQUIREMENT: u64 = 6;
}

impl Beat {
    /// Notes the state for which the user's code will be called.
    pub(crate) fn at(&self, state: &[u64]) {
        let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        known.clear();
        known.extend_from_slice(state);
    }

    /// Notes a call. There is one writer.
    #[inline]
    pub(crate) fn calls(&self, doing: u64, number: usize) {
        self.doing.store(doing << 32 | number as u64, Ordering::Relaxed);
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Notes that no user's code is called.
    #[inline]
    pub(crate) fn rests(&self) {
        self.doing.store(doing::NOTHING, Ordering::Relaxed);
    }

    /// Whether one call has lasted for longer than this, as far as has been seen.
    pub(crate) fn lasts_longer_than(&self, longest: Duration) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        let is_calling = self.doing.load(Ordering::Relaxed) >> 32 != doing::NOTHING;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match *seen {
            Some((known, since)) if known == count => is_calling && since.elapsed() > longest,
            _ => {
                *seen = Some((count, Instant::now()));
                false
            }
        }
    }
}

impl Prepared {
    /// A beat for a new worker.
    pub(crate) fn beat(&self) -> Arc<Beat> {
        let beat = Arc::new(Beat::default());
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats.retain(|one| Arc::strong_count(one) > 1);
        beats.push(Arc::clone(&beat));
        beat
    }

    /// What a worker does, and in which state.
    pub(super) fn interpret(&self, beat: &Beat) -> (Call, Option<Value>) {
        let doing = beat.doing.load(Ordering::Relaxed);
        let number = (doing & u64::from(u32::MAX)) as usize;
        let packed = beat.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let state = (packed.len() == self.code.layout().words()).then(|| self.state(&packed));
        let call = match doing >> 32 {
            doing::STARTS => return (Call::Starts, None),
            doing::NEXT => {
                // The events of this state have been listed before.
                let listed = state.as_ref().map(|state| fault::call(|| self.code.events(state)));
                let event = match &listed {
                    Some(Ok(events)) => events.get(number).map(|event| format!("{event:?}")),
                    _ => None,
                };
                Call::Next(event.unwrap_or_else(|| "an event".to_owned()))
            }
            doing::PROPERTY => Call::Property(self.declared.properties[number].name.clone()),
            doing::ATOM => Call::Atom(self.declared.atoms[number].name.clone()),
            doing::REQUIREMENT => {
                Call::Requirement(self.declared.requirements[number].name.clone())
            }
            _ => Call::Events,
        };
        (call, state)
    }
}

/// Evaluates conditions on packed states: one per thread.
pub(crate) trait Evaluator: Send {
    /// Whether a property is true.
    fn property(&mut self, packed: &[u64], property: usize) -> Result<bool, FaultKind>;

    /// Whether an atom of states is true.
    fn atom(&mut self, packed: &[u64], atom: usize, of: &[Position]) -> Result<bool, FaultKind>;

    /// The goal of a requirement; or the premise, then the goal, if there is a premise.
    fn requirement(
        &mut self,
        packed: &[u64],
        requirement: usize,
        of: &[Position],
    ) -> Result<Letter, FaultKind>;
}

/// Reads packed states, and remembers the last one.
pub(crate) struct Loader<'p, P: Protocol, C> {
    system: &'p Prepared,
    code: &'p TypedCode<P, C>,
    cells: Vec<i64>,
    packed: Vec<u64>,
    state: Option<P::State>,
    beat: Arc<Beat>,
}

impl<'p, P: Protocol, C: Coding<P>> Loader<'p, P, C> {
    pub(crate) fn new(system: &'p Prepared, code: &'p TypedCode<P, C>) -> Self {
        let layout = code.coding.layout();
        Loader {
            system,
            code,
            cells: vec![0; layout.cells()],
            packed: vec![0; layout.words()],
            state: None,
            beat: system.beat(),
        }
    }

    /// Reads a packed state.
    #[inline]
    fn load(&mut self, packed: &[u64]) {
        if self.state.is_some() && self.packed == packed {
            return;
        }
        self.packed.copy_from_slice(packed);
        self.beat.at(packed);
        let coding = &self.code.coding;
        coding.layout().unpack(packed, &mut self.cells);
        self.state = Some(coding.read(&self.system.declared.all, &self.cells));
    }

    /// The state that was loaded.
    #[inline]
    fn state(&self) -> &P::State {
        self.state.as_ref().expect("a state was loaded")
    }

    /// Calls a condition on a state.
    #[inline]
    fn calls<T>(
        &mut self,
        packed: &[u64],
        (doing, number): (u64, usize),
        condition: impl FnOnce(&P::State) -> T,
    ) -> Result<T, FaultKind> {
        self.load(packed);
        self.beat.calls(doing, number);
        let value = fault::call(|| condition(self.state()));
        self.beat.rests();
        value
    }
}

impl<P: Protocol, C: Coding<P>> Evaluator for Loader<'_, P, C> {
    fn property(&mut self, packed: &[u64], property: usize) -> Result<bool, FaultKind> {
        let is = &self.code.conditions.properties[property];
        self.calls(packed, (doing::PROPERTY, property), is)
    }

    fn atom(&mut self, packed: &[u64], atom: usize, of: &[Position]) -> Result<bool, FaultKind> {
        let Condition::State(is) = &self.code.conditions.atoms[atom] else {
            unreachable!("an atom of steps is not asked about states")
        };
        self.calls(packed, (doing::ATOM, atom), |state| is(state, of))
    }

    fn requirement(
        &mut self,
        packed: &[u64],
        requirement: usize,
        of: &[Position],
    ) -> Result<Letter, FaultKind> {
        let conditions = &self.code.conditions.requirements[requirement];
        self.calls(packed, (doing::REQUIREMENT, requirement), |state| {
            let goal = |state| Letter::from((conditions.goal)(state, of));
            match &conditions.premise {
                None => goal(state),
                Some(premise) => Letter::from(premise(state, of)) | goal(state) << 1,
            }
        })
    }
}

/// The call of the user's code that is being made.
#[derive(Clone, Copy)]
struct At {
    event: usize,
    /// The number of arguments before this step.
    first_argument: u32,
    /// Whether it is the call of `owner`; else it is that of `next`, or what belongs to that.
    is_owner: bool,
}

/// Executes a protocol: one per thread.
pub(crate) struct ProtocolWorker<'p, P: Protocol, C> {
    source: Loader<'p, P, C>,
    events: Vec<P::Event>,
    /// Memory for cells.
    scratch: Vec<i64>,
}

impl<'p, P: Protocol, C: Coding<P>> ProtocolWorker<'p, P, C> {
    pub(crate) fn new(system: &'p Prepared, code: &'p TypedCode<P, C>) -> Self {
        let source = Loader::new(system, code);
        ProtocolWorker { source, events: Vec::new(), scratch: Vec::new() }
    }

    /// Appends the step of an enabled event, or none. The user's code may panic: `at` says in which
    /// call, and labels are appended after the last of them.
    #[inline]
    fn step(
        &mut self,
        k: usize,
        packed: &[u64],
        steps: &mut Steps,
        at: &Cell<At>,
    ) -> Result<(), Fault> {
        let Loader { system, code, .. } = self.source;
        let TypedCode { protocol, coding, .. } = code;
        let declared = &*system.declared;
        let (all, event) = (&declared.all, &self.events[k]);
        self.source.beat.calls(doing::NEXT, k);
        let first_argument = steps.arguments.len() as u32;
        at.set(At { event: k, first_argument, is_owner: false });
        let state = self.source.state();
        let Some(next) = protocol.next(state, event) else { return Ok(()) };
        at.set(At { event: k, first_argument, is_owner: true });
        let owner = protocol.owner(event);
        let Some(owner) = declared.owner_cell(owner) else { return Err(unknown(owner, event)) };
        at.set(At { event: k, first_argument, is_owner: false });
        Steps::count(packed.len());
        let start = steps.targets.len();
        steps.targets.extend_from_slice(packed);
        let target = &mut steps.targets[start..];
        let names = (coding.layout(), coding.names());
        let mut changes = Changes::new(names, all, target, &mut self.scratch);
        let written = coding.write_changes(&next, state, &mut changes);
        assert_eq!(written, coding.names().len(), "{AS_MANY_CELLS}");
        if let Some(kind) = changes.outside() {
            steps.targets.truncate(start);
            return Err(Fault { call: Call::Next(text(event)), kind });
        }
        // States have few words: a loop is faster than a call.
        let stutters = target.iter().eq(packed);
        steps.arguments.push(owner);
        let rule = coding.write_event(all, event, &mut steps.arguments);
        steps.labels.push(Label { rule, first_argument, stutters });
        Ok(())
    }

    fn condition(&mut self, packed: &[u64], property: usize) -> Result<bool, FaultId> {
        let system = self.source.system;
        self.source.property(packed, property).map_err(|kind| {
            let call = Call::Property(system.declared.properties[property].name.clone());
            system.number(Fault { call, kind })
        })
    }
}

/// An event as messages show it.
fn text(event: &dyn fmt::Debug) -> String {
    format!("{event:?}")
}

/// The fault of an event whose owner is no declared process.
#[cold]
fn unknown(owner: Owner, event: &dyn fmt::Debug) -> Fault {
    let kind = FaultKind::UnknownProcess(format!("{owner:?}"));
    Fault { call: Call::Owner(text(event)), kind }
}

impl<P: Protocol, C: Coding<P>> Worker for ProtocolWorker<'_, P, C> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        let properties = &self.source.system.declared.properties;
        for (property, of) in properties.iter().enumerate() {
            if of.kind == PropertyKind::Assume && !self.condition(state, property)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, FaultId>> {
        vec![self.condition(state, property.0 as usize)]
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        self.condition(state, property.0 as usize) != Ok(true)
    }

    fn is_false_everywhere(&mut self, state: &[u64], property: PropertyId) -> bool {
        self.condition(state, property.0 as usize) == Ok(false)
    }

    fn expand(&mut self, packed: &[u64], steps: &mut Steps) {
        self.source.load(packed);
        self.events.clear();
        self.source.beat.calls(doing::EVENTS, 0);
        let Loader { system, code, .. } = self.source;
        let (state, events) = (self.source.state(), &mut self.events);
        let listed = fault::call(|| code.protocol.events(state, events));
        if let Err(kind) = listed {
            steps.faults.push(system.number(Fault { call: Call::Events, kind }));
            // Nothing that was listed before counts.
            self.events.clear();
        }
        // One call for all events; if one of them panics, another call for those after it.
        let at = Cell::new(At { event: 0, first_argument: 0, is_owner: false });
        let mut first = 0;
        loop {
            let executed = fault::call(|| {
                for k in first..self.events.len() {
                    run::poll();
                    if let Err(fault) = self.step(k, packed, steps, &at) {
                        steps.faults.push(system.number(fault));
                    }
                }
            });
            let Err(kind) = executed else { break };
            let At { event: k, first_argument, is_owner } = at.get();
            // What was appended for the step has no label.
            steps.arguments.truncate(first_argument as usize);
            steps.targets.truncate(steps.labels.len() * packed.len());
            let event = text(&self.events[k]);
            let call = if is_owner { Call::Owner(event) } else { Call::Next(event) };
            steps.faults.push(system.number(Fault { call, kind }));
            first = k + 1;
        }
        self.source.beat.rests();
    }
}
