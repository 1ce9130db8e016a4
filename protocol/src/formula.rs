//! Formulas about protocols: text with atoms that are closures.
//!
//! ```text
//! forall c: Client. G (waiting(c) -> F inside(c))
//! forall distinct a, b: Client. G !(inside(a) & inside(b))
//! G (@ask(_) -> F @by(Client))                           events, and their owners
//! ```

mod alphabet;

use crate::coding::EventKind;
use crate::index::Indices;
use crate::shape::{Shape, Simple};
use crate::system::Declarations;
use ltl::parser::{Algebra, Binary, NESTING_LIMIT, Prefix, interpret};
use ltl::source::{Colour, Diagnostic, Source, Span};
use ltl::{Argument, EventPattern, Formulas, Node};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, multispace0, satisfy};
use nom::combinator::{opt, recognize};
use nom::multi::{many0_count, separated_list1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};
use std::any::TypeId;
use std::fmt;
use terms::IndexTypeId;

/// A temporal formula about a protocol.
#[derive(Clone, Debug)]
pub struct Formula {
    pub(crate) text: String,
    pub(crate) formulas: Formulas,
    pub(crate) root: ltl::Formula,
    pub(crate) atoms: Vec<Use>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) groups: Vec<Group>,
}

/// A tracked variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) of: IndexTypeId,
}

/// Tracked variables that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) variables: Vec<usize>,
    pub(crate) is_distinct: bool,
}

/// What an atom says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
}

/// The meaning of an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// An atom of the protocol, with variables as arguments.
    Atom { atom: usize, variables: Vec<usize> },
    /// An event of this kind. Patterns are given by the first cell of an argument.
    Event { kind: u32, arguments: Vec<(usize, Pattern)> },
    /// A step of some process.
    By(Process),
}

/// What an argument of an event is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    Variable(usize),
    Cell(i64),
}

/// A process, or several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Process {
    /// All steps.
    Any,
    Variable(usize),
    Named(String),
    /// All processes of an index type.
    Type(IndexTypeId),
}

/// A formula cannot be read. The message underlines the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaError(pub(crate) String);

impl fmt::Display for FormulaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.trim_end())
    }
}

impl std::error::Error for FormulaError {}

impl Formula {
    /// The formula of a text.
    pub(crate) fn parse(
        text: &str,
        declared: &Declarations,
        kinds: &[EventKind],
    ) -> Result<Formula, FormulaError> {
        parse(text, declared, kinds)
            .map_err(|wrong| FormulaError(Source::new("formula", text).render(&wrong, Colour::Off)))
    }

    /// A formula that no run satisfies, with the same variables.
    #[must_use]
    pub fn unsatisfiable(&self) -> Formula {
        Formula { root: ltl::Formula::FALSE, ..self.clone() }
    }

    /// The formula of linear temporal logic, over atoms that are numbered from 0.
    pub fn syntax(&self) -> (&Formulas, ltl::Formula) {
        (&self.formulas, self.root)
    }

    /// An atom, as it is written in the formula.
    pub fn atom_text(&self, atom: ltl::Atom) -> &str {
        &self.atoms[atom.0 as usize].text
    }

    /// Another formula over the same atoms and variables.
    #[must_use]
    pub fn with_syntax(&self, formulas: Formulas, root: ltl::Formula) -> Formula {
        Formula { formulas, root, ..self.clone() }
    }

    /// The text of the formula.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn parse(text: &str, declared: &Declarations, kinds: &[EventKind]) -> Result<Formula, Diagnostic> {
    let start = text.len() - text.trim_start().len();
    let (quantified, body) = quantifier(text, start)?;
    let (mut variables, mut groups) = (Vec::<Variable>::new(), Vec::new());
    for (is_distinct, names, (of, span)) in quantified {
        let known = declared.all.types().iter().position(|one| one.name == of);
        let Some(known) = known else {
            let names: Vec<&str> = declared.all.types().iter().map(|one| one.name).collect();
            let message = format!("there is no index type `{of}`");
            return Err(Diagnostic::error(span, message).help(known_names("index type", &names)));
        };
        let first = variables.len();
        for (name, span) in names {
            if variables.iter().any(|one| one.name == name) {
                return Err(Diagnostic::error(span, format!("`{name}` is bound twice")));
            }
            variables.push(Variable { name: name.to_owned(), of: IndexTypeId(known as u32) });
        }
        groups.push(Group { variables: (first..variables.len()).collect(), is_distinct });
    }
    let mut reading = Reading {
        declared,
        kinds,
        variables: &variables,
        formulas: Formulas::new(),
        atoms: Vec::new(),
    };
    let root = interpret(&text[body..], &mut reading);
    let root = root.map_err(|wrong| wrong.moved(body.cast_signed()))?;
    let Reading { formulas, atoms, .. } = reading;
    Ok(Formula { text: text.trim().to_owned(), formulas, root, atoms, variables, groups })
}

