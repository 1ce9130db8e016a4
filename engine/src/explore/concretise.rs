//! Concrete runs from paths of representatives.
//!
//! A step r → t of a representative with t = π(r′) is followed by steps of r′, not of t. Along a
//! path with permutations π₁, π₂, … the concrete run from s = π₀(r₀) is π₀(r₀) → π₀π₁(r₁) →
//! π₀π₁π₂(r₂) → …, which only requires that the representatives were found: an orbit may have
//! several. In the end the whole run is renamed so that it ends in the last representative itself,
//! in which the violation was found; the renamed run is a run, too, from another start state. (It is not
//! renamed if start states are not closed under the group.)

use super::Path;
use crate::quotient::Quotient;
use crate::symmetry::Permutation;
use crate::system::Steps;

/// The run that ends in the last of these representatives.
pub(super) fn path(quotient: &Quotient<'_>, representatives: &Path) -> Path {
    let system = quotient.system();
    let layout = system.layout();
    let mut successors = quotient.successors();
    let mut reduced = vec![0; layout.words()];
    // The permutation that takes a representative to a state, if the state is reduced to it.
    let mut back = |state: &[u64], representative: &[u64]| -> Option<Permutation> {
        reduced.copy_from_slice(state);
        let back = successors.normalise_with(&mut reduced);
        (reduced == representative).then_some(back)
    };
    let mut starts = system.starts().flatten();
    let start = starts.find_map(|start| back(&start, &representatives[0]));
    // By representative: the permutation that takes it to its state of the run.
    let mut frames = vec![start.expect("a start state was found before")];
    let mut worker = system.worker();
    let mut steps = Steps::default();
    for pair in representatives.windows(2) {
        run::poll();
        steps.clear();
        worker.expand(&pair[0], &mut steps);
        let mut targets = steps.targets.chunks(layout.words());
        let by = targets.find_map(|target| back(target, &pair[1]));
        let by = by.expect("a step was found before");
        frames.push(frames[frames.len() - 1].after(&by));
    }
    let home = if system.starts_are_closed() {
        frames[frames.len() - 1].inverse()
    } else {
        Permutation::identity(quotient.structure().indices().points())
    };
    let action = quotient.structure().action();
    let (mut cells, mut image) = (vec![0; layout.cells()], vec![0; layout.cells()]);
    let mut concrete = |state: &[u64], frame: &Permutation| {
        run::poll_for(1 + layout.cells() as u64 / 64);
        layout.unpack(state, &mut cells);
        action.apply(&home.after(frame), &cells, &mut image);
        let mut packed = vec![0; layout.words()];
        layout.pack(&image, &mut packed);
        packed.into_boxed_slice()
    };
    representatives.iter().zip(&frames).map(|(state, frame)| concrete(state, frame)).collect()
}
