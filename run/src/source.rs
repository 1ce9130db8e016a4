//! Texts, places in them, and messages about them.
//!
//! A [`Diagnostic`] knows byte offsets only; a [`Source`] turns them into line and column and draws
//! the message. Columns count characters from 1. Carets stand below what they mean in a terminal:
//! tabs are shown as blanks up to the next stop, wide characters count two cells, control
//! characters are shown as `�`, and of a very long line only the part around the place is shown.

use std::fmt::Write as _;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// A run of bytes of a source text, on character boundaries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte; not before `start`.
    pub end: usize,
}

impl Span {
    /// The empty place at `offset`.
    pub const fn at(offset: usize) -> Self {
        Span { start: offset, end: offset }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text can be used, but perhaps it does not mean what its author thinks.
    Warning,
    /// The text claims something that is not so.
    Violated,
}

/// A message about a place in a text: lower case, no final dot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error, warning or violation.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter, each with a word on why.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: impl Into<Span>, message: impl Into<String>) -> Self {
        let (span, message) = (span.into(), message.into());
        Diagnostic { severity: Severity::Error, message, span, related: Vec::new(), help: None }
    }

    /// A warning at `span`.
    pub fn warning(span: impl Into<Span>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// A claim at `span` that is violated; the message says which, and perhaps how.
    pub fn violated(span: impl Into<Span>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Violated, ..Diagnostic::error(span, message) }
    }

    /// The same, with advice.
    #[must_use]
    pub fn help(self, advice: impl Into<String>) -> Self {
        Diagnostic { help: Some(advice.into()), ..self }
    }

    /// The same, pointing at another place too.
    #[must_use]
    pub fn related(mut self, span: impl Into<Span>, note: impl Into<String>) -> Self {
        self.related.push((span.into(), note.into()));
        self
    }

    /// The same about a text in which everything stands `by` bytes later; before its start there is
    /// nothing.
    #[must_use]
    pub fn moved(mut self, by: isize) -> Self {
        for span in self.related.iter_mut().map(|(span, _)| span).chain([&mut self.span]) {
            span.start = span.start.saturating_add_signed(by);
            span.end = span.end.saturating_add_signed(by);
        }
        self
    }
}

/// A text with a name to report it by.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// A file's path, or `formula` for one given on the command line.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// The number of the text's first line, from 1; a formula out of a file has that of its line.
    pub first_line: usize,
}

/// Several texts in one row of offsets: each text starts one byte after the end of the one before,
/// so that every place, an end of text included, belongs to one of them. A message about a formula
/// may so point at the model that it is about.
///
/// A text may be put together from pieces of several sources, as a model is that includes files.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    all: Vec<Source<'a>>,
    /// Invariant: starts ascend, the first is 0.
    pieces: Vec<Piece>,
    /// One byte after the end of the last text.
    end: usize,
}

/// A piece of a source in a text that is put together from pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The offset in the text at which the piece starts. It ends where the next one starts.
    pub start: usize,
    /// The number of the source.
    pub source: usize,
    /// The offset in the source at which the piece starts.
    pub from: usize,
}

/// Whether messages carry ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Off,
    /// ANSI escape sequences.
    On,
}

/// Cells between tab stops, as terminals have them.
const TAB: usize = 8;
/// Cells of a source line that are shown at most.
const WIDEST: usize = 120;

impl<'a> Source<'a> {
    /// A whole text.
    pub const fn new(name: &'a str, text: &'a str) -> Self {
        Source { name, text, first_line: 1 }
    }

