//! Things with numbers.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::OnceLock;

/// Different things, numbered as they come.
#[derive(Debug)]
pub struct Numbered<T> {
    all: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of a thing, which is new if it is not known.
    pub fn add(&mut self, one: T) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(one).or_insert_with_key(|one| {
            self.all.push(one.clone());
            next
        })
    }

    /// The number of a thing, if it is known.
    pub fn number<Q: Eq + Hash + ?Sized>(&self, one: &Q) -> Option<u32>
    where
        T: std::borrow::Borrow<Q>,
    {
        self.numbers.get(one).copied()
    }

    /// All of them, in order.
    pub fn all(&self) -> &[T] {
        &self.all
    }
}

impl<T: Clone + Eq + Hash> FromIterator<T> for Numbered<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut numbered = Numbered::default();
        for one in run::polled(all) {
            numbered.add(one);
        }
        numbered
    }
}

/// The images of numbered things by numbered renamings: for each renaming a table that is made when it is
/// first needed, unless it would be large.
#[derive(Debug)]
pub(crate) struct Images {
    /// By renaming, by thing: its image; [`Images::NONE`] if there is none.
    tables: Vec<OnceLock<Box<[u32]>>>,
}

impl Images {
    /// A table has no more entries than this.
    const MOST: usize = 1 << 12;
    const NONE: u32 = u32::MAX;

    pub(crate) fn new(renamings: usize) -> Images {
        Images { tables: (0..renamings).map(|_| OnceLock::new()).collect() }
    }

    /// The image of one of so many things.
    pub(crate) fn of(
        &self,
        by: u32,
        one: u32,
        count: usize,
        image: impl Fn(u32) -> Option<u32>,
    ) -> Option<u32> {
        if count > Images::MOST {
            return image(one);
        }
        // Computing it twice at once does no harm, and waiting with a lock might.
        let table = &self.tables[by as usize];
        let known = table.get().map(|known| known[one as usize]);
        let found = known.unwrap_or_else(|| {
            let all = (0..count as u32).map(|one| image(one).unwrap_or(Images::NONE));
            let all: Box<[u32]> = all.collect();
            let found = all[one as usize];
            let _ = table.set(all);
            found
        });
        (found != Images::NONE).then_some(found)
    }
}
