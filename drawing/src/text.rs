//! How much room text takes, without a font at hand.
//!
//! Sans-serif text is measured by the widths of Helvetica, which Arial, Liberation Sans and Nimbus
//! Sans share. Whatever font is there in the end, the drawing prescribes the width of each text, so that it
//! fits where it was measured.

use crate::graph::{Face, Line, Piece};
use unicode_width::UnicodeWidthChar as _;

/// The diameter of a disc.
pub(crate) const DISC: f64 = 13.0;
/// What is free between a piece and a disc after it.
const BEFORE_DISC: f64 = 3.0;

/// Widths of the characters from the space to the tilde, in thousandths of the size.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // to ~
];
/// Other letters, in thousandths: rather too wide than too narrow.
const OTHER: u16 = 700;
/// Letters as wide as they are high, in thousandths.
const FULL: u16 = 1000;
/// Every letter of a typewriter, in thousandths.
const TYPEWRITER: u16 = 602;

impl Face {
    /// The size of the letters.
    pub(crate) fn size(self) -> f64 {
        match self {
            Face::Sans => 13.0,
            Face::Small | Face::Mono => 11.0,
        }
    }
}

/// How wide a text is.
pub(crate) fn width(text: &str, face: Face) -> f64 {
    let thousandths: u32 = text.chars().map(|c| u32::from(thousandths(c, face))).sum();
    f64::from(thousandths) * face.size() / 1000.0
}

fn thousandths(c: char, face: Face) -> u16 {
    match (c.width(), face) {
        (Some(0), _) => 0,
        (Some(2..), _) => FULL,
        (_, Face::Mono) => TYPEWRITER,
        _ if (' '..='~').contains(&c) => HELVETICA[c as usize - ' ' as usize],
        _ => OTHER,
    }
}

impl Piece {
    /// How wide it is.
    pub(crate) fn width(&self) -> f64 {
        match self {
            Piece::Words { text, face, .. } => width(text, *face),
            Piece::Disc(_) | Piece::NoDisc => DISC + BEFORE_DISC,
        }
    }
}

impl Line {
    /// How wide it is.
    pub(crate) fn width(&self) -> f64 {
        self.pieces.iter().map(Piece::width).sum()
    }

    /// How high it is.
    pub(crate) fn height(&self) -> f64 {
        let height = |piece: &Piece| match piece {
            Piece::Words { face, .. } => face.size() * 1.25,
            Piece::Disc(_) | Piece::NoDisc => DISC + 2.0,
        };
        self.pieces.iter().map(height).fold(0.0, f64::max)
    }
}

/// The width and height of some lines.
pub(crate) fn extent(lines: &[Line]) -> (f64, f64) {
    let width = lines.iter().map(Line::width).fold(0.0, f64::max);
    (width, lines.iter().map(Line::height).sum())
}

/// A text in lines of at most so many characters, broken after spaces and commas where possible, and
/// in the middle of what is longer than a line. No character gets lost but spaces at the ends of lines.
pub fn wrapped(text: &str, most: usize) -> Vec<String> {
    assert!(most > 0, "a line has room for a character");
    let mut lines: Vec<String> = vec![String::new()];
    let mut length = 0;
    for word in text.split_inclusive([' ', ',']) {
        let count = word.trim_end().chars().count();
        if length > 0 && length + count > most {
            lines.push(String::new());
            length = 0;
        }
        for c in word.chars() {
            if length == most && c != ' ' {
                lines.push(String::new());
                length = 0;
            }
            lines.last_mut().expect("there is a line").push(c);
            length += 1;
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_one_may() {
        //  text, characters in a line, lines
        let table: [(&str, usize, &[&str]); 7] = [
            ("", 5, &[""]),
            ("a b", 5, &["a b"]),
            ("grant(c, d)", 8, &["grant(c,", "d)"]),
            ("one two three", 7, &["one two", "three"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("x abcdefghij", 4, &["x", "abcd", "efgh", "ij"]),
            ("äöü ß", 3, &["äöü", "ß"]),
        ];
        for (text, most, expected) in table {
            assert_eq!(wrapped(text, most), expected, "{text}");
        }
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // As Liberation Sans has them at 1000 units.
        assert!((width("Hamburg & @", Face::Sans) - 13.0 * 6.35).abs() < 1e-9);
        assert!((width("iiii", Face::Mono) - width("WWWW", Face::Mono)).abs() < 1e-9);
    }
}
