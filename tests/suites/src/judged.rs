//! Random runs of random models, judged, and formulas whose meaning is written down a second time.

use crate::Counts;
use judge::{judge, walk};
use model::check;
use model::checked::{LocalId, Model, PropertyId};
use model::generate;
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::{Binding, ModelReference, Objection, Run, Step};
use model::syntax::PropertyKind;
use model::types::{Type, TypeId};
use model::value::{Scalar, Value};
use run::SplitMix64;
use std::collections::HashMap;

/// Formulas over two propositions, and what they mean.
const SHAPES: &[(&str, Meaning)] = &[
    ("$p", |w| w.p[0]),
    ("X $p", |w| w.p[1]),
    ("X X X $p", |w| w.p[3]),
    ("F $p", |w| w.p.contains(&true)),
    ("G $p", |w| !w.p.contains(&false)),
    ("F G $p", |w| !w.p[w.cycle..].contains(&false)),
    ("G F $p", |w| w.p[w.cycle..].contains(&true)),
    ("$p U $q", |w| w.first_q().is_some_and(|k| !w.p[..k].contains(&false))),
    ("$p W $q", |w| !w.p[..w.first_q().unwrap_or(w.p.len())].contains(&false)),
    ("$q R $p", |w| !w.p[..w.first_q().map_or(w.p.len(), |k| k + 1)].contains(&false)),
    ("G ($p -> X $q)", |w| w.p.iter().zip(&w.q[1..]).all(|(p, q)| !p || *q)),
    ("G ($p -> F $q)", |w| {
        w.q[w.cycle..].contains(&true)
            || (0..w.p.len()).all(|k| !w.p[k] || w.q[k..].contains(&true))
    }),
    ("!$p & (F $q -> !G F $p)", |w| {
        !w.p[0] && (w.first_q().is_none() || !w.p[w.cycle..].contains(&true))
    }),
];

/// Whether a word satisfies a formula.
type Meaning = fn(&Word) -> bool;

/// A word over two propositions, unrolled to several laps of its cycle.
struct Word {
    p: Vec<bool>,
    q: Vec<bool>,
    /// Where the cycle begins.
    cycle: usize,
}

impl Word {
    fn first_q(&self) -> Option<usize> {
        self.q.iter().position(|&q| q)
    }
}

/// Something to observe, that never fails.
#[derive(Clone)]
enum Probe {
    /// `(isundefined(x) | x = value)`, with the variable's position; no value: the tracked one.
    Variable(usize, Option<Scalar>),
    /// `@"name"(_, tracked, _)`: this name, this many arguments, the tracked one of them.
    Event(String, usize, usize),
    /// `@"name"`
    AnyEvent(String),
    /// `@by(tracked)`
    By,
    /// `@by(_)`
    Anybody,
}

impl Probe {
    /// All of a model, for a tracked variable of this type.
    fn all(model: &Model, tracked: Option<TypeId>) -> Vec<Probe> {
        let mut all = vec![Probe::Anybody];
        for (v, variable) in model.variables.iter().enumerate() {
            if let Type::Range { .. } | Type::Enumeration(_) = model.types.get(variable.of) {
                let values = (0..model.types.size(variable.of).min(3))
                    .map(|k| Scalar::nth(&model.types, variable.of, k));
                all.extend(values.map(|value| Probe::Variable(v, Some(value))));
            } else if Some(variable.of) == tracked {
                all.push(Probe::Variable(v, None));
            }
        }
        for event in &model.events {
            all.push(Probe::AnyEvent(event.name.clone()));
            for (k, (_, of)) in event.parameters.iter().enumerate() {
                if Some(*of) == tracked {
                    all.push(Probe::Event(event.name.clone(), event.parameters.len(), k));
                }
            }
        }
        if tracked.is_some() && model.processes.iter().any(|family| family.of == tracked) {
            all.push(Probe::By);
        }
        all
    }

    fn text(&self, model: &Model) -> String {
        match self {
            Probe::Variable(v, value) => {
                let name = &model.variables[*v].name;
                let value = value.map_or("tracked".to_owned(), |value| value.show(&model.types));
                format!("(isundefined({name}) | {name} = {value})")
            }
            Probe::Event(name, arity, k) => {
                let arguments = (0..*arity).map(|one| if one == *k { "tracked" } else { "_" });
                format!("@\"{name}\"({})", arguments.collect::<Vec<_>>().join(", "))
            }
            Probe::AnyEvent(name) => format!("@\"{name}\""),
            Probe::By => "@by(tracked)".to_owned(),
            Probe::Anybody => "@by(_)".to_owned(),
        }
    }

