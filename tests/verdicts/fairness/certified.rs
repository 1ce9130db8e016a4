//! Certificates of what somebody with a mistake says to hold.

use certify::Limits;
use compile::CompiledModel;
use isonomy::Reduction;
use model::checked::{Demand, Formula};
use run::Watch;
use verify::Claim;

/// Whether a formula is certified, with representatives that are right.
pub(super) fn is_certified(system: &CompiledModel<'_>, formula: &Formula, demand: Demand) -> bool {
    let watch = Watch::none();
    let limits = Limits { most_nodes: 100_000, ..Limits::new(1, &watch) };
    let claims = [Claim::Formula(formula, demand)];
    let made = isonomy::certify(system, &claims, Reduction::Canonical, limits);
    made.is_ok_and(|made| made.claims[0].is_ok())
}
