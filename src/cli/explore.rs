//! `isonomy explore`: all reachable states of a model, and what is wrong with them.
//!
//! One [`Report`] with two views: [`text`] and [`json`]. Both are complete also when a limit or Ctrl-C has
//! ended the search: they say what is known so far.

mod dot;
mod json;
mod report;
pub(crate) mod svg;
mod text;

use super::budget::{Budget, SearchLimits};
use super::choices::{
    CompressionChoice, DeadlockChoice, Format, SymmetryChoice, threads, warn_of_threads,
};
use super::console::Console;
use super::coverage::Coverage;
use super::error::Error;
use super::escape::escaped;
use super::exit::Exit;
use super::loading::{self, Loaded, ModelOptions};
use super::message::Kind;
use super::picture::{self, MOST_NODES};
use super::results::{self, write_file};
use super::view::LoadedSystem as _;
use super::writing::Writing;
use crate::explore::{self, Exploration, Graph, Symmetry, ViolationKind};
use compile::CompiledModel;
use engine::system::System as _;
use num_bigint::BigUint;
use report::Report;
use std::path::{Path, PathBuf};

/// `isonomy explore`
#[derive(clap::Args, Clone)]
#[command(after_long_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,
    /// Whether states that differ only by symmetry are stored once
    #[arg(long, value_name = "KIND", default_value = "auto")]
    symmetry: SymmetryChoice,
    /// Report deadlocks as violations: when a state counts as one
    ///
    /// Deadlocks are counted anyway: without this option, states that no enabled rule changes.
    #[arg(long, value_name = "KIND", default_value = "off")]
    deadlock: DeadlockChoice,
    /// Continue after states that violate an invariant
    ///
    /// By default such a state is reported, and its successors are not explored.
    #[arg(long = "continue")]
    expand_violating: bool,
    /// The number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// How states are stored
    #[arg(long, value_name = "KIND", default_value = "none")]
    compression: CompressionChoice,
    /// Write a picture of the states and steps, or of the quotient, in the language of Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the same picture as SVG, which needs no other program
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// What to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print all variables after every step of a run, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Print how often each rule fired
    #[arg(long)]
    coverage: bool,
    /// Leave the time and the speed out of the text, so that outputs of two runs can be compared
    #[arg(long)]
    no_time: bool,
    #[command(flatten)]
    limits: SearchLimits,
}

const EXAMPLES: &str = "\
Examples:
  isonomy explore model.m
  isonomy explore model.m -D N=5 --deadlock stuck --threads 2
  isonomy explore model.m --svg quotient.svg
  isonomy explore model.m --symmetry off --dot states.dot && dot -Tpdf states.dot > states.pdf
  isonomy explore model.m --format json | jq '.violations[].message'

Violations:
  Run-time errors, violated invariants and assertions, covers that are never true, states from
  which a liveness property can never be true again; with `--deadlock`, deadlocks. Each is reported
  once, with the number of its states and a shortest run to one of them. Deadlocks are counted in any
  case. The outcome does not depend on the number of threads.

Rules that never fire:
  If every reachable state was expanded, there is a warning for each rule that never fired.
  `--coverage` prints how many instances of each rule were executed, without symmetry.

Symmetry:
  States that differ only by a permutation of interchangeable indices form an orbit; one of them, its
  representative, is stored. The numbers of states, steps, firings and states with a violation are
  exactly those without symmetry reduction, and printed runs are runs of the model. Three kinds of edges
  of the quotient are counted: annotated edges, one per step of a representative; kept edges, one per
  class of interchangeable owners; orbit edges, one per class of equivalent steps. With `fast` the sizes
  of orbits are not known, and representatives are counted instead.

Compression:
  Counts and runs do not depend on it. `tree` stores equal parts of states once, and eight bytes or a few
  more for each state, whatever its length: states of more than 16 bytes take less memory, and more time.

Pictures:
  show at most 2000 states or representatives. Start states have an incoming arrow without a source,
  violations are red, deadlocks are grey. In a quotient, `×3` is the number of states or steps that a node
  or an edge stands for; an edge from r to r' with the permutation (c_0 c_1) leads to its image of r'.

