//! Tables in Markdown, aligned, so that they can be read as they are.

/// A table; all rows have as many cells as the head.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.rows[0].len(), "{cells:?}");
        self.rows.push(cells);
    }

    /// The first column to the left, the others to the right.
    pub(crate) fn markdown(&self) -> String {
        let width = |column: usize| {
            self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = widths.iter().enumerate().map(|(column, width)| {
            if column == 0 {
                format!("|{}", "-".repeat(width + 2))
            } else {
                format!("|{}:", "-".repeat(width + 1))
            }
        });
        let rule = format!("{}|\n", rule.collect::<String>());
        let (head, rows) = self.rows.split_first().expect("a head");
        line(head) + &rule + &rows.iter().map(line).collect::<String>()
    }
}

/// Ratios over several models: their geometric mean, and the least.
pub(crate) fn summary(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "nothing was compared".to_owned();
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    format!(
        "geometric mean **{:.2}** over {}, least {least:.2}",
        geometric_mean(ratios),
        ratios.len()
    )
}

pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// A figure of three digits.
pub(crate) fn figure(value: f64) -> String {
    let digits = match value.abs() {
        small if small < 1.0 => 3,
        small if small < 10.0 => 2,
        small if small < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// A number of thousands, where there are many.
pub(crate) fn thousands(value: f64) -> String {
    format!("{} k", figure(value / 1e3))
}

/// Bytes, as megabytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    figure(bytes as f64 / 1e6)
}
