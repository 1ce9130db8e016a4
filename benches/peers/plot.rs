//! Curves in panels with logarithmic axes, as SVG for light and dark pages.

use std::fmt::Write as _;

pub(crate) struct Curve {
    name: &'static str,
    /// All greater than zero, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

pub(crate) struct Panel {
    /// What is along the axes.
    across: &'static str,
    upwards: &'static str,
    pub(crate) curves: Vec<Curve>,
}

impl Curve {
    pub(crate) fn new(name: &'static str) -> Curve {
        Curve { name, points: Vec::new() }
    }
}

impl Panel {
    pub(crate) fn new(across: &'static str, upwards: &'static str) -> Panel {
        Panel { across, upwards, curves: Vec::new() }
    }
}

/// The room of a panel, its frame within, and the height of a line of the legend.
const ROOM: (f64, f64) = (460.0, 430.0);
const FRAME: (f64, f64, f64, f64) = (62.0, 18.0, 436.0, 280.0);
const LINE: f64 = 20.0;

/// Colours that differ in lightness, too: on light pages, on dark ones.
const COLOURS: [(&str, &str); 5] = [
    ("#0b5cad", "#79b8ff"),
    ("#b3261e", "#ff8a80"),
    ("#1b7837", "#7ee2a0"),
    ("#7b3fa0", "#d2a8ff"),
    ("#9a6200", "#ffc66d"),
];

const STYLE: &str = "\
#scale text{font:12px Helvetica,Arial,\"Liberation Sans\",sans-serif;fill:#000}
#scale text.small{font-size:11px;fill:#555}
#scale .paper{fill:#fff}
#scale .frame{fill:none;stroke:#555}
#scale .grid{stroke:#ddd}
#scale polyline{fill:none;stroke-width:2}
";

const DARK: &str = "\
#scale text{fill:#eee}
#scale text.small{fill:#aaa}
#scale .paper{fill:#1b1b1f}
#scale .frame{stroke:#aaa}
#scale .grid{stroke:#3a3a42}
";

/// The picture of panels, side by side.
pub(crate) fn figure(title: &str, panels: &[Panel]) -> String {
    let (width, height) = (ROOM.0 * panels.len() as f64, ROOM.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"scale\" role=\"img\" aria-labelledby=\"title\" \
         viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title id=\"title\">{title}</title>\n<style>\n{STYLE}"
    );
    let colours = |svg: &mut String, is_dark: bool| {
        for (k, (light, dark)) in COLOURS.iter().enumerate() {
            let colour = if is_dark { dark } else { light };
            let _ = writeln!(svg, "#scale .c{k} polyline{{stroke:{colour}}}");
            let _ = writeln!(svg, "#scale .c{k} circle{{fill:{colour}}}");
        }
    };
    colours(&mut svg, false);
    let _ = writeln!(svg, "@media(prefers-color-scheme:dark){{\n{DARK}");
    colours(&mut svg, true);
    let _ = writeln!(
        svg,
        "}}\n</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"
    );
    for (k, panel) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", ROOM.0 * k as f64);
        draw(&mut svg, panel);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// A logarithmic axis: where a value is, from 0 to 1, and the powers of ten within.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    /// From the power of ten below all values to the one above them.
    fn of(values: impl Iterator<Item = f64>) -> Axis {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.map(f64::log10) {
            // A value at a power of ten does not need the next one.
            from = from.min((value + 0.02).floor());
            to = to.max((value - 0.02).ceil());
        }
        Axis { from, to: to.max(from + 1.0) }
    }

    fn place(&self, value: f64) -> f64 {
        (value.log10() - self.from) / (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = i32> {
        self.from as i32..=self.to as i32
    }
}

fn draw(svg: &mut String, panel: &Panel) {
    let (left, top, right, bottom) = FRAME;
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let across = Axis::of(points().map(|point| point.0));
    let upwards = Axis::of(points().map(|point| point.1));
    let x = |value: f64| left + across.place(value) * (right - left);
    let y = |value: f64| bottom - upwards.place(value) * (bottom - top);
    for power in across.powers() {
        let (at, label) = (x(10_f64.powi(power)), label(power));
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>");
        let (below, class) = (bottom + 16.0, "class=\"small\" text-anchor=\"middle\"");
        let _ = writeln!(svg, "<text {class} x=\"{at:.1}\" y=\"{below}\">{label}</text>");
    }
    for power in upwards.powers() {
        let (at, label) = (y(10_f64.powi(power)), label(power));
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/>");
        let (before, below, class) = (left - 6.0, at + 4.0, "class=\"small\" text-anchor=\"end\"");
        let _ = writeln!(svg, "<text {class} x=\"{before}\" y=\"{below:.1}\">{label}</text>");
    }
    let (width, height) = (right - left, bottom - top);
    let _ = writeln!(
        svg,
        "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
    );
    let (middle, below) = (f64::midpoint(left, right), bottom + 34.0);
    let _ = writeln!(
        svg,
        "<text text-anchor=\"middle\" x=\"{middle}\" y=\"{below}\">{}</text>",
        panel.across
    );
    let (middle, before) = (f64::midpoint(top, bottom), 16.0);
    let _ = writeln!(
        svg,
        "<text text-anchor=\"middle\" transform=\"translate({before} {middle}) rotate(-90)\">{}</text>",
        panel.upwards
    );
    for (k, curve) in panel.curves.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"c{}\">", k % COLOURS.len());
        let all: Vec<_> = curve.points.iter().map(|&(a, b)| (x(a), y(b))).collect();
        let line: Vec<_> = all.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(svg, "<polyline points=\"{}\"/>", line.join(" "));
        // Its line in the legend: two columns.
        let at = (left + 210.0 * (k % 2) as f64, bottom + 62.0 + LINE * (k / 2) as f64);
        let (end, middle) = (at.0 + 24.0, at.0 + 12.0);
        let _ = writeln!(svg, "<polyline points=\"{},{} {end},{}\"/>", at.0, at.1, at.1);
        for (x, y) in all.into_iter().chain([(middle, at.1)]) {
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
        }
        let (text, below) = (end + 8.0, at.1 + 4.0);
        let _ = writeln!(svg, "<text x=\"{text}\" y=\"{below}\">{}</text>", curve.name);
        svg.push_str("</g>\n");
    }
}

/// A power of ten, in short.
fn label(power: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match power {
        -2..0 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
        0..4 => 10_i64.pow(power.unsigned_abs()).to_string(),
        _ => {
            let digits = power.to_string();
            let raised = digits.chars().map(|digit| match digit.to_digit(10) {
                Some(digit) => RAISED[digit as usize],
                None => '⁻',
            });
            format!("10{}", raised.collect::<String>())
        }
    }
}
