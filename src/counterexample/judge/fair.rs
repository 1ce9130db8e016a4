//! Whether a run is fair, by definition.
//!
//! Only the cycle matters: what happens there happens again and again, and nothing else does. So a party (a
//! process, an event with its arguments, a tuple of a declared requirement) is *enabled for ever* if it is in
//! all states of the cycle, *again and again* if in some, and is executed again and again if it is by some
//! step of the cycle. A step is one of the system: what an assumption cuts, or leads to a state from which
//! every run is cut sooner or later, enables nobody.
//!
//! If the cycle is given by its first lap and a renaming g, the run does to g(x) in the next lap what it does
//! to x in this one: what is true of a party of the lap is true, in the run, of all its images.

use super::unreduced::Unreduced;
use super::{MOST_STATES, Objection};
use crate::counterexample::Run;
use crate::counterexample::renaming::Renaming;
use crate::model::checked::{Demand, Model, Requirement, TrackedGroup};
use crate::model::interpret::{Event, Process, State};
use crate::model::syntax::{Fairness, Over, RuleFairness};
use crate::model::value::Scalar;
use std::collections::{HashMap, HashSet};

/// Judges whether an infinite run, which [`judge`](super::judge) or [`judge_laps`](super::judge_laps) accepts,
/// is fair as demanded.
pub fn judge_fairness(
    model: &Model,
    demand: Demand,
    run: &Run,
    renaming: Option<&Renaming>,
) -> Result<(), Objection> {
    let mut looking = Looking::new(model, renaming);
    let mut positions = Vec::new();
    for step in &run.cycle {
        let steps = looking.steps(&step.state)?;
        positions.push(Position { state: &step.state, action: step.action.as_ref(), steps });
    }
    match (demand.fairness, demand.over) {
        (Fairness::None, _) => {}
        (Fairness::Weak, Over::Processes) => looking.parties(&positions, false, Party::process)?,
        (Fairness::Strong, Over::Processes) => looking.parties(&positions, true, Party::process)?,
        (Fairness::Weak, Over::Events) => looking.parties(&positions, false, Party::event)?,
        (Fairness::Strong, Over::Events) => looking.parties(&positions, true, Party::event)?,
        (Fairness::Global, _) => looking.all_steps(run, &positions)?,
    }
    if !demand.declared {
        return Ok(());
    }
    for strength in [RuleFairness::Weak, RuleFairness::Strong] {
        let is_strong = strength == RuleFairness::Strong;
        looking.parties(&positions, is_strong, |process, event| {
            let declared = model.events[event.event.0 as usize].fairness;
            (declared == Some(strength)).then(|| Party::event(process, event)).flatten()
        })?;
    }
    for (k, requirement) in model.requirements.iter().enumerate() {
        looking.declared(&positions, k, requirement)?;
    }
    Ok(())
}

/// Somebody, or something, to whom a fair run owes something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Party {
    Process(Process),
    Event(Event),
    Tuple(usize, Vec<Scalar>),
}

impl Party {
    #[allow(clippy::unnecessary_wraps, reason = "not every party is meant everywhere")]
    fn process(process: &Process, _: &Event) -> Option<Party> {
        Some(Party::Process(*process))
    }

    #[allow(clippy::unnecessary_wraps, reason = "not every party is meant everywhere")]
    fn event(_: &Process, event: &Event) -> Option<Party> {
        Some(Party::Event(event.clone()))
    }

    fn renamed(&self, model: &Model, by: &Renaming) -> Party {
        match self {
            Party::Process(process) => Party::Process(by.process(process)),
            Party::Event(event) => Party::Event(by.event(model, event)),
            Party::Tuple(k, values) => {
                Party::Tuple(*k, values.iter().map(|&value| by.scalar(value)).collect())
            }
        }
    }

    fn show(&self, model: &Model) -> String {
        match self {
            Party::Process(process) => process.show(model),
            Party::Event(event) => event.show(model),
            Party::Tuple(k, values) => {
                let requirement = &model.requirements[*k];
                let name = requirement.name.as_deref().unwrap_or("a requirement");
                let values: Vec<_> = values.iter().map(|value| value.show(&model.types)).collect();
                format!("\"{name}\"({})", values.join(", "))
            }
        }
    }
}

