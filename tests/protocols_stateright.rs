//! Stateright models through the adapter of `examples/stateright`: the same states, and verdicts where
//! Stateright has none. If these tests fail because Stateright finds cycles, the page "Coming from
//! Stateright" has to change, too.

#[path = "../examples/stateright/adapter.rs"]
mod adapter;
#[path = "../examples/stateright/models.rs"]
mod models;
#[path = "../benches/protocols/published.rs"]
#[allow(unreachable_pub, reason = "a module of a program")]
mod published;

use adapter::Adapted;
use isonomy::protocol::{Fairness, Over, Verdict, check_loose};
use stateright::actor::{ActorModel, Network};
use stateright::{Checker, Model, Property};

#[test]
fn an_eventually_on_a_cycle_is_found_violated() {
    let found = models::Job.checker().spawn_bfs().join();
    assert!(found.discovery("done").is_none(), "Stateright finds cycles now");
    let report = Adapted::new(models::Job).check().unwrap().run().unwrap();
    let answer = report.answer("F \"done\"").unwrap();
    assert_eq!(answer.verdict(), Verdict::Violated);
    assert_eq!(answer.run().unwrap().steps().count(), 2, "start, fail");
    assert_eq!(report.answer("running").unwrap().verdict(), Verdict::Holds);
}

#[test]
fn fairness_decides_about_adapted_models() {
    let verdict = |fairness| {
        let check = Adapted::new(models::Job).check().unwrap();
        check.fairness(fairness).over(Over::Events).run().unwrap().holds()
    };
    assert!(!verdict(Fairness::Weak));
    assert!(verdict(Fairness::Strong));
    let verdict = |fairness| {
        let check = Adapted::new(models::retry()).check().unwrap();
        check.fairness(fairness).over(Over::Events).run().unwrap().holds()
    };
    assert!(!verdict(Fairness::Weak));
    assert!(verdict(Fairness::Strong));
}

#[test]
fn counts_are_the_same() {
    for managers in 1..=4 {
        let found = published::TwoPhase { managers }.checker().spawn_bfs().join();
        let counts = check_loose(Adapted::new(published::TwoPhase { managers })).count().unwrap();
        assert_eq!(counts.representatives, found.unique_state_count() as u64);
    }
    let found = models::retry().checker().spawn_bfs().join();
    assert!(found.discovery("answered").is_none(), "Stateright finds cycles now");
    let counts = check_loose(Adapted::new(models::retry())).count().unwrap();
    assert_eq!(counts.representatives, found.unique_state_count() as u64);
}

#[test]
fn a_boundary_is_one_only_if_it_is_asked_for() {
    struct Counter;
    impl Model for Counter {
        type State = u32;
        type Action = ();

        fn init_states(&self) -> Vec<u32> {
            vec![0]
        }

        fn actions(&self, _: &u32, actions: &mut Vec<()>) {
            actions.push(());
        }

        fn next_state(&self, state: &u32, (): ()) -> Option<u32> {
            Some(state + 1)
        }

        fn properties(&self) -> Vec<Property<Self>> {
            vec![Property::always("small", |_, state| *state < 10)]
        }

        fn within_boundary(&self, state: &u32) -> bool {
            *state < 10
        }
    }
    let found = Counter.checker().spawn_bfs().join();
    assert!(found.discovery("small").is_none());
    let report = Adapted::new(Counter).within_boundary().check().unwrap().run().unwrap();
    assert!(report.holds() && report.is_bounded(), "{report}");
    let report = Adapted::new(Counter).check().unwrap().run().unwrap();
    assert!(!report.holds() && !report.is_bounded(), "{report}");
}

#[test]
fn an_actor_model_without_losses_needs_weak_fairness_only() {
    let model = || -> ActorModel<models::Node> {
        models::retry()
            .init_network(Network::new_unordered_duplicating([]))
            .lossy_network(stateright::actor::LossyNetwork::No)
    };
    let run = |fairness| {
        let check = Adapted::new(model()).check().unwrap();
        check.fairness(fairness).over(Over::Events).run().unwrap().holds()
    };
    assert!(!run(Fairness::None), "the client may be busy with timeouts");
    assert!(run(Fairness::Weak));
}
