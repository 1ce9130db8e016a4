//! An automaton in the format: labels over the atoms that occur, marks on states where acceptance
//! is a matter of states.
//!
//! The text means the automaton exactly: reading it back gives the same states, targets and marks,
//! and labels that are the same on the letters that exist.

use super::name_of;
use super::properties::properties;
use crate::automaton::{Automaton, Marks};
use crate::formats::Printable;
use crate::formats::label::Signs;
use crate::guard::Guards;
use crate::limits::StopReason;
use ltl::Atoms;
use ltl::atoms::quoted;
use std::fmt::Write as _;

/// The automaton as a text; `name` is usually the formula.
pub fn write(
    guards: &mut Guards,
    automaton: &Automaton,
    atoms: &Atoms,
    name: Option<&str>,
) -> Result<String, StopReason> {
    let printable = Printable::new(guards, automaton)?;
    let properties = properties(guards, &printable)?;
    let automaton = printable.automaton();
    let state_based = automaton.is_state_based();
    let mut out = String::from("HOA: v1\n");
    if let Some(name) = name {
        let _ = writeln!(out, "name: {}", quoted(name));
    }
    let _ = writeln!(out, "tool: \"isonomy\" {}", quoted(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(out, "States: {}", automaton.state_count());
    let _ = writeln!(out, "Start: {}", automaton.initial().0);
    let _ = write!(out, "AP: {}", printable.atoms().len());
    for &atom in printable.atoms() {
        let _ = write!(out, " {}", quoted(&name_of(atoms.kind(atom))));
    }
    out.push('\n');
    acceptance(&mut out, automaton.acceptance_sets());
    let _ = writeln!(out, "properties: {}", properties.join(" "));
    out.push_str("--BODY--\n");
    let number = |atom| {
        let place = printable.atoms().binary_search(&atom);
        place.expect("the atoms of all labels are listed").to_string()
    };
    for state in automaton.states() {
        let _ = write!(out, "State: {}", state.0);
        // A state without edges has no marks, whatever its component says.
        if state_based && let Some(edge) = automaton.edges(state).first() {
            braces(&mut out, edge.marks);
        }
        out.push('\n');
        for (edge, label) in printable.edges(state) {
            let _ = write!(out, "[{}] {}", label.text(Signs::HOA, number), edge.target.0);
            if !state_based {
                braces(&mut out, edge.marks);
            }
            out.push('\n');
        }
        guards.poll()?;
    }
    out.push_str("--END--\n");
    Ok(out)
}

fn acceptance(out: &mut String, sets: u32) {
    match sets {
        0 => out.push_str("acc-name: all\n"),
        1 => out.push_str("acc-name: Buchi\n"),
        _ => _ = writeln!(out, "acc-name: generalized-Buchi {sets}"),
    }
    let condition: Vec<_> = (0..sets).map(|set| format!("Inf({set})")).collect();
    let condition = if sets == 0 { "t".to_owned() } else { condition.join("&") };
    let _ = writeln!(out, "Acceptance: {sets} {condition}");
}

/// ` {0 2}`, or nothing.
fn braces(out: &mut String, marks: Marks) {
    if !marks.is_empty() {
        let sets: Vec<_> = marks.iter().map(|set| set.to_string()).collect();
        let _ = write!(out, " {{{}}}", sets.join(" "));
    }
}
