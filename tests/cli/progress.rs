//! Progress: whatever lasts names itself, with its counts, while it is under way.
//!
//! Here a line comes whenever a phase begins or tells its counts, so that no test depends on how long a phase lasts. At
//! a terminal, lines come every millisecond.

use super::binary::{Run, isonomy, run, scratch};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use support::needs;

/// With a line for every change.
fn watched(arguments: &[&str]) -> Command {
    let mut command = isonomy(&[arguments, &["--progress", "always"][..]].concat());
    command.env("ISONOMY_PROGRESS_MS", "0");
    command
}

/// Lines that say what is under way: a number for the time, perhaps the memory, then phases.
fn lines(run: &Run) -> impl Iterator<Item = &str> {
    run.err.lines().filter(|line| line.starts_with("progress: "))
}

/// Runs a command, and expects of each phase, in some line, that it is under way and has told this.
fn check(arguments: &[&str], input: &str, phases: &[(&str, &str)]) {
    let run = run(watched(arguments), input.as_bytes());
    assert!(run.code.is_some_and(|code| code != 2 && code != 4), "{arguments:?}: {}", run.err);
    assert!(!run.out.contains("progress: "), "{}", run.out);
    for line in lines(&run) {
        let mut parts = line["progress: ".len()..].split("; ");
        let (time, memory) = parts.next().and_then(|part| part.split_once(" s")).expect("seconds");
        assert!(time.parse::<f64>().is_ok(), "{line}");
        let memory = memory.strip_prefix(", ").and_then(|text| text.strip_suffix(" MiB"));
        assert!(
            !cfg!(target_os = "linux") || memory.is_some_and(|text| text.parse::<f64>().is_ok())
        );
        assert!(parts.next().is_some(), "{line} names no phase");
    }
    for (phase, told) in phases {
        let tells = |part: &str| {
            let rest = part.strip_prefix(phase)?;
            let is_it = rest.is_empty() || rest.starts_with([':', ' ']);
            (is_it && rest.contains(told)).then_some(())
        };
        let is_there = lines(&run).any(|line| line.split("; ").any(|part| tells(part).is_some()));
        let some: Vec<_> = lines(&run).take(20).collect();
        assert!(is_there, "{arguments:?}: {phase} told nothing of {told}:\n{}", some.join("\n"));
    }
}

/// A counter that goes round, but may be left where it begins.
fn ring(most: usize) -> String {
    format!(
        "var x: 0..{most}; done: boolean;
         startstate x := 0; done := false; end;
         rule \"up\" !done & x < {most} ==> x := x + 1; end;
         rule \"back\" !done & x = {most} ==> x := 0; end;
         rule \"leave\" !done & x = 0 ==> done := true; end;
         liveness \"left\" done;"
    )
}

/// A counter that goes up.
fn stairs(most: usize) -> String {
    format!(
        "var x: 0..{most};
         startstate x := 0; end;
         rule \"up\" x < {most} ==> x := x + 1; end;"
    )
}

/// A formula with a large automaton.
fn streett(pairs: usize) -> String {
    let pairs: Vec<_> = (0..pairs).map(|k| format!("(G F a{k} -> G F b{k})")).collect();
    pairs.join(" & ")
}

#[test]
fn formulas() {
    let untils: Vec<_> = (0..40).map(|k| format!("(a{k} U (b{k} U c{k}))")).collect();
    let endless = format!("G({})", untils.join(" | "));
    let endless = ["automaton", &endless, "--timeout", "0.3", "--max-states", "4000000000"];
    check(&endless, "", &[("automaton.translate", "label_nodes ")]);
    let limit = ["--timeout", "4", "--acceptance", "buchi"];
    check(
        &[&["automaton", &streett(5)][..], &limit].concat(),
        "",
        &[("automaton.translate", "states "), ("automaton.reduce", "label_nodes ")],
    );
    let classified = ["formula", &streett(5), "--classify", "--timeout", "2"];
    check(&classified, "", &[("formula.classify", "")]);
    let compared = ["formula", &streett(5), "--implies", "G F a0", "--timeout", "2"];
    check(&compared, "", &[("formula.compare", "")]);
    let atoms: Vec<_> = (0..20).map(|k| format!("(x = {k} U (x > {k} U x < {k}))")).collect();
    let large = format!("G({})", atoms.join(" | "));
    check(
        &["check", "-", &large, "--timeout", "0.3"],
        &stairs(100),
        &[("automaton.translate", "label_nodes ")],
    );
}

#[test]
fn models() {
    let mut large = "var x: 0..30000;\nstartstate x := 0; end;\n".to_owned();
    for k in 0..4000 {
        let _ = writeln!(large, "rule \"r{k}\" x = {k} ==> if x < 9 then x := x + 1; end; end;");
    }
    check(&["describe", "-"], &large, &[("model.parse", ""), ("model.resolve", "")]);
    check(
        &["simulate", "-", "--random", "7", "--steps", "20000"],
        &stairs(20_000),
        &[("simulate.walk", "steps ")],
    );
}

