//! The model of a command: where it comes from, and what is said about it.
//!
//! Formulas that are asked about a model are checked together with it. A place is then an offset into all
//! of these texts, one behind the other; [`Loaded`] keeps them, so that a message about a formula shows the
//! formula, whether it comes before the first state is made or after the last.

use super::budget::Budget;
use super::console::Console;
use super::error::Error;
use super::foreign;
use super::include::included;
use super::input::{Input, Text};
use super::interrupt::Interrupt;
use super::message::Kind;
use ltl::Diagnostic;
use model::checked::Model;
use model::{Definition, check_showing};
use model::{parser, syntax};
use run::Watch;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fmt, panic, thread};

/// The options that say which model.
#[derive(clap::Args, Clone)]
pub(crate) struct ModelOptions {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Give a constant of the model another value; may be repeated
    #[arg(short = 'D', value_name = "CONST=VALUE", value_parser = definition)]
    definitions: Vec<Definition>,
    #[command(flatten)]
    included: IncludeOptions,
}

/// The option that says where included files are.
#[derive(clap::Args, Clone)]
pub(crate) struct IncludeOptions {
    /// The directory that `include` paths of a model from standard input are relative to
    #[arg(long = "include-dir", value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// A model with its text and those of the formulas that are asked about it, for messages.
pub(crate) struct Loaded {
    pub(crate) text: Text,
    /// Those of [`Model::questions`], in their order.
    pub(crate) formulas: Vec<Text>,
    /// The texts of the expressions to be shown.
    pub(crate) shown: Vec<Text>,
    pub(crate) model: Model,
    /// The limits of the run, for evaluations that belong to the output.
    pub(crate) watch: Watch,
}

/// Where something is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place<'a> {
    /// The file of the model, or `formula`.
    pub(crate) name: &'a str,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// The number of the file among [`Loaded::files`], if it is an included one.
    pub(crate) included: Option<usize>,
}

/// A place of a model for programs.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Location<'a> {
    /// The file, if it is an included one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<&'a str>,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl<'a> Place<'a> {
    pub(crate) fn location(self) -> Location<'a> {
        let Place { name, line, column, included } = self;
        Location { file: included.map(|_| name), line, column }
    }
}

/// `4:1`; in an included file, `messages.m:4:1`.
impl fmt::Display for Location<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = self.file {
            write!(out, "{file}:")?;
        }
        write!(out, "{}:{}", self.line, self.column)
    }
}

/// The texts of a model, as messages with its places need them.
pub(crate) fn texts<'a>(text: &'a Text, formulas: &'a [Text], shown: &'a [Text]) -> Vec<&'a Text> {
    std::iter::once(text).chain(formulas).chain(shown).collect()
}

impl ModelOptions {
    /// Whether the model comes from standard input.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.model == Path::new("-")
    }

    /// Reads and checks the model. Says what the author should know about it; if it is not a model,
    /// says why.
    pub(crate) fn load(&self, budget: &Budget, console: &Console) -> Result<Loaded, Error> {
        self.load_with(&[], &[], budget, console)
    }

    /// The same, with formulas that are asked about it, [`Model::questions`], and expressions whose
    /// values along runs are asked for, [`Model::shown`].
    pub(crate) fn load_with(
        &self,
        formulas: &[String],
        shown: &[String],
        budget: &Budget,
        console: &Console,
    ) -> Result<Loaded, Error> {
        let name = |k: usize| match formulas.len() {
            1 => "formula".to_owned(),
            _ => format!("formula {}", k + 1),
        };
        let texts = formulas.iter().enumerate();
        let texts = texts.map(|(k, formula)| Text::argument(&name(k), formula)).collect();
        let shown = shown.iter().map(|shown| Text::argument("--show", shown)).collect();
        let text = self.read(budget.interrupt(), console)?;
        let loaded = resolve(text, &self.definitions, texts, shown, console)?;
        Ok(Loaded { watch: budget.watch(), ..loaded })
    }

    /// The file of the model.
    pub(crate) fn path(&self) -> &Path {
        &self.model
    }

    /// The constants that are given other values.
    pub(crate) fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The text of the model.
    pub(crate) fn read(&self, interrupt: &Interrupt, console: &Console) -> Result<Text, Error> {
        read(&self.model, &self.included, interrupt, console)
    }
}

