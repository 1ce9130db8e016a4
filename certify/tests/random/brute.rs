//! The truth about small systems: no symmetry, no obligations. The automaton of the negation, the whole
//! product, and components by definition.

use crate::system::{Arrow, Formula, GOOD, LIVE, LIVE_EACH, Owner, Point, State, Tiny};
use automata::automaton::Automaton;
use automata::translate::{Acceptance, Effort, Translator};
use judge::Reference;
use ltl::{Alphabet, Atom};
use run::Limits;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use terms::{Demand, Fairness, Over, PropertyId, RuleFairness};

/// What remains of a system: its states and steps. A state without steps stutters.
pub(crate) struct Remains {
    pub(crate) starts: Vec<State>,
    pub(crate) steps: BTreeMap<State, Vec<(Option<(Owner, crate::system::Event)>, State)>>,
}

/// The steps that no assumption cuts.
fn uncut(tiny: &Tiny) -> BTreeMap<State, Vec<Arrow>> {
    let starts = tiny.starts.iter().filter(|start| tiny.is_assumed(start)).cloned();
    let mut found = BTreeMap::new();
    let mut open: Vec<State> = starts.collect();
    while let Some(state) = open.pop() {
        if found.contains_key(&state) {
            continue;
        }
        let arrows = tiny.arrows[&state].iter();
        let kept: Vec<Arrow> = arrows.filter(|arrow| tiny.is_assumed(&arrow.2)).cloned().collect();
        open.extend(kept.iter().map(|arrow| arrow.2.clone()));
        found.insert(state, kept);
    }
    found
}

pub(crate) fn remains(tiny: &Tiny) -> Remains {
    let all = uncut(tiny);
    let mut alive: BTreeSet<State> = all.keys().cloned().collect();
    loop {
        let dies = |state: &&State| {
            !tiny.arrows[*state].is_empty() && !all[*state].iter().any(|one| alive.contains(&one.2))
        };
        let dead: Vec<State> = alive.iter().filter(dies).cloned().collect();
        if dead.is_empty() {
            break;
        }
        alive.retain(|state| !dead.contains(state));
    }
    let starts = tiny.starts.iter().filter(|start| alive.contains(start)).cloned().collect();
    let steps = alive.iter().map(|state| {
        let kept = all[state].iter().filter(|one| alive.contains(&one.2)).cloned();
        let mut kept: Vec<_> =
            kept.map(|(owner, event, target)| (Some((owner, event)), target)).collect();
        if tiny.arrows[state].is_empty() {
            kept.push((None, state.clone()));
        }
        (state.clone(), kept)
    });
    Remains { starts, steps: steps.collect() }
}

/// Whether a property of states is false.
pub(crate) fn is_false(tiny: &Tiny, property: PropertyId) -> bool {
    let all = uncut(tiny);
    match property {
        GOOD => all.keys().any(|state| !tiny.toss(tiny.good, state, &[])),
        LIVE => never(tiny, &all, &[]),
        LIVE_EACH => (0..tiny.points as Point).any(|point| never(tiny, &all, &[point])),
        other => panic!("{other:?}"),
    }
}

/// Whether some state cannot reach one where a liveness property is true.
fn never(tiny: &Tiny, all: &BTreeMap<State, Vec<Arrow>>, tuple: &[Point]) -> bool {
    let is_near = |state: &&State| tiny.toss(tiny.live, state, tuple);
    let mut near: HashSet<&State> = all.keys().filter(is_near).collect();
    loop {
        let next = |state: &&State| {
            !near.contains(*state) && all[*state].iter().any(|one| near.contains(&one.2))
        };
        let more: Vec<&State> = all.keys().filter(next).collect();
        if more.is_empty() {
            return near.len() < all.len();
        }
        near.extend(more);
    }
}

/// Whether there is a state without steps.
pub(crate) fn has_deadlock(tiny: &Tiny, only_others: bool) -> bool {
    uncut(tiny).keys().any(|state| {
        let all = &tiny.arrows[state];
        all.iter().all(|arrow| only_others && arrow.2 == *state)
    })
}

