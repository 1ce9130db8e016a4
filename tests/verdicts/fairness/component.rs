//! Globally fair runs that are told as components: the same verdicts as by brute force, and every lie is noticed.

use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::paths::judge_all_paths;
use isonomy::check::{Counterexample, Options, Reason, Verdict, check};
use judge::Renaming;
use model::check_with;
use model::checked::{Demand, Formula, Model};
use model::reference::Component;
use model::reference::ModelRenaming as _;
use model::reference::{ModelReference, Objection};
use model::syntax::{Fairness, Over};
use run::SplitMix64;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::Counts;
use suites::fairness::brute_force::{Reference, violates};
use suites::fairness::components::{self, Figures, QUESTIONS};
use suites::fairness::{schedules, system};
use support::many::{cases, in_parallel};

#[test]
fn components_are_told_exactly_where_brute_force_finds_a_fair_run() {
    let (counts, figures) = (Counts::default(), Figures::default());
    in_parallel(cases(1500) / QUESTIONS as u64, |seed| {
        components::ask_small_system(seed, &counts, &figures);
    });
    let Figures { holds, lassos, components, again, calculated } = figures;
    let [holds, lassos, components, again, calculated] =
        [holds, lassos, components, again, calculated].map(AtomicUsize::into_inner);
    eprintln!(
        "{holds} hold, {lassos} lassos, {components} components; in {again} of them places are the \
         same state again, in {calculated} after a calculation"
    );
    assert!(holds > 300 && components > 300 && lassos > 30, "too few were compared");
    assert!(again > 100 && calculated > 10, "too few were hard");
}

/// A model, and a component that violates one of its questions.
struct Case<'c> {
    model: &'c Model,
    demand: Demand,
    found: &'c Counterexample,
}

impl Case<'_> {
    fn judged(&self, formula: &Formula, component: &Component) -> Result<(), Objection> {
        let Counterexample { binding, run, .. } = self.found;
        let [found, again] =
            [ModelReference::new(self.model), ModelReference::paranoid(self.model)].map(|model| {
                judge_all_paths(&model, formula, binding, self.demand, (run, component), 20)
            });
        assert_eq!(found, again);
        found
    }
}

