//! Machine code of forms that are written by hand.

use super::generate;
use crate::cells::{Layout, PRESENT, Shape, UNDEFINED};
use crate::form::{
    Cells, Frame, Index, Level, Loop, Operator, Place, PropertyForm, Quantifier, Range, Register,
    RuleForm, Scope, Statement, Value, Values,
};
use crate::lower::bag::Bag;
use crate::lower::place::Element;
use crate::settle::settle;
use model::checked::{Arithmetic, Comparison, PropertyId};

/// Cells after the state that units may use.
const FRAME: usize = 64;
const U: i64 = UNDEFINED;
const P: i64 = PRESENT;

#[test]
fn arithmetic_is_exact_or_traps() {
    use Arithmetic::{
        Add, BitwiseXor, Divide, Multiply, Remainder, ShiftLeft, ShiftRight, Subtract,
    };
    let wide = 1 << 40;
    #[rustfmt::skip]
    let table = [
        (Add,        3,    4,       Some(7)),
        (Subtract,   3,    4,       Some(-1)),
        (Multiply,   -3,   4,       Some(-12)),
        (Multiply,   wide, wide,    None),
        (Divide,     -7,   2,       Some(-3)),
        (Divide,     7,    0,       None),
        (Remainder,  -7,   2,       Some(-1)),
        (Remainder,  7,    0,       None),
        (BitwiseXor, 6,    3,       Some(5)),
        (ShiftLeft,  3,    4,       Some(48)),
        (ShiftLeft,  3,    62,      None),
        (ShiftLeft,  3,    -1,      None),
        (ShiftRight, -9,   1,       Some(-5)),
        (ShiftRight, 3,    64,      None),
    ];
    for (operator, a, b, expected) in table {
        let sum = binary(Operator::Arithmetic(operator), load(0), load(1));
        let body = vec![store(2, inside(sum, -(1 << 60), 1 << 60))];
        let shapes = vec![Shape::range(-(1 << 60), 1 << 60); 3];
        let found = steps(shapes, &rule(&[], body), &[a, b, 0]);
        let expected = expected.map(|c| vec![vec![a, b, c]]);
        assert_eq!(found, expected, "{a} {operator:?} {b}");
    }
}

#[test]
fn what_is_undefined_or_out_of_range_traps() {
    let body = vec![store(1, inside(load(0), 2, 3))];
    for (value, expected) in [(U, None), (1, None), (2, Some(2)), (3, Some(3)), (4, None)] {
        let found = steps(vec![Shape::range(0, 4); 2], &rule(&[], body.clone()), &[value, 0]);
        assert_eq!(found, expected.map(|after| vec![vec![value, after]]), "{value}");
    }
    let body = vec![store(1, load(0))];
    assert_eq!(steps(vec![Shape::range(0, 4); 2], &rule(&[], body), &[U, 0]), None);
}

#[test]
fn tables() {
    let table: crate::form::Table = vec![4, 5, -1, 0].into();
    let translated = |k| Value::Translate(Box::new(number(k)), table.clone());
    let cases = [
        (inside(translated(1), 0, 5), Some(5)),
        (inside(translated(3), 0, 5), Some(0)),
        (inside(translated(2), 0, 5), None),
        (inside(translated(9), 0, 5), None),
        (compare(Comparison::Less, translated(2), number(0)), Some(1)),
        (compare(Comparison::Less, translated(0), number(0)), Some(0)),
        (number(2).translated(vec![1, 2, 0].into()), Some(0)),
        (number(0).translated(vec![2, 0, 1].into()), Some(2)),
        (Value::negated(number(7)), Some(0)),
        (Value::is_undefined(Place::Cells(cell(0))), Some(1)),
    ];
    for (value, expected) in cases {
        let found = steps(vec![Shape::range(0, 5)], &rule(&[], vec![store(0, value)]), &[U]);
        assert_eq!(found, expected.map(|after| vec![vec![after]]));
    }
}

