//! Families of requirements as rows of bits: a bit for each family and object.
//!
//! Only objects with p somewhere matter, and their images: these are the *columns*. An event that is
//! enabled nowhere is disabled everywhere, so that q is always true of it.

use super::declared::Tuples;
use super::kinds::Numbered;
use super::ways::Ways;
use crate::fairness::objects::{Kind, Object, Objects};
use crate::fairness::requirements::{Requirements, Subject};
use crate::narrow::to_u32;
use crate::symmetry::Permutation;
use hashbrown::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// What passes must know of all families.
#[derive(Debug, Default)]
pub(super) struct Families {
    /// Words of a row.
    pub(super) words: usize,
    /// The columns of executions: those where p is always true, and those where it is "enabled".
    weak: Vec<u64>,
    strong: Vec<u64>,
    /// By action plus one: what a step that executes it serves.
    executed: Vec<u64>,
    /// By permutation π: the column that π⁻¹ takes each column to; none for the identity.
    images: Vec<Option<Box<[u32]>>>,
    /// By group: its orbits on columns.
    orbits: Vec<Orbits>,
    /// By number of what declared requirements say: what the state serves, and what concerns it.
    declared: Vec<u64>,
    /// All columns.
    all: Vec<u64>,
}

/// The orbits of a group on columns.
#[derive(Debug, Default)]
struct Orbits {
    /// By column: its orbit; empty if the group moves nothing.
    of: Box<[u32]>,
    /// By orbit: its columns.
    rows: Vec<u64>,
}

/// Columns, while they are collected.
struct Columns<'c> {
    objects: &'c mut Objects,
    numbers: HashMap<(usize, Object), u32>,
    all: Vec<(usize, Object)>,
}

impl Columns<'_> {
    fn intern(&mut self, family: usize, object: Object) -> u32 {
        let Columns { numbers, all, .. } = self;
        *numbers.entry((family, object)).or_insert_with(|| {
            all.push((family, object));
            to_u32(all.len() - 1)
        })
    }

    /// The image of a column.
    fn image(&mut self, column: u32, by: &Permutation) -> u32 {
        let (family, object) = self.all[column as usize];
        let image = self.objects.image(object, by);
        self.intern(family, image)
    }

    /// Adds the images of all columns under a group.
    fn close(&mut self, generators: &[Permutation]) {
        let mut next = 0;
        while next < self.all.len() {
            run::poll();
            for by in generators {
                self.image(to_u32(next), by);
            }
            next += 1;
        }
    }
}

impl Families {
    /// The rows of all families, for the actions, permutations, groups and states that were met.
    pub(super) fn new(
        requirements: &Requirements,
        objects: &mut Objects,
        numbered: &Numbered,
        tuples: &Tuples,
        generators: &[Permutation],
    ) -> Families {
        let families = &requirements.families;
        if families.is_empty() {
            return Families::default();
        }
        let mut columns = Columns { objects, numbers: HashMap::new(), all: Vec::new() };
        let mut executed: Vec<Vec<u32>> = vec![Vec::new()];
        for action in 0..numbered.actions.len() {
            let (rule, arguments) = numbered.actions.get(to_u32(action));
            let mut found = Vec::new();
            for (k, family) in families.iter().enumerate() {
                let object = requirements.executed(family, columns.objects, rule, arguments);
                found.extend(object.map(|object| columns.intern(k, object)));
            }
            executed.push(found);
        }
        // By declared requirement: the column of each object.
        let mut of_declared: Vec<(bool, Vec<u32>)> = Vec::new();
        for (k, family) in families.iter().enumerate() {
            let Subject::Declared(of) = family.subject else { continue };
            let mut column = Vec::with_capacity(tuples[of as usize].len());
            for cells in &tuples[of as usize] {
                run::poll();
                let object = columns.objects.intern(Kind::Declared(of), cells);
                column.push(columns.intern(k, object));
            }
            of_declared.push((family.is_conditional, column));
        }
        columns.close(generators);
        let count = columns.all.len();
        let words = count.div_ceil(64).max(1);
        let mut found = Families { words, ..Families::default() };
        found.all = row(words, 0..to_u32(count));
        let of = |wanted: bool| {
            let all = (0..).zip(&columns.all);
            let wanted = all.filter(|(_, (family, _))| {
                let family = &families[*family];
                let is_declared = matches!(family.subject, Subject::Declared(_));
                !is_declared && family.is_conditional == wanted
            });
            row(words, wanted.map(|(column, _)| column))
        };
        (found.weak, found.strong) = (of(false), of(true));
        found.executed = executed.into_iter().flat_map(|all| row(words, all)).collect();
        found.images = images_of(numbered, &mut columns);
        found.orbits = found.orbits_of(numbered, &mut columns);
        found.declared = found.declared_of(numbered, &of_declared);
        found
    }

