//! The gallery of the book: what is true of the models with headers.
//!
//! `cargo run --example gallery --release > docs/gallery.md` makes the page; a test compares it. Every verdict is
//! that of the checker, with the constants as they stand in the file.

use crate::headers::{Fixture, fixtures};
use compile::CompiledModel;
use isonomy::check::{self, Reason, check_all, states};
use isonomy::explore::{self, Deadlock, Symmetry, ViolationKind};
use model::checked::{Demand, Formula, Group, Model, PropertyId};
use model::syntax::{Fairness, Over, PropertyKind};
use std::fmt::Write as _;

/// Larger models are described, but not checked here.
const MOST_REPRESENTATIVES: u64 = 12_000;

/// The notions of fairness, by their columns.
pub const NOTIONS: [(&str, Fairness, Over); 6] = [
    ("none", Fairness::None, Over::Processes),
    ("weak", Fairness::Weak, Over::Processes),
    ("strong", Fairness::Strong, Over::Processes),
    ("weak, events", Fairness::Weak, Over::Events),
    ("strong, events", Fairness::Strong, Over::Events),
    ("global", Fairness::Global, Over::Processes),
];

/// Models that show or provoke one thing, by the start of their names.
const SMALL: [(&str, &str, &str); 3] = [
    (
        "tiny_",
        "Parts of the language",
        "Each of these shows how one construct of [the language](language.md) behaves.",
    ),
    (
        "trap_",
        "Traps",
        "Each of these tells the values of an index type apart, in a way that is easily overlooked. Isonomy finds it,\n\
         and does without the [symmetry](language.md#symmetry) of that type.",
    ),
    (
        "fault_",
        "Run-time errors",
        "Each of these meets one kind of [run-time error](language.md#run-time-errors).",
    ),
];

/// What is known of a model.
pub struct Exhibit {
    /// The name of its file, without the ending.
    pub name: String,
    /// Its file, from the root of the project.
    pub file: String,
    description: String,
    /// Its constants, each as `N = 3` in backquotes.
    pub constants: String,
    symmetry: String,
    requirements: usize,
    /// Its size, unless it is too large for this page.
    pub space: Option<Space>,
    /// What fails, if something does.
    failure: Option<String>,
    /// Properties of states, with their verdicts.
    pub states: Vec<(String, String, &'static str)>,
    /// Temporal properties: name, formula, verdicts by notion; nothing where its own notion is another.
    pub formulas: Vec<(String, String, Vec<Option<String>>)>,
    warnings: Vec<String>,
}

/// How large a model is.
pub struct Space {
    /// Reachable states.
    pub states: String,
    /// Reachable states up to symmetry.
    pub representatives: u64,
    /// Steps out of all states.
    pub steps: String,
    /// States without a step.
    pub deadlocks: String,
}

/// All models, by name.
pub fn exhibits() -> Vec<Exhibit> {
    fixtures().iter().map(exhibit).collect()
}

fn exhibit(fixture: &Fixture) -> Exhibit {
    let model = fixture.model(&[]);
    let symmetry = model.symmetries.iter().map(|one| {
        let of = model.types.index_type(one.of);
        let group = match one.group {
            Group::Full => "all permutations",
            Group::Rotations => "rotations",
            Group::Dihedral => "rotations and reflections",
            Group::Trivial => "no reduction",
        };
        let values = if of.size == 1 { "value" } else { "values" };
        format!("`{}` ({} {values}, {group})", of.name, of.size)
    });
    let constants = model
        .constants
        .iter()
        .map(|one| format!("`{} = {}`", one.name, one.value.show(&model.types)));
    let fair_rules = model.events.iter().filter(|one| one.fairness.is_some()).count();
    let mut made = Exhibit {
        name: fixture.name.clone(),
        file: fixture.file.clone(),
        description: first_sentence(&fixture.description),
        constants: constants.collect::<Vec<_>>().join(", "),
        symmetry: symmetry.collect::<Vec<_>>().join(", "),
        requirements: model.requirements.len() + fair_rules,
        space: None,
        failure: None,
        states: Vec::new(),
        formulas: Vec::new(),
        warnings: Vec::new(),
    };
    check_model(&model, &mut made);
    made
}

fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or(text.to_owned(), |(first, _)| format!("{first}."))
}

