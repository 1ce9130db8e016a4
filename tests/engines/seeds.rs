//! Each seed of a suite is a system of its own: otherwise a long run would ask the same questions again.

use model::generate;
use std::collections::HashSet;
use suites::compiled::{guards, multisets};
use suites::fairness::schedules;
use suites::symmetry;
use suites::{canonical, systems};

/// How many seeds are looked at.
const SEEDS: u64 = 400;

/// Something that is generated, as text, by a seed.
type Generated = fn(u64) -> String;

#[test]
fn seeds_are_different_systems() {
    let table: [(&str, Generated); 8] = [
        ("small systems", |seed| systems::case(seed, 0).text),
        ("questions", |seed| systems::case(seed, 3).questions.join("\n")),
        // There are only some hundred of them.
        ("schedules", |seed| schedules::system(seed).0.split_once('\n').expect("a line").1.into()),
        ("models", |seed| generate::model(seed, &generate::Options::default())),
        ("symmetric models", symmetry::random_text),
        ("multisets", multisets::model),
        ("guards", guards::model),
        ("states", |seed| {
            let case = format!("{:?}", canonical::Case::new(seed, true));
            case.split_once(':').expect("a seed").1.to_owned()
        }),
    ];
    for (what, generated) in table {
        let different: HashSet<String> = (0..SEEDS).map(generated).collect();
        assert!(different.len() as u64 * 10 > SEEDS * 9, "{what}: only {}", different.len());
    }
}
