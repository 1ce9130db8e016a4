//! Multisets, and `choose`.

use super::build::*;
use super::{check_message, executing, result};
use crate::checked::{
    ExpressionKind as E, Local, LocalId, LocalKind, Model, Place, Scope, Statement,
    StatementKind as S,
};
use crate::interpret::Interpreter;
use crate::types::{TypeId, Types};

/// `net: multiset [3] of 0..9`.
fn net() -> (Model, Place, TypeId) {
    let mut model = empty();
    let digit = model.range(0, 9);
    let of = model.multiset(3, digit);
    let net = model.variable("net", of);
    (model, net, digit)
}

fn put(net: &Place, n: i64) -> Statement {
    statement(S::MultisetAdd { element: number(n), multiset: net.clone() })
}

fn remove(net: &Place, k: u32) -> Statement {
    statement(S::MultisetRemove { local: LocalId(k), multiset: net.clone() })
}

fn chosen(names: &[&str], of: TypeId) -> Vec<Local> {
    names.iter().map(|name| local(name, of, LocalKind::Chosen)).collect()
}

#[test]
fn elements_come_and_go() {
    let (model, net, digit) = net();
    let is_big = || less(number(4), net.chosen(0, digit).read());
    let drop_big = || {
        let (local, multiset, condition) = (LocalId(0), net.clone(), is_big());
        statement(S::MultisetRemoveWhere { local, multiset, condition })
    };
    let full = "`net` is full: it has room for 3";
    for (body, expected) in [
        (vec![put(&net, 7), put(&net, 2), put(&net, 7)], "net = {2, 7, 7}\n"),
        (vec![put(&net, 7), put(&net, 2), put(&net, 7), put(&net, 1)], full),
        (vec![put(&net, 10)], "an element of `net` cannot be 10: its type is 0..9"),
        (vec![put(&net, 7), put(&net, 2), put(&net, 8), drop_big()], "net = {2}\n"),
        // The capacity counts present elements only.
        (vec![put(&net, 7), put(&net, 8), put(&net, 9), drop_big(), put(&net, 1)], "net = {1}\n"),
        (vec![put(&net, 7), statement(S::Undefine(net.clone())), put(&net, 1)], "net = {1}\n"),
        (vec![put(&net, 7), assign(&net, net.read()), put(&net, 1)], "net = {1, 7}\n"),
    ] {
        let found = result(&executing(model.clone(), chosen(&["i"], digit), body));
        assert_eq!(found, expected);
    }
    let (local, multiset, condition) = (LocalId(0), net.clone(), Box::new(is_big()));
    let count = expression(E::MultisetCount { local, multiset, condition }, Types::INTEGER);
    let body = vec![put(&net, 7), drop_big(), put(&net, 5), statement(S::Put(count.clone()))];
    check_printed(&executing(model.clone(), chosen(&["i"], digit), body), &["1"]);
    let body = vec![put(&net, 7), put(&net, 2), put(&net, 7), statement(S::Put(count))];
    check_printed(&executing(model, chosen(&["i"], digit), body), &["2"]);
}

fn check_printed(model: &Model, expected: &[&str]) {
    let interpreter = Interpreter::new(model);
    let start = super::start(model);
    let instances = interpreter.instances(&start).expect("guards do not fail");
    let outcome = interpreter.fire(&start, &instances[0]).expect("the body does not fail");
    assert_eq!(outcome.printed, expected);
}

#[test]
fn copies_are_settled_and_compare_without_order() {
    let (mut model, net, _) = net();
    let other = model.variable("other", net.of);
    let same = model.variable("same", BOOLEAN);
    let compare = assign(&same, equal(net.read(), other.read()));
    let body = vec![put(&net, 1), put(&net, 2), put(&other, 2), put(&other, 1), compare];
    let expected = "net = {1, 2}\nother = {1, 2}\nsame = true\n";
    assert_eq!(result(&executing(model, Vec::new(), body)), expected);
}

