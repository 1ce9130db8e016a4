//! `isonomy check`: whether a model satisfies its properties, or formulas that are asked about it.
//!
//! Formulas are checked together over one quotient; properties of states by one exploration. Both are
//! done before anything is printed, so that a run-time error of the model, wherever it was met, comes
//! before what holds. The [`Findings`] have three views: [`text`], [`json`] and [`html`]. What they share,
//! names, places and messages, is a [`Report`].

mod asked;
pub(super) mod html;
pub(super) mod json;
mod naming;
pub(super) mod report;
pub(super) mod text;
pub(super) mod words;

use super::budget::{Budget, SearchLimits};
use super::certificate::{Certified, Checked};
use super::choices::{DeadlockChoice, Format, SymmetryChoice, threads, warn_of_threads};
use super::console::Console;
use super::coverage::Coverage;
use super::error::Error;
use super::exit::Exit;
use super::loading::{self, ModelOptions};
use super::message::Kind;
use super::results::{self, VerdictWord};
use super::view::LoadedSystem;
use super::writing::Writing;
use crate::check::states::{self, check_states, check_states_on};
use crate::check::{
    self, Engine, PartialOrder, Shortening, check_all_on, empty_quotient, expanded_all,
};
use crate::finding::{self, Findings, Item};
use asked::Asked;
use certify::Limits;
use clap::ValueEnum;
use compile::CompiledModel;
use engine::explore::{Compression, Deadlock};
use engine::quotient::Quotient;
use engine::system::System as _;
use model::checked::{Demand, Formula, PropertyId};
use model::syntax::{Fairness, Over, PropertyKind};
use report::Report;
use run::Every;
use std::io;
use std::path::{Path, PathBuf};

/// `isonomy check`
#[derive(clap::Args, Clone)]
#[command(after_long_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,
    /// Formulas to check; without any, all properties of the model
    #[arg(value_name = "FORMULA")]
    formulas: Vec<String>,
    /// Check a property of the model; may be repeated
    #[arg(short = 'p', long = "property", value_name = "NAME")]
    names: Vec<String>,
    /// Check the properties of a file of the Model Checking Contest: for Petri nets; may be repeated
    #[arg(long, value_name = "FILE.xml")]
    properties: Vec<PathBuf>,
    /// Which runs are considered; `under ... fairness` in a formula takes precedence
    #[arg(long, value_name = "KIND", default_value = "none")]
    fairness: FairnessChoice,
    /// What weak and strong fairness range over [default: process]
    #[arg(long, value_name = "KIND")]
    fair_over: Option<OverChoice>,
    /// Ignore the fairness that the model declares: justice, compassion, fair rules
    #[arg(long)]
    ignore_declared_fairness: bool,
    /// Whether states that differ only by symmetry are stored once
    #[arg(long, value_name = "KIND", default_value = "auto")]
    symmetry: SymmetryChoice,
    /// Partial-order reduction: where the steps of one process are enough, follow these only
    ///
    /// For formulas that steps without effect on their atoms cannot change, under no, weak, strong and
    /// declared fairness. `isonomy describe --por` says which rules are local to their process.
    #[arg(long, value_name = "KIND", default_value = "off")]
    por: PorChoice,
    /// The algorithm that searches for a run that violates a formula
    #[arg(long, value_name = "KIND", default_value = "auto")]
    engine: EngineChoice,
    /// Search for violated formulas with a bit table of this many MiB per thread in place of a set of states
    ///
    /// Violations are real. Without one the result is "unknown", because states may have been missed: an
    /// estimate of their number is printed.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    bitstate: Option<u64>,
    /// Search for violated formulas with a 64-bit hash in place of each visited node
    ///
    /// Violations are real. Without one the result is "unknown", as with `--bitstate`, but states are missed
    /// with a much smaller probability.
    #[arg(long, conflicts_with = "bitstate")]
    hash_compaction: bool,
    /// Search for deadlocks, too; the value says which states are deadlocks
    ///
    /// Temporal formulas do not need it: a run that reaches a state without successors stays there forever.
    #[arg(long, value_name = "KIND", default_value = "off")]
    deadlock: DeadlockChoice,
    /// The number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// What to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print all variables after every step of a run, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Print the value of an expression along runs; may be repeated
    #[arg(long, value_name = "EXPR")]
    show: Vec<String>,
    /// Print how often each rule fired
    ///
    /// All reachable states are explored for that, if they have not been.
    #[arg(long)]
    coverage: bool,
    /// Leave times out of the text, so that outputs of two runs can be compared
    #[arg(long)]
    no_time: bool,
    /// Take more time to find a shorter run that violates a formula
    ///
    /// Counterexamples are always shortened, with a part of the effort of the search. This option allows
    /// 4 million edges for each of them: enough for a shortest run, if the system is small.
    #[arg(long)]
    shortest: bool,
    /// Write the results as a page for the browser
    ///
    /// It shows counterexamples step by step, beside the formula and its automaton, and is one file without
    /// any others.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a certificate of the properties that hold, for `isonomy verify`
    ///
    /// It proves, state by state and edge by edge, that no run violates them. Without symmetry reduction, or
    /// with many fairness obligations, it may be large and take longer than the check.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Validate counterexamples without shortcuts
    ///
    /// The judge evaluates the guards of all rules in every state of a run, even guards that cannot fail.
    /// This takes longer; verdicts do not depend on it.
    #[arg(long)]
    paranoid: bool,
    #[command(flatten)]
    limits: SearchLimits,
}

