//! Formulas over many events of one rule: these exclude each other, and automata stay small.

use super::binary::{isonomy, run, scratch, transcript};
use serde_json::Value;
use std::fs;

/// How the formulas about single events are joined, what each says, and the verdict of the whole and of
/// its negation, without fairness and under global fairness.
const FORMULAS: [(&str, &str, [[&str; 2]; 2]); 6] = [
    ("&", "G F @e(K)", [["violated", "violated"], ["holds", "violated"]]),
    ("|", "G F @e(K)", [["holds", "violated"], ["holds", "violated"]]),
    ("&", "F G @e(K)", [["violated", "holds"], ["violated", "holds"]]),
    ("|", "F G @e(K)", [["violated", "violated"], ["violated", "holds"]]),
    ("&", "G F !@e(K)", [["violated", "violated"], ["holds", "violated"]]),
    ("|", "F G !@e(K)", [["violated", "violated"], ["violated", "holds"]]),
];

fn verdicts(model: &str, formulas: &[String], options: &[&str]) -> Vec<String> {
    let formulas: Vec<&str> = formulas.iter().map(String::as_str).collect();
    let arguments = [&["check", model][..], &formulas, &["--format", "json"], options].concat();
    let found = run(isonomy(&arguments), b"");
    let json: Value =
        serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{}", transcript(&found)));
    let results = json["results"].as_array().expect("a list");
    let verdict = |one: &Value| one["verdict"].as_str().expect("a verdict").to_owned();
    results.iter().map(verdict).collect()
}

#[test]
fn many_events_are_decided() {
    for count in [2_usize, 20, 40] {
        let model = scratch("events.m");
        let text = format!(
            "var x: boolean; startstate x := false; end;
             ruleset i: 1..{count} do rule \"e\" x := !x; end; end;"
        );
        fs::write(&model, text).expect("a file");
        let model = model.to_str().expect("a path");
        for (operator, each, expected) in FORMULAS {
            let parts: Vec<_> = (1..=count).map(|k| each.replace('K', &k.to_string())).collect();
            let whole = parts.join(&format!(" {operator} "));
            let both = [whole.clone(), format!("!({whole})")];
            for (fairness, expected) in ["none", "global"].into_iter().zip(expected) {
                let found = verdicts(model, &both, &["--fairness", fairness]);
                assert_eq!(found, expected, "{count}: {each} {operator} under {fairness} fairness");
            }
            if count <= 20 {
                let found = verdicts(model, &both, &["--engine", "ndfs"]);
                assert_eq!(found, expected[0], "{count}: {each} {operator}, nested");
            }
        }
    }
}
