//! Rings: the least turn of a ring, and the turns that leave it unchanged.
//!
//! A *turn* of a ring of n places says where it begins and in which direction it goes: place j of
//! the turned ring is place `start + j` or `start - j` of the ring. The caller compares places.

use std::cmp::Ordering;

/// A rotation, or a rotation of the reflected ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) start: usize,
    pub(super) backwards: bool,
}

impl Turn {
    /// The place of the ring that is at place `j` after the turn.
    #[inline]
    pub(super) fn place(self, j: usize, n: usize) -> usize {
        let place = if self.backwards { self.start + n - j } else { self.start + j };
        if place >= n { place - n } else { place }
    }
}

/// The turn that makes a ring least in lexical order, without reflections unless they are allowed.
pub(super) fn least_turn(
    n: usize,
    reflect: bool,
    compare: impl Fn(usize, usize) -> Ordering,
) -> Turn {
    let forwards = least_rotation(n, false, &compare);
    if !reflect {
        return forwards;
    }
    let backwards = least_rotation(n, true, &compare);
    match compare_turns(n, backwards, forwards, &compare) {
        Ordering::Less => backwards,
        _ => forwards,
    }
}

/// The least rotation of a ring that is read in one direction, in time linear in n.
///
/// Two candidates are compared place by place. The one that is greater after k equal places is
/// discarded together with the k starts that follow it: each of these loses against the
/// corresponding start after the other candidate ([`SHI81`](crate::papers::SHI81)).
fn least_rotation(n: usize, backwards: bool, compare: &impl Fn(usize, usize) -> Ordering) -> Turn {
    let ring = Turn { start: 0, backwards };
    let place = |at: usize| ring.place(at % n, n);
    let (mut a, mut b, mut equal) = (0, 1, 0);
    while a < n && b < n && equal < n {
        match compare(place(a + equal), place(b + equal)) {
            Ordering::Equal => {
                equal += 1;
                continue;
            }
            Ordering::Greater => a += equal + 1,
            Ordering::Less => b += equal + 1,
        }
        equal = 0;
        if a == b {
            b += 1;
        }
    }
    Turn { start: place(a.min(b)), backwards }
}

fn compare_turns(
    n: usize,
    a: Turn,
    b: Turn,
    compare: &impl Fn(usize, usize) -> Ordering,
) -> Ordering {
    let places = (0..n).map(|j| compare(a.place(j, n), b.place(j, n)));
    places.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Generators of the turns that leave a ring unchanged: the least rotation, and a reflection if
/// reflections are allowed. The identity is not among them.
pub(super) fn fixing_turns(
    n: usize,
    reflect: bool,
    compare: impl Fn(usize, usize) -> Ordering,
) -> Vec<Turn> {
    let identity = Turn { start: 0, backwards: false };
    let is_fixing = |turn: &Turn| compare_turns(n, *turn, identity, &compare).is_eq();
    let mut periods = (1..n).filter(|period| n.is_multiple_of(*period));
    let rotation =
        periods.find_map(|start| Some(Turn { start, backwards: false }).filter(is_fixing));
    let mut found: Vec<Turn> = rotation.into_iter().collect();
    if reflect {
        let forwards = least_rotation(n, false, &compare);
        let backwards = least_rotation(n, true, &compare);
        if compare_turns(n, forwards, backwards, &compare).is_eq() {
            // Place f + j equals place b - j, so place i equals place f + b - i.
            let start = (forwards.start + backwards.start) % n;
            found.push(Turn { start, backwards: true });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All rings of up to eight places and two colours, and up to five places and three.
    #[test]
    fn least_and_fixing_turns_by_brute_force() {
        for (most, colours) in [(8, 2_u32), (5, 3)] {
            for n in 1..=most {
                for code in 0..colours.pow(n as u32) {
                    let ring: Vec<u32> =
                        (0..n as u32).map(|k| code / colours.pow(k) % colours).collect();
                    check(&ring, false);
                    check(&ring, true);
                }
            }
        }
    }

    fn check(ring: &[u32], reflect: bool) {
        let n = ring.len();
        let compare = |a: usize, b: usize| ring[a].cmp(&ring[b]);
        let turned = |turn: Turn| (0..n).map(|j| ring[turn.place(j, n)]).collect::<Vec<_>>();
        let directions: &[bool] = if reflect { &[false, true] } else { &[false] };
        let all = || {
            let starts = 0..n;
            starts.flat_map(|start| {
                directions.iter().map(move |&backwards| Turn { start, backwards })
            })
        };
        let least = all().map(turned).min().expect("a ring has a turn");
        assert_eq!(turned(least_turn(n, reflect, compare)), least, "{ring:?}");
        let fixing = all().filter(|&turn| turned(turn) == ring).count();
        // The group that the turns generate: products until none is new.
        let as_places = |turn: Turn| (0..n).map(|j| turn.place(j, n)).collect::<Vec<_>>();
        let generators = fixing_turns(n, reflect, compare);
        assert!(generators.iter().all(|&turn| turned(turn) == ring), "{ring:?} {generators:?}");
        let generators: Vec<_> = generators.into_iter().map(as_places).collect();
        let mut group = vec![(0..n).collect::<Vec<_>>()];
        let mut next = 0;
        while next < group.len() {
            for generator in &generators {
                let product: Vec<_> = group[next].iter().map(|&j| generator[j]).collect();
                if !group.contains(&product) {
                    group.push(product);
                }
            }
            next += 1;
        }
        // In a small ring a reflection may also be a rotation.
        let mut different: Vec<_> =
            all().filter(|&turn| turned(turn) == ring).map(as_places).collect();
        different.sort();
        different.dedup();
        assert_eq!(group.len(), different.len(), "{ring:?} {fixing}");
    }
}
