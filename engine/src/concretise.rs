//! The concrete run of a lasso of the product.
//!
//! Along r₀ –π₁→ r₁ –π₂→ r₂ …, from the start state g(r₀), the run is g(r₀) → gπ₁(r₁) → gπ₁π₂(r₂) →
//! …; the product of the permutations so far is the *frame*. Frames take the points of a node's
//! tuple back to the tracked ones. One lap of the cycle multiplies the frame on the right by some
//! ρ, so that the run is in the state where the cycle began after at most ord(ρ) laps.

use super::find::AbstractLasso;
use crate::product::{Product, ProductEdge};
use crate::search::Node;
use crate::symmetry::Permutation;
use crate::system::System;

/// A lasso of packed states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteLasso {
    /// The steps to the cycle, each with the state before it.
    pub stem: Vec<ConcreteStep>,
    /// The steps of the cycle, back to its first state.
    pub cycle: Vec<ConcreteStep>,
}

impl ConcreteLasso {
    /// Lets the cycle begin as early as possible: while the stem ends with the step that the cycle
    /// ends with, that one is a step of the cycle. It is the same run, with a shorter stem.
    pub fn roll(&mut self) {
        while let (Some(last), Some(of_cycle)) = (self.stem.last(), self.cycle.last())
            && last == of_cycle
        {
            self.stem.pop();
            self.cycle.rotate_right(1);
        }
    }

    /// The number of its steps.
    pub fn steps(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }
}

/// A step of a concrete run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteStep {
    /// The packed state before it.
    pub state: Box<[u64]>,
    /// The rule and the arguments of its event, as cells; none for a stutter.
    pub action: Option<(u32, Vec<i64>)>,
}

/// The image of a lasso of the product in the unreduced system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfolded {
    /// A lasso.
    Lasso(ConcreteLasso),
    /// The cycle of the lasso is too long to be written down: its first lap, and the permutation
    /// that takes every state of a lap to the corresponding one of the next.
    Laps {
        /// The stem, and one lap as its cycle.
        first: ConcreteLasso,
        /// The permutation that takes a lap to the next.
        permutation: Permutation,
    },
}

/// Unfolds a lasso, to at most `most_steps` steps of its cycle.
pub fn unfold<P: Product>(
    system: &dyn System,
    product: &mut P,
    lasso: &AbstractLasso,
    most_steps: usize,
) -> Unfolded {
    let mut frame = first_frame(system, product, lasso.start);
    let mut node = lasso.start;
    let mut unfolding = Unfolding { system, product };
    let stem = unfolding.walk(&mut node, &mut frame, &lasso.stem);
    let (home, before) = (unfolding.state(node, &frame), frame.clone());
    let mut cycle = unfolding.walk(&mut node, &mut frame, &lasso.cycle);
    let permutation = frame.after(&before.inverse());
    let first = cycle.clone();
    while unfolding.state(node, &frame) != home {
        if cycle.len() + lasso.cycle.len() > most_steps {
            return Unfolded::Laps { first: ConcreteLasso { stem, cycle: first }, permutation };
        }
        cycle.extend(unfolding.walk(&mut node, &mut frame, &lasso.cycle));
    }
    Unfolded::Lasso(ConcreteLasso { stem, cycle })
}

/// Unfolds a finite path: its steps, and the packed state after the last.
pub fn unfold_path<P: Product>(
    system: &dyn System,
    product: &mut P,
    start: Node,
    path: &[ProductEdge],
) -> (Vec<ConcreteStep>, Box<[u64]>) {
    let mut frame = first_frame(system, product, start);
    let mut node = start;
    let mut unfolding = Unfolding { system, product };
    let steps = unfolding.walk(&mut node, &mut frame, path);
    (steps, unfolding.state(node, &frame))
}

/// The permutation that takes the representative of a start to a start state.
///
/// If start states are not closed under the group, it is found by them: both have one canonical form.
fn first_frame<P: Product>(system: &dyn System, product: &mut P, start: Node) -> Permutation {
    let frame = product.start_frame(start).expect("a run begins in a start");
    if system.starts_are_closed() || product.structure().indices().is_trivial() {
        return frame;
    }
    let representative = product.place(start).representative;
    let mut form: Box<[u64]> = product.state(representative).into();
    let mut canonicaliser = product.structure().canonicaliser();
    let from = canonicaliser.canonicalise_with(&mut form).inverse();
    let to = system.starts().flatten().find_map(|mut start| {
        let to = canonicaliser.canonicalise_with(&mut start);
        (start == form).then_some(to)
    });
    to.expect("a representative of a start has a start state in its orbit").after(&from)
}

struct Unfolding<'u, P> {
    system: &'u dyn System,
    product: &'u mut P,
}

impl<P: Product> Unfolding<'_, P> {
    fn walk(
        &mut self,
        node: &mut Node,
        frame: &mut Permutation,
        edges: &[ProductEdge],
    ) -> Vec<ConcreteStep> {
        let mut steps = Vec::new();
        for edge in edges {
            run::poll();
            let state = self.state(*node, frame);
            let action = edge
                .step
                .as_ref()
                .map(|step| (step.rule, self.product.renamed(step.rule, frame, &step.arguments)));
            steps.push(ConcreteStep { state, action });
            if let Some(step) = &edge.step {
                *frame = frame.after(&step.permutation);
            }
            *node = edge.target;
        }
        steps
    }

    fn state(&mut self, node: Node, frame: &Permutation) -> Box<[u64]> {
        concrete_state(self.system, self.product, node, frame)
    }
}

/// The concrete state of a node in a frame.
pub fn concrete_state<P: Product>(
    system: &dyn System,
    product: &mut P,
    node: Node,
    frame: &Permutation,
) -> Box<[u64]> {
    let layout = system.layout();
    run::poll_for(layout.cells() as u64 / 64);
    let packed = product.packed(node);
    let (mut cells, mut image) = (vec![0; layout.cells()], vec![0; layout.cells()]);
    layout.unpack(&packed, &mut cells);
    product.structure().action().apply(frame, &cells, &mut image);
    let mut packed = vec![0; layout.words()];
    layout.pack(&image, &mut packed);
    packed.into_boxed_slice()
}
