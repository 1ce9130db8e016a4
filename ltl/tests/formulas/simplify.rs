//! Simplification: every rule fires, every result means what the formula meant.

use ltl::generate::{self, Random};
use ltl::normal::negation_normal_form;
use ltl::parser::{Language, parse};
use ltl::simplify::{Level, Simplifier, most_steps, rules};
use ltl::{Alphabet, Atom, Atoms, Formula, Formulas, Node, word};
use suites::Counts;
use suites::simplification::{
    LEVELS, Shown, random_formulas, random_formulas_over_events, roots, shown, simplified,
};

/// Reads a formula that the test is sure of, as written.
fn read(text: &str, formulas: &mut Formulas, atoms: &mut Atoms) -> Formula {
    parse(Language::Spot, text, formulas, atoms).expect("a formula")
}

//   rule, formula, result
const CASES: &[(&str, &str, &str)] = &[
    ("next.suspendable", "X G F a", "G F a"),
    ("finally.eventual", "F(F a & F b)", "F a & F b"),
    ("finally.eventual", "G(G a | G b)", "G a | G b"),
    ("finally.next", "F X X a", "X X F a"),
    ("finally.next", "G X X a", "X X G a"),
    ("finally.until", "F(a U b)", "F b"),
    ("finally.until", "G(a R b)", "G b"),
    ("finally.until", "G F(a | (b U c))", "G F(a | c)"),
    ("finally.strong", "F(a M b)", "F(a & b)"),
    ("finally.strong", "G(a W b)", "G(a | b)"),
    ("finally.weak", "F(a W b)", "F(G a | b)"),
    ("finally.weak", "G(a M b)", "G(F a & b)"),
    ("finally.weak", "F(a | (b W c))", "F(a | G b | c)"),
    ("finally.release", "F(X a R b)", "F((X a & b) | G b)"),
    ("finally.release", "G(c & (X a U b))", "G(c & (X a | b) & F b)"),
    ("finally.release", "G(a U G b)", "G(a | G b) & F G b"),
    ("finally.nested", "F(a & F(a & X b))", "F(a & X b)"),
    ("finally.nested", "G(a | G(a | X b))", "G(a | X b)"),
    ("finally.finally", "F(a | F b)", "F(a | b)"),
    ("finally.finally", "G(a & G b)", "G(a & b)"),
    ("finally.pull-eventual", "G F c & F(a | G F c)", "G F c"),
    ("finally.pull-eventual", "F(a | X(b | G F c))", "F(a | X b | G F c)"),
    ("finally.pull-eventual", "G(a & F G b)", "G a & F G b"),
    ("finally.pull-suspendable", "F(a & G F b)", "F a & G F b"),
    ("finally.pull-suspendable", "G(a | F G b)", "G a | F G b"),
    ("finally.next-universal", "F(a | X X G b)", "F(a | G b)"),
    ("finally.next-universal", "G(a & X F b)", "G(a & F b)"),
    ("finally.always-next", "F G(a & X(b & X c))", "F G(a & b & c)"),
    ("finally.always-next", "G F(a | X(b | X c))", "G F(a | b | c)"),
    ("finally.always-universal", "F G(a | G b)", "F(G a | G b)"),
    ("finally.always-universal", "G F(a & F b)", "G(F a & F b)"),
    ("finally.always-universal", "G(a & X F(b & X F c))", "G(a & F b & F c)"),
    ("finally.always-eventual", "F G(a | F b)", "F(G a | G F b)"),
    ("finally.always-eventual", "G F(a & G b)", "G F a & F G b"),
    ("finally.known", "F(a | X(!a & b))", "F(a | X b)"),
    ("finally.known", "G(a & X(!a | b))", "G(a & X b)"),
    ("until.eventual", "a U F b", "F b"),
    ("until.eventual", "a R G b", "G b"),
    ("until.universal", "G a U b", "(G a | b) & F b"),
    ("until.next", "X a U X b", "X(a U b)"),
    ("until.next", "X a R X b", "X(a R b)"),
    ("until.implied", "(a & b) U a", "a"),
    ("until.implied", "a R (a & X b)", "a & X b"),
    ("until.covering", "!a U (a | X b)", "F(a | X b)"),
    ("until.covering", "!a R (a & X b)", "G(a & X b)"),
    ("until.pull-eventual", "(a U (b | F c)) | F d", "a U (b | F(c | d))"),
    ("until.pull-eventual", "a R (b & G c)", "(a R b) & G c"),
    ("until.pull-suspendable", "a U (b & G F c)", "(a U b) & G F c"),
    ("until.pull-suspendable", "a R (b | G F c)", "(a R b) | G F c"),
    ("until.known", "(a | b) U b", "a U b"),
    ("until.known", "(a & b) R b", "a R b"),
    ("until.strong", "a U (a & b)", "b M a"),
    ("until.strong", "a R (a | b)", "b W a"),
    ("until.right-until", "a U ((a & c) U b)", "a U b"),
    ("until.right-until", "a R ((a | c) R b)", "a R b"),
    ("until.right-until-skip", "(a & c) U (a U b)", "a U b"),
    ("until.right-until-skip", "(a | c) R (a R b)", "a R b"),
    ("until.right-weak-skip", "a U (a W b)", "a W b"),
    ("until.right-weak-skip", "a U G a", "G a"),
    ("until.right-weak-skip", "a R (a M b)", "a M b"),
    ("until.right-weak-skip", "a R F a", "F a"),
    ("until.right-release-skip", "a U (b R a)", "b R a"),
    ("until.right-release-skip", "a U (b M a)", "b M a"),
    ("until.right-release-skip", "a R (b U a)", "b U a"),
    ("until.right-strong", "(a | c) U (b M a)", "(a | c) U (a & b)"),
    ("until.right-strong", "(a & c) R (b W a)", "(a & c) R (a | b)"),
    ("until.known", "((a & c) U b) U c", "b U c"),
    ("until.known", "((a & c) W b) U c", "b U c"),
    ("until.known", "((a | c) R b) R c", "b R c"),
    ("until.left-done", "(a U b) U b", "a U b"),
    ("until.left-done", "F(a & b) U a", "F(a & b) | a"),
    ("until.left-done", "(a R b) R b", "a R b"),
    ("until.weaken", "(a & F b) U b", "(a & F b) W b"),
    ("weak.weaken", "b M (a & F b)", "b R (a & F b)"),
    ("weak.universal", "G a W b", "G a | b"),
    ("weak.universal", "F a M b", "F a & b"),
    ("weak.eventual", "a W F b", "G a | F b"),
    ("weak.eventual", "a M G b", "F a & G b"),
    ("weak.next", "X a W X b", "X(a W b)"),
    ("weak.next", "X a M X b", "X(a M b)"),
    ("weak.implied", "(a & b) W a", "a"),
    ("weak.implied", "a M (a & X b)", "a & X b"),
    ("weak.covering", "!a W (a | X b)", "1"),
    ("weak.covering", "!a M (a & X b)", "0"),
    ("weak.pull-eventual", "(a W (b | F c)) | F d", "a W (b | F(c | d))"),
    ("weak.pull-eventual", "a M (b & G c)", "(a M b) & G c"),
    ("weak.left-suspendable", "(a | G F c) W b", "a W (b | G F c)"),
    ("weak.left-suspendable", "(a & G F c) M b", "(a M b) & G F c"),
    ("weak.known", "(a | b) W b", "a W b"),
    ("weak.known", "(a & b) M b", "a M b"),
    ("weak.release", "a W (a & b)", "b R a"),
    ("weak.release", "a M (a | b)", "b U a"),
    ("weak.right-until", "a W (a U b)", "a W b"),
    ("weak.right-until", "a W ((a & c) W b)", "a W b"),
    ("weak.right-until", "a M ((a | c) R b)", "a M b"),
    ("weak.right-weak-skip", "(a & c) W (a W b)", "a W b"),
    ("weak.right-weak-skip", "(a & c) W G a", "G a"),
    ("weak.right-weak-skip", "(a | c) M (a M b)", "a M b"),
    ("weak.globally", "a W G(a & b)", "G a"),
    ("weak.globally", "a M F(a | b)", "F a"),
    ("weak.right-release-skip", "a W (b R a)", "b R a"),
    ("weak.right-release-skip", "a M (b U a)", "b U a"),
    ("weak.right-release", "(a | c) W (b M a)", "(a | c) W (a & b)"),
    ("weak.right-release", "(a & c) M (b U a)", "(a & c) M (a | b)"),
    ("weak.known", "((a & c) U b) W c", "b W c"),
    ("weak.known", "((a | c) M b) M c", "b M c"),
    ("weak.left-done", "(a W b) W b", "a W b"),
    ("weak.left-done", "(a U b) W b", "a U b"),
    ("weak.left-done", "(a M b) M b", "a M b"),
    ("and.boolean", "(a | b) & a & X c", "a & X c"),
    ("and.boolean", "@a & @b", "0"),
    ("and.boolean", "!@a | !@b", "1"),
    ("and.boolean", "(a | b) & (!a | b) & (a | !b) & (!a | !b)", "0"),
    ("and.implied", "F a & F(a & X b)", "F(a & X b)"),
    ("and.implied", "F a | F(a & X b)", "F a"),
    ("and.contradiction", "X a & X X b & X(!a | !X b)", "0"),
    ("and.contradiction", "(a U b) & G !b", "0"),
    ("and.contradiction", "(a U b) | (!a R !b)", "1"),
    ("and.known", "a & (!a | X b)", "a & X b"),
    ("and.known", "a | (!a & X b)", "a | X b"),
    ("and.known", "G a & (a U b)", "G a & F b"),
    ("and.known", "F a | (b W a)", "F a | G b"),
    ("and.known", "a & (a R b)", "a & b"),
    ("and.known", "!a & (a U b)", "!a & b"),
    ("and.next", "X a & X b", "X(a & b)"),
    ("and.next", "X a | X b", "X(a | b)"),
    ("and.next-suspendable", "G F a & X b", "X(G F a & b)"),
    ("and.next-suspendable", "G F a | X b", "X(G F a | b)"),
    ("and.globally", "G a & G b & c", "G(a & b) & c"),
    ("and.globally", "F a | F b | c", "F(a | b) | c"),
    ("and.finally", "F G a & F G b", "F G(a & b)"),
    ("and.finally", "G F a | G F b", "G F(a | b)"),
    ("and.until-until", "(a U b) & (c U b)", "(a & c) U b"),
    ("and.until-until", "(a R b) | (c R b)", "(a | c) R b"),
    ("and.until-weak", "(a U b) & (c W b)", "(a & c) U b"),
    ("and.until-weak", "(a R b) | (c M b)", "(a | c) R b"),
    ("and.weak-weak", "(a W b) & (c W b)", "(a & c) W b"),
    ("and.weak-weak", "(a M b) | (c M b)", "(a | c) M b"),
    ("and.release-release", "(a R b) & (a R c)", "a R (b & c)"),
    ("and.release-release", "(a U b) | (a U c)", "a U (b | c)"),
    ("and.release-strong", "(a R b) & (a M c)", "a M (b & c)"),
    ("and.release-strong", "(a U b) | (a W c)", "a W (b | c)"),
    ("and.strong-strong", "(a M b) & (a M c)", "a M (b & c)"),
    ("and.strong-strong", "(a W b) | (a W c)", "a W (b | c)"),
    ("and.finally-release", "F a & (a R b)", "a M b"),
    ("and.finally-release", "G a | (a U b)", "a W b"),
    ("and.finally-weak", "F b & (a W b)", "a U b"),
    ("and.finally-weak", "G b | (a M b)", "a R b"),
    ("and.unfolded-globally", "a & b & X G(a & b)", "G(a & b)"),
    ("and.unfolded-globally", "a & X(G a & b)", "G a & X b"),
    ("and.unfolded-globally", "a | X F a", "F a"),
    ("and.unfolded-release", "b & (a | X(a R b))", "a R b"),
    ("and.unfolded-release", "b & (a | X(a M b))", "a M b"),
    ("and.unfolded-release", "b | (a & X(a U b))", "a U b"),
    ("and.weaken", "(a U b) & G F b", "(a W b) & G F b"),
    ("and.weaken", "(a M b) & F(a & c)", "(a R b) & F(a & c)"),
    ("and.weaken", "(a U b) | G !b", "(a W b) | G !b"),
    ("and.weaken", "(a U b) | G(a | c)", "(a W b) | G(a | c)"),
    ("and.weaken", "(a M b) | G !a", "(a R b) | G !a"),
    ("and.factor", "(a | X b) & (a | X c)", "a | X(b & c)"),
    ("and.factor", "(a & X b) | (a & X c)", "a & X(b | c)"),
    ("and.factor", "(a | b) & (a | !b)", "a"),
];

