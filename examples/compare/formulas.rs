//! Commands about formulas, with or without a model.

use crate::cases::Case;
use crate::process::has_ending;
use std::fs;
use std::path::Path;

/// Formulas that show something: operators, events, atoms in quotation marks, mistakes.
const FORMULAS: &[&str] = &[
    "G(request -> F grant)",
    "(a U b) & G(c -> X d)",
    "@send(c) -> F @receive(c)",
    "GF a & GF b & GF c",
    "GFa -> GFb",
    "FG a | GF !b",
    "a W b M c R d",
    "!(a <-> X b) | \"x > 1\" U b",
    "true",
    "false",
    "G !a & F a",
    "X X X (a U (b U (c U d)))",
    "G(a -> X(!b U (c & F d)))",
    "(GF a -> GF b) & (GF c -> GF d)",
    "G (p -> )",
    "a U",
    "\u{65e5}\u{672c} & (b",
    "",
];

/// Pairs that are compared with each other.
const PAIRS: &[(&str, &str)] = &[
    ("GF(a & b)", "GFa & GFb"),
    ("GFa & GFb", "GFb & GFa"),
    ("F(a | b)", "Fa | Fb"),
    ("a U b", "F b"),
    ("G a", "a"),
    ("a", "a U"),
];

/// Random formulas: so many, with so many operators at most.
const RANDOM: usize = 400;
const MOST_OPERATORS: u32 = 9;

/// Formulas about a model, right and wrong ones, from the headings of `questions.txt`.
pub(crate) fn questions(root: &Path, files: &[String]) -> Vec<Case> {
    let mut cases = Vec::new();
    let models = ["/lock.m", "/mutex.m", "/resource_controller.m"];
    for path in files.iter().filter(|path| path.ends_with("/questions.txt")) {
        let text = fs::read_to_string(root.join(path)).unwrap_or_default();
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            for model in files.iter().filter(|path| models.iter().any(|name| path.ends_with(name)))
            {
                for options in ["--format text", "--message-format json", "--color always"] {
                    let check = Case::new(&format!("check --threads 1 {options}")).with(&[model]);
                    cases.push(check.with(&["--", question]));
                }
            }
        }
    }
    cases
}

/// Translations, simplifications and classes of formulas, and automata in files.
pub(crate) fn automata(root: &Path, files: &[String]) -> Vec<Case> {
    let mut cases = Vec::new();
    for formula in FORMULAS {
        for options in [
            "--format dot",
            "--format svg",
            "--format hoa",
            "--format json",
            "--format stats --header",
            "--format never",
            "--format never --negate",
            "--format dot --acceptance buchi",
            "--format svg --acceptance buchi --effort low",
            "--format hoa --acceptance buchi --effort medium --negate",
            "--format json --max-states 2",
            "--format hoa --input spin",
        ] {
            cases.push(Case::new(&format!("automaton {options}")).with(&["--", formula]));
        }
        for options in CLASSES {
            cases.push(Case::new(&format!("formula {options}")).with(&["--", formula]));
        }
    }
    for (first, second) in PAIRS {
        for option in ["--equivalent-to", "--implies"] {
            cases.push(Case::new("formula").with(&[first, option, second]));
        }
    }
    let automata = files.iter().filter(|path| has_ending(path, "hoa"));
    for path in automata {
        for options in TRANSLATIONS.iter().copied().chain(["--format svg"]) {
            cases.push(Case::new(&format!("automaton {options} --hoa-in")).with(&[path]));
        }
    }
    let of_files = files.iter().filter(|path| has_ending(path, "ltl"));
    let texts = of_files.filter_map(|path| fs::read_to_string(root.join(path)).ok());
    for text in texts.chain([random()]) {
        for options in TRANSLATIONS {
            let many = Case::new(&format!("automaton {options} --file -"));
            cases.push(many.reading(text.as_bytes()));
        }
        for options in CLASSES {
            cases.push(Case::new(&format!("formula {options} --file -")).reading(text.as_bytes()));
        }
    }
    cases
}

const TRANSLATIONS: &[&str] = &[
    "--format dot",
    "--format hoa",
    "--format json",
    "--format stats",
    "--format never",
    "--format hoa --acceptance buchi",
    "--format stats --effort low",
    "--format stats --effort medium --acceptance buchi",
    "--format hoa --negate",
];

const CLASSES: &[&str] = &[
    "",
    "--simplify",
    "--classify",
    "--syntax spot",
    "--syntax spin --simplify",
    "--syntax latex",
    "--message-format json",
];

/// Random formulas, one on a line.
fn random() -> String {
    let mut random = Random(1);
    let lines = (0..RANDOM).map(|_| {
        let operators = random.below(MOST_OPERATORS) + 1;
        random.formula(operators) + "\n"
    });
    lines.collect()
}

/// A linear congruential generator: the formulas are always the same ones.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    fn choice<'s>(&mut self, words: &[&'s str]) -> &'s str {
        words[self.below(words.len() as u32) as usize]
    }

    fn formula(&mut self, operators: u32) -> String {
        if operators == 0 {
            return self.choice(&["a", "b", "c", "a", "b", "c", "@e(x)", "true"]).to_owned();
        }
        if self.below(2) == 0 {
            let operator = self.choice(&["!", "X ", "F ", "G "]);
            return format!("{operator}({})", self.formula(operators - 1));
        }
        let left = self.below(operators);
        let operator = self.choice(&["&", "|", "->", "<->", "U", "R", "W", "M"]);
        let (left, right) = (self.formula(left), self.formula(operators - 1 - left));
        format!("({left}) {operator} ({right})")
    }
}
