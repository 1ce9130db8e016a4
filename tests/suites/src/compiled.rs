//! Compiled code against the reference interpreter, step by step.
//!
//! The states are those that the interpreter reaches, so that a mistake of compiled code cannot hide
//! states from the comparison.

pub mod guards;
pub mod multisets;

use crate::Counts;
use compile::cells::{flatten, flatten_state, state_of};
use compile::{Backend, CompiledModel};
use engine::system::{Steps, System, Worker};
use model::check;
use model::checked::{Model, PropertyId, Scope};
use model::generate;
use model::interpret::{Event, Failure, Interpreter, State};
use model::syntax::PropertyKind;
use std::collections::{HashSet, VecDeque};

/// Compares the random model of a seed.
pub fn random_model(seed: u64, counts: &Counts) {
    count(seed, compare_random_model, counts);
}

/// Compares a random model with many multisets.
pub fn random_multisets(seed: u64, counts: &Counts) {
    count(seed, compare_random_multisets, counts);
}

/// Compares a random model with nested guards.
pub fn random_guards(seed: u64, counts: &Counts) {
    count(seed, compare_random_guards, counts);
}

fn count(seed: u64, compare: fn(u64, &mut Compared), counts: &Counts) {
    let mut compared = Compared::default();
    compare(seed, &mut compared);
    let Compared { models, states, properties, steps, .. } = compared;
    // The steps of a state are one question, and each property of it is one.
    counts.add(1, states + properties, steps + properties, 1 - models);
}

/// The same as [`random_model`], and counts kinds.
pub fn compare_random_model(seed: u64, compared: &mut Compared) {
    let options = generate::Options { formulas: false, ..generate::Options::default() };
    compare_text(seed, &generate::model(seed, &options), 60, compared);
}

/// The same as [`random_multisets`], and counts kinds.
pub fn compare_random_multisets(seed: u64, compared: &mut Compared) {
    compare_text(seed, &multisets::model(seed), 40, compared);
}

/// The same as [`random_guards`], and counts kinds.
pub fn compare_random_guards(seed: u64, compared: &mut Compared) {
    compare_text(seed, &guards::model(seed), 25, compared);
}

/// Compares a model, unless the text is refused.
fn compare_text(seed: u64, text: &str, most: usize, compared: &mut Compared) {
    if let Ok(model) = check(text, &[]) {
        compare(&format!("seed {seed}\n{text}\n"), &model, most, compared);
    }
}

/// How much was compared.
#[derive(Default, Debug)]
pub struct Compared {
    pub models: usize,
    pub starts: usize,
    pub states: usize,
    pub steps: usize,
    pub failures: usize,
    pub covered: usize,
    pub properties: usize,
    pub violated: usize,
    /// Rules that are left to the interpreter, and all.
    pub interpreted: usize,
    pub rules: usize,
    /// Rules that have native code.
    pub native: usize,
}

/// Compares all that is known of the first `most` states of a model.
pub fn compare(name: &str, model: &Model, most: usize, compared: &mut Compared) {
    let system = CompiledModel::with_backend(model, Backend::Native);
    let executed = CompiledModel::with_backend(model, Backend::Executed);
    let mut comparison = Comparison {
        name,
        model,
        interpreter: Interpreter::new(model),
        worker: system.worker(),
        executed: executed.worker(),
        without: &executed,
        system: &system,
        compared,
    };
    comparison.compared.models += 1;
    comparison.compared.interpreted += system.interpreted();
    comparison.compared.rules += model.rules.len();
    comparison.compared.native += system.native();
    comparison.starts(most);
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
    executed: Box<dyn Worker + 'c>,
    compared: &'c mut Compared,
}

/// The rule, the cells of its arguments, the target.
type Step = (usize, Vec<i64>, State);

/// What the interpreter says of the steps out of a state.
#[derive(Default)]
struct Expected {
    steps: Vec<Step>,
    /// The rules of all instances, in order.
    fired: Vec<usize>,
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

    /// Compares the first start states, in their order, and what they cover.
    fn starts(&mut self, most: usize) {
        let expected = || self.interpreter.starts();
        let wanted: Vec<_> =
            expected().take(most).map(|one| one.map(|start| self.packed(&start.state))).collect();
        for system in [self.system, self.without] {
            let found = system.starts().take(most);
            let found = found.map(|one| one.map(Vec::from).map_err(|fault| system.failure(fault)));
            assert_eq!(found.collect::<Vec<_>>(), wanted, "start states, {}", self.name);
        }
        if wanted.len() < most {
            let covered: HashSet<PropertyId> =
                expected().flatten().flat_map(|start| start.covered).collect();
            let said: HashSet<PropertyId> = self.system.covered_by_starts().into_iter().collect();
            assert_eq!(said, covered, "covered by start states, {}", self.name);
        }
        self.compared.starts += wanted.len();
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
            let is_false = each.iter().all(|one| *one == Ok(false));
            if !property.scope.iter().any(|one| matches!(one, Scope::Choose { .. })) {
                for worker in [&mut self.worker, &mut self.executed] {
                    let said = worker.is_false_everywhere(packed, id);
                    assert_eq!(said, is_false, "{}: property {k}", self.name);
                }
                let answers = self.executed.property(packed, id).into_iter();
                let answers: Vec<_> =
                    answers.map(|one| one.map_err(|fault| self.without.failure(fault))).collect();
                assert_eq!(answers, each, "executed, property {k}, {}", self.context(state));
            }
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
            let without = self.executed.is_violated(packed, id);
            assert_eq!(without, is_violated, "executed, property {k}, {}", self.context(state));
            if property.kind == PropertyKind::Assume && assumed == Ok(true) {
                assumed = self.interpreter.holds(state, id);
            }
            self.compared.properties += 1;
            self.compared.violated += usize::from(is_violated);
        }
        let said = self.worker.is_assumed(packed).map_err(|fault| self.system.failure(fault));
        assert_eq!(said, assumed, "{}", self.context(state));
        let said = self.executed.is_assumed(packed).map_err(|fault| self.without.failure(fault));
        assert_eq!(said, assumed, "executed, {}", self.context(state));
    }

    fn steps(&mut self, state: &State, packed: &[u64]) -> Vec<State> {
        let expected = self.expected(state);
        let mut found = Steps::default();
        self.worker.expand(packed, &mut found);
        let mut without = Steps::default();
        self.executed.expand(packed, &mut without);
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
        let rules =
            found.labels.iter().map(|label| label.rule).chain(found.repeated.iter().copied());
        let mut fired: Vec<usize> = rules.map(|rule| rule as usize).collect();
        fired.sort_unstable();
        assert_eq!(fired, expected.fired, "fired, {}", self.context(state));
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
                    expected.fired.push(instance.rule);
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
    let Steps { targets, labels, arguments, repeated, faults, covered } = steps.clone();
    let failures: Vec<Failure> = faults.iter().map(|&fault| system.failure(fault)).collect();
    (targets, labels, arguments, repeated, failures, covered)
}