/// Checks a model with formulas that are asked about it, and expressions to be shown. Says what the
/// author should know; if something is wrong, says what.
pub(crate) fn resolve(
    text: Text,
    definitions: &[Definition],
    formulas: Vec<Text>,
    shown: Vec<Text>,
    console: &Console,
) -> Result<Loaded, Error> {
    let [asked, showing] =
        [&formulas, &shown].map(|all| all.iter().map(|one| &*one.content).collect::<Vec<_>>());
    let checked = check_showing(&text.content, definitions, &asked, &showing);
    let texts = texts(&text, &formulas, &shown);
    let model = checked.map_err(|errors| {
        if let Some(foreign) = foreign::recognised(&text.content, &errors.model) {
            console.diagnose(&text, &foreign);
            return Error::Diagnosed;
        }
        for (definition, diagnostic) in &errors.definitions {
            let Definition { name, value } = &definitions[*definition];
            console.diagnose(&Text::argument(&format!("-D {name}"), value), diagnostic);
        }
        for diagnostic in &errors.model {
            console.diagnose_among(Kind::Input, &texts, diagnostic);
        }
        Error::Diagnosed
    })?;
    for warning in &model.warnings {
        console.diagnose_among(Kind::Input, &texts, warning);
    }
    Ok(Loaded { text, formulas, shown, model, watch: Watch::none() })
}

