//! `isonomy replay`: a counterexample out of a file, executed and judged once more.
//!
//! The file is what `isonomy check --format json` writes. It is not trusted: what can
//! be read is passed to the judge, which knows the model and the interpreter only. So "valid" means that the
//! model, as it is now, has this run, and that the run does what the file says.

mod differs;
mod file;
mod subject;

use super::argument;
use super::budget::{Budget, RunLimits};
use super::check::report::WordsOf;
use super::console::Console;
use super::constants;
use super::error::Error;
use super::exit::Exit;
use super::input::{Input, Text};
use super::json::read::{
    Fault, Object, Path, ReadBack, Reader, WrittenSteps, list, read_component, shown,
};
use super::loading::{self, Loaded, ModelOptions};
use super::message::Kind;
use super::nets::{LoadedNet, NetReader};
use super::numbers::counted;
use super::places;
use super::steps;
use super::view::{LoadedSystem, RunOf, View};
use super::writing::{Sheet, Writing};
use crate::check::paths::judge_all_paths;
use crate::check::why::FormulaOf;
use file::ResultFile;
use judge::{
    Argument, Bound, Claim, Component, Deadlock, Extent, MOST_STATES, Objection, Reference,
    Renaming, Run, Vocabulary, judge, judge_claim, judge_fairness, judge_laps,
};
use ltl::Diagnostic;
use model::checked::Model;
use model::reference::ModelReference;
use nets::{Game, Symmetry};
use serde_json::Value as Json;
use std::path::PathBuf;
use subject::{Asked, Subject};
use terms::Fairness;

/// `isonomy replay`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) model: ModelOptions,
    /// The output of `check --format json`; `-` is standard input
    #[arg(value_name = "RESULT.json")]
    pub(super) file: PathBuf,
    /// The result to replay: its name, or its number from 1
    ///
    /// The default is the first result with a counterexample. If several results have the same name, give
    /// the number.
    #[arg(long, value_name = "NAME|N")]
    pub(super) result: Option<String>,
    /// Print all variables after every step, not only those that changed
    #[arg(long)]
    pub(super) full_states: bool,
    /// Print the value of an expression along the run; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub(super) show: Vec<String>,
    /// Validate counterexamples without shortcuts
    ///
    /// The judge evaluates the guards of all rules in every state of a run, even guards that cannot fail.
    /// This takes longer; verdicts do not depend on it.
    #[arg(long)]
    pub(super) paranoid: bool,
    #[command(flatten)]
    pub(super) limits: RunLimits,
}

const EXAMPLES: &str = "\
Examples:
  isonomy check model.m --format json > result.json
  isonomy replay model.m result.json
  isonomy replay model.m result.json --result \"exclusion\"
  isonomy check model.m 'G F @grant' --format json | isonomy replay model.m -

What is replayed:
  The constants of the model are those of the file, unless -D says otherwise. A property is found by
  its name in the model as it is now, and by its text if several have that name; a formula without a
  name is parsed again. Every state and every step is compared with the reference interpreter.

Laps:
  A cycle that is too long to be written down is one lap in the file, with a \"lap_permutation\" that
  takes each lap to the next: {\"client\": \"(0 1 2)(4 5)\"} takes client_0 to client_1, client_1 to
  client_2, client_2 to client_0, and exchanges client_4 and client_5. It must be a symmetry of the
  model, and up to 10000 steps of further laps are walked.

Components:
  A globally fair run that is too long to be written down is a stem and a \"component\" in the file: the
  states in which the run stays, up to permutations, and the steps that it takes infinitely often. The
  judge verifies that these are all steps of those states, and that no such run satisfies the formula.

Exit codes of replays:
  0 if the counterexample is valid; 1 if it is not: the message says at which step, and why; 2 also if
  the file is not such a file, or has no such result; 3 if a limit was reached before.";

/// Steps of further laps that are walked, if only one lap is written down.
const MOST_STEPS: usize = 10_000;

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    if options.model.is_standard_input() && options.file.as_os_str() == "-" {
        return Err(Error::usage("standard input cannot be both the model and the results")
            .help("name the file of the model"));
    }
    loading::with_large_stack(|| {
        let budget = Budget::of_run(&options.limits);
        budget.check()?;
        let text = Input::open(&options.file, budget.interrupt())?.read_within(&budget)?;
        let file = budget.watch().over(|| parse(&text, console))??;
        let replaying = Replaying { options, budget: &budget };
        replaying.replay(&file, console).map_err(|trouble| match trouble {
            Trouble::Error(error) => error,
            Trouble::Fault(fault) => located(&text.name, &fault),
        })
    })
}

