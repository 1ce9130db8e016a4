//! Where comments go.
//!
//! The printer asks for the comments before a place of the source each time it starts a line. A
//! comment that stood behind something on its line, and that something is on the line which has
//! been printed last, is appended to it; any other gets a line of its own. A line that ends with
//! a `--` comment takes no more.

use super::Printer;
use crate::syntax::Comment;

/// The comments that are still to be printed.
pub(super) struct Comments<'m> {
    /// In order.
    pending: &'m [Comment],
    /// Where that ends in the source which the last line was printed for. A comment belongs to it
    /// if its own line starts before.
    last: usize,
    /// The last line ends with a comment to the end of the line.
    is_closed: bool,
    /// An empty line is to be printed before what follows.
    pub(super) is_blank_wanted: bool,
}

impl<'m> Comments<'m> {
    pub(super) fn new(pending: &'m [Comment]) -> Self {
        Comments { pending, last: 0, is_closed: false, is_blank_wanted: false }
    }

    /// The last line was printed for something that ends here in the source.
    pub(super) fn follows(&mut self, end: usize) {
        self.last = end;
        self.is_closed = false;
    }

    /// The last line was printed for something that ends nobody knows where: every comment behind
    /// something belongs to it.
    pub(super) fn follows_all(&mut self) {
        self.follows(usize::MAX);
    }

    /// No comment belongs to the last line.
    pub(super) fn follows_nothing(&mut self) {
        self.follows(0);
    }

    /// Whether a comment stands before `end`.
    pub(super) fn is_before(&self, end: usize) -> bool {
        self.pending.first().is_some_and(|comment| comment.place.0.start < end)
    }
}

impl Printer<'_> {
    /// Prints the comments that stand before this place of the source.
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

    /// Prints the comments before this place that belong to the last line.
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
