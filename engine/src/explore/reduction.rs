//! Symmetry reduction of an exploration: none, one representative per orbit, or a few.

use super::Symmetry;
use super::total::Weight;
use crate::narrow::{to_u32, to_usize};
use crate::quotient::{Orbiter, Place, StepOrbits};
use crate::symmetry::{Canonicaliser, Indices, Permutation, Point, Sorter, Stabiliser, Structure};
use crate::system::{Layout, Shape, System};
use run::StopReason;
use run::memory::try_filled;
use run::poll::throw;
use terms::PropertyId;
use terms::PropertyKind;

/// The reduction of the states of a system.
pub(super) struct StateReduction {
    structure: Structure,
    /// The orbits of steps, unless states are only sorted.
    steps: Option<StepOrbits>,
    /// The order of the group.
    order: Weight,
}

impl StateReduction {
    /// The reduction; none if symmetry is off, or if the group is trivial.
    pub(super) fn of(system: &dyn System, symmetry: Symmetry) -> Option<StateReduction> {
        let indices = system.indices();
        if symmetry == Symmetry::Off || indices.is_trivial() {
            return None;
        }
        // Liveness is decided on representatives that are unique.
        let is_liveness = |kind| kind == PropertyKind::Liveness;
        let has_liveness = system.properties().iter().any(|one| is_liveness(one.kind));
        let is_exact = symmetry == Symmetry::Canonical || has_liveness;
        Some(StateReduction {
            structure: Structure::new(system.layout(), &indices),
            steps: is_exact.then(|| StepOrbits::new(system, &indices)),
            order: Weight::of(indices.all().order()),
        })
    }

    /// Whether there is one representative per orbit, so that the counts of the unreduced system
    /// are known.
    pub(super) fn is_exact(&self) -> bool {
        self.steps.is_some()
    }

    /// A new [`Reducer`].
    pub(super) fn reducer(&self) -> Reducer<'_> {
        match &self.steps {
            Some(steps) => Reducer::Exact(Box::new(Exact {
                order: &self.order,
                states: self.structure.canonicaliser(),
                targets: self.structure.canonicaliser(),
                orbiter: steps.orbiter(),
                layout: self.structure.action().layout(),
            })),
            None => Reducer::Sorting(Box::new(self.structure.sorter())),
        }
    }

    /// The size of the orbit of a state with this stabiliser.
    pub(super) fn orbit_size(&self, stabiliser: &Stabiliser) -> Weight {
        Weight::of_orbit(&self.order, stabiliser)
    }

    /// The action of permutations on states.
    pub(super) fn structure(&self) -> &Structure {
        &self.structure
    }
}

/// Reduces states. Owns its scratch memory: one per thread.
pub(super) enum Reducer<'r> {
    /// To the unique representative of the orbit.
    Exact(Box<Exact<'r>>),
    /// To one of several representatives.
    Sorting(Box<Sorter<'r>>),
}

/// Reduces states to representatives.
pub(super) struct Exact<'r> {
    order: &'r Weight,
    /// Computes the stabiliser of the state that was begun.
    states: Canonicaliser<'r>,
    targets: Canonicaliser<'r>,
    orbiter: Orbiter<'r>,
    layout: &'r Layout,
}

impl Reducer<'_> {
    /// Begins with a state. Returns the number of states that it stands for, or 1 if that is
    /// unknown.
    pub(super) fn begin(&mut self, state: &[u64]) -> Weight {
        match self {
            Reducer::Exact(exact) => {
                exact.orbiter.begin();
                Weight::of_orbit(exact.order, exact.states.stabiliser(state))
            }
            Reducer::Sorting(_) => Weight::ONE,
        }
    }

    /// The place of a step of the state among the equivalent ones. Must be called for all steps of
    /// the state.
    pub(super) fn place(&mut self, state: &[u64], rule: u32, arguments: &[i64]) -> Place {
        match self {
            Reducer::Exact(exact) => {
                let Exact { states, orbiter, layout, .. } = &mut **exact;
                orbiter.place(state, layout, states.last_stabiliser(), rule, arguments)
            }
            Reducer::Sorting(_) => Place { is_kept: true, is_first: true },
        }
    }

    /// Replaces a state by its representative.
    pub(super) fn reduce(&mut self, packed: &mut [u64]) {
        match self {
            Reducer::Exact(exact) => exact.targets.canonicalise(packed),
            Reducer::Sorting(sorter) => sorter.sort(packed),
        }
    }

    /// Replaces a state by its representative, and returns the permutation that leads back.
    pub(super) fn reduce_with(&mut self, packed: &mut [u64]) -> Permutation {
        match self {
            Reducer::Exact(exact) => exact.targets.canonicalise_with(packed),
            Reducer::Sorting(sorter) => sorter.sort_with(packed),
        }
    }
}

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
