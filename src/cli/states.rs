//! States as people read them.
//!
//! Arrays over the same index type are the columns of one table, with a row for each index. An array of
//! booleans is the set of the indices where it is true. Everything else has a line for each simple part,
//! set, queue and multiset.

use super::escape::on_one_line;
use super::table::table;
use model::checked::{Model, Shown};
use model::interpret::{Change, Interpreter, State};
use model::types::{Type, TypeId, Types};
use model::value::{Scalar, Value};
use serde::Serialize;

/// A table that would be wider than this is not made.
const WIDEST: usize = 100;
/// A table of more rows is not made: then a line for each place is easier to find.
const MOST_ROWS: u64 = 24;

/// The simple parts of a state with their values, then the expressions that are asked for with theirs.
pub(crate) fn parts(model: &Model, state: &State) -> Vec<(String, String)> {
    let mut parts = state.parts(model);
    parts.extend(shown(model, state));
    parts
}

/// The differences between two states, those of the expressions that are asked for included.
pub(crate) fn changes(model: &Model, before: &State, after: &State) -> Vec<Change> {
    let mut changes = after.changes(before, model);
    if !model.shown.is_empty() {
        let both = shown(model, before).into_iter().zip(shown(model, after));
        let different = both.filter(|((_, before), (_, after))| before != after);
        changes.extend(different.map(|((place, before), (_, after))| Change {
            place,
            before,
            after,
            edit: None,
        }));
    }
    changes
}

/// The values of the expressions that are asked for, in a state.
fn shown(model: &Model, state: &State) -> Vec<(String, String)> {
    let interpreter = Interpreter::new(model);
    let show = |one: &Shown| {
        let value = match interpreter.shown(one, state) {
            Ok(value) => value.show(&model.types, one.value.of),
            Err(failure) => format!("fails: {}", failure.message),
        };
        (on_one_line(&one.text), value)
    };
    model.shown.iter().map(show).collect()
}

/// The variables and the expressions that are asked for, line by line.
pub(crate) fn lines(model: &Model, state: &State) -> Vec<String> {
    let types = &model.types;
    let variables: Vec<(&str, TypeId, &Value)> =
        (model.variables.iter().zip(&state.0)).map(|(v, value)| (&*v.name, v.of, value)).collect();
    let mut lines = Vec::new();
    // The index types whose table is there already.
    let mut tabulated: Vec<TypeId> = Vec::new();
    for &(name, of, value) in &variables {
        let over = columns(types, of, name, value).map(|(index, _)| index);
        if over.is_some_and(|over| tabulated.contains(&over)) {
            continue;
        }
        match over.and_then(|over| Some((over, tabulate(types, over, &variables)?))) {
            Some((over, rows)) => {
                tabulated.push(over);
                lines.extend(rows);
            }
            None => places(types, of, name, value, &mut lines),
        }
    }
    lines.extend(shown(model, state).into_iter().map(|(text, value)| format!("{text} = {value}")));
    lines
}

/// A table of places: a row for each index.
#[derive(Serialize)]
pub(crate) struct PlaceTable {
    /// The indices.
    pub(crate) rows: Vec<String>,
    /// The names of the columns, and the place for each row.
    pub(crate) columns: Vec<(String, Vec<String>)>,
}

