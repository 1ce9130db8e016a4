//! What a user writes: a system in plain Rust, with what formulas and fairness read of it.

use crate::cells::Cells;
use crate::coding;
use crate::index::{self, Index, Indices};
use crate::shape::Shape;
use std::any::TypeId;
use std::fmt::Debug;
use std::hash::Hash;
use terms::{PropertyKind, RuleFairness};

/// A system of processes, written in Rust.
///
/// All methods must be functions of their arguments: asked twice, they answer the same. A panic is a
/// run-time error of the protocol, which is reported with the state and a run to it.
pub trait Protocol: Send + Sync + Sized + 'static {
    /// A state of the whole system. `#[derive(Cells)]` makes it compact and gives symmetry; any other
    /// type is checked in the loose way.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// What a step does. With `#[derive(Cells)]`, `Event::SendVote(a, 3)` is `@send_vote(a, 3)` in
    /// formulas.
    type Event: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The index types, with the numbers of their values.
    fn indices(&self) -> Indices {
        Indices::new()
    }

    /// The start states.
    fn starts(&self, all: &Indices) -> Vec<Self::State>;

    /// Appends the events that are enabled in a state, or may be: see [`Protocol::next`].
    fn events(&self, state: &Self::State, enabled: &mut Vec<Self::Event>);

    /// The state after an event; none if the event is not enabled after all.
    fn next(&self, state: &Self::State, event: &Self::Event) -> Option<Self::State>;

    /// The process that executes an event: the one that fairness to processes is fair to.
    fn owner(&self, event: &Self::Event) -> Owner {
        let _ = event;
        Owner::none()
    }

    /// The names of processes that are no values of an index type.
    fn processes(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Names events, for the loose way: see [`EventNames`]. With `#[derive(Cells)]` the variants of the
    /// type of events have names, and there is nothing to declare.
    fn event_names(&self, names: &mut EventNames<Self>) {
        let _ = names;
    }

    /// Declares the atoms of formulas.
    fn atoms(&self, atoms: &mut Atoms<Self>) {
        let _ = atoms;
    }

    /// Declares properties of states, and the boundary.
    fn properties(&self, properties: &mut Properties<Self>) {
        let _ = properties;
    }

    /// Declares the fairness of the protocol itself.
    fn fairness(&self, required: &mut Requirements<Self>) {
        let _ = required;
    }
}

/// The process that executes an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Owner(pub(crate) OwnerKind);

/// The kinds of owners.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum OwnerKind {
    None,
    Named(&'static str),
    Index { of: TypeId, position: u32 },
}

impl Owner {
    /// No process: a step of the environment, of which no fairness to processes is asked.
    pub fn none() -> Owner {
        Owner(OwnerKind::None)
    }

    /// The process of an index.
    pub fn of<I: Index>(index: I) -> Owner {
        Owner(OwnerKind::Index { of: TypeId::of::<I>(), position: index::position(index) })
    }

    /// A process with a name, which [`Protocol::processes`] lists.
    pub fn named(name: &'static str) -> Owner {
        Owner(OwnerKind::Named(name))
    }
}

/// Names of events in the loose way, for formulas and declared fairness.
///
/// ```text
/// names.event("send", |event| match event {
///     Event::Send { to, copies, .. } => Some((*to, *copies)),
///     _ => None,
/// });
/// ```
///
/// makes `@send(c, 2)` an atom of formulas, and `weakly_fair("send")` a requirement.
pub struct EventNames<P: Protocol> {
    pub(crate) list: Vec<NamedEvent<P>>,
}

/// Appends the cells of an event's arguments, and returns whether the event has the name.
type EventArguments<P> =
    Box<dyn Fn(&<P as Protocol>::Event, &Indices, &mut Vec<i64>) -> bool + Send + Sync>;

/// A name of events.
pub(crate) struct NamedEvent<P: Protocol> {
    pub(crate) name: String,
    pub(crate) shape: fn(&Indices) -> Shape,
    pub(crate) arguments: EventArguments<P>,
}

impl<P: Protocol> EventNames<P> {
    /// No names.
    pub(crate) fn new() -> Self {
        EventNames { list: Vec::new() }
    }

    /// The events for which `arguments` returns something have this name, and these arguments: the
    /// elements of a tuple or the fields of a struct; any other value is one argument. An event has the
    /// first name that fits. One for which the closure panics, or returns a number outside of its range,
    /// does not have the name.
    pub fn event<A: Cells, C>(&mut self, name: &str, arguments: C) -> &mut Self
    where
        C: Fn(&P::Event) -> Option<A> + Send + Sync + 'static,
    {
        let arguments: EventArguments<P> = Box::new(move |event, all, cells| {
            let Some(arguments) = arguments(event) else { return false };
            coding::write(&arguments, A::cells(all), all, cells);
            true
        });
        self.list.push(NamedEvent { name: name.to_owned(), shape: A::shape, arguments });
        self
    }
}

