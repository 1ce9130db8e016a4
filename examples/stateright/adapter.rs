//! An adapter: any Stateright model is a protocol of Isonomy.
//!
//! Copy this file into your project. `check_loose(Adapted::new(model))` then checks the model with
//! temporal formulas and fairness:
//!
//! | Stateright | here |
//! |---|---|
//! | `init_states`, `actions`, `next_state` | `starts`, `events`, `next` |
//! | `Property::always` | `Properties::always` |
//! | `Property::sometimes` | `Properties::sometimes` |
//! | `Property::eventually` of the name n | the formula `F "n"`, see [`Adapted::formulas`] |
//! | `within_boundary` | `Properties::within`, after [`Adapted::within_boundary`] |
//!
//! The condition of every property is an atom of its name, too, for formulas such as
//! `G ("requested" -> F "answered")`.
#![allow(unreachable_pub, reason = "a module of programs")]

use isonomy::protocol::{
    Atoms, Check, CheckError, Indices, Owner, Properties, Protocol, check_loose, index,
};
use stateright::{Expectation, Model};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

index! {
    /// A process of an adapted model, by its number.
    pub Process: ordered
}

/// A Stateright model as a protocol.
pub struct Adapted<M: Model> {
    model: Arc<M>,
    is_bounded: bool,
    /// The processes, if steps have owners.
    processes: Indices,
    owner: fn(&M::Action) -> Option<usize>,
}

#[allow(dead_code, reason = "each program that uses this file needs a part of it")]
impl<M> Adapted<M>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    M::Action: Clone + fmt::Debug + Send + Sync + 'static,
{
    /// The model, without its boundary and without processes.
    pub fn new(model: M) -> Self {
        let processes = Indices::new();
        Adapted { model: Arc::new(model), is_bounded: false, processes, owner: |_| None }
    }

    /// The same within the boundary of the model. Every model has the method `within_boundary`, but
    /// nothing says whether it ever returns false. It is asked for here, because what holds within a
    /// boundary may be violated beyond it, and every result says so.
    pub fn within_boundary(mut self) -> Self {
        self.is_bounded = true;
        self
    }

    /// The same with so many processes, and a function that says which process executes an action,
    /// for fairness to processes and for `@by(...)` in formulas.
    pub fn processes(mut self, count: usize, owner: fn(&M::Action) -> Option<usize>) -> Self {
        self.processes = Indices::new().with::<Process>(count);
        self.owner = owner;
        self
    }

    /// The formula `F "name"` for each `Property::eventually` of the model.
    pub fn formulas(&self) -> Vec<String> {
        let all = self.model.properties().into_iter();
        let eventually = all.filter(|one| matches!(one.expectation, Expectation::Eventually));
        eventually.map(|one| format!("F \"{}\"", one.name)).collect()
    }

    /// A check of all properties of the model.
    pub fn check(self) -> Result<Check<Self>, CheckError> {
        let formulas = self.formulas();
        formulas.iter().try_fold(check_loose(self), |check, formula| check.formula(formula))
    }
}

/// An action of a model.
///
/// Fairness to events has to know whether an action that was enabled is enabled again, in another
/// state; but Stateright does not ask actions to be `Eq` and `Hash`. So actions are equal if their
/// debug texts are: derive `Debug`, and show all fields. If different actions had the same
/// text, counterexamples could not be repeated on the model, and the check would say so. (The
/// position in the list of `actions` would not do: it is another action in another state.)
#[derive(Clone)]
pub struct Action<A> {
    /// The action itself.
    pub of: A,
    text: String,
}

impl<A> PartialEq for Action<A> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<A> Eq for Action<A> {}

impl<A> Hash for Action<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl<A> fmt::Debug for Action<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl<M> Protocol for Adapted<M>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    M::Action: Clone + fmt::Debug + Send + Sync + 'static,
{
    type State = M::State;
    type Event = Action<M::Action>;

    fn indices(&self) -> Indices {
        self.processes.clone()
    }

    fn starts(&self, _: &Indices) -> Vec<M::State> {
        self.model.init_states()
    }

    fn events(&self, state: &M::State, enabled: &mut Vec<Action<M::Action>>) {
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        enabled.extend(actions.into_iter().map(|of| Action { text: format!("{of:?}"), of }));
    }

    fn next(&self, state: &M::State, action: &Action<M::Action>) -> Option<M::State> {
        self.model.next_state(state, action.of.clone())
    }

    fn owner(&self, action: &Action<M::Action>) -> Owner {
        match (self.owner)(&action.of) {
            Some(process) => Owner::of(self.processes.nth::<Process>(process)),
            None => Owner::none(),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        for property in self.model.properties() {
            let model = Arc::clone(&self.model);
            atoms.state(property.name, move |state| (property.condition)(&model, state));
        }
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        for property in self.model.properties() {
            let model = Arc::clone(&self.model);
            let is = move |state: &M::State| (property.condition)(&model, state);
            match property.expectation {
                Expectation::Always => properties.always(property.name, is),
                Expectation::Sometimes => properties.sometimes(property.name, is),
                // A formula, not a property of states.
                Expectation::Eventually => properties,
            };
        }
        if self.is_bounded {
            let model = Arc::clone(&self.model);
            properties.within("boundary", move |state| model.within_boundary(state));
        }
    }
}
