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
use crate::counterexample::argument::{
    AllSteps, Argument, Kept, Later, OwedEvents, Party, Place, Reason,
};
use crate::counterexample::renaming::Renaming;
use model::checked::{Demand, FamilyId, Model, Requirement, TrackedGroup};
use model::interpret::{Event, Process, State};
use model::syntax::{Fairness, Over, RuleFairness};
use model::value::Scalar;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Judges whether an infinite run, which [`judge`](super::judge) or [`judge_laps`](super::judge_laps) accepts,
/// is fair as demanded; and says why.
pub fn judge_fairness(
    model: &Model,
    demand: Demand,
    run: &Run,
    renaming: Option<&Renaming>,
) -> Result<Argument, Objection> {
    let mut looking = Looking::new(model);
    looking.back = renaming.map(Renaming::inverse);
    looking.first = run.stem.len();
    let judged = looking.judged(demand, run);
    // What could not be looked at was taken for disabled.
    match looking.trouble.into_inner() {
        Some(objection) => Err(objection),
        None => judged,
    }
}

/// A position of the cycle.
struct Position<'r> {
    state: &'r State,
    action: Option<&'r (Process, Event)>,
    /// The steps out of its state, once somebody has asked: to make them all takes long.
    enabled: OnceCell<Vec<(Process, Event)>>,
}

pub(super) struct Looking<'m> {
    model: &'m Model,
    unreduced: Unreduced<'m>,
    /// Whether some run goes on from a state for ever.
    alive: RefCell<HashMap<State, bool>>,
    /// Why the steps of some state are not known.
    trouble: RefCell<Option<Objection>>,
    /// What takes a lap to the one before, if only the first is written down.
    back: Option<Renaming>,
    /// The position in the run of the first step of the cycle.
    first: usize,
}

/// How a party is served at a position of the cycle.
type Service = (fn(Place) -> Reason, usize);

/// A service in this lap or a later one: whom it is done to in this lap, and how many laps later to somebody else.
#[derive(Clone)]
struct Served {
    service: Service,
    instead: Party,
    laps: usize,
}

impl<'m> Looking<'m> {
    /// Before anything was looked at.
    pub(super) fn new(model: &'m Model) -> Self {
        Looking {
            model,
            unreduced: Unreduced::new(model),
            alive: RefCell::new(HashMap::new()),
            trouble: RefCell::new(None),
            back: None,
            first: 0,
        }
    }

    fn judged(&self, demand: Demand, run: &Run) -> Result<Argument, Objection> {
        let positions = run.cycle.iter().map(|step| Position {
            state: &step.state,
            action: step.action.as_ref(),
            enabled: OnceCell::new(),
        });
        let positions: Vec<Position<'_>> = positions.collect();
        let mut argument = Argument::default();
        let mut of_events = None;
        match (demand.fairness, demand.over) {
            (Fairness::None, _) => {}
            (Fairness::Weak, Over::Processes) => {
                argument.kept = self.processes(&positions, RuleFairness::Weak)?;
            }
            (Fairness::Strong, Over::Processes) => {
                argument.kept = self.processes(&positions, RuleFairness::Strong)?;
            }
            (Fairness::Weak, Over::Events) => of_events = Some(RuleFairness::Weak),
            (Fairness::Strong, Over::Events) => of_events = Some(RuleFairness::Strong),
            (Fairness::Global, _) => argument.all_steps = Some(self.all_steps(run, &positions)?),
        }
        // Whoever is fair strongly is so weakly, too.
        let owed_to = |event: &Event| {
            let declared = self.model.events[event.event.0 as usize].fairness;
            declared.filter(|_| demand.declared).max(of_events)
        };
        let has_fair_rules = self.model.events.iter().any(|event| event.fairness.is_some());
        argument.events = match of_events {
            Some(_) => OwedEvents::All,
            None if demand.declared && has_fair_rules => OwedEvents::OfFairRules,
            None => OwedEvents::None,
        };
        let strengths = match argument.events {
            OwedEvents::None => &[][..],
            _ => &[RuleFairness::Weak, RuleFairness::Strong],
        };
        for &strength in strengths {
            let kept = self.events(&positions, strength, |event| owed_to(event) == Some(strength));
            argument.kept.extend(kept?);
        }
        if demand.declared {
            for (k, requirement) in self.model.requirements.iter().enumerate() {
                argument.kept.extend(self.declared(&positions, k, requirement)?);
            }
        }
        Ok(argument)
    }

