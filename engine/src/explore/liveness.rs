//! `liveness e`: from every reachable state one is reachable where e is true (AG EF e).
//!
//! After the search, all steps are computed once more (or read, if they are stored) and listed
//! backwards; then, for every property and choice of values of its parameters, the states are computed from which a state
//! where it is true is reachable. Under symmetry a choice of values is a tuple of tracked indices,
//! and nodes are representatives with such tuples: of equivalent choices only one is decided.

use super::choices::Choices;
use super::search::{ExplorationSearch, FoundViolation};
use super::total::{Total, Weight};
use super::{Asked, ViolationKind};
use crate::narrow::to_u32;
use crate::quotient::{Unbuilt, Walk as _, Walker};
use crate::space::Representative;
use crate::symmetry::{Point, Reached};
use crate::system::{FaultId, Steps, System};
use hashbrown::HashMap;
use run::{Every, StopReason, Ticker};
use terms::{PropertyId, PropertyKind};

/// The `liveness` properties among those in question.
pub(super) fn asked(system: &dyn System, asked: &Asked) -> Vec<PropertyId> {
    let all = (0..).map(PropertyId).zip(system.properties());
    let liveness = all.filter(|(_, one)| one.kind == PropertyKind::Liveness).map(|(id, _)| id);
    liveness.filter(|id| asked.properties.contains(id)).collect()
}

/// The liveness properties that are violated, each with a nearest state from which no state is
/// reachable where it is true; and those whose evaluation fails.
pub(super) fn check(
    search: &ExplorationSearch<'_>,
    watch: &Ticker<'_>,
) -> Result<Vec<FoundViolation>, StopReason> {
    let properties = asked(search.system, search.asked);
    if properties.is_empty() {
        return Ok(Vec::new());
    }
    for &property in &properties {
        ask_for_answers(search, property)?;
    }
    if search.order.is_some() {
        return under_symmetry(search, &properties, watch);
    }
    let ExplorationSearch { system, quotient, layout, .. } = search;
    let space = quotient.space();
    let mut worker = system.worker();
    let mut packed = vec![0; layout.words()];
    let mut steps = Steps::default();
    let mut found: Vec<FoundViolation> = Vec::new();
    // By property and choice of values: the states where it is true.
    let mut good: Vec<Vec<Vec<u32>>> = vec![Vec::new(); properties.len()];
    let mut backwards: Vec<(u32, u32)> = Vec::new();
    for (k, id) in space.ids().enumerate() {
        if Every::NODE.is_due(k as u64) {
            watch.ask()?;
        }
        space.load(id, &mut packed);
        for (k, &property) in properties.iter().enumerate() {
            for (choice, answer) in worker.property(&packed, property).into_iter().enumerate() {
                if good[k].len() <= choice {
                    good[k].resize(choice + 1, Vec::new());
                }
                match answer {
                    Ok(true) => good[k][choice].push(to_u32(id.number())),
                    Ok(false) => {}
                    Err(failure) => {
                        let kind = ViolationKind::Failure(failure);
                        let failed = FoundViolation::new(kind, Some(id), Some(&Weight::ONE));
                        search.add(failed, &mut found);
                    }
                }
            }
        }
        steps.clear();
        worker.expand(&packed, &mut steps);
        for target in steps.targets.chunks(layout.words().max(1)) {
            if search.quotient.has_assumptions() && !worker.is_assumed(target).unwrap_or(false) {
                continue;
            }
            // The successors of a state that violates an invariant were not explored.
            if let Some(target) = space.find(target) {
                backwards.push((to_u32(target.number()), to_u32(id.number())));
            }
        }
    }
    backwards.sort_unstable();
    for (k, choices) in good.into_iter().enumerate() {
        for (choice, good) in choices.into_iter().enumerate() {
            let reached = reach(&backwards, good, space.bound());
            let bad = space.ids().filter(|id| !reached[id.number()]);
            let bad = bad.map(|id| (id, choice, Weight::ONE));
            found.extend(nearest(search, properties[k], bad));
        }
    }
    Ok(found)
}

/// Asks for the memory that the answers for all choices of values take, before one of them is
/// computed: there may be more choices than could ever be evaluated.
fn ask_for_answers(search: &ExplorationSearch<'_>, property: PropertyId) -> Result<(), StopReason> {
    let is_reduced = search.order.is_some();
    let choices = Choices::of(search.system, property, is_reduced).count();
    let choices = choices.ok_or(StopReason::OutOfMemory)?;
    // Under symmetry an answer for each state is stored, else a list of states for each choice.
    let stored = if is_reduced { search.quotient.representatives() } else { size_of::<Vec<u32>>() };
    let made = size_of::<Result<bool, FaultId>>();
    run::memory::ask_for(choices.saturating_mul(stored.saturating_add(made)))
}

/// The violation of a property in these states and choices; the nearest one is reported.
fn nearest(
    search: &ExplorationSearch<'_>,
    property: PropertyId,
    bad: impl Iterator<Item = (Representative, usize, Weight)>,
) -> Option<FoundViolation> {
    let mut count = Total::default();
    let mut nearest: Option<(usize, Representative, usize)> = None;
    for (id, choice, weight) in bad {
        count.add(&weight, 1);
        let depth = depth(search, id);
        if nearest.is_none_or(|(least, ..)| depth < least) {
            nearest = Some((depth, id, choice));
        }
    }
    let (_, id, choice) = nearest?;
    Some(FoundViolation { kind: ViolationKind::Liveness(property, choice), count, state: Some(id) })
}

