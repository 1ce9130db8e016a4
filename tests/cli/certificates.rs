//! `check --certificate` and `isonomy verify`, from outside: what holds is certified and verified, and a
//! certificate is about one model only.

#![allow(clippy::print_stderr, reason = "figures are for those who ask for them")]

use super::binary::{isonomy, run, scratch};
use std::fs;
use std::path::Path;
use support::headers::{Fixture, fixtures};
use support::many;

/// Makes a certificate; the exit code and what was said.
fn make(arguments: &[&str], file: &Path) -> (Option<i32>, String) {
    let file = file.to_str().expect("UTF-8");
    let made = run(isonomy(&[&["check"], arguments, &["--certificate", file]].concat()), b"");
    (made.code, made.err)
}

fn verify(arguments: &[&str], file: &Path) -> (Option<i32>, String, String) {
    let file = file.to_str().expect("UTF-8");
    let verified = run(isonomy(&[&["verify"], arguments, &[file]].concat()), b"");
    (verified.code, verified.out, verified.err)
}

/// How many states of a fixture are stored, as it is, if its header says so.
fn stored(fixture: &Fixture) -> Option<u64> {
    let stated = |kind: &str| {
        let fact = fixture.facts.iter().find(|one| one.kind == kind && one.definitions.is_empty());
        fact?.text.replace(',', "").parse().ok()
    };
    stated("quotient").or_else(|| stated("states"))
}

/// Fixtures that are small enough for the interpreter, with their constants as they are;
/// `ISONOMY_CERTIFIED` says how many states they may have.
#[test]
fn what_holds_in_fixtures_is_certified_and_verified() {
    let most = std::env::var("ISONOMY_CERTIFIED").ok();
    let most: u64 = most.map_or(300, |most| most.parse().expect("a number of states"));
    let small: Vec<_> = fixtures()
        .into_iter()
        .filter(|one| stored(one).map_or(most > 300, |stored| stored <= most))
        .collect();
    let fairness: [&[&str]; 6] = [
        &["--fairness", "none", "--deadlock", "stuck"],
        &["--fairness", "weak"],
        &["--fairness", "weak", "--fair-over", "event", "--symmetry", "off"],
        &["--fairness", "strong"],
        &["--fairness", "strong", "--fair-over", "event"],
        &["--fairness", "global", "--deadlock", "stuttering"],
    ];
    let counts = std::sync::Mutex::new((0, 0));
    many::in_parallel(small.len() as u64, |k| {
        let fixture = &small[k as usize];
        for options in fairness {
            let file = scratch("certificate");
            let (code, told) = make(&[&[&*fixture.file], options].concat(), &file);
            assert!(matches!(code, Some(0..=3)), "{}: {told}", fixture.name);
            let unproved = "needs the exact rule";
            let lines = told.lines().filter(|line| line.contains("no certificate for"));
            let is_explained = |line: &str| {
                ["it is violated", "it is not known", "a cover holds", unproved]
                    .iter()
                    .any(|why| line.contains(why))
            };
            for line in lines {
                assert!(is_explained(line), "{} {options:?}: {line}", fixture.name);
            }
            if !file.exists() {
                continue;
            }
            let (code, out, err) = verify(&[&fixture.file], &file);
            assert_eq!(code, Some(0), "{} {options:?}: {out}{err}", fixture.name);
            let (code, compiled, err) = verify(&[&fixture.file, "--trust-compiled"], &file);
            assert_eq!(code, Some(0), "{} {options:?}: {err}", fixture.name);
            let claims = |out: &str| {
                out.lines().filter(|one| !one.starts_with("trusted")).collect::<String>()
            };
            assert_eq!(claims(&compiled), claims(&out));
            assert!(compiled.contains("--trust-compiled") && !out.contains("--trust-compiled"));
            let mut counts = counts.lock().expect("no panic");
            counts.0 += out.lines().filter(|line| line.starts_with("verified: ")).count();
            counts.1 += told.matches(unproved).count();
            fs::remove_file(file).expect("it is there");
        }
    });
    let (verified, without) = *counts.lock().expect("no panic");
    eprintln!("{} fixtures: {verified} claims verified, {without} without", small.len());
    assert!(verified > 100 && without < verified, "{verified} verified, {without} without");
}

