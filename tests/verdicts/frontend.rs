//! A front end that is no model: a token ring in plain Rust, checked under every notion of fairness,
//! with and without symmetry, beside the same ring in the model language.
//!
//! Verdicts, counts and runs must be equal to those of the model: the engine sees the same packed
//! states in the same order. Every counterexample has been judged by the ring's own reference.

mod ring;

use compile::CompiledModel;
use engine::explore::Deadlock;
use engine::symmetry::Reduction;
use isonomy::check::states::{self, check_states};
use isonomy::check::{Cause, Counterexample, Engine, Options, Outcome, Verdict, check};
use isonomy::explore::{self, explore};
use isonomy::frontend::FrontEnd as _;
use judge::Vocabulary;
use model::checked::Model;
use model::{Definition, check_with};
use ring::{Claim, Declared, Ring, Words};
use terms::{Demand, Fairness, Group, Over, PropertyId, RuleFairness};

/// The ring as a model.
fn text(options: ring::Options) -> String {
    let ring::Options { stations, declared, fails, assumes } = options;
    let fair = match declared {
        Declared::FairEnter(RuleFairness::Weak) => "fair",
        Declared::FairEnter(RuleFairness::Strong) => "strongly fair",
        _ => "",
    };
    let requirement = match declared {
        Declared::Justice => "justice \"rest\": forall s: station. at[s] = Rests;",
        Declared::Compassion => {
            "compassion \"turn\": forall s: station. (token = s & at[s] = Wants, at[s] = Works);"
        }
        _ => "",
    };
    let leave =
        if fails { "if at[next(s)] = Wants then error \"it cannot leave\" end;" } else { "" };
    let assumption = if assumes { "assume exists s: station do at[s] != Wants end;" } else { "" };
    format!(
        "type station: ring({stations});
         var token: station; at: array [station] of enum {{ Rests, Wants, Works }};
         ruleset t: station do
           startstate token := t; for s: station do at[s] := Rests end end
         end;
         process s: station do
           rule \"ask\" at[s] = Rests ==> at[s] := Wants end;
           {fair} rule \"enter\" at[s] = Wants & token = s ==> at[s] := Works end;
           rule \"leave\" at[s] = Works ==> {leave} at[s] := Rests end;
           rule \"pass\" token = s & at[s] != Works ==> token := next(s) end;
         end;
         invariant \"exclusion\" forall s: station do forall t: station do
           at[s] = Works & at[t] = Works -> s = t end end;
         liveness \"work\" exists s: station do at[s] = Works end;
         {assumption}
         {requirement}"
    )
}

/// Formulas of both: for the ring with the number of its variables, and for the model.
const FORMULAS: [(&str, usize, &str); 9] = [
    ("G (wants_c -> F works_c)", 1, "forall c: station. G (at[c] = Wants -> F at[c] = Works)"),
    ("G F somebody_works", 0, "G F (exists s: station do at[s] = Works end)"),
    ("G (enters_c -> F leaves_c)", 1, "forall c: station. G (@enter(c) -> F @leave(c))"),
    ("G F passes_c", 1, "forall c: station. G F @pass(c)"),
    ("G F moves_c", 1, "forall c: station. G F @by(c)"),
    (
        "G !(works_c & works_d)",
        2,
        "forall distinct c, d: station. G !(at[c] = Works & at[d] = Works)",
    ),
    (
        "G (wants_c -> !works_d U works_c)",
        2,
        "forall distinct c, d: station. G (at[c] = Wants -> (at[d] != Works) U (at[c] = Works))",
    ),
    ("F G rests_c", 1, "forall c: station. F G at[c] = Rests"),
    ("G F rests_c", 1, "forall c: station. G F at[c] = Rests"),
];

const DEMANDS: [Demand; 7] = [
    Demand::NONE,
    Demand { fairness: Fairness::Weak, ..Demand::NONE },
    Demand { fairness: Fairness::Strong, ..Demand::NONE },
    Demand { fairness: Fairness::Weak, over: Over::Events, declared: false },
    Demand { fairness: Fairness::Strong, over: Over::Events, declared: false },
    Demand { declared: true, ..Demand::NONE },
    Demand { fairness: Fairness::Global, ..Demand::NONE },
];

fn ring_options(stations: u32, declared: Declared) -> ring::Options {
    ring::Options { stations, declared, fails: false, assumes: false }
}

fn model_of(options: ring::Options) -> Model {
    let formulas: Vec<&str> = FORMULAS.iter().map(|(_, _, formula)| *formula).collect();
    let definitions: &[Definition] = &[];
    check_with(&text(options), definitions, &formulas).expect("the ring is a model")
}

