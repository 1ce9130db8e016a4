//! Values of the reference interpreter, as plain trees.
//!
//! A value contains its kind (a number, the k-th member of an enumeration, the k-th value of an
//! index type), so that it has the same meaning in every type that contains it, and unions need no
//! conversion.

use super::types::{BOOLEAN_ENUMERATION, EnumerationId, IndexTypeId, Type, TypeId, Types};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A defined simple value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// A number of a range.
    Number(i64),
    /// The k-th member of an enumeration, from 0.
    Member(EnumerationId, u32),
    /// The k-th value of an index type, from 0.
    Index(IndexTypeId, u32),
}

impl Scalar {
    /// `true` or `false`.
    pub const fn boolean(value: bool) -> Scalar {
        Scalar::Member(BOOLEAN_ENUMERATION, value as u32)
    }

    /// Whether this is `true`.
    pub fn is_true(self) -> bool {
        self == Scalar::boolean(true)
    }

    /// Whether the type has this value.
    pub fn is_in(self, types: &Types, of: TypeId) -> bool {
        match (self, types.get(of)) {
            (Scalar::Number(n), Type::Range { low, high }) => (*low..=*high).contains(&n),
            (Scalar::Member(id, _), Type::Enumeration(of)) => id == *of,
            (Scalar::Index(id, _), Type::Index(of)) => id == *of,
            (_, Type::Union(members)) => members.iter().any(|&member| self.is_in(types, member)),
            _ => false,
        }
    }

    /// The k-th value of a simple type, from 0.
    pub fn nth(types: &Types, of: TypeId, k: u64) -> Scalar {
        match types.get(of) {
            Type::Range { low, .. } => Scalar::Number(low.wrapping_add_unsigned(k)),
            Type::Enumeration(id) => Scalar::Member(*id, k as u32),
            Type::Index(id) => Scalar::Index(*id, k as u32),
            Type::Union(members) => {
                let mut k = k;
                for &member in members {
                    let size = types.size(member);
                    if k < size {
                        return Scalar::nth(types, member, k);
                    }
                    k -= size;
                }
                unreachable!("k is below the size of the union")
            }
            _ => unreachable!("asked of simple types only"),
        }
    }

    /// The position of this value in a simple type, from 0, if it is in it.
    pub fn position(self, types: &Types, of: TypeId) -> Option<u64> {
        if !self.is_in(types, of) {
            return None;
        }
        Some(match (self, types.get(of)) {
            (Scalar::Number(n), Type::Range { low, .. }) => n.abs_diff(*low),
            (Scalar::Member(_, k) | Scalar::Index(_, k), Type::Enumeration(_) | Type::Index(_)) => {
                u64::from(k)
            }
            (_, Type::Union(members)) => {
                let mut before = 0;
                for &member in members {
                    if let Some(k) = self.position(types, member) {
                        return Some(before + k);
                    }
                    before += types.size(member);
                }
                return None;
            }
            _ => return None,
        })
    }

    /// The value as reports show it: `3`, `true`, `Idle`, `client_0`.
    pub fn show(self, types: &Types) -> String {
        match self {
            Scalar::Number(n) => n.to_string(),
            Scalar::Member(id, k) => types.members(id)[k as usize].clone(),
            Scalar::Index(id, k) => format!("{}_{k}", types.index_type(id).name),
        }
    }
}

/// The elements of a set, in the order of their type.
pub fn in_order<'s>(
    types: &'s Types,
    of: TypeId,
    elements: &'s BTreeSet<Scalar>,
) -> impl Iterator<Item = Scalar> + 's {
    let all = (0..types.size(of)).map(move |k| Scalar::nth(types, of, k));
    all.filter(|one| elements.contains(one))
}

/// Any value.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// An undefined simple value.
    Undefined,
    /// A defined simple value.
    Scalar(Scalar),
    /// The parts of a record or an array, in the order of the fields or of the index type.
    Parts(Vec<Value>),
    /// The elements of a queue, from the head on.
    Queue(Vec<Value>),
    /// The elements of a set.
    Set(BTreeSet<Scalar>),
    /// The elements of a multiset. Between steps ([`Value::settle`]): all present, in ascending
    /// order. During a step: an element never moves, so that a position bound by `choose` stays
    /// valid; a removed element leaves a hole.
    Multiset(Vec<Option<Value>>),
}

