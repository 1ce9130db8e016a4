//! `isonomy check` of a net: as text, each result is printed as soon as it is known.

use super::certificate::{self, Holds};
use super::load::{self, Contest};
use super::view::LoadedNet;
use crate::check::why::why;
use crate::check::{Cause, Failed, Reason, Verdict};
use crate::cli::budget::Budget;
use crate::cli::check::html::{self, NotDrawn};
use crate::cli::check::json::ReportEntry;
use crate::cli::check::report::{Report, ResultView};
use crate::cli::check::{self, text, words};
use crate::cli::choices::{Format, SymmetryChoice};
use crate::cli::console::Console;
use crate::cli::coverage::Coverage;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::input::Text;
use crate::cli::properties::Bindings;
use crate::cli::results::{self, ResultKind, VerdictWord};
use crate::cli::view::LoadedSystem as _;
use crate::cli::writing::{Sheet, Writing};
use crate::finding::Work;
use crate::nets::answers::{self, Answer, Ask, Options};
use crate::{CheckOptions, Counterexample};
use ::certify::Limits;
use ltl::Diagnostic;
use nets::formula::{quoted, written};
use nets::game::NetVocabulary;
use nets::{Bounds, Formula, Game, Net, PackedNet, Question, Symmetry};
use num_bigint::BigUint;
use run::StopReason;
use std::path::{Path, PathBuf};
use std::time::Duration;
use terms::Demand;

/// What is asked of a net.
pub(in crate::cli) struct Asked<'o> {
    pub(in crate::cli) net: &'o Path,
    pub(in crate::cli) properties: &'o [PathBuf],
    pub(in crate::cli) formulas: &'o [String],
    pub(in crate::cli) finds_dead: bool,
    pub(in crate::cli) format: Format,
    /// Runs show all places of each marking, not only those that change.
    pub(in crate::cli) full_states: bool,
    /// A page about the results.
    pub(in crate::cli) report: Option<&'o Path>,
    /// Where a certificate of what holds is written.
    pub(in crate::cli) certificate: Option<&'o Path>,
    pub(in crate::cli) symmetry: SymmetryChoice,
    pub(in crate::cli) check: CheckOptions,
}

/// A question with its name.
struct Named {
    id: String,
    /// Whether it is one of a property file, where the id is its name.
    is_property: bool,
    /// None asks for a dead marking.
    question: Option<Question>,
}

/// An answer with what is said of it.
struct Answered<'a> {
    of: &'a Named,
    answer: Answer,
    /// The formula that it is about. That of a question for a marking says that there is none, and that of
    /// a question for a number that it is never exceeded.
    written: Option<String>,
    work: Option<Work>,
    why: Vec<String>,
}

