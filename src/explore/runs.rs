//! Explorations with runs: paths of packed states retraced by the reference.
//!
//! The engine has found the states; the reference checks once more that each leads to the next. A
//! step that the reference does not know is a bug of this checker.

use super::{
    Asked, Exploration, Options, Path, Violation, ViolationKind, Watch, explore_asked,
};
use crate::frontend::{FaultOf, FrontEnd, StateOf, VocabularyOf};
use judge::{Reference as _, Run, Step};

/// Explores a front end. The progress is reported to `watch` before every round and at the end;
/// `watch` may stop the search.
pub fn explore<F: FrontEnd>(
    system: &F,
    options: &Options,
    watch: &Watch<'_>,
) -> Exploration<VocabularyOf<F>> {
    let (found, _) = explore_asked(system, options, &Asked::all(system), watch);
    let violations = found.violations.into_iter().map(|one| Violation::<VocabularyOf<F>> {
        trace: one.trace.map(|path| retrace(system, &path)),
        kind: explained(system, &one.kind),
        count: one.count,
    });
    engine::explore::Exploration {
        violations: violations.collect(),
        progress: found.progress,
        full: found.full,
        quotient: found.quotient,
        starts: found.starts,
        deadlocks: found.deadlocks,
        covered: found.covered,
        stopped: found.stopped,
        time: found.time,
        memory: found.memory,
        state_bytes: found.state_bytes,
    }
}

/// The kind of a violation, with its fault explained.
fn explained<F: FrontEnd>(system: &F, kind: &ViolationKind) -> ViolationKind<FaultOf<F>> {
    match *kind {
        ViolationKind::Invariant(id) => ViolationKind::Invariant(id),
        ViolationKind::Failure(fault) => ViolationKind::Failure(system.explain(fault)),
        ViolationKind::Deadlock => ViolationKind::Deadlock,
        ViolationKind::Cover(id, choice) => ViolationKind::Cover(id, choice),
        ViolationKind::Liveness(id, choice) => ViolationKind::Liveness(id, choice),
    }
}

/// The run of a path of packed states that starts in a start state. It ends with the path.
pub fn retrace<F: FrontEnd>(system: &F, path: &Path) -> Run<VocabularyOf<F>> {
    let _span = tracing::debug_span!("counterexample.concretise", steps = path.len() - 1).entered();
    let states: Vec<StateOf<F>> = path.iter().map(|packed| system.state(packed)).collect();
    let step = |pair: &[StateOf<F>]| {
        let attempts = system.reference().steps(&pair[0]).attempts.into_iter();
        let mut leading = attempts.filter(|attempt| attempt.target.as_ref() == Ok(&pair[1]));
        let action = leading.next().expect("the reference knows every step").action;
        Step { state: pair[0].clone(), action: Some(action) }
    };
    let stem = states.windows(2).map(step).collect();
    let end = states.last().expect("a run has a state").clone();
    Run { stem, cycle: Vec::new(), end }
}
