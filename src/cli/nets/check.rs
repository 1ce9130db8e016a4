//! `isonomy check` of a net: each result is printed as soon as it is known.

use super::certificate::{self, Holds};
use super::load::{self, Contest};
use crate::check::{Method, Reason, Verdict};
use crate::cli::budget::Budget;
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::input::Text;
use crate::cli::results;
use crate::nets::answers::{self, Answer, Ask, Options};
use crate::{CheckOptions, Counterexample};
use ::certify::Limits;
use judge::Reference as _;
use nets::game::NetVocabulary;
use nets::{Game, Marking, Net, Question, Symmetry};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is asked of a net.
pub(in crate::cli) struct Asked<'o> {
    pub(in crate::cli) net: &'o Path,
    pub(in crate::cli) properties: &'o [PathBuf],
    pub(in crate::cli) formulas: &'o [String],
    pub(in crate::cli) finds_dead: bool,
    pub(in crate::cli) is_contest: bool,
    /// Runs show all places of each marking, not only those that change.
    pub(in crate::cli) full_states: bool,
    /// Where a certificate of what holds is written.
    pub(in crate::cli) certificate: Option<&'o Path>,
    pub(in crate::cli) check: CheckOptions,
}

/// A question with its name.
struct Named {
    id: String,
    /// None asks for a dead marking.
    question: Option<Question>,
}

/// Runs the command.
pub(in crate::cli) fn run(
    asked: &Asked<'_>,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let (text, net) = load::net(asked.net, budget, console)?;
    let named = asked.named(&net, budget, console)?;
    if named.is_empty() {
        return Err(Error::usage("nothing is asked of the net").help(
            "give a formula, `--properties FILE.xml`, or `--deadlock stuck` for dead markings",
        ));
    }
    let asks: Vec<Ask<'_>> =
        named.iter().map(|one| one.question.as_ref().map_or(Ask::Dead, Ask::Question)).collect();
    let options = Options { check: asked.check, first: Duration::from_millis(250), growth: 3 };
    let (mut exit, mut failed, mut faults) = (Exit::Done, None, Vec::new());
    let mut held: Vec<_> = named.iter().map(|_| Err("there is no answer")).collect();
    let told = answers::answer(&net, &asks, &options, &budget.watch(), &mut |at, answer| {
        let one = &named[at];
        let shown = if asked.is_contest {
            contest(one, &answer)
        } else {
            plain(&net, one, &answer, asked.full_states)
        };
        if let Err(error) = console.print(&shown) {
            failed.get_or_insert(error);
        }
        if let Answer::Fault(fault) = &answer {
            faults.push(fault.clone());
        }
        exit = exit.and(exit_of(one, &answer));
        held[at] = one.held(&answer);
    });
    if let Some(fault) = faults.first() {
        console.diagnose(&text, &load::diagnostic(&net, fault));
    }
    if let Err(wrong) = told {
        let message = format!("the judge rejects what the search has found: {:?}", wrong.objection);
        return Err(Error::Internal(message));
    }
    if let Some(file) = asked.certificate {
        let wanted = named.iter().zip(held).map(|(one, held)| (one.id.clone(), held)).collect();
        let CheckOptions { demand, reduction, threads, .. } = asked.check;
        let watch = budget.watch();
        let limits = Limits::new(threads, &watch);
        let made =
            certificate::make(file, (&text.name, &net), wanted, demand, reduction, limits, console);
        exit = exit.and(results::unless_written(Exit::Done, made, console));
    }
    failed.map_or(Ok(exit), Err)
}

impl Named {
    /// What holds of all runs or markings, by this answer, or why nothing does that has a certificate.
    fn held(&self, answer: &Answer) -> Result<Holds<'_>, &'static str> {
        let yes = is_true(self, answer);
        match (&self.question, yes) {
            (_, None) if matches!(answer, Answer::Bound(_)) => Err("a number is no claim"),
            (_, None) => Err("it is not known to hold"),
            (None, Some(false)) => Ok(Holds::NoDead),
            (None, Some(true)) => Err("a dead marking can be reached"),
            (Some(Question::All(formula)), Some(true))
            | (Some(Question::Some(formula)), Some(false)) => Ok(Holds::Formula(formula)),
            (Some(Question::Some(_)), Some(true)) => Err("a marking shows it"),
            (Some(_), Some(_)) => Err("it is violated"),
        }
    }
}

impl Asked<'_> {
    /// All questions, those of formulas first.
    fn named(&self, net: &Net, budget: &Budget, console: &Console) -> Result<Vec<Named>, Error> {
        let mut named = Vec::new();
        for formula in self.formulas {
            let parsed = nets::text::parse(formula, net).map_err(|wrong| {
                console.diagnose(&Text::argument("formula", formula), &wrong);
                Error::Diagnosed
            })?;
            named.push(Named { id: formula.clone(), question: Some(Question::All(parsed)) });
        }
        for file in self.properties {
            let properties = load::properties(file, net, budget, console)?;
            let questions = properties.into_iter();
            named.extend(questions.map(|one| Named { id: one.id, question: Some(one.question) }));
        }
        if self.finds_dead {
            let id = format!("{}-ReachabilityDeadlock", net.name);
            named.push(Named { id, question: None });
        }
        Ok(named)
    }
}

