//! Every automaton of a formula accepts exactly the words that satisfy it.
//!
//! The meaning of formulas on lasso words is the judge. Before it stand the tableau's draft and the results of
//! every effort and kind of acceptance: all small formulas on all short words, then thousands of
//! random ones, with and without events, then the corpus where it is present.

use automata::Limits;
use automata::accepts::accepts;
use automata::compare::counterexample;
use automata::emptiness::{accepted_word, is_empty};
use automata::product::Product;
use automata::translate::{Acceptance, Effort, Techniques, Translator};
use ltl::generate::{Random, all_lassos, exhaustive};
use ltl::parser::{Language, parse};
use ltl::word::Lasso;
use ltl::{Alphabet, Atom, Atoms, Formulas};
use suites::Counts;
use suites::translation::{
    Drafts, EFFORTS, check, check_reread, drafts, random_formula, random_formula_over_events,
    translators,
};
use support::formulas;
use support::many::cases;

#[test]
fn all_small_formulas_on_all_short_words() {
    let mut formulas = Formulas::new();
    let atoms = [Atom(0), Atom(1)];
    let mut names = Atoms::new();
    names.proposition("p");
    names.proposition("q");
    let small = exhaustive(4, &atoms, &mut formulas);
    let words = all_lassos(&atoms, 1, 2);
    assert!(small.len() > 2000, "{}", small.len());
    let alphabet = Alphabet::default();
    for (k, &f) in small.iter().enumerate() {
        check(&mut translators(&alphabet), &mut formulas, f, &words, &format!("formula {k}"));
        if k % 7 == 0 {
            check_reread(&names, &mut formulas, f, &words, &format!("formula {k}"));
        }
    }
}

#[test]
fn random_formulas_on_random_words() {
    let counts = Counts::default();
    for seed in 0..cases(3000) {
        random_formula(seed, &counts);
    }
}

#[test]
fn random_formulas_over_events() {
    let counts = Counts::default();
    for seed in 0..cases(1000) {
        random_formula_over_events(seed, &counts);
    }
}

/// Formulas of collections: on random words, on words that their unreduced automata accept, and against the
/// unreduced automata of their negations.
fn translate_exactly(all: &[formulas::Formula]) {
    for (k, formulas::Formula { text: line, .. }) in all.iter().enumerate() {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = parse(Language::Spot, line, &mut formulas, &mut atoms).expect("a formula");
        let ids = formulas.atoms(f);
        let alphabet = Alphabet::default();
        let mut random = Random::new(k as u64);
        let random_words: Vec<_> = (0..3).map(|_| random.lasso(&alphabet, &ids, 4, 4)).collect();
        for effort in EFFORTS {
            let mut translator = Translator::new(&alphabet, effort, Limits::default());
            let Drafts { yes, no, mut words } = drafts(&mut translator, &mut formulas, f, k as u64);
            words.extend(random_words.iter().cloned());
            for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
                let automaton =
                    translator.translate(&mut formulas, f, acceptance).expect("no limit");
                for word in &words {
                    let found = accepts(&translator.guards, &automaton, word);
                    assert_eq!(found, word.satisfies(&formulas, f), "{line} on {word:?}");
                }
                assert_eq!(is_empty(&automaton), is_empty(&yes), "{line}");
                // Nothing is accepted that satisfies the negation: exact.
                let both = Product::of(&mut translator.guards, &automaton, &no);
                assert!(is_empty(&both.expect("no limit").automaton), "{line}");
            }
        }
    }
}

#[test]
fn the_sample_is_translated_exactly() {
    translate_exactly(&formulas::sample());
}

#[test]
fn the_corpus_is_translated_exactly() {
    let Some(corpus) = formulas::corpus() else { return };
    assert!(corpus.len() > 1000, "{} formulas", corpus.len());
    translate_exactly(&corpus);
}

/// A formula that Spot 2.12 translates wrongly (state-based, high effort).
#[test]
fn a_formula_that_others_get_wrong() {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let text = "!((p1 W p2) | ((p1 M p0) U Gp1))";
    let f = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
    let words = all_lassos(&formulas.atoms(f), 1, 2);
    check(&mut translators(&Alphabet::default()), &mut formulas, f, &words, text);
}

