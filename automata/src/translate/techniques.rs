//! What is done at which effort.
//!
//! What each technique gives at high effort, over 1797 formulas of the literature: states that come
//! back when it alone is switched off (`cargo bench --bench corpus -- high -x NAME`), generalized
//! and state-based, out of 8692 and 9970 with all of them.
//!
//! | technique | generalized | state-based |
//! |---|---|---|
//! | simulation | +596 | +78 |
//! | merging | +495 | +509 |
//! | recurrences | +71 | +26 |
//! | variants | +41 | +34 |
//! | reverse-simulation | +16 | +19 |
//! | implication | +5 | +14 |
//! | obligations | +4 | +4 |
//! | orders | 0 | +92 |
//! | buchi-simulation | 0 | +10 |
//!
//! Merging finds again much of what the others find, and the other way round: alone, each gives
//! more. Obligations are there for automata that are deterministic at the same size.
//!
//! Tried and dropped: to split every disjunction that holds from the next position on, or none
//! (4 and 3 states fewer as one more candidate, for a tenth of the time).

use crate::reduce::Simulation;

/// How much time to spend on a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    /// Fast.
    Low,
    /// In between.
    Medium,
    /// Small.
    High,
}

/// What is done to make automata small. Each can be switched off; none changes the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches, each with a name")]
pub struct Techniques {
    /// Simplify formulas by syntactic implication, not only by what one look shows.
    pub implication: bool,
    /// Reduce generalized automata by direct simulation.
    pub simulation: bool,
    /// Reduce generalized automata by reverse simulation too, in turn.
    pub reverse_simulation: bool,
    /// Reduce Büchi automata by simulation.
    pub buchi_simulation: bool,
    /// Degeneralize by several orders of the acceptance sets.
    pub orders: bool,
    /// Try other forms of the formula.
    pub variants: bool,
    /// Build conjuncts `G F g`, g a guarantee, from automata of `F g`.
    pub recurrences: bool,
    /// Merge states as long as nothing else is accepted.
    pub merging: bool,
    /// Look for the smallest weak deterministic automaton.
    pub obligations: bool,
}

impl Techniques {
    /// The names of the techniques, with access to each.
    #[allow(clippy::type_complexity, reason = "a name and a field")]
    pub const ALL: [(&'static str, fn(&mut Techniques) -> &mut bool); 9] = [
        ("implication", |t| &mut t.implication),
        ("simulation", |t| &mut t.simulation),
        ("reverse-simulation", |t| &mut t.reverse_simulation),
        ("buchi-simulation", |t| &mut t.buchi_simulation),
        ("orders", |t| &mut t.orders),
        ("variants", |t| &mut t.variants),
        ("recurrences", |t| &mut t.recurrences),
        ("merging", |t| &mut t.merging),
        ("obligations", |t| &mut t.obligations),
    ];

    /// The simulations for generalized automata.
    pub(super) const fn generalized_simulation(self) -> Simulation {
        match self {
            Techniques { simulation: false, .. } => Simulation::None,
            Techniques { reverse_simulation: false, .. } => Simulation::Direct,
            _ => Simulation::Both,
        }
    }

    /// The simulations for state-based Büchi automata.
    pub(super) const fn buchi_simulation(self) -> Simulation {
        if self.buchi_simulation { Simulation::Both } else { Simulation::None }
    }

    /// What is done at an effort.
    pub const fn of(effort: Effort) -> Self {
        let medium = matches!(effort, Effort::Medium | Effort::High);
        let high = matches!(effort, Effort::High);
        Techniques {
            implication: medium,
            simulation: true,
            reverse_simulation: medium,
            buchi_simulation: high,
            orders: high,
            variants: high,
            recurrences: high,
            merging: high,
            obligations: high,
        }
    }
}
