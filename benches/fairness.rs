//! How do we compare with PAT's published figures under global fairness, and what does fairness cost?
//!
//! `cargo bench --bench fairness` prints two tables. The first has the population protocols of the paper that adds
//! symmetry to PAT's checks under global fairness (Zhang, Sun, Pang, Liu & Dong; table 1): our verdict, which must
//! be that they are right, representatives, product nodes, time, work in seconds of processors, and peak memory of
//! a process of its own; beside them the paper's states and seconds, reduced and full. Machines differ, and so do
//! states: those of the paper are nodes of a product that remembers the last event, and its start states are built
//! step by step; ours are configurations. Nor does it ask quite the same everywhere, see [`Published::note`]. What
//! takes minutes is left out, unless it is asked for: `cargo bench --bench fairness -- large`.
//!
//! The second table is the cost of fairness: product nodes per second of work without it, and how many times as
//! much work it takes with each notion, for formulas that hold without any, so that all of the product is
//! searched each time. `cargo bench --bench fairness -- cost` prints that alone, `pat` the other.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::cast_precision_loss, reason = "figures of three digits")]

use compile::CompiledModel;
use isonomy::check::{Engine, Options, Verdict, check};
use model::checked::{Demand, Model};
use model::syntax::{Fairness, Over};
use model::{Definition, check_with};
use std::process::Command;
use std::time::{Duration, Instant};
use support::measured::{Work, measure_within};

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_asked_for = |what: &str| arguments.is_empty() || arguments.iter().any(|one| one == what);
    if is_asked_for("pat") || is_asked_for("large") {
        compare(arguments.iter().any(|one| one == "large"));
    }
    if is_asked_for("cost") {
        cost();
    }
}

/// States and seconds.
type Figures = Option<(u64, f64)>;

/// A row of the paper's table.
#[derive(Clone, Copy)]
struct Published {
    /// As it is called there.
    title: &'static str,
    /// Our fixture, and its property.
    model: &'static str,
    property: &'static str,
    size: u32,
    full: Figures,
    reduced: Figures,
    /// Whether it takes us minutes.
    is_large: bool,
    /// What is different here.
    note: &'static str,
}

const TWO_HOP: Published = Published {
    title: "two-hop colouring",
    model: "two_hop_colouring",
    property: "coloured",
    size: 3,
    full: None,
    reduced: None,
    is_large: false,
    note: "",
};
const ENDS: Published = Published {
    title: "orienting rings (prop 1)",
    model: "orienting",
    property: "distinct ends",
    ..TWO_HOP
};
const ORIENTED: Published = Published {
    title: "orienting rings (prop 2)",
    property: "oriented",
    note: "there: of one pair of neighbours; here: of all",
    ..ENDS
};
const DETECTOR: Published = Published {
    title: "leader election (complete)",
    model: "leader_detector_ring",
    property: "one leader",
    note: "in rings, there too",
    ..TWO_HOP
};
const ODD: Published = Published {
    title: "leader election (odd)",
    model: "leader_odd_ring",
    property: "one leader",
    note: "there: not all starts (of N = 3: 4096 of 32768)",
    ..TWO_HOP
};
const TOKEN: Published = Published {
    title: "token circulation",
    model: "token_circulation",
    property: "one token",
    ..TWO_HOP
};

const fn row(of: Published, size: u32, full: Figures, reduced: Figures) -> Published {
    Published { size, full, reduced, ..of }
}

const fn large(of: Published, size: u32, full: Figures, reduced: Figures) -> Published {
    Published { is_large: true, ..row(of, size, full, reduced) }
}

/// The paper's table 1.
const PUBLISHED: [Published; 18] = [
    row(TWO_HOP, 3, Some((122_856, 36.7)), Some((42_182, 16.7))),
    row(ENDS, 3, Some((19_190, 2.27)), Some((6398, 0.53))),
    row(ORIENTED, 3, Some((19_445, 2.23)), Some((6503, 0.97))),
    row(ENDS, 4, Some((1_255_754, 267.2)), Some((313_940, 70.5))),
    row(ORIENTED, 4, Some((1_206_821, 267.1)), Some((302_071, 63.6))),
    large(ENDS, 5, Some((11_007_542, 9628.1)), Some((2_201_510, 1067.4))),
    large(ORIENTED, 5, Some((10_225_849, 8322.6)), Some((2_045_935, 954.5))),
    row(DETECTOR, 3, Some((6946, 0.87)), Some((2419, 0.51))),
    row(DETECTOR, 4, Some((65_468, 11.6)), Some((16_758, 5.0))),
    row(DETECTOR, 5, Some((598_969, 176.1)), Some((120_021, 45.9))),
    row(ODD, 3, Some((55_100, 6.27)), Some((18_561, 2.56))),
    large(ODD, 5, None, Some((6_444_097, 5803.96))),
    row(TOKEN, 3, Some((728, 0.12)), Some((244, 0.09))),
    row(TOKEN, 4, Some((4466, 0.35)), Some((1118, 0.19))),
    row(TOKEN, 5, Some((24_847, 1.86)), Some((4971, 0.77))),
    row(TOKEN, 6, Some((129_344, 10.7)), Some((21_559, 3.03))),
    row(TOKEN, 7, Some((643_666, 77.2)), Some((91_954, 16.2))),
    row(TOKEN, 8, Some((3_104_594, 740.8)), Some((388_076, 97.1))),
];

/// No check is waited for longer.
const PATIENCE: Duration = Duration::from_secs(3 * 3600);