fn check_model(model: &Model, made: &mut Exhibit) {
    let system = CompiledModel::new(model);
    let asked = explore::Options {
        deadlock: Deadlock::Stuck,
        expand_violating: true,
        most_states: Some(MOST_REPRESENTATIVES),
        threads: 1,
        symmetry: Symmetry::Canonical,
        ..explore::Options::default()
    };
    let found = explore::explore(&system, &asked, &isonomy::Watch::none());
    if found.stopped.is_some() {
        return;
    }
    made.failure = found.violations.iter().find_map(|one| match &one.kind {
        ViolationKind::Failure(failure) => Some(failure.message.clone()),
        _ => None,
    });
    let full = found.full.expect("canonical representatives are counted");
    made.space = Some(Space {
        states: full.states.to_string(),
        representatives: found.progress.states,
        steps: full.steps.to_string(),
        deadlocks: full.deadlocks.to_string(),
    });
    if made.failure.is_some() {
        return;
    }
    state_properties(model, &system, made);
    let named: Vec<&Formula> = model.formulas.iter().collect();
    let mut verdicts = vec![vec![None; NOTIONS.len()]; named.len()];
    for (column, (_, fairness, over)) in NOTIONS.into_iter().enumerate() {
        let demand = Demand { fairness, over, declared: true };
        let options = check::Options {
            demand,
            finds_vacuity: true,
            longest_cycle: 100,
            ..check::Options::default()
        };
        let asked: Vec<usize> =
            (0..named.len()).filter(|&k| is_asked(named[k], fairness, over)).collect();
        let formulas: Vec<&Formula> = asked.iter().map(|&k| named[k]).collect();
        let outcomes = check_all(&system, &formulas, &options, &isonomy::Watch::none());
        for (&k, outcome) in asked.iter().zip(outcomes) {
            let outcome = outcome.expect("the judge agrees");
            let mut shown = verdict(&outcome.verdict).to_owned();
            for warning in &outcome.warnings {
                if let Some(told) = told(warning) {
                    shown.push('*');
                    if !made.warnings.contains(&told) {
                        made.warnings.push(told);
                    }
                }
            }
            verdicts[k][column] = Some(shown);
        }
    }
    made.formulas = named
        .iter()
        .zip(verdicts)
        .map(|(one, verdicts)| (one.name.clone().unwrap_or_default(), one.text.clone(), verdicts))
        .collect();
}

/// Whether a formula does not have another notion of its own.
fn is_asked(formula: &Formula, fairness: Fairness, over: Over) -> bool {
    formula.under.is_none_or(|(own, of)| own == fairness && of.unwrap_or(Over::Processes) == over)
}

fn verdict(verdict: &check::Verdict) -> &'static str {
    match verdict {
        check::Verdict::Holds => "holds",
        // Of the second, the run is too long to be told, but there is one.
        check::Verdict::Violated(_) | check::Verdict::Unknown(Reason::LargeComponent(_)) => {
            "violated"
        }
        check::Verdict::Failed(_) => "error",
        check::Verdict::Unknown(_) => "unknown",
    }
}

/// What is worth a word on this page.
fn told(warning: &check::Warning) -> Option<String> {
    Some(match warning {
        check::Warning::Tautology => "true of all models".to_owned(),
        check::Warning::NoInstance => "there are no values to speak of".to_owned(),
        check::Warning::NoRun => "there is no run".to_owned(),
        check::Warning::NoFairRun => "no run is fair".to_owned(),
        check::Warning::Vacuous(part) => format!("`{part}` is never true where it matters"),
        check::Warning::SingleProcess => return None,
    })
}

fn state_properties(model: &Model, system: &CompiledModel<'_>, made: &mut Exhibit) {
    let properties: Vec<PropertyId> = (0..model.properties.len() as u32)
        .map(PropertyId)
        .filter(|id| {
            let one = &model.properties[id.0 as usize];
            !one.is_statement && one.kind != PropertyKind::Assume
        })
        .collect();
    let options = states::Options {
        properties: properties.clone(),
        deadlock: Deadlock::Off,
        symmetry: Symmetry::Canonical,
        most_states: None,
        threads: 1,
    };
    let outcome = states::check_states(system, &options, &isonomy::Watch::none());
    for (id, answer) in properties.iter().zip(outcome.answers) {
        let one = &model.properties[id.0 as usize];
        let kind = match one.kind {
            PropertyKind::Invariant => "invariant",
            PropertyKind::Assert => "assert",
            PropertyKind::Cover => "cover",
            _ => "liveness",
        };
        let verdict = match answer.verdict {
            states::Verdict::Holds => "holds",
            states::Verdict::Violated(_) => "violated",
            states::Verdict::Misjudged(_) => panic!("{}: misjudged", made.name),
            states::Verdict::Unknown(_) => "unknown",
        };
        made.states.push((kind.to_owned(), one.name.clone().unwrap_or_default(), verdict));
    }
}

