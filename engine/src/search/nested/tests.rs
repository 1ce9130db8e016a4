//! All graphs of three nodes against plain reachability, and random ones against the search for
//! components; with exact and with hashed colours.

use super::super::accepting_component;
use super::super::hashed::{Bitstate, Compaction, Hashed, Visited};
use super::super::tests::{Drawn, Sets};
use super::*;
use run::Progress;
use run::SplitMix64;

/// The source, the target, and whether the edge is marked.
type Edge = (u32, u32, u8);

/// Checks that the search decides correctly and reports real lassos.
fn check(edges: &[Edge], starts: &[u32], expected: bool) {
    let drawn = || Drawn { edges: edges.to_vec(), starts: starts.to_vec() };
    let context = format!("{edges:?} from {starts:?}");
    let is_marked = |mark: u8| mark == 1;
    let searched = accepting_cycle(&mut drawn(), &is_marked, &Ticker::new(&|_| None));
    let (exact, statistics) = searched.expect("nothing stops it");
    assert_eq!(exact.is_some(), expected, "{context}");
    assert!(statistics.product_nodes <= reached(edges, starts).len() as u64, "{context}");
    assert!(
        statistics.product_edges <= 2 * edges.len() as u64,
        "{context}: none is looked at three times"
    );

    let mut colours = Painted::default();
    let lasso = run(&mut drawn(), &mut colours);
    assert_eq!(lasso.as_ref().map(|lasso| &lasso.cycle), exact.as_ref(), "{context}");
    check_lasso(edges, starts, lasso.as_ref(), &context);

    for (bytes, is_ample) in [(8, false), (16, false), (1 << 12, true)] {
        check_hashed(Bitstate::new(bytes).expect("memory"), is_ample, edges, starts, expected);
    }
    check_hashed(Compaction::new(), true, edges, starts, expected);
}

fn check_hashed(
    visited: impl Visited,
    is_ample: bool,
    edges: &[Edge],
    starts: &[u32],
    expected: bool,
) {
    let context = format!("{} bytes, {edges:?} from {starts:?}", visited.memory());
    let mut colours = Hashed::new(visited);
    let mut graph = Drawn { edges: edges.to_vec(), starts: starts.to_vec() };
    let lasso = run(&mut graph, &mut colours);
    check_lasso(edges, starts, lasso.as_ref(), &context);
    // With this much memory nothing is omitted, in these graphs and with these hashes.
    assert!(!is_ample || lasso.is_some() == expected, "{context}");
    assert!(expected || lasso.is_none(), "{context}");
}

fn run(graph: &mut Drawn, colours: &mut impl Colours<Node>) -> Option<NodeLasso<Node>> {
    let is_marked = |mark: u8| mark == 1;
    let mut graph = Numbered { graph, is_marked: &is_marked, found: Vec::new() };
    let searched = nested_search(&mut graph, colours, &Ticker::new(&|_| None));
    searched.expect("nothing stops it").0
}

/// Checks that a lasso begins in a start, takes edges, and takes a marked edge infinitely often.
fn check_lasso(edges: &[Edge], starts: &[u32], lasso: Option<&NodeLasso<Node>>, context: &str) {
    let Some(NodeLasso { stem, cycle }) = lasso else { return };
    let context = format!("{stem:?} {cycle:?} of {context}");
    let nodes: Vec<u32> =
        stem.iter().chain(cycle).chain(cycle.first()).map(|node| node.0).collect();
    assert!(starts.contains(&nodes[0]), "{context}");
    let takes = |pair: &[u32], mark: u8| {
        edges.iter().any(|&(from, to, marked)| from == pair[0] && to == pair[1] && marked >= mark)
    };
    assert!(nodes.windows(2).all(|pair| takes(pair, 0)), "{context}");
    assert!(nodes[stem.len()..].windows(2).any(|pair| takes(pair, 1)), "{context}");
    let mut once: Vec<u32> = nodes[..nodes.len() - 1].to_vec();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len() + 1, nodes.len(), "no node twice: {context}");
}

