//! Replays of the counterexamples that checks have found, as they are and altered.

use crate::cases::{Case, RESULT};
use serde_json::{Value, json};
use std::collections::{BTreeSet, hash_map::DefaultHasher};
use std::hash::{Hash as _, Hasher as _};
use std::sync::Mutex;

/// One of so many counterexamples is altered.
const ALTERED: u64 = 10;

/// Bytes of a counterexample that is long: it is altered in fewer ways.
const LONG: usize = 10_000;
const MOST_OF_LONG: usize = 2;

/// The counterexamples that were replayed already; different searches find the same ones.
#[derive(Default)]
pub(crate) struct Replays(Mutex<BTreeSet<u64>>);

impl Replays {
    /// Replays of what a check has printed, as far as it is new.
    pub(crate) fn of(&self, case: &Case, definitions: &[String], output: &str) -> Vec<Case> {
        let Ok(printed) = serde_json::from_str::<Value>(output) else { return Vec::new() };
        let model = &case.arguments[1];
        let mut cases = Vec::new();
        for (k, result) in printed["results"].as_array().into_iter().flatten().enumerate() {
            if result["counterexample"].is_null() {
                continue;
            }
            let key = key(model, definitions, result);
            if !self.0.lock().expect("no thread panics with the lock").insert(key) {
                continue;
            }
            let replay = |text: String, options: &[&str]| {
                let case = Case::new("replay").with(&[model.as_str(), RESULT]).with(options);
                Case { result: Some(text), ..case }
            };
            let number = (k + 1).to_string();
            let whole = replay(output.to_owned(), &["--result", &number]);
            cases.push(whole);
            if !key.is_multiple_of(ALTERED) {
                continue;
            }
            let mut alone = printed.clone();
            alone["results"] = json!([result]);
            cases.push(replay(alone.to_string(), &["--full-states", "--message-format", "json"]));
            let is_long = result["counterexample"].to_string().len() > LONG;
            let most = if is_long { MOST_OF_LONG } else { usize::MAX };
            for altered in altered(result).into_iter().take(most) {
                alone["results"] = json!([altered]);
                cases.push(replay(alone.to_string(), &[]));
            }
        }
        cases
    }
}

/// What tells a counterexample from others; statistics make no difference.
fn key(model: &str, definitions: &[String], result: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    (model, definitions).hash(&mut hasher);
    for part in ["name", "formula", "fairness", "over", "counterexample"] {
        result[part].to_string().hash(&mut hasher);
    }
    hasher.finish()
}

/// Results whose counterexamples are mostly wrong.
fn altered(result: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    let mut alter = |change: &dyn Fn(&mut Value)| {
        let mut altered = result.clone();
        change(&mut altered);
        if altered != *result {
            all.push(altered);
        }
    };
    for part in ["stem", "cycle"] {
        let steps = |result: &mut Value, change: &dyn Fn(&mut Vec<Value>)| {
            if let Some(steps) = result["counterexample"][part].as_array_mut()
                && !steps.is_empty()
            {
                change(steps);
            }
        };
        alter(&|result| steps(result, &|steps| drop(steps.remove(0))));
        alter(&|result| steps(result, &|steps| drop(steps.pop())));
        alter(&|result| steps(result, &|steps| steps.rotate_left(1)));
        alter(&|result| steps(result, &|steps| steps[0]["event"] = json!("no such event")));
        alter(&|result| steps(result, &|steps| steps[0]["process"] = json!("system")));
        alter(&|result| {
            steps(result, &|steps| {
                let last = steps.len() - 1;
                if let Some(state) = steps[last]["state"].as_object_mut()
                    && let Some(value) = state.values_mut().next()
                {
                    *value = Value::Null;
                }
            });
        });
    }
    for (member, value) in [
        ("fairness", json!("weak")),
        ("fairness", json!("strong")),
        ("fairness", json!("global")),
        ("over", json!("event")),
        ("formula", json!("F true")),
        ("name", json!("no such property")),
        ("counterexample", json!({})),
    ] {
        alter(&|result| result[member] = value.clone());
    }
    alter(&|result| result["counterexample"]["end"] = Value::Null);
    all
}
