//! Certificates on the command line: what `check --certificate` writes of a model, and the words for it.

use super::console::Console;
use super::error::Error;
use super::json::Simple;
use super::loading::Loaded;
use super::numbers::counted;
use super::view::LoadedSystem as _;
use crate::certify::certify;
use crate::certify::header::{About, Entry, Header, Kind, Unreadable, sha256};
use crate::finding::{Findings, Subject};
use ::certify::draft::Draft;
use ::certify::{Limits, Uncertified};
use compile::CompiledModel;
use engine::symmetry::Reduction;
use judge::Deadlock;
use model::checked::{Formula, Model};
use model::reference::ModelVocabulary;
use model::{parser, printer};
use num_bigint::BigUint;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;

/// The header for a model, without claims.
fn header(loaded: &Loaded) -> Header {
    let model = &loaded.model;
    let constants = model.constants.iter().map(|one| {
        let value = serde_json::to_value(Simple(&model.types, one.value));
        (one.name.clone(), value.expect("a simple value is one of JSON"))
    });
    Header {
        model: loaded.text.name.clone(),
        sha256: hash(loaded),
        constants: constants.collect(),
        questions: loaded.formulas.iter().map(|one| one.content.clone()).collect(),
        claims: Vec::new(),
    }
}

/// Reads the header of a file. What follows it is the body.
pub(crate) fn read(file: &Path) -> Result<(Header, impl io::Read + use<>), Error> {
    let name = file.display().to_string();
    let unreadable = |why| match why {
        Unreadable::Unread(error) => Error::File { action: "read", name: name.clone(), error },
        Unreadable::Else(why) => Error::usage(format!("{name} is no certificate: {why}"))
            .help("`isonomy check --certificate FILE` writes certificates"),
    };
    let opened = File::open(file).map_err(|error| unreadable(error.into()))?;
    let mut input = BufReader::new(opened);
    let header = Header::read(&mut input).map_err(unreadable)?;
    Ok((header, input))
}

/// The hash of a model: of its text in the layout of the printer without comments, and of the values of
/// its constants.
pub(crate) fn hash(loaded: &Loaded) -> String {
    let mut tree = parser::parse(&loaded.text.content).model;
    tree.comments.clear();
    let mut text = printer::print(&tree);
    for one in &loaded.model.constants {
        let _ = writeln!(text, "{} = {}", one.name, one.value.show(&loaded.model.types));
    }
    sha256(&text)
}

/// What claims about a model may be about.
pub(crate) fn about(model: &Model) -> About<'_, ModelVocabulary> {
    About {
        formulas: model.formulas.iter().collect(),
        questions: model.questions.iter().collect(),
        properties: model.properties.iter().map(|one| (one.kind, one.is_statement)).collect(),
    }
}

/// What a claim says, by the model.
pub(crate) fn text(loaded: &Loaded, kind: Kind, number: usize) -> String {
    let model = &loaded.model;
    let quoted = |name: &Option<String>, of: &str| match name {
        Some(name) => format!("{of} \"{name}\""),
        None => of.to_owned(),
    };
    let named = |formula: &Formula, of: &str| match &formula.name {
        Some(name) => format!("{of} \"{name}\""),
        None => format!("{of} `{}`", formula.text.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    let at = |number: usize| {
        let place = loaded.place(model.properties[number].span);
        format!(" (line {})", place.line)
    };
    match kind {
        Kind::Formula => named(&model.formulas[number], "formula"),
        Kind::Question => named(&model.questions[number], "formula"),
        Kind::Invariant => quoted(&model.properties[number].name, "invariant") + &at(number),
        Kind::Statement => quoted(&model.properties[number].name, "assertion") + &at(number),
        Kind::Liveness => quoted(&model.properties[number].name, "liveness") + &at(number),
        Kind::NotStuck => "no deadlock".to_owned(),
        Kind::NotStuttering => "no deadlock, steps to the same state not counted".to_owned(),
        Kind::NoFailure => "no run-time error".to_owned(),
    }
}

/// What was checked.
pub(crate) struct Checked<'c> {
    pub(crate) loaded: &'c Loaded,
    pub(crate) system: &'c CompiledModel<'c>,
    pub(crate) formulas: Vec<&'c Formula>,
    pub(crate) deadlock: Option<Deadlock>,
    pub(crate) findings: &'c Findings,
    pub(crate) reduction: Reduction,
}

/// What is reported about a certificate.
pub(crate) struct Certified {
    /// The name of the file.
    pub(crate) file: String,
    /// By finding: the number of nodes, 0 for a property of states; or why it is not certified. None for
    /// what is no claim.
    pub(crate) of_findings: Vec<Option<Result<usize, String>>>,
    written: Written,
    /// Whether the file was written, if there is something to write.
    outcome: Result<(), Error>,
}

/// What a file has.
#[derive(Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) claims: usize,
    pub(crate) states: usize,
}

