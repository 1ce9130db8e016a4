//! Partial-order reduction against brute force on the unreduced product, for random systems with local
//! steps and for named ones, with every kind of fairness that it is used with.

#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

pub mod named;
pub mod systems;

use crate::Counts;
use crate::fairness::brute_force::{Reference, violates};
use compile::CompiledModel;
use compile::ample::{Conditions, Exact};
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use engine::system::Choices;
use isonomy::check::{Engine, Misjudged, Options, PartialOrder, Question, Reduced, Verdict, check};
use model::check_with;
use model::checked::{Demand, Formula, Model};
use model::syntax::{Fairness, Over};
use model::value::{Scalar, Value};
use named::Named;
use run::{Limits, SplitMix64};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use systems::{Form, Kind, System, condition};

/// How many questions are asked about each system.
pub const QUESTIONS: usize = 4;

/// The most states of a system that is looked at.
const LARGEST: usize = 150;

/// What was met.
#[derive(Default)]
pub struct Figures {
    pub holds: AtomicUsize,
    pub violated: AtomicUsize,
    /// Questions for which reduction is sound, and those of them with fewer nodes.
    pub reduced: AtomicUsize,
    pub smaller: AtomicUsize,
}

/// Any process may be chosen, or none, in each state.
pub struct Anyhow;

impl Conditions for Anyhow {
    fn first(state: &[u64], tracked: &[i64]) -> Option<usize> {
        let mut hasher = DefaultHasher::new();
        (state, tracked).hash(&mut hasher);
        let number = hasher.finish() as usize;
        (!number.is_multiple_of(7)).then_some(number % 1000)
    }
}

/// A question about a system.
pub struct Asked {
    pub formula: String,
    pub demand: Demand,
}

/// Asks the questions about the system of a seed.
pub fn small_system(seed: u64, counts: &Counts) {
    ask_small_system(seed, counts, &Figures::default());
}

/// The same, and counts kinds of answers.
pub fn ask_small_system(seed: u64, counts: &Counts, figures: &Figures) {
    let (text, questions) = case(seed);
    let context = || {
        let asked: Vec<_> =
            questions.iter().map(|one| format!("{} under {:?}", one.formula, one.demand)).collect();
        format!("seed {seed}:\n{text}\n{}", asked.join("\n"))
    };
    let run = AssertUnwindSafe(|| compare(seed, &text, &questions, counts, figures));
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("of {}", context());
        std::panic::resume_unwind(panic);
    }
}

/// The text of a system, with questions about it.
pub fn case(seed: u64) -> (String, Vec<Asked>) {
    let mut random = SplitMix64::new(seed ^ 0x90c4);
    let (system, demand) = if random.below(2) == 0 {
        (systems::random(&mut random), None)
    } else {
        let (system, demand) = edited(&mut random);
        (system, Some(demand))
    };
    let text = system.text();
    let model = check_with(&text, &[], &[]);
    let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in seed {seed}:\n{text}"));
    let mut questions = Vec::new();
    if let Some(reference) = Reference::new(&model, LARGEST) {
        for _ in 0..QUESTIONS {
            let demand = match demand {
                Some(demand) if random.below(3) > 0 => demand,
                _ => some_demand(&mut random),
            };
            let formula = formula(&system, &model, &reference, &mut random);
            questions.push(Asked { formula, demand });
        }
    }
    (text, questions)
}

fn some_demand(random: &mut SplitMix64) -> Demand {
    let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][random.below(3)];
    let over = [Over::Processes, Over::Events][random.below(2)];
    Demand { fairness, over, declared: random.below(2) == 0 }
}

/// A named system with a few random changes.
fn edited(random: &mut SplitMix64) -> (System, Demand) {
    let mut all = named::all();
    let at = random.below(all.len());
    let Named { mut system, demand, .. } = all.swap_remove(at);
    for _ in 0..[0, 1, 1, 2, 3][random.below(5)] {
        let values: Vec<usize> =
            system.programs.iter().flatten().flat_map(|rule| [rule.from, rule.to]).collect();
        let value = *random.pick(&values).expect("some rules");
        let program = random.below(system.programs.len());
        let at = random.below(system.programs[program].len());
        let rule = &mut system.programs[program][at];
        match random.below(9) {
            0 => rule.from = value,
            1 => rule.to = value,
            2 => rule.needs = [None, Some(0), Some(1)][random.below(3)].map(|one| vec![one]),
            3 => rule.sets = [None, Some(0), Some(1)][random.below(3)],
            4 if rule.kind == Kind::Local => rule.kind = Kind::Shared,
            5 => rule.name = ["a", "b", "c", "d", "e", "g"][random.below(6)],
            6 => {
                let name = ["a", "b", "c", "d", "e"][random.below(5)];
                let kind = [Kind::Local, Kind::Shared][random.below(2)];
                let other = *random.pick(&values).expect("some rules");
                system.programs[program].push(systems::Rule::new(name, value, other, kind));
            }
            7 => rule.is_common = !rule.is_common,
            _ => rule.fairness = ["", "fair ", "strongly fair "][random.below(3)],
        }
    }
    (system, demand)
}