const EXAMPLES: &str = "\
Examples:
  isonomy check model.m
  isonomy check model.m 'forall c: client. G(st[c] = Waiting -> F st[c] = Working)'
  isonomy check model.m 'G F @grant' 'G(lent > 0 -> @by(server) R lent > 0)' -D N=5
  isonomy check model.m -p exclusion -p 'eventual access' --deadlock stuck
  isonomy check model.m --format json | jq '.results[] | {name, verdict}'

Formulas:
  `isonomy describe model.m` prints the names that a formula may use. Operators: ! X F G, U W R M, & | ->
  <->. G is always, F eventually, G F infinitely often. Atoms are Boolean expressions of the model, or
  events: @grant(c), @grant(_), @by(server).
  `forall c, d: T.` or `forall distinct c, d: T.` may stand in front.

Fairness:
  weak     a process that is eventually always enabled is executed infinitely often
  strong   a process that is enabled infinitely often is executed infinitely often
  global   a step whose source state is visited infinitely often is taken infinitely often
  Weak and strong fairness are over processes, or over events. `... under weak fairness` in a formula
  takes precedence over `--fairness`. Fairness that the model declares (justice, compassion, fair rules)
  is required in addition.

Verdicts:
  holds     no run violates it. For a cover: it is true somewhere; for `liveness e`: from every state
            one can be reached where e is true.
  violated  a counterexample is printed: for a formula a lasso, a stem and then a loop that is repeated
            forever. It was executed and validated again, without symmetry and automata.
            A globally fair run whose loop is too long is printed as a component: the states, up to
            permutation, in which it stays, and all of whose steps it takes infinitely often.
  unknown   a limit was reached, or a run-time error of the model; the reason is printed.
  A run-time error that is reached is a result of its own, and comes first.

Counts:
  are those of the search for this result alone: they do not depend on what else is checked, nor on the
  number of threads. Representatives are states up to symmetry.

Exit codes of checks (the first that applies):
  4    internal error: a counterexample was not valid
  2    bad usage or bad input; one bad formula means that nothing is checked. Also if the search is
       refused for some property, because it would not be sound under its fairness
  130  interrupted; what is known is printed
  1    some property is violated, or a run-time error of the model was reached
  3    some property is unknown
  0    every property holds";

