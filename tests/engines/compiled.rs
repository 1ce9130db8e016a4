//! Compiled code against the reference interpreter, step by step: every fixture and random models.
//!
//! The states are those that the interpreter reaches, so that a mistake of compiled code cannot hide
//! states from the comparison.
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.

mod guards;
mod multisets;
mod pitfalls;

use compile::cells::{flatten, flatten_state, state_of};
use compile::{Backend, CompiledModel};
use engine::system::{Steps, System, Worker};
use isonomy::explore::{Deadlock, Exploration, Options, Symmetry, explore};
use model::check;
use model::checked::{Model, PropertyId, Scope};
use model::generate::{self, model as random_model};
use model::interpret::{Event, Failure, Interpreter, State};
use model::syntax::PropertyKind;
use std::collections::{HashSet, VecDeque};
use support::headers::fixtures;
use support::many::cases;

/// How much was compared.
#[derive(Default, Debug)]
struct Compared {
    models: usize,
    states: usize,
    steps: usize,
    failures: usize,
    covered: usize,
    properties: usize,
    violated: usize,
    /// Rules that are left to the interpreter, and all.
    interpreted: usize,
    rules: usize,
    /// Rules that have native code.
    native: usize,
}

/// Compares all that is known of the first `most` states of a model.
fn compare(name: &str, model: &Model, most: usize, compared: &mut Compared) {
    let system = CompiledModel::with_backend(model, Backend::Native);
    let closures = CompiledModel::with_backend(model, Backend::Closures);
    let mut comparison = Comparison {
        name,
        model,
        interpreter: Interpreter::new(model),
        worker: system.worker(),
        closures: closures.worker(),
        without: &closures,
        system: &system,
        compared,
    };
    comparison.compared.models += 1;
    comparison.compared.interpreted += system.interpreted();
    comparison.compared.rules += model.rules.len();
    comparison.compared.native += system.native();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::new();
    for start in comparison.interpreter.starts().flatten().take(most) {
        if seen.insert(start.state.clone()) {
            queue.push_back(start.state);
        }
    }
    while let Some(state) = queue.pop_front() {
        for target in comparison.state(&state) {
            if seen.len() < most && seen.insert(target.clone()) {
                queue.push_back(target);
            }
        }
    }
}

struct Comparison<'c> {
    name: &'c str,
    model: &'c Model,
    interpreter: Interpreter<'c>,
    system: &'c CompiledModel<'c>,
    /// The same without native code.
    without: &'c CompiledModel<'c>,
    worker: Box<dyn Worker + 'c>,
    /// Of the system without native code.
    closures: Box<dyn Worker + 'c>,
    compared: &'c mut Compared,
}

/// The rule, the cells of its arguments, the target.
type Step = (usize, Vec<i64>, State);

/// What the interpreter says of the steps out of a state.
#[derive(Default)]
struct Expected {
    steps: Vec<Step>,
    fired: u64,
    failures: Vec<Failure>,
    covered: HashSet<PropertyId>,
}

