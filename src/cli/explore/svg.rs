//! The same picture of a small state space, or of its quotient, as [`dot`] makes, drawn here.

use super::super::numbers::brief;
use super::super::view::View as _;
use super::dot;
use crate::explore::{Edge, Graph, Node};
use drawing::{Direction, Face, Ink, Line, Shape, Side, wrapped};
use engine::symmetry::Indices;
use model::checked::Model;
use num_bigint::BigUint;
use std::fmt::Write as _;

/// Characters of a line about a state, and about a step, before it is broken.
const WIDEST: [usize; 2] = [44, 32];
/// Lines of a permutation that are shown.
const MOST_LINES: usize = 6;

/// One node per state or representative, one edge per step or orbit of steps; `name` is that of the
/// model.
pub(crate) fn graph(model: &Model, name: &str, graph: &Graph) -> drawing::Graph {
    let edge = |edge: &Edge| drawing::Edge {
        source: edge.source,
        target: edge.target,
        ink: Ink::Plain,
        text: label(model, &graph.indices, edge),
    };
    let what = if graph.indices.is_trivial() { "states" } else { "quotient" };
    drawing::Graph {
        direction: Direction::Down,
        title: format!("{what} of {name}"),
        caption: Vec::new(),
        nodes: graph.nodes.iter().map(|one| node(model, one)).collect(),
        edges: graph.edges.iter().map(edge).collect(),
    }
}

fn node(model: &Model, node: &Node) -> drawing::Node {
    let shown = node.state.show(model);
    let lines = shown.lines().flat_map(|line| wrapped(line, WIDEST[0]));
    let mut text: Vec<Line> = lines.map(|line| Line::new(Side::Left, Face::Mono, line)).collect();
    if node.orbit != BigUint::from(1_u32) {
        text.push(Line::new(Side::Right, Face::Mono, format!("×{}", brief(&node.orbit))));
    }
    drawing::Node {
        shape: Shape::Box,
        is_double: false,
        is_start: node.is_start,
        ink: match (node.is_violating, node.is_deadlock) {
            (true, _) => Ink::Alarm,
            (false, true) => Ink::Muted,
            (false, false) => Ink::Plain,
        },
        text,
    }
}

/// `client_0: grant(client_0) ×2`, and below it the permutation, unless that is the identity.
fn label(model: &Model, indices: &Indices, edge: &Edge) -> Vec<Line> {
    let mut event = model.label(&edge.process, &edge.event);
    if edge.steps > 1 {
        let _ = write!(event, " ×{}", edge.steps);
    }
    let line = |text| Line::new(Side::Left, Face::Small, text);
    let mut lines: Vec<Line> = wrapped(&event, WIDEST[1]).into_iter().map(line).collect();
    if !edge.permutation.is_identity() {
        let permutation = wrapped(&dot::permutation(model, indices, edge), WIDEST[1]);
        let is_long = permutation.len() > MOST_LINES;
        lines.extend(permutation.into_iter().take(MOST_LINES).map(line));
        lines.extend(is_long.then(|| line("…".to_owned())));
    }
    lines
}
