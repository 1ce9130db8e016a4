//! Atoms of formulas and conditions of requirements, on packed states.

use super::Prepared;
use super::worker::Evaluator;
use crate::code::Position;
use crate::fault::{self, Call, Fault};
use crate::formula::{Formula, Meaning, Pattern, Process};
use engine::system::atoms::Letter;
use engine::system::{AtomFault, AtomWorker, Atoms};

/// The atoms of a formula.
pub struct FormulaAtoms<'a> {
    system: &'a Prepared,
    formula: &'a Formula,
    /// By variable: the number of its values.
    sizes: Vec<u32>,
}

impl<'a> FormulaAtoms<'a> {
    pub(super) fn new(system: &'a Prepared, formula: &'a Formula) -> Self {
        let types = system.declared.all.types();
        let sizes = formula.variables.iter().map(|one| types[one.of.0 as usize].size).collect();
        FormulaAtoms { system, formula, sizes }
    }
}

impl Atoms for FormulaAtoms<'_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        let evaluator = self.system.code.evaluator(self.system);
        Box::new(FormulaWorker { of: self, evaluator, values: Vec::new() })
    }
}

struct FormulaWorker<'a> {
    of: &'a FormulaAtoms<'a>,
    evaluator: Box<dyn Evaluator + 'a>,
    /// The arguments of an atom.
    values: Vec<Position>,
}

impl FormulaWorker<'_> {
    fn bind(&mut self, variables: &[usize], tracked: &[i64]) {
        let value = |&variable: &usize| (tracked[variable] as u32, self.of.sizes[variable]);
        self.values.clear();
        self.values.extend(variables.iter().map(value));
    }
}

impl AtomWorker for FormulaWorker<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        let FormulaAtoms { system, formula, .. } = self.of;
        let mut letter = 0;
        for (k, of) in formula.atoms.iter().enumerate() {
            let Meaning::Atom { atom, variables } = &of.meaning else { continue };
            let declared = &system.declared.atoms[*atom];
            if declared.is_of_steps {
                continue;
            }
            self.bind(variables, tracked);
            let is_true = self.evaluator.atom(state, *atom, &self.values);
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
                    if !system.declared.atoms[*atom].is_of_steps {
                        continue;
                    }
                    self.bind(variables, tracked);
                    let (_, event) = system.step(rule, arguments);
                    // A condition on an event alone that panics is false: the judge says so, too.
                    fault::call(|| system.code.atom_of_event(*atom, &event, &self.values))
                        .unwrap_or(false)
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
pub struct RequirementAtoms<'a> {
    system: &'a Prepared,
    requirement: usize,
    sizes: Vec<u32>,
}

impl<'a> RequirementAtoms<'a> {
    pub(super) fn new(system: &'a Prepared, requirement: usize) -> Self {
        let all = &system.declared.all;
        let arguments = system.declared.requirements[requirement].arguments.iter();
        let ids = arguments.map(|&of| all.id_of_type(of).expect("declarations have been checked"));
        let sizes = ids.map(|of| all.types()[of.0 as usize].size).collect();
        RequirementAtoms { system, requirement, sizes }
    }
}

impl Atoms for RequirementAtoms<'_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        let evaluator = self.system.code.evaluator(self.system);
        Box::new(RequirementWorker { of: self, evaluator, values: Vec::new() })
    }
}

struct RequirementWorker<'a> {
    of: &'a RequirementAtoms<'a>,
    evaluator: Box<dyn Evaluator + 'a>,
    values: Vec<Position>,
}

impl AtomWorker for RequirementWorker<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        let RequirementAtoms { system, requirement, sizes } = self.of;
        self.values.clear();
        self.values.extend(tracked.iter().map(|&cell| cell as u32).zip(sizes.iter().copied()));
        let letter = self.evaluator.requirement(state, *requirement, &self.values);
        letter.map_err(|kind| {
            let name = system.declared.requirements[*requirement].name.clone();
            let fault = system.number(Fault { call: Call::Requirement(name), kind });
            AtomFault { atom: ltl::Atom(0), fault }
        })
    }

    fn of_step(&mut self, _: u32, _: &[i64], _: &[i64]) -> Letter {
        0
    }
}
