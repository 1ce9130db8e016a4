//! The expansion r(f) of formulas, and the variables N and P that occur in it.

use crate::guard::{Guard, Guards};
use hashbrown::HashMap;
use ltl::{Formula, Formulas, Node};

/// What an auxiliary variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Obligation {
    /// N(g): g holds from the next position on.
    Next(Formula),
    /// P(g): g is promised; by its number, in order of first use.
    Promise(u32),
}

/// Expansions computed so far.
pub(super) struct Expansion<'f> {
    formulas: &'f Formulas,
    of: HashMap<Formula, Guard>,
    next: HashMap<Formula, u32>,
    promise: HashMap<Formula, u32>,
    promise_count: u32,
    /// What the variables from `Guards::AUXILIARY` on stand for.
    obligations: Vec<Obligation>,
}

impl<'f> Expansion<'f> {
    pub(super) fn new(formulas: &'f Formulas) -> Self {
        Expansion {
            formulas,
            of: HashMap::new(),
            next: HashMap::new(),
            promise: HashMap::new(),
            promise_count: 0,
            obligations: Vec::new(),
        }
    }

    pub(super) fn obligation(&self, variable: u32) -> Obligation {
        self.obligations[(variable - Guards::AUXILIARY) as usize]
    }

    /// r(f), restricted to possible letters. Unrestricted, the conjunction of `F @a`, `F @b`, ... would
    /// distinguish all sets of events, although at most one event happens in a step.
    pub(super) fn of(&mut self, guards: &mut Guards<'_>, f: Formula) -> Guard {
        if let Some(&known) = self.of.get(&f) {
            return known;
        }
        let formulas = self.formulas;
        let result = match formulas.node(f) {
            Node::False => Guard::FALSE,
            Node::True => Guard::TRUE,
            Node::Atom(atom) => guards.atom(atom),
            Node::Not(g) => {
                let g = self.of(guards, g);
                guards.not(g)
            }
            Node::And(operands) => operands.iter().fold(Guard::TRUE, |sum, &g| {
                let g = self.of(guards, g);
                guards.and(sum, g)
            }),
            Node::Or(operands) => operands.iter().fold(Guard::FALSE, |sum, &g| {
                let g = self.of(guards, g);
                guards.or(sum, g)
            }),
            Node::Next(g) => self.next(guards, g),
            Node::Finally(g) => {
                let (now, later) = (self.of(guards, g), self.next(guards, f));
                let promise = self.promise(guards, g);
                let later = guards.and(promise, later);
                guards.or(now, later)
            }
            Node::Globally(g) => {
                let (now, later) = (self.of(guards, g), self.next(guards, f));
                guards.and(now, later)
            }
            Node::Until(g, h) => {
                let (now, wait, later) =
                    (self.of(guards, h), self.of(guards, g), self.next(guards, f));
                let promise = self.promise(guards, h);
                let later = guards.and(promise, later);
                let wait = guards.and(wait, later);
                guards.or(now, wait)
            }
            Node::WeakUntil(g, h) => {
                let (now, wait, later) =
                    (self.of(guards, h), self.of(guards, g), self.next(guards, f));
                let wait = guards.and(wait, later);
                guards.or(now, wait)
            }
            Node::Release(g, h) => {
                let (hold, release, later) =
                    (self.of(guards, h), self.of(guards, g), self.next(guards, f));
                let release = guards.or(release, later);
                guards.and(hold, release)
            }
            Node::StrongRelease(g, h) => {
                let (hold, release, later) =
                    (self.of(guards, h), self.of(guards, g), self.next(guards, f));
                let promise = self.promise(guards, g);
                let later = guards.and(promise, later);
                let release = guards.or(release, later);
                guards.and(hold, release)
            }
            Node::Xor(..) | Node::Implies(..) | Node::Iff(..) => {
                unreachable!("the tableau reads negation normal form")
            }
        };
        let result = guards.and(result, guards.possible());
        self.of.insert(f, result);
        result
    }

    /// N(g), distributed over `&`, and over `|` where that saves a state.
    fn next(&mut self, guards: &mut Guards<'_>, g: Formula) -> Guard {
        let formulas = self.formulas;
        match formulas.node(g) {
            Node::False => Guard::FALSE,
            Node::True => Guard::TRUE,
            Node::And(operands) => operands.iter().fold(Guard::TRUE, |sum, &h| {
                let h = self.next(guards, h);
                guards.and(sum, h)
            }),
            Node::Or(operands) if operands.iter().all(|&h| self.lasts(h)) => {
                operands.iter().fold(Guard::FALSE, |sum, &h| {
                    let h = self.next(guards, h);
                    guards.or(sum, h)
                })
            }
            _ => {
                let obligations = &mut self.obligations;
                let variable = *self.next.entry(g).or_insert_with(|| {
                    obligations.push(Obligation::Next(g));
                    Guards::AUXILIARY + obligations.len() as u32 - 1
                });
                guards.variable(variable)
            }
        }
    }

    /// Whether a formula, once unfolded, leads to itself again.
    fn lasts(&self, f: Formula) -> bool {
        match self.formulas.node(f) {
            Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::Release(..)
            | Node::WeakUntil(..)
            | Node::StrongRelease(..) => true,
            Node::And(operands) => operands.iter().all(|&g| self.lasts(g)),
            _ => false,
        }
    }

    /// P(g)
    fn promise(&mut self, guards: &mut Guards<'_>, g: Formula) -> Guard {
        let (obligations, count) = (&mut self.obligations, &mut self.promise_count);
        let variable = *self.promise.entry(g).or_insert_with(|| {
            obligations.push(Obligation::Promise(*count));
            *count += 1;
            Guards::AUXILIARY + obligations.len() as u32 - 1
        });
        guards.variable(variable)
    }
}
