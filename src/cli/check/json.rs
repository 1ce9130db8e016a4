//! The JSON of a check. These types are its schema; `fixtures/schema/check.schema.json` says the same for
//! other programs.

use super::super::argument::{self, ArgumentEntry};
use super::super::budget::peak_memory;
use super::super::coverage::RuleEntry;
use super::super::json::component::ComponentEntry;
use super::super::json::{ConstantsOf, Count, StateEntry, StepEntries};
use super::super::properties::Bindings;
use super::super::results::{ResultKind, VerdictWord};
use super::super::view::{LoadedSystem, RunOf, View};
use super::super::writing::{LongPart, LongParts};
use super::report::{Proof, Report, ResultView, WordsOf};
use super::words;
use crate::check::Method;
use crate::finding::Work;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// All results.
#[derive(Serialize)]
#[serde(bound = "")]
pub(in crate::cli) struct ReportEntry<'a, L: LoadedSystem> {
    schema: u32,
    model: &'a str,
    constants: ConstantsOf<'a, L>,
    results: Vec<ResultEntry<'a>>,
    /// How often each rule fired, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<Vec<RuleEntry<'a>>>,
    /// None if it is not known.
    never_fired: Option<Vec<RuleEntry<'a>>>,
}

/// A result.
#[derive(Serialize)]
struct ResultEntry<'a> {
    name: Option<&'a str>,
    kind: ResultKind,
    formula: Option<&'a str>,
    verdict: VerdictWord,
    /// Of questions about nets that ask how many, or whether there is some marking.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
    reason: Option<&'a str>,
    warnings: Vec<String>,
    fairness: &'static str,
    over: Option<&'static str>,
    declared_fairness: Vec<String>,
    symmetry: &'static str,
    engine: Option<&'static str>,
    instances: Option<Count>,
    bindings: &'a Bindings,
    stats: StatsEntry,
    why: &'a [String],
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
    representatives: Option<Count>,
    edges: Option<Count>,
    product_nodes: Option<Count>,
    product_edges: Option<Count>,
    components: Option<Count>,
    automaton_states: Option<Count>,
    /// Whether steps were omitted by partial-order reduction, or why not, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_order: Option<String>,
    time_us: Count,
    peak_memory_bytes: Option<Count>,
    // The names before these, for programs that know them; to be dropped after one release.
    aqs_states: Option<Count>,
    aqs_edges: Option<Count>,
    sccs: Option<Count>,
    peak_rss_bytes: Option<Count>,
}

/// A run, which the judge has accepted.
#[derive(Serialize)]
#[serde(bound = "")]
struct CounterexampleEntry<'a, W: View> {
    stem: StepEntries<'a, W>,
    cycle: StepEntries<'a, W>,
    end: StateEntry<'a, W>,
    /// With `--show`: by expression, its value in each state, the end included; null where it fails.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    shown: BTreeMap<String, Vec<Json>>,
    /// If the cycle is one lap of many: what takes a lap to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    lap_permutation: Option<BTreeMap<String, String>>,
    /// Of a globally fair run that is too long to be written down: what it does after its stem.
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<ComponentEntry<'a, W>>,
    /// Why the run is fair, if that was demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness_argument: Option<Vec<ArgumentEntry>>,
    validated: bool,
}

impl<'a, L: LoadedSystem> ReportEntry<'a, L> {
    pub(in crate::cli) fn of(report: &'a Report<'a, L>, parts: &mut LongParts<'_>) -> Self {
        let peak = peak_memory().map(count);
        let entry = |one: &'a ResultView<'a, WordsOf<L>>| ResultEntry::of(report, one, peak, parts);
        ReportEntry {
            schema: 1,
            model: &report.loaded.text().name,
            constants: ConstantsOf(report.loaded),
            results: report.results.iter().map(entry).collect(),
            rules: report.shows_coverage.then(|| report.coverage.entries(report.loaded)),
            never_fired: report.coverage.never_entries(report.loaded),
        }
    }
}

impl<'a> ResultEntry<'a> {
    fn of<L: LoadedSystem>(
        report: &'a Report<'a, L>,
        result: &'a ResultView<'a, WordsOf<L>>,
        peak: Option<Count>,
        parts: &mut LongParts<'_>,
    ) -> Self {
        let run = result.run;
        let run = run.map(|run| parts.add(|| CounterexampleEntry::of(report.loaded, result, run)));
        let cut = run.as_ref().and_then(|run| run.as_ref().err());
        let cut = cut.map(|reason| format!("the counterexample was not written: {reason}"));
        let (fairness, over) = words::under(result.demand);
        ResultEntry {
            name: result.name,
            kind: result.kind,
            formula: result.written,
            verdict: result.verdict,
            answer: result.answer.as_deref(),
            reason: result.reason.as_deref(),
            warnings: (result.warnings.iter().cloned())
                .chain(report.symmetry_warnings())
                .chain(cut)
                .collect(),
            fairness,
            over,
            declared_fairness: report.declared_fairness(result),
            symmetry: report.symmetry.name(),
            engine: result.work.map(words::engine),
            instances: (result.work.and_then(Work::product)).map(|done| count(done.instances)),
            bindings: &result.bindings,
            certificate: result.certificate.map(|one| match one {
                Ok(proof) => CertificateEntry::Proof(proof),
                Err(reason) => CertificateEntry::None { reason },
            }),
            stats: StatsEntry::of(result.work, peak),
            why: &result.why,
            counterexample: run.and_then(Result::ok),
        }
    }
}

impl StatsEntry {
    fn of(work: Option<&Work>, peak: Option<Count>) -> Self {
        let (quotient, product) = (work.and_then(Work::quotient), work.and_then(Work::product));
        let searched = |by| matches!(work, Some(Work::Product { method, .. }) if *method == by);
        let (representatives, edges) =
            quotient.map(|(states, edges)| (count(states), count(edges))).unzip();
        let components =
            product.filter(|_| searched(Method::Components)).map(|done| count(done.components));
        StatsEntry {
            representatives,
            edges,
            product_nodes: product.map(|done| count(done.product_nodes)),
            product_edges: product.map(|done| count(done.product_edges)),
            components,
            automaton_states: product.map(|done| count(done.automaton_states)),
            partial_order: work.and_then(words::by_partial_order),
            time_us: Count(work.map_or(0, |work| work.time().as_micros())),
            peak_memory_bytes: peak,
            aqs_states: representatives,
            aqs_edges: edges,
            sccs: components,
            peak_rss_bytes: peak,
        }
    }
}

impl<'a, W: View> CounterexampleEntry<'a, W> {
    fn of<L: LoadedSystem<View = W>>(
        loaded: &'a L,
        result: &'a ResultView<'a, W::Words>,
        run: &'a RunOf<W>,
    ) -> Self {
        let (view, found) = (loaded.view(), result.counterexample);
        let lap = found.and_then(|found| found.renaming.as_ref());
        let component = found.and_then(|found| found.component.as_ref());
        CounterexampleEntry {
            stem: StepEntries { view, steps: &run.stem },
            cycle: StepEntries { view, steps: &run.cycle },
            end: StateEntry { view, state: &run.end },
            shown: view.shown(run),
            lap_permutation: lap.map(|lap| view.renamed(lap).into_iter().collect()),
            component: component.map(|component| ComponentEntry::of(view, component)),
            fairness_argument: found.and_then(|found| argument::entries(loaded, &found.argument)),
            validated: true,
        }
    }
}

fn count(number: u64) -> Count {
    Count(u128::from(number))
}
