//! Random graphs of all kinds: what every drawing must be like.

use drawing::layout::{Layout, Point, Rectangle, Route, Segment};
use drawing::{Direction, Edge, Face, Graph, Ink, Line, Node, Piece, Shape, Side, svg};
use run::SplitMix64;

/// Makes graphs and texts.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    fn text(&mut self, most: usize) -> Vec<Line> {
        let line = |random: &mut Random| {
            let words = ["a", "request & !grant", "ä<b>", "WWWW \"x\"", "i", "(client_0 client_1)"];
            let text = words[random.below(words.len())].to_owned();
            let face = [Face::Sans, Face::Mono, Face::Small][random.below(3)];
            let mut pieces = vec![Piece::Words { text, face, ink: Ink::Plain }];
            if random.below(3) == 0 {
                pieces.push(Piece::Disc(random.below(9) as u32));
            }
            Line { side: [Side::Left, Side::Middle, Side::Right][random.below(3)], pieces }
        };
        (0..random_len(self, most)).map(|_| line(self)).collect()
    }

    fn graph(&mut self, nodes: usize, edges: usize) -> Graph {
        let shapes = [Shape::Circle, Shape::Ellipse, Shape::Box];
        let inks = [Ink::Plain, Ink::Muted, Ink::Alarm, Ink::Colour(8)];
        Graph {
            direction: [Direction::Right, Direction::Down][self.below(2)],
            title: "random".to_owned(),
            caption: self.text(2),
            nodes: (0..nodes)
                .map(|k| Node {
                    shape: shapes[self.below(3)],
                    is_double: self.below(3) == 0,
                    is_start: k == 0 || self.below(6) == 0,
                    ink: inks[self.below(4)],
                    text: self.text(3),
                })
                .collect(),
            edges: (0..edges)
                .map(|_| Edge {
                    source: self.below(nodes),
                    target: self.below(nodes),
                    ink: inks[self.below(4)],
                    text: self.text(3),
                })
                .collect(),
        }
    }
}

fn random_len(random: &mut Random, most: usize) -> usize {
    random.below(most + 1)
}

fn graphs() -> impl Iterator<Item = (u64, Graph)> {
    (0..400).map(|seed| {
        let mut random = Random::new(seed);
        let nodes = 1 + random.below(14);
        let edges = random.below(3 * nodes);
        (seed, random.graph(nodes, edges))
    })
}

fn laid(graph: &Graph) -> Layout {
    Layout::new(graph, &mut || Ok::<(), ()>(())).expect("nobody stops")
}

/// Whether two rectangles share more than a border.
fn overlap(a: &Rectangle, b: &Rectangle) -> bool {
    let apart = |a: f64, width: f64, b: f64| a + width <= b + 0.01;
    !(apart(a.x, a.width, b.x)
        || apart(b.x, b.width, a.x)
        || apart(a.y, a.height, b.y)
        || apart(b.y, b.height, a.y))
}

#[test]
fn nothing_is_drawn_over_anything() {
    for (seed, graph) in graphs() {
        let layout = laid(&graph);
        let nodes =
            layout.nodes.iter().enumerate().map(|(k, node)| (format!("node {k}"), node.outline));
        let labels = layout.edges.iter().enumerate();
        let labels = labels.filter_map(|(k, edge)| Some((format!("label {k}"), edge.label?)));
        let caption = ("caption".to_owned(), layout.caption);
        let all: Vec<_> = nodes.chain(labels).chain([caption]).collect();
        for (k, (name, one)) in all.iter().enumerate() {
            for (other_name, other) in &all[..k] {
                assert!(!overlap(one, other), "seed {seed}: {name} and {other_name}");
            }
            let is_inside = one.x >= 0.0
                && one.y >= 0.0
                && one.x + one.width <= layout.width
                && one.y + one.height <= layout.height;
            assert!(is_inside, "seed {seed}: {name} is outside");
        }
    }
}

/// How far a point is from the outline of a node, at most; 0 is on it.
fn off_outline(graph: &Graph, layout: &Layout, node: usize, point: Point) -> f64 {
    let outline = &layout.nodes[node].outline;
    let (rx, ry) = (outline.width / 2.0, outline.height / 2.0);
    let (dx, dy) = (point.x - outline.x - rx, point.y - outline.y - ry);
    match graph.nodes[node].shape {
        Shape::Box => (dx.abs() - rx).abs().min((dy.abs() - ry).abs()),
        Shape::Circle | Shape::Ellipse => {
            (((dx / rx).powi(2) + (dy / ry).powi(2)).sqrt() - 1.0).abs() * rx.min(ry)
        }
    }
}

#[test]
fn edges_touch_their_nodes() {
    for (seed, graph) in graphs() {
        let layout = laid(&graph);
        for (k, (edge, placed)) in graph.edges.iter().zip(&layout.edges).enumerate() {
            for (node, point) in
                [(edge.source, placed.route.start), (edge.target, placed.route.tip)]
            {
                let off = off_outline(&graph, &layout, node, point);
                assert!(off < 0.5, "seed {seed}: edge {k} is {off} off node {node}");
            }
        }
        for (k, node) in layout.nodes.iter().enumerate() {
            assert_eq!(node.start.is_some(), graph.nodes[k].is_start);
            if let Some(start) = &node.start {
                assert!(off_outline(&graph, &layout, k, start.tip) < 0.5, "seed {seed}: start {k}");
            }
        }
    }
}

