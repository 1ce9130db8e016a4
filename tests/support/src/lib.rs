//! What tests, benches and examples share.

pub mod contest;
#[cfg(feature = "models")]
pub mod corpora;
pub mod formulas;
#[cfg(feature = "models")]
pub mod gallery;
pub mod golden;
#[cfg(feature = "models")]
pub mod headers;
pub mod many;
pub mod measured;
pub mod needs;
#[cfg(feature = "models")]
pub mod orbits;
#[cfg(feature = "models")]
pub mod random;
#[cfg(feature = "models")]
pub mod rumur;
pub mod schema;
pub mod spin;

use std::path::Path;

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in tests/support")
}
