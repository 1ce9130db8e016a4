//! Whether some fair run violates a formula, by definition: in the unreduced product, with one requirement per process,
//! event or tuple.

use crate::brute_force::{Negation, Product, Runs, bindings};
use automata::Marks;
use isonomy::explore::Deadlock;
use model::checked::{Demand, Formula, Model};
use model::interpret::{Event, Interpreter, Process};
use model::syntax::{Fairness, Over, RuleFairness};
use std::collections::{BTreeSet, HashMap};
use support::orbits::{Graph, Step, assumptions};

/// A model, with all of its states that remain.
pub struct Reference<'m> {
    pub model: &'m Model,
    pub graph: Graph,
}

impl<'m> Reference<'m> {
    /// None, if there are more states than that, or something fails.
    pub fn new(model: &'m Model, most: usize) -> Option<Reference<'m>> {
        let mut graph = Graph::of(model, Deadlock::Stuck, true, most)?;
        let interpreter = Interpreter::new(model);
        let assumptions = assumptions(model);
        for state in &graph.states {
            for step in interpreter.steps(state).ok()? {
                for &one in &assumptions {
                    interpreter.holds(&step.target, one).ok()?;
                }
            }
        }
        for start in interpreter.starts() {
            start.ok()?;
        }
        // What remains when states without a future are removed, until nothing changes.
        let mut alive = vec![true; graph.states.len()];
        loop {
            let dies = |state: &usize| {
                alive[*state]
                    && !graph.is_deadlock[*state]
                    && !graph.steps[*state].iter().any(|step| alive[step.target])
            };
            let Some(dead) = (0..alive.len()).find(dies) else { break };
            alive[dead] = false;
        }
        for steps in &mut graph.steps {
            steps.retain(|step| alive[step.target]);
        }
        for (is_start, alive) in graph.is_start.iter_mut().zip(alive) {
            *is_start &= alive;
        }
        Some(Reference { model, graph })
    }

    /// Whether some state has no steps.
    pub fn has_deadlock(&self) -> bool {
        self.graph.is_deadlock.contains(&true)
    }
}

/// A requirement: infinitely often p implies infinitely often q.
pub(super) struct Requirement {
    /// By state.
    pub(super) p: Vec<bool>,
    pub(super) q: Vec<bool>,
    /// Steps that make q true: by state and number.
    pub(super) taken: BTreeSet<(usize, usize)>,
}

/// A search for a fair run in a product.
struct Search<'r> {
    reference: &'r Reference<'r>,
    product: Product,
    /// All acceptance sets.
    all: Marks,
    requirements: Vec<Requirement>,
    is_global: bool,
}

/// Whether some run that is fair as demanded violates a formula for some values; none if an atom or a
/// requirement cannot be evaluated.
pub fn violates(reference: &Reference<'_>, formula: &Formula, demand: Demand) -> Option<bool> {
    let demand = demanded(formula, demand);
    let negation = Negation::of(formula);
    let runs = Runs::of(&reference.graph);
    let mut violated = false;
    for binding in bindings(reference.model, &formula.tracked) {
        let search = Search {
            reference,
            product: negation.product(reference.model, &runs, &binding)?,
            all: negation.automaton.all_marks(),
            requirements: requirements(reference, demand)?,
            is_global: demand.fairness == Fairness::Global,
        };
        let all = (0..search.product.nodes.len()).collect();
        violated |= search.has_fair_run(&all);
    }
    Some(violated)
}

/// What is demanded, unless the formula says so itself.
pub fn demanded(formula: &Formula, demand: Demand) -> Demand {
    match formula.under {
        None => demand,
        Some((fairness, over)) => {
            Demand { fairness, over: over.unwrap_or(Over::Processes), ..demand }
        }
    }
}

