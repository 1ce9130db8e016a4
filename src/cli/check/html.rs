//! A report to be read in a browser: one page that needs nothing else, no network and no other file.
//!
//! What is said of results stands in the page itself. Runs are given as data ([`run`]) to a script, which shows them
//! step by step; so a long run costs the browser no more than what is in sight.
//!
//! # Nothing that was read is ever markup
//! Texts of the model and of formulas reach the page in three ways only: as text, escaped by `maud`; in pictures,
//! escaped by [`drawing::svg`]; in the data, a JSON text without any `<`, of which the script makes text nodes. Besides,
//! the page allows no script but its own, by the hash of that one, and no request to anybody.

mod run;
mod space;
mod word;

use super::super::argument;
use super::super::budget::{Budget, peak_memory};
use super::super::error::Error;
use super::super::escape::{escaped, mark, shown_json};
use super::super::numbers::seconds;
use super::super::results::{ResultKind, VerdictWord};
use super::super::trace::{self, milliseconds};
use super::super::view::{LoadedSystem, View as _};
use super::super::writing::Pieces;
use super::report::{Report, ResultView, WordsOf};
use super::{text, words};
use crate::finding::Work;
use crate::frontend::FrontEnd;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use judge::{Reference, Vocabulary};
use ltl::source::Colour;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use run::RunData;
use sha2::{Digest as _, Sha256};
pub(in crate::cli) use space::{NotDrawn, Picture, Space};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The page, in pieces. To be called under a watch.
pub(in crate::cli) fn page<L: LoadedSystem, F: FrontEnd>(
    report: &Report<'_, L>,
    system: &F,
    space: &dyn Picture<WordsOf<L>>,
    budget: &Budget,
) -> Result<Vec<String>, Error>
where
    F::Reference: Reference<Vocabulary = WordsOf<L>>,
{
    let loaded = report.loaded;
    let writer = Writer { report, loaded, system, budget, space };
    let results = report.results.iter().enumerate();
    let results: Vec<Section> =
        results.map(|(k, result)| writer.section(k, result)).collect::<Result<_, _>>()?;
    let data: Vec<Option<&RunData>> = results.iter().map(|one| one.data.as_ref()).collect();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (loaded.text().name) " · isonomy" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (writer.head())
                main {
                    (writer.overview())
                    @for one in &results { (one.markup) }
                    (writer.state_space())
                    (writer.rules())
                    (writer.statistics())
                    (writer.source())
                }
                footer { "isonomy " (env!("CARGO_PKG_VERSION")) }
                script id="data" type="application/json" { (PreEscaped(mark())) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    let markup = markup.into_string();
    let (before, behind) = markup.split_once(mark()).expect("the place of the data is marked");
    let mut pieces = vec![escaped(before).into_owned()];
    pieces.extend(json(&data));
    pieces.push(escaped(behind).into_owned());
    Ok(pieces)
}

/// What the page may do: run its own script and style itself.
fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; \
         form-action 'none'"
    )
}

/// JSON inside of a page: there `<` could begin the end of the element, or a comment.
fn json(data: &impl serde::Serialize) -> Vec<String> {
    Pieces::of(data, |text| shown_json(text).replace('<', "\\u003c"))
}

/// A result, and its run for the script.
struct Section {
    markup: Markup,
    data: Option<RunData>,
}

struct Writer<'w, L: LoadedSystem, F> {
    report: &'w Report<'w, L>,
    loaded: &'w L,
    system: &'w F,
    budget: &'w Budget,
    space: &'w dyn Picture<WordsOf<L>>,
}

