//! The choices of values of a property's parameters.

use crate::narrow::{to_u32, to_usize};
use crate::symmetry::{Indices, Point, Stabiliser};
use crate::system::{Shape, System};
use run::StopReason;
use run::memory::try_filled;
use run::poll::throw;
use terms::PropertyId;

/// The choices of values of a property's parameters, which the group permutes.
pub(super) struct Choices {
    indices: Indices,
    all: Stabiliser,
    parameters: Vec<Shape>,
}

impl Choices {
    /// The choices of a property of a system; without symmetry no two are equivalent.
    pub(super) fn of(system: &dyn System, property: PropertyId, is_reduced: bool) -> Choices {
        let indices = if is_reduced { system.indices() } else { Indices::new([]) };
        let parameters = system.properties().swap_remove(property.0 as usize).parameters;
        Choices { all: indices.all(), indices, parameters }
    }

    /// The group.
    pub(super) fn all(&self) -> &Stabiliser {
        &self.all
    }

    /// The number of choices; none if there are more than could ever be counted.
    pub(super) fn count(&self) -> Option<usize> {
        self.parameters
            .iter()
            .try_fold(1, |all: usize, one| all.checked_mul(usize::try_from(values(one).0).ok()?))
    }

    /// The points of the index types among the values of a choice.
    pub(super) fn points(&self, mut choice: usize) -> Vec<Point> {
        let mut points = Vec::new();
        for parameter in self.parameters.iter().rev() {
            let (count, _) = values(parameter);
            points.extend(self.point(parameter, choice as u64 % count));
            choice /= to_usize(count);
        }
        points.reverse();
        points
    }

    fn point(&self, parameter: &Shape, value: u64) -> Option<Point> {
        values(parameter).1.iter().find_map(|&(of, first)| {
            let k = value.checked_sub(first.cast_unsigned())?;
            // Without symmetry, there are no index types.
            let points = (!self.indices.is_trivial()).then(|| self.indices.points_of(of))?;
            (k < points.len() as u64).then(|| points.start + to_u32(k))
        })
    }

    /// The choice in which the points of another one are replaced by these.
    pub(super) fn with_points(&self, choice: usize, points: &[Point]) -> usize {
        let mut rest = choice;
        let (mut number, mut factor) = (0, 1);
        let mut points = points.iter().rev();
        for parameter in self.parameters.iter().rev() {
            let (count, indices) = values(parameter);
            let mut value = rest as u64 % count;
            rest /= to_usize(count);
            if self.point(parameter, value).is_some() {
                let &point = points.next().expect("as many points as before");
                let (of, k) = self.indices.value(point);
                let segment = indices.iter().find(|(other, _)| *other == of);
                value =
                    segment.expect("a point stays in its type").1.cast_unsigned() + u64::from(k);
            }
            number += factor * to_usize(value);
            factor *= to_usize(count);
        }
        number
    }

    /// By choice: the first one that is equivalent to it. Every choice is visited once: there may
    /// be a million.
    pub(super) fn leaders(&self) -> Vec<usize> {
        let generators = self.all.few_generators();
        let count = self.count().ok_or(StopReason::OutOfMemory);
        let leaders = count.and_then(|count| try_filled(usize::MAX, count));
        let mut leaders = leaders.unwrap_or_else(|reason| throw(reason));
        let mut open = Vec::new();
        for first in 0..leaders.len() {
            run::poll();
            if leaders[first] != usize::MAX {
                continue;
            }
            leaders[first] = first;
            open.push(first);
            while let Some(choice) = open.pop() {
                let points = self.points(choice);
                for generator in &generators {
                    if points.iter().all(|&point| generator.image(point) == point) {
                        continue;
                    }
                    let image: Vec<Point> =
                        points.iter().map(|&point| generator.image(point)).collect();
                    let image = self.with_points(choice, &image);
                    if leaders[image] == usize::MAX {
                        leaders[image] = first;
                        open.push(image);
                    }
                }
            }
        }
        leaders
    }
}

fn values(parameter: &Shape) -> (u64, &[(terms::IndexTypeId, i64)]) {
    match parameter {
        Shape::Simple { values, indices, .. } => (*values, indices),
        _ => unreachable!("parameters around properties are simple"),
    }
}
