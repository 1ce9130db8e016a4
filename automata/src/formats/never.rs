//! Never claims for Spin.
//!
//! A claim is an automaton as a program: a label for each state, for each edge an option that goes
//! to its target. Spin takes states whose label starts with `accept` as accepting, the first one as
//! initial. A state that accepts everything is `accept_all: skip`, and comes last: to run off the
//! end of a claim is a violation at once. A state without edges is `false`, which never goes on.
//!
//! Propositions become Promela expressions. A name of the language stands for itself; anything else
//! must be an expression as far as a look at its tokens tells: then it is put in
//! parentheses. Nothing that could leave them, or the comment with the formula, gets through.

use super::label::Signs;
use super::{Printable, is_plain};
use crate::automaton::{Automaton, State};
use crate::components::Components;
use crate::guard::Guards;
use crate::limits::StopReason;
use hashbrown::HashMap;
use ltl::{Atom, AtomKind, Atoms};
use std::fmt::{self, Write as _};

/// Why there is no claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotPromela {
    /// A claim has one acceptance set, or none; this automaton has so many.
    AcceptanceSets(u32),
    /// Claims accept by states; this automaton by edges.
    NotStateBased,
    /// An event atom, which Spin does not know.
    Event(String),
    /// A proposition that is no Promela expression, and why.
    Proposition(String, &'static str),
    /// A limit was met.
    Stopped(StopReason),
}

impl From<StopReason> for NotPromela {
    fn from(reason: StopReason) -> Self {
        NotPromela::Stopped(reason)
    }
}

impl fmt::Display for NotPromela {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPromela::AcceptanceSets(sets) => {
                write!(out, "a never claim has one acceptance set, this automaton has {sets}")
            }
            NotPromela::NotStateBased => {
                write!(
                    out,
                    "a never claim needs acceptance by states, this automaton has it on edges"
                )
            }
            NotPromela::Event(event) => {
                write!(out, "`{event}` is an event, which a never claim cannot observe")
            }
            NotPromela::Proposition(name, reason) => {
                write!(out, "`{name}` is no Promela expression: {reason}")
            }
            NotPromela::Stopped(reason) => write!(out, "{reason}"),
        }
    }
}

impl std::error::Error for NotPromela {}

/// The automaton as a never claim; `name`, usually the formula, becomes a comment.
pub fn write(
    guards: &mut Guards,
    automaton: &Automaton,
    atoms: &Atoms,
    name: Option<&str>,
) -> Result<String, NotPromela> {
    if automaton.acceptance_sets() > 1 {
        return Err(NotPromela::AcceptanceSets(automaton.acceptance_sets()));
    }
    if !automaton.is_state_based() {
        return Err(NotPromela::NotStateBased);
    }
    let printable = Printable::new(guards, automaton)?;
    let mut expressions = HashMap::new();
    for &atom in printable.atoms() {
        expressions.insert(atom, promela(atoms.kind(atom))?);
    }
    let claim = Claim { printable: &printable, expressions };
    let mut out = String::from("never {");
    if let Some(name) = name {
        let _ = write!(out, " /* {} */", harmless(name));
    }
    out.push('\n');
    claim.states(&mut out);
    out.push_str("}\n");
    Ok(out)
}

struct Claim<'a> {
    printable: &'a Printable,
    expressions: HashMap<Atom, String>,
}

impl Claim<'_> {
    fn states(&self, out: &mut String) {
        let automaton = self.printable.automaton();
        let initial = automaton.initial();
        self.state(out, initial);
        let components = Components::of(automaton);
        let reached = |state: &State| components.component(*state).is_some();
        let others: Vec<_> =
            automaton.states().filter(|&state| state != initial).filter(reached).collect();
        for &state in others.iter().filter(|&&state| !self.accepts_everything(state)) {
            self.state(out, state);
        }
        // One stands for all of them: they go by the same label.
        if let Some(&state) = others.iter().find(|&&state| self.accepts_everything(state)) {
            self.state(out, state);
        }
    }

    fn state(&self, out: &mut String, state: State) {
        let _ = writeln!(out, "{}:", self.label(state));
        if self.accepts_everything(state) {
            out.push_str("  skip\n");
        } else if self.printable.automaton().edges(state).is_empty() {
            out.push_str("  false;\n");
        } else {
            out.push_str("  if\n");
            for (edge, label) in self.printable.edges(state) {
                let condition = label.text(Signs::PROMELA, |atom| self.expressions[&atom].clone());
                let _ = writeln!(out, "  :: ({condition}) -> goto {}", self.label(edge.target));
            }
            out.push_str("  fi;\n");
        }
    }

    fn label(&self, state: State) -> String {
        let automaton = self.printable.automaton();
        let marks = automaton.all_marks();
        let accepting = automaton.edges(state).first().is_some_and(|edge| edge.marks == marks);
        let prefix = if accepting { "accept" } else { "T0" };
        if state == automaton.initial() {
            format!("{prefix}_init")
        } else if self.accepts_everything(state) {
            "accept_all".to_owned()
        } else {
            format!("{prefix}_S{}", state.0)
        }
    }

    /// Whether the state accepts every word, by a loop at the state.
    fn accepts_everything(&self, state: State) -> bool {
        let marks = self.printable.automaton().all_marks();
        self.printable
            .edges(state)
            .any(|(edge, label)| edge.target == state && edge.marks == marks && label.is_true())
    }
}

