//! What all commands share, and those about formulas and automata.

use super::binary::{check, interrupt, into_closed_pipe, isonomy, run, scratch, start};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[test]
fn usage() {
    let version = concat!("isonomy ", env!("CARGO_PKG_VERSION"), "\n");
    check(&[
        (&["--version"], "", 0, version, ""),
        (&["--help"], "", 0, "Exit codes:", ""),
        (&["help", "man"], "", 0, "Usage: isonomy man", ""),
        (&[], "", 2, "", "Usage: isonomy"),
        (&["frobnicate"], "", 2, "", "unrecognized subcommand"),
        (&["man", "--frobnicate"], "", 2, "", "has no option `--frobnicate`"),
        (&["man", "--log", "loud"], "", 2, "", "possible values: error, warn, info, debug, trace"),
        (&["man", "--color", "mauve"], "", 2, "", "possible values: auto, always, never"),
        (&["man", "--color", "always", "--nonsense"], "", 2, "", "\u{1b}["),
        (&["completions", "bash"], "", 0, "complete -F _isonomy", ""),
        (&["completions", "zsh"], "", 0, "#compdef isonomy", ""),
        (&["completions", "fish"], "", 0, "complete -c isonomy", ""),
        (&["completions", "elvish"], "", 0, "edit:completion", ""),
        (&["completions", "powershell"], "", 0, "Register-ArgumentCompleter", ""),
        (&["completions", "tcsh"], "", 2, "", "invalid value 'tcsh'"),
        (&["man"], "", 0, ".TH isonomy-completions 1", ""),
    ]);
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    for (choice, coloured) in [("auto", false), ("never", false), ("always", true)] {
        let help = run(isonomy(&["--help", "--color", choice]), b"");
        assert_eq!(help.out.contains("\x1b["), coloured, "{choice}");
        let mut command = isonomy(&["nonsense", "--color", choice]);
        command.env("NO_COLOR", "1");
        assert_eq!(run(command, b"").err.contains("\x1b["), coloured, "{choice}");
    }
}

