//! Certificates of what holds, for any front end.
//!
//! [`certify`] makes one with the engine: its steps and its representatives. [`verify`](fn@verify::verify)
//! checks it with the [reference](FrontEnd::Reference) alone; [`verify_compiled`] trusts compiled steps, too.

mod compiled;
pub(crate) mod header;

use crate::check::renaming;
use crate::frontend::{FrontEnd, VocabularyOf};
use ::certify::{Guess, Limits, Made, Uncertified};
use compiled::{Compiled, Parts, packed};
use engine::symmetry::{Canonicaliser, Indices, Reduction};
use judge::Renaming;
use run::Watch;
use verify::{Claim, Demands, Refusal, Verified};

/// Nodes of a certificate at most, for one formula.
pub(crate) const MOST_NODES: usize = 50_000_000;

/// The representatives of the engine.
struct Representing<'p> {
    indices: &'p Indices,
    canonicaliser: Canonicaliser<'p>,
}

impl<F: FrontEnd> Guess<Compiled<'_, F>> for Representing<'_> {
    fn guess(&mut self, state: &Box<[u64]>) -> (Box<[u64]>, Renaming) {
        let mut packed = state.clone();
        let back = self.canonicaliser.canonicalise_with(&mut packed);
        (packed, renaming(self.indices, &back))
    }
}

/// Makes a certificate for claims that hold. Each claim is certified, or there is a reason why it is not.
pub fn certify<F: FrontEnd>(
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
    let canonicaliser = parts.structure.canonicaliser();
    let mut guess = Representing { indices: parts.structure.indices(), canonicaliser };
    let span = tracing::debug_span!("certificate.make", states = tracing::field::Empty);
    let _entered = span.enter();
    let watch = telling(limits.watch);
    let limits = Limits { watch: &watch, ..limits };
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