    /// Line and column of an offset, both from 1; a column counts characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let (line, start) = self.line_start(offset);
        let column = self.text[start..self.clamp(offset)].chars().count() + 1;
        (self.first_line + line, column)
    }

    /// The message with its source lines underlined, ending in a newline:
    ///
    /// ```text
    /// error: expected a formula
    ///  --> formula:1:9
    ///   1 | G (p -> )
    ///     |         ^
    ///     = help: ...
    /// ```
    pub fn render(&self, diagnostic: &Diagnostic, colour: Colour) -> String {
        render(diagnostic, colour, &|span| (*self, span))
    }

    /// Appends the place, the line and the carets below it.
    fn excerpt(&self, out: &mut String, span: Span, margin: usize, paint: &dyn Fn(&str) -> String) {
        let (line, column) = self.position(span.start);
        let _ = writeln!(
            out,
            "{:>width$} {}:{line}:{column}",
            "-->",
            printable(self.name),
            width = margin + 1
        );
        let (shown, carets) = self.underlined(span);
        let _ = writeln!(out, "{line:>margin$} | {shown}");
        let _ = writeln!(
            out,
            "{:>margin$} | {:width$}{}",
            "",
            "",
            paint(&"^".repeat(carets.len())),
            width = carets.start
        );
    }

    /// The line of `span.start` as shown, and the cells that the carets take.
    fn underlined(&self, span: Span) -> (String, Range<usize>) {
        let (_, start) = self.line_start(span.start);
        let rest = &self.text[start..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let line = line.strip_suffix('\r').unwrap_or(line);
        // Twice over the line, and no memory for it: lines of many megabytes are rendered, too.
        let cells = || {
            let mut at = 0;
            line.char_indices().map(move |(offset, c)| {
                let cell = (start + offset, c, at, cells_of(c, at));
                at += cell.3;
                cell
            })
        };
        let (mut width, mut first, mut behind) = (0, None, None);
        for (offset, _, at, taken) in cells() {
            if offset >= span.start {
                first.get_or_insert(at);
            }
            if offset >= span.end {
                behind.get_or_insert(at);
            }
            width = at + taken;
        }
        let first = first.unwrap_or(width);
        let behind = behind.unwrap_or(width).max(first + 1);
        // If need be, a window that starts a third of its width before the place.
        let from = if width <= WIDEST { 0 } else { first.saturating_sub(WIDEST / 3) };
        let to = if width <= WIDEST { width } else { from + WIDEST };
        let (mut shown, mut skipped) = (String::new(), 0);
        for (_, c, at, taken) in cells() {
            if at >= from && at + taken <= to {
                match c {
                    '\t' => shown.extend(std::iter::repeat_n(' ', taken)),
                    c if is_unprintable(c) => shown.push('\u{fffd}'),
                    c => shown.push(c),
                }
            } else if at < from {
                skipped = at + taken;
            }
        }
        if width <= WIDEST {
            return (shown, first..behind);
        }
        let dots = if skipped > 0 { "..." } else { "" };
        let shift = |cell: usize| cell.saturating_sub(skipped) + dots.len();
        let tail = if width > to { "..." } else { "" };
        (format!("{dots}{shown}{tail}"), shift(first)..shift(behind.min(to)).max(shift(first) + 1))
    }

    /// The number of lines before the one with `offset`, and where that one starts.
    fn line_start(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.clamp(offset)];
        let line = before.matches('\n').count();
        (line, before.rfind('\n').map_or(0, |newline| newline + 1))
    }

    /// The nearest character boundary at or before `offset`, inside the text.
    fn clamp(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }
}

impl<'a> Sources<'a> {
    /// One text.
    pub fn new(first: Source<'a>) -> Self {
        let mut sources = Sources::default();
        sources.push(first);
        sources
    }

    /// One more text, after the others; where it starts.
    pub fn push(&mut self, next: Source<'a>) -> usize {
        self.push_pieces(&[next], &[Piece { start: 0, source: 0, from: 0 }], next.text.len())
    }

