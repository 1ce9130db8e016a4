//! How small and how fast: our automata against Spot's and ltl2ba's, family by family.
//!
//! ```text
//! cargo bench --bench corpus                        both kinds of acceptance, high and low effort
//! cargo bench --bench corpus -- high buchi          one of them
//! cargo bench --bench corpus -- high tgba dac -v    one family, with the formulas that differ
//! cargo bench --bench corpus -- high -x merging     without one technique
//! ```
//!
//! Sizes of the peers are those of `baseline.csv`, beside the corpus of formulas, which stands
//! beside the repository. Each formula is read, translated and forgotten, in one process. The mean
//! is over the formulas that Spot translates in under 60 ms.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]

use automata::Limits;
use automata::translate::{Acceptance, Effort, Techniques, Translator};
use ltl::parser::{Language, parse};
use ltl::{Alphabet, Atoms, Formulas};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

const EFFORTS: [(&str, Effort); 3] =
    [("high", Effort::High), ("medium", Effort::Medium), ("low", Effort::Low)];
const KINDS: [(&str, Acceptance); 2] =
    [("tgba", Acceptance::Generalized), ("buchi", Acceptance::Buchi)];

/// What a peer makes of a formula.
#[derive(Clone, Copy, Default)]
struct Peer {
    states: usize,
    milliseconds: f64,
}

/// By family, line and tool.
type Baseline = HashMap<(String, usize, String), Peer>;

fn main() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/ltl"));
    let Ok(csv) = std::fs::read_to_string(corpus.join("baseline.csv")) else {
        eprintln!("SKIPPED: no corpus of formulas at {}", corpus.display());
        return;
    };
    let mut words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let mut take = |word: &str| {
        let found = words.iter().position(|w| w == word);
        found.map(|at| words.remove(at)).is_some()
    };
    let verbose = take("-v");
    let off: Vec<_> = if take("-x") {
        Techniques::ALL.into_iter().filter(|(name, _)| take(name)).collect()
    } else {
        Vec::new()
    };
    let mut efforts: Vec<_> = EFFORTS.into_iter().filter(|(name, _)| take(name)).collect();
    if efforts.is_empty() {
        efforts = vec![EFFORTS[0], EFFORTS[2]];
    }
    let mut kinds: Vec<_> = KINDS.into_iter().filter(|(name, _)| take(name)).collect();
    if kinds.is_empty() {
        kinds = KINDS.into();
    }
    let baseline = read_baseline(&csv);
    for (effort_name, effort) in efforts {
        for &(kind_name, kind) in &kinds {
            let mut techniques = Techniques::of(effort);
            for (name, technique) in &off {
                *technique(&mut techniques) = false;
                println!("without {name}");
            }
            println!("{effort_name} effort, {kind_name}");
            let tool = match (kind, effort) {
                (Acceptance::Generalized, Effort::Low) => "tgba-low",
                (Acceptance::Generalized, _) => "tgba-small",
                (Acceptance::Buchi, Effort::Low) => "ba-low",
                (Acceptance::Buchi, _) => "ba-small",
            };
            let ours = |line: &str| translate(line, techniques, kind);
            run(corpus, &baseline, tool, &ours, &words, verbose);
        }
    }
}

fn read_baseline(csv: &str) -> Baseline {
    let mut baseline = Baseline::new();
    for line in csv.lines().skip(1) {
        // family,line,formula_aps,tool,status,states,...,inproc_ms (column 11),...
        let fields: Vec<&str> = line.split(',').collect();
        if fields[4] == "ok" {
            let key = (fields[0].to_owned(), fields[1].parse().unwrap_or(0), fields[3].to_owned());
            let states = fields[5].parse().unwrap_or(0);
            let milliseconds = fields[11].parse().unwrap_or(f64::INFINITY);
            baseline.insert(key, Peer { states, milliseconds });
        }
    }
    baseline
}

/// The states of all formulas of a family: ours, Spot's, ltl2ba's.
#[derive(Clone, Copy, Default)]
struct Sizes {
    ours: usize,
    spot: usize,
    ltl2ba: usize,
}

impl Sizes {
    #[allow(clippy::cast_precision_loss, reason = "sums of states are small")]
    fn row(self, name: &str, count: usize, milliseconds: f64) -> String {
        let Sizes { ours, spot, ltl2ba } = self;
        let ratio = ours as f64 / spot as f64;
        format!(
            "{name:<12} {count:>5} {ours:>7} {spot:>7} {ratio:>7.4} {ltl2ba:>7} {milliseconds:>9.1}"
        )
    }
}

fn run(
    corpus: &Path,
    baseline: &Baseline,
    tool: &str,
    ours: &dyn Fn(&str) -> usize,
    families: &[String],
    verbose: bool,
) {
    let mut files: Vec<_> = std::fs::read_dir(corpus.join("dev"))
        .expect("the corpus has a folder `dev`")
        .map(|file| file.expect("readable").path())
        .collect();
    files.sort();
    println!("family       count    ours    spot   ratio  ltl2ba        ms");
    let (mut total, mut all, mut sum) = (Sizes::default(), 0, 0.0);
    let (mut time, mut timed, mut slowest) = (0.0, 0, (0.0, String::new()));
    let (mut larger, mut smaller) = (0, 0);
    for file in files {
        let family = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if !families.is_empty() && !families.contains(&family) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let (mut sizes, mut count, mut family_time) = (Sizes::default(), 0, 0.0);
        for (k, line) in text.lines().enumerate() {
            let peer =
                |tool: &str| baseline.get(&(family.clone(), k + 1, tool.to_owned())).copied();
            let Some(spot) = peer(tool) else { continue };
            let start = Instant::now();
            let states = ours(line);
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            if spot.milliseconds < 60.0 {
                time += milliseconds;
                timed += 1;
            }
            if milliseconds > slowest.0 {
                slowest = (milliseconds, format!("{family} line {}", k + 1));
            }
            (count, family_time) = (count + 1, family_time + milliseconds);
            sizes.ours += states;
            sizes.spot += spot.states;
            sizes.ltl2ba += peer("ltl2ba").unwrap_or_default().states;
            larger += usize::from(states > spot.states);
            smaller += usize::from(states < spot.states);
            if verbose && states != spot.states {
                let word = if states > spot.states { "LARGER" } else { "smaller" };
                println!("  {word} {states} than {}: {line}", spot.states);
            }
        }
        println!("{}", sizes.row(&family, count, family_time));
        total.ours += sizes.ours;
        total.spot += sizes.spot;
        total.ltl2ba += sizes.ltl2ba;
        (all, sum) = (all + count, sum + family_time);
    }
    println!("{}", total.row("total", all, sum));
    println!(
        "larger than Spot {larger}, smaller {smaller}; mean {:.3} ms of {timed}; slowest {:.0} ms, {}\n",
        time / f64::from(timed.max(1)),
        slowest.0,
        slowest.1
    );
}

fn translate(line: &str, techniques: Techniques, kind: Acceptance) -> usize {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let f = parse(Language::Spot, line, &mut formulas, &mut atoms).expect("a formula");
    let alphabet = Alphabet::of(&atoms).expect("few events");
    let mut translator = Translator::with(&alphabet, techniques, Limits::default());
    translator.translate(&mut formulas, f, kind).expect("within the limits").state_count()
}
