//! From a formula in negation normal form to a generalized Büchi automaton, after [`COU99`].
//!
//! A state is a conjunction of formulas that the rest of the word must satisfy. Its *expansion* is
//! a Boolean function of the atoms, of variables N(g) ("g holds from the next position on") and of
//! variables P(g) ("g is promised, and still to come"):
//!
//! ```text
//! r(p)     = p                              r(X g)   = N(g)
//! r(f & g) = r(f) & r(g)                    r(f | g) = r(f) | r(g)
//! r(F g)   = r(g) | P(g) & N(F g)           r(G g)   = r(g) & N(G g)
//! r(f U g) = r(g) | P(g) & r(f) & N(f U g)  r(f R g) = r(g) & (r(f) | N(f R g))
//! r(f W g) = r(g) | r(f) & N(f W g)         r(f M g) = r(g) & (r(f) | P(f) & N(f M g))
//! ```
//!
//! For one letter, the expansion is a monotone function of the N and P; each of its prime
//! implicants is an edge, to the conjunction of its N, breaking off no promise but its P. A run is
//! accepting if it is not always promising the same: for each g, infinitely many of its edges do
//! not have P(g). So P(g) becomes an acceptance set, of the edges *without* P(g).
//!
//! That one P(g) serves all formulas that wait for g is exact: a run that fulfils everything as
//! soon as the word allows has P(g) on an edge only where g does not hold, for `f U g`, `F g` and
//! `g M f` alike; so if g holds infinitely often then P(g) is missing infinitely often, and if not,
//! then from some point on nothing waits for g.
//!
//! Departures from the paper, all exact:
//! * **Equal expansions are one state.** They have the same edges, so they are bisimilar. `G F a`
//!   is a single state by this alone: the expansions of `G F a` and `F a & G F a` are the same.
//! * **Letters first.** Atoms are decided before N and P, so an implicant is dropped for just those
//!   letters for which another one absorbs it. The automaton is as deterministic as the tableau
//!   allows. If there are too many different letters (more than [`MOST_LETTERS`] functions), a sum of
//!   products over all variables is used instead.
//! * **N distributes** over `&`, and over `|` where each part, once unfolded, leads to itself: the
//!   choice is made on the edge that enters, without a state for the disjunction.
//! * **Possible letters only.** Expansions are restricted to the letters that exist, from the innermost
//!   formula on, so that diagrams do not grow with sets of events that cannot happen together.
//! * Promises are numbered after the components are known: only those matter that are made inside a
//!   component, so a formula may have more promises than an automaton has marks.

use crate::automaton::{Automaton, Builder, Edge, Marks, State};
use crate::components::Components;
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
#[allow(unused_imports, reason = "named in the documentation")]
use crate::papers::COU99;
use hashbrown::HashMap;
use ltl::{Formula, Formulas};

mod expansion;
pub(crate) mod letters;

use expansion::{Expansion, Obligation};

/// More different functions of the letter than this in one expansion are not enumerated.
pub const MOST_LETTERS: usize = 1 << 10;

/// The automaton of a formula in negation normal form.
///
/// Every state can be reached; states from which nothing is accepted may remain.
pub fn tableau(
    guards: &mut Guards<'_>,
    formulas: &Formulas,
    f: Formula,
) -> Result<Automaton, StopReason> {
    debug_assert!(formulas.traits(f).is_normal(), "the tableau reads negation normal form");
    let mut tableau = Tableau {
        expansion: Expansion::new(formulas),
        known: HashMap::new(),
        open: Vec::new(),
        promises: Promises::default(),
        resolved: HashMap::new(),
    };
    let start = tableau.expansion.of(guards, f);
    let initial = tableau.state(guards, start);
    let mut builder = Builder::new();
    let mut next = 0;
    while next < tableau.open.len() {
        let edges = tableau.edges(guards, tableau.open[next])?;
        for (edge, promises) in edges {
            // Until promises are numbered, the field holds the id of their set.
            builder.edge(edge.guard, Marks(u64::from(promises)), edge.target);
        }
        builder.end_state();
        guards.check_size(tableau.open.len(), builder.edge_count())?;
        tracing::trace!(
            target: "progress", states = tableau.open.len(), edges = builder.edge_count()
        );
        next += 1;
    }
    let draft = builder.finish(initial.unwrap_or(State(0)), 0);
    tableau.promises.number(&draft)
}

struct Tableau<'f> {
    expansion: Expansion<'f>,
    /// The state of each expansion (restricted to possible letters).
    known: HashMap<Guard, State>,
    /// The expansions of the states, in order.
    open: Vec<Guard>,
    promises: Promises,
    /// What the obligations of a residual function (monotone in N and P) come to.
    resolved: HashMap<Guard, Vec<(State, u32)>>,
}

