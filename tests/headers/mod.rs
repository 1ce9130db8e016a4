//! The facts in the header comments of fixtures.
//!
//! ```text
//! -- symmetry: client full              the group of an index type: full, rotations, dihedral, trivial
//! -- states: 96 with N = 4              reachable states, unreduced; constants as with -D
//! -- steps: 344 with N = 4              different (process, event, target) out of them
//! -- deadlocks: 2                       states without a step
//! -- quotient: 38 with N = 9            orbits of states
//! -- expect: "exclusion" holds          a property, perhaps `under weak fairness`
//! -- expect: run-time error             the model reaches one
//! ```
#![allow(dead_code, reason = "not every test needs every part")]

use isonomy::model::Definition;
use std::fs;
use std::path::{Path, PathBuf};

/// A model with its facts.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) facts: Vec<Fact>,
}

/// A line of a header.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fact {
    /// The word before the colon.
    pub(crate) kind: String,
    /// What follows, up to ` with `.
    pub(crate) text: String,
    /// What follows that.
    pub(crate) definitions: Vec<Definition>,
}

const KINDS: [&str; 6] = ["symmetry", "states", "steps", "deadlocks", "quotient", "expect"];

/// All models of `fixtures/models`, by name.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fixture(path)).collect()
}

fn fixture(path: &Path) -> Fixture {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(path).expect("a text");
    let header = text.lines().take_while(|line| line.starts_with("--"));
    let facts: Vec<_> =
        header.filter_map(|line| fact(line.trim_start_matches("--").trim())).collect();
    assert!(!facts.is_empty(), "{name}: a fixture states what is known of it");
    Fixture { name, text, facts }
}

fn fact(line: &str) -> Option<Fact> {
    let (kind, rest) = line.split_once(':')?;
    if !KINDS.contains(&kind) {
        return None;
    }
    let (text, definitions) = rest.rsplit_once(" with ").unwrap_or((rest, ""));
    let definitions = definitions.split(',').filter(|one| !one.trim().is_empty()).map(|one| {
        let (name, value) = one.split_once('=').expect("NAME = VALUE");
        Definition { name: name.trim().to_owned(), value: value.trim().to_owned() }
    });
    Some(Fact {
        kind: kind.to_owned(),
        text: text.trim().to_owned(),
        definitions: definitions.collect(),
    })
}

impl Fact {
    /// The number that it states.
    pub(crate) fn number(&self) -> usize {
        self.text.parse().unwrap_or_else(|_| panic!("{self:?} states no number"))
    }
}
