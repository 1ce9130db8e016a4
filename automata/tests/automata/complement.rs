//! Reduced automata accept no less than they should, exactly.
//!
//! A small state-based automaton is complemented by rankings (O. Kupferman, M. Y. Vardi. *Weak
//! Alternating Automata Are Not That Weak*), letter by letter, beside the unreduced automaton of the
//! formula: if both accept a word, a reduction lost it. Together with the product with the automaton
//! of the negation (`languages.rs`) this decides equivalence.

use automata::degeneralize::{Orders, degeneralize};
use automata::tableau::tableau;
use automata::translate::{Acceptance, Effort, Translator};
use automata::{Automaton, Builder, Components, Guard, Guards, Limits, Marks, State};
use ltl::generate::{Random, all_letters, exhaustive};
use ltl::normal::negation_normal_form;
use ltl::parser::{Language, parse};
use ltl::word::Letter;
use ltl::{Alphabet, Atom, Atoms, Formula, Formulas};
use std::collections::HashMap;
use support::formulas;

/// Automata with more states are left to the other tests: rankings grow exponentially.
const MOST_STATES: usize = 3;
/// The rank of a state that no run is in.
const NOWHERE: u8 = u8::MAX;

/// A state of the unreduced automaton; a rank for each state of the reduced one; and those of even
/// rank whose runs still have to leave it.
type Node = (State, Vec<u8>, Vec<bool>);

/// Whether some word over the letters is accepted by `full` and not by `reduced`.
fn loses_a_word(
    guards: &Guards<'_>,
    full: &Automaton,
    reduced: &Automaton,
    letters: &[Letter],
) -> bool {
    let count = reduced.state_count();
    let accepting = |q: usize| reduced.state_marks(State(q as u32)).has(0);
    let top = 2 * count as u8;
    let reads = |guard: Guard, letter: &Letter| {
        guards.evaluate(guard, |variable| letter.has(Atom(variable)))
    };
    let mut ranks = vec![NOWHERE; count];
    ranks[reduced.initial().index()] = top;
    let mut nodes: Vec<Node> = vec![(full.initial(), ranks, vec![false; count])];
    let mut number: HashMap<Node, State> = HashMap::from([(nodes[0].clone(), State(0))]);
    let round = full.acceptance_sets();
    let mut graph = Builder::new();
    let mut next = 0;
    while next < nodes.len() {
        let (state, ranks, owing) = nodes[next].clone();
        let done = !owing.contains(&true);
        for letter in letters {
            // The largest rank that each successor may have, and whether one that owes leads there.
            let (mut bounds, mut owes) = (vec![NOWHERE; count], vec![false; count]);
            for q in (0..count).filter(|&q| ranks[q] != NOWHERE) {
                for edge in reduced.edges(State(q as u32)).iter().filter(|e| reads(e.guard, letter))
                {
                    let target = edge.target.index();
                    bounds[target] = bounds[target].min(ranks[q]);
                    owes[target] |= owing[q];
                }
            }
            for edge in full.edges(state).iter().filter(|e| reads(e.guard, letter)) {
                for ranks in rankings(&bounds, accepting) {
                    let even = |q: usize| ranks[q] != NOWHERE && ranks[q].is_multiple_of(2);
                    let owing = (0..count).map(|q| even(q) && (done || owes[q])).collect();
                    let node = (edge.target, ranks, owing);
                    let fresh = State(nodes.len() as u32);
                    let target = *number.entry(node).or_insert_with_key(|node| {
                        nodes.push(node.clone());
                        fresh
                    });
                    let marks = if done { Marks::one(round) } else { Marks::NONE };
                    graph.edge(Guard::TRUE, edge.marks | marks, target);
                }
            }
        }
        graph.end_state();
        next += 1;
    }
    let graph = graph.finish(State(0), round + 1);
    Components::of(&graph).is_useful(graph.initial())
}

/// All rankings within the bounds: accepting states have even ranks.
fn rankings(bounds: &[u8], accepting: impl Fn(usize) -> bool) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for (q, &bound) in bounds.iter().enumerate() {
        let choices: Vec<u8> = match bound {
            NOWHERE => vec![NOWHERE],
            bound => (0..=bound).filter(|r| r.is_multiple_of(2) || !accepting(q)).collect(),
        };
        let longer = |ranks: &Vec<u8>| {
            choices.iter().map(|&rank| [&ranks[..], &[rank]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Checks the formula at every effort; returns how many automata were small enough.
fn check(formulas: &mut Formulas, f: Formula, what: &str) -> usize {
    let letters = all_letters(&formulas.atoms(f));
    let alphabet = Alphabet::default();
    let mut small = 0;
    for effort in [Effort::Low, Effort::Medium, Effort::High] {
        let mut translator = Translator::new(&alphabet, effort, Limits::default());
        let normal = negation_normal_form(formulas, f);
        let full = tableau(&mut translator.guards, formulas, normal).expect("no limit");
        for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
            let mut reduced = translator.translate(formulas, f, acceptance).expect("no limit");
            if acceptance == Acceptance::Generalized {
                reduced = degeneralize(&mut translator.guards, &reduced, Orders::Given)
                    .expect("no limit");
            }
            if reduced.state_count() <= MOST_STATES {
                assert!(!loses_a_word(&translator.guards, &full, &reduced, &letters), "{what}");
                small += 1;
            }
        }
    }
    small
}

#[test]
fn no_word_is_lost() {
    let mut formulas = Formulas::new();
    let atoms = [Atom(0), Atom(1)];
    let mut small = 0;
    for (k, f) in exhaustive(4, &atoms, &mut formulas).into_iter().enumerate() {
        small += check(&mut formulas, f, &format!("formula {k}"));
    }
    for seed in 0..300 {
        let mut formulas = Formulas::new();
        let f = Random::new(seed).formula(8, &atoms, &mut formulas);
        small += check(&mut formulas, f, &format!("seed {seed}"));
    }
    assert!(small > 1000, "{small}");
}

/// Formulas of collections with few atoms; how many automata were small enough to be complemented.
fn lose_no_word(all: &[formulas::Formula]) -> usize {
    let mut small = 0;
    for formulas::Formula { text, .. } in all {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let f = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
        if formulas.atoms(f).len() <= 2 {
            small += check(&mut formulas, f, text);
        }
    }
    small
}

#[test]
fn no_word_of_the_sample_is_lost() {
    let small = lose_no_word(&formulas::sample());
    assert!(small > 100, "{small}");
}

#[test]
fn no_word_of_the_corpus_is_lost() {
    let Some(corpus) = formulas::corpus() else { return };
    let small = lose_no_word(&corpus);
    assert!(small > 1000, "{small}");
}

/// The test can fail: an automaton of `G a` loses words of `F a`.
#[test]
fn a_lost_word_is_found() {
    let mut formulas = Formulas::new();
    let alphabet = Alphabet::default();
    let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
    let a = formulas.atom(Atom(0));
    let (finally, globally) = (formulas.finally(a), formulas.globally(a));
    let full = tableau(&mut translator.guards, &formulas, finally).expect("no limit");
    let less = translator.translate(&mut formulas, globally, Acceptance::Buchi).expect("no limit");
    let letters = all_letters(&[Atom(0)]);
    assert!(loses_a_word(&translator.guards, &full, &less, &letters));
}
