//! The meaning of a formula: the `ltl` crate reads its operators, the model's parser its operands.
//!
//! A maximal part without temporal operators and events becomes *one* atom, evaluated as one
//! expression with Murphi's short-circuit evaluation: so `G(isundefined(x) | x = 1)` never reads an
//! undefined x.

use super::Checker;
use super::alternatives::Choice;
use super::scope::ScopeSymbol;
use crate::checked::{Atom, Expression, ExpressionKind};
use crate::parser::{self, Tokens};
use crate::syntax::{self, Name};
use crate::types::Types;
use crate::value::Scalar;
use hashbrown::HashMap;
use ltl::parser::{Algebra, Binary, NESTING_LIMIT, Prefix};
use ltl::{Diagnostic, EventPattern, Formulas, Node, Span};

/// A formula with its atoms.
pub(super) struct ReadFormula {
    pub(super) formulas: Formulas,
    pub(super) root: ltl::Formula,
    pub(super) atoms: Vec<Atom>,
}

impl Checker<'_> {
    /// Reads the formula in this span of the text, and reports errors in it. It is the disjunction over
    /// these choices of what some names mean.
    pub(super) fn temporal(
        &mut self,
        tokens: &Tokens<'_>,
        place: Span,
        choices: &[Choice],
    ) -> Option<ReadFormula> {
        let Span { start, end } = place;
        let text = &self.text[start..end];
        let before = self.errors.len();
        let mut meaning = Meaning {
            checker: self,
            tokens,
            start,
            end,
            formulas: Formulas::new(),
            atoms: Vec::new(),
            known: HashMap::new(),
            chosen: &[],
        };
        let mut disjuncts = Vec::new();
        for (k, choice) in choices.iter().enumerate() {
            let warnings = meaning.checker.warnings.len();
            disjuncts.push(meaning.choice(choice, text));
            if k > 0 {
                // They were said of the first one.
                meaning.checker.warnings.truncate(warnings);
            }
            if meaning.checker.errors.len() > before {
                break;
            }
        }
        let Meaning { mut formulas, atoms, .. } = meaning;
        for atom in &atoms {
            if let Atom::State { condition, .. } = atom
                && let Some(wrong) = self.effect_in(condition, "a formula")
            {
                self.report(wrong);
            }
        }
        if self.errors.len() > before {
            return None;
        }
        let disjuncts: Vec<_> = disjuncts.into_iter().collect::<Option<_>>()?;
        let root = match disjuncts[..] {
            [root] => root,
            _ => formulas.written(Node::Or(&disjuncts)),
        };
        Some(ReadFormula { formulas, root, atoms })
    }

    /// Reports an error of syntax, one message for one mistake: in `always x` the word `always` is an
    /// unknown name, and `x` stands where an operator should. The errors of the formula start at `before`.
    fn syntax_error(&mut self, wrong: Diagnostic, before: usize) {
        let last = self.errors[before..].last();
        if let Some(last) = last
            && last.span.end <= wrong.span.start
            && self.text[last.span.end..wrong.span.start].trim().is_empty()
        {
            let word = &self.text[last.span.start..last.span.end];
            match &wrong.help {
                None if last.help.is_some() => return,
                Some(help) if help.starts_with(&format!("`{word}` is ")) => {
                    self.errors.pop();
                }
                _ => {}
            }
        }
        self.report(wrong);
    }
}

/// Builds the formula while the formula parser reads it.
struct Meaning<'c, 't, 'k> {
    checker: &'c mut Checker<'t>,
    tokens: &'k Tokens<'k>,
    /// The span of the formula in the text.
    start: usize,
    end: usize,
    formulas: Formulas,
    atoms: Vec<Atom>,
    /// Atoms by their text as written, and as shown.
    known: HashMap<(String, String), ltl::Atom>,
    /// What the names of `exists` in front mean now.
    chosen: &'k [(Name, ScopeSymbol, String)],
}

