//! Claims about the last state of a run that ends: a property of states is false there, a fault occurs,
//! there is no further step.
//!
//! # Choices
//! Parameters around a property (`ruleset c: client do invariant ...`) make one property of it per choice
//! of their values. Choices have numbers: the first is the first value of each parameter, and the values
//! of the innermost change fastest. An element that is chosen from a multiset is no part of a choice, for
//! there are others in every state: an invariant must be true for every element, and a liveness property
//! for some. So several [instances](crate::Reference::instances) may belong to one choice.

use crate::objection::Objection;
use crate::reading::Reading;
use crate::reference::{Bound, Reference, Vocabulary};
use crate::run::{Run, Step};
use crate::unreduced::Unreduced;
use crate::{Formula, walk};
use std::collections::HashSet;
use terms::{PropertyId, PropertyKind};

/// A claim about the last state of a run.
#[derive(Debug)]
pub enum Claim<'c, V: Vocabulary> {
    /// A top-level `invariant` or `assert` is false.
    Invariant {
        /// The property.
        property: PropertyId,
        /// The number of a choice for which it is false; without one, it is false for some choice.
        choice: Option<usize>,
    },
    /// A fault that matches this pattern occurs: in the guard or body of a rule (an `assert` or `error`
    /// statement included), in an assumption about the target of a step, or in a property.
    Failure(V::FaultPattern),
    /// There is no further step.
    Deadlock(Deadlock),
    /// An atom of a formula has no value.
    Atom {
        /// The formula.
        formula: &'c V::Formula,
        /// The values of its tracked variables.
        binding: &'c [Bound<V>],
        /// The atom; without one, some atom has no value.
        atom: Option<ltl::Atom>,
    },
    /// No state is reachable from here where a `liveness` is true.
    Liveness {
        /// The property.
        property: PropertyId,
        /// The number of the choice for which it is false.
        choice: usize,
    },
}

#[expect(clippy::expl_impl_clone_on_copy, reason = "deriving demands that formulas are `Clone`")]
impl<V: Vocabulary> Clone for Claim<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vocabulary> Copy for Claim<'_, V> {}

/// The notions of deadlock. A step that a global assumption cuts counts as a step here; an action that
/// leads nowhere does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deadlock {
    /// There is no step.
    Stuck,
    /// There is no step to another state.
    Stuttering,
}

/// The part that was judged of a claim that is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// All of it.
    All,
    /// The run is one of the system; but the claim about all states after its last was only tested on
    /// the first [`MOST_STATES`] of them, and there are more.
    RunAlone,
}

/// The number of states that are explored to judge a claim about all that are reachable.
pub const MOST_STATES: usize = 10_000;

/// Judges a claim about the last state of a run: accepts it if the run is one of the system and ends, and
/// its last state is as claimed.
pub fn judge_claim<R: Reference>(
    reference: &R,
    claim: &Claim<'_, R::Vocabulary>,
    run: &Run<R::Vocabulary>,
) -> Result<Extent, Objection<R::Vocabulary>> {
    if !run.cycle.is_empty() {
        return Err(Objection::Infinite);
    }
    walk(reference, run)?;
    let judging = Judging { reference, unreduced: Unreduced::new(reference), last: &run.end };
    match *claim {
        Claim::Invariant { property, choice } => judging.invariant(property, choice)?,
        Claim::Failure(pattern) => judging.failure(pattern)?,
        Claim::Deadlock(deadlock) => judging.deadlock(run.stem.len(), deadlock)?,
        Claim::Atom { formula, binding, atom } => judging.atom(formula, binding, atom)?,
        Claim::Liveness { property, choice } => return judging.liveness(property, choice),
    }
    Ok(Extent::All)
}

struct Judging<'j, R: Reference> {
    reference: &'j R,
    unreduced: Unreduced<'j, R>,
    /// A state of the system.
    last: &'j State<R>,
}

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;

