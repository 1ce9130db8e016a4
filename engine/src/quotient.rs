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
//! tracked indices l takes one per orbit of Stab(r, l), [`Walk::tracked_edges`]. A caller that
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
mod ample;
mod fired;
mod folding;
mod groups;
mod plain;
mod steps;
mod successors;
mod tracked;
mod verify;
mod walker;

pub use crate::space::{Edge, Edges, Representative};
pub use actions::ActionNumber;
pub(crate) use actions::Actions;
pub use ample::{Ample, Choice};
use fired::Fired;
pub use plain::{PlainEdge, PlainWalk, PlainWalker};
pub(crate) use steps::{Orbiter, Place, StepOrbits};
pub(crate) use successors::{PackedStarts, Reported, Successor, Successors};
pub use tracked::{Outline, TrackedEdge, Walk};
pub use verify::{Asymmetry, Difference, verify_symmetry};
pub use walker::{Starts, Walker};

use crate::bits::Bits;
use crate::explore::Compression;
use crate::space::Space;
use crate::symmetry::{Permutation, Reduction, Structure};
use crate::system::FaultId;
use crate::system::{Layout, System};
use hashbrown::HashSet;
use run::{Every, Progress, StopReason, Ticker};
use std::sync::OnceLock;
use terms::PropertyKind;

/// The quotient of a system, as far as it has been explored: its state space, and how states and
/// steps are reduced. Any number of [`Walker`]s, in as many threads, share it.
pub struct Quotient<'s> {
    system: &'s dyn System,
    structure: Structure,
    steps: StepOrbits,
    reduction: Reduction,
    has_assumptions: bool,
    space: Space,
    wants_edges: bool,
    pub(crate) fired: Fired,
    removed: OnceLock<HashSet<Representative>>,
}

impl<'s> Quotient<'s> {
    /// Creates the quotient with nothing explored yet. Without reduction it is the system itself.
    /// With states that are only sorted, an orbit may have several representatives, and every step
    /// of each is an edge. It is for searches by a few threads.
    pub fn new(system: &'s dyn System, reduction: Reduction) -> Quotient<'s> {
        Quotient::over(system, reduction, Space::undivided(system.layout().bytes()))
    }

    /// The same, with states in shards that are stored in this way: for explorations, searches after
    /// them, and searches by many threads.
    pub fn sharded(
        system: &'s dyn System,
        reduction: Reduction,
        compression: Compression,
    ) -> Quotient<'s> {
        Quotient::over(system, reduction, Space::new(system.layout().bytes(), compression))
    }

    fn over(system: &'s dyn System, reduction: Reduction, space: Space) -> Quotient<'s> {
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
            reduction,
            has_assumptions: system.properties().iter().any(is_assumption),
            space,
            wants_edges: false,
            fired: Fired::new(system.rules().len()),
            removed: OnceLock::new(),
            system,
        }
    }

    /// The same quotient, but explorations store the edges of representatives: for formulas that
    /// will be checked after them.
    #[must_use]
    pub fn with_edges(self) -> Quotient<'s> {
        Quotient { wants_edges: true, ..self }
    }

    /// Whether explorations store edges.
    pub(crate) fn wants_edges(&self) -> bool {
        self.wants_edges
    }

    /// How states are reduced.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Whether states are only sorted, not made canonical.
    pub(crate) fn is_sorted(&self) -> bool {
        self.reduction == Reduction::Sorted
    }

    /// Whether the system has global assumptions.
    pub(crate) fn has_assumptions(&self) -> bool {
        self.has_assumptions
    }

    /// The state space.
    pub(crate) fn space(&self) -> &Space {
        &self.space
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
        self.space.len()
    }

    /// By rule: whether an instance of it was fired in a state whose steps were computed.
    pub fn fired(&self) -> Vec<bool> {
        self.fired.known()
    }

    /// The number of stored edges.
    pub fn stored_edges(&self) -> u64 {
        self.space.edges()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.space.memory()
    }

    /// Creates a cursor over the quotient, with scratch buffers of its own.
    pub fn walker(&self) -> Walker<'_> {
        Walker::new(self)
    }

    /// Computes successors, with scratch buffers of its own.
    pub(crate) fn successors(&self) -> Successors<'_> {
        Successors::new(self)
    }

    /// Makes all of it that is reachable, edges included if they are stored, and returns the
    /// representatives, breadth first. The progress is reported to `watch`, which may stop this.
    pub fn build(&self, watch: &Ticker<'_>) -> Result<Vec<Representative>, Unbuilt> {
        self.build_by(&mut self.walker(), watch)
    }

    /// [`Quotient::build`] with a walker, which may omit failing steps.
    pub(crate) fn build_by(
        &self,
        walker: &mut Walker<'_>,
        watch: &Ticker<'_>,
    ) -> Result<Vec<Representative>, Unbuilt> {
        let span = tracing::debug_span!(
            "quotient.build",
            representatives = tracing::field::Empty,
            edges = tracing::field::Empty
        );
        let _entered = span.enter();
        let report = |expanded: usize| {
            let representatives = self.representatives();
            tracing::trace!(target: "progress", representatives, expanded);
            let (representatives, expanded) = (representatives as u64, expanded as u64);
            let now = Progress { representatives, expanded, ..Progress::default() };
            watch.report(now).map_err(Unbuilt::Stopped)
        };
        let mut found = Vec::new();
        let mut seen = Bits::default();
        while let Some(start) = walker.next_start() {
            if Every::REPRESENTATIVE.is_due(found.len() as u64) {
                report(0)?;
            }
            let start = start?;
            seen.insert(start.number());
            found.push(start);
        }
        let mut next = 0;
        while next < found.len() {
            if Every::REPRESENTATIVE.is_due(next as u64) {
                report(next)?;
            }
            let edges = walker.edges(found[next])?.iter();
            found.extend(
                edges.map(|edge| edge.target).filter(|target| seen.insert(target.number())),
            );
            next += 1;
        }
        span.record("representatives", self.representatives());
        span.record("edges", self.stored_edges());
        Ok(found)
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
            let all = self.build(watch)?;
            let mut walker = self.walker();
            let bound = self.space.bound();
            let mut sources: Vec<Vec<Representative>> = vec![Vec::new(); bound];
            // By representative: the number of edges that do not lead to a removed one.
            let mut left = vec![0_usize; bound];
            let mut open = Vec::new();
            for of in all {
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

    /// The representative of a state of the system, in a quotient that [is plain](Self::is_plain): the
    /// state itself. None if the numbers of representatives are used up.
    pub fn representative_of(&self, state: &[u64]) -> Option<Representative> {
        debug_assert!(self.is_plain(), "canonical forms take a walker");
        self.space.intern(state)
    }

    /// The representatives of the start states, each once, one by one: there may be too many start
    /// states to list them all.
    pub fn starts(&self) -> Starts<'_> {
        Starts::new(self)
    }

    /// The packed representatives of the start states. They are not stored, so some may be returned
    /// more than once.
    pub(crate) fn packed_starts(&self) -> PackedStarts<'_> {
        PackedStarts::new(self)
    }

    fn layout(&self) -> &'s Layout {
        self.system.layout()
    }

    /// The reason to stop if there is no number for one more representative.
    fn full(&self) -> Unbuilt {
        Unbuilt::Stopped(self.space.used_up())
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
