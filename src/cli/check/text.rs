//! What a check has found, for people: a block per result; what is violated comes with a run.

use super::super::argument;
use super::super::console::paint;
use super::super::model::Loaded;
use super::super::numbers::{counted, seconds};
use super::super::places;
use super::super::steps;
use super::super::table::table;
use super::asked::KINDS;
use super::report::{Entry, Report, Verdict};
use isonomy::model::checked::Model;
use isonomy::model::interpret::{Interpreter, State};
use ltl::source::Colour;
use num_bigint::BigUint;
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout(
    report: &Report<'_>,
    loaded: &Loaded,
    full_states: bool,
    colour: Colour,
) -> String {
    let teller = Teller { loaded, model: &loaded.model, full_states, colour };
    let blocks: Vec<String> = report.results.iter().map(|entry| teller.block(entry)).collect();
    let mut out = blocks.join("\n");
    if report.results.len() > 1 {
        for table in teller.tables(report) {
            out.push('\n');
            out.push_str(&table);
        }
    }
    if report.results.len() != 1 {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&summary(report, colour));
    }
    out
}

struct Teller<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
    full_states: bool,
    colour: Colour,
}

impl Teller<'_> {
    fn paint(&self, code: &str, text: &str) -> String {
        paint(self.colour, code, text)
    }

    fn block(&self, entry: &Entry<'_>) -> String {
        let mut out = self.headline(entry);
        out.push_str(&table(&rows(entry)));
        if let Some(run) = entry.run {
            let start = self.start(run.states().next().expect("a run has a state"));
            let Teller { model, full_states, colour, .. } = *self;
            let (start, lap) = (Some(&*start), entry.renaming);
            out.push_str(&match entry.component {
                None => steps::run(model, start, run, lap, full_states, colour),
                Some(component) => places::run(model, start, run, component, full_states, colour),
            });
        }
        if let Some(argument) = entry.argument {
            out.push_str(&argument::block(self.loaded, argument, self.colour));
        }
        if let Some((process, event)) = &entry.failing {
            let _ = writeln!(out, "fails in {}", steps::label(self.model, process, event));
        }
        out
    }

    /// The verdict.
    fn headline(&self, entry: &Entry<'_>) -> String {
        if let Some(diagnostic) = &entry.diagnostic {
            return self.loaded.sources().render(diagnostic, self.colour);
        }
        let (word, code) = match entry.verdict {
            Verdict::Holds => ("holds", "1;32"),
            Verdict::Unknown => ("unknown", "1;33"),
            Verdict::Violated => ("error", "1;31"),
        };
        format!("{}: {}\n", self.paint(code, word), self.paint("1", &entry.subject()))
    }

    /// All results at a glance: a table for each formula that was asked about under all kinds of fairness, and one
    /// for the rest.
    fn tables(&self, report: &Report<'_>) -> Vec<String> {
        let (of_all_kinds, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
            report.results.iter().partition(|entry| entry.is_of_all_kinds);
        let row = |mut cells: Vec<String>, entry: &Entry<'_>| {
            let states = entry.stats.aqs_states.as_ref();
            cells.push(states.map_or("-".to_owned(), |states| states.0.to_string()));
            cells.push(seconds(entry.time));
            cells
        };
        let head = |names: &[&str]| {
            let names = names.iter().chain(&["states", "time"]);
            names.map(|name| self.paint("1", name)).collect::<Vec<_>>()
        };
        let mut tables = Vec::new();
        for same in of_all_kinds.chunks(KINDS) {
            let mut rows = vec![head(&["fairness", "verdict"])];
            let cells = |entry: &Entry<'_>| vec![fairness(entry), self.verdict(entry)];
            rows.extend(same.iter().map(|entry| row(cells(entry), entry)));
            tables.push(format!("{}\n{}", self.paint("1", &same[0].subject()), table(&rows)));
        }
        if !others.is_empty() {
            let mut rows = vec![head(&["property", "verdict", "fairness"])];
            let cells = |entry: &Entry<'_>| {
                let subject = shortened(&entry.subject());
                // Properties of states are not about runs.
                let fairness = if entry.kind == "ltl" { entry.fairness } else { "-" };
                vec![subject, self.verdict(entry), fairness.to_owned()]
            };
            rows.extend(others.iter().map(|entry| row(cells(entry), entry)));
            tables.push(table(&rows));
        }
        tables
    }

    /// In one word.
    fn verdict(&self, entry: &Entry<'_>) -> String {
        match entry.verdict {
            Verdict::Holds => self.paint("1;32", "holds"),
            Verdict::Violated => self.paint("1;31", "violated"),
            Verdict::Unknown => self.paint("1;33", "unknown"),
        }
    }

    /// The name of a start state.
    fn start(&self, state: &State) -> String {
        let mut starts = Interpreter::new(self.model).starts().flatten();
        let start = starts.find(|start| start.state == *state);
        start.expect("a run that was judged begins in a start state").show(self.model)
    }
}

