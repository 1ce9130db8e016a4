//! `isonomy explore` from outside.

use super::binary::{
    self, Case, Run, interrupt, into_closed_pipe, isonomy, published, run, scratch, start,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use support::headers::fixtures;
use support::{golden, needs, schema};

const LOCK: &str = "fixtures/cli/lock.m";
const TOKENS: &str = "fixtures/cli/tokens.m";
const MUTEX: &str = "fixtures/cli/mutex.m";
const WRONG: &str = "fixtures/cli/wrong.m";

/// Whole runs: a file of `fixtures/cli/explored`, exit code, arguments.
const RUNS: &[(&str, i32, &[&str])] = &[
    ("lock", 1, &[LOCK, "--deadlock", "stuttering"]),
    ("lock.counted", 0, &[LOCK, "--coverage"]),
    ("lock.five", 0, &[LOCK, "-D", "Clients=5", "--deadlock", "off"]),
    ("lock.large", 0, &[LOCK, "-D", "Clients=120", "--deadlock", "off"]),
    ("lock.fast", 1, &[LOCK, "--symmetry", "fast", "--deadlock", "stuttering"]),
    ("lock.off", 1, &[LOCK, "--symmetry", "off", "--deadlock", "stuttering"]),
    ("mutex", 1, &[MUTEX, "--full-states"]),
    ("mutex.continue", 1, &[MUTEX, "--continue"]),
    ("tokens", 1, &[TOKENS]),
    ("wrong", 1, &[WRONG, "--deadlock", "stuttering"]),
    ("wrong.continue", 1, &[WRONG, "--continue", "--deadlock", "stuck"]),
    ("wrong.json", 1, &[WRONG, "--continue", "--format", "json", "--deadlock", "stuttering"]),
    ("wrong.stopped", 1, &[WRONG, "--max-states", "30"]),
];

/// All that `--symmetry` may be.
const SYMMETRIES: [&str; 3] = ["auto", "fast", "off"];

/// The arguments of an exploration.
fn explore<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["explore"], arguments].concat()
}

/// Both streams of a run, without what is different each time.
fn transcript(run: &Run) -> String {
    let masked = |line: &str| {
        let is_measured = |name: &str| line.trim_start().starts_with(name);
        if is_measured("time  ")
            && let Some((time, _)) = line.split_once(|c: char| c.is_ascii_digit())
        {
            return format!("{time}TIME");
        }
        match line.split_once(" packed, ") {
            Some((packed, _)) if is_measured("memory  ") => {
                format!("{packed} packed, BYTES in all")
            }
            _ => without_measures(line),
        }
    };
    let out: Vec<_> = run.out.lines().map(masked).collect();
    format!("{}\n--- standard error\n{}", out.join("\n"), run.err)
}

