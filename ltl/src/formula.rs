//! Hash-consed formulas: equal formulas have equal ids, so equality is one comparison of integers.
//!
//! A [`Formula`] is an index into its [`Formulas`]. A formula is made after its parts, so **the id
//! of a part is smaller than the id of the whole**; passes may rely on it.
//!
//! There are two ways to make one. [`Formulas::written`] keeps what a person wrote (order of
//! operands, repetitions, `F F a`), so that it can be printed back. The *smart constructors*
//! ([`Formulas::and`], [`Formulas::until`], ...) sort operands by id, drop repetitions and apply
//! the identities that hold for trivial reasons; all later passes use them.
//!
//! Cost: 32 bytes a formula, 4 bytes an operand of `&` and `|`, one hash look-up a construction.

mod construct;
mod literals;
mod traits;

pub(crate) use literals::Literals;
pub use traits::Traits;

use crate::hash::mixed;
use hashbrown::HashTable;

/// An atomic proposition: an index into a table that the caller keeps, such as [`crate::Atoms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub u32);

impl Atom {
    /// The position in the caller's table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula: an index into its [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula(u32);

impl Formula {
    /// `false`, in every [`Formulas`].
    pub const FALSE: Formula = Formula(0);
    /// `true`, in every [`Formulas`].
    pub const TRUE: Formula = Formula(1);

    /// The id as an index: parts have smaller ones than wholes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operator and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node<'a> {
    /// `0`
    False,
    /// `1`
    True,
    /// An atomic proposition or event.
    Atom(Atom),
    /// `!f`
    Not(Formula),
    /// `f & g & ...`: at least two operands, none of them a conjunction.
    And(&'a [Formula]),
    /// `f | g | ...`: at least two operands, none of them a disjunction.
    Or(&'a [Formula]),
    /// `f xor g`
    Xor(Formula, Formula),
    /// `f -> g`
    Implies(Formula, Formula),
    /// `f <-> g`
    Iff(Formula, Formula),
    /// `X f`
    Next(Formula),
    /// `F f`
    Finally(Formula),
    /// `G f`
    Globally(Formula),
    /// `f U g`: g comes, and until then f.
    Until(Formula, Formula),
    /// `f R g`: g holds up to and including the first f, or forever.
    Release(Formula, Formula),
    /// `f W g`: `f U g`, or f forever.
    WeakUntil(Formula, Formula),
    /// `f M g`: `f R g`, and f does come.
    StrongRelease(Formula, Formula),
}

/// The formulas made so far.
#[derive(Clone, Debug)]
pub struct Formulas {
    /// Invariant: no two are equal; operands come before the formulas that use them.
    stored: Vec<Stored>,
    /// The operands of conjunctions and disjunctions, each a run of this.
    operands: Vec<Formula>,
    /// Finds a stored formula by its content.
    table: HashTable<u32>,
    /// Where the operands of a smart constructor are sorted; empty between calls.
    scratch: Vec<Formula>,
}

/// For `And` and `Or`, `left..right` is a run of `operands`; otherwise they are the operands, or
/// the atom, or 0.
#[derive(Clone, Copy, Debug)]
struct Stored {
    operator: Operator,
    traits: Traits,
    left: u32,
    right: u32,
    depth: u32,
    literals: Literals,
}

impl Stored {
    /// The operands of `&` and `|`, a run of these.
    fn run<'a>(&self, operands: &'a [Formula]) -> &'a [Formula] {
        &operands[self.left as usize..self.right as usize]
    }

