//! The search for a violation, in packed states: it knows nothing of a front end's own states, so
//! that it is compiled once, and not again for each front end.
//!
//! What is found is [`Evidence`]. A [`Question`](super::Question) translates it to the states of
//! the front end and shows it to the judge.

use super::evidence::{Evidence, Failing, Searched};
use super::fair::Found;
use super::letters::{TupleChoice, TupleLetters};
use super::{CheckStatistics, Method, Options, Reason, Report, renaming};
use automata::Marks;
use engine::concretise::{Unfolded, unfold, unfold_path};
use engine::fairness::annotation::FairProduct;
use engine::fairness::requirements::Requirements;
use engine::fairness::rules::{Exact, Rules};
use engine::find::{self, AbstractLasso, Scope};
use engine::instances::Instance;
use engine::product::{AnnotatedProduct, PlainProduct, Product, Reader, Stop, Taken, Touched};
use engine::quotient::{Ample, Choice, PlainWalk, PlainWalker, Quotient, Walk};
use engine::search::nested::accepting_cycle;
use engine::search::{self, Acceptance, Active, Graph, Node, Set, accepting_component, nearest};
use engine::sets::ways;
use engine::symmetry::Permutation;
use engine::system::{Atoms, Choices, System};
use run::{Progress, StopReason, Ticker, stoppable};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tracing::field::Empty;

/// A formula that is prepared for the search: the automaton of its negation, and its atoms.
pub(super) struct Search<'q> {
    pub(super) system: &'q dyn System,
    /// The formula's name in traces.
    pub(super) name: &'q str,
    pub(super) options: &'q Options,
    /// The formula itself.
    pub(super) syntax: (&'q ltl::Formulas, ltl::Formula),
    pub(super) reader: Reader,
    pub(super) atoms: Box<dyn Atoms + 'q>,
    /// Which processes may move alone, if steps of others are omitted then.
    pub(super) choices: Option<Box<dyn Choices + 'q>>,
    pub(super) method: Method,
    pub(super) requirements: Requirements,
}

/// A component is accepting if it meets all acceptance sets; the summary is the set of those that
/// it meets.
pub(super) struct Generalized<'r> {
    reader: &'r Reader,
}

impl<'r> Generalized<'r> {
    pub(super) fn new(reader: &'r Reader) -> Self {
        Generalized { reader }
    }
}

impl<G: Graph<Edge = Taken>> Acceptance<G> for Generalized<'_> {
    type Summary = Marks;

    fn visit(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        _: Node,
        _: Option<(Node, Taken)>,
    ) -> Result<Marks, G::Stop> {
        Ok(Marks::NONE)
    }

    fn edge(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        met: &mut Marks,
        _: Node,
        edge: Taken,
        _: Node,
    ) -> Result<(), G::Stop> {
        *met = *met | self.reader.marks_of(edge);
        Ok(())
    }

    fn join(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        met: Set<'_, Marks>,
        (_, by): (Node, Taken),
        other: Set<'_, Marks>,
    ) -> Result<(), G::Stop> {
        *met.summary = *met.summary | self.reader.marks_of(by) | *other.summary;
        Ok(())
    }

    fn is_accepting(
        &mut self,
        _: &mut G,
        _: Active<'_>,
        met: Set<'_, Marks>,
    ) -> Result<bool, G::Stop> {
        Ok(met.summary.contains(self.reader.all_marks()))
    }
}

