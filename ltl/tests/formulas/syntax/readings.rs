//! What texts mean: a text and its reading with every operator in parentheses.

use super::World;
use ltl::parser::Language;
use support::formulas;

fn check(language: Language, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let mut world = World::default();
        match world.parse(language, text) {
            Ok(f) => assert_eq!(world.reading(f), *expected, "{text}"),
            Err(wrong) => panic!("{text}: {wrong:?}"),
        }
    }
}

#[test]
fn spot_spellings() {
    check(
        Language::Spot,
        &[
            ("1 & 0 & true & FALSE & TrUe", "(1 & 0 & 1 & 0 & 1)"),
            ("!a & ~a & ¬a", "(!(a) & !(a) & !(a))"),
            ("a=0 & a=1 & a =0 & !a=0", "(!(a) & a & !(a) & !(!(a)))"),
            ("a\u{305} & a\u{304}", "(!(a) & !(a))"),
            ("\"x > 1\"=0", "!(\"x > 1\")"),
            ("a & b && c /\\ d * e ∧ f ∩ g", "(a & b & c & d & e & f & g)"),
            ("a | b || c \\/ d + e ∨ f ∪ g", "(a | b | c | d | e | f | g)"),
            ("a ^ b xor c ⊕ d", "(((a xor b) xor c) xor d)"),
            ("a -> (b --> c)", "(a -> (b -> c))"),
            ("a => b → c ⟶ d ⇒ e ⟹ f", "(a -> (b -> (c -> (d -> (e -> f)))))"),
            ("a <-> b <--> c <=> d ↔ e ⇔ f", "(a <-> (b <-> (c <-> (d <-> (e <-> f)))))"),
            ("X()○◯a", "X(X(X(X(a))))"),
            ("F<>◇⋄♢a", "F(F(F(F(F(a)))))"),
            ("G[]□⬜◻a", "G(G(G(G(G(a)))))"),
            (
                "(a U b) & (a W b) & (a R b) & (a V b) & (a M b)",
                "((a U b) & (a W b) & (a R b) & (a R b) & (a M b))",
            ),
            ("/* one /* two */ one */ a /**/ U\t\r\nb", "(a U b)"),
            (
                "@request(c) -> F@grant(c, _, -3, \"x y\")",
                "(@request(c) -> F(@grant(c, _, -3, \"x y\")))",
            ),
            (
                "@a U @\"long name\" ( c ) | @by(_) & @by(server)",
                "((@a U @\"long name\"(c)) | (@by(_) & @by(server)))",
            ),
            ("@a() & @\"by\"(x, y)", "(@a() & @\"by\"(x, y))"),
        ],
    );
}