/// A node of the quotient with tracked indices: the place of a representative, and the indices.
type Node = (usize, Vec<Point>);

/// Decides the properties on representatives. Every orbit of (state, choice) is one node.
fn under_symmetry(
    search: &ExplorationSearch<'_>,
    properties: &[PropertyId],
    watch: &Ticker<'_>,
) -> Result<Vec<FoundViolation>, StopReason> {
    let ExplorationSearch { system, quotient, .. } = search;
    // The search has reported all failures.
    let mut walker = quotient.walker().without_failures();
    let mut worker = system.worker();
    let mut found = Vec::new();
    let states = quotient.build_by(&mut walker, watch).map_err(|unbuilt| limit(&unbuilt))?;
    let mut places = vec![0; quotient.space().bound()];
    for (place, state) in (0..).zip(&states) {
        places[state.number()] = place;
    }
    for &property in properties {
        let choices = Choices::of(*system, property, true);
        let mut answers: Vec<Vec<bool>> = Vec::with_capacity(states.len());
        for &state in &states {
            let of_state = worker.property(walker.state(state), property);
            let mut judge = |answer: Result<bool, FaultId>| {
                answer.unwrap_or_else(|failure| {
                    let weight = search.weight(walker.stabiliser(state));
                    let kind = ViolationKind::Failure(failure);
                    search.add(FoundViolation::new(kind, Some(state), Some(&weight)), &mut found);
                    false
                })
            };
            answers.push(of_state.into_iter().map(&mut judge).collect());
        }
        let leaders = choices.leaders().into_iter().enumerate();
        for (leader, _) in leaders.filter(|(choice, leader)| choice == leader) {
            let (choices, answers) = (&choices, &answers[..]);
            let tracked = Tracked { choices, leader, answers, states: &states, places: &places };
            found.extend(tracked.judge(search, &mut walker, property, watch)?);
        }
    }
    Ok(found)
}

/// The reason why a quotient without failures is not complete.
fn limit(unbuilt: &Unbuilt) -> StopReason {
    match unbuilt {
        Unbuilt::Stopped(reason) => *reason,
        Unbuilt::Failed(_) => unreachable!("what fails is left out"),
    }
}

/// A choice of values that represents the equivalent ones.
struct Tracked<'t> {
    choices: &'t Choices,
    leader: usize,
    /// The representatives.
    states: &'t [Representative],
    /// By representative: its place among them.
    places: &'t [usize],
    /// By place and choice: whether the property is true.
    answers: &'t [Vec<bool>],
}

impl Tracked<'_> {
    fn judge(
        &self,
        search: &ExplorationSearch<'_>,
        walker: &mut Walker<'_>,
        property: PropertyId,
        watch: &Ticker<'_>,
    ) -> Result<Option<FoundViolation>, StopReason> {
        let l0 = self.choices.points(self.leader);
        let fixing = Weight::of(self.choices.all().fixing(&l0).order());
        let mut nodes: Vec<Node> = Vec::new();
        let mut numbers: HashMap<Node, u32> = HashMap::new();
        for (at, &state) in self.states.iter().enumerate() {
            for Reached { tuple, .. } in walker.starts_with(state, &l0) {
                let number = u32::try_from(nodes.len());
                let number = number.map_err(|_| StopReason::States(u32::MAX as usize))?;
                numbers.insert((at, tuple.clone()), number);
                nodes.push((at, tuple));
            }
        }
        let choice = |tuple: &[Point]| self.choices.with_points(self.leader, tuple);
        let (mut good, mut backwards) = (Vec::new(), Vec::new());
        for (number, (at, tuple)) in nodes.iter().enumerate() {
            if Every::NODE.is_due(number as u64) {
                watch.ask()?;
            }
            // If a range around the property fails, the property is true for no choice.
            if self.answers[*at].get(choice(tuple)) == Some(&true) {
                good.push(to_u32(number));
            }
            let edges = walker.tracked_edges(self.states[*at], tuple);
            for edge in edges.map_err(|unbuilt| limit(&unbuilt))? {
                let target = numbers[&(self.places[edge.target.number()], edge.tuple)];
                backwards.push((target, to_u32(number)));
            }
        }
        backwards.sort_unstable();
        let reached = reach(&backwards, good, nodes.len());
        let bad = nodes.iter().enumerate().filter(|(number, _)| !reached[*number]);
        // The weight counts states with one choice of values: the orbit under the permutations that
        // fix the values.
        let bad = bad.map(|(_, (at, tuple))| {
            let both = walker.stabiliser(self.states[*at]).fixing(tuple);
            (self.states[*at], choice(tuple), Weight::of_orbit(&fixing, &both))
        });
        Ok(nearest(search, property, bad))
    }
}

/// By node: whether one of the good nodes is reachable from it.
fn reach(backwards: &[(u32, u32)], good: Vec<u32>, bound: usize) -> Vec<bool> {
    let mut reached = vec![false; bound];
    let mut open = good;
    for &node in &open {
        reached[node as usize] = true;
    }
    while let Some(node) = open.pop() {
        let first = backwards.partition_point(|&(target, _)| target < node);
        for &(_, source) in backwards[first..].iter().take_while(|&&(target, _)| target == node) {
            if !std::mem::replace(&mut reached[source as usize], true) {
                open.push(source);
            }
        }
    }
    reached
}

/// The length of a shortest path to a state.
pub(super) fn depth(search: &ExplorationSearch<'_>, id: Representative) -> usize {
    let mut depth = 0;
    let mut at = id;
    while let Some(parent) = search.quotient.space().parent(at) {
        depth += 1;
        at = parent;
    }
    depth
}
