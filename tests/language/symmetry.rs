//! The guarantee: every permutation of a model's group is an automorphism, on tables of loops, on
//! all fixtures, and on random models.
//!
//! `ISONOMY_CASES=100000 cargo test --test language` looks at more random models.

#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod tables;

use ltl::source::{Colour, Source};
use model::checked::{Group, Model, Statement, StatementKind};
use model::generate::{self, Options};
use model::{SymmetryRule, check, check_without, walk};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::symmetry::{MOST_STATES, Seen, random_text, symmetric};
use support::many::{cases, in_parallel};

#[test]
fn random_models_are_what_their_groups_say() {
    let totals = Mutex::new(Totals::default());
    in_parallel(cases(5000), |seed| {
        let text = random_text(seed);
        let model = match check(&text, &[]) {
            Ok(model) => model,
            Err(errors) => {
                let first = &errors.model[0];
                let source = Source::new("model", &text);
                let mut totals = totals.lock().unwrap();
                totals.wrong.push(format!("seed {seed}: {}", source.render(first, Colour::Off)));
                return;
            }
        };
        let seen = symmetric(&model, MOST_STATES)
            .unwrap_or_else(|what| panic!("seed {seed}:\n{text}\nis not symmetric: {what}"));
        let forced = symmetric(&with_declared_groups(&model), 60);
        totals.lock().unwrap().add(&model, seen, forced.is_err());
    });
    let totals = totals.into_inner().unwrap();
    eprintln!("{totals}");
    // Most texts are models, and there is something to see in many of them.
    let models = totals.models + totals.wrong.len();
    assert!(totals.wrong.len() * 100 <= models, "{:#?}", totals.wrong);
    assert!(totals.symmetric * 4 > models, "{totals}");
    assert!(totals.flagged * 10 > models, "{totals}");
    assert!(totals.asymmetric * 25 > models, "{totals}");
}

#[test]
fn fixtures_are_what_their_groups_say() {
    let mut files = Vec::new();
    models_in(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), &mut files);
    let checked = AtomicUsize::new(0);
    in_parallel(files.len() as u64, |k| {
        let file = &files[k as usize];
        let text = std::fs::read_to_string(file).expect("fixtures can be read");
        // What is wrong on purpose has tests of its own.
        let Ok(model) = check(&text, &[]) else { return };
        if let Err(what) = symmetric(&model, 300) {
            panic!("{} is not symmetric: {what}", file.display());
        }
        checked.fetch_add(1, Ordering::Relaxed);
    });
    let checked = checked.into_inner();
    assert!(checked > 90, "only {checked} of {} fixtures are models", files.len());
}

#[test]
fn innocent_loops_keep_their_groups() {
    for (what, text) in tables::innocent().into_iter().chain(tables::innocent_reports()) {
        let model = checked(what, &text);
        let reasons: Vec<_> = model.symmetries.iter().flat_map(|s| &s.reasons).collect();
        assert!(reasons.is_empty(), "{what}: {reasons:?}\n{text}");
        let seen = symmetric(&model, 2000).unwrap_or_else(|why| panic!("{what}: {why}\n{text}"));
        assert!(seen.generators > 0 && seen.states > 1, "{what}: {seen:?}\n{text}");
    }
}

#[test]
fn traps_lose_their_groups_and_would_be_caught() {
    for (what, text) in tables::traps().into_iter().chain(tables::traps_of_values()) {
        let model = checked(what, &text);
        assert!(
            model.symmetries.iter().all(|s| s.group == Group::Trivial && !s.reasons.is_empty()),
            "{what} is not flagged:\n{text}"
        );
        assert!(!model.warnings.is_empty(), "{what}");
        symmetric(&model, 2000).unwrap_or_else(|why| panic!("{what}: {why}\n{text}"));
        let forced = symmetric(&with_declared_groups(&model), 2000);
        assert!(forced.is_err(), "{what} is harmless:\n{text}");
    }
}

#[test]
fn loops_over_elements_are_refused_if_their_order_matters() {
    for (what, text) in tables::refused() {
        let errors = check(&text, &[]).expect_err(what).model;
        let start = "the elements of a multiset have no order, which matters here: ";
        assert!(!errors.is_empty(), "{what}");
        assert!(errors.iter().all(|one| one.message.starts_with(start)), "{what}: {errors:?}");
        let ordered = check_without(&text, SymmetryRule::Each).expect(what);
        assert!(symmetric(&ordered, 2000).is_err(), "{what} is harmless:\n{text}");
    }
}

