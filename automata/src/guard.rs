//! Boolean functions as reduced ordered binary decision diagrams: equal functions have equal ids.
//!
//! A [`Guard`] is an index into its [`Guards`]. Labels of edges are functions of the atoms: variable
//! i is `Atom(i)`. Constructions use further variables, from [`Guards::AUXILIARY`] on; they stand
//! below all atoms, so that a function is first decided by the letter.
//!
//! Invariants of a node (variable, low, high): low differs from high; the variables of both are
//! larger; no other node is the same. Nodes are never freed: a [`Guards`] serves one formula, or a
//! few that are compared, and is then cleared.
//!
//! Limits: when the nodes exceed their limit, or the watch says so, the manager is *stopped*:
//! from then on every operation returns `false` at once,
//! which means nothing, and [`Guards::check`] tells. Every loop over states asks it, so no such
//! result leaves a construction.
//!
//! Cost: 12 bytes a node and 4 to 8 in the table; a direct-mapped cache of operations.

mod cubes;

use crate::limits::{Limits, StopReason};
use hashbrown::HashTable;
use ltl::{Alphabet, Atom};
use run::{Every, Progress};

/// A Boolean function: an index into its [`Guards`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

impl Guard {
    /// The constant false.
    pub const FALSE: Guard = Guard(0);
    /// The constant true.
    pub const TRUE: Guard = Guard(1);

    /// Whether this is `true` or `false`.
    pub const fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

/// A conjunction of literals: (variable, sign), ascending.
pub type Cube = Vec<(u32, bool)>;

/// The Boolean functions made so far.
#[derive(Debug)]
pub struct Guards<'p> {
    nodes: Vec<Branch>,
    table: HashTable<u32>,
    cache: Vec<Remembered>,
    /// The letters that exist.
    possible: Guard,
    limits: Limits<'p>,
    /// Literals of sums of products handed out. Few nodes can need very many: the parity of n atoms
    /// has 2ⁿ⁻¹ products. They are counted against the limit for nodes.
    literals: usize,
    /// Operations so far. Very many may make no new node.
    applied: u64,
    stopped: Option<StopReason>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Branch {
    variable: u32,
    low: Guard,
    high: Guard,
}

/// `result` of `operation` on the two operands; operation 0 means an empty slot.
#[derive(Clone, Copy, Default, Debug)]
struct Remembered {
    operation: u32,
    first: u32,
    second: u32,
    result: u32,
}

const AND: u32 = 1;
const OR: u32 = 2;
const WITHOUT: u32 = 3;
const NOT: u32 = 4;
const RELAXED: u32 = 5;
/// Smallest and largest number of slots of the cache, as powers of two.
const CACHE_BITS: (u32, u32) = (12, 20);

impl<'p> Guards<'p> {
    /// The first variable that is no atom.
    pub const AUXILIARY: u32 = 1 << 24;
    /// How many atoms, and how many other variables, there can be.
    pub const MOST_VARIABLES: u32 = 4096;
    const LEAF: u32 = u32::MAX;

    /// Only the constants, with all letters possible.
    pub fn new(limits: Limits<'p>) -> Self {
        let leaf = Branch { variable: Self::LEAF, low: Guard::FALSE, high: Guard::FALSE };
        Guards {
            nodes: vec![leaf, leaf],
            table: HashTable::new(),
            cache: vec![Remembered::default(); 1 << CACHE_BITS.0],
            possible: Guard::TRUE,
            limits,
            literals: 0,
            applied: 0,
            stopped: None,
        }
    }

    /// The functions over an alphabet in which not every combination of events is possible.
    pub fn over(alphabet: &Alphabet, limits: Limits<'p>) -> Self {
        let mut guards = Guards::new(limits);
        guards.possible = guards.letters_of(alphabet);
        guards
    }

    fn letters_of(&mut self, alphabet: &Alphabet) -> Guard {
        if alphabet.profiles().is_empty() {
            return Guard::TRUE;
        }
        let mut possible = Guard::FALSE;
        for profile in alphabet.profiles() {
            let literals: Cube = alphabet
                .events()
                .iter()
                .map(|atom| (atom.0, profile.binary_search(atom).is_ok()))
                .collect();
            let cube = self.cube(&literals);
            possible = self.or(possible, cube);
        }
        possible
    }

