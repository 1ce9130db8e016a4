//! The least image of a state where keys do not tell everything: a search by individualisation and
//! refinement, after [`MCK81`](crate::papers::MCK81).
//!
//! ```text
//! (S1)  search(colouring):
//! (S2)    if every cell is one class of interchangeable points:
//! (S3)      order the points by their colours; compare the image of the state with the best so far
//! (S4)    choose a cell of several classes
//! (S5)    for each class in it, unless known to be like one before:
//! (S6)      colour the class before the rest of the cell, refine, search
//! ```
//!
//! Points i, j of a type with all permutations are *interchangeable* if swapping them leaves the state
//! as it is. That is an equivalence, and its classes do not depend on the search; so classes, not
//! points, are what (S5) goes through, and n equal points cost nothing. A type that is a ring is
//! ordered at once, by where it begins (a point of its smallest cell) and in which direction it goes.
//!
//! Where all types have all permutations, classes are found before the first refinement, which then
//! looks at what is open only; most states are decided by that, and have no more than one leaf.
//!
//! *Exact.* What (S4) chooses and what colourings look like is the same for a state and for its
//! images, hence so is the set of leaves, and the least of them (by the traces of the refinements on
//! the way, then by the image) depends on the orbit alone. A branch whose trace is greater than that
//! of the best cannot lead to the least leaf. Two leaves with equal images differ by a symmetry of the
//! state; if some known symmetries that fix the classes chosen so far take one candidate of (S5) to
//! another, the leaves behind both have equal images, and one is enough.
//!
//! *Complete.* Together with the swaps inside classes, the symmetries that are met on the way generate
//! all of them: by induction from the leaves upwards, every leaf that is least is the image of the first
//! one found under some product of them. For what is behind a candidate that was searched this is the
//! induction; what is behind one that was skipped, or left early because it was seen to be an image of
//! one before, is the image of that.

use super::Point;
use super::action::Action;
use super::canonical::Order;
use super::colouring::{Colouring, Facts, Scratch};
use super::keys::Keys;
use super::ring::Turn;
use std::cmp::Ordering;
use terms::Group;

/// A point, or a slot of a multiset: numbered behind the points.
pub(super) type Vertex = u32;

/// Searches, one after the other, in memory of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    levels: Vec<Level>,
    scratch: Scratch,
    /// By point, the least point that it is interchangeable with.
    pub(super) class: Vec<Point>,
    /// What was chosen on the way, one per level that is open.
    path: Vec<Choice>,
    traces: Vec<u64>,
    best: Option<Best>,
    spare: Option<Best>,
    /// Symmetries of the state, as images.
    pub(super) symmetries: Vec<Vec<Point>>,
    images: Vec<Point>,
    leaders: Vec<Point>,
    leaf: Vec<i64>,
    fixed: Vec<i64>,
}

/// A colouring, and what to choose from.
#[derive(Clone, Debug, Default)]
struct Level {
    colouring: Colouring,
    candidates: Vec<Choice>,
    /// By candidate: a candidate that is known to be like it; itself at the end.
    like: Vec<usize>,
}

/// What distinguishes a branch from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// A class is first in its cell: its least point.
    Class(Point),
    /// A ring, whose points start here, is turned.
    Turn { first: Point, turn: Turn },
}

/// A leaf.
#[derive(Clone, Debug, Default)]
struct Best {
    path: Vec<Choice>,
    traces: Vec<u64>,
    cells: Vec<i64>,
    images: Vec<Point>,
}

/// What a search is about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) action: &'s Action,
    pub(super) facts: &'s Facts,
    /// The types that facts speak of.
    pub(super) types: &'s [Keys],
    /// By type: the keys of the state, and where there are all permutations, the order by them.
    pub(super) orders: &'s [Order],
    pub(super) cells: &'s [i64],
    /// Whether all of these types have all permutations, and there are no slots.
    pub(super) is_simple: bool,
}

impl Search {
    /// Colours the points of a state, and finds those that are interchangeable; whether that is all
    /// there is to find: every cell is one class, and the order of the colours is that of the least
    /// image. If the subject is [simple](Subject::is_simple), its related cells are enough for that.
    pub(super) fn begin(&mut self, subject: Subject<'_>) -> bool {
        let points = subject.action.indices().points();
        self.symmetries.clear();
        self.class.clear();
        self.class.extend(0..points as Point);
        self.images.clear();
        self.images.extend(0..points as Point);
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        self.levels[0].colouring.first(&subject, &mut self.scratch);
        if subject.is_simple {
            self.classify(subject);
            let root = &mut self.levels[0].colouring;
            return root.refine_open(&subject, &self.class, &mut self.scratch);
        }
        let root = &mut self.levels[0].colouring;
        root.refine(subject.action, subject.facts, subject.cells, &mut self.scratch);
        self.classify(subject);
        false
    }

