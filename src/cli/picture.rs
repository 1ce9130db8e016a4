//! Pictures that are drawn here, and the largest ones.

use super::error::Error;
use super::escape::escaped;
use automata::StopReason;
use drawing::layout::Layout;
use drawing::{Graph, svg};

/// More nodes than this make no picture.
pub(crate) const MOST_NODES: u64 = 2000;
/// More edges than this make none that is drawn here.
const MOST_EDGES: u64 = 20_000;

/// Refuses what is too large: so many nodes of this name, and so many edges.
pub(crate) fn check(what: &str, nodes: usize, edges: usize) -> Result<(), Error> {
    let numbers = [(nodes as u64, what, MOST_NODES), (edges as u64, "edges", MOST_EDGES)];
    match numbers.into_iter().find(|(count, _, most)| count > most) {
        Some((count, what, most)) => Err(Error::too_large(format!(
            "{count} {what} are too many for a picture, {most} at most"
        ))),
        None => Ok(()),
    }
}

/// The graph as an SVG document whose identifiers begin with a prefix; `poll` is asked whether to go on.
pub(crate) fn svg(
    graph: &Graph,
    prefix: &str,
    poll: &mut dyn FnMut() -> Result<(), StopReason>,
) -> Result<String, Error> {
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    let _span = tracing::debug_span!("picture.draw", nodes, edges).entered();
    let layout = Layout::new(graph, poll)?;
    Ok(escaped(&svg::write(graph, &layout, prefix)).into_owned())
}
