//! What a result of a file is about: a formula of the model or of the command line, or a claim about the
//! last state of a run.

use super::super::console::Console;
use super::super::describe::property_kind;
use super::super::error::Error;
use super::super::escape::on_one_line;
use super::super::input::Text;
use super::super::json::read::{Fault, Object, Path, Reader, list, shown};
use super::super::properties::written;
use super::super::results::ResultKind;
use super::super::steps;
use judge::{Bound, Deadlock, Vocabulary};
use model::checked::{
    Demand, Formula, LocalId, Model, ParameterDomain, Property, PropertyId, Scope,
};
use model::interpret::FailureKind;
use model::reference::{Binding, ModelVocabulary};
use model::reference::{Claim, FailurePattern, choice};
use model::syntax::{Fairness, Over, PropertyKind};
use model::types::Types;
use model::value::Value;
use model::{Definition, check, check_with};
use nets::Net;
use std::fmt::Write as _;

/// What a result says that it is about.
pub(super) struct Asked<'j> {
    kind: ResultKind,
    name: Option<&'j str>,
    formula: Option<&'j str>,
    /// Which runs count, unless the formula says so itself.
    pub(super) demand: Demand,
}

/// What is judged. A headline says it to people, with a line end.
pub(super) enum Subject<'m, V: Vocabulary = ModelVocabulary> {
    /// The run violates a formula.
    Formula {
        formula: &'m V::Formula,
        /// The values of its tracked variables, as many as the file has.
        binding: Vec<Bound<V>>,
        /// How the run must be fair.
        demand: Demand,
        headline: String,
    },
    /// The last state of the run is as one of these says. There is at least one.
    LastState {
        claims: Vec<judge::Claim<'m, V>>,
        /// Or, for these values, an atom of this formula has no value there.
        atom: Option<(&'m V::Formula, Vec<Bound<V>>)>,
        /// `invariant "exclusion", for c = client_0`
        headline: String,
    },
}

impl<'j> Asked<'j> {
    /// What a result is about; a fault if that cannot be replayed.
    pub(super) fn read(result: Object<'j>) -> Result<Self, Fault> {
        let at = Path::Key(result.at, "kind");
        let kind = result.field("kind")?;
        let known = ResultKind::ALL.into_iter().find(|one| kind.as_str() == Some(one.name()));
        let Some(kind) = known else {
            let names = ResultKind::ALL.map(ResultKind::name);
            return at.fault(format!("expected one of {}, not {}", names.join(", "), shown(kind)));
        };
        if kind == ResultKind::State(PropertyKind::Cover) {
            return at.fault("a cover that is never true has no run that could be replayed");
        }
        let demand = demand(result)?;
        Ok(Asked { kind, name: result.text("name")?, formula: result.text("formula")?, demand })
    }