/// A part of a formula.
enum FormulaPart {
    /// No temporal operator, no event.
    State(StateCondition),
    /// A conjunction or disjunction, not only of conditions, that may still grow. It becomes a
    /// formula when it is complete, so that a chain of n operands costs n. The last operand may be
    /// a condition that the next one joins: `F a & !isundefined(x) & x = 1` has two operands.
    Chain { or: bool, run: Vec<ltl::Formula>, last: Option<StateCondition>, span: Span },
    /// Any other formula.
    Temporal(ltl::Formula),
}

/// A condition on states.
#[derive(Clone)]
struct StateCondition {
    condition: Expression,
    text: String,
    joined_by: Option<Binary>,
    /// The text of its left side, if it is an implication.
    antecedent: Option<String>,
    /// The negated condition, if this is a negation. As an operand of a formula that one is the
    /// atom, not the negation, so that `a` and `!a` are known to exclude each other.
    denied: Option<Box<StateCondition>>,
    height: u32,
}

impl StateCondition {
    fn new(condition: Expression, text: String) -> StateCondition {
        let (joined_by, antecedent, denied) = (None, None, None);
        StateCondition { condition, text, joined_by, antecedent, denied, height: 1 }
    }

    /// Joins two conditions, evaluated from left to right; `sign` and `kind` are those of the
    /// operator.
    fn join(
        self,
        operator: Binary,
        (sign, kind): (&str, Join),
        right: StateCondition,
        span: Span,
    ) -> Result<StateCondition, Diagnostic> {
        let height = self.height.max(right.height) + 1;
        if height >= NESTING_LIMIT {
            return Err(too_high(span));
        }
        // Atoms are identified by their texts, so equal texts must have equal meanings: only
        // associative operators need no parentheses.
        let is_associative = matches!(operator, Binary::And | Binary::Or);
        let grouped = |state: &StateCondition| match state.joined_by {
            Some(by) if by != operator || !is_associative => format!("({})", state.text),
            _ => state.text.clone(),
        };
        let text = format!("{} {sign} {}", grouped(&self), grouped(&right));
        let antecedent = (operator == Binary::Implies).then_some(self.text);
        let (a, b) = (self.condition, right.condition);
        let place = Span { start: a.span.start.min(b.span.start), end: b.span.end };
        let kind = kind(Box::new(a), Box::new(b));
        let condition = Expression { kind, of: Types::BOOLEAN, span: place };
        let (joined_by, denied) = (Some(operator), None);
        Ok(StateCondition { condition, text, joined_by, antecedent, denied, height })
    }
}

/// Words that the formula parser reads, not the model's parser.
const TEMPORAL: [&str; 8] = ["X", "F", "G", "U", "R", "V", "W", "M"];

impl<'k> Meaning<'_, '_, 'k> {
    /// The formula with these meanings of some names. Errors are reported.
    fn choice(
        &mut self,
        choice: &'k [(Name, ScopeSymbol, String)],
        text: &str,
    ) -> Option<ltl::Formula> {
        self.chosen = choice;
        self.checker.scopes.enter();
        for (name, symbol, _) in choice {
            self.checker.declare(name, *symbol);
        }
        let before = self.checker.errors.len();
        let outcome = ltl::parser::interpret(text, self);
        let root = outcome.and_then(|part| part.map(|part| self.formula(part)).transpose());
        self.checker.scopes.leave();
        root.unwrap_or_else(|wrong| {
            // The formula parser counts from the start of the formula.
            self.checker.syntax_error(wrong.moved(self.start.cast_signed()), before);
            None
        })
    }