    /// One more text of this length, which is put together from pieces of these sources; where it
    /// starts.
    pub fn push_pieces(
        &mut self,
        sources: &[Source<'a>],
        pieces: &[Piece],
        length: usize,
    ) -> usize {
        let (start, before) = (self.end, self.all.len());
        self.all.extend(sources);
        self.pieces.extend(pieces.iter().map(|piece| Piece {
            start: start + piece.start,
            source: before + piece.source,
            from: piece.from,
        }));
        self.end = start + length + 1;
        start
    }

    /// The source that a place belongs to, by its number from 0, and the place in that source.
    ///
    /// # Panics
    /// Panics if there is no text.
    pub fn find(&self, span: Span) -> (usize, Span) {
        let next = self.pieces.partition_point(|piece| piece.start <= span.start);
        let Piece { start, source, from } = self.pieces[next - 1];
        let moved = |offset: usize| offset - start + from;
        (source, Span { start: moved(span.start), end: moved(span.end) })
    }

    /// As [`Source::render`], each place in its own text.
    pub fn render(&self, diagnostic: &Diagnostic, colour: Colour) -> String {
        render(diagnostic, colour, &|span| {
            let (number, span) = self.find(span);
            (self.all[number], span)
        })
    }
}

/// The message, each of its places drawn in the text that `find` says.
fn render<'a>(
    diagnostic: &Diagnostic,
    colour: Colour,
    find: &dyn Fn(Span) -> (Source<'a>, Span),
) -> String {
    let paint = |code: &str, text: &str| match colour {
        Colour::On => format!("\x1b[{code}m{text}\x1b[0m"),
        Colour::Off => text.to_owned(),
    };
    let (word, code) = match diagnostic.severity {
        Severity::Error => ("error", "1;31"),
        Severity::Warning => ("warning", "1;33"),
        Severity::Violated => ("violated", "1;31"),
    };
    let line = |span: Span| {
        let (source, span) = find(span);
        source.position(span.start).0
    };
    let last = diagnostic.related.iter().map(|(span, _)| line(*span));
    let last = last.chain([line(diagnostic.span)]).max().unwrap_or(1);
    let margin = last.to_string().len().max(3);
    let message = printable(&diagnostic.message);
    let mut out = format!("{}: {}\n", paint(code, word), paint("1", &message));
    let (source, span) = find(diagnostic.span);
    source.excerpt(&mut out, span, margin, &|text| paint(code, text));
    for (span, note) in &diagnostic.related {
        let _ = writeln!(out, "{}", paint("1;36", &format!("note: {}", printable(note))));
        let (source, span) = find(*span);
        source.excerpt(&mut out, span, margin, &|text| paint("1;36", text));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "{:margin$} {} {}", "", paint("1", "= help:"), printable(help));
    }
    out
}

/// The cells that a character takes in a terminal, if it stands in cell `at`.
fn cells_of(c: char, at: usize) -> usize {
    match c {
        '\t' => TAB - at % TAB,
        c if is_unprintable(c) => 1,
        c => c.width().unwrap_or(0),
    }
}

