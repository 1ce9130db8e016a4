//! Simplified formulas against the meaning of the originals on lasso words.

use crate::Counts;
use ltl::atoms::{Argument, EventPattern};
use ltl::generate::{Random, SplitMix64};
use ltl::simplify::{Level, Simplifier};
use ltl::{Alphabet, Atom, AtomKind, Atoms, Formula, Formulas, Node, word};

pub const LEVELS: [Level; 2] = [Level::Basic, Level::Implication];

/// Simplifies a hundred random formulas, and reads sixty words.
pub fn random_formulas(seed: u64, counts: &Counts) {
    let atoms = [Atom(0), Atom(1), Atom(2)];
    let alphabet = Alphabet::default();
    let mut random = Random::new(seed);
    let mut formulas = Formulas::new();
    let all: Vec<_> = (0..100)
        .map(|_| {
            let size = 10 + random.rng.below(16);
            random.formula(size, &atoms, &mut formulas)
        })
        .collect();
    let pairs = simplified(&mut formulas, &alphabet, &all);
    let closed = word::closure(&formulas, &roots(&pairs));
    for _ in 0..60 {
        let lasso = random.lasso(&alphabet, &atoms, 4, 4);
        let truth = lasso.truth_of(&formulas, &closed);
        for &(f, g) in &pairs {
            assert_eq!(
                truth.row(f),
                truth.row(g),
                "seed {seed}: {} is not {} on {lasso:?}",
                shown(&formulas, f),
                shown(&formulas, g)
            );
        }
    }
    counts.add(all.len(), pairs.len(), 60 * pairs.len(), 0);
}

/// Simplifies sixty random formulas over events, and reads forty words.
pub fn random_formulas_over_events(seed: u64, counts: &Counts) {
    let mut random = Random::new(seed);
    let atoms = random_events(&mut random.rng);
    let alphabet = Alphabet::of(&atoms).expect("few combinations");
    let ids: Vec<Atom> = atoms.iter().map(|(atom, _)| atom).collect();
    let mut formulas = Formulas::new();
    let all: Vec<_> = (0..60)
        .map(|_| {
            let size = 4 + random.rng.below(14);
            random.formula(size, &ids, &mut formulas)
        })
        .collect();
    let pairs = simplified(&mut formulas, &alphabet, &all);
    let closed = word::closure(&formulas, &roots(&pairs));
    for _ in 0..40 {
        let lasso = random.lasso(&alphabet, &ids, 3, 3);
        let truth = lasso.truth_of(&formulas, &closed);
        for &(f, g) in &pairs {
            assert_eq!(
                truth.row(f),
                truth.row(g),
                "seed {seed}: {} is not {} on {}",
                shown(&formulas, f),
                shown(&formulas, g),
                lasso.display(&atoms, &ids)
            );
        }
    }
    counts.add(all.len(), pairs.len(), 40 * pairs.len(), 0);
}

/// Simplified at both levels; checks the form of the results.
pub fn simplified(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    all: &[Formula],
) -> Vec<(Formula, Formula)> {
    let mut pairs = Vec::new();
    for level in LEVELS {
        let mut simplifier = Simplifier::new(alphabet, level);
        for &f in all {
            let g = simplifier.simplify(formulas, f);
            assert!(formulas.traits(g).is_normal());
            pairs.push((f, g));
        }
    }
    pairs
}

/// All formulas of the pairs.
pub fn roots(pairs: &[(Formula, Formula)]) -> Vec<Formula> {
    pairs.iter().flat_map(|&(f, g)| [f, g]).collect()
}

/// Some event atoms that overlap, and a proposition.
fn random_events(rng: &mut SplitMix64) -> Atoms {
    let argument = |rng: &mut SplitMix64| match rng.below(3) {
        0 => Argument::Any,
        1 => Argument::Value("x".to_owned()),
        _ => Argument::Value("y".to_owned()),
    };
    let mut atoms = Atoms::new();
    atoms.proposition("p");
    for _ in 0..3 {
        let pattern = match rng.below(4) {
            0 => EventPattern::By(argument(rng)),
            1 => EventPattern::Named { name: "a".to_owned(), arguments: None },
            2 => EventPattern::Named { name: "a".to_owned(), arguments: Some(vec![argument(rng)]) },
            _ => EventPattern::Named {
                name: "b".to_owned(),
                arguments: Some(vec![argument(rng), argument(rng)]),
            },
        };
        atoms.intern(AtomKind::Event(pattern));
    }
    atoms
}

/// For messages.
pub struct Shown<'a>(pub &'a Formulas, pub &'a Atoms, pub Formula);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |f| Shown(self.0, self.1, f);
        let run = |out: &mut std::fmt::Formatter<'_>, operands: &[Formula], between: &str| {
            for (k, &f) in operands.iter().enumerate() {
                write!(out, "{}{}", if k > 0 { between } else { "(" }, part(f))?;
            }
            out.write_str(")")
        };
        match self.0.node(self.2) {
            Node::False => write!(out, "0"),
            Node::True => write!(out, "1"),
            Node::Atom(atom) if atom.index() >= self.1.len() => write!(out, "p{}", atom.0),
            Node::Atom(atom) => match self.1.kind(atom) {
                AtomKind::Proposition(name) => write!(out, "{name}"),
                AtomKind::Event(pattern) => write!(out, "{pattern}"),
            },
            Node::Not(f) => write!(out, "!{}", part(f)),
            Node::And(operands) => run(out, operands, " & "),
            Node::Or(operands) => run(out, operands, " | "),
            Node::Xor(f, g) => write!(out, "({} xor {})", part(f), part(g)),
            Node::Implies(f, g) => write!(out, "({} -> {})", part(f), part(g)),
            Node::Iff(f, g) => write!(out, "({} <-> {})", part(f), part(g)),
            Node::Next(f) => write!(out, "X{}", part(f)),
            Node::Finally(f) => write!(out, "F{}", part(f)),
            Node::Globally(f) => write!(out, "G{}", part(f)),
            Node::Until(f, g) => write!(out, "({} U {})", part(f), part(g)),
            Node::Release(f, g) => write!(out, "({} R {})", part(f), part(g)),
            Node::WeakUntil(f, g) => write!(out, "({} W {})", part(f), part(g)),
            Node::StrongRelease(f, g) => write!(out, "({} M {})", part(f), part(g)),
        }
    }
}

pub fn shown(formulas: &Formulas, f: Formula) -> String {
    Shown(formulas, &Atoms::new(), f).to_string()
}
