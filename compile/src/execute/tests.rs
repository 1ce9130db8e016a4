//! Runs forms that are made by hand.

#![allow(clippy::needless_pass_by_value, reason = "forms are made where they are used")]

use crate::cells::{PRESENT, UNDEFINED};
use crate::form::{
    ADDED, Cells, Frame, Index, Level, Loop, Operator, Place, PropertyForm, Quantifier, Range,
    Register, RuleForm, Scope, Statement, Value, Values,
};
use crate::lower::bag::Bag;
use crate::lower::place::Element;
use crate::machine::{Machine, Trap};
use model::checked::{Arithmetic, Comparison, PropertyId};
use std::sync::Arc;

const FAILURE: Result<i64, Trap> = Err(Trap::Failure);
/// In messages about states: an undefined cell.
const NONE: i64 = UNDEFINED;

fn frame(registers: usize, cells: usize) -> Frame {
    Frame { registers: vec![Range::ALL; registers], cells }
}

/// The frame of all tests: eight registers and eight cells.
fn usual() -> Frame {
    frame(8, 8)
}

fn r(k: u32) -> Register {
    Register(k)
}

fn number(value: i64) -> Value {
    Value::Constant(value)
}

fn register(k: u32) -> Value {
    Value::Register(r(k))
}

fn state(cell: usize) -> Cells {
    Cells { base: cell, indices: Vec::new(), low: 0, high: 0 }
}

fn index(mut cells: Cells, value: Value, least: i64, stride: usize) -> Cells {
    cells.indices.push(Index { value, least, stride });
    cells
}

fn set(k: u32, value: Value) -> Statement {
    Statement::register(r(k), value)
}

fn store(to: Cells, value: Value) -> Statement {
    Statement::store(to, value)
}

fn load(cells: Cells) -> Value {
    Value::Load(Place::Cells(cells), Range::ALL)
}

fn binary(operator: Operator, a: Value, b: Value) -> Value {
    Value::Binary(operator, Box::new(a), Box::new(b))
}

fn equal(a: Value, b: Value) -> Value {
    binary(Operator::Equal, a, b)
}

fn add(a: Value, b: Value) -> Value {
    binary(Operator::Arithmetic(Arithmetic::Add), a, b)
}

fn inside(value: Value, low: i64, high: i64) -> Value {
    Value::Inside(Box::new(value), Range { low, high })
}

fn choose(condition: Value, yes: Value, no: Value) -> Value {
    Value::If(Box::new([condition, yes, no]))
}

fn over(register: u32, from: i64, by: i64, count: u64) -> Loop {
    Loop { register: r(register), values: Values { from, by, count } }
}

fn machine_with(cells: &[i64]) -> Machine {
    let mut machine = Machine::new(cells.len(), &usual());
    machine.state_mut().copy_from_slice(cells);
    machine
}

/// Evaluates a value in a state.
fn evaluate(cells: &[i64], value: Value) -> Result<i64, Trap> {
    machine_with(cells).value(&value)
}

/// Executes statements on a state, and returns the new one.
fn execute(cells: &[i64], statements: Vec<Statement>) -> Result<Vec<i64>, Trap> {
    let mut machine = machine_with(cells);
    let outcome = machine.block(&statements);
    let after = machine.state().to_vec();
    machine.undo();
    assert_eq!(machine.state(), cells, "all stores are undone");
    outcome.map(|()| after)
}

#[test]
fn operands_of_all_kinds_are_combined() {
    // An array with indices from 1 on at cell 1; the index is in cell 0.
    let cells = [2, 10, 20, 30, NONE];
    let element = || load(index(state(1), load(state(0)), 1, 1));
    let computed = || add(load(state(1)), number(10));
    let operands = [|| number(20), || load(state(2))];
    for a in operands.into_iter().chain([element as fn() -> Value, computed]) {
        for b in operands.into_iter().chain([element as fn() -> Value, computed]) {
            assert_eq!(evaluate(&cells, equal(a(), b())), Ok(1));
            assert_eq!(evaluate(&cells, add(a(), b())), Ok(40));
        }
        assert_eq!(evaluate(&cells, equal(a(), load(state(4)))), FAILURE);
        assert_eq!(evaluate(&cells, equal(load(state(4)), a())), FAILURE);
    }
}

