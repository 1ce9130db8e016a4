//! Scalable formulas that the literature measures translations with.
//!
//! Every family is a row of [`FAMILIES`], named as in Spot's `genltl`. Atoms are called `p0`, `p1`,
//! ... in the order in which they occur first, not as in the papers.

use crate::atoms::Atoms;
use crate::formula::{Formula, Formulas, Node};

/// A sequence of formulas, one for each number.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// As in `genltl`.
    pub name: &'static str,
    /// The smallest number that there is a formula for: 0 or 1.
    pub first: u32,
    /// The formula for n.
    pub description: &'static str,
    /// Who measured with it first, as far as known.
    pub source: &'static str,
    build: fn(&mut Builder<'_>, u32) -> Formula,
}

/// The largest number that [`family`] builds a formula for.
pub const LARGEST: u32 = 1000;

/// Formula number `n` of the family of this name, or `None` if there is no such family or number.
pub fn family(name: &str, n: u32, formulas: &mut Formulas, atoms: &mut Atoms) -> Option<Formula> {
    let family = FAMILIES.iter().find(|family| family.name == name)?;
    if !(family.first..=LARGEST).contains(&n) {
        return None;
    }
    Some((family.build)(&mut Builder { formulas, atoms }, n))
}

const GH06: &str = "Geldenhuys and Hansen, SPIN 2006";
const CCJ09: &str = "Cichoń, Czubak and Jasiński, DepCoS 2009";
const RV07: &str = "Rozier and Vardi, SPIN 2007";
const TV10: &str = "Tabakov and Vardi, RV 2010";
const MS17: &str = "Müller and Sickert, GandALF 2017";
const SEJK16: &str = "Sickert, Esparza, Jaax and Křetínský, CAV 2016";
const FOLKLORE: &str = "folklore";

