//! The checker of certificates.
//!
//! That a property is violated, a run shows, and the judge executes it. That a property *holds* is said by
//! a search that has found no violation; whoever doubts it must trust the whole search. A certificate is
//! what such a doubter asks for: a list of states and nodes with a reason for each why no violating run
//! goes on there. This crate verifies it edge by edge. It searches nothing, and it knows nothing of
//! compiled code, canonical forms, automata, products or searches: like the [`judge`], it knows a
//! [`Reference`], which executes the system by definition, and what formulas mean.
//!
//! # What is verified
//! 1. **States** ([`space`]). The listed states and all their images under the group are closed: every
//!    start state is the image of a listed one, and so is the target of every step of a listed one that no
//!    assumption cuts. Nothing fails. States of which every run is cut are marked, and only those.
//! 2. **Properties of states** ([`Claim::Invariant`], [`Claim::NoDeadlock`], [`Claim::Liveness`]).
//! 3. **Formulas** ([`Claim::Formula`]). A *node* is a listed state r, a tuple l of tracked values, and a set
//!    F of [`obligations`] that the rest of the run must satisfy. Every start state with each proved tuple
//!    has a node with the negation of the formula; every step of r and every alternative of F leads to a
//!    node, with fewer obligations perhaps, which are easier to meet. So above every run that violates the
//!    formula there is a path of nodes that postpones no until for ever. And every node is [eliminated
//!    ](elimination): no fair run stays among the nodes for ever.
//!
//! # What is trusted
//! The reference and the meaning of formulas; that renamings in the group are symmetries of the
//! reference (without index types, that is nothing); and this crate. The conditions have names:
//! [`Condition`], and the comment of the function that asks for one has that name in bold.
//!
//! # Hostile files
//! A file may say anything. It says which listed states are images of which, but contains no state: so no
//! state is looked at that the reference has not made. Nothing is allocated by a count of the file.

pub mod elimination;
pub mod families;
pub mod numbered;
pub mod obligations;
pub mod product;
pub mod properties;
mod read;
pub mod space;
pub mod tuples;
mod verdict;
pub mod wire;

pub use verdict::{Condition, Demands, Refusal, Rejected};

use elimination::Elimination;
use families::Objects;
use judge::{Deadlock, Reference, Vocabulary};
use product::{Nodes, Product};
use run::{Crew, Watch};
use space::Space;
use std::collections::BTreeSet;
use terms::{Demand, PropertyId};

/// What a part of a certificate says of a system.
#[derive(Debug)]
pub enum Claim<'c, V: Vocabulary> {
    /// Nothing fails: no step, no start state, and no property of states when it is evaluated.
    NoFailure,
    /// An `invariant` or `assert` is true of every state.
    Invariant(PropertyId),
    /// A `liveness` property can become true from every state.
    Liveness(PropertyId),
    /// There is no deadlock of this kind.
    NoDeadlock(Deadlock),
    /// Every run that is as fair as demanded satisfies a formula.
    Formula(&'c V::Formula, Demand),
}

#[expect(clippy::expl_impl_clone_on_copy, reason = "deriving demands that formulas are `Clone`")]
impl<V: Vocabulary> Clone for Claim<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vocabulary> Copy for Claim<'_, V> {}

/// How large an accepted certificate is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// The number of listed states.
    pub states: usize,
    /// The number of their steps.
    pub steps: usize,
    /// By claim: the number of nodes; 0 for a property of states.
    pub nodes: Vec<usize>,
}

/// Verifies that a certificate proves these claims, in this order.
pub fn verify<R: Reference + Sync>(
    reference: &R,
    claims: &[Claim<'_, R::Vocabulary>],
    body: impl std::io::Read,
    demands: Demands,
    threads: usize,
    watch: &Watch,
) -> Result<Verified, Refusal> {
    let crew = Crew::new(threads, watch);
    let mut body = wire::Reader::new(body);
    let mut space = Space::new(reference, claims, &mut body, demands, &crew)?;
    let mut verified = Verified::default();
    for claim in claims {
        let nodes = check_claim(&mut space, *claim, &mut body, &crew)?;
        verified.nodes.push(nodes);
    }
    crew.alone(|| body.end())?;
    Ok(Verified { states: space.states.len(), steps: space.steps.len(), ..verified })
}

/// Reads and verifies what a certificate says for one claim. Returns the number of nodes.
fn check_claim<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    claim: Claim<'_, R::Vocabulary>,
    body: &mut wire::Reader<impl std::io::Read>,
    crew: &Crew<'_>,
) -> Result<usize, Refusal> {
    match claim {
        Claim::NoFailure => {
            let all = space.reference.properties().into_iter().map(|(property, _)| property);
            properties::check_values(space, &all.collect::<Vec<_>>(), false, crew)?;
        }
        Claim::Invariant(property) => {
            properties::check_values(space, &[property], true, crew)?;
        }
        Claim::NoDeadlock(deadlock) => properties::check_deadlock(space, deadlock)?,
        Claim::Liveness(property) => {
            let choices = space.reference.choices(property);
            let all = crew.alone(|| read::distances(body, choices, space.states.len()))?;
            properties::check_liveness(space, property, &all, crew)?;
        }
        Claim::Formula(formula, demand) => {
            let count = tuples::Tuples::new(space.reference, formula).count();
            let tuples = crew.alone(|| read::tuples(body, space, count))?;
            let listed = crew.alone(|| read::families(body, space))?;
            let product = Product::new(space, formula);
            let elimination = crew.alone(|| {
                let objects = |(family, more): &read::Listed| {
                    Objects::new(product.space, *family, demand, more)
                };
                let families: Vec<_> = listed.iter().map(objects).collect::<Result<_, _>>()?;
                let (nodes, ranks) = read::nodes(body, &product)?;
                let reasons = read::reasons(body, &product, &ranks, &families)?;
                check_starts(&product, &nodes, &tuples)?;
                let product = &product;
                let of = Elimination { product, demand, nodes, ranks, reasons, families };
                Ok::<_, Refusal>(of)
            })?;
            elimination.check(crew)?;
            return Ok(elimination.nodes.list.len());
        }
    }
    Ok(0)
}

/// Every tuple is the image of one that is proved (**Tuples**), and every start state that some run has
/// has a node with each of these and the negation, or less (**Start**).
fn check_starts<R: Reference>(
    product: &Product<'_, R>,
    nodes: &Nodes,
    tuples: &[(u32, u32)],
) -> Result<(), Refusal> {
    let space = product.space;
    for (tuple, &(proved, by)) in (0..).zip(tuples) {
        let image = product.tuples.image(space.reference, &space.renamings[by as usize], proved);
        let place = || format!("tuple {tuple}");
        space.demands.ask(Condition::Tuples, image == Some(tuple), place)?;
    }
    let proved: BTreeSet<u32> = tuples.iter().map(|(proved, _)| *proved).collect();
    let starts = space.starts.iter().filter(|(state, _)| !space.is_removed(*state));
    for &(state, by) in run::polled(starts) {
        for &tuple in &proved {
            let there = product.tuple_behind(by, tuple);
            let found = nodes.find(state, there, &[product.obligations.negation()]);
            let place = || format!("state {state}, tuple {tuple}");
            space.demands.ask(Condition::Start, found.is_some(), place)?;
        }
    }
    Ok(())
}