    /// The formula that must be read together with the model, if there is one.
    pub(super) fn question(&self, model: &str, definitions: &[Definition]) -> Option<&'j str> {
        let formula = self.formula.filter(|_| self.name.is_none());
        match self.kind {
            // A property of the model need not have a name.
            ResultKind::Ltl => formula.filter(|formula| {
                let model = check(model, definitions);
                !model.is_ok_and(|model| unnamed(&model, formula, self.demand).is_some())
            }),
            // It may be the formula that was checked when something failed, or nothing of the kind.
            ResultKind::RuntimeError => {
                formula.filter(|formula| check_with(model, definitions, &[formula]).is_ok())
            }
            ResultKind::State(_) | ResultKind::Deadlock => None,
        }
    }

    /// What is to be judged, of a model with this text.
    pub(super) fn subject<'m>(
        &self,
        (model, text): (&'m Model, &str),
        result: Object<'_>,
        console: &Console,
    ) -> Result<Subject<'m>, Fault> {
        match self.kind {
            ResultKind::Ltl => {
                let formula = self.formula(model, result, console)?;
                let binding = binding(model, formula, result)?;
                let mut demand = self.demand;
                if let Some((fairness, over)) = formula.under {
                    demand.fairness = fairness;
                    demand.over = over.unwrap_or(Over::Processes);
                }
                let headline = headline(model, formula, &binding);
                Ok(Subject::Formula { formula, binding, demand, headline })
            }
            ResultKind::State(kind) => self.property((model, text), kind, result),
            ResultKind::Deadlock => Ok(Subject::LastState {
                // One that is stuck stutters, too.
                claims: vec![Claim::Deadlock(Deadlock::Stuttering)],
                atom: None,
                headline: "deadlock\n".to_owned(),
            }),
            ResultKind::RuntimeError => {
                let claims = vec![Claim::Failure(FailurePattern::default())];
                let formula = self.formula(model, result, console).ok();
                let atom = formula.map(|formula| Ok((formula, binding(model, formula, result)?)));
                let headline = "run-time error\n".to_owned();
                Ok(Subject::LastState { claims, atom: atom.transpose()?, headline })
            }
        }
    }

    /// What is to be judged of a net: a formula, which is read again; or nothing, for a dead marking.
    pub(super) fn of_net(
        &self,
        net: &Net,
        result: Object<'_>,
        console: &Console,
    ) -> Result<Option<nets::Formula>, super::Trouble> {
        match (self.kind, self.formula) {
            (ResultKind::Deadlock, _) => Ok(None),
            (ResultKind::Ltl, Some(formula)) => match nets::text::parse(formula, net) {
                Ok(parsed) => Ok(Some(parsed)),
                Err(wrong) => {
                    console.diagnose(&Text::argument("formula", formula), &wrong);
                    Err(Error::Diagnosed.into())
                }
            },
            (ResultKind::Ltl, None) => {
                Ok(result.at.fault("`formula` is missing: a net has no properties")?)
            }
            _ => Ok(Path::Key(result.at, "kind")
                .fault("a net has formulas and deadlocks, and no other results")?),
        }
    }

    fn formula<'m>(
        &self,
        model: &'m Model,
        result: Object<'_>,
        console: &Console,
    ) -> Result<&'m Formula, Fault> {
        let Some(name) = self.name else {
            let unnamed = self.formula.and_then(|text| unnamed(model, text, self.demand));
            return match unnamed.or(model.questions.first()) {
                Some(formula) => Ok(formula),
                None => result.at.fault("`formula` is missing, and there is no name either"),
            };
        };
        let named = || model.formulas.iter().filter(|one| one.name.as_deref() == Some(name));
        let mut candidates: Vec<&Formula> = named().collect();
        // Several properties may have one name: then the text decides, and then the fairness.
        if candidates.len() > 1 {
            candidates.retain(|one| Some(&one.text[..]) == self.formula);
            if candidates.is_empty() {
                return self.ambiguous(result, named().count(), "temporal properties");
            }
            return Ok(fitting(&candidates, self.demand));
        }
        let Some(formula) = candidates.pop() else {
            let names = model.formulas.iter().filter_map(|one| one.name.as_ref());
            let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
            let known = match &names[..] {
                [] => "it has none with a name".to_owned(),
                names => format!("it has {}", names.join(", ")),
            };
            return Path::Key(result.at, "name")
                .fault(format!("the model has no temporal property \"{name}\": {known}"));
        };
        if let Some(text) = self.formula
            && text != formula.text
        {
            console.note(&format!("in the model, \"{name}\" is now {}", formula.text));
        }
        Ok(formula)
    }

    /// None of several properties of one name, or of those without a name, reads as the file says.
    fn ambiguous<T>(&self, result: Object<'_>, count: usize, kind: &str) -> Result<T, Fault> {
        let of = self.name.map_or("without a name".to_owned(), |name| format!("\"{name}\""));
        let read = self.formula.map_or("no text is given".to_owned(), |text| {
            format!("none of them reads `{}`", words(text).join(" "))
        });
        Path::Key(result.at, if self.formula.is_some() { "formula" } else { "name" }).fault(format!(
            "the model has {count} {kind} {of}, and {read}: give them different names, and check \
             the model again"
        ))
    }

    /// The properties of this kind and name that read as the result says: claims about them.
    fn property<'m>(
        &self,
        (model, text): (&'m Model, &str),
        kind: PropertyKind,
        result: Object<'_>,
    ) -> Result<Subject<'m>, Fault> {
        let all = (0..).map(PropertyId).zip(&model.properties);
        let mut named: Vec<(PropertyId, &Property)> =
            all.filter(|(_, one)| one.kind == kind && one.name.as_deref() == self.name).collect();
        let word = property_kind(kind);
        if named.is_empty() {
            let of = self.name.map_or("without a name".to_owned(), |name| format!("\"{name}\""));
            return Path::Key(result.at, "name").fault(format!("the model has no {word} {of}"));
        }
        // Several properties may have one name, or none: then the text decides. (A statement that fails
        // in an atom has the text of the formula.)
        if named.len() > 1
            && let Some(wanted) = self.formula.map(words)
        {
            let count = named.len();
            let reads = |one: &Property| words(written(text, one)) == wanted;
            let is_certain = named.iter().any(|(_, one)| reads(one));
            named.retain(|(_, one)| if is_certain { reads(one) } else { one.is_statement });
            if named.is_empty() {
                return self.ambiguous(result, count, &format!("properties `{word}`"));
            }
        }
        let first = named[0].1;
        let mut claims = Vec::new();
        let mut wrong = None;
        let mut headline = steps::property(first);
        for &(id, property) in &named {
            if property.is_statement {
                let kind = Some(FailureKind::Assertion(id));
                claims.push(Claim::Failure(FailurePattern { kind, span: None }));
                continue;
            }
            let around = match around(model, property, result) {
                Ok(around) => around,
                Err(fault) => {
                    wrong = wrong.or(Some(fault));
                    continue;
                }
            };
            let choice = choice(model, property, &around);
            match (kind, choice) {
                (PropertyKind::Liveness, Some(choice)) => {
                    claims.push(Claim::Liveness { property: id, choice });
                }
                (PropertyKind::Liveness, None) => {
                    let fault = Path::Key(result.at, "bindings")
                        .fault::<()>("the values around a liveness property are missing");
                    wrong = wrong.or(fault.err());
                }
                _ => claims.push(Claim::Invariant { property: id, choice }),
            }
            if claims.len() == 1 {
                let values = around.iter().map(|&(local, value)| (local, Value::Scalar(value)));
                let values: Vec<_> = values.collect();
                let values =
                    values.iter().map(|(id, value)| (&property.locals[id.0 as usize], value));
                headline = steps::property(property) + &steps::for_values(model, values);
            }
        }
        match (claims.is_empty(), wrong) {
            (true, Some(fault)) => Err(fault),
            _ => Ok(Subject::LastState { claims, atom: None, headline: headline + "\n" }),
        }
    }
}

