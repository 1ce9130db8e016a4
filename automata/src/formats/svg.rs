//! Pictures of automata that need no other program; the same as those for Graphviz ([`dot`](super::dot)) in all that
//! matters.

use super::Printable;
use super::picture::{Arrow, Condition, Style, arrows};
use crate::automaton::{Automaton, Marks, State};
use crate::guard::Guards;
use crate::limits::StopReason;
use drawing::{Direction, Edge, Face, Graph, Ink, Line, Node, Piece, Shape, Side, wrapped};
use ltl::Atoms;

/// Characters of the name before a line is broken.
const WIDEST: usize = 80;

/// The automaton as a graph to be drawn; `name`, usually the formula, is the caption.
pub fn graph(
    guards: &mut Guards,
    automaton: &Automaton,
    atoms: &Atoms,
    name: Option<&str>,
) -> Result<Graph, StopReason> {
    let printable = Printable::new(guards, automaton)?;
    let automaton = printable.automaton();
    let style = Style::of(automaton);
    let edge = |arrow: &Arrow| Edge {
        source: arrow.source.0 as usize,
        target: arrow.target.0 as usize,
        ink: Ink::Plain,
        text: label(arrow, style),
    };
    let name = name.filter(|name| !name.trim().is_empty());
    Ok(Graph {
        direction: Direction::Right,
        title: format!("automaton {}", name.unwrap_or_default()).trim_end().to_owned(),
        caption: caption(automaton, style, name),
        nodes: automaton.states().map(|state| node(automaton, style, state)).collect(),
        edges: arrows(guards, &printable, atoms)?.iter().map(edge).collect(),
    })
}

fn caption(automaton: &Automaton, style: Style, name: Option<&str>) -> Vec<Line> {
    let Condition { sets, kind } = Condition::of(automaton, style);
    let words = |text: String, ink| Piece::Words { text, face: Face::Small, ink };
    let mut pieces = Vec::new();
    for (k, set) in sets.into_iter().enumerate() {
        let and = if k == 0 { "" } else { " & " };
        match set {
            Some(set) => pieces.extend([
                words(format!("{and}Inf("), Ink::Muted),
                words(set.to_string(), Ink::Colour(set)),
                words(")".to_owned(), Ink::Muted),
            ]),
            None => pieces.push(words(format!("{and}…"), Ink::Muted)),
        }
    }
    let space = if pieces.is_empty() { "" } else { " " };
    pieces.push(words(format!("{space}[{kind}]"), Ink::Muted));
    let name = name.map_or(Vec::new(), |name| wrapped(name, WIDEST));
    let mut lines: Vec<Line> =
        name.into_iter().map(|line| Line::new(Side::Middle, Face::Sans, line)).collect();
    lines.push(Line { side: Side::Middle, pieces });
    lines
}

fn node(automaton: &Automaton, style: Style, state: State) -> Node {
    let marks = automaton.edges(state).first().map_or(Marks::NONE, |edge| edge.marks);
    let mut text = vec![Line::new(Side::Middle, Face::Sans, state.0.to_string())];
    if style == Style::OnStates && !marks.is_empty() {
        let pieces = marks.iter().map(Piece::Disc).collect();
        text.push(Line { side: Side::Middle, pieces });
    }
    Node {
        shape: Shape::Circle,
        is_double: style == Style::Circles && !marks.is_empty(),
        is_start: state == automaton.initial(),
        ink: Ink::Plain,
        text,
    }
}

/// A line for each edge, or several; the discs stand in columns after the last.
fn label(arrow: &Arrow, style: Style) -> Vec<Line> {
    let shown = if style == Style::OnEdges { arrow.marks() } else { Marks::NONE };
    let side = if shown.is_empty() { Side::Middle } else { Side::Right };
    let mut lines = Vec::new();
    for (guard, marks) in &arrow.edges {
        for (k, text) in guard.iter().enumerate() {
            let mut line = Line::new(side, Face::Sans, text);
            let is_last = k + 1 == guard.len();
            line.pieces.extend(shown.iter().map(|set| {
                if is_last && marks.has(set) { Piece::Disc(set) } else { Piece::NoDisc }
            }));
            lines.push(line);
        }
    }
    lines
}
