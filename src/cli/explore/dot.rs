//! A picture of a small state space, or of its quotient, for Graphviz.
//!
//! In a quotient `×3` says that a node stands for 3 states, or an edge for 3 steps; an edge r → r′ with
//! the permutation `(client_0 client_1)` leads to the state that this makes of r′.

use super::super::numbers::brief;
use super::super::view::View as _;
use crate::explore::{Edge, Graph, Node};
use engine::symmetry::Indices;
use model::checked::Model;
use model::value::Scalar;
use num_bigint::BigUint;
use std::fmt::Write as _;

/// The text: one node per state or representative, one edge per step or orbit of steps.
pub(super) fn layout(model: &Model, graph: &Graph) -> String {
    let mut out = String::from(
        "digraph states {\n  node [shape=box, fontname=\"monospace\", fontsize=10]\n  \
         edge [fontname=\"sans-serif\", fontsize=10]\n",
    );
    for (k, node) in graph.nodes.iter().enumerate() {
        let mut label = String::new();
        for line in node.state.show(model).lines() {
            label.push_str(&escaped(line));
            label.push_str("\\l");
        }
        if node.orbit != BigUint::from(1_u32) {
            let _ = write!(label, "×{}\\r", brief(&node.orbit));
        }
        let _ = writeln!(out, "  {k} [label=\"{label}\"{}]", look(node));
        if node.is_start {
            let _ = writeln!(out, "  start{k} [shape=point, label=\"\"]\n  start{k} -> {k}");
        }
    }
    for edge in &graph.edges {
        let label = label(model, &graph.indices, edge);
        let _ = writeln!(out, "  {} -> {} [label=\"{label}\"]", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}

/// `client_0: grant(client_0) ×2`, and below it the permutation, unless that is the identity.
fn label(model: &Model, indices: &Indices, edge: &Edge) -> String {
    let mut out = escaped(&model.label(&edge.process, &edge.event));
    if edge.steps > 1 {
        let _ = write!(out, " ×{}", edge.steps);
    }
    if !edge.permutation.is_identity() {
        out.push_str("\\n");
        out.push_str(&escaped(&permutation(model, indices, edge)));
    }
    out
}

/// `(client_0 client_1)`
pub(super) fn permutation(model: &Model, indices: &Indices, edge: &Edge) -> String {
    let mut out = String::new();
    for cycle in edge.permutation.cycles() {
        let name = |&point: &u32| {
            let (of, k) = indices.value(point);
            Scalar::Index(of, k).show(&model.types)
        };
        let names: Vec<String> = cycle.iter().map(name).collect();
        let _ = write!(out, "({})", names.join(" "));
    }
    out
}

fn look(node: &Node) -> &'static str {
    match (node.is_violating, node.is_deadlock) {
        (true, _) => ", color=red, fontcolor=red",
        (false, true) => ", style=filled, fillcolor=lightgrey",
        (false, false) => "",
    }
}

/// Inside of quotes; a backslash would begin one of Graphviz's own escapes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
