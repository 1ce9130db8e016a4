//! Explorations under symmetry against brute force and against explorations without: all counts, what
//! is wrong and how often, runs that are runs and as short as without; the same for any number of
//! threads.

use crate::Counts;
use compile::CompiledModel;
use engine::explore::QuotientCounts;
use isonomy::explore::{
    Compression, Deadlock, Exploration, Full, Options, Symmetry, Violation, ViolationKind, explore,
};
use model::checked::{Model, PropertyId};
use model::interpret::{Interpreter, State};
use model::reference::Run;
use model::value::{Scalar, Value};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use support::orbits::{Figures, Graph, Renaming, figures, generators};
use support::random;

/// What is looked for; with these, nothing stops an exploration.
pub const OPTIONS: Options = Options {
    deadlock: Deadlock::Stuck,
    expand_violating: true,
    most_states: None,
    threads: 1,
    symmetry: Symmetry::Canonical,
    compression: Compression::None,
};

/// Checks the random model of a seed, if it has a symmetry.
pub fn random_model(seed: u64, counts: &Counts) {
    let found = random::symmetric_model(seed)
        .and_then(|(context, model)| check_random_model(&context, &model));
    match found {
        // The counts are one question, and so is each violation; they are asked without symmetry, with it and by
        // several threads.
        Some((_, violations)) => counts.add(1, 1 + violations, 6 * (1 + violations), 0),
        None => counts.add(1, 0, 0, 1),
    }
}

/// The same for a model: what it is like, and how much is wrong with it. None if it is too large.
pub fn check_random_model(context: &str, model: &Model) -> Option<(Figures, usize)> {
    let seed = context.len();
    let options = Options {
        deadlock: [Deadlock::Stuck, Deadlock::Stuttering, Deadlock::Off][seed % 3],
        expand_violating: seed.is_multiple_of(2),
        ..OPTIONS
    };
    check(context, model, &options, 250)
}

/// Checks all that is said about a model with up to so many states; how much is wrong with it. None
/// if there are more.
pub fn check(
    context: &str,
    model: &Model,
    options: &Options,
    most: usize,
) -> Option<(Figures, usize)> {
    let graph = Graph::of(model, options.deadlock, options.expand_violating, most)?;
    let expected = figures(model, &graph);
    let system = CompiledModel::new(model);
    let explored = |symmetry, threads| {
        explore(&system, &Options { symmetry, threads, ..*options }, &isonomy::Watch::none())
    };
    let all = explored(Symmetry::Off, 1);
    let found = explored(Symmetry::Canonical, 1);
    counts(context, &expected, &all, &found);
    let fired: Vec<BigUint> = graph.fired.iter().map(|&count| count.into()).collect();
    assert_eq!(all.rules, fired, "rules without symmetry: {context}");
    assert_eq!(found.rules, fired, "rules: {context}");
    same_wrongs(context, model, &all, &found);
    for violation in &found.violations {
        run(context, model, &graph, violation);
    }
    assert_eq!(found.covered, all.covered, "covered: {context}");
    assert_eq!(found.progress.depth, all.progress.depth, "depth: {context}");
    for threads in [2, 3] {
        let others = explored(Symmetry::Canonical, threads);
        assert_eq!(summary(&others), summary(&found), "{threads} threads: {context}");
    }
    let sorted = explored(Symmetry::Sorted, 1);
    same_wrongs_roughly(context, &all, &sorted);
    let between = expected.representatives as u64..=expected.states as u64;
    assert!(between.contains(&sorted.progress.states), "sorted: {context}");
    assert_eq!(sorted.covered, all.covered, "sorted, covered: {context}");
    assert_eq!(summary(&explored(Symmetry::Sorted, 2)), summary(&sorted), "sorted: {context}");
    for violation in &sorted.violations {
        run(context, model, &graph, violation);
    }
    Some((expected, found.violations.len()))
}

fn counts(context: &str, expected: &Figures, all: &Exploration, found: &Exploration) {
    let big = |number: usize| BigUint::from(number);
    let full = Full {
        states: big(expected.states),
        starts: big(expected.starts),
        steps: big(expected.steps),
        fired: BigUint::from(all.progress.fired),
        deadlocks: big(expected.deadlocks),
    };
    assert_eq!(found.full.as_ref(), Some(&full), "all: {context}");
    assert_eq!(all.full.as_ref(), Some(&full), "without symmetry: {context}");
    let counts = QuotientCounts {
        representatives: expected.representatives as u64,
        annotated_edges: expected.annotated as u64,
        kept_edges: Some(expected.kept as u64),
        orbit_edges: Some(expected.orbit_edges as u64),
    };
    assert_eq!(found.quotient, Some(counts), "quotient: {context}");
    assert_eq!(found.progress.states, expected.representatives as u64, "{context}");
    assert_eq!(found.progress.steps, expected.annotated as u64, "{context}");
    assert_eq!(found.starts, expected.start_representatives as u64, "{context}");
    assert_eq!(all.quotient, None, "{context}");
}

/// What is wrong, by what it is: how often, and the length of the run there.
type Wrong = BTreeMap<String, (BigUint, Option<usize>)>;

/// All that is wrong, but what is wrong for a choice of values.
fn plain_wrongs(found: &Exploration) -> Wrong {
    let mut wrong = Wrong::new();
    for Violation { kind, count, trace, .. } in &found.violations {
        let name = match kind {
            ViolationKind::Cover(..) | ViolationKind::Liveness(..) => continue,
            ViolationKind::Failure(failure) => format!("{:?} {:?}", failure.kind, failure.span),
            ViolationKind::Invariant(_) | ViolationKind::Deadlock => format!("{kind:?}"),
        };
        let length = trace.as_ref().map(|trace| trace.stem.len());
        let before = wrong.insert(name, (count.clone(), length));
        assert!(before.is_none(), "told twice: {kind:?}");
    }
    wrong
}

