//! Answers without a store of nodes: a violation is as good as any other, but the verdict is never
//! that the formula holds.

use super::evidence::Evidence;
use super::letters::TupleLetters;
use super::search::Search;
use super::{Method, Reason};
use engine::find::Scope;
use engine::instances::Instance;
use engine::product::unstored::{UnstoredNode, UnstoredProduct, retrace};
use engine::product::{Product, Stop};
use engine::quotient::Quotient;
use engine::search::Node;
use engine::search::hashed::{Bitstate, Compaction, Hashed, Omission, Visited};
use engine::search::nested::{Broken, NodeLasso, nested_search};
use run::{StopReason, Ticker, stoppable};
use tracing::field::Empty;

/// The result of a search without a store.
pub(super) enum Unstored {
    /// Nothing was found, but nodes may have been omitted.
    Nothing(Omission),
    /// An accepting lasso.
    Lasso(NodeLasso<UnstoredNode>),
    /// The search was stopped, or a node could not be expanded.
    Broken(Broken<UnstoredNode, Stop>),
}

impl Search<'_> {
    /// Searches without a store, if that is the method of this question. `watch` keeps the
    /// statistics of the search.
    pub(super) fn search_unstored(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Ticker<'_>,
    ) -> Option<Unstored> {
        match self.method {
            Method::Bitstate { bytes } => {
                let Some(visited) = Bitstate::new(bytes) else {
                    let stop = Stop::Stopped(StopReason::Memory(bytes));
                    return Some(Unstored::Broken(Broken { stop, path: Vec::new() }));
                };
                Some(self.search_with(quotient, instance, visited, watch))
            }
            Method::Compaction => {
                Some(self.search_with(quotient, instance, Compaction::new(), watch))
            }
            Method::Prefix | Method::Components | Method::Nested | Method::Sets => None,
        }
    }

    fn search_with(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        visited: impl Visited,
        watch: &Ticker<'_>,
    ) -> Unstored {
        let span = tracing::debug_span!(
            "product.search",
            formula = self.name,
            nodes = Empty,
            edges = Empty,
            visited_bytes = Empty
        );
        let _entered = span.enter();
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product = UnstoredProduct::new(quotient, &self.reader, &mut letters, points);
        let mut colours = Hashed::new(visited);
        let searched = stoppable(|| nested_search(&mut product, &mut colours, watch));
        let (found, now) = match searched {
            Err(reason) => {
                let stop = Stop::Stopped(reason);
                return Unstored::Broken(Broken { stop, path: Vec::new() });
            }
            Ok(Err(broken)) => return Unstored::Broken(broken),
            Ok(Ok(found)) => found,
        };
        watch.keep(now);
        span.record("nodes", now.product_nodes);
        span.record("edges", now.product_edges);
        span.record("visited_bytes", colours.visited().memory());
        match found {
            Some(lasso) => Unstored::Lasso(lasso),
            None => Unstored::Nothing(colours.visited().omission()),
        }
    }

    /// The evidence in the result of such a search, by a product that stores the nodes of its path
    /// and their successors.
    pub(super) fn evidence_unstored<P: Product>(
        &self,
        product: &mut P,
        found: Unstored,
    ) -> Evidence {
        match found {
            Unstored::Nothing(omission) => Evidence::Unknown(Reason::NotExhaustive(omission)),
            Unstored::Lasso(NodeLasso { stem, cycle }) => {
                let path = match retraced(product, &[&stem[..], &cycle].concat()) {
                    Ok(path) => path,
                    Err(reason) => return Evidence::Unknown(Reason::Stopped(reason)),
                };
                self.violated(product, Scope::Along(&path), &path[stem.len()..])
            }
            Unstored::Broken(Broken { stop, path }) => {
                let path = match stop {
                    Stop::Stopped(_) => Vec::new(),
                    Stop::Failed(_) | Stop::Atom(_) => match retraced(product, &path) {
                        Ok(path) => path,
                        Err(reason) => return Evidence::Unknown(Reason::Stopped(reason)),
                    },
                };
                self.stopped(product, &stop, Scope::Along(&path))
            }
        }
    }
}

/// The nodes of a path in a product, unless that has no numbers left for them.
fn retraced<P: Product>(product: &mut P, path: &[UnstoredNode]) -> Result<Vec<Node>, StopReason> {
    match retrace(product, path) {
        Ok(nodes) => Ok(nodes),
        Err(Stop::Stopped(reason)) => Err(reason),
        Err(stop) => unreachable!("what was expanded once does not fail later: {stop:?}"),
    }
}
