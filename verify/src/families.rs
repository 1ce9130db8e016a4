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

use crate::numbered::{Images, Numbered};
use crate::space::{Space, Step};
use crate::verdict::{Condition, Refusal, malformed};
use judge::{Reference, Vocabulary, required_tuples};
use terms::{Demand, Fairness, Over, RuleFairness};

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

/// Something that a run must be fair to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Object<V: Vocabulary> {
    Process(V::Process),
    Event(V::Event),
    /// The values of a requirement's variables.
    Tuple(Vec<V::Value>),
}

/// The objects of a family that a certificate may speak about.
#[derive(Debug)]
pub struct Objects<'s, R: Reference> {
    space: &'s Space<'s, R>,
    strength: RuleFairness,
    all: Numbered<Object<R::Vocabulary>>,
    /// By action of the space: the object that its steps serve.
    served: Vec<Option<u32>>,
    /// The number of a declared requirement, and whether it has a premise.
    declared: Option<(usize, bool)>,
    images: Images,
}

impl<'s, R: Reference> Objects<'s, R> {
    /// The objects of a family, if fairness to them is demanded (**Family**). `more` are images of
    /// events that occur: the number of an event, and of a renaming.
    pub fn new(
        space: &'s Space<'s, R>,
        family: Family,
        demand: Demand,
        more: &[(u32, u32)],
    ) -> Result<Objects<'s, R>, Refusal> {
        let Space { reference, demands, .. } = *space;
        let place = || format!("{family:?}");
        let strength_for_all = match demand.fairness {
            Fairness::Weak => Some(RuleFairness::Weak),
            Fairness::Strong => Some(RuleFairness::Strong),
            Fairness::None | Fairness::Global => None,
        };
        let (mut all, mut declared) = (Numbered::default(), None);
        let strength = match family {
            Family::Processes(strength) => {
                // What is strongly fair is weakly fair.
                let is_demanded =
                    demand.over == Over::Processes && strength_for_all >= Some(strength);
                demands.ask(Condition::Family, is_demanded, place)?;
                all = reference.processes().into_iter().map(Object::Process).collect();
                strength
            }
            Family::Events(strength) => {
                // Each event is one that is owed something, as all are or as those of its rule.
                let is_owed = |event: &Event<R>| {
                    let for_all = strength_for_all.filter(|_| demand.over == Over::Events);
                    let own = reference.fairness_of(event).filter(|_| demand.declared);
                    let is_demanded = for_all.max(own) >= Some(strength);
                    demands.ask(Condition::Family, is_demanded, String::new).is_ok()
                };
                for (_, event) in run::polled(space.actions()).filter(|(_, event)| is_owed(event)) {
                    all.add(Object::Event(event.clone()));
                }
                for &(event, by) in run::polled(more) {
                    let by = space.renamings.get(by as usize);
                    let (Some(Object::Event(event)), Some(by)) =
                        (all.all().get(event as usize), by)
                    else {
                        return Err(malformed("it refers to an event or a renaming not listed"));
                    };
                    let image = reference.renamed_event(by, event);
                    if is_owed(&image) {
                        all.add(Object::Event(image));
                    }
                }
                strength
            }
            Family::Requirement(k) => {
                demands.ask(Condition::Family, demand.declared, place)?;
                let requirements = reference.requirements();
                let Some(one) = requirements.get(k as usize) else {
                    return Err(malformed("there is no such requirement"));
                };
                all = required_tuples::<R>(one).into_iter().map(Object::Tuple).collect();
                declared = Some((k as usize, one.has_premise));
                RuleFairness::Weak
            }
        };
        let served = space.actions().iter().map(|(process, event)| {
            let process = all.number(&Object::Process(process.clone()));
            process.or_else(|| all.number(&Object::Event(event.clone())))
        });
        let (served, images) = (served.collect(), Images::new(space.renamings.len()));
        Ok(Objects { space, strength, all, served, declared, images })
    }

    /// The number of objects.
    pub fn count(&self) -> usize {
        self.all.all().len()
    }

    /// The image of an object by a renaming of the space, if it is among these.
    pub fn image(&self, by: u32, object: u32) -> Option<u32> {
        let reference = self.space.reference;
        self.images.of(by, object, self.count(), |object| {
            let by = &self.space.renamings[by as usize];
            self.all.number(&match &self.all.all()[object as usize] {
                Object::Process(process) => Object::Process(reference.renamed_process(by, process)),
                Object::Event(event) => Object::Event(reference.renamed_event(by, event)),
                Object::Tuple(values) => {
                    let values = values.iter().map(|&value| reference.renamed_value(by, value));
                    Object::Tuple(values.collect())
                }
            })
        })
    }

    /// The object that a step serves.
    pub fn of_step(&self, step: Step) -> Option<u32> {
        self.served.get(step.action as usize).copied().flatten()
    }

    /// The objects with steps in a state, ascending.
    pub fn enabled(&self, steps: &[Step]) -> Vec<u32> {
        let mut enabled: Vec<u32> = steps.iter().filter_map(|&step| self.of_step(step)).collect();
        enabled.sort_unstable();
        enabled
    }

    /// `p_x` in a state, where these objects have steps (**`NoFailure`**).
    pub fn premise(&self, state: u32, enabled: &[u32], object: u32) -> Result<bool, Refusal> {
        self.is_true(false, state, enabled, object)
    }

    /// Whether `q_x` is true in a state, where these objects have steps (**`NoFailure`**).
    pub fn goal(&self, state: u32, enabled: &[u32], object: u32) -> Result<bool, Refusal> {
        self.is_true(true, state, enabled, object)
    }

    fn is_true(&self, q: bool, state: u32, enabled: &[u32], object: u32) -> Result<bool, Refusal> {
        let Space { reference, demands, ref states, .. } = *self.space;
        let is_weak = self.strength == RuleFairness::Weak;
        let is_enabled = || enabled.binary_search(&object).is_ok();
        let at = &states[state as usize];
        let answer = match (self.declared, &self.all.all()[object as usize]) {
            (Some((k, _)), Object::Tuple(values)) if q => reference.goal(k, values, at),
            (Some((k, true)), Object::Tuple(values)) => reference.premise(k, values, at),
            (Some(_), _) => Ok(true),
            (None, _) => Ok(if q { is_weak && !is_enabled() } else { is_weak || is_enabled() }),
        };
        let place = || format!("a requirement of fairness in state {state}");
        Ok(demands.sound(answer, place)?.unwrap_or(!q))
    }
}
