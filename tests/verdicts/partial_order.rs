//! Partial-order reduction against brute force, and with planted mistakes.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod gains;

use compile::CompiledModel;
use compile::ample::{Conditions, Exact};
use engine::quotient::{
    ActionNumber, Outline, PlainEdge, PlainWalk, PlainWalker, Quotient, Representative, Unbuilt,
};
use engine::symmetry::Reduction;
use engine::system::{Choices, Chooser, OwnerSummary, ProcessId, System as _};
use isonomy::check::{Misjudged, Options, PartialOrder, Question, Reduced, Verdict, check};
use model::check_with;
use model::checked::{Demand, Model};
use model::syntax::{Fairness, Over};
use run::Limits;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::Counts;
use suites::fairness::brute_force::{Reference, violates};
use suites::partial_order::named::all;
use suites::partial_order::{
    Figures, QUESTIONS, ask_small_system, case, forced, forced_by, is_violated, named_question,
};
use support::many::{cases, in_parallel};

#[test]
fn random_questions_are_answered_with_steps_omitted() {
    let (counts, figures) = (Counts::default(), Figures::default());
    in_parallel(cases(4000) / QUESTIONS as u64, |seed| {
        ask_small_system(seed, &counts, &figures);
    });
    let Figures { holds, violated, reduced, smaller } = &figures;
    let [holds, violated, reduced, smaller] =
        [holds, violated, reduced, smaller].map(|one| one.load(Ordering::Relaxed));
    eprintln!(
        "{holds} hold, {violated} are violated; {reduced} reduced, {smaller} with fewer nodes"
    );
    assert!(
        holds > 300 && violated > 300 && reduced > 500 && smaller > 50,
        "too few were compared"
    );
}

macro_rules! mistakes {
    ($($name:ident: $($condition:ident),+;)+) => {
        $(
            struct $name;
            impl Conditions for $name {
                const ASSERTS: bool = false;
                $(const $condition: bool = false;)+
            }
        )+
    };
}

mistakes! {
    NoProviso: PROVISO;
    SelfLoops: STRICT;
    NoAtoms: ATOMS;
    AtomsByValue: VIEWS;
    NoEvents: EVENTS;
    NoDeclared: DECLARED;
    SharedGuards: GUARDS;
    EnabledOnly: POSSIBLE;
    NoContacts: WRITERS, READERS;
    NoReaders: READERS;
    NoC4: C4;
    NoC5: C5;
    NoC6: C6;
    NoC4NoC6: C4, C6;
}

struct Unasserted;

impl Conditions for Unasserted {
    const ASSERTS: bool = false;
}

type Answered = Result<Option<Verdict>, Box<Misjudged>>;

/// The answer of a mutant; none if nothing may be reduced.
type Answerer = fn(&Model, &Options) -> Answered;

fn by<C: Conditions>(model: &Model, options: &Options) -> Answered {
    forced::<C>(model, 0, options)
}

const MUTANTS: &[(&str, Answerer)] = &[
    ("no mistake", by::<Exact>),
    ("no proviso", by::<NoProviso>),
    ("self-loops", by::<SelfLoops>),
    ("atoms", by::<NoAtoms>),
    ("atoms by their values", by::<AtomsByValue>),
    ("visible events", by::<NoEvents>),
    ("declared requirements", by::<NoDeclared>),
    ("guards that read what is shared", by::<SharedGuards>),
    ("enabled rules only", by::<EnabledOnly>),
    ("writers and readers", by::<NoContacts>),
    ("readers", by::<NoReaders>),
    ("C4", by::<NoC4>),
    ("C5", by::<NoC5>),
    ("C6", by::<NoC6>),
    ("C4 and C6", by::<NoC4NoC6>),
    ("sensitive formula", by::<Unasserted>),
    ("tracked values of the start", by_start_tuple),
    ("one step only", |model, options| walked(model, options, Mistake::OneStep)),
    ("enabled in the reduced graph", |model, options| walked(model, options, Mistake::Enabled)),
];

/// Choices for which tracked variables always have the values of the start.
struct Fixed<'c> {
    inner: Box<dyn Choices + 'c>,
}

struct FixedChooser<'c> {
    inner: Box<dyn Chooser + 'c>,
    first: Option<Vec<i64>>,
}

impl Choices for Fixed<'_> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        Box::new(FixedChooser { inner: self.inner.chooser(), first: None })
    }
}

impl Chooser for FixedChooser<'_> {
    fn choose(&mut self, state: &[u64], tracked: &[i64]) -> Option<ProcessId> {
        // The first question is about the start.
        let first = self.first.get_or_insert_with(|| tracked.to_vec());
        self.inner.choose(state, first)
    }
}

