//! The election of a leader, as in Raft: at most one per term, and how fair must the world be?
//!
//! Servers ask for votes in a new term whenever they like (`Timeout`), and vote once per term; messages may
//! be lost and overtake each other. Votes may be split forever, under every fairness to single events:
//! that is why Raft has random timeouts. Global fairness stands for them: a step that is possible
//! infinitely often is taken infinitely often. Run it with
//! `cargo run --release --example raft_election`.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::wildcard_imports, reason = "the module is meant to be imported as a whole")]

use isonomy::protocol::*;

index! { Server }

/// Terms count from that of the slowest server: only their order matters. No server is further ahead.
const AHEAD: i64 = 1;
type Term = Ranged<0, AHEAD>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Cluster {
    at: Map<Server, Node>,
    /// The network; a server that finds no room for its questions waits.
    messages: Bag<Message, 4>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
struct Node {
    term: Term,
    role: Role,
    voted_for: Option<Server>,
    votes: Ranged<0, 3>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Role {
    Follower,
    Candidate,
    Leader,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
struct Message {
    from: Server,
    to: Server,
    term: Term,
    /// A vote, or a question for one.
    is_vote: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Timeout(Server),
    Receive(Message),
    Lose(Message),
}

struct Election;

impl Cluster {
    /// Terms count from that of the slowest server, and messages of earlier terms mean nothing.
    fn shifted(mut self) -> Cluster {
        let least = self.at.values().map(|node| node.term.get()).min().unwrap_or(0);
        self.at.iter_mut().for_each(|(_, node)| node.term -= least);
        let messages = self.messages.iter().filter(|one| one.term >= least);
        self.messages = messages.map(|one| Message { term: one.term - least, ..*one }).collect();
        self
    }
}

impl Protocol for Election {
    type State = Cluster;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Server>(3)
    }

    fn starts(&self, all: &Indices) -> Vec<Cluster> {
        let (term, votes) = (Term::LOW, 0.into());
        let node = Node { term, role: Role::Follower, voted_for: None, votes };
        vec![Cluster { at: Map::filled(all, node), messages: Bag::new() }]
    }

    fn events(&self, now: &Cluster, enabled: &mut Vec<Event>) {
        let has_room = now.messages.len() + now.at.len() - 1 <= 4;
        for (server, node) in now.at.iter() {
            if node.role != Role::Leader && has_room && node.term < AHEAD {
                enabled.push(Event::Timeout(server));
            }
        }
        for message in &now.messages {
            enabled.extend([Event::Receive(*message), Event::Lose(*message)]);
        }
    }

    fn next(&self, now: &Cluster, event: &Event) -> Option<Cluster> {
        let mut next = now.clone();
        match *event {
            Event::Timeout(server) => {
                let node = &mut next.at[server];
                node.term += 1;
                (node.role, node.voted_for, node.votes) = (Role::Candidate, Some(server), 1.into());
                let term = node.term;
                for to in now.at.keys().filter(|to| *to != server) {
                    next.messages.add(Message { from: server, to, term, is_vote: false });
                }
            }
            Event::Lose(message) => drop(next.messages.remove(&message)),
            Event::Receive(message) => {
                next.messages.remove(&message);
                let Message { from, to, term, is_vote } = message;
                let node = &mut next.at[to];
                if term > node.term {
                    let (role, votes) = (Role::Follower, 0.into());
                    *node = Node { term, role, voted_for: None, votes };
                }
                if term == node.term && is_vote && node.role == Role::Candidate {
                    node.votes += 1;
                    if node.votes >= 2 {
                        node.role = Role::Leader;
                    }
                } else if term == node.term && !is_vote && node.voted_for.is_none() {
                    node.voted_for = Some(from);
                    next.messages.add(Message { from: to, to: from, term, is_vote: true });
                }
            }
        }
        Some(next.shifted())
    }

    fn owner(&self, event: &Event) -> Owner {
        match *event {
            Event::Timeout(server) | Event::Receive(Message { to: server, .. }) => {
                Owner::of(server)
            }
            Event::Lose(_) => Owner::none(),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state("elected", |now| now.at.any(|node| node.role == Role::Leader));
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        let leads = |node: &Node| node.role == Role::Leader;
        properties
            .always("one leader per term", move |now| {
                now.at.all(|a| now.at.count(|b| leads(a) && leads(b) && a.term == b.term) <= 1)
            })
            .sometimes("two leaders, in two terms", move |now| now.at.count(leads) == 2)
            .possible("a leader can be elected", move |now| now.at.any(leads));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for fairness in [Fairness::Strong, Fairness::Global] {
        let check = check(Election).formula("G F elected")?;
        let report = check.fairness(fairness).over(Over::Events).run()?;
        println!("{fairness:?} fairness");
        for answer in report.answers() {
            // The run in which votes are always split is long: it has to be fair to every message.
            let run = answer.run().filter(|_| answer.verdict() == Verdict::Violated);
            let steps = run.map(|run| format!(", by a run of {} steps", run.steps().count()));
            println!("  {:?}: {}{}", answer.verdict(), answer.name(), steps.unwrap_or_default());
        }
    }
    Ok(())
}
