//! A shorter run in place of the one that a search has found first.
//!
//! [`engine::shorten`] searches the unreduced system around the run. The formula is evaluated by its
//! definition on every lasso that is offered, with the atoms that the search has used. None of this is
//! trusted: a shorter run is shown only if the judge accepts it, too.

use super::Shortening;
use super::evidence::{Evidence, Searched};
use super::letters::TupleLetters;
use super::search::Search;
use engine::concretise::{ConcreteLasso, ConcreteStep};
use engine::fairness::knowledge::Knowledge;
use engine::fairness::objects::Objects;
use engine::fairness::requirements::Marker;
use engine::instances::Instance;
use engine::product::{Letters as _, PlainProduct, Product as _, Stop};
use engine::quotient::{PlainWalker, Quotient};
use engine::shorten::shorter;
use engine::symmetry::Reduction;
use hashbrown::HashSet;
use ltl::{Atom, Lasso, Letter};
use run::stoppable;
use tracing::field::Empty;

impl Shortening {
    /// The edges that may be looked at, after a search that has looked at so many, and has found a lasso
    /// of so many steps.
    fn budget(self, searched: u64, steps: usize) -> u64 {
        match self {
            Shortening::Off => 0,
            // The judge takes longer for one step than this takes for some dozens of edges.
            Shortening::Quick => (searched / 8 + 64 * steps as u64).clamp(2_000, 1_000_000),
            Shortening::Thorough => 4_000_000,
        }
    }
}

