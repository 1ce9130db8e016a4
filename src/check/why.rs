//! Why a run violates a formula: which parts are true or false, and at which positions.
//!
//! If a formula is false at a position, there is a reason in its parts, at that position or a later
//! one. The reasons are followed down to parts that depend on one position only, or that are true
//! or false from some position on:
//!
//! ```text
//! G f   is false at i    f is false at the first j from i on where it is
//! F f   is false at i    f is false from i on
//! f -> g  is false at i  f is true at i, and g is false
//! ```
//!
//! and likewise for the other operators, and for parts that are true under a negation. The result
//! is a list of facts about the run that together make the formula false. It is empty if there are
//! too many facts, or if a part is of a kind that has no short reason.

use crate::parts;
use judge::{Bound, Reference, Run, Vocabulary, letters};
use ltl::Formulas;
use ltl::formula::{Formula as Part, Node};
use ltl::word::{Lasso, Truth};

/// The greatest number of facts of an explanation: more are not helpful.
const MOST_FACTS: usize = 3;

/// A part of a formula is true or false at some positions of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The part.
    pub part: Part,
    /// Whether it is true.
    pub is_true: bool,
    /// The positions.
    pub when: When,
}

/// Positions of a run, which are those of its steps, from 0 on: at a position are the state before
/// a step, and the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At this position.
    At(usize),
    /// At this position, which is in the cycle: infinitely often.
    Again(usize),
    /// At all positions from this one on.
    From(usize),
    /// At all positions from the first to the second, these included.
    Through(usize, usize),
}

/// The formulas of a reference.
pub type FormulaOf<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// A part of a formula as its author would write it.
pub fn text<R: Reference>(reference: &R, formula: &FormulaOf<R>, part: Part) -> String {
    let (formulas, _) = reference.syntax(formula);
    parts::text(formulas, part, &|atom| reference.atom_text(formula, atom))
}

/// The kind of positions that a part of a formula depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// States only.
    States,
    /// Steps only: a process or an event.
    Steps,
    /// States and steps, or several positions.
    Both,
}

/// The kind of positions that a part of a formula depends on.
pub fn sight<R: Reference>(reference: &R, formula: &FormulaOf<R>, part: Part) -> Sight {
    let (formulas, _) = reference.syntax(formula);
    let atoms = formulas.atoms(part);
    match atoms.iter().filter(|&&atom| !reference.reads_events(formula, atom)).count() {
        _ if !is_now(formulas, part) => Sight::Both,
        number if number == atoms.len() => Sight::States,
        0 => Sight::Steps,
        _ => Sight::Both,
    }
}

/// Why a run, which the judge has accepted, violates a formula; empty if there is no short reason.
pub fn why<R: Reference>(
    reference: &R,
    formula: &FormulaOf<R>,
    binding: &[Bound<R::Vocabulary>],
    run: &Run<R::Vocabulary>,
) -> Vec<Fact> {
    let Ok(mut stem) = letters(reference, formula, binding, run) else { return Vec::new() };
    let cycle = stem.split_off(run.stem.len());
    let Some(word) = Lasso::new(stem, cycle) else { return Vec::new() };
    why_false(reference.syntax(formula), &word)
}

/// Why a word does not satisfy a formula; empty if there is no short reason or if it does satisfy
/// it.
pub fn why_false((formulas, root): (&Formulas, Part), word: &Lasso) -> Vec<Fact> {
    let truth = word.truth(formulas, root);
    let mut explainer = Explainer { formulas, word, truth, facts: Vec::new() };
    let is_explained = explainer.explain(root, false, 0);
    match explainer.facts {
        facts if is_explained == Some(()) && facts.len() <= MOST_FACTS => facts,
        _ => Vec::new(),
    }
}

/// Whether a part depends on one position only.
fn is_now(formulas: &Formulas, part: Part) -> bool {
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

struct Explainer<'f> {
    formulas: &'f Formulas,
    word: &'f Lasso,
    truth: Truth,
    facts: Vec<Fact>,
}

impl Explainer<'_> {
    /// Adds facts that make a part true or false, as it is at this position. Returns none if there
    /// is no short reason.
    fn explain(&mut self, part: Part, is_true: bool, at: usize) -> Option<()> {
        let formulas = self.formulas;
        match (formulas.node(part), is_true) {
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
            _ if is_now(formulas, part) => self.fact(part, is_true, When::At(at)),
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
                // `F G f` and `G F f`: if a part is not eventually always true, it is false
                // infinitely often, and vice versa.
                let ((Node::Globally(inner), false) | (Node::Finally(inner), true)) =
                    (formulas.node(f), is_true)
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

    /// `f` is false before `g` is true.
    fn broken(&mut self, f: Part, g: Part, at: usize) -> Option<()> {
        let there = self.first(at, |this, k| !this.is(f, k) && !this.is(g, k))?;
        self.explain(f, false, there)?;
        self.through(g, false, at, there)
    }

    /// `g` is false before `f` is true.
    fn released(&mut self, f: Part, g: Part, at: usize) -> Option<()> {
        let there = self.first(at, |this, k| !this.is(g, k))?;
        self.explain(g, false, there)?;
        self.before(f, false, at, there)
    }

    /// Adds the fact that a part has this value from a position to just before another one.
    fn before(&mut self, part: Part, is_true: bool, at: usize, end: usize) -> Option<()> {
        if at == end || matches!(self.formulas.node(part), Node::False | Node::True) {
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
        if matches!(self.formulas.node(part), Node::False | Node::True) {
            return None;
        }
        // The fact about the operand of a negation is easier to read.
        if let Node::Not(inner) = self.formulas.node(part) {
            return self.fact(inner, !is_true, when);
        }
        self.facts.push(Fact { part, is_true, when });
        Some(())
    }

    fn is(&self, part: Part, at: usize) -> bool {
        self.truth.at(part, at)
    }

    /// The first position, from this one on, where a condition is true.
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