/// `--fairness`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FairnessChoice {
    /// All runs
    None,
    /// Every process that is eventually always enabled is executed infinitely often
    Weak,
    /// Every process that is enabled infinitely often is executed infinitely often
    Strong,
    /// Every step whose source state is visited infinitely often is taken infinitely often
    Global,
    /// A verdict under each of them
    All,
}

/// `--fair-over`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OverChoice {
    /// Processes
    #[value(alias = "processes")]
    Process,
    /// Events, each with its arguments
    #[value(alias = "events")]
    Event,
}

/// `--por`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PorChoice {
    /// Where it is sound for a formula; the reason is printed if it is not
    Auto,
    /// Never
    Off,
}

/// `--engine`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EngineChoice {
    /// Breadth-first search for a bad prefix, if the formula is a safety property; else `scc`; with four
    /// threads or more and a single formula, `sets` after a million nodes
    Auto,
    /// Depth-first search for an accepting strongly connected component
    Scc,
    /// Elimination, with all threads on one formula at a time: nodes that no accepting run visits infinitely
    /// often are removed
    Sets,
    /// Nested depth-first search for an accepting cycle
    Ndfs,
}

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    options.refuse_nonsense()?;
    loading::with_large_stack(|| {
        let budget = Budget::of_run(&options.limits.run);
        if super::nets::is_net(options.model.path()) {
            let asked = options.of_net()?;
            return super::nets::check::run(&asked, &budget, console);
        }
        if !options.properties.is_empty() {
            return Err(Error::usage("`--properties` is for Petri nets, and this is a model")
                .help("a file that ends in `.pnml`, or begins like XML, is a net"));
        }
        asked::refuse_words(&options.formulas)?;
        let loaded = options.model.load_with(&options.formulas, &options.show, &budget, console)?;
        let all_kinds = (options.fairness == FairnessChoice::All).then(|| options.over());
        let asked = Asked::of(&loaded, &options.names, all_kinds)?;
        let mut system = CompiledModel::new(&loaded.model);
        if options.paranoid {
            system = system.paranoid();
        }
        if !has_start(&system, &budget) {
            return Err(loading::no_start());
        }
        let symmetry = options.symmetry.for_system(&system, console);
        let options = &Options { symmetry, ..options.clone() };
        let (findings, coverage) = searched(options, &asked, &system, &budget);
        let checked = Checked {
            loaded: &loaded,
            system: &system,
            formulas: asked.formulas.iter().map(AsRef::as_ref).collect(),
            deadlock: match options.deadlock {
                DeadlockChoice::Off => None,
                DeadlockChoice::Stuck => Some(judge::Deadlock::Stuck),
                DeadlockChoice::Stuttering => Some(judge::Deadlock::Stuttering),
            },
            findings: &findings,
            reduction: options.of_formulas().reduction,
        };
        let watch = budget.watch();
        let limits = Limits::new(threads(options.threads), &watch);
        let certified =
            options.certificate.as_ref().map(|file| Certified::of(file, &checked, limits));
        let report = Report {
            is_timed: !options.no_time,
            is_reduced: symmetry != SymmetryChoice::Off && !system.indices().is_trivial(),
            ..naming::report(
                &loaded,
                (&asked, &system),
                symmetry,
                (&findings, coverage, options.coverage),
                certified.as_ref(),
            )
        };
        let colour = console.colour_of_results();
        let writing = Writing::results(&budget);
        let printed = results::print(
            console,
            &writing,
            options.format,
            |sheet| text::layout(sheet, &report, options.full_states, colour),
            |parts| json::ReportEntry::of(&report, parts),
        );
        if printed.is_ok() && asked.is_nothing() && options.deadlock == DeadlockChoice::Off {
            console.note("the model has no properties: only run-time errors were looked for");
        }
        report.coverage.warn(&loaded, console);
        let exit = concluded(&report, console).and(writing.concluded(console));
        // The report is written even if standard output is closed.
        let exit = results::unless_written(exit, printed, console);
        let written = options.report.as_ref().map_or(Ok(()), |file| {
            write(file, &budget, console, || {
                let space = html::Space::of(&system, &loaded, options, &budget)?;
                html::page(&report, &system, &space, &budget)
            })
        });
        let exit = exit.and(results::unless_written(Exit::Done, written, console));
        drop(report);
        let told = certified.map_or(Ok(()), |certified| certified.tell(&checked, console));
        Ok(exit.and(results::unless_written(Exit::Done, told, console)))
    })
}

