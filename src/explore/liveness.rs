//! `liveness e`: from every reachable state one is reachable where e is true (AG EF e).
//!
//! After the search: all steps once more, kept backwards; then, for every property and choice of
//! values around it, what can reach a state where it is true.

use super::ViolationKind;
use super::search::{Found, read_words, write_bytes};
use super::store::{StateId, Store, hash};
use crate::model::checked::PropertyId;
use crate::model::interpret::Failure;
use crate::model::syntax::PropertyKind;
use crate::system::{Steps, System};
use automata::StopReason;

/// States between two questions whether to stop.
const ASK_EVERY: usize = 1024;

/// The liveness properties that do not hold, each with a nearest state from which nothing good is
/// reachable; and those that fail. `stop` says whether to stop, and why.
pub(super) fn check(
    system: &dyn System,
    store: &Store,
    has_assumptions: bool,
    stop: &mut dyn FnMut() -> Option<StopReason>,
) -> Result<Vec<Found>, StopReason> {
    let all = system.properties().into_iter().enumerate();
    let properties: Vec<PropertyId> = all
        .filter(|(_, one)| one.kind == PropertyKind::Liveness)
        .map(|(k, _)| PropertyId(k as u32))
        .collect();
    if properties.is_empty() {
        return Ok(Vec::new());
    }
    let layout = system.layout();
    let mut worker = system.worker();
    let mut packed = vec![0; layout.words()];
    let mut steps = Steps::default();
    let mut bytes = Vec::new();
    let mut found: Vec<Found> = Vec::new();
    // By property and choice of values: the states where it is true.
    let mut good: Vec<Vec<Vec<StateId>>> = vec![Vec::new(); properties.len()];
    let mut backwards: Vec<(u32, u32)> = Vec::new();
    for (k, id) in store.ids().enumerate() {
        if k % ASK_EVERY == 0
            && let Some(reason) = stop()
        {
            return Err(reason);
        }
        read_words(store.get(id), &mut packed);
        for (k, &property) in properties.iter().enumerate() {
            for (choice, answer) in worker.property(&packed, property).into_iter().enumerate() {
                if good[k].len() <= choice {
                    good[k].resize(choice + 1, Vec::new());
                }
                match answer {
                    Ok(true) => good[k][choice].push(id),
                    Ok(false) => {}
                    Err(failure) => failed(&mut found, store, failure, id),
                }
            }
        }
        steps.clear();
        worker.expand(&packed, &mut steps);
        for target in steps.targets.chunks(layout.words().max(1)) {
            if has_assumptions && !worker.is_assumed(target).unwrap_or(false) {
                continue;
            }
            bytes.clear();
            write_bytes(target, layout.bytes(), &mut bytes);
            // Behind a state that violates an invariant nothing was explored.
            if let Some(target) = store.find(hash(&bytes), &bytes) {
                backwards.push((target.number() as u32, id.number() as u32));
            }
        }
    }
    backwards.sort_unstable();
    for (k, choices) in good.into_iter().enumerate() {
        for (choice, good) in choices.into_iter().enumerate() {
            let reached = reach(&backwards, good, store.bound());
            let bad = store.ids().filter(|id| !reached[id.number()]);
            let (mut count, mut nearest) = (0, None);
            for id in bad {
                count += 1;
                let depth = depth(store, id);
                if nearest.is_none_or(|(least, _)| depth < least) {
                    nearest = Some((depth, id));
                }
            }
            if let Some((_, state)) = nearest {
                let kind = ViolationKind::Liveness(properties[k], choice);
                found.push(Found { kind, count, state: Some(state) });
            }
        }
    }
    Ok(found)
}

/// Counts a failure in a state; the nearest state is kept.
fn failed(found: &mut Vec<Found>, store: &Store, failure: Failure, id: StateId) {
    let kind = ViolationKind::Failure(failure);
    match found.iter_mut().find(|known| known.is_same(&kind)) {
        None => found.push(Found { kind, count: 1, state: Some(id) }),
        Some(known) => {
            known.count += 1;
            if known.state.is_some_and(|state| depth(store, id) < depth(store, state)) {
                (known.kind, known.state) = (kind, Some(id));
            }
        }
    }
}

/// What can reach one of these states.
fn reach(backwards: &[(u32, u32)], good: Vec<StateId>, bound: usize) -> Vec<bool> {
    let mut reached = vec![false; bound];
    let mut open = good;
    for id in &open {
        reached[id.number()] = true;
    }
    while let Some(id) = open.pop() {
        let number = id.number() as u32;
        let first = backwards.partition_point(|&(target, _)| target < number);
        for &(_, source) in backwards[first..].iter().take_while(|&&(target, _)| target == number) {
            if !std::mem::replace(&mut reached[source as usize], true) {
                open.push(StateId::of_number(source as usize));
            }
        }
    }
    reached
}

fn depth(store: &Store, id: StateId) -> usize {
    let mut depth = 0;
    let mut at = id;
    while let Some(parent) = store.parent(at) {
        depth += 1;
        at = parent;
    }
    depth
}
