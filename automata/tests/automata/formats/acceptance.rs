//! Any acceptance condition, turned into generalized Büchi: the same words are accepted.
//!
//! Both sides are decided by brute force. The source: a set of edges is what a run takes infinitely
//! often iff it is strongly connected in the product with the word; all that a condition can see of
//! it is, for each acceptance set, whether it meets the set and whether it meets the complement. So
//! for each of these 4ⁿ *types* the edges that fit are kept, and a component that is of the type
//! exactly is looked for; the condition is evaluated on types by its definition.

use super::built;
use automata::{Automaton, Guards};
use run::SplitMix64;
use std::fmt::Write as _;

/// A condition, as a tree of its own.
enum Condition {
    Constant(bool),
    /// `Inf` (or `Fin`) of the set (or its complement).
    Visit {
        infinitely: bool,
        set: u32,
        complement: bool,
    },
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// What a run takes infinitely often: sets that are met, sets whose complement is met.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Type {
    inside: u32,
    outside: u32,
}

impl Condition {
    fn random(random: &mut SplitMix64, sets: u32, depth: u32) -> Condition {
        match random.below(if depth == 0 { 10 } else { 20 }) {
            0 => Condition::Constant(random.below(2) == 0),
            1..=9 if sets > 0 => Condition::Visit {
                infinitely: random.below(2) == 0,
                set: random.below(sets as usize) as u32,
                complement: random.below(3) == 0,
            },
            _ if depth == 0 => Condition::Constant(true),
            kind => {
                let operands = (0..=random.below(3))
                    .map(|_| Condition::random(random, sets, depth - 1))
                    .collect();
                if kind % 2 == 0 { Condition::And(operands) } else { Condition::Or(operands) }
            }
        }
    }

    fn text(&self) -> String {
        let joined = |operands: &[Condition], sign: &str| {
            let operands: Vec<_> = operands.iter().map(Condition::text).collect();
            format!("({})", operands.join(sign))
        };
        match self {
            Condition::Constant(value) => if *value { "t" } else { "f" }.to_owned(),
            Condition::Visit { infinitely, set, complement } => {
                let name = if *infinitely { "Inf" } else { "Fin" };
                format!("{name}({}{set})", if *complement { "!" } else { "" })
            }
            Condition::And(operands) => joined(operands, " & "),
            Condition::Or(operands) => joined(operands, " | "),
        }
    }

    fn holds(&self, seen: Type) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Visit { infinitely, set, complement } => {
                let met = if *complement { seen.outside } else { seen.inside };
                (met >> set & 1 == 1) == *infinitely
            }
            Condition::And(operands) => operands.iter().all(|operand| operand.holds(seen)),
            Condition::Or(operands) => operands.iter().any(|operand| operand.holds(seen)),
        }
    }
}

/// An automaton over the letters 0 and 1, `Acceptance` any condition.
struct Source {
    starts: Vec<usize>,
    sets: u32,
    condition: Condition,
    /// From, letters (bit 0: letter 0 is read; bit 1: letter 1), marks, to.
    edges: Vec<(usize, u32, u32, usize)>,
    states: usize,
}

impl Source {
    fn random(random: &mut SplitMix64) -> Source {
        let states = 1 + random.below(4);
        let sets = random.below(4) as u32;
        let condition = Condition::random(random, sets, 3);
        let starts = (0..random.below(3).max(1)).map(|_| random.below(states));
        let starts = starts.collect();
        let edges = (0..random.below(4 * states)).map(|_| {
            let from = random.below(states);
            let to = random.below(states);
            (from, 1 + random.below(3) as u32, random.next() as u32 & ((1 << sets) - 1), to)
        });
        let edges = edges.collect();
        Source { starts, sets, condition, edges, states }
    }

    fn text(&self) -> String {
        let mut out = String::from("HOA: v1\nAP: 1 \"a\"\n");
        for start in &self.starts {
            let _ = writeln!(out, "Start: {start}");
        }
        let _ = writeln!(out, "Acceptance: {} {}\n--BODY--", self.sets, self.condition.text());
        for state in 0..self.states {
            let _ = writeln!(out, "State: {state}");
            for &(from, letters, marks, to) in &self.edges {
                if from == state {
                    let label = ["f", "!0", "0", "t"][letters as usize];
                    let sets = (0..self.sets).filter(|set| marks >> set & 1 == 1);
                    let sets: Vec<_> = sets.map(|set| set.to_string()).collect();
                    let _ = writeln!(out, "[{label}] {to} {{{}}}", sets.join(" "));
                }
            }
        }
        out + "--END--\n"
    }

