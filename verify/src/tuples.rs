//! Tuples of values of the tracked variables of a formula.

use crate::numbered::Numbered;
use judge::{Bound, Reference, Renaming, Vocabulary, tracked_tuples};

type Value<R> = <<R as Reference>::Vocabulary as Vocabulary>::Value;
type Variable<R> = <<R as Reference>::Vocabulary as Vocabulary>::Variable;
type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// All tuples of values, numbered.
#[derive(Debug)]
pub struct Tuples<R: Reference> {
    variables: Vec<Variable<R>>,
    all: Numbered<Vec<Value<R>>>,
}

impl<R: Reference> Tuples<R> {
    /// The tuples of the tracked variables of a formula.
    pub fn new(reference: &R, formula: &Formula<R>) -> Tuples<R> {
        let groups = reference.tracked(formula).into_iter();
        let variables = groups.flat_map(|group| group.variables).collect();
        Tuples { variables, all: tracked_tuples(reference, formula).into_iter().collect() }
    }

    /// The number of tuples.
    pub fn count(&self) -> usize {
        self.all.all().len()
    }

    /// The image of a tuple; none if it is no tuple, which no symmetry makes of one.
    pub fn image(&self, reference: &R, by: &Renaming, tuple: u32) -> Option<u32> {
        let values = self.all.all()[tuple as usize].iter();
        let image: Vec<_> = values.map(|&value| reference.renamed_value(by, value)).collect();
        self.all.number(&image[..])
    }

    /// The values of the tracked variables.
    pub fn binding(&self, tuple: u32) -> Vec<Bound<R::Vocabulary>> {
        let values = self.all.all()[tuple as usize].iter().copied();
        self.variables.iter().copied().zip(values).collect()
    }
}
