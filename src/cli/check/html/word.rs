//! A violated formula along a run: which of its parts are true where, and the automaton of its negation, which
//! accepts the run.

use super::super::super::error::Error;
use super::super::super::picture;
use super::super::words::one_line;
use crate::check::why::{FormulaOf, text};
use crate::frontend::{self, FrontEnd};
use automata::accepts::{StateLasso, accepting_run};
use automata::formats::svg;
use automata::limits::Limits;
use automata::translate::{Acceptance, Effort, Translator};
use judge::Reference;
use ltl::formula::Formula as Part;
use ltl::word::Lasso;
use ltl::{AtomKind, Atoms};
use serde::Serialize;
use std::collections::HashSet;

/// Nobody reads more parts of a formula.
const MOST_PARTS: usize = 60;
/// More states of an automaton are no pleasure to look at.
const MOST_STATES: usize = 100;
/// More edges neither.
const MOST_EDGES: usize = 600;

/// A part of a formula.
#[derive(Serialize)]
pub(super) struct PartData {
    text: String,
    /// How deep it is inside of the formula.
    depth: usize,
    /// A `1` for each position where it is true, a `0` where it is false.
    truth: String,
}

/// A run of the automaton of the negation that accepts the word of the run.
#[derive(Serialize)]
pub(super) struct AutomatonData {
    /// Its states before each step, and from where on they come again.
    states: Vec<u32>,
    again: usize,
    #[serde(skip)]
    pub(super) picture: String,
}

/// The formula, then its parts, from left to right, each one once.
pub(super) fn parts<R: Reference>(
    reference: &R,
    formula: &FormulaOf<R>,
    word: &Lasso,
) -> Vec<PartData> {
    let (formulas, root) = reference.syntax(formula);
    let truth = word.truth(formulas, root);
    let mut told: HashSet<Part> = HashSet::new();
    let mut found = Vec::new();
    let mut open = vec![(root, 0)];
    while let Some((part, depth)) = open.pop() {
        if !told.insert(part) || found.len() == MOST_PARTS {
            continue;
        }
        let bit = |&is_true: &bool| if is_true { '1' } else { '0' };
        found.push(PartData {
            text: one_line(&text(reference, formula, part)),
            depth,
            truth: truth.row(part).iter().map(bit).collect(),
        });
        let mut operands: Vec<_> = formulas.operands(part).collect();
        operands.reverse();
        open.extend(operands.into_iter().map(|operand| (operand, depth + 1)));
    }
    found
}

/// The automaton, unless it is too large for a picture.
pub(super) fn automaton<F: FrontEnd>(
    system: &F,
    formula: &frontend::FormulaOf<F>,
    word: &Lasso,
    prefix: &str,
    limits: Limits<'_>,
) -> Result<Option<AutomatonData>, Error> {
    let alphabet = system.alphabet(formula);
    let reference = system.reference();
    let (formulas, root) = reference.syntax(formula);
    let mut formulas = formulas.clone();
    let negation = formulas.not(root);
    let mut translator = Translator::new(&alphabet, Effort::High, limits);
    let automaton = translator.translate(&mut formulas, negation, Acceptance::Generalized)?;
    if automaton.state_count() > MOST_STATES || automaton.all_edges().len() > MOST_EDGES {
        return Ok(None);
    }
    let Some(run) = accepting_run(&translator.guards, &automaton, word) else {
        return Err(Error::Internal(
            "the automaton of the negation does not accept a counterexample".to_owned(),
        ));
    };
    let atoms = atoms(reference, formula);
    let name = format!("not {}", one_line(&text(reference, formula, root)));
    let graph = svg::graph(&mut translator.guards, &automaton, &atoms, Some(&name))?;
    let picture = picture::svg(&graph, prefix, &mut || translator.guards.poll())?;
    let StateLasso { stem, cycle } = run;
    let again = stem.len();
    let states = stem.into_iter().chain(cycle).map(|state| state.0).collect();
    Ok(Some(AutomatonData { states, again, picture }))
}

/// The atoms by what they say.
fn atoms<R: Reference>(reference: &R, formula: &FormulaOf<R>) -> Atoms {
    let mut atoms = Atoms::new();
    for number in 0..reference.atoms(formula) {
        let k = number as usize;
        let mut text = one_line(&reference.atom_text(formula, ltl::Atom(number)));
        let event = text.parse().map(AtomKind::Event);
        let mut id = atoms.intern(event.unwrap_or_else(|_| AtomKind::Proposition(text.clone())));
        // Two atoms that are written alike are two atoms still.
        while id.index() != k {
            text.push('\'');
            id = atoms.proposition(&text);
        }
    }
    atoms
}
