//! Limits: whatever a run is doing, a limit of time or memory and Ctrl-C end it soon, with an answer.
//!
//! Time is not measured here, but the work of processors, which does not depend on what else the
//! machine is doing.

use super::binary::{interrupt, isonomy, run, scratch, start};
use run::SplitMix64;
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::measured::{Measured, measure_within};

/// The limit of time in these tests, in seconds.
const TIMEOUT: f64 = 0.3;
/// Seconds of work by which a limit of time may be exceeded, start and output included.
const SOON: f64 = 1.0;
/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(100);

/// A model in which one piece of work takes very long, and what to do with it.
struct Endless {
    name: &'static str,
    model: &'static str,
    commands: &'static [&'static [&'static str]],
}

const CHECK: &[&str] = &["check"];
const EXPLORE: &[&str] = &["explore"];
const WALK: &[&str] = &["simulate", "--random", "1"];

/// Every phase of a run, made long.
const ENDLESS: &[Endless] = &[
    Endless {
        name: "a body",
        model: "var x: 0..3; startstate x := 0 end; rule \"r\" true ==> while x < 3 do x := (x + 1) % 3 end end;
                ltl F x = 3; invariant x < 3;",
        commands: &[CHECK, EXPLORE, WALK, &["check", "--symmetry", "off", "--fairness", "strong"]],
    },
    Endless {
        name: "a guard",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" f() ==> x := 1 end; ltl F x = 3; invariant x < 3;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "an invariant",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; invariant f();",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "a cover",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; cover f();",
        commands: &[CHECK, EXPLORE],
    },
    Endless {
        name: "a liveness property",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; liveness f();",
        commands: &[CHECK, EXPLORE],
    },
    Endless {
        name: "an assumption",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; assume f(); ltl G x < 2;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "an atom",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; ltl G f();",
        commands: &[CHECK, &["check", "--symmetry", "off"], &["check", "--engine", "ndfs"]],
    },
    Endless {
        name: "a condition of justice",
        model: "var x: 0..3; function f(): boolean; begin while true do end; return true end;
                startstate x := 0 end; rule \"r\" x := 1 - x % 2 end; justice f(); ltl F x = 3;",
        commands: &[CHECK],
    },
    Endless {
        name: "the instances of a rule",
        model: "var x: 0..3; startstate x := 0 end;
                ruleset i: 0..2305843009213693951 do rule \"r\" i < 0 ==> x := 1 end end;
                ltl F x = 3; invariant x < 3;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "the instances of an invariant",
        model: "var x: 0..3; startstate x := 0 end; rule \"r\" x := 1 - x % 2 end;
                ruleset i: 0..2305843009213693951 do invariant i >= 0 & x < 3 end;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "a quantifier",
        model: "var x: 0..3; startstate x := 0 end;
                rule \"r\" exists i: 0..2305843009213693951 do i + x < 0 end ==> x := 1 - x % 2 end;
                ltl F x = 3; invariant x < 3;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "a start state",
        model: "var x: 0..3; startstate x := 0; while x < 3 do x := (x + 1) % 3 end end;
                rule \"r\" x := 1 - x % 2 end; ltl F x = 3; invariant x < 3;",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "start states that are all abandoned",
        model: "var a: array [0..62] of boolean;
                ruleset t: array [0..62] of boolean do startstate assume false; a := t end end;
                rule \"r\" a[0] := !a[0] end; ltl G a[0]; invariant a[0];",
        commands: &[CHECK, EXPLORE, WALK],
    },
    Endless {
        name: "start states",
        model: "var a: array [0..62] of boolean;
                ruleset t: array [0..62] of boolean do startstate a := t end end;
                rule \"r\" a[0] := !a[0] end; ltl G(a[0] | !a[0]); invariant a[0] | !a[0];",
        commands: &[CHECK, EXPLORE],
    },
    Endless {
        name: "tuples of justice",
        model: "var x: 0..3; startstate x := 0 end; rule \"r\" x := 1 - x % 2 end;
                justice \"j\": forall i, j, k: (0..1000). i + j + k >= x; ltl F x = 3;",
        commands: &[CHECK],
    },
    Endless {
        name: "tuples of a formula",
        model: "var x: 0..3; startstate x := 0 end; rule \"r\" x := 1 - x % 2 end;
                ltl forall i, j, k: (0..1000). G i + j + k >= 0;",
        commands: &[CHECK],
    },
    Endless {
        name: "canonical forms",
        model: "type p: scalarset(300); var x: array [p] of p; startstate for i: p do x[i] := i end end;
                ruleset i: p; j: p; k: p do rule \"swap\" x[i] := k; x[k] := j end end;
                ltl F forall i: p do x[i] = i end; invariant exists i: p do x[i] = i end;",
        commands: &[CHECK, EXPLORE, &["explore", "--symmetry", "off"], &["explore", "--symmetry", "fast"]],
    },
    Endless {
        name: "the canonical form of a large state",
        model: "type p: scalarset(1000); var a: array [p] of array [0..499] of p; startstate undefine a end;
                ruleset i: p; j: p; k: 0..499 do rule \"set\" isundefined(a[i][k]) ==> a[i][k] := j end end;
                ltl forall i: p. G isundefined(a[i][0]);",
        commands: &[CHECK, EXPLORE],
    },
    Endless {
        name: "the edges of one node",
        model: "var x: 0..4000000; startstate x := 0 end;
                ruleset i: 0..4000000 do rule \"a\" x := i end end; ltl G F x = 7;",
        commands: &[CHECK, &["check", "--engine", "ndfs"], &["check", "--fairness", "strong"]],
    },
];

/// A file with this model.
fn file_of(model: &str) -> PathBuf {
    let file = scratch("limited.m");
    fs::write(&file, model).expect("a file");
    file
}

fn limited(command: &[&str], model: &str, limits: &[&str]) -> (Measured, String) {
    let file = file_of(model);
    let path = file.to_str().expect("a path in UTF-8");
    let words = [&command[..1], &[path], &command[1..], limits].concat();
    let messages = scratch("messages");
    let mut command = isonomy(&words);
    command.stdin(Stdio::null()).stderr(fs::File::create(&messages).expect("a file"));
    let found = measure_within(PATIENCE, &mut command);
    let said = fs::read_to_string(&messages).expect("the file is there");
    for file in [file, messages] {
        fs::remove_file(file).expect("the file is there");
    }
    (found, said)
}

/// Whatever is under way, a limit of time ends it, and the answer is that there is none.
#[test]
fn a_limit_of_time_ends_every_phase() {
    let time = TIMEOUT.to_string();
    for Endless { name, model, commands } in ENDLESS {
        for command in *commands {
            let threads: &[&str] = if command[0] == "simulate" { &[] } else { &["--threads", "1"] };
            let (found, said) = limited(command, model, &[&["--timeout", &time], threads].concat());
            let context = format!("{name}: {command:?}: {}\n{said}", found.output);
            assert_eq!(found.code, Some(3), "{context}");
            assert!(said.contains("time limit of 0.3 s"), "{context}");
            assert!(found.work < TIMEOUT + SOON, "{} s: {context}", found.work);
        }
    }
}

/// So does Ctrl-C, with two threads, too.
#[test]
fn ctrl_c_ends_every_phase() {
    for Endless { name, model, commands } in ENDLESS {
        let file = file_of(model);
        let path = file.to_str().expect("a path in UTF-8");
        let command = commands[0];
        let child = start(&[&command[..1], &[path], &command[1..], &["--threads", "2"]].concat());
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&child);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{name}: {said}");
        assert!(said.contains("interrupted"), "{name}: {said}");
        fs::remove_file(file).expect("the file is there");
    }
}

