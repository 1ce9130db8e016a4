//! `isonomy replay`, from outside: runs that the model has are valid, and nothing else is.
//!
//! What is valid is known here by other means than the command has: from a table of all steps of a small
//! model, made once by the interpreter and written as JSON a second time.

use super::binary::{Run, isonomy, run, scratch, transcript};
use model::check;
use model::checked::Model;
use model::interpret::{Interpreter, State};
use model::types::{Type, TypeId};
use model::value::{Scalar, Value};
use run::SplitMix64;
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use support::headers::fixtures;
use support::many;

const MUTEX: &str = "fixtures/cli/mutex.m";
const ANYBODY: &str = "forall c: client. G !@take(c)";

/// All steps of a small model, as JSON.
struct Table {
    starts: BTreeSet<String>,
    /// By the text of a state: process, event, arguments, and the state behind.
    steps: HashMap<String, Vec<(Json, Json)>>,
}

impl Table {
    fn of(model: &Model) -> Table {
        let interpreter = Interpreter::new(model);
        let mut open: Vec<State> =
            interpreter.starts().map(|start| start.expect("it does not fail").state).collect();
        let starts = open.iter().map(|state| state_json(model, state).to_string()).collect();
        let mut steps: HashMap<String, Vec<(Json, Json)>> = HashMap::new();
        while let Some(state) = open.pop() {
            let key = state_json(model, &state).to_string();
            if steps.contains_key(&key) {
                continue;
            }
            let mut out = Vec::new();
            for step in interpreter.steps(&state).expect("it does not fail") {
                let event = &model.events[step.event.event.0 as usize];
                let arguments = step.event.arguments.iter().zip(&event.parameters);
                let arguments: Vec<Json> =
                    arguments.map(|(value, (_, of))| value_json(model, *of, value)).collect();
                let process = step.process.show(model);
                let what = json!({ "process": process, "event": event.name, "args": arguments });
                out.push((what, state_json(model, &step.target)));
                open.push(step.target);
            }
            steps.insert(key, out);
        }
        Table { starts, steps }
    }

    /// A random lasso, if the walk meets a state again.
    fn lasso(&self, random: &mut SplitMix64, most_steps: usize) -> Option<Json> {
        let start = self.starts.iter().nth(random.below(self.starts.len()))?;
        let mut state: Json = serde_json::from_str(start).expect("JSON");
        let mut steps: Vec<Json> = Vec::new();
        for _ in 0..most_steps {
            let possible = &self.steps[&state.to_string()];
            let (what, target) = &possible[random.below(possible.len())];
            let mut step = what.clone();
            step["state"] = state;
            steps.push(step);
            state = target.clone();
            if let Some(first) = steps.iter().position(|step| step["state"] == state) {
                let cycle = steps.split_off(first);
                return Some(
                    json!({ "stem": steps, "cycle": cycle, "end": state, "validated": true }),
                );
            }
        }
        None
    }

    /// Whether this is a run that violates [`ANYBODY`] for this client.
    fn is_valid(&self, found: &Json, client: &Json) -> bool {
        let list = |name: &str| found[name].as_array().cloned();
        let (Some(stem), Some(cycle)) = (list("stem"), list("cycle")) else { return false };
        let steps: Vec<&Json> = stem.iter().chain(&cycle).collect();
        let mut states: Vec<&Json> = steps.iter().map(|step| &step["state"]).collect();
        states.push(&found["end"]);
        // Objects are equal whatever the order of their fields; their texts are in order.
        let is_step = |(step, pair): (&&Json, &[&Json])| {
            self.steps.get(&pair[0].to_string()).is_some_and(|out| {
                out.iter().any(|(what, target)| {
                    let is = |name: &str| what[name] == step[name];
                    is("process") && is("event") && is("args") && target == pair[1]
                })
            })
        };
        let takes = |step: &&Json| step["event"] == "take" && step["args"] == json!([client]);
        !cycle.is_empty()
            && self.starts.contains(&states[0].to_string())
            && steps.iter().zip(states.windows(2)).all(is_step)
            && cycle[0]["state"] == found["end"]
            && steps.iter().any(takes)
    }
}

/// A value as the contract says, written a second time.
fn value_json(model: &Model, of: TypeId, value: &Value) -> Json {
    match (value, model.types.get(of)) {
        (Value::Undefined, _) => Json::Null,
        (Value::Scalar(Scalar::Number(n)), _) => json!(n),
        (Value::Scalar(scalar), _) if of == model::types::Types::BOOLEAN => {
            json!(scalar.is_true())
        }
        (Value::Scalar(scalar), _) => json!(scalar.show(&model.types)),
        (Value::Parts(parts), Type::Array { index, element }) => {
            let key = |k| Scalar::nth(&model.types, *index, k).show(&model.types);
            let parts = (0..).zip(parts);
            parts.map(|(k, part)| (key(k), value_json(model, *element, part))).collect()
        }
        other => panic!("no model here has {other:?}"),
    }
}

fn state_json(model: &Model, state: &State) -> Json {
    let variables = model.variables.iter().zip(&state.0);
    variables.map(|(one, value)| (one.name.clone(), value_json(model, one.of, value))).collect()
}

fn checked(path: &str) -> Model {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    check(&text.expect("a file"), &[]).expect("a model")
}

/// A result as `check` writes it.
fn result(name: &Json, kind: &str, formula: &Json, bindings: &Json, found: &Json) -> Json {
    json!({
        "name": name, "kind": kind, "formula": formula, "verdict": "violated", "reason": null,
        "warnings": [], "fairness": "none", "over": "process", "declared_fairness": [],
        "symmetry": "auto", "engine": "scc", "instances": 1, "bindings": bindings,
        "stats": { "aqs_states": 6, "time_us": 12 }, "counterexample": found,
    })
}

