//! The commands for models, from outside: `describe`, `simulate`, `print`.

use super::binary::{
    check, interrupt, into_closed_pipe, isonomy, json, published, run, scratch, transcript,
};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::Stdio;
use support::{golden, schema};

const LOCK: &str = "fixtures/cli/lock.m";
const TOKENS: &str = "fixtures/cli/tokens.m";
const ORDERED: &str = "fixtures/cli/ordered.m";

/// Whole sessions: a file of `fixtures/cli/golden`, exit code, arguments, standard input.
const SESSIONS: &[(&str, i32, &[&str], &str)] = &[
    ("lock.describe", 0, &["describe", LOCK], ""),
    ("lock.describe.five", 0, &["describe", LOCK, "-D", "Clients=5", "-DLimit=100"], ""),
    ("lock.describe.json", 0, &["describe", LOCK, "--format", "json"], ""),
    ("tokens.describe", 0, &["describe", TOKENS], ""),
    ("ordered.describe", 0, &["describe", ORDERED], ""),
    ("ordered.describe.json", 0, &["describe", ORDERED, "--format", "json"], ""),
    ("lock.print", 0, &["print", LOCK], ""),
    ("lock.deadlock", 0, &["simulate", LOCK, "--random", "1"], ""),
    ("lock.walk", 0, &["simulate", LOCK, "--random", "2", "--steps", "3", "--full-states"], ""),
    (
        "lock.walk.json",
        0,
        &["simulate", LOCK, "--random", "2", "--steps", "3", "--format", "json"],
        "",
    ),
    (
        "lock.session",
        0,
        &["simulate", LOCK],
        "h\n1\nf GRANT\nf nothing\nf\n2\ns\n1\nt\nu 2\nr 30\ng\nq\n9\n",
    ),
    ("tokens.session", 1, &["simulate", TOKENS], "4\n2\n2\nm\n1\nu\nt\ng\n3\n2\n"),
    ("tokens.full", 1, &["simulate", TOKENS, "--full-states"], "random\nrandom 30\ntrace\n"),
    ("tokens.walk", 1, &["simulate", TOKENS, "--random", "0"], ""),
    ("tokens.walk.json", 1, &["simulate", TOKENS, "--random", "3", "--format", "json"], ""),
    ("commands", 2, &["simulate", LOCK], "fly\n0\n99\nu\nr x\n\n\nquit now\n"),
];

#[test]
fn sessions_are_those_that_were_looked_at() {
    let mut kept = golden::Folder::new("fixtures/cli/golden");
    for (name, code, arguments, input) in SESSIONS {
        let found = run(isonomy(arguments), input.as_bytes());
        let transcript = transcript(&found);
        assert_eq!(found.code, Some(*code), "isonomy {arguments:?}\n{transcript}");
        kept.compare(&format!("{name}.txt"), "", &transcript);
    }
    kept.finish_with_all();
}

#[test]
fn json_conforms_to_the_published_schemas() {
    let describe = published("describe");
    let simulate = published("simulate");
    for model in [LOCK, TOKENS, ORDERED] {
        let value = json(&["describe", model, "--format", "json"]);
        assert_eq!(schema::check(&describe, &describe, &value, ""), Ok(()), "{model}");
        for seed in 0..20 {
            let seed = seed.to_string();
            let value = json(&["simulate", model, "--random", &seed, "--format", "json"]);
            assert_eq!(schema::check(&simulate, &simulate, &value, ""), Ok(()), "{model} {seed}");
        }
    }
}

#[test]
fn a_seed_is_a_run() {
    let walk = |seed: &str| run(isonomy(&["simulate", LOCK, "--random", seed]), b"").out;
    assert_eq!(walk("7"), walk("7"));
    assert!((0..10).any(|seed| walk(&seed.to_string()) != walk("7")), "seeds make a difference");
}

#[test]
fn descriptions_follow_definitions() {
    let five = json(&["describe", LOCK, "--format", "json", "-D", "Clients=5"]);
    assert_eq!(five["constants"]["Clients"], 5);
    assert_eq!(five["index_types"][0]["size"], 5);
    // Five phases of 2 bits, an owner of 3, a number up to 3 of 3.
    assert_eq!(five["bits_per_state"], 5 * 2 + 3 + 3);
    let huge = json(&["describe", TOKENS, "--format", "json", "-D", "N=1000"]);
    assert_eq!(huge["start_states"][0]["instances"], Value::Null);
    let large = json(&["describe", TOKENS, "--format", "json", "-D", "N=60"]);
    assert_eq!(large["start_states"][0]["instances"], "1152921504606846976");
}

