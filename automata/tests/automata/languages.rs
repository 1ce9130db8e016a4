//! Every automaton of a formula accepts exactly the words that satisfy it.
//!
//! The meaning of formulas on lasso words is the judge. Before it stand the tableau's draft and the results of
//! every effort and kind of acceptance: all small formulas on all short words, then thousands of
//! random ones, with and without events, then the corpus where it is present.

use automata::accepts::{StateLasso, accepting_run, accepts};
use automata::compare::counterexample;
use automata::emptiness::{accepted_word, is_empty};
use automata::formats::hoa;
use automata::product::Product;
use automata::tableau::tableau;
use automata::translate::{Acceptance, Effort, Techniques, Translator};
use automata::{Automaton, Components, Edge, Guards, Limits, Marks, State};
use ltl::generate::{Random, SplitMix64, all_lassos, exhaustive};
use ltl::normal::{negated_normal_form, negation_normal_form};
use ltl::parser::{Language, parse};
use ltl::word::{Lasso, Letter};
use ltl::{Alphabet, Argument, Atom, AtomKind, Atoms, EventPattern, Formula, Formulas};
use support::formulas;

const EFFORTS: [Effort; 3] = [Effort::Low, Effort::Medium, Effort::High];

/// All automata that we make of a formula, with what they are, and the labels that they use.
fn automata<'t, 'p>(
    translators: &'t mut [Translator<'p>],
    formulas: &mut Formulas,
    f: Formula,
) -> Vec<(&'static str, Automaton, &'t Guards<'p>)> {
    let mut made = Vec::new();
    for (effort, translator) in EFFORTS.into_iter().zip(translators) {
        let mut here = Vec::new();
        if effort == Effort::Low {
            let normal = negation_normal_form(formulas, f);
            let draft = tableau(&mut translator.guards, formulas, normal).expect("no limit");
            here.push(("draft", draft));
        }
        for (name, acceptance) in
            [("generalized", Acceptance::Generalized), ("Büchi", Acceptance::Buchi)]
        {
            let automaton = translator.translate(formulas, f, acceptance).expect("no limit");
            if acceptance == Acceptance::Buchi {
                assert!(automaton.is_state_based() && automaton.acceptance_sets() == 1);
            }
            here.push((name, automaton));
        }
        let guards = &translator.guards;
        made.extend(here.into_iter().map(|(name, automaton)| (name, automaton, guards)));
    }
    made
}

/// How many random cases to try: `ISONOMY_SOAK=20` tries twenty times as many.
fn cases(usual: u64) -> u64 {
    let factor = std::env::var("ISONOMY_SOAK").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}

fn translators(alphabet: &Alphabet) -> Vec<Translator<'_>> {
    EFFORTS.map(|effort| Translator::new(alphabet, effort, Limits::default())).into()
}

