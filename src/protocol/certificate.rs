//! Certificates of what holds of a protocol: a search makes them, the plain protocol verifies them.

use super::report::{Stuck, name_of};
use super::runner::CheckError;
use crate::certify::certify;
use crate::certify::header::{About, Entry, Header, Kind, Unreadable, sha256};
use crate::finding::Finding;
use ::certify::Limits;
use engine::symmetry::Reduction;
use judge::{Deadlock, Reference as _};
use protocol::{AnyWords, Formula, Prepared};
use run::{StopReason, Watch};
use std::fmt;
use std::fmt::Write as _;
use terms::PropertyKind;
use verify::{Demands, Refusal, Verified};

/// A certificate of what holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    bytes: Vec<u8>,
    certified: Vec<String>,
    uncertified: Vec<[String; 2]>,
}

impl Certificate {
    /// The file. It is empty if nothing is certified.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The claims that it proves.
    pub fn certified(&self) -> &[String] {
        &self.certified
    }

    /// What is not certified, each with the reason.
    pub fn uncertified(&self) -> &[[String; 2]] {
        &self.uncertified
    }
}

/// What a certificate proves. Displayed, it says that, and what is trusted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The claims, each with its number of nodes, which is 0 for a property of states.
    pub claims: Vec<(String, usize)>,
    /// The number of listed states.
    pub states: usize,
    /// The number of their steps.
    pub steps: usize,
    is_symmetric: bool,
}

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// The protocol cannot be checked.
    Check(CheckError),
    /// It is no certificate.
    NoCertificate(String),
    /// It is about something else.
    Another(String),
    /// A condition fails.
    Rejected(String),
    /// A limit was reached.
    Stopped(StopReason),
    /// A call of the protocol's code does not return.
    Stuck(Stuck),
}

impl fmt::Display for Unproved {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproved::Check(error) => error.fmt(out),
            Unproved::NoCertificate(why) => write!(out, "it is no certificate: {why}"),
            Unproved::Another(why) => write!(out, "the certificate is about something else: {why}"),
            Unproved::Rejected(why) => write!(out, "the certificate proves nothing: {why}"),
            Unproved::Stopped(reason) => reason.fmt(out),
            Unproved::Stuck(stuck) => stuck.fmt(out),
        }
    }
}

impl std::error::Error for Unproved {}

impl fmt::Display for Proof {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (claim, nodes) in &self.claims {
            match nodes {
                0 => writeln!(out, "verified: {claim}")?,
                _ => writeln!(out, "verified: {claim} ({nodes} nodes)")?,
            }
        }
        writeln!(out, "about {} listed states, {} steps", self.states, self.steps)?;
        let symmetric =
            if self.is_symmetric { ", that it does not tell indices apart" } else { "" };
        writeln!(
            out,
            "trusted: that the protocol's code is deterministic{symmetric}, and the checker of \
             certificates"
        )
    }
}

/// The head of a certificate for a protocol, without claims.
fn header(protocol: &str, system: &Prepared, formulas: &[Formula]) -> Header {
    let types = system.plain().index_types();
    let mut declared = format!("{protocol}\n");
    for of in &types {
        let _ = writeln!(declared, "{} {} {:?}", of.name, of.size, of.group);
    }
    for (name, kind) in system.properties() {
        let _ = writeln!(declared, "{kind:?} {name}");
    }
    let constants = types.iter().map(|of| (of.name.clone(), of.size.into()));
    Header {
        model: protocol.to_owned(),
        sha256: sha256(&declared),
        constants: constants.collect(),
        questions: formulas.iter().map(|one| one.text().to_owned()).collect(),
        claims: Vec::new(),
    }
}

fn about<'a>(system: &Prepared, formulas: &'a [Formula]) -> About<'a, AnyWords> {
    let properties = system.properties().map(|(_, kind)| (kind, false));
    About {
        formulas: Vec::new(),
        questions: formulas.iter().collect(),
        properties: properties.collect(),
    }
}

/// What is claimed, in words.
fn text(system: &Prepared, formulas: &[Formula], kind: Kind, number: usize) -> String {
    match kind {
        Kind::Formula | Kind::Question => formulas[number].text().to_owned(),
        Kind::Invariant | Kind::Statement | Kind::Liveness => {
            system.properties().nth(number).map(|(name, _)| name.to_owned()).unwrap_or_default()
        }
        Kind::NotStuck | Kind::NotStuttering => "no deadlock".to_owned(),
        Kind::NoFailure => "nothing fails".to_owned(),
    }
}

/// What is to be certified.
#[derive(Default)]
pub(super) struct Wanted {
    claims: Vec<Entry>,
    uncertified: Vec<[String; 2]>,
}

