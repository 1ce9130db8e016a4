//! Written, read and built again, an automaton is the same: states, targets, marks, and labels on
//! the letters that exist.

use super::{atoms, built, guards_over, random_automaton};
use automata::formats::{hoa, merge_parallel};
use automata::{Automaton, Cube, Edge, Guard, Guards};
use ltl::Atoms;
use run::SplitMix64;

#[test]
fn what_is_written_is_read_back() {
    let tables: [&[&str]; 6] = [
        &["a", "b", "c"],
        &["p", "@a(x)", "@a(_)"],
        &["@a", "@b", "@c"],
        &["@by(x)", "@a", "q \"quoted\" \\ \n"],
        &["@a(x, _)", "@a(_, y)", "@by(_)"],
        &["\\@a", "@\"by\"", "x > 1"],
    ];
    for seed in 0..6000 {
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(tables[seed as usize % tables.len()]);
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut random, &mut guards, 3);
        let expected = merge_parallel(&mut guards, &automaton).expect("small");
        let name = "name \\ \"of\"\n it";
        let text = hoa::write(&mut guards, &automaton, &atoms, Some(name)).expect("small");
        let [(document, own, found)] = &mut built(&text)[..] else { panic!("one\n{text}") };
        assert_eq!(document.name(), Some(name), "seed {seed}");
        let translated = translate(own, found, document.atoms(), &mut guards, &atoms);
        assert_eq!(found.initial(), expected.initial(), "seed {seed}\n{text}");
        assert_eq!(found.acceptance_sets(), expected.acceptance_sets(), "seed {seed}\n{text}");
        assert_eq!(found.state_count(), expected.state_count(), "seed {seed}\n{text}");
        for state in expected.states() {
            let range = expected.edge_range(state);
            assert_eq!(found.edge_range(state), range, "seed {seed}\n{text}");
            assert_eq!(
                translated[range.clone()],
                expected.all_edges()[range],
                "seed {seed}\n{text}"
            );
        }
        // And the text is the same again.
        let again = hoa::write(own, found, document.atoms(), Some(name)).expect("small");
        assert_eq!(again, text, "seed {seed}");
    }
}

/// All edges, with their labels as functions over another table of atoms.
fn translate(
    own: &mut Guards,
    automaton: &Automaton,
    own_atoms: &Atoms,
    guards: &mut Guards,
    atoms: &Atoms,
) -> Vec<Edge> {
    let mut table = atoms.clone();
    let to: Vec<u32> = own_atoms.iter().map(|(_, kind)| table.intern(kind.clone()).0).collect();
    assert_eq!(table.len(), atoms.len(), "no new atoms");
    let edges = automaton.all_edges().iter().map(|edge| {
        let mut sum = Guard::FALSE;
        for cube in own.cubes(edge.guard) {
            let mut cube: Cube = cube.iter().map(|&(v, sign)| (to[v as usize], sign)).collect();
            cube.sort_unstable();
            let cube = guards.cube(&cube);
            sum = guards.or(sum, cube);
        }
        Edge { guard: guards.and(sum, guards.possible()), ..*edge }
    });
    edges.collect()
}

/// The header and the sorted, merged body, to the letter.
#[test]
fn the_text_is_as_expected() {
    let text = "HOA: v1 Start: 1 AP: 4 \"a\" \"unused\" \"@e\" \"@f\" Acceptance: 2 Inf(1)&Inf(0)
        --BODY--
        State: 0 [t] 0 {1} [0] 1 {0 1} [!0] 1 {0 1}
        State: 1 [2|3] 0 [0&2] 1 {0} [!0&2] 1 {0} [!0&!2&!3] 1 State: 2 --END--";
    let [(document, guards, automaton)] = &mut built(text)[..] else { panic!("one") };
    let written = hoa::write(guards, automaton, document.atoms(), None).expect("small");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        written,
        format!(
            "HOA: v1\ntool: \"isonomy\" \"{version}\"\nStates: 3\nStart: 1\n\
             AP: 3 \"a\" \"@e\" \"@f\"\nacc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n\
             properties: trans-labels explicit-labels trans-acc\n--BODY--\n\
             State: 0\n[t] 0 {{1}}\n[t] 1 {{0 1}}\n\
             State: 1\n[1 | 2] 0\n[!0&!1&!2] 1\n[1] 1 {{0}}\nState: 2\n--END--\n"
        )
    );
}

