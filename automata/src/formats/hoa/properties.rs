//! What the `properties:` of a written automaton say.
//!
//! They speak of the text, which other tools read without knowing that some letters do not exist:
//! determinism and completeness are those of the printed labels. `weak` is the format's, by the
//! letter: in each component *all edges have the same marks*, also in one that accepts nothing
//! (which is more than [`Statistics::weak`](crate::formats::Statistics::weak) asks).
//!
//! States that cannot be reached have no component here; where there are some, nothing is said of
//! weakness.

use crate::automaton::Automaton;
use crate::components::Components;
use crate::formats::{Printable, coverage};
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;

/// The properties that hold, in the order in which they are printed.
pub(super) fn properties(
    guards: &mut Guards,
    printable: &Printable,
) -> Result<Vec<&'static str>, StopReason> {
    let automaton = printable.automaton();
    let labels = printable.literal_guards(guards)?;
    let (deterministic, covered) = coverage(guards, automaton, &labels)?;
    let is_complete = |state: usize| covered[state] == Guard::TRUE;
    let components = Components::of(automaton);
    let weak = is_weak(automaton, &components);
    let very_weak = weak && (0..components.count()).all(|c| components.facts(c).size == 1);
    let properties = [
        ("trans-labels", true),
        ("explicit-labels", true),
        (if automaton.is_state_based() { "state-acc" } else { "trans-acc" }, true),
        ("complete", (0..automaton.state_count()).all(is_complete)),
        ("deterministic", deterministic),
        ("weak", weak),
        ("very-weak", very_weak),
        ("terminal", weak && is_terminal(automaton, &components, is_complete)),
    ];
    Ok(properties.iter().filter(|(_, holds)| *holds).map(|&(name, _)| name).collect())
}

fn is_weak(automaton: &Automaton, components: &Components) -> bool {
    automaton.states().all(|state| components.component(state).is_some())
        && (0..components.count()).all(|c| {
            let facts = components.facts(c);
            facts.trivial || facts.common_marks == facts.some_marks
        })
}

/// Whether from an accepting component only accepting cycles can be reached, and it has an edge for
/// every letter. All states can be reached.
fn is_terminal(
    automaton: &Automaton,
    components: &Components,
    is_complete: impl Fn(usize) -> bool,
) -> bool {
    // Whether a cycle that is not accepting can be reached. Edges lead to smaller numbers.
    let mut escapes: Vec<bool> = (0..components.count())
        .map(|c| !components.facts(c).trivial && !components.facts(c).accepting)
        .collect();
    let component = |state| components.component(state).expect("all states can be reached");
    let mut order: Vec<_> = automaton.states().collect();
    order.sort_by_key(|&state| component(state));
    for &state in &order {
        let leads = automaton.edges(state).iter().any(|edge| escapes[component(edge.target)]);
        escapes[component(state)] |= leads;
    }
    order.iter().all(|&state| {
        !components.facts(component(state)).accepting
            || is_complete(state.index()) && !escapes[component(state)]
    })
}
