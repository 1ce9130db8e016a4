//! What the judge must know of a system: how it runs, what is said about it, and how it is renamed.
//!
//! A front end implements two traits. [`Vocabulary`] names its types: plain, unpacked states, the
//! processes and events of its steps, the values of tracked variables, its formulas and its run-time
//! errors. [`Reference`] executes the system. Its methods are definitions that the judge relies on:
//! an implementation should be as simple as possible, and share no code with the engine whose results
//! are judged.
//!
//! Everything must be a function of its arguments: asked twice, a method answers the same.
//!
//! # States
//! The judge evaluates conditions only in states that [`Reference::starts`] or [`Reference::steps`]
//! have made, or that a renaming makes of such states. So no method needs to expect a state that is
//! not one of the system.

use crate::renaming::Renaming;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use terms::{Group, PropertyId, PropertyKind, RuleFairness};

/// The types in which a front end describes runs.
///
/// The implementing type is a name and has no values that matter; a front end whose reference has
/// no lifetime may use that type itself.
pub trait Vocabulary: Copy + Eq + Hash + Debug + Send + Sync {
    /// A state of the system.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// A process: the owner of steps. Weak and strong fairness may be fairness to processes.
    type Process: Clone + Eq + Hash + Debug + Send + Sync;
    /// An event with its arguments. Arguments for fairness are listed in the order of events.
    type Event: Clone + Ord + Hash + Debug + Send + Sync;
    /// A tracked variable of a formula.
    type Variable: Copy + Eq + Debug + Send + Sync;
    /// A value of a tracked variable.
    type Value: Copy + Eq + Hash + Debug + Send + Sync;
    /// A temporal formula, with whatever its atoms need to be evaluated.
    type Formula: Debug + Send + Sync;
    /// A run-time error. It is displayed as a message without its position in the system's text.
    type Fault: Clone + Eq + Debug + Display + Send + Sync;
    /// A description that some faults match.
    type FaultPattern: Copy + Debug + Send + Sync;
}

/// The owner of a step, and its event.
pub type Action<V> = (<V as Vocabulary>::Process, <V as Vocabulary>::Event);

/// The value of one tracked variable. A binding is a list of these.
pub type Bound<V> = (<V as Vocabulary>::Variable, <V as Vocabulary>::Value);

/// What a state can do.
///
/// A state in which a guard fails has no steps, whatever `attempts` says. An attempt that fails is
/// no step. Actions that turn out to lead nowhere (the model language abandons a step by `assume`)
/// are not listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steps<V: Vocabulary> {
    /// The faults of guards, in the order of the system's text.
    pub guard_faults: Vec<V::Fault>,
    /// The enabled actions, in the order of the system's text. The same action may occur more than
    /// once, with different targets.
    pub attempts: Vec<Attempt<V>>,
}

/// An enabled action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt<V: Vocabulary> {
    /// The action.
    pub action: Action<V>,
    /// The state that it leads to, or the fault of its body.
    pub target: Result<V::State, V::Fault>,
}

/// Steps to these targets, with their actions if these were wanted.
pub type SoundSteps<V> = Vec<(Option<Action<V>>, <V as Vocabulary>::State)>;

/// The value of a property of states for one choice of the parameters around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyInstance<V: Vocabulary> {
    /// The number of the choice. Several instances may belong to one choice: see
    /// [`Claim`](crate::Claim).
    pub choice: Option<usize>,
    /// Whether the property's condition is true.
    pub holds: Result<bool, V::Fault>,
}

/// Tracked variables of a formula that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedGroup<V: Vocabulary> {
    /// The variables, in the order of their declaration.
    pub variables: Vec<V::Variable>,
    /// Whether no two of them may have the same value.
    pub is_distinct: bool,
}

/// A declared requirement of fairness: for all values of its variables, if the premise is true
/// infinitely often, then so is the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement<V: Vocabulary> {
    /// Its variables, in the order of their declaration.
    pub variables: Vec<RequirementVariables<V>>,
    /// Whether it has a premise (compassion). Without one it is justice: the goal is true infinitely
    /// often.
    pub has_premise: bool,
}

/// Variables of a requirement that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequirementVariables<V: Vocabulary> {
    /// The number of variables.
    pub count: usize,
    /// The values of each.
    pub values: Vec<V::Value>,
    /// Whether no two of them may have the same value.
    pub is_distinct: bool,
}

/// An index type: the values that a [`Renaming`] renames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexType {
    /// Its name.
    pub name: String,
    /// The number of its values.
    pub size: u32,
    /// The permutations of its values that are symmetries of the system.
    pub group: Group,
}

