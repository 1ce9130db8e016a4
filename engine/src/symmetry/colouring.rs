//! Colours of points by the facts that a state contains about them, refined until nothing
//! distinguishes points of one colour.
//!
//! The facts of a state are a list: at column c, a cell at the points (and slots of multisets) v₁ …
//! vₖ holds a number, or the point u. Two vertices of one colour get different colours if the facts
//! around them differ, where other vertices are represented by their colours; and so on to a fixed
//! point (colour refinement). All that is computed here is the same for a state and for a permuted
//! one, with the vertices renamed: in particular the order of the colours. Facts are represented by
//! hash values: if two collide, a cell is not split although it could be, in the state and in its
//! images, and the search that follows has more to do. So no result depends on them.

use super::Point;
use super::action::Action;
use super::canonical::Order;
use super::search::{SearchInput, Vertex};
use crate::system::layout::PRESENT;
use std::ops::Range;
use terms::Group;

/// The facts about points that states of a layout contain, except those in keys.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    all: Vec<Fact>,
    vertices: Vec<Vertex>,
    /// The number of points; slots are the vertices after them.
    points: usize,
    /// The number of vertices.
    pub(super) count: usize,
    /// By slot: the cell that says whether it has an element, and the column of that cell.
    slots: Vec<(u32, u32)>,
}

/// A fact: the content of one cell.
#[derive(Clone, Copy, Debug)]
struct Fact {
    cell: u32,
    /// The initial hash value, by whether the cell holds a number or a point.
    seeds: [u64; 2],
    /// The range of its entries in `vertices`.
    start: u32,
    end: u32,
    /// For a cell in a multiset: the cell that says whether its slot has an element.
    present: Option<u32>,
    holds_points: bool,
}

/// Mixes two words into one hash value.
#[inline]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ (product >> 64) as u64
}

impl Facts {
    /// All facts that are not in keys.
    pub(super) fn of(action: &Action) -> Facts {
        let points = action.indices().points();
        let slots: Vec<(u32, u32)> =
            action.present().iter().map(|&cell| (cell, action.column(cell as usize))).collect();
        let mut facts = Facts {
            all: Vec::new(),
            vertices: Vec::new(),
            points,
            count: points + slots.len(),
            slots,
        };
        for &cell in action.related() {
            let cell = cell as usize;
            let (subscripts, slots) = (action.subscripts(cell), action.slots(cell));
            let holds_points = action.may_hold_points(cell);
            let start = facts.vertices.len() as u32;
            let seed = mix(u64::from(action.column(cell)), 1);
            facts.vertices.extend(subscripts.iter().map(|one| one.point));
            facts.vertices.extend(slots.iter().map(|&slot| (points + slot as usize) as Vertex));
            facts.all.push(Fact {
                cell: cell as u32,
                seeds: [mix(seed, 0), mix(seed, 1)],
                start,
                end: facts.vertices.len() as u32,
                present: slots.last().map(|&slot| action.present()[slot as usize]),
                holds_points,
            });
        }
        facts
    }

    /// Sums up the facts about every open vertex.
    fn sign(
        &self,
        action: &Action,
        cells: &[i64],
        colours: &[u32],
        signatures: &mut [u64],
        is_open: impl Fn(Vertex) -> bool,
    ) {
        signatures.fill(0);
        for fact in &self.all {
            if fact.present.is_some_and(|cell| cells[cell as usize] != PRESENT) {
                continue;
            }
            let value = cells[fact.cell as usize];
            let held =
                if fact.holds_points { action.point(fact.cell as usize, value) } else { None };
            let vertices = &self.vertices[fact.start as usize..fact.end as usize];
            if !held.is_some_and(&is_open) && !vertices.iter().any(|&vertex| is_open(vertex)) {
                continue;
            }
            let mut told = match held {
                Some(point) => mix(fact.seeds[1], u64::from(colours[point as usize])),
                // All bits of the value: only the highest one is set if it is undefined.
                None => mix(fact.seeds[0], value as u64),
            };
            for (k, &vertex) in vertices.iter().enumerate() {
                told = mix(told, u64::from(colours[vertex as usize]));
                // Equal vertices are part of the fact.
                for (j, &other) in vertices[..k].iter().enumerate() {
                    if other == vertex {
                        told = mix(told, (k << 8 | j) as u64 + 1);
                    }
                }
                if held == Some(vertex) {
                    told = mix(told, !(k as u64));
                }
            }
            for (k, &vertex) in vertices.iter().enumerate() {
                if is_open(vertex) {
                    let signature = &mut signatures[vertex as usize];
                    *signature = signature.wrapping_add(mix(told, k as u64 + 2));
                }
            }
            if let Some(point) = held.filter(|&point| is_open(point)) {
                let signature = &mut signatures[point as usize];
                *signature = signature.wrapping_add(mix(told, 1));
            }
        }
    }
}