/// A text that does not end the comment that it stands in.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!((out.chars().next_back(), c), (Some('*'), '/') | (Some('/'), '*')) {
            out.push(' ');
        }
        // A `\` before the end of a line would join it to the next.
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// The atom as an expression that can be an operand of any operator.
fn promela(kind: &AtomKind) -> Result<String, NotPromela> {
    let name = match kind {
        AtomKind::Event(pattern) => return Err(NotPromela::Event(pattern.to_string())),
        AtomKind::Proposition(name) => name,
    };
    let refused = |reason| NotPromela::Proposition(name.clone(), reason);
    if is_plain(name) {
        let keyword = KEYWORDS.binary_search(&name.as_str()).is_ok();
        return if keyword { Err(refused("it is a keyword")) } else { Ok(name.clone()) };
    }
    check_expression(name).map_err(refused)?;
    Ok(format!("({name})"))
}

/// Whether the text consists of words, numbers and operators of Promela expressions, with balanced
/// brackets, nothing that assigns, and an operand where one must be.
fn check_expression(text: &str) -> Result<(), &'static str> {
    let mut open: Vec<&str> = Vec::new();
    let mut operand = false;
    for word in Words(text) {
        let after = operand;
        operand = false;
        match word? {
            Word::Name(name) => {
                if KEYWORDS.binary_search(&name).is_ok() && !WORDS_INSIDE.contains(&name) {
                    return Err("it contains a keyword");
                }
                if after {
                    return Err("an operator is missing between two operands");
                }
                operand = true;
            }
            Word::Sign("(") => open.push(")"),
            Word::Sign("[") => open.push("]"),
            Word::Sign(sign @ (")" | "]")) => {
                if open.pop() != Some(sign) {
                    return Err("its brackets do not match");
                }
                if !after {
                    return Err("an operand is missing");
                }
                operand = true;
            }
            Word::Sign("!" | "~") if after => return Err("it sends, or an operator is missing"),
            Word::Sign("!" | "~" | "-") => {}
            Word::Sign(_) if !after => return Err("an operand is missing"),
            Word::Sign(_) => {}
        }
    }
    match (open.is_empty(), operand) {
        (false, _) => Err("its brackets do not match"),
        (true, false) => Err("an operand is missing"),
        (true, true) => Ok(()),
    }
}

/// The words of a Promela expression.
struct Words<'a>(&'a str);

#[derive(Clone, Copy, Debug)]
enum Word<'a> {
    /// A name or a number.
    Name(&'a str),
    Sign(&'static str),
}

/// Longest first. `@` and `:` are those of remote references (`p[1]@label`, `p[1]:x`).
#[rustfmt::skip]
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "(", ")", "[", "]",
    "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!",
];
const REMOTE: [&str; 3] = [".", "@", ":"];
/// They begin with a sign, but are something else: assignments, comments, arrows, preprocessor.
#[rustfmt::skip]
const FORBIDDEN: [&str; 8] = ["++", "--", "->", "/*", "*/", "//", "::", "@@"];

impl<'a> Iterator for Words<'a> {
    type Item = Result<Word<'a>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = self.0.trim_start_matches([' ', '\t']);
        let text = self.0;
        let first = text.chars().next()?;
        if first.is_ascii_alphanumeric() || first == '_' {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
            let (name, rest) = text.split_at(end);
            self.0 = rest;
            let digits = name.bytes().all(|b| b.is_ascii_digit());
            let misspelt = first.is_ascii_digit() && !digits;
            return Some(if misspelt {
                Err("a number contains letters")
            } else {
                Ok(Word::Name(name))
            });
        }
        if FORBIDDEN.iter().any(|sign| text.starts_with(sign)) {
            return Some(Err("it contains what is no operator of expressions"));
        }
        let mut signs = SIGNS.iter().chain(&REMOTE);
        let Some(sign) = signs.find(|sign| text.starts_with(**sign)) else {
            return Some(Err("it contains a character that expressions do not have"));
        };
        self.0 = &text[sign.len()..];
        Some(Ok(Word::Sign(sign)))
    }
}

/// Of the keywords, those that can stand in an expression.
#[rustfmt::skip]
const WORDS_INSIDE: [&str; 11] = [
    "empty", "enabled", "false", "full", "len", "nempty", "nfull", "np_", "pc_value",
    "timeout", "true",
];

/// Words with a meaning of their own, sorted. (`c_expr` and the like run C code.)
#[rustfmt::skip]
const KEYWORDS: [&str; 66] = [
    "D_proctype", "STDIN", "_", "active", "assert", "atomic", "bit", "bool", "break", "byte",
    "c_code", "c_decl", "c_expr", "c_state", "c_track", "chan", "d_step", "do", "else", "empty",
    "enabled", "eval", "false", "fi", "for", "full", "get_priority", "goto", "hidden", "if", "in",
    "init", "inline", "int", "len", "local", "ltl", "mtype", "nempty", "never", "nfull",
    "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm", "priority", "proctype",
    "provided", "run", "select", "set_priority", "short", "show", "skip", "timeout", "trace",
    "true", "typedef", "unless", "unsigned", "xr", "xs",
];
