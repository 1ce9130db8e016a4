//! How much room nodes and labels take, loops and the arrow of a start included.

use super::route::{HEAD, LOOP};
use crate::graph::{Direction, Graph, Line, Shape};
use crate::text::extent;

/// What is free around text in a box.
const BOX_MARGIN: (f64, f64) = (14.0, 8.0);
/// What is free around text in a round shape.
const ROUND_MARGIN: f64 = 8.0;
/// The smallest circle.
const SMALLEST: f64 = 26.0;
/// What a second outline takes.
pub(crate) const DOUBLE: f64 = 3.5;
/// What is free between a line and its label, and beside the label.
pub(super) const NEAR: f64 = 3.0;
/// What a loop takes of the side of a node.
pub(super) const LOOP_FOOT: f64 = 14.0;
/// The length of the arrow of a start.
pub(super) const START: f64 = 24.0;

/// Room in a layer, from a cell's line.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) before: f64,
    pub(super) after: f64,
    /// Half of what it takes along.
    pub(super) half: f64,
}

/// A node in its layer.
#[derive(Clone, Debug)]
pub(super) struct NodeRoom {
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) half: f64,
    /// Half of the outline, along and across.
    pub(super) outline: (f64, f64),
    /// Its loops, each with its place along, from the centre.
    pub(super) loops: Vec<(usize, f64)>,
}

/// Everything with its room.
#[derive(Debug)]
pub(super) struct Measured<'g> {
    pub(super) graph: &'g Graph,
    pub(super) nodes: Vec<NodeRoom>,
    /// Of the edges that have a label and are no loops.
    pub(super) labels: Vec<Option<Room>>,
    /// Width and height of all labels.
    pub(super) sizes: Vec<(f64, f64)>,
}

impl<'g> Measured<'g> {
    /// Measures a graph whose nodes have these layers.
    pub(super) fn new(graph: &'g Graph, layer: &[usize]) -> Measured<'g> {
        let size = |text: &[Line]| if is_blank(text) { (0.0, 0.0) } else { extent(text) };
        let sizes: Vec<(f64, f64)> = graph.edges.iter().map(|edge| size(&edge.text)).collect();
        let mut loops = vec![Vec::new(); graph.nodes.len()];
        for (k, edge) in graph.edges.iter().enumerate() {
            if edge.source == edge.target {
                loops[edge.source].push(k);
            }
        }
        let labels = graph.edges.iter().zip(&sizes).map(|(edge, &(width, height))| {
            if edge.source == edge.target || is_blank(&edge.text) {
                return None;
            }
            Some(match graph.direction {
                Direction::Right => {
                    Room { before: height + NEAR, after: 0.0, half: width / 2.0 + NEAR }
                }
                Direction::Down => {
                    Room { before: 0.0, after: width + NEAR, half: height / 2.0 + NEAR }
                }
            })
        });
        let labels = labels.collect();
        let nodes = (0..graph.nodes.len())
            .map(|node| room(graph, node, layer[node] == 0, &loops[node], &sizes))
            .collect();
        Measured { graph, nodes, labels, sizes }
    }
}

/// Whether there is nothing to be seen.
pub(super) fn is_blank(text: &[Line]) -> bool {
    text.iter().all(|line| line.pieces.is_empty())
}

fn room(
    graph: &Graph,
    node: usize,
    is_first: bool,
    loops: &[usize],
    sizes: &[(f64, f64)],
) -> NodeRoom {
    let (width, height) = outline(graph, node);
    let turn = |(width, height)| match graph.direction {
        Direction::Right => (width, height),
        Direction::Down => (height, width),
    };
    let (mut along, mut across): (f64, f64) = turn((width / 2.0, height / 2.0));
    // Loops stand side by side, each as far from the next as their labels demand.
    let needs = |edge: usize| (turn(sizes[edge]).0 + 2.0 * NEAR).max(LOOP_FOOT + HEAD);
    let total: f64 = loops.iter().map(|&edge| needs(edge)).sum();
    let mut from = -total / 2.0;
    let mut placed = Vec::with_capacity(loops.len());
    for &edge in loops {
        placed.push((edge, from + needs(edge) / 2.0));
        from += needs(edge);
    }
    let foot = |&(_, at): &(usize, f64)| at.abs() + LOOP_FOOT / 2.0;
    let feet = placed.iter().map(foot).fold(0.0, f64::max);
    match graph.nodes[node].shape {
        Shape::Box => along = along.max(feet + 2.0),
        Shape::Ellipse => along = along.max(feet * 1.2),
        Shape::Circle => {
            along = along.max(feet * 1.2);
            across = across.max(along);
        }
    }
    let label = loops.iter().map(|&edge| turn(sizes[edge]).1).fold(0.0, f64::max);
    let beside_loops = across + if loops.is_empty() { 0.0 } else { LOOP + label + 2.0 * NEAR };
    let start = if graph.nodes[node].is_start && !is_first { START } else { 0.0 };
    let (before, after) = match graph.direction {
        Direction::Right => (beside_loops, across + start),
        Direction::Down => (across + start, beside_loops),
    };
    let half = along.max(total / 2.0);
    NodeRoom { before, after, half, outline: (along, across), loops: placed }
}

/// Width and height of a node's outline.
fn outline(graph: &Graph, node: usize) -> (f64, f64) {
    let node = &graph.nodes[node];
    let (width, height) = extent(&node.text);
    let (width, height) = match node.shape {
        Shape::Box => (width + BOX_MARGIN.0, height + BOX_MARGIN.1),
        Shape::Circle => {
            let across = ((width * width + height * height).sqrt() + ROUND_MARGIN).max(SMALLEST);
            (across, across)
        }
        Shape::Ellipse => {
            let half = std::f64::consts::SQRT_2;
            (width * half + ROUND_MARGIN, (height * half + ROUND_MARGIN).max(SMALLEST))
        }
    };
    let double = if node.is_double { 2.0 * DOUBLE } else { 0.0 };
    (width + double, height + double)
}
