//! Formulas about nets, as text.
//!
//! ```text
//! G (tokens(Queue) + tokens("a-b") <= 3)       all colours of a place together
//! F dead                                       nothing can fire
//! G (fireable(T) -> F @T(_, c1))               some binding of T is enabled; a step of T
//! ```

use crate::formula::{Builder, Condition, Event, Formula, Sum, Value};
use crate::net::Net;
use ltl::parser::{Algebra, Binary, NESTING_LIMIT, Prefix, interpret};
use ltl::{Argument, EventPattern, Node};
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while};
use nom::character::complete::{char, digit1, multispace0, satisfy};
use nom::combinator::{consumed, map, opt, recognize};
use nom::multi::separated_list1;
use nom::sequence::{delimited, pair, preceded, terminated};
use nom::{IResult, Parser};
use run::{Diagnostic, Span};

/// The formula of a text.
pub fn parse(text: &str, net: &Net) -> Result<Formula, Diagnostic> {
    let mut reading = Reading { net, builder: Builder::default() };
    let value = interpret(text, &mut reading)?;
    Ok(reading.builder.finish(value, text.trim().to_owned()))
}

struct Reading<'n> {
    net: &'n Net,
    builder: Builder,
}

/// A name, with quotes if it is no identifier.
fn name(rest: &str) -> IResult<&str, &str> {
    let word = recognize(pair(
        satisfy(|c| c.is_alphabetic() || c == '_'),
        take_while(|c: char| c.is_alphanumeric() || c == '_'),
    ));
    alt((delimited(char('"'), is_not("\""), char('"')), word)).parse(rest)
}

fn sign<'t>(
    of: &'static str,
) -> impl Parser<&'t str, Output = &'t str, Error = nom::error::Error<&'t str>> {
    delimited(multispace0, tag(of), multispace0)
}

/// Names in parentheses.
fn names(rest: &str) -> IResult<&str, Vec<&str>> {
    delimited(sign("("), separated_list1(sign(","), name), preceded(multispace0, char(')')))
        .parse(rest)
}

/// A part of a sum.
enum Part<'t> {
    Number(&'t str),
    Tokens(Option<&'t str>, Vec<&'t str>),
}

fn part(rest: &str) -> IResult<&str, Part<'_>> {
    let factor = opt(terminated(digit1, sign("*")));
    let tokens = map((factor, preceded(tag("tokens"), names)), |(factor, names)| {
        Part::Tokens(factor, names)
    });
    alt((tokens, map(digit1, Part::Number))).parse(rest)
}

fn sum(rest: &str) -> IResult<&str, Vec<Part<'_>>> {
    separated_list1(sign("+"), part).parse(rest)
}

impl Reading<'_> {
    fn place(&self, id: &str, span: Span) -> Result<usize, Diagnostic> {
        self.net.place(id).ok_or_else(|| {
            let ids = self.net.places.iter().map(|one| one.id.as_str());
            Diagnostic::error(span, format!("the net has no place `{id}`"))
                .help(known("places", ids))
        })
    }

    fn transition(&self, id: &str, span: Span) -> Result<usize, Diagnostic> {
        self.net.transition(id).ok_or_else(|| {
            let ids = self.net.transitions.iter().map(|one| one.id.as_str());
            Diagnostic::error(span, format!("the net has no transition `{id}`"))
                .help(known("transitions", ids))
        })
    }

    fn total(&self, parts: Vec<Part<'_>>, span: Span) -> Result<Sum, Diagnostic> {
        let number = |digits: &str| {
            let small = digits.parse::<i64>().ok().filter(|&one| one <= 1 << 40);
            small
                .ok_or_else(|| Diagnostic::error(span, format!("the number {digits} is too large")))
        };
        let (mut constant, mut places) = (0_i64, Vec::new());
        for part in parts {
            match part {
                Part::Number(digits) => constant += number(digits)?,
                Part::Tokens(factor, names) => {
                    let factor = factor.map_or(Ok(1), number)?;
                    for name in names {
                        places.push((factor, self.place(name, span)?));
                    }
                }
            }
        }
        Ok(Sum::new(constant, places))
    }

    /// A comparison of sums at the start of a text.
    fn comparison(&self, rest: &str, offset: usize) -> Result<(Condition, usize), Diagnostic> {
        let wrong = |at: &str, expected: &str| {
            let at = offset + rest.len() - at.trim_start().len();
            Diagnostic::error(Span::at(at), format!("{expected} is expected here"))
                .help("write `tokens(P) + tokens(\"a-b\") <= 3`")
        };
        let (behind, left) = sum(rest).map_err(|_| wrong(rest, "a sum of tokens"))?;
        let operators =
            alt((sign("<="), sign(">="), sign("!="), sign("=="), sign("<"), sign(">"), sign("=")));
        let mut operators = operators;
        let (behind, operator) = operators
            .parse(behind)
            .map_err(|_: nom::Err<nom::error::Error<&str>>| wrong(behind, "a comparison"))?;
        let (behind, right) = sum(behind).map_err(|_| wrong(behind, "a sum of tokens"))?;
        let length = rest.len() - behind.len();
        let span = Span { start: offset, end: offset + length };
        let (left, right) = (self.total(left, span)?, self.total(right, span)?);
        let more = |sum: &Sum| Sum { constant: sum.constant + 1, ..sum.clone() };
        let at_most = Condition::at_most(&left, &right);
        let at_least = Condition::at_most(&right, &left);
        let condition = match operator {
            "<=" => at_most,
            ">=" => at_least,
            "<" => Condition::at_most(&more(&left), &right),
            ">" => Condition::at_most(&more(&right), &left),
            "!=" => Condition::and([at_most, at_least]).negated(),
            _ => Condition::and([at_most, at_least]),
        };
        Ok((condition, length))
    }

    fn made(&mut self, node: Node<'_>, span: Span) -> Result<Value, Diagnostic> {
        let value = self.builder.node(node);
        if self.builder.depth(&value) > NESTING_LIMIT {
            let message = format!("the formula is nested more than {NESTING_LIMIT} levels deep");
            return Err(Diagnostic::error(span, message));
        }
        Ok(value)
    }
}

