//! Renamings of index values.
//!
//! A renaming g has, for each index type, an image of each of its values, none twice. It acts on
//! everything that is made of index values by replacing each by its image; in an array over an index
//! type, the element at k becomes the element at g(k):
//!
//! ```text
//! g(a)[g(k)] = g(a[k])
//! ```
//!
//! A renaming knows nothing of states: front ends define its action
//! ([`Reference::renamed_state`](crate::Reference::renamed_state)).
//!
//! In text a renaming is written in cycle notation, one text per index type, values by their numbers:
//! `(0 1 2)(4 5)` takes 0 to 1, 1 to 2, 2 to 0, 4 to 5, 5 to 4, and leaves all others unchanged. The
//! renaming that changes nothing is `()`.
//!
//! This is a second implementation, for the judge and for readers of counterexamples. It shares no code
//! with the engine's permutations.

use crate::reference::IndexType;
use std::fmt::Write as _;
use terms::{Group, IndexTypeId};

/// A renaming of index values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Renaming {
    /// By index type, by value: its image. Invariant: each list has every number below its length.
    images: Vec<Vec<u32>>,
}

impl Renaming {
    /// The renaming that changes nothing, for index types of these sizes.
    pub fn identity(sizes: impl IntoIterator<Item = u32>) -> Renaming {
        Renaming { images: sizes.into_iter().map(|size| (0..size).collect()).collect() }
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

    /// The number of index types.
    pub fn types(&self) -> usize {
        self.images.len()
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

    /// The renaming that undoes this one.
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

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        let mut types = self.images.iter();
        types.all(|images| images.iter().zip(0..).all(|(&image, k)| image == k))
    }

    /// Whether this renames the values of these index types.
    pub fn is_of(&self, types: &[IndexType]) -> bool {
        let sizes = types.iter().map(|of| of.size as usize);
        sizes.eq(self.images.iter().map(Vec::len))
    }

    /// The first of these index types on which this is no symmetry.
    pub fn asymmetric<'t>(&self, types: &'t [IndexType]) -> Option<&'t IndexType> {
        let mut both = types.iter().zip(&self.images);
        let found = both.find(|(of, images)| {
            let n = images.len();
            let first = images.first().map_or(0, |&image| image as usize);
            let each = |is: &dyn Fn(usize) -> usize| {
                images.iter().enumerate().all(|(k, &image)| image as usize == is(k))
            };
            let is_rotation = || each(&|k| (first + k) % n);
            let is_reflection = || each(&|k| (first + n - k) % n);
            !match of.group {
                Group::Full => true,
                Group::Trivial => each(&|k| k),
                Group::Rotations => is_rotation(),
                Group::Dihedral => is_rotation() || is_reflection(),
            }
        });
        found.map(|(of, _)| of)
    }

    /// In cycle notation, for one index type: each cycle begins with its least value, and cycles come
    /// in the order of these.
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

    /// Sets the images of an index type's values to those of a text in cycle notation. Cycles must be
    /// disjoint, but may come in any order. If it is no such text, the error says why.
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
    fn which_renamings_are_symmetries() {
        for (group, text, is_one) in [
            (Group::Full, "(0 1)", true),
            (Group::Full, "(0 2 1 3)", true),
            (Group::Rotations, "()", true),
            (Group::Rotations, "(0 1 2 3)", true),
            (Group::Rotations, "(0 2)(1 3)", true),
            (Group::Rotations, "(0 1)(2 3)", false),
            (Group::Rotations, "(1 3)", false),
            (Group::Dihedral, "(0 3 2 1)", true),
            (Group::Dihedral, "(1 3)", true),
            (Group::Dihedral, "(0 1)(2 3)", true),
            (Group::Dihedral, "(0 1)", false),
            (Group::Dihedral, "(0 2 1 3)", false),
            (Group::Trivial, "()", true),
            (Group::Trivial, "(0 1 2 3)", false),
        ] {
            let of = [IndexType { name: "t".to_owned(), size: 4, group }];
            let mut renaming = Renaming::identity([4]);
            assert!(renaming.is_of(&of));
            renaming.read(ONE, text).expect("cycles");
            assert_eq!(renaming.asymmetric(&of).is_none(), is_one, "{group:?} {text}");
        }
    }

    #[test]
    fn inverses_undo() {
        for text in ["()", "(0 1)", "(0 1 2)(3 4)", "(0 5 1 4 2 3)"] {
            let mut renaming = Renaming::identity([6]);
            renaming.read(ONE, text).expect("cycles");
            assert!(renaming.after(&renaming.inverse()).is_identity(), "{text}");
            assert!(renaming.inverse().after(&renaming).is_identity(), "{text}");
        }
    }
}
