//! `isonomy check`: whether a model satisfies its properties, or formulas that are asked about it.
//!
//! Formulas are checked together over one quotient; properties of states by one exploration. Both are
//! done before anything is printed, so that a run-time error of the model, wherever it was met, comes
//! before what holds. The [`Findings`] have three views: [`text`], [`json`] and [`html`]. What they share,
//! names, places and messages, is a [`Report`].

mod asked;
mod html;
mod json;
mod report;
mod text;
mod words;

use super::budget::{Budget, SearchLimits};
use super::certificate::{Certified, Checked};
use super::choices::{DeadlockChoice, Format, SymmetryChoice, threads, warn_of_threads};
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::loading::{self, ModelOptions};
use super::message::Kind;
use super::results::{self, VerdictWord};
use super::writing::Writing;
use crate::certify::MOST_NODES;
use crate::check::states::{self, check_states, check_states_on};
use crate::check::{self, Engine, PartialOrder, Shortening, check_all, check_all_on};
use crate::finding::{self, Findings, Item};
use asked::Asked;
use certify::Limits;
use clap::ValueEnum;
use compile::CompiledModel;
use engine::explore::Compression;
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
    /// Which runs count, unless a formula says so itself
    #[arg(long, value_name = "KIND", default_value = "none")]
    fairness: FairnessChoice,
    /// To whom weak and strong fairness are fair [default: process]
    #[arg(long, value_name = "WHOM")]
    fair_over: Option<OverChoice>,
    /// Check as if the model declared no fairness: no justice, no compassion, no fair rules
    #[arg(long)]
    ignore_declared_fairness: bool,
    /// What is done about symmetry
    #[arg(long, value_name = "KIND", default_value = "auto")]
    symmetry: SymmetryChoice,
    /// Partial-order reduction: where the steps of one process are enough, follow these only
    ///
    /// For formulas that steps without effect on their atoms cannot change, under no, weak, strong and
    /// declared fairness. `isonomy describe --por` says which rules are local to their process.
    #[arg(long, value_name = "KIND", default_value = "off")]
    por: PorChoice,
    /// How to search for a run that violates a formula
    #[arg(long, value_name = "KIND", default_value = "auto")]
    engine: EngineChoice,
    /// Nested search for formulas in so many MiB per thread: bits stand for what was visited
    ///
    /// What it finds is violated; what it does not find is unknown, for it may have missed something. How
    /// much that probably is, is told.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    bitstate: Option<u64>,
    /// Nested search for formulas with a hash of 64 bits in place of each node that was visited
    ///
    /// What it finds is violated; what it does not find is unknown, as with `--bitstate`, but much less
    /// probably missed.
    #[arg(long, conflicts_with = "bitstate")]
    hash_compaction: bool,
    /// Look for deadlocks, too: when a state counts as one
    ///
    /// Temporal formulas do not need it: a run that ends in a state without steps stays there for ever.
    #[arg(long, value_name = "KIND", default_value = "off")]
    deadlock: DeadlockChoice,
    /// How many threads work [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// What to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print all variables after every step of a run, not only those that changed
    #[arg(long)]
    full_states: bool,
    /// Take more time to find a shorter run that violates a formula
    ///
    /// Counterexamples are shortened anyway, with some of the work that the search took. With this option
    /// that is up to 4 million edges for each of them: the shortest run, if the system is small.
    #[arg(long)]
    shortest: bool,
    /// Write a page about the results, to be read in a browser
    ///
    /// It shows runs step by step, beside the formula and its automaton, and needs nothing but itself.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a certificate of what holds, which `isonomy verify` verifies
    ///
    /// It proves, state by state and edge by edge, that no run violates what is said to hold. Without
    /// symmetry reduction or with much fairness it may be large, and take longer than the check.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Judge counterexamples without shortcuts
    ///
    /// The judge evaluates the guards of all rules in every state of a run, even guards that cannot fail.
    /// This takes longer, and verdicts do not depend on it.
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
  `isonomy describe model.m` prints what a formula may speak of. Operators: ! X F G, U W R M, & | ->
  <->. Atoms are Boolean expressions of the model, or events: @grant(c), @grant(_), @by(server).
  `forall c, d: T.` or `forall distinct c, d: T.` may stand in front.

