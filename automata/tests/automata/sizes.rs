//! Automata do not grow: the sizes of known families and of random formulas, as a golden file.
//!
//! Each row is a set of formulas with the total of states, generalized and state-based, at each
//! effort. A larger number is a step back; a smaller one is progress to be reviewed and blessed
//! (`BLESS=1`). Against other tools: `cargo bench --bench corpus`.

use automata::Limits;
use automata::translate::{Acceptance, Effort, Translator};
use ltl::generate::{FAMILIES, Random, family};
use ltl::{Alphabet, Atom, Atoms, Formula, Formulas};
use std::fmt::Write as _;
use support::golden;

const EFFORTS: [Effort; 3] = [Effort::Low, Effort::Medium, Effort::High];

/// States per effort: generalized, Büchi.
type Totals = [[usize; 2]; 3];

fn add(totals: &mut Totals, formulas: &mut Formulas, f: Formula) {
    let alphabet = Alphabet::default();
    for (effort, total) in EFFORTS.into_iter().zip(totals) {
        for (acceptance, total) in [Acceptance::Generalized, Acceptance::Buchi].iter().zip(total) {
            let mut translator = Translator::new(&alphabet, effort, Limits::default());
            let automaton = translator.translate(formulas, f, *acceptance).expect("within limits");
            *total += automaton.state_count();
        }
    }
}

fn row(out: &mut String, name: &str, totals: &Totals) {
    let _ = write!(out, "{name:<14}");
    for [generalized, buchi] in totals {
        let _ = write!(out, " {generalized:>6} {buchi:>6}");
    }
    out.push('\n');
}

#[test]
fn automata_do_not_grow() {
    let mut found = String::from("formulas          low         medium          high\n");
    for known in FAMILIES {
        let mut totals = Totals::default();
        for n in known.first..=known.first + 3 {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = family(known.name, n, &mut formulas, &mut atoms).expect("a known family");
            // Families that double with each step are watched on their first members.
            if formulas.subformulas(f).len() < 60 {
                add(&mut totals, &mut formulas, f);
            }
        }
        row(&mut found, known.name, &totals);
    }
    for size in [8, 12, 16, 20] {
        let mut totals = Totals::default();
        for seed in 0..60 {
            let mut formulas = Formulas::new();
            let atoms = [Atom(0), Atom(1), Atom(2)];
            let f = Random::new(seed).formula(size, &atoms, &mut formulas);
            add(&mut totals, &mut formulas, f);
        }
        row(&mut found, &format!("random {size}"), &totals);
    }
    golden::compare("fixtures/sizes.txt", &found);
}
