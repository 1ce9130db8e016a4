//! `--message-format json`: the same messages for programs.
//!
//! Whatever a command says in words, it says as JSON, too: same words, same places, same exit code, same
//! results. Places are counted once more here, in the bytes of the files.

use super::binary::{Run, isonomy, published, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use support::schema;

/// The messages of a run, after all that must hold of any: it ends and prints as it does when it talks to
/// people, and tells them the same.
fn messages(arguments: &[&str], input: &[u8]) -> Vec<Value> {
    let asked = |format| run(isonomy(&[arguments, &["--message-format", format]].concat()), input);
    let (told, found) = (asked("text"), asked("json"));
    let context = format!("isonomy {arguments:?}\n{}\n{}", told.err, found.err);
    assert_eq!((found.code, &found.out), (told.code, &told.out), "{context}");
    let messages = parsed(&found, &context);
    let lines: Vec<_> = messages.iter().flat_map(lines).collect();
    assert_eq!(lines, outline(&told.err), "{context}");
    for message in &messages {
        placed(message, input);
        for label in message["labels"].as_array().expect("a list") {
            placed(label, input);
        }
    }
    messages
}

/// Each line on standard error, as the schema says.
fn parsed(found: &Run, context: &str) -> Vec<Value> {
    let schema = published("message");
    let parse = |line| {
        let message = serde_json::from_str(line).unwrap_or_else(|_| panic!("{context}"));
        assert_eq!(schema::check(&schema, &schema, &message, ""), Ok(()), "{context}");
        message
    };
    found.err.lines().map(parse).collect()
}

/// What people read, without the source lines and the carets below.
fn outline(text: &str) -> Vec<String> {
    let is_source = |line: &str| {
        let margin = line.split_once(" | ").or(line.strip_suffix(" |").map(|margin| (margin, "")));
        margin.is_some_and(|(margin, _)| margin.bytes().all(|c| c == b' ' || c.is_ascii_digit()))
    };
    let lines = text.lines().filter(|line| !is_source(line) && !line.is_empty());
    lines.map(|line| line.trim().to_owned()).collect()
}

/// The same lines, made from a message.
fn lines(message: &Value) -> Vec<String> {
    let word = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
    let is_placed = ["input", "violated", "runtime-error"].contains(&&*word("kind"));
    let start = match (&*word("kind"), &*word("severity")) {
        ("printed", _) => String::new(),
        ("stopped", _) => "stopped: ".to_owned(),
        (_, severity) => format!("{severity}: "),
    };
    let item = match &message["name"] {
        Value::String(name) if !is_placed && word("kind") != "file" => format!("{name}: "),
        _ => String::new(),
    };
    let arrow = |place: &Value| {
        let start = &place["span"]["start"];
        format!("--> {}:{}:{}", text(&place["name"]), start["line"], start["column"])
    };
    let mut lines = vec![format!("{start}{item}{}", word("message"))];
    if is_placed {
        lines.push(arrow(message));
    }
    for label in message["labels"].as_array().expect("a list") {
        lines.extend([format!("note: {}", text(&label["message"])), arrow(label)]);
    }
    if let Some(help) = message["help"].as_str() {
        // The advice of clap has a form of its own.
        let is_ours = !help.contains("For more information, try");
        lines.push(format!("{}{help}", if is_ours { "= help: " } else { "" }));
    }
    outline(&lines.join("\n"))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("a small one")
}

/// Lines and columns are those of the offsets, in the bytes that were read.
fn placed(place: &Value, input: &[u8]) {
    if place["span"].is_null() {
        return;
    }
    let bytes = match (place["file"].as_str(), place["source"].as_str()) {
        (Some("-"), None) => input.to_vec(),
        (Some(file), None) => {
            fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file")
        }
        (None, Some(source)) => source.as_bytes().to_vec(),
        other => panic!("either a file or a source: {other:?}"),
    };
    let bytes = String::from_utf8_lossy(&bytes);
    let offset = |end: &str| number(&place["span"][end]["offset"]);
    assert!(offset("start") <= offset("end"), "{place}");
    for end in ["start", "end"] {
        let before = &bytes[..offset(end)];
        let line = before.split('\n').next_back().expect("a line").trim_start_matches('\u{feff}');
        let counted = (before.matches('\n').count() + 1, line.chars().count() + 1);
        let told = &place["span"][end];
        assert_eq!((number(&told["line"]), number(&told["column"])), counted, "{place}");
    }
}

/// Files in a folder of fixtures with this ending, as named from the project's folder.
fn fixtures(folder: &str, ending: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries =
        fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let names = entries.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut found: Vec<_> = names.filter(|name| name.ends_with(ending)).collect();
    found.sort();
    assert!(!found.is_empty(), "{folder} has files");
    found.into_iter().map(|name| format!("{folder}/{name}")).collect()
}

#[test]
fn faulty_models_are_told_alike() {
    for model in fixtures("fixtures/errors", ".m") {
        let found = messages(&["describe", &model], b"");
        let kept = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(&model).with_extension("txt"),
        );
        let kept = kept.expect("the messages that were looked at");
        let lines: Vec<_> = found.iter().flat_map(lines).collect();
        let name = model.rsplit_once('/').expect("a folder").1;
        let expected: Vec<_> = outline(&kept)
            .into_iter()
            .map(|line| line.replacen(&format!("--> {name}:"), &format!("--> {model}:"), 1))
            .collect();
        assert_eq!(lines, expected, "{model}");
        // Places end where the carets do, unless what they are below of is wider or longer than it looks.
        let carets: Vec<_> = kept.lines().filter_map(carets).collect();
        let labels = found.iter().flat_map(|message| {
            std::iter::once(message).chain(message["labels"].as_array().expect("a list"))
        });
        let spans: Vec<_> = labels.map(|label| &label["span"]).collect();
        assert_eq!(spans.len(), carets.len(), "{model}");
        for (span, carets) in spans.into_iter().zip(carets) {
            let (start, end) = (&span["start"], &span["end"]);
            if start["line"] == end["line"] {
                let width = number(&end["column"]) - number(&start["column"]);
                assert_eq!(width.max(1), carets, "{model}: {span}");
            }
        }
    }
}