#[test]
fn what_is_printed_is_printed_the_same_again() {
    for model in [LOCK, TOKENS, ORDERED] {
        let once = run(isonomy(&["print", model]), b"");
        assert_eq!((once.code, once.err.as_str()), (Some(0), ""), "{model}");
        let again = run(isonomy(&["print", "-"]), once.out.as_bytes());
        assert_eq!(again.out, once.out, "{model}: {}", again.err);
        // And means the same.
        let described = run(isonomy(&["describe", "-", "--format", "json"]), once.out.as_bytes());
        let mut original = json(&["describe", model, "--format", "json"]);
        let mut printed: Value = serde_json::from_str(&described.out).expect("JSON");
        for value in [&mut original, &mut printed] {
            without_places(value);
        }
        assert_eq!(original, printed, "{model}");
    }
}

/// Drops what depends on the layout and the name of the file.
fn without_places(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["line", "column", "model"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_places);
        }
        Value::Array(items) => items.iter_mut().for_each(without_places),
        _ => {}
    }
}

#[test]
fn requests_that_make_no_sense() {
    check(&[
        (&["describe"], "", 2, "", "<MODEL>"),
        (&["describe", LOCK, LOCK], "", 2, "", "takes one model"),
        (&["describe", LOCK, "-D", "Clients"], "", 2, "", "write NAME=VALUE, as in `-D N=5`"),
        (&["describe", LOCK, "-D", "=5"], "", 2, "", "is not the name of a constant"),
        (&["describe", LOCK, "-D", "Nothing=5"], "", 2, "", "Nothing"),
        (&["describe", LOCK, "-D", "Clients=x y"], "", 2, "", "error: "),
        (&["describe", LOCK, "-D", "Clients=0"], "", 2, "", "error: "),
        (&["describe", LOCK, "--format", "dot"], "", 2, "", "possible values: text, json"),
        (&["print", LOCK, "-D", "Clients=5"], "", 2, "", "unexpected argument"),
        (&["simulate", LOCK, "--steps", "5"], "", 2, "", "--random <SEED>"),
        (&["simulate", LOCK, "--format", "json"], "", 2, "", "--random <SEED>"),
        (&["simulate", LOCK, "--random", "x"], "", 2, "", "invalid value 'x'"),
        (&["simulate", LOCK, "--random", "-1"], "", 2, "", "error: "),
        (&["simulate", "-"], "", 2, "", "standard input cannot be both the model and the commands"),
    ]);
}

/// A model with this body of its one rule.
fn rule(body: &str) -> String {
    format!("var x: 0..9; startstate x := 0 end; rule \"r\" true ==> {body} end;")
}

