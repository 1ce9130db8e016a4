//! Any text as a model: it is read and printed, checked, and, if it is a small model, executed.
//!
//! - What is read without errors is printed, and the print is read as the same tree and printed the same.
//! - Every message is about a place in the text.
//! - The print of a model is a model with the same states.
//! - Compiled code says of the first states what the interpreter says.
//! - Explorations with and without symmetry count the same states.
//! - No counterexample of a formula is rejected by the judge.

use super::choices::Choices;
use super::{check_message, tokens, with_large_stack};
use crate::compiled::{self, Compared, guards, multisets};
use crate::systems;
use automata::StopReason;
use compile::CompiledModel;
use isonomy::check::Options as CheckOptions;
use isonomy::explore::{Options, Symmetry, explore};
use model::checked::{Model, ParameterDomain, PropertyId, Scope};
use model::generate;
use model::interpret::{Interpreter, State};
use model::parser::{Parsed, parse};
use model::printer::print;
use run::{Progress, Watch};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longer texts say no more.
const LONGEST: usize = 8192;

/// States that are looked at.
const MOST_STATES: usize = 12;

/// Values of all parameters around a rule, a start state or a property.
const MOST_INSTANCES: u64 = 500;

/// Simple parts of a state.
const MOST_CELLS: u64 = 200;

/// How often the interpreter may ask whether to go on.
const MOST_QUESTIONS: u64 = 200;

const WORDS: [&str; 107] = [
    "const",
    "type",
    "var",
    "startstate",
    "rule",
    "ruleset",
    "process",
    "fair",
    "strongly",
    "begin",
    "end",
    "do",
    "if",
    "then",
    "elsif",
    "else",
    "switch",
    "case",
    "for",
    "while",
    "to",
    "by",
    "return",
    "error",
    "assert",
    "assume",
    "put",
    "clear",
    "undefine",
    "isundefined",
    "ismember",
    "forall",
    "exists",
    "choose",
    "alias",
    "function",
    "procedure",
    "invariant",
    "cover",
    "liveness",
    "ltl",
    "justice",
    "compassion",
    "under",
    "weak",
    "strong",
    "global",
    "fairness",
    "over",
    "events",
    "distinct",
    "scalarset",
    "ring",
    "undirected",
    "enum",
    "record",
    "array",
    "of",
    "union",
    "multiset",
    "boolean",
    "true",
    "false",
    "MultiSetAdd",
    "MultiSetRemove",
    "MultiSetCount",
    "count",
    "sum",
    "queue",
    "set",
    "insert",
    "size",
    "in",
    "push",
    "pop",
    "head",
    "length",
    "next",
    "prev",
    "adjacent",
    ":=",
    "==>",
    ":",
    ";",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
    "%",
    "=",
    "!=",
    "<",
    "&",
    "|",
    "->",
    "!",
    "?",
    "0",
    "1",
    "3",
];

/// What must be true of any bytes.
pub fn check(bytes: &[u8]) {
    if let Some(text) = tokens::text(bytes, &WORDS, base).filter(|text| text.len() <= LONGEST) {
        with_large_stack(|| check_text(&text));
    }
}

/// A model, most of the time.
fn base(choices: &mut Choices<'_>) -> String {
    let kind = choices.below(6);
    let seed = choices.number().into();
    let small = generate::Options { index_types: 1, largest: 3, ..Default::default() };
    match kind {
        0 => guards::model(seed),
        1 => multisets::model(seed),
        2 => {
            let case = systems::case(seed, 1);
            let questions = case.questions.iter().map(|one| format!("ltl \"asked\": {one};\n"));
            case.text + &case.requirements + &questions.collect::<String>()
        }
        3 => generate::model(seed, &generate::Options::default()),
        _ => generate::model(seed, &small),
    }
}

fn check_text(text: &str) {
    let Parsed { model: tree, errors } = parse(text);
    for error in &errors {
        check_message(text, error);
    }
    let checked = model::check(text, &[]);
    match &checked {
        Ok(model) => model.warnings.iter().for_each(|warning| check_message(text, warning)),
        Err(errors) => {
            assert!(!errors.model.is_empty(), "no error, and no model: {text}");
            errors.model.iter().for_each(|error| check_message(text, error));
        }
    }
    if !errors.is_empty() {
        assert!(checked.is_err(), "a model with errors in its syntax: {text}");
        return;
    }
    let printed = print(&tree);
    let again = parse(&printed);
    assert_eq!(again.errors, [], "in the print of {text}:\n{printed}");
    assert_eq!(again.model.items, tree.items, "the print of {text}:\n{printed}");
    assert_eq!(print(&again.model), printed, "the second print of {text}");
    if let Ok(model) = checked {
        check_model(text, &model, &printed);
    }
}

