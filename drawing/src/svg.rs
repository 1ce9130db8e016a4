//! Drawings as SVG that needs nothing else: no font, no script, no style sheet.
//!
//! The colours are in a style sheet inside, for light and dark pages. All identifiers and rules of the style sheet
//! begin with a prefix, so that several drawings have room in one page. A node or edge is a group with
//! its number (`data-node`, `data-edge`, and `data-source`, `data-target` of edges), so that a script can
//! find it.
//!
//! All text is escaped, and what XML does not allow is shown as `�`: no label can break the drawing.

use crate::graph::{Face, Graph, Ink, Line, Piece, Shape, Side};
use crate::layout::{DOUBLE, HEAD, Layout, Point, Rectangle, Route, Segment};
use crate::text::{DISC, extent, width};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The colours of numbered things on white, used in turn: Okabe and Ito's, but for those too light for
/// text on white.
pub const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#AA4499", "#B8860B", "#332288"];
/// The same on black: lighter ones of the same hue.
const DARK_PALETTE: [&str; 6] = ["#56B4E9", "#F0935A", "#3FCFA4", "#DD8FCF", "#E3B94A", "#A79BF0"];

/// A graph with its layout as an SVG document, or as a part of an HTML one. The prefix consists of letters, digits and
/// hyphens and starts with a letter, or is empty; it sets apart the drawings of one page.
pub fn write(graph: &Graph, layout: &Layout, prefix: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    assert!(
        prefix.chars().all(is_name) && !prefix.starts_with(|c: char| !c.is_ascii_alphabetic()),
        "{prefix:?} can begin identifiers"
    );
    let mut svg = Svg { out: String::new(), prefix };
    svg.document(graph, layout);
    svg.out
}

struct Svg<'p> {
    out: String,
    prefix: &'p str,
}

impl Svg<'_> {
    fn document(&mut self, graph: &Graph, layout: &Layout) {
        let (prefix, width, height) =
            (self.prefix, number(layout.width.ceil()), number(layout.height.ceil()));
        let _ = writeln!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{prefix}drawing\" role=\"img\" \
             aria-labelledby=\"{prefix}title\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\">\n<title id=\"{prefix}title\">{}</title>\n<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>",
            escaped(&graph.title),
            self.style(graph)
        );
        if !graph.caption.is_empty() {
            self.out.push_str("<g class=\"caption\">");
            self.text(&graph.caption, &layout.caption);
            self.out.push_str("</g>\n");
        }
        for (k, (edge, placed)) in graph.edges.iter().zip(&layout.edges).enumerate() {
            let _ = write!(
                self.out,
                "<g id=\"{prefix}edge{k}\" class=\"edge{}\" data-edge=\"{k}\" \
                 data-source=\"{}\" data-target=\"{}\">",
                and_class(edge.ink),
                edge.source,
                edge.target
            );
            self.arrow(&placed.route);
            if let Some(label) = &placed.label {
                self.text(&edge.text, label);
            }
            self.out.push_str("</g>\n");
        }
        for (k, (node, placed)) in graph.nodes.iter().zip(&layout.nodes).enumerate() {
            let _ = write!(
                self.out,
                "<g id=\"{prefix}node{k}\" class=\"node{}\" data-node=\"{k}\">",
                and_class(node.ink)
            );
            if let Some(start) = &placed.start {
                self.arrow(start);
            }
            self.outline(node.shape, &placed.outline, 0.0);
            if node.is_double {
                self.outline(node.shape, &placed.outline, DOUBLE);
            }
            let (width, height) = extent(&node.text);
            let middle = placed.outline.centre();
            let (x, y) = (middle.x - width / 2.0, middle.y - height / 2.0);
            self.text(&node.text, &Rectangle { x, y, width, height });
            self.out.push_str("</g>\n");
        }
        self.out.push_str("</svg>\n");
    }

    /// An outline, so far inside of a rectangle.
    fn outline(&mut self, shape: Shape, around: &Rectangle, inside: f64) {
        let &Rectangle { x, y, width, height } = around;
        let _ = match shape {
            Shape::Box => write!(
                self.out,
                "<rect class=\"outline\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>",
                number(x + inside),
                number(y + inside),
                number(width - 2.0 * inside),
                number(height - 2.0 * inside)
            ),
            Shape::Circle | Shape::Ellipse => {
                let Point { x, y } = around.centre();
                write!(
                    self.out,
                    "<ellipse class=\"outline\" cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\"/>",
                    number(x),
                    number(y),
                    number(width / 2.0 - inside),
                    number(height / 2.0 - inside)
                )
            }
        };
    }

    fn arrow(&mut self, route: &Route) {
        let Point { x, y } = route.start;
        let _ = write!(self.out, "<path class=\"line\" d=\"M{} {}", number(x), number(y));
        let mut end = route.start;
        for segment in &route.segments {
            let _ = match *segment {
                Segment::Line(to) => write!(self.out, "L{} {}", number(to.x), number(to.y)),
                Segment::Curve(a, b, to) => write!(
                    self.out,
                    "C{} {} {} {} {} {}",
                    number(a.x),
                    number(a.y),
                    number(b.x),
                    number(b.y),
                    number(to.x),
                    number(to.y)
                ),
            };
            let (Segment::Line(to) | Segment::Curve(_, _, to)) = *segment;
            end = to;
        }
        // The head: a kite, a little notched, from the end of the line to the tip.
        let (tip, half) = (route.tip, 3.2 / HEAD);
        let (dx, dy) = (tip.x - end.x, tip.y - end.y);
        let corner = |side: f64| {
            let (x, y) = (end.x - side * half * dy, end.y + side * half * dx);
            format!("{} {}", number(x), number(y))
        };
        let notch = (end.x + dx * 0.2, end.y + dy * 0.2);
        let _ = write!(
            self.out,
            "L{} {}\"/><path class=\"head\" d=\"M{} {}L{}L{} {}L{}Z\"/>",
            number(notch.0),
            number(notch.1),
            number(tip.x),
            number(tip.y),
            corner(1.0),
            number(notch.0),
            number(notch.1),
            corner(-1.0)
        );
    }

    fn text(&mut self, lines: &[Line], room: &Rectangle) {
        let mut top = room.y;
        for line in lines {
            let (width, height) = (line.width(), line.height());
            let mut x = room.x
                + match line.side {
                    Side::Left => 0.0,
                    Side::Middle => (room.width - width) / 2.0,
                    Side::Right => room.width - width,
                };
            for piece in &line.pieces {
                self.piece(piece, x, top + height / 2.0);
                x += piece.width();
            }
            top += height;
        }
    }

    /// A piece that begins here and has its middle at this height.
    fn piece(&mut self, piece: &Piece, x: f64, middle: f64) {
        let _ = match piece {
            Piece::Words { text, face, ink } => {
                let size = face.size();
                let class = match face {
                    Face::Sans => "sans",
                    Face::Small => "small",
                    Face::Mono => "mono",
                };
                // Spaces at the ends take their room, but not every program shows them.
                let shown = text.trim();
                if shown.is_empty() {
                    return;
                }
                let before = &text[..text.len() - text.trim_start().len()];
                let x = x + width(before, *face);
                // Where the font is another one, glyphs are made narrower. If only the space between
                // them shrank, they would overlap.
                write!(
                    self.out,
                    "<text class=\"{class}{}\" x=\"{}\" y=\"{}\" textLength=\"{}\" \
                     lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                    and_class(*ink),
                    number(x),
                    number(middle + 0.35 * size),
                    number(width(shown, *face)),
                    escaped(shown)
                )
            }
            Piece::Disc(set) => {
                let centre = x + piece.width() - DISC / 2.0;
                write!(
                    self.out,
                    "<g class=\"disc{}\"><circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\
                     <text x=\"{}\" y=\"{}\">{set}</text></g>",
                    and_class(Ink::Colour(*set)),
                    number(centre),
                    number(middle),
                    number(DISC / 2.0),
                    number(centre),
                    number(middle + 3.2)
                )
            }
            Piece::NoDisc => Ok(()),
        };
    }

    /// The style sheet. Its rules are spelt out, without variables: not every program that turns drawings into
    /// paper knows those.
    fn style(&self, graph: &Graph) -> String {
        let of = format!("#{}drawing", self.prefix);
        let mut out = String::new();
        for rule in SHAPES {
            let _ = writeln!(out, "{of} {rule}");
        }
        let colours = colours(graph);
        let light = LIGHT.rules(&of, &colours);
        let _ = writeln!(out, "{light}@media(prefers-color-scheme:dark){{");
        out + &DARK.rules(&of, &colours) + "}\n"
    }
}

