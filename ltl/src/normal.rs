//! Negation normal form: `!` stands before atoms only, and there is no `xor`, `->`, `<->`.
//!
//! Negations are pushed inwards by duality (`!X f = X !f`, `!F f = G !f`, `!(f U g) = !f R !g`,
//! `!(f W g) = !f M !g`, De Morgan); all temporal operators are kept. Of `f <-> g` and `f xor g`
//! the disjunctive forms are taken, under either sign:
//!
//! ```text
//! f <-> g  and  !(f xor g)   =   (f & g) | (!f & !g)
//! f xor g  and  !(f <-> g)   =   (f & !g) | (!f & g)
//! ```
//!
//! Each subformula is needed under one sign or both. A pass from the whole to the parts marks
//! which, a pass back builds the results, both along the order of ids, so nothing recurses. Cost:
//! linear in the number of different subformulas, and at most two results for each, for equal
//! results are shared (chains of `<->` do not explode).

use crate::formula::{Formula, Formulas, Node};

/// `f` in negation normal form.
pub fn negation_normal_form(formulas: &mut Formulas, f: Formula) -> Formula {
    normal_form(formulas, f, Sign::Positive)
}

/// `!f` in negation normal form.
pub fn negated_normal_form(formulas: &mut Formulas, f: Formula) -> Formula {
    normal_form(formulas, f, Sign::Negative)
}

/// Whether a subformula itself is wanted, or its negation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Positive,
    Negative,
}

impl Sign {
    const BOTH: [Sign; 2] = [Sign::Positive, Sign::Negative];

    const fn flipped(self) -> Sign {
        match self {
            Sign::Positive => Sign::Negative,
            Sign::Negative => Sign::Positive,
        }
    }
}

/// What is known of one subformula; both fields are indexed by [`Sign`].
#[derive(Clone, Copy, Default)]
struct Entry {
    wanted: [bool; 2],
    /// Invariant: of a wanted sign, the result, once the pass back has come here.
    result: [Option<Formula>; 2],
}

fn normal_form(formulas: &mut Formulas, f: Formula, sign: Sign) -> Formula {
    if sign == Sign::Positive && matches!(formulas.node(f), Node::Atom(_)) {
        return f;
    }
    let parts = formulas.subformulas(f);
    let mut table = Table { entries: vec![Entry::default(); parts.len()], parts };
    table.want(f, sign);
    for index in (0..table.parts.len()).rev() {
        table.want_operands(formulas, index);
    }
    for index in 0..table.parts.len() {
        for sign in Sign::BOTH {
            if table.entries[index].wanted[sign as usize] {
                let result = table.build(formulas, table.parts[index], sign);
                table.entries[index].result[sign as usize] = Some(result);
            }
        }
    }
    table.result(f, sign)
}

struct Table {
    /// Ascending.
    parts: Vec<Formula>,
    /// One for each part.
    entries: Vec<Entry>,
}

impl Table {
    fn index(&self, f: Formula) -> usize {
        self.parts.binary_search(&f).expect("operands of subformulas are subformulas")
    }

    fn want(&mut self, f: Formula, sign: Sign) {
        let index = self.index(f);
        self.entries[index].wanted[sign as usize] = true;
    }

    fn result(&self, f: Formula, sign: Sign) -> Formula {
        let result = self.entries[self.index(f)].result[sign as usize];
        result.expect("what is wanted is built before it is used")
    }

    fn want_operands(&mut self, formulas: &Formulas, index: usize) {
        let f = self.parts[index];
        for sign in Sign::BOTH {
            if !self.entries[index].wanted[sign as usize] {
                continue;
            }
            match formulas.node(f) {
                Node::Not(g) => self.want(g, sign.flipped()),
                Node::Implies(g, h) => {
                    self.want(g, sign.flipped());
                    self.want(h, sign);
                }
                Node::Xor(g, h) | Node::Iff(g, h) => {
                    for sign in Sign::BOTH {
                        self.want(g, sign);
                        self.want(h, sign);
                    }
                }
                _ => formulas.operands(f).for_each(|g| self.want(g, sign)),
            }
        }
    }