/// Points of a line, close to each other.
fn points(route: &Route) -> Vec<Point> {
    let mut points = vec![route.start];
    for segment in &route.segments {
        let from = *points.last().expect("a start");
        for step in 1..=20 {
            let t = f64::from(step) / 20.0;
            points.push(match *segment {
                Segment::Line(to) => {
                    Point { x: from.x + t * (to.x - from.x), y: from.y + t * (to.y - from.y) }
                }
                Segment::Curve(a, b, to) => {
                    let s = 1.0 - t;
                    let of = |p: f64, a: f64, b: f64, q: f64| {
                        s * s * s * p + 3.0 * s * s * t * a + 3.0 * s * t * t * b + t * t * t * q
                    };
                    Point { x: of(from.x, a.x, b.x, to.x), y: of(from.y, a.y, b.y, to.y) }
                }
            });
        }
    }
    points.push(route.tip);
    points
}

#[test]
fn lines_meet_no_text_and_no_other_nodes() {
    for (seed, graph) in graphs() {
        let layout = laid(&graph);
        for (k, (edge, placed)) in graph.edges.iter().zip(&layout.edges).enumerate() {
            for point in points(&placed.route) {
                let inside = |room: &Rectangle| {
                    let Rectangle { x, y, width, height } = *room;
                    (x + 0.1..x + width - 0.1).contains(&point.x)
                        && (y + 0.1..y + height - 0.1).contains(&point.y)
                };
                for (other, node) in layout.nodes.iter().enumerate() {
                    let own = other == edge.source || other == edge.target;
                    assert!(own || !inside(&node.outline), "seed {seed}: edge {k}, node {other}");
                }
                for (other, label) in layout.edges.iter().enumerate() {
                    let is_met = label.label.as_ref().is_some_and(inside);
                    assert!(!is_met, "seed {seed}: edge {k}, label {other}");
                }
            }
        }
    }
}

#[test]
fn documents_are_well_formed() {
    for (seed, graph) in graphs() {
        let text = svg::write(&graph, &laid(&graph), "x-");
        assert_eq!(text, svg::write(&graph, &laid(&graph), "x-"), "seed {seed}");
        let document = roxmltree::Document::parse(&text).expect("well-formed");
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let with = |name: &str| root.descendants().filter(|one| one.has_attribute(name)).count();
        assert_eq!(with("data-node"), graph.nodes.len(), "seed {seed}");
        assert_eq!(with("data-edge"), graph.edges.len(), "seed {seed}");
        let mut names: Vec<_> = root.descendants().filter_map(|one| one.attribute("id")).collect();
        assert!(names.iter().all(|name| name.starts_with("x-")));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(count, names.len(), "seed {seed}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "seed {seed}");
    }
}

#[test]
fn text_cannot_break_out() {
    let nasty = "</text></svg><script>alert('x')</script> \"' & ]]> \u{0} \u{1b} \u{fffe} <!--";
    let line = || vec![Line::new(Side::Left, Face::Sans, nasty)];
    let node =
        Node { shape: Shape::Box, is_double: true, is_start: true, ink: Ink::Alarm, text: line() };
    let graph = Graph {
        direction: Direction::Down,
        title: nasty.to_owned(),
        caption: line(),
        nodes: vec![node],
        edges: vec![Edge { source: 0, target: 0, ink: Ink::Plain, text: line() }],
    };
    let text = svg::write(&graph, &laid(&graph), "");
    let document = roxmltree::Document::parse(&text).expect("well-formed");
    let shown = nasty.replace(['\u{0}', '\u{1b}', '\u{fffe}'], "\u{fffd}");
    let named = |name: &str| {
        let all = document
            .descendants()
            .filter(|one| one.has_tag_name(("http://www.w3.org/2000/svg", name)));
        all.filter_map(|one| one.text()).collect::<Vec<_>>()
    };
    assert_eq!(named("text"), [&*shown; 3]);
    assert_eq!(named("title"), [&*shown]);
    assert!(named("script").is_empty());
}

#[test]
fn an_empty_graph_is_a_drawing() {
    let graph = Graph {
        direction: Direction::Right,
        title: String::new(),
        caption: vec![],
        nodes: vec![],
        edges: vec![],
    };
    assert!(roxmltree::Document::parse(&svg::write(&graph, &laid(&graph), "")).is_ok());
}

/// The largest drawings that there are.
#[test]
fn large_graphs_are_drawn_in_seconds() {
    let mut random = Random::new(1);
    let mut graph = random.graph(2000, 0);
    for target in 1..2000_usize {
        for _ in 0..3 {
            // Steps to states not far away, as state spaces have them.
            let source = target.saturating_sub(1 + random.below(60));
            let (source, target) =
                if random.below(4) == 0 { (target, source) } else { (source, target) };
            graph.edges.push(Edge { source, target, ink: Ink::Plain, text: random.text(2) });
        }
    }
    let began = std::time::Instant::now();
    let layout = laid(&graph);
    let time = began.elapsed();
    assert_eq!(layout.nodes.len(), 2000);
    assert!(time.as_secs() < 120, "{time:?}");
}
