//! What is done at which effort.
//!
//! What each technique gives at high effort, over 1797 formulas of the literature: states that come
//! back when it alone is switched off (`cargo bench --bench corpus -- high -x NAME`), generalized
//! and state-based, out of 8681 and 9939 with all of them.
//!
//! | technique | generalized | state-based |
//! |---|---|---|
//! | merging | +501 | +536 |
//! | simulation | +500 | +79 |
//! | recurrences | +68 | +26 |
//! | variants | +27 | +38 |
//! | orders | 0 | +75 |
//! | reverse-simulation | +11 | +26 |
//! | implication | +3 | +15 |
//! | buchi-simulation | 0 | +5 |
//! | disjunctions | +4 | +3 |
//! | obligations | 0 | 0 |
//!
//! Merging finds again much of what the others find, and the other way round: alone, each gives
//! more. Obligations give no smaller automata, but deterministic ones of the same size.

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
    /// Try the tableau with all disjunctions split.
    pub disjunctions: bool,
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
    pub const ALL: [(&'static str, fn(&mut Techniques) -> &mut bool); 10] = [
        ("implication", |t| &mut t.implication),
        ("simulation", |t| &mut t.simulation),
        ("reverse-simulation", |t| &mut t.reverse_simulation),
        ("buchi-simulation", |t| &mut t.buchi_simulation),
        ("orders", |t| &mut t.orders),
        ("disjunctions", |t| &mut t.disjunctions),
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
            disjunctions: high,
            variants: high,
            recurrences: high,
            merging: high,
            obligations: high,
        }
    }
}