fn by_start_tuple(model: &Model, options: &Options) -> Answered {
    forced_by(model, 0, options, |system, formula| {
        let inner = system.ample_choices::<Unasserted>(formula, options.demand)?;
        Some(Box::new(Fixed { inner: Box::new(inner) }))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// One step of the chosen process is followed.
    OneStep,
    /// What is omitted does not count as enabled.
    Enabled,
}

/// A walk that omits steps, with a mistake.
struct Mistaken<'w> {
    inner: PlainWalker<'w>,
    chooser: Box<dyn Chooser + 'w>,
    owners: Vec<OwnerSummary>,
    cells: Vec<i64>,
    mistake: Mistake,
}

impl PlainWalk for Mistaken<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.inner.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.inner.state(of)
    }

    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        let chosen = self.chooser.choose(self.inner.state(of), &self.cells);
        let mut first = None;
        self.inner.edges(of, &mut |edge| {
            let owner = self.owners[edge.rule as usize].process(edge.arguments);
            if chosen.is_some() && owner != chosen {
                return;
            }
            let number = *first.get_or_insert(edge.number);
            if chosen.is_none() || self.mistake != Mistake::OneStep || number == edge.number {
                each(edge);
            }
        })
    }

    fn enabled_edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        match self.mistake {
            Mistake::OneStep => self.inner.edges(of, each),
            Mistake::Enabled => self.edges(of, each),
        }
    }

    fn action(&self, action: ActionNumber) -> (u32, &[i64]) {
        self.inner.action(action)
    }
}

fn walked(model: &Model, options: &Options, mistake: Mistake) -> Answered {
    let system = CompiledModel::new(model);
    let formula = &model.questions[0];
    let options = Options { reduction: Reduction::Off, ..*options };
    let quotient = Quotient::new(&system, options.reduction);
    let question = Question::new(&system, formula, &options, Limits::default());
    let question = question.expect("a small formula");
    let Some(choices) = system.ample_choices::<Unasserted>(formula, options.demand) else {
        return Ok(None);
    };
    for instance in question.instances(quotient.structure().indices()) {
        let walk = Mistaken {
            inner: PlainWalker::new(&quotient),
            chooser: choices.chooser(),
            owners: system.rules().into_iter().map(|rule| rule.owner).collect(),
            cells: instance.cells.clone(),
            mistake,
        };
        let found = question.answer_plainly(&quotient, walk, &instance, &|_| None)?;
        if !matches!(found.verdict, Verdict::Holds) {
            return Ok(Some(found.verdict));
        }
    }
    Ok(Some(Verdict::Holds))
}

fn said(by: Answerer, model: &Model, demand: Demand) -> Option<bool> {
    let options = Options { demand, longest_cycle: 500, ..Options::default() };
    let ask = AssertUnwindSafe(|| by(model, &options));
    match std::panic::catch_unwind(ask) {
        Ok(Ok(Some(Verdict::Holds))) => Some(false),
        // What is found, but not believed, was found.
        Ok(Ok(Some(Verdict::Violated(_) | Verdict::Unknown(_))) | Err(_)) => Some(true),
        Ok(Ok(None | Some(Verdict::Failed(_)))) | Err(_) => None,
    }
}

/// Whether reduction is used for the only question.
fn is_reduced(model: &Model, demand: Demand) -> bool {
    let options = Options { demand, partial_order: PartialOrder::Auto, ..Options::default() };
    let system = CompiledModel::new(model);
    let question = Question::new(&system, &model.questions[0], &options, Limits::default());
    question.expect("a small formula").by_partial_order() == Reduced::Yes
}

const NONE: Demand = Demand { declared: true, ..Demand::NONE };

/// Systems with symmetry: the mutant, the system, a formula that it violates.
const SYMMETRIC: [(&str, &str, &str); 1] = [
    // When the other process has moved, the tracked one has another name in the representative.
    (
        "tracked values of the start",
        "type p: scalarset(2); var l: array [p] of 0..2; v: 0..1;
        startstate v := 0; for i: p do l[i] := 2; end; end;
        process i: p do
          rule \"on\" l[i] = 2 ==> l[i] := 1; end;
          rule \"up\" l[i] = 1 ==> l[i] := 0; end;
        end;
        process server do rule \"set\" v = 0 ==> v := 1; end; end;",
        "forall c: p. G !(l[c] = 1 & v = 1)",
    ),
];

/// Mutants that are noticed among random systems, but not by a named one.
const ELSEWHERE: [&str; 1] = ["guards that read what is shared"];

