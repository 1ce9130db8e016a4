//! Small nets of our own, in `fixtures/nets`: what their symmetries are, and what the engine counts.
//!
//! `clients`: interchangeable colours; `relay`: a ring, successor and predecessor, `.all`, a start that
//! is not symmetric; `workshop`: a net without colours, weights, guessed bounds that are met; `post`:
//! products, a partition, a range, guards and arcs of every kind.

use engine::explore::{Options, Symmetry as Reduction, explore_system};
use judge::Reference as _;
use nets::{Bounds, Game, Marking, Net, PackedNet, Symmetry, pnml};
use run::Watch;
use std::collections::BTreeSet;
use terms::Group;

const CLIENTS: &str = include_str!("../../fixtures/nets/clients.pnml");
const RELAY: &str = include_str!("../../fixtures/nets/relay.pnml");
const WORKSHOP: &str = include_str!("../../fixtures/nets/workshop.pnml");
const POST: &str = include_str!("../../fixtures/nets/post.pnml");

fn net(text: &str) -> Net {
    pnml::parse(text).expect("a net")
}

/// By class: the group and the blocks.
fn blocks(symmetry: &Symmetry) -> Vec<(Group, &[u32])> {
    symmetry.classes.iter().map(|one| (one.group, &one.block_of[..])).collect()
}

#[test]
fn colours_are_classified_by_their_use() {
    let clients = Symmetry::of(&net(CLIENTS), &[]);
    assert_eq!(blocks(&clients), [(Group::Full, &[0, 0, 0][..])]);
    let relay = Symmetry::of(&net(RELAY), &[]);
    assert_eq!(blocks(&relay), [(Group::Rotations, &[0; 5][..])]);
    assert!(Symmetry::of(&net(WORKSHOP), &[]).is_trivial());
    // Regions divide cities, and one city is named. Levels are compared by order; regions are compared
    // with those of cities.
    let post = Symmetry::of(&net(POST), &[]);
    let expected: [(Group, &[u32]); 3] =
        [(Group::Full, &[0, 0, 1, 1, 2]), (Group::Trivial, &[0, 1, 2]), (Group::Trivial, &[0, 1])];
    assert_eq!(blocks(&post), expected);
}

/// A start that is not symmetric loses what is counted by, and nothing else.
#[test]
fn the_initial_marking_is_asked_only_for_counts() {
    let relay = net(RELAY);
    let symmetry = Symmetry::of(&relay, &[]);
    assert!(!symmetry.is_trivial() && symmetry.of_initial(&relay).is_trivial());
    let post = net(POST);
    let symmetry = Symmetry::of(&post, &[]);
    assert_eq!(symmetry.of_initial(&post), symmetry);
}

#[test]
fn counts_are_those_of_the_token_game() {
    for (text, markings) in [(CLIENTS, 20), (RELAY, 18), (WORKSHOP, 715), (POST, 7374)] {
        let net = net(text);
        let game = Game::new(&net, &Symmetry::none(&net));
        let mut seen: BTreeSet<Marking> = [game.initial()].into();
        let (mut open, mut steps) = (vec![game.initial()], 0_u64);
        while let Some(marking) = open.pop() {
            for attempt in game.steps(&marking).attempts {
                let target = attempt.target.expect("no fault");
                steps += 1;
                if seen.insert(target.clone()) {
                    open.push(target);
                }
            }
        }
        assert_eq!(seen.len(), markings, "{}", net.name);
        let expected = (markings.to_string(), steps.to_string());
        for symmetry in [Symmetry::none(&net), Symmetry::of(&net, &[]).of_initial(&net)] {
            assert_eq!(counted(&net, &symmetry).0, expected, "{}", net.name);
        }
    }
}

/// Bounds begin small: a marking that does not fit is not stored, and the exploration begins again.
#[test]
fn bounds_that_are_met_are_raised() {
    let net = net(WORKSHOP);
    let (_, rounds) = counted(&net, &Symmetry::none(&net));
    assert!(rounds > 2, "{rounds}");
}

/// Markings and steps, and how often the exploration began.
fn counted(net: &Net, symmetry: &Symmetry) -> ((String, String), u32) {
    let (mut bounds, mut rounds) = (Bounds::of_initial(net), 1);
    loop {
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone());
        let options = Options { symmetry: Reduction::Canonical, ..Options::default() };
        let found = explore_system(&system, &options, &system.watch(&Watch::none()));
        if let Some(raised) = system.raised() {
            bounds = raised.with_room(&bounds);
            rounds += 1;
            continue;
        }
        let full = found.full.expect("it is exhaustive");
        return ((full.states.to_string(), full.fired.to_string()), rounds);
    }
}