#[test]
fn logs_and_profiles_are_asked_for_correctly() {
    check(&[
        (&["man", "--trace", "profile.txt"], "", 2, "", "end the name in .json"),
        (&["man", "--trace", "profile"], "", 2, "", "end the name in .json"),
        (
            &["man", "--trace", "no/such/folder/p.json"],
            "",
            2,
            "",
            "cannot create `no/such/folder/p.json`: no such file",
        ),
        (&["man", "--log", "info"], "", 0, ".TH", ""),
        (&["man", "--log", "debug"], "", 0, ".TH", "report.write{bytes="),
    ]);
    for (directives, code, err) in [
        ("debug", 0, "report.write{"),
        ("isonomy::cli::console=debug", 0, "report.write{"),
        ("ltl=debug", 0, ""),
        ("", 0, ""),
        ("isonomy=loud", 2, "ISONOMY_LOG is `isonomy=loud`: "),
    ] {
        let mut command = isonomy(&["man"]);
        command.env("ISONOMY_LOG", directives);
        let run = run(command, b"");
        assert_eq!(run.code, Some(code), "{directives}: {}", run.err);
        assert!(run.err.contains(err) && run.err.is_empty() == err.is_empty(), "{}", run.err);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for arguments in [
        &["man"][..],
        &["--help"],
        &["completions", "zsh"],
        &["automaton", "G a"],
        &["formula", "a", "--implies", "a | b"],
    ] {
        let output = into_closed_pipe(arguments);
        let err = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_forgets_no_bad_line() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut child = isonomy(&["formula", "-"])
        .stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(b"(\na\n").expect("the binary reads");
    assert_eq!(child.wait().expect("the binary ends").code(), Some(2));
}

#[test]
fn automata_in_every_format() {
    let response = "G(request -> F grant)";
    check(&[
        (&["automaton", response], "", 0, "digraph", ""),
        (&["automaton", response, "--format", "svg"], "", 0, "</svg>\n", ""),
        (&["automaton", response, "--format", "hoa"], "", 0, "\n--END--\n", ""),
        (&["automaton", response, "--format", "never"], "", 0, "never {", ""),
        (&["automaton", response, "--format", "json"], "", 0, "{\"schema\":1,", ""),
        (&["automaton", response, "--format", "stats"], "", 0, "G(request -> F grant),2,4,", ""),
        (
            &["automaton", response, "--format", "hoa", "--acceptance", "buchi"],
            "",
            0,
            "state-acc",
            "",
        ),
        (&["automaton", "a", "--format", "hoa", "--negate"], "", 0, "name: \"!a\"", ""),
        (&["automaton", "[]p && <>q", "--input", "spin", "--format", "hoa"], "", 0, "AP: 2", ""),
        (&["automaton", "0", "--format", "hoa"], "", 0, "States: 1", ""),
        (&["automaton", "-", "--format", "hoa"], "G a\nG b\n", 0, "name: \"Gb\"", ""),
        (&["automaton", "--file", "-", "--format", "hoa"], "G a\nF b\n", 0, "name: \"Fb\"", ""),
        (&["automaton", "G a", "--effort", "low", "--format", "hoa"], "", 0, "States: 1", ""),
        (
            &["automaton", "--hoa-in", "fixtures/golden/response.hoa", "--format", "never"],
            "",
            0,
            "never {",
            "",
        ),
    ]);
}

#[test]
fn what_is_written_is_read_back() {
    for formula in
        ["G(a -> F b)", "GF a & GF \"x > 1\"", "(a U b) | G c", "@a(x) -> X @b", "0", "1"]
    {
        let once = run(isonomy(&["automaton", formula, "--format", "hoa"]), b"");
        assert_eq!(once.code, Some(0), "{formula}: {}", once.err);
        let again = isonomy(&["automaton", "--hoa-in", "-", "--format", "hoa"]);
        let again = run(again, once.out.as_bytes());
        assert_eq!(again.out, once.out, "{formula}: {}", again.err);
        // A stream of two automata.
        let twice = format!("{0}{0}", once.out);
        let stats = isonomy(&["automaton", "--hoa-in", "-", "--format", "stats"]);
        let stats = run(stats, twice.as_bytes());
        assert_eq!((stats.code, stats.out.lines().count()), (Some(0), 2), "{}", stats.err);
    }
}

#[test]
fn requests_that_make_no_sense() {
    check(&[
        (&["automaton"], "", 2, "", "<FORMULA|--file <FILE>|--hoa-in <FILE>>"),
        (&["automaton", "a", "--file", "-"], "", 2, "", "cannot be used with"),
        (&["automaton", "a", "--hoa-in", "-"], "", 2, "", "cannot be used with"),
        (&["automaton", "--negate", "--hoa-in", "-"], "", 2, "", "`--negate` needs a formula"),
        (&["automaton", "a", "--header"], "", 2, "", "belongs to `--format stats`"),
        (
            &["automaton", "a", "--format", "png"],
            "",
            2,
            "",
            "possible values: dot, svg, hoa, never, json, stats",
        ),
        (&["automaton", "-", "--format", "svg"], "a\n", 2, "", "a picture shows one automaton"),
        (&["automaton", "--file", "-", "--format", "svg"], "a\n", 2, "", "give one formula"),
        (&["automaton", "a", "--max-states", "0"], "", 2, "", "invalid value '0'"),
        (&["automaton", "a", "--timeout", "-1"], "", 2, "", "error:"),
        (
            &["automaton", "a", "--memory-limit", "lots"],
            "",
            2,
            "",
            "write a number and K, M, G or T",
        ),
        (&["automaton", "G a", "--hoa-in=x", "b"], "", 2, "", "error:"),
        (&["automaton", "X @a", "--format", "never"], "", 2, "", "`@a` is an event"),
        (&["automaton", "\"1 +\"", "--format", "never"], "", 2, "", "is no Promela expression"),
        (&["formula"], "", 2, "", "<FORMULA|--file <FILE>>"),
        (&["formula", "a", "--classify", "--implies", "b"], "", 2, "", "cannot be used with"),
        (&["formula", "a", "--classify", "--simplify"], "", 2, "", "cannot be used with"),
        (&["formula", "a", "--implies", "b", "--syntax", "spin"], "", 2, "", "cannot be used with"),
        (&["formula", "@a", "--syntax", "spin"], "", 2, "", "cannot print @a"),
    ]);
}

#[test]
fn formulas_in_other_words() {
    check(&[
        (&["formula", "G(a->Fb)"], "", 0, "G (a -> F b)\n", ""),
        (&["formula", "G(a->Fb)", "--syntax", "spot"], "", 0, "G(a -> Fb)\n", ""),
        (&["formula", "G(a->Fb)", "--syntax", "spin"], "", 0, "[](a -> <>b)\n", ""),
        (&["formula", "G(a->Fb)", "--syntax", "latex"], "", 0, "\\rightarrow", ""),
        (&["formula", "<>[]p", "--input", "spin"], "", 0, "F G p\n", ""),
        (&["formula", "FFa & 1", "--simplify"], "", 0, "F a\n", ""),
        (&["formula", "a xor b", "--simplify"], "", 0, "a xor b\n", ""),
        (&["formula", "-"], "G a\n\nF b\n", 0, "G a\nF b\n", ""),
        (&["formula", "G a", "--classify"], "", 0, "safety\n", ""),
        (&["formula", "F a", "--classify"], "", 0, "guarantee\n", ""),
        (&["formula", "a & X b", "--classify"], "", 0, "safety and guarantee\n", ""),
        (&["formula", "G a | F b", "--classify"], "", 0, "obligation\n", ""),
        (&["formula", "GF a", "--classify"], "", 0, "recurrence\n", ""),
        (&["formula", "FG a", "--classify"], "", 0, "persistence\n", ""),
        (&["formula", "GF a -> GF b", "--classify"], "", 0, "reactivity\n", ""),
        (&["formula", "!Fa", "--equivalent-to", "G!a"], "", 0, "equivalent\n", ""),
        (&["formula", "G a", "--implies", "F a"], "", 0, "implied\n", ""),
        (
            &["formula", "F a", "--implies", "G a"],
            "",
            1,
            "not implied: this word satisfies the first formula only\n",
            "",
        ),
        (
            &["formula", "G a", "--equivalent-to", "F a"],
            "",
            1,
            "not equivalent: this word satisfies the second formula only\n",
            "",
        ),
        (&["formula", "a", "--equivalent-to", "b"], "", 1, "cycle{", ""),
        (&["formula", "@a & @b", "--equivalent-to", "0"], "", 0, "equivalent\n", ""),
        (&["formula", "@a(x)", "--implies", "@a(_)"], "", 0, "implied\n", ""),
        (&["formula", "@a(_)", "--implies", "@a(x)"], "", 1, "@a(_)", ""),
        (
            &["formula", "--file", "-", "--implies", "F a"],
            "G a\nb\na\n",
            1,
            "implied\nnot implied: ",
            "",
        ),
    ]);
}

#[test]
fn any_input_ends_in_an_answer_or_a_message() {
    let long = format!("a\n{}\nb\n", "a".repeat((16 << 20) + 1));
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let negations = format!("{}a", "!".repeat(100_000));
    let nexts = "X".repeat(100_000);
    let wide = vec!["a"; 100_000].join(" & ");
    let untils = vec!["a"; 100_000].join(" U ");
    for text in [&deep, &negations, &nexts, &untils] {
        check(&[
            (&["automaton", "-"], text, 2, "", "error: "),
            (&["formula", "-", "--simplify"], text, 2, "", "error: "),
            (&["automaton", "--hoa-in", "-"], text, 2, "", "error: "),
        ]);
    }
    check(&[
        (&["formula", "-", "--simplify"], &wide, 0, "a\n", ""),
        (&["automaton", ""], "", 2, "", "error: expected a formula"),
        (&["automaton", " \t"], "", 2, "", "error: expected a formula"),
        (&["automaton", "-"], "a\0b\n", 2, "", "error: "),
        (&["automaton", "a)"], "", 2, "", "formula:1:2"),
        (&["formula", "a\n& )"], "", 2, "", "formula:2:3"),
        (&["automaton", "-"], "", 0, "", ""),
        (&["automaton", "-"], "\r\n \n", 0, "", ""),
        (&["automaton", "--hoa-in", "-"], "", 2, "", "expected `HOA: v1`"),
        (
            &["automaton", "--file", "no/such/file"],
            "",
            2,
            "",
            "cannot read `no/such/file`: no such file",
        ),
        (&["automaton", "--file", "src"], "", 2, "", "cannot read `src`: is a directory"),
        (&["automaton", "--hoa-in", "src"], "", 2, "", "cannot read `src`: is a directory"),
        (&["formula", "-"], "\u{feff}G a\r\nF b\r\n", 0, "G a\nF b\n", ""),
        (&["formula", "-"], "a\r\n b &\r\n", 2, "a\n", "standard input:2:5"),
        (&["formula", "-"], "a\n\u{feff}b\n", 2, "a\n", "unexpected character U+FEFF"),
        (
            &["automaton", "--hoa-in", "-", "--format", "stats"],
            "\u{feff}HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
            0,
            ",1,1,1,0,1,1,",
            "",
        ),
        (
            &["formula", "-"],
            &long,
            2,
            "a\n",
            "cannot read `standard input`: line 2 is longer than 16 MiB",
        ),
    ]);
}

#[test]
fn text_that_is_not_utf8() {
    let bytes = b"a & \xff\nG b\n";
    let formula = run(isonomy(&["formula", "-"]), bytes);
    assert_eq!((formula.code, formula.out.as_str()), (Some(2), "G b\n"));
    assert!(
        formula.err.contains("not UTF-8 text: byte 0xff\n --> standard input:1:5"),
        "{}",
        formula.err
    );
    let automaton = run(isonomy(&["automaton", "--hoa-in", "-"]), bytes);
    assert_eq!((automaton.code, automaton.out.as_str()), (Some(2), ""));
    assert!(automaton.err.contains("not UTF-8 text"), "{}", automaton.err);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let mut command = isonomy(&["formula"]);
        command.arg(std::ffi::OsStr::from_bytes(b"a & \xff"));
        let argument = run(command, b"");
        assert_eq!((argument.code, argument.out.as_str()), (Some(2), ""));
        assert!(argument.err.contains("invalid UTF-8"), "{}", argument.err);
        // Names of files need not be text.
        let mut command = isonomy(&["formula", "--file"]);
        command.arg(std::ffi::OsStr::from_bytes(b"no/such/\xff"));
        let file = run(command, b"");
        assert_eq!((file.code, file.out.as_str()), (Some(2), ""));
        assert!(file.err.contains("cannot read `no/such/\u{fffd}`: no such file"), "{}", file.err);
    }
}

/// The lines of `--format stats` without their last field, the time, which must be a number.
fn without_times(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.rsplit_once(',').expect("fields"));
    lines
        .inspect(|(_, time)| assert!(time.parse::<u64>().is_ok() || time.is_empty()))
        .map(|(rest, _)| rest)
        .collect()
}

