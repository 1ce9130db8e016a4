//! Which atoms can be true of one step: all that are, by definition, and few others.

use judge::letters;
use model::check_with;
use model::checked::{Formula, LocalId, Model};
use model::interpret::Interpreter;
use model::letters::alphabet;
use model::reference::{Binding, ModelReference, Run, Step};
use model::value::Scalar;
use std::collections::{BTreeSet, HashSet};

const MODEL: &str = "
    type client: scalarset(3);
    var x: 0..3; st: array [client] of boolean;
    startstate x := 0; for c: client do st[c] := false end; end;
    ruleset i: 0..3 do
      rule \"e\" x := i; end;
      ruleset j: 0..1 do rule \"f\" i > j ==> x := j; end; end;
    end;
    process c: client do
      rule \"go\" st[c] := !st[c]; end;
      ruleset d: client do rule \"pass\" c != d & st[c] ==> st[c] := false; st[d] := true; end; end;
    end;
    process server do
      ruleset c: client do rule \"take\" st[c] ==> st[c] := false; end; end;
      rule \"e\" x := 0; end;
    end;";

/// A formula, and how many sets of its event atoms can be true together.
const FORMULAS: [(&str, usize); 20] = [
    ("G x = 0", 0),
    ("G @e(0)", 2),
    ("G (@e(0) | @e(1) | @e(2) | @e(3))", 5),
    // Two events have this name: with a parameter, and without.
    ("G (@e | @e(0) | @e(_))", 4),
    ("G (@e(0) | @f(0, 1) | @f(0, 0) | @f(_, 0) | @f(1, _))", 7),
    ("G (@go | @pass | @take | @e)", 5),
    ("forall c: client. G (@go(c) | @take(c))", 3),
    ("forall c, d: client. G (@go(c) | @go(d))", 4),
    ("forall distinct c, d: client. G (@go(c) | @go(d))", 3),
    ("forall distinct a, b, c: client. G (@go(a) | @go(b) | @go(c) | @go(_))", 5),
    ("forall distinct c, d: client. G (@pass(c, d) | @pass(d, c) | @pass(c, _) | @pass(_, c))", 6),
    ("forall c: client. G (@by(c) | @by(server) | @by(_))", 4),
    ("forall c, d: client. G (@by(c) | @by(d) | @by(system))", 5),
    ("forall distinct c, d: client. G (@by(c) | @by(d) | @by(system) | @by(server))", 5),
    ("forall c: client. G (@go(c) -> @by(c))", 4),
    ("G (@e -> @by(server) | @by(system))", 6),
    ("G (x = 0 & @e(0) | x = 1 & @e(1))", 3),
    ("forall i: (0..3). G (@e(i) | @e(0) | @e(1))", 6),
    ("forall i: (0..3), j: (0..1). G (@f(i, j) | @f(0, j) | @f(i, 0))", 7),
    ("G !@go", 2),
];

/// All values of the tracked variables of a formula.
fn bindings(model: &Model, formula: &Formula) -> Vec<Binding> {
    let mut all: Vec<Binding> = vec![Vec::new()];
    for group in &formula.tracked {
        let is_new = |binding: &Binding, value: Scalar| {
            let taken = |local: &LocalId| binding.contains(&(*local, value));
            !group.distinct || !group.locals.iter().any(taken)
        };
        for &local in &group.locals {
            let values =
                (0..model.types.size(group.of)).map(|k| Scalar::nth(&model.types, group.of, k));
            let values: Vec<Scalar> = values.collect();
            all = all
                .into_iter()
                .flat_map(|binding| {
                    let values = values.iter().copied().filter(|&value| is_new(&binding, value));
                    values
                        .map(|value| [&binding[..], &[(local, value)]].concat())
                        .collect::<Vec<_>>()
                })
                .collect();
        }
    }
    all
}

#[test]
fn every_letter_of_a_step_is_possible() {
    for (text, expected) in FORMULAS {
        let model = check_with(MODEL, &[], &[text]).unwrap_or_else(|errors| panic!("{errors:?}"));
        let formula = &model.questions[0];
        let alphabet = alphabet(formula);
        assert_eq!(alphabet.profiles().len(), expected, "{text}: {:?}", alphabet.profiles());
        let (interpreter, reference) = (Interpreter::new(&model), ModelReference::new(&model));
        let bindings = bindings(&model, formula);
        assert!(!bindings.is_empty());
        let start = interpreter.starts().next().expect("a start").expect("it does not fail");
        let (mut seen, mut open) = (HashSet::from([start.state.clone()]), vec![start.state]);
        let mut met = BTreeSet::new();
        while let Some(state) = open.pop() {
            for step in interpreter.steps(&state).expect("it does not fail") {
                let action = Some((step.process, step.event.clone()));
                let taken = Step { state: state.clone(), action };
                let run = Run { stem: vec![taken], cycle: Vec::new(), end: step.target.clone() };
                for binding in &bindings {
                    let letter = letters(&reference, formula, binding, &run).expect("letters");
                    let is_true = |atom| letter[0].has(atom);
                    assert!(alphabet.allows(is_true), "{text} {binding:?}: {letter:?}");
                    let atoms = alphabet.events().iter().copied().filter(|&atom| is_true(atom));
                    met.insert(atoms.collect::<Vec<_>>());
                }
                if seen.insert(step.target.clone()) {
                    open.push(step.target);
                }
            }
        }
        // Nothing is true of a stutter, and not every combination occurs in this model.
        assert!(met.len() <= expected.max(1), "{text}");
    }
}
