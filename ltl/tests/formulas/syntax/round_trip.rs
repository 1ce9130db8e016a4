//! What is printed reads back as the same formula.

use super::World;
use ltl::parser::Language;
use ltl::printer::{LENGTH_LIMIT, Syntax, Unprintable, print, print_within};
use ltl::{Argument, AtomKind, EventPattern, Formula, Node};
use run::SplitMix64;
use support::formulas;

/// Names that are easily taken for something else.
const AWKWARD: [&str; 24] = [
    "GFa",
    "1",
    "x > 1",
    "X1",
    "Ub",
    "true",
    "False",
    "a\"b\\",
    "日本",
    "",
    "alse",
    "U",
    "xor",
    "Xa",
    "by",
    "_",
    ".x",
    "first_match",
    "not",
    "(",
    "@a",
    " a ",
    "a & b",
    "FINISHED",
];

/// Those of them that Spin's language can hold.
const FOR_SPIN: [&str; 9] =
    ["a", "b1", "x > 1", "GFa", "日本", "f(x) + 1 == g[2]", "a & b", "\"a\\", "1"];

fn events() -> Vec<AtomKind> {
    let value = |text: &str| Argument::Value(text.to_owned());
    let named = |name: &str, arguments: Option<Vec<Argument>>| {
        AtomKind::Event(EventPattern::Named { name: name.to_owned(), arguments })
    };
    vec![
        named("a", None),
        named("by", Some(vec![])),
        named("long name", Some(vec![value("c"), Argument::Any, value("-3"), value("x \"y\"")])),
        named("", Some(vec![value("_"), value("")])),
        AtomKind::Event(EventPattern::By(Argument::Any)),
        AtomKind::Event(EventPattern::By(value("two words"))),
    ]
}

fn leaves(world: &mut World, names: &[&str], events: Vec<AtomKind>) -> Vec<Formula> {
    let kinds = names.iter().map(|name| AtomKind::Proposition((*name).to_owned())).chain(events);
    let mut leaves = vec![Formula::FALSE, Formula::TRUE];
    for kind in kinds {
        let atom = world.atoms.intern(kind);
        leaves.push(world.formulas.atom(atom));
    }
    leaves
}

fn unary(world: &mut World, operator: usize, f: Formula) -> Formula {
    world.formulas.written(match operator {
        0 => Node::Not(f),
        1 => Node::Next(f),
        2 => Node::Finally(f),
        _ => Node::Globally(f),
    })
}

fn binary(world: &mut World, operator: usize, f: Formula, g: Formula) -> Formula {
    let both = [f, g];
    world.formulas.written(match operator {
        0 => Node::And(&both),
        1 => Node::Or(&both),
        2 => Node::Xor(f, g),
        3 => Node::Implies(f, g),
        4 => Node::Iff(f, g),
        5 => Node::Until(f, g),
        6 => Node::Release(f, g),
        7 => Node::WeakUntil(f, g),
        _ => Node::StrongRelease(f, g),
    })
}

/// All formulas of at most `size` operators and leaves.
fn all(world: &mut World, leaves: &[Formula], size: usize) -> Vec<Formula> {
    let mut by_size: Vec<Vec<Formula>> = vec![vec![], leaves.to_vec()];
    for size in 2..=size {
        let mut found = Vec::new();
        for &f in &by_size[size - 1] {
            found.extend((0..4).map(|operator| unary(world, operator, f)));
        }
        for left in 1..size - 1 {
            for &f in &by_size[left] {
                for &g in &by_size[size - 1 - left] {
                    found.extend((0..9).map(|operator| binary(world, operator, f, g)));
                }
            }
        }
        by_size.push(found);
    }
    by_size.concat()
}

fn random(world: &mut World, random: &mut SplitMix64, leaves: &[Formula], size: usize) -> Formula {
    let mut stack: Vec<Formula> = vec![leaves[random.below(leaves.len())]];
    for _ in 0..size {
        let f = stack[random.below(stack.len())];
        let made = match random.below(13) {
            operator @ 0..4 => unary(world, operator, f),
            operator => {
                let g = stack[random.below(stack.len())];
                binary(world, operator - 4, f, g)
            }
        };
        stack.push(if random.below(4) == 0 { leaves[random.below(leaves.len())] } else { made });
    }
    stack.pop().expect("a formula was made")
}

