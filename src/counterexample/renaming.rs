//! Renamings of index values, as the judge and whoever reads a counterexample need them.
//!
//! A renaming g has, for each index type, an image of each of its values, none twice. It acts on whatever
//! is made of index values by replacing each by its image; of an array, the element at k becomes the element
//! at g(k):
//!
//! ```text
//! g(a)[g(k)] = g(a[k])
//! ```
//!
//! In text a renaming is written in cycle notation, one text per index type, values by their numbers:
//! `(0 1 2)(4 5)` takes 0 to 1, 1 to 2, 2 to 0, 4 to 5, 5 to 4, and leaves all others alone. The renaming
//! that does nothing is `()`.
//!
//! This is written for the judge and knows nothing of how the engines permute states.

use model::checked::{Group, Model};
use model::interpret::{Event, Process, State};
use model::types::{IndexTypeId, Type, TypeId, Types};
use model::value::{Scalar, Value};
use num_bigint::BigUint;
use std::fmt::Write as _;

/// A renaming of index values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Renaming {
    /// By index type, by value: its image. Invariant: each list has every number below its length.
    images: Vec<Vec<u32>>,
}

impl Renaming {
    /// The renaming that does nothing.
    pub fn identity(model: &Model) -> Renaming {
        let types = model.types.index_types.iter();
        Renaming { images: types.map(|of| (0..of.size).collect()).collect() }
    }

    /// The renaming with these images, by index type and value; none if a value is the image of two, or of
    /// none.
    pub fn new(images: Vec<Vec<u32>>) -> Option<Renaming> {
        let is_onto = |images: &Vec<u32>| {
            let mut sorted = images.clone();
            sorted.sort_unstable();
            sorted.iter().zip(0..).all(|(&image, k)| image == k)
        };
        images.iter().all(is_onto).then_some(Renaming { images })
    }

    /// The images of the values of an index type.
    pub fn images(&self, of: IndexTypeId) -> &[u32] {
        &self.images[of.0 as usize]
    }

    /// This one after the other one.
    #[must_use]
    pub fn after(&self, first: &Renaming) -> Renaming {
        let both = self.images.iter().zip(&first.images);
        let images = both.map(|(then, first)| first.iter().map(|&k| then[k as usize]).collect());
        Renaming { images: images.collect() }
    }

    /// What undoes it.
    #[must_use]
    pub fn inverse(&self) -> Renaming {
        let undone = |images: &Vec<u32>| {
            let mut undone = vec![0; images.len()];
            for (k, &image) in (0..).zip(images) {
                undone[image as usize] = k;
            }
            undone
        };
        Renaming { images: self.images.iter().map(undone).collect() }
    }

    /// Whether it does nothing.
    pub fn is_identity(&self) -> bool {
        let mut types = self.images.iter();
        types.all(|images| images.iter().zip(0..).all(|(&image, k)| image == k))
    }

    /// How often it must be done, at least once, until everything is where it was.
    pub fn order(&self) -> BigUint {
        let lengths = self.images.iter().flat_map(|images| cycles(images)).map(|one| one.len());
        lengths.fold(BigUint::from(1_u32), |order, length| {
            let length = BigUint::from(length);
            // Small numbers but for one: Euclid's algorithm.
            let (mut a, mut b) = (order.clone(), length.clone());
            while b != BigUint::ZERO {
                (a, b) = (b.clone(), a % b);
            }
            order * length / a
        })
    }

    /// Whether this renames the index values of this model.
    pub fn is_of(&self, model: &Model) -> bool {
        let sizes = model.types.index_types.iter().map(|of| of.size as usize);
        sizes.eq(self.images.iter().map(Vec::len))
    }