impl<L: LoadedSystem, F: FrontEnd> Writer<'_, L, F>
where
    F::Reference: Reference<Vocabulary = WordsOf<L>>,
{
    fn head(&self) -> Markup {
        let constants = self.loaded.constants();
        html! {
            header {
                h1 { (self.loaded.text().name) }
                p.summary { (text::summary(self.report, Colour::Off).trim_end()) }
                @if !constants.is_empty() {
                    p.constants {
                        @for (k, (name, value)) in constants.iter().enumerate() {
                            @if k > 0 { ", " }
                            code { (name) " = " (value) }
                        }
                    }
                }
            }
        }
    }

    fn section(&self, k: usize, result: &ResultView<'_, WordsOf<L>>) -> Result<Section, Error> {
        let number = k + 1;
        let data = match result.run {
            Some(run) => Some(self.run(k, result, run)?),
            None => None,
        };
        let picture = data.as_ref().and_then(|data| data.automaton.as_ref());
        let markup = html! {
            section.result id={ "result-" (number) } data-result=(k) {
                // What holds is not what one has come for.
                details open[result.verdict != VerdictWord::Holds] {
                    summary { h2 { (verdict(result)) " " (result.title) } }
                    @if let Some(written) = result.written { pre.formula { code { (written.trim()) } } }
                    @if let Some(diagnostic) = &result.diagnostic {
                        p.message { (diagnostic.message) " " (self.place(diagnostic.span)) }
                    }
                    (self.facts(result))
                    (self.fair(result))
                    @if data.is_some() {
                        div.explorer { noscript { p {
                            "Runs are shown by a script, and scripts are switched off. The output of "
                            code { "isonomy check" } " shows them as well."
                        } } }
                    }
                    @if let Some(step) = &result.failing {
                        p { "fails in " code { (step) } }
                    }
                    @if let Some(automaton) = picture {
                        div.automaton hidden { (PreEscaped(&automaton.picture)) }
                    }
                }
            }
        };
        Ok(Section { markup, data })
    }

    /// Why the run is fair.
    fn fair(&self, result: &ResultView<'_, WordsOf<L>>) -> Markup {
        let lines = result.counterexample.map(|found| {
            let lines = argument::lines(self.loaded, &found.argument);
            (lines, argument::all_lines(self.loaded, &found.argument))
        });
        html! {
            @if let Some((lines, all)) = lines.filter(|(lines, _)| !lines.is_empty()) {
                div.fair {
                    h3 { "Fair because" }
                    table { @for (line, all) in lines.into_iter().zip(all) { tr {
                        @for (cell, whole) in line.into_iter().zip(all) {
                            @if cell == whole { td { (cell) } }
                            @else { td.names { details { summary { (cell) } (whole) } } }
                        }
                    } } }
                }
            }
        }
    }

    /// A link to where something is written.
    fn place(&self, span: ltl::Span) -> Markup {
        let place = self.loaded.place(span);
        let text = format!("{}:{}:{}", place.name, place.line, place.column);
        html! {
            @if place.included.is_some() || place.name == self.loaded.text().name {
                a.place href={ "#" (line(place.included.unwrap_or(0), place.line)) } { (text) }
            } @else { span.place { (text) } }
        }
    }

    fn state_space(&self) -> Markup {
        html! {
            section #space {
                h2 { "State space" }
                @match self.space.picture() {
                    Ok((picture, is_quotient)) => {
                        p.elsewhere hidden { "It is shown with the run above." }
                        div.space {
                            div.picture { (PreEscaped(picture)) }
                            @if is_quotient {
                                p.muted { "States that differ only by a renaming of interchangeable indices are drawn once: "
                                    code { "×3" } " is how many states a node, or steps an edge, stands for. A permutation below an event, such as "
                                    code { "(c_0 c_1)" } ", says how to rename the node behind the arrow to get the state behind the step." }
                            }
                        }
                    }
                    Err(why) => p { (why) },
                }
            }
        }
    }

    /// All results at a glance.
    fn overview(&self) -> Markup {
        html! {
            section #results {
                h2 { "Results" }
                table.overview.stack {
                    thead { tr {
                        th { "property" } th { "verdict" } th { "fairness" }
                        th.number { "states" } th.number { "time" }
                    } }
                    tbody {
                        @for (k, result) in self.report.results.iter().enumerate() {
                            tr {
                                td { a href={ "#result-" (k + 1) } { (result.subject()) } }
                                td data-name="verdict" { (verdict(result)) }
                                td data-name="fairness" { (self.fairness(result)) }
                                td.number data-name="states" { (cell(result.work.and_then(Work::quotient).map(|(states, _)| states))) }
                                td.number data-name="time" { (time(result.work)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The rules, and how often each fired.
    fn rules(&self) -> Markup {
        let coverage = &self.report.coverage;
        html! {
            @if !coverage.fired.is_empty() {
                section #rules {
                    details {
                        summary { h2 { "Rules" } }
                        @if coverage.counts.is_none() {
                            p.muted { "How often each rule fired is counted with " code { "--coverage" } "." }
                        }
                        table {
                            thead { tr { th { "rule" } th { "place" } th.number { "fired" } } }
                            tbody {
                                @for (k, (name, span)) in self.loaded.rules().into_iter().enumerate() {
                                    tr {
                                        td { (name) }
                                        td { (self.place(span)) }
                                        td.number { (coverage.times(k)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn statistics(&self) -> Markup {
        html! {
            section #statistics {
                h2 { "Statistics" }
                table.stack {
                    thead { tr {
                        th { "result" } th.number { "representatives" } th.number { "edges" } th.number { "product nodes" }
                        th.number { "product edges" } th.number { "automaton states" } th { "engine" } th.number { "time" }
                    } }
                    tbody {
                        @for (k, result) in self.report.results.iter().enumerate() {
                            @let (quotient, product) = (result.work.and_then(Work::quotient), result.work.and_then(Work::product));
                            tr {
                                td { a href={ "#result-" (k + 1) } { (result.title) } }
                                @for (name, count) in [
                                    ("representatives", quotient.map(|(states, _)| states)),
                                    ("edges", quotient.map(|(_, edges)| edges)),
                                    ("product nodes", product.map(|done| done.product_nodes)),
                                    ("product edges", product.map(|done| done.product_edges)),
                                    ("automaton states", product.map(|done| done.automaton_states)),
                                ] {
                                    td.number data-name=(name) { (cell(count)) }
                                }
                                td data-name="engine" { (result.work.map_or("–", words::engine)) }
                                td.number data-name="time" { (time(result.work)) }
                            }
                        }
                    }
                }
                (phases())
            }
        }
    }

    /// The fairness of a formula; properties of states are not about runs.
    fn fairness(&self, result: &ResultView<'_, WordsOf<L>>) -> String {
        match result.kind {
            ResultKind::Ltl => text::fairness(self.report, result),
            _ => "–".to_owned(),
        }
    }

    /// What the text output says of a result in its table.
    fn facts(&self, result: &ResultView<'_, WordsOf<L>>) -> Markup {
        let mut names: Vec<(String, Vec<String>)> = Vec::new();
        for row in text::rows(self.report, result) {
            let [name, value] = <[String; 2]>::try_from(row).expect("a name and a value");
            match names.last_mut() {
                Some((_, values)) if name.is_empty() => values.push(value),
                _ => names.push((name, vec![value])),
            }
        }
        html! {
            dl.facts {
                @for (name, values) in names {
                    dt { (name) }
                    dd class=(name) { @for value in values { div { (value) } } }
                }
            }
        }
    }

    /// The files of the model, with numbered lines to which places lead.
    fn source(&self) -> Markup {
        html! {
            section #model {
                details {
                    summary { h2 { (self.loaded.view().kind()) } }
                    @for (number, file) in self.loaded.files().into_iter().enumerate() {
                        @if number > 0 { h3 { (file.name) } }
                        pre.source {
                            @for (k, text) in file.content.lines().enumerate() {
                                span.line id=(line(number, k + 1)) { (text) "\n" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name of a line of a file, for links.
fn line(file: usize, line: usize) -> String {
    if file == 0 { format!("line-{line}") } else { format!("file-{file}-line-{line}") }
}

/// Where the time went until now; the page itself is not finished yet.
fn phases() -> Markup {
    let phases = trace::phases();
    let longest = phases.iter().map(|phase| phase.own).max().unwrap_or_default();
    html! {
        h3 { "Phases" }
        p.muted { "What threads do at the same time counts for each of them. Own times are without the phases inside." }
        table.phases {
            thead { tr {
                th { "phase" } th.number { "calls" } th.number { "total" } th.number { "own" } th {}
            } }
            tbody {
                @for phase in &phases {
                    @let share = phase.own.as_secs_f64() / longest.as_secs_f64().max(f64::MIN_POSITIVE);
                    tr {
                        td { code { (phase.name) } }
                        td.number { (phase.calls) }
                        td.number { (milliseconds(phase.total)) }
                        td.number { (milliseconds(phase.own)) }
                        td { meter min="0" max="1" value=(format!("{share:.3}")) {} }
                    }
                }
            }
        }
        @if let Some(peak) = peak_memory() { p { "Peak memory: " (trace::mebibytes(peak)) } }
    }
}

fn verdict<V: Vocabulary>(result: &ResultView<'_, V>) -> Markup {
    let word = result.verdict.name();
    html! { span class={ "verdict " (word) } { (word) } }
}

/// How long something took, in a table.
fn time(work: Option<&Work>) -> String {
    work.map_or("–".to_owned(), |work| seconds(work.time()))
}

/// A count in a table.
fn cell(count: Option<u64>) -> String {
    count.map_or("–".to_owned(), |count| count.to_string())
}

/// Identifiers of a picture of the k-th result begin with this.
fn prefix(k: usize) -> String {
    format!("r{}-", k + 1)
}
