//! Which steps of a state are alike: orbits of its stabiliser on them.
//!
//! A step of a state r is its rule and the arguments of its event. Where arguments are indices and
//! numbers, the steps of a rule that are alike are an orbit of Stab(r) on tuples of points. Where an
//! argument is an element of a multiset that is made of arrays over indices, or of multisets, it is part
//! of the state for a moment: two steps are alike if the states extended by their arguments are.

use crate::symmetry::{Action, Canonicaliser, Indices, Permutation, Point, Stabiliser, Structure};
use crate::system::{Layout, System};
use hashbrown::HashMap;
use terms::Group;

/// How to tell the steps of a system's states apart.
pub(crate) struct StepOrbits {
    indices: Indices,
    rules: Vec<RuleSteps>,
    are_single: bool,
}

struct RuleSteps {
    /// What permutations do to the arguments.
    action: Action,
    /// The cell of the arguments that says which process acts.
    member: Option<usize>,
    /// The cells that may hold points.
    holders: Vec<usize>,
    /// Of states extended by arguments, if these are more than indices and numbers.
    extended: Option<Box<Structure>>,
}

/// Looks at the steps of one state after the other, in memory of its own.
pub(crate) struct Orbiter<'o> {
    orbits: &'o StepOrbits,
    tuple: Vec<Point>,
    /// By rule.
    extended: Vec<Option<Canonicaliser<'o>>>,
    /// Rules and extended states that were met, with the arguments that were the first of them.
    met: HashMap<(u32, Vec<u64>), Vec<i64>>,
    cells: Vec<i64>,
}

/// What a step is among those that are like it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Whether its owner is the first of those that are interchangeable, or there are none.
    pub(crate) is_kept: bool,
    /// Whether it stands for its orbit.
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

    /// Whether nothing is permuted, and all arguments are indices and numbers: then every step is its own orbit.
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

    /// The points among the arguments of a step, if that is all there is to permute; else none.
    pub(crate) fn points(&self, rule: u32, arguments: &[i64]) -> Option<Vec<Point>> {
        let rule = &self.rules[rule as usize];
        let points =
            rule.holders.iter().filter_map(|&cell| rule.action.point(cell, arguments[cell]));
        rule.extended.is_none().then(|| points.collect())
    }

    /// The image of arguments.
    pub(crate) fn renamed(&self, rule: u32, by: &Permutation, arguments: &[i64]) -> Vec<i64> {
        let mut image = arguments.to_vec();
        self.rules[rule as usize].action.apply(by, arguments, &mut image);
        image
    }

    /// The point that acts, if an index does.
    fn owner(&self, rule: u32, arguments: &[i64]) -> Option<Point> {
        let rule = &self.rules[rule as usize];
        let cell = rule.member?;
        rule.action.point(cell, arguments[cell])
    }

    /// Whether no smaller point is interchangeable with this one: swapping the two is in the group,
    /// and leaves the state as it is.
    fn is_first_of_class(&self, stabiliser: &Stabiliser, point: Point) -> bool {
        if stabiliser.leader(point) != point {
            return false;
        }
        // The one group with swaps that is not a group of all permutations: opposite points of a
        // square.
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
    /// Gets ready for another state.
    pub(crate) fn begin(&mut self) {
        self.met.clear();
    }

    /// What a step of a state is among the others. All steps of the state must be asked for, one after
    /// the other.
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
            // Who chooses two elements that are equal, or one of them twice, has two steps with the
            // same arguments, which may lead to different states: both are first, or none.
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
