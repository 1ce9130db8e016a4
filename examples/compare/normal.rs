//! Outputs without times and memory.
//!
//! A mask replaces a value only where the program prints one, and only if the value has the form in
//! which it is printed: `0.015 s` in the row `time` of a text, digits after `"time_us":` in JSON.
//! All other bytes stay as they are.

use std::fmt::Write as _;

/// In place of a value that differs from run to run.
const MASK: &str = "_";

/// Members of JSON objects that are times or memory.
const MEASURES: [&str; 5] =
    ["time_us", "peak_memory_bytes", "peak_rss_bytes", "states_per_second", "bytes_per_state"];

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Nothing in it is a time.
    Exact,
    /// What `check` and `explore` print for people.
    Text,
    /// JSON objects on lines.
    Json,
    /// What `automaton --format stats` prints: the last field is a time.
    Stats,
    /// What `check --report` writes.
    Html,
}

/// An output without times and memory. Bytes that are no text are escaped.
pub(crate) fn normalised(bytes: &[u8], form: Form) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.escape_ascii().to_string() };
    match form {
        Form::Exact => text.to_owned(),
        Form::Text => by_lines(text, row),
        Form::Stats => by_lines(text, record),
        Form::Json => json(text),
        Form::Html => html(text),
    }
}

/// Applies a function to each line; ends of lines stay.
fn by_lines(text: &str, mask: fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        match mask(line) {
            Some(masked) => out.push_str(&masked),
            None => out.push_str(line),
        }
        out.push_str(end);
    }
    out
}

/// A row of a table: `  time  0.015 s`, `  time  0.015 s, 80 states/s`, `  "name"  holds  0.015 s`,
/// `  memory  2 bytes per state packed, 70 in all`.
fn row(line: &str) -> Option<String> {
    let cells = line.strip_prefix("  ")?;
    if let Some(rest) = cells.strip_prefix("memory  ") {
        let (packed, all) = rest.rsplit_once(" packed, ")?;
        return is_number(all.strip_suffix(" in all")?)
            .then(|| format!("  memory  {packed} packed, {MASK} in all"));
    }
    let (before, last) = line.rsplit_once("  ")?;
    if is_decimal(last, 3, " s") {
        return Some(format!("{before}  {MASK}"));
    }
    let (time, rate) = last.split_once(", ")?;
    let (rate, unit) = rate.split_once(' ')?;
    let is_time = cells.starts_with("time  ") && is_decimal(time, 3, " s") && is_number(rate);
    (is_time && unit.ends_with("s/s")).then(|| format!("{before}  {MASK}, {MASK} {unit}"))
}

/// A line of comma-separated values whose last field is a number.
fn record(line: &str) -> Option<String> {
    let (before, last) = line.rsplit_once(',')?;
    is_number(last).then(|| format!("{before},{MASK}"))
}

/// JSON with masked numbers; a string is not mistaken for a member.
fn json(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find('"') {
        let length = string_length(&rest[start + 1..]);
        let end = start + 1 + length;
        let name = &rest[start + 1..end];
        let mut taken = (end + 1).min(rest.len());
        out.push_str(&rest[..taken]);
        if let Some(value) = rest[taken..].strip_prefix(':')
            && MEASURES.contains(&name)
        {
            let digits = value.bytes().take_while(u8::is_ascii_digit).count();
            let is_whole = value[digits..].starts_with([',', '}']);
            if digits > 0 && is_whole {
                let _ = write!(out, ":{MASK}");
                taken += 1 + digits;
            }
        }
        rest = &rest[taken..];
    }
    out + rest
}

/// How many bytes precede the quotation mark that ends a string.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return at,
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// A report: cells with times, the facts of a result, the table of phases, the peak of memory.
fn html(text: &str) -> String {
    let text = masked(text, "<td class=\"number\">", "</td>", |cell| is_decimal(cell, 3, " s"));
    let text =
        masked(&text, "<dd class=\"time\"><div>", "</div>", |time| is_decimal(time, 3, " s"));
    let text = masked(&text, "<p>Peak memory: ", "</p>", |peak| is_decimal(peak, 1, " MiB"));
    let table = "<table class=\"phases\">";
    let Some((before, phases)) = text.split_once(table) else { return text };
    let Some((head, phases)) = phases.split_once("<tbody>") else { return text };
    let Some((rows, after)) = phases.split_once("</tbody>") else { return text };
    let rows = masked(rows, "<td class=\"number\">", "</td>", |cell| is_decimal(cell, 3, " ms"));
    let rows = masked(&rows, "<meter min=\"0\" max=\"1\" value=\"", "\"", |share| {
        is_decimal(share, 3, "")
    });
    // They are in the order of their times.
    let mut rows: Vec<&str> = rows.split_inclusive("</tr>").collect();
    rows.sort_unstable();
    format!("{before}{table}{head}<tbody>{}</tbody>{after}", rows.concat())
}