/// An ordered partition of the vertices into cells of one colour.
#[derive(Clone, Debug, Default)]
pub(super) struct Colouring {
    /// The vertices, cell by cell.
    pub(super) order: Vec<Vertex>,
    /// By vertex: its colour, which is where its cell starts in `order`. Vertices that are not in
    /// `order` (points of other types and empty slots) have the colour 0, which they never share in
    /// a fact with others.
    pub(super) colour: Vec<u32>,
    /// The number of points in `order`: they come first.
    points: usize,
}

impl Colouring {
    /// Copies another colouring and reuses the memory of this one.
    pub(super) fn copy_from(&mut self, other: &Colouring) {
        self.order.clone_from(&other.order);
        self.colour.clone_from(&other.colour);
        self.points = other.points;
    }

    /// Whether no two points have the same colour. Then no refinement is possible.
    pub(super) fn is_discrete(&self) -> bool {
        let points = self.order[..self.points].iter().enumerate();
        points.into_iter().all(|(at, &point)| self.colour[point as usize] as usize == at)
    }

    /// The end of the cell that starts here.
    pub(super) fn end(&self, start: usize) -> usize {
        let colour = start as u32;
        let rest = self.order[start..].iter();
        start + rest.take_while(|&&vertex| self.colour[vertex as usize] == colour).count()
    }

    /// The coarsest colouring of some types and of the slots: by type and key, and by multiset.
    pub(super) fn first(&mut self, subject: &SearchInput<'_>, scratch: &mut Scratch) {
        let &SearchInput { facts, cells, .. } = subject;
        self.order.clear();
        self.colour.clear();
        self.colour.resize(facts.count, 0);
        for (keys, Order { read, points, .. }) in subject.types.iter().zip(subject.orders) {
            let start = self.order.len();
            let key = |point: Point| keys.key(&read.keys, (point - keys.points.start) as usize);
            if keys.group == Group::Full {
                self.order.extend(points.iter().map(|&k| keys.points.start + k));
            } else {
                self.order.extend(keys.points.clone());
                self.order[start..].sort_by(|&a, &b| key(a).cmp(key(b)));
            }
            self.colour_runs(start, |a, b| key(a) == key(b));
        }
        let start = self.order.len();
        self.points = start;
        let slots = &facts.slots;
        let present = |&slot: &u32| cells[slots[slot as usize].0 as usize] == PRESENT;
        let present = (0..slots.len() as u32).filter(present);
        self.order.extend(present.map(|slot| facts.points as u32 + slot));
        let column = |vertex: Vertex| slots[vertex as usize - facts.points].1;
        // Slots of one column are adjacent only if no array is around them.
        self.order[start..].sort_by_key(|&vertex| column(vertex));
        self.colour_runs(start, |a, b| column(a) == column(b));
        scratch.signatures.resize(facts.count, 0);
    }

    fn colour_runs(&mut self, start: usize, is_same: impl Fn(Vertex, Vertex) -> bool) {
        let mut colour = start;
        for at in start..self.order.len() {
            if at > start && !is_same(self.order[at - 1], self.order[at]) {
                colour = at;
            }
            self.colour[self.order[at] as usize] = colour as u32;
        }
    }

