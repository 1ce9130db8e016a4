//! How permutations of points act on states.
//!
//! A permutation g renames index values: a cell that holds the point p then holds g(p), and the
//! content of subscript p of an array moves to subscript g(p). (The crate `model` defines the same
//! action on the interpreter's values.) So, for the cells c of a state s,
//!
//! ```text
//! g(s)[g(c)] = g(s[c]),    g(c) = c + Σ (g(p) - p) · stride
//! ```
//!
//! summed over the subscripts p of cell c that are points. This is a left action. Everything is
//! derived from the [`Shape`]s of the variables, so that a system cannot describe a wrong action.
//! Types with a trivial group are not permuted, hence not distinguished from numbers here.

use super::{Indices, Permutation, Point};
use crate::narrow::{to_u32, to_usize};
use crate::system::layout::{PRESENT, Slots, UNDEFINED};
use crate::system::{Layout, Shape};
use terms::Group;
use terms::IndexTypeId;

/// How a group acts on the states of a layout.
#[derive(Clone, Debug)]
pub struct Action {
    indices: Indices,
    layout: Layout,
    /// By cell: where its entries in `subscripts` start; with one more at the end.
    first_subscript: Vec<u32>,
    subscripts: Vec<Subscript>,
    /// By cell: which of its values are points, as a position in `values`.
    value: Vec<u16>,
    /// The points among the values of a cell, by kind of cell. The first kind is that of numbers,
    /// without points.
    values: Vec<Vec<Segment>>,
    /// By cell: a number that two cells share exactly if the group may move one to the other.
    column: Vec<u32>,
    /// By cell: where its entries in `slots` start; with one more at the end.
    first_slot: Vec<u32>,
    /// The slots of multisets that a cell is in, outermost first. Only multisets whose elements
    /// contain points are listed: the others are treated like any values.
    slots: Vec<u32>,
    /// By slot: the cell that says whether the slot has an element.
    present: Vec<u32>,
    /// The multisets of these slots, each before those that contain it.
    multisets: Vec<Slots>,
    /// The cells that a permutation both moves and renames, or that depend on several points:
    /// exactly those that keys do not cover.
    related: Vec<u32>,
    /// The same cells, with the data inline that suffices for most of them.
    near: Vec<Near>,
    /// By point: where its entries in `cells_at` start; with one more at the end.
    first_at: Vec<u32>,
    /// The cells at subscript p that are in no slot, point by point.
    cells_at: Vec<u32>,
    /// The cells that may hold points and are in no slot.
    holders: Vec<u32>,
    /// The cells that are in slots.
    slotted: Vec<u32>,
    /// By point: those of the cells at it that are in `related`.
    related_at: Vec<Vec<Near>>,
    /// By index type: those of the cells that may hold its points that are in `related`.
    related_holders: Vec<Vec<Near>>,
}

/// The position of a cell in an array over points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Subscript {
    pub(super) point: Point,
    pub(super) stride: u32,
}

/// A cell, and how a permutation acts on it where no list is needed: where it is at one point at
/// most, and may hold points of one type at most.
#[derive(Clone, Copy, Debug)]
struct Near {
    cell: u32,
    /// Whether it is at several points or may hold points of several types, so that the lists are
    /// needed.
    is_far: bool,
    /// The stride is 0 if the cell is at no point.
    at: Subscript,
    /// The first value that is a point. The size is 0 if the cell may hold no points.
    first_value: i64,
    first_point: Point,
    size: u32,
}

/// A run of values that are the points of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    pub(super) of: IndexTypeId,
    pub(super) first_value: i64,
    pub(super) first_point: Point,
    pub(super) size: u32,
}

impl Action {
    /// The action of the group of these index types on states of this layout.
    pub fn new(layout: &Layout, indices: &Indices) -> Action {
        let mut walk = Walk {
            action: Action {
                indices: indices.clone(),
                layout: layout.clone(),
                first_subscript: vec![0],
                subscripts: Vec::new(),
                value: Vec::new(),
                values: vec![Vec::new()],
                column: Vec::new(),
                first_slot: vec![0],
                slots: Vec::new(),
                present: Vec::new(),
                multisets: Vec::new(),
                related: Vec::new(),
                near: Vec::new(),
                first_at: Vec::new(),
                cells_at: Vec::new(),
                holders: Vec::new(),
                slotted: Vec::new(),
                related_at: Vec::new(),
                related_holders: Vec::new(),
            },
            subscripts: Vec::new(),
            slots: Vec::new(),
        };
        let mut column = 0;
        for shape in layout.shapes() {
            walk.shape(shape, column);
            column += walk.columns(shape);
        }
        let mut action = walk.action;
        let is_related = |&cell: &usize| {
            let around = action.subscripts(cell).len() + action.slots(cell).len();
            around + usize::from(action.may_hold_points(cell)) > 1 || !action.slots(cell).is_empty()
        };
        action.related = (0..action.cells()).filter(is_related).map(to_u32).collect();
        action.list_by_point();
        action.list_related();
        action
    }

