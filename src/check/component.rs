//! Globally fair runs: as a lasso or, if that takes too many steps, as the component that they stay
//! in.

use super::evidence::{Evidence, PackedComponent};
use super::paths::judge_all_paths;
use super::search::Search;
use super::{Counterexample, Judged, Misjudged, Question, Reason, Rejected, Verdict, renaming};
use crate::frontend::{FrontEnd, VocabularyOf};
use engine::concretise::{concrete_state, unfold_path};
use engine::fairness::global_cycle::global_cycle;
use engine::fairness::knowledge::Knowledge;
use engine::fairness::spanned::{self, Inner, Spanned};
use engine::find::AbstractLasso;
use engine::instances::Instance;
use engine::product::{Product, ProductEdge, Stop};
use engine::search::Node;
use engine::symmetry::Indices;
use judge::{Again, Argument, Component, Element, Objection, Onward, Place, Run};
use tracing::field::Empty;

/// The form in which a fair run is reported.
pub(super) enum Shown {
    /// As a lasso.
    Lasso(AbstractLasso),
    /// As a component.
    Component(Box<FoundComponent>),
    /// It is too large for either.
    TooLarge,
}

/// A stem and a component of the product.
pub(super) struct FoundComponent {
    start: Node,
    stem: Vec<ProductEdge>,
    component: Spanned,
}

/// The greatest number of lines of a calculation that shows that an element is in the group.
const MOST_LINES: usize = 1_000_000;

/// The number of steps through a component that are executed in the unreduced system.
const WALKED: usize = 1_000;

impl Search<'_> {
    /// A globally fair run after a stem that ends in a component. It is a lasso if that is short
    /// enough.
    pub(super) fn globally_fair_run<P: Product>(
        &self,
        product: &mut P,
        knowledge: &Knowledge<'_>,
        component: &[Node],
        (start, stem): (Node, Vec<ProductEdge>),
    ) -> Result<Shown, Stop> {
        let home = stem.last().map_or(start, |edge| edge.target);
        let mut frame = product.start_frame(start).expect("a path begins in a start");
        for step in stem.iter().filter_map(|edge| edge.step.as_ref()) {
            frame = frame.after(&step.permutation);
        }
        let most_edges = self.options.largest_component;
        let Some(inner) = Inner::of(product, component, home, most_edges)? else {
            return Ok(Shown::TooLarge);
        };
        let mut told = Spanned::of(product, &inner, frame);
        let (group, origins) = told.loop_group();
        let most_steps = self.options.longest_cycle;
        if !told.is_longer(product, &group, most_steps)? {
            let all = self.reader.all_marks();
            let cycle =
                global_cycle(self.system, product, knowledge, component, home, all, most_steps)?;
            if let Some(cycle) = cycle {
                return Ok(Shown::Lasso(AbstractLasso { start, stem, cycle }));
            }
        }
        let is_complete =
            told.find_again(product, &inner, knowledge, (&group, &origins), MOST_LINES)?;
        Ok(if is_complete {
            Shown::Component(Box::new(FoundComponent { start, stem, component: told }))
        } else {
            Shown::TooLarge
        })
    }

    /// Makes a component concrete.
    pub(super) fn component<P: Product>(&self, product: &mut P, found: FoundComponent) -> Evidence {
        let span = tracing::debug_span!("counterexample.concretise", places = Empty, steps = Empty);
        let _entered = span.enter();
        let FoundComponent { start, stem, component } = found;
        let stem = unfold_path(self.system, product, start, &stem);
        let states = component.nodes.iter().map(|told| {
            run::poll();
            concrete_state(self.system, product, told.node, &told.frame)
        });
        let states = states.collect();
        span.record("places", component.nodes.len());
        span.record("steps", component.nodes.iter().map(|told| told.edges.len()).sum::<usize>());
        Evidence::Component(Box::new(PackedComponent { stem, states, component }))
    }
}

impl<F: FrontEnd> Question<'_, F> {
    /// Translates a component into the states of the reference and has it judged.
    pub(super) fn told(
        &self,
        told: &PackedComponent,
        indices: &Indices,
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        let (stem, end) = &told.stem;
        let stem = stem.iter().map(|step| self.step(step)).collect();
        let run = Run { stem, cycle: Vec::new(), end: self.system.state(end) };
        let component = self.component(told, indices);
        let binding = self.binding(instance);
        let (places, steps) = (component.places.len(), component.steps());
        let span = tracing::debug_span!("counterexample.validate", places, steps);
        let judged = span.in_scope(|| {
            let reference = self.system.reference();
            let claim = (&run, &component);
            judge_all_paths(reference, self.formula, &binding, self.demand, claim, WALKED)
        });
        // The argument is empty: the run is fair because it takes all steps.
        let (component, argument) = (Some(component), Argument::default());
        let counterexample = Counterexample { binding, run, renaming: None, component, argument };
        match judged {
            Ok(()) => Ok(Verdict::Violated(Box::new(counterexample))),
            // There is no objection to it, but the judge could not decide it either.
            Err(Objection::TooLarge) => {
                Ok(Verdict::Unknown(Reason::LargeComponent(self.options.largest_component)))
            }
            Err(objection) => {
                let found = Rejected::Counterexample(counterexample);
                Err(Box::new(Misjudged { found, objection }))
            }
        }
    }

    fn component(&self, told: &PackedComponent, indices: &Indices) -> Component<VocabularyOf<F>> {
        let PackedComponent { states, component: told, .. } = told;
        let place = |(told, state): (&spanned::Told, &[u64])| {
            let steps = told.edges.iter().map(|edge| Onward {
                action: self.action(edge.action.as_ref()),
                target: edge.target,
                renaming: renaming(indices, &edge.permutation),
            });
            let symmetries = told.symmetries.iter().map(|by| renaming(indices, by));
            let again = told.again.iter().map(|&(place, element)| Again { place, element });
            Place {
                state: self.system.state(state),
                steps: steps.collect(),
                symmetries: symmetries.collect(),
                again: again.collect(),
            }
        };
        let states = states.iter().map(Box::as_ref);
        let places = told.nodes.iter().zip(states).map(place).collect();
        let elements = told.elements.iter().map(|element| match *element {
            spanned::Element::Edge(place, step) => Element::Step { place, step },
            spanned::Element::Symmetry(place, symmetry) => Element::Symmetry { place, symmetry },
            spanned::Element::Product(after, first) => Element::Product(after, first),
            spanned::Element::Inverse(of) => Element::Inverse(of),
        });
        Component { places, elements: elements.collect() }
    }
}
