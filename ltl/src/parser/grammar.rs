//! Operators and parentheses: from tokens to postfix order, by precedence climbing over a table
//! with an explicit stack (E. W. Dijkstra's shunting yard).
//!
//! The reader is always in one of two positions: before an operand, or after one. *Before* it takes
//! prefix operators and opening parentheses, which stay pending, until an operand comes. *Behind*,
//! all pending prefix operators have been applied; a binary operator first applies those pending
//! ones of its group that bind tighter (or as tightly, to the left), then stays pending itself.

use super::lexer::{Reader, identifier};
use super::operators::{self, Binary, Form, Infix, Prefix};
use super::spin::Predicates;
use super::spot::Bounds;
use super::{Language, NESTING_LIMIT, advice, isonomy, spin, spot, too_deep};
use crate::atoms::EventPattern;
use crate::source::{Diagnostic, Span};
use std::borrow::Cow;

/// A formula in postfix order: operands, then what is applied to them.
pub(super) type Program<'t, T> = Vec<Step<'t, T>>;

/// Reads an operand of the caller's, as [`Algebra::read`](super::Algebra::read) does.
pub(super) type Read<'c, T> =
    &'c mut dyn FnMut(&str, usize) -> Result<Option<(T, usize)>, Diagnostic>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step<'t, T> {
    Constant(bool),
    Name {
        name: Cow<'t, str>,
        span: Span,
    },
    Event {
        pattern: EventPattern,
        span: Span,
    },
    /// An operand that the caller read.
    Read(T),
    Prefix {
        operator: Prefix,
        bounds: Option<Bounds>,
        span: Span,
    },
    Binary {
        operator: Binary,
        span: Span,
    },
}

/// The whole text as a program.
pub(super) fn read<'t, T>(
    language: Language,
    text: &'t str,
    operands: Read<'_, T>,
) -> Result<Program<'t, T>, Diagnostic> {
    let whole = Group { opening: None, pending: 0, program: 0, form: None };
    let reader = Reader::new(language, text);
    let mut grammar = Grammar {
        reader,
        operands,
        program: Vec::new(),
        pending: Vec::new(),
        groups: vec![whole],
        name: None,
        predicates: None,
    };
    let mut place = Place::Before;
    loop {
        let next = match place {
            Place::Before => grammar.before_operand(),
            Place::Behind => grammar.behind_operand(),
            Place::End => return Ok(grammar.program),
        };
        place = match next {
            Ok(place) => place,
            Err(Stop::Syntax(wrong)) => grammar.predicate(wrong)?,
            Err(Stop::Final(wrong)) => return Err(wrong),
        };
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Before,
    Behind,
    End,
}

/// Why reading stopped.
enum Stop {
    /// The text is no formula: perhaps the group around it is a predicate of Spin's.
    Syntax(Diagnostic),
    /// It would be of no use to go on.
    Final(Diagnostic),
}

impl From<Diagnostic> for Stop {
    fn from(wrong: Diagnostic) -> Self {
        Stop::Syntax(wrong)
    }
}

struct Grammar<'t, 'c, T> {
    reader: Reader<'t>,
    operands: Read<'c, T>,
    program: Program<'t, T>,
    /// Operators that wait for their last operand, innermost last.
    pending: Vec<Pending>,
    /// The whole text, and the parentheses that are open.
    groups: Vec<Group>,
    /// The place of the operand just read, if it was a name without quotes.
    name: Option<Span>,
    /// For Spin, once they are needed.
    predicates: Option<Predicates>,
}

enum Pending {
    Prefix { operator: Prefix, bounds: Option<Bounds>, span: Span },
    Binary { infix: Infix, span: Span },
}

struct Group {
    /// The opening parenthesis, and what closes it.
    opening: Option<(Span, char)>,
    /// How many operators were pending before it.
    pending: usize,
    /// How long the program was before it.
    program: usize,
    /// Which form of `&` and `|` is used in it, and where first.
    form: Option<(Form, Span)>,
}

