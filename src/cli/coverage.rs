//! How often each rule fired, and the rules that never did.
//!
//! A rule that never fires is hardly ever meant: a guard that is always false, a state that is never
//! reached. That it never fires is known only after a search that has expanded every reachable state.

use super::console::Console;
use super::json::Count;
use super::loading::Location;
use super::message::Kind;
use super::numbers::measured;
use super::view::LoadedSystem;
use crate::explore::{Exploration, ViolationKind};
use ltl::{Diagnostic, Span};
use num_bigint::BigUint;
use serde::Serialize;

/// More rules that never fired are counted, and not named one by one.
const MOST_NAMED: usize = 10;

/// What is known about the firings of rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    /// By rule: whether it fired.
    pub(crate) fired: Vec<bool>,
    /// By rule: how many of its instances were executed, if that was counted.
    pub(crate) counts: Option<Vec<BigUint>>,
    /// Whether every reachable state was expanded, and nothing failed there.
    pub(crate) is_complete: bool,
}

/// A rule, and how often it fired.
#[derive(Serialize)]
pub(crate) struct RuleEntry<'a> {
    name: &'a str,
    location: Location<'a>,
    /// None if it was not counted.
    fired: Option<Count<BigUint>>,
}

impl Coverage {
    /// Of an exploration of all states.
    pub(crate) fn of(found: &Exploration) -> Coverage {
        let fails = |kind: &ViolationKind<_>| matches!(kind, ViolationKind::Failure(_));
        Coverage::of_counts(
            found.rules.clone(),
            found.is_exhaustive() && !found.violations.iter().any(|one| fails(&one.kind)),
        )
    }

    /// Of these counts, by rule.
    pub(crate) fn of_counts(counts: Vec<BigUint>, is_complete: bool) -> Coverage {
        let fired = counts.iter().map(|count| *count != BigUint::ZERO).collect();
        Coverage { fired, counts: Some(counts), is_complete }
    }

    /// The numbers of the rules that never fired; none if that is not known.
    pub(crate) fn never(&self) -> Option<Vec<usize>> {
        let all = self.fired.iter().enumerate();
        self.is_complete.then(|| all.filter(|(_, fired)| !**fired).map(|(rule, _)| rule).collect())
    }

    /// The rules that never fired, for JSON.
    pub(crate) fn never_entries<'a>(
        &self,
        loaded: &'a impl LoadedSystem,
    ) -> Option<Vec<RuleEntry<'a>>> {
        Some(self.never()?.into_iter().map(|rule| self.entry(loaded, rule)).collect())
    }

    /// All rules, for JSON.
    pub(crate) fn entries<'a>(&self, loaded: &'a impl LoadedSystem) -> Vec<RuleEntry<'a>> {
        (0..self.fired.len()).map(|rule| self.entry(loaded, rule)).collect()
    }

    fn entry<'a>(&self, loaded: &'a impl LoadedSystem, number: usize) -> RuleEntry<'a> {
        let (name, span) = loaded.rules()[number];
        RuleEntry {
            name,
            location: loaded.place(span).location(),
            fired: self.counts.as_ref().map(|counts| Count(counts[number].clone())),
        }
    }

    /// All rules with their places, and how often each fired.
    pub(crate) fn rows(&self, loaded: &impl LoadedSystem) -> Vec<Vec<String>> {
        let row = |(number, (name, span)): (usize, (&str, Span))| {
            let place = loaded.place(span).location().to_string();
            vec![name.to_owned(), place, self.times(number)]
        };
        loaded.rules().into_iter().enumerate().map(row).collect()
    }

    /// How often a rule fired, as far as that is known.
    pub(crate) fn times(&self, rule: usize) -> String {
        match (&self.counts, self.fired[rule], self.is_complete) {
            (_, false, true) => "never".to_owned(),
            (Some(counts), ..) => measured(&counts[rule]),
            (None, true, _) => "fired".to_owned(),
            (None, false, false) => "not seen".to_owned(),
        }
    }

    /// Warns of the rules that never fired.
    pub(crate) fn warn(&self, loaded: &impl LoadedSystem, console: &Console) {
        let never = self.never().unwrap_or_default();
        let rules = loaded.rules();
        for &rule in never.iter().take(MOST_NAMED) {
            let (name, span) = rules[rule];
            let message = format!("the rule \"{name}\" never fires");
            let diagnostic = Diagnostic::warning(span, message);
            console.diagnose_among(Kind::Advice, &loaded.texts(), &diagnostic);
        }
        if never.len() > MOST_NAMED {
            let more = never.len() - MOST_NAMED;
            console.warn(&format!("{more} more rules never fire; `--coverage` lists all"));
        }
    }
}
