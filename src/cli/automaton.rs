//! `isonomy automaton`: formulas, or automata in the HOA format, to reduced automata.
//!
//! `--format stats` prints a line of comma-separated values for every formula, also for those that
//! have no automaton, so that the n-th line is that of the n-th formula: all fields are empty for a
//! formula that cannot be read, all but the formula for one that reached a limit. The time is that
//! from text to automaton; counting and printing are not in it.

use super::budget::{Budget, LimitOptions};
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::formulas::{Parsed, Sources, alphabet, each};
use super::input::{Input, Text};
use super::message::Item;
use super::picture;
use automata::formats::{NotPromela, Statistics, dot, hoa, json, never, svg};
use automata::translate::{self, Translator};
use automata::{Automaton, Guards, Limits};
use clap::{ArgGroup, ValueEnum};
use ltl::printer::{self, Syntax};
use ltl::{Alphabet, AtomKind, Atoms, Node};
use run::Progress;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// `isonomy automaton`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group(ArgGroup::new("source").required(true).args(["formula", "file", "hoa_in"])))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: Sources,
    /// Start from automata in a HOA file instead of formulas; `-` is standard input
    #[arg(long, value_name = "FILE")]
    hoa_in: Option<PathBuf>,
    /// Translate the negation of the formula
    #[arg(long)]
    negate: bool,
    /// The kind of automaton [default: tgba; buchi for never claims]
    #[arg(long, value_name = "KIND")]
    acceptance: Option<Acceptance>,
    /// What to print
    #[arg(long, default_value = "dot")]
    format: Format,
    /// How much time to spend on making the automaton small
    #[arg(long, default_value = "high")]
    effort: Effort,
    /// Begin the output of `--format stats` with the names of the fields
    #[arg(long)]
    header: bool,
    #[command(flatten)]
    limits: LimitOptions,
}

const EXAMPLES: &str = "\
Examples:
  isonomy automaton 'G(request -> F grant)' --format svg > automaton.svg
  isonomy automaton 'G(request -> F grant)' | dot -Tpdf > automaton.pdf
  isonomy automaton --negate --format never '[](p -> <>q)' --input spin
  isonomy automaton --file formulas.ltl --format stats --header
  isonomy automaton --format hoa '@send(c) -> F @receive(c)'

Fields of --format stats:
  formula          as given, quoted where need be
  states, edges    as --format hoa prints them
  transitions      each edge counts once for every complete valuation of the atoms
  acceptance_sets
  deterministic    0 or 1
  weak             0 or 1
  time_us          from text to automaton, in microseconds
  A formula that cannot be read has a line of empty fields.";

/// `--acceptance`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Acceptance {
    /// Generalized Büchi, with acceptance marks on edges
    Tgba,
    /// Büchi, with accepting states
    Buchi,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// A picture for Graphviz
    Dot,
    /// A picture, of one automaton
    Svg,
    /// The Hanoi Omega-Automata format
    Hoa,
    /// A never claim for Spin; implies `--acceptance buchi`
    Never,
    /// A JSON object, on a line
    Json,
    /// Sizes, comma-separated
    Stats,
}

/// `--effort`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Effort {
    /// Remove useless states
    Low,
    /// Also reduce by simulation
    Medium,
    /// Also try several translations
    High,
}

/// What is needed of an automaton to print it, besides its guards.
struct Made<'a> {
    automaton: &'a Automaton,
    atoms: &'a Atoms,
    /// What it is called: the formula, or the name in the HOA file.
    name: Option<&'a str>,
    time: Duration,
}

const HEADER: &str =
    "formula,states,edges,transitions,acceptance_sets,deterministic,weak,time_us\n";
/// The fields after the formula.
const EMPTY_FIELDS: &str = ",,,,,,,\n";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    options.check()?;
    let budget = Budget::new(&options.limits);
    let watch = |_: &Progress| budget.probe();
    let limits = budget.limits(&watch);
    if options.header {
        console.print(HEADER)?;
    }
    if let Some(path) = &options.hoa_in {
        let text = Input::open(path, budget.interrupt())?.read(budget.interrupt())?;
        let read = text.fault.clone().map_or_else(|| hoa::read(&text.content), Err);
        let documents = read.map_err(|diagnostic| {
            console.diagnose(&text, &diagnostic);
            Error::Diagnosed
        })?;
        if options.format == Format::Svg && documents.len() > 1 {
            let message =
                format!("a picture shows one automaton, and here are {}", documents.len());
            return Err(Error::usage(message));
        }
        let numbered = documents.iter().enumerate().map(Ok);
        return Ok(each(
            numbered,
            |(nth, _)| Item { text: &text, nth: Some(*nth) },
            console,
            |(_, document), console| {
                let text = budget.check().and_then(|()| options.reduce(document, limits));
                let name = document.name().unwrap_or_default();
                options.print(name, text, console)
            },
        ));
    }
    options.sources.for_each(console, &budget, |text, console| {
        let result = budget.check().and_then(|()| options.translate(text, limits, console));
        options.print(text.content.trim(), result, console)
    })
}

impl Options {
    /// Refuses what makes no sense together.
    fn check(&self) -> Result<(), Error> {
        if self.negate && self.hoa_in.is_some() {
            return Err(Error::usage("`--negate` needs a formula: negating one is easy, complementing an automaton is not")
                .help("give the negated formula to the program that made the automaton"));
        }
        if self.header && self.format != Format::Stats {
            return Err(Error::usage("`--header` belongs to `--format stats`"));
        }
        if self.format == Format::Svg && self.sources.are_many() {
            return Err(Error::usage(
                "a picture shows one automaton: `--format svg` does not read a list of formulas",
            )
            .help("give one formula on the command line"));
        }
        if self.format == Format::Never && self.acceptance == Some(Acceptance::Tgba) {
            return Err(Error::usage(
                "a never claim has accepting states: `--acceptance tgba` cannot be printed as one",
            )
            .help("leave `--acceptance` out: `--format never` implies `--acceptance buchi`"));
        }
        Ok(())
    }