impl Comparison<'_> {
    /// Compares everything about one state; where it leads.
    fn state(&mut self, state: &State) -> Vec<State> {
        self.compared.states += 1;
        let packed = self.packed(state);
        self.properties(state, &packed);
        self.steps(state, &packed)
    }

    fn context(&self, state: &State) -> String {
        format!("{}: in the state\n{}", self.name, state.show(self.model))
    }

    /// The packed state; that the way there and back is the identity is seen on the way.
    fn packed(&self, state: &State) -> Vec<u64> {
        let layout = self.system.layout();
        let mut cells = Vec::new();
        flatten_state(self.model, state, &mut cells);
        assert_eq!(cells.len(), layout.cells(), "{}", self.context(state));
        assert_eq!(&state_of(self.model, &cells), state, "{}", self.context(state));
        let mut packed = vec![0; layout.words()];
        layout.pack(&cells, &mut packed);
        let mut unpacked = vec![0; layout.cells()];
        layout.unpack(&packed, &mut unpacked);
        assert_eq!(unpacked, cells, "{}", self.context(state));
        packed
    }

    fn unpacked(&self, packed: &[u64]) -> State {
        let layout = self.system.layout();
        let mut cells = vec![0; layout.cells()];
        layout.unpack(packed, &mut cells);
        state_of(self.model, &cells)
    }

    fn properties(&mut self, state: &State, packed: &[u64]) {
        let mut assumed = Ok(true);
        for (k, property) in self.model.properties.iter().enumerate() {
            if property.is_statement {
                continue;
            }
            let id = PropertyId(k as u32);
            let each: Vec<_> = match self.interpreter.instances_of(state, id) {
                Ok(all) => all.into_iter().map(|one| one.holds).collect(),
                Err(failure) => vec![Err(failure)],
            };
            let is_violated = each.iter().any(|one| *one != Ok(true));
            let answers = self.worker.property(packed, id).into_iter();
            let answers: Vec<_> =
                answers.map(|one| one.map_err(|fault| self.system.failure(fault))).collect();
            let said = (self.worker.is_violated(packed, id), answers);
            let chooses = property.scope.iter().any(|one| matches!(one, Scope::Choose { .. }));
            if chooses && matches!(property.kind, PropertyKind::Invariant | PropertyKind::Assume) {
                // What the instances with equal parameters say is said at once.
                let said = (said.0, said.1.iter().any(|one| *one != Ok(true)));
                let wanted = (is_violated, is_violated);
                assert_eq!(said, wanted, "property {k}, {}", self.context(state));
            } else {
                assert_eq!(said, (is_violated, each), "property {k}, {}", self.context(state));
            }
            let without = self.closures.is_violated(packed, id);
            assert_eq!(without, is_violated, "closures, property {k}, {}", self.context(state));
            if property.kind == PropertyKind::Assume && assumed == Ok(true) {
                assumed = self.interpreter.holds(state, id);
            }
            self.compared.properties += 1;
            self.compared.violated += usize::from(is_violated);
        }
        let said = self.worker.is_assumed(packed).map_err(|fault| self.system.failure(fault));
        assert_eq!(said, assumed, "{}", self.context(state));
        let said = self.closures.is_assumed(packed).map_err(|fault| self.without.failure(fault));
        assert_eq!(said, assumed, "closures, {}", self.context(state));
    }

    fn steps(&mut self, state: &State, packed: &[u64]) -> Vec<State> {
        let expected = self.expected(state);
        let mut found = Steps::default();
        self.worker.expand(packed, &mut found);
        let mut without = Steps::default();
        self.closures.expand(packed, &mut without);
        assert_eq!(
            flat(self.system, &found),
            flat(self.without, &without),
            "native code, {}",
            self.context(state)
        );
        let words = self.system.layout().words();
        let mut steps: Vec<Step> = Vec::new();
        for (k, label) in found.labels.iter().enumerate() {
            let target = &found.targets[k * words..(k + 1) * words];
            assert_eq!(label.stutters, target == packed, "{}", self.context(state));
            let arguments = found.arguments_of(k).to_vec();
            steps.push((label.rule as usize, arguments, self.unpacked(target)));
        }
        assert_eq!(found.targets.len(), steps.len() * words, "{}", self.context(state));
        let mut wanted = expected.steps;
        wanted.sort();
        steps.sort();
        assert_eq!(steps, wanted, "{}", self.context(state));
        assert_eq!(found.fired, expected.fired, "fired, {}", self.context(state));
        let failures: Vec<_> = found.faults.iter().map(|&one| self.system.failure(one)).collect();
        assert_eq!(failures, expected.failures, "{}", self.context(state));
        let covered: HashSet<PropertyId> = found.covered.iter().copied().collect();
        assert_eq!(covered, expected.covered, "covered, {}", self.context(state));
        self.compared.steps += steps.len();
        self.compared.failures += found.faults.len();
        self.compared.covered += covered.len();
        steps.into_iter().map(|(_, _, target)| target).collect()
    }

    /// By definition: all enabled instances fired, equal steps once.
    fn expected(&self, state: &State) -> Expected {
        let mut expected = Expected::default();
        let instances = match self.interpreter.instances(state) {
            Ok(instances) => instances,
            Err(failure) => {
                expected.failures.push(failure);
                return expected;
            }
        };
        let mut seen = HashSet::new();
        for instance in instances {
            match self.interpreter.fire(state, &instance) {
                Err(failure) => expected.failures.push(failure),
                Ok(outcome) => {
                    expected.covered.extend(outcome.covered);
                    let Some(target) = outcome.target else { continue };
                    expected.fired += 1;
                    let arguments = self.arguments(&instance.event);
                    if seen.insert((instance.process, instance.event, target.clone())) {
                        expected.steps.push((instance.rule, arguments, target));
                    }
                }
            }
        }
        expected
    }

    fn arguments(&self, event: &Event) -> Vec<i64> {
        let parameters = &self.model.events[event.event.0 as usize].parameters;
        let mut cells = Vec::new();
        for (value, &(_, of)) in event.arguments.iter().zip(parameters) {
            flatten(&self.model.types, of, value, &mut cells);
        }
        cells
    }
}