Fairness:
  weak     who is enabled for ever moves again and again
  strong   who is enabled again and again moves again and again
  global   every step that is possible again and again is taken again and again
  Weak and strong fairness are over processes, or over events. `... under weak fairness` in a formula
  comes before `--fairness`. What the model declares (justice, compassion, fair rules) counts besides.

Verdicts:
  holds     no run violates it. For a cover: it is true somewhere; for `liveness e`: from every state
            one can be reached where e is true.
  violated  a run is printed that violates it: for a formula one that loops, step by step, and where
            the loop starts. It was executed and judged once more without symmetry and automata.
            A globally fair run that is too long for a loop is told as places in which it stays, states up
            to permutation, all of whose steps it takes again and again.
  unknown   a limit was reached, or a run-time error of the model; the reason is printed.
  A run-time error that is reached is a result of its own, and comes first.

Counts:
  of a result are those of its own search: they do not depend on what else is checked, nor on the
  number of threads. Representatives are states up to symmetry.

Exit codes of checks (the first that applies):
  4    internal error: a counterexample did not stand the test
  2    bad usage or bad input; one bad formula means that nothing is checked. Also if a search is refused
       for some property, because it would not be sound with the fairness that this demands
  130  interrupted; what is known is printed
  1    some property is violated, or a run-time error of the model was reached
  3    some property is unknown
  0    every property holds";

/// `--fairness`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FairnessChoice {
    /// All runs
    None,
    /// Those in which who is enabled for ever moves again and again
    Weak,
    /// Those in which who is enabled again and again moves again and again
    Strong,
    /// Those in which every step that is possible again and again is taken again and again
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
    /// Breadth first for the end of a bad prefix, if the formula is one of safety; else as `scc`; with
    /// four threads or more, a single formula as `sets` after a million nodes
    Auto,
    /// Depth first for an accepting strongly connected component
    Scc,
    /// All threads on one formula at a time: what no accepting run visits again and again is removed
    Sets,
    /// Nested depth first for an accepting cycle
    Ndfs,
}

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let is_for_nobody = matches!(options.fairness, FairnessChoice::None | FairnessChoice::Global);
    if options.fair_over.is_some() && is_for_nobody {
        return Err(Error::usage(
            "`--fair-over` is about weak and strong fairness, and neither is asked for",
        )
        .help("say `--fairness weak`, `--fairness strong` or `--fairness all`"));
    }
    let is_hashed = options.bitstate.is_some() || options.hash_compaction;
    if is_hashed && matches!(options.engine, EngineChoice::Scc | EngineChoice::Sets) {
        let engine = if options.engine == EngineChoice::Scc { "scc" } else { "sets" };
        return Err(Error::usage(format!(
            "`--bitstate` and `--hash-compaction` are nested searches: there are none for `--engine {engine}`",
        ))
        .help("leave out one of the two"));
    }
    if options.por == PorChoice::Auto && options.certificate.is_some() {
        return Err(Error::usage(
            "a certificate is about all steps: there is none with `--por auto`",
        )
        .help("leave out one of the two"));
    }
    if options.report.as_deref() == Some(Path::new("-")) {
        return Err(Error::usage("standard output is for the results of the check")
            .help("name a file for the report: `--report report.html`"));
    }
    // Nobody wants to hear at the end of a long search that there is no such folder.
    if let Some(file) = &options.report
        && let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty())
        && !folder.is_dir()
    {
        let name = file.display().to_string();
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no such folder");
        return Err(Error::File { action: "write", name, error });
    }
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
        let loaded = options.model.load_with(&options.formulas, &budget, console)?;
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
        let findings = searched(options, &asked, &system, &budget);
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
        let limits =
            Limits { threads: threads(options.threads), most_nodes: MOST_NODES, watch: &watch };
        let certified =
            options.certificate.as_ref().map(|file| Certified::of(file, &checked, limits));
        let report = Report::of(&loaded, &asked, options.symmetry, &findings, certified.as_ref());
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
        let exit = concluded(&report, console).and(writing.concluded(console));
        // The report is written even if standard output is closed.
        let exit = results::unless_written(exit, printed, console);
        let written = options
            .report
            .as_ref()
            .map_or(Ok(()), |file| write(file, &report, &system, options, &budget));
        if let (Some(file), Ok(())) = (&options.report, &written) {
            console.note(&format!("the report is in {}", file.display()));
        }
        let exit = exit.and(results::unless_written(Exit::Done, written, console));
        drop(report);
        let told = certified.map_or(Ok(()), |certified| certified.tell(&checked, console));
        Ok(exit.and(results::unless_written(Exit::Done, told, console)))
    })
}