/// The tables of the arrays that share an index type, whatever their width. The places are those of
/// [`State::parts`].
pub(crate) fn tables(model: &Model, state: &State) -> Vec<PlaceTable> {
    let types = &model.types;
    let all = model.variables.iter().zip(&state.0);
    let all = all.filter_map(|(v, value)| columns(types, v.of, &v.name, value));
    let mut by_index: Vec<(TypeId, Vec<Column<'_>>)> = Vec::new();
    for (index, columns) in all {
        match by_index.iter_mut().find(|(other, _)| *other == index) {
            Some((_, known)) => known.extend(columns),
            None => by_index.push((index, columns)),
        }
    }
    let are_several = |(index, columns): &(TypeId, Vec<Column<'_>>)| {
        columns.len() > 1 && (2..=MOST_ROWS).contains(&types.size(*index))
    };
    by_index.retain(are_several);
    let table = |(index, columns): (TypeId, Vec<Column<'_>>)| {
        let rows = (0..types.size(index)).map(|k| Scalar::nth(types, index, k).show(types));
        let rows: Vec<String> = rows.collect();
        let column = |one: Column<'_>| {
            let place = |row: &String| match one.name.split_once('.') {
                None => format!("{}[{row}]", one.name),
                Some((array, field)) => format!("{array}[{row}].{field}"),
            };
            let places = rows.iter().map(place).collect();
            (one.name, places)
        };
        let columns = columns.into_iter().map(column).collect();
        PlaceTable { rows, columns }
    };
    by_index.into_iter().map(table).collect()
}

/// The table of all arrays over an index type, if there are several and it is not too wide.
fn tabulate(
    types: &Types,
    over: TypeId,
    variables: &[(&str, TypeId, &Value)],
) -> Option<Vec<String>> {
    let all = variables.iter().filter_map(|&(name, of, value)| columns(types, of, name, value));
    let columns: Vec<Column<'_>> =
        all.filter(|(index, _)| *index == over).flat_map(|(_, columns)| columns).collect();
    let rows = types.size(over);
    if columns.len() < 2 || !(2..=MOST_ROWS).contains(&rows) {
        return None;
    }
    let head = std::iter::once(String::new()).chain(columns.iter().map(|one| one.name.clone()));
    let mut cells: Vec<Vec<String>> = vec![head.collect()];
    for k in 0..rows {
        let values = columns.iter().map(|one| one.values[k as usize].show(types, one.of));
        cells
            .push(std::iter::once(Scalar::nth(types, over, k).show(types)).chain(values).collect());
    }
    // The two blanks before a line come later.
    let lines: Vec<String> =
        table(&cells).lines().map(|line| line.get(2..).unwrap_or_default().to_owned()).collect();
    lines.iter().all(|line| line.chars().count() <= WIDEST).then_some(lines)
}

/// A column of a table.
struct Column<'s> {
    name: String,
    /// The type of its values.
    of: TypeId,
    values: Vec<&'s Value>,
}

/// The index type and the columns of an array of simple values, or of records of such values.
fn columns<'s>(
    types: &Types,
    of: TypeId,
    name: &str,
    value: &'s Value,
) -> Option<(TypeId, Vec<Column<'s>>)> {
    let (Type::Array { index, element }, Value::Parts(parts)) = (types.get(of), value) else {
        return None;
    };
    if is_simple(types, *element) {
        let values = parts.iter().collect();
        return Some((*index, vec![Column { name: name.to_owned(), of: *element, values }]));
    }
    let Type::Record(fields) = types.get(*element) else { return None };
    let column = |(k, (field, of)): (usize, &(String, TypeId))| {
        let part = |record: &'s Value| match record {
            Value::Parts(fields) => &fields[k],
            _ => unreachable!("a record has parts"),
        };
        let values = parts.iter().map(part).collect();
        is_simple(types, *of).then(|| Column { name: format!("{name}.{field}"), of: *of, values })
    };
    let columns: Option<Vec<_>> = fields.iter().enumerate().map(column).collect();
    columns.map(|columns| (*index, columns))
}

fn is_simple(types: &Types, of: TypeId) -> bool {
    match types.get(of) {
        Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => true,
        Type::Array { .. }
        | Type::Record(_)
        | Type::Multiset { .. }
        | Type::Queue { .. }
        | Type::Set(_) => false,
    }
}

