//! Pictures of automata, for Graphviz: made to be put into a paper as they are.
//!
//! An arrow out of nothing leads to the initial state. Where acceptance is a matter of states and
//! there is one set, accepting states are double circles; otherwise marks are numbered discs after
//! the guards (or in the states), each set with its own colour out of a palette that the
//! colour-blind can tell apart ([`PALETTE`]), and the caption says the condition. Discs are drawn,
//! not written: few fonts have the characters for them.
//!
//! All edges between two states share one arrow, a line of text each. Literals that all products of
//! a guard have in common are put before the rest; long guards are broken at ` | `, then at ` & `.
//! Graphviz keeps no room beside a state for the text of its loop: where other labels are high
//! enough to meet it, the ranks are moved apart.
//!
//! All text stands in HTML-like labels with everything escaped, and no name is used as an
//! identifier of the DOT language: no name can break the drawing.

use super::Printable;
use super::picture::{Arrow, Condition, Style, arrows};
use crate::automaton::{Automaton, Marks, State};
use crate::guard::Guards;
use crate::limits::StopReason;
use hashbrown::HashSet;
use ltl::Atoms;
use std::fmt::Write as _;

pub use drawing::svg::PALETTE;

/// The automaton as a graph in the DOT language; `name`, usually the formula, is the caption.
pub fn write(
    guards: &mut Guards,
    automaton: &Automaton,
    atoms: &Atoms,
    name: Option<&str>,
) -> Result<String, StopReason> {
    let printable = Printable::new(guards, automaton)?;
    let automaton = printable.automaton();
    let style = Style::of(automaton);
    let arrows = arrows(guards, &printable, atoms)?;
    let mut out = String::from("digraph automaton {\n");
    let _ = writeln!(
        out,
        "  graph [rankdir=LR, {FONT}, fontsize=13, labelloc=t, nodesep=0.3, ranksep={:.2}]\n  \
         node [shape=circle, {FONT}, fontsize=13, width=0.4, height=0.4, margin=\"0.05,0.03\"]\n  \
         edge [{FONT}, fontsize=12, arrowhead=vee, arrowsize=0.7]",
        room(&arrows, style)
    );
    let _ = writeln!(out, "  label=<{}>", caption(automaton, style, name));
    let _ = writeln!(out, "  start [shape=point, style=invis, width=0, height=0, label=\"\"]");
    let _ = writeln!(out, "  start -> {}", automaton.initial().0);
    for state in automaton.states() {
        node(&mut out, automaton, style, state);
    }
    for arrow in &arrows {
        let Arrow { source, target, .. } = arrow;
        let _ = writeln!(out, "  {} -> {} [label=<{}>]", source.0, target.0, arrow.label(style));
    }
    out.push_str("}\n");
    Ok(out)
}

const FONT: &str = "fontname=\"Helvetica,Arial,sans-serif\"";
const BREAK: &str = "<BR/>";
const TABLE: &str = "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"1\" CELLPADDING=\"0\">";

impl Arrow {
    /// A row for each edge; a column for each set that occurs.
    fn label(&self, style: Style) -> String {
        let shown = self.marks();
        let text = |lines: &[String]| {
            lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join(BREAK)
        };
        if style != Style::OnEdges || shown.is_empty() {
            return self.edges.iter().map(|(lines, _)| text(lines)).collect::<Vec<_>>().join(BREAK);
        }
        let mut out = String::from(TABLE);
        for (lines, marks) in &self.edges {
            let _ = write!(out, "<TR><TD ALIGN=\"RIGHT\">{} </TD>", text(lines));
            for set in shown.iter() {
                out.push_str(&if marks.has(set) { disc(set) } else { "<TD></TD>".to_owned() });
            }
            out.push_str("</TR>");
        }
        out + "</TABLE>"
    }

