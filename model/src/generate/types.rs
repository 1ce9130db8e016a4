//! Generates the types of random models.

use super::{Generator, Kind, Named};
use crate::syntax::IndexKind;

/// The most states that a model may have, reachable or not.
const MOST_STATES: u64 = 30_000;

/// A type of the generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Boolean,
    /// Numbers from 0 to this.
    Range(u32),
    /// An index into [`Declared::enumerations`].
    Enumeration(usize),
    /// An index into [`Declared::indices`].
    Index(usize),
    /// The union of an index type and an enumeration, both by position.
    Union(usize, usize),
    Array(Box<Ty>, Box<Ty>),
    /// An index into [`Declared::records`].
    Record(usize),
    Multiset(u32, Box<Ty>),
    Queue(u32, Box<Ty>),
    Set(Box<Ty>),
}

/// The named types of a model.
#[derive(Default)]
pub(super) struct Declared {
    /// Names and members.
    pub(super) enumerations: Vec<(String, Vec<String>)>,
    /// Names, kinds, sizes.
    pub(super) indices: Vec<(String, IndexKind, usize)>,
    /// Names and fields.
    pub(super) records: Vec<(String, Vec<(String, Ty)>)>,
    /// The name of the union of an index type and an enumeration.
    pub(super) unions: Vec<(String, usize, usize)>,
}

impl Generator {
    /// Declares all types.
    pub(super) fn declare_types(&mut self) {
        self.line("type");
        self.indent += 1;
        for k in 0..=self.below(2) {
            let members: Vec<_> = (0..2 + self.below(2)).map(|m| format!("M{k}{m}")).collect();
            self.line(&format!("enum{k}: enum {{ {} }};", members.join(", ")));
            self.declared.enumerations.push((format!("enum{k}"), members));
        }
        // Few of the models have no index types, because those test little.
        let wanted = self.below(self.options.index_types * 2 + 1).div_ceil(2);
        for k in 0..wanted {
            let kinds = [
                (IndexKind::Scalarset, "scalarset"),
                (IndexKind::Scalarset, "scalarset"),
                (IndexKind::Ring, "ring"),
                (IndexKind::UndirectedRing, "undirected ring"),
            ];
            let (kind, word) = kinds[self.below(kinds.len())];
            let largest = if k == 0 { self.options.largest } else { self.options.largest.min(3) };
            let size = 1 + [1, 1, 2, 2, 3, 0][self.below(6)].min(largest - 1);
            self.line(&format!("index{k}: {word}({size});"));
            self.declared.indices.push((format!("index{k}"), kind, size));
        }
        if !self.declared.indices.is_empty() && self.chance(30) {
            let index = self.below(self.declared.indices.len());
            let name = "mixed0".to_owned();
            let members = [&self.declared.indices[index].0, &self.declared.enumerations[0].0];
            let line = format!("{name}: union {{ {}, {} }};", members[0], members[1]);
            self.line(&line);
            self.declared.unions.push((name, index, 0));
        }
        if self.chance(60) {
            let fields: Vec<_> =
                (0..=self.below(2)).map(|k| (format!("field{k}"), self.simple_type())).collect();
            let inside: Vec<_> =
                fields.iter().map(|(name, of)| format!("{name}: {};", self.show(of))).collect();
            self.line(&format!("record0: record {} end;", inside.join(" ")));
            self.declared.records.push(("record0".to_owned(), fields));
        }
        self.indent -= 1;
    }

