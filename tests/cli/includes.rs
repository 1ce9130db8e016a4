//! Models in several files: what is included, and where messages point.

use super::binary::{check, isonomy, json, published, run, scratch, transcript};
use serde_json::{Value, json};
use std::fs;
use support::{golden, schema};

const LOCK: &str = "fixtures/cli/included/lock.m";

/// Messages about files of `fixtures/cli/included/wrong`, each with the exit code.
const WRONG: [(&str, i32, &[&str]); 5] = [
    ("syntax", 2, &["describe"]),
    ("names", 2, &["describe"]),
    ("outer", 2, &["print"]),
    ("inside", 2, &["describe"]),
    ("fails", 1, &["check"]),
];

#[test]
fn messages_point_into_the_right_file() {
    let mut kept = golden::Folder::new("fixtures/cli/included/golden");
    for (name, code, command) in WRONG {
        let file = format!("fixtures/cli/included/wrong/{name}.m");
        let found = run(isonomy(&[command, &[&file]].concat()), b"");
        assert_eq!(found.code, Some(code), "{name}\n{}", transcript(&found));
        kept.compare(&format!("{name}.txt"), "", &found.err);
    }
    let found = run(isonomy(&["print", LOCK]), b"");
    kept.compare("lock.print.txt", "", &transcript(&found));
    let found = run(isonomy(&["describe", LOCK]), b"");
    kept.compare("lock.describe.txt", "", &transcript(&found));
    kept.finish_with_all();
}

/// What is printed is the same model: the same answers, and the same certificate.
#[test]
fn the_files_are_one_model() {
    let printed = run(isonomy(&["print", LOCK]), b"").out;
    assert!(!printed.to_ascii_lowercase().contains("include \""), "{printed}");
    let one = scratch("one.m");
    fs::write(&one, &printed).expect("a file");
    let one = one.to_str().expect("a path");
    let results = |model: &str| json(&["check", model, "--format", "json"])["results"].clone();
    // Times differ, and lines are broken where the printer breaks them.
    let stripped = |mut results: Value| {
        for one in results.as_array_mut().expect("a list") {
            let formula = one["formula"].as_str().unwrap_or_default();
            let words: Vec<_> = formula.split_whitespace().collect();
            one["formula"] = json!(words.join(" "));
            for measured in ["time_us", "peak_rss_bytes", "peak_memory_bytes"] {
                one["stats"][measured] = json!(0);
            }
        }
        results
    };
    assert_eq!(stripped(results(LOCK)), stripped(results(one)));
    let (certificate, result) = (scratch("lock.cert"), scratch("lock.json"));
    let certificate = certificate.to_str().expect("a path");
    let found =
        run(isonomy(&["check", LOCK, "-p", "exclusion", "--certificate", certificate]), b"");
    assert_eq!(found.code, Some(0), "{}", transcript(&found));
    // The text of the model is what counts, not how it is divided.
    for model in [LOCK, one] {
        let found = run(isonomy(&["verify", model, certificate]), b"");
        assert_eq!(found.code, Some(0), "{}", transcript(&found));
    }
    let formula = "forall c: client. G st[c] != Inside";
    let found = run(isonomy(&["check", LOCK, formula, "--format", "json"]), b"");
    assert_eq!(found.code, Some(1), "{}", transcript(&found));
    fs::write(&result, found.out).expect("a file");
    for model in [LOCK, one] {
        let found = run(isonomy(&["replay", model, result.to_str().expect("a path")]), b"");
        assert_eq!(found.code, Some(0), "{}", transcript(&found));
    }
}

/// Who calls the library puts texts together before.
#[test]
fn a_text_alone_includes_nothing() {
    let text = "include \"types.m\"; var x: 0..1 := 0; rule x := 1 - x end";
    let errors = isonomy::model::check(text, &[]).expect_err("it is refused").model;
    let messages: Vec<_> = errors.iter().map(|one| (&one.message[..], one.span.start)).collect();
    assert_eq!(messages, [("this text is in no file, so that it cannot include one", 0)]);
}