impl Options {
    /// Refuses options that make no sense together, before anything lasts.
    fn refuse_nonsense(&self) -> Result<(), Error> {
        let is_for_nobody = matches!(self.fairness, FairnessChoice::None | FairnessChoice::Global);
        if self.fair_over.is_some() && is_for_nobody {
            return Err(Error::usage(
                "`--fair-over` is about weak and strong fairness, and neither is asked for",
            )
            .help("say `--fairness weak`, `--fairness strong` or `--fairness all`"));
        }
        let is_hashed = self.bitstate.is_some() || self.hash_compaction;
        if is_hashed && matches!(self.engine, EngineChoice::Scc | EngineChoice::Sets) {
            let engine = if self.engine == EngineChoice::Scc { "scc" } else { "sets" };
            return Err(Error::usage(format!(
                "`--bitstate` and `--hash-compaction` are nested searches: there are none for `--engine {engine}`",
            ))
            .help("leave out one of the two"));
        }
        if self.por == PorChoice::Auto && self.certificate.is_some() {
            return Err(Error::usage(
                "a certificate is about all steps: there is none with `--por auto`",
            )
            .help("leave out one of the two"));
        }
        if self.report.as_deref() == Some(Path::new("-")) {
            return Err(Error::usage("standard output is for the results of the check")
                .help("name a file for the report: `--report report.html`"));
        }
        // Nobody wants to hear at the end of a long search that there is no such folder.
        if let Some(file) = &self.report
            && let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty())
            && !folder.is_dir()
        {
            let name = file.display().to_string();
            let error = io::Error::new(io::ErrorKind::NotFound, "there is no such folder");
            return Err(Error::File { action: "write", name, error });
        }
        Ok(())
    }

    fn over(&self) -> Over {
        match self.fair_over {
            None | Some(OverChoice::Process) => Over::Processes,
            Some(OverChoice::Event) => Over::Events,
        }
    }

    /// What is asked of a net, if it is something that can be asked of nets.
    fn of_net(&self) -> Result<super::nets::check::Asked<'_>, Error> {
        let refused = [
            (!self.names.is_empty(), "`--property`"),
            (self.paranoid, "`--paranoid`"),
            (self.coverage, "`--coverage`"),
            (!self.show.is_empty(), "`--show`"),
            (!self.model.definitions().is_empty(), "`-D`"),
            (self.symmetry == SymmetryChoice::Fast, "`--symmetry fast`"),
            (self.deadlock == DeadlockChoice::Stuttering, "`--deadlock stuttering`"),
            (self.fairness == FairnessChoice::All, "`--fairness all`"),
        ];
        if let Some((_, what)) = refused.iter().find(|(is_asked, _)| *is_asked) {
            return Err(Error::usage(format!("{what} is not for Petri nets")));
        }
        let needs_whom = matches!(self.fairness, FairnessChoice::Weak | FairnessChoice::Strong);
        if needs_whom && self.fair_over != Some(OverChoice::Event) {
            return Err(Error::usage("a net has no processes to be fair to")
                .help("`--fair-over event` is fair to each transition with its colours"));
        }
        let is_fair = self.fairness != FairnessChoice::None;
        if self.shortest && is_fair && self.symmetry != SymmetryChoice::Off {
            return Err(Error::usage("`--shortest` under fairness is not for nets with symmetry")
                .help("`--symmetry off` searches all markings, and shortens fair runs"));
        }
        Ok(super::nets::check::Asked {
            net: self.model.path(),
            properties: &self.properties,
            formulas: &self.formulas,
            finds_dead: self.deadlock == DeadlockChoice::Stuck,
            format: self.format,
            full_states: self.full_states,
            certificate: self.certificate.as_deref(),
            report: self.report.as_deref(),
            symmetry: self.symmetry,
            check: check::Options { finds_vacuity: false, ..self.of_formulas() },
        })
    }

    /// What is demanded of runs, unless a formula says so itself.
    fn demand(&self) -> Demand {
        let fairness = match self.fairness {
            FairnessChoice::None | FairnessChoice::All => Fairness::None,
            FairnessChoice::Weak => Fairness::Weak,
            FairnessChoice::Strong => Fairness::Strong,
            FairnessChoice::Global => Fairness::Global,
        };
        Demand { fairness, over: self.over(), declared: !self.ignore_declared_fairness }
    }

    fn of_formulas(&self) -> check::Options {
        check::Options {
            reduction: self.symmetry.into(),
            engine: match (self.bitstate, self.engine) {
                (Some(mebibytes), _) => Engine::Bitstate { bytes: mebibytes << 20 },
                (None, _) if self.hash_compaction => Engine::Compaction,
                (None, EngineChoice::Auto) => Engine::Auto,
                (None, EngineChoice::Scc) => Engine::Components,
                (None, EngineChoice::Sets) => Engine::Sets,
                (None, EngineChoice::Ndfs) => Engine::Nested,
            },
            partial_order: match self.por {
                PorChoice::Auto => PartialOrder::Auto,
                PorChoice::Off => PartialOrder::Off,
            },
            most_states: self.limits.max_states,
            threads: threads(self.threads),
            finds_vacuity: true,
            shortening: if self.shortest { Shortening::Thorough } else { Shortening::Quick },
            demand: self.demand(),
            ..check::Options::default()
        }
    }

    fn of_states(&self, asked: &Asked<'_>) -> states::Options {
        states::Options {
            properties: asked.properties.clone(),
            deadlock: self.deadlock.into(),
            symmetry: self.symmetry.into(),
            most_states: self.limits.max_states,
            threads: threads(self.threads),
        }
    }
}

