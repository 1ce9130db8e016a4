//! The answer to a question for one tuple of tracked values: search, find, concretise, validate.

use super::fair::Found;
use super::letters::TupleLetters;
use super::{
    AtomFailure, Cause, CheckStatistics, Counterexample, Failed, Judged, Method, Misjudged,
    Question, Reason, Rejected, Report, Verdict,
};
use crate::frontend::{FaultOf, FrontEnd, StateOf, VocabularyOf};
use automata::Marks;
use engine::concretise::{ConcreteLasso, ConcreteStep, Unfolded, unfold, unfold_path};
use engine::fairness::annotation::FairProduct;
use engine::fairness::rules::{Exact, Rules};
use engine::find::{self, AbstractLasso, Scope};
use engine::instances::Instance;
use engine::product::{AnnotatedProduct, PlainProduct, Product, Reader, Stop, Taken, Touched};
use engine::quotient::{PlainWalk, PlainWalker, Quotient, Walk};
use engine::search::nested::accepting_cycle;
use engine::search::{self, Acceptance, Active, Graph, Node, Set, accepting_component, nearest};
use engine::sets::ways;
use engine::symmetry::{Indices, Permutation, Point};
use engine::system::AtomFault;
use judge::{
    Argument, Claim, Objection, Reference as _, Renaming, Run, Step, Vocabulary, judge,
    judge_claim, judge_fairness, judge_laps,
};
use model::reference::ModelVocabulary;
use run::{Progress, StopReason, Ticker, stoppable};
use std::time::Instant;
use terms::{PropertyId, PropertyKind};
use tracing::field::Empty;

/// The result of a search for one tuple.
#[derive(Debug)]
pub struct Answer<V: Vocabulary = ModelVocabulary> {
    /// The verdict; [`Verdict::Holds`] is about this tuple only.
    pub verdict: Verdict<V>,
    /// The statistics of the search; representatives and their edges are counted by `touched`.
    pub statistics: CheckStatistics,
    /// The representatives and edges of the quotient that the search needed.
    pub touched: Touched,
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

impl<F: FrontEnd> Question<'_, F> {
    /// Searches the product for one tuple of tracked values. The progress is reported to `watch`,
    /// which may stop the search.
    pub fn answer(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        if self.method == Method::Sets {
            self.answer_by_elimination::<Exact, ways::Exact>(quotient, instance, watch)
        } else if quotient.is_plain() {
            self.answer_plainly(quotient, PlainWalker::new(quotient), instance, watch)
        } else {
            self.answer_by::<_, Exact>(quotient, quotient.walker(), instance, watch)
        }
    }

