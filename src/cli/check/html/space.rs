//! The picture of a small state space, or of its quotient, and where the states of a run are in it.

use super::super::super::budget::Budget;
use super::super::super::choices::SymmetryChoice;
use super::super::super::error::Error;
use super::super::super::explore::svg;
use super::super::super::loading::Loaded;
use super::super::super::picture;
use super::super::Options;
use crate::explore::{self, Graph, graph, nodes_of};
use automata::StopReason;
use compile::CompiledModel;
use judge::Vocabulary;
use model::interpret::State;
use model::reference::ModelVocabulary;
use run::Watch;
use std::sync::atomic::{AtomicU64, Ordering};

/// More nodes are no pleasure to look at.
const MOST_NODES: u64 = 150;
/// More edges neither.
const MOST_EDGES: usize = 600;
/// So many start states and nodes are looked at before it is given up: many start states may be alike.
const MOST_LOOKS: u64 = 20_000;

/// The picture of a state space.
pub(in crate::cli) trait Picture<V: Vocabulary> {
    /// The picture, and whether it is one of a quotient; or why there is none.
    fn picture(&self) -> Result<(&str, bool), &str>;

    /// The nodes of some states, if there is a picture.
    fn nodes(&self, states: &[&V::State]) -> Option<Vec<Option<usize>>>;
}

/// Why there is no picture.
pub(in crate::cli) struct NotDrawn(pub(in crate::cli) &'static str);

impl<V: Vocabulary> Picture<V> for NotDrawn {
    fn picture(&self) -> Result<(&str, bool), &str> {
        Err(self.0)
    }

    fn nodes(&self, _: &[&V::State]) -> Option<Vec<Option<usize>>> {
        None
    }
}

/// The picture of the state space of a model.
pub(in crate::cli) enum Space<'s> {
    Drawn {
        system: &'s CompiledModel<'s>,
        graph: Graph,
        picture: String,
        is_quotient: bool,
    },
    /// Why there is no picture.
    Large(String),
}

impl<'s> Space<'s> {
    /// Draws the state space of a model, if it is small.
    pub(in crate::cli) fn of(
        system: &'s CompiledModel<'s>,
        loaded: &Loaded,
        options: &Options,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let asked = explore::Options {
            deadlock: options.deadlock.into(),
            expand_violating: true,
            most_states: Some(MOST_NODES),
            threads: 1,
            symmetry: options.symmetry.into(),
            compression: explore::Compression::None,
        };
        let (looks, limits) = (AtomicU64::new(0), budget.clone());
        let watch = Watch::new(move |_| {
            let looks = looks.fetch_add(1, Ordering::Relaxed) + 1;
            let is_long = (looks > MOST_LOOKS).then_some(StopReason::States(MOST_NODES as usize));
            is_long.or_else(|| limits.probe())
        });
        let what = match options.symmetry {
            SymmetryChoice::Off => "states",
            SymmetryChoice::Auto | SymmetryChoice::Fast => "representatives",
        };
        let graph = match graph(system, &asked, &watch) {
            Ok(graph) if graph.edges.len() <= MOST_EDGES => graph,
            Ok(_) | Err(StopReason::States(_)) => {
                return Ok(Space::Large(format!(
                    "It is drawn if it has at most {MOST_NODES} {what} and {MOST_EDGES} edges; \
                     `isonomy explore --svg FILE` draws larger ones."
                )));
            }
            Err(reason) => return Ok(Space::not_drawn(reason)),
        };
        let drawn = svg::graph(&loaded.model, &loaded.text.name, &graph);
        let mut poll = || budget.probe().map_or(Ok(()), Err);
        match picture::svg(&drawn, "space-", &mut poll) {
            Ok(picture) => {
                let is_quotient = !graph.indices.is_trivial();
                Ok(Space::Drawn { system, graph, picture, is_quotient })
            }
            Err(Error::Stopped(reason)) => Ok(Space::not_drawn(reason)),
            Err(error) => Err(error),
        }
    }

    fn not_drawn(reason: StopReason) -> Self {
        Space::Large(format!("It was not drawn: {reason}."))
    }
}

impl Picture<ModelVocabulary> for Space<'_> {
    fn picture(&self) -> Result<(&str, bool), &str> {
        match self {
            Space::Drawn { picture, is_quotient, .. } => Ok((picture, *is_quotient)),
            Space::Large(why) => Err(why),
        }
    }

    fn nodes(&self, states: &[&State]) -> Option<Vec<Option<usize>>> {
        match self {
            Space::Drawn { system, graph, .. } => {
                Some(nodes_of(system, graph, states.iter().copied()))
            }
            Space::Large(_) => None,
        }
    }
}