/// Writes a report, which is made in pieces: all of it, or nothing.
pub(super) fn write(
    file: &Path,
    budget: &Budget,
    console: &Console,
    page: impl FnOnce() -> Result<Vec<String>, Error>,
) -> Result<(), Error> {
    let span = tracing::debug_span!("report.write", bytes = tracing::field::Empty);
    let _entered = span.enter();
    let page = Writing::results(budget).over(page);
    let page = page.unwrap_or_else(|reason| Err(reason.into())).map_err(|error| match error {
        Error::Stopped(reason) => {
            Error::Unwritten { what: format!("`{}` was not written", file.display()), reason }
        }
        other => other,
    })?;
    span.record("bytes", page.iter().map(String::len).sum::<usize>());
    results::write_pieces(file, &page)?;
    console.note(&format!("the report is in {}", file.display()));
    Ok(())
}

/// A model that the assumptions leave without any state would satisfy everything. What fails, and a limit
/// that is reached before, are for the search to tell.
fn has_start(system: &CompiledModel<'_>, budget: &Budget) -> bool {
    let span = tracing::debug_span!("model.starts", states = tracing::field::Empty).entered();
    let mut worker = system.worker();
    let mut tried = 0_u64;
    let has_start = budget.watch().over(|| {
        system.starts().any(|start| {
            tried += 1;
            if Every::START.is_due(tried) {
                tracing::trace!(target: "progress", states = tried);
            }
            start.map_or(true, |state| !matches!(worker.is_assumed(&state), Ok(false)))
        })
    });
    span.record("states", tried);
    has_start.unwrap_or(true)
}

