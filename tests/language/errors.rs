//! Faulty models: every message about them, byte for byte.
//!
//! `fixtures/errors/NAME.m` is a model with mistakes (or with something that deserves a warning),
//! `NAME.txt` beside it what the checker says of it. `BLESS=1` rewrites the latter, for a difference
//! that was looked at and wanted.

use ltl::Source;
use ltl::source::{Colour, Severity};
use model::{Errors, check};
use std::fs;
use std::path::{Path, PathBuf};
use support::golden;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/errors");
    let entries = fs::read_dir(folder).expect("a folder");
    let mut found: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "m"));
    found.sort();
    found
}

#[test]
fn messages_are_those_that_were_looked_at() {
    let mut kept = golden::Folder::new("fixtures/errors");
    for path in models() {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (diagnostics, failed) = match check(&text, &[]) {
            Ok(model) => (model.warnings, false),
            Err(Errors { model, definitions }) => {
                assert!(definitions.is_empty(), "{name}: there are no definitions");
                (model, true)
            }
        };
        let is_error = diagnostics.iter().any(|one| one.severity == Severity::Error);
        assert_eq!(is_error, failed, "{name}: a model is refused exactly if there is an error");
        let source = Source::new(&name, &text);
        let found: Vec<_> = diagnostics.iter().map(|one| source.render(one, Colour::Off)).collect();
        let found = found.join("\n");
        assert!(!found.is_empty(), "{name}: nothing is wrong with it");
        kept.compare(&name.replace(".m", ".txt"), "", &found);
    }
    kept.finish();
}