/// All values of the tracked variables.
pub(crate) fn tuples(formula: &Formula) -> Vec<Vec<Point>> {
    let mut all = vec![Vec::new()];
    for values in &formula.variables {
        let longer = all.iter().flat_map(|tuple: &Vec<Point>| {
            let fits = |value: &&Point| !(formula.is_distinct && tuple.contains(value));
            values
                .iter()
                .filter(fits)
                .map(|&value| [&tuple[..], &[value]].concat())
                .collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

/// Something that a run must be fair to: by state whether the premise and the goal are true, and the
/// steps that serve it.
struct Object {
    premise: Vec<bool>,
    goal: Vec<bool>,
    step: Option<Party>,
    is_weak: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Party {
    Process(Owner),
    Event(crate::system::Event),
}

struct Numbered {
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    /// By state: what acts, and the target.
    steps: Vec<Vec<(Option<(Owner, crate::system::Event)>, usize)>>,
}

fn objects(tiny: &Tiny, system: &Numbered, demand: Demand) -> Vec<Object> {
    let mut found = Vec::new();
    let mut add = |party: Party, is_strong: bool| {
        let is_of = |action: &Option<(Owner, crate::system::Event)>| match (&party, action) {
            (Party::Process(one), Some((owner, _))) => one == owner,
            (Party::Event(one), Some((_, event))) => one == event,
            (_, None) => false,
        };
        let enabled: Vec<bool> =
            system.steps.iter().map(|all| all.iter().any(|(action, _)| is_of(action))).collect();
        let goal = enabled.iter().map(|is| !is_strong && !is).collect();
        let premise = if is_strong { enabled } else { vec![true; system.states.len()] };
        found.push(Object { premise, goal, step: Some(party), is_weak: !is_strong });
    };
    let strong = match demand.fairness {
        Fairness::Weak => Some(false),
        Fairness::Strong => Some(true),
        Fairness::None | Fairness::Global => None,
    };
    if let (Some(is_strong), Over::Processes) = (strong, demand.over) {
        tiny.processes().into_iter().for_each(|one| add(Party::Process(one), is_strong));
    }
    let actions = system.steps.iter().flatten().filter_map(|(action, _)| action.clone());
    let events: BTreeSet<_> = actions.map(|(_, event)| event).collect();
    for event in events {
        if let (Some(is_strong), Over::Events) = (strong, demand.over) {
            add(Party::Event(event.clone()), is_strong);
        }
        if let (true, Some(strength)) = (demand.declared, tiny.fair[usize::from(event.name)]) {
            add(Party::Event(event), strength == RuleFairness::Strong);
        }
    }
    if demand.declared {
        for one in &tiny.requirements {
            let group = &one.variables[0];
            let mut all = vec![Vec::new()];
            for _ in 0..group.count {
                let longer = all.iter().flat_map(|tuple: &Vec<Point>| {
                    let fits = |value: &&Point| !(group.is_distinct && tuple.contains(value));
                    let values = group.values.iter().filter(fits);
                    values.map(|&value| [&tuple[..], &[value]].concat()).collect::<Vec<_>>()
                });
                all = longer.collect();
            }
            for tuple in all {
                let states = system.states.iter();
                let goal = states.clone().map(|state| tiny.toss(one.goal, state, &tuple));
                let premise = states.map(|state| {
                    one.premise.is_none_or(|premise| tiny.toss(premise, state, &tuple))
                });
                let (premise, goal) = (premise.collect(), goal.collect());
                let is_weak = one.premise.is_none();
                found.push(Object { premise, goal, step: None, is_weak });
            }
        }
    }
    found
}

/// The truth about formulas over one system and demand.
pub(crate) struct Truth<'t> {
    tiny: &'t Tiny,
    system: Numbered,
    starts: Vec<usize>,
    objects: Vec<Object>,
    is_global: bool,
}

/// A node of the product, and its edges: the number of the step, the marks, the target.
type Product = Vec<((usize, u32), Vec<(usize, u64, usize)>)>;

impl<'t> Truth<'t> {
    pub(crate) fn new(tiny: &'t Tiny, demand: Demand) -> Truth<'t> {
        let Remains { starts, steps } = remains(tiny);
        let states: Vec<State> = steps.keys().cloned().collect();
        let numbers: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
        let numbered = |all: &Vec<(_, State)>| {
            all.iter().map(|(action, target)| (Option::clone(action), numbers[target])).collect()
        };
        let steps = steps.values().map(numbered).collect();
        let starts = starts.iter().map(|start| numbers[start]).collect();
        let system = Numbered { states, numbers, steps };
        let objects = objects(tiny, &system, demand);
        Truth { tiny, system, starts, objects, is_global: demand.fairness == Fairness::Global }
    }

    /// Whether a fair run violates a formula for these values.
    pub(crate) fn is_violated(&self, formula: &Formula, tuple: &[Point]) -> bool {
        let mut formulas = formula.formulas.clone();
        let negation = formulas.not(formula.root);
        let alphabet = Alphabet::default();
        let mut translator = Translator::new(&alphabet, Effort::Low, Limits::default());
        let automaton = translator.translate(&mut formulas, negation, Acceptance::Generalized);
        let automaton = automaton.expect("small formulas have small automata");
        let binding: Vec<_> = (0..).zip(tuple.iter().copied()).collect();
        let mut product: Product = Vec::new();
        let mut known: HashMap<(usize, u32), usize> = HashMap::new();
        let mut node = |product: &mut Product, at: (usize, u32)| {
            *known.entry(at).or_insert_with(|| {
                product.push((at, Vec::new()));
                product.len() - 1
            })
        };
        for &start in &self.starts {
            node(&mut product, (start, automaton.initial().0));
        }
        let mut next = 0;
        while next < product.len() {
            let (state, at) = product[next].0;
            for (k, (action, target)) in self.system.steps[state].iter().enumerate() {
                let is_true = |atom: u32| {
                    let state = &self.system.states[state];
                    let value =
                        self.tiny.atom(formula, Atom(atom), &binding, state, action.as_ref());
                    value.expect("no faults")
                };
                for edge in automaton.edges(automata::automaton::State(at)) {
                    if translator.guards.evaluate(edge.guard, is_true) {
                        let to = node(&mut product, (*target, edge.target.0));
                        product[next].1.push((k, edge.marks.0, to));
                    }
                }
            }
            next += 1;
        }
        let all = (0..product.len()).collect();
        self.is_accepting(&product, &automaton, &all)
    }

    fn is_accepting(
        &self,
        product: &Product,
        automaton: &Automaton,
        nodes: &HashSet<usize>,
    ) -> bool {
        components(product, nodes).iter().any(|component| {
            let inner = component.iter().flat_map(|&node| {
                let edges = product[node].1.iter().filter(|edge| component.contains(&edge.2));
                edges.map(move |edge| (node, edge))
            });
            let inner: Vec<_> = inner.collect();
            let marks = inner.iter().fold(0, |marks, (_, edge)| marks | edge.1);
            if inner.is_empty() || marks != automaton.all_marks().0 {
                return false;
            }
            let states: HashSet<usize> = component.iter().map(|&node| product[node].0.0).collect();
            let taken: HashSet<(usize, usize)> =
                inner.iter().map(|(node, edge)| (product[*node].0.0, edge.0)).collect();
            let steps = |&state: &usize| self.system.steps[state].len();
            if self.is_global && taken.len() < states.iter().map(steps).sum() {
                return false;
            }
            let parties: HashSet<Party> = taken
                .iter()
                .filter_map(|&(state, k)| self.system.steps[state][k].0.clone())
                .flat_map(|(owner, event)| [Party::Process(owner), Party::Event(event)])
                .collect();
            let is_unserved = |object: &&Object| {
                !states.iter().any(|&state| object.goal[state])
                    && !object.step.as_ref().is_some_and(|party| parties.contains(party))
                    && states.iter().any(|&state| object.premise[state])
            };
            let unserved: Vec<&Object> = self.objects.iter().filter(is_unserved).collect();
            if unserved.is_empty() {
                return true;
            }
            let is_good =
                |node: &&usize| !unserved.iter().any(|object| object.premise[product[**node].0.0]);
            let rest: HashSet<usize> = component.iter().filter(is_good).copied().collect();
            !unserved.iter().any(|object| object.is_weak)
                && self.is_accepting(product, automaton, &rest)
        })
    }

    /// The number of states that remain.
    pub(crate) fn states(&self) -> usize {
        self.system.numbers.len()
    }
}

/// The strongly connected components of some nodes (Kosaraju).
fn components(product: &Product, nodes: &HashSet<usize>) -> Vec<HashSet<usize>> {
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    let mut sorted: Vec<usize> = nodes.iter().copied().collect();
    sorted.sort_unstable();
    for &root in &sorted {
        if !seen.insert(root) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            if let Some(&(_, _, to)) = product[*node].1.get(*next) {
                *next += 1;
                if nodes.contains(&to) && seen.insert(to) {
                    path.push((to, 0));
                }
            } else {
                order.push(*node);
                path.pop();
            }
        }
    }
    let mut sources: HashMap<usize, Vec<usize>> = HashMap::new();
    for &node in &sorted {
        for &(_, _, to) in &product[node].1 {
            sources.entry(to).or_default().push(node);
        }
    }
    let (mut found, mut placed) = (Vec::new(), HashSet::new());
    for &root in order.iter().rev() {
        if placed.contains(&root) {
            continue;
        }
        let (mut component, mut open) = (HashSet::new(), vec![root]);
        while let Some(node) = open.pop() {
            if !placed.insert(node) {
                continue;
            }
            component.insert(node);
            open.extend(sources.get(&node).into_iter().flatten().filter(|one| nodes.contains(one)));
        }
        found.push(component);
    }
    found
}
