//! Compiled atoms against the reference interpreter and the definition of events: every fixture and
//! random models, all bindings of the tracked variables, in the first states that are reached.
//! `ISONOMY_CASES=100000 cargo test --test engines` looks at more random models.

use model::{check, check_with};
use suites::atoms::{Compared, compare, compare_random_model};
use support::headers::fixtures;
use support::many::cases;

#[test]
fn fixtures_agree() {
    let mut compared = Compared::default();
    for fixture in fixtures() {
        let model = check(&fixture.text, &[]).expect("fixtures are models");
        compare(&fixture.name, &model, 150, &mut compared);
    }
    assert!(compared.formulas > 30, "{compared:?}");
    assert!(compared.conditions[0] > 1000 && compared.conditions[1] > 1000, "{compared:?}");
    assert!(compared.events[0] > 100 && compared.events[1] > 100, "{compared:?}");
}

#[test]
fn random_models_agree() {
    let cases = cases(300);
    let mut compared = Compared::default();
    for seed in 0..cases {
        compare_random_model(seed, &mut compared);
    }
    assert!(compared.conditions.iter().all(|&count| count > cases as usize / 10), "{compared:?}");
    assert!(compared.events.iter().all(|&count| count > cases as usize / 10), "{compared:?}");
}

/// Arguments and owners whose type is not that of the tracked variable.
#[test]
fn events_and_owners_of_unions_agree() {
    let text = "
        type
          pid: scalarset(2);
          node: scalarset(3);
          colour: enum { red, green, blue };
          any: union { colour, pid, node };
          some: union { node, colour };
          small: 1..3;
        var x: any; y: 0..5; b: multiset [2] of some;
        startstate undefine x; y := 0; end;
        ruleset a: any do
          rule \"set\" x := a; end;
          rule \"add\" MultiSetCount(i: b, true) < 2 ==> MultiSetAdd(red, b); end;
        end;
        ruleset c: some do rule \"put\" MultiSetCount(i: b, true) < 2 ==> MultiSetAdd(c, b); end; end;
        choose i: b do rule \"take\" MultiSetRemove(i, b); end; end;
        ruleset k: small do rule \"count\" y := k; end; end;
        process p: pid do rule \"own\" x := p; end; end;
        process p: some do rule \"other\" x := p; end; end;
        process n: small do rule \"number\" y := n; end; end;
        process server do rule \"reset\" undefine x; end; end;
    ";
    let questions = [
        "forall p: pid, n: node. G F (@set(p) | @set(n)) & G F (@by(p) | @by(n))",
        "forall a: any, s: some. @set(a) U @put(s) | F @own(a) | F @other(s) | F @take(a)",
        "forall k: (0..4). F @count(k) | F @number(k) | G !@by(k)",
        "F @count(2) | F @set(red) | F @by(red) | F @by(3) | F @by(server) | F @by(_) | F set",
        "forall c: colour. G (@take(c) -> x = c) | F @other(c) | F @by(c) | F @put(c)",
        "forall s: some, p: pid. G (!isundefined(x) & x = s) | F x = p",
    ];
    let model = check_with(text, &[], &questions);
    let model = model.unwrap_or_else(|errors| panic!("{:?}", errors.model));
    let mut compared = Compared::default();
    compare("unions", &model, 60, &mut compared);
    assert_eq!(compared.formulas, questions.len());
    assert!(compared.conditions.iter().all(|&count| count > 50), "{compared:?}");
    assert!(compared.events.iter().all(|&count| count > 1000), "{compared:?}");
}
