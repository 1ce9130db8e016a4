//! `check --certificate` and `isonomy verify`, from outside: what holds is certified and verified, and a
//! certificate is about one model only.

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

/// Fixtures that are small enough for the interpreter.
#[test]
fn what_holds_in_fixtures_is_certified_and_verified() {
    let small: Vec<_> = fixtures()
        .into_iter()
        .filter(|one| stored(one).is_some_and(|stored| stored <= 300))
        .collect();
    let fairness: [&[&str]; 4] = [
        &["--fairness", "none", "--deadlock", "stuck"],
        &["--fairness", "weak"],
        &["--fairness", "strong", "--fair-over", "event"],
        &["--fairness", "global"],
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
            let mut counts = counts.lock().expect("no panic");
            counts.0 += out.lines().filter(|line| line.starts_with("verified: ")).count();
            counts.1 += told.matches(unproved).count();
            fs::remove_file(file).expect("it is there");
        }
    });
    let (verified, without) = *counts.lock().expect("no panic");
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
