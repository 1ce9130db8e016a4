//! `isonomy check` from outside.

use super::binary::{self, Case, Run, interrupt, isonomy, published, run, scratch, start};
use run::SplitMix64;
use serde_json::Value;
use std::fs;
use support::{golden, headers, schema};

const LOCK: &str = "fixtures/cli/lock.m";
const TOKENS: &str = "fixtures/cli/tokens.m";
const MUTEX: &str = "fixtures/cli/mutex.m";
const LOST: &str = "fixtures/cli/lost.m";
const WRONG: &str = "fixtures/cli/wrong.m";
const TURNS: &str = "fixtures/cli/turns.m";
const SIMPLE: &str = "fixtures/models/resource_simple.m";
const SEMAPHORE: &str = "fixtures/models/mux_sem.m";
const CONTROLLER: &str = "fixtures/models/resource_controller.m";

/// Every client that waits works some day.
const GRANTED: &str = "forall c: client. G(st[c] = Waiting -> F st[c] = Working)";

const EVENTS: &str = "--fair-over=event";
const UNDECLARED: &str = "--ignore-declared-fairness";

/// Whole runs: a file of `fixtures/cli/checked`, exit code, arguments.
const RUNS: &[(&str, i32, &[&str])] = &[
    ("lock", 0, &[LOCK]),
    ("lock.formulas", 1, &[LOCK, GRANTED, "G lent < 3", "--ignore-declared-fairness"]),
    ("lock.atom", 1, &[LOCK, "forall c: client. G(owner = c -> st[c] = Working)"]),
    ("lock.deadlock", 1, &[LOCK, "-p", "all is lent", "--deadlock", "stuck"]),
    ("lock.vacuous", 0, &[LOCK, "forall distinct c, d, e: client. G st[c] = Idle"]),
    ("controller", 1, &[CONTROLLER]),
    ("controller.off", 1, &[CONTROLLER, "-p", "eventual access", "--symmetry", "off"]),
    ("controller.json", 1, &[CONTROLLER, "--format", "json"]),
    ("fair.weak", 1, &[CONTROLLER, "-p", "eventual access", "--fairness", "weak"]),
    ("fair.events", 1, &[SIMPLE, "-p", "eventual access", "--fairness", "strong", EVENTS]),
    ("fair.stuck", 1, &[LOCK, GRANTED, "--fairness", "weak", EVENTS, UNDECLARED]),
    ("fair.declared", 1, &[SEMAPHORE, "forall i: proc. F at[i] = C"]),
    ("fair.mixed", 1, &[SEMAPHORE, "G F @idle -> F false", "--fairness", "strong"]),
    ("fair.global", 1, &[MUTEX, "G !taken", "--fairness", "global"]),
    ("fair.laps", 1, &[TURNS, "F false", "--fairness", "weak"]),
    ("fair.many", 1, &[CONTROLLER, "-D", "N=20", "-p", "eventual access", "--fairness", "weak"]),
    (
        "fair.all",
        1,
        &[SEMAPHORE, "F false", "-p", "exclusion", "--fairness", "all", "--color=always"],
    ),
    ("fair.json", 1, &[SEMAPHORE, "forall i: proc. F at[i] = C", "--format", "json"]),
    ("lost", 1, &[LOST]),
    ("mutex", 1, &[MUTEX, "--full-states"]),
    ("tokens", 1, &[TOKENS]),
    ("wrong", 1, &[WRONG, "--deadlock", "stuttering"]),
    ("wrong.json", 1, &[WRONG, "G water[1] < 4", "-p", "breaks once", "--format", "json"]),
    ("wrong.stopped", 3, &[WRONG, "--max-states", "20"]),
];

/// Those of these models that are not among those with headers.
const SMALL: [&str; 5] = [LOCK, TOKENS, MUTEX, LOST, WRONG];

/// The arguments of a check.
fn checking<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["check"], arguments].concat()
}

/// Both streams of a run, without what is different each time.
fn transcript(run: &Run) -> String {
    let masked = |line: &str| {
        let is_time = line.trim_start().starts_with("time  ");
        match line.split_once(|c: char| c.is_ascii_digit()) {
            Some((time, _)) if is_time => format!("{time}TIME"),
            _ => without_measures(&without_time(line)),
        }
    };
    let out: Vec<_> = run.out.lines().map(masked).collect();
    format!("{}\n--- standard error\n{}", out.join("\n"), run.err)
}

/// A line of a table without the time at its end.
fn without_time(line: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let rest = line.strip_suffix(" s").map(|rest| rest.trim_end_matches(is_digit));
    match rest.and_then(|rest| rest.strip_suffix('.')) {
        Some(rest) => format!("{}TIME", rest.trim_end_matches(is_digit)),
        None => line.to_owned(),
    }
}