/// Prints the first table.
fn compare(with_large: bool) {
    println!(
        "{:<28} {:>2}  {:<7} {:>8} {:>8} {:>7} {:>7} {:>7}   {:>8} {:>8} {:>9} {:>8}",
        "PAT, global fairness",
        "N",
        "verdict",
        "reps",
        "nodes",
        "s",
        "work s",
        "peak MB",
        "PAT red.",
        "s",
        "PAT full",
        "s"
    );
    for published in PUBLISHED.iter().filter(|one| with_large || !one.is_large) {
        let Published { title, model, property, size, note, .. } = published;
        let file = format!("fixtures/models/{model}.m");
        let mut command = Command::new(env!("CARGO_BIN_EXE_isonomy"));
        command.args(["check", &file, "-D", &format!("N={size}"), "-p", property]);
        command.args(["--fairness", "global", "--threads", "1", "--format", "json"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let measured = measure_within(PATIENCE, &mut command);
        let found: serde_json::Value = serde_json::from_str(&measured.output)
            .unwrap_or_else(|error| panic!("{title} {size}: {error}\n{}", measured.output));
        let result = &found["results"][0];
        assert_eq!(result["verdict"], "holds", "{title} {size}: {result}");
        let count = |name: &str| result["stats"][name].as_u64().expect("a number");
        println!(
            "{title:<28} {size:>2}  holds   {:>8} {:>8} {:>7.2} {:>7.2} {:>7.0}   {}  {note}",
            count("aqs_states"),
            count("product_nodes"),
            measured.time.as_secs_f64(),
            measured.work,
            count("peak_rss_bytes") as f64 / 1e6,
            shown(published),
        );
    }
}

/// The figures of the paper.
fn shown(published: &Published) -> String {
    let part = |figures: Figures, width: usize| match figures {
        Some((states, seconds)) => format!("{states:>width$} {seconds:>8.2}"),
        None => format!("{:>width$} {:>8}", "-", "-"),
    };
    format!("{} {}", part(published.reduced, 8), part(published.full, 9))
}

/// Fixtures with constants, and what holds of all of their runs.
const SEARCHED: [(&str, &[&str], &str); 6] = [
    ("peterson", &["N=6"], "forall i: proc. (G F @begin(i)) -> G F pc[i] = Critical"),
    (
        "german",
        &["N=4", "D=1"],
        "forall i: node. (G F @receive(i)) -> G F cache[i].state != Invalid",
    ),
    (
        "database_managers",
        &["N=100"],
        "forall i: manager. G(st[i] = Waiting -> F st[i] = Inactive)",
    ),
    (
        "readers_writers",
        &["READERS=30", "WRITERS=20"],
        "G((exists i: writer do w[i] = Waiting end) -> F (exists i: writer do w[i] = Active end))",
    ),
    ("token_circulation", &["N=7"], "forall i: node. G F token[i] = 1"),
    ("leader_detector_ring", &["N=5"], "(G F @\"become correct\") -> F G correct"),
];

const NOTIONS: [(&str, Fairness, Over); 6] = [
    ("none", Fairness::None, Over::Processes),
    ("weak", Fairness::Weak, Over::Processes),
    ("strong", Fairness::Strong, Over::Processes),
    ("weak ev.", Fairness::Weak, Over::Events),
    ("strong ev.", Fairness::Strong, Over::Events),
    ("global", Fairness::Global, Over::Processes),
];

/// Each check is done so many times, and the least of its times counts.
const TIMES: usize = 3;

/// Prints the second table.
fn cost() {
    print!("{:<40} {:>8} {:>8}", "cost of fairness", "nodes", "nodes/s");
    for (notion, ..) in &NOTIONS[1..] {
        print!(" {notion:>10}");
    }
    println!();
    for (name, definitions, formula) in SEARCHED {
        let model = read(name, definitions, formula);
        let system = CompiledModel::new(&model);
        let mut first = None;
        for (notion, fairness, over) in NOTIONS {
            let demand = Demand { fairness, over, declared: false };
            let options = Options { demand, engine: Engine::Components, ..Options::default() };
            let mut least = f64::INFINITY;
            let mut nodes = 0;
            for _ in 0..TIMES {
                let before = now();
                let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none());
                let found = found.unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
                least = least.min(now() - before);
                let holds = matches!(found.verdict, Verdict::Holds);
                assert!(holds, "{name}, {notion}: {:?}", found.verdict);
                nodes = found.statistics.product_nodes;
            }
            match first {
                None => {
                    first = Some((nodes, least));
                    let title = format!("{name} {}", definitions.join(" "));
                    print!("{title:<40} {nodes:>8} {:>8.0}", nodes as f64 / least);
                }
                Some((all, none)) => {
                    assert_eq!(nodes, all, "{name}, {notion}: another product");
                    print!(" {:>10.2}", least / none);
                }
            }
        }
        println!();
    }
}

fn read(name: &str, definitions: &[&str], formula: &str) -> Model {
    let file = format!("{}/fixtures/models/{name}.m", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let definitions: Vec<Definition> = definitions
        .iter()
        .map(|one| {
            let (name, value) = one.split_once('=').expect("NAME=VALUE");
            Definition { name: name.to_owned(), value: value.to_owned() }
        })
        .collect();
    let model = check_with(&text, &definitions, &[formula]);
    model.unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// Seconds that this process has worked; where the system does not tell, seconds that have passed.
fn now() -> f64 {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let began = BEGAN.get_or_init(Instant::now);
    let mut work = Work::of(std::process::id());
    work.look();
    work.seconds().unwrap_or_else(|| began.elapsed().as_secs_f64())
}
