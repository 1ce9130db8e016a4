//! Scalable formulas that the literature measures translations with.
//!
//! Every family is a row of [`FAMILIES`], named as in Spot's `genltl`. Atoms are called `p0`, `p1`,
//! ... in the order in which they occur first, not as in the papers.

use super::builder::{Builder, Nexts, kupferman_rosenberg, kupferman_vardi};
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