    /// A text with what the names of `exists` mean now. Fields of that name stay.
    fn shown(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut rest = text;
        while let Some(start) = rest.find(is_letter) {
            let (before, word) = rest.split_at(start);
            let (word, after) = word.split_at(word.find(|c| !is_letter(c)).unwrap_or(word.len()));
            shown.push_str(before);
            let is_field = shown.ends_with('.') && !shown.ends_with("..");
            let chosen = self.chosen.iter().find(|(name, ..)| name.text == word && !is_field);
            shown.push_str(chosen.map_or(word, |(.., shown)| shown));
            rest = after;
        }
        shown + rest
    }

    /// Turns the part into a formula, unless that is too high; a condition becomes an atom.
    fn formula(&mut self, part: FormulaPart) -> Result<ltl::Formula, Diagnostic> {
        match part {
            FormulaPart::Temporal(f) => Ok(f),
            FormulaPart::State(state) => Ok(self.condition(state)),
            FormulaPart::Chain { or, mut run, last, span } => {
                run.extend(last.map(|last| self.condition(last)));
                self.make(if or { Node::Or(&run) } else { Node::And(&run) }, span)
            }
        }
    }

    fn condition(&mut self, state: StateCondition) -> ltl::Formula {
        let StateCondition { condition, text, antecedent, denied, .. } = state;
        if let Some(denied) = denied {
            let denied = self.condition(*denied);
            return self.formulas.written(Node::Not(denied));
        }
        match condition.kind {
            ExpressionKind::Constant(value) => self.formulas.constant(value.is_true()),
            _ => self.atom(text.clone(), Atom::State { condition, text, antecedent }),
        }
    }

    /// A conjunction or disjunction, not only of conditions.
    fn chain(
        &mut self,
        operator: Binary,
        left: FormulaPart,
        right: FormulaPart,
        span: Span,
    ) -> Result<FormulaPart, Diagnostic> {
        let wanted = operator == Binary::Or;
        let (mut run, last) = match left {
            FormulaPart::Chain { or, run, last, .. } if or == wanted => (run, last),
            FormulaPart::State(state) => (Vec::new(), Some(state)),
            other => (vec![self.formula(other)?], None),
        };
        let last = match (last, right) {
            (Some(last), FormulaPart::State(right)) => {
                let how = joined(operator).expect("conditions are joined by `&` and `|`");
                Some(last.join(operator, how, right, span)?)
            }
            (None, FormulaPart::State(right)) => Some(right),
            (last, right) => {
                run.extend(last.map(|last| self.condition(last)));
                match right {
                    FormulaPart::Chain { or, run: inner, last, .. } if or == wanted => {
                        run.extend(inner);
                        last
                    }
                    other => {
                        run.push(self.formula(other)?);
                        None
                    }
                }
            }
        };
        Ok(FormulaPart::Chain { or: wanted, run, last, span })
    }

    /// An atom with this text.
    fn atom(&mut self, written: String, mut atom: Atom) -> ltl::Formula {
        let shown = self.shown(&written);
        if shown != written {
            match &mut atom {
                Atom::State { text, antecedent, .. } => {
                    *text = self.shown(text);
                    *antecedent = antecedent.as_ref().map(|text| self.shown(text));
                }
                Atom::Event { text, .. } | Atom::By { text, .. } => *text = self.shown(text),
            }
        }
        let fresh = ltl::Atom(self.atoms.len() as u32);
        let id = *self.known.entry((written, shown)).or_insert(fresh);
        if id == fresh {
            self.atoms.push(atom);
        }
        self.formulas.atom(id)
    }

    /// Makes a formula of `node`, unless it is too high.
    fn make(&mut self, node: Node<'_>, span: Span) -> Result<ltl::Formula, Diagnostic> {
        let f = self.formulas.written(node);
        if self.formulas.depth(f) > NESTING_LIMIT { Err(too_high(span)) } else { Ok(f) }
    }

    /// Checks that an expression of the model is a condition. Errors are reported at once, so that
    /// the rest of the formula is checked, too.
    fn state(&mut self, tree: &syntax::Expression, text: String) -> Option<FormulaPart> {
        let condition = self.checker.boolean(tree)?;
        Some(FormulaPart::State(StateCondition::new(condition, text)))
    }