#[test]
fn parameters_index_arrays() {
    // For every i from 1 to 3 with a[i] > 0: a[i] := a[i] - 1.
    let element = || indexed(0, register(0), 1, (0, 2));
    let condition = compare(Comparison::Greater, loaded(element()), number(0));
    let less = binary(Operator::Arithmetic(Arithmetic::Subtract), loaded(element()), number(1));
    let mut rule = rule(&[(1, 3)], vec![Statement::store(element(), inside(less, 0, 9))]);
    rule.scope.levels = vec![parameter(0, values(1, 1, 3))];
    rule.scope.conditions = vec![vec![], vec![(condition, false)]];
    rule.arguments = vec![Place::Register(Register(0))];
    let expected = Some(vec![vec![1, 4, 0, 2], vec![3, 5, 0, 1]]);
    assert_eq!(steps(vec![array(3, Shape::range(0, 9))], &rule, &[5, 0, 2]), expected);
}

#[test]
fn quantifiers_stop_at_the_first_instance() {
    // An instance after the one that decides would trap: that cell is undefined.
    let one = |wanted| binary(Operator::Equal, loaded(indexed(0, register(0), 0, (0, 2))), wanted);
    for (is_exists, wanted, expected) in
        [(true, 1, Some(1)), (true, 2, None), (false, 0, Some(0)), (false, 1, Some(0))]
    {
        let quantified = quantifier(is_exists, values(0, 1, 3), one(number(wanted)));
        let found = steps(
            vec![array(3, Shape::range(0, 2)), Shape::range(0, 2)],
            &rule(&[(0, 2)], vec![store(3, quantified)]),
            &[0, 1, U, 2],
        );
        assert_eq!(found, expected.map(|it| vec![vec![0, 1, U, it]]), "{is_exists} {wanted}");
    }
}

#[test]
fn conditions_are_short_circuited() {
    // The second operand traps.
    let [yes, no, bad] = [number(1), number(0), load(0)];
    let choice =
        |a: &Value, b: &Value, c: &Value| Value::If(Box::new([a.clone(), b.clone(), c.clone()]));
    let table = [
        (choice(&no, &bad, &no), Some(0)),
        (choice(&yes, &bad, &no), None),
        (choice(&yes, &yes, &bad), Some(1)),
        (choice(&no, &bad, &yes), Some(1)),
        (Value::negated(choice(&no, &bad, &no)), Some(1)),
    ];
    for (condition, expected) in table {
        let test = Statement::If(condition.clone(), vec![store(1, number(1))], vec![]);
        for body in [vec![test], vec![store(1, condition)]] {
            let found = steps(vec![Shape::range(0, 1); 2], &rule(&[], body), &[U, 0]);
            assert_eq!(found, expected.map(|after| vec![vec![U, after]]));
        }
    }
}

#[test]
fn what_is_evaluated_once_is_kept() {
    // The second evaluation would see another value.
    let once = || Value::Once(Register(1), Box::new(load(0)));
    let body = vec![store(0, number(3)), store(1, once())];
    let mut one = rule(&[(0, 1), (0, 9)], body);
    one.scope.levels = vec![parameter(0, values(0, 1, 2))];
    one.scope.conditions = vec![vec![], vec![(binary(Operator::Equal, once(), number(2)), false)]];
    one.scope.kept = vec![vec![], vec![Register(1)]];
    let found = steps(vec![Shape::range(0, 9); 2], &one, &[2, 0]);
    assert_eq!(found, Some(vec![vec![3, 2], vec![3, 2]]));
}

#[test]
fn loops_do_not_overflow() {
    // The number of values.
    let cases = [
        (values(-i64::MAX, i64::MAX, 3), Some(3)),
        (values(i64::MAX, i64::MIN, 2), Some(2)),
        (values(3, -3, 4), Some(4)),
        (values(3, 1, 0), Some(0)),
    ];
    for (values, expected) in cases {
        let count = Statement::For(over(0, values), vec![store(0, sum(0, number(1)))]);
        let all = (i64::MIN, i64::MAX);
        let found = steps(vec![Shape::range(0, 9)], &rule(&[all], vec![count]), &[0]);
        assert_eq!(found, expected.map(|count| vec![vec![count]]), "{values:?}");
    }
}

#[test]
fn registers_may_be_undefined() {
    let place = || Place::Register(Register(0));
    let is_undefined = || Value::is_undefined(place());
    let body = vec![
        Statement::register(Register(0), Value::Peek(Place::Cells(cell(0)))),
        store(1, is_undefined()),
        Statement::undefine(Register(0)),
        store(2, is_undefined()),
    ];
    let shapes = || vec![Shape::range(0, 1); 3];
    for (state, expected) in [(U, 1), (1, 0)] {
        let found = steps(shapes(), &rule(&[(0, 1)], body.clone()), &[state, 0, 0]);
        assert_eq!(found, Some(one(&[state, expected, 1])));
    }
    let body = vec![store(1, Value::Load(place(), Range::BOOLEAN))];
    assert_eq!(steps(shapes(), &rule(&[(0, 1)], body), &[0, 0, 0]), None);
}

