//! What edges carry, as far as fairness is concerned.
//!
//! The search for fair components is written for edges that carry elements of any group that acts on objects. In
//! an annotated product these are permutations. In a plain one there is nothing to carry: the group is trivial,
//! its one element is `()`, and potentials and loop groups take neither time nor memory.

use super::objects::{Object, Objects, Set};
use super::requirements::Fact;
use crate::product::{Product, Taken};
use crate::search::{Active, Node};
use crate::symmetry::Permutation;
use std::borrow::Cow;

/// A product in which fair components can be searched for.
pub trait FairProduct: Product<Annotation: Annotation> {}

impl<P: Product<Annotation: Annotation>> FairProduct for P {}

/// An element of the group that edges carry.
pub trait Annotation: Clone {
    /// Loop groups of sets of nodes.
    type Group: LoopGroup<Self>;
    /// Potentials of active nodes.
    type Tree: PotentialTree<Self>;

    /// `self ∘ first`.
    #[must_use]
    fn after(&self, first: &Self) -> Self;

    /// What undoes it.
    #[must_use]
    fn inverse(&self) -> Self;

    /// What it makes of an object.
    fn image(&self, objects: &mut Objects, object: Object) -> Object;

    /// What it makes of all objects of facts.
    fn images<'f>(&self, objects: &mut Objects, facts: &'f [Fact]) -> Cow<'f, [Fact]>;

    /// ρ g ρ⁻¹ for this ρ and each of these g.
    fn conjugates(&self, of: Vec<Permutation>) -> impl Iterator<Item = Self>;
}

/// A loop group: what is carried around the cycles of a set of nodes, and the symmetries of its nodes, generate it.
pub trait LoopGroup<A> {
    /// The group without generators, of so many points. If points are enough, only their orbits will be known.
    fn trivial(points: usize, are_points_enough: bool) -> Self;

    /// Adds a generator; whether that makes a difference.
    fn extend(&mut self, generator: &A) -> bool;

    /// Adds the generators of another group.
    fn join(&mut self, other: &Self);

    /// Whether it has this element. Asked only if the whole group is known.
    fn contains(&self, element: &A) -> bool;

    /// Adds to a set all that the group makes of its objects.
    fn close(&self, objects: &mut Objects, set: &mut Set);

    /// Leaves the largest part of a set that the group maps to itself.
    fn shrink(&self, objects: &mut Objects, set: &mut Set);
}

/// The potentials ρ of active nodes, along the tree by which a search has visited them.
pub trait PotentialTree<A> {
    /// No node is active; there are so many points.
    fn new(points: usize) -> Self;

    /// A node becomes active, by way of an edge unless it is a start; its potential may be known already.
    fn visit(&mut self, active: Active<'_>, by: Option<(Node, Taken)>, known: Option<A>);

    /// So many nodes, which became active last, are dead.
    fn leave(&mut self, nodes: usize);

    /// ρ of an active node.
    fn potential<P: Product<Annotation = A>>(
        &mut self,
        product: &P,
        active: Active<'_>,
        node: Node,
    ) -> &A;
}

impl Annotation for () {
    type Group = ();
    type Tree = ();

    fn after(&self, (): &()) {}

    fn inverse(&self) {}

    fn image(&self, _: &mut Objects, object: Object) -> Object {
        object
    }

    fn images<'f>(&self, _: &mut Objects, facts: &'f [Fact]) -> Cow<'f, [Fact]> {
        Cow::Borrowed(facts)
    }

    fn conjugates(&self, _: Vec<Permutation>) -> impl Iterator<Item = ()> {
        std::iter::empty()
    }
}

impl LoopGroup<()> for () {
    fn trivial(_: usize, _: bool) {}

    fn extend(&mut self, (): &()) -> bool {
        false
    }

    fn join(&mut self, (): &()) {}

    fn contains(&self, (): &()) -> bool {
        true
    }

    fn close(&self, _: &mut Objects, _: &mut Set) {}

    fn shrink(&self, _: &mut Objects, _: &mut Set) {}
}

impl PotentialTree<()> for () {
    fn new(_: usize) {}

    fn visit(&mut self, _: Active<'_>, _: Option<(Node, Taken)>, _: Option<()>) {}

    fn leave(&mut self, _: usize) {}

    fn potential<P: Product<Annotation = ()>>(&mut self, _: &P, _: Active<'_>, _: Node) -> &() {
        &()
    }
}

impl Annotation for Permutation {
    type Group = super::loop_group::PermutationGroup;
    type Tree = super::potentials::Potentials;

    fn after(&self, first: &Permutation) -> Permutation {
        Permutation::after(self, first)
    }

    fn inverse(&self) -> Permutation {
        Permutation::inverse(self)
    }

    fn image(&self, objects: &mut Objects, object: Object) -> Object {
        objects.image(object, self)
    }

    fn images<'f>(&self, objects: &mut Objects, facts: &'f [Fact]) -> Cow<'f, [Fact]> {
        let images = facts.iter().map(|fact| Fact {
            concerned: objects.image_of(&fact.concerned, self),
            served: objects.image_of(&fact.served, self),
        });
        Cow::Owned(images.collect())
    }

    fn conjugates(&self, of: Vec<Permutation>) -> impl Iterator<Item = Permutation> {
        let back = Permutation::inverse(self);
        of.into_iter().map(move |one| Permutation::after(self, &one).after(&back))
    }
}