    /// The text of the model between two offsets, with single blanks.
    fn words(&self, start: usize, end: usize) -> String {
        self.checker.text[start..end].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The name at the start of a text.
    fn identifier(rest: &str) -> Option<&str> {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest[..end].starts_with(|c: char| c.is_ascii_alphabetic()).then(|| &rest[..end])
    }

    /// The error for a quantifier over a temporal formula inside another formula.
    fn refuse_quantifier(word: &str, offset: usize) -> Diagnostic {
        let span = offset..offset + word.len();
        if word.eq_ignore_ascii_case("exists") {
            let message = "`exists` over a temporal formula must stand in front of all";
            return Diagnostic::error(span, message).help(
                "write `exists c: T. formula` at the very start, where T has few values; inside an atom \
                 write `exists c: T do ... end`",
            );
        }
        if offset == 0 {
            return Diagnostic::error(span, "the quantifier in front cannot be read").help(
                "write `forall v: T. formula`, where T is a name or in parentheses: `(0..2)`",
            );
        }
        Diagnostic::error(span, "a quantifier over a temporal formula must stand in front of all")
            .help(
                "write `forall c: T. formula` at the very start; inside an atom write \
             `forall c: T do ... end`",
            )
    }

    /// Refuses `~ x = 1`: Murphi reads `(~x) = 1`, but readers of formulas expect `~(x = 1)`.
    fn refuse_tilde(&mut self, rest: &str, offset: usize) -> Result<(), Diagnostic> {
        let blanks = rest[1..].len() - rest[1..].trim_start().len();
        let at = self.start + offset + 1 + blanks;
        let Ok((tree, _)) = self.tokens.comparison_at(at) else { return Ok(()) };
        let syntax::ExpressionKind::Binary(_, left, _) = &tree.kind else { return Ok(()) };
        let (errors, slots) = (self.checker.errors.len(), self.checker.frame.locals.len());
        let numeric =
            self.checker.expression(left).is_some_and(|left| self.checker.types.is_range(left.of));
        self.checker.errors.truncate(errors);
        self.checker.cut_frame(slots);
        if numeric {
            return Err(Diagnostic::error(
                offset..offset + 1,
                "`~` before a comparison of numbers can be read in two ways",
            )
            .help("write `!(x = 1)` for its negation, `\"~x = 1\"` for the bits of x"));
        }
        Ok(())
    }

    /// An event by its bare name, if nothing else has that name.
    fn bare_event(
        &mut self,
        rest: &str,
        word: &str,
        offset: usize,
    ) -> Option<(Option<FormulaPart>, usize)> {
        let is_event = self.checker.events.iter().any(|event| event.name == word);
        if !is_event || self.checker.scopes.find(word).is_some() {
            return None;
        }
        let behind = rest[word.len()..].trim_start();
        let end = if behind.starts_with('(') {
            rest.len() - behind.len() + behind.find(')')? + 1
        } else {
            word.len()
        };
        let pattern: EventPattern = format!("@{}", &rest[..end]).parse().ok()?;
        if behind.starts_with('(') && self.checker.is_operation(word) {
            let at = self.start + offset;
            let message = format!("`{word}` is an event here, so that it is not the operation");
            let warning = Diagnostic::warning(at..at + word.len(), message);
            let help =
                format!("write `@{}` if the event is meant; else rename the rule", &rest[..end]);
            self.checker.report(warning.help(help));
        }
        let made = self.event_part(&pattern, (offset..offset + end).into());
        Some((made, end))
    }

    /// The part of an event atom; errors in it are reported.
    fn event_part(&mut self, pattern: &EventPattern, span: Span) -> Option<FormulaPart> {
        let place = Span { start: span.start + self.start, end: span.end + self.start };
        let made = match pattern {
            EventPattern::Named { name, arguments } => {
                self.checker.named_event(name, arguments.as_deref(), place, pattern.to_string())
            }
            EventPattern::By(process) => self.checker.by(process, place, pattern.to_string()),
        };
        match made {
            Ok(atom) => Some(FormulaPart::Temporal(self.atom(pattern.to_string(), atom))),
            Err(wrong) => {
                self.checker.report(wrong);
                None
            }
        }
    }
}

/// `None` is a part whose error has been reported.
impl Algebra for Meaning<'_, '_, '_> {
    type Value = Option<FormulaPart>;

    fn read(
        &mut self,
        rest: &str,
        offset: usize,
    ) -> Result<Option<(Self::Value, usize)>, Diagnostic> {
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let at = self.start + offset;
        if first.is_ascii_alphabetic() {
            let word = Self::identifier(rest).expect("it starts with a letter");
            if TEMPORAL.contains(&word) {
                return Ok(None);
            }
            if let Some(found) = self.bare_event(rest, word, offset) {
                return Ok(Some(found));
            }
            let quantifies = ["forall", "exists"].iter().any(|w| word.eq_ignore_ascii_case(w));
            if quantifies && self.tokens.comparison_at(at).is_err() {
                return Err(Self::refuse_quantifier(word, offset));
            }
        } else if first == '(' {
            let behind = self.tokens.behind_group(at);
            if !behind.is_some_and(|token| BEHIND_EXPRESSION.contains(&token)) {
                return Ok(None);
            }
        } else if first == '~' {
            self.refuse_tilde(rest, offset)?;
            return Ok(None);
        } else if !(first.is_ascii_digit() || "+-∀∃".contains(first)) {
            return Ok(None);
        }
        let found = self.tokens.comparison_at(at);
        // The formula parser counts from the start of the formula.
        let (tree, end) = found.map_err(|wrong| wrong.moved(-self.start.cast_signed()))?;
        let end = end.min(self.end);
        let text = self.words(at, end);
        Ok(Some((self.state(&tree, text), end - at)))
    }

    fn constant(&mut self, value: bool) -> Self::Value {
        let condition = Expression {
            kind: ExpressionKind::Constant(Scalar::boolean(value)),
            of: Types::BOOLEAN,
            span: Span::at(self.start),
        };
        Some(FormulaPart::State(StateCondition::new(condition, value.to_string())))
    }

    /// A quoted atom.
    fn name(&mut self, name: &str, span: Span) -> Result<Self::Value, Diagnostic> {
        let inside = span.start + 1;
        // With its quotes: `!"a | b"` is not `!a | b`.
        let text = ltl::atoms::quoted(name);
        let place = Span { start: self.start + inside, end: self.start + span.end - 1 };
        if self.checker.text.get(place.start..place.end) == Some(name) {
            // Nothing is escaped: every part has a place in the text.
            let tree = Tokens::within(self.checker.text, place).expression().map_err(|wrong| {
                let first = wrong.into_iter().next().expect("an error is recorded");
                first.moved(-self.start.cast_signed())
            })?;
            return Ok(self.state(&tree, text));
        }
        let tree =
            parser::parse_expression(name).map_err(|wrong| wrong.moved(inside.cast_signed()))?;
        let before = self.checker.errors.len();
        let made = self.state(&tree, text);
        for wrong in self.checker.errors.split_off(before) {
            self.checker.errors.push(wrong.moved((self.start + inside).cast_signed()));
        }
        Ok(made.map(|part| match part {
            FormulaPart::State(StateCondition { condition, text, .. }) => {
                // Run-time errors point at the whole atom.
                let place = Span { start: self.start + span.start, end: self.start + span.end };
                FormulaPart::State(StateCondition::new(
                    Expression { span: place, ..condition },
                    text,
                ))
            }
            other => other,
        }))
    }