/// The formula with the operators that Spin lacks replaced.
fn for_spin(world: &mut World, f: Formula) -> Formula {
    let parts: Vec<Formula> = world.formulas.operands(f).collect();
    let parts: Vec<Formula> = parts.into_iter().map(|g| for_spin(world, g)).collect();
    let formulas = &mut world.formulas;
    match formulas.node(f) {
        Node::False | Node::True | Node::Atom(_) => f,
        Node::Not(_) => formulas.written(Node::Not(parts[0])),
        Node::Next(_) => formulas.written(Node::Next(parts[0])),
        Node::Finally(_) => formulas.written(Node::Finally(parts[0])),
        Node::Globally(_) => formulas.written(Node::Globally(parts[0])),
        Node::And(_) => formulas.written(Node::And(&parts)),
        Node::Or(_) => formulas.written(Node::Or(&parts)),
        Node::Implies(..) => formulas.written(Node::Implies(parts[0], parts[1])),
        Node::Iff(..) => formulas.written(Node::Iff(parts[0], parts[1])),
        Node::Until(..) => formulas.written(Node::Until(parts[0], parts[1])),
        Node::Release(..) => formulas.written(Node::Release(parts[0], parts[1])),
        Node::Xor(..) => {
            let iff = formulas.written(Node::Iff(parts[0], parts[1]));
            formulas.written(Node::Not(iff))
        }
        Node::WeakUntil(..) => {
            let or = formulas.written(Node::Or(&parts));
            formulas.written(Node::Release(parts[1], or))
        }
        Node::StrongRelease(..) => {
            let and = formulas.written(Node::And(&parts));
            formulas.written(Node::Until(parts[1], and))
        }
    }
}

/// Prints, reads, compares.
fn check(world: &mut World, language: Language, f: Formula, seed: u64) {
    let syntax = match language {
        Language::Spot => Syntax::Spot,
        Language::Spin => Syntax::Spin,
        Language::Isonomy => Syntax::Isonomy,
    };
    let text = print(&world.formulas, &world.atoms, f, syntax)
        .unwrap_or_else(|wrong| panic!("seed {seed}: {}: {wrong}", world.reading(f)));
    let expected = if language == Language::Spin { for_spin(world, f) } else { f };
    match world.parse(language, &text) {
        Ok(found) if found == expected => {}
        Ok(found) => panic!(
            "seed {seed}: {language:?}: {} was printed as\n{text}\nwhich reads {}",
            world.reading(expected),
            world.reading(found)
        ),
        Err(wrong) => panic!("seed {seed}: {language:?}: {text}: {wrong:?}"),
    }
}

fn check_latex(world: &mut World, f: Formula) {
    let text = print(&world.formulas, &world.atoms, f, Syntax::Latex).expect("all is printable");
    let back = from_latex(&text);
    let found = world.parse(Language::Spot, &back);
    assert_eq!(found, Ok(f), "{text}\n{back}");
}

/// The signs of Spot for those of LaTeX; every name is quoted.
fn from_latex(text: &str) -> String {
    const SIGNS: [(&str, &str); 21] = [
        ("\\top", "1"),
        ("\\bot", "0"),
        ("\\neg", "!"),
        ("\\mathbf{X}", "X "),
        ("\\mathbf{F}", "F "),
        ("\\mathbf{G}", "G "),
        ("\\land", "&"),
        ("\\lor", "|"),
        ("\\oplus", "xor"),
        ("\\rightarrow", "->"),
        ("\\leftrightarrow", "<->"),
        ("\\mathbin{\\mathbf{U}}", "U"),
        ("\\mathbin{\\mathbf{R}}", "R"),
        ("\\mathbin{\\mathbf{W}}", "W"),
        ("\\mathbin{\\mathbf{M}}", "M"),
        ("\\,", " "),
        ("(", "("),
        (")", ")"),
        (" ", " "),
        ("\\mathit{\\varepsilon}", "\"\""),
        ("\\mathit{", "\""),
    ];
    let mut rest = text;
    let mut back = String::new();
    while let Some(first) = rest.chars().next() {
        if let Some(name) = rest.strip_prefix("\\mathsf{") {
            let (event, behind) = unescaped(name);
            back.push_str(&event);
            rest = behind;
        } else if let Some((latex, spot)) = SIGNS.iter().find(|(latex, _)| rest.starts_with(latex))
        {
            rest = &rest[latex.len()..];
            if *spot == "\"" {
                let (name, behind) = unescaped(rest);
                back.push_str(&ltl::atoms::quoted(&name));
                rest = behind;
            } else {
                back.push_str(spot);
            }
        } else {
            assert!(first.is_ascii_alphabetic(), "what is {rest}?");
            back.push_str(&ltl::atoms::quoted(&first.to_string()));
            rest = &rest[1..];
        }
    }
    back
}