    /// Declares the variables of the state.
    pub(super) fn declare_variables(&mut self) {
        let mut states = 1u64;
        let mut names: Vec<Named> = Vec::new();
        for _ in 0..3 + self.below(5) {
            let of = self.any_type();
            let more = states.saturating_mul(self.count(&of));
            if more > MOST_STATES {
                continue;
            }
            states = more;
            names.push(Named { name: format!("g{}", names.len()), of, kind: Kind::Global });
        }
        if names.is_empty() {
            names.push(Named { name: "g0".to_owned(), of: Ty::Boolean, kind: Kind::Global });
        }
        self.line("var");
        self.indent += 1;
        for named in &names {
            let initial = if self.chance(15) { self.initial_value(&named.of) } else { None };
            let initial = initial.map_or(String::new(), |value| format!(" := {value}"));
            let line = format!("{}: {}{initial};", named.name, self.show(&named.of));
            self.line(&line);
        }
        self.indent -= 1;
        self.scope = names;
    }

    /// A constant that a variable may begin with, or all of its elements.
    fn initial_value(&mut self, of: &Ty) -> Option<String> {
        match of {
            Ty::Boolean => Some(["false", "true"][self.below(2)].to_owned()),
            Ty::Range(high) => Some(self.below(*high as usize + 1).to_string()),
            Ty::Enumeration(k) | Ty::Union(_, k) => {
                let members = self.declared.enumerations[*k].1.clone();
                self.pick(&members)
            }
            Ty::Array(index, element) => {
                let value = self.initial_value(element)?;
                let is_pair = matches!(**index, Ty::Boolean | Ty::Range(1));
                if is_pair && Generator::is_simple(element) && self.chance(50) {
                    let other = self.initial_value(element)?;
                    return Some(format!("[{value}, {other}]"));
                }
                // A literal inside would be taken for one of this array.
                (!value.starts_with('[')).then_some(value)
            }
            _ => None,
        }
    }

    /// A simple type.
    pub(super) fn simple_type(&mut self) -> Ty {
        match self.below(10) {
            0..=2 => Ty::Boolean,
            3 | 4 => Ty::Range(1 + self.below(2) as u32),
            5 => Ty::Enumeration(self.below(self.declared.enumerations.len())),
            6 => match self.pick(&self.declared.unions.clone()) {
                Some((_, index, enumeration)) => Ty::Union(index, enumeration),
                None => self.index_type().unwrap_or(Ty::Boolean),
            },
            _ => self.index_type().unwrap_or(Ty::Boolean),
        }
    }

    /// An index type, if there is one.
    pub(super) fn index_type(&mut self) -> Option<Ty> {
        let count = self.declared.indices.len();
        (count > 0).then(|| Ty::Index(self.below(count)))
    }

    /// A type that an array or a loop may range over: mostly an index type.
    pub(super) fn domain_type(&mut self) -> Ty {
        match self.below(12) {
            0 => Ty::Boolean,
            1 => Ty::Enumeration(self.below(self.declared.enumerations.len())),
            2 => Ty::Range(1),
            3 => match self.pick(&self.declared.unions.clone()) {
                Some((_, index, enumeration)) => Ty::Union(index, enumeration),
                None => self.index_type().unwrap_or(Ty::Boolean),
            },
            _ => self.index_type().unwrap_or(Ty::Boolean),
        }
    }

    fn any_type(&mut self) -> Ty {
        match self.below(20) {
            4..=8 => Ty::Array(Box::new(self.domain_type()), Box::new(self.simple_type())),
            9 => {
                let inner = Ty::Array(Box::new(self.domain_type()), Box::new(Ty::Boolean));
                Ty::Array(Box::new(self.domain_type()), Box::new(inner))
            }
            10 | 11 if !self.declared.records.is_empty() => {
                if self.chance(50) {
                    Ty::Record(0)
                } else {
                    Ty::Array(Box::new(self.domain_type()), Box::new(Ty::Record(0)))
                }
            }
            12 | 13 if self.options.multisets => {
                let element = if !self.declared.records.is_empty() && self.chance(40) {
                    Ty::Record(0)
                } else {
                    self.simple_type()
                };
                Ty::Multiset(1 + self.below(3) as u32, Box::new(element))
            }
            17..=19 if self.options.sets => {
                let set = Ty::Set(Box::new(self.domain_type()));
                if self.chance(35) {
                    Ty::Array(Box::new(self.domain_type()), Box::new(set))
                } else {
                    set
                }
            }
            14..=16 if self.options.queues => {
                let element = if !self.declared.records.is_empty() && self.chance(40) {
                    Ty::Record(0)
                } else {
                    self.simple_type()
                };
                let queue = Ty::Queue(1 + self.below(3) as u32, Box::new(element));
                if self.chance(35) {
                    Ty::Array(Box::new(self.domain_type()), Box::new(queue))
                } else {
                    queue
                }
            }
            _ => self.simple_type(),
        }
    }

