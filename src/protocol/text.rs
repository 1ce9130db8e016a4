//! The results of a check of a protocol, as text.

use super::report::{Answered, Results, Verdict};
use crate::check::{Reason as Unanswered, Warning, states};
use crate::finding::{FindingWarning, Subject, Unknown, Verdict as Found, Work};
use judge::{OwedEvents, Party, Reason, Reference as _, Run};
use protocol::{AnyWords, Value};
use std::fmt::Write as _;
use terms::{Fairness, Over, PropertyKind};

/// The whole text.
pub(super) fn layout(report: &Results) -> String {
    let mut out = String::new();
    for (k, answer) in report.answers.iter().enumerate() {
        if k > 0 {
            out.push('\n');
        }
        block(&mut out, report, answer);
    }
    for line in remarks(report) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// What is said of all results.
pub(super) fn remarks(report: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(stuck) = &report.stuck {
        lines.push(format!("stopped: {stuck}"));
    }
    if let Some(reason) = report.stopped {
        lines.push(format!("stopped: {reason}"));
    }
    if let Some(verified) = report.verified
        && report.options.symmetry
        && report.system.has_indices()
    {
        let all = if verified.is_complete { "all " } else { "" };
        lines.push(format!("symmetry: checked on {all}{} states", verified.states));
    }
    lines
}

/// The verdict in words.
pub(super) fn verdict(report: &Results, answer: &Answered) -> &'static str {
    match answer.verdict() {
        Verdict::Holds if report.is_bounded() => "holds within the boundary",
        Verdict::Holds => "holds",
        Verdict::Violated if is_failure(answer) => "fails",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
    }
}

fn is_failure(answer: &Answered) -> bool {
    let subject = answer.finding.as_ref().map(|one| &one.subject);
    matches!(subject, Some(Subject::Failure(_) | Subject::Atom { .. }))
}

fn block(out: &mut String, report: &Results, answer: &Answered) {
    let _ = writeln!(out, "{}: {}", verdict(report, answer), answer.name);
    for [name, value] in rows(report, answer) {
        let _ = writeln!(out, "  {name:<9} {value}");
    }
    if let Some(run) = answer.run() {
        for line in steps(report, answer, run) {
            let _ = writeln!(out, "{line}");
        }
    }
    let lines = fair_because(report, answer);
    if !lines.is_empty() {
        let _ = writeln!(out, "fair because");
        for [party, why] in lines {
            let _ = writeln!(out, "  {party}  {why}");
        }
    }
}

/// What is known of an answer, line by line.
pub(super) fn rows(report: &Results, answer: &Answered) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
    let Some(finding) = &answer.finding else {
        let reason = match (&report.stuck, report.stopped) {
            (Some(_), _) => "a call of the protocol's code does not return".to_owned(),
            (None, Some(reason)) => reason.to_string(),
            (None, None) => "it was not reached".to_owned(),
        };
        row("reason", reason);
        return rows;
    };
    if let Subject::Property(id) = finding.subject {
        let kind = report.system.properties().nth(id.0 as usize).map(|(_, kind)| kind);
        row("property", kind.map_or("", property_kind).to_owned());
    }
    if let Some(demand) = answer.demand() {
        row("fairness", fairness(demand.fairness, demand.over).to_owned());
    }
    if let Some(found) = finding.counterexample()
        && let Some(formula) = answer.formula
        && !found.binding.is_empty()
    {
        let formula = &report.formulas[formula];
        let plain = report.system.plain();
        let values = found.binding.iter().map(|&(variable, value)| {
            format!("{} = {}", plain.variable_name(formula, variable), plain.show_value(value))
        });
        row("for", values.collect::<Vec<_>>().join(", "));
    }
    if let Found::Unknown(unknown) = &finding.verdict {
        row("reason", reason(unknown));
    }
    for warning in &finding.warnings {
        row("warning", warning_text(warning));
    }
    row("searched", searched(&finding.work));
    rows
}

/// What a property says, in a word.
pub(super) fn property_kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant | PropertyKind::Assert => "always",
        PropertyKind::Cover => "sometimes",
        PropertyKind::Liveness => "always possible",
        PropertyKind::Assume => "boundary",
    }
}

/// A demand of fairness, in words.
pub(super) fn fairness(fairness: Fairness, over: Over) -> &'static str {
    match (fairness, over) {
        (Fairness::None, _) => "none",
        (Fairness::Weak, Over::Processes) => "weak, over processes",
        (Fairness::Weak, Over::Events) => "weak, over events",
        (Fairness::Strong, Over::Processes) => "strong, over processes",
        (Fairness::Strong, Over::Events) => "strong, over events",
        (Fairness::Global, _) => "global",
    }
}

fn searched(work: &Work) -> String {
    let mut parts = Vec::new();
    if let Some((states, edges)) = work.quotient() {
        parts.push(format!("{states} representatives, {edges} edges"));
    }
    if let Some(done) = work.product() {
        parts.push(format!(
            "product: {} nodes, {} edges; automaton: {} states",
            done.product_nodes, done.product_edges, done.automaton_states
        ));
    }
    parts.join("; ")
}

