//! Formulas to text.
//!
//! What is printed for Spot, Isonomy and Spin reads back, by [`crate::parser`], as the same formula;
//! for Spin after replacing the operators that it lacks: `a W b` by `b V (a || b)`, `a M b` by
//! `b U (a && b)`, `a xor b` by `!(a <-> b)`. `dialect` knows the signs, `names` the atoms.
//!
//! Parentheses stand around every binary operator inside another operator, as Spot prints them: no
//! reader has to know how tightly `U` binds, and the two languages that disagree about
//! `a -> b <-> c` read the same.
//!
//! There is no recursion. Formulas share their parts and texts cannot, so a text may be
//! exponentially long: it ends with [`Unprintable::TooLong`] at [`LENGTH_LIMIT`].

mod dialect;
mod names;

use crate::atoms::Atoms;
use crate::formula::{Atom, Formula, Formulas, Node};
use dialect::Signs;
use hashbrown::HashMap;
use std::fmt;

/// How a formula is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syntax {
    /// `G (a -> F b)`
    Isonomy,
    /// `G(a -> Fb)`
    Spot,
    /// `[](a -> <>b)`
    Spin,
    /// `\mathbf{G}(a \rightarrow \mathbf{F}\,b)`: the content of a formula in math mode.
    Latex,
}

/// No text gets longer than this many bytes, unless the caller says so.
pub const LENGTH_LIMIT: usize = 16 << 20;

/// Why a formula has no text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unprintable {
    /// An atom has no form in the syntax.
    Atom {
        /// The atom.
        atom: Atom,
        /// The atom as Isonomy writes it.
        text: String,
        /// What is wrong with it, and what to do.
        reason: &'static str,
    },
    /// The text would be longer than `limit` bytes.
    TooLong {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for Unprintable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unprintable::Atom { text, reason, .. } => write!(out, "cannot print {text}: {reason}"),
            Unprintable::TooLong { limit } => write!(
                out,
                "the text of the formula is longer than {limit} bytes, because subformulas that it \
                 shares would be repeated; simplify it, or print its parts"
            ),
        }
    }
}

impl std::error::Error for Unprintable {}

/// The text of `f`, at most [`LENGTH_LIMIT`] bytes.
pub fn print(
    formulas: &Formulas,
    atoms: &Atoms,
    f: Formula,
    syntax: Syntax,
) -> Result<String, Unprintable> {
    print_within(LENGTH_LIMIT, formulas, atoms, f, syntax)
}

/// The text of `f`, at most `limit` bytes.
pub fn print_within(
    limit: usize,
    formulas: &Formulas,
    atoms: &Atoms,
    f: Formula,
    syntax: Syntax,
) -> Result<String, Unprintable> {
    let mut names = HashMap::new();
    for atom in formulas.atoms(f) {
        names.insert(atom, names::name(atoms, atom, syntax)?);
    }
    print_named(limit, formulas, names, f, syntax)
}

/// The text of `f`, at most `limit` bytes, with these texts for its atoms.
pub fn print_named(
    limit: usize,
    formulas: &Formulas,
    names: HashMap<Atom, String>,
    f: Formula,
    syntax: Syntax,
) -> Result<String, Unprintable> {
    let signs = dialect::signs(syntax);
    let mut printer = Printer { formulas, names, syntax, signs, todo: vec![Piece::Whole(f)] };
    let mut text = String::new();
    while let Some(piece) = printer.todo.pop() {
        match piece {
            Piece::Sign(sign) => text.push_str(sign),
            Piece::Whole(g) => {
                if let Node::Atom(atom) = formulas.node(g) {
                    text.push_str(&printer.names[&atom]);
                } else {
                    printer.unfold(g);
                }
            }
            Piece::Operand(g) if printer.is_binary(g) => {
                printer.then([Piece::Sign("("), Piece::Whole(g), Piece::Sign(")")]);
            }
            Piece::Operand(g) => printer.todo.push(Piece::Whole(g)),
        }
        if text.len() > limit {
            return Err(Unprintable::TooLong { limit });
        }
    }
    Ok(text)
}

/// What is still to be printed.
#[derive(Clone, Copy)]
enum Piece {
    Sign(&'static str),
    /// Without parentheses around it.
    Whole(Formula),
    /// In parentheses, if it needs them inside another operator.
    Operand(Formula),
}

struct Printer<'f> {
    formulas: &'f Formulas,
    names: HashMap<Atom, String>,
    syntax: Syntax,
    signs: &'static Signs,
    /// The next piece is the last.
    todo: Vec<Piece>,
}