#[test]
fn simple_values() {
    let cells = [3, NONE, 7];
    let ok = |value, expected| assert_eq!(evaluate(&cells, value), Ok(expected));
    let fails = |value| assert_eq!(evaluate(&cells, value), FAILURE);
    let place = |cell| Place::Cells(state(cell));
    ok(Value::is_undefined(place(1)), 1);
    ok(Value::is_undefined(place(0)), 0);
    ok(Value::Peek(place(1)), UNDEFINED);
    ok(Value::negated(number(1)), 0);
    ok(load(state(0)).translated(vec![1, 2, 3, 0].into()), 0);
    fails(load(state(1)).translated(vec![1, 2, 3, 0].into()));
    ok(binary(Operator::NotEqual, load(state(0)), load(state(2))), 1);
    for (operator, expected) in [
        (Comparison::Less, 1),
        (Comparison::LessOrEqual, 1),
        (Comparison::Greater, 0),
        (Comparison::GreaterOrEqual, 0),
    ] {
        ok(binary(Operator::Compare(operator), load(state(0)), load(state(2))), expected);
    }
    for (operator, expected) in [
        (Arithmetic::Subtract, 4),
        (Arithmetic::Multiply, 21),
        (Arithmetic::Divide, 2),
        (Arithmetic::Remainder, 1),
        (Arithmetic::BitwiseXor, 4),
    ] {
        ok(binary(Operator::Arithmetic(operator), load(state(2)), load(state(0))), expected);
    }
    fails(binary(Operator::Arithmetic(Arithmetic::Remainder), load(state(2)), number(0)));
    fails(add(load(state(2)), number(i64::MAX)));
    let table: Arc<[i64]> = Arc::new([5, -1, -1, 6]);
    ok(Value::Translate(Box::new(load(state(0))), table.clone()), 6);
    ok(Value::Translate(Box::new(number(1)), table.clone()), -1);
    ok(Value::Translate(Box::new(number(7)), table), -1);
    fails(load(state(1)));
}

#[test]
fn values_outside_their_range_trap() {
    let cells = [3];
    assert_eq!(evaluate(&cells, inside(load(state(0)), 0, 3)), Ok(3));
    assert_eq!(evaluate(&cells, inside(load(state(0)), 0, 2)), FAILURE);
    assert_eq!(evaluate(&cells, inside(add(load(state(0)), number(1)), 0, 4)), Ok(4));
    assert_eq!(evaluate(&cells, inside(add(load(state(0)), number(1)), 0, 3)), FAILURE);
    assert_eq!(evaluate(&cells, inside(number(9), 0, 3)), FAILURE);
}

#[test]
fn conditions_evaluate_one_branch() {
    let cells = [1, 0, NONE];
    let (yes, no, trap) = (|| load(state(0)), || load(state(1)), || load(state(2)));
    for (value, expected) in [
        (choose(no(), trap(), number(0)), Ok(0)),
        (choose(yes(), trap(), number(0)), FAILURE),
        (choose(yes(), number(1), trap()), Ok(1)),
        (choose(no(), number(1), trap()), FAILURE),
        (choose(yes(), no(), trap()), Ok(0)),
        (choose(no(), trap(), yes()), Ok(1)),
        (choose(number(1), yes(), trap()), Ok(1)),
        (choose(number(0), trap(), yes()), Ok(1)),
        (choose(trap(), yes(), yes()), FAILURE),
    ] {
        assert_eq!(evaluate(&cells, value), expected);
    }
}

