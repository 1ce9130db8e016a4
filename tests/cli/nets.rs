//! Petri nets on the command line.

use super::binary::{Run, isonomy, run, scratch};
use std::fs;

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
        &["--certificate", "net.cert"],
        &["--property", "p"],
        &["--paranoid"],
        &["-D", "N=3"],
        &["--symmetry", "fast"],
        &["--deadlock", "stuttering"],
        &["--fairness", "all"],
        &["--fairness", "weak"],
    ];
    for options in refused {
        let (code, out) = said(&[&["G F @take"], options].concat(), 9);
        assert_eq!(code, Some(2), "{options:?}: {out}");
        let is_named = out.contains(options[0]) || out.contains("no processes to be fair to");
        assert!(out.starts_with("error: ") && is_named, "{options:?}: {out}");
    }
    for command in ["simulate", "print"] {
        let done = ask(&[command, NET]);
        assert_eq!(done.code, Some(2), "{command}: {}", done.err);
        assert!(done.err.contains("is not for Petri nets"), "{command}: {}", done.err);
    }
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
