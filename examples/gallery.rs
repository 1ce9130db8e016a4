//! Prints the gallery of the book: `cargo run --example gallery --release > docs/gallery.md`.

use support::gallery::{exhibits, page};

#[allow(clippy::print_stdout, reason = "what it prints is the page")]
fn main() {
    print!("{}", page(&exhibits()));
}
