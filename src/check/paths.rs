//! Whether all runs through a component violate a formula.
//!
//! The judge has accepted a component, and returned the letters that the formula reads along its
//! steps: a graph of letters. Every run that takes all of the component infinitely often has the
//! word of a path that takes all steps of this graph infinitely often. No single word decides this
//! by definition, so that automata are needed, and automata are among the parts that are judged:
//! this file is no part of the judge. It is a cross-check: the search has used the automaton of the
//! *negation* of the formula, and its product with a quotient; here it is the automaton of the
//! formula *itself*, and its product with the steps that the reference makes. Both rely on the
//! translation of formulas, which is tested against their meaning.
//!
//! Some path satisfies the formula iff the product has a strongly connected part, reached after the
//! stem, that takes all steps of the graph and is in all acceptance sets. Such a part contains the
//! first place. So for each state of the automaton that is reachable there, the part around it is
//! checked: the threads that are reachable from it and from which it is reachable.

use automata::limits::Limits;
use automata::translate::{Acceptance, Effort, Translator};
use automata::{Automaton, Guards, Marks, State};
use hashbrown::{HashMap, HashSet};
use judge::{
    Bound, Component, Flaw, LetterGraph, Objection, Reference, Run, Vocabulary, judge_component,
};
use ltl::{Alphabet, Atom, Letter};
use terms::Demand;

/// If there are more different letters than this, the automaton is made for all that atoms could make.
const MOST_LETTERS: usize = 1 << 10;

/// Judges a counterexample that is a component: accepts it if there are runs of the system that
/// begin with the stem and then take all of the component infinitely often, are fair as demanded,
/// and none of these satisfies the formula for these values of its tracked variables. At most
/// `most_steps` steps of one of them are executed.
///
/// The component must be globally fair, whatever is demanded.
pub fn judge_all_paths<R: Reference>(
    reference: &R,
    formula: &<R::Vocabulary as Vocabulary>::Formula,
    binding: &[Bound<R::Vocabulary>],
    demand: Demand,
    claim: (&Run<R::Vocabulary>, &Component<R::Vocabulary>),
    most_steps: usize,
) -> Result<(), Objection<R::Vocabulary>> {
    let graph = judge_component(reference, formula, binding, demand, claim, most_steps)?;
    refuted(reference.syntax(formula), &graph)
}

/// Whether no path that takes all steps infinitely often satisfies the formula.
pub fn refuted<V: Vocabulary>(
    (formulas, root): (&ltl::Formulas, ltl::Formula),
    graph: &LetterGraph,
) -> Result<(), Objection<V>> {
    let alphabet = letters(formulas.atoms(root), graph);
    let mut translator = Translator::new(&alphabet, Effort::High, Limits::default());
    let mut formulas = formulas.clone();
    let automaton = translator.translate(&mut formulas, root, Acceptance::Generalized);
    let automaton = automaton.map_err(|_| Objection::TooLarge)?;
    let mut product = Product { automaton: &automaton, guards: &translator.guards, graph };
    if product.has_fair_path() { Err(Objection::Component(Flaw::SatisfiedByPath)) } else { Ok(()) }
}

/// The letters of a graph of letters. Without many events, the automaton need not tell sets of them apart.
fn letters(atoms: Vec<Atom>, graph: &LetterGraph) -> Alphabet {
    let steps = graph.steps.iter().flatten().map(|(letter, _)| letter);
    let different: HashSet<&Letter> = graph.stem.iter().chain(steps).collect();
    if different.len() > MOST_LETTERS {
        return Alphabet::default();
    }
    let true_of = |letter: &Letter| atoms.iter().copied().filter(|&a| letter.has(a)).collect();
    let combinations: Vec<Vec<Atom>> = different.into_iter().map(true_of).collect();
    Alphabet::of_combinations(atoms, combinations)
}

struct Product<'p, 'g> {
    automaton: &'p Automaton,
    guards: &'p Guards<'g>,
    graph: &'p LetterGraph,
}

/// By letter and state: the targets of the automaton's edges.
type Moves<'l> = HashMap<&'l Letter, Vec<Vec<(usize, Marks)>>>;

