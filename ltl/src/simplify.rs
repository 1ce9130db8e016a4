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
//! **Termination.** Every rule makes the formula smaller in the lexicographic order of, over the
//! syntax tree: (1) the temporal operators; (2) the weighted size: 1 for an atom, a literal, a unary
//! temporal operator and each `&` and `|`, 3 for a binary temporal operator; (3) the sum of the sizes
//! of the operands of temporal operators other than X (so F X f becomes X F f, and eventualities leave
//! the operators that do not change them); (4) the same sum for X, where more is smaller: it cannot
//! exceed the product of the first two.
//! Each component is a sum over the tree, so that a smaller part makes a smaller whole. Builds with
//! debug assertions check this for every rule that fires.
//!
//! **Cost.** Results are memoised for each formula, implications for each pair. Nothing recurses
//! along the input; results of rules are rebuilt by recursion, of at most `DEEPEST` levels (what is
//! deeper than that is left as it is: correct, but perhaps not the smallest).
//!
//! A departure from the usual lists of rules: many of them say that an operand is known to be true
//! or false where it stands (`p & (!p | g) = p & g`, `G f & (f U g) = G f & F g`,
//! `(f | g) U g = f U g`). All these are one rule here, see `assume`.

mod assume;
mod boolean;
mod conjunction;
mod finally;
mod implication;
#[cfg(debug_assertions)]
mod measure;
mod next;
mod rule;
mod until;
mod view;
mod weak_until;

pub use rule::Rule;

use crate::alphabet::Alphabet;
use crate::formula::{Formula, Formulas, Node};
use crate::normal::negation_normal_form;
use hashbrown::HashMap;
use implication::{Pair, Signed};
use view::View;

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
    /// The result for every formula met. Invariant: results are their own results.
    memo: HashMap<Formula, Formula>,
    /// What `implication` found.
    implications: HashMap<Pair, bool>,
    /// How often each rule was applied, by name.
    fired: HashMap<&'static str, u32>,
    /// Applications of rules under way.
    nesting: u32,
    #[cfg(debug_assertions)]
    measures: measure::Measures,
}

/// All rules, operator by operator.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let tables = [next::RULES, finally::RULES, until::RULES, weak_until::RULES, conjunction::RULES];
    tables.into_iter().flatten()
}

impl<'a> Simplifier<'a> {
    /// A simplifier modulo the letters that exist in the alphabet.
    pub fn new(alphabet: &'a Alphabet, level: Level) -> Self {
        Simplifier {
            alphabet,
            level,
            memo: HashMap::new(),
            implications: HashMap::new(),
            fired: HashMap::new(),
            nesting: 0,
            #[cfg(debug_assertions)]
            measures: measure::Measures::default(),
        }
    }

    /// A formula in negation normal form that the same words over the alphabet satisfy. `formulas`
    /// must be the same in all calls.
    pub fn simplify(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        use tracing::field::Empty;
        let span = tracing::debug_span!("formula.simplify", nodes = Empty, simplified = Empty);
        let _entered = span.enter();
        let normal = negation_normal_form(formulas, f);
        let result = self.simplify_normal(formulas, normal);
        if !span.is_disabled() {
            span.record("nodes", formulas.subformulas(f).len());
            span.record("simplified", formulas.subformulas(result).len());
        }
        result
    }

    /// Whether every word over the alphabet that satisfies `f` satisfies `g`, as far as the syntax
    /// shows: `true` is always right, `false` means nothing.
    pub fn implies(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool {
        let f = negation_normal_form(formulas, f);
        let g = negation_normal_form(formulas, g);
        self.signed_implies(formulas, Signed::new(f), Signed::new(g), 0)
    }

    /// How often the rule of this name was applied so far.
    pub fn fired(&self, rule: &str) -> u32 {
        self.fired.get(rule).copied().unwrap_or(0)
    }

    fn simplify_normal(&mut self, formulas: &mut Formulas, normal: Formula) -> Formula {
        if let Some(&known) = self.memo.get(&normal) {
            return known;
        }
        let mut operands = Vec::new();
        for part in formulas.subformulas(normal) {
            if self.memo.contains_key(&part) {
                continue;
            }
            operands.clear();
            operands
                .extend(formulas.operands(part).map(|g| self.memo.get(&g).copied().unwrap_or(g)));
            let rebuilt = match formulas.node(part) {
                Node::And(_) => formulas.and(operands.iter().copied()),
                Node::Or(_) => formulas.or(operands.iter().copied()),
                Node::Next(_) => formulas.next(operands[0]),
                Node::Finally(_) => formulas.finally(operands[0]),
                Node::Globally(_) => formulas.globally(operands[0]),
                Node::Until(..) => formulas.until(operands[0], operands[1]),
                Node::Release(..) => formulas.release(operands[0], operands[1]),
                Node::WeakUntil(..) => formulas.weak_until(operands[0], operands[1]),
                Node::StrongRelease(..) => formulas.strong_release(operands[0], operands[1]),
                _ => part,
            };
            let result = self.reduce(formulas, rebuilt);
            self.memo.insert(part, result);
        }
        self.memo.get(&normal).copied().unwrap_or(normal)
    }

    /// Applies rules at the root of a formula whose operands are results.
    fn reduce(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        if let Some(&known) = self.memo.get(&f) {
            return known;
        }
        let (rules, dual) = match formulas.node(f) {
            Node::Next(_) => (next::RULES, false),
            Node::Finally(_) => (finally::RULES, false),
            Node::Globally(_) => (finally::RULES, true),
            Node::Until(..) => (until::RULES, false),
            Node::Release(..) => (until::RULES, true),
            Node::WeakUntil(..) => (weak_until::RULES, false),
            Node::StrongRelease(..) => (weak_until::RULES, true),
            Node::And(_) => (conjunction::RULES, false),
            Node::Or(_) => (conjunction::RULES, true),
            _ => return f,
        };
        if self.nesting >= DEEPEST {
            return f;
        }
        self.nesting += 1;
        let operands: Vec<Formula> = formulas.operands(f).collect();
        let mut view = View { simplifier: self, formulas, dual };
        let applied = rules.iter().find_map(|rule| {
            let result = rule.apply(&mut view, &operands)?;
            (result != f).then_some((rule.name, result))
        });
        self.nesting -= 1;
        let result = match applied {
            Some((rule, result)) => {
                #[cfg(debug_assertions)]
                self.measures.check(formulas, rule, f, result);
                *self.fired.entry(rule).or_insert(0) += 1;
                result
            }
            None => f,
        };
        self.memo.insert(f, result);
        result
    }
}