impl<R: Reference> Judging<'_, R> {
    /// The property must be one of these kinds.
    fn check_kind(
        &self,
        property: PropertyId,
        kinds: &[PropertyKind],
    ) -> Result<(), Objection<R::Vocabulary>> {
        let all = self.reference.properties();
        let is_one = all.iter().any(|(id, kind)| *id == property && kinds.contains(kind));
        if is_one { Ok(()) } else { Err(Objection::NoSuchProperty) }
    }

    fn invariant(
        &self,
        property: PropertyId,
        choice: Option<usize>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        self.check_kind(property, &[PropertyKind::Invariant, PropertyKind::Assert])?;
        let fails = |failure| Objection::PropertyFails { failure: Box::new(failure) };
        let Some(choice) = choice else {
            let holds = self.reference.holds(self.last, property).map_err(fails)?;
            return if holds { Err(Objection::Holds) } else { Ok(()) };
        };
        self.check_choice(property, choice)?;
        let mut failed = None;
        let instances = self.reference.instances(self.last, property).map_err(fails)?;
        for instance in instances.into_iter().filter(|one| one.choice == Some(choice)) {
            match instance.holds {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.map_or(Objection::Holds, fails))
    }

    fn failure(
        &self,
        pattern: <R::Vocabulary as Vocabulary>::FaultPattern,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let faults = self.unreduced.faults(self.last);
        let is_it = faults.iter().any(|fault| self.reference.matches(fault, pattern));
        if is_it { Ok(()) } else { Err(Objection::NothingFails) }
    }

    /// The last state is the one after so many steps.
    fn deadlock(&self, steps: usize, deadlock: Deadlock) -> Result<(), Objection<R::Vocabulary>> {
        let targets = self.unreduced.targets(steps, self.last)?;
        let is_one = match deadlock {
            Deadlock::Stuck => targets.is_empty(),
            Deadlock::Stuttering => targets.iter().all(|target| target == self.last),
        };
        if is_one { Ok(()) } else { Err(Objection::NoDeadlock) }
    }

    fn atom(
        &self,
        formula: &Formula<R>,
        binding: &[Bound<R::Vocabulary>],
        atom: Option<ltl::Atom>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let reading = Reading::new(self.reference, formula, binding)?;
        // Atoms about events have a value whether or not there is a step.
        let last = Step { state: self.last.clone(), action: None };
        let mut atoms = reading.atoms().filter(|one| atom.is_none_or(|atom| atom == *one));
        let fails = atoms.any(|one| reading.atom(one, &last).is_err());
        if fails { Ok(()) } else { Err(Objection::NothingFails) }
    }

    /// Breadth first, so that a reachable state is reported with the least number of steps.
    fn liveness(
        &self,
        property: PropertyId,
        choice: usize,
    ) -> Result<Extent, Objection<R::Vocabulary>> {
        self.check_kind(property, &[PropertyKind::Liveness])?;
        self.check_choice(property, choice)?;
        let mut seen: HashSet<State<R>> = HashSet::from([self.last.clone()]);
        let mut layer = vec![self.last.clone()];
        let mut steps = 0;
        while !layer.is_empty() {
            if layer.iter().any(|state| self.is_true(property, choice, state)) {
                return Err(Objection::Reachable { steps });
            }
            let mut next = Vec::new();
            for target in layer.iter().flat_map(|state| self.unreduced.successors(state)) {
                if seen.insert(target.clone()) {
                    next.push(target);
                }
                if seen.len() > MOST_STATES {
                    return Ok(Extent::RunAlone);
                }
            }
            layer = next;
            steps += 1;
        }
        Ok(Extent::All)
    }

    /// Whether some instance of a property for this choice is true. One that fails is not.
    fn is_true(&self, property: PropertyId, choice: usize, state: &State<R>) -> bool {
        let instances = self.reference.instances(state, property).unwrap_or_default();
        let mut instances = instances.iter().filter(|one| one.choice == Some(choice));
        instances.any(|one| one.holds == Ok(true))
    }

    fn check_choice(
        &self,
        property: PropertyId,
        choice: usize,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let is_one = (choice as u64) < self.reference.choices(property);
        if is_one { Ok(()) } else { Err(Objection::NoSuchChoice) }
    }
}
