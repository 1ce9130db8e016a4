//! The least image of a state whose points keys do not separate: a search by individualisation and
//! refinement, after [`MCK81`](crate::papers::MCK81).
//!
//! ```text
//! (S1)  search(colouring):
//! (S2)    if every cell is one class of interchangeable points:
//! (S3)      order the points by their colours; compare the image of the state with the best so far
//! (S4)    choose a cell of several classes
//! (S5)    for each class in it, unless known to be equivalent to one before:
//! (S6)      colour the class before the rest of the cell, refine, search
//! ```
//!
//! Points i, j of a type with all permutations are *interchangeable* if swapping them leaves the
//! state unchanged. That is an equivalence, and its classes do not depend on the search; so (S5)
//! iterates over classes, not points, and n equal points cost nothing. A type that is a ring is
//! ordered at once, by where it begins (a point of its smallest cell) and in which direction it
//! goes.
//!
//! Where all types have all permutations, classes are found before the first refinement, which then
//! considers open cells only; that decides most states, and these have one leaf.
//!
//! *Exact.* The choices of (S4) and the colourings are the same for a state and for its images,
//! hence so is the set of leaves, and the least of them (by the traces of the refinements on the
//! path, then by the image) depends on the orbit alone. A branch whose trace is greater than that
//! of the best cannot lead to the least leaf. Two leaves with equal images differ by a symmetry of
//! the state; if some known symmetries that fix the classes chosen so far take one candidate of
//! (S5) to another, the leaves below both have equal images, and one is enough.
//!
//! *Complete.* Together with the swaps inside classes, the symmetries that the search finds
//! generate all symmetries of the state: by induction from the leaves upwards, every least leaf is
//! the image of the first one found under some product of them. For the leaves below a candidate
//! that was searched this is the induction hypothesis; those below a candidate that was skipped, or
//! left early because it was found to be an image of one before, are the images of leaves below
//! that one.

use super::Point;
use super::action::Action;
use super::canonical::Order;
use super::colouring::{Colouring, Facts, Scratch};
use super::keys::Keys;
use super::ring::Turn;
use crate::narrow::to_u32;
use std::cmp::Ordering;
use terms::Group;

/// A point, or a slot of a multiset; slots are numbered after the points.
pub(super) type Vertex = u32;

/// Runs searches one after the other, in memory that it owns.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastImageSearch {
    levels: Vec<SearchLevel>,
    scratch: Scratch,
    /// By point, the least point that it is interchangeable with.
    pub(super) class: Vec<Point>,
    /// The choices on the path, one per open level.
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

/// A colouring, and the candidates to choose from.
#[derive(Clone, Debug, Default)]
struct SearchLevel {
    colouring: Colouring,
    candidates: Vec<Choice>,
    /// By candidate: an earlier candidate that is known to be equivalent, or itself if there is
    /// none.
    like: Vec<usize>,
}

/// The choice that distinguishes a branch from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// A class, named by its least point, is put first in its cell.
    Class(Point),
    /// A ring is turned. `first` is the first point of its type.
    Turn { first: Point, turn: Turn },
}

/// The best leaf so far.
#[derive(Clone, Debug, Default)]
struct Best {
    path: Vec<Choice>,
    traces: Vec<u64>,
    cells: Vec<i64>,
    images: Vec<Point>,
}

/// The input of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchInput<'s> {
    pub(super) action: &'s Action,
    pub(super) facts: &'s Facts,
    /// The types that the facts are about.
    pub(super) types: &'s [Keys],
    /// By type: the keys of the state and, for types with all permutations, the order by them.
    pub(super) orders: &'s [Order],
    pub(super) cells: &'s [i64],
    /// Whether all of these types have all permutations, and there are no slots.
    pub(super) is_simple: bool,
}

