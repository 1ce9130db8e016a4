//! Executes a protocol on packed states.

use super::Prepared;
use crate::changes::{AS_MANY_CELLS, Changes};
use crate::coding::Coding;
use crate::fault::{self, Call, Fault, FaultKind};
use crate::protocol::Protocol;
use engine::system::{FaultId, Label, Steps, Worker};
use std::cell::Cell;
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

impl<P: Protocol, C: Coding<P>> Prepared<P, C> {
    /// A beat for a new worker.
    pub(crate) fn beat(&self) -> Arc<Beat> {
        let beat = Arc::new(Beat::default());
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats.retain(|one| Arc::strong_count(one) > 1);
        beats.push(Arc::clone(&beat));
        beat
    }

    /// What a worker does, and in which state.
    pub(super) fn interpret(&self, beat: &Beat) -> (Call, Option<P::State>) {
        let doing = beat.doing.load(Ordering::Relaxed);
        let number = (doing & u64::from(u32::MAX)) as usize;
        let packed = beat.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let state = (packed.len() == self.coding.layout().words()).then(|| self.state(&packed));
        let call = match doing >> 32 {
            doing::STARTS => return (Call::Starts, None),
            doing::NEXT => {
                // The events of this state have been listed before.
                let mut events = Vec::new();
                if let Some(state) = &state {
                    let _ = fault::call(|| self.protocol.events(state, &mut events));
                }
                Call::Next(
                    events.get(number).map_or("an event".to_owned(), |one| format!("{one:?}")),
                )
            }
            doing::PROPERTY => Call::Property(self.declared.properties.list[number].name.clone()),
            doing::ATOM => Call::Atom(self.declared.atoms.list[number].name.clone()),
            doing::REQUIREMENT => {
                Call::Requirement(self.declared.requirements.list[number].name.clone())
            }
            _ => Call::Events,
        };
        (call, state)
    }
}

/// Reads packed states, and remembers the last one.
pub(super) struct Loader<P: Protocol> {
    pub(super) cells: Vec<i64>,
    packed: Vec<u64>,
    state: Option<P::State>,
    pub(super) beat: Arc<Beat>,
}

impl<P: Protocol> Loader<P> {
    pub(super) fn new<C: Coding<P>>(system: &Prepared<P, C>) -> Self {
        let layout = system.coding.layout();
        Loader {
            cells: vec![0; layout.cells()],
            packed: vec![0; layout.words()],
            state: None,
            beat: system.beat(),
        }
    }

    /// The state of a packed one; its cells are in `cells`.
    #[inline]
    pub(super) fn load<C: Coding<P>>(&mut self, system: &Prepared<P, C>, packed: &[u64]) {
        if self.state.is_some() && self.packed == packed {
            return;
        }
        self.packed.copy_from_slice(packed);
        self.beat.at(packed);
        system.coding.layout().unpack(packed, &mut self.cells);
        self.state = Some(system.coding.read(&system.declared.all, &self.cells));
    }

    /// The state that was loaded.
    #[inline]
    pub(super) fn state(&self) -> &P::State {
        self.state.as_ref().expect("a state was loaded")
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
pub(super) struct ProtocolWorker<'p, P: Protocol, C> {
    system: &'p Prepared<P, C>,
    source: Loader<P>,
    events: Vec<P::Event>,
    /// Memory for cells.
    scratch: Vec<i64>,
}

impl<'p, P: Protocol, C: Coding<P>> ProtocolWorker<'p, P, C> {
    pub(super) fn new(system: &'p Prepared<P, C>) -> Self {
        let source = Loader::new(system);
        ProtocolWorker { system, source, events: Vec::new(), scratch: Vec::new() }
    }

    /// The start states.
    pub(super) fn starts(&mut self) -> Result<Vec<P::State>, FaultId> {
        let Prepared { protocol, declared, .. } = self.system;
        self.source.beat.calls(doing::STARTS, 0);
        let starts = fault::call(|| protocol.starts(&declared.all));
        self.source.beat.rests();
        starts.map_err(|kind| self.system.number(Fault { call: Call::Starts, kind }))
    }

    /// A start state, packed.
    pub(super) fn packed(&mut self, state: &P::State) -> Result<Box<[u64]>, FaultId> {
        let Prepared { declared, coding, .. } = self.system;
        let cells = &mut self.scratch;
        cells.clear();
        let written = fault::call(|| coding.write(&declared.all, state, cells));
        let outside = written.and_then(|()| match FaultKind::outside(coding.names(), cells) {
            Some(kind) => Err(kind),
            None => Ok(()),
        });
        outside.map_err(|kind| self.system.number(Fault { call: Call::Starts, kind }))?;
        let mut packed = vec![0; coding.layout().words()];
        coding.layout().pack(cells, &mut packed);
        Ok(packed.into())
    }

    fn condition(&mut self, packed: &[u64], property: usize) -> Result<bool, FaultId> {
        self.source.load(self.system, packed);
        let of = &self.system.declared.properties.list[property];
        self.source.beat.calls(doing::PROPERTY, property);
        let is_true = fault::call(|| (of.condition)(self.source.state()));
        self.source.beat.rests();
        is_true.map_err(|kind| {
            self.system.number(Fault { call: Call::Property(of.name.clone()), kind })
        })
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
        let Prepared { protocol, declared, coding, .. } = self.system;
        let (all, event) = (&declared.all, &self.events[k]);
        self.source.beat.calls(doing::NEXT, k);
        let first_argument = steps.arguments.len() as u32;
        at.set(At { event: k, first_argument, is_owner: false });
        let state = self.source.state();
        let Some(next) = protocol.next(state, event) else { return Ok(()) };
        at.set(At { event: k, first_argument, is_owner: true });
        let owner = protocol.owner(event);
        let Some(owner) = declared.owner_cell(owner) else {
            let kind = FaultKind::UnknownProcess(format!("{owner:?}"));
            return Err(Fault { call: Call::Owner(format!("{event:?}")), kind });
        };
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
            return Err(Fault { call: Call::Next(format!("{event:?}")), kind });
        }
        // States have few words: a loop is faster than a call.
        let stutters = target.iter().eq(packed);
        steps.arguments.push(owner);
        let rule = coding.write_event(all, event, &mut steps.arguments);
        steps.labels.push(Label { rule, first_argument, stutters });
        steps.fired += 1;
        Ok(())
    }
}

impl<P: Protocol, C: Coding<P>> Worker for ProtocolWorker<'_, P, C> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        for property in 0..self.system.declared.properties.list.len() {
            let kind = self.system.declared.properties.list[property].kind;
            if kind == PropertyKind::Assume && !self.condition(state, property)? {
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
        self.source.load(self.system, packed);
        self.events.clear();
        self.source.beat.calls(doing::EVENTS, 0);
        let (state, events) = (self.source.state(), &mut self.events);
        let listed = fault::call(|| self.system.protocol.events(state, events));
        if let Err(kind) = listed {
            steps.faults.push(self.system.number(Fault { call: Call::Events, kind }));
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
                        steps.faults.push(self.system.number(fault));
                    }
                }
            });
            let Err(kind) = executed else { break };
            let At { event: k, first_argument, is_owner } = at.get();
            // What was appended for the step has no label.
            steps.arguments.truncate(first_argument as usize);
            steps.targets.truncate(steps.labels.len() * packed.len());
            let event = format!("{:?}", self.events[k]);
            let call = if is_owner { Call::Owner(event) } else { Call::Next(event) };
            steps.faults.push(self.system.number(Fault { call, kind }));
            first = k + 1;
        }
        self.source.beat.rests();
    }
}
