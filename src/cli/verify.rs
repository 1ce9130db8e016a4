//! `isonomy verify`: a certificate, verified by the checker of certificates.
//!
//! Nothing that takes part knows of the search: the interpreter executes the model, and the crate `verify`
//! looks at every step and node that the certificate lists.

use super::budget::{Budget, RunLimits};
use super::certificate;
use super::choices::threads;
use super::console::Console;
use super::constants;
use super::error::Error;
use super::exit::Exit;
use super::input::Text;
use super::json::read::{Object, Path};
use super::loading::{self, Loaded, ModelOptions};
use super::nets::{self, is_net};
use super::numbers::counted;
use crate::certify::header::{Entry, FairnessName, Header};
use crate::certify::{telling, verify_compiled};
use compile::CompiledModel;
use model::Definition;
use model::reference::ModelReference;
use num_bigint::BigUint;
use std::fmt::Write as _;
use std::path::PathBuf;
use verify::{Demands, Refusal, Verified};

/// `isonomy verify`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// The output of `check --certificate`
    #[arg(value_name = "CERTIFICATE")]
    file: PathBuf,
    /// A claim that the certificate must have: the name of a property, or a formula as it was given; may be
    /// repeated
    #[arg(short = 'p', long = "property", value_name = "NAME")]
    names: Vec<String>,
    /// The fairness that every claim about runs must have
    #[arg(long, value_name = "KIND")]
    fairness: Option<FairnessName>,
    /// Execute the compiled model: faster, but then the compiler is trusted, too
    #[arg(long)]
    trust_compiled: bool,
    /// The number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    limits: RunLimits,
}

const EXAMPLES: &str = "\
Examples:
  isonomy check model.m --certificate model.cert
  isonomy verify model.m model.cert

What is verified:
  The listed states and their images under the symmetry of the model are all reachable states; no run-time
  error occurs in them; and the claims hold: invariants, no deadlock, liveness, and formulas about all fair
  runs, node by node and edge by edge.

What is trusted:
  The parser and the type checker of models (which also guarantees that index types are symmetric), the
  reference interpreter, and the checker of certificates. No search, no compiled code, no automaton. With
  --trust-compiled, which is for large certificates, the compiler of models replaces the interpreter.
  Of a Petri net: its reader, which colours are interchangeable, the token game, and the checker.

Which model:
  The one that was checked, in any layout. Constants, formulas and fairness are those of the
  certificate; options that say something else are refused.

Exit codes:
  0    all claims are proved
  1    a condition fails: the certificate proves nothing
  2    it is no certificate, or one about another model
  3    a limit was reached
  130  interrupted";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    loading::with_large_stack(|| {
        let budget = Budget::of_run(&options.limits);
        let (header, body) = certificate::read(&options.file)?;
        if is_net(options.model.path()) {
            return nets::certificate::verify(options, &budget, &header, body, console);
        }
        let loaded = load(options, &header, &budget, console)?;
        if certificate::hash(&loaded) != header.sha256 {
            return Err(options.is_about_another("model"));
        }
        let about = certificate::about(&loaded.model);
        let mut claims = Vec::new();
        for entry in &header.claims {
            claims.push(entry.claim(&about).ok_or_else(|| {
                Error::usage(format!("the model has nothing like this: {}", entry.text))
            })?);
        }
        let text = |entry: &Entry| certificate::text(&loaded, entry.kind, entry.number);
        options.agree(&header, text)?;
        let watch = telling(&budget.watch());
        let span = tracing::debug_span!("certificate.verify", states = tracing::field::Empty);
        let entered = span.enter();
        let threads = options.threads();
        let verified = if options.trust_compiled {
            let system = CompiledModel::new(&loaded.model);
            verify_compiled(&system, &claims, body, threads, &watch)
        } else {
            let reference = ModelReference::new(&loaded.model);
            verify::verify(&reference, &claims, body, Demands::default(), threads, &watch)
        };
        let verified = verified.map_err(|refusal| refused(options, refusal))?;
        span.record("states", verified.states);
        drop(entered);
        let symmetric = if loaded.model.symmetries.is_empty() {
            ""
        } else {
            "that index types are symmetric, "
        };
        let executed = if options.trust_compiled {
            "the compiler of models and the code that it makes (--trust-compiled), how \
             permutations act on compiled states"
        } else {
            "the reference interpreter"
        };
        let trusted = format!("the parser and type checker of models, {executed}, {symmetric}");
        console.print(&told(&header, &loaded.text.name, &verified, &trusted, text))?;
        Ok(Exit::Done)
    })
}

