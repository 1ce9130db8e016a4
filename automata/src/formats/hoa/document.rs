//! A document of the format, checked, and the automaton that it describes.
//!
//! Aliases are kept as such and built once each, so that a chain of them cannot explode. Labels are
//! restricted to the letters that exist. The states keep their numbers; copies for the acceptance
//! condition ([`acceptance`](super::acceptance)) follow, and last, where several states are
//! initial, one that has the edges of all of them. Its edges carry no marks: it is never seen again.

use super::acceptance::Part;
use super::expression::Expression;
use crate::automaton::{Automaton, Builder, Marks, State};
use crate::guard::{Cube, Guard, Guards};
use crate::limits::{Limits, StopReason};
use ltl::{Alphabet, Atoms};
use std::ops::Range;

/// An automaton as it was read.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) name: Option<String>,
    /// Atomic proposition i is `Atom(i)`.
    pub(super) atoms: Atoms,
    /// An alias uses those before it only.
    pub(super) aliases: Vec<Expression<Operand>>,
    /// The different labels.
    pub(super) labels: Vec<Expression<Operand>>,
    pub(super) arcs: Vec<Arc>,
    /// For each state its edges, a range of `arcs`.
    pub(super) nodes: Vec<Range<usize>>,
    /// The initial states, all different.
    pub(super) starts: Vec<u32>,
    /// Of which a run must satisfy one.
    pub(super) parts: Vec<Part>,
}

/// What labels are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Atom(u32),
    Alias(u32),
}

/// An edge, seen from its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) letters: Letters,
    pub(super) target: u32,
    /// The marks of the sets that the acceptance condition mentions.
    pub(super) marks: Marks,
}

/// What an edge reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Letters {
    /// Those of a label.
    Label(u32),
    /// The one in which atom j is true iff bit j is set.
    Valuation(u32),
    /// While the state is being read: an edge without a label. In no document.
    Unknown,
}

impl Document {
    /// What `name:` says.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The atomic propositions, in the order of `AP:`.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Guards over the letters of this document, for [`Self::build`].
    pub fn guards<'p>(&self, limits: Limits<'p>) -> Result<Guards<'p>, StopReason> {
        let alphabet =
            Alphabet::of(&self.atoms).ok_or(StopReason::Letters(ltl::alphabet::MOST_PROFILES))?;
        let guards = Guards::over(&alphabet, limits);
        guards.check()?;
        Ok(guards)
    }

    /// The automaton, with generalized Büchi acceptance. The guards must be over the letters of
    /// [`Self::atoms`], such as [`Self::guards`] gives.
    pub fn build(&self, guards: &mut Guards) -> Result<Automaton, StopReason> {
        // No initial state, or no way to be accepted: the empty language.
        if self.starts.is_empty() || self.parts.is_empty() {
            let mut builder = Builder::new();
            let only = builder.end_state();
            return Ok(builder.finish(only, 0));
        }
        let labels = self.guards_of_labels(guards)?;
        Copies::of(self, guards.limits())?.build(self, guards, &labels)
    }

    /// The letters of each label that exist.
    fn guards_of_labels(&self, guards: &mut Guards) -> Result<Vec<Guard>, StopReason> {
        let mut aliases = Vec::with_capacity(self.aliases.len());
        for alias in &self.aliases {
            let guard = evaluate(guards, alias, &aliases);
            aliases.push(guard);
            guards.check()?;
        }
        let mut labels = Vec::with_capacity(self.labels.len());
        for label in &self.labels {
            let guard = evaluate(guards, label, &aliases);
            labels.push(guards.and(guard, guards.possible()));
            guards.check()?;
        }
        Ok(labels)
    }

    fn letters(&self, guards: &mut Guards, letters: Letters, labels: &[Guard]) -> Guard {
        match letters {
            Letters::Label(label) => labels[label as usize],
            Letters::Valuation(bits) => {
                let atoms = self.atoms.len() as u32;
                let cube: Cube = (0..atoms).map(|atom| (atom, bits >> atom & 1 == 1)).collect();
                let cube = guards.cube(&cube);
                guards.and(cube, guards.possible())
            }
            Letters::Unknown => unreachable!("every edge of a document has letters"),
        }
    }
}

