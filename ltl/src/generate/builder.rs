//! Builds the formulas of families, as written, over `p0`, `p1`, ...

use crate::atoms::Atoms;
use crate::formula::{Formula, Formulas, Node};

/// How a run of `X` is written.
#[derive(Clone, Copy)]
pub(super) enum Nexts {
    /// `X f & XX g`
    Spread,
    /// `X(f & X g)`
    Nested,
}

/// Makes formulas as written, over `p0`, `p1`, ...
pub(super) struct Builder<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) atoms: &'a mut Atoms,
}

impl Builder<'_> {
    pub(super) fn p(&mut self, k: u32) -> Formula {
        let atom = self.atoms.proposition(&format!("p{k}"));
        self.formulas.atom(atom)
    }

    pub(super) fn written(&mut self, node: Node<'_>) -> Formula {
        self.formulas.written(node)
    }

    pub(super) fn not(&mut self, f: Formula) -> Formula {
        self.written(Node::Not(f))
    }

    pub(super) fn and(&mut self, operands: &[Formula]) -> Formula {
        self.written(Node::And(operands))
    }

    pub(super) fn or(&mut self, operands: &[Formula]) -> Formula {
        self.written(Node::Or(operands))
    }

    pub(super) fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.written(Node::Implies(f, g))
    }

    pub(super) fn x(&mut self, f: Formula) -> Formula {
        self.written(Node::Next(f))
    }

    pub(super) fn f(&mut self, f: Formula) -> Formula {
        self.written(Node::Finally(f))
    }

    pub(super) fn g(&mut self, f: Formula) -> Formula {
        self.written(Node::Globally(f))
    }

    pub(super) fn f_atom(&mut self, k: u32) -> Formula {
        let p = self.p(k);
        self.f(p)
    }

    pub(super) fn g_atom(&mut self, k: u32) -> Formula {
        let p = self.p(k);
        self.g(p)
    }

    pub(super) fn gf(&mut self, k: u32) -> Formula {
        let inner = self.f_atom(k);
        self.g(inner)
    }

    pub(super) fn fg(&mut self, k: u32) -> Formula {
        let inner = self.g_atom(k);
        self.f(inner)
    }

    /// `X^n f`
    pub(super) fn xs(&mut self, n: u32, f: Formula) -> Formula {
        (0..n).fold(f, |f, _| self.x(f))
    }

    pub(super) fn all(
        &mut self,
        n: u32,
        mut part: impl FnMut(&mut Self, u32) -> Formula,
    ) -> Formula {
        let parts: Vec<_> = (0..n).map(|k| part(self, k)).collect();
        self.and(&parts)
    }

    pub(super) fn any(
        &mut self,
        n: u32,
        mut part: impl FnMut(&mut Self, u32) -> Formula,
    ) -> Formula {
        let parts: Vec<_> = (0..n).map(|k| part(self, k)).collect();
        self.or(&parts)
    }

    /// `f`, `X f`, ..., `X^(n-1) f`
    pub(super) fn x_run(&mut self, n: u32, f: Formula) -> Vec<Formula> {
        let mut run = vec![f];
        for k in 1..n as usize {
            run.push(self.x(run[k - 1]));
        }
        run
    }

    /// `f * X(f * X(... f))` with n times f, where `*` is `&` or `|`.
    pub(super) fn x_chain(
        &mut self,
        n: u32,
        f: Formula,
        join: fn(&mut Self, &[Formula]) -> Formula,
    ) -> Formula {
        (1..n).fold(f, |chain, _| {
            let next = self.x(chain);
            join(self, &[f, next])
        })
    }

    /// `F(pi & F(pi+1 & ... F pj))`
    pub(super) fn f_chain(&mut self, range: std::ops::Range<u32>) -> Formula {
        let mut chain = self.f_atom(range.end - 1);
        for k in range.rev().skip(1) {
            let both = [self.p(k), chain];
            let both = self.and(&both);
            chain = self.f(both);
        }
        chain
    }

    /// `outer(p0 * X inner(p1 * X inner(p2 ...)))`
    pub(super) fn modal_chain(
        &mut self,
        n: u32,
        join: fn(&mut Self, &[Formula]) -> Formula,
        inner: fn(&mut Self, Formula) -> Formula,
        outer: fn(&mut Self, Formula) -> Formula,
    ) -> Formula {
        let mut chain = self.p(n);
        for k in (0..n).rev() {
            let modal = inner(self, chain);
            let both = [self.p(k), self.x(modal)];
            chain = join(self, &both);
        }
        outer(self, chain)
    }

    pub(super) fn left(&mut self, n: u32, node: fn(Formula, Formula) -> Node<'static>) -> Formula {
        let first = self.p(0);
        (1..n).fold(first, |f, k| {
            let p = self.p(k);
            self.written(node(f, p))
        })
    }

    pub(super) fn right(&mut self, n: u32, node: fn(Formula, Formula) -> Node<'static>) -> Formula {
        let last = self.p(n - 1);
        (0..n - 1).rev().fold(last, |f, k| {
            let p = self.p(k);
            self.written(node(p, f))
        })
    }

    /// `G(p -> answer(q))`
    pub(super) fn respond(&mut self, answer: impl Fn(&mut Self, Formula) -> Formula) -> Formula {
        let (p, q) = (self.p(0), self.p(1));
        let answer = answer(self, q);
        let rule = self.implies(p, answer);
        self.g(rule)
    }

    /// Conjunction and disjunction in turns; the outermost is `|` for even `kind`.
    pub(super) fn alternation(&mut self, n: u32, kind: u32) -> Formula {
        let mut rest = None;
        for k in 0..=n {
            let pair = [self.fg(2 * k), self.gf(2 * k + 1)];
            let inner_and = (n - k + kind).is_multiple_of(2);
            let pair = if inner_and { self.and(&pair) } else { self.or(&pair) };
            rest = Some(match rest {
                None => pair,
                Some(rest) if inner_and => self.or(&[pair, rest]),
                Some(rest) => self.and(&[pair, rest]),
            });
        }
        rest.unwrap_or(Formula::TRUE)
    }

    /// A counter whose value is written bit by bit (`p0`, the least one first, where the marker
    /// `p1` is true).
    pub(super) fn counter(&mut self, n: u32, nexts: Nexts) -> Formula {
        let (bit, mark) = (self.p(0), self.p(1));
        let (no_bit, no_mark) = (self.not(bit), self.not(mark));
        // "Bit n steps later, and `rest` from the next step on".
        let step = |b: &mut Self, bit, rest| match nexts {
            Nexts::Spread => {
                let both = [b.xs(n, bit), b.x(rest)];
                b.and(&both)
            }
            Nexts::Nested => {
                let both = [b.xs(n - 1, bit), rest];
                let both = b.and(&both);
                b.x(both)
            }
        };
        let mut parts = match nexts {
            Nexts::Spread => self.x_run(n, no_bit),
            Nexts::Nested => vec![self.x_chain(n, no_bit, Self::and)],
        };
        parts.push(mark);
        // The marker comes every n steps.
        let marks = match nexts {
            Nexts::Spread => {
                let mut marks: Vec<_> = (1..n).map(|k| self.xs(k, no_mark)).collect();
                marks.push(self.xs(n, mark));
                self.and(&marks)
            }
            Nexts::Nested => {
                let last = self.x(mark);
                (1..n).fold(last, |rest, _| {
                    let both = self.and(&[no_mark, rest]);
                    self.x(both)
                })
            }
        };
        let period = self.implies(mark, marks);
        parts.push(self.g(period));
        // No carry: the other bits stay as they are.
        let later = self.xs(n, bit);
        let same = self.written(Node::Iff(bit, later));
        let copy = self.and(&[no_mark, same]);
        let copy = self.written(Node::Until(copy, mark));
        let increment = step(self, bit, copy);
        let case = self.and(&[no_bit, mark]);
        let rule = self.implies(case, increment);
        parts.push(self.g(rule));
        // Carry: ones become zeros up to the first zero.
        let cleared = self.xs(n, no_bit);
        let flip = self.and(&[bit, no_mark, cleared]);
        let stop = step(self, bit, copy);
        let stop = self.and(&[no_bit, no_mark, stop]);
        let stop = self.or(&[mark, stop]);
        let carry = self.written(Node::Until(flip, stop));
        let carry = step(self, no_bit, carry);
        let case = self.and(&[bit, mark]);
        let rule = self.implies(case, carry);
        parts.push(self.g(rule));
        self.and(&parts)
    }
}

