//! Petri nets on the command line.

use super::binary::{Run, isonomy, json, run, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use support::contest::{self, CATEGORIES, End, Instance, Unpacked};

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
    -- the cycle starts here
         Idle = (1) + (2) + (3)
         Free = 1
    1. ask(2)
         Idle = (1) + (3)
         Waiting = (2)";
    assert_eq!(said(&["G F @take(1)"], 7), (Some(1), changes.to_owned()));
    let all = format!("{changes}\n         Free = 1");
    assert_eq!(said(&["G F @take(1)", "--full-states"], 8), (Some(1), all));
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
    let refused: [&[&str]; 10] = [
        &["--format", "json"],
        &["--report", "report.html"],
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
    let simulated = ask(&["simulate", NET]);
    assert_eq!(simulated.code, Some(2), "{}", simulated.err);
    assert!(simulated.err.contains("is not for Petri nets"), "{}", simulated.err);
    assert!(simulated.err.contains("isonomy print"), "{}", simulated.err);
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

/// What can be asked of the model that is printed, but not of the net: JSON, reports, replay.
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