fn file(model: &str, constants: &Json, results: &[Json]) -> Json {
    json!({ "schema": 1, "model": model, "constants": constants, "results": results })
}

/// A file with one counterexample of [`ANYBODY`] for client 0.
fn taken(found: &Json) -> Json {
    let bindings = json!({ "c": "client_0" });
    let one = result(&Json::Null, "ltl", &json!(ANYBODY), &bindings, found);
    file(MUTEX, &json!({ "Clients": 2 }), &[one])
}

fn replay(model: &str, file: &str, options: &[&str]) -> Run {
    let arguments = [&["replay", model, "-"], options].concat();
    run(isonomy(&arguments), file.as_bytes())
}

/// Counterexamples of [`ANYBODY`] for client 0, and other lassos.
fn lassos(table: &Table, count: usize) -> Vec<Json> {
    let mut random = SplitMix64::new(7);
    let found = std::iter::repeat_with(|| table.lasso(&mut random, 40)).flatten();
    found.take(count).collect()
}

fn valid_one(table: &Table) -> Json {
    let found = lassos(table, 200).into_iter();
    let mut found =
        found.filter(|one| one["stem"] != json!([]) && table.is_valid(one, &json!("client_0")));
    found.next().expect("there is one")
}

#[test]
fn lassos_are_valid_if_they_violate_the_formula() {
    let table = Table::of(&checked(MUTEX));
    let mut met = [0, 0];
    for found in lassos(&table, 60) {
        for client in ["client_0", "client_1"] {
            let mut file = taken(&found);
            file["results"][0]["bindings"]["c"] = json!(client);
            let is_valid = table.is_valid(&found, &json!(client));
            met[usize::from(is_valid)] += 1;
            let done = replay(MUTEX, &file.to_string(), &[]);
            let (code, out, err) = if is_valid {
                (0, "walked, and the run violates the formula\n", "")
            } else {
                (1, "the loop starts here", "error: not valid: the run satisfies the formula\n")
            };
            assert!(
                done.code == Some(code) && done.out.contains(out) && done.err == err,
                "{found}\n{}",
                transcript(&done)
            );
        }
    }
    assert!(met[0] > 5 && met[1] > 5, "both occur: {met:?}");
}

/// All places in a text, as pointers.
fn pointers(json: &Json, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match json {
        Json::Object(fields) => {
            for (name, part) in fields {
                pointers(part, &format!("{at}/{name}"), found);
            }
        }
        Json::Array(items) => {
            for (k, part) in items.iter().enumerate() {
                pointers(part, &format!("{at}/{k}"), found);
            }
        }
        _ => {}
    }
}

/// The same without what is there.
fn without(json: &Json, pointer: &str) -> Option<Json> {
    let (above, name) = pointer.rsplit_once('/')?;
    let mut json = json.clone();
    match json.pointer_mut(above)? {
        Json::Object(fields) => fields.remove(name)?,
        Json::Array(items) => items.remove(name.parse().ok()?),
        _ => return None,
    };
    Some(json)
}

/// The same with something else there.
fn replaced(json: &Json, pointer: &str, by: &Json) -> Option<Json> {
    let mut json = json.clone();
    let place = json.pointer_mut(pointer)?;
    if place == by {
        return None;
    }
    *place = by.clone();
    Some(json)
}

#[test]
fn files_that_are_changed_are_valid_only_if_their_runs_are() {
    let table = Table::of(&checked(MUTEX));
    let original = taken(&valid_one(&table));
    assert_eq!(replay(MUTEX, &original.to_string(), &[]).code, Some(0));
    let mut places = Vec::new();
    pointers(&original, "", &mut places);
    let mut files: Vec<String> = Vec::new();
    for place in &places {
        files.extend(without(&original, place).map(|json| json.to_string()));
        for by in [
            json!(null),
            json!(true),
            json!(-1),
            json!(1),
            json!(1.5),
            json!(9_007_199_254_740_993_u64),
            json!(""),
            json!("Idle"),
            json!("Inside"),
            json!("client_1"),
            json!("client_2"),
            json!("client_01"),
            json!("take"),
            json!("weak"),
            json!([]),
            json!([[]]),
            json!({}),
            json!({ "client": "(0 1)" }),
        ] {
            files.extend(replaced(&original, place, &by).map(|json| json.to_string()));
        }
    }
    // Any two parts of the run change places.
    let inside = |place: &&String| place.starts_with("/results/0/counterexample/");
    let parts: Vec<&String> = places.iter().filter(inside).collect();
    let mut random = SplitMix64::new(11);
    for _ in 0..400 {
        let [a, b] = [0; 2].map(|_| parts[random.below(parts.len())]);
        let part = |place: &str| original.pointer(place).cloned().expect("it is there");
        if a.starts_with(&**b) || b.starts_with(&**a) {
            continue;
        }
        let swapped = replaced(&original, a, &part(b)).and_then(|one| replaced(&one, b, &part(a)));
        files.extend(swapped.map(|json| json.to_string()));
    }
    // What is no JSON at all.
    let text = original.to_string();
    for _ in 0..100 {
        let cut = random.below(text.len());
        files.push(text[..cut].to_owned());
        let mut bytes = text.clone().into_bytes();
        bytes[cut] = b" {}[]\",:019x"[random.below(12)];
        files.push(String::from_utf8(bytes).expect("ASCII"));
    }
    assert!(files.len() > 1500, "{}", files.len());
    // Each is read by a process of its own: of the many, some.
    let chosen: Vec<&String> = files.iter().step_by(4).collect();
    many::in_parallel(chosen.len() as u64, |k| {
        let text = chosen[k as usize];
        let done = replay(MUTEX, text, &[]);
        let told = || format!("{text}\n{}", transcript(&done));
        match done.code {
            Some(0) => {
                let changed: Json = serde_json::from_str(text).expect("what is valid is JSON");
                let one = &changed["results"][0];
                assert_eq!(one["formula"], json!(ANYBODY), "{}", told());
                let found = &one["counterexample"];
                // A permutation that does nothing here may be said.
                let is_valid = table.is_valid(found, &one["bindings"]["c"]);
                assert!(is_valid, "{}", told());
            }
            Some(1) => assert!(done.err.contains("error: not valid: "), "{}", told()),
            Some(2) => assert!(done.err.starts_with("error: "), "{}", told()),
            _ => panic!("{}", told()),
        }
    });
}

