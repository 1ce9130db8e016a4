//! The grammar for editors agrees with the lexer: `editors/vscode/syntaxes`.
//!
//! The lexer and the parser decide; a small reader of such grammars ([`textmate`]) computes the
//! colours in an editor. Where the parser is needed (whether a `G` of a formula is an operator),
//! the test replaces the word by another operator and parses the result.

mod textmate;

use super::super::lexer::{TokenKind, lex};
use super::super::parse;
use super::super::words::{CONTEXTUAL, KEYWORDS};
use crate::check;
use crate::syntax::{Item, RuleKind};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use textmate::{Grammar, Painted};

/// The families of words that belong to the language.
const WORDS: &[&str] = &["keyword", "storage", "constant.language"];
/// Those, and others that are not plain names.
const SPECIAL: &[&str] = &["keyword", "storage", "constant", "support", "string", "comment"];
const SILENT: &[&str] = &["string", "comment"];

fn grammar() -> Grammar {
    Grammar::read(include_str!("../../../../editors/vscode/syntaxes/isonomy.tmLanguage.json"))
}

/// Every construct with its own words, for those that no fixture uses.
const ALL_WORDS: &str = "\
type t: undirected ring(3); u: interleaved array [ring(2)] of multiset [2] of boolean;
     e: array [undirected ring(4)] of ring(3); CLIENT: Scalarset(2);
     m: multiset [3] of t;
var b: array [t] of boolean; x: 0..0x1F; q: m;
startstate \"s /* no comment */ end\" for i := 0 to 4 by 2 do x := i end; end;
invariant \"n\" count i: t; j := 0 to 2 do b[i] end < 3;
ltl G (count i: t; j: t do b[i] end) > 1;
ltl G (sum i: t; j: 0..2 do x + j end) > 1;
strongly fair rule b[0] ==> x := x - 1 endrule;
Fair Rule \"a \\\" rule\" begin put “typographic ” ; end;
process c: t do rule b[c] ==> end; endprocess;
type some: set of t; rule x in ({ x } | some) ==> for v in some do insert(some, x) end end;
type line: queue [4] of record a: t end; rule length(l) > 0 & head(l).a in m ==> for v in l do pop(l) end end;
choose i: q do rule end; endchoose;
ltl \"one\": forall distinct c, d: t, e: (0..3). []<> b[c] -> F @by(c) under weak fairness over events;
ltl G (exists i: t; j: t do b[i] & r.f end) & X @\"long name\"(c, _) under none fairness
justice forall i: t. b[i];
ltl F b[x] U true under strong fairness over processes;
compassion \"two\": (x = 1, x = 2);
";

/// All models of the fixtures, and the one above.
fn models() -> Vec<(String, String)> {
    let mut found = vec![("all words".to_owned(), ALL_WORDS.to_owned())];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut open = vec![root];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "m") {
                let text = fs::read_to_string(&path).expect("a text");
                found.push((path.display().to_string(), text));
            }
        }
    }
    assert!(found.len() > 100, "the fixtures are where they are looked for");
    found
}

/// Wrong colours, with their positions in the text.
struct Faults<'a> {
    name: &'a str,
    text: &'a str,
    painted: &'a Painted,
    found: Vec<String>,
}

impl Faults<'_> {
    fn demand(&mut self, condition: bool, place: Range<usize>, what: &str) {
        if !condition {
            let line = self.text[..place.start].matches('\n').count() + 1;
            let scopes = self.painted.scopes(place.start);
            let (name, text) = (self.name, &self.text[place]);
            self.found.push(format!("{name}:{line}: `{text}` is not {what}: {scopes}"));
        }
    }
}