/// Whenever Ctrl-C comes, the run ends in good order.
#[test]
fn ctrl_c_may_come_at_any_moment() {
    let peterson = "fixtures/models/peterson.m";
    let resource = "fixtures/models/resource_simple.m";
    let mut random = SplitMix64::new(22);
    for words in [
        &["explore", peterson, "-D", "N=5", "--symmetry", "off"][..],
        &["explore", peterson, "-D", "N=6", "--compression", "tree"],
        &["check", peterson, "-D", "N=5", "--fairness", "weak"],
        &["check", peterson, "-D", "N=4", "--fairness", "all", "--symmetry", "off"],
        &["check", peterson, "-D", "N=4", "--engine", "ndfs"],
        &["check", resource, "-D", "N=60", "--fairness", "all"],
        &["simulate", peterson, "--random", "1", "--steps", "300000"],
        &["automaton", "(G F a -> G F b) & (G F c -> G F d) & (G F e -> G F f)"],
    ] {
        for longest in [30, 100, 300, 1000] {
            let child = start(words);
            std::thread::sleep(Duration::from_millis(random.below(longest) as u64));
            // It may have ended before.
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).output();
            let output = child.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr);
            // Without a code: before it had begun to listen.
            let code = output.status.code();
            assert!(matches!(code, None | Some(0 | 1 | 130)), "{words:?} {code:?}: {said}");
            assert!(!said.contains("panic") && !said.contains("internal"), "{words:?}: {said}");
        }
    }
}