/// The events and targets of a rule under these `choose`s over a net of 1, 1 and 2.
fn choose(names: &[&str], body: impl Fn(&Place) -> Vec<Statement>) -> Vec<(String, String)> {
    let (mut model, net, digit) = net();
    model.start(Vec::new(), Vec::new(), vec![put(&net, 1), put(&net, 2), put(&net, 1)]);
    let scope = (0..names.len() as u32)
        .map(|k| Scope::Choose { local: LocalId(k), multiset: net.clone() })
        .collect();
    let around = Around { scope, locals: chosen(names, digit), ..Around::default() };
    model.rule("take", around, body(&net));
    let interpreter = Interpreter::new(&model);
    let start = super::start(&model);
    let mut found = Vec::new();
    for instance in interpreter.instances(&start).expect("there are no guards") {
        let target = match interpreter.fire(&start, &instance) {
            Ok(outcome) => outcome.target.expect("nothing is assumed").show(&model),
            Err(failure) => failure.message,
        };
        found.push((instance.event.show(&model), target));
    }
    found
}

#[test]
fn equal_elements_are_one_instance() {
    let found = choose(&["i"], |net| vec![remove(net, 0)]);
    let expected = [("take(1)", "net = {1, 2}\n"), ("take(2)", "net = {1, 1}\n")];
    assert_eq!(found, expected.map(|(event, target)| (event.to_owned(), target.to_owned())));
    let gone = "the element has been removed from `net`";
    let found = choose(&["i", "j"], |net| vec![remove(net, 0), remove(net, 1)]);
    let expected = [
        ("take(1, 1)", gone), // one element, chosen twice
        ("take(1, 1)", "net = {2}\n"),
        ("take(1, 2)", "net = {1}\n"),
        ("take(2, 1)", "net = {1}\n"),
        ("take(2, 2)", gone),
    ];
    assert_eq!(found, expected.map(|(event, target)| (event.to_owned(), target.to_owned())));
}

#[test]
fn what_is_chosen_stays_what_it_was() {
    // Neither removing another element nor refilling the multiset moves a position.
    let of = net().2;
    let two = |found: Vec<(String, String)>| {
        let at = found.into_iter().find(|(event, _)| event == "take(2)");
        at.expect("2 is in the net").1
    };
    let add_one = move |net: &Place| add(net.chosen(0, of).read(), number(1));
    let found = choose(&["i"], |net| {
        vec![assign(&net.chosen(0, of), add_one(net)), remove(net, 0), put(net, 9)]
    });
    assert_eq!(two(found), "net = {1, 1, 9}\n");
    let found = choose(&["i"], |net| {
        let clear = statement(S::Undefine(net.clone()));
        vec![clear, put(net, 5), put(net, 6), put(net, 7), assign(&net.chosen(0, of), number(0))]
    });
    assert_eq!(two(found), "`net[..]` has been removed");
    let found = choose(&["i"], |net| vec![remove(net, 0), put(net, 4), remove(net, 0)]);
    assert_eq!(two(found), "the element has been removed from `net`");
}

#[test]
fn all_conditions_are_evaluated() {
    // The condition fails for 1 at a later position of the text than for 2.
    let (mut model, net, digit) = net();
    let x = model.variable("x", BOOLEAN);
    let y = model.variable("y", BOOLEAN);
    let is_one = equal(net.chosen(0, digit).read(), number(1));
    let [x, y] = [x.read().at(9), y.read().at(5)].map(Box::new);
    let condition = condition(E::Conditional(Box::new(is_one), x, y));
    let where_ = S::MultisetRemoveWhere { local: LocalId(0), multiset: net.clone(), condition };
    let body = vec![put(&net, 1), put(&net, 2), statement(where_)];
    check_message(model, chosen(&["i"], digit), body, "`y` is undefined");
}
