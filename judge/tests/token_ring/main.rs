//! The judge with a system that is written by hand in plain Rust: it accepts right counterexamples, and
//! has the right objection to wrong ones.

mod claims;
mod components;
mod fairness;
mod laps;
mod ring;

use judge::{Bound, Objection, Reference, Run, Step, judge, letters, walk};
use ring::{Declares, Event, Formula, Mode, Ring, State};
use std::collections::HashSet;
use std::mem::discriminant;

/// Nodes that ask, and nothing else.
const PLAIN: Ring = Ring { asks: true, environment: false, declares: Declares::Nothing };
/// With states in which the judge must be careful.
const CAREFUL: Ring = Ring { environment: true, ..PLAIN };

const ACCEPTED: &str = "accepted";
const SERVED: (&str, &str) = ("n", "G(wants_n -> F serve_n)");
const BECOME: fn(Mode) -> Option<Event> = |mode| Some(Event::Become(mode));

// Events of the nodes.
const A0: Option<Event> = Some(Event::Ask(0));
const A1: Option<Event> = Some(Event::Ask(1));
const A2: Option<Event> = Some(Event::Ask(2));
const S0: Option<Event> = Some(Event::Serve(0));
const S1: Option<Event> = Some(Event::Serve(1));
const S2: Option<Event> = Some(Event::Serve(2));
const P0: Option<Event> = Some(Event::Pass(0));
const P1: Option<Event> = Some(Event::Pass(1));
const P2: Option<Event> = Some(Event::Pass(2));

/// The run of these events from a state; no event is a stutter.
fn follow(ring: Ring, start: State, stem: &[Option<Event>], cycle: &[Option<Event>]) -> Run<Ring> {
    let mut state = start;
    let mut take = |event: &Option<Event>| {
        let Some(event) = event else { return Step { state: state.clone(), action: None } };
        let steps = ring.steps(&state).attempts;
        let taken = steps.into_iter().find(|one| one.action.1 == *event);
        let taken = taken.unwrap_or_else(|| panic!("{event:?} is not enabled in {state:?}"));
        // The state after a body that fails is claimed to be the same.
        let target = taken.target.unwrap_or_else(|_| state.clone());
        let before = std::mem::replace(&mut state, target);
        Step { state: before, action: Some(taken.action) }
    };
    let stem = stem.iter().map(&mut take).collect();
    let cycle = cycle.iter().map(&mut take).collect();
    Run { stem, cycle, end: state }
}

/// Node 1 asks and is never served.
fn starving() -> Run<Ring> {
    follow(CAREFUL, State::start(0), &[A1], &[P0, P1, P2])
}

fn shown<T>(judged: &Result<T, Objection<Ring>>) -> String {
    judged.as_ref().map_or_else(ToString::to_string, |_| ACCEPTED.to_owned())
}

/// (tracked variables, formula, their values, run, what the judge says)
type Row = (&'static str, &'static str, &'static [Bound<Ring>], fn() -> Run<Ring>, &'static str);

const ROWS: &[Row] = &[
    (SERVED.0, SERVED.1, &[('n', 1)], starving, ACCEPTED),
    (SERVED.0, SERVED.1, &[('n', 0)], starving, "the run satisfies the formula"),
    ("nm", "G !(by_n & X by_m)", &[('n', 0), ('m', 1)], starving, ACCEPTED),
    ("nm", "G !(by_n & X by_m)", &[('m', 1), ('n', 2)], starving, "the run satisfies the formula"),
    ("", "F G !ask", &[], starving, "the run satisfies the formula"),
    // The values of the tracked variables.
    (SERVED.0, SERVED.1, &[], starving, "`n` has no value"),
    (SERVED.0, SERVED.1, &[('n', 1), ('n', 1)], starving, "`n` has more than one value"),
    (
        SERVED.0,
        SERVED.1,
        &[('n', 1), ('m', 1)],
        starving,
        "a value is given to m, which is not tracked",
    ),
    (SERVED.0, SERVED.1, &[('n', 3)], starving, "the value of `n` is not of its type"),
    (
        "nm",
        "G !(by_n & X by_m)",
        &[('n', 1), ('m', 1)],
        starving,
        "`n` and `m` must be distinct, but have the same value",
    ),
    // A state without steps is followed by itself, and only such a one.
    (
        "",
        "G F at_0",
        &[],
        || follow(CAREFUL, State::start(0), &[P0, BECOME(Mode::Halted)], &[None]),
        ACCEPTED,
    ),
    (
        "",
        "G F at_0",
        &[],
        || follow(CAREFUL, State::start(0), &[P0], &[None]),
        "no process is executed in step 2, but there is a step to take",
    ),
    (
        "",
        "G F at_0",
        &[],
        || {
            let mut run = follow(CAREFUL, State::start(0), &[BECOME(Mode::Halted)], &[None, None]);
            run.cycle[1].state.token = 1;
            run
        },
        "step 2 changes the state, but no process is executed",
    ),
    // Runs that are none.
    ("", "false", &[], || follow(CAREFUL, State::start(0), &[P0], &[]), FINITE),
    (
        "",
        "false",
        &[],
        || {
            let start = State { wants: [true, false, false], ..State::start(0) };
            follow(CAREFUL, start, &[], &[P0, P1, P2])
        },
        "the run does not begin in a start state",
    ),
    (
        SERVED.0,
        SERVED.1,
        &[('n', 1)],
        || {
            let mut run = starving();
            run.cycle[1].action = run.cycle[0].action;
            run
        },
        "step 3 is no step of the model",
    ),
    (
        SERVED.0,
        SERVED.1,
        &[('n', 1)],
        || {
            let mut run = starving();
            run.cycle[2].state.wants[0] = true;
            run
        },
        "step 3 is no step of the model",
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[], &[P0, P1]),
        "the cycle does not lead back to its first state",
    ),
    // Assumptions.
    (
        "",
        "false",
        &[],
        || {
            let start = State { mode: Mode::Forbidden, ..State::start(0) };
            follow(CAREFUL, start, &[], &[None])
        },
        "the run begins in a state that violates an assumption",
    ),
    (
        "",
        "false",
        &[],
        || {
            let start = State { mode: Mode::Hazy, ..State::start(0) };
            follow(CAREFUL, start, &[], &[None])
        },
        "an assumption fails in the first state: Assumption fails",
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[BECOME(Mode::Forbidden)], &[None]),
        "step 1 leads to a state that violates an assumption",
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[BECOME(Mode::Hazy)], &[None]),
        "step 1 cannot be checked: Assumption fails",
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[BECOME(Mode::Doomed)], &[None]),
        "no process is executed in step 2, but there are steps, all to states that violate an assumption",
    ),
    // Faults: a guard's counts for the whole state, a body's for its own action.
    (
        "",
        "false",
        &[],
        || {
            let start = State::start(0);
            follow(CAREFUL, start, &[], &[BECOME(Mode::Jammed), BECOME(Mode::Running)])
        },
        "step 2 cannot be checked: Guard fails",
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[BECOME(Mode::Jammed)], &[None]),
        "step 2 cannot be checked: Guard fails",
    ),
    (
        "",
        "false",
        &[],
        || {
            let start = State::start(0);
            follow(CAREFUL, start, &[], &[BECOME(Mode::Melted), BECOME(Mode::Running)])
        },
        ACCEPTED,
    ),
    (
        "",
        "false",
        &[],
        || follow(CAREFUL, State::start(0), &[BECOME(Mode::Melted)], &[BECOME(Mode::Halted)]),
        "step 2 cannot be checked: Body fails",
    ),
    (
        "",
        "F G !sound",
        &[],
        || {
            let start = State::start(0);
            follow(CAREFUL, start, &[], &[BECOME(Mode::Melted), BECOME(Mode::Running)])
        },
        "`sound` has no value in state 1: Atom fails",
    ),
];

