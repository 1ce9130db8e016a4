//! Files of certificates: a header that people can read, and a body that the checker reads.
//!
//! The header says what the certificate is about: the model, by a hash of its text in the layout of the
//! printer, without comments, and of the values of its constants; and its claims. Behind an empty line
//! comes the body, which is compressed.

use super::console::Console;
use super::error::Error;
use super::json::Simple;
use super::loading::Loaded;
use super::numbers::counted;
use crate::certify::certify;
use crate::check::Warning;
use crate::finding::{Finding, FindingWarning, Findings, Subject, Verdict};
use ::certify::{Limits, Uncertified};
use compile::CompiledModel;
use engine::symmetry::Reduction;
use judge::Deadlock;
use model::checked::{Formula, Model};
use model::reference::ModelVocabulary;
use model::{parser, printer};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;
use terms::{Demand, Fairness, Over, PropertyId, PropertyKind};
use verify::Claim;

/// The first line of a file, with the version of its layout.
const FIRST: &str = "isonomy certificate 1";

/// Bytes of a header at most.
const LONGEST_HEADER: u64 = 16 << 20;

/// What a certificate is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// The file of the model.
    pub(crate) model: String,
    /// The hash of the printed model and its constants.
    pub(crate) sha256: String,
    /// All constants.
    pub(crate) constants: serde_json::Map<String, serde_json::Value>,
    /// Formulas that are no part of the model.
    pub(crate) questions: Vec<String>,
    /// What is proved.
    pub(crate) claims: Vec<Entry>,
}

/// A claim.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// The number of the property, of the formula of the model or of the question.
    pub(crate) number: usize,
    /// What it says, for people.
    pub(crate) text: String,
    /// Which runs a formula is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) runs: Option<Runs>,
    /// Whether it is true for want of anything that could violate it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) vacuous: bool,
}

/// The kinds of claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// An `invariant` or `assert` of the top level.
    Invariant,
    /// An `assert` statement, which fails if it is false.
    Statement,
    /// `liveness`
    Liveness,
    /// There is always an enabled rule.
    NotStuck,
    /// There is always an enabled rule that changes the state.
    NotStuttering,
    /// A formula of the model.
    Formula,
    /// A formula of the header.
    Question,
    /// There are no run-time errors.
    NoFailure,
}

