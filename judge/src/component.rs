//! Globally fair runs that are too long to be written down: the component that they stay in.
//!
//! A globally fair run takes every step that is possible infinitely often, infinitely often. As a
//! lasso it takes every step of every state that it visits, and there may be n! of these for each one
//! up to renaming. It is given by a stem and a graph instead: *places*, each with a state and with
//! steps that lead to other places. A step from place v to place w leads from the state s(v) to
//! h(s(w)), for a renaming h that it carries. A *symmetry* of a place is a renaming that leaves its
//! state unchanged. No renaming changes the values of tracked variables.
//!
//! A walk through this graph is at a place v with a renaming f, in the state f(s(v)): the step v –a,h→ w
//! is the step f(a) to the state f h(s(w)) and leads to (w, f h), and a symmetry k leads to (v, f k)
//! without a step, in the same state. All of that is a run, because renamings take steps to steps.
//!
//! **The pairs (v, f) that are reached.** Let the graph be strongly connected, and let every place be
//! reached from the first one by steps that carry no renaming. Then from the first place with no
//! renaming exactly those (v, f) are reached for which f is in H, the group that all renamings of steps
//! and all symmetries generate. Proof: let M be the set of those f with which the first place is
//! reached. Two ways back to it, one after the other, are one way, so M is closed under products, hence
//! a group. If (v, f) is reached and g is the renaming of some way from v back to the first place, then
//! f g is in M; and so is g, by way of the steps without renaming; hence f is. Conversely, every f in M
//! is reached at every place by those steps. So M has the renamings of all steps and all symmetries.
//!
//! Hence there are runs that take all of this infinitely often, and the following is true of each of
//! them:
//!
//! * It visits the states f(s(v)) for f in H, and is **globally fair** iff for every place v each step
//!   of s(v) is h(a), for some step a of some place w and some h in H with h(s(w)) = s(v). Mostly w is
//!   v. Where it is not, because the formula makes two places of one state, v says so
//!   ([`Place::again`]), and a calculation ([`Element`]) shows that h is in H: no search is needed to
//!   check it.
//! * It treats all elements of an orbit of H in the same way: it keeps a justice or compassion
//!   requirement for one tuple if it does so, at some place, for some tuple of the same orbit.
//! * It has the word of a path through the places that takes all of their steps infinitely often.

mod judged;

pub use judged::{LetterGraph, judge_component};

use crate::reference::{Action, Vocabulary};
use crate::renaming::Renaming;

/// The places among which a run stays after its stem. It takes every step of each infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component<V: Vocabulary> {
    /// The places; the stem ends in the state of the first.
    pub places: Vec<Place<V>>,
    /// Elements of the group that all renamings of steps and all symmetries generate, each made of
    /// those before it.
    pub elements: Vec<Element>,
}

/// A state of a component, and the steps that the run takes there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<V: Vocabulary> {
    /// The state.
    pub state: V::State,
    /// Steps that are taken there. Their images under the symmetries are taken as well.
    pub steps: Vec<Onward<V>>,
    /// Renamings that leave the state unchanged.
    pub symmetries: Vec<Renaming>,
    /// Other places that have this state again, up to elements of the group.
    pub again: Vec<Again>,
}

/// A step of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Onward<V: Vocabulary> {
    /// The owner of the step and its event; none if the state has no steps.
    pub action: Option<Action<V>>,
    /// The number of the place that it leads to.
    pub target: usize,
    /// The renaming that takes that place's state to the one that the step leads to.
    pub renaming: Renaming,
}

/// A place that has the state of another one again.
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
        /// The number of the place.
        place: usize,
        /// The number of the step at that place.
        step: usize,
    },
    /// A symmetry of a place.
    Symmetry {
        /// The number of the place.
        place: usize,
        /// The number of the symmetry at that place.
        symmetry: usize,
    },
    /// The first of these elements after the second.
    Product(usize, usize),
    /// The inverse of this element.
    Inverse(usize),
}

impl<V: Vocabulary> Component<V> {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.places.iter().map(|place| place.steps.len()).sum()
    }
}