    /// Fills `cells_at`, `holders` and `slotted`.
    fn list_by_point(&mut self) {
        let (slotless, slotted): (Vec<usize>, _) =
            (0..self.cells()).partition(|&cell| self.slots(cell).is_empty());
        self.slotted = slotted.into_iter().map(to_u32).collect();
        // Counted first, so that one list holds the cells of all points.
        let mut first_at = vec![0; self.indices.points() + 1];
        for one in slotless.iter().flat_map(|&cell| self.subscripts(cell)) {
            first_at[one.point as usize + 1] += 1;
        }
        for point in 1..first_at.len() {
            first_at[point] += first_at[point - 1];
        }
        let mut next = first_at.clone();
        let mut cells_at = vec![0; first_at[self.indices.points()] as usize];
        for &cell in &slotless {
            for one in self.subscripts(cell) {
                let place = &mut next[one.point as usize];
                cells_at[*place as usize] = to_u32(cell);
                *place += 1;
            }
        }
        let holders = slotless.into_iter().filter(|&cell| self.may_hold_points(cell));
        self.holders = holders.map(to_u32).collect();
        (self.first_at, self.cells_at) = (first_at, cells_at);
    }

    /// Fills `near`, `related_at` and `related_holders`.
    fn list_related(&mut self) {
        let mut at = vec![Vec::new(); self.indices.points()];
        let mut holders = vec![Vec::new(); self.indices.types().count()];
        self.near = self.related.iter().map(|&cell| self.near(cell as usize)).collect();
        for &near in &self.near {
            let cell = near.cell as usize;
            for one in self.subscripts(cell) {
                at[one.point as usize].push(near);
            }
            for segment in self.segments(cell) {
                holders[segment.of.0 as usize].push(near);
            }
        }
        (self.related_at, self.related_holders) = (at, holders);
    }

    fn near(&self, cell: usize) -> Near {
        let (subscripts, segments) = (self.subscripts(cell), self.segments(cell));
        let (first_value, first_point, size) =
            segments.first().map_or((0, 0, 0), |one| (one.first_value, one.first_point, one.size));
        Near {
            cell: to_u32(cell),
            is_far: subscripts.len() > 1 || segments.len() > 1,
            at: subscripts.first().copied().unwrap_or(Subscript { point: 0, stride: 0 }),
            first_value,
            first_point,
            size,
        }
    }

    /// The point that a cell holds, if it holds one.
    #[inline]
    fn point_near(&self, near: &Near, value: i64) -> Option<Point> {
        if near.is_far {
            return self.point(near.cell as usize, value);
        }
        let k = value.wrapping_sub(near.first_value);
        (0..i64::from(near.size)).contains(&k).then(|| near.first_point + to_u32(k))
    }

    /// The image of a cell, and the value that it holds then.
    #[inline]
    fn image_near(&self, near: &Near, value: i64, images: &[Point]) -> (usize, i64) {
        let cell = near.cell as usize;
        if near.is_far {
            return (self.moved(cell, images), self.renamed(cell, value, images));
        }
        let Subscript { point, stride } = near.at;
        let by = i64::from(images[point as usize]) - i64::from(point);
        let to = i64::from(near.cell) + by * i64::from(stride);
        let value = self
            .point_near(near, value)
            .map_or(value, |point| value + i64::from(images[point as usize]) - i64::from(point));
        (to_usize(to), value)
    }

    /// The cells that keys do not cover: those that depend on several points, or on slots.
    pub(super) fn related(&self) -> &[u32] {
        &self.related
    }

    /// Unpacks the cells of [`Action::related`], and no others.
    #[inline]
    pub(super) fn unpack_related(&self, packed: &[u64], cells: &mut [i64]) {
        for &cell in &self.related {
            cells[cell as usize] = self.layout.get(packed, cell as usize);
        }
    }

