//! Simulation of a net: the token game, step by step.

use super::view::LoadedNet;
use crate::cli::budget::Budget;
use crate::cli::error::Error;
use crate::cli::simulate::system::{StartOf, Started, System, Taken, Trouble};
use judge::{Action, Attempt, Reference as _};
use nets::game::NetVocabulary;
use nets::{Fault, Marking};

/// A net to step through.
pub(in crate::cli) struct NetSystem<'n> {
    loaded: LoadedNet<'n>,
}

impl<'n> NetSystem<'n> {
    pub(in crate::cli) fn new(loaded: LoadedNet<'n>) -> Self {
        NetSystem { loaded }
    }
}

impl<'n> System for NetSystem<'n> {
    type Loaded = LoadedNet<'n>;
    type Instance = Attempt<NetVocabulary>;

    fn loaded(&self) -> &LoadedNet<'n> {
        &self.loaded
    }

    fn starts<'s>(
        &'s self,
        _: &'s Budget,
    ) -> Box<dyn Iterator<Item = Result<StartOf<Self>, Error>> + 's> {
        let started =
            |state| Started { name: "initial marking".to_owned(), state, printed: Vec::new() };
        Box::new(self.view().starts().map(move |start| Ok(start.map(started))))
    }

    fn instances(&self, marking: &Marking) -> Result<Vec<Attempt<NetVocabulary>>, Fault> {
        Ok(self.view().steps(marking).attempts)
    }

    fn action(&self, attempt: &Attempt<NetVocabulary>) -> Action<NetVocabulary> {
        attempt.action.clone()
    }

    fn take(
        &self,
        _: &Marking,
        attempt: &Attempt<NetVocabulary>,
    ) -> Result<Option<Taken<Marking>>, Fault> {
        let target = attempt.target.clone()?;
        Ok(Some(Taken { target, printed: Vec::new() }))
    }

    fn trouble(&self, _: &Marking) -> Option<Trouble<NetVocabulary>> {
        None
    }

    fn during(&self, _: &Fault) -> Option<String> {
        None
    }

    fn is_claim(&self, _: &Fault) -> bool {
        false
    }
}