/// Models in which one state has very many steps, or one rule very many instances.
const LARGE: [(&str, &str); 3] = [
    (
        "a state with very many steps",
        "type v: 0..4000; var x, y, z: v; startstate x := 0; y := 0; z := 0 end;
         ruleset i: v; j: v do rule \"r\" x := i; y := j; z := (i * 7 + j) % 4001 end end;
         ltl G x < 4001; invariant x + y < 9000;",
    ),
    (
        "very many start states",
        "type v: 0..4000; var x, y, z: v;
         ruleset i: v; j: v do startstate x := i; y := j; z := (i * 7 + j) % 4001 end end;
         rule \"r\" x := y end; ltl G x < 4001; invariant x + y < 9000;",
    ),
    (
        "very many states",
        "type v: 0..400; var x, y, z: v; startstate x := 0; y := 0; z := 0 end;
         rule \"x\" x := (x + 1) % 401 end; rule \"y\" y := (y + 1) % 401 end;
         rule \"z\" z := (z + 1) % 401 end; ltl G x < 401; invariant x + y < 900;",
    ),
];

/// What needs more memory than there could ever be is refused before it is taken.
#[test]
fn memory_is_asked_for_before_it_is_taken() {
    for values in ["0..2305843009213693951", "0..30000000"] {
        for kind in ["cover", "liveness"] {
            let model = format!(
                "var x: 0..3; startstate x := 0 end; rule \"r\" x := 1 - x % 2 end;
                 ruleset i: {values} do {kind} i < x end;"
            );
            for command in [CHECK, EXPLORE] {
                let limits = ["--memory-limit", "100M", "--timeout", "60"];
                let (found, said) = limited(command, &model, &limits);
                let context = format!("{values} {command:?}: {}\n{said}", found.output);
                assert_eq!(found.code, Some(3), "{context}");
                assert!(said.contains("memory"), "{context}");
                assert!(found.peak < 174 << 20, "{} MiB: {context}", found.peak >> 20);
            }
        }
    }
}

/// A limit of memory is exceeded by a tenth at most, and 64 MiB.
#[test]
fn a_limit_of_memory_is_kept() {
    const LIMIT: u64 = 100 << 20;
    for (name, model) in LARGE {
        for command in [CHECK, EXPLORE] {
            let limits = ["--memory-limit", "100M", "--timeout", "90", "--threads", "2"];
            let (found, said) = limited(command, model, &limits);
            let context = format!("{name}: {command:?}: {}\n{said}", found.output);
            assert_eq!(found.code, Some(3), "{context}");
            assert!(said.contains("memory limit"), "{context}");
            let most = LIMIT / 10 * 11 + (64 << 20);
            assert!(found.peak < most, "{} MiB: {context}", found.peak >> 20);
        }
    }
}

/// Models in which something else than the number of states is large, and what to do with them. The
/// limit of memory is one that the run would exceed.
const HUGE: &[(&str, &str, &[&[&str]])] = &[
    (
        "the edges of one node",
        "var x: 0..1000000; startstate x := 0 end; ruleset i: 0..1000000 do rule \"a\" x := i end end;
         ltl G F x = 7;",
        &[
            CHECK,
            &["check", "--engine", "ndfs"],
            &["check", "--bitstate", "16"],
            &["check", "--fairness", "strong"],
        ],
    ),
    (
        "states of very many cells",
        "var x: 0..3; a: array [0..499] of array [0..999] of 0..1; startstate x := 0 end;
         rule \"a\" for i: 0..499 do for j: 0..999 do a[i][j] := 1 end end end;
         rule \"c\" undefine a end; rule \"d\" a[x][x] := 0 end;
         ltl G F isundefined(a[3][3]); ltl G !isundefined(a[3][3]);",
        &[CHECK, &["check", "--fairness", "global"], &["check", "--deadlock", "stuck"]],
    ),
    (
        "a long run to a state",
        "var x: 0..1000000; startstate x := 0 end; rule \"u\" x < 1000000 ==> x := x + 1 end;
         invariant x < 999999;",
        &[CHECK, EXPLORE],
    ),
    (
        "a long run of a formula",
        "var x: 0..1000000; b: boolean; startstate x := 0; b := false end;
         rule \"u\" x < 1000000 ==> x := x + 1 end; rule \"e\" x = 1000000 ==> b := true end;
         ltl G !b;",
        &[CHECK],
    ),
];

