//! The lines: where layers lie, where edges leave nodes, and how they get from one to the other.
//!
//! A layer is a band, as thick as the thickest of its cells. Inside of bands all lines run straight
//! along; between bands they bend, without ever leaving the strip between their ends. So a line meets
//! nothing that it does not belong to: in a band every cell has its own room, and between bands there
//! are lines only. In the room of its own node a line may bend earlier.

use super::cells::Cells;
use super::measure::{LOOP_FOOT, Measured, NEAR, NodeRoom, START, is_blank};
use super::{PlacedEdge, PlacedNode, Point, Rectangle, Route, Segment};
use crate::graph::{Direction, Shape};

/// The length of the head of an arrow.
pub(crate) const HEAD: f64 = 8.0;
/// How far loops lead away.
pub(super) const LOOP: f64 = 20.0;
/// The distance of bands: at least, what each pixel that a line moves across adds, and at most.
const BANDS: (f64, f64, f64) = (16.0, 0.12, 70.0);
/// The distance of lines at the side of a node, if there is room.
const PORTS: f64 = 9.0;

/// Where bands begin and end along.
struct Band {
    low: f64,
    high: f64,
}

/// What routes are made from; (along, across) everywhere.
pub(super) struct Router<'l> {
    measured: &'l Measured<'l>,
    cells: &'l Cells,
    /// Of each cell, across.
    place: &'l [f64],
    turned: &'l [bool],
    bands: Vec<Band>,
    /// For each edge how far from the centres of the nodes it begins and ends: at the node of the
    /// first layer, and at that of the last.
    ports: Vec<[f64; 2]>,
    /// For each edge whether it bends in the room of its first node already, and in that of its last.
    early: Vec<[bool; 2]>,
}

