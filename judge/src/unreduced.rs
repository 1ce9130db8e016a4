//! The steps of the unreduced system, as its reference makes them.

use crate::objection::Objection;
use crate::reference::{Action, Attempt, Reference, Vocabulary};
use crate::run::Step;
use terms::{PropertyId, PropertyKind};

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
type Fault<R> = <<R as Reference>::Vocabulary as Vocabulary>::Fault;

/// The system with its assumptions: every state, every step.
pub(crate) struct Unreduced<'r, R: Reference> {
    pub(crate) reference: &'r R,
    /// The global assumptions.
    assumptions: Vec<PropertyId>,
}

/// A step that is not cut, and where it leads.
pub(crate) type Taken<V> = (Action<V>, <V as Vocabulary>::State);

impl<'r, R: Reference> Unreduced<'r, R> {
    pub(crate) fn new(reference: &'r R) -> Self {
        let all = reference.properties().into_iter();
        let assumptions = all.filter(|(_, kind)| *kind == PropertyKind::Assume);
        Unreduced { reference, assumptions: assumptions.map(|(id, _)| id).collect() }
    }

    pub(crate) fn start(&self, first: &State<R>) -> Result<(), Objection<R::Vocabulary>> {
        // A fault in the making of a start state makes no state.
        let mut starts = self.reference.starts().filter_map(Result::ok);
        if !starts.any(|start| start == *first) {
            return Err(Objection::NotAStart);
        }
        if self.is_assumed(first, None)? { Ok(()) } else { Err(Objection::StartCut) }
    }

    /// Whether the step leads to this target.
    pub(crate) fn follow(
        &self,
        position: usize,
        step: &Step<R::Vocabulary>,
        target: &State<R>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        match &step.action {
            Some(action) => self.step(position, &step.state, action, target),
            None => self.stutter(position, &step.state, target),
        }
    }

    fn step(
        &self,
        position: usize,
        state: &State<R>,
        action: &Action<R::Vocabulary>,
        target: &State<R>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let fails = |failure| fails(Some(position), failure);
        let steps = self.reference.steps_of(state, action);
        let mut failed = steps.guard_faults.into_iter().next();
        if let Some(failure) = failed {
            return Err(fails(failure));
        }
        // One action may occur several times, and lead to different states.
        for attempt in steps.attempts.into_iter().filter(|one| one.action == *action) {
            match attempt.target {
                Ok(found) if found == *target => {
                    return if self.is_assumed(target, Some(position))? {
                        Ok(())
                    } else {
                        Err(Objection::StepCut { position })
                    };
                }
                Ok(_) => {}
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.map_or(Objection::NotAStep { position }, fails))
    }

    fn stutter(
        &self,
        position: usize,
        state: &State<R>,
        target: &State<R>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        if state != target {
            return Err(Objection::StutterMoves { position });
        }
        let fails = |failure| fails(Some(position), failure);
        let mut is_cut = false;
        for attempt in self.attempts(state).map_err(fails)? {
            let target = attempt.target.map_err(fails)?;
            if self.is_assumed(&target, Some(position))? {
                return Err(Objection::NotStuck { position });
            }
            is_cut = true;
        }
        if is_cut { Err(Objection::Removed { position }) } else { Ok(()) }
    }

    /// The enabled actions of a state; the first fault, if a guard fails.
    fn attempts(&self, state: &State<R>) -> Result<Vec<Attempt<R::Vocabulary>>, Fault<R>> {
        let steps = self.reference.steps(state);
        match steps.guard_faults.into_iter().next() {
            Some(failure) => Err(failure),
            None => Ok(steps.attempts),
        }
    }

    /// The faults of a state: of guards and bodies, of assumptions about the targets of steps, and of
    /// properties that must hold, for some values of the parameters around them.
    pub(crate) fn faults(&self, state: &State<R>) -> Vec<Fault<R>> {
        let steps = self.reference.steps(state);
        let mut found = steps.guard_faults;
        for attempt in steps.attempts {
            match attempt.target {
                Err(failure) => found.push(failure),
                Ok(target) => found.extend(self.faults_of_assumptions(&target)),
            }
        }
        for (id, kind) in self.reference.properties() {
            match kind {
                PropertyKind::Invariant | PropertyKind::Assert | PropertyKind::Liveness => {}
                PropertyKind::Assume | PropertyKind::Cover => continue,
            }
            match self.reference.instances(state, id) {
                Err(failure) => found.push(failure),
                Ok(all) => found.extend(all.into_iter().filter_map(|one| one.holds.err())),
            }
        }
        found
    }

    fn faults_of_assumptions(&self, state: &State<R>) -> Vec<Fault<R>> {
        let answers = self.assumptions.iter().map(|&one| self.reference.holds(state, one));
        answers.filter_map(Result::err).collect()
    }

    /// The targets of the steps of a state, cut ones included.
    pub(crate) fn targets(
        &self,
        position: usize,
        state: &State<R>,
    ) -> Result<Vec<State<R>>, Objection<R::Vocabulary>> {
        let fails = |failure| fails(Some(position), failure);
        let attempts = self.attempts(state).map_err(fails)?;
        attempts.into_iter().map(|attempt| attempt.target.map_err(fails)).collect()
    }

    /// Whether there are any assumptions.
    pub(crate) fn has_assumptions(&self) -> bool {
        !self.assumptions.is_empty()
    }

    /// The steps of a state that are not cut. An action that fails is no step.
    pub(crate) fn steps(&self, state: &State<R>) -> Vec<Taken<R::Vocabulary>> {
        let attempts = self.attempts(state).unwrap_or_default().into_iter();
        let taken = attempts.filter_map(|one| Some((one.action, one.target.ok()?)));
        taken.filter(|(_, target)| self.is_assumed(target, None) == Ok(true)).collect()
    }

    /// The targets of the steps of a state that are not cut.
    pub(crate) fn successors(&self, state: &State<R>) -> Vec<State<R>> {
        self.steps(state).into_iter().map(|(_, target)| target).collect()
    }

    /// Whether a state satisfies all global assumptions. It is the first one, or the one after this
    /// step.
    fn is_assumed(
        &self,
        state: &State<R>,
        position: Option<usize>,
    ) -> Result<bool, Objection<R::Vocabulary>> {
        for &assumption in &self.assumptions {
            let holds = self.reference.holds(state, assumption);
            if !holds.map_err(|failure| fails(position, failure))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn fails<V: Vocabulary>(position: Option<usize>, failure: V::Fault) -> Objection<V> {
    Objection::Fails { position, failure: Box::new(failure) }
}
