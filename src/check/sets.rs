//! Answers by elimination: the product is built by all threads, and what cannot be visited again and
//! again by a fair run that violates the formula is removed from it.

use super::Method;
use super::evidence::{Evidence, Searched};
use super::fair::{Found, Prepared};
use super::letters::TupleLetters;
use super::search::{Generalized, Search, counted, searched, shown};
use engine::fairness::annotation::FairProduct;
use engine::fairness::component::Fair;
use engine::fairness::knowledge::Knowledge;
use engine::fairness::part::{NEAR, Part};
use engine::fairness::rules::Rules;
use engine::find::Scope;
use engine::instances::Instance;
use engine::product::{AnnotatedProduct, Letters, PlainProduct, Product, Stop, Touched};
use engine::quotient::{Ample, Choice, PlainWalk, PlainWalker, Quotient, Walk};
use engine::search::{Node, accepting_component, bounded};
use engine::sets::ways::Ways;
use engine::sets::{Annotated, Demand, Plain, Remains, Seen, Source, eliminate};
use engine::symmetry::{Permutation, Point};
use run::{Every, Progress, Report, Ticker};
use std::time::Instant;

/// How a product is searched by sets: near the start first, then as a whole.
struct Elimination<'e, M> {
    search: &'e Search<'e>,
    quotient: &'e Quotient<'e>,
    /// The tracked points, if edges move them.
    tracked: &'e [Point],
    /// Makes sources of edges.
    make: &'e M,
    report: &'e Report<'e>,
}