#[test]
fn any_input_ends_in_an_answer_or_a_message() {
    let long = format!("var x: 0..1; {} startstate x := 0 end;", " ".repeat(1_000_000));
    let fault = format!("var x: 0..1; {} startstate x := y end;", " ".repeat(1_000_000));
    let name = format!("var {}: 0..1; startstate begin end;", "x".repeat(1_000_000));
    let parentheses = |n| rule(&format!("x := {}0{}", "(".repeat(n), ")".repeat(n)));
    let negations = rule(&format!("x := {}0", "- ".repeat(1_000_000)));
    let sum = rule(&format!("x := 0{}", " + 0".repeat(1_000_000)));
    let blocks = rule(&format!("{}{}", "if true then ".repeat(100_000), "end; ".repeat(100_000)));
    let recursion = "var x: 0..9; function f(n: 0..9): 0..9; begin return f(n) end;\n\
                     startstate x := 0 end; rule \"r\" true ==> x := f(1) end;";
    let walk = ["simulate", "-", "--random", "1"];
    for (model, code) in [(&long, 0), (&fault, 2), (&name, 0)] {
        for command in ["describe", "print"] {
            // The printer does not look at names.
            let code = if command == "print" { 0 } else { code };
            let found = run(isonomy(&[command, "-"]), model.as_bytes());
            assert_eq!(found.code, Some(code), "{command} {}: {}", &model[..20], found.err);
        }
    }
    // Whether refused or not, these end well.
    for model in [&parentheses(100_000), &parentheses(1_000_000), &negations, &sum, &blocks] {
        for arguments in [&["describe", "-"][..], &["print", "-"], &walk] {
            let found = run(isonomy(arguments), model.as_bytes());
            assert!(
                matches!(found.code, Some(0..=2)),
                "{arguments:?} {}: {:?} {}",
                &model[..90],
                found.code,
                &found.err[..found.err.len().min(2000)]
            );
        }
    }
    check(&[
        (&["describe", "no/such.m"], "", 2, "", "cannot read `no/such.m`: no such file"),
        (&["print", "no/such.m"], "", 2, "", "cannot read `no/such.m`: no such file"),
        (&["simulate", "no/such.m"], "", 2, "", "cannot read `no/such.m`: no such file"),
        (&["describe", "src"], "", 2, "", "cannot read `src`: is a directory"),
        (&["describe", "-"], "", 2, "", "start state"),
        (&["describe", "-"], "var x: 0..1;", 2, "", "start state"),
        (&["print", "-"], "", 0, "", ""),
        (&["print", "-"], "var x: nothing;", 0, "x: nothing", ""),
        (&["print", "-"], "var x: (", 2, "", "standard input:1:"),
        (&["describe", "-"], "var x: (", 2, "", "standard input:1:"),
        (
            &["describe", "-"],
            "\u{feff}var x: 0..1;\r\nstartstate x := 0 end",
            0,
            "x  2 bits  0..1",
            "",
        ),
        (&walk, recursion, 1, "run-time error after 0 steps in system: r", "error: "),
        (
            &walk,
            &rule("x := x + 1"),
            1,
            "run-time error after 9 steps in system: r\n  x = 9",
            "error: ",
        ),
        (&walk, &rule("x := x / 0"), 1, "run-time error", "standard input:1:"),
        (&walk, &rule("error \"enough\""), 1, "run-time error", "enough"),
        (
            &walk,
            &rule("assert \"small\" x > 5"),
            1,
            "violation after 0 steps in system: r",
            "small",
        ),
        (&walk, &rule("assume false"), 0, "deadlock after 0 steps: no step is possible", ""),
        (&walk, &rule("x := 0"), 0, "deadlock after 0 steps: no step changes the state", ""),
        (
            &walk,
            "var x: 0..1; startstate x := -x end; rule \"r\" true ==> end",
            1,
            "run-time error after 0 steps",
            "error: ",
        ),
        (
            &walk,
            "var x: 0..1; startstate x := 0 end; assume x = 1; rule \"r\" true ==> end",
            2,
            "",
            "no start state satisfies the assumptions",
        ),
        (
            &walk,
            "var x: 0..1; startstate x := 0 end; invariant \"one\" x = 1;",
            1,
            "violation after 0 steps",
            "error: invariant \"one\" is violated",
        ),
    ]);
}

#[test]
fn what_would_take_for_ever_or_has_the_wrong_type() {
    let conjunction =
        format!("var b: boolean; startstate b := true end; ltl F b{};", " & F b".repeat(50_000));
    let abandoned = "var a: array [0..62] of boolean;\n\
                     ruleset t: array [0..62] of boolean do startstate assume false end end;";
    let union = |body: &str| {
        format!(
            "type pid: ring(3); e: enum {{ A }}; u: union {{ pid, e }}; var x: u; y: pid;\n\
             function f(): pid; begin return x end; startstate x := A end;\n\
             rule \"r\" true ==> {body} end;"
        )
    };
    let walk = ["simulate", "-", "--random", "1"];
    let limited = ["simulate", "-", "--random", "1", "--timeout", "0.3"];
    let spins = "var x: 0..1; startstate x := 0 end; rule while true do x := 0 end end;";
    check(&[
        (&["describe", "-"], &conjunction, 0, "temporal properties", ""),
        (&limited, abandoned, 3, "", "stopped: time limit of 0.3 s"),
        (&limited, spins, 3, "stopped after 0 steps", "stopped: time limit of 0.3 s"),
        (&walk, &union("y := next(f())"), 1, "run-time error", "the result of `f` cannot be A"),
    ]);
}

#[test]
fn text_that_is_not_utf8() {
    let model = b"var x: 0..1;\nstartstate x := 0 end; -- \xff\n";
    for command in ["describe", "print"] {
        let found = run(isonomy(&[command, "-"]), model);
        assert_eq!((found.code, found.out.as_str()), (Some(2), ""), "{command}");
        let message = "not UTF-8 text: byte 0xff\n --> standard input:2:27";
        assert!(found.err.contains(message), "{command}: {}", found.err);
    }
    let session = run(isonomy(&["simulate", LOCK]), b"\xff\n1\n");
    assert_eq!(session.code, Some(2));
    assert!(session.err.contains("not UTF-8 text: byte 0xff"), "{}", session.err);
    assert!(session.out.contains("1 client_0: request(client_0)"), "{}", session.out);
}

/// A model whose runs never end.
fn endless(name: &str) -> PathBuf {
    let file = scratch(&format!("{name}.m"));
    let text = "var x: 0..1; startstate x := 0 end; rule \"flip\" true ==> x := 1 - x end;";
    fs::write(&file, text).expect("a file");
    file
}