    fn is_true(&self, model: &Model, step: &Step, tracked: Option<Scalar>) -> bool {
        let name = |event: &Event| &model.events[event.event.0 as usize].name;
        match (self, &step.action) {
            (Probe::Variable(v, value), _) => match &step.state.0[*v] {
                Value::Undefined => true,
                Value::Scalar(scalar) => Some(*scalar) == value.or(tracked),
                value => panic!("{value:?} is not simple"),
            },
            (_, None) => false,
            (Probe::Event(wanted, arity, k), Some((_, event))) => {
                name(event) == wanted
                    && event.arguments.len() == *arity
                    && event.arguments[*k] == Value::Scalar(tracked.expect("it is tracked"))
            }
            (Probe::AnyEvent(wanted), Some((_, event))) => name(event) == wanted,
            (Probe::By, Some((process, _))) => process.member == tracked,
            (Probe::Anybody, Some(_)) => true,
        }
    }
}

/// The steps of a state that are not cut, and whether others are.
type Steps = (Vec<(Process, Event, State)>, bool);

/// Finds runs by walking at random, and says which others are runs.
struct Walker<'m> {
    model: &'m Model,
    interpreter: Interpreter<'m>,
    /// What [`Walker::steps`] has found.
    known: HashMap<State, Option<Steps>>,
}

impl<'m> Walker<'m> {
    fn new(model: &'m Model) -> Self {
        Walker { model, interpreter: Interpreter::new(model), known: HashMap::new() }
    }

    fn is_assumed(&self, state: &State) -> Option<bool> {
        let mut all = true;
        for (k, property) in self.model.properties.iter().enumerate() {
            if property.kind == PropertyKind::Assume && !property.is_statement {
                all &= self.interpreter.holds(state, PropertyId(k as u32)).ok()?;
            }
        }
        Some(all)
    }

    /// The steps of a state; none if anything fails.
    fn steps(&mut self, state: &State) -> Option<Steps> {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let found = (|| {
            let mut uncut = Vec::new();
            let mut is_cut = false;
            for step in self.interpreter.steps(state).ok()? {
                if self.is_assumed(&step.target)? {
                    uncut.push((step.process, step.event, step.target));
                } else {
                    is_cut = true;
                }
            }
            Some((uncut, is_cut))
        })();
        self.known.insert(state.clone(), found.clone());
        found
    }

    /// A lasso, if the walk meets none of the states where anything fails or all steps are cut.
    fn lasso(&mut self, random: &mut SplitMix64) -> Option<Run> {
        let starts: Vec<State> =
            self.interpreter.starts().take(20).flatten().map(|start| start.state).collect();
        let mut state = random.pick(&starts)?.clone();
        if !self.is_assumed(&state)? {
            return None;
        }
        let mut steps: Vec<Step> = Vec::new();
        while steps.len() < 60 {
            let earlier = steps.iter().position(|step| step.state == state);
            if let Some(first) = earlier
                && random.below(3) > 0
            {
                let cycle = steps.split_off(first);
                return Some(Run { stem: steps, cycle, end: state });
            }
            let (next, is_cut) = self.steps(&state)?;
            let Some((process, event, target)) = random.pick(&next).cloned() else {
                let stutter = Step { state: state.clone(), action: None };
                return (!is_cut).then(|| Run { stem: steps, cycle: vec![stutter], end: state });
            };
            steps.push(Step { state, action: Some((process, event)) });
            state = target;
        }
        None
    }

    /// Whether this is a run of the model; none if that cannot be said because something fails.
    fn is_run(&mut self, run: &Run) -> Option<bool> {
        let states: Vec<&State> = run.states().collect();
        let mut starts = self.interpreter.starts().flatten();
        let mut right = starts.any(|start| start.state == *states[0])
            && self.is_assumed(states[0])?
            && states.last() == states.get(run.stem.len());
        for (k, step) in run.steps().enumerate() {
            let (uncut, is_cut) = self.steps(states[k])?;
            right &= match &step.action {
                Some((process, event)) => {
                    uncut.contains(&(*process, event.clone(), states[k + 1].clone()))
                }
                None => uncut.is_empty() && !is_cut && states[k] == states[k + 1],
            };
        }
        Some(right)
    }
}

