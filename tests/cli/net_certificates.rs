//! Certificates of nets, from outside.

#![allow(clippy::print_stderr, reason = "figures are for those who ask for them")]

use super::binary::{isonomy, run, scratch};
use ::run::SplitMix64;
use certify::wire::{Numbers, compress};
use std::fs;
use std::path::{Path, PathBuf};
use verify::wire::Reader;

const NET: &str = "fixtures/nets/clients.pnml";

/// Makes a certificate; the exit code and what was said.
fn make(arguments: &[&str], file: &Path) -> (Option<i32>, String) {
    let file = file.to_str().expect("UTF-8");
    let made = run(isonomy(&[&["check"], arguments, &["--certificate", file]].concat()), b"");
    (made.code, made.out + &made.err)
}

fn verify(arguments: &[&str], file: &Path) -> (Option<i32>, String) {
    let file = file.to_str().expect("UTF-8");
    let verified = run(isonomy(&[&["verify"], arguments, &[file]].concat()), b"");
    (verified.code, verified.out + &verified.err)
}

/// The ids of elements of a kind.
fn ids(text: &str, kind: &str) -> Vec<String> {
    let start = format!("<{kind} id=\"");
    let parts = text.split(&start).skip(1);
    parts.map(|part| part.split('"').next().expect("a quote").to_owned()).collect()
}

/// The header of a certificate, and the numbers of its body.
fn parts(file: &Path) -> (String, Vec<u64>) {
    let bytes = fs::read(file).expect("a certificate");
    let end = bytes.windows(2).position(|two| two == b"\n\n").expect("a header") + 2;
    let header = String::from_utf8(bytes[..end].to_vec()).expect("UTF-8");
    let mut reader = Reader::new(&bytes[end..]);
    (header, std::iter::from_fn(|| reader.number().ok()).collect())
}

fn write(file: &Path, header: &str, numbers: &[u64]) {
    let mut body = Numbers::default();
    for &one in numbers {
        body.number(one);
    }
    let mut bytes = header.as_bytes().to_vec();
    compress([body.bytes()], &mut bytes).expect("memory can be written");
    fs::write(file, bytes).expect("room");
}

/// Many formulas about each net, under every fairness: what holds is certified and verified.
#[test]
fn what_holds_of_nets_is_certified_and_verified() {
    let (mut verified, mut uncertified) = (0, 0);
    let mut nets: Vec<PathBuf> = fs::read_dir(support::root().join("fixtures/nets"))
        .expect("the folder is there")
        .map(|entry| entry.expect("a file").path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "pnml"))
        .collect();
    nets.sort_unstable();
    for net in &nets {
        let text = fs::read_to_string(net).expect("a net");
        let (places, transitions) = (ids(&text, "place"), ids(&text, "transition"));
        let mut formulas: Vec<String> = Vec::new();
        for place in &places {
            let bounds = (0..4).map(|most| format!("G (tokens(\"{place}\") <= {most})"));
            formulas.extend(bounds.chain([format!("G F (tokens(\"{place}\") >= 1)")]));
        }
        for one in &transitions {
            formulas.push(format!("G F @\"{one}\""));
            formulas.push(format!("G (fireable(\"{one}\") -> F @\"{one}\")"));
        }
        let net = net.to_str().expect("UTF-8");
        let formulas: Vec<&str> = formulas.iter().map(String::as_str).collect();
        for fairness in ["none", "weak", "strong", "global"] {
            for symmetry in ["auto", "off"] {
                let file = scratch("certificate");
                let over = over_events(fairness);
                let options = ["--fairness", fairness, "--deadlock", "stuck"];
                let options = [&options[..], over, &["--symmetry", symmetry]].concat();
                let (code, told) = make(&[&[net][..], &formulas, &options].concat(), &file);
                assert!(matches!(code, Some(0 | 1)), "{net} {fairness} {symmetry}: {told}");
                let lines = told.lines().filter(|line| line.contains("no certificate for"));
                for line in lines {
                    let is_global = line.contains("needs the exact rule");
                    uncertified += usize::from(is_global);
                    let known = ["it is violated", "a dead marking can be reached"];
                    let is_known = known.iter().any(|why| line.contains(why));
                    assert!(is_known || is_global && symmetry == "auto", "{net}: {line}");
                }
                if !file.exists() {
                    continue;
                }
                let (code, told) = verify(&[net], &file);
                assert_eq!(code, Some(0), "{net} {fairness} {symmetry}: {told}");
                verified += told.lines().filter(|line| line.starts_with("verified: ")).count();
                fs::remove_file(file).expect("it is there");
            }
        }
    }
    eprintln!("{} nets: {verified} claims verified, {uncertified} without", nets.len());
    assert!(verified > 100 && uncertified == 0, "{verified} verified, {uncertified} without");
}