#[test]
fn statistics_have_a_line_for_every_formula() {
    let input = "G a\r\n\r\nG (\n\"x, \\\"y\\\"\" U b\n a U b \n";
    let all = run(isonomy(&["automaton", "--file", "-", "--format", "stats"]), input.as_bytes());
    assert_eq!(all.code, Some(2));
    assert_eq!(
        without_times(&all.out),
        [
            "G a,1,1,1,0,1,1",
            ",,,,,,",
            "\"\"\"x, \\\"\"y\\\"\"\"\" U b\",2,3,7,1,1,1",
            "a U b,2,3,7,1,1,1",
        ]
    );
    assert!(all.err.contains("standard input:3:4"), "{}", all.err);
    let limited = ["automaton", "-", "--format", "stats", "--max-states", "2"];
    let few = run(isonomy(&limited), b"G a\na U (b U c)\nF a\n");
    assert_eq!(few.code, Some(3));
    assert_eq!(
        without_times(&few.out),
        ["G a,1,1,1,0,1,1", "a U (b U c),,,,,,", "F a,2,3,4,1,1,1"]
    );
    assert_eq!(few.err, "stopped: standard input:2: more than 2 states\n");
    check(&[
        (
            &["automaton", "a", "--format", "stats", "--header"],
            "",
            0,
            "formula,states,edges,transitions,acceptance_sets,deterministic,weak,time_us\na,",
            "",
        ),
        (&["automaton", "(", "--format", "stats"], "", 2, ",,,,,,,\n", "error: "),
        (
            &["automaton", "--hoa-in", "fixtures/golden/response.hoa", "--format", "stats"],
            "",
            0,
            "G(request -> Fgrant),2,",
            "",
        ),
    ]);
}

