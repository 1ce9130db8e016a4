//! The placement of comments.
//!
//! Whenever the printer starts a line, it prints the comments before a position of the source. A
//! comment that followed text on its line is appended to the last printed line, if that has this
//! text; any other gets its own line. A line that ends with a `--` comment takes no more.

use super::Printer;
use crate::syntax::Comment;

/// The comments that are still to be printed.
pub(super) struct Comments<'m> {
    /// The comments, in order.
    pending: &'m [Comment],
    /// The end, in the source, of the text for which the last line was printed. A comment belongs
    /// to that line if its own line starts before this offset.
    last: usize,
    /// Whether the last line ends with a comment to the end of the line.
    is_closed: bool,
    /// Whether an empty line is printed before the next text.
    pub(super) is_blank_wanted: bool,
}

impl<'m> Comments<'m> {
    pub(super) fn new(pending: &'m [Comment]) -> Self {
        Comments { pending, last: 0, is_closed: false, is_blank_wanted: false }
    }

    /// Records that the last line was printed for source text that ends here.
    pub(super) fn follows(&mut self, end: usize) {
        self.last = end;
        self.is_closed = false;
    }

    /// Records that the last line was printed for source text with an unknown end: every comment
    /// that follows other text on its line belongs to it.
    pub(super) fn follows_all(&mut self) {
        self.follows(usize::MAX);
    }

    /// Records that no comment belongs to the last line.
    pub(super) fn follows_nothing(&mut self) {
        self.follows(0);
    }

    /// Whether the next comment is before `end`.
    pub(super) fn is_before(&self, end: usize) -> bool {
        self.pending.first().is_some_and(|comment| comment.place.0.start < end)
    }
}

impl Printer<'_> {
    /// Prints the comments before this position of the source.
    pub(super) fn comments_before(&mut self, place: usize) {
        self.trailing_comments(place);
        if std::mem::take(&mut self.comments.is_blank_wanted) {
            self.out.push_str("\n\n");
        }
        while self.comments.is_before(place) {
            let pending = self.comments.pending;
            self.comments.pending = &pending[1..];
            self.new_line();
            self.out.push_str(&pending[0].text);
            self.comments.follows_nothing();
            self.comments.is_closed = true;
        }
    }

    /// Prints the comments before this position that belong to the last line.
    pub(super) fn trailing_comments(&mut self, place: usize) {
        while self.comments.is_before(place) && !self.comments.is_closed && !self.out.is_empty() {
            let pending = self.comments.pending;
            let (comment, line) = (&pending[0], pending[0].line.0);
            let is_behind = line.start < line.end && line.start < self.comments.last;
            if !is_behind {
                return;
            }
            self.comments.pending = &pending[1..];
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.comments.is_closed = comment.text.starts_with("--");
        }
    }
}
