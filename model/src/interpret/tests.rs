//! Tests the interpreter on models built by hand.

mod build;
mod calls;
mod multisets;
mod system;

use super::*;
use crate::checked::{
    Arithmetic, Domain, Expression, ExpressionKind as E, Local, LocalKind, Model, Statement,
    StatementKind as S,
};
use crate::syntax::{IndexKind, PropertyKind, QuantifierKind};
use crate::types::Types;
use crate::value::{Scalar, Value};
use build::*;
use ltl::Span;
use run::{StopReason, Watch};
use std::sync::atomic::{AtomicU32, Ordering};

/// The one step of a model with one start state and one rule instance: its target as shown, or
/// the message of the failure.
fn result(model: &Model) -> String {
    match Interpreter::new(model).steps(&start(model)) {
        Ok(steps) => steps.iter().map(|step| step.target.show(model)).collect(),
        Err(failure) => failure.message,
    }
}

fn start(model: &Model) -> State {
    let mut starts = Interpreter::new(model).starts();
    starts.next().expect("there is a start state").expect("it does not fail").state
}

/// A watch that ends an evaluation when it asks for the third time.
fn impatient() -> Watch {
    let asked = AtomicU32::new(0);
    let is_last = move || asked.fetch_add(1, Ordering::Relaxed) == 2;
    Watch::new(move |_| is_last().then_some(StopReason::Interrupted))
}

/// A model that executes these statements, with all variables undefined.
fn executing(mut model: Model, locals: Vec<Local>, body: Vec<Statement>) -> Model {
    model.start(Vec::new(), Vec::new(), Vec::new());
    model.rule("step", Around { locals, ..Around::default() }, body);
    model
}

/// A model that executes one statement that fails.
fn check_message(model: Model, locals: Vec<Local>, body: Vec<Statement>, message: &str) {
    assert_eq!(result(&executing(model, locals, body)), message);
}

#[test]
fn arithmetic_is_checked() {
    use Arithmetic::{
        Add, BitwiseAnd, BitwiseOr, BitwiseXor, Divide, Multiply, Remainder, ShiftLeft, ShiftRight,
        Subtract,
    };
    let overflow =
        |sign: &str| Err::<i64, _>(format!("the result of `{sign}` does not fit 64 bits"));
    let shift = |by: i64| Err(format!("a shift by {by}, which is not in 0..63"));
    let by_zero = || Err("division by zero".to_owned());
    for (operator, a, b, expected) in [
        (Add, 2, 3, Ok(5)),
        (Add, i64::MAX, 1, overflow("+")),
        (Subtract, i64::MIN, 1, overflow("-")),
        (Multiply, i64::MIN, -1, overflow("*")),
        (Divide, -7, 2, Ok(-3)),
        (Divide, 7, 0, by_zero()),
        (Divide, i64::MIN, -1, overflow("/")),
        (Remainder, -7, 2, Ok(-1)),
        (Remainder, 7, -2, Ok(1)),
        (Remainder, 7, 0, by_zero()),
        (Remainder, i64::MIN, -1, overflow("%")),
        (ShiftLeft, 3, 2, Ok(12)),
        (ShiftLeft, -1, 63, Ok(i64::MIN)),
        (ShiftLeft, 1, 63, overflow("<<")),
        (ShiftLeft, 1, 64, shift(64)),
        (ShiftRight, -8, 1, Ok(-4)),
        (ShiftRight, 1, -1, shift(-1)),
        (BitwiseAnd, 12, 10, Ok(8)),
        (BitwiseOr, 12, 10, Ok(14)),
        (BitwiseXor, 12, 10, Ok(6)),
    ] {
        let found = value(&empty(), &arithmetic(operator, number(a), number(b)));
        let expected = expected.map(|n| Value::Scalar(Scalar::Number(n)));
        assert_eq!(found, expected, "{a} {operator:?} {b}");
    }
    let negated = expression(E::Negate(Box::new(number(i64::MIN))), Types::INTEGER);
    assert_eq!(value(&empty(), &negated).err(), overflow("-").err());
}

/// The value of an expression in the start state, or the message of its failure.
fn value(model: &Model, of: &Expression) -> Result<Value, String> {
    let state =
        State(model.variables.iter().map(|v| Value::undefined(&model.types, v.of)).collect());
    let locals = vec![local("i", BOOLEAN, LocalKind::Bound); 3];
    let value = Interpreter::new(model).evaluate(of, &locals, &[], &state);
    value.map_err(|failure| failure.message)
}