/// The number of carets in a line that has nothing else.
fn carets(line: &str) -> Option<usize> {
    let marks = line.trim_start().strip_prefix("| ")?.trim_start();
    (!marks.is_empty() && marks.bytes().all(|c| c == b'^')).then_some(marks.len())
}

const LOCK: &str = "fixtures/cli/lock.m";

/// Arguments, standard input; kind, severity and start of each message.
type Case<'a> = (&'a [&'a str], &'a str, &'a [(&'a str, &'a str, &'a str)]);

const CASES: &[Case<'_>] = &[
    (&["man"], "", &[]),
    // Bad usage, before and behind clap.
    (&["frobnicate"], "", &[("usage", "error", "unrecognized subcommand 'frobnicate'")]),
    (
        &["describe"],
        "",
        &[("usage", "error", "the following required arguments were not provided")],
    ),
    (
        &["man", "--color", "mauve"],
        "",
        &[("usage", "error", "invalid value 'mauve' for '--color <WHEN>'")],
    ),
    (
        &["describe", LOCK, "-D", "N"],
        "",
        &[("usage", "error", "invalid value 'N' for '-D <CONST=VALUE>'")],
    ),
    (&["simulate", "-"], "", &[("usage", "error", "standard input cannot be both")]),
    (&["automaton", "F @a", "--format", "never"], "", &[("usage", "error", "")]),
    (&["man", "--trace", "profile.txt"], "", &[("usage", "error", "`--trace profile.txt`")]),
    (&["check", LOCK, "-p", "nothing"], "", &[("usage", "error", "")]),
    (&["check", LOCK, "--fair-over", "event", "-p", "exclusion"], "", &[("usage", "error", "")]),
    (
        &["automaton", "a", "--format", "never", "--acceptance", "tgba"],
        "",
        &[("usage", "error", "")],
    ),
    (&["automaton", "--negate", "--hoa-in", "fixtures/bad.hoa"], "", &[("usage", "error", "")]),
    // Files.
    (&["describe", "no/such.m"], "", &[("file", "error", "cannot read `no/such.m`")]),
    (
        &["man", "--trace", "no/such/p.json"],
        "",
        &[("file", "error", "cannot create `no/such/p.json`")],
    ),
    (&["describe", "src"], "", &[("file", "error", "cannot read `src`")]),
    // Texts.
    (&["automaton", "p U (q & X"], "", &[("input", "error", "expected a formula")]),
    (&["formula", "a", "--implies", "a U"], "", &[("input", "error", "expected a formula")]),
    (&["check", LOCK, "G true", "F lnt = 0"], "", &[("input", "error", "unknown name `lnt`")]),
    (&["describe", LOCK, "-D", "Clients=1 2"], "", &[("input", "error", "")]),
    (&["describe", "-"], "\u{feff}var \u{e4}", &[("input", "error", "")]),
    (&["automaton", "--hoa-in", "fixtures/bad.hoa"], "", &[("input", "error", "")]),
    (&["replay", LOCK, "-"], "{\n  \"schema\": [}", &[("input", "error", "not JSON")]),
    (
        &["describe", "fixtures/cli/ordered.m"],
        "",
        &[("input", "warning", "no symmetry"), ("input", "warning", "no symmetry")],
    ),
    // Lines of a file, each with its offset.
    (
        &["formula", "-"],
        "\u{feff}a U\r\n\r\n\u{65e5} (\nb\n",
        &[("input", "error", "expected a formula"), ("input", "error", "")],
    ),
    (&["automaton", "-", "--format", "never"], "a\nF @b\n", &[("usage", "error", "")]),
    (
        &["automaton", "-", "--format", "hoa", "--max-states", "1"],
        "a U b\n",
        &[("stopped", "warning", "more than 1")],
    ),
    // Runs of models.
    (
        &["simulate", "fixtures/cli/tokens.m", "--random", "3"],
        "",
        &[("violated", "error", "invariant \"home is kept\"")],
    ),
    (&["simulate", LOCK], "fly\n", &[("usage", "error", "")]),
    (
        &["simulate", "fixtures/inputs/fault_division.m", "--random", "1"],
        "",
        &[("runtime-error", "error", "")],
    ),
    (
        &["simulate", "-", "--random", "1", "--steps", "1", "--format", "json"],
        "var x: 0..1; startstate x := 0; put \"one\"; end; rule x := 1 - x; put x; end;",
        &[("printed", "note", "put: one"), ("printed", "note", "put: 1")],
    ),
    (
        &["automaton", "a U b", "--max-states", "1"],
        "",
        &[("stopped", "warning", "more than 1 states")],
    ),
];