#[test]
fn start_states() {
    let starts = "type digit: 0..9;
        var a: array [0..6] of digit;
        assume \"none\" a[0] > 9;
        ruleset p: digit; q: digit; r: digit; s: digit; t: digit; u: digit; v: digit do
          startstate
            a[0] := p; a[1] := q; a[2] := r; a[3] := s; a[4] := t; a[5] := u; a[6] := v;
          end;
        end;
        rule a[0] := 0; end;";
    check(
        &["check", "-", "G a[0] = 1", "--timeout", "0.3"],
        starts,
        &[("model.starts", "states ")],
    );
    check(&["explore", "-", "--timeout", "0.3"], starts, &[("explore", "states ")]);
}

#[test]
fn explorations() {
    let peterson = [
        "explore",
        "fixtures/models/peterson.m",
        "--symmetry",
        "off",
        "-D",
        "N=6",
        "--timeout",
        "0.5",
    ];
    check(&peterson, "", &[("explore", "depth "), ("explore", "states ")]);
    check(&["explore", "-"], &ring(50_000), &[("explore.liveness", "")]);
    let picture = scratch("progress.svg");
    let name = picture.to_str().expect("UTF-8");
    check(
        &["explore", "-", "--svg", name],
        &stairs(1500),
        &[("explore.graph", "nodes "), ("picture.draw", "")],
    );
    fs::remove_file(&picture).expect("there is a picture");
}

#[test]
fn searches() {
    let fairly = ["check", "-", "F done", "--fairness", "strong", "--fair-over", "event"];
    check(
        &[&fairly[..], &["--timeout", "20"]].concat(),
        &ring(400_000),
        &[
            ("product.search", "depth "),
            ("product.search", "nodes "),
            ("scc.fairness", ""),
            ("scc.refine", "nodes "),
            ("check.answer", "representatives "),
        ],
    );
    check(
        &["check", "-", "G(x = 5 -> F x = 30000)", "--threads", "2"],
        &stairs(30_000),
        &[("check.vacuity", "representatives "), ("product.search", "nodes ")],
    );
    let orienting = ["check", "fixtures/models/orienting.m", "-D", "N=4", "--fairness", "strong"];
    check(
        &[&orienting[..], &["--timeout", "1"]].concat(),
        "",
        &[("quotient.build", "representatives ")],
    );
    let small = ["check", "-", "G F x = 3", "--bitstate", "1", "--threads", "1"];
    check(&small, &ring(100_000), &[("product.search", "nodes ")]);
}

#[test]
fn counterexamples() {
    let model = stairs(20_000);
    let file = scratch("progress.m");
    fs::write(&file, &model).expect("a folder for tests");
    let name = file.to_str().expect("UTF-8");
    check(
        &["check", name, "G x < 20000"],
        "",
        &[
            ("counterexample.find", "nodes "),
            ("counterexample.concretise", ""),
            ("counterexample.validate", "steps_walked "),
        ],
    );
    let found = run(isonomy(&["check", name, "G x < 20000", "--format", "json"]), b"");
    check(&["replay", name, "-"], &found.out, &[("counterexample.validate", "steps_walked ")]);
    fs::remove_file(&file).expect("it was written");
}

#[test]
fn nothing_is_told_unless_it_is_asked_for() {
    for choice in ["auto", "never"] {
        let peterson = [
            "explore",
            "fixtures/models/peterson.m",
            "--symmetry",
            "off",
            "-D",
            "N=6",
            "--timeout",
            "0.1",
        ];
        let mut command = isonomy(&[&peterson[..], &["--progress", choice]].concat());
        command.env("ISONOMY_PROGRESS_MS", "1");
        let run = run(command, b"");
        assert_eq!((run.code, lines(&run).next()), (Some(3), None));
    }
}

/// What happens at a terminal, by the pseudo-terminal of `script` (util-linux).
#[cfg(target_os = "linux")]
#[test]
fn a_live_line_never_wraps_and_is_gone_when_others_write() {
    const WIPE: &str = "\r\x1b[2K";
    if !needs::programs(&["script"]) {
        return;
    }
    let terminal = |arguments: &str| {
        let command =
            format!("stty cols 60 rows 24; exec '{}' {arguments}", env!("CARGO_BIN_EXE_isonomy"));
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-c", &command, "/dev/null"]);
        script.current_dir(env!("CARGO_MANIFEST_DIR")).env("ISONOMY_PROGRESS_MS", "1");
        script.env("TERM", "xterm").env("NO_COLOR", "1").env_remove("ISONOMY_LOG");
        run(script, b"")
    };
    let long = "explore fixtures/models/peterson.m --symmetry off -D N=6 --timeout 0.5";
    let found = terminal(long);
    assert_eq!(found.code, Some(3), "{}{}", found.out, found.err);
    // Results begin behind the last live line, which is gone.
    let (live, results) = found.out.rsplit_once(WIPE).expect("there were live lines");
    assert!(results.starts_with("stopped") || results.contains("states"), "{results:?}");
    assert!(!results.contains("progress: "), "{results:?}");
    let live: Vec<_> = live.split(WIPE).filter(|line| line.starts_with("progress: ")).collect();
    assert!(live.len() >= 3, "{live:?}");
    assert!(live.iter().any(|line| line.contains("; explore: states ")), "{live:?}");
    for line in live {
        assert!(line.chars().count() < 60 && !line.contains('\n'), "{line:?}");
    }
    let silent = terminal(&format!("{long} --progress never"));
    assert!(!silent.out.contains("progress: ") && !silent.out.contains(WIPE), "{:?}", silent.out);
}