Exit codes of explorations:
  1 if something is violated (with `--deadlock`, a deadlock included); 3 if a limit was reached
  before, or if there are too many states for a picture.";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let is_standard = |file: &Option<PathBuf>| file.as_deref() == Some(Path::new("-"));
    if is_standard(&options.dot) || is_standard(&options.svg) {
        let name = if is_standard(&options.dot) { "dot" } else { "svg" };
        return Err(Error::usage("standard output is for the results of the exploration")
            .help(format!("name a file for the picture: `--{name} states.{name}`")));
    }
    let is_drawn = options.dot.is_some() || options.svg.is_some();
    if is_drawn && options.symmetry == SymmetryChoice::Fast {
        return Err(Error::usage(
            "there is no picture of `--symmetry fast`: what its representatives stand for is not known",
        )
        .help("`--symmetry auto` draws one node per orbit, `--symmetry off` one per state"));
    }
    loading::with_large_stack(|| {
        let budget = Budget::of_run(&options.limits.run);
        if super::nets::is_net(options.model.path()) {
            let is_contest = options.format == Format::Mcc;
            let refused = [
                (options.format == Format::Json, "`--format json`"),
                (is_drawn, "a picture"),
                (options.coverage, "`--coverage`"),
                (options.symmetry == SymmetryChoice::Fast, "`--symmetry fast`"),
                (!options.model.definitions().is_empty(), "`-D`"),
            ];
            if let Some((_, what)) = refused.iter().find(|(is_asked, _)| *is_asked) {
                return Err(Error::usage(format!("{what} is not for Petri nets")));
            }
            return super::nets::explore::run(
                options.model.path(),
                &explore::Options { deadlock: explore::Deadlock::Stuck, ..options.asked() },
                is_contest,
                &budget,
                console,
            );
        }
        let loaded = options.model.load(&budget, console)?;
        let system = CompiledModel::new(&loaded.model);
        let symmetry = options.symmetry.for_system(&system, console);
        let options = &Options { symmetry, ..options.clone() };
        let asked = options.asked();
        let is_reduced = asked.symmetry != Symmetry::Off && !system.indices().is_trivial();
        let exploration = explore::explore(&system, &asked, &budget.watch());
        if let Some(error) = without_states(&exploration) {
            return Err(error);
        }
        let coverage = Coverage::of(&exploration);
        let report = Report::of(&loaded, options, is_reduced, &exploration, &coverage);
        let colour = console.colour_of_results();
        let writing = Writing::results(&budget);
        let printed = results::print(
            console,
            &writing,
            options.format,
            |sheet| text::layout(sheet, &report, options.full_states, colour),
            |parts| json::ReportEntry::of(&report, parts),
        );
        if let Some(console) = console.for_programs() {
            for violation in &report.violations {
                if let Some(diagnostic) = &violation.diagnostic {
                    let kind = Kind::of_result(violation.kind);
                    console.diagnose_among(kind, &loaded.texts(), diagnostic);
                }
            }
        }
        coverage.warn(&loaded, console);
        let exit = concluded(&exploration, asked.deadlock, &loaded, console)
            .and(writing.concluded(console));
        let exit = results::unless_written(exit, printed, console);
        let drawn =
            if is_drawn { options.draw(&loaded, &system, &exploration, &budget) } else { Ok(()) };
        Ok(exit.and(results::unless_written(Exit::Done, drawn, console)))
    })
}

impl Options {
    /// What is asked of the exploration.
    fn asked(&self) -> explore::Options {
        explore::Options {
            deadlock: self.deadlock.into(),
            expand_violating: self.expand_violating,
            most_states: self.limits.max_states,
            threads: threads(self.threads),
            symmetry: self.symmetry.into(),
            compression: self.compression.into(),
        }
    }

