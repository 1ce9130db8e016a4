//! Automata as texts: HOA both ways ([`hoa`]), pictures ([`dot`], [`svg`]), claims for Spin ([`mod@never`]),
//! [`json`], and their sizes ([`statistics`]).
//!
//! All writers print the same automaton, a [`Printable`]: edges of a state that agree in target and
//! marks are merged into one, the edges of a state are sorted by target and marks, and labels are
//! irredundant sums of products modulo the letters that exist ([`label`]). So the text depends on
//! the automaton alone, not on the history of its guards.
//!
//! A writer needs decision diagrams for this, and so it can meet a limit: then there is no text.

pub mod label;
pub mod hoa;
mod picture;
pub mod dot;
pub mod svg;
pub mod never;
pub mod json;
pub mod statistics;

pub use label::Label;
pub use never::NotPromela;
pub use statistics::Statistics;

use crate::automaton::{Automaton, Builder, Edge, State};
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
use hashbrown::HashMap;
use ltl::{Atom, AtomKind, Atoms};
use std::collections::BTreeSet;

/// The same automaton with parallel edges merged: those of a state that have target and marks in
/// common become one, read by the union of their letters. The edges of a state come out sorted by
/// target, then marks.
pub fn merge_parallel(guards: &mut Guards, automaton: &Automaton) -> Result<Automaton, StopReason> {
    let mut builder = Builder::new();
    let mut edges: Vec<Edge> = Vec::new();
    for state in automaton.states() {
        edges.clear();
        edges.extend_from_slice(automaton.edges(state));
        edges.sort_unstable_by_key(|edge| (edge.target, edge.marks));
        let alike = |a: &Edge, b: &Edge| (a.target, a.marks) == (b.target, b.marks);
        for group in edges.chunk_by(alike) {
            let guard = group.iter().fold(Guard::FALSE, |sum, edge| guards.or(sum, edge.guard));
            builder.edge(guard, group[0].marks, group[0].target);
        }
        builder.end_state();
        guards.check()?;
    }
    Ok(builder.finish(automaton.initial(), automaton.acceptance_sets()))
}

/// An automaton as it is printed.
#[derive(Clone, Debug)]
pub struct Printable {
    /// Parallel edges are merged.
    automaton: Automaton,
    /// The different labels.
    labels: Vec<Label>,
    /// For each edge, by its position in [`Automaton::all_edges`], its label.
    label_of: Vec<u32>,
    /// The atoms that some label mentions, ascending.
    atoms: Vec<Atom>,
}

impl Printable {
    /// Merges parallel edges and writes labels as sums of products.
    pub fn new(guards: &mut Guards, automaton: &Automaton) -> Result<Printable, StopReason> {
        let automaton = merge_parallel(guards, automaton)?;
        let (mut labels, mut known) = (Vec::new(), HashMap::new());
        let mut label_of = Vec::with_capacity(automaton.all_edges().len());
        for edge in automaton.all_edges() {
            let id = *known.entry(edge.guard).or_insert(labels.len() as u32);
            if id as usize == labels.len() {
                labels.push(Label::of(guards, edge.guard)?);
            }
            label_of.push(id);
        }
        let atoms: BTreeSet<Atom> = labels.iter().flat_map(Label::atoms).collect();
        Ok(Printable { automaton, labels, label_of, atoms: atoms.into_iter().collect() })
    }

    /// The automaton with parallel edges merged.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The atoms that some label mentions, ascending.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The edges of a state with their labels.
    pub fn edges(&self, state: State) -> impl Iterator<Item = (&Edge, &Label)> {
        let range = self.automaton.edge_range(state);
        let labels = self.label_of[range.clone()].iter().map(|&id| &self.labels[id as usize]);
        self.automaton.all_edges()[range].iter().zip(labels)
    }

    /// The label of each edge as the function that its text means, impossible letters included.
    fn literal_guards(&self, guards: &mut Guards) -> Result<Vec<Guard>, StopReason> {
        let functions: Vec<_> = self.labels.iter().map(|label| label.function(guards)).collect();
        guards.check()?;
        Ok(self.label_of.iter().map(|&id| functions[id as usize]).collect())
    }
}

/// What the labels of the states' edges say: whether no two of a state share a letter, and for each
/// state the letters that some edge reads.
fn coverage(
    guards: &mut Guards,
    automaton: &Automaton,
    labels: &[Guard],
) -> Result<(bool, Vec<Guard>), StopReason> {
    let mut deterministic = true;
    let mut covered = Vec::with_capacity(automaton.state_count());
    for state in automaton.states() {
        let mut read = Guard::FALSE;
        for &label in &labels[automaton.edge_range(state)] {
            deterministic &= !guards.intersects(read, label);
            read = guards.or(read, label);
        }
        covered.push(read);
        guards.check()?;
    }
    Ok((deterministic, covered))
}

/// An atom as people read it: `request`, `"x > 1"`, `@grant(c)`.
fn readable(atoms: &Atoms, atom: Atom) -> String {
    match atoms.kind(atom) {
        AtomKind::Proposition(name) if is_plain(name) => name.clone(),
        AtomKind::Proposition(name) => ltl::atoms::quoted(name),
        AtomKind::Event(pattern) => pattern.to_string(),
    }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