/// A line for each part: `st[client_0] = Idle`, `flags = {client_1}`.
fn places(types: &Types, of: TypeId, place: &str, value: &Value, lines: &mut Vec<String>) {
    match (types.get(of), value) {
        (Type::Array { index, element }, Value::Parts(parts)) => {
            let key = |k| Scalar::nth(types, *index, k).show(types);
            if let Some(true_ones) = true_ones(parts) {
                let keys = (0..).zip(&true_ones).filter(|(_, is)| **is).map(|(k, _)| key(k));
                let keys: Vec<String> = keys.collect();
                lines.push(format!("{place} = {{{}}}", keys.join(", ")));
                return;
            }
            for (k, part) in (0..).zip(parts) {
                let key = key(k);
                places(types, *element, &format!("{place}[{key}]"), part, lines);
            }
        }
        (Type::Record(fields), Value::Parts(parts)) => {
            for ((field, of), part) in fields.iter().zip(parts) {
                places(types, *of, &format!("{place}.{field}"), part, lines);
            }
        }
        _ => lines.push(format!("{place} = {}", value.show(types, of))),
    }
}

/// Where the values are true, if all are defined booleans and there are several.
fn true_ones(parts: &[Value]) -> Option<Vec<bool>> {
    let truth =
        |value: &Value| [true, false].into_iter().find(|&truth| *value == Value::boolean(truth));
    if parts.len() < 2 { None } else { parts.iter().map(truth).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::check_showing;

    const MODEL: &str =
        "type pid: scalarset(2); colour: enum { red, green }; any: union { pid, colour };
        var st: array [pid] of colour; n: 0..9; want: array [pid] of boolean;
            lit: array [colour] of boolean; pos: array [pid] of record x: 0..3; up: boolean end;
            at: array [any] of boolean;
            box: multiset [4] of 0..5; line: queue [4] of 0..5; some: set of colour;
        startstate
          for i: pid do st[i] := red; want[i] := true; pos[i].x := 1; pos[i].up := false end;
          for i: any do at[i] := true end;
          n := 3; lit[red] := false; lit[green] := true;
          multisetadd(2, box); multisetadd(2, box); push(line, 4); push(line, 5); insert(some, red)
        end;
        rule \"go\" true ==>
          multisetadd(5, box); pop(line); push(line, 1); n := 4;
          insert(some, green); remove(some, red)
        end;";

    fn model() -> Model {
        let shown = ["n + 1", "exists i: pid do want[i] end"];
        check_showing(MODEL, &[], &[], &shown).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    fn start(model: &Model) -> State {
        let first = Interpreter::new(model).starts().next().expect("there is one");
        first.expect("it does not fail").state
    }

    #[test]
    fn arrays_over_one_type_are_a_table() {
        let model = model();
        let expected = [
            "       st   want  pos.x  pos.up",
            "pid_0  red  true  1      false",
            "pid_1  red  true  1      false",
            "n = 3",
            "lit = {green}",
            "at = {pid_0, pid_1, red, green}",
            "box = {2, 2}",
            "line = [4, 5]",
            "some = {red}",
            "n + 1 = 4",
            "exists i: pid do want[i] end = true",
        ];
        assert_eq!(lines(&model, &start(&model)), expected);
    }

    #[test]
    fn places_of_tables_are_those_of_parts() {
        let model = model();
        let state = start(&model);
        let places: Vec<String> =
            parts(&model, &state).into_iter().map(|(place, _)| place).collect();
        let tables = tables(&model, &state);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].rows, ["pid_0", "pid_1"]);
        let all = tables[0].columns.iter().flat_map(|(_, of)| of);
        assert!(all.clone().all(|place| places.contains(place)), "{places:?}");
        assert_eq!(all.count(), 8);
    }

    #[test]
    fn changes_say_what_comes_and_goes() {
        let model = model();
        let before = start(&model);
        let step = Interpreter::new(&model).steps(&before).expect("nothing fails").remove(0);
        let told = changes(&model, &before, &step.target).into_iter();
        let told: Vec<String> =
            told.map(|one| format!("{}: {}", one.place, one.show(str::to_owned))).collect();
        let expected =
            ["n: 3 -> 4", "box: + 5", "line: - 4 + 1", "some: - red + green", "n + 1: 4 -> 5"];
        assert_eq!(told, expected);
    }
}