#[test]
fn every_message_is_told_alike() {
    for (arguments, input, expected) in CASES {
        let found = messages(arguments, input.as_bytes());
        let context = format!("isonomy {arguments:?}\n{found:#?}");
        assert_eq!(found.len(), expected.len(), "{context}");
        for (message, (kind, severity, start)) in found.iter().zip(*expected) {
            let told = (text(&message["kind"]), text(&message["severity"]));
            assert_eq!(told, (*kind, *severity), "{context}");
            assert!(text(&message["message"]).starts_with(start), "{context}");
        }
    }
}

#[test]
fn an_objection_is_told_alike() {
    let model = "fixtures/cli/mutex.m";
    let result = run(isonomy(&["check", model, "--format", "json"]), b"").out;
    assert_eq!(messages(&["replay", model, "-"], result.as_bytes()), [Value::Null; 0]);
    let wrong = result.replacen("Ready", "Inside", 1);
    let found = messages(&["replay", model, "-"], wrong.as_bytes());
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!((&found[0]["kind"], &found[0]["severity"]), (&"advice".into(), &"note".into()));
    assert_eq!((&found[1]["kind"], &found[1]["severity"]), (&"not-valid".into(), &"error".into()));
}

#[test]
fn a_file_of_formulas_is_told_alike() {
    let found = messages(&["formula", "--file", "fixtures/bad.ltl", "--classify"], b"");
    assert_eq!(found.len(), 2, "{found:#?}");
}

