//! Petri nets: verdicts do not depend on symmetry, and a net that is printed as a model is the same
//! system. Every run that violates a formula has been judged by the token game.

use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check;
use isonomy::check::Verdict;
use isonomy::explore::{self, Deadlock, Symmetry as States, explore};
use isonomy::nets::answers::{self, Answer, Ask};
use judge::Reference as _;
use nets::random::Generator;
use nets::{Game, Marking, Net, Question, Symmetry, print, text};
use run::{SplitMix64, Watch};
use std::collections::BTreeSet;
use std::time::Duration;
use terms::{Demand, Fairness, Over};

/// Nets with more markings than this are left out.
const MOST: usize = 300;

/// Markings, steps and dead markings; none if there are too many.
fn reached(net: &Net) -> Option<[usize; 3]> {
    let game = Game::new(net, &Symmetry::none(net));
    let mut seen: BTreeSet<Marking> = [game.initial()].into();
    let (mut open, mut steps, mut dead) = (vec![game.initial()], 0, 0);
    while let Some(marking) = open.pop() {
        let attempts = game.steps(&marking).attempts;
        dead += usize::from(attempts.is_empty());
        for attempt in attempts {
            let target = attempt.target.expect("few tokens are no fault");
            steps += 1;
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
        if seen.len() > MOST || steps > 10_000 {
            return None;
        }
    }
    Some([seen.len(), steps, dead])
}

/// The text of a random formula.
fn formula(generator: &mut Generator, net: &Net, depth: usize) -> String {
    if depth == 0 {
        let place = generator.below(net.places.len());
        let transition = generator.below(net.transitions.len());
        return match generator.below(5) {
            0 | 1 => format!("tokens(p{place}) <= {}", generator.below(4)),
            2 => format!("fireable(t{transition})"),
            3 => format!("@t{transition}"),
            _ => "dead".to_owned(),
        };
    }
    let one = formula(generator, net, depth - 1);
    match generator.below(8) {
        0 => format!("!({one})"),
        1 => format!("X ({one})"),
        2 => format!("F ({one})"),
        3 => format!("G ({one})"),
        4 => format!("G F ({one})"),
        kind => {
            let sign = ["&", "->", "U"][kind - 5];
            format!("({one}) {sign} ({})", formula(generator, net, depth - 1))
        }
    }
}

/// Whether all runs satisfy these formulas.
fn holds(net: &Net, questions: &[Question], reduction: Reduction, fairness: Fairness) -> Vec<bool> {
    let demand = Demand { fairness, over: Over::Events, declared: true };
    let options = answers::Options {
        check: check::Options { reduction, demand, ..check::Options::default() },
        first: Duration::from_secs(60),
        growth: 2,
    };
    let asked: Vec<Ask<'_>> = questions.iter().map(Ask::Question).collect();
    let mut holds = vec![None; asked.len()];
    let told = answers::answer(net, &asked, &options, &Watch::none(), &mut |at, answer| {
        let Answer::Formula(outcome) = answer else { panic!("{answer:?}") };
        holds[at] = match outcome.verdict {
            Verdict::Holds => Some(true),
            Verdict::Violated(_) => Some(false),
            other => panic!("{other:?}"),
        };
    });
    told.unwrap_or_else(|wrong| panic!("{:?}: {net:#?}", wrong.objection));
    holds.into_iter().map(|one| one.expect("every question is answered")).collect()
}

#[test]
fn symmetry_changes_no_verdict() {
    let mut generator = Generator(SplitMix64::new(260));
    let (mut yes, mut no) = (0, 0);
    for round in 0..1500 {
        let net = generator.net();
        let symmetry = Symmetry::of(&net, &[]);
        if symmetry.is_trivial() || reached(&net).is_none_or(|[markings, ..]| markings < 3) {
            continue;
        }
        let questions: Vec<Question> = (0..6)
            .map(|_| {
                let depth = 1 + generator.below(3);
                let written = formula(&mut generator, &net, depth);
                Question::All(text::parse(&written, &net).expect(&written))
            })
            .collect();
        let fairness =
            [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global][round % 4];
        let all = holds(&net, &questions, Reduction::Off, fairness);
        let representatives = holds(&net, &questions, Reduction::Canonical, fairness);
        assert_eq!(all, representatives, "{round} {fairness:?}: {questions:#?} {net:#?}");
        yes += all.iter().filter(|holds| **holds).count();
        no += all.iter().filter(|holds| !**holds).count();
    }
    assert!(yes > 200 && no > 200, "{yes} {no}");
}

#[test]
fn a_printed_net_has_the_same_states_and_steps() {
    let mut generator = Generator(SplitMix64::new(261));
    let (mut compared, mut symmetric) = (0, 0);
    for round in 0..1500 {
        let net = generator.net();
        let Some(expected) = reached(&net).filter(|[markings, ..]| *markings > 2) else { continue };
        let text = print::print(&net, &[]).text;
        let model = model::check(&text, &[]).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
        for symmetry in [States::Off, States::Canonical] {
            let options = explore::Options {
                deadlock: Deadlock::Stuck,
                symmetry,
                threads: 1,
                ..explore::Options::default()
            };
            let found = explore(&CompiledModel::new(&model), &options, &Watch::none());
            let full = found.full.as_ref().expect("it is exhaustive");
            let counts = [&full.states, &full.fired, &full.deadlocks].map(ToString::to_string);
            assert_eq!(counts, expected.map(|one| one.to_string()), "{round}:\n{text}");
        }
        compared += 1;
        symmetric += u32::from(!Symmetry::of(&net, &[]).of_initial(&net).is_trivial());
    }
    assert!(compared > 200 && symmetric > 50, "{compared} {symmetric}");
}
