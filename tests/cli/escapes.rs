//! Characters that cannot be seen: whatever input they come from, text shows them by their numbers.

use super::binary::{Run, isonomy, run, scratch, transcript};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use support::many;

/// Characters that could do something to a terminal, or to what is read there. Line ends and tabs are
/// part of the layout.
fn is_hidden(c: char) -> bool {
    let is_layout = c == '\n' || c == '\t';
    let bidirectional = ['\u{61c}', '\u{200e}', '\u{200f}'];
    (c.is_control() && !is_layout)
        || bidirectional.contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c)
        || ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2028}', '\u{2029}', '\u{feff}']
            .contains(&c)
}

/// All of them, line ends and tabs included: all controls, and some others.
fn all() -> Vec<char> {
    let all = (0..=0xffff).filter_map(char::from_u32);
    all.filter(|&c| is_hidden(c) || c == '\n' || c == '\t').collect()
}

fn check(found: &Run, what: &str) {
    let printed = transcript(found);
    assert!(!printed.contains(is_hidden), "{what}\n{printed:?}");
    assert!(matches!(found.code, Some(0..=3)), "{what}: exit {:?}\n{printed}", found.code);
}

/// A model in which each of them is in names and texts of every kind.
fn model() -> String {
    let mut text = "var x: 0..1; last: boolean;\n".to_owned();
    for (k, c) in all().into_iter().enumerate() {
        let _ = writeln!(
            text,
            "startstate \"s{k}{c}\" x := 0; last := false; end;
             rule \"r{k}{c}\" put \"p{k}{c}\"; put x; x := 1 - x; end;
             invariant \"i{k}{c}\" x = {};
             cover \"c{k}{c}\" x = 2 - 2;
             ltl \"f{k}{c}\": G (x = 0 -> F x = 1);
             ltl \"v{k}{c}\": G x = 0;
             justice \"j{k}{c}\": x = 0;",
            if k % 2 == 0 { "0" } else { "x" }
        );
    }
    text += "rule \"fails\" last ==> error \"e\u{1b}[2J\u{202e}\"; end;\n";
    text += "rule \"again\" !last ==> last := true; end;\n";
    text
}

fn written(name: &str, text: &str) -> String {
    let file = scratch(name);
    fs::write(&file, text).expect("a file");
    file.to_str().expect("a path").to_owned()
}

#[test]
fn names_and_texts_of_models() {
    let file = written("hidden.m", &model());
    for arguments in [
        &["describe"][..],
        &["explore"],
        &["check", "--max-states", "100"],
        &["check", "--fairness", "weak", "--full-states", "--max-states", "100"],
        &["simulate", "--random", "3", "--steps", "40"],
        &["check", "--log", "debug", "--stats", "--progress", "always", "-p", "v3\u{3}"],
    ] {
        let arguments = [&arguments[..1], &[&file[..]], &arguments[1..]].concat();
        let found = run(isonomy(&arguments), b"");
        check(&found, &format!("{arguments:?}"));
        assert!(transcript(&found).contains("\\u{"), "{arguments:?}\n{}", transcript(&found));
    }
    // Every character is shown in some way.
    let found = run(isonomy(&["describe", &file]), b"");
    for c in all().into_iter().filter(|&c| is_hidden(c)) {
        let shown: String = c.escape_default().collect();
        assert!(found.out.contains(&shown), "{shown}");
    }
}

/// JSON means what it meant, and has nothing hidden in it either.
#[test]
fn names_in_json() {
    let file = written("hidden.m", &model());
    for arguments in [
        &["describe", &file, "--format", "json"][..],
        &["explore", &file, "--format", "json"],
        &["check", &file, "--format", "json", "--max-states", "100"],
        &["simulate", &file, "--random", "3", "--steps", "40", "--format", "json"],
        &["check", &file, "-p", "none\u{9b}\u{202e}", "--message-format", "json"],
    ] {
        let found = run(isonomy(arguments), b"");
        check(&found, &format!("{arguments:?}"));
        let json = if found.out.is_empty() { &found.err } else { &found.out };
        let _: Value = serde_json::from_str(json).expect("JSON");
    }
    let found = run(isonomy(&["describe", &file, "--format", "json"]), b"");
    let described: Value = serde_json::from_str(&found.out).expect("JSON");
    let properties = described["properties"].as_array().expect("a list");
    let names: Vec<&str> = properties.iter().filter_map(|one| one["name"].as_str()).collect();
    for (k, c) in all().into_iter().enumerate() {
        assert!(names.contains(&&*format!("i{k}{c}")), "{c:?}");
    }
}

#[test]
fn names_in_files() {
    let file = written("hidden.m", &model());
    for (command, option) in [("check", "--report"), ("explore", "--dot"), ("explore", "--svg")] {
        let to = scratch("shown");
        let name = to.to_str().expect("a path");
        let found = run(isonomy(&[command, &file, option, name]), b"");
        check(&found, option);
        let page = fs::read_to_string(&to).expect("it was written");
        assert!(!page.contains(is_hidden), "{option}\n{page:?}");
    }
}

