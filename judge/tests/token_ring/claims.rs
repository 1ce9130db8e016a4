//! Claims about the last state of a run that ends.

use super::ring::{ALL_WANT, ALLOWED, Fault, Formula, Mode, QUIET, RUNS, Ring, State};
use super::{A1, A2, BECOME, CAREFUL, Event, P0, P1, P2, PLAIN, follow, shown};
use judge::{Claim, Deadlock, Extent, Objection, judge_claim};
use std::collections::HashSet;
use std::mem::discriminant;
use terms::PropertyId;

const ACCEPTED: &str = super::ACCEPTED;
const HOLDS: &str = "the property holds in the last state";
const NOTHING: &str = "what is said to fail in the last state does not";
const NO_PROPERTY: &str = "there is no such property";
const NO_DEADLOCK: &str = "the last state is no deadlock";

const STUCK: Claim<'static, Ring> = Claim::Deadlock(Deadlock::Stuck);
const STUTTERING: Claim<'static, Ring> = Claim::Deadlock(Deadlock::Stuttering);

fn invariant(property: PropertyId, choice: Option<usize>) -> Claim<'static, Ring> {
    Claim::Invariant { property, choice }
}

fn liveness(property: PropertyId, choice: usize) -> Claim<'static, Ring> {
    Claim::Liveness { property, choice }
}

#[test]
fn claims_are_judged() {
    // (events of the run, claim, what the judge says)
    type Row<'r> = (&'r [Option<Event>], Claim<'r, Ring>, &'r str);
    let melted = [BECOME(Mode::Melted)];
    let halted = [A2, BECOME(Mode::Halted)];
    let sound = Formula::new("n", "G (sound | wants_n)");
    let atom = |atom, binding| Claim::Atom { formula: &sound, binding, atom };
    let (number_of_sound, other) = (ltl::Atom(0), ltl::Atom(1));
    let rows: &[Row<'_>] = &[
        (&[A1], invariant(QUIET, None), ACCEPTED),
        (&[A1], invariant(QUIET, Some(0)), HOLDS),
        (&[A1], invariant(QUIET, Some(1)), ACCEPTED),
        (
            &[A1],
            invariant(QUIET, Some(3)),
            "there are not so many choices of values around the property",
        ),
        (&[P0], invariant(QUIET, None), HOLDS),
        (
            &melted,
            invariant(QUIET, None),
            "the property has no value in the last state: Property fails",
        ),
        (
            &melted,
            invariant(QUIET, Some(0)),
            "the property has no value in the last state: Property fails",
        ),
        (&[], invariant(ALLOWED, None), NO_PROPERTY),
        (&[], invariant(ALL_WANT, None), NO_PROPERTY),
        (&[], invariant(PropertyId(9), None), NO_PROPERTY),
        // Faults of guards, bodies, properties, and of assumptions about the next states.
        (&melted, Claim::Failure(None), ACCEPTED),
        (&melted, Claim::Failure(Some(Fault::Body)), ACCEPTED),
        (&melted, Claim::Failure(Some(Fault::Property)), ACCEPTED),
        (&melted, Claim::Failure(Some(Fault::Guard)), NOTHING),
        (&[BECOME(Mode::Jammed)], Claim::Failure(Some(Fault::Guard)), ACCEPTED),
        (&[], Claim::Failure(Some(Fault::Assumption)), ACCEPTED),
        (&halted, Claim::Failure(None), NOTHING),
        // Deadlocks. A cut step is a step.
        (&halted, STUCK, ACCEPTED),
        (&halted, STUTTERING, ACCEPTED),
        (&[], STUCK, NO_DEADLOCK),
        (&[BECOME(Mode::Doomed)], STUCK, NO_DEADLOCK),
        (&melted, STUCK, "step 2 cannot be checked: Body fails"),
        // States from which a state is reachable where the ring runs.
        (&halted, liveness(RUNS, 0), ACCEPTED),
        (&[BECOME(Mode::Doomed)], liveness(RUNS, 0), ACCEPTED),
        (&[], liveness(RUNS, 0), "the property is true in the last state"),
        (
            &melted,
            liveness(RUNS, 0),
            "1 step after the last state there is one where the property is true",
        ),
        (&[], liveness(RUNS, 1), "there are not so many choices of values around the property"),
        (&[], liveness(QUIET, 0), NO_PROPERTY),
        // Atoms.
        (&melted, atom(None, &[('n', 0)]), ACCEPTED),
        (&melted, atom(Some(number_of_sound), &[('n', 0)]), ACCEPTED),
        (&melted, atom(Some(other), &[('n', 0)]), NOTHING),
        (&halted, atom(None, &[('n', 0)]), NOTHING),
        (&melted, atom(None, &[]), "`n` has no value"),
        // The run must be one.
        (&[BECOME(Mode::Forbidden)], STUCK, "step 1 leads to a state that violates an assumption"),
    ];
    let mut met = HashSet::new();
    for (events, claim, expected) in rows {
        let run = follow(CAREFUL, State::start(0), events, &[]);
        let judged = judge_claim(&CAREFUL, claim, &run);
        assert_eq!(shown(&judged), *expected, "{claim:?} on {run:?}");
        assert!(judged.as_ref().is_err() || judged == Ok(Extent::All));
        met.extend(judged.err().map(|objection| discriminant(&objection)));
    }
    let infinite = follow(PLAIN, State::start(0), &[], &[P0, P1, P2]);
    assert_eq!(judge_claim(&CAREFUL, &STUCK, &infinite), Err(Objection::Infinite));
    for expected in [
        Objection::NoSuchProperty,
        Objection::NoSuchChoice,
        Objection::Holds,
        Objection::PropertyFails { failure: Box::new(Fault::Property) },
        Objection::NothingFails,
        Objection::NoDeadlock,
        Objection::Reachable { steps: 0 },
    ] {
        let expected: Objection<Ring> = expected;
        assert!(met.contains(&discriminant(&expected)), "{expected:?} does not occur");
    }
}
