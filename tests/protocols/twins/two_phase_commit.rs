//! Two-phase commit: a process with a name beside interchangeable ones, and states without steps.

use super::{Order, Twins};
use isonomy::protocol::*;

index! { pub Participant }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Commitment {
    at: Map<Participant, Stage>,
    asked: Map<Participant, bool>,
    vote: Map<Participant, Option<Decision>>,
    verdict: Map<Participant, Option<Decision>>,
    yes: Map<Participant, bool>,
    outcome: Option<Decision>,
    begun: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Stage {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Decision {
    Commit,
    Abort,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Ask,
    Count(Participant),
    VoteFor(Participant),
    #[cells(name = "vote against")]
    VoteAgainst(Participant),
    Obey {
        who: Participant,
    },
}

struct TwoPhaseCommit {
    participants: usize,
}

impl Commitment {
    fn decide(&mut self, decision: Decision) {
        self.outcome = Some(decision);
        self.verdict.iter_mut().for_each(|(_, verdict)| *verdict = Some(decision));
    }
}

impl Protocol for TwoPhaseCommit {
    type State = Commitment;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Participant>(self.participants)
    }

    fn starts(&self, all: &Indices) -> Vec<Commitment> {
        vec![Commitment {
            at: Map::filled(all, Stage::Working),
            asked: Map::filled(all, false),
            vote: Map::filled(all, None),
            verdict: Map::filled(all, None),
            yes: Map::filled(all, false),
            outcome: None,
            begun: false,
        }]
    }

    fn events(&self, state: &Commitment, enabled: &mut Vec<Event>) {
        if !state.begun {
            enabled.push(Event::Ask);
        }
        let all = || state.at.keys();
        let is_counted = |&p: &Participant| state.outcome.is_none() && state.vote[p].is_some();
        enabled.extend(all().filter(is_counted).map(Event::Count));
        let votes = |&p: &Participant| state.asked[p] && state.at[p] == Stage::Working;
        enabled.extend(all().filter(votes).map(Event::VoteFor));
        enabled.extend(all().filter(votes).map(Event::VoteAgainst));
        let obeys = |&p: &Participant| state.at[p] == Stage::Prepared && state.verdict[p].is_some();
        enabled.extend(all().filter(obeys).map(|who| Event::Obey { who }));
    }

    fn next(&self, state: &Commitment, event: &Event) -> Option<Commitment> {
        let mut state = state.clone();
        match *event {
            Event::Ask => {
                state.begun = true;
                state.asked.iter_mut().for_each(|(_, asked)| *asked = true);
            }
            Event::Count(p) => {
                if state.vote[p].take() == Some(Decision::Commit) {
                    state.yes[p] = true;
                    if state.yes.all(|yes| *yes) {
                        state.decide(Decision::Commit);
                    }
                } else {
                    state.decide(Decision::Abort);
                }
            }
            Event::VoteFor(p) => {
                (state.asked[p], state.vote[p]) = (false, Some(Decision::Commit));
                state.at[p] = Stage::Prepared;
            }
            Event::VoteAgainst(p) => {
                (state.asked[p], state.vote[p]) = (false, Some(Decision::Abort));
                state.at[p] = Stage::Aborted;
            }
            Event::Obey { who } => {
                state.at[who] = match state.verdict[who].take()? {
                    Decision::Commit => Stage::Committed,
                    Decision::Abort => Stage::Aborted,
                };
            }
        }
        Some(state)
    }

    fn owner(&self, event: &Event) -> Owner {
        match *event {
            Event::Ask | Event::Count(_) => Owner::named("coordinator"),
            Event::VoteFor(p) | Event::VoteAgainst(p) | Event::Obey { who: p } => Owner::of(p),
        }
    }

    fn processes(&self) -> Vec<&'static str> {
        vec!["coordinator"]
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("prepared", |state, p| state.at[p] == Stage::Prepared)
            .state1("committed", |state, p| state.at[p] == Stage::Committed)
            .state1("aborted", |state, p| state.at[p] == Stage::Aborted)
            .state("decided", |state| state.outcome.is_some())
            .state("will commit", |state| state.outcome == Some(Decision::Commit));
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        let unanimous = |state: &Commitment| {
            state.outcome != Some(Decision::Commit)
                || state.at.all(|stage| matches!(stage, Stage::Prepared | Stage::Committed))
        };
        properties
            .always("agreement", |state| {
                !(state.at.any(|stage| *stage == Stage::Committed)
                    && state.at.any(|stage| *stage == Stage::Aborted))
            })
            .always("commit needs all votes", unanimous);
    }
}

const TEXT: &str = include_str!("../../../fixtures/models/two_phase_commit.m");

const FORMULAS: [(&str, &str); 10] = [
    ("F decided", "F !isundefined(outcome)"),
    (
        "forall p: Participant. F (committed(p) | aborted(p))",
        "forall p: participant. F (st[p] = Committed | st[p] = Aborted)",
    ),
    ("F \"will commit\"", "F (!isundefined(outcome) & outcome = Commit)"),
    ("G (@ask -> F decided)", "G (@ask -> F !isundefined(outcome))"),
    ("forall p: Participant. F @count(p)", "forall p: participant. F @count(p)"),
    (
        "G (@by(coordinator) -> X F @by(Participant))",
        "G (@by(coordinator) -> X F (@\"vote for\" | @\"vote against\" | @obey))",
    ),
    (
        "forall p: Participant. G (@by(p) -> F @by(coordinator))",
        "forall p: participant. G (@by(p) -> F @by(coordinator))",
    ),
    (
        "forall p: Participant. G (@\"vote against\"(p) -> F G aborted(p))",
        "forall p: participant. G (@\"vote against\"(p) -> F G st[p] = Aborted)",
    ),
    (
        "forall distinct p, q: Participant. \
         G (@vote_for(p) & aborted(q) -> G !committed(p))",
        "forall distinct p, q: participant. \
         G (@\"vote for\"(p) & st[q] = Aborted -> G st[p] != Committed)",
    ),
    (
        "forall distinct p, q: Participant. (G !@obey(p)) -> F committed(q)",
        "forall distinct p, q: participant. (G !@obey(p)) -> F st[q] = Committed",
    ),
];

#[test]
fn two_phase_commit() {
    for participants in [2, 3] {
        let make = move || TwoPhaseCommit { participants };
        Twins::new(make, (TEXT, participants), &FORMULAS, Order::Rules).compare().assert_mixed();
    }
}

#[test]
fn two_phase_commit_of_four_has_the_same_counts() {
    let make = || TwoPhaseCommit { participants: 4 };
    Twins::new(make, (TEXT, 4), &FORMULAS, Order::Rules).compare_counts();
}
