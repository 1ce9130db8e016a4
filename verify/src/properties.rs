//! Properties of states: what is true of every listed state, or of one that can be reached from it.

use crate::crew::Crew;
use crate::space::Space;
use crate::verdict::{Condition, Demands, Refusal};
use judge::{Deadlock, Reference};
use run::Progress;
use terms::PropertyId;

fn progress<R: Reference>(space: &Space<'_, R>) -> impl Fn(u64) -> Progress {
    let states = space.len() as u64;
    move |expanded| Progress { states, expanded, ..Progress::default() }
}

/// An invariant is true of every listed state, and so of every image of one (**Invariant**,
/// **`NoFailure`**).
pub(crate) fn check_invariant<R: Reference + Sync>(
    space: &Space<'_, R>,
    property: PropertyId,
    demands: Demands,
    crew: &Crew<'_>,
) -> Result<(), Refusal> {
    let check = |state| {
        let holds = space.reference.holds(space.state(state as u32), property);
        let place = || format!("state {state}");
        demands.ask(Condition::NoFailure, holds.is_ok(), place)?;
        demands.ask(Condition::Invariant, holds == Ok(true), place)
    };
    crew.each(space.len(), progress(space), check).map(drop)
}

/// Every listed state has a step (**`NoDeadlock`**).
pub(crate) fn check_deadlock<R: Reference>(
    space: &Space<'_, R>,
    deadlock: Deadlock,
    demands: Demands,
) -> Result<(), Refusal> {
    for state in 0..space.len() as u32 {
        let is_deadlock = match deadlock {
            Deadlock::Stuck => space.is_stuck(state),
            Deadlock::Stuttering => space.is_still(state),
        };
        demands.ask(Condition::NoDeadlock, !is_deadlock, || format!("state {state}"))?;
    }
    Ok(())
}

/// From every listed state one is reachable where a `liveness` property is true, for each choice of the
/// values around it: where the distance is 0 it is true (**Near**), elsewhere there is a step to a
/// smaller distance (**Nearer**). `all` has a list for each choice.
pub(crate) fn check_liveness<R: Reference + Sync>(
    space: &Space<'_, R>,
    property: PropertyId,
    all: &[Vec<u32>],
    demands: Demands,
    crew: &Crew<'_>,
) -> Result<(), Refusal> {
    let reference = space.reference;
    let check = |number: usize| {
        let state = number as u32;
        let instances = reference.instances(space.state(state), property);
        let are_sound =
            |all: &Vec<judge::PropertyInstance<_>>| all.iter().all(|one| one.holds.is_ok());
        let is_sound = instances.as_ref().is_ok_and(are_sound);
        demands.ask(Condition::NoFailure, is_sound, || format!("state {state}"))?;
        let instances = instances.unwrap_or_default();
        for (choice, distances) in all.iter().enumerate() {
            let place = || format!("state {state}, choice {choice}");
            let distance = distances[number];
            if distance == 0 {
                let of = |one: &&judge::PropertyInstance<_>| one.choice == Some(choice);
                let is_near = instances.iter().filter(of).any(|one| one.holds == Ok(true));
                demands.ask(Condition::Near, is_near, place)?;
                continue;
            }
            let is_nearer = space.all_steps(state).iter().any(|step| {
                let undo = space.renamings[step.by as usize].inverse();
                let behind = reference.renamed_choice(&undo, property, choice);
                let list = behind.and_then(|choice| all.get(choice));
                let there = list.map(|list| &list[step.target as usize]);
                there.is_some_and(|&there| there < distance)
            });
            demands.ask(Condition::Nearer, is_nearer, place)?;
        }
        Ok(())
    };
    crew.each(space.len(), progress(space), check).map(drop)
}