/// What is done to a file.
type Change = fn(&mut Json);

/// (change of a valid file, options, exit code, on standard error)
const WRONG: &[(Change, &[&str], i32, &str)] = &[
    (
        |file| file["results"][0]["bindings"]["c"] = json!("client_9"),
        &[],
        2,
        "standard input: results[0].bindings.c: \"client_9\" is not a value of client: \
             client_0 .. client_1\n",
    ),
    (
        |file| file["results"][0]["bindings"]["d"] = json!("client_0"),
        &[],
        2,
        "results[0].bindings.d: the formula has no quantified variable `d`\n",
    ),
    (
        |file| file["results"][0]["bindings"] = json!({}),
        &[],
        1,
        "error: not valid: `c` has no value\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["end"]["st"]["client_0"] = json!("Asleep"),
        &[],
        2,
        "results[0].counterexample.end.st.client_0: \"Asleep\" is not a value of phase: Idle, \
             Ready, Inside\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["end"]["st"]["client_2"] = json!("Idle"),
        &[],
        2,
        "counterexample.end.st: unexpected `client_2`: there is `client_0` to `client_1` only\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["stem"][0]["process"] = json!("server"),
        &[],
        2,
        "stem[0].process: \"server\" is not a process of the model: client_0 .. client_1\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["stem"][0]["event"] = json!("jump"),
        &[],
        2,
        "stem[0].event: the model has no event \"jump\"\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["stem"][0]["args"] = json!([]),
        &[],
        2,
        "has 1 arguments, not 0\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["stem"][0]["event"] = json!(null),
        &[],
        2,
        "stem[0]: either both `process` and `event` are null, or neither is\n",
    ),
    (
        |file| {
            file["results"][0]["counterexample"]["stem"][0]["event"] = json!("leave");
        },
        &[],
        1,
        "error: not valid: step 1 is no step of the model\n",
    ),
    (
        |file| {
            file["results"][0]["counterexample"]["stem"][0]["event"] = json!("leave");
        },
        &[],
        1,
        "leave(client_0) is not enabled there; enabled are\n  client_",
    ),
    (
        |file| {
            file["results"][0]["counterexample"]["stem"][0]["state"]["st"]["client_0"] =
                json!("Inside");
        },
        &[],
        1,
        "note: the nearest start state is \"all idle\"\n  st[client_0] is Idle, and in the file Inside\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["cycle"] = json!([]),
        &[],
        1,
        "error: not valid: the run ends, but the formula is about infinite runs\n",
    ),
    (|file| file["results"][0]["formula"] = json!("G !@tale(_)"), &[], 2, " --> formula:1:4\n"),
    (
        |file| file["results"][0]["name"] = json!("safe"),
        &[],
        2,
        "results[0].name: the model has no temporal property \"safe\": it has none with a name\n",
    ),
    (
        |file| file["results"][0]["fairness"] = json!("feeble"),
        &[],
        2,
        "results[0].fairness: expected one of none, weak, strong, global, not \"feeble\"",
    ),
    (
        |file| file["results"][0]["over"] = json!("lunch"),
        &[],
        2,
        "results[0].over: expected one of process, event, not \"lunch\"",
    ),
    (
        |file| file["results"][0]["kind"] = json!("ctl"),
        &[],
        2,
        "results[0].kind: expected one of ltl, invariant, assert, cover, liveness, deadlock, \
             runtime-error, not \"ctl\"\n",
    ),
    (
        |file| file["results"][0]["kind"] = json!("cover"),
        &[],
        2,
        "results[0].kind: a cover that is never true has no run that could be replayed\n",
    ),
    (
        |file| file["results"][0]["counterexample"]["component"] = json!([]),
        &[],
        2,
        "counterexample.component: expected an object, not a list\n",
    ),
    (
        |file| file["schema"] = json!(2),
        &[],
        2,
        "schema: expected 1, not 2: another version wrote this\n",
    ),
    (|file| *file = json!([1]), &[], 2, "standard input: expected an object, not a list\n"),
    (
        |file| file["constants"]["Servers"] = json!(2),
        &[],
        2,
        "constants.Servers: the model has no constant `Servers`\n",
    ),
    (
        |file| file["constants"]["Clients"] = json!([]),
        &[],
        2,
        "constants.Clients: a list is not the value of a constant\n",
    ),
    // The states of three clients are others.
    (
        |file| file["constants"]["Clients"] = json!(3),
        &[],
        2,
        "counterexample.end.st: `client_2` is missing\n",
    ),
    (|_| {}, &["-D", "Clients=3"], 2, "counterexample.end.st: `client_2` is missing\n"),
    (|file| file["constants"]["Clients"] = json!(3), &["-D", "Clients=2"], 0, ""),
    (
        |file| file["results"][0]["counterexample"] = json!(null),
        &[],
        2,
        "error: results: no result has a counterexample\n    = help: its results are\n        \
             1 forall c: client. G !@take(c): violated\n",
    ),
    (|file| file["results"] = json!([]), &[], 2, "    = help: the file has no results\n"),
    (|_| {}, &["--result", "1"], 0, ""),
    (|_| {}, &["--result", "0"], 2, "error: there is no result `0`\n"),
    (
        |_| {},
        &["--result", "2"],
        2,
        "error: there is no result `2`\n    = help: its results are\n        1 forall c: \
             client. G !@take(c): violated, with a counterexample\n",
    ),
    (
        |file| file["results"][0]["name"] = json!("taken"),
        &["--result", "taken"],
        2,
        "no temporal property \"taken\"",
    ),
    (
        |file| {
            let lap = json!({ "client": "(0 3)" });
            file["results"][0]["counterexample"]["lap_permutation"] = lap;
        },
        &[],
        2,
        "counterexample.lap_permutation.client: expected a number below 2, not `3`\n",
    ),
    (
        |file| {
            file["results"][0]["counterexample"]["lap_permutation"] = json!({ "node": "()" });
        },
        &[],
        2,
        "lap_permutation.node: the model has no index type `node`\n",
    ),
    (
        |file| {
            let lap = json!({ "client": "(0 1)" });
            file["results"][0]["counterexample"]["lap_permutation"] = lap;
        },
        &[],
        1,
        "error: not valid: the permutation changes the value of `c`\n",
    ),
];

