//! The shape of a value: which cells it has, what they are called, and where indices are.

use crate::index::Indices;
use engine::system::layout::{self};
use std::any::TypeId;

/// The shape of a value that is stored in cells, with the names of its parts.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One cell.
    Simple(Simple),
    /// Parts one after the other. `variants` are those of an enumeration, in a part of its own before
    /// the fields of all variants.
    Struct(Vec<(String, Shape)>),
    /// An enumeration of which some variant has fields: a cell that says which variant it is, then the
    /// fields of all variants. Those of the other variants are undefined.
    Enum(Vec<Variant>),
    /// A map over an index type.
    Map {
        /// The index type.
        of: TypeId,
        /// The shape of an element.
        element: Box<Shape>,
    },
    /// Elements one after the other.
    Sequence {
        /// Their number.
        length: usize,
        /// The shape of an element.
        element: Box<Shape>,
    },
    /// Elements without an order.
    Bag {
        /// The greatest number of elements.
        capacity: usize,
        /// The shape of an element.
        element: Box<Shape>,
    },
}

/// What one cell may hold.
#[derive(Clone, Debug)]
pub enum Simple {
    /// A number.
    Range {
        /// The least one.
        low: i64,
        /// The greatest one.
        high: i64,
    },
    /// A variant, by its position.
    Names(Vec<String>),
    /// A value of an index type.
    Index(TypeId),
}

/// A variant of an enumeration.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<(String, Shape)>,
}

impl Shape {
    /// A number from `low` to `high`.
    pub fn range(low: i64, high: i64) -> Shape {
        Shape::Simple(Simple::Range { low, high })
    }

    /// The cells of a value as the engine sees them.
    pub(crate) fn packed(&self, all: &Indices) -> layout::Shape {
        match self {
            Shape::Simple(simple) => {
                let (low, values) = simple.values(all);
                let indices = match simple {
                    Simple::Index(of) => vec![(declared(all, *of), 0)],
                    Simple::Range { .. } | Simple::Names(_) => Vec::new(),
                };
                layout::Shape::Simple { low, values, indices }
            }
            Shape::Struct(fields) => record(fields, all),
            Shape::Enum(variants) => {
                let mut parts = vec![tag(variants)];
                parts.extend(variants.iter().map(|one| record(&one.fields, all)));
                layout::Shape::Record(parts)
            }
            Shape::Map { of, element } => {
                let id = declared(all, *of);
                let length = all.types()[id.0 as usize].size.into();
                let element = Box::new(element.packed(all));
                layout::Shape::Array { length, indices: vec![(id, 0)], element }
            }
            Shape::Sequence { length, element } => {
                let element = Box::new(element.packed(all));
                layout::Shape::Array { length: *length as u64, indices: Vec::new(), element }
            }
            Shape::Bag { capacity, element } => {
                let element = Box::new(element.packed(all));
                layout::Shape::Multiset { capacity: *capacity as u32, element }
            }
        }
    }

    /// The cells of a value, in order, each with its name and what it may hold.
    pub(crate) fn list(&self, name: &str, all: &Indices, cells: &mut Vec<CellName>) {
        let within = |part: &str| {
            if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") }
        };
        match self {
            Shape::Simple(simple) => {
                cells.push(CellName::new(name, simple.clone(), all));
            }
            Shape::Struct(fields) => {
                for (field, shape) in fields {
                    shape.list(&within(field), all, cells);
                }
            }
            Shape::Enum(variants) => {
                let names = variants.iter().map(|one| one.name.clone()).collect();
                cells.push(CellName::new(name, Simple::Names(names), all));
                for variant in variants {
                    for (field, shape) in &variant.fields {
                        shape.list(&within(&format!("{}.{field}", variant.name)), all, cells);
                    }
                }
            }
            Shape::Map { of, element } => {
                let declared = &all.types()[declared(all, *of).0 as usize];
                for k in 0..declared.size {
                    element.list(&format!("{name}[{}_{k}]", declared.name), all, cells);
                }
            }
            Shape::Sequence { length, element } => {
                for k in 0..*length {
                    element.list(&format!("{name}[{k}]"), all, cells);
                }
            }
            Shape::Bag { capacity, element } => {
                for k in 0..*capacity {
                    let name = format!("{name}[{k}]");
                    let (low, high) = (layout::PRESENT, layout::PRESENT);
                    cells.push(CellName::new(&name, Simple::Range { low, high }, all));
                    element.list(&name, all, cells);
                }
            }
        }
    }
}

/// A cell, for messages and for the check of ranges.
#[derive(Clone, Debug)]
pub struct CellName {
    pub(crate) name: String,
    pub(crate) low: i64,
    pub(crate) values: u64,
    of: Simple,
}

impl CellName {
    fn new(name: &str, of: Simple, all: &Indices) -> CellName {
        let (low, values) = of.values(all);
        CellName { name: name.to_owned(), low, values, of }
    }

    /// A value of the cell, as people read it.
    pub(crate) fn show(&self, all: &Indices, value: i64) -> String {
        if value == layout::UNDEFINED {
            return "-".to_owned();
        }
        match &self.of {
            Simple::Range { .. } => value.to_string(),
            Simple::Names(names) => names[value as usize].clone(),
            Simple::Index(of) => {
                let declared = &all.types()[declared(all, *of).0 as usize];
                format!("{}_{value}", declared.name)
            }
        }
    }

    /// Whether a value may be stored in the cell.
    #[inline]
    pub(crate) fn has_room_for(&self, value: i64) -> bool {
        value == layout::UNDEFINED || value.wrapping_sub(self.low).cast_unsigned() < self.values
    }
}

impl Simple {
    /// The least value of the cell, and the number of values.
    fn values(&self, all: &Indices) -> (i64, u64) {
        match self {
            Simple::Range { low, high } => (*low, high.abs_diff(*low) + 1),
            Simple::Names(names) => (0, names.len() as u64),
            Simple::Index(of) => (0, all.types()[declared(all, *of).0 as usize].size.into()),
        }
    }
}

/// The cell that says which variant an enumeration has.
fn tag(variants: &[Variant]) -> layout::Shape {
    layout::Shape::Simple { low: 0, values: variants.len() as u64, indices: Vec::new() }
}

fn record(fields: &[(String, Shape)], all: &Indices) -> layout::Shape {
    layout::Shape::Record(fields.iter().map(|(_, shape)| shape.packed(all)).collect())
}

fn declared(all: &Indices, of: TypeId) -> terms::IndexTypeId {
    all.id_of_type(of).expect("the shape of an index asks for its type first")
}