/// A line of JSON without times and memory.
fn without_measures(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(r#","time_us":"#) {
        out.push_str(before);
        out.push_str(",MEASURES");
        rest = &after[after.find('}').expect("it is the last but one")..];
    }
    out + rest
}

#[test]
fn checks_are_those_that_were_looked_at() {
    let mut kept = golden::Folder::new("fixtures/cli/checked");
    for (name, code, arguments) in RUNS {
        // The number of threads makes no difference.
        for threads in ["1", "4"] {
            let arguments = [&checking(arguments)[..], &["--threads", threads]].concat();
            let found = run(isonomy(&arguments), b"");
            kept.compare(
                &format!("{name}.txt"),
                &format!("{threads} threads"),
                &transcript(&found),
            );
            if found.code != Some(*code) {
                kept.fault(format!("{name}: exit {:?}, not {code}", found.code));
            }
        }
    }
    kept.finish_with_all();
}

fn json(arguments: &[&str]) -> Value {
    binary::json(&[&checking(arguments)[..], &["--format", "json"]].concat())
}

fn results(found: &Value) -> &[Value] {
    found["results"].as_array().expect("a list")
}

/// Whether a counterexample leads from each state to the next, as far as can be seen from here.
fn check_shape(result: &Value, context: &str) {
    let is_violated = result["verdict"] == "violated";
    let counterexample = &result["counterexample"];
    assert!(is_violated || counterexample.is_null(), "{context}: {result}");
    assert_eq!(result["verdict"] == "unknown", !result["reason"].is_null() && !is_violated);
    if counterexample.is_null() {
        return;
    }
    let steps = |part: &str| counterexample[part].as_array().expect("a list").clone();
    let (stem, cycle) = (steps("stem"), steps("cycle"));
    let is_infinite = !cycle.is_empty() || !counterexample["component"].is_null();
    assert_eq!(result["kind"] == "ltl", is_infinite, "{context}: {result}");
    if let Some(first) = cycle.first() {
        assert_eq!(first["state"], counterexample["end"], "{context}: the cycle is closed");
    }
    for step in stem.iter().chain(&cycle) {
        assert_eq!(step["process"].is_null(), step["event"].is_null(), "{context}");
    }
}

#[test]
fn json_conforms_to_the_published_schema() {
    let schema = published("check");
    let mut kinds: Vec<String> = Vec::new();
    let fixtures = headers::fixtures();
    let models = fixtures.iter().map(|one| one.file.clone());
    let small = SMALL.map(str::to_owned);
    for model in small.into_iter().chain(models) {
        for symmetry in ["auto", "fast", "off"] {
            let arguments =
                [&model, "--symmetry", symmetry, "--deadlock", "stuck", "--max-states", "500"];
            let value = json(&arguments);
            let context = format!("{model} {symmetry}");
            assert_eq!(schema::check(&schema, &schema, &value, ""), Ok(()), "{context}");
            for result in results(&value) {
                check_shape(result, &context);
                let [kind, verdict] = ["kind", "verdict"].map(|field| result[field].to_string());
                kinds.push(format!("{kind} {verdict}"));
            }
        }
    }
    kinds.sort();
    kinds.dedup();
    for kind in ["ltl", "invariant", "cover", "liveness", "deadlock"] {
        for verdict in ["holds", "violated", "unknown"] {
            let both = format!("\"{kind}\" \"{verdict}\"");
            assert!(kinds.contains(&both), "nothing is {both}: {kinds:?}");
        }
    }
    assert!(kinds.iter().any(|one| one == "\"runtime-error\" \"violated\""), "{kinds:?}");
}

#[test]
fn json_says_what_is_known() {
    let found = json(&[CONTROLLER, "-D", "N=9"]);
    assert_eq!(found["constants"], serde_json::json!({"N": 9}));
    let [exclusion, access, _] = results(&found) else { panic!("three results: {found}") };
    for (field, expected) in [
        ("name", Value::from("exclusion")),
        ("kind", "ltl".into()),
        ("verdict", "holds".into()),
        ("reason", Value::Null),
        ("fairness", "none".into()),
        ("over", Value::Null),
        ("engine", "prefix".into()),
        ("instances", 1.into()),
        ("counterexample", Value::Null),
    ] {
        assert_eq!(exclusion[field], expected, "{field}");
    }
    // As many nodes as representatives: the formula is about no client.
    for (field, expected) in [("representatives", 38), ("edges", 71), ("product_nodes", 38)] {
        assert_eq!(exclusion["stats"][field], expected, "{field}");
    }
    assert_eq!(access["bindings"], serde_json::json!({"c": "client_0"}));
    assert_eq!(access["engine"], "scc");
    let counterexample = &access["counterexample"];
    assert_eq!(counterexample["validated"], true);
    assert_eq!(counterexample["stem"][0]["state"]["st"]["client_8"], "I");
    // A run that ends in a deadlock stays there: nobody does anything.
    let found = json(&[LOCK, GRANTED, "--ignore-declared-fairness"]);
    let cycle = &results(&found)[0]["counterexample"]["cycle"];
    assert_eq!(cycle.as_array().map(Vec::len), Some(1), "{found}");
    let stutter = [&cycle[0]["process"], &cycle[0]["event"], &cycle[0]["args"]];
    assert_eq!(stutter, [&Value::Null, &Value::Null, &serde_json::json!([])]);
    assert_eq!(results(&found)[0]["name"], Value::Null);
}

