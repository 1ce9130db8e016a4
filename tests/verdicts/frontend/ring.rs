//! A token ring in plain Rust, without a model text.
//!
//! Stations rest, want to work, and work while they hold the token; a station that does not work may
//! pass the token on. The engine's view ([`packed::Ring`], over cells) and the judge's view
//! ([`plain::Plain`], over [`Stations`]) are written apart: they share the types of this file and no
//! code.

mod packed;
mod plain;

pub(crate) use packed::Ring;

use judge::Vocabulary;
use ltl::parser::{Language, parse};
use std::fmt;
use terms::{IndexTypeId, PropertyId, RuleFairness};

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stations {
    pub(crate) token: u32,
    pub(crate) at: Vec<Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Phase {
    Rests,
    Wants,
    Works,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Deed {
    pub(crate) what: What,
    pub(crate) station: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum What {
    Ask,
    Enter,
    Leave,
    Pass,
}

const WHATS: [What; 4] = [What::Ask, What::Enter, What::Leave, What::Pass];

/// A run-time error: a station leaves where that is forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoExit(pub(crate) u32);

impl fmt::Display for NoExit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "station {} cannot leave", self.0)
    }
}

/// A formula over at most two tracked stations.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    text: String,
    formulas: ltl::Formulas,
    root: ltl::Formula,
    atoms: Vec<Meaning>,
    variables: usize,
}

/// What an atom says; variables are numbered.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    At(usize, Phase),
    SomeWorks,
    Does(What, usize),
    Moves(usize),
}

impl Claim {
    /// A formula with names of atoms: `wants_c`, `works_d`, `somebody_works`, `enters_c`, `moves_d`;
    /// the variables c and d, if there are two, are distinct.
    pub(crate) fn new(text: &str, variables: usize) -> Claim {
        let mut formulas = ltl::Formulas::new();
        let mut names = ltl::Atoms::new();
        let root = parse(Language::Isonomy, text, &mut formulas, &mut names).expect("a formula");
        let meaning = |(_, kind): (ltl::Atom, &ltl::AtomKind)| {
            let ltl::AtomKind::Proposition(name) = kind else { panic!("a name") };
            let (word, variable) = name.split_once('_').expect("a variable");
            let variable = usize::from(variable == "d");
            match word {
                "rests" => Meaning::At(variable, Phase::Rests),
                "wants" => Meaning::At(variable, Phase::Wants),
                "works" => Meaning::At(variable, Phase::Works),
                "somebody" => Meaning::SomeWorks,
                "enters" => Meaning::Does(What::Enter, variable),
                "leaves" => Meaning::Does(What::Leave, variable),
                "passes" => Meaning::Does(What::Pass, variable),
                "moves" => Meaning::Moves(variable),
                _ => panic!("no atom is called {name}"),
            }
        };
        let atoms = names.iter().map(meaning).collect();
        Claim { text: text.to_owned(), formulas, root, atoms, variables }
    }
}

/// The fairness that a ring declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    Nothing,
    /// The event `enter` is fair like this.
    FairEnter(RuleFairness),
    /// Every station rests infinitely often.
    Justice,
    /// A station that wants and has the token infinitely often works infinitely often.
    Compassion,
}

/// What rings are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) stations: u32,
    pub(crate) declared: Declared,
    /// Whether leaving fails while the next station wants to work.
    pub(crate) fails: bool,
    /// Whether states in which all stations want are assumed away.
    pub(crate) assumes: bool,
}

/// The names of the types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Words;

impl Vocabulary for Words {
    type State = Stations;
    type Process = u32;
    type Event = Deed;
    type Variable = usize;
    type Value = u32;
    type Formula = Claim;
    type Fault = NoExit;
    type FaultPattern = ();
}

const EXCLUSION: PropertyId = PropertyId(0);
const WORK: PropertyId = PropertyId(1);
const ASSUMPTION: PropertyId = PropertyId(2);

/// The index type of the stations.
const STATION: IndexTypeId = IndexTypeId(0);
