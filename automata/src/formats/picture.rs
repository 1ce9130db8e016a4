//! What pictures of automata have in common, in every format.
//!
//! All edges between two states share one arrow, a line of text each. Literals that all products of
//! a guard have in common are put before the rest; long guards are broken at ` | `, then at ` & `.

use super::label::Signs;
use super::{Label, Printable, readable};
use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::Guards;
use crate::limits::StopReason;
use ltl::Atoms;

/// Characters of a guard before a line is broken.
const WIDEST: usize = 40;
/// Acceptance sets that the caption spells out.
const SPELT_OUT: u32 = 6;

/// How acceptance is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// Not at all: every infinite run is accepting.
    Everything,
    /// By double circles.
    Circles,
    /// By discs in states.
    OnStates,
    /// By discs on edges.
    OnEdges,
}

impl Style {
    pub(super) fn of(automaton: &Automaton) -> Style {
        match (automaton.acceptance_sets(), automaton.is_state_based()) {
            (0, _) => Style::Everything,
            (1, true) => Style::Circles,
            (_, true) => Style::OnStates,
            (_, false) => Style::OnEdges,
        }
    }
}

/// What a caption says about acceptance: `Inf(0) & Inf(1) [gen. Büchi 2]`.
pub(super) struct Condition {
    /// The sets that are spelt out; none where some are left out.
    pub(super) sets: Vec<Option<u32>>,
    /// What stands in brackets.
    pub(super) kind: String,
}

impl Condition {
    pub(super) fn of(automaton: &Automaton, style: Style) -> Condition {
        let sets = automaton.acceptance_sets();
        let spelt = match sets {
            0..=SPELT_OUT => (0..sets).map(Some).collect(),
            _ => vec![Some(0), Some(1), None, Some(sets - 1)],
        };
        match (style, sets) {
            (Style::Everything, _) => {
                Condition { sets: Vec::new(), kind: "all runs accepting".to_owned() }
            }
            (Style::Circles, _) => Condition { sets: Vec::new(), kind: "Büchi".to_owned() },
            (_, 1) => Condition { sets: spelt, kind: "Büchi".to_owned() },
            (_, sets) => Condition { sets: spelt, kind: format!("gen. Büchi {sets}") },
        }
    }
}

/// All edges from one state to another.
pub(super) struct Arrow {
    pub(super) source: State,
    pub(super) target: State,
    /// For each edge the lines of its guard, and its marks.
    pub(super) edges: Vec<(Vec<String>, Marks)>,
}

impl Arrow {
    fn of(atoms: &Atoms, source: State, group: &[(&Edge, &Label)]) -> Arrow {
        let edges = group.iter().map(|(edge, label)| (wrapped(atoms, label), edge.marks));
        Arrow { source, target: group[0].0.target, edges: edges.collect() }
    }

    /// The marks of all edges.
    pub(super) fn marks(&self) -> Marks {
        self.edges.iter().fold(Marks::NONE, |sum, &(_, marks)| sum | marks)
    }
}

/// The arrows, in the order of their sources.
pub(super) fn arrows(
    guards: &mut Guards,
    printable: &Printable,
    atoms: &Atoms,
) -> Result<Vec<Arrow>, StopReason> {
    let mut arrows = Vec::new();
    for state in printable.automaton().states() {
        let edges: Vec<_> = printable.edges(state).collect();
        // Sorted by target: the edges to one target are neighbours.
        for group in edges.chunk_by(|(a, _), (b, _)| a.target == b.target) {
            arrows.push(Arrow::of(atoms, state, group));
        }
        guards.poll()?;
    }
    Ok(arrows)
}

/// The lines of a guard, broken after ` | ` and, in products that are too long themselves, ` & `.
fn wrapped(atoms: &Atoms, label: &Label) -> Vec<String> {
    let name = |atom| readable(atoms, atom);
    let mut lines = vec![String::new()];
    let mut push = |piece: &str| {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() || line.chars().count() + piece.trim_end().chars().count() <= WIDEST {
            line.push_str(piece);
        } else {
            lines.push(piece.to_owned());
        }
    };
    for product in label.factored(Signs::FORMULA, name) {
        if product.iter().map(|piece| piece.chars().count()).sum::<usize>() <= WIDEST + 3 {
            push(&product.concat());
        } else {
            for piece in &product {
                push(piece);
            }
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
