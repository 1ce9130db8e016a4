//! A formula about one process under weak fairness, beside Spin's `pan -a -f`.
//!
//! With symmetry we check the formula of the fixture, `forall i: proc.`, which is one question up to symmetry.
//! Without it that would be a question for each process, so the type of processes is made a range, `1..N`, and
//! the formula names process 1: that is what Spin is asked.

use crate::lab::{Lab, in_turns};
use crate::model::{Model, number_before};
use crate::table::{Table, figure, geometric_mean, megabytes, summary};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use support::measured::Measured;
use support::spin::{self, Aim};

/// A property that holds under weak fairness.
struct Question {
    model: Model,
    /// As it is called in the fixture.
    property: &'static str,
    /// The same about process 1 alone; nothing if it is about nobody in particular.
    of_one: &'static str,
    /// What is enough for Spin: a stack, and the table with which it was fastest.
    depth: u64,
    table: u32,
}

/// Sizes with which Spin takes ten to a hundred seconds, as far as there are such: Peterson's protocol takes it three with
/// N = 5, and the queue lock one with N = 4 and many minutes with N = 5.
const QUESTIONS: [Question; 5] = [
    Question {
        model: Model::new("peterson", "N=6"),
        property: "access",
        of_one: "G(pc[1] = Raise -> F pc[1] = Critical)",
        depth: 2_420_000,
        table: 25,
    },
    Question {
        model: Model::new("mcs_lock_stepwise", "N=4"),
        property: "access",
        of_one: "G(at[1] = Join -> F at[1] = Inside)",
        depth: 156_000,
        table: 20,
    },
    Question {
        model: Model::new("chang_roberts", "N=6"),
        property: "elected",
        of_one: "",
        depth: 200,
        table: 22,
    },
    Question {
        model: Model::new("ticket_lock", "N=8"),
        property: "access",
        of_one: "G(!isundefined(ticket[1]) -> F inside[1])",
        depth: 1_100_000,
        table: 22,
    },
    Question {
        model: Model::new("database_managers", "N=13"),
        property: "done",
        of_one: "G(st[1] = Waiting -> F st[1] = Inactive)",
        depth: 1_000,
        table: 23,
    },
];

impl Question {
    /// The whole of what a user would ask.
    fn with_symmetry(&self, file: &str) -> Command {
        let mut command = isonomy(file, self.model);
        command.args(["-p", self.property]);
        command
    }

    fn without_symmetry(&self, folder: &Path) -> Command {
        if self.of_one.is_empty() {
            let mut command = self.with_symmetry(&self.model.path());
            command.args(["--symmetry", "off"]);
            return command;
        }
        let text = self.model.text();
        let plain = text.replace(": scalarset(N);", ": 1..N;");
        assert_ne!(plain, text, "{}: nobody is symmetric", self.model);
        let file = folder.join(format!("{}_plain.m", self.model.name));
        std::fs::write(&file, plain).expect("the folder is ours");
        let mut command = isonomy(&file.to_string_lossy(), self.model);
        command.args(["--symmetry", "off", self.of_one]);
        command
    }
}

fn isonomy(file: &str, model: Model) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isonomy"));
    command.args(["check", file, "--fairness", "weak", "--threads", "1"]);
    for constant in model.constants.split_whitespace() {
        command.args(["-D", constant]);
    }
    command
}

pub(crate) fn section(lab: &mut Lab) -> String {
    let mut table = Table::new(&[
        "model",
        "formula",
        "by",
        "product",
        "s",
        "work, s",
        "MB",
        "time, Spin : us",
        "memory, Spin : us",
    ]);
    let mut times = [Vec::new(), Vec::new()];
    let mut memories = [Vec::new(), Vec::new()];
    for question in &QUESTIONS {
        let model = question.model;
        let pan = lab.pan(model, Aim::Liveness);
        let commands = vec![
            pan.map(|pan| pan.command(question.depth, question.table)),
            Some(question.with_symmetry(&model.path())),
            Some(question.without_symmetry(lab.folder())),
        ];
        let runs = in_turns(commands);
        let [theirs, Some(with), Some(without)] = &runs[..] else { unreachable!("ours are there") };
        let spins = theirs.as_ref().map(|theirs| {
            let report = spin::report(&theirs.output)
                .unwrap_or_else(|| panic!("{model}: no result of Spin\n{}", theirs.output));
            assert!(report.passes, "{model}: Spin finds it violated");
            report
        });
        let mut row = |by: &str, nodes: u64, run: &Measured, ratios: Option<(f64, f64)>| {
            let shown = |ratio: Option<f64>| ratio.map_or("-".to_owned(), figure);
            table.row(vec![
                model.to_string(),
                question.property.to_owned(),
                by.to_owned(),
                nodes.to_string(),
                figure(run.time.as_secs_f64()),
                figure(run.work),
                megabytes(run.peak),
                shown(ratios.map(|(time, _)| time)),
                shown(ratios.map(|(_, memory)| memory)),
            ]);
        };
        if let (Some(run), Some(report)) = (theirs, spins) {
            row("Spin", report.stored, run, None);
        }
        for (k, (by, run)) in [("symmetry", with), ("no symmetry", without)].into_iter().enumerate()
        {
            assert!(run.output.starts_with("holds: "), "{model}, {by}:\n{}", run.output);
            let nodes = product(&run.output);
            let nodes = nodes.unwrap_or_else(|| panic!("{model}: no counts\n{}", run.output));
            let ratios = theirs.as_ref().map(|theirs| {
                let time = theirs.time.as_secs_f64() / run.time.as_secs_f64();
                (time, theirs.peak as f64 / run.peak as f64)
            });
            times[k].extend(ratios.map(|(time, _)| time));
            memories[k].extend(ratios.map(|(_, memory)| memory));
            row(by, nodes, run, ratios);
        }
    }
    let mut text = table.markdown();
    if !lab.has_spin() {
        return text + "\nSKIPPED: Spin is not here.\n";
    }
    for (k, by) in ["With", "Without"].into_iter().enumerate() {
        let _ = writeln!(
            text,
            "{}- {by} symmetry, as many times as fast as Spin: {}; as many times less memory: \
             geometric mean {:.2}.",
            if k == 0 { "\n" } else { "" },
            summary(&times[k]),
            geometric_mean(&memories[k]),
        );
    }
    text
}

/// Nodes of the product, as the program counts them.
fn product(output: &str) -> Option<u64> {
    let (_, behind) = output.split_once("product: ")?;
    number_before(behind, " nodes")
}