    /// The first index type on which this is no symmetry, as the model declares them.
    pub fn asymmetric(&self, model: &Model) -> Option<IndexTypeId> {
        let all = model.symmetries.iter().find(|symmetry| {
            let images = self.images(symmetry.of);
            let n = images.len();
            let first = images.first().map_or(0, |&image| image as usize);
            let each = |is: &dyn Fn(usize) -> usize| {
                images.iter().enumerate().all(|(k, &image)| image as usize == is(k))
            };
            let is_rotation = || each(&|k| (first + k) % n);
            let is_reflection = || each(&|k| (first + n - k) % n);
            !match symmetry.group {
                Group::Full => true,
                Group::Trivial => each(&|k| k),
                Group::Rotations => is_rotation(),
                Group::Dihedral => is_rotation() || is_reflection(),
            }
        });
        all.map(|symmetry| symmetry.of)
    }

    /// The image of a simple value.
    pub fn scalar(&self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Index(of, k) => Scalar::Index(of, self.images(of)[k as usize]),
            Scalar::Number(_) | Scalar::Member(..) => scalar,
        }
    }

    /// The image of a value of this type.
    pub fn value(&self, types: &Types, of: TypeId, value: &Value) -> Value {
        let mut image = match (value, types.get(of)) {
            (Value::Scalar(scalar), _) => Value::Scalar(self.scalar(*scalar)),
            (Value::Parts(parts), Type::Array { index, element }) => {
                let place = |k: usize| {
                    let key = self.scalar(Scalar::nth(types, *index, k as u64));
                    key.position(types, *index).expect("a type has the images of its values")
                };
                let images = parts.iter().enumerate();
                let mut images: Vec<(u64, Value)> =
                    images.map(|(k, part)| (place(k), self.value(types, *element, part))).collect();
                images.sort_by_key(|(place, _)| *place);
                Value::Parts(images.into_iter().map(|(_, part)| part).collect())
            }
            (Value::Parts(parts), Type::Record(fields)) => {
                let parts = parts.iter().zip(fields);
                Value::Parts(parts.map(|(part, (_, of))| self.value(types, *of, part)).collect())
            }
            (Value::Multiset(elements), Type::Multiset { element, .. }) => {
                let image =
                    |one: &Option<Value>| one.as_ref().map(|one| self.value(types, *element, one));
                Value::Multiset(elements.iter().map(image).collect())
            }
            // Nothing in it could be renamed.
            (Value::Undefined | Value::Parts(_) | Value::Multiset(_), _) => value.clone(),
        };
        image.settle();
        image
    }

    /// The image of a state of the model.
    pub fn state(&self, model: &Model, state: &State) -> State {
        let values = model.variables.iter().zip(&state.0);
        State(values.map(|(one, value)| self.value(&model.types, one.of, value)).collect())
    }

    /// The image of a process. It is of the same family, whose type has all values of an index type or
    /// none.
    pub fn process(&self, process: &Process) -> Process {
        Process { member: process.member.map(|scalar| self.scalar(scalar)), ..*process }
    }

    /// The image of an event of the model.
    pub fn event(&self, model: &Model, event: &Event) -> Event {
        let parameters = &model.events[event.event.0 as usize].parameters;
        let arguments = event.arguments.iter().zip(parameters);
        let arguments = arguments.map(|(value, (_, of))| self.value(&model.types, *of, value));
        Event { event: event.event, arguments: arguments.collect() }
    }

    /// In cycle notation, for one index type: each cycle begins with its least value, and cycles come in
    /// the order of these.
    pub fn show(&self, of: IndexTypeId) -> String {
        let mut out = String::new();
        for cycle in cycles(self.images(of)).iter().filter(|cycle| cycle.len() > 1) {
            for (k, value) in cycle.iter().enumerate() {
                let _ = write!(out, "{}{value}", if k > 0 { " " } else { "(" });
            }
            out.push(')');
        }
        if out.is_empty() { "()".to_owned() } else { out }
    }

    /// Does on this index type what a text in cycle notation says; cycles must be disjoint, but may come in
    /// any order. If it is no such text, says why.
    pub fn read(&mut self, of: IndexTypeId, text: &str) -> Result<(), String> {
        let size = self.images(of).len();
        let mut images: Vec<u32> = (0..size as u32).collect();
        let mut seen = vec![false; size];
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err("expected cycles, as in `(0 1 2)`".to_owned());
        }
        while !rest.is_empty() {
            let cycle = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let Some((cycle, behind)) = cycle else {
                return Err(format!("expected a cycle, as in `(0 1 2)`, at `{rest}`"));
            };
            let mut values = Vec::new();
            for word in cycle.split_whitespace() {
                let value = word.parse().ok().filter(|&value: &usize| value < size);
                let Some(value) = value else {
                    return Err(format!("expected a number below {size}, not `{word}`"));
                };
                if std::mem::replace(&mut seen[value], true) {
                    return Err(format!("{value} occurs twice"));
                }
                values.push(value);
            }
            for (k, &value) in values.iter().enumerate() {
                images[value] = values[(k + 1) % values.len()] as u32;
            }
            rest = behind.trim_start();
        }
        self.images[of.0 as usize] = images;
        Ok(())
    }
}