/// What is done to a component; none if nothing can be done, else whether it must be noticed.
type Lie = fn(&Case<'_>, &mut Component, &mut SplitMix64) -> Option<bool>;

const LIES: &[(&str, Lie)] = &[
    ("a step is missing", |_, component, random| {
        let (place, step) = some_step(component, random);
        let of = &mut component.places[place];
        let gone = of.steps.remove(step);
        let is_served = of.steps.iter().any(|step| step.action == gone.action);
        Some(!is_served && of.symmetries.is_empty() && of.again.is_empty())
    }),
    ("a step leads elsewhere", |case, component, random| {
        let (place, step) = some_step(component, random);
        let target = random.below(component.places.len());
        let before = behind(case, component, place, step);
        component.places[place].steps[step].target = target;
        Some(before != behind(case, component, place, step))
    }),
    ("the place that a step leads to is not there", |_, component, random| {
        let (place, step) = some_step(component, random);
        component.places[place].steps[step].target = component.places.len();
        Some(true)
    }),
    ("a step is renamed otherwise", |case, component, random| {
        let (place, step) = some_step(component, random);
        let by = swap(case.model, random)?;
        let before = behind(case, component, place, step);
        let renaming = &mut component.places[place].steps[step].renaming;
        *renaming = renaming.after(&by);
        Some(before != behind(case, component, place, step))
    }),
    ("somebody else acts", |case, component, random| {
        let (place, step) = some_step(component, random);
        let by = swap(case.model, random)?;
        let (process, event) = component.places[place].steps[step].action.clone()?;
        let other = (by.process(&process), by.event(case.model, &event));
        if other == (process, event) {
            return None;
        }
        component.places[place].steps[step].action = Some(other);
        // It may be a step, too, and lead to the same state.
        Some(false)
    }),
    ("nobody acts", |_, component, random| {
        let (place, step) = some_step(component, random);
        component.places[place].steps[step].action.take()?;
        Some(true)
    }),
    ("a state is another one", |_, component, random| {
        let (place, other) =
            (random.below(component.places.len()), random.below(component.places.len()));
        let state = component.places[other].state.clone();
        let before = std::mem::replace(&mut component.places[place].state, state);
        Some(before != component.places[place].state)
    }),
    ("a place is missing", |_, component, random| {
        let gone = random.below(component.places.len());
        component.places.remove(gone);
        for place in &mut component.places {
            place.steps.retain(|step| step.target != gone);
            place.again.retain(|again| again.place != gone);
            for step in &mut place.steps {
                step.target -= usize::from(step.target > gone);
            }
            for again in &mut place.again {
                again.place -= usize::from(again.place > gone);
            }
        }
        // What is left may be a component, if the formula has made two places of one state.
        Some(component.places.is_empty())
    }),
    ("a symmetry is none", |case, component, random| {
        let by = swap(case.model, random)?;
        let place = random.below(component.places.len());
        let place = &mut component.places[place];
        let is_none = by.state(case.model, &place.state) != place.state;
        place.symmetries.push(by);
        Some(is_none)
    }),
    ("another place is not the same state again", |_, component, random| {
        let place = random.below(component.places.len());
        let states: Vec<_> = component.places.iter().map(|place| place.state.clone()).collect();
        let again = component.places[place].again.first_mut()?;
        let before = std::mem::replace(&mut again.place, random.below(states.len()));
        Some(states[again.place] != states[before])
    }),
    ("nothing is the same state again", |_, component, random| {
        let place = random.below(component.places.len());
        let is_needed = !component.places[place].again.is_empty();
        component.places[place].again.clear();
        is_needed.then_some(component.places[place].symmetries.is_empty())
    }),
    ("nothing is calculated", |_, component, _| {
        let is_needed = !component.elements.is_empty();
        component.elements.clear();
        is_needed.then_some(true)
    }),
    ("places come in another order", |_, component, _| {
        component.places.reverse();
        let is_changed = component.places.len() > 1;
        Some(is_changed && component.places[0].state != component.places.last()?.state)
    }),
];

/// A step of a place.
fn some_step(component: &Component, random: &mut SplitMix64) -> (usize, usize) {
    let place = random.below(component.places.len());
    (place, random.below(component.places[place].steps.len()))
}

/// The state behind a step, as it is claimed.
fn behind(
    case: &Case<'_>,
    component: &Component,
    place: usize,
    step: usize,
) -> model::interpret::State {
    let step = &component.places[place].steps[step];
    step.renaming.state(case.model, &component.places[step.target].state)
}

/// Swaps two values of an index type, if there are two.
fn swap(model: &Model, random: &mut SplitMix64) -> Option<Renaming> {
    let types = &model.types.index_types;
    let of = random.below(types.len().max(1));
    let size = types.get(of).filter(|of| of.size > 1)?.size;
    let mut images: Vec<Vec<u32>> = types.iter().map(|of| (0..of.size).collect()).collect();
    let first = random.below(size as usize);
    images[of].swap(first, (first + 1) % size as usize);
    Renaming::new(images)
}

/// The formula that is true where this one is not.
fn negated(formula: &Formula) -> Formula {
    let mut negated = formula.clone();
    negated.root = negated.formulas.not(formula.root);
    negated
}

#[test]
fn lies_are_noticed() {
    let told = AtomicUsize::new(0);
    let lies: Vec<[AtomicUsize; 2]> = LIES.iter().map(|_| Default::default()).collect();
    let of_others = AtomicUsize::new(0);
    in_parallel(cases(1500) / QUESTIONS as u64, |seed| {
        let (context, model) = if seed % 3 > 0 { system(seed) } else { schedules::system(seed) };
        let Some(reference) = Reference::new(&model, 60) else { return };
        let mut random = SplitMix64::new(seed ^ 0x11e);
        let demand = Demand { fairness: Fairness::Global, over: Over::Processes, declared: true };
        let system = CompiledModel::new(&model);
        let options = Options { demand, longest_cycle: 0, ..Options::default() };
        for formula in &model.questions {
            let found = check(&system, formula, &options, &isonomy::Watch::none())
                .expect("it stands the test");
            let Verdict::Violated(found) = found.verdict else { continue };
            let component = found.component.as_ref().expect("no lasso has no steps");
            let case = Case { model: &model, demand, found: &found };
            told.fetch_add(1, Ordering::Relaxed);
            assert_eq!(case.judged(formula, component), Ok(()), "{context}");
            assert!(case.judged(&negated(formula), component).is_err(), "{context}");
            // What a component says about one formula it must not say about one that holds.
            let others = model.questions.iter().filter(|other| {
                other.tracked.is_empty()
                    && formula.tracked.is_empty()
                    && violates(&reference, other, demand) == Some(false)
            });
            let others: Vec<&Formula> = others.collect();
            for other in &others {
                assert!(case.judged(other, component).is_err(), "{} of {context}", other.text);
                of_others.fetch_add(1, Ordering::Relaxed);
            }
            for ((name, lie), [lies, noticed]) in LIES.iter().zip(&lies) {
                let mut changed = component.clone();
                let Some(must_be_noticed) = lie(&case, &mut changed, &mut random) else { continue };
                let judged = case.judged(formula, &changed);
                lies.fetch_add(1, Ordering::Relaxed);
                noticed.fetch_add(usize::from(judged.is_err()), Ordering::Relaxed);
                let about = || format!("{name}: {changed:#?}\nof {} of {context}", formula.text);
                assert!(judged.is_err() || !must_be_noticed, "{}", about());
                for other in &others {
                    assert!(case.judged(other, &changed).is_err(), "{} {}", other.text, about());
                }
            }
        }
    });
    let mut all = 0;
    for ((name, _), [lies, noticed]) in LIES.iter().zip(lies) {
        let (lies, noticed) = (lies.into_inner(), noticed.into_inner());
        eprintln!("{name}: {noticed} of {lies}");
        all += noticed;
    }
    let (told, of_others) = (told.into_inner(), of_others.into_inner());
    eprintln!("{told} components, {of_others} formulas that hold, {all} lies noticed");
    assert!(told > 100 && of_others > 20 && all > 500, "too few");
}

fn told(text: &str, formula: &str, reduction: Reduction) -> Box<Counterexample> {
    let model = check_with(text, &[], &[formula]);
    let model = model.unwrap_or_else(|errors| panic!("{errors:?}: {formula} of {text}"));
    let demand = Demand { fairness: Fairness::Global, over: Over::Processes, declared: true };
    let options = Options { reduction, demand, longest_cycle: 0, ..Options::default() };
    let system = CompiledModel::new(&model);
    let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none());
    match found.expect("it stands the test").verdict {
        Verdict::Violated(found) => found,
        other => panic!("{other:?}: {formula} of {text}"),
    }
}

