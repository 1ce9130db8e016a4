//! What no symmetry changes of a state.
//!
//! Numbers and members of enumerations stay as they are; of a value of an index type only the type is kept,
//! unless the type has no symmetry. The elements of an array are listed with what is kept of their keys, in
//! ascending order, so that it does not matter which index value has which element.

use crate::checked::Model;
use crate::interpret::State;
use crate::types::{Type, TypeId, Types};
use crate::value::{Scalar, Value};
use terms::Group;

/// The signature of a state.
pub(super) fn of_state(model: &Model, state: &State) -> Vec<i64> {
    let mut found = Vec::new();
    for (one, value) in model.variables.iter().zip(&state.0) {
        add(&mut found, model, one.of, value);
    }
    found
}

/// Adds the signature of a value of a type. It tells where it ends.
fn add(to: &mut Vec<i64>, model: &Model, of: TypeId, value: &Value) {
    let types: &Types = &model.types;
    match (value, types.get(of)) {
        (Value::Scalar(scalar), _) => add_scalar(to, model, *scalar),
        (Value::Parts(parts), Type::Array { index, element }) => {
            let each = parts.iter().zip(0..).map(|(part, k)| {
                let mut one = Vec::new();
                add_scalar(&mut one, model, Scalar::nth(types, *index, k));
                add(&mut one, model, *element, part);
                one
            });
            add_sorted(to, each.collect());
        }
        (Value::Parts(parts), Type::Record(fields)) => {
            parts.iter().zip(fields).for_each(|(part, (_, of))| add(to, model, *of, part));
        }
        (Value::Queue(elements), Type::Queue { element, .. }) => {
            to.push(elements.len().cast_signed() as i64);
            for part in elements {
                add(to, model, *element, part);
            }
        }
        (Value::Set(elements), _) => {
            let each = elements.iter().map(|&one| {
                let mut kept = Vec::new();
                add_scalar(&mut kept, model, one);
                kept
            });
            add_sorted(to, each.collect());
        }
        (Value::Multiset(elements), Type::Multiset { element, .. }) => {
            let each = elements.iter().flatten().map(|part| {
                let mut one = Vec::new();
                add(&mut one, model, *element, part);
                one
            });
            add_sorted(to, each.collect());
        }
        (Value::Undefined | Value::Parts(_) | Value::Queue(_) | Value::Multiset(_), _) => {
            to.push(0);
        }
    }
}

fn add_sorted(to: &mut Vec<i64>, mut all: Vec<Vec<i64>>) {
    all.sort_unstable();
    to.push(all.len().cast_signed() as i64);
    for one in all {
        to.push(one.len().cast_signed() as i64);
        to.extend(one);
    }
}

fn add_scalar(to: &mut Vec<i64>, model: &Model, scalar: Scalar) {
    match scalar {
        Scalar::Number(n) => to.extend([1, n]),
        Scalar::Member(of, k) => to.extend([2, i64::from(of.0), i64::from(k)]),
        Scalar::Index(of, k) => {
            let group = model.symmetries[of.0 as usize].group;
            let k = if group == Group::Trivial { i64::from(k) } else { -1 };
            to.extend([3, i64::from(of.0), k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::reference::{ModelReference, ModelRenaming};
    use judge::{Reference as _, Renaming};
    use std::collections::HashSet;
    use terms::IndexTypeId;

    #[test]
    fn no_symmetry_changes_it_and_it_tells_much_apart() {
        let model = check(
            "type client: scalarset(3); other: scalarset(2);
             var next: array [client] of client; by: array [client] of array [other] of 0..2;
               bag: multiset [2] of client; last: union { client, other };
             startstate undefine last; undefine next;
               for c: client do for o: other do by[c][o] := 0 end end end;
             ruleset c: client; o: other do
               rule by[c][o] < 2 ==> by[c][o] := by[c][o] + 1; next[c] := c; last := o end;
               rule isundefined(last) ==> last := c end
             end;",
            &[],
        );
        let model = model.expect("a model");
        let reference = ModelReference::new(&model);
        let mut renaming = Renaming::identity([3, 2]);
        renaming.read(IndexTypeId(0), "(0 1 2)").expect("cycles");
        renaming.read(IndexTypeId(1), "(0 1)").expect("cycles");
        let mut all: Vec<State> = reference.starts().map(|one| one.expect("a state")).collect();
        let mut signatures = HashSet::new();
        for k in 0..200 {
            let state = all[k].clone();
            let signature = reference.signature(&state);
            assert_eq!(signature, reference.signature(&renaming.state(&model, &state)));
            signatures.insert(signature);
            let targets = reference.steps(&state).attempts.into_iter();
            all.extend(targets.map(|one| one.target.expect("no fault")));
        }
        assert!(signatures.len() >= 10, "{}", signatures.len());
    }
}
