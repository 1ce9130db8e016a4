//! Models whose header comments state what is known of them: the reference interpreter finds the
//! same.

use hashbrown::{HashMap, HashSet};
use model::checked::{Group, Model, PropertyId};
use model::interpret::{Failure, Interpreter, State};
use model::syntax::PropertyKind;
use std::collections::VecDeque;
use support::headers::fixtures;

/// Larger state spaces are left to faster engines.
const MOST_STATES: usize = 6_000;

/// What the interpreter finds in a whole state space.
#[derive(Default)]
struct Found {
    states: usize,
    steps: usize,
    deadlocks: usize,
    /// Top-level invariants by name, and whether they hold.
    invariants: HashMap<String, bool>,
    failure: Option<Failure>,
}

/// Breadth first, up to a run-time error. States that violate an assumption are dropped.
fn explore(model: &Model) -> Found {
    let interpreter = Interpreter::new(model);
    let properties = || {
        let all = model.properties.iter().enumerate().filter(|(_, one)| !one.is_statement);
        all.map(|(k, one)| (PropertyId(k as u32), one))
    };
    let is_assumed = |state: &State| {
        properties().filter(|(_, one)| one.kind == PropertyKind::Assume).all(|(id, _)| {
            interpreter.holds(state, id).expect("assumptions of fixtures do not fail")
        })
    };
    let mut found = Found::default();
    let mut seen: HashSet<State> = HashSet::new();
    let mut open: VecDeque<State> = VecDeque::new();
    for start in interpreter.starts() {
        match start {
            Err(failure) => {
                found.failure.get_or_insert(failure);
            }
            Ok(start) if is_assumed(&start.state) && seen.insert(start.state.clone()) => {
                open.push_back(start.state);
            }
            Ok(_) => {}
        }
    }
    while let Some(state) = open.pop_front() {
        for (id, property) in properties() {
            if let (PropertyKind::Invariant | PropertyKind::Assert, Some(name)) =
                (property.kind, &property.name)
            {
                match interpreter.holds(&state, id) {
                    Ok(holds) => *found.invariants.entry(name.clone()).or_insert(true) &= holds,
                    Err(failure) => found.failure = found.failure.or(Some(failure)),
                }
            }
        }
        let steps = match interpreter.steps(&state) {
            Ok(steps) => steps,
            Err(failure) => {
                found.failure.get_or_insert(failure);
                continue;
            }
        };
        let steps: Vec<_> = steps.into_iter().filter(|step| is_assumed(&step.target)).collect();
        found.steps += steps.len();
        found.deadlocks += usize::from(steps.is_empty());
        for step in steps {
            if seen.insert(step.target.clone()) {
                open.push_back(step.target);
            }
        }
    }
    found.states = seen.len();
    found
}

#[test]
fn every_fact_about_states_is_found() {
    let mut checked = 0;
    for fixture in fixtures() {
        for size in fixture.sizes() {
            if !size.is_within(MOST_STATES) {
                continue;
            }
            let (definitions, fails) = (size.definitions, size.fails());
            let model = fixture.model(definitions);
            let found = explore(&model);
            let context = format!("{} {definitions:?}", fixture.name);
            assert_eq!(found.failure.is_some(), fails, "{context}: {:?}", found.failure);
            for (kind, number) in
                [("states", found.states), ("steps", found.steps), ("deadlocks", found.deadlocks)]
            {
                if let Some(stated) = size.stated(kind) {
                    assert_eq!(number, stated, "{context}: {kind}");
                    checked += 1;
                }
            }
            for fact in size.facts.iter().filter(|fact| fact.kind == "expect") {
                if let Some((name, verdict)) = fact.text.trim_start_matches('"').split_once('"')
                    && let Some(holds) = found.invariants.get(name)
                {
                    let verdict = verdict.trim();
                    assert_eq!(
                        if *holds { "holds" } else { "violated" },
                        verdict,
                        "{context}: {name}"
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} facts were found to be checked");
}

#[test]
fn every_index_type_has_the_group_that_is_stated() {
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        for fact in fixture.facts.iter().filter(|fact| fact.kind == "symmetry") {
            let (name, group) = fact.text.split_once(' ').expect("TYPE GROUP");
            let group = match group {
                "full" => Group::Full,
                "rotations" => Group::Rotations,
                "dihedral" => Group::Dihedral,
                "trivial" => Group::Trivial,
                other => panic!("{}: there is no group `{other}`", fixture.name),
            };
            let found = model
                .symmetries
                .iter()
                .find(|one| model.types.index_type(one.of).name == name)
                .unwrap_or_else(|| panic!("{}: no index type `{name}`", fixture.name));
            assert_eq!(found.group, group, "{}: {name}: {:?}", fixture.name, found.reasons);
        }
    }
}

#[test]
fn every_expectation_names_a_property() {
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        let states = model.properties.iter().filter_map(|one| one.name.as_deref());
        let names: HashSet<&str> =
            states.chain(model.formulas.iter().filter_map(|one| one.name.as_deref())).collect();
        for fact in fixture.facts.iter().filter(|fact| fact.kind == "expect") {
            if let Some((name, _)) =
                fact.text.strip_prefix('"').and_then(|rest| rest.split_once('"'))
            {
                assert!(names.contains(name), "{}: no property \"{name}\"", fixture.name);
            }
        }
    }
}