impl<'l> Router<'l> {
    pub(super) fn new(
        measured: &'l Measured<'l>,
        cells: &'l Cells,
        place: &'l [f64],
        turned: &'l [bool],
    ) -> Router<'l> {
        let ports = vec![[0.0; 2]; cells.chains.len()];
        let early = vec![[false; 2]; cells.chains.len()];
        let mut router = Router { measured, cells, place, turned, bands: Vec::new(), ports, early };
        router.find_bands();
        router.find_ports();
        router
    }

    /// The nodes, in the order of their numbers.
    pub(super) fn nodes(&self) -> Vec<PlacedNode> {
        (0..self.measured.nodes.len())
            .map(|node| {
                let (along, across) = self.measured.nodes[node].outline;
                let (u, v) = self.centre(node);
                let outline = self.rectangle((u - along, v - across), (2.0 * along, 2.0 * across));
                let is_start = self.measured.graph.nodes[node].is_start;
                PlacedNode { outline, start: is_start.then(|| self.start(node)) }
            })
            .collect()
    }

    /// The edges, in the order of their numbers.
    pub(super) fn edges(&self) -> Vec<PlacedEdge> {
        let mut edges: Vec<Option<PlacedEdge>> = vec![None; self.cells.chains.len()];
        for node in 0..self.measured.nodes.len() {
            for &(edge, at) in &self.measured.nodes[node].loops {
                edges[edge] = Some(self.looped(node, edge, at));
            }
        }
        let with_chains = edges.into_iter().enumerate();
        with_chains.map(|(edge, found)| found.unwrap_or_else(|| self.chained(edge))).collect()
    }

    fn find_bands(&mut self) {
        let mut low = 0.0;
        let place = self.place;
        for (k, layer) in self.cells.layers.iter().enumerate() {
            let half = layer.iter().map(|&cell| self.cells.all[cell].half).fold(0.0, f64::max);
            if k > 0 {
                let moves = layer.iter().flat_map(|&cell| {
                    let up = self.cells.all[cell].up.iter();
                    up.map(move |&up| (place[up] - place[cell]).abs())
                });
                let (least, slope, most) = BANDS;
                low += (least + slope * moves.fold(0.0, f64::max)).min(most);
            }
            self.bands.push(Band { low, high: low + 2.0 * half });
            low += 2.0 * half;
        }
    }

    /// Lines leave a node opposite to where they lead, as far as its side goes, and keep a distance.
    fn find_ports(&mut self) {
        let mut at: Vec<[Vec<(f64, usize)>; 2]> =
            vec![Default::default(); self.measured.nodes.len()];
        for (edge, chain) in self.cells.chains.iter().enumerate() {
            if let [first, second, .., before, last] = chain[..] {
                at[first][0].push((self.place[second] - self.place[first], edge));
                at[last][1].push((self.place[before] - self.place[last], edge));
            } else if let [first, second, last] = chain[..] {
                at[first][0].push((self.place[second] - self.place[first], edge));
                at[last][1].push((self.place[second] - self.place[last], edge));
            }
        }
        for (node, sides) in at.into_iter().enumerate() {
            let across = self.measured.nodes[node].outline.1;
            let most = match self.measured.graph.nodes[node].shape {
                Shape::Box => (across - 10.0).max(0.0),
                Shape::Circle | Shape::Ellipse => 0.6 * across,
            };
            for (side, mut lines) in sides.into_iter().enumerate() {
                lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let wanted: Vec<f64> = lines.iter().map(|line| line.0).collect();
                // A line that bends earlier than one further out would cross it.
                let sides = (wanted.first().copied(), wanted.last().copied());
                for &(off, edge) in &lines {
                    let outermost = if off < 0.0 { sides.0 } else { sides.1 };
                    self.early[edge][side] = outermost.is_some_and(|off| self.is_close(node, off));
                }
                for (at, (_, edge)) in spread(&wanted, most).into_iter().zip(lines) {
                    self.ports[edge][side] = at;
                }
            }
        }
    }

    /// Along and across.
    fn centre(&self, node: usize) -> (f64, f64) {
        let Band { low, high } = self.bands[self.cells.all[node].layer];
        (f64::midpoint(low, high), self.place[node])
    }

    fn point(&self, (along, across): (f64, f64)) -> Point {
        match self.measured.graph.direction {
            Direction::Right => Point { x: along, y: across },
            Direction::Down => Point { x: across, y: along },
        }
    }

    fn rectangle(&self, corner: (f64, f64), size: (f64, f64)) -> Rectangle {
        let (corner, size) = (self.point(corner), self.point(size));
        Rectangle { x: corner.x, y: corner.y, width: size.x, height: size.y }
    }

    /// How far the outline of a node is from its centre along, so far from it across.
    fn border_along(&self, node: usize, across: f64) -> f64 {
        let (a, b) = self.measured.nodes[node].outline;
        self.border(node, a, across / b)
    }

    /// The same across.
    fn border_across(&self, node: usize, along: f64) -> f64 {
        let (a, b) = self.measured.nodes[node].outline;
        self.border(node, b, along / a)
    }

    fn border(&self, node: usize, half: f64, share: f64) -> f64 {
        match self.measured.graph.nodes[node].shape {
            Shape::Box => half,
            Shape::Circle | Shape::Ellipse => half * (1.0 - share * share).max(0.0).sqrt(),
        }
    }

    fn start(&self, node: usize) -> Route {
        let (u, v) = self.centre(node);
        let (along, across) = self.measured.nodes[node].outline;
        let arrow = |from, to, tip| Route {
            start: self.point(from),
            segments: vec![Segment::Line(self.point(to))],
            tip: self.point(tip),
        };
        if self.cells.all[node].layer == 0 {
            let tip = u - along;
            return arrow((tip - START, v), (tip - HEAD, v), (tip, v));
        }
        // From the side without loops.
        let side = match self.measured.graph.direction {
            Direction::Right => 1.0,
            Direction::Down => -1.0,
        };
        let tip = v + side * across;
        arrow((u, tip + side * START), (u, tip + side * HEAD), (u, tip))
    }

    fn looped(&self, node: usize, edge: usize, at: f64) -> PlacedEdge {
        let (u, v) = self.centre(node);
        let across = self.measured.nodes[node].outline.1;
        let side = match self.measured.graph.direction {
            Direction::Right => -1.0,
            Direction::Down => 1.0,
        };
        let foot = |at: f64| (u + at, v + side * self.border_across(node, at));
        let (from, tip) = (foot(at - LOOP_FOOT / 2.0), foot(at + LOOP_FOOT / 2.0));
        // A cubic line gets three quarters of the way to its control points.
        let out = v + side * (across + LOOP / 0.75 - (across - (from.1 - v).abs()) / 3.0);
        let (first, second) = ((from.0 - 5.0, out), (tip.0 + 5.0, out));
        let (du, dv) = (second.0 - tip.0, second.1 - tip.1);
        let scale = HEAD / (du * du + dv * dv).sqrt();
        let base = (tip.0 + du * scale, tip.1 + dv * scale);
        let curve = Segment::Curve(self.point(first), self.point(second), self.point(base));
        let route = Route { start: self.point(from), segments: vec![curve], tip: self.point(tip) };
        let (width, height) = self.measured.sizes[edge];
        let label = !is_blank(&self.measured.graph.edges[edge].text);
        let label = label.then(|| match self.measured.graph.direction {
            Direction::Right => Rectangle {
                x: u + at - width / 2.0,
                y: v - across - LOOP - NEAR - height,
                width,
                height,
            },
            Direction::Down => {
                Rectangle { x: v + across + LOOP + NEAR, y: u + at - height / 2.0, width, height }
            }
        });
        PlacedEdge { route, label }
    }

    /// Whether a line that leads so far away from the centre of a node stays, as long as it is in the
    /// node's band, where there is nothing but the node, and its loops without their labels.
    fn is_close(&self, node: usize, off: f64) -> bool {
        let NodeRoom { outline: (_, across), loops, .. } = &self.measured.nodes[node];
        let gap = self.cells.all[node].gap;
        let (before, after) = match (self.measured.graph.direction, loops.is_empty()) {
            (_, true) => (gap, gap),
            (Direction::Right, false) => (LOOP, gap),
            (Direction::Down, false) => (gap, 0.0),
        };
        -across - before <= off && off <= across + after
    }

    fn chained(&self, edge: usize) -> PlacedEdge {
        let chain = &self.cells.chains[edge];
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let [from, to] = self.ports[edge];
        let (start_v, end_v) = (self.place[first] + from, self.place[last] + to);
        let start = self.centre(first).0 + self.border_along(first, from);
        let end = self.centre(last).0 - self.border_along(last, to);
        // The head of the arrow is where the edge ends.
        let (is_turned, none) = (self.turned[edge], 0.0);
        let line_start = start + if is_turned { HEAD } else { none };
        let line_end = end - if is_turned { none } else { HEAD };
        let band = |cell: usize| &self.bands[self.cells.all[cell].layer];
        let mut line = Wire::new((line_start, start_v));
        if !self.early[edge][0] {
            line.to(line_start.max(band(first).high));
        }
        for &cell in &chain[1..chain.len() - 1] {
            line.bend((band(cell).low, self.place[cell]));
            line.to(band(cell).high);
        }
        let straight = if self.early[edge][1] { line_end } else { line_end.min(band(last).low) };
        line.bend((straight, end_v));
        line.to(line_end);
        let tip = if is_turned { (start, start_v) } else { (end, end_v) };
        let route = line.route(is_turned, tip, |point| self.point(point));
        let (width, height) = self.measured.sizes[edge];
        let label = self.cells.labels[edge].map(|cell| {
            let (Band { low, high }, v) = (band(cell), self.place[cell]);
            let u = f64::midpoint(*low, *high);
            let (x, y) = match self.measured.graph.direction {
                Direction::Right => (u - width / 2.0, v - NEAR - height),
                Direction::Down => (v + NEAR, u - height / 2.0),
            };
            Rectangle { x, y, width, height }
        });
        PlacedEdge { route, label }
    }
}

