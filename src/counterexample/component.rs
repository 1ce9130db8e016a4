//! Globally fair runs that are too long to be written down: the component that they stay in.
//!
//! A globally fair run takes every step that is possible again and again, again and again. As a lasso it takes
//! every step of every state that it visits, and there may be n! of these for each one up to renaming. What is
//! written down instead is a stem and a graph: *places*, each with a state and with steps that lead to other
//! places. A step from place v to place w goes from the state s(v) to h(s(w)), for a renaming h that it carries.
//! A *symmetry* of a place leaves its state as it is. All renamings leave the values of tracked variables alone.
//!
//! Walking this graph means to be at a place v with a renaming f, in the state f(s(v)): the step v –a,h→ w is the
//! step f(a) to the state f h(s(w)) and leads to (w, f h), and a symmetry k leads to (v, f k) without a step, in
//! the same state. All of that is a run, because renamings take steps to steps.
//!
//! **Which (v, f) there are.** Let the graph be strongly connected, and let every place be reached from the first
//! one by steps that carry no renaming. Then from the first place with no renaming exactly the (v, f) are reached
//! for which f is in H, the group that all renamings of steps and all symmetries generate. For let M be the set of
//! those f with which the first place is reached. Two ways back to it one behind the other are one, so M is closed under
//! products, hence a group. If (v, f) is reached and g is what some way from v back to the first place does, then f g
//! is in M; and so is g, by way of the steps without renaming; hence f is. Conversely every f in M is reached at every
//! place by those steps. So M has the renamings of all steps and all symmetries.
//!
//! Hence there are runs that take all of this again and again, and they are all alike: such a run
//!
//! * visits the states f(s(v)) for f in H, and is **globally fair** iff for every place v each step of s(v) is h(a), for
//!   some step a of some place w and some h in H with h(s(w)) = s(v). Mostly w is v. Where it is not, because the formula
//!   makes two places of one state, v says so ([`Place::again`]), and that h is in H is told by a calculation
//!   ([`Element`]) that needs no search to be checked;
//! * treats all of an orbit of H alike: what a justice or compassion requirement promises to somebody it
//!   keeps if it does so, at some place, to somebody of the same orbit;
//! * has the word of a path through the places that takes all of their steps again and again.

use super::renaming::Renaming;
use model::interpret::{Event, Process, State};

/// What a run does behind its stem: it stays among these places, and takes every step of each again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The places; the stem ends in the state of the first.
    pub places: Vec<Place>,
    /// Elements of the group that all renamings of steps and all symmetries generate, each made of those before.
    pub elements: Vec<Element>,
}

/// A state of a component, and what the run does there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The state.
    pub state: State,
    /// Steps that are taken there. What the symmetries make of them is taken as well.
    pub steps: Vec<Onward>,
    /// Renamings that leave the state as it is.
    pub symmetries: Vec<Renaming>,
    /// Other places that are this state again, up to elements of the group.
    pub again: Vec<Again>,
}

/// A step of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Onward {
    /// Who does what; nobody anything, if the state has no steps.
    pub action: Option<(Process, Event)>,
    /// The number of the place that it leads to.
    pub target: usize,
    /// What makes of that place's state the one that the step leads to.
    pub renaming: Renaming,
}

/// A place that is the state of another one again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Again {
    /// The number of the place.
    pub place: usize,
    /// The number of an element that takes its state to this one; none if it is the same.
    pub element: Option<usize>,
}

/// An element of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// The renaming of a step.
    Step {
        /// The place.
        place: usize,
        /// Which of its steps.
        step: usize,
    },
    /// A symmetry.
    Symmetry {
        /// The place.
        place: usize,
        /// Which of its symmetries.
        symmetry: usize,
    },
    /// The first of these elements after the second.
    Product(usize, usize),
    /// What takes back what this element does.
    Inverse(usize),
}

impl Component {
    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.places.iter().map(|place| place.steps.len()).sum()
    }
}
