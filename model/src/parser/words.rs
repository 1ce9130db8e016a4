//! The words of the language.
//!
//! Keywords are reserved, in upper and lower case. The words that Isonomy adds to Murphi
//! (`process`, `ltl`, `ring`, ...) and those of `CMurphi` that rumur does not have (`multiset`,
//! `choose`, ...) are not reserved: a model may use them as names, and the parser looks for them in
//! certain positions.

/// A block that has an `end...` word; messages about a missing `end` name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Block {
    Alias,
    Choose,
    Count,
    Exists,
    For,
    Forall,
    Function,
    If,
    Procedure,
    Process,
    Record,
    Rule,
    Ruleset,
    Startstate,
    Sum,
    Switch,
    While,
}

impl Block {
    /// The word that opens it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Block::Alias => "alias",
            Block::Choose => "choose",
            Block::Count => "count",
            Block::Exists => "exists",
            Block::For => "for",
            Block::Forall => "forall",
            Block::Function => "function",
            Block::If => "if",
            Block::Procedure => "procedure",
            Block::Process => "process",
            Block::Record => "record",
            Block::Rule => "rule",
            Block::Ruleset => "ruleset",
            Block::Startstate => "startstate",
            Block::Sum => "sum",
            Block::Switch => "switch",
            Block::While => "while",
        }
    }

    /// Whether the `end...` word of `other` closes this; those of functions and procedures are
    /// interchangeable.
    pub(super) fn is_closed_by(self, other: Block) -> bool {
        let is_function = |block| matches!(block, Block::Function | Block::Procedure);
        self == other || is_function(self) && is_function(other)
    }
}

/// A reserved word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Alias,
    Array,
    Assert,
    Assume,
    Begin,
    Case,
    Clear,
    Const,
    Cover,
    Do,
    Else,
    Elsif,
    /// `end`
    End,
    /// `endif`, ...
    EndOf(Block),
    Enum,
    Error,
    Exists,
    For,
    Forall,
    Function,
    If,
    Invariant,
    Liveness,
    Of,
    Procedure,
    Put,
    Real,
    Record,
    Return,
    Rule,
    Ruleset,
    Scalarset,
    Startstate,
    Switch,
    Then,
    To,
    Type,
    Undefine,
    Union,
    Var,
    While,
}

/// All keywords in lower case, in alphabetical order.
pub(super) const KEYWORDS: [(&str, Keyword); 53] = [
    ("alias", Keyword::Alias),
    ("array", Keyword::Array),
    ("assert", Keyword::Assert),
    ("assume", Keyword::Assume),
    ("begin", Keyword::Begin),
    ("case", Keyword::Case),
    ("clear", Keyword::Clear),
    ("const", Keyword::Const),
    ("cover", Keyword::Cover),
    ("do", Keyword::Do),
    ("else", Keyword::Else),
    ("elsif", Keyword::Elsif),
    ("end", Keyword::End),
    ("endalias", Keyword::EndOf(Block::Alias)),
    ("endexists", Keyword::EndOf(Block::Exists)),
    ("endfor", Keyword::EndOf(Block::For)),
    ("endforall", Keyword::EndOf(Block::Forall)),
    ("endfunction", Keyword::EndOf(Block::Function)),
    ("endif", Keyword::EndOf(Block::If)),
    ("endprocedure", Keyword::EndOf(Block::Procedure)),
    ("endrecord", Keyword::EndOf(Block::Record)),
    ("endrule", Keyword::EndOf(Block::Rule)),
    ("endruleset", Keyword::EndOf(Block::Ruleset)),
    ("endstartstate", Keyword::EndOf(Block::Startstate)),
    ("endswitch", Keyword::EndOf(Block::Switch)),
    ("endwhile", Keyword::EndOf(Block::While)),
    ("enum", Keyword::Enum),
    ("error", Keyword::Error),
    ("exists", Keyword::Exists),
    ("for", Keyword::For),
    ("forall", Keyword::Forall),
    ("function", Keyword::Function),
    ("if", Keyword::If),
    ("invariant", Keyword::Invariant),
    ("liveness", Keyword::Liveness),
    ("of", Keyword::Of),
    ("procedure", Keyword::Procedure),
    ("put", Keyword::Put),
    ("real", Keyword::Real),
    ("record", Keyword::Record),
    ("return", Keyword::Return),
    ("rule", Keyword::Rule),
    ("ruleset", Keyword::Ruleset),
    ("scalarset", Keyword::Scalarset),
    ("startstate", Keyword::Startstate),
    ("switch", Keyword::Switch),
    ("then", Keyword::Then),
    ("to", Keyword::To),
    ("type", Keyword::Type),
    ("undefine", Keyword::Undefine),
    ("union", Keyword::Union),
    ("var", Keyword::Var),
    ("while", Keyword::While),
];

/// Words that are keywords in some positions only, in lower case, in alphabetical order.
pub(super) const CONTEXTUAL: [&str; 30] = [
    "by",
    "choose",
    "compassion",
    "count",
    "distinct",
    "endchoose",
    "endprocess",
    "events",
    "fair",
    "fairness",
    "global",
    "in",
    "include",
    "interleaved",
    "justice",
    "ltl",
    "multiset",
    "none",
    "over",
    "process",
    "processes",
    "queue",
    "ring",
    "set",
    "strong",
    "strongly",
    "sum",
    "under",
    "undirected",
    "weak",
];

/// Names that the parser looks for, too: operations that bind a variable, the singular of a word
/// that is plural elsewhere, and words of other languages that get advice.
const KNOWN: [&str; 8] = [
    "MultiSetCount",
    "MultiSetRemovePred",
    "elif",
    "elseif",
    "event",
    "externfun",
    "externproc",
    "program",
];

/// Whether the tables here contain the word. The parser looks for no others.
pub(super) fn is_listed(word: &str) -> bool {
    CONTEXTUAL.contains(&word) || KNOWN.contains(&word)
}

/// The length of the longest keyword.
const LONGEST: usize = "endstartstate".len();

/// Names that are not case-sensitive, as the tree spells them.
const CASELESS_NAMES: [&str; 4] = ["true", "false", "boolean", "isundefined"];

/// The keyword with this spelling, if there is one.
pub(super) fn keyword(word: &str) -> Option<Keyword> {
    let mut lower = [0; LONGEST];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let found = KEYWORDS.binary_search_by(|(spelling, _)| spelling.as_bytes().cmp(lower)).ok()?;
    Some(KEYWORDS[found].1)
}

/// A name as the tree spells it.
pub(super) fn spelt(word: &str) -> &str {
    let caseless = CASELESS_NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(word));
    caseless.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_in_any_case() {
        assert!(KEYWORDS.is_sorted_by_key(|(spelling, _)| *spelling));
        for (word, expected) in [
            ("BEGIN", Some(Keyword::Begin)),
            ("EndStartState", Some(Keyword::EndOf(Block::Startstate))),
            ("beginning", None),
            ("process", None),
            ("true", None),
            ("", None),
        ] {
            assert_eq!(keyword(word), expected, "{word}");
        }
        assert!(KEYWORDS.iter().all(|(spelling, found)| keyword(spelling) == Some(*found)));
    }

    #[test]
    fn some_names_mean_the_same_in_any_case() {
        for (word, expected) in
            [("TRUE", "true"), ("Boolean", "boolean"), ("IsUndefined", "isundefined"), ("N", "N")]
        {
            assert_eq!(spelt(word), expected);
        }
    }
}