/// The text as JSON.
fn parse<'t>(text: &'t Text, console: &Console) -> Result<ResultFile<'t>, Error> {
    let refused = |diagnostic: &Diagnostic| {
        console.diagnose(text, diagnostic);
        Error::Diagnosed
    };
    if let Some(fault) = &text.fault {
        return Err(refused(fault));
    }
    file::parse(&text.content).map_err(|error| {
        let lines = text.content.split_inclusive('\n').take(error.line().saturating_sub(1));
        let line: usize = lines.map(str::len).sum();
        let offset = (line + error.column().saturating_sub(1)).min(text.content.len());
        // The place has a line of its own.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
        refused(&Diagnostic::error(offset..offset, format!("not JSON: {message}")))
    })
}

/// What is wrong with a file of results.
fn located(file: &str, fault: &Fault) -> Error {
    let colon = if fault.path.is_empty() { "" } else { ": " };
    Error::usage(format!("{file}: {}{colon}{}", fault.path, fault.message))
        .help("`isonomy check --format json` writes such files")
}

/// A result with its run.
#[derive(Clone, Copy)]
struct Written<'j> {
    /// Its number, from 0.
    number: usize,
    result: Object<'j>,
    steps: &'j WrittenSteps<'j>,
}

/// Why there is nothing to judge.
enum Trouble {
    /// Something is wrong with the file.
    Fault(Fault),
    /// Something else is.
    Error(Error),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Error(error)
    }
}

struct Replaying<'o> {
    options: &'o Options,
    budget: &'o Budget,
}

/// The run of a result, and its model with the constants of the file. It is not judged.
pub(super) fn read_run(
    options: &Options,
    budget: &Budget,
    console: &Console,
) -> Result<(Loaded, RunOf<Model>), Error> {
    read_file(options, budget, console, |replaying, file| replaying.read(file, console))
}

/// The run of a result for a net. It is not judged.
pub(super) fn read_net_run(
    options: &Options,
    game: &Game<'_>,
    budget: &Budget,
    console: &Console,
) -> Result<RunOf<Game<'static>>, Error> {
    read_file(options, budget, console, |replaying, file| replaying.read_net(file, game))
}

/// Reads a file of results, and something out of it.
fn read_file<T>(
    options: &Options,
    budget: &Budget,
    console: &Console,
    read: impl FnOnce(&Replaying<'_>, &ResultFile<'_>) -> Result<T, Trouble>,
) -> Result<T, Error> {
    let text = Input::open(&options.file, budget.interrupt())?.read_within(budget)?;
    let file = budget.watch().over(|| parse(&text, console))??;
    read(&Replaying { options, budget }, &file).map_err(|trouble| match trouble {
        Trouble::Error(error) => error,
        Trouble::Fault(fault) => located(&text.name, &fault),
    })
}

