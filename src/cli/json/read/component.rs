//! Components of globally fair runs out of JSON.

use super::{Fault, Object, Path, ReadBack, ReadStep, StateOf, list, shown};
use judge::{Again, Component, Element, Onward, Place};
use run::poll::poll_for;
use serde_json::Value as Json;

/// A component: `{"places": [PLACE], "elements": [ELEMENT]}`.
pub(crate) fn read_component<R: ReadBack + ?Sized>(
    reader: &R,
    json: &Json,
    at: &Path<'_>,
) -> Result<Component<R::Words>, Fault> {
    let object = Object::of(json, at)?;
    let places_at = Path::Key(at, "places");
    let items = list(object.field("places")?, &places_at)?;
    let mut states = Vec::new();
    for (k, item) in items.iter().enumerate() {
        let at = Path::Item(&places_at, k);
        let state = Object::of(item, &at)?.field("state")?;
        states.push(reader.state(state, &Path::Key(&at, "state"))?);
    }
    let mut places = Vec::new();
    for (k, item) in items.iter().enumerate() {
        let at = Path::Item(&places_at, k);
        places.push(place(reader, Object::of(item, &at)?, k, &states)?);
    }
    let elements_at = Path::Key(at, "elements");
    let items = list(object.field("elements")?, &elements_at)?.iter().enumerate();
    let elements = items.map(|(k, item)| element(item, &Path::Item(&elements_at, k)));
    Ok(Component { places, elements: elements.collect::<Result<_, _>>()? })
}

fn place<R: ReadBack + ?Sized>(
    reader: &R,
    object: Object<'_>,
    k: usize,
    states: &[StateOf<R>],
) -> Result<Place<R::Words>, Fault> {
    let at = Path::Key(object.at, "steps");
    let mut steps = Vec::new();
    for (n, item) in list(object.field("steps")?, &at)?.iter().enumerate() {
        poll_for(16);
        let at = Path::Item(&at, n);
        steps.push(onward(reader, Object::of(item, &at)?, &states[k], states)?);
    }
    let at = Path::Key(object.at, "symmetries");
    let symmetries = list(object.field("symmetries")?, &at)?.iter().enumerate();
    let symmetries = symmetries.map(|(n, item)| reader.renaming(item, &Path::Item(&at, n)));
    let symmetries = symmetries.collect::<Result<_, _>>()?;
    let at = Path::Key(object.at, "again");
    let mut again = Vec::new();
    for (n, item) in list(object.field("again")?, &at)?.iter().enumerate() {
        let at = Path::Item(&at, n);
        let one = Object::of(item, &at)?;
        let place = number(one.field("place")?, &Path::Key(&at, "place"))?;
        let element = one.optional("element");
        let element = element.map(|json| number(json, &Path::Key(&at, "element")));
        again.push(Again { place, element: element.transpose()? });
    }
    Ok(Place { state: states[k].clone(), steps, symmetries, again })
}

fn onward<R: ReadBack + ?Sized>(
    reader: &R,
    object: Object<'_>,
    state: &StateOf<R>,
    states: &[StateOf<R>],
) -> Result<Onward<R::Words>, Fault> {
    let target = number(object.field("place")?, &Path::Key(object.at, "place"))?;
    let at = Path::Key(object.at, "permutation");
    let renaming = match object.optional("permutation") {
        None => reader.identity(),
        Some(json) => reader.renaming(json, &at)?,
    };
    let read = ReadStep { state: state.clone(), actions: reader.actions(object)? };
    // A place that is not there is for the judge to notice.
    let behind = states.get(target).map(|state| reader.renamed(&renaming, state));
    let action = reader.decide(read, behind.as_ref().unwrap_or(state)).action;
    Ok(Onward { action, target, renaming })
}

/// One of `{"step": [PLACE, N]}`, `{"symmetry": [PLACE, N]}`, `{"product": [N, N]}`, `{"inverse": N}`.
fn element(json: &Json, at: &Path<'_>) -> Result<Element, Fault> {
    let object = Object::of(json, at)?;
    let pair = |name: &str, json: &Json| {
        let at = Path::Key(at, name);
        match list(json, &at)? {
            [first, second] => {
                Ok((number(first, &Path::Item(&at, 0))?, number(second, &Path::Item(&at, 1))?))
            }
            _ => at.fault("expected two numbers"),
        }
    };
    let mut fields = object.fields();
    match (fields.next(), fields.next()) {
        (Some(("step", json)), None) => {
            pair("step", json).map(|(place, step)| Element::Step { place, step })
        }
        (Some(("symmetry", json)), None) => {
            pair("symmetry", json).map(|(place, symmetry)| Element::Symmetry { place, symmetry })
        }
        (Some(("product", json)), None) => {
            pair("product", json).map(|(after, first)| Element::Product(after, first))
        }
        (Some(("inverse", json)), None) => {
            number(json, &Path::Key(at, "inverse")).map(Element::Inverse)
        }
        _ => at.fault("expected one of `step`, `symmetry`, `product`, `inverse`"),
    }
}

/// The value as a number that counts something, from 0.
fn number(json: &Json, at: &Path<'_>) -> Result<usize, Fault> {
    match json.as_u64().and_then(|number| usize::try_from(number).ok()) {
        Some(number) => Ok(number),
        None => at.fault(format!("expected a number from 0 on, not {}", shown(json))),
    }
}
