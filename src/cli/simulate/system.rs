//! A model as the simulation sees it: assumptions applied, claims judged, failures told.

use super::super::budget::Budget;
use super::super::console::Console;
use super::super::error::Error;
use super::super::loading::Loaded;
use super::super::message::Kind;
use super::super::steps::{self, indented};
use hashbrown::HashMap;
use ltl::Diagnostic;
use model::checked::{Model, PropertyId};
use model::interpret::{
    Event, Failure, FailureKind, Instance, Interpreter, Process, StartState, State,
};
use model::syntax::PropertyKind;

/// A model to step through.
pub(super) struct System<'m> {
    loaded: &'m Loaded,
    interpreter: Interpreter<'m>,
    /// Top-level `assume`: states without one of these do not exist.
    assumptions: Vec<PropertyId>,
    /// Top-level `invariant` and `assert`.
    claims: Vec<PropertyId>,
}

/// A start state, or how it fails.
pub(super) type Start = Result<StartState, Failure>;

/// A possible step.
pub(super) struct Offer {
    pub(super) process: Process,
    pub(super) event: Event,
    /// Where it leads, unless it fails.
    pub(super) outcome: Result<Taken, Failure>,
}

/// What a step comes to.
#[derive(PartialEq)]
pub(super) struct Taken {
    pub(super) target: State,
    /// What `put` statements printed.
    pub(super) printed: Vec<String>,
}

/// What is wrong with a state or a step.
pub(super) enum Trouble {
    /// An invariant is violated.
    Violated {
        /// Which.
        property: PropertyId,
        /// For which values of its parameters: `, for c = client_0`; or nothing.
        values: String,
    },
    /// A run-time error.
    Failed(Failure),
}

impl<'m> System<'m> {
    pub(super) fn new(loaded: &'m Loaded) -> Self {
        let ids = (0..).map(PropertyId).zip(&loaded.model.properties);
        let (mut assumptions, mut claims) = (Vec::new(), Vec::new());
        for (id, property) in ids.filter(|(_, property)| !property.is_statement) {
            match property.kind {
                PropertyKind::Assume => assumptions.push(id),
                PropertyKind::Invariant | PropertyKind::Assert => claims.push(id),
                PropertyKind::Cover | PropertyKind::Liveness => {}
            }
        }
        let interpreter = Interpreter::new(&loaded.model);
        System { loaded, interpreter, assumptions, claims }
    }

    pub(super) fn model(&self) -> &'m Model {
        &self.loaded.model
    }

    /// The name of the model's file.
    pub(super) fn name(&self) -> &'m str {
        &self.loaded.text.name
    }

    /// Start states, in order, as they are asked for. There may be very many that an assumption is
    /// against, so the budget is asked between any two.
    pub(super) fn starts(&self, budget: &Budget) -> impl Iterator<Item = Result<Start, Error>> {
        self.interpreter.starts().filter_map(|start| {
            if let Err(error) = budget.check() {
                return Some(Err(error));
            }
            match start.and_then(|start| Ok((self.is_assumed(&start.state)?, start))) {
                Ok((true, start)) => Some(Ok(Ok(start))),
                Ok((false, _)) => None,
                Err(failure) => Some(Ok(Err(failure))),
            }
        })
    }

    /// The possible steps, none twice. Fails if a guard does.
    pub(super) fn offers(&self, state: &State) -> Result<Vec<Offer>, Failure> {
        let mut offers: Vec<Offer> = Vec::new();
        let mut seen: HashMap<(Process, Event), Vec<usize>> = HashMap::new();
        for instance in self.interpreter.instances(state)? {
            let Some(outcome) = self.take(state, &instance).transpose() else { continue };
            let Instance { process, event, .. } = instance;
            let alike = seen.entry((process, event.clone())).or_default();
            if !alike.iter().any(|&k| offers[k].outcome == outcome) {
                alike.push(offers.len());
                offers.push(Offer { process, event, outcome });
            }
        }
        Ok(offers)
    }

    /// The enabled rule instances; some may come to nothing.
    pub(super) fn instances(&self, state: &State) -> Result<Vec<Instance>, Failure> {
        self.interpreter.instances(state)
    }

    /// What an instance comes to; nothing if an assumption is against it.
    pub(super) fn take(
        &self,
        state: &State,
        instance: &Instance,
    ) -> Result<Option<Taken>, Failure> {
        let outcome = self.interpreter.fire(state, instance)?;
        let Some(target) = outcome.target else { return Ok(None) };
        Ok(self.is_assumed(&target)?.then_some(Taken { target, printed: outcome.printed }))
    }

    fn is_assumed(&self, state: &State) -> Result<bool, Failure> {
        for &assumption in &self.assumptions {
            if !self.interpreter.holds(state, assumption)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is wrong with a state.
    pub(super) fn trouble(&self, state: &State) -> Option<Trouble> {
        self.claims.iter().find_map(|&claim| match self.interpreter.holds(state, claim) {
            Ok(true) => None,
            Ok(false) => {
                Some(Trouble::Violated { property: claim, values: self.values(state, claim) })
            }
            Err(failure) => Some(Trouble::Failed(failure)),
        })
    }

    /// The first values of its parameters for which a property is false.
    fn values(&self, state: &State, property: PropertyId) -> String {
        let instances = self.interpreter.instances_of(state, property).unwrap_or_default();
        let first = instances.into_iter().find(|instance| instance.holds == Ok(false));
        let arguments = first.map(|instance| instance.arguments).unwrap_or_default();
        let property = &self.model().properties[property.0 as usize];
        steps::for_values(self.model(), steps::bound(property).zip(&arguments))
    }

    /// A message with its place.
    pub(super) fn diagnostic(&self, trouble: &Trouble) -> Diagnostic {
        match trouble {
            Trouble::Failed(failure) => failure.diagnostic(),
            Trouble::Violated { property, values } => {
                let property = &self.model().properties[property.0 as usize];
                let message = format!("{} is violated{values}", steps::property(property));
                Diagnostic::error(property.span, message)
            }
        }
    }

    /// Says what is wrong.
    pub(super) fn tell(&self, trouble: &Trouble, console: &Console) {
        let kind = match trouble {
            Trouble::Failed(_) => Kind::RuntimeError,
            Trouble::Violated { .. } => Kind::Violated,
        };
        console.diagnose_among(kind, &self.loaded.texts(), &self.diagnostic(trouble));
    }

    /// Line and column of what is wrong.
    pub(super) fn position(&self, trouble: &Trouble) -> (usize, usize) {
        let place = self.loaded.place(self.diagnostic(trouble).span);
        (place.line, place.column)
    }

    /// `client_0: request(client_0)`
    pub(super) fn label(&self, process: &Process, event: &Event) -> String {
        steps::label(self.model(), process, event)
    }

    /// All variables, two blanks before each line.
    pub(super) fn state(&self, state: &State) -> String {
        steps::state(self.model(), state)
    }

    /// What a step changed, two blanks before each line: `  st[client_0]: Idle -> Waiting`.
    pub(super) fn changes(&self, before: &State, after: &State) -> String {
        steps::changes(self.model(), before, after)
    }
}

impl Trouble {
    /// Whether a claim of the model is false, at the top level or as a statement.
    pub(super) fn is_violation(&self) -> bool {
        match self {
            Trouble::Violated { .. } => true,
            Trouble::Failed(failure) => matches!(failure.kind, FailureKind::Assertion(_)),
        }
    }
}

/// What `put` printed, line by line.
pub(super) fn printed(lines: &[String]) -> String {
    indented(lines.iter().flat_map(|text| text.lines()).map(|line| format!("put: {line}")))
}