/// The groups of a quantifier: whether it is distinct, its variables and its type, with their places.
type Quantified<'t> = Vec<(bool, Vec<(&'t str, Span)>, (&'t str, Span))>;

/// The quantifier in front of a formula, if there is one, and where the rest starts.
fn quantifier(text: &str, start: usize) -> Result<(Quantified<'_>, usize), Diagnostic> {
    fn word(rest: &str) -> IResult<&str, &str> {
        let first = satisfy(|c| c.is_alphabetic() || c == '_');
        let others = many0_count(satisfy(|c| c.is_alphanumeric() || c == '_'));
        preceded(multispace0, recognize((first, others))).parse(rest)
    }
    fn sign(c: char) -> impl FnMut(&str) -> IResult<&str, char> {
        move |rest| preceded(multispace0, char(c)).parse(rest)
    }
    fn forall(rest: &str) -> IResult<&str, &str> {
        alt((terminated(tag("forall"), take_while1(char::is_whitespace)), tag("∀"))).parse(rest)
    }
    let Ok((mut rest, _)) = forall(&text[start..]) else { return Ok((Vec::new(), start)) };
    let place = |part: &str| {
        let at = part.as_ptr() as usize - text.as_ptr() as usize;
        Span { start: at, end: at + part.len() }
    };
    let malformed = |rest: &str| {
        let at = text.len() - rest.trim_start().len();
        Diagnostic::error(Span::at(at), "a quantifier is malformed here")
            .help("write `forall c: Client. ...` or `forall distinct a, b: Client. ...`")
    };
    let mut groups = Vec::new();
    loop {
        let (next, distinct) = opt(delimited(
            multispace0::<&str, nom::error::Error<&str>>,
            tag("distinct"),
            take_while1(char::is_whitespace),
        ))
        .parse(rest)
        .map_err(|_| malformed(rest))?;
        let (next, names) =
            separated_list1(sign(','), word).parse(next).map_err(|_| malformed(next))?;
        let (next, _) = sign(':')(next).map_err(|_| malformed(next))?;
        let (next, of) = word(next).map_err(|_| malformed(next))?;
        let names = names.into_iter().map(|name| (name, place(name))).collect();
        groups.push((distinct.is_some(), names, (of, place(of))));
        if let Ok((next, _)) = sign(',')(next) {
            rest = next;
            continue;
        }
        let (next, _) = sign('.')(next).map_err(|_| malformed(next))?;
        return Ok((groups, text.len() - next.len()));
    }
}

/// Words that the formula parser reads.
const TEMPORAL: [&str; 8] = ["X", "F", "G", "U", "R", "V", "W", "M"];

struct Reading<'r> {
    declared: &'r Declarations,
    kinds: &'r [EventKind],
    variables: &'r [Variable],
    formulas: Formulas,
    atoms: Vec<Use>,
}