impl<V: Vocabulary> Subject<'_, V> {
    /// As people read it, with a line end.
    pub(super) fn headline(&self) -> &str {
        match self {
            Subject::Formula { headline, .. } | Subject::LastState { headline, .. } => headline,
        }
    }
}

/// A formula, as people read it.
fn headline(model: &Model, formula: &Formula, binding: &Binding) -> String {
    let mut out = match &formula.name {
        Some(name) => format!("ltl \"{}\"", on_one_line(name)),
        None => "formula".to_owned(),
    };
    let values: Vec<_> = binding.iter().map(|&(id, scalar)| (id, Value::Scalar(scalar))).collect();
    let values = values.iter().map(|(id, value)| (&formula.locals[id.0 as usize], value));
    out += &steps::for_values(model, values);
    let _ = writeln!(out, "\n  {}", formula.text);
    out
}

/// What a result says of the runs that count.
fn demand(result: Object<'_>) -> Result<Demand, Fault> {
    const FAIRNESS: [(&str, Fairness); 4] = [
        ("none", Fairness::None),
        ("weak", Fairness::Weak),
        ("strong", Fairness::Strong),
        ("global", Fairness::Global),
    ];
    const OVER: [(&str, Over); 2] = [("process", Over::Processes), ("event", Over::Events)];
    fn among<T: Copy>(
        result: Object<'_>,
        key: &'static str,
        known: &[(&str, T)],
    ) -> Result<T, Fault> {
        let Some(text) = result.text(key)? else { return Ok(known[0].1) };
        if let Some((_, found)) = known.iter().find(|(name, _)| *name == text) {
            return Ok(*found);
        }
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        Path::Key(result.at, key)
            .fault(format!("expected one of {}, not \"{text}\"", names.join(", ")))
    }
    let declared = match result.optional("declared_fairness") {
        Some(json) => !list(json, &Path::Key(result.at, "declared_fairness"))?.is_empty(),
        None => false,
    };
    let fairness = among(result, "fairness", &FAIRNESS)?;
    Ok(Demand { fairness, over: among(result, "over", &OVER)?, declared })
}

