//! Components of globally fair runs as JSON.

use super::{StateEntry, Typed};
use crate::cli::steps;
use judge::Renaming;
use judge::{Again, Element};
use model::checked::Model;
use model::reference::{Component, Onward, Place};
use run::poll::poll_for;
use serde::Serialize;
use std::collections::BTreeMap;

/// A renaming, by index types that it changes, in cycle notation.
type Permutation<'a> = BTreeMap<&'a str, String>;

/// A component.
#[derive(Serialize)]
pub(crate) struct ComponentEntry<'a> {
    places: Vec<PlaceEntry<'a>>,
    elements: Vec<ElementEntry>,
}

#[derive(Serialize)]
struct PlaceEntry<'a> {
    state: StateEntry<'a>,
    steps: Vec<OnwardEntry<'a>>,
    symmetries: Vec<Permutation<'a>>,
    again: Vec<AgainEntry>,
}

/// A step, which leads to what the permutation makes of the state of a place.
#[derive(Serialize)]
struct OnwardEntry<'a> {
    process: Option<String>,
    event: Option<&'a str>,
    args: Vec<Typed<'a>>,
    place: usize,
    #[serde(skip_serializing_if = "Permutation::is_empty")]
    permutation: Permutation<'a>,
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

impl<'a> ComponentEntry<'a> {
    pub(crate) fn of(model: &'a Model, component: &'a Component) -> Self {
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
                .map(|place| PlaceEntry::of(model, place))
                .collect(),
            elements: elements.collect(),
        }
    }
}

impl<'a> PlaceEntry<'a> {
    fn of(model: &'a Model, place: &'a Place) -> Self {
        let Place { state, steps, symmetries, again } = place;
        PlaceEntry {
            state: StateEntry { model, state },
            steps: steps.iter().map(|step| OnwardEntry::of(model, step)).collect(),
            symmetries: symmetries.iter().map(|one| permutation(model, one)).collect(),
            again: again
                .iter()
                .map(|&Again { place, element }| AgainEntry { place, element })
                .collect(),
        }
    }
}

impl<'a> OnwardEntry<'a> {
    fn of(model: &'a Model, step: &'a Onward) -> Self {
        let mut entry = OnwardEntry {
            process: None,
            event: None,
            args: Vec::new(),
            place: step.target,
            permutation: permutation(model, &step.renaming),
        };
        if let Some((process, event)) = &step.action {
            let declared = &model.events[event.event.0 as usize];
            let args = event.arguments.iter().zip(&declared.parameters);
            let types = &model.types;
            entry.process = Some(process.show(model));
            entry.event = Some(&declared.name);
            entry.args = args.map(|(value, (_, of))| Typed { types, of: *of, value }).collect();
        }
        entry
    }
}

fn permutation<'a>(model: &'a Model, renaming: &Renaming) -> Permutation<'a> {
    steps::renamed(model, renaming).into_iter().collect()
}
