//! Temporal formulas and fairness for models that are written for Stateright.
//!
//! Stateright's `eventually` looks at paths that end; a run that goes round in a cycle forever is not
//! seen, as its documentation says. Here both checkers answer, for a job that is tried until it
//! succeeds, and for a client and a server on a network that loses messages. Run it with
//! `cargo run --release --example stateright`.
#![allow(clippy::print_stdout, reason = "an example prints")]

mod adapter;
mod models;

use adapter::Adapted;
use isonomy::protocol::{Fairness, Over};
use stateright::actor::ActorModelAction;
use stateright::{Checker, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("== a job that is tried until it succeeds");
    let found = models::Job.checker().spawn_bfs().join();
    println!("Stateright: {}\n", verdict(&found, "done"));
    println!("Isonomy:\n{}", Adapted::new(models::Job).check()?.run()?);
    // `Succeed` is enabled infinitely often, but not always: weak fairness is not enough.
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let check = Adapted::new(models::Job).check()?.fairness(fairness).over(Over::Events);
        println!("{fairness:?} fairness to events:\n{}", check.run()?);
    }

    println!("== a request that is repeated until it is answered");
    let found = models::retry().checker().spawn_bfs().join();
    println!("Stateright: {}\n", verdict(&found, "answered"));
    println!("Isonomy:\n{}", adapted_retry().check()?.run()?);
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let check = adapted_retry().check()?.fairness(fairness).over(Over::Events);
        println!("{fairness:?} fairness to events:\n{}", check.run()?);
    }
    Ok(())
}

/// The actors are the processes; the loss of a message is a step without a process.
fn adapted_retry() -> Adapted<stateright::actor::ActorModel<models::Node>> {
    Adapted::new(models::retry()).processes(2, |action| match action {
        ActorModelAction::Deliver { dst: actor, .. }
        | ActorModelAction::Timeout(actor, ())
        | ActorModelAction::Crash(actor)
        | ActorModelAction::Recover(actor)
        | ActorModelAction::SelectRandom { actor, .. } => Some(usize::from(*actor)),
        ActorModelAction::Drop(_) => None,
    })
}

/// What Stateright says about an `eventually`.
fn verdict<M>(found: &impl Checker<M>, property: &'static str) -> String
where
    M: Model,
    M::State: Clone + PartialEq,
    M::Action: Clone + PartialEq,
{
    let states = found.unique_state_count();
    match found.discovery(property) {
        Some(_) => format!("\"{property}\" is violated ({states} states)"),
        None => format!("no counterexample to \"{property}\" ({states} states)"),
    }
}