impl Search<'_> {
    /// The answer for one tuple of tracked values by elimination.
    pub(super) fn answer_by_elimination<R: Rules<Permutation> + Rules<()>, Y: Ways>(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched {
        let points = || instance.points.clone();
        let choice = || -> Box<dyn Choice + '_> {
            self.choice(instance).expect("steps of others are omitted")
        };
        match (quotient.is_plain(), self.choices.is_some()) {
            (true, false) => {
                let walk = || PlainWalker::new(quotient);
                self.answer_plainly_with::<_, _, R, Y>(quotient, &walk, instance, watch)
            }
            (true, true) => {
                let plain = || PlainWalker::new(quotient);
                let walk = || Ample::new(quotient, plain(), choice(), points());
                self.answer_plainly_with::<_, _, R, Y>(quotient, &walk, instance, watch)
            }
            (false, false) => {
                let walk = || quotient.walker();
                self.answer_with::<_, _, R, Y>(quotient, &walk, instance, watch)
            }
            (false, true) => {
                let walk = || Ample::new(quotient, quotient.walker(), choice(), points());
                self.answer_with::<_, _, R, Y>(quotient, &walk, instance, watch)
            }
        }
    }

    /// The same with a plain product over walks that are made by this function: each thread has its own.
    fn answer_plainly_with<W, M, R, Y>(
        &self,
        quotient: &Quotient<'_>,
        walk: &M,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched
    where
        W: PlainWalk,
        M: Fn() -> W + Sync,
        R: Rules<()>,
        Y: Ways,
    {
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product = PlainProduct::new(quotient, walk(), &self.reader, &mut letters, points);
        let make = || {
            let letters: Box<dyn Letters + '_> =
                Box::new(TupleLetters::new(&*self.atoms, instance));
            Plain::new(quotient, walk(), letters, instance.points.clone())
        };
        let (search, tracked) = (self, &[][..]);
        let how = Elimination { search, quotient, tracked, make: &make, report: watch };
        how.answer::<_, _, R, Y>(&mut product)
    }

    /// The same with an annotated product over walks that are made by this function: each thread
    /// has its own. These rules decide which components are fair, and these decisions which nodes
    /// are removed.
    pub(super) fn answer_with<W, M, R, Y>(
        &self,
        quotient: &Quotient<'_>,
        walk: &M,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Searched
    where
        W: Walk,
        M: Fn() -> W + Sync,
        R: Rules<Permutation>,
        Y: Ways,
    {
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product =
            AnnotatedProduct::new(quotient, walk(), &self.reader, &mut letters, points);
        if !self.requirements.is_empty() {
            product = product.with_labels();
        }
        let make = || {
            let letters: Box<dyn Letters + '_> =
                Box::new(TupleLetters::new(&*self.atoms, instance));
            Annotated::new(quotient, walk(), letters, instance.points.clone())
        };
        let (search, tracked) = (self, &instance.points[..]);
        let how = Elimination { search, quotient, tracked, make: &make, report: watch };
        how.answer::<_, _, R, Y>(&mut product)
    }
}

impl<M> Elimination<'_, M> {
    fn answer<P, S, R, Y>(&self, product: &mut P) -> Searched
    where
        P: FairProduct,
        S: Source,
        M: Fn() -> S + Sync,
        R: Rules<P::Annotation>,
        Y: Ways,
    {
        let began = Instant::now();
        let search = self.search;
        let report = |now: &Progress| (self.report)(now);
        let watch = &Ticker::new(&report);
        if let Some(most) = search.options.most_states {
            product.limit(most);
        }
        // What was expanded by the elimination, if it got so far.
        let mut all = None;
        let (evidence, touched) = if search.requirements.is_empty() {
            let removed = hashbrown::HashSet::new();
            let prepared = Prepared { removed: &removed, atoms: &[] };
            let found = searched(|| {
                let mut acceptance = Generalized::new(&search.reader);
                match Self::near::<_, _, Y>(product, &mut acceptance, watch)? {
                    Some(found) => Ok(Some(found)),
                    None => {
                        self.eliminate::<_, _, Y>(product, prepared, &mut all, watch, |_, _| {
                            unreachable!("global fairness is a requirement")
                        })
                    }
                }
            });
            let touched = product.take_touched();
            (self.shown(product, found), touched)
        } else {
            search.answer_fairly(self.quotient, product, watch, |product, knowledge, prepared| {
                let marks = search.reader.all_marks();
                let mut fair = Fair::<_, R>::new(knowledge, marks, watch);
                if let Some(found) = Self::near::<_, _, Y>(product, &mut fair, watch)? {
                    return Ok(Some(found));
                }
                self.eliminate::<_, _, Y>(product, prepared, &mut all, watch, |product, nodes| {
                    self.globally_fair::<_, R>(product, knowledge, nodes, watch)
                })
            })
        };
        let statistics = counted(&search.reader, watch, began);
        let touched = all.unwrap_or(touched);
        Searched { evidence, method: Method::Sets, statistics, touched }
    }

    /// A short search near the first start.
    fn near<P: Product, A, Y: Ways>(
        product: &mut P,
        acceptance: &mut A,
        watch: &Ticker<'_>,
    ) -> Result<Option<Found>, Stop>
    where
        A: for<'p> engine::search::Acceptance<Part<'p, P>>,
    {
        if !Y::LOOKS_NEAR {
            return Ok(None);
        }
        let Some(start) = product.next_start()? else { return Ok(None) };
        let (found, now) = bounded(&mut Part::near(product, start), acceptance, NEAR, watch)?;
        watch.keep(if found.is_some() { now } else { Progress::default() });
        Ok(found.map(Found::from_starts))
    }

    /// Removes what it can from the whole product, and returns a component of what is left. Under
    /// global fairness, `decide` looks for it.
    fn eliminate<P, S, Y>(
        &self,
        product: &mut P,
        prepared: Prepared<'_>,
        all: &mut Option<Touched>,
        watch: &Ticker<'_>,
        decide: impl FnOnce(&mut P, Vec<Node>) -> Result<Option<Vec<Node>>, Stop>,
    ) -> Result<Option<Found>, Stop>
    where
        P: Product,
        S: Source,
        M: Fn() -> S + Sync,
        Y: Ways,
    {
        let Search { system, reader, requirements, options, .. } = self.search;
        let demand = Demand {
            system: *system,
            indices: self.quotient.structure().indices(),
            reader,
            requirements,
            atoms: prepared.atoms,
            tracked: self.tracked,
            removed: prepared.removed,
            most_states: options.most_states,
            threads: options.threads,
        };
        let mut seen = Seen::default();
        let eliminated = eliminate::<S, M, Y>(&demand, self.make, self.report, &mut seen);
        watch.keep(seen.counts.progress());
        *all = Some(seen.touched);
        let remains = match eliminated {
            Ok(remains) => remains,
            Err(stop @ Stop::Stopped(_)) => return Err(stop),
            Err(stop) => {
                // What fails is looked for from all starts.
                let mut starts = 0;
                while let Ok(Some(_)) = product.next_start() {
                    starts += 1;
                    if Every::START.is_due(starts) {
                        watch.ask()?;
                    }
                }
                return Err(stop);
            }
        };
        // From now on nothing is counted.
        product.take_touched();
        if remains.is_empty() {
            return Ok(None);
        }
        if requirements.is_global {
            let nodes = remains.all(product, watch)?;
            let Some(nodes) = decide(product, nodes)? else { return Ok(None) };
            return Self::reached(&remains, product, nodes, watch).map(Some);
        }
        if !options.shows {
            return Ok(Some(Found { nodes: Vec::new(), path: None }));
        }
        let (nodes, path) = remains.component(product, watch)?;
        Ok(Some(Found { nodes, path: Some(path) }))
    }

    fn reached<P: Product>(
        remains: &Remains,
        product: &mut P,
        nodes: Vec<Node>,
        watch: &Ticker<'_>,
    ) -> Result<Found, Stop> {
        let inside = nodes.iter().copied().collect();
        let path = remains.path_to(product, &inside, watch)?;
        Ok(Found { nodes, path: Some(path) })
    }

    /// A component of these nodes that carries a globally fair run.
    fn globally_fair<P: FairProduct, R: Rules<P::Annotation>>(
        &self,
        product: &mut P,
        knowledge: &mut Knowledge<'_>,
        nodes: Vec<Node>,
        watch: &Ticker<'_>,
    ) -> Result<Option<Vec<Node>>, Stop> {
        let ask = |_: &Progress| watch.ask().err();
        let marks = self.search.reader.all_marks();
        let mut part = Part::of(product, nodes);
        let mut fair = Fair::<_, R>::new(knowledge, marks, watch);
        let (found, _) = accepting_component(&mut part, &mut fair, &Ticker::new(&ask))?;
        Ok(found.map(|found| part.all_whole(&found)))
    }

    /// The verdict without requirements.
    fn shown<P: Product>(&self, product: &mut P, found: Result<Option<Found>, Stop>) -> Evidence {
        let starts = product.starts().to_vec();
        match found {
            Ok(None) => Evidence::Holds,
            Ok(Some(found)) => shown(|| {
                let scope = found.scope(&starts);
                self.search.violated(product, scope, &found.nodes)
            }),
            Err(stop) => shown(|| self.search.stopped(product, &stop, Scope::From(&starts))),
        }
    }
}