    fn accepts(&self, word: &Word) -> bool {
        let mut graph = Graph { nodes: self.states * word.letters.len(), edges: Vec::new() };
        for (position, &letter) in word.letters.iter().enumerate() {
            let node = |state: usize, position: usize| state * word.letters.len() + position;
            for &(from, letters, marks, to) in &self.edges {
                if letters >> letter & 1 == 1 {
                    let next = word.next(position);
                    graph.edges.push((node(from, position), marks, node(to, next)));
                }
            }
        }
        let starts: Vec<_> = self.starts.iter().map(|state| state * word.letters.len()).collect();
        let reachable = graph.reachable(&starts);
        let all = (1 << self.sets) - 1;
        (0..1u32 << (2 * self.sets)).any(|code| {
            let wanted = Type { inside: code & all, outside: code >> self.sets };
            let fits =
                |marks: u32| marks & !wanted.inside == 0 && !marks & all & !wanted.outside == 0;
            self.condition.holds(wanted)
                && graph.components(|from, marks| reachable[from] && fits(marks)).iter().any(
                    |seen| {
                        let inside = seen.iter().fold(0, |sum, marks| sum | marks);
                        let outside = seen.iter().fold(0, |sum, marks| sum | !marks & all);
                        Type { inside, outside } == wanted
                    },
                )
        })
    }
}

/// A lasso: behind the last letter comes the one at `back`.
pub(crate) struct Word {
    pub(crate) letters: Vec<u32>,
    pub(crate) back: usize,
}

impl Word {
    fn next(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.back }
    }

    /// All words over two letters with a stem of up to 2 and a cycle of up to 3.
    fn all() -> Vec<Word> {
        let mut words = Vec::new();
        for stem in 0..=2usize {
            for cycle in 1..=3 {
                for bits in 0..1u32 << (stem + cycle) {
                    let letters = (0..stem + cycle).map(|k| bits >> k & 1).collect();
                    words.push(Word { letters, back: stem });
                }
            }
        }
        words
    }
}

/// Whether the automaton accepts the word; a letter is the set of its true atoms, as bits.
pub(crate) fn accepts(guards: &Guards, automaton: &Automaton, word: &Word) -> bool {
    let length = word.letters.len();
    let mut graph = Graph { nodes: automaton.state_count() * length, edges: Vec::new() };
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            for (position, &letter) in word.letters.iter().enumerate() {
                if guards.evaluate(edge.guard, |atom| letter >> atom & 1 == 1) {
                    let to = edge.target.index() * length + word.next(position);
                    let from = state.index() * length + position;
                    graph.edges.push((from, edge.marks.0 as u32, to));
                }
            }
        }
    }
    let reachable = graph.reachable(&[automaton.initial().index() * length]);
    let all = automaton.all_marks().0 as u32;
    let components = graph.components(|from, _| reachable[from]);
    components.iter().any(|seen| seen.iter().fold(0, |sum, marks| sum | marks) == all)
}

/// Edges with marks.
struct Graph {
    nodes: usize,
    edges: Vec<(usize, u32, usize)>,
}

impl Graph {
    fn reachable(&self, starts: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.nodes];
        for &start in starts {
            reached[start] = true;
        }
        loop {
            let before = reached.iter().filter(|&&r| r).count();
            for &(from, _, to) in &self.edges {
                reached[to] |= reached[from];
            }
            if reached.iter().filter(|&&r| r).count() == before {
                return reached;
            }
        }
    }

    /// The marks of the edges inside each component (with an edge) of the kept edges: by mutual
    /// reachability, as sets of bits.
    fn components(&self, keep: impl Fn(usize, u32) -> bool) -> Vec<Vec<u32>> {
        assert!(self.nodes <= 128, "rows are words of bits");
        let kept: Vec<_> =
            self.edges.iter().filter(|&&(from, marks, _)| keep(from, marks)).collect();
        let mut reach = vec![0u128; self.nodes];
        for &&(from, _, to) in &kept {
            reach[from] |= 1 << to;
        }
        for via in 0..self.nodes {
            for from in 0..self.nodes {
                if reach[from] >> via & 1 == 1 {
                    reach[from] |= reach[via];
                }
            }
        }
        let mut found = std::collections::BTreeMap::<usize, Vec<u32>>::new();
        for &&(from, marks, to) in &kept {
            if reach[to] >> from & 1 == 1 {
                // The component goes by its smallest node.
                let first =
                    (0..=from).find(|&n| n == from || reach[from] >> n & reach[n] >> from & 1 == 1);
                found.entry(first.expect("at least itself")).or_default().push(marks);
            }
        }
        found.into_values().collect()
    }
}

