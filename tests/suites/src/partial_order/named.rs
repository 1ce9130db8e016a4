//! Systems in which one condition of partial-order reduction is needed, the smallest that are known.

use super::systems::{Form, Kind, Rule, System};
use model::checked::Demand;
use model::syntax::{Fairness, Over};

/// A system, and a formula that it violates: a search that leaves out the condition misses that.
pub struct Named {
    /// The condition that is left out.
    pub mutant: &'static str,
    pub system: System,
    /// The formula, in terms of event atoms that stand for `@name` of any process.
    pub stem: &'static [&'static str],
    pub cycle: &'static [&'static str],
    /// The events that are seen.
    pub visible: &'static [&'static str],
    pub demand: Demand,
    /// A formula in place of the word.
    pub formula: Option<&'static str>,
}

const NONE: Demand = Demand { declared: true, ..Demand::NONE };
const WEAK: Demand = Demand { fairness: Fairness::Weak, over: Over::Processes, declared: true };
const STRONG: Demand = Demand { fairness: Fairness::Strong, over: Over::Processes, declared: true };
const WEAK_EVENTS: Demand = Demand { fairness: Fairness::Weak, over: Over::Events, declared: true };
const STRONG_EVENTS: Demand =
    Demand { fairness: Fairness::Strong, over: Over::Events, declared: true };

fn local(name: &'static str, from: usize, to: usize) -> Rule {
    Rule::new(name, from, to, Kind::Local)
}

fn shared(name: &'static str, from: usize, to: usize) -> Rule {
    Rule::new(name, from, to, Kind::Shared)
}

fn reads(name: &'static str, from: usize, to: usize, value: usize) -> Rule {
    Rule { needs: Some(vec![value]), ..shared(name, from, to) }
}

fn sets(name: &'static str, from: usize, to: usize, value: usize) -> Rule {
    Rule { sets: Some(value), ..shared(name, from, to) }
}

fn touch(name: &'static str, from: usize, to: usize, seen: usize) -> Rule {
    Rule { seen: vec![seen], ..Rule::new(name, from, to, Kind::Touch) }
}

fn common(rule: Rule) -> Rule {
    Rule { is_common: true, ..rule }
}

fn fair(rule: Rule) -> Rule {
    Rule { fairness: "fair ", ..rule }
}

/// V goes from 0 to 1 by a and back by b.
fn environment() -> Vec<Rule> {
    vec![sets("a", 2, 3, 1), sets("b", 3, 2, 0)]
}

