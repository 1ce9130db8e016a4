//! Whether a formula is checked with partial-order reduction, or why not.

use super::question::has_assumptions;
use super::{Engine, Options, Shortening};
use crate::frontend::{FormulaOf, FrontEnd, Reducible};
use automata::silent::is_insensitive;
use automata::translate::Translator;
use engine::fairness::requirements::{Requirements, Subject};
use engine::system::Choices;
use judge::Reference as _;
use ltl::silent::is_evidently_insensitive;
use run::StopReason;
use std::fmt;
use terms::{Demand, Fairness};

/// What is done about the order of independent steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PartialOrder {
    /// Nothing: all orders are searched.
    Off,
    /// Where the steps of one process are enough, only these are searched, if that is sound for a formula
    /// and the fairness that is demanded.
    Auto,
}

/// Whether the search for a formula is reduced by partial order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduced {
    /// It is.
    Yes,
    /// It is not, for this reason.
    No(Unreduced),
}

impl Default for Reduced {
    fn default() -> Reduced {
        Reduced::No(Unreduced::Off)
    }
}

/// Why the search for a formula is not reduced by partial order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unreduced {
    /// It was not requested.
    Off,
    /// A shortest run was requested, and may not be in the reduced system.
    Shortest,
    /// The search does not store what it visits.
    Unstored,
    /// Global fairness is demanded.
    Global,
    /// The system has global assumptions.
    Assumptions,
    /// Elimination by sets reads off the edges of the product what is enabled, and fairness depends on that.
    Sets,
    /// No process has rules that concern it alone.
    NoCandidates,
    /// Steps of which no atom is true can change the truth of the formula.
    Sensitive,
    /// It was not decided whether such steps can: there are too many atoms, or a limit was reached.
    Undecided,
}

impl fmt::Display for Unreduced {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Unreduced::Off => "it was not requested",
            Unreduced::Shortest => "a shortest run may not be in the reduced system",
            Unreduced::Unstored => "a search that does not store nodes goes without it",
            Unreduced::Global => "it is not sound under global fairness",
            Unreduced::Assumptions => "the system has global assumptions",
            Unreduced::Sets => "elimination by sets needs all edges to know what is enabled",
            Unreduced::NoCandidates => "no process has rules that concern it alone",
            Unreduced::Sensitive => {
                "steps that satisfy no atom can change the truth of the formula"
            }
            Unreduced::Undecided => "the formula is too large to decide whether it may be used",
        })
    }
}

/// The choices of processes for a formula, or why there are none.
pub(super) fn choices<'q, F: FrontEnd>(
    system: &'q F,
    formula: &'q FormulaOf<F>,
    demand: Demand,
    requirements: &Requirements,
    options: &Options,
    translator: &mut Translator<'_>,
) -> Result<Result<Box<dyn Choices + 'q>, Unreduced>, StopReason> {
    let refused = [
        (options.partial_order == PartialOrder::Off, Unreduced::Off),
        (options.shortening == Shortening::Thorough, Unreduced::Shortest),
        (options.engine.is_unstored(), Unreduced::Unstored),
        (demand.fairness == Fairness::Global, Unreduced::Global),
        (has_assumptions(system), Unreduced::Assumptions),
        (options.engine == Engine::Sets && are_about_enabled(requirements), Unreduced::Sets),
    ];
    if let Some(&(_, reason)) = refused.iter().find(|(is_so, _)| *is_so) {
        return Ok(Err(reason));
    }
    let Some(Reducible { choices, of_steps }) = system.reducible(formula, demand) else {
        return Ok(Err(Unreduced::NoCandidates));
    };
    let (formulas, root) = system.reference().syntax(formula);
    if is_evidently_insensitive(formulas, root, &|atom| of_steps.contains(&atom)) {
        return Ok(Ok(choices));
    }
    let mut formulas = formulas.clone();
    match is_insensitive(translator, &mut formulas, root, &of_steps) {
        Ok(Some(true)) => Ok(Ok(choices)),
        Ok(Some(false)) => Ok(Err(Unreduced::Sensitive)),
        Err(StopReason::Interrupted) => Err(StopReason::Interrupted),
        Ok(None) | Err(_) => Ok(Err(Unreduced::Undecided)),
    }
}

/// Whether requirements are about what is enabled.
pub(super) fn are_about_enabled(requirements: &Requirements) -> bool {
    let is_declared = |subject| matches!(subject, Subject::Declared(_));
    requirements.families.iter().any(|family| !is_declared(family.subject))
}