/// A name up to the `}` that ends it, and what follows.
fn unescaped(text: &str) -> (String, &str) {
    const SPECIAL: [(&str, char); 11] = [
        ("{\\backslash}", '\\'),
        ("{\\wedge}", '^'),
        ("{\\sim}", '~'),
        ("\\{", '{'),
        ("\\}", '}'),
        ("\\$", '$'),
        ("\\&", '&'),
        ("\\#", '#'),
        ("\\%", '%'),
        ("\\_", '_'),
        ("\\ ", ' '),
    ];
    let (mut name, mut rest) = (String::new(), text);
    loop {
        if let Some((escape, c)) = SPECIAL.iter().find(|(escape, _)| rest.starts_with(escape)) {
            name.push(*c);
            rest = &rest[escape.len()..];
        } else {
            let c = rest.chars().next().expect("a name ends");
            rest = &rest[c.len_utf8()..];
            if c == '}' {
                return (name, rest);
            }
            name.push(c);
        }
    }
}

#[test]
fn all_small_formulas() {
    let mut world = World::default();
    let few = leaves(&mut world, &["a", "alse"], vec![]);
    for f in all(&mut world, &few, 5) {
        check(&mut world, Language::Spot, f, 0);
        check(&mut world, Language::Isonomy, f, 0);
        check(&mut world, Language::Spin, f, 0);
        check_latex(&mut world, f);
    }
}

#[test]
fn awkward_names_in_all_places() {
    let mut world = World::default();
    let many = leaves(&mut world, &AWKWARD, events());
    for f in all(&mut world, &many, 3) {
        check(&mut world, Language::Spot, f, 0);
        check(&mut world, Language::Isonomy, f, 0);
        check_latex(&mut world, f);
    }
    let many = leaves(&mut world, &FOR_SPIN, vec![]);
    for f in all(&mut world, &many, 3) {
        check(&mut world, Language::Spin, f, 0);
    }
}

#[test]
fn random_formulas() {
    for seed in 0..3_000 {
        let mut source = SplitMix64::new(seed);
        let mut world = World::default();
        let many = leaves(&mut world, &AWKWARD, events());
        let f = random(&mut world, &mut source, &many, 12);
        check(&mut world, Language::Spot, f, seed);
        check(&mut world, Language::Isonomy, f, seed);
        check_latex(&mut world, f);
        let many = leaves(&mut world, &FOR_SPIN, vec![]);
        let f = random(&mut world, &mut source, &many, 8);
        check(&mut world, Language::Spin, f, seed);
    }
}

/// Formulas of collections, in every language.
fn check_all(all: Vec<formulas::Formula>) {
    for formulas::Formula { family, text: line } in all {
        let mut world = World::default();
        let f = world.parse(Language::Spot, &line).expect("a formula");
        for language in [Language::Spot, Language::Isonomy, Language::Spin] {
            check(&mut world, language, f, 0);
        }
        check_latex(&mut world, f);
        if family == "beem" {
            // These lines were printed by Spot.
            let text = print(&world.formulas, &world.atoms, f, Syntax::Spot);
            assert_eq!(text.as_deref(), Ok(&line[..]));
        }
    }
}

#[test]
fn the_sample() {
    check_all(formulas::sample());
}

#[test]
fn the_corpus() {
    check_all(formulas::corpus().unwrap_or_default());
}

