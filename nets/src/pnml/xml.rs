//! XML with positions.
//!
//! The library refuses document types, and so all entities but the five of XML itself.

use roxmltree::{Document, Node, ParsingOptions};
use run::{Diagnostic, Span};

/// Elements deeper than this are refused: what reads them is recursive.
const DEEPEST: usize = 2000;

/// The document of a text.
pub(crate) fn document(text: &str) -> Result<Document<'_>, Diagnostic> {
    if let Some(at) = too_deep(text) {
        return Err(Diagnostic::error(
            Span::at(at),
            format!("elements are nested more than {DEEPEST} levels deep"),
        ));
    }
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let position = error.pos();
        let at = offset(text, position.row as usize, position.col as usize);
        let message = error.to_string();
        let message = message.split(" at ").next().unwrap_or(&message).to_owned();
        let found =
            Diagnostic::error(Span::at(at), format!("this is no well-formed XML: {message}"));
        match error {
            roxmltree::Error::DtdDetected => {
                found.help("remove the document type, `<!DOCTYPE ...>`")
            }
            _ => found,
        }
    })
}

/// Where elements are too deep, if they are. Comments and the like may mislead it, but only in files
/// that are no nets: nothing in them looks like thousands of start tags without ends.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        if rest.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with(['?', '!']) {
            let end = rest.find('>').unwrap_or(rest.len());
            if !rest[..end].ends_with('/') {
                depth += 1;
            }
        }
        if depth > DEEPEST {
            return Some(at);
        }
    }
    None
}

/// The offset of a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    let rest = &text[start..];
    start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at)
}

/// The place of an element: its start tag.
pub(crate) fn span(node: Node<'_, '_>) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let length =
        if node.is_element() { text.find('>').map_or(text.len(), |at| at + 1) } else { text.len() };
    Span { start: range.start, end: range.start + length }
}

/// The name of an element.
pub(crate) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The elements inside an element.
pub(crate) fn elements<'a, 'i: 'a>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The first element of this name inside an element.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, of: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|one| name(*one) == of)
}

/// The same, if it must be there.
pub(crate) fn required<'a, 'i>(node: Node<'a, 'i>, of: &str) -> Result<Node<'a, 'i>, Diagnostic> {
    child(node, of).ok_or_else(|| {
        Diagnostic::error(span(node), format!("`<{}>` has no `<{of}>` inside", name(node)))
    })
}

/// An attribute that must be there.
pub(crate) fn attribute<'a>(node: Node<'a, '_>, of: &str) -> Result<&'a str, Diagnostic> {
    node.attribute(of).ok_or_else(|| {
        Diagnostic::error(span(node), format!("`<{}>` has no attribute `{of}`", name(node)))
    })
}

/// The text inside an element, without blanks around it.
pub(crate) fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().map_or("", str::trim)
}

/// The text of `<text>` inside an element.
pub(crate) fn label<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    child(node, "text").map(text)
}