/// Blocks of n letters (the k-th is ak or bk) between `#` = p0, one of them after `&` = p3
/// and repeated before it: `p1`, `p2` are a1, b1; `p4`, `p5` are a2, b2; and so on.
pub(super) fn kupferman_rosenberg(on: &mut Builder<'_>, n: u32) -> Formula {
    let (hash, and) = (on.p(0), on.p(3));
    let pair = |b: &mut Builder<'_>, k: u32| match k {
        1 => [b.p(1), b.p(2)],
        _ => [b.p(2 * k), b.p(2 * k + 1)],
    };
    let one = pair(on, 1);
    let always_hash = on.g(hash);
    let first = on.or(&[one[0], one[1], and]);
    let mut parts = vec![hash, on.x(first)];
    for k in 1..=n {
        let here = pair(on, k);
        let here = on.or(&here);
        let after = if k < n {
            let there = pair(on, k + 1);
            on.or(&there)
        } else {
            let restart = on.or(&[one[0], one[1], and, always_hash]);
            let restart = on.x(restart);
            on.and(&[hash, restart])
        };
        let after = on.x(after);
        let rule = on.implies(here, after);
        parts.push(on.g(rule));
    }
    let end = on.xs(n, always_hash);
    let start = on.or(&one);
    let last = on.and(&[start, end]);
    let last = on.x(last);
    let last = on.and(&[and, last]);
    let no_and = on.not(and);
    parts.push(on.written(Node::Until(no_and, last)));
    let letters: Vec<_> = (1..=n).flat_map(|k| pair(on, k)).collect();
    let repeated: Vec<_> = letters
        .iter()
        .map(|&letter| {
            let again = on.f(letter);
            let again = on.and(&[and, again]);
            let again = on.f(again);
            on.and(&[letter, again])
        })
        .collect();
    let repeated = on.or(&repeated);
    let block = on.written(Node::Until(repeated, hash));
    let no_hash = on.not(hash);
    let block = on.and(&[no_hash, block]);
    let block = on.x(block);
    let block = on.and(&[hash, block]);
    parts.push(on.f(block));
    let letter = on.or(&letters);
    let no_letter = on.not(letter);
    let separator = on.or(&[hash, and]);
    let rule = on.implies(separator, no_letter);
    parts.push(on.g(rule));
    let rule = on.implies(hash, no_and);
    parts.push(on.g(rule));
    let either: Vec<_> = letters
        .chunks(2)
        .map(|pair| {
            let other = on.not(pair[1]);
            on.implies(pair[0], other)
        })
        .collect();
    let either = on.and(&either);
    parts.push(on.g(either));
    on.and(&parts)
}

