//! Compiled atoms against the reference interpreter and the definition of events: every fixture and
//! random models, all bindings of the tracked variables, in the first states that are reached.
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.

use compile::CompiledModel;
use compile::atoms::tracked_variables;
use compile::cells::{decode, state_of, width};
use engine::instances::{Instance, instances};
use engine::symmetry::{IndexType, Indices};
use engine::system::{Steps, System};
use model::checked::{
    Atom, EventId, Formula, Group, LocalId, Model, Operand, ProcessOperand, Scope,
};
use model::generate::{self, model as random_model};
use model::interpret::{Interpreter, Process};
use model::value::Scalar;
use model::{check, check_with};
use std::collections::{HashSet, VecDeque};
use support::headers::fixtures;
use support::many::cases;

/// How much was compared.
#[derive(Default, Debug)]
struct Compared {
    formulas: usize,
    interpreted: usize,
    letters: usize,
    /// Conditions that are true, false, and that fail.
    conditions: [usize; 3],
    /// Event atoms that are true, and false.
    events: [usize; 2],
}

/// The index types of a model; nothing is permuted, so that all tuples are instances.
fn without_symmetry(model: &Model) -> Indices {
    let types = model.types.index_types.iter();
    Indices::new(types.map(|of| IndexType { size: of.size, group: Group::Trivial }))
}

/// Compares all formulas of a model in its first `most` states.
fn compare(name: &str, model: &Model, most: usize, compared: &mut Compared) {
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

#[test]
fn fixtures_agree() {
    let mut compared = Compared::default();
    for fixture in fixtures() {
        let model = check(&fixture.text, &[]).expect("fixtures are models");
        compare(&fixture.name, &model, 150, &mut compared);
    }
    assert!(compared.formulas > 30, "{compared:?}");
    assert!(compared.conditions[0] > 1000 && compared.conditions[1] > 1000, "{compared:?}");
    assert!(compared.events[0] > 100 && compared.events[1] > 100, "{compared:?}");
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

#[test]
fn random_models_agree() {
    let cases = cases(300);
    let mut compared = Compared::default();
    for seed in 0..cases {
        let options = generate::Options { formulas: true, ..generate::Options::default() };
        let text = random_model(seed, &options);
        let Ok(model) = check(&text, &[]) else { continue };
        let questions = event_questions(&model);
        // What does not fit is refused: of that nothing can be asked.
        let fits = |question: &&str| check_with(&text, &[], &[question]).is_ok();
        let questions: Vec<&str> = questions.iter().map(String::as_str).filter(fits).collect();
        let model = check_with(&text, &[], &questions).expect("each was fine by itself");
        compare(&format!("random model {seed}"), &model, 40, &mut compared);
    }
    assert!(compared.conditions.iter().all(|&count| count > cases as usize / 10), "{compared:?}");
    assert!(compared.events.iter().all(|&count| count > cases as usize / 10), "{compared:?}");
}

/// Arguments and owners whose type is not that of the tracked variable.
#[test]
fn events_and_owners_of_unions_agree() {
    let text = "
        type
          pid: scalarset(2);
          node: scalarset(3);
          colour: enum { red, green, blue };
          any: union { colour, pid, node };
          some: union { node, colour };
          small: 1..3;
        var x: any; y: 0..5; b: multiset [2] of some;
        startstate undefine x; y := 0; end;
        ruleset a: any do
          rule \"set\" x := a; end;
          rule \"add\" MultiSetCount(i: b, true) < 2 ==> MultiSetAdd(red, b); end;
        end;
        ruleset c: some do rule \"put\" MultiSetCount(i: b, true) < 2 ==> MultiSetAdd(c, b); end; end;
        choose i: b do rule \"take\" MultiSetRemove(i, b); end; end;
        ruleset k: small do rule \"count\" y := k; end; end;
        process p: pid do rule \"own\" x := p; end; end;
        process p: some do rule \"other\" x := p; end; end;
        process n: small do rule \"number\" y := n; end; end;
        process server do rule \"reset\" undefine x; end; end;
    ";
    let questions = [
        "forall p: pid, n: node. G F (@set(p) | @set(n)) & G F (@by(p) | @by(n))",
        "forall a: any, s: some. @set(a) U @put(s) | F @own(a) | F @other(s) | F @take(a)",
        "forall k: (0..4). F @count(k) | F @number(k) | G !@by(k)",
        "F @count(2) | F @set(red) | F @by(red) | F @by(3) | F @by(server) | F @by(_) | F set",
        "forall c: colour. G (@take(c) -> x = c) | F @other(c) | F @by(c) | F @put(c)",
        "forall s: some, p: pid. G (!isundefined(x) & x = s) | F x = p",
    ];
    let model = check_with(text, &[], &questions);
    let model = model.unwrap_or_else(|errors| panic!("{:?}", errors.model));
    let mut compared = Compared::default();
    compare("unions", &model, 60, &mut compared);
    assert_eq!(compared.formulas, questions.len());
    assert!(compared.conditions.iter().all(|&count| count > 50), "{compared:?}");
    assert!(compared.events.iter().all(|&count| count > 1000), "{compared:?}");
}
