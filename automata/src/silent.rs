//! Formulas that silent steps cannot change: an exact test.
//!
//! [`ltl::silent`] says what it means that a formula is insensitive to silent letters, and has a test that
//! needs no automata. Here automata decide, as [`MD15`](crate::papers::MD15) do for stuttering: with A for
//! the formula and A′ for its negation,
//!
//! - `closed(A)` accepts words from which silent letters were removed: it has an edge q –(P,E)→ q″ wherever
//!   q –(P,silent)→ q′ –(P,E)→ q″, with the marks of both, to a fix point;
//! - `loosened(A)` accepts words into which silent letters were inserted: it has a copy (q,P) of each
//!   state, entered from q and looping on (P,silent), that is left as q is left by letters with P. An
//!   acceptance set more is carried by all edges but those into and inside of copies, so that a word is
//!   not waited out in a copy.
//!
//! The formula is insensitive exactly if neither accepts a word that A′ accepts. (Words into which letters
//! were inserted are those of A′ from which they were removed; so one of the two would do for both
//! directions, but only for finitely many places.)

use crate::automaton::{Automaton, Builder, Marks, State};
use crate::emptiness::is_empty;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
use crate::product::Product;
use crate::translate::{Acceptance, Translator};
use hashbrown::HashMap;
use ltl::{Atom, Formula, Formulas};

/// The most atoms about states: there is a copy of each state for each of their valuations.
pub const MOST_ATOMS: usize = 7;

/// Whether silent steps cannot change the truth of a formula, in which these atoms are about steps. None
/// if it has too many atoms about states.
pub fn is_insensitive(
    translator: &mut Translator<'_>,
    formulas: &mut Formulas,
    f: Formula,
    of_steps: &[Atom],
) -> Result<Option<bool>, StopReason> {
    let negation = formulas.not(f);
    let automaton = translator.translate(formulas, f, Acceptance::Generalized)?;
    let negated = translator.translate(formulas, negation, Acceptance::Generalized)?;
    let guards = &mut translator.guards;
    let of_steps: Vec<u32> = of_steps.iter().map(|atom| atom.0).collect();
    let all = automaton.all_edges().iter().chain(negated.all_edges());
    let mut of_states = guards.support_of(all.map(|edge| edge.guard));
    of_states.retain(|atom| !of_steps.contains(atom));
    if of_states.len() > MOST_ATOMS || automaton.acceptance_sets() as usize >= Marks::MOST {
        return Ok(None);
    }
    let closed = closed(guards, &automaton, &of_steps)?;
    if !is_empty(&Product::of(guards, &closed, &negated)?.automaton) {
        return Ok(Some(false));
    }
    let loosened = loosened(guards, &automaton, &of_steps, &of_states)?;
    Ok(Some(is_empty(&Product::of(guards, &loosened, &negated)?.automaton)))
}

/// The valuations of state atoms with which a guard reads a silent letter.
fn silenced(
    guards: &mut Guards<'_>,
    guard: Guard,
    of_steps: &[u32],
    known: &mut HashMap<Guard, Guard>,
) -> Guard {
    if let Some(&found) = known.get(&guard) {
        return found;
    }
    let Some((atom, low, high)) = guards.decide(guard) else { return guard };
    let low = silenced(guards, low, of_steps, known);
    let found = if of_steps.contains(&atom) {
        low
    } else {
        let high = silenced(guards, high, of_steps, known);
        guards.branch(atom, low, high)
    };
    known.insert(guard, found);
    found
}

/// The automaton of the words of another from which silent letters were removed.
fn closed(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    of_steps: &[u32],
) -> Result<Automaton, StopReason> {
    let mut known = HashMap::new();
    // By state: the guards of edges by their marks and targets.
    let mut edges: Vec<HashMap<(Marks, State), Guard>> = Vec::new();
    for state in automaton.states() {
        let mut of_state = HashMap::new();
        for edge in automaton.edges(state) {
            let guard = of_state.entry((edge.marks, edge.target)).or_insert(Guard::FALSE);
            *guard = guards.or(*guard, edge.guard);
        }
        edges.push(of_state);
    }
    let mut changes = true;
    while changes {
        changes = false;
        for state in 0..edges.len() {
            let firsts: Vec<_> = edges[state].iter().map(|(&key, &guard)| (key, guard)).collect();
            for ((marks, middle), guard) in firsts {
                let silent = silenced(guards, guard, of_steps, &mut known);
                let seconds: Vec<_> =
                    edges[middle.index()].iter().map(|(&key, &guard)| (key, guard)).collect();
                for ((more, target), second) in seconds {
                    let guard = guards.and(silent, second);
                    let key = (marks | more, target);
                    let before = edges[state].get(&key).copied().unwrap_or(Guard::FALSE);
                    let after = guards.or(before, guard);
                    if after != before {
                        edges[state].insert(key, after);
                        changes = true;
                    }
                }
            }
            guards.check_size(edges.len(), edges.iter().map(HashMap::len).sum())?;
        }
        guards.check()?;
    }
    let mut builder = Builder::new();
    for of_state in edges {
        let mut of_state: Vec<_> = of_state.into_iter().collect();
        of_state.sort_unstable_by_key(|&(key, _)| key);
        for ((marks, target), guard) in of_state {
            builder.edge(guard, marks, target);
        }
        builder.end_state();
    }
    Ok(builder.finish(automaton.initial(), automaton.acceptance_sets()))
}

/// The automaton of the words of another into which silent letters were inserted.
fn loosened(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    of_steps: &[u32],
    of_states: &[u32],
) -> Result<Automaton, StopReason> {
    let states = automaton.state_count();
    let moves = Marks::one(automaton.acceptance_sets());
    let silent: Vec<(u32, bool)> = of_steps.iter().map(|&atom| (atom, false)).collect();
    let silent = guards.cube(&silent);
    let valuations: Vec<Guard> = (0..1_usize << of_states.len())
        .map(|valuation| {
            let literals = of_states.iter().enumerate();
            let literals: Vec<(u32, bool)> =
                literals.map(|(k, &atom)| (atom, valuation >> k & 1 == 1)).collect();
            guards.cube(&literals)
        })
        .collect();
    let copy = |state: State, valuation: usize| {
        State((states + state.index() * valuations.len() + valuation) as u32)
    };
    let mut builder = Builder::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            builder.edge(edge.guard, edge.marks | moves, edge.target);
        }
        for (k, &valuation) in valuations.iter().enumerate() {
            let guard = guards.and(valuation, silent);
            builder.edge(guard, Marks::NONE, copy(state, k));
        }
        builder.end_state();
    }
    for state in automaton.states() {
        for (k, &valuation) in valuations.iter().enumerate() {
            let guard = guards.and(valuation, silent);
            builder.edge(guard, Marks::NONE, copy(state, k));
            for edge in automaton.edges(state) {
                let guard = guards.and(valuation, edge.guard);
                builder.edge(guard, edge.marks | moves, edge.target);
            }
            builder.end_state();
        }
        guards.check_size(builder.state_count(), builder.edge_count())?;
    }
    guards.check()?;
    Ok(builder.finish(automaton.initial(), automaton.acceptance_sets() + 1))
}
