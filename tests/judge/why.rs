//! Why runs violate formulas: short reasons, which are true and are reasons.

use super::{CONTROLLER, checked, follow, values};
use isonomy::check::why::{Fact, Sight, When, sight, text, why, why_false};
use ltl::{Atom, Lasso, Letter};
use model::checked::Formula;
use model::reference::ModelReference;
use run::SplitMix64;

const STARVES: &str = "ask(client_0) | ask(client_1) grant(client_1) leave(client_1)";

/// (formula, values, run, reasons)
const ROWS: &[(&str, &str, &str, &[&str])] = &[
    (
        "forall c: client. G(st[c] = A -> F st[c] = K)",
        "c=0",
        STARVES,
        &["+ st[c] = A before 2", "- st[c] = K from 2"],
    ),
    (
        "forall c: client. G(@ask(c) -> F @grant(c))",
        "c=0",
        STARVES,
        &["+ @ask(c) in 1", "- @grant(c) from 1"],
    ),
    ("forall c: client. G !(st[c] = K)", "c=1", STARVES, &["+ st[c] = K before 4"]),
    ("forall c: client. F st[c] = K", "c=2", STARVES, &["- st[c] = K from 1"]),
    ("forall c: client. G F st[c] = I", "c=0", STARVES, &["- st[c] = I from 2"]),
    ("forall c: client. F G st[c] = I", "c=1", STARVES, &["- st[c] = I before 3, again"]),
    ("!(G F @leave(_))", "", STARVES, &["+ @leave(_) in 4, again"]),
    (
        "forall c: client. st[c] = I U st[c] = K",
        "c=1",
        STARVES,
        &["- st[c] = I before 3", "- st[c] = K from 1 to 3"],
    ),
    (
        "forall c: client. G(@ask(c) -> X(!@ask(_) W @grant(c)))",
        "c=0",
        STARVES,
        &["+ @ask(c) in 1", "+ @ask(_) in 2", "- @grant(c) in 2"],
    ),
    ("@leave(_) R !@grant(_)", "", STARVES, &["+ @grant(_) in 3", "- @leave(_) from 1 to 2"]),
    ("forall c: client. st[c] = A & F st[c] = K", "c=0", STARVES, &["- st[c] = A before 1"]),
    // Nothing short can be said.
    ("F false", "", STARVES, &[]),
    ("forall c: client. F st[c] = I <-> G st[c] = I", "c=1", STARVES, &[]),
];

#[test]
fn reasons_are_those_that_were_looked_at() {
    for &(formula, binding, run, expected) in ROWS {
        let model = checked(&format!("{CONTROLLER}\nltl \"judged\": {formula};"));
        let property = &model.formulas[0];
        let run = follow(&model, run);
        let reference = ModelReference::new(&model);
        let facts = why(&reference, property, &values(&model, property, binding), &run);
        let found: Vec<_> = facts.iter().map(|fact| line(&reference, property, fact)).collect();
        assert_eq!(found, expected, "{formula}");
    }
}

fn line(reference: &ModelReference<'_>, formula: &Formula, fact: &Fact) -> String {
    let place = match sight(reference, formula, fact.part) {
        Sight::States => "before",
        Sight::Steps => "in",
        Sight::Both => "at",
    };
    let when = match fact.when {
        When::At(k) => format!("{place} {}", k + 1),
        When::Again(k) => format!("{place} {}, again", k + 1),
        When::From(k) => format!("from {}", k + 1),
        When::Through(i, k) => format!("from {} to {}", i + 1, k + 1),
    };
    let sign = if fact.is_true { "+" } else { "-" };
    format!("{sign} {} {when}", text(reference, formula, fact.part))
}

/// A formula at random over two conditions.
fn random_formula(random: &mut SplitMix64, depth: usize) -> String {
    if depth == 0 {
        return ["p", "q", "!p", "!q"][random.below(4)].to_owned();
    }
    let one = random_formula(random, depth - 1);
    match random.below(11) {
        k @ 0..4 => format!("{}({one})", ["X ", "F ", "G ", "!"][k]),
        k => {
            let other = random_formula(random, depth - 1);
            format!("({one}) {} ({other})", ["U", "W", "R", "M", "&", "|", "->"][k - 4])
        }
    }
}

/// Whether a fact is true of a word, by the meaning of its part on each suffix.
fn is_true(formula: &Formula, word: &Lasso, fact: &Fact) -> bool {
    let (n, cycle) = (word.letters().len(), word.stem().len());
    let suffix = |k: usize| {
        let stem = word.letters()[k..].to_vec();
        Lasso::new(stem, word.cycle().to_vec()).expect("the cycle is not empty")
    };
    let is = |k: usize| suffix(k).satisfies(&formula.formulas, fact.part) == fact.is_true;
    match fact.when {
        When::At(k) => is(k),
        When::Again(k) => k >= cycle && is(k),
        When::From(k) => (k.min(cycle)..n).filter(|&at| at >= k || at >= cycle).all(is),
        When::Through(i, k) => i < k && (i..=k).all(is),
    }
}

/// All words with a stem and a cycle of these lengths over two atoms.
fn words(stem: usize, cycle: usize) -> impl Iterator<Item = Lasso> {
    (0..4_usize.pow((stem + cycle) as u32)).map(move |number| {
        let letter = |k: usize| {
            let mut letter = Letter::new();
            letter.set(Atom(0), number >> (2 * k) & 1 == 1);
            letter.set(Atom(1), number >> (2 * k + 1) & 1 == 1);
            letter
        };
        let letters = |range: std::ops::Range<usize>| range.map(letter).collect();
        Lasso::new(letters(0..stem), letters(stem..stem + cycle)).expect("a cycle")
    })
}

/// What is said is true, and of whatever word it is true, that word does not satisfy the formula.
#[test]
fn reasons_are_true_and_sufficient() {
    let mut random = SplitMix64::new(7);
    let (mut explained, mut silent) = (0, 0);
    for _ in 0..400 {
        let depth = 1 + random.below(3);
        let text = random_formula(&mut random, depth);
        // Both conditions are there, in this order.
        let model = checked(&format!(
            "var p: boolean; q: boolean; startstate p := true; q := true; end; \
             ltl \"judged\": (p | q | !p) & ({text});"
        ));
        let formula = &model.formulas[0];
        let (stem, cycle) = (random.below(3), 1 + random.below(2));
        let all: Vec<Lasso> = words(stem, cycle).collect();
        for _ in 0..8 {
            let word = &all[random.below(all.len())];
            if word.satisfies(&formula.formulas, formula.root) {
                continue;
            }
            let facts = why_false((&formula.formulas, formula.root), word);
            if facts.is_empty() {
                silent += 1;
                continue;
            }
            explained += 1;
            for fact in &facts {
                assert!(is_true(formula, word, fact), "{fact:?} of {word:?}: {text}");
            }
            let other = all.iter().find(|other| {
                facts.iter().all(|fact| is_true(formula, other, fact))
                    && other.satisfies(&formula.formulas, formula.root)
            });
            assert_eq!(other, None, "{facts:?} is no reason: {text}");
        }
    }
    assert!(explained > 500, "{explained} {silent}");
}
