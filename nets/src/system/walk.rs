//! Random runs with cycles, for formulas that are violated by many runs.
//!
//! A walk prefers steps that go on with what has just been done: a transition that takes from a place to
//! which the last one has put, with a colour of its binding. So it often comes back to a marking that it has
//! met, where a walk that mixes the steps of thousands of colours would not. Every such return closes a
//! cycle, and a dead marking is repeated forever: each is an infinite run from the initial marking, without
//! any symmetry.

use super::PackedNet;
use super::binding::{Flow, Search, Tokens};
use super::firing::Firings;
use crate::game::{Firing, Marking, NetVocabulary};
use engine::system::atoms::Letter;
use engine::system::{AtomFault, Atoms, System as _};
use hashbrown::HashMap;
use judge::{Run, Step};
use run::SplitMix64;

/// Bindings of a transition that are looked at before one is chosen.
const MOST_BINDINGS: u32 = 1 << 12;

/// Bytes for the markings of a walk.
const MOST_BYTES: usize = 1 << 26;

/// Of so many steps, all but one go on with what has just been done.
const CHANGES: usize = 4;

/// A random walk.
#[derive(Debug, Default)]
pub struct Walk {
    /// The packed markings, from the initial one on.
    states: Vec<Box<[u64]>>,
    /// The steps between them.
    steps: Vec<(u32, Vec<i64>)>,
    /// Infinite runs: one step comes back from the first of these markings to the second, by their
    /// positions.
    cycles: Vec<Cycle>,
}

/// A return.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    /// The position of the marking where the cycle begins.
    first: usize,
    /// The number of steps until the marking is met again; that of the walk if it is dead.
    behind: usize,
    /// Whether the last marking is dead, and repeated forever.
    is_dead: bool,
}

impl Walk {
    /// The infinite runs that the walk has met.
    pub fn cycles(&self) -> &[Cycle] {
        &self.cycles
    }

    /// The letters of a formula's atoms along the walk: stem and cycle of a run.
    pub fn letters(
        &self,
        atoms: &dyn Atoms,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Result<Vec<Letter>, AtomFault>> {
        let mut worker = atoms.worker();
        let mut letters = Vec::with_capacity(self.states.len());
        for (at, state) in self.states.iter().enumerate() {
            if is_over() {
                return None;
            }
            let letter = match worker.of_state(state, &[]) {
                Ok(letter) => letter,
                Err(fault) => return Some(Err(fault)),
            };
            let of_step =
                |(rule, arguments): &(u32, Vec<i64>)| worker.of_step(*rule, arguments, &[]);
            letters.push(letter | self.steps.get(at).map_or(0, of_step));
        }
        Some(Ok(letters))
    }
}

impl Cycle {
    /// The letters of the run, of its stem and of its cycle, out of those of the walk.
    pub fn word<'l>(&self, letters: &'l [Letter]) -> (&'l [Letter], &'l [Letter]) {
        (&letters[..self.first], &letters[self.first..self.behind])
    }
}

impl PackedNet<'_> {
    /// Walks at random until `is_over`, so many steps are made, or nothing can fire. A step that is a fault
    /// is not made; whether there was no room for one is said by [`PackedNet::raised`].
    pub fn walk(
        &self,
        random: &mut SplitMix64,
        most_steps: usize,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Walk {
        let mut walk = Walk::default();
        let Some(Ok(start)) = self.starts().next() else { return walk };
        let most_steps = most_steps.min(MOST_BYTES / (8 * start.len().max(1)));
        let mut walker = Walker::new(self);
        let mut known: HashMap<Box<[u64]>, usize> = [(start.clone(), 0)].into();
        walk.states.push(start);
        while walk.steps.len() < most_steps && !is_over() {
            let at = walk.states.last().expect("the initial marking is there");
            let Some((rule, binding, target)) = walker.step(at, random) else {
                if walker.is_dead {
                    let last = walk.steps.len();
                    walk.cycles.push(Cycle { first: last, behind: last + 1, is_dead: true });
                }
                break;
            };
            let slots = self.plans[rule].classes.iter().zip(&binding);
            let slots = slots.map(|(&class, &colour)| i64::from(self.slots.slot(class, colour)));
            walk.steps.push((rule as u32, slots.collect()));
            let behind = walk.steps.len();
            // The latest: cycles are short.
            if let Some(first) = known.insert(target.clone(), behind) {
                walk.cycles.push(Cycle { first, behind, is_dead: false });
            }
            walk.states.push(target);
        }
        walk
    }

    /// A run of a walk in plain markings.
    pub fn run_of(&self, walk: &Walk, cycle: Cycle) -> Run<NetVocabulary> {
        let step = |at: usize| {
            let state: Marking = self.marking(&walk.states[at]);
            let action = |(rule, slots): &(u32, Vec<i64>)| -> ((), Firing) {
                ((), self.firing(*rule, slots))
            };
            let is_last = cycle.is_dead && at == cycle.first;
            Step { state, action: walk.steps.get(at).filter(|_| !is_last).map(action) }
        };
        Run {
            stem: (0..cycle.first).map(step).collect(),
            cycle: (cycle.first..cycle.behind).map(step).collect(),
            end: self.marking(&walk.states[cycle.first]),
        }
    }
}

