//! The annotated quotient structure of a system ([`ES97`], [`GS99`] section 2.3), on demand.
//!
//! Its states are the representatives of the orbits of the system's states. For a step r → t of the
//! system out of a representative, with t = π(r′), it has the edge r –π→ r′, annotated with the
//! rule and the arguments of its event, which determine the process that executes it. Along r₀ –π₁→
//! r₁ –π₂→ r₂ … the concrete run is r₀ → π₁(r₁) → π₁π₂(r₂) → …
//!
//! *Stored edges.* One edge is stored per orbit of the representative's stabiliser on its steps: if
//! μ fixes r, then with r –π→ r′ by some event there is r –μπ→ r′ by μ of the event. (The paper
//! stores one per class of interchangeable owners, which is more.) A product node over r with
//! tracked indices l takes one per orbit of Stab(r, l), [`Walker::tracked_edges`]. A caller that
//! omits edges by a group must count that group's generators among the permutations of loops, and
//! must not omit more.
//!
//! Steps to states that violate a global assumption are omitted. A state that has no step left
//! because of this is still in the quotient: the caller decides whether such a state ends a run.
//!
//! Edges are computed when they are first needed, and stored, the first of the three ways of
//! [`GS99`] section 4. Where nothing is permuted, computing them is so fast that they are not stored.
//!
//! [`ES97`]: crate::papers::ES97
//! [`GS99`]: crate::papers::GS99

mod actions;
mod edges;
mod expander;
mod groups;
mod plain;
mod rows;
mod steps;
mod tracked;
mod verify;
mod walker;

use crate::narrow::to_u32;
pub use actions::ActionNumber;
pub(crate) use actions::Actions;
pub use edges::{Edge, Edges};
pub use expander::{Expander, Expansion, PackedEdge, PackedStarts};
pub use plain::{PlainEdge, PlainWalk, PlainWalker};
pub(crate) use steps::{Orbiter, Place, StepOrbits};
pub use tracked::{Outline, Tracked, TrackedEdge, Walk};
pub use verify::{Asymmetry, Difference, verify_symmetry};
pub use walker::{Starts, Walker};

use crate::symmetry::{Permutation, Reduction, Structure};
use crate::system::FaultId;
use crate::system::states::{Key, States, hash};
use crate::system::{Layout, System};
use edges::Encoded;
use hashbrown::HashSet;
use run::{Every, Progress, StopReason, Ticker};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use terms::PropertyKind;

/// A state of the quotient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Representative(pub u32);

/// The quotient of a system, as far as it has been explored. Any number of [`Walker`]s, in as many
/// threads, share it.
pub struct Quotient<'s> {
    system: &'s dyn System,
    structure: Structure,
    steps: StepOrbits,
    /// Whether states are only sorted, not made canonical.
    is_sorted: bool,
    has_assumptions: bool,
    /// Whether run-time errors are reported. Otherwise failing steps are omitted.
    tells_failures: bool,
    known: RwLock<Known>,
    removed: OnceLock<HashSet<Representative>>,
}

/// The explored part of a quotient.
struct Known {
    states: States,
    edges: Encoded,
}

impl<'s> Quotient<'s> {
    /// Creates the quotient with nothing explored yet. Without reduction it is the system itself.
    /// With states that are only sorted, an orbit may have several representatives, and every step
    /// of each is an edge.
    pub fn new(system: &'s dyn System, reduction: Reduction) -> Quotient<'s> {
        let layout = system.layout();
        let indices = match reduction {
            Reduction::Off => system.indices().frozen(),
            Reduction::Canonical | Reduction::Sorted => system.indices(),
        };
        let structure = Structure::new(layout, &indices);
        let is_assumption = |one: &crate::system::PropertySummary| {
            one.kind == PropertyKind::Assume && !one.is_statement
        };
        let steps = StepOrbits::new(system, &indices);
        Quotient {
            steps,
            structure,
            is_sorted: reduction == Reduction::Sorted,
            has_assumptions: system.properties().iter().any(is_assumption),
            tells_failures: true,
            known: RwLock::new(Known {
                states: States::new(layout.bytes()),
                edges: Encoded::default(),
            }),
            removed: OnceLock::new(),
            system,
        }
    }

    /// The same quotient without the start states and steps that fail, for callers that have
    /// reported them already. No other step is lost, because all steps equivalent to a failing one
    /// fail, too.
    pub(crate) fn without_failures(self) -> Quotient<'s> {
        Quotient { tells_failures: false, ..self }
    }

