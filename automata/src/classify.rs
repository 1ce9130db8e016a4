//! Where a property stands in the hierarchy of safety and progress ([`MP90`]), exactly.
//!
//! With an automaton A of f and an automaton of `!f`, each class is a question of emptiness:
//!
//! * **Safety**: f is the safety closure of itself. A without useless states, with every run accepting,
//!   accepts the closure; f is safety if nothing in it satisfies `!f`.
//! * **Guarantee**: `!f` is safety.
//! * **Persistence** (recognised by co-Büchi automata): by [`BK09`]. Run A beside its subset construction, and
//!   let every component of the pair that accepts something accept everything. The result accepts at least
//!   f; and exactly f if and only if f is a persistence property. *Proof of "if f is, then exactly":* let
//!   D be a deterministic co-Büchi automaton of f, and w a word accepted by the new automaton: some pair (q, S)
//!   comes infinitely often along w, and a word z leads from it to itself through an accepting cycle
//!   of A. Inserting z at such places changes neither S nor, therefore, what remains to be read. If w were not in f, D
//!   would see a rejecting state again after each place, however often z was inserted before;
//!   so inserting z infinitely often, with long enough stretches of w between, gives a word that D
//!   rejects although A accepts it along its cycle. (Conversely, the new automaton is weak, and
//!   weak automata recognise persistence properties only.)
//! * **Recurrence**: `!f` is persistence.
//! * **Obligation**: recurrence and persistence. Everything else is **reactivity**.
//!
//! Cost: products; for persistence and recurrence a subset construction, which the limits bound.

use crate::automaton::{Automaton, Builder, Marks, State};
use crate::compare::common_word;
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
#[allow(unused_imports, reason = "named in the documentation")]
use crate::papers::{BK09, MP90};
use crate::subsets::Subsets;
use crate::translate::{Acceptance, Translator};
use hashbrown::HashMap;
use ltl::{Formula, Formulas};
use run::Every;
use std::fmt;

/// The classes that a property is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "a property is in any number of classes")]
pub struct Class {
    /// Nothing bad ever happens: every violation shows in a finite prefix.
    pub safety: bool,
    /// Something good happens once: every satisfaction shows in a finite prefix.
    pub guarantee: bool,
    /// Something good happens infinitely often: a deterministic Büchi automaton exists.
    pub recurrence: bool,
    /// Something good holds from some point on: a deterministic co-Büchi automaton exists.
    pub persistence: bool,
}

impl Class {
    /// A Boolean combination of safety properties: a weak deterministic automaton exists.
    pub const fn obligation(self) -> bool {
        self.recurrence && self.persistence
    }

    /// The smallest classes that the property is in, one or two.
    pub fn smallest(self) -> &'static [&'static str] {
        match self {
            Class { safety: true, guarantee: true, .. } => &["safety", "guarantee"],
            Class { safety: true, .. } => &["safety"],
            Class { guarantee: true, .. } => &["guarantee"],
            Class { recurrence: true, persistence: true, .. } => &["obligation"],
            Class { recurrence: true, .. } => &["recurrence"],
            Class { persistence: true, .. } => &["persistence"],
            _ => &["reactivity"],
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.smallest().join(" and "))
    }
}

/// The classes of the words that satisfy `f`.
pub fn classify(
    translator: &mut Translator<'_>,
    formulas: &mut Formulas,
    f: Formula,
) -> Result<Class, StopReason> {
    let not_f = formulas.not(f);
    let yes = translator.translate(formulas, f, Acceptance::Generalized)?;
    let no = translator.translate(formulas, not_f, Acceptance::Generalized)?;
    let safety = is_safety(translator, &yes, &no)?;
    let guarantee = is_safety(translator, &no, &yes)?;
    // Safety and guarantee properties are obligations.
    let simple = safety || guarantee;
    Ok(Class {
        safety,
        guarantee,
        recurrence: simple || is_persistence(translator, &no, &yes)?,
        persistence: simple || is_persistence(translator, &yes, &no)?,
    })
}

/// Whether the language of `yes`, with complement `no`, is closed. Neither has useless states.
fn is_safety(
    translator: &mut Translator<'_>,
    yes: &Automaton,
    no: &Automaton,
) -> Result<bool, StopReason> {
    let mut closure = Builder::new();
    for state in yes.states() {
        for edge in yes.edges(state) {
            closure.edge(edge.guard, Marks::NONE, edge.target);
        }
        closure.end_state();
    }
    let closure = closure.finish(yes.initial(), 0);
    Ok(common_word(translator, &closure, no)?.is_none())
}

/// Whether some deterministic co-Büchi automaton accepts the language of `yes`, with complement
/// `no`.
fn is_persistence(
    translator: &mut Translator<'_>,
    yes: &Automaton,
    no: &Automaton,
) -> Result<bool, StopReason> {
    let paired = beside_subsets(&mut translator.guards, yes)?;
    let components = Components::of(&paired);
    let mut flooded = Builder::new();
    for state in paired.states() {
        for edge in paired.edges(state) {
            let inside = components.together(state, edge.target)
                && components.facts_of(state).is_some_and(|facts| facts.accepting);
            let marks = if inside { Marks::one(0) } else { Marks::NONE };
            flooded.edge(edge.guard, marks, edge.target);
        }
        flooded.end_state();
    }
    let flooded = flooded.finish(paired.initial(), 1);
    Ok(common_word(translator, &flooded, no)?.is_none())
}

/// The automaton run beside its subset construction: states are pairs (q, S), q in S.
fn beside_subsets(guards: &mut Guards<'_>, automaton: &Automaton) -> Result<Automaton, StopReason> {
    let (mut subsets, first) = Subsets::new(automaton);
    let mut name: HashMap<(State, usize), State> = HashMap::new();
    let mut pairs = vec![(automaton.initial(), first)];
    name.insert(pairs[0], State(0));
    let mut builder = Builder::new();
    let mut next = 0;
    while next < pairs.len() {
        let (state, subset) = pairs[next];
        let steps = subsets.steps(guards, subset);
        for edge in automaton.edges(state) {
            for &(letters, successor) in steps {
                let guard = guards.and(edge.guard, letters);
                if guard == Guard::FALSE {
                    continue;
                }
                let pair = (edge.target, successor);
                let target = *name.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    State(pairs.len() as u32 - 1)
                });
                builder.edge(guard, edge.marks, target);
            }
        }
        builder.end_state();
        guards.check_size(pairs.len(), builder.edge_count())?;
        if Every::NODE.is_due(next as u64) {
            guards.poll()?;
        }
        next += 1;
    }
    Ok(builder.finish(State(0), automaton.acceptance_sets()))
}
