//! Outputs that were looked at and are kept in files. `BLESS=1` rewrites the files, for a difference that was looked at
//! and wanted.

use crate::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether `BLESS=1` asks to rewrite what is kept.
pub fn is_blessed() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Demands that an output is what is kept in a file, whose path starts at the root of the project.
pub fn compare(file: &str, found: &str) {
    let path = root().join(file);
    if let Some(kept) = difference(&path, found, is_blessed()) {
        panic!("{file}: BLESS=1 accepts what was found\n{found}\nkept\n{kept}");
    }
}

/// What is kept, if it is something else.
fn difference(path: &Path, found: &str, rewrites: bool) -> Option<String> {
    if rewrites {
        fs::write(path, found).expect("the file can be written");
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    (kept != found).then_some(kept)
}

/// A folder of outputs.
pub struct Folder {
    path: PathBuf,
    compared: BTreeSet<String>,
    faults: Vec<String>,
}

impl Folder {
    /// The folder, whose path starts at the root of the project.
    pub fn new(path: &str) -> Folder {
        Folder { path: root().join(path), compared: BTreeSet::new(), faults: Vec::new() }
    }

    /// Compares an output with what is kept in a file. There may be several outputs that must be equal: `context` says
    /// which one this is.
    pub fn compare(&mut self, file: &str, context: &str, found: &str) {
        let is_first = self.compared.insert(file.to_owned());
        let kept = difference(&self.path.join(file), found, is_first && is_blessed());
        if let Some(kept) = kept {
            self.fault(format!("{file} {context}: kept\n{kept}\nfound\n{found}"));
        }
    }

    /// Something else that is wrong.
    pub fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// Demands that all outputs were what is kept.
    pub fn finish(self) {
        let faults = self.faults.join("\n");
        assert!(faults.is_empty(), "BLESS=1 accepts what was found\n{faults}");
    }

    /// The same, and that no other files are kept.
    pub fn finish_with_all(self) {
        for entry in fs::read_dir(&self.path).expect("a folder") {
            let file = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            assert!(self.compared.contains(&file), "{file} has no case");
        }
        self.finish();
    }
}
