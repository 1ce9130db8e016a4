//! Whether a run is fair, by definition.
//!
//! Only the cycle matters: what occurs there occurs infinitely often, and nothing else does. So a party
//! (a process, an event with its arguments, a tuple of a declared requirement) is *eventually always*
//! enabled if it is in all states of the cycle, enabled *infinitely often* if in some, and is executed
//! infinitely often if some step of the cycle executes it. Only steps of the system count: one that an
//! assumption cuts, or that leads to a state from which every run is cut sooner or later, enables no
//! party.
//!
//! If the cycle is given by its first lap and a renaming g, the run does to g(x) in the next lap what it
//! does to x in this one: what is true of a party in the lap is true, in the run, of all its images.

use crate::argument::{AllSteps, Argument, Kept, Later, Occurrence, OwedEvents, Party, Reason};
use crate::claim::MOST_STATES;
use crate::objection::Objection;
use crate::reference::{Action, Reference, Requirement, Vocabulary};
use crate::renaming::Renaming;
use crate::run::Run;
use crate::unreduced::{Taken, Unreduced};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use terms::{Demand, Fairness, Over, RuleFairness};

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
type Event<R> = <<R as Reference>::Vocabulary as Vocabulary>::Event;
type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;
type Value<R> = <<R as Reference>::Vocabulary as Vocabulary>::Value;

/// Judges whether an infinite run, which [`judge`](fn@crate::judge) or
/// [`judge_laps`](crate::judge_laps) accepts, is fair as demanded; and says why.
pub fn judge_fairness<R: Reference>(
    reference: &R,
    demand: Demand,
    run: &Run<R::Vocabulary>,
    renaming: Option<&Renaming>,
) -> Result<Argument<R::Vocabulary>, Objection<R::Vocabulary>> {
    let mut looking = Looking::new(reference);
    looking.back = renaming.map(Renaming::inverse);
    looking.first = run.stem.len();
    let judged = looking.judged(demand, run);
    // Steps that are not known were taken for disabled.
    match looking.trouble.into_inner() {
        Some(objection) => Err(objection),
        None => judged,
    }
}

/// A position of the cycle.
struct Position<'r, V: Vocabulary> {
    state: &'r V::State,
    action: Option<&'r Action<V>>,
    /// The enabled actions of its state, computed on first use: it takes long to make all steps.
    enabled: OnceCell<Vec<Action<V>>>,
}

pub(crate) struct Looking<'r, R: Reference> {
    reference: &'r R,
    unreduced: Unreduced<'r, R>,
    /// Whether some run continues from a state forever.
    alive: RefCell<HashMap<State<R>, bool>>,
    /// Why the steps of some state are not known.
    trouble: RefCell<Option<Objection<R::Vocabulary>>>,
    /// The renaming that takes a lap to the one before, if only the first is written down.
    back: Option<Renaming>,
    /// The position in the run of the first step of the cycle.
    first: usize,
}

/// How a party is served at a position of the cycle.
type Service<V> = (fn(Occurrence<V>) -> Reason<V>, usize);

/// A service in this lap or a later one.
#[derive(Clone)]
struct Served<V: Vocabulary> {
    service: Service<V>,
    /// The party that is served in this lap.
    instead: Party<V>,
    /// The number of laps after which its image is served.
    laps: usize,
}

impl<'r, R: Reference> Looking<'r, R> {
    pub(crate) fn new(reference: &'r R) -> Self {
        Looking {
            reference,
            unreduced: Unreduced::new(reference),
            alive: RefCell::new(HashMap::new()),
            trouble: RefCell::new(None),
            back: None,
            first: 0,
        }
    }