/// Control characters, and format characters that could reorder or hide what a terminal shows.
pub fn is_unprintable(c: char) -> bool {
    match c {
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// A character for messages: in backquotes, or by its number if it cannot be seen.
pub fn character(c: char) -> String {
    if is_unprintable(c) || c.is_whitespace() {
        format!("U+{:04X}", c as u32)
    } else {
        format!("`{c}`")
    }
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if is_unprintable(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_cannot_be_seen_have_numbers() {
        for (c, expected) in [
            ('#', "`#`"),
            ('日', "`日`"),
            ('\0', "U+0000"),
            (' ', "U+0020"),
            ('\u{a0}', "U+00A0"),
            ('\u{feff}', "U+FEFF"),
            ('\u{202e}', "U+202E"),
        ] {
            assert_eq!(character(c), expected);
        }
    }

    fn check(text: &str, span: Range<usize>, expected: &str) {
        let shown =
            Source::new("formula", text).render(&Diagnostic::error(span, "bad"), Colour::Off);
        assert_eq!(shown, format!("error: bad\n{expected}\n"));
    }

    #[test]
    fn every_place_belongs_to_one_text() {
        let mut sources = Sources::new(Source::new("a", "one\ntwo"));
        let starts = ["", "three"].map(|text| sources.push(Source::new("b", text)));
        assert_eq!(starts, [8, 9]);
        for (offset, expected) in
            [(0, (0, 0)), (6, (0, 6)), (7, (0, 7)), (8, (1, 0)), (9, (2, 0)), (14, (2, 5))]
        {
            let (number, span) = sources.find(Span::at(offset));
            assert_eq!((number, span.start), expected, "{offset}");
        }
        let wrong = Diagnostic::error(9..14, "bad").related(4..7, "see").related(8..8, "nothing");
        let expected = "error: bad\n --> b:1:1\n  1 | three\n    | ^^^^^\n\
                        note: see\n --> a:2:1\n  2 | two\n    | ^^^\n\
                        note: nothing\n --> b:1:1\n  1 | \n    | ^\n";
        assert_eq!(sources.render(&wrong, Colour::Off), expected);
    }

    #[test]
    fn a_text_of_pieces_is_shown_as_its_sources_are() {
        // `a` without its second line, for which all of `b` is put.
        let sources = [Source::new("a", "one\ninclude\ntwo"), Source::new("b", "x\ny")];
        let text = "one\n\nx\ny\n\ntwo";
        let pieces = [(0, 0, 0), (5, 1, 0), (9, 0, 11)];
        let pieces = pieces.map(|(start, source, from)| Piece { start, source, from });
        let mut row = Sources::new(Source::new("before", ""));
        assert_eq!(row.push_pieces(&sources, &pieces, text.len()), 1);
        assert_eq!(row.push(Source::new("c", "z")), 15);
        for (offset, expected) in [(0, (0, 0)), (3, (1, 2)), (6, (2, 0)), (8, (2, 2)), (15, (3, 0))]
        {
            let (number, span) = row.find(Span::at(offset));
            assert_eq!((number, span.start), expected, "{offset}");
        }
        let wrong = Diagnostic::error(8..9, "bad").related(11..14, "see");
        let expected = "error: bad\n --> b:2:1\n  2 | y\n    | ^\n\
                        note: see\n --> a:3:1\n  3 | two\n    | ^^^\n";
        assert_eq!(row.render(&wrong, Colour::Off), expected);
    }

    #[test]
    fn carets_stand_below_what_they_mean() {
        check("G (p -> )", 8..9, " --> formula:1:9\n  1 | G (p -> )\n    |         ^");
        check("a\r\nb c\r\nd", 5..6, " --> formula:2:3\n  2 | b c\n    |   ^");
        check("\tp & & q", 5..6, " --> formula:1:6\n  1 |         p & & q\n    |             ^");
        check("日本 & ?", 9..10, " --> formula:1:6\n  1 | 日本 & ?\n    |        ^");
        check("a U", 3..3, " --> formula:1:4\n  1 | a U\n    |    ^");
        check("", 0..0, " --> formula:1:1\n  1 | \n    | ^");
        check("a\u{7}b", 1..2, " --> formula:1:2\n  1 | a\u{fffd}b\n    |  ^");
        check("a & bcd", 4..7, " --> formula:1:5\n  1 | a & bcd\n    |     ^^^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}?{}", "(".repeat(10_000), ")".repeat(10_000));
        let source = Source::new("formula", &text);
        let shown = source.render(&Diagnostic::error(10_000..10_001, "bad"), Colour::Off);
        let lines: Vec<_> = shown.lines().collect();
        assert!(lines[2].len() < 150, "{shown}");
        let caret = lines[3].find('^').expect("there is a caret");
        assert_eq!(lines[2].as_bytes()[caret], b'?', "{shown}");
    }

    #[test]
    fn related_places_and_help_follow() {
        let source = Source { first_line: 7, ..Source::new("f.ltl", "a b") };
        let diagnostic = Diagnostic::error(2..3, "two").related(0..1, "one").help("three");
        assert_eq!(
            source.render(&diagnostic, Colour::Off),
            "error: two\n --> f.ltl:7:3\n  7 | a b\n    |   ^\nnote: one\n --> f.ltl:7:1\n  7 | a b\n    | ^\n    = help: three\n"
        );
        assert!(source.render(&diagnostic, Colour::On).contains("\x1b[1;31merror\x1b[0m"));
    }
}
