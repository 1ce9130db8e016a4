//! What the first pass has left, written out for the others.
//!
//! Records are read once more, and then no longer. They are about (r, l), have edges for all states
//! of the automaton, and take few bytes; passes go along the same edges many times, from node to
//! node. So nodes get consecutive numbers here, in the order of their (r, l) and states, and an edge
//! takes eight bytes: its target, and its *label*, the number of all else that passes must know of
//! it. Edges that passes cannot tell apart have the same label.
//!
//! Nodes are divided into chunks, whose edges are written by any thread.

use super::families::Families;
use super::reach::Reached;
use super::rows::Rows;
use crate::narrow::to_u32;
use automata::Marks;
use hashbrown::HashMap;
use run::StopReason;
use std::ops::Range;
use std::sync::OnceLock;

/// The nodes of a chunk, a multiple of 64.
pub(super) const CHUNK: u32 = 2048;

/// The part of the product that passes work on.
pub(super) struct Inner {
    /// The nodes, and by (r, l) the number of the first node over it.
    all: Rows,
    first: Vec<u32>,
    count: u32,
    /// By chunk: the (r, l) of its first node.
    begins: Vec<u32>,
    labels: Vec<Label>,
    /// By kind of edge: its first label; the others are for the other marks, in this order.
    of_kind: Vec<u32>,
    marks: Vec<Marks>,
    parts: Box<[OnceLock<Part>]>,
}

/// What passes must know of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label {
    pub(super) permutation: u32,
    pub(super) action: u32,
    /// The acceptance sets that the edge is in; none if nothing depends on them.
    pub(super) marks: Marks,
}

/// An edge out of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) target: u32,
    pub(super) label: u32,
}

/// The nodes of a chunk.
#[derive(Default)]
pub(super) struct Part {
    first: u32,
    /// By node: where its edges begin, and one more bound.
    bounds: Vec<u32>,
    edges: Vec<Edge>,
    /// By node: the number of the facts about its state.
    facts: Vec<u32>,
}

impl Part {
    /// The edges out of a node of the chunk.
    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        let at = (node - self.first) as usize;
        &self.edges[self.bounds[at] as usize..self.bounds[at + 1] as usize]
    }

    /// The number of the facts about a node of the chunk.
    #[inline]
    pub(super) fn fact(&self, node: u32) -> u32 {
        self.facts[(node - self.first) as usize]
    }
}

impl Inner {
    /// Numbers these nodes. Edges are not written yet.
    pub(super) fn new(
        found: &Reached,
        families: &Families,
        all: Rows,
        needs_marks: bool,
    ) -> Result<Inner, StopReason> {
        let mut first = run::memory::try_filled(0_u32, all.len())?;
        let (mut count, mut begins) = (0_u32, Vec::new());
        for base in all.filled(0..all.len()) {
            run::poll();
            first[base] = count;
            let more = count.checked_add(all.count_of(base));
            count = more.ok_or(StopReason::States(u32::MAX as usize))?;
            begins.resize(count.div_ceil(CHUNK) as usize, to_u32(base));
        }
        let marks = if needs_marks { found.inner.marks() } else { vec![Marks::NONE] };
        let (of_kind, labels) = labels(found, families, &marks)?;
        let parts = begins.iter().map(|_| OnceLock::new()).collect();
        Ok(Inner { all, first, count, begins, labels, of_kind, marks, parts })
    }

