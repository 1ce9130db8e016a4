//! The answer to a question for one tuple of tracked values: search, find, concretise, validate.

use super::letters::TupleLetters;
use super::{
    AtomFailure, Cause, CheckStatistics, Counterexample, Failed, Method, Misjudged, Question,
    Reason, Rejected, Verdict, Watch,
};
use crate::counterexample::argument::Argument;
use crate::counterexample::judge::{
    Claim, Objection, judge, judge_claim, judge_fairness, judge_laps,
};
use crate::counterexample::renaming::Renaming;
use crate::counterexample::{Run, Step};
use automata::Marks;
use compile::cells::{flatten, state_of};
use engine::concretise::{ConcreteLasso, ConcreteStep, Unfolded, unfold, unfold_path};
use engine::fairness::rules::{Exact, Rules};
use engine::find::{self, AbstractLasso, Scope};
use engine::instances::Instance;
use engine::product::{Product, Reader, Stop, Taken, Touched};
use engine::quotient::{Quotient, Walk};
use engine::search::nested::accepting_cycle;
use engine::search::{self, Acceptance, Active, Graph, Node, Set, accepting_component, nearest};
use engine::symmetry::{Indices, Permutation, Point};
use engine::system::{AtomFault, System as _};
use model::interpret::{Failure, Instance as RuleInstance, Interpreter, State};
use run::Ticker;
use std::time::Instant;
use tracing::field::Empty;

/// What came of one tuple.
#[derive(Debug)]
pub struct Answer {
    /// The answer; that the formula holds is said of this tuple only.
    pub verdict: Verdict,
    /// What the search did; representatives and their edges are counted by `touched`.
    pub statistics: CheckStatistics,
    /// What was needed of the quotient.
    pub touched: Touched,
}

/// A component is accepting if it meets all acceptance sets; the summary is those that it meets.
struct Generalized<'r> {
    reader: &'r Reader,
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

