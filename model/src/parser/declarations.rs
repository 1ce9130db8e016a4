//! Parses sections of declarations, and functions.

use super::advice;
use super::cursor::{Parse, Parser};
use super::lexer::{Symbol, TokenKind};
use super::types::Shared;
use super::words::{Block, Keyword};
use crate::syntax::{Declaration, Function, Parameter, Statement, VariableType};

/// The position of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// At the top level, where a name can only start a declaration.
    Outer,
    /// Before a body, which may start with a name.
    Inner,
}

impl Parser<'_> {
    /// Parses a section, if its keyword is next.
    pub(super) fn section(&mut self, level: Level) -> Option<Declaration> {
        let TokenKind::Keyword(keyword) = self.kind() else { return None };
        let read = match keyword {
            Keyword::Const => |parser: &mut Self, level| {
                Declaration::Constants(parser.entries(level, Parser::expression))
            },
            Keyword::Type => {
                |parser: &mut Self, level| Declaration::Types(parser.entries(level, Parser::type_))
            }
            Keyword::Var => |parser: &mut Self, level| {
                Declaration::Variables(parser.entries(level, Parser::variable_type))
            },
            _ => return None,
        };
        self.advance();
        Some(read(self, level))
    }

    fn entries<T>(&mut self, level: Level, what: fn(&mut Self) -> Parse<T>) -> Shared<T> {
        let mut entries = Shared::new();
        while self.is_entry(level) {
            let start = self.at;
            match self.shared("a name", what) {
                Ok(entry) => {
                    entries.push(entry);
                    self.refuse_comma();
                }
                Err(_) => self.skip_declaration(start),
            }
            self.semicolons();
        }
        entries
    }

    /// The part of a declaration of variables after the colon.
    fn variable_type(&mut self) -> Parse<VariableType> {
        let of = self.type_()?;
        if self.is(Symbol::Equal) {
            let error = self.wrong("`;`");
            self.report(error.help("an initial value stands behind `:=`"));
            self.advance();
            return Ok(VariableType { of, initial: Some(self.expression()?) });
        }
        let initial = if self.take(Symbol::Assign) { Some(self.expression()?) } else { None };
        Ok(VariableType { of, initial })
    }

    /// Whether another declaration of the section follows.
    fn is_entry(&self, level: Level) -> bool {
        let is_declared = self.is_declared_ahead(1);
        match self.kind() {
            TokenKind::Keyword(_) => self.is_keyword_declared(),
            TokenKind::Name if is_declared => true,
            TokenKind::Name if self.is_contextual_item(self.at) => false,
            TokenKind::Name if advice::foreign_item(self).is_some() => false,
            TokenKind::Name => match self.kind_ahead(1) {
                TokenKind::Text => false,
                TokenKind::Symbol(
                    Symbol::Assign
                    | Symbol::Equal
                    | Symbol::OpenParenthesis
                    | Symbol::OpenBracket
                    | Symbol::Dot,
                ) => level == Level::Outer,
                _ => level == Level::Outer && advice::item_like(self.word()).is_none(),
            },
            _ => false,
        }
    }

    /// The declarations before a body.
    fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while let Some(section) = self.section(Level::Inner) {
            declarations.push(section);
            self.semicolons();
        }
        declarations
    }

    /// Declarations, `begin`, statements, and the `end` of the innermost block.
    pub(super) fn body(&mut self) -> (Vec<Declaration>, Vec<Statement>) {
        let declarations = self.declarations();
        let is_function = self
            .blocks
            .last()
            .is_some_and(|opened| matches!(opened.block, Block::Function | Block::Procedure));
        let begin = self.take_keyword(Keyword::Begin);
        if !begin && !declarations.is_empty() && !is_function {
            self.unexpected("a declaration or `begin`");
        }
        let body = self.statements();
        self.close();
        (declarations, body)
    }

    /// A function or procedure; its keyword is the next token.
    pub(super) fn function(&mut self) -> Parse<Function> {
        let is_procedure = self.is_keyword(Keyword::Procedure);
        let block = if is_procedure { Block::Procedure } else { Block::Function };
        let start = self.open(block).place.start;
        let name = self.name("a name")?;
        let opening = self.span();
        if !self.take(Symbol::OpenParenthesis) {
            let error = self.wrong("`(`");
            return Err(self.report(error.help("write `()` if there are no parameters")));
        }
        let mut parameters = Vec::new();
        while !self.is(Symbol::CloseParenthesis) {
            parameters.push(self.parameter()?);
            self.refuse_comma();
            self.semicolons();
            if self.kind() == TokenKind::End {
                break;
            }
        }
        self.expect_closing(Symbol::CloseParenthesis, "`)`", opening)?;
        let result = if self.take(Symbol::Colon) { Some(self.type_()?) } else { None };
        self.semicolons();
        let (declarations, body) = self.body();
        let place = self.place(start);
        Ok(Function { name, parameters, result, declarations, body, place })
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let writable = self.take_keyword(Keyword::Var);
        let (names, of) = self.shared("a parameter or `)`", Parser::type_)?;
        Ok(Parameter { writable, names, of })
    }
}
