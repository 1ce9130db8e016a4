//! Answers under fairness.

use super::Reason;
use super::component::Shown;
use super::evidence::Evidence;
use super::search::{Search, searched, shown};
use engine::fairness::annotation::FairProduct;
use engine::fairness::component::Fair;
use engine::fairness::cycle::fair_cycle;
use engine::fairness::knowledge::Knowledge;
use engine::fairness::objects::Objects;
use engine::fairness::part::{NEAR, Part};
use engine::fairness::requirements::Marker;
use engine::fairness::rules::Rules;
use engine::find::{AbstractLasso, Scope, stem};
use engine::product::{Product, Stop, Touched};
use engine::quotient::{Quotient, Representative, Unbuilt};
use engine::search::{Node, accepting_component, bounded};
use engine::system::Atoms;
use hashbrown::HashSet;
use run::{Progress, Ticker, stoppable};
use tracing::field::Empty;

/// A component with a run that violates the formula.
pub(super) struct Found {
    /// Its nodes.
    pub(super) nodes: Vec<Node>,
    /// A path from a start to one of them, if it is known.
    pub(super) path: Option<Vec<Node>>,
}

impl Found {
    /// A component that a search from the starts has found.
    pub(super) fn from_starts(nodes: Vec<Node>) -> Found {
        Found { nodes, path: None }
    }

    /// The nodes that a stem may visit.
    pub(super) fn scope<'f>(&'f self, starts: &'f [Node]) -> Scope<'f> {
        self.path.as_deref().map_or(Scope::From(starts), Scope::Along)
    }
}

/// What a search under fairness needs besides the product.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'p> {
    /// Representatives that are not states of the system.
    pub(super) removed: &'p HashSet<Representative>,
    /// The conditions of declared requirements.
    pub(super) atoms: &'p [Box<dyn Atoms + 'p>],
}

