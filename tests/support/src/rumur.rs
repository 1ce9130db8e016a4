//! rumur beside us: models as it reads them, and what its verifiers say.
//!
//! A model with additions of ours is translated: what does not matter to its states is left out
//! (temporal properties, requirements, fairness), a family of processes becomes a `ruleset`, and a
//! single process just its rules. Nothing else is changed, so what else rumur does not know (rings,
//! unions, multisets) stays, and it refuses the model.

use isonomy::explore::Deadlock;
use model::Definition;
use model::parser::parse;
use model::printer::print;
use model::syntax::{
    Declaration, Expression, Item, Model, Quantifier, QuantifierDomain, Rule, RuleKind,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The model as rumur may read it, with other values of constants.
pub fn translated(text: &str, definitions: &[Definition]) -> String {
    let mut model = tree(text);
    model.comments.clear();
    let mut items = Vec::new();
    for item in model.items.drain(..) {
        match item {
            Item::Rule(rule) => items.extend(plain(rule).into_iter().map(Item::Rule)),
            Item::Declaration(Declaration::Constants(mut constants)) => {
                for (names, value) in &mut constants {
                    let defined =
                        |one: &&Definition| names.iter().any(|name| name.text == one.name);
                    if let Some(definition) = definitions.iter().find(defined) {
                        *value = expression(&definition.value);
                    }
                }
                items.push(Item::Declaration(Declaration::Constants(constants)));
            }
            other => items.push(other),
        }
    }
    print(&Model { items, comments: Vec::new() })
}

fn tree(text: &str) -> Model {
    let parsed = parse(text);
    assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors);
    parsed.model
}

fn expression(text: &str) -> Expression {
    match tree(&format!("const x: {text};")).items.pop() {
        Some(Item::Declaration(Declaration::Constants(mut all))) => all.remove(0).1,
        other => panic!("{text} is read as {other:?}"),
    }
}

/// What is left of a rule.
fn plain(rule: Rule) -> Vec<Rule> {
    let all = |rules: Vec<Rule>| -> Vec<Rule> { rules.into_iter().flat_map(plain).collect() };
    let kind = match rule.kind {
        RuleKind::Ltl(_) | RuleKind::Justice { .. } | RuleKind::Compassion { .. } => {
            return Vec::new();
        }
        RuleKind::Process { family: None, rules, .. } => return all(rules),
        RuleKind::Process { name, family: Some(of), rules } => RuleKind::Ruleset {
            quantifiers: vec![Quantifier { name, domain: QuantifierDomain::Type(of) }],
            rules: all(rules),
        },
        RuleKind::Ruleset { quantifiers, rules } => {
            RuleKind::Ruleset { quantifiers, rules: all(rules) }
        }
        RuleKind::Alias { aliases, rules } => RuleKind::Alias { aliases, rules: all(rules) },
        RuleKind::Rule { name, guard, declarations, body, .. } => {
            RuleKind::Rule { fairness: None, name, guard, declarations, body }
        }
        other => other,
    };
    vec![Rule { kind, place: rule.place }]
}

/// The programs that are needed.
pub const PROGRAMS: [&str; 2] = ["rumur", "gcc"];

/// What rumur does about symmetry. It knows scalarsets that are declared by a name of their own; what
/// is renamed is not permuted with the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// No reduction.
    Off,
    /// Sorts the parts of a state: at least one representative of every orbit.
    Heuristic,
    /// Tries all permutations: exactly one representative of every orbit.
    Exhaustive,
}

/// A verifier that rumur has made.
pub struct Verifier {
    program: PathBuf,
}

/// What a verifier says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// Different states, or representatives.
    pub states: u64,
    /// Rules fired.
    pub fired: u64,
    /// Whether no error was found.
    pub passes: bool,
}

impl Verifier {
    /// Makes the verifier of a model, for one thread; `Err` is what rumur says if it refuses the
    /// model. `name` is that of files in `folder`.
    pub fn new(
        folder: &Path,
        name: &str,
        model: &str,
        deadlock: Deadlock,
        reduction: Reduction,
        optimisation: &str,
    ) -> Result<Verifier, String> {
        let file = |end: &str| folder.join(format!("{name}.{end}"));
        let (text, source, program) = (file("m"), file("c"), file("verifier"));
        fs::write(&text, model).expect("the folder is ours");
        let deadlock = match deadlock {
            Deadlock::Off => "off",
            Deadlock::Stuck => "stuck",
            Deadlock::Stuttering => "stuttering",
        };
        let reduction = match reduction {
            Reduction::Off => "off",
            Reduction::Heuristic => "heuristic",
            Reduction::Exhaustive => "exhaustive",
        };
        let output = Command::new("rumur")
            .args(["--symmetry-reduction", reduction, "--threads", "1"])
            // Schedules tell in traces who is who under symmetry; they take time and memory.
            .args(["--scalarset-schedules", "off"])
            .args(["--deadlock-detection", deadlock, "--output"])
            .args([&source, &text])
            .output()
            .expect("rumur is here");
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let output = Command::new("gcc")
            .args([optimisation, "-march=native", "-mcx16", "-w", "-o"])
            .args([&program, &source])
            .arg("-lpthread")
            .output()
            .expect("gcc is here");
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Verifier { program })
    }

    /// How it is run.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }
}

/// What a verifier's output says; `None` if it ended otherwise.
pub fn report(text: &str) -> Option<Report> {
    let line = text.lines().find(|line| line.contains(" rules fired in "))?;
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    let (states, fired) = (numbers.next()?, numbers.next()?);
    Some(Report { states, fired, passes: text.contains("No error found.") })
}
