//! Types, and their numbers of values.
//!
//! Types are interned: two types are equal iff their ids are. Ranges, arrays, records, multisets
//! and unions are equal if their parts are; enumerations and index types are nominal, so each
//! declaration creates a new one (an alias does not).

pub use terms::IndexTypeId;

use super::syntax::IndexKind;
use hashbrown::HashMap;
use run::Span;
use std::fmt::Write as _;

/// A type of a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(u32);

/// An enumeration of a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumerationId(pub u32);

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Numbers from `low` to `high`, both included; never empty.
    Range {
        /// The least value.
        low: i64,
        /// The greatest value.
        high: i64,
    },
    /// Members of an enumeration; `boolean` is one.
    Enumeration(EnumerationId),
    /// Values of an index type, which are interchangeable.
    Index(IndexTypeId),
    /// Values of any of these types: each an enumeration or an index type, at least one, none
    /// twice. Values are ordered by the position of their type in this list.
    Union(Vec<TypeId>),
    /// One element per value of a simple type.
    Array {
        /// A simple type.
        index: TypeId,
        /// Any type.
        element: TypeId,
    },
    /// Named fields, in order.
    Record(Vec<(String, TypeId)>),
    /// At most `capacity` elements, one after the other.
    Queue {
        /// The greatest length, at least one.
        capacity: u32,
        /// A type without multisets and queues.
        element: TypeId,
    },
    /// Some values of a simple type.
    Set(TypeId),
    /// At most `capacity` elements, in no order.
    Multiset {
        /// The greatest number of elements.
        capacity: u32,
        /// A type without multisets and queues.
        element: TypeId,
    },
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// The names of its members, in order.
    pub members: Vec<String>,
    /// Where it is declared; none for `boolean`.
    pub span: Option<Span>,
}

/// An index type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexType {
    /// Its first name, or a name made for it (`index_k`) if it has none.
    pub name: String,
    /// The kind that is declared: the permutations under which its values are interchangeable.
    pub kind: IndexKind,
    /// The number of its values, at least one.
    pub size: u32,
    /// Where it is declared.
    pub span: Span,
}

/// All types of a model.
#[derive(Clone, Debug)]
pub struct Types {
    /// The types, by id.
    all: Vec<Type>,
    ids: HashMap<Type, TypeId>,
    /// The first declared name of each type, if it has one.
    names: HashMap<TypeId, String>,
    /// All enumerations; `boolean` is the first.
    pub enumerations: Vec<Enumeration>,
    /// All index types.
    pub index_types: Vec<IndexType>,
}

/// `boolean`, whose members are `false` and `true`.
pub const BOOLEAN_ENUMERATION: EnumerationId = EnumerationId(0);

impl Types {
    /// `boolean`.
    pub const BOOLEAN: TypeId = TypeId(0);
    /// All numbers: the type of literals and of arithmetic.
    pub const INTEGER: TypeId = TypeId(1);

    /// The types that need no declaration: `boolean` and the numbers.
    pub fn new() -> Self {
        let members = vec!["false".to_owned(), "true".to_owned()];
        let mut types = Types {
            all: Vec::new(),
            ids: HashMap::new(),
            names: HashMap::new(),
            enumerations: vec![Enumeration { members, span: None }],
            index_types: Vec::new(),
        };
        let boolean = types.intern(Type::Enumeration(BOOLEAN_ENUMERATION));
        let integer = types.intern(Type::Range { low: i64::MIN, high: i64::MAX });
        types.give_name(boolean, "boolean");
        types.give_name(integer, "integer");
        debug_assert_eq!((boolean, integer), (Types::BOOLEAN, Types::INTEGER));
        types
    }

    /// Returns the id of a type, a new one if the type is new.
    pub fn intern(&mut self, of: Type) -> TypeId {
        let fresh = TypeId(self.all.len() as u32);
        *self.ids.entry(of).or_insert_with_key(|of| {
            self.all.push(of.clone());
            fresh
        })
    }

    /// Adds a new enumeration.
    pub fn declare_enumeration(&mut self, members: Vec<String>, span: Span) -> TypeId {
        let id = EnumerationId(self.enumerations.len() as u32);
        self.enumerations.push(Enumeration { members, span: Some(span) });
        self.intern(Type::Enumeration(id))
    }

    /// Adds a new index type.
    pub fn declare_index_type(&mut self, of: IndexType) -> TypeId {
        let id = IndexTypeId(self.index_types.len() as u32);
        self.index_types.push(of);
        self.intern(Type::Index(id))
    }

    /// Names a type that has no name yet.
    pub fn give_name(&mut self, of: TypeId, name: &str) {
        self.names.entry(of).or_insert_with(|| name.to_owned());
    }

    /// The first name that was declared for this type.
    pub fn name(&self, of: TypeId) -> Option<&str> {
        self.names.get(&of).map(String::as_str)
    }

