//! Excerpts of the differences of two texts.

use crate::normal::Form;
use std::fmt::Write as _;

/// Lines of each text that are shown.
const MOST_LINES: usize = 8;

/// Characters of a line that are shown, and how many of them stand before the first difference.
const WIDTH: usize = 160;
const BEFORE: usize = 60;

/// The first differences of two texts, in the manner of a unified diff.
pub(crate) fn excerpt(old: &str, new: &str, form: Form) -> String {
    let [old, new] = [old, new].map(|text| match form {
        // An object on a line: a line for each member shows more.
        Form::Json => text.replace(",\"", ",\n\"").replace(",{", ",\n{"),
        Form::Html => text.replace("><", ">\n<"),
        _ => text.to_owned(),
    });
    // `split`, because the text may differ in the newline at its end only.
    let [old, new]: [Vec<&str>; 2] = [old.split('\n').collect(), new.split('\n').collect()];
    let equal = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len());
    let pairs = old.iter().rev().zip(new.iter().rev()).take(shorter - equal);
    let tail = pairs.take_while(|(a, b)| a == b).count();
    let column = match (old.get(equal), new.get(equal)) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let mut out = format!("@@ line {} @@", equal + 1);
    for line in &old[equal.saturating_sub(2)..equal] {
        let _ = write!(out, "\n  {}", clipped(line, 0));
    }
    for (sign, lines) in
        [('-', &old[equal..old.len() - tail]), ('+', &new[equal..new.len() - tail])]
    {
        for line in lines.iter().take(MOST_LINES) {
            let _ = write!(out, "\n{sign} {}", clipped(line, column));
        }
        if lines.len() > MOST_LINES {
            let _ = write!(out, "\n{sign} ... {} more lines", lines.len() - MOST_LINES);
        }
    }
    out
}

/// The part of a line around a column.
fn clipped(line: &str, column: usize) -> String {
    let length = line.chars().count();
    if length <= WIDTH {
        return line.to_owned();
    }
    let start = column.saturating_sub(BEFORE).min(length - WIDTH);
    let part: String = line.chars().skip(start).take(WIDTH).collect();
    format!(
        "{}{part}{}",
        if start > 0 { "…" } else { "" },
        if start + WIDTH < length { "…" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_what_differs() {
        let found = excerpt("a\nb\nc\nd\n", "a\nb\nx\ny\nd\n", Form::Exact);
        assert_eq!(found, "@@ line 3 @@\n  a\n  b\n- c\n+ x\n+ y");
        assert_eq!(excerpt("a\n", "a", Form::Exact), "@@ line 2 @@\n  a\n- ");
        let json = excerpt(r#"{"a":1,"b":2,"c":3}"#, r#"{"a":1,"b":4,"c":3}"#, Form::Json);
        assert_eq!(json, "@@ line 2 @@\n  {\"a\":1,\n- \"b\":2,\n+ \"b\":4,");
        let long = "x".repeat(500);
        let found = excerpt(&format!("{long}a{long}"), &format!("{long}b{long}"), Form::Exact);
        assert!(found.contains("xa") && found.contains("xb") && found.len() < 400, "{found}");
    }
}
