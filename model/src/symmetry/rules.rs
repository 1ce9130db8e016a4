//! The rules that concern one construct each, by name: a test leaves out one at a time, and demands
//! that the loss is noticed.

/// What the symmetry rules say of queues, sets, sums, literals and the elements of multisets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(unreachable_pub, reason = "tests of other crates reach it")]
pub enum SymmetryRule {
    /// `push` and `pushfront` change a queue in a way that depends on what it has.
    Push,
    /// `pop` changes a queue.
    Pop,
    /// `head(q)`, `last(q)` and `q[i]` read a queue.
    ElementOfQueue,
    /// `length(q)` reads a queue.
    Length,
    /// `v in q` reads a queue.
    InQueue,
    /// `insert` and `remove` store different values.
    Member,
    /// `v in s` reads whether v is in s.
    InSet,
    /// `size(s)` reads a set.
    Size,
    /// `s <= t` and operations read sets.
    SetOperands,
    /// A sum reads what its operand reads.
    Sum,
    /// Effects in a sum have an order.
    EffectsInSum,
    /// A literal reads what its parts read.
    Parts,
    /// `put` shows the indices inside of a queue or a set.
    PutContents,
    /// Iterations over the elements of a multiset are compared.
    Each,
    /// Which elements a loop is about is read from the multiset.
    ElementsRead,
    /// To remove an element is to change it.
    Removal,
}

#[cfg(any(test, feature = "testing"))]
impl SymmetryRule {
    /// All of them.
    pub const ALL: [SymmetryRule; 16] = [
        SymmetryRule::Push,
        SymmetryRule::Pop,
        SymmetryRule::ElementOfQueue,
        SymmetryRule::Length,
        SymmetryRule::InQueue,
        SymmetryRule::Member,
        SymmetryRule::InSet,
        SymmetryRule::Size,
        SymmetryRule::SetOperands,
        SymmetryRule::Sum,
        SymmetryRule::EffectsInSum,
        SymmetryRule::Parts,
        SymmetryRule::PutContents,
        SymmetryRule::Each,
        SymmetryRule::ElementsRead,
        SymmetryRule::Removal,
    ];
}

/// All rules, but perhaps one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Rules {
    /// The one that is left out, in a test.
    pub(crate) without: Option<SymmetryRule>,
}

impl Rules {
    /// Whether a rule is followed.
    pub(super) fn has(self, rule: SymmetryRule) -> bool {
        self.without != Some(rule)
    }
}
