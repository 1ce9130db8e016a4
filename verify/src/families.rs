//! Families of objects that a run must be fair to, and what it owes to them.
//!
//! A family has for each of its objects x a premise `p_x` and a goal `q_x`: if `p_x` is true infinitely often,
//! then so is `q_x`. A goal is true in a state, or of a step.
//!
//! | family | `p_x` | `q_x` |
//! |---|---|---|
//! | processes, weak | true | x has no step, or takes one |
//! | processes, strong | x has a step | x takes one |
//! | events | the same | |
//! | a declared requirement | its premise, or true | its goal |

use crate::space::{Space, Step};
use crate::tuples::Tuples;
use crate::verdict::{Condition, Demands, Refusal, malformed};
use judge::{Reference, Renaming, Vocabulary};
use std::collections::HashMap;
use terms::{Demand, Fairness, Over, RuleFairness};

type Process<R> = <<R as Reference>::Vocabulary as Vocabulary>::Process;
type Event<R> = <<R as Reference>::Vocabulary as Vocabulary>::Event;

/// A family of objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Family {
    /// All processes.
    Processes(RuleFairness),
    /// The events to which a run must be fair in this way.
    Events(RuleFairness),
    /// The tuples of a declared requirement.
    Requirement(u32),
}

impl Family {
    /// Families have numbers.
    pub const fn number(self) -> u32 {
        match self {
            Family::Processes(RuleFairness::Weak) => 0,
            Family::Processes(RuleFairness::Strong) => 1,
            Family::Events(RuleFairness::Weak) => 2,
            Family::Events(RuleFairness::Strong) => 3,
            Family::Requirement(k) => 4 + k,
        }
    }

    /// The family with this number.
    pub const fn of_number(number: u32) -> Family {
        match number {
            0 => Family::Processes(RuleFairness::Weak),
            1 => Family::Processes(RuleFairness::Strong),
            2 => Family::Events(RuleFairness::Weak),
            3 => Family::Events(RuleFairness::Strong),
            more => Family::Requirement(more - 4),
        }
    }
}

/// The objects of a family that a certificate may speak about.
#[derive(Debug)]
pub struct Objects<'s, R: Reference> {
    space: &'s Space<'s, R>,
    list: List<R>,
    strength: RuleFairness,
}

#[derive(Debug)]
enum List<R: Reference> {
    Processes { all: Vec<Process<R>>, numbers: HashMap<Process<R>, u32> },
    Events { all: Vec<Event<R>>, numbers: HashMap<Event<R>, u32> },
    Tuples { requirement: usize, has_premise: bool, all: Tuples<R> },
}

