//! Any text gives a formula or a message: no panic, no overflow, no explosion.

use super::World;
use ltl::parser::{Language, NESTING_LIMIT};
use ltl::source::{Colour, Source};
use ltl::{Diagnostic, Span};
use run::SplitMix64;

const LANGUAGES: [Language; 3] = [Language::Spot, Language::Spin, Language::Isonomy];

/// Valid in some language, with tokens of all of them.
const SEEDS: [&str; 16] = [
    "G(p0 -> (!p1 U (p1 U (!p1 & (p2 R !p1)))))",
    "F[2..4]a W X[3](b M c) xor \"x \\\" > 1\"",
    "p=0UFXq=1 /* a /* b */ c */ <=> 日",
    "@grant(c, _, -3, \"x y\") -> F@by(server)",
    "[](x > 1) && <>{len(q) > 3 || y} U X p -> always not q",
    "a || b && (c & d | e) => ~ <> [] f -- comment",
    "□◇(a ∧ b̅ ∨ ¬c) → ○⊕",
    "FALSE | true1 | X1 | GFa | a Ub",
    "((((a))))",
    "!X!F!G!a",
    "@\"by\"() | @by(_) & @a U @\"\"",
    "G[0:$]a & F[1toinf]b",
    "until next eventually c_expr implies",
    "\"\" | \"日本\"=0",
    "{a} V {b} (c) (d == e)",
    "a U b R c W d M e V f -> g <-> h",
];

fn place_is_fine(text: &str, span: Span) -> bool {
    span.start <= span.end && text.is_char_boundary(span.start) && text.is_char_boundary(span.end)
}

/// Reads the text in every language; places must lie in it.
fn check(text: &str, seed: u64) {
    for language in LANGUAGES {
        let mut world = World::default();
        if let Err(wrong) = world.parse(language, text) {
            let Diagnostic { span, related, .. } = &wrong;
            let places = related.iter().map(|(place, _)| place).chain([span]);
            for place in places {
                assert!(place_is_fine(text, *place), "seed {seed}: {text:?}: {wrong:?}");
            }
            let shown = Source::new("formula", text).render(&wrong, Colour::Off);
            assert!(shown.starts_with("error: ") && shown.contains('^'), "seed {seed}: {shown}");
        }
    }
}

#[test]
fn mutations() {
    for seed in 0..20_000 {
        let mut random = SplitMix64::new(seed);
        let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len() + 1);
            let to = (at + random.below(4)).min(bytes.len());
            match random.below(4) {
                0 => bytes.insert(at, random.next() as u8),
                1 => drop(bytes.drain(at..to)),
                2 => {
                    let other = SEEDS[random.below(SEEDS.len())].as_bytes();
                    let from = random.below(other.len());
                    let taken = &other[from..(from + random.below(8)).min(other.len())];
                    bytes.splice(at..to, taken.iter().copied());
                }
                _ => {
                    let token = *b"()[]{}<>=!&|-+*/\\^~@\"'.,;:XFGURVWM01 "
                        .get(random.below(37))
                        .unwrap_or(&b' ');
                    bytes.insert(at, token);
                }
            }
        }
        check(&String::from_utf8_lossy(&bytes), seed);
    }
}

/// Every text of up to three of these tokens.
#[test]
fn all_short_texts() {
    let tokens = [
        "", "a", "G", "X", "U", "1", "!", "&", "||", "->", "(", ")", "{", "}", "[", "]", "[]", "<",
        ">", "=", "=0", "\"", "\"a\"", "@", "@by", "_", ",", "-", "--", "/*", "*/", "日",
        "\u{305}", " ", "\n", "\0", "not", "xor", "F[1..2]", ".",
    ];
    for first in tokens {
        for second in tokens {
            for third in tokens {
                check(&format!("{first}{second}{third}"), 0);
            }
        }
    }
}