#[test]
fn logic_stops_where_it_is_decided() {
    let mut model = empty();
    let x = model.variable("x", BOOLEAN);
    let undefined = || Box::new(x.read());
    let known = |value| Box::new(truth(value));
    let error = || Err("`x` is undefined".to_owned());
    for (kind, expected) in [
        (E::And(known(false), undefined()), Ok(false)),
        (E::And(known(true), undefined()), error()),
        (E::Or(known(true), undefined()), Ok(true)),
        (E::Or(known(false), undefined()), error()),
        (E::Implies(known(false), undefined()), Ok(true)),
        (E::Implies(known(true), undefined()), error()),
        (E::Conditional(known(true), known(false), undefined()), Ok(false)),
        (E::Conditional(known(false), known(false), undefined()), error()),
        (E::Not(known(false)), Ok(true)),
        (E::IsUndefined(x.clone()), Ok(true)),
        (E::Equal(undefined(), undefined()), error()),
    ] {
        let shown = format!("{kind:?}");
        assert_eq!(value(&model, &condition(kind)), expected.map(Value::boolean), "{shown}");
    }
}

#[test]
fn rings_and_unions() {
    let mut model = empty();
    let ring = model.index("node", IndexKind::Ring, 3);
    let node = |k| Box::new(index(&model, ring, k));
    let value_of = |k| Value::Scalar(Scalar::nth(&model.types, ring, k));
    assert_eq!(value(&model, &expression(E::Next(node(2)), ring)), Ok(value_of(0)));
    assert_eq!(value(&model, &expression(E::Previous(node(0)), ring)), Ok(value_of(2)));
    for (a, b, expected) in [(0, 1, true), (0, 2, true), (1, 1, false)] {
        let adjacent = condition(E::Adjacent(node(a), node(b)));
        assert_eq!(value(&model, &adjacent), Ok(Value::boolean(expected)), "{a} {b}");
    }
    for (of, expected) in [(ring, true), (BOOLEAN, false)] {
        let member = condition(E::IsMember(node(1), of));
        assert_eq!(value(&model, &member), Ok(Value::boolean(expected)));
    }
}

/// `kind i: domain. a[i]`, where `a` is an array of Booleans as given (none: undefined).
fn quantify(kind: QuantifierKind, over: IndexDomain, values: &[Option<bool>]) -> String {
    let mut model = empty();
    let of = match over {
        IndexDomain::Scalarset => model.index("p", IndexKind::Scalarset, 3),
        IndexDomain::Range => model.range(0, 2),
    };
    let array = model.array(of, BOOLEAN);
    let a = model.variable("a", array);
    let body = a.element(slot(0, of).read(), BOOLEAN).read();
    let formula = quantified(kind, 0, Domain::Type(of), body);
    let values = values.iter().map(|value| value.map_or(Value::Undefined, Value::boolean));
    let state = State(vec![Value::Parts(values.collect())]);
    let locals = [local("i", of, LocalKind::Bound)];
    match Interpreter::new(&model).evaluate(&formula, &locals, &[], &state) {
        Ok(value) => value.show(&model.types, BOOLEAN),
        Err(failure) => failure.message,
    }
}

#[derive(Clone, Copy, Debug)]
enum IndexDomain {
    Scalarset,
    Range,
}

#[test]
fn quantifiers_over_index_types_know_no_order() {
    use IndexDomain::{Range, Scalarset};
    use QuantifierKind::{Exists, Forall};
    let (t, f, u) = (Some(true), Some(false), None);
    for (kind, index, values, expected) in [
        (Exists, Scalarset, [u, f, t], "true"),
        (Exists, Scalarset, [u, f, f], "`a[p_0]` is undefined"),
        (Exists, Scalarset, [f, f, f], "false"),
        (Forall, Scalarset, [t, u, f], "false"),
        (Forall, Scalarset, [t, u, t], "`a[p_1]` is undefined"),
        (Forall, Scalarset, [t, t, t], "true"),
        (Exists, Range, [u, f, t], "`a[0]` is undefined"),
        (Exists, Range, [t, u, u], "true"),
        (Forall, Range, [t, u, f], "`a[1]` is undefined"),
        (Forall, Range, [f, u, t], "false"),
    ] {
        assert_eq!(quantify(kind, index, &values), expected, "{kind:?} {index:?} {values:?}");
    }
}