/// What must be true of a model that can be executed in no time.
fn check_model(text: &str, model: &Model, printed: &str) {
    let again = model::check(printed, &[]);
    let again = again.unwrap_or_else(|errors| panic!("{errors:?} in the print of {text}"));
    if !is_small(model) {
        return;
    }
    let Ok(states) = patient(MOST_QUESTIONS).over(|| first_states(model)) else { return };
    let printed = patient(2 * MOST_QUESTIONS).over(|| first_states(&again));
    assert_eq!(printed.as_ref(), Ok(&states), "the print of {text}");
    compiled::compare(text, model, MOST_STATES, &mut Compared::default());
    check_counts(text, model);
    check_formulas(text, model);
}

/// Whether there are few instances of everything, and few parts of a state.
fn is_small(model: &Model) -> bool {
    let scopes = model.rules.iter().map(|one| &one.scope);
    let scopes = scopes.chain(model.starts.iter().map(|one| &one.scope));
    let mut scopes = scopes.chain(model.properties.iter().map(|one| &one.scope));
    let cells = model.variables.iter().map(|one| model.types.cells(one.of));
    let groups = model.formulas.iter().map(|one| &one.tracked);
    let mut groups = groups.chain(model.requirements.iter().map(|one| &one.tracked));
    cells.fold(0, u64::saturating_add) <= MOST_CELLS
        && scopes.all(|scope| instances(model, scope) <= MOST_INSTANCES)
        && groups.all(|groups| {
            let sizes = groups.iter().flat_map(|group| {
                let size = model.types.size(group.of);
                group.locals.iter().map(move |_| size)
            });
            sizes.fold(1, u64::saturating_mul) <= MOST_INSTANCES
        })
}

/// An upper bound of the number of choices of values.
fn instances(model: &Model, scope: &[Scope]) -> u64 {
    let sizes = scope.iter().map(|one| match one {
        Scope::Parameter { domain: ParameterDomain::Type(of), .. } => {
            if model.types.is_simple(*of) { model.types.size(*of) } else { u64::MAX }
        }
        Scope::Parameter { domain: ParameterDomain::Steps { from, to, by }, .. } => {
            (from.abs_diff(*to) / by.unsigned_abs()).saturating_add(1)
        }
        Scope::Choose { .. } => 8,
        Scope::Alias { .. } => 1,
    });
    sizes.fold(1, u64::saturating_mul)
}

/// A watch that ends an evaluation after so many questions.
fn patient(questions: u64) -> Watch {
    let asked = AtomicU64::new(0);
    let is_last = move || asked.fetch_add(1, Ordering::Relaxed) >= questions;
    Watch::new(move |_| is_last().then_some(StopReason::Interrupted))
}

/// The first states, as people read them.
fn first_states(model: &Model) -> Vec<String> {
    let interpreter = Interpreter::new(model);
    let mut seen = HashSet::new();
    let mut open: VecDeque<State> = VecDeque::new();
    for start in interpreter.starts().take(MOST_STATES).flatten() {
        if seen.insert(start.state.clone()) {
            open.push_back(start.state);
        }
    }
    let mut shown = Vec::new();
    while let Some(state) = open.pop_front() {
        shown.push(state.show(model));
        for (k, property) in model.properties.iter().enumerate() {
            if !property.is_statement {
                // That it can be evaluated or fails is all that is wanted.
                let _ = interpreter.holds(&state, PropertyId(k as u32));
            }
        }
        for instance in interpreter.instances(&state).unwrap_or_default() {
            if let Ok(outcome) = interpreter.fire(&state, &instance)
                && let Some(target) = outcome.target
                && seen.len() < MOST_STATES
                && seen.insert(target.clone())
            {
                open.push_back(target);
            }
        }
    }
    shown
}

/// With and without symmetry there are as many states and steps.
fn check_counts(text: &str, model: &Model) {
    let system = CompiledModel::new(model);
    let began = Instant::now();
    let watch = Watch::new(move |_| {
        (began.elapsed() > Duration::from_secs(2)).then_some(StopReason::Interrupted)
    });
    let found = [Symmetry::Off, Symmetry::Canonical, Symmetry::Sorted].map(|symmetry| {
        let most_states = Some(100);
        let options = Options { symmetry, most_states, threads: 1, ..Options::default() };
        explore(&system, &options, &watch)
    });
    let [off, canonical, sorted] = &found;
    if off.stopped.is_none() && canonical.stopped.is_none() {
        assert_eq!(off.full, canonical.full, "counts of {text}");
    }
    if off.stopped.is_none() && sorted.stopped.is_none() {
        assert!(sorted.progress.states <= off.progress.states, "counts of {text}");
    }
}

/// Formulas have an answer that stands the test, or none.
fn check_formulas(text: &str, model: &Model) {
    let system = CompiledModel::new(model);
    let began = Instant::now();
    let watch = Watch::new(move |now: &Progress| {
        let is_long = now.product_nodes > 500 || began.elapsed() > Duration::from_secs(2);
        is_long.then_some(StopReason::Interrupted)
    });
    for formula in model.formulas.iter().take(2) {
        let found = isonomy::check::check(&system, formula, &CheckOptions::default(), &watch);
        assert!(found.is_ok(), "{found:?} about {} of {text}", formula.text);
    }
}