impl Options {
    fn over(&self) -> Over {
        match self.fair_over {
            None | Some(OverChoice::Process) => Over::Processes,
            Some(OverChoice::Event) => Over::Events,
        }
    }

    /// What is asked of a net, if it is something that can be asked of nets.
    fn of_net(&self) -> Result<super::nets::check::Asked<'_>, Error> {
        let refused = [
            (self.format == Format::Json, "`--format json`"),
            (self.report.is_some(), "`--report`"),
            (self.certificate.is_some(), "`--certificate`"),
            (!self.names.is_empty(), "`--property`"),
            (self.paranoid, "`--paranoid`"),
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
            is_contest: self.format == Format::Mcc,
            full_states: self.full_states,
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

/// Writes the report: all of it, or nothing.
fn write(
    file: &Path,
    report: &Report<'_>,
    system: &CompiledModel<'_>,
    options: &Options,
    budget: &Budget,
) -> Result<(), Error> {
    let span = tracing::debug_span!("report.write", bytes = tracing::field::Empty);
    let _entered = span.enter();
    let page = Writing::results(budget).over(|| html::page(report, system, options, budget));
    let page = page.unwrap_or_else(|reason| Err(reason.into())).map_err(|error| match error {
        Error::Stopped(reason) => {
            Error::Unwritten { what: format!("`{}` was not written", file.display()), reason }
        }
        other => other,
    })?;
    span.record("bytes", page.iter().map(String::len).sum::<usize>());
    results::write_pieces(file, &page)
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
) -> Findings {
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
    for is_formulas in [begins_with_formula, !begins_with_formula] {
        if is_formulas && !formulas.is_empty() {
            outcomes = match &shared {
                Some(space) => check_all_on(space, system, &formulas, &of_formulas, &watch),
                None => check_all(system, &formulas, &of_formulas, &watch),
            };
        }
        if !is_formulas && explores {
            answers = Some(match &shared {
                Some(space) => check_states_on(space, system, &of_states, &watch),
                None => check_states(system, &of_states, &watch),
            });
        }
    }
    let asked =
        finding::Asked { system, formulas: &formulas, options: &of_formulas, items: &asked.items };
    Findings::new(&asked, outcomes, answers)
}

/// Says what a reader of the results should know, and how the run ends.
fn concluded(report: &Report<'_>, console: &Console) -> Exit {
    if let Some(console) = console.for_programs() {
        for result in &report.results {
            match &result.diagnostic {
                Some(diagnostic) if result.verdict() == VerdictWord::Violated => {
                    let kind = Kind::of_result(result.kind);
                    console.diagnose_among(kind, &report.loaded.texts(), diagnostic);
                }
                _ => result.refusal().iter().for_each(|error| console.complain(error)),
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