/// Nor is it exceeded by more where one node, one state or one run is large.
#[test]
fn a_limit_of_memory_is_kept_by_large_things() {
    const LIMIT: u64 = 100 << 20;
    for (name, model, commands) in HUGE {
        for command in *commands {
            let limits = ["--memory-limit", "100M", "--timeout", "90", "--threads", "1"];
            let (found, said) = limited(command, model, &limits);
            let context = format!("{name}: {command:?}: {}\n{said}", found.output);
            // A violation may be known whose run could not be made.
            assert!(matches!(found.code, Some(1 | 3)), "{:?} {context}", found.code);
            assert!(said.contains("memory limit"), "{context}");
            let most = LIMIT / 10 * 11 + (64 << 20);
            assert!(found.peak < most, "{} MiB: {context}", found.peak >> 20);
        }
    }
}

/// A counterexample of very many steps, which takes long to write down, and large states.
const LONG: &str = "var x: 0..400000; a: array [0..30] of boolean;
    startstate x := 0; for i: 0..30 do a[i] := false end end;
    rule \"u\" x < 400000 ==> x := x + 1 end; ltl \"l\": G x < 400000;";

/// A text is cut where it stands when a limit is reached, and says so.
#[test]
fn long_texts_are_cut() {
    let file = file_of(LONG);
    let path = file.to_str().expect("a path in UTF-8");
    let mut child = start(&["check", path, "--threads", "1"]);
    // When the first part is there and nobody reads on, the run waits in the middle of its results.
    let mut out = child.stdout.take().expect("a pipe");
    let mut first = [0; 1000];
    out.read_exact(&mut first).expect("there is a result");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(100));
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("a text");
    let found = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped: not all of the results were written: interrupted"), "{said}");
    let last = rest.lines().last().expect("there are lines");
    assert_eq!(last, "the run is cut here: interrupted; it has 400001 steps");
    fs::remove_file(file).expect("the file is there");
}

