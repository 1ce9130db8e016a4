//! Profiles: each format is read by a parser that refuses what is not of this format, and all formats tell the same.

mod chrome;
mod folded;
mod lines;

use super::binary::{Run, isonomy, run, scratch};
use chrome::Chrome;
use folded::Folded;
use lines::Lines;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The spans of the command line's contract.
const CONTRACT: &[&str] = &[
    "formula.parse",
    "formula.simplify",
    "automaton.translate",
    "automaton.reduce",
    "automaton.degeneralize",
    "model.parse",
    "model.resolve",
    "model.compile",
    "quotient.build",
    "product.search",
    "scc.fairness",
    "scc.refine",
    "counterexample.find",
    "counterexample.concretise",
    "counterexample.validate",
    "report.write",
];

/// A component that owes something to an event: what is left of it is searched once more.
const LEAVE: &str = "var x: 0..9; done: boolean;
    startstate x := 0; done := false; end;
    rule \"up\" !done & x < 9 ==> x := x + 1; end;
    rule \"back\" !done & x = 9 ==> x := 0; end;
    rule \"leave\" !done & x = 0 ==> done := true; end;
    assume \"nothing\" x < 10;";

/// Commands, what they read, and their exit codes.
type Case = (&'static [&'static str], &'static str, i32);

const CASES: &[Case] = &[
    (&["man"], "", 0),
    (&["automaton", "GF a & GF b", "--acceptance", "buchi", "--format", "hoa"], "", 0),
    (&["automaton", "G(a -> F b) | (c U (d U e))", "--format", "svg"], "", 0),
    // Also when there is no answer.
    (&["automaton", "a U b", "--max-states", "1"], "", 3),
    (&["formula", "FF a", "--simplify"], "", 0),
    (&["formula", "GF a", "--classify"], "", 0),
    (&["formula", "-", "--implies", "F a"], "G a\na\n", 0),
    (&["describe", "fixtures/cli/lock.m"], "", 0),
    (&["simulate", "fixtures/cli/lock.m", "--random", "7", "--steps", "5"], "", 0),
    (&["explore", "fixtures/cli/mutex.m", "--threads", "1"], "", 1),
    (&["check", "fixtures/models/resource_simple.m", "--threads", "1"], "", 1),
    (&["check", "fixtures/models/resource_simple.m", "--threads", "2"], "", 1),
    (&["check", "-", "F done", "--fairness", "strong", "--fair-over", "event"], LEAVE, 0),
    (&["check", "fixtures/models/dining_philosophers.m", "--fairness", "all"], "", 1),
];

/// Runs with `--trace` and returns the profile.
fn profile(case: &Case, ending: &str) -> (String, Run) {
    let (arguments, input, code) = case;
    let file = scratch(&format!("profile.{ending}"));
    let name = file.to_str().expect("UTF-8");
    let run = run(isonomy(&[arguments, &["--trace", name][..]].concat()), input.as_bytes());
    assert_eq!(run.code, Some(*code), "{arguments:?}: {}", run.err);
    let text = fs::read_to_string(&file).expect("the profile is written");
    fs::remove_file(&file).expect("the profile is there");
    (text, run)
}

