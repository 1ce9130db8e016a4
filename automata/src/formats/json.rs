//! Automata as JSON, schema 1: one object, on one line.
//!
//! The types below are the schema; `fixtures/schema/automaton.schema.json` says the same for other
//! programs. Only atoms that occur in labels are listed, and literals refer to them by their place
//! in that list. As in all JSON of this program, counts above 2^53 are decimal strings: many readers
//! keep numbers as doubles.

use super::label::Signs;
use super::{Printable, Statistics, readable};
use crate::automaton::{Automaton, Marks};
use crate::guard::Guards;
use crate::limits::StopReason;
use ltl::{Atom, AtomKind, Atoms};
use num_bigint::BigUint;
use serde::Serialize;

/// The automaton as one line of JSON, ending in a newline; `name` is usually the formula.
pub fn write(
    guards: &mut Guards,
    automaton: &Automaton,
    atoms: &Atoms,
    name: Option<&str>,
) -> Result<String, StopReason> {
    let printable = Printable::new(guards, automaton)?;
    let statistics = Statistics::of_printable(guards, &printable)?;
    let document = Document::of(&printable, atoms, name, &statistics);
    let text = serde_json::to_string(&document).expect("strings, numbers and lists are JSON");
    Ok(text + "\n")
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    formula: Option<&'a str>,
    atoms: Vec<AtomEntry>,
    initial: u32,
    acceptance: Acceptance,
    states: Vec<StateEntry>,
    statistics: StatisticsEntry,
}

#[derive(Serialize)]
struct AtomEntry {
    name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct Acceptance {
    r#type: &'static str,
    sets: u32,
    state_based: bool,
}

#[derive(Serialize)]
struct StateEntry {
    id: u32,
    /// Where acceptance is a matter of states.
    #[serde(skip_serializing_if = "Option::is_none")]
    marks: Option<Vec<u32>>,
    edges: Vec<EdgeEntry>,
}

#[derive(Serialize)]
struct EdgeEntry {
    target: u32,
    guard: String,
    cubes: Vec<Vec<Literal>>,
    marks: Vec<u32>,
}

#[derive(Serialize)]
struct Literal {
    atom: usize,
    positive: bool,
}

#[derive(Serialize)]
struct StatisticsEntry {
    states: usize,
    edges: usize,
    transitions: Count,
    acceptance_sets: u32,
    deterministic: bool,
    weak: bool,
}

/// A number, or its digits where it is too large for a double.
#[derive(Serialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Digits(String),
}

impl<'a> Document<'a> {
    fn of(
        printable: &Printable,
        atoms: &Atoms,
        formula: Option<&'a str>,
        statistics: &Statistics,
    ) -> Document<'a> {
        let automaton = printable.automaton();
        let state_based = automaton.is_state_based();
        let entry = |&atom: &Atom| match atoms.kind(atom) {
            AtomKind::Proposition(name) => AtomEntry { name: name.clone(), kind: "proposition" },
            AtomKind::Event(pattern) => AtomEntry { name: pattern.to_string(), kind: "event" },
        };
        let sets = |marks: Marks| marks.iter().collect::<Vec<_>>();
        let place = |variable| {
            let place = printable.atoms().binary_search(&Atom(variable));
            place.expect("the atoms of all labels are listed")
        };
        let states = automaton.states().map(|state| StateEntry {
            id: state.0,
            marks: state_based.then(|| {
                let marks = automaton.edges(state).first().map(|edge| edge.marks);
                sets(marks.unwrap_or_default())
            }),
            edges: printable
                .edges(state)
                .map(|(edge, label)| EdgeEntry {
                    target: edge.target.0,
                    guard: label
                        .factored(Signs::FORMULA, |atom| readable(atoms, atom))
                        .concat()
                        .concat(),
                    cubes: label
                        .cubes()
                        .iter()
                        .map(|cube| {
                            let literal = |&(v, positive): &_| Literal { atom: place(v), positive };
                            cube.iter().map(literal).collect()
                        })
                        .collect(),
                    marks: sets(edge.marks),
                })
                .collect(),
        });
        let Statistics { states: count, edges, transitions, acceptance_sets, deterministic, weak } =
            statistics;
        Document {
            schema: 1,
            formula,
            atoms: printable.atoms().iter().map(entry).collect(),
            initial: automaton.initial().0,
            acceptance: Acceptance {
                r#type: "generalized-buchi",
                sets: automaton.acceptance_sets(),
                state_based,
            },
            states: states.collect(),
            statistics: StatisticsEntry {
                states: *count,
                edges: *edges,
                transitions: Count::of(transitions),
                acceptance_sets: *acceptance_sets,
                deterministic: *deterministic,
                weak: *weak,
            },
        }
    }
}

impl Count {
    fn of(number: &BigUint) -> Count {
        match u64::try_from(number) {
            Ok(small) if small <= 1 << 53 => Count::Number(small),
            _ => Count::Digits(number.to_string()),
        }
    }
}