impl<'p> Product<'p, '_> {
    fn states(&self) -> usize {
        self.automaton.states().count()
    }

    fn moves_of(&self, letter: &Letter) -> Vec<Vec<(usize, Marks)>> {
        let of_state = |state: State| {
            let edges = self.automaton.edges(state).iter();
            let read = edges
                .filter(|edge| self.guards.evaluate(edge.guard, |atom| letter.has(Atom(atom))));
            read.map(|edge| (edge.target.0 as usize, edge.marks)).collect()
        };
        self.automaton.states().map(of_state).collect()
    }

    /// Whether the automaton accepts a path that takes all steps infinitely often.
    fn has_fair_path(&mut self) -> bool {
        let graph = self.graph;
        let mut moves: Moves<'p> = HashMap::new();
        let steps = graph.steps.iter().flatten().map(|(letter, _)| letter);
        for letter in graph.stem.iter().chain(steps) {
            if !moves.contains_key(letter) {
                let found = self.moves_of(letter);
                moves.insert(letter, found);
            }
        }
        let mut behind = vec![false; self.states()];
        behind[self.automaton.initial().0 as usize] = true;
        for letter in &graph.stem {
            let mut next = vec![false; behind.len()];
            let from = behind.iter().enumerate().filter(|(_, is_there)| **is_there);
            for &(target, _) in from.flat_map(|(state, _)| &moves[letter][state]) {
                next[target] = true;
            }
            behind = next;
        }
        let threads = Threads::new(graph, &moves, behind.len());
        let starts: Vec<usize> = (0..behind.len()).filter(|&state| behind[state]).collect();
        let reached = threads.reach(&starts, &threads.forth);
        // Threads of the first place come first.
        let all = self.automaton.all_marks();
        (0..behind.len())
            .filter(|&state| reached[state])
            .any(|state| threads.takes_all(state, graph, all))
    }
}

/// The product: thread `place * states + state` is a place and a state of the automaton.
struct Threads {
    states: usize,
    /// The successors of each thread, each with the step of its place and the marks.
    forth: Vec<Vec<(usize, usize, Marks)>>,
    /// The predecessors of each thread.
    back: Vec<Vec<(usize, usize, Marks)>>,
}

impl Threads {
    fn new(graph: &LetterGraph, moves: &Moves<'_>, states: usize) -> Threads {
        let mut forth = vec![Vec::new(); graph.steps.len() * states];
        let mut back = forth.clone();
        for (place, steps) in graph.steps.iter().enumerate() {
            for (step, (letter, to)) in steps.iter().enumerate() {
                for (state, moves) in moves[letter].iter().enumerate() {
                    for &(next, marks) in moves {
                        let (from, to) = (place * states + state, to * states + next);
                        forth[from].push((to, step, marks));
                        back[to].push((from, step, marks));
                    }
                }
            }
        }
        Threads { states, forth, back }
    }

    /// By thread: whether it is reachable from these along `by`.
    fn reach(&self, from: &[usize], by: &[Vec<(usize, usize, Marks)>]) -> Vec<bool> {
        let mut is_reached = vec![false; self.forth.len()];
        let mut open = from.to_vec();
        for &thread in from {
            is_reached[thread] = true;
        }
        while let Some(thread) = open.pop() {
            for &(next, ..) in &by[thread] {
                if !std::mem::replace(&mut is_reached[next], true) {
                    open.push(next);
                }
            }
        }
        is_reached
    }

    /// Whether the strongly connected part around a thread takes all steps and has all marks.
    fn takes_all(&self, thread: usize, graph: &LetterGraph, all: Marks) -> bool {
        let ahead = self.reach(&[thread], &self.forth);
        let behind = self.reach(&[thread], &self.back);
        let is_inside = |thread: usize| ahead[thread] && behind[thread];
        let mut marks = Marks::NONE;
        let mut is_taken: Vec<Vec<bool>> =
            graph.steps.iter().map(|steps| vec![false; steps.len()]).collect();
        for (thread, moves) in self.forth.iter().enumerate().filter(|(one, _)| is_inside(*one)) {
            for &(_, step, more) in moves.iter().filter(|(next, ..)| is_inside(*next)) {
                marks = marks | more;
                is_taken[thread / self.states][step] = true;
            }
        }
        marks.contains(all) && is_taken.iter().flatten().all(|&is_taken| is_taken)
    }
}