#[test]
fn conversion_keeps_the_language() {
    let words = Word::all();
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..700 {
        let source = Source::random(&mut SplitMix64::new(seed));
        let text = source.text();
        let [(_, guards, automaton)] = &mut built(&text)[..] else { panic!("one") };
        if automaton.state_count() * 5 > 128 {
            continue;
        }
        for word in &words {
            let expected = source.accepts(word);
            let found = accepts(guards, automaton, word);
            assert_eq!(
                found, expected,
                "seed {seed}, {:?} back to {}\n{text}",
                word.letters, word.back
            );
            if expected { accepted += 1 } else { rejected += 1 }
        }
    }
    assert!(accepted > 5_000 && rejected > 5_000, "{accepted} accepted, {rejected} rejected");
}

/// Conditions without `Fin` need no copies: unions of sets recur. Others need one for each `Fin`.
#[test]
fn copies_are_made_only_for_fin() {
    //  condition                                              copies and sets
    let table = [
        ("t", 1, 0),
        ("f", 1, 0),
        ("Inf(0)", 1, 1),
        ("Inf(0)&Inf(1)&Inf(2)", 1, 3),
        ("Inf(0)|Inf(1)|Inf(2)", 1, 1),
        ("(Inf(0)&Inf(1))|Inf(2)", 1, 2),
        ("(Inf(0)|Inf(1))&(Inf(!0)|Inf(2))", 1, 2),
        ("Inf(0)|Inf(!0)", 1, 0),
        ("Fin(0)", 2, 1),
        ("Fin(0)&Fin(1)", 2, 1),
        ("Fin(0)|Fin(1)", 3, 1),
        ("Fin(0)&Inf(0)", 1, 0),
        ("Fin(0)&Fin(!0)", 1, 0),
        ("Fin(0)|Inf(1)", 2, 1),
        ("(Fin(0)|Inf(1))&(Fin(1)|Inf(2))", 3, 2),
        ("Fin(0)&Inf(1) | Fin(0)&Inf(2)", 2, 1),
        ("Fin(0) | Fin(0)&Inf(1)", 2, 1),
        ("Fin(!0)&Inf(1)&Inf(2)", 2, 2),
    ];
    for (condition, copies, sets) in table {
        let text = format!(
            "HOA: v1 Start: 0 Acceptance: 3 {condition} --BODY-- State: 0 0 {{0 1}} --END--"
        );
        let [(_, _, automaton)] = &built(&text)[..] else { panic!("one") };
        assert_eq!(
            (automaton.state_count(), automaton.acceptance_sets()),
            (copies, sets),
            "{condition}"
        );
    }
}

/// Where the unions are too many, every disjunct has its copy; where those are, it is refused.
#[test]
fn large_conditions_are_met() {
    // Four disjuncts of four sets each: 4^4 unions.
    let rows: Vec<_> = (0..4)
        .map(|row| (0..4).map(|k| format!("Inf({})", 4 * row + k)).collect::<Vec<_>>().join("&"))
        .collect();
    let loops: Vec<_> = (0..16).map(|set| format!("0 {{{set}}}")).collect();
    let automaton = |sets: usize, condition: &str, body: &str| {
        format!(
            "HOA: v1 AP: 4 \"a\" \"b\" \"c\" \"d\" Start: 0 Acceptance: {sets} {condition} --BODY-- State: 0 {body} --END--"
        )
    };
    let text = automaton(16, &rows.join("|"), &loops.join(" "));
    let [(_, guards, built)] = &mut built(&text)[..] else { panic!("one") };
    assert_eq!((built.state_count(), built.acceptance_sets()), (4, 4));
    for (letters, expected) in [
        (vec![0, 1, 2, 3], true),
        (vec![4, 5, 6, 7], true),
        (vec![0, 1, 2, 7], false),
        (vec![12, 13, 15, 14, 0], true),
        (vec![12, 13, 15], false),
    ] {
        assert_eq!(accepts(guards, built, &Word { letters, back: 0 }), expected);
    }
    // Streett with 11 pairs has 2^11 disjuncts.
    let pairs: Vec<_> = (0..11).map(|k| format!("(Fin({})|Inf({}))", 2 * k, 2 * k + 1)).collect();
    let text = automaton(22, &pairs.join("&"), "");
    let message = automata::formats::hoa::read(&text).expect_err("too large").message;
    assert_eq!(message, "the acceptance condition is too large in disjunctive normal form");
}