#[test]
fn covers_are_noted() {
    let cover = Statement::If(load(0), vec![Statement::Cover(PropertyId(5))], vec![]);
    let layout = Layout::new(vec![Shape::range(0, 1)]);
    let native = generate(&layout, &[Some(rule(&[], vec![cover]))], &[], FRAME)
        .expect("the processor is known");
    for value in [0, 1] {
        let (mut memory, mut records) = (vec![value], Vec::new());
        native.make_room(&mut memory, &mut records);
        let found = native.steps(0, &packed(&layout, &[value]), &mut memory, &mut records);
        assert!(found.is_some_and(|found| found.is_ok()));
        let covered: Vec<PropertyId> = native.covered(0, &memory).collect();
        assert_eq!(covered, [PropertyId(5)][..value as usize]);
    }
}

#[test]
fn large_elements_are_sorted_by_all_their_cells() {
    // Two cells do not fit into one word.
    let wide = || Shape::range(0, 1 << 40);
    let element = Shape::Record(vec![wide(), wide()]);
    let shapes = vec![wide(), wide(), Shape::Multiset { capacity: 3, element: Box::new(element) }];
    let bag = Bag { at: cell(2), capacity: 3, stride: 3 };
    let add = bag.add(Register(0), |to| Statement::Copy { to, from: cell(0), cells: 2 });
    let big = 1 << 39;
    for (added, expected) in [
        ([3, big], [3, big, P, 3, 7, P, 3, big, P, big, 1]),
        ([3, 2], [3, 2, P, 3, 2, P, 3, 7, P, big, 1]),
        ([big, U], [big, U, P, 3, 7, P, big, U, P, big, 1]),
        ([big, 4], [big, 4, P, 3, 7, P, big, 1, P, big, 4]),
    ] {
        let state = [added[0], added[1], P, 3, 7, P, big, 1, U, U, U];
        let found = steps(shapes.clone(), &rule(&[(0, 2)], vec![add.clone()]), &state);
        assert_eq!(found, Some(one(&expected)), "{added:?}");
    }
}

#[test]
fn sums_over_values() {
    let body = vec![store(0, Value::Sum(Box::new((over(0, values(2, 3, 3)), register(0)))))];
    assert_eq!(steps(vec![Shape::range(0, 99)], &rule(&[(2, 8)], body), &[0]), Some(one(&[15])));
}

#[test]
fn while_loops_end_or_trap() {
    for (limit, expected) in [(5, Some(5)), (255, Some(255)), (256, None)] {
        let body = vec![Statement::While(
            compare(Comparison::Less, load(0), number(limit)),
            vec![store(0, sum(0, number(1)))],
        )];
        let found = steps(vec![Shape::range(0, 300)], &rule(&[], body), &[0]);
        assert_eq!(found, expected.map(|it| vec![vec![it]]), "{limit}");
    }
}

#[test]
fn return_leaves_the_innermost_block() {
    let body = vec![
        Statement::Block(vec![Statement::Return, store(0, number(1))]),
        store(1, number(1)),
        Statement::Return,
        store(2, number(1)),
    ];
    let found = steps(vec![Shape::range(0, 1); 3], &rule(&[], body), &[0, 0, 0]);
    assert_eq!(found, Some(one(&[0, 1, 0])));
}

#[test]
fn abandoned_steps_do_not_exist() {
    let abandon = Statement::If(
        binary(Operator::Equal, register(0), number(1)),
        vec![Statement::Abandon],
        vec![],
    );
    let mut one_of = rule(&[(0, 2)], vec![store(0, register(0)), abandon.clone()]);
    one_of.scope.levels = vec![parameter(0, values(0, 1, 3))];
    assert_eq!(steps(vec![Shape::range(0, 2)], &one_of, &[1]), Some(vec![vec![0], vec![2]]));
}