impl Search<'_> {
    /// Searches the product for one tuple of tracked values. The progress is reported to `watch`,
    /// which may stop the search.
    pub(super) fn answer(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let searched = if self.method == Method::Sets {
            self.answer_by_elimination::<Exact, ways::Exact>(quotient, instance, watch)
        } else if quotient.is_plain() {
            let walk = PlainWalker::new(quotient);
            match self.choice(instance) {
                None => self.answer_plainly(quotient, walk, instance, watch),
                Some(choice) => {
                    let walk = Ample::new(quotient, walk, choice, instance.points.clone());
                    self.answer_plainly(quotient, walk, instance, watch)
                }
            }
        } else {
            let walk = quotient.walker();
            match self.choice(instance) {
                None => self.answer_by::<_, Exact>(quotient, walk, instance, watch),
                Some(choice) => {
                    let walk = Ample::new(quotient, walk, choice, instance.points.clone());
                    self.answer_by::<_, Exact>(quotient, walk, instance, watch)
                }
            }
        };
        self.shortened(searched, instance)
    }

    /// Which process may move alone, if steps of others are omitted then.
    pub(super) fn choice<'i>(&'i self, instance: &'i Instance) -> Option<Box<dyn Choice + 'i>> {
        let choices = self.choices.as_deref()?;
        Some(Box::new(TupleChoice::new(choices, instance)))
    }

    /// Like [`Search::answer`], when all threads are there for this one tuple. One of them begins a
    /// path-based search, which ends soon where there is a violation near its paths, and for small
    /// products. Beyond so many nodes, all threads eliminate. Which of the two answers depends on
    /// numbers of nodes only.
    pub(super) fn answer_together(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let most = self.options.most_alone;
        let is_large = AtomicBool::new(false);
        let first = |now: &Progress| {
            watch(now).or_else(|| {
                is_large.fetch_or(now.product_nodes >= most, Ordering::Relaxed);
                is_large.load(Ordering::Relaxed).then(|| limit_of(most))
            })
        };
        let searched = self.answer(quotient, instance, &first);
        if !is_large.into_inner() {
            return searched;
        }
        drop(searched);
        let searched = self.answer_by_elimination::<Exact, ways::Exact>(quotient, instance, watch);
        self.shortened(searched, instance)
    }

    /// Like [`Search::answer`], but with an annotated product over this walk, in which these rules
    /// decide which components are fair.
    pub(super) fn answer_by<W: Walk, R: Rules<Permutation>>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product = AnnotatedProduct::new(quotient, walk, &self.reader, &mut letters, points);
        if !self.requirements.is_empty() {
            product = product.with_labels();
        }
        self.answer_on::<_, R>(quotient, &mut product, instance, watch)
    }

    /// Like [`Search::answer`], but with a plain product over this walk.
    pub(super) fn answer_plainly<W: PlainWalk>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product = PlainProduct::new(quotient, walk, &self.reader, &mut letters, points);
        self.answer_on::<_, Exact>(quotient, &mut product, instance, watch)
    }

    /// Searches a product, which keeps labels if fairness is demanded.
    fn answer_on<P: FairProduct, R: Rules<P::Annotation>>(
        &self,
        quotient: &Quotient<'_>,
        product: &mut P,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let began = Instant::now();
        let most = self.options.most_states;
        let stores = !matches!(self.method, Method::Bitstate { .. } | Method::Compaction);
        let report = |now: &Progress| match most {
            Some(most) if !stores && now.product_nodes > most => Some(limit_of(most)),
            _ => watch(now),
        };
        let watch = Ticker::new(&report);
        if let (Some(most), true) = (most, stores) {
            product.limit(most);
        }
        let (evidence, touched) = if !self.requirements.is_empty() {
            self.answer_fairly(quotient, product, &watch, |product, knowledge, _| {
                let found = self.search_fairly::<P, R>(product, knowledge, &watch)?;
                Ok(found.map(Found::from_starts))
            })
        } else if let Some(unstored) = self.search_unstored(quotient, instance, &watch) {
            // The nodes that are needed to construct a path say nothing about the search.
            let evidence = shown(|| self.evidence_unstored(product, unstored));
            (evidence, Touched::new())
        } else {
            let found = searched(|| self.search(product, &watch));
            // Nodes that are visited to construct a run are not counted.
            let touched = product.take_touched();
            let starts = product.starts().to_vec();
            let scope = Scope::Searched(&starts, &touched);
            let evidence = match found {
                Ok(None) => Evidence::Holds,
                Ok(Some(component)) => shown(|| self.violated(product, scope, &component)),
                Err(stop) => shown(|| self.stopped(product, &stop, scope)),
            };
            (evidence, touched)
        };
        let statistics = counted(&self.reader, &watch, began);
        Searched { evidence, method: self.method, statistics, touched }
    }

    /// The nodes of an accepting component. `watch` keeps the statistics of the search.
    pub(super) fn search<P: Product>(
        &self,
        product: &mut P,
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
        let mut acceptance = Generalized::new(&self.reader);
        let (found, now) = match self.method {
            // An elimination comes here only to find a path to what has failed before it began.
            Method::Components | Method::Sets => {
                accepting_component(product, &mut acceptance, watch)?
            }
            Method::Nested => {
                let all = self.reader.all_marks();
                let is_marked = |edge: Taken| self.reader.marks_of(edge).contains(all);
                accepting_cycle(product, &is_marked, watch)?
            }
            Method::Bitstate { .. } | Method::Compaction => {
                unreachable!("these do not store their product")
            }
            Method::Prefix => {
                let (found, mut now) = nearest(product, &P::is_accepted, watch)?;
                let mut component = None;
                if let Some(bad) = found {
                    // Every continuation violates the formula: any cycle will do.
                    let mut rest = search::From::new(product, bad);
                    let (found, more) = accepting_component(&mut rest, &mut acceptance, watch)?;
                    component = found;
                    now.product_nodes += more.product_nodes;
                    now.product_edges += more.product_edges;
                }
                (component, now)
            }
        };
        watch.keep(now);
        span.record("nodes", now.product_nodes);
        span.record("edges", now.product_edges);
        span.record("components", now.components);
        Ok(found)
    }

    /// The evidence in an accepting component.
    pub(super) fn violated<P: Product>(
        &self,
        product: &mut P,
        scope: Scope<'_>,
        component: &[Node],
    ) -> Evidence {
        if !self.options.shows {
            return Evidence::Unknown(Reason::NotShown);
        }
        let span = tracing::debug_span!("counterexample.find", stem = Empty, cycle = Empty);
        let found = span.in_scope(|| {
            let found = find::lasso(product, scope, component, self.reader.all_marks())?;
            span.record("stem", found.stem.len());
            span.record("cycle", found.cycle.len());
            Ok(found)
        });
        match found {
            Ok(found) => self.concretised(product, &found),
            Err(stop) => self.stopped(product, &stop, scope),
        }
    }

    /// Makes a lasso concrete.
    pub(super) fn concretised<P: Product>(
        &self,
        product: &mut P,
        found: &AbstractLasso,
    ) -> Evidence {
        let span = tracing::debug_span!("counterexample.concretise", steps = Empty);
        let _entered = span.enter();
        let unfolded = unfold(self.system, product, found, self.options.longest_cycle);
        let (lasso, renaming) = match unfolded {
            Unfolded::Lasso(lasso) => (lasso, None),
            Unfolded::Laps { first, permutation } => {
                let indices = product.structure().indices();
                (first, Some(renaming(indices, &permutation)))
            }
        };
        span.record("steps", lasso.stem.len() + lasso.cycle.len());
        Evidence::Lasso { lasso, renaming, shorter: None }
    }

    /// The evidence of a search that cannot go on: a limit, or a failure and a path to it.
    pub(super) fn stopped<P: Product>(
        &self,
        product: &mut P,
        stop: &Stop,
        scope: Scope<'_>,
    ) -> Evidence {
        let failing = match *stop {
            Stop::Stopped(reason) => return Evidence::Unknown(Reason::Stopped(reason)),
            Stop::Failed(fault) => Failing::Model(fault),
            Stop::Atom(fault) => Failing::Atom(fault),
        };
        let span = tracing::debug_span!("counterexample.find", stem = Empty);
        let found = span.in_scope(|| find::failure(product, scope));
        match found {
            Err(Stop::Stopped(reason)) => Evidence::Unknown(Reason::Stopped(reason)),
            Ok(Some((start, path, stop))) => {
                span.record("stem", path.len());
                // Nearer to a start, something else may fail.
                let failing = match stop {
                    Stop::Stopped(reason) => return Evidence::Unknown(Reason::Stopped(reason)),
                    Stop::Failed(fault) => Failing::Model(fault),
                    Stop::Atom(fault) => Failing::Atom(fault),
                };
                let path = unfold_path(self.system, product, start, &path);
                Evidence::Failed { failing, path: Some(path) }
            }
            // The construction of a start state fails.
            Ok(None) | Err(_) => Evidence::Failed { failing, path: None },
        }
    }
}

/// The statistics of a search that has told its watch of its progress.
pub(super) fn counted(reader: &Reader, watch: &Ticker<'_>, began: Instant) -> CheckStatistics {
    let done = watch.last();
    CheckStatistics {
        instances: 1,
        automaton_states: reader.states() as u64,
        product_nodes: done.product_nodes,
        product_edges: done.product_edges,
        components: done.components,
        time: began.elapsed(),
        ..CheckStatistics::default()
    }
}

/// The result of a search. A stop inside an evaluation is a stop of the search.
pub(super) fn searched<T>(search: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    stoppable(search).unwrap_or_else(|reason| Err(Stop::Stopped(reason)))
}

/// The evidence; the search has found that there is some.
pub(super) fn shown(evidence: impl FnOnce() -> Evidence) -> Evidence {
    stoppable(evidence).unwrap_or_else(|reason| Evidence::Unknown(Reason::Unjudged(reason)))
}

/// The reason of a search that needs more states than this.
fn limit_of(most: u64) -> StopReason {
    StopReason::States(usize::try_from(most).unwrap_or(usize::MAX))
}