/// Everything about steps, in order.
fn flat(system: &CompiledModel<'_>, steps: &Steps) -> impl PartialEq + std::fmt::Debug {
    let Steps { targets, labels, arguments, fired, faults, covered } = steps.clone();
    let failures: Vec<Failure> = faults.iter().map(|&fault| system.failure(fault)).collect();
    (targets, labels, arguments, fired, failures, covered)
}

#[test]
fn fixtures_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    for fixture in fixtures() {
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        // Its one step runs until its budget is spent.
        let most = if fixture.name == "fault_endless" { 1 } else { 400 };
        compare(&fixture.name, &model, most, &mut compared);
    }
    assert!(compared.states > 3_000 && compared.failures > 10, "too little: {compared:?}");
    assert!(2 * compared.native > compared.rules, "too little is native: {compared:?}");
}

#[test]
fn known_pitfalls_are_avoided() {
    let mut compared = Compared::default();
    for (name, text) in pitfalls::PITFALLS {
        let model = check(text, &[]).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        compare(name, &model, 400, &mut compared);
    }
    assert!(compared.covered > 0 && compared.failures > 0, "too little: {compared:?}");
    assert!(compared.violated > 0, "too little: {compared:?}");
}

/// What a quantifier leaves out is counted as if it were evaluated: what is too much for the interpreter is too much.
#[test]
fn what_is_left_out_counts() {
    for (size, is_too_much) in [(1_500, false), (3_300, true)] {
        let text = format!(
            "type p: 1..{size}; var a: array [p] of boolean;
             startstate clear a; end
             ruleset i: p do
               rule \"go\" a[i] | exists j: p do exists k: p do a[j] & a[k] end end ==> a[i] := true; end
             end
             invariant forall i: p do forall j: p do a[i] & a[j] -> i = j end end;"
        );
        let model = check(&text, &[]).expect("it is a model");
        let system = CompiledModel::with_backend(&model, Backend::Closures);
        let start = system.starts().next().expect("there is one").expect("nothing fails");
        let mut worker = system.worker();
        assert_eq!(worker.is_violated(&start, PropertyId(0)), is_too_much, "{size}");
        let mut steps = Steps::default();
        worker.expand(&start, &mut steps);
        assert_eq!(steps.faults.len(), usize::from(is_too_much), "{size}: {:?}", steps.faults);
    }
}

/// The same of what was evaluated for other instances: each of three conditions is not too much, nor are all of them for
/// those who know their values, but for the last instance they are.
#[test]
fn what_is_kept_counts() {
    let some = "(exists j: p do exists k: p do a[j] & a[k] end end)";
    let text = format!(
        "type p: 1..1900; var a: array [p] of boolean;
         startstate clear a; end
         ruleset i: 1..4 do
           rule \"go\"
             (i = 2 | i = 3 | !{some}) & (i = 1 | i = 3 | !{some}) & (i = 1 | i = 2 | !{some})
             ==> a[i] := true;
           end
         end"
    );
    let model = check(&text, &[]).expect("it is a model");
    let system = CompiledModel::with_backend(&model, Backend::Closures);
    let start = system.starts().next().expect("there is one").expect("nothing fails");
    let mut steps = Steps::default();
    system.worker().expand(&start, &mut steps);
    assert_eq!(steps.faults.len(), 1, "{:?}", steps.faults);
}

