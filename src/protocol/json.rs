//! The results of a check of a protocol, as JSON.
//!
//! The document has the shape of that of `isonomy check --format json`; states and events are their
//! debug output, because a protocol's types are its own.

use super::report::{Answered, Results, Verdict};
use super::text;
use judge::{Reference as _, Run};
use protocol::AnyWords;
use serde::Serialize;
use std::collections::BTreeMap;
use terms::{Fairness, Over};

#[derive(Serialize)]
struct Document {
    schema: u32,
    protocol: String,
    bounded: bool,
    symmetry_checked_on: Option<usize>,
    symmetry_checked_on_all: Option<bool>,
    stopped: Option<String>,
    stuck: Option<String>,
    results: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    verdict: &'static str,
    reason: Option<String>,
    warnings: Vec<String>,
    fairness: Option<&'static str>,
    over: Option<&'static str>,
    bindings: BTreeMap<String, String>,
    stats: Stats,
    counterexample: Option<Counterexample>,
}

#[derive(Serialize, Default)]
struct Stats {
    representatives: Option<u64>,
    edges: Option<u64>,
    product_nodes: Option<u64>,
    product_edges: Option<u64>,
    automaton_states: Option<u64>,
    time_us: u64,
    // The names before the first two, to be dropped after one release.
    aqs_states: Option<u64>,
    aqs_edges: Option<u64>,
}

#[derive(Serialize)]
struct Counterexample {
    stem: Vec<Step>,
    cycle: Vec<Step>,
    end: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fairness_argument: Vec<[String; 2]>,
    validated: bool,
}

#[derive(Serialize)]
struct Step {
    state: String,
    process: Option<String>,
    event: Option<String>,
}

/// The document.
pub(super) fn document(report: &Results) -> String {
    let verified =
        report.verified.filter(|_| report.options.symmetry && report.system.has_indices());
    let document = Document {
        schema: 1,
        protocol: report.protocol.to_owned(),
        bounded: report.is_bounded(),
        symmetry_checked_on: verified.map(|one| one.states),
        symmetry_checked_on_all: verified.map(|one| one.is_complete),
        stopped: report.stopped.map(|reason| reason.to_string()),
        stuck: report.stuck.as_ref().map(ToString::to_string),
        results: report.answers.iter().map(|one| entry(report, one)).collect(),
    };
    serde_json::to_string_pretty(&document).expect("texts and numbers are JSON")
}

fn entry(report: &Results, answer: &Answered) -> Entry {
    let finding = answer.finding.as_ref();
    let rows = text::rows(report, answer);
    let row = |name: &str| rows.iter().find(|[one, _]| one == name).map(|[_, value]| value.clone());
    let demand = answer.demand();
    let plain = report.system.plain();
    let bindings = answer.counterexample().zip(answer.formula).map(|(found, formula)| {
        let formula = &report.formulas[formula];
        let values = found.binding.iter();
        let values = values.map(|&(variable, value)| {
            (plain.variable_name(formula, variable), plain.show_value(value))
        });
        values.collect()
    });
    let stats = finding.map_or_else(Stats::default, |finding| {
        let product = finding.work.product();
        let (representatives, edges) = finding.work.quotient().unzip();
        Stats {
            representatives,
            edges,
            aqs_states: representatives,
            aqs_edges: edges,
            product_nodes: product.map(|done| done.product_nodes),
            product_edges: product.map(|done| done.product_edges),
            automaton_states: product.map(|done| done.automaton_states),
            time_us: u64::try_from(finding.work.time().as_micros()).unwrap_or(u64::MAX),
        }
    });
    let fairness = |fairness| match fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
        Fairness::Strong => "strong",
        Fairness::Global => "global",
    };
    let over = demand.filter(|one| matches!(one.fairness, Fairness::Weak | Fairness::Strong));
    Entry {
        name: answer.name.clone(),
        verdict: match answer.verdict() {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        },
        reason: row("reason"),
        warnings: finding
            .map(|one| one.warnings.iter().map(text::warning_text).collect())
            .unwrap_or_default(),
        fairness: demand.map(|one| fairness(one.fairness)),
        over: over.map(|one| match one.over {
            Over::Processes => "process",
            Over::Events => "event",
        }),
        bindings: bindings.unwrap_or_default(),
        stats,
        counterexample: answer.run().map(|run| counterexample(report, answer, run)),
    }
}

fn counterexample(report: &Results, answer: &Answered, run: &Run<AnyWords>) -> Counterexample {
    let plain = report.system.plain();
    let step = |step: &judge::Step<AnyWords>| Step {
        state: format!("{:?}", step.state),
        process: step.action.as_ref().map(|(owner, _)| plain.show_process(owner)),
        event: step.action.as_ref().map(|(_, event)| plain.show_event(event)),
    };
    Counterexample {
        stem: run.stem.iter().map(step).collect(),
        cycle: run.cycle.iter().map(step).collect(),
        end: format!("{:?}", run.end),
        fairness_argument: text::fair_because(report, answer),
        validated: true,
    }
}