/// Objects and pages that cannot be completed within the limits are left out as a whole.
#[test]
fn long_objects_and_pages_are_left_out() {
    let page = scratch("long.html");
    let page = page.to_str().expect("a path in UTF-8");
    let text = ["check", "--threads", "1"];
    let json = [&text[..], &["--format", "json"]].concat();
    let report = [&text[..], &["--report", page]].concat();
    let [little, of_json, of_report] = [&text[..], &json, &report].map(|command| {
        let (found, said) = limited(command, LONG, &[]);
        assert_eq!(found.code, Some(1), "{command:?}: {said}");
        found.peak
    });
    fs::remove_file(page).expect("it was written");
    let between = |much: u64| {
        assert!(much > little + (30 << 20), "{} and {} MiB", little >> 20, much >> 20);
        (little + (much - little) / 4).to_string()
    };
    let (found, said) = limited(&json, LONG, &["--memory-limit", &between(of_json)]);
    assert_eq!(found.code, Some(1), "{said}");
    assert!(said.contains("stopped: not all of the results were written: memory limit"), "{said}");
    let value: Value = serde_json::from_str(&found.output).expect("JSON all the same");
    let result = &value["results"][0];
    assert_eq!((&result["verdict"], &result["counterexample"]), (&"violated".into(), &Value::Null));
    let warning = result["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with("the counterexample was not written: memory limit"), "{warning}");
    let (found, said) = limited(&report, LONG, &["--memory-limit", &between(of_report)]);
    assert_eq!(found.code, Some(1), "{said}");
    assert!(said.contains("long.html` was not written: memory limit"), "{said}");
    assert!(!Path::new(page).exists());
}

/// A large file is read and replayed within the limits.
#[test]
fn replays_keep_limits() {
    let results = scratch("long.json");
    let model = file_of(LONG);
    let path = model.to_str().expect("a path in UTF-8");
    let mut command = isonomy(&["check", path, "--format", "json"]);
    let made = command.stdout(fs::File::create(&results).expect("a file")).status();
    assert_eq!(made.expect("it starts").code(), Some(1));
    let bytes = fs::metadata(&results).expect("the file is there").len();
    assert!(bytes > 100 << 20, "{bytes}");
    let file = results.to_str().expect("a path in UTF-8");
    let replay = ["replay", file];
    let (found, said) = limited(&replay, LONG, &["--timeout", "0.3"]);
    assert_eq!(found.code, Some(3), "{said}");
    assert!(said.contains("time limit of 0.3 s") && found.work < 0.3 + SOON, "{}", found.work);
    let (found, said) = limited(&replay, LONG, &["--timeout", "0"]);
    assert_eq!((found.code, found.output.as_str()), (Some(3), ""), "{said}");
    for limit in [100 << 20, bytes + (30 << 20)] {
        let (found, said) = limited(&replay, LONG, &["--memory-limit", &limit.to_string()]);
        assert_eq!(found.code, Some(3), "{said}");
        assert!(said.contains("memory limit"), "{said}");
        assert!(found.peak < limit / 10 * 11 + (64 << 20), "{} MiB", found.peak >> 20);
    }
    let (found, said) = limited(&replay, LONG, &[]);
    assert_eq!(found.code, Some(0), "{said}");
    assert!(
        found.output.ends_with("valid: 400001 steps walked, and the run violates the formula\n")
    );
    assert!(found.peak < 8 * bytes, "{} MiB", found.peak >> 20);
    for file in [results, model] {
        fs::remove_file(file).expect("the file is there");
    }
}

/// Operations on labels that make nothing new ask as well.
#[test]
fn a_limit_of_time_ends_a_classification() {
    let premises: Vec<String> = (0..9).map(|k| format!("G F p{k}")).collect();
    let formula = format!("({}) -> (G F x & G F y)", premises.join(" & "));
    let mut command = isonomy(&["formula", "--classify", &formula, "--timeout", "0.3"]);
    let found = measure_within(PATIENCE, command.stdin(Stdio::null()).stderr(Stdio::null()));
    assert_eq!(found.code, Some(3), "{}", found.output);
    assert!(found.work < TIMEOUT + SOON, "{} s", found.work);
}

/// Nor does a label that is a sum of very many long products go beyond a limit.
#[test]
fn a_limit_of_time_ends_a_sum_of_products() {
    let atoms: Vec<String> = (0..900).map(|k| format!("p{k}")).collect();
    let formula = atoms.join(" <-> ");
    let mut command = isonomy(&["automaton", &formula, "--format", "stats", "--timeout", "1"]);
    let found = measure_within(PATIENCE, command.stdin(Stdio::null()).stderr(Stdio::null()));
    assert_eq!(found.code, Some(3), "{}", found.output);
    assert!(found.work < 1.0 + SOON, "{} s", found.work);
    assert!(found.peak < 500 << 20, "{} MiB", found.peak >> 20);
}

/// The verdicts and counts of a check.
fn verdicts(arguments: &[&str]) -> Vec<(Value, Value, Value)> {
    let found = run(isonomy(&[&["check"], arguments, &["--format", "json"]].concat()), b"");
    let value: Value = serde_json::from_str(&found.out).expect("JSON");
    let results = value["results"].as_array().expect("a list").iter();
    results
        .map(|one| {
            (one["name"].clone(), one["verdict"].clone(), one["stats"]["aqs_states"].clone())
        })
        .collect()
}

/// `--max-states N` is about the states that a property itself needs: exactly, whatever else is asked
/// and however many threads there are.
#[test]
fn limits_of_states_are_exact() {
    for model in ["peterson", "resource_simple", "mux_sem", "dining_philosophers"] {
        for engine in ["auto", "sets"] {
            is_exact(&format!("fixtures/models/{model}.m"), engine);
        }
    }
}

fn is_exact(model: &str, engine: &str) {
    let all = verdicts(&[model, "--fairness", "weak", "--engine", engine]);
    assert!(all.len() > 1, "{all:?}");
    let needed = |one: &(Value, Value, Value)| one.2.as_u64().expect("a number");
    let largest = all.iter().map(needed).max().expect("there are results");
    for most in [1, 2, largest / 2, largest - 1, largest, largest + 1] {
        let most_text = most.to_string();
        let limits = [model, "--fairness", "weak", "--engine", engine, "--max-states", &most_text];
        let together = verdicts(&limits);
        for (whole, limited) in all.iter().zip(&together) {
            let context = format!("{most}: {whole:?} {limited:?}");
            if needed(whole) <= most {
                assert_eq!(whole, limited, "{context}");
            } else {
                assert!(needed(limited) <= most, "{context}");
                assert!(limited.1 == "unknown" || limited.1 == whole.1, "{context}");
            }
        }
        for threads in ["1", "2", "3"] {
            assert_eq!(verdicts(&[&limits[..], &["--threads", threads]].concat()), together);
        }
        for one in &together {
            let name = one.0.as_str().expect("its properties have names");
            let alone = verdicts(&[&limits[..], &["-p", name]].concat());
            assert_eq!(alone, std::slice::from_ref(one), "{most} {name}");
        }
    }
    let explored = |most: u64, threads: &str| {
        let most = most.to_string();
        let words = ["explore", model, "--format", "json", "--max-states", &most];
        let found = run(isonomy(&[&words[..], &["--threads", threads]].concat()), b"");
        let value: Value = serde_json::from_str(&found.out).expect("JSON");
        (value["representatives"].as_u64().expect("a number"), value["stopped"].is_null())
    };
    let (states, _) = explored(1 << 40, "1");
    for threads in ["1", "2", "7"] {
        for most in [1, 2, states / 2, states - 1] {
            assert_eq!(explored(most, threads), (most, false), "{threads}");
        }
        assert_eq!(explored(states, threads), (states, true));
    }
}

/// A shell that limits the address space of a command, in KiB.
fn with_space(kibibytes: u64, words: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {kibibytes}; exec \"$@\"")).arg("sh");
    let inner = isonomy(words);
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(inner.get_current_dir().expect("it has one"));
    command
}

