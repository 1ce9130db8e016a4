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
use run::{SplitMix64, StopReason, Watch};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    let (holds, _) = within(net, questions, reduction, fairness, Duration::from_secs(60));
    holds
}

/// The same, with this time in the first round; and how many were violated by random runs.
fn within(
    net: &Net,
    questions: &[Question],
    reduction: Reduction,
    fairness: Fairness,
    first: Duration,
) -> (Vec<bool>, usize) {
    let demand = Demand { fairness, over: Over::Events, declared: true };
    // Without symmetry, nothing but a search for components of the formula as it is.
    let engine = match reduction {
        Reduction::Off => check::Engine::Components,
        _ => check::Engine::Auto,
    };
    let options = answers::Options {
        check: check::Options { reduction, demand, engine, ..check::Options::default() },
        first,
        growth: 2,
    };
    let asked: Vec<Ask<'_>> = questions.iter().map(Ask::Question).collect();
    let (mut holds, mut walked) = (vec![None; asked.len()], 0);
    let told = answers::answer(net, &asked, &options, &Watch::none(), &mut |at, answer| {
        let outcome = match answer {
            Answer::Formula(outcome) => outcome,
            Answer::Walked(..) => {
                walked += 1;
                holds[at] = Some(false);
                return;
            }
            Answer::Always(_) | Answer::Equation(_) => {
                holds[at] = Some(true);
                return;
            }
            other => panic!("{other:?}"),
        };
        holds[at] = match outcome.verdict {
            Verdict::Holds => Some(true),
            Verdict::Violated(_) => Some(false),
            other => panic!("{other:?}"),
        };
    });
    told.unwrap_or_else(|wrong| panic!("{wrong}: {net:#?}"));
    let holds = holds.into_iter().map(|one| one.expect("every question is answered"));
    (holds.collect(), walked)
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

/// Random runs are read if the first round has no time to answer. They say nothing that is not so.
#[test]
fn random_runs_change_no_verdict() {
    let mut generator = Generator(SplitMix64::new(262));
    let (mut yes, mut no, mut by_walks) = (0, 0, 0);
    for round in 0..600 {
        let net = generator.net();
        if reached(&net).is_none_or(|[markings, ..]| markings < 3) {
            continue;
        }
        let questions: Vec<Question> = (0..6)
            .map(|_| {
                let depth = 1 + generator.below(3);
                let written = formula(&mut generator, &net, depth);
                Question::All(text::parse(&written, &net).expect(&written))
            })
            .collect();
        let expected = holds(&net, &questions, Reduction::Off, Fairness::None);
        let first = Duration::from_nanos(1);
        let (found, walked) = within(&net, &questions, Reduction::Canonical, Fairness::None, first);
        assert_eq!(found, expected, "{round}: {questions:#?} {net:#?}");
        by_walks += walked;
        yes += expected.iter().filter(|holds| **holds).count();
        no += expected.iter().filter(|holds| !**holds).count();
    }
    assert!(yes > 100 && no > 100 && by_walks > 20, "{yes} {no} {by_walks}");
}

/// A net of so many parts that go round independently.
fn independent(parts: usize) -> Net {
    let mut text = String::from(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"parts\" \
         type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"page\">",
    );
    for k in 0..parts {
        for (id, tokens) in [("a", 1), ("b", 0), ("c", 0)] {
            let _ = write!(
                text,
                "<place id=\"{id}{k}\"><initialMarking><text>{tokens}</text></initialMarking></place>"
            );
        }
        for (id, from, to) in [("t", "a", "b"), ("u", "b", "c"), ("v", "c", "a")] {
            let _ = write!(
                text,
                "<transition id=\"{id}{k}\"/><arc id=\"{id}{k}i\" source=\"{from}{k}\" target=\"{id}{k}\"/>\
                 <arc id=\"{id}{k}o\" source=\"{id}{k}\" target=\"{to}{k}\"/>"
            );
        }
    }
    text.push_str("</page></net></pnml>");
    nets::pnml::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}: {text}"))
}

/// A formula that nobody can decide in time does not keep others from being answered, though it comes
/// first.
#[test]
fn a_hard_formula_does_not_starve_others() {
    const EASY: usize = 15;
    let net = independent(40);
    let hard = "G F (tokens(a0) >= 1 | tokens(b0) >= 1 | tokens(c0) >= 1)";
    let easy = (0..EASY).map(|k| format!("F (tokens(b{k}) >= 2)"));
    let written: Vec<String> = std::iter::once(hard.to_owned()).chain(easy).collect();
    let questions: Vec<Question> =
        written.iter().map(|one| Question::All(text::parse(one, &net).expect(one))).collect();
    let asked: Vec<Ask<'_>> = questions.iter().map(Ask::Question).collect();
    let options = answers::Options {
        check: check::Options::default(),
        first: Duration::from_millis(20),
        growth: 3,
    };
    let told = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&told);
    // It ends when the easy ones are answered, or after more states than they need by far.
    let watch = Watch::new(move |now| {
        let is_enough = seen.load(Ordering::Relaxed) == EASY || now.product_nodes > 20_000_000;
        is_enough.then_some(StopReason::Interrupted)
    });
    let mut answered = vec![false; written.len()];
    let done = answers::answer(&net, &asked, &options, &watch, &mut |at, answer| {
        answered[at] = match answer {
            Answer::Formula(outcome) => matches!(outcome.verdict, Verdict::Violated(_)),
            Answer::Walked(..) => true,
            _ => false,
        };
        told.fetch_add(usize::from(answered[at]), Ordering::Relaxed);
    });
    assert!(done.is_ok(), "{:?}", done.err());
    assert!(!answered[0] && answered[1..].iter().all(|one| *one), "{answered:?}");
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
