//! Parses items: sections, functions, rules, start states, properties, and blocks of rules.

use super::advice::{self, ForeignItem};
use super::cursor::{Parse, Parser, Reported};
use super::declarations::Level;
use super::lexer::{Symbol, TokenKind};
use super::recovery::{is_outermost, is_statement};
use super::words::{Block, Keyword};
use crate::syntax::{
    Expression, Include, Item, Name, PropertyKind, Rule, RuleFairness, RuleKind, Type,
};
use ltl::{Diagnostic, Span};

impl Parser<'_> {
    /// Parses all items of the text.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            while self.take(Symbol::Semicolon) || self.take(Symbol::FileSeparator) {}
            self.blocks.clear();
            self.else_if = None;
            let start = self.at;
            match self.kind() {
                TokenKind::End => return items,
                TokenKind::Keyword(Keyword::End | Keyword::EndOf(_)) => self.stray_end(),
                _ => match self.item() {
                    Ok(item) => items.push(item),
                    Err(_) => self.skip_wrong_item(start),
                },
            }
        }
    }

    /// Moves after an `end` at the top level; it may belong to a block whose `end` was not
    /// recognised.
    fn stray_end(&mut self) {
        if self.unclosed > 0 {
            self.unclosed -= 1;
        } else {
            let message = format!("this `{}` closes nothing", self.word());
            self.report(Diagnostic::error(self.span(), message));
        }
        self.advance();
    }

    /// Skips an item that cannot be parsed, and the `end` that may be left of it.
    fn skip_wrong_item(&mut self, start: usize) {
        self.skip_item(start);
        if let TokenKind::Keyword(Keyword::End | Keyword::EndOf(_)) = self.kind() {
            self.advance();
        } else if self.at == start {
            self.advance();
        }
    }

    fn item(&mut self) -> Parse<Item> {
        if let Some(section) = self.section(Level::Outer) {
            return Ok(Item::Declaration(section));
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Function | Keyword::Procedure) => {
                self.function().map(Item::Function)
            }
            _ if self.is_include(self.at) => Ok(Item::Include(self.include())),
            _ => self.rule().map(Item::Rule),
        }
    }

    /// `include "file"`, which is next: see [`is_include`](Self::is_include).
    fn include(&mut self) -> Include {
        let start = self.span().start;
        self.advance();
        let path = self.optional_text().expect("a path follows `include`");
        Include { path, place: self.place(start) }
    }

    /// Whether `token` is `include` before a path.
    fn is_include(&self, token: usize) -> bool {
        let ahead = token - self.at;
        self.is_word_ahead(ahead, "include") && self.kind_ahead(ahead + 1) == TokenKind::Text
    }

    fn rule(&mut self) -> Parse<Rule> {
        let start = self.span().start;
        self.enter()?;
        let kind = self.rule_kind();
        self.leave();
        Ok(Rule { kind: kind?, place: self.place(start) })
    }

    #[inline(never)]
    fn rule_kind(&mut self) -> Parse<RuleKind> {
        let property = match self.kind() {
            TokenKind::Keyword(Keyword::Rule) => return self.plain_rule(None),
            TokenKind::Keyword(Keyword::Startstate) => return Ok(self.start()),
            TokenKind::Keyword(Keyword::Ruleset) => return self.ruleset(),
            TokenKind::Keyword(Keyword::Alias) => return self.alias_rules(),
            TokenKind::Keyword(Keyword::Invariant) => PropertyKind::Invariant,
            TokenKind::Keyword(Keyword::Assert) => PropertyKind::Assert,
            TokenKind::Keyword(Keyword::Assume) => PropertyKind::Assume,
            TokenKind::Keyword(Keyword::Cover) => PropertyKind::Cover,
            TokenKind::Keyword(Keyword::Liveness) => PropertyKind::Liveness,
            TokenKind::Name => return self.contextual_rule(),
            _ => return Err(self.unknown_item()),
        };
        self.property(property).map(RuleKind::Property)
    }

    /// An item that starts with a word that is not a keyword.
    #[inline(never)]
    fn contextual_rule(&mut self) -> Parse<RuleKind> {
        if self.is_word("fair") && self.kind_ahead(1) == TokenKind::Keyword(Keyword::Rule) {
            self.advance();
            self.plain_rule(Some(RuleFairness::Weak))
        } else if self.is_word("strongly") && self.is_word_ahead(1, "fair") {
            self.advance();
            self.advance();
            if !self.is_keyword(Keyword::Rule) {
                return Err(self.unexpected("`rule`"));
            }
            self.plain_rule(Some(RuleFairness::Strong))
        } else if self.is_word("process") {
            self.process()
        } else if self.is_word("choose") {
            self.choose()
        } else if self.is_word("ltl") {
            self.refuse_inside();
            self.ltl().map(RuleKind::Ltl)
        } else if self.is_word("justice") {
            self.refuse_inside();
            self.justice()
        } else if self.is_word("compassion") {
            self.refuse_inside();
            self.compassion()
        } else if self.is_include(self.at) {
            self.refuse_inside();
            self.include();
            Err(Reported)
        } else if let Some((item, length)) = advice::foreign_item(self) {
            self.foreign_item(item, length)
        } else {
            Err(self.unknown_item())
        }
    }

    /// Refuses the words of another language, `length` of them in front of what this one has, too;
    /// reads what follows.
    #[cold]
    fn foreign_item(&mut self, item: ForeignItem, length: usize) -> Parse<RuleKind> {
        let start = self.span().start;
        let words = Span { start, end: self.tokens[self.at + length.max(1) - 1].span.end };
        let written = &self.text[words.start..words.end];
        let error = Diagnostic::error(
            words,
            match item {
                ForeignItem::Start => {
                    format!("expected a declaration, a rule or a property, found `{written}`")
                }
                ForeignItem::Rule(_) => format!("rules are not `{written}`"),
                ForeignItem::Process => format!("processes are not `{written}`"),
            },
        );
        self.report(error.help(match item {
            ForeignItem::Start => "start states are written `startstate ... end`",
            ForeignItem::Rule(RuleFairness::Weak) => "a weakly fair rule is written `fair rule`",
            ForeignItem::Rule(RuleFairness::Strong) => {
                "a strongly fair rule is written `strongly fair rule`"
            }
            ForeignItem::Process => {
                "fairness belongs to a rule, `fair rule`, or to a formula, `... under weak fairness`; \
                 `--fairness weak` asks for it in a run"
            }
        }));
        self.at += length;
        match item {
            ForeignItem::Start if self.kind_ahead(1) == TokenKind::Name => Err(Reported),
            ForeignItem::Start => Ok(self.start()),
            ForeignItem::Rule(fairness) => self.plain_rule(Some(fairness)),
            ForeignItem::Process => self.process(),
        }
    }

    /// Whether the name `token` starts an item; a declaration of that name does not.
    pub(super) fn is_contextual_item(&self, token: usize) -> bool {
        let ahead = token - self.at;
        let next = self.kind_ahead(ahead + 1);
        if self.is_word_ahead(ahead, "fair") {
            return next == TokenKind::Keyword(Keyword::Rule);
        }
        if self.is_word_ahead(ahead, "strongly") {
            return self.is_word_ahead(ahead + 1, "fair");
        }
        if self.is_include(token) {
            return true;
        }
        let is_refused = ["program", "externproc", "externfun"]
            .iter()
            .any(|word| self.is_word_ahead(ahead, word));
        if self.is_contextual_block(token) || is_refused {
            return next == TokenKind::Name;
        }
        let is_property =
            ["ltl", "justice", "compassion"].iter().any(|word| self.is_word_ahead(ahead, word));
        is_property
            && match next {
                TokenKind::Name | TokenKind::Text | TokenKind::Number | TokenKind::Foreign => true,
                TokenKind::Keyword(keyword) => matches!(keyword, Keyword::Forall | Keyword::Exists),
                TokenKind::Symbol(symbol) => matches!(
                    symbol,
                    Symbol::OpenParenthesis
                        | Symbol::OpenBracket
                        | Symbol::Diamond
                        | Symbol::Not
                        | Symbol::Tilde
                        | Symbol::Plus
                        | Symbol::Minus
                ),
                TokenKind::Real | TokenKind::End => false,
            }
    }

    /// Whether `process` or `choose` opens a block at `token`.
    pub(super) fn is_contextual_block(&self, token: usize) -> bool {
        let word = |token: usize| {
            let token = self.tokens[token];
            &self.text[token.span.start..token.span.end]
        };
        let is_block =
            ["process", "choose"].iter().any(|block| word(token).eq_ignore_ascii_case(block));
        is_block && self.tokens.get(token + 1).is_some_and(|next| next.kind == TokenKind::Name)
    }

    #[cold]
    fn unknown_item(&mut self) -> Reported {
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].kind);
        let is_behind_expression = match before {
            Some(TokenKind::Name | TokenKind::Number) => true,
            Some(TokenKind::Symbol(symbol)) => {
                matches!(symbol, Symbol::CloseParenthesis | Symbol::CloseBracket)
            }
            _ => false,
        };
        let error = self.wrong(if is_behind_expression {
            "an operator, `;` or the next item"
        } else {
            "a declaration, a rule or a property"
        });
        let word = self.word();
        let lower = word.to_ascii_lowercase();
        let error = match (self.kind(), &lower[..]) {
            (TokenKind::Name, "program") => {
                Diagnostic::error(self.span(), "a model has no `program` header")
                    .help("leave this line out")
            }
            (TokenKind::Name, "include") => error.help("write `include \"FILE\";`"),
            (TokenKind::Name, "externproc" | "externfun") => {
                let message = "functions in other languages are not supported";
                Diagnostic::error(self.span(), message).help("write the function in the model")
            }
            (TokenKind::Name, _) if error.help.is_none() => match advice::item_like(word) {
                Some(item) => error.help(format!("did you mean `{item}`?")),
                None => error,
            },
            (TokenKind::Keyword(keyword), _) if is_statement(keyword) => {
                error.help("statements stand inside rules, start states and functions")
            }
            _ => error,
        };
        self.report(error)
    }

    /// `rule "name" guard ==> ... end`; its word is the next token.
    #[inline(never)]
    fn plain_rule(&mut self, fairness: Option<RuleFairness>) -> Parse<RuleKind> {
        self.open(Block::Rule);
        self.refuse_priority();
        let name = self.optional_title();
        let guard = if self.is_guard() { Some(self.guard()) } else { None };
        let (declarations, body) = self.body();
        Ok(RuleKind::Rule { fairness, name, guard: guard.transpose()?, declarations, body })
    }

    /// Refuses `rule 20 "name"`: in `CMurphi`, such a rule has priority over others.
    fn refuse_priority(&mut self) {
        if self.kind() == TokenKind::Number && self.kind_ahead(1) == TokenKind::Text {
            let error = Diagnostic::error(self.span(), "priorities of rules are not supported");
            self.report(error.help("leave it out: any rule that is enabled may be taken"));
            self.advance();
        }
    }

    /// Whether a guard follows: `==>` comes before anything that a guard cannot contain. Without
    /// `==>`, tokens before `begin` were meant as a guard.
    fn is_guard(&self) -> bool {
        let mut depth = 0_usize;
        for (ahead, token) in self.tokens[self.at..].iter().enumerate() {
            match token.kind {
                TokenKind::Symbol(Symbol::Arrow | Symbol::FatArrow) => return true,
                TokenKind::Symbol(Symbol::Assign | Symbol::Semicolon) if depth == 0 => {
                    return false;
                }
                TokenKind::Keyword(Keyword::Forall | Keyword::Exists | Keyword::Record) => {
                    depth += 1;
                }
                TokenKind::Name if self.total_at(self.at + ahead).is_some() => depth += 1,
                TokenKind::Keyword(Keyword::End | Keyword::EndOf(_)) => {
                    match depth.checked_sub(1) {
                        Some(less) => depth = less,
                        None => return false,
                    }
                }
                TokenKind::Keyword(
                    Keyword::Begin | Keyword::Const | Keyword::Type | Keyword::Var,
                ) => {
                    return ahead > 0;
                }
                TokenKind::Keyword(keyword) if is_outermost(keyword) => return false,
                TokenKind::Keyword(keyword) if is_statement(keyword) => return ahead > 0,
                TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }

    /// A guard with its `==>`. After an error, parsing continues after that.
    fn guard(&mut self) -> Parse<Expression> {
        let blocks = self.blocks.len();
        let guard = self.expression();
        if guard.is_err() {
            self.blocks.truncate(blocks);
            let behind = &self.tokens[self.at..];
            let arrow = behind.iter().take_while(|token| !is_body(token.kind));
            self.at += arrow.take_while(|token| !is_arrow(token.kind)).count();
        }
        if !self.take(Symbol::Arrow) {
            let error = self.wrong("an operator or `==>`");
            self.report(match error.help {
                Some(_) if !self.is(Symbol::FatArrow) => error,
                _ => error.help("`==>` stands behind the guard of a rule"),
            });
            let behind = self.tokens[self.at..].iter();
            let before_body = behind.take_while(|token| !is_body(token.kind));
            let arrow = before_body.map(|token| token.kind).position(is_arrow);
            self.at += arrow.map_or(0, |position| position + 1);
        }
        guard
    }

    #[inline(never)]
    fn start(&mut self) -> RuleKind {
        self.open(Block::Startstate);
        let name = self.optional_title();
        let (declarations, body) = self.body();
        RuleKind::Start { name, declarations, body }
    }

    #[inline(never)]
    fn ruleset(&mut self) -> Parse<RuleKind> {
        let opened = self.open(Block::Ruleset);
        let quantifiers = self.quantifiers_and_do(opened);
        let rules = self.rules();
        Ok(RuleKind::Ruleset { quantifiers: quantifiers?, rules })
    }

    #[inline(never)]
    fn alias_rules(&mut self) -> Parse<RuleKind> {
        let aliases = self.aliases();
        let rules = self.rules();
        Ok(RuleKind::Alias { aliases: aliases?, rules })
    }

    #[inline(never)]
    fn choose(&mut self) -> Parse<RuleKind> {
        let opened = self.open(Block::Choose);
        let heading = self.choose_heading();
        if heading.is_err() {
            self.skip_to(Keyword::Do);
        }
        self.expect_word(Keyword::Do, "do", opened);
        let rules = self.rules();
        let (name, multiset) = heading?;
        Ok(RuleKind::Choose { name, multiset, rules })
    }

    /// `i: ms`
    fn choose_heading(&mut self) -> Parse<(Name, Expression)> {
        let name = self.name("a name for the element")?;
        self.expect(Symbol::Colon, "`:` and a multiset")?;
        Ok((name, self.designator()?))
    }

    #[inline(never)]
    fn process(&mut self) -> Parse<RuleKind> {
        let opened = self.open(Block::Process);
        let heading = self.process_heading();
        if heading.is_err() {
            self.skip_to(Keyword::Do);
        }
        self.expect_word(Keyword::Do, "do", opened);
        let rules = self.rules();
        let (name, family) = heading?;
        Ok(RuleKind::Process { name, family, rules })
    }

    /// `c: T`, `server`
    fn process_heading(&mut self) -> Parse<(Name, Option<Type>)> {
        let name = self.name("the name of a process or of its parameter")?;
        let family = if self.take(Symbol::Colon) { Some(self.type_()?) } else { None };
        Ok((name, family))
    }

    /// Parses rules up to and including the `end` of the innermost block.
    fn rules(&mut self) -> Vec<Rule> {
        let opened = *self.blocks.last().expect("rules stand inside a block");
        let mut rules = Vec::new();
        let mut is_complained = false;
        loop {
            self.semicolons();
            if self.is_end() {
                break;
            }
            let (start, blocks) = (self.at, self.blocks.len());
            let found = if is_declaration(self.kind()) {
                if !is_complained {
                    self.misplaced(opened);
                    is_complained = true;
                }
                self.item().map(|_| ())
            } else {
                self.rule().map(|rule| rules.push(rule))
            };
            if found.is_err() {
                self.blocks.truncate(blocks);
                self.skip_item(start);
                if self.at == start {
                    self.advance();
                }
            }
        }
        if is_complained && self.kind() == TokenKind::End {
            // It has been reported that the block should have ended before.
            self.complained = Some(self.at);
        }
        self.close();
        rules
    }

    /// Reports a declaration or function inside a block of rules.
    #[cold]
    fn misplaced(&mut self, opened: super::cursor::Opened) {
        let (found, block) = (self.found(), opened.block.word());
        let error =
            Diagnostic::error(self.span(), format!("{found} cannot stand inside `{block}`"))
                .related(opened.place, format!("this `{block}` has not ended yet"))
                .help(
                    "declarations and functions stand outside of all blocks: is an `end` missing?",
                );
        self.report(error);
    }

    /// Refuses a temporal property inside a block, but parses it.
    #[inline(never)]
    fn refuse_inside(&mut self) {
        let Some(&opened) = self.blocks.last() else { return };
        let (word, block) = (self.word(), opened.block.word());
        let error =
            Diagnostic::error(self.span(), format!("`{word}` cannot stand inside `{block}`"))
                .related(opened.place, format!("inside this `{block}`"));
        let error = error.help(match word {
            _ if word.eq_ignore_ascii_case("include") => "put it before the block".to_owned(),
            _ => format!("put it behind the block, as `{word} \"...\": forall c: T. ...`"),
        });
        self.report(error);
    }
}

fn is_declaration(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Keyword(
            Keyword::Const | Keyword::Type | Keyword::Var | Keyword::Function | Keyword::Procedure
        )
    )
}

fn is_arrow(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Symbol(Symbol::Arrow | Symbol::FatArrow))
}

/// Whether a token can follow the guard of a rule.
fn is_body(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Keyword(keyword) => {
            is_statement(keyword)
                || is_outermost(keyword)
                || matches!(keyword, Keyword::Begin | Keyword::Const | Keyword::Type | Keyword::Var)
        }
        kind => kind == TokenKind::End,
    }
}
