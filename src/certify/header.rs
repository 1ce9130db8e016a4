//! The head of a certificate: what it is about, and what it claims.
//!
//! The first line names the version. Then comes a header that people can read, an empty line, and the body,
//! which the checker reads. A system is known by a hash: of its text, or of what it declares. Nothing here is
//! trusted: a claim is verified about the system that is given, whatever the header says of it.

use crate::check::Warning;
use crate::finding::{Finding, FindingWarning, Subject, Verdict};
use ::certify::draft::Draft;
use judge::{Deadlock, Vocabulary};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
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
    /// The file of the model, or the name of the system.
    pub(crate) model: String,
    /// The hash of the printed model and its constants, or of what a system declares.
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
    pub(crate) fairness: FairnessName,
    over: OverName,
    /// Whether what the model declares counts, too.
    declared: bool,
}

/// A kind of fairness, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FairnessName {
    /// All runs
    None,
    /// Every process that is eventually always enabled is executed infinitely often
    Weak,
    /// Every process that is enabled infinitely often is executed infinitely often
    Strong,
    /// Every step whose source state is visited infinitely often is taken infinitely often
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

/// Why a file is no certificate.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It cannot be read.
    Unread(std::io::Error),
    /// It is something else.
    Else(String),
}

impl From<std::io::Error> for Unreadable {
    fn from(error: std::io::Error) -> Self {
        Unreadable::Unread(error)
    }
}

impl Header {
    /// Writes a certificate.
    pub(crate) fn write(&self, draft: &Draft, mut to: impl std::io::Write) -> std::io::Result<()> {
        let json = serde_json::to_string_pretty(self).expect("a header is JSON");
        std::io::Write::write_all(&mut to, format!("{FIRST}\n{json}\n\n").as_bytes())?;
        ::certify::wire::compress([draft.written().bytes()], to)
    }

    /// Reads a header. What follows it is the body.
    pub(crate) fn read(input: &mut impl std::io::BufRead) -> Result<Header, Unreadable> {
        let mut first = Vec::new();
        let length = FIRST.len() as u64 + 2;
        let mut limited = std::io::Read::take(&mut *input, length);
        std::io::BufRead::read_until(&mut limited, b'\n', &mut first)?;
        if first.trim_ascii_end() != FIRST.as_bytes() {
            return Err(Unreadable::Else(format!("its first line is not `{FIRST}`")));
        }
        let mut text = Vec::new();
        let mut limited = std::io::Read::take(input, LONGEST_HEADER);
        loop {
            let before = text.len();
            let read = std::io::BufRead::read_until(&mut limited, b'\n', &mut text)?;
            if text[before..].trim_ascii().is_empty() {
                if read == 0 {
                    let why = "no empty line follows its header".to_owned();
                    return Err(Unreadable::Else(why));
                }
                break;
            }
        }
        let header = serde_json::from_slice(&text);
        header.map_err(|error| Unreadable::Else(format!("in its header, {error}")))
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// What claims may be about.
pub(crate) struct About<'a, V: Vocabulary> {
    /// The formulas of the system.
    pub(crate) formulas: Vec<&'a V::Formula>,
    /// The formulas of the header.
    pub(crate) questions: Vec<&'a V::Formula>,
    /// The properties of the system, and whether they are statements.
    pub(crate) properties: Vec<(PropertyKind, bool)>,
}

impl Entry {
    /// The claim of a finding, if it is one that can be certified; else why it is not. `formula` says of
    /// which kind a formula is, and its number; `text` what is claimed.
    pub(crate) fn of<V: Vocabulary>(
        finding: &Finding<V>,
        about: &About<'_, V>,
        deadlock: Option<Deadlock>,
        formula: impl Fn(usize) -> Option<(Kind, usize)>,
        text: impl Fn(Kind, usize) -> String,
    ) -> Option<Result<Entry, &'static str>> {
        let is_vacuous = |one: &FindingWarning| {
            !matches!(
                one,
                FindingWarning::RunAlone | FindingWarning::Formula(Warning::SingleProcess)
            )
        };
        let vacuous = finding.warnings.iter().any(is_vacuous);
        let entry =
            |kind, number, runs| Entry { kind, number, text: text(kind, number), runs, vacuous };
        Some(match (&finding.subject, &finding.verdict) {
            (Subject::Failure(_) | Subject::Atom { .. }, _) => return None,
            (_, Verdict::Violated(_)) => Err("it is violated"),
            (_, Verdict::Unknown(_)) => Err("it is not known to hold"),
            (Subject::Formula { number, demand }, Verdict::Holds) => match formula(*number) {
                Some((kind, number)) => Ok(entry(kind, number, Some(Runs::from(*demand)))),
                None => Err("it is no formula of the model"),
            },
            (Subject::Property(id), Verdict::Holds) => {
                let number = id.0 as usize;
                let (kind, is_statement) = about.properties[number];
                match kind {
                    PropertyKind::Invariant | PropertyKind::Assert if is_statement => {
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

    /// The claim, about a system that must have what it speaks of.
    pub(crate) fn claim<'a, V: Vocabulary>(&self, about: &About<'a, V>) -> Option<Claim<'a, V>> {
        let property = |kinds: &[PropertyKind], is_statement| {
            let one = about.properties.get(self.number)?;
            let is_it = kinds.contains(&one.0) && one.1 == is_statement;
            is_it.then_some(PropertyId(self.number as u32))
        };
        let invariant = [PropertyKind::Invariant, PropertyKind::Assert];
        match (self.kind, self.runs) {
            (Kind::Formula, Some(runs)) => {
                Some(Claim::Formula(*about.formulas.get(self.number)?, runs.into()))
            }
            (Kind::Question, Some(runs)) => {
                Some(Claim::Formula(*about.questions.get(self.number)?, runs.into()))
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
