//! Reports: the page itself, and what a browser makes of it.
//!
//! In a real browser, where there is one, the page is walked through with keys and mouse, and must show what the JSON
//! output says, row by row.

#![allow(clippy::print_stderr, reason = "a time is for the reader of the test's output")]

mod chromium;

use super::binary::{Run, isonomy, run};
use chromium::Browser;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::needs;

const SIMPLE: &str = "fixtures/models/resource_simple.m";
const WINDOW: (u32, u32) = (1400, 1000);

/// A model and a check of it, as JSON and as a page.
struct Checked {
    json: Value,
    page: String,
    file: PathBuf,
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

fn check(name: &str, arguments: &[&str]) -> Checked {
    let file = scratch(&format!("{name}.html"));
    let path = file.display().to_string();
    let mut all = vec!["check", "--format", "json", "--report", &path];
    all.extend(arguments);
    let Run { code, out, err } = run(isonomy(&all), b"");
    assert!(matches!(code, Some(0 | 1 | 3)), "{arguments:?}: {code:?}\n{err}");
    let page = fs::read_to_string(&file).expect("the report");
    Checked { json: serde_json::from_str(&out).expect("JSON"), page, file }
}

/// A model of this text.
fn model(name: &str, text: &str) -> String {
    let file = scratch(name);
    fs::write(&file, text).expect("room for a model");
    file.display().to_string()
}

fn browser(name: &str) -> Option<Browser> {
    let found = Browser::start(name);
    if found.is_none() {
        needs::lack("chromium");
    }
    found
}

/// The simple parts of a value, by their designators.
fn leaves(place: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                leaves(&format!("{place}[{key}]"), part, found);
            }
        }
        Value::Null => drop(found.insert(place.to_owned(), "undefined".to_owned())),
        Value::String(text) => drop(found.insert(place.to_owned(), text.clone())),
        other => drop(found.insert(place.to_owned(), other.to_string())),
    }
}

fn state(value: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let empty = Map::new();
    for (name, value) in value.as_object().unwrap_or(&empty) {
        leaves(name, value, &mut found);
    }
    found
}

/// What the browser shows of the variables, of the k-th result.
fn shown(browser: &mut Browser, result: usize) -> BTreeMap<String, String> {
    let rows = browser.evaluate(&format!(
        "[...document.querySelectorAll('#result-{result} .variable')].map((row) => \
         [row.querySelector('.place').textContent, row.querySelector('.value').textContent])"
    ));
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].as_str().unwrap().to_owned()))
        .collect()
}

/// A step as it is written in the page.
fn label(step: &Value) -> String {
    let argument =
        |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let (Some(process), Some(event)) = (step["process"].as_str(), step["event"].as_str()) else {
        return "no process is enabled".to_owned();
    };
    let event =
        if ltl::atoms::is_identifier(event) { event.to_owned() } else { ltl::atoms::quoted(event) };
    let arguments: Vec<_> = step["args"].as_array().expect("a list").iter().map(argument).collect();
    let arguments =
        if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    format!("{process}: {event}{arguments}")
}

/// Walks through the run of a result with the arrow key, twice round its loop, and compares what is shown.
fn walk(browser: &mut Browser, checked: &Checked, result: usize) -> usize {
    let counterexample = &checked.json["results"][result - 1]["counterexample"];
    let steps = |part: &str| counterexample[part].as_array().expect("steps").clone();
    let (stem, cycle) = (steps("stem"), steps("cycle"));
    let rows = stem.len() + cycle.len();
    browser.click(&format!("#result-{result} .step"));
    let mut row = 0;
    let mut at = 0;
    for time in 0..=stem.len() + 2 * cycle.len() {
        let all: Vec<&Value> = stem.iter().chain(&cycle).collect();
        let expected = if at < rows { &all[at]["state"] } else { &counterexample["end"] };
        assert_eq!(shown(browser, result), state(expected), "row {row} at time {time}");
        let status = browser.text(&format!("#result-{result} .status"));
        if row > 0 {
            let step = label(all[row - 1]);
            assert!(
                status.starts_with(&format!("step {row} of {rows}: {step}")),
                "{status}, not {step}"
            );
        }
        let selected = browser.evaluate(&format!(
            "document.querySelector('#result-{result} .step[aria-selected=true]').dataset.row"
        ));
        assert_eq!(selected, row.to_string());
        browser.press("ArrowRight");
        row = if row < rows { row + 1 } else { stem.len() + 1 };
        at = if row < rows {
            row
        } else if cycle.is_empty() {
            rows
        } else {
            stem.len()
        };
    }
    rows
}