/// Runs the command.
pub(in crate::cli) fn run(
    asked: &Asked<'_>,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let (file, net) = load::net(asked.net, budget, console)?;
    let named = asked.named(&net, budget, console)?;
    if named.is_empty() {
        return Err(Error::usage("nothing is asked of the net").help(
            "give a formula, `--properties FILE.xml`, or `--deadlock stuck` for dead markings",
        ));
    }
    let asks: Vec<Ask<'_>> =
        named.iter().map(|one| one.question.as_ref().map_or(Ask::Dead, Ask::Question)).collect();
    let symmetry = answers::symmetry(&net, &asks, asked.check.reduction);
    let loaded = LoadedNet::new(&file, Game::new(&net, &symmetry));
    let options = Options { check: asked.check, first: Duration::from_millis(250), growth: 3 };
    let writing = Writing::results(budget);
    let (mut exit, mut printed, mut faults) = (Exit::Done, Ok(()), Vec::new());
    let mut known: Vec<(usize, Answered<'_>)> = Vec::new();
    let told = answers::answer(&net, &asks, &options, &budget.watch(), &mut |at, answer| {
        let answered = Answered::of(&named[at], answer, loaded.view());
        exit = exit.and(answered.exit());
        if let Answer::Fault(fault) = &answered.answer {
            faults.push(fault.clone());
        }
        let told = match asked.format {
            Format::Json => Ok(()),
            Format::Mcc => console.print(&answered.contest()),
            Format::Text => {
                let mut sheet = Sheet::new(console, &writing);
                sheet.push(&answered.headline());
                let view = answered.view(asked.check.demand);
                let colour = ltl::source::Colour::Off;
                // One message at the end says that runs were cut.
                let _ = text::run(&mut sheet, &loaded, &view, asked.full_states, colour);
                sheet.finish()
            }
        };
        if printed.is_ok() {
            printed = told;
        }
        if asked.keeps() {
            known.push((at, answered));
        }
    });
    if let Some(fault) = faults.first() {
        console.diagnose(&file, &load::diagnostic(&net, fault));
    }
    if let Err(objection) = told {
        let message = format!("the judge rejects what the search has found: {objection}");
        return Err(Error::Internal(message));
    }
    known.sort_by_key(|(at, _)| *at);
    let results = known.iter().map(|(_, one)| one.view(asked.check.demand)).collect();
    let stopped = known.iter().find_map(|(_, one)| one.stopped());
    let report = Report {
        loaded: &loaded,
        symmetry: asked.symmetry,
        is_reduced: asked.symmetry != SymmetryChoice::Off && !symmetry.is_trivial(),
        is_timed: true,
        results,
        stopped,
        coverage: Coverage::default(),
        shows_coverage: false,
    };
    if asked.format == Format::Json {
        printed = results::print(
            console,
            &writing,
            asked.format,
            |_| {},
            |parts| ReportEntry::of(&report, parts),
        );
        exit = exit.and(check::concluded(&report, console));
    }
    exit = results::unless_written(exit.and(writing.concluded(console)), printed, console);
    if let Some(certificate) = asked.certificate {
        let made =
            certify(certificate, asked, (&file.name, &net), (&named, &known), budget, console);
        exit = exit.and(results::unless_written(Exit::Done, made, console));
    }
    let written = asked.report.map_or(Ok(()), |page| {
        check::write(page, budget, console, || {
            let bounds = Bounds::of_initial(&net);
            let system = PackedNet::new(&net, Symmetry::none(&net), bounds);
            let space = NotDrawn(
                "The state space of a net is not drawn. `isonomy print NET` makes a model of it, of which \
                 `isonomy explore --svg FILE` draws that.",
            );
            html::page(&report, &system, &space, budget)
        })
    });
    Ok(exit.and(results::unless_written(Exit::Done, written, console)))
}

/// Writes a certificate of the questions whose answer is known to hold, and says why others have none.
fn certify(
    certificate: &Path,
    asked: &Asked<'_>,
    (name, net): (&str, &Net),
    (named, known): (&[Named], &[(usize, Answered<'_>)]),
    budget: &Budget,
    console: &Console,
) -> Result<(), Error> {
    let held = |at| known.iter().find(|(known, _)| *known == at);
    let wanted = named.iter().enumerate().map(|(at, one)| {
        let held = held(at).map_or(Err("there is no answer"), |(_, answered)| answered.held());
        (one.id.clone(), held)
    });
    let CheckOptions { demand, reduction, threads, .. } = asked.check;
    let watch = budget.watch();
    let limits = Limits::new(threads, &watch);
    certificate::make(
        certificate,
        (name, net),
        wanted.collect(),
        demand,
        reduction,
        limits,
        console,
    )
}

impl Asked<'_> {
    /// Whether results are needed once more when all are known.
    fn keeps(&self) -> bool {
        self.format == Format::Json || self.report.is_some() || self.certificate.is_some()
    }

    /// All questions, those of formulas first.
    fn named(&self, net: &Net, budget: &Budget, console: &Console) -> Result<Vec<Named>, Error> {
        let mut named = Vec::new();
        for formula in self.formulas {
            let parsed = nets::text::parse(formula, net).map_err(|wrong| {
                console.diagnose(&Text::argument("formula", formula), &wrong);
                Error::Diagnosed
            })?;
            let question = Some(Question::All(parsed));
            named.push(Named { id: formula.clone(), is_property: false, question });
        }
        for file in self.properties {
            let properties = load::properties(file, net, budget, console)?;
            named.extend(properties.into_iter().map(|one| Named {
                id: one.id,
                is_property: true,
                question: Some(one.question),
            }));
        }
        if self.finds_dead {
            let id = format!("{}-ReachabilityDeadlock", net.name);
            named.push(Named { id, is_property: false, question: None });
        }
        Ok(named)
    }
}

impl Named {
    /// The formula that is checked.
    fn formula(&self) -> Option<&Formula> {
        match &self.question {
            Some(Question::All(formula) | Question::Some(formula)) => Some(formula),
            Some(Question::Bound(_)) | None => None,
        }
    }

    /// Whether it asks for a marking, so that the answer is the opposite of the verdict.
    fn is_some(&self) -> bool {
        matches!(self.question, Some(Question::Some(_)))
    }
}

impl<'a> Answered<'a> {
    fn of(of: &'a Named, answer: Answer, game: &Game<'_>) -> Self {
        let formula = of.formula();
        let work = match &answer {
            Answer::Formula(outcome) => Some(Work::Product {
                method: outcome.method,
                statistics: outcome.statistics,
                tuples: BigUint::from(1_u32),
            }),
            Answer::Always(done) | Answer::Bound(_, done) | Answer::Dead(_, done) => {
                Some(Work::Exploration(*done))
            }
            Answer::Walked(_, time) => Some(Work::Walks(*time)),
            Answer::Equation(time) => Some(Work::Equation(*time)),
            Answer::Fault(_) | Answer::Stopped(_) => None,
        };
        let why = match (counterexample(&answer), formula) {
            // The run through a component is not written down.
            (Some(found), Some(formula)) if found.component.is_none() => {
                let facts = why(game, formula, &found.binding, &found.run);
                words::facts(game, formula, &facts, &found.run)
            }
            _ => Vec::new(),
        };
        let written = match (&of.question, &answer) {
            (Some(Question::Bound(places)), Answer::Bound(most, _)) => {
                let ids = places.iter().map(|&place| quoted(&game.net().places[place].id));
                let ids: Vec<String> = ids.collect();
                Some(format!("G (tokens({}) <= {most})", ids.join(", ")))
            }
            _ => formula.and_then(|formula| written(game.net(), formula)),
        };
        let written = if of.is_property { written } else { formula.map(|_| of.id.clone()) };
        Answered { of, answer, written, work, why }
    }

    /// Whether the formula holds, or there is no dead marking, if that is known.
    fn holds(&self) -> Option<bool> {
        match &self.answer {
            Answer::Formula(outcome) => match &outcome.verdict {
                Verdict::Holds => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Failed(_) | Verdict::Unknown(_) => None,
            },
            Answer::Walked(..) => Some(false),
            Answer::Dead(run, _) => Some(run.is_none()),
            Answer::Always(_) | Answer::Equation(_) | Answer::Bound(..) => Some(true),
            Answer::Fault(_) | Answer::Stopped(_) => None,
        }
    }

    /// The answer to a question of yes and no.
    fn is_true(&self) -> Option<bool> {
        match (&self.answer, &self.of.question) {
            (Answer::Bound(..), _) => None,
            (_, None) => self.holds().map(|holds| !holds),
            _ => self.holds().map(|holds| holds != self.of.is_some()),
        }
    }

    /// What holds of all runs or markings, or why nothing does that has a certificate.
    fn held(&self) -> Result<Holds<'a>, &'static str> {
        if matches!(self.answer, Answer::Bound(..)) {
            return Err("a number is no claim");
        }
        match (&self.of.question, self.holds()) {
            (_, None) => Err("it is not known to hold"),
            (None, Some(true)) => Ok(Holds::NoDead),
            (None, Some(false)) => Err("a dead marking can be reached"),
            (Some(Question::All(formula) | Question::Some(formula)), Some(true)) => {
                Ok(Holds::Formula(formula))
            }
            (Some(Question::Some(_)), Some(false)) => Err("a marking shows it"),
            (Some(_), Some(_)) => Err("it is violated"),
        }
    }

    fn stopped(&self) -> Option<StopReason> {
        match &self.answer {
            Answer::Stopped(reason) => Some(*reason),
            Answer::Formula(outcome) => match &outcome.verdict {
                Verdict::Unknown(Reason::Stopped(reason) | Reason::Unjudged(reason)) => {
                    Some(*reason)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// How the run ends: something that is wanted is not so, or a dead marking is there.
    fn exit(&self) -> Exit {
        match &self.answer {
            Answer::Fault(_) => return Exit::BadInput,
            Answer::Formula(outcome) => match &outcome.verdict {
                Verdict::Failed(_) | Verdict::Unknown(Reason::Unsound(_)) => {
                    return Exit::BadInput;
                }
                _ => {}
            },
            _ => {}
        }
        if self.stopped() == Some(StopReason::Interrupted) {
            return Exit::Interrupted;
        }
        match self.holds().map(|holds| holds != self.of.is_some()) {
            Some(true) => Exit::Done,
            Some(false) => Exit::Violated,
            None => Exit::NoAnswer,
        }
    }

    /// A line of the Model Checking Contest.
    fn contest(&self) -> String {
        let id = &self.of.id;
        let result = match (self.is_true(), &self.answer) {
            (Some(true), _) => format!("TRUE {Contest}"),
            (Some(false), _) => format!("FALSE {Contest}"),
            (None, Answer::Bound(most, _)) => format!("{most} {Contest}"),
            (None, _) => "CANNOT_COMPUTE".to_owned(),
        };
        format!("FORMULA {id} {result}\n")
    }

    /// The line for people.
    fn headline(&self) -> String {
        let id = &self.of.id;
        match (self.is_true(), &self.answer) {
            (Some(yes), Answer::Dead(..)) => format!("{yes:<9} {id}\n"),
            (Some(yes), _) if self.of.is_some() => format!("{yes:<9} {id}\n"),
            (Some(true), _) => format!("holds     {id}\n"),
            (Some(false), _) => format!("violated  {id}\n"),
            (None, Answer::Bound(most, _)) => format!("{most:<9} {id}\n"),
            (None, _) => format!("unknown   {id}: {}\n", self.reason().unwrap_or_default()),
        }
    }

    /// Why there is no answer.
    fn reason(&self) -> Option<String> {
        match &self.answer {
            Answer::Stopped(reason) => Some(reason.to_string()),
            Answer::Fault(fault) => Some(fault.to_string()),
            Answer::Formula(outcome) => match &outcome.verdict {
                Verdict::Failed(failed) => {
                    let Failed { cause: Cause::Model(fault), .. } = &**failed else {
                        unreachable!("conditions on markings cannot fail")
                    };
                    Some(fault.to_string())
                }
                Verdict::Unknown(reason) => Some(words::reason(reason)),
                Verdict::Holds | Verdict::Violated(_) => None,
            },
            _ => None,
        }
    }

    /// The result in words.
    fn view(&self, demand: Demand) -> ResultView<'_, NetVocabulary> {
        let id = self.of.id.as_str();
        let (kind, title) = match (&self.of.question, self.of.is_property, self.holds()) {
            (None, _, Some(false)) => {
                (ResultKind::Deadlock, "deadlock: nothing can fire".to_owned())
            }
            (None, ..) => (ResultKind::Deadlock, "no deadlock".to_owned()),
            (Some(_), true, _) => (ResultKind::Ltl, format!("ltl \"{id}\"")),
            (Some(_), false, _) => (ResultKind::Ltl, "the formula".to_owned()),
        };
        let verdict = match self.holds() {
            Some(true) => VerdictWord::Holds,
            Some(false) => VerdictWord::Violated,
            None => VerdictWord::Unknown,
        };
        let counterexample = counterexample(&self.answer);
        let run = match &self.answer {
            Answer::Dead(run, _) => run.as_deref(),
            _ => counterexample.map(|found| &found.run),
        };
        let answer = match (&self.answer, self.is_true()) {
            (Answer::Bound(most, _), _) => Some(most.to_string()),
            (_, Some(yes)) => Some(if yes { "TRUE" } else { "FALSE" }.to_owned()),
            (_, None) => None,
        };
        let warnings = match &self.answer {
            Answer::Formula(outcome) => outcome.warnings.iter().map(words::warning).collect(),
            _ => Vec::new(),
        };
        let is_of_runs = self.of.formula().is_some();
        ResultView {
            kind,
            name: self.of.is_property.then_some(id),
            written: self.written.as_deref(),
            title,
            verdict,
            exit: self.exit(),
            demand: if is_of_runs { demand } else { Demand::NONE },
            bindings: Bindings::default(),
            answer: answer.filter(|_| self.of.is_property),
            reason: self.reason(),
            diagnostic: None::<Diagnostic>,
            refusal: None,
            bug: None,
            formula: self.of.formula(),
            run,
            counterexample,
            why: self.why.clone(),
            failing: None,
            work: self.work.as_ref(),
            warnings,
            is_of_all_kinds: false,
            certificate: None,
        }
    }
}

/// The run that violates a formula, with all that belongs to it.
fn counterexample(answer: &Answer) -> Option<&Counterexample<NetVocabulary>> {
    match answer {
        Answer::Formula(outcome) => match &outcome.verdict {
            Verdict::Violated(found) => Some(found),
            _ => None,
        },
        Answer::Walked(found, _) => Some(found),
        _ => None,
    }
}
