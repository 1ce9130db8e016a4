//! Compiled atoms against the reference interpreter and the definition of events: all bindings of the tracked variables,
//! in the first states that are reached.

use crate::Counts;
use compile::CompiledModel;
use compile::atoms::tracked_variables;
use compile::cells::{decode, state_of, width};
use engine::instances::{Instance, instances};
use engine::symmetry::{IndexType, Indices};
use engine::system::{Steps, System};
use model::checked::{
    Atom, EventId, Formula, Group, LocalId, Model, Operand, ProcessOperand, Scope,
};
use model::generate;
use model::interpret::{Interpreter, Process};
use model::value::Scalar;
use model::{check, check_with};
use std::collections::{HashSet, VecDeque};

/// How much was compared.
#[derive(Default, Debug)]
pub struct Compared {
    pub formulas: usize,
    pub interpreted: usize,
    pub letters: usize,
    /// Conditions that are true, false, and that fail.
    pub conditions: [usize; 3],
    /// Event atoms that are true, and false.
    pub events: [usize; 2],
}

/// The index types of a model; nothing is permuted, so that all tuples are instances.
fn without_symmetry(model: &Model) -> Indices {
    let types = model.types.index_types.iter();
    Indices::new(types.map(|of| IndexType { size: of.size, group: Group::Trivial }))
}

/// Compares all formulas of a model in its first `most` states.
pub fn compare(name: &str, model: &Model, most: usize, compared: &mut Compared) {
    let formulas: Vec<&Formula> = model.formulas.iter().chain(&model.questions).collect();
    if formulas.is_empty() {
        return;
    }
    let system = CompiledModel::new(model);
    let mut seen: HashSet<Box<[u64]>> = HashSet::new();
    let mut queue = VecDeque::new();
    for start in system.starts().flatten().take(most) {
        if seen.insert(start.clone()) {
            queue.push_back(start);
        }
    }
    let mut worker = system.worker();
    let words = system.layout().words();
    let mut states = Vec::new();
    while let Some(state) = queue.pop_front() {
        let mut steps = Steps::default();
        worker.expand(&state, &mut steps);
        for target in steps.targets.chunks(words.max(1)) {
            if seen.len() < most && seen.insert(target.into()) {
                queue.push_back(target.into());
            }
        }
        states.push((state, steps));
    }
    let indices = without_symmetry(model);
    for formula in formulas {
        compared.formulas += 1;
        // Fewer states if there are many bindings.
        let bindings: Vec<Instance> =
            instances(&tracked_variables(&model.types, &formula.tracked), &indices)
                .take(300)
                .collect();
        let states = &states[..states.len().min(2 + 20 * most / (bindings.len() + 1))];
        compare_formula(name, &system, formula, &bindings, states, compared);
    }
}

fn compare_formula(
    name: &str,
    system: &CompiledModel<'_>,
    formula: &Formula,
    bindings: &[Instance],
    states: &[(Box<[u64]>, Steps)],
    compared: &mut Compared,
) {
    let model = system.model();
    let interpreter = Interpreter::new(model);
    let atoms = system.atoms(formula);
    compared.interpreted += atoms.interpreted();
    let mut worker = atoms.worker();
    let mut letter = vec![0; atoms.words()];
    for (packed, steps) in states {
        let mut cells = vec![0; system.layout().cells()];
        system.layout().unpack(packed, &mut cells);
        let state = state_of(model, &cells);
        for instance in bindings {
            let locals = formula.tracked.iter();
            let locals = locals.flat_map(|group| group.locals.iter().map(|&id| (id, group.of)));
            let values = locals.zip(&instance.cells);
            let binding: Vec<_> =
                values.map(|((id, of), &cell)| (id, decode(&model.types, of, cell))).collect();
            let context =
                || format!("{name}: {}, {binding:?}, in\n{}", formula.text, state.show(model));
            let tracked = &instance.cells[..];
            compared.letters += 1;
            letter.fill(u64::MAX);
            let found = worker.state_letter(packed, tracked, &mut letter);
            let mut expected = Ok(());
            for (k, atom) in formula.atoms.iter().enumerate() {
                let Atom::State { condition, .. } = atom else {
                    assert!(found.is_err() || !has(&letter, k), "{}", context());
                    continue;
                };
                match interpreter.is_true(condition, &formula.locals, &binding, &state) {
                    Ok(holds) => {
                        compared.conditions[usize::from(!holds)] += 1;
                        assert!(found.is_err() || has(&letter, k) == holds, "{k} {}", context());
                    }
                    Err(failure) => {
                        compared.conditions[2] += 1;
                        expected = expected.and(Err((k as u32, failure)));
                    }
                }
            }
            let found = found.map_err(|wrong| (wrong.atom.0, system.failure(wrong.fault)));
            assert_eq!(found, expected, "{}", context());
            for step in 0..steps.labels.len() {
                let (rule, arguments) = (steps.labels[step].rule, steps.arguments_of(step));
                letter.fill(0);
                atoms.add_step(rule, arguments, tracked, &mut letter);
                let observed = Observed::new(model, rule as usize, arguments);
                for (k, atom) in formula.atoms.iter().enumerate() {
                    let expected = observed.satisfies(atom, &binding);
                    assert_eq!(has(&letter, k), expected, "{k} of rule {rule}, {}", context());
                    if !matches!(atom, Atom::State { .. }) {
                        compared.events[usize::from(!expected)] += 1;
                    }
                }
            }
        }
    }
}

