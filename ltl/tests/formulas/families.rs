//! The families of formulas, member by member.
//!
//! Most expected texts are lines of published collections of formulas. Those of `ms-phi-r`,
//! `ms-phi-s`, `fxg-or`, `gf-*` and `sejk-*` were written out from the families' descriptions: they
//! show that the code builds what its description says, not that the description is the paper's.

use ltl::generate::{FAMILIES, LARGEST, family};
use ltl::parser::{Language, parse};
use ltl::{Atoms, Formula, Formulas, Node};

/// Reads a formula that the test is sure of, as written.
fn read(text: &str, formulas: &mut Formulas, atoms: &mut Atoms) -> Formula {
    parse(Language::Spot, text, formulas, atoms).expect("a formula")
}

/// Rebuilds with sorted operands, so that order does not matter. Other identities do not meet here.
fn sorted(formulas: &mut Formulas, f: Formula) -> Formula {
    let operands: Vec<_> = formulas.operands(f).collect();
    let operands: Vec<_> = operands.into_iter().map(|g| sorted(formulas, g)).collect();
    match formulas.node(f) {
        Node::And(_) => formulas.and(operands),
        Node::Or(_) => formulas.or(operands),
        Node::Not(_) => formulas.written(Node::Not(operands[0])),
        Node::Next(_) => formulas.written(Node::Next(operands[0])),
        Node::Finally(_) => formulas.written(Node::Finally(operands[0])),
        Node::Globally(_) => formulas.written(Node::Globally(operands[0])),
        Node::Implies(..) => formulas.written(Node::Implies(operands[0], operands[1])),
        Node::Iff(..) => formulas.written(Node::Iff(operands[0], operands[1])),
        Node::Until(..) => formulas.written(Node::Until(operands[0], operands[1])),
        Node::Release(..) => formulas.written(Node::Release(operands[0], operands[1])),
        _ => f,
    }
}