/// Which runs a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    fairness: FairnessName,
    over: OverName,
    /// Whether what the model declares counts, too.
    declared: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FairnessName {
    None,
    Weak,
    Strong,
    Global,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OverName {
    Processes,
    Events,
}

impl From<Demand> for Runs {
    fn from(demand: Demand) -> Runs {
        let fairness = match demand.fairness {
            Fairness::None => FairnessName::None,
            Fairness::Weak => FairnessName::Weak,
            Fairness::Strong => FairnessName::Strong,
            Fairness::Global => FairnessName::Global,
        };
        let over = match demand.over {
            Over::Processes => OverName::Processes,
            Over::Events => OverName::Events,
        };
        Runs { fairness, over, declared: demand.declared }
    }
}

impl From<Runs> for Demand {
    fn from(runs: Runs) -> Demand {
        let fairness = match runs.fairness {
            FairnessName::None => Fairness::None,
            FairnessName::Weak => Fairness::Weak,
            FairnessName::Strong => Fairness::Strong,
            FairnessName::Global => Fairness::Global,
        };
        let over = match runs.over {
            OverName::Processes => Over::Processes,
            OverName::Events => Over::Events,
        };
        Demand { fairness, over, declared: runs.declared }
    }
}

impl Header {
    /// The header for a model, without claims.
    fn of(loaded: &Loaded) -> Header {
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

    /// Reads a header. What follows it is the body.
    pub(crate) fn read(file: &Path) -> Result<(Header, impl io::Read + use<>), Error> {
        let name = file.display().to_string();
        let failed = |error| Error::File { action: "read", name: name.clone(), error };
        let no_certificate = |why: &str| {
            Error::usage(format!("{name} is no certificate: {why}"))
                .help("`isonomy check --certificate FILE` writes certificates")
        };
        let mut input = BufReader::new(File::open(file).map_err(failed)?);
        let mut first = Vec::new();
        let length = FIRST.len() as u64 + 2;
        input.by_ref().take(length).read_until(b'\n', &mut first).map_err(failed)?;
        if first.trim_ascii_end() != FIRST.as_bytes() {
            return Err(no_certificate(&format!("its first line is not `{FIRST}`")));
        }
        let mut text = Vec::new();
        let mut limited = input.by_ref().take(LONGEST_HEADER);
        loop {
            let before = text.len();
            let read = limited.read_until(b'\n', &mut text).map_err(failed)?;
            if text[before..].trim_ascii().is_empty() {
                if read == 0 {
                    return Err(no_certificate("no empty line follows its header"));
                }
                break;
            }
        }
        let header = serde_json::from_slice(&text);
        let header = header.map_err(|error| no_certificate(&format!("in its header, {error}")))?;
        Ok((header, input))
    }
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
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Entry {
    /// The claim of a finding, if it is one that can be certified; else why it is not.
    fn of(
        loaded: &Loaded,
        formulas: &[&Formula],
        deadlock: Option<Deadlock>,
        finding: &Finding,
    ) -> Option<Result<Entry, &'static str>> {
        let model = &loaded.model;
        let is_vacuous = |one: &FindingWarning| {
            !matches!(
                one,
                FindingWarning::RunAlone | FindingWarning::Formula(Warning::SingleProcess)
            )
        };
        let vacuous = finding.warnings.iter().any(is_vacuous);
        let entry = |kind, number, runs| {
            let text = text(loaded, kind, number);
            Entry { kind, number, text, runs, vacuous }
        };
        Some(match (&finding.subject, &finding.verdict) {
            (Subject::Failure(_) | Subject::Atom { .. }, _) => return None,
            (_, Verdict::Violated(_)) => Err("it is violated"),
            (_, Verdict::Unknown(_)) => Err("it is not known to hold"),
            (Subject::Formula { number, demand }, Verdict::Holds) => {
                let formula = formulas[*number];
                let runs = Some(Runs::from(*demand));
                let is_it = |one: &Formula| one.span == formula.span;
                if let Some(k) = model.questions.iter().position(is_it) {
                    Ok(entry(Kind::Question, k, runs))
                } else if let Some(k) = model.formulas.iter().position(is_it) {
                    Ok(entry(Kind::Formula, k, runs))
                } else {
                    Err("it is no formula of the model")
                }
            }
            (Subject::Property(id), Verdict::Holds) => {
                let property = &model.properties[id.0 as usize];
                let number = id.0 as usize;
                match property.kind {
                    PropertyKind::Invariant | PropertyKind::Assert if property.is_statement => {
                        Ok(entry(Kind::Statement, number, None))
                    }
                    PropertyKind::Invariant | PropertyKind::Assert => {
                        Ok(entry(Kind::Invariant, number, None))
                    }
                    PropertyKind::Liveness => Ok(entry(Kind::Liveness, number, None)),
                    PropertyKind::Cover | PropertyKind::Assume => {
                        Err("a single state shows that a cover holds")
                    }
                }
            }
            (Subject::NoDeadlock, Verdict::Holds) => match deadlock {
                Some(Deadlock::Stuttering) => Ok(entry(Kind::NotStuttering, 0, None)),
                _ => Ok(entry(Kind::NotStuck, 0, None)),
            },
        })
    }

    /// The claim, about a model that must have what it speaks of.
    pub(crate) fn claim<'m>(&self, model: &'m Model) -> Option<Claim<'m, ModelVocabulary>> {
        let property = |kinds: &[PropertyKind], is_statement| {
            let one = model.properties.get(self.number)?;
            let is_it = kinds.contains(&one.kind) && one.is_statement == is_statement;
            is_it.then_some(PropertyId(self.number as u32))
        };
        let invariant = [PropertyKind::Invariant, PropertyKind::Assert];
        match (self.kind, self.runs) {
            (Kind::Formula, Some(runs)) => {
                Some(Claim::Formula(model.formulas.get(self.number)?, runs.into()))
            }
            (Kind::Question, Some(runs)) => {
                Some(Claim::Formula(model.questions.get(self.number)?, runs.into()))
            }
            (Kind::Formula | Kind::Question, None) | (_, Some(_)) => None,
            (Kind::Invariant, None) => Some(Claim::Invariant(property(&invariant, false)?)),
            (Kind::Statement, None) => {
                property(&[PropertyKind::Assert], true).map(|_| Claim::NoFailure)
            }
            (Kind::Liveness, None) => {
                Some(Claim::Liveness(property(&[PropertyKind::Liveness], false)?))
            }
            (Kind::NotStuck, None) => Some(Claim::NoDeadlock(Deadlock::Stuck)),
            (Kind::NotStuttering, None) => Some(Claim::NoDeadlock(Deadlock::Stuttering)),
            (Kind::NoFailure, None) => Some(Claim::NoFailure),
        }
    }

    /// The runs that it is about, in words; nothing if it is about states.
    pub(crate) fn words(&self) -> String {
        let Some(Runs { fairness, over, declared }) = self.runs else { return String::new() };
        let over = match over {
            OverName::Processes => "processes",
            OverName::Events => "events",
        };
        let fairness = match fairness {
            FairnessName::None => None,
            FairnessName::Weak => Some(format!("weak fairness to {over}")),
            FairnessName::Strong => Some(format!("strong fairness to {over}")),
            FairnessName::Global => Some("global fairness".to_owned()),
        };
        let declared = declared.then(|| "what the model declares".to_owned());
        let all: Vec<String> = fairness.into_iter().chain(declared).collect();
        if all.is_empty() { String::new() } else { format!(", under {}", all.join(" and ")) }
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

/// Writes a certificate of what holds, and says what is certified, and why the rest is not.
pub(crate) fn write(
    file: &Path,
    checked: &Checked<'_>,
    limits: Limits<'_>,
    console: &Console,
) -> Result<(), Error> {
    let Checked { loaded, system, formulas, deadlock, findings, reduction } = checked;
    let entries = findings
        .all
        .iter()
        .filter_map(|finding| Some((finding, Entry::of(loaded, formulas, *deadlock, finding)?)));
    let mut header = Header::of(loaded);
    let mut refused = Vec::new();
    for (finding, entry) in entries {
        match entry {
            Ok(entry) => header.claims.push(entry),
            Err(why) => refused.push((name(checked, &finding.subject), why.to_owned())),
        }
    }
    if header.claims.is_empty() {
        let text = text(loaded, Kind::NoFailure, 0);
        let (kind, number) = (Kind::NoFailure, 0);
        header.claims.push(Entry { kind, number, text, runs: None, vacuous: false });
    }
    let claims = header.claims.iter().map(|one| one.claim(&loaded.model));
    let claims: Option<Vec<_>> = claims.collect();
    let claims = claims.expect("the model has what was checked");
    let made = match certify(*system, &claims, *reduction, limits) {
        Ok(made) => made,
        Err(Uncertified::Stopped(reason)) => {
            let what = "the certificate was not written".to_owned();
            return Err(Error::Unwritten { what, reason });
        }
        Err(why) => {
            console.note(&format!("no certificate: {why}"));
            return Ok(());
        }
    };
    let mut kept = Vec::new();
    for (entry, outcome) in header.claims.into_iter().zip(made.claims) {
        match outcome {
            Ok(_) => kept.push(entry),
            Err(why) => refused.push((entry.text, why.to_string())),
        }
    }
    for (name, why) in refused {
        console.note(&format!("no certificate for {name}: {why}"));
    }
    if kept.is_empty() {
        console.note(&format!("{} was not written: nothing is certified", file.display()));
        return Ok(());
    }
    let count = kept.len();
    let header = Header { claims: kept, ..header };
    let written = File::create(file).and_then(|to| {
        let mut to = BufWriter::new(to);
        let json = serde_json::to_string_pretty(&header).expect("a header is JSON");
        write!(to, "{FIRST}\n{json}\n\n")?;
        ::verify::wire::write(&[made.draft.written()], &mut to)?;
        to.flush()
    });
    let name = file.display().to_string();
    written.map_err(|error| Error::File { action: "write", name, error })?;
    console.note(&format!(
        "the certificate is in {}: {} from {}",
        file.display(),
        counted(&BigUint::from(count), "claim"),
        counted(&BigUint::from(made.draft.states()), "listed state"),
    ));
    Ok(())
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
