//! Breadth-first search that knows how it came to each place.
//!
//! **Invariant**: places are visited in the order in which they were met, and each keeps the one from
//! which it was met first. So the way to a place is a shortest one.

use crate::interned::Interned;
use std::hash::Hash;

/// The places that a search has met, numbered in this order, each with the edge by which it was met.
pub(crate) struct BreadthFirst<P, E> {
    places: Interned<P>,
    /// By place: the place before it, and the edge from there; none for a start.
    by: Vec<Option<(u32, E)>>,
    next: u32,
}

impl<P: Clone + Eq + Hash, E> BreadthFirst<P, E> {
    /// A search from these places.
    pub(crate) fn new<'p>(starts: impl IntoIterator<Item = &'p P>) -> Self
    where
        P: 'p,
    {
        let mut search = BreadthFirst { places: Interned::default(), by: Vec::new(), next: 0 };
        starts.into_iter().for_each(|start| search.meet_by(start, None));
        search
    }

    /// Meets a place by an edge from another one.
    pub(crate) fn meet(&mut self, place: &P, from: u32, edge: E) {
        self.meet_by(place, Some((from, edge)));
    }

    fn meet_by(&mut self, place: &P, by: Option<(u32, E)>) {
        self.places.ask_to_grow();
        if self.places.intern(place) as usize == self.by.len() {
            self.by.push(by);
        }
    }

    /// The number of the next place to be visited.
    pub(crate) fn next(&mut self) -> Option<u32> {
        let next = self.next;
        ((next as usize) < self.by.len()).then(|| {
            self.next += 1;
            next
        })
    }

    /// The number of places that were visited.
    pub(crate) fn visited(&self) -> usize {
        self.next as usize
    }

    /// The number of places that were met.
    pub(crate) fn met(&self) -> usize {
        self.by.len()
    }

    /// The number of places that are still to be visited.
    pub(crate) fn open(&self) -> usize {
        self.by.len() - self.visited()
    }

    /// The place with a number.
    pub(crate) fn place(&self, number: u32) -> &P {
        self.places.get(number)
    }

    /// The edge by which a place was met; none for a start.
    pub(crate) fn by(&self, number: u32) -> Option<&E> {
        self.by[number as usize].as_ref().map(|(_, edge)| edge)
    }

    /// The numbers of the places on the way to a place, from a start to itself.
    pub(crate) fn way(&self, to: u32) -> Vec<u32> {
        let mut way = vec![to];
        let mut at = to;
        while let Some((before, _)) = &self.by[at as usize] {
            run::poll();
            at = *before;
            way.push(at);
        }
        way.reverse();
        way
    }

    /// The edges on the way to a place.
    pub(crate) fn edges(&self, to: u32) -> impl Iterator<Item = &E> {
        self.way(to).into_iter().filter_map(|number| self.by(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From k there are edges to 2k, 3k and k - 1, below 1000.
    #[test]
    fn ways_are_shortest_ones() {
        let mut search: BreadthFirst<u32, u8> = BreadthFirst::new(&[7, 7, 11]);
        while let Some(at) = search.next() {
            let from = *search.place(at);
            let targets = [2 * from, 3 * from, from.saturating_sub(1)];
            for (edge, target) in (0..).zip(targets).filter(|(_, target)| *target < 1000) {
                search.meet(&target, at, edge);
            }
        }
        assert_eq!((search.visited(), search.open()), (1000, 0));
        let mut depths = vec![usize::MAX; 1000];
        for number in 0..1000 {
            let way = search.way(number);
            let mut at = *search.place(way[0]);
            assert!([7, 11].contains(&at));
            for &edge in search.edges(number) {
                at = [2 * at, 3 * at, at.saturating_sub(1)][usize::from(edge)];
            }
            assert_eq!((at, way.len()), (*search.place(number), search.edges(number).count() + 1));
            depths[at as usize] = way.len();
        }
        // No edge is a shortcut.
        for from in 0..1000_usize {
            for target in [2 * from, 3 * from, from.saturating_sub(1)] {
                assert!(depths.get(target).is_none_or(|&depth| depth <= depths[from] + 1));
            }
        }
    }
}
