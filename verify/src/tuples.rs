//! Tuples of values: of tracked variables, and of the variables of declared requirements.

use judge::{Reference, Renaming, Requirement, Vocabulary};
use std::collections::HashMap;

type Value<R> = <<R as Reference>::Vocabulary as Vocabulary>::Value;
type Variable<R> = <<R as Reference>::Vocabulary as Vocabulary>::Variable;
type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// Variables that are declared together.
struct Together<V> {
    /// The values of each.
    values: Vec<Vec<V>>,
    is_distinct: bool,
}

/// All tuples of values, numbered.
#[derive(Debug)]
pub struct Tuples<R: Reference> {
    /// The tracked variables; none for a requirement.
    variables: Vec<Variable<R>>,
    all: Vec<Vec<Value<R>>>,
    numbers: HashMap<Vec<Value<R>>, u32>,
}

impl<R: Reference> Tuples<R> {
    /// The tuples of the tracked variables of a formula.
    pub fn tracked(reference: &R, formula: &Formula<R>) -> Tuples<R> {
        let groups = reference.tracked(formula);
        let variables = groups.iter().flat_map(|group| group.variables.iter().copied()).collect();
        let groups = groups.iter().map(|group| {
            let each = group.variables.iter();
            let values = each.map(|&variable| reference.values(formula, variable)).collect();
            Together { values, is_distinct: group.is_distinct }
        });
        Tuples::of(variables, groups)
    }

    /// The tuples of a requirement.
    pub fn required(requirement: &Requirement<R::Vocabulary>) -> Tuples<R> {
        let groups = requirement.variables.iter().map(|group| Together {
            values: vec![group.values.clone(); group.count],
            is_distinct: group.is_distinct,
        });
        Tuples::of(Vec::new(), groups)
    }

    fn of(variables: Vec<Variable<R>>, groups: impl Iterator<Item = Together<Value<R>>>) -> Self {
        let mut all: Vec<Vec<Value<R>>> = vec![Vec::new()];
        for Together { values, is_distinct } in groups {
            for (k, values) in values.iter().enumerate() {
                let mut longer = Vec::new();
                for tuple in &all {
                    let before = &tuple[tuple.len() - k..];
                    for value in run::polled(values) {
                        if !(is_distinct && before.contains(value)) {
                            longer.push([&tuple[..], &[*value]].concat());
                        }
                    }
                }
                all = longer;
            }
        }
        let numbers = all.iter().cloned().zip(0..).collect();
        Tuples { variables, all, numbers }
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The values of a tuple.
    pub fn values(&self, tuple: u32) -> &[Value<R>] {
        &self.all[tuple as usize]
    }

    /// The image of a tuple; none if it is no tuple, which no symmetry makes of one.
    pub fn image(&self, reference: &R, by: &Renaming, tuple: u32) -> Option<u32> {
        let image = self.values(tuple).iter().map(|&value| reference.renamed_value(by, value));
        self.numbers.get(&image.collect::<Vec<_>>()).copied()
    }

    /// The values of the tracked variables.
    pub fn binding(&self, tuple: u32) -> Vec<(Variable<R>, Value<R>)> {
        self.variables.iter().copied().zip(self.values(tuple).iter().copied()).collect()
    }
}
