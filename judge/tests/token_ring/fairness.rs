//! Runs that are fair in each way, and runs that are not.

use super::ring::{Declares, Ring, State};
use super::{A0, A1, A2, BECOME, CAREFUL, Event, Mode, P0, P1, P2, PLAIN, S0, S1, S2, follow};
use judge::{AllSteps, Argument, OwedEvents, Reason, Reference, Run, judge_fairness, walk};
use std::collections::{HashMap, HashSet, VecDeque};
use terms::{Demand, Fairness, Over};

const FAIR_EVENTS: Ring = Ring { declares: Declares::FairEvents, ..PLAIN };
const REQUIREMENTS: Ring = Ring { declares: Declares::Requirements, ..PLAIN };

const NONE: Demand = Demand::NONE;
const WEAK: Demand = Demand { fairness: Fairness::Weak, ..NONE };
const STRONG: Demand = Demand { fairness: Fairness::Strong, ..NONE };
const WEAK_EVENTS: Demand = Demand { over: Over::Events, ..WEAK };
const STRONG_EVENTS: Demand = Demand { over: Over::Events, ..STRONG };
const GLOBAL: Demand = Demand { fairness: Fairness::Global, ..NONE };
const AS_DECLARED: Demand = Demand { declared: true, ..NONE };

/// Node 1 asks and is never served; the others only pass the token on.
const STARVES: (&[Option<Event>], &[Option<Event>]) = (&[A1], &[P0, P1, P2]);
/// Node 1 asks and is never served; the others are.
const UNLUCKY: (&[Option<Event>], &[Option<Event>]) = (&[A1], &[A0, S0, P0, P1, A2, S2, P2]);
/// All ask and are served.
const LUCKY: (&[Option<Event>], &[Option<Event>]) = (&[], &[A0, S0, P0, A1, S1, P1, A2, S2, P2]);
/// Nodes 1 and 2 ask and are never served.
const BOTH_WAIT: (&[Option<Event>], &[Option<Event>]) = (&[A1, A2], &[P0, P1, P2]);
/// Node 0 keeps the token.
const KEPT: (&[Option<Event>], &[Option<Event>]) = (&[], &[A0, S0]);

#[test]
fn fairness_is_judged_by_definition() {
    // (ring, demand, run, what the judge says)
    type Lasso = (&'static [Option<Event>], &'static [Option<Event>]);
    let rows: &[(Ring, Demand, Lasso, &[&str])] = &[
        (PLAIN, NONE, STARVES, &[]),
        (
            PLAIN,
            WEAK,
            STARVES,
            &["weak Node(0) executed 2", "weak Node(1) executed 3", "weak Node(2) executed 4"],
        ),
        (
            PLAIN,
            STRONG,
            STARVES,
            &[
                "strong Node(0) executed 2",
                "strong Node(1) executed 3",
                "strong Node(2) executed 4",
            ],
        ),
        (PLAIN, WEAK, KEPT, &["unfair to Node(1)"]),
        (PLAIN, WEAK_EVENTS, STARVES, &["unfair to Ask(0)"]),
        (
            PLAIN,
            WEAK_EVENTS,
            UNLUCKY,
            &[
                "weak Ask(0) executed 2",
                "weak Ask(2) executed 6",
                "weak Serve(0) executed 3",
                "weak Serve(1) disabled 2",
                "weak Serve(2) executed 7",
                "weak Pass(0) executed 4",
                "weak Pass(1) executed 5",
                "weak Pass(2) executed 8",
            ],
        ),
        (PLAIN, STRONG_EVENTS, UNLUCKY, &["unfair to Serve(1)"]),
        (PLAIN, GLOBAL, LUCKY, &["unfair to Node(1): Ask(1)"]),
        (PLAIN, AS_DECLARED, KEPT, &[]),
        (FAIR_EVENTS, AS_DECLARED, STARVES, &["unfair to Serve(1)"]),
        (FAIR_EVENTS, AS_DECLARED, KEPT, &["unfair to Pass(0)"]),
        (
            FAIR_EVENTS,
            AS_DECLARED,
            LUCKY,
            &[
                "weak Pass(0) executed 3",
                "weak Pass(1) executed 6",
                "weak Pass(2) executed 9",
                "strong Serve(0) executed 2",
                "strong Serve(1) executed 5",
                "strong Serve(2) executed 8",
            ],
        ),
        (REQUIREMENTS, AS_DECLARED, KEPT, &["unfair to justice[1]"]),
        (REQUIREMENTS, AS_DECLARED, BOTH_WAIT, &["unfair to compassion[1, 2]"]),
        (
            REQUIREMENTS,
            AS_DECLARED,
            STARVES,
            &[
                "weak justice[0] true 2",
                "weak justice[1] true 3",
                "weak justice[2] true 4",
                "strong compassion[0, 1] never",
                "strong compassion[0, 2] true 2",
                "strong compassion[1, 0] true 2",
                "strong compassion[1, 2] true 2",
                "strong compassion[2, 0] true 2",
                "strong compassion[2, 1] never",
            ],
        ),
    ];
    for &(ring, demand, (stem, cycle), expected) in rows {
        let run = follow(ring, State::start(0), stem, cycle);
        assert_eq!(walk(&ring, &run), Ok(()));
        let found = match judge_fairness(&ring, demand, &run, None) {
            Ok(argument) => lines(ring, &argument),
            Err(objection) => {
                let text = objection.to_string();
                let to =
                    text.strip_prefix("the run is not fair: it has an unsatisfied obligation to ");
                vec![format!("unfair to {}", to.expect("the run is not fair"))]
            }
        };
        assert_eq!(found, expected, "{demand:?} of {run:?}");
    }
}