    fn hash(&self, operands: &[Formula]) -> u64 {
        match self.operator {
            Operator::And | Operator::Or => hash_of_run(self.operator, self.run(operands)),
            _ => hash_of_pair(self.operator, self.left, self.right),
        }
    }
}

fn hash_of_pair(operator: Operator, left: u32, right: u32) -> u64 {
    mixed(operator.seed(), u64::from(left) << 32 | u64::from(right))
}

fn hash_of_run(operator: Operator, run: &[Formula]) -> u64 {
    run.iter().fold(operator.seed(), |hash, f| mixed(hash, u64::from(f.0)))
}

/// Which operator a [`Node`] has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    False,
    True,
    Atom,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Next,
    Finally,
    Globally,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

impl Operator {
    /// Where hashes of formulas with this operator start: far from small numbers, so that an operator
    /// and an operand do not stand for another operator and another operand.
    const fn seed(self) -> u64 {
        mixed(0, self as u64 + 1)
    }

    /// The dual operator; atoms, `!` and the like stay.
    pub(crate) const fn dual(self) -> Operator {
        match self {
            Operator::False => Operator::True,
            Operator::True => Operator::False,
            Operator::And => Operator::Or,
            Operator::Or => Operator::And,
            Operator::Finally => Operator::Globally,
            Operator::Globally => Operator::Finally,
            Operator::Until => Operator::Release,
            Operator::Release => Operator::Until,
            Operator::WeakUntil => Operator::StrongRelease,
            Operator::StrongRelease => Operator::WeakUntil,
            other => other,
        }
    }
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// No formulas but `false` and `true`.
    pub fn new() -> Self {
        let mut formulas = Formulas {
            stored: Vec::new(),
            operands: Vec::new(),
            table: HashTable::new(),
            scratch: Vec::new(),
        };
        assert_eq!(formulas.intern(Node::False), Formula::FALSE, "the first formula is `false`");
        assert_eq!(formulas.intern(Node::True), Formula::TRUE, "the second formula is `true`");
        formulas
    }