#[test]
fn a_certificate_is_about_one_model() {
    let model = "fixtures/models/resource_simple.m";
    let file = scratch("certificate");
    let (code, told) = make(&[model, "--fairness", "global"], &file);
    assert_eq!(code, Some(0), "{told}");
    let verified = verify(&[model], &file);
    assert_eq!(verified.0, Some(0), "{verified:?}");
    // Another layout, and comments.
    let text = run(isonomy(&["print", model]), b"").out;
    let printed = scratch("printed.m");
    fs::write(&printed, format!("-- a comment\n{text}")).expect("room for a model");
    let printed = printed.to_str().expect("UTF-8");
    assert_eq!(verify(&[printed], &file).0, Some(0));
    // Another meaning.
    for (from, to) in [("K -> c = d", "K -> c != d"), ("const N: 3", "const N: 4"), ("R := I", "")]
    {
        fs::write(printed, text.replace(from, to)).expect("room for a model");
        let changed = text.contains(from);
        assert!(!changed || verify(&[printed], &file).0 == Some(2), "{from}");
    }
    assert_eq!(verify(&[model, "-D", "N=4"], &file).0, Some(2), "another constant");
    assert_eq!(verify(&["fixtures/models/resource_controller.m"], &file).0, Some(2));
    assert_eq!(verify(&[model], Path::new(model)).0, Some(2), "no certificate at all");
}

#[test]
fn damaged_files_are_refused() {
    let model = "fixtures/models/resource_simple.m";
    let file = scratch("certificate");
    make(&[model, "-p", "exclusion"], &file);
    let bytes = fs::read(&file).expect("a certificate");
    let body = bytes.windows(2).position(|two| two == b"\n\n").expect("a header") + 2;
    let damaged = scratch("damaged");
    for k in 0..40 {
        let mut changed = bytes.clone();
        let at = body + k * (bytes.len() - body) / 40;
        changed[at] ^= 1 << (k % 8);
        fs::write(&damaged, &changed).expect("room");
        let (code, _, err) = verify(&[model], &damaged);
        assert!(matches!(code, Some(1 | 2)), "{k}: {code:?} {err}");
        fs::write(&damaged, &bytes[..at]).expect("room");
        let (code, _, err) = verify(&[model], &damaged);
        assert_eq!(code, Some(2), "{err}");
    }
    // A claim that is not proved.
    let text = String::from_utf8_lossy(&bytes[..body])
        .replace("\"fairness\": \"none\"", "\"fairness\": \"all\"");
    fs::write(&damaged, [text.as_bytes(), &bytes[body..]].concat()).expect("room");
    assert_eq!(verify(&[model], &damaged).0, Some(2));
}

/// Options of `verify` say what is expected.
#[test]
fn options_that_disagree_are_refused() {
    let model = "fixtures/models/resource_simple.m";
    let file = scratch("certificate");
    let (code, told) = make(&[model, "-p", "exclusion", "--fairness", "weak"], &file);
    assert_eq!(code, Some(0), "{told}");
    let expected: [(&[&str], i32); 8] = [
        (&["-p", "exclusion"], 0),
        (&["--fairness", "weak"], 0),
        (&["-D", "N=3"], 0),
        (&["-p", "eventual access"], 2),
        (&["-p", "exclu"], 2),
        (&["--fairness", "strong"], 2),
        (&["--fairness", "none"], 2),
        (&["-D", "N=4"], 2),
    ];
    for (options, expected) in expected {
        let (code, out, err) = verify(&[&[model][..], options].concat(), &file);
        assert_eq!(code, Some(expected), "{options:?}: {out}{err}");
    }
}