#[test]
fn records_in_the_frame() {
    // Swaps two records by means of a third one, and compares them.
    let copy = |to, from| Statement::Copy { to, from, cells: 2 };
    let frame = || cell(6);
    let body = vec![
        copy(frame(), cell(0)),
        copy(cell(0), cell(2)),
        copy(cell(2), frame()),
        store(4, Value::SameCells(Box::new((frame(), cell(2))), 2)),
    ];
    let rule = RuleForm { frame: Frame { registers: vec![], cells: 3 }, ..rule(&[], body) };
    let found = steps(vec![Shape::range(0, 9); 5], &rule, &[1, U, 3, 4, 0]);
    assert_eq!(found, Some(one(&[3, 4, 1, U, 1])));
}

/// Each step of two instances. Code for a body that reads what it has written must store to memory and
/// undo that, at once or where a loop comes back to a read.
#[test]
fn bodies_read_what_they_have_written() {
    let nth = |k| {
        // a[k + 1] := a[k]
        let to = indexed(1, register(k), 0, (1, 2));
        let body = vec![Statement::store(to, loaded(indexed(0, register(k), 0, (0, 1))))];
        Statement::For(over(k, values(0, 1, 2)), body)
    };
    let outer = |body| Statement::For(over(2, values(0, 1, 2)), body);
    let (add, swap) =
        (|to, of, n| store(to, inside(sum(of, number(n)), 0, 9)), |a, b| store(a, load(b)));
    let table = [
        (vec![add(0, 0, 1)], [2, 2, 3]),
        (vec![add(0, 0, 1), add(0, 0, 1)], [3, 2, 3]),
        (vec![add(0, 1, 0), add(1, 0, 0)], [2, 2, 3]),
        (vec![swap(0, 1), swap(1, 2), swap(2, 0)], [2, 3, 2]),
        (vec![swap(0, 1), swap(1, 2)], [2, 3, 3]),
        (vec![nth(1)], [1, 1, 1]),
        (vec![outer(vec![swap(0, 1), swap(1, 2)])], [3, 3, 3]),
        (vec![outer(vec![add(2, 0, 0), add(0, 1, 0)])], [2, 2, 2]),
        (vec![Statement::If(load(0), vec![store(0, number(5))], vec![]), swap(1, 0)], [5, 5, 3]),
    ];
    for (body, expected) in table {
        let mut rule = rule(&[(1, 2), (0, 1), (0, 1)], body.clone());
        rule.scope.levels = vec![parameter(0, values(1, 1, 2))];
        let found = steps(vec![array(3, Shape::range(0, 9))], &rule, &[1, 2, 3]);
        assert_eq!(found, Some(vec![expected.to_vec(); 2]), "{body:?}");
    }
}

/// Values that are known and values that are computed have the same codes.
#[test]
fn constants_are_stored_as_other_values_are() {
    let shapes =
        || vec![Shape::range(-3, 9), Shape::range(-3, 9), Shape::range(0, 1), Shape::range(-3, 9)];
    for value in [U, -3, -1, 0, 7, 9] {
        let peeked = Statement::store(cell(3), Value::Peek(Place::Cells(cell(0))));
        let found =
            steps(shapes(), &rule(&[], vec![store(1, number(value)), peeked]), &[value, 5, 1, 2]);
        assert_eq!(found, Some(one(&[value, value, 1, value])));
    }
}

#[test]
fn values_after_statements() {
    let set = Statement::register(Register(0), sum(0, number(1)));
    let after = Value::After(vec![set, store(0, number(7))], Box::new(register(0)));
    let found =
        steps(vec![Shape::range(0, 9); 2], &rule(&[(0, 9)], vec![store(1, after)]), &[1, 0]);
    assert_eq!(found, Some(one(&[7, 2])));
}

#[test]
fn equal_elements_are_chosen_once() {
    // Chooses two elements and removes the second.
    let element = |slot| Element { bag: bag(4), slot: Register(slot), may_go: true };
    let mut rule = rule(&[(0, 3); 2], remove(4, 1).into());
    rule.scope.conditions.push(vec![]);
    for (slot, outer) in [(0, &[][..]), (1, &[element(0)])] {
        let (element, stop) = (element(slot), vec![Statement::Return]);
        let present = vec![Statement::If(element.is_present(), vec![], stop)];
        let slots = parameter(slot, values(0, 1, 4));
        rule.scope.levels.extend([slots, Level::Let(present)]);
        let repeated = element.is_repeated(outer.iter());
        rule.scope.conditions.extend([vec![], vec![(repeated, true)]]);
    }
    rule.arguments = [0, 1].map(|slot| Place::Cells(content(4, slot))).into();
    let found = steps(vec![multiset(4)], &rule, &[P, 2, P, 2, P, 5, U, U]).unwrap_or_default();
    let arguments: Vec<_> = found.iter().map(|step| &step[..2]).collect();
    assert_eq!(arguments, [[2, 2], [2, 2], [2, 5], [5, 2], [5, 5]]);
    assert_eq!(found[0][2..], [P, 2, P, 5, U, U, U, U]);
    assert_eq!(found[2][2..], [P, 2, P, 2, U, U, U, U]);
}

