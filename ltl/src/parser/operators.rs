//! The operators of each language: how they are spelt, how tightly they bind, to which side.
//!
//! Prefix operators bind tighter than all binary ones. In each table a spelling stands before its
//! own prefixes, so the first that fits is the longest.

use super::Language;
use super::lexer::is_word;

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// `!`
    Not,
    /// `X`
    Next,
    /// `F`
    Finally,
    /// `G`
    Globally,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `&`
    And,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`
    Until,
    /// `R`
    Release,
    /// `W`
    WeakUntil,
    /// `M`
    StrongRelease,
}

/// How the end of a spelling is recognised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// A sign: whatever follows.
    Anywhere,
    /// A letter that is cut from the word that it starts; before an operand not if a digit follows
    /// (`X1` is a name).
    Cut,
    /// A word: no letter, digit or `_` follows.
    Whole,
}
use Ends::{Anywhere, Cut, Whole};

/// Murphi ranks `&` and `&&` differently, so its readers must not have to guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `&`, `|`
    Single,
    /// `&&`, `||`
    Double,
}

/// A binary operator as met in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Infix {
    pub(super) operator: Binary,
    /// Higher binds tighter.
    pub(super) level: u8,
    /// Whether `a o b o c` is `a o (b o c)`.
    pub(super) to_the_right: bool,
    /// Where mixing matters.
    pub(super) form: Option<Form>,
}

type PrefixTable = [(&'static str, Ends, Prefix)];
type BinaryTable = [(u8, Side, &'static [(&'static str, Ends, Binary)])];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}
use Side::{Left, Right};

const SPOT_PREFIX: &PrefixTable = &[
    ("!", Anywhere, Prefix::Not),
    ("~", Anywhere, Prefix::Not),
    ("¬", Anywhere, Prefix::Not),
    ("X", Cut, Prefix::Next),
    ("()", Anywhere, Prefix::Next),
    ("○", Anywhere, Prefix::Next),
    ("◯", Anywhere, Prefix::Next),
    ("F", Cut, Prefix::Finally),
    ("<>", Anywhere, Prefix::Finally),
    ("◇", Anywhere, Prefix::Finally),
    ("⋄", Anywhere, Prefix::Finally),
    ("♢", Anywhere, Prefix::Finally),
    ("G", Cut, Prefix::Globally),
    ("[]", Anywhere, Prefix::Globally),
    ("□", Anywhere, Prefix::Globally),
    ("⬜", Anywhere, Prefix::Globally),
    ("◻", Anywhere, Prefix::Globally),
];

const SPOT_BINARY: &BinaryTable = &[
    (
        1,
        Right,
        &[
            ("-->", Anywhere, Binary::Implies),
            ("->", Anywhere, Binary::Implies),
            ("=>", Anywhere, Binary::Implies),
            ("→", Anywhere, Binary::Implies),
            ("⟶", Anywhere, Binary::Implies),
            ("⇒", Anywhere, Binary::Implies),
            ("⟹", Anywhere, Binary::Implies),
            ("<-->", Anywhere, Binary::Iff),
            ("<->", Anywhere, Binary::Iff),
            ("<=>", Anywhere, Binary::Iff),
            ("↔", Anywhere, Binary::Iff),
            ("⇔", Anywhere, Binary::Iff),
        ],
    ),
    (
        2,
        Left,
        &[
            ("||", Anywhere, Binary::Or),
            ("|", Anywhere, Binary::Or),
            ("\\/", Anywhere, Binary::Or),
            ("+", Anywhere, Binary::Or),
            ("∨", Anywhere, Binary::Or),
            ("∪", Anywhere, Binary::Or),
        ],
    ),
    (
        3,
        Left,
        &[("^", Anywhere, Binary::Xor), ("xor", Whole, Binary::Xor), ("⊕", Anywhere, Binary::Xor)],
    ),
    (
        4,
        Left,
        &[
            ("&&", Anywhere, Binary::And),
            ("&", Anywhere, Binary::And),
            ("/\\", Anywhere, Binary::And),
            ("*", Anywhere, Binary::And),
            ("∧", Anywhere, Binary::And),
            ("∩", Anywhere, Binary::And),
        ],
    ),
    (
        5,
        Right,
        &[
            ("U", Cut, Binary::Until),
            ("R", Cut, Binary::Release),
            ("V", Cut, Binary::Release),
            ("W", Cut, Binary::WeakUntil),
            ("M", Cut, Binary::StrongRelease),
        ],
    ),
];

const SPIN_PREFIX: &PrefixTable = &[
    ("!", Anywhere, Prefix::Not),
    ("not", Whole, Prefix::Not),
    ("X", Cut, Prefix::Next),
    ("next", Whole, Prefix::Next),
    ("<>", Anywhere, Prefix::Finally),
    ("eventually", Whole, Prefix::Finally),
    ("[]", Anywhere, Prefix::Globally),
    ("always", Whole, Prefix::Globally),
];

const SPIN_BINARY: &BinaryTable = &[
    (
        1,
        Left,
        &[
            ("&&", Anywhere, Binary::And),
            ("/\\", Anywhere, Binary::And),
            ("||", Anywhere, Binary::Or),
            ("\\/", Anywhere, Binary::Or),
            ("->", Anywhere, Binary::Implies),
            ("<->", Anywhere, Binary::Iff),
        ],
    ),
    (
        2,
        Left,
        &[("until", Whole, Binary::Until), ("U", Cut, Binary::Until), ("V", Cut, Binary::Release)],
    ),
];

/// `~ [] <>` as in Murphi and Spin, and Murphi's `¬`.
const ISONOMY_PREFIX: &PrefixTable = &[
    ("!", Anywhere, Prefix::Not),
    ("~", Anywhere, Prefix::Not),
    ("¬", Anywhere, Prefix::Not),
    ("X", Whole, Prefix::Next),
    ("F", Whole, Prefix::Finally),
    ("<>", Anywhere, Prefix::Finally),
    ("G", Whole, Prefix::Globally),
    ("[]", Anywhere, Prefix::Globally),
];

/// `xor` is a word where an operator is expected, and a name elsewhere.
const ISONOMY_BINARY: &BinaryTable = &[
    (1, Right, &[("<->", Anywhere, Binary::Iff), ("<=>", Anywhere, Binary::Iff)]),
    (
        2,
        Right,
        &[
            ("->", Anywhere, Binary::Implies),
            ("=>", Anywhere, Binary::Implies),
            ("→", Anywhere, Binary::Implies),
        ],
    ),
    (
        3,
        Left,
        &[("||", Anywhere, Binary::Or), ("|", Anywhere, Binary::Or), ("∨", Anywhere, Binary::Or)],
    ),
    (4, Left, &[("xor", Whole, Binary::Xor)]),
    (
        5,
        Left,
        &[
            ("&&", Anywhere, Binary::And),
            ("&", Anywhere, Binary::And),
            ("∧", Anywhere, Binary::And),
        ],
    ),
    (
        6,
        Right,
        &[
            ("U", Whole, Binary::Until),
            ("R", Whole, Binary::Release),
            ("V", Whole, Binary::Release),
            ("W", Whole, Binary::WeakUntil),
            ("M", Whole, Binary::StrongRelease),
        ],
    ),
];

/// The prefix operator at the start of `rest`, and its spelling.
pub(super) fn prefix(language: Language, rest: &str) -> Option<(&'static str, Prefix)> {
    let table = match language {
        Language::Spot => SPOT_PREFIX,
        Language::Spin => SPIN_PREFIX,
        Language::Isonomy => ISONOMY_PREFIX,
    };
    let fits = |&&(spelling, ends, _): &&(&str, Ends, Prefix)| {
        let name = ends == Cut && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        ends_there(rest, spelling, ends) && !name
    };
    let starts = |&&(spelling, ..): &&(&str, Ends, Prefix)| rest.starts_with(spelling);
    table.iter().filter(starts).find(fits).map(|&(spelling, _, operator)| (spelling, operator))
}

/// The binary operator at the start of `rest`, and its spelling.
pub(super) fn binary(language: Language, rest: &str) -> Option<(&'static str, Infix)> {
    let table = match language {
        Language::Spot => SPOT_BINARY,
        Language::Spin => SPIN_BINARY,
        Language::Isonomy => ISONOMY_BINARY,
    };
    for &(level, side, spellings) in table {
        for &(spelling, ends, operator) in spellings {
            if ends_there(rest, spelling, ends) {
                let form = match (language, spelling) {
                    (Language::Isonomy, "&" | "|") => Some(Form::Single),
                    (Language::Isonomy, "&&" | "||" | "∧" | "∨") => Some(Form::Double),
                    _ => None,
                };
                let to_the_right = side == Right;
                return Some((spelling, Infix { operator, level, to_the_right, form }));
            }
        }
    }
    None
}

fn ends_there(rest: &str, spelling: &str, ends: Ends) -> bool {
    rest.strip_prefix(spelling).is_some_and(|behind| ends != Whole || !behind.starts_with(is_word))
}