    /// Refines the colouring as far as the facts distinguish vertices. Returns a trace of the
    /// signatures, which is the same for permuted states.
    pub(super) fn refine(
        &mut self,
        action: &Action,
        facts: &Facts,
        cells: &[i64],
        scratch: &mut Scratch,
    ) -> u64 {
        let mut trace = 0;
        while !self.is_discrete() {
            let signatures = &mut scratch.signatures;
            facts.sign(action, cells, &self.colour, signatures, |_| true);
            let mut split = false;
            let mut start = 0;
            while start < self.order.len() {
                let end = self.end(start);
                let cell = &mut self.order[start..end];
                let signature = |vertex: Vertex| signatures[vertex as usize];
                if cell.iter().all(|&vertex| signature(vertex) == signature(cell[0])) {
                    trace = mix(trace, mix(start as u64, signature(cell[0])));
                } else {
                    split = true;
                    cell.sort_unstable_by_key(|&vertex| (signature(vertex), vertex));
                    let mut colour = start;
                    for at in start..end {
                        let vertex = self.order[at];
                        if at == start || signature(self.order[at - 1]) != signature(vertex) {
                            colour = at;
                            trace = mix(trace, mix(at as u64, signature(vertex)));
                        }
                        self.colour[vertex as usize] = colour as u32;
                    }
                }
                start = end;
            }
            if !split {
                break;
            }
        }
        trace
    }

    /// Refines the colouring as far as the facts distinguish points that are not interchangeable,
    /// where there are no slots: the result is that of [`Colouring::refine`]. Returns whether every
    /// cell is one class of interchangeable points then; `class` gives the least point of every
    /// point's class.
    ///
    /// A fact about a point is also one about those that are interchangeable with it. So a cell
    /// that is one class is never split; it is *closed*, and facts about points in closed cells
    /// only are skipped. Cells are split by the same signatures as in [`Colouring::refine`], hence
    /// into the same order.
    pub(super) fn refine_open(
        &mut self,
        subject: &SearchInput<'_>,
        class: &[Point],
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { signatures, is_open, open, next } = scratch;
        open.clear();
        is_open.clear();
        is_open.resize(self.colour.len(), false);
        let mut start = 0;
        while start < self.order.len() {
            let end = self.end(start);
            open_if_mixed(&self.order, start..end, class, is_open, open);
            start = end;
        }
        while !open.is_empty() {
            let &SearchInput { action, facts, cells, .. } = subject;
            facts.sign(action, cells, &self.colour, signatures, |at| is_open[at as usize]);
            let signature = |vertex: Vertex| signatures[vertex as usize];
            let mut split = false;
            for cell in open.drain(..) {
                let points = &mut self.order[cell.clone()];
                if points.iter().all(|&point| signature(point) == signature(points[0])) {
                    next.push(cell);
                    continue;
                }
                split = true;
                points.sort_unstable_by_key(|&point| (signature(point), point));
                let mut from = cell.start;
                for at in cell.start..=cell.end {
                    let is_end =
                        at == cell.end || signature(self.order[at]) != signature(self.order[from]);
                    if is_end {
                        open_if_mixed(&self.order, from..at, class, is_open, next);
                        from = at;
                    }
                    if at < cell.end {
                        self.colour[self.order[at] as usize] = from as u32;
                    }
                }
            }
            std::mem::swap(open, next);
            if !split {
                return false;
            }
        }
        true
    }

    /// Puts some vertices of a cell before the others, as a cell of their own.
    pub(super) fn prefer(&mut self, start: usize, end: usize, is_first: impl Fn(Vertex) -> bool) {
        let cell = &mut self.order[start..end];
        cell.sort_by_key(|&vertex| !is_first(vertex));
        let first = cell.iter().take_while(|&&vertex| is_first(vertex)).count();
        for &vertex in &self.order[start + first..end] {
            self.colour[vertex as usize] = (start + first) as u32;
        }
    }

    /// Puts the points of a type in this order, each as a cell of its own.
    pub(super) fn arrange(&mut self, start: usize, points: impl Iterator<Item = Point>) {
        for (at, point) in (start..).zip(points) {
            self.order[at] = point;
            self.colour[point as usize] = at as u32;
        }
    }
}

/// Adds a cell to `open`, and marks its points as open, if they are of several classes.
fn open_if_mixed(
    order: &[Vertex],
    cell: Range<usize>,
    class: &[Point],
    is_open: &mut [bool],
    open: &mut Vec<Range<usize>>,
) {
    let points = &order[cell.clone()];
    let is_mixed = points.iter().any(|&point| class[point as usize] != class[points[0] as usize]);
    for &point in points {
        is_open[point as usize] = is_mixed;
    }
    if is_mixed {
        open.push(cell);
    }
}

/// Memory that refinements reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    signatures: Vec<u64>,
    /// By vertex: whether it is in a cell that is open.
    is_open: Vec<bool>,
    /// The open cells of this round, and those of the next one.
    open: Vec<Range<usize>>,
    next: Vec<Range<usize>>,
}