impl Written {
    /// Says what was written.
    pub(crate) fn tell(self, file: &str, console: &Console) {
        if self.claims == 0 {
            console.note(&format!("{file} was not written: nothing is certified"));
            return;
        }
        console.note(&format!(
            "the certificate is in {file}: {} from {}",
            counted(&BigUint::from(self.claims), "claim"),
            counted(&BigUint::from(self.states), "listed state"),
        ));
    }
}

/// Writes a certificate to a file.
pub(crate) fn write(file: &Path, header: &Header, draft: &Draft) -> Result<(), Error> {
    let written = File::create(file).and_then(|to| {
        let mut to = BufWriter::new(to);
        header.write(draft, &mut to)?;
        to.flush()
    });
    let name = file.display().to_string();
    written.map_err(|error| Error::File { action: "write", name, error })
}

impl Certified {
    /// Writes a certificate of what holds.
    pub(crate) fn of(file: &Path, checked: &Checked<'_>, limits: Limits<'_>) -> Certified {
        let Checked { loaded, system, formulas, deadlock, findings, reduction } = checked;
        let model = &loaded.model;
        let about = about(model);
        let formula = |number: usize| {
            let is_it = |one: &Formula| one.span == formulas[number].span;
            let question = model.questions.iter().position(is_it).map(|k| (Kind::Question, k));
            let own = || model.formulas.iter().position(is_it).map(|k| (Kind::Formula, k));
            question.or_else(own)
        };
        let text = |kind, number| text(loaded, kind, number);
        let mut all: Vec<Entry> = Vec::new();
        // By finding: its position among all claims.
        let entry = |finding| {
            let entry = Entry::of(finding, &about, *deadlock, formula, text)?;
            Some(entry.map_err(str::to_owned).map(|entry| {
                all.push(entry);
                all.len() - 1
            }))
        };
        let places: Vec<Option<Result<usize, String>>> = findings.all.iter().map(entry).collect();
        if all.is_empty() {
            let text = text(Kind::NoFailure, 0);
            let (kind, number) = (Kind::NoFailure, 0);
            all.push(Entry { kind, number, text, runs: None, vacuous: false });
        }
        let claims = all.iter().map(|one| one.claim(&about)).collect::<Option<Vec<_>>>();
        let claims = claims.expect("the model has what was checked");
        let mut certified = Certified {
            file: file.display().to_string(),
            of_findings: Vec::new(),
            written: Written::default(),
            outcome: Ok(()),
        };
        let made = certify(*system, &claims, *reduction, limits);
        let nodes: Vec<Result<usize, String>> = match &made {
            Ok(made) => {
                made.claims.iter().map(|one| one.clone().map_err(|why| why.to_string())).collect()
            }
            Err(why) => vec![Err(why.to_string()); all.len()],
        };
        let of_finding = |place: Option<Result<usize, String>>| {
            place.map(|place| place.and_then(|place| nodes[place].clone()))
        };
        certified.of_findings = places.into_iter().map(of_finding).collect();
        let kept = all.into_iter().zip(&nodes).filter(|(_, nodes)| nodes.is_ok());
        let kept: Vec<Entry> = kept.map(|(entry, _)| entry).collect();
        certified.written.claims = kept.len();
        match made {
            Err(Uncertified::Stopped(reason)) => {
                let what = "the certificate was not written".to_owned();
                certified.outcome = Err(Error::Unwritten { what, reason });
            }
            Ok(made) if !kept.is_empty() => {
                certified.written.states = made.draft.states();
                let header = Header { claims: kept, ..header(loaded) };
                certified.outcome = write(file, &header, &made.draft);
            }
            _ => {}
        }
        certified
    }

    /// Says what is certified, and why the rest is not.
    pub(crate) fn tell(self, checked: &Checked<'_>, console: &Console) -> Result<(), Error> {
        self.outcome?;
        for (finding, outcome) in checked.findings.all.iter().zip(&self.of_findings) {
            if let Some(Err(why)) = outcome {
                let name = name(checked, &finding.subject);
                console.note(&format!("no certificate for {name}: {why}"));
            }
        }
        self.written.tell(&self.file, console);
        Ok(())
    }
}

/// What a finding is about.
fn name(checked: &Checked<'_>, subject: &Subject) -> String {
    let model = &checked.loaded.model;
    match subject {
        Subject::Formula { number, .. } | Subject::Atom { number, .. } => {
            let formula = checked.formulas[*number];
            let name = formula.name.as_ref().map(|name| format!("\"{name}\""));
            name.unwrap_or_else(|| format!("`{}`", formula.text))
        }
        Subject::Property(id) => {
            let property = &model.properties[id.0 as usize];
            let place = checked.loaded.place(property.span);
            let name = property.name.as_ref().map(|name| format!("\"{name}\""));
            name.unwrap_or_else(|| format!("the property in line {}", place.line))
        }
        Subject::NoDeadlock => "deadlocks".to_owned(),
        Subject::Failure(_) => "run-time errors".to_owned(),
    }
}