/// The properties that are printed behind the three hints on labels and acceptance.
#[test]
fn properties_are_those_of_the_text() {
    //  body                                                             properties
    let table = [
        ("State: 0 {0} [t] 0", "state-acc complete deterministic weak very-weak terminal"),
        ("State: 0 {0} [0] 0", "state-acc deterministic weak very-weak"),
        ("State: 0 [0] 0 [t] 1 State: 1 {0} [t] 1", "state-acc complete weak very-weak terminal"),
        (
            "State: 0 {0} [0] 0 [!0] 1 State: 1 [t] 1",
            "state-acc complete deterministic weak very-weak",
        ),
        (
            "State: 0 {0} [0] 0 [!0] 1 State: 1 {0} [t] 0",
            "state-acc complete deterministic weak terminal",
        ),
        ("State: 0 [0] 0 {0} [!0] 0", "trans-acc complete deterministic"),
        ("State: 0 {0} [0] 1 [!0] 1 State: 1 [t] 0", "state-acc complete deterministic"),
        // Nothing is accepting, so that nothing has to be complete.
        ("State: 0 [0] 0", "state-acc deterministic weak very-weak terminal"),
        ("State: 0 {0} [t] 0 State: 1 {0} [t] 1", "state-acc complete deterministic"),
        // Of letters that exist no two are shared, of others some are: the text is what counts.
        ("State: 0 [1] 0 [2] 1 State: 1 {0} [!1&!2] 1", "state-acc weak very-weak"),
        ("State: 0 [1] 0 [2&!1] 1 State: 1 {0} [!1&!2] 1", "state-acc weak very-weak"),
    ];
    for (body, expected) in table {
        let header = "HOA: v1 Start: 0 AP: 3 \"a\" \"@e\" \"@f\" Acceptance: 1 Inf(0) --BODY--";
        let [(document, guards, automaton)] = &mut built(&format!("{header} {body} --END--"))[..]
        else {
            panic!("one")
        };
        let text = hoa::write(guards, automaton, document.atoms(), None).expect("small");
        let line = text.lines().find_map(|line| line.strip_prefix("properties: "));
        let expected = format!("trans-labels explicit-labels {expected}");
        assert_eq!(line, Some(&expected[..]), "{body}");
    }
}

/// One edge per label, names from a table that is longer than what is used.
#[test]
fn merging_joins_only_edges_alike() {
    let atoms = atoms(&["a", "b"]);
    let mut guards = guards_over(&atoms);
    let mut random = SplitMix64::new(7);
    for _ in 0..500 {
        let automaton = random_automaton(&mut random, &mut guards, 2);
        let merged = merge_parallel(&mut guards, &automaton).expect("small");
        for state in automaton.states() {
            for letter in 0..4u32 {
                let moves = |automaton: &Automaton| {
                    let edges = automaton.edges(state).iter();
                    let mut moves: Vec<_> = edges
                        .filter(|e| guards.evaluate(e.guard, |v| letter >> v & 1 == 1))
                        .map(|e| (e.target, e.marks))
                        .collect();
                    moves.sort_unstable();
                    moves.dedup();
                    moves
                };
                assert_eq!(moves(&automaton), moves(&merged));
            }
            let mut keys: Vec<_> =
                merged.edges(state).iter().map(|e| (e.target, e.marks)).collect();
            let all = keys.len();
            keys.dedup();
            assert!(keys.is_sorted() && keys.len() == all, "sorted, each once");
        }
    }
}