#[test]
fn multisets_stay_in_order() {
    let is_small = compare(Comparison::Less, loaded(content(4, 0)), number(4));
    let found = Cells::at(8);
    let remove_small = || bag(4).remove_where(Register(0), is_small.clone(), found.clone());
    let add = |value| bag(4).add(Register(0), |to| Statement::store(to, number(value)));
    let clear = || Statement::Fill(cell(0), vec![U; 8]);
    let copy = bag(4).copy(Register(0), &bag(4));
    let full = [P, 1, P, 3, P, 5, P, 7];
    let some = [P, 3, P, 5, U, U, U, U];
    let table = [
        (vec![add(4)], some, Some([P, 3, P, 4, P, 5, U, U])),
        (vec![add(4)], full, None),
        (remove_small().into(), full, Some([P, 5, P, 7, U, U, U, U])),
        ([&remove_small()[..], &[add(6), add(2)]].concat(), full, Some([P, 2, P, 5, P, 6, P, 7])),
        (vec![clear()], full, Some([U; 8])),
        (vec![clear(), add(2), add(1)], full, Some([P, 1, P, 2, U, U, U, U])),
        (vec![add(1), copy.clone(), add(0)], some, Some([P, 0, P, 1, P, 3, P, 5])),
        (vec![clear(), copy], full, Some([U; 8])),
    ];
    for (body, state, expected) in table {
        let mut rule = rule(&[(0, 3)], body.clone());
        rule.frame.cells = 4;
        let found = steps(vec![multiset(4)], &rule, &state);
        assert_eq!(found, expected.map(|it| vec![it.to_vec()]), "{body:?}");
    }
}

#[test]
fn written_elements_are_sorted_and_gone_ones_trap() {
    let present = || Element { bag: bag(3), slot: Register(0), may_go: true }.require();
    let write = || [present(), Statement::store(content(3, 0), number(9))];
    let count = |bound| {
        let condition = compare(Comparison::Greater, loaded(content(3, 1)), number(bound));
        let count = bag(3).count(Register(1), condition);
        [&write()[..], &[Statement::store(content(3, 0), count)]].concat()
    };
    let add = bag(3).add(Register(1), |to| Statement::store(to, number(1)));
    let table = [
        (write().into(), Some(vec![[P, 4, P, 9, U, U], [P, 3, P, 9, U, U]])),
        (count(3), Some(vec![[P, 2, P, 4, U, U], [P, 1, P, 3, U, U]])),
        ([write(), remove(3, 0)].concat(), Some(vec![[P, 4, U, U, U, U], [P, 3, U, U, U, U]])),
        ([remove(3, 0), write()].concat(), None),
        ([&remove(3, 0)[..], &[add], &write()].concat(), None),
    ];
    for (body, expected) in table {
        let mut rule = rule(&[(0, 2); 2], body.clone());
        rule.scope.levels = vec![parameter(0, values(0, 1, 3))];
        let element = Element { bag: bag(3), slot: Register(0), may_go: true };
        rule.scope.conditions = vec![vec![], vec![(element.is_present(), false)]];
        let found = steps(vec![multiset(3)], &rule, &[P, 3, P, 4, U, U]);
        let expected = expected.map(|all| all.iter().map(|one| one.to_vec()).collect());
        assert_eq!(found, expected, "{body:?}");
    }
}

#[test]
fn multisets_in_the_frame() {
    // Copies a multiset to the frame, adds to the copy, and copies it back.
    let local = Bag { at: cell(8), ..bag(3) };
    let k = Register(0);
    let body = vec![
        Statement::Fill(local.at.clone(), vec![U; 6]),
        local.copy(k, &bag(3)),
        Statement::Fill(cell(0), vec![U, 3, U, 4, U, U]),
        local.add(k, |to| Statement::Copy { to, from: cell(1), cells: 1 }),
        bag(3).copy(k, &local),
    ];
    let rule = RuleForm { frame: Frame { cells: 8, ..frame(&[(0, 2)]) }, ..rule(&[], body) };
    let found = steps(vec![multiset(3)], &rule, &[P, 3, P, 4, U, U]);
    // The element is read from a cell that is the same in a removed slot.
    assert_eq!(found, Some(one(&[P, 3, P, 3, P, 4])));
}

