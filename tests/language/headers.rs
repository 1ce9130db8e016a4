//! Headers of fixtures: what is read, and what is refused.

use support::headers::header;

const DESCRIBED: &str = "-- A lock: clients wait for it,\n-- and get it. (All of them.)\n";

#[test]
fn facts_follow_a_description() {
    let text =
        format!("{DESCRIBED}-- states: 12 with N = 3, M = 1\n-- expect: \"access\" holds\n\nvar");
    let found = header(&text).expect("a header");
    assert_eq!(found.description, "A lock: clients wait for it, and get it. (All of them.)");
    let [states, expect] = &found.facts[..] else { panic!("{found:?}") };
    assert_eq!((states.kind.as_str(), states.number()), ("states", 12));
    let names: Vec<&str> = states.definitions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["N", "M"]);
    assert_eq!((expect.kind.as_str(), expect.text.as_str()), ("expect", "\"access\" holds"));
}

#[test]
fn other_lines_are_no_facts() {
    for good in [
        "symmetry: client rotations",
        "deadlocks: 0",
        "annotated edges: 7 with N = 2",
        "tracked: client 3",
        "expect: run-time error",
        "expect: \"a b\" violated under strong fairness over events alone with N = 2",
        "expect: \"a\" holds under global fairness",
    ] {
        let found = header(&format!("{DESCRIBED}-- {good}\n"));
        assert!(found.is_ok_and(|header| header.facts.len() == 1), "{good}");
    }
    for bad in [
        "state: 12",
        "states 12",
        "states: twelve",
        "states: 12 with N",
        "orbits: 3",
        "anotated edges: 7",
        "symmetry: client complete",
        "symmetry: full",
        "tracked: 3",
        "expect: access holds",
        "expect: \"access\" hold",
        "expect: \"access\" holds udner weak fairness",
        "expect: \"access\" holds under week fairness",
        "expect: \"access\" holds under weak fairness over event",
        "expect: runtime error",
        "excpect: run-time error",
        "and this is no fact",
    ] {
        // Whether it is the first fact or a later one.
        for before in ["", "-- steps: 1\n"] {
            let found = header(&format!("{DESCRIBED}{before}-- {bad}\n"));
            assert_eq!(found, Err(format!("`{bad}` states no fact")));
        }
    }
    assert!(header(&format!("{DESCRIBED}\nvar x: 0..1;")).is_err(), "nothing is known");
    assert!(header(&format!("{DESCRIBED}-- steps: 1\n-- But this was before.\n")).is_err());
}
