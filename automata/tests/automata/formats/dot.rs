//! Pictures: Graphviz accepts them whatever the names are; what they show.

use super::{atoms, built, fixture, guards_over, random_automaton, run};
use automata::formats::dot;
use run::SplitMix64;

/// Names that could end a string, a label, an entity, a line or the drawing.
const NASTY: [&str; 12] = [
    "a\"b",
    "<b>",
    "&amp;",
    "x > 1 && y < 2",
    "back\\",
    "line\nbreak",
    "]]> --> }",
    "日本語",
    "\u{1}\u{fffe}",
    "label=<>",
    "a\tb\r",
    "",
];

#[test]
fn graphviz_accepts_every_name() {
    let mut graphs = String::new();
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let names =
            [NASTY[random.below(NASTY.len())], NASTY[random.below(NASTY.len())], "@a(\"<&>\", _)"];
        let mut names = names.to_vec();
        names.dedup();
        let atoms = atoms(&names);
        let mut guards = guards_over(&atoms);
        let count = atoms.len() as u32;
        let automaton = random_automaton(&mut random, &mut guards, count);
        let title = NASTY[random.below(NASTY.len())];
        graphs += &dot::write(&mut guards, &automaton, &atoms, Some(title)).expect("small");
    }
    let Some(output) = run("dot", &["-Tsvg"], ".", &graphs) else { return };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    let drawn = String::from_utf8_lossy(&output.stdout);
    assert_eq!(drawn.matches("</svg>").count(), 60);
}

/// What a fixture's picture contains, and what it does not.
#[test]
fn pictures_show_what_they_should() {
    //  file                shown                                       not shown
    let table = [
        (
            "response-buchi",
            vec!["[label=\"0\", peripheries=2]", "1 [label=\"1\"]", "[Büchi]", "start -> 0"],
            vec!["BGCOLOR"],
        ),
        (
            "response-buchi",
            vec!["label=<!request | grant>", "label=<request &amp; !grant>"],
            vec!["Inf("],
        ),
        (
            "response-tgba",
            vec!["Inf(<FONT COLOR=\"#0072B2\"><B>0</B></FONT>) [Büchi]", "BGCOLOR=\"#0072B2\""],
            vec!["peripheries"],
        ),
        (
            "three-sets",
            vec!["!p0 &amp; !p1 &amp; (!p2 | p3) </TD>", "BGCOLOR=\"#009E73\"", "[gen. Büchi 3]"],
            vec![],
        ),
        ("aliases", vec!["[all runs accepting]", "with &quot;aliases&quot; and \\<"], vec!["Inf("]),
        (
            "long-guards",
            vec!["<BR/>", "&quot;x &gt; 1 &amp; y &lt; 2&quot;", "@grant(c, _)"],
            vec!["x > 1"],
        ),
    ];
    for (file, shown, hidden) in table {
        let [(document, guards, automaton)] = &mut built(&fixture(&format!("hoa/{file}.hoa")))[..]
        else {
            panic!("one")
        };
        let text = dot::write(guards, automaton, document.atoms(), document.name()).expect("small");
        for part in shown {
            assert!(text.contains(part), "{file}: {part}\n{text}");
        }
        for part in hidden {
            assert!(!text.contains(part), "{file}: {part}\n{text}");
        }
    }
}

/// All edges between two states share an arrow.
#[test]
fn there_is_one_arrow_for_each_pair_of_states() {
    let atoms = atoms(&["a", "b"]);
    for seed in 0..300 {
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut SplitMix64::new(seed), &mut guards, 2);
        let text = dot::write(&mut guards, &automaton, &atoms, None).expect("small");
        let mut expected: Vec<_> = automaton
            .states()
            .flat_map(|q| {
                automaton.edges(q).iter().map(move |e| format!("  {} -> {} ", q.0, e.target.0))
            })
            .collect();
        expected.sort();
        expected.dedup();
        let mut found: Vec<_> = text
            .lines()
            .filter(|line| line.contains(" -> ") && !line.starts_with("  start"))
            .map(|line| line[..line.find('[').expect("a label")].to_owned())
            .collect();
        found.sort();
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}