impl Reading<'_> {
    fn atom(&mut self, text: String, meaning: Meaning) -> ltl::Formula {
        let found = self.atoms.iter().position(|one| one.meaning == meaning);
        let number = found.unwrap_or_else(|| {
            self.atoms.push(Use { text, meaning });
            self.atoms.len() - 1
        });
        self.formulas.written(Node::Atom(ltl::Atom(number as u32)))
    }

    fn made(&mut self, node: Node<'_>, span: Span) -> Result<ltl::Formula, Diagnostic> {
        let f = self.formulas.written(node);
        if self.formulas.depth(f) > NESTING_LIMIT {
            let message = format!("the formula is nested more than {NESTING_LIMIT} levels deep");
            return Err(Diagnostic::error(span, message));
        }
        Ok(f)
    }

    /// The variable of this name, which must have an index type that is expected.
    fn variable(&self, name: &str, of: TypeId, span: Span) -> Result<usize, Diagnostic> {
        let all = &self.declared.all;
        let wanted = all.id_of_type(of);
        let Some(found) = self.variables.iter().position(|one| one.name == name) else {
            let of = wanted.map_or("...", |id| all.types()[id.0 as usize].name);
            let message = format!("`{name}` is not bound");
            let help = format!("write `forall {name}: {of}.` in front of the formula");
            return Err(Diagnostic::error(span, message).help(help));
        };
        if wanted != Some(self.variables[found].of) {
            let is = all.types()[self.variables[found].of.0 as usize].name;
            let of = wanted.map_or("another type", |id| all.types()[id.0 as usize].name);
            let message = format!("`{name}` is a {is}, but a {of} is expected");
            return Err(Diagnostic::error(span, message));
        }
        Ok(found)
    }

    /// An atom of the protocol with its arguments, at the start of a text.
    fn named(
        &mut self,
        rest: &str,
        word: &str,
        offset: usize,
    ) -> Result<(ltl::Formula, usize), Diagnostic> {
        let span = Span { start: offset, end: offset + word.len() };
        let Some(atom) = self.declared.atoms.iter().position(|one| one.name == word) else {
            let names: Vec<&str> =
                self.declared.atoms.iter().map(|one| one.name.as_str()).collect();
            let help = if self.kinds.iter().any(|kind| kind.name == word) {
                format!("the event of this name is `@{word}`")
            } else {
                known_names("atom", &names)
            };
            return Err(Diagnostic::error(span, format!("there is no atom `{word}`")).help(help));
        };
        let behind = &rest[word.len()..];
        let mut arguments: Vec<(&str, Span)> = Vec::new();
        let mut length = word.len();
        if behind.trim_start().starts_with('(') {
            let open = rest.len() - behind.trim_start().len();
            let Some(close) = rest[open..].find(')') else {
                let message = "this parenthesis is not closed";
                return Err(Diagnostic::error(Span::at(offset + open), message));
            };
            let inside = &rest[open + 1..open + close];
            length = open + close + 1;
            let mut at = open + 1;
            for part in inside.split(',') {
                let name = part.trim();
                let start = offset + at + (part.len() - part.trim_start().len());
                arguments.push((name, Span { start, end: start + name.len() }));
                at += part.len() + 1;
            }
            if inside.trim().is_empty() {
                arguments.clear();
            }
        }
        let expected = self.declared.atoms[atom].arguments.clone();
        if arguments.len() != expected.len() {
            let span = Span { start: offset, end: offset + length };
            let message = format!(
                "the atom `{word}` has {} argument(s), but {} are given",
                expected.len(),
                arguments.len()
            );
            return Err(Diagnostic::error(span, message));
        }
        let variables = arguments
            .into_iter()
            .zip(expected)
            .map(|((name, span), of)| self.variable(name, of, span))
            .collect::<Result<Vec<usize>, Diagnostic>>()?;
        let text = rest[..length].to_owned();
        Ok((self.atom(text, Meaning::Atom { atom, variables }), length))
    }

    /// An event of this name.
    fn named_event(
        &mut self,
        name: &str,
        arguments: Option<&[Argument]>,
        text: String,
        span: Span,
    ) -> Result<ltl::Formula, Diagnostic> {
        let Some(kind) = self.kinds.iter().position(|kind| kind.name == name) else {
            let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name.as_str()).collect();
            let message = format!("there is no event `{name}`");
            return Err(Diagnostic::error(span, message).help(known_names("event", &names)));
        };
        let of = &self.kinds[kind];
        let given = arguments.unwrap_or_default();
        if arguments.is_some() && given.len() != of.arguments.len() {
            let message = format!(
                "the event `{name}` has {} argument(s), but {} are given",
                of.arguments.len(),
                given.len()
            );
            return Err(Diagnostic::error(span, message));
        }
        let mut patterns = Vec::new();
        let mut cell = 0;
        for ((field, shape), argument) in of.arguments.iter().zip(given) {
            if let Argument::Value(value) = argument {
                let pattern = self.pattern(field, shape, value, span)?;
                patterns.push((cell, pattern));
            }
            let mut cells = Vec::new();
            shape.list(field, &self.declared.all, &mut cells);
            cell += cells.len();
        }
        let meaning = Meaning::Event { kind: kind as u32, arguments: patterns };
        Ok(self.atom(text, meaning))
    }

    /// What an argument must be.
    fn pattern(
        &self,
        field: &str,
        shape: &Shape,
        value: &str,
        span: Span,
    ) -> Result<Pattern, Diagnostic> {
        let wrong = |message: String| Err(Diagnostic::error(span, message));
        match shape {
            Shape::Simple(Simple::Index(of)) => {
                Ok(Pattern::Variable(self.variable(value, *of, span)?))
            }
            Shape::Simple(Simple::Names(names)) => {
                match names.iter().position(|name| name == value) {
                    Some(at) => Ok(Pattern::Cell(at as i64)),
                    None => wrong(format!(
                        "`{value}` is none of the values of the argument {field}: {}",
                        names.join(", ")
                    )),
                }
            }
            Shape::Simple(Simple::Range { low, high }) => match value.parse::<i64>() {
                Ok(number) if (*low..=*high).contains(&number) => Ok(Pattern::Cell(number)),
                _ => wrong(format!("`{value}` is no number from {low} to {high}")),
            },
            _ => wrong(format!("the argument {field} has several parts: write `_` for it")),
        }
    }

    fn by(
        &mut self,
        argument: &Argument,
        text: String,
        span: Span,
    ) -> Result<ltl::Formula, Diagnostic> {
        let all: &Indices = &self.declared.all;
        let process = match argument {
            Argument::Any => Process::Any,
            Argument::Value(name) => {
                if let Some(variable) = self.variables.iter().position(|one| one.name == *name) {
                    Process::Variable(variable)
                } else if let Some(of) = all.types().iter().position(|one| one.name == name) {
                    Process::Type(IndexTypeId(of as u32))
                } else if self.declared.processes.contains(&name.as_str()) {
                    Process::Named(name.clone())
                } else {
                    let names: Vec<&str> = all.types().iter().map(|one| one.name).collect();
                    let names = [&names[..], &self.declared.processes[..]].concat();
                    let message = format!("`{name}` is neither a variable nor a process");
                    let help = known_names("process", &names);
                    return Err(Diagnostic::error(span, message).help(help));
                }
            }
        };
        Ok(self.atom(text, Meaning::By(process)))
    }
}

