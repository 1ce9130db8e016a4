//! Why a counterexample is fair, as people and programs read it.
//!
//! For people one line per party while these are few:
//!
//! ```text
//! fair because
//!   client_0  executed in step 7
//!   client_1  disabled before step 6
//! ```
//!
//! If they are many, those with the same reason at the same step share a line; if these are still many, those with
//! the same reason.

use super::console::paint;
use super::numbers::counted;
use super::table::table;
use super::view::{LoadedSystem, PartyOf, View};
use judge::{AllSteps, OwedEvents, Party, Reason, Vocabulary};
use ltl::source::Colour;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::mem::{Discriminant, discriminant};

/// The argument for a run of a system.
type ArgumentOf<L> = judge::Argument<<<L as LoadedSystem>::View as View>::Words>;
/// An obligation that such a run keeps.
type KeptOf<L> = judge::Kept<<<L as LoadedSystem>::View as View>::Words>;

/// More lines are hard to read.
const MOST_LINES: usize = 12;

/// Of the parties that share a line, so many are named, or ranges of them.
const MOST_NAMES: usize = 3;

/// An argument for people; nothing, if no fairness was demanded.
pub(crate) fn block<L: LoadedSystem>(
    loaded: &L,
    argument: &ArgumentOf<L>,
    colour: Colour,
) -> String {
    let lines = lines(loaded, argument);
    if lines.is_empty() {
        return String::new();
    }
    format!("{}\n{}", paint(colour, "1", "fair because"), table(&lines))
}

/// The lines of an argument: each party, and why its obligation is satisfied.
pub(crate) fn lines<L: LoadedSystem>(loaded: &L, argument: &ArgumentOf<L>) -> Vec<Vec<String>> {
    lines_naming(loaded, argument, MOST_NAMES)
}

/// The same lines with the names of all parties.
pub(crate) fn all_lines<L: LoadedSystem>(loaded: &L, argument: &ArgumentOf<L>) -> Vec<Vec<String>> {
    lines_naming(loaded, argument, usize::MAX)
}

fn lines_naming<L: LoadedSystem>(
    loaded: &L,
    argument: &ArgumentOf<L>,
    most: usize,
) -> Vec<Vec<String>> {
    let mut lines = rows(loaded, &argument.kept, most);
    if let Some(all) = argument.all_steps {
        lines.push(vec![all_steps(all)]);
    }
    let has_events = argument.kept.iter().any(|one| matches!(one.party, Party::Event(_)));
    match argument.events {
        OwedEvents::All if !has_events => {
            lines.push(vec!["no event is enabled in the loop".to_owned()]);
        }
        OwedEvents::OfFairRules if !has_events => {
            lines.push(vec!["no fair rule is enabled in the loop".to_owned()]);
        }
        _ => {}
    }
    lines
}

/// `all 12 steps of the 5 states of the loop are taken in it`
fn all_steps(AllSteps { states, steps }: AllSteps) -> String {
    let states = match states {
        1 => "the only state".to_owned(),
        _ => format!("the {states} states"),
    };
    match steps {
        0 => format!("{states} of the loop has no steps"),
        1 => format!("the only step of {states} of the loop is taken in it"),
        _ => format!("all {steps} steps of {states} of the loop are taken in it"),
    }
}

/// What parties have in common that share a line.
#[derive(PartialEq, Eq, Hash)]
struct Common<V: Vocabulary> {
    /// The requirement, of tuples.
    requirement: Option<usize>,
    is_process: bool,
    reason: Discriminant<Reason<V>>,
    /// The step, and whether it is one of a later lap; unless that would make too many lines.
    place: Option<(usize, bool)>,
}

impl<V: Vocabulary> Common<V> {
    fn of(kept: &judge::Kept<V>, is_of_place: bool) -> Self {
        let place = kept.reason.place().filter(|_| is_of_place);
        Common {
            requirement: match kept.party {
                Party::Tuple(k, _) => Some(k),
                Party::Process(_) | Party::Event(_) => None,
            },
            is_process: matches!(kept.party, Party::Process(_)),
            reason: discriminant(&kept.reason),
            place: place.map(|place| (place.position, place.later.is_some())),
        }
    }
}

/// Parties, and why they cannot complain.
fn rows<L: LoadedSystem>(loaded: &L, kept: &[KeptOf<L>], most: usize) -> Vec<Vec<String>> {
    if kept.len() <= MOST_LINES {
        let row = |one: &KeptOf<L>| vec![loaded.party(&one.party), reason(loaded, one)];
        return kept.iter().map(row).collect();
    }
    let mut groups = grouped(kept, true);
    if groups.len() > MOST_LINES {
        groups = grouped(kept, false);
    }
    let row =
        |group: Vec<&KeptOf<L>>| vec![names(loaded, &group, most), shared_reason(loaded, &group)];
    groups.into_iter().map(row).collect()
}