/// A verdict in one word.
fn word<V: Vocabulary>(verdict: &Verdict<V>) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Failed(_) => "failed",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The lengths of a run: of the stem, of the cycle, and whether that is a lap or a component.
fn lengths<V: Vocabulary>(found: &Counterexample<V>) -> (usize, usize, bool, bool) {
    let Counterexample { run, renaming, component, .. } = found;
    (run.stem.len(), run.cycle.len(), renaming.is_some(), component.is_some())
}

/// All that must be the same of two outcomes.
fn figures<V: Vocabulary>(outcome: &Outcome<V>) -> String {
    let Outcome { verdict, method, statistics, warnings } = outcome;
    let run = match verdict {
        Verdict::Violated(found) => Some(lengths(found)),
        _ => None,
    };
    let counts = (
        (statistics.instances, statistics.automaton_states, statistics.representatives),
        (statistics.edges, statistics.product_nodes, statistics.product_edges),
    );
    format!("{} {method:?} {counts:?} {run:?} {warnings:?}", word(verdict))
}

/// Asks both, and compares; whether it holds.
fn compare(ring: &Ring, model: &Model, formula: usize, options: &Options) -> bool {
    let (claim, variables, _) = FORMULAS[formula];
    let claim = Claim::new(claim, variables);
    let found = check(ring, &claim, options, &isonomy::Watch::none()).expect("the judge agrees");
    let system = CompiledModel::new(model);
    let expected = check(&system, &model.questions[formula], options, &isonomy::Watch::none());
    let expected = expected.expect("the judge agrees");
    assert_eq!(figures(&found), figures(&expected), "{claim:?} {options:?}");
    if let Verdict::Violated(found) = &found.verdict {
        judged_anew(ring, &claim, options, found);
    }
    matches!(found.verdict, Verdict::Holds)
}

/// Judges a counterexample once more, and sees that an altered one is rejected.
fn judged_anew(ring: &Ring, claim: &Claim, options: &Options, found: &Counterexample<Words>) {
    let reference = ring.reference();
    let Counterexample { binding, run, renaming, component, argument } = found;
    if component.is_some() || renaming.is_some() {
        return;
    }
    judge::judge(reference, claim, binding, run).expect("it is accepted again");
    let again = judge::judge_fairness(reference, options.demand, run, None);
    assert_eq!(again.as_ref(), Ok(argument));
    let mut altered = run.clone();
    altered.end.token = (altered.end.token + 1) % 3;
    judge::judge(reference, claim, binding, &altered).expect_err("the cycle is open");
}

