//! Text of the format -> checked documents.
//!
//! The grammar needs one token of look-ahead, so that it is read by plain descent over the tokens:
//! the `header`, then the `body`. Every message has a place.

use super::acceptance;
use super::body::Body;
use super::document::Document;
use super::header::Header;
use super::lexer::{Lexer, Stop, Token};
use ltl::{Diagnostic, Span};

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
    // The `--END--` is taken last: what stands after it is no part of this automaton.
    debug_assert_eq!(lexer.peek(), Token::End, "the body ends here");
    match lexer.next() {
        Ok(_) => Ok(document),
        // An `--ABORT--` after a whole automaton comes too late.
        Err(Stop::Aborted) => lexer.resume().map(|()| document),
        Err(bad) => Err(bad),
    }
}