/// The tableau of this formula has half a million states; waiting for one recurrence after the
/// other needs 21.
#[test]
fn recurrences_do_not_explode() {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let text = "GF(a & X[10]b) & GF(c & X[9]d)";
    let f = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
    let alphabet = Alphabet::default();
    let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
    let automaton = translator.translate(&mut formulas, f, Acceptance::Generalized);
    let automaton = automaton.expect("no limit");
    assert!(automaton.state_count() <= 21, "{}", automaton.state_count());
    for seed in 0..200 {
        let word = Random::new(seed).lasso(&alphabet, &formulas.atoms(f), 12, 14);
        let found = accepts(&translator.guards, &automaton, &word);
        assert_eq!(found, word.satisfies(&formulas, f), "seed {seed}");
    }
}

/// Without any one technique, and with all of them, the language is the same.
#[test]
fn every_technique_can_be_switched_off() {
    let atoms = [Atom(0), Atom(1), Atom(2)];
    let alphabet = Alphabet::default();
    for seed in 0..cases(300) {
        let mut random = Random::new(3_000_000 + seed);
        let mut formulas = Formulas::new();
        let f = random.formula(8 + seed as usize % 10, &atoms, &mut formulas);
        let words: Vec<_> = (0..10).map(|_| random.lasso(&alphabet, &atoms, 3, 3)).collect();
        for (name, technique) in Techniques::ALL {
            let mut techniques = Techniques::of(Effort::High);
            *technique(&mut techniques) = false;
            let mut translator = Translator::with(&alphabet, techniques, Limits::default());
            for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
                let automaton =
                    translator.translate(&mut formulas, f, acceptance).expect("no limit");
                for word in &words {
                    let found = accepts(&translator.guards, &automaton, word);
                    assert_eq!(found, word.satisfies(&formulas, f), "seed {seed} without {name}");
                }
            }
        }
    }
}

#[test]
fn a_formula_and_its_negation_share_no_word() {
    let atoms = [Atom(0), Atom(1), Atom(2)];
    for seed in 0..cases(2000) {
        let mut random = Random::new(1_000_000 + seed);
        let mut formulas = Formulas::new();
        let f = random.formula(8 + seed as usize % 12, &atoms, &mut formulas);
        let not_f = formulas.not(f);
        let alphabet = Alphabet::default();
        for mut translator in translators(&alphabet) {
            for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
                let yes = translator.translate(&mut formulas, f, acceptance).expect("no limit");
                let no = translator.translate(&mut formulas, not_f, acceptance).expect("no limit");
                let both =
                    Product::of(&mut translator.guards, &yes, &no).expect("no limit").automaton;
                assert!(
                    is_empty(&both),
                    "seed {seed}: {:?}",
                    accepted_word(&translator.guards, &both)
                );
            }
        }
    }
}

#[test]
fn different_formulas_have_a_distinguishing_word() {
    let atoms = [Atom(0), Atom(1)];
    let words = all_lassos(&atoms, 1, 2);
    let (mut same, mut different) = (0, 0);
    for seed in 0..500 {
        let mut random = Random::new(2_000_000 + seed);
        let mut formulas = Formulas::new();
        let f = random.formula(1 + seed as usize % 6, &atoms, &mut formulas);
        let g = random.formula(1 + seed as usize % 5, &atoms, &mut formulas);
        let alphabet = Alphabet::default();
        let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
        let found = counterexample(&mut translator, &mut formulas, f, g).expect("no limit");
        if let Some(word) = found {
            assert!(word.satisfies(&formulas, f) && !word.satisfies(&formulas, g));
            different += 1;
        } else {
            let refuted = |w: &&Lasso| w.satisfies(&formulas, f) && !w.satisfies(&formulas, g);
            assert_eq!(words.iter().find(refuted), None, "seed {seed}");
            same += 1;
        }
    }
    assert!(same > 50 && different > 50, "{same} {different}");
}
