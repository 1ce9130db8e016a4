//! Quotients against brute force ([`orbits`]): the figures of the papers, the facts of fixtures, and
//! all that is said of representatives, on fixtures and on random models.
//!
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.
#![allow(clippy::print_stderr, reason = "figures are for the reader of the test's output")]

mod explored;
mod representatives;
mod unfolded;

use isonomy::explore::Deadlock;
use model::Definition;
use model::action::Permutations;
use model::checked::Model;
use std::collections::HashSet;
use support::headers::{Fixture, Size, fixtures};
use support::orbits::{Figures, Graph, Orbits, Renaming, elements, figures};

/// Larger state spaces take brute force too long.
const MOST_STATES: usize = 35_000;

#[test]
fn figures_of_the_papers() {
    // Gyuris & Sistla, section 2.5.
    let found = figures_of(&fixture("resource_simple"), &[definition("N", 3)]);
    let Figures { states, representatives, annotated, kept, .. } = found;
    assert_eq!((states, representatives, annotated, kept), (20, 7, 27, 16));
    assert_eq!(found.tracked, [13]);
    // Tables 1 and 2, in closed form: of n clients k have asked, and the resource is free, granted,
    // used or returned.
    for n in 1..=8 {
        let found = figures_of(&fixture("resource_controller"), &[definition("N", n)]);
        let Figures { states, representatives, annotated, kept, orbit_edges, .. } = found;
        assert_eq!(states, (n + 2) << n, "{n} clients");
        assert_eq!(representatives, 4 * n + 2, "{n} clients");
        assert_eq!(annotated, 2 * n * n + 3 * n + 1 + n * (n + 1) / 2, "{n} clients");
        assert_eq!(kept, n * (n + 1) / 2 + 7 * n - 1, "{n} clients");
        assert_eq!(orbit_edges, 8 * n - 1, "{n} clients");
    }
}

#[test]
fn facts_of_fixtures() {
    let mut checked = 0;
    for fixture in fixtures() {
        for size in fixture.sizes() {
            if is_small(&size) {
                checked += facts_of(&fixture, &size);
            }
        }
    }
    assert!(checked > 100, "only {checked} facts were found to be checked");
}

/// Facts of one size that are found to be true; panics at others.
fn facts_of(fixture: &Fixture, size: &Size) -> usize {
    let context = format!("{} {:?}", fixture.name, size.definitions);
    let model = fixture.model(size.definitions);
    let Some(found) = figures_within(&model) else { return 0 };
    let mut checked = 0;
    for (kind, number) in [
        ("states", found.states),
        ("steps", found.steps),
        ("deadlocks", found.deadlocks),
        ("quotient", found.representatives),
        ("annotated edges", found.annotated),
        ("kept edges", found.kept),
        ("orbit edges", found.orbit_edges),
    ] {
        if let Some(stated) = size.stated(kind) {
            assert_eq!(number, stated, "{context}: {kind}");
            checked += 1;
        }
    }
    for fact in size.facts.iter().filter(|fact| fact.kind == "tracked") {
        let (name, stated) = fact.text.split_once(' ').expect("TYPE NUMBER");
        let types = &model.types.index_types;
        let of = types.iter().position(|of| of.name == name).expect("an index type");
        assert_eq!(found.tracked[of].to_string(), stated, "{context}: tracked {name}");
        checked += 1;
    }
    checked
}

#[test]
fn two_ways_to_count_orbits_agree() {
    let mut compared = 0;
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        let Some(group) = elements(&model, 150) else { continue };
        let Some(graph) = Graph::of(&model, Deadlock::Stuck, true, 600) else { continue };
        let found = figures(&model, &graph);
        let orbits = Orbits::of(&model, &graph);
        let sizes = orbits.sizes();
        let (mut fixed, mut orbit_edges, mut tracked) = (0, 0, vec![0; found.tracked.len()]);
        for (number, state) in graph.states.iter().enumerate() {
            let fixes = |g: &&Renaming| g.state(&model, state) == *state;
            let stabiliser: Vec<&Renaming> = group.iter().filter(fixes).collect();
            fixed += stabiliser.len();
            if number != orbits.first[number] {
                continue;
            }
            assert_eq!(sizes[&number] * stabiliser.len(), group.len(), "{}", fixture.name);
            // Orbits of the stabiliser, each by its least element.
            let least: HashSet<_> = graph.steps[number]
                .iter()
                .map(|step| {
                    let image = |g: &&Renaming| {
                        let target = g.state(&model, &graph.states[step.target]);
                        (g.process(step.process), g.event(&model, &step.event), target)
                    };
                    stabiliser.iter().map(image).min().expect("the identity is one")
                })
                .collect();
            orbit_edges += least.len();
            for (of, tracked) in tracked.iter_mut().enumerate() {
                let least = |k: usize| stabiliser.iter().map(move |g| g.images[of][k]).min();
                let n = model.types.index_types[of].size as usize;
                *tracked += (0..n).map(least).collect::<HashSet<_>>().len();
            }
        }
        // Burnside: there are as many orbits as an element fixes states, in the mean.
        assert_eq!(fixed, found.representatives * group.len(), "{}", fixture.name);
        assert_eq!((orbit_edges, tracked), (found.orbit_edges, found.tracked), "{}", fixture.name);
        compared += usize::from(group.len() > 1 && found.states > 1);
    }
    assert!(compared > 25, "only {compared} fixtures were small enough");
}

#[test]
fn renamings_are_the_permutations_of_the_model() {
    let mut compared = 0;
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        let Some(graph) = Graph::of(&model, Deadlock::Off, false, 4000) else { continue };
        let Some(group) = elements(&model, 1000) else { continue };
        // The declared generators, as renamings: all are in the group, and none is the identity.
        for permutation in Permutations::generators(&model) {
            let acts_alike = |g: &&Renaming| {
                let some = graph.states.iter().step_by(1 + graph.states.len() / 50);
                some.clone().all(|state| permutation.state(&model, state) == g.state(&model, state))
            };
            assert!(group.iter().any(|g| acts_alike(&g)), "{}: {permutation:?}", fixture.name);
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} generators were compared");
}

fn fixture(name: &str) -> Fixture {
    fixtures().into_iter().find(|one| one.name == name).expect("a fixture of this name")
}

fn definition(name: &str, value: usize) -> Definition {
    Definition { name: name.to_owned(), value: value.to_string() }
}

/// Whether the space is known to be small. Where nothing is stated, the constants as they are written
/// mean a small one.
fn is_small(size: &Size) -> bool {
    let stated = size.stated("states");
    stated.map_or(size.definitions.is_empty(), |states| states <= MOST_STATES)
}

fn figures_of(fixture: &Fixture, definitions: &[Definition]) -> Figures {
    figures_within(&fixture.model(definitions)).expect("a small space")
}

fn figures_within(model: &Model) -> Option<Figures> {
    Some(figures(model, &Graph::of(model, Deadlock::Stuck, true, MOST_STATES)?))
}
