//! Parses temporal properties: `ltl`, `justice`, `compassion`.
//!
//! The formula of an `ltl` property is kept as text, because it is parsed when the names of the
//! model are known. Its words alone determine where it ends: [`Parser::formula_end`].

use super::cursor::{Parse, Parser, Reported};
use super::lexer::{Symbol, Token, TokenKind};
use super::recovery::is_outermost;
use super::words::Keyword;
use crate::syntax::{Fairness, Ltl, Over, Place, RuleKind, Text, Tracked, Under};
use ltl::{Diagnostic, Span};

/// The kinds of fairness, by their words.
const FAIRNESS: [(&str, Fairness); 4] = [
    ("none", Fairness::None),
    ("weak", Fairness::Weak),
    ("strong", Fairness::Strong),
    ("global", Fairness::Global),
];

/// Temporal operators that are words: all of them precede an operand.
const OPERATORS: [&str; 8] = ["U", "W", "R", "M", "V", "X", "F", "G"];

/// Those of them between two operands.
const BETWEEN: &[&str] = OPERATORS.split_at(5).0;

impl Parser<'_> {
    /// `"name": forall c: T.`; the keyword before it is the next token.
    fn heading(&mut self) -> Parse<(Option<Text>, Vec<Tracked>)> {
        self.advance();
        let name = match (self.kind(), self.kind_ahead(1)) {
            (TokenKind::Name, TokenKind::Symbol(Symbol::Colon)) => {
                self.refuse_unquoted();
                None
            }
            _ if self.is_quoted_atom() => None,
            _ => self.optional_text(),
        };
        self.take(Symbol::Colon);
        Ok((name, self.tracked()?))
    }

    /// Whether the next string is not a name but the first atom of a formula: it is followed by an
    /// operator between two formulas, or by the end.
    fn is_quoted_atom(&self) -> bool {
        self.kind() == TokenKind::Text
            && match self.kind_ahead(1) {
                TokenKind::Symbol(symbol) => !matches!(
                    symbol,
                    Symbol::Colon
                        | Symbol::OpenParenthesis
                        | Symbol::OpenBracket
                        | Symbol::Diamond
                        | Symbol::Not
                        | Symbol::Tilde
                        | Symbol::Plus
                        | Symbol::Minus
                ),
                TokenKind::Name => {
                    self.is_under_at(self.at + 1) || BETWEEN.contains(&self.word_ahead(1))
                }
                TokenKind::Keyword(keyword) => {
                    !matches!(keyword, Keyword::Forall | Keyword::Exists)
                }
                TokenKind::End => true,
                _ => false,
            }
    }

    /// Whether this text, behind `ltl`, is read as a formula without a name only if there is a colon
    /// between the two: it begins with a string or a word that would be a name, also one before a brace, or
    /// with a colon.
    pub(super) fn needs_colon(&self) -> bool {
        let is_next = |symbol| self.kind_ahead(1) == TokenKind::Symbol(symbol);
        match self.kind() {
            TokenKind::Text => !self.is_quoted_atom() || is_next(Symbol::OpenBrace),
            TokenKind::Name => is_next(Symbol::Colon) || is_next(Symbol::OpenBrace),
            kind => kind == TokenKind::Symbol(Symbol::Colon),
        }
    }

    #[inline(never)]
    pub(super) fn justice(&mut self) -> Parse<RuleKind> {
        let (name, tracked) = self.heading()?;
        Ok(RuleKind::Justice { name, tracked, condition: self.expression()? })
    }

    #[inline(never)]
    pub(super) fn compassion(&mut self) -> Parse<RuleKind> {
        let (name, tracked) = self.heading()?;
        let opening = self.span();
        self.expect(Symbol::OpenParenthesis, "`(` and two conditions: `(p, q)`")?;
        let premise = self.expression()?;
        self.expect(Symbol::Comma, "an operator or `,`")?;
        let conclusion = self.expression()?;
        let expected = "an operator or `)`";
        self.expect_closing(Symbol::CloseParenthesis, expected, opening)?;
        Ok(RuleKind::Compassion { name, tracked, premise, conclusion })
    }

    #[inline(never)]
    pub(super) fn ltl(&mut self) -> Parse<Ltl> {
        let first = self.at;
        let is_braced = |ahead| self.kind_ahead(ahead) == TokenKind::Symbol(Symbol::OpenBrace);
        if matches!(self.kind_ahead(1), TokenKind::Name | TokenKind::Text) && is_braced(2) {
            return Err(self.refuse_braces());
        }
        let (name, tracked) = self.heading()?;
        self.formula(first, name, tracked)
    }

    /// Refuses `ltl name { formula }`, which is how Promela writes it, and moves behind the brace.
    #[cold]
    fn refuse_braces(&mut self) -> Reported {
        self.advance();
        let name = self.word().trim_matches('"');
        self.advance();
        let error = self.wrong("`:` and a formula");
        let help = format!("write `ltl \"{name}\": formula;`, without braces");
        let reported = self.report(error.help(help));
        let is_end = |kind| {
            matches!(
                kind,
                TokenKind::Symbol(Symbol::CloseBrace | Symbol::Semicolon) | TokenKind::End
            )
        };
        while !is_end(self.kind()) {
            self.advance();
        }
        self.take(Symbol::CloseBrace);
        reported
    }

    /// Parses a property without a name that is the whole text.
    pub(super) fn question(&mut self) -> Parse<Ltl> {
        let first = self.at;
        let tracked = self.tracked()?;
        let found = self.formula(first, None, tracked)?;
        if self.kind() != TokenKind::End {
            return Err(self.unexpected("an operator or the end of the formula"));
        }
        Ok(found)
    }

    /// A formula with its fairness; the property starts with the token `first`.
    fn formula(&mut self, first: usize, name: Option<Text>, tracked: Vec<Tracked>) -> Parse<Ltl> {
        let alternatives = self.alternatives()?;
        let mut end = self.formula_end();
        // A quantifier without its `do` takes a `;` for a part of itself. The last one belongs to the
        // item, as that of every property does.
        while end > self.at && self.tokens[end - 1].kind == TokenKind::Symbol(Symbol::Semicolon) {
            end -= 1;
        }
        if end == self.at {
            return Err(self.unexpected("a formula"));
        }
        let tokens = &self.tokens[self.at..end];
        let place = Span { start: tokens[0].span.start, end: tokens[tokens.len() - 1].span.end };
        let formula = joined(self.text, tokens);
        self.refuse_long_arrow(first, place.end);
        self.at = end;
        let under = if self.is_under() { Some(self.under()?) } else { None };
        Ok(Ltl { name, tracked, alternatives, formula, place: Place(place), under })
    }

    /// Refuses `a --> b`, which is not an implication: the text after `--` is a comment. The property
    /// starts with the token `first`, and its formula ends at `end`.
    fn refuse_long_arrow(&mut self, first: usize, end: usize) {
        let place = Span { start: self.tokens[first].span.start, end };
        let line_end = |from: usize| {
            self.text[from..].find(['\r', '\n']).map_or(self.text.len(), |length| from + length)
        };
        // The comment may follow the last word of the formula on the same line.
        let inside = &self.text[place.start..line_end(place.end)];
        let Some(found) = inside.find("-->") else { return };
        let start = place.start + found;
        // Not if it is part of a string or of a comment that starts before it.
        let in_string = self.tokens[first..]
            .iter()
            .take_while(|token| token.span.start <= start)
            .any(|token| token.span.end > start);
        let in_comment =
            inside[..found].rfind('\n').map_or(&inside[..found], |line| &inside[line..found]);
        if in_string || in_comment.contains("--") || in_comment.contains("/*") {
            return;
        }
        let error = Diagnostic::error(start..start + 3, "`--` starts a comment here");
        self.report(
            error.help("implication is written `->`; put a blank before the `>` of a comment"),
        );
    }

    /// The token after a formula that starts here: a `;`, `under` with a kind of fairness, an `end`
    /// or a word that starts an item. A `;` between a quantifier and its `do` is part of the
    /// formula; so is an `end` after that `do`.
    fn formula_end(&self) -> usize {
        let (mut parentheses, mut pending, mut blocks) = (0_usize, 0_usize, 0_usize);
        for (offset, token) in self.tokens[self.at..].iter().enumerate() {
            let index = self.at + offset;
            match token.kind {
                TokenKind::End => return index,
                TokenKind::Symbol(symbol) => match symbol {
                    Symbol::OpenParenthesis | Symbol::OpenBracket | Symbol::OpenBrace => {
                        parentheses += 1;
                    }
                    Symbol::CloseParenthesis | Symbol::CloseBracket | Symbol::CloseBrace => {
                        parentheses = parentheses.saturating_sub(1);
                    }
                    Symbol::Semicolon if pending == 0 => return index,
                    Symbol::FileSeparator => return index,
                    _ => {}
                },
                TokenKind::Keyword(keyword) => match keyword {
                    Keyword::Forall | Keyword::Exists => pending += 1,
                    Keyword::Record if pending > 0 => blocks += 1,
                    Keyword::Do if pending > 0 => {
                        pending -= 1;
                        blocks += 1;
                    }
                    Keyword::End | Keyword::EndOf(_) if blocks > 0 => blocks -= 1,
                    Keyword::End | Keyword::EndOf(_) => return index,
                    _ if is_item(keyword) => return index,
                    _ => {}
                },
                TokenKind::Name if self.total_at(index).is_some() => pending += 1,
                TokenKind::Name if parentheses == 0 && pending == 0 && self.is_under_at(index) => {
                    return index;
                }
                TokenKind::Name if pending == 0 && self.is_next_item(index) => return index,
                _ => {}
            }
        }
        self.tokens.len() - 1
    }

    /// Whether the name `token`, inside a formula, starts the next item: it does not follow an
    /// operator, or a string follows it.
    fn is_next_item(&self, token: usize) -> bool {
        if token == self.at || !self.is_contextual_item(token) {
            return false;
        }
        let before = self.tokens[token - 1];
        let is_operand = match before.kind {
            TokenKind::Name => !OPERATORS.contains(&&self.text[before.span.start..before.span.end]),
            TokenKind::Number | TokenKind::Text => true,
            TokenKind::Keyword(keyword) => matches!(keyword, Keyword::End | Keyword::EndOf(_)),
            TokenKind::Symbol(symbol) => {
                matches!(symbol, Symbol::CloseParenthesis | Symbol::CloseBracket)
            }
            TokenKind::Foreign => {
                before.span.end - before.span.start == 1 && {
                    // `@grant(_)` ends with a parenthesis; a lone `_` is a mistake, not an
                    // operator.
                    &self.text[before.span.start..before.span.end] == "_"
                }
            }
            TokenKind::Real | TokenKind::End => false,
        };
        is_operand || self.tokens[token + 1].kind == TokenKind::Text
    }

    pub(super) fn is_under(&self) -> bool {
        self.is_under_at(self.at)
    }

    /// Whether `under none|weak|strong|global` is at `token`.
    fn is_under_at(&self, token: usize) -> bool {
        let ahead = token - self.at;
        self.is_word_ahead(ahead, "under")
            && FAIRNESS.iter().any(|(word, _)| self.is_word_ahead(ahead + 1, word))
    }

    /// `under strong fairness over events`
    pub(super) fn under(&mut self) -> Parse<Under> {
        let start = self.span().start;
        self.advance();
        let kinds = FAIRNESS.iter().find(|(word, _)| self.is_word(word));
        let Some(&(word, kind)) = kinds else {
            return Err(self.unexpected("`none`, `weak`, `strong` or `global`"));
        };
        self.advance();
        if !self.take_word("fairness") {
            return Err(self.unexpected("`fairness`"));
        }
        let behind = self.span();
        let over = if !self.take_word("over") {
            None
        } else if self.take_word("processes") || self.take_word("process") {
            Some(Over::Processes)
        } else if self.take_word("events") || self.take_word("event") {
            Some(Over::Events)
        } else {
            return Err(self.unexpected("`processes` or `events`"));
        };
        let place = self.place(start);
        if over.is_some() && matches!(kind, Fairness::None | Fairness::Global) {
            let message = format!("`over` means nothing with {word} fairness");
            let error = Diagnostic::error(Span { start: behind.start, end: place.0.end }, message);
            self.report(error.help("leave it out; weak and strong fairness are over something"));
        }
        Ok(Under { kind, over, place })
    }
}

/// Keywords that start an item.
fn is_item(keyword: Keyword) -> bool {
    is_outermost(keyword)
        || matches!(
            keyword,
            Keyword::Alias
                | Keyword::Assert
                | Keyword::Assume
                | Keyword::Const
                | Keyword::Cover
                | Keyword::Invariant
                | Keyword::Type
                | Keyword::Var
        )
}

/// The tokens, with one blank wherever they are not adjacent.
fn joined(text: &str, tokens: &[Token]) -> String {
    let mut joined = String::new();
    let mut end = None;
    for token in tokens {
        if end.is_some_and(|end| end < token.span.start) {
            joined.push(' ');
        }
        joined.push_str(&text[token.span.start..token.span.end]);
        end = Some(token.span.end);
    }
    joined
}