/// A word of n letters `p1`, `p2` after `$` = p0 that also stood between two `#` = p3.
pub(super) fn kupferman_vardi(on: &mut Builder<'_>, n: u32) -> Formula {
    let [dollar, a, b, hash] = [0, 1, 2, 3].map(|k| on.p(k));
    let letter = on.or(&[a, b]);
    let mut tail = on.g(hash);
    for _ in 0..n {
        let rest = on.x(tail);
        tail = on.and(&[letter, rest]);
    }
    let tail = on.x(tail);
    let tail = on.and(&[dollar, tail]);
    let no_dollar = on.not(dollar);
    let last = on.written(Node::Until(no_dollar, tail));
    let mut block = vec![hash];
    for k in 1..=n {
        let choices = [a, b].map(|letter| {
            let here = on.xs(k, letter);
            let there = on.implies(dollar, here);
            let there = on.g(there);
            on.and(&[here, there])
        });
        block.push(on.or(&choices));
    }
    block.push(on.xs(n + 1, hash));
    let block = on.and(&block);
    let block = on.f(block);
    let mut apart = Vec::new();
    for (f, g) in [(dollar, hash), (a, hash), (b, hash), (dollar, a), (dollar, b), (a, b)] {
        let both = on.and(&[f, g]);
        apart.push(on.not(both));
    }
    let apart = on.and(&apart);
    let apart = on.g(apart);
    on.and(&[last, block, apart])
}
