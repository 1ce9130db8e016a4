//! Globally fair runs that are given by a component.

use super::ring::{Declares, Formula, Mode, Process, Ring, State, rotation};
use super::{BECOME, Event, P2, PLAIN, follow, shown};
use judge::{
    Again, Component, Element, LetterGraph, Objection, Onward, Place, Renaming, Run,
    judge_component,
};
use terms::Demand;

/// The token goes round, and nothing else happens.
const TOKEN: Ring = Ring { asks: false, environment: false, declares: Declares::Requirements };
const DECLARED: Demand = Demand { declared: true, ..Demand::NONE };

fn onward(node: u8, target: usize, by: u32) -> Onward<Ring> {
    let action = Some((Process::Node(node), Event::Pass(node)));
    Onward { action, target, renaming: rotation(by) }
}

fn place(node: u8, step: Onward<Ring>) -> Place<Ring> {
    let (symmetries, again) = (Vec::new(), Vec::new());
    Place { state: State::start(node), steps: vec![step], symmetries, again }
}

/// Two places: the token is at node 0, then at node 1, then at node 0 turned by two.
fn component() -> Component<Ring> {
    let places = vec![place(0, onward(0, 1, 0)), place(1, onward(1, 0, 2))];
    Component { places, elements: Vec::new() }
}

fn stem() -> Run<Ring> {
    follow(TOKEN, State::start(2), &[P2], &[])
}

fn judged(ring: Ring, component: &Component<Ring>) -> Result<LetterGraph, Objection<Ring>> {
    let formula = Formula::new("", "F ask");
    judge_component(&ring, &formula, &[], DECLARED, (&stem(), component), 100)
}

#[test]
fn a_component_is_accepted() {
    let graph = judged(TOKEN, &component()).expect("all steps are taken");
    let letter = ltl::Letter::new();
    let steps = vec![vec![(letter.clone(), 1)], vec![(letter.clone(), 0)]];
    assert_eq!(graph, LetterGraph { stem: vec![letter], steps });
    // One place is enough: the next state is this one turned by one.
    let one = Component { places: vec![place(0, onward(0, 0, 1))], elements: Vec::new() };
    assert!(judged(TOKEN, &one).is_ok());
    // The second place is the first one again, turned by the inverse of its own step.
    let mut calculated = component();
    calculated.elements =
        vec![Element::Step { place: 1, step: 0 }, Element::Inverse(0), Element::Product(0, 0)];
    for element in [1, 2] {
        calculated.places[1].again = vec![Again { place: 0, element: Some(element) }];
        assert!(judged(TOKEN, &calculated).is_ok(), "{element}");
    }
}

#[test]
fn components_that_are_none() {
    type Change = fn(&mut Component<Ring>);
    let swap = || Renaming::new(vec![vec![1, 0, 2]]).expect("a renaming");
    let rows: Vec<(&str, Change, &str)> = vec![
        (
            "no steps",
            |one| one.places.iter_mut().for_each(|place| place.steps.clear()),
            "the run ends, but the formula is about infinite runs",
        ),
        (
            "the stem leads elsewhere",
            |one| one.places[0].state.token = 2,
            "the stem does not lead to the first place of the component",
        ),
        (
            "a target that is none",
            |one| one.places[0].steps[0].target = 2,
            "at place 1: it names a part that the component does not have",
        ),
        (
            "an element that is none",
            |one| one.elements.push(Element::Inverse(0)),
            "it names a part that the component does not have",
        ),
        (
            "a place that is not reached without renaming",
            |one| one.places[0].steps[0] = onward(0, 0, 1),
            "place 2 is not reached from the first one by steps without permutation, or does not \
             lead back",
        ),
        (
            "a step that is none",
            |one| one.places[1].steps[0] = onward(1, 0, 1),
            "at place 2: step 1 is no step of the model",
        ),
        (
            "a symmetry that changes the state",
            |one| one.places[0].symmetries.push(rotation(1)),
            "at place 1: a symmetry changes the state",
        ),
        (
            "another place is not the same state",
            |one| one.places[1].again.push(Again { place: 0, element: None }),
            "at place 2: place 1 is not the same state again",
        ),
    ];
    for (what, change, expected) in rows {
        let mut changed = component();
        change(&mut changed);
        assert_eq!(shown(&judged(TOKEN, &changed)), expected, "{what}");
    }
    let mut reflected = component();
    reflected.places[1].symmetries.push(swap());
    let expected = "at place 2: the permutation of `node` is none that leaves the model as it is";
    assert_eq!(shown(&judged(TOKEN, &reflected)), expected);
    // Where nodes ask, there are more steps.
    let expected =
        "at place 1: the run is not fair: it has an unsatisfied obligation to Node(0): Ask(0)";
    assert_eq!(shown(&judged(PLAIN, &component())), expected);
}

#[test]
fn the_word_of_a_component_is_judged() {
    let judged = |tracked, text, binding: &[_], component: &Component<Ring>| {
        let formula = Formula::new(tracked, text);
        shown(&judge_component(&TOKEN, &formula, binding, DECLARED, (&stem(), component), 100))
    };
    assert_eq!(judged("", "G !ask", &[], &component()), "the run satisfies the formula");
    let moves = "at place 2: the permutation changes the value of `n`";
    assert_eq!(judged("n", "F G !at_n", &[('n', 0)], &component()), moves);
    // The formula distinguishes nodes, although none is tracked; seen where a place is visited twice.
    let (one, other) = (onward(0, 0, 1), onward(0, 0, 1));
    let mut twice = Component { places: vec![place(0, one)], elements: Vec::new() };
    twice.places[0].steps.push(other);
    assert_eq!(judged("", "F ask", &[], &twice), super::ACCEPTED);
    let other = "atoms differ at step 3 from what they are in the first lap";
    assert_eq!(judged("", "F G !at_0", &[], &twice), other);
}

/// All nodes are one orbit, unless there are no renamings.
#[test]
fn requirements_are_judged_by_orbits() {
    let mut one = component();
    let steps = [onward(0, 1, 0), onward(1, 2, 0), onward(2, 0, 0)];
    one.places = (0..3).zip(steps).map(|(node, step)| place(node, step)).collect();
    assert!(judged(TOKEN, &one).is_ok());
    // The ring halts, and only node 0 ever has the token again.
    let ring = Ring { environment: true, ..TOKEN };
    let run = follow(ring, State::start(0), &[BECOME(Mode::Halted)], &[]);
    let step = Onward { action: None, target: 0, renaming: rotation(0) };
    let halted = Place { state: run.end.clone(), ..place(0, step) };
    let halted = Component { places: vec![halted], elements: Vec::new() };
    let formula = Formula::new("", "F ask");
    let found =
        |demand| shown(&judge_component(&ring, &formula, &[], demand, (&run, &halted), 100));
    assert_eq!(found(Demand::NONE), super::ACCEPTED);
    assert_eq!(
        found(DECLARED),
        "the run is not fair: it has an unsatisfied obligation to justice[1]"
    );
}
