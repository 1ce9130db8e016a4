//! Calls, aliases, references.

use super::super::{FailureKind, Interpreter};
use super::build::*;
use super::{check_message, executing, result, start};
use crate::checked::{
    Argument, Arithmetic, Domain, Expression, ExpressionKind as E, FunctionId, LocalId, LocalKind,
    Model, Place, Statement, StatementKind as S,
};
use crate::syntax::{IndexKind, QuantifierKind};
use crate::types::{TypeId, Types};
use ltl::Span;

/// `n: 0..9`, `a: array [0..9] of 0..9`.
fn digits() -> (Model, TypeId) {
    let mut model = empty();
    let digit = model.range(0, 9);
    let array = model.array(digit, digit);
    model.variable("n", digit);
    model.variable("a", array);
    (model, digit)
}

fn n(model: &Model) -> Place {
    global(model, 0)
}

fn a(model: &Model) -> Place {
    global(model, 1)
}

#[test]
fn parameters() {
    let (mut model, digit) = digits();
    let (n, a) = (n(&model), a(&model));
    // procedure f0(var x: digit; y: digit); var z: digit; begin z := y; x := z + 1 end
    let x = || local("x", digit, LocalKind::WritableParameter);
    let y = || local("y", digit, LocalKind::Parameter);
    let z = || local("z", digit, LocalKind::Variable);
    let body = vec![
        assign(&slot(2, digit), slot(1, digit).read()),
        assign(&slot(0, digit), add(slot(2, digit).read(), number(1))),
    ];
    let set = model.function(vec![x(), y()], vec![z()], None, body);
    // procedure f1(var x: digit): passes its own parameter on.
    let inner = vec![Argument::Reference(slot(0, digit)), Argument::Value(number(4))];
    let pass = model.function(vec![x()], Vec::new(), None, vec![perform(set, inner)]);
    // function f2(x: digit): digit; begin end
    let falls = model.function(vec![y()], Vec::new(), Some(digit), Vec::new());
    let by = |place: &Place, value| {
        vec![Argument::Reference(place.clone()), Argument::Value(number(value))]
    };
    let locals = || vec![local("own", digit, LocalKind::Variable)];
    let own = slot(0, digit);
    let at_n = a.element(n.read(), digit);
    let only_n = |value: &str| format!("n = {value}\n");
    for (body, expected) in [
        (vec![perform(set, by(&n, 2))], only_n("3")),
        (vec![perform(pass, vec![Argument::Reference(n.clone())])], only_n("5")),
        // A local of the caller, and through two calls.
        (
            vec![perform(pass, vec![Argument::Reference(own.clone())]), assign(&n, own.read())],
            only_n("5"),
        ),
        (
            vec![perform(set, by(&n, 10))],
            "parameter `y` of `f0` cannot be 10: its type is 0..9".to_owned(),
        ),
        (vec![perform(set, by(&n, 9))], "`n` cannot be 10: its type is 0..9".to_owned()),
        (
            vec![perform(falls, vec![Argument::Value(number(0))])],
            "`f2` ends without `return`".to_owned(),
        ),
        (vec![perform(set, by(&at_n, 9))], "`n` is undefined".to_owned()),
        (vec![assign(&own, add(own.read(), number(1)))], "`own` is undefined".to_owned()),
    ] {
        let found = result(&executing(model.clone(), locals(), body));
        assert!(found.starts_with(&expected), "{found}, not {expected}");
    }
}

#[test]
fn a_reference_stays_where_it_was_bound() {
    let (model, digit) = digits();
    let (n, a) = (n(&model), a(&model));
    // alias e: a[n] do n := 2; e := 7 end, with n = 1.
    let e = slot(0, digit);
    let target = a.element(n.read(), digit).read();
    let body = vec![assign(&n, number(2)), assign(&e, number(7))];
    let alias = statement(S::Alias { local: LocalId(0), target, body });
    let locals = || vec![local("e", digit, LocalKind::Alias)];
    let found = result(&executing(model.clone(), locals(), vec![assign(&n, number(1)), alias]));
    assert!(found.contains("a[1] = 7\na[2] = undefined\n"), "{found}");
    // alias e: n + 1 do n := 2; a[0] := e end, with n = 4.
    let target = add(n.read(), number(1));
    let body = vec![assign(&n, number(2)), assign(&a.element(number(0), digit), e.read())];
    let alias = statement(S::Alias { local: LocalId(0), target, body });
    let found = result(&executing(model, locals(), vec![assign(&n, number(4)), alias]));
    assert!(found.starts_with("n = 2\na[0] = 5\n"), "{found}");
}