/// Some of the names that there are.
fn known<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let mut names: Vec<&str> = names.take(MOST + 1).collect();
    let is_more = names.len() > MOST;
    names.truncate(MOST);
    let dots = if is_more { ", ..." } else { "" };
    format!("{what}: {}{dots}", names.join(", "))
}

impl Algebra for Reading<'_> {
    type Value = Value;

    fn read(&mut self, rest: &str, offset: usize) -> Result<Option<(Value, usize)>, Diagnostic> {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        let span = Span { start: offset, end: offset + end };
        match word {
            "dead" => {
                let all = Condition::fireable(0..self.net.transitions.len());
                Ok(Some((Value::Condition(all.negated()), end)))
            }
            "fireable" => {
                let Ok((behind, (inside, names))) = consumed(names).parse(&rest[end..]) else {
                    return Err(Diagnostic::error(span, "the transitions are missing")
                        .help("write `fireable(T)` or `fireable(\"a-b\", T)`"));
                };
                let span = Span { start: offset, end: offset + end + inside.len() };
                let transitions: Result<Vec<usize>, Diagnostic> =
                    names.into_iter().map(|id| self.transition(id, span)).collect();
                let condition = Condition::fireable(transitions?);
                Ok(Some((Value::Condition(condition), rest.len() - behind.len())))
            }
            _ if word == "tokens" || rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let (condition, length) = self.comparison(rest, offset)?;
                Ok(Some((Value::Condition(condition), length)))
            }
            _ => Ok(None),
        }
    }

    fn constant(&mut self, value: bool) -> Value {
        Value::Condition(Condition::Constant(value))
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Value, Diagnostic> {
        let help = if self.net.place(name).is_some() {
            format!(
                "write `tokens({})` for its tokens, and compare them",
                crate::formula::quoted(name)
            )
        } else if self.net.transition(name).is_some() {
            let name = crate::formula::quoted(name);
            format!("write `fireable({name})` or, for its steps, `@{name}`")
        } else {
            "conditions are `tokens(P) <= 3`, `fireable(T)`, `dead`; steps are `@T`".to_owned()
        };
        Err(Diagnostic::error(span, format!("`{name}` is no condition")).help(help))
    }

    fn event(&mut self, pattern: &EventPattern, span: Span) -> Result<Value, Diagnostic> {
        let (name, arguments) = match pattern {
            EventPattern::Named { name, arguments } => (name, arguments),
            EventPattern::By(_) => {
                return Err(Diagnostic::error(span, "a net has no processes that take its steps")
                    .help("name a transition, `@T`"));
            }
        };
        let transition = self.transition(name, span)?;
        let variables = &self.net.transitions[transition].variables;
        let mut binding = vec![None; variables.len()];
        if let Some(arguments) = arguments {
            if arguments.len() != variables.len() {
                let names: Vec<&str> = variables.iter().map(|one| one.name.as_str()).collect();
                let message = format!(
                    "`{name}` has {} variable(s), but {} colours are given",
                    variables.len(),
                    arguments.len()
                );
                return Err(Diagnostic::error(span, message)
                    .help(format!("its variables are: {}", names.join(", "))));
            }
            for ((colour, variable), argument) in binding.iter_mut().zip(variables).zip(arguments) {
                let Argument::Value(value) = argument else { continue };
                let of = &self.net.classes[variable.class];
                let at = of.colours.iter().position(|one| one == value);
                let Some(at) = at else {
                    let message = format!("`{value}` is no colour of `{}`", of.name);
                    return Err(Diagnostic::error(span, message)
                        .help(known("colours", of.colours.iter().map(String::as_str))));
                };
                *colour = Some(at as u32);
            }
        }
        Ok(self.builder.event(Event { transition: Some(transition), binding }))
    }

    fn prefix(
        &mut self,
        operator: Prefix,
        operand: Value,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        if operator == Prefix::Not {
            return Ok(self.builder.not(operand));
        }
        let operand = self.builder.temporal(operand);
        let node = match operator {
            Prefix::Not => unreachable!("it was made above"),
            Prefix::Next => Node::Next(operand),
            Prefix::Finally => Node::Finally(operand),
            Prefix::Globally => Node::Globally(operand),
        };
        self.made(node, span)
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: Value,
        right: Value,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        match operator {
            Binary::And | Binary::Or => {
                return Ok(self.builder.join(operator == Binary::And, vec![left, right]));
            }
            Binary::Implies => {
                let left = self.builder.not(left);
                return Ok(self.builder.join(false, vec![left, right]));
            }
            _ => {}
        }
        let (f, g) = (self.builder.temporal(left), self.builder.temporal(right));
        let node = match operator {
            Binary::And | Binary::Or | Binary::Implies => unreachable!("they were made above"),
            Binary::Xor => Node::Xor(f, g),
            Binary::Iff => Node::Iff(f, g),
            Binary::Until => Node::Until(f, g),
            Binary::Release => Node::Release(f, g),
            Binary::WeakUntil => Node::WeakUntil(f, g),
            Binary::StrongRelease => Node::StrongRelease(f, g),
        };
        self.made(node, span)
    }
}
