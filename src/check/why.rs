//! Why a run violates a formula: which parts are true or false, and where.
//!
//! That a formula is false at a position has a reason in its parts, there or later; one follows it down to parts that
//! speak of one position, or that are true or false from some position on:
//!
//! ```text
//! G f   is false at i    f is false at the first j from i on where it is
//! F f   is false at i    f is false from i on
//! f -> g  is false at i  f is true at i, and g is false
//! ```
//!
//! and likewise for the others, and for what is true under a negation. What is found are facts about the run that
//! together make the formula false. If they are many, or a part is of a kind that has no short reason, nothing is said.

use crate::language::formula::text;
use judge::letters;
use ltl::formula::{Formula as Part, Node};
use ltl::word::{Lasso, Truth};
use model::checked::{Atom, Formula, Model};
use model::reference::{Binding, ModelReference, Run};

/// Nobody reads more.
const MOST_FACTS: usize = 3;

/// A part of a formula is true or false somewhere in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The part.
    pub part: Part,
    /// Whether it is true.
    pub is_true: bool,
    /// Where it is so.
    pub when: When,
}

/// Where something is so. Positions are those of the steps of the run, from 0: at a position are the state before a
/// step, and the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At this position.
    At(usize),
    /// At this position, which is in the cycle: again and again.
    Again(usize),
    /// At all positions from this one on.
    From(usize),
    /// At all positions from the first to the second, these included.
    Through(usize, usize),
}

/// What a part of a formula speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// States.
    States,
    /// Steps: who does what.
    Steps,
    /// Both, or several positions.
    Both,
}

/// Why a run, which the judge has accepted, violates a formula; nothing, if there is no short reason.
pub fn why(model: &Model, formula: &Formula, binding: &Binding, run: &Run) -> Vec<Fact> {
    let reference = ModelReference::new(model);
    let Ok(mut stem) = letters(&reference, formula, binding, run) else { return Vec::new() };
    let cycle = stem.split_off(run.stem.len());
    let Some(word) = Lasso::new(stem, cycle) else { return Vec::new() };
    why_false(formula, &word)
}

/// Why a word does not satisfy a formula; nothing, if there is no short reason or it does.
pub fn why_false(formula: &Formula, word: &Lasso) -> Vec<Fact> {
    let truth = word.truth(&formula.formulas, formula.root);
    let mut looking = Looking { formula, word, truth, facts: Vec::new() };
    let is_explained = looking.explain(formula.root, false, 0);
    match looking.facts {
        facts if is_explained == Some(()) && facts.len() <= MOST_FACTS => facts,
        _ => Vec::new(),
    }
}

/// A part of a formula as its author would write it.
pub fn shown(formula: &Formula, part: Part) -> String {
    text(formula, part)
}

/// What a part of a formula speaks of.
pub fn sight(formula: &Formula, part: Part) -> Sight {
    let is_of_states =
        |atom: &ltl::Atom| matches!(formula.atoms[atom.0 as usize], Atom::State { .. });
    let atoms = formula.formulas.atoms(part);
    match atoms.iter().filter(|atom| is_of_states(atom)).count() {
        _ if !is_now(formula, part) => Sight::Both,
        number if number == atoms.len() => Sight::States,
        0 => Sight::Steps,
        _ => Sight::Both,
    }
}

/// Whether a part speaks of one position only.
fn is_now(formula: &Formula, part: Part) -> bool {
    let formulas = &formula.formulas;
    let is_later = |one: Part| {
        matches!(
            formulas.node(one),
            Node::Next(_)
                | Node::Finally(_)
                | Node::Globally(_)
                | Node::Until(..)
                | Node::Release(..)
                | Node::WeakUntil(..)
                | Node::StrongRelease(..)
        )
    };
    !formulas.subformulas(part).into_iter().any(is_later)
}

struct Looking<'f> {
    formula: &'f Formula,
    word: &'f Lasso,
    truth: Truth,
    facts: Vec<Fact>,
}