#[test]
fn quantifiers() {
    // Over the elements of an array: whether one is 1, or all are.
    let ask = |cells: &[i64], is_exists| {
        let over = over(0, 0, 1, cells.len() as u64);
        let body = equal(load(index(state(0), register(0), 0, 1)), number(1));
        evaluate(cells, Value::Quantified(Box::new(Quantifier { is_exists, over, body })))
    };
    assert_eq!(ask(&[0, 1], true), Ok(1));
    assert_eq!(ask(&[0, 0], true), Ok(0));
    assert_eq!(ask(&[0, 1], false), Ok(0));
    assert_eq!(ask(&[1, 1], false), Ok(1));
    assert_eq!(ask(&[1, NONE], true), Ok(1));
    assert_eq!(ask(&[NONE, 1], true), FAILURE);
}

#[test]
fn sums() {
    let sum = |over, body| evaluate(&[0], Value::Sum(Box::new((over, body))));
    assert_eq!(sum(over(0, 1, 2, 3), register(0)), Ok(1 + 3 + 5));
    assert_eq!(sum(over(0, 3, -1, 3), register(0)), Ok(6));
    assert_eq!(sum(over(0, 3, 1, 0), register(0)), Ok(0));
    assert_eq!(sum(over(0, 0, 1, 2), number(i64::MAX)), FAILURE);
}

#[test]
fn addresses_with_several_indices() {
    // Rows of three, with indices from 1 on, after one other cell.
    let cells = [NONE, 1, 2, 3, 4, 5, 6];
    let at = |row: Value, column: Value| index(index(state(1), row, 1, 3), column, 1, 1);
    let value = load(at(register(0), register(1)));
    let value = value.after(vec![set(0, number(2)), set(1, number(3))]);
    assert_eq!(evaluate(&cells, value), Ok(6));
    assert_eq!(evaluate(&cells, load(at(number(2), number(1)))), Ok(4));
    assert_eq!(evaluate(&cells, load(at(load(state(1)), add(load(state(1)), number(1))))), Ok(2));
    assert_eq!(evaluate(&cells, load(at(load(state(2)), load(state(1))))), Ok(4));
    assert_eq!(evaluate(&cells, load(at(load(state(0)), load(state(1))))), FAILURE);
    let three = index(at(load(state(1)), load(state(1))), load(state(1)), 0, 1);
    assert_eq!(evaluate(&cells, load(three)), Ok(2));
    let same = |a, b| Value::SameCells(Box::new((state(a), state(b))), 2);
    assert_eq!(evaluate(&[1, NONE, 1, NONE, 2], same(0, 2)), Ok(1));
    assert_eq!(evaluate(&[1, NONE, 1, NONE, 2], same(0, 3)), Ok(0));
}

#[test]
fn stores_copies_and_fills() {
    let after = execute(
        &[0, 1, 2, 3, NONE],
        vec![
            store(state(0), add(load(state(1)), number(6))),
            store(index(state(0), load(state(2)), 1, 1), number(8)),
            store(index(state(0), number(3), 1, 1), add(load(state(0)), number(1))),
            Statement::Fill(state(3), vec![5, UNDEFINED]),
        ],
    );
    assert_eq!(after, Ok(vec![7, 8, 8, 5, NONE]));
    let copy = |from, to, cells| Statement::Copy { to, from, cells };
    let after = execute(
        &[0, 1, 2, 3],
        vec![copy(state(0), state(1), 3), copy(state(0), state(4), 4), copy(state(5), state(0), 3)],
    );
    assert_eq!(after, Ok(vec![0, 1, 2, 2]));
    // The address is evaluated before the value.
    let value = Value::After(vec![set(0, number(1))], Box::new(number(9)));
    let list = vec![set(0, number(0)), store(index(state(0), register(0), 0, 1), value)];
    assert_eq!(execute(&[5, 6], list), Ok(vec![9, 6]));
}

#[test]
fn registers_may_be_undefined() {
    let read = || Value::Load(Place::Register(r(0)), Range::ALL);
    let list = |last| vec![set(0, number(1)), last, store(state(0), read())];
    let peek = Value::Peek(Place::Cells(state(1)));
    assert_eq!(execute(&[5, NONE], list(Statement::Block(vec![]))), Ok(vec![1, NONE]));
    assert_eq!(execute(&[5, NONE], list(Statement::undefine(r(0)))), Err(Trap::Failure));
    assert_eq!(execute(&[5, NONE], list(set(0, peek))), Err(Trap::Failure));
}