#[test]
fn limits_are_answers() {
    check(&[
        (&["automaton", "a U b", "--max-states", "1"], "", 3, "", "stopped: more than 1 states"),
        (&["automaton", "a", "--timeout", "0"], "", 3, "", "stopped: time limit of 0 s"),
        (
            &["automaton", "-", "--timeout", "0", "--format", "stats"],
            "a\nb\n",
            3,
            "a,,,,,,,\n",
            "standard input:1: time limit",
        ),
        (
            &["formula", "a U b", "--classify", "--max-states", "1"],
            "",
            3,
            "",
            "stopped: more than 1 states",
        ),
        (
            &["formula", "a U b", "--implies", "G F a", "--timeout", "0"],
            "",
            3,
            "",
            "stopped: time limit",
        ),
        (
            &[
                "automaton",
                "a U b",
                "--max-states",
                "3",
                "--timeout",
                "60.5",
                "--memory-limit",
                "1.5G",
            ],
            "",
            0,
            "digraph",
            "",
        ),
    ]);
    // Formulas share their parts, and texts cannot: Spin has no W, and writes its second part twice.
    let waiting: Vec<_> = (0..40).map(|k| format!("a{k} W (")).collect();
    let waiting = format!("{}b{}", waiting.concat(), ")".repeat(40));
    check(&[(
        &["formula", "-", "--syntax", "spin"],
        &waiting,
        3,
        "",
        "stopped: standard input:1: the text",
    )]);
    // The gravest result decides: bad input before no answer.
    check(&[(&["automaton", "-", "--max-states", "1"], "a U b\n(\n", 2, "", "more than 1 states")]);
}

