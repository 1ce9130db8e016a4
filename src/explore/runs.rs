//! Explorations with runs: paths of packed states retraced by the reference.
//!
//! The engine has found the states; the reference checks once more that each leads to the next. A
//! step that the reference does not know is a bug of this checker.

use super::{Asked, Exploration, Options, Path, Violation, ViolationKind, Watch, explore_asked};
use crate::frontend::{FaultOf, FrontEnd, StateOf, VocabularyOf};
use judge::{Reference as _, Run, Step};

/// Explores a front end. The progress is reported to `watch` before every round and at the end;
/// `watch` may stop the search.
pub fn explore<F: FrontEnd>(
    system: &F,
    options: &Options,
    watch: &Watch,
) -> Exploration<VocabularyOf<F>> {
    let (found, _) = explore_asked(system, options, &Asked::all(system), watch);
    let mut stopped = found.stopped;
    let violations = found.violations.into_iter().map(|one| {
        let run = one.trace.map(|path| watch.over(|| retrace(system, &path)));
        let (trace, untraced) = match run {
            Some(Ok(run)) => (Some(run), None),
            Some(Err(reason)) => (None, Some(reason)),
            None => (None, one.untraced),
        };
        stopped = stopped.or(untraced);
        let kind = explained(system, &one.kind);
        Violation::<VocabularyOf<F>> { kind, count: one.count, trace, untraced }
    });
    let violations = violations.collect();
    engine::explore::Exploration {
        violations,
        progress: found.progress,
        full: found.full,
        quotient: found.quotient,
        starts: found.starts,
        deadlocks: found.deadlocks,
        rules: found.rules,
        covered: found.covered,
        stopped,
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
    let mut states = path.iter().map(|packed| {
        run::poll();
        system.state(packed)
    });
    let mut end = states.next().expect("a run has a state");
    let step = |target: StateOf<F>| {
        let attempts = system.reference().steps(&end).attempts.into_iter();
        let mut leading = attempts.filter(|attempt| attempt.target.as_ref() == Ok(&target));
        let action = leading.next().expect("the reference knows every step").action;
        Step { state: std::mem::replace(&mut end, target), action: Some(action) }
    };
    let stem = states.map(step).collect();
    Run { stem, cycle: Vec::new(), end }
}