#[test]
fn a_ring_in_rust_is_checked_as_its_model_is() {
    let all = [
        Declared::Nothing,
        Declared::FairEnter(RuleFairness::Weak),
        Declared::FairEnter(RuleFairness::Strong),
        Declared::Justice,
        Declared::Compassion,
    ];
    let mut verdicts = [0, 0];
    for declared in all {
        for stations in [3, 4] {
            let of_ring = ring_options(stations, declared);
            let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
            for formula in 0..FORMULAS.len() {
                for demand in DEMANDS {
                    for reduction in [Reduction::Off, Reduction::Canonical, Reduction::Sorted] {
                        if demand.fairness == Fairness::Global && reduction == Reduction::Sorted {
                            continue;
                        }
                        let options = Options { demand, reduction, ..Options::default() };
                        let holds = compare(&ring, &model, formula, &options);
                        verdicts[usize::from(holds)] += 1;
                    }
                }
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 300), "{verdicts:?}");
}

/// What is known of the first formula, whatever the model says.
#[test]
fn access_needs_the_right_fairness() {
    let of_ring = ring_options(3, Declared::Compassion);
    let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
    for reduction in [Reduction::Off, Reduction::Canonical] {
        let holds = DEMANDS.map(|demand| {
            compare(&ring, &model, 0, &Options { demand, reduction, ..Options::default() })
        });
        // A station that wants and has the token may pass it on, unless fairness is strong over
        // events or global. The declared compassion alone does not make others pass the token.
        assert_eq!(holds, [false, false, false, false, true, false, true], "{reduction:?}");
    }
}

#[test]
fn every_engine_and_any_number_of_threads_say_the_same() {
    let of_ring = ring_options(4, Declared::Nothing);
    let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
    for engine in [Engine::Auto, Engine::Components, Engine::Nested] {
        for threads in [1, 3] {
            for formula in 0..FORMULAS.len() {
                let options = Options { engine, threads, ..Options::default() };
                compare(&ring, &model, formula, &options);
            }
        }
    }
}

#[test]
fn long_cycles_are_laps_or_components() {
    let of_ring = ring_options(4, Declared::Nothing);
    let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
    let mut seen = [0, 0];
    for demand in DEMANDS {
        for (formula, &(claim, variables, _)) in FORMULAS.iter().enumerate() {
            let options = Options { demand, longest_cycle: 3, ..Options::default() };
            compare(&ring, &model, formula, &options);
            let claim = Claim::new(claim, variables);
            let outcome =
                check(&ring, &claim, &options, &isonomy::Watch::none()).expect("the judge agrees");
            if let Verdict::Violated(found) = outcome.verdict {
                seen[0] += usize::from(found.renaming.is_some());
                seen[1] += usize::from(found.component.is_some());
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn states_are_checked_and_explored() {
    for assumes in [false, true] {
        let of_ring = ring::Options { assumes, ..ring_options(5, Declared::Nothing) };
        let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
        let system = CompiledModel::new(&model);
        for symmetry in [Reduction::Off, Reduction::Canonical] {
            let options = states::Options {
                properties: vec![PropertyId(0), PropertyId(1)],
                deadlock: Deadlock::Stuck,
                symmetry,
                most_states: None,
                threads: 2,
            };
            let found = check_states(&ring, &options, &isonomy::Watch::none());
            let expected = check_states(&system, &options, &isonomy::Watch::none());
            assert_eq!(found.progress, expected.progress);
            assert_eq!(found.answers.len(), 3);
            assert!(found.answers.iter().all(|one| matches!(one.verdict, states::Verdict::Holds)));
            let options = explore::Options { symmetry, ..explore::Options::default() };
            let (found, expected) = (
                explore(&ring, &options, &isonomy::Watch::none()),
                explore(&system, &options, &isonomy::Watch::none()),
            );
            assert_eq!(found.full, expected.full);
            assert_eq!(found.quotient, expected.quotient);
        }
    }
}

#[test]
fn faults_are_found_and_judged() {
    let of_ring = ring::Options { fails: true, ..ring_options(3, Declared::Nothing) };
    let (ring, model) = (Ring::new(of_ring), model_of(of_ring));
    let system = CompiledModel::new(&model);
    let options = states::Options {
        properties: vec![PropertyId(0)],
        deadlock: Deadlock::Off,
        symmetry: Reduction::Canonical,
        most_states: None,
        threads: 1,
    };
    let found = check_states(&ring, &options, &isonomy::Watch::none());
    let expected = check_states(&system, &options, &isonomy::Watch::none());
    let steps = |run: Option<usize>| run.expect("there is a run");
    let [fault] = &found.failures[..] else { panic!("one fault: {:?}", found.failures) };
    let length = steps(fault.run.as_ref().map(|run| run.stem.len()));
    assert_eq!(length, steps(expected.failures[0].run.as_ref().map(|run| run.stem.len())));
    assert!(fault.objection.is_none());
    // A formula whose search meets the fault fails, with a run to it.
    for reduction in [Reduction::Off, Reduction::Canonical] {
        let options = Options { reduction, ..Options::default() };
        compare(&ring, &model, 8, &options);
        let claim = Claim::new("G !(works_c & works_d)", 2);
        let outcome =
            check(&ring, &claim, &options, &isonomy::Watch::none()).expect("the judge agrees");
        let Verdict::Failed(failed) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert!(matches!(failed.cause, Cause::Model(_)));
        let run = failed.run.expect("there is a run");
        let claim = judge::Claim::Failure(());
        judge::judge_claim(ring.reference(), &claim, &run).expect("the run fails at its end");
    }
}

/// A ring is not symmetric under all permutations: if it says so, the judge objects, or the verdict
/// is that of the ring; in no case is there an unjudged counterexample.
#[test]
fn a_lie_about_symmetry_is_no_counterexample() {
    let mut ring = Ring::new(ring_options(4, Declared::Nothing));
    ring.group = Group::Full;
    let mut objections = 0;
    for (claim, variables, _) in FORMULAS {
        let claim = Claim::new(claim, variables);
        match check(&ring, &claim, &Options::default(), &isonomy::Watch::none()) {
            Err(misjudged) => {
                objections += 1;
                assert!(!misjudged.objection.to_string().is_empty());
            }
            Ok(outcome) => assert_ne!(word(&outcome.verdict), "failed"),
        }
    }
    assert!(objections > 0, "the judge notices none of the lies");
}