    /// Inches of the longest line, discs included, as far as can be told without a font.
    fn width(&self, style: Style) -> f64 {
        const CHARACTER: f64 = 0.08;
        const DISC: f64 = 0.2;
        let lines = self.edges.iter().flat_map(|(lines, _)| lines);
        let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
        let longest = u16::try_from(longest).unwrap_or(u16::MAX);
        let shown = self.marks();
        let discs = if style == Style::OnEdges { shown.count() } else { 0 };
        f64::from(longest) * CHARACTER + f64::from(discs) * DISC
    }

    /// Lines of text.
    fn height(&self) -> usize {
        self.edges.iter().map(|(lines, _)| lines.len()).sum()
    }
}

/// The distance of ranks in inches: enough for the text of a loop where the label of another arrow
/// of the state is high enough to meet it.
fn room(arrows: &[Arrow], style: Style) -> f64 {
    const USUAL: f64 = 0.45;
    const MOST: f64 = 2.2;
    // Labels with fewer lines stay below the text of a loop.
    const HIGH: usize = 3;
    let high: HashSet<State> = arrows
        .iter()
        .filter(|arrow| arrow.source != arrow.target && arrow.height() >= HIGH)
        .flat_map(|arrow| [arrow.source, arrow.target])
        .collect();
    let loops = arrows.iter().filter(|arrow| arrow.source == arrow.target);
    let met = loops.filter(|arrow| high.contains(&arrow.source));
    met.map(|arrow| arrow.width(style) - 0.3).fold(USUAL, f64::max).min(MOST)
}

fn caption(automaton: &Automaton, style: Style, name: Option<&str>) -> String {
    let Condition { sets, kind } = Condition::of(automaton, style);
    let inf = |set: Option<u32>| match set {
        Some(set) => format!("Inf(<FONT COLOR=\"{}\"><B>{set}</B></FONT>)", colour(set)),
        None => "…".to_owned(),
    };
    let mut condition = sets.into_iter().map(inf).collect::<Vec<_>>().join(" &amp; ");
    if !condition.is_empty() {
        condition.push(' ');
    }
    let _ = write!(condition, "[{kind}]");
    let name = name.map(escaped).filter(|name| !name.trim().is_empty());
    let name = name.map_or(String::new(), |name| format!("<TR><TD>{name}</TD></TR>"));
    let small = "<FONT POINT-SIZE=\"10\" COLOR=\"#555555\">";
    format!("{TABLE}{name}<TR><TD>{small}{condition}</FONT></TD></TR></TABLE>")
}

fn node(out: &mut String, automaton: &Automaton, style: Style, state: State) {
    let marks = automaton.edges(state).first().map_or(Marks::NONE, |edge| edge.marks);
    let _ = match style {
        Style::Circles if !marks.is_empty() => {
            writeln!(out, "  {0} [label=\"{0}\", peripheries=2]", state.0)
        }
        Style::OnStates if !marks.is_empty() => {
            let discs: String = marks.iter().map(disc).collect();
            let span = marks.count();
            let number = format!("<TR><TD COLSPAN=\"{span}\">{}</TD></TR>", state.0);
            writeln!(out, "  {} [label=<{TABLE}{number}<TR>{discs}</TR></TABLE>>]", state.0)
        }
        _ => writeln!(out, "  {0} [label=\"{0}\"]", state.0),
    };
}

fn colour(set: u32) -> &'static str {
    PALETTE[set as usize % PALETTE.len()]
}

/// A cell with the number of a set on a disc of its colour.
fn disc(set: u32) -> String {
    format!(
        "<TD STYLE=\"ROUNDED\" BGCOLOR=\"{}\" FIXEDSIZE=\"TRUE\" WIDTH=\"13\" HEIGHT=\"13\">\
         <FONT COLOR=\"white\" POINT-SIZE=\"9\">{set}</FONT></TD>",
        colour(set)
    )
}

/// As text of an HTML-like label. What XML does not allow is shown as `�`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
