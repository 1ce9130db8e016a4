//! How many questions of each kind were decided, and how: a generator that is too tame shows here.

use super::brute_force::Reference;
use model::checked::{Demand, Formula, Group, Model};
use model::syntax::{Fairness, Over, RuleFairness};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// By kind: how many hold, of these how many only because of fairness, and how many are violated.
#[derive(Default)]
pub struct Tally {
    all: [usize; 3],
    kinds: BTreeMap<String, [usize; 3]>,
}

impl Tally {
    /// Counts a question, of which is known whether it is violated, and whether it would be without fairness.
    pub fn add(&mut self, kinds: Vec<String>, violated: bool, without_fairness: bool) {
        let count = |counts: &mut [usize; 3]| {
            counts[0] += usize::from(!violated);
            counts[1] += usize::from(!violated && without_fairness);
            counts[2] += usize::from(violated);
        };
        count(&mut self.all);
        for kind in kinds {
            count(self.kinds.entry(kind).or_default());
        }
    }

    /// The table.
    pub fn shown(&self) -> String {
        let mut text = format!("{:<42} {:>7} {:>12} {:>9}", "", "hold", "by fairness", "violated");
        let kinds = self.kinds.iter().map(|(kind, counts)| (kind.as_str(), counts));
        for (kind, [holds, by_fairness, violated]) in kinds.chain([("all", &self.all)]) {
            let _ = write!(text, "\n{kind:<42} {holds:>7} {by_fairness:>12} {violated:>9}");
        }
        text
    }

    /// The kinds of which fewer than one in so many questions hold, hold by fairness or are violated.
    pub fn rare(&self, one_in: usize) -> Vec<String> {
        let [holds, _, violated] = self.all;
        let least = (holds + violated) / one_in;
        let mut rare = Vec::new();
        for kind in expected() {
            let counts = self.kinds.get(&kind).copied().unwrap_or_default();
            let [holds, by_fairness, violated] = counts;
            let is_fair = kind != "none";
            if holds < least || violated < least || is_fair && by_fairness < least / 4 {
                rare.push(format!("{kind}: {counts:?}, at least {least} are wanted"));
            }
        }
        rare
    }
}

/// What is demanded, by name.
const NOTIONS: [(&str, Fairness, Over); 6] = [
    ("none", Fairness::None, Over::Processes),
    ("weak, processes", Fairness::Weak, Over::Processes),
    ("weak, events", Fairness::Weak, Over::Events),
    ("strong, processes", Fairness::Strong, Over::Processes),
    ("strong, events", Fairness::Strong, Over::Events),
    ("global", Fairness::Global, Over::Processes),
];

/// What a model may declare.
const DECLARED: [&str; 4] = ["justice", "compassion", "fair rules", "strongly fair rules"];

/// What else may be so; counted only if something is demanded.
const CIRCUMSTANCES: [&str; 11] = [
    "a scalarset",
    "a ring",
    "an undirected ring",
    "two index types",
    "nothing tracked",
    "one index tracked",
    "two indices tracked",
    "an assumption",
    "a deadlock",
    "several start states",
    "a requirement of two indices",
];

/// All kinds.
fn expected() -> Vec<String> {
    let notions = NOTIONS.iter().map(|(notion, ..)| (*notion).to_owned());
    let mixed = NOTIONS.iter().flat_map(|(notion, ..)| {
        // Fair rules add nothing to global fairness.
        let is_global = *notion == "global";
        DECLARED.iter().take(if is_global { 2 } else { 4 }).map(move |one| with(notion, one))
    });
    notions.chain(mixed).chain(CIRCUMSTANCES.map(|one| format!("with {one}"))).collect()
}

fn with(notion: &str, one: &str) -> String {
    format!("{notion} and {one}")
}

/// The kinds of a question.
pub fn kinds(
    reference: &Reference<'_>,
    model: &Model,
    formula: &Formula,
    demand: Demand,
) -> Vec<String> {
    let fits = |one: &&(&str, Fairness, Over)| {
        let is_of_all = matches!(demand.fairness, Fairness::None | Fairness::Global);
        one.1 == demand.fairness && (is_of_all || one.2 == demand.over)
    };
    let (notion, ..) = NOTIONS.iter().find(fits).expect("all notions are there");
    let has_rule = |fairness| model.events.iter().any(|one| one.fairness == Some(fairness));
    let declares = [
        model.requirements.iter().any(|one| one.premise.is_none()),
        model.requirements.iter().any(|one| one.premise.is_some()),
        has_rule(RuleFairness::Weak),
        has_rule(RuleFairness::Strong),
    ];
    let declared: Vec<&str> = DECLARED
        .into_iter()
        .zip(declares)
        .filter(|(_, declares)| demand.declared && *declares)
        .map(|(one, _)| one)
        .collect();
    if declared.is_empty() && *notion == "none" {
        return vec!["none".to_owned()];
    }
    let mut kinds: Vec<String> = declared.iter().map(|one| with(notion, one)).collect();
    if declared.is_empty() {
        kinds.push((*notion).to_owned());
    }
    let has = |group| model.symmetries.iter().any(|one| one.group == group);
    let tracked: usize = formula.tracked.iter().map(|group| group.locals.len()).sum();
    let of_two = model.requirements.iter().any(|one| {
        one.tracked.iter().map(|group| group.locals.len()).sum::<usize>() == 2 && demand.declared
    });
    let circumstances = [
        has(Group::Full),
        has(Group::Rotations),
        has(Group::Dihedral),
        model.symmetries.len() == 2,
        tracked == 0,
        tracked == 1,
        tracked == 2,
        model.assumptions().next().is_some(),
        reference.has_deadlock(),
        model.starts.len() > 1,
        of_two,
    ];
    let true_ones = CIRCUMSTANCES.into_iter().zip(circumstances).filter(|(_, is_so)| *is_so);
    kinds.extend(true_ones.map(|(one, _)| format!("with {one}")));
    kinds
}
