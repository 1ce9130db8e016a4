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
//!
//! A header is a description, in sentences, and then facts up to its end. Any other line is an error, so that a
//! misspelt fact is not taken for a description.

use crate::root;
use model::checked::Model;
use model::{Definition, check};
use std::fs;
use std::path::PathBuf;

/// Folders of models with headers: those of the gallery, and those that are only inputs of tests.
const FOLDERS: [&str; 2] = ["fixtures/models", "fixtures/inputs"];

/// A model with its facts.
pub struct Fixture {
    /// The name of its file, without `.m`.
    pub name: String,
    /// Its file, from the root of the project.
    pub file: String,
    /// The whole file.
    pub text: String,
    /// What the header says before its facts.
    pub description: String,
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

/// Facts that are numbers.
const NUMBERS: [&str; 7] =
    ["states", "steps", "deadlocks", "quotient", "annotated edges", "kept edges", "orbit edges"];

/// All models with headers, by name.
pub fn fixtures() -> Vec<Fixture> {
    let mut found: Vec<Fixture> = FOLDERS.into_iter().flat_map(fixtures_of).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// The models of a folder.
fn fixtures_of(folder: &str) -> impl Iterator<Item = Fixture> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.into_iter().map(move |path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        let header = header(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let Header { description, facts } = header;
        Fixture { file: format!("{folder}/{name}.m"), name, text, description, facts }
    })
}

/// The first lines of a fixture.
#[derive(PartialEq, Debug)]
pub struct Header {
    /// Sentences.
    pub description: String,
    /// At least one.
    pub facts: Vec<Fact>,
}

/// The header of a text; what is wrong with it, if something is.
pub fn header(text: &str) -> Result<Header, String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("--")).map(str::trim);
    let (mut description, mut facts) = (String::new(), Vec::new());
    for line in lines {
        // A sentence starts otherwise than a fact.
        let is_between = description.is_empty() || description.ends_with(['.', ')']);
        if !facts.is_empty() || is_between && line.starts_with(|c: char| c.is_ascii_lowercase()) {
            facts.push(fact(line).ok_or_else(|| format!("`{line}` states no fact"))?);
        } else {
            description += if description.is_empty() { "" } else { " " };
            description += line;
        }
    }
    if facts.is_empty() {
        return Err("it states nothing that is known of it".to_owned());
    }
    Ok(Header { description, facts })
}

/// The fact of a line.
fn fact(line: &str) -> Option<Fact> {
    let (kind, rest) = line.split_once(": ")?;
    let (text, definitions) = rest.rsplit_once(" with ").unwrap_or((rest, ""));
    let text = text.trim();
    let states = match kind {
        "symmetry" => {
            let (_, group) = text.split_once(' ')?;
            ["full", "rotations", "dihedral", "trivial"].contains(&group)
        }
        "tracked" => text.split_once(' ')?.1.parse::<usize>().is_ok(),
        "expect" => text == FAILS || is_expectation(text),
        _ => NUMBERS.contains(&kind) && text.parse::<usize>().is_ok(),
    };
    let definitions = definitions.split(',').filter(|one| !one.trim().is_empty()).map(|one| {
        let (name, value) = one.split_once('=')?;
        Some(Definition { name: name.trim().to_owned(), value: value.trim().to_owned() })
    });
    let definitions = definitions.collect::<Option<Vec<_>>>()?;
    states.then(|| Fact { kind: kind.to_owned(), text: text.to_owned(), definitions })
}

/// What is expected of a model that reaches a run-time error.
const FAILS: &str = "run-time error";

/// `"access" holds under weak fairness over events alone`, and less.
fn is_expectation(text: &str) -> bool {
    let Some((_, verdict)) = text.strip_prefix('"').and_then(|text| text.split_once("\" ")) else {
        return false;
    };
    let (verdict, notion) = verdict.split_once(" under ").unwrap_or((verdict, "none fairness"));
    let notion = notion.strip_suffix(" alone").unwrap_or(notion);
    let notion = notion.strip_suffix(" over events").unwrap_or(notion);
    let kinds = ["none fairness", "weak fairness", "strong fairness", "global fairness"];
    ["holds", "violated"].contains(&verdict) && kinds.contains(&notion)
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
        self.facts.iter().any(|fact| fact.text == FAILS)
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
