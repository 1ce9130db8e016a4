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
use crate::model::checked::{Atom, Demand, EventId, FamilyId, Formula, Model, Requirement, Rule};
use crate::model::interpret::Process;
use crate::model::syntax::{Fairness, Over, RuleFairness};
use crate::model::value::Scalar;
use crate::product::Stop;
use crate::property::instances;
use crate::quotient::{Representative, Walk};
use crate::system::layout::encode;
use crate::system::{AtomWorker, Atoms, CompiledModel, RuleSummary, System as _};
use hashbrown::HashMap;
use ltl::Formulas;

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
    /// By rule, if a process of many executes it: by the cell that says which, the family that it counts
    /// to, and its cell there. An index may be in several families.
    members: Vec<HashMap<i64, (FamilyId, i64)>>,
    /// The declared ones, as formulas without temporal operators: p, if there is one, and q.
    declared: Vec<Formula>,
}

impl Requirements {
    /// What is demanded of the runs of a model.
    pub fn new(system: &CompiledModel<'_>, demand: Demand) -> Requirements {
        let model = system.model();
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
            for (event, of) in (0..).map(EventId).zip(&model.events) {
                let subject = Subject::Event(event);
                families.extend(of.fairness.map(|fairness| Family {
                    subject,
                    is_conditional: fairness == RuleFairness::Strong,
                }));
            }
            for (k, requirement) in (0..).zip(&model.requirements) {
                let subject = Subject::Declared(k);
                families.push(Family { subject, is_conditional: requirement.premise.is_some() });
                declared.push(as_formula(requirement));
            }
        }
        let is_global = demand.fairness == Fairness::Global;
        let members = model.rules.iter().map(|rule| members(model, rule)).collect();
        Requirements { families, is_global, rules: system.rules(), members, declared }
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
        let RuleSummary { event, family: processes, member, .. } = &self.rules[rule as usize];
        match family.subject {
            Subject::Processes => {
                let Some(cell) = member else {
                    return Some(objects.intern(Kind::Process(*processes), &[]));
                };
                let (family, cell) = self.members[rule as usize][&arguments[*cell]];
                Some(objects.intern(Kind::Process(family), &[cell]))
            }
            Subject::Events => Some(objects.intern(Kind::Event(*event), arguments)),
            Subject::Event(one) => {
                (one == *event).then(|| objects.intern(Kind::Event(one), arguments))
            }
            Subject::Declared(_) => None,
        }
    }
}

/// The processes that execute a rule, by the cell that says which.
fn members(model: &Model, rule: &Rule) -> HashMap<i64, (FamilyId, i64)> {
    let Some(parameter) = rule.owner.parameter else { return HashMap::new() };
    let parameter = rule.locals[parameter.0 as usize].of;
    let values = (0..model.types.size(parameter)).map(|k| Scalar::nth(&model.types, parameter, k));
    let counted = values.map(|value| {
        let cell = encode(&model.types, parameter, value);
        let process = Process::new(model, rule.owner.family, Some(value));
        let family = model.processes[process.family.0 as usize].of.expect("it has members");
        (cell, (process.family, encode(&model.types, family, value)))
    });
    counted.collect()
}

/// A requirement as a formula whose atoms are its conditions.
fn as_formula(requirement: &Requirement) -> Formula {
    let conditions = requirement.premise.iter().chain([&requirement.conclusion]);
    let atoms = conditions.map(|condition| Atom::State {
        condition: condition.clone(),
        text: String::new(),
        antecedent: None,
    });
    Formula {
        name: requirement.name.clone(),
        text: String::new(),
        locals: requirement.locals.clone(),
        tracked: requirement.tracked.clone(),
        formulas: Formulas::new(),
        root: ltl::Formula::TRUE,
        atoms: atoms.collect(),
        under: None,
        span: requirement.span,
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
    worker: AtomWorker<'m>,
}

impl<'m> Marker<'m> {
    /// For requirements whose declared ones were compiled.
    pub fn new(
        system: &CompiledModel<'_>,
        requirements: &'m Requirements,
        atoms: &'m [Atoms<'m>],
        objects: &mut Objects,
    ) -> Self {
        let frozen = system.indices().frozen();
        let of_declared = (0..).zip(&requirements.declared).zip(atoms);
        let declared = of_declared.map(|((k, formula), atoms)| {
            let tuples = instances(&formula.tracked, &system.model().types, &frozen);
            let tuples = tuples.map(|instance| {
                let cells = atoms.tracking(&instance).cells(&instance.points).to_vec();
                (objects.intern(Kind::Declared(k), &cells), cells)
            });
            Declared { tuples: tuples.collect(), worker: atoms.worker() }
        });
        Marker { declared: declared.collect(), requirements }
    }

    /// Finds the facts of a representative, in memory that is used again. Edges that lead to what `is_removed` do not
    /// count.
    pub fn facts<W: Walk>(
        &mut self,
        walk: &mut W,
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
        if walk.is_plain() {
            walk.plain_edges(of, &mut |edge| enable(edge.rule, edge.arguments, edge.target))?;
        } else {
            let generators = walk.symmetries(of, &[]);
            for edge in walk.tracked_edges(of, &[])? {
                enable(edge.rule, &edge.arguments, edge.target);
            }
            // An edge stands for its orbit.
            for fact in &mut *facts {
                objects.close(&mut fact.concerned, &generators);
            }
        }
        for (family, fact) in families.iter().zip(&mut *facts) {
            let Subject::Declared(k) = family.subject else { continue };
            let declared = &mut self.declared[k as usize];
            let state = walk.state(of);
            for (object, cells) in &declared.tuples {
                let mut letter = [0];
                declared
                    .worker
                    .state_letter(state, cells, &mut letter)
                    .map_err(|failed| Stop::from(failed.failure))?;
                let (first, second) = (letter[0] & 1 == 1, letter[0] & 2 == 2);
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
    /// The declared ones, as formulas to be compiled.
    pub fn declared(&self) -> &[Formula] {
        &self.declared
    }
}