impl Replaying<'_> {
    /// The results of a file, and the number of the one that is asked for.
    fn result_of<'j>(
        &self,
        file: Object<'j>,
        results_at: &Path<'_>,
    ) -> Result<(&'j [Json], usize), Trouble> {
        let schema = file.field("schema")?;
        if schema.as_u64() != Some(1) {
            return Ok(Path::Key(&Path::Root, "schema").fault(format!(
                "expected 1, not {}: another version wrote this",
                shown(schema)
            ))?);
        }
        let results = list(file.field("results")?, results_at)?;
        Ok((results, self.pick(results, results_at)?))
    }

    /// Does something with the result that is asked for, and the file that it is in.
    fn with_result<T>(
        &self,
        read: &ResultFile<'_>,
        work: impl FnOnce(Object<'_>, &Written<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let root = Path::Root;
        let file = Object::of(&read.json, &root)?;
        let results_at = Path::Key(&root, "results");
        let (results, number) = self.result_of(file, &results_at)?;
        let at = Path::Item(&results_at, number);
        let result = Object::of(&results[number], &at)?;
        work(file, &Written { number, result, steps: &read.steps[number] })
    }

    fn read(
        &self,
        read: &ResultFile<'_>,
        console: &Console,
    ) -> Result<(Loaded, RunOf<Model>), Trouble> {
        self.with_result(read, |file, written| {
            let loaded = self.load(file, &Asked::read(written.result)?, console)?;
            let run = self.run_of(&Reader::new(&loaded.model), written)?;
            Ok((loaded, run))
        })
    }

    /// The run of a result for a net.
    fn read_net(
        &self,
        read: &ResultFile<'_>,
        game: &Game<'_>,
    ) -> Result<RunOf<Game<'static>>, Trouble> {
        self.with_result(read, |_, written| self.run_of(&NetReader::new(game), written))
    }

    /// The run of a result.
    fn run_of<B: ReadBack>(
        &self,
        reader: &B,
        written: &Written<'_>,
    ) -> Result<Run<B::Words>, Trouble> {
        let found_at = Path::Key(written.result.at, "counterexample");
        let found = Object::of(written.result.field("counterexample")?, &found_at)?;
        let read = self.budget.watch().over(|| reader.run(found, written.steps));
        Ok(read.map_err(Error::from)??)
    }

    fn replay(&self, read: &ResultFile<'_>, console: &mut Console) -> Result<Exit, Trouble> {
        self.with_result(read, |file, written| {
            let asked = Asked::read(written.result)?;
            if super::nets::is_net(self.options.model.path()) {
                return self.replay_net(&asked, written, console);
            }
            let loaded = self.load(file, &asked, console)?;
            let model = &loaded.model;
            let subject = asked.subject((model, &loaded.text.content), written.result, console)?;
            let reference = if self.options.paranoid {
                ModelReference::paranoid(model)
            } else {
                ModelReference::new(model)
            };
            self.conclude(&loaded, &reference, (&Reader::new(model), written), &subject, console)
        })
    }

    /// The same for a net. It has neither constants nor properties: formulas are read again.
    fn replay_net(
        &self,
        asked: &Asked<'_>,
        written: &Written<'_>,
        console: &mut Console,
    ) -> Result<Exit, Trouble> {
        if !self.options.model.definitions().is_empty() {
            return Err(Error::usage("`-D` is not for Petri nets").into());
        }
        if self.options.paranoid {
            return Err(Error::usage("`--paranoid` is not for Petri nets").into());
        }
        if !self.options.show.is_empty() {
            return Err(Error::usage("`--show` is not for Petri nets").into());
        }
        let (text, net) = super::nets::load::net(self.options.model.path(), self.budget, console)?;
        let formula = asked.of_net(&net, written.result, console)?;
        let named = formula.iter().flat_map(|formula| formula.named(&net)).collect::<Vec<_>>();
        let game = Game::new(&net, &Symmetry::of(&net, &named));
        let loaded = LoadedNet::new(&text, game);
        let game = loaded.view();
        let subject = match &formula {
            Some(formula) => Subject::Formula {
                formula,
                binding: Vec::new(),
                demand: asked.demand,
                headline: format!("formula\n  {}\n", formula.text),
            },
            None => Subject::LastState {
                claims: vec![Claim::Deadlock(Deadlock::Stuck)],
                atom: None,
                headline: "deadlock\n".to_owned(),
            },
        };
        self.conclude(&loaded, game, (&NetReader::new(game), written), &subject, console)
    }

    /// Reads the run, prints it, and has it judged.
    fn conclude<L, R, B>(
        &self,
        loaded: &L,
        reference: &R,
        (reader, written): (&B, &Written<'_>),
        subject: &Subject<'_, R::Vocabulary>,
        console: &mut Console,
    ) -> Result<Exit, Trouble>
    where
        L: LoadedSystem,
        L::View: View<Words = R::Vocabulary>,
        R: Reference,
        B: ReadBack<Words = R::Vocabulary>,
    {
        let Written { number, result, steps } = *written;
        let found_at = Path::Key(result.at, "counterexample");
        let found = Object::of(result.field("counterexample")?, &found_at)?;
        let watch = self.budget.watch();
        let run = watch.over(|| reader.run(found, steps)).map_err(Error::from)??;
        let lap_at = Path::Key(&found_at, "lap_permutation");
        let lap = found.optional("lap_permutation");
        let lap = lap.map(|json| reader.renaming(json, &lap_at)).transpose()?;
        let component_at = Path::Key(&found_at, "component");
        let component = found.optional("component");
        let component = component.map(|json| {
            let read = watch.over(|| read_component(reader, json, &component_at));
            read.map_err(Error::from)?.map_err(Trouble::from)
        });
        let component = component.transpose()?;
        let rest = match (lap, component) {
            (None, None) => Rest::Told,
            (Some(renaming), None) => Rest::Laps(renaming),
            (None, Some(component)) => Rest::Component(component),
            (Some(_), Some(_)) => {
                return Ok(lap_at.fault("a component has no laps: leave out one of the two")?);
            }
        };
        let headline = format!("result {}: {}", number + 1, subject.headline());
        let told = self.tell(&headline, loaded, &run, &rest, console);
        // It is judged even if the output is no longer read: the exit code says whether it is valid.
        if !matches!(told, Err(Error::ClosedPipe(_))) {
            told?;
        }
        let span =
            tracing::debug_span!("counterexample.validate", steps = run.steps().count()).entered();
        let verdict = watch.over(|| judged(reference, subject, &run, &rest));
        let verdict = verdict.map_err(Error::from)?;
        drop(span);
        match verdict {
            Ok((verdict, argument)) => {
                console.print(&argument::block(loaded, &argument, console.colour_of_results()))?;
                console.print(&format!("valid: {verdict}\n"))?;
                Ok(Exit::Done)
            }
            Err(objection) => {
                if let Some(fault) = fault_of(&objection) {
                    let diagnostic = loaded.fault(fault);
                    console.diagnose_among(Kind::RuntimeError, &loaded.texts(), &diagnostic);
                }
                let differing = || differs::differences(loaded, reference, &run, &objection);
                let differences = watch.over(differing).unwrap_or_default();
                if !differences.is_empty() {
                    console.note(&differences.join("\n"));
                }
                Err(Error::NotValid(objection.to_string()).into())
            }
        }
    }

    /// Prints the run.
    fn tell<L: LoadedSystem>(
        &self,
        headline: &str,
        loaded: &L,
        run: &RunOf<L::View>,
        rest: &Rest<WordsOf<L>>,
        console: &mut Console,
    ) -> Result<(), Error> {
        let start = loaded.start(run);
        let (start, full_states) = (start.as_deref(), self.options.full_states);
        let (view, colour) = (loaded.view(), console.colour_of_results());
        let writing = Writing::before_results(self.budget);
        let mut sheet = Sheet::new(console, &writing);
        sheet.push(headline);
        let told = sheet.push_long(run.steps().count(), |out| match rest {
            Rest::Told => steps::run(out, view, start, run, None, full_states, colour),
            Rest::Laps(lap) => steps::run(out, view, start, run, Some(lap), full_states, colour),
            Rest::Component(component) => {
                places::run(out, view, start, run, component, full_states, colour);
            }
        });
        sheet.finish()?;
        Ok(told?)
    }

    /// The model, with the constants of the file and the formula that is asked about.
    fn load(
        &self,
        file: Object<'_>,
        asked: &Asked<'_>,
        console: &Console,
    ) -> Result<Loaded, Trouble> {
        let text = self.options.model.read(self.budget.interrupt(), console)?;
        let own = self.options.model.definitions();
        let definitions = constants::definitions(&text.content, file, own)?;
        let formulas = asked.question(&text.content, &definitions);
        let formulas = formulas.map(|formula| Text::argument("formula", formula));
        let formulas = formulas.into_iter().collect();
        let shown = self.options.show.iter().map(|text| Text::argument("--show", text)).collect();
        let loaded = loading::resolve(text, &definitions, formulas, shown, console)?;
        Ok(Loaded { watch: self.budget.watch(), ..loaded })
    }

    /// The number of the result that is asked for, from 0.
    fn pick(&self, results: &[Json], at: &Path<'_>) -> Result<usize, Trouble> {
        let name_of = |result: &Json| result.get("name").and_then(Json::as_str).map(str::to_owned);
        let has_one =
            |result: &&Json| result.get("counterexample").is_some_and(|one| !one.is_null());
        let listed = || {
            let line = |(k, result): (usize, &Json)| {
                let text = name_of(result).map(|name| format!(" \"{name}\""));
                let formula = || result.get("formula").and_then(Json::as_str);
                let text = text.or_else(|| formula().map(|formula| format!(" {formula}")));
                let verdict = result.get("verdict").and_then(Json::as_str).unwrap_or("no verdict");
                let fairness = result.get("fairness").and_then(Json::as_str);
                let fairness = fairness.filter(|kind| *kind != "none");
                let fairness = fairness.map(|kind| format!(" under {kind} fairness"));
                let fairness = fairness.unwrap_or_default();
                let run = if has_one(&result) { ", with a counterexample" } else { "" };
                format!("{}{}: {verdict}{fairness}{run}", k + 1, text.unwrap_or_default())
            };
            if results.is_empty() {
                return "the file has no results".to_owned();
            }
            let lines: Vec<_> = results.iter().enumerate().map(line).collect();
            format!("its results are\n        {}", lines.join("\n        "))
        };
        let refuse = |message: String| Err(Error::usage(message).help(listed()).into());
        let Some(wanted) = &self.options.result else {
            return match results.iter().position(|result| has_one(&result)) {
                Some(number) => Ok(number),
                None => refuse(format!("{at}: no result has a counterexample")),
            };
        };
        let is_named = |result: &Json| name_of(result).as_ref() == Some(wanted);
        let named: Vec<usize> = (0..results.len()).filter(|&k| is_named(&results[k])).collect();
        // Several results have one name if properties do, or with `--fairness all`.
        let with_run: Vec<usize> =
            named.iter().copied().filter(|&k| has_one(&&results[k])).collect();
        if with_run.len() > 1 {
            return refuse(format!(
                "{} results are called `{wanted}` and have a counterexample: say which by its number",
                with_run.len()
            ));
        }
        let named = with_run.first().or(named.first()).copied();
        let numbered = || wanted.parse().ok().and_then(|n: usize| n.checked_sub(1));
        match named.or_else(numbered).filter(|number| *number < results.len()) {
            Some(number) if has_one(&&results[number]) => Ok(number),
            Some(number) => refuse(format!("result {} has no counterexample", number + 1)),
            None => refuse(format!("there is no result `{wanted}`")),
        }
    }
}