fn check(
    translators: &mut [Translator<'_>],
    formulas: &mut Formulas,
    f: Formula,
    words: &[Lasso],
    what: &str,
) {
    let all = automata(translators, formulas, f);
    for word in words {
        let expected = word.satisfies(formulas, f);
        for (k, (name, automaton, guards)) in all.iter().enumerate() {
            assert_eq!(
                accepts(guards, automaton, word),
                expected,
                "{what}: {name} automaton {k} on {word:?}\n{automaton:?}"
            );
            let run = accepting_run(guards, automaton, word);
            assert_eq!(run.is_some(), expected, "{what}: {name} automaton {k} on {word:?}");
            if let Some(run) = run {
                check_run(guards, automaton, word, &run);
            }
        }
    }
    for (name, automaton, guards) in &all {
        let word = accepted_word(guards, automaton);
        assert_eq!(word.is_none(), is_empty(automaton));
        if let Some(word) = word {
            assert!(word.satisfies(formulas, f), "{what}: {name} accepts {word:?}");
        }
    }
}

/// The run reads the word from its beginning, letter by letter, comes back to where its cycle starts, and can meet all
/// marks on the way round.
fn check_run(guards: &Guards<'_>, automaton: &Automaton, word: &Lasso, run: &StateLasso) {
    let StateLasso { stem, cycle } = run;
    assert_eq!(stem.first().unwrap_or(&cycle[0]), &automaton.initial());
    let states = stem.iter().chain(cycle);
    let nexts = stem.iter().chain(cycle).skip(1).chain(&cycle[..1]);
    let (mut position, mut met, mut entry) = (0, Marks::NONE, 0);
    for (k, (&state, &next)) in states.zip(nexts).enumerate() {
        let letter = &word.letters()[position];
        let reads = |edge: &&Edge| guards.evaluate(edge.guard, |v| letter.has(Atom(v)));
        let taken: Vec<&Edge> =
            automaton.edges(state).iter().filter(reads).filter(|e| e.target == next).collect();
        assert!(!taken.is_empty(), "there is an edge");
        if k == stem.len() {
            entry = position;
        }
        if k >= stem.len() {
            met = taken.iter().fold(met, |sum, edge| sum | edge.marks);
        }
        position = word.successor(position);
    }
    assert_eq!(position, entry);
    assert!(met.contains(automaton.all_marks()));
}

/// Written as HOA and read again, the automata of `f` still accept what satisfies it.
fn check_reread(atoms: &Atoms, formulas: &mut Formulas, f: Formula, words: &[Lasso], what: &str) {
    let alphabet = Alphabet::of(atoms).expect("few events");
    for mut translator in translators(&alphabet) {
        for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
            let automaton = translator.translate(formulas, f, acceptance).expect("no limit");
            let text = hoa::write(&mut translator.guards, &automaton, atoms, Some(what))
                .expect("no limit");
            let documents = hoa::read(&text).expect("we read what we write");
            let document = &documents[0];
            let mut guards = document.guards(Limits::default()).expect("few events");
            let reread = document.build(&mut guards).expect("no limit");
            assert_eq!(reread.state_count(), automaton.state_count(), "{what}\n{text}");
            // The document numbers the atoms that it mentions anew.
            let mut old = atoms.clone();
            let names: Vec<_> =
                document.atoms().iter().map(|(_, kind)| old.intern(kind.clone())).collect();
            let renamed = |letters: &[Letter]| -> Vec<Letter> {
                let rename = |letter: &Letter| {
                    (0..)
                        .zip(&names)
                        .filter(|(_, atom)| letter.has(**atom))
                        .map(|(new, _)| Atom(new))
                        .collect()
                };
                letters.iter().map(rename).collect()
            };
            for word in words {
                let expected = word.satisfies(formulas, f);
                let renamed =
                    Lasso::new(renamed(word.stem()), renamed(word.cycle())).expect("a cycle");
                assert_eq!(
                    accepts(&guards, &reread, &renamed),
                    expected,
                    "{what} on {word:?}\n{text}"
                );
            }
            // Started from the automaton, the reductions keep it and do not make it larger.
            let alphabet = Alphabet::of(document.atoms()).expect("few events");
            let mut again = Translator::new(&alphabet, Effort::High, Limits::default());
            let reread = document.build(&mut again.guards).expect("no limit");
            let reduced = again.reduce(&reread, acceptance).expect("no limit");
            assert!(reduced.state_count() <= automaton.state_count(), "{what}\n{text}");
            for word in words {
                let expected = word.satisfies(formulas, f);
                let renamed =
                    Lasso::new(renamed(word.stem()), renamed(word.cycle())).expect("a cycle");
                assert_eq!(
                    accepts(&again.guards, &reduced, &renamed),
                    expected,
                    "{what} on {word:?}\n{text}"
                );
            }
        }
    }
}

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
    let atoms = [Atom(0), Atom(1), Atom(2)];
    let alphabet = Alphabet::default();
    for seed in 0..cases(3000) {
        let mut random = Random::new(seed);
        let mut formulas = Formulas::new();
        let f = random.formula(8 + seed as usize % 12, &atoms, &mut formulas);
        let words: Vec<_> = (0..20).map(|_| random.lasso(&alphabet, &atoms, 3, 4)).collect();
        let mut translators = translators(&alphabet);
        let drafts = drafts(&mut translators[0], &mut formulas, f, seed);
        let words = [words, drafts.words].concat();
        check(&mut translators, &mut formulas, f, &words, &format!("seed {seed}"));
    }
}

