//! The search: rounds over all layers, the start states, and the final report.

use super::asked::{Asked, Decision, Subject};
use super::covers::Covers;
use super::look::{Counts, Seen, Totals};
use super::round::{ROUND, Round, Tempo};
use super::team::{Team, with_team};
use super::total::{Total, Weight};
use super::{
    Exploration, Full, Options, Path, Progress, QuotientCounts, Symmetry, Violation, ViolationKind,
    Watch,
};
use super::{concretise, liveness};
use crate::narrow::to_usize;
use crate::quotient::Quotient;
use crate::space::{Representative, Store};
use crate::symmetry::Stabiliser;
use crate::system::{FaultId, Layout, System};
use run::{Every, StopReason, Ticker, stoppable};
use std::time::Instant;
use terms::PropertyId;
use terms::PropertyKind;
use tracing::field::Empty;

/// Explores a system. The progress is reported to `watch` several times per second and at the
/// end; `watch` may stop the search.
pub fn explore_system(system: &dyn System, options: &Options, watch: &Watch) -> Exploration<Path> {
    explore_asked(system, options, &Asked::all(system), watch).0
}

/// Explores a system for some of its properties; also returns when each of them was decided.
pub fn explore_asked(
    system: &dyn System,
    options: &Options,
    asked: &Asked,
    watch: &Watch,
) -> (Exploration<Path>, Vec<Decision>) {
    let reduction = reduction_for(system, options.symmetry);
    let quotient = Quotient::sharded(system, reduction, options.compression);
    explore_on(&quotient, options, asked, watch)
}

/// How an exploration reduces states if symmetry is to be used in this way: `liveness` is decided
/// on representatives that are unique.
pub fn reduction_for(system: &dyn System, symmetry: Symmetry) -> Symmetry {
    let mut properties = system.properties().into_iter();
    let has_liveness = properties.any(|one| one.kind == PropertyKind::Liveness);
    if symmetry == Symmetry::Sorted && has_liveness { Symmetry::Canonical } else { symmetry }
}

/// Explores a quotient for some properties of its system, whatever is known of it already; also
/// returns when each of them was decided. The quotient must be [sharded](Quotient::sharded), reduced
/// and compressed as the options say, and no other thread may use it meanwhile.
pub fn explore_on(
    quotient: &Quotient<'_>,
    options: &Options,
    asked: &Asked,
    watch: &Watch,
) -> (Exploration<Path>, Vec<Decision>) {
    let began = Instant::now();
    let span = tracing::debug_span!("explore", states = Empty, steps = Empty, depth = Empty);
    let _entered = span.enter();
    let begin =
        |asked| watch.over(|| ExplorationSearch::new(quotient, options, asked, span.clone()));
    let nothing = Asked { properties: Vec::new(), until_decided: true };
    let (mut search, stopped) = match begin(asked) {
        Ok(mut search) => {
            search.began = began;
            search.store = quotient.space().take();
            search.store.begin(search.keeps_edges);
            let round = Round::new(search);
            let (mut round, stopped) =
                with_team(options.threads, watch, round, |team| run(team, watch));
            round.search.store.end();
            quotient.space().put(std::mem::take(&mut round.search.store));
            (round.search, stopped)
        }
        // There is not even time to prepare the questions.
        Err(reason) => {
            let search = ExplorationSearch::new(quotient, options, &nothing, span.clone());
            (search, Some(reason))
        }
    };
    let (mut found, mut stopped) = search.conclude(stopped, watch);
    found.sort_by_key(|(first, _)| *first);
    let mut violations = Vec::new();
    for (_, found) in found {
        let (trace, untraced) = match found.state.map(|state| watch.over(|| search.path(state))) {
            None => (None, None),
            Some(Ok(path)) => (Some(path), None),
            Some(Err(reason)) => (None, Some(reason)),
        };
        stopped = stopped.or(untraced);
        let (kind, count) = (found.kind, found.count.sum());
        violations.push(Violation { kind, count, trace, untraced });
    }
    span.record("states", search.progress.states);
    span.record("steps", search.progress.steps);
    span.record("depth", search.progress.depth.saturating_sub(1));
    let is_exact = search.is_exact();
    let rules = search.full.fired.sums(quotient.system().rules().len());
    quotient.fired.note_counts(&rules);
    let full = is_exact.then(|| Full {
        // Without symmetry, all states that were found, expanded or not.
        states: match search.order {
            Some(_) => search.full.states.sum(),
            None => search.progress.states.into(),
        },
        starts: search.starts.1.sum(),
        steps: search.full.steps.sum(),
        fired: rules.iter().sum(),
        deadlocks: search.deadlocks.1.sum(),
    });
    let counts = (options.symmetry != Symmetry::Off).then(|| QuotientCounts {
        representatives: search.progress.states,
        annotated_edges: search.counts.steps,
        kept_edges: is_exact.then_some(search.counts.kept),
        orbit_edges: is_exact.then_some(search.counts.orbits),
    });
    let exploration = Exploration {
        progress: search.progress,
        full,
        quotient: counts,
        starts: search.starts.0,
        deadlocks: search.deadlocks.0,
        rules,
        covered: search.covers.true_ones(),
        violations,
        stopped,
        time: began.elapsed(),
        memory: quotient.space().states_memory() as u64,
        state_bytes: search.layout.bytes(),
    };
    // The paths are made.
    quotient.space().forget_parents();
    (exploration, search.decisions)
}

