//! Which options go together: a table in the book, and every cell of it asked.
//!
//! `BLESS=1 cargo test --test cli combinations` writes the table.

use super::binary::{isonomy, run, scratch};
use isonomy::protocol::*;
use std::fmt::Write as _;
use std::fs;
use support::{golden, root};

/// `--engine`
const ENGINES: [&str; 3] = ["scc", "ndfs", "sets"];
/// `--symmetry`
const SYMMETRIES: [&str; 3] = ["auto", "fast", "off"];
/// What is done about memory and about the order of steps, and the options for it.
const STORES: [(&str, &[&str]); 5] = [
    ("", &[]),
    ("`--bitstate`", &["--bitstate", "1"]),
    ("`--hash-compaction`", &["--hash-compaction"]),
    ("`--compression tree`", &["--compression", "tree"]),
    ("`--por auto`", &["--por", "auto"]),
];
/// What is asked; that the assumption cuts something is asked by a formula.
const PROPERTIES: [&str; 6] = ["formula", "invariant", "cover", "liveness", "deadlock", "assume"];
/// Where systems come from.
const FRONT_ENDS: [FrontEnd; 3] = [FrontEnd::Model, FrontEnd::Net, FrontEnd::Rust];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrontEnd {
    Model,
    Net,
    Rust,
}

/// What a cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    /// An answer: what holds is said to hold.
    Works,
    /// What is violated is found, what holds is unknown: exit code 3.
    Incomplete,
    /// Exit code 2, and this is part of the reason.
    Refused(&'static str),
    /// There is no way to ask for it.
    Absent,
}

/// The rules of the table.
fn cell(of: FrontEnd, engine: &str, symmetry: &str, store: usize, property: &str) -> Cell {
    let is_hashed = store == 1 || store == 2;
    let is_searched = property == "formula" || property == "assume";
    match of {
        FrontEnd::Net if property == "liveness" || property == "assume" => Cell::Absent,
        FrontEnd::Rust if symmetry == "fast" || store >= 3 => Cell::Absent,
        // An engine says how it stores nodes.
        FrontEnd::Rust if is_hashed && engine != "ndfs" => Cell::Absent,
        _ if store == 3 => Cell::Refused("--compression"),
        _ if is_hashed && engine != "ndfs" => Cell::Refused("are nested searches"),
        FrontEnd::Net if symmetry == "fast" => Cell::Refused("--symmetry fast"),
        // For a net, this is a formula like others.
        FrontEnd::Net if is_hashed && property == "invariant" => Cell::Incomplete,
        _ if is_hashed && is_searched => Cell::Incomplete,
        _ => Cell::Works,
    }
}

const MODEL: &str = "
type t: scalarset(3);
var at: t; steps: 0..4; worked: array [t] of boolean;
ruleset i: t do startstate at := i; steps := 0; for j: t do worked[j] := false; end; end; end;
process i: t do rule \"work\" !worked[i] ==> worked[i] := true; end; end;
ruleset i: t do rule \"pass\" i != at ==> at := i; steps := (steps + 1) % 5; end; end;
invariant \"invariant\" steps < 5;
cover \"cover\" steps = 3;
liveness \"liveness\" steps = 0;
ltl \"formula\" : G F steps != 2;
";

fn model(property: &str) -> String {
    let more = match property {
        "assume" => "assume \"few\" steps < 4;\nltl \"assume\" : F G steps < 2 -> G steps < 4;\n",
        _ => "",
    };
    format!("{MODEL}{more}")
}

/// The file of a net, and its options for a property.
const NET: &str = "fixtures/nets/clients.pnml";

/// Properties of that net: `WORKING` is the number of clients that work.
fn net_property(property: &str) -> &'static str {
    match property {
        "formula" => "G F @leave",
        "invariant" => "<all-paths><globally>WORKING</globally></all-paths>",
        "cover" => "<exists-path><finally>WORKING</finally></exists-path>",
        other => unreachable!("nets have no `{other}`"),
    }
}

fn net_properties(property: &str) -> String {
    let working = "<integer-le>\
        <tokens-count><place>Working</place></tokens-count><integer-constant>1</integer-constant>\
        </integer-le>";
    let formula = net_property(property).replace("WORKING", working);
    format!(
        "<property-set><property><id>{property}</id><formula>{formula}</formula></property></property-set>"
    )
}

struct Token;

index! { Place }

impl Protocol for Token {
    type State = (Place, u8);
    type Event = Place;

    fn indices(&self) -> Indices {
        Indices::new().with::<Place>(3)
    }

    fn starts(&self, all: &Indices) -> Vec<(Place, u8)> {
        all.all().map(|at| (at, 0)).collect()
    }

    fn events(&self, (at, _): &(Place, u8), enabled: &mut Vec<Place>) {
        enabled.push(*at);
    }

    fn next(&self, (_, steps): &(Place, u8), to: &Place) -> Option<(Place, u8)> {
        Some((*to, (steps + 1) % 5))
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state("two", |(_, steps)| *steps == 2).state("few", |(_, steps)| *steps < 4);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.always("invariant", |(_, steps)| *steps < 5);
        properties.sometimes("cover", |(_, steps)| *steps == 3);
        properties.possible("liveness", |(_, steps)| *steps == 0);
    }
}

