//! Explorations of models, with traces: paths retraced by the reference interpreter.
//!
//! Compiled code has found the states; that they lead from one to the next is seen once more, by
//! the interpreter. A step that it does not know is a bug of ours.

use super::{
    Asked, Decision, Exploration, Options, Path, Violation, ViolationKind, Watch, explore_asked,
};
use compile::CompiledModel;
use compile::cells::{Layout, state_of};
use engine::system::System as _;
use model::checked::Model;
use model::interpret::{Event, Interpreter, Process, State};

/// A run from a start state.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The name of the start state, with the values of its parameters.
    pub start: String,
    /// The steps, each with the state before it.
    pub steps: Vec<TraceStep>,
    /// The state behind the last step.
    pub end: State,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The state before the step.
    pub state: State,
    /// Who executes it.
    pub process: Process,
    /// What is observed of it.
    pub event: Event,
}

/// Explores a model. The progress is reported to `watch` before every round and at the end; `watch` may
/// stop the search.
pub fn explore(system: &CompiledModel<'_>, options: &Options, watch: &Watch<'_>) -> Exploration {
    explore_for(system, options, &Asked::all(system), watch).0
}

/// The same for some of the properties; and when what was decided, in that order.
pub fn explore_for(
    system: &CompiledModel<'_>,
    options: &Options,
    asked: &Asked,
    watch: &Watch<'_>,
) -> (Exploration, Vec<Decision>) {
    let (found, decisions) = explore_asked(system, options, asked, watch);
    let violations = found.violations.into_iter().map(|one| Violation {
        trace: one.trace.map(|path| {
            let steps = path.len() - 1;
            let _span = tracing::debug_span!("counterexample.concretise", steps).entered();
            retrace(system.model(), system.layout(), &path)
        }),
        kind: explained(system, one.kind),
        count: one.count,
    });
    let exploration = Exploration {
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
    };
    (exploration, decisions)
}

/// The kind of a violation in the words of the model.
fn explained(system: &CompiledModel<'_>, kind: engine::explore::ViolationKind) -> ViolationKind {
    match kind {
        engine::explore::ViolationKind::Invariant(id) => ViolationKind::Invariant(id),
        engine::explore::ViolationKind::Failure(fault) => {
            ViolationKind::Failure(system.failure(fault))
        }
        engine::explore::ViolationKind::Deadlock => ViolationKind::Deadlock,
        engine::explore::ViolationKind::Cover(id, choice) => ViolationKind::Cover(id, choice),
        engine::explore::ViolationKind::Liveness(id, choice) => ViolationKind::Liveness(id, choice),
    }
}

fn retrace(model: &Model, layout: &Layout, path: &Path) -> Trace {
    let interpreter = Interpreter::new(model);
    let mut cells = vec![0; layout.cells()];
    let mut decode = |packed: &[u64]| {
        layout.unpack(packed, &mut cells);
        state_of(model, &cells)
    };
    let states: Vec<State> = path.iter().map(|packed| decode(packed)).collect();
    let start = interpreter
        .starts()
        .flatten()
        .find(|start| start.state == states[0])
        .expect("the interpreter knows every start state")
        .show(model);
    let mut steps = Vec::new();
    for pair in states.windows(2) {
        let instances = interpreter
            .instances(&pair[0])
            .expect("a state with steps has guards that can be read");
        let leads = |outcome: model::interpret::Outcome| outcome.target.as_ref() == Some(&pair[1]);
        let (process, event) = instances
            .into_iter()
            .find(|instance| interpreter.fire(&pair[0], instance).is_ok_and(leads))
            .map(|instance| (instance.process, instance.event))
            .expect("the interpreter knows every step");
        steps.push(TraceStep { state: pair[0].clone(), process, event });
    }
    let end = states.last().expect("a run has a state").clone();
    Trace { start, steps, end }
}
