//! Notions of fairness, told apart: for any two of them, unless the one demands all that the other does, a property
//! that needs what only the other demands.
//!
//! Each verdict is that of the checker, with symmetry and without, and of brute force where the model is small.
#![allow(clippy::print_stderr, reason = "tables are for the reader of the test's output")]

use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::{Options, Reason, Verdict, check};
use model::Definition;
use model::checked::{Demand, Formula};
use model::syntax::{Fairness, Over};
use suites::fairness::brute_force::{Reference, violates};
use support::headers::{self, Fixture};

const NOTIONS: [(&str, Demand); 7] = [
    ("none", Demand::NONE),
    ("weak", Demand { fairness: Fairness::Weak, ..Demand::NONE }),
    ("strong", Demand { fairness: Fairness::Strong, ..Demand::NONE }),
    ("weak, events", Demand { fairness: Fairness::Weak, over: Over::Events, declared: false }),
    ("strong, events", Demand { fairness: Fairness::Strong, over: Over::Events, declared: false }),
    ("declared", Demand { declared: true, ..Demand::NONE }),
    ("global", Demand { fairness: Fairness::Global, ..Demand::NONE }),
];

/// Which notion demands all that which other one does, whatever the model. (All do, if the other is none.)
const DEMANDS_ALL_OF: [(&str, &str); 6] = [
    ("strong", "weak"),
    ("strong, events", "weak, events"),
    ("global", "weak"),
    ("global", "strong"),
    ("global", "weak, events"),
    ("global", "strong, events"),
];

/// The same, in models whose events have one owner each.
const DEMANDS_ALL_OF_IF_OWNED: [(&str, &str); 2] =
    [("strong, events", "weak"), ("strong, events", "strong")];

/// The model in which an event has two owners.
const TWO_OWNERS: &str = "one_event_two_owners";

/// A fixture, a constant, a property, and whether it holds (`+`) or is violated (`-`), by notion.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// Brute force looks at no more states.
const SMALL: usize = 300;

//                                                      weak  events declared
//                                                   none | strong |  |  | global
#[rustfmt::skip]
const ROWS: [Row; 31] = [
    ("peterson", "N=2", "access",                       "- + + + + - +"),
    ("two_tools", "", "everyone works",                 "- + + - + - +"),
    (TWO_OWNERS, "", "right moves",                     "- + + - - - +"),
    ("producers_consumers", "", "delivered",            "- - + - + - +"),
    ("readers_writers", "", "writers write",            "- - + - + - +"),
    ("readers_writers", "", "readers read",             "- - - - - - +"),
    ("resource_controller", "", "eventual access",      "- - - - + - +"),
    ("resource_simple", "", "eventual access",          "- - - - - - +"),
    // What rules, justice and compassion say.
    ("fair_rules", "", "everyone waits",                "- - - + + - +"),
    ("fair_rules", "", "everyone rings",                "- - - + + + +"),
    ("fair_rules", "", "everyone looks in",             "- - - - + - +"),
    ("fair_rules", "", "everyone enters",               "- - - - + + +"),
    ("fair_rules", "", "the door moves",                "- + + + + - +"),
    ("mux_sem", "COMPASSION=0", "access",               "- - + - + - +"),
    ("mux_sem", "COMPASSION=1", "access",               "- - + - + + +"),
    ("six_states", "", "settles",                       "- - - - - + -"),
    ("six_states", "", "never settles",                 "- - - + + - +"),
    // Population protocols.
    ("token_circulation", "N=3", "one token",           "+ + + + + + +"),
    ("token_circulation", "N=4", "one token",           "- - - - - - +"),
    ("token_circulation", "N=5", "one token",           "- - - - - - +"),
    ("leader_detector_ring", "N=3", "one leader",       "- - - - - - +"),
    ("leader_detector_ring", "N=4", "one leader",       "- - - - - - +"),
    ("leader_detector_complete", "N=3", "one leader",   "- - - + + - +"),
    ("leader_detector_complete", "N=4", "one leader",   "- - - + + - +"),
    ("leader_odd_ring", "N=3", "one leader",            "- - - - - - +"),
    ("orienting", "N=3", "distinct ends",               "- - - - - - +"),
    ("orienting", "N=3", "oriented",                    "- - - - - - +"),
    ("two_hop_colouring", "N=3", "coloured",            "- - - - - - +"),
    ("polite_philosophers", "", "no starvation",        "- - - - - - +"),
    ("german", "", "served",                            "- - - - + - +"),
    ("mcs_lock_stepwise", "", "access",                 "- + + + + - +"),
];