/// Does all the searching: first for the kind of question that was asked first. But states come before
/// formulas if `liveness` is asked about: its nearest states are then the same in every run.
///
/// Under symmetry there is one state space for all. Without, steps are not stored and formulas
/// compute them anew in any case: a space that is numbered in the order of their own search is then
/// faster than that of the exploration, which is dropped before.
fn searched(
    options: &Options,
    asked: &Asked<'_>,
    system: &CompiledModel<'_>,
    budget: &Budget,
) -> (Findings, Coverage) {
    let formulas: Vec<&Formula> = asked.formulas.iter().map(AsRef::as_ref).collect();
    let (of_formulas, of_states) = (options.of_formulas(), options.of_states(asked));
    let watch = budget.watch();
    let explores = asked.needs_exploration() || options.deadlock != DeadlockChoice::Off;
    let kind = |id: &PropertyId| system.model().properties[id.0 as usize].kind;
    let has_liveness = asked.properties.iter().any(|id| kind(id) == PropertyKind::Liveness);
    let begins_with_formula =
        matches!(asked.items.first(), Some(Item::Formula(_))) && !has_liveness;
    // Searches without a store do not read edges.
    let reads_edges = !formulas.is_empty() && !of_formulas.engine.is_unstored();
    let reduction = states::reduction_for(system, of_states.symmetry);
    let shared = (explores && reads_edges && reduction == of_formulas.reduction)
        .then(|| Quotient::sharded(system, reduction, Compression::None))
        .filter(|space| !space.is_plain())
        .map(|space| if begins_with_formula { space } else { space.with_edges() });
    let (mut outcomes, mut answers) = (Vec::new(), None);
    let mut coverage = Coverage::default();
    for is_formulas in [begins_with_formula, !begins_with_formula] {
        if is_formulas && !formulas.is_empty() {
            let own = shared.is_none().then(|| empty_quotient(system, &of_formulas));
            let space = shared.as_ref().or(own.as_ref()).expect("one of the two");
            outcomes = check_all_on(space, system, &formulas, &of_formulas, &watch);
            let mut found = outcomes.iter().flatten();
            let is_complete = found.any(|one| expanded_all(space, one));
            coverage = Coverage { fired: space.fired(), counts: None, is_complete };
        }
        if !is_formulas && explores {
            answers = Some(match &shared {
                Some(space) => check_states_on(space, system, &of_states, &watch),
                None => check_states(system, &of_states, &watch),
            });
        }
    }
    let explored = |one: &states::Outcome| Coverage::of_counts(one.rules.clone(), one.is_complete);
    match answers.as_ref().map(explored) {
        Some(explored) if explored.is_complete => coverage = explored,
        _ if options.coverage => {
            // Nothing is asked, so that this goes on to the end.
            let nothing =
                states::Options { properties: Vec::new(), deadlock: Deadlock::Off, ..of_states };
            coverage = explored(&check_states(system, &nothing, &watch));
        }
        Some(explored) if coverage.fired.is_empty() => coverage = explored,
        _ => {}
    }
    let asked =
        finding::Asked { system, formulas: &formulas, options: &of_formulas, items: &asked.items };
    (Findings::new(&asked, outcomes, answers), coverage)
}

/// Says what a reader of the results should know, and how the run ends.
pub(super) fn concluded<L: LoadedSystem>(report: &Report<'_, L>, console: &Console) -> Exit {
    if let Some(console) = console.for_programs() {
        for result in &report.results {
            match &result.diagnostic {
                Some(diagnostic) if result.verdict == VerdictWord::Violated => {
                    let kind = Kind::of_result(result.kind);
                    console.diagnose_among(kind, &report.loaded.texts(), diagnostic);
                }
                _ => result.refused().iter().for_each(|error| console.complain(error)),
            }
        }
    }
    if let Some(reason) = report.stopped {
        console.complain(&Error::from(reason));
    }
    warn_of_threads(console);
    for error in report.bugs() {
        console.complain(&error);
    }
    report.exit()
}
