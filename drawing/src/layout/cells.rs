//! The graph in layers: nodes, and for each edge a cell in every layer between its ends.
//!
//! From here on a drawing has two directions only: *along* the edges, and *across* them, within a layer.
//! Positions across are measured from a cell's own line, on which the centre of a node lies.

use super::measure::Measured;

/// A place in a layer: a node, or where an edge passes.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Its layer.
    pub(super) layer: usize,
    /// What it takes across the layer, in front of its line and after it.
    pub(super) before: f64,
    pub(super) after: f64,
    /// Half of what it takes along.
    pub(super) half: f64,
    /// Whether it belongs to an edge.
    pub(super) is_pass: bool,
    /// What is free on both sides, half of it.
    pub(super) gap: f64,
    /// The cells that it is joined with in the layer before, and in the one after.
    pub(super) up: Vec<usize>,
    pub(super) down: Vec<usize>,
}

/// All cells; the first ones are the nodes.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    /// The cells of each layer, in order.
    pub(super) layers: Vec<Vec<usize>>,
    /// For each edge its cells from layer to layer, ends included; nothing for loops. The edge leads from
    /// the last to the first if it is turned.
    pub(super) chains: Vec<Vec<usize>>,
    /// For each edge with a label the cell of the label.
    pub(super) labels: Vec<Option<usize>>,
}

/// Half of what is free beside nodes, labels and lines.
const NODE_GAP: f64 = 13.0;
const LABEL_GAP: f64 = 6.0;
const LINE_GAP: f64 = 5.0;

impl Cells {
    /// All cells, in layers without an order: nodes first, then edges.
    pub(super) fn new(measured: &Measured<'_>, turned: &[bool], layer: &[usize]) -> Cells {
        let graph = measured.graph;
        let mut cells: Vec<Cell> = (0..graph.nodes.len())
            .map(|node| Cell {
                layer: layer[node],
                before: measured.nodes[node].before,
                after: measured.nodes[node].after,
                half: measured.nodes[node].half,
                is_pass: false,
                gap: NODE_GAP,
                up: Vec::new(),
                down: Vec::new(),
            })
            .collect();
        let (mut chains, mut labels) = (Vec::new(), Vec::new());
        for (k, edge) in graph.edges.iter().enumerate() {
            let (mut first, mut last) = (edge.source, edge.target);
            if turned[k] {
                (first, last) = (last, first);
            }
            let mut chain = Vec::new();
            let mut label = None;
            if first != last {
                chain.push(first);
                let (from, to) = (layer[first], layer[last]);
                // Labels have the odd layers for themselves.
                let middle = from.midpoint(to) | 1;
                for layer in from + 1..to {
                    let mut cell = Cell {
                        layer,
                        before: 0.0,
                        after: 0.0,
                        half: 0.0,
                        is_pass: true,
                        gap: LINE_GAP,
                        up: Vec::new(),
                        down: Vec::new(),
                    };
                    if let (true, Some(room)) = (layer == middle, &measured.labels[k]) {
                        (cell.before, cell.after, cell.half) = (room.before, room.after, room.half);
                        cell.gap = LABEL_GAP;
                        label = Some(cells.len());
                    }
                    chain.push(cells.len());
                    cells.push(cell);
                }
                chain.push(last);
            }
            for pair in chain.windows(2) {
                cells[pair[0]].down.push(pair[1]);
                cells[pair[1]].up.push(pair[0]);
            }
            chains.push(chain);
            labels.push(label);
        }
        let count = cells.iter().map(|cell| cell.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); count];
        for (k, cell) in cells.iter().enumerate() {
            layers[cell.layer].push(k);
        }
        Cells { all: cells, layers, chains, labels }
    }

    /// The least distance of the lines of two neighbours.
    pub(super) fn distance(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.all[left], &self.all[right]);
        left.after + left.gap + right.gap + right.before
    }
}
