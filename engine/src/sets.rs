//! Elimination by sets: fair runs are looked for by all threads together.
//!
//! A [path-based search](crate::search) is sequential by nature. This is a second way to answer the
//! same question: first the reachable product is built and its edges are stored (`reach`), then
//! nodes that no fair, accepting run visits infinitely often are removed until nothing changes: first
//! those that are behind no cycle (`trim`), then others (`eliminate`). Without global fairness a run
//! exists iff something is left, and what is left contains it (`left`); under global fairness the
//! search for components decides about what is left.
//!
//! It generalises OWCTY ([`CP03`]) to requirements over objects and to annotated quotients. Neither
//! components nor potentials nor loop groups are needed: objects are carried along edges by their
//! permutations.
//!
//! Threads number nodes as they come to them, so that numbers depend on the speed of threads. Nothing
//! that is reported depends on numbers: the nodes that are left are the same by whatever order they
//! were removed in.
//!
//! [`CP03`]: crate::papers::CP03

mod bases;
mod declared;
mod eliminate;
mod families;
mod flags;
mod inner;
mod kinds;
mod left;
mod passes;
mod reach;
mod records;
mod rows;
mod source;
mod steps;
mod trim;
pub mod ways;

pub use kinds::Kinds;
pub use source::{Annotated, Plain, Source};

use crate::explore::team::with_team;
use crate::fairness::objects::Objects;
use crate::fairness::requirements::Requirements;
use crate::product::{Product, Reader, Stop, Touched};
use crate::quotient::Representative;
use crate::search::Node;
use crate::symmetry::{Indices, Point};
use crate::system::{Atoms, System};
use automata::State;
use eliminate::Elimination;
use families::Families;
use hashbrown::HashSet;
use kinds::Numbered;
use left::{Order, source_component};
use passes::Removed;
use reach::{Reached, Search};
use rows::Rows;
use run::{Progress, Report, Ticker, Watch};
use std::sync::{Mutex, MutexGuard, PoisonError};
use steps::Shape;
use tracing::field::Empty;
use trim::Trimming;
use ways::Ways;

/// What is looked for, and in what.
pub struct Demand<'d> {
    /// The system.
    pub system: &'d dyn System,
    /// Its indices, as the quotient permutes them.
    pub indices: &'d Indices,
    /// The automaton.
    pub reader: &'d Reader,
    /// What is required of runs.
    pub requirements: &'d Requirements,
    /// The conditions of declared requirements.
    pub atoms: &'d [Box<dyn Atoms + 'd>],
    /// The tracked points, if edges move them.
    pub tracked: &'d [Point],
    /// Representatives that are not states of the system.
    pub removed: &'d HashSet<Representative>,
    /// The most representatives that may be expanded.
    pub most_states: Option<u64>,
    /// How many threads there are.
    pub threads: usize,
}

/// What was seen of the product, whether or not there is an answer.
#[derive(Debug, Default)]
pub struct Seen {
    /// The representatives that were expanded.
    pub touched: Touched,
    /// The nodes and edges.
    pub counts: Counts,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The nodes that were reached.
    pub nodes: u64,
    /// The edges out of them.
    pub edges: u64,
}

impl Counts {
    /// These counts as the progress of a run.
    pub fn progress(self) -> Progress {
        let Counts { nodes, edges } = self;
        Progress { product_nodes: nodes, product_edges: edges, ..Progress::default() }
    }
}

/// What remains of a product.
pub struct Remains {
    found: Reached,
    left: Rows,
    initial: State,
}

impl Remains {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.left.count() == 0
    }

    /// The nodes of a component of what is left that no edge leads into, and a shortest path to it,
    /// as nodes of a product over the same quotient.
    pub fn component(
        &self,
        product: &mut impl Product,
        watch: &Ticker<'_>,
    ) -> Result<(Vec<Node>, Vec<Node>), Stop> {
        let span = tracing::debug_span!("sets.component", nodes = Empty);
        let _entered = span.enter();
        let order = Order::new(&self.found, self.initial.0, watch)?;
        let component = source_component(&self.found, &self.left, &order, watch)?;
        span.record("nodes", component.len());
        let inside = self.left.cleared();
        for &(base, state) in &component {
            inside.insert(base as usize, state);
        }
        let path = self.meet_all(product, &order.path(&inside))?;
        Ok((self.meet_all(product, &component)?, path))
    }

    /// All nodes that are left, in an order that does not depend on their numbers.
    pub fn all(&self, product: &mut impl Product, watch: &Ticker<'_>) -> Result<Vec<Node>, Stop> {
        let order = Order::new(&self.found, self.initial.0, watch)?;
        let all: Vec<_> = order.of(&self.left).collect();
        self.meet_all(product, &all)
    }

    /// A shortest path to one of these nodes, which are among those that are left.
    pub fn path_to(
        &self,
        product: &mut impl Product,
        nodes: &HashSet<Node>,
        watch: &Ticker<'_>,
    ) -> Result<Vec<Node>, Stop> {
        let order = Order::new(&self.found, self.initial.0, watch)?;
        let inside = self.left.cleared();
        for (base, state) in order.of(&self.left) {
            if nodes.contains(&self.meet(product, (base, state))?) {
                inside.insert(base as usize, state);
            }
        }
        self.meet_all(product, &order.path(&inside))
    }

    fn meet(
        &self,
        product: &mut impl Product,
        (base, state): eliminate::Place,
    ) -> Result<Node, Stop> {
        let mut tuple = Vec::new();
        let of = self.found.bases.get(base, &mut tuple);
        product.meet(of, &tuple, State(state))
    }

    fn meet_all(
        &self,
        product: &mut impl Product,
        places: &[eliminate::Place],
    ) -> Result<Vec<Node>, Stop> {
        places.iter().map(|&place| self.meet(product, place)).collect()
    }
}

