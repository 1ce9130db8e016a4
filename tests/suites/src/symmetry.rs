//! Whether permutations of index values are automorphisms of a model, by the definition.
//!
//! For every generator g of the model's group: g maps start states to start states, and for every
//! state s that has been reached, what can be seen of g(s) is what can be seen of s, renamed by g:
//! the steps with process, event and target, which guards and bodies fail, which properties hold,
//! and what the conditions of formulas say. (If that is true of all reachable states, g maps the
//! reachable graph onto itself.)

use crate::Counts;
use ltl::Span;
use model::action::Permutations;
use model::check;
use model::checked::{Atom, Expression, Local, LocalId, Model, PropertyId, TrackedGroup};
use model::generate::{self, Options};
use model::interpret::{Failure, Interpreter, State};
use model::value::{Scalar, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// How far a model has been looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// States.
    pub states: usize,
    /// States in which a guard or a body fails.
    pub failing: usize,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// How many generators there were.
    pub generators: usize,
}

/// The most states of a random model that are looked at.
pub const MOST_STATES: usize = 120;

/// Looks at the random model of a seed.
pub fn random_model(seed: u64, counts: &Counts) {
    let text = random_text(seed);
    let Ok(model) = check(&text, &[]) else { return counts.add(1, 0, 0, 1) };
    let seen = symmetric(&model, MOST_STATES)
        .unwrap_or_else(|what| panic!("seed {seed}:\n{text}\nis not symmetric: {what}"));
    // The behaviour of a state and that of its image under a generator.
    let questions = seen.states * seen.generators;
    counts.add(1, questions, questions, usize::from(questions == 0));
}

/// The text of the random model of a seed.
pub fn random_text(seed: u64) -> String {
    generate::model(seed, &Options { traps: seed.is_multiple_of(2), ..Options::default() })
}

/// Start states that are looked at.
const MOST_STARTS: usize = 3000;

/// Looks at up to `limit` states; an error says what is not symmetric.
pub fn symmetric(model: &Model, limit: usize) -> Result<Seen, String> {
    let generators = Permutations::generators(model);
    let interpreter = Interpreter::new(model);
    let mut seen = Seen { generators: generators.len(), complete: true, ..Seen::default() };
    let mut starts = BTreeSet::new();
    for start in interpreter.starts().take(MOST_STARTS) {
        starts.extend(start.ok().map(|start| start.state));
    }
    if interpreter.starts().nth(MOST_STARTS).is_none() {
        for g in &generators {
            for state in &starts {
                let image = g.state(model, state);
                if !starts.contains(&image) {
                    return Err(format!("start state\n{}\nby {g:?}", state.show(model)));
                }
            }
        }
    } else {
        seen.complete = false;
    }

    let mut known: HashMap<State, Behaviour> = HashMap::new();
    let mut waiting: VecDeque<_> = starts.into_iter().collect();
    let mut visited: HashSet<_> = waiting.iter().cloned().collect();
    while let Some(state) = waiting.pop_front() {
        if seen.states >= limit {
            seen.complete = false;
            break;
        }
        seen.states += 1;
        let behaviour =
            known.entry(state.clone()).or_insert_with(|| look(interpreter, model, &state));
        let behaviour = behaviour.clone();
        seen.failing += usize::from(behaviour.fails());
        for g in &generators {
            let image = g.state(model, &state);
            let there =
                known.entry(image.clone()).or_insert_with(|| look(interpreter, model, &image));
            let expected = behaviour.renamed(model, g);
            if *there != expected {
                return Err(format!(
                    "state\n{}\nby {g:?}\n{}",
                    state.show(model),
                    difference(&expected, there)
                ));
            }
        }
        for (_, outcome) in behaviour.steps.unwrap_or_default() {
            if let Outcome::Leads(target) = outcome
                && visited.insert(target.clone())
            {
                waiting.push_back(target);
            }
        }
    }
    Ok(seen)
}

/// What can be seen of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Behaviour {
    /// If no guard fails.
    steps: Option<BTreeSet<(Label, Outcome)>>,
    /// By property: whether it holds, or how it fails.
    properties: Vec<Result<bool, How>>,
    /// By formula or requirement, condition, and values of the tracked variables.
    conditions: BTreeMap<(usize, usize, Vec<Scalar>), Result<bool, How>>,
}

/// What a step is called: rule, process, event, what was printed and covered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Label {
    rule: usize,
    family: u32,
    member: Option<Scalar>,
    event: u32,
    arguments: Vec<Value>,
    printed: Vec<String>,
    covered: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Leads(State),
    Abandoned,
    Fails(How),
}

/// How something fails: kind and place.
type How = (String, usize, usize);

fn how(failure: &Failure) -> How {
    let Span { start, end } = failure.span;
    (format!("{:?}", failure.kind), start, end)
}