#[test]
fn what_is_wrong_is_said() {
    let table = Table::of(&checked(MUTEX));
    let original = taken(&valid_one(&table));
    for (change, options, code, err) in WRONG {
        let mut changed = original.clone();
        change(&mut changed);
        let done = replay(MUTEX, &changed.to_string(), options);
        let fits = if err.is_empty() { done.err.is_empty() } else { done.err.contains(err) };
        assert!(done.code == Some(*code) && fits, "{err}\n{}", transcript(&done));
    }
    // Not JSON: with the place.
    for (text, place) in [
        ("", "standard input:1:1"),
        ("{\n  \"schema\": 1,\n  \"results\": [}\n", "standard input:3:15"),
        ("{\"schema\": 1", "standard input:1:12"),
    ] {
        let done = replay(MUTEX, text, &[]);
        let is_said = done.err.starts_with("error: not JSON: ") && done.err.contains(place);
        assert!(done.code == Some(2) && is_said, "{text}\n{}", transcript(&done));
    }
}

#[test]
fn names_are_those_of_the_model() {
    // Another one, which is wrong since the model is another one now.
    let model = scratch("named.m");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(MUTEX));
    let text = text.expect("a file");
    fs::write(&model, format!("{text}ltl \"untaken\": {ANYBODY};")).expect("a file");
    let table = Table::of(&checked(MUTEX));
    let found = valid_one(&table);
    let bindings = json!({ "c": "client_0" });
    for (formula, note) in [(ANYBODY, ""), ("G x", "note: in the model, \"untaken\" is now forall")]
    {
        let one = result(&json!("untaken"), "ltl", &json!(formula), &bindings, &found);
        let other = result(&json!("7"), "deadlock", &Json::Null, &json!({}), &Json::Null);
        let file = file(MUTEX, &json!({ "Clients": 2 }), &[other, one]).to_string();
        for options in [&[][..], &["--result", "untaken"], &["--result", "2"]] {
            let done = replay(model.to_str().expect("a path"), &file, options);
            assert!(
                done.code == Some(0)
                    && done.err.starts_with(note)
                    && done.out.starts_with("result 2: ltl \"untaken\", for c = client_0\n"),
                "{}",
                transcript(&done)
            );
        }
        let done = replay(model.to_str().expect("a path"), &file, &["--result", "7"]);
        assert!(done.err.contains("result 1 has no counterexample"), "{}", transcript(&done));
    }
}

/// Properties that share their names, and some that have none.
const SHARED: &str = "
    var x: 0..3;
    startstate x := 0; end;
    rule \"up\" x < 3 ==> x := x + 1; end;
    rule \"back\" x = 3 ==> x := 0; end;
    ltl \"p\": G x < 9;
    ltl \"p\": G x < 2;
    ltl \"p\": G F x = 1;
    ltl \"q\": F x = 7 under none fairness;
    ltl \"q\": F x = 7 under weak fairness;
    ltl G x < 3;
    ltl G x < 1 under weak fairness;
    ltl G x < 1;
    invariant \"r\" x < 3;
    invariant \"r\" x  <
      2;
    invariant x < 3;
    invariant x < 1;
    ruleset i: 0..3 do liveness \"s\" x = i & x != 2; liveness \"s\" x = i; end;";