/// What else there is.
fn known_names(what: &str, names: &[&str]) -> String {
    if names.is_empty() {
        return format!("the protocol declares no {what}");
    }
    format!("there are: {}", names.join(", "))
}

impl Algebra for Reading<'_> {
    type Value = ltl::Formula;

    fn read(
        &mut self,
        rest: &str,
        offset: usize,
    ) -> Result<Option<(ltl::Formula, usize)>, Diagnostic> {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        let is_word = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_constant = ["true", "false"].iter().any(|one| word.eq_ignore_ascii_case(one));
        if !is_word || is_constant || TEMPORAL.contains(&word) {
            return Ok(None);
        }
        if word == "forall" || word == "exists" {
            let span = Span { start: offset, end: offset + word.len() };
            let message = "a quantifier over a temporal formula must stand in front of all";
            return Err(Diagnostic::error(span, message)
                .help("conditions on all indices of one state are atoms of the protocol"));
        }
        self.named(rest, word, offset).map(Some)
    }

    fn constant(&mut self, value: bool) -> ltl::Formula {
        if value { ltl::Formula::TRUE } else { ltl::Formula::FALSE }
    }

    /// A quoted name.
    fn name(&mut self, name: &str, span: Span) -> Result<ltl::Formula, Diagnostic> {
        let Some(atom) = self.declared.atoms.iter().position(|one| one.name == name) else {
            return Err(Diagnostic::error(span, format!("there is no atom \"{name}\"")));
        };
        if !self.declared.atoms[atom].arguments.is_empty() {
            let message = format!("the atom \"{name}\" has arguments, and needs a plain name");
            return Err(Diagnostic::error(span, message));
        }
        Ok(self.atom(format!("\"{name}\""), Meaning::Atom { atom, variables: Vec::new() }))
    }

    fn event(&mut self, pattern: &EventPattern, span: Span) -> Result<ltl::Formula, Diagnostic> {
        let text = pattern.to_string();
        match pattern {
            EventPattern::Named { name, arguments } => {
                self.named_event(name, arguments.as_deref(), text, span)
            }
            EventPattern::By(process) => self.by(process, text, span),
        }
    }

    fn prefix(
        &mut self,
        operator: Prefix,
        f: ltl::Formula,
        span: Span,
    ) -> Result<ltl::Formula, Diagnostic> {
        let node = match operator {
            Prefix::Not => Node::Not(f),
            Prefix::Next => Node::Next(f),
            Prefix::Finally => Node::Finally(f),
            Prefix::Globally => Node::Globally(f),
        };
        self.made(node, span)
    }

    fn binary(
        &mut self,
        operator: Binary,
        f: ltl::Formula,
        g: ltl::Formula,
        span: Span,
    ) -> Result<ltl::Formula, Diagnostic> {
        let both = [f, g];
        let node = match operator {
            Binary::And => Node::And(&both),
            Binary::Or => Node::Or(&both),
            Binary::Xor => Node::Xor(f, g),
            Binary::Implies => Node::Implies(f, g),
            Binary::Iff => Node::Iff(f, g),
            Binary::Until => Node::Until(f, g),
            Binary::Release => Node::Release(f, g),
            Binary::WeakUntil => Node::WeakUntil(f, g),
            Binary::StrongRelease => Node::StrongRelease(f, g),
        };
        self.made(node, span)
    }
}
