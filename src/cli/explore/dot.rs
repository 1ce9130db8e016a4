//! A picture of a small state space, for Graphviz.

use super::super::steps;
use isonomy::explore::{Graph, Node};
use isonomy::model::checked::Model;
use std::fmt::Write as _;

/// The text: one node per state, one edge per step.
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
        let _ = writeln!(out, "  {k} [label=\"{label}\"{}]", look(node));
        if node.is_start {
            let _ = writeln!(out, "  start{k} [shape=point, label=\"\"]\n  start{k} -> {k}");
        }
    }
    for edge in &graph.edges {
        let label = escaped(&steps::label(model, &edge.process, &edge.event));
        let _ = writeln!(out, "  {} -> {} [label=\"{label}\"]", edge.source, edge.target);
    }
    out.push_str("}\n");
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