/// A condition on a state and the positions of some indices.
pub(crate) type StateCondition<P> =
    Box<dyn Fn(&<P as Protocol>::State, &[(u32, u32)]) -> bool + Send + Sync>;
/// A condition on a state.
pub(crate) type PropertyCondition<P> = Box<dyn Fn(&<P as Protocol>::State) -> bool + Send + Sync>;
/// A condition on an event and the positions of some indices.
pub(crate) type EventCondition<P> =
    Box<dyn Fn(&<P as Protocol>::Event, &[(u32, u32)]) -> bool + Send + Sync>;

/// An index of which the position and the number of values are known.
fn value<I: Index>((position, size): (u32, u32)) -> I {
    index::at(position, size)
}

/// The atoms of formulas: conditions with names.
///
/// An atom of a state is a condition on the state and on up to three indices; an atom of a step is a
/// condition on its event. `.state1("waiting", |state, c| state.at[c] == Phase::Waiting)` is
/// `waiting(c)` in formulas.
pub struct Atoms<P: Protocol> {
    pub(crate) declared: Vec<Atom>,
    /// By atom.
    pub(crate) conditions: Vec<Condition<P>>,
}

/// An atom: its name, and the types of its arguments.
pub(crate) struct Atom {
    pub(crate) name: String,
    pub(crate) arguments: Vec<TypeId>,
    /// Whether it is a condition on the events of steps, and not on states.
    pub(crate) is_of_steps: bool,
}

/// What an atom is about.
pub(crate) enum Condition<P: Protocol> {
    State(StateCondition<P>),
    Step(EventCondition<P>),
}

impl<P: Protocol> Atoms<P> {
    /// No atoms.
    pub(crate) fn new() -> Self {
        Atoms { declared: Vec::new(), conditions: Vec::new() }
    }

    fn with(&mut self, name: &str, arguments: Vec<TypeId>, condition: Condition<P>) -> &mut Self {
        let is_of_steps = matches!(condition, Condition::Step(_));
        self.declared.push(Atom { name: name.to_owned(), arguments, is_of_steps });
        self.conditions.push(condition);
        self
    }

    /// A condition on states.
    pub fn state<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        let condition = Condition::State(Box::new(move |state, _| is(state)));
        self.with(name, Vec::new(), condition)
    }

    /// A condition on states and an index.
    pub fn state1<A: Index, C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State, A) -> bool + Send + Sync + 'static,
    {
        let condition = Condition::State(Box::new(move |state, of| is(state, value(of[0]))));
        self.with(name, vec![TypeId::of::<A>()], condition)
    }

    /// A condition on states and two indices.
    pub fn state2<A: Index, B: Index, C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State, A, B) -> bool + Send + Sync + 'static,
    {
        let condition =
            Condition::State(Box::new(move |state, of| is(state, value(of[0]), value(of[1]))));
        self.with(name, vec![TypeId::of::<A>(), TypeId::of::<B>()], condition)
    }

    /// A condition on states and three indices.
    pub fn state3<A: Index, B: Index, D: Index, C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State, A, B, D) -> bool + Send + Sync + 'static,
    {
        let condition = Condition::State(Box::new(move |state, of| {
            is(state, value(of[0]), value(of[1]), value(of[2]))
        }));
        self.with(name, vec![TypeId::of::<A>(), TypeId::of::<B>(), TypeId::of::<D>()], condition)
    }

    /// A condition on the events of steps.
    pub fn step<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::Event) -> bool + Send + Sync + 'static,
    {
        let condition = Condition::Step(Box::new(move |event, _| is(event)));
        self.with(name, Vec::new(), condition)
    }

    /// A condition on the events of steps and an index.
    pub fn step1<A: Index, C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::Event, A) -> bool + Send + Sync + 'static,
    {
        let condition = Condition::Step(Box::new(move |event, of| is(event, value(of[0]))));
        self.with(name, vec![TypeId::of::<A>()], condition)
    }
}

/// Properties of states, and the boundary.
pub struct Properties<P: Protocol> {
    pub(crate) declared: Vec<Property>,
    /// By property.
    pub(crate) conditions: Vec<PropertyCondition<P>>,
}

/// A property of states.
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) kind: PropertyKind,
}

impl<P: Protocol> Properties<P> {
    /// No properties.
    pub(crate) fn new() -> Self {
        Properties { declared: Vec::new(), conditions: Vec::new() }
    }