impl Wanted {
    /// Adds what holds of some findings.
    pub(super) fn add(
        &mut self,
        system: &Prepared,
        formulas: &[Formula],
        findings: &[Finding<AnyWords>],
    ) {
        let about = about(system, formulas);
        let text = |kind, number| text(system, formulas, kind, number);
        let formula = |number| Some((Kind::Question, number));
        for finding in findings {
            match Entry::of(finding, &about, Some(Deadlock::Stuck), formula, text) {
                Some(Ok(entry)) => self.claims.push(entry),
                Some(Err(why)) => {
                    let name = name_of(system, formulas, &finding.subject);
                    self.uncertified.push([name, why.to_owned()]);
                }
                None => {}
            }
        }
    }

    /// Makes a certificate of what holds.
    pub(super) fn make(
        mut self,
        protocol: &str,
        system: &Prepared,
        formulas: &[Formula],
        reduction: Reduction,
        limits: Limits<'_>,
    ) -> Certificate {
        if self.claims.is_empty() {
            let (kind, number) = (Kind::NoFailure, 0);
            let text = text(system, formulas, kind, number);
            self.claims.push(Entry { kind, number, text, runs: None, vacuous: false });
        }
        let Wanted { mut claims, mut uncertified } = self;
        let about = about(system, formulas);
        let all = claims.iter().map(|one| one.claim(&about)).collect::<Option<Vec<_>>>();
        let all = all.expect("the protocol has what was checked");
        let mut bytes = Vec::new();
        match certify(system, &all, reduction, limits) {
            Ok(made) => {
                let mut outcomes = made.claims.iter();
                claims.retain(|entry| match outcomes.next() {
                    Some(Err(why)) => {
                        uncertified.push([entry.text.clone(), why.to_string()]);
                        false
                    }
                    _ => true,
                });
                if !claims.is_empty() {
                    let own = header(protocol, system, formulas);
                    let header = Header { claims: claims.clone(), ..own };
                    header.write(&made.draft, &mut bytes).expect("memory can be written");
                }
            }
            Err(why) => {
                uncertified.extend(claims.drain(..).map(|entry| [entry.text, why.to_string()]));
            }
        }
        let certified = claims.into_iter().map(|entry| entry.text).collect();
        Certificate { bytes, certified, uncertified }
    }
}

/// Verifies a certificate with the plain protocol.
pub(super) fn verify(
    protocol: &str,
    system: &Prepared,
    file: impl std::io::Read,
    threads: usize,
    watch: &Watch,
) -> Result<Proof, Unproved> {
    let mut file = std::io::BufReader::new(file);
    let found = Header::read(&mut file).map_err(|why| match why {
        Unreadable::Unread(error) => Unproved::NoCertificate(error.to_string()),
        Unreadable::Else(why) => Unproved::NoCertificate(why),
    })?;
    let formulas = found.questions.iter().map(|text| system.formula(text));
    let formulas: Vec<Formula> = formulas
        .collect::<Result<_, _>>()
        .map_err(|error| Unproved::Check(CheckError::Formula(error)))?;
    let own = header(protocol, system, &formulas);
    if own.constants != found.constants || own.sha256 != found.sha256 {
        let sizes = serde_json::Value::Object(found.constants);
        return Err(Unproved::Another(format!("{} with {sizes}", found.model)));
    }
    let about = about(system, &formulas);
    let claims = found.claims.iter().map(|one| one.claim(&about)).collect::<Option<Vec<_>>>();
    let claims = claims.ok_or_else(|| {
        Unproved::Another("the protocol has not all properties that it speaks of".to_owned())
    })?;
    let verified =
        verify::verify(system.plain(), &claims, file, Demands::default(), threads, watch);
    let Verified { states, steps, nodes } = verified.map_err(|refusal| match refusal {
        Refusal::Rejected(_) => Unproved::Rejected(refusal.to_string()),
        Refusal::Malformed(why) => Unproved::NoCertificate(why),
        Refusal::Stopped(reason) => Unproved::Stopped(reason),
    })?;
    let claims = found.claims.iter().zip(nodes).map(|(entry, nodes)| {
        let what = text(system, &formulas, entry.kind, entry.number);
        (format!("{what}{}", entry.words()), nodes)
    });
    let assumes = system.properties().any(|(_, kind)| kind == PropertyKind::Assume);
    let within = |(what, nodes)| {
        let what = if assumes { format!("{what}, within the boundary") } else { what };
        (what, nodes)
    };
    let is_symmetric = !system.plain().index_types().is_empty();
    Ok(Proof { claims: claims.map(within).collect(), states, steps, is_symmetric })
}