    fn judged(
        &self,
        demand: Demand,
        run: &Run<R::Vocabulary>,
    ) -> Result<Argument<R::Vocabulary>, Objection<R::Vocabulary>> {
        let positions = run.cycle.iter().map(|step| Position {
            state: &step.state,
            action: step.action.as_ref(),
            enabled: OnceCell::new(),
        });
        let positions: Vec<Position<'_, R::Vocabulary>> = positions.collect();
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
        // Strong fairness implies weak fairness.
        let owed_to = |event: &Event<R>| {
            let declared = self.reference.fairness_of(event);
            declared.filter(|_| demand.declared).max(of_events)
        };
        let has_fair_rules = self.reference.has_fair_events();
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
            for (k, requirement) in self.reference.requirements().iter().enumerate() {
                argument.kept.extend(self.declared(&positions, k, requirement)?);
            }
        }
        Ok(argument)
    }

    /// The actions that are enabled at a position.
    fn enabled<'p>(
        &self,
        position: &'p Position<'_, R::Vocabulary>,
    ) -> &'p [Action<R::Vocabulary>] {
        position.enabled.get_or_init(|| match self.steps(position.state) {
            Ok(steps) => steps.into_iter().map(|(action, _)| action).collect(),
            Err(objection) => {
                self.trouble.replace(Some(objection));
                Vec::new()
            }
        })
    }

    /// The steps of a state to states of the system.
    fn steps(
        &self,
        state: &State<R>,
    ) -> Result<Vec<Taken<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let mut found = Vec::new();
        for (action, target) in self.unreduced.steps(state) {
            if self.is_alive(&target)? {
                found.push((action, target));
            }
        }
        Ok(found)
    }

    /// Whether a state, which satisfies the assumptions, has a run that is never cut: one that reaches a
    /// cycle, or a state without steps.
    pub(crate) fn is_alive(&self, state: &State<R>) -> Result<bool, Objection<R::Vocabulary>> {
        if !self.unreduced.has_assumptions() {
            return Ok(true);
        }
        let mut alive = self.alive.borrow_mut();
        if let Some(&known) = alive.get(state) {
            return Ok(known);
        }
        // Depth first: a state that is met again while it is on the path is on a cycle. A state whose
        // targets are all dead is dead.
        let mut path: Vec<(State<R>, Vec<State<R>>)> = Vec::new();
        let mut on_path: HashSet<State<R>> = HashSet::new();
        let mut next = Some(state.clone());
        loop {
            if let Some(state) = next.take() {
                if alive.len() > MOST_STATES {
                    return Err(Objection::TooLarge);
                }
                // A fault is no step, but a state with a fault is not one without steps.
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
        positions: &[Position<'_, R::Vocabulary>],
        strength: RuleFairness,
    ) -> Result<Vec<Kept<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let all = self.reference.processes().into_iter().map(Party::Process).collect();
        self.parties(positions, strength, all, |(process, _)| Party::Process(process.clone()))
    }

    /// Weak or strong fairness to some of the enabled events.
    fn events(
        &self,
        positions: &[Position<'_, R::Vocabulary>],
        strength: RuleFairness,
        is_meant: impl Fn(&Event<R>) -> bool,
    ) -> Result<Vec<Kept<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let enabled = positions.iter().flat_map(|position| self.enabled(position));
        let enabled = enabled.map(|(_, event)| event).filter(|event| is_meant(event));
        let all: BTreeSet<&Event<R>> = enabled.collect();
        let all = all.into_iter().cloned().map(Party::Event).collect();
        self.parties(positions, strength, all, |(_, event)| Party::Event(event.clone()))
    }

    /// Whether weak or strong fairness is kept to these parties; `party` is the one that an action
    /// belongs to.
    fn parties(
        &self,
        positions: &[Position<'_, R::Vocabulary>],
        strength: RuleFairness,
        all: Vec<Party<R::Vocabulary>>,
        party: impl Fn(&Action<R::Vocabulary>) -> Party<R::Vocabulary>,
    ) -> Result<Vec<Kept<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let is_strong = strength == RuleFairness::Strong;
        let enabled: Vec<OnceCell<HashSet<Party<R::Vocabulary>>>> =
            positions.iter().map(|_| OnceCell::new()).collect();
        let is_enabled = |k: usize, one: &Party<R::Vocabulary>| {
            let all = || self.enabled(&positions[k]).iter().map(&party).collect();
            enabled[k].get_or_init(all).contains(one)
        };
        let mut executed = HashMap::new();
        for (k, position) in positions.iter().enumerate() {
            if let Some(action) = position.action {
                executed.entry(party(action)).or_insert(k);
            }
        }
        let service = |party: &Party<R::Vocabulary>| -> Option<Service<R::Vocabulary>> {
            if let Some(&k) = executed.get(party) {
                return Some((Reason::Executed, k));
            }
            let disabled = || (0..positions.len()).find(|&k| !is_enabled(k, party));
            if is_strong { None } else { disabled().map(|k| (Reason::Disabled as _, k)) }
        };
        let is_owed = |party: &Party<R::Vocabulary>| {
            !is_strong || (0..positions.len()).any(|k| is_enabled(k, party))
        };
        self.kept(all, is_strong, service, is_owed)
    }

    /// A declared requirement.
    fn declared(
        &self,
        positions: &[Position<'_, R::Vocabulary>],
        k: usize,
        requirement: &Requirement<R::Vocabulary>,
    ) -> Result<Vec<Kept<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let fails = |failure| Objection::Fails { position: None, failure: Box::new(failure) };
        let has_premise = requirement.has_premise;
        let mut all = Vec::new();
        let mut concerned = HashSet::new();
        let mut served = HashMap::new();
        for values in required_tuples::<R>(requirement) {
            let party = Party::Tuple(k, values.clone());
            for (at, position) in positions.iter().enumerate() {
                if self.reference.goal(k, &values, position.state).map_err(fails)? {
                    served.entry(party.clone()).or_insert(at);
                }
                if has_premise
                    && self.reference.premise(k, &values, position.state).map_err(fails)?
                {
                    concerned.insert(party.clone());
                }
            }
            all.push(party);
        }
        let service = |party: &Party<R::Vocabulary>| -> Option<Service<R::Vocabulary>> {
            served.get(party).map(|&at| (Reason::True as _, at))
        };
        let is_owed = |party: &Party<R::Vocabulary>| !has_premise || concerned.contains(party);
        self.kept(all, has_premise, service, is_owed)
    }

    /// Whether the run keeps its obligations to these parties. `service` is how a party is served in this
    /// lap, and `is_owed` says whether this lap gives rise to the obligation.
    ///
    /// A party that is not served in this lap may be served later, as the image of one that is. For a
    /// party that is served in no lap, no lap may give rise to the obligation; it suffices to look at
    /// this lap, because an obligation in another one is, in this lap, an obligation to a party of the
    /// same orbit, which is served in no lap either.
    fn kept(
        &self,
        all: Vec<Party<R::Vocabulary>>,
        is_strong: bool,
        service: impl Fn(&Party<R::Vocabulary>) -> Option<Service<R::Vocabulary>>,
        is_owed: impl Fn(&Party<R::Vocabulary>) -> bool,
    ) -> Result<Vec<Kept<R::Vocabulary>>, Objection<R::Vocabulary>> {
        let mut known = HashMap::new();
        let mut kept = Vec::new();
        let mut unserved = Vec::new();
        for party in all {
            ::run::poll();
            let served = self.served(&party, &mut known, &service);
            if served.is_none() && is_owed(&party) {
                unserved.push(party.show(self.reference));
            }
            let reason = served.map_or(Reason::Never, |served| {
                let Served { service: (reason, at), instead, laps } = served;
                let later = (laps > 0).then_some(Later { laps, instead });
                reason(Occurrence { position: self.first + at, later })
            });
            kept.push(Kept { party, is_strong, reason });
        }
        match unserved.into_iter().min() {
            Some(to) => Err(Objection::Unfair { to }),
            None => Ok(kept),
        }
    }

    /// How a party is served, in this lap or as soon as possible: the parties whose image it is are looked
    /// at, lap by lap, and none twice.
    fn served(
        &self,
        party: &Party<R::Vocabulary>,
        known: &mut HashMap<Party<R::Vocabulary>, Option<Served<R::Vocabulary>>>,
        service: impl Fn(&Party<R::Vocabulary>) -> Option<Service<R::Vocabulary>>,
    ) -> Option<Served<R::Vocabulary>> {
        let mut way = Vec::new();
        let mut at = party.clone();
        let mut found = loop {
            if let Some(known) = known.get(&at) {
                break known.clone().map(|known| Served { laps: known.laps + 1, ..known });
            }
            // If the way comes back here, no party on it is served.
            known.insert(at.clone(), None);
            way.push(at.clone());
            if let Some(service) = service(&at) {
                break Some(Served { service, instead: at, laps: 0 });
            }
            let Some(back) = &self.back else { break None };
            at = at.renamed(self.reference, back);
        };
        for one in way.into_iter().rev() {
            known.insert(one, found.clone());
            if let Some(found) = &mut found {
                found.laps += 1;
            }
        }
        known[party].clone()
    }

    /// Whether every step of a state of the cycle is a step of the cycle.
    fn all_steps(
        &self,
        run: &Run<R::Vocabulary>,
        positions: &[Position<'_, R::Vocabulary>],
    ) -> Result<AllSteps, Objection<R::Vocabulary>> {
        if self.back.is_some() {
            return Err(Objection::TooLarge);
        }
        let targets = run.cycle.iter().skip(1).map(|step| &step.state).chain([&run.end]);
        let mut taken = HashSet::new();
        for (position, target) in positions.iter().zip(targets) {
            if let Some(action) = position.action {
                taken.insert((position.state, action, target));
            }
        }
        for position in positions {
            for (action, target) in self.steps(position.state)? {
                if !taken.contains(&(position.state, &action, &target)) {
                    return Err(unfair_to_step(self.reference, &action));
                }
            }
        }
        let states: HashSet<&State<R>> = positions.iter().map(|position| position.state).collect();
        Ok(AllSteps { states: states.len(), steps: taken.len() })
    }
}

/// The objection that a step is never taken.
pub(crate) fn unfair_to_step<R: Reference>(
    reference: &R,
    (process, event): &Action<R::Vocabulary>,
) -> Objection<R::Vocabulary> {
    let (process, event) = (reference.show_process(process), reference.show_event(event));
    Objection::Unfair { to: format!("{process}: {event}") }
}

/// All values of the variables of a requirement.
pub fn required_tuples<R: Reference>(
    requirement: &Requirement<R::Vocabulary>,
) -> Vec<Vec<Value<R>>> {
    let groups = requirement.variables.iter();
    tuples(groups.map(|group| (vec![&group.values[..]; group.count], group.is_distinct)))
}

/// All tuples of values of the tracked variables of a formula.
pub fn tracked_tuples<R: Reference>(reference: &R, formula: &Formula<R>) -> Vec<Vec<Value<R>>> {
    let groups = reference.tracked(formula).into_iter().map(|group| {
        let variables = group.variables.iter();
        let values = variables.map(|&variable| reference.values(formula, variable));
        (values.collect::<Vec<_>>(), group.is_distinct)
    });
    let groups: Vec<_> = groups.collect();
    let groups = groups.iter();
    tuples(
        groups.map(|(all, is_distinct)| (all.iter().map(|one| &one[..]).collect(), *is_distinct)),
    )
}

/// All tuples of values, for groups of variables: the values of each, and whether they are distinct.
fn tuples<'v, V: Copy + Eq + 'v>(
    groups: impl Iterator<Item = (Vec<&'v [V]>, bool)>,
) -> Vec<Vec<V>> {
    let mut tuples: Vec<Vec<V>> = vec![Vec::new()];
    for (variables, is_distinct) in groups {
        for (k, values) in variables.into_iter().enumerate() {
            let mut longer = Vec::new();
            for tuple in &tuples {
                for value in ::run::polled(values) {
                    let before = &tuple[tuple.len() - k..];
                    if !(is_distinct && before.contains(value)) {
                        longer.push([&tuple[..], &[*value]].concat());
                    }
                }
            }
            tuples = longer;
        }
    }
    tuples
}
