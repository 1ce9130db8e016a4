//! Start states, rules, processes, events, properties.

use super::build::*;
use super::{executing, impatient, start};
use crate::checked::{
    ExpressionKind as E, LocalId, LocalKind, Model, ParameterDomain, Scope, StatementKind as S,
};
use crate::interpret::{FailureKind, Interpreter};
use crate::syntax::{IndexKind, PropertyKind};
use crate::types::{Type, TypeId};
use run::StopReason;

/// The start states of a model as text, with their variables.
fn starts(model: &Model) -> Vec<String> {
    let show = |start: Result<super::StartState, super::Failure>| match start {
        Ok(start) => format!("{}: {}", start.show(model), start.state.show(model)),
        Err(failure) => failure.message,
    };
    Interpreter::new(model).starts().map(show).collect()
}

/// A model that starts with its variable equal to a parameter of the same type.
fn any(mut model: Model, of: TypeId) -> Model {
    let x = model.variable("x", of);
    let locals = vec![local("p", of, LocalKind::Bound)];
    model.start(vec![parameter(0, of)], locals, vec![assign(&x, slot(0, of).read())]);
    model
}

#[test]
fn start_states_count_through_all_values() {
    let mut model = empty();
    let p = model.index("p", IndexKind::Scalarset, 2);
    let bits = model.array(p, BOOLEAN);
    let digit = model.range(3, 5);
    let both = model.record(&[("b", BOOLEAN), ("d", digit)]);
    let bag = model.multiset(2, BOOLEAN);
    let union = model.types.intern(Type::Union(vec![BOOLEAN, p]));
    for (of, expected) in [
        (
            bits,
            vec![
                "[p_0: false, p_1: false]",
                "[p_0: false, p_1: true]",
                "[p_0: true, p_1: false]",
                "[p_0: true, p_1: true]",
            ],
        ),
        (
            both,
            vec![
                "{b: false, d: 3}",
                "{b: false, d: 4}",
                "{b: false, d: 5}",
                "{b: true, d: 3}",
                "{b: true, d: 4}",
                "{b: true, d: 5}",
            ],
        ),
        (bag, vec!["{}", "{false}", "{true}", "{false, false}", "{false, true}", "{true, true}"]),
        (union, vec!["false", "true", "p_0", "p_1"]),
    ] {
        let model = any(model.clone(), of);
        let found = Interpreter::new(&model).starts().map(|start| {
            let start = start.expect("it does not fail");
            assert_eq!(start.state.0, start.arguments);
            start.arguments[0].show(&model.types, of)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn start_states_are_made_one_by_one() {
    // There are 2^1000 of them.
    let mut model = empty();
    let p = model.index("p", IndexKind::Scalarset, 1_000);
    let bits = model.array(p, BOOLEAN);
    let model = any(model, bits);
    assert_eq!(Interpreter::new(&model).starts().take(3).count(), 3);
}

#[test]
fn start_states_may_be_abandoned_or_fail() {
    let mut model = empty();
    let digit = model.range(0, 9);
    let x = model.variable("x", digit);
    let few = model.property(PropertyKind::Assume, "few", None);
    let locals = || vec![local("n", digit, LocalKind::Bound), local("m", digit, LocalKind::Alias)];
    let scope = |from, to, by| {
        let domain = ParameterDomain::Steps { from, to, by };
        let target = slot(0, digit).read();
        vec![
            Scope::Parameter { local: LocalId(0), domain },
            Scope::Alias { local: LocalId(1), target },
        ]
    };
    let condition = less(slot(1, digit).read(), number(9));
    let body = vec![
        statement(S::Property { property: few, condition }),
        assign(&x, add(slot(1, digit).read(), number(2))),
    ];
    model.start(scope(9, 5, -2), locals(), body);
    model.start(Vec::new(), Vec::new(), Vec::new());
    model.start(scope(1, 0, 1), locals(), Vec::new());
    let expected = ["start_0(7): x = 9\n", "start_0(5): x = 7\n", "start_1: x = undefined\n"];
    assert_eq!(starts(&model), expected);
    model.starts[0].scope = scope(8, 6, -1);
    let expected = [
        "`x` cannot be 10: its type is 0..9",
        "start_0(7): x = 9\n",
        "start_0(6): x = 8\n",
        "start_1: x = undefined\n",
    ];
    assert_eq!(starts(&model), expected);
}

/// `st: array [client] of boolean`, all false at the start; `process c: client` may set its own,
/// and a rule of the system may clear all.
fn clients() -> (Model, TypeId) {
    let mut model = empty();
    let client = model.index("client", IndexKind::Scalarset, 2);
    let array = model.array(client, BOOLEAN);
    let st = model.variable("st", array);
    model.start(Vec::new(), Vec::new(), vec![statement(S::Clear(st.clone()))]);
    let family = model.family("client", client);
    let own = st.element(slot(0, client).read(), BOOLEAN);
    let around = Around {
        scope: vec![parameter(0, client)],
        locals: vec![local("c", client, LocalKind::Bound)],
        guard: Some(condition(E::Not(Box::new(own.read())))),
        owner: Some((family, LocalId(0))),
    };
    model.rule("set", around, vec![assign(&own, truth(true))]);
    model.rule("clear \"all\"", Around::default(), vec![statement(S::Clear(st.clone()))]);
    // A copy of the first rule: the event, the process and the targets are equal.
    model.rules.push(model.rules[0].clone());
    (model, client)
}

#[test]
fn steps_have_owners_and_events() {
    let (model, _) = clients();
    let interpreter = Interpreter::new(&model);
    let first = start(&model);
    assert_eq!(interpreter.instances(&first).expect("guards do not fail").len(), 5);
    let steps = interpreter.steps(&first).expect("nothing fails");
    let shown = steps.iter().map(|step| {
        let changes = step.target.changes(&first, &model);
        let changes = changes.iter().map(|c| format!("{}: {}", c.place, c.show(str::to_owned)));
        let changes: Vec<_> = changes.collect();
        (step.process.show(&model), step.event.show(&model), changes.join(", "))
    });
    let expected = [
        ("client_0", "set(client_0)", "st[client_0]: false -> true"),
        ("client_1", "set(client_1)", "st[client_1]: false -> true"),
        ("system", "\"clear \\\"all\\\"\"", ""),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn an_index_is_one_process_in_all_families() {
    let (mut model, client) = clients();
    let either = model.types.intern(Type::Union(vec![BOOLEAN, client]));
    let number = model.range(-1, 1);
    let [either_family, number_family] =
        [("either", either), ("worker", number)].map(|(name, of)| model.family(name, of));
    let mut around = |family, of| {
        let around = Around {
            scope: vec![parameter(0, of)],
            locals: vec![local("x", of, LocalKind::Bound)],
            owner: Some((family, LocalId(0))),
            guard: None,
        };
        model.rule("other", around, Vec::new());
    };
    around(either_family, either);
    around(number_family, number);
    let steps = Interpreter::new(&model).steps(&start(&model)).expect("nothing fails");
    assert_eq!(steps[0].process, steps[5].process);
    let processes: Vec<_> = steps[3..].iter().map(|step| step.process.show(&model)).collect();
    let expected = ["false", "true", "client_0", "client_1", "worker_-1", "worker_0", "worker_1"];
    assert_eq!(processes, expected);
}

#[test]
fn statements_that_judge() {
    let mut model = empty();
    let x = model.variable("x", BOOLEAN);
    let [assert, assume, cover] = [
        (PropertyKind::Assert, "sure"),
        (PropertyKind::Assume, "few"),
        (PropertyKind::Cover, "seen"),
    ]
    .map(|(kind, name)| model.property(kind, name, None));
    let judge = |property, value| statement(S::Property { property, condition: truth(value) });
    let cases = [
        (vec![judge(assert, true), assign(&x, truth(true))], Ok((true, vec![]))),
        (vec![judge(assert, false)], Err(FailureKind::Assertion(assert))),
        (vec![judge(assume, true)], Ok((true, vec![]))),
        (
            vec![judge(cover, true), judge(assume, false), judge(assert, false)],
            Ok((false, vec![cover])),
        ),
        (vec![judge(cover, true), judge(cover, true)], Ok((true, vec![cover]))),
        (vec![judge(cover, false)], Ok((true, vec![]))),
    ];
    for (body, expected) in cases {
        let model = executing(model.clone(), Vec::new(), body);
        let (interpreter, start) = (Interpreter::new(&model), start(&model));
        let instances = interpreter.instances(&start).expect("there are no guards");
        let found = interpreter.fire(&start, &instances[0]);
        let found = found.map(|outcome| (outcome.target.is_some(), outcome.covered));
        assert_eq!(found.map_err(|failure| failure.kind), expected);
        assert_eq!(
            interpreter.steps(&start).ok().map(|steps| steps.len()),
            match expected {
                Ok((exists, _)) => Some(usize::from(exists)),
                Err(_) => None,
            }
        );
    }
}

#[test]
fn properties_hold_for_all_values_or_some() {
    let (t, f, u) = (Some(true), Some(false), None);
    let undefined = || Err("`st[client_1]` is undefined".to_owned());
    for (kind, values, expected) in [
        (PropertyKind::Invariant, [t, t], Ok(true)),
        (PropertyKind::Invariant, [t, f], Ok(false)),
        (PropertyKind::Invariant, [f, u], Ok(false)),
        (PropertyKind::Assume, [t, u], undefined()),
        (PropertyKind::Cover, [f, f], Ok(false)),
        (PropertyKind::Cover, [f, t], Ok(true)),
        (PropertyKind::Cover, [t, u], Ok(true)),
        (PropertyKind::Liveness, [f, u], undefined()),
    ] {
        let (mut model, client) = clients();
        let own = global(&model, 0).element(slot(0, client).read(), BOOLEAN);
        let id = model.property(kind, "p", Some(own.read()));
        model.properties[0].scope = vec![parameter(0, client)];
        model.properties[0].locals = vec![local("c", client, LocalKind::Bound)];
        let values =
            values.map(|value| value.map_or(super::Value::Undefined, super::Value::boolean));
        let state = super::State(vec![super::Value::Parts(values.to_vec())]);
        let interpreter = Interpreter::new(&model);
        let found = interpreter.holds(&state, id).map_err(|failure| failure.message);
        assert_eq!(found, expected, "{kind:?} {values:?}");
        let each = interpreter.instances_of(&state, id).expect("nothing stands around it but c");
        for (instance, value) in each.iter().zip(values) {
            assert_eq!(
                instance.holds.clone().ok().map(super::Value::boolean),
                match value {
                    super::Value::Undefined => None,
                    value => Some(value),
                }
            );
        }
        assert_eq!(each.len(), 2);
    }
}

#[test]
fn too_many_instances_are_stopped() {
    let mut model = empty();
    let huge = model.range(0, i64::MAX);
    model.start(Vec::new(), Vec::new(), Vec::new());
    let around = Around {
        scope: vec![parameter(0, huge)],
        locals: vec![local("n", huge, LocalKind::Bound)],
        ..Around::default()
    };
    model.rule("never", Around { guard: Some(truth(false)), ..around }, Vec::new());
    let start = start(&model);
    let found = impatient().over(|| Interpreter::new(&model).instances(&start));
    assert_eq!(found.map(|_| ()), Err(StopReason::Interrupted));
}

/// However many start states an `assume` statement abandons, the enumeration can be stopped.
#[test]
fn start_states_that_are_all_abandoned_are_stopped() {
    let mut model = empty();
    let huge = model.range(0, i64::MAX);
    let none = model.property(PropertyKind::Assume, "none", None);
    let never = statement(S::Property { property: none, condition: truth(false) });
    model.start(vec![parameter(0, huge)], vec![local("n", huge, LocalKind::Bound)], vec![never]);
    let found = impatient().over(|| Interpreter::new(&model).starts().next());
    assert_eq!(found.map(|_| ()), Err(StopReason::Interrupted));
}
