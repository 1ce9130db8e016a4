//! What reduction gains on models whose processes have work of their own: exact counts of states.

use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::{Options, PartialOrder, Reduced, Verdict, check};
use isonomy::model::Definition;
use model::check_with;
use std::fs;
use support::root;

/// A model, its constant N, and the states: without reduction; by partial order; by symmetry; by both.
const GAINS: [(&str, Option<u32>, [u64; 4]); 4] = [
    ("philosophers", Some(5), [23_285, 6_581, 4_661, 1_326]),
    ("philosophers", Some(6), [174_057, 32_271, 29_099, 5_407]),
    ("two_phase_commit", Some(4), [38_773, 7_102, 2_782, 563]),
    ("producers_consumers", None, [110_592, 10_372, 110_592, 10_372]),
];

#[test]
fn reduction_gains_what_it_is_said_to() {
    let mut wrong = Vec::new();
    for (name, size, expected) in GAINS {
        let text =
            fs::read_to_string(root().join(format!("fixtures/por/{name}.m"))).expect("a file");
        let definitions: Vec<Definition> = size
            .into_iter()
            .map(|size| Definition { name: "N".to_owned(), value: size.to_string() })
            .collect();
        let model = check_with(&text, &definitions, &[]).expect("a model");
        let system = CompiledModel::new(&model);
        let mut found = Vec::new();
        for reduction in [Reduction::Off, Reduction::Canonical] {
            for partial_order in [PartialOrder::Off, PartialOrder::Auto] {
                let options = Options { reduction, partial_order, ..Options::default() };
                let outcome = check(&system, &model.formulas[0], &options, &isonomy::Watch::none());
                let outcome = outcome.expect("nothing is misjudged");
                assert!(matches!(outcome.verdict, Verdict::Holds), "{name}: {:?}", outcome.verdict);
                let is_reduced = outcome.statistics.by_partial_order == Reduced::Yes;
                assert_eq!(is_reduced, partial_order == PartialOrder::Auto, "{name}");
                found.push(outcome.statistics.representatives);
            }
        }
        if found != expected {
            wrong.push(format!("{name} {size:?}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
