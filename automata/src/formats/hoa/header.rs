//! The header of an automaton: what is declared.
//!
//! Numbers are checked against what they count before anything is made of them: a huge `States:` or
//! `AP:` allocates nothing. Items may come in any order, so that the atoms in aliases are checked at
//! the end. Items that the format lets a reader ignore (lower case) are; unknown others are refused.

use super::acceptance::Visit;
use super::document::Operand;
use super::expression::{Expression, Negation, expression};
use super::kind_of;
use super::lexer::{Lexer, Stop, Token, clipped, unescape};
use crate::automaton::Marks;
use hashbrown::{HashMap, HashSet};
use ltl::{Atoms, Diagnostic, Span};

/// More atomic propositions than this are refused: diagrams are as deep as there are atoms.
const MOST_ATOMS: usize = 1024;

/// What the header of an automaton declares.
#[derive(Default)]
pub(super) struct Header<'a> {
    pub(super) name: Option<String>,
    pub(super) states: Option<(u32, Span)>,
    /// Initial states, each once.
    pub(super) starts: Vec<(u32, Span)>,
    started: HashSet<u32>,
    pub(super) atoms: Atoms,
    pub(super) aliases: Vec<Expression<Operand>>,
    alias_ids: HashMap<&'a str, (u32, Span)>,
    pub(super) acceptance: Option<Condition>,
    /// Where items that may occur once were met.
    once: HashMap<&'a str, Span>,
}

/// `Acceptance:`, and where it stands.
pub(super) struct Condition {
    pub(super) span: Span,
    pub(super) declared: u32,
    /// The sets that the condition mentions, ascending; in the expression they are numbered by
    /// their places here.
    pub(super) sets: Vec<u32>,
    pub(super) expression: Expression<Visit>,
}

impl<'a> Header<'a> {
    pub(super) fn read(lexer: &mut Lexer<'a>) -> Result<Header<'a>, Stop> {
        let mut header = Header::default();
        if lexer.peek() != Token::Header("HOA") {
            return Err(lexer.expected("`HOA: v1`"));
        }
        lexer.next()?;
        if lexer.peek() != Token::Identifier("v1") {
            return Err(lexer.expected("version `v1` of the format"));
        }
        lexer.next()?;
        // Numbers of atoms in aliases, until it is known how many there are.
        let mut mentioned = Vec::new();
        while let (Token::Header(item), span) = (lexer.peek(), lexer.span()) {
            lexer.next()?;
            header.item(lexer, item, span, &mut mentioned)?;
        }
        if lexer.peek() != Token::Body {
            return Err(lexer.expected("a header item or `--BODY--`"));
        }
        if header.acceptance.is_none() {
            return Err(Diagnostic::error(lexer.span(), "no `Acceptance:` in the header").into());
        }
        for (number, span) in mentioned {
            header.check_atom(number, span)?;
        }
        lexer.next()?;
        Ok(header)
    }

    fn item(
        &mut self,
        lexer: &mut Lexer<'a>,
        item: &'a str,
        span: Span,
        mentioned: &mut Vec<(u32, Span)>,
    ) -> Result<(), Stop> {
        let repeatable = matches!(item, "Start" | "Alias" | "properties");
        if !repeatable && let Some(first) = self.once.insert(item, span) {
            let message = format!("a second `{item}:`");
            return Err(Diagnostic::error(span, message).related(first, "the first one").into());
        }
        match item {
            "HOA" => Err(Diagnostic::error(span, "`HOA:` inside an automaton").into()),
            "States" => {
                self.states = Some(lexer.number("the number of states")?);
                Ok(())
            }
            "Start" => {
                let start = state(lexer, "an initial state")?;
                if self.started.insert(start.0) {
                    self.starts.push(start);
                }
                Ok(())
            }
            "AP" => self.atomic_propositions(lexer),
            "Alias" => self.alias(lexer, mentioned),
            "Acceptance" => self.condition(lexer, span),
            "name" => {
                let Token::Text(text) = lexer.peek() else {
                    return Err(lexer.expected("a string"));
                };
                self.name = Some(unescape(text));
                lexer.next().map(|_| ())
            }
            // What the automaton is says more than what the header says of it.
            "acc-name" | "tool" | "properties" => ignore(lexer),
            other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message =
                    format!("`{other}:` may change the automaton's meaning, but is unknown");
                Err(Diagnostic::error(span, message).into())
            }
            _ => ignore(lexer),
        }
    }