/// Reads the syntax of a model; if the text has none, says why.
pub(crate) fn parse(
    path: &Path,
    included: &IncludeOptions,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<syntax::Model, Error> {
    let text = read(path, included, interrupt, console)?;
    parsed(&text, console)
}

/// The same of a text whose included files are not wanted: it is returned, too.
pub(crate) fn parse_text(
    path: &Path,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<(Text, syntax::Model), Error> {
    let text = read_alone(path, interrupt, console)?;
    let model = parsed(&text, console)?;
    Ok((text, model))
}

fn parsed(text: &Text, console: &Console) -> Result<syntax::Model, Error> {
    let parsed = parser::parse(&text.content);
    if parsed.errors.is_empty() {
        return Ok(parsed.model);
    }
    match foreign::recognised(&text.content, &parsed.errors) {
        Some(foreign) => Err(refused(text, &[foreign], console)),
        None => Err(refused(text, &parsed.errors, console)),
    }
}

fn read(
    path: &Path,
    options: &IncludeOptions,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Text, Error> {
    let text = read_alone(path, interrupt, console)?;
    included(text, options.directory.as_deref(), interrupt, console)
}

/// Reads a file, not those that it includes.
fn read_alone(path: &Path, interrupt: &Interrupt, console: &Console) -> Result<Text, Error> {
    let text = Input::open(path, interrupt)?.read(interrupt)?;
    match &text.fault {
        Some(fault) => Err(refused(&text, std::slice::from_ref(fault), console)),
        None => Ok(text),
    }
}

fn refused(text: &Text, diagnostics: &[Diagnostic], console: &Console) -> Error {
    for diagnostic in diagnostics {
        console.diagnose(text, diagnostic);
    }
    Error::Diagnosed
}

/// The assumptions leave no start state.
pub(crate) fn no_start() -> Error {
    Error::usage("no start state satisfies the assumptions")
        .help("look at the `assume` statements and properties: every start state violates one")
}

/// `N=5`
fn definition(text: &str) -> Result<Definition, String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as in `-D N=5`")?;
    let (name, value) = (name.trim(), value.trim());
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letters) {
        return Err(format!("`{name}` is not the name of a constant"));
    }
    if value.is_empty() {
        return Err(format!("the value of `{name}` is missing"));
    }
    Ok(Definition { name: name.to_owned(), value: value.to_owned() })
}

/// Bytes of stack for the work on a model: trees are walked by recursion, and models recurse. If
/// memory is scarce, the least must do, which is what the deepest evaluation needs.
const STACKS: [usize; 3] = [64 << 20, 16 << 20, 8 << 20];

/// Does the work on a thread with a large stack, or on this one if none can be started.
pub(crate) fn with_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    // A thread that cannot be started does not return what it was to do.
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = || take().map(|work| work());
    let done = thread::scope(|scope| {
        let start = |bytes: usize| {
            let thread = thread::Builder::new().name("model".to_owned()).stack_size(bytes);
            thread.spawn_scoped(scope, run).ok()
        };
        let running = STACKS.into_iter().find_map(start)?;
        // A panic has been reported where it happened; the frame around all commands ends the run.
        running.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
    });
    done.or_else(run).expect("the work is done once")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::LoadedSystem as _;
    use ltl::Span;
    use ltl::source::Colour;

    #[test]
    fn places_are_in_the_text_that_they_belong_to() {
        let text = "var x: 0..1;\nstartstate x := 0; end;\nrule x := 1 - x; end;";
        let formulas = ["G x = 0", "F\nG x = 1"];
        let texts = formulas.map(|formula| Text::argument("formula", formula));
        let console = Console::new(&[], true);
        let text = Text { name: "m.m".to_owned(), ..Text::argument("", text) };
        let loaded = resolve(text, &[], texts.to_vec(), Vec::new(), &console).expect("a model");
        for (span, expected) in [
            (loaded.model.rules[0].span, ("m.m", 3, 1)),
            (loaded.model.questions[0].span, ("formula", 1, 1)),
            (Span::at(loaded.model.questions[0].span.start + 2), ("formula", 1, 3)),
            (Span::at(loaded.model.questions[1].span.start + 4), ("formula", 2, 3)),
        ] {
            let Place { name, line, column, .. } = loaded.place(span);
            assert_eq!((name, line, column), expected);
            let shown = Diagnostic::error(span, "here");
            let shown = loaded.sources().render(&shown, Colour::Off);
            assert!(shown.contains(&format!("--> {name}:{line}:{column}\n")), "{shown}");
        }
    }

    #[test]
    fn definitions_are_a_name_and_a_value() {
        let defined = |name: &str, value: &str| {
            Ok(Definition { name: name.to_owned(), value: value.to_owned() })
        };
        for (text, expected) in [
            ("N=5", defined("N", "5")),
            (" N_2 = -5 ", defined("N_2", "-5")),
            ("N=M=2", defined("N", "M=2")),
            ("N", Err("write NAME=VALUE, as in `-D N=5`".to_owned())),
            ("=5", Err("`` is not the name of a constant".to_owned())),
            ("2N=5", Err("`2N` is not the name of a constant".to_owned())),
            ("N+1=5", Err("`N+1` is not the name of a constant".to_owned())),
            ("N=", Err("the value of `N` is missing".to_owned())),
        ] {
            assert_eq!(definition(text), expected, "{text}");
        }
    }

    /// How deep a recursion gets that takes about a kilobyte each time.
    fn deep(levels: usize) -> usize {
        let block = std::hint::black_box([levels; 100]);
        if levels == 0 { 0 } else { deep(levels - 1) + block[levels % 100] / levels }
    }

    #[test]
    fn the_stack_is_large_and_panics_pass() {
        assert_eq!(with_large_stack(|| Ok(deep(30_000))).ok(), Some(30_000));
        let outcome = panic::catch_unwind(|| {
            with_large_stack(|| -> Result<(), Error> { panic!("(this panic is part of a test)") })
        });
        assert!(outcome.is_err());
    }
}
