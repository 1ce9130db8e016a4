//! Parses types and quantifiers.

use super::cursor::{Opened, Parse, Parser};
use super::lexer::{Symbol, TokenKind};
use super::words::{Block, Keyword, spelt};
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, IndexKind, Name, Quantifier, QuantifierDomain,
    Tracked, Type, TypeKind,
};
use ltl::Diagnostic;

/// Names that share the part after their colon.
pub(super) type Shared<T> = Vec<(Vec<Name>, T)>;

impl Parser<'_> {
    /// Parses a type; reports an error if there is none.
    pub(super) fn type_(&mut self) -> Parse<Type> {
        let start = self.span().start;
        self.enter()?;
        let kind = self.type_kind();
        self.leave();
        Ok(Type { kind: kind?, place: self.place(start) })
    }

    fn type_kind(&mut self) -> Parse<TypeKind> {
        let follows = |symbol| self.kind_ahead(1) == TokenKind::Symbol(symbol);
        match self.kind() {
            TokenKind::Keyword(Keyword::Enum) => self.enumeration(),
            TokenKind::Keyword(Keyword::Record) => Ok(self.record()),
            TokenKind::Keyword(Keyword::Array) => self.array(),
            TokenKind::Keyword(Keyword::Scalarset) => self.index_type(IndexKind::Scalarset),
            TokenKind::Keyword(Keyword::Union) => self.union_(),
            TokenKind::Name if self.is_word("ring") && follows(Symbol::OpenParenthesis) => {
                self.index_type(IndexKind::Ring)
            }
            TokenKind::Name if self.is_word("undirected") && self.is_word_ahead(1, "ring") => {
                self.advance();
                self.index_type(IndexKind::UndirectedRing)
            }
            TokenKind::Name if self.is_word("multiset") && follows(Symbol::OpenBracket) => {
                let (capacity, element) = self.collection()?;
                Ok(TypeKind::Multiset { capacity, element })
            }
            TokenKind::Name
                if self.is_word("set") && self.kind_ahead(1) == TokenKind::Keyword(Keyword::Of) =>
            {
                self.advance();
                self.advance();
                Ok(TypeKind::Set(Box::new(self.type_()?)))
            }
            TokenKind::Name
                if ["queue", "multiset"].iter().any(|word| self.is_word(word))
                    && self.kind_ahead(1) == TokenKind::Keyword(Keyword::Of) =>
            {
                let word = self.word();
                self.advance();
                let error = self.wrong("`[` and a capacity");
                Err(self.report(error.help(format!("write `{word} [3] of T`"))))
            }
            TokenKind::Name if self.is_word("queue") && follows(Symbol::OpenBracket) => {
                let (capacity, element) = self.collection()?;
                Ok(TypeKind::Queue { capacity, element })
            }
            TokenKind::Name
                if self.is_word("interleaved")
                    && matches!(
                        self.kind_ahead(1),
                        TokenKind::Keyword(Keyword::Array | Keyword::Record)
                    ) =>
            {
                // A hint for the layout of states, which has no meaning here.
                self.advance();
                self.type_kind()
            }
            TokenKind::Name
            | TokenKind::Number
            | TokenKind::Keyword(Keyword::Forall | Keyword::Exists)
            | TokenKind::Symbol(
                Symbol::OpenParenthesis
                | Symbol::Minus
                | Symbol::Plus
                | Symbol::Not
                | Symbol::Tilde,
            ) => self.name_or_range(),
            _ => Err(self.unexpected("a type")),
        }
    }

    #[inline(never)]
    fn name_or_range(&mut self) -> Parse<TypeKind> {
        let low = self.expression()?;
        if self.take(Symbol::Dots) {
            let high = self.expression()?;
            return Ok(TypeKind::Range(Box::new(low), Box::new(high)));
        }
        match low.kind {
            ExpressionKind::Name(name) => Ok(TypeKind::Named(name)),
            ExpressionKind::Binary(BinaryOperator::Equal, left, _)
                if matches!(left.kind, ExpressionKind::Name(_)) =>
            {
                let error = Diagnostic::error(low.place.0, "expected a type, found a comparison");
                Err(self.report(error.help("an initial value stands behind `:=`")))
            }
            _ => Err(self.unexpected("`..` and the upper bound of a range")),
        }
    }

    #[inline(never)]
    fn enumeration(&mut self) -> Parse<TypeKind> {
        self.advance();
        let opening = self.span();
        self.expect(Symbol::OpenBrace, "`{`")?;
        let mut members = Vec::new();
        while !self.is(Symbol::CloseBrace) {
            members.push(self.name("a name or `}`")?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_closing(Symbol::CloseBrace, "`,` or `}`", opening)?;
        Ok(TypeKind::Enumeration(members))
    }

    #[inline(never)]
    fn record(&mut self) -> TypeKind {
        self.open(Block::Record);
        let mut fields = Shared::new();
        loop {
            self.semicolons();
            if self.kind() != TokenKind::Name && !self.is_keyword_declared() {
                break;
            }
            let start = self.at;
            match self.shared("a field", Parser::type_) {
                Ok(field) => {
                    fields.push(field);
                    self.refuse_comma();
                }
                Err(_) => self.skip_declaration(start),
            }
        }
        self.close();
        TypeKind::Record(fields)
    }

    #[inline(never)]
    fn array(&mut self) -> Parse<TypeKind> {
        self.advance();
        let opening = self.span();
        self.expect(Symbol::OpenBracket, "`[`")?;
        let index = Box::new(self.type_()?);
        self.expect_closing(Symbol::CloseBracket, "`]`", opening)?;
        self.expect_of()?;
        Ok(TypeKind::Array { index, element: Box::new(self.type_()?) })
    }

    /// `multiset [N] of T`, `queue [N] of T`: N and T.
    #[inline(never)]
    fn collection(&mut self) -> Parse<(Box<Expression>, Box<Type>)> {
        self.advance();
        let opening = self.span();
        self.advance();
        let capacity = Box::new(self.expression()?);
        self.expect_closing(Symbol::CloseBracket, "an operator or `]`", opening)?;
        self.expect_of()?;
        Ok((capacity, Box::new(self.type_()?)))
    }

    fn expect_of(&mut self) -> Parse<()> {
        if self.take_keyword(Keyword::Of) { Ok(()) } else { Err(self.unexpected("`of`")) }
    }

    fn index_type(&mut self, kind: IndexKind) -> Parse<TypeKind> {
        self.advance();
        let opening = self.span();
        self.expect(Symbol::OpenParenthesis, "`(` and the number of values")?;
        let size = Box::new(self.expression()?);
        let expected = "an operator or `)`";
        self.expect_closing(Symbol::CloseParenthesis, expected, opening)?;
        Ok(TypeKind::Index { kind, size })
    }

    #[inline(never)]
    fn union_(&mut self) -> Parse<TypeKind> {
        self.advance();
        let opening = self.span();
        self.expect(Symbol::OpenBrace, "`{`")?;
        let mut members = Vec::new();
        while !self.is(Symbol::CloseBrace) {
            members.push(self.type_()?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_closing(Symbol::CloseBrace, "`,` or `}`", opening)?;
        Ok(TypeKind::Union(members))
    }

    /// `a, b: what`
    pub(super) fn shared<T>(
        &mut self,
        expected: &str,
        what: fn(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<Name>, T)> {
        let names = self.names(expected)?;
        self.colon()?;
        let what = what(self)?;
        Ok((names, what))
    }

    /// Refuses a comma between two declarations, and continues as if it were a semicolon.
    pub(super) fn refuse_comma(&mut self) {
        if self.is(Symbol::Comma) {
            let error = self.wrong("`;`");
            self.report(error.help("write `;` between declarations of different types"));
            self.advance();
        }
    }

    /// `a, b`; a further comma may follow.
    fn names(&mut self, expected: &str) -> Parse<Vec<Name>> {
        let mut names = vec![self.name(expected)?];
        while self.take(Symbol::Comma) && self.kind() == TokenKind::Name {
            names.push(self.take_name());
        }
        Ok(names)
    }

    /// Parses the colon of a declaration; other languages have `=` or `:=` there.
    fn colon(&mut self) -> Parse<()> {
        if self.take(Symbol::Colon) {
            return Ok(());
        }
        let error = self.wrong("`:`");
        if self.is(Symbol::Equal) || self.is(Symbol::Assign) {
            self.report(error.help("a declaration is written `name: ...`"));
            self.advance();
            return Ok(());
        }
        Err(self.report(error))
    }

    /// Whether the token `ahead` may follow a name that is declared.
    pub(super) fn is_declared_ahead(&self, ahead: usize) -> bool {
        matches!(self.kind_ahead(ahead), TokenKind::Symbol(Symbol::Colon | Symbol::Comma))
    }

    /// Whether the next token is a keyword that is used as a name, as in `var type: boolean`.
    pub(super) fn is_keyword_declared(&self) -> bool {
        let TokenKind::Keyword(keyword) = self.kind() else { return false };
        self.is_declared_ahead(1) && !matches!(keyword, Keyword::End | Keyword::EndOf(_))
    }

    /// `i: T; j := a to b by c`; the height is that of the highest expression.
    pub(super) fn quantifiers(&mut self, opened: Opened) -> Parse<Vec<Quantifier>> {
        let (mut quantifiers, mut height) = (Vec::new(), 0);
        loop {
            quantifiers.push(self.quantifier(opened)?);
            height = height.max(self.height);
            let is_comma = self.is(Symbol::Comma);
            if is_comma {
                let error = self.wrong("`;` or `do`");
                self.report(error.help("write `;` between quantifiers"));
                self.advance();
            } else if !self.take(Symbol::Semicolon) {
                break;
            }
            self.semicolons();
            if self.is_keyword(Keyword::Do) {
                break;
            }
        }
        self.height = height;
        Ok(quantifiers)
    }

    #[inline(never)]
    fn quantifier(&mut self, opened: Opened) -> Parse<Quantifier> {
        self.height = 0;
        let name = self.name("a name")?;
        let domain = if self.take(Symbol::Colon) {
            self.refuse_dot()?;
            QuantifierDomain::Type(self.type_()?)
        } else if self.take(Symbol::Assign) {
            self.steps()?
        } else if self.take_word("in") {
            QuantifierDomain::In(Box::new(self.expression()?))
        } else {
            let error = self.wrong("`:` and a type, or `:=` and a number");
            return Err(self.report(match self.kind() {
                TokenKind::Symbol(Symbol::Comma) => {
                    error.help("write `i: T; j: T` for two variables")
                }
                _ => error.related(opened.place, format!("behind this `{}`", opened.block.word())),
            }));
        };
        Ok(Quantifier { name, domain })
    }

    /// Refuses `forall i: T.` inside an expression. (A field is not constant, so it cannot be the
    /// bound of a range.)
    fn refuse_dot(&mut self) -> Parse<()> {
        if self.kind() != TokenKind::Name || self.kind_ahead(1) != TokenKind::Symbol(Symbol::Dot) {
            return Ok(());
        }
        self.advance();
        let help = "`forall i: T.` stands in front of a whole property only; in an expression \
                    write `forall i: T do ... end`";
        Err(self.report(Diagnostic::error(self.span(), "expected `do`, found `.`").help(help)))
    }

    /// `a to b by c`
    #[inline(never)]
    fn steps(&mut self) -> Parse<QuantifierDomain> {
        let from = Box::new(self.expression()?);
        let mut height = self.height;
        if !self.take_keyword(Keyword::To) {
            return Err(self.unexpected("an operator or `to`"));
        }
        let to = Box::new(self.expression()?);
        height = height.max(self.height);
        let by = if self.take_word("by") { Some(Box::new(self.expression()?)) } else { None };
        self.height = self.height.max(height);
        Ok(QuantifierDomain::Steps { from, to, by })
    }

    /// `forall v: T, w: T.` or `forall distinct v, w: T.` before a property, if it is next.
    pub(super) fn tracked(&mut self) -> Parse<Vec<Tracked>> {
        self.front(Keyword::Forall)
    }

    /// The same with `exists`, before a formula.
    pub(super) fn alternatives(&mut self) -> Parse<Vec<Tracked>> {
        let alternatives = self.front(Keyword::Exists)?;
        if !alternatives.is_empty() && self.is_prefix(Keyword::Forall) {
            let message = "`forall` cannot follow `exists` in front of a formula";
            let help = "`forall c: T. exists d: U. ...` can be decided, which says less; inside an \
                        atom write `forall c: T do ... end`";
            return Err(self.report(Diagnostic::error(self.span(), message).help(help)));
        }
        Ok(alternatives)
    }

    fn front(&mut self, word: Keyword) -> Parse<Vec<Tracked>> {
        let mut tracked = Vec::new();
        if !self.is_prefix(word) {
            return Ok(tracked);
        }
        self.advance();
        loop {
            let distinct = self.is_word("distinct") && self.kind_ahead(1) == TokenKind::Name;
            if distinct {
                self.advance();
            }
            let names = self.names("a name")?;
            self.expect(Symbol::Colon, "`,` or `:`")?;
            let of = self.tracked_type()?;
            tracked.push(Tracked { distinct, names, of });
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect(Symbol::Dot, "`,` or `.`")?;
        Ok(tracked)
    }

    /// Whether a prefix `forall ... .` is next, not a quantifier with `do`.
    fn is_prefix(&self, word: Keyword) -> bool {
        if !self.is_keyword(word) {
            return false;
        }
        let mut depth = 0_u32;
        for token in &self.tokens[self.at + 1..] {
            match token.kind {
                TokenKind::Symbol(Symbol::OpenParenthesis) => depth += 1,
                TokenKind::Symbol(Symbol::CloseParenthesis) => depth = depth.saturating_sub(1),
                TokenKind::Symbol(Symbol::Dot) if depth == 0 => return true,
                TokenKind::Name | TokenKind::Symbol(Symbol::Comma | Symbol::Colon) => {}
                _ if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// A type name, or a type in parentheses.
    fn tracked_type(&mut self) -> Parse<Type> {
        let opening = self.span();
        if self.take(Symbol::OpenParenthesis) {
            let of = self.type_()?;
            self.expect_closing(Symbol::CloseParenthesis, "`)`", opening)?;
            return Ok(of);
        }
        if self.kind() != TokenKind::Name {
            return Err(self.unexpected("a type name, or a type in parentheses"));
        }
        let kind = TypeKind::Named(spelt(self.word()).to_owned());
        self.advance();
        Ok(Type { kind, place: self.place(opening.start) })
    }
}