fn has(letter: &[u64], atom: usize) -> bool {
    letter[atom / 64] >> (atom % 64) & 1 == 1
}

/// What is observed of a step, as values.
struct Observed {
    event: EventId,
    /// By parameter; none if it is not simple, or undefined.
    arguments: Vec<Option<Scalar>>,
    process: Process,
}

impl Observed {
    fn new(model: &Model, rule: usize, cells: &[i64]) -> Observed {
        let rule = &model.rules[rule];
        let mut at = 0;
        let parameters = &model.events[rule.event.0 as usize].parameters;
        let arguments: Vec<_> = parameters
            .iter()
            .map(|&(_, of)| {
                let cell = cells.get(at).copied();
                at += width(&model.types, of);
                let cell = cell.filter(|&cell| cell != i64::MIN && model.types.is_simple(of))?;
                Some(decode(&model.types, of, cell))
            })
            .collect();
        let member = rule.owner.parameter.map(|owner| {
            let scope = rule.scope.iter().filter_map(|scope| match scope {
                Scope::Parameter { local, .. } | Scope::Choose { local, .. } => Some(*local),
                Scope::Alias { .. } => None,
            });
            let position = scope.into_iter().position(|local| local == owner);
            arguments[position.expect("an owner is a parameter")].expect("it is simple")
        });
        let process = Process::new(model, rule.owner.family, member);
        Observed { event: rule.event, arguments, process }
    }

    fn satisfies(&self, atom: &Atom, binding: &[(LocalId, Scalar)]) -> bool {
        let value = |operand: &Operand| match operand {
            Operand::Constant(value) => *value,
            Operand::Local(id) => {
                binding.iter().find(|(local, _)| local == id).expect("it is bound").1
            }
        };
        match atom {
            Atom::State { .. } => false,
            Atom::Event { events, arguments, .. } => {
                let mut said = arguments.iter().zip(&self.arguments);
                events.contains(&self.event)
                    && said
                        .all(|(said, is)| said.as_ref().is_none_or(|said| *is == Some(value(said))))
            }
            Atom::By { process: None, .. } => true,
            Atom::By { process: Some(ProcessOperand::Single(family)), .. } => {
                self.process == Process { family: *family, member: None }
            }
            Atom::By { process: Some(ProcessOperand::Member(operand)), .. } => {
                self.process.member == Some(value(operand))
            }
        }
    }
}

/// A question about each event of simple arguments, and about its owner.
fn event_questions(model: &Model) -> Vec<String> {
    let mut questions = Vec::new();
    for event in &model.events {
        if event.parameters.iter().any(|&(_, of)| !model.types.is_simple(of)) {
            continue;
        }
        let quantifiers: Vec<String> = (0..)
            .zip(&event.parameters)
            .map(|(k, &(_, of))| format!("tracked_{k}: ({})", model.types.show(of)))
            .collect();
        let quantifiers = match quantifiers.len() {
            0 => String::new(),
            _ => format!("forall {}. ", quantifiers.join(", ")),
        };
        let names: Vec<String> =
            (0..event.parameters.len()).map(|k| format!("tracked_{k}")).collect();
        // Backwards, too: of types that fit or not.
        let turned: Vec<String> = names.iter().rev().cloned().collect();
        let name = &event.name;
        let mut atoms = vec![format!("@\"{name}\""), "@by(_)".to_owned()];
        for arguments in [&names, &turned] {
            atoms.push(format!("@\"{name}\"({})", arguments.join(", ")));
        }
        if let [_, rest @ ..] = &names[..] {
            atoms.push(format!("@\"{name}\"({})", [&["_".to_owned()], rest].concat().join(", ")));
        }
        atoms.extend(names.iter().map(|name| format!("@by({name})")));
        questions.extend(atoms.iter().map(|atom| format!("{quantifiers}G F {atom}")));
    }
    questions
}

/// A question about each variable of a simple type: it fails where the variable is undefined.
fn variable_questions(model: &Model) -> impl Iterator<Item = String> {
    let simple = model.variables.iter().filter(|one| model.types.is_simple(one.of));
    simple.map(|one| format!("G F {0} = {0}", one.name))
}

/// Compares all atoms of the random model of a seed.
pub fn random_model(seed: u64, counts: &Counts) {
    let mut compared = Compared::default();
    compare_random_model(seed, &mut compared);
    let Compared { formulas, letters, conditions, events, .. } = compared;
    let answers = conditions.iter().sum::<usize>() + events.iter().sum::<usize>();
    counts.add(1, letters, answers, usize::from(formulas == 0));
}

/// The same, and counts kinds.
pub fn compare_random_model(seed: u64, compared: &mut Compared) {
    let options = generate::Options { formulas: true, ..generate::Options::default() };
    let text = generate::model(seed, &options);
    let Ok(model) = check(&text, &[]) else { return };
    let mut questions = event_questions(&model);
    questions.extend(variable_questions(&model));
    // What does not fit is refused: of that nothing can be asked.
    let fits = |question: &&str| check_with(&text, &[], &[question]).is_ok();
    let questions: Vec<&str> = questions.iter().map(String::as_str).filter(fits).collect();
    let model = check_with(&text, &[], &questions).expect("each was fine by itself");
    compare(&format!("random model {seed}"), &model, 40, compared);
}