#[test]
fn names_that_are_shared() {
    let model = scratch("shared.m");
    fs::write(&model, SHARED).expect("a file");
    let model = model.to_str().expect("a path");
    let options = ["--format", "json", "--symmetry", "off"];
    let found = run(isonomy(&[&["check", model], &options[..]].concat()), b"");
    assert_eq!(found.code, Some(1), "{}", transcript(&found));
    let file: Json = serde_json::from_str(&found.out).expect("JSON");
    let results = file["results"].as_array().expect("a list");
    let with_run = |one: &&Json| !one["counterexample"].is_null();
    assert_eq!(results.iter().filter(with_run).count(), 11, "{file}");
    for (k, one) in results.iter().enumerate().filter(|(_, one)| with_run(one)) {
        let number = (k + 1).to_string();
        let done = replay(model, &found.out, &["--result", &number]);
        assert_eq!(done.code, Some(0), "{one}\n{}", transcript(&done));
        // The text decides: the run of one is none of another that holds, or that takes longer.
        let mut changed = file.clone();
        changed["results"][k]["formula"] = json!("x < 9 & true");
        let done = replay(model, &changed.to_string(), &["--result", &number]);
        let is_said = done.err.contains("give them different names");
        // A formula without a name is read again.
        let is_again = one["name"].is_null() && one["kind"] == "ltl";
        let is_right =
            if is_again { done.code == Some(1) } else { done.code == Some(2) && is_said };
        assert!(is_right, "{one}\n{}", transcript(&done));
    }
    for (number, formula) in [("2", "G x < 9"), ("10", "x < 3"), ("12", "x < 3")] {
        let k = number.parse::<usize>().expect("a number") - 1;
        let mut changed = file.clone();
        changed["results"][k]["formula"] = json!(formula);
        let done = replay(model, &changed.to_string(), &["--result", number]);
        assert_eq!(done.code, Some(1), "{number}\n{}", transcript(&done));
    }
    // By name: if only one result of that name has a run, it is meant.
    let done = replay(model, &found.out, &["--result", "p"]);
    let is_the_one = done.out.starts_with("result 2: ltl \"p\"\n  G x < 2\n");
    assert!(done.code == Some(0) && is_the_one, "{}", transcript(&done));
    for name in ["q", "r"] {
        let done = replay(model, &found.out, &["--result", name]);
        let is_said = done.err.contains("2 results are called") && done.err.contains("its number");
        assert!(done.code == Some(2) && is_said, "{}", transcript(&done));
    }
    // `check` takes all that have the name.
    for (name, count) in [("p", 3), ("q", 2), ("r", 2), ("s", 2)] {
        let found = run(isonomy(&["check", model, "-p", name, "--format", "json"]), b"");
        let file: Json = serde_json::from_str(&found.out).expect("JSON");
        assert_eq!(file["results"].as_array().map(Vec::len), Some(count), "{name}\n{file}");
        assert!(found.err.contains(&format!("two properties are called \"{name}\"")), "{name}");
    }
}

/// Models with something wrong in them, and how many finite runs lead there.
fn models() -> Vec<String> {
    let cli = ["mutex", "lock", "tokens", "ordered"].map(|name| format!("fixtures/cli/{name}.m"));
    let inputs = fixtures().into_iter().filter(|one| one.file.starts_with("fixtures/inputs/"));
    let mut found: Vec<String> = cli.into_iter().chain(inputs.map(|one| one.file)).collect();
    found.sort();
    found
}

/// From 1 on, 0 is out of reach.
const LOST: &str = "
    var x: 0..3;
    startstate x := 0; end;
    rule \"up\" x < 3 ==> x := x + 1; end;
    rule \"on\" x = 3 ==> x := 2; end;
    ruleset k: 0..1; m: 0..3 do liveness \"again\" x = m | k = 1; end;";

#[test]
fn finite_runs_of_explorations_are_valid() {
    let mut models = models();
    let lost = scratch("lost.m");
    fs::write(&lost, LOST).expect("a file");
    models.push(lost.to_str().expect("a path").to_owned());
    let met = std::sync::Mutex::new(BTreeSet::new());
    many::in_parallel(models.len() as u64, |k| {
        let model = &models[k as usize][..];
        for symmetry in ["auto", "off"] {
            let arguments = ["explore", model, "--format", "json", "--symmetry", symmetry];
            let options = ["--max-states", "2000", "--threads", "1", "--deadlock", "stuttering"];
            let found = run(isonomy(&[&arguments[..], &options].concat()), b"");
            let found: Json = serde_json::from_str(&found.out).unwrap_or(Json::Null);
            for violation in found["violations"].as_array().into_iter().flatten() {
                let trace = &violation["trace"];
                if trace.is_null() {
                    continue;
                }
                let kind = violation["kind"].as_str().expect("a kind");
                met.lock().expect("no panic").insert(kind.to_owned());
                let steps = &trace["steps"];
                let run = json!({ "stem": steps, "cycle": [], "end": trace["end"] });
                let (name, around) = (&violation["name"], &violation["bindings"]);
                let one = result(name, kind, &Json::Null, around, &run);
                let mut results = file(model, &found["constants"], &[one]);
                let done = replay(model, &results.to_string(), &[]);
                assert!(
                    done.code == Some(0) && done.out.contains("\nvalid: "),
                    "{model} {violation}\n{}",
                    transcript(&done)
                );
                // One step less, and nothing is wrong yet: runs are shortest ones.
                let steps = steps.as_array().expect("a list");
                let Some((last, before)) = steps.split_last() else { continue };
                let shorter = json!({ "stem": before, "cycle": [], "end": last["state"] });
                results["results"][0]["counterexample"] = shorter;
                let done = replay(model, &results.to_string(), &[]);
                assert_eq!(done.code, Some(1), "{model} {violation}\n{}", transcript(&done));
            }
        }
    });
    let met = met.into_inner().expect("no panic");
    let met: Vec<&str> = met.iter().map(|kind| &kind[..]).collect();
    assert_eq!(met, ["assert", "deadlock", "invariant", "liveness", "runtime-error"]);
}