#[test]
fn every_rule_fires_as_stated() {
    let mut wrong = Vec::new();
    for &(rule, text, expected) in CASES {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = read(text, &mut formulas, &mut atoms);
        let stated = read(expected, &mut formulas, &mut atoms);
        let stated = negation_normal_form(&mut formulas, stated);
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        let mut simplifier = Simplifier::new(&alphabet, Level::Implication);
        let found = simplifier.simplify(&mut formulas, f);
        if found != stated {
            let found = Shown(&formulas, &atoms, found);
            wrong.push(format!("{rule}: {text} becomes {found}, not {expected}"));
        }
        if simplifier.fired(rule) == 0 {
            wrong.push(format!("{rule} does not fire on {text}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for rule in rules() {
        let cases = CASES.iter().filter(|case| case.0 == rule.name).count();
        let needed = if rule.dual.is_empty() { 1 } else { 2 };
        assert!(cases >= needed, "{} has {cases} cases: {}", rule.name, rule.statement);
    }
    for case in CASES {
        assert!(rules().any(|rule| rule.name == case.0), "{} is a rule", case.0);
    }
}

#[test]
fn results_mean_the_same_for_all_small_formulas_and_words() {
    let atoms = [Atom(0), Atom(1)];
    let mut formulas = Formulas::new();
    let all = generate::exhaustive(5, &atoms, &mut formulas);
    let alphabet = Alphabet::default();
    let pairs = simplified(&mut formulas, &alphabet, &all);
    let closed = word::closure(&formulas, &roots(&pairs));
    for lasso in generate::all_lassos(&atoms, 1, 3) {
        let truth = lasso.truth_of(&formulas, &closed);
        for &(f, g) in &pairs {
            assert_eq!(
                truth.row(f),
                truth.row(g),
                "{} is not {} on {lasso:?}",
                shown(&formulas, f),
                shown(&formulas, g)
            );
        }
    }
}

#[test]
fn results_mean_the_same_for_random_formulas_and_words() {
    let counts = Counts::default();
    for seed in 0..60 {
        random_formulas(seed, &counts);
    }
}

#[test]
fn results_mean_the_same_over_events() {
    let counts = Counts::default();
    for seed in 0..120 {
        random_formulas_over_events(seed, &counts);
    }
}

#[test]
fn implication_is_never_contradicted() {
    let atoms = [Atom(0), Atom(1)];
    let mut formulas = Formulas::new();
    let mut all = generate::exhaustive(3, &atoms, &mut formulas);
    let mut random = Random::new(7);
    all.extend((0..250).map(|_| random.formula(5, &atoms, &mut formulas)));
    let lassos = generate::all_lassos(&atoms, 1, 2);
    let closed = word::closure(&formulas, &all);
    // Bit k of a formula's set: whether word k satisfies it.
    let mut sets = vec![vec![0u64; lassos.len().div_ceil(64)]; all.len()];
    for (k, lasso) in lassos.iter().enumerate() {
        let truth = lasso.truth_of(&formulas, &closed);
        for (set, &f) in sets.iter_mut().zip(&all) {
            set[k / 64] |= u64::from(truth.at(f, 0)) << (k % 64);
        }
    }
    let alphabet = Alphabet::default();
    let mut simplifier = Simplifier::new(&alphabet, Level::Implication);
    let (mut proved, mut possible) = (0, 0);
    for (i, &f) in all.iter().enumerate() {
        for (j, &g) in all.iter().enumerate() {
            let holds = sets[i].iter().zip(&sets[j]).all(|(f, g)| f & !g == 0);
            let found = simplifier.implies(&mut formulas, f, g);
            assert!(
                holds || !found,
                "{} does not imply {}",
                shown(&formulas, f),
                shown(&formulas, g)
            );
            proved += usize::from(found);
            possible += usize::from(holds);
        }
    }
    assert!(proved * 10 > possible * 7, "only {proved} of {possible} implications are proved");
}

#[test]
fn results_are_results() {
    let atoms = [Atom(0), Atom(1), Atom(2)];
    let alphabet = Alphabet::default();
    for seed in 100..140 {
        let mut random = Random::new(seed);
        let mut formulas = Formulas::new();
        for _ in 0..50 {
            let size = 5 + random.rng.below(20);
            let f = random.formula(size, &atoms, &mut formulas);
            for level in LEVELS {
                let g = Simplifier::new(&alphabet, level).simplify(&mut formulas, f);
                let again = Simplifier::new(&alphabet, level).simplify(&mut formulas, g);
                assert_eq!(
                    g,
                    again,
                    "seed {seed}, {level:?}: {} becomes {}, then {}",
                    shown(&formulas, f),
                    shown(&formulas, g),
                    shown(&formulas, again)
                );
            }
        }
    }
}

/// What the last pass makes of results.
#[test]
fn eventualities_are_gathered() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("F G a | G F b", "F(G a | G F b)"),
        ("(a U b) | G F c", "a U (b | G F c)"),
        ("(a W b) | F c", "a W (b | F c)"),
        ("(a U b) | F c | X F d", "(a U b) | F(c | X F d)"),
        ("X((a U b) | F c) U d", "X(a U (b | F c)) U d"),
        ("(a R b) | F c", "(a R b) | F c"),
        ("F a | X b", "F a | X b"),
    ] {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = read(text, &mut formulas, &mut atoms);
        let stated = read(expected, &mut formulas, &mut atoms);
        let stated = negation_normal_form(&mut formulas, stated);
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        let found = Simplifier::new(&alphabet, Level::Implication).simplify(&mut formulas, f);
        if found != stated {
            let found = Shown(&formulas, &atoms, found);
            wrong.push(format!("{text} becomes {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Tests run in threads with small stacks.
#[test]
fn deep_formulas_do_not_overflow_the_stack() {
    let alphabet = Alphabet::default();
    for level in LEVELS {
        for seed in 0..22 {
            let mut random = Random::new(seed);
            let mut formulas = Formulas::new();
            let leaves: Vec<_> = (0..3).map(|a| formulas.atom(Atom(a))).collect();
            let mut f = leaves[0];
            for depth in 0..1000 {
                let leaf = leaves[random.rng.below(3)];
                let both = if random.rng.below(2) == 0 { [f, leaf] } else { [leaf, f] };
                // Some towers are of few operators only: long runs of the same rule.
                let kind = if seed < 11 { seed as usize } else { random.rng.below(11) };
                f = formulas.written(match kind {
                    0 => Node::Next(f),
                    1 if depth < 999 => Node::Next(f),
                    1 | 2 => Node::Finally(f),
                    3 => Node::Globally(f),
                    4 => Node::Until(both[0], both[1]),
                    5 => Node::Release(both[0], both[1]),
                    6 => Node::WeakUntil(both[0], both[1]),
                    7 => Node::StrongRelease(both[0], both[1]),
                    8 => Node::Iff(both[0], both[1]),
                    9 if depth % 2 == 0 => Node::And(&both),
                    9 => Node::Or(&both),
                    _ => Node::Not(f),
                });
            }
            let g = Simplifier::new(&alphabet, level).simplify(&mut formulas, f);
            assert!(formulas.traits(g).is_normal());
        }
    }
}

#[test]
fn wide_formulas_are_no_trouble() {
    let alphabet = Alphabet::default();
    for level in LEVELS {
        let mut formulas = Formulas::new();
        let all: Vec<_> = (0..600)
            .map(|k| {
                let p = formulas.atom(Atom(k));
                let q = formulas.atom(Atom(k + 1));
                match k % 3 {
                    0 => formulas.until(p, q),
                    1 => formulas.globally(p),
                    _ => p,
                }
            })
            .collect();
        let f = formulas.and(all);
        let g = Simplifier::new(&alphabet, level).simplify(&mut formulas, f);
        assert!(matches!(formulas.node(g), Node::And(run) if run.len() <= 401));
    }
}

/// Formulas that invite much work: tall, shared, wide, and the families of the literature.
fn laborious(formulas: &mut Formulas) -> Vec<(String, Formula)> {
    let mut found = Vec::new();
    for kind in 0..9 {
        let mut f = formulas.atom(Atom(0));
        for k in 1..900 {
            let atom = if kind < 6 { k % 8 } else { k };
            let p = formulas.atom(Atom(atom));
            let leaf = match atom % 4 {
                0 => formulas.finally(p),
                1 => formulas.next(p),
                _ => p,
            };
            f = formulas.written(match kind {
                1 => Node::Xor(f, leaf),
                2 | 7 => Node::Until(f, leaf),
                3 => Node::Release(leaf, f),
                4 | 8 if k % 2 == 0 => Node::Globally(f),
                5 => Node::WeakUntil(f, leaf),
                _ => Node::Iff(leaf, f),
            });
        }
        found.push((format!("tower {kind}"), f));
    }
    for kind in 0..4 {
        let all: Vec<_> = (0..10_000)
            .map(|k| {
                let p = formulas.atom(Atom(k % 977));
                let q = formulas.atom(Atom((k * 7 + 1) % 1009));
                let until = formulas.until(p, q);
                match kind {
                    0 => until,
                    1 => formulas.release(q, p),
                    2 => formulas.or2(until, p),
                    _ => formulas.next(until),
                }
            })
            .collect();
        found.push((format!("conjunction {kind}"), formulas.and(all.iter().copied())));
        found.push((format!("disjunction {kind}"), formulas.or(all)));
    }
    for row in generate::FAMILIES {
        let mut atoms = Atoms::new();
        if let Some(f) = generate::family(row.name, 200, formulas, &mut atoms) {
            found.push((row.name.to_owned(), f));
        }
    }
    found
}

/// The number of different subformulas of the normal form and of their operands.
fn size(formulas: &mut Formulas, f: Formula) -> usize {
    let normal = negation_normal_form(formulas, f);
    let parts = formulas.subformulas(normal);
    parts.iter().map(|&part| 1 + formulas.operands(part).count()).sum()
}

#[test]
fn work_is_bounded() {
    let alphabet = Alphabet::default();
    let mut formulas = Formulas::new();
    let all = laborious(&mut formulas);
    let mut given_up = 0;
    for level in LEVELS {
        for (name, f) in &all {
            let size = size(&mut formulas, *f);
            let before = formulas.len();
            let mut simplifier = Simplifier::new(&alphabet, level);
            let g = simplifier.simplify(&mut formulas, *f);
            assert!(formulas.traits(g).is_normal());
            let (steps, made) = (simplifier.steps(), formulas.len() - before);
            assert!(steps <= most_steps(size), "{name}: {steps} steps for a size of {size}");
            assert!(made as u64 <= steps, "{name}: {made} formulas made in {steps} steps");
            assert!(simplifier.gave_up() || steps < most_steps(size), "{name}");
            given_up += usize::from(simplifier.gave_up());
        }
    }
    assert!(given_up > 0, "some are too laborious");
}

#[test]
fn ordinary_formulas_are_far_from_the_bound() {
    let alphabet = Alphabet::default();
    let mut random = Random::new(11);
    let atoms: Vec<_> = (0..5).map(Atom).collect();
    for level in LEVELS {
        for row in generate::FAMILIES {
            for n in row.first..8 {
                let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
                let f = generate::family(row.name, n, &mut formulas, &mut atoms)
                    .expect("a family has a formula for each number from the first on");
                let mut simplifier = Simplifier::new(&alphabet, level);
                simplifier.simplify(&mut formulas, f);
                assert!(simplifier.steps() < 50_000, "{} {n}: {}", row.name, simplifier.steps());
            }
        }
        for _ in 0..500 {
            let mut formulas = Formulas::new();
            let f = random.formula(60, &atoms, &mut formulas);
            let mut simplifier = Simplifier::new(&alphabet, level);
            simplifier.simplify(&mut formulas, f);
            assert!(simplifier.steps() < 40_000, "{}", simplifier.steps());
        }
    }
}
