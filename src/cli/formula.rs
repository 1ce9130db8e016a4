//! `isonomy formula`: formulas in another syntax, simplified, classified, compared.
//!
//! One run answers one question. A comparison that fails prints a word that tells the formulas
//! apart; before that, the word is judged by the definition of what formulas mean ([`ltl::word`]),
//! which shares nothing with the automata that the word came from.

use super::budget::{Budget, LimitOptions};
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::formulas::{Parsed, Sources, alphabet};
use super::input::Text;
use automata::Limits;
use automata::classify::classify;
use automata::compare::counterexample;
use automata::translate::{Effort, Translator};
use clap::{ArgGroup, ValueEnum};
use ltl::Alphabet;
use ltl::printer::{self, Unprintable};
use ltl::simplify::{Level, Simplifier};
use ltl::word::Lasso;
use run::Progress;

/// `isonomy formula`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group(ArgGroup::new("source").required(true).args(["formula", "file"])))]
#[command(group(ArgGroup::new("question").args(["classify", "equivalent_to", "implies"])))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: Sources,
    /// The syntax to print the formula in
    #[arg(long, default_value = "isonomy", conflicts_with = "question")]
    syntax: Syntax,
    /// Simplify the formula before it is printed
    #[arg(long, conflicts_with = "question")]
    simplify: bool,
    /// Print the smallest class of the safety-progress hierarchy that the property is in
    ///
    /// One of safety, guarantee, obligation, recurrence, persistence, reactivity; or `safety and
    /// guarantee`, for a property that is both. Equivalent formulas have the same class.
    #[arg(long)]
    classify: bool,
    /// Decide whether the formula is equivalent to another one
    ///
    /// If not: exit code 1, and a word that satisfies only one of the two.
    #[arg(long, value_name = "OTHER")]
    equivalent_to: Option<String>,
    /// Decide whether the formula implies another one
    ///
    /// If not: exit code 1, and a word that satisfies only the first.
    #[arg(long, value_name = "OTHER")]
    implies: Option<String>,
    #[command(flatten)]
    limits: LimitOptions,
}

const EXAMPLES: &str = "\
Examples:
  isonomy formula 'GF(a -> Xb)' --syntax latex
  isonomy formula 'F(a | Fb) & (1 U (b | a))' --simplify
  isonomy formula 'G(request -> F grant)' --classify
  isonomy formula 'GF(a & b)' --equivalent-to 'GFa & GFb'

Words:
  A word is a sequence of letters, separated by `;`; those in cycle{...} are repeated forever. A
  letter lists the atoms, negated if they are false.";

/// `--syntax`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Syntax {
    /// `G (a -> F b)`
    Isonomy,
    /// `G(a -> Fb)`
    Spot,
    /// `[](a -> <>b)`
    Spin,
    /// For the math mode of LaTeX
    Latex,
}

/// What is asked about two formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equivalent,
    Implies,
}

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let budget = Budget::new(&options.limits);
    let watch = |_: &Progress| budget.probe();
    let limits = budget.limits(&watch);
    let other = match (&options.equivalent_to, &options.implies) {
        (Some(other), _) => Some((Relation::Equivalent, Text::argument("--equivalent-to", other))),
        (_, Some(other)) => Some((Relation::Implies, Text::argument("--implies", other))),
        (None, None) => None,
    };
    if let Some((_, other)) = &other {
        // Said once, not for each formula of a file.
        options.sources.parse(other, console)?;
    }
    options.sources.for_each(console, &budget, |text, console| {
        budget.check()?;
        let parsed = options.sources.parse(text, console)?;
        match &other {
            Some((relation, other)) => options.compare(parsed, *relation, other, limits, console),
            None if options.classify => classified(parsed, limits, console),
            None => options.print(parsed, console),
        }
    })
}