/// All cycles, those of one value included.
fn cycles(images: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; images.len()];
    let mut found = Vec::new();
    for start in 0..images.len() {
        let mut cycle = Vec::new();
        let mut at = start;
        while !std::mem::replace(&mut seen[at], true) {
            cycle.push(at as u32);
            at = images[at] as usize;
        }
        if !cycle.is_empty() {
            found.push(cycle);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::check;

    const ONE: IndexTypeId = IndexTypeId(0);

    #[test]
    fn cycles_are_read_and_written() {
        //  text, images, as written
        let table: [(&str, Result<&[u32], &str>); 14] = [
            ("()", Ok(&[0, 1, 2, 3, 4, 5])),
            ("(3)", Ok(&[0, 1, 2, 3, 4, 5])),
            ("(0 1)", Ok(&[1, 0, 2, 3, 4, 5])),
            ("(0 1 2)(4 5)", Ok(&[1, 2, 0, 3, 5, 4])),
            (" ( 5 4 ) (2 0 1) ", Ok(&[1, 2, 0, 3, 5, 4])),
            ("(5 4 3 2 1 0)", Ok(&[5, 0, 1, 2, 3, 4])),
            ("", Err("expected cycles, as in `(0 1 2)`")),
            ("0 1", Err("expected a cycle, as in `(0 1 2)`, at `0 1`")),
            ("(0 1", Err("expected a cycle, as in `(0 1 2)`, at `(0 1`")),
            ("(0 1) 2", Err("expected a cycle, as in `(0 1 2)`, at `2`")),
            ("(0 6)", Err("expected a number below 6, not `6`")),
            ("(0 -1)", Err("expected a number below 6, not `-1`")),
            ("(0 (1))", Err("expected a number below 6, not `(1`")),
            ("(0 1)(1 2)", Err("1 occurs twice")),
        ];
        for (text, expected) in table {
            let mut renaming = Renaming::new(vec![vec![0, 1, 2, 3, 5, 4]]).expect("a renaming");
            let read = renaming.read(ONE, text);
            match expected {
                Err(message) => assert_eq!(read, Err(message.to_owned()), "{text}"),
                Ok(images) => {
                    assert_eq!((read, renaming.images(ONE)), (Ok(()), images), "{text}");
                    let shown = renaming.show(ONE);
                    let mut again = renaming.clone();
                    again.read(ONE, &shown).expect("what is written can be read");
                    assert_eq!(again, renaming, "{text} as {shown}");
                }
            }
        }
        let sixth = Renaming::new(vec![vec![1, 2, 0, 3, 5, 4]]).expect("a renaming");
        assert_eq!(sixth.show(ONE), "(0 1 2)(4 5)");
    }

    #[test]
    fn what_is_no_renaming() {
        for (images, is_one) in
            [(vec![0, 1], true), (vec![1, 0], true), (vec![0, 0], false), (vec![1, 2], false)]
        {
            assert_eq!(Renaming::new(vec![images.clone()]).is_some(), is_one, "{images:?}");
        }
    }

    #[test]
    fn orders_are_those_of_powers() {
        for (text, order) in [
            ("()", 1_u32),
            ("(0 1)", 2),
            ("(0 1 2)(3 4)", 6),
            ("(0 1 2 3)(4 5)", 4),
            ("(0 1)(2 3)", 2),
        ] {
            let mut renaming = Renaming::new(vec![(0..6).collect()]).expect("a renaming");
            let identity = renaming.clone();
            renaming.read(ONE, text).expect("cycles");
            assert_eq!(renaming.order(), order.into(), "{text}");
            let mut power = renaming.clone();
            let mut times = 1;
            while power != identity {
                power = renaming.after(&power);
                times += 1;
            }
            assert_eq!(times, order, "{text}");
        }
        // Of one 2-cycle, one 3-cycle, one 5-cycle, ... up to 53: no machine word has room for it.
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
        let rotations = primes.map(|n: u32| (0..n).map(|k| (k + 1) % n).collect());
        let order = Renaming::new(rotations.to_vec()).expect("a renaming").order();
        assert_eq!(order, primes.iter().fold(BigUint::from(1_u32), |all, &n| all * n));
    }

    #[test]
    fn which_renamings_are_symmetries() {
        for (declared, text, is_one) in [
            ("scalarset(4)", "(0 1)", true),
            ("scalarset(4)", "(0 2 1 3)", true),
            ("ring(4)", "()", true),
            ("ring(4)", "(0 1 2 3)", true),
            ("ring(4)", "(0 2)(1 3)", true),
            ("ring(4)", "(0 1)(2 3)", false),
            ("ring(4)", "(1 3)", false),
            ("undirected ring(4)", "(0 3 2 1)", true),
            ("undirected ring(4)", "(1 3)", true),
            ("undirected ring(4)", "(0 1)(2 3)", true),
            ("undirected ring(4)", "(0 1)", false),
            ("undirected ring(4)", "(0 2 1 3)", false),
        ] {
            let text_of_model = format!(
                "type t: {declared}; var x: boolean; startstate x := true; end; rule x := !x; end;"
            );
            let model = check(&text_of_model, &[]).expect("a model");
            let mut renaming = Renaming::identity(&model);
            assert!(renaming.is_of(&model));
            renaming.read(ONE, text).expect("cycles");
            assert_eq!(renaming.asymmetric(&model).is_none(), is_one, "{declared} {text}");
        }
    }

    #[test]
    fn everything_made_of_indices_is_renamed() {
        let model = check(
            "type client: scalarset(3); colour: enum { red };
               either: union { colour, client };
               message: record from: client; n: 0..1; end;
             var next: array [client] of client; by: array [either] of 0..3;
               bag: multiset [3] of message; last: either;
             startstate undefine next; end;
             rule last := red; end;",
            &[],
        );
        let model = model.expect("a model");
        let client = |k| Value::Scalar(Scalar::Index(ONE, k));
        let number = |n| Value::Scalar(Scalar::Number(n));
        let message = |k, n| Some(Value::Parts(vec![client(k), number(n)]));
        let state = State(vec![
            Value::Parts(vec![client(0), client(0), Value::Undefined]),
            Value::Parts(vec![number(0), number(1), number(2), number(3)]),
            Value::Multiset(vec![message(0, 1), message(2, 0)]),
            client(1),
        ]);
        let mut renaming = Renaming::identity(&model);
        assert_eq!(renaming.state(&model, &state), state);
        renaming.read(ONE, "(0 1 2)").expect("cycles");
        let expected = State(vec![
            Value::Parts(vec![Value::Undefined, client(1), client(1)]),
            Value::Parts(vec![number(0), number(3), number(1), number(2)]),
            Value::Multiset(vec![message(0, 0), message(1, 1)]),
            client(2),
        ]);
        assert_eq!(renaming.state(&model, &state), expected);
    }
}
