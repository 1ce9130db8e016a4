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
use model::interpret::State;
use run::Watch;
use std::sync::atomic::{AtomicU64, Ordering};

/// More nodes are no pleasure to look at.
const MOST_NODES: u64 = 150;
/// More edges neither.
const MOST_EDGES: usize = 600;
/// So many start states and nodes are looked at before it is given up: many start states may be alike.
const MOST_LOOKS: u64 = 20_000;

pub(super) enum Space {
    Drawn {
        graph: Graph,
        picture: String,
        is_quotient: bool,
    },
    /// Why there is no picture.
    Large(String),
}

impl Space {
    /// Draws the state space of a model, if it is small.
    pub(super) fn of(
        system: &CompiledModel<'_>,
        loaded: &Loaded,
        options: &Options,
        budget: &Budget,
    ) -> Result<Space, Error> {
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
                Ok(Space::Drawn { graph, picture, is_quotient })
            }
            Err(Error::Stopped(reason)) => Ok(Space::not_drawn(reason)),
            Err(error) => Err(error),
        }
    }

    fn not_drawn(reason: StopReason) -> Space {
        Space::Large(format!("It was not drawn: {reason}."))
    }

    /// The nodes of some states, if there is a picture.
    pub(super) fn nodes<'s>(
        &self,
        system: &CompiledModel<'_>,
        states: impl IntoIterator<Item = &'s State>,
    ) -> Option<Vec<Option<usize>>> {
        match self {
            Space::Drawn { graph, .. } => Some(nodes_of(system, graph, states)),
            Space::Large(_) => None,
        }
    }
}