/// All are flipped at once, by one event or the other, and the formula knows by which: of the two places that are one
/// state each takes one event only.
#[test]
fn one_state_may_be_several_places() {
    let in_pairs = "!(@a & X @a & G((@a <-> X X @b) & (@b <-> X X @a)))";
    for reduction in [Reduction::Off, Reduction::Canonical] {
        let found = told(super::named::FLIP, in_pairs, reduction);
        let component = found.component.expect("no lasso has no steps");
        assert!(component.places.iter().all(|place| place.steps.len() == 1));
        assert!(component.places.iter().all(|place| place.again.len() == 1), "{component:#?}");
    }
}

/// A model of the fixtures with this many of something.
fn fixture(name: &str, number: u64) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let text = std::fs::read_to_string(folder.join(name)).expect("a model");
    let sized = text.replace("const N: 3;", &format!("const N: {number};"));
    assert_ne!(text, sized, "N is 3 where nothing else is said");
    sized
}

#[test]
fn large_components_are_told() {
    for (model, number, formula, places) in [
        // 22 · 2^20 states.
        ("resource_controller.m", 20, "forall c: client. F G st[c] != K", 162),
        (
            "resource_controller.m",
            20,
            "forall distinct c, d: client. G(@grant(c) -> X !@access(c))",
            1,
        ),
        ("peterson.m", 4, "forall i: proc. F G pc[i] != Critical", 1),
    ] {
        let text = fixture(model, number);
        let model = check_with(&text, &[], &[formula]).expect("a model");
        let demand = Demand { fairness: Fairness::Global, over: Over::Processes, declared: true };
        let options = Options { demand, ..Options::default() };
        let system = CompiledModel::new(&model);
        let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none());
        let Verdict::Violated(found) = found.expect("it stands the test").verdict else {
            panic!("{formula} is violated");
        };
        let component = found.component.expect("it is too large for a lasso");
        eprintln!("{formula}: {} places, {} steps", component.places.len(), component.steps());
        assert!(component.places.len() >= places);
        let options = Options { largest_component: 100, ..options };
        let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none())
            .expect("it is right");
        assert!(matches!(found.verdict, Verdict::Unknown(Reason::LargeComponent(100))));
    }
}
