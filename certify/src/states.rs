//! The listed states of a certificate: what they are images of is guessed, and written down.

use crate::State;
use crate::draft::{Arc, By};
use hashbrown::HashMap;
use judge::{Reference, Renaming};
use run::StopReason;
use std::hash::Hash;
use verify::Refusal;
use verify::space::{Arcs, Space};

/// Guesses representatives.
pub trait Guess<R: Reference> {
    /// A renaming.
    type By: Eq + Hash;

    /// The representative of a state, and the renaming that takes it there; none if it is the state itself.
    fn guess(&mut self, state: &State<R>) -> Option<(State<R>, Self::By)>;

    /// A renaming in full.
    fn renaming(&self, by: &Self::By) -> Renaming;

    /// The removed states, by number, if there are assumptions: as they are computed, unless it is known
    /// better.
    fn removed(&mut self, computed: Vec<u32>) -> Vec<u32> {
        computed
    }
}

/// Writes down what is guessed.
pub(crate) struct Recording<'g, R: Reference, G: Guess<R>> {
    guess: &'g mut G,
    /// The most listed states.
    most: usize,
    /// The number that each representative was given.
    states: HashMap<State<R>, u32>,
    renamings: HashMap<G::By, u32>,
    /// What has been said.
    pub(crate) arcs: Vec<Arc>,
    /// The numbers of removed states, if they were asked for.
    pub(crate) removed: Option<Vec<u32>>,
}

impl<'g, R: Reference, G: Guess<R>> Recording<'g, R, G> {
    pub(crate) fn new(guess: &'g mut G, most: usize) -> Self {
        Recording {
            guess,
            most,
            states: HashMap::new(),
            renamings: HashMap::new(),
            arcs: Vec::new(),
            removed: None,
        }
    }
}

/// A renaming of a space, which is new if it is not among those of the space.
pub(crate) fn listed<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    renaming: Renaming,
) -> Result<(By, u32), Refusal> {
    if let Some(known) = space.renamings.iter().position(|one| *one == renaming) {
        return Ok((By::Known(known as u32), known as u32));
    }
    let number = space.add_renaming(renaming.clone())?;
    Ok((By::New(Box::new(renaming)), number))
}

impl<R: Reference, G: Guess<R>> Arcs<R> for Recording<'_, R, G> {
    fn image(&mut self, state: &State<R>, space: &mut Space<'_, R>) -> Result<(u32, u32), Refusal> {
        if space.states.len() > self.most {
            return Err(StopReason::States(self.most).into());
        }
        let guessed = self.guess.guess(state);
        let representative = guessed.as_ref().map_or(state, |(other, _)| other);
        let source = self.states.get(representative).copied().unwrap_or_else(|| {
            let next = space.states.len() as u32;
            self.states.insert(representative.clone(), next);
            next
        });
        let known = guessed.as_ref().map(|(_, by)| self.renamings.get(by).copied());
        let (by, number) = match (guessed, known) {
            (None, _) => (By::Known(0), 0),
            (Some(_), Some(Some(known))) => (By::Known(known), known),
            (Some((_, by)), _) => {
                let renaming = self.guess.renaming(&by);
                let number = space.add_renaming(renaming.clone())?;
                self.renamings.insert(by, number);
                (By::New(Box::new(renaming)), number)
            }
        };
        self.arcs.push(Arc { source, by });
        Ok((source, number))
    }

    /// A state is removed when all of its steps are cut or lead to removed states.
    fn removed(&mut self, space: &Space<'_, R>) -> Result<Vec<u32>, Refusal> {
        let all = 0..space.states.len() as u32;
        let mut sources = vec![Vec::new(); space.states.len()];
        let mut left: Vec<usize> = Vec::new();
        for state in all.clone() {
            left.push(space.all_steps(state).len());
            for step in space.all_steps(state) {
                sources[step.target as usize].push(state);
            }
        }
        let is_dead = |&state: &u32| left[state as usize] == 0 && !space.is_stuck(state);
        let mut open: Vec<u32> = all.filter(is_dead).collect();
        let mut removed = vec![0; space.states.len()];
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