#[test]
fn control_flow() {
    let set_to = |value| store(state(0), number(value));
    let is = |value| equal(load(state(0)), number(value));
    let when = |value, yes, no| Statement::If(is(value), vec![yes], no);
    // One of a chain of branches is executed.
    let chain =
        vec![when(1, set_to(10), vec![when(2, set_to(20), vec![when(3, set_to(30), vec![])])])];
    for (before, after) in [(1, 10), (2, 20), (3, 30), (4, 4)] {
        assert_eq!(execute(&[before], chain.clone()), Ok(vec![after]));
    }
    // A block ends with a return; then the unit does.
    let list = vec![
        Statement::Block(vec![set_to(1), Statement::Return, set_to(2)]),
        when(1, Statement::Return, vec![]),
        set_to(3),
    ];
    assert_eq!(execute(&[0], list), Ok(vec![1]));
    let increase = store(state(0), add(load(state(0)), number(1)));
    let less = binary(Operator::Compare(Comparison::Less), load(state(0)), number(5));
    let list = vec![Statement::While(less.clone(), vec![increase.clone()])];
    assert_eq!(execute(&[0], list), Ok(vec![5]));
    let list =
        vec![Statement::While(number(1), vec![increase, when(3, Statement::Return, vec![])])];
    assert_eq!(execute(&[0], list), Ok(vec![3]));
    let list = vec![Statement::For(
        over(0, 1, 1, 9),
        vec![store(state(0), register(0)), when(4, Statement::Return, vec![])],
    )];
    assert_eq!(execute(&[0], list), Ok(vec![4]));
    assert_eq!(execute(&[0], vec![Statement::Trap]), Err(Trap::Failure));
    assert_eq!(execute(&[0], vec![Statement::Abandon]), Err(Trap::Abandoned));
    assert_eq!(execute(&[NONE], vec![set(0, is(1))]), Err(Trap::Failure));
    let unknown = index(state(0), load(state(0)), 0, 1);
    assert_eq!(execute(&[NONE], vec![set(0, load(unknown))]), Err(Trap::Failure));
}

#[test]
fn covers_are_noted_once() {
    let cover = Statement::Cover(PropertyId(3));
    let mut machine = machine_with(&[]);
    assert_eq!(machine.block(&[cover.clone(), cover]), Ok(()));
    assert_eq!(machine.covered, [PropertyId(3)]);
}

/// A multiset of up to four elements of one cell.
const CAPACITY: usize = 4;

fn bag_at(at: Cells) -> Bag {
    Bag { at, capacity: CAPACITY, stride: 2 }
}

fn bag() -> Bag {
    bag_at(state(0))
}

/// The cells of a multiset with these elements.
fn elements(list: &[i64]) -> Vec<i64> {
    let mut cells: Vec<i64> = list.iter().flat_map(|&one| [PRESENT, one]).collect();
    cells.resize(2 * CAPACITY, UNDEFINED);
    cells
}

/// The only cell of the element whose slot is in a register.
fn cell_of(slot: u32) -> Cells {
    index(state(1), register(slot), 0, 2)
}

/// Removes the element whose slot is in register 0, if it is there.
fn remove() -> [Statement; 2] {
    let element = Element { bag: bag(), slot: r(0), may_go: true };
    [element.require(), store(element.slot(), number(NONE))]
}

/// Register 3 holds numbers of slots.
fn add_number(value: i64) -> Statement {
    bag().add(r(3), |to| store(to, number(value)))
}

