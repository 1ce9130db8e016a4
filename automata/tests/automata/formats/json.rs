//! JSON: it conforms to the schema that is published, and means the automaton.

use super::{atoms, built, fixture, guards_over, random_automaton};
use automata::formats::{json, merge_parallel};
use automata::{Cube, Guard, Marks, State};
use run::SplitMix64;
use serde_json::Value;
use support::schema::check;

fn schema() -> Value {
    serde_json::from_str(&fixture("schema/automaton.schema.json")).expect("the schema is JSON")
}

#[test]
fn output_conforms_and_means_the_automaton() {
    let schema = schema();
    let tables: [&[&str]; 3] =
        [&["a", "b < \"2\"", "c"], &["@a(x)", "@a(_)", "p"], &["@a", "@b", "\n\\"]];
    for seed in 0..1500 {
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(tables[seed as usize % tables.len()]);
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut random, &mut guards, 3);
        let name = (seed % 3 > 0).then_some("G \"x\" \\ \n");
        let text = json::write(&mut guards, &automaton, &atoms, name).expect("small");
        assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "one line");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        check(&schema, &schema, &value, "").unwrap_or_else(|error| panic!("seed {seed}: {error}"));

        let merged = merge_parallel(&mut guards, &automaton).expect("small");
        assert_eq!(value["formula"].as_str(), name);
        assert_eq!(value["initial"], merged.initial().0);
        assert_eq!(value["acceptance"]["sets"], merged.acceptance_sets());
        assert_eq!(value["acceptance"]["state_based"], merged.is_state_based());
        assert_eq!(value["statistics"]["edges"], merged.all_edges().len());
        let ids: Vec<u32> = value["atoms"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|entry| {
                let name = entry["name"].as_str().expect("a name");
                let kind = if entry["kind"] == "event" {
                    ltl::AtomKind::Event(name.parse().expect("an event"))
                } else {
                    ltl::AtomKind::Proposition(name.to_owned())
                };
                atoms.iter().find(|(_, own)| **own == kind).expect("a known atom").0.0
            })
            .collect();
        let states = value["states"].as_array().expect("a list");
        assert_eq!(states.len(), merged.state_count(), "seed {seed}");
        for (k, entry) in states.iter().enumerate() {
            assert_eq!(entry["id"], k);
            let edges = entry["edges"].as_array().expect("a list");
            let expected = merged.edges(State(k as u32));
            assert_eq!(edges.len(), expected.len(), "seed {seed}");
            for (edge, expected) in edges.iter().zip(expected) {
                let mut guard = Guard::FALSE;
                for cube in edge["cubes"].as_array().expect("a list") {
                    let literal = |literal: &Value| {
                        let atom = literal["atom"].as_u64().expect("a number") as usize;
                        (ids[atom], literal["positive"].as_bool().expect("a Boolean"))
                    };
                    let cube: Cube = cube.as_array().expect("a list").iter().map(literal).collect();
                    let cube = guards.cube(&cube);
                    guard = guards.or(guard, cube);
                }
                assert_eq!(guards.and(guard, guards.possible()), expected.guard, "seed {seed}");
                let sets = edge["marks"].as_array().expect("a list").iter();
                let marks = sets.fold(Marks::NONE, |sum, set| {
                    sum | Marks::one(set.as_u64().expect("a number") as u32)
                });
                assert_eq!(
                    (edge["target"].as_u64(), marks),
                    (Some(expected.target.0.into()), expected.marks)
                );
                if merged.is_state_based() {
                    assert_eq!(entry["marks"], edge["marks"], "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn guards_are_readable() {
    let [(document, guards, automaton)] = &mut built(&fixture("hoa/three-sets.hoa"))[..] else {
        panic!("one")
    };
    let text = json::write(guards, automaton, document.atoms(), None).expect("small");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["states"][0]["edges"][0]["guard"], "!p0 & !p1 & (!p2 | p3)");
    assert_eq!(value["formula"], Value::Null);
}

#[test]
fn large_counts_are_strings() {
    let names: Vec<_> = (0..60).map(|k| format!("\"p{k}\"")).collect();
    let all: Vec<_> = (0..60).map(|k| k.to_string()).collect();
    let text = format!(
        "HOA: v1 Start: 0 AP: 60 {} Acceptance: 0 t --BODY-- State: 0 [{}] 0 State: 1 [t] 1 --END--",
        names.join(" "),
        all.join("&")
    );
    let [(document, guards, automaton)] = &mut built(&text)[..] else { panic!("one") };
    let text = json::write(guards, automaton, document.atoms(), None).expect("small");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["statistics"]["transitions"], "1152921504606846977");
    let schema = schema();
    assert_eq!(check(&schema, &schema, &value, ""), Ok(()));
}

/// The checker is no yes-man: each of these changes is found.
#[test]
fn what_does_not_conform_is_found() {
    let schema = schema();
    let [(document, guards, automaton)] = &mut built(&fixture("hoa/response-buchi.hoa"))[..] else {
        panic!("one")
    };
    let text = json::write(guards, automaton, document.atoms(), Some("f")).expect("small");
    //  in the text                       instead
    let changes = [
        ("\"schema\":1", "\"schema\":2"),
        ("\"initial\":0", "\"initial\":-1"),
        ("\"initial\":0", "\"start\":0"),
        ("\"kind\":\"proposition\"", "\"kind\":\"prop\""),
        ("\"positive\":true", "\"positive\":1"),
        ("\"marks\":[0]", "\"marks\":[64]"),
        ("\"transitions\":8", "\"transitions\":\"08\""),
        ("\"weak\":false", "\"weak\":false,\"more\":1"),
        ("\"formula\":\"f\"", "\"formula\":0"),
        (
            "\"cubes\":[[{\"atom\":0,\"positive\":false}],[{\"atom\":1,\"positive\":true}]]",
            "\"cubes\":[]",
        ),
    ];
    for (old, new) in changes {
        assert!(text.contains(old), "{old} in {text}");
        let value: Value = serde_json::from_str(&text.replacen(old, new, 1)).expect("JSON");
        assert!(check(&schema, &schema, &value, "").is_err(), "{new}");
    }
}