impl<'s, R: Reference> Objects<'s, R> {
    /// The objects of a family, if fairness to them is demanded (**Family**). `more` are images of
    /// events that occur: the number of an event, and of a renaming.
    pub fn new(
        space: &'s Space<'s, R>,
        family: Family,
        demand: Demand,
        more: &[(u32, u32)],
        demands: Demands,
    ) -> Result<Objects<'s, R>, Refusal> {
        let reference = space.reference;
        let (list, strength, is_demanded) = match family {
            Family::Processes(strength) => {
                let all = reference.processes();
                let numbers = all.iter().cloned().zip(0..).collect();
                let is_demanded = is_demanded(demand, Over::Processes, strength);
                (List::Processes { all, numbers }, strength, is_demanded)
            }
            Family::Events(strength) => {
                let is_owed = |event: &Event<R>| is_owed(reference, demand, event, strength);
                let list = events(space, more, |event| {
                    // Each event is one that is owed something.
                    demands.ask(Condition::Family, is_owed(event), String::new).is_ok()
                })?;
                (list, strength, true)
            }
            Family::Requirement(k) => {
                let requirements = reference.requirements();
                let Some(one) = requirements.get(k as usize) else {
                    return Err(malformed("there is no such requirement"));
                };
                let has_premise = one.has_premise;
                let all = Tuples::required(one);
                let list = List::Tuples { requirement: k as usize, has_premise, all };
                (list, RuleFairness::Weak, demand.declared)
            }
        };
        demands.ask(Condition::Family, is_demanded, || format!("{family:?}"))?;
        Ok(Objects { space, list, strength })
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        match &self.list {
            List::Processes { all, .. } => all.len(),
            List::Events { all, .. } => all.len(),
            List::Tuples { all, .. } => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The image of an object, if it is among these.
    pub fn image(&self, by: &Renaming, object: u32) -> Option<u32> {
        let reference = self.space.reference;
        match &self.list {
            List::Processes { all, numbers } => {
                numbers.get(&reference.renamed_process(by, &all[object as usize])).copied()
            }
            List::Events { all, numbers } => {
                numbers.get(&reference.renamed_event(by, &all[object as usize])).copied()
            }
            List::Tuples { all, .. } => all.image(reference, by, object),
        }
    }

    /// The object that a step belongs to.
    pub fn of_step(&self, step: Step) -> Option<u32> {
        let (process, event) = self.space.action(step)?;
        match &self.list {
            List::Processes { numbers, .. } => numbers.get(process).copied(),
            List::Events { numbers, .. } => numbers.get(event).copied(),
            List::Tuples { .. } => None,
        }
    }

    /// The objects with steps in a state.
    pub fn enabled(&self, steps: &[Step]) -> Vec<u32> {
        steps.iter().filter_map(|&step| self.of_step(step)).collect()
    }

    /// `p_x` in a state, where these objects have steps (**`NoFailure`**).
    pub fn premise(
        &self,
        state: u32,
        enabled: &[u32],
        object: u32,
        demands: Demands,
    ) -> Result<bool, Refusal> {
        match &self.list {
            List::Tuples { has_premise: false, .. } => Ok(true),
            List::Tuples { requirement, all, .. } => {
                let state = self.space.state(state);
                let answer = self.space.reference.premise(*requirement, all.values(object), state);
                value(answer, true, demands)
            }
            _ => Ok(self.strength == RuleFairness::Weak || enabled.contains(&object)),
        }
    }

    /// Whether `q_x` is true in a state, where these objects have steps (**`NoFailure`**).
    pub fn goal(
        &self,
        state: u32,
        enabled: &[u32],
        object: u32,
        demands: Demands,
    ) -> Result<bool, Refusal> {
        match &self.list {
            List::Tuples { requirement, all, .. } => {
                let state = self.space.state(state);
                let answer = self.space.reference.goal(*requirement, all.values(object), state);
                value(answer, false, demands)
            }
            _ => Ok(self.strength == RuleFairness::Weak && !enabled.contains(&object)),
        }
    }
}

/// The value of a condition; another one if it fails and may fail.
fn value<E>(answer: Result<bool, E>, otherwise: bool, demands: Demands) -> Result<bool, Refusal> {
    let place = || "a requirement of fairness".to_owned();
    demands.ask(Condition::NoFailure, answer.is_ok(), place)?;
    Ok(answer.unwrap_or(otherwise))
}

/// The events that occur and are owed something, and images of them.
fn events<R: Reference>(
    space: &Space<'_, R>,
    more: &[(u32, u32)],
    is_owed: impl Fn(&Event<R>) -> bool,
) -> Result<List<R>, Refusal> {
    let (mut all, mut numbers) = (Vec::new(), HashMap::new());
    let mut add = |all: &mut Vec<Event<R>>, event: Event<R>| {
        if is_owed(&event) && !numbers.contains_key(&event) {
            numbers.insert(event.clone(), all.len() as u32);
            all.push(event);
        }
    };
    for (_, event) in run::polled(&space.actions) {
        add(&mut all, event.clone());
    }
    for &(event, by) in run::polled(more) {
        let (Some(event), Some(by)) = (all.get(event as usize), space.renamings.get(by as usize))
        else {
            return Err(malformed("it refers to an event or a renaming that is not listed"));
        };
        let image = space.reference.renamed_event(by, event);
        add(&mut all, image);
    }
    Ok(List::Events { all, numbers })
}

/// Whether fairness of this strength is demanded of all. What is strongly fair is weakly fair.
fn is_demanded(demand: Demand, over: Over, strength: RuleFairness) -> bool {
    demand.over == over
        && match strength {
            RuleFairness::Weak => matches!(demand.fairness, Fairness::Weak | Fairness::Strong),
            RuleFairness::Strong => demand.fairness == Fairness::Strong,
        }
}

/// Whether a run must be fair to an event in this way: as to all events, or as to those of its rule.
fn is_owed<R: Reference>(
    reference: &R,
    demand: Demand,
    event: &Event<R>,
    strength: RuleFairness,
) -> bool {
    let declared = reference.fairness_of(event).filter(|_| demand.declared);
    is_demanded(demand, Over::Events, strength)
        || declared.is_some_and(|declared| declared >= strength)
}
