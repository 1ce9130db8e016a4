//! Checking against brute force: the unreduced product of the interpreter's graph and a plain tableau.
//!
//! `ISONOMY_CASES=100000 cargo test --release --test verdicts` looks at so many random models, and asks so
//! many questions about small systems. That mistakes would be noticed is tested, too: see [`mutants`].
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod deep;
mod mutants;
mod plain;

use compile::CompiledModel;
use isonomy::check::{Options, Verdict, check};
use model::checked::Formula;
use suites::verdicts::brute_force::Reference;
use suites::verdicts::compare::{Outcomes, compare};
use suites::verdicts::{self, QUESTIONS, Usefulness};
use support::headers::fixtures;
use support::many::{cases, in_parallel};
use support::random::each_model;

#[test]
fn formulas_of_fixtures() {
    let all = fixtures();
    let outcomes = Outcomes::default();
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        let Some(reference) = Reference::new(&model, 3000) else { return };
        let formulas: Vec<&Formula> = model.formulas.iter().collect();
        compare(&fixture.name, &reference, &formulas, k, &outcomes);
    });
    outcomes.report("formulas of fixtures", 20);
}

#[test]
fn random_formulas_of_random_models() {
    let outcomes = Outcomes::default();
    let usefulness = Usefulness::default();
    each_model(1500, |context, model| {
        verdicts::ask_random_model(context, model, &outcomes, &usefulness);
    });
    usefulness.report("random models");
    outcomes.report("random formulas", 200);
}

/// How many small systems are looked at.
const SYSTEMS: u64 = 1500;

#[test]
fn random_questions_about_small_systems() {
    let outcomes = Outcomes::default();
    let usefulness = Usefulness::default();
    // A case is a question about a system.
    let systems = cases(SYSTEMS * QUESTIONS as u64) / QUESTIONS as u64;
    in_parallel(systems, |seed| {
        verdicts::ask_small_system(seed, &outcomes, &usefulness);
    });
    let useful = usefulness.report("small systems");
    assert!(useful > 70, "{useful} % are useful: too few");
    outcomes.report("random questions", systems as usize);
}

/// PAPERS: the product for mutual exclusion has as many nodes as the quotient has states.
#[test]
fn exclusion_of_the_resource_controller_costs_no_more_than_the_quotient() {
    let all = fixtures();
    let fixture = all.iter().find(|one| one.name == "resource_controller").expect("a fixture");
    for (clients, nodes) in [(9, 38), (49, 198), (99, 398)] {
        let (name, value) = ("N".to_owned(), clients.to_string());
        let model = fixture.model(&[model::Definition { name, value }]);
        let is_it = |one: &&Formula| one.name.as_deref() == Some("exclusion");
        let formula = model.formulas.iter().find(is_it).expect("it is stated");
        let system = CompiledModel::new(&model);
        let found = check(&system, formula, &Options::default(), &isonomy::Watch::none());
        let found = found.expect("nothing is misjudged");
        assert!(matches!(found.verdict, Verdict::Holds), "{:?}", found.verdict);
        assert_eq!(found.statistics.product_nodes, nodes, "{clients} clients");
        assert_eq!(found.statistics.representatives, nodes, "{clients} clients");
    }
}
