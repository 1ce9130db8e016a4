//! Counterexamples that are given by one lap and a renaming.

use super::ring::{Formula, Ring, State, rotation};
use super::{A0, A1, A2, CAREFUL, P0, PLAIN, follow, shown};
use judge::{Bound, Laps, Objection, Renaming, Run, judge_fairness, judge_laps};
use terms::{Demand, Fairness, Over};

/// All nodes want the token, which goes round: one lap of three.
fn lap() -> Run<Ring> {
    follow(PLAIN, State::start(0), &[A0, A1, A2], &[P0])
}

fn judged(
    formula: &Formula,
    binding: &[Bound<Ring>],
    run: &Run<Ring>,
    by: &Renaming,
    most_steps: usize,
) -> Result<Laps, Objection<Ring>> {
    judge_laps(&CAREFUL, formula, binding, run, by, most_steps)
}

#[test]
fn laps_are_walked_until_they_close() {
    let formula = Formula::new("", "G F ask");
    for (most_steps, walked, is_closed) in
        [(100, 3, true), (2, 3, true), (1, 2, false), (0, 1, false)]
    {
        let found = judged(&formula, &[], &lap(), &rotation(1), most_steps);
        assert_eq!(found, Ok(Laps { walked, is_closed }), "{most_steps}");
    }
}

#[test]
fn laps_that_are_none() {
    type Row = (&'static str, &'static str, &'static [Bound<Ring>], Renaming, fn(&mut Run<Ring>));
    let swap = Renaming::new(vec![vec![1, 0, 2]]).expect("a renaming");
    let of_another = Renaming::new(vec![vec![0, 1]]).expect("a renaming");
    let rows: Vec<(Row, &str)> = vec![
        (("", "G F ask", &[], rotation(1), |_| {}), super::ACCEPTED),
        (("", "F G !ask", &[], rotation(1), |_| {}), "the run satisfies the formula"),
        (
            ("", "G F ask", &[], of_another, |_| {}),
            "the permutation is not one of this model's index values",
        ),
        (
            ("", "G F ask", &[], swap, |_| {}),
            "the permutation of `node` is none that leaves the model as it is",
        ),
        (
            ("n", "G !at_n", &[('n', 1)], rotation(1), |_| {}),
            "the permutation changes the value of `n`",
        ),
        (
            ("", "G F ask", &[], rotation(2), |_| {}),
            "the lap does not lead to what the permutation makes of its first state",
        ),
        (
            ("", "G F ask", &[], rotation(1), |run| run.cycle.clear()),
            "the run ends, but the formula is about infinite runs",
        ),
        (
            ("", "G F ask", &[], rotation(1), |run| run.end.token = 2),
            "step 4 is no step of the model",
        ),
        // The formula distinguishes nodes, although none is tracked.
        (
            ("", "F !at_0", &[], rotation(1), |_| {}),
            "atoms differ at step 5 from what they are in the first lap",
        ),
    ];
    for ((tracked, text, binding, by, change), expected) in rows {
        let mut run = lap();
        change(&mut run);
        let found = judged(&Formula::new(tracked, text), binding, &run, &by, 100);
        assert_eq!(shown(&found), expected, "{text} by {by:?} on {run:?}");
    }
}

/// Each node passes the token on in a lap of its own.
#[test]
fn parties_are_served_in_later_laps() {
    let demand = |fairness, over| Demand { fairness, over, declared: false };
    let by = rotation(1);
    let argument =
        judge_fairness(&PLAIN, demand(Fairness::Strong, Over::Processes), &lap(), Some(&by));
    let argument = argument.expect("the run is fair");
    let laps: Vec<usize> = argument
        .kept
        .iter()
        .map(|one| {
            let place = one.reason.place().expect("all are served");
            assert_eq!(place.position, 3);
            place.later.as_ref().map_or(0, |later| later.laps)
        })
        .collect();
    assert_eq!(laps, [0, 1, 2]);
    // A node could be served, but never is.
    let unfair = judge_fairness(&PLAIN, demand(Fairness::Strong, Over::Events), &lap(), Some(&by));
    assert_eq!(shown(&unfair), "the run is not fair: it has an unsatisfied obligation to Serve(0)");
    let large =
        judge_fairness(&PLAIN, demand(Fairness::Global, Over::Processes), &lap(), Some(&by));
    assert_eq!(large, Err(Objection::TooLarge));
}
