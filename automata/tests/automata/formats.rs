//! The formats of automata, against definitions that share no code with them: brute force over
//! lasso words, truth tables, a reader of JSON Schema, and the programs that read the texts.

mod acceptance;
mod dot;
mod json;
mod mutations;
mod never;
mod reading;
mod round_trip;
mod statistics;
mod svg;

use automata::formats::hoa;
use automata::{Automaton, Builder, Cube, Guard, Guards, Limits, Marks, State};
use ltl::source::Colour;
use ltl::{Alphabet, AtomKind, Atoms, Source};
use run::SplitMix64;
use std::io::Write as _;
use std::process::{Output, Stdio};
use support::needs;

/// Propositions by name; what starts with `@` is an event.
pub(crate) fn atoms(names: &[&str]) -> Atoms {
    let mut atoms = Atoms::new();
    for name in names {
        atoms.intern(match name.parse() {
            Ok(event) => AtomKind::Event(event),
            Err(_) => AtomKind::Proposition((*name).to_owned()),
        });
    }
    atoms
}

pub(crate) fn guards_over(atoms: &Atoms) -> Guards<'static> {
    Guards::over(&Alphabet::of(atoms).expect("few letters"), Limits::default())
}

/// A function given by its truth table, restricted to the letters that exist.
fn random_guard(random: &mut SplitMix64, guards: &mut Guards, atoms: u32) -> Guard {
    let table = random.next() | random.next() & random.next();
    let mut sum = Guard::FALSE;
    for row in (0..1 << atoms).filter(|row| table >> row & 1 == 1) {
        let cube: Cube = (0..atoms).map(|v| (v, row >> v & 1 == 1)).collect();
        let cube = guards.cube(&cube);
        sum = guards.or(sum, cube);
    }
    guards.and(sum, guards.possible())
}

/// Some states, up to three acceptance sets, marks on states or on edges.
pub(crate) fn random_automaton(
    random: &mut SplitMix64,
    guards: &mut Guards,
    atoms: u32,
) -> Automaton {
    let states = 1 + random.below(5);
    let sets = random.below(4) as u32;
    let state_based = random.below(2) == 0;
    let mut builder = Builder::new();
    for _ in 0..states {
        let mut marks = Marks(random.next()) & Marks::first(sets);
        for _ in 0..random.below(5) {
            if !state_based {
                marks = Marks(random.next()) & Marks::first(sets);
            }
            let guard = match random.below(4) {
                0 => guards.possible(),
                _ => random_guard(random, guards, atoms),
            };
            builder.edge(guard, marks, State(random.below(states) as u32));
        }
        builder.end_state();
    }
    builder.finish(State(random.below(states) as u32), sets)
}

/// The automata of a text, each with its document and guards; the text must be good.
pub(crate) fn built(text: &str) -> Vec<(hoa::Document, Guards<'static>, Automaton)> {
    let documents = hoa::read(text).unwrap_or_else(|diagnostic| {
        panic!("{}", Source::new("test", text).render(&diagnostic, Colour::Off))
    });
    documents
        .into_iter()
        .map(|document| {
            let mut guards = document.guards(Limits::default()).expect("few letters");
            let automaton = document.build(&mut guards).expect("a small automaton");
            (document, guards, automaton)
        })
        .collect()
}

/// A file of `fixtures/`.
pub(crate) fn fixture(name: &str) -> String {
    let path = format!("{}/../fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs a program on a text; `None` where it is not installed.
pub(crate) fn run(program: &str, arguments: &[&str], folder: &str, input: &str) -> Option<Output> {
    let mut command = needs::program(program)?;
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe was asked for");
    let input = input.to_owned();
    // From a thread: a full pipe of output must not block the input.
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    let _ = writer.join().expect("writing does not panic");
    Some(output)
}
