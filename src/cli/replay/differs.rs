//! What differs between a run of a file and the system, where the judge does not accept the run.

use super::super::view::{LoadedSystem, RunOf, StateOf, View};
use judge::{Objection, Reference, Run};
use run::poll::poll;

/// More differences are counted, and not shown.
const MOST: usize = 6;

/// More start states are not compared.
const MOST_STARTS: usize = 10_000;

/// What differs, line by line; nothing if the objection says all.
pub(super) fn differences<L, R>(
    loaded: &L,
    reference: &R,
    run: &RunOf<L::View>,
    objection: &Objection<R::Vocabulary>,
) -> Vec<String>
where
    L: LoadedSystem,
    L::View: View<Words = R::Vocabulary>,
    R: Reference,
{
    match objection {
        Objection::NotAStart => {
            of_start(loaded, reference, run.states().next().expect("a run has a state"))
        }
        Objection::NotAStep { position } => of_step(loaded.view(), reference, run, *position),
        _ => Vec::new(),
    }
}

/// How a state differs from the nearest start state.
fn of_start<L, R>(loaded: &L, reference: &R, first: &StateOf<L::View>) -> Vec<String>
where
    L: LoadedSystem,
    L::View: View<Words = R::Vocabulary>,
    R: Reference,
{
    let view = loaded.view();
    let starts = reference.starts().take(MOST_STARTS).filter_map(Result::ok);
    let nearest = starts.min_by_key(|start| {
        poll();
        view.changes(start, first).len()
    });
    let Some(nearest) = nearest else { return Vec::new() };
    let alone = Run { stem: Vec::new(), cycle: Vec::new(), end: nearest };
    let title = match loaded.start(&alone) {
        Some(name) => format!("the nearest start state is {name}"),
        None => "the nearest start state differs".to_owned(),
    };
    between(view, title, &alone.end, first)
}

/// Why a step is none: the event is not enabled, or leads elsewhere.
fn of_step<W, R>(view: &W, reference: &R, run: &RunOf<W>, position: usize) -> Vec<String>
where
    W: View<Words = R::Vocabulary>,
    R: Reference,
{
    let (Some(step), Some(after)) = (run.steps().nth(position), run.states().nth(position + 1))
    else {
        return Vec::new();
    };
    let Some(action) = &step.action else { return Vec::new() };
    let Ok(possible) = reference.sound_steps(&step.state, true) else { return Vec::new() };
    let name = view.label(&action.0, &action.1);
    let same = possible.iter().filter(|(one, _)| one.as_ref() == Some(action));
    let nearest = same.min_by_key(|(_, target)| view.changes(target, after).len());
    if let Some((_, nearest)) = nearest {
        let title = format!("in the {}, {name} leads to another state", view.kind().to_lowercase());
        return between(view, title, nearest, after);
    }
    let actions = possible.iter().filter_map(|(action, _)| action.as_ref());
    let mut names: Vec<String> = actions.map(|(one, event)| view.label(one, event)).collect();
    names.dedup();
    let title = match names.len() {
        0 => format!("{name} is not enabled there, and no other step is"),
        _ => format!("{name} is not enabled there; enabled are"),
    };
    std::iter::once(title).chain(shortened(names)).collect()
}

/// A title, and the places in which a state of the file differs from one of the system.
fn between<W: View>(
    view: &W,
    title: String,
    ours: &StateOf<W>,
    theirs: &StateOf<W>,
) -> Vec<String> {
    let changes = view.changes(ours, theirs).into_iter();
    let lines = changes
        .map(|one| format!("{} is {}, and in the file {}", one.place, one.before, one.after));
    std::iter::once(title).chain(shortened(lines.collect())).collect()
}

/// The first lines, two blanks before each, and how many more there are.
fn shortened(lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST);
    let mut shown: Vec<String> =
        lines.into_iter().take(MOST).map(|line| format!("  {line}")).collect();
    if more > 0 {
        shown.push(format!("  and {more} more"));
    }
    shown
}
