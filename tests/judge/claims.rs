//! Claims about the last state of a run: right ones and wrong ones.

use super::{ASSUMING, COUNTER, PAIRS, both, checked, follow};
use judge::{Deadlock, Extent, judge_claim};
use model::checked::{Model, PropertyId};
use model::interpret::FailureKind;
use model::reference::{Claim, FailurePattern, Objection};
use std::collections::HashMap;
use std::mem::discriminant;

/// Starts anywhere from 0 to 6 and counts up to 3, where it stays; 4 is the end, in 5 a body fails, in 6
/// an assertion.
const ENDS: &str = "
    var x: 0..6; u: 0..1; v: 0..1;
    ruleset n: 0..6 do startstate x := n; end; end;
    rule \"up\" x < 3 ==> x := x + 1; end;
    rule \"stay\" x = 3 ==> x := 3; end;
    rule \"body\" x = 5 ==> v := u + 0; end;
    rule \"told\" x = 6 ==> assert \"small\" x < 6; end;
    rule \"never\" x = 4 ==> x := 0; assume x = 1; end;
    ruleset a: 0..1; b := 3 to 1 by -1 do
      invariant \"sum\" a + b + x != 4;
    end;
    invariant \"defined\" x != 2 | u = 0;
    ruleset k: 0..6 do liveness \"comes true\" x = k; end;
    cover \"somewhere\" x = 6;";

/// Every element counts.
const BAG: &str = "
    var bag: multiset [2] of 0..3;
    startstate undefine bag; end;
    ruleset n: 0..3 do
      rule \"add\" MultiSetCount(m: bag, true) < 2 ==> MultiSetAdd(n, bag); end;
    end;
    ruleset a: 0..1 do
      choose m: bag do invariant \"other\" bag[m] != a; end;
    end;";

/// More states than anybody looks at.
const LONG: &str = "
    var x: 0..20000;
    startstate x := 0; end;
    rule \"up\" x < 20000 ==> x := x + 1; end;
    liveness \"far\" x = 15000;
    liveness \"near\" x = 9000;
    liveness \"never\" x > 20000;";

/// An assumption that fails.
const UNKNOWN: &str = "
    var x: 0..1; u: 0..1;
    startstate x := 0; end;
    rule \"up\" x = 0 ==> x := 1; end;
    assume x = 0 | u = 0;";

const ACCEPTED: &str = "accepted";
const HOLDS: &str = "the property holds in the last state";
const NOTHING: &str = "what is said to fail in the last state does not";
const NO_DEADLOCK: &str = "the last state is no deadlock";

/// (model, run, what is claimed, what the judge says)
type Row = (&'static str, &'static str, fn(&Model) -> Claim<'_>, &'static str);

fn id(model: &Model, name: &str) -> PropertyId {
    let named = |property: &model::checked::Property| property.name.as_deref() == Some(name);
    PropertyId(model.properties.iter().position(named).expect("a property") as u32)
}

fn invariant<'m>(model: &'m Model, name: &str, choice: Option<usize>) -> Claim<'m> {
    Claim::Invariant { property: id(model, name), choice }
}

fn liveness<'m>(model: &'m Model, name: &str, choice: usize) -> Claim<'m> {
    Claim::Liveness { property: id(model, name), choice }
}

fn fails<'m>(kind: Option<FailureKind>) -> Claim<'m> {
    Claim::Failure(FailurePattern { kind, span: None })
}

const STUCK: fn(&Model) -> Claim<'_> = |_| Claim::Deadlock(Deadlock::Stuck);
const STUTTERING: fn(&Model) -> Claim<'_> = |_| Claim::Deadlock(Deadlock::Stuttering);