/// `function f0(x: integer): integer; begin if x = 0 then return 0 else return 1 + f0(x - 1)`,
/// with a loop and a quantifier around the recursive call.
fn recursive(model: &mut Model) {
    let integer = Types::INTEGER;
    let x = slot(0, integer);
    let function = FunctionId(model.functions.len() as u32);
    let minus = Argument::Value(add(x.read(), number(-1)));
    let inner = add(number(1), call(function, vec![minus], integer)).at(7);
    let truth = quantified(QuantifierKind::Exists, 2, steps(1, 1, None), equal(x.read(), inner));
    let chosen = if_then(truth, vec![statement(S::Return(Some(x.read())))]);
    let body = vec![
        if_then(equal(x.read(), number(0)), vec![statement(S::Return(Some(number(0))))]),
        for_each(1, steps(1, 1, None), false, vec![chosen]),
    ];
    let parameter = local("x", integer, LocalKind::Parameter);
    let bound = || local("i", integer, LocalKind::Bound);
    model.function(vec![parameter], vec![bound(), bound()], Some(integer), body);
}

#[test]
fn recursion_ends_before_the_stack_does() {
    let (mut model, _) = digits();
    recursive(&mut model);
    let function = FunctionId(0);
    let [fits, too_deep] = on_main_stack(|| {
        let interpreter = Interpreter::new(&model);
        let state = start(&executing(model.clone(), Vec::new(), Vec::new()));
        [999, 1_000].map(|depth| {
            let depth = Argument::Value(number(depth));
            let found = call(function, vec![depth], Types::INTEGER);
            interpreter.evaluate(&found, &[], &[], &state)
        })
    });
    fits.expect("a thousand calls are allowed");
    let failure = too_deep.expect_err("a thousand and one are not");
    assert_eq!(failure.kind, FailureKind::TooDeep);
    assert_eq!(failure.message, "more than 1000 calls inside each other");
    assert_eq!((failure.calls.len(), failure.diagnostic().related.len()), (1_000, 9));
    assert_eq!(failure.diagnostic().related[4].1, "and 992 calls like this");
}

/// Wraps a part in another.
type Wrap<'a, T> = &'a (dyn Fn(T) -> T + Sync);

#[test]
fn nesting_ends_before_the_stack_does() {
    let mut model = empty();
    let array = model.array(BOOLEAN, BOOLEAN);
    let a = model.variable("a", array);
    let bag = model.multiset(1, BOOLEAN);
    let bag = model.variable("bag", bag);
    let same = vec![statement(S::Return(Some(slot(0, BOOLEAN).read())))];
    let parameter = local("x", BOOLEAN, LocalKind::Parameter);
    let same = model.function(vec![parameter], Vec::new(), Some(BOOLEAN), same);
    let once = || steps(1, 1, None);
    let count = |inner| {
        let (local, multiset, condition) = (LocalId(1), bag.clone(), Box::new(inner));
        expression(E::MultisetCount { local, multiset, condition }, Types::INTEGER)
    };
    let expressions: [Wrap<Expression>; 8] = [
        &|inner| condition(E::Not(Box::new(inner))),
        &|inner| condition(E::And(Box::new(truth(true)), Box::new(inner))),
        &|inner| equal(truth(true), inner),
        &|inner| quantified(QuantifierKind::Forall, 0, once(), inner),
        &|inner| arithmetic(Arithmetic::Add, number(1), inner),
        &|inner| condition(E::Read(a.element(inner, BOOLEAN))),
        &|inner| call(same, vec![Argument::Value(inner)], BOOLEAN),
        &|inner| less(number(0), count(inner)),
    ];
    let statements: [Wrap<Statement>; 6] = [
        &|inner| if_then(truth(true), vec![inner]),
        &|inner| for_each(0, once(), false, vec![inner]),
        &|inner| for_each(0, once(), true, vec![inner]),
        &|inner| statement(S::While { condition: truth(true), body: vec![inner] }),
        &|inner| {
            let (cases, otherwise) = (Vec::new(), vec![inner]);
            statement(S::Switch { subject: number(1), cases, otherwise })
        },
        &|inner| {
            let (local, target, body) = (LocalId(0), number(1), vec![inner]);
            statement(S::Alias { local, target, body })
        },
    ];
    let check = |inner: Statement| {
        let fill = S::MultisetAdd { element: truth(true), multiset: bag.clone() };
        let locals = vec![
            local("i", Types::INTEGER, LocalKind::Bound),
            local("j", BOOLEAN, LocalKind::Chosen),
        ];
        let message = "more than 10000 expressions and statements inside each other";
        check_message(model.clone(), locals, vec![statement(fill), inner], message);
    };
    on_main_stack(|| {
        for wrap in expressions {
            let deep = (0..10_000).fold(truth(true), |inner, _| wrap(inner));
            check(if_then(deep, Vec::new()));
        }
        for wrap in statements {
            check((0..10_001).fold(statement(S::Return(None)), |inner, _| wrap(inner)));
        }
    });
}