/// All of them.
#[allow(clippy::too_many_lines, reason = "a table")]
pub fn all() -> Vec<Named> {
    type Word = &'static [&'static str];
    let named = |mutant, programs: Vec<Vec<Rule>>, init: &[usize], words: (Word, Word), visible| {
        let system = System {
            form: Form::Single,
            size: programs.len(),
            programs,
            init: init.to_vec(),
            values: 4,
            shared: 2,
            has_token: false,
            has_flags: false,
            requirements: String::new(),
        };
        let (stem, cycle) = words;
        Named { mutant, system, stem, cycle, visible, demand: NONE, formula: None }
    };
    let under = |demand, one: Named| Named { demand, ..one };
    let with = |requirements: &str, mut one: Named| {
        requirements.clone_into(&mut one.system.requirements);
        one
    };
    let twins = || vec![local("d", 1, 0), local("f", 0, 1), common(local("e", 1, 1))];
    let a: Word = &["a"];
    vec![
        named(
            "no proviso",
            vec![vec![local("d", 0, 1), local("e", 1, 0)], vec![shared("a", 0, 0)]],
            &[0, 0],
            (&[], a),
            a,
        ),
        named(
            "self-loops",
            vec![vec![local("d", 0, 0)], vec![shared("a", 0, 0)]],
            &[0, 0],
            (&[], a),
            a,
        ),
        named(
            "visible events",
            vec![vec![local("b", 0, 1)], vec![local("a", 0, 1)]],
            &[0, 0],
            (&["a", "b"], &[]),
            &["a", "b"],
        ),
        Named {
            formula: Some("!(@a1 U @b1)"),
            ..named(
                "sensitive formula",
                vec![vec![local("d", 0, 1)], vec![local("a", 0, 1), local("b", 1, 2)]],
                &[0, 0],
                (&[], &[]),
                &[],
            )
        },
        named(
            "guards that read what is shared",
            vec![vec![reads("d", 0, 1, 0), local("c", 1, 2)], vec![sets("a", 2, 3, 1)]],
            &[0, 2],
            (a, &[]),
            &["a", "c"],
        ),
        named(
            "enabled rules only",
            vec![vec![local("d", 0, 1), reads("b", 0, 2, 1)], vec![sets("a", 2, 3, 1)]],
            &[0, 2],
            (&["a", "b"], &[]),
            &["a", "b"],
        ),
        named(
            "writers and readers",
            vec![vec![local("d", 0, 1)], vec![touch("a", 2, 3, 0)]],
            &[0, 2],
            (a, &[]),
            a,
        ),
        named(
            "one step only",
            vec![
                vec![local("d", 0, 1), local("e", 0, 2), local("b", 2, 3)],
                vec![local("a", 0, 1)],
            ],
            &[0, 0],
            (&["a", "b"], &[]),
            &["a", "b"],
        ),
        under(
            WEAK,
            named(
                "readers",
                vec![
                    environment(),
                    vec![local("d", 0, 1), reads("c", 1, 0, 0)],
                    vec![
                        reads("e", 2, 2, 0),
                        Rule { seen: vec![1], ..Rule::new("g", 2, 2, Kind::Touch) },
                    ],
                ],
                &[2, 0, 2],
                (&[], &["a", "b", "c"]),
                &["a", "b", "c", "e", "g"],
            ),
        ),
        under(
            STRONG,
            named(
                "readers",
                vec![
                    environment(),
                    vec![local("d", 0, 1), reads("c", 1, 0, 1)],
                    vec![Rule { needs: Some(vec![0]), ..touch("e", 2, 2, 1) }],
                ],
                &[2, 0, 2],
                (&[], &["a", "c", "b"]),
                &["a", "b", "c", "e"],
            ),
        ),
        with(
            "justice: l0 = 0;\n",
            named(
                "declared requirements",
                vec![vec![local("d", 0, 1)], vec![local("a", 0, 0)]],
                &[0, 0],
                (&[], a),
                a,
            ),
        ),
        with(
            "compassion: (l0 = 1, false);\n",
            named(
                "declared requirements",
                vec![vec![local("d", 0, 1)], vec![local("a", 0, 0)]],
                &[0, 0],
                (&[], a),
                a,
            ),
        ),
        Named {
            formula: Some("!(G !(v = 0 & l1 = 1) & G F @a0)"),
            ..named(
                "atoms by their values",
                vec![environment(), vec![local("d", 0, 1)]],
                &[2, 0],
                (&[], &[]),
                &[],
            )
        },
        Named {
            formula: Some("F l0 = 1"),
            ..named(
                "atoms",
                vec![vec![local("d", 0, 1)], vec![local("a", 0, 0)]],
                &[0, 0],
                (&[], &[]),
                &[],
            )
        },
        under(
            WEAK,
            named(
                "enabled in the reduced graph",
                vec![vec![local("d", 0, 1), local("e", 1, 0)], vec![local("a", 0, 0)]],
                &[0, 0],
                (&[], &[]),
                a,
            ),
        ),
        named(
            "C4",
            vec![vec![local("d", 0, 1), fair(shared("c", 1, 0))], vec![local("a", 0, 0)]],
            &[0, 0],
            (&[], a),
            &["a", "c"],
        ),
        under(
            STRONG_EVENTS,
            named(
                "C5",
                vec![
                    environment(),
                    vec![local("d", 0, 1), reads("c", 1, 0, 1), reads("e", 1, 1, 0)],
                ],
                &[2, 0],
                (&[], &["a", "c", "b"]),
                &["a", "b", "c", "e"],
            ),
        ),
        under(WEAK_EVENTS, named("C6", vec![twins(), twins()], &[1, 1], (&[], &[]), &["e"])),
        under(
            WEAK_EVENTS,
            named(
                "C4 and C6",
                vec![
                    vec![common(local("d", 0, 1)), local("c", 1, 1)],
                    vec![common(local("d", 0, 0))],
                ],
                &[0, 0],
                (&[], &[]),
                &["c"],
            ),
        ),
    ]
}
