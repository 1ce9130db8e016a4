//! Answers without a store of nodes: a violation is as good as any other, but that there is none is
//! never said.

use super::letters::ModelLetters;
use super::{Method, Misjudged, Question, Reason, Verdict};
use crate::counterexample::find::Scope;
use crate::product::unstored::{UnstoredNode, UnstoredProduct, retrace};
use crate::product::{Product, Stop};
use crate::property::Instance;
use crate::quotient::{Quotient, Walk};
use crate::search::Statistics;
use crate::search::hashed::{Bitstate, Compaction, Hashed, Omission, Visited};
use crate::search::nested::{Broken, NodeLasso, nested_search};
use automata::StopReason;
use std::ops::ControlFlow;
use tracing::field::Empty;

/// What came of a search without a store.
pub(super) enum Unstored {
    /// Nothing was found, but perhaps omitted.
    Nothing(Omission),
    /// A lasso.
    Lasso(NodeLasso<UnstoredNode>),
    /// It did not come to an end.
    Broken(Broken<UnstoredNode, Stop>),
}

/// Told now and then what was done; may stop a search.
pub(super) type Watch<'w> = &'w mut dyn FnMut(&Statistics) -> Option<StopReason>;

impl Question<'_> {
    /// Searches without a store, if that is how this question is to be answered.
    pub(super) fn search_unstored(
        &self,
        quotient: &Quotient<'_>,
        letters: &mut ModelLetters<'_>,
        instance: &Instance,
        done: &mut Statistics,
        watch: Watch<'_>,
    ) -> Option<Unstored> {
        let points = instance.points.clone();
        let mut product = UnstoredProduct::new(quotient, &self.reader, letters, points);
        match self.method {
            Method::Bitstate { bytes } => {
                let Some(visited) = Bitstate::new(bytes) else {
                    let stop = Stop::Stopped(StopReason::Memory(bytes));
                    return Some(Unstored::Broken(Broken { stop, path: Vec::new() }));
                };
                Some(self.search_with(&mut product, visited, done, watch))
            }
            Method::Compaction => {
                Some(self.search_with(&mut product, Compaction::new(), done, watch))
            }
            Method::Prefix | Method::Components | Method::Nested => None,
        }
    }

    fn search_with(
        &self,
        product: &mut UnstoredProduct<'_>,
        visited: impl Visited,
        done: &mut Statistics,
        watch: Watch<'_>,
    ) -> Unstored {
        let span = tracing::debug_span!(
            "product.search",
            formula = self.name(),
            nodes = Empty,
            edges = Empty,
            visited_bytes = Empty
        );
        let _entered = span.enter();
        let mut watch = |now: &Statistics| {
            *done = *now;
            now.tell();
            match watch(now) {
                Some(reason) => ControlFlow::Break(Stop::Stopped(reason)),
                None => ControlFlow::Continue(()),
            }
        };
        let mut colours = Hashed::new(visited);
        let (found, now) = match nested_search(product, &mut colours, &mut watch) {
            Err(broken) => return Unstored::Broken(broken),
            Ok(found) => found,
        };
        *done = now;
        span.record("nodes", now.nodes);
        span.record("edges", now.edges);
        span.record("visited_bytes", colours.visited().memory());
        match found {
            Some(lasso) => Unstored::Lasso(lasso),
            None => Unstored::Nothing(colours.visited().omission()),
        }
    }

    /// What was found, told to a product that stores the nodes of this path and what they lead to.
    pub(super) fn verdict_unstored<W: Walk>(
        &self,
        product: &mut Product<'_, W>,
        found: Unstored,
        instance: &Instance,
    ) -> Result<Verdict, Box<Misjudged>> {
        match found {
            Unstored::Nothing(omission) => Ok(Verdict::Unknown(Reason::NotExhaustive(omission))),
            Unstored::Lasso(NodeLasso { stem, cycle }) => {
                let path = retrace(product, &[&stem[..], &cycle].concat())
                    .expect("what was expanded once does not fail later");
                self.violated(product, Scope::Along(&path), &path[stem.len()..], instance)
            }
            Unstored::Broken(Broken { stop, path }) => {
                let path = match stop {
                    Stop::Stopped(_) => Vec::new(),
                    Stop::Failed(_) | Stop::Atom(_) => {
                        retrace(product, &path).expect("what was expanded once does not fail later")
                    }
                };
                self.stopped(product, stop, Scope::Along(&path), instance)
            }
        }
    }
}