impl Looking<'_> {
    /// Finds facts that make a part true or false at a position, as it is there. None, if there is no short reason.
    fn explain(&mut self, part: Part, is_true: bool, at: usize) -> Option<()> {
        let formula = self.formula;
        match (formula.formulas.node(part), is_true) {
            (Node::False | Node::True, _) => None,
            (Node::Not(f), _) => self.explain(f, !is_true, at),
            (Node::And(all), false) | (Node::Or(all), true) => {
                let decides = all.iter().find(|&&one| self.is(one, at) == is_true)?;
                self.explain(*decides, is_true, at)
            }
            (Node::Implies(f, g), false) => {
                self.explain(f, true, at)?;
                self.explain(g, false, at)
            }
            _ if is_now(formula, part) => self.fact(part, is_true, When::At(at)),
            (Node::And(all), true) | (Node::Or(all), false) => {
                all.iter().try_for_each(|&one| self.explain(one, is_true, at))
            }
            (Node::Implies(f, g), true) => {
                if self.is(g, at) {
                    self.explain(g, true, at)
                } else {
                    self.explain(f, false, at)
                }
            }
            (Node::Next(f), _) => self.explain(f, is_true, self.word.successor(at)),
            (Node::Globally(f), false) | (Node::Finally(f), true) => {
                let there = self.first(at, |this, k| this.is(f, k) == is_true)?;
                self.explain(f, is_true, there)
            }
            (Node::Finally(f), false) | (Node::Globally(f), true) => {
                // `F G f` and `G F f`: what is never so for ever is otherwise again and again.
                let ((Node::Globally(inner), false) | (Node::Finally(inner), true)) =
                    (formula.formulas.node(f), is_true)
                else {
                    return self.fact(f, is_true, When::From(at));
                };
                let cycle = self.word.stem().len();
                let again = self.first(cycle, |this, k| this.is(inner, k) == is_true)?;
                self.fact(inner, is_true, When::Again(again))
            }
            (Node::Until(f, g), false) => match self.first(at, |this, k| this.is(g, k)) {
                None => self.fact(g, false, When::From(at)),
                Some(_) => self.broken(f, g, at),
            },
            (Node::WeakUntil(f, g), false) => self.broken(f, g, at),
            (Node::Until(f, g), true) => {
                let there = self.first(at, |this, k| this.is(g, k))?;
                self.before(f, true, at, there)?;
                self.explain(g, true, there)
            }
            (Node::Release(f, g), false) => self.released(f, g, at),
            (Node::StrongRelease(f, g), false) => {
                match self.first(at, |this, k| this.is(f, k) || !this.is(g, k)) {
                    Some(there) if !self.is(g, there) => self.released(f, g, at),
                    _ => self.fact(f, false, When::From(at)),
                }
            }
            _ => None,
        }
    }

    /// `f` has failed before `g` has come.
    fn broken(&mut self, f: Part, g: Part, at: usize) -> Option<()> {
        let there = self.first(at, |this, k| !this.is(f, k) && !this.is(g, k))?;
        self.explain(f, false, there)?;
        self.through(g, false, at, there)
    }

    /// `g` has failed before `f` has come.
    fn released(&mut self, f: Part, g: Part, at: usize) -> Option<()> {
        let there = self.first(at, |this, k| !this.is(g, k))?;
        self.explain(g, false, there)?;
        self.before(f, false, at, there)
    }

    /// A part is so from a position to just before another one.
    fn before(&mut self, part: Part, is_true: bool, at: usize, end: usize) -> Option<()> {
        if at == end || matches!(self.formula.formulas.node(part), Node::False | Node::True) {
            return Some(());
        }
        self.through(part, is_true, at, end.checked_sub(1)?)
    }

    fn through(&mut self, part: Part, is_true: bool, at: usize, last: usize) -> Option<()> {
        match last.checked_sub(at)? {
            0 => self.fact(part, is_true, When::At(at)),
            _ => self.fact(part, is_true, When::Through(at, last)),
        }
    }

    fn fact(&mut self, part: Part, is_true: bool, when: When) -> Option<()> {
        if matches!(self.formula.formulas.node(part), Node::False | Node::True) {
            return None;
        }
        // A negation is easier to read the other way round.
        if let Node::Not(inner) = self.formula.formulas.node(part) {
            return self.fact(inner, !is_true, when);
        }
        self.facts.push(Fact { part, is_true, when });
        Some(())
    }

    fn is(&self, part: Part, at: usize) -> bool {
        self.truth.at(part, at)
    }

    /// The first position, from this one on, where something is so.
    fn first(&self, from: usize, is_so: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let mut at = from;
        for _ in 0..self.word.letters().len() {
            if is_so(self, at) {
                return Some(at);
            }
            at = self.word.successor(at);
        }
        None
    }
}