/// How many of which verdict.
pub(super) fn summary(report: &Report<'_>, colour: Colour) -> String {
    let number = |verdict| report.results.iter().filter(|one| one.verdict == verdict).count();
    let parts = [
        (number(Verdict::Violated), "violated", "1;31"),
        (number(Verdict::Unknown), "unknown", "1;33"),
        (number(Verdict::Holds), "hold", "1;32"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, word, code)| match (count, word) {
            (1, "hold") => paint(colour, code, "1 holds"),
            _ => paint(colour, code, &format!("{count} {word}")),
        })
        .collect();
    match (parts.is_empty(), report.stopped()) {
        (true, None) => "no run-time error\n".to_owned(),
        (true, Some(reason)) => format!("stopped ({reason}): no run-time error so far\n"),
        (false, _) => {
            let all = counted(&report.results.len().into(), "result");
            format!("{all}: {}\n", parts.join(", "))
        }
    }
}

/// What is said of a result besides its run: names and values; a value without a name belongs to the name before.
pub(super) fn rows(entry: &Entry<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    if let (Verdict::Unknown, Some(reason)) = (entry.verdict, &entry.reason) {
        row("reason", reason.clone());
    }
    for (k, line) in entry.why.iter().enumerate() {
        row(if k == 0 { "why" } else { "" }, line.clone());
    }
    for warning in entry.own_warnings() {
        row("warning", warning.clone());
    }
    if entry.kind == "ltl" {
        row("fairness", fairness(entry));
    }
    row("searched", searched(entry));
    row("time", seconds(entry.time));
    rows
}

pub(super) fn fairness(entry: &Entry<'_>) -> String {
    let mut out = match entry.over {
        Some(over) => format!("{}, over {over}", entry.fairness),
        None => entry.fairness.to_owned(),
    };
    if !entry.declared_fairness.is_empty() {
        let declared: Vec<_> =
            entry.declared_fairness.iter().map(|name| format!("\"{name}\"")).collect();
        let _ = write!(out, "; declared: {}", declared.join(", "));
    }
    out
}

/// A text that fits into a column.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 50;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 3).chain("...".chars()).collect()
}

/// What was done.
fn searched(entry: &Entry<'_>) -> String {
    let stats = &entry.stats;
    let number = |count: u128, one: &str| counted(&BigUint::from(count), one);
    let mut parts = Vec::new();
    if let (Some(states), Some(edges)) = (&stats.aqs_states, &stats.aqs_edges) {
        let (states, edges) = (number(states.0, "representative"), number(edges.0, "edge"));
        parts.push(format!("{states}, {edges}"));
    }
    if let (Some(nodes), Some(edges), Some(states)) =
        (&stats.product_nodes, &stats.product_edges, &stats.automaton_states)
    {
        let (nodes, edges) = (number(nodes.0, "node"), number(edges.0, "edge"));
        parts.push(format!("product: {nodes}, {edges}"));
        parts.push(format!("automaton: {}", number(states.0, "state")));
    }
    if let (Some(instances), Some(tuples)) = (&entry.instances, &entry.tuples)
        && *tuples > BigUint::from(1_u32)
    {
        parts.push(format!("{} of {}", instances.0, counted(tuples, "instance")));
    }
    parts.join("; ")
}
