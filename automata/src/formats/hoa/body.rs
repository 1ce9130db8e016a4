//! The body of an automaton: its states and edges, in any order.
//!
//! Every state that is mentioned must be listed, once, and the numbers leave no gap. Labels of
//! states and letters that are not written (one edge for each, in order) are moved to the edges.

use super::document::{Arc, Letters, Operand};
use super::expression::Expression;
use super::header::{Header, acceptance_set, state};
use super::lexer::{Lexer, Stop, Token};
use crate::automaton::Marks;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use ltl::{Diagnostic, Span};
use std::ops::Range;

/// States and edges as they were read.
#[derive(Default)]
pub(super) struct Body<'a> {
    pub(super) labels: Vec<Expression<Operand>>,
    /// Labels by their text.
    label_ids: HashMap<&'a str, u32>,
    pub(super) arcs: Vec<Arc>,
    /// States in the order of the text: number, place, edges.
    nodes: Vec<(u32, Span, Range<usize>)>,
    places: HashMap<u32, Span>,
    /// Where edges lead.
    targets: Vec<(u32, Span)>,
}

impl<'a> Body<'a> {
    /// Reads up to the `--END--`, which stays the next token.
    pub(super) fn read(lexer: &mut Lexer<'a>, header: &Header<'a>) -> Result<Body<'a>, Stop> {
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
    pub(super) fn by_number(&self, header: &Header) -> Result<Vec<Range<usize>>, Stop> {
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
