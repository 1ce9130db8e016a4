//! Properties of states: what is true of every listed state, or of one that can be reached from it.

use crate::space::Space;
use crate::verdict::{Condition, Refusal};
use judge::{Deadlock, Reference};
use run::Crew;
use terms::PropertyId;

/// These properties have a value in every listed state, and so in every image of one (**`NoFailure`**);
/// if they are invariants, they are true there (**Invariant**).
pub fn check_values<R: Reference + Sync>(
    space: &Space<'_, R>,
    properties: &[PropertyId],
    are_invariants: bool,
    crew: &Crew<'_>,
) -> Result<(), Refusal> {
    let check = |state: usize| {
        for &property in properties {
            let place = || format!("state {state}");
            let holds = space.reference.holds(&space.states[state], property);
            let is_true = space.demands.sound(holds, place)? == Some(true);
            space.demands.ask(Condition::Invariant, is_true || !are_invariants, place)?;
        }
        Ok(())
    };
    crew.each(0..space.states.len(), check).map(drop)
}

/// Every listed state has a step (**`NoDeadlock`**).
pub(crate) fn check_deadlock<R: Reference>(
    space: &Space<'_, R>,
    deadlock: Deadlock,
) -> Result<(), Refusal> {
    for state in 0..space.states.len() as u32 {
        let only_others = deadlock == Deadlock::Stuttering;
        let has_step = !if only_others { space.is_still(state) } else { space.is_stuck(state) };
        space.demands.ask(Condition::NoDeadlock, has_step, || format!("state {state}"))?;
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
    crew: &Crew<'_>,
) -> Result<(), Refusal> {
    let reference = space.reference;
    let check = |number: usize| {
        let state = number as u32;
        let instances = reference.instances(&space.states[state as usize], property);
        let are_sound =
            |all: &Vec<judge::PropertyInstance<_>>| all.iter().all(|one| one.holds.is_ok());
        let is_sound = instances.as_ref().is_ok_and(are_sound);
        space.demands.ask(Condition::NoFailure, is_sound, || format!("state {state}"))?;
        let instances = instances.unwrap_or_default();
        for (choice, distances) in all.iter().enumerate() {
            let place = || format!("state {state}, choice {choice}");
            let distance = distances[number];
            if distance == 0 {
                let of = |one: &&judge::PropertyInstance<_>| one.choice == Some(choice);
                let is_near = instances.iter().filter(of).any(|one| one.holds == Ok(true));
                space.demands.ask(Condition::Near, is_near, place)?;
                continue;
            }
            let is_nearer = space.all_steps(state).iter().any(|step| {
                let undo = space.renamings[step.by as usize].inverse();
                let behind = reference.renamed_choice(&undo, property, choice);
                let list = behind.and_then(|choice| all.get(choice));
                let there = list.map(|list| &list[step.target as usize]);
                there.is_some_and(|&there| there < distance)
            });
            space.demands.ask(Condition::Nearer, is_nearer, place)?;
        }
        Ok(())
    };
    crew.each(0..space.states.len(), check).map(drop)
}
