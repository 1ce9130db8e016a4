//! Requirements: the obligations of a fair run.
//!
//! A notion of fairness is a family of requirements, one per object x, each a pair (p, q) of x:
//! *infinitely often p implies infinitely often q*.
//!
//! | notion | p | q |
//! |---|---|---|
//! | weak, of a process or an event | true | it is disabled, or it is executed |
//! | strong, of a process or an event | it is enabled | it is executed |
//! | justice J(x) | true | J(x) |
//! | compassion (p, q)(x) | p(x) | q(x) |
//!
//! The *facts* about a representative are stated in its own coordinates: for families in which p is
//! always true, the objects that are *unserved*, that is, for which q is false of the state; for
//! the others, the objects for which p is true, and those for which q is. Executions belong to
//! edges, not to states.

use super::objects::{Kind, Object, Objects, Set};
use crate::instances::instances;
use crate::product::{Product, Stop};
use crate::quotient::Representative;
use crate::system::{AtomWorker, Atoms, OwnerSummary, RequirementSummary, RuleSummary, System};
use terms::{Demand, EventId, Fairness, Over, RuleFairness};

/// A family of requirements of one form, one for each object of its subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// The objects of the requirements.
    pub subject: Subject,
    /// Whether p may be false.
    pub is_conditional: bool,
}

/// The objects that requirements are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// All processes.
    Processes,
    /// The instances of all events.
    Events,
    /// The instances of one event.
    Event(EventId),
    /// The tuples of a declared requirement.
    Declared(u32),
}

/// All fairness requirements of runs. Global fairness is a flag, not a family.
#[derive(Debug)]
pub struct Requirements {
    /// The families: the general one first, then the declared ones in the order of their
    /// declarations.
    pub families: Vec<Family>,
    /// Whether every step that is enabled infinitely often must be taken infinitely often.
    pub is_global: bool,
    rules: Vec<RuleSummary>,
    /// The declared requirements, if the demand includes them.
    declared: Vec<RequirementSummary>,
}

impl Requirements {
    /// The requirements that a demand makes of the runs of a system.
    pub fn new(system: &dyn System, demand: Demand) -> Requirements {
        let mut families = Vec::new();
        let subject = match demand.over {
            Over::Processes => Subject::Processes,
            Over::Events => Subject::Events,
        };
        match demand.fairness {
            Fairness::None | Fairness::Global => {}
            Fairness::Weak => families.push(Family { subject, is_conditional: false }),
            Fairness::Strong => families.push(Family { subject, is_conditional: true }),
        }
        let mut declared = Vec::new();
        if demand.declared {
            for (event, of) in (0..).map(EventId).zip(system.events()) {
                let subject = Subject::Event(event);
                families.extend(of.fairness.map(|fairness| Family {
                    subject,
                    is_conditional: fairness == RuleFairness::Strong,
                }));
            }
            declared = system.requirements();
            for (k, requirement) in (0..).zip(&declared) {
                let subject = Subject::Declared(k);
                families.push(Family { subject, is_conditional: requirement.has_premise });
            }
        }
        let is_global = demand.fairness == Fairness::Global;
        Requirements { families, is_global, rules: system.rules(), declared }
    }

    /// Whether nothing is required.
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && !self.is_global
    }

    /// Whether all objects of requirements are points, so that the orbits of points are all that
    /// must be known of a group.
    pub fn are_about_points(&self, objects: &Objects) -> bool {
        let is_subject = |kind| {
            self.families.iter().any(|family| match (family.subject, kind) {
                (Subject::Processes, Kind::Process(_)) | (Subject::Events, Kind::Event(_)) => true,
                (Subject::Event(one), Kind::Event(other)) => one == other,
                (Subject::Declared(one), Kind::Declared(other)) => one == other,
                _ => false,
            })
        };
        !self.is_global && objects.are_points(is_subject)
    }

    /// The object of a family that a step executes, if there is one.
    pub fn executed(
        &self,
        family: &Family,
        objects: &mut Objects,
        rule: u32,
        arguments: &[i64],
    ) -> Option<Object> {
        let RuleSummary { event, owner, .. } = &self.rules[rule as usize];
        match family.subject {
            Subject::Processes => match owner {
                OwnerSummary::Single(family) => Some(objects.intern(Kind::Process(*family), &[])),
                OwnerSummary::Argument { cell, members } => {
                    let &(family, cell) = members.get(&arguments[*cell])?;
                    Some(objects.intern(Kind::Process(family), &[cell]))
                }
            },
            Subject::Events => Some(objects.intern(Kind::Event(*event), arguments)),
            Subject::Event(one) => {
                (one == *event).then(|| objects.intern(Kind::Event(one), arguments))
            }
            Subject::Declared(_) => None,
        }
    }
}

