//! Estimates compared with the actual number of omissions.

use super::*;
use std::fmt::Debug;

/// Inserts different nodes, and checks that the estimate is close to the number of those that
/// seemed to be known.
fn check(mut visited: impl Visited + Debug, nodes: u64, most: f64, memory: Option<usize>) {
    let mut omitted = 0_u64;
    for node in 0..nodes {
        // The searches do not mix: that a node is blue says nothing about whether it is red.
        omitted += u64::from(!visited.insert(&(node, "a node"), Pass::Blue));
        omitted += u64::from(!visited.insert(&(node, "a node"), Pass::Red));
    }
    let Omission { entered, expected, chance } = visited.omission();
    assert_eq!(entered + omitted, 2 * nodes);
    assert!(expected > 0.0 && chance > 0.0 && chance < 1.0, "{nodes} {expected} {chance}");
    assert!(expected <= most, "{nodes} {expected}");
    let deviation = (omitted as f64 - expected).abs();
    assert!(deviation <= 5.0 * expected.sqrt() + 1.0, "{nodes}: {omitted}, not {expected}");
    for node in 0..nodes {
        assert!(!visited.insert(&(node, "a node"), Pass::Blue), "nothing is forgotten");
    }
    assert_eq!(visited.omission().entered, entered);
    if let Some(memory) = memory {
        assert_eq!(visited.memory(), memory);
    }
}

#[test]
fn estimates_are_like_what_is_omitted() {
    for (bytes, nodes, most) in [
        (1 << 10, 100, 1.0),
        (1 << 10, 400, 40.0),
        (1 << 10, 1000, 500.0),
        (1 << 10, 3000, 6000.0),
        (1 << 16, 1000, 0.1),
        (1 << 16, 40_000, 4000.0),
        (1 << 20, 100_000, 500.0),
    ] {
        check(Bitstate::new(bytes).expect("memory"), nodes, most, Some(bytes as usize));
    }
    check(Compaction::new(), 100_000, 1e-8, None);
}

#[test]
fn compaction_is_a_birthday() {
    let mut visited = Compaction::new();
    for node in 0..1000 {
        visited.insert(&node, Pass::Blue);
    }
    let Omission { expected, .. } = visited.omission();
    let bound = 1000.0 * 999.0 / 2_f64.powi(HASH_BITS + 1);
    assert!((expected / bound - 1.0).abs() < 1e-9, "{expected}, not {bound}");
}

#[test]
fn hopeless_arrays() {
    // Eight bytes are full soon, and then every node seems to be known.
    let mut visited = Bitstate::new(0).expect("memory");
    let entered = (0..10_000).filter(|node| visited.insert(node, Pass::Blue)).count();
    assert!(entered <= 64, "{entered}");
    let omission = visited.omission();
    assert_eq!(omission.entered, entered as u64);
    assert!((omission.chance - 1.0).abs() < 1e-9, "{omission:?}");
    assert!(omission.expected.is_finite() && omission.probability() > 0.99, "{omission:?}");
    assert!(Bitstate::new(u64::MAX).is_none() && Bitstate::new(1 << 60).is_none());
}
