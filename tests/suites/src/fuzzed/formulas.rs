//! Any text in any language of formulas: a formula that reads back when it is printed and is translated exactly, or a
//! message about a place in the text.

use super::{check_message, tokens, with_large_stack};
use automata::Limits;
use automata::accepts::accepts;
use automata::translate::{Acceptance, Effort, Translator};
use ltl::generate::Random;
use ltl::parser::{Language, NESTING_LIMIT, parse};
use ltl::printer::{Syntax, Unprintable, print};
use ltl::{Alphabet, Atoms, Formula, Formulas};

/// Longer texts say no more.
const LONGEST: usize = 4096;

/// Formulas that are valid in some language.
const SEEDS: [&str; 12] = [
    "G(p0 -> (!p1 U (p1 U (!p1 & (p2 R !p1)))))",
    "F[2..4]a W X[3](b M c) xor \"x \\\" > 1\"",
    "p=0 U F X q=1 /* a /* b */ c */ <=> r",
    "@grant(c, _, -3, \"x y\") -> F @by(server)",
    "[](x > 1) && <>{len(q) > 3 || y} U X p -> always not q",
    "a || b && (c & d | e) => ~ <> [] f -- comment",
    "G F @a(x) & F G !@a(_) | @b U @by(s)",
    "FALSE | true1 | X1 | GFa | a U b",
    "@\"by\"() | @by(_) & @a U @\"\"",
    "G[0:$]a & F[1:2]b",
    "(a U b) R c W d M e V f -> g <-> h",
    "(G F a) -> (G F b) & X X !c",
];

const WORDS: [&str; 48] = [
    "a",
    "b",
    "p0",
    "G",
    "F",
    "X",
    "U",
    "R",
    "V",
    "W",
    "M",
    "!",
    "~",
    "not",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "xor",
    "->",
    "=>",
    "<->",
    "<=>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[]",
    "<>",
    "true",
    "false",
    "1",
    "0",
    "=0",
    "=1",
    "@a",
    "@by(_)",
    "@a(_, x)",
    "\"x > 1\"",
    "X[3]",
    "F[1..2]",
    "G[2:$]",
    "until",
    "always",
    "日",
];

/// What must be true of any bytes.
pub fn check(bytes: &[u8]) {
    let base = |choices: &mut super::choices::Choices<'_>| (*choices.pick(&SEEDS)).to_owned();
    if let Some(text) = tokens::text(bytes, &WORDS, base).filter(|text| text.len() <= LONGEST) {
        with_large_stack(|| check_text(&text));
    }
}

fn check_text(text: &str) {
    for language in [Language::Spot, Language::Spin, Language::Isonomy] {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        match parse(language, text, &mut formulas, &mut atoms) {
            Err(message) => check_message(text, &message),
            Ok(f) => {
                assert!(formulas.depth(f) <= NESTING_LIMIT);
                check_printed(language, &mut formulas, &mut atoms, f);
                check_translated(&mut formulas, &atoms, f);
            }
        }
    }
}

/// What is printed reads back.
fn check_printed(language: Language, formulas: &mut Formulas, atoms: &mut Atoms, f: Formula) {
    for (syntax, target) in [(Syntax::Spot, Language::Spot), (Syntax::Isonomy, Language::Isonomy)] {
        match print(formulas, atoms, f, syntax) {
            Ok(printed) => {
                let back = parse(target, &printed, formulas, atoms);
                assert_eq!(back, Ok(f), "{printed}");
                assert_eq!(print(formulas, atoms, f, syntax), Ok(printed));
            }
            Err(Unprintable::TooLong { .. }) => {}
            Err(wrong) => panic!("{wrong}"),
        }
    }
    let _ = print(formulas, atoms, f, Syntax::Latex);
    // Spin's language lacks operators and names that the others have.
    if let Ok(printed) = print(formulas, atoms, f, Syntax::Spin) {
        let back = parse(Language::Spin, &printed, formulas, atoms);
        assert!(back.is_ok(), "{printed}: {back:?}");
        assert!(language != Language::Spin || back == Ok(f), "{printed}");
    }
}

/// Larger formulas are not translated.
const MOST_NODES: usize = 24;
const MOST_ATOMS: usize = 4;

/// Automata accept exactly the words that satisfy the formula.
fn check_translated(formulas: &mut Formulas, atoms: &Atoms, f: Formula) {
    let ids = formulas.atoms(f);
    if formulas.len() > MOST_NODES || ids.len() > MOST_ATOMS {
        return;
    }
    let Some(alphabet) = Alphabet::of(atoms) else { return };
    let limits = Limits { states: 100, edges: 1000, labels: 4000, watch: None };
    let mut random = Random::new(formulas.len() as u64);
    let words: Vec<_> = (0..6).map(|_| random.lasso(&alphabet, &ids, 3, 3)).collect();
    for effort in [Effort::Low, Effort::High] {
        for acceptance in [Acceptance::Generalized, Acceptance::Buchi] {
            let mut translator = Translator::new(&alphabet, effort, limits);
            let Ok(automaton) = translator.translate(formulas, f, acceptance) else { continue };
            for word in &words {
                let found = accepts(&translator.guards, &automaton, word);
                assert_eq!(found, word.satisfies(formulas, f), "{effort:?} on {word:?}");
            }
        }
    }
}
