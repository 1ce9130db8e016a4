//! The search itself.

use super::liveness;
use super::store::{NO_PARENT, SHARDS, StateId, Store, hash, shard_of};
use super::{Deadlock, Exploration, Options, Path, Progress, Violation, ViolationKind};
use crate::model::checked::PropertyId;
use crate::model::interpret::Failure;
use crate::model::syntax::PropertyKind;
use crate::system::{Layout, Steps, System, Worker};
use automata::StopReason;
use rayon::prelude::*;
use std::time::Instant;

/// States that one thread expands at a time.
const CHUNK: usize = 256;
/// Chunks of a round.
const ROUND: usize = 32;

/// Who is told of the progress, and may stop the search.
type Watch<'w> = dyn FnMut(&Progress) -> Option<StopReason> + Send + 'w;

/// Explores a system. `watch` is told of the progress before every round and at the end, and may
/// stop the search.
pub fn explore_system(
    system: &dyn System,
    options: &Options,
    watch: &mut (dyn FnMut(&Progress) -> Option<StopReason> + Send),
) -> Exploration<Path> {
    let began = Instant::now();
    let span = tracing::debug_span!(
        "explore",
        states = tracing::field::Empty,
        steps = tracing::field::Empty
    );
    let _entered = span.enter();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .stack_size(64 << 20)
        .build()
        .expect("threads can be started");
    let layout = system.layout();
    let mut search = Search {
        properties: Properties::of(system),
        system,
        layout,
        options,
        store: Store::new(layout.bytes()),
        progress: Progress::default(),
        deadlocks: 0,
        violations: Vec::new(),
        covers: Covers::of(system),
    };
    let stopped = pool.install(|| search.run(watch));
    let starts = search.store.ids().filter(|&id| search.store.parent(id).is_none()).count() as u64;
    let (mut found, stopped) = search.conclude(stopped, watch);
    found.sort_by_key(|(first, _)| *first);
    let violations = found
        .into_iter()
        .map(|(_, found)| Violation {
            trace: found.state.map(|state| search.path(state)),
            kind: found.kind,
            count: found.count,
        })
        .collect();
    span.record("states", search.progress.states);
    span.record("steps", search.progress.steps);
    Exploration {
        progress: search.progress,
        starts,
        deadlocks: search.deadlocks,
        covered: search.covers.true_ones(),
        violations,
        stopped,
        time: began.elapsed(),
        memory: search.store.memory(),
        state_bytes: layout.bytes(),
    }
}

/// The properties that a state is checked for.
struct Properties {
    invariants: Vec<PropertyId>,
    has_assumptions: bool,
}

impl Properties {
    fn of(system: &dyn System) -> Self {
        let properties = system.properties();
        let all = || properties.iter().enumerate().filter(|(_, one)| !one.is_statement);
        let invariants = all()
            .filter(|(_, one)| matches!(one.kind, PropertyKind::Invariant | PropertyKind::Assert))
            .map(|(k, _)| PropertyId(k as u32))
            .collect();
        let has_assumptions = all().any(|(_, one)| one.kind == PropertyKind::Assume);
        Properties { invariants, has_assumptions }
    }
}

/// Which `cover` properties have not been true yet.
struct Covers {
    /// Top-level ones; for each choice of values around it whether it was true, once one was seen.
    conditions: Vec<(PropertyId, Vec<bool>)>,
    statements: Vec<(PropertyId, bool)>,
}

impl Covers {
    fn of(system: &dyn System) -> Self {
        let all = system.properties().into_iter().enumerate();
        let covers = all.filter(|(_, one)| one.kind == PropertyKind::Cover);
        let (mut conditions, mut statements) = (Vec::new(), Vec::new());
        for (k, one) in covers {
            let id = PropertyId(k as u32);
            if one.is_statement {
                statements.push((id, false));
            } else {
                conditions.push((id, Vec::new()));
            }
        }
        Covers { conditions, statements }
    }

    /// Those that were true, for all choices of values around them.
    fn true_ones(&self) -> Vec<PropertyId> {
        let statements = self.statements.iter().filter(|(_, seen)| *seen).map(|(id, _)| *id);
        let conditions = self.conditions.iter();
        let conditions =
            conditions.filter(|(_, seen)| !seen.is_empty() && seen.iter().all(|&seen| seen));
        statements.chain(conditions.map(|(id, _)| *id)).collect()
    }
}