    /// Moves and renames the cells of [`Action::related`], unpacked, in a packed state that has
    /// them in their old positions. There must be no multisets made of points.
    pub(super) fn apply_related(&self, images: &[Point], cells: &[i64], packed: &mut [u64]) {
        debug_assert!(self.multisets.is_empty(), "their order would have to be restored");
        for near in &self.near {
            let cell = near.cell as usize;
            let (to, value) = self.image_near(near, cells[cell], images);
            // No other cell is moved to the old position of this one.
            if to != cell || value != cells[cell] {
                self.layout.set(packed, to, value);
            }
        }
    }

    /// Whether there are multisets made of points.
    pub(super) fn has_multisets(&self) -> bool {
        !self.multisets.is_empty()
    }

    /// The index types.
    pub fn indices(&self) -> &Indices {
        &self.indices
    }

    /// The layout of the states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of cells of a state.
    pub fn cells(&self) -> usize {
        self.column.len()
    }

    pub(super) fn subscripts(&self, cell: usize) -> &[Subscript] {
        &self.subscripts
            [self.first_subscript[cell] as usize..self.first_subscript[cell + 1] as usize]
    }

    pub(super) fn slots(&self, cell: usize) -> &[u32] {
        &self.slots[self.first_slot[cell] as usize..self.first_slot[cell + 1] as usize]
    }

    /// The cells that say whether slots have elements.
    pub(super) fn present(&self) -> &[u32] {
        &self.present
    }

    pub(super) fn column(&self, cell: usize) -> u32 {
        self.column[cell]
    }

    /// The points among the values of a cell.
    pub(super) fn segments(&self, cell: usize) -> &[Segment] {
        &self.values[self.value[cell] as usize]
    }

    /// Whether a cell can hold a point.
    pub fn may_hold_points(&self, cell: usize) -> bool {
        self.value[cell] != 0
    }

    /// Whether no permutation moves this cell, so that permutations only rename the value that it
    /// holds.
    pub fn is_plain(&self, cell: usize) -> bool {
        self.subscripts(cell).is_empty() && self.slots(cell).is_empty()
    }

    /// The point that a cell holds, if it holds one.
    #[inline]
    pub fn point(&self, cell: usize, value: i64) -> Option<Point> {
        let segments = &self.values[self.value[cell] as usize];
        segments.iter().find_map(|segment| {
            let k = value.wrapping_sub(segment.first_value);
            (0..i64::from(segment.size)).contains(&k).then(|| segment.first_point + to_u32(k))
        })
    }

    /// The image of a value: if it is a point, the image of that point.
    #[inline]
    fn renamed(&self, cell: usize, value: i64, images: &[Point]) -> i64 {
        match self.point(cell, value) {
            Some(point) => value + i64::from(images[point as usize]) - i64::from(point),
            None => value,
        }
    }

    /// The image of a cell.
    #[inline]
    fn moved(&self, cell: usize, images: &[Point]) -> usize {
        let mut to = cell as i64;
        for &Subscript { point, stride } in self.subscripts(cell) {
            to += (i64::from(images[point as usize]) - i64::from(point)) * i64::from(stride);
        }
        to_usize(to)
    }

    /// The image of a state.
    pub fn apply(&self, permutation: &Permutation, cells: &[i64], image: &mut [i64]) {
        self.apply_images(permutation.images(), cells, image);
    }

    pub(super) fn apply_images(&self, images: &[Point], cells: &[i64], image: &mut [i64]) {
        for (cell, &value) in cells.iter().enumerate() {
            image[self.moved(cell, images)] = self.renamed(cell, value, images);
        }
        self.settle(image);
    }

    /// Restores the order of the multisets whose elements were renamed.
    fn settle(&self, cells: &mut [i64]) {
        for &Slots { start, capacity, stride } in &self.multisets {
            let slots = &mut cells[start..start + capacity * stride];
            // The order of a state between steps: present elements first, ascending. They are few,
            // and nearly sorted.
            for k in 1..capacity {
                let mut at = k;
                while at > 0 && is_before(slots, at, at - 1, stride) {
                    for cell in 0..stride {
                        slots.swap(at * stride + cell, (at - 1) * stride + cell);
                    }
                    at -= 1;
                }
            }
        }
    }