/// Why there is no answer.
pub(super) fn reason(unknown: &Unknown<AnyWords>) -> String {
    match unknown {
        Unknown::Formula(Unanswered::Stopped(reason))
        | Unknown::State(states::Reason::Stopped(reason)) => reason.to_string(),
        Unknown::Formula(Unanswered::Unjudged(reason))
        | Unknown::State(states::Reason::Unjudged(reason)) => {
            format!("{reason}: a violation was found, but its run could not be validated")
        }
        Unknown::Formula(Unanswered::Atoms(atoms)) => {
            format!("its {atoms} atoms are too many: 64 at most")
        }
        Unknown::Formula(Unanswered::LargeComponent(most)) => {
            format!("a fair run violates it, but takes more than {most} different steps")
        }
        Unknown::Formula(other) => format!("the search cannot decide it: {other:?}"),
        Unknown::State(states::Reason::Failure) | Unknown::Failed(_) => {
            "a run-time error was reached: what comes after it is not known".to_owned()
        }
        Unknown::State(states::Reason::Fails) => "it cannot be evaluated in some state".to_owned(),
        Unknown::Misjudged(objection) => objection.to_string(),
    }
}

/// A warning, in words.
pub(super) fn warning_text(warning: &FindingWarning) -> String {
    match warning {
        FindingWarning::RunAlone => {
            "the run was validated; that nothing better can be reached from \
                                     its end was found by the search alone"
                .to_owned()
        }
        FindingWarning::Formula(warning) => match warning {
            Warning::Tautology => "it is true of all runs of all systems".to_owned(),
            Warning::NoInstance => "there are no values for its variables".to_owned(),
            Warning::SingleProcess => "there is only one process to be fair to".to_owned(),
            Warning::NoRun => "there is no run: the boundary cuts every one".to_owned(),
            Warning::NoFairRun => "no run is as fair as demanded".to_owned(),
            Warning::Vacuous(left) => format!("`{left}` is never true where it matters"),
        },
    }
}

/// A run, step by step.
pub(super) fn steps(report: &Results, answer: &Answered, run: &Run<AnyWords>) -> Vec<String> {
    let plain = report.system.plain();
    let mut lines = vec!["start".to_owned()];
    let state = |state: &Value| format!("  {state:?}");
    let first = run.states().next().expect("a run has a state");
    lines.push(state(first));
    for (k, (step, after)) in run.steps().zip(run.states().skip(1)).enumerate() {
        if k == run.stem.len() {
            lines.push("the loop starts here".to_owned());
            if k > 0 {
                lines.push(state(&step.state));
            }
        }
        match &step.action {
            None => lines.push(format!("{:>4}  no process can do anything", k + 1)),
            Some((owner, event)) => {
                lines.push(format!(
                    "{:>4}  {}",
                    k + 1,
                    label(report, owner, &plain.show_event(event))
                ));
                match plain.changes(&step.state, after) {
                    Some(changes) => lines.extend(
                        changes
                            .iter()
                            .map(|[part, old, new]| format!("        {part}: {old} -> {new}")),
                    ),
                    None => lines.push(format!("      {}", state(after).trim_start())),
                }
            }
        }
    }
    let found = answer.counterexample();
    if let Some(renaming) = found.and_then(|found| found.renaming.as_ref()) {
        let types = plain.index_types();
        let parts = (0..).map(terms::IndexTypeId).zip(&types);
        let parts = parts.map(|(id, of)| format!("{} {}", of.name, renaming.show(id)));
        lines.push(format!(
            "the next round of the loop is this one, renamed by {}, and so on",
            parts.collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(component) = found.and_then(|found| found.component.as_ref()) {
        lines.push(format!(
            "from here on the run visits {} states, up to renaming, and takes all steps between them \
             infinitely often",
            component.places.len()
        ));
    }
    lines
}

/// `Client_0: Ask(Client_0)`; without an owner, the event alone.
pub(super) fn label(report: &Results, owner: &protocol::Owner, event: &str) -> String {
    if *owner == protocol::Owner::none() {
        return event.to_owned();
    }
    format!("{}: {event}", report.system.plain().show_process(owner))
}

/// Why a counterexample is fair: the party and the reason.
pub(super) fn fair_because(report: &Results, answer: &Answered) -> Vec<[String; 2]> {
    let Some(found) = answer.counterexample() else { return Vec::new() };
    let plain = report.system.plain();
    let argument = &found.argument;
    let mut lines = Vec::new();
    for kept in &argument.kept {
        let party = match &kept.party {
            Party::Process(process) => plain.show_process(process),
            Party::Event(event) => plain.show_event(event),
            Party::Tuple(requirement, values) => plain.show_tuple(*requirement, values),
        };
        let later = |place: &judge::Occurrence<AnyWords>| match &place.later {
            None => String::new(),
            Some(later) => format!(", {} rounds later", later.laps),
        };
        let why = match &kept.reason {
            Reason::Executed(place) => {
                format!("executed in step {}{}", place.position + 1, later(place))
            }
            Reason::Disabled(place) => {
                format!("disabled before step {}{}", place.position + 1, later(place))
            }
            Reason::True(place) => {
                format!("true before step {}{}", place.position + 1, later(place))
            }
            Reason::Never => "never enabled in the loop".to_owned(),
        };
        lines.push([party, why]);
    }
    if let Some(all) = argument.all_steps {
        let why = format!("all {} steps of {} states are taken", all.steps, all.states);
        lines.push(["the loop".to_owned(), why]);
    }
    if lines.is_empty() && argument.events != OwedEvents::None {
        lines.push(["the loop".to_owned(), "no event is enabled in it".to_owned()]);
    }
    lines
}
