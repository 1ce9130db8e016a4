//! The listed states of a certificate: what they are images of is guessed, and written down.

use crate::State;
use hashbrown::HashMap;
use judge::{Reference, Renaming};
use verify::Refusal;
use verify::space::{Arc, Arcs, By, Space};

/// Guesses representatives.
pub trait Guess<R: Reference> {
    /// The representative of a start state, and the renaming that takes it there.
    fn start(&mut self, start: &State<R>) -> (State<R>, Renaming);

    /// The representative of the target of a step of a listed state, and the renaming that takes it
    /// there.
    fn step(&mut self, from: &State<R>, target: &State<R>) -> (State<R>, Renaming);

    /// The removed states, by number, if there are assumptions: as they are computed, unless it is known
    /// better.
    fn removed(&mut self, computed: Vec<u32>) -> Vec<u32> {
        computed
    }
}

/// Writes down what is guessed.
pub(crate) struct Recording<'g, R: Reference, G> {
    guess: &'g mut G,
    states: HashMap<State<R>, u32>,
    renamings: HashMap<Renaming, u32>,
    /// What has been said.
    pub(crate) arcs: Vec<Arc>,
    /// The numbers of removed states, if they were asked for.
    pub(crate) removed: Option<Vec<u32>>,
}

impl<'g, R: Reference, G: Guess<R>> Recording<'g, R, G> {
    pub(crate) fn new(guess: &'g mut G) -> Self {
        Recording {
            guess,
            states: HashMap::new(),
            renamings: HashMap::new(),
            arcs: Vec::new(),
            removed: None,
        }
    }

    fn arc(&mut self, (state, renaming): (State<R>, Renaming), known: usize) -> Arc {
        let source = *self.states.entry(state).or_insert(known as u32);
        // The first renaming is the identity.
        let next = self.renamings.len() as u32 + 1;
        let by = if renaming.is_identity() {
            By::Known(0)
        } else {
            match *self.renamings.entry(renaming.clone()).or_insert(next) {
                known if known < next => By::Known(known),
                _ => By::New(renaming),
            }
        };
        self.arcs.push(Arc { source, by: by.clone() });
        Arc { source, by }
    }
}

/// A renaming of a space, which is new if it is not among those of the space.
pub(crate) fn listed<R: Reference>(space: &mut Space<'_, R>, renaming: Renaming) -> (By, u32) {
    if let Some(known) = space.renamings.iter().position(|one| *one == renaming) {
        return (By::Known(known as u32), known as u32);
    }
    space.renamings.push(renaming.clone());
    (By::New(renaming), space.renamings.len() as u32 - 1)
}

impl<R: Reference, G: Guess<R>> Arcs<State<R>> for Recording<'_, R, G> {
    fn start(&mut self, start: &State<R>, known: usize) -> Result<Arc, Refusal> {
        let guessed = self.guess.start(start);
        Ok(self.arc(guessed, known))
    }

    fn step(&mut self, from: &State<R>, target: &State<R>, known: usize) -> Result<Arc, Refusal> {
        let guessed = self.guess.step(from, target);
        Ok(self.arc(guessed, known))
    }

    /// A state is removed when all of its steps are cut or lead to removed states.
    fn removed<S: Reference>(&mut self, space: &Space<'_, S>) -> Result<Vec<u32>, Refusal> {
        let all = 0..space.len() as u32;
        let mut sources = vec![Vec::new(); space.len()];
        let mut left: Vec<usize> = Vec::new();
        for state in all.clone() {
            left.push(space.all_steps(state).len());
            for step in space.all_steps(state) {
                sources[step.target as usize].push(state);
            }
        }
        let is_dead = |&state: &u32| left[state as usize] == 0 && !space.is_stuck(state);
        let mut open: Vec<u32> = all.filter(is_dead).collect();
        let mut removed = vec![0; space.len()];
        let mut number = 0;
        while let Some(state) = open.pop() {
            run::poll();
            number += 1;
            removed[state as usize] = number;
            for &source in &sources[state as usize] {
                left[source as usize] -= 1;
                if left[source as usize] == 0 {
                    open.push(source);
                }
            }
        }
        let removed = self.guess.removed(removed);
        self.removed = Some(removed.clone());
        Ok(removed)
    }
}
