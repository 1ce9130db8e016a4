//! Parses statements.
//!
//! Each kind of statement has its own function, which is not inlined, to keep stack frames small:
//! bodies nest a thousand levels deep. (The same applies to expressions, types and rules.)

use super::cursor::{Parse, Parser};
use super::lexer::{Symbol, TokenKind};
use super::recovery::is_statement;
use super::words::{Block, Keyword};
use crate::syntax::{Alias, Expression, Name, Property, PropertyKind, Statement, StatementKind};
use ltl::{Diagnostic, Span};

impl Parser<'_> {
    /// Parses statements up to an `end`, or to a token that cannot start a statement.
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        self.semicolons();
        while self.is_statement() {
            let (start, blocks) = (self.at, self.blocks.len());
            if self.statement(&mut statements).is_err() {
                self.blocks.truncate(blocks);
                self.skip_statement(start);
            }
            if !self.is(Symbol::Semicolon) {
                if !self.is_statement() {
                    break;
                }
                self.missing_semicolon();
            }
            self.semicolons();
        }
        statements
    }

    /// Reports a statement without an end, and continues as if it had one, if that makes sense.
    #[cold]
    fn missing_semicolon(&mut self) {
        let start = self.at;
        let error = self.wrong("an operator, `;` or `end`");
        let help = match self.kind() {
            TokenKind::Symbol(Symbol::Arrow) => "a guard compares by `=`: `:=` assigns",
            _ => "statements are separated by `;`",
        };
        let error = if error.help.is_none() { error.help(help) } else { error };
        self.report(error);
        if !self.can_start_statement() {
            self.skip_statement(start);
        }
    }

    /// Whether the next token belongs to a list of statements, even if only to be reported there.
    fn is_statement(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) => is_statement(keyword) || is_misplaced(keyword),
            TokenKind::Name => !self.is_end() && !self.is_elseif(),
            TokenKind::End => false,
            _ => true,
        }
    }

    /// Whether `elseif` or `elif` is next inside an `if`, where it can only be a mistake.
    fn is_elseif(&self) -> bool {
        self.blocks.last().is_some_and(|opened| opened.block == Block::If)
            && (self.is_word("elseif") || self.is_word("elif"))
            && !self.can_start_statement()
    }

    /// Whether a statement may start here.
    fn can_start_statement(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) => is_statement(keyword),
            TokenKind::Name => matches!(
                self.kind_ahead(1),
                TokenKind::Symbol(
                    Symbol::Assign | Symbol::Dot | Symbol::OpenBracket | Symbol::OpenParenthesis
                )
            ),
            _ => false,
        }
    }

    #[inline(never)]
    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let start = self.span().start;
        self.enter()?;
        let kind = self.statement_kind();
        self.leave();
        statements.push(Statement { kind: kind?, place: self.place(start) });
        Ok(())
    }

    #[inline(never)]
    fn statement_kind(&mut self) -> Parse<StatementKind> {
        match self.kind() {
            TokenKind::Name => self.assignment_or_call(),
            TokenKind::Keyword(Keyword::If) => self.if_(),
            TokenKind::Keyword(Keyword::Switch) => self.switch(),
            TokenKind::Keyword(Keyword::For) => self.for_(),
            TokenKind::Keyword(Keyword::While) => self.while_(),
            TokenKind::Keyword(Keyword::Alias) => self.alias(),
            TokenKind::Keyword(_) => self.simple(),
            _ => Err(self.unexpected("a statement")),
        }
    }

    /// Statements that start with a keyword and are not blocks.
    #[inline(never)]
    fn simple(&mut self) -> Parse<StatementKind> {
        let TokenKind::Keyword(keyword) = self.kind() else {
            return Err(self.unexpected("a statement"));
        };
        let property = match keyword {
            Keyword::Clear => {
                self.advance();
                return self.designator().map(StatementKind::Clear);
            }
            Keyword::Undefine => {
                self.advance();
                return self.designator().map(StatementKind::Undefine);
            }
            Keyword::Return => return self.return_(),
            Keyword::Error => {
                self.advance();
                let text = self.optional_text();
                return match text {
                    Some(text) => Ok(StatementKind::Error(text)),
                    None => Err(self.unexpected("a string")),
                };
            }
            Keyword::Put => {
                self.advance();
                return match self.optional_text() {
                    Some(text) => Ok(StatementKind::PutText(text)),
                    None => self.expression().map(StatementKind::Put),
                };
            }
            Keyword::Assert => PropertyKind::Assert,
            Keyword::Invariant => PropertyKind::Invariant,
            Keyword::Assume => PropertyKind::Assume,
            Keyword::Cover => PropertyKind::Cover,
            _ => return Err(self.unexpected("a statement")),
        };
        self.property(property).map(StatementKind::Property)
    }

    /// `invariant "name" e` or `invariant e "name"`; its word is the next token.
    pub(super) fn property(&mut self, kind: PropertyKind) -> Parse<Property> {
        self.advance();
        let mut name = self.optional_title();
        if name.is_some() && self.is(Symbol::Colon) {
            let error = self.wrong("an expression");
            self.report(error.help("only `ltl`, `justice` and `compassion` have a colon there"));
            self.advance();
        }
        let condition = self.expression()?;
        if name.is_none() {
            name = self.optional_text();
        }
        if self.is_under() {
            let error = Diagnostic::error(self.span(), "only formulas of `ltl` are under fairness");
            self.report(
                error.help("leave it out: fairness does not change which states can be reached"),
            );
            self.under()?;
        }
        Ok(Property { kind, name, condition })
    }

    fn return_(&mut self) -> Parse<StatementKind> {
        self.advance();
        let is_alone = match self.kind() {
            TokenKind::Symbol(Symbol::Semicolon) | TokenKind::End => true,
            TokenKind::Keyword(keyword) => !matches!(keyword, Keyword::Forall | Keyword::Exists),
            _ => false,
        };
        let value = if is_alone { None } else { Some(self.expression()?) };
        Ok(StatementKind::Return(value))
    }

    #[inline(never)]
    fn assignment_or_call(&mut self) -> Parse<StatementKind> {
        if self.kind_ahead(1) == TokenKind::Symbol(Symbol::OpenParenthesis) {
            return self.call();
        }
        let start = self.at;
        let target = self.designator()?;
        if self.take(Symbol::Assign) {
            let value = self.expression()?;
            return Ok(StatementKind::Assign { target, value });
        }
        Err(self.no_assignment(start))
    }

    /// Reports a designator without `:=`.
    #[cold]
    fn no_assignment(&mut self, start: usize) -> super::cursor::Reported {
        let is_first_of_rule = self.blocks.last().is_some_and(|opened| {
            opened.block == Block::Rule
                && self.tokens[..start].last().is_some_and(|token| {
                    token.kind == TokenKind::Text || token.kind == TokenKind::Keyword(Keyword::Rule)
                })
        });
        let error = self.wrong("`:=`");
        let help = match self.kind() {
            TokenKind::Symbol(_) if is_first_of_rule => {
                Some("`==>` stands behind the guard of a rule; an assignment is written `:=`")
            }
            TokenKind::Symbol(Symbol::Equal) => Some("`=` compares: an assignment is written `:=`"),
            TokenKind::Symbol(Symbol::Colon) => Some("an assignment is written `:=`"),
            TokenKind::Symbol(Symbol::Plus | Symbol::Minus) => {
                Some("an assignment is written `x := x + 1`")
            }
            TokenKind::Symbol(Symbol::Semicolon) | TokenKind::Keyword(Keyword::End) => {
                Some("a call has parentheses, also without arguments: `p()`")
            }
            _ => None,
        };
        let error = match help {
            Some(help) if error.help.is_none() => error.help(help),
            _ => error,
        };
        self.report(error)
    }

    fn call(&mut self) -> Parse<StatementKind> {
        if self.is_element_call("MultiSetRemovePred") {
            let (name, multiset, condition) = self.element_call()?;
            let (multiset, condition) = (*multiset, *condition);
            return Ok(StatementKind::RemoveWhere { name, multiset, condition });
        }
        let name = self.take_name();
        let arguments = self.arguments()?;
        if self.is(Symbol::Assign) {
            let error = self.wrong("`;` or `end`");
            return Err(self.report(error.help("the result of a call cannot be assigned")));
        }
        Ok(StatementKind::Call { name, arguments })
    }

    #[inline(never)]
    fn if_(&mut self) -> Parse<StatementKind> {
        let opened = self.open(Block::If);
        let mut wrong = None;
        let mut branches = Vec::new();
        loop {
            let condition = self.condition(Keyword::Then);
            self.expect_word(Keyword::Then, "then", opened);
            let body = self.statements();
            match condition {
                Ok(condition) => branches.push((condition, body)),
                Err(reported) => wrong = Some(reported),
            }
            let is_slip = self.is_elseif();
            if !self.take_keyword(Keyword::Elsif) && !is_slip {
                break;
            }
            if is_slip {
                self.unexpected("`elsif`, `else` or `end`");
                self.advance();
            }
        }
        let otherwise = self.otherwise();
        self.close();
        match wrong {
            Some(reported) => Err(reported),
            None => Ok(StatementKind::If { branches, otherwise }),
        }
    }

    /// A condition followed by `keyword`. After an error, parsing continues at the keyword.
    fn condition(&mut self, keyword: Keyword) -> Parse<Expression> {
        let blocks = self.blocks.len();
        let found = self.expression();
        if found.is_err() {
            self.blocks.truncate(blocks);
            self.skip_to(keyword);
        }
        found
    }

    /// `else` and its statements.
    fn otherwise(&mut self) -> Option<Vec<Statement>> {
        let start = self.span().start;
        if !self.take_keyword(Keyword::Else) {
            return None;
        }
        if self.is_keyword(Keyword::If) {
            self.else_if = Some(Span { start, end: self.span().end });
        }
        Some(self.statements())
    }

    #[inline(never)]
    fn switch(&mut self) -> Parse<StatementKind> {
        self.open(Block::Switch);
        let subject = self.condition(Keyword::Case);
        if !self.is_keyword(Keyword::Case) && !self.is_keyword(Keyword::Else) && !self.is_end() {
            self.unexpected("`case`");
            self.skip_to(Keyword::Case);
        }
        let mut cases = Vec::new();
        while self.take_keyword(Keyword::Case) {
            let values = self.values();
            if values.is_err() {
                self.skip_label();
            }
            let body = self.statements();
            cases.extend(values.ok().map(|values| (values, body)));
        }
        let otherwise = self.otherwise();
        self.close();
        Ok(StatementKind::Switch { subject: subject?, cases, otherwise })
    }

    /// `a, b:`
    fn values(&mut self) -> Parse<Vec<Expression>> {
        let mut values = vec![self.expression()?];
        while self.take(Symbol::Comma) {
            values.push(self.expression()?);
        }
        self.expect(Symbol::Colon, "an operator, `,` or `:`")?;
        Ok(values)
    }

    /// Moves after the colon of a case that cannot be parsed, if it comes before any keyword, `;`
    /// or `:=`.
    fn skip_label(&mut self) {
        let behind = &self.tokens[self.at..];
        let stop = behind.iter().position(|token| {
            matches!(
                token.kind,
                TokenKind::Keyword(_)
                    | TokenKind::End
                    | TokenKind::Symbol(Symbol::Colon | Symbol::Semicolon | Symbol::Assign)
            )
        });
        if let Some(stop) = stop
            && behind[stop].kind == TokenKind::Symbol(Symbol::Colon)
        {
            self.at += stop + 1;
        }
    }

    #[inline(never)]
    fn for_(&mut self) -> Parse<StatementKind> {
        let opened = self.open(Block::For);
        let quantifiers = self.quantifiers_and_do(opened);
        let body = self.statements();
        self.close();
        Ok(StatementKind::For { quantifiers: quantifiers?, body })
    }

    #[inline(never)]
    fn while_(&mut self) -> Parse<StatementKind> {
        let opened = self.open(Block::While);
        let condition = self.condition(Keyword::Do);
        self.expect_word(Keyword::Do, "do", opened);
        let body = self.statements();
        self.close();
        Ok(StatementKind::While { condition: condition?, body })
    }

    #[inline(never)]
    fn alias(&mut self) -> Parse<StatementKind> {
        let aliases = self.aliases();
        let body = self.statements();
        self.close();
        Ok(StatementKind::Alias { aliases: aliases?, body })
    }

    /// `alias a: e; b: f do`; its word is the next token. After an error, parsing continues after
    /// `do`.
    pub(super) fn aliases(&mut self) -> Parse<Vec<Alias>> {
        let opened = self.open(Block::Alias);
        let blocks = self.blocks.len();
        let found = self.alias_list();
        if found.is_err() {
            self.blocks.truncate(blocks);
            self.skip_to(Keyword::Do);
        }
        self.expect_word(Keyword::Do, "do", opened);
        found
    }

    fn alias_list(&mut self) -> Parse<Vec<Alias>> {
        let mut aliases = Vec::new();
        while !self.is_keyword(Keyword::Do) {
            let name: Name = self.name("a name or `do`")?;
            self.expect(Symbol::Colon, "`:`")?;
            aliases.push(Alias { name, target: self.expression()? });
            self.semicolons();
        }
        Ok(aliases)
    }
}

/// Keywords that are accepted in a list of statements in order to report them; all others end the
/// list.
fn is_misplaced(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Array
            | Keyword::Begin
            | Keyword::Do
            | Keyword::Enum
            | Keyword::Exists
            | Keyword::Forall
            | Keyword::Of
            | Keyword::Real
            | Keyword::Record
            | Keyword::Scalarset
            | Keyword::Then
            | Keyword::To
            | Keyword::Union
    )
}