/// Atoms: a proposition and overlapping events.
fn with_events() -> (Atoms, Vec<Atom>) {
    let event = |name: &str, arguments: Option<Vec<Argument>>| {
        AtomKind::Event(EventPattern::Named { name: name.to_owned(), arguments })
    };
    let value = |text: &str| Argument::Value(text.to_owned());
    let mut atoms = Atoms::new();
    let ids = vec![
        atoms.proposition("p"),
        atoms.intern(event("a", Some(vec![value("x")]))),
        atoms.intern(event("a", Some(vec![Argument::Any]))),
        atoms.intern(event("b", None)),
        atoms.intern(AtomKind::Event(EventPattern::By(value("s")))),
    ];
    (atoms, ids)
}

#[test]
fn random_formulas_over_events() {
    let (atoms, ids) = with_events();
    let alphabet = Alphabet::of(&atoms).expect("few events");
    for seed in 0..cases(1000) {
        let mut random = Random::new(seed);
        let mut formulas = Formulas::new();
        let f = random.formula(6 + seed as usize % 10, &ids, &mut formulas);
        let words: Vec<_> = (0..20).map(|_| random.lasso(&alphabet, &ids, 3, 3)).collect();
        check(&mut translators(&alphabet), &mut formulas, f, &words, &format!("seed {seed}"));
        check_reread(&atoms, &mut formulas, f, &words, &format!("seed {seed}"));
        // Whatever an automaton accepts is a word that exists.
        let mut translators = translators(&alphabet);
        for (_, automaton, guards) in automata(&mut translators, &mut formulas, f) {
            if let Some(word) = accepted_word(guards, &automaton) {
                assert!(word.letters().iter().all(|l| alphabet.allows(|atom| l.has(atom))));
            }
        }
    }
}

/// What no reduction has touched: the automata of a formula and of its negation, and words that the
/// first accepts.
struct Drafts {
    yes: Automaton,
    no: Automaton,
    words: Vec<Lasso>,
}

fn drafts(
    translator: &mut Translator<'_>,
    formulas: &mut Formulas,
    f: Formula,
    seed: u64,
) -> Drafts {
    let (yes, no) = (negation_normal_form(formulas, f), negated_normal_form(formulas, f));
    let guards = &mut translator.guards;
    let yes = tableau(guards, formulas, yes).expect("no limit");
    let no = tableau(guards, formulas, no).expect("no limit");
    let mut rng = SplitMix64::new(seed);
    let words = (0..6).filter_map(|_| some_accepted_word(&mut rng, guards, &yes)).collect();
    Drafts { yes, no, words }
}

/// A word that the automaton accepts, found by walking at random among useful states until all marks
/// were seen since some state was entered for the first time, and that state comes again; `None` if
/// the walk takes too long.
fn some_accepted_word(
    rng: &mut SplitMix64,
    guards: &Guards<'_>,
    automaton: &Automaton,
) -> Option<Lasso> {
    let components = Components::of(automaton);
    let mut path: Vec<(State, Edge)> = Vec::new();
    let mut at = automaton.initial();
    for _ in 0..60 {
        let edges = automaton.edges(at).iter().filter(|edge| components.is_useful(edge.target));
        let edge = **rng.pick(&edges.collect::<Vec<_>>())?;
        path.push((at, edge));
        at = edge.target;
        // The longest cycle that ends here.
        let Some(start) = path.iter().position(|&(state, _)| state == at) else { continue };
        let seen = path[start..].iter().fold(Marks::NONE, |marks, (_, edge)| marks | edge.marks);
        if seen.contains(automaton.all_marks()) {
            let mut letters = path.iter().map(|(_, edge)| {
                let mut letter = Letter::new();
                for (variable, sign) in guards.witness(edge.guard).expect("not `false`") {
                    letter.set(Atom(variable), sign);
                }
                letter
            });
            let stem = letters.by_ref().take(start).collect();
            return Lasso::new(stem, letters.collect());
        }
    }
    None
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
