//! Whether what is said of a fair counterexample is true: each reason is looked up in the run, and everybody to whom
//! something is owed is mentioned once.

use super::brute_force::{Reference, demanded};
use crate::brute_force::bindings;
use isonomy::check::Counterexample;
use judge::Renaming;
use judge::{AllSteps, OwedEvents};
use model::checked::{Demand, Formula};
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::ModelReference;
use model::reference::ModelRenaming as _;
use model::reference::Step;
use model::reference::{Kept, Party, Reason};
use model::syntax::{Fairness, Over, RuleFairness};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What kinds of reasons were seen to be true.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Seen {
    Executed,
    Disabled,
    True,
    NeverEnabled,
    NoPremise,
    AllSteps,
    /// In a later lap.
    Later,
}

/// The loop, with all of its laps, and the model that it belongs to.
struct Loop<'r> {
    reference: &'r Reference<'r>,
    numbers: HashMap<&'r State, usize>,
    /// Lap by lap, until everything is where it was.
    laps: Vec<Vec<Step>>,
}

/// Asserts that the argument of a counterexample is true and complete.
pub fn check(
    reference: &Reference<'_>,
    formula: &Formula,
    demand: Demand,
    found: &Counterexample,
) -> Vec<Seen> {
    let demand = demanded(formula, demand);
    let Reference { model, graph } = reference;
    let numbers = graph.states.iter().zip(0..).collect();
    let mut laps = vec![found.run.cycle.clone()];
    if let Some(by) = &found.renaming {
        let mut power = by.clone();
        while !power.is_identity() {
            power = by.after(&power);
            let last = laps.last().expect("there is a first");
            laps.push(last.iter().map(|step| renamed(reference, by, step)).collect());
        }
    }
    let of = Loop { reference, numbers, laps };
    let mut seen = Vec::new();
    let mut parties = HashSet::new();
    for kept in &found.argument.kept {
        assert!(parties.insert(kept.party.clone()), "twice: {kept:?}");
        assert_eq!(kept.is_strong, is_strong(reference, demand, &kept.party), "{kept:?}");
        of.check(found, kept, &mut seen);
    }
    // Everybody is there.
    let steps = || graph.steps.iter().flatten();
    let mut expected = HashSet::new();
    let is_by_party = matches!(demand.fairness, Fairness::Weak | Fairness::Strong);
    if is_by_party && demand.over == Over::Processes {
        expected.extend(steps().map(|step| Party::Process(step.process)));
        // Some never do anything.
        let idle = parties.iter().filter(|one| matches!(one, Party::Process(_)));
        expected.extend(idle.cloned().collect::<Vec<_>>());
    }
    for step in &of.laps[0] {
        for step in &graph.steps[of.numbers[&step.state]] {
            let is_fair = model.events[step.event.event.0 as usize].fairness.is_some();
            let of_events = is_by_party && demand.over == Over::Events;
            if of_events || (demand.declared && is_fair) {
                expected.insert(Party::Event(step.event.clone()));
            }
        }
    }
    if demand.declared {
        for (k, requirement) in model.requirements.iter().enumerate() {
            for binding in bindings(model, &requirement.tracked) {
                let values = binding.into_iter().map(|(_, value)| value).collect();
                expected.insert(Party::Tuple(k, values));
            }
        }
    }
    assert_eq!(parties, expected);
    let has_fair_rules = model.events.iter().any(|one| one.fairness.is_some());
    let events = match demand.over {
        Over::Events if is_by_party => OwedEvents::All,
        _ if demand.declared && has_fair_rules => OwedEvents::OfFairRules,
        _ => OwedEvents::None,
    };
    assert_eq!(found.argument.events, events);
    let all_steps = (demand.fairness == Fairness::Global).then(|| of.all_steps());
    assert_eq!(found.argument.all_steps, all_steps);
    seen.extend(all_steps.map(|_| Seen::AllSteps));
    seen
}

/// Whether the debt to a party is a strong one.
fn is_strong(reference: &Reference<'_>, demand: Demand, party: &Party) -> bool {
    match party {
        Party::Process(_) => demand.fairness == Fairness::Strong,
        Party::Event(event) => {
            let declared = reference.model.events[event.event.0 as usize].fairness;
            (demand.fairness == Fairness::Strong && demand.over == Over::Events)
                || (demand.declared && declared == Some(RuleFairness::Strong))
        }
        Party::Tuple(k, _) => reference.model.requirements[*k].premise.is_some(),
    }
}

