//! Petri nets on the command line.

use super::binary::{Run, isonomy, json, published, run, scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::contest::{self, CATEGORIES, End, Instance, Unpacked};
use support::schema;

const NET: &str = "fixtures/nets/clients.pnml";

fn ask(arguments: &[&str]) -> Run {
    run(isonomy(arguments), b"")
}

/// A run of `check`, with the first lines of what it says.
fn said(arguments: &[&str], lines: usize) -> (Option<i32>, String) {
    let Run { code, out, err } = ask(&[&["check", NET], arguments].concat());
    (code, (out + &err).lines().take(lines).collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_net_is_described_explored_and_checked() {
    let described = ask(&["describe", NET]);
    assert_eq!(described.code, Some(0), "{}", described.err);
    assert!(described.out.contains("colours Client: 3, interchangeable"), "{}", described.out);
    for (symmetry, markings) in [("auto", "20, 7 up to symmetry"), ("off", "20")]
        .map(|(one, text)| (one, format!(" {text}\n")))
    {
        let explored = ask(&["explore", NET, "--symmetry", symmetry]);
        assert_eq!(explored.code, Some(0), "{}", explored.err);
        assert!(explored.out.contains(&markings), "{symmetry}: {}", explored.out);
    }
    let safe = "G (tokens(Working) <= 1)";
    assert_eq!(said(&[safe], 9), (Some(0), format!("holds     {safe}")));
    let fair = ["G F @take(1)", "--fairness", "strong", "--fair-over", "event"];
    for engine in ["scc", "sets"] {
        let found = said(&[&fair[..], &["--engine", engine]].concat(), 9);
        assert_eq!(found, (Some(0), "holds     G F @take(1)".to_owned()));
    }
}

#[test]
fn runs_show_what_changes_or_all() {
    let changes = "violated  G F @take(1)
start
  Idle = (1) + (2) + (3)
  Free = 1
the loop starts here
1 ask(2)
  Idle: (1) + (2) + (3) -> (1) + (3)
  Waiting: empty -> (2)";
    assert_eq!(said(&["G F @take(1)"], 8), (Some(1), changes.to_owned()));
    let all = "violated  G F @take(1)
start
  Idle = (1) + (2) + (3)
  Free = 1
the loop starts here
1 ask(2)
  Idle = (1) + (3)
  Waiting = (2)
  Free = 1";
    assert_eq!(said(&["G F @take(1)", "--full-states"], 9), (Some(1), all.to_owned()));
}

/// Formulas about the net, some of which are violated.
const ASKED: [&str; 6] = [
    "G (tokens(Working) <= 1)",
    "G F @take(1)",
    "G (@ask(1) -> F @take(1))",
    "G !(tokens(Waiting) >= 2 & fireable(leave))",
    "F dead",
    "X X (tokens(Waiting) >= 1) | G fireable(ask)",
];

/// A file with results as JSON, which is removed in the end.
fn results(name: &str, json: &Value) -> Model {
    let file = Model(scratch(name));
    fs::write(&file.0, json.to_string()).expect("a file");
    file
}

/// Every run of the JSON output is valid for `replay`, under every kind of fairness, with symmetry and
/// without; what is changed in it is not.
#[test]
fn runs_are_written_as_json_and_replayed() {
    let (mut replayed, mut forged) = (0, 0);
    let schema = published("check");
    let kinds: [&[&str]; 4] = [
        &[],
        &["--fairness", "weak", "--fair-over", "event"],
        &["--fairness", "strong", "--fair-over", "event"],
        &["--fairness", "global"],
    ];
    for fairness in kinds {
        for symmetry in ["auto", "off"] {
            let options = ["--format", "json", "--symmetry", symmetry, "--deadlock", "stuck"];
            let found = json(&[&["check", NET], &ASKED[..], &options, fairness].concat());
            assert_eq!(schema::check(&schema, &schema, &found, ""), Ok(()));
            let listed = found["results"].as_array().expect("results");
            assert_eq!(listed.len(), ASKED.len() + 1);
            for (formula, result) in ASKED.iter().zip(listed) {
                assert_eq!(result["formula"], *formula);
                assert_eq!(result["name"], Value::Null);
            }
            assert_eq!(listed[ASKED.len()]["kind"], "deadlock");
            assert_eq!(listed[0]["verdict"], "holds");
            let file = results("results.json", &found);
            for (k, result) in listed.iter().enumerate() {
                let is_violated = result["verdict"] == "violated";
                assert_eq!(result["counterexample"].is_object(), is_violated, "{result}");
                if !is_violated {
                    continue;
                }
                let number = (k + 1).to_string();
                let ran = ask(&["replay", NET, file.path(), "--result", &number]);
                assert_eq!(
                    ran.code,
                    Some(0),
                    "{fairness:?} {symmetry} {k}: {}{}",
                    ran.out,
                    ran.err
                );
                assert!(ran.out.contains("valid: "), "{}", ran.out);
                replayed += 1;
                forged += forgeries(&found, k);
            }
        }
    }
    assert!(replayed >= 24 && forged >= 60, "{replayed} {forged}");
}

/// Changes the k-th result in several ways, none of which may be valid; returns how many.
fn forgeries(found: &Value, k: usize) -> usize {
    let changes: [fn(&mut Value); 5] = [
        |result| result["counterexample"]["end"]["Free"] = 7.into(),
        |result| result["counterexample"]["end"]["Nowhere"] = 1.into(),
        |result| result["formula"] = "G (tokens(Working) <= 1)".into(),
        |result| {
            let found = &mut result["counterexample"];
            let part = if found["stem"][0].is_object() { "stem" } else { "cycle" };
            found[part][0]["event"] = "leave".into();
        },
        |result| {
            let found = &mut result["counterexample"];
            let part = if found["stem"][0].is_object() { "stem" } else { "cycle" };
            found[part][0]["state"]["Idle"][0]["tokens"] = 2.into();
        },
    ];
    let mut forged = 0;
    for change in changes {
        let mut file = found.clone();
        change(&mut file["results"][k]);
        if file == *found {
            continue;
        }
        let file = results("forged.json", &file);
        let ran = ask(&["replay", NET, file.path(), "--result", &(k + 1).to_string()]);
        assert!(matches!(ran.code, Some(1 | 2)), "{:?} {}{}", ran.code, ran.out, ran.err);
        forged += 1;
    }
    forged
}

/// Laps that are not written down, and components, are renamed by class.
#[test]
fn renamings_are_those_of_classes() {
    let formula = "G F @take(1) | F G !fireable(take)";
    for net in ["clients", "post", "relay", "workshop"] {
        let net = format!("fixtures/nets/{net}.pnml");
        let found = json(&["check", &net, "F dead", "--fairness", "global", "--format", "json"]);
        let file = results("global.json", &found);
        if found["results"][0]["verdict"] == "violated" {
            let ran = ask(&["replay", &net, file.path()]);
            assert_eq!(ran.code, Some(0), "{net} {formula}: {}{}", ran.out, ran.err);
        }
    }
}

/// Questions of files keep their names and answers, and their formulas can be read again.
#[test]
fn property_files_have_answers_in_json() {
    let file = scratch("answers.xml");
    let waiting = "<tokens-count><place>Waiting</place></tokens-count>";
    let some = format!("<integer-le><integer-constant>2</integer-constant>{waiting}</integer-le>");
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let text = [
        property("waits", &format!("<all-paths><finally>{some}</finally></all-paths>")),
        property("some", &format!("<exists-path><finally>{some}</finally></exists-path>")),
        property("bound", "<place-bound><place>Waiting</place><place>Idle</place></place-bound>"),
    ];
    fs::write(&file, format!("<property-set>{}</property-set>", text.concat())).expect("a file");
    let path = file.to_str().expect("a name");
    let found = json(&["check", NET, "--properties", path, "--format", "json"]);
    let all = found["results"].as_array().expect("results");
    let shown = |one: &Value| {
        ["name", "verdict", "answer", "formula"]
            .map(|key| one[key].as_str().unwrap_or("").to_owned())
    };
    let expected = [
        ["waits", "violated", "FALSE", "F (2 <= tokens(Waiting))"],
        ["some", "violated", "TRUE", "G !(2 <= tokens(Waiting))"],
        ["bound", "holds", "3", "G (tokens(Waiting, Idle) <= 3)"],
    ];
    assert_eq!(
        all.iter().map(shown).collect::<Vec<_>>(),
        expected.map(|one| one.map(str::to_owned))
    );
    let results = results("answers.json", &found);
    for name in ["waits", "some"] {
        let ran = ask(&["replay", NET, results.path(), "--result", name]);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.out, ran.err);
    }
    for [.., formula] in expected {
        let ran = ask(&["check", NET, formula]);
        assert!(matches!(ran.code, Some(0 | 1)), "{formula}: {}", ran.err);
    }
    fs::remove_file(file).expect("it was written");
}

/// A random run is the same as text and as JSON, and is one of the net.
#[test]
fn nets_are_simulated() {
    let options = ["simulate", NET, "--random", "7", "--steps", "40"];
    let (text, again) = (ask(&options), ask(&options));
    assert_eq!(text.code, Some(0), "{}", text.err);
    assert_eq!(text.out, again.out);
    let found = json(&[&options[..], &["--format", "json"]].concat());
    let schema = published("simulate");
    assert_eq!(schema::check(&schema, &schema, &found, ""), Ok(()));
    assert_eq!(found["result"], "done");
    let steps = found["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 40);
    for (k, step) in steps.iter().enumerate() {
        let colour = step["args"][0].as_str().expect("a colour");
        let line = format!("\n{} {}({colour})\n", k + 1, step["event"].as_str().expect("a name"));
        assert!(text.out.contains(&line), "{line}: {}", text.out);
    }
    // The run as one that ends: the judge follows it, and only then says that its end is not dead.
    let run = serde_json::json!({ "stem": steps, "cycle": [], "end": found["end"] });
    let result = serde_json::json!({ "name": null, "kind": "deadlock", "formula": null,
        "verdict": "violated", "counterexample": run });
    let file = results(
        "walk.json",
        &serde_json::json!({
        "schema": 1, "model": NET, "constants": {}, "results": [result] }),
    );
    let ran = ask(&["replay", NET, file.path()]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("the last state is no deadlock"), "{}", ran.err);
    let session = run_with(&["simulate", NET], b"2\ntrace\nundo\nquit\n");
    assert_eq!(session.code, Some(0), "{}", session.err);
    assert!(
        session.out.contains("1 ask(2)\n  Idle: (1) + (2) + (3) -> (1) + (3)"),
        "{}",
        session.out
    );
}

fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    run(isonomy(arguments), input)
}

/// A report has the run, its formula and its automaton.
#[test]
fn nets_have_reports() {
    let page = scratch("net.html");
    let path = page.to_str().expect("a name");
    let formula = "G (@ask(1) -> F @take(1))";
    let (code, out) = said(&[formula, "--report", path], 9);
    assert_eq!(code, Some(1), "{out}");
    let text = fs::read_to_string(&page).expect("a report");
    let data = text.split("type=\"application/json\">").nth(1).expect("the data");
    let data: Value =
        serde_json::from_str(data.split("</script>").next().expect("its end")).expect("JSON");
    let run = &data[0];
    assert_eq!(run["places"], serde_json::json!(["Idle", "Waiting", "Working", "Free"]));
    assert_eq!(run["processes"], serde_json::json!([]));
    assert!(run["events"].as_array().expect("events").contains(&"ask(1)".into()), "{run}");
    assert!(run["automaton"].is_object() && run["parts"][0]["text"].is_string(), "{run}");
    assert!(text.contains("isonomy print NET"), "{text}");
    fs::remove_file(page).expect("it was written");
}

#[test]
fn the_contest_has_its_own_lines() {
    let file = scratch("contest.xml");
    let waiting = "<tokens-count><place>Waiting</place></tokens-count>";
    let bound = format!(
        "<property-set><property><id>clients-Bound</id><formula>\
         <place-bound><place>Waiting</place></place-bound></formula></property>\
         <property><id>clients-Reach</id><formula><exists-path><finally><integer-le>\
         <integer-constant>3</integer-constant>{waiting}</integer-le></finally></exists-path></formula>\
         </property></property-set>"
    );
    fs::write(&file, bound).expect("a file");
    let asked = ["--properties", file.to_str().expect("a name"), "--format", "mcc"];
    let (code, out) = said(&[&asked[..], &["--deadlock", "stuck"]].concat(), 9);
    assert_eq!(code, Some(0), "{out}");
    let mut lines: Vec<_> = out.lines().map(|line| line.split(" TECHNIQUES").next()).collect();
    lines.sort_unstable();
    let expected = [
        "FORMULA clients-Bound 3",
        "FORMULA clients-Reach TRUE",
        "FORMULA clients-ReachabilityDeadlock FALSE",
    ];
    assert_eq!(lines, expected.map(Some));
    let explored = ask(&["explore", NET, "--format", "mcc"]);
    assert!(explored.out.starts_with("STATE_SPACE STATES 20 TECHNIQUES"), "{}", explored.out);
    fs::remove_file(file).expect("it was written");
}

/// What nets cannot be asked is refused, with the name of the option; nothing is ignored.
#[test]
fn what_is_not_for_nets_is_refused() {
    let refused: [&[&str]; 8] = [
        &["--property", "p"],
        &["--paranoid"],
        &["-D", "N=3"],
        &["--symmetry", "fast"],
        &["--deadlock", "stuttering"],
        &["--fairness", "all"],
        &["--fairness", "weak"],
        &["--shortest", "--fairness", "global"],
    ];
    for options in refused {
        let (code, out) = said(&[&["G F @take"], options].concat(), 9);
        assert_eq!(code, Some(2), "{options:?}: {out}");
        let is_named = out.contains(options[0]) || out.contains("no processes to be fair to");
        assert!(out.starts_with("error: ") && is_named, "{options:?}: {out}");
    }
    let shortened = ["--shortest", "--fairness", "global", "--symmetry", "off"];
    let (code, out) = said(&[&["G F @take"], &shortened[..]].concat(), 9);
    assert_eq!(code, Some(0), "{out}");
    for command in ["simulate", "replay"] {
        let file: &[&str] = if command == "replay" { &["results.json"] } else { &[] };
        let ran = ask(&[&[command, NET], file, &["-D", "N=3"]].concat());
        assert_eq!(ran.code, Some(2), "{command}: {}", ran.err);
    }
    let model = ask(&["print", "fixtures/models/peterson.m", "--properties", "p.xml"]);
    assert_eq!(model.code, Some(2), "{}", model.err);
}

/// Mistakes in formulas and files are shown in their places.
#[test]
fn mistakes_are_underlined() {
    let wrong = "error: the net has no place `Wrking`
 --> formula:1:4
  1 | G (tokens(Wrking) <= 1)
    |    ^^^^^^^^^^^^^^^^^^^
    = help: places: Idle, Waiting, Working, Free";
    assert_eq!(said(&["G (tokens(Wrking) <= 1)"], 9), (Some(2), wrong.to_owned()));
    let file = scratch("broken.pnml");
    let text = fs::read_to_string(support::root().join(NET)).expect("a net");
    let broken = text.replacen("refvariable=\"x\"", "refvariable=\"z\"", 1);
    fs::write(&file, broken).expect("a file");
    let done = ask(&["check", file.to_str().expect("a name"), "dead"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.starts_with("error: there is no variable `z`\n"), "{}", done.err);
    assert!(done.err.contains("<variable refvariable=\"z\"/>"), "{}", done.err);
    fs::remove_file(file).expect("it was written");
}

/// The small nets of our own.
const NETS: [&str; 4] = ["clients", "post", "relay", "workshop"];

/// A printed net as a file, which is removed in the end.
struct Model(PathBuf);

impl Model {
    fn of(net: &str, properties: &[&str]) -> Model {
        let files = properties.iter().flat_map(|file| ["--properties", file]);
        let printed = ask(&["print", net].into_iter().chain(files).collect::<Vec<_>>());
        assert_eq!(printed.code, Some(0), "{net}: {}", printed.err);
        let model = Model(scratch("printed.m"));
        fs::write(&model.0, printed.out).expect("a file");
        model
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a name")
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // What is left behind does no harm.
        let _ = fs::remove_file(&self.0);
    }
}

/// A printed net has the markings and steps of the net, and its runs can be simulated.
#[test]
fn a_printed_net_is_the_same_system() {
    for name in NETS {
        let net = format!("fixtures/nets/{name}.pnml");
        let model = Model::of(&net, &[]);
        let counts = |path: &str, first: &str, second: &str| {
            let explored = ask(&["explore", path]);
            let number = |label: &str| {
                let line = explored.out.lines().find_map(|line| line.trim().strip_prefix(label));
                let number =
                    line.and_then(|rest| rest.split([',', ' ']).find(|one| !one.is_empty()));
                number
                    .unwrap_or_else(|| panic!("{path}: {} {}", explored.out, explored.err))
                    .to_owned()
            };
            (number(first), number(second))
        };
        let expected = counts(&net, "markings", "steps");
        assert_eq!(counts(model.path(), "states", "rules fired"), expected, "{name}");
        let walked = ask(&["simulate", model.path(), "--random", "7", "--steps", "5"]);
        assert_eq!(walked.code, Some(0), "{name}: {}", walked.err);
    }
}

/// The formulas of a property file have the same verdicts of the model that is printed.
#[test]
fn formulas_are_printed_with_a_net() {
    let file = scratch("questions.xml");
    let waiting = "<tokens-count><place>Waiting</place></tokens-count>";
    let some = format!("<integer-le><integer-constant>1</integer-constant>{waiting}</integer-le>");
    let fires =
        "<is-fireable><transition>take</transition><transition>leave</transition></is-fireable>";
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let text = [
        property("waits", &format!("<all-paths><finally>{some}</finally></all-paths>")),
        property("fires", &format!("<all-paths><globally>{fires}</globally></all-paths>")),
        property("reached", &format!("<exists-path><finally>{some}</finally></exists-path>")),
        property("bound", "<place-bound><place>Waiting</place></place-bound>"),
    ];
    fs::write(&file, format!("<property-set>{}</property-set>", text.concat())).expect("a file");
    let model = Model::of(NET, &[file.to_str().expect("a name")]);
    let text = fs::read_to_string(&model.0).expect("a model");
    assert!(text.contains("-- `bound` asks for a number\n"), "{text}");
    let found = json(&["check", model.path(), "--format", "json"]);
    let verdicts = found["results"].as_array().expect("results").iter();
    let verdicts: Vec<(&str, &str)> = verdicts
        .map(|one| (one["name"].as_str().expect("a name"), one["verdict"].as_str().expect("one")))
        .collect();
    assert_eq!(verdicts, [("waits", "holds"), ("fires", "violated"), ("reached", "violated")]);
    fs::remove_file(file).expect("it was written");
}

/// Asks the questions of a category of the model that a net is printed as; returns how many there are.
fn printed(instance: &Instance, files: &Unpacked, category: &str) -> usize {
    let kind = CATEGORIES.iter().find_map(|(name, file)| (*name == category).then_some(*file));
    let properties = files.file(&format!("{}.xml", kind.flatten().expect("a property file")));
    let net = files.file("model.pnml");
    let path = |path: &Path| path.to_str().expect("a name").to_owned();
    let model = Model::of(&path(&net), &[&path(&properties)]);
    let found = json(&["check", model.path(), "--format", "json"]);
    let expected = &instance.answers[category];
    let mut agreed = 0;
    for result in found["results"].as_array().expect("results") {
        let name = contest::question(&instance.name, result["name"].as_str().expect("a name"));
        let Some(answer) = expected.get(&name) else { continue };
        let verdict = if answer == "TRUE" { "holds" } else { "violated" };
        assert_eq!(result["verdict"], verdict, "{} {name}", instance.name);
        agreed += 1;
    }
    assert_eq!(agreed, expected.len(), "{} {category}", instance.name);
    agreed
}

/// Small nets of the Model Checking Contest: all answers are known, with symmetry and without.
#[test]
fn a_sample_of_the_contest_is_answered_as_others_do() {
    let Some(corpus) = support::needs::beside("shared/corpus/mcc") else { return };
    if !support::needs::programs(&["tar"]) {
        return;
    }
    let samples: [(&str, &[&str], &[&str]); 2] = [
        (
            "plain",
            &[
                "CircularTrains-PT-012",
                "Philosophers-PT-000005",
                "ResAllocation-PT-R003C003",
                "RobotManipulation-PT-00001",
                "ShieldRVs-PT-001A",
                "TwoPhaseLocking-PT-nC00004vN",
            ],
            &["auto"],
        ),
        (
            "coloured",
            &[
                "DatabaseWithMutex-COL-02",
                "LamportFastMutEx-COL-2",
                "NeoElection-COL-2",
                "Philosophers-COL-000005",
                "TokenRing-COL-005",
            ],
            &["auto", "off"],
        ),
    ];
    let binary = Path::new(env!("CARGO_BIN_EXE_isonomy"));
    let mut agreed = 0;
    for (kind, names, symmetries) in samples {
        let instances = contest::instances(&corpus.join(kind));
        for name in names {
            let instance = instances.iter().find(|one| one.name == *name).expect("an instance");
            let files = Unpacked::new(instance);
            let categories = CATEGORIES.map(|(category, _)| category).into_iter();
            for category in categories.filter(|one| instance.answers.contains_key(*one)) {
                for symmetry in symmetries {
                    let options = contest::Options { seconds: 120, memory: "4G", symmetry };
                    let found = contest::ask(binary, instance, &files, category, options);
                    assert!(found.wrong.is_empty(), "{name} {category}: {:?}", found.wrong);
                    assert_eq!(found.end, End::Complete, "{name} {category} {symmetry}");
                    agreed += found.agreed;
                }
                if contest::is_temporal(category) {
                    agreed += printed(instance, &files, category);
                }
            }
        }
    }
    assert!(agreed > 1500, "{agreed}");
}