fn read<T>(text: &str, parse: impl Fn(&str) -> Result<T, String>) -> T {
    parse(text).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

#[test]
fn all_formats_can_be_read_and_tell_the_same() {
    for case in CASES {
        let chrome = read(&profile(case, "json").0, Chrome::parse);
        let lines = read(&profile(case, "jsonl").0, Lines::parse);
        let folded = read(&profile(case, "folded").0, Folded::parse);
        let names: BTreeSet<_> = chrome.spans.iter().map(|span| span.name.clone()).collect();
        assert_eq!(names, lines.names(), "{case:?}");
        assert_eq!(lines.stacks(), folded.stacks(), "{case:?}");
        // Threads may share the work in any way; one always does the same.
        if !case.0.contains(&"2") && !case.0.contains(&"all") {
            assert_eq!(chrome.spans.len(), lines.records.len(), "{case:?}");
        }
    }
}

#[test]
fn every_span_of_the_contract_is_there_with_its_counts() {
    let mut names = BTreeSet::new();
    for case in CASES {
        for record in read(&profile(case, "jsonl").0, Lines::parse).records {
            let has_counts = record.fields.values().any(Value::is_u64);
            assert!(has_counts || case.2 == 3, "{record:?} has no counts");
            names.insert(record.name);
        }
    }
    let missing: Vec<_> = CONTRACT.iter().filter(|name| !names.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?} are not among {names:?}");
}

#[test]
fn counters_end_with_what_the_results_say() {
    let explore: Case =
        (&["explore", "fixtures/models/peterson.m", "-D", "N=4", "--format", "json"], "", 0);
    let (text, run) = profile(&explore, "json");
    let chrome = read(&text, Chrome::parse);
    let result: Value = serde_json::from_str(&run.out).expect("JSON");
    let last = |name, of| chrome.last(name, of);
    assert_eq!(last("states", "explore"), result["representatives"].as_u64());
    assert_eq!(last("depth", "explore"), result["depth"].as_u64());
    assert!(last("memory", "resident bytes") > Some(1 << 20));
    let check: Case = (&["check", "-", "F done", "--engine", "scc", "--format", "json"], LEAVE, 1);
    let (text, run) = profile(&check, "json");
    let chrome = read(&text, Chrome::parse);
    let result: Value = serde_json::from_str(&run.out).expect("JSON");
    let nodes = &result["results"][0]["stats"]["product_nodes"];
    assert_eq!(chrome.last("nodes", "product.search"), nodes.as_u64(), "{result}");
    assert!(nodes.as_u64() > Some(0), "{result}");
}

#[test]
fn counters_are_sampled_while_a_phase_lasts() {
    let lasting: Case = (
        &[
            "explore",
            "fixtures/models/peterson.m",
            "--symmetry",
            "off",
            "-D",
            "N=6",
            "--timeout",
            "0.5",
        ],
        "",
        3,
    );
    let chrome = read(&profile(&lasting, "json").0, Chrome::parse);
    let states = chrome.counters.iter().filter(|one| one.name == "states");
    let counts: BTreeSet<u64> = states.map(|one| one.count).collect();
    assert!(counts.len() >= 3, "{counts:?}");
    // What was told last is a field of the span, although it was stopped.
    let span = chrome.spans.iter().find(|span| span.name == "explore").expect("it was begun");
    assert_eq!(span.args["states"].as_u64(), counts.last().copied());
}

#[test]
fn the_table_of_phases_is_for_standard_error() {
    for (arguments, phases) in [
        (&["check", "fixtures/models/resource_simple.m"][..], &["product.search", "explore"][..]),
        (&["explore", "fixtures/cli/mutex.m"], &["model.parse", "explore"]),
        (&["automaton", "G(a -> F b)"], &["automaton.translate", "report.write"]),
        (&["formula", "F F a"], &["formula.parse"]),
        (&["describe", "fixtures/cli/lock.m"], &["model.resolve"]),
    ] {
        let plain = run(isonomy(arguments), b"");
        let run = run(isonomy(&[arguments, &["--stats"][..]].concat()), b"");
        assert_eq!(run.code, plain.code);
        assert!(!run.out.contains("model.parse"), "{}", run.out);
        let lines: Vec<&str> = run.err.lines().collect();
        let header = lines.iter().position(|line| {
            line.split_whitespace().eq(["phase", "calls", "total", "own", "share"])
        });
        let header = header.unwrap_or_else(|| panic!("{}", run.err));
        let (last, rows) = lines[header + 1..].split_last().expect("a line behind the table");
        assert!(last.starts_with("run time "), "{last}");
        assert_eq!(last.contains(", peak memory "), cfg!(target_os = "linux"), "{last}");
        let mut shares = 0.0;
        for row in rows {
            let words: Vec<&str> = row.split_whitespace().collect();
            let [_, calls, total, "ms", own, "ms", share, "%"] = words[..] else {
                panic!("{row}");
            };
            let number = |text: &str| text.parse::<f64>().expect("a number");
            assert!(number(calls) >= 1.0 && number(total) >= number(own), "{row}");
            shares += number(share);
        }
        assert!((99.0..101.0).contains(&shares), "{shares}: {}", run.err);
        for phase in phases {
            let is_it = |row: &&str| row.split_whitespace().next() == Some(phase);
            assert_eq!(rows.iter().filter(|row| is_it(row)).count(), 1, "{phase}: {}", run.err);
        }
    }
}
