//! Executes runs of a protocol once more, by nothing but the protocol's own functions.

use isonomy::check::Counterexample;
use isonomy::protocol::{AnyWords, Prepared, Protocol, Words, typed_run};
use judge::{Reference as _, Run, Step};

/// Executes a run that ends in a state: from a start state, each step to the next state.
///
/// # Panics
/// If it is no run of the protocol.
pub(crate) fn replay<P: Protocol>(protocol: &P, run: &Run<Words<P>>) {
    let steps: Vec<&Step<Words<P>>> = run.steps().collect();
    let states: Vec<&P::State> = steps.iter().map(|step| &step.state).chain([&run.end]).collect();
    let starts = protocol.starts(&protocol.indices());
    assert!(starts.contains(states[0]), "{:?} is no start state", states[0]);
    for (step, next) in steps.iter().zip(&states[1..]) {
        let mut listed = Vec::new();
        protocol.events(&step.state, &mut listed);
        let Some((owner, occurrence)) = &step.action else {
            // A state without steps is followed by itself.
            let is_enabled = |event| protocol.next(&step.state, event).is_some();
            assert!(!listed.iter().any(is_enabled), "{:?} has steps", step.state);
            assert_eq!(step.state, **next);
            continue;
        };
        let event = &occurrence.event;
        assert!(listed.contains(event), "{event:?} is not listed in {:?}", step.state);
        assert_eq!(protocol.next(&step.state, event).as_ref(), Some(*next), "after {event:?}");
        assert_eq!(protocol.owner(event), *owner, "{event:?}");
    }
}

/// Executes a counterexample, and sees that its cycle closes.
///
/// # Panics
/// If it is no run of the protocol, or the cycle is open.
pub(crate) fn replay_counterexample<P: Protocol>(
    (protocol, front): (&P, &Prepared),
    found: &Counterexample<AnyWords>,
) {
    let Counterexample { run, renaming, component, .. } = found;
    replay(protocol, &typed_run(run));
    match (renaming, component) {
        // The run stays in a component: the stem ends there.
        (_, Some(_)) => assert!(run.cycle.is_empty()),
        // The next lap starts in the image of the first state of this one.
        (Some(by), None) => {
            assert_eq!(run.end, front.plain().renamed_state(by, &run.cycle[0].state));
        }
        (None, None) => assert_eq!(run.end, run.cycle[0].state, "the cycle is open"),
    }
}
