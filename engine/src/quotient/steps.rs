//! Equivalent steps of a state: the orbits of its stabiliser on them.
//!
//! A step of a state r is its rule and the arguments of its event. If arguments are indices and
//! numbers, the equivalence classes of a rule's steps are the orbits of Stab(r) on tuples of
//! points. If an argument is an element of a multiset that consists of arrays over indices, or of
//! multisets, the state is extended by it: two steps are equivalent if the states extended by their
//! arguments are.

use crate::symmetry::{Action, Canonicaliser, Indices, Permutation, Point, Stabiliser, Structure};
use crate::system::{Layout, System};
use hashbrown::HashMap;
use terms::Group;

/// Decides which steps of a system's states are equivalent.
pub(crate) struct StepOrbits {
    indices: Indices,
    rules: Vec<RuleSteps>,
    are_single: bool,
}

struct RuleSteps {
    /// The action of permutations on the arguments.
    action: Action,
    /// The cell of the arguments that holds the acting process.
    member: Option<usize>,
    /// The cells that may hold points.
    holders: Vec<usize>,
    /// The structure of states extended by arguments, if these are more than indices and numbers.
    extended: Option<Box<Structure>>,
}

/// Classifies the steps of one state after the other. It owns its scratch buffers.
pub(crate) struct Orbiter<'o> {
    orbits: &'o StepOrbits,
    tuple: Vec<Point>,
    /// By rule: the canonicaliser of extended states, if the rule needs one.
    extended: Vec<Option<Canonicaliser<'o>>>,
    /// The rules and canonical extended states of the current state, with the first arguments that
    /// led to them.
    met: HashMap<(u32, Vec<u64>), Vec<i64>>,
    cells: Vec<i64>,
}

/// The position of a step among the steps equivalent to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Whether the step's owner is the first of its interchangeable processes, or the step has no
    /// owner.
    pub(crate) is_kept: bool,
    /// Whether the step represents its orbit.
    pub(crate) is_first: bool,
}

impl StepOrbits {
    pub(crate) fn new(system: &dyn System, indices: &Indices) -> StepOrbits {
        let rules = system.rules().into_iter().map(|rule| {
            let action = Action::new(&Layout::new(rule.arguments.clone()), indices);
            let is_plain = (0..action.cells()).all(|cell| action.is_plain(cell));
            let extended = (!is_plain).then(|| {
                let mut shapes = system.layout().shapes().to_vec();
                shapes.extend(rule.arguments);
                Box::new(Structure::new(&Layout::new(shapes), indices))
            });
            let holders =
                (0..action.cells()).filter(|&cell| action.may_hold_points(cell)).collect();
            RuleSteps { holders, action, member: rule.owner.cell(), extended }
        });
        let rules: Vec<RuleSteps> = rules.collect();
        let are_single = indices.is_trivial() && rules.iter().all(|rule| rule.extended.is_none());
        StepOrbits { rules, indices: indices.clone(), are_single }
    }

    /// Whether nothing is permuted, and all arguments are indices and numbers: then every step is
    /// its own orbit.
    pub(crate) fn are_single(&self) -> bool {
        self.are_single
    }

    pub(crate) fn orbiter(&self) -> Orbiter<'_> {
        let extended = self.rules.iter().map(|rule| {
            let structure = rule.extended.as_deref();
            structure.map(Structure::canonicaliser)
        });
        Orbiter {
            orbits: self,
            tuple: Vec::new(),
            extended: extended.collect(),
            met: HashMap::new(),
            cells: Vec::new(),
        }
    }

    /// The points among the arguments of a step, if nothing else in them is permuted; else none.
    pub(crate) fn points(
        &self,
        rule: u32,
        arguments: &[i64],
    ) -> Option<impl Iterator<Item = Point>> {
        let rule = &self.rules[rule as usize];
        let points =
            rule.holders.iter().filter_map(|&cell| rule.action.point(cell, arguments[cell]));
        rule.extended.is_none().then_some(points)
    }

    /// The image of a step's arguments under a permutation.
    pub(crate) fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        let mut image = arguments.to_vec();
        self.rename(rule, by, arguments, &mut image);
        image
    }

    /// Replaces `image` by the image of a step's arguments under a permutation.
    pub(crate) fn rename(
        &self,
        rule: u32,
        by: &Permutation,
        arguments: &[i64],
        image: &mut Vec<i64>,
    ) {
        image.clear();
        image.extend_from_slice(arguments);
        self.rules[rule as usize].action.apply(by, arguments, image);
    }

    /// The point that executes the step, if its owner is an index.
    fn owner(&self, rule: u32, arguments: &[i64]) -> Option<Point> {
        let rule = &self.rules[rule as usize];
        let cell = rule.member?;
        rule.action.point(cell, arguments[cell])
    }

    /// Whether no smaller point is interchangeable with this one. Two points are interchangeable if
    /// their transposition is in the group and fixes the state.
    fn is_first_of_class(&self, stabiliser: &Stabiliser, point: Point) -> bool {
        if stabiliser.leader(point) != point {
            return false;
        }
        // The only group that has transpositions without being a full symmetric group: that of a
        // square, with opposite points.
        let (of, k) = self.indices.value(point);
        let points = self.indices.points_of(of);
        if self.indices.group(of) == Group::Dihedral && points.len() == 4 && k >= 2 {
            let swap = Permutation::transposition(self.indices.points(), point - 2, point);
            return !stabiliser.contains(&swap);
        }
        true
    }
}

impl Orbiter<'_> {
    /// Prepares for the steps of another state.
    pub(crate) fn begin(&mut self) {
        self.met.clear();
    }

    /// Classifies a step of a state. All steps of the state must be passed, one after the other.
    pub(crate) fn place(
        &mut self,
        state: &[u64],
        layout: &Layout,
        stabiliser: &Stabiliser,
        rule: u32,
        arguments: &[i64],
    ) -> Place {
        let owner = self.orbits.owner(rule, arguments);
        let is_kept = owner.is_none_or(|owner| self.orbits.is_first_of_class(stabiliser, owner));
        let steps = &self.orbits.rules[rule as usize];
        let is_first = if let Some(canonicaliser) = &mut self.extended[rule as usize] {
            self.cells.resize(layout.cells(), 0);
            layout.unpack(state, &mut self.cells);
            self.cells.extend_from_slice(arguments);
            let structure = steps.extended.as_ref().expect("there is one to make it canonical");
            let layout = structure.action().layout();
            let mut packed = vec![0; layout.words()];
            layout.pack(&self.cells, &mut packed);
            canonicaliser.canonicalise(&mut packed);
            // A rule that can choose two equal elements, or one of them twice, has two steps with
            // the same arguments, which may lead to different states: both are first, or none is.
            let first = self.met.entry((rule, packed)).or_insert_with(|| arguments.to_vec());
            first == arguments
        } else {
            self.tuple.clear();
            let points =
                steps.holders.iter().filter_map(|&cell| steps.action.point(cell, arguments[cell]));
            self.tuple.extend(points);
            stabiliser.is_least(&self.tuple)
        };
        Place { is_kept, is_first }
    }
}
