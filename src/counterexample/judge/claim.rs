//! Claims about the last state of a run that ends: a property of states is false there, something fails,
//! nothing more can happen.
//!
//! # Choices
//! What stands around a property (`ruleset c: client do invariant ...`) makes one property of it per
//! choice of values for the parameters. Choices have numbers: the first is the first value of each
//! parameter, and the values of the innermost change fastest. What is chosen from a multiset is no part of
//! a choice, for it is another one in every state: there, an invariant must be true for every element, and
//! a `liveness` for some.

use super::reading::Reading;
use super::unreduced::Unreduced;
use super::{Objection, walk};
use crate::counterexample::Run;
use hashbrown::HashSet;
use ltl::Span;
use model::checked::{Atom, Formula, LocalId, Model, ParameterDomain, Property, PropertyId, Scope};
use model::interpret::{FailureKind, Interpreter, PropertyInstance, State};
use model::syntax::PropertyKind;
use model::value::{Scalar, Value};

/// What is said of the last state of a run.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'c> {
    /// A top-level `invariant` or `assert` is false.
    Invariant {
        /// Which.
        property: PropertyId,
        /// For the choice of this number; if none is said, for some.
        choice: Option<usize>,
    },
    /// Something fails: the guard or body of a rule (an `assert` or `error` statement included), an
    /// assumption about a state that a step leads to, or a property.
    Failure {
        /// How, if that is said.
        kind: Option<FailureKind>,
        /// Where in the model, if that is said.
        span: Option<Span>,
    },
    /// Nothing more happens.
    Deadlock(Deadlock),
    /// An atom of a formula has no value.
    Atom {
        /// The formula.
        formula: &'c Formula,
        /// The values of its tracked variables.
        binding: &'c [(LocalId, Scalar)],
        /// Which atom, if that is said.
        atom: Option<ltl::Atom>,
    },
    /// From here no state is reachable where a `liveness` is true.
    Liveness {
        /// Which.
        property: PropertyId,
        /// For the choice of this number.
        choice: usize,
    },
}

/// What counts as a deadlock. A step that a global assumption cuts counts as one here; one that an
/// `assume` statement abandons does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deadlock {
    /// There is no step.
    Stuck,
    /// There is no step to another state.
    Stuttering,
}

/// What was judged of a claim that is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// All of it.
    All,
    /// The run is one of the system; but what is claimed about all states behind its last was not refuted
    /// by the first [`MOST_STATES`] of them, and there are more.
    RunAlone,
}

/// So many states are looked at to judge a claim about all that are reachable.
pub const MOST_STATES: usize = 10_000;

/// Judges a claim about the last state of a run: accepts it if the run is one of the system and ends, and
/// its last state is as claimed.
pub fn judge_claim(model: &Model, claim: &Claim<'_>, run: &Run) -> Result<Extent, Objection> {
    if !run.cycle.is_empty() {
        return Err(Objection::Infinite);
    }
    walk(model, run)?;
    let judging = Judging { model, unreduced: Unreduced::new(model), last: &run.end };
    match *claim {
        Claim::Invariant { property, choice } => judging.invariant(property, choice)?,
        Claim::Failure { kind, span } => judging.failure(kind, span)?,
        Claim::Deadlock(deadlock) => judging.deadlock(run.stem.len(), deadlock)?,
        Claim::Atom { formula, binding, atom } => judging.atom(formula, binding, atom)?,
        Claim::Liveness { property, choice } => return judging.liveness(property, choice),
    }
    Ok(Extent::All)
}

struct Judging<'j> {
    model: &'j Model,
    unreduced: Unreduced<'j>,
    /// A state of the system.
    last: &'j State,
}