/// Whether a model shows or provokes one thing, and has a line of a table.
pub fn is_small(one: &Exhibit) -> bool {
    SMALL.iter().any(|(start, ..)| one.name.starts_with(start))
}

/// The page.
pub fn page(exhibits: &[Exhibit]) -> String {
    let mut page = format!(
        "# Gallery\n\n\
         The models that Isonomy is tested with, and what is true of them. This page is made by a program:\n\n\
         ```sh\ncargo run --example gallery --release > docs/gallery.md\n```\n\n\
         Constants are those of the files; `-D` changes them. *States* are all reachable ones, *representatives* those\n\
         up to symmetry. The columns are notions of [fairness](fairness.md): none; weak and strong, over processes and over\n\
         events; global. What a model declares (justice, compassion, fair rules) counts in all of them. A formula that says\n\
         itself under which fairness it is to hold has a verdict in that column only. A verdict with a star holds for a\n\
         reason that its reader should know. Models of more than {MOST_REPRESENTATIVES} representatives are not checked here.\n\n"
    );
    for one in exhibits.iter().filter(|one| !is_small(one)) {
        section(&mut page, one);
    }
    for (start, title, words) in SMALL {
        let _ = write!(page, "## {title}\n\n{words}\n\n");
        page += "| model | | states | representatives | result |\n|---|---|---|---|---|\n";
        for one in exhibits.iter().filter(|one| one.name.starts_with(start)) {
            row(&mut page, one);
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn section(page: &mut String, one: &Exhibit) {
    let name = &one.name;
    let _ = write!(page, "## {name}\n\n{} [{name}.m](../{})\n\n", one.description, one.file);
    let mut facts = Vec::new();
    for (what, shown) in [("Constants", &one.constants), ("Index types", &one.symmetry)] {
        if !shown.is_empty() {
            facts.push(format!("{what}: {shown}."));
        }
    }
    if one.requirements > 0 {
        facts.push("The model declares fairness.".to_owned());
    }
    match &one.space {
        None => facts
            .push(format!("More than {MOST_REPRESENTATIVES} representatives: not checked here.")),
        Some(space) => {
            let Space { states, representatives, steps, deadlocks } = space;
            let stuck = if deadlocks == "0" {
                String::new()
            } else {
                format!(", {deadlocks} of them without a step")
            };
            facts.push(format!(
                "{states} states{stuck}, {representatives} representatives, {steps} steps."
            ));
        }
    }
    facts.extend(one.failure.as_ref().map(|failure| format!("A run-time error: {failure}.")));
    let _ = write!(page, "{}\n\n", facts.join("\n"));
    if !one.states.is_empty() {
        page.push_str("| property of states | |\n|---|---|\n");
        for (kind, name, verdict) in &one.states {
            let _ = writeln!(page, "| {kind} \"{name}\" | {verdict} |");
        }
        page.push('\n');
    }
    if !one.formulas.is_empty() {
        let titles: Vec<_> = NOTIONS.iter().map(|(title, ..)| *title).collect();
        let _ = writeln!(
            page,
            "| formula | {} |\n|---|{}",
            titles.join(" | "),
            "---|".repeat(NOTIONS.len())
        );
        for (name, formula, verdicts) in &one.formulas {
            let shown: Vec<_> = verdicts.iter().map(|one| one.as_deref().unwrap_or("")).collect();
            let formula = formula.replace('|', "\\|");
            let _ = writeln!(page, "| \"{name}\": `{formula}` | {} |", shown.join(" | "));
        }
        page.push('\n');
    }
    if !one.warnings.is_empty() {
        let _ = write!(page, "\\* {}\n\n", one.warnings.join("; "));
    }
}

fn row(page: &mut String, one: &Exhibit) {
    let (states, representatives) = match &one.space {
        Some(space) => (space.states.clone(), space.representatives.to_string()),
        None => ("many".to_owned(), "many".to_owned()),
    };
    let mut results: Vec<String> = Vec::new();
    if one.name.starts_with("trap_") {
        results.push(one.symmetry.clone());
    }
    results.extend(one.failure.as_ref().map(|failure| format!("error: {failure}")));
    results.extend(
        one.states.iter().map(|(kind, name, verdict)| format!("{kind} \"{name}\" {verdict}")),
    );
    results.extend(one.formulas.iter().map(|(name, _, verdicts)| {
        let first = verdicts.iter().flatten().next().map_or("", |one| one);
        format!("ltl \"{name}\" {first}")
    }));
    let _ = writeln!(
        page,
        "| [{}](../{}) | {} | {states} | {representatives} | {} |",
        one.name,
        one.file,
        one.description.replace('|', "\\|"),
        results.join("; ").replace('|', "\\|"),
    );
}