    /// Writes the pictures of a small state space.
    fn draw(
        &self,
        loaded: &Loaded,
        system: &CompiledModel<'_>,
        exploration: &Exploration,
        budget: &Budget,
    ) -> Result<(), Error> {
        let states = exploration.progress.states;
        if exploration.stopped.is_some() {
            return Err(Error::too_large("there is no picture of what was not explored"));
        }
        if states > MOST_NODES {
            return Err(Error::too_large(format!(
                "{states} nodes are too many for a picture, {MOST_NODES} at most"
            ))
            .help("give constants smaller values with `-D CONST=VALUE`"));
        }
        let graph = explore::graph(system, &self.asked(), &budget.watch())?;
        agree(&graph, exploration)?;
        if let Some(file) = &self.dot {
            write_file(file, &escaped(&dot::layout(&loaded.model, &graph)))?;
        }
        if let Some(file) = &self.svg {
            picture::check("nodes", graph.nodes.len(), graph.edges.len())?;
            let graph = svg::graph(&loaded.model, &loaded.text.name, &graph);
            write_file(
                file,
                &picture::svg(&graph, "", &mut || budget.probe().map_or(Ok(()), Err))?,
            )?;
        }
        Ok(())
    }
}

/// A model that the assumptions leave without any state would satisfy everything.
fn without_states(exploration: &Exploration) -> Option<Error> {
    let is_empty = exploration.starts == 0
        && exploration.stopped.is_none()
        && !exploration.violations.iter().any(|v| matches!(v.kind, ViolationKind::Failure(_)));
    is_empty.then(loading::no_start)
}

/// Says what a reader of the results should know, and how the run ends.
fn concluded(
    exploration: &Exploration,
    deadlock: explore::Deadlock,
    loaded: &Loaded,
    console: &Console,
) -> Exit {
    let violated = if exploration.violations.is_empty() { Exit::Done } else { Exit::Violated };
    warn_of_threads(console);
    if let Some(reason) = exploration.stopped {
        let error = Error::from(reason);
        console.complain(&error);
        return violated.and(error.exit());
    }
    if !exploration.is_exhaustive() {
        console.note("states that violate an invariant were not expanded; `--continue` does it");
    }
    if exploration.deadlocks > 0 && !deadlock.is_asked() {
        console.note("deadlocks are no violations; `--deadlock stuttering` shows a run to one");
    }
    match loaded.model.formulas.len() {
        0 => {}
        1 => console.note("1 temporal property was not checked: `isonomy check` does it"),
        n => console
            .note(&format!("{n} temporal properties were not checked: `isonomy check` does it")),
    }
    violated
}

/// The picture is made by other means than the exploration: both must have counted the same.
fn agree(graph: &Graph, exploration: &Exploration) -> Result<(), Error> {
    let count = |is: fn(&explore::Node) -> bool| graph.nodes.iter().filter(|one| is(one)).count();
    let drawn: [(&str, BigUint); 6] = [
        ("nodes", graph.nodes.len().into()),
        ("start nodes", count(|node| node.is_start).into()),
        ("deadlocks", count(|node| node.is_deadlock).into()),
        ("states", graph.nodes.iter().map(|node| &node.orbit).sum()),
        ("edges", graph.edges.len().into()),
        ("steps of nodes", graph.edges.iter().map(|edge| edge.steps).sum::<u64>().into()),
    ];
    let Exploration { progress, full, quotient, starts, deadlocks, .. } = exploration;
    let edges = quotient.and_then(|quotient| quotient.orbit_edges).unwrap_or(progress.steps);
    let explored = [
        progress.states.into(),
        (*starts).into(),
        (*deadlocks).into(),
        full.as_ref().map_or(BigUint::ZERO, |full| full.states.clone()),
        edges.into(),
        progress.steps.into(),
    ];
    match drawn.into_iter().zip(explored).find(|((_, drawn), explored)| drawn != explored) {
        Some(((what, drawn), explored)) => Err(Error::Internal(format!(
            "{what}: the interpreter finds {drawn}, the exploration {explored}"
        ))),
        None => Ok(()),
    }
}