    /// The structure of a type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.0 as usize]
    }

    /// The sizes of the index types.
    pub fn index_sizes(&self) -> impl Iterator<Item = u32> {
        self.index_types.iter().map(|of| of.size)
    }

    /// The index type of this id.
    pub fn index_type(&self, id: IndexTypeId) -> &IndexType {
        &self.index_types[id.0 as usize]
    }

    /// The members of this enumeration.
    pub fn members(&self, id: EnumerationId) -> &[String] {
        &self.enumerations[id.0 as usize].members
    }

    /// Whether the type is a range, an enumeration, an index type or a union.
    pub fn is_simple(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => true,
            Type::Array { .. }
            | Type::Record(_)
            | Type::Queue { .. }
            | Type::Set(_)
            | Type::Multiset { .. } => false,
        }
    }

    /// Whether a value of the type may contain a multiset.
    pub fn contains_multiset(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Multiset { .. } => true,
            Type::Array { element, .. } => self.contains_multiset(*element),
            Type::Record(fields) => fields.iter().any(|&(_, of)| self.contains_multiset(of)),
            _ => false,
        }
    }

    /// Whether a value of the type may contain a multiset, a queue or a set: a collection of as many
    /// values as there are at a time.
    pub fn contains_collection(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Multiset { .. } | Type::Queue { .. } | Type::Set(_) => true,
            Type::Array { element, .. } => self.contains_collection(*element),
            Type::Record(fields) => fields.iter().any(|&(_, of)| self.contains_collection(of)),
            _ => false,
        }
    }

    /// Whether the type is a queue.
    pub fn is_queue(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Queue { .. })
    }

    /// Whether the model has a type of queues.
    pub fn has_queues(&self) -> bool {
        self.all.iter().any(|of| matches!(of, Type::Queue { .. }))
    }

    /// Whether the model has a type of sets.
    pub fn has_sets(&self) -> bool {
        self.all.iter().any(|of| matches!(of, Type::Set(_)))
    }

    /// The element type, if this is a set.
    pub fn set_of(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Set(element) => Some(*element),
            _ => None,
        }
    }

    /// Whether the type is a range.
    pub fn is_range(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Range { .. })
    }

    /// The index types among the values of a simple type: the type itself, or members of a union.
    pub fn indices(&self, id: TypeId) -> Vec<IndexTypeId> {
        match self.get(id) {
            Type::Index(index) => vec![*index],
            Type::Union(members) => members.iter().flat_map(|&m| self.indices(m)).collect(),
            _ => Vec::new(),
        }
    }

    /// The index types of which `clear` stores the first value in a value of this type, at any depth.
    /// The index of an array is not stored, and a queue, a set or a multiset gets empty.
    pub fn cleared_indices(&self, id: TypeId) -> Vec<IndexTypeId> {
        let mut found = match self.get(id) {
            Type::Array { element, .. } => self.cleared_indices(*element),
            Type::Queue { .. } | Type::Set(_) | Type::Multiset { .. } => Vec::new(),
            Type::Record(fields) => {
                fields.iter().flat_map(|&(_, of)| self.cleared_indices(of)).collect()
            }
            _ => self.indices(id),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The index types that occur in this type, at any depth: those of stored values and the
    /// indices of arrays.
    pub fn all_indices(&self, id: TypeId) -> Vec<IndexTypeId> {
        let mut found = match self.get(id) {
            Type::Array { index, element } => {
                [self.indices(*index), self.all_indices(*element)].concat()
            }
            Type::Queue { element, .. } | Type::Multiset { element, .. } | Type::Set(element) => {
                self.all_indices(*element)
            }
            Type::Record(fields) => {
                fields.iter().flat_map(|&(_, of)| self.all_indices(of)).collect()
            }
            _ => self.indices(id),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of defined values of a simple type; saturating.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Range { low, high } => high.abs_diff(*low).saturating_add(1),
            Type::Enumeration(id) => self.members(*id).len() as u64,
            Type::Index(id) => u64::from(self.index_type(*id).size),
            Type::Union(members) => members.iter().map(|&member| self.size(member)).sum(),
            Type::Array { .. }
            | Type::Record(_)
            | Type::Queue { .. }
            | Type::Set(_)
            | Type::Multiset { .. } => unreachable!("asked of simple types only"),
        }
    }

    /// The number of simple parts of a value; saturating. A multiset or a queue counts as if it were
    /// full, with a part that says whether an element is there, or how many are.
    pub fn cells(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Array { index, element } => {
                self.size(*index).saturating_mul(self.cells(*element))
            }
            Type::Record(fields) => {
                fields.iter().fold(0, |sum: u64, &(_, of)| sum.saturating_add(self.cells(of)))
            }
            Type::Set(element) => self.size(*element),
            Type::Queue { capacity, element } => {
                u64::from(*capacity).saturating_mul(self.cells(*element)).saturating_add(1)
            }
            Type::Multiset { capacity, element } => {
                u64::from(*capacity).saturating_mul(self.cells(*element).saturating_add(1))
            }
            _ => 1,
        }
    }

    /// The type as messages show it: its name, or its structure.
    pub fn show(&self, id: TypeId) -> String {
        self.name(id).map_or_else(|| self.structure(id), str::to_owned)
    }

    /// The structure as messages show it; parts are shown by their names, if they have any.
    pub fn structure(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Range { low, high } => format!("{low}..{high}"),
            Type::Enumeration(id) => format!("enum {{ {} }}", self.members(*id).join(", ")),
            Type::Index(id) => self.index_type(*id).name.clone(),
            Type::Union(members) => {
                let members: Vec<_> = members.iter().map(|&member| self.show(member)).collect();
                format!("union {{ {} }}", members.join(", "))
            }
            Type::Array { index, element } => {
                format!("array [{}] of {}", self.show(*index), self.show(*element))
            }
            Type::Record(fields) => {
                let mut shown = "record ".to_owned();
                for (name, of) in fields {
                    let _ = write!(shown, "{name}: {}; ", self.show(*of));
                }
                shown + "end"
            }
            Type::Set(element) => format!("set of {}", self.show(*element)),
            Type::Queue { capacity, element } => {
                format!("queue [{capacity}] of {}", self.show(*element))
            }
            Type::Multiset { capacity, element } => {
                format!("multiset [{capacity}] of {}", self.show(*element))
            }
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}
