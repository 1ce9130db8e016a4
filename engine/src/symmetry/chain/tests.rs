//! Chains against plain closure, and groups with known orders.

use super::*;
use crate::narrow::to_u32;
use std::collections::BTreeSet;

/// References to compare with.
impl StabiliserChain {
    /// All elements, in the lexical order of their images; the identity is the first.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Permutation> + use<> {
        let all: Vec<Point> = (0..to_u32(self.points)).collect();
        let chain = self.rebased(&all);
        let mut waiting = vec![(0, Permutation::identity(self.points))];
        std::iter::from_fn(move || {
            loop {
                let (depth, product) = waiting.pop()?;
                let Some(level) = chain.levels.get(depth) else { return Some(product) };
                let mut orbit = level.orbit().to_vec();
                orbit.sort_unstable_by_key(|&point| std::cmp::Reverse(product.image(point)));
                waiting.extend(orbit.into_iter().map(|point| {
                    (depth + 1, product.after(&level.element_to(point, &chain.elements)))
                }));
            }
        })
    }

    /// The same group, with a base that begins with these points. This is cheaper than a chain from
    /// generators: elements can be chosen uniformly at random, and the order is known.
    fn rebased(&self, base: &[Point]) -> StabiliserChain {
        let mut chain = StabiliserChain {
            points: self.points,
            generators: Vec::new(),
            elements: Elements::default(),
            levels: base.iter().map(|&base| Level::new(self.points, base)).collect(),
        };
        for generator in &self.generators {
            chain.give(generator.clone());
        }
        let mut random = SplitMix64::new(SEED);
        chain.guess(&self.order(), |_| self.random(&mut random));
        chain.close();
        chain
    }

    /// An element, chosen uniformly at random.
    fn random(&self, random: &mut SplitMix64) -> Permutation {
        let mut product = Permutation::identity(self.points);
        for level in self.levels.iter().rev() {
            let point = level.orbit()[random.below(level.orbit().len())];
            follow(&mut product, &level.element_to(point, &self.elements));
        }
        product
    }
}

#[test]
fn all_groups_of_two_generators_of_small_degree() {
    let mut random = SplitMix64::new(2);
    for points in 0..=4 {
        let all = symmetric(points);
        for (k, a) in all.iter().enumerate() {
            for b in &all[k..] {
                check(points, &[a.clone(), b.clone()], &mut random);
            }
        }
    }
}

#[test]
fn random_groups() {
    let mut random = SplitMix64::new(3);
    for round in 0..400 {
        let points = if round % 50 == 0 { 7 } else { 3 + round % 4 };
        let count = random.below(4);
        // Generators that move few points generate small groups.
        let most = 1 + random.below(2 * points);
        let generators: Vec<_> = (0..count)
            .map(|_| {
                let mut product = Permutation::identity(points);
                for _ in 0..=random.below(most) {
                    let mut point = || random.below(points) as Point;
                    let (a, b, c) = (point(), point(), point());
                    product = product.after(&Permutation::transposition(points, a, b));
                    product = product.after(&Permutation::transposition(points, b, c));
                }
                product
            })
            .collect();
        check(points, &generators, &mut random);
    }
}