/// If a counterexample is valid, what is said of it, and why it is fair; or what the judge has against it.
type Judged<V> = Result<(String, Argument<V>), Objection<V>>;

/// What the judge says: if the counterexample is valid, what was looked at, and why it is fair.
fn judged<R: Reference>(
    reference: &R,
    subject: &Subject<'_, R::Vocabulary>,
    run: &Run<R::Vocabulary>,
    rest: &Rest<R::Vocabulary>,
) -> Judged<R::Vocabulary> {
    let walked = counted(&run.steps().count().into(), "step");
    match subject {
        Subject::Formula { formula, binding, demand, .. } => {
            let (said, argument) = match rest {
                Rest::Laps(renaming) => {
                    let said = lapped(reference, formula, binding, run, renaming)?;
                    (said, judge_fairness(reference, *demand, run, Some(renaming))?)
                }
                Rest::Told => {
                    judge(reference, formula, binding, run)?;
                    let said = format!("{walked} walked, and the run violates the formula");
                    (said, judge_fairness(reference, *demand, run, None)?)
                }
                Rest::Component(component) => {
                    let claim = (run, component);
                    judge_all_paths(reference, formula, binding, *demand, claim, MOST_STEPS)?;
                    let (places, steps) = (component.places.len(), component.steps());
                    let said = format!(
                        "{walked} walked; {} of {} are those of the model, and every run that takes \
                         them all again and again violates the formula",
                        counted(&steps.into(), "step"),
                        counted(&places.into(), "place")
                    );
                    // That all steps are taken is all that there is to say.
                    (said, Argument::default())
                }
            };
            let is_demanded = demand.fairness != Fairness::None || demand.declared;
            Ok((if is_demanded { said + "; it is fair as demanded" } else { said }, argument))
        }
        Subject::LastState { claims, atom, .. } => {
            // A name may be that of several properties: one of them must be violated.
            let atom = atom.iter().map(|&(formula, ref binding)| Claim::Atom {
                formula,
                binding,
                atom: None,
            });
            let claims = claims.iter().copied().chain(atom);
            let mut verdicts = claims.map(|claim| judge_claim(reference, &claim, run));
            let mut verdict = verdicts.next().expect("there is a claim");
            while verdict.is_err()
                && let Some(next) = verdicts.next()
            {
                verdict = next.or(verdict);
            }
            let said = match verdict? {
                Extent::All => format!("{walked} walked, and the last state is as claimed"),
                Extent::RunAlone => format!(
                    "{walked} walked; of the states behind the last only {MOST_STATES} were looked at, \
                     and the claim is true of those"
                ),
            };
            Ok((said, Argument::default()))
        }
    }
}