#[test]
fn globally_fair_runs_take_all_steps() {
    let run = tour(PLAIN, State::start(0));
    assert_eq!(walk(&PLAIN, &run), Ok(()));
    let argument = judge_fairness(&PLAIN, GLOBAL, &run, None).expect("all steps are taken");
    // 3 places of the token, 8 sets of wishes; a node asks or may be served, and the token is passed on.
    let steps = 3 * (3 * 4 + 4) + 24;
    assert_eq!(argument.all_steps, Some(AllSteps { states: 24, steps }));
    for demand in [WEAK, STRONG, WEAK_EVENTS, STRONG_EVENTS] {
        let argument = judge_fairness(&PLAIN, demand, &run, None);
        assert!(argument.is_ok(), "a globally fair run is fair: {demand:?}");
    }
}

/// Steps to states from which every run is cut enable no process.
#[test]
fn cut_runs_enable_nobody() {
    let start = State::start(0);
    let cycle = [BECOME(Mode::Melted), BECOME(Mode::Running)];
    let run = follow(CAREFUL, start, &[A0, A1, A2], &cycle);
    let unfair = judge_fairness(&CAREFUL, WEAK, &run, None);
    assert!(unfair.is_ok(), "all nodes are disabled while the ring is melted: {unfair:?}");
    let argument = judge_fairness(&CAREFUL, STRONG_EVENTS, &run, None);
    let to = argument.expect_err("other events are enabled").to_string();
    assert_eq!(to, "the run is not fair: it has an unsatisfied obligation to Become(Halted)");
    let argument =
        judge_fairness(&CAREFUL, WEAK_EVENTS, &run, None).expect("none is always enabled");
    let events = lines(CAREFUL, &argument);
    for (event, is_enabled) in [
        ("Become(Halted)", true),
        // Where a guard fails, no run continues.
        ("Become(Jammed)", false),
        ("Become(Doomed)", false),
        ("Become(Forbidden)", false),
        ("Become(Hazy)", false),
    ] {
        let is_listed = events.iter().any(|line| line.contains(event));
        assert_eq!(is_listed, is_enabled, "{event} in {events:?}");
    }
}

/// A cycle through all steps of all states that are reached.
fn tour(ring: Ring, start: State) -> Run<Ring> {
    let mut left: HashSet<(State, Event)> = HashSet::new();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start.clone()];
    let targets = |state: &State| {
        let attempts = ring.steps(state).attempts.into_iter();
        let steps = attempts.map(|one| (one.action.1, one.target.expect("nothing fails")));
        steps.collect::<Vec<_>>()
    };
    while let Some(state) = open.pop() {
        for (event, target) in targets(&state) {
            left.insert((state.clone(), event));
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    // The events of a shortest way to a step that is wanted, and the state after it.
    let way = |from: &State, is_wanted: &dyn Fn(&State, Event, &State) -> bool| {
        let mut parents: HashMap<State, Vec<Event>> = HashMap::from([(from.clone(), Vec::new())]);
        let mut open = VecDeque::from([from.clone()]);
        loop {
            let state = open.pop_front().expect("there is a way");
            for (event, target) in targets(&state) {
                let mut events = parents[&state].clone();
                events.push(event);
                if is_wanted(&state, event, &target) {
                    return (events, target);
                }
                if !parents.contains_key(&target) {
                    parents.insert(target.clone(), events);
                    open.push_back(target);
                }
            }
        }
    };
    let mut events: Vec<Event> = Vec::new();
    let mut at = start.clone();
    while !left.is_empty() {
        let (more, _) = way(&at, &|state, event, _| left.contains(&(state.clone(), event)));
        for event in more {
            left.remove(&(at.clone(), event));
            let found = targets(&at).into_iter().find(|(one, _)| *one == event);
            at = found.expect("the event is enabled").1;
            events.push(event);
        }
    }
    if at != start {
        events.extend(way(&at, &|_, _, target| *target == start).0);
    }
    let events: Vec<Option<Event>> = events.into_iter().map(Some).collect();
    follow(ring, start, &[], &events)
}

fn lines(ring: Ring, argument: &Argument<Ring>) -> Vec<String> {
    let is_of_events = argument.events != OwedEvents::None;
    let kept = argument.kept.iter().map(|one| {
        let strength = if one.is_strong { "strong" } else { "weak" };
        let reason = match one.reason {
            Reason::Executed(_) => "executed",
            Reason::Disabled(_) => "disabled",
            Reason::True(_) => "true",
            Reason::Never => "never",
        };
        let at = one.reason.place().map_or(String::new(), |at| format!(" {}", at.position + 1));
        assert!(is_of_events || !matches!(one.party, judge::Party::Event(_)));
        format!("{strength} {} {reason}{at}", one.party.show(&ring))
    });
    kept.collect()
}
