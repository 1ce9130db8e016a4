//! Answers by walks with annotations at random.

use crate::walks::{self, Disturbed};
use compile::CompiledModel;
use engine::fairness::rules::{Exact, Rules};
use engine::quotient::Quotient;
use engine::symmetry::Permutation;
use isonomy::check::{Misjudged, Question, Verdict};

pub(crate) use crate::walks::Told;

/// The answer for all tuples, by walks with annotations at random if there is a seed.
pub(crate) fn ask(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    seed: Option<u64>,
    told: Told,
) -> Result<Verdict, Box<Misjudged>> {
    ask_by::<Exact>(question, quotient, seed, told)
}

/// The same by these rules.
pub(crate) fn ask_by<R: Rules<Permutation>>(
    question: &Question<'_, CompiledModel<'_>>,
    quotient: &Quotient<'_>,
    seed: Option<u64>,
    told: Told,
) -> Result<Verdict, Box<Misjudged>> {
    walks::ask::<R, _>(question, quotient, || Disturbed::new(quotient, seed, told), usize::MAX)
}