    /// Like [`Question::answer`], but with an annotated product over this walk, in which these rules
    /// decide which components are fair.
    pub fn answer_by<W: Walk, R: Rules<Permutation>>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let points = instance.points.clone();
        let mut product = AnnotatedProduct::new(quotient, walk, &self.reader, &mut letters, points);
        if !self.requirements.is_empty() {
            product = product.with_labels();
        }
        self.answer_on::<_, R>(quotient, &mut product, instance, watch)
    }

    /// Like [`Question::answer`], but with a plain product over this walk.
    pub fn answer_plainly<W: PlainWalk>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
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
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
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
        let (verdict, touched) = if !self.requirements.is_empty() {
            self.answer_fairly(quotient, product, instance, &watch, |product, knowledge, _| {
                let found = self.search_fairly::<P, R>(product, knowledge, &watch)?;
                Ok(found.map(Found::from_starts))
            })?
        } else if let Some(unstored) = self.search_unstored(quotient, instance, &watch) {
            // The nodes that are needed to construct a path say nothing about the search.
            let verdict = shown(|| self.verdict_unstored(product, unstored, instance))?;
            (verdict, Touched::new())
        } else {
            let found = searched(|| self.search(product, &watch));
            // Nodes that are visited to construct a run are not counted.
            let touched = product.take_touched();
            let starts = product.starts().to_vec();
            let scope = Scope::From(&starts);
            let verdict = match found {
                Ok(None) => Verdict::Holds,
                Ok(Some(component)) => {
                    shown(|| self.violated(product, scope, &component, instance))?
                }
                Err(stop) => shown(|| self.stopped(product, &stop, scope, instance))?,
            };
            (verdict, touched)
        };
        let statistics = counted(&self.reader, &watch, began);
        Ok(Answer { verdict, statistics, touched })
    }

    /// The nodes of an accepting component. `watch` keeps the statistics of the search.
    pub(super) fn search<P: Product>(
        &self,
        product: &mut P,
        watch: &Ticker<'_>,
    ) -> Result<Option<Vec<Node>>, Stop> {
        let span = tracing::debug_span!(
            "product.search",
            formula = self.name(),
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

    /// Computes a counterexample from an accepting component.
    pub(super) fn violated<P: Product>(
        &self,
        product: &mut P,
        scope: Scope<'_>,
        component: &[Node],
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        if !self.options.shows {
            return Ok(Verdict::Unknown(Reason::NotShown));
        }
        let span = tracing::debug_span!("counterexample.find", stem = Empty, cycle = Empty);
        let found = span.in_scope(|| {
            let found = find::lasso(product, scope, component, self.reader.all_marks())?;
            span.record("stem", found.stem.len());
            span.record("cycle", found.cycle.len());
            Ok(found)
        });
        let found = match found {
            Ok(found) => found,
            Err(stop) => return self.stopped(product, &stop, scope, instance),
        };
        self.concretised(product, &found, instance)
    }

    /// Makes a lasso concrete and has it judged.
    pub(super) fn concretised<P: Product>(
        &self,
        product: &mut P,
        found: &AbstractLasso,
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        let span = tracing::debug_span!("counterexample.concretise", steps = Empty);
        let (run, renaming) = span.in_scope(|| {
            let unfolded = unfold(self.system, product, found, self.options.longest_cycle);
            let (lasso, permutation) = match &unfolded {
                Unfolded::Lasso(lasso) => (lasso, None),
                Unfolded::Laps { first, permutation } => (first, Some(permutation)),
            };
            span.record("steps", lasso.stem.len() + lasso.cycle.len());
            let indices = product.structure().indices();
            let renaming = permutation.map(|by| renaming(indices, by));
            let mut run = self.run(lasso);
            match &renaming {
                Some(renaming) => {
                    run.end = self.system.reference().renamed_state(renaming, &run.end);
                }
                None => run.roll(),
            }
            (run, renaming)
        });
        let binding = self.binding(instance);
        let argument = Argument::default();
        let mut counterexample =
            Counterexample { binding, run, renaming, component: None, argument };
        let steps = counterexample.run.steps().count();
        let span = tracing::debug_span!("counterexample.validate", steps);
        let judged = span.in_scope(|| self.judged(&counterexample));
        match judged {
            Ok(argument) => {
                counterexample.argument = argument;
                Ok(Verdict::Violated(Box::new(counterexample)))
            }
            Err(objection) => {
                let found = Rejected::Counterexample(counterexample);
                Err(Box::new(Misjudged { found, objection }))
            }
        }
    }

    /// The judge's decision: why the counterexample is fair, or an objection.
    fn judged(
        &self,
        counterexample: &Counterexample<VocabularyOf<F>>,
    ) -> Result<Argument<VocabularyOf<F>>, Objection<VocabularyOf<F>>> {
        let Counterexample { binding, run, renaming, .. } = counterexample;
        let reference = self.system.reference();
        match renaming {
            None => judge(reference, self.formula, binding, run)?,
            Some(renaming) => {
                let most = self.options.longest_cycle;
                judge_laps(reference, self.formula, binding, run, renaming, most)?;
            }
        }
        judge_fairness(reference, self.demand, run, renaming.as_ref())
    }

    /// The verdict of a search that cannot go on: a limit, or a failure that the judge confirms.
    pub(super) fn stopped<P: Product>(
        &self,
        product: &mut P,
        stop: &Stop,
        scope: Scope<'_>,
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        if let Stop::Stopped(reason) = *stop {
            return Ok(Verdict::Unknown(Reason::Stopped(reason)));
        }
        let binding = self.binding(instance);
        let span = tracing::debug_span!("counterexample.find", stem = Empty);
        let found = span.in_scope(|| find::failure(product, scope));
        let (run, cause) = match found {
            Err(Stop::Stopped(reason)) => return Ok(Verdict::Unknown(Reason::Stopped(reason))),
            Ok(Some((start, path, stop))) => {
                span.record("stem", path.len());
                let (stem, end) = unfold_path(self.system, product, start, &path);
                let stem = stem.iter().map(|step| self.step(step)).collect();
                let end = self.system.state(&end);
                // The failure was found in the representative: it is determined again in the state
                // of the run.
                let cause = match stop {
                    Stop::Atom(_) => self.atom_failure(&end, instance).map(Cause::Atom),
                    _ => self.failure(&end).map(Cause::Model),
                };
                (Some(Run { stem, cycle: Vec::new(), end }), cause)
            }
            // The construction of a start state fails.
            Ok(None) | Err(_) => (None, None),
        };
        let cause = cause.unwrap_or(match *stop {
            Stop::Failed(fault) => Cause::Model(self.system.explain(fault)),
            Stop::Atom(AtomFault { atom, fault }) => {
                Cause::Atom(AtomFailure { atom, failure: self.system.explain(fault) })
            }
            Stop::Stopped(_) => unreachable!("it was not stopped"),
        });
        let failed = Failed { cause, binding, run };
        match self.judged_failure(&failed) {
            Ok(()) => Ok(Verdict::Failed(Box::new(failed))),
            Err(objection) => {
                Err(Box::new(Misjudged { found: Rejected::Failure(failed), objection }))
            }
        }
    }

    /// The judge's objection to a failure, if there is one. A start state whose construction fails
    /// has no run that could be judged.
    fn judged_failure(
        &self,
        failed: &Failed<VocabularyOf<F>>,
    ) -> Result<(), Objection<VocabularyOf<F>>> {
        let Failed { cause, binding, run } = failed;
        let claim = match cause {
            Cause::Model(failure) => Claim::Failure(self.system.reference().pattern(failure)),
            Cause::Atom(fails) => {
                Claim::Atom { formula: self.formula, binding, atom: Some(fails.atom) }
            }
        };
        match run {
            Some(run) => judge_claim(self.system.reference(), &claim, run).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The failure in the steps of a state, according to the reference: a guard, else a body or an
    /// assumption about a target.
    fn failure(&self, state: &StateOf<F>) -> Option<FaultOf<F>> {
        let reference = self.system.reference();
        let steps = reference.steps(state);
        if let Some(fault) = steps.guard_faults.into_iter().next() {
            return Some(fault);
        }
        let properties = reference.properties().into_iter();
        let assumptions: Vec<PropertyId> = properties
            .filter(|(_, kind)| *kind == PropertyKind::Assume)
            .map(|(id, _)| id)
            .collect();
        steps.attempts.into_iter().find_map(|attempt| match attempt.target {
            Err(fault) => Some(fault),
            Ok(target) => assumptions
                .iter()
                .find_map(|&assumption| reference.holds(&target, assumption).err()),
        })
    }

    /// The first atom that cannot be evaluated in a state.
    fn atom_failure(
        &self,
        state: &StateOf<F>,
        instance: &Instance,
    ) -> Option<AtomFailure<VocabularyOf<F>>> {
        let reference = self.system.reference();
        let binding = self.binding(instance);
        let mut atoms = (0..reference.atoms(self.formula)).map(ltl::Atom);
        atoms.find_map(|atom| {
            let value = reference.atom(self.formula, atom, &binding, state, None);
            value.err().map(|failure| AtomFailure { atom, failure })
        })
    }

    /// A concrete lasso in the states of the reference.
    fn run(&self, lasso: &ConcreteLasso) -> Run<VocabularyOf<F>> {
        let stem: Vec<_> = lasso.stem.iter().map(|step| self.step(step)).collect();
        let cycle: Vec<_> = lasso.cycle.iter().map(|step| self.step(step)).collect();
        let end = cycle[0].state.clone();
        Run { stem, cycle, end }
    }

    /// A concrete step in the states of the reference.
    pub(super) fn step(&self, step: &ConcreteStep) -> Step<VocabularyOf<F>> {
        run::poll();
        let state = self.system.state(&step.state);
        let action = step.action.as_ref();
        let action = action.map(|(rule, arguments)| self.system.action(*rule, arguments));
        Step { state, action }
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

/// The verdict with the evidence for it; the search has found that there is some.
pub(super) fn shown<V: Vocabulary>(
    evidence: impl FnOnce() -> Judged<Verdict<V>, V>,
) -> Judged<Verdict<V>, V> {
    stoppable(evidence).unwrap_or_else(|reason| Ok(Verdict::Unknown(Reason::Unjudged(reason))))
}

/// The reason of a search that needs more states than this.
fn limit_of(most: u64) -> StopReason {
    StopReason::States(usize::try_from(most).unwrap_or(usize::MAX))
}

/// A permutation of points as a renaming of index values.
pub(crate) fn renaming(indices: &Indices, by: &Permutation) -> Renaming {
    let sizes = indices.types().map(|of| indices.points_of(of).len());
    let mut images: Vec<Vec<u32>> = sizes.map(|size| vec![0; size]).collect();
    for point in 0..indices.points() {
        let point = point as Point;
        let ((of, k), (_, image)) = (indices.value(point), indices.value(by.image(point)));
        images[of.0 as usize][k as usize] = image;
    }
    Renaming::new(images).expect("a permutation is onto")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Options, check};
    use compile::CompiledModel;
    use model::check_with;
    use run::{Limits, Watch};

    const MODEL: &str = "
        var x: 0..3;
        startstate x := 0 end;
        rule \"up\" x < 3 ==> x := x + 1 end;
        rule \"fail\" x = 2 ==> error \"two\" end;";

    /// The judge accepts a failure that a search reports, but not in another state.
    #[test]
    fn failures_are_judged() {
        for formula in ["G x != 3", "G F 6 / (2 - x) > 0"] {
            let model = check_with(MODEL, &[], &[formula]).expect("a model without errors");
            let system = CompiledModel::new(&model);
            let (asked, options) = (&model.questions[0], Options::default());
            let outcome = check(&system, asked, &options, &Watch::none()).expect("the judge agrees");
            let Verdict::Failed(mut failed) = outcome.verdict else { panic!("{outcome:?}") };
            let question = Question::new(&system, asked, &options, Limits::default());
            let Ok(question) = question else { panic!("a formula that can be asked about") };
            assert_eq!(question.judged_failure(&failed), Ok(()), "{formula}");
            let run = failed.run.as_mut().expect("a run to where it fails");
            run.end = run.stem.pop().expect("the start state does not fail").state;
            let judged = question.judged_failure(&failed);
            assert_eq!(judged, Err(Objection::NothingFails), "{formula}");
        }
    }
}