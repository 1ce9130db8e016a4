//! What is to be drawn: nodes and edges with their texts, in words of pictures.

/// A directed graph; loops and parallel edges are welcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// Where edges lead, if they can.
    pub direction: Direction,
    /// What the drawing shows, in one line, for those who cannot see it.
    pub title: String,
    /// Stands above the drawing.
    pub caption: Vec<Line>,
    /// The nodes; a node's number is its position.
    pub nodes: Vec<Node>,
    /// The edges, between nodes that exist; an edge's number is its position.
    pub edges: Vec<Edge>,
}

/// Where edges lead, if they can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From left to right; labels stand above lines.
    Right,
    /// From top to bottom; labels stand right of lines.
    Down,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its outline.
    pub shape: Shape,
    /// Whether the outline is doubled.
    pub is_double: bool,
    /// Whether an arrow out of nothing leads to it.
    pub is_start: bool,
    /// The colour of outline and text, and of the area for all but [`Ink::Plain`].
    pub ink: Ink,
    /// What is written in it.
    pub text: Vec<Line>,
}

/// The outline of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// As wide as high.
    Circle,
    /// As wide and as high as its text needs.
    Ellipse,
    /// A rectangle.
    Box,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The number of the node where it begins.
    pub source: usize,
    /// The number of the node where it ends.
    pub target: usize,
    /// Its colour.
    pub ink: Ink,
    /// Its label.
    pub text: Vec<Line>,
}

/// A line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// On which side lines of different widths are flush.
    pub side: Side,
    /// From left to right.
    pub pieces: Vec<Piece>,
}

/// On which side lines of different widths are flush.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Left.
    Left,
    /// Neither.
    Middle,
    /// Right.
    Right,
}

/// A part of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text.
    Words {
        /// The text.
        text: String,
        /// Its letters.
        face: Face,
        /// Its colour; [`Ink::Plain`] is that of the node or edge.
        ink: Ink,
    },
    /// A number on a disc of the n-th colour.
    Disc(u32),
    /// Room for a disc.
    NoDisc,
}

/// Letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// Sans-serif.
    Sans,
    /// Sans-serif, smaller.
    Small,
    /// All letters equally wide.
    Mono,
}

/// Colours by meaning; the drawing has shades of them for light and dark pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Nothing special.
    Plain,
    /// Grey.
    Muted,
    /// Red.
    Alarm,
    /// The n-th colour of the palette, which is used in turn.
    Colour(u32),
}

impl Line {
    /// A line in one style.
    pub fn new(side: Side, face: Face, text: impl Into<String>) -> Line {
        Line { side, pieces: vec![Piece::Words { text: text.into(), face, ink: Ink::Plain }] }
    }
}