/// A formula whose automaton takes longer than any test waits.
fn endless() -> String {
    let untils: Vec<_> = (0..40).map(|k| format!("(a{k} U (b{k} U c{k}))")).collect();
    format!("G({})", untils.join(" | "))
}

/// Interrupts a long search and returns what it said since, and its profile.
#[cfg(unix)]
fn interrupted(name: &str, interrupt: impl Fn(&Child)) -> (Vec<String>, String) {
    let file = scratch(name);
    let trace = file.to_str().expect("UTF-8");
    let mut command = isonomy(&[
        "automaton",
        &endless(),
        "--log",
        "debug",
        "--max-states",
        "4000000000",
        "--trace",
        trace,
    ]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut messages = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    // Once the formula is read, the search begins.
    assert!(messages.any(|line| line.expect("UTF-8").contains("formula.parse")));
    interrupt(&child);
    let rest: Vec<_> = messages.map(|line| line.expect("UTF-8")).collect();
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    let profile = fs::read_to_string(&file).expect("the profile is written");
    fs::remove_file(&file).expect("the profile is there");
    (rest, profile)
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_the_search() {
    let (rest, profile) = interrupted("interrupted.jsonl", interrupt);
    assert_eq!(rest.last().map(String::as_str), Some("stopped: interrupted"));
    assert!(profile.contains("formula.parse"), "{profile}");
}

/// `timeout -s INT` and other wrappers pass on what the terminal sent to us already.
#[cfg(unix)]
#[test]
fn an_interruption_may_arrive_twice() {
    let (rest, profile) = interrupted("twice.jsonl", |child| {
        interrupt(child);
        interrupt(child);
    });
    assert_eq!(rest.last().map(String::as_str), Some("stopped: interrupted"));
    assert!(profile.contains("formula.parse"), "{profile}");
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_waiting_for_input() {
    let file = scratch("waiting.json");
    let mut command = isonomy(&["formula", "-", "--trace", file.to_str().expect("UTF-8")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"G a\n").expect("the binary reads");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "G a\n", "a result comes before the next formula does");
    interrupt(&child);
    assert_eq!(child.wait().expect("the binary ends").code(), Some(130));
    let profile = fs::read_to_string(&file).expect("the profile is written");
    let profile: Value = serde_json::from_str(&profile).expect("JSON");
    let events = profile["traceEvents"].as_array().expect("a list");
    assert!(events.iter().any(|event| event["name"] == "formula.parse"), "{events:?}");
    fs::remove_file(&file).expect("the profile is there");
}

/// A named pipe without a writer cannot even be opened.
#[cfg(unix)]
#[test]
fn an_interruption_ends_waiting_for_a_writer() {
    let pipe = scratch("pipe");
    let path = pipe.to_str().expect("UTF-8");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo is there").success());
    for words in [&["describe", path][..], &["check", path], &["formula", "--file", path]] {
        let mut child = start(words);
        std::thread::sleep(Duration::from_millis(500));
        interrupt(&child);
        let ended = (0..600).find_map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            child.try_wait().expect("it is watched")
        });
        let _ = child.kill();
        let status = ended.unwrap_or_else(|| panic!("it does not end: {words:?}"));
        // Without a code: before it had begun to listen.
        assert!(matches!(status.code(), None | Some(130)), "{words:?}: {status}");
    }
    fs::remove_file(&pipe).expect("the pipe is there");
}
