//! One list of all results: their order, and failures that several searches meet.

use super::*;
use crate::check::check_all;
use crate::check::states::check_states;
use crate::explore::{Deadlock, Symmetry};
use compile::CompiledModel;
use model::check_with;
use model::checked::Formula;
use run::Watch;

/// In the state x = 2 a rule fails, and so does an atom that divides by 2 - x.
const FAILING: &str = "
    var x: 0..3;
    startstate x := 0 end;
    rule \"up\" x < 3 ==> x := x + 1 end;
    rule \"fail\" x = 2 ==> error \"two\" end;
    invariant \"small\" x < 4;";

/// The findings about formulas, then about all properties, then about deadlocks.
fn findings(text: &str, formulas: &[&str], with_states: bool) -> Vec<Finding> {
    let model = check_with(text, &[], formulas).expect("a model without errors");
    let system = CompiledModel::new(&model);
    let formulas: Vec<&Formula> = model.questions.iter().collect();
    let options = check::Options::default();
    let outcomes = check_all(&system, &formulas, &options, &Watch::none());
    let properties: Vec<_> = (0..model.properties.len() as u32).map(PropertyId).collect();
    let about_states = states::Options {
        properties: properties.clone(),
        deadlock: Deadlock::Stuck,
        symmetry: Symmetry::Canonical,
        most_states: None,
        threads: 1,
    };
    let states = with_states.then(|| check_states(&system, &about_states, &Watch::none()));
    let mut items: Vec<_> = (0..formulas.len()).map(Item::Formula).collect();
    if with_states {
        items.extend(properties.into_iter().map(Item::Property));
    }
    let asked = Asked { system: &system, formulas: &formulas, options: &options, items: &items };
    Findings::new(&asked, outcomes, states).all
}

/// Subjects and verdicts in short.
fn brief(findings: &[Finding]) -> Vec<(&'static str, &'static str)> {
    let subject = |one: &Finding| match one.subject {
        Subject::Formula { .. } => "formula",
        Subject::Property(_) => "property",
        Subject::NoDeadlock => "deadlock",
        Subject::Failure(_) => "failure",
        Subject::Atom { .. } => "atom",
    };
    let verdict = |one: &Finding| match one.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    };
    findings.iter().map(|one| (subject(one), verdict(one))).collect()
}

#[test]
fn failures_come_first_and_once() {
    let formulas = ["G x != 3", "G F x = 3", "F 6 / (2 - x) > 6"];
    let unknown = ("formula", "unknown");
    let failing = [("failure", "violated"), ("atom", "violated")];
    for with_states in [false, true] {
        let found = findings(FAILING, &formulas, with_states);
        let mut expected = failing.to_vec();
        expected.extend([unknown; 3]);
        if with_states {
            expected.extend([("property", "unknown"), ("deadlock", "violated")]);
        }
        assert_eq!(brief(&found), expected, "{with_states}");
        for one in &found[..2] {
            assert_eq!(one.run().expect("a run to x = 2").steps().count(), 2);
            assert!(one.failure().is_some());
        }
        assert!(matches!(found[0].work, Work::Exploration(_)) == with_states);
        assert!(matches!(found[2].verdict, Verdict::Unknown(Unknown::Failed(_))));
    }
}

#[test]
fn results_keep_their_order() {
    let text = "
        type client: scalarset(3);
        var on: array [client] of boolean;
        startstate for c: client do on[c] := false end end;
        process c: client do rule \"switch\" on[c] := !on[c] end end;
        invariant \"none\" forall c: client do !on[c] end;
        cover \"all\" forall c: client do on[c] end;";
    let formula = "forall distinct c, d: client. G F (on[c] & on[d])";
    let found = findings(text, &[formula], true);
    let expected = [
        ("formula", "violated"),
        ("property", "violated"),
        ("property", "holds"),
        ("deadlock", "holds"),
    ];
    assert_eq!(brief(&found), expected);
    let Verdict::Violated(Evidence::Formula { counterexample, why }) = &found[0].verdict else {
        panic!("{:?}", found[0])
    };
    assert!(!counterexample.run.cycle.is_empty() && !why.is_empty());
    let Work::Product { statistics, tuples, .. } = &found[0].work else { panic!("{:?}", found[0]) };
    assert_eq!((statistics.instances, tuples), (1, &BigUint::from(6_u32)));
    assert_eq!(found[1].run().expect("a run to a state").steps().count(), 1);
    assert!(found[2].run().is_none());
}

/// A statement that fails is the answer about its property, if that is asked for, and nothing else.
#[test]
fn a_failing_assertion_is_one_finding() {
    let text = "
        var x: 0..3;
        startstate x := 0 end;
        rule \"up\" x < 3 ==> assert \"low\" x < 2; x := x + 1 end;";
    let found = findings(text, &["F x = 3"], true);
    let unknown = [("formula", "unknown"), ("deadlock", "unknown")];
    assert_eq!(brief(&found), [unknown[0], ("property", "violated"), unknown[1]]);
    assert!(found[1].failure().is_some());
    let alone = findings(text, &["F x = 3"], false);
    assert_eq!(brief(&alone), [("failure", "violated"), unknown[0]]);
}