    /// The number of nodes.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.begins.len()
    }

    /// The chunk of a node.
    #[inline]
    pub(super) fn chunk_of(node: u32) -> usize {
        (node / CHUNK) as usize
    }

    /// The nodes of a chunk.
    pub(super) fn nodes(&self, chunk: usize) -> Range<u32> {
        let first = to_u32(chunk) * CHUNK;
        first..self.count.min(first.saturating_add(CHUNK))
    }

    /// What was written of a chunk.
    #[inline]
    pub(super) fn part(&self, chunk: usize) -> &Part {
        self.parts[chunk].get().expect("all chunks are written first")
    }

    /// A label by its number.
    #[inline]
    pub(super) fn label(&self, number: u32) -> Label {
        self.labels[number as usize]
    }

    /// The nodes by (r, l).
    pub(super) fn rows(&self) -> Rows {
        self.all.copied()
    }

    /// The (r, l) of a chunk: those whose first node is in it.
    pub(super) fn bases(&self, chunk: usize) -> impl Iterator<Item = usize> + '_ {
        let nodes = self.nodes(chunk);
        self.near(chunk).filter(move |&base| self.first[base] >= nodes.start)
    }

    /// The nodes over (r, l), each with its state of the automaton.
    #[inline]
    pub(super) fn over(&self, base: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        (self.first[base]..).zip(self.all.bits(base))
    }

    /// The (r, l) with nodes in a chunk.
    fn near(&self, chunk: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes(chunk).end;
        let bases = self.all.filled(self.begins[chunk] as usize..self.all.len());
        bases.take_while(move |&base| self.first[base] < end)
    }

    #[inline]
    fn number(&self, base: usize, state: u32) -> u32 {
        self.first[base] + self.all.before(base, state)
    }

    /// Writes the edges of a chunk, and returns them; `facts` returns the number of the facts about
    /// (r, l).
    pub(super) fn write(
        &self,
        found: &Reached,
        chunk: usize,
        mut facts: impl FnMut(usize) -> u32,
    ) -> Result<&[Edge], StopReason> {
        let nodes = self.nodes(chunk);
        let mut part = Part { first: nodes.start, bounds: vec![0], ..Part::default() };
        for base in self.near(chunk) {
            run::poll();
            let number = facts(base);
            let edges = found.records.get(to_u32(base)).edges;
            for (node, state) in self.over(base) {
                if !nodes.contains(&node) {
                    continue;
                }
                for (target, kind) in edges.clone() {
                    let letter = found.kinds[kind as usize].letter;
                    for &(to, marks) in found.inner.of(letter, state) {
                        if !self.all.contains(target as usize, to) {
                            continue;
                        }
                        let target = self.number(target as usize, to);
                        let label = self.of_kind[kind as usize] + self.place_of(marks);
                        part.edges.push(Edge { target, label });
                    }
                }
                let bound = u32::try_from(part.edges.len());
                part.bounds.push(bound.map_err(|_| StopReason::Edges(u32::MAX as usize))?);
                part.facts.push(number);
            }
        }
        part.edges.shrink_to_fit();
        Ok(&self.parts[chunk].get_or_init(|| part).edges)
    }

    /// The place of marks among all; 0 if nothing depends on them.
    #[inline]
    fn place_of(&self, marks: Marks) -> u32 {
        if self.marks.len() == 1 {
            return 0;
        }
        to_u32(self.marks.iter().position(|&one| one == marks).expect("all were collected"))
    }
}

/// By kind of edge its first label, and the labels: one for each pair of a permutation and of what
/// the step serves, and for each of these marks.
fn labels(
    found: &Reached,
    families: &Families,
    marks: &[Marks],
) -> Result<(Vec<u32>, Vec<Label>), StopReason> {
    let mut numbers: HashMap<(u32, &[u64]), u32> = HashMap::new();
    let (mut of_kind, mut labels) = (Vec::with_capacity(found.kinds.len()), Vec::new());
    for kind in &found.kinds {
        run::poll();
        let key = if families.is_empty() {
            (0, &[][..])
        } else {
            (kind.permutation, families.executed(kind.action))
        };
        let first = u32::try_from(labels.len());
        let first = first.map_err(|_| StopReason::Edges(u32::MAX as usize))?;
        let number = *numbers.entry(key).or_insert(first);
        if number == first {
            let (permutation, action) = (kind.permutation, kind.action);
            labels.extend(marks.iter().map(|&marks| Label { permutation, action, marks }));
        }
        of_kind.push(number);
    }
    Ok((of_kind, labels))
}
