//! What is asked: formulas of the command line, properties of the model by name, or all of them.

use super::super::error::Error;
use super::super::loading::Loaded;
use crate::finding::Item;
use ltl::Span;
use model::checked::{Formula, Model, PropertyId};
use model::nearest;
use model::syntax::{Fairness, Over, PropertyKind};
use std::borrow::Cow;
use std::path::Path;

/// What is asked.
pub(super) struct Asked<'a> {
    /// Everything, in the order in which it is answered.
    pub(super) items: Vec<Item>,
    /// The formulas.
    pub(super) formulas: Vec<Cow<'a, Formula>>,
    /// By formula: whether it is there once for each kind of fairness, one behind the other.
    pub(super) is_of_all_kinds: Vec<bool>,
    /// The properties of states.
    pub(super) properties: Vec<PropertyId>,
    /// Whether all kinds of fairness are asked about, and to whom the weak and the strong one are.
    all_kinds: Option<Over>,
}

/// How many kinds of fairness there are.
pub(super) const KINDS: usize = 4;

impl<'a> Asked<'a> {
    /// The formulas of the command line, then the properties of these names, each once; if there are
    /// neither, all properties of the model.
    pub(super) fn of(
        loaded: &'a Loaded,
        names: &[String],
        all_kinds: Option<Over>,
    ) -> Result<Self, Error> {
        let model = &loaded.model;
        let mut asked = Asked {
            items: Vec::new(),
            formulas: Vec::new(),
            is_of_all_kinds: Vec::new(),
            properties: Vec::new(),
            all_kinds,
        };
        for formula in &model.questions {
            asked.add_formula(formula);
        }
        let all = claims(model);
        let mut chosen: Vec<Claim> = Vec::new();
        for name in names {
            let of_this_name = all.iter().filter(|one| one.name(model) == Some(name));
            let before = chosen.len();
            chosen.extend(of_this_name);
            if chosen.len() == before {
                return Err(unknown(model, name, &all));
            }
        }
        if names.is_empty() && model.questions.is_empty() {
            chosen = all;
        }
        let mut seen: Vec<Claim> = Vec::new();
        for claim in chosen {
            if seen.contains(&claim) {
                continue;
            }
            seen.push(claim);
            match claim.id {
                ClaimId::Formula(k) => asked.add_formula(&model.formulas[k]),
                ClaimId::Property(id) => {
                    asked.items.push(Item::Property(id));
                    asked.properties.push(id);
                }
            }
        }
        Ok(asked)
    }

    fn add_formula(&mut self, formula: &'a Formula) {
        let kinds: [Fairness; KINDS] =
            [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global];
        match self.all_kinds {
            Some(over) if formula.under.is_none() => {
                for kind in kinds {
                    let mut formula = formula.clone();
                    formula.under = Some((kind, Some(over)));
                    self.push(Cow::Owned(formula), true);
                }
            }
            _ => self.push(Cow::Borrowed(formula), false),
        }
    }

    fn push(&mut self, formula: Cow<'a, Formula>, is_of_all_kinds: bool) {
        self.items.push(Item::Formula(self.formulas.len()));
        self.formulas.push(formula);
        self.is_of_all_kinds.push(is_of_all_kinds);
    }

    /// Whether there is nothing to ask.
    pub(super) fn is_nothing(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether all states have to be looked at: for the sake of a property of states or, if there is
    /// nothing to ask, of run-time errors.
    pub(super) fn needs_exploration(&self) -> bool {
        !self.properties.is_empty() || self.is_nothing()
    }
}

/// Words that are not a formula each, but may be parts of one.
const PARTS: [&str; 21] = [
    "G", "F", "X", "U", "R", "W", "M", "V", "[]", "<>", "!", "~", "->", "<->", "&", "|", "&&",
    "||", "=", "!=", "forall",
];

/// Refuses the words of one formula in place of formulas: without quotes, the shell divides it. Also a
/// second model.
pub(super) fn refuse_words(formulas: &[String]) -> Result<(), Error> {
    let is_file =
        |word: &&String| Path::new(word).extension().is_some() && Path::new(word).is_file();
    if let Some(file) = formulas.iter().find(is_file) {
        return Err(Error::usage(format!("`{file}` is a file, where a formula is expected"))
            .help("`isonomy check` takes one model: check each in a run of its own"));
    }
    let opened = |text: &str| text.matches('(').count();
    let closed = |text: &str| text.matches(')').count();
    let is_balanced = |text: &str| opened(text) == closed(text);
    let whole = formulas.join(" ");
    let is_part = |word: &String| PARTS.contains(&word.as_str()) || !is_balanced(word);
    if formulas.len() > 1 && formulas.iter().any(is_part) && is_balanced(&whole) {
        let quote = if whole.contains('\'') { '"' } else { '\'' };
        let count = formulas.len();
        return Err(Error::usage(format!("the shell has divided the formula into {count} words"))
            .help(format!("put it in quotes: {quote}{whole}{quote}")));
    }
    Ok(())
}

/// Something that a model claims.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Claim {
    id: ClaimId,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ClaimId {
    Formula(usize),
    Property(PropertyId),
}

impl Claim {
    fn name(self, model: &Model) -> Option<&String> {
        match self.id {
            ClaimId::Formula(k) => model.formulas[k].name.as_ref(),
            ClaimId::Property(id) => model.properties[id.0 as usize].name.as_ref(),
        }
    }
}

/// All that a model claims, in the order of its text.
fn claims(model: &Model) -> Vec<Claim> {
    let formulas = model.formulas.iter().enumerate();
    let formulas = formulas.map(|(k, one)| Claim { id: ClaimId::Formula(k), span: one.span });
    let properties = (0..).map(PropertyId).zip(&model.properties);
    let properties = properties.filter(|(_, one)| one.kind != PropertyKind::Assume);
    let properties =
        properties.map(|(id, one)| Claim { id: ClaimId::Property(id), span: one.span });
    let mut all: Vec<Claim> = formulas.chain(properties).collect();
    all.sort_by_key(|claim| (claim.span.start, claim.span.end));
    all
}

/// No property has this name.
fn unknown(model: &Model, name: &str, all: &[Claim]) -> Error {
    let mut names: Vec<&str> =
        all.iter().filter_map(|claim| claim.name(model)).map(String::as_str).collect();
    names.dedup();
    let error = Error::usage(format!("the model has no property \"{name}\" to check"));
    let list: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let near = nearest(name, names.into_iter());
    let is_assumed = model
        .properties
        .iter()
        .any(|one| one.kind == PropertyKind::Assume && one.name.as_deref() == Some(name));
    let is_required = model.requirements.iter().any(|one| one.name.as_deref() == Some(name));
    let is_formula = ["->", "[]", "<>", "G ", "F ", "X ", " U ", "(", "=", "@", "!"];
    if near.is_none() && is_formula.iter().any(|sign| name.contains(sign)) {
        return error.help(format!(
            "a formula stands behind the model, without `-p`: `isonomy check MODEL '{name}'`"
        ));
    }
    error.help(match near {
        _ if is_assumed => "that is an assumption: it is made, and not checked".to_owned(),
        _ if is_required => {
            "that is a fairness requirement: it says which runs count, and is not checked"
                .to_owned()
        }
        _ if list.is_empty() => "none of its properties has a name".to_owned(),
        Some(near) => format!("did you mean \"{near}\"? Its properties are {}", list.join(", ")),
        None => format!("its properties are {}", list.join(", ")),
    })
}