/// Formulas that somebody may ask about any model; all have counterexamples in nearly all of them.
const ASKED: &[&str] = &["F false", "G F !@by(_)", "X X @by(_) -> X X X !@by(_)"];

#[test]
fn what_check_writes_is_valid() {
    let mut models = models();
    for name in ["resource_controller", "dining_philosophers", "orienting", "ticket_lock"] {
        models.push(format!("fixtures/models/{name}.m"));
    }
    let met = std::sync::Mutex::new([0; 2]);
    many::in_parallel(models.len() as u64, |k| {
        let model = &models[k as usize][..];
        // Its own properties, and formulas; all states, or representatives.
        for (asked, symmetry) in [(&[][..], "off"), (&[], "auto"), (ASKED, "auto")] {
            let options = ["--format", "json", "--symmetry", symmetry, "--deadlock", "stuck"];
            let limits = ["--max-states", "2000", "--threads", "1", "--ignore-declared-fairness"];
            let arguments = [&["check", model], asked, &options, &limits].concat();
            let found = run(isonomy(&arguments), b"");
            assert!(matches!(found.code, Some(0..=3)), "{arguments:?}\n{}", transcript(&found));
            let Ok(file) = serde_json::from_str::<Json>(&found.out) else { continue };
            for (k, one) in file["results"].as_array().expect("a list").iter().enumerate() {
                if one["counterexample"].is_null() {
                    continue;
                }
                let is_lasso = one["kind"] == "ltl";
                met.lock().expect("no panic")[usize::from(is_lasso)] += 1;
                let number = (k + 1).to_string();
                let done = replay(model, &found.out, &["--result", &number]);
                assert!(
                    done.code == Some(0) && done.out.contains("\nvalid: "),
                    "{arguments:?} {one}\n{}",
                    transcript(&done)
                );
            }
        }
    });
    let met = met.into_inner().expect("no panic");
    assert!(met[0] > 30 && met[1] > 60, "finite runs and lassos: {met:?}");
}

/// Two rings that turn together, of sizes without a common divisor.
const RINGS: &str = "
    const N: 4; M: N + 1;
    type node: ring(N); side: ring(M);
    var at: node; on: side;
    ruleset n: node; s: side do startstate at := n; on := s; end; end;
    process n: node do rule \"pass\" at = n ==> at := next(n); on := next(on); end; end;";

/// A lap: one step.
fn lap(nodes: u64, node: &str, side: &str) -> Json {
    let state = |k: u64| json!({ "at": format!("node_{k}"), "on": format!("side_{k}") });
    let step = json!({
        "process": "node_0", "event": "pass", "args": ["node_0"], "state": state(0),
    });
    let found = json!({
        "stem": [], "cycle": [step], "end": state(1),
        "lap_permutation": { "node": node, "side": side }, "validated": true,
    });
    let one = result(&Json::Null, "ltl", &json!("F !@pass"), &json!({}), &found);
    file("rings.m", &json!({ "N": nodes, "M": nodes + 1 }), &[one])
}

/// `(0 1 2)` for 3.
fn rotation(n: u64) -> String {
    format!("({})", (0..n).map(|k| k.to_string()).collect::<Vec<_>>().join(" "))
}

#[test]
fn laps_are_replayed() {
    let model = scratch("rings.m");
    fs::write(&model, RINGS).expect("a file");
    let model = model.to_str().expect("a path");
    let turn = |n: u64| lap(n, &rotation(n), &rotation(n + 1));
    for (file, options, code, out, err) in [
        (
            turn(4),
            &[][..],
            0,
            "result 1: formula\n  F !@pass\nstart: start_1(node_0, side_0)\n  at = node_0\n  on = \
             side_0\nthe loop starts here\n1 node_0: pass(node_0)\n  at: node_0 -> node_1\n  on: \
             side_0 -> side_1\nback to the state before step 1, with indices permuted by node \
             (0 1 2 3), side (0 1 2 3 4); so goes every lap\nvalid: 20 laps walked, until the cycle \
             closes, and the run violates the formula\n",
            "",
        ),
        (
            lap(4, "(0 1)", "(0 1 2 3 4)"),
            &[],
            1,
            "",
            "error: not valid: the permutation of `node` is none that leaves the model as it is\n",
        ),
        (
            lap(4, "(0 1 2 3)", "(0 2 4 1 3)"),
            &[],
            1,
            "",
            "the lap does not lead to what the permutation makes of its first state\n",
        ),
        // Constants of the file; what follows from one that is given on the command line follows.
        (turn(7), &[], 0, "56 laps walked, until the cycle closes", ""),
        (
            lap(7, &rotation(4), &rotation(5)),
            &["-D", "N=4"],
            0,
            "20 laps walked, until the cycle closes",
            "",
        ),
        // More laps than anybody walks.
        (
            turn(101),
            &[],
            0,
            "valid: 10001 laps walked; the others are these with indices permuted, and the run \
             violates the formula\n",
            "",
        ),
    ] {
        let done = replay(model, &file.to_string(), options);
        let fits = |whole: &str, part: &str| whole.contains(part);
        assert!(
            done.code == Some(code) && fits(&done.out, out) && fits(&done.err, err),
            "{}",
            transcript(&done).chars().take(3000).collect::<String>()
        );
    }
}

