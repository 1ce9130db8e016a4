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
    /// `f R g`: g holds up to and including the first f, or for ever.
    Release(Formula, Formula),
    /// `f W g`: `f U g`, or f for ever.
    WeakUntil(Formula, Formula),
    /// `f M g`: `f R g`, and f does come.
    StrongRelease(Formula, Formula),
}

/// What is known of a formula from its syntax alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits(u8);

impl Traits {
    const BOOLEAN: u8 = 1;
    const EVENTUAL: u8 = 2;
    const UNIVERSAL: u8 = 4;
    const NORMAL: u8 = 8;
    const SAFETY: u8 = 16;
    const GUARANTEE: u8 = 32;

    /// No temporal operator inside.
    pub const fn is_boolean(self) -> bool {
        self.0 & Self::BOOLEAN != 0
    }
    /// A pure eventuality ([`EH00`](crate::papers::EH00)): if a word satisfies it, so does every word that ends in that
    /// word. Then `F f`, `g U f` and `f` are the same.
    pub const fn is_eventual(self) -> bool {
        self.0 & Self::EVENTUAL != 0
    }
    /// Purely universal ([`EH00`](crate::papers::EH00)): if a word satisfies it, so does every suffix. Then `G f`, `g R f`
    /// and `f` are the same.
    pub const fn is_universal(self) -> bool {
        self.0 & Self::UNIVERSAL != 0
    }
    /// A safety property by its syntax: without eventualities (F, U, M) in positive places.
    pub const fn is_safety(self) -> bool {
        self.0 & Self::SAFETY != 0
    }
    /// A guarantee by its syntax: without invariances (G, R, W) in positive places.
    pub const fn is_guarantee(self) -> bool {
        self.0 & Self::GUARANTEE != 0
    }
    /// In negation normal form: `!` stands before atoms only, and there is no `xor`, `->`, `<->`.
    pub const fn is_normal(self) -> bool {
        self.0 & Self::NORMAL != 0
    }
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

/// The literals that a formula depends on, as a set of bits: two for each atom, one for it and one
/// for its negation; atoms that differ by a multiple of 32 share them. An atom is a literal of the
/// formula if it occurs under an even number of negations, its negation if under an odd one.
///
/// If f and g have no literal in common, and f is true of some word and g false of another, then one
/// word does both: take the values of an atom from the word for f if f depends on it under both
/// signs or under the one that g has not, and so on; no atom is asked for twice. So f can imply g
/// only if they have a literal in common, or f is unsatisfiable, or g is valid. (That is for
/// propositions, which are free; events are not.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Literals(u64);

impl Literals {
    const NONE: Literals = Literals(0);
    const POSITIVE: u64 = 0x5555_5555_5555_5555;

    const fn of(atom: Atom) -> Self {
        Literals(1 << (atom.0 % 32 * 2))
    }

    const fn with(self, other: Self) -> Self {
        Literals(self.0 | other.0)
    }

    /// Those of the negation.
    pub(crate) const fn negated(self) -> Self {
        Literals((self.0 & Self::POSITIVE) << 1 | self.0 >> 1 & Self::POSITIVE)
    }

    /// Under either sign.
    pub(crate) const fn both_signs(self) -> Self {
        self.with(self.negated())
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
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

    fn derive_literals(&self, node: Node<'_>) -> Literals {
        let of = |f: Formula| self.literals(f);
        match node {
            Node::False | Node::True => Literals::NONE,
            Node::Atom(atom) => Literals::of(atom),
            Node::Not(f) => of(f).negated(),
            Node::And(run) | Node::Or(run) => {
                run.iter().fold(Literals::NONE, |all, &f| all.with(of(f)))
            }
            Node::Xor(f, g) | Node::Iff(f, g) => of(f).with(of(g)).both_signs(),
            Node::Implies(f, g) => of(f).negated().with(of(g)),
            Node::Next(f) | Node::Finally(f) | Node::Globally(f) => of(f),
            Node::Until(f, g)
            | Node::Release(f, g)
            | Node::WeakUntil(f, g)
            | Node::StrongRelease(f, g) => of(f).with(of(g)),
        }
    }

    fn derive_traits(&self, node: Node<'_>) -> Traits {
        const E: u8 = Traits::EVENTUAL;
        const U: u8 = Traits::UNIVERSAL;
        const B: u8 = Traits::BOOLEAN;
        const N: u8 = Traits::NORMAL;
        const S: u8 = Traits::SAFETY;
        const A: u8 = Traits::GUARANTEE;
        let of = |f: Formula| self.traits(f).0;
        // What all operands have is kept by every operator that is monotone in them.
        let both = |f, g| of(f) & of(g);
        let swapped = |t: u8| (t & (E | S)) << 1 | (t & (U | A)) >> 1 | t & B;
        Traits(match node {
            Node::False | Node::True => B | E | U | N | S | A,
            Node::Atom(_) => B | N | S | A,
            Node::Not(f) => {
                swapped(of(f)) | if matches!(self.node(f), Node::Atom(_)) { N } else { 0 }
            }
            Node::And(run) | Node::Or(run) => run.iter().fold(u8::MAX, |t, &f| t & of(f)),
            Node::Implies(f, g) => swapped(of(f)) & of(g),
            // Both signs of both operands matter: only what is eventual and universal remains so.
            Node::Xor(f, g) | Node::Iff(f, g) => {
                let t = both(f, g);
                let only_both = |pair: u8| if t & pair == pair { pair } else { 0 };
                t & B | only_both(E | U) | only_both(S | A)
            }
            Node::Next(f) => of(f) & !B,
            Node::Finally(f) => of(f) & (U | N | A) | E,
            Node::Globally(f) => of(f) & (E | N | S) | U,
            // f U e = e and f R u = u, whatever f is.
            Node::Until(f, g) => both(f, g) & (E | U | N | A) | of(g) & E,
            Node::Release(f, g) => both(f, g) & (E | U | N | S) | of(g) & U,
            Node::WeakUntil(f, g) => both(f, g) & (E | U | N | S),
            Node::StrongRelease(f, g) => both(f, g) & (E | U | N | A),
        })
    }
}

/// Smart constructors: operands sorted by id and without repetition, trivial identities applied.
impl Formulas {
    /// `true` or `false`.
    pub const fn constant(&self, value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// An atom.
    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// `!f`; a double negation goes away.
    pub fn not(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False => Formula::TRUE,
            Node::True => Formula::FALSE,
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of the operands; `true` if there are none.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.lattice(operands, false)
    }

    /// The disjunction of the operands; `false` if there are none.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.lattice(operands, true)
    }

