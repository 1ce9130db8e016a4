//! Tables of plain text.

use super::escape::{escaped, mark};
use std::fmt::Write as _;

/// A column is not made wider than this for the sake of a few long cells.
const WIDEST: usize = 60;

/// Columns of equal width, two blanks before each; the last one may be as long as it likes.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let escaped = |cell: &String| escaped(cell).into_owned();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(escaped).collect()).collect();
    let mut widths = Vec::new();
    for row in &rows {
        let columns = row.len().saturating_sub(1);
        widths.resize(columns.max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(&row[..columns]) {
            *width = seen(cell).min(WIDEST).max(*width);
        }
    }
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (k, cell) in row.iter().enumerate() {
            let width = widths.get(k).copied().unwrap_or_default();
            let blanks = width.saturating_sub(seen(cell));
            let _ = write!(line, "  {cell}{:blanks$}", "");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// How many characters of a cell are seen: not those that only change the colour.
fn seen(cell: &str) -> usize {
    let mut parts = cell.split(mark());
    let plain = parts.next().map_or(0, |plain| plain.chars().count());
    let coloured =
        parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.chars().count()));
    plain + coloured.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::super::escape::{marked, printable};
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_in_no_blanks() {
        let rows = [vec!["a", "bcd", "e"], vec!["äöü", "", "long enough"], vec!["x", "y", ""]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(table(&rows), "  a    bcd  e\n  äöü       long enough\n  x    y\n");
        assert_eq!(table(&[]), "");
        let red = marked("\x1b[1;31mred\x1b[0m");
        let rows = [vec![&red[..], "x"], vec!["green", "x"], vec!["e\x1b", "x"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        let expected = "  \x1b[1;31mred\x1b[0m      x\n  green    x\n  e\\u{1b}  x\n";
        assert_eq!(printable(&table(&rows)), expected);
        let long = "x".repeat(100_000);
        let rows = [vec![long.clone(), "y".to_owned()], vec!["x".to_owned(), "y".to_owned()]];
        let found = table(&rows);
        let lines: Vec<_> = found.lines().map(str::len).collect();
        assert_eq!(lines, [2 + 100_000 + 3, 2 + 60 + 3]);
    }
}