#[test]
fn elements_are_added_into_the_first_slot_without_one() {
    let chosen = |k, list: &[Statement]| [&[set(0, number(k))], &remove()[..], list].concat();
    let after = execute(&elements(&[5, 6]), chosen(0, &[add_number(7), add_number(8)]));
    assert_eq!(after, Ok(vec![ADDED, 7, PRESENT, 6, ADDED, 8, NONE, NONE]));
    // The slot has another element now: that one was not chosen.
    let again = chosen(0, &[&[add_number(7)], &remove()[..]].concat());
    assert_eq!(execute(&elements(&[5, 6]), again), Err(Trap::Failure));
    assert_eq!(execute(&elements(&[5]), chosen(0, &remove())), Err(Trap::Failure));
    assert_eq!(execute(&elements(&[1, 2, 3, 4]), vec![add_number(5)]), Err(Trap::Failure));
    let copied = bag().add(r(3), |to| Statement::Copy { to, from: state(1), cells: 1 });
    let after = execute(&elements(&[5, 6]), vec![copied]);
    assert_eq!(after, Ok(vec![PRESENT, 5, PRESENT, 6, ADDED, 5, NONE, NONE]));
}

#[test]
fn cells_that_are_added_may_overlap_the_slot() {
    let add = |capacity, from| {
        let bag = Bag { at: state(0), capacity, stride: 3 };
        vec![bag.add(r(3), |to| Statement::Copy { to, from: state(from), cells: 2 })]
    };
    assert_eq!(execute(&[NONE, 7, 8, 4, 5, 6], add(2, 3)), Ok(vec![ADDED, 4, 5, 4, 5, 6]));
    assert_eq!(execute(&[NONE, 7, 8], add(1, 0)), Ok(vec![ADDED, NONE, 7]));
}

#[test]
fn elements_are_counted_and_removed_where_a_condition_is_true() {
    let six = || equal(load(cell_of(0)), number(6));
    let count = store(state(8), bag().count(r(0), six()));
    let mut cells = elements(&[5, 6, 6]);
    cells.push(NONE);
    let after = execute(&cells, vec![add_number(6), count.clone()]).unwrap();
    assert_eq!(after[8], 3);
    let [find, remove] = bag().remove_where(r(0), six(), state(9));
    let after = execute(&cells, vec![find, remove, count.clone()]);
    assert_eq!(after, Ok(vec![PRESENT, 5, NONE, 6, NONE, 6, NONE, NONE, 0]));
    let unknown = bag().count(r(0), load(state(8)));
    assert_eq!(evaluate(&cells, unknown), FAILURE);
    let clear = Statement::Fill(state(0), elements(&[]));
    assert_eq!(execute(&cells, vec![clear, count]).unwrap()[8], 0);
}

#[test]
fn multisets_are_copied() {
    let after = execute(&elements(&[5, 6]), vec![bag().copy(r(0), &bag())]);
    assert_eq!(after, Ok(vec![ADDED, 5, ADDED, 6, NONE, NONE, NONE, NONE]));
    // Through a multiset in the frame.
    let there = bag_at(state(8));
    let add = |value| there.add(r(3), |to| store(to, number(value)));
    let list = [
        &[Statement::Fill(there.at.clone(), vec![UNDEFINED; 8]), add(9)][..],
        &[there.copy(r(0), &bag()), add(7), set(0, number(0))],
        &remove()[..],
        &[bag().copy(r(0), &there)],
    ];
    let after = execute(&elements(&[5]), list.concat());
    assert_eq!(after, Ok(vec![ADDED, 5, ADDED, 7, NONE, NONE, NONE, NONE]));
}