/// What each result says, without what is measured and what may differ by symmetry.
fn told(result: &Value, is_whole: bool) -> Value {
    let mut result = result.clone();
    let fields = result.as_object_mut().expect("an object");
    let stats = fields["stats"].as_object_mut().expect("an object");
    stats.remove("time_us");
    stats.remove("peak_memory_bytes");
    stats.remove("peak_rss_bytes");
    if !is_whole {
        for field in
            ["stats", "counterexample", "why", "bindings", "symmetry", "instances", "warnings"]
        {
            fields.remove(field);
        }
        if fields["kind"] == "runtime-error" {
            fields.remove("engine");
            // Which of the values that are alike is told may differ.
            let reason = fields["reason"].as_str().expect("a text");
            let place = reason.rsplit_once(" (").expect("a place").1.to_owned();
            fields.insert("reason".to_owned(), place.into());
        }
    }
    result
}

#[test]
fn results_do_not_depend_on_each_other() {
    let mut compared = 0;
    for model in [MUTEX, WRONG, LOST, CONTROLLER, LOCK, "fixtures/models/mcs_lock.m"] {
        let all = json(&[model, "--threads", "2"]);
        for result in results(&all) {
            let Some(name) = result["name"].as_str() else { continue };
            let alone = json(&[model, "-p", name, "--threads", "1"]);
            // Several properties may have one name; what fails comes along.
            let same = results(&alone).iter().map(|one| told(one, true));
            let same: Vec<Value> = same.filter(|one| one["name"] == name).collect();
            assert!(same.contains(&told(result, true)), "{model} {name}\n{result}\n{same:?}");
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared}");
}

#[test]
fn symmetry_changes_no_verdict() {
    let (mut compared, mut violated) = (0, 0);
    for fixture in headers::fixtures() {
        let model = fixture.file.as_str();
        let with = |symmetry| {
            let most =
                ["--max-states", "3000", "--ignore-declared-fairness", "--deadlock", "stuck"];
            json(&[&[model, "--symmetry", symmetry][..], &most].concat())
        };
        let off = with("off");
        let is_stopped =
            |one: &Value| one["reason"].as_str().is_some_and(|why| why.starts_with("more than"));
        if results(&off).iter().any(is_stopped) {
            continue;
        }
        for symmetry in ["auto", "fast"] {
            let is_refused =
                |one: &Value| one["reason"].as_str().is_some_and(|why| why.starts_with("refused"));
            let found = with(symmetry);
            let both = results(&found).iter().zip(results(&off));
            let both = both.filter(|(found, _)| symmetry == "auto" || !is_refused(found));
            for (found, off) in both {
                assert_eq!(told(found, false), told(off, false), "{model} {symmetry}");
            }
            assert_eq!(results(&found).len(), results(&off).len(), "{model} {symmetry}");
        }
        compared += 1;
        violated += results(&off).iter().filter(|one| !one["counterexample"].is_null()).count();
    }
    assert!(compared > 40 && violated > 15, "{compared} {violated}");
}

/// Where sorting does not reduce states, `auto` takes the place of `fast`, and a warning says so.
#[test]
fn sorting_gives_way_where_it_does_not_reduce() {
    let warning = "`--symmetry auto` is used in place of `fast`: sorting does not reduce states \
                   that relate the values of person";
    let found = |more: &[&str]| {
        let model = "fixtures/models/pointer_graph.m";
        run(isonomy(&[&["check", model, "--symmetry", "fast"], more].concat()), b"")
    };
    let text = found(&["--format", "json"]);
    assert!(text.err.starts_with(&format!("warning: {warning}\n")), "{}", text.err);
    let value: Value = serde_json::from_str(&text.out).expect("JSON");
    for result in results(&value) {
        assert_eq!(result["symmetry"], "auto");
    }
    let messages = found(&["--message-format", "json"]).err;
    let first = messages.lines().next().expect("a line");
    let first: Value = serde_json::from_str(first).expect("JSON");
    assert_eq!([&first["severity"], &first["message"]], ["warning", warning]);
}

/// Guards that the judge does not evaluate do not fail.
#[test]
fn the_judge_says_the_same_without_shortcuts() {
    let (mut compared, mut judged) = (0, 0);
    let fixtures = headers::fixtures();
    let models = fixtures.iter().map(|one| one.file.clone());
    for model in SMALL.map(str::to_owned).into_iter().chain(models) {
        let arguments = [&model, "--deadlock", "stuck", "--max-states", "3000"];
        let with = json(&arguments);
        let without = json(&[&arguments[..], &["--paranoid"]].concat());
        assert_eq!(results(&with).len(), results(&without).len(), "{model}");
        for (with, without) in results(&with).iter().zip(results(&without)) {
            assert_eq!(told(with, true), told(without, true), "{model}");
            compared += 1;
            judged += usize::from(!with["counterexample"].is_null());
        }
    }
    assert!(compared > 100 && judged > 40, "{compared} {judged}");
}

/// The results are the same by design, so the log tells whether the flag has an effect.
#[test]
fn paranoid_judges_say_so() {
    let file = scratch("paranoid.json");
    let file = file.to_str().expect("a path in UTF-8");
    let model = "fixtures/models/resource_simple.m";
    let found = run(isonomy(&["check", model, "--format", "json"]), b"");
    assert_eq!(found.code, Some(1), "there is a counterexample to replay: {}", found.err);
    std::fs::write(file, &found.out).expect("a file");
    for command in [["check", model].as_slice(), &["replay", model, file]] {
        for paranoid in [&["--paranoid"][..], &[]] {
            let arguments = [command, paranoid, &["--log", "debug"]].concat();
            let log = run(isonomy(&arguments), b"").err;
            let is_said = log.contains("the judge evaluates every guard");
            assert_eq!(is_said, !paranoid.is_empty(), "{arguments:?}: {log}");
        }
    }
}

/// Properties of states have the verdicts that an exploration of all states has for them. Only of what fails
/// it is more careful: nothing holds that only all states could tell.
#[test]
fn explorations_agree() {
    let mut compared = [0; 3];
    let fixtures = headers::fixtures();
    let models = fixtures.iter().map(|one| one.file.clone());
    for model in SMALL.map(str::to_owned).into_iter().chain(models) {
        let most = ["--max-states", "5000", "--format", "json"];
        let run_with = |command: &[&str]| -> Value {
            let found = run(isonomy(&[command, &[&model], &most].concat()), b"");
            serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{model}: {}", found.err))
        };
        let explored = run_with(&["explore", "--continue", "--deadlock", "off"]);
        if explored["stopped"] != Value::Null {
            continue;
        }
        let checked = run_with(&["check"]);
        let of_states = ["invariant", "assert", "cover", "liveness"];
        let fails = results(&checked).iter().any(|one| one["kind"] == "runtime-error");
        let ours = results(&checked)
            .iter()
            .filter(|one| of_states.iter().any(|kind| one["kind"] == *kind));
        let theirs = explored["properties"].as_array().expect("a list");
        let both: Vec<_> = ours.zip(theirs).collect();
        assert_eq!(both.len(), theirs.len(), "{model}: {checked}");
        for (our, their) in both {
            assert_eq!(our["name"], their["name"], "{model}");
            let is_careful = fails && our["verdict"] == "unknown";
            assert!(our["verdict"] == their["verdict"] || is_careful, "{model}: {our} {their}");
            compared[0] += 1;
            compared[1] += usize::from(our["verdict"] == "violated");
            compared[2] += usize::from(our["verdict"] == "holds");
        }
    }
    assert!(compared[0] > 40 && compared[1] > 3 && compared[2] > 40, "{compared:?}");
}

/// Pointers on four rings come back to where they began after 17017 turns.
#[test]
fn a_cycle_that_is_too_long_is_one_lap() {
    let model = "type a: ring(7); b: ring(11); c: ring(13); d: ring(17); \
                 var p: a; q: b; r: c; s: d; ruleset i: a; j: b; k: c; l: d do \
                 startstate \"anywhere\" p := i; q := j; r := k; s := l end end; \
                 rule \"turn\" p := next(p); q := next(q); r := next(r); s := next(s) end;";
    check(&[(&["-", "F false"], model, 1, "with indices permuted by a (0 1 2 3 4 5 6), b (", "")]);
    let found = run(isonomy(&["check", "-", "F false", "--format", "json"]), model.as_bytes());
    let found: Value = serde_json::from_str(&found.out).expect("JSON");
    let schema = published("check");
    assert_eq!(schema::check(&schema, &schema, &found, ""), Ok(()));
    let counterexample = &results(&found)[0]["counterexample"];
    assert_eq!(counterexample["lap_permutation"]["a"], "(0 1 2 3 4 5 6)", "{found}");
    assert_eq!(counterexample["cycle"].as_array().map(Vec::len), Some(1));
}

/// Twenty clients have 22 · 2^20 states, all of which a globally fair run visits.
#[test]
fn a_globally_fair_run_that_is_too_long_is_a_component() {
    let formula = "forall c: client. F G st[c] != K";
    let arguments = [CONTROLLER, "-D", "N=20", "--fairness", "global", formula];
    check(&[
        (
            &arguments,
            "",
            1,
            "from here on the run stays in 196 places up to permutations, and ",
            "",
        ),
        (&arguments, "", 1, "\nplace 1\n  client_0: request(client_0), to place 2\n", ""),
        (&arguments, "", 1, "\nplace 2, as place 1 but for\n  st[client_0] = R\n", ""),
        (
            &arguments,
            "",
            1,
            "\nand 191 more places with 466 steps; `--full-states` shows all\n",
            "",
        ),
    ]);
    let found = json(&arguments);
    let schema = published("check");
    assert_eq!(schema::check(&schema, &schema, &found, ""), Ok(()));
    let result = &results(&found)[0];
    check_shape(result, formula);
    let counterexample = &result["counterexample"];
    assert_eq!(counterexample["cycle"], serde_json::json!([]));
    assert_eq!(counterexample["component"]["places"].as_array().map(Vec::len), Some(196));
    assert_eq!(counterexample["component"]["places"][0]["state"], counterexample["end"]);
}

/// A counterexample under fairness says why it is fair, and only such a one does.
#[test]
fn fair_counterexamples_come_with_an_argument() {
    let schema = published("check");
    let mut keys: Vec<String> = Vec::new();
    for model in [TURNS, SEMAPHORE, SIMPLE, LOCK] {
        for fairness in ["none", "weak", "strong", "global"] {
            for more in [&[][..], &[UNDECLARED], &[EVENTS]] {
                let is_by_party = fairness == "weak" || fairness == "strong";
                if more == [EVENTS] && !is_by_party {
                    continue;
                }
                let formula = "G F @by(_) -> F false";
                let found = json(&[&[model, formula, "--fairness", fairness], more].concat());
                let context = format!("{model} {fairness} {more:?}");
                assert_eq!(schema::check(&schema, &schema, &found, ""), Ok(()), "{context}");
                let [result] = results(&found) else { panic!("one result: {context}") };
                let counterexample = &result["counterexample"];
                let is_fair =
                    fairness != "none" || result["declared_fairness"] != serde_json::json!([]);
                let argument = counterexample["fairness_argument"].as_array();
                // Who reads a component sees that all steps are taken.
                let is_run = !counterexample.is_null() && counterexample["component"].is_null();
                assert_eq!(argument.is_some(), is_fair && is_run, "{context}");
                for one in argument.into_iter().flatten() {
                    keys.extend(one.as_object().expect("an object").keys().cloned());
                    keys.push(one["reason"].to_string());
                }
            }
        }
    }
    for key in ["laps", "instead", "states", "steps", "\"executed\"", "\"disabled\"", "\"true\""] {
        assert!(keys.iter().any(|one| one == key), "{key}");
    }
}

/// The headers of fixtures say what is known of their properties.
#[test]
fn expectations_are_met() {
    let (mut met, mut of_fairness) = (0, 0);
    for fixture in headers::fixtures() {
        let model = fixture.file.as_str();
        for size in fixture.sizes() {
            let expected: Vec<_> = size.facts.iter().filter(|fact| fact.kind == "expect").collect();
            if expected.is_empty() {
                continue;
            }
            let definitions: Vec<String> = size
                .definitions
                .iter()
                .map(|one| format!("-D{}={}", one.name, one.value))
                .collect();
            let mut arguments = vec![model, "--max-states", "50000", "--paranoid"];
            arguments.extend(definitions.iter().map(String::as_str));
            let found = json(&arguments);
            for fact in expected {
                let context = format!("{} {fact:?}", fixture.name);
                if fact.text == "run-time error" {
                    let fails = |one: &Value| one["kind"] == "runtime-error";
                    assert!(results(&found).iter().any(fails), "{context}: {found}");
                    met += 1;
                    continue;
                }
                let (name, rest) = fact.text[1..].split_once('"').expect("a name in quotes");
                let (verdict, under) = match rest.trim().split_once(" under ") {
                    Some((verdict, under)) => (verdict, under),
                    None => (rest.trim(), "none fairness"),
                };
                let (kind, more) = under.split_once(" fairness").expect("which fairness");
                let more = match more {
                    "" => &[][..],
                    " over events" => &["--fair-over", "event"],
                    " alone" => &["--ignore-declared-fairness"],
                    " over events alone" => &["--fair-over", "event", "--ignore-declared-fairness"],
                    other => panic!("{context}: {other}"),
                };
                let is_asked = kind == "none" && more.is_empty();
                let more = [&["-p", name, "--fairness", kind], more].concat();
                let more = [&arguments[..], &more].concat();
                let found = if is_asked { found.clone() } else { json(&more) };
                let is_it = |one: &&Value| one["name"] == name && one["fairness"] == kind;
                let result = results(&found).iter().find(is_it);
                let result = result.unwrap_or_else(|| panic!("{context}: {found}"));
                let reason = result["reason"].as_str().unwrap_or_default();
                match result["verdict"].as_str() {
                    Some("unknown") if reason.starts_with("more than") => {}
                    found => {
                        assert_eq!(found, Some(verdict), "{context}: {result}");
                        met += 1;
                        of_fairness += usize::from(kind != "none");
                    }
                }
            }
        }
    }
    assert!(met > 110 && of_fairness > 20, "{met} {of_fairness}");
}

/// Cases of this command.
fn check(cases: &[Case<'_>]) {
    for &(arguments, input, code, out, err) in cases {
        binary::check(&[(&checking(arguments), input, code, out, err)]);
    }
}

#[test]
fn requests_that_make_no_sense() {
    check(&[
        (&[], "", 2, "", "<MODEL>"),
        (&["no/such.m"], "", 2, "", "cannot read `no/such.m`: no such file"),
        (&["-"], "var x: (", 2, "", "standard input:1:"),
        (&[LOCK, "-D", "Nothing=5"], "", 2, "", "Nothing"),
        (&[LOCK, "--symmetry", "on"], "", 2, "", "possible values: auto, fast, off"),
        (
            &[LOCK, "--fairness", "unfair"],
            "",
            2,
            "",
            "possible values: none, weak, strong, global, all",
        ),
        (&[LOCK, "--engine", "petrol"], "", 2, "", "possible values: auto, scc, sets, ndfs"),
        (&[LOCK, "--engine", "scc", "--bitstate", "1"], "", 2, "", "leave out one of the two"),
        (&[LOCK, "--bitstate", "0"], "", 2, "", "0 is not in 1.."),
        (&[LOCK, "--bitstate", "1", "--hash-compaction"], "", 2, "", "cannot be used with"),
        (&[LOCK, "--deadlock", "on"], "", 2, "", "possible values: off, stuck, stuttering"),
        (&[LOCK, "--format", "dot"], "", 2, "", "possible values: text, json"),
        (&[LOCK, "--threads", "0"], "", 2, "", "0 is not in 1..=256"),
        (&[LOCK, "--max-states", "0"], "", 2, "", "not a number from 1 on"),
        (
            &[LOCK, "-p", "exclusoin"],
            "",
            2,
            "",
            "the model has no property \"exclusoin\" to check\n    = help: did you mean \
             \"exclusion\"? Its properties are \"the owner works\", \"all is lent\", \"granted\", \
             \"exclusion\"",
        ),
        (&[LOCK, "-p", "served"], "", 2, "", "that is a fairness requirement"),
        (&[WRONG, "-p", "not both full"], "", 2, "", "that is an assumption"),
        (
            &["-", "-p", "x"],
            "var x: 0..1; startstate x := 0 end; invariant x = 0;",
            2,
            "",
            "none of its properties has a name",
        ),
        (
            &["-", "G x = 0"],
            "var x: 0..1; startstate x := 0 end; assume x = 1; rule \"r\" true ==> end",
            2,
            "",
            "no start state satisfies the assumptions",
        ),
    ]);
}

/// One bad formula, and nothing is searched.
#[test]
fn bad_formulas_are_explained() {
    let place = |formula: &str, column: usize| format!(" --> {formula}:1:{column}\n");
    for (formula, column, message) in [
        ("G (lent = 0", 12, "unclosed parenthesis"),
        (
            "G lnet = 0",
            3,
            "unknown name `lnet`\n{place}  1 | G lnet = 0\n    |   ^^^^\n    = help: did you mean `lent`?",
        ),
        ("forall c: cleint. G st[c] = Idle", 11, "did you mean `client`?"),
        ("forall c: client. G st[c] = Wating", 29, "did you mean `Waiting`?"),
        ("forall c: client. F @garnt(c)", 21, "did you mean `grant`?"),
        ("forall c: client. F @grant(d)", 21, "unknown name `d`"),
        ("F @by(sevrer)", 3, "the model has no process `sevrer`"),
        ("F owner.x = 1", 3, "record"),
        ("G forall c: client. F st[c] = Idle", 3, "must stand in front of all"),
        ("", 1, "expected a formula"),
        ("lent", 1, "expected a condition"),
    ] {
        for (arguments, name) in [
            (vec![LOCK, formula], "formula"),
            (vec![LOCK, "G lent < 9", formula, "-p", "exclusion"], "formula 2"),
        ] {
            let found = run(isonomy(&checking(&arguments)), b"");
            let place = place(name, column);
            let message = message.replace("{place}", &place);
            assert_eq!(found.code, Some(2), "{formula}: {}", found.err);
            assert_eq!(found.out, "", "{formula}: nothing is searched");
            assert!(found.err.contains(&place), "{formula}: {}", found.err);
            assert!(found.err.to_lowercase().contains(&message.to_lowercase()), "{}", found.err);
        }
    }
}

/// A counter from 0 to 9 and round again, and more text.
fn counter(more: &str) -> String {
    format!("var x: 0..9; startstate x := 0 end; rule \"r\" true ==> x := (x + 1) % 10 end; {more}")
}

#[test]
fn outcomes_and_their_exit_codes() {
    let plain = counter("");
    let stuck = "var x: 0..9; startstate \"s\" x := 0 end; rule \"r\" x < 3 ==> x := x + 1 end;";
    check(&[
        (&["-"], &plain, 0, "no run-time error\n", "note: the model has no properties"),
        (&["-", "G F x = 3"], &plain, 0, "holds: the formula: G F x = 3\n", ""),
        (&["-", "F G x = 3"], &plain, 1, "violated: the formula\n --> formula:1:1", ""),
        (&["-", "G F x = 3", "G x < 9"], &plain, 1, "2 results: 1 violated, 1 holds\n", ""),
        (&["-", "x = 0 & X x = 1 & X X X x = 3"], &plain, 0, "holds", ""),
        (&["-", "G x < 9"], &plain, 1, "9 system: r\n  x: 8 -> 9\n", ""),
        (&["-", "G x < 9", "--engine", "scc"], &plain, 1, "9 system: r\n  x: 8 -> 9\n", ""),
        (&["-", "G F x = 3", "--engine", "ndfs"], &plain, 0, "holds", ""),
        (&["-", "F G x = 3", "--engine", "ndfs"], &plain, 1, "violated: the formula", ""),
        (
            &["-", "G F x = 3", "--bitstate", "1"],
            &plain,
            3,
            "but the search was not exhaustive: ",
            "",
        ),
        (&["-", "G F x = 3", "--hash-compaction"], &plain, 3, "not exhaustive", ""),
        (&["-", "F G x = 3", "--hash-compaction"], &plain, 1, "violated: the formula", ""),
        (&["-", "F G x = 3", "--bitstate", "1"], &plain, 1, "violated: the formula", ""),
        (&["-", "G(x = 10 -> F x = 3)"], &plain, 0, "vacuously: `x = 10` is never true", ""),
        (&["-", "G(x = 1 | x != 1)"], &plain, 0, "holds", ""),
        (&["-", "G F @r"], stuck, 1, "4 no process is enabled\nstep 4 is repeated forever\n", ""),
        (&["-", "F G x = 3"], stuck, 0, "holds", ""),
        (&["-", "--deadlock", "stuck"], stuck, 1, "violated: deadlock: no step is possible\n", ""),
        (&["-", "--deadlock", "stuck"], &plain, 0, "holds: no deadlock\n", ""),
        (&["-"], &counter("invariant x < 7;"), 1, "violated: invariant\n", ""),
        (&["-"], &counter("invariant x < 10;"), 0, "holds: invariant: x < 10\n", ""),
        (&["-"], &counter("cover \"c\" x = 10;"), 1, "violated: cover \"c\" is never true\n", ""),
        (
            &["-", "G x < 9"],
            "var x: 0..9; startstate x := 0 end; rule \"r\" true ==> x := x + 1 end;",
            1,
            "1 violated, 1 unknown",
            "",
        ),
        (&["-"], "var x: 0..1; startstate x := -x end; rule \"r\" end", 1, "undefined", "note"),
        (
            &["-", "G x = 0"],
            "var x: 0..1; startstate x := -x end; rule \"r\" end",
            1,
            "undefined",
            "",
        ),
        (&["-", "G y = 0"], &counter("var y: 0..1;"), 1, "in the atom `y = 0`", ""),
        (&["-", "G x < 9 under weak fairness"], &plain, 1, "fairness  weak, over process", ""),
        (&["-", "F x = 9 under weak fairness"], &plain, 0, "there is one process only", ""),
        (
            &["-", "F x = 9", "--fairness", "strong", "--fair-over", "event"],
            &plain,
            0,
            "strong, over event",
            "",
        ),
        (&["-", "-p", "a", "-p", "a", "-p", "b"], &counter(TWO), 1, "2 results: 1 viol", ""),
        (&["-", "G x < 9", "-p", "b"], &counter(TWO), 1, "2 results: 2 violated", ""),
    ]);
}

/// Two properties.
const TWO: &str = "ltl \"a\": G F x = 0; invariant \"b\" x != 3; ltl \"c\": F G x = 0;";

/// A model with 2^40 states.
const LARGE: &str = "var x: array [0..39] of boolean; startstate clear x end; \
                     ruleset k: 0..39 do rule \"flip\" x[k] := !x[k] end end;";

/// It is violated at the far end only.
const FAR: &str = "G !(forall k: 0..39 do x[k] end)";

#[test]
fn limits_end_a_run_with_what_is_known() {
    let invariant = format!("{LARGE} invariant \"far\" !(forall k: 0..39 do x[k] end);");
    let began = std::time::Instant::now();
    for (formula, model) in [(FAR, LARGE), ("-p=far", &invariant)] {
        for (limit, value, reason) in [
            ("--max-states", "100", "more than 100 states"),
            ("--timeout", "0.2", "time limit of 0.2 s"),
            ("--memory-limit", "1M", "memory limit of 1 MiB"),
        ] {
            let (out, err) = (format!("reason    {reason}\n"), format!("stopped: {reason}\n"));
            check(&[(&["-", formula, limit, value], model, 3, &out, &err)]);
        }
        check(&[(
            &["-", formula, "F x[0]", "--timeout", "0.2", "--symmetry", "off"],
            model,
            1,
            "1 violated, 1 unknown",
            "stopped",
        )]);
    }
    let so_far = "stopped (more than 100 states): no run-time error so far\n";
    check(&[(&["-", "--max-states", "100"], LARGE, 3, so_far, "stopped: more than 100 states\n")]);
    // What is decided nearby does not cost the whole space.
    let near = format!("{LARGE} invariant \"near\" !x[3]; cover \"c\" x[3] & x[4];");
    check(&[
        (&["-"], &near, 1, "1 violated, 1 holds", ""),
        (&["-", "G !x[3]"], LARGE, 1, "violated: the formula", ""),
    ]);
    assert!(began.elapsed().as_secs() < 60, "limits are kept: {:?}", began.elapsed());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_what_it_knows() {
    let file = scratch("interrupted.m");
    let text = format!("{LARGE} invariant \"far\" !(forall k: 0..39 do x[k] end);");
    fs::write(&file, text).expect("a file");
    for formulas in [&["F x[0]", FAR][..], &["-p", "far", "G F x[0]"]] {
        let name = file.to_str().expect("UTF-8");
        let child = start(&[&["check", name], formulas].concat());
        // The handler must stand before the signal comes.
        std::thread::sleep(std::time::Duration::from_secs(1));
        interrupt(&child);
        let output = child.wait_with_output().expect("the binary ends");
        let out = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(130), "{out}");
        assert!(out.contains("unknown: ") && out.contains("reason    interrupted\n"), "{out}");
        assert!(out.contains(" states, "), "{out}");
    }
    fs::remove_file(&file).expect("the file is there");
}

/// Whatever is written, it is checked or explained.
#[test]
fn garbage_is_no_reason_to_panic() {
    let pieces = [
        "G",
        "F",
        "X",
        "U",
        "R",
        "(",
        ")",
        "!",
        "&",
        "|",
        "->",
        "<->",
        "forall c: client.",
        "st[c]",
        "=",
        "Idle",
        "lent",
        "owner",
        "@grant(c)",
        "@by(server)",
        "@",
        "_",
        "\"",
        "0",
        "under",
        "weak",
        "fairness",
        "distinct",
        "do",
        "end",
        "exists d: client do",
        "isundefined(owner)",
        "\u{2192}",
        "\\",
        "[",
        "]",
        "-",
        "9999999999999999999999",
        "true",
        ".",
        ",",
        ":",
        "?",
    ];
    let mut random = SplitMix64::new(7);
    let mut next = |bound: usize| random.below(bound);
    let mut codes = [0; 4];
    for _ in 0..150 {
        let length = 1 + next(8);
        let mut formula: Vec<&str> = (0..length).map(|_| pieces[next(pieces.len())]).collect();
        if next(2) == 0 {
            formula = [&["forall c: client.", "G", "(", "lent", "=", "0"], &formula[..]].concat();
        }
        let formula = formula.join(" ");
        let found = run(isonomy(&["check", LOCK, "--timeout", "20", "--", &formula]), b"");
        let code = found.code.and_then(|code| usize::try_from(code).ok()).filter(|code| *code < 4);
        let code = code.unwrap_or_else(|| panic!("{formula}: {:?}\n{}", found.code, found.err));
        codes[code] += 1;
    }
    assert!(codes[2] > 50, "{codes:?}");
}
