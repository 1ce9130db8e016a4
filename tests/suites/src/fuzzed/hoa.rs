//! Any text as HOA: documents that can be built, written and read again, or a message about a place in the text.

use super::choices::Choices;
use super::{check_message, tokens, with_large_stack};
use automata::Limits;
use automata::formats::{Statistics, dot, hoa, json, never};

/// Longer texts say no more.
const LONGEST: usize = 8192;

/// Valid documents.
const SEEDS: [&str; 14] = [
    include_str!("../../../../fixtures/hoa/aliases.hoa"),
    include_str!("../../../../fixtures/hoa/complements.hoa"),
    include_str!("../../../../fixtures/hoa/events.hoa"),
    include_str!("../../../../fixtures/hoa/implicit-labels.hoa"),
    include_str!("../../../../fixtures/hoa/long-guards.hoa"),
    include_str!("../../../../fixtures/hoa/no-start.hoa"),
    include_str!("../../../../fixtures/hoa/parity.hoa"),
    include_str!("../../../../fixtures/hoa/rabin.hoa"),
    include_str!("../../../../fixtures/hoa/response-buchi.hoa"),
    include_str!("../../../../fixtures/hoa/response-tgba.hoa"),
    include_str!("../../../../fixtures/hoa/state-labels.hoa"),
    include_str!("../../../../fixtures/hoa/stream.hoa"),
    include_str!("../../../../fixtures/hoa/streett.hoa"),
    include_str!("../../../../fixtures/hoa/three-sets.hoa"),
];

const WORDS: [&str; 44] = [
    "HOA:",
    "v1",
    "name:",
    "tool:",
    "States:",
    "Start:",
    "AP:",
    "Alias:",
    "acc-name:",
    "Acceptance:",
    "properties:",
    "--BODY--",
    "--END--",
    "--ABORT--",
    "State:",
    "Inf(",
    "Fin(",
    "!",
    "&",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "[t]",
    "[f]",
    "@a",
    "\"@a(x)\"",
    "\"p\"",
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "32",
    "64",
    "4000000000",
    "99999999999",
    "/*",
    "*/",
    "t",
];

/// What must be true of any bytes.
pub fn check(bytes: &[u8]) {
    let base = |choices: &mut Choices<'_>| (*choices.pick(&SEEDS)).to_owned();
    if let Some(text) = tokens::text(bytes, &WORDS, base).filter(|text| text.len() <= LONGEST) {
        with_large_stack(|| check_text(&text));
    }
}

fn check_text(text: &str) {
    let documents = match hoa::read(text) {
        Ok(documents) => documents,
        Err(message) => return check_message(text, &message),
    };
    let limits = Limits { states: 500, edges: 3000, labels: 10_000, watch: None };
    for document in documents {
        let Ok(mut guards) = document.guards(limits) else { continue };
        let Ok(automaton) = document.build(&mut guards) else { continue };
        let (guards, atoms, name) = (&mut guards, document.atoms(), document.name());
        let Ok(written) = hoa::write(guards, &automaton, atoms, name) else { continue };
        check_again(&written);
        let _ = dot::write(guards, &automaton, atoms, name);
        let _ = json::write(guards, &automaton, atoms, name);
        let _ = never::write(guards, &automaton, atoms, name);
        let _ = Statistics::of(guards, &automaton);
    }
}

/// What is written can be read, and is written the same.
fn check_again(written: &str) {
    let documents = hoa::read(written);
    let documents = documents.unwrap_or_else(|wrong| panic!("{wrong:?} in {written}"));
    let [document] = &documents[..] else { panic!("{} documents in {written}", documents.len()) };
    let mut guards = document.guards(Limits::default()).expect("it was built within less");
    let automaton = document.build(&mut guards).expect("it was built within less");
    let again = hoa::write(&mut guards, &automaton, document.atoms(), document.name());
    assert_eq!(again.as_deref(), Ok(written));
}
