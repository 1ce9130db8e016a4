//! The answer to a question for one tuple of tracked values: what the search has found, translated to
//! the front end's own states and shown to the judge.

use super::evidence::{Evidence, Failing, PackedPath, Searched};
use super::{
    AtomFailure, Cause, CheckStatistics, Counterexample, Failed, Judged, Method, Misjudged,
    Question, Reason, Rejected, Report, Verdict,
};
use crate::frontend::{FaultOf, FrontEnd, StateOf, VocabularyOf};
use engine::concretise::{ConcreteLasso, ConcreteStep};
use engine::instances::Instance;
use engine::product::Touched;
use engine::quotient::Quotient;
use engine::symmetry::{Indices, Permutation, Point};
use engine::system::AtomFault;
use judge::{
    Action, Argument, Claim, Objection, Reference as _, Renaming, Run, Step, Vocabulary, judge,
    judge_claim, judge_fairness, judge_laps,
};
use model::reference::ModelVocabulary;
use run::stoppable;
use terms::{PropertyId, PropertyKind};

/// The result of a search for one tuple.
#[derive(Debug)]
pub struct Answer<V: Vocabulary = ModelVocabulary> {
    /// The verdict; [`Verdict::Holds`] is about this tuple only.
    pub verdict: Verdict<V>,
    /// How the product was searched.
    pub method: Method,
    /// The statistics of the search; representatives and their edges are counted by `touched`.
    pub statistics: CheckStatistics,
    /// The representatives and edges of the quotient that the search needed.
    pub touched: Touched,
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
        self.decided(self.search.answer(quotient, instance, watch), quotient, instance)
    }

    /// The same, when all threads are there for this one tuple.
    pub(super) fn answer_together(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        self.decided(self.search.answer_together(quotient, instance, watch), quotient, instance)
    }

    /// The answer from what a search has found.
    pub(super) fn decided(
        &self,
        searched: Searched,
        quotient: &Quotient<'_>,
        instance: &Instance,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        let Searched { evidence, method, statistics, touched } = searched;
        let verdict = match evidence {
            Evidence::Holds => Verdict::Holds,
            Evidence::Unknown(reason) => Verdict::Unknown(reason),
            Evidence::Lasso { lasso, renaming, shorter } => {
                let shorter = shorter.and_then(|shorter| self.shorter(&shorter, instance));
                match shorter {
                    // One run is enough. Tests judge the other one, too.
                    Some(verdict) if !cfg!(feature = "testing") => verdict,
                    shorter => {
                        let verdict = shown(|| self.violated(&lasso, renaming, instance))?;
                        shorter.unwrap_or(verdict)
                    }
                }
            }
            Evidence::Component(found) => {
                let indices = quotient.structure().indices();
                shown(|| self.told(&found, indices, instance))?
            }
            Evidence::Failed { failing, path } => {
                shown(|| self.failed(failing, path.as_ref(), instance))?
            }
        };
        Ok(Answer { verdict, method, statistics, touched })
    }

    /// The verdict with a lasso, or with the first lap of one, if the judge accepts it.
    pub(super) fn violated(
        &self,
        lasso: &ConcreteLasso,
        renaming: Option<Renaming>,
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        let mut run = self.run(lasso);
        match &renaming {
            Some(renaming) => {
                run.end = self.system.reference().renamed_state(renaming, &run.end);
            }
            None => run.roll(),
        }
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

    /// The verdict with a shorter lasso, if the judge accepts it.
    fn shorter(
        &self,
        lasso: &ConcreteLasso,
        instance: &Instance,
    ) -> Option<Verdict<VocabularyOf<F>>> {
        match stoppable(|| self.violated(lasso, None, instance)) {
            Ok(Ok(verdict)) => Some(verdict),
            // The longer run is a counterexample all the same, but tests want to know.
            Ok(Err(misjudged)) if cfg!(feature = "testing") => {
                panic!("a shortened run is rejected: {:?}", misjudged.objection)
            }
            Ok(Err(misjudged)) => {
                tracing::warn!(objection = ?misjudged.objection, "a shortened run is rejected");
                None
            }
            Err(_) => None,
        }
    }

    /// The verdict with a failure, if the judge confirms it.
    fn failed(
        &self,
        failing: Failing,
        path: Option<&PackedPath>,
        instance: &Instance,
    ) -> Judged<Verdict<VocabularyOf<F>>, VocabularyOf<F>> {
        let run = path.map(|(stem, end)| Run {
            stem: stem.iter().map(|step| self.step(step)).collect(),
            cycle: Vec::new(),
            end: self.system.state(end),
        });
        // The failure was found in the representative: it is determined again in the state of the run.
        let cause = run.as_ref().and_then(|run| match failing {
            Failing::Atom(_) => self.atom_failure(&run.end, instance).map(Cause::Atom),
            Failing::Model(_) => self.failure(&run.end).map(Cause::Model),
        });
        let cause = cause.unwrap_or_else(|| match failing {
            Failing::Model(fault) => Cause::Model(self.system.explain(fault)),
            Failing::Atom(AtomFault { atom, fault }) => {
                Cause::Atom(AtomFailure { atom, failure: self.system.explain(fault) })
            }
        });
        let failed = Failed { cause, binding: self.binding(instance), run };
        match self.judged_failure(&failed) {
            Ok(()) => Ok(Verdict::Failed(Box::new(failed))),
            Err(objection) => {
                Err(Box::new(Misjudged { found: Rejected::Failure(failed), objection }))
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
        Step { state, action: self.action(step.action.as_ref()) }
    }

    /// The owner and the event of a step; none of a stutter.
    pub(super) fn action(
        &self,
        action: Option<&(u32, Vec<i64>)>,
    ) -> Option<Action<VocabularyOf<F>>> {
        run::poll();
        action.map(|(rule, arguments)| self.system.action(*rule, arguments))
    }
}

/// The verdict with the evidence for it; the search has found that there is some.
fn shown<V: Vocabulary>(evidence: impl FnOnce() -> Judged<Verdict<V>, V>) -> Judged<Verdict<V>, V> {
    stoppable(evidence).unwrap_or_else(|reason| Ok(Verdict::Unknown(Reason::Unjudged(reason))))
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
            let outcome =
                check(&system, asked, &options, &Watch::none()).expect("the judge agrees");
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