/// Makes random steps.
struct Walker<'s, 'n> {
    net: &'s PackedNet<'n>,
    tokens: Tokens,
    scratch: Vec<u32>,
    sum: Vec<(u64, i64)>,
    firings: Firings,
    /// By place: the transitions that take from it.
    takers: Vec<Vec<usize>>,
    /// All transitions, in an order that changes.
    order: Vec<usize>,
    last: Option<(usize, Vec<u32>)>,
    /// Whether nothing could fire.
    is_dead: bool,
}

impl<'s, 'n> Walker<'s, 'n> {
    fn new(net: &'s PackedNet<'n>) -> Self {
        let mut takers = vec![Vec::new(); net.places.len()];
        for (of, plan) in net.plans.iter().enumerate() {
            for arc in &plan.inputs {
                takers[arc.place].push(of);
            }
        }
        Walker {
            net,
            tokens: Tokens::new(net.places.len()),
            scratch: Vec::new(),
            sum: Vec::new(),
            firings: Firings::default(),
            takers,
            order: (0..net.plans.len()).collect(),
            last: None,
            is_dead: false,
        }
    }

    /// A step that does not fail, if one is found: transition, binding, target.
    fn step(
        &mut self,
        packed: &[u64],
        random: &mut SplitMix64,
    ) -> Option<(usize, Vec<u32>, Box<[u64]>)> {
        self.tokens.load(self.net, packed);
        self.is_dead = true;
        if let Some((last, _)) = &self.last
            && random.below(CHANGES) > 0
        {
            let outputs = self.net.plans[*last].outputs.iter();
            let mut next: Vec<usize> =
                outputs.flat_map(|arc| self.takers[arc.place].iter().copied()).collect();
            next.sort_unstable();
            next.dedup();
            shuffle(&mut next, random);
            if let Some(made) = next.into_iter().find_map(|of| self.fired(of, packed, random)) {
                return Some(made);
            }
        }
        let mut order = std::mem::take(&mut self.order);
        shuffle(&mut order, random);
        let made = order.iter().find_map(|&of| self.fired(of, packed, random));
        self.order = order;
        made
    }

    /// A step of a transition, if it can fire: with a colour of the last step, if that is possible.
    fn fired(
        &mut self,
        of: usize,
        packed: &[u64],
        random: &mut SplitMix64,
    ) -> Option<(usize, Vec<u32>, Box<[u64]>)> {
        let net = self.net;
        let plan = &net.plans[of];
        let mut chosen: [Option<Vec<u32>>; 2] = [None, None];
        let mut counts = [0_u32; 2];
        let goes_on = |binding: &[u32]| {
            self.last.as_ref().is_some_and(|(last, before)| {
                let classes = net.plans[*last].classes.iter().zip(before);
                let mut pairs = plan.classes.iter().zip(binding);
                pairs.any(|one| classes.clone().any(|other| other == one))
            })
        };
        let mut search = Search {
            net,
            plan,
            tokens: &self.tokens,
            binding: &mut self.scratch,
            sum: &mut self.sum,
            alike: None,
        };
        let mut can_fire = false;
        search.all(&mut |binding, wrong| {
            can_fire = true;
            if wrong.is_some() {
                return Flow::Continue;
            }
            let kind = usize::from(!goes_on(binding));
            counts[kind] += 1;
            // The k-th of a kind replaces the one before with probability 1 / k.
            if random.below(counts[kind] as usize) == 0 {
                chosen[kind] = Some(binding.to_vec());
            }
            if counts[0] + counts[1] < MOST_BINDINGS { Flow::Continue } else { Flow::Stop }
        });
        self.is_dead &= !can_fire;
        let [with, without] = chosen;
        for binding in with.into_iter().chain(without) {
            let mut target: Box<[u64]> = packed.into();
            if self.firings.fire(net, of, &binding, &self.tokens, &mut target).is_ok() {
                self.last = Some((of, binding.clone()));
                return Some((of, binding, target));
            }
        }
        None
    }
}

fn shuffle(list: &mut [usize], random: &mut SplitMix64) {
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k + 1));
    }
}
