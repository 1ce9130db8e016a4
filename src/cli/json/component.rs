//! Components of globally fair runs as JSON.

use super::{ActionEntry, StateEntry};
use crate::cli::view::{ComponentOf, OnwardOf, View};
use judge::{Again, Element, Place, Renaming};
use run::poll::poll_for;
use serde::Serialize;
use std::collections::BTreeMap;

/// A renaming, by index types that it changes, in cycle notation.
type Permutation = BTreeMap<String, String>;

/// A component.
#[derive(Serialize)]
#[serde(bound = "")]
pub(crate) struct ComponentEntry<'a, W: View> {
    places: Vec<PlaceEntry<'a, W>>,
    elements: Vec<ElementEntry>,
}

#[derive(Serialize)]
#[serde(bound = "")]
struct PlaceEntry<'a, W: View> {
    state: StateEntry<'a, W>,
    steps: Vec<OnwardEntry<'a, W>>,
    symmetries: Vec<Permutation>,
    again: Vec<AgainEntry>,
}

/// A step, which leads to what the permutation makes of the state of a place.
#[derive(Serialize)]
#[serde(bound = "")]
struct OnwardEntry<'a, W: View> {
    #[serde(flatten)]
    action: ActionEntry<'a, W>,
    place: usize,
    #[serde(skip_serializing_if = "Permutation::is_empty")]
    permutation: Permutation,
}

#[derive(Serialize)]
struct AgainEntry {
    place: usize,
    element: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ElementEntry {
    Step([usize; 2]),
    Symmetry([usize; 2]),
    Product([usize; 2]),
    Inverse(usize),
}

impl<'a, W: View> ComponentEntry<'a, W> {
    pub(crate) fn of(view: &'a W, component: &'a ComponentOf<W>) -> Self {
        let elements = component.elements.iter().map(|element| match *element {
            Element::Step { place, step } => ElementEntry::Step([place, step]),
            Element::Symmetry { place, symmetry } => ElementEntry::Symmetry([place, symmetry]),
            Element::Product(after, first) => ElementEntry::Product([after, first]),
            Element::Inverse(of) => ElementEntry::Inverse(of),
        });
        ComponentEntry {
            places: component
                .places
                .iter()
                .inspect(|place| poll_for(64 + place.steps.len() as u64))
                .map(|place| PlaceEntry::of(view, place))
                .collect(),
            elements: elements.collect(),
        }
    }
}

impl<'a, W: View> PlaceEntry<'a, W> {
    fn of(view: &'a W, place: &'a Place<W::Words>) -> Self {
        let Place { state, steps, symmetries, again } = place;
        PlaceEntry {
            state: StateEntry { view, state },
            steps: steps.iter().map(|step| OnwardEntry::of(view, step)).collect(),
            symmetries: symmetries.iter().map(|one| permutation(view, one)).collect(),
            again: again
                .iter()
                .map(|&Again { place, element }| AgainEntry { place, element })
                .collect(),
        }
    }
}

impl<'a, W: View> OnwardEntry<'a, W> {
    fn of(view: &'a W, step: &'a OnwardOf<W>) -> Self {
        OnwardEntry {
            action: ActionEntry::of(view, step.action.as_ref()),
            place: step.target,
            permutation: permutation(view, &step.renaming),
        }
    }
}

fn permutation<W: View>(view: &W, renaming: &Renaming) -> Permutation {
    view.renamed(renaming).into_iter().collect()
}