/// The judge says why a run is fair, or that it is not.
#[test]
fn fair_runs_are_argued_for() {
    let model = scratch("fair-rings.m");
    let declared =
        "justice \"here\": forall n: node. at = n; compassion forall s: side. (on = s, at = at);";
    fs::write(&model, format!("{RINGS}\n{declared}")).expect("a file");
    let model = model.to_str().expect("a path");
    let turn = |fairness: &str, declared: &[&str]| {
        let mut file = lap(4, &rotation(4), &rotation(5));
        file["results"][0]["fairness"] = json!(fairness);
        file["results"][0]["declared_fairness"] = json!(declared);
        file["results"][0]["counterexample"]["fairness_argument"] = json!("whatever");
        file.to_string()
    };
    for (fairness, declared, code, out, err) in [
        (
            "strong",
            &[][..],
            0,
            "; so goes every lap\nfair because\n  \
             node_0  executed in step 1\n  \
             node_1  executed in step 1, 1 lap on (node_0 in this lap)\n  \
             node_2  executed in step 1, 2 laps on (node_0 in this lap)\n  \
             node_3  executed in step 1, 3 laps on (node_0 in this lap)\nvalid: ",
            "",
        ),
        (
            "none",
            &["here"],
            0,
            "\n  \"here\"(node_3)           true before step 1, 3 laps on (\"here\"(node_0) in this lap)\n  \
             compassion 7:41(side_0)  true before step 1\n",
            "",
        ),
        (
            "strong",
            &["here"],
            0,
            "fair because\n  \
             node_0                                              executed in step 1\n  \
             node_1 .. node_3                                    executed in step 1, up to 3 laps on\n  \
             \"here\"(node_0)                                      true before step 1\n",
            "",
        ),
        ("none", &[], 0, "; so goes every lap\nvalid: ", ""),
        ("global", &[], 1, "", "not valid: too much would have to be looked at"),
    ] {
        let done = replay(model, &turn(fairness, declared), &[]);
        let fits = done.code == Some(code) && done.out.contains(out) && done.err.contains(err);
        assert!(fits, "{fairness} {declared:?}\n{}", transcript(&done));
    }
}

#[test]
fn runs_are_printed_step_by_step() {
    let table = Table::of(&checked(MUTEX));
    let file = taken(&valid_one(&table)).to_string();
    let done = replay(MUTEX, &file, &[]);
    for part in [
        "result 1: formula, for c = client_0\n  forall c: client. G !@take(c)\nstart: \"all idle\"\n  \
         st[client_0] = Idle\n  st[client_1] = Idle\n  taken = false\n1 client_",
        "\nthe loop starts here\n  st[client_0] = ",
        "\nback to the state before step ",
        "\nvalid: ",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", transcript(&done));
    }
    let paranoid = replay(MUTEX, &file, &["--paranoid"]);
    assert_eq!((paranoid.code, &paranoid.out), (done.code, &done.out), "{}", transcript(&paranoid));
    let full = replay(MUTEX, &file, &["--full-states"]);
    let steps = full.out.matches("  taken = ").count();
    assert!(steps > 2 && !full.out.contains(" -> "), "{}", transcript(&full));
    // The model may come from standard input, too, but not both.
    let done = run(isonomy(&["replay", "-", "-"]), b"");
    assert!(done.code == Some(2) && done.err.contains("cannot be both"), "{}", transcript(&done));
}

/// All of four are flipped at once, by one event or the other, and in pairs: both places of one state are needed.
/// Besides, a counter, of odd length so that it meets them all, makes the cycle too long.
const LONG_FLIP: &str = "
    const M: 5001;
    type n: ring(4);
    var x: array [n] of boolean; k: 1..M;
    ruleset i: n do startstate
      for j: n do x[j] := j = i | j = next(next(i)); end; k := M;
    end; end;
    rule \"a\" for j: n do x[j] := !x[j]; end; if k = M then k := 1 else k := k + 1 end; end;
    rule \"b\" for j: n do x[j] := !x[j]; end; if k = M then k := 1 else k := k + 1 end; end;";

const IN_PAIRS: &str = "!(@a & X @a & G((@a <-> X X @b) & (@b <-> X X @a)))";

/// What is done to a component, and what is said of it.
const CHANGES: &[(Change, i32, &str)] = &[
    (|_| {}, 0, ""),
    (
        |one| one["places"][1]["steps"] = json!([]),
        1,
        "error: not valid: place 2 is not reached from the first one by steps without permutation, or \
         does not lead back\n",
    ),
    (|one| drop(one["places"].as_array_mut().expect("a list").pop()), 1, "error: not valid: "),
    (
        |one| one["places"][0]["steps"][0]["permutation"] = json!({ "client": "(0 1)" }),
        1,
        "error: not valid: at place 1: the permutation changes the value of `c`\n",
    ),
    (
        |one| one["places"][0]["steps"][1]["permutation"] = json!({ "client": "(1 2)" }),
        1,
        "error: not valid: ",
    ),
    (
        |one| drop(one["places"][0]["steps"].as_array_mut().expect("a list").remove(1)),
        1,
        "error: not valid: ",
    ),
    (
        |one| one["places"][0]["symmetries"] = json!([]),
        1,
        "error: not valid: at place 1: the run is not fair: it has an unsatisfied obligation to client_2: \
         request(client_2)\n",
    ),
    (
        |one| one["places"][3]["symmetries"][0] = json!({ "client": "(0 1)" }),
        1,
        "error: not valid: at place 4: the permutation changes the value of `c`\n",
    ),
    (
        |one| one["places"][0]["steps"][0]["place"] = json!(10_000),
        1,
        "error: not valid: at place 1: it names a part that the component does not have\n",
    ),
    (
        |one| one["places"][0]["state"]["srv"] = json!("Busy"),
        1,
        "error: not valid: the stem does not lead to the first place of the component\n",
    ),
    (
        |one| one["places"][0]["state"]["srv"] = json!("Idle"),
        2,
        "counterexample.component.places[0].state.srv: \"Idle\" is not a value of ",
    ),
    (
        |one| one["places"][0]["steps"][0]["place"] = json!(-1),
        2,
        "counterexample.component.places[0].steps[0].place: expected a number from 0 on, not -1\n",
    ),
    (
        |one| one["elements"] = json!([{ "sum": [0, 1] }]),
        2,
        "component.elements[0]: expected one of `step`, `symmetry`, `product`, `inverse`\n",
    ),
    (|one| one["elements"] = json!([{ "inverse": 0 }]), 1, "error: not valid: it names a part "),
];