fn same_wrongs(context: &str, model: &Model, all: &Exploration, found: &Exploration) {
    assert_eq!(plain_wrongs(found), plain_wrongs(all), "{context}");
    // What is wrong for a choice of values is wrong for all that are like them, and told for one.
    let choices = |found: &Exploration| {
        let mut wrong = BTreeMap::new();
        for Violation { kind, count, trace, .. } in &found.violations {
            if let ViolationKind::Cover(id, k) | ViolationKind::Liveness(id, k) = *kind {
                let length = trace.as_ref().map(|trace| trace.stem.len());
                wrong.insert((id, k), (count.clone(), length));
            }
        }
        wrong
    };
    let (all, found) = (choices(all), choices(found));
    for (choice, what) in &found {
        assert_eq!(all.get(choice), Some(what), "{choice:?}: {context}");
    }
    for ((id, k), what) in &all {
        let alike = alike(model, *id, *k);
        let told: Vec<_> = alike.iter().filter_map(|&k| found.get(&(*id, k))).collect();
        assert_eq!(told, [what], "{id:?} {k} is told once: {context}");
    }
}

/// The choices of values around a property that the group leads to from one.
fn alike(model: &Model, property: PropertyId, choice: usize) -> Vec<usize> {
    if model.properties[property.0 as usize].is_statement {
        return vec![choice];
    }
    let interpreter = Interpreter::new(model);
    // Which values there are does not depend on the state.
    let undefined = model.variables.iter().map(|one| Value::undefined(&model.types, one.of));
    let some = State(undefined.collect());
    let all = interpreter.instances_of(&some, property).unwrap_or_default();
    let all: Vec<Vec<Value>> = all.into_iter().map(|one| one.arguments).collect();
    if all.is_empty() {
        return vec![choice];
    }
    let renamed = |g: &Renaming, value: &Value| match value {
        Value::Scalar(Scalar::Index(of, k)) => {
            Value::Scalar(Scalar::Index(*of, g.images[of.0 as usize][*k as usize]))
        }
        other => other.clone(),
    };
    let mut found = vec![choice];
    let mut next = 0;
    while next < found.len() {
        for g in generators(model) {
            let image: Vec<Value> = all[found[next]].iter().map(|one| renamed(&g, one)).collect();
            let there = all.iter().position(|one| *one == image).expect("choices are closed");
            if !found.contains(&there) {
                found.push(there);
            }
        }
        next += 1;
    }
    found
}

/// Where states are sorted only, how often something is wrong is not known.
fn same_wrongs_roughly(context: &str, all: &Exploration, sorted: &Exploration) {
    let roughly = |found: &Exploration| -> BTreeMap<String, Option<usize>> {
        let all = plain_wrongs(found).into_iter();
        all.map(|(name, (_, length))| (name, length)).collect()
    };
    assert_eq!(roughly(sorted), roughly(all), "sorted: {context}");
}

/// That the run to something wrong is one, from a start state, and that it is wrong there.
fn run(context: &str, model: &Model, graph: &Graph, violation: &Violation) {
    let Violation { kind, trace, .. } = violation;
    let Some(Run { stem: steps, end, .. }) = trace else { return };
    let states: Vec<_> = steps.iter().map(|step| &step.state).chain([end]).collect();
    let numbers: Vec<usize> = states
        .iter()
        .map(|state| *graph.numbers.get(state).unwrap_or_else(|| panic!("not reached: {context}")))
        .collect();
    assert!(graph.is_start[numbers[0]], "a run begins elsewhere: {context}");
    for (step, pair) in steps.iter().zip(numbers.windows(2)) {
        let is_it = |one: &support::orbits::Step| {
            one.target == pair[1] && step.action.as_ref() == Some(&(one.process, one.event.clone()))
        };
        assert!(graph.steps[pair[0]].iter().any(is_it), "no step: {step:?} {context}");
    }
    let last = numbers[numbers.len() - 1];
    let interpreter = Interpreter::new(model);
    match kind {
        ViolationKind::Deadlock => assert!(graph.is_deadlock[last], "no deadlock: {context}"),
        ViolationKind::Invariant(id) => {
            assert_eq!(interpreter.holds(end, *id), Ok(false), "it holds: {context}");
        }
        ViolationKind::Failure(failure) if failure.during.is_some() => {
            let of_guard = interpreter.instances(end).err();
            let of_body = interpreter.instances(end).unwrap_or_default();
            let of_body =
                of_body.into_iter().filter_map(|instance| interpreter.fire(end, &instance).err());
            let mut failures = of_guard.into_iter().chain(of_body);
            assert!(failures.any(|one| one == *failure), "no {failure:?}: {context}");
        }
        _ => {}
    }
}

/// All that must not depend on the number of threads.
fn summary(found: &Exploration) -> String {
    let wrong: Vec<_> =
        found.violations.iter().map(|one| (&one.kind, &one.count, &one.trace)).collect();
    let Exploration { progress, full, quotient, starts, deadlocks, rules, covered, .. } = found;
    format!(
        "{progress:?} {full:?} {quotient:?} {starts} {deadlocks} {rules:?} {covered:?} {wrong:?}"
    )
}