/// Without any one of the rules, the brute force that all models are subjected to finds a model that
/// is not as its groups say: some named one, and nearly always a random one, too.
#[test]
fn every_rule_is_needed() {
    let named: Vec<_> = [tables::traps(), tables::traps_of_values(), tables::refused()].concat();
    let random = |seed: u64| {
        let ordered_elements = seed % 4 == 1;
        let options =
            Options { traps: seed.is_multiple_of(2), ordered_elements, ..Options::default() };
        generate::model(seed, &options)
    };
    let texts: Vec<String> =
        named.iter().map(|(_, text)| text.clone()).chain((0..cases(3000)).map(random)).collect();
    let caught: Mutex<Vec<(SymmetryRule, bool)>> = Mutex::default();
    in_parallel(texts.len() as u64, |k| {
        let text = &texts[k as usize];
        let groups =
            |model: &Model| model.symmetries.iter().map(|one| one.group).collect::<Vec<_>>();
        let exact = check(text, &[]).ok().map(|model| groups(&model));
        for rule in SymmetryRule::ALL {
            let Ok(model) = check_without(text, rule) else { continue };
            // The same groups are as right as they were.
            if exact.as_ref() != Some(&groups(&model)) && symmetric(&model, MOST_STATES).is_err() {
                caught.lock().unwrap().push((rule, (k as usize) < named.len()));
            }
        }
    });
    let caught = caught.into_inner().unwrap();
    for rule in SymmetryRule::ALL {
        let count = |is_named| caught.iter().filter(|one| **one == (rule, is_named)).count();
        eprintln!("without {rule:?}: {} named models, {} random ones", count(true), count(false));
    }
    for rule in SymmetryRule::ALL {
        assert!(caught.contains(&(rule, true)), "no named model needs {rule:?}");
    }
}

#[test]
fn rejections_that_are_only_cautious() {
    for (what, text) in tables::cautious() {
        let model = checked(what, &text);
        assert!(model.symmetries.iter().any(|s| s.group == Group::Trivial), "{what}:\n{text}");
    }
}

#[test]
fn warnings_say_what_and_where_and_what_else() {
    const START: &str = "no symmetry reduction for `pid`, whose values can be told apart: ";
    //   trap                place    what                           advice
    let table = [
        (
            "last one stays",
            "p := i",
            "iterations of a loop may leave different values in `p`",
            "use the loop variable as a subscript, let all iterations store the same, or choose a \
             value by a `ruleset` around the rule",
        ),
        (
            "reset or count",
            "n := 0",
            "iterations of a loop may leave different values in `n`",
            "use the loop variable as a subscript, let all iterations store the same, or update by \
             `n := n + ...`",
        ),
        (
            "neighbour in a ring",
            "a[next(i)]",
            "an iteration of a loop reads `a` here, which another may write",
            "write and read `a` with the loop variable as a subscript, or read a copy made before \
             the loop",
        ),
        (
            "return",
            "return",
            "`return` leaves a loop before all of its iterations have run",
            "find the answer with `exists` or `forall`, or gather it in a variable (`v := v | ...`) \
             and return that behind the loop",
        ),
        (
            "clear of an index",
            "clear p",
            "`clear` stores the first value of an index type",
            "`undefine` prefers no value",
        ),
        (
            "by the local's leftover",
            "t",
            "this reads what the last iteration of a loop has left in `t`",
            "assign `t` between the loop and here, or do not read it",
        ),
        (
            "effects in a quantifier",
            "f(i)",
            "`f` has effects, in the order of a quantifier",
            "call it in a loop before, and keep the results",
        ),
        (
            "hidden by a gathered answer",
            "flag := flag | c[i].flag",
            "iterations of a loop update `flag`, and a failure may hide behind it",
            "write this update into the loop itself, with a fixed place for `flag`",
        ),
    ];
    let traps = tables::traps();
    for (trap, place, what, advice) in table {
        let (_, text) = traps.iter().find(|(name, _)| *name == trap).expect("a trap of this name");
        let model = checked(trap, text);
        let warning = &model.warnings[0];
        assert_eq!(warning.message, format!("{START}{what}"), "{trap}");
        assert_eq!(&text[warning.span.start..warning.span.end], place, "{trap}");
        assert_eq!(warning.help.as_deref(), Some(advice), "{trap}");
        assert_eq!(model.symmetries[0].reasons[0], (warning.span, what.to_owned()), "{trap}");
    }
}