#[test]
fn paths_formulas_and_options() {
    const MUTEX: &str = "fixtures/cli/mutex.m";
    let all = all();
    many::in_parallel(all.len() as u64, |k| {
        let c = all[k as usize];
        if c == '\0' {
            return;
        }
        let path = written(
            &format!("a{c}b.m"),
            "var x: 0..2; startstate x := 0; end; rule x := x + 1; end;",
        );
        let missing = format!("no{c}where.m");
        let (formula, atom) = (format!("G x{c}"), format!("G \"x{c}\""));
        let (constant, name) = (format!("N{c}=1"), format!("na{c}me"));
        for arguments in [
            &["check", &path][..],
            &["check", &path, "F x = 2", "--report", &format!("{path}.html")],
            &["explore", &path, "--dot", &format!("nowhere/{name}")],
            &["describe", &missing],
            &["check", MUTEX, &formula],
            &["check", MUTEX, &atom],
            &["check", MUTEX, "-p", &name],
            &["describe", MUTEX, "-D", &constant],
            &["describe", MUTEX, "-D", &format!("Clients={c}2")],
            &["describe", MUTEX, "--trace", &name],
            &["automaton", &formula, "--format", "nothing"],
            &["automaton", &format!("G (x{c}")],
            &["formula", "G x", "--syntax", &name],
            &["formula", &format!("{c}")],
            &["replay", MUTEX, &missing],
            &["check", MUTEX, "--fairness", &name],
            &[&name],
            &[&format!("--{name}")],
        ] {
            let found = run(isonomy(arguments), b"");
            check(&found, &format!("{arguments:?}"));
            if arguments[0] != "automaton" {
                let found = run(isonomy(&[arguments, &["--color", "always"]].concat()), b"");
                let printed = transcript(&found).replace("\x1b[", "");
                assert!(!printed.contains(is_hidden), "{arguments:?} in colour\n{printed:?}");
            }
        }
        let mut command = isonomy(&["describe", MUTEX]);
        command.env("ISONOMY_LOG", format!("{c}=nothing"));
        check(&run(command, b""), "ISONOMY_LOG");
    });
}

#[test]
fn what_is_typed() {
    const MUTEX: &str = "fixtures/cli/mutex.m";
    for c in all() {
        let keys = format!("1\n{c}\n1{c}2\nx{c}y z{c}\n?\n1\nq\n");
        check(&run(isonomy(&["simulate", MUTEX]), keys.as_bytes()), &format!("{c:?}"));
        check(&run(isonomy(&["describe", "-"]), keys.as_bytes()), &format!("{c:?}"));
    }
}

#[test]
fn results_to_replay() {
    const MUTEX: &str = "fixtures/cli/mutex.m";
    let found = run(isonomy(&["check", MUTEX, "F false", "--format", "json"]), b"");
    let original: Value = serde_json::from_str(&found.out).expect("JSON");
    let all = all();
    many::in_parallel(all.len() as u64, |k| {
        let c = all[k as usize];
        let text = format!("a{c}b");
        let step = "/results/0/counterexample/stem/0";
        for pointer in [
            "/schema",
            "/results/0/name",
            "/results/0/kind",
            "/results/0/formula",
            "/results/0/fairness",
            "/results/0/verdict",
            &format!("{step}/event"),
            &format!("{step}/process"),
            &format!("{step}/args"),
            &format!("{step}/state"),
        ] {
            let mut changed = original.clone();
            let Some(place) = changed.pointer_mut(pointer) else { continue };
            *place = json!(text);
            let found = run(isonomy(&["replay", MUTEX, "-"]), changed.to_string().as_bytes());
            check(&found, &format!("{pointer} {text:?}"));
            let arguments = ["replay", MUTEX, "-", "--result", &text.replace('\0', "0")];
            check(&run(isonomy(&arguments), changed.to_string().as_bytes()), "--result");
        }
        let mut changed = original.clone();
        changed["results"][0][&text] = json!(1);
        changed["results"][0]["bindings"] = json!({ &text[..]: text });
        let found = run(isonomy(&["replay", MUTEX, "-"]), changed.to_string().as_bytes());
        check(&found, "a key");
        check(&run(isonomy(&["replay", MUTEX, "-"]), text.as_bytes()), "not JSON");
    });
}

/// Our own colours get through, and no others.
#[test]
fn colours_cannot_be_forged() {
    let text = "var x: 0..1; startstate x := 0; end; rule \"r\x1b[1;31m\" x := 1 - x; end;
        ltl \"n\x1b[1;31mfake\x1b[0m\": G x = 0; invariant \"m\x1b[1mfake\" x = 0;";
    let file = written("forged.m", text);
    for command in ["check", "explore"] {
        let found = run(isonomy(&[command, &file, "--color", "always"]), b"");
        let printed = transcript(&found);
        assert!(printed.contains("\x1b[1;31mviolated\x1b[0m"), "{printed:?}");
        assert!(
            printed.contains("\\u{1b}[1mfake") || printed.contains("\u{fffd}[1mfake"),
            "{printed:?}"
        );
        let fakes: Vec<_> = printed.match_indices("fake").map(|(at, _)| at).collect();
        assert!(!fakes.is_empty());
        for at in fakes {
            assert!(
                !printed[..at].ends_with("\x1b[1;31m") && !printed[..at].ends_with("\x1b[1m"),
                "{printed:?}"
            );
        }
    }
}