/// Exchanges something in a run for something of the same run.
fn disturb(run: &Run, random: &mut SplitMix64) -> Run {
    let mut steps: Vec<Step> = run.steps().cloned().collect();
    let (mut stem, mut end) = (run.stem.len(), run.end.clone());
    let (k, other) = (random.below(steps.len()), random.below(steps.len()));
    match random.below(6) {
        0 => steps[k].state = steps[other].state.clone(),
        1 => {
            let action = steps[other].action.clone();
            steps[k].action = action;
        }
        2 => steps[k].action = None,
        3 => stem = k,
        4 => end = steps[k].state.clone(),
        _ => {
            if let (Some(from), Some(to)) = (steps[other].action.clone(), &mut steps[k].action) {
                to.0 = from.0;
            }
        }
    }
    let cycle = steps.split_off(stem);
    Run { stem: steps, cycle, end }
}

/// Runs by what is known of them.
#[derive(Default, Debug)]
pub struct Judged {
    pub refuted: usize,
    pub satisfied: usize,
    pub stutters: usize,
    /// Altered runs, and those of them that are no runs of the model.
    pub disturbed: usize,
    pub refused: usize,
    /// Walks that found no lasso.
    pub without: usize,
}

/// Judges runs of the random model of a seed.
pub fn random_model(seed: u64, counts: &Counts) {
    let mut judged = Judged::default();
    judge_random_model(seed, &mut judged);
    let Judged { refuted, satisfied, disturbed, without, .. } = judged;
    let questions = refuted + satisfied + disturbed;
    // By two references, one of which evaluates all guards.
    counts.add(1, questions, 2 * questions, without);
}

/// The same, and counts kinds.
pub fn judge_random_model(seed: u64, judged: &mut Judged) {
    let options = generate::Options { largest: 3, formulas: false, ..Default::default() };
    let mut random = SplitMix64::new(seed);
    let text = generate::model(seed, &options);
    // Nearly all texts are models.
    let Ok(model) = check(&text, &[]) else {
        judged.without += 1;
        return;
    };
    let variables = model.variables.iter().map(|variable| variable.of);
    let parameters = model.events.iter().flat_map(|event| &event.parameters);
    let tracked = variables.chain(parameters.map(|&(_, of)| of)).filter(|&of| {
        matches!(model.types.get(of), Type::Index(_)) && model.types.name(of).is_some()
    });
    let tracked = random.pick(&tracked.collect::<Vec<_>>()).copied();
    let probes = Probe::all(&model, tracked);
    for _ in 0..4 {
        let &(shape, meaning) = random.pick(SHAPES).expect("there are shapes");
        let [p, q] = [0, 1].map(|_| random.pick(&probes).expect("there are probes").clone());
        let formula = shape.replace("$p", &p.text(&model)).replace("$q", &q.text(&model));
        let quantifier = tracked.map_or_else(String::new, |of| {
            format!("forall tracked: {}. ", model.types.name(of).expect("it has a name"))
        });
        let model = checked(&format!("{text}\nltl \"judged\": {quantifier}{formula};"));
        let mut walker = Walker::new(&model);
        for _ in 0..4 {
            let Some(run) = walker.lasso(&mut random) else {
                judged.without += 1;
                continue;
            };
            let value = tracked.map(|of| {
                let k = random.below(model.types.size(of) as usize) as u64;
                Scalar::nth(&model.types, of, k)
            });
            let binding: Binding = value.iter().map(|&value| (LocalId(0), value)).collect();
            let laps = [&run.cycle, &run.cycle, &run.cycle, &run.cycle, &run.cycle];
            let unrolled = || run.stem.iter().chain(laps.into_iter().flatten());
            let [p, q] = [&p, &q]
                .map(|probe| unrolled().map(|step| probe.is_true(&model, step, value)).collect());
            let is_true = meaning(&Word { p, q, cycle: run.stem.len() });
            let expected = if is_true { Err(Objection::Satisfied) } else { Ok(()) };
            for reference in both(&model) {
                let found = judge(&reference, &model.formulas[0], &binding, &run);
                let about = || format!("seed {seed}: {formula} with {value:?} on {run:?}");
                assert_eq!(found, expected, "{}", about());
            }
            *if is_true { &mut judged.satisfied } else { &mut judged.refuted } += 1;
            judged.stutters += usize::from(run.cycle[0].action.is_none());

            let other = disturb(&run, &mut random);
            if let Some(right) = walker.is_run(&other) {
                let [found, again] = both(&model).map(|reference| walk(&reference, &other));
                assert_eq!(found, again, "seed {seed}: {other:?}");
                assert_eq!(found.is_ok(), right, "seed {seed}: {found:?} for {other:?}");
                judged.disturbed += 1;
                judged.refused += usize::from(!right);
            }
        }
    }
}

fn checked(text: &str) -> Model {
    check(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// The model without needless evaluations of guards, and with all of them.
fn both(model: &Model) -> [ModelReference<'_>; 2] {
    [ModelReference::new(model), ModelReference::paranoid(model)]
}