/// Whether the answer to a question is yes, if it is a question of yes and no.
fn is_true(one: &Named, answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Formula(outcome) => {
            let holds = match &outcome.verdict {
                Verdict::Holds => true,
                Verdict::Violated(_) => false,
                _ => return None,
            };
            Some(holds != matches!(one.question, Some(Question::Some(_))))
        }
        Answer::Dead(is_dead) => Some(*is_dead),
        Answer::Always => Some(!matches!(one.question, Some(Question::Some(_)))),
        Answer::Bound(_) | Answer::Fault(_) | Answer::Stopped(_) => None,
    }
}

/// How the run ends: something that is wanted is not so, or a dead marking is there.
fn exit_of(one: &Named, answer: &Answer) -> Exit {
    let is_fine = match answer {
        Answer::Bound(_) => Some(true),
        Answer::Fault(_) => return Exit::BadInput,
        Answer::Dead(is_dead) => Some(!is_dead),
        Answer::Always => is_true(one, answer),
        Answer::Formula(outcome) => match &outcome.verdict {
            Verdict::Unknown(Reason::Unsound(_)) => return Exit::BadInput,
            _ => is_true(one, answer),
        },
        Answer::Stopped(run::StopReason::Interrupted) => return Exit::Interrupted,
        Answer::Stopped(_) => None,
    };
    match is_fine {
        Some(true) => Exit::Done,
        Some(false) => Exit::Violated,
        None => Exit::NoAnswer,
    }
}

/// A line of the Model Checking Contest.
fn contest(one: &Named, answer: &Answer) -> String {
    let id = &one.id;
    let result = match (is_true(one, answer), answer) {
        (Some(true), _) => format!("TRUE {Contest}"),
        (Some(false), _) => format!("FALSE {Contest}"),
        (None, Answer::Bound(most)) => format!("{most} {Contest}"),
        (None, _) => "CANNOT_COMPUTE".to_owned(),
    };
    format!("FORMULA {id} {result}\n")
}

/// A result for people, with a run that shows it.
fn plain(net: &Net, one: &Named, answer: &Answer, full_states: bool) -> String {
    let id = &one.id;
    let run = match answer {
        Answer::Formula(outcome) => match &outcome.verdict {
            Verdict::Violated(found) => shown(net, found, full_states),
            _ => String::new(),
        },
        _ => String::new(),
    };
    match (is_true(one, answer), answer) {
        (Some(yes), Answer::Dead(_)) => format!("{yes:<9} {id}\n"),
        (Some(yes), _) if matches!(one.question, Some(Question::Some(_))) => {
            format!("{yes:<9} {id}\n{run}")
        }
        (Some(true), _) => format!("holds     {id}\n"),
        (Some(false), _) => format!("violated  {id}\n{run}"),
        (None, Answer::Bound(most)) => format!("{most:<9} {id}\n"),
        (None, Answer::Stopped(reason)) => format!("unknown   {id}: {reason}\n"),
        (None, Answer::Fault(fault)) => format!("unknown   {id}: {fault}\n"),
        (None, Answer::Formula(outcome)) => {
            let why = match &outcome.verdict {
                Verdict::Failed(_) => "the net does something that it may not do".to_owned(),
                Verdict::Unknown(Reason::Atoms(count)) => {
                    format!("{count} conditions are too many")
                }
                Verdict::Unknown(Reason::Unsound(_)) => {
                    "this search is not sound with the fairness that is demanded".to_owned()
                }
                Verdict::Unknown(Reason::NotExhaustive(_)) => {
                    debug_assert!(!matches!(outcome.method, Method::Components));
                    "nothing was found, but something may have been missed".to_owned()
                }
                _ => "there is no answer".to_owned(),
            };
            format!("unknown   {id}: {why}\n")
        }
        (None, Answer::Dead(_) | Answer::Always) => {
            unreachable!("it is a question of yes and no")
        }
    }
}

/// A run: its steps, and the places that each changes, or all that have tokens.
fn shown(net: &Net, found: &Counterexample<NetVocabulary>, full_states: bool) -> String {
    let game = Game::new(net, &Symmetry::none(net));
    let mut text = String::new();
    let mut before: Option<&Marking> = None;
    let run = &found.run;
    let mut number = 0;
    for (steps, is_cycle) in [(&run.stem, false), (&run.cycle, true)] {
        if is_cycle && !steps.is_empty() {
            text.push_str("    -- the cycle starts here\n");
        }
        for step in steps {
            changes(net, &game, before, &step.state, &mut text);
            before = Some(&step.state).filter(|_| !full_states);
            number += 1;
            let event = step.action.as_ref().map_or_else(
                || "nothing can fire any more".to_owned(),
                |((), firing)| game.show_event(firing),
            );
            let _ = writeln!(text, "    {number}. {event}");
        }
    }
    changes(net, &game, before, &run.end, &mut text);
    if found.renaming.is_some() {
        text.push_str("    -- and so on, with other colours in every lap\n");
    }
    text
}

fn changes(net: &Net, game: &Game<'_>, before: Option<&Marking>, now: &Marking, text: &mut String) {
    for (place, tokens) in now.iter().enumerate() {
        let is_new = before.map_or(!tokens.is_empty(), |before| before[place] != *tokens);
        if is_new {
            let _ =
                writeln!(text, "         {} = {}", net.places[place].id, game.show(place, tokens));
        }
    }
}
