//! The class of a formula in the hierarchy: a table of known ones, and its laws on random ones.

use automata::Limits;
use automata::classify::{Class, classify};
use automata::translate::{Effort, Translator};
use ltl::generate::Random;
use ltl::parser::{Language, parse};
use ltl::{Alphabet, Atom, Atoms, Formula, Formulas};

fn class_of(formulas: &mut Formulas, f: Formula) -> Class {
    let alphabet = Alphabet::default();
    let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
    classify(&mut translator, formulas, f).expect("no limit")
}

#[test]
fn known_formulas() {
    for (text, expected) in [
        ("1", "safety and guarantee"),
        ("0", "safety and guarantee"),
        ("a & X b", "safety and guarantee"),
        ("G a", "safety"),
        ("a W b", "safety"),
        ("a R b", "safety"),
        ("G(a -> X X b)", "safety"),
        ("F G a & 0", "safety and guarantee"),
        ("F a", "guarantee"),
        ("a U b", "guarantee"),
        ("a M b", "guarantee"),
        ("F a | G b", "obligation"),
        ("F a & G b", "obligation"),
        ("(a U b) & G c", "obligation"),
        ("F G a & G a", "safety"),
        ("G F a", "recurrence"),
        ("G(a -> F b)", "recurrence"),
        ("G F a & F b", "recurrence"),
        ("F G a", "persistence"),
        ("F(a & G b)", "persistence"),
        ("F G a | G F (a & !a)", "persistence"),
        ("G F a -> G F b", "reactivity"),
        ("G F a & F G b", "reactivity"),
        ("G F a | F G b", "reactivity"),
        ("G(F a | G b)", "recurrence"),
        ("F(G a & F b)", "persistence"),
    ] {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
        assert_eq!(class_of(&mut formulas, f).to_string(), expected, "{text}");
    }
}

#[test]
fn laws_of_the_hierarchy() {
    let atoms = [Atom(0), Atom(1)];
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut formulas = Formulas::new();
        let f = random.formula(5 + seed as usize % 8, &atoms, &mut formulas);
        let (not_f, later) = (formulas.not(f), formulas.next(f));
        let class = class_of(&mut formulas, f);
        let dual = class_of(&mut formulas, not_f);
        assert_eq!((class.safety, class.guarantee), (dual.guarantee, dual.safety), "seed {seed}");
        assert_eq!(
            (class.recurrence, class.persistence),
            (dual.persistence, dual.recurrence),
            "seed {seed}"
        );
        assert_eq!(class, class_of(&mut formulas, later), "X keeps the class: seed {seed}");
        *seen.entry(class.to_string()).or_insert(0) += 1;
    }
    assert!(seen.len() >= 6, "{seen:?}");
}