#[test]
fn spot_names() {
    check(
        Language::Spot,
        &[
            ("GFa", "G(F(a))"),
            ("FINISHED", "F(INISHED)"),
            ("Xa1", "X(a1)"),
            ("FX100", "F(X100)"),
            ("X1 & F100ZX & G1a", "(X1 & F100ZX & G1a)"),
            ("X 1", "X(1)"),
            ("P1 & Mx & Ux & _x & .x", "(P1 & Mx & Ux & _x & .x)"),
            ("true1 | falsey | always | not", "(true1 | falsey | always | not)"),
            ("a Ub", "(a U b)"),
            ("a Mx", "(a M x)"),
            ("aUb", "aUb"),
            ("GaUb", "G(aUb)"),
            ("p=0Uq=1", "(!(p) U q)"),
            ("p=0UFXq=1", "(!(p) U F(X(q)))"),
            ("(a)Ub", "(a U b)"),
            ("\"a\"U\"b\"", "(a U b)"),
            ("\"GFa\" & \"1\" & \"\"", "(GFa & 1 & \"\")"),
            (r#""a\"b\\c\d""#, r#""a\"b\\cd""#),
            ("FFALSE", "F(0)"),
            ("\"日本\"", "\"日本\""),
        ],
    );
}

#[test]
fn spot_precedence() {
    check(
        Language::Spot,
        &[
            ("a | b xor c", "(a | (b xor c))"),
            ("a xor b & c", "(a xor (b & c))"),
            ("a -> b <-> c", "(a -> (b <-> c))"),
            ("a <-> b -> c", "(a <-> (b -> c))"),
            ("a U b R c", "(a U (b R c))"),
            ("!a U b", "(!(a) U b)"),
            ("Xa U b", "(X(a) U b)"),
            ("Ga U b", "(G(a) U b)"),
            ("a U b & c", "((a U b) & c)"),
            ("a & b U c", "(a & (b U c))"),
            ("a U b -> c", "((a U b) -> c)"),
            ("F a & b", "(F(a) & b)"),
            ("a & (b & c) & (d | e)", "(a & b & c & (d | e))"),
            ("G(a -> F b)", "G((a -> F(b)))"),
            ("!(a U b)", "!((a U b))"),
        ],
    );
}

#[test]
fn spot_bounds() {
    check(
        Language::Spot,
        &[
            ("X[3]a", "X(X(X(a)))"),
            ("X[0]a", "a"),
            ("X []a", "X(G(a))"),
            ("F[]a", "F(G(a))"),
            ("F[2:4]a", "X(X((a | X((a | X(a))))))"),
            ("G [ 1 .. 2 ] a", "X((a & X(a)))"),
            ("F[2..]a", "X(X(F(a)))"),
            ("G[0,$]a & G[0to inf]b & F[1:]c", "(G(a) & G(b) & X(F(c)))"),
            ("F[1to1]a U b", "(X(a) U b)"),
            ("F[0..1](a | b)", "(a | b | X((a | b)))"),
        ],
    );
}

#[test]
fn isonomy() {
    check(
        Language::Isonomy,
        &[
            ("G F a", "G(F(a))"),
            ("GFa & FINISHED & X1 & aUb", "(GFa & FINISHED & X1 & aUb)"),
            ("G(a)", "G(a)"),
            ("[] ~a => <> !b", "(G(!(a)) -> F(!(b)))"),
            ("a -> b -> c <=> d -> e <-> f", "((a -> (b -> c)) <-> ((d -> e) <-> f))"),
            ("a || b && c || d U e V f", "(a | (b & c) | (d U (e R f)))"),
            ("a | b & c | d W e M f", "(a | (b & c) | (d W (e M f)))"),
            ("a & b & (c || d)", "(a & b & (c | d))"),
            ("a xor b | c -> xor", "(((a xor b) | c) -> xor)"),
            ("¬a ∧ b ∨ c → d", "(((!(a) & b) | c) -> d)"),
            ("TRUE U false -- to the end of the line\n& \"G = 1\"", "((1 U 0) & \"G = 1\")"),
            ("/* not /* nested */ a", "a"),
            (
                "G(@request(c) -> F @grant(c)) & @by(server)",
                "(G((@request(c) -> F(@grant(c)))) & @by(server))",
            ),
        ],
    );
}

#[test]
fn spin() {
    check(
        Language::Spin,
        &[
            ("true && !false", "(1 & !(0))"),
            ("a /\\ b /\\ c", "(a & b & c)"),
            ("a \\/ b", "(a | b)"),
            ("[]<>a", "G(F(a))"),
            ("always eventually not a until next b", "(G(F(!(a))) U X(b))"),
            ("a || b && c", "((a | b) & c)"),
            ("a -> b -> c", "((a -> b) -> c)"),
            ("a -> b && c", "((a -> b) & c)"),
            ("a <-> b || c", "((a <-> b) | c)"),
            ("a U b U c", "((a U b) U c)"),
            ("a U b V c", "((a U b) R c)"),
            ("a U b -> c", "((a U b) -> c)"),
            ("a Ub", "(a U b)"),
            ("aUb", "aUb"),
            ("Xa", "X(a)"),
            ("[](x > 1)", "G(\"x > 1\")"),
            ("[]{ len(q) > 3 && y }", "G(\"len(q) > 3 && y\")"),
            ("{a} U (b)", "(a U b)"),
            ("(a && !a)", "(a & !(a))"),
            ("(p0 && Xp1)", "(p0 & X(p1))"),
            ("((x + 1) > 2 || b)", "\"(x + 1) > 2 || b\""),
            ("(a && (x > 1)) U (P)", "((a & \"x > 1\") U P)"),
            ("!(1)", "!(1)"),
            ("!(x == 1) && b", "(!(\"x == 1\") & b)"),
        ],
    );
}

/// A reading that was given up leaves no atom behind.
#[test]
fn predicates_leave_no_trace() {
    let mut world = World::default();
    let f = world.parse(Language::Spin, "[](x > 1 && y)").expect("a predicate");
    assert_eq!(world.atoms.len(), 1, "{}", world.reading(f));
}

fn all_are_read(all: Vec<formulas::Formula>) {
    for formulas::Formula { family, text } in all {
        let result = World::default().parse(Language::Spot, &text);
        assert!(result.is_ok(), "{family}: {text}: {result:?}");
    }
}

#[test]
fn the_sample_is_read() {
    all_are_read(formulas::sample());
}

#[test]
fn the_corpus_is_read() {
    all_are_read(formulas::corpus().unwrap_or_default());
}
