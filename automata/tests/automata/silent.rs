//! Which formulas silent steps cannot change: both tests against words into which silent letters are
//! inserted, and from which they are removed.

use automata::Limits;
use automata::silent::is_insensitive;
use automata::translate::{Effort, Translator};
use ltl::generate::Random;
use ltl::parser::{Language, parse};
use ltl::silent::is_evidently_insensitive;
use ltl::{Alphabet, Atom, AtomKind, Atoms, Formula, Formulas, Lasso, Letter};
use run::SplitMix64;

/// Two atoms about states and two about steps, of which at most one is true at a time.
struct Setting {
    formulas: Formulas,
    atoms: Atoms,
    of_states: Vec<Atom>,
    of_steps: Vec<Atom>,
    alphabet: Alphabet,
}

impl Setting {
    fn new() -> Setting {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        parse(Language::Spot, "p & q & @a & @b", &mut formulas, &mut atoms).expect("a formula");
        let is_of_steps = |atom: &Atom| {
            atoms.iter().any(|(one, kind)| one == *atom && matches!(kind, AtomKind::Event(_)))
        };
        let all: Vec<Atom> = atoms.iter().map(|(atom, _)| atom).collect();
        let (of_steps, of_states) = all.into_iter().partition(is_of_steps);
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        Setting { formulas, atoms, of_states, of_steps, alphabet }
    }

    fn decide(&mut self, formula: Formula) -> bool {
        let limits = Limits::default();
        let mut translator = Translator::new(&self.alphabet, Effort::Medium, limits);
        let formulas = &mut self.formulas;
        let decided = is_insensitive(&mut translator, formulas, formula, &self.of_steps);
        decided.expect("a small formula").expect("few atoms")
    }

    fn is_evident(&self, formula: Formula) -> bool {
        is_evidently_insensitive(&self.formulas, formula, &|atom| self.of_steps.contains(&atom))
    }

    /// The letter without events.
    fn silent(&self, letter: &Letter) -> Letter {
        let mut silent = letter.clone();
        self.of_steps.iter().for_each(|&atom| silent.set(atom, false));
        silent
    }

    /// Inserts silent letters at random.
    fn padded(&self, word: &Lasso, random: &mut SplitMix64) -> Lasso {
        let mut pad = |letters: &[Letter]| -> Vec<Letter> {
            let pad_one = |letter: &Letter| {
                let count = [0, 0, 1, 2][random.below(4)];
                let mut found = vec![self.silent(letter); count];
                found.push(letter.clone());
                found
            };
            letters.iter().flat_map(pad_one).collect()
        };
        let (stem, cycle) = (pad(word.stem()), pad(word.cycle()));
        Lasso::new(stem, cycle).expect("there is a cycle")
    }

    /// Looks for a word whose truth changes with silent letters.
    fn is_changed(&self, formula: Formula, tries: usize, random: &mut Random) -> bool {
        let all = [&self.of_states[..], &self.of_steps[..]].concat();
        (0..tries).any(|k| {
            let word = random.lasso(&self.alphabet, &all, k % 5, 1 + k % 4);
            let padded = self.padded(&word, &mut random.rng);
            word.satisfies(&self.formulas, formula) != padded.satisfies(&self.formulas, formula)
        })
    }
}

/// Formulas, whether they are insensitive, and whether that is evident.
const NAMED: [(&str, bool, bool); 27] = [
    ("@a", false, false),
    ("G @a", false, false),
    ("@a U @b", false, false),
    ("p U @a", false, false),
    ("p U (q & @a)", false, false),
    ("G(p -> @a)", false, false),
    ("X p", false, false),
    ("G(@a -> X @b)", false, false),
    ("F(p & !@a)", false, false),
    ("p U (p & @a)", true, true),
    ("(p | q) U (q & @a)", true, true),
    ("(p | !@b) U (p & @a)", true, true),
    ("!@a U @b", true, true),
    ("G(@a -> F @b)", true, true),
    ("G(@a -> p)", true, true),
    ("G(@a -> X p)", true, true),
    ("F(@a & X F @b)", true, true),
    ("G(@a -> X(!@a U @b))", true, true),
    ("G(@a -> X(!@a W @b))", true, true),
    ("G(p -> F @a)", true, true),
    ("G F @a -> G F q", true, true),
    ("!@a W p", true, true),
    ("p U q", true, true),
    ("G !p", true, true),
    ("G(p -> (q R !@a))", false, false),
    // Equivalent to `true` and to `p`, in other words.
    ("X p | !X p", true, false),
    ("(p & X p) | (p & !X p)", true, false),
];

#[test]
fn named_formulas_are_classified() {
    let mut setting = Setting::new();
    let mut random = Random::new(3);
    for (text, expected, is_evident) in NAMED {
        let formula = {
            let Setting { formulas, atoms, .. } = &mut setting;
            parse(Language::Spot, text, formulas, atoms).expect("a formula")
        };
        assert_eq!(setting.decide(formula), expected, "{text}");
        assert_eq!(setting.is_evident(formula), is_evident, "{text}");
        assert_eq!(setting.is_changed(formula, 3000, &mut random), !expected, "{text}");
    }
}

#[test]
fn random_formulas_are_classified_as_words_say() {
    let mut setting = Setting::new();
    let mut random = Random::new(17);
    let all = [&setting.of_states[..], &setting.of_steps[..]].concat();
    let [mut sensitive, mut insensitive, mut evident, mut unshown] = [0; 4];
    for k in 0..1500 {
        random.weights.next = if k % 3 == 0 { 6 } else { 0 };
        let formula = random.formula(2 + k % 9, &all, &mut setting.formulas);
        let decided = setting.decide(formula);
        let is_evident = setting.is_evident(formula);
        assert!(decided || !is_evident, "evident, but sensitive: {formula:?} of case {k}");
        evident += usize::from(is_evident);
        if decided {
            insensitive += 1;
            assert!(!setting.is_changed(formula, 300, &mut random), "case {k} is sensitive");
        } else {
            sensitive += 1;
            unshown += usize::from(!setting.is_changed(formula, 20_000, &mut random));
        }
    }
    // A few are changed by rare words only.
    assert!(sensitive > 300 && insensitive > 300 && evident > 200, "too few of a kind");
    assert!(unshown * 100 <= sensitive, "{unshown} of {sensitive} were not shown by a word");
}
