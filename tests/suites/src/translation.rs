//! Automata of formulas against the meaning of formulas on lasso words: the tableau's draft and the results of every
//! effort and kind of acceptance.

use crate::Counts;
use automata::accepts::{StateLasso, accepting_run, accepts};
use automata::emptiness::{accepted_word, is_empty};
use automata::formats::hoa;
use automata::tableau::tableau;
use automata::translate::{Acceptance, Effort, Translator};
use automata::{Automaton, Components, Edge, Guards, Limits, Marks, State};
use ltl::generate::{Random, SplitMix64};
use ltl::normal::{negated_normal_form, negation_normal_form};
use ltl::word::{Lasso, Letter};
use ltl::{Alphabet, Argument, Atom, AtomKind, Atoms, EventPattern, Formula, Formulas};

/// Translates the random formula of a seed, and reads random words and words that its draft accepts.
pub fn random_formula(seed: u64, counts: &Counts) {
    let atoms = [Atom(0), Atom(1), Atom(2)];
    let alphabet = Alphabet::default();
    let mut random = Random::new(seed);
    let mut formulas = Formulas::new();
    let f = random.formula(8 + seed as usize % 12, &atoms, &mut formulas);
    let words: Vec<_> = (0..20).map(|_| random.lasso(&alphabet, &atoms, 3, 4)).collect();
    let mut translators = translators(&alphabet);
    let drafts = drafts(&mut translators[0], &mut formulas, f, seed);
    let words = [words, drafts.words].concat();
    let made = check(&mut translators, &mut formulas, f, &words, &format!("seed {seed}"));
    counts.add(1, made, made * words.len(), 0);
}

/// The same over events, and what is written is read again.
pub fn random_formula_over_events(seed: u64, counts: &Counts) {
    let (atoms, ids) = with_events();
    let alphabet = Alphabet::of(&atoms).expect("few events");
    let mut random = Random::new(seed);
    let mut formulas = Formulas::new();
    let f = random.formula(6 + seed as usize % 10, &ids, &mut formulas);
    let words: Vec<_> = (0..20).map(|_| random.lasso(&alphabet, &ids, 3, 3)).collect();
    let what = format!("seed {seed}");
    let made = check(&mut translators(&alphabet), &mut formulas, f, &words, &what);
    check_reread(&atoms, &mut formulas, f, &words, &what);
    // Whatever an automaton accepts is a word that exists.
    let mut translators = translators(&alphabet);
    for (_, automaton, guards) in automata(&mut translators, &mut formulas, f) {
        if let Some(word) = accepted_word(guards, &automaton) {
            assert!(word.letters().iter().all(|l| alphabet.allows(|atom| l.has(atom))), "{what}");
        }
    }
    // Read again, and read again and reduced, with every effort and kind of acceptance.
    let made = made + 4 * EFFORTS.len();
    counts.add(1, made, made * words.len(), 0);
}

pub const EFFORTS: [Effort; 3] = [Effort::Low, Effort::Medium, Effort::High];

/// All automata that we make of a formula, with what they are, and the labels that they use.
pub fn automata<'t, 'p>(
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

/// One translator per effort.
pub fn translators(alphabet: &Alphabet) -> Vec<Translator<'_>> {
    EFFORTS.map(|effort| Translator::new(alphabet, effort, Limits::default())).into()
}

/// Compares all automata of a formula with its meaning on some words; returns how many automata there are.
pub fn check(
    translators: &mut [Translator<'_>],
    formulas: &mut Formulas,
    f: Formula,
    words: &[Lasso],
    what: &str,
) -> usize {
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
    all.len()
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
pub fn check_reread(
    atoms: &Atoms,
    formulas: &mut Formulas,
    f: Formula,
    words: &[Lasso],
    what: &str,
) {
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

/// Atoms: a proposition and overlapping events.
pub fn with_events() -> (Atoms, Vec<Atom>) {
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

/// What no reduction has touched: the automata of a formula and of its negation, and words that the
/// first accepts.
pub struct Drafts {
    pub yes: Automaton,
    pub no: Automaton,
    pub words: Vec<Lasso>,
}

pub fn drafts(
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
