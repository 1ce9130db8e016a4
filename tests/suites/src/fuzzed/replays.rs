//! Results of checks, altered: `isonomy replay` accepts, rejects or refuses them, and accepts nothing that is not so.
//!
//! The results are those of small models, as the program itself prints them. They are altered as trees: values, keys and
//! parts are exchanged, removed and repeated. Bytes that begin with ASCII are a file of results themselves.
//!
//! A result that was altered and is accepted must be about a property that is violated: a check of the property finds a
//! run that violates it, too.

use super::choices::Choices;
use super::program::{Folder, run};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::OnceLock;

/// Models with all kinds of results: lassos, laps, components, states, deadlocks, run-time errors. Each with the options
/// and formulas of a check.
const MODELS: [(&str, &[&str]); 7] = [
    (
        include_str!("../../../../fixtures/cli/lock.m"),
        &[
            "--deadlock=stuck",
            "--fairness=weak",
            "forall c: client. G(st[c] = Waiting -> F st[c] = Working)",
            "forall distinct c, d: client. G(@grant(c) -> X !@grant(d)) & G F @by(server)",
        ],
    ),
    (include_str!("../../../../fixtures/cli/lost.m"), &[]),
    (
        include_str!("../../../../fixtures/cli/mutex.m"),
        &["--fairness=strong", "--fair-over=event", "forall c: client. G !@take(c)", "F G taken"],
    ),
    (include_str!("../../../../fixtures/cli/tokens.m"), &["--deadlock=stuttering"]),
    // Its loop is one of many laps.
    (include_str!("../../../../fixtures/cli/turns.m"), &["forall w: worker. F G turn != w"]),
    (include_str!("../../../../fixtures/cli/wrong.m"), &[]),
    // Its globally fair runs are a component.
    (
        include_str!("../../../../fixtures/models/resource_controller.m"),
        &["-DN=7", "--fairness=global", "forall c: client. F G st[c] != K"],
    ),
];

/// The program's own results for [`MODELS`].
fn results(binary: &Path) -> &'static [Value] {
    static RESULTS: OnceLock<Vec<Value>> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let of = |(model, options): &(&str, &[&str])| {
            let folder = Folder::new();
            folder.write("model.m", model.as_bytes());
            let arguments = [&["check", "model.m", "--format", "json"][..], options].concat();
            let ended = run(binary, &folder, &arguments, b"");
            serde_json::from_str(&ended.out).unwrap_or_else(|wrong| panic!("{wrong}: {ended:?}"))
        };
        MODELS.iter().map(of).collect()
    })
}

/// What must be true of any bytes.
pub fn check(binary: &Path, bytes: &[u8]) {
    let folder = Folder::new();
    if bytes.first().is_none_or(u8::is_ascii) {
        let model = bytes.len() % MODELS.len();
        folder.write("model.m", MODELS[model].0.as_bytes());
        run(binary, &folder, &["replay", "model.m", "-"], bytes);
        return;
    }
    let mut choices = Choices::new(&bytes[1..]);
    let which = choices.below(MODELS.len());
    let original = &results(binary)[which];
    folder.write("model.m", MODELS[which].0.as_bytes());
    // One result alone, so that what is altered is what is replayed.
    let all = original["results"].as_array().expect("a list of results");
    let shown: Vec<&Value> = all.iter().filter(|one| !one["counterexample"].is_null()).collect();
    if shown.is_empty() {
        return;
    }
    let mut altered = original.clone();
    altered["results"] = json!([choices.pick(&shown)]);
    let flags = choices.byte();
    for _ in 0..=choices.below(4) {
        alter(&mut altered, original, &mut choices);
    }
    folder.write("result.json", altered.to_string().as_bytes());
    let mut arguments = vec!["replay", "model.m", "result.json"];
    arguments.extend((flags & 1 != 0).then_some("--full-states"));
    arguments.extend((flags & 2 != 0).then_some("--paranoid"));
    if run(binary, &folder, &arguments, b"").code == 0 {
        confirm(binary, &folder, &altered);
    }
}

/// A property of an accepted result is violated.
fn confirm(binary: &Path, folder: &Folder, altered: &Value) {
    // An alteration may have brought other results back: the first with a run is replayed.
    let mut results = altered["results"].as_array().into_iter().flatten();
    let Some(result) = results.find(|one| !one["counterexample"].is_null()) else { return };
    let text = |key: &str| result[key].as_str();
    let mut arguments = vec!["check".to_owned(), "model.m".to_owned()];
    // The constants of the file are those that count.
    for (name, value) in altered["constants"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        arguments.push(format!("-D{name}={value}"));
    }
    match (text("kind"), text("name"), text("formula")) {
        (Some("ltl"), Some(name), _) => arguments.push(format!("--property={name}")),
        (Some("ltl"), None, Some(formula)) => {
            arguments.extend(["--".to_owned(), formula.to_owned()]);
        }
        // Of all others the judge asks the interpreter alone; there is nothing else to ask.
        _ => return,
    }
    let fairness = text("fairness").unwrap_or("none");
    arguments.insert(2, format!("--fairness={fairness}"));
    if let (Some(over), "weak" | "strong") = (text("over"), fairness) {
        arguments.insert(3, format!("--fair-over={over}"));
    }
    let is_declared = result["declared_fairness"].as_array().is_some_and(|all| !all.is_empty());
    if !is_declared {
        arguments.insert(2, "--ignore-declared-fairness".to_owned());
    }
    let ended = run(binary, folder, &arguments, b"");
    assert_eq!(ended.code, 1, "accepted, but not violated: {altered}\n{arguments:?} {ended:?}");
}

