//! Compiled code against the reference interpreter, step by step: every fixture and random models.
//!
//! The states are those that the interpreter reaches, so that a mistake of compiled code cannot hide
//! states from the comparison.
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.

mod pitfalls;

use compile::{Backend, CompiledModel};
use isonomy::explore::{Deadlock, Exploration, Options, Symmetry, explore};
use model::check;
use suites::compiled::{
    Compared, compare, compare_random_guards, compare_random_model, compare_random_multisets,
};
use support::headers::fixtures;
use support::many::cases;

#[test]
fn fixtures_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    for fixture in fixtures() {
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        compare(&fixture.name, &model, 400, &mut compared);
    }
    assert!(compared.states > 3_000 && compared.failures > 10, "too little: {compared:?}");
    assert!(2 * compared.native > compared.rules, "too little is native: {compared:?}");
}

#[test]
fn known_pitfalls_are_avoided() {
    let mut compared = Compared::default();
    for (name, text) in pitfalls::PITFALLS {
        let model = check(text, &[]).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        compare(name, &model, 400, &mut compared);
    }
    assert!(compared.covered > 0 && compared.failures > 0, "too little: {compared:?}");
    assert!(compared.violated > 0, "too little: {compared:?}");
}

/// How much work an evaluation takes is no part of its meaning: here a guard, a body, an invariant
/// and the instances of a rule take more than ten million iterations each.
#[test]
fn much_work_means_what_little_work_means() {
    let text = "
        const Size: 3200;
        type p: 1..Size; var x: boolean; y: 0..20000000;
        startstate x := true; y := 0; end
        rule \"guard\" !exists j: p do exists k: p do j + k = 0 & x end end ==> y := 1; end
        rule \"body\" y = 0 ==> for i: p do for j: p do y := y + 1; end end end
        ruleset i: p; j: p do rule \"few\" i = Size & j = Size & x ==> x := false; end end
        invariant forall i: p do forall j: p do i + j > 0 | x end end;";
    let model = check(text, &[]).expect("it is a model");
    let mut compared = Compared::default();
    compare("much work", &model, 1, &mut compared);
    assert_eq!((compared.states, compared.steps, compared.failures), (1, 3, 0), "{compared:?}");
}

#[test]
fn random_models_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(3_000);
    for seed in 0..cases {
        compare_random_model(seed, &mut compared);
    }
    let Compared { models, rules, interpreted, native, .. } = compared;
    assert!(models as u64 * 100 >= cases * 99, "too many are refused: {compared:?}");
    assert!(rules > 10 * interpreted, "too little is compiled: {compared:?}");
    assert!(2 * native > rules, "too little is native: {compared:?}");
}

#[test]
fn random_multisets_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(1_000);
    for seed in 0..cases {
        compare_random_multisets(seed, &mut compared);
    }
    let Compared { models, rules, native, steps, failures, covered, .. } = compared;
    assert!(models as u64 > cases / 2, "too many are refused: {compared:?}");
    assert!(10 * native > 9 * rules, "too little is native: {compared:?}");
    assert!(steps > 10 * models && failures > 0 && covered > 0, "too little: {compared:?}");
}

#[test]
fn random_guards_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(1_500);
    for seed in 0..cases {
        compare_random_guards(seed, &mut compared);
    }
    let Compared { models, rules, native, steps, failures, violated, .. } = compared;
    assert!(models as u64 > cases / 2, "too many are refused: {compared:?}");
    assert!(2 * native > rules, "too little is native: {compared:?}");
    assert!(
        steps > 10 * models && failures > models && violated > models,
        "too little: {compared:?}"
    );
}

#[test]
fn multisets_and_while_loops_have_native_code() {
    for name in [
        "msi_directory",
        "needham_schroeder",
        "producers_consumers",
        "tiny_multiset",
        "tiny_chosen_twice",
        "tiny_while",
    ] {
        let fixture = fixtures().into_iter().find(|one| one.name == name);
        let fixture = fixture.unwrap_or_else(|| panic!("there is no {name}"));
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        let system = CompiledModel::with_backend(&model, Backend::Native);
        assert_eq!(system.native(), model.rules.len(), "{name}");
    }
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    for fixture in fixtures() {
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        for (deadlock, expand_violating, symmetry) in [
            (Deadlock::Stuck, true, Symmetry::Off),
            (Deadlock::Stuttering, false, Symmetry::Off),
            (Deadlock::Stuck, true, Symmetry::Canonical),
            (Deadlock::Stuttering, false, Symmetry::Sorted),
        ] {
            let explored = |threads| {
                // Some fixtures are too large for a test; they must stop at the same place.
                let most_states = Some(20_000);
                let options = Options {
                    deadlock,
                    expand_violating,
                    most_states,
                    threads,
                    symmetry,
                    ..Options::default()
                };
                told(&explore(&CompiledModel::new(&model), &options, &isonomy::Watch::none()))
            };
            let alone = explored(1);
            for threads in [2, 3] {
                assert_eq!(explored(threads), alone, "{}: {threads} threads", fixture.name);
            }
        }
    }
}

/// All that an exploration says, but for how long it took.
fn told(found: &Exploration) -> String {
    let Exploration {
        progress,
        full,
        quotient,
        starts,
        deadlocks,
        rules,
        covered,
        violations,
        stopped,
        time: _,
        memory,
        state_bytes,
    } = found;
    format!(
        "{progress:?} {full:?} {quotient:?} {starts} {deadlocks} {rules:?} {covered:?} {stopped:?} \
         {memory} {state_bytes} {violations:#?}"
    )
}
