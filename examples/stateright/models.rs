//! Two Stateright models with an `eventually` that a cycle violates.
#![allow(unreachable_pub, reason = "a module of programs")]

use stateright::actor::{Actor, ActorModel, Id, LossyNetwork, Network, Out, model_timeout};
use stateright::{Expectation, Model, Property};
use std::borrow::Cow;

/// A job that is tried until it succeeds. It may fail every time.
pub struct Job;

/// Where the job is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    Waiting,
    Running,
    Done,
}

/// What happens to the job. As in many models, actions are not `Hash`.
#[derive(Clone, PartialEq, Debug)]
pub enum Attempt {
    Start,
    Fail,
    Succeed,
}

impl Model for Job {
    type State = Stage;
    type Action = Attempt;

    fn init_states(&self) -> Vec<Stage> {
        vec![Stage::Waiting]
    }

    fn actions(&self, stage: &Stage, actions: &mut Vec<Attempt>) {
        match stage {
            Stage::Waiting => actions.push(Attempt::Start),
            Stage::Running => actions.extend([Attempt::Fail, Attempt::Succeed]),
            Stage::Done => {}
        }
    }

    fn next_state(&self, _: &Stage, action: Attempt) -> Option<Stage> {
        Some(match action {
            Attempt::Start => Stage::Running,
            Attempt::Fail => Stage::Waiting,
            Attempt::Succeed => Stage::Done,
        })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::sometimes("running", |_, stage| *stage == Stage::Running),
            Property::eventually("done", |_, stage| *stage == Stage::Done),
        ]
    }
}

/// A client that repeats a request until it is answered, and a server.
#[derive(Clone)]
pub enum Node {
    Client { server: Id },
    Server,
}

/// A request or an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    Request,
    Answer,
}

impl Actor for Node {
    type Msg = Message;
    type Timer = ();
    /// Whether the node is a client that has the answer.
    type State = bool;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, out: &mut Out<Self>) -> bool {
        if let Node::Client { server } = self {
            out.send(*server, Message::Request);
            out.set_timer((), model_timeout());
        }
        false
    }

    fn on_msg(
        &self,
        _: Id,
        state: &mut Cow<bool>,
        source: Id,
        message: Message,
        out: &mut Out<Self>,
    ) {
        match (self, message) {
            (Node::Server, Message::Request) => out.send(source, Message::Answer),
            (Node::Client { .. }, Message::Answer) if !**state => {
                *state.to_mut() = true;
                out.cancel_timer(());
            }
            _ => {}
        }
    }

    fn on_timeout(&self, _: Id, _: &mut Cow<bool>, (): &(), out: &mut Out<Self>) {
        if let Node::Client { server } = self {
            out.send(*server, Message::Request);
            out.set_timer((), model_timeout());
        }
    }
}

/// A client and a server, on a network that loses messages.
pub fn retry() -> ActorModel<Node> {
    ActorModel::new((), ())
        .actor(Node::Client { server: Id::from(1) })
        .actor(Node::Server)
        .init_network(Network::new_unordered_duplicating([]))
        .lossy_network(LossyNetwork::Yes)
        .property(Expectation::Eventually, "answered", |_, state| *state.actor_states[0])
        .property(Expectation::Always, "servers ask nothing", |_, state| !*state.actor_states[1])
}