    /// `f & g`
    pub fn and2(&mut self, f: Formula, g: Formula) -> Formula {
        self.and([f, g])
    }

    /// `f | g`
    pub fn or2(&mut self, f: Formula, g: Formula) -> Formula {
        self.or([f, g])
    }

    /// `f` with other operands, as many as it has. It must be in negation normal form.
    pub(crate) fn with_operands(&mut self, f: Formula, operands: &[Formula]) -> Formula {
        if self.operands(f).eq(operands.iter().copied()) {
            return f;
        }
        match (self.operator(f), operands) {
            (Operator::And, all) => self.and(all.iter().copied()),
            (Operator::Or, any) => self.or(any.iter().copied()),
            (Operator::Next, &[g]) => self.next(g),
            (Operator::Finally, &[g]) => self.finally(g),
            (Operator::Globally, &[g]) => self.globally(g),
            (Operator::Until, &[g, h]) => self.until(g, h),
            (Operator::Release, &[g, h]) => self.release(g, h),
            (Operator::WeakUntil, &[g, h]) => self.weak_until(g, h),
            (Operator::StrongRelease, &[g, h]) => self.strong_release(g, h),
            _ => f,
        }
    }

    fn lattice(&mut self, operands: impl IntoIterator<Item = Formula>, or: bool) -> Formula {
        let (neutral, absorbing) = (self.constant(!or), self.constant(or));
        let mut flat = std::mem::take(&mut self.scratch);
        for f in operands {
            match self.node(f) {
                Node::And(inner) if !or => flat.extend_from_slice(inner),
                Node::Or(inner) if or => flat.extend_from_slice(inner),
                _ if f == neutral => {}
                _ => flat.push(f),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // f and !f: the negation was made later, so it stands behind.
        let contradicts = |&f: &Formula| match self.node(f) {
            Node::Not(g) => flat.binary_search(&g).is_ok(),
            _ => f == absorbing,
        };
        let result = match flat[..] {
            [] => neutral,
            [only] => only,
            _ if flat.iter().any(contradicts) => absorbing,
            _ if or => self.intern(Node::Or(&flat)),
            _ => self.intern(Node::And(&flat)),
        };
        flat.clear();
        self.scratch = flat;
        result
    }

    /// `f xor g`
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, h) | (h, Formula::FALSE) => h,
            (Formula::TRUE, h) | (h, Formula::TRUE) => self.not(h),
            (f, g) if f == g => Formula::FALSE,
            (f, g) => self.intern(Node::Xor(f.min(g), f.max(g))),
        }
    }

    /// `f -> g`
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::TRUE, g) => g,
            (f, Formula::FALSE) => self.not(f),
            (f, g) if f == g => Formula::TRUE,
            (f, g) => self.intern(Node::Implies(f, g)),
        }
    }

    /// `f <-> g`
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::TRUE, h) | (h, Formula::TRUE) => h,
            (Formula::FALSE, h) | (h, Formula::FALSE) => self.not(h),
            (f, g) if f == g => Formula::TRUE,
            (f, g) => self.intern(Node::Iff(f.min(g), f.max(g))),
        }
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True => f,
            _ => self.intern(Node::Next(f)),
        }
    }

    /// `F f`
    pub fn finally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True | Node::Finally(_) => f,
            _ => self.intern(Node::Finally(f)),
        }
    }

    /// `G f`
    pub fn globally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True | Node::Globally(_) => f,
            _ => self.intern(Node::Globally(f)),
        }
    }

    /// `f U g`
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (_, Formula::FALSE | Formula::TRUE) | (Formula::FALSE, _) => g,
            (Formula::TRUE, g) => self.finally(g),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::Until(f, g)),
        }
    }

    /// `f R g`
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (_, Formula::FALSE | Formula::TRUE) | (Formula::TRUE, _) => g,
            (Formula::FALSE, g) => self.globally(g),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::Release(f, g)),
        }
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::TRUE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::FALSE, g) => g,
            (f, Formula::FALSE) => self.globally(f),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::WeakUntil(f, g)),
        }
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, _) | (_, Formula::FALSE) => Formula::FALSE,
            (Formula::TRUE, g) => g,
            (f, Formula::TRUE) => self.finally(f),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::StrongRelease(f, g)),
        }
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