    fn event(&mut self, pattern: &EventPattern, span: Span) -> Result<Self::Value, Diagnostic> {
        Ok(self.event_part(pattern, span))
    }

    fn prefix(
        &mut self,
        operator: Prefix,
        operand: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Diagnostic> {
        let Some(operand) = operand else { return Ok(None) };
        let operand = match (operator, operand) {
            (Prefix::Not, FormulaPart::State(state)) => {
                if state.height >= NESTING_LIMIT {
                    return Err(too_high(span));
                }
                // In a double negation the inner negation is part of the atom.
                let denied = StateCondition { denied: None, ..state.clone() };
                let StateCondition { condition, text, joined_by, height, .. } = state;
                let place = Span { start: self.start + span.start, end: condition.span.end };
                let text = match joined_by {
                    Some(_) => format!("!({text})"),
                    None => format!("!{text}"),
                };
                let kind = ExpressionKind::Not(Box::new(condition));
                let condition = Expression { kind, of: Types::BOOLEAN, span: place };
                let mut negated = StateCondition::new(condition, text);
                negated.height = height + 1;
                negated.denied = Some(Box::new(denied));
                return Ok(Some(FormulaPart::State(negated)));
            }
            (_, operand) => operand,
        };
        let f = self.formula(operand)?;
        let node = match operator {
            Prefix::Not => Node::Not(f),
            Prefix::Next => Node::Next(f),
            Prefix::Finally => Node::Finally(f),
            Prefix::Globally => Node::Globally(f),
        };
        Ok(Some(FormulaPart::Temporal(self.make(node, span)?)))
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: Self::Value,
        right: Self::Value,
        span: Span,
    ) -> Result<Self::Value, Diagnostic> {
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        let (left, right) = match (left, right, joined(operator)) {
            (FormulaPart::State(left), FormulaPart::State(right), Some(how)) => {
                return Ok(Some(FormulaPart::State(left.join(operator, how, right, span)?)));
            }
            (left, right, _) => (left, right),
        };
        if let Binary::And | Binary::Or = operator {
            return Ok(Some(self.chain(operator, left, right, span)?));
        }
        let f = self.formula(left)?;
        let g = self.formula(right)?;
        let node = match operator {
            Binary::And | Binary::Or => unreachable!("chains are made above"),
            Binary::Xor => Node::Xor(f, g),
            Binary::Implies => Node::Implies(f, g),
            Binary::Iff => Node::Iff(f, g),
            Binary::Until => Node::Until(f, g),
            Binary::Release => Node::Release(f, g),
            Binary::WeakUntil => Node::WeakUntil(f, g),
            Binary::StrongRelease => Node::StrongRelease(f, g),
        };
        Ok(Some(FormulaPart::Temporal(self.make(node, span)?)))
    }
}

type Join = fn(Box<Expression>, Box<Expression>) -> ExpressionKind;

/// The operator that joins two conditions into one.
fn joined(operator: Binary) -> Option<(&'static str, Join)> {
    Some(match operator {
        Binary::And => ("&", ExpressionKind::And),
        Binary::Or => ("|", ExpressionKind::Or),
        Binary::Implies => ("->", ExpressionKind::Implies),
        Binary::Iff => ("<->", ExpressionKind::Equal),
        Binary::Xor => ("xor", ExpressionKind::NotEqual),
        Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease => return None,
    })
}

/// Tokens after `)` that show that the parentheses contained an expression.
const BEHIND_EXPRESSION: [&str; 22] = [
    "<", "<=", "=", "==", "!=", ">=", ">", "<<", ">>", "+", "-", "*", "/", "%", "≤", "≥", "≠", "÷",
    "−", "∕", "×", "in",
];

fn too_high(span: Span) -> Diagnostic {
    let message = format!("the formula is nested more than {NESTING_LIMIT} levels deep");
    Diagnostic::error(span, message).help("split it into several formulas")
}