#[test]
fn standard_input_includes_files_of_a_directory() {
    let model = "include \"parts/clients.m\"; include \"parts/steps.m\"; var taken: boolean;";
    let directory = "fixtures/cli/included";
    let with = |command: &'static str| [command, "-", "--include-dir", directory];
    check(&[
        (&with("print"), model, 0, "scalarset(N)", ""),
        (&with("explore"), model, 0, "no violation in 20 states", ""),
        (
            &["print", "-"],
            model,
            2,
            "",
            "standard input cannot include a file\n --> standard input:1:9",
        ),
        (&["print", "-"], model, 2, "", "say with `--include-dir DIR` in which directory"),
        (&["print", LOCK, "--include-dir", "."], "", 2, "", "is for a model from standard input"),
        (
            &["describe", "-", "--include-dir", "fixtures/nowhere"],
            model,
            2,
            "",
            "cannot read `fixtures/nowhere/parts/clients.m`: no such file",
        ),
        (
            &["describe", "-", "--include-dir", "fixtures"],
            "include \"cli\";",
            2,
            "",
            "cannot read `fixtures/cli`",
        ),
        (
            &with("describe"),
            "include \"-\"; var x: 0..1;",
            2,
            "",
            "cannot read `fixtures/cli/included/-`: no such file",
        ),
    ]);
}

#[test]
fn programs_are_told_the_file() {
    let message = published("message");
    let file = "fixtures/cli/included/wrong/names.m";
    let found = run(isonomy(&["describe", file, "--message-format", "json"]), b"");
    let lines = found.err.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let messages: Vec<Value> = lines.collect();
    assert!(messages.len() > 1, "{}", found.err);
    for one in &messages {
        assert_eq!(schema::check(&message, &message, one, ""), Ok(()), "{one}");
    }
    let uses = "fixtures/cli/included/wrong/uses.m";
    let places: Vec<_> = messages.iter().map(|one| (&one["file"], &one["span"]["start"])).collect();
    assert!(
        places.contains(&(&json!(uses), &json!({ "line": 3, "column": 8, "offset": 80 }))),
        "{places:?}"
    );

    let (describe, explore) = (published("describe"), published("explore"));
    let described = json(&["describe", LOCK, "--format", "json"]);
    assert_eq!(schema::check(&describe, &describe, &described, ""), Ok(()));
    let start = &described["start_states"][0];
    let place = (&start["file"], &start["line"]);
    assert_eq!(place, (&json!("fixtures/cli/included/parts/clients.m"), &json!(6)));
    assert_eq!(described["formulas"][0].get("file"), None);
    let fails = "fixtures/cli/included/wrong/fails.m";
    let explored = json(&["explore", fails, "--format", "json"]);
    assert_eq!(schema::check(&explore, &explore, &explored, ""), Ok(()));
    assert_eq!(
        explored["violations"][0]["location"]["file"],
        json!("fixtures/cli/included/wrong/division.m")
    );
    let simulate = published("simulate");
    let walked = json(&["simulate", fails, "--random", "1", "--format", "json"]);
    assert_eq!(schema::check(&simulate, &simulate, &walked, ""), Ok(()));
    assert_eq!(walked["file"], json!("fixtures/cli/included/wrong/division.m"));
}

#[test]
fn reports_show_all_files() {
    let page = scratch("included.html");
    let name = page.to_str().expect("a path");
    let fails = "fixtures/cli/included/wrong/fails.m";
    let found = run(isonomy(&["check", fails, "--report", name]), b"");
    assert_eq!(found.code, Some(1), "{}", transcript(&found));
    let page = fs::read_to_string(&page).expect("a page");
    for part in [
        "href=\"#file-2-line-2\"",
        "id=\"file-2-line-2\"",
        "id=\"line-3\"",
        "<h3>fixtures/cli/included/wrong/division.m</h3>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