/// Runs `body` with as much stack as a main thread has.
fn on_main_stack<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn_scoped(scope, body);
        thread.expect("threads can be had").join().expect("the stack does not overflow")
    })
}

#[test]
fn a_failure_knows_the_calls_around_it() {
    let (mut model, digit) = digits();
    let n = n(&model);
    let read = vec![statement(S::Return(Some(add(n.read().at(3), number(0)))))];
    let inner = model.function(Vec::new(), Vec::new(), Some(digit), read);
    let pass = vec![statement(S::Return(Some(call(inner, Vec::new(), digit).at(5))))];
    let outer = model.function(Vec::new(), Vec::new(), Some(digit), pass);
    let body = vec![assign(&n, call(outer, Vec::new(), digit).at(9))];
    let model = executing(model, Vec::new(), body);
    let failure = Interpreter::new(&model).steps(&start(&model)).expect_err("n is undefined");
    assert_eq!((failure.kind, failure.span), (FailureKind::Undefined, Span::at(3)));
    assert_eq!(failure.calls, [Span::at(9), Span::at(5)]);
    let (process, event) = *failure.during.expect("it happened in a step");
    assert_eq!((process.show(&model), event.show(&model)), ("system".into(), "step".into()));
}

#[test]
fn the_frame_of_a_failed_call_is_left() {
    // if exists i: p. f0(i), where f0 fails for all but the last: the frames of the others are
    // removed.
    let (mut model, _) = digits();
    let p = model.index("p", IndexKind::Scalarset, 3);
    let array = model.array(p, BOOLEAN);
    let seen = model.variable("seen", array);
    let one = seen.element(slot(0, p).read(), BOOLEAN).read();
    let body = vec![statement(S::Return(Some(equal(one, truth(true)))))];
    let parameter = local("x", p, LocalKind::Parameter);
    let function = model.function(vec![parameter], Vec::new(), Some(BOOLEAN), body);
    let each = call(function, vec![Argument::Value(slot(0, p).read())], BOOLEAN);
    let some = quantified(QuantifierKind::Exists, 0, Domain::Type(p), each);
    let body = vec![
        assign(&seen.element(index(&model, p, 2), BOOLEAN), truth(true)),
        if_then(some, vec![assign(&n(&model), number(1)).at(4)]),
        perform(function, vec![Argument::Value(index(&model, p, 0))]).at(8),
    ];
    let locals = vec![local("i", p, LocalKind::Bound)];
    let model = executing(model, locals, body);
    let failure = Interpreter::new(&model).steps(&start(&model)).expect_err("the last call fails");
    assert_eq!(
        (failure.message.as_str(), failure.calls),
        ("`seen[p_0]` is undefined", vec![Span::at(8)])
    );
}