/// All that is demanded, object by object.
pub(super) fn requirements(reference: &Reference<'_>, demand: Demand) -> Option<Vec<Requirement>> {
    let Reference { model, graph } = reference;
    let mut found = Vec::new();
    let mut add = |is_strong: bool, is_it: &dyn Fn(&Step) -> bool| {
        let mut requirement = Requirement { p: Vec::new(), q: Vec::new(), taken: BTreeSet::new() };
        for (state, steps) in graph.steps.iter().enumerate() {
            let is_enabled = steps.iter().any(is_it);
            requirement.p.push(!is_strong || is_enabled);
            requirement.q.push(!is_strong && !is_enabled);
            let own = steps.iter().enumerate().filter(|(_, step)| is_it(step));
            requirement.taken.extend(own.map(|(k, _)| (state, k)));
        }
        found.push(requirement);
    };
    let processes: BTreeSet<Process> =
        graph.steps.iter().flatten().map(|step| step.process).collect();
    let events: BTreeSet<Event> =
        graph.steps.iter().flatten().map(|step| step.event.clone()).collect();
    let is_strong = demand.fairness == Fairness::Strong;
    if matches!(demand.fairness, Fairness::Weak | Fairness::Strong) {
        match demand.over {
            Over::Processes => {
                for process in &processes {
                    add(is_strong, &|step| step.process == *process);
                }
            }
            Over::Events => {
                for event in &events {
                    add(is_strong, &|step| step.event == *event);
                }
            }
        }
    }
    if !demand.declared {
        return Some(found);
    }
    for event in &events {
        if let Some(fairness) = model.events[event.event.0 as usize].fairness {
            add(fairness == RuleFairness::Strong, &|step| step.event == *event);
        }
    }
    let interpreter = Interpreter::new(model);
    for declared in &model.requirements {
        for binding in bindings(model, &declared.tracked) {
            let mut requirement =
                Requirement { p: Vec::new(), q: Vec::new(), taken: BTreeSet::new() };
            for state in &graph.states {
                let is_true = |condition| {
                    interpreter.is_true(condition, &declared.locals, &binding, state).ok()
                };
                requirement.p.push(match &declared.premise {
                    None => true,
                    Some(premise) => is_true(premise)?,
                });
                requirement.q.push(is_true(&declared.conclusion)?);
            }
            found.push(requirement);
        }
    }
    Some(found)
}

impl Search<'_> {
    /// Whether a fair and accepting run stays among these nodes.
    fn has_fair_run(&self, among: &BTreeSet<usize>) -> bool {
        self.components(among).iter().any(|component| self.is_fair(component))
    }

    fn is_fair(&self, component: &BTreeSet<usize>) -> bool {
        let inner = || {
            component.iter().flat_map(|&node| {
                let edges = self.product.edges[node].iter();
                edges.filter(|edge| component.contains(&edge.target)).map(move |edge| (node, edge))
            })
        };
        let marks = inner().fold(Marks::NONE, |marks, (_, edge)| marks | edge.marks);
        if inner().next().is_none() || !marks.contains(self.all) {
            return false;
        }
        let states: BTreeSet<usize> =
            component.iter().map(|&node| self.product.nodes[node].0).collect();
        let taken: BTreeSet<(usize, usize)> = inner()
            .filter_map(|(node, edge)| Some((self.product.nodes[node].0, edge.step?)))
            .collect();
        let owes = |one: &&Requirement| {
            states.iter().any(|&state| one.p[state])
                && !states.iter().any(|&state| one.q[state])
                && one.taken.is_disjoint(&taken)
        };
        if let Some(owed) = self.requirements.iter().find(owes) {
            // Nobody who stays here may visit where p is true; unless all steps must be taken anyway.
            let rest: BTreeSet<usize> = component
                .iter()
                .copied()
                .filter(|&node| !owed.p[self.product.nodes[node].0])
                .collect();
            return !self.is_global && self.has_fair_run(&rest);
        }
        let steps = &self.reference.graph.steps;
        !self.is_global
            || states
                .iter()
                .all(|&state| (0..steps[state].len()).all(|step| taken.contains(&(state, step))))
    }

    /// The strongly connected components of a part, by forward and backward reachability.
    fn components(&self, among: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let mut back: HashMap<usize, Vec<usize>> = HashMap::new();
        for &node in among {
            for edge in self.product.edges[node].iter().filter(|edge| among.contains(&edge.target))
            {
                back.entry(edge.target).or_default().push(node);
            }
        }
        let reach = |from: usize, within: &BTreeSet<usize>, next: &dyn Fn(usize) -> Vec<usize>| {
            let mut found = BTreeSet::from([from]);
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                for target in next(node) {
                    if within.contains(&target) && found.insert(target) {
                        open.push(target);
                    }
                }
            }
            found
        };
        let forth = |node: usize| self.product.edges[node].iter().map(|edge| edge.target).collect();
        let back = |node: usize| back.get(&node).cloned().unwrap_or_default();
        let mut left = among.clone();
        let mut components = Vec::new();
        while let Some(&first) = left.first() {
            let ahead = reach(first, &left, &forth);
            let component: BTreeSet<usize> =
                reach(first, &left, &back).intersection(&ahead).copied().collect();
            left = left.difference(&component).copied().collect();
            components.push(component);
        }
        components
    }
}