#[test]
fn long_runs_take_no_memory_and_can_be_stopped() {
    let file = endless("stopped");
    let model = file.to_str().expect("UTF-8");
    let walk = ["simulate", model, "--random", "1", "--steps", "99999999999"];
    let limited = [&walk[..], &["--timeout", "0.2"]].concat();
    let stopped = run(isonomy(&limited), b"");
    assert_eq!((stopped.code, stopped.err.as_str()), (Some(3), "stopped: time limit of 0.2 s\n"));
    assert!(stopped.out.lines().last().is_some_and(|line| line.starts_with("stopped after ")));
    let value = json(&[&limited[..], &["--format", "json"]].concat());
    assert_eq!(value["result"], "stopped");
    let steps = value["steps"].as_array().expect("a list").len();
    assert!(steps > 100, "{steps}");
    #[cfg(unix)]
    {
        let mut child = isonomy(&walk)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        for _ in 0..100_000 {
            line.clear();
            out.read_line(&mut line).expect("UTF-8");
        }
        if let Ok(status) = fs::read_to_string(format!("/proc/{}/status", child.id())) {
            let memory =
                status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
            let memory: u64 = memory.trim().trim_end_matches(" kB").parse().expect("a number");
            assert!(memory < 64 << 10, "{memory} KiB");
        }
        interrupt(&child);
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(child.wait().expect("the binary ends").code(), Some(130));
        assert!(rest.lines().last().is_some_and(|line| line.starts_with("stopped after ")));
    }
    fs::remove_file(&file).expect("the file is there");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let file = endless("closed");
    let model = file.to_str().expect("UTF-8");
    for arguments in [
        &["describe", ORDERED][..],
        &["print", LOCK],
        &["simulate", model],
        &["simulate", model, "--random", "1", "--steps", "99999999999"],
        &["simulate", model, "--random", "1", "--steps", "99999999999", "--format", "json"],
    ] {
        let output = into_closed_pipe(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
    fs::remove_file(&file).expect("the file is there");
}

#[test]
fn start_states_come_in_pages() {
    let many = "1\nmore\nm\n";
    let model = ["simulate", TOKENS, "-D", "N=12"];
    let found = run(isonomy(&model), "m\n".as_bytes());
    let listed = found.out.lines().filter(|line| line.contains("any(")).count();
    assert_eq!(listed, 40, "{}", found.out);
    assert_eq!(found.out.matches("(`more` lists more)").count(), 2, "{}", found.out);
    // A number beyond the list is found, and one beyond all is not.
    check(&[
        (&model, "70\n", 0, "start: any(", ""),
        (&model, "100000\n", 2, "start states", "100000 is not in the list"),
        (&model, "t\n", 2, "start states", "choose a start state first, by its number"),
        (&model, many, 0, "start: any(", ""),
        // 2^1000 start states are no reason to wait.
        (&["simulate", TOKENS, "-D", "N=1000"], "1\n", 0, "start: any(", ""),
    ]);
}

/// What compiled code does not do is said in the log, with the reason.
#[test]
fn the_log_says_what_is_left_to_the_interpreter() {
    let file = scratch("unsupported.m");
    let model = "var m, n: multiset [2] of 0..1; x: 0..2; startstate x := 0; end;
                 rule \"turn\" x := m = n ? 1 : 2; end; ltl \"p\": G x < 3;";
    fs::write(&file, model).expect("a file");
    let path = file.to_str().expect("a path in UTF-8");
    let found = run(isonomy(&["check", path, "--log", "debug"]), b"");
    assert_eq!(found.code, Some(0), "{}", found.err);
    let reason = "left to the interpreter what=\"rule\"";
    assert!(found.err.contains(reason), "{}", found.err);
    assert!(found.err.contains("a comparison of multisets in a body"), "{}", found.err);
    fs::remove_file(file).expect("the file is there");
}

/// What is wrong with a value is shown in the value, and declarations in the model are not.
#[test]
fn faulty_values_of_constants_are_shown_by_themselves() {
    let found =
        run(isonomy(&["describe", "fixtures/cli/lock.m", "-D", "Clients=Clients + 1"]), b"");
    let expected =
        "error: unknown name `Clients`\n --> -D Clients:1:1\n  1 | Clients + 1\n    | ^^^^^^^\n";
    assert_eq!(found.code, Some(2));
    assert!(found.err.starts_with(expected), "{}", found.err);
    assert!(!found.err.contains("declared here"), "{}", found.err);
}