impl Question<'_> {
    /// Searches the product for one tuple of tracked values. The progress is reported to `watch`,
    /// which may stop the search.
    pub fn answer<W: Walk>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Watch<'_>,
    ) -> Result<Answer, Box<Misjudged>> {
        self.answer_by::<W, Exact>(quotient, walk, instance, watch)
    }

    /// The same, but fair components are told by these rules.
    pub fn answer_by<W: Walk, R: Rules>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Watch<'_>,
    ) -> Result<Answer, Box<Misjudged>> {
        let began = Instant::now();
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let watch = Ticker::new(watch);
        let unstored = self.search_unstored(quotient, &mut letters, instance, &watch);
        let points = instance.points.clone();
        let mut product = Product::new(quotient, walk, &self.reader, &mut letters, points);
        let (verdict, touched) = if !self.requirements.is_empty() {
            let mut product = product.with_labels();
            self.answer_fairly::<W, R>(quotient, &mut product, instance, &watch)?
        } else if let Some(unstored) = unstored {
            // What is needed to tell of a path says nothing about the search.
            (self.verdict_unstored(&mut product, unstored, instance)?, Touched::new())
        } else {
            let found = self.search(&mut product, &watch);
            // What it takes to tell of a run is not counted.
            let touched = product.take_touched();
            let starts = product.starts().to_vec();
            let scope = Scope::From(&starts);
            let verdict = match found {
                Ok(None) => Verdict::Holds,
                Ok(Some(component)) => self.violated(&mut product, scope, &component, instance)?,
                Err(stop) => self.stopped(&mut product, stop, scope, instance)?,
            };
            (verdict, touched)
        };
        let done = watch.last();
        let statistics = CheckStatistics {
            instances: 1,
            automaton_states: self.reader.states() as u64,
            product_nodes: done.product_nodes,
            product_edges: done.product_edges,
            components: done.components,
            time: began.elapsed(),
            ..CheckStatistics::default()
        };
        Ok(Answer { verdict, statistics, touched })
    }

    /// The nodes of an accepting component. `watch` keeps what the search has done.
    pub(super) fn search<W: Walk>(
        &self,
        product: &mut Product<'_, W>,
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
        let mut acceptance = Generalized { reader: &self.reader };
        let (found, now) = match self.method {
            Method::Components => accepting_component(product, &mut acceptance, watch)?,
            Method::Nested => {
                let all = self.reader.all_marks();
                let is_marked = |edge: Taken| self.reader.marks_of(edge).contains(all);
                accepting_cycle(product, &is_marked, watch)?
            }
            Method::Bitstate { .. } | Method::Compaction => {
                unreachable!("these do not store their product")
            }
            Method::Prefix => {
                let (found, mut now) = nearest(product, &Product::is_accepted, watch)?;
                let mut component = None;
                if let Some(bad) = found {
                    // Whatever happens now: any cycle will do.
                    let mut rest = search::From::new(product, bad);
                    let (found, more) = accepting_component(&mut rest, &mut acceptance, watch)?;
                    component = found;
                    now.nodes += more.nodes;
                    now.edges += more.edges;
                }
                (component, now)
            }
        };
        watch.keep(now.progress());
        span.record("nodes", now.nodes);
        span.record("edges", now.edges);
        span.record("components", now.components);
        Ok(found)
    }

    /// A counterexample from an accepting component.
    pub(super) fn violated<W: Walk>(
        &self,
        product: &mut Product<'_, W>,
        scope: Scope<'_>,
        component: &[Node],
        instance: &Instance,
    ) -> Result<Verdict, Box<Misjudged>> {
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
            Err(stop) => return self.stopped(product, stop, scope, instance),
        };
        self.concretised(product, &found, instance)
    }

    /// A lasso made concrete and judged.
    pub(super) fn concretised<W: Walk>(
        &self,
        product: &mut Product<'_, W>,
        found: &AbstractLasso,
        instance: &Instance,
    ) -> Result<Verdict, Box<Misjudged>> {
        let span = tracing::debug_span!("counterexample.concretise", steps = Empty);
        let (run, renaming) = span.in_scope(|| {
            let unfolded = unfold(self.system, product, found, self.options.longest_cycle);
            let (lasso, permutation) = match &unfolded {
                Unfolded::Lasso(lasso) => (lasso, None),
                Unfolded::Laps { first, permutation } => (first, Some(permutation)),
            };
            span.record("steps", lasso.stem.len() + lasso.cycle.len());
            let indices = product.structure().indices();
            let renaming = permutation.map(|by| self.renaming(indices, by));
            let mut run = self.run(lasso);
            match &renaming {
                Some(renaming) => run.end = renaming.state(self.system.model(), &run.end),
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

    /// What the judge says: why it is fair, or what is wrong with it.
    fn judged(&self, counterexample: &Counterexample) -> Result<Argument, Objection> {
        let Counterexample { binding, run, renaming, .. } = counterexample;
        let model = self.system.model();
        match renaming {
            None => judge(model, self.formula, binding, run)?,
            Some(renaming) => {
                let most = self.options.longest_cycle;
                judge_laps(model, self.formula, binding, run, renaming, most)?;
            }
        }
        judge_fairness(model, self.demand, run, renaming.as_ref())
    }

    /// A permutation of points in the words of the model.
    pub(super) fn renaming(&self, indices: &Indices, by: &Permutation) -> Renaming {
        let model = self.system.model();
        let mut images: Vec<Vec<u32>> =
            model.types.index_types.iter().map(|of| (0..of.size).collect()).collect();
        for point in 0..indices.points() {
            let point = point as Point;
            let ((of, k), (_, image)) = (indices.value(point), indices.value(by.image(point)));
            images[of.0 as usize][k as usize] = image;
        }
        Renaming::new(images).expect("a permutation is onto")
    }

    /// The verdict of a search that cannot go on: a limit, or something fails, as the judge agrees.
    pub(super) fn stopped<W: Walk>(
        &self,
        product: &mut Product<'_, W>,
        stop: Stop,
        scope: Scope<'_>,
        instance: &Instance,
    ) -> Result<Verdict, Box<Misjudged>> {
        if let Stop::Stopped(reason) = stop {
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
                let end = self.state(&end);
                // What was met is told of the representative: of the state of the run it is told anew.
                let cause = match stop {
                    Stop::Atom(_) => self.atom_failure(&end, instance).map(Cause::Atom),
                    _ => self.failure(&end).map(Cause::Model),
                };
                (Some(Run { stem, cycle: Vec::new(), end }), cause)
            }
            // A start state cannot be made.
            Ok(None) | Err(_) => (None, None),
        };
        let cause = cause.unwrap_or(match stop {
            Stop::Failed(fault) => Cause::Model(self.system.failure(fault)),
            Stop::Atom(AtomFault { atom, fault }) => {
                Cause::Atom(AtomFailure { atom, failure: self.system.failure(fault) })
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

    /// The judge's objection to a failure, if there is one. A start state that cannot be made has no run
    /// that could be judged.
    fn judged_failure(&self, failed: &Failed) -> Result<(), Objection> {
        let Failed { cause, binding, run } = failed;
        let claim = match cause {
            Cause::Model(failure) => {
                Claim::Failure { kind: Some(failure.kind), span: Some(failure.span) }
            }
            Cause::Atom(fails) => {
                Claim::Atom { formula: self.formula, binding, atom: Some(fails.atom) }
            }
        };
        match run {
            Some(run) => judge_claim(self.system.model(), &claim, run).map(|_| ()),
            None => Ok(()),
        }
    }

    /// What fails in the steps of a state, in the words of the interpreter.
    fn failure(&self, state: &State) -> Option<Failure> {
        let model = self.system.model();
        let interpreter = Interpreter::new(model);
        let instances = match interpreter.instances(state) {
            Ok(instances) => instances,
            Err(failure) => return Some(failure),
        };
        let assumptions: Vec<_> = model.assumptions().collect();
        instances.iter().find_map(|instance| match interpreter.fire(state, instance) {
            Err(failure) => Some(failure),
            Ok(outcome) => outcome.target.and_then(|target| {
                assumptions.iter().find_map(|&one| interpreter.holds(&target, one).err())
            }),
        })
    }

    /// The first atom that cannot be evaluated in a state.
    fn atom_failure(&self, state: &State, instance: &Instance) -> Option<AtomFailure> {
        let interpreter = Interpreter::new(self.system.model());
        let (locals, binding) = (&self.formula.locals, self.binding(instance));
        (0..).map(ltl::Atom).zip(&self.formula.atoms).find_map(|(atom, of)| match of {
            model::checked::Atom::State { condition, .. } => interpreter
                .evaluate(condition, locals, &binding, state)
                .err()
                .map(|failure| AtomFailure { atom, failure }),
            _ => None,
        })
    }

    /// A concrete lasso in the words of the interpreter.
    fn run(&self, lasso: &ConcreteLasso) -> Run {
        let stem: Vec<Step> = lasso.stem.iter().map(|step| self.step(step)).collect();
        let cycle: Vec<Step> = lasso.cycle.iter().map(|step| self.step(step)).collect();
        let end = cycle[0].state.clone();
        Run { stem, cycle, end }
    }

    pub(super) fn state(&self, packed: &[u64]) -> State {
        let layout = self.system.layout();
        let mut cells = vec![0; layout.cells()];
        layout.unpack(packed, &mut cells);
        state_of(self.system.model(), &cells)
    }

    pub(super) fn step(&self, step: &ConcreteStep) -> Step {
        let model = self.system.model();
        let interpreter = Interpreter::new(model);
        let state = self.state(&step.state);
        let action = step.action.as_ref().map(|(rule, arguments)| {
            let instances = interpreter.instances_of_rule(&state, *rule as usize);
            let instances = instances.expect("a step that was found has a guard that is true");
            let is_it = |instance: &RuleInstance| {
                let parameters = &model.events[instance.event.event.0 as usize].parameters;
                let mut cells = Vec::new();
                for ((_, of), value) in parameters.iter().zip(&instance.event.arguments) {
                    flatten(&model.types, *of, value, &mut cells);
                }
                cells == *arguments
            };
            let instance = instances.into_iter().find(is_it).expect("the interpreter knows it");
            (instance.process, instance.event)
        });
        Step { state, action }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Options, check};
    use compile::CompiledModel;
    use model::check_with;
    use run::Limits;

    const MODEL: &str = "
        var x: 0..3;
        startstate x := 0 end;
        rule \"up\" x < 3 ==> x := x + 1 end;
        rule \"fail\" x = 2 ==> error \"two\" end;";

    /// What a search reports as failing is accepted; in another state it is not.
    #[test]
    fn failures_are_judged() {
        for formula in ["G x != 3", "G F 6 / (2 - x) > 0"] {
            let model = check_with(MODEL, &[], &[formula]).expect("a model without errors");
            let system = CompiledModel::new(&model);
            let (asked, options) = (&model.questions[0], Options::default());
            let outcome = check(&system, asked, &options, &|_| None).expect("the judge agrees");
            let Verdict::Failed(mut failed) = outcome.verdict else { panic!("{outcome:?}") };
            let question = Question::new(&system, asked, &options, Limits::default());
            let question = question.ok().expect("a formula that can be asked about");
            assert_eq!(question.judged_failure(&failed), Ok(()), "{formula}");
            let run = failed.run.as_mut().expect("a run to where it fails");
            run.end = run.stem.pop().expect("the start state does not fail").state;
            let judged = question.judged_failure(&failed);
            assert_eq!(judged, Err(Objection::NothingFails), "{formula}");
        }
    }
}