/// What is wrong according to results is told to programs as messages, too.
#[test]
fn results_are_marked() {
    let refused = "refused: nested search is not sound under fairness";
    for (arguments, code, expected) in [
        (
            &["check", "fixtures/cli/mutex.m"][..],
            1,
            ("violated", 23, "invariant \"exclusion\" is violated"),
        ),
        (
            &["explore", "fixtures/cli/mutex.m"],
            1,
            ("violated", 23, "invariant \"exclusion\" is violated"),
        ),
        (
            &["check", "fixtures/inputs/fault_division.m"],
            1,
            ("runtime-error", 8, "division by zero"),
        ),
        (
            &["explore", "fixtures/inputs/fault_division.m"],
            1,
            ("runtime-error", 8, "division by zero"),
        ),
        (
            &["check", LOCK, "-p", "exclusion", "--engine", "ndfs", "--fairness", "weak"],
            2,
            ("usage", 0, &format!("ltl \"exclusion\": {refused}")),
        ),
    ] {
        let found = run(isonomy(&[arguments, &["--message-format", "json"]].concat()), b"");
        let context = format!("isonomy {arguments:?}\n{}", found.err);
        assert_eq!(found.code, Some(code), "{context}");
        let messages = parsed(&found, &context);
        for message in &messages {
            placed(message, b"");
        }
        let (kind, line, start) = expected;
        let first = messages.iter().find(|message| message["kind"] == kind);
        let first = first.unwrap_or_else(|| panic!("{context}"));
        assert_eq!(first["span"]["start"]["line"].as_u64().unwrap_or(0), line, "{context}");
        assert!(text(&first["message"]).starts_with(start), "{context}");
    }
}

/// The problem matcher of the extension for VS Code finds what JSON tells.
#[test]
fn the_problem_matcher_finds_all() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode/package.json");
    let package = fs::read_to_string(package).expect("a text");
    let package: Value = serde_json::from_str(&package).expect("JSON");
    let pattern = &package["contributes"]["problemMatchers"][0]["pattern"];
    let regex = |at: usize| {
        fancy_regex::Regex::new(text(&pattern[at]["regexp"])).expect("a regular expression")
    };
    let regexes = [regex(0), regex(1)];
    let field = |line: &str, at: usize, name: &str| {
        let groups = regexes[at].captures(line).expect("it ends")?;
        Some(groups[number(&pattern[at][name])].to_owned())
    };
    for model in fixtures("fixtures/errors", ".m") {
        let told = run(isonomy(&["describe", &model]), b"").err;
        let lines: Vec<_> = told.lines().collect();
        let found = lines.windows(2).filter_map(|pair| {
            let heads = ["severity", "message"].map(|name| field(pair[0], 0, name));
            let places = ["file", "line", "column"].map(|name| field(pair[1], 1, name));
            heads.into_iter().chain(places).collect::<Option<Vec<_>>>()
        });
        let expected = messages(&["describe", &model], b"");
        let expected = expected.iter().map(|message| {
            let start = &message["span"]["start"];
            let place = [start["line"].to_string(), start["column"].to_string()];
            let words = ["severity", "message", "file"].map(|name| text(&message[name]).to_owned());
            words.into_iter().chain(place).collect::<Vec<_>>()
        });
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{model}");
    }
}