    /// Whether a permutation leaves a state unchanged.
    pub fn fixes(&self, permutation: &Permutation, cells: &[i64], scratch: &mut Vec<i64>) -> bool {
        self.fixes_images(permutation.images(), cells, scratch)
    }

    pub(super) fn fixes_images(
        &self,
        images: &[Point],
        cells: &[i64],
        scratch: &mut Vec<i64>,
    ) -> bool {
        // Cells without slots first: they decide most cases, and no image has to be computed.
        let is_slotless = |cell: usize| self.first_slot[cell] == self.first_slot[cell + 1];
        let agrees = |(cell, &value): (usize, &i64)| {
            !is_slotless(cell)
                || cells[self.moved(cell, images)] == self.renamed(cell, value, images)
        };
        if !cells.iter().enumerate().all(agrees) {
            return false;
        }
        if self.multisets.is_empty() {
            return true;
        }
        scratch.clear();
        scratch.resize(cells.len(), UNDEFINED);
        self.apply_images(images, cells, scratch);
        scratch == cells
    }
}

impl Action {
    /// Whether swapping two points, as `images` does, leaves a state unchanged. Only the cells that
    /// are at one of them, or hold one, are compared, unless one of them is in a multiset.
    pub(super) fn fixes_swap(
        &self,
        (a, b): (Point, Point),
        images: &[Point],
        cells: &[i64],
        scratch: &mut Vec<i64>,
    ) -> bool {
        let agrees = |&cell: &u32| {
            let cell = cell as usize;
            cells[self.moved(cell, images)] == self.renamed(cell, cells[cell], images)
        };
        let at = |point: Point| {
            let range = self.first_at[point as usize]..self.first_at[point as usize + 1];
            &self.cells_at[range.start as usize..range.end as usize]
        };
        at(a).iter().chain(at(b)).chain(&self.holders).all(agrees)
            && (self.is_in_no_slot((a, b), cells) || self.fixes_images(images, cells, scratch))
    }

    /// Whether no cell of a slot is at one of two points or holds one: then swapping them leaves all
    /// multisets made of points unchanged.
    fn is_in_no_slot(&self, (a, b): (Point, Point), cells: &[i64]) -> bool {
        let is_other = |point: Point| point != a && point != b;
        self.slotted.iter().all(|&cell| {
            let cell = cell as usize;
            self.subscripts(cell).iter().all(|subscript| is_other(subscript.point))
                && self.point(cell, cells[cell]).is_none_or(is_other)
        })
    }
}

impl Action {
    /// Whether swapping two points with equal keys, as `images` does, leaves a state unchanged,
    /// given its [related](Action::related) cells. There must be no multisets made of points.
    ///
    /// The keys do not change then. Of the other cells, those that are at neither of the two, and
    /// hold neither, do not change. A swap g is its own inverse, so that comparing a cell c covers
    /// g(c) too, and the cells at the first of the two points are enough.
    pub(super) fn fixes_swap_of_equals(
        &self,
        (a, b): (Point, Point),
        of: IndexTypeId,
        images: &[Point],
        cells: &[i64],
    ) -> bool {
        debug_assert!(self.multisets.is_empty(), "their order would have to be restored");
        let agrees = |near: &Near| {
            let (to, value) = self.image_near(near, cells[near.cell as usize], images);
            cells[to] == value
        };
        let holds_neither = |near: &Near| {
            let held = self.point_near(near, cells[near.cell as usize]);
            held != Some(a) && held != Some(b)
        };
        self.related_at[a as usize].iter().all(agrees)
            && self.related_holders[of.0 as usize]
                .iter()
                .all(|near| holds_neither(near) || agrees(near))
    }
}

/// Whether one slot is ordered before another.
fn is_before(slots: &[i64], a: usize, b: usize, stride: usize) -> bool {
    let slot = |k: usize| &slots[k * stride..(k + 1) * stride];
    let is_present = |k: usize| slots[k * stride] == PRESENT;
    match (is_present(a), is_present(b)) {
        (true, true) => slot(a) < slot(b),
        (a, b) => a && !b,
    }
}

/// A pass over all cells in order, which fills an [`Action`].
struct Walk {
    action: Action,
    /// The subscripts and slots around the current cell.
    subscripts: Vec<Subscript>,
    slots: Vec<u32>,
}