#[test]
fn of_failures_without_order_the_first_in_the_text_counts() {
    let mut model = empty();
    let p = model.index("p", IndexKind::Scalarset, 2);
    let x = model.variable("x", BOOLEAN);
    let y = model.variable("y", BOOLEAN);
    // The first instance reads x, which comes after the y that the second one reads.
    for first in [0, 1] {
        let first = index(&model, p, first);
        let choice = E::Conditional(
            Box::new(equal(slot(0, p).read(), first)),
            Box::new(x.read().at(9)),
            Box::new(y.read().at(5)),
        );
        let body = equal(condition(choice), truth(true));
        let both = quantified(QuantifierKind::Forall, 0, Domain::Type(p), body.clone());
        let i = || vec![local("i", p, LocalKind::Bound)];
        let failure = Interpreter::new(&model)
            .evaluate(&both, &i(), &[], &State(vec![Value::Undefined; 2]))
            .expect_err("both instances fail");
        assert_eq!(failure.span, Span::at(5));
        let in_loop = for_each(0, Domain::Type(p), true, vec![assign(&x, body)]);
        check_message(model.clone(), i(), vec![in_loop], "`y` is undefined");
    }
}

#[test]
fn stores_are_checked() {
    let mut model = empty();
    let small = model.range(0, 3);
    let array = model.array(small, small);
    let record = model.record(&[("n", small)]);
    let x = model.variable("x", small);
    let a = model.variable("a", array);
    let r = model.variable("r", record);
    let n = r.field(0, small);
    for (body, message) in [
        (vec![assign(&x, number(4))], "`x` cannot be 4: its type is 0..3"),
        (vec![assign(&n, number(-1))], "`r.n` cannot be -1: its type is 0..3"),
        (
            vec![assign(&a.element(number(4), small), number(0))],
            "`a` has no element 4: its indices are 0..3",
        ),
        (
            vec![assign(&a.element(number(1), small), number(9))],
            "`a[1]` cannot be 9: its type is 0..3",
        ),
        (vec![assign(&x, add(n.read(), number(0)))], "`r.n` is undefined"),
        (vec![assign(&a.element(x.read(), small), number(0))], "`x` is undefined"),
        (vec![statement(S::Error("No way.".to_owned()))], "No way."),
    ] {
        check_message(model.clone(), Vec::new(), body, message);
    }
    let body = vec![
        statement(S::Clear(a.clone())),
        assign(&a.element(number(2), small), number(3)),
        statement(S::Undefine(a.element(number(1), small))),
        assign(&x, number(1)),
        assign(&n, a.element(number(2), small).read()),
    ];
    let expected = "x = 1\na[0] = 0\na[1] = undefined\na[2] = 3\na[3] = 0\nr.n = 3\n";
    assert_eq!(result(&executing(model, Vec::new(), body)), expected);
}

#[test]
fn loops() {
    let mut model = empty();
    let digit = model.range(0, 1_000_000);
    let n = model.variable("n", digit);
    let i = || vec![local("i", digit, LocalKind::Bound)];
    let count = || vec![assign(&n, add(n.read(), number(1)))];
    let last = || vec![assign(&n, slot(0, digit).read())];
    let zero = || assign(&n, number(0));
    for (from, to, by, body, expected) in [
        (1, 3, None, count(), "n = 3\n"),
        (1, 8, Some(3), last(), "n = 7\n"),
        (3, 1, Some(-1), last(), "n = 1\n"),
        (5, 5, Some(-2), count(), "n = 1\n"),
        (i64::MAX, i64::MAX, None, count(), "n = 1\n"),
        (1, 0, None, count(), "1 to 0 runs the wrong way"),
        (0, 1, Some(-1), count(), "0 to 1 by -1 runs the wrong way"),
        (0, 1, Some(0), count(), "steps of 0 never end"),
    ] {
        let body = vec![zero(), for_each(0, steps(from, to, by), false, body)];
        assert_eq!(result(&executing(model.clone(), i(), body)), expected, "{from} {to} {by:?}");
    }
    // The bounds are evaluated on entry.
    let to_n = Domain::Steps { from: Box::new(number(1)), to: Box::new(n.read()), by: None };
    let body = vec![assign(&n, number(2)), for_each(0, to_n, false, count())];
    assert_eq!(result(&executing(model.clone(), i(), body)), "n = 4\n");
    let below = less(n.read(), number(5));
    let body = vec![zero(), statement(S::While { condition: below, body: count() })];
    assert_eq!(result(&executing(model.clone(), i(), body)), "n = 5\n");
    let endless = statement(S::While { condition: truth(true), body: Vec::new() });
    let endless = executing(model.clone(), i(), vec![endless]);
    assert_eq!(impatient().over(|| result(&endless)), Err(StopReason::Interrupted));
    // `return` leaves all loops.
    let leave = if_then(equal(n.read(), number(2)), vec![statement(S::Return(None))]);
    let body = [count(), vec![leave]].concat();
    let body = vec![zero(), for_each(0, steps(1, 9, None), false, body), zero()];
    assert_eq!(result(&executing(model, i(), body)), "n = 2\n");
}