/// The registers 0 and 1 in all enabled instances of a scope.
fn instances(cells: &[i64], scope: Scope) -> Vec<[i64; 2]> {
    let form = RuleForm { frame: usual(), scope, body: Vec::new(), arguments: Vec::new() };
    let mut machine = machine_with(cells);
    let mut found = Vec::new();
    let outcome = machine.instances(&form, &mut |m| {
        found.push([m.registers[0], m.registers[1]]);
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
    found
}

fn parameter(k: u32, count: u64) -> Level {
    Level::Parameter(over(k, 0, 1, count))
}

#[test]
fn scopes_bind_all_values() {
    let scope = Scope { levels: vec![parameter(0, 2), parameter(1, 2)], ..Scope::default() };
    assert_eq!(instances(&[], scope), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    let scope = Scope {
        levels: vec![parameter(0, 3), Level::Let(vec![set(1, add(register(0), number(5)))])],
        conditions: vec![
            vec![(equal(load(state(0)), number(1)), false)],
            vec![(equal(register(0), number(1)), true)],
            vec![(binary(Operator::NotEqual, register(1), number(7)), false)],
        ],
        ..Scope::default()
    };
    assert_eq!(instances(&[1], scope.clone()), [[0, 5]]);
    assert_eq!(instances(&[0], scope), [[0; 2]; 0]);
}

#[test]
fn equal_elements_are_chosen_once() {
    let element = |at: Cells, slot| Element { bag: bag_at(at), slot: r(slot), may_go: true };
    let scope = |chosen: &[Element]| {
        let mut scope = Scope { conditions: vec![vec![]], ..Scope::default() };
        for (k, element) in chosen.iter().enumerate() {
            let present =
                vec![Statement::If(element.is_present(), vec![], vec![Statement::Return])];
            scope.levels.extend([parameter(k as u32, CAPACITY as u64), Level::Let(present)]);
            let repeated = element.is_repeated(chosen[..k].iter());
            scope.conditions.extend([vec![], vec![(repeated, true)]]);
        }
        scope
    };
    let mut one = scope(&[element(state(0), 0)]);
    one.levels.push(parameter(1, 1));
    assert_eq!(instances(&elements(&[5, 5, 6]), one), [[0, 0], [2, 0]]);
    // The one that is chosen already is different from the others.
    let two = scope(&[element(state(0), 0), element(state(0), 1)]);
    assert_eq!(instances(&elements(&[5, 5, 5]), two.clone()), [[0, 0], [0, 1]]);
    assert_eq!(instances(&elements(&[4, 5]), two.clone()), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    assert_eq!(instances(&elements(&[]), two), [[0; 2]; 0]);
    // In another multiset nothing is chosen.
    let mut cells = elements(&[5]);
    cells.extend(elements(&[7, 7]));
    let other = scope(&[element(state(0), 0), element(state(8), 1)]);
    assert_eq!(instances(&cells, other), [[0, 0]]);
}

/// A kept value is evaluated again only when its level is bound again.
#[test]
fn kept_values_are_reset() {
    let count = store(state(0), add(load(state(0)), number(1)));
    let value = Value::After(vec![count], Box::new(equal(register(0), number(1))));
    let scope = Scope {
        levels: vec![parameter(0, 2), parameter(1, 3)],
        conditions: vec![vec![], vec![], vec![(Value::Once(r(2), Box::new(value)), false)]],
        kept: vec![vec![], vec![r(2)], vec![]],
    };
    let form = RuleForm { frame: usual(), scope, body: Vec::new(), arguments: Vec::new() };
    let mut machine = machine_with(&[0]);
    let mut visited = 0;
    let outcome = machine.instances(&form, &mut |_| {
        visited += 1;
        Ok(())
    });
    assert_eq!((outcome, visited, machine.state()), (Ok(()), 3, &[2][..]));
}

#[test]
fn properties_are_true_for_all_values() {
    let ask = |cells: &[i64]| {
        let at = || load(index(state(1), register(0), 0, 1));
        let form = PropertyForm {
            frame: usual(),
            scope: Scope {
                levels: vec![parameter(0, 2)],
                conditions: vec![
                    vec![(equal(load(state(0)), number(5)), true)],
                    vec![(equal(register(0), load(state(0))), true)],
                ],
                ..Scope::default()
            },
            condition: equal(at(), number(1)),
        };
        machine_with(cells).holds(&form)
    };
    assert_eq!(ask(&[9, 1, 1]), Ok(true));
    assert_eq!(ask(&[9, 1, 0]), Ok(false));
    assert_eq!(ask(&[9, 1, NONE]), Err(Trap::Failure));
    // Deciders: of the property, of an instance.
    assert_eq!(ask(&[5, 0, 0]), Ok(true));
    assert_eq!(ask(&[1, 1, 0]), Ok(true));
    assert_eq!(ask(&[NONE, 1, 1]), Err(Trap::Failure));
}