const fn row(
    name: &'static str,
    first: u32,
    description: &'static str,
    source: &'static str,
    build: fn(&mut Builder<'_>, u32) -> Formula,
) -> Family {
    Family { name, first, description, source, build }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    row("and-f", 1, "F p1 & ... & F pn", GH06, |b, n| b.all(n, Builder::f_atom)),
    row("and-fg", 1, "FG p1 & ... & FG pn", FOLKLORE, |b, n| b.all(n, Builder::fg)),
    row("and-gf", 1, "GF p1 & ... & GF pn", CCJ09, |b, n| b.all(n, Builder::gf)),
    row("or-g", 1, "G p1 | ... | G pn", GH06, |b, n| b.any(n, Builder::g_atom)),
    row("or-fg", 1, "FG p1 | ... | FG pn", CCJ09, |b, n| b.any(n, Builder::fg)),
    row("or-gf", 1, "GF p1 | ... | GF pn", GH06, |b, n| b.any(n, Builder::gf)),
    row("gh-q", 1, "(F p1 | G p2) & (F p2 | G p3) & ...", GH06, |b, n| {
        b.all(n, |b, k| {
            let either = [b.f_atom(k), b.g_atom(k + 1)];
            b.or(&either)
        })
    }),
    row("gh-r", 1, "(GF p1 | FG p2) & (GF p2 | FG p3) & ...", GH06, |b, n| {
        b.all(n, |b, k| {
            let either = [b.gf(k), b.fg(k + 1)];
            b.or(&either)
        })
    }),
    row(
        "go-theta",
        1,
        "!((GF p1 & ... & GF pn) -> G(q -> F r))",
        "Gastin and Oddoux, CAV 2001",
        |b, n| {
            let fair = b.all(n, Builder::gf);
            let (request, grant) = (b.p(n), b.f_atom(n + 1));
            let response = b.implies(request, grant);
            let response = b.g(response);
            let claim = b.implies(fair, response);
            b.not(claim)
        },
    ),
    row("ccj-alpha", 1, "F(p1 & F(p2 & ... F pn)) & F(q1 & F(q2 & ... F qn))", CCJ09, |b, n| {
        let chains = [b.f_chain(0..n), b.f_chain(n..2 * n)];
        b.and(&chains)
    }),
    row("ccj-beta", 1, "F(p & X(p & ... X p)) & F(q & X(q & ... X q))", CCJ09, |b, n| {
        let chains = [0, 1].map(|k| {
            let p = b.p(k);
            let chain = b.x_chain(n, p, Builder::and);
            b.f(chain)
        });
        b.and(&chains)
    }),
    row("ccj-beta-prime", 1, "F(p & X p & XX p & ...) & F(q & X q & XX q & ...)", CCJ09, |b, n| {
        let chains = [0, 1].map(|k| {
            let p = b.p(k);
            let chain = b.x_run(n, p);
            let chain = b.and(&chain);
            b.f(chain)
        });
        b.and(&chains)
    }),
    row("u-left", 1, "((p1 U p2) U p3) ... U pn", GH06, |b, n| b.left(n, Node::Until)),
    row("u-right", 1, "p1 U (p2 U (... U pn))", GH06, |b, n| b.right(n, Node::Until)),
    row("r-left", 1, "((p1 R p2) R p3) ... R pn", GH06, |b, n| b.left(n, Node::Release)),
    row("r-right", 1, "p1 R (p2 R (... R pn))", GH06, |b, n| b.right(n, Node::Release)),
    row("rv-counter", 1, "a binary counter of n bits, one bit a step", RV07, |b, n| {
        b.counter(n, Nexts::Spread)
    }),
    row("rv-counter-linear", 1, "the same, with nested X: linear size", RV07, |b, n| {
        b.counter(n, Nexts::Nested)
    }),
    row("tv-f1", 1, "G(p -> (q | X q | XX q | ...))", TV10, |b, n| {
        b.respond(|b, q| {
            let run = b.x_run(n, q);
            b.or(&run)
        })
    }),
    row("tv-f2", 1, "G(p -> (q | X(q | X(q | ...))))", TV10, |b, n| {
        b.respond(|b, q| b.x_chain(n, q, Builder::or))
    }),
    row("tv-g1", 1, "G(p -> (q & X q & XX q & ...))", TV10, |b, n| {
        b.respond(|b, q| {
            let run = b.x_run(n, q);
            b.and(&run)
        })
    }),
    row("tv-g2", 1, "G(p -> (q & X(q & X(q & ...))))", TV10, |b, n| {
        b.respond(|b, q| b.x_chain(n, q, Builder::and))
    }),
    row("tv-uu", 1, "G(p1 -> (p1 U (p2 & (p2 U (p3 & ...)))))", TV10, |b, n| {
        let mut rest = b.p(n);
        for k in (0..n).rev() {
            let p = b.p(k);
            let until = b.written(Node::Until(p, rest));
            rest = if k > 0 { b.and(&[p, until]) } else { b.implies(p, until) };
        }
        b.g(rest)
    }),
    row("ms-example", 1, "F(b1 & F(b2 & ...)) & GF(a1 & X(a2 & ...))", MS17, |b, n| {
        let chain = b.f_chain(0..n);
        let mut run = b.p(2 * n - 1);
        for k in (n..2 * n - 1).rev() {
            let both = [b.p(k), b.x(run)];
            run = b.and(&both);
        }
        let run = b.f(run);
        let run = b.g(run);
        b.and(&[chain, run])
    }),
    row("ms-phi-h", 0, "FG(a | b) | FG(!a | X b) | FG(a | XX b) | ...", MS17, |b, n| {
        b.any(n + 1, |b, k| {
            let (p, q) = (b.p(0), b.p(1));
            let p = if k % 2 == 0 { p } else { b.not(p) };
            let either = [p, b.xs(k, q)];
            let either = b.or(&either);
            let always = b.g(either);
            b.f(always)
        })
    }),
    row("ms-phi-r", 0, "(FG an & GF bn) | ((FG an-1 | GF bn-1) & (...))", MS17, |b, n| {
        b.alternation(n, 0)
    }),
    row("ms-phi-s", 0, "(FG an | GF bn) & ((FG an-1 & GF bn-1) | (...))", MS17, |b, n| {
        b.alternation(n, 1)
    }),
    row(
        "kr-n",
        1,
        "linear size, doubly exponential deterministic automaton",
        "Kupferman and Rosenberg, MoChArt 2010",
        kupferman_rosenberg,
    ),
    row(
        "kv-psi",
        1,
        "quadratic size, doubly exponential deterministic automaton",
        "Kupferman and Vardi, ACM ToCL 6(2), 2005",
        kupferman_vardi,
    ),
    row("fxg-or", 0, "F(p0 | XG(p1 | XG(p2 | ...)))", "Spot, genltl", |b, n| {
        b.modal_chain(n, Builder::or, Builder::g, Builder::f)
    }),
    row("gxf-and", 0, "G(p0 & XF(p1 & XF(p2 & ...)))", "Spot, genltl", |b, n| {
        b.modal_chain(n, Builder::and, Builder::f, Builder::g)
    }),
    row("gf-equiv", 1, "(GF a1 & ... & GF an) <-> GF z", "Spot, genltl", |b, n| {
        let sides = (b.all(n, Builder::gf), b.gf(n));
        b.written(Node::Iff(sides.0, sides.1))
    }),
    row("gf-implies", 1, "(GF a1 & ... & GF an) -> GF z", "Spot, genltl", |b, n| {
        let sides = (b.all(n, Builder::gf), b.gf(n));
        b.implies(sides.0, sides.1)
    }),
    row("gf-equiv-xn", 1, "GF(a <-> X^n a)", "Spot, genltl", |b, n| {
        let p = b.p(0);
        let later = b.xs(n, p);
        let same = b.written(Node::Iff(p, later));
        let same = b.f(same);
        b.g(same)
    }),
    row("sejk-f", 0, "f0 = GF a0 U X^n b, fi = GF ai U G f(i-1), of which fn", SEJK16, |b, n| {
        let goal = b.p(n + 1);
        let mut rest = b.xs(n, goal);
        for k in 0..=n {
            let fair = b.gf(k);
            rest = if k == 0 { rest } else { b.g(rest) };
            rest = b.written(Node::Until(fair, rest));
        }
        rest
    }),
    row("sejk-j", 1, "(GF a1 & ... & GF an) -> (GF b1 & ... & GF bn)", SEJK16, |b, n| {
        let sides = (b.all(n, Builder::gf), b.all(n, |b, k| b.gf(n + k)));
        b.implies(sides.0, sides.1)
    }),
    row("sejk-k", 1, "(GF a1 | FG b1) & ... & (GF an | FG bn)", SEJK16, |b, n| {
        b.all(n, |b, k| {
            let either = [b.gf(2 * k), b.fg(2 * k + 1)];
            b.or(&either)
        })
    }),
];

/// How a run of `X` is written.
#[derive(Clone, Copy)]
enum Nexts {
    /// `X f & XX g`
    Spread,
    /// `X(f & X g)`
    Nested,
}

/// Makes formulas as written, over `p0`, `p1`, ...
struct Builder<'a> {
    formulas: &'a mut Formulas,
    atoms: &'a mut Atoms,
}