/// Those with something in common together, in the order of the first of each.
fn grouped<V: Vocabulary>(kept: &[judge::Kept<V>], is_of_place: bool) -> Vec<Vec<&judge::Kept<V>>> {
    let mut groups: Vec<Vec<&judge::Kept<V>>> = Vec::new();
    let mut known: HashMap<Common<V>, usize> = HashMap::new();
    for one in kept {
        let k = *known.entry(Common::of(one, is_of_place)).or_insert(groups.len());
        match groups.get_mut(k) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// `executed in step 7`
fn reason<L: LoadedSystem>(loaded: &L, kept: &KeptOf<L>) -> String {
    let later = kept.reason.place().and_then(|place| place.later.as_ref());
    let mut out = at_steps(std::slice::from_ref(&kept));
    if let Some(later) = later {
        let laps = counted(&later.laps.into(), "lap");
        let instead = loaded.party(&later.instead);
        let _ = write!(out, ", {laps} on ({instead} in this lap)");
    }
    out
}

/// `executed in steps 7 to 12, up to 3 laps on`
fn shared_reason<L: LoadedSystem>(loaded: &L, group: &[&KeptOf<L>]) -> String {
    if let [one] = group {
        return reason(loaded, one);
    }
    let laps = group.iter().filter_map(|one| Some(one.reason.place()?.later.as_ref()?.laps)).max();
    let later = laps.map(|most| format!(", up to {} on", counted(&most.into(), "lap")));
    at_steps(group) + &later.unwrap_or_default()
}

/// The reason that all of these have, with the first and the last of their steps.
fn at_steps<V: Vocabulary>(group: &[&judge::Kept<V>]) -> String {
    let steps = group.iter().filter_map(|one| Some(one.reason.place()?.position + 1));
    let (first, last) = (steps.clone().min().unwrap_or(0), steps.max().unwrap_or(0));
    let steps =
        if first == last { format!("step {first}") } else { format!("steps {first} to {last}") };
    match (&group[0].reason, &group[0].party) {
        (Reason::Executed(_), _) => format!("executed in {steps}"),
        (Reason::Disabled(_), _) => format!("disabled before {steps}"),
        (Reason::True(_), _) => format!("true before {steps}"),
        (Reason::Never, Party::Tuple(..)) => "its premise is never true in the loop".to_owned(),
        (Reason::Never, _) => "never enabled in the loop".to_owned(),
    }
}

/// `client_0, client_3 .. client_49`; of many, the first `most`.
fn names<L: LoadedSystem>(loaded: &L, group: &[&KeptOf<L>], most: usize) -> String {
    let mut pieces = Vec::new();
    let mut rest = group;
    while !rest.is_empty() && pieces.len() < most {
        // Two of a row are as short by their names.
        let length = Some(range(loaded, rest)).filter(|&length| length > 2).unwrap_or(1);
        let (first, last) = (&rest[0].party, &rest[length - 1].party);
        pieces.push(match length {
            1 => loaded.party(first),
            _ => format!("{} .. {}", loaded.party(first), loaded.party(last)),
        });
        rest = &rest[length..];
    }
    if !rest.is_empty() {
        pieces.push(format!("and {} more", rest.len()));
    }
    pieces.join(", ")
}

/// How many there are in a row, from the first: they differ in one value, which grows by one.
fn range<L: LoadedSystem>(loaded: &L, group: &[&KeptOf<L>]) -> usize {
    let mut differing = None;
    let steps = group.windows(2).take_while(|pair| {
        let next = loaded.next_in(&pair[0].party, &pair[1].party);
        let is_same = differing.is_none() || next == differing;
        differing = next;
        next.is_some() && is_same
    });
    1 + steps.count()
}

/// A line of an argument for programs.
#[derive(Serialize)]
pub(crate) struct ArgumentEntry {
    /// `weak`, `strong`, `global`, or what is declared.
    requirement: String,
    /// The party of the obligation; empty for a requirement without variables.
    to: Option<String>,
    reason: &'static str,
    step: Option<usize>,
    /// In a later lap, so many on.
    #[serde(skip_serializing_if = "Option::is_none")]
    laps: Option<usize>,
    /// Who has its place in the lap that is written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
    /// Of global fairness: how many states the loop has.
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<usize>,
    /// How many steps these have.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
}

/// An argument for programs; none, if no fairness was demanded.
pub(crate) fn entries<L: LoadedSystem>(
    loaded: &L,
    argument: &ArgumentOf<L>,
) -> Option<Vec<ArgumentEntry>> {
    if argument.is_empty() {
        return None;
    }
    let to = |party: &PartyOf<L::View>| loaded.values(party);
    let kept = argument.kept.iter().map(|one| {
        let place = one.reason.place();
        let later = place.and_then(|place| place.later.as_ref());
        ArgumentEntry {
            requirement: match one.party {
                Party::Tuple(k, _) => loaded.requirement(k),
                _ if one.is_strong => "strong".to_owned(),
                _ => "weak".to_owned(),
            },
            to: to(&one.party),
            reason: match one.reason {
                Reason::Executed(_) => "executed",
                Reason::Disabled(_) => "disabled",
                Reason::True(_) => "true",
                Reason::Never => "never",
            },
            step: place.map(|place| place.position + 1),
            laps: later.map(|later| later.laps),
            instead: later.and_then(|later| to(&later.instead)),
            states: None,
            steps: None,
        }
    });
    let global = argument.all_steps.map(|AllSteps { states, steps }| ArgumentEntry {
        requirement: "global".to_owned(),
        to: None,
        reason: "executed",
        step: None,
        laps: None,
        instead: None,
        states: Some(states),
        steps: Some(steps),
    });
    Some(kept.chain(global).collect())
}