    /// The letters that exist: `true` unless there are event atoms.
    pub const fn possible(&self) -> Guard {
        self.possible
    }

    /// The limits in force.
    pub const fn limits(&self) -> Limits<'p> {
        self.limits
    }

    /// Whether everything computed so far can be relied on.
    pub const fn check(&self) -> Result<(), StopReason> {
        match self.stopped {
            None => Ok(()),
            Some(reason) => Err(reason),
        }
    }

    /// As [`Self::check`], and asks the watch: for loops that make no guards.
    pub fn poll(&mut self) -> Result<(), StopReason> {
        tracing::trace!(target: "progress", label_nodes = self.nodes.len());
        if self.stopped.is_none()
            && let Some(watch) = self.limits.watch
        {
            let label_nodes = self.nodes.len() as u64;
            self.stopped = watch(&Progress { label_nodes, ..Progress::default() });
        }
        self.check()
    }

    /// As [`Self::check`], and whether an automaton of this size is within the limits.
    pub fn check_size(&self, states: usize, edges: usize) -> Result<(), StopReason> {
        if states > self.limits.states {
            return Err(StopReason::States(self.limits.states));
        }
        if edges > self.limits.edges {
            return Err(StopReason::Edges(self.limits.edges));
        }
        self.check()
    }

    /// Tries a construction within tighter limits, `labels` counting new nodes; `None` if these
    /// are met. What was made before stays valid, and so does the manager.
    pub fn attempt<T>(
        &mut self,
        limits: Limits<'p>,
        construct: impl FnOnce(&mut Self) -> Result<T, StopReason>,
    ) -> Result<Option<T>, StopReason> {
        let own = self.limits;
        self.limits = Limits {
            states: own.states.min(limits.states),
            edges: own.edges.min(limits.edges),
            labels: own.labels.min(self.nodes.len() + limits.labels),
            watch: own.watch,
        };
        let literals = std::mem::take(&mut self.literals);
        let result = construct(self);
        self.limits = own;
        self.literals += literals;
        match result {
            Ok(value) => Ok(Some(value)),
            Err(
                StopReason::States(_)
                | StopReason::Edges(_)
                | StopReason::Labels(_)
                | StopReason::Variables(_)
                | StopReason::AcceptanceSets(_),
            ) => {
                self.stopped = None;
                Ok(None)
            }
            Err(reason) => Err(reason),
        }
    }

    /// How many nodes there are.
    #[allow(clippy::len_without_is_empty, reason = "never empty: the constants are always there")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The function that is true when the variable is. Operations recurse once per variable, so
    /// there are at most [`Self::MOST_VARIABLES`] atoms and as many other variables.
    pub fn variable(&mut self, variable: u32) -> Guard {
        if !self.admits(variable) {
            return Guard::FALSE;
        }
        self.branch(variable, Guard::FALSE, Guard::TRUE)
    }

    fn admits(&mut self, variable: u32) -> bool {
        let within = variable % Self::AUXILIARY < Self::MOST_VARIABLES;
        if !within {
            self.stopped.get_or_insert(StopReason::Variables(Self::MOST_VARIABLES));
        }
        within
    }

    /// The function that is true when the atom is.
    pub fn atom(&mut self, atom: Atom) -> Guard {
        debug_assert!(atom.0 < Self::AUXILIARY, "atoms stand above auxiliary variables");
        self.variable(atom.0)
    }

    /// The conjunction of literals; they must be ascending.
    pub fn cube(&mut self, literals: &[(u32, bool)]) -> Guard {
        let mut cube = Guard::TRUE;
        for &(variable, sign) in literals.iter().rev() {
            if !self.admits(variable) {
                return Guard::FALSE;
            }
            let (low, high) = if sign { (Guard::FALSE, cube) } else { (cube, Guard::FALSE) };
            cube = self.branch(variable, low, high);
        }
        cube
    }

    /// The topmost variable of a function and its two cofactors; `None` for constants.
    pub fn decide(&self, f: Guard) -> Option<(u32, Guard, Guard)> {
        let Branch { variable, low, high } = self.nodes[f.0 as usize];
        (!f.is_constant()).then_some((variable, low, high))
    }

    fn top(&self, f: Guard) -> u32 {
        self.nodes[f.0 as usize].variable
    }