/// Reports say what a certificate proves, and why there is none.
#[test]
fn reports_name_the_certificate() {
    let (file, page) = (scratch("certificate"), scratch("report.html"));
    let (path, report) = (file.to_str().expect("UTF-8"), page.to_str().expect("UTF-8"));
    let model = "fixtures/models/resource_simple.m";
    let checked = run(isonomy(&["check", model, "-p", "exclusion", "--certificate", path]), b"");
    let told = format!("verified by `isonomy verify {model} {path}`");
    assert!(checked.out.contains(&told), "{}", checked.out);
    let arguments = ["check", model, "--certificate", path, "--format", "json", "--report", report];
    let checked = run(isonomy(&arguments), b"");
    let results: serde_json::Value = serde_json::from_str(&checked.out).expect("JSON");
    let mut certified = 0;
    for result in results["results"].as_array().expect("a list") {
        let certificate = &result["certificate"];
        if result["verdict"] == "holds" && certificate["reason"].is_null() {
            assert_eq!(certificate["file"], path);
            assert!(certificate["nodes"].is_u64());
            certified += 1;
        } else {
            assert!(certificate["reason"].is_string(), "{result}");
        }
    }
    assert!(certified > 0);
    let page = fs::read_to_string(page).expect("a report");
    assert!(page.contains("isonomy verify"));
}

/// A body of zeros lists one state after the other, for ever.
#[test]
fn a_bomb_meets_the_limit_of_memory() {
    let model = "fixtures/models/resource_simple.m";
    let file = scratch("certificate");
    make(&[model, "-p", "exclusion"], &file);
    let bytes = fs::read(&file).expect("a certificate");
    let body = bytes.windows(2).position(|two| two == b"\n\n").expect("a header") + 2;
    let mut bomb = bytes[..body].to_vec();
    let zeros = vec![0; 1 << 20];
    certify::wire::compress((0..64).map(|_| &zeros[..]), &mut bomb).expect("room");
    assert!(bomb.len() < 1 << 19, "{}", bomb.len());
    fs::write(&file, &bomb).expect("room");
    let (code, _, err) = verify(&[model, "--memory-limit", "100M", "--threads", "1"], &file);
    assert_eq!(code, Some(3), "{err}");
    let (code, _, err) = verify(&[model, "--timeout", "0.5"], &file);
    assert_eq!(code, Some(3), "{err}");
}

/// Rules that do the same are steps of their own for the interpreter, and perhaps not for compiled code.
#[test]
fn equal_steps_are_certified() {
    let (model, file) = (scratch("twins.m"), scratch("certificate"));
    let text = "type p: scalarset(2); var x: array [p] of 0..2; n: 0..1;
        startstate for c: p do x[c] := 0 end; n := 0 end;
        process c: p do
          rule \"up\" x[c] < 2 ==> x[c] := x[c] + 1 end;
          rule \"up\" x[c] = 1 ==> x[c] := 2 end;
          rule \"same\" true ==> n := 1 - n end;
          ruleset k: 0..1 do rule \"other\" x[c] = 2 ==> n := 0 end end;
        end;
        rule \"same\" true ==> n := 1 - n end;
        invariant \"small\" n < 2;
        ltl \"all come up\" : forall c: p. F x[c] = 2 under weak fairness over events;";
    fs::write(&model, text).expect("room");
    let model = model.to_str().expect("UTF-8");
    for symmetry in ["auto", "off"] {
        let (code, told) = make(&[model, "--symmetry", symmetry], &file);
        assert_eq!(code, Some(0), "{told}");
        for options in [&[model][..], &[model, "--trust-compiled"]] {
            let (code, out, err) = verify(options, &file);
            assert_eq!(code, Some(0), "{options:?}: {out}{err}");
        }
    }
}

/// What needs the rule about components under symmetry is certified without it.
#[test]
fn global_fairness_may_need_all_states() {
    let file = scratch("certificate");
    let model = ["fixtures/models/leader_odd_ring.m", "-D", "N=3", "-p", "one leader"];
    let (code, told) = make(&[&model[..], &["--fairness", "global"]].concat(), &file);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the certificate is in"), "{told}");
    let (code, out, err) = verify(&[model[0], "--trust-compiled"], &file);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("verified: formula \"one leader\", under global fairness"), "{out}");
}