/// A step of a run as a formula sees it: its event, and what is true of the state.
struct Seen {
    event: Option<String>,
    letter: String,
}

/// A formula: the word of a run does not occur, or something simpler.
fn formula(
    system: &System,
    model: &Model,
    reference: &Reference<'_>,
    random: &mut SplitMix64,
) -> String {
    let is_tracked = system.form != Form::Single && random.below(3) == 0;
    let tracked = is_tracked.then_some("c");
    let found = match random.below(10) {
        0..7 => word(model, reference, is_tracked, random),
        _ => None,
    };
    let inner = found.unwrap_or_else(|| simple(system, model, random, tracked));
    if is_tracked { format!("forall c: pid. {inner}") } else { inner }
}

fn simple(
    system: &System,
    model: &Model,
    random: &mut SplitMix64,
    tracked: Option<&str>,
) -> String {
    let mut state = || condition(system, random, tracked);
    let (p, q) = (state(), state());
    let names: Vec<&str> = model.events.iter().map(|event| event.name.as_str()).collect();
    let mut event = || {
        let name = random.pick(&names).expect("some events");
        match tracked {
            Some(c) if random.below(2) == 0 => format!("(@{name} & @by({c}))"),
            _ => format!("@{name}"),
        }
    };
    let (a, b) = (event(), event());
    match random.below(14) {
        0 => format!("G({p})"),
        1 => format!("F G({p})"),
        2 => format!("G F({p})"),
        3 => format!("G(({p}) -> F({q}))"),
        4 => format!("G({a} -> F {b})"),
        5 => format!("G({a} -> {p})"),
        6 => format!("G({a} -> X({p}))"),
        7 => format!("(G F {a}) -> G F({p})"),
        8 => format!("!{a} W {b}"),
        9 => format!("(({p}) U ({q})) | G({p})"),
        10 => format!("F G !{a}"),
        11 => format!("!(({p}) U (({p}) & {a}))"),
        12 => format!("G F {a} | F G({p})"),
        // Some that silent steps can change.
        _ => format!("G(({p}) -> X({q}))"),
    }
}

/// That the visible word of a random run does not occur.
fn word(
    model: &Model,
    reference: &Reference<'_>,
    is_tracked: bool,
    random: &mut SplitMix64,
) -> Option<String> {
    let graph = &reference.graph;
    let starts: Vec<usize> = (0..graph.states.len()).filter(|&k| graph.is_start[k]).collect();
    let mut at = *random.pick(&starts)?;
    let mut run: Vec<(usize, usize)> = Vec::new();
    let mut ends = false;
    let mut walk = |at: &mut usize, count: usize, run: &mut Vec<(usize, usize)>| {
        for _ in 0..count {
            let steps = graph.steps[*at].len();
            if steps == 0 {
                ends = true;
                return;
            }
            let step = random.below(steps);
            run.push((*at, step));
            *at = graph.steps[*at][step].target;
        }
    };
    let before = 5;
    walk(&mut at, before, &mut run);
    let (base, stem) = (at, run.len());
    walk(&mut at, 6, &mut run);
    if !ends {
        run.extend(way(reference, at, base)?);
    }
    let stem = if ends { run.len() } else { stem };
    let hidden: Vec<bool> = model.events.iter().map(|_| random.below(3) == 0).collect();
    let shows = random.below(4) == 0;
    let see = |&(state, step): &(usize, usize)| {
        let step = &graph.steps[state][step];
        let is_other = is_tracked && !matches!(step.process.member, Some(Scalar::Index(_, 0)));
        let name = &model.events[step.event.event.0 as usize].name;
        let is_hidden = hidden[step.event.event.0 as usize] || is_other;
        let event = (!is_hidden)
            .then(|| if is_tracked { format!("(@{name} & @by(c))") } else { format!("@{name}") });
        let Value::Scalar(Scalar::Number(shared)) = &graph.states[state].0[0] else {
            unreachable!("the first variable is a number")
        };
        let letter = event.clone().unwrap_or_default();
        let letter = if shows { format!("({letter} & v = {shared})") } else { letter };
        Seen { event, letter }
    };
    let seen: Vec<Seen> = run.iter().map(see).collect();
    let visible = |part: &[Seen]| -> Vec<(String, String)> {
        let all = part.iter();
        all.filter_map(|one| Some((one.event.clone()?, one.letter.clone()))).collect()
    };
    let (first, cycle) = (visible(&seen[..stem]), visible(&seen[stem..]));
    let mut names: Vec<String> =
        first.iter().chain(&cycle).map(|(event, _)| event.clone()).collect();
    // Others that are seen, so that they must not occur.
    let extra = model.events.iter().zip(&hidden).filter(|(_, hidden)| !**hidden && !is_tracked);
    names.extend(extra.map(|(event, _)| format!("@{}", event.name)));
    spelt(&first, &cycle, names)
}