/// A position of the cycle.
struct Position<'r> {
    state: &'r State,
    action: Option<&'r (Process, Event)>,
    /// The steps out of its state.
    steps: Vec<(Process, Event, State)>,
}

pub(super) struct Looking<'m> {
    model: &'m Model,
    unreduced: Unreduced<'m>,
    /// Whether some run goes on from a state for ever.
    alive: HashMap<State, bool>,
    renaming: Option<&'m Renaming>,
}

impl<'m> Looking<'m> {
    pub(super) fn new(model: &'m Model, renaming: Option<&'m Renaming>) -> Self {
        Looking { model, unreduced: Unreduced::new(model), alive: HashMap::new(), renaming }
    }

    /// A tuple of a declared requirement, as people read it.
    pub(super) fn tuple(model: &Model, requirement: usize, values: &[Scalar]) -> String {
        Party::Tuple(requirement, values.to_vec()).show(model)
    }

    /// The steps of the system out of a state.
    fn steps(&mut self, state: &State) -> Result<Vec<(Process, Event, State)>, Objection> {
        let steps = self.unreduced.steps(state);
        let mut found = Vec::new();
        for (process, event, target) in steps {
            if self.is_alive(&target)? {
                found.push((process, event, target));
            }
        }
        Ok(found)
    }

    /// Whether a state, which satisfies the assumptions, has a run that is never cut: one that comes back to
    /// itself, or to a state without steps.
    pub(super) fn is_alive(&mut self, state: &State) -> Result<bool, Objection> {
        if !self.unreduced.has_assumptions() {
            return Ok(true);
        }
        if let Some(&known) = self.alive.get(state) {
            return Ok(known);
        }
        // Depth first: what is on the path when it is met again is on a cycle. What is left is dead.
        let mut path: Vec<(State, Vec<State>)> = Vec::new();
        let mut on_path: HashSet<State> = HashSet::new();
        let mut next = Some(state.clone());
        loop {
            if let Some(state) = next.take() {
                if self.alive.len() > MOST_STATES {
                    return Err(Objection::TooLarge);
                }
                // What fails is no step, but a state where something does is not without steps.
                if self.unreduced.targets(0, &state).is_ok_and(|targets| targets.is_empty()) {
                    break;
                }
                let targets = self.unreduced.successors(&state);
                on_path.insert(state.clone());
                path.push((state, targets));
            }
            let Some((_, targets)) = path.last_mut() else {
                return Ok(false);
            };
            match targets.pop() {
                Some(target) if on_path.contains(&target) => break,
                Some(target) => match self.alive.get(&target) {
                    Some(true) => break,
                    Some(false) => {}
                    None => next = Some(target),
                },
                None => {
                    let (state, _) = path.pop().expect("it is there");
                    on_path.remove(&state);
                    self.alive.insert(state, false);
                }
            }
        }
        for (state, _) in path {
            self.alive.insert(state, true);
        }
        self.alive.insert(state.clone(), true);
        Ok(true)
    }

