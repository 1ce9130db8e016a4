//! All graphs of three nodes with two sets of marked edges, and random ones, against plain
//! reachability.

use super::*;

/// A given graph. The marks of edges are bits.
pub(super) struct Drawn {
    pub(super) edges: Vec<(u32, u32, u8)>,
    pub(super) starts: Vec<u32>,
}

impl Graph for Drawn {
    type Edge = u8;
    type Stop = StopReason;

    fn next_start(&mut self) -> Result<Option<Node>, StopReason> {
        Ok(self.starts.pop().map(Node))
    }

    fn successors(&mut self, node: Node, found: &mut Vec<(Node, u8)>) -> Result<(), StopReason> {
        let own = self.edges.iter().filter(|&&(from, ..)| from == node.0);
        found.extend(own.map(|&(_, to, marks)| (Node(to), marks)));
        Ok(())
    }
}

/// Acceptance by as many acceptance sets as this has bits.
pub(super) struct Sets(pub(super) u8);

impl Acceptance<Drawn> for Sets {
    type Summary = u8;

    fn visit(
        &mut self,
        _: &mut Drawn,
        _: Active<'_>,
        _: Node,
        _: Option<(Node, u8)>,
    ) -> Result<u8, StopReason> {
        Ok(0)
    }

    fn edge(
        &mut self,
        _: &mut Drawn,
        _: Active<'_>,
        met: &mut u8,
        _: Node,
        edge: u8,
        _: Node,
    ) -> Result<(), StopReason> {
        *met |= edge;
        Ok(())
    }

    fn join(
        &mut self,
        _: &mut Drawn,
        _: Active<'_>,
        met: Set<'_, u8>,
        (_, by): (Node, u8),
        other: Set<'_, u8>,
    ) -> Result<(), StopReason> {
        *met.summary |= by | *other.summary;
        Ok(())
    }

    fn is_accepting(
        &mut self,
        _: &mut Drawn,
        _: Active<'_>,
        met: Set<'_, u8>,
    ) -> Result<bool, StopReason> {
        Ok(*met.summary == self.0)
    }
}

fn found(edges: &[(u32, u32, u8)], starts: &[u32]) -> Option<Vec<Node>> {
    let mut graph = Drawn { edges: edges.to_vec(), starts: starts.to_vec() };
    let watch = Ticker::new(&|_| None);
    let searched = accepting_component(&mut graph, &mut Sets(3), &watch);
    searched.expect("nothing stops it").0
}

/// Whether a run from a start takes edges of both sets infinitely often, decided by transitive
/// closure.
fn expected(nodes: u32, edges: &[(u32, u32, u8)], starts: &[u32]) -> bool {
    let n = nodes as usize;
    let mut reach = vec![vec![false; n]; n];
    for &(from, to, _) in edges {
        reach[from as usize][to as usize] = true;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    let reaches = |from: u32, to: u32| reach[from as usize][to as usize];
    (0..nodes).any(|node| {
        let is_reached = starts.iter().any(|&start| start == node || reaches(start, node));
        let inside = edges.iter().filter(|&&(from, to, _)| {
            (from == node || reaches(node, from)) && (to == node || reaches(to, node))
        });
        is_reached && reaches(node, node) && inside.fold(0, |seen, edge| seen | edge.2) == 3
    })
}

#[test]
fn all_graphs_of_three_nodes() {
    // Each of nine edges is absent, or has no mark, the first, or the second.
    for code in 0..4_u32.pow(9) {
        let edge = |k: u32| match code / 4_u32.pow(k) % 4 {
            0 => None,
            marks => Some((k / 3, k % 3, marks as u8 - 1)),
        };
        let edges: Vec<_> = (0..9).filter_map(edge).collect();
        let starts = [code % 3];
        let set = found(&edges, &starts);
        assert_eq!(set.is_some(), expected(3, &edges, &starts), "{edges:?} from {starts:?}");
        if let Some(set) = set {
            // The reported set is strongly connected and has both marks.
            let inside: Vec<_> = edges
                .iter()
                .filter(|(from, to, _)| set.contains(&Node(*from)) && set.contains(&Node(*to)))
                .copied()
                .collect();
            for &Node(node) in &set {
                assert!(expected(3, &inside, &[node]), "{set:?} of {edges:?}");
            }
        }
    }
}

#[test]
fn several_starts_and_dead_ends() {
    // edges, starts, nodes of the reported set
    type Row<'r> = (&'r [(u32, u32, u8)], &'r [u32], Option<&'r [u32]>);
    let table: [Row<'_>; 5] = [
        (&[], &[0], None),
        (&[(0, 1, 3)], &[0, 1], None),
        (&[(0, 0, 3)], &[0], Some(&[0])),
        (&[(0, 0, 3)], &[1], None),
        // One start is a dead end; the other leads to a cycle that has both marks, on different
        // edges.
        (&[(1, 2, 0), (0, 2, 0), (0, 3, 1), (3, 4, 2), (4, 0, 0)], &[0, 1], Some(&[0, 3, 4])),
    ];
    for (edges, starts, nodes) in table {
        let found = found(edges, starts);
        let expected = nodes.map(|nodes| nodes.iter().map(|&node| Node(node)).collect::<Vec<_>>());
        assert_eq!(found, expected, "{edges:?} from {starts:?}");
    }
}

/// A search with few numbers reports that they are used up, and which ones.
#[test]
fn numbers_that_are_used_up_stop_a_search() {
    // edges, a sufficient count of numbers, and the reason to stop with one less
    type Row<'r> = (&'r [(u32, u32, u8)], usize, StopReason);
    let table: [Row<'_>; 3] = [
        // A path of four nodes.
        (&[(0, 1, 0), (1, 2, 0), (2, 3, 0)], 4, StopReason::States(3)),
        // Dead nodes give their numbers back: from both starts, a path has three nodes.
        (&[(0, 1, 0), (1, 2, 0), (5, 3, 0), (3, 4, 0)], 3, StopReason::States(2)),
        // Two nodes with four edges in total.
        (&[(0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)], 4, StopReason::Edges(3)),
    ];
    for (edges, enough, reason) in table {
        let search = |most_numbers| {
            let mut graph = Drawn { edges: edges.to_vec(), starts: vec![5, 0] };
            let watch = Ticker::new(&|_| None);
            numbered(&mut graph, &mut Sets(3), Bounds::NONE, most_numbers, &watch)
        };
        assert!(matches!(search(enough), Ok((None, _))), "{edges:?}");
        assert_eq!(search(enough - 1).map(|(found, _)| found), Err(reason), "{edges:?}");
    }
}