impl Search<'_> {
    /// The same result, with a shorter run besides if there is one and the budget suffices to find it.
    pub(super) fn shortened(&self, mut searched: Searched, instance: &Instance) -> Searched {
        if self.options.shortening == Shortening::Off {
            return searched;
        }
        let edges = searched.statistics.product_edges;
        if let Evidence::Lasso { lasso, shorter, .. } = &mut searched.evidence {
            let budget = self.options.shortening.budget(edges, lasso.steps());
            let span =
                tracing::debug_span!("counterexample.shorten", before = Empty, steps = Empty);
            let _entered = span.enter();
            span.record("before", lasso.steps());
            // Without time for it, the run that is known will do.
            let found = stoppable(|| self.shorter(lasso, instance, budget));
            *shorter = found.ok().and_then(Result::ok).flatten();
            span.record("steps", shorter.as_ref().unwrap_or(lasso).steps());
        }
        searched
    }

    fn shorter(
        &self,
        lasso: &ConcreteLasso,
        instance: &Instance,
        budget: u64,
    ) -> Result<Option<ConcreteLasso>, Stop> {
        let quotient = Quotient::new(self.system, Reduction::Off);
        let indices = quotient.structure().indices();
        let mut objects = Objects::new(self.system, indices);
        let atoms = if self.requirements.has_declared() {
            self.system.requirement_atoms()
        } else {
            Vec::new()
        };
        let marker = Marker::new(self.system, &self.requirements, &atoms, &mut objects);
        let removed = HashSet::new();
        let points = indices.points();
        let mut knowledge = Knowledge::new(&self.requirements, marker, objects, &removed, points);
        let mut letters = TupleLetters::new(&*self.atoms, instance);
        let walker = PlainWalker::new(&quotient);
        let tracked = instance.points.clone();
        let mut product = PlainProduct::new(&quotient, walker, &self.reader, &mut letters, tracked);
        let mut own = TupleLetters::new(&*self.atoms, instance);
        let first = lasso.stem.first().unwrap_or(&lasso.cycle[0]);
        let Some(first) = quotient.representative_of(&first.state) else { return Ok(None) };
        let start = product.meet(first, &instance.points, self.reader.initial())?;
        let known = ((lasso, start), self.reader.all_marks());
        let limits = (budget, self.options.longest_cycle);
        shorter(&mut product, &mut knowledge, known, limits, &mut |lasso| {
            self.is_violation(lasso, &mut own, instance)
        })
    }

    /// Whether a lasso does not satisfy the formula.
    fn is_violation(
        &self,
        lasso: &ConcreteLasso,
        letters: &mut TupleLetters<'_>,
        instance: &Instance,
    ) -> bool {
        let mut read = |steps: &[ConcreteStep]| -> Option<Vec<Letter>> {
            let letter = |step: &ConcreteStep| {
                let mut letter = letters.of_state(&step.state, &instance.points).ok()?;
                if let Some((rule, arguments)) = &step.action {
                    letter |= letters.of_step(*rule, arguments, &instance.points);
                }
                Some((0..u64::BITS).filter(|bit| letter >> bit & 1 == 1).map(Atom).collect())
            };
            steps.iter().map(letter).collect()
        };
        let (Some(stem), Some(cycle)) = (read(&lasso.stem), read(&lasso.cycle)) else {
            return false;
        };
        let (formulas, root) = self.syntax;
        Lasso::new(stem, cycle).is_some_and(|word| !word.satisfies(formulas, root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Options, Question};
    use compile::CompiledModel;
    use judge::Objection;
    use model::check_with;
    use run::Limits;
    use std::collections::BTreeMap;
    use terms::{Demand, Fairness, Over};

    /// Clients that may turn on the spot, so that there are steps that only fairness needs.
    const CLIENTS: &str = "
        type client: scalarset(2);
        var at: array [client] of 0..2; door: boolean;
        startstate for c: client do at[c] := 0 end; door := false end;
        process c: client do
          rule \"ask\" at[c] = 0 ==> at[c] := 1 end;
          rule \"turn\" at[c] = 1 ==> at[c] := 1 end;
          rule \"enter\" at[c] = 1 & door ==> at[c] := 2 end;
          rule \"leave\" at[c] = 2 ==> at[c] := 0 end;
        end;
        rule \"open\" !door ==> door := true end;
        rule \"shut\" door ==> door := false end;";

    const FORMULAS: [&str; 5] = [
        "forall c: client. G (at[c] = 1 -> F at[c] = 2)",
        "forall c: client. G !(at[c] = 2 & F at[c] = 0)",
        "forall c: client. F G at[c] != 1",
        "G F !door",
        "forall c: client. G !@turn(c)",
    ];

    /// The shortener without one of the steps: the judge must object, whichever it is, unless nothing
    /// was needed. These systems are so small that the shortest run is found, so every step is.
    #[test]
    fn a_run_without_a_step_that_it_needs_is_rejected() {
        let mut objections: BTreeMap<&str, usize> = BTreeMap::new();
        let model = check_with(CLIENTS, &[], &FORMULAS).expect("a model without errors");
        let system = CompiledModel::new(&model);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global] {
            for (formula, over) in
                model.questions.iter().zip([Over::Events, Over::Processes].iter().cycle())
            {
                let demand = Demand { fairness, over: *over, declared: false };
                let shortening = Shortening::Thorough;
                let options = Options { shortening, demand, ..Options::default() };
                let question = Question::new(&system, formula, &options, Limits::default());
                let Ok(question) = question else { panic!("a formula that can be asked about") };
                let quotient = Quotient::new(&system, options.reduction);
                let instance = question.instances(quotient.structure().indices()).next();
                let instance = instance.expect("a tuple");
                let searched = question.search.answer(&quotient, &instance, &|_| None);
                let Evidence::Lasso { lasso, shorter, .. } = searched.evidence else { continue };
                let lasso = shorter.unwrap_or(lasso);
                assert!(question.violated(&lasso, None, &instance).is_ok(), "the judge agrees");
                for k in 0..lasso.steps() {
                    let mut mutant = lasso.clone();
                    match k.checked_sub(lasso.stem.len()) {
                        None => drop(mutant.stem.remove(k)),
                        Some(k) if lasso.cycle.len() > 1 => drop(mutant.cycle.remove(k)),
                        Some(_) => continue,
                    }
                    let judged = question.violated(&mutant, None, &instance);
                    let objection = judged.expect_err("every step is needed").objection;
                    *objections.entry(kind(&objection)).or_default() += 1;
                }
            }
        }
        for kind in ["no step", "satisfied", "unfair"] {
            assert!(objections.contains_key(kind), "{kind} is among {objections:?}");
        }
    }

    fn kind<V: judge::Vocabulary>(objection: &Objection<V>) -> &'static str {
        match objection {
            Objection::Satisfied => "satisfied",
            Objection::Unfair { .. } => "unfair",
            Objection::NotAStep { .. } | Objection::NotAStart => "no step",
            _ => "other",
        }
    }
}