fn renamed(reference: &Reference<'_>, by: &Renaming, step: &Step) -> Step {
    let action = step.action.as_ref();
    let action =
        action.map(|(process, event)| (by.process(process), by.event(reference.model, event)));
    Step { state: by.state(reference.model, &step.state), action }
}

fn is_by(party: &Party, process: &Process, event: &Event) -> bool {
    match party {
        Party::Process(one) => one == process,
        Party::Event(one) => one == event,
        Party::Tuple(..) => false,
    }
}

impl Loop<'_> {
    fn check(&self, found: &Counterexample, kept: &Kept, seen: &mut Vec<Seen>) {
        let Kept { party, is_strong, reason } = kept;
        let Some(place) = reason.place() else {
            assert!(is_strong, "{kept:?}");
            for step in self.laps.iter().flatten() {
                assert!(!self.is_enabled(party, step), "{kept:?}");
                assert!(!self.is_true(party, step, true), "{kept:?}");
            }
            let is_tuple = matches!(party, Party::Tuple(..));
            seen.push(if is_tuple { Seen::NoPremise } else { Seen::NeverEnabled });
            return;
        };
        let at = place.position - found.run.stem.len();
        let lap = place.later.as_ref().map_or(0, |later| later.laps);
        self.look(reason, party, &self.laps[lap][at]);
        if let Some(later) = &place.later {
            assert!(later.laps > 0);
            self.look(reason, &later.instead, &self.laps[0][at]);
            let by = found.renaming.as_ref().expect("laps come with a renaming");
            let model = &ModelReference::new(self.reference.model);
            let image = (0..lap).fold(later.instead.clone(), |one, _| one.renamed(model, by));
            assert_eq!(image, *party);
            seen.push(Seen::Later);
        }
        seen.push(match reason {
            Reason::Executed(_) => Seen::Executed,
            Reason::Disabled(_) => Seen::Disabled,
            _ => Seen::True,
        });
        assert!(!(*is_strong && matches!(reason, Reason::Disabled(_))), "{kept:?}");
    }

    /// Whether it is as it is said at this step.
    fn look(&self, reason: &Reason, party: &Party, step: &Step) {
        let is_so = match reason {
            Reason::Executed(_) => {
                step.action.as_ref().is_some_and(|(process, event)| is_by(party, process, event))
            }
            Reason::Disabled(_) => {
                !matches!(party, Party::Tuple(..)) && !self.is_enabled(party, step)
            }
            Reason::True(_) => self.is_true(party, step, false),
            Reason::Never => false,
        };
        assert!(is_so, "{reason:?} of {party:?}");
    }

    fn is_enabled(&self, party: &Party, step: &Step) -> bool {
        let mut steps = self.reference.graph.steps[self.numbers[&step.state]].iter();
        steps.any(|step| is_by(party, &step.process, &step.event))
    }

    /// Whether the conclusion of a requirement is true before a step, or its premise.
    fn is_true(&self, party: &Party, step: &Step, is_premise: bool) -> bool {
        let Party::Tuple(k, values) = party else { return false };
        let model = self.reference.model;
        let requirement = &model.requirements[*k];
        let condition = match &requirement.premise {
            Some(premise) if is_premise => premise,
            _ => &requirement.conclusion,
        };
        let locals = requirement.tracked.iter().flat_map(|group| group.locals.iter().copied());
        let binding: Vec<_> = locals.zip(values.iter().copied()).collect();
        let interpreter = Interpreter::new(model);
        interpreter.is_true(condition, &requirement.locals, &binding, &step.state) == Ok(true)
    }

    /// All steps of all states of the loop, which must be taken in it.
    fn all_steps(&self) -> AllSteps {
        let lap = &self.laps[0];
        let number = |step: &Step| self.numbers[&step.state];
        let mut taken = BTreeSet::new();
        for (k, step) in lap.iter().enumerate() {
            let target = number(&lap[(k + 1) % lap.len()]);
            if let Some((process, event)) = &step.action {
                taken.insert((number(step), *process, event.clone(), target));
            }
        }
        let states: BTreeSet<usize> = lap.iter().map(number).collect();
        let mut all = BTreeSet::new();
        for &state in &states {
            for step in &self.reference.graph.steps[state] {
                all.insert((state, step.process, step.event.clone(), step.target));
            }
        }
        assert_eq!(taken, all);
        AllSteps { states: states.len(), steps: all.len() }
    }
}
