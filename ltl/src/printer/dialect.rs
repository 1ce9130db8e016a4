//! The signs of each syntax, blanks included.

use super::Syntax;

/// How each operator is written.
pub(super) struct Signs {
    pub(super) truth: &'static str,
    pub(super) falsity: &'static str,
    pub(super) not: &'static str,
    pub(super) next: &'static str,
    pub(super) finally: &'static str,
    pub(super) globally: &'static str,
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) xor: &'static str,
    pub(super) implies: &'static str,
    pub(super) iff: &'static str,
    pub(super) until: &'static str,
    pub(super) release: &'static str,
    pub(super) weak_until: &'static str,
    pub(super) strong_release: &'static str,
}

pub(super) fn signs(syntax: Syntax) -> &'static Signs {
    match syntax {
        Syntax::Isonomy => &ISONOMY,
        Syntax::Spot => &SPOT,
        Syntax::Spin => &SPIN,
        Syntax::Latex => &LATEX,
    }
}

const SPOT: Signs = Signs {
    truth: "1",
    falsity: "0",
    not: "!",
    next: "X",
    finally: "F",
    globally: "G",
    and: " & ",
    or: " | ",
    xor: " xor ",
    implies: " -> ",
    iff: " <-> ",
    until: " U ",
    release: " R ",
    weak_until: " W ",
    strong_release: " M ",
};

const ISONOMY: Signs =
    Signs { truth: "true", falsity: "false", next: "X ", finally: "F ", globally: "G ", ..SPOT };

/// `X` with a blank: inside parentheses Spin would take `Xp` for a part of a predicate. xor, W
/// and M are replaced before they are printed.
const SPIN: Signs = Signs {
    truth: "true",
    falsity: "false",
    next: "X ",
    finally: "<>",
    globally: "[]",
    and: " && ",
    or: " || ",
    release: " V ",
    ..SPOT
};

const LATEX: Signs = Signs {
    truth: "\\top",
    falsity: "\\bot",
    not: "\\neg",
    next: "\\mathbf{X}",
    finally: "\\mathbf{F}",
    globally: "\\mathbf{G}",
    and: " \\land ",
    or: " \\lor ",
    xor: " \\oplus ",
    implies: " \\rightarrow ",
    iff: " \\leftrightarrow ",
    until: " \\mathbin{\\mathbf{U}} ",
    release: " \\mathbin{\\mathbf{R}} ",
    weak_until: " \\mathbin{\\mathbf{W}} ",
    strong_release: " \\mathbin{\\mathbf{M}} ",
};
