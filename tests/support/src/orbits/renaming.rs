//! Renamings of index values, and the groups of models as lists of them.

use model::checked::{Group, Model};
use model::interpret::{Event, Process, State};
use model::types::{IndexTypeId, Type, TypeId, Types};
use model::value::{Scalar, Value};

/// One permutation per index type.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Renaming {
    /// By index type: by value, its new name.
    pub images: Vec<Vec<u32>>,
}

impl Renaming {
    /// The renaming that changes nothing.
    pub fn identity(model: &Model) -> Renaming {
        let types = model.types.index_types.iter();
        Renaming { images: types.map(|of| (0..of.size).collect()).collect() }
    }

    fn scalar(&self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Index(of, k) => Scalar::Index(of, self.images[of.0 as usize][k as usize]),
            other => other,
        }
    }

    /// What is stored at k is stored at the new name of k, renamed itself.
    fn value(&self, types: &Types, of: TypeId, value: &Value) -> Value {
        match (types.get(of), value) {
            (Type::Array { index, element }, Value::Parts(parts)) => {
                let mut renamed = parts.clone();
                for (k, part) in (0..).zip(parts) {
                    let name = self.scalar(Scalar::nth(types, *index, k));
                    let name = name.position(types, *index).expect("a name of the same type");
                    renamed[name as usize] = self.value(types, *element, part);
                }
                Value::Parts(renamed)
            }
            (Type::Record(fields), Value::Parts(parts)) => {
                let both = fields.iter().zip(parts);
                Value::Parts(both.map(|((_, of), part)| self.value(types, *of, part)).collect())
            }
            (Type::Queue { element, .. }, Value::Queue(parts)) => {
                Value::Queue(parts.iter().map(|part| self.value(types, *element, part)).collect())
            }
            (Type::Set(_), Value::Set(elements)) => {
                Value::Set(elements.iter().map(|one| self.scalar(*one)).collect())
            }
            (Type::Multiset { element, .. }, Value::Multiset(parts)) => {
                let present = parts.iter().flatten();
                let mut renamed: Vec<_> =
                    present.map(|part| Some(self.value(types, *element, part))).collect();
                renamed.sort();
                Value::Multiset(renamed)
            }
            (_, Value::Scalar(scalar)) => Value::Scalar(self.scalar(*scalar)),
            (_, value) => value.clone(),
        }
    }

    /// The state with all index values renamed, in cells and in subscripts.
    pub fn state(&self, model: &Model, state: &State) -> State {
        let both = model.variables.iter().zip(&state.0);
        State(both.map(|(variable, value)| self.value(&model.types, variable.of, value)).collect())
    }

    /// The image of a process.
    pub fn process(&self, process: Process) -> Process {
        Process { member: process.member.map(|member| self.scalar(member)), ..process }
    }

    /// The image of an event: its arguments are renamed.
    pub fn event(&self, model: &Model, event: &Event) -> Event {
        let parameters = &model.events[event.event.0 as usize].parameters;
        let both = parameters.iter().zip(&event.arguments);
        let arguments = both.map(|((_, of), value)| self.value(&model.types, *of, value)).collect();
        Event { event: event.event, arguments }
    }
}

/// Generators of the model's group.
pub fn generators(model: &Model) -> Vec<Renaming> {
    let per_type = model.symmetries.iter().flat_map(|symmetry| {
        let n = model.types.index_type(symmetry.of).size;
        generating(symmetry.group, n).into_iter().map(|images| (symmetry.of, images))
    });
    per_type.map(|(of, images)| alone(model, of, images)).collect()
}

/// All transpositions (j i) in the model's group, j < i.
pub fn transpositions(model: &Model) -> Vec<(IndexTypeId, u32, u32, Renaming)> {
    let mut found = Vec::new();
    for symmetry in &model.symmetries {
        let n = model.types.index_type(symmetry.of).size;
        // Of a full group they are known; the others are small.
        let small = (symmetry.group != Group::Full).then(|| closure(symmetry.group, n));
        for i in 0..n {
            for j in 0..i {
                let mut images: Vec<u32> = (0..n).collect();
                images.swap(i as usize, j as usize);
                if small.as_ref().is_none_or(|all| all.contains(&images)) {
                    found.push((symmetry.of, j, i, alone(model, symmetry.of, images)));
                }
            }
        }
    }
    found
}

/// All elements of the model's group; none if they are more than so many.
pub fn elements(model: &Model, most: usize) -> Option<Vec<Renaming>> {
    let mut found = vec![Renaming::identity(model)];
    for symmetry in &model.symmetries {
        let n = model.types.index_type(symmetry.of).size;
        let factorial = (1..=n as usize).product::<usize>();
        if symmetry.group == Group::Full && (n > 12 || factorial * found.len() > most) {
            return None;
        }
        let all = closure(symmetry.group, n);
        let with = |one: &Renaming, images: &Vec<u32>| {
            let mut one = one.clone();
            one.images[symmetry.of.0 as usize].clone_from(images);
            one
        };
        found =
            found.iter().flat_map(|one| all.iter().map(move |images| with(one, images))).collect();
    }
    (found.len() <= most).then_some(found)
}

/// Permutes one index type.
fn alone(model: &Model, of: IndexTypeId, images: Vec<u32>) -> Renaming {
    let mut renaming = Renaming::identity(model);
    renaming.images[of.0 as usize] = images;
    renaming
}

fn generating(group: Group, n: u32) -> Vec<Vec<u32>> {
    let rotation = (0..n).map(|k| (k + 1) % n).collect();
    let reflection = (0..n).rev().collect();
    match group {
        Group::Full => {
            let swap = |k: usize| {
                let mut images: Vec<u32> = (0..n).collect();
                images.swap(k - 1, k);
                images
            };
            (1..n as usize).map(swap).collect()
        }
        Group::Rotations => vec![rotation],
        Group::Dihedral => vec![rotation, reflection],
        Group::Trivial => Vec::new(),
    }
}

/// All products of the generators.
fn closure(group: Group, n: u32) -> Vec<Vec<u32>> {
    let generators = generating(group, n);
    let mut found = vec![(0..n).collect::<Vec<u32>>()];
    let mut seen: std::collections::HashSet<_> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() {
        for generator in &generators {
            let product: Vec<u32> = found[next].iter().map(|&k| generator[k as usize]).collect();
            if seen.insert(product.clone()) {
                found.push(product);
            }
        }
        next += 1;
    }
    found
}