/// A system that can be executed step by step, as a front end defines it.
pub trait Reference {
    /// The types of its states, steps and formulas.
    type Vocabulary: Vocabulary;

    // Runs.

    /// The start states, or the faults that occur when they are made. Some may be equal.
    fn starts(&self) -> Starts<'_, Self::Vocabulary>;

    /// All steps of a state, cut ones included.
    fn steps(&self, state: &State<Self>) -> Steps<Self::Vocabulary>;

    /// The steps of a state that belong to one action, and perhaps others. All faults of guards are
    /// among them, also those of other actions.
    fn steps_of(
        &self,
        state: &State<Self>,
        action: &Action<Self::Vocabulary>,
    ) -> Steps<Self::Vocabulary> {
        let _ = action;
        self.steps(state)
    }

    /// All steps of a state if nothing fails, or else the fault of a guard or an attempt. Actions may be
    /// missing if they are not wanted. Rules that do the same make one step, in the place of the first, as
    /// in the engine: certificates number steps.
    fn sound_steps(
        &self,
        state: &State<Self>,
        wants_actions: bool,
    ) -> Result<SoundSteps<Self::Vocabulary>, Fault<Self>> {
        let _ = wants_actions;
        let Steps { guard_faults, attempts } = self.steps(state);
        let step = |Attempt { action, target }| Ok((Some(action), target?));
        if let Some(fault) = guard_faults.into_iter().next() {
            return Err(fault);
        }
        let all: SoundSteps<Self::Vocabulary> =
            attempts.into_iter().map(step).collect::<Result<_, _>>()?;
        let is_first = |k: usize| !all[..k].contains(&all[k]);
        if (1..all.len()).all(is_first) {
            return Ok(all);
        }
        let firsts: Vec<bool> = (0..all.len()).map(is_first).collect();
        let kept = all.into_iter().zip(firsts).filter(|(_, is_first)| *is_first);
        Ok(kept.map(|(step, _)| step).collect())
    }

    // Properties of states.

    /// The properties of states, in the order of the system's text. Those of kind
    /// [`Assume`](PropertyKind::Assume) are the global assumptions.
    fn properties(&self) -> Vec<(PropertyId, PropertyKind)>;

    /// Whether a property is true of a state: for all values of the parameters around it, or, if it is
    /// a cover or a liveness property, for some.
    fn holds(&self, state: &State<Self>, property: PropertyId) -> Result<bool, Fault<Self>>;

    /// The number of choices of values for the parameters around a property.
    fn choices(&self, property: PropertyId) -> u64 {
        let _ = property;
        1
    }