impl Options {
    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// Refuses what is not for nets.
    pub(crate) fn of_net(&self) -> Result<(), Error> {
        let refused = [
            (self.trust_compiled, "`--trust-compiled`"),
            (!self.model.definitions().is_empty(), "`-D`"),
        ];
        match refused.iter().find(|(is_asked, _)| *is_asked) {
            Some((_, what)) => Err(Error::usage(format!("{what} is not for Petri nets"))),
            None => Ok(()),
        }
    }

    /// The certificate is about another model, or another net.
    pub(crate) fn is_about_another(&self, what: &str) -> Error {
        let file = self.file.display();
        Error::usage(format!("{file} is about another {what}: the hashes differ")).help(format!(
            "layout and comments do not matter, but anything else does; check the {what} again"
        ))
    }

    /// The file is no certificate.
    pub(crate) fn no_certificate(&self, why: &str) -> Error {
        Error::usage(format!("{} is no certificate: {why}", self.file.display()))
    }

    /// Whether the certificate is about what the options say. `text` says what is claimed.
    pub(crate) fn agree(
        &self,
        header: &Header,
        text: impl Fn(&Entry) -> String,
    ) -> Result<(), Error> {
        let claims = || header.claims.iter();
        for name in &self.names {
            let is_it = |entry: &Entry| {
                let text = text(entry);
                text.contains(&format!("\"{name}\"")) || text.contains(&format!("`{name}`"))
            };
            if !claims().any(is_it) {
                return Err(Error::usage(format!("the certificate has no claim \"{name}\"")));
            }
        }
        let Some(fairness) = self.fairness else { return Ok(()) };
        match claims().find(|entry| entry.runs.is_some_and(|runs| runs.fairness != fairness)) {
            None => Ok(()),
            Some(entry) => Err(Error::usage(format!(
                "the certificate is about {}{}",
                text(entry),
                entry.words()
            ))),
        }
    }
}

/// What was verified of a model or a net, and what is trusted. `text` says what is claimed.
pub(crate) fn told(
    header: &Header,
    name: &str,
    verified: &Verified,
    trusted: &str,
    text: impl Fn(&Entry) -> String,
) -> String {
    let mut told = String::new();
    let constants = header.constants.iter().map(|(name, value)| format!("{name} = {value}"));
    let constants: Vec<String> = constants.collect();
    let with = if constants.is_empty() {
        String::new()
    } else {
        format!(" with {}", constants.join(", "))
    };
    for (entry, &nodes) in header.claims.iter().zip(&verified.nodes) {
        let what = text(entry);
        let nodes = match nodes {
            0 => String::new(),
            _ => format!(" ({})", counted(&BigUint::from(nodes), "node")),
        };
        let vacuous = if entry.vacuous { "; vacuously, as its header says" } else { "" };
        let _ = writeln!(told, "verified: {what}{}{vacuous}{nodes}", entry.words());
    }
    let _ = writeln!(
        told,
        "about {name}{with}: {}, {}",
        counted(&BigUint::from(verified.states), "listed state"),
        counted(&BigUint::from(verified.steps), "step"),
    );
    let _ = writeln!(told, "trusted: {trusted}and the checker of certificates");
    told
}

/// The model with the constants and the questions of the certificate.
fn load(
    options: &Options,
    header: &Header,
    budget: &Budget,
    console: &Console,
) -> Result<Loaded, Error> {
    let text = options.model.read(budget.interrupt(), console)?;
    let json = serde_json::json!({ "constants": header.constants });
    let root = Path::Root;
    let file = Object::of(&json, &root).expect("it is an object");
    let own = options.model.definitions();
    for Definition { name, value } in own {
        let known = header.constants.get(name).map(|known| match known {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        if known.as_ref().is_some_and(|known| known != value) {
            return Err(Error::usage(format!(
                "the certificate is about {name} = {}, not {value}",
                known.unwrap_or_default()
            )));
        }
    }
    let definitions = constants::definitions(&text.content, file, own)
        .map_err(|fault| Error::usage(format!("{}: {}", options.file.display(), fault.message)))?;
    let name = |k: usize| format!("formula {}", k + 1);
    let questions = header.questions.iter().enumerate();
    let questions = questions.map(|(k, formula)| Text::argument(&name(k), formula)).collect();
    loading::resolve(text, &definitions, questions, Vec::new(), console)
}

/// What is wrong with a certificate that is not accepted.
pub(crate) fn refused(options: &Options, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Rejected(_) => Error::NotValid(refusal.to_string()),
        Refusal::Malformed(why) => options.no_certificate(&why),
        Refusal::Stopped(reason) => reason.into(),
    }
}