/// Places in the order of what is wanted, none further from zero than `most`, as far from each other as
/// [`PORTS`] or as there is room for.
fn spread(wanted: &[f64], most: f64) -> Vec<f64> {
    let gaps = wanted.len().saturating_sub(1).max(1);
    let gap = PORTS.min(2.0 * most / gaps as f64);
    let mut places: Vec<f64> = wanted.iter().map(|at| at.clamp(-most, most)).collect();
    for k in 1..places.len() {
        places[k] = places[k].max(places[k - 1] + gap);
    }
    let mut limit = most;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - gap;
    }
    places
}

/// A line under construction, from layer to layer.
struct Wire {
    start: (f64, f64),
    pieces: Vec<Bit>,
}

enum Bit {
    Straight((f64, f64)),
    Bent((f64, f64), (f64, f64), (f64, f64)),
}

impl Wire {
    fn new(start: (f64, f64)) -> Wire {
        Wire { start, pieces: Vec::new() }
    }

    fn end(&self) -> (f64, f64) {
        match self.pieces.last() {
            None => self.start,
            Some(Bit::Straight(end) | Bit::Bent(_, _, end)) => *end,
        }
    }

    /// Straight along, up to here.
    fn to(&mut self, along: f64) {
        let (from, across) = self.end();
        match self.pieces.last_mut() {
            Some(Bit::Straight(end)) => end.0 = along,
            _ if along - from > 0.01 => self.pieces.push(Bit::Straight((along, across))),
            _ => {}
        }
    }

    /// To another place across; along at both ends.
    fn bend(&mut self, end: (f64, f64)) {
        let from = self.end();
        if (from.1 - end.1).abs() < 0.05 {
            return self.to(end.0);
        }
        let middle = f64::midpoint(from.0, end.0);
        self.pieces.push(Bit::Bent((middle, from.1), (middle, end.1), end));
    }

    fn route(self, is_turned: bool, tip: (f64, f64), point: impl Fn((f64, f64)) -> Point) -> Route {
        let tip = point(tip);
        if !is_turned {
            let segments = self.pieces.iter().map(|piece| match *piece {
                Bit::Straight(end) => Segment::Line(point(end)),
                Bit::Bent(a, b, end) => Segment::Curve(point(a), point(b), point(end)),
            });
            return Route { start: point(self.start), segments: segments.collect(), tip };
        }
        let start = point(self.end());
        let mut segments = Vec::with_capacity(self.pieces.len());
        for k in (0..self.pieces.len()).rev() {
            let end = match k.checked_sub(1).map(|k| &self.pieces[k]) {
                None => self.start,
                Some(Bit::Straight(end) | Bit::Bent(_, _, end)) => *end,
            };
            segments.push(match self.pieces[k] {
                Bit::Straight(_) => Segment::Line(point(end)),
                Bit::Bent(a, b, _) => Segment::Curve(point(b), point(a), point(end)),
            });
        }
        Route { start, segments, tip }
    }
}