    /// Who is enabled at a position, and to what.
    fn enabled<'p>(&self, position: &'p Position<'_>) -> &'p [(Process, Event)] {
        position.enabled.get_or_init(|| match self.steps(position.state) {
            Ok(steps) => steps.into_iter().map(|(process, event, _)| (process, event)).collect(),
            Err(objection) => {
                self.trouble.replace(Some(objection));
                Vec::new()
            }
        })
    }

    /// The steps of the system out of a state.
    fn steps(&self, state: &State) -> Result<Vec<(Process, Event, State)>, Objection> {
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
    pub(super) fn is_alive(&self, state: &State) -> Result<bool, Objection> {
        if !self.unreduced.has_assumptions() {
            return Ok(true);
        }
        let mut alive = self.alive.borrow_mut();
        if let Some(&known) = alive.get(state) {
            return Ok(known);
        }
        // Depth first: what is on the path when it is met again is on a cycle. What is left is dead.
        let mut path: Vec<(State, Vec<State>)> = Vec::new();
        let mut on_path: HashSet<State> = HashSet::new();
        let mut next = Some(state.clone());
        loop {
            if let Some(state) = next.take() {
                if alive.len() > MOST_STATES {
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
                Some(target) => match alive.get(&target) {
                    Some(true) => break,
                    Some(false) => {}
                    None => next = Some(target),
                },
                None => {
                    let (state, _) = path.pop().expect("it is there");
                    on_path.remove(&state);
                    alive.insert(state, false);
                }
            }
        }
        for (state, _) in path {
            alive.insert(state, true);
        }
        alive.insert(state.clone(), true);
        Ok(true)
    }

    /// Weak or strong fairness to processes.
    fn processes(
        &self,
        positions: &[Position<'_>],
        strength: RuleFairness,
    ) -> Result<Vec<Kept>, Objection> {
        let mut all = Vec::new();
        for (family, of) in (0..).map(FamilyId).zip(&self.model.processes) {
            let members = match of.of {
                None => vec![None],
                Some(of) => (0..self.model.types.size(of))
                    .map(|n| Some(Scalar::nth(&self.model.types, of, n)))
                    .collect(),
            };
            // A process of two families is one process.
            let members = members.into_iter().map(|one| Process::new(self.model, family, one));
            all.extend(members.filter(|process| process.family == family).map(Party::Process));
        }
        self.parties(positions, strength, all, |process, _| Party::Process(*process))
    }

    /// Weak or strong fairness to those of the enabled events that are meant.
    fn events(
        &self,
        positions: &[Position<'_>],
        strength: RuleFairness,
        is_meant: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Kept>, Objection> {
        let enabled = positions.iter().flat_map(|position| self.enabled(position));
        let enabled = enabled.map(|(_, event)| event).filter(|event| is_meant(event));
        let all: BTreeSet<&Event> = enabled.collect();
        let all = all.into_iter().cloned().map(Party::Event).collect();
        self.parties(positions, strength, all, |_, event| Party::Event(event.clone()))
    }

    /// Whether weak or strong fairness is kept to these parties of steps.
    fn parties(
        &self,
        positions: &[Position<'_>],
        strength: RuleFairness,
        all: Vec<Party>,
        party: impl Fn(&Process, &Event) -> Party,
    ) -> Result<Vec<Kept>, Objection> {
        let is_strong = strength == RuleFairness::Strong;
        let enabled: Vec<OnceCell<HashSet<Party>>> =
            positions.iter().map(|_| OnceCell::new()).collect();
        let is_enabled = |k: usize, one: &Party| {
            let steps = || self.enabled(&positions[k]).iter();
            let all = || steps().map(|(process, event)| party(process, event)).collect();
            enabled[k].get_or_init(all).contains(one)
        };
        let mut executed = HashMap::new();
        for (k, position) in positions.iter().enumerate() {
            if let Some((process, event)) = position.action {
                executed.entry(party(process, event)).or_insert(k);
            }
        }
        let service = |party: &Party| -> Option<Service> {
            if let Some(&k) = executed.get(party) {
                return Some((Reason::Executed, k));
            }
            let disabled = || (0..positions.len()).find(|&k| !is_enabled(k, party));
            if is_strong { None } else { disabled().map(|k| (Reason::Disabled as _, k)) }
        };
        let is_owed =
            |party: &Party| !is_strong || (0..positions.len()).any(|k| is_enabled(k, party));
        self.kept(all, is_strong, service, is_owed)
    }

    /// A declared requirement.
    fn declared(
        &self,
        positions: &[Position<'_>],
        k: usize,
        requirement: &Requirement,
    ) -> Result<Vec<Kept>, Objection> {
        let Requirement { locals, tracked, premise, conclusion, .. } = requirement;
        let is_true = |condition, values: &[Scalar], state| {
            let slots = tracked.iter().flat_map(|group| group.locals.iter().copied());
            let binding: Vec<_> = slots.zip(values.iter().copied()).collect();
            self.unreduced
                .interpreter
                .is_true(condition, locals, &binding, state)
                .map_err(|failure| Objection::Fails { position: None, failure: Box::new(failure) })
        };
        let mut all = Vec::new();
        let mut concerned = HashSet::new();
        let mut served = HashMap::new();
        for values in self.tuples(tracked) {
            let party = Party::Tuple(k, values.clone());
            for (at, position) in positions.iter().enumerate() {
                if is_true(conclusion, &values, position.state)? {
                    served.entry(party.clone()).or_insert(at);
                }
                if let Some(premise) = premise
                    && is_true(premise, &values, position.state)?
                {
                    concerned.insert(party.clone());
                }
            }
            all.push(party);
        }
        let service = |party: &Party| served.get(party).map(|&at| (Reason::True as _, at));
        let is_owed = |party: &Party| premise.is_none() || concerned.contains(party);
        self.kept(all, premise.is_some(), service, is_owed)
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

    /// Whether each of these parties is served in the run, or owed nothing. Given is how a party is served in this
    /// lap, if it is, and whether something that happens in this lap makes the run owe it that.
    ///
    /// Who is not served in this lap may be so later, as the image of somebody who is; one who is served in no lap
    /// must not be owed anything in any, but then that would be seen in this one, as owed to somebody of its orbit
    /// who is served in no lap either.
    fn kept(
        &self,
        all: Vec<Party>,
        is_strong: bool,
        service: impl Fn(&Party) -> Option<Service>,
        is_owed: impl Fn(&Party) -> bool,
    ) -> Result<Vec<Kept>, Objection> {
        let mut known = HashMap::new();
        let mut kept = Vec::new();
        let mut unserved = Vec::new();
        for party in all {
            let served = self.served(&party, &mut known, &service);
            if served.is_none() && is_owed(&party) {
                unserved.push(party.show(self.model));
            }
            let reason = served.map_or(Reason::Never, |served| {
                let Served { service: (reason, at), instead, laps } = served;
                let later = (laps > 0).then_some(Later { laps, instead });
                reason(Place { position: self.first + at, later })
            });
            kept.push(Kept { party, is_strong, reason });
        }
        match unserved.into_iter().min() {
            Some(to) => Err(Objection::Unfair { to }),
            None => Ok(kept),
        }
    }

    /// How a party is served, in this lap or as soon as possible: it is looked for among those whom it comes from,
    /// lap by lap, and nobody is looked at twice.
    fn served(
        &self,
        party: &Party,
        known: &mut HashMap<Party, Option<Served>>,
        service: impl Fn(&Party) -> Option<Service>,
    ) -> Option<Served> {
        let mut way = Vec::new();
        let mut at = party.clone();
        let mut found = loop {
            if let Some(known) = known.get(&at) {
                break known.clone().map(|known| Served { laps: known.laps + 1, ..known });
            }
            // If the way comes back here, nobody on it is served.
            known.insert(at.clone(), None);
            way.push(at.clone());
            if let Some(service) = service(&at) {
                break Some(Served { service, instead: at, laps: 0 });
            }
            let Some(back) = &self.back else { break None };
            at = at.renamed(self.model, back);
        };
        for one in way.into_iter().rev() {
            known.insert(one, found.clone());
            if let Some(found) = &mut found {
                found.laps += 1;
            }
        }
        known[party].clone()
    }

    /// Whether every step out of a state of the cycle is a step of the cycle.
    fn all_steps(&self, run: &Run, positions: &[Position<'_>]) -> Result<AllSteps, Objection> {
        if self.back.is_some() {
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
            for (process, event, target) in self.steps(position.state)? {
                if !taken.contains(&(position.state, &process, &event, &target)) {
                    let (process, event) = (process.show(self.model), event.show(self.model));
                    return Err(Objection::Unfair { to: format!("{process}: {event}") });
                }
            }
        }
        let states: HashSet<&State> = positions.iter().map(|position| position.state).collect();
        Ok(AllSteps { states: states.len(), steps: taken.len() })
    }
}