/// Builds the product and removes what it can. Each thread makes a source of edges of its own. What is
/// written to `seen` is known even if there is no answer.
pub fn eliminate<S: Source, M: Fn() -> S + Sync, W: Ways>(
    demand: &Demand<'_>,
    make: &M,
    report: &Report<'_>,
    seen: &mut Seen,
) -> Result<Remains, Stop> {
    let tuples = declared::tuples(demand.requirements, demand.indices);
    let shape = Shape::new(demand.reader, W::ENTERS_ACCEPTING_ONLY);
    let found = reach_all(demand, make, &tuples, shape, report, seen)?;
    let counts = seen.counts;
    let report = |_: &Progress| report(&counts.progress());
    let mut left = trim::<W>(&found, demand.threads, &report)?;
    let has_others = passes::are_needed::<W>(&found.shape, demand.requirements);
    if has_others && left.count() > 0 {
        left = pass::<W>(demand, &found, &tuples, left, &report)?;
    }
    Ok(Remains { found, left, initial: demand.reader.initial() })
}

/// The nodes that can be on an accepting cycle, and are left by the first pass.
fn trim<W: Ways>(found: &Reached, threads: usize, report: &Report<'_>) -> Result<Rows, Stop> {
    if !W::TRIMS {
        return Ok(found.accepting());
    }
    let span = tracing::debug_span!("sets.trim", nodes = Empty, left = Empty);
    let _entered = span.enter();
    let trimming = Trimming::new(found)?;
    span.record("nodes", trimming.left.count());
    let mut done = Ok(());
    let (trimming, thrown) = with_team(threads, &Watch::of_this_thread(), trimming, |team| {
        done = span.in_scope(|| trim::lead(team, &Ticker::new(&|now: &Progress| report(now))));
        None
    });
    if let Some(reason) = thrown {
        return Err(Stop::Stopped(reason));
    }
    done?;
    span.record("left", trimming.left.count());
    Ok(trimming.left)
}

/// The nodes of these that no pass removes.
fn pass<W: Ways>(
    demand: &Demand<'_>,
    found: &Reached,
    tuples: &declared::Tuples,
    left: Rows,
    report: &Report<'_>,
) -> Result<Rows, Stop> {
    let span = tracing::debug_span!(
        "sets.eliminate",
        rounds = Empty,
        trimmed = Empty,
        unaccepted = Empty,
        unserved = Empty,
        untaken = Empty,
        left = Empty
    );
    let _entered = span.enter();
    let mut objects = Objects::new(demand.system, demand.indices);
    let generators = demand.indices.generators();
    let Demand { requirements, .. } = demand;
    let families = Families::new(requirements, &mut objects, &found.numbered, tuples, &generators);
    let elimination = Elimination::<W>::new(found, &families, left, requirements.is_global)?;
    let mut removed = Ok(Removed::default());
    let watch = Watch::of_this_thread();
    let (elimination, thrown) = with_team(demand.threads, &watch, elimination, |team| {
        // The thread that leads is another one.
        let report = |now: &Progress| report(now);
        removed = span.in_scope(|| passes::lead(team, &Ticker::new(&report)));
        None
    });
    if let Some(reason) = thrown {
        return Err(Stop::Stopped(reason));
    }
    let removed = removed?;
    span.record("rounds", removed.rounds);
    span.record("trimmed", removed.trimmed);
    span.record("unaccepted", removed.unaccepted);
    span.record("unserved", removed.unserved);
    span.record("untaken", removed.untaken);
    let left = elimination.rows;
    span.record("left", left.count());
    Ok(left)
}

fn reach_all<S: Source, M: Fn() -> S + Sync>(
    demand: &Demand<'_>,
    make: &M,
    tuples: &declared::Tuples,
    shape: Shape,
    report: &Report<'_>,
    seen: &mut Seen,
) -> Result<Reached, Stop> {
    let span = tracing::debug_span!(
        "sets.reach",
        nodes = Empty,
        edges = Empty,
        kinds = Empty,
        record_bytes = Empty
    );
    let _entered = span.enter();
    let numbered = Mutex::new(Numbered::new());
    let mut done = Ok(());
    let search = Search::new(demand, make, tuples, &numbered, shape);
    let (search, thrown) = with_team(demand.threads, &Watch::of_this_thread(), search, |team| {
        done = span.in_scope(|| reach::lead(team, &Ticker::new(&|now: &Progress| report(now))));
        None
    });
    let (found, counts) = search.end(&mut seen.touched);
    seen.counts = counts;
    if let Some(reason) = thrown {
        return Err(Stop::Stopped(reason));
    }
    done?;
    span.record("nodes", counts.nodes);
    span.record("edges", counts.edges);
    span.record("kinds", found.kinds.len());
    span.record("record_bytes", found.records.memory());
    Ok(found)
}

/// The value behind a lock: no thread panics between two changes that belong together.
fn lock<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}