impl Tableau<'_> {
    /// The state of an expansion; `None` if no letter leads on. The first state is always made.
    fn state(&mut self, guards: &mut Guards<'_>, expansion: Guard) -> Option<State> {
        let expansion = guards.and(expansion, guards.possible());
        if expansion == Guard::FALSE && !self.open.is_empty() {
            return None;
        }
        Some(*self.known.entry(expansion).or_insert_with(|| {
            self.open.push(expansion);
            State(self.open.len() as u32 - 1)
        }))
    }

    /// The edges of a state, each with its set of promises.
    fn edges(
        &mut self,
        guards: &mut Guards<'_>,
        expansion: Guard,
    ) -> Result<Vec<(Edge, u32)>, StopReason> {
        let mut edges: Vec<(Edge, u32)> = Vec::new();
        let mut place: HashMap<(State, u32), usize> = HashMap::new();
        let mut add = |guards: &mut Guards<'_>, guard: Guard, target: State, promises: u32| {
            let at = *place.entry((target, promises)).or_insert(edges.len());
            if at == edges.len() {
                edges.push((Edge { target, guard: Guard::FALSE, marks: Marks::NONE }, promises));
            }
            edges[at].0.guard = guards.or(edges[at].0.guard, guard);
        };
        if let Some(letters) = letters::split(guards, expansion, MOST_LETTERS) {
            for (residual, guard) in letters {
                self.resolve(guards, residual)?;
                for &(target, promises) in &self.resolved[&residual] {
                    add(guards, guard, target, promises);
                }
            }
        } else {
            // The sum of products is of the function, so each cube's letters are its own.
            for cube in guards.cubes_between(expansion, expansion) {
                guards.check()?;
                let behind = cube.partition_point(|&(variable, _)| variable < Guards::AUXILIARY);
                let guard = guards.cube(&cube[..behind]);
                let guard = guards.and(guard, guards.possible());
                if let Some((target, promises)) = self.target(guards, &cube[behind..]) {
                    add(guards, guard, target, promises);
                }
            }
        }
        Ok(edges)
    }

    /// Finds the targets of a residual function's prime implicants. Of two that lead to one state,
    /// the one with fewer promises serves.
    fn resolve(&mut self, guards: &mut Guards<'_>, residual: Guard) -> Result<(), StopReason> {
        if self.resolved.contains_key(&residual) {
            return Ok(());
        }
        let mut targets: Vec<(State, u32)> = Vec::new();
        for cube in guards.cubes_between(residual, residual) {
            guards.check()?;
            let Some((target, promises)) = self.target(guards, &cube) else { continue };
            let sets = &self.promises;
            let absorbed = |by: u32, set: u32| sets.is_subset(by, set);
            if targets.iter().all(|&(t, p)| t != target || !absorbed(p, promises)) {
                targets.retain(|&(t, p)| t != target || !absorbed(promises, p));
                targets.push((target, promises));
            }
        }
        self.resolved.insert(residual, targets);
        Ok(())
    }

    /// The state and the promises that a conjunction of N and P variables stands for.
    fn target(&mut self, guards: &mut Guards<'_>, cube: &[(u32, bool)]) -> Option<(State, u32)> {
        let (mut expansion, mut promises) = (Guard::TRUE, Vec::new());
        for &(variable, positive) in cube {
            debug_assert!(positive, "expansions are monotone in N and P");
            match self.expansion.obligation(variable) {
                Obligation::Next(g) => {
                    let part = self.expansion.of(guards, g);
                    expansion = guards.and(expansion, part);
                }
                Obligation::Promise(promise) => promises.push(promise),
            }
        }
        let state = self.state(guards, expansion)?;
        Some((state, self.promises.set(promises)))
    }
}

/// Sets of promises, interned: equal sets have equal ids.
#[derive(Default)]
struct Promises {
    sets: Vec<Vec<u32>>,
    ids: HashMap<Vec<u32>, u32>,
}

impl Promises {
    fn set(&mut self, mut promises: Vec<u32>) -> u32 {
        promises.sort_unstable();
        promises.dedup();
        let sets = &mut self.sets;
        *self.ids.entry(promises).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as u32 - 1
        })
    }

    fn is_subset(&self, small: u32, large: u32) -> bool {
        let large = &self.sets[large as usize];
        self.sets[small as usize].iter().all(|promise| large.binary_search(promise).is_ok())
    }

    /// Turns ids of promise sets into marks. Promises made inside components are numbered for the
    /// whole automaton if there are marks for all, else component by component.
    fn number(&self, draft: &Automaton) -> Result<Automaton, StopReason> {
        let components = Components::of(draft);
        // Per component the promises made inside, ascending.
        let mut made: Vec<Vec<u32>> = vec![Vec::new(); components.count()];
        for state in draft.states() {
            let Some(here) = components.component(state) else { continue };
            for edge in draft.edges(state).iter().filter(|e| components.together(state, e.target)) {
                made[here].extend(&self.sets[edge.marks.0 as usize]);
            }
            made[here].sort_unstable();
            made[here].dedup();
        }
        let mut all: Vec<u32> = made.concat();
        all.sort_unstable();
        all.dedup();
        if all.len() <= Marks::MOST {
            made.fill(all);
        }
        let sets = made.iter().map(Vec::len).max().unwrap_or(0);
        if sets > Marks::MOST {
            return Err(StopReason::AcceptanceSets(Marks::MOST));
        }
        let full = Marks::first(sets as u32);
        let mut builder = Builder::new();
        for state in draft.states() {
            let here = components.component(state);
            for edge in draft.edges(state) {
                let mut marks = full;
                for promise in &self.sets[edge.marks.0 as usize] {
                    if let Some(here) = here
                        && let Ok(set) = made[here].binary_search(promise)
                    {
                        marks = marks - Marks::one(set as u32);
                    }
                }
                builder.edge(edge.guard, marks, edge.target);
            }
            builder.end_state();
        }
        Ok(builder.finish(draft.initial(), sets as u32))
    }
}