    /// Whether weak or strong fairness is kept to these parties of steps.
    fn parties(
        &self,
        positions: &[Position<'_>],
        is_strong: bool,
        party: impl Fn(&Process, &Event) -> Option<Party>,
    ) -> Result<(), Objection> {
        let enabled = positions.iter().map(|position| {
            let steps = position.steps.iter();
            steps.filter_map(|(process, event, _)| party(process, event)).collect()
        });
        let enabled: Vec<HashSet<Party>> = enabled.collect();
        let actions = positions.iter().filter_map(|position| position.action);
        let executed = actions.filter_map(|(process, event)| party(process, event)).collect();
        if is_strong {
            self.again_and_again(enabled.into_iter().flatten().collect(), executed)
        } else {
            let all = enabled.into_iter().reduce(|all, more| &all & &more).unwrap_or_default();
            self.for_ever(&all - &executed)
        }
    }

    /// A declared requirement.
    fn declared(
        &self,
        positions: &[Position<'_>],
        k: usize,
        requirement: &Requirement,
    ) -> Result<(), Objection> {
        let Requirement { locals, tracked, premise, conclusion, .. } = requirement;
        let is_true = |condition, values: &[Scalar], state| {
            let slots = tracked.iter().flat_map(|group| group.locals.iter().copied());
            let binding: Vec<_> = slots.zip(values.iter().copied()).collect();
            self.unreduced
                .interpreter
                .is_true(condition, locals, &binding, state)
                .map_err(|failure| Objection::Fails { position: None, failure: Box::new(failure) })
        };
        let mut concerned = HashSet::new();
        let mut served = HashSet::new();
        for values in self.tuples(tracked) {
            let party = Party::Tuple(k, values.clone());
            let mut is_always_concerned = true;
            for position in positions {
                let holds = is_true(conclusion, &values, position.state)?;
                if holds {
                    served.insert(party.clone());
                }
                is_always_concerned &= !holds;
                if let Some(premise) = premise
                    && is_true(premise, &values, position.state)?
                {
                    concerned.insert(party.clone());
                }
            }
            if premise.is_none() && is_always_concerned {
                concerned.insert(party);
            }
        }
        if premise.is_some() {
            self.again_and_again(concerned, served)
        } else {
            self.for_ever(concerned)
        }
    }

    /// All values of tracked variables.
    pub(super) fn tuples(&self, tracked: &[TrackedGroup]) -> Vec<Vec<Scalar>> {
        let types = &self.model.types;
        let mut tuples: Vec<Vec<Scalar>> = vec![Vec::new()];
        for group in tracked {
            for k in 0..group.locals.len() {
                let mut longer = Vec::new();
                for tuple in &tuples {
                    for n in 0..types.size(group.of) {
                        let value = Scalar::nth(types, group.of, n);
                        let before = &tuple[tuple.len() - k..];
                        if !(group.distinct && before.contains(&value)) {
                            longer.push([&tuple[..], &[value]].concat());
                        }
                    }
                }
                tuples = longer;
            }
        }
        tuples
    }

    /// None of these parties, which are owed something in all of the cycle and get nothing there, may be so in
    /// all of the run.
    fn for_ever(&self, mut owed: HashSet<Party>) -> Result<(), Objection> {
        if let Some(by) = self.renaming {
            loop {
                let stays = |party: &&Party| owed.contains(&party.renamed(self.model, by));
                let staying: HashSet<Party> = owed.iter().filter(stays).cloned().collect();
                if staying.len() == owed.len() {
                    break;
                }
                owed = staying;
            }
        }
        self.nobody(owed.into_iter())
    }

    /// All of the former must be among the latter.
    fn again_and_again(
        &self,
        concerned: HashSet<Party>,
        mut served: HashSet<Party>,
    ) -> Result<(), Objection> {
        if let Some(by) = self.renaming {
            let mut open: Vec<Party> = served.iter().cloned().collect();
            while let Some(party) = open.pop() {
                let image = party.renamed(self.model, by);
                if served.insert(image.clone()) {
                    open.push(image);
                }
            }
        }
        self.nobody(concerned.into_iter().filter(|party| !served.contains(party)))
    }

    fn nobody(&self, owed: impl Iterator<Item = Party>) -> Result<(), Objection> {
        let names = owed.map(|party| party.show(self.model));
        match names.min() {
            Some(to) => Err(Objection::Unfair { to }),
            None => Ok(()),
        }
    }

    /// Whether every step out of a state of the cycle is a step of the cycle.
    fn all_steps(&self, run: &Run, positions: &[Position<'_>]) -> Result<(), Objection> {
        if self.renaming.is_some() {
            return Err(Objection::TooLarge);
        }
        let targets = run.cycle.iter().skip(1).map(|step| &step.state).chain([&run.end]);
        let mut taken: HashSet<(&State, &Process, &Event, &State)> = HashSet::new();
        for (position, target) in positions.iter().zip(targets) {
            if let Some((process, event)) = position.action {
                taken.insert((position.state, process, event, target));
            }
        }
        for position in positions {
            for (process, event, target) in &position.steps {
                if !taken.contains(&(position.state, process, event, target)) {
                    let (process, event) = (process.show(self.model), event.show(self.model));
                    return Err(Objection::Unfair { to: format!("{process}: {event}") });
                }
            }
        }
        Ok(())
    }
}