/// What violations are sorted by: the kind, then where in the model.
type Place = (u32, usize, usize);

/// Something wrong, before its trace is known.
pub(super) struct Found {
    pub(super) kind: ViolationKind,
    pub(super) count: u64,
    pub(super) state: Option<StateId>,
}

impl Found {
    /// Whether the same is wrong: of failures, one is told per place.
    pub(super) fn is_same(&self, kind: &ViolationKind) -> bool {
        match (&self.kind, kind) {
            (ViolationKind::Failure(a), ViolationKind::Failure(b)) => is_same_failure(a, b),
            (a, b) => a == b,
        }
    }
}

fn is_same_failure(a: &Failure, b: &Failure) -> bool {
    (a.kind, a.span) == (b.kind, b.span)
}

struct Search<'s> {
    properties: Properties,
    system: &'s dyn System,
    layout: &'s Layout,
    options: &'s Options,
    store: Store,
    progress: Progress,
    deadlocks: u64,
    violations: Vec<Found>,
    covers: Covers,
}

/// What came of a chunk of states.
#[derive(Default)]
struct Expanded {
    /// Bytes of the targets that are not in the store, one behind the other.
    bytes: Vec<u8>,
    /// For each its hash and the state that it came from.
    targets: Vec<(u64, StateId)>,
    /// By shard: which of them belong there.
    by_shard: Vec<Vec<u32>>,
    steps: u64,
    fired: u64,
    /// States that were expanded.
    states: u64,
    /// What is wrong, and where.
    wrong: Vec<(ViolationKind, StateId)>,
    covered_statements: Vec<PropertyId>,
    /// Top-level covers: what each says of some state.
    covered: Vec<(PropertyId, Vec<bool>)>,
}