#[test]
fn loops_are_unordered_and_gather_to_the_right_end() {
    //   body of the rule                        unordered loops, and at the end of which one
    let table = [
        ("or", vec![true], vec![1]),
        ("and", vec![true], vec![1]),
        ("or in two loops", vec![true, true], vec![2]),
        ("or per row", vec![true, true], vec![1]),
        ("counting", vec![true], vec![]),
        ("last one stays", vec![false], vec![]),
        ("return", vec![false], vec![]),
        ("both ways in a matrix", vec![false, false], vec![]),
        ("reading what is gathered", vec![false], vec![]),
    ];
    let texts = [tables::innocent(), tables::traps()].concat();
    for (what, unordered, gathered) in table {
        let (_, text) = texts.iter().find(|(name, _)| *name == what).expect("one of this name");
        let model = checked(what, text);
        let (mut loops, mut ends) = (Vec::new(), Vec::new());
        for statement in &model.rules[0].body {
            walk_loops(statement, &mut loops, &mut ends);
        }
        assert_eq!((loops, ends), (unordered, gathered), "{what}");
    }
}

fn walk_loops(statement: &Statement, loops: &mut Vec<bool>, ends: &mut Vec<u32>) {
    match &statement.kind {
        StatementKind::For { unordered, .. } => loops.push(*unordered),
        StatementKind::Accumulate { loops, .. } => ends.push(*loops),
        _ => {}
    }
    walk::substatements(statement, &mut |inner| walk_loops(inner, loops, ends));
}

#[test]
fn one_value_needs_no_warning() {
    let text = "type pid: scalarset(1); var p: pid; startstate clear p; end; \
                rule \"r\" true ==> for i: pid do p := i; end end";
    let model = checked("one value", text);
    assert!(model.warnings.is_empty() && model.symmetries[0].reasons.is_empty());
}

#[test]
fn too_much_to_look_at_counts_as_ordered() {
    // Every function calls the one before twice: 2^20 calls.
    let mut text = "type pid: scalarset(2); var a: array [pid] of boolean;\n\
                    procedure f0(i: pid); begin a[i] := true; end;\n"
        .to_owned();
    for k in 0..20 {
        let _ = writeln!(text, "procedure f{}(i: pid); begin f{k}(i); f{k}(i); end;", k + 1);
    }
    text += "startstate for i: pid do f20(i); end end; rule true ==> end";
    let model = checked("exponential", &text);
    assert_eq!(model.symmetries[0].group, Group::Trivial);
    let expected = "this loop is part of something too large to be looked at in full";
    assert_eq!(model.symmetries[0].reasons[0].1, expected);
}

/// The model with what was declared, whatever the rules have found.
fn with_declared_groups(model: &Model) -> Model {
    let mut model = model.clone();
    for symmetry in &mut model.symmetries {
        symmetry.group = Group::from(model.types.index_types[symmetry.of.0 as usize].kind);
    }
    model
}

fn checked(what: &str, text: &str) -> Model {
    check(text, &[]).unwrap_or_else(|errors| {
        let source = Source::new(what, text);
        let shown: Vec<_> =
            errors.model.iter().map(|error| source.render(error, Colour::Off)).collect();
        panic!("{}", shown.join("\n"))
    })
}

fn models_in(folder: PathBuf, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the fixtures are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            models_in(path, found);
        } else if path.extension().is_some_and(|ending| ending == "m") {
            found.push(path);
        }
    }
}

/// What a run over random models has seen.
#[derive(Default)]
struct Totals {
    models: usize,
    /// Texts that are no models.
    wrong: Vec<String>,
    states: usize,
    failing: usize,
    complete: usize,
    /// With a group that is not trivial.
    symmetric: usize,
    /// With a reason against some group.
    flagged: usize,
    /// Where a declared group really is not one of automorphisms.
    asymmetric: usize,
}

impl Totals {
    fn add(&mut self, model: &Model, seen: Seen, asymmetric: bool) {
        self.models += 1;
        self.states += seen.states;
        self.failing += seen.failing;
        self.complete += usize::from(seen.complete);
        self.symmetric += usize::from(seen.generators > 0);
        self.flagged += usize::from(model.symmetries.iter().any(|s| !s.reasons.is_empty()));
        self.asymmetric += usize::from(asymmetric);
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Totals { models, wrong, states, failing, complete, symmetric, flagged, asymmetric } =
            self;
        write!(
            f,
            "{models} models ({} texts are none), {states} states ({failing} failing), {complete} \
             complete; {symmetric} symmetric, {flagged} flagged, {asymmetric} of these asymmetric",
            wrong.len()
        )
    }
}