    /// The points in the order of their colours, type by type.
    pub(super) fn order(&self) -> &[Vertex] {
        &self.levels[0].colouring.order
    }

    /// Finds the least image of the state that was begun with. Points of other types stay where they
    /// are.
    pub(super) fn run(&mut self, subject: Subject<'_>) {
        self.path.clear();
        self.traces.clear();
        self.spare = self.best.take().or(self.spare.take());
        self.search(subject);
    }

    /// What the last search has found: where the points of the types that were searched go, and the
    /// image of the state.
    pub(super) fn best(&self) -> (&[Point], &[i64]) {
        let best = self.best.as_ref().expect("a search meets a leaf");
        (&best.images, &best.cells)
    }

    /// Which points are interchangeable: only points of one cell can be.
    fn classify(&mut self, subject: Subject<'_>) {
        let colouring = &self.levels[0].colouring;
        let leaders = &mut self.leaders;
        let mut at = 0;
        for keys in subject.types {
            let type_end = at + keys.size();
            let mut from = std::mem::replace(&mut at, type_end);
            while from < type_end && keys.group == Group::Full {
                let end = colouring.end(from);
                leaders.clear();
                for &point in &colouring.order[from..end] {
                    let like = leaders.iter().copied().find(|&leader| {
                        self.images.swap(leader as usize, point as usize);
                        let (action, cells) = (subject.action, subject.cells);
                        let swap = (leader, point);
                        let fixes = if subject.is_simple {
                            action.fixes_swap_of_equals(swap, keys.of, &self.images, cells)
                        } else {
                            action.fixes_swap(swap, &self.images, cells, &mut self.fixed)
                        };
                        self.images.swap(leader as usize, point as usize);
                        fixes
                    });
                    match like {
                        Some(leader) => self.class[point as usize] = leader,
                        None => leaders.push(point),
                    }
                }
                from = end;
            }
        }
    }

    /// Searches behind the open level: the depth of the level to go on with, which is less than that
    /// of the caller if all behind it is known.
    fn search(&mut self, subject: Subject<'_>) -> usize {
        let depth = self.path.len();
        if !self.choose(subject, depth) {
            return self.leaf(subject); // (S2), (S3)
        }
        for k in 0..self.levels[depth].candidates.len() {
            if self.is_like_one_before(subject, depth, k) {
                continue;
            }
            if self.levels.len() == depth + 1 {
                self.levels.push(Level::default());
            }
            let (outer, inner) = self.levels.split_at_mut(depth + 1);
            let (from, to) = (&outer[depth], &mut inner[0].colouring);
            to.copy_from(&from.colouring);
            let choice = from.candidates[k];
            match choice {
                Choice::Class(leader) => {
                    let class = &self.class;
                    let start = to.colour[leader as usize] as usize;
                    let end = to.end(start);
                    to.prefer(start, end, |vertex| class[vertex as usize] == leader);
                }
                Choice::Turn { first, turn } => {
                    let n = ring_size(subject, first);
                    let start = start_of_type(subject, first);
                    to.arrange(start, (0..n).map(|j| first + turn.place(j, n) as Point));
                }
            }
            // (S6)
            let trace = to.refine(subject.action, subject.facts, subject.cells, &mut self.scratch);
            self.path.push(choice);
            self.traces.push(trace);
            let back = if self.is_hopeless() { depth } else { self.search(subject) };
            self.path.pop();
            self.traces.pop();
            if back < depth {
                return back;
            }
        }
        depth.saturating_sub(1)
    }

    /// (S4): fills the candidates of a level; false if there is nothing to choose.
    fn choose(&mut self, subject: Subject<'_>, depth: usize) -> bool {
        let Level { colouring, candidates, like } = &mut self.levels[depth];
        candidates.clear();
        let mut start = 0;
        for keys in subject.types {
            let n = keys.size();
            let first = keys.points.start;
            let is_turned = || {
                let is_its = |choice: &Choice| matches!(choice, Choice::Turn { first: other, .. } if *other == first);
                self.path.iter().any(is_its)
            };
            if keys.group == Group::Full {
                let mut from = start;
                while from < start + n && candidates.is_empty() {
                    let end = colouring.end(from);
                    let leaders = colouring.order[from..end]
                        .iter()
                        .copied()
                        .filter(|&point| self.class[point as usize] == point);
                    candidates.extend(leaders.map(Choice::Class));
                    if candidates.len() == 1 {
                        candidates.clear();
                    }
                    from = end;
                }
            } else if !is_turned() {
                // The smallest cell, the first of those.
                let mut smallest = start..start + n + 1;
                let mut from = start;
                while from < start + n {
                    let end = colouring.end(from);
                    if end - from < smallest.len() {
                        smallest = from..end;
                    }
                    from = end;
                }
                for &point in &colouring.order[smallest] {
                    let turn = |backwards| Choice::Turn {
                        first,
                        turn: Turn { start: (point - first) as usize, backwards },
                    };
                    candidates.push(turn(false));
                    if keys.group == Group::Dihedral {
                        candidates.push(turn(true));
                    }
                }
            }
            if !candidates.is_empty() {
                break;
            }
            start += n;
        }
        like.clear();
        like.extend(0..candidates.len());
        !candidates.is_empty()
    }