    /// What a property says of a state, for each choice of values for the parameters around it.
    fn instances(
        &self,
        state: &State<Self>,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance<Self::Vocabulary>>, Fault<Self>> {
        Ok(vec![PropertyInstance { choice: Some(0), holds: self.holds(state, property) }])
    }

    /// The pattern of faults that are the same as this one: of the same kind, at the same position of
    /// the system's text.
    fn pattern(&self, fault: &Fault<Self>) -> <Self::Vocabulary as Vocabulary>::FaultPattern;

    /// Whether a fault matches a pattern.
    fn matches(
        &self,
        fault: &Fault<Self>,
        pattern: <Self::Vocabulary as Vocabulary>::FaultPattern,
    ) -> bool;

    // Formulas.

    /// A formula as a formula of linear temporal logic.
    fn syntax<'f>(&self, formula: &'f Formula<Self>) -> (&'f ltl::Formulas, ltl::Formula);

    /// The number of a formula's atoms. They are numbered from 0.
    fn atoms(&self, formula: &Formula<Self>) -> u32;

    /// Whether an atom is true in a state before a step with this action, for these values of the
    /// tracked variables. Without an action the state stutters: no process acts and no event occurs.
    fn atom(
        &self,
        formula: &Formula<Self>,
        atom: ltl::Atom,
        binding: &[Bound<Self::Vocabulary>],
        state: &State<Self>,
        action: Option<&Action<Self::Vocabulary>>,
    ) -> Result<bool, Fault<Self>>;

    /// Whether the value of an atom may depend on the action. If not, it depends on the state and the
    /// values of tracked variables alone.
    fn reads_events(&self, formula: &Formula<Self>, atom: ltl::Atom) -> bool {
        let _ = (formula, atom);
        true
    }

    /// An atom, as it is written in the formula.
    fn atom_text(&self, formula: &Formula<Self>, atom: ltl::Atom) -> String;

    /// The tracked variables of a formula.
    fn tracked(&self, formula: &Formula<Self>) -> Vec<TrackedGroup<Self::Vocabulary>>;

    /// Whether a tracked variable of a formula may have this value: whether it is one of its type.
    fn has_value(&self, formula: &Formula<Self>, bound: Bound<Self::Vocabulary>) -> bool;

    /// All values that a tracked variable of a formula may have.
    fn values(
        &self,
        formula: &Formula<Self>,
        variable: <Self::Vocabulary as Vocabulary>::Variable,
    ) -> Vec<Value<Self>>;

    /// The name of a tracked variable of a formula; for any other variable, a name for messages.
    fn variable_name(
        &self,
        formula: &Formula<Self>,
        variable: <Self::Vocabulary as Vocabulary>::Variable,
    ) -> String;

    // Fairness.

    /// All processes, each once. Fairness to processes is fairness to these.
    fn processes(&self) -> Vec<Process<Self>>;

    /// The fairness that is declared for an event.
    fn fairness_of(&self, event: &Event<Self>) -> Option<RuleFairness>;

    /// Whether fairness is declared for some event.
    fn has_fair_events(&self) -> bool;

    /// The declared requirements of fairness, in the order of the system's text.
    fn requirements(&self) -> Vec<Requirement<Self::Vocabulary>>;

    /// Whether the premise of a requirement, given by its position in
    /// [`requirements`](Reference::requirements), is true in a state for these values of its variables.
    /// Only requirements with a premise are asked for it.
    fn premise(
        &self,
        requirement: usize,
        values: &[Value<Self>],
        state: &State<Self>,
    ) -> Result<bool, Fault<Self>>;

    /// Whether the goal of a requirement is true in a state for these values of its variables.
    fn goal(
        &self,
        requirement: usize,
        values: &[Value<Self>],
        state: &State<Self>,
    ) -> Result<bool, Fault<Self>>;

    // Symmetry.

    /// The index types.
    fn index_types(&self) -> Vec<IndexType>;

    /// The image of a state.
    fn renamed_state(&self, by: &Renaming, state: &State<Self>) -> State<Self>;

    /// The image of a process.
    fn renamed_process(&self, by: &Renaming, process: &Process<Self>) -> Process<Self>;

    /// The image of an event.
    fn renamed_event(&self, by: &Renaming, event: &Event<Self>) -> Event<Self>;

    /// The image of a value of a tracked variable.
    fn renamed_value(&self, by: &Renaming, value: Value<Self>) -> Value<Self>;

    /// The image of a choice of values for the parameters around a property, if it is known.
    fn renamed_choice(&self, by: &Renaming, property: PropertyId, choice: usize) -> Option<usize> {
        let _ = by;
        (self.choices(property) == 1).then_some(choice)
    }

    /// Something of a state that no symmetry changes: the more states it tells apart, the better.
    fn signature(&self, state: &State<Self>) -> Vec<i64> {
        let _ = state;
        Vec::new()
    }

    /// Something of an event that no symmetry changes, such as the number of its name.
    fn kind_of_event(&self, event: &Event<Self>) -> u32 {
        let _ = event;
        0
    }

    // Names for messages.

    /// A process as people read it: `client_0`.
    fn show_process(&self, process: &Process<Self>) -> String;

    /// An event as people read it: `grant(client_0)`.
    fn show_event(&self, event: &Event<Self>) -> String;

    /// A requirement for these values of its variables, as people read it: `"served"(client_0)`.
    fn show_tuple(&self, requirement: usize, values: &[Value<Self>]) -> String;

    /// The image of an action.
    fn renamed_action(
        &self,
        by: &Renaming,
        (process, event): &Action<Self::Vocabulary>,
    ) -> Action<Self::Vocabulary> {
        (self.renamed_process(by, process), self.renamed_event(by, event))
    }

    /// The renaming that changes nothing.
    fn identity(&self) -> Renaming {
        Renaming::identity(self.index_types().iter().map(|of| of.size))
    }
}

/// Start states, made one by one.
pub type Starts<'r, V> =
    Box<dyn Iterator<Item = Result<<V as Vocabulary>::State, <V as Vocabulary>::Fault>> + 'r>;

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
type Process<R> = <<R as Reference>::Vocabulary as Vocabulary>::Process;
type Event<R> = <<R as Reference>::Vocabulary as Vocabulary>::Event;
type Value<R> = <<R as Reference>::Vocabulary as Vocabulary>::Value;
type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;
type Fault<R> = <<R as Reference>::Vocabulary as Vocabulary>::Fault;