#[test]
fn components_are_replayed() {
    let model = "fixtures/models/resource_controller.m";
    let formula = "forall c: client. F G st[c] != K";
    let arguments = ["check", model, "-D", "N=12", formula, "--fairness", "global"];
    let found = run(isonomy(&[&arguments[..], &["--format", "json"]].concat()), b"");
    assert_eq!(found.code, Some(1), "{}", transcript(&found));
    let file: Json = serde_json::from_str(&found.out).expect("JSON");
    for (k, (change, code, message)) in CHANGES.iter().enumerate() {
        let mut file = file.clone();
        change(&mut file["results"][0]["counterexample"]["component"]);
        let done = replay(model, &file.to_string(), &[]);
        assert_eq!(done.code, Some(*code), "{k}\n{}", transcript(&done));
        assert!(done.err.contains(message), "{k} {message}\n{}", transcript(&done));
        assert_eq!(done.out.contains("\nvalid: 0 steps walked; "), *code == 0);
    }
    // Of the same steps it is not true that they violate what they satisfy.
    for (other, code) in [(formula, 0), ("forall c: client. G F st[c] = K", 1), ("F false", 2)] {
        let mut file = file.clone();
        file["results"][0]["formula"] = json!(other);
        let done = replay(model, &file.to_string(), &[]);
        assert_eq!(done.code, Some(code), "{other}\n{}", transcript(&done));
    }
}

#[test]
fn places_that_are_one_state_are_replayed() {
    let model = scratch("long_flip.m");
    fs::write(&model, LONG_FLIP).expect("a file");
    let model = model.to_str().expect("a path");
    let arguments = ["check", model, IN_PAIRS, "--fairness", "global", "--format", "json"];
    let found = run(isonomy(&arguments), b"");
    assert_eq!(found.code, Some(1), "{}", transcript(&found));
    let mut file: Json = serde_json::from_str(&found.out).expect("JSON");
    let done = replay(model, &file.to_string(), &[]);
    assert_eq!(done.code, Some(0), "{}", transcript(&done));
    assert!(done.out.contains("it is met again as place "), "{}", transcript(&done));
    let component = &mut file["results"][0]["counterexample"]["component"];
    assert_ne!(component["places"][5]["again"], json!([]));
    component["places"][5]["again"] = json!([]);
    let done = replay(model, &file.to_string(), &[]);
    assert_eq!(done.code, Some(1), "{}", transcript(&done));
    let message = "at place 6: the run is not fair: it has an unsatisfied obligation to system: ";
    assert!(done.err.contains(message), "{}", transcript(&done));
}

/// A simulation begins with the run of a result, and values of expressions are shown along it.
#[test]
fn simulations_begin_with_runs_of_results() {
    const INSIDE: &str = "exists c: client do st[c] = Inside end";
    let mutex = "fixtures/cli/mutex.m";
    let asked = ["check", mutex, "-p", "exclusion", "--format", "json", "--show", INSIDE];
    let checked = run(isonomy(&asked), b"");
    let found: Json = serde_json::from_str(&checked.out).expect("JSON");
    let shown = &found["results"][0]["counterexample"]["shown"][INSIDE];
    assert_eq!(*shown, json!([false, false, false, true, true]), "{found}");
    let file = scratch("begin.json");
    fs::write(&file, &checked.out).expect("a file");
    let name = file.to_str().expect("a path");
    let begin = |model: &str, more: &[&str], commands: &str| {
        let arguments = [&["simulate", model, "--from", name], more].concat();
        run(isonomy(&arguments), commands.as_bytes())
    };
    let third = begin(mutex, &["--at", "3", "--show", INSIDE], "undo 3\n");
    assert_eq!(third.code, Some(0), "{}", transcript(&third));
    for expected in [
        "\n3 client_1: take(client_1)\n",
        &format!("\n  {INSIDE}: false -> true\n"),
        "\nstate after 3 steps\n",
        "\nstart state\n",
    ] {
        assert!(third.out.contains(expected), "{expected}\n{}", transcript(&third));
    }
    assert!(!third.out.contains("\n4 client_0"), "{}", transcript(&third));
    // Two are inside after the whole run.
    let whole = begin(mutex, &[], "");
    assert_eq!(whole.code, Some(1), "{}", transcript(&whole));
    assert!(whole.err.contains("invariant \"exclusion\" is violated"), "{}", transcript(&whole));
    // A model without these steps.
    let mut other = found.clone();
    other["results"][0]["counterexample"]["stem"][2]["event"] = json!("leave");
    fs::write(&file, other.to_string()).expect("a file");
    let refused = begin(mutex, &[], "");
    assert_eq!(refused.code, Some(2), "{}", transcript(&refused));
    assert!(refused.err.contains("the model does not have step 3 of that run"), "{}", refused.err);
    fs::remove_file(&file).expect("the file is there");
}