#[test]
fn a_browser_shows_the_runs_of_the_json_output() {
    let Some(mut browser) = browser("runs") else { return };
    for (name, arguments) in [
        ("simple", &[SIMPLE][..]),
        ("weak", &[SIMPLE, "--fairness", "weak"]),
        ("mutex", &["fixtures/cli/mutex.m"]),
        (
            "lock",
            &[
                "fixtures/cli/lock.m",
                "forall c: client. F st[c] = Working",
                "--ignore-declared-fairness",
            ],
        ),
        ("peterson", &["fixtures/models/peterson.m"]),
        ("wrong", &["fixtures/cli/wrong.m", "--deadlock", "stuttering"]),
        ("tokens", &["fixtures/cli/tokens.m"]),
    ] {
        let checked = check(name, arguments);
        browser.open(&checked.file, (1400, 3000));
        let results = checked.json["results"].as_array().expect("results");
        let verdicts = browser.texts("#results tbody .verdict");
        let expected: Vec<_> = results.iter().map(|one| one["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, expected, "{name}");
        for (k, result) in results.iter().enumerate() {
            if result["counterexample"].is_object()
                && result["counterexample"]["component"].is_null()
            {
                walk(&mut browser, &checked, k + 1);
            }
        }
        assert_eq!(browser.complaints(), &[] as &[String], "{name}");
        let url = format!("file://{}", checked.file.display());
        assert_eq!(browser.requests(), [url], "a page needs nothing but itself");
        browser.screenshot(&scratch(&format!("{name}.png")));
    }
}

/// Names as nobody would give them who means well.
const HOSTILE: &str = r#"-- </script><script>window.hacked = 'comment'</script>
const N: 2;
type proc: scalarset(N);
var busy: array [proc] of boolean;
startstate "<img src=x onerror=hacked=1>" for p: proc do busy[p] := false end end;
process p: proc do
  rule "</script><script>window.hacked='rule'</script>" true ==> busy[p] := !busy[p] end;
  rule "<!--<script>" true ==> busy[p] := false end;
end;
ltl "<b onclick=hacked=2>&amp;": G forall p: proc do !busy[p] end;
invariant "'\u003cscript\u003e" exists p: proc do !busy[p] end;
"#;

#[test]
fn nothing_that_was_read_is_markup() {
    let path = model("<i>hostile&lt;.m", HOSTILE);
    let formula = "F @\"</script><script>window.hacked='rule'</script>\"";
    let checked = check("hostile", &[&path, "-p", "<b onclick=hacked=2>&amp;", formula]);
    let page = &checked.page;
    // The data, the script of the page, and no other.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    for part in ["<img", "<b ", "<i>", "<!--"] {
        assert!(!page.contains(part), "{part}");
    }
    let Some(mut browser) = browser("hostile") else { return };
    browser.open(&checked.file, WINDOW);
    for _ in 0..4 {
        browser.press("ArrowRight");
    }
    assert_eq!(browser.evaluate("typeof hacked"), "undefined");
    assert_eq!(browser.complaints(), &[] as &[String]);
    let rows = browser.texts(".step .what");
    let names = ["</script><script>window.hacked='rule'</script>", "<!--<script>"];
    assert!(rows.iter().any(|row| names.iter().any(|name| row.contains(name))), "{rows:?}");
    assert!(browser.text("h1").contains("<i>hostile&lt;.m"));
    assert!(browser.text(".source").starts_with("-- </script><script>window.hacked = 'comment'"));
    // If markup did get in, the policy would still not let it run.
    browser.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'hacked = 3' }))",
    );
    assert_eq!(browser.evaluate("typeof hacked"), "undefined");
    browser.screenshot(&scratch("hostile.png"));
}

/// A ring of this many steps, and many variables that stay as they are.
fn ring(steps: u32) -> String {
    format!(
        "var x: 0..{last}; still: array [0..499] of boolean;\n\
         startstate x := 0; for k: 0..499 do still[k] := false end end;\n\
         rule \"tick\" true ==> x := (x + 1) % {steps}; still[x % 500] := !still[x % 500] end;\n\
         ltl \"low\": G F x = {last} -> F G x < 7;\n",
        last = steps - 1
    )
}

