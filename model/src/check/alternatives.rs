//! `exists c: T.` in front of a formula: the disjunction over the values of c.
//!
//! Values of enums and numbers are put for the variable as they are. No index can be named, so that the values of a
//! type with indices are those of further tracked variables, one for each: `exists c: client. F G st[c] = K` over two clients is
//! read as `forall distinct c_1, c_2: client. F G st[c_1] = K | F G st[c_2] = K`. As the variables have all values of
//! the type, the order in which they have them does not matter to the disjunction:
//! [`TrackedGroup::stands_for_all`].

use super::Checker;
use super::scope::ScopeSymbol;
use crate::checked::{LocalId, LocalKind, TrackedGroup};
use crate::syntax::{Name, Tracked};
use crate::types::TypeId;
use crate::value::Scalar;
use ltl::Diagnostic;

/// The most formulas that `exists` in front of a formula stands for: each may double the automaton.
const MOST_ALTERNATIVES: u64 = 6;

/// A meaning of the variables of `exists`: each name, what it stands for, and how that is shown.
pub(super) type Choice = Vec<(Name, ScopeSymbol, String)>;

/// What `exists` in front of a formula stands for.
pub(super) struct Alternatives {
    /// The disjuncts; a single one without a meaning if there is no `exists`.
    pub(super) choices: Vec<Choice>,
    /// The tracked variables that stand for the values of index types.
    pub(super) all: Vec<TrackedGroup>,
    /// `exists c: client. `, or nothing.
    pub(super) text: String,
}

impl Alternatives {
    pub(super) fn none() -> Alternatives {
        Alternatives { choices: vec![Vec::new()], all: Vec::new(), text: String::new() }
    }
}

/// A variable of `exists`, with all meanings that it may have.
struct Variable<'t> {
    name: &'t Name,
    /// The number of its group, if it is to differ from the others there.
    distinct: Option<usize>,
    values: Vec<(ScopeSymbol, String)>,
}

impl Checker<'_> {
    /// The alternatives of the leading `exists`. Tracked variables get their slots.
    pub(super) fn alternatives(&mut self, groups: &[Tracked]) -> Option<Alternatives> {
        let mut found = Alternatives::none();
        let mut variables = Vec::new();
        let (mut count, mut shown) = (1_u64, Vec::new());
        for (number, group) in groups.iter().enumerate() {
            let of = self.simple_type(&group.of, "a quantified variable")?;
            let size = self.types.size(of);
            for name in &group.names {
                count = count.saturating_mul(size);
                if count > MOST_ALTERNATIVES {
                    self.too_many(name, of, size);
                    return None;
                }
                let values = self.meanings(name, of, &mut found.all);
                variables.push(Variable {
                    name,
                    distinct: group.distinct.then_some(number),
                    values,
                });
            }
            let names: Vec<_> = group.names.iter().map(|name| &name.text[..]).collect();
            shown.push(self.show_group(group.distinct, &names, of));
        }
        if !shown.is_empty() {
            found.text = format!("exists {}. ", shown.join(", "));
        }
        found.choices = choices(&variables);
        if found.choices.is_empty() {
            let message = "there are not so many values that differ, so that this is always false";
            self.error(groups.first()?.of.place.0, message.to_owned());
            return None;
        }
        Some(found)
    }

    fn too_many(&mut self, name: &Name, of: TypeId, size: u64) {
        let message = format!(
            "`exists` in front of a formula stands for one formula for each value, and may stand for \
             {MOST_ALTERNATIVES} at most: {} has {}",
            self.types.show(of),
            super::expressions::count(usize::try_from(size).unwrap_or(usize::MAX), "value"),
        );
        let help = "check it for fewer values; if not always the same value must serve, write \
                    `exists c: T do ... end` inside the formula";
        self.report(Diagnostic::error(name.place, message).help(help));
    }

    /// What a variable of this type may stand for. Variables of one type share the tracked ones.
    fn meanings(
        &mut self,
        name: &Name,
        of: TypeId,
        all: &mut Vec<TrackedGroup>,
    ) -> Vec<(ScopeSymbol, String)> {
        let size = self.types.size(of);
        if self.types.indices(of).is_empty() {
            let values = (0..size).map(|k| Scalar::nth(&self.types, of, k));
            return values
                .map(|value| (ScopeSymbol::Constant(value, of), value.show(&self.types)))
                .collect();
        }
        let known = all.iter().position(|group| group.of == of).unwrap_or_else(|| {
            let locals = (1..=size).map(|k| {
                let text = self.unused(&format!("{}_{k}", name.text));
                self.slot(&Name { text, place: name.place }, of, LocalKind::Bound)
            });
            let locals: Vec<LocalId> = locals.collect();
            all.push(TrackedGroup { locals, of, distinct: true, stands_for_all: true });
            all.len() - 1
        });
        let slots = all[known].locals.iter();
        slots
            .map(|&id| (ScopeSymbol::Local(id), self.frame.locals[id.0 as usize].name.clone()))
            .collect()
    }

    /// A name like this one that means nothing yet.
    fn unused(&self, like: &str) -> String {
        let mut name = like.to_owned();
        while self.scopes.find(&name).is_some() {
            name.push('_');
        }
        name
    }
}

/// All meanings of some variables; those of a group that is distinct differ.
fn choices(variables: &[Variable<'_>]) -> Vec<Choice> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for (k, variable) in variables.iter().enumerate() {
        found = found
            .into_iter()
            .flat_map(|before| {
                let values = 0..variable.values.len();
                values.map(move |value| before.iter().copied().chain([value]).collect())
            })
            .filter(|chosen: &Vec<usize>| {
                let mut others = variables[..k].iter().zip(chosen);
                variable.distinct.is_none()
                    || others.all(|(other, value)| {
                        other.distinct != variable.distinct || *value != chosen[k]
                    })
            })
            .collect();
    }
    let choice = |chosen: Vec<usize>| {
        let chosen = variables.iter().zip(chosen);
        chosen
            .map(|(variable, value)| {
                let (symbol, shown) = variable.values[value].clone();
                (variable.name.clone(), symbol, shown)
            })
            .collect()
    };
    found.into_iter().map(choice).collect()
}
