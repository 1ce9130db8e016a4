//! Formulas of published collections: the sample in `fixtures/formulas`, and the whole corpus where it is kept beside
//! the repository.

use crate::needs;
use std::fs;
use std::path::{Path, PathBuf};

/// A formula of a collection.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The name of its family.
    pub family: String,
    /// The formula, in the syntax of Spot.
    pub text: String,
}

/// How many formulas the sample has.
const SAMPLE: usize = 200;

/// The sample. It is part of the repository, so that there is no reason to do without.
pub fn sample() -> Vec<Formula> {
    let file = crate::root().join("fixtures/formulas/sample.ltl");
    let mut found = Vec::new();
    let mut family = String::new();
    for line in read(&file).lines() {
        match line.strip_prefix("# ") {
            Some(said) => said.split(':').next().unwrap_or_default().clone_into(&mut family),
            None if line.is_empty() => {}
            None => found.push(Formula { family: family.clone(), text: line.to_owned() }),
        }
    }
    assert_eq!(found.len(), SAMPLE, "{} is complete", file.display());
    found
}

/// The corpus that the sample was chosen from; a test without it is skipped.
pub fn corpus() -> Option<Vec<Formula>> {
    let folder = needs::beside("shared/corpus/ltl/dev")?;
    let entries = fs::read_dir(&folder).expect("the folder can be listed");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "ltl"));
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let family = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = read(&file);
        let formulas = text.lines().filter(|line| !line.trim().is_empty());
        found
            .extend(formulas.map(|line| Formula { family: family.clone(), text: line.to_owned() }));
    }
    assert!(found.len() > SAMPLE, "there are formulas in {}", folder.display());
    Some(found)
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