    fn cofactors(&self, f: Guard, variable: u32) -> (Guard, Guard) {
        let node = self.nodes[f.0 as usize];
        if node.variable == variable { (node.low, node.high) } else { (f, f) }
    }

    /// The function that is `high` where the variable is true and `low` elsewhere. The variable
    /// must be smaller than those of both.
    pub fn branch(&mut self, variable: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        debug_assert!(variable < self.top(low) && variable < self.top(high), "ordered");
        let node = Branch { variable, low, high };
        let hash = hash_of(variable, low.0, high.0);
        let nodes = &self.nodes;
        if let Some(&id) = self.table.find(hash, |&id| nodes[id as usize] == node) {
            return Guard(id);
        }
        if self.stopped.is_some() {
            return Guard::FALSE;
        }
        let id = self.nodes.len();
        if id >= self.limits.labels {
            self.stopped = Some(StopReason::Labels(self.limits.labels));
            return Guard::FALSE;
        }
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, id as u32, |&id| {
            let Branch { variable, low, high } = nodes[id as usize];
            hash_of(variable, low.0, high.0)
        });
        if Every::LABEL.is_due(id as u64) {
            if id > self.cache.len() && self.cache.len() < 1 << CACHE_BITS.1 {
                let slots = self.cache.len() * 4;
                self.cache = vec![Remembered::default(); slots];
            }
            let _ = self.poll();
        }
        Guard(id as u32)
    }

    fn recall(&self, operation: u32, first: u32, second: u32) -> Option<Guard> {
        let slot = hash_of(operation, first, second) as usize & (self.cache.len() - 1);
        let entry = self.cache[slot];
        let hit = (entry.operation, entry.first, entry.second) == (operation, first, second);
        hit.then_some(Guard(entry.result))
    }

    fn remember(&mut self, operation: u32, first: u32, second: u32, result: Guard) -> Guard {
        if self.stopped.is_none() {
            let slot = hash_of(operation, first, second) as usize & (self.cache.len() - 1);
            self.cache[slot] = Remembered { operation, first, second, result: result.0 };
        }
        result
    }

    /// `!f`
    pub fn not(&mut self, f: Guard) -> Guard {
        match f {
            Guard::FALSE => return Guard::TRUE,
            Guard::TRUE => return Guard::FALSE,
            _ => {}
        }
        if self.stopped.is_some() {
            return Guard::FALSE;
        }
        if let Some(known) = self.recall(NOT, f.0, 0) {
            return known;
        }
        let Branch { variable, low, high } = self.nodes[f.0 as usize];
        let (low, high) = (self.not(low), self.not(high));
        let result = self.branch(variable, low, high);
        self.remember(NOT, f.0, 0, result)
    }

    /// `f & g`
    pub fn and(&mut self, f: Guard, g: Guard) -> Guard {
        match (f, g) {
            (Guard::FALSE, _) | (_, Guard::FALSE) => Guard::FALSE,
            (Guard::TRUE, h) | (h, Guard::TRUE) => h,
            (f, g) if f == g => f,
            (f, g) => self.apply(AND, f.min(g), f.max(g)),
        }
    }

    /// `f | g`
    pub fn or(&mut self, f: Guard, g: Guard) -> Guard {
        match (f, g) {
            (Guard::TRUE, _) | (_, Guard::TRUE) => Guard::TRUE,
            (Guard::FALSE, h) | (h, Guard::FALSE) => h,
            (f, g) if f == g => f,
            (f, g) => self.apply(OR, f.min(g), f.max(g)),
        }
    }

    /// `f & !g`
    pub fn without(&mut self, f: Guard, g: Guard) -> Guard {
        match (f, g) {
            (Guard::FALSE, _) | (_, Guard::TRUE) => Guard::FALSE,
            (f, Guard::FALSE) => f,
            (Guard::TRUE, g) => self.not(g),
            (f, g) if f == g => Guard::FALSE,
            (f, g) => self.apply(WITHOUT, f, g),
        }
    }

    fn apply(&mut self, operation: u32, f: Guard, g: Guard) -> Guard {
        if self.stopped.is_some() {
            return Guard::FALSE;
        }
        self.applied += 1;
        if Every::OPERATION.is_due(self.applied) && self.poll().is_err() {
            return Guard::FALSE;
        }
        if let Some(known) = self.recall(operation, f.0, g.0) {
            return known;
        }
        let variable = self.top(f).min(self.top(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, variable), self.cofactors(g, variable));
        let (low, high) = match operation {
            AND => (self.and(f0, g0), self.and(f1, g1)),
            OR => (self.or(f0, g0), self.or(f1, g1)),
            _ => (self.without(f0, g0), self.without(f1, g1)),
        };
        let result = self.branch(variable, low, high);
        self.remember(operation, f.0, g.0, result)
    }

    /// A function that agrees with f on possible letters, and is mostly smaller: `true` if f is true for
    /// all of them.
    pub fn relaxed(&mut self, f: Guard) -> Guard {
        self.relax(f, self.possible)
    }

    /// A function that agrees with f where `care` is true: decisions on which only one side matters are
    /// left out.
    fn relax(&mut self, f: Guard, care: Guard) -> Guard {
        if f.is_constant() || care == Guard::TRUE {
            return f;
        }
        if f == care {
            return Guard::TRUE;
        }
        if care == Guard::FALSE || self.stopped.is_some() {
            return Guard::FALSE;
        }
        if let Some(known) = self.recall(RELAXED, f.0, care.0) {
            return known;
        }
        let variable = self.top(f).min(self.top(care));
        let (low, high) = self.cofactors(f, variable);
        let result = match self.cofactors(care, variable) {
            (Guard::FALSE, care) => self.relax(high, care),
            (care, Guard::FALSE) => self.relax(low, care),
            (one, other) if low == high => {
                let care = self.or(one, other);
                self.relax(f, care)
            }
            (one, other) => {
                let (low, high) = (self.relax(low, one), self.relax(high, other));
                self.branch(variable, low, high)
            }
        };
        self.remember(RELAXED, f.0, care.0, result)
    }

    /// Whether f implies g.
    pub fn implies(&mut self, f: Guard, g: Guard) -> bool {
        self.without(f, g) == Guard::FALSE
    }

    /// Whether f and g are true together for some valuation.
    pub fn intersects(&mut self, f: Guard, g: Guard) -> bool {
        self.and(f, g) != Guard::FALSE
    }

    /// The value of f when `is_true` tells the values of the variables.
    pub fn evaluate(&self, f: Guard, is_true: impl Fn(u32) -> bool) -> bool {
        let mut at = f;
        while let Some((variable, low, high)) = self.decide(at) {
            at = if is_true(variable) { high } else { low };
        }
        at == Guard::TRUE
    }

    /// The variables that f depends on, ascending.
    pub fn support(&self, f: Guard) -> Vec<u32> {
        self.support_of([f])
    }

    /// The variables that some of the functions depend on, ascending.
    pub fn support_of(&self, functions: impl IntoIterator<Item = Guard>) -> Vec<u32> {
        let mut seen = hashbrown::HashSet::new();
        let mut found = std::collections::BTreeSet::new();
        let mut open: Vec<_> = functions.into_iter().collect();
        while let Some(g) = open.pop() {
            if let Some((variable, low, high)) = self.decide(g)
                && seen.insert(g)
            {
                found.insert(variable);
                open.extend([low, high]);
            }
        }
        found.into_iter().collect()
    }

    /// A valuation that makes f true, as the variables that it fixes; `None` for `false`.
    pub fn witness(&self, f: Guard) -> Option<Cube> {
        let (mut at, mut cube) = (f, Cube::new());
        while let Some((variable, low, high)) = self.decide(at) {
            let sign = low == Guard::FALSE;
            cube.push((variable, sign));
            at = if sign { high } else { low };
        }
        (at == Guard::TRUE).then_some(cube)
    }
}