#[test]
fn known_orders() {
    let factorial = |n: usize| (1..=n).map(BigUint::from).product::<BigUint>();
    for n in 3..=12usize {
        let whole: Vec<Point> = (0..n as Point).collect();
        let rotation = of_cycles(n, &[&whole]);
        let reflection = reversal(n);
        let swap = Permutation::transposition(n, 0, 1);
        let threes: Vec<_> = (2..n as Point).map(|k| of_cycles(n, &[&[0, 1, k]])).collect();
        check_order(n, std::slice::from_ref(&rotation), n);
        check_order(n, &[rotation.clone(), reflection], 2 * n);
        check_order(n, &[rotation, swap], factorial(n));
        check_order(n, &threes, factorial(n) / 2u32);
    }

    let eleven = of_cycles(12, &[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
    let fours = of_cycles(12, &[&[2, 6, 10, 7], &[3, 9, 4, 5]]);
    let twos = of_cycles(12, &[&[0, 11], &[1, 10], &[2, 5], &[3, 7], &[4, 8], &[6, 9]]);
    check_order(12, &[eleven.clone(), fours.clone()], 7920u32);
    check_order(12, &[eleven, fours, twos], 95040u32);

    let whole: Vec<Point> = (0..23).collect();
    let mathieu = [
        of_cycles(24, &[&whole]),
        of_cycles(
            24,
            &[&[2, 16, 9, 6, 8], &[3, 12, 13, 18, 4], &[7, 17, 10, 11, 22], &[14, 19, 21, 20, 15]],
        ),
        of_cycles(
            24,
            &[
                &[0, 23],
                &[1, 22],
                &[2, 11],
                &[3, 15],
                &[4, 17],
                &[5, 9],
                &[6, 19],
                &[7, 13],
                &[8, 20],
                &[10, 16],
                &[12, 21],
                &[14, 18],
            ],
        ),
    ];
    check_order(24, &mathieu, 244_823_040u32);
}

#[test]
fn rubik_s_cube() {
    // The facets are numbered from 1 on; there is one generator per side.
    let sides: [[[Point; 4]; 5]; 6] = [
        [[1, 3, 8, 6], [2, 5, 7, 4], [9, 33, 25, 17], [10, 34, 26, 18], [11, 35, 27, 19]],
        [[9, 11, 16, 14], [10, 13, 15, 12], [1, 17, 41, 40], [4, 20, 44, 37], [6, 22, 46, 35]],
        [[17, 19, 24, 22], [18, 21, 23, 20], [6, 25, 43, 16], [7, 28, 42, 13], [8, 30, 41, 11]],
        [[25, 27, 32, 30], [26, 29, 31, 28], [3, 38, 43, 19], [5, 36, 45, 21], [8, 33, 48, 24]],
        [[33, 35, 40, 38], [34, 37, 39, 36], [3, 9, 46, 32], [2, 12, 47, 29], [1, 14, 48, 27]],
        [[41, 43, 48, 46], [42, 45, 47, 44], [14, 22, 30, 38], [15, 23, 31, 39], [16, 24, 32, 40]],
    ];
    let generators = sides.map(|cycles| {
        let cycles = cycles.map(|cycle| cycle.map(|facet| facet - 1));
        of_cycles(48, &cycles.each_ref().map(|cycle| &cycle[..]))
    });
    check_order(48, &generators, 43_252_003_274_489_856_000u128);
    // Five sides generate the turns of the sixth.
    check_order(48, &generators[1..], 43_252_003_274_489_856_000u128);
}

#[test]
fn large_degrees() {
    let factorial = |n: usize| (1..=n).map(BigUint::from).product::<BigUint>();
    let whole: Vec<Point> = (0..64).collect();
    let (rotation, swap) = (of_cycles(64, &[&whole]), Permutation::transposition(64, 0, 1));
    check_order(64, &[rotation, swap], factorial(64));
    let whole: Vec<Point> = (0..50).collect();
    let (rotation, swap) = (of_cycles(50, &[&whole]), Permutation::transposition(50, 0, 1));
    check_order(50, &[rotation, swap], factorial(50));
    // Transpositions of neighbours.
    let swaps: Vec<_> = (1..100).map(|k| Permutation::transposition(100, k - 1, k)).collect();
    check_order(100, &swaps, factorial(100));
    // Pairs that are swapped together: no shortcut by orbits.
    let pairs: Vec<_> =
        (0..20).map(|k| of_cycles(100, &[&[k, k + 20], &[k + 40, k + 60]])).collect();
    check_order(100, &pairs, BigUint::from(2u32).pow(20));
    // The symmetric group of 20 on pairs of points that it moves in the same way.
    let alike: Vec<_> = (1..20).map(|k| of_cycles(40, &[&[k - 1, k], &[k + 19, k + 20]])).collect();
    check_order(40, &alike, factorial(20));

    let whole: Vec<Point> = (0..1000).collect();
    let rotation = of_cycles(1000, &[&whole]);
    check_order(1000, std::slice::from_ref(&rotation), 1000u32);
    check_order(1000, &[rotation, reversal(1000)], 2000u32);
    let sparse = [
        of_cycles(1000, &[&[1, 500, 999]]),
        of_cycles(1000, &[&[500, 2, 7]]),
        of_cycles(1000, &[&[300, 301], &[302, 303]]),
        of_cycles(1000, &[&[301, 302]]),
    ];
    check_order(1000, &sparse, 60u32 * 8);
}

#[test]
fn extending_says_what_is_new() {
    let mut chain = StabiliserChain::trivial(5);
    //  generator                           new    order
    let table: [(&[&[Point]], bool, u32); 6] = [
        (&[], false, 1),
        (&[&[0, 1, 2]], true, 3),
        (&[&[0, 2, 1]], false, 3),
        (&[&[0, 1]], true, 6),
        (&[&[3, 4], &[0, 1]], true, 12),
        (&[&[3, 4]], false, 12),
    ];
    for (cycles, new, order) in table {
        assert_eq!(chain.extend(of_cycles(5, cycles)), new, "{cycles:?}");
        assert_eq!(chain.order(), order.into(), "{cycles:?}");
        assert_eq!(chain.is_trivial(), order == 1);
    }
    assert_eq!(chain.generators().len(), 3);
}

/// Compares all queries of a chain with the closure of its generators.
fn check(points: usize, generators: &[Permutation], random: &mut SplitMix64) {
    let closure = closure(points, generators);
    let base: Vec<Point> = (0..random.below(4)).map(|_| random.below(points) as Point).collect();
    let base = if points == 0 { Vec::new() } else { base };
    let mut by_one = StabiliserChain::with_base(points, &base, []);
    let new: Vec<bool> = generators.iter().map(|g| by_one.extend(g.clone())).collect();
    let mut before = BTreeSet::from([Permutation::identity(points)]);
    for (k, new) in new.into_iter().enumerate() {
        assert_eq!(new, !before.contains(&generators[k]), "{generators:?}");
        before = self::closure(points, &generators[..=k]);
    }
    let chain = StabiliserChain::new(points, generators.to_vec());
    let based = StabiliserChain::with_base(points, &base, generators.to_vec());
    let slow = without_guesses(points, &base, generators);
    let rebased = chain.rebased(&base);
    for chain in [&chain, &based, &by_one, &slow, &rebased] {
        assert_eq!(chain.order(), closure.len().into(), "{generators:?}");
        for permutation in symmetric(points) {
            assert_eq!(
                chain.contains(&permutation),
                closure.contains(&permutation),
                "{permutation} in {generators:?}"
            );
        }
        assert_eq!(self::closure(points, chain.generators()), closure);
    }
    for chain in [&based, &by_one, &slow, &rebased] {
        assert_eq!(chain.base().take(base.len()).collect::<Vec<_>>(), base);
    }
    assert!(chain.elements().eq(closure.iter().cloned()), "{generators:?}");

    let orbits = chain.orbits();
    for point in 0..points as Point {
        let orbit: BTreeSet<_> = closure.iter().map(|g| g.image(point)).collect();
        assert_eq!(Some(&orbits.find(point)), orbit.first());
    }
}

fn check_order(points: usize, generators: &[Permutation], order: impl Into<BigUint>) {
    let order = order.into();
    let chain = StabiliserChain::new(points, generators.to_vec());
    assert_eq!(chain.order(), order, "{generators:?}");
    if points <= 24 {
        assert_eq!(without_guesses(points, &[], generators).order(), order, "{generators:?}");
    }
    let mut random = Replacement::new(generators);
    for _ in 0..10 {
        assert!(chain.contains(&random.next()));
    }
    let rebased = chain.rebased(&[points as Point - 1, points as Point / 2]);
    assert_eq!(rebased.order(), order);
    for permutation in [reversal(points), Permutation::transposition(points, 0, 1)] {
        assert_eq!(chain.contains(&permutation), rebased.contains(&permutation));
    }
}

/// A chain by (C1) to (C5) alone.
fn without_guesses(points: usize, base: &[Point], generators: &[Permutation]) -> StabiliserChain {
    let mut chain = StabiliserChain::with_base(points, base, []);
    for generator in generators {
        chain.give(generator.clone());
    }
    chain.close();
    chain
}

fn reversal(points: usize) -> Permutation {
    let images: Vec<_> = (0..points as Point).rev().collect();
    Permutation::of_images(images).expect("all occur")
}

fn of_cycles(points: usize, cycles: &[&[Point]]) -> Permutation {
    let mut images: Vec<_> = (0..points as Point).collect();
    for cycle in cycles {
        for (k, &point) in cycle.iter().enumerate() {
            images[point as usize] = cycle[(k + 1) % cycle.len()];
        }
    }
    Permutation::of_images(images).expect("the cycles are disjoint")
}

fn closure(points: usize, generators: &[Permutation]) -> BTreeSet<Permutation> {
    let mut found = BTreeSet::from([Permutation::identity(points)]);
    let mut waiting = vec![Permutation::identity(points)];
    while let Some(element) = waiting.pop() {
        for generator in generators {
            let product = generator.after(&element);
            if found.insert(product.clone()) {
                waiting.push(product);
            }
        }
    }
    found
}

/// All permutations of this number of points.
fn symmetric(points: usize) -> Vec<Permutation> {
    let swaps: Vec<_> =
        (1..points as Point).map(|k| Permutation::transposition(points, k - 1, k)).collect();
    closure(points, &swaps).into_iter().collect()
}
