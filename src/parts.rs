//! Parts of the formulas of any front end: as text, and the implications among them.

use ltl::printer::{Syntax, print_named};
use ltl::{Atom, Formula as Part, Formulas, Node};

/// A part of a formula as its author would write it. `text` is that of an atom.
pub(crate) fn text(formulas: &Formulas, part: Part, text: &dyn Fn(Atom) -> String) -> String {
    /// Longer texts are not read.
    const LONGEST: usize = 500;
    let name = |atom: Atom| {
        let text = text(atom);
        let is_word = text.chars().all(|c| c.is_alphanumeric() || "_@(),[]".contains(c));
        let is_all = matches!(formulas.node(part), Node::Atom(all) if all == atom);
        if is_word || is_all { text } else { format!("({text})") }
    };
    let names = formulas.atoms(part).into_iter().map(|atom| (atom, name(atom))).collect();
    print_named(LONGEST, formulas, names, part, Syntax::Isonomy)
        .unwrap_or_else(|_| "its left side".to_owned())
}

/// An implication of a formula that stands for something that is demanded: under an even number of
/// negations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Implication {
    pub(crate) part: Part,
    /// The position of the nearest one around it.
    pub(crate) around: Option<usize>,
}

/// The demanded implications of a formula, those around others first. An atom may be an implication,
/// too.
pub(crate) fn implications(
    formulas: &Formulas,
    root: Part,
    is_implication: &dyn Fn(Atom) -> bool,
) -> Vec<Implication> {
    let mut implications = Implications { formulas, is_implication, found: Vec::new() };
    implications.collect(root, true, None);
    implications.found
}

struct Implications<'f> {
    formulas: &'f Formulas,
    is_implication: &'f dyn Fn(Atom) -> bool,
    found: Vec<Implication>,
}

impl Implications<'_> {
    fn collect(&mut self, part: Part, is_demanded: bool, around: Option<usize>) {
        let formulas = self.formulas;
        let is_implication = match formulas.node(part) {
            Node::Implies(..) => true,
            Node::Atom(atom) => (self.is_implication)(atom),
            _ => false,
        };
        let mut around = around;
        if is_implication && is_demanded {
            if self.found.iter().any(|known| known.part == part) {
                return;
            }
            self.found.push(Implication { part, around });
            around = Some(self.found.len() - 1);
        }
        match formulas.node(part) {
            Node::Not(inner) => self.collect(inner, !is_demanded, around),
            Node::Implies(left, right) => {
                self.collect(left, !is_demanded, around);
                self.collect(right, is_demanded, around);
            }
            // Both sides are demanded and forbidden.
            Node::Xor(..) | Node::Iff(..) => {}
            _ => {
                for operand in formulas.operands(part) {
                    self.collect(operand, is_demanded, around);
                }
            }
        }
    }
}

/// A formula with another part in place of one, wherever that is demanded.
pub(crate) fn replaced(
    formulas: &mut Formulas,
    f: Part,
    old: Part,
    new: Part,
    is_demanded: bool,
) -> Part {
    if f == old && is_demanded {
        return new;
    }
    let operands: Vec<Part> = formulas.operands(f).collect();
    let kind = formulas.node(f);
    let flips = |k: usize| match kind {
        Node::Not(_) => true,
        Node::Implies(..) => k == 0,
        _ => false,
    };
    if matches!(kind, Node::Xor(..) | Node::Iff(..)) {
        return f;
    }
    let demanded: Vec<bool> = (0..operands.len()).map(|k| is_demanded != flips(k)).collect();
    let changed: Vec<Part> = operands
        .iter()
        .zip(demanded)
        .map(|(&operand, is_demanded)| replaced(formulas, operand, old, new, is_demanded))
        .collect();
    if changed == operands {
        return f;
    }
    let node = match formulas.node(f) {
        Node::Not(_) => Node::Not(changed[0]),
        Node::And(_) => Node::And(&changed),
        Node::Or(_) => Node::Or(&changed),
        Node::Implies(..) => Node::Implies(changed[0], changed[1]),
        Node::Next(_) => Node::Next(changed[0]),
        Node::Finally(_) => Node::Finally(changed[0]),
        Node::Globally(_) => Node::Globally(changed[0]),
        Node::Until(..) => Node::Until(changed[0], changed[1]),
        Node::Release(..) => Node::Release(changed[0], changed[1]),
        Node::WeakUntil(..) => Node::WeakUntil(changed[0], changed[1]),
        Node::StrongRelease(..) => Node::StrongRelease(changed[0], changed[1]),
        Node::Xor(..) | Node::Iff(..) | Node::False | Node::True | Node::Atom(_) => return f,
    };
    formulas.written(node)
}