    fn acceptance(&self) -> translate::Acceptance {
        match self.acceptance {
            Some(Acceptance::Buchi) => translate::Acceptance::Buchi,
            None if self.format == Format::Never => translate::Acceptance::Buchi,
            Some(Acceptance::Tgba) | None => translate::Acceptance::Generalized,
        }
    }

    fn translator<'a>(&self, alphabet: &'a Alphabet, limits: Limits<'a>) -> Translator<'a> {
        let effort = match self.effort {
            Effort::Low => translate::Effort::Low,
            Effort::Medium => translate::Effort::Medium,
            Effort::High => translate::Effort::High,
        };
        Translator::new(alphabet, effort, limits)
    }

    /// The text of the automaton of a formula.
    fn translate(
        &self,
        text: &Text,
        limits: Limits<'_>,
        console: &Console,
    ) -> Result<String, Error> {
        let began = Instant::now();
        let Parsed { mut formulas, atoms, mut formula } = self.sources.parse(text, console)?;
        if self.negate {
            formula = formulas.written(Node::Not(formula));
        }
        self.check_events(&atoms)?;
        let alphabet = alphabet(&atoms)?;
        let mut translator = self.translator(&alphabet, limits);
        let automaton = &translator.translate(&mut formulas, formula, self.acceptance())?;
        let time = began.elapsed();
        let is_picture = matches!(self.format, Format::Dot | Format::Svg);
        let syntax = if is_picture { Syntax::Isonomy } else { Syntax::Spot };
        // A formula too long to print has no name; the automaton is none the worse for it.
        let name = printer::print(&formulas, &atoms, formula, syntax).ok();
        let made = Made { automaton, atoms: &atoms, name: name.as_deref(), time };
        self.text(text.content.trim(), &mut translator.guards, &made)
    }

    /// The text of the automaton of a document, reduced.
    fn reduce(&self, document: &hoa::Document, limits: Limits<'_>) -> Result<String, Error> {
        let began = Instant::now();
        let (atoms, name) = (document.atoms(), document.name());
        self.check_events(atoms)?;
        let alphabet = alphabet(atoms)?;
        let mut translator = self.translator(&alphabet, limits);
        let automaton = document.build(&mut translator.guards)?;
        let automaton = &translator.reduce(&automaton, self.acceptance())?;
        let made = Made { automaton, atoms, name, time: began.elapsed() };
        self.text(name.unwrap_or_default(), &mut translator.guards, &made)
    }

    /// Refuses a never claim over events before any work is done for it.
    fn check_events(&self, atoms: &Atoms) -> Result<(), Error> {
        let mut kinds = atoms.iter().map(|(_, kind)| kind);
        match kinds
            .find_map(|kind| if let AtomKind::Event(event) = kind { Some(event) } else { None })
        {
            Some(event) if self.format == Format::Never => {
                Err(Error::usage(NotPromela::Event(event.to_string()).to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Prints what came of the formula, and passes on why there is no automaton, if there is none.
    fn print(
        &self,
        formula: &str,
        text: Result<String, Error>,
        console: &mut Console,
    ) -> Result<Exit, Error> {
        if self.format == Format::Stats {
            match &text {
                Err(Error::Stopped(_)) => {
                    console.print_data(&format!("{}{EMPTY_FIELDS}", field(formula)))?;
                }
                Err(_) => console.print(EMPTY_FIELDS)?,
                Ok(_) => {}
            }
        }
        match self.format {
            Format::Json => console.print_json(&text?)?,
            _ => console.print_data(&text?)?,
        }
        Ok(Exit::Done)
    }

    fn text(&self, formula: &str, guards: &mut Guards, made: &Made<'_>) -> Result<String, Error> {
        let &Made { automaton, atoms, name, time } = made;
        Ok(match self.format {
            Format::Dot => dot::write(guards, automaton, atoms, name)?,
            Format::Svg => {
                picture::check("states", automaton.state_count(), automaton.all_edges().len())?;
                let graph = svg::graph(guards, automaton, atoms, name)?;
                picture::svg(&graph, "", &mut || guards.poll())?
            }
            Format::Hoa => hoa::write(guards, automaton, atoms, name)?,
            Format::Json => json::write(guards, automaton, atoms, name)?,
            Format::Never => {
                never::write(guards, automaton, atoms, name).map_err(|error| match error {
                    NotPromela::Stopped(reason) => Error::Stopped(reason),
                    error => Error::usage(error.to_string()),
                })?
            }
            Format::Stats => {
                let Statistics { states, edges, transitions, acceptance_sets, deterministic, weak } =
                    Statistics::of(guards, automaton)?;
                format!(
                    "{},{states},{edges},{transitions},{acceptance_sets},{},{},{}\n",
                    field(formula),
                    u8::from(deterministic),
                    u8::from(weak),
                    time.as_micros()
                )
            }
        })
    }
}

/// A field of comma-separated values: in quotes if need be, with quotes inside doubled (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_needed() {
        for (text, expected) in [
            ("a U b", "a U b"),
            ("@a(x, y)", "\"@a(x, y)\""),
            ("\"x\" & y", "\"\"\"x\"\" & y\""),
            ("a\n& b", "\"a\n& b\""),
        ] {
            assert_eq!(field(text), expected);
        }
        let fields = |line: &str| line.matches(',').count();
        assert_eq!(fields(HEADER), fields(EMPTY_FIELDS));
    }
}