    /// How many formulas were made; ids are below this.
    #[allow(
        clippy::len_without_is_empty,
        reason = "never empty: `true` and `false` are always there"
    )]
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// The outermost operator of `f` and its operands.
    #[inline]
    pub fn node(&self, f: Formula) -> Node<'_> {
        let Stored { operator, left, right, .. } = self.stored[f.index()];
        let (first, second) = (Formula(left), Formula(right));
        match operator {
            Operator::False => Node::False,
            Operator::True => Node::True,
            Operator::Atom => Node::Atom(Atom(left)),
            Operator::Not => Node::Not(first),
            Operator::And => Node::And(&self.operands[left as usize..right as usize]),
            Operator::Or => Node::Or(&self.operands[left as usize..right as usize]),
            Operator::Xor => Node::Xor(first, second),
            Operator::Implies => Node::Implies(first, second),
            Operator::Iff => Node::Iff(first, second),
            Operator::Next => Node::Next(first),
            Operator::Finally => Node::Finally(first),
            Operator::Globally => Node::Globally(first),
            Operator::Until => Node::Until(first, second),
            Operator::Release => Node::Release(first, second),
            Operator::WeakUntil => Node::WeakUntil(first, second),
            Operator::StrongRelease => Node::StrongRelease(first, second),
        }
    }

    /// The operands of `f`, in order.
    pub fn operands(&self, f: Formula) -> impl Iterator<Item = Formula> + '_ {
        let mut two = [Formula::FALSE; 2];
        let (fixed, run): (usize, &[Formula]) = match self.node(f) {
            Node::False | Node::True | Node::Atom(_) => (0, &[]),
            Node::And(run) | Node::Or(run) => (0, run),
            Node::Not(g) | Node::Next(g) | Node::Finally(g) | Node::Globally(g) => {
                two[0] = g;
                (1, &[])
            }
            Node::Xor(g, h)
            | Node::Implies(g, h)
            | Node::Iff(g, h)
            | Node::Until(g, h)
            | Node::Release(g, h)
            | Node::WeakUntil(g, h)
            | Node::StrongRelease(g, h) => {
                two = [g, h];
                (2, &[])
            }
        };
        two.into_iter().take(fixed).chain(run.iter().copied())
    }

    /// What the syntax of `f` tells about its meaning.
    pub fn traits(&self, f: Formula) -> Traits {
        self.stored[f.index()].traits
    }

    /// The height of the syntax tree: 1 for constants and atoms.
    pub fn depth(&self, f: Formula) -> u32 {
        self.stored[f.index()].depth
    }

    /// Which operator is outermost in `f`.
    pub(crate) fn operator(&self, f: Formula) -> Operator {
        self.stored[f.index()].operator
    }

    /// Operand `k` of the conjunction or disjunction `f`.
    pub(crate) fn operand(&self, f: Formula, k: usize) -> Formula {
        self.stored[f.index()].run(&self.operands)[k]
    }

    /// The literals that `f` depends on.
    pub(crate) fn literals(&self, f: Formula) -> Literals {
        self.stored[f.index()].literals
    }

    /// All different subformulas of `f`, itself included, parts before wholes (ascending ids).
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        let mut found = Vec::new();
        self.visit_downwards(f, |g| found.push(g));
        found.reverse();
        found
    }

    /// The atoms of `f`, ascending.
    pub fn atoms(&self, f: Formula) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.visit_downwards(f, |g| {
            if let Node::Atom(atom) = self.node(g) {
                atoms.push(atom);
            }
        });
        atoms.sort_unstable();
        atoms
    }

    /// Visits each different subformula of `f` once, wholes before parts (descending ids). Takes one
    /// step for each of them, and one for every 64 formulas made before `f`.
    fn visit_downwards(&self, f: Formula, mut visit: impl FnMut(Formula)) {
        // Bit i of word w is formula 64 w + i. Parts have smaller ids, so one sweep finds all.
        let mut open = vec![0u64; f.index() / 64 + 1];
        open[f.index() / 64] = 1 << (f.index() % 64);
        for word in (0..open.len()).rev() {
            while open[word] != 0 {
                let bit = open[word].ilog2();
                open[word] ^= 1 << bit;
                let part = Formula(word as u32 * 64 + bit);
                visit(part);
                for g in self.operands(part) {
                    open[g.index() / 64] |= 1 << (g.index() % 64);
                }
            }
        }
    }

    /// The formula as it was written: no identity is applied, operands keep their order, and only
    /// nested conjunctions and disjunctions become flat.
    pub fn written(&mut self, node: Node<'_>) -> Formula {
        match node {
            Node::And(operands) => self.flat(operands, false),
            Node::Or(operands) => self.flat(operands, true),
            other => self.intern(other),
        }
    }

    fn flat(&mut self, operands: &[Formula], or: bool) -> Formula {
        let mut flat = Vec::with_capacity(operands.len());
        for &g in operands {
            match self.node(g) {
                Node::And(inner) if !or => flat.extend_from_slice(inner),
                Node::Or(inner) if or => flat.extend_from_slice(inner),
                _ => flat.push(g),
            }
        }
        match flat[..] {
            [] if or => Formula::FALSE,
            [] => Formula::TRUE,
            [only] => only,
            _ if or => self.intern(Node::Or(&flat)),
            _ => self.intern(Node::And(&flat)),
        }
    }

    /// The stored formula of this content, made if need be.
    fn intern(&mut self, node: Node<'_>) -> Formula {
        let (operator, left, right, run) = match node {
            Node::False => (Operator::False, 0, 0, None),
            Node::True => (Operator::True, 0, 0, None),
            Node::Atom(atom) => (Operator::Atom, atom.0, 0, None),
            Node::Not(f) => (Operator::Not, f.0, 0, None),
            Node::And(run) => (Operator::And, 0, 0, Some(run)),
            Node::Or(run) => (Operator::Or, 0, 0, Some(run)),
            Node::Xor(f, g) => (Operator::Xor, f.0, g.0, None),
            Node::Implies(f, g) => (Operator::Implies, f.0, g.0, None),
            Node::Iff(f, g) => (Operator::Iff, f.0, g.0, None),
            Node::Next(f) => (Operator::Next, f.0, 0, None),
            Node::Finally(f) => (Operator::Finally, f.0, 0, None),
            Node::Globally(f) => (Operator::Globally, f.0, 0, None),
            Node::Until(f, g) => (Operator::Until, f.0, g.0, None),
            Node::Release(f, g) => (Operator::Release, f.0, g.0, None),
            Node::WeakUntil(f, g) => (Operator::WeakUntil, f.0, g.0, None),
            Node::StrongRelease(f, g) => (Operator::StrongRelease, f.0, g.0, None),
        };
        let hash = match run {
            Some(run) => hash_of_run(operator, run),
            None => hash_of_pair(operator, left, right),
        };
        let Formulas { stored, operands, table, .. } = self;
        let same = |&id: &u32| {
            let old = &stored[id as usize];
            old.operator == operator
                && match run {
                    Some(run) => old.run(operands) == run,
                    None => (old.left, old.right) == (left, right),
                }
        };
        if let Some(&id) = table.find(hash, same) {
            return Formula(id);
        }
        let literals = self.derive_literals(node);
        let traits = self.derive_traits(node);
        let depth = match node {
            Node::False | Node::True | Node::Atom(_) => 1,
            Node::And(run) | Node::Or(run) => {
                1 + run.iter().map(|&f| self.depth(f)).max().unwrap_or(0)
            }
            Node::Not(_) | Node::Next(_) | Node::Finally(_) | Node::Globally(_) => {
                1 + self.stored[left as usize].depth
            }
            _ => 1 + self.stored[left as usize].depth.max(self.stored[right as usize].depth),
        };
        let (left, right) = match run {
            Some(run) => {
                let start = self.operands.len() as u32;
                self.operands.extend_from_slice(run);
                (start, self.operands.len() as u32)
            }
            None => (left, right),
        };
        let id = u32::try_from(self.stored.len()).expect("fewer than 2^32 formulas fit in memory");
        self.stored.push(Stored { operator, traits, left, right, depth, literals });
        let Formulas { stored, operands, table, .. } = self;
        table.insert_unique(hash, id, |&id| stored[id as usize].hash(operands));
        Formula(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_have_equal_ids() {
        let mut fs = Formulas::new();
        let (a, b, c) = (fs.atom(Atom(0)), fs.atom(Atom(1)), fs.atom(Atom(2)));
        let (ab, bc) = (fs.and2(a, b), fs.and2(c, b));
        assert_eq!(fs.and2(ab, c), fs.and2(a, bc), "flat, sorted, unique");
        let not_a = fs.not(a);
        assert_eq!(fs.and([b, not_a, a]), Formula::FALSE);
        assert_eq!(fs.or([b, not_a, a]), Formula::TRUE);
        assert_ne!(fs.written(Node::And(&[a, b])), fs.written(Node::And(&[b, a])), "order is kept");
        assert_eq!(fs.written(Node::And(&[ab, c])), fs.written(Node::And(&[a, b, c])));
    }

    #[test]
    fn traits_follow_the_syntax() {
        let mut fs = Formulas::new();
        let (a, b) = (fs.atom(Atom(0)), fs.atom(Atom(1)));
        let fa = fs.finally(a);
        let gfa = fs.globally(fa);
        let u = fs.until(b, gfa);
        for (f, eventual, universal) in [(a, false, false), (fa, true, false), (gfa, true, true)] {
            assert_eq!(
                (fs.traits(f).is_eventual(), fs.traits(f).is_universal()),
                (eventual, universal)
            );
        }
        assert!(fs.traits(u).is_eventual() && !fs.traits(u).is_universal());
        let not = fs.not(fa);
        assert!(fs.traits(not).is_universal() && !fs.traits(not).is_normal());
    }
}
