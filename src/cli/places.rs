//! Components of globally fair runs as people read them, the same in every command.

use super::console::paint;
use super::numbers::counted;
use super::steps::{self, permutation};
use super::view::{ComponentOf, OnwardOf, RunOf, View};
use super::writing::Sheet;
use judge::Place;
use ltl::source::Colour;
use run::poll::poll_for;
use std::fmt::Write as _;

/// More places are not shown, unless all is to be shown.
const MOST_PLACES: usize = 5;

/// More steps of a place are not shown either.
const MOST_STEPS: usize = 20;

/// A run, step by step, and the component in which it stays. Places count from 1.
pub(crate) fn run<W: View>(
    out: &mut Sheet<'_>,
    view: &W,
    start: Option<&str>,
    run: &RunOf<W>,
    component: &ComponentOf<W>,
    full_states: bool,
    colour: Colour,
) {
    steps::steps(out, view, start, run, full_states, colour);
    let places = &component.places;
    let here = format!(
        "from here on the run stays in {} up to permutations, and takes every step of each infinitely often",
        counted(&places.len().into(), "place")
    );
    let _ = writeln!(out, "{}", paint(colour, "1;35", &here));
    let (most_places, most_steps) =
        if full_states { (usize::MAX, usize::MAX) } else { (MOST_PLACES, MOST_STEPS) };
    for (k, place) in places.iter().enumerate().take(most_places) {
        poll_for(64 + place.steps.len() as u64);
        let state = match k {
            // It has just been shown, if nothing has happened.
            0 if run.stem.is_empty() && !full_states => String::new(),
            0 => steps::state(view, &place.state),
            _ if full_states => steps::state(view, &place.state),
            _ => {
                let changes = view.changes(&places[0].state, &place.state);
                let changes = changes.iter().map(|one| format!("{} = {}", one.place, one.after));
                steps::indented(changes)
            }
        };
        let other = match k {
            0 => "",
            _ if full_states => "",
            _ if place.state == places[0].state => ", as place 1",
            _ => ", as place 1 but for",
        };
        let name = paint(colour, "1", &format!("place {}", k + 1));
        let _ = write!(out, "{name}{other}\n{state}{}", onward_of(view, place, most_steps));
    }
    if let Some(more) = places.len().checked_sub(most_places).filter(|more| *more > 0) {
        let steps = places[most_places..].iter().map(|place| place.steps.len()).sum::<usize>();
        let _ = writeln!(
            out,
            "and {} with {}; `--full-states` shows all",
            counted(&more.into(), "more place"),
            counted(&steps.into(), "step")
        );
    }
}

/// What is done at a place.
fn onward_of<W: View>(view: &W, place: &Place<W::Words>, most_steps: usize) -> String {
    let mut out = String::new();
    for step in place.steps.iter().take(most_steps) {
        let _ = writeln!(out, "  {}", onward(view, step));
    }
    if let Some(more) = place.steps.len().checked_sub(most_steps).filter(|more| *more > 0) {
        let _ = writeln!(out, "  and {}", counted(&more.into(), "more step"));
    }
    if !place.symmetries.is_empty() {
        let all: Vec<_> = place.symmetries.iter().map(|one| permutation(view, one)).collect();
        let _ = writeln!(out, "  and what becomes of these by {}", all.join("; "));
    }
    if !place.again.is_empty() {
        let all: Vec<_> = place.again.iter().map(|one| (one.place + 1).to_string()).collect();
        let _ = writeln!(
            out,
            "  it is met again as place {}, where its other steps are taken",
            all.join(", ")
        );
    }
    out
}

/// `client_0: request(client_0), to place 2 permuted by client (0 1)`
fn onward<W: View>(view: &W, step: &OnwardOf<W>) -> String {
    let mut out = match &step.action {
        Some((process, event)) => view.label(process, event),
        None => "no process is enabled".to_owned(),
    };
    let _ = write!(out, ", to place {}", step.target + 1);
    if !step.renaming.is_identity() {
        let _ = write!(out, " permuted by {}", permutation(view, &step.renaming));
    }
    out
}
