//! Statistics against counting letter by letter, on the text that is printed.

use super::{atoms, built, fixture, guards_over, random_automaton};
use automata::formats::{Statistics, hoa};
use ltl::{Alphabet, Atom};
use run::SplitMix64;

#[test]
fn transitions_are_letters_over_the_atoms_of_the_text() {
    let tables: [&[&str]; 4] = [
        &["a", "b", "c"],
        &["@a(x)", "@a(_)", "p"],
        &["@a", "@b", "@c"],
        &["@by(x)", "@a", "@by(_)"],
    ];
    for seed in 0..1500 {
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(tables[seed as usize % tables.len()]);
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut random, &mut guards, 3);
        let found = Statistics::of(&mut guards, &automaton).expect("small");
        let text = hoa::write(&mut guards, &automaton, &atoms, None).expect("small");
        let [(document, guards, printed)] = &mut built(&text)[..] else { panic!("one") };
        let alphabet = Alphabet::of(document.atoms()).expect("few letters");
        let (mut transitions, mut deterministic) = (0u64, true);
        for state in printed.states() {
            for letter in 0..1u32 << document.atoms().len() {
                if alphabet.allows(|Atom(atom)| letter >> atom & 1 == 1) {
                    let reads = |edge: &&automata::Edge| {
                        guards.evaluate(edge.guard, |atom| letter >> atom & 1 == 1)
                    };
                    let edges = printed.edges(state).iter().filter(reads).count();
                    transitions += edges as u64;
                    deterministic &= edges <= 1;
                }
            }
        }
        assert_eq!(found.transitions, transitions.into(), "seed {seed}\n{text}");
        assert_eq!(found.deterministic, deterministic, "seed {seed}\n{text}");
        assert_eq!(found.states, text.matches("\nState: ").count(), "seed {seed}\n{text}");
        assert_eq!(found.edges, text.matches("\n[").count(), "seed {seed}\n{text}");
    }
}

#[test]
fn fixtures_have_these_sizes() {
    //  file               states edges transitions sets deterministic weak
    let table = [
        ("response-tgba", (2, 4, 8, 1, true, false)),
        ("response-buchi", (2, 4, 8, 1, true, false)),
        ("three-sets", (2, 16, 32, 3, true, false)),
        ("implicit-labels", (1, 4, 4, 2, true, false)),
        ("state-labels", (3, 6, 8, 1, false, false)),
        ("aliases", (2, 4, 14, 0, true, true)),
        ("no-start", (1, 0, 0, 0, true, true)),
        ("rabin", (2, 4, 10, 1, false, false)),
    ];
    for (file, expected) in table {
        let [(_, guards, automaton)] = &mut built(&fixture(&format!("hoa/{file}.hoa")))[..] else {
            panic!("one")
        };
        let s = Statistics::of(guards, automaton).expect("small");
        let transitions = u32::try_from(&s.transitions).expect("small");
        let found = (s.states, s.edges, transitions, s.acceptance_sets, s.deterministic, s.weak);
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn weakness_is_that_of_components() {
    //  body                                                         weak
    let table = [
        ("State: 0 [t] 0 {0}", true),
        ("State: 0 [t] 0 {0} [t] 0", false),
        ("State: 0 [t] 0 {0} [t] 1 State: 1 [t] 1", true),
        ("State: 0 [t] 1 {0} State: 1 [t] 0", false),
        ("State: 0 [t] 1 State: 1 [t] 1 {0} State: 2 [t] 2 {0} [t] 2", true),
    ];
    for (body, weak) in table {
        let text = format!("HOA: v1 Start: 0 Acceptance: 1 Inf(0) --BODY-- {body} --END--");
        let [(_, guards, automaton)] = &mut built(&text)[..] else { panic!("one") };
        assert_eq!(Statistics::of(guards, automaton).expect("small").weak, weak, "{body}");
    }
    // A component that accepts nothing is weak whatever its marks are.
    let text =
        "HOA: v1 Start: 0 Acceptance: 2 Inf(0)&Inf(1) --BODY-- State: 0 [t] 0 {0} [t] 0 --END--";
    let [(_, guards, automaton)] = &mut built(text)[..] else { panic!("one") };
    assert!(Statistics::of(guards, automaton).expect("small").weak);
}

#[test]
fn large_counts_are_exact() {
    let names: Vec<_> = (0..200).map(|k| format!("\"p{k}\"")).collect();
    let all: Vec<_> = (0..200).map(|k| k.to_string()).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 200 {} Acceptance: 0 t --BODY-- State: 0 [{}] 0 State: 1 [t] 0 [!7] 1 --END--",
        names.join(" "),
        all.join("&")
    );
    let [(_, guards, automaton)] = &mut built(&text)[..] else { panic!("one") };
    let transitions = Statistics::of(guards, automaton).expect("small").transitions;
    // 1 + 2^200 + 2^199
    let expected = "2410407066388485413312943138511743903783304490674189252952065";
    assert_eq!(transitions.to_string(), expected);
}