    /// The text of a type.
    pub(super) fn show(&self, of: &Ty) -> String {
        match of {
            Ty::Boolean => "boolean".to_owned(),
            Ty::Range(high) => format!("0..{high}"),
            Ty::Enumeration(k) => self.declared.enumerations[*k].0.clone(),
            Ty::Index(k) => self.declared.indices[*k].0.clone(),
            Ty::Union(index, enumeration) => {
                let is_this = |u: &&(String, usize, usize)| u.1 == *index && u.2 == *enumeration;
                let declared = self.declared.unions.iter().find(is_this);
                declared.expect("unions are made of declared ones").0.clone()
            }
            Ty::Array(index, element) => {
                format!("array [{}] of {}", self.show(index), self.show(element))
            }
            Ty::Record(k) => self.declared.records[*k].0.clone(),
            Ty::Set(element) => format!("set of {}", self.show(element)),
            Ty::Queue(capacity, element) => {
                format!("queue [{capacity}] of {}", self.show(element))
            }
            Ty::Multiset(capacity, element) => {
                format!("multiset [{capacity}] of {}", self.show(element))
            }
        }
    }

    /// The approximate number of values of a type, undefined ones included; saturating.
    pub(super) fn count(&self, of: &Ty) -> u64 {
        match of {
            Ty::Boolean => 2,
            Ty::Range(high) => u64::from(*high) + 1,
            Ty::Enumeration(k) => self.declared.enumerations[*k].1.len() as u64,
            Ty::Index(k) => self.declared.indices[*k].2 as u64 + 1,
            Ty::Union(index, enumeration) => {
                self.count(&Ty::Index(*index)) + self.count(&Ty::Enumeration(*enumeration))
            }
            Ty::Array(index, element) => {
                self.count(element).saturating_pow(self.count(index) as u32)
            }
            Ty::Record(k) => {
                let fields = self.declared.records[*k].1.iter();
                fields.fold(1, |product, (_, of)| product.saturating_mul(self.count(of)))
            }
            Ty::Set(element) => 1 << self.count(element),
            Ty::Queue(capacity, element) => {
                let n = self.count(element);
                (0..*capacity).fold(1, |sum: u64, _| sum.saturating_mul(n).saturating_add(1))
            }
            Ty::Multiset(capacity, element) => {
                let n = self.count(element);
                let capacity = u64::from(*capacity);
                (0..capacity).fold(1, |product, k| product * (n + k) / (k + 1))
            }
        }
    }

    /// Whether the type is simple: neither an array, nor a record, nor a multiset, nor a queue,
    /// nor a set.
    pub(super) fn is_simple(of: &Ty) -> bool {
        !matches!(of, Ty::Array(..) | Ty::Record(_) | Ty::Multiset(..) | Ty::Queue(..) | Ty::Set(_))
    }

    /// Whether a value contains as many elements as there are at a time.
    pub(super) fn is_collection(of: &Ty) -> bool {
        match of {
            Ty::Multiset(..) | Ty::Queue(..) | Ty::Set(_) => true,
            Ty::Array(_, element) => Generator::is_collection(element),
            _ => false,
        }
    }

    /// Whether the values of a type include indices, whose order must not matter.
    pub(super) fn has_indices(of: &Ty) -> bool {
        matches!(of, Ty::Index(_) | Ty::Union(..))
    }
}