#[test]
fn tokens_have_the_colours_of_their_kinds() {
    let (grammar, mut used, mut faults) = (grammar(), BTreeSet::new(), Vec::new());
    for (name, text) in models() {
        let (lexed, painted) = (lex(&text), grammar.paint(&text));
        let identifiers = identifiers(&text);
        let mut wrong = Faults { name: &name, text: &text, painted: &painted, found: Vec::new() };
        let mut silent = BTreeSet::new();
        for comment in &lexed.comments {
            let place = comment.place.0.start..comment.place.0.end;
            wrong.demand(painted.are(place.clone(), &["comment"]), place.clone(), "a comment");
            silent.extend(place);
        }
        let (mut is_event, is_sound) = (false, parse(&text).errors.is_empty());
        for token in &lexed.tokens {
            let place = token.span.start..token.span.end;
            let word = &text[place.clone()];
            if place.start >= lexed.doubtful || token.kind == TokenKind::End {
                break;
            }
            let is = |families| painted.are(place.clone(), families);
            // Events have their own names, except for `@by`.
            let is_contextual = is_one_of(&CONTEXTUAL, word) && (!is_event || word == "by");
            is_event = word == "@";
            match token.kind {
                TokenKind::Keyword(_) => wrong.demand(is(WORDS), place, "a keyword"),
                TokenKind::Number | TokenKind::Real => {
                    wrong.demand(is(&["constant.numeric"]), place, "a number");
                }
                TokenKind::Text => {
                    wrong.demand(is(&["string"]), place.clone(), "a string");
                    silent.extend(place);
                }
                TokenKind::Symbol(_) => {
                    wrong.demand(is(&["keyword.operator", "punctuation"]), place, "an operator");
                }
                // The meaning is unknown where there are errors.
                TokenKind::Name if is_contextual && !is_sound => {}
                TokenKind::Name if is_contextual && !identifiers.contains(word) => {
                    used.insert(word.to_ascii_lowercase());
                    wrong.demand(is(WORDS), place, "a keyword");
                }
                TokenKind::Name if is_one_of(&["true", "false"], word) => {
                    wrong.demand(is(&["constant.language"]), place, "a constant");
                }
                // Those of formulas are tested below.
                TokenKind::Name if is_one_of(&TEMPORAL.concat(), word) => {}
                TokenKind::Name => wrong.demand(!is(WORDS) && !is(&["constant"]), place, "a name"),
                TokenKind::Foreign | TokenKind::End => {}
            }
        }
        let sure = text.len().min(lexed.doubtful);
        for (offset, _) in
            text[..sure].char_indices().filter(|(offset, _)| !silent.contains(offset))
        {
            wrong.demand(!painted.is(offset, SILENT), offset..offset, "outside of strings");
        }
        faults.extend(wrong.found);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let unused: Vec<_> = CONTEXTUAL.iter().filter(|word| !used.contains(**word)).collect();
    assert!(unused.is_empty(), "no model uses {unused:?}");
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// The identifiers of a model outside of its formulas, taken from its tree.
fn identifiers(text: &str) -> BTreeSet<String> {
    let tree = format!("{:?}", parse(text).model);
    let names = tree.split("Name { text: \"").skip(1);
    names.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn every_keyword_is_one_in_any_case_and_nothing_that_contains_it() {
    let grammar = grammar();
    for (word, _) in KEYWORDS {
        for spelt in [word.to_owned(), word.to_uppercase(), word[..1].to_uppercase() + &word[1..]] {
            let text = format!("; {spelt} ;");
            assert!(grammar.paint(&text).are(2..2 + spelt.len(), WORDS), "{spelt}");
        }
        for name in [format!("{word}x"), format!("x{word}"), format!("{word}_"), format!("{word}1")]
        {
            // `end` and `endif` are both words, and so are `rule` and `ruleset`.
            if KEYWORDS.iter().all(|(other, _)| *other != name) {
                let painted = grammar.paint(&name);
                assert!((0..name.len()).all(|byte| !painted.is(byte, SPECIAL)), "{name}");
            }
        }
    }
}

/// A word that Isonomy adds is coloured as a name where a model uses it as one.
#[test]
fn words_that_are_names_look_like_names() {
    let grammar = grammar();
    for word in CONTEXTUAL {
        let text = format!(
            "var {word}: array [boolean] of boolean; x, {word}2: boolean;\n\
             startstate {word}[x] := true; x := {word}2; end;\n\
             rule \"{word}\" !{word}[x] & ({word} = {word}) ==> -- {word} c: t do\n\
             {word}[true] := !{word}[x] -> {word}[x]; end;"
        );
        assert_eq!(parse(&text).errors, [], "{text}");
        let painted = grammar.paint(&text);
        for token in lex(&text).tokens.iter().filter(|token| token.kind == TokenKind::Name) {
            let place = token.span.start..token.span.end;
            if text[place.clone()].eq_ignore_ascii_case(word) {
                assert!(
                    !painted.is(place.start, SPECIAL),
                    "{word}: {}",
                    painted.scopes(place.start)
                );
            }
        }
    }
}

/// Temporal operators that are words: before one operand, between two.
const TEMPORAL: [&[&str]; 2] = [&["X", "F", "G"], &["U", "R", "V", "W", "M"]];

/// A letter in a formula is an operator iff the parser accepts another operator in its place.
#[test]
fn letters_are_operators_where_they_are() {
    let (grammar, mut counts, mut faults) = (grammar(), [0, 0], Vec::new());
    for (name, text) in models() {
        if check(&text, &[]).is_err() {
            continue;
        }
        let (model, identifiers) = (parse(&text).model, identifiers(&text));
        let formulas = model.items.iter().filter_map(|item| match item {
            Item::Rule(rule) => match &rule.kind {
                RuleKind::Ltl(ltl) => Some(ltl.place.0),
                _ => None,
            },
            Item::Declaration(_) | Item::Function(_) | Item::Include(_) => None,
        });
        let formulas: Vec<_> = formulas.collect();
        let (tokens, painted) = (lex(&text).tokens, grammar.paint(&text));
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Name) {
            let place = token.span.start..token.span.end;
            let word = &text[place.clone()];
            let letters = TEMPORAL.iter().find(|letters| letters.contains(&word));
            let inside = formulas.iter().any(|f| f.start <= place.start && place.end <= f.end);
            let is_operator = inside
                && letters.is_some_and(|letters| {
                    let mut others =
                        letters.iter().filter(|letter| !identifiers.contains(**letter));
                    let other = others.find(|letter| **letter != word);
                    let other = other.expect("a letter that is no name here");
                    let changed = format!("{}{other}{}", &text[..place.start], &text[place.end..]);
                    check(&changed, &[]).is_ok()
                });
            counts[usize::from(is_operator)] += usize::from(letters.is_some());
            if painted.is(place.start, &["keyword.operator.temporal"]) != is_operator {
                let scopes = painted.scopes(place.start);
                let line = text[..place.start].matches('\n').count() + 1;
                faults.push(format!("{name}:{line}: `{word}` {is_operator}: {scopes}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(counts[0] > 10 && counts[1] > 100, "fixtures have both: {counts:?}");
}