#[test]
fn deep_texts_meet_the_limit() {
    const DEEP: usize = 100_000;
    let table = [
        ("(".repeat(DEEP) + "a" + &")".repeat(DEEP), "parentheses"),
        ("(".repeat(DEEP), "open parentheses"),
        ("{".repeat(DEEP), "braces"),
        ("!".repeat(DEEP) + "a", "negations"),
        ("X ".repeat(DEEP) + "a", "X"),
        ("[]".repeat(DEEP) + "a", "boxes"),
        ("!(".repeat(DEEP) + "a", "negated parentheses"),
        ("a U ".repeat(DEEP) + "a", "U"),
        ("a -> ".repeat(DEEP) + "a", "implications"),
        ("a xor ".repeat(DEEP) + "a", "xor"),
        ("a <-> ".repeat(DEEP) + "a", "equivalences"),
        ("a U (".repeat(DEEP) + "a", "U in parentheses"),
        ("a && b || ".repeat(DEEP) + "a", "chains"),
        ("/*".repeat(DEEP), "comments"),
        ("F[0..1]".repeat(DEEP) + "a", "bounds"),
        ("@a(".repeat(DEEP), "events"),
    ];
    for (text, what) in table {
        for language in LANGUAGES {
            let mut world = World::default();
            match world.parse(language, &text) {
                Err(wrong) => assert!(place_is_fine(&text, wrong.span), "{what}: {wrong:?}"),
                Ok(f) => assert!(world.formulas.depth(f) <= NESTING_LIMIT, "{what}"),
            }
        }
    }
}

/// A text of this many levels, in Spot's language.
type Levels = fn(usize) -> String;

#[test]
fn the_limit_is_exact() {
    let limit = NESTING_LIMIT as usize;
    let table: [(&str, Levels); 6] = [
        ("!", |levels| "!".repeat(levels - 1) + "a"),
        ("U", |levels| "a U ".repeat(levels - 1) + "a"),
        ("->", |levels| "a -> ".repeat(levels - 1) + "a"),
        ("xor", |levels| "a xor ".repeat(levels - 1) + "a"),
        ("X[n]", |levels| format!("X[{}]a", levels - 1)),
        ("(!", |levels| "(!".repeat(levels - 1) + "a" + &")".repeat(levels - 1)),
    ];
    for (what, text) in table {
        let mut world = World::default();
        let f = world.parse(Language::Spot, &text(limit)).expect(what);
        assert_eq!(world.formulas.depth(f), NESTING_LIMIT, "{what}");
        let wrong = world.parse(Language::Spot, &text(limit + 1)).expect_err(what);
        assert!(wrong.message.contains("more than 1000 levels"), "{what}: {wrong:?}");
    }
    let mut world = World::default();
    let parentheses = |count: usize| "(".repeat(count) + "a" + &")".repeat(count);
    assert!(world.parse(Language::Spot, &parentheses(limit)).is_ok());
    assert!(world.parse(Language::Spot, &parentheses(limit + 1)).is_err());
}

#[test]
fn bounds_do_not_explode() {
    let long = vec!["a"; 50_000].join(" | ");
    for text in [
        "X[4294967295]a",
        "X[99999999999999999999999999]a",
        "F[0..4294967295]a",
        "F[4294967295..]a",
        "G[0..499]G[0..499]a",
        &format!("F[0..400]({long})"),
    ] {
        let mut world = World::default();
        let wrong = world.parse(Language::Spot, text).expect_err("too much");
        assert!(wrong.message.starts_with("these bounds stand for"), "{wrong:?}");
        assert!(world.formulas.len() < 2000, "refused before it is built");
    }
    let mut world = World::default();
    assert!(world.parse(Language::Spot, "F[0..200]G[100..200]F[5..]a").is_ok());
}

#[test]
fn long_chains_are_flat() {
    const LONG: usize = 100_000;
    for (language, sign) in [
        (Language::Spot, " & "),
        (Language::Spot, " | "),
        (Language::Isonomy, " && "),
        (Language::Spin, " || "),
    ] {
        let mut world = World::default();
        let f = world.parse(language, &vec!["a"; LONG].join(sign)).expect("a chain");
        assert_eq!(world.formulas.operands(f).count(), LONG);
        assert_eq!(world.formulas.depth(f), 2);
        assert_eq!(world.formulas.len(), 4, "no part of the chain was stored");
    }
    // A chain that grows from the inside is stored once too.
    let mut world = World::default();
    let text = "(".repeat(900) + &vec!["a"; LONG].join(" & ") + &" & a)".repeat(900);
    let f = world.parse(Language::Spot, &text).expect("a chain");
    assert_eq!(world.formulas.operands(f).count(), LONG + 900);
    assert_eq!(world.formulas.len(), 4);
}