/// The properties in question that are evaluated in every state and must be true there.
fn invariants(system: &dyn System, asked: &Asked) -> Vec<PropertyId> {
    let all = (0..).map(PropertyId).zip(system.properties()).filter(|(_, one)| !one.is_statement);
    all.filter(|(_, one)| matches!(one.kind, PropertyKind::Invariant | PropertyKind::Assert))
        .map(|(id, _)| id)
        .filter(|id| asked.properties.contains(id))
        .collect()
}

/// The sort key of violations: the kind, then the position in the model.
type ViolationRank = (u32, usize, usize);

/// A violation whose trace is not known yet.
pub(super) struct FoundViolation {
    pub(super) kind: ViolationKind,
    pub(super) count: Total,
    pub(super) state: Option<Representative>,
}

impl FoundViolation {
    /// A violation in a state, if there is one, that stands for so many states; none for a `cover`.
    pub(super) fn new(
        kind: ViolationKind,
        state: Option<Representative>,
        weight: Option<&Weight>,
    ) -> Self {
        let mut count = Total::default();
        if let Some(weight) = weight {
            count.add(weight, 1);
        }
        FoundViolation { kind, count, state }
    }

    /// Whether it is the same violation: failures are reported once per position in the model.
    pub(super) fn is_same(&self, system: &dyn System, kind: &ViolationKind) -> bool {
        match (&self.kind, kind) {
            (&ViolationKind::Failure(a), &ViolationKind::Failure(b)) => is_same_fault(system, a, b),
            (a, b) => a == b,
        }
    }
}

/// Whether two faults are reported as one.
pub(super) fn is_same_fault(system: &dyn System, a: FaultId, b: FaultId) -> bool {
    a == b || system.fault(a).is_same_finding(&system.fault(b))
}

pub(super) struct ExplorationSearch<'s> {
    pub(super) invariants: Vec<PropertyId>,
    pub(super) system: &'s dyn System,
    pub(super) layout: &'s Layout,
    pub(super) options: &'s Options,
    pub(super) quotient: &'s Quotient<'s>,
    /// The order of the group, if states are reduced.
    pub(super) order: Option<Weight>,
    /// Whether the edges of representatives are stored.
    pub(super) keeps_edges: bool,
    /// The states, while they are explored; before and after that they are in the quotient.
    pub(super) store: Store,
    progress: Progress,
    counts: Counts,
    full: Totals,
    /// The numbers of start states: of representatives, and of all states.
    starts: (u64, Total),
    deadlocks: (u64, Total),
    violations: Vec<FoundViolation>,
    pub(super) covers: Covers,
    pub(super) asked: &'s Asked,
    began: Instant,
    /// The span of the exploration, for threads that have not entered it.
    span: tracing::Span,
    /// The questions that are not decided yet.
    open: Vec<Subject>,
    decisions: Vec<Decision>,
}

