//! "Again and again": the automaton of `G F g₁ & ... & G F gₖ` from those of `F g₁`, ..., `F gₖ`, for
//! guarantees g.
//!
//! A guarantee is satisfied by a finite prefix: an automaton of `F g` can be *terminal*, i.e. all
//! its accepting runs end in one state that accepts everything. A word satisfies all `G F gᵢ` if and
//! only if it is u₁u₂u₃... where u₁ leads an automaton of `F g₁` from its initial to its last state, u₂ one of
//! `F g₂`, and so on, round and round: each can be waited for when the one before it was seen, since it comes again. So
//! the edges into the last state of one automaton are led to the initial state of the next, and
//! marked where a round is complete. It does not matter that the automata are not deterministic.
//!
//! The tableau keeps every g that may have begun in mind at once, and a product would do so for all gᵢ
//! together; here it is one at a time, and sizes add up. `G F (a <-> X X X b)` has 7 states instead of
//! 27.

use crate::automaton::{Automaton, Builder, Marks, State};
use crate::components::Components;
use crate::guard::Guards;

/// Automata of `F g` that are terminal, with their last states.
#[derive(Clone, Debug)]
pub struct Terminal {
    automaton: Automaton,
    last: State,
}

impl Terminal {
    /// The automaton, if all its accepting runs end in one state that accepts everything, and do not
    /// start there.
    pub fn new(guards: &Guards<'_>, automaton: Automaton) -> Option<Terminal> {
        let components = Components::of(&automaton);
        let accepting = |&q: &State| components.facts_of(q).is_some_and(|facts| facts.accepting);
        let mut accepting = automaton.states().filter(accepting);
        let last = accepting.next()?;
        let accepts_everything = match automaton.edges(last) {
            [edge] => edge.target == last && edge.guard == guards.possible(),
            _ => false,
        };
        let only = accepting.next().is_none() && last != automaton.initial();
        (only && accepts_everything).then_some(Terminal { automaton, last })
    }
}

/// The automaton that waits for each of the automata in turn, forever. There must be one.
pub fn again_and_again(parts: &[Terminal]) -> Automaton {
    let mut start = Vec::with_capacity(parts.len());
    let mut count = 0;
    for part in parts {
        start.push(count);
        count += part.automaton.state_count() as u32 - 1;
    }
    let name =
        |k: usize, state: State| State(start[k] + state.0 - u32::from(state > parts[k].last));
    let mut builder = Builder::new();
    for (k, part) in parts.iter().enumerate() {
        let next = (k + 1) % parts.len();
        let round = if next == 0 { Marks::one(0) } else { Marks::NONE };
        for state in part.automaton.states().filter(|&state| state != part.last) {
            for edge in part.automaton.edges(state) {
                if edge.target == part.last {
                    builder.edge(edge.guard, round, name(next, parts[next].automaton.initial()));
                } else {
                    builder.edge(edge.guard, Marks::NONE, name(k, edge.target));
                }
            }
            builder.end_state();
        }
    }
    builder.finish(name(0, parts[0].automaton.initial()), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accepts::accepts;
    use crate::limits::Limits;
    use crate::translate::{Acceptance, Effort, Translator};
    use ltl::generate::all_lassos;
    use ltl::parser::{Language, parse};
    use ltl::{Alphabet, Atoms, Formulas};

    /// The parts as terminal automata of `F g`, one after another, against `G F g & ...`.
    fn check(guarantees: &[&str]) {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let alphabet = Alphabet::default();
        let mut translator = Translator::new(&alphabet, Effort::Medium, Limits::default());
        let (mut parts, mut all) = (Vec::new(), Vec::new());
        for text in guarantees {
            let g = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
            let finally = formulas.finally(g);
            all.push(formulas.globally(finally));
            let automaton = translator.translate(&mut formulas, finally, Acceptance::Generalized);
            let automaton = automaton.expect("within the limits");
            parts.push(Terminal::new(&translator.guards, automaton).expect("terminal"));
        }
        let again = again_and_again(&parts);
        let all = formulas.and(all);
        for word in all_lassos(&formulas.atoms(all), 1, 4) {
            let expected = word.satisfies(&formulas, all);
            assert_eq!(accepts(&translator.guards, &again, &word), expected, "{guarantees:?}");
        }
    }

    #[test]
    fn each_comes_again_and_again() {
        check(&["a & X b"]);
        check(&["a & X X !a"]);
        check(&["a & X b", "!a & X !b"]);
        check(&["a U (b & X b)", "b & X X a", "!a"]);
    }

    #[test]
    fn other_automata_are_refused() {
        for text in ["G a", "1", "0", "F a & G F b", "a U G b"] {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
            let alphabet = Alphabet::default();
            let mut translator = Translator::new(&alphabet, Effort::Medium, Limits::default());
            let automaton = translator.translate(&mut formulas, f, Acceptance::Generalized);
            let automaton = automaton.expect("within the limits");
            assert!(Terminal::new(&translator.guards, automaton).is_none(), "{text}");
        }
    }
}
