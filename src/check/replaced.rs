//! Searches in which tests replace a part by another one.

use super::{Answer, Judged, Question, Reduced};
use crate::frontend::{FrontEnd, VocabularyOf};
use engine::fairness::rules::{Exact, Rules};
use engine::instances::Instance;
use engine::quotient::{PlainWalk, Quotient, Walk};
use engine::sets::ways::Ways;
use engine::symmetry::Permutation;
use engine::system::Choices;
use run::Report;

impl<'q, F: FrontEnd> Question<'q, F> {
    /// Omits steps by these choices, whether or not that is sound.
    #[must_use]
    pub fn with_choices(mut self, choices: Box<dyn Choices + 'q>) -> Self {
        self.search.choices = Some(choices);
        self.by_partial_order = Reduced::Yes;
        self
    }
}

impl<F: FrontEnd> Question<'_, F> {
    /// Like [`Question::answer`], but with an annotated product over this walk, in which these rules
    /// decide which components are fair.
    pub fn answer_by<W: Walk, R: Rules<Permutation>>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        let searched = self.search.answer_by::<W, R>(quotient, walk, instance, watch);
        self.decided(searched, quotient, instance)
    }

    /// Like [`Question::answer`], but with a plain product over this walk.
    pub fn answer_plainly<W: PlainWalk>(
        &self,
        quotient: &Quotient<'_>,
        walk: W,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        let searched = self.search.answer_plainly(quotient, walk, instance, watch);
        self.decided(searched, quotient, instance)
    }

    /// Like [`Question::answer`], by elimination; these decisions decide which nodes are removed.
    pub fn answer_by_elimination<Y: Ways>(
        &self,
        quotient: &Quotient<'_>,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>> {
        let searched = self.search.answer_by_elimination::<Exact, Y>(quotient, instance, watch);
        self.decided(searched, quotient, instance)
    }

    /// Like [`Question::answer`], by elimination in an annotated product over walks that are made by
    /// this function: each thread has its own. These rules decide which components are fair, and
    /// these decisions which nodes are removed.
    pub fn answer_with<W, M, R, Y>(
        &self,
        quotient: &Quotient<'_>,
        walk: &M,
        instance: &Instance,
        watch: &Report<'_>,
    ) -> Judged<Answer<VocabularyOf<F>>, VocabularyOf<F>>
    where
        W: Walk,
        M: Fn() -> W + Sync,
        R: Rules<Permutation>,
        Y: Ways,
    {
        let searched = self.search.answer_with::<W, M, R, Y>(quotient, walk, instance, watch);
        self.decided(searched, quotient, instance)
    }
}
