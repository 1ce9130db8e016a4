//! Certificates of what holds, for any front end.
//!
//! [`certify`] makes one, with representatives of the engine; [`verify`](fn@verify::verify) checks it with
//! the [reference](FrontEnd::Reference) alone.

use crate::check::renaming;
use crate::frontend::{FrontEnd, StateOf, VocabularyOf};
use ::certify::{Guess, Limits, Made, Uncertified};
use engine::symmetry::{Canonicaliser, Reduction, Structure};
use judge::Renaming;
use verify::Claim;

/// The representatives of the engine.
struct Representing<'r, F: FrontEnd> {
    system: &'r F,
    structure: &'r Structure,
    canonicaliser: Canonicaliser<'r>,
}

impl<F: FrontEnd> Representing<'_, F> {
    fn representative(&mut self, state: &StateOf<F>) -> (StateOf<F>, Renaming) {
        let mut packed = self.system.packed(state);
        let back = self.canonicaliser.canonicalise_with(&mut packed);
        (self.system.state(&packed), renaming(self.structure.indices(), &back))
    }
}

impl<F: FrontEnd> Guess<F::Reference> for Representing<'_, F> {
    fn start(&mut self, start: &StateOf<F>) -> (StateOf<F>, Renaming) {
        self.representative(start)
    }

    fn step(&mut self, _: &StateOf<F>, target: &StateOf<F>) -> (StateOf<F>, Renaming) {
        self.representative(target)
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
    let structure = Structure::new(system.layout(), &indices);
    let canonicaliser = structure.canonicaliser();
    let mut guess = Representing { system, structure: &structure, canonicaliser };
    let span = tracing::debug_span!("certificate.make", states = tracing::field::Empty);
    let _entered = span.enter();
    let made = ::certify::certify(system.reference(), claims, &mut guess, limits)?;
    span.record("states", made.draft.states());
    Ok(made)
}