/// Small changes of a model.
fn changes(text: &str) -> Vec<String> {
    let exchanged = [
        (" <= ", " < "),
        (" < ", " <= "),
        (" = ", " != "),
        (" != ", " = "),
        (" & ", " | "),
        (" | ", " & "),
        ("true", "false"),
        ("false", "true"),
        ("forall ", "exists "),
        (" := I", " := K"),
        (" + 1", " + 0"),
        (" -> ", " <-> "),
    ];
    let mut changed = Vec::new();
    for (from, to) in exchanged {
        for (at, _) in text.match_indices(from) {
            changed.push(format!("{}{to}{}", &text[..at], &text[at + from.len()..]));
        }
    }
    changed
}

/// A model without its comments: a change inside one changes no meaning.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// After a change of meaning a certificate is refused. If it is presented for the changed model all the
/// same, it is rejected, or what it claims is true of that model, too.
#[test]
fn a_changed_model_is_another_one() {
    let models = ["resource_simple", "mux_sem", "ticket_lock", "peterson", "one_event_two_owners"];
    let models = models.map(|name| format!("fixtures/models/{name}.m"));
    let (mut refused, mut rejected, mut accepted) = (0, 0, 0);
    for model in models.iter().filter(|model| Path::new(model).exists()) {
        let file = scratch("certificate");
        let (_, told) = make(&[model, "--fairness", "weak"], &file);
        assert!(file.exists(), "{model}: {told}");
        let original = fs::read(&file).expect("a certificate");
        let text = without_comments(&run(isonomy(&["print", model]), b"").out);
        let changed = scratch("changed.m");
        let changed = changed.to_str().expect("UTF-8");
        for text in changes(&text).iter().step_by(2).take(30) {
            fs::write(changed, text).expect("room for a model");
            let other = scratch("other");
            let (code, _) = make(&[changed, "--fairness", "weak"], &other);
            if code == Some(2) {
                continue;
            }
            let (code, out, err) = verify(&[changed], &file);
            assert_eq!(code, Some(2), "{out}{err}\n{text}");
            refused += 1;
            // The header of the changed model, if it has one, with the claims and the body of the other.
            let Ok(header) = fs::read(&other) else { continue };
            let parts = |bytes: &[u8]| {
                let end = bytes.windows(2).position(|two| two == b"\n\n").expect("a header");
                let json = String::from_utf8(bytes[..end].to_vec()).expect("UTF-8");
                let (first, json) = json.split_once('\n').expect("two lines");
                let json: serde_json::Value = serde_json::from_str(json).expect("JSON");
                (first.to_owned(), json, bytes[end..].to_vec())
            };
            let (first, own, body) = parts(&original);
            let (_, mut mixed, _) = parts(&header);
            let proved = mixed["claims"].clone();
            mixed["claims"] = own["claims"].clone();
            let mixed = format!("{first}\n{mixed}");
            let forged = scratch("forged");
            fs::write(&forged, [mixed.as_bytes(), &body[..]].concat()).expect("room");
            let (code, out, err) = verify(&[changed], &forged);
            match code {
                Some(0) => {
                    accepted += 1;
                    let proved = proved.to_string();
                    for claim in own["claims"].as_array().expect("a list") {
                        let number = format!("\"number\":{}", claim["number"]);
                        assert!(proved.contains(&number), "{claim} of\n{text}\n{out}");
                    }
                }
                Some(1 | 2) => rejected += 1,
                other => panic!("{other:?}: {out}{err}"),
            }
            fs::remove_file(other).expect("it is there");
        }
    }
    eprintln!("{refused} refused; presented all the same: {rejected} rejected, {accepted} true");
    assert!(refused > 40 && rejected > 20, "{refused} {rejected} {accepted}");
}