#[test]
fn multisets_in_arrays_are_settled() {
    // For all i from 0 to 1: adds 1 to the multiset a[i]; the other one does not change.
    let at = Cells { low: 0, high: 4, ..indexed(0, register(0), 0, (0, 4)) };
    let at = Cells { indices: vec![Index { stride: 4, ..at.indices[0].clone() }], ..at };
    let bag = Bag { at, capacity: 2, stride: 2 };
    let add = bag.add(Register(1), |to| Statement::store(to, number(1)));
    let mut rule = rule(&[(0, 1); 2], vec![add]);
    rule.scope.levels = vec![parameter(0, values(0, 1, 2))];
    let found = steps(vec![array(2, multiset(2))], &rule, &[P, 3, U, U, P, 0, U, U]);
    let expected = vec![vec![P, 1, P, 3, P, 0, U, U], vec![P, 3, U, U, P, 0, P, 1]];
    assert_eq!(found, Some(expected));
}

#[test]
fn properties_hold_for_all_values() {
    let condition =
        compare(Comparison::Less, loaded(indexed(0, register(0), 0, (0, 2))), number(5));
    let levels = vec![parameter(0, values(0, 1, 3))];
    let conditions = vec![vec![(compare(Comparison::Less, load(3), number(1)), true)]];
    let scope = Scope { levels, conditions, ..Scope::default() };
    let property = PropertyForm { frame: frame(&[(0, 2)]), scope, condition };
    let layout = Layout::new(vec![array(3, Shape::range(0, 9)), Shape::range(0, 1)]);
    let native = generate(&layout, &[], &[Some(property)], FRAME).expect("the processor is known");
    let table = [
        ([1, 2, 3, 1], Some(true)),
        ([1, 5, 3, 1], Some(false)),
        ([1, U, 3, 1], None),
        ([1, 9, 3, 0], Some(true)),
    ];
    for (state, expected) in table {
        let (mut memory, mut records) = (state.to_vec(), Vec::new());
        native.make_room(&mut memory, &mut records);
        let found =
            native.holds(PropertyId(0), &packed(&layout, &state), &mut memory, &mut records);
        assert_eq!(found, expected, "{state:?}");
    }
}

#[test]
fn units_without_code() {
    let shapes = || vec![Shape::range(0, 1)];
    let scope =
        |count| Scope { levels: vec![parameter(0, values(0, 1, count))], ..Scope::default() };
    let stores = Value::After(vec![store(0, number(1))], Box::new(number(1)));
    let guard = Scope { conditions: vec![vec![(stores, false)]], ..Scope::default() };
    let beyond = Cells { high: 1, ..cell(0) };
    let refused = [
        RuleForm { scope: scope(200_000), ..rule(&[(0, 9)], vec![]) },
        RuleForm { scope: guard, ..rule(&[], vec![]) },
        rule(&[(0, 9)], vec![Statement::register(Register(0), loaded(beyond))]),
        RuleForm { frame: Frame { registers: vec![], cells: 65 }, ..rule(&[], vec![]) },
    ];
    let layout = Layout::new(shapes());
    let rules: Vec<_> = refused.into_iter().map(Some).collect();
    let native = generate(&layout, &rules, &[], FRAME).expect("the processor is known");
    assert_eq!(native.rules(), 0);
    let counted = RuleForm { scope: scope(3), ..rule(&[(0, 9)], vec![]) };
    let native = generate(&layout, &[Some(counted)], &[], FRAME).expect("the processor is known");
    assert_eq!(native.work().collect::<Vec<_>>(), [3]);
}

