//! Blocks and their ends, and where parsing continues after an error.
//!
//! Parsing continues at the next item or statement: from the first token of the one with the error,
//! the blocks that it opens and closes are counted, up to a `;` or an `end` that is not its own, or
//! to a word that cannot occur inside a body.

use super::cursor::{Opened, Parser};
use super::lexer::{Symbol, TokenKind};
use super::words::{Block, Keyword};

impl Parser<'_> {
    /// Moves after the word that opens a block.
    pub(super) fn open(&mut self, block: Block) -> Opened {
        let opened = Opened { block, place: self.span() };
        self.blocks.push(opened);
        self.advance();
        opened
    }

    /// Moves after the `end` of the innermost block. A wrong or missing `end` is reported, and
    /// parsing continues as if it were there.
    pub(super) fn close(&mut self) {
        let opened = self.blocks.pop().expect("who closes a block has opened it");
        match self.kind() {
            TokenKind::Keyword(Keyword::End) => self.advance(),
            TokenKind::Keyword(Keyword::EndOf(other)) => {
                if opened.block.is_closed_by(other) {
                    self.advance();
                    return;
                }
                self.missing_end(opened);
                // The word of an outer block is left for that block.
                if self.blocks.iter().any(|outer| outer.block.is_closed_by(other)) {
                    self.unclosed += 1;
                } else {
                    self.advance();
                }
            }
            TokenKind::Name if self.is_own_end(opened.block) => self.advance(),
            _ => {
                self.missing_end(opened);
                self.unclosed += 1;
            }
        }
    }

    /// Whether the end of this block is next and is a name: `endprocess` and `endchoose` are not
    /// keywords.
    fn is_own_end(&self, block: Block) -> bool {
        let word = match block {
            Block::Process => "endprocess",
            Block::Choose => "endchoose",
            _ => return false,
        };
        self.is_word(word)
    }

    #[cold]
    fn missing_end(&mut self, opened: Opened) {
        let word = opened.block.word();
        let expected = match self.kind() {
            TokenKind::Keyword(Keyword::EndOf(_)) => format!("`end` or `end{word}`"),
            _ => "`end`".to_owned(),
        };
        let error = self.wrong(&expected).related(opened.place, format!("to close this `{word}`"));
        let error = match self.else_if {
            Some(place) if place.start >= opened.place.start => error
                .related(place, "`else if` opens another `if`, which needs an `end` of its own")
                .help("write `elsif`"),
            _ if self.is_keyword(Keyword::Liveness) => {
                error.help("`liveness` is a property of the model, not a statement")
            }
            _ if is_section(self.kind()) => {
                error.help("the declarations of a body stand before its `begin`")
            }
            _ => error,
        };
        self.report(error);
    }

    /// Whether the next token ends a list of statements or rules.
    pub(super) fn is_end(&self) -> bool {
        match self.kind() {
            TokenKind::End | TokenKind::Keyword(Keyword::End | Keyword::EndOf(_)) => true,
            TokenKind::Name => {
                self.blocks.last().is_some_and(|opened| self.is_own_end(opened.block))
            }
            _ => false,
        }
    }

    /// Skips a statement that cannot be parsed, whose first token is `start`: to its `;`, to the
    /// end of the enclosing block, or to a token that cannot be part of it.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let is_beginning = |token: usize, parser: &Self| match parser.tokens[token].kind {
            TokenKind::Symbol(Symbol::Semicolon) => true,
            TokenKind::Keyword(keyword) => {
                matches!(keyword, Keyword::Else | Keyword::Elsif | Keyword::Case)
            }
            _ => false,
        };
        self.skip(start, is_beginning);
    }

    /// Skips a declaration that cannot be parsed: as for statements, or to the next section or
    /// item. It always moves after `start`.
    pub(super) fn skip_declaration(&mut self, start: usize) {
        let is_beginning = |token: usize, parser: &Self| match parser.tokens[token].kind {
            TokenKind::Symbol(Symbol::Semicolon) | TokenKind::Keyword(Keyword::Begin) => true,
            _ => parser.is_item(token),
        };
        self.skip(start, is_beginning);
        if self.at == start {
            self.advance();
        }
    }

    /// Skips an item that cannot be parsed, whose first token is `start`.
    pub(super) fn skip_item(&mut self, start: usize) {
        self.skip(start, |token, parser| {
            parser.tokens[token].kind == TokenKind::Symbol(Symbol::Semicolon)
                || parser.is_item(token)
        });
    }

    /// Whether a token starts an item.
    fn is_item(&self, token: usize) -> bool {
        match self.tokens[token].kind {
            // Except where the keyword is used as a name: `type = 1`.
            kind if is_section(kind) => {
                !matches!(self.tokens[token + 1].kind, TokenKind::Symbol(symbol) if symbol != Symbol::Semicolon)
            }
            TokenKind::Keyword(keyword) => {
                is_outermost(keyword)
                    || matches!(
                        keyword,
                        Keyword::Invariant
                            | Keyword::Assert
                            | Keyword::Assume
                            | Keyword::Cover
                            | Keyword::Alias
                    )
            }
            TokenKind::Name => self.is_contextual_item(token),
            _ => false,
        }
    }

    /// Moves to the first token for which `is_beginning` holds outside of all blocks that have been
    /// opened since `start`; to an `end` that closes none of them; or to a word that cannot occur
    /// inside any.
    fn skip(&mut self, start: usize, is_beginning: impl Fn(usize, &Self) -> bool) {
        let mut depth = 0_usize;
        let mut token = start;
        loop {
            let kind = self.tokens[token].kind;
            if token >= self.at && token > start {
                let outermost =
                    matches!(kind, TokenKind::Keyword(keyword) if is_outermost(keyword));
                if kind == TokenKind::End || outermost || depth == 0 && is_beginning(token, self) {
                    break;
                }
            }
            match kind {
                TokenKind::Keyword(Keyword::End | Keyword::EndOf(_)) => {
                    if depth == 0 && token >= self.at {
                        break;
                    }
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Keyword(keyword) if opens(keyword) => depth += 1,
                TokenKind::Name if self.is_contextual_block(token) => depth += 1,
                TokenKind::End => break,
                _ => {}
            }
            token += 1;
        }
        self.at = token;
        self.complained = (!self.is(Symbol::Semicolon)).then_some(token);
    }

    /// Moves forward to this keyword, if it comes before the end of the statement or item; returns
    /// whether it does.
    pub(super) fn skip_to(&mut self, keyword: Keyword) -> bool {
        let mut token = self.at;
        let found = loop {
            match self.tokens[token].kind {
                TokenKind::Keyword(found) if found == keyword => break true,
                TokenKind::Keyword(Keyword::End | Keyword::EndOf(_) | Keyword::Begin)
                | TokenKind::End => {
                    break false;
                }
                TokenKind::Keyword(found) if is_outermost(found) => break false,
                TokenKind::Symbol(Symbol::Assign | Symbol::Arrow) if keyword != Keyword::Do => {
                    break false;
                }
                _ => token += 1,
            }
        };
        if found {
            self.at = token;
        }
        found
    }

    /// Moves after `then` or `do`, which follows `opened`. If it is missing, parsing continues as
    /// if it were there.
    pub(super) fn expect_word(&mut self, keyword: Keyword, word: &str, opened: Opened) {
        if self.take_keyword(keyword) {
            return;
        }
        let error = self.wrong(&format!("`{word}`"));
        self.report(error.related(opened.place, format!("behind this `{}`", opened.block.word())));
        let is_statement = match self.kind() {
            TokenKind::Name => true,
            TokenKind::Keyword(keyword) => is_statement(keyword) || is_outermost(keyword),
            _ => self.is_end(),
        };
        // `do` for `then`, and vice versa.
        let is_other = self.is_keyword(Keyword::Do) || self.is_keyword(Keyword::Then);
        if is_other || !is_statement && self.skip_to(keyword) {
            self.advance();
        }
    }
}

/// Whether a token starts a section of declarations.
pub(super) fn is_section(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Keyword(Keyword::Const | Keyword::Type | Keyword::Var))
}

/// Whether a keyword starts a statement.
pub(super) fn is_statement(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Alias
            | Keyword::Assert
            | Keyword::Assume
            | Keyword::Clear
            | Keyword::Cover
            | Keyword::Error
            | Keyword::For
            | Keyword::If
            | Keyword::Invariant
            | Keyword::Put
            | Keyword::Return
            | Keyword::Switch
            | Keyword::Undefine
            | Keyword::While
    )
}

/// Whether a keyword starts an item and nothing else.
pub(super) fn is_outermost(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Function
            | Keyword::Liveness
            | Keyword::Procedure
            | Keyword::Rule
            | Keyword::Ruleset
            | Keyword::Startstate
    )
}

/// Whether a keyword opens a block.
fn opens(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Alias
            | Keyword::Exists
            | Keyword::For
            | Keyword::Forall
            | Keyword::Function
            | Keyword::If
            | Keyword::Procedure
            | Keyword::Record
            | Keyword::Rule
            | Keyword::Ruleset
            | Keyword::Startstate
            | Keyword::Switch
            | Keyword::While
    )
}