/// Files of properties, dead markings and bounds: what is certified is said, and why the rest is not.
#[test]
fn questions_of_files_are_certified() {
    let (file, asked) = (scratch("certificate"), scratch("asked.xml"));
    let waiting = "<tokens-count><place>Waiting</place></tokens-count>";
    let at_least = |least| {
        format!("<integer-le><integer-constant>{least}</integer-constant>{waiting}</integer-le>")
    };
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let reach =
        |least| format!("<exists-path><finally>{}</finally></exists-path>", at_least(least));
    let fire = "<all-paths><globally><negation><conjunction>\
        <is-fireable><transition>take</transition><transition>leave</transition></is-fireable>\
        <integer-le><integer-constant>4</integer-constant><tokens-count><place>Idle</place></tokens-count>\
        </integer-le></conjunction></negation></globally></all-paths>";
    let text = format!(
        "<property-set>{}{}{}{}</property-set>",
        property("Three", &reach(3)),
        property("Four", &reach(4)),
        property("Most", "<place-bound><place>Waiting</place></place-bound>"),
        property("Fire", fire),
    );
    fs::write(&asked, text).expect("a file");
    let asked = asked.to_str().expect("UTF-8");
    let (code, told) = make(&[NET, "--properties", asked, "--deadlock", "stuck"], &file);
    assert_eq!(code, Some(1), "{told}");
    for line in [
        "note: no certificate for Three: a marking shows it",
        "note: no certificate for Most: a number is no claim",
        ": 3 claims from 7 listed states",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (code, told) = verify(&[NET], &file);
    assert_eq!(code, Some(0), "{told}");
    for line in ["verified: no dead marking\n", "4 <= tokens(Waiting)", "fireable(take, leave)"] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

/// A certificate is about one net, in any layout, and options only say what is expected.
#[test]
fn a_certificate_is_about_one_net() {
    let (file, other) = (scratch("certificate"), scratch("other.pnml"));
    let safe = "G (tokens(Working) <= 1)";
    let (code, told) = make(&[NET, safe], &file);
    assert_eq!(code, Some(0), "{told}");
    let text = fs::read_to_string(support::root().join(NET)).expect("a net");
    let other = other.to_str().expect("UTF-8");
    let presented = |text: String| {
        fs::write(other, text).expect("room");
        verify(&[other], &file)
    };
    let spaced = presented(text.replace("<place id", "<!-- a comment -->\n\n<place   id"));
    assert_eq!(spaced.0, Some(0), "{}", spaced.1);
    for (from, to) in [
        ("<feconstant id=\"c3\" name=\"3\"/>", ""),
        ("source=\"leave\" target=\"Free\"", "source=\"ask\" target=\"Free\""),
        ("id=\"Idle\"", "id=\"Idle2\""),
        ("<dotconstant/></structure></hlinitialMarking>", ""),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = presented(text.replacen(from, to, 1));
        assert_eq!(changed.0, Some(2), "{from}: {}", changed.1);
    }
    let another = verify(&["fixtures/nets/workshop.pnml"], &file);
    assert_eq!(another.0, Some(2), "{}", another.1);
    assert!(another.1.contains("is about another net"), "{}", another.1);
    let model = verify(&["fixtures/models/mux_sem.m"], &file);
    assert_eq!(model.0, Some(2), "{}", model.1);
    let expected: [(&[&str], i32); 5] = [
        (&["--fairness", "none"], 0),
        (&["--fairness", "weak"], 2),
        (&["-p", "something else"], 2),
        (&["--trust-compiled"], 2),
        (&["-D", "N=3"], 2),
    ];
    for (options, expected) in expected {
        let (code, told) = verify(&[&[NET][..], options].concat(), &file);
        assert_eq!(code, Some(expected), "{options:?}: {told}");
    }
}

/// Nets have no processes to be fair to. The option is refused where it would mean nothing.
fn over_events(fairness: &str) -> &'static [&'static str] {
    if matches!(fairness, "weak" | "strong") { &["--fair-over", "event"] } else { &[] }
}

/// Numbers of a certificate are changed, and it is presented for what is violated: it is never accepted.
#[test]
fn forged_certificates_of_nets_are_refused() {
    let (file, forged) = (scratch("certificate"), scratch("forged"));
    let pairs = [
        ("G (tokens(Working) <= 1)", "G (tokens(Working) <= 0)", "none"),
        ("G (fireable(leave) -> F @leave)", "F G !@leave", "weak"),
        ("G F @take", "F G !@take", "strong"),
    ];
    let mut rng = SplitMix64::new(5);
    let mut refused = [0; 3];
    for (holds, violated, fairness) in pairs {
        let options = [&["--fairness", fairness][..], over_events(fairness)].concat();
        let (code, told) = make(&[&[NET, holds][..], &options].concat(), &file);
        assert_eq!(code, Some(0), "{told}");
        let is_violated = run(isonomy(&[&["check", NET, violated][..], &options].concat()), b"");
        assert_eq!(is_violated.code, Some(1), "{violated} is violated");
        let (header, numbers) = parts(&file);
        let known: serde_json::Value =
            serde_json::from_str(header.split_once('\n').expect("lines").1).expect("JSON");
        let question = known["questions"][0].as_str().expect("a text");
        let escaped = serde_json::to_string(question).expect("a text");
        let header = header.replace(&escaped, &serde_json::to_string(violated).expect("a text"));
        assert!(header.contains(violated), "{header}");
        for _ in 0..60 {
            let mut changed = numbers.clone();
            for _ in 0..rng.below(4) {
                let at = rng.below(changed.len());
                match rng.below(4) {
                    0 => changed[at] = changed[at].wrapping_add(1),
                    1 => changed[at] = rng.below(4) as u64,
                    2 => drop(changed.remove(at)),
                    _ => changed.insert(at, rng.below(4) as u64),
                }
            }
            write(&forged, &header, &changed);
            let (code, told) = verify(&[NET], &forged);
            assert!(matches!(code, Some(1 | 2)), "{violated}: {told}");
            refused[usize::from(code == Some(1))] += 1;
        }
    }
    assert!(refused[0] > 10 && refused[1] > 10, "{refused:?}");
}
