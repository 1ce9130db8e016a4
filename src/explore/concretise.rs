//! Concrete runs from paths of representatives.
//!
//! From a start state whose representative is the first, step by step to a state whose representative is
//! the next: there is one, because a step r → t of a representative is the step g(r) → g(t) of any other
//! state of its orbit. In the end the whole run is renamed so that it ends in the last representative
//! itself, of which it is known what is wrong; it is a run still, from another start state.

use super::Path;
use super::reduction::Reduction;
use crate::system::{Steps, System};

/// The run that ends in the last of these representatives.
pub(super) fn path(system: &dyn System, reduction: &Reduction, representatives: &Path) -> Path {
    let layout = system.layout();
    let mut reducer = reduction.reducer();
    let (first, rest) = representatives.split_first().expect("a run has a state");
    let mut leads_to = |state: &[u64], representative: &[u64]| {
        let mut reduced = state.to_vec();
        reducer.reduce(&mut reduced);
        reduced == representative
    };
    let mut starts = system.starts().flatten();
    let start = starts.find(|start| leads_to(start, first));
    let mut run = vec![start.expect("a start state was found before")];
    let mut worker = system.worker();
    let mut steps = Steps::default();
    for next in rest {
        steps.clear();
        worker.expand(&run[run.len() - 1], &mut steps);
        let mut targets = steps.targets.chunks(layout.words());
        let target = targets.find(|target| leads_to(target, next));
        run.push(target.expect("what is like a state has a step like its step").into());
    }
    let mut last = run[run.len() - 1].clone();
    let back = reducer.reduce_with(&mut last).inverse();
    let action = reduction.structure().action();
    let (mut cells, mut image) = (vec![0; layout.cells()], vec![0; layout.cells()]);
    for state in &mut run {
        layout.unpack(state, &mut cells);
        action.apply(&back, &cells, &mut image);
        layout.pack(&image, state);
    }
    run
}
