//! Pictures that are drawn here: they show what those for Graphviz show.

use super::{atoms, built, fixture, guards_over, random_automaton};
use automata::formats::svg;
use drawing::layout::Layout;
use drawing::{Graph, Piece};
use run::SplitMix64;

fn written(graph: &Graph) -> String {
    let layout = Layout::new(graph, &mut || Ok::<(), ()>(())).expect("nobody stops");
    drawing::svg::write(graph, &layout, "")
}

/// The words of all labels and of the caption, a line each, with discs in braces.
fn words(graph: &Graph) -> String {
    let texts = graph.nodes.iter().map(|node| &node.text);
    let texts = texts.chain(graph.edges.iter().map(|edge| &edge.text)).chain([&graph.caption]);
    let mut out = String::new();
    for line in texts.flatten() {
        for piece in &line.pieces {
            match piece {
                Piece::Words { text, .. } => out.push_str(text),
                Piece::Disc(set) => out.extend(["{", &set.to_string(), "}"]),
                Piece::NoDisc => out.push_str("{}"),
            }
        }
        out.push('\n');
    }
    out
}

#[test]
fn pictures_show_what_they_should() {
    //  file, states with a second circle, lines
    let table = [
        ("response-buchi", 1, vec!["0", "1", "!request | grant", "[Büchi]"]),
        ("response-tgba", 0, vec!["Inf(0) [Büchi]"]),
        ("three-sets", 0, vec!["Inf(0) & Inf(1) & Inf(2) [gen. Büchi 3]"]),
        ("aliases", 0, vec!["[all runs accepting]"]),
    ];
    for (file, double, lines) in table {
        let [(document, guards, automaton)] = &mut built(&fixture(&format!("hoa/{file}.hoa")))[..]
        else {
            panic!("one")
        };
        let graph =
            svg::graph(guards, automaton, document.atoms(), document.name()).expect("small");
        let words = words(&graph);
        for line in lines {
            assert!(words.lines().any(|one| one == line), "{file}: {line}\n{words}");
        }
        assert_eq!(graph.nodes.iter().filter(|node| node.is_double).count(), double, "{file}");
        assert_eq!(graph.nodes.iter().filter(|node| node.is_start).count(), 1, "{file}");
        assert!(written(&graph).ends_with("</svg>\n"), "{file}");
    }
}

/// All edges between two states share an arrow; a mark is a disc.
#[test]
fn there_is_one_arrow_for_each_pair_of_states() {
    let atoms = atoms(&["a", "b"]);
    for seed in 0..300 {
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut SplitMix64::new(seed), &mut guards, 2);
        let graph = svg::graph(&mut guards, &automaton, &atoms, None).expect("small");
        let mut expected: Vec<_> = automaton
            .states()
            .flat_map(|q| {
                automaton.edges(q).iter().map(move |e| (q.0 as usize, e.target.0 as usize))
            })
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let mut found: Vec<_> = graph.edges.iter().map(|edge| (edge.source, edge.target)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "seed {seed}");
        let is_marked = automaton.all_edges().iter().any(|edge| !edge.marks.is_empty());
        let is_shown = words(&graph).contains("{0") || graph.nodes.iter().any(|one| one.is_double);
        assert!(is_marked || !is_shown, "seed {seed}");
    }
}
