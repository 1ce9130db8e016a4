//! Simplification: an equivalent formula that translates to a smaller automaton, faster.
//!
//! The input is brought into negation normal form, then its subformulas are rebuilt, parts before
//! wholes, by constructors that apply *rules* at the root until none fits. A rule is a row of a
//! table ([`rules`]): a name, a statement, and a function. It is written for one operator and holds
//! for the dual operator too (F/G, U/R, W/M, &/|), for which a `View` swaps everything:
//!
//! | table | written for | dual |
//! |---|---|---|
//! | `next` | `X f` | itself |
//! | `finally` | `F f` | `G f` |
//! | `until` | `f U g` | `f R g` |
//! | `weak_until` | `f W g` | `f M g` |
//! | `conjunction` | `f & g & ...` | <code>f &#124; g &#124; ...</code> |
//!
//! In statements f, g, h are any formulas, e a pure eventuality, u purely universal, q both
//! ([`EH00`](crate::papers::EH00)); `f => g` is a condition that `implication` proves. At
//! [`Level::Basic`] it proves only what one look shows, at [`Level::Implication`] all that a
//! recursive syntactic table ([`SB00`](crate::papers::SB00)) gives.
//!
//! **Termination.** Every rule makes the formula lighter. The weight of a formula is a polynomial in
//! the weights of its operands, which grows with each of them, so that a lighter part makes a lighter
//! whole; what is below a temporal operator counts more than what is beside it:
//!
//! | formula | weight |
//! |---|---|
//! | literal, constant | 1 |
//! | `f & g`, <code>f &#124; g</code> | f + g + 1 |
//! | `X f` | f + 1 |
//! | `F f`, `G f` | 2f + 2 |
//! | `f R g`, `f W g` | 2f + 3g + 4 |
//! | `f U g`, `f M g` | 2f + 3g + 5 |
//!
//! One rule (`and.next-suspendable`) keeps the weight, and makes the sum of the weights below X
//! larger, which the weight bounds. Builds with debug assertions check this for every rule that fires.
//!
//! **Last pass.** What the rules leave is put into a form that translates well, see `gather`.
//!
//! **Cost.** Results are memoised for each formula, implications for each pair. Nothing recurses
//! along the input; results of rules are rebuilt by recursion, of at most `DEEPEST` levels. Work is
//! counted in *steps*: a step is one operand looked at by a rule, one implication asked for, one
//! subformula visited by `assume` or by a truth table. A call takes at most [`most_steps`] of them:
//! 64 for each subformula and operand, and a million on top, of which one subformula may take one
//! in sixteen. What is deeper, or comes when the steps are spent, is left as it is: correct, but perhaps not the smallest.
//! The count depends on the formula alone, so results do too.
//!
//! A departure from the usual lists of rules: many of them say that an operand is known to be true
//! or false where it stands (`p & (!p | g) = p & g`, `G f & (f U g) = G f & F g`,
//! `(f | g) U g = f U g`). All these are one rule here, see `assume`.

mod assume;
mod boolean;
mod budget;
mod conjunction;
mod finally;
mod gather;
mod implication;
mod joining;
#[cfg(debug_assertions)]
mod measure;
mod next;
mod rule;
mod until;
mod view;
mod weak_until;

pub use budget::most_steps;
pub use rule::Rule;

use crate::alphabet::Alphabet;
use crate::formula::{Formula, Formulas, Node, Operator};
use crate::normal::negation_normal_form;
use budget::Budget;
use implication::{Implications, Signed};
use view::{Operators, View};

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// All rules, with implications that one look shows.
    Basic,
    /// All rules, with recursive syntactic implication.
    Implication,
}

/// Nested applications of rules, at most.
const DEEPEST: u32 = 200;

/// Simplifies formulas of one [`Formulas`], remembering results from call to call.
#[derive(Clone, Debug)]
pub struct Simplifier<'a> {
    alphabet: &'a Alphabet,
    level: Level,
    /// The result for every formula met, by id. Invariant: results are their own results.
    memo: Vec<Option<Formula>>,
    /// What `implication` found.
    implications: Implications,
    /// How often each rule was applied, by table and row.
    fired: [[u32; MOST_ROWS]; TABLES.len()],
    /// Applications of rules under way.
    nesting: u32,
    budget: Budget,
    #[cfg(debug_assertions)]
    measures: measure::Measures,
}

const TABLES: [&[Rule]; 5] =
    [next::RULES, finally::RULES, until::RULES, weak_until::RULES, conjunction::RULES];
const NEXT: usize = 0;
const FINALLY: usize = 1;
const UNTIL: usize = 2;
const WEAK_UNTIL: usize = 3;
const CONJUNCTION: usize = 4;
/// No table has more rows.
const MOST_ROWS: usize = 32;
const _: () = {
    let mut table = 0;
    while table < TABLES.len() {
        assert!(TABLES[table].len() <= MOST_ROWS, "every rule has a counter");
        table += 1;
    }
};

/// All rules, operator by operator.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.into_iter().flatten()
}

impl<'a> Simplifier<'a> {
    /// A simplifier modulo the letters that exist in the alphabet.
    pub fn new(alphabet: &'a Alphabet, level: Level) -> Self {
        Simplifier {
            alphabet,
            level,
            memo: Vec::new(),
            implications: Implications::default(),
            fired: [[0; MOST_ROWS]; TABLES.len()],
            nesting: 0,
            budget: Budget::default(),
            #[cfg(debug_assertions)]
            measures: measure::Measures::default(),
        }
    }

