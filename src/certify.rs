//! Certificates of what holds, for any front end.
//!
//! [`certify`] makes one with the engine: its steps and its representatives. [`verify`](fn@verify::verify)
//! checks it with the [reference](FrontEnd::Reference) alone; [`verify_compiled`] trusts compiled steps, too.

mod compiled;
pub(crate) mod header;

use crate::check::renaming;
use crate::frontend::{FrontEnd, VocabularyOf};
use ::certify::{Guess, Limits, Made, Uncertified};
use compiled::{Compiled, PackedState, Parts, packed};
use engine::symmetry::{Canonicaliser, Indices, Permutation, Reduction};
use judge::Renaming;
use run::Watch;
use terms::Fairness;
use verify::{Claim, Demands, Refusal, Verified};

/// The representatives of the engine.
struct Representing<'p> {
    indices: &'p Indices,
    /// None if every state represents itself.
    canonicaliser: Option<Canonicaliser<'p>>,
}

impl<F: FrontEnd> Guess<Compiled<'_, F>> for Representing<'_> {
    type By = Permutation;

    fn guess(&mut self, state: &PackedState) -> Option<(PackedState, Permutation)> {
        let canonicaliser = self.canonicaliser.as_mut()?;
        let mut packed = state.clone();
        let back = canonicaliser.canonicalise_with(&mut packed);
        (!back.is_identity()).then_some((packed, back))
    }

    fn renaming(&self, by: &Permutation) -> Renaming {
        renaming(self.indices, by)
    }
}

/// Makes a certificate for claims that hold. Each claim is certified, or there is a reason why it is not.
pub fn certify<F: FrontEnd>(
    system: &F,
    claims: &[Claim<'_, VocabularyOf<F>>],
    reduction: Reduction,
    limits: Limits<'_>,
) -> Result<Made, Uncertified> {
    let watch = telling(limits.watch);
    let limits = Limits { watch: &watch, ..limits };
    plain_if_left(reduction, limits, |reduction, limits| {
        certify_reduced(system, claims, reduction, limits)
    })
}

/// Listed states at most of a certificate without symmetry for what has none with it.
const MOST_PLAIN: usize = 1 << 20;

/// Under global fairness some claims have no certificate with symmetry. Then all claims get one without
/// it, if the states are not too many.
pub(crate) fn plain_if_left<'w>(
    reduction: Reduction,
    limits: Limits<'w>,
    make: impl Fn(Reduction, Limits<'w>) -> Result<Made, Uncertified>,
) -> Result<Made, Uncertified> {
    let made = make(reduction, limits)?;
    let is_left = |one: &Result<_, _>| matches!(one, Err(Uncertified::Left(Fairness::Global)));
    if reduction == Reduction::Off || !made.claims.iter().any(is_left) {
        return Ok(made);
    }
    tracing::debug!("a certificate without symmetry");
    let most_states = limits.most_states.min(MOST_PLAIN);
    let plain = make(Reduction::Off, Limits { most_states, ..limits });
    let certified = |made: &Made| made.claims.iter().filter(|one| one.is_ok()).count();
    Ok(plain.ok().filter(|plain| certified(plain) > certified(&made)).unwrap_or(made))
}

fn certify_reduced<F: FrontEnd>(
    system: &F,
    claims: &[Claim<'_, VocabularyOf<F>>],
    reduction: Reduction,
    limits: Limits<'_>,
) -> Result<Made, Uncertified> {
    let indices = match reduction {
        Reduction::Off => system.indices().frozen(),
        Reduction::Canonical | Reduction::Sorted => system.indices(),
    };
    let parts = Parts::new(system, &indices, claims);
    let compiled = Compiled::new(&parts);
    let claims: Vec<_> = claims.iter().map(packed).collect();
    let is_reduced = !indices.generators().is_empty();
    let canonicaliser = is_reduced.then(|| parts.structure.canonicaliser());
    let mut guess = Representing { indices: parts.structure.indices(), canonicaliser };
    let span = tracing::debug_span!("certificate.make", states = tracing::field::Empty);
    let _entered = span.enter();
    let made = ::certify::certify(&compiled, &claims, &mut guess, limits)?;
    span.record("states", made.draft.states());
    Ok(made)
}

/// Verifies a certificate with compiled steps: the compiler is trusted, and the machine code that it makes.
pub fn verify_compiled<F: FrontEnd>(
    system: &F,
    claims: &[Claim<'_, VocabularyOf<F>>],
    body: impl std::io::Read,
    threads: usize,
    watch: &Watch,
) -> Result<Verified, Refusal> {
    let parts = Parts::new(system, &system.indices(), claims);
    let claims: Vec<_> = claims.iter().map(packed).collect();
    verify::verify(&Compiled::new(&parts), &claims, body, Demands::default(), threads, watch)
}

/// A watch that tells of progress, too.
pub(crate) fn telling(watch: &Watch) -> Watch {
    let watch = watch.clone();
    Watch::new(move |now| {
        if now.states > 0 {
            tracing::trace!(
                target: "progress",
                states = now.states,
                expanded = now.expanded,
                steps = now.steps,
                product_nodes = now.product_nodes,
            );
        }
        watch.report(now)
    })
}