/// A line of JSON without times, memory and threads.
fn without_measures(line: &str) -> String {
    match line.split_once(r#","time_us":"#) {
        Some((before, after)) => {
            let packed = after.find(r#""packed_bytes""#).expect("it follows");
            let threads = after.find(r#","threads""#).expect("it follows");
            format!("{before},MEASURES,{}}}", &after[packed..threads])
        }
        None => line.to_owned(),
    }
}

#[test]
fn explorations_are_those_that_were_looked_at() {
    let mut kept = golden::Folder::new("fixtures/cli/explored");
    for (name, code, arguments) in RUNS {
        // The number of threads makes no difference.
        for threads in ["1", "2", "3"] {
            let arguments = [&explore(arguments)[..], &["--threads", threads]].concat();
            let found = run(isonomy(&arguments), b"");
            let transcript = transcript(&found);
            assert_eq!(found.code, Some(*code), "isonomy {arguments:?}\n{transcript}");
            kept.compare(&format!("{name}.txt"), &format!("{threads} threads"), &transcript);
        }
    }
    kept.finish_with_all();
}

fn json(arguments: &[&str]) -> Value {
    binary::json(&[&explore(arguments)[..], &["--format", "json"]].concat())
}

/// The models with headers.
fn models() -> Vec<String> {
    fixtures().into_iter().map(|fixture| fixture.file).collect()
}

#[test]
fn json_conforms_to_the_published_schema() {
    let schema = published("explore");
    let small = ["--max-states", "500"];
    let models = models();
    let cases = [LOCK, TOKENS, MUTEX, WRONG].into_iter().chain(models.iter().map(String::as_str));
    for model in cases {
        for symmetry in SYMMETRIES {
            let value = json(&[&[model, "--symmetry", symmetry][..], &small].concat());
            assert_eq!(schema::check(&schema, &schema, &value, ""), Ok(()), "{model} {symmetry}");
        }
    }
    let value = json(&[LOCK, "-D", "Clients=60", "--deadlock", "off"]);
    assert!(value["states"].is_string(), "there are more states than doubles can tell apart");
    assert_eq!(schema::check(&schema, &schema, &value, ""), Ok(()));
}

#[test]
fn json_says_what_is_known() {
    let lock = json(&[LOCK, "-D", "Clients=1", "--deadlock", "stuttering"]);
    for (field, expected) in [
        ("constants", serde_json::json!({"Clients": 1, "Limit": 3})),
        ("states", 11.into()),
        ("start_states", 1.into()),
        ("steps", 10.into()),
        ("fired", 10.into()),
        ("depth", 10.into()),
        ("symmetry", "auto".into()),
        ("representatives", 11.into()),
        ("deadlocks", 1.into()),
        ("exhaustive", true.into()),
        ("stopped", Value::Null),
    ] {
        assert_eq!(lock[field], expected, "{field}");
    }
    let violation = &lock["violations"][0];
    assert_eq!(violation["kind"], "deadlock");
    assert_eq!(violation["location"], Value::Null);
    assert_eq!(violation["trace"]["steps"].as_array().map(Vec::len), Some(10));
    assert_eq!(violation["trace"]["end"]["st"]["client_0"], "Waiting");
    let mutex = json(&[MUTEX, "--threads", "2"]);
    assert_eq!(mutex["threads"], 2);
    assert_eq!(mutex["exhaustive"], false);
    let violation = &mutex["violations"][0];
    assert_eq!(violation["bindings"], serde_json::json!({"c": "client_0", "d": "client_1"}));
    assert_eq!(violation["location"], serde_json::json!({"line": 23, "column": 3}));
}

/// What a violation is, without what depends on which of equal runs was found.
fn kinds(found: &Value) -> Vec<[String; 4]> {
    let violations = found["violations"].as_array().expect("a list");
    let kind = |one: &Value| {
        let length = one["trace"]["steps"].as_array().map(Vec::len);
        let location = one["location"].to_string();
        [one["kind"].to_string(), location, one["count"].to_string(), format!("{length:?}")]
    };
    violations.iter().map(kind).collect()
}

/// Symmetry makes no difference to what is counted and judged; of a cover, one choice of values is told
/// instead of all that are like it.
#[test]
fn symmetry_changes_nothing_but_the_work() {
    let models = models();
    let small = ["lock", "tokens", "mutex", "wrong"].map(|name| format!("fixtures/cli/{name}.m"));
    let mut compared = [0; 3];
    let cases = small.iter().chain(&models);
    for model in cases {
        for extra in [&["--deadlock", "stuttering"][..], &["--continue", "--deadlock", "stuck"]] {
            let run_with = |symmetry: &str| {
                let some = [&[model, "--symmetry", symmetry, "--format", "json"], extra].concat();
                let run =
                    run(isonomy(&explore(&[&some[..], &["--max-states", "5000"]].concat())), b"");
                let found: Value = serde_json::from_str(&run.out).expect("JSON");
                (run.code, found)
            };
            let off = run_with("off");
            if off.1["stopped"] != Value::Null {
                continue;
            }
            let context = format!("{model} {extra:?}");
            let [auto, fast] = ["auto", "fast"].map(run_with);
            assert_eq!([auto.0, fast.0], [off.0; 2], "{context}: exit codes");
            let [auto, fast, off] = [auto.1, fast.1, off.1];
            for field in ["states", "start_states", "steps", "fired", "deadlocks"] {
                assert_eq!(auto[field], off[field], "{context}: {field}");
                assert!(fast[field].is_null() || fast[field] == off[field], "{context}: {field}");
            }
            assert_eq!(auto["rules"], off["rules"], "{context}: rules");
            for field in ["depth", "exhaustive", "properties"] {
                assert_eq!([&auto[field], &fast[field]], [&off[field]; 2], "{context}: {field}");
            }
            let is_cover = |one: &[String; 4]| one[0] == "\"cover\"" || one[0] == "\"liveness\"";
            let [mut ours, mut theirs] = [kinds(&auto), kinds(&off)];
            ours.dedup_by(|a, b| a == b && is_cover(a));
            theirs.dedup_by(|a, b| a == b && is_cover(a));
            assert_eq!(ours, theirs, "{context}");
            compared[0] += 1;
            compared[1] += usize::from(!ours.is_empty());
            compared[2] += usize::from(fast["states"].is_null());
        }
    }
    let [all, violated, sorted] = compared;
    assert!(all > 100 && violated > 20 && sorted > 50, "{compared:?}");
}

#[test]
fn what_spoils_symmetry_is_told() {
    let model = "fixtures/inputs/trap_last_index.m";
    let quiet = run(isonomy(&explore(&["fixtures/models/mux_sem.m"])), b"");
    assert!(!quiet.err.contains("warning"), "{}", quiet.err);
    let found = run(isonomy(&explore(&[model])), b"");
    assert!(found.err.contains("warning"), "{}", found.err);
}

/// Values around a `cover` are those of its parameters, also where an element is chosen between them.
#[test]
fn values_around_covers_are_those_of_parameters() {
    let model = "type small: 1..2; var box: multiset [3] of small; \
                 startstate multisetadd(1, box); multisetadd(2, box) end; rule \"r\" end; \
                 ruleset k: small do choose e: box do ruleset j := 8 to 2 by -3 do \
                 cover \"c\" j != 5 | k = box[e] + 9 end end end;";
    let run =
        run(isonomy(&explore(&["-", "--format", "json", "--deadlock", "off"])), model.as_bytes());
    let found: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
    let bindings: Vec<&Value> = found["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["bindings"])
        .collect();
    let expected = [1, 2].map(|k| serde_json::json!({"k": k, "j": 5}));
    assert_eq!(bindings, expected.iter().collect::<Vec<_>>());
}

/// Where sorting does not reduce states, `auto` takes the place of `fast`, and a warning says so.
#[test]
fn sorting_gives_way_where_it_does_not_reduce() {
    let warning = |of: &str| {
        format!(
            "`--symmetry auto` is used in place of `fast`: sorting does not reduce states that \
             relate the values of {of}"
        )
    };
    for (name, of) in [("friend_graph", "person"), ("pointer_graph", "person")] {
        let model = format!("fixtures/models/{name}.m");
        let found = |symmetry: &str, more: &[&str]| {
            let all = [&[&model, "--symmetry", symmetry, "--deadlock", "off"], more].concat();
            run(isonomy(&explore(&all)), b"")
        };
        let json = |symmetry| {
            let run = found(symmetry, &["--format", "json"]);
            (serde_json::from_str::<Value>(&run.out).expect("JSON"), run.err)
        };
        let [(fast, err), (auto, silence)] = ["fast", "auto"].map(json);
        assert_eq!(err.strip_suffix(&silence), Some(&*format!("warning: {}\n", warning(of))));
        assert_eq!(fast["symmetry"], "auto");
        for field in ["states", "representatives", "orbit_edges"] {
            assert!(!fast[field].is_null(), "{field}");
            assert_eq!(fast[field], auto[field], "{field}");
        }
        let messages = found("fast", &["--message-format", "json"]).err;
        let first: Value =
            serde_json::from_str(messages.lines().next().expect("a line")).expect("JSON");
        assert_eq!([&first["severity"], &first["message"]], ["warning", &warning(of)]);
    }
    // Whoever can be told apart by keys is sorted, pointers or not.
    for model in [LOCK, "fixtures/models/mcs_lock_stepwise.m"] {
        let run = run(isonomy(&explore(&[model, "--symmetry", "fast"])), b"");
        assert!(!run.err.contains("in place of"), "{model}: {}", run.err);
    }
}

/// Cases of this command.
fn check(cases: &[Case<'_>]) {
    for &(arguments, input, code, out, err) in cases {
        binary::check(&[(&explore(arguments), input, code, out, err)]);
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
        (&[LOCK, "--symmetry", "fast", "--svg", "x.svg"], "", 2, "", "no picture of"),
        (
            &[LOCK, "--symmetry", "fast", "--dot", "x.dot"],
            "",
            2,
            "",
            "no picture of `--symmetry fast`: what its representatives stand for is not known\n    \
             = help: `--symmetry auto` draws one node per orbit",
        ),
        (&[LOCK, "--deadlock", "on"], "", 2, "", "possible values: off, stuck, stuttering"),
        (&[LOCK, "--format", "dot"], "", 2, "", "possible values: text, json"),
        (&[LOCK, "--progress", "on"], "", 2, "", "possible values: auto, always, never"),
        (&[LOCK, "--threads", "0"], "", 2, "", "0 is not in 1..=256"),
        (&[LOCK, "--threads", "1000"], "", 2, "", "1000 is not in 1..=256"),
        (&[LOCK, "--max-states", "0"], "", 2, "", "not a number from 1 on"),
        (&[LOCK, "--dot", "-"], "", 2, "", "name a file for the picture"),
        (&[LOCK, "--svg", "-"], "", 2, "", "name a file for the picture: `--svg states.svg`"),
        (
            &["-"],
            "var x: 0..1; startstate x := 0 end; assume x = 1; rule \"r\" true ==> end",
            2,
            "",
            "no start state satisfies the assumptions",
        ),
    ]);
}

/// A model with this body of its one rule.
fn rule(body: &str) -> String {
    format!("var x: 0..9; startstate x := 0 end; rule \"r\" true ==> {body} end;")
}

#[test]
fn outcomes_and_their_exit_codes() {
    let stays = rule("x := 0");
    check(&[
        (&["-"], &rule("x := (x + 1) % 10"), 0, "no violation in 10 states", ""),
        (&["-", "--symmetry", "off"], &rule("x := 9 - x"), 0, "no violation in 2 states", ""),
        (&["-"], &stays, 0, "deadlocks     1", "`--deadlock stuttering` shows a run to one"),
        (
            &["-", "--deadlock", "stuttering"],
            &stays,
            1,
            "violated: deadlock: no step changes the state",
            "",
        ),
        (&["-", "--deadlock", "stuck"], &stays, 0, "no violation in 1 state\n", ""),
        (
            &["-", "--deadlock", "stuck"],
            &rule("assume false"),
            1,
            "violated: deadlock: no step is possible",
            "warning: the rule \"r\" never fires",
        ),
        (
            &["-", "--deadlock", "off"],
            &rule("assume false"),
            0,
            "no violation in 1 state",
            "warning: the rule \"r\" never fires",
        ),
        (&["-"], &rule("x := x + 1"), 1, "in 1 state; a shortest run has 9 steps", ""),
        (
            &["-"],
            "var x: 0..1; startstate cover \"made\" true; x := 0 end; rule x := 1 - x end;",
            0,
            "holds  cover  1:25  \"made\"",
            "",
        ),
        (&["-"], &rule("error \"enough\""), 1, "fails in system: r", ""),
        (&["-", "--timeout", "0.3"], &rule("while true do x := 0 end"), 3, "1 state", "stopped"),
        (
            &["-"],
            "var x: 0..1; startstate x := -x end; rule \"r\" true ==> end",
            1,
            "1 violation in 0 states",
            "",
        ),
        (
            &["-"],
            "var x: 0..1; startstate x := 0 end; invariant \"one\" x = 1;",
            1,
            "violated: invariant \"one\"",
            "note: states that violate an invariant were not expanded",
        ),
        (&[LOCK, "-D", "Clients=1"], "", 0, "no violation", "not checked: `isonomy check` does it"),
    ]);
}

/// A model whose states take half a second each.
const SLOW: &str = "var x: 0..9999; startstate x := 0 end; \
                    ruleset k: 1..50 do rule \"r\" x < 9900 ==> var s: 0..99; begin \
                    s := 0; for i := 0 to 200000 do s := (s + i) % 7 end; x := x + k end end;";

/// A model with 2^40 states, and one with as many start states.
const LARGE: &str = "var x: array [0..39] of boolean; startstate clear x end; \
                     ruleset k: 0..39 do rule \"flip\" x[k] := !x[k] end end;";
const STARTS: &str = "var x: array [0..39] of boolean; \
                      ruleset a: array [0..39] of boolean do startstate x := a end end; \
                      rule \"flip\" x[0] := !x[0] end;";

#[test]
fn limits_end_a_run_with_what_is_known() {
    for model in [LARGE, STARTS] {
        check(&[
            (&["-", "--max-states", "100"], model, 3, "so far", "stopped: more than 100 states\n"),
            (&["-", "--timeout", "0.2"], model, 3, "so far", "stopped: time limit of 0.2 s\n"),
            (
                &["-", "--memory-limit", "1M"],
                model,
                3,
                "so far",
                "stopped: memory limit of 1 MiB\n",
            ),
        ]);
    }
    let began = std::time::Instant::now();
    check(&[(&["-", "--timeout", "0.2"], SLOW, 3, "so far", "stopped: time limit of 0.2 s\n")]);
    assert!(began.elapsed().as_secs() < 10, "a limit is kept also where states are expensive");
    // A violation that was found before counts for more.
    let wrong = format!("{LARGE} invariant \"few\" !x[3];");
    check(&[(&["-", "--max-states", "100"], &wrong, 1, "1 violation in", "stopped: more than")]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_what_it_knows() {
    for model in [LARGE, STARTS] {
        let file = scratch("interrupted.m");
        fs::write(&file, model).expect("a file");
        let child = start(&["explore", file.to_str().expect("UTF-8")]);
        // The handler must stand before the signal comes.
        std::thread::sleep(std::time::Duration::from_millis(500));
        interrupt(&child);
        let output = child.wait_with_output().expect("the binary ends");
        let out = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(130), "{out}");
        assert!(out.starts_with("stopped (interrupted): no violation in "), "{out}");
        assert!(out.contains("rules fired"), "{out}");
        fs::remove_file(&file).expect("the file is there");
    }
}

#[test]
fn pictures_have_all_states_and_steps() {
    let mut drawn = 0;
    let models = models();
    let cases = [LOCK, TOKENS, MUTEX, WRONG].into_iter().chain(models.iter().map(String::as_str));
    for model in cases {
        for extra in [&[][..], &["--continue"], &["--symmetry", "off"]] {
            let found = json(&[&[model, "--max-states", "300"], extra].concat());
            if found["stopped"] != Value::Null {
                continue;
            }
            let file = scratch("picture.dot");
            let name = file.to_str().expect("UTF-8");
            let drawing = scratch("picture.svg");
            let drawn_name = drawing.to_str().expect("UTF-8");
            let pictures = ["explore", model, "--dot", name, "--svg", drawn_name];
            let run = run(isonomy(&[&pictures, extra].concat()), b"");
            assert!(matches!(run.code, Some(0 | 1)), "{model}: {}", run.err);
            let text = fs::read_to_string(&file).expect("a picture");
            let nodes = text.lines().filter(|line| line.contains("\\l")).count();
            let starts = text.lines().filter(|line| line.contains("shape=point")).count();
            let edges = text
                .lines()
                .filter(|line| line.contains(" -> ") && line.contains("[label="))
                .count();
            let deadlocks = text.lines().filter(|line| line.contains("lightgrey")).count();
            let is_off = found["symmetry"] == "off";
            let fields =
                if is_off { ["states", "steps"] } else { ["representatives", "orbit_edges"] };
            let expected = fields.map(|field| found[field].clone());
            assert_eq!([nodes, edges].map(Value::from), expected, "{model} {extra:?}");
            let svg = fs::read_to_string(&drawing).expect("a picture");
            let numbers = ["data-node=", "data-edge="].map(|name| svg.matches(name).count());
            assert_eq!(numbers.map(Value::from), expected, "{model} {extra:?}");
            assert_eq!(svg.matches("class=\"node muted\"").count(), deadlocks, "{model}");
            fs::remove_file(&drawing).expect("the file is there");
            if is_off {
                let expected = ["start_states", "deadlocks"].map(|field| found[field].clone());
                assert_eq!([starts, deadlocks].map(Value::from), expected, "{model}");
                assert!(!text.contains('×'), "{model}: every node and edge is one");
            }
            drawn += 1;
            if drawn <= 8 {
                accepted_by_graphviz(&file);
            }
            fs::remove_file(&file).expect("the file is there");
        }
    }
    assert!(drawn > 100, "only {drawn} pictures");
}

/// Graphviz reads it, where it is installed.
fn accepted_by_graphviz(file: &Path) {
    let Some(mut dot) = needs::program("dot") else { return };
    let output = dot.arg("-Tcanon").arg(file).output().expect("Graphviz starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && message.is_empty(), "{message}");
}

#[test]
fn the_picture_of_a_quotient() {
    let file = scratch("quotient.dot");
    let name = file.to_str().expect("UTF-8");
    let model = "fixtures/models/resource_simple.m";
    check(&[(
        &[model, "--dot", name],
        "",
        0,
        "in 20 states (7 representatives)",
        "not checked: `isonomy check` does it",
    )]);
    let text = fs::read_to_string(&file).expect("a picture");
    fs::remove_file(&file).expect("the file is there");
    for line in [
        r#"  0 [label="st[client_0] = I\lst[client_1] = I\lst[client_2] = I\l"]"#,
        r#"  1 [label="st[client_0] = I\lst[client_1] = I\lst[client_2] = R\l×3\r"]"#,
        r#"  0 -> 1 [label="client_0: request(client_0) ×3\n(client_0 client_2)"]"#,
        r#"  1 -> 3 [label="client_2: grant(client_2)"]"#,
        r#"  2 -> 1 [label="client_1: withdraw(client_1) ×2"]"#,
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\nis not in\n{text}");
    }
}

/// Looked at and wanted; `BLESS=1` rewrites it.
#[test]
fn the_drawing_of_a_quotient() {
    let file = scratch("mutex.svg");
    let name = file.to_str().expect("UTF-8");
    check(&[(&[MUTEX, "--svg", name], "", 1, "9 states (6 representatives)", "not expanded")]);
    let found = fs::read_to_string(&file).expect("a picture");
    fs::remove_file(&file).expect("the file is there");
    golden::compare("fixtures/cli/mutex.svg", &found);
}

#[test]
fn pictures_are_of_small_spaces() {
    let file = scratch("large.dot");
    let name = file.to_str().expect("UTF-8");
    check(&[
        (
            &[LOCK, "-D", "Clients=8", "--deadlock", "off", "--symmetry", "off", "--dot", name],
            "",
            3,
            "no violation",
            "are too many for a picture, 2000 at most\n    = help: give constants smaller values",
        ),
        (&["-", "--dot", name, "--max-states", "9"], LARGE, 3, "so far", "there is no picture"),
        (&[MUTEX, "--dot", "no/such/folder/x.dot"], "", 2, "1 violation", "cannot write `no/such"),
        (&[MUTEX, "--svg", "no/such/folder/x.svg"], "", 2, "1 violation", "cannot write `no/such"),
    ]);
    assert!(!file.exists());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let output = into_closed_pipe(&["explore", MUTEX]);
    // Something is violated, whoever reads it.
    assert_eq!(output.status.code(), Some(1));
}

/// Rules that never fire, and those that do: without symmetry and with it, by both commands.
#[test]
fn rules_that_never_fire_have_a_warning() {
    let model = "type pid: scalarset(3); var x: array [pid] of 0..2; \
                 startstate for i: pid do x[i] := 0 end end; \
                 process i: pid do rule \"up\" x[i] < 2 ==> x[i] := x[i] + 1 end; \
                 rule \"down\" x[i] > 2 ==> x[i] := 0 end end; \
                 ltl \"rises\": forall i: pid. F x[i] = 2 under weak fairness; \
                 invariant \"small\" forall i: pid do x[i] < 3 end;";
    let warning = "warning: the rule \"down\" never fires";
    let ways: [&[&str]; 6] = [
        &["explore", "-"],
        &["explore", "-", "--symmetry", "off", "--threads", "2"],
        &["check", "-", "-p", "small"],
        &["check", "-", "-p", "small", "--symmetry", "off"],
        &["check", "-", "G true | X false", "--coverage"],
        &["check", "-", "G forall i: pid do x[i] < 3 end", "--symmetry", "off"],
    ];
    for way in ways {
        let found = run(isonomy(way), model.as_bytes());
        assert_eq!(found.code, Some(0), "{way:?}: {}", found.err);
        assert_eq!(found.err.matches(warning).count(), 1, "{way:?}: {}", found.err);
        assert!(!found.err.contains("the rule \"up\""), "{way:?}: {}", found.err);
    }
    // A search that ends before it has seen all states says nothing.
    for way in [
        &["check", "-", "F false", "--symmetry", "off"][..],
        &["explore", "-", "--max-states", "2"],
        &["check", "-", "true"],
    ] {
        let found = run(isonomy(way), model.as_bytes());
        assert!(!found.err.contains("never fires"), "{way:?}: {}", found.err);
    }
    // Each of three processes steps twice, from nine states of the two others.
    for way in [&["explore", "-"][..], &["check", "-", "-p", "small"]] {
        for more in [&[][..], &["--symmetry", "off"], &["--threads", "3"]] {
            let all = [way, &["--coverage", "--format", "json"], more].concat();
            let found = run(isonomy(&all), model.as_bytes());
            let found: Value = serde_json::from_str(&found.out).expect("JSON");
            let fired: Vec<_> = found["rules"].as_array().expect("a list").iter().collect();
            let fired: Vec<_> = fired.iter().map(|one| (&one["name"], &one["fired"])).collect();
            assert_eq!(fired, [(&"up".into(), &54.into()), (&"down".into(), &0.into())], "{all:?}");
            assert_eq!(found["never_fired"][0]["name"], "down", "{all:?}");
        }
    }
}