impl<'t, T> Grammar<'t, '_, T> {
    fn before_operand(&mut self) -> Result<Place, Stop> {
        self.reader.blanks()?;
        let start = self.reader.at;
        let rest = self.reader.rest();
        let language = self.reader.language;
        self.name = None;
        let read = (self.operands)(rest, start).map_err(Stop::Final)?;
        if let Some((operand, taken)) = read {
            assert!(
                taken > 0 && rest.is_char_boundary(taken),
                "an operand takes at least one character, and only whole ones"
            );
            self.reader.at += taken;
            let is_name = matches!(identifier(&rest[..taken]), Ok(("", _)));
            self.name = is_name.then(|| self.reader.since(start));
            self.program.push(Step::Read(operand));
            self.apply_prefixes();
            return Ok(Place::Behind);
        }
        let operand = match language {
            Language::Spot => spot::operand(&mut self.reader)?,
            Language::Spin => spin::operand(&mut self.reader)?,
            Language::Isonomy => isonomy::operand(&mut self.reader)?,
        };
        if let Some(operand) = operand {
            self.operand(operand)?;
            return Ok(Place::Behind);
        }
        if let Some((spelling, operator)) = operators::prefix(language, rest) {
            self.reader.at += spelling.len();
            self.prefix(spelling, operator, start)?;
            return Ok(Place::Before);
        }
        let closer = match rest.chars().next() {
            Some('(') => ')',
            Some('{') if language == Language::Spin => '}',
            _ => return Err(advice::expected_formula(&self.reader, self.opening()).into()),
        };
        self.reader.at += 1;
        let span = self.reader.since(start);
        if self.groups.len() > NESTING_LIMIT as usize {
            return Err(Stop::Final(too_deep(span)));
        }
        let (pending, program) = (self.pending.len(), self.program.len());
        self.groups.push(Group { opening: Some((span, closer)), pending, program, form: None });
        Ok(Place::Before)
    }

    fn operand(&mut self, operand: Step<'t, T>) -> Result<(), Stop> {
        let name = match &operand {
            Step::Name { span, .. } => Some(*span),
            _ => None,
        };
        self.program.push(operand);
        if let Some(span) = name
            && self.reader.language == Language::Spot
            && let Some(kept) = spot::postfix(&mut self.reader)?
        {
            if !kept {
                self.program.push(Step::Prefix { operator: Prefix::Not, bounds: None, span });
            }
        } else {
            self.name = name.filter(|span| !self.reader.text[span.start..].starts_with('"'));
        }
        self.apply_prefixes();
        Ok(())
    }

    fn prefix(&mut self, spelling: &str, operator: Prefix, start: usize) -> Result<(), Stop> {
        let bounded = self.reader.language == Language::Spot && matches!(spelling, "X" | "F" | "G");
        let bounds = if bounded { spot::bounds(&mut self.reader, operator, start)? } else { None };
        let span = self.reader.since(start);
        self.suspend(Pending::Prefix { operator, bounds, span }, span)
    }

    fn suspend(&mut self, pending: Pending, span: Span) -> Result<(), Stop> {
        if self.pending.len() + 1 >= NESTING_LIMIT as usize {
            return Err(Stop::Final(too_deep(span)));
        }
        self.pending.push(pending);
        Ok(())
    }

    fn behind_operand(&mut self) -> Result<Place, Stop> {
        self.reader.blanks()?;
        let start = self.reader.at;
        let rest = self.reader.rest();
        let language = self.reader.language;
        let Some(first) = rest.chars().next() else {
            self.apply_tighter(None);
            return match self.opening() {
                None => Ok(Place::End),
                Some((opening, closer)) => Err(advice::unclosed(start, opening, closer).into()),
            };
        };
        if first == ')' || first == '}' && language == Language::Spin {
            return self.close(first);
        }
        let found = operators::binary(language, rest)
            .filter(|_| !advice::is_foreign_operator(language, rest));
        let Some((spelling, infix)) = found else {
            let name = self.name.map(|span| &self.reader.text[span.start..span.end]);
            return Err(advice::expected_operator(&self.reader, name, self.opening()).into());
        };
        self.reader.at += spelling.len();
        let span = self.reader.since(start);
        if let Some(form) = infix.form
            && let Some(group) = self.groups.last_mut()
        {
            isonomy::refuse_mixture(&mut group.form, form, span)?;
        }
        self.apply_tighter(Some(infix));
        self.suspend(Pending::Binary { infix, span }, span)?;
        Ok(Place::Before)
    }

    fn close(&mut self, closer: char) -> Result<Place, Stop> {
        let start = self.reader.at;
        match self.opening() {
            None => return Err(advice::unopened(start, closer).into()),
            Some((opening, wanted)) if wanted != closer => {
                return Err(advice::wrong_closer(start, opening, wanted).into());
            }
            Some(_) => {}
        }
        self.apply_tighter(None);
        self.groups.pop();
        self.reader.at += closer.len_utf8();
        self.name = None;
        self.apply_prefixes();
        Ok(Place::Behind)
    }

    /// The innermost open parenthesis.
    fn opening(&self) -> Option<(Span, char)> {
        self.groups.last().and_then(|group| group.opening)
    }

    /// Operators pending outside the innermost group.
    fn outside(&self) -> usize {
        self.groups.last().map_or(0, |group| group.pending)
    }

    /// Applies the prefix operators before the operand that is complete now.
    fn apply_prefixes(&mut self) {
        let outside = self.outside();
        while self.pending.len() > outside
            && let Some(&Pending::Prefix { operator, bounds, span }) = self.pending.last()
        {
            self.pending.pop();
            self.program.push(Step::Prefix { operator, bounds, span });
        }
    }

    /// Applies the pending operators of the group that come before `next`; all, if there is none.
    fn apply_tighter(&mut self, next: Option<Infix>) {
        let outside = self.outside();
        while self.pending.len() > outside
            && let Some(&Pending::Binary { infix, span }) = self.pending.last()
            && next.is_none_or(|next| {
                infix.level > next.level || infix.level == next.level && !next.to_the_right
            })
        {
            self.pending.pop();
            self.program.push(Step::Binary { operator: infix.operator, span });
        }
    }

    /// Takes the innermost group as one proposition, if Spin would; otherwise it remains `wrong`.
    fn predicate(&mut self, wrong: Diagnostic) -> Result<Place, Diagnostic> {
        let text = self.reader.text;
        let Some((opening, _)) = self.opening() else { return Err(wrong) };
        if self.reader.language != Language::Spin {
            return Err(wrong);
        }
        let predicates = self.predicates.get_or_insert_with(|| Predicates::of(text));
        let Some(closing) = predicates.closing(text, opening.start) else { return Err(wrong) };
        let Some(group) = self.groups.pop() else { return Err(wrong) };
        self.pending.truncate(group.pending);
        self.program.truncate(group.program);
        self.reader.at = closing + 1;
        let name = text[opening.end..closing].trim().into();
        self.program
            .push(Step::Name { name, span: Span { start: opening.start, end: closing + 1 } });
        self.name = None;
        self.apply_prefixes();
        Ok(Place::Behind)
    }
}