impl<'j> Judging<'j> {
    fn interpreter(&self) -> &Interpreter<'j> {
        &self.unreduced.interpreter
    }

    /// A top-level property of one of these kinds.
    fn property(&self, id: PropertyId, kinds: &[PropertyKind]) -> Result<&'j Property, Objection> {
        let property = self.model.properties.get(id.0 as usize);
        property
            .filter(|property| !property.is_statement && kinds.contains(&property.kind))
            .ok_or(Objection::NoSuchProperty)
    }

    fn invariant(&self, id: PropertyId, choice: Option<usize>) -> Result<(), Objection> {
        let property = self.property(id, &[PropertyKind::Invariant, PropertyKind::Assert])?;
        let fails = |failure| Objection::PropertyFails { failure: Box::new(failure) };
        let Some(choice) = choice else {
            let holds = self.interpreter().holds(self.last, id).map_err(fails)?;
            return if holds { Err(Objection::Holds) } else { Ok(()) };
        };
        self.check_choice(property, choice)?;
        let mut failed = None;
        let instances = self.interpreter().instances_of(self.last, id).map_err(fails)?;
        for instance in instances.into_iter().filter(|one| self.is_of(property, choice, one)) {
            match instance.holds {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.map_or(Objection::Holds, fails))
    }

    fn failure(&self, kind: Option<FailureKind>, span: Option<Span>) -> Result<(), Objection> {
        let failures = self.unreduced.failures(self.model, self.last);
        let is_it = failures.iter().any(|failure| {
            kind.is_none_or(|kind| kind == failure.kind)
                && span.is_none_or(|span| span == failure.span)
        });
        if is_it { Ok(()) } else { Err(Objection::NothingFails) }
    }

    /// So many steps lead to the last state.
    fn deadlock(&self, steps: usize, deadlock: Deadlock) -> Result<(), Objection> {
        let targets = self.unreduced.targets(steps, self.last)?;
        let is_one = match deadlock {
            Deadlock::Stuck => targets.is_empty(),
            Deadlock::Stuttering => targets.iter().all(|target| target == self.last),
        };
        if is_one { Ok(()) } else { Err(Objection::NoDeadlock) }
    }

    fn atom(
        &self,
        formula: &Formula,
        binding: &[(LocalId, Scalar)],
        atom: Option<ltl::Atom>,
    ) -> Result<(), Objection> {
        Reading::new(self.model, formula, binding)?;
        let mut atoms = (0..).map(ltl::Atom).zip(&formula.atoms);
        let fails = atoms.any(|(number, one)| match one {
            Atom::State { condition, .. } => {
                let value =
                    self.interpreter().evaluate(condition, &formula.locals, binding, self.last);
                value.is_err() && atom.is_none_or(|atom| atom == number)
            }
            Atom::Event { .. } | Atom::By { .. } => false,
        });
        if fails { Ok(()) } else { Err(Objection::NothingFails) }
    }

    /// Breadth first, so that what is reachable is told with the least number of steps.
    fn liveness(&self, id: PropertyId, choice: usize) -> Result<Extent, Objection> {
        let property = self.property(id, &[PropertyKind::Liveness])?;
        self.check_choice(property, choice)?;
        let mut seen: HashSet<State> = HashSet::from([self.last.clone()]);
        let mut layer = vec![self.last.clone()];
        let mut steps = 0;
        while !layer.is_empty() {
            if layer.iter().any(|state| self.is_true(id, property, choice, state)) {
                return Err(Objection::Reachable { steps });
            }
            let mut next = Vec::new();
            for target in layer.iter().flat_map(|state| self.unreduced.successors(state)) {
                if seen.insert(target.clone()) {
                    next.push(target);
                }
                if seen.len() > MOST_STATES {
                    return Ok(Extent::RunAlone);
                }
            }
            layer = next;
            steps += 1;
        }
        Ok(Extent::All)
    }

    /// Whether a property is true for this choice and some elements of multisets; if it fails, it is
    /// not.
    fn is_true(&self, id: PropertyId, property: &Property, choice: usize, state: &State) -> bool {
        let instances = self.interpreter().instances_of(state, id).unwrap_or_default();
        let mut instances = instances.iter().filter(|one| self.is_of(property, choice, one));
        instances.any(|one| one.holds == Ok(true))
    }

    fn check_choice(&self, property: &Property, choice: usize) -> Result<(), Objection> {
        let sizes = property.scope.iter().filter_map(|scope| match scope {
            Scope::Parameter { domain, .. } => Some(size(self.model, domain)),
            Scope::Choose { .. } | Scope::Alias { .. } => None,
        });
        let choices = sizes.fold(1, u64::saturating_mul);
        if (choice as u64) < choices { Ok(()) } else { Err(Objection::NoSuchChoice) }
    }

    /// Whether an instance is one of this choice.
    fn is_of(&self, property: &Property, number: usize, instance: &PropertyInstance) -> bool {
        let mut arguments = instance.arguments.iter();
        let mut values = Vec::new();
        for scope in &property.scope {
            match (scope, arguments.as_slice().first()) {
                (Scope::Alias { .. }, _) => continue,
                (Scope::Parameter { local, .. }, Some(Value::Scalar(scalar))) => {
                    values.push((*local, *scalar));
                }
                _ => {}
            }
            arguments.next();
        }
        choice(self.model, property, &values) == Some(number)
    }
}

/// The number of the choice of these values for the parameters around a property; none if one has no
/// value, or one that is not among its values.
pub fn choice(model: &Model, property: &Property, values: &[(LocalId, Scalar)]) -> Option<usize> {
    let mut number: u64 = 0;
    for scope in &property.scope {
        let Scope::Parameter { local, domain } = scope else { continue };
        let (_, value) = values.iter().find(|(one, _)| one == local)?;
        let position = position(model, domain, *value)?;
        number = number.checked_mul(size(model, domain))?.checked_add(position)?;
    }
    usize::try_from(number).ok()
}

/// How many values a parameter has.
fn size(model: &Model, domain: &ParameterDomain) -> u64 {
    match *domain {
        ParameterDomain::Type(of) => model.types.size(of),
        // One that runs the wrong way has none.
        ParameterDomain::Steps { from, to, by } if to != from && (to < from) != (by < 0) => 0,
        ParameterDomain::Steps { from, to, by } => {
            (to.abs_diff(from) / by.unsigned_abs()).saturating_add(1)
        }
    }
}

/// The number of a parameter's value, from 0.
fn position(model: &Model, domain: &ParameterDomain, value: Scalar) -> Option<u64> {
    match (domain, value) {
        (ParameterDomain::Type(of), _) => value.position(&model.types, *of),
        (&ParameterDomain::Steps { from, by, .. }, Scalar::Number(n)) => {
            let is_on_the_way = n == from || (n < from) == (by < 0);
            let steps = n.abs_diff(from) / by.unsigned_abs();
            let is_met = n.abs_diff(from) % by.unsigned_abs() == 0;
            (is_on_the_way && is_met && steps < size(model, domain)).then_some(steps)
        }
        (ParameterDomain::Steps { .. }, _) => None,
    }
}