    /// The system.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// The index points of the system, and the permutations of them.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The image of the arguments of a rule's event, as cells.
    pub fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        self.steps.renamed(rule, by, arguments)
    }

    /// Whether nothing is permuted, no steps are equivalent, and edges are not stored. Then a
    /// [`PlainWalker`] can walk the quotient.
    pub fn is_plain(&self) -> bool {
        self.steps.are_single()
    }

    /// The number of representatives that were found so far.
    pub fn representatives(&self) -> usize {
        self.read().states.len()
    }

    /// The number of stored edges.
    pub fn stored_edges(&self) -> u64 {
        self.read().edges.count()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        let known = self.read();
        known.states.memory() + known.edges.memory()
    }

    /// Creates a cursor over the quotient, with scratch buffers of its own.
    pub fn walker(&self) -> Walker<'_> {
        Walker::new(self)
    }

    /// Creates an expander, which computes edges without storing them.
    pub fn expander(&self) -> Expander<'_> {
        Expander::new(self)
    }

    /// Makes all of it that is reachable, edges included if they are stored. The progress is
    /// reported to `watch`, which may stop this.
    pub fn build(&self, watch: &Ticker<'_>) -> Result<(), Unbuilt> {
        let span = tracing::debug_span!(
            "quotient.build",
            representatives = tracing::field::Empty,
            edges = tracing::field::Empty
        );
        let _entered = span.enter();
        let mut walker = self.walker();
        let report = |expanded: usize| {
            let representatives = self.representatives();
            tracing::trace!(target: "progress", representatives, expanded);
            let (representatives, expanded) = (representatives as u64, expanded as u64);
            let now = Progress { representatives, expanded, ..Progress::default() };
            watch.report(now).map_err(Unbuilt::Stopped)
        };
        for (known, start) in self.starts().enumerate() {
            if Every::REPRESENTATIVE.is_due(known as u64) {
                report(0)?;
            }
            start?;
        }
        let mut next = 0;
        while next < self.representatives() {
            if Every::REPRESENTATIVE.is_due(next as u64) {
                report(next)?;
            }
            walker.edges(Representative(to_u32(next)))?;
            next += 1;
        }
        span.record("representatives", self.representatives());
        span.record("edges", self.stored_edges());
        Ok(())
    }

    /// The representatives that no run of the system contains: those that have steps, but only
    /// steps that an assumption cuts, or that lead to removed representatives. The first call
    /// builds the whole quotient, unless there are no assumptions.
    pub fn removed(&self, watch: &Ticker<'_>) -> Result<&HashSet<Representative>, Unbuilt> {
        if let Some(known) = self.removed.get() {
            return Ok(known);
        }
        let mut removed = HashSet::new();
        if self.has_assumptions {
            self.build(watch)?;
            let mut walker = self.walker();
            let mut sources: Vec<Vec<Representative>> = vec![Vec::new(); self.representatives()];
            // By representative: the number of edges that do not lead to a removed one.
            let mut left = vec![0_usize; self.representatives()];
            let mut open = Vec::new();
            for of in (0..to_u32(self.representatives())).map(Representative) {
                let edges = walker.edges(of)?;
                left[of.0 as usize] = edges.len();
                for edge in edges.iter() {
                    sources[edge.target.0 as usize].push(of);
                }
                if edges.is_empty() && !edges.is_stuck() {
                    open.push(of);
                }
            }
            while let Some(of) = open.pop() {
                removed.insert(of);
                for &source in &sources[of.0 as usize] {
                    left[source.0 as usize] -= 1;
                    if left[source.0 as usize] == 0 {
                        open.push(source);
                    }
                }
            }
        }
        Ok(self.removed.get_or_init(|| removed))
    }

    /// The representatives of the start states, each once, one by one: there may be too many start
    /// states to list them all.
    pub fn starts(&self) -> Starts<'_> {
        Starts::new(self)
    }

    /// The packed representatives of the start states. They are not stored, so some may be returned
    /// more than once.
    pub fn packed_starts(&self) -> PackedStarts<'_> {
        PackedStarts::new(self)
    }

    fn layout(&self) -> &'s Layout {
        self.system.layout()
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        // No thread panics between two changes that belong together.
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The packed state of a representative.
    fn load(&self, representative: Representative, packed: &mut [u64]) {
        self.read().states.read(representative.0 as usize, packed);
    }

    /// The number of a packed representative; none if it is new and the numbers are used up.
    fn intern(&self, packed: &[u64]) -> Option<Representative> {
        let key = Key::of(hash(packed, self.layout().bytes()));
        if let Some(number) = self.read().states.find(key, packed) {
            return Some(Representative(number));
        }
        let (number, _) = self.write().states.insert(key, packed)?;
        Some(Representative(number))
    }

    /// The reason to stop if there is no number for one more representative.
    fn full(&self) -> Unbuilt {
        let known = self.read();
        let full = || StopReason::States(known.states.len());
        Unbuilt::Stopped(known.states.refused().unwrap_or_else(full))
    }
}

/// The reason why a quotient is not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbuilt {
    /// A start state, a step or an assumption of the system fails.
    Failed(FaultId),
    /// A limit was reached, or the numbers for representatives are used up.
    Stopped(StopReason),
}

impl From<FaultId> for Unbuilt {
    fn from(fault: FaultId) -> Unbuilt {
        Unbuilt::Failed(fault)
    }
}