const ROWS: &[Row] = &[
    // a + b = 3 where x = 1: for a = 0, b = 3 (the first choice) and a = 1, b = 2 (the fifth).
    (ENDS, "up", |m| invariant(m, "sum", None), ACCEPTED),
    (ENDS, "up", |m| invariant(m, "sum", Some(0)), ACCEPTED),
    (ENDS, "up", |m| invariant(m, "sum", Some(1)), HOLDS),
    (ENDS, "up", |m| invariant(m, "sum", Some(2)), HOLDS),
    (ENDS, "up", |m| invariant(m, "sum", Some(3)), HOLDS),
    (ENDS, "up", |m| invariant(m, "sum", Some(4)), ACCEPTED),
    (ENDS, "up", |m| invariant(m, "sum", Some(5)), HOLDS),
    (
        ENDS,
        "up",
        |m| invariant(m, "sum", Some(6)),
        "there are not so many choices of values around the property",
    ),
    (ENDS, "5: ", |m| invariant(m, "sum", None), HOLDS),
    (ENDS, "", |m| invariant(m, "defined", None), HOLDS),
    (
        ENDS,
        "up up",
        |m| invariant(m, "defined", None),
        "the property has no value in the last state: `u` is undefined",
    ),
    (
        ENDS,
        "up up",
        |m| invariant(m, "defined", Some(0)),
        "the property has no value in the last state: `u` is undefined",
    ),
    // What is no invariant.
    (ENDS, "6: ", |m| invariant(m, "small", None), "there is no such property"),
    (ENDS, "up", |m| invariant(m, "somewhere", None), "there is no such property"),
    (ENDS, "up", |m| invariant(m, "comes true", Some(0)), "there is no such property"),
    (
        ENDS,
        "up",
        |_| Claim::Invariant { property: PropertyId(99), choice: None },
        "there is no such property",
    ),
    (BAG, "", |m| invariant(m, "other", None), HOLDS),
    (BAG, "add(3) add(2)", |m| invariant(m, "other", None), HOLDS),
    (BAG, "add(3) add(1)", |m| invariant(m, "other", None), ACCEPTED),
    (BAG, "add(3) add(1)", |m| invariant(m, "other", Some(0)), HOLDS),
    (BAG, "add(3) add(1)", |m| invariant(m, "other", Some(1)), ACCEPTED),
    (BAG, "add(1) add(0)", |m| invariant(m, "other", Some(0)), ACCEPTED),
    // Failures.
    (ENDS, "5: ", |_| fails(None), ACCEPTED),
    (ENDS, "5: ", |_| fails(Some(FailureKind::Undefined)), ACCEPTED),
    (ENDS, "5: ", |_| fails(Some(FailureKind::Error)), NOTHING),
    (
        ENDS,
        "5: ",
        |m| Claim::Failure(FailurePattern { kind: None, span: Some(m.rules[2].span) }),
        NOTHING,
    ),
    (ENDS, "6: ", |m| fails(Some(FailureKind::Assertion(id(m, "small")))), ACCEPTED),
    (ENDS, "5: ", |m| fails(Some(FailureKind::Assertion(id(m, "small")))), NOTHING),
    (ENDS, "4: ", |_| fails(None), NOTHING),
    (ENDS, "up", |_| fails(None), NOTHING),
    (ENDS, "up up", |_| fails(Some(FailureKind::Undefined)), ACCEPTED),
    (UNKNOWN, "", |_| fails(None), ACCEPTED),
    // Deadlocks. What an `assume` statement abandons is no step; what an assumption cuts is one.
    (ENDS, "4: ", STUCK, ACCEPTED),
    (ENDS, "4: ", STUTTERING, ACCEPTED),
    (ENDS, "2: up", STUCK, NO_DEADLOCK),
    (ENDS, "2: up", STUTTERING, ACCEPTED),
    (ENDS, "up up", STUTTERING, NO_DEADLOCK),
    (COUNTER, "up up", STUCK, ACCEPTED),
    (ASSUMING, "up up", STUCK, NO_DEADLOCK),
    (ASSUMING, "up up", STUTTERING, NO_DEADLOCK),
    (ENDS, "5: ", STUCK, "step 1 cannot be checked: `u` is undefined"),
    // What can still come true.
    (ENDS, "up", |m| liveness(m, "comes true", 0), ACCEPTED),
    (ENDS, "up", |m| liveness(m, "comes true", 1), "the property is true in the last state"),
    (
        ENDS,
        "up",
        |m| liveness(m, "comes true", 2),
        "1 step after the last state there is one where the property is true",
    ),
    (
        ENDS,
        "",
        |m| liveness(m, "comes true", 3),
        "3 steps after the last state there is one where the property is true",
    ),
    (ENDS, "", |m| liveness(m, "comes true", 4), ACCEPTED),
    (
        ENDS,
        "",
        |m| liveness(m, "comes true", 7),
        "there are not so many choices of values around the property",
    ),
    (ENDS, "", |m| liveness(m, "sum", 0), "there is no such property"),
    (LONG, "up", |m| liveness(m, "far", 0), "the run alone"),
    (LONG, "up", |m| liveness(m, "never", 0), "the run alone"),
    (
        LONG,
        "up",
        |m| liveness(m, "near", 0),
        "8999 steps after the last state there is one where the property is true",
    ),
    // Atoms.
    (PAIRS, "", |m| Claim::Atom { formula: &m.formulas[0], binding: &[], atom: None }, ACCEPTED),
    (
        PAIRS,
        "",
        |m| Claim::Atom { formula: &m.formulas[0], binding: &[], atom: Some(ltl::Atom(1)) },
        NOTHING,
    ),
    (
        PAIRS,
        "go(1,true)>x=1",
        |m| Claim::Atom { formula: &m.formulas[0], binding: &[], atom: None },
        NOTHING,
    ),
    // The run must be one, and end.
    (
        ENDS,
        "up up up | stay",
        STUTTERING,
        "the run is infinite, but the claim is about its last state",
    ),
    (ASSUMING, "up up up", STUCK, "step 3 leads to a state that violates an assumption"),
    (
        ENDS,
        "up -",
        |_| fails(None),
        "no process is executed in step 2, but there is a step to take",
    ),
];

#[test]
fn claims_about_last_states_are_judged() {
    let mut met = HashMap::new();
    for &(text, run, claim, expected) in ROWS {
        let formula = if text == PAIRS { "ltl \"judged\": G last = 1 | F x = 0;" } else { "" };
        let model = checked(&format!("{text}\n{formula}"));
        let claim = claim(&model);
        let run_of_model = follow(&model, run);
        let [found, again] =
            both(&model).map(|reference| judge_claim(&reference, &claim, &run_of_model));
        assert_eq!(found, again, "{claim:?} on {run:?} of {text}");
        let shown = match &found {
            Ok(Extent::All) => ACCEPTED.to_owned(),
            Ok(Extent::RunAlone) => "the run alone".to_owned(),
            Err(objection) => objection.to_string(),
        };
        assert_eq!(shown, expected, "{claim:?} on {run:?} of {text}");
        if let Err(objection) = found {
            met.insert(discriminant(&objection), objection);
        }
    }
    for expected in [
        Objection::Infinite,
        Objection::NoSuchProperty,
        Objection::NoSuchChoice,
        Objection::Holds,
        Objection::NothingFails,
        Objection::NoDeadlock,
        Objection::Reachable { steps: 0 },
    ] {
        assert!(met.contains_key(&discriminant(&expected)), "{expected:?} does not occur");
    }
}
