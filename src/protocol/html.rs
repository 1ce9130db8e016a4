//! The results of a check of a protocol, as a page for browsers.

use super::report::{Results, Verdict};
use super::text;
use maud::{DOCTYPE, PreEscaped, html};

/// Plain and readable, in light and in dark.
const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9rem; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8886; border-radius: 4px; }
td { padding: 0 1rem 0 0; vertical-align: top; }
.holds { color: #15803d; } .violated { color: #b91c1c; } .unknown { color: #a16207; }
@media (prefers-color-scheme: dark) {
  .holds { color: #4ade80; } .violated { color: #f87171; } .unknown { color: #facc15; }
}";

/// The page.
pub(super) fn page(report: &Results) -> String {
    let title = report.protocol.rsplit("::").next().unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) ": results" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                @for line in text::remarks(report) { p { (line) } }
                @for answer in &report.answers {
                    @let class = match answer.verdict() {
                        Verdict::Holds => "holds",
                        Verdict::Violated => "violated",
                        Verdict::Unknown => "unknown",
                    };
                    section {
                        h2 {
                            span class=(class) { (text::verdict(report, answer)) }
                            ": "
                            code { (answer.name) }
                        }
                        table {
                            @for [name, value] in text::rows(report, answer) {
                                tr { td { (name) } td { (value) } }
                            }
                        }
                        @if let Some(run) = answer.run() {
                            pre { (text::steps(report, answer, run).join("\n")) }
                        }
                        @let because = text::fair_because(report, answer);
                        @if !because.is_empty() {
                            p { "The run is fair because" }
                            table {
                                @for [party, why] in because { tr { td { (party) } td { (why) } } }
                            }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}