/// The property of the model without a name that reads like this.
fn unnamed<'m>(model: &'m Model, text: &str, demand: Demand) -> Option<&'m Formula> {
    let all = model.formulas.iter().filter(|one| one.name.is_none() && one.text == text);
    let all: Vec<_> = all.collect();
    (!all.is_empty()).then(|| fitting(&all, demand))
}

/// Of formulas that read alike, the one that is about runs of this kind of fairness: the first that
/// says so, else the first that says nothing, else the first.
fn fitting<'m>(candidates: &[&'m Formula], demand: Demand) -> &'m Formula {
    let says = |one: &&&Formula| {
        let Some((fairness, over)) = one.under else { return false };
        let over = over.unwrap_or(Over::Processes);
        let is_over = matches!(fairness, Fairness::Weak | Fairness::Strong);
        fairness == demand.fairness && (over == demand.over || !is_over)
    };
    let is_open = |one: &&&Formula| one.under.is_none();
    let found = candidates.iter().find(says).or_else(|| candidates.iter().find(is_open));
    found.copied().unwrap_or(candidates[0])
}

/// The words of a text, however they are laid out.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The values that the file gives to tracked variables of a formula.
fn binding(model: &Model, formula: &Formula, result: Object<'_>) -> Result<Binding, Fault> {
    let at = Path::Key(result.at, "bindings");
    let Some(json) = result.optional("bindings") else { return Ok(Binding::new()) };
    let mut binding = Binding::new();
    for (name, value) in Object::of(json, &at)?.fields() {
        let at = Path::Key(&at, name);
        let mut tracked = formula
            .tracked
            .iter()
            .flat_map(|group| group.locals.iter().map(move |local| (*local, group.of)));
        let named = tracked.find(|(local, _)| formula.locals[local.0 as usize].name == name);
        let Some((local, of)) = named else {
            return at.fault(format!("the formula has no quantified variable `{name}`"));
        };
        binding.push((local, Reader::new(model).scalar(of, value, &at)?));
    }
    Ok(binding)
}

/// The values that the file gives to parameters around a property. What is chosen from a multiset is no
/// part of what is claimed.
fn around(model: &Model, property: &Property, result: Object<'_>) -> Result<Binding, Fault> {
    let at = Path::Key(result.at, "bindings");
    let Some(json) = result.optional("bindings") else { return Ok(Binding::new()) };
    let given = Object::of(json, &at)?;
    let name = |local: LocalId| &property.locals[local.0 as usize].name[..];
    let mut values = Binding::new();
    let mut names = Vec::new();
    for scope in &property.scope {
        match scope {
            Scope::Alias { .. } => {}
            Scope::Choose { local, .. } => names.push(name(*local)),
            Scope::Parameter { local, domain } => {
                names.push(name(*local));
                let of = match domain {
                    ParameterDomain::Type(of) => *of,
                    ParameterDomain::Steps { .. } => Types::INTEGER,
                };
                if let Some(json) = given.optional(name(*local)) {
                    let at = Path::Key(&at, name(*local));
                    values.push((*local, Reader::new(model).scalar(of, json, &at)?));
                }
            }
        }
    }
    match given.fields().find(|(name, _)| !names.contains(name)) {
        Some((name, _)) => {
            Path::Key(&at, name).fault(format!("nothing around the property is called `{name}`"))
        }
        None => Ok(values),
    }
}
