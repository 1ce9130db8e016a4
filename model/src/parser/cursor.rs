//! The state of the parser: its position among the tokens, and the errors so far.
//!
//! An error is recorded where it is found, and [`Reported`] is returned to a caller that can
//! continue after it ([`recovery`](super::recovery)). One mistake gives one message: a second error
//! about the token of the last one, or about the token where parsing continued, is dropped.

use super::advice;
use super::lexer::{Symbol, Token, TokenKind};
use super::words::{Block, Keyword, is_listed, spelt};
use super::{ERROR_LIMIT, NESTING_LIMIT};
use crate::syntax::{Name, Place, Text};
use ltl::{Diagnostic, Span};

/// The mark of a failed parse whose error has been recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// The result of a parsing function.
pub(super) type Parse<T> = Result<T, Reported>;

/// A block whose `end` has not been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub(super) block: Block,
    /// The span of its first word.
    pub(super) place: Span,
}

/// The parser. Its parsing functions are in the modules named after what they parse.
#[derive(Debug)]
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    /// The tokens. The last one is [`TokenKind::End`], which is never passed.
    pub(super) tokens: &'t [Token],
    /// The index of the next token.
    pub(super) at: usize,
    pub(super) errors: Vec<Diagnostic>,
    /// The token about which no further error is reported.
    pub(super) complained: Option<usize>,
    /// The open blocks, outermost first.
    pub(super) blocks: Vec<Opened>,
    /// The number of blocks of the last item that were left without their `end`.
    pub(super) unclosed: usize,
    /// The last `else if` since the start of the item.
    pub(super) else_if: Option<Span>,
    /// The current nesting depth of parsing functions that may contain themselves.
    depth: u32,
    /// The height of the last expression that was parsed.
    pub(super) height: u32,
    /// Whether parsing has stopped: nothing more is parsed or reported.
    is_stopped: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token], at: usize) -> Self {
        Parser {
            text,
            tokens,
            at,
            errors: Vec::new(),
            complained: None,
            blocks: Vec::new(),
            unclosed: 0,
            else_if: None,
            depth: 0,
            height: 0,
            is_stopped: false,
        }
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `ahead` of the next one.
    pub(super) fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// The span of the next token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The next token as written.
    pub(super) fn word(&self) -> &'t str {
        self.word_ahead(0)
    }

    /// The token `ahead` of the next one, as written.
    pub(super) fn word_ahead(&self, ahead: usize) -> &'t str {
        self.tokens
            .get(self.at + ahead)
            .map_or("", |token| &self.text[token.span.start..token.span.end])
    }

    /// The last token, as written.
    pub(super) fn word_before(&self) -> Option<&'t str> {
        let span = self.tokens[self.at.checked_sub(1)?].span;
        Some(&self.text[span.start..span.end])
    }

    /// Whether the token `ahead` of the next one is this name, in upper or lower case.
    pub(super) fn is_word_ahead(&self, ahead: usize, word: &str) -> bool {
        debug_assert!(is_listed(word), "`{word}` is not in the tables of words");
        self.kind_ahead(ahead) == TokenKind::Name
            && self.word_ahead(ahead).eq_ignore_ascii_case(word)
    }

    /// Whether the next token is this name, in upper or lower case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_ahead(0, word)
    }

    pub(super) fn is(&self, symbol: Symbol) -> bool {
        self.kind() == TokenKind::Symbol(symbol)
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    /// Moves after the next token, except at the end.
    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Moves after the next token if it is this symbol.
    pub(super) fn take(&mut self, symbol: Symbol) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Moves after the next token if it is this keyword.
    pub(super) fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// Moves after the next token if it is this name, in upper or lower case.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Moves after any number of semicolons.
    pub(super) fn semicolons(&mut self) {
        while self.take(Symbol::Semicolon) {}
    }

    /// The span from `start` to the end of the last token.
    pub(super) fn place(&self, start: usize) -> Place {
        let end = self.at.checked_sub(1).map_or(0, |last| self.tokens[last].span.end);
        Place(Span { start, end: end.max(start) })
    }

    /// Records an error about the next token or about the text just before it.
    pub(super) fn report(&mut self, error: Diagnostic) -> Reported {
        if !self.is_stopped && self.complained != Some(self.at) {
            self.errors.push(error);
            if self.errors.len() > ERROR_LIMIT {
                self.stop();
            }
        }
        self.complained = Some(self.at);
        Reported
    }

    /// Moves to the end of the text and stops.
    fn stop(&mut self) {
        self.is_stopped = true;
        self.at = self.tokens.len() - 1;
    }

    /// Records an error: something else was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let error = self.wrong(expected);
        self.report(error)
    }

    /// The error that something else was expected, with advice.
    #[cold]
    pub(super) fn wrong(&self, expected: &str) -> Diagnostic {
        let error = match self.kind() {
            TokenKind::Real => Diagnostic::error(self.span(), "real types are not supported")
                .help("numbers are integers: scale them"),
            TokenKind::Keyword(Keyword::Real) => {
                Diagnostic::error(self.span(), "real types are not supported")
                    .help("numbers are integers: use a range such as 0..100")
            }
            _ => {
                let message = format!("expected {expected}, found {}", self.found());
                Diagnostic::error(self.span(), message)
            }
        };
        match advice::of(self) {
            Some(help) if error.help.is_none() => error.help(help),
            _ => error,
        }
    }

    /// The next token, described for messages.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Text => "a string".to_owned(),
            TokenKind::Foreign | TokenKind::Symbol(Symbol::FileSeparator) => {
                self.word().chars().map(ltl::source::character).collect()
            }
            _ => format!("`{}`", shortened(self.word())),
        }
    }

    /// Moves after a symbol; reports an error if it is not next.
    pub(super) fn expect(&mut self, symbol: Symbol, expected: &str) -> Parse<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Moves after a closing parenthesis, bracket or brace; `opening` is the span of its partner.
    pub(super) fn expect_closing(
        &mut self,
        symbol: Symbol,
        expected: &str,
        opening: Span,
    ) -> Parse<()> {
        if self.take(symbol) {
            return Ok(());
        }
        let mut error = self.wrong(expected).related(opening, "opened here");
        if self.is(Symbol::Assign) {
            // The closing partner is missing: the assignment may be intended.
            error.help = None;
        }
        Err(self.report(error))
    }

    /// Parses a name; reports an error if there is none.
    pub(super) fn name(&mut self, expected: &str) -> Parse<Name> {
        match self.kind() {
            TokenKind::Name => Ok(self.take_name()),
            TokenKind::Keyword(_) => {
                let word = self.word();
                let message = format!("expected {expected}, found the keyword `{word}`");
                let error = Diagnostic::error(self.span(), message);
                Err(self.report(error.help("keywords are reserved, in upper and lower case")))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// The next token as a name.
    pub(super) fn take_name(&mut self) -> Name {
        let name = Name { text: spelt(self.word()).to_owned(), place: Place(self.span()) };
        self.advance();
        name
    }

    /// The name of a rule, a start state or a property, if one is next. A name without quotes is
    /// reported and skipped.
    pub(super) fn optional_title(&mut self) -> Option<Text> {
        // No statement and no expression but `count` and `sum` starts with two words.
        let follows = matches!(
            self.kind_ahead(1),
            TokenKind::Name
                | TokenKind::Number
                | TokenKind::Keyword(Keyword::Forall | Keyword::Exists)
        );
        // Unless one of them is an operator in other languages: then there is better advice.
        let is_operator =
            advice::is_operator(self.word()) || advice::is_operator(self.word_ahead(1));
        let is_name = self.kind() == TokenKind::Name && self.total_at(self.at).is_none();
        if is_name && follows && !is_operator {
            self.refuse_unquoted();
            return None;
        }
        self.optional_text()
    }

    /// Reports a word that should be a name in quotes, and skips it.
    pub(super) fn refuse_unquoted(&mut self) {
        let word = self.word();
        let error =
            Diagnostic::error(self.span(), format!("expected a name in quotes, found `{word}`"));
        let error = error.help(format!("write `\"{word}\"`"));
        self.report(error);
        self.advance();
    }

    /// A string, if one is next.
    pub(super) fn optional_text(&mut self) -> Option<Text> {
        (self.kind() == TokenKind::Text).then(|| {
            let text = super::lexer::unquoted(self.word());
            let place = Place(self.span());
            self.advance();
            Text { text, place }
        })
    }

    /// Begins to parse a construct that may contain itself, unless it is nested too deeply.
    pub(super) fn enter(&mut self) -> Parse<()> {
        if self.depth >= NESTING_LIMIT {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends the construct that [`enter`](Self::enter) began.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Sets the height of the expression that has just been read, unless the tree is too high.
    pub(super) fn set_height(&mut self, height: u32) -> Parse<()> {
        self.height = height;
        if self.depth + height > NESTING_LIMIT { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Stops parsing: the rest would be nested too deeply as well.
    #[cold]
    fn too_deep(&mut self) -> Reported {
        let message = format!("this is nested more than {NESTING_LIMIT} levels deep");
        let help = "a chain of operators counts a level for each: use functions, or parentheses \
                    that make halves";
        self.complained = None;
        let reported = self.report(Diagnostic::error(self.span(), message).help(help));
        self.stop();
        reported
    }
}

/// A token for messages, not longer than a line can hold.
pub(super) fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    match word.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.to_owned(),
    }
}