impl Search<'_> {
    fn run(&mut self, watch: &mut Watch<'_>) -> Option<StopReason> {
        let mut layer = Vec::new();
        if let Some(stop) = self.starts(&mut layer, watch) {
            return Some(stop);
        }
        while !layer.is_empty() {
            self.progress.depth += 1;
            let mut next = Vec::new();
            for round in layer.chunks(CHUNK * ROUND) {
                if let Some(stop) = self.stop(watch) {
                    return Some(stop);
                }
                let expanded: Vec<Expanded> =
                    round.par_chunks(CHUNK).map_init(|| Looker::new(self), Looker::look).collect();
                self.insert(&expanded, &mut next);
                for one in expanded {
                    self.gather(one);
                }
            }
            layer = next;
        }
        // Nothing is left to be stopped.
        watch(&self.progress);
        None
    }

    /// A shortest run to a state.
    fn path(&self, state: StateId) -> Path {
        let mut ids = vec![state];
        while let Some(parent) = self.store.parent(ids[ids.len() - 1]) {
            ids.push(parent);
        }
        let words = |id: &StateId| {
            let mut packed = vec![0; self.layout.words()];
            read_words(self.store.get(*id), &mut packed);
            packed.into_boxed_slice()
        };
        ids.iter().rev().map(words).collect()
    }

    /// Why to stop, if so.
    fn stop(&self, watch: &mut Watch<'_>) -> Option<StopReason> {
        watch(&self.progress).or_else(|| {
            let most = self.options.most_states?;
            (self.progress.states > most).then_some(StopReason::States(most as usize))
        })
    }

    /// The first layer. There may be more start states than could ever be made, so that this, too,
    /// may have to be stopped.
    fn starts(&mut self, layer: &mut Vec<StateId>, watch: &mut Watch<'_>) -> Option<StopReason> {
        let mut worker = self.system.worker();
        let mut bytes = Vec::new();
        for (k, start) in self.system.starts().enumerate() {
            if k % CHUNK == CHUNK - 1
                && let Some(stop) = self.stop(watch)
            {
                return Some(stop);
            }
            let outcome = start.and_then(|packed| {
                if self.properties.has_assumptions && !worker.is_assumed(&packed)? {
                    return Ok(None);
                }
                Ok(Some(packed))
            });
            match outcome {
                Err(failure) => self.found(ViolationKind::Failure(failure), None),
                Ok(None) => {}
                Ok(Some(packed)) => {
                    bytes.clear();
                    write_bytes(&packed, self.layout.bytes(), &mut bytes);
                    layer.extend(self.store.insert(hash(&bytes), &bytes, NO_PARENT));
                    self.progress.states = layer.len() as u64;
                }
            }
        }
        None
    }

    /// Inserts what is new, shard by shard; the order is that of the chunks.
    fn insert(&mut self, expanded: &[Expanded], next: &mut Vec<StateId>) {
        let width = self.layout.bytes();
        let fill = |(number, shard): (usize, &mut super::store::Shard)| {
            let mut fresh = Vec::new();
            for one in expanded {
                for &k in &one.by_shard[number] {
                    let (hash, parent) = one.targets[k as usize];
                    let bytes = &one.bytes[k as usize * width..(k as usize + 1) * width];
                    fresh.extend(shard.insert(hash, bytes, parent));
                }
            }
            fresh
        };
        let shards = self.store.shards_mut();
        let fresh: Vec<Vec<StateId>> = if self.options.threads > 1 {
            shards.par_iter_mut().enumerate().map(fill).collect()
        } else {
            shards.iter_mut().enumerate().map(fill).collect()
        };
        for one in fresh {
            self.progress.states += one.len() as u64;
            next.extend(one);
        }
    }

    fn gather(&mut self, one: Expanded) {
        self.progress.steps += one.steps;
        self.progress.fired += one.fired;
        self.progress.expanded += one.states;
        for (kind, state) in one.wrong {
            self.deadlocks += u64::from(kind == ViolationKind::Deadlock);
            self.found(kind, Some(state));
        }
        for (id, seen) in &mut self.covers.statements {
            *seen |= one.covered_statements.contains(id);
        }
        for (id, values) in one.covered {
            let (_, seen) = self
                .covers
                .conditions
                .iter_mut()
                .find(|(one, _)| *one == id)
                .expect("only covers are asked for");
            seen.resize(values.len().max(seen.len()), false);
            for (seen, value) in seen.iter_mut().zip(values) {
                *seen |= value;
            }
        }
    }

    /// Counts a violation; the first of its kind is kept.
    fn found(&mut self, kind: ViolationKind, state: Option<StateId>) {
        match self.violations.iter_mut().find(|known| known.is_same(&kind)) {
            Some(known) => known.count += 1,
            None => self.violations.push(Found { kind, count: 1, state }),
        }
    }

    /// All that is wrong, each with what it is sorted by: properties of the end included, which are
    /// judged only if every state was expanded. Also why the whole is not complete.
    fn conclude(
        &mut self,
        mut stopped: Option<StopReason>,
        watch: &mut Watch<'_>,
    ) -> (Vec<(Place, Found)>, Option<StopReason>) {
        if stopped.is_none() && self.progress.expanded == self.progress.states {
            for (id, seen) in &self.covers.statements {
                if !seen {
                    let kind = ViolationKind::Cover(*id, 0);
                    self.violations.push(Found { kind, count: 1, state: None });
                }
            }
            for (id, seen) in &self.covers.conditions {
                let seen = if seen.is_empty() { &vec![false] } else { seen };
                for (k, _) in seen.iter().enumerate().filter(|(_, seen)| !**seen) {
                    let kind = ViolationKind::Cover(*id, k);
                    self.violations.push(Found { kind, count: 1, state: None });
                }
            }
            let progress = self.progress;
            match liveness::check(
                self.system,
                &self.store,
                self.properties.has_assumptions,
                &mut || watch(&progress),
            ) {
                Ok(found) => self.violations.extend(found),
                Err(stop) => stopped = Some(stop),
            }
        }
        let place = |kind: &ViolationKind| match kind {
            ViolationKind::Failure(failure) => (0, failure.span.start, failure.span.end),
            ViolationKind::Invariant(id) => (1, id.0 as usize, 0),
            ViolationKind::Liveness(id, k) => (2, id.0 as usize, *k),
            ViolationKind::Cover(id, k) => (3, id.0 as usize, *k),
            ViolationKind::Deadlock => (4, 0, 0),
        };
        (self.violations.drain(..).map(|found| (place(&found.kind), found)).collect(), stopped)
    }
}

/// Looks at states, with memory of its own.
struct Looker<'s> {
    search: &'s Search<'s>,
    worker: Box<dyn Worker + 's>,
    packed: Vec<u64>,
    steps: Steps,
    bytes: Vec<u8>,
}