/// Does something to some part of a value.
fn alter(value: &mut Value, original: &Value, choices: &mut Choices<'_>) {
    let depth = 1 + choices.below(9);
    let mut at = value;
    for _ in 0..depth {
        if is_leaf(at) {
            break;
        }
        at = match at {
            Value::Array(items) => {
                let k = choices.below(items.len());
                &mut items[k]
            }
            Value::Object(fields) => {
                let k = choices.below(fields.len());
                fields.values_mut().nth(k).expect("there are so many fields")
            }
            _ => return,
        };
    }
    match choices.below(10) {
        0 => *at = Value::Null,
        1 => *at = number(at, choices),
        2 => *at = part(original, choices).clone(),
        3 => *at = json!(*choices.pick(&WORDS)),
        4 => shorten(at, choices),
        5 => repeat(at, choices),
        6 => swap(at, choices),
        7 => rename(at, choices),
        8 => *at = json!([at.take()]),
        _ => {
            if let Value::Object(fields) = at {
                let name = *choices.pick(&WORDS);
                fields.insert(name.to_owned(), part(original, choices).clone());
            }
        }
    }
}

/// Words that have a meaning somewhere in results.
const WORDS: [&str; 32] = [
    "",
    "schema",
    "constants",
    "results",
    "name",
    "kind",
    "formula",
    "fairness",
    "over",
    "bindings",
    "counterexample",
    "stem",
    "cycle",
    "end",
    "state",
    "process",
    "event",
    "args",
    "lap_permutation",
    "component",
    "none",
    "weak",
    "strong",
    "global",
    "process",
    "server",
    "client_0",
    "(0 1 2)",
    "(0 1)(2",
    "G F @take",
    "forall c: client. G true",
    "1",
];

fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

/// Some part of a value.
fn part<'v>(value: &'v Value, choices: &mut Choices<'_>) -> &'v Value {
    let mut at = value;
    for _ in 0..=choices.below(9) {
        at = match at {
            Value::Array(items) if !items.is_empty() => choices.pick(items),
            Value::Object(fields) if !fields.is_empty() => {
                let k = choices.below(fields.len());
                fields.values().nth(k).expect("there are so many fields")
            }
            _ => return at,
        };
    }
    at
}

fn number(at: &Value, choices: &mut Choices<'_>) -> Value {
    let known = at.as_i64().unwrap_or(0);
    match choices.below(8) {
        0 => json!(known.wrapping_add(1)),
        1 => json!(known.wrapping_sub(1)),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(0.5),
        _ => json!(1e300),
    }
}

fn shorten(at: &mut Value, choices: &mut Choices<'_>) {
    match at {
        Value::Array(items) if !items.is_empty() => {
            items.remove(choices.below(items.len()));
        }
        Value::Object(fields) if !fields.is_empty() => {
            let k = choices.below(fields.len());
            let name = fields.keys().nth(k).expect("there are so many fields").clone();
            fields.remove(&name);
        }
        _ => {}
    }
}

fn repeat(at: &mut Value, choices: &mut Choices<'_>) {
    if let Value::Array(items) = at
        && !items.is_empty()
    {
        let item = choices.pick(items).clone();
        items.insert(choices.below(items.len()), item);
    }
}

fn swap(at: &mut Value, choices: &mut Choices<'_>) {
    match at {
        Value::Array(items) if !items.is_empty() => {
            let (a, b) = (choices.below(items.len()), choices.below(items.len()));
            items.swap(a, b);
        }
        Value::Object(fields) if !fields.is_empty() => {
            let (a, b) = (choices.below(fields.len()), choices.below(fields.len()));
            let value =
                |k: usize| fields.values().nth(k).expect("there are so many fields").clone();
            let (first, second) = (value(a), value(b));
            for (k, value) in [(a, second), (b, first)] {
                *fields.values_mut().nth(k).expect("there are so many fields") = value;
            }
        }
        _ => {}
    }
}

fn rename(at: &mut Value, choices: &mut Choices<'_>) {
    if let Value::Object(fields) = at
        && !fields.is_empty()
    {
        let k = choices.below(fields.len());
        let mut renamed = Map::new();
        for (number, (name, value)) in fields.iter().enumerate() {
            let name = if number == k { (*choices.pick(&WORDS)).to_owned() } else { name.clone() };
            renamed.insert(name, value.clone());
        }
        *fields = renamed;
    }
}