    /// (S5): whether known symmetries that fix what was chosen take an earlier candidate to this one.
    fn is_like_one_before(&mut self, subject: Subject<'_>, depth: usize, k: usize) -> bool {
        if k == 0 {
            return false;
        }
        let Level { candidates, like, .. } = &mut self.levels[depth];
        let root = |like: &[usize], mut at: usize| {
            while like[at] != at {
                at = like[at];
            }
            at
        };
        let class = &self.class;
        let image = |choice: Choice, images: &[Point]| match choice {
            Choice::Class(leader) => Choice::Class(class[images[leader as usize] as usize]),
            Choice::Turn { first, turn } => {
                let n = ring_size(subject, first);
                let place = |j| (images[first as usize + turn.place(j, n)] - first) as usize;
                let (start, next) = (place(0), place(1));
                let backwards = (next + 1) % n == start;
                Choice::Turn { first, turn: Turn { start, backwards } }
            }
        };
        for images in &self.symmetries {
            if self.path.iter().any(|&choice| image(choice, images) != choice) {
                continue;
            }
            for (at, &candidate) in candidates.iter().enumerate() {
                let there = image(candidate, images);
                let there = candidates.iter().position(|&other| other == there);
                let there = there.expect("a symmetry maps a cell to itself");
                let (a, b) = (root(like, at), root(like, there));
                // The first of those that are alike is the one that was searched.
                like[a.max(b)] = a.min(b);
            }
        }
        root(like, k) < k
    }

    /// Whether what has been seen on the way is greater than that of the best leaf.
    fn is_hopeless(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let same = best.traces.len().min(self.traces.len());
            let order = self.traces[..same].cmp(&best.traces[..same]);
            order.then(self.traces.len().cmp(&best.traces.len())).is_gt()
        })
    }

    /// (S3): where to go on.
    fn leaf(&mut self, subject: Subject<'_>) -> usize {
        let depth = self.path.len();
        let colouring = &self.levels[depth].colouring;
        let mut at = 0;
        for keys in subject.types {
            for (point, &from) in keys.points.clone().zip(&colouring.order[at..]) {
                self.images[from as usize] = point;
            }
            at += keys.size();
        }
        self.leaf.resize(subject.cells.len(), 0);
        subject.action.apply_images(&self.images, subject.cells, &mut self.leaf);
        let order = self.best.as_ref().map_or(Ordering::Less, |best| {
            self.traces.cmp(&best.traces).then_with(|| self.leaf.cmp(&best.cells))
        });
        match order {
            Ordering::Greater => {}
            Ordering::Less => {
                let mut best = self.best.take().or(self.spare.take()).unwrap_or_default();
                best.path.clone_from(&self.path);
                best.traces.clone_from(&self.traces);
                best.cells.clone_from(&self.leaf);
                best.images.clone_from(&self.images);
                self.best = Some(best);
            }
            Ordering::Equal => {
                let best = self.best.as_ref().expect("the leaf is equal to it");
                // Both lead to the same image: there by the best, back by this one.
                let mut symmetry = vec![0; self.images.len()];
                for (from, &to) in self.images.iter().enumerate() {
                    symmetry[to as usize] = from as Point;
                }
                let symmetry = best.images.iter().map(|&image| symmetry[image as usize]);
                self.symmetries.push(symmetry.collect());
                // All behind the branch where the two part is an image of what was searched.
                let same = self.path.iter().zip(&best.path).take_while(|(a, b)| a == b).count();
                return same;
            }
        }
        depth.saturating_sub(1)
    }
}

fn keys_of(subject: Subject<'_>, first: Point) -> &Keys {
    let found = subject.types.iter().find(|keys| keys.points.start == first);
    found.expect("rings that are turned are searched")
}

fn ring_size(subject: Subject<'_>, first: Point) -> usize {
    keys_of(subject, first).size()
}

/// Where the points of a type start in the order of a colouring.
fn start_of_type(subject: Subject<'_>, first: Point) -> usize {
    let before = subject.types.iter().take_while(|keys| keys.points.start != first);
    before.map(Keys::size).sum()
}