/// The formula that says that a word does not occur. Some event must occur once in the cycle.
fn spelt(
    stem: &[(String, String)],
    cycle: &[(String, String)],
    mut visible: Vec<String>,
) -> Option<String> {
    visible.sort();
    visible.dedup();
    if visible.is_empty() {
        return None;
    }
    let quiet = format!("!({})", visible.join(" | "));
    let tail = if cycle.is_empty() {
        format!("G {quiet}")
    } else {
        let count = |event: &str| cycle.iter().filter(|(one, _)| one == event).count();
        let mark = cycle.iter().position(|(event, _)| count(event) == 1)?;
        let mut turned = cycle.to_vec();
        turned.rotate_left(mark);
        let (event, letter) = turned[0].clone();
        let mut round = format!("({quiet} U {letter})");
        for (_, letter) in turned[1..].iter().rev() {
            round = format!("({quiet} U ({letter} & X {round}))");
        }
        let mut entry = format!("({quiet} U ({letter} & G({event} -> X {round})))");
        for (_, letter) in cycle[..mark].iter().rev() {
            entry = format!("({quiet} U ({letter} & X {entry}))");
        }
        entry
    };
    let mut all = tail;
    for (_, letter) in stem.iter().rev() {
        all = format!("({quiet} U ({letter} & X {all}))");
    }
    Some(format!("!({all})"))
}

/// A shortest way from a state to another.
fn way(reference: &Reference<'_>, from: usize, to: usize) -> Option<Vec<(usize, usize)>> {
    let graph = &reference.graph;
    let mut before = vec![None; graph.states.len()];
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        for (k, step) in graph.steps[at].iter().enumerate() {
            if step.target == to {
                let mut path = vec![(at, k)];
                let mut state = at;
                while let Some((previous, step)) = before[state].filter(|_| state != from) {
                    path.push((previous, step));
                    state = previous;
                }
                path.reverse();
                return Some(path);
            }
            if before[step.target].is_none() && step.target != from {
                before[step.target] = Some((at, k));
                open.push_back(step.target);
            }
        }
    }
    None
}

/// The question about a named system.
pub fn named_question(named: &Named) -> Asked {
    let formula = named.formula.map_or_else(|| word_of(named), str::to_owned);
    Asked { formula, demand: named.demand }
}

/// The formula that says that the word of a named system does not occur.
fn word_of(named: &Named) -> String {
    let atoms = |name: &&str| {
        let all = named.system.atoms(name);
        if all.len() == 1 { all[0].clone() } else { format!("({})", all.join(" | ")) }
    };
    let letters = |word: &[&str]| -> Vec<(String, String)> {
        word.iter().map(|name| (atoms(name), atoms(name))).collect()
    };
    let visible = named.visible.iter().flat_map(|name| named.system.atoms(name)).collect();
    spelt(&letters(named.stem), &letters(named.cycle), visible).expect("a word")
}

fn compare(seed: u64, text: &str, questions: &[Asked], counts: &Counts, figures: &Figures) {
    counts.add(1, 0, 0, 0);
    let formulas: Vec<&str> = questions.iter().map(|one| one.formula.as_str()).collect();
    let model = check_with(text, &[], &formulas).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let Some(reference) = Reference::new(&model, LARGEST) else {
        return counts.add(0, 0, 0, questions.len());
    };
    for (k, Asked { demand, .. }) in questions.iter().enumerate() {
        let Some(expected) = violates(&reference, &model.questions[k], *demand) else {
            counts.add(0, 0, 0, 1);
            continue;
        };
        let figure = if expected { &figures.violated } else { &figures.holds };
        figure.fetch_add(1, Ordering::Relaxed);
        let answers = ask(&model, k, *demand, seed as usize + k, expected, figures);
        counts.add(0, 1, answers, 0);
    }
}