/// The steps of a rule, each as its arguments and the cells of its target; `None` if it traps.
fn steps(shapes: Vec<Shape>, rule: &RuleForm, state: &[i64]) -> Option<Vec<Vec<i64>>> {
    let layout = Layout::new(shapes);
    let native =
        generate(&layout, &[Some(rule.clone())], &[], FRAME).expect("the processor is known");
    assert_eq!(native.rules(), 1, "there is code");
    let packed = packed(&layout, state);
    let (mut memory, mut records) = (vec![7; state.len()], Vec::new());
    native.make_room(&mut memory, &mut records);
    assert!(native.unpack(&packed, &mut memory));
    assert_eq!(memory[..state.len()], *state);
    let found = native.steps(0, &packed, &mut memory, &mut records)?.ok()?;
    assert_eq!(memory[..state.len()], *state, "changes are undone");
    let arguments = rule.arguments.len();
    let step = |record: &[i64]| {
        let target = record[arguments..].iter().map(|one| one.cast_unsigned());
        let mut target: Vec<u64> = target.collect();
        settle(&layout, &packed, &mut target, &mut Vec::new());
        let mut cells = vec![0; state.len()];
        layout.unpack(&target, &mut cells);
        [&record[..arguments], &cells].concat()
    };
    Some(found.chunks(arguments + layout.words()).map(step).collect())
}

fn packed(layout: &Layout, state: &[i64]) -> Vec<u64> {
    let mut packed = vec![0; layout.words()];
    layout.pack(state, &mut packed);
    packed
}

fn rule(registers: &[(i64, i64)], body: Vec<Statement>) -> RuleForm {
    RuleForm { frame: frame(registers), scope: Scope::default(), body, arguments: Vec::new() }
}

fn frame(registers: &[(i64, i64)]) -> Frame {
    let registers = registers.iter().map(|&(low, high)| Range { low, high }).collect();
    Frame { registers, cells: 0 }
}

/// One step with this target.
fn one(target: &[i64]) -> Vec<Vec<i64>> {
    vec![target.to_vec()]
}

fn array(length: u64, element: Shape) -> Shape {
    Shape::Array { length, indices: Vec::new(), element: Box::new(element) }
}

fn multiset(capacity: u32) -> Shape {
    Shape::Multiset { capacity, element: Box::new(Shape::range(0, 9)) }
}

/// The multiset of digits at the start of the state.
fn bag(capacity: usize) -> Bag {
    Bag { at: cell(0), capacity, stride: 2 }
}

/// The element of that multiset in the slot with the number in a register.
/// Removes a chosen element, which must be there.
fn remove(capacity: usize, slot: u32) -> [Statement; 2] {
    let element = Element { bag: bag(capacity), slot: Register(slot), may_go: true };
    [element.require(), Statement::store(element.slot(), number(U))]
}

fn content(capacity: usize, slot: u32) -> Cells {
    Cells {
        base: 1,
        indices: vec![Index { value: register(slot), least: 0, stride: 2 }],
        low: 1,
        high: 1 + 2 * (capacity - 1),
    }
}

fn cell(number: usize) -> Cells {
    Cells::at(number)
}

fn indexed(base: usize, value: Value, least: i64, (low, high): (usize, usize)) -> Cells {
    let indices = vec![Index { value, least, stride: 1 }];
    Cells { base, indices, low, high }
}

fn loaded(cells: Cells) -> Value {
    Value::Load(Place::Cells(cells), Range::ALL)
}

fn load(number: usize) -> Value {
    loaded(cell(number))
}

fn store(to: usize, value: Value) -> Statement {
    Statement::store(cell(to), value)
}

fn number(value: i64) -> Value {
    Value::Constant(value)
}

fn register(number: u32) -> Value {
    Value::Register(Register(number))
}

fn binary(operator: Operator, a: Value, b: Value) -> Value {
    Value::Binary(operator, Box::new(a), Box::new(b))
}

fn compare(comparison: Comparison, a: Value, b: Value) -> Value {
    binary(Operator::Compare(comparison), a, b)
}

/// The sum of a cell and a value.
fn sum(cell: usize, value: Value) -> Value {
    binary(Operator::Arithmetic(Arithmetic::Add), load(cell), value)
}

fn inside(value: Value, low: i64, high: i64) -> Value {
    Value::Inside(Box::new(value), Range { low, high })
}

fn values(from: i64, by: i64, count: u64) -> Values {
    Values { from, by, count }
}

fn over(register: u32, values: Values) -> Loop {
    Loop { register: Register(register), values }
}

fn parameter(register: u32, values: Values) -> Level {
    Level::Parameter(over(register, values))
}

fn quantifier(is_exists: bool, values: Values, body: Value) -> Value {
    Value::Quantified(Box::new(Quantifier { is_exists, over: over(0, values), body }))
}
