//! Text of the format -> checked documents.
//!
//! The grammar needs one token of look-ahead, so that it is read by plain descent over the tokens;
//! every message has a place. Numbers are checked against what they count before anything is made
//! of them: a huge `States:` or `AP:` allocates nothing. The items of a header may come in any
//! order, so that the atoms in aliases are checked at its end.

use super::acceptance::{self, Visit};
use super::document::{Arc, Document, Letters, Operand};
use super::expression::{Expression, Negation, expression};
use super::kind_of;
use super::lexer::{Lexer, Stop, Token, unescape};
use crate::automaton::Marks;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use ltl::{Atoms, Diagnostic, Span};
use std::ops::Range;

/// More atomic propositions than this are refused: diagrams are as deep as there are atoms.
pub(super) const MOST_ATOMS: usize = 1024;

/// Reads a stream of automata. Those that end in `--ABORT--` are left out.
pub fn read(text: &str) -> Result<Vec<Document>, Diagnostic> {
    let mut documents = Vec::new();
    let mut lexer = match Lexer::new(text) {
        Ok(lexer) => lexer,
        Err(Stop::Bad(diagnostic)) => return Err(diagnostic),
        Err(Stop::Aborted) => return Err(Diagnostic::error(Span::at(0), "expected `HOA: v1`")),
    };
    loop {
        match automaton(&mut lexer) {
            Ok(document) => documents.push(document),
            Err(Stop::Bad(diagnostic)) => return Err(diagnostic),
            // Where the automaton ends by `--ABORT--`, the next one starts.
            Err(Stop::Aborted) => match lexer.resume() {
                Err(Stop::Bad(diagnostic)) => return Err(diagnostic),
                Err(Stop::Aborted) | Ok(()) => {}
            },
        }
        if lexer.peek() == Token::EndOfText {
            return Ok(documents);
        }
    }
}

fn automaton(lexer: &mut Lexer) -> Result<Document, Stop> {
    let header = Header::read(lexer)?;
    let condition = header.acceptance.as_ref().expect("checked at the end of the header");
    let parts = acceptance::parts(&condition.expression).map_err(|_| {
        let message = "the acceptance condition is too large in disjunctive normal form";
        Diagnostic::error(condition.span, message)
    })?;
    let body = Body::read(lexer, &header)?;
    let nodes = body.by_number(&header)?;
    let document = Document {
        name: header.name,
        atoms: header.atoms,
        aliases: header.aliases,
        labels: body.labels,
        arcs: body.arcs,
        nodes,
        starts: header.starts.into_iter().map(|(state, _)| state).collect(),
        parts,
    };
    // The `--END--` is taken last: what stands behind it is no part of this automaton.
    debug_assert_eq!(lexer.peek(), Token::End, "the body ends here");
    match lexer.next() {
        Ok(_) => Ok(document),
        // An `--ABORT--` behind a whole automaton comes too late.
        Err(Stop::Aborted) => lexer.resume().map(|()| document),
        Err(bad) => Err(bad),
    }
}

#[derive(Default)]
struct Header<'a> {
    name: Option<String>,
    states: Option<(u32, Span)>,
    starts: Vec<(u32, Span)>,
    atoms: Atoms,
    aliases: Vec<Expression<Operand>>,
    alias_ids: HashMap<&'a str, (u32, Span)>,
    acceptance: Option<Condition>,
    /// Where items that may occur once were met.
    once: HashMap<&'a str, Span>,
}

struct Condition {
    span: Span,
    declared: u32,
    /// The sets that the condition mentions, ascending; in the expression they are numbered by
    /// their places here.
    sets: Vec<u32>,
    expression: Expression<Visit>,
}