/// Asks a question in some ways, and returns their number.
fn ask(
    model: &Model,
    number: usize,
    demand: Demand,
    turn: usize,
    expected: bool,
    figures: &Figures,
) -> usize {
    let formula = &model.questions[number];
    let system = CompiledModel::new(model);
    let mut answers = 0;
    let mut is_reduced = false;
    for (k, reduction) in
        [Reduction::Off, Reduction::Canonical, Reduction::Sorted].into_iter().enumerate()
    {
        let engines = [Engine::Auto, Engine::Components, Engine::Sets, Engine::Nested];
        let is_fair = demand.fairness != Fairness::None || demand.declared;
        let engine = engines[(turn + k) % if is_fair { 3 } else { 4 }];
        let options = Options {
            reduction,
            demand,
            engine,
            partial_order: PartialOrder::Auto,
            ..Options::default()
        };
        let about =
            |what: &str| format!("{what} {reduction:?} {engine:?} {demand:?} {}", formula.text);
        let by = |partial_order| {
            let options = Options { partial_order, ..options };
            let found = check(&system, formula, &options, &isonomy::Watch::none());
            found.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("misjudged")))
        };
        let reduced = by(PartialOrder::Auto);
        assert_eq!(is_violated(&reduced.verdict), expected, "{}", about("reduced"));
        answers += 1;
        if reduced.statistics.by_partial_order != Reduced::Yes {
            continue;
        }
        is_reduced = true;
        if matches!(reduced.verdict, Verdict::Holds) {
            let full = by(PartialOrder::Off);
            let [less, all] = [&reduced, &full].map(|one| one.statistics.product_nodes);
            assert!(less <= all, "{less} nodes, not {all}: {}", about("reduced"));
            let figure = usize::from(less < all && reduction == Reduction::Off);
            figures.smaller.fetch_add(figure, Ordering::Relaxed);
        }
        let by_any = forced::<Anyhow>(model, number, &options);
        let by_any = by_any.unwrap_or_else(|wrong| panic!("{wrong:#?} {}", about("anyhow")));
        assert_eq!(by_any.as_ref().map(is_violated), Some(expected), "{}", about("anyhow"));
        answers += 1;
    }
    figures.reduced.fetch_add(usize::from(is_reduced), Ordering::Relaxed);
    answers
}

/// The answer for all tuples with these conditions, whether or not they are sound; none if no process may
/// move alone.
pub fn forced<C: Conditions>(
    model: &Model,
    number: usize,
    options: &Options,
) -> Result<Option<Verdict>, Box<Misjudged>> {
    forced_by(model, number, options, |system, formula| {
        let choices = system.ample_choices::<C>(formula, options.demand)?;
        Some(Box::new(choices))
    })
}

/// The answer for all tuples with these choices.
pub fn forced_by(
    model: &Model,
    number: usize,
    options: &Options,
    choices: impl for<'s> Fn(&'s CompiledModel<'s>, &'s Formula) -> Option<Box<dyn Choices + 's>>,
) -> Result<Option<Verdict>, Box<Misjudged>> {
    let system = CompiledModel::new(model);
    let formula = &model.questions[number];
    let options = Options { partial_order: PartialOrder::Off, ..*options };
    let quotient = Quotient::new(&system, options.reduction);
    let question = Question::new(&system, formula, &options, Limits::default());
    let question = question.expect("a small formula");
    let Some(choices) = choices(&system, formula) else { return Ok(None) };
    let question = question.with_choices(choices);
    for instance in question.instances(quotient.structure().indices()) {
        let found = question.answer(&quotient, &instance, &|_| None)?;
        if !matches!(found.verdict, Verdict::Holds) {
            return Ok(Some(found.verdict));
        }
    }
    Ok(Some(Verdict::Holds))
}

/// The exact conditions, to be forced.
pub fn exactly(
    model: &Model,
    number: usize,
    options: &Options,
) -> Result<Option<Verdict>, Box<Misjudged>> {
    forced::<Exact>(model, number, options)
}

/// Whether a verdict is a violation.
pub fn is_violated(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        other => panic!("{other:?}"),
    }
}