    /// A formula in negation normal form that the same words over the alphabet satisfy. `formulas`
    /// must be the same in all calls.
    pub fn simplify(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        use tracing::field::Empty;
        let span = tracing::debug_span!("formula.simplify", before = Empty, after = Empty);
        let _entered = span.enter();
        let normal = negation_normal_form(formulas, f);
        let result = self.simplify_normal(formulas, normal);
        let result = Self::gathered(formulas, result);
        if !span.is_disabled() {
            span.record("before", formulas.subformulas(f).len());
            span.record("after", formulas.subformulas(result).len());
        }
        result
    }

    /// Whether every word over the alphabet that satisfies `f` satisfies `g`, as far as the syntax
    /// shows: `true` is always right, `false` means nothing.
    pub fn implies(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool {
        let f = negation_normal_form(formulas, f);
        let g = negation_normal_form(formulas, g);
        self.budget.start_call(0);
        self.budget.start_part(0);
        self.signed_implies(formulas, Signed::new(f), Signed::new(g), 0)
    }

    /// How often the rule of this name was applied so far.
    pub fn fired(&self, rule: &str) -> u32 {
        let counters = TABLES
            .iter()
            .zip(&self.fired)
            .flat_map(|(rules, fired)| rules.iter().zip(fired).filter(|(row, _)| row.name == rule));
        counters.map(|(_, &count)| count).sum()
    }

    /// The steps taken in the last call.
    pub fn steps(&self) -> u64 {
        self.budget.steps()
    }

    /// Whether the last call left something as it was because steps were spent.
    pub fn gave_up(&self) -> bool {
        self.budget.gave_up()
    }

    fn known(&self, f: Formula) -> Option<Formula> {
        self.memo.get(f.index()).copied().flatten()
    }

    fn remember(&mut self, f: Formula, result: Formula) {
        if f.index() >= self.memo.len() {
            // Formulas to come are close by.
            self.memo.resize(f.index() + f.index() / 2 + 32, None);
        }
        self.memo[f.index()] = Some(result);
    }

    fn simplify_normal(&mut self, formulas: &mut Formulas, normal: Formula) -> Formula {
        self.budget = Budget::default();
        if let Some(known) = self.known(normal) {
            return known;
        }
        let parts = formulas.subformulas(normal);
        let size = parts.iter().map(|&part| 1 + formulas.operands(part).count()).sum();
        self.budget.start_call(size);
        let mut operands = Vec::new();
        for part in parts {
            if self.known(part).is_some() {
                continue;
            }
            operands.clear();
            operands.extend(formulas.operands(part).map(|g| self.known(g).unwrap_or(g)));
            let rebuilt = formulas.with_operands(part, &operands);
            self.budget.start_part(operands.len());
            let result = self.reduce(formulas, rebuilt);
            self.remember(part, result);
        }
        self.known(normal).unwrap_or(normal)
    }

    /// Applies rules at the root of a formula whose operands are results.
    fn reduce(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        if let Some(known) = self.known(f) {
            return known;
        }
        let (table, dual) = match formulas.operator(f) {
            Operator::Next => (NEXT, false),
            Operator::Finally => (FINALLY, false),
            Operator::Globally => (FINALLY, true),
            Operator::Until => (UNTIL, false),
            Operator::Release => (UNTIL, true),
            Operator::WeakUntil => (WEAK_UNTIL, false),
            Operator::StrongRelease => (WEAK_UNTIL, true),
            Operator::And => (CONJUNCTION, false),
            Operator::Or => (CONJUNCTION, true),
            _ => return f,
        };
        if self.nesting >= DEEPEST || !self.budget.spend(1) {
            return f;
        }
        self.nesting += 1;
        let applied = match formulas.node(f) {
            Node::And(run) | Node::Or(run) => {
                let run = run.to_vec();
                self.apply_first(formulas, f, &run, table, dual)
            }
            Node::Until(g, h)
            | Node::Release(g, h)
            | Node::WeakUntil(g, h)
            | Node::StrongRelease(g, h) => self.apply_first(formulas, f, &[g, h], table, dual),
            Node::Next(g) | Node::Finally(g) | Node::Globally(g) => {
                self.apply_first(formulas, f, &[g], table, dual)
            }
            _ => None,
        };
        self.nesting -= 1;
        let result = match applied {
            Some((row, result)) => {
                #[cfg(debug_assertions)]
                self.measures.check(formulas, TABLES[table][row].name, f, result);
                self.fired[table][row] += 1;
                result
            }
            None => f,
        };
        self.remember(f, result);
        result
    }

    /// The first rule that changes `f`, and what it makes of it.
    fn apply_first(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        operands: &[Formula],
        table: usize,
        dual: bool,
    ) -> Option<(usize, Formula)> {
        let present = Operators::of(formulas, operands, dual);
        let mut view = View { simplifier: self, formulas, dual, present };
        TABLES[table].iter().enumerate().find_map(|(row, rule)| {
            if !view.spend(operands.len()) {
                return None;
            }
            let result = rule.apply(&mut view, operands)?;
            (result != f).then_some((row, result))
        })
    }
}