impl<'a> Header<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Header<'a>, Stop> {
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
                if self.starts.iter().all(|&(known, _)| known != start.0) {
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
            let message = format!("the alias `@{name}` is defined twice");
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
    fn label(
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
                        let message = format!("the alias `@{name}` is not defined before");
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

    fn check_atom(&self, number: u32, span: Span) -> Result<(), Stop> {
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
fn state(lexer: &mut Lexer, what: &str) -> Result<(u32, Span), Stop> {
    let state = lexer.number(what)?;
    if lexer.peek() == Token::Sign('&') {
        let message = "a conjunction of states: alternating automata are not supported";
        let help = "remove alternation first, for example with Spot's `autfilt --tgba`";
        return Err(Diagnostic::error(lexer.span(), message).help(help).into());
    }
    Ok(state)
}

fn acceptance_set(lexer: &mut Lexer, declared: u32) -> Result<u32, Stop> {
    let (set, span) = lexer.number("an acceptance set")?;
    if set < declared {
        return Ok(set);
    }
    let message = format!("there is no acceptance set {set}");
    let help = format!("`Acceptance:` declares {declared}, numbered from 0");
    Err(Diagnostic::error(span, message).help(help).into())
}

#[derive(Default)]
struct Body<'a> {
    labels: Vec<Expression<Operand>>,
    /// Labels by their text.
    label_ids: HashMap<&'a str, u32>,
    arcs: Vec<Arc>,
    /// States in the order of the text: number, place, edges.
    nodes: Vec<(u32, Span, Range<usize>)>,
    places: HashMap<u32, Span>,
    /// Where edges lead.
    targets: Vec<(u32, Span)>,
}

impl<'a> Body<'a> {
    /// Reads up to the `--END--`, which stays the next token.
    fn read(lexer: &mut Lexer<'a>, header: &Header<'a>) -> Result<Body<'a>, Stop> {
        let mut body = Body::default();
        loop {
            match lexer.peek() {
                Token::Header("State") => body.state(lexer, header)?,
                Token::End => return Ok(body),
                _ => return Err(lexer.expected("an edge, `State:` or `--END--`")),
            }
        }
    }

    fn state(&mut self, lexer: &mut Lexer<'a>, header: &Header<'a>) -> Result<(), Stop> {
        lexer.next()?;
        let label = self.label(lexer, header)?;
        let (number, span) = lexer.number("the number of a state")?;
        if let Some((declared, place)) = header.states
            && number >= declared
        {
            let message = format!("there is no state {number}");
            let declared = format!("{declared} declared here, numbered from 0");
            return Err(Diagnostic::error(span, message).related(place, declared).into());
        }
        match self.places.entry(number) {
            Entry::Vacant(entry) => _ = entry.insert(span),
            Entry::Occupied(first) => {
                let message = format!("state {number} is listed twice");
                let related = (*first.get(), "the first time");
                return Err(Diagnostic::error(span, message).related(related.0, related.1).into());
            }
        }
        if let Token::Text(_) = lexer.peek() {
            lexer.next()?;
        }
        let marks = marks(lexer, header)?;
        let from = self.arcs.len();
        while let Token::Number(_) | Token::Sign('[') = lexer.peek() {
            self.edge(lexer, header, label.is_some(), marks)?;
        }
        self.finish_labels(label, from, span, header)?;
        self.nodes.push((number, span, from..self.arcs.len()));
        Ok(())
    }

    fn edge(
        &mut self,
        lexer: &mut Lexer<'a>,
        header: &Header<'a>,
        state_label: bool,
        state_marks: Marks,
    ) -> Result<(), Stop> {
        let place = lexer.span();
        let label = self.label(lexer, header)?;
        if label.is_some() && state_label {
            let message = "a label on an edge of a state that has a label itself";
            return Err(Diagnostic::error(place, message).into());
        }
        let (target, span) = state(lexer, "the target of the edge")?;
        let marks = marks(lexer, header)? | state_marks;
        self.targets.push((target, span));
        let letters = label.map_or(Letters::Unknown, Letters::Label);
        self.arcs.push(Arc { letters, target, marks });
        Ok(())
    }

    /// Gives the edges from `from` on their letters, once all of the state's are known.
    fn finish_labels(
        &mut self,
        state_label: Option<u32>,
        from: usize,
        state: Span,
        header: &Header<'a>,
    ) -> Result<(), Stop> {
        let edges = &mut self.arcs[from..];
        if let Some(label) = state_label {
            for edge in edges {
                edge.letters = Letters::Label(label);
            }
            return Ok(());
        }
        let unlabelled = edges.iter().filter(|edge| edge.letters == Letters::Unknown).count();
        if unlabelled == 0 {
            return Ok(());
        }
        if unlabelled < edges.len() {
            let message = "some edges of the state have labels, others have none";
            return Err(Diagnostic::error(state, message).into());
        }
        let atoms = header.atoms.len() as u32;
        if 1usize.checked_shl(atoms) != Some(edges.len()) {
            let message = format!(
                "without labels a state has one edge for each letter: 2^{atoms}, not {}",
                edges.len()
            );
            return Err(Diagnostic::error(state, message).into());
        }
        for (letter, edge) in (0..).zip(edges) {
            edge.letters = Letters::Valuation(letter);
        }
        Ok(())
    }

    /// A label in brackets, if there is one. Labels of one text are kept once.
    fn label(&mut self, lexer: &mut Lexer<'a>, header: &Header<'a>) -> Result<Option<u32>, Stop> {
        let start = lexer.span().start;
        if !lexer.sign('[')? {
            return Ok(None);
        }
        let label = header.label(lexer, |number, span| header.check_atom(number, span))?;
        lexer.expect_sign(']')?;
        let text = &lexer.text()[start..lexer.last_end()];
        let id = *self.label_ids.entry(text).or_insert_with(|| {
            self.labels.push(label);
            self.labels.len() as u32 - 1
        });
        Ok(Some(id))
    }

    /// The edges of each state, by number. All states up to the largest must be there.
    fn by_number(&self, header: &Header) -> Result<Vec<Range<usize>>, Stop> {
        let listed = |number: u32| self.places.contains_key(&number);
        let missing = |number: u32, span: Span| {
            Diagnostic::error(span, format!("state {number} is not listed in the body"))
        };
        for &(number, span) in header.starts.iter().chain(&self.targets) {
            if !listed(number) {
                return Err(missing(number, span).into());
            }
        }
        let gap = (0..=self.nodes.len() as u32).find(|&number| !listed(number));
        let gap = gap.expect("of one number more than there are, one is not listed");
        if (gap as usize) < self.nodes.len() {
            let beyond = self.nodes.iter().find(|node| node.0 > gap).expect("one is beyond");
            return Err(missing(gap, beyond.1).help("states are numbered from 0").into());
        }
        if let Some((declared, span)) = header.states
            && gap < declared
        {
            return Err(missing(gap, span).into());
        }
        let mut nodes = vec![0..0; self.nodes.len()];
        for (number, _, edges) in &self.nodes {
            nodes[*number as usize] = edges.clone();
        }
        Ok(nodes)
    }
}

/// `{0 3}`: the marks of the sets that the condition mentions; none without braces.
fn marks(lexer: &mut Lexer, header: &Header) -> Result<Marks, Stop> {
    let condition = header.acceptance.as_ref().expect("checked at the end of the header");
    let mut marks = Marks::NONE;
    if lexer.sign('{')? {
        while lexer.peek() != Token::Sign('}') {
            let set = acceptance_set(lexer, condition.declared)?;
            if let Ok(place) = condition.sets.binary_search(&set) {
                marks = marks | Marks::one(place as u32);
            }
        }
        lexer.expect_sign('}')?;
    }
    Ok(marks)
}