#[test]
fn a_run_of_ten_thousand_steps_costs_no_more_than_what_is_in_sight() {
    let path = model("ring.m", &ring(10_000));
    let checked = check("ring", &[&path]);
    let cycle = &checked.json["results"][0]["counterexample"]["cycle"];
    assert_eq!(cycle.as_array().map(Vec::len), Some(10_000));
    assert!(checked.page.len() < 2_000_000, "{} bytes", checked.page.len());
    let Some(mut browser) = browser("ring") else { return };
    browser.open(&checked.file, WINDOW);
    let elements = |browser: &mut Browser| {
        browser
            .evaluate("document.querySelector('.result').querySelectorAll('*').length")
            .as_u64()
            .unwrap()
    };
    assert!(elements(&mut browser) < 1500, "{}", elements(&mut browser));
    let time = browser.evaluate(
        "(() => { const began = performance.now(); for (let k = 0; k < 100; k++) \
         document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); \
         return (performance.now() - began) / 100; })()",
    );
    eprintln!("a step takes {time} ms");
    assert!(
        browser.text(".status").starts_with("step 100 of 10000"),
        "{}",
        browser.text(".status")
    );
    browser.press("End");
    assert!(browser.text(".status").starts_with("step 10000 of 10000"));
    browser.press("ArrowRight");
    assert!(browser.text(".status").ends_with("· loop, round 2"), "{}", browser.text(".status"));
    assert!(browser.text(".status").starts_with("step 1 of 10000"));
    browser.press("ArrowLeft");
    assert_eq!(shown(&mut browser, 1)["x"], "0");
    // A click into the middle of a strip.
    browser.click(".strip");
    let status = browser.text(".status");
    let step = status.split(' ').nth(1).and_then(|step| step.parse::<i32>().ok());
    // A pixel is several steps wide.
    assert!(step.is_some_and(|step| (step - 5000).abs() < 50), "{status}");
    assert!(elements(&mut browser) < 1500);
    browser.click(".filter input");
    browser.write("STILL 49");
    let names = browser.texts(".variable .place");
    assert!(names.len() == 15 && names.contains(&"still[49]".to_owned()), "{names:?}");
    browser.evaluate(
        "(() => { const one = document.querySelector('.filter select'); one.value = 'step'; \
                      one.dispatchEvent(new Event('change')); })()",
    );
    browser.evaluate("document.activeElement.blur()");
    browser.press("Home");
    for row in 0..=50 {
        // The filter leaves `still[49]`, which step 49 changes.
        let expected = if row == 49 { "1 of 501" } else { "0 of 501" };
        assert_eq!(browser.text(".filter .muted"), expected, "row {row}");
        browser.press("ArrowRight");
    }
    assert_eq!(browser.complaints(), &[] as &[String]);
}

/// Letters, truths and the states of the automaton, wherever one is in the run.
#[test]
fn the_formula_and_its_automaton_follow_the_run() {
    let Some(mut browser) = browser("formula") else { return };
    let checked = check("formula", &[SIMPLE, "-p", "eventual access", "--fairness", "weak"]);
    browser.open(&checked.file, (1400, 3000));
    let parts = browser.texts(".formulas code");
    let atom = |text: &str| parts.iter().position(|part| part == text).expect("an atom");
    let (requested, granted) = (atom("st[c] = R"), atom("st[c] = K"));
    let steps = checked.json["results"][0]["counterexample"]["stem"].as_array().unwrap().len();
    let (mut lit, mut places) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        let value = shown(&mut browser, 1)["st[client_0]"].clone();
        let truths = browser.texts(".truth");
        assert_eq!(truths[requested], if value == "R" { "✓" } else { "✗" });
        assert_eq!(truths[granted], if value == "K" { "✓" } else { "✗" });
        assert_eq!(truths[0], "✗", "the formula itself is false");
        let nodes = browser.evaluate(
            "[...document.querySelectorAll('.automaton .node.lit')].map((one) => one.dataset.node)",
        );
        assert_eq!(nodes.as_array().map(Vec::len), Some(1), "one state of the automaton is lit");
        lit.push(nodes[0].as_str().unwrap().to_owned());
        let edges = browser.evaluate("document.querySelectorAll('.automaton .edge.lit').length");
        assert_eq!(edges, 1);
        // The node of the state space says as many Rs as the state has.
        let node = browser.text(".space .node.lit");
        let count = |letter: &str| shown_values(&node).iter().filter(|one| **one == letter).count();
        let state = shown(&mut browser, 1);
        for letter in ["I", "R", "K"] {
            assert_eq!(
                count(letter),
                state.values().filter(|one| *one == letter).count(),
                "{node}"
            );
        }
        places.push(node);
        browser.press("ArrowRight");
    }
    assert_eq!(lit[0], "0");
    assert!(lit.contains(&"1".to_owned()), "it waits for ever: {lit:?}");
    places.dedup();
    assert!(places.len() > steps, "the run moves through the state space: {places:?}");
    // What is said about the run leads to it.
    browser.click("dd.why button");
    assert!(browser.text(".status").starts_with("step 1 of"), "{}", browser.text(".status"));
    browser.press("End");
    assert!(!browser.text(".status").starts_with("step 1 of"));
    browser.click(".fair button");
    assert!(browser.text(".status").starts_with("step 1 of"), "{}", browser.text(".status"));
    browser.click("p.message a");
    assert_eq!(browser.evaluate("document.querySelector('#model details').open"), true);
    assert_eq!(browser.complaints(), &[] as &[String]);
}