#[test]
fn switches() {
    let mut model = empty();
    let n = model.range(0, 9);
    let x = model.variable("x", n);
    let y = model.variable("y", n);
    let switch = || {
        let cases = vec![
            (vec![number(1), number(2)], vec![assign(&y, number(1))]),
            (vec![number(2), number(3)], vec![assign(&y, number(2))]),
        ];
        let otherwise = vec![assign(&y, number(3))];
        statement(S::Switch { subject: x.read(), cases, otherwise })
    };
    for (subject, expected) in [(1, 1), (2, 1), (3, 2), (4, 3)] {
        let model =
            executing(model.clone(), Vec::new(), vec![assign(&x, number(subject)), switch()]);
        assert_eq!(result(&model), format!("x = {subject}\ny = {expected}\n"));
    }
    check_message(model, Vec::new(), vec![switch()], "`x` is undefined");
}

#[test]
fn unordered_loops_run_every_iteration() {
    let mut model = empty();
    let p = model.index("p", IndexKind::Scalarset, 2);
    let done = model.property(PropertyKind::Assume, "never", None);
    let x = model.variable("x", BOOLEAN);
    let first = |k| equal(slot(0, p).read(), index(&model, p, k));
    let assume = statement(S::Property { property: done, condition: truth(false) });
    let fail = statement(S::Error("failed".to_owned()));
    for (unordered, expected) in [(true, "failed"), (false, "")] {
        // The step is abandoned by one iteration, and the other one fails.
        let body =
            vec![if_then(first(0), vec![assume.clone()]), if_then(first(1), vec![fail.clone()])];
        let body = vec![assign(&x, truth(true)), for_each(0, Domain::Type(p), unordered, body)];
        let locals = vec![local("i", p, LocalKind::Bound)];
        assert_eq!(result(&executing(model.clone(), locals, body)), expected);
    }
}

#[test]
fn accumulators_decide_at_the_end_of_their_loop() {
    let (t, f, u) = (Some(true), Some(false), None);
    for (or, values, expected) in [
        (false, [t, u, f], "false"),
        (false, [f, u, t], "false"),
        (false, [t, t, t], "true"),
        (false, [t, u, t], "`a[p_1]` is undefined"),
        (true, [u, u, t], "true"),
        (true, [t, u, f], "true"),
        (true, [f, f, f], "false"),
        (true, [f, f, u], "`a[p_2]` is undefined"),
    ] {
        for loops in [1, 2] {
            let mut model = empty();
            let p = model.index("p", IndexKind::Scalarset, 3);
            let array = model.array(p, BOOLEAN);
            let v = model.variable("v", BOOLEAN);
            let a = model.variable("a", array);
            let mut body = vec![assign(&v, truth(!or))];
            for (k, value) in values.iter().enumerate() {
                if let Some(value) = value {
                    let k = index(&model, p, k as u64);
                    body.push(assign(&a.element(k, BOOLEAN), truth(*value)));
                }
            }
            // With two loops the outer one ranges over the elements, and the inner one has no
            // influence.
            let value = a.element(slot(0, p).read(), BOOLEAN).read();
            let mut inner = statement(S::Accumulate { target: v.clone(), or, value, loops });
            if loops == 2 {
                inner = for_each(1, Domain::Type(p), true, vec![inner]);
            }
            body.push(for_each(0, Domain::Type(p), true, vec![inner]));
            let locals = vec![local("i", p, LocalKind::Bound), local("j", p, LocalKind::Bound)];
            let found = result(&executing(model, locals, body));
            let found = found.strip_prefix("v = ").unwrap_or(&found);
            assert_eq!(found.lines().next(), Some(expected), "{or} {values:?} {loops}");
        }
    }
}
