//! Where cells lie across their layers, after [`BK01`].
//!
//! ```text
//! (1)  mark lines that cross the inside of a long edge: they will not be straight
//! (2)  from each of the four corners:
//! (3)    join each cell with the median of its neighbours in the layer before, if lines do not cross: blocks
//! (4)    push the blocks together, then apart again as far as they like
//! (5)  each cell goes to the middle of its four places
//! ```
//!
//! The inside of a long edge is straight. Every one of the four keeps all distances, and so does their
//! median, since it keeps order. One difference: (4) is a longest path over the graph of blocks instead
//! of the paper's classes, whose shifts are known to be wrong in corner cases.
//!
//! [`BK01`]: crate::papers::BK01

use super::Ask;
use super::cells::{Cell, Cells};
use std::collections::HashSet;

/// The position of each cell's line.
pub(super) fn place<E>(cells: &Cells, ask: Ask<'_, E>) -> Result<Vec<f64>, E> {
    let crossed = crossed(cells); // (1)
    let mut places = Vec::with_capacity(4);
    for is_up in [false, true] {
        for is_mirrored in [false, true] {
            ask()?;
            let mut place = Corner::new(cells, &crossed, is_up, is_mirrored).place();
            if is_mirrored {
                for at in &mut place {
                    *at = -*at;
                }
            }
            places.push((is_mirrored, place)); // (2)
        }
    }
    // All four are moved to where the narrowest is: by the side that they start from.
    let range = |place: &[f64]| {
        let sides = place.iter().zip(&cells.all);
        let low = sides.clone().map(|(at, cell)| at - cell.before).fold(f64::INFINITY, f64::min);
        let high = sides.map(|(at, cell)| at + cell.after).fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let ranges: Vec<(f64, f64)> = places.iter().map(|(_, place)| range(place)).collect();
    let narrowest = ranges.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let narrowest = narrowest.expect("there are four");
    for ((is_mirrored, place), range) in places.iter_mut().zip(&ranges) {
        let shift = if *is_mirrored { narrowest.1 - range.1 } else { narrowest.0 - range.0 };
        for at in place {
            *at += shift;
        }
    }
    let middle = |cell: usize| {
        let mut four: Vec<f64> = places.iter().map(|(_, place)| place[cell]).collect();
        four.sort_by(f64::total_cmp);
        f64::midpoint(four[1], four[2])
    };
    Ok((0..cells.all.len()).map(middle).collect()) // (5)
}

/// Lines between a layer and the next that cross the inside of a long edge.
fn crossed(cells: &Cells) -> HashSet<(usize, usize)> {
    let mut position = vec![0; cells.all.len()];
    for layer in &cells.layers {
        layer.iter().enumerate().for_each(|(at, &cell)| position[cell] = at);
    }
    let is_pass = |cell: usize| cells.all[cell].is_pass;
    let mut crossed = HashSet::new();
    for pair in cells.layers.windows(2) {
        let inner: Vec<(usize, usize)> = pair[1]
            .iter()
            .filter(|&&cell| is_pass(cell))
            .filter_map(|&cell| cells.all[cell].up.first().map(|&up| (cell, up)))
            .filter(|&(_, up)| is_pass(up))
            .map(|(cell, up)| (position[cell], position[up]))
            .collect();
        // Between which two inner lines a cell stands; these do not cross where it matters: if they do,
        // all that lies between is crossed.
        let mut next = 0;
        let (mut low, width) = (0, pair[0].len());
        for (at, &cell) in pair[1].iter().enumerate() {
            if inner.get(next).is_some_and(|&(lower, _)| lower < at) {
                low = inner[next].1;
                next += 1;
            }
            let high = inner.get(next).map_or(width, |&(_, upper)| upper);
            for &up in &cells.all[cell].up {
                let is_inner = is_pass(cell) && is_pass(up);
                if !is_inner && (position[up] < low || position[up] > high) {
                    crossed.insert((up, cell));
                }
            }
        }
    }
    crossed
}

/// The placement from one corner: layers and cells are visited from there.
struct Corner<'c> {
    cells: &'c Cells,
    crossed: &'c HashSet<(usize, usize)>,
    is_up: bool,
    is_mirrored: bool,
    /// The layers as they are visited.
    layers: Vec<Vec<usize>>,
    position: Vec<usize>,
    /// The first cell of each cell's block.
    root: Vec<usize>,
}

impl<'c> Corner<'c> {
    fn new(
        cells: &'c Cells,
        crossed: &'c HashSet<(usize, usize)>,
        is_up: bool,
        is_mirrored: bool,
    ) -> Corner<'c> {
        let mut layers = cells.layers.clone();
        if is_up {
            layers.reverse();
        }
        if is_mirrored {
            for layer in &mut layers {
                layer.reverse();
            }
        }
        let mut position = vec![0; cells.all.len()];
        for layer in &layers {
            layer.iter().enumerate().for_each(|(at, &cell)| position[cell] = at);
        }
        let root = (0..cells.all.len()).collect();
        Corner { cells, crossed, is_up, is_mirrored, layers, position, root }
    }

    fn place(mut self) -> Vec<f64> {
        self.align();
        self.compact()
    }

    /// (3)
    fn align(&mut self) {
        let mut has_next = vec![false; self.root.len()];
        for layer in 1..self.layers.len() {
            // Everything before is taken: lines must not cross.
            let mut free = 0;
            for place in 0..self.layers[layer].len() {
                let cell = self.layers[layer][place];
                let Cell { up, down, .. } = &self.cells.all[cell];
                let mut beside = if self.is_up { down.clone() } else { up.clone() };
                beside.sort_by_key(|&one| self.position[one]);
                let Some(most) = beside.len().checked_sub(1) else { continue };
                for median in [most / 2, most.div_ceil(2)] {
                    let one = beside[median];
                    let line = if self.is_up { (cell, one) } else { (one, cell) };
                    let is_free = self.position[one] >= free && !has_next[one];
                    if self.root[cell] == cell && is_free && !self.crossed.contains(&line) {
                        has_next[one] = true;
                        self.root[cell] = self.root[one];
                        free = self.position[one] + 1;
                    }
                }
            }
        }
    }

    /// (4)
    fn compact(&self) -> Vec<f64> {
        let count = self.root.len();
        let (mut behind, mut missing) = (vec![Vec::new(); count], vec![0; count]);
        for layer in &self.layers {
            for pair in layer.windows(2) {
                let (left, right) =
                    if self.is_mirrored { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                let distance = self.cells.distance(left, right);
                behind[self.root[pair[0]]].push((self.root[pair[1]], distance));
                missing[self.root[pair[1]]] += 1;
            }
        }
        let mut at = vec![0.0_f64; count];
        let mut sorted: Vec<usize> =
            (0..count).filter(|&cell| self.root[cell] == cell && missing[cell] == 0).collect();
        let mut next = 0;
        while let Some(&block) = sorted.get(next) {
            next += 1;
            for &(other, distance) in &behind[block] {
                at[other] = at[other].max(at[block] + distance);
                missing[other] -= 1;
                if missing[other] == 0 {
                    sorted.push(other);
                }
            }
        }
        for &block in sorted.iter().rev() {
            let room = behind[block].iter().map(|&(other, distance)| at[other] - distance);
            let most = room.fold(f64::INFINITY, f64::min);
            if most.is_finite() {
                at[block] = at[block].max(most);
            }
        }
        self.root.iter().map(|&root| at[root]).collect()
    }
}
