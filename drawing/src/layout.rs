//! Where everything lies.

mod orient;
mod layers;
mod measure;
mod cells;
mod order;
mod place;
mod route;

pub(crate) use measure::DOUBLE;
pub(crate) use route::HEAD;

use crate::graph::Graph;
use crate::text::extent;

/// What is free around a drawing.
const MARGIN: f64 = 8.0;
/// What is free below the caption.
const BELOW_CAPTION: f64 = 10.0;

/// Who may end the work, for a reason.
pub type Ask<'a, E> = &'a mut dyn FnMut() -> Result<(), E>;

/// A drawing: places in pixels, from the left upper corner.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The nodes, in the order of the graph.
    pub nodes: Vec<PlacedNode>,
    /// The edges, in the order of the graph.
    pub edges: Vec<PlacedEdge>,
    /// The text above.
    pub caption: Rectangle,
}

/// A node in its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedNode {
    /// What its outline touches on all four sides.
    pub outline: Rectangle,
    /// The arrow of a start.
    pub start: Option<Route>,
}

/// An edge in its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedEdge {
    /// The arrow.
    pub route: Route,
    /// The room of its label, if it has one.
    pub label: Option<Rectangle>,
}

/// A line with an arrow head.
#[derive(Clone, PartialEq, Debug)]
pub struct Route {
    /// Where it begins.
    pub start: Point,
    /// The line, up to the head.
    pub segments: Vec<Segment>,
    /// Where the head ends.
    pub tip: Point,
}

/// A piece of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Segment {
    /// Straight to a point.
    Line(Point),
    /// Towards the first point, and to the third as if from the second.
    Curve(Point, Point, Point),
}

/// A place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From above.
    pub y: f64,
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rectangle {
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From above to below.
    pub height: f64,
}

impl Layout {
    /// Lays a graph out. It is asked regularly whether to continue.
    pub fn new<E>(graph: &Graph, ask: Ask<'_, E>) -> Result<Layout, E> {
        let turned = orient::turned(graph);
        let arcs: Vec<(usize, usize)> = graph
            .edges
            .iter()
            .zip(&turned)
            .filter(|(edge, _)| edge.source != edge.target)
            .map(|(edge, &is_turned)| {
                let (from, to) = (edge.source, edge.target);
                if is_turned { (to, from) } else { (from, to) }
            })
            .collect();
        let layer = layers::layers(graph.nodes.len(), &arcs, ask)?;
        let measured = measure::Measured::new(graph, &layer);
        let mut cells = cells::Cells::new(&measured, &turned, &layer);
        order::order(&mut cells, ask)?;
        let place = place::place(&cells, ask)?;
        let router = route::Router::new(&measured, &cells, &place, &turned);
        Ok(Layout::framed(graph, router.nodes(), router.edges()))
    }

    /// Moves everything below the caption, and into the frame.
    fn framed(graph: &Graph, nodes: Vec<PlacedNode>, edges: Vec<PlacedEdge>) -> Layout {
        let (text_width, text_height) = extent(&graph.caption);
        let caption = Rectangle { x: 0.0, y: MARGIN, width: text_width, height: text_height };
        let mut layout = Layout { width: 0.0, height: 0.0, nodes, edges, caption };
        let mut frame = Frame::default();
        layout.each_point(&mut |point| frame.hold(*point));
        let (width, height) = (frame.high.x - frame.low.x, frame.high.y - frame.low.y);
        layout.width = width.max(text_width) + 2.0 * MARGIN;
        let top = MARGIN + if text_height > 0.0 { text_height + BELOW_CAPTION } else { 0.0 };
        layout.height = top + height + MARGIN;
        let (x, y) = ((layout.width - width) / 2.0 - frame.low.x, top - frame.low.y);
        layout.each_point(&mut |point| {
            point.x += x;
            point.y += y;
        });
        layout.caption.x = (layout.width - text_width) / 2.0;
        layout
    }

    /// Everything but the caption. Two corners of each rectangle; what is after the first moves with it.
    fn each_point(&mut self, act: &mut impl FnMut(&mut Point)) {
        let mut route = |route: &mut Route| {
            act(&mut route.start);
            act(&mut route.tip);
            for segment in &mut route.segments {
                match segment {
                    Segment::Line(end) => act(end),
                    Segment::Curve(a, b, end) => [a, b, end].into_iter().for_each(&mut *act),
                }
            }
        };
        for node in &mut self.nodes {
            node.start.iter_mut().for_each(&mut route);
        }
        self.edges.iter_mut().for_each(|edge| route(&mut edge.route));
        let outlines = self.nodes.iter_mut().map(|node| &mut node.outline);
        let labels = self.edges.iter_mut().filter_map(|edge| edge.label.as_mut());
        for rectangle in outlines.chain(labels) {
            let mut corner = Point { x: rectangle.x, y: rectangle.y };
            let (x, y) = (rectangle.x + rectangle.width, rectangle.y + rectangle.height);
            act(&mut corner);
            act(&mut Point { x, y });
            (rectangle.x, rectangle.y) = (corner.x, corner.y);
        }
    }
}

/// The smallest rectangle around some points; without any, a corner.
#[derive(Default)]
struct Frame {
    low: Point,
    high: Point,
    is_used: bool,
}

impl Default for Point {
    fn default() -> Point {
        Point { x: 0.0, y: 0.0 }
    }
}

impl Frame {
    fn hold(&mut self, point: Point) {
        if !std::mem::replace(&mut self.is_used, true) {
            (self.low, self.high) = (point, point);
        }
        self.low = Point { x: self.low.x.min(point.x), y: self.low.y.min(point.y) };
        self.high = Point { x: self.high.x.max(point.x), y: self.high.y.max(point.y) };
    }
}
