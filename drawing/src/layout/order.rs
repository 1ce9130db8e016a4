//! The order of cells in their layers, with few crossings: medians and transpositions ([`GKNV93`],
//! section 3).
//!
//! Layers are swept up and down; each cell goes to the median of its neighbours in the layer that was
//! swept before, then neighbours change places as long as that makes crossings fewer. The best order that was
//! met is kept. Crossings are counted as in [`BJM02`].
//!
//! [`GKNV93`]: crate::papers::GKNV93
//! [`BJM02`]: crate::papers::BJM02

use super::Ask;
use super::cells::Cells;

/// Sweeps at most.
const SWEEPS: usize = 24;
/// Sweeps without success before giving up.
const PATIENCE: usize = 6;
/// Rounds of transpositions in a sweep at most.
const ROUNDS: usize = 8;

/// Orders the layers.
pub(super) fn order<E>(cells: &mut Cells, ask: Ask<'_, E>) -> Result<(), E> {
    let mut order = Order { position: vec![0; cells.all.len()], cells };
    order.start();
    let (mut best, mut fewest) = (order.cells.layers.clone(), order.crossings());
    let mut failures = 0;
    for sweep in 0..SWEEPS {
        if fewest == 0 || failures == PATIENCE {
            break;
        }
        order.medians(sweep % 2 == 0);
        order.transpose(ask)?;
        let crossings = order.crossings();
        failures += 1;
        if crossings < fewest {
            (best, fewest, failures) = (order.cells.layers.clone(), crossings, 0);
        }
    }
    order.cells.layers = best;
    order.renumber();
    for k in 0..order.cells.all.len() {
        let position = &order.position;
        order.cells.all[k].up.sort_by_key(|&cell| position[cell]);
        order.cells.all[k].down.sort_by_key(|&cell| position[cell]);
    }
    Ok(())
}

struct Order<'c> {
    cells: &'c mut Cells,
    /// Of each cell in its layer.
    position: Vec<usize>,
}

impl Order<'_> {
    /// Starts with the order in which a depth-first search from the first layer meets the cells: a tree has no
    /// crossings then.
    fn start(&mut self) {
        let cells = &self.cells.all;
        let mut seen = vec![false; cells.len()];
        let mut layers: Vec<Vec<usize>> = vec![Vec::new(); self.cells.layers.len()];
        for &root in self.cells.layers.iter().flatten() {
            let mut open = vec![root];
            while let Some(cell) = open.pop() {
                if std::mem::replace(&mut seen[cell], true) {
                    continue;
                }
                layers[cells[cell].layer].push(cell);
                open.extend(cells[cell].down.iter().rev());
            }
        }
        self.cells.layers = layers;
        self.renumber();
    }

    fn renumber(&mut self) {
        for layer in &self.cells.layers {
            for (position, &cell) in layer.iter().enumerate() {
                self.position[cell] = position;
            }
        }
    }

    /// Sweeps the layers; a cell without neighbours stays where it is.
    fn medians(&mut self, is_down: bool) {
        let count = self.cells.layers.len();
        for step in 1..count {
            let layer = if is_down { step } else { count - 1 - step };
            let mut median: Vec<(f64, usize)> = Vec::new();
            let mut places = Vec::new();
            let here = &self.cells.layers[layer];
            for (place, &cell) in here.iter().enumerate() {
                let cells = &self.cells.all[cell];
                let beside = if is_down { &cells.up } else { &cells.down };
                if let Some(value) = self.median(beside) {
                    median.push((value, cell));
                    places.push(place);
                }
            }
            // Stable: cells with one median keep their order.
            median.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (place, (_, cell)) in places.into_iter().zip(median) {
                self.cells.layers[layer][place] = cell;
                self.position[cell] = place;
            }
        }
    }

    /// The median of positions; between two middle ones, closer to the side where the others are close
    /// together.
    fn median(&self, beside: &[usize]) -> Option<f64> {
        let mut at: Vec<usize> = beside.iter().map(|&cell| self.position[cell]).collect();
        at.sort_unstable();
        let middle = at.len() / 2;
        let (&first, &last) = (at.first()?, at.last()?);
        if at.len() % 2 == 1 {
            return Some(at[middle] as f64);
        }
        let (a, b) = (at[middle - 1] as f64, at[middle] as f64);
        let (left, right) = (a - first as f64, last as f64 - b);
        let is_even = left + right == 0.0;
        Some(if is_even { f64::midpoint(a, b) } else { (a * right + b * left) / (left + right) })
    }

    /// Neighbours change places as long as crossings get fewer.
    fn transpose<E>(&mut self, ask: Ask<'_, E>) -> Result<(), E> {
        for _ in 0..ROUNDS {
            let mut is_better = false;
            for layer in 0..self.cells.layers.len() {
                ask()?;
                for place in 1..self.cells.layers[layer].len() {
                    let (a, b) =
                        (self.cells.layers[layer][place - 1], self.cells.layers[layer][place]);
                    if self.crossings_of(b, a) < self.crossings_of(a, b) {
                        self.cells.layers[layer].swap(place - 1, place);
                        self.position.swap(a, b);
                        is_better = true;
                    }
                }
            }
            if !is_better {
                break;
            }
        }
        Ok(())
    }

    /// Crossings of the lines of two cells, if the first stands before the second.
    fn crossings_of(&self, first: usize, second: usize) -> usize {
        let [first, second] = [first, second].map(|cell| &self.cells.all[cell]);
        let between = |first: &[usize], second: &[usize]| {
            let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| (a, b)));
            pairs.filter(|&(a, b)| self.position[a] > self.position[b]).count()
        };
        between(&first.up, &second.up) + between(&first.down, &second.down)
    }

    fn crossings(&self) -> usize {
        (1..self.cells.layers.len()).map(|layer| self.crossings_below(layer - 1)).sum()
    }

    /// Crossings between a layer and the next: inversions among the ends of lines, counted with a tree of
    /// sums.
    fn crossings_below(&self, layer: usize) -> usize {
        let below = self.cells.layers[layer + 1].len().next_power_of_two();
        let mut sums = vec![0; 2 * below];
        let mut crossings = 0;
        for &cell in &self.cells.layers[layer] {
            let mut ends: Vec<usize> =
                self.cells.all[cell].down.iter().map(|&end| self.position[end]).collect();
            ends.sort_unstable();
            for &end in &ends {
                let mut at = end + below;
                while at > 1 {
                    // What ends after was drawn from a cell before.
                    crossings += if at.is_multiple_of(2) { sums[at + 1] } else { 0 };
                    at /= 2;
                }
            }
            for end in ends {
                let mut at = end + below;
                while at > 0 {
                    sums[at] += 1;
                    at /= 2;
                }
            }
        }
        crossings
    }
}