    fn with<C>(&mut self, name: &str, kind: PropertyKind, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.declared.push(Property { name: name.to_owned(), kind });
        self.conditions.push(Box::new(is));
        self
    }

    /// An invariant: true in every state.
    pub fn always<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.with(name, PropertyKind::Invariant, is)
    }

    /// True in some reachable state.
    pub fn sometimes<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.with(name, PropertyKind::Cover, is)
    }

    /// From every reachable state, a state where it is true can be reached (AG EF).
    pub fn possible<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.with(name, PropertyKind::Liveness, is)
    }

    /// The boundary: states where this is false are left out, with the steps to them. Whatever holds,
    /// holds within the boundary only, and every result says so. A state all of whose steps lead
    /// outside is no deadlock, and no run of formulas ends in it.
    pub fn within<C>(&mut self, name: &str, is: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.with(name, PropertyKind::Assume, is)
    }
}

/// The fairness that a protocol declares: it counts for every formula, unless that is switched off.
pub struct Requirements<P: Protocol> {
    pub(crate) events: Vec<(String, RuleFairness)>,
    pub(crate) declared: Vec<Requirement>,
    /// By requirement.
    pub(crate) conditions: Vec<RequirementConditions<P>>,
}

/// A requirement: for all values of its variables, if the premise is true infinitely often, then so
/// is the goal.
pub(crate) struct Requirement {
    pub(crate) name: String,
    pub(crate) arguments: Vec<TypeId>,
    pub(crate) has_premise: bool,
}

/// The conditions of a requirement.
pub(crate) struct RequirementConditions<P: Protocol> {
    pub(crate) premise: Option<StateCondition<P>>,
    pub(crate) goal: StateCondition<P>,
}

impl<P: Protocol> Requirements<P> {
    /// No requirements.
    pub(crate) fn new() -> Self {
        Requirements { events: Vec::new(), declared: Vec::new(), conditions: Vec::new() }
    }

    fn with(
        &mut self,
        name: &str,
        arguments: Vec<TypeId>,
        premise: Option<StateCondition<P>>,
        goal: StateCondition<P>,
    ) -> &mut Self {
        let has_premise = premise.is_some();
        self.declared.push(Requirement { name: name.to_owned(), arguments, has_premise });
        self.conditions.push(RequirementConditions { premise, goal });
        self
    }

    /// An event of this name that is eventually always enabled occurs infinitely often, for all
    /// arguments.
    pub fn weakly_fair(&mut self, event: &str) -> &mut Self {
        self.events.push((event.to_owned(), RuleFairness::Weak));
        self
    }

    /// An event of this name that is enabled infinitely often occurs infinitely often, for all
    /// arguments.
    pub fn strongly_fair(&mut self, event: &str) -> &mut Self {
        self.events.push((event.to_owned(), RuleFairness::Strong));
        self
    }

    /// A condition is true infinitely often.
    pub fn justice<C>(&mut self, name: &str, goal: C) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        self.with(name, Vec::new(), None, Box::new(move |state, _| goal(state)))
    }

    /// For each index, a condition is true infinitely often.
    pub fn justice1<A: Index, C>(&mut self, name: &str, goal: C) -> &mut Self
    where
        C: Fn(&P::State, A) -> bool + Send + Sync + 'static,
    {
        let goal = Box::new(move |state: &P::State, of: &[_]| goal(state, value(of[0])));
        self.with(name, vec![TypeId::of::<A>()], None, goal)
    }

    /// If the premise is true infinitely often, then so is the goal.
    pub fn compassion<C, D>(&mut self, name: &str, premise: C, goal: D) -> &mut Self
    where
        C: Fn(&P::State) -> bool + Send + Sync + 'static,
        D: Fn(&P::State) -> bool + Send + Sync + 'static,
    {
        let premise: StateCondition<P> = Box::new(move |state, _| premise(state));
        self.with(name, Vec::new(), Some(premise), Box::new(move |state, _| goal(state)))
    }

    /// For each index, if the premise is true infinitely often, then so is the goal.
    pub fn compassion1<A: Index, C, D>(&mut self, name: &str, premise: C, goal: D) -> &mut Self
    where
        C: Fn(&P::State, A) -> bool + Send + Sync + 'static,
        D: Fn(&P::State, A) -> bool + Send + Sync + 'static,
    {
        let premise: StateCondition<P> = Box::new(move |state, of| premise(state, value(of[0])));
        let goal = Box::new(move |state: &P::State, of: &[_]| goal(state, value(of[0])));
        self.with(name, vec![TypeId::of::<A>()], Some(premise), goal)
    }
}
