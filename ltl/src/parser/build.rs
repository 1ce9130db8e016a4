//! Postfix programs to formulas.
//!
//! Chains of `&` and `|` are collected before they are interned, so that a chain of n operands
//! costs n, and a chain in parentheses inside a longer one is never stored by itself.

use super::grammar::Step;
use super::operators::{Binary, Prefix};
use super::spot::{Bounds, too_far};
use super::{NESTING_LIMIT, too_deep};
use crate::atoms::{AtomKind, Atoms};
use crate::formula::{Formula, Formulas, Node};
use crate::source::{Diagnostic, Span};
use std::convert::Infallible;

/// Operands of `&` and `|` that bounded operators may make in one formula.
const EXPANSION_LIMIT: usize = 1 << 20;

/// The formula of a program.
pub(super) fn build(
    program: &[Step<'_, Infallible>],
    formulas: &mut Formulas,
    atoms: &mut Atoms,
) -> Result<Formula, Diagnostic> {
    let mut builder = Builder { formulas, stack: Vec::new(), expanded: 0 };
    for step in program {
        let made = match step {
            Step::Constant(value) => Value::Done(builder.formulas.constant(*value)),
            Step::Read(never) => match *never {},
            Step::Name { name, .. } => Value::Done(builder.formulas.atom(atoms.proposition(name))),
            Step::Event { pattern, .. } => {
                let atom = atoms.intern(AtomKind::Event(pattern.clone()));
                Value::Done(builder.formulas.atom(atom))
            }
            Step::Prefix { operator, bounds, span } => {
                let f = builder.pop()?;
                Value::Done(match bounds {
                    None => builder.prefix(*operator, f, *span)?,
                    Some(bounds) => builder.bounded(*operator, *bounds, f, *span)?,
                })
            }
            Step::Binary { operator, span } => builder.binary(*operator, *span)?,
        };
        builder.stack.push(made);
    }
    builder.pop()
}

struct Builder<'f> {
    formulas: &'f mut Formulas,
    stack: Vec<Value>,
    /// Operands made by bounded operators so far.
    expanded: usize,
}

enum Value {
    Done(Formula),
    /// A conjunction or disjunction that may still grow; its last operator.
    Chain {
        or: bool,
        run: Vec<Formula>,
        span: Span,
    },
}

impl Builder<'_> {
    /// The last value, as a formula.
    fn pop(&mut self) -> Result<Formula, Diagnostic> {
        match self.take() {
            Value::Done(f) => Ok(f),
            Value::Chain { or: false, run, span } => self.make(Node::And(&run), span),
            Value::Chain { or: true, run, span } => self.make(Node::Or(&run), span),
        }
    }

    fn take(&mut self) -> Value {
        self.stack.pop().expect("in postfix order operands come first")
    }

    fn make(&mut self, node: Node<'_>, span: Span) -> Result<Formula, Diagnostic> {
        let f = self.formulas.written(node);
        if self.formulas.depth(f) > NESTING_LIMIT {
            return Err(too_deep(span));
        }
        Ok(f)
    }

    fn prefix(&mut self, operator: Prefix, f: Formula, span: Span) -> Result<Formula, Diagnostic> {
        let node = match operator {
            Prefix::Not => Node::Not(f),
            Prefix::Next => Node::Next(f),
            Prefix::Finally => Node::Finally(f),
            Prefix::Globally => Node::Globally(f),
        };
        self.make(node, span)
    }

    /// Joins the last two values.
    fn binary(&mut self, operator: Binary, span: Span) -> Result<Value, Diagnostic> {
        let node = match operator {
            Binary::And => return self.chain(false, span),
            Binary::Or => return self.chain(true, span),
            Binary::Xor => Node::Xor,
            Binary::Implies => Node::Implies,
            Binary::Iff => Node::Iff,
            Binary::Until => Node::Until,
            Binary::Release => Node::Release,
            Binary::WeakUntil => Node::WeakUntil,
            Binary::StrongRelease => Node::StrongRelease,
        };
        let g = self.pop()?;
        let f = self.pop()?;
        Ok(Value::Done(self.make(node(f, g), span)?))
    }

    /// Joins the last two values by `&` or `|`.
    fn chain(&mut self, or: bool, span: Span) -> Result<Value, Diagnostic> {
        let right = self.run(or)?;
        let mut run = self.run(or)?;
        run.extend(right);
        Ok(Value::Chain { or, run, span })
    }

    /// The last value as operands of a chain.
    fn run(&mut self, wanted: bool) -> Result<Vec<Formula>, Diagnostic> {
        match self.take() {
            Value::Chain { or, run, .. } if or == wanted => Ok(run),
            other => {
                self.stack.push(other);
                Ok(vec![self.pop()?])
            }
        }
    }

    /// `X[n] f`, and `F[i..j] f = X..X (f | X (f | X f))`; G with `&`.
    fn bounded(
        &mut self,
        operator: Prefix,
        bounds: Bounds,
        f: Formula,
        span: Span,
    ) -> Result<Formula, Diagnostic> {
        let Bounds { low, high } = bounds;
        let repeated = if operator == Prefix::Next { 0 } else { high.map_or(0, |high| high - low) };
        let levels = u64::from(low) + 2 * u64::from(repeated) + u64::from(self.formulas.depth(f));
        let operands = match self.formulas.node(f) {
            Node::And(run) | Node::Or(run) => run.len(),
            _ => 1,
        };
        self.expanded += (repeated as usize).saturating_mul(operands + 1);
        if levels > u64::from(NESTING_LIMIT) || self.expanded > EXPANSION_LIMIT {
            return Err(too_far(span));
        }
        let mut made = match (operator, high) {
            (Prefix::Finally | Prefix::Globally, None) => self.prefix(operator, f, span)?,
            _ => f,
        };
        for _ in 0..repeated {
            let later = self.prefix(Prefix::Next, made, span)?;
            made = match operator {
                Prefix::Globally => self.make(Node::And(&[f, later]), span)?,
                _ => self.make(Node::Or(&[f, later]), span)?,
            };
        }
        for _ in 0..low {
            made = self.prefix(Prefix::Next, made, span)?;
        }
        Ok(made)
    }
}
