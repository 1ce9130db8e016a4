//! Checks constants and types.

use super::scope::ScopeSymbol;
use super::{Checker, Constant, MOST_CELLS, constants};
use crate::checked::Expression;
use crate::parser;
use crate::syntax::{self, Name, TypeKind};
use crate::types::{IndexType, Type, TypeId, Types};
use crate::value::Scalar;
use hashbrown::HashMap;
use ltl::{Diagnostic, Span};

/// The greatest number of values of an index type.
const LARGEST_INDEX_TYPE: i64 = 1000;

/// The greatest distance of the bounds of a range from 0. Values of a range, and undefined, fit
/// into 64 bits with room to spare.
const FURTHEST: i64 = 1 << 61;

/// The most numbers that a set may be of.
const LARGEST_SET: u64 = 64;

impl Checker<'_> {
    pub(super) fn constant(&mut self, names: &[Name], value: &syntax::Expression) {
        let value = self.expression(value).and_then(|value| self.fold(&value));
        for name in names {
            let Some((value, of)) = value else {
                self.declare(name, ScopeSymbol::Broken);
                continue;
            };
            let value = self.defined(name, value, of).unwrap_or(value);
            self.declare(name, ScopeSymbol::Constant(value, of));
            if self.scopes.is_innermost_global() {
                self.constants.push(Constant {
                    name: name.text.clone(),
                    value,
                    span: name.place.0,
                });
            }
        }
    }

    /// The value that a definition gives to a global constant.
    fn defined(&mut self, name: &Name, before: Scalar, of: TypeId) -> Option<Scalar> {
        if !self.scopes.is_innermost_global() {
            return None;
        }
        let number = self.definitions.iter().rposition(|one| one.name == name.text)?;
        for (one, used) in self.definitions.iter().zip(&mut self.used_definitions) {
            *used |= one.name == name.text;
        }
        let text = &self.definitions[number].value;
        let mut found = None;
        let errors = std::mem::take(&mut self.errors);
        let warnings = self.warnings.len();
        match parser::parse_expression(text) {
            Err(wrong) => self.errors.push(wrong),
            Ok(value) => {
                found = self.expression(&value).and_then(|value| self.fold(&value));
                if let Some((_, other)) = found
                    && !self.are_compatible(of, other)
                {
                    let (is, was) = (self.types.show(other), self.types.show(of));
                    let message = format!("`{}` is a constant of type {was}, not {is}", name.text);
                    let shown = before.show(&self.types);
                    let help = format!("in the model its value is {shown}");
                    self.report(Diagnostic::error(0..text.len(), message).help(help));
                    found = None;
                }
            }
        }
        let wrong = std::mem::replace(&mut self.errors, errors);
        // Warnings have no place in the model, either.
        self.warnings.truncate(warnings);
        // Its notes point at declarations, which are in the model, and the message is about the value.
        let wrong = wrong.into_iter().map(|wrong| Diagnostic { related: Vec::new(), ..wrong });
        self.definition_errors.extend(wrong.map(|wrong| (number, wrong)));
        found.map(|(value, _)| value)
    }

    /// Reports definitions whose constant does not exist.
    pub(super) fn unused_definitions(&mut self) {
        if self.partial {
            return;
        }
        for (number, definition) in self.definitions.iter().enumerate() {
            if self.used_definitions[number] {
                continue;
            }
            let names: Vec<_> = self.constants.iter().map(|constant| &constant.name[..]).collect();
            let near = super::scope::nearest(&definition.name, names.iter().copied());
            let help = match (near, &names[..]) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) => "the model declares no constants".to_owned(),
                (None, names) => format!("its constants are {}", names.join(", ")),
            };
            let message = format!("the model has no constant `{}`", definition.name);
            let wrong = Diagnostic::error(0..definition.value.len(), message).help(help);
            self.definition_errors.push((number, wrong));
        }
    }

    pub(super) fn fold(&mut self, value: &Expression) -> Option<(Scalar, TypeId)> {
        match constants::evaluate(value) {
            Ok(scalar) => Some((scalar, value.of)),
            Err(wrong) => {
                self.report(wrong);
                None
            }
        }
    }

    /// A number that is known before the model is run.
    fn constant_number(&mut self, value: &syntax::Expression) -> Option<i64> {
        let value = self.expression(value)?;
        if !self.types.is_range(value.of) {
            let shown = self.types.show(value.of);
            let message = format!("expected a number, found a value of type {shown}");
            self.error(value.span, message);
            return None;
        }
        match self.fold(&value)? {
            (Scalar::Number(n), _) => Some(n),
            _ => None,
        }
    }

    pub(super) fn type_names(&mut self, names: &[Name], of: &syntax::Type) {
        let hint = names.first().map(|name| name.text.as_str());
        let id = self.named_type_of(of, hint);
        for name in names {
            match id {
                None => self.declare(name, ScopeSymbol::Broken),
                Some(id) => {
                    self.types.give_name(id, &name.text);
                    self.declare(name, ScopeSymbol::Type(id));
                }
            }
        }
    }

    pub(super) fn type_of(&mut self, of: &syntax::Type) -> Option<TypeId> {
        self.named_type_of(of, None)
    }

    /// The type; a new type gets this name.
    fn named_type_of(&mut self, of: &syntax::Type, name: Option<&str>) -> Option<TypeId> {
        let span = of.place.0;
        let id = match &of.kind {
            TypeKind::Named(name) => return self.type_named(name, span),
            TypeKind::Range(low, high) => {
                let bounds = (self.constant_number(low), self.constant_number(high));
                let (low, high) = (bounds.0?, bounds.1?);
                if low > high {
                    let message = format!("the range {low}..{high} is empty");
                    self.error(span, message).help =
                        Some("the first bound must not exceed the second".to_owned());
                    return None;
                }
                if low < -FURTHEST || high > FURTHEST {
                    let message = format!("the bounds of the range {low}..{high} are too large");
                    self.error(span, message).help =
                        Some(format!("they are at most {FURTHEST}, above and below 0"));
                    return None;
                }
                self.types.intern(Type::Range { low, high })
            }
            TypeKind::Enumeration(members) => self.enumeration(members, span)?,
            TypeKind::Record(parts) => self.record(parts)?,
            TypeKind::Array { index, element } => {
                let (index, element) =
                    (self.simple_type(index, "the index of an array"), self.type_of(element));
                self.types.intern(Type::Array { index: index?, element: element? })
            }
            TypeKind::Index { kind, size } => {
                let size_span = size.place.0;
                let size = self.constant_number(size)?;
                if !(1..=LARGEST_INDEX_TYPE).contains(&size) {
                    let message =
                        format!("an index type has 1 to {LARGEST_INDEX_TYPE} values, not {size}");
                    self.error(size_span, message);
                    return None;
                }
                let name = match name {
                    Some(name) => name.to_owned(),
                    None => format!("index_{}", self.types.index_types.len()),
                };
                let size = size.unsigned_abs() as u32;
                self.types.declare_index_type(IndexType { name, kind: *kind, size, span })
            }
            TypeKind::Union(members) => self.union(members, span)?,
            TypeKind::Set(element) => {
                let place = element.place.0;
                let element = self.simple_type(element, "the elements of a set")?;
                if self.types.is_range(element) && self.types.size(element) > LARGEST_SET {
                    let shown = self.types.show(element);
                    let message = format!(
                        "a set of numbers has at most {LARGEST_SET} of them to choose from, not {shown}"
                    );
                    self.error(place, message);
                    return None;
                }
                self.types.intern(Type::Set(element))
            }
            TypeKind::Queue { capacity, element } => {
                let (capacity, element) = self.collection(capacity, element, "queue", span)?;
                self.types.intern(Type::Queue { capacity, element })
            }
            TypeKind::Multiset { capacity, element } => {
                let (capacity, element) = self.collection(capacity, element, "multiset", span)?;
                self.types.intern(Type::Multiset { capacity, element })
            }
        };
        if self.types.cells(id) > MOST_CELLS {
            let message = format!("a value of this type has more than {MOST_CELLS} parts");
            self.error(span, message).help =
                Some("a model checker keeps millions of states: use smaller types".to_owned());
            return None;
        }
        Some(id)
    }

    /// The capacity and the element type of a multiset or a queue.
    fn collection(
        &mut self,
        capacity: &syntax::Expression,
        element: &syntax::Type,
        noun: &str,
        span: Span,
    ) -> Option<(u32, TypeId)> {
        let capacity_span = capacity.place.0;
        let (capacity, element) = (self.constant_number(capacity), self.type_of(element));
        let (capacity, element) = (capacity?, element?);
        let Some(capacity) = u32::try_from(capacity).ok().filter(|&most| most > 0) else {
            let message = format!("a {noun} has room for at least one element, not for {capacity}");
            self.error(capacity_span, message);
            return None;
        };
        if self.types.contains_multiset(element) {
            self.error(span, format!("a {noun} cannot contain multisets"));
            return None;
        }
        if self.types.contains_collection(element) {
            self.error(span, format!("a {noun} cannot contain queues or sets"));
            return None;
        }
        Some((capacity, element))
    }

    fn type_named(&mut self, name: &str, span: Span) -> Option<TypeId> {
        match self.scopes.find(name) {
            Some(ScopeSymbol::Type(id)) => Some(id),
            Some(ScopeSymbol::Broken) => None,
            Some(other) => {
                let message = format!("`{name}` is {}, not a type", other.noun());
                self.error(span, message);
                None
            }
            None => {
                self.unknown(name, span, "type", |symbol| matches!(symbol, ScopeSymbol::Type(_)));
                None
            }
        }
    }

    /// A type without parts.
    pub(super) fn simple_type(&mut self, of: &syntax::Type, role: &str) -> Option<TypeId> {
        let id = self.type_of(of)?;
        if id == Types::INTEGER || !self.types.is_simple(id) {
            let shown = self.types.show(id);
            let message = format!("{role} must have a simple type, not {shown}");
            self.error(of.place, message).help = Some(
                "simple types are ranges, enums, boolean, scalarsets, rings and unions".to_owned(),
            );
            return None;
        }
        Some(id)
    }

    fn enumeration(&mut self, members: &[Name], span: Span) -> Option<TypeId> {
        if members.is_empty() {
            self.error(span, "an enum without members has no values");
            return None;
        }
        let names = members.iter().map(|member| member.text.clone()).collect();
        let id = self.types.declare_enumeration(names, span);
        for (k, member) in members.iter().enumerate() {
            let value = Scalar::nth(&self.types, id, k as u64);
            self.declare(member, ScopeSymbol::Constant(value, id));
        }
        Some(id)
    }

    fn record(&mut self, parts: &[(Vec<Name>, syntax::Type)]) -> Option<TypeId> {
        let mut fields = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut intact = true;
        for (names, of) in parts {
            let of = self.type_of(of);
            intact &= of.is_some();
            for name in names {
                if let Some(&before) = seen.get(&name.text[..]) {
                    let message = format!("the record has two fields `{}`", name.text);
                    let wrong = Diagnostic::error(name.place, message);
                    self.report(wrong.related(before, "the first one"));
                    intact = false;
                }
                seen.insert(&name.text, name.place.0);
                fields.extend(of.map(|of| (name.text.clone(), of)));
            }
        }
        intact.then(|| self.types.intern(Type::Record(fields)))
    }

    fn union(&mut self, members: &[syntax::Type], span: Span) -> Option<TypeId> {
        let mut all: Vec<TypeId> = Vec::new();
        let mut intact = !members.is_empty();
        if members.is_empty() {
            self.error(span, "a union without members has no values");
        }
        for member in members {
            let Some(id) = self.type_of(member) else {
                intact = false;
                continue;
            };
            let parts = match self.types.get(id) {
                Type::Union(parts) => parts.clone(),
                Type::Enumeration(_) | Type::Index(_) => vec![id],
                _ => {
                    let shown = self.types.show(id);
                    let message =
                        format!("a union is made of index types and enums, not of {shown}");
                    self.error(member.place, message);
                    intact = false;
                    continue;
                }
            };
            for part in parts {
                if all.contains(&part) {
                    let message = format!("{} is in this union twice", self.types.show(part));
                    self.error(member.place, message);
                    intact = false;
                }
                all.push(part);
            }
        }
        intact.then(|| self.types.intern(Type::Union(all)))
    }
}