    fn atomic_propositions(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Stop> {
        let (declared, span) = lexer.number("the number of atomic propositions")?;
        if declared as usize > MOST_ATOMS {
            let message = format!("more than {MOST_ATOMS} atomic propositions");
            return Err(Diagnostic::error(span, message).into());
        }
        let mut places: Vec<Span> = Vec::new();
        while let (Token::Text(text), place) = (lexer.peek(), lexer.span()) {
            if places.len() == declared as usize {
                let message = format!("more names than the {declared} declared");
                return Err(Diagnostic::error(place, message)
                    .related(span, "declared here")
                    .into());
            }
            let atom = self.atoms.intern(kind_of(&unescape(text)));
            if let Some(&first) = places.get(atom.index()) {
                let message = "the same atomic proposition twice";
                return Err(Diagnostic::error(place, message)
                    .related(first, "the first one")
                    .into());
            }
            places.push(place);
            lexer.next()?;
        }
        if places.len() < declared as usize {
            let message = format!("{declared} names declared, but {} follow", places.len());
            return Err(Diagnostic::error(span, message).into());
        }
        Ok(())
    }

    fn alias(
        &mut self,
        lexer: &mut Lexer<'a>,
        mentioned: &mut Vec<(u32, Span)>,
    ) -> Result<(), Stop> {
        let (Token::Alias(name), span) = (lexer.peek(), lexer.span()) else {
            return Err(lexer.expected("the name of an alias, such as `@a`"));
        };
        if let Some(&(_, first)) = self.alias_ids.get(name) {
            let message = format!("the alias `@{}` is defined twice", clipped(name));
            return Err(Diagnostic::error(span, message).related(first, "first here").into());
        }
        lexer.next()?;
        let label = self.label(lexer, |number, span| {
            mentioned.push((number, span));
            Ok(())
        })?;
        self.alias_ids.insert(name, (self.aliases.len() as u32, span));
        self.aliases.push(label);
        Ok(())
    }

    /// A label; `check` sees the numbers of atoms.
    pub(super) fn label(
        &self,
        lexer: &mut Lexer<'a>,
        mut check: impl FnMut(u32, Span) -> Result<(), Stop>,
    ) -> Result<Expression<Operand>, Stop> {
        expression(lexer, Negation::Allowed, &mut |lexer| {
            let span = lexer.span();
            let operand = match lexer.peek() {
                Token::Number(number) => {
                    check(number, span)?;
                    Operand::Atom(number)
                }
                Token::Alias(name) => {
                    let Some(&(id, _)) = self.alias_ids.get(name) else {
                        let message =
                            format!("the alias `@{}` is not defined before", clipped(name));
                        return Err(Diagnostic::error(span, message).into());
                    };
                    Operand::Alias(id)
                }
                _ => return Err(lexer.expected("a label")),
            };
            lexer.next()?;
            Ok(operand)
        })
    }

    pub(super) fn check_atom(&self, number: u32, span: Span) -> Result<(), Stop> {
        if (number as usize) < self.atoms.len() {
            return Ok(());
        }
        let message = format!("there is no atomic proposition {number}");
        let help = match self.atoms.len() {
            0 => "`AP:` declares none".to_owned(),
            count => format!("`AP:` declares {count}, numbered from 0"),
        };
        Err(Diagnostic::error(span, message).help(help).into())
    }

    fn condition(&mut self, lexer: &mut Lexer<'a>, item: Span) -> Result<(), Stop> {
        let (declared, _) = lexer.number("the number of acceptance sets")?;
        let start = lexer.span().start;
        let mut expression = expression(lexer, Negation::Refused, &mut |lexer| {
            let infinitely = match lexer.peek() {
                Token::Identifier("Inf") => true,
                Token::Identifier("Fin") => false,
                _ => return Err(lexer.expected("`Inf`, `Fin`, `t`, `f` or `(`")),
            };
            lexer.next()?;
            lexer.expect_sign('(')?;
            let complement = lexer.sign('!')?;
            let set = acceptance_set(lexer, declared)?;
            lexer.expect_sign(')')?;
            Ok(Visit { infinitely, set, complement })
        })?;
        let span = Span { start: start.min(lexer.last_end()), end: lexer.last_end() };
        let mut sets = Vec::new();
        visits(&mut expression, &mut |visit| sets.push(visit.set));
        sets.sort_unstable();
        sets.dedup();
        if sets.len() > Marks::MOST {
            let message = format!("more than {} acceptance sets in the condition", Marks::MOST);
            return Err(Diagnostic::error(item, message).into());
        }
        visits(&mut expression, &mut |visit| {
            let place = sets.binary_search(&visit.set).expect("all sets were collected");
            visit.set = place as u32;
        });
        self.acceptance = Some(Condition { span, declared, sets, expression });
        Ok(())
    }
}

/// Calls `act` on each operand.
fn visits(condition: &mut Expression<Visit>, act: &mut dyn FnMut(&mut Visit)) {
    match condition {
        Expression::Constant(_) => {}
        Expression::Leaf(visit) => act(visit),
        Expression::Not(operand) => visits(operand, act),
        Expression::And(operands) | Expression::Or(operands) => {
            for operand in operands {
                visits(operand, act);
            }
        }
    }
}

/// The data of an item that does not matter.
fn ignore(lexer: &mut Lexer) -> Result<(), Stop> {
    while let Token::Identifier(_) | Token::Boolean(_) | Token::Number(_) | Token::Text(_) =
        lexer.peek()
    {
        lexer.next()?;
    }
    Ok(())
}

/// A state that runs lead to: not a conjunction of several.
pub(super) fn state(lexer: &mut Lexer, what: &str) -> Result<(u32, Span), Stop> {
    let state = lexer.number(what)?;
    if lexer.peek() == Token::Sign('&') {
        let message = "a conjunction of states: alternating automata are not supported";
        let help = "remove alternation first, for example with Spot's `autfilt --tgba`";
        return Err(Diagnostic::error(lexer.span(), message).help(help).into());
    }
    Ok(state)
}

pub(super) fn acceptance_set(lexer: &mut Lexer, declared: u32) -> Result<u32, Stop> {
    let (set, span) = lexer.number("an acceptance set")?;
    if set < declared {
        return Ok(set);
    }
    let message = format!("there is no acceptance set {set}");
    let help = format!("`Acceptance:` declares {declared}, numbered from 0");
    Err(Diagnostic::error(span, message).help(help).into())
}