/// Without memory there is an answer all the same: no panic, no abort, no hang.
#[test]
fn without_memory_there_is_an_answer() {
    let mut codes = [0; 5];
    for words in [
        &["check", "fixtures/models/german.m", "-D", "N=3"][..],
        &["check", "fixtures/models/resource_simple.m", "--fairness", "strong"],
        &["explore", "fixtures/models/peterson.m", "-D", "N=5", "--symmetry", "off"],
        &["describe", "fixtures/models/german.m"],
        &["automaton", "G F a & G F b"],
    ] {
        for megabytes in [40, 60, 80, 100, 130, 160, 200, 250, 300, 400, 600, 1000] {
            for threads in ["1", "2"] {
                let threads: &[&str] = match words[0] {
                    "check" | "explore" => &["--threads", threads],
                    _ => &[],
                };
                let messages = scratch("messages");
                let mut command = with_space(megabytes << 10, &[words, threads].concat());
                command.stdin(Stdio::null()).stderr(fs::File::create(&messages).expect("a file"));
                let found = measure_within(PATIENCE, &mut command);
                let said = fs::read_to_string(&messages).expect("the file is there");
                fs::remove_file(messages).expect("the file is there");
                let context = format!("{words:?} in {megabytes} MB: {}\n{said}", found.output);
                let code = found.code.unwrap_or_else(|| panic!("a signal: {context}"));
                // 127: the system cannot even load the program.
                assert!(matches!(code, 0 | 1 | 3 | 126 | 127), "exit {code}, {context}");
                assert!(!said.contains("panic"), "{context}");
                codes[match code {
                    0 | 1 => 0,
                    3 => 1,
                    _ => 2,
                }] += 1;
            }
        }
    }
    assert!(codes[0] > 50, "{codes:?}");
}

/// Nor is there an abort if several threads get no more memory at once, and what they do at their end
/// needs some.
#[test]
fn threads_without_memory_end_in_good_order() {
    let words = ["check", "fixtures/models/ricart_agrawala.m", "-D", "N=8", "--engine", "ndfs"];
    for _ in 0..8 {
        let limits = ["--stats", "--threads", "5", "--timeout", "20"];
        let mut command = with_space(779 << 10, &[&words[..], &limits].concat());
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let found = measure_within(PATIENCE, &mut command);
        assert_eq!(found.code, Some(3), "{}", found.output);
    }
}