/// The nodes that are reachable from the given ones, which are included.
fn reached(edges: &[Edge], from: &[u32]) -> Vec<u32> {
    let mut found = from.to_vec();
    found.sort_unstable();
    found.dedup();
    let mut next = 0;
    while next < found.len() {
        let node = found[next];
        for &(_, to, _) in edges.iter().filter(|edge| edge.0 == node) {
            if !found.contains(&to) {
                found.push(to);
            }
        }
        next += 1;
    }
    found
}

/// By definition: the target of some reachable marked edge leads back to its source.
fn has_marked_cycle(edges: &[Edge], starts: &[u32]) -> bool {
    let all = reached(edges, starts);
    edges.iter().any(|&(from, to, marked)| {
        marked == 1 && all.contains(&from) && reached(edges, &[to]).contains(&from)
    })
}

#[test]
fn all_graphs_of_three_nodes() {
    // Each of nine edges is absent, or has no mark, or has one.
    for code in 0..3_u32.pow(9) {
        let edge = |k: u32| match code / 3_u32.pow(k) % 3 {
            0 => None,
            marked => Some((k / 3, k % 3, marked as u8 - 1)),
        };
        let edges: Vec<Edge> = (0..9).filter_map(edge).collect();
        for starts in [&[0][..], &[1, 2]] {
            check(&edges, starts, has_marked_cycle(&edges, starts));
        }
    }
}

#[test]
fn random_graphs_like_components() {
    let mut random = SplitMix64::new(7);
    let mut found = [0, 0];
    for _ in 0..20_000 {
        let nodes = 8 + random.below(5) as u32;
        let mut edges: Vec<Edge> = Vec::new();
        for _ in 0..nodes + random.below(nodes as usize) as u32 {
            let from = random.below(nodes as usize) as u32;
            let to = random.below(nodes as usize) as u32;
            edges.push((from, to, u8::from(random.below(6) == 0)));
        }
        let starts: Vec<u32> =
            (0..=random.below(2)).map(|_| random.below(nodes as usize) as u32).collect();
        let mut graph = Drawn { edges: edges.clone(), starts: starts.clone() };
        let searched = accepting_component(&mut graph, &mut Sets(1), &Ticker::new(&|_| None));
        let (component, _) = searched.expect("nothing stops it");
        check(&edges, &starts, component.is_some());
        found[usize::from(component.is_some())] += 1;
    }
    assert!(found.iter().all(|&count| count > 4000), "{found:?} without and with a cycle");
}

#[test]
fn watching_stops() {
    /// An infinite line.
    struct Line;
    impl Graph for Line {
        type Edge = ();
        type Stop = StopReason;
        fn next_start(&mut self) -> Result<Option<Node>, StopReason> {
            Ok(Some(Node(0)))
        }
        fn successors(
            &mut self,
            node: Node,
            found: &mut Vec<(Node, ())>,
        ) -> Result<(), StopReason> {
            found.push((Node(node.0 + 1), ()));
            Ok(())
        }
    }
    let ask = |now: &Progress| (now.product_nodes > 5000).then_some(StopReason::Interrupted);
    let watch = Ticker::new(&ask);
    let stop = accepting_cycle(&mut Line, &|()| false, &watch).expect_err("it goes on for ever");
    assert_eq!(stop, StopReason::Interrupted);
    let nodes = watch.last().product_nodes;
    assert!((5000..5000 + 2 * 1024).contains(&nodes), "{nodes}");
}

/// A search with few positions reports that they are used up, with its path.
#[test]
fn positions_that_are_used_up_stop_a_search() {
    // The blue path has four nodes; then come others that are not on it.
    let edges = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (0, 4, 0), (4, 5, 0)];
    let search = |most_positions| {
        let mut graph = Drawn { edges: edges.to_vec(), starts: vec![0] };
        let is_marked = |mark: u8| mark == 1;
        let mut graph = Numbered { graph: &mut graph, is_marked: &is_marked, found: Vec::new() };
        let watch = Ticker::new(&|_| None);
        search_numbered(&mut graph, &mut Painted::default(), most_positions, &watch)
    };
    assert!(matches!(search(4), Ok((None, Progress { product_nodes: 6, .. }))));
    let path = vec![Node(0), Node(1), Node(2)];
    assert_eq!(search(3).err(), Some(Broken { stop: StopReason::States(3), path }));
    assert_eq!(CYAN.checked_add(MOST_POSITIONS as u32 - 1), Some(u32::MAX - 1));
}