impl Printer<'_> {
    fn then<const N: usize>(&mut self, pieces: [Piece; N]) {
        self.todo.extend(pieces.into_iter().rev());
    }

    /// Replaces a formula by its operator and operands.
    fn unfold(&mut self, f: Formula) {
        let signs = self.signs;
        match self.formulas.node(f) {
            Node::Atom(_) => self.todo.push(Piece::Whole(f)),
            Node::False => self.todo.push(Piece::Sign(signs.falsity)),
            Node::True => self.todo.push(Piece::Sign(signs.truth)),
            Node::Not(g) => self.prefix(signs.not, self.gap_behind_not(g), g),
            Node::Next(g) => self.prefix(signs.next, self.gap_behind_letter(g), g),
            Node::Finally(g) => self.prefix(signs.finally, self.gap_behind_letter(g), g),
            Node::Globally(g) => self.prefix(signs.globally, self.gap_behind_letter(g), g),
            Node::And(run) => self.chain(signs.and, run),
            Node::Or(run) => self.chain(signs.or, run),
            Node::Implies(g, h) => self.binary(signs.implies, g, h),
            Node::Iff(g, h) => self.binary(signs.iff, g, h),
            Node::Until(g, h) => self.binary(signs.until, g, h),
            Node::Release(g, h) => self.binary(signs.release, g, h),
            Node::Xor(g, h) if self.syntax == Syntax::Spin => {
                self.then([
                    Piece::Sign("!("),
                    Piece::Operand(g),
                    Piece::Sign(" <-> "),
                    Piece::Operand(h),
                    Piece::Sign(")"),
                ]);
            }
            Node::Xor(g, h) => self.binary(signs.xor, g, h),
            Node::WeakUntil(g, h) if self.syntax == Syntax::Spin => {
                self.replaced(" V (", " || ", g, h);
            }
            Node::WeakUntil(g, h) => self.binary(signs.weak_until, g, h),
            Node::StrongRelease(g, h) if self.syntax == Syntax::Spin => {
                self.replaced(" U (", " && ", g, h);
            }
            Node::StrongRelease(g, h) => self.binary(signs.strong_release, g, h),
        }
    }

    fn prefix(&mut self, sign: &'static str, gap: &'static str, g: Formula) {
        self.then([Piece::Sign(sign), Piece::Sign(gap), Piece::Operand(g)]);
    }

    fn binary(&mut self, sign: &'static str, g: Formula, h: Formula) {
        self.then([Piece::Operand(g), Piece::Sign(sign), Piece::Operand(h)]);
    }

    /// `h V (g || h)`, `h U (g && h)`: what Spin has instead of W and M.
    fn replaced(&mut self, outer: &'static str, inner: &'static str, g: Formula, h: Formula) {
        self.then([
            Piece::Operand(h),
            Piece::Sign(outer),
            Piece::Operand(g),
            Piece::Sign(inner),
            Piece::Operand(h),
            Piece::Sign(")"),
        ]);
    }

    fn chain(&mut self, sign: &'static str, run: &[Formula]) {
        for (k, &g) in run.iter().enumerate().rev() {
            self.todo.push(Piece::Operand(g));
            if k > 0 {
                self.todo.push(Piece::Sign(sign));
            }
        }
    }

    /// What keeps X, F and G apart from their operand: Spot would read `X1` as a name.
    fn gap_behind_letter(&self, g: Formula) -> &'static str {
        let constant = matches!(self.formulas.node(g), Node::True | Node::False);
        match (self.syntax, self.formulas.node(g)) {
            (Syntax::Spot, _) if constant => " ",
            (Syntax::Latex, Node::Atom(_) | Node::True | Node::False) => "\\,",
            _ => "",
        }
    }

    /// `\nega` would be another command than `\neg a`.
    fn gap_behind_not(&self, g: Formula) -> &'static str {
        match self.formulas.node(g) {
            Node::Atom(atom)
                if self.syntax == Syntax::Latex
                    && self.names[&atom].starts_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                " "
            }
            _ => "",
        }
    }

    fn is_binary(&self, g: Formula) -> bool {
        match self.formulas.node(g) {
            Node::Xor(..) => self.syntax != Syntax::Spin,
            Node::False | Node::True | Node::Atom(_) => false,
            Node::And(_) | Node::Or(_) => true,
            _ => self.formulas.operands(g).count() == 2,
        }
    }
}
