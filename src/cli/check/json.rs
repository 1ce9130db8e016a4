//! The JSON of a check. These types are its schema; `fixtures/schema/check.schema.json` says the same for
//! other programs.

use super::super::argument::{self, ArgumentEntry};
use super::super::budget::peak_memory;
use super::super::json::component::ComponentEntry;
use super::super::json::{Constants, Count, StateEntry, StepEntries};
use super::super::properties::Bindings;
use super::super::results::{ResultKind, VerdictWord};
use super::super::steps;
use super::super::writing::{LongPart, LongParts};
use super::report::{Proof, Report, ResultView};
use super::words;
use crate::check::Method;
use crate::finding::Work;
use model::reference::Run;
use serde::Serialize;
use std::collections::BTreeMap;

/// All results.
#[derive(Serialize)]
pub(super) struct ReportEntry<'a> {
    schema: u32,
    model: &'a str,
    constants: Constants<'a>,
    results: Vec<ResultEntry<'a>>,
}

/// A result.
#[derive(Serialize)]
struct ResultEntry<'a> {
    name: Option<&'a str>,
    kind: ResultKind,
    formula: Option<&'a str>,
    verdict: VerdictWord,
    reason: Option<&'a str>,
    warnings: Vec<String>,
    fairness: &'static str,
    over: Option<&'static str>,
    declared_fairness: Vec<String>,
    symmetry: &'static str,
    engine: &'static str,
    instances: Option<Count>,
    bindings: &'a Bindings<'a>,
    stats: StatsEntry,
    counterexample: Option<LongPart>,
    /// If certificates are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateEntry<'a>>,
}

/// The certificate of a result, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum CertificateEntry<'a> {
    Proof(Proof<'a>),
    None { reason: &'a str },
}

/// What was done; counts that a search does not have are null.
#[derive(Serialize)]
struct StatsEntry {
    aqs_states: Option<Count>,
    aqs_edges: Option<Count>,
    product_nodes: Option<Count>,
    product_edges: Option<Count>,
    sccs: Option<Count>,
    automaton_states: Option<Count>,
    /// Whether steps were omitted by partial-order reduction, or why not, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_order: Option<String>,
    time_us: Count,
    peak_rss_bytes: Option<Count>,
}

/// A run, which the judge has accepted.
#[derive(Serialize)]
struct CounterexampleEntry<'a> {
    stem: StepEntries<'a>,
    cycle: StepEntries<'a>,
    end: StateEntry<'a>,
    /// If the cycle is one lap of many: what takes a lap to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    lap_permutation: Option<BTreeMap<&'a str, String>>,
    /// Of a globally fair run that is too long to be written down: what it does after its stem.
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<ComponentEntry<'a>>,
    /// Why the run is fair, if that was demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness_argument: Option<Vec<ArgumentEntry>>,
    validated: bool,
}

impl<'a> ReportEntry<'a> {
    pub(super) fn of(report: &'a Report<'a>, parts: &mut LongParts<'_>) -> Self {
        let peak = peak_memory().map(count);
        let entry = |one: &'a ResultView<'a>| ResultEntry::of(report, one, peak, parts);
        ReportEntry {
            schema: 1,
            model: &report.loaded.text.name,
            constants: Constants(&report.loaded.model),
            results: report.results.iter().map(entry).collect(),
        }
    }
}

impl<'a> ResultEntry<'a> {
    fn of(
        report: &'a Report<'a>,
        result: &'a ResultView<'a>,
        peak: Option<Count>,
        parts: &mut LongParts<'_>,
    ) -> Self {
        let finding = result.finding;
        let run = finding.run();
        let run = run.map(|run| parts.add(|| CounterexampleEntry::of(report, result, run)));
        let cut = run.as_ref().and_then(|run| run.as_ref().err());
        let cut = cut.map(|reason| format!("the counterexample was not written: {reason}"));
        let (fairness, over) = words::under(result.demand());
        ResultEntry {
            name: result.name,
            kind: result.kind,
            formula: result.written,
            verdict: result.verdict(),
            reason: result.reason.as_deref(),
            warnings: result.warnings().chain(report.symmetry_warnings()).chain(cut).collect(),
            fairness,
            over,
            declared_fairness: report.declared_fairness(result),
            symmetry: report.symmetry.name(),
            engine: words::engine(&finding.work),
            instances: finding.work.product().map(|done| count(done.instances)),
            bindings: &result.bindings,
            certificate: result.certificate.map(|one| match one {
                Ok(proof) => CertificateEntry::Proof(proof),
                Err(reason) => CertificateEntry::None { reason },
            }),
            stats: StatsEntry::of(&finding.work, peak),
            counterexample: run.and_then(Result::ok),
        }
    }
}

impl StatsEntry {
    fn of(work: &Work, peak: Option<Count>) -> Self {
        let (quotient, product) = (work.quotient(), work.product());
        let searched = |by| matches!(work, Work::Product { method, .. } if *method == by);
        StatsEntry {
            aqs_states: quotient.map(|(states, _)| count(states)),
            aqs_edges: quotient.map(|(_, edges)| count(edges)),
            product_nodes: product.map(|done| count(done.product_nodes)),
            product_edges: product.map(|done| count(done.product_edges)),
            sccs: product
                .filter(|_| searched(Method::Components))
                .map(|done| count(done.components)),
            automaton_states: product.map(|done| count(done.automaton_states)),
            partial_order: words::by_partial_order(work),
            time_us: Count(work.time().as_micros()),
            peak_rss_bytes: peak,
        }
    }
}

impl<'a> CounterexampleEntry<'a> {
    fn of(report: &'a Report<'a>, result: &'a ResultView<'a>, run: &'a Run) -> Self {
        let model = &report.loaded.model;
        let found = result.finding.counterexample();
        let lap = found.and_then(|found| found.renaming.as_ref());
        let component = found.and_then(|found| found.component.as_ref());
        let argument = found.and_then(|found| {
            argument::entries(report.loaded, &found.argument, |k| report.requirement(k))
        });
        CounterexampleEntry {
            stem: StepEntries { model, steps: &run.stem },
            cycle: StepEntries { model, steps: &run.cycle },
            end: StateEntry { model, state: &run.end },
            lap_permutation: lap.map(|lap| steps::renamed(model, lap).into_iter().collect()),
            component: component.map(|component| ComponentEntry::of(model, component)),
            fairness_argument: argument,
            validated: true,
        }
    }
}

fn count(number: u64) -> Count {
    Count(u128::from(number))
}
