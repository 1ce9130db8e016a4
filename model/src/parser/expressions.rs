//! Parses expressions, by the table of [`operators`](super::operators).
//!
//! A chain of operators is a tree that leans to one side, so its height counts as nesting: later
//! passes recurse over the tree.

use super::cursor::{Opened, Parse, Parser};
use super::lexer::{Symbol, TokenKind};
use super::operators::{self, CONDITIONAL};
use super::words::{Block, Keyword, spelt};
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Name, Place, Quantifier, QuantifierKind, TotalKind,
    UnaryOperator,
};
use ltl::{Diagnostic, Span};

impl Parser<'_> {
    /// Parses an expression; reports an error if there is none.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        self.binding(CONDITIONAL)
    }

    /// Parses an expression whose operators, except those in parentheses, have at least this level.
    pub(super) fn binding(&mut self, least: u8) -> Parse<Expression> {
        self.enter()?;
        let found = self.chain(least);
        self.leave();
        found
    }

    fn chain(&mut self, least: u8) -> Parse<Expression> {
        let start = self.span().start;
        let mut left = self.operand()?;
        let mut height = self.height;
        loop {
            let place = self.span();
            let (level, is_once) = if self.is(Symbol::Question) {
                if CONDITIONAL < least {
                    break;
                }
                self.advance();
                left = self.conditional(left, start)?;
                (CONDITIONAL, true)
            } else {
                let Some(operator) = self.operator() else { break };
                let level = operators::level(operator);
                if level < least {
                    break;
                }
                self.advance();
                let right = self.binding(level + 1)?;
                let both = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
                left = Expression { kind: both, place: self.place(start) };
                (level, operators::is_once(operator))
            };
            height = height.max(self.height) + 1;
            self.set_height(height)?;
            if is_once {
                self.refuse_chain(level, place);
            }
        }
        self.height = height;
        Ok(left)
    }

    /// The operator between two operands that is next, if one is.
    fn operator(&self) -> Option<BinaryOperator> {
        match self.kind() {
            TokenKind::Symbol(symbol) => operators::binary(symbol),
            TokenKind::Name if self.is_in() => Some(BinaryOperator::In),
            _ => None,
        }
    }

    /// Whether the operator `in` is next, after an operand. No name follows an operand but that of the
    /// next declaration, which a colon or a comma follows.
    fn is_in(&self) -> bool {
        self.is_word("in")
            && !matches!(self.kind_ahead(1), TokenKind::Symbol(Symbol::Colon | Symbol::Comma))
    }

    /// The part after `condition ?`; the height is that of the two operands.
    #[inline(never)]
    fn conditional(&mut self, condition: Expression, start: usize) -> Parse<Expression> {
        let first = self.expression()?;
        let height = self.height;
        self.expect(Symbol::Colon, "an operator or `:`")?;
        let second = self.binding(CONDITIONAL + 1)?;
        self.height = self.height.max(height);
        let (condition, first, second) = (Box::new(condition), Box::new(first), Box::new(second));
        let kind = ExpressionKind::Conditional(condition, first, second);
        Ok(Expression { kind, place: self.place(start) })
    }

    /// Refuses `a = b = c`, and continues as if it were `(a = b) = c`.
    #[inline(never)]
    fn refuse_chain(&mut self, level: u8, first: Span) {
        let operator = self.operator();
        let next = match operator {
            Some(operator) => operators::level(operator),
            None if self.is(Symbol::Question) => CONDITIONAL,
            None => return,
        };
        if next != level {
            return;
        }
        let (one, other) = (&self.text[first.start..first.end], self.word());
        let help = match operator {
            Some(BinaryOperator::Implies) => {
                "write `a -> (b -> c)` or `a & b -> c`, or `(a -> b) -> c` if you mean it"
                    .to_owned()
            }
            Some(_) => format!("write `a {one} b & b {other} c`, or use parentheses"),
            None => "put one of the two conditionals in parentheses".to_owned(),
        };
        let message = format!("`{other}` cannot follow `{one}` without parentheses");
        let error = Diagnostic::error(self.span(), message);
        self.report(error.related(first, "the first one is here").help(help));
    }

    #[inline(never)]
    fn operand(&mut self) -> Parse<Expression> {
        match self.kind() {
            TokenKind::Name => self.name_or_call(),
            TokenKind::Number => self.number(),
            TokenKind::Symbol(Symbol::OpenParenthesis) => self.group(),
            TokenKind::Symbol(Symbol::OpenBracket) => self.array_literal(),
            TokenKind::Symbol(Symbol::OpenBrace) => self.set_literal(),
            TokenKind::Symbol(symbol) => match operators::prefix(symbol) {
                Some(operator) => self.prefix(operator),
                None => Err(self.unexpected("an expression")),
            },
            TokenKind::Keyword(Keyword::Forall) => self.quantified(QuantifierKind::Forall),
            TokenKind::Keyword(Keyword::Exists) => self.quantified(QuantifierKind::Exists),
            _ => Err(self.unexpected("an expression")),
        }
    }

    #[inline(never)]
    fn group(&mut self) -> Parse<Expression> {
        let opening = self.span();
        self.advance();
        let inside = self.expression()?;
        let expected = "an operator or `)`";
        self.expect_closing(Symbol::CloseParenthesis, expected, opening)?;
        Ok(inside)
    }

    #[inline(never)]
    fn prefix(&mut self, operator: UnaryOperator) -> Parse<Expression> {
        let start = self.span().start;
        self.advance();
        let operand = self.binding(operators::prefix_levels(operator).1)?;
        self.set_height(self.height + 1)?;
        let kind = ExpressionKind::Unary(operator, Box::new(operand));
        Ok(Expression { kind, place: self.place(start) })
    }

    #[inline(never)]
    fn number(&mut self) -> Parse<Expression> {
        let (word, span) = (self.word(), self.span());
        let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let value = match hexadecimal {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        let Ok(value) = value else {
            let message = "this number is too large";
            let help = format!("numbers have 64 bits: the largest is {}", i64::MAX);
            return Err(self.report(Diagnostic::error(span, message).help(help)));
        };
        self.advance();
        self.height = 1;
        Ok(Expression { kind: ExpressionKind::Number(value), place: Place(span) })
    }

    #[inline(never)]
    fn name_or_call(&mut self) -> Parse<Expression> {
        if let Some(kind) = self.total_at(self.at) {
            return self.total(kind);
        }
        match self.kind_ahead(1) {
            TokenKind::Symbol(Symbol::OpenParenthesis) => {}
            TokenKind::Symbol(Symbol::OpenBrace) => return self.record_literal(),
            _ => return self.designator(),
        }
        if self.is_element_call("MultiSetCount") {
            self.count_where()
        } else {
            self.call_expression()
        }
    }

    /// `message { from: n, what: Ask }`
    #[inline(never)]
    fn record_literal(&mut self) -> Parse<Expression> {
        let start = self.span().start;
        let name = self.take_name();
        let opening = self.span();
        self.advance();
        let (mut fields, mut height) = (Vec::new(), 0);
        while !self.is(Symbol::CloseBrace) {
            let field = self.name("a field or `}`")?;
            self.expect(Symbol::Colon, "`:`")?;
            fields.push((field, self.expression()?));
            height = height.max(self.height);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_closing(Symbol::CloseBrace, "an operator, `,` or `}`", opening)?;
        self.set_height(height + 1)?;
        let kind = ExpressionKind::Record { name, fields };
        Ok(Expression { kind, place: self.place(start) })
    }

    /// `[a, b]`
    #[inline(never)]
    fn array_literal(&mut self) -> Parse<Expression> {
        let opening = self.span();
        self.advance();
        let (mut parts, mut height) = (Vec::new(), 0);
        loop {
            parts.push(self.expression()?);
            height = height.max(self.height);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_closing(Symbol::CloseBracket, "an operator, `,` or `]`", opening)?;
        self.set_height(height + 1)?;
        let kind = ExpressionKind::Array(parts);
        Ok(Expression { kind, place: self.place(opening.start) })
    }

    /// `{ a, b }`
    #[inline(never)]
    fn set_literal(&mut self) -> Parse<Expression> {
        let opening = self.span();
        self.advance();
        let (mut elements, mut height) = (Vec::new(), 0);
        while !self.is(Symbol::CloseBrace) {
            elements.push(self.expression()?);
            height = height.max(self.height);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_closing(Symbol::CloseBrace, "an operator, `,` or `}`", opening)?;
        self.set_height(height + 1)?;
        let kind = ExpressionKind::Set(elements);
        Ok(Expression { kind, place: self.place(opening.start) })
    }

    #[inline(never)]
    fn call_expression(&mut self) -> Parse<Expression> {
        let start = self.span().start;
        let name = self.take_name();
        let arguments = self.arguments()?;
        self.set_height(self.height + 1)?;
        let kind = ExpressionKind::Call { name, arguments };
        let call = Expression { kind, place: self.place(start) };
        let height = self.height;
        self.parts_of(call, start, height)
    }

    #[inline(never)]
    fn count_where(&mut self) -> Parse<Expression> {
        let start = self.span().start;
        let (name, multiset, condition) = self.element_call()?;
        self.set_height(self.height + 1)?;
        let kind = ExpressionKind::CountWhere { name, multiset, condition };
        Ok(Expression { kind, place: self.place(start) })
    }

    /// Whether this word and `(i: ms, e)` are next.
    pub(super) fn is_element_call(&self, word: &str) -> bool {
        self.is_word(word)
            && self.kind_ahead(1) == TokenKind::Symbol(Symbol::OpenParenthesis)
            && self.kind_ahead(2) == TokenKind::Name
            && self.kind_ahead(3) == TokenKind::Symbol(Symbol::Colon)
    }

    /// `name(i: ms, e)`
    pub(super) fn element_call(&mut self) -> Parse<(Name, Box<Expression>, Box<Expression>)> {
        self.advance();
        let opening = self.span();
        self.advance();
        let name = self.name("a name for the element")?;
        self.expect(Symbol::Colon, "`:`")?;
        let multiset = Box::new(self.expression()?);
        let height = self.height;
        self.expect(Symbol::Comma, "an operator or `,`")?;
        let condition = Box::new(self.expression()?);
        let expected = "an operator or `)`";
        self.expect_closing(Symbol::CloseParenthesis, expected, opening)?;
        self.height = self.height.max(height);
        Ok((name, multiset, condition))
    }

    /// `(a, b)`; the height is that of the highest argument.
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expression>> {
        let opening = self.span();
        self.advance();
        let (mut arguments, mut height) = (Vec::new(), 0);
        if !self.is(Symbol::CloseParenthesis) {
            loop {
                arguments.push(self.expression()?);
                height = height.max(self.height);
                if !self.take(Symbol::Comma) {
                    break;
                }
            }
        }
        let expected = "an operator, `,` or `)`";
        self.expect_closing(Symbol::CloseParenthesis, expected, opening)?;
        self.height = height;
        Ok(arguments)
    }

    /// A name, with the fields and elements after it.
    #[inline(never)]
    pub(super) fn designator(&mut self) -> Parse<Expression> {
        let start = self.span();
        if self.kind() != TokenKind::Name {
            return Err(self.unexpected("a variable"));
        }
        let kind = ExpressionKind::Name(spelt(self.word()).to_owned());
        self.advance();
        self.parts_of(Expression { kind, place: Place(start) }, start.start, 1)
    }

    /// The fields and elements after a name or a call of this height, which starts there.
    fn parts_of(
        &mut self,
        mut read: Expression,
        start: usize,
        mut height: u32,
    ) -> Parse<Expression> {
        loop {
            let opening = self.span();
            let kind = if self.take(Symbol::Dot) {
                ExpressionKind::Field(Box::new(read), self.name("a field")?)
            } else if self.take(Symbol::OpenBracket) {
                let index = self.expression()?;
                height = height.max(self.height);
                let expected = "an operator or `]`";
                self.expect_closing(Symbol::CloseBracket, expected, opening)?;
                ExpressionKind::Element(Box::new(read), Box::new(index))
            } else {
                self.height = height;
                return Ok(read);
            };
            read = Expression { kind, place: self.place(start) };
            height += 1;
            self.set_height(height)?;
        }
    }

    #[inline(never)]
    fn quantified(&mut self, kind: QuantifierKind) -> Parse<Expression> {
        let block = match kind {
            QuantifierKind::Forall => Block::Forall,
            QuantifierKind::Exists => Block::Exists,
        };
        self.repeated(block, |quantifiers, body| ExpressionKind::Quantified {
            kind,
            quantifiers,
            body,
        })
    }

    #[inline(never)]
    fn total(&mut self, kind: TotalKind) -> Parse<Expression> {
        let block = match kind {
            TotalKind::Count => Block::Count,
            TotalKind::Sum => Block::Sum,
        };
        self.repeated(block, |quantifiers, body| ExpressionKind::Total { kind, quantifiers, body })
    }

    /// Whether `count i: T`, `sum i: T`, or the same with `i := a`, is at `token`: no other expression
    /// has two names one after the other, so that these words are names everywhere else.
    pub(super) fn total_at(&self, token: usize) -> Option<TotalKind> {
        let ahead = token - self.at;
        let words = [("count", TotalKind::Count), ("sum", TotalKind::Sum)];
        let (_, kind) = words.into_iter().find(|(word, _)| self.is_word_ahead(ahead, word))?;
        let binds = self.kind_ahead(ahead + 1) == TokenKind::Name
            && matches!(
                self.kind_ahead(ahead + 2),
                TokenKind::Symbol(Symbol::Colon | Symbol::Assign)
            );
        binds.then_some(kind)
    }

    /// `word i: T; j: U do e end`
    fn repeated(
        &mut self,
        block: Block,
        make: impl FnOnce(Vec<Quantifier>, Box<Expression>) -> ExpressionKind,
    ) -> Parse<Expression> {
        let opened = self.open(block);
        let quantifiers = self.quantifiers_and_do(opened);
        let height = self.height;
        let body = match self.expression() {
            Ok(body) => body,
            Err(reported) => {
                self.blocks.pop();
                return Err(reported);
            }
        };
        self.close();
        self.set_height(self.height.max(height) + 1)?;
        let kind = make(quantifiers?, Box::new(body));
        Ok(Expression { kind, place: self.place(opened.place.start) })
    }

    /// `i: T; j: U do`; the height is that of the highest expression. After an error, parsing
    /// continues after `do`, if there is one.
    pub(super) fn quantifiers_and_do(&mut self, opened: Opened) -> Parse<Vec<Quantifier>> {
        let found = self.quantifiers(opened);
        if found.is_err() && !self.is_keyword(Keyword::Do) {
            self.skip_to(Keyword::Do);
        }
        self.expect_word(Keyword::Do, "do", opened);
        found
    }
}
