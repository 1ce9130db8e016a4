//! Formulas over many events: at most one of them happens in a step, and automata know it.

use automata::accepts::accepts;
use automata::emptiness::is_empty;
use automata::translate::{Acceptance, Effort, Translator};
use automata::{Automaton, Limits};
use ltl::generate::Random;
use ltl::parser::{Language, parse};
use ltl::word::{Lasso, Letter};
use ltl::{Alphabet, Atom, Atoms, Formulas};

/// An operator between formulas about each of the events, in which `@e` stands for the event; and whether the
/// formula and its negation can be satisfied if there are several.
const FAMILIES: [(&str, &str, [bool; 2]); 12] = [
    (" & ", "G F @e", [true, true]),
    (" | ", "G F @e", [true, true]),
    (" & ", "F G @e", [false, true]),
    (" | ", "F G @e", [true, true]),
    (" & ", "G F !@e", [true, true]),
    (" | ", "G F !@e", [true, false]),
    (" & ", "F G !@e", [true, true]),
    (" | ", "F G !@e", [true, true]),
    (" & ", "F @e", [true, true]),
    (" | ", "G @e", [true, true]),
    (" & ", "(F G !@e | G F p)", [true, true]),
    (" & ", "(G F p -> G F @e)", [true, true]),
];

/// Words with an event each that never happens from some point on, words in which all happen again and
/// again, and random ones.
fn words(alphabet: &Alphabet, atoms: &[Atom], events: &[Atom]) -> Vec<Lasso> {
    let letter = |event: Atom| {
        let mut letter = Letter::new();
        letter.set(event, true);
        letter
    };
    let all: Vec<Letter> = events.iter().map(|&event| letter(event)).collect();
    let lasso = |stem: &[Letter], cycle: Vec<Letter>| {
        Lasso::new(stem.to_vec(), cycle).expect("the cycle is not empty")
    };
    let mut words = vec![
        lasso(&[], all.clone()),
        lasso(&[], [&all[..], &[Letter::new()]].concat()),
        lasso(&all, vec![Letter::new()]),
    ];
    for without in 0..all.len() {
        let mut some = all.clone();
        some.remove(without);
        some.push(Letter::new());
        words.push(lasso(&all, some));
        words.push(lasso(&[], vec![all[without].clone()]));
    }
    let mut random = Random::new(events.len() as u64);
    words.extend((0..50).map(|_| random.lasso(alphabet, atoms, 3, 2 * events.len())));
    words
}

/// The automaton of a formula about this many events, checked on words.
fn translated(
    count: usize,
    (operator, each): (&str, &str),
    is_negated: bool,
    (effort, acceptance): (Effort, Acceptance),
) -> Automaton {
    let parts: Vec<String> =
        (0..count).map(|k| format!("({})", each.replace("@e", &format!("@e({k})")))).collect();
    let negation = if is_negated { "!" } else { "" };
    let text = format!("{negation}({})", parts.join(operator));
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let f = parse(Language::Spot, &text, &mut formulas, &mut atoms).expect("a formula");
    let alphabet = Alphabet::of(&atoms).expect("few combinations");
    let all: Vec<Atom> = atoms.iter().map(|(atom, _)| atom).collect();
    // Far below the usual limit: nothing here grows with sets of events.
    let limits = Limits { labels: 1 << 20, ..Limits::default() };
    let mut translator = Translator::new(&alphabet, effort, limits);
    let automaton = translator.translate(&mut formulas, f, acceptance);
    let automaton = automaton.unwrap_or_else(|reason| panic!("{text}: {reason}"));
    let relaxed = translator.relaxed(&automaton).expect("it is within the limits");
    for word in words(&alphabet, &all, alphabet.events()) {
        let expected = word.satisfies(&formulas, f);
        for one in [&automaton, &relaxed] {
            let found = accepts(&translator.guards, one, &word);
            assert_eq!(found, expected, "{text} ({effort:?}, {acceptance:?}) on {word:?}");
        }
    }
    automaton
}

#[test]
fn few_events_in_every_way() {
    for (operator, each, is_satisfiable) in FAMILIES {
        for is_negated in [false, true] {
            for effort in [Effort::Low, Effort::Medium, Effort::High] {
                for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
                    for count in 1..=4 {
                        let made =
                            translated(count, (operator, each), is_negated, (effort, acceptance));
                        let is_satisfied = is_satisfiable[usize::from(is_negated)] || count == 1;
                        assert_eq!(is_empty(&made), !is_satisfied, "{each}{operator}: {count}");
                    }
                }
            }
        }
    }
}

#[test]
fn many_events() {
    for count in [20, 40] {
        for (operator, each, is_satisfiable) in FAMILIES {
            // Every event is there or still to come: these automata have a state for each set of events.
            let is_large = each == "F @e" || each.contains('p');
            if is_large {
                continue;
            }
            for is_negated in [false, true] {
                let how = (Effort::High, Acceptance::Generalized);
                let made = translated(count, (operator, each), is_negated, how);
                assert!(
                    made.state_count() <= count + 2,
                    "{each}{operator}: {}",
                    made.state_count()
                );
                let is_satisfied = is_satisfiable[usize::from(is_negated)];
                assert_eq!(is_empty(&made), !is_satisfied, "{each}{operator}");
            }
        }
    }
}