impl Options {
    fn print(&self, parsed: Parsed, console: &mut Console) -> Result<Exit, Error> {
        let Parsed { mut formulas, atoms, formula } = parsed;
        let syntax = match self.syntax {
            Syntax::Isonomy => printer::Syntax::Isonomy,
            Syntax::Spot => printer::Syntax::Spot,
            Syntax::Spin => printer::Syntax::Spin,
            Syntax::Latex => printer::Syntax::Latex,
        };
        let mut text = printer::print(&formulas, &atoms, formula, syntax);
        if self.simplify {
            let alphabet = alphabet(&atoms)?;
            let mut simplifier = Simplifier::new(&alphabet, Level::Implication);
            let simplified = simplifier.simplify(&mut formulas, formula);
            let simplified = printer::print(&formulas, &atoms, simplified, syntax);
            // In normal form `xor` and `->` are gone; what the user wrote may have been simpler.
            text = match (text, simplified) {
                (Ok(written), Ok(simplified)) if written.len() <= simplified.len() => Ok(written),
                (Ok(written), Err(_)) => Ok(written),
                (_, simplified) => simplified,
            };
        }
        let text = text.map_err(|error| {
            let message = error.to_string();
            match error {
                Unprintable::TooLong { .. } => Error::too_large(message),
                Unprintable::Atom { .. } => Error::usage(message),
            }
        })?;
        console.print_data(&format!("{text}\n"))?;
        Ok(Exit::Done)
    }

    fn compare(
        &self,
        parsed: Parsed,
        relation: Relation,
        other: &Text,
        limits: Limits<'_>,
        console: &mut Console,
    ) -> Result<Exit, Error> {
        let Parsed { mut formulas, mut atoms, formula: first } = parsed;
        let second = self.sources.parse_into(other, &mut formulas, &mut atoms, console)?;
        let alphabet = alphabet(&atoms)?;
        let mut translator = Translator::new(&alphabet, Effort::Medium, limits);
        let nodes = [first, second].map(|f| formulas.subformulas(f).len());
        let span =
            tracing::debug_span!("formula.compare", first = nodes[0], second = nodes[1]).entered();
        let mut find = |f, g| counterexample(&mut translator, &mut formulas, f, g);
        let mut found = find(first, second)?.map(|word| (word, "first", first, second));
        if found.is_none() && relation == Relation::Equivalent {
            found = find(second, first)?.map(|word| (word, "second", second, first));
        }
        let (yes, no) = match relation {
            Relation::Equivalent => ("equivalent", "not equivalent"),
            Relation::Implies => ("implied", "not implied"),
        };
        let Some((word, which, satisfied, violated)) = found else {
            console.print(&format!("{yes}\n"))?;
            return Ok(Exit::Done);
        };
        drop(span);
        if !word.satisfies(&formulas, satisfied)
            || word.satisfies(&formulas, violated)
            || !exists(&word, &alphabet)
        {
            return Err(Error::Internal(format!(
                "a word that should satisfy the {which} formula only does not"
            )));
        }
        let mut shown = formulas.atoms(first);
        shown.extend(formulas.atoms(second));
        shown.sort_unstable();
        shown.dedup();
        let word = word.display(&atoms, &shown);
        console
            .print(&format!("{no}: this word satisfies the {which} formula only\n{word}\n"))
            .map_err(|error| error.knowing(Exit::Violated))?;
        Ok(Exit::Violated)
    }
}

fn classified(parsed: Parsed, limits: Limits<'_>, console: &mut Console) -> Result<Exit, Error> {
    let Parsed { mut formulas, atoms, formula } = parsed;
    let alphabet = alphabet(&atoms)?;
    let mut translator = Translator::new(&alphabet, Effort::Medium, limits);
    let span =
        tracing::debug_span!("formula.classify", nodes = formulas.subformulas(formula).len());
    let class = span.in_scope(|| classify(&mut translator, &mut formulas, formula))?;
    tracing::info!(?class);
    console.print(&format!("{class}\n"))?;
    Ok(Exit::Done)
}

/// Whether all letters of the word exist: of the events at most one in each.
fn exists(word: &Lasso, alphabet: &Alphabet) -> bool {
    word.letters().iter().all(|letter| alphabet.allows(|atom| letter.has(atom)))
}