/// Expands layer after layer. Returns why the search was stopped, if it was.
///
/// Once there are more states than are allowed, the first of them in the order of the rounds count
/// as found, so that counts are exact and do not depend on the number of threads.
pub(super) fn run(team: &mut Team<'_, Round<'_>>, watch: &Watch) -> Option<StopReason> {
    let has_helpers = team.has_helpers();
    let mut layer = Vec::new();
    let starts = stoppable(|| team.job().search.starts(&mut layer, watch));
    if let Err(stop) = starts.and_then(|stop| stop.map_or(Ok(()), Err)) {
        return Some(stop);
    }
    {
        let ExplorationSearch { violations, quotient, .. } = &team.job().search;
        // The walkers of a quotient report start states that fail.
        if violations.is_empty() {
            quotient.space().set_starts(layer.clone());
        }
    }
    let (mut tempo, mut next) = (Tempo::new(), Vec::new());
    while !layer.is_empty() {
        team.job().search.progress.depth += 1;
        for states in layer.chunks(ROUND) {
            if let Some(stop) = expand(team, states, &mut tempo, watch) {
                team.job().abandon();
                return Some(stop);
            }
            let mut round = team.job();
            if has_helpers && round.has_many_targets() {
                round.insert();
                drop(round);
                team.call();
                round = team.job();
            }
            let before = next.len();
            let full = round.end(&mut next);
            round.search.progress.states += (next.len() - before) as u64;
            let full = full.or(round.search.limited());
            if round.search.decide() {
                return None;
            }
            if full.is_some() {
                return full;
            }
        }
        std::mem::swap(&mut layer, &mut next);
        next.clear();
    }
    // The search is complete, so the answer of `watch` is ignored.
    watch.report(&team.job().search.progress);
    None
}

/// Expands the states of a round in pieces: where states are expensive, `watch` is called more
/// often than once a round. Where they are cheap and few, it is called less often.
fn expand(
    team: &mut Team<'_, Round<'_>>,
    states: &[Representative],
    tempo: &mut Tempo,
    watch: &Watch,
) -> Option<StopReason> {
    let mut rest = states;
    while !rest.is_empty() {
        if tempo.is_due() {
            if let Some(stop) = team.job().search.stop(watch) {
                return Some(stop);
            }
            tempo.read();
        }
        let (piece, others) = rest.split_at(tempo.pace().min(rest.len()));
        if team.has_helpers() && tempo.is_worth_sharing(piece.len()) {
            team.job().expand(piece, tempo.pace());
            team.call();
        } else {
            let (mut round, own) = team.alone();
            round.expand_alone(own, piece);
        }
        if let Some(stop) = team.job().expanded() {
            return Some(stop);
        }
        tempo.count(piece.len());
        rest = others;
    }
    None
}

impl<'s> ExplorationSearch<'s> {
    /// A search that has not found any state yet.
    pub(super) fn new(
        quotient: &'s Quotient<'s>,
        options: &'s Options,
        asked: &'s Asked,
        span: tracing::Span,
    ) -> Self {
        let system = quotient.system();
        let indices = quotient.structure().indices();
        let is_reduced = quotient.reduction() != Symmetry::Off && !indices.is_trivial();
        let has_liveness = || !liveness::asked(system, asked).is_empty();
        let wants_edges = quotient.wants_edges() || has_liveness();
        ExplorationSearch {
            invariants: invariants(system, asked),
            covers: Covers::of(system, asked, is_reduced),
            asked,
            began: Instant::now(),
            open: asked.subjects(options.deadlock),
            decisions: Vec::new(),
            span,
            order: is_reduced.then(|| Weight::of(indices.all().order())),
            keeps_edges: is_reduced && !quotient.is_sorted() && wants_edges,
            quotient,
            system,
            layout: system.layout(),
            options,
            store: Store::default(),
            progress: Progress::default(),
            counts: Counts::default(),
            full: Totals::default(),
            starts: (0, Total::default()),
            deadlocks: (0, Total::default()),
            violations: Vec::new(),
        }
    }

    /// The number of states that a representative with this stabiliser stands for; 1 if that is not
    /// known.
    pub(super) fn weight(&self, stabiliser: &Stabiliser) -> Weight {
        match &self.order {
            Some(order) if self.is_exact() => Weight::of_orbit(order, stabiliser),
            _ => Weight::ONE,
        }
    }

