//! Makes certificates of "holds", which [`verify`] checks.
//!
//! The listed states are representatives that a [`Guess`] chooses: under symmetry, the engine. For a
//! formula, the product of these with sets of [obligations](verify::obligations) is closed: no step is
//! omitted, no automaton reduced. Then nodes are [eliminated](passes) by monotone passes over frozen sets,
//! and the rank and the reason of each are written down. If some are left, there is no certificate: if the
//! formula holds, then for a reason that has no certificate yet, the exact rule for global fairness.
//!
//! Nothing here is trusted. What a certificate needs is computed with the definitions of the checker, so
//! that both mean the same edges.

mod closure;
pub mod draft;
mod liveness;
pub mod passes;
mod states;
pub mod wire;

pub use states::Guess;

use draft::{Draft, Part};
use judge::{Reference, Vocabulary};
use run::Crew;
use run::{StopReason, Watch};
use states::Recording;
use std::fmt;
use terms::{Demand, Fairness};
use verify::properties::check_values;
use verify::space::Space;
use verify::{Claim, Demands, Refusal};

/// Why a claim is not certified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Uncertified {
    /// A limit was reached.
    Stopped(StopReason),
    /// There would be more nodes than this.
    Nodes(usize),
    /// Something fails, so that not all is known.
    Fails(String),
    /// Some nodes are left although no reason eliminates one. Without global fairness, and without
    /// symmetry, this means that the claim is false.
    Left(Fairness),
    /// No distance is known for some state: the claim is false, or it is not known how symmetries act on
    /// the parameters of the property.
    Far,
}

impl fmt::Display for Uncertified {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uncertified::Stopped(reason) => write!(out, "{reason}"),
            Uncertified::Nodes(most) => write!(out, "more than {most} nodes"),
            Uncertified::Fails(why) => write!(out, "{why}"),
            Uncertified::Left(Fairness::Global) => write!(
                out,
                "fairness to every step needs the exact rule for components here, which has no \
                 certificate with symmetry, and without it there are too many states"
            ),
            Uncertified::Left(_) => write!(out, "some nodes are not eliminated"),
            Uncertified::Far => {
                write!(out, "it is not known how symmetries rename the parameters of the property")
            }
        }
    }
}

impl From<StopReason> for Uncertified {
    fn from(reason: StopReason) -> Uncertified {
        Uncertified::Stopped(reason)
    }
}

impl From<Refusal> for Uncertified {
    fn from(refusal: Refusal) -> Uncertified {
        match refusal {
            Refusal::Stopped(reason) => Uncertified::Stopped(reason),
            other => Uncertified::Fails(other.to_string()),
        }
    }
}

/// What is certified.
#[derive(Debug)]
pub struct Made {
    /// The certificate, with parts for those claims that are certified.
    pub draft: Draft,
    /// By claim: its number of nodes, or why it is not certified.
    pub claims: Vec<Result<usize, Uncertified>>,
}

/// How far the making of a certificate may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'w> {
    /// The number of threads.
    pub threads: usize,
    /// The most listed states.
    pub most_states: usize,
    /// The most nodes of one claim.
    pub most_nodes: usize,
    /// What may stop it.
    pub watch: &'w Watch,
}

impl<'w> Limits<'w> {
    /// So many threads, and more states and nodes than are usual.
    pub const fn new(threads: usize, watch: &'w Watch) -> Limits<'w> {
        Limits { threads, most_states: 1 << 30, most_nodes: 50_000_000, watch }
    }
}

/// Makes the parts of a certificate for claims that hold. Without a list of states there is none at all.
pub fn certify<R: Reference + Sync>(
    reference: &R,
    claims: &[Claim<'_, R::Vocabulary>],
    guess: &mut impl Guess<R>,
    limits: Limits<'_>,
) -> Result<Made, Uncertified> {
    let crew = Crew::new(limits.threads, limits.watch);
    let mut recording = Recording::new(guess, limits.most_states);
    let mut space = Space::new(reference, claims, &mut recording, Demands::default(), &crew)?;
    let Recording { arcs, removed, .. } = recording;
    let mut draft = Draft { arcs, removed, parts: Vec::new() };
    let mut made = Vec::new();
    for claim in claims {
        let known = space.renamings.len();
        let part = certify_claim(&mut space, *claim, &crew, limits);
        if part.is_err() {
            // What is not written must not be numbered.
            space.renamings.truncate(known);
        }
        made.push(part.map(|part| {
            let nodes = part.nodes();
            draft.parts.push(part);
            nodes
        }));
    }
    Ok(Made { draft, claims: made })
}

/// The certificate of one formula as far as it goes, and whether it proves it. What is not eliminated has
/// rank 0. What the guesses say of states is tested by these demands.
pub fn attempt<R: Reference + Sync>(
    reference: &R,
    formula: &<R::Vocabulary as Vocabulary>::Formula,
    demand: Demand,
    guess: &mut impl Guess<R>,
    demands: Demands,
    limits: Limits<'_>,
) -> Result<(Draft, bool), Uncertified> {
    let crew = Crew::new(limits.threads, limits.watch);
    let mut recording = Recording::new(guess, limits.most_states);
    let claims = [Claim::Formula(formula, demand)];
    let mut space = Space::new(reference, &claims, &mut recording, demands, &crew)?;
    let (made, is_all) = crew.alone(|| closure::attempt(&mut space, formula, demand, limits))?;
    let Recording { arcs, removed, .. } = recording;
    Ok((Draft { arcs, removed, parts: vec![Part::Elimination(made)] }, is_all))
}

fn certify_claim<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    claim: Claim<'_, R::Vocabulary>,
    crew: &Crew<'_>,
    limits: Limits<'_>,
) -> Result<Part, Uncertified> {
    match claim {
        Claim::NoFailure => {
            let all = space.reference.properties().into_iter().map(|(property, _)| property);
            check_values(space, &all.collect::<Vec<_>>(), false, crew)?;
            Ok(Part::States)
        }
        // That a property is true of every state needs no more than the states.
        Claim::Invariant(_) | Claim::NoDeadlock(_) => Ok(Part::States),
        Claim::Liveness(property) => crew.alone(|| liveness::certify(space, property)),
        Claim::Formula(formula, demand) => crew.alone(|| {
            let (made, is_all) = closure::attempt(space, formula, demand, limits)?;
            let part = is_all.then_some(Part::Elimination(made));
            part.ok_or(Uncertified::Left(demand.fairness))
        }),
    }
}

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