    fn orbits_of(&self, numbered: &Numbered, columns: &mut Columns<'_>) -> Vec<Orbits> {
        let count = columns.all.len();
        let groups = (0..numbered.groups.len()).map(to_u32);
        let of = groups.map(|number| {
            let generators = numbered.groups.get(number);
            if generators.is_empty() {
                return Orbits::default();
            }
            let mut orbits = Orbits { of: vec![u32::MAX; count].into(), rows: Vec::new() };
            for first in 0..to_u32(count) {
                if orbits.of[first as usize] != u32::MAX {
                    continue;
                }
                let number = to_u32(orbits.rows.len() / self.words);
                let mut open = vec![first];
                orbits.of[first as usize] = number;
                let mut all = open.clone();
                while let Some(column) = open.pop() {
                    for by in generators {
                        let image = columns.image(column, by);
                        if orbits.of[image as usize] == u32::MAX {
                            orbits.of[image as usize] = number;
                            open.push(image);
                            all.push(image);
                        }
                    }
                }
                orbits.rows.extend(row(self.words, all));
            }
            orbits
        });
        of.collect()
    }

    fn declared_of(&self, numbered: &Numbered, of_declared: &[(bool, Vec<u32>)]) -> Vec<u64> {
        let all = (0..numbered.declared.len()).map(to_u32);
        let of = all.flat_map(|number| {
            let said = numbered.declared.get(number);
            let (mut serves, mut concerns) = (vec![0; self.words], vec![0; self.words]);
            let mut at = 0;
            for (is_conditional, columns) in of_declared {
                for &column in columns {
                    let said = said[at / 64] >> (at % 64);
                    at += 2;
                    // Of a requirement without a premise, the only condition comes first.
                    let (p, q) =
                        if *is_conditional { (said & 1, said >> 1 & 1) } else { (1, said & 1) };
                    let (word, bit) = (column as usize / 64, column % 64);
                    concerns[word] |= p << bit;
                    serves[word] |= q << bit;
                }
            }
            serves.into_iter().chain(concerns)
        });
        of.collect()
    }

    /// Whether a set has all columns.
    #[inline]
    pub(super) fn is_all(&self, set: &[AtomicU64]) -> bool {
        set.iter().zip(&self.all).all(|(word, all)| word.load(Ordering::Relaxed) == *all)
    }

    /// Adds all columns to a set.
    #[inline]
    pub(super) fn fill(&self, set: &[AtomicU64]) {
        set.iter().zip(&self.all).for_each(|(word, all)| word.store(*all, Ordering::Relaxed));
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// What a step that executes this action serves.
    #[inline]
    pub(super) fn executed(&self, action: u32) -> &[u64] {
        &self.executed[action as usize * self.words..][..self.words]
    }

    /// What a state serves, and what concerns it, from what its steps execute, of which one for each
    /// orbit of the group was met.
    #[inline]
    pub(super) fn facts<W: Ways>(
        &self,
        (group, declared): (u32, u32),
        enabled: &mut [u64],
        serves: &mut [u64],
        concerns: &mut [u64],
    ) {
        if W::COUNTS_DROPPED {
            self.close(group, enabled);
        }
        let said = self.declared.get(2 * self.words * declared as usize..);
        let said = said.unwrap_or_default();
        for k in 0..self.words {
            let of_state = |at: usize| said.get(at).copied().unwrap_or(0);
            serves[k] = self.weak[k] & !enabled[k] | of_state(k);
            concerns[k] = self.weak[k] | self.strong[k] & enabled[k] | of_state(self.words + k);
        }
    }

    /// Adds to a row all images under a group.
    #[inline]
    pub(super) fn close(&self, group: u32, row: &mut [u64]) {
        let orbits = &self.orbits[group as usize];
        if orbits.of.is_empty() {
            return;
        }
        for k in 0..self.words {
            // Columns that are added on the way are in the same orbits.
            for column in super::rows::ones(row[k], k) {
                let orbit = orbits.of[column as usize] as usize;
                let more = &orbits.rows[orbit * self.words..][..self.words];
                row.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
            }
        }
    }

    /// Writes to `image` what π⁻¹ makes of a row, for the permutation with a number.
    #[inline]
    pub(super) fn carry<W: Ways>(&self, permutation: u32, row: &[u64], image: &mut [u64]) {
        let images = self.images.get(permutation as usize).and_then(Option::as_deref);
        let Some(images) = images.filter(|_| W::PERMUTES) else {
            image.copy_from_slice(row);
            return;
        };
        // A permutation of all columns: of a row and its complement, the smaller one is enough.
        let count: u32 = row.iter().map(|word| word.count_ones()).sum();
        let is_large = 2 * count as usize > images.len();
        image.fill(0);
        for (k, (&word, &all)) in row.iter().zip(&self.all).enumerate() {
            let few = if is_large { all & !word } else { word };
            for column in super::rows::ones(few, k) {
                let to = images[column as usize];
                image[to as usize / 64] |= 1 << (to % 64);
            }
        }
        if is_large {
            image.iter_mut().zip(&self.all).for_each(|(word, all)| *word = all & !*word);
        }
    }
}

/// A row with these bits.
fn row(words: usize, bits: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut row = vec![0; words];
    bits.into_iter().for_each(|bit| row[bit as usize / 64] |= 1 << (bit % 64));
    row
}

/// By permutation: the images of columns, unless it is the identity.
fn images_of(numbered: &Numbered, columns: &mut Columns<'_>) -> Vec<Option<Box<[u32]>>> {
    let count = to_u32(columns.all.len());
    let permutations = (0..numbered.permutations.len()).map(to_u32);
    let of = permutations.map(|number| {
        let permutation = numbered.permutations.get(number);
        (!permutation.is_identity()).then(|| {
            let back = permutation.inverse();
            (0..count).map(|column| columns.image(column, &back)).collect()
        })
    });
    of.collect()
}
