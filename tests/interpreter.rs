//! The models of `fixtures/models`, explored by the reference interpreter: as many states and steps
//! as their headers say (counted without symmetry), and the run-time errors that they promise.

use isonomy::model::checked::{Model, PropertyId};
use isonomy::model::interpret::{Failure, Interpreter, State};
use isonomy::model::syntax::PropertyKind;
use isonomy::model::{Definition, check};
use std::collections::HashSet;
use std::path::Path;

/// The interpreter is made to be believed, not to be fast.
const MOST_STATES: usize = 6_000;

#[test]
fn fixtures_have_as_many_states_and_steps_as_they_say() {
    let mut judged = 0;
    for (name, text) in models() {
        for (states, constants) in facts(&text, "states") {
            if states > MOST_STATES {
                continue;
            }
            let model = read(&name, &text, &constants);
            let found = explore(&model).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
            assert_eq!(found.0, states, "states of {name} {constants}");
            for (steps, of) in facts(&text, "steps") {
                if of == constants {
                    assert_eq!(found.1, steps, "steps of {name} {constants}");
                }
            }
            judged += 1;
        }
        if text.contains("-- expect: run-time error") {
            let model = read(&name, &text, "");
            assert!(explore(&model).is_err(), "{name} promises a run-time error");
            judged += 1;
        }
    }
    assert!(judged > 50, "only {judged} models were judged");
}

/// How many states are reachable, and how many steps lead from one to another.
fn explore(model: &Model) -> Result<(usize, usize), Failure> {
    let interpreter = Interpreter::new(model);
    let properties = |assumed: bool| {
        let all = model.properties.iter().enumerate();
        all.filter(move |(_, property)| {
            !property.is_statement && (property.kind == PropertyKind::Assume) == assumed
        })
        .map(|(k, _)| PropertyId(k as u32))
    };
    let is_assumed = |state: &State| -> Result<bool, Failure> {
        for property in properties(true) {
            if !interpreter.holds(state, property)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut seen = HashSet::new();
    let mut waiting = Vec::new();
    let mut steps = 0;
    for start in interpreter.starts() {
        let state = start?.state;
        if is_assumed(&state)? && seen.insert(state.clone()) {
            waiting.push(state);
        }
    }
    while let Some(state) = waiting.pop() {
        for property in properties(false) {
            interpreter.holds(&state, property)?;
        }
        for step in interpreter.steps(&state)? {
            if is_assumed(&step.target)? {
                steps += 1;
                if seen.insert(step.target.clone()) {
                    waiting.push(step.target);
                }
            }
        }
        assert!(seen.len() <= 2 * MOST_STATES, "there are more states than the header says");
    }
    Ok((seen.len(), steps))
}

/// The numbers of lines `-- what: NUMBER with CONSTANTS`, with the constants.
fn facts(text: &str, what: &str) -> Vec<(usize, String)> {
    let prefix = format!("-- {what}: ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&prefix));
    lines
        .map(|fact| {
            let (count, constants) = fact.split_once(" with ").unwrap_or((fact, ""));
            (count.trim().parse().expect("a number"), constants.trim().to_owned())
        })
        .collect()
}

fn read(name: &str, text: &str, constants: &str) -> Model {
    let definitions = constants.split(',').filter_map(|definition| definition.split_once('='));
    let definitions: Vec<_> = definitions
        .map(|(name, value)| Definition { name: name.trim().into(), value: value.trim().into() })
        .collect();
    check(text, &definitions).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn models() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let files = folder.read_dir().expect("the fixtures are there");
    let mut models: Vec<_> = files
        .map(|file| {
            let path = file.expect("the folder can be read").path();
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
        })
        .collect();
    models.sort();
    models
}