impl LeastImageSearch {
    /// Colours the points of a state, and finds the classes of interchangeable ones. Returns
    /// whether that decides everything: every cell is one class, and the order of the colours is
    /// that of the least image. If the subject is [simple](SearchInput::is_simple), its related
    /// cells are enough for that.
    pub(super) fn begin(&mut self, subject: SearchInput<'_>) -> bool {
        let points = subject.action.indices().points();
        self.symmetries.clear();
        self.class.clear();
        self.class.extend(0..to_u32(points));
        self.images.clear();
        self.images.extend(0..to_u32(points));
        if self.levels.is_empty() {
            self.levels.push(SearchLevel::default());
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

    /// Finds the least image of the state that [`LeastImageSearch::begin`] was called with. Points
    /// of other types are not moved.
    pub(super) fn run(&mut self, subject: SearchInput<'_>) {
        self.path.clear();
        self.traces.clear();
        self.spare = self.best.take().or(self.spare.take());
        self.search(subject);
    }

    /// The result of the last search: the images of the points of the types that were searched, and
    /// the image of the state.
    pub(super) fn best(&self) -> (&[Point], &[i64]) {
        let best = self.best.as_ref().expect("a search meets a leaf");
        (&best.images, &best.cells)
    }

    /// Finds the classes of interchangeable points. Only points of one cell can be interchangeable.
    fn classify(&mut self, subject: SearchInput<'_>) {
        let colouring = &self.levels[0].colouring;
        let leaders = &mut self.leaders;
        // A swap may be compared with all cells.
        let work = subject.cells.len() as u64 / 64;
        let mut at = 0;
        for keys in subject.types {
            let type_end = at + keys.size();
            let mut from = std::mem::replace(&mut at, type_end);
            while from < type_end && keys.group == Group::Full {
                let end = colouring.end(from);
                leaders.clear();
                for &point in &colouring.order[from..end] {
                    let like = leaders.iter().copied().find(|&leader| {
                        if work > 0 {
                            run::poll_for(work);
                        }
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

    /// Searches below the open level. Returns the depth of the level to continue with, which is
    /// less than that of the caller if everything below the caller's level is known.
    fn search(&mut self, subject: SearchInput<'_>) -> usize {
        let depth = self.path.len();
        if !self.choose(subject, depth) {
            return self.leaf(subject); // (S2), (S3)
        }
        for k in 0..self.levels[depth].candidates.len() {
            // Everything here is overwritten by the next search.
            run::poll_for(16);
            if self.is_like_one_before(subject, depth, k) {
                continue;
            }
            if self.levels.len() == depth + 1 {
                self.levels.push(SearchLevel::default());
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
                    to.arrange(start, (0..n).map(|j| first + to_u32(turn.place(j, n))));
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

    /// (S4): fills the candidates of a level; returns false if there are none.
    fn choose(&mut self, subject: SearchInput<'_>, depth: usize) -> bool {
        let SearchLevel { colouring, candidates, like } = &mut self.levels[depth];
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
                // The first of the smallest cells.
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

    /// (S5): whether known symmetries that fix the choices so far take an earlier candidate to this
    /// one.
    fn is_like_one_before(&mut self, subject: SearchInput<'_>, depth: usize, k: usize) -> bool {
        if k == 0 {
            return false;
        }
        let SearchLevel { candidates, like, .. } = &mut self.levels[depth];
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
                // The first of several equivalent candidates is the one that was searched.
                like[a.max(b)] = a.min(b);
            }
        }
        root(like, k) < k
    }

    /// Whether the traces so far are greater than those of the best leaf.
    fn is_hopeless(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let same = best.traces.len().min(self.traces.len());
            let order = self.traces[..same].cmp(&best.traces[..same]);
            order.then(self.traces.len().cmp(&best.traces.len())).is_gt()
        })
    }

    /// (S3): compares a leaf with the best one. Returns the depth to continue with.
    fn leaf(&mut self, subject: SearchInput<'_>) -> usize {
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
                // Both leaves have the same image: the symmetry goes there by the best and back by
                // this one.
                let mut symmetry = vec![0; self.images.len()];
                for (from, &to) in self.images.iter().enumerate() {
                    symmetry[to as usize] = to_u32(from);
                }
                let symmetry = best.images.iter().map(|&image| symmetry[image as usize]);
                self.symmetries.push(symmetry.collect());
                // Everything below the branch where the two paths part is an image of what was
                // searched.
                let same = self.path.iter().zip(&best.path).take_while(|(a, b)| a == b).count();
                return same;
            }
        }
        depth.saturating_sub(1)
    }
}

fn keys_of(subject: SearchInput<'_>, first: Point) -> &Keys {
    let found = subject.types.iter().find(|keys| keys.points.start == first);
    found.expect("rings that are turned are searched")
}

fn ring_size(subject: SearchInput<'_>, first: Point) -> usize {
    keys_of(subject, first).size()
}

/// Where the points of a type start in the order of a colouring.
fn start_of_type(subject: SearchInput<'_>, first: Point) -> usize {
    let before = subject.types.iter().take_while(|keys| keys.points.start != first);
    before.map(Keys::size).sum()
}
