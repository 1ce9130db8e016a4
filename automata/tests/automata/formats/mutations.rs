//! Damaged texts: whatever stands in them, reading ends, within memory, with documents or a message
//! whose place lies in the text; and documents can be built and written.

use super::fixture;
use automata::Limits;
use automata::formats::{Statistics, dot, hoa, json, never};
use run::SplitMix64;

const FILES: [&str; 9] = [
    "aliases",
    "complements",
    "events",
    "implicit-labels",
    "long-guards",
    "parity",
    "state-labels",
    "stream",
    "streett",
];

const PIECES: [&str; 40] = [
    "99999999999",
    "4000000000",
    "2147483647",
    "1000000",
    "65",
    "64",
    "0",
    "00",
    "-1",
    "States:",
    "AP:",
    "Start:",
    "State:",
    "Alias:",
    "Acceptance:",
    "acc-name:",
    "HOA:",
    "Foo:",
    "foo:",
    "--BODY--",
    "--END--",
    "--ABORT--",
    "/*",
    "*/",
    "\"",
    "\\",
    "@a",
    "@",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "&",
    "|",
    "!",
    "Inf(",
    "Fin(",
    "é",
];

fn mutate(random: &mut SplitMix64, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let length = chars.len();
        if length == 0 {
            break;
        }
        let at = random.below(length);
        let to = (at + random.below(12)).min(chars.len());
        match random.below(7) {
            0 => _ = chars.remove(at),
            1 => chars[at] = char::from(32 + random.below(95) as u8),
            2 => chars.splice(at..at, PIECES[random.below(PIECES.len())].chars()).for_each(drop),
            3 => chars.splice(at..to, PIECES[random.below(PIECES.len())].chars()).for_each(drop),
            4 => chars.drain(at..to).for_each(drop),
            5 => {
                let copy: Vec<char> = chars[at..to].to_vec();
                let place = random.below(length);
                chars.splice(place..place, copy).for_each(drop);
            }
            _ => {
                // A number becomes another one.
                let digits = (at..chars.len()).find(|&k| chars[k].is_ascii_digit());
                if let Some(k) = digits {
                    let numbers = ["0", "1", "7", "99999999999", "2000000000"];
                    let number = numbers[random.below(numbers.len())];
                    chars.splice(k..=k, number.chars()).for_each(drop);
                }
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn damaged_texts_do_no_harm() {
    let limits = Limits { states: 1000, edges: 5000, labels: 20_000, watch: None };
    let texts = FILES.map(|file| fixture(&format!("hoa/{file}.hoa")));
    let (mut good, mut bad) = (0, 0);
    for seed in 0..12_000 {
        let mut random = SplitMix64::new(seed);
        let source = texts[random.below(texts.len())].clone();
        let text = mutate(&mut random, &source);
        let documents = match hoa::read(&text) {
            Ok(documents) => documents,
            Err(diagnostic) => {
                let span = diagnostic.span;
                assert!(text.get(span.start..span.end).is_some(), "seed {seed}: {span:?}\n{text}");
                bad += 1;
                continue;
            }
        };
        good += 1;
        for document in documents {
            let Ok(mut guards) = document.guards(limits) else { continue };
            let Ok(automaton) = document.build(&mut guards) else { continue };
            let (guards, atoms) = (&mut guards, document.atoms());
            let Ok(written) = hoa::write(guards, &automaton, atoms, document.name()) else {
                continue;
            };
            assert!(hoa::read(&written).is_ok(), "seed {seed}\n{written}");
            let _ = dot::write(guards, &automaton, atoms, document.name());
            let _ = json::write(guards, &automaton, atoms, document.name());
            let _ = never::write(guards, &automaton, atoms, document.name());
            let _ = Statistics::of(guards, &automaton);
        }
    }
    assert!(good > 500 && bad > 5000, "{good} good, {bad} bad");
}