#[test]
fn random_models_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(3_000);
    for seed in 0..cases {
        let options = generate::Options { formulas: false, ..generate::Options::default() };
        let text = random_model(seed, &options);
        let Ok(model) = check(&text, &[]) else { continue };
        compare(&format!("seed {seed}\n{text}\n"), &model, 60, &mut compared);
    }
    let Compared { models, rules, interpreted, native, .. } = compared;
    assert!(models as u64 * 100 >= cases * 99, "too many are refused: {compared:?}");
    assert!(rules > 10 * interpreted, "too little is compiled: {compared:?}");
    assert!(2 * native > rules, "too little is native: {compared:?}");
}

#[test]
fn random_multisets_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(1_000);
    for seed in 0..cases {
        let text = multisets::model(seed);
        let Ok(model) = check(&text, &[]) else { continue };
        compare(&format!("seed {seed}\n{text}\n"), &model, 40, &mut compared);
    }
    let Compared { models, rules, native, steps, failures, covered, .. } = compared;
    assert!(models as u64 > cases / 2, "too many are refused: {compared:?}");
    assert!(10 * native > 9 * rules, "too little is native: {compared:?}");
    assert!(steps > 10 * models && failures > 0 && covered > 0, "too little: {compared:?}");
}

#[test]
fn random_guards_mean_what_the_interpreter_says() {
    let mut compared = Compared::default();
    let cases = cases(1_500);
    for seed in 0..cases {
        let text = guards::model(seed);
        let Ok(model) = check(&text, &[]) else { continue };
        compare(&format!("seed {seed}\n{text}\n"), &model, 25, &mut compared);
    }
    let Compared { models, rules, native, steps, failures, violated, .. } = compared;
    assert!(models as u64 > cases / 2, "too many are refused: {compared:?}");
    assert!(2 * native > rules, "too little is native: {compared:?}");
    assert!(
        steps > 10 * models && failures > models && violated > models,
        "too little: {compared:?}"
    );
}

#[test]
fn multisets_and_while_loops_have_native_code() {
    for name in [
        "msi_directory",
        "needham_schroeder",
        "producers_consumers",
        "tiny_multiset",
        "tiny_chosen_twice",
        "tiny_while",
    ] {
        let fixture = fixtures().into_iter().find(|one| one.name == name);
        let fixture = fixture.unwrap_or_else(|| panic!("there is no {name}"));
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        let system = CompiledModel::with_backend(&model, Backend::Native);
        assert_eq!(system.native(), model.rules.len(), "{name}");
    }
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    // The one step of `fault_endless` runs until its budget is spent, and is the same in each.
    for fixture in fixtures().into_iter().filter(|one| one.name != "fault_endless") {
        let model = check(&fixture.text, &[]).expect("a fixture is a model");
        for (deadlock, expand_violating, symmetry) in [
            (Deadlock::Stuck, true, Symmetry::Off),
            (Deadlock::Stuttering, false, Symmetry::Off),
            (Deadlock::Stuck, true, Symmetry::Canonical),
            (Deadlock::Stuttering, false, Symmetry::Sorted),
        ] {
            let explored = |threads| {
                // Some fixtures are too large for a test; they must stop at the same place.
                let most_states = Some(20_000);
                let options = Options {
                    deadlock,
                    expand_violating,
                    most_states,
                    threads,
                    symmetry,
                    ..Options::default()
                };
                told(&explore(&CompiledModel::new(&model), &options, &|_| None))
            };
            let alone = explored(1);
            for threads in [2, 3] {
                assert_eq!(explored(threads), alone, "{}: {threads} threads", fixture.name);
            }
        }
    }
}

/// All that an exploration says, but for how long it took.
fn told(found: &Exploration) -> String {
    let Exploration {
        progress,
        full,
        quotient,
        starts,
        deadlocks,
        covered,
        violations,
        stopped,
        time: _,
        memory,
        state_bytes,
    } = found;
    format!(
        "{progress:?} {full:?} {quotient:?} {starts} {deadlocks} {covered:?} {stopped:?} {memory} \
         {state_bytes} {violations:#?}"
    )
}