#[test]
fn as_a_person_would_write_it() {
    let table = [
        // Spot's language, then how each syntax prints it
        (
            "G(a -> Fb)",
            "G(a -> Fb)",
            "G (a -> F b)",
            "[](a -> <>b)",
            "\\mathbf{G}(a \\rightarrow \\mathbf{F}\\,b)",
        ),
        (
            "GFp1 & !X!(q U 1)",
            "GFp1 & !X!(q U 1)",
            "G F p1 & !X !(q U true)",
            "[]<>p1 && !X !(q U true)",
            "\\mathbf{G}\\mathbf{F}\\,\\mathit{p1} \\land \\neg\\mathbf{X}\\neg(q \\mathbin{\\mathbf{U}} \\top)",
        ),
        (
            "(a W b) xor (c M X 0) | !d",
            "((a W b) xor (c M X 0)) | !d",
            "((a W b) xor (c M X false)) | !d",
            "!((b V (a || b)) <-> (X false U (c && X false))) || !d",
            "((a \\mathbin{\\mathbf{W}} b) \\oplus (c \\mathbin{\\mathbf{M}} \\mathbf{X}\\,\\bot)) \\lor \\neg d",
        ),
        (
            "F\"x > 1\" <-> X!\"a_b\"",
            "F\"x > 1\" <-> X!a_b",
            "F \"x > 1\" <-> X !a_b",
            "<>(x > 1) <-> X !a_b",
            "\\mathbf{F}\\,\\mathit{x\\ >\\ 1} \\leftrightarrow \\mathbf{X}\\neg\\mathit{a\\_b}",
        ),
    ];
    for (text, spot, isonomy, spin, latex) in table {
        let mut world = World::default();
        let f = world.parse(Language::Spot, text).expect("a formula");
        for (syntax, expected) in [
            (Syntax::Spot, spot),
            (Syntax::Isonomy, isonomy),
            (Syntax::Spin, spin),
            (Syntax::Latex, latex),
        ] {
            assert_eq!(print(&world.formulas, &world.atoms, f, syntax).as_deref(), Ok(expected));
        }
    }
}

#[test]
fn what_spin_cannot_hold() {
    let names = ["true", "", "a && b", "Xa", "[]p", "a)", ") && (", " a", "c_expr", "U", "{"];
    let mut world = World::default();
    let mut atoms: Vec<Formula> = leaves(&mut world, &names, events());
    for f in atoms.drain(2..) {
        let result = print(&world.formulas, &world.atoms, f, Syntax::Spin);
        assert!(
            matches!(result, Err(Unprintable::Atom { .. })),
            "{}: {result:?}",
            world.reading(f)
        );
    }
    let f = world.parse(Language::Spot, "F@grant(c)").expect("a formula");
    let wrong = print(&world.formulas, &world.atoms, f, Syntax::Spin).expect_err("no events");
    assert_eq!(
        wrong.to_string(),
        "cannot print @grant(c): Spin's language has no event atoms; \
         print the formula for Spot or Isonomy, or use a proposition instead of the event"
    );
}

#[test]
fn shared_parts_end_at_the_limit() {
    let mut world = World::default();
    let mut f = world.parse(Language::Spot, "a").expect("a formula");
    for _ in 0..60 {
        f = binary(&mut world, 5, f, f);
    }
    for syntax in [Syntax::Spot, Syntax::Isonomy, Syntax::Spin, Syntax::Latex] {
        let result = print(&world.formulas, &world.atoms, f, syntax);
        assert_eq!(result, Err(Unprintable::TooLong { limit: LENGTH_LIMIT }));
    }
    let f = world.parse(Language::Spot, "a U b").expect("a formula");
    let within = |limit| print_within(limit, &world.formulas, &world.atoms, f, Syntax::Spot);
    assert_eq!(within(5).as_deref(), Ok("a U b"));
    assert_eq!(within(4), Err(Unprintable::TooLong { limit: 4 }));
}

#[test]
fn deep_formulas_are_printed() {
    let mut world = World::default();
    let mut f = world.parse(Language::Spot, "a").expect("a formula");
    let a = f;
    for k in 0..20_000 {
        f = if k % 2 == 0 { unary(&mut world, 0, f) } else { binary(&mut world, 5, a, f) };
    }
    for syntax in [Syntax::Spot, Syntax::Isonomy, Syntax::Spin, Syntax::Latex] {
        let text = print(&world.formulas, &world.atoms, f, syntax).expect("it is not that long");
        assert!(text.len() > 60_000, "{syntax:?}");
    }
}
