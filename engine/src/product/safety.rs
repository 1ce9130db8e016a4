//! Several safety formulas in one pass over the states.
//!
//! Where steps are computed anew each time ([`PlainWalk`]), a search per formula computes them as
//! often as there are formulas. This pass visits every state once for all of them. It only finds
//! formulas that hold: their product nodes and edges are all that can be reached, in whatever order
//! they are visited. A formula that turns out not to hold, or to fail, is left to a search of its
//! own, which finds the nearest violation.
//!
//! ```text
//! pending(s, f): the states q of the automaton of f for which (s, q) is reached, but not expanded
//!   while there is a state s with pending nodes:
//!     for each step of s, each f and each q in pending(s, f):
//!       for each edge q → q′ that reads the letter of s and the step:  reach (target, q′)
//! ```

use super::{Letter, Letters, Reader, Stop, Touched};
use crate::quotient::{PlainWalk, Representative};
use crate::symmetry::Point;
use automata::State;
use run::{Every, Progress, Ticker};
use std::collections::VecDeque;

/// The most states of an automaton: there is a bit for each.
const MOST_STATES: usize = 8;

/// The most formulas of a pass: each takes some bytes per state.
pub const MOST_FORMULAS: usize = 8;

/// A safety formula for one tuple of tracked points.
pub struct Safety<'p> {
    reader: &'p Reader,
    letters: Box<dyn Letters + 'p>,
    tracked: Vec<Point>,
    /// By action: the letter of its steps, if it is known.
    action_letters: Vec<Option<Letter>>,
    /// The letter of the current state.
    letter: Letter,
    held: Held,
    /// Whether it may still hold.
    is_open: bool,
}

/// What a search has done that finds no violation.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The nodes and edges of the product.
    pub progress: Progress,
    /// The representatives that were expanded.
    pub touched: Touched,
}

impl<'p> Safety<'p> {
    /// A formula whose violations are decided by a finite prefix. None if its automaton is too
    /// large.
    pub fn new(
        reader: &'p Reader,
        letters: Box<dyn Letters + 'p>,
        tracked: Vec<Point>,
    ) -> Option<Self> {
        (reader.is_terminal() && reader.states() <= MOST_STATES).then(|| Safety {
            reader,
            letters,
            tracked,
            action_letters: Vec::new(),
            letter: 0,
            held: Held::default(),
            is_open: true,
        })
    }

    /// The letter of the steps that execute an action.
    fn of_action(&mut self, action: u32, rule: u32, arguments: &[i64]) -> Letter {
        let at = action as usize;
        if self.action_letters.len() <= at {
            self.action_letters.resize(at + 1, None);
        }
        let Safety { letters, tracked, .. } = self;
        let of_step = || letters.of_step(rule, arguments, tracked);
        *self.action_letters[at].get_or_insert_with(of_step)
    }
}

/// The nodes of all products, eight bits for each state and formula.
struct Nodes {
    formulas: usize,
    reached: Vec<u8>,
    pending: Vec<u8>,
    /// The states with pending nodes, and perhaps others.
    open: VecDeque<Representative>,
}

impl Nodes {
    fn at(&self, of: Representative) -> usize {
        of.0 as usize * self.formulas
    }

    fn reach(&mut self, of: Representative, formula: usize, state: State) {
        let first = self.at(of);
        if self.reached.len() < first + self.formulas {
            self.reached.resize(first + self.formulas, 0);
            self.pending.resize(first + self.formulas, 0);
        }
        let bit = 1 << state.0;
        if self.reached[first + formula] & bit != 0 {
            return;
        }
        self.reached[first + formula] |= bit;
        if self.pending[first..first + self.formulas].iter().all(|&bits| bits == 0) {
            self.open.push_back(of);
        }
        self.pending[first + formula] |= bit;
    }
}

/// Searches the products of all formulas together. Returns for each whether it holds, with what a
/// search of its own would have counted; none if that is not known. Stops as soon as no formula may
/// hold.
pub fn hold_together(
    walk: &mut impl PlainWalk,
    formulas: &mut [Safety<'_>],
    watch: &Ticker<'_>,
) -> Result<Vec<Option<Held>>, Stop> {
    let mut nodes = Nodes {
        formulas: formulas.len(),
        reached: Vec::new(),
        pending: Vec::new(),
        open: VecDeque::new(),
    };
    let mut steps = Progress::default();
    while let Some(start) = walk.next_start() {
        let start = start?;
        for (k, formula) in formulas.iter().enumerate() {
            nodes.reach(start, k, formula.reader.initial());
        }
    }
    while let Some(of) = nodes.open.pop_front() {
        if Every::NODE.is_due(steps.product_nodes) {
            watch.report(steps)?;
        }
        steps.product_nodes += 1;
        if formulas.iter().all(|formula| !formula.is_open) {
            break;
        }
        let first = nodes.at(of);
        let mut pending = [0; MOST_FORMULAS];
        let here = &mut nodes.pending[first..first + formulas.len()];
        pending[..here.len()].copy_from_slice(here);
        here.fill(0);
        let state = walk.state(of);
        let with_nodes =
            formulas.iter_mut().zip(&mut pending).filter(|(_, pending)| **pending != 0);
        for (formula, pending) in with_nodes {
            match formula.letters.of_state(state, &formula.tracked) {
                Ok(letter) => formula.letter = letter,
                // It is left to a search of its own.
                Err(_) => formula.is_open = false,
            }
            if !formula.is_open {
                *pending = 0;
            }
            let states = states_of(*pending);
            formula.is_open &= states.clone().all(|state| !formula.reader.is_universal(state));
            formula.held.progress.product_nodes += states.count() as u64;
        }
        let mut read = |target: Representative, action: Option<(u32, u32, &[i64])>| {
            for (k, formula) in formulas.iter_mut().enumerate().filter(|(k, _)| pending[*k] != 0) {
                let of_step = action.map_or(0, |(action, rule, arguments)| {
                    formula.of_action(action, rule, arguments)
                });
                for state in states_of(pending[k]) {
                    for (state, _) in formula.reader.read(state, formula.letter | of_step) {
                        formula.held.progress.product_edges += 1;
                        nodes.reach(target, k, state);
                    }
                }
            }
        };
        let outline = walk.edges(of, &mut |edge| {
            read(edge.target, Some((edge.action, edge.rule, edge.arguments)));
        })?;
        if outline.is_stuck {
            read(of, None);
        }
        for (formula, _) in formulas.iter_mut().zip(pending).filter(|(_, pending)| *pending != 0) {
            formula.held.touched.insert(of, outline.edges);
        }
    }
    let held = formulas.iter_mut().map(|formula| {
        let held = std::mem::take(&mut formula.held);
        formula.is_open.then_some(held)
    });
    Ok(held.collect())
}

/// The states of an automaton that are in a set of bits.
fn states_of(bits: u8) -> impl Iterator<Item = State> + Clone {
    (0..8).filter(move |state| bits >> state & 1 == 1).map(State)
}
