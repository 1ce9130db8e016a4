//! Where edges come from: walks over a quotient, and the letters of a formula. One for each thread.

use super::kinds::Kinds;
use crate::product::{Letter, Letters, Stop};
use crate::quotient::{Outline, PlainWalk, Quotient, Representative, Unbuilt, Walk};
use crate::symmetry::{Permutation, Point};

/// Computes the edges out of (r, l).
pub trait Source {
    /// The next representative of a start state. Each is returned once.
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>>;

    /// The tuples with which runs from a start representative begin.
    fn start_tuples(&mut self, start: Representative) -> Vec<Vec<Point>>;

    /// The packed state of a representative.
    fn state(&mut self, of: Representative) -> &[u64];

    /// Prepares the edges of the first of these representatives, which are to be asked for next and
    /// in this order. Returns how many these are, at least one.
    fn prepare(&mut self, all: &[Representative]) -> Result<usize, Unbuilt>;

    /// Reports the target and the kind of each edge out of (r, l), one per orbit of the group that
    /// fixes it; a state without steps has an edge to itself.
    fn edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
        kinds: &mut Kinds<'_>,
        each: &mut dyn FnMut(Representative, &[Point], u32),
    ) -> Result<Outline, Stop>;

    /// Generators of the group that fixes (r, l).
    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation>;
}

/// The edges of an annotated quotient.
pub struct Annotated<'s, W> {
    walk: W,
    letters: Box<dyn Letters + 's>,
    tracked: Vec<Point>,
    identity: Permutation,
}

impl<'s, W: Walk> Annotated<'s, W> {
    /// The edges that a walk over a quotient finds, for the given tracked points.
    pub fn new(
        quotient: &Quotient<'_>,
        walk: W,
        letters: Box<dyn Letters + 's>,
        tracked: Vec<Point>,
    ) -> Self {
        let identity = Permutation::identity(quotient.structure().indices().points());
        Annotated { walk, letters, tracked, identity }
    }
}

impl<W: Walk> Source for Annotated<'_, W> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.walk.next_start()
    }

    fn start_tuples(&mut self, start: Representative) -> Vec<Vec<Point>> {
        if self.tracked.is_empty() {
            return vec![Vec::new()];
        }
        let reached = self.walk.starts_with(start, &self.tracked);
        reached.into_iter().map(|reached| reached.tuple).collect()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.walk.state(of)
    }

    fn prepare(&mut self, all: &[Representative]) -> Result<usize, Unbuilt> {
        Ok(all.len())
    }

    fn edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
        kinds: &mut Kinds<'_>,
        each: &mut dyn FnMut(Representative, &[Point], u32),
    ) -> Result<Outline, Stop> {
        let Annotated { walk, letters, identity, .. } = self;
        let here = letters.of_state(walk.state(of), tuple)?;
        let outline = walk.outline(of)?;
        if outline.is_stuck {
            each(of, tuple, kinds.of(here, identity, None));
        }
        walk.each_tracked_edge(of, tuple, &mut |edge| {
            let letter = here | letters.of_step(edge.rule, &edge.arguments, tuple);
            let action = Some((edge.rule, &edge.arguments[..]));
            each(edge.target, &edge.tuple, kinds.of(letter, &edge.permutation, action));
        })?;
        Ok(outline)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.walk.symmetries(of, tuple)
    }
}

/// The edges of a quotient in which nothing is permuted.
pub struct Plain<'s, W> {
    walk: W,
    letters: Box<dyn Letters + 's>,
    tracked: Vec<Point>,
    identity: Permutation,
    /// By action: the letter of the steps that execute it, and the kinds of such edges by their
    /// letters.
    actions: Vec<Option<OfAction>>,
}

/// What is known of the steps that execute an action.
struct OfAction {
    letter: Letter,
    kinds: Vec<(Letter, u32)>,
}

impl<'s, W: PlainWalk> Plain<'s, W> {
    /// The edges that a walk over a quotient finds, for the given tracked points.
    pub fn new(
        quotient: &Quotient<'_>,
        walk: W,
        letters: Box<dyn Letters + 's>,
        tracked: Vec<Point>,
    ) -> Self {
        let identity = Permutation::identity(quotient.structure().indices().points());
        Plain { walk, letters, tracked, identity, actions: Vec::new() }
    }
}

impl<W: PlainWalk> Source for Plain<'_, W> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.walk.next_start()
    }

    /// Tracked points never change: they are no part of a number.
    fn start_tuples(&mut self, _: Representative) -> Vec<Vec<Point>> {
        vec![Vec::new()]
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.walk.state(of)
    }

    fn prepare(&mut self, all: &[Representative]) -> Result<usize, Unbuilt> {
        self.walk.prepare(all)
    }

    fn edges(
        &mut self,
        of: Representative,
        _: &[Point],
        kinds: &mut Kinds<'_>,
        each: &mut dyn FnMut(Representative, &[Point], u32),
    ) -> Result<Outline, Stop> {
        let Plain { walk, letters, tracked, identity, actions } = self;
        let here = letters.of_state(walk.state(of), tracked)?;
        let outline = walk.edges(of, &mut |edge| {
            let at = edge.action as usize;
            if actions.len() <= at {
                actions.resize_with(at + 1, || None);
            }
            let of_action = actions[at].get_or_insert_with(|| {
                let letter = letters.of_step(edge.rule, edge.arguments, tracked);
                OfAction { letter, kinds: Vec::new() }
            });
            let letter = here | of_action.letter;
            let known = of_action.kinds.iter().find(|(one, _)| *one == letter).copied();
            let (_, kind) = known.unwrap_or_else(|| {
                let kind = kinds.of(letter, identity, Some((edge.rule, edge.arguments)));
                of_action.kinds.push((letter, kind));
                (letter, kind)
            });
            each(edge.target, &[], kind);
        })?;
        if outline.is_stuck {
            each(of, &[], kinds.of(here, identity, None));
        }
        Ok(outline)
    }

    fn symmetries(&mut self, _: Representative, _: &[Point]) -> Vec<Permutation> {
        Vec::new()
    }
}