impl Search<'_> {
    /// Has a product, which keeps labels, searched for a component with a fair run.
    pub(super) fn answer_fairly<P: FairProduct>(
        &self,
        quotient: &Quotient<'_>,
        product: &mut P,
        watch: &Ticker<'_>,
        search: impl FnOnce(&mut P, &mut Knowledge<'_>, Prepared<'_>) -> Result<Option<Found>, Stop>,
    ) -> (Evidence, Touched) {
        let removed = stoppable(|| quotient.removed(watch));
        let removed = match removed.unwrap_or_else(|reason| Err(Unbuilt::Stopped(reason))) {
            Ok(removed) => removed,
            Err(Unbuilt::Stopped(reason)) => {
                return (Evidence::Unknown(Reason::Stopped(reason)), Touched::new());
            }
            Err(Unbuilt::Failed(failure)) => {
                // No path to the failure is known yet.
                let found = searched(|| self.search(product, watch));
                let stop = found.err().unwrap_or(Stop::Failed(failure));
                let starts = product.starts().to_vec();
                let touched = product.take_touched();
                let scope = Scope::From(&starts);
                let evidence = shown(|| self.stopped(product, &stop, scope));
                return (evidence, touched);
            }
        };
        let indices = product.structure().indices();
        let points = indices.points();
        let mut objects = Objects::new(self.system, indices);
        let atoms = if self.requirements.has_declared() {
            self.system.requirement_atoms()
        } else {
            Vec::new()
        };
        let marker =
            stoppable(|| Marker::new(self.system, &self.requirements, &atoms, &mut objects));
        let marker = match marker {
            Ok(marker) => marker,
            Err(reason) => {
                return (Evidence::Unknown(Reason::Stopped(reason)), Touched::new());
            }
        };
        let mut knowledge = Knowledge::new(&self.requirements, marker, objects, removed, points);
        let prepared = Prepared { removed, atoms: &atoms };
        let found = searched(|| search(product, &mut knowledge, prepared));
        // Nodes that are visited to construct a run are not counted.
        let touched = product.take_touched();
        let starts = product.starts().to_vec();
        let scope = Scope::From(&starts);
        let found = match found {
            Ok(None) => return (Evidence::Holds, touched),
            Ok(Some(_)) if !self.options.shows => {
                return (Evidence::Unknown(Reason::NotShown), touched);
            }
            Ok(Some(found)) => found,
            Err(stop) => {
                let evidence = shown(|| self.stopped(product, &stop, scope));
                return (evidence, touched);
            }
        };
        let evidence = shown(|| self.shown_fairly(product, &mut knowledge, &found));
        (evidence, touched)
    }

    /// The verdict with a fair run that stays in a component.
    fn shown_fairly<P: Product>(
        &self,
        product: &mut P,
        knowledge: &mut Knowledge<'_>,
        found: &Found,
    ) -> Evidence {
        let starts = product.starts().to_vec();
        let (scope, component) = (found.scope(&starts), &found.nodes[..]);
        let span = tracing::debug_span!("counterexample.find", stem = Empty, cycle = Empty);
        let found = span.in_scope(|| {
            let found = self.fair_run(product, knowledge, scope, component)?;
            if let Shown::Lasso(found) = &found {
                span.record("stem", found.stem.len());
                span.record("cycle", found.cycle.len());
            }
            Ok(found)
        });
        match found {
            Ok(Shown::Lasso(found)) => self.concretised(product, &found),
            Ok(Shown::Component(found)) => self.component(product, *found),
            Ok(Shown::TooLarge) => {
                Evidence::Unknown(Reason::LargeComponent(self.options.largest_component))
            }
            Err(stop) => self.stopped(product, &stop, scope),
        }
    }

    pub(super) fn search_fairly<P: FairProduct, R: Rules<P::Annotation>>(
        &self,
        product: &mut P,
        knowledge: &mut Knowledge<'_>,
        watch: &Ticker<'_>,
    ) -> Result<Option<Vec<Node>>, Stop> {
        let span = tracing::debug_span!(
            "product.search",
            formula = self.name,
            nodes = Empty,
            edges = Empty,
            components = Empty
        );
        let _entered = span.enter();
        let all = self.reader.all_marks();
        let mut near = Progress::default();
        let mut found = None;
        if let Some(start) = product.next_start()? {
            let mut fair = Fair::<_, R>::new(knowledge, all, watch);
            let mut part = Part::near(product, start);
            let searched = bounded(&mut part, &mut fair, NEAR, watch);
            if searched.is_err() {
                // The nodes of an incomplete search near the start are not counted.
                watch.keep(Progress::default());
            }
            (found, near) = searched?;
        }
        let mut now = near;
        if found.is_none() {
            let mut fair = Fair::<_, R>::new(knowledge, all, watch);
            (found, now) = accepting_component(&mut Part::all(product), &mut fair, watch)?;
            if found.is_some() {
                // Otherwise the second search has visited all nodes again.
                now.product_nodes += near.product_nodes;
                now.product_edges += near.product_edges;
                now.components += near.components;
            }
        }
        watch.keep(now);
        span.record("nodes", now.product_nodes);
        span.record("edges", now.product_edges);
        span.record("components", now.components);
        Ok(found)
    }

    /// A fair run that stays in a component.
    fn fair_run<P: Product>(
        &self,
        product: &mut P,
        knowledge: &mut Knowledge<'_>,
        scope: Scope<'_>,
        component: &[Node],
    ) -> Result<Shown, Stop> {
        let inside = component.iter().copied().collect();
        let (start, stem) = stem(product, scope, &inside)?;
        if self.requirements.is_global {
            return self.globally_fair_run(product, knowledge, component, (start, stem));
        }
        let home = stem.last().map_or(start, |edge| edge.target);
        let cycle = fair_cycle(product, knowledge, component, home, self.reader.all_marks())?;
        Ok(Shown::Lasso(AbstractLasso { start, stem, cycle }))
    }
}