/// The values behind `=` in the text of a node.
fn shown_values(node: &str) -> Vec<&str> {
    node.split(" = ").skip(1).map(|rest| &rest[..1]).collect()
}

#[test]
fn a_component_can_be_walked() {
    let Some(mut browser) = browser("component") else { return };
    let controller = "fixtures/models/resource_controller.m";
    let formula = "forall c: client. F G st[c] != K";
    let checked = check("component", &[controller, "-D", "N=20", "--fairness", "global", formula]);
    browser.open(&checked.file, (1400, 2000));
    let places =
        checked.json["results"][0]["counterexample"]["component"]["places"].as_array().unwrap();
    assert!(browser.text(".component").contains(&format!("{} places", places.len())));
    browser.click(".componentplace:nth-child(3)");
    let mut place = 2;
    for _ in 0..30 {
        assert_eq!(browser.text(".status"), format!("place {} of {}", place + 1, places.len()));
        assert_eq!(shown(&mut browser, 1), state(&places[place]["state"]));
        let step = &places[place]["steps"][0];
        assert_eq!(browser.text(".onward .what"), label(step));
        place = usize::try_from(step["place"].as_u64().unwrap()).unwrap();
        browser.click(".onward");
    }
    assert_eq!(browser.complaints(), &[] as &[String]);
    browser.screenshot(&scratch("component.png"));
}

#[test]
fn pages_are_light_or_dark() {
    let Some(mut browser) = browser("colours") else { return };
    let checked = check("colours", &[SIMPLE, "--fairness", "weak"]);
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        browser.open(&checked.file, (1400, 2200));
        for _ in 0..4 {
            browser.press("ArrowRight");
        }
        let of = |what: &str| format!("getComputedStyle({what}).backgroundColor");
        papers.push(browser.evaluate(&of("document.body")));
        browser.screenshot(&scratch(&format!("{scheme}.png")));
    }
    assert_eq!(papers, ["rgb(255, 255, 255)", "rgb(27, 27, 31)"]);
}

#[test]
fn a_report_is_written_whatever_the_verdict() {
    let path = |name: &str| scratch(name).display().to_string();
    let long = path("limited.html");
    let limited = [
        "check",
        "fixtures/models/peterson.m",
        "-D",
        "N=5",
        "-p",
        "exclusion",
        "--max-states",
        "50",
        "--report",
        &long,
    ];
    let Run { code, .. } = run(isonomy(&limited), b"");
    assert_eq!(code, Some(3));
    let page = fs::read_to_string(&long).expect("the report");
    assert!(page.contains("<span class=\"verdict unknown\">"), "{page}");
    let nowhere = path("nowhere/report.html");
    for (file, message) in [("-", "name a file for the report"), (&nowhere[..], "cannot write")] {
        let Run { code, err, .. } = run(isonomy(&["check", SIMPLE, "--report", file]), b"");
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(message), "{err}");
    }
}

/// The README shows a report; `BLESS=1` takes the picture again.
#[test]
fn the_readme_shows_a_report() {
    let picture = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/pictures/report.png");
    if std::env::var_os("BLESS").is_some_and(|value| value == "1")
        && let Some(mut browser) = browser("readme")
    {
        let access = ["-p", "eventual access", "--fairness", "strong"];
        let checked = check("readme", &[&[SIMPLE][..], &access].concat());
        browser.open(&checked.file, (1240, 856));
        for _ in 0..4 {
            browser.press("ArrowRight");
        }
        // Nothing above the run: the picture shows it, the variables, the formula and the automaton.
        browser.evaluate(
            "for (let e = document.querySelector('.explorer'); e !== document.body; e = e.parentElement)
               for (let s = e.previousElementSibling; s; s = s.previousElementSibling)
                 s.style.display = 'none'",
        );
        browser.screenshot_of_window(&picture);
    }
    let bytes = fs::read(&picture).expect("the picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n"), "a picture");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((number(16), number(20)), (1240, 856), "its size");
}