    fn build(&self, formulas: &mut Formulas, f: Formula, sign: Sign) -> Formula {
        let positive = sign == Sign::Positive;
        let same = |g| self.result(g, sign);
        let flipped = |g| self.result(g, sign.flipped());
        match formulas.node(f) {
            Node::False => formulas.constant(!positive),
            Node::True => formulas.constant(positive),
            Node::Atom(_) if positive => f,
            Node::Atom(_) => formulas.not(f),
            Node::Not(g) => flipped(g),
            Node::And(operands) => {
                let operands: Vec<_> = operands.iter().map(|&g| same(g)).collect();
                if positive { formulas.and(operands) } else { formulas.or(operands) }
            }
            Node::Or(operands) => {
                let operands: Vec<_> = operands.iter().map(|&g| same(g)).collect();
                if positive { formulas.or(operands) } else { formulas.and(operands) }
            }
            Node::Implies(g, h) if positive => formulas.or2(flipped(g), same(h)),
            Node::Implies(g, h) => formulas.and2(flipped(g), same(h)),
            Node::Iff(g, h) if positive => self.agree(formulas, g, h, Sign::Positive),
            Node::Xor(g, h) if !positive => self.agree(formulas, g, h, Sign::Positive),
            Node::Iff(g, h) | Node::Xor(g, h) => self.agree(formulas, g, h, Sign::Negative),
            Node::Next(g) => formulas.next(same(g)),
            Node::Finally(g) if positive => formulas.finally(same(g)),
            Node::Finally(g) => formulas.globally(same(g)),
            Node::Globally(g) if positive => formulas.globally(same(g)),
            Node::Globally(g) => formulas.finally(same(g)),
            Node::Until(g, h) if positive => formulas.until(same(g), same(h)),
            Node::Until(g, h) => formulas.release(same(g), same(h)),
            Node::Release(g, h) if positive => formulas.release(same(g), same(h)),
            Node::Release(g, h) => formulas.until(same(g), same(h)),
            Node::WeakUntil(g, h) if positive => formulas.weak_until(same(g), same(h)),
            Node::WeakUntil(g, h) => formulas.strong_release(same(g), same(h)),
            Node::StrongRelease(g, h) if positive => formulas.strong_release(same(g), same(h)),
            Node::StrongRelease(g, h) => formulas.weak_until(same(g), same(h)),
        }
    }

    /// `(g & s h) | (!g & !s h)`, where s is the sign.
    fn agree(&self, formulas: &mut Formulas, g: Formula, h: Formula, sign: Sign) -> Formula {
        let both = formulas.and2(self.result(g, Sign::Positive), self.result(h, sign));
        let none = formulas.and2(self.result(g, Sign::Negative), self.result(h, sign.flipped()));
        formulas.or2(both, none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atom;
    use crate::{generate, word};

    #[test]
    fn the_meaning_is_kept_and_the_form_is_normal() {
        let atoms = [Atom(0), Atom(1)];
        let mut formulas = Formulas::new();
        let all = generate::exhaustive(4, &atoms, &mut formulas);
        let forms: Vec<_> = all
            .iter()
            .map(|&f| {
                let normal = negation_normal_form(&mut formulas, f);
                let negated = negated_normal_form(&mut formulas, f);
                assert!(
                    formulas.traits(normal).is_normal() && formulas.traits(negated).is_normal()
                );
                assert_eq!(negation_normal_form(&mut formulas, normal), normal, "idempotent");
                (f, normal, negated)
            })
            .collect();
        let roots: Vec<_> = forms.iter().flat_map(|&(f, g, h)| [f, g, h]).collect();
        let closed = word::closure(&formulas, &roots);
        for lasso in generate::all_lassos(&atoms, 1, 2) {
            let truth = lasso.truth_of(&formulas, &closed);
            for &(f, normal, negated) in &forms {
                assert_eq!(truth.row(f), truth.row(normal), "{f:?} on {lasso:?}");
                assert!(truth.row(f).iter().zip(truth.row(negated)).all(|(a, b)| a != b));
            }
        }
    }

    #[test]
    fn deep_and_shared_formulas_are_no_trouble() {
        let mut formulas = Formulas::new();
        let atoms = [0, 1].map(|a| formulas.atom(Atom(a)));
        let (mut deep, mut chain) = (atoms[0], atoms[0]);
        for k in 0..20_000 {
            deep = if k % 2 == 0 { formulas.not(deep) } else { formulas.until(atoms[1], deep) };
        }
        for k in 0..1_000 {
            let x = formulas.next(atoms[k % 2]);
            let x = formulas.written(Node::Finally(x));
            let fresh = formulas.written(Node::Globally(chain));
            chain = formulas.written(Node::Iff(fresh, x));
        }
        let deep = negation_normal_form(&mut formulas, deep);
        assert!(formulas.traits(deep).is_normal());
        let before = formulas.len();
        let chain = negated_normal_form(&mut formulas, chain);
        assert!(formulas.traits(chain).is_normal());
        assert!(formulas.len() - before < 20_000, "linear: {}", formulas.len() - before);
    }
}