fn evaluate(guards: &mut Guards, label: &Expression<Operand>, aliases: &[Guard]) -> Guard {
    match label {
        Expression::Constant(value) => {
            if *value {
                Guard::TRUE
            } else {
                Guard::FALSE
            }
        }
        Expression::Leaf(Operand::Atom(atom)) => guards.variable(*atom),
        Expression::Leaf(Operand::Alias(alias)) => aliases[*alias as usize],
        Expression::Not(operand) => {
            let operand = evaluate(guards, operand, aliases);
            guards.not(operand)
        }
        Expression::And(operands) => operands.iter().fold(Guard::TRUE, |all, operand| {
            let operand = evaluate(guards, operand, aliases);
            guards.and(all, operand)
        }),
        Expression::Or(operands) => operands.iter().fold(Guard::FALSE, |some, operand| {
            let operand = evaluate(guards, operand, aliases);
            guards.or(some, operand)
        }),
    }
}

/// The main copy and those of the parts that it does not accept itself.
struct Copies<'d> {
    /// The part that the main copy accepts.
    main: Option<&'d Part>,
    others: &'d [Part],
    sets: u32,
}

impl<'d> Copies<'d> {
    fn of(document: &'d Document, limits: Limits) -> Result<Copies<'d>, StopReason> {
        let (main, others) = match document.parts.split_first() {
            Some((first, others)) if first.avoid.is_empty() => (Some(first), others),
            _ => (None, &document.parts[..]),
        };
        let sets = document.parts.iter().map(|part| part.recur.len()).max().unwrap_or(0);
        // A main copy that accepts nothing needs a set to miss.
        let sets = if main.is_none() { sets.max(1) } else { sets };
        let copies = document.nodes.len().saturating_mul(1 + others.len());
        if copies.saturating_add(usize::from(document.starts.len() > 1)) > limits.states {
            return Err(StopReason::States(limits.states));
        }
        Ok(Copies { main, others, sets: sets as u32 })
    }

    fn build(
        &self,
        document: &Document,
        guards: &mut Guards,
        labels: &[Guard],
    ) -> Result<Automaton, StopReason> {
        let mut builder = Builder::new();
        for node in &document.nodes {
            self.main_edges(document, guards, labels, node, &mut builder, None)?;
            builder.end_state();
        }
        for (copy, part) in (1..).zip(self.others) {
            for node in &document.nodes {
                for arc in &document.arcs[node.clone()] {
                    if !part.avoid.has(arc.marks) {
                        let guard = document.letters(guards, arc.letters, labels);
                        let target = shifted(document, arc.target, copy);
                        builder.edge(guard, self.marks(part, arc.marks), target);
                    }
                }
                builder.end_state();
                check(guards, &builder)?;
            }
        }
        let initial = if let [start] = document.starts[..] {
            State(start)
        } else {
            for &start in &document.starts {
                let node = &document.nodes[start as usize];
                let marks = Some(Marks::NONE);
                self.main_edges(document, guards, labels, node, &mut builder, marks)?;
            }
            builder.end_state()
        };
        check(guards, &builder)?;
        Ok(builder.finish(initial, self.sets))
    }

    /// The edges of a state of the main copy: to the main copy and to all others, with the marks
    /// that the main copy's part says unless others are given.
    fn main_edges(
        &self,
        document: &Document,
        guards: &mut Guards,
        labels: &[Guard],
        node: &Range<usize>,
        builder: &mut Builder,
        marks: Option<Marks>,
    ) -> Result<(), StopReason> {
        for arc in &document.arcs[node.clone()] {
            let guard = document.letters(guards, arc.letters, labels);
            let own = self.main.map_or(Marks::NONE, |part| self.marks(part, arc.marks));
            for copy in 0..=self.others.len() as u32 {
                let target = shifted(document, arc.target, copy);
                builder.edge(guard, marks.unwrap_or(own), target);
            }
        }
        check(guards, builder)
    }

    /// The marks of an edge in the copy of a part.
    fn marks(&self, part: &Part, marks: Marks) -> Marks {
        let missing = Marks::first(self.sets) - Marks::first(part.recur.len() as u32);
        (0..)
            .zip(&part.recur)
            .filter(|(_, union)| union.has(marks))
            .fold(missing, |sum, (set, _)| sum | Marks::one(set))
    }
}

/// The state of a copy.
fn shifted(document: &Document, state: u32, copy: u32) -> State {
    State(state + copy * document.nodes.len() as u32)
}

fn check(guards: &Guards, builder: &Builder) -> Result<(), StopReason> {
    guards.check_size(builder.state_count(), builder.edge_count())
}