impl<'s> Looker<'s> {
    fn new(search: &'s Search<'s>) -> Self {
        Looker {
            worker: search.system.worker(),
            packed: vec![0; search.layout.words()],
            steps: Steps::default(),
            bytes: Vec::new(),
            search,
        }
    }

    fn look(&mut self, chunk: &[StateId]) -> Expanded {
        let mut out = Expanded { by_shard: vec![Vec::new(); SHARDS], ..Expanded::default() };
        for &id in chunk {
            read_words(self.search.store.get(id), &mut self.packed);
            let violated = self.check(id, &mut out);
            self.cover(&mut out);
            if !violated || self.search.options.expand_violating {
                self.expand(id, &mut out);
            }
        }
        out
    }

    /// Checks the invariants of the state; whether one is violated.
    fn check(&mut self, id: StateId, out: &mut Expanded) -> bool {
        let mut violated = false;
        for &property in &self.search.properties.invariants {
            if !self.worker.is_violated(&self.packed, property) {
                continue;
            }
            violated = true;
            let answers = self.worker.property(&self.packed, property);
            // As with quantifiers, what is false counts for more than what fails.
            let kind = match answers.into_iter().find_map(Result::err) {
                Some(failure) if !self.is_false(property) => ViolationKind::Failure(failure),
                _ => ViolationKind::Invariant(property),
            };
            out.wrong.push((kind, id));
        }
        violated
    }

    fn is_false(&mut self, property: PropertyId) -> bool {
        self.worker.property(&self.packed, property).iter().any(|one| matches!(one, Ok(false)))
    }

    /// Notes which of the covers that were never true are true here.
    fn cover(&mut self, out: &mut Expanded) {
        for (id, seen) in &self.search.covers.conditions {
            if !seen.is_empty() && seen.iter().all(|&seen| seen) {
                continue;
            }
            let answers = self.worker.property(&self.packed, *id);
            let answers = answers.into_iter().map(|one| one.unwrap_or(false)).collect();
            out.covered.push((*id, answers));
        }
    }

    fn expand(&mut self, id: StateId, out: &mut Expanded) {
        let words = self.search.layout.words();
        self.steps.clear();
        self.worker.expand(&self.packed, &mut self.steps);
        out.states += 1;
        out.fired += self.steps.fired;
        out.covered_statements.append(&mut self.steps.covered);
        let failed = !self.steps.failures.is_empty();
        // A place where several instances fail counts once.
        for (k, failure) in self.steps.failures.iter().enumerate() {
            if !self.steps.failures[..k].iter().any(|one| is_same_failure(one, failure)) {
                out.wrong.push((ViolationKind::Failure(failure.clone()), id));
            }
        }
        let is_deadlock = match self.search.options.deadlock {
            Deadlock::Off => false,
            Deadlock::Stuck => self.steps.labels.is_empty(),
            Deadlock::Stuttering => self.steps.labels.iter().all(|label| label.stutters),
        };
        if is_deadlock && !failed {
            out.wrong.push((ViolationKind::Deadlock, id));
        }
        for k in 0..self.steps.labels.len() {
            if self.search.properties.has_assumptions {
                match self.worker.is_assumed(&self.steps.targets[k * words..(k + 1) * words]) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(failure) => {
                        out.wrong.push((ViolationKind::Failure(failure), id));
                        continue;
                    }
                }
            }
            out.steps += 1;
            if self.steps.labels[k].stutters {
                continue;
            }
            let target = &self.steps.targets[k * words..(k + 1) * words];
            self.bytes.clear();
            write_bytes(target, self.search.layout.bytes(), &mut self.bytes);
            let hash = hash(&self.bytes);
            if self.search.store.find(hash, &self.bytes).is_none() {
                out.by_shard[shard_of(hash)].push(out.targets.len() as u32);
                out.targets.push((hash, id));
                out.bytes.extend_from_slice(&self.bytes);
            }
        }
    }
}

/// The bytes of a packed state, appended.
pub(super) fn write_bytes(words: &[u64], bytes: usize, out: &mut Vec<u8>) {
    let start = out.len();
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(start + bytes);
}

/// The words of a packed state.
pub(super) fn read_words(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut all = [0; 8];
        all[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(all);
    }
}