/// A text in which values between two marks are masked, if they have a form.
fn masked(text: &str, before: &str, after: &str, is_measure: impl Fn(&str) -> bool) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((skipped, found)) = rest.split_once(before) {
        out.push_str(skipped);
        out.push_str(before);
        let length = found.find(after).unwrap_or(0);
        rest = found;
        if is_measure(&found[..length]) {
            out.push_str(MASK);
            rest = &found[length..];
        }
    }
    out + rest
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is a number with so many decimals and a unit.
fn is_decimal(text: &str, decimals: usize, unit: &str) -> bool {
    let parts = text.strip_suffix(unit).and_then(|number| number.split_once('.'));
    parts.is_some_and(|(whole, part)| is_number(whole) && is_number(part) && part.len() == decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(normalised(text.as_bytes(), form), *expected, "{form:?}");
        }
    }

    #[test]
    fn rows_lose_times_and_memory_only() {
        check(
            Form::Text,
            &[
                ("  time      0.015 s\n", "  time      _\n"),
                ("  time  12.015 s, 80 states/s\r\n", "  time  12.015 s, 80 states/s\r\n"),
                ("  time  12.015 s, 80 states/s", "  time  _, _ states/s"),
                ("  \"a\"  holds  weak  17  0.001 s\n", "  \"a\"  holds  weak  17  _\n"),
                ("  states  17\n  depth  3\n", "  states  17\n  depth  3\n"),
                (
                    "  memory  2 bytes per state packed, 70 in all",
                    "  memory  2 bytes per state packed, _ in all",
                ),
                ("time  0.015 s", "time  0.015 s"),
                ("  time  0.15 s", "  time  0.15 s"),
                ("  1  client_0: take  time := 3", "  1  client_0: take  time := 3"),
            ],
        );
        assert_ne!(
            normalised(b"  memory  2 bytes per state packed, 70 in all", Form::Text),
            normalised(b"  memory  3 bytes per state packed, 70 in all", Form::Text)
        );
    }

    #[test]
    fn members_of_objects_are_masked() {
        check(
            Form::Json,
            &[
                (r#"{"a":1,"time_us":15,"b":2}"#, r#"{"a":1,"time_us":_,"b":2}"#),
                (r#"{"peak_rss_bytes":null}"#, r#"{"peak_rss_bytes":null}"#),
                (r#"{"n":"\"time_us\":15,"}"#, r#"{"n":"\"time_us\":15,"}"#),
                (r#"{"n":"\\","time_us":1}"#, r#"{"n":"\\","time_us":_}"#),
                (r#"{"time_us":1.5}"#, r#"{"time_us":1.5}"#),
                (r#"["time_us",15]"#, r#"["time_us",15]"#),
                (r#"{"states":"#, r#"{"states":"#),
                ("\"", "\""),
            ],
        );
    }

    #[test]
    fn the_last_field_of_sizes_is_masked() {
        check(Form::Stats, &[("\"a, b\",1,2,3\nG a,,,\n", "\"a, b\",1,2,_\nG a,,,\n")]);
    }

    #[test]
    fn phases_of_reports_are_in_the_order_of_their_names() {
        let phase = |name: &str, calls: u32, time: &str| {
            format!(
                "<tr><td><code>{name}</code></td><td class=\"number\">{calls}</td>\
                 <td class=\"number\">{time} ms</td><td><meter min=\"0\" max=\"1\" value=\"{time}\"></meter></td></tr>"
            )
        };
        let page = |rows: &[String]| {
            let page = format!(
                "<td class=\"number\">0.100 s</td><td class=\"number\">7</td>\
                 <table class=\"phases\"><tbody>{}</tbody></table><p>Peak memory: 3.5 MiB</p>",
                rows.concat()
            );
            normalised(page.as_bytes(), Form::Html)
        };
        let first = page(&[phase("a", 1, "0.100"), phase("b", 2, "0.200")]);
        assert_eq!(first, page(&[phase("b", 2, "0.300"), phase("a", 1, "1.200")]));
        assert_ne!(first, page(&[phase("b", 3, "0.300"), phase("a", 1, "1.200")]));
        assert_ne!(first, page(&[phase("c", 2, "0.300"), phase("a", 1, "1.200")]));
        assert!(first.contains("<td class=\"number\">_</td><td class=\"number\">7</td>"));
    }

    #[test]
    fn bytes_that_are_no_text_are_compared() {
        assert_ne!(normalised(b"\xff", Form::Text), normalised(b"\xfe", Form::Text));
    }
}