/// Each named system is violated, the right rule says so, and the mutant does not.
#[test]
fn named_systems_tell_mistakes_of_reduction() {
    let mut unnoticed = Vec::new();
    let mut tell = |name: &str, text: &str, formula: &str, demand: Demand| {
        let model = check_with(text, &[], &[formula]);
        let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in {text}\n{formula}"));
        let reference = Reference::new(&model, 200).expect("a small system");
        let expected = violates(&reference, &model.questions[0], demand).expect("nothing fails");
        let (_, mistaken) = MUTANTS.iter().find(|(one, _)| *one == name).expect("it is a mutant");
        let context = format!("{name}: {formula} under {demand:?} of\n{text}");
        let options = Options { demand, partial_order: PartialOrder::Auto, ..Options::default() };
        let system = CompiledModel::new(&model);
        let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none());
        let found = found.unwrap_or_else(|wrong| panic!("{wrong:#?} {context}"));
        assert_eq!(is_violated(&found.verdict), expected, "{context}");
        if said(*mistaken, &model, demand).is_none_or(|said| said == expected) {
            unnoticed.push(context);
        }
    };
    for named in all().iter().filter(|one| !ELSEWHERE.contains(&one.mutant)) {
        let asked = named_question(named);
        tell(named.mutant, &named.system.text(), &asked.formula, asked.demand);
    }
    for (name, text, formula) in SYMMETRIC {
        tell(name, text, formula, NONE);
    }
    assert!(unnoticed.is_empty(), "{} are not told:\n{}", unnoticed.len(), unnoticed.join("\n"));
}

/// How many random systems are looked at, out of those of the ordinary run.
const SYSTEMS: u64 = 500;

#[test]
fn mistakes_of_reduction_are_noticed() {
    let wrong: [[AtomicUsize; 3]; MUTANTS.len()] = Default::default();
    let ask_all = |text: &str, formula: &str, demand: Demand| {
        let model = check_with(text, &[], &[formula]);
        let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in {text}\n{formula}"));
        let Some(reference) = Reference::new(&model, 150) else { return };
        let Some(violated) = violates(&reference, &model.questions[0], demand) else { return };
        let is_sound = is_reduced(&model, demand);
        for ((name, by), wrong) in MUTANTS.iter().zip(&wrong) {
            // Formulas that silent steps can change are for one mutant alone.
            if !is_sound && *name != "sensitive formula" {
                continue;
            }
            let noted = match said(*by, &model, demand) {
                Some(said) if said == violated => continue,
                Some(false) => 0,
                Some(true) => 1,
                None => {
                    assert!(*name != "no mistake", "{formula} under {demand:?} of\n{text}");
                    continue;
                }
            };
            wrong[noted].fetch_add(1, Ordering::Relaxed);
        }
    };
    for named in all() {
        let asked = named_question(&named);
        ask_all(&named.system.text(), &asked.formula, asked.demand);
    }
    for (_, text, formula) in SYMMETRIC {
        ask_all(text, formula, NONE);
    }
    in_parallel(SYSTEMS, |seed| {
        let (text, questions) = case(seed);
        for one in questions {
            ask_all(&text, &one.formula, one.demand);
        }
    });
    let mut unnoticed = Vec::new();
    eprintln!("{:40} missed  false alarms", "");
    for (k, ((name, _), wrong)) in MUTANTS.iter().zip(wrong).enumerate() {
        let [missed, false_alarms, _] = wrong.map(AtomicUsize::into_inner);
        eprintln!("{name:40} {missed:6} {false_alarms:13}");
        // The first has none.
        if (missed + false_alarms == 0) != (k == 0) {
            unnoticed.push(name);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

/// What reduction is not sound with, it is not used with.
#[test]
fn reduction_is_refused_where_it_is_unsound() {
    let text = "
        var l0: 0..1; l1: 0..1; v: 0..1;
        startstate l0 := 0; l1 := 0; v := 0; end;
        process p do rule \"a\" l0 = 0 ==> l0 := 1; end; end;
        process q do
          rule \"b\" l1 = 0 ==> l1 := 1; v := 1; end;
          rule \"c\" l1 = 1 ==> l1 := 0; v := 0; end;
        end;";
    let assumption = "assume \"few\" v < 2;";
    let global = Demand { fairness: Fairness::Global, over: Over::Processes, declared: true };
    let reduced = |text: &str, formula: &str, demand: Demand| {
        let model = check_with(text, &[], &[formula]).expect("a model");
        is_reduced(&model, demand)
    };
    assert!(reduced(text, "F v = 1", NONE));
    assert!(!reduced(text, "X v = 1", NONE));
    assert!(!reduced(text, "@b U @c", NONE));
    assert!(!reduced(text, "v = 0 U (v < 2 & @b)", NONE));
    assert!(!reduced(text, "F v = 1", global));
    assert!(!reduced(&format!("{text}{assumption}"), "F v = 1", NONE));
    // Nobody has rules that concern nothing else.
    let shared = text.replace("l0 := 1;", "l0 := 1; v := v;");
    assert!(!reduced(&shared, "G F v = 1", NONE));
}