/// What follows the part of a run that is written down.
enum Rest<V: Vocabulary> {
    /// Nothing, or the cycle once more.
    Told,
    /// The cycle, which is one lap, with indices renamed.
    Laps(Renaming),
    /// All steps of a component.
    Component(Component<V>),
}

fn lapped<R: Reference>(
    reference: &R,
    formula: &FormulaOf<R>,
    binding: &[Bound<R::Vocabulary>],
    run: &Run<R::Vocabulary>,
    renaming: &Renaming,
) -> Result<String, Objection<R::Vocabulary>> {
    let laps = judge_laps(reference, formula, binding, run, renaming, MOST_STEPS)?;
    let walked = counted(&laps.walked.into(), "lap");
    Ok(if laps.is_closed {
        format!("{walked} walked, until the cycle closes, and the run violates the formula")
    } else {
        format!(
            "{walked} walked; the others are these with indices permuted, and the run violates the \
             formula"
        )
    })
}

/// What fails, if that is what is wrong.
fn fault_of<V: Vocabulary>(objection: &Objection<V>) -> Option<&V::Fault> {
    match objection {
        Objection::Fails { failure, .. }
        | Objection::AtomFails { failure, .. }
        | Objection::PropertyFails { failure } => Some(failure),
        _ => None,
    }
}