    /// Whether the counts of the unreduced system are known.
    pub(super) fn is_exact(&self) -> bool {
        self.order.is_none() || !self.quotient.is_sorted()
    }

    /// A shortest run to a state.
    fn path(&self, state: Representative) -> Path {
        let mut ids = vec![state];
        let space = self.quotient.space();
        while let Some(parent) = space.parent(ids[ids.len() - 1]) {
            run::poll();
            ids.push(parent);
        }
        let words = |id: &Representative| {
            run::poll();
            let mut packed = vec![0; self.layout.words()];
            space.load(*id, &mut packed);
            packed.into_boxed_slice()
        };
        let path = ids.iter().rev().map(words).collect();
        if self.order.is_some() { concretise::path(self.quotient, &path) } else { path }
    }

    /// The reason to stop, if there is one.
    fn stop(&self, watch: &Watch) -> Option<StopReason> {
        let Progress { states, expanded, steps, depth, .. } = self.progress;
        let depth = depth.saturating_sub(1);
        tracing::trace!(
            target: "progress", parent: &self.span, states, expanded, steps, depth
        );
        watch.report(&self.progress)
    }

    /// The reason to stop if there are more states than are allowed. Only the first ones count.
    fn limited(&mut self) -> Option<StopReason> {
        let most = self.options.most_states.filter(|most| self.progress.states > *most)?;
        self.progress.states = most;
        Some(StopReason::States(to_usize(most)))
    }

    /// Inserts the start states, the first layer. There may be more of them than could ever be
    /// computed, so that `watch` may stop this phase, too.
    fn starts(&mut self, layer: &mut Vec<Representative>, watch: &Watch) -> Option<StopReason> {
        let mut starts = self.quotient.packed_starts();
        let mut asked = 0;
        while let Some(start) = starts.candidate() {
            asked += 1;
            if Every::START.is_due(asked)
                && let Some(stop) = self.stop(watch)
            {
                return Some(stop);
            }
            let packed = match start {
                Err(fault) => {
                    self.found(ViolationKind::Failure(fault), None, &Weight::ONE);
                    continue;
                }
                Ok(None) => continue,
                Ok(Some(packed)) => packed,
            };
            let id = match self.store.insert_start(&packed) {
                Ok(None) => continue,
                Ok(Some(id)) => id,
                Err(full) => return Some(full),
            };
            self.progress.states += 1;
            if let Some(full) = self.limited() {
                return Some(full);
            }
            layer.push(id);
            self.starts.0 += 1;
            let weight = self.weight(starts.successors.stabiliser(&packed));
            self.starts.1.add(&weight, 1);
        }
        None
    }

    /// Adds the results of a chunk of states. Chunks come in order.
    pub(super) fn gather(&mut self, one: &mut Seen) {
        let Counts { expanded, steps, fired, kept, orbits } = one.counts;
        self.progress.steps += steps;
        self.progress.fired += fired;
        self.progress.expanded += expanded;
        self.counts.steps += steps;
        self.counts.kept += kept;
        self.counts.orbits += orbits;
        self.full.states.merge(&one.full.states);
        self.full.steps.merge(&one.full.steps);
        self.full.fired.merge(&one.full.fired);
        self.gather_findings(one);
    }

    /// Adds the findings in a chunk of states that may not be complete, without its counts.
    pub(super) fn gather_findings(&mut self, one: &mut Seen) {
        for (kind, state, weight) in one.wrong.drain(..) {
            if kind == ViolationKind::Deadlock {
                self.deadlocks.0 += 1;
                self.deadlocks.1.add(&weight, 1);
                if !self.options.deadlock.is_asked() {
                    continue;
                }
            }
            self.found(kind, Some(state), &weight);
        }
        for (id, seen) in &mut self.covers.statements {
            *seen |= one.covered_statements.contains(id);
        }
        for (id, values) in one.covered.drain(..) {
            let condition = self.covers.conditions.iter_mut().find(|one| one.id == id);
            condition.expect("only covers are asked for").note(&values);
        }
    }

    /// Records the questions that have been decided. Returns whether these were all, and the
    /// exploration is to stop then.
    pub(super) fn decide(&mut self) -> bool {
        if self.open.iter().any(|&subject| self.is_decided(subject)) {
            self.decide_open();
        }
        self.asked.until_decided && self.open.is_empty()
    }

