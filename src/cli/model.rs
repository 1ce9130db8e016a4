//! The model of a command: where it comes from, and what is said about it.

use super::console::{Console, say};
use super::error::Error;
use super::input::{Input, Text};
use super::interrupt::Interrupt;
use isonomy::model::checked::Model;
use isonomy::model::{Definition, check};
use isonomy::model::{parser, syntax};
use ltl::{Diagnostic, Source};
use std::path::{Path, PathBuf};
use std::{panic, thread};

/// The options that say which model.
#[derive(clap::Args)]
pub(crate) struct ModelOptions {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Give a constant of the model another value; may be repeated
    #[arg(short = 'D', value_name = "CONST=VALUE", value_parser = definition)]
    definitions: Vec<Definition>,
}

/// A model with its text, for messages.
pub(crate) struct Loaded {
    pub(crate) text: Text,
    pub(crate) model: Model,
}

impl ModelOptions {
    /// Whether the model comes from standard input.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.model == Path::new("-")
    }

    /// Reads and checks the model. Says what the author should know about it; if it is not a model,
    /// says why.
    pub(crate) fn load(&self, interrupt: &Interrupt, console: &Console) -> Result<Loaded, Error> {
        let text = read(&self.model, interrupt, console)?;
        let model = check(&text.content, &self.definitions).map_err(|errors| {
            for (definition, diagnostic) in &errors.definitions {
                let Definition { name, value } = &self.definitions[*definition];
                console.diagnose(&Source::new(&format!("-D {name}"), value), diagnostic);
            }
            refused(&text, &errors.model, console)
        })?;
        for warning in &model.warnings {
            console.diagnose(&text.source(), warning);
        }
        Ok(Loaded { text, model })
    }
}

/// Reads the syntax of a model; if the text has none, says why.
pub(crate) fn parse(
    path: &Path,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<syntax::Model, Error> {
    let text = read(path, interrupt, console)?;
    let parsed = parser::parse(&text.content);
    if parsed.errors.is_empty() {
        return Ok(parsed.model);
    }
    Err(refused(&text, &parsed.errors, console))
}

fn read(path: &Path, interrupt: &Interrupt, console: &Console) -> Result<Text, Error> {
    let text = Input::open(path)?.read(interrupt)?;
    match &text.fault {
        Some(fault) => Err(refused(&text, std::slice::from_ref(fault), console)),
        None => Ok(text),
    }
}

fn refused(text: &Text, diagnostics: &[Diagnostic], console: &Console) -> Error {
    for diagnostic in diagnostics {
        console.diagnose(&text.source(), diagnostic);
    }
    Error::Diagnosed
}

/// Says, if there are any, that what only a search could judge was not judged.
pub(crate) fn note_unchecked(model: &Model) {
    let compassion = model.requirements.iter().filter(|r| r.premise.is_some()).count();
    let parts = [
        (model.formulas.len(), "temporal property", "temporal properties"),
        (model.requirements.len() - compassion, "justice requirement", "justice requirements"),
        (compassion, "compassion requirement", "compassion requirements"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|part| part.0 > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    let all = match parts.split_last() {
        None => return,
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    say(format_args!("note: {all}: read and type-checked, but not checked"));
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

/// Bytes of stack for the work on a model: trees are walked by recursion, and models recurse.
const STACK: usize = 64 << 20;

/// Does the work on a thread with a large stack.
pub(crate) fn with_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("model".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, work).map_err(|error| Error::File {
            action: "start",
            name: "a thread with a stack of 64 MiB".to_owned(),
            error,
        })?;
        // A panic has been reported where it happened; the frame around all commands ends the run.
        running.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