/// The facts about a representative, for all families.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Facts {
    /// One fact per family.
    pub of: Vec<Fact>,
}

/// The facts about a representative, for one family.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fact {
    /// If p is always true, the objects for which q is false; else those for which p is true.
    pub concerned: Set,
    /// If p may be false, the objects for which q is true.
    pub served: Set,
}

/// Computes the facts about representatives.
pub struct Marker<'m> {
    requirements: &'m Requirements,
    declared: Vec<Declared<'m>>,
}

/// A declared requirement, prepared for evaluation.
struct Declared<'m> {
    /// The objects, each with the cells of its values.
    tuples: Vec<(Object, Vec<i64>)>,
    worker: Box<dyn AtomWorker + 'm>,
}

impl<'m> Marker<'m> {
    /// Creates a marker for requirements and the conditions of the declared ones
    /// ([`System::requirement_atoms`]).
    pub fn new(
        system: &dyn System,
        requirements: &'m Requirements,
        atoms: &'m [Box<dyn Atoms + 'm>],
        objects: &mut Objects,
    ) -> Self {
        let frozen = system.indices().frozen();
        let of_declared = (0..).zip(&requirements.declared).zip(atoms);
        let declared = of_declared.map(|((k, declared), atoms)| {
            let tuples = instances(&declared.tracked, &frozen);
            let tuples = tuples.map(|instance| {
                (objects.intern(Kind::Declared(k), &instance.cells), instance.cells)
            });
            Declared { tuples: tuples.collect(), worker: atoms.worker() }
        });
        Marker { declared: declared.collect(), requirements }
    }

    /// Computes the facts of a representative into a buffer that is reused. Edges to
    /// representatives that are removed do not count.
    pub fn facts(
        &mut self,
        product: &mut impl Product,
        objects: &mut Objects,
        of: Representative,
        is_removed: &dyn Fn(Representative) -> bool,
        facts: &mut Facts,
    ) -> Result<(), Stop> {
        let Requirements { families, .. } = self.requirements;
        let facts = &mut facts.of;
        facts.resize(families.len(), Fact::default());
        for fact in &mut *facts {
            fact.concerned.clear();
            fact.served.clear();
        }
        let mut enable = |rule: u32, arguments: &[i64], target: Representative| {
            if is_removed(target) {
                return;
            }
            for (family, fact) in families.iter().zip(&mut *facts) {
                let enabled = self.requirements.executed(family, objects, rule, arguments);
                fact.concerned.extend(enabled);
            }
        };
        let generators = product.enabled(of, &mut enable)?;
        // A step represents its orbit.
        for fact in &mut *facts {
            objects.close(&mut fact.concerned, &generators);
        }
        for (family, fact) in families.iter().zip(&mut *facts) {
            let Subject::Declared(k) = family.subject else { continue };
            let declared = &mut self.declared[k as usize];
            let state = product.state(of);
            for (object, cells) in &declared.tuples {
                run::poll();
                let letter = declared
                    .worker
                    .of_state(state, cells)
                    .map_err(|failed| Stop::from(failed.fault))?;
                let (first, second) = (letter & 1 == 1, letter & 2 == 2);
                if family.is_conditional {
                    fact.concerned.extend(first.then_some(*object));
                    fact.served.extend(second.then_some(*object));
                } else {
                    fact.concerned.extend((!first).then_some(*object));
                }
            }
        }
        Ok(())
    }
}

impl Requirements {
    /// The declared requirements, if the demand includes them.
    pub(crate) fn declared(&self) -> &[RequirementSummary] {
        &self.declared
    }

    /// Whether there are declared requirements, whose conditions must be evaluated.
    pub fn has_declared(&self) -> bool {
        !self.declared.is_empty()
    }
}
