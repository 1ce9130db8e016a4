//! The facts in the header comments of fixtures.
//!
//! ```text
//! -- symmetry: client full              the group of an index type: full, rotations, dihedral, trivial
//! -- states: 96 with N = 4              reachable states, unreduced; constants as with -D
//! -- steps: 344 with N = 4              different (process, event, target) out of them
//! -- deadlocks: 2                       states without a step
//! -- quotient: 38 with N = 9            orbits of states
//! -- annotated edges: 235 with N = 9    steps out of one state of every orbit
//! -- kept edges: 107 with N = 9         those of one of every class of interchangeable owners
//! -- orbit edges: 71 with N = 9         orbits of steps
//! -- tracked: client 13 with N = 3      orbits of a state with an index of this type
//! -- expect: "exclusion" holds          a property, perhaps `under weak fairness`, which may be `over events`,
//!                                       and `alone`: without what the model declares
//! -- expect: run-time error             the model reaches one
//! ```

use crate::root;
use isonomy::model::checked::Model;
use isonomy::model::{Definition, check};
use std::fs;
use std::path::{Path, PathBuf};

/// A model with its facts.
pub struct Fixture {
    /// The name of its file, without `.m`.
    pub name: String,
    /// The whole file.
    pub text: String,
    /// The facts of its header, in order.
    pub facts: Vec<Fact>,
}

/// A line of a header.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The word before the colon.
    pub kind: String,
    /// What follows, up to ` with `.
    pub text: String,
    /// What follows that.
    pub definitions: Vec<Definition>,
}

const KINDS: [&str; 10] = [
    "symmetry",
    "states",
    "steps",
    "deadlocks",
    "quotient",
    "annotated edges",
    "kept edges",
    "orbit edges",
    "tracked",
    "expect",
];

/// All models of `fixtures/models`, by name.
pub fn fixtures() -> Vec<Fixture> {
    let folder = root().join("fixtures/models");
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

impl Fixture {
    /// The model with these constants.
    pub fn model(&self, definitions: &[Definition]) -> Model {
        check(&self.text, definitions).unwrap_or_else(|errors| panic!("{}: {errors:#?}", self.name))
    }

    /// The facts, those of the same constants together.
    pub fn sizes(&self) -> Vec<Size<'_>> {
        let mut sizes: Vec<Size<'_>> = Vec::new();
        for fact in &self.facts {
            match sizes.iter_mut().find(|size| *size.definitions == fact.definitions) {
                Some(size) => size.facts.push(fact),
                None => sizes.push(Size { definitions: &fact.definitions, facts: vec![fact] }),
            }
        }
        sizes
    }
}

/// What is known of a model with some constants.
pub struct Size<'f> {
    /// The constants that differ from the file.
    pub definitions: &'f [Definition],
    /// The facts about the model with these constants.
    pub facts: Vec<&'f Fact>,
}

impl Size<'_> {
    /// The number that is stated.
    pub fn stated(&self, kind: &str) -> Option<usize> {
        self.facts.iter().find(|fact| fact.kind == kind).map(|fact| fact.number())
    }

    /// Whether a run-time error is expected.
    pub fn fails(&self) -> bool {
        self.facts.iter().any(|fact| fact.text == "run-time error")
    }

    /// Whether the space is known to be small, or to end in an error. Without a stated number
    /// nothing is known of it.
    pub fn is_within(&self, most_states: usize) -> bool {
        self.fails() || self.stated("states").is_some_and(|states| states <= most_states)
    }
}

impl Fact {
    /// The number that it states.
    pub fn number(&self) -> usize {
        self.text.parse().unwrap_or_else(|_| panic!("{self:?} states no number"))
    }
}
