//! Requirements: what a fair run owes to whom.
//!
//! A notion of fairness is a family of requirements, one per object x, each a pair (p, q) of x: *infinitely
//! often p implies infinitely often q*.
//!
//! | notion | p | q |
//! |---|---|---|
//! | weak, of a process or an event | true | it is disabled, or it is executed |
//! | strong, of a process or an event | it is enabled | it is executed |
//! | justice J(x) | true | J(x) |
//! | compassion (p, q)(x) | p(x) | q(x) |
//!
//! *Facts* are what is true of a representative, in its own coordinates: of families where p is always true
//! the objects that are *unserved*, that is, for which q is false of the state; of the others, those for
//! which p is true, and those for which q is. Executions are a matter of edges.

use super::objects::{Kind, Object, Objects, Set};
use crate::instances::instances;
use crate::product::{Product, Stop};
use crate::quotient::Representative;
use crate::system::{AtomWorker, Atoms, OwnerSummary, RequirementSummary, RuleSummary, System};
use terms::{Demand, EventId, Fairness, Over, RuleFairness};

/// Requirements of one form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// To whom.
    pub subject: Subject,
    /// Whether p may be false.
    pub is_conditional: bool,
}

/// Whom requirements are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// All processes.
    Processes,
    /// The instances of all events.
    Events,
    /// Those of one event.
    Event(EventId),
    /// The tuples of a declared requirement.
    Declared(u32),
}

/// All that is demanded of runs, but for global fairness.
#[derive(Debug)]
pub struct Requirements {
    /// In the order in which they are named.
    pub families: Vec<Family>,
    /// Whether every step that is possible again and again must be taken again and again.
    pub is_global: bool,
    rules: Vec<RuleSummary>,
    /// The declared ones, if they count.
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

    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && !self.is_global
    }

    /// Whether all that orbits are asked of are points, so that nothing else must be known of a group.
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

    /// The objects to which a family owes something, that a step executes.
    pub fn executed(
        &self,
        family: &Family,
        objects: &mut Objects,
        rule: u32,
        arguments: &[i64],
    ) -> Option<Object> {
        let RuleSummary { event, owner, .. } = &self.rules[rule as usize];
        match family.subject {
            Subject::Processes => Some(match owner {
                OwnerSummary::Single(family) => objects.intern(Kind::Process(*family), &[]),
                OwnerSummary::Argument { cell, members } => {
                    let (family, cell) = members[&arguments[*cell]];
                    objects.intern(Kind::Process(family), &[cell])
                }
            }),
            Subject::Events => Some(objects.intern(Kind::Event(*event), arguments)),
            Subject::Event(one) => {
                (one == *event).then(|| objects.intern(Kind::Event(one), arguments))
            }
            Subject::Declared(_) => None,
        }
    }
}

/// What is true of a representative, family by family.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Facts {
    /// One per family.
    pub of: Vec<Fact>,
}

/// What is true of a representative, for one family.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fact {
    /// If p is always true, the objects for which q is false; else those for which p is true.
    pub concerned: Set,
    /// If p may be false, the objects for which q is true.
    pub served: Set,
}

/// Says what is true of representatives.
pub struct Marker<'m> {
    requirements: &'m Requirements,
    declared: Vec<Declared<'m>>,
}

/// A declared requirement, ready to be evaluated.
struct Declared<'m> {
    /// The objects, each with the cells of its values.
    tuples: Vec<(Object, Vec<i64>)>,
    worker: Box<dyn AtomWorker + 'm>,
}

impl<'m> Marker<'m> {
    /// For requirements, and the conditions of the declared ones
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

    /// Finds the facts of a representative, in memory that is used again. Edges that lead to what `is_removed` do not
    /// count.
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
        // A step stands for its orbit.
        for fact in &mut *facts {
            objects.close(&mut fact.concerned, &generators);
        }
        for (family, fact) in families.iter().zip(&mut *facts) {
            let Subject::Declared(k) = family.subject else { continue };
            let declared = &mut self.declared[k as usize];
            let state = product.state(of);
            for (object, cells) in &declared.tuples {
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
    /// Whether there are declared requirements among them, whose conditions must be evaluated.
    pub fn has_declared(&self) -> bool {
        !self.declared.is_empty()
    }
}