impl Value {
    /// The value of a variable that is not set.
    pub fn undefined(types: &Types, of: TypeId) -> Value {
        match types.get(of) {
            Type::Array { index, element } => {
                let element = Value::undefined(types, *element);
                Value::Parts(vec![element; types.size(*index) as usize])
            }
            Type::Record(fields) => {
                Value::Parts(fields.iter().map(|&(_, of)| Value::undefined(types, of)).collect())
            }
            Type::Queue { .. } => Value::Queue(Vec::new()),
            Type::Set(_) => Value::Set(BTreeSet::new()),
            Type::Multiset { .. } => Value::Multiset(Vec::new()),
            _ => Value::Undefined,
        }
    }

    /// The value that `clear` sets: every part has the least value of its type.
    pub fn least(types: &Types, of: TypeId) -> Value {
        match types.get(of) {
            Type::Array { index, element } => {
                let element = Value::least(types, *element);
                Value::Parts(vec![element; types.size(*index) as usize])
            }
            Type::Record(fields) => {
                Value::Parts(fields.iter().map(|&(_, of)| Value::least(types, of)).collect())
            }
            Type::Queue { .. } => Value::Queue(Vec::new()),
            Type::Set(_) => Value::Set(BTreeSet::new()),
            Type::Multiset { .. } => Value::Multiset(Vec::new()),
            _ => Value::Scalar(Scalar::nth(types, of, 0)),
        }
    }

    /// `true` or `false`.
    pub const fn boolean(value: bool) -> Value {
        Value::Scalar(Scalar::boolean(value))
    }

    /// Normalises the multisets inside to their form between steps.
    pub fn settle(&mut self) {
        match self {
            // No queue and no set contains a multiset.
            Value::Undefined | Value::Scalar(_) | Value::Queue(_) | Value::Set(_) => {}
            Value::Parts(parts) => parts.iter_mut().for_each(Value::settle),
            Value::Multiset(elements) => {
                elements.retain(Option::is_some);
                elements.sort_unstable();
            }
        }
    }

    /// The value as reports show it: `{st: Idle, owner: undefined}`, `[client_0: true, client_1:
    /// false]`.
    pub fn show(&self, types: &Types, of: TypeId) -> String {
        let mut out = String::new();
        self.write(types, of, &mut out);
        out
    }

    fn write(&self, types: &Types, of: TypeId, out: &mut String) {
        match (self, types.get(of)) {
            (Value::Undefined, _) => out.push_str("undefined"),
            (Value::Scalar(scalar), _) => out.push_str(&scalar.show(types)),
            (Value::Parts(parts), Type::Array { index, element }) => {
                out.push('[');
                for (k, part) in parts.iter().enumerate() {
                    let key = Scalar::nth(types, *index, k as u64).show(types);
                    let _ = write!(out, "{}{key}: ", if k > 0 { ", " } else { "" });
                    part.write(types, *element, out);
                }
                out.push(']');
            }
            (Value::Parts(parts), Type::Record(fields)) => {
                out.push('{');
                for (k, (part, (name, of))) in parts.iter().zip(fields).enumerate() {
                    let _ = write!(out, "{}{name}: ", if k > 0 { ", " } else { "" });
                    part.write(types, *of, out);
                }
                out.push('}');
            }
            (Value::Queue(elements), Type::Queue { element, .. }) => {
                out.push('[');
                for (k, part) in elements.iter().enumerate() {
                    out.push_str(if k > 0 { ", " } else { "" });
                    part.write(types, *element, out);
                }
                out.push(']');
            }
            (Value::Set(elements), Type::Set(element)) => {
                let ordered = in_order(types, *element, elements);
                let shown: Vec<_> = ordered.map(|one| one.show(types)).collect();
                let _ = write!(out, "{{{}}}", shown.join(", "));
            }
            (Value::Multiset(elements), Type::Multiset { element, .. }) => {
                out.push('{');
                for (k, part) in elements.iter().flatten().enumerate() {
                    out.push_str(if k > 0 { ", " } else { "" });
                    part.write(types, *element, out);
                }
                out.push('}');
            }
            (Value::Parts(_) | Value::Queue(_) | Value::Set(_) | Value::Multiset(_), _) => {
                unreachable!("a value is shown with its own type")
            }
        }
    }
}