/// All rules but the colours.
const SHAPES: [&str; 5] = [
    ".line{fill:none}",
    "text{white-space:pre;font:13px Helvetica,Arial,\"Liberation Sans\",sans-serif}",
    "text.small{font-size:11px}",
    "text.mono{font:11px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}",
    ".disc text{font-size:9px;text-anchor:middle}",
];

/// Colours for a kind of page.
struct Theme {
    paper: &'static str,
    ink: &'static str,
    /// Of text, and of the area of a node.
    muted: [&'static str; 2],
    alarm: [&'static str; 2],
    palette: [&'static str; 6],
}

const LIGHT: Theme = Theme {
    paper: "#fff",
    ink: "#000",
    muted: ["#555", "#ddd"],
    alarm: ["#c00", "#fff0f0"],
    palette: PALETTE,
};

const DARK: Theme = Theme {
    paper: "#1b1b1f",
    ink: "#eee",
    muted: ["#aaa", "#44444c"],
    alarm: ["#ff7b72", "#40201f"],
    palette: DARK_PALETTE,
};

impl Theme {
    fn rules(&self, of: &str, colours: &BTreeSet<usize>) -> String {
        let Theme { paper, ink, muted, alarm, palette } = self;
        let mut out = format!(
            "{of} .paper{{fill:{paper}}}\n\
             {of} .line{{stroke:{ink}}}\n\
             {of} .head,{of} text{{fill:{ink}}}\n\
             {of} .outline{{fill:{paper};stroke:{ink}}}\n\
             {of} text.muted{{fill:{}}}\n\
             {of} .node.muted .outline{{fill:{}}}\n",
            muted[0], muted[1]
        );
        let mut inked = |class: &str, colour: &str| {
            let _ = writeln!(
                out,
                "{of} .{class} .line,{of} .{class} .outline{{stroke:{colour}}}\n\
                 {of} .{class} .head,{of} .{class} text,{of} text.{class},{of} .{class} circle\
                 {{fill:{colour}}}"
            );
        };
        inked("alarm", alarm[0]);
        for &k in colours {
            inked(&format!("colour{k}"), palette[k]);
        }
        let _ = writeln!(out, "{of} .node.alarm .outline{{fill:{}}}", alarm[1]);
        let _ = writeln!(out, "{of} .disc text{{fill:{paper}}}");
        out
    }
}

/// The colours of the palette that occur.
fn colours(graph: &Graph) -> BTreeSet<usize> {
    let nodes = graph.nodes.iter().map(|node| (node.ink, &node.text));
    let edges = graph.edges.iter().map(|edge| (edge.ink, &edge.text));
    let mut found = BTreeSet::new();
    for (ink, text) in nodes.chain(edges).chain([(Ink::Plain, &graph.caption)]) {
        let pieces = text.iter().flat_map(|line| &line.pieces).map(|piece| match piece {
            Piece::Words { ink, .. } => *ink,
            Piece::Disc(set) => Ink::Colour(*set),
            Piece::NoDisc => Ink::Plain,
        });
        for ink in pieces.chain([ink]) {
            if let Ink::Colour(k) = ink {
                found.insert(k as usize % PALETTE.len());
            }
        }
    }
    found
}

/// The class of a colour, after another one.
fn and_class(ink: Ink) -> String {
    match ink {
        Ink::Plain => String::new(),
        Ink::Muted => " muted".to_owned(),
        Ink::Alarm => " alarm".to_owned(),
        Ink::Colour(k) => format!(" colour{}", k as usize % PALETTE.len()),
    }
}

impl Rectangle {
    fn centre(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }
}

/// With one decimal place, if that is not 0.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
