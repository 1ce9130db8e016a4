//! Distances to states where a `liveness` property is true.

use crate::Uncertified;
use crate::draft::Part;
use judge::Reference;
use std::collections::VecDeque;
use terms::PropertyId;
use verify::space::Space;

/// For each choice of the values around the property, and each listed state: the distance.
pub(crate) fn certify<R: Reference>(
    space: &Space<'_, R>,
    property: PropertyId,
) -> Result<Part, Uncertified> {
    let reference = space.reference;
    let choices = reference.choices(property) as usize;
    let place = |choice: usize, state: u32| choice * space.states.len() + state as usize;
    let mut distances = vec![u32::MAX; choices * space.states.len()];
    let mut sources = vec![Vec::new(); choices * space.states.len()];
    let mut open = VecDeque::new();
    for state in 0..space.states.len() as u32 {
        let instances = reference.instances(&space.states[state as usize], property);
        let instances = instances.map_err(|fault| Uncertified::Fails(fault.to_string()))?;
        for instance in instances {
            let holds = instance.holds.map_err(|fault| Uncertified::Fails(fault.to_string()))?;
            let Some(choice) = instance.choice.filter(|_| holds) else { continue };
            if distances[place(choice, state)] > 0 {
                distances[place(choice, state)] = 0;
                open.push_back(place(choice, state));
            }
        }
        for step in space.all_steps(state) {
            let undo = space.renamings[step.by as usize].inverse();
            for choice in 0..choices {
                run::poll();
                let behind = reference.renamed_choice(&undo, property, choice);
                let behind = behind.ok_or(Uncertified::Far)?;
                sources[place(behind, step.target)].push(place(choice, state));
            }
        }
    }
    while let Some(at) = open.pop_front() {
        for &source in &sources[at] {
            run::poll();
            if distances[source] == u32::MAX {
                distances[source] = distances[at] + 1;
                open.push_back(source);
            }
        }
    }
    if distances.contains(&u32::MAX) {
        return Err(Uncertified::Far);
    }
    let lists = distances.chunks(space.states.len().max(1)).map(<[u32]>::to_vec);
    Ok(Part::Distances(lists.collect()))
}