const FINITE: &str = "the run ends, but the formula is about infinite runs";

#[test]
fn runs_are_judged() {
    let mut met = HashSet::new();
    for &(tracked, text, binding, run, expected) in ROWS {
        let formula = Formula::new(tracked, text);
        let judged = judge(&CAREFUL, &formula, binding, &run());
        assert_eq!(shown(&judged), expected, "{text} with {binding:?} on {:?}", run());
        met.extend(judged.err().map(|objection| discriminant(&objection)));
    }
    let name = String::new;
    for expected in [
        Objection::Unbound { name: name() },
        Objection::BoundTwice { name: name() },
        Objection::NotTracked { name: name() },
        Objection::OfOtherType { name: name() },
        Objection::NotDistinct { first: name(), second: name() },
        Objection::Finite,
        Objection::NotAStart,
        Objection::StartCut,
        Objection::NotAStep { position: 0 },
        Objection::StepCut { position: 0 },
        Objection::StutterMoves { position: 0 },
        Objection::NotStuck { position: 0 },
        Objection::Removed { position: 0 },
        Objection::Open,
        Objection::Fails { position: None, failure: Box::new(ring::Fault::Body) },
        Objection::AtomFails { position: 0, atom: name(), failure: Box::new(ring::Fault::Atom) },
        Objection::Satisfied,
    ] {
        let expected: Objection<Ring> = expected;
        assert!(met.contains(&discriminant(&expected)), "{expected:?} does not occur");
    }
}

#[test]
fn runs_that_end_are_walked() {
    let run = follow(CAREFUL, State::start(2), &[A1, P2], &[]);
    assert_eq!(walk(&CAREFUL, &run), Ok(()));
    assert_eq!(walk(&PLAIN, &run), Ok(()));
    let cut = follow(CAREFUL, State::start(2), &[A1, BECOME(Mode::Forbidden)], &[]);
    assert_eq!(walk(&CAREFUL, &cut), Err(Objection::StepCut { position: 1 }));
    // The ring has no such process.
    assert_eq!(walk(&PLAIN, &cut), Err(Objection::NotAStep { position: 1 }));
}

#[test]
fn letters_are_those_of_states_and_events() {
    let formula = Formula::new("n", "wants_n | at_n | by_n");
    let run = follow(PLAIN, State::start(0), &[A1, P0], &[S1, A1]);
    let letters = letters(&PLAIN, &formula, &[('n', 1)], &run).expect("nothing fails");
    let found = letters.iter().map(|letter| {
        let texts = letter.atoms().map(|atom| PLAIN.atom_text(&formula, atom));
        let mut texts: Vec<String> = texts.collect();
        texts.sort_unstable();
        texts.join(" ")
    });
    let found: Vec<String> = found.collect();
    assert_eq!(found, ["by_n", "wants_n", "at_n by_n wants_n", "at_n by_n"]);
}

#[test]
fn cycles_begin_as_early_as_possible() {
    let cycle = [P0, P1, P2];
    let mut run = follow(PLAIN, State::start(0), &[P0, P1, P2, P0], &[P1, P2, P0]);
    run.roll();
    assert_eq!(run, follow(PLAIN, State::start(0), &[], &cycle));
}