#[test]
fn notions_are_told_apart() {
    let fixtures = headers::fixtures();
    let mut faults = Vec::new();
    let found: Vec<Found> = ROWS
        .iter()
        .map(|row| {
            let fixture = fixtures.iter().find(|one| one.name == row.0).expect("a fixture");
            verdicts(fixture, row, &mut faults)
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let by_brute_force = found.iter().filter(|one| one.is_small).count();
    assert!(by_brute_force > 15, "only {by_brute_force} models are small");

    for (a, (one, _)) in NOTIONS.iter().enumerate() {
        for (b, (other, _)) in NOTIONS.iter().enumerate().filter(|(b, _)| *b != a) {
            // That nothing is declared is no difference between what is declared and others.
            let is_about_declared = [*one, *other].contains(&"declared");
            let tellers: Vec<&Row> = ROWS
                .iter()
                .zip(&found)
                .filter(|(_, found)| !found.holds[a] && found.holds[b])
                .filter(|(_, found)| found.declares || !is_about_declared)
                .map(|(row, _)| row)
                .collect();
            let owned = tellers.iter().find(|row| row.0 != TWO_OWNERS);
            match owned.or(tellers.first()) {
                Some((model, _, property, _)) => {
                    eprintln!("{one:>14} is not {other:<14}: {model} \"{property}\"");
                }
                None => eprintln!("{one:>14} is also {other}"),
            }
            let demands_all = *other == "none" || DEMANDS_ALL_OF.contains(&(*one, *other));
            let if_owned = DEMANDS_ALL_OF_IF_OWNED.contains(&(*one, *other));
            assert_eq!(tellers.is_empty(), demands_all, "{one}, {other}: {tellers:?}");
            assert_eq!(owned.is_none(), demands_all || if_owned, "{one}, {other}: {owned:?}");
        }
    }
}

/// What everybody agrees on about a property.
struct Found {
    /// By notion.
    holds: Vec<bool>,
    /// Whether brute force agrees, too.
    is_small: bool,
    /// Whether its model declares anything.
    declares: bool,
}

/// The verdicts about a property, with whoever does not say what is expected among the faults.
fn verdicts(fixture: &Fixture, row: &Row, faults: &mut Vec<String>) -> Found {
    let (_, constant, name, expected) = row;
    let definition = constant
        .split_once('=')
        .map(|(name, value)| Definition { name: name.to_owned(), value: value.to_owned() });
    let model = fixture.model(&Vec::from_iter(definition));
    let formula = model.formulas.iter().find(|one| one.name.as_deref() == Some(name));
    let formula = formula.unwrap_or_else(|| panic!("{row:?}: no such property"));
    let reference = Reference::new(&model, SMALL);
    let system = CompiledModel::new(&model);
    let mut all = Vec::new();
    for ((notion, demand), expected) in NOTIONS.into_iter().zip(expected.split(' ')) {
        let mut said: Vec<bool> = [Reduction::Canonical, Reduction::Off]
            .map(|reduction| {
                holds(&system, formula, Options { reduction, demand, ..Options::default() })
            })
            .to_vec();
        if let Some(reference) = &reference {
            said.push(!violates(reference, formula, demand).expect("nothing fails"));
        }
        if said.iter().any(|&holds| holds != (expected == "+")) {
            faults.push(format!("{row:?} {notion}: {said:?}"));
        }
        all.push(said[0]);
    }
    let shown: Vec<&str> = all.iter().map(|&holds| if holds { "+" } else { "-" }).collect();
    let title = format!("{} {constant} \"{name}\"", row.0);
    let size = if reference.is_some() { "by brute force, too" } else { "" };
    eprintln!("{title:<50} {}  {size}", shown.join(" "));
    let is_fair = model.events.iter().any(|one| one.fairness.is_some());
    Found {
        holds: all,
        is_small: reference.is_some(),
        declares: is_fair || !model.requirements.is_empty(),
    }
}

fn holds(system: &CompiledModel<'_>, formula: &Formula, options: Options) -> bool {
    let found = check(system, formula, &options, &isonomy::Watch::none());
    match found.unwrap_or_else(|wrong| panic!("{wrong:?} {options:?}")).verdict {
        Verdict::Holds => true,
        // That is known, too: only the run is too long to be told.
        Verdict::Violated(_) | Verdict::Unknown(Reason::LargeComponent(_)) => false,
        other => panic!("{other:?} {options:?}"),
    }
}