/// The exit code of a cell, and what is said.
fn asked(
    of: FrontEnd,
    engine: &str,
    symmetry: &str,
    store: usize,
    property: &str,
) -> (i32, String) {
    if of == FrontEnd::Model {
        let file = scratch("combinations.m");
        fs::write(&file, model(property)).expect("a file");
        let path = file.to_str().expect("a name");
        let mut arguments = vec!["check", path, "--engine", engine, "--symmetry", symmetry];
        arguments.extend(STORES[store].1);
        match property {
            "deadlock" => arguments.extend(["--deadlock", "stuck", "-p", "invariant"]),
            property => arguments.extend(["-p", property]),
        }
        let done = run(isonomy(&arguments), b"");
        fs::remove_file(&file).expect("it was written");
        return (done.code.expect("an exit code"), done.out + &done.err);
    }
    if of == FrontEnd::Net {
        let net = root().join(NET);
        let net = net.to_str().expect("a name");
        let file = scratch("combinations.xml");
        let mut arguments = vec!["check", net, "--engine", engine, "--symmetry", symmetry];
        arguments.extend(STORES[store].1);
        match property {
            "deadlock" => arguments.extend(["--deadlock", "stuck"]),
            "formula" => arguments.push(net_property(property)),
            _ => {
                fs::write(&file, net_properties(property)).expect("a file");
                arguments.extend(["--properties", file.to_str().expect("a name")]);
            }
        }
        let done = run(isonomy(&arguments), b"");
        let _ = fs::remove_file(&file);
        return (done.code.expect("an exit code"), done.out + &done.err);
    }
    let engine = match (engine, store) {
        ("scc", _) => Engine::Components,
        ("sets", _) => Engine::Sets,
        (_, 1) => Engine::Bitstate { bytes: 1 << 20 },
        (_, 2) => Engine::Compaction,
        _ => Engine::Nested,
    };
    let formula = if property == "assume" { "F G few -> G few" } else { "G F !two" };
    let asked = check(Token).engine(engine).symmetry(symmetry != "off").threads(2);
    let asked = asked.deadlocks(property == "deadlock");
    let asked = match property {
        "formula" | "assume" => asked.formula(formula).expect("a formula"),
        _ => asked,
    };
    let report = asked.run().expect("it can be checked");
    let name = match property {
        "formula" | "assume" => formula,
        "deadlock" => "invariant",
        other => other,
    };
    let verdict = report.answer(name).expect("it was asked").verdict();
    let code = match verdict {
        Verdict::Holds => 0,
        Verdict::Violated => 1,
        Verdict::Unknown => 3,
    };
    (code, format!("{verdict:?}"))
}

#[test]
fn every_combination_is_as_the_table_says() {
    let mut wrong = Vec::new();
    for of in FRONT_ENDS {
        for engine in ENGINES {
            for symmetry in SYMMETRIES {
                for (store, (name, _)) in STORES.iter().enumerate() {
                    for property in PROPERTIES {
                        let expected = cell(of, engine, symmetry, store, property);
                        if expected == Cell::Absent {
                            continue;
                        }
                        let (code, said) = asked(of, engine, symmetry, store, property);
                        let is_so = match expected {
                            Cell::Works => code == 0,
                            Cell::Incomplete => code == 3,
                            Cell::Refused(reason) => code == 2 && said.contains(reason),
                            Cell::Absent => unreachable!("it was left out"),
                        };
                        if !is_so {
                            let of = format!("{of:?} {engine} {symmetry} {name} {property}");
                            wrong.push(format!("{of}: {code}, not {expected:?}\n{said}"));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a row says of all symmetries together.
fn told(of: FrontEnd, engine: &str, store: usize, property: &str) -> String {
    let cells = SYMMETRIES.map(|symmetry| cell(of, engine, symmetry, store, property));
    let name = |cell: Cell| match cell {
        Cell::Works => "works",
        Cell::Incomplete => "incomplete",
        Cell::Refused(_) => "refused",
        Cell::Absent => "—",
    };
    if cells.iter().all(|cell| *cell == cells[0]) {
        return name(cells[0]).to_owned();
    }
    let is_answered = |cell: &Cell| matches!(cell, Cell::Works | Cell::Incomplete);
    let all = SYMMETRIES.iter().zip(cells).filter(|(_, cell)| is_answered(cell));
    let with: Vec<&str> = all.clone().map(|(symmetry, _)| *symmetry).collect();
    let (_, first) = all.clone().next().expect("some can be asked for");
    assert!(all.clone().all(|(_, cell)| cell == first), "one word for all");
    format!("{} ({})", name(first), with.join(", "))
}

fn table() -> String {
    let mut text = String::new();
    let _ = writeln!(text, "| system | `--engine` | besides | {} |", PROPERTIES.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(PROPERTIES.len()));
    for of in FRONT_ENDS {
        for engine in ENGINES {
            for (store, (option, _)) in STORES.iter().enumerate() {
                let cells = PROPERTIES.map(|property| told(of, engine, store, property));
                let of = match of {
                    FrontEnd::Model => "model text",
                    FrontEnd::Net => "net",
                    FrontEnd::Rust => "Rust",
                };
                let _ = writeln!(text, "| {of} | `{engine}` | {option} | {} |", cells.join(" | "));
            }
        }
    }
    text
}

#[test]
fn the_book_has_the_table() {
    let (begin, end) = ("<!-- combinations begin -->\n\n", "\n<!-- combinations end -->");
    let file = root().join("docs/cli.md");
    let book = fs::read_to_string(&file).expect("the book");
    let (before, rest) = book.split_once(begin).expect("the table begins");
    let (found, after) = rest.split_once(end).expect("the table ends");
    if golden::is_blessed() {
        let all = [before, begin, &table(), end, after].concat();
        fs::write(&file, all).expect("the book can be written");
        return;
    }
    assert_eq!(found, table(), "the table has changed: run again with BLESS=1");
}