    fn decide_open(&mut self) {
        let open = std::mem::take(&mut self.open);
        let (decided, open): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|&subject| self.is_decided(subject));
        self.open = open;
        self.decisions.extend(decided.into_iter().map(|subject| Decision {
            subject,
            states: self.progress.states,
            edges: self.counts.orbits,
            time: self.began.elapsed(),
        }));
    }

    /// Whether the answer is known, whatever the remaining states are.
    fn is_decided(&self, subject: Subject) -> bool {
        let Subject::Property(id) = subject else { return self.deadlocks.0 > 0 };
        let is_about_it = |found: &FoundViolation| match &found.kind {
            ViolationKind::Invariant(one) => *one == id,
            ViolationKind::Failure(fault) => self.system.fault(*fault).assertion == Some(id),
            _ => false,
        };
        self.covers.is_true(id) || self.violations.iter().any(is_about_it)
    }

    /// Counts a violation; the first of its kind is kept.
    fn found(&mut self, kind: ViolationKind, state: Option<Representative>, weight: &Weight) {
        match self.violations.iter_mut().find(|known| known.is_same(self.system, &kind)) {
            Some(known) => known.count.add(weight, 1),
            None => self.violations.push(FoundViolation::new(kind, state, Some(weight))),
        }
    }

    /// Adds a violation that was found after the search to others; if it is among them already, the
    /// counts are added, and the nearest state is kept.
    pub(super) fn add(&self, found: FoundViolation, all: &mut Vec<FoundViolation>) {
        let known = all.iter_mut().find(|known| known.is_same(self.system, &found.kind));
        let Some(known) = known else { return all.push(found) };
        known.count.merge(&found.count);
        if let (Some(now), Some(before)) = (found.state, known.state)
            && liveness::depth(self, now) < liveness::depth(self, before)
        {
            (known.kind, known.state) = (found.kind, found.state);
        }
    }

    /// All violations, each with its sort key, including those of `cover` and `liveness`, which are
    /// decided only if every state was expanded. Also returns why the exploration is not complete,
    /// if so.
    fn conclude(
        &mut self,
        mut stopped: Option<StopReason>,
        watch: &Watch,
    ) -> (Vec<(ViolationRank, FoundViolation)>, Option<StopReason>) {
        if stopped.is_none() && self.progress.expanded == self.progress.states {
            if self.covers.statements.iter().any(|(_, seen)| !seen) {
                let covered = match watch.over(|| self.system.covered_by_starts()) {
                    Ok(covered) => covered,
                    Err(stop) => return (self.ranked(), Some(stop)),
                };
                for (id, seen) in &mut self.covers.statements {
                    *seen |= covered.contains(id);
                }
            }
            self.violations.extend(self.covers.missing().map(|(id, choice)| {
                FoundViolation::new(ViolationKind::Cover(id, choice), None, None)
            }));
            let report = |now: &Progress| watch.report(now);
            let ticker = Ticker::new(&report);
            ticker.keep(self.progress);
            let span = tracing::debug_span!("explore.liveness", states = self.progress.states);
            let checked = watch.over(|| span.in_scope(|| liveness::check(self, &ticker)));
            match checked.and_then(|checked| checked) {
                Ok(found) => {
                    let mut all = std::mem::take(&mut self.violations);
                    for one in found {
                        self.add(one, &mut all);
                    }
                    self.violations = all;
                }
                Err(stop) => stopped = Some(stop),
            }
        }
        (self.ranked(), stopped)
    }

    /// All violations so far, each with its sort key.
    fn ranked(&mut self) -> Vec<(ViolationRank, FoundViolation)> {
        let place = |kind: &ViolationKind| match kind {
            ViolationKind::Failure(fault) => {
                let (start, end) = self.system.fault(*fault).site;
                (0, start, end)
            }
            ViolationKind::Invariant(id) => (1, id.0 as usize, 0),
            ViolationKind::Liveness(id, k) => (2, id.0 as usize, *k),
            ViolationKind::Cover(id, k) => (3, id.0 as usize, *k),
            ViolationKind::Deadlock => (4, 0, 0),
        };
        self.violations.drain(..).map(|found| (place(&found.kind), found)).collect()
    }
}