#[test]
fn families_are_as_described() {
    for (name, n, expected) in [
        ("and-f", 2, "Fp0 & Fp1"),
        ("and-fg", 2, "FGp0 & FGp1"),
        ("and-gf", 3, "GFp0 & GFp1 & GFp2"),
        ("or-g", 3, "Gp1 | Gp2 | Gp0"),
        ("or-fg", 3, "FGp0 | FGp1 | FGp2"),
        ("or-gf", 2, "GFp0 | GFp1"),
        ("gh-q", 2, "(Fp0 | Gp1) & (Fp1 | Gp2)"),
        ("gh-r", 2, "(GFp0 | FGp1) & (GFp1 | FGp2)"),
        ("go-theta", 2, "!((GFp0 & GFp1) -> G(p2 -> Fp3))"),
        ("ccj-alpha", 3, "F(p0 & F(p1 & Fp2)) & F(p3 & F(p4 & Fp5))"),
        ("ccj-beta", 3, "F(p0 & X(p0 & Xp0)) & F(p1 & X(p1 & Xp1))"),
        ("ccj-beta-prime", 3, "F(p0 & Xp0 & XXp0) & F(p1 & Xp1 & XXp1)"),
        ("u-left", 4, "((p0 U p1) U p2) U p3"),
        ("u-right", 4, "p0 U (p1 U (p2 U p3))"),
        ("r-left", 3, "(p0 R p1) R p2"),
        ("r-right", 3, "p0 R (p1 R p2)"),
        (
            "rv-counter",
            2,
            "!p0 & p1 & X!p0 & G(p1 -> (X!p1 & XXp1)) & G((!p0 & p1) -> (XXp0 & X((!p1 & (p0 <-> XXp0)) U p1))) \
             & G((p0 & p1) -> (XX!p0 & X((p0 & !p1 & XX!p0) U (p1 | (!p0 & !p1 & XXp0 & X((!p1 & (p0 <-> XXp0)) U p1))))))",
        ),
        (
            "rv-counter-linear",
            3,
            "!p0 & p1 & G(p1 -> X(!p1 & X(!p1 & Xp1))) & X(!p0 & X!p0) & G((!p0 & p1) -> X(XXp0 & ((!p1 & (p0 <-> XXXp0)) U p1))) \
             & G((p0 & p1) -> X(XX!p0 & ((p0 & !p1 & XXX!p0) U (p1 | (!p0 & !p1 & X(XXp0 & ((!p1 & (p0 <-> XXXp0)) U p1)))))))",
        ),
        ("tv-f1", 3, "G(p0 -> (p1 | Xp1 | XXp1))"),
        ("tv-f2", 3, "G(p0 -> (p1 | X(p1 | Xp1)))"),
        ("tv-g1", 3, "G(p0 -> (p1 & Xp1 & XXp1))"),
        ("tv-g2", 3, "G(p0 -> (p1 & X(p1 & Xp1)))"),
        ("tv-uu", 3, "G(p0 -> (p0 U (p1 & (p1 U (p2 & (p2 U p3))))))"),
        ("ms-example", 3, "F(p0 & F(p1 & Fp2)) & GF(p3 & X(p4 & Xp5))"),
        ("ms-phi-h", 2, "FG(p0 | p1) | FG(!p0 | Xp1) | FG(p0 | XXp1)"),
        ("ms-phi-r", 1, "(FGp2 & GFp3) | (FGp0 | GFp1)"),
        ("ms-phi-r", 2, "(FGp4 & GFp5) | ((FGp2 | GFp3) & (FGp0 & GFp1))"),
        ("ms-phi-s", 2, "(FGp4 | GFp5) & ((FGp2 & GFp3) | (FGp0 | GFp1))"),
        (
            "kr-n",
            1,
            "p0 & X(p1 | p2 | p3) & G((p1 | p2) -> X(p0 & X(p1 | p2 | p3 | Gp0))) & (!p3 U (p3 & X((p1 | p2) & XGp0))) \
             & F(p0 & X(!p0 & (((p1 & F(p3 & Fp1)) | (p2 & F(p3 & Fp2))) U p0))) & G((p0 | p3) -> !(p1 | p2)) & G(p0 -> !p3) & G(p1 -> !p2)",
        ),
        (
            "kr-n",
            2,
            "p0 & X(p1 | p2 | p3) & G(p0 -> !p3) & G((p1 | p2) -> X(p4 | p5)) & G((p4 | p5) -> X(p0 & X(p1 | p2 | p3 | Gp0))) \
             & (!p3 U (p3 & X((p1 | p2) & XXGp0))) & F(p0 & X(!p0 & (((p1 & F(p3 & Fp1)) | (p2 & F(p3 & Fp2)) | (p4 & F(p3 & Fp4)) \
             | (p5 & F(p3 & Fp5))) U p0))) & G((p0 | p3) -> !(p1 | p2 | p4 | p5)) & G((p1 -> !p2) & (p4 -> !p5))",
        ),
        (
            "kv-psi",
            1,
            "(!p0 U (p0 & X((p1 | p2) & XGp3))) & F(p3 & ((Xp1 & G(p0 -> Xp1)) | (Xp2 & G(p0 -> Xp2))) & XXp3) \
             & G(!(p0 & p3) & !(p1 & p3) & !(p2 & p3) & !(p0 & p1) & !(p0 & p2) & !(p1 & p2))",
        ),
        ("fxg-or", 2, "F(p0 | XG(p1 | XGp2))"),
        ("gxf-and", 3, "G(p0 & XF(p1 & XF(p2 & XFp3)))"),
        ("gf-equiv", 2, "(GFp0 & GFp1) <-> GFp2"),
        ("gf-implies", 2, "(GFp0 & GFp1) -> GFp2"),
        ("gf-equiv-xn", 2, "GF(p0 <-> XXp0)"),
        ("sejk-f", 1, "GFp1 U G(GFp0 U Xp2)"),
        ("sejk-j", 2, "(GFp0 & GFp1) -> (GFp2 & GFp3)"),
        ("sejk-k", 2, "(GFp0 | FGp1) & (GFp2 | FGp3)"),
    ] {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let found = family(name, n, &mut formulas, &mut atoms).expect(name);
        let expected = read(expected, &mut formulas, &mut atoms);
        let (found, expected) = (sorted(&mut formulas, found), sorted(&mut formulas, expected));
        assert_eq!(found, expected, "{name} {n}");
    }
}

#[test]
fn every_family_has_small_and_large_members() {
    assert!(FAMILIES.len() >= 20);
    for row in FAMILIES {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let mut last = None;
        for n in row.first..row.first + 5 {
            let f = family(row.name, n, &mut formulas, &mut atoms).expect(row.name);
            assert_ne!(last.replace(f), Some(f), "{} grows", row.name);
        }
        assert!(family(row.name, 200, &mut formulas, &mut atoms).is_some());
        assert_eq!(family(row.name, LARGEST + 1, &mut formulas, &mut atoms), None);
        let names = FAMILIES.iter().filter(|other| other.name == row.name).count();
        assert_eq!(names, 1, "{} is one family", row.name);
    }
    assert_eq!(family("no-such", 1, &mut Formulas::new(), &mut Atoms::new()), None);
}