fn look(interpreter: Interpreter, model: &Model, state: &State) -> Behaviour {
    let steps = interpreter.instances(state).ok().map(|instances| {
        let label = |instance: model::interpret::Instance| {
            let (outcome, printed, covered) = match interpreter.fire(state, &instance) {
                Ok(outcome) => (
                    outcome.target.map_or(Outcome::Abandoned, Outcome::Leads),
                    outcome.printed,
                    outcome.covered.iter().map(|id| id.0).collect::<BTreeSet<_>>(),
                ),
                Err(failure) => (Outcome::Fails(how(&failure)), Vec::new(), BTreeSet::new()),
            };
            let label = Label {
                rule: instance.rule,
                family: instance.process.family.0,
                member: instance.process.member,
                event: instance.event.event.0,
                arguments: instance.event.arguments.clone(),
                printed,
                covered: covered.into_iter().collect(),
            };
            (label, outcome)
        };
        instances.into_iter().map(label).collect()
    });
    let properties = (0..model.properties.len())
        .filter(|&k| !model.properties[k].is_statement)
        .map(|k| interpreter.holds(state, PropertyId(k as u32)).map_err(|failure| how(&failure)))
        .collect();
    let mut conditions = BTreeMap::new();
    for (k, (locals, tracked, expressions)) in tracked_conditions(model).into_iter().enumerate() {
        for bindings in bindings(model, tracked) {
            for (j, expression) in expressions.iter().enumerate() {
                let value = interpreter.evaluate(expression, locals, &bindings, state);
                let value = value.map(|value| value == Value::boolean(true));
                let arguments = bindings.iter().map(|&(_, scalar)| scalar).collect();
                conditions.insert((k, j, arguments), value.map_err(|failure| how(&failure)));
            }
        }
    }
    Behaviour { steps, properties, conditions }
}

impl Behaviour {
    fn fails(&self) -> bool {
        self.steps.as_ref().is_none_or(|steps| {
            steps.iter().any(|(_, outcome)| matches!(outcome, Outcome::Fails(_)))
        })
    }

    fn renamed(&self, model: &Model, g: &Permutations) -> Behaviour {
        let step = |(label, outcome): &(Label, Outcome)| {
            let mut label = label.clone();
            label.member = label.member.map(|member| g.scalar(member));
            let types = model.events[label.event as usize].parameters.iter().map(|(_, of)| *of);
            let arguments = label.arguments.iter().zip(types);
            label.arguments =
                arguments.map(|(value, of)| g.value(&model.types, of, value)).collect();
            let outcome = match outcome {
                Outcome::Leads(state) => Outcome::Leads(g.state(model, state)),
                other => other.clone(),
            };
            (label, outcome)
        };
        let condition =
            |((k, j, arguments), holds): (&(usize, usize, Vec<Scalar>), &Result<bool, How>)| {
                let arguments = arguments.iter().map(|&scalar| g.scalar(scalar)).collect();
                ((*k, *j, arguments), holds.clone())
            };
        Behaviour {
            steps: self.steps.as_ref().map(|steps| steps.iter().map(step).collect()),
            properties: self.properties.clone(),
            conditions: self.conditions.iter().map(condition).collect(),
        }
    }
}

/// Says where two behaviours differ.
fn difference(expected: &Behaviour, found: &Behaviour) -> String {
    match (&expected.steps, &found.steps) {
        (Some(expected), Some(found)) if expected != found => {
            let missing: Vec<_> = expected.difference(found).collect();
            let added: Vec<_> = found.difference(expected).collect();
            format!("missing: {missing:#?}\nadded: {added:#?}")
        }
        (None, Some(_)) => "a guard no longer fails".to_owned(),
        (Some(_), None) => "a guard fails".to_owned(),
        _ if expected.properties != found.properties => {
            format!("properties: {:?} became {:?}", expected.properties, found.properties)
        }
        _ => format!("conditions: {:?} became {:?}", expected.conditions, found.conditions),
    }
}

type Conditions<'m> = (&'m [Local], &'m [TrackedGroup], Vec<&'m Expression>);

/// The conditions of formulas and requirements.
fn tracked_conditions(model: &Model) -> Vec<Conditions<'_>> {
    let formulas = model.formulas.iter().map(|formula| {
        let conditions = formula.atoms.iter().filter_map(|atom| match atom {
            Atom::State { condition, .. } => Some(condition),
            Atom::Event { .. } | Atom::By { .. } => None,
        });
        (&formula.locals[..], &formula.tracked[..], conditions.collect())
    });
    let requirements = model.requirements.iter().map(|requirement| {
        let conditions = requirement.premise.iter().chain([&requirement.conclusion]).collect();
        (&requirement.locals[..], &requirement.tracked[..], conditions)
    });
    formulas.chain(requirements).collect()
}

/// All values of tracked variables.
fn bindings(model: &Model, tracked: &[TrackedGroup]) -> Vec<Vec<(LocalId, Scalar)>> {
    let mut found = vec![Vec::new()];
    for group in tracked {
        for &local in &group.locals {
            let values =
                (0..model.types.size(group.of)).map(|k| Scalar::nth(&model.types, group.of, k));
            let values: Vec<_> = values.collect();
            found = found
                .iter()
                .flat_map(|before| {
                    values.iter().map(move |&value| [&before[..], &[(local, value)]].concat())
                })
                .collect();
        }
    }
    found
}