/// A multiplicative mix of three words; the table and the cache use the low and high bits of it.
fn hash_of(a: u32, b: u32, c: u32) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(K);
    let x = (x ^ x >> 32 ^ u64::from(c)).wrapping_mul(K);
    x ^ x >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of three variables, built from its truth table, against the table itself.
    #[test]
    fn operations_agree_with_truth_tables() {
        let mut guards = Guards::new(Limits::default());
        let build = |guards: &mut Guards, table: u32| {
            let mut f = Guard::FALSE;
            for row in 0..8 {
                if table >> row & 1 == 1 {
                    let cube: Cube = (0..3).map(|v| (v, row >> v & 1 == 1)).collect();
                    let cube = guards.cube(&cube);
                    f = guards.or(f, cube);
                }
            }
            f
        };
        let all: Vec<_> = (0..256).map(|table| build(&mut guards, table)).collect();
        let table =
            |f: Guard| all.iter().position(|&g| g == f).expect("a function of three") as u32;
        for f in 0..256 {
            assert_eq!(table(guards.not(all[f as usize])), !f & 255);
            for g in 0..256 {
                let (a, b) = (all[f as usize], all[g as usize]);
                assert_eq!(table(guards.and(a, b)), f & g);
                assert_eq!(table(guards.or(a, b)), f | g);
                assert_eq!(table(guards.without(a, b)), f & !g);
                assert_eq!(guards.implies(a, b), f & !g == 0);
                if f & !g == 0 {
                    check_cubes(&mut guards, a, b);
                }
            }
        }
    }

    /// The sum lies between the bounds, and no cube is superfluous.
    fn check_cubes(guards: &mut Guards, lower: Guard, upper: Guard) {
        let cubes: Vec<_> =
            guards.cubes_between(lower, upper).iter().map(|c| guards.cube(c)).collect();
        for left_out in 0..=cubes.len() {
            let kept = cubes.iter().enumerate().filter(|&(k, _)| k != left_out);
            let sum = kept.fold(Guard::FALSE, |sum, (_, &cube)| guards.or(sum, cube));
            let covers = guards.implies(lower, sum);
            assert_eq!(covers, left_out == cubes.len(), "irredundant");
            assert!(guards.implies(sum, upper));
        }
    }

    /// Every pair of functions of three variables: where the second is true, nothing changes, and
    /// nothing remains to be decided if the first is constant there.
    #[test]
    fn relaxed_functions_agree_where_it_matters() {
        let mut guards = Guards::new(Limits::default());
        let value = |table: u32, row: u32| table >> row & 1 == 1;
        let rows: Vec<_> = (0..8_u32)
            .map(|row| guards.cube(&(0..3).map(|v| (v, row >> v & 1 == 1)).collect::<Cube>()))
            .collect();
        let mut all = Vec::new();
        for table in 0..256_u32 {
            let mut f = Guard::FALSE;
            for (row, &cube) in (0..).zip(&rows) {
                if value(table, row) {
                    f = guards.or(f, cube);
                }
            }
            all.push(f);
        }
        for (table, &f) in (0..).zip(&all) {
            for (cared, &care) in (0..).zip(&all).skip(1) {
                let relaxed = guards.relax(f, care);
                for row in (0..8).filter(|&row| value(cared, row)) {
                    let found = guards.evaluate(relaxed, |v| row >> v & 1 == 1);
                    assert_eq!(found, value(table, row), "{table:b} where {cared:b}");
                }
                if table & cared == cared || table & cared == 0 {
                    assert!(relaxed.is_constant(), "{table:b} where {cared:b}");
                }
            }
        }
    }

    #[test]
    fn a_huge_sum_of_products_meets_the_limit() {
        let mut guards = Guards::new(Limits { labels: 100_000, ..Limits::default() });
        let mut parity = Guard::FALSE;
        for variable in (0..60).rev() {
            let other = guards.not(parity);
            parity = guards.branch(variable, parity, other);
        }
        assert_eq!(guards.cubes(parity), [] as [Cube; 0]);
        assert_eq!(guards.check(), Err(StopReason::Labels(100_000)));
    }

    /// A limit ends the sum where it is reached, not after as many literals more as there are variables.
    #[test]
    fn a_sum_of_long_products_ends_at_the_limit() {
        let mut guards = Guards::new(Limits { labels: 50_000, ..Limits::default() });
        let mut parity = Guard::FALSE;
        for variable in (0..2000).rev() {
            let other = guards.not(parity);
            parity = guards.branch(variable, parity, other);
        }
        assert_eq!(guards.check(), Ok(()));
        assert_eq!(guards.cubes(parity), [] as [Cube; 0]);
        assert_eq!(guards.check(), Err(StopReason::Labels(50_000)));
    }

    #[test]
    fn a_limit_stops_and_says_so() {
        let mut guards = Guards::new(Limits { labels: 50, ..Limits::default() });
        let mut parity = Guard::FALSE;
        for v in (0..40).rev() {
            let other = guards.not(parity);
            parity = guards.branch(v, parity, other);
        }
        assert_eq!(guards.check(), Err(StopReason::Labels(50)));
    }
}
