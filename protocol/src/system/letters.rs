//! Atoms of formulas and conditions of requirements, on packed states.

use super::Prepared;
use super::worker::{Loader, doing};
use crate::coding::Coding;
use crate::fault::{self, Call, Fault};
use crate::formula::{Formula, Meaning, Pattern, Process};
use crate::protocol::{Condition, Protocol};
use engine::system::atoms::Letter;
use engine::system::{AtomFault, AtomWorker, Atoms};

/// The atoms of a formula.
pub struct FormulaAtoms<'a, P: Protocol, C> {
    system: &'a Prepared<P, C>,
    formula: &'a Formula,
    /// By variable: the number of its values.
    sizes: Vec<u32>,
}

impl<'a, P: Protocol, C: Coding<P>> FormulaAtoms<'a, P, C> {
    pub(super) fn new(system: &'a Prepared<P, C>, formula: &'a Formula) -> Self {
        let types = system.declared.all.types();
        let sizes = formula.variables.iter().map(|one| types[one.of.0 as usize].size).collect();
        FormulaAtoms { system, formula, sizes }
    }
}

impl<P: Protocol, C: Coding<P>> Atoms for FormulaAtoms<'_, P, C> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        Box::new(FormulaWorker { of: self, source: Loader::new(self.system), values: Vec::new() })
    }
}

struct FormulaWorker<'a, P: Protocol, C> {
    of: &'a FormulaAtoms<'a, P, C>,
    source: Loader<P>,
    /// The arguments of an atom.
    values: Vec<(u32, u32)>,
}

impl<P: Protocol, C: Coding<P>> FormulaWorker<'_, P, C> {
    fn bind(&mut self, variables: &[usize], tracked: &[i64]) {
        let value = |&variable: &usize| (tracked[variable] as u32, self.of.sizes[variable]);
        self.values.clear();
        self.values.extend(variables.iter().map(value));
    }
}

impl<P: Protocol, C: Coding<P>> AtomWorker for FormulaWorker<'_, P, C> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        let FormulaAtoms { system, formula, .. } = self.of;
        let mut letter = 0;
        for (k, of) in formula.atoms.iter().enumerate() {
            let Meaning::Atom { atom, variables } = &of.meaning else { continue };
            let declared = &system.declared.atoms.list[*atom];
            let Condition::State(condition) = &declared.condition else { continue };
            self.bind(variables, tracked);
            self.source.load(system, state);
            self.source.beat.calls(doing::ATOM, *atom);
            let is_true = fault::call(|| condition(self.source.state(), &self.values));
            self.source.beat.rests();
            let is_true = is_true.map_err(|kind| AtomFault {
                atom: ltl::Atom(k as u32),
                fault: system.number(Fault { call: Call::Atom(declared.name.clone()), kind }),
            })?;
            letter |= Letter::from(is_true) << k;
        }
        Ok(letter)
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[i64]) -> Letter {
        let FormulaAtoms { system, formula, .. } = self.of;
        let mut letter = 0;
        for (k, of) in formula.atoms.iter().enumerate() {
            let is_true = match &of.meaning {
                Meaning::Atom { atom, variables } => {
                    let Condition::Step(condition) = &system.declared.atoms.list[*atom].condition
                    else {
                        continue;
                    };
                    self.bind(variables, tracked);
                    let (_, event) = system.step(rule, arguments);
                    // A condition on an event alone that panics is false: the judge says so, too.
                    fault::call(|| condition(&event, &self.values)).unwrap_or(false)
                }
                Meaning::Event { kind, arguments: patterns } => {
                    *kind == rule
                        && patterns.iter().all(|&(cell, pattern)| {
                            arguments[1 + cell]
                                == match pattern {
                                    Pattern::Variable(variable) => tracked[variable],
                                    Pattern::Cell(value) => value,
                                }
                        })
                }
                Meaning::By(process) => {
                    let owner = arguments[0];
                    match process {
                        Process::Any => true,
                        Process::Variable(variable) => {
                            let of = formula.variables[*variable].of;
                            owner == system.declared.first_owner(of.0 as usize) + tracked[*variable]
                        }
                        Process::Named(name) => {
                            let at = system.declared.processes.iter().position(|one| one == name);
                            at.is_some_and(|at| owner == 1 + at as i64)
                        }
                        Process::Type(of) => {
                            let first = system.declared.first_owner(of.0 as usize);
                            let after = system.declared.first_owner(of.0 as usize + 1);
                            (first..after).contains(&owner)
                        }
                    }
                }
            };
            letter |= Letter::from(is_true) << k;
        }
        letter
    }
}

/// The conditions of a declared requirement.
pub struct RequirementAtoms<'a, P: Protocol, C> {
    system: &'a Prepared<P, C>,
    requirement: usize,
    sizes: Vec<u32>,
}

impl<'a, P: Protocol, C: Coding<P>> RequirementAtoms<'a, P, C> {
    pub(super) fn new(system: &'a Prepared<P, C>, requirement: usize) -> Self {
        let all = &system.declared.all;
        let arguments = system.declared.requirements.list[requirement].arguments.iter();
        let ids = arguments.map(|&of| all.id_of_type(of).expect("declarations have been checked"));
        let sizes = ids.map(|of| all.types()[of.0 as usize].size).collect();
        RequirementAtoms { system, requirement, sizes }
    }
}

impl<P: Protocol, C: Coding<P>> Atoms for RequirementAtoms<'_, P, C> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        Box::new(RequirementWorker {
            of: self,
            source: Loader::new(self.system),
            values: Vec::new(),
        })
    }
}

struct RequirementWorker<'a, P: Protocol, C> {
    of: &'a RequirementAtoms<'a, P, C>,
    source: Loader<P>,
    values: Vec<(u32, u32)>,
}

impl<P: Protocol, C: Coding<P>> AtomWorker for RequirementWorker<'_, P, C> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        let RequirementAtoms { system, requirement, sizes } = self.of;
        let of = &system.declared.requirements.list[*requirement];
        self.values.clear();
        self.values.extend(tracked.iter().map(|&cell| cell as u32).zip(sizes.iter().copied()));
        self.source.load(system, state);
        self.source.beat.calls(doing::REQUIREMENT, *requirement);
        let (state, values) = (self.source.state(), &self.values);
        let letter = fault::call(|| match &of.premise {
            None => Letter::from((of.goal)(state, values)),
            Some(premise) => {
                Letter::from(premise(state, values)) | Letter::from((of.goal)(state, values)) << 1
            }
        });
        self.source.beat.rests();
        letter.map_err(|kind| AtomFault {
            atom: ltl::Atom(0),
            fault: system.number(Fault { call: Call::Requirement(of.name.clone()), kind }),
        })
    }

    fn of_step(&mut self, _: u32, _: &[i64], _: &[i64]) -> Letter {
        0
    }
}