impl Builder<'_> {
    fn p(&mut self, k: u32) -> Formula {
        let atom = self.atoms.proposition(&format!("p{k}"));
        self.formulas.atom(atom)
    }

    fn written(&mut self, node: Node<'_>) -> Formula {
        self.formulas.written(node)
    }

    fn not(&mut self, f: Formula) -> Formula {
        self.written(Node::Not(f))
    }

    fn and(&mut self, operands: &[Formula]) -> Formula {
        self.written(Node::And(operands))
    }

    fn or(&mut self, operands: &[Formula]) -> Formula {
        self.written(Node::Or(operands))
    }

    fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.written(Node::Implies(f, g))
    }

    fn x(&mut self, f: Formula) -> Formula {
        self.written(Node::Next(f))
    }

    fn f(&mut self, f: Formula) -> Formula {
        self.written(Node::Finally(f))
    }

    fn g(&mut self, f: Formula) -> Formula {
        self.written(Node::Globally(f))
    }

    fn f_atom(&mut self, k: u32) -> Formula {
        let p = self.p(k);
        self.f(p)
    }

    fn g_atom(&mut self, k: u32) -> Formula {
        let p = self.p(k);
        self.g(p)
    }

    fn gf(&mut self, k: u32) -> Formula {
        let inner = self.f_atom(k);
        self.g(inner)
    }

    fn fg(&mut self, k: u32) -> Formula {
        let inner = self.g_atom(k);
        self.f(inner)
    }

    /// `X^n f`
    fn xs(&mut self, n: u32, f: Formula) -> Formula {
        (0..n).fold(f, |f, _| self.x(f))
    }

    fn all(&mut self, n: u32, mut part: impl FnMut(&mut Self, u32) -> Formula) -> Formula {
        let parts: Vec<_> = (0..n).map(|k| part(self, k)).collect();
        self.and(&parts)
    }

    fn any(&mut self, n: u32, mut part: impl FnMut(&mut Self, u32) -> Formula) -> Formula {
        let parts: Vec<_> = (0..n).map(|k| part(self, k)).collect();
        self.or(&parts)
    }

    /// `f`, `X f`, ..., `X^(n-1) f`
    fn x_run(&mut self, n: u32, f: Formula) -> Vec<Formula> {
        let mut run = vec![f];
        for k in 1..n as usize {
            run.push(self.x(run[k - 1]));
        }
        run
    }

    /// `f * X(f * X(... f))` with n times f, where `*` is `&` or `|`.
    fn x_chain(
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
    fn f_chain(&mut self, range: std::ops::Range<u32>) -> Formula {
        let mut chain = self.f_atom(range.end - 1);
        for k in range.rev().skip(1) {
            let both = [self.p(k), chain];
            let both = self.and(&both);
            chain = self.f(both);
        }
        chain
    }

    /// `outer(p0 * X inner(p1 * X inner(p2 ...)))`
    fn modal_chain(
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

    fn left(&mut self, n: u32, node: fn(Formula, Formula) -> Node<'static>) -> Formula {
        let first = self.p(0);
        (1..n).fold(first, |f, k| {
            let p = self.p(k);
            self.written(node(f, p))
        })
    }

    fn right(&mut self, n: u32, node: fn(Formula, Formula) -> Node<'static>) -> Formula {
        let last = self.p(n - 1);
        (0..n - 1).rev().fold(last, |f, k| {
            let p = self.p(k);
            self.written(node(p, f))
        })
    }

    /// `G(p -> answer(q))`
    fn respond(&mut self, answer: impl Fn(&mut Self, Formula) -> Formula) -> Formula {
        let (p, q) = (self.p(0), self.p(1));
        let answer = answer(self, q);
        let rule = self.implies(p, answer);
        self.g(rule)
    }

    /// Conjunction and disjunction in turns; the outermost is `|` for even `kind`.
    fn alternation(&mut self, n: u32, kind: u32) -> Formula {
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
    fn counter(&mut self, n: u32, nexts: Nexts) -> Formula {
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

/// Blocks of n letters (the k-th is ak or bk) between `#` = p0, one of them behind `&` = p3
/// and repeated before it: `p1`, `p2` are a1, b1; `p4`, `p5` are a2, b2; and so on.
fn kupferman_rosenberg(on: &mut Builder<'_>, n: u32) -> Formula {
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

/// A word of n letters `p1`, `p2` behind `$` = p0 that also stood between two `#` = p3.
fn kupferman_vardi(on: &mut Builder<'_>, n: u32) -> Formula {
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