impl Walk {
    /// The segments of those of these index types that are permuted.
    fn permuted(&self, indices: &[(IndexTypeId, i64)]) -> Vec<Segment> {
        let group = &self.action.indices;
        let moving = indices.iter().filter(|(of, _)| group.group(*of) != Group::Trivial);
        let segment = |&(of, first_value): &(IndexTypeId, i64)| {
            let points = group.points_of(of);
            Segment { of, first_value, first_point: points.start, size: points.end - points.start }
        };
        moving.map(segment).collect()
    }

    /// The number of columns of a shape. All subscripts that are points of one type share the
    /// columns of one element.
    fn columns(&self, shape: &Shape) -> u32 {
        match shape {
            Shape::Simple { .. } => 1,
            Shape::Record(parts) => parts.iter().map(|part| self.columns(part)).sum(),
            Shape::Array { length, indices, element } => {
                let segments = self.permuted(indices);
                let points: u32 = segments.iter().map(|segment| segment.size).sum();
                let runs = to_u32(*length) - points + to_u32(segments.len());
                runs * self.columns(element)
            }
            Shape::Multiset { capacity, element } => {
                if self.is_made_of_points(element) {
                    1 + self.columns(element)
                } else {
                    capacity * (1 + self.columns(element))
                }
            }
        }
    }

    fn is_made_of_points(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Simple { indices, .. } => !self.permuted(indices).is_empty(),
            Shape::Record(parts) => parts.iter().any(|part| self.is_made_of_points(part)),
            Shape::Array { indices, element, .. } => {
                !self.permuted(indices).is_empty() || self.is_made_of_points(element)
            }
            Shape::Multiset { element, .. } => self.is_made_of_points(element),
        }
    }

    fn shape(&mut self, shape: &Shape, mut column: u32) {
        match shape {
            Shape::Simple { indices, .. } => {
                let segments = self.permuted(indices);
                self.cell(segments, column);
            }
            Shape::Record(parts) => {
                for part in parts {
                    self.shape(part, column);
                    column += self.columns(part);
                }
            }
            Shape::Array { length, indices, element } => {
                let segments = self.permuted(indices);
                let (stride, columns) = (to_u32(cells(element)), self.columns(element));
                let mut k = 0;
                while k < *length as i64 {
                    let segment = segments.iter().find(|segment| segment.first_value == k);
                    if let Some(&Segment { first_point, size, .. }) = segment {
                        for point in first_point..first_point + size {
                            self.subscripts.push(Subscript { point, stride });
                            self.shape(element, column);
                            self.subscripts.pop();
                        }
                        k += i64::from(size);
                    } else {
                        self.shape(element, column);
                        k += 1;
                    }
                    column += columns;
                }
            }
            Shape::Multiset { capacity, element } => {
                let columns = 1 + self.columns(element);
                let is_made_of_points = self.is_made_of_points(element);
                let start = self.action.column.len();
                for _ in 0..*capacity {
                    if is_made_of_points {
                        self.slots.push(to_u32(self.action.present.len()));
                        self.action.present.push(to_u32(self.action.column.len()));
                    }
                    self.cell(Vec::new(), column);
                    self.shape(element, column + 1);
                    if is_made_of_points {
                        self.slots.pop();
                    } else {
                        column += columns;
                    }
                }
                if is_made_of_points {
                    let (capacity, stride) = (*capacity as usize, 1 + cells(element));
                    self.action.multisets.push(Slots { start, capacity, stride });
                }
            }
        }
    }

    fn cell(&mut self, segments: Vec<Segment>, column: u32) {
        let action = &mut self.action;
        let value = action.values.iter().position(|known| *known == segments);
        let value = value.unwrap_or_else(|| {
            action.values.push(segments);
            action.values.len() - 1
        });
        action.value.push(u16::try_from(value).expect("types are fewer than 65536"));
        action.column.push(column);
        action.subscripts.extend_from_slice(&self.subscripts);
        action.first_subscript.push(to_u32(action.subscripts.len()));
        action.slots.extend_from_slice(&self.slots);
        action.first_slot.push(to_u32(action.slots.len()));
    }
}

/// The number of cells of a shape.
fn cells(shape: &Shape) -> usize {
    match shape {
        Shape::Simple { .. } => 1,
        Shape::Record(parts) => parts.iter().map(cells).sum(),
        Shape::Array { length, element, .. } => to_usize(*length) * cells(element),
        Shape::Multiset { capacity, element } => *capacity as usize * (1 + cells(element)),
    }
}
