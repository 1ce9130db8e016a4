//! A system as the simulation sees it: assumptions applied, claims judged, failures told.

use super::super::budget::Budget;
use super::super::console::Console;
use super::super::error::Error;
use super::super::loading::{Loaded, Location};
use super::super::message::Kind;
use super::super::steps::{self, indented};
use super::super::view::{FaultOf, LoadedSystem, StateOf, View};
use hashbrown::HashMap;
use judge::{Action, Vocabulary};
use ltl::Diagnostic;
use model::checked::PropertyId;
use model::interpret::{Failure, FailureKind, Instance, Interpreter, State};
use model::reference::ModelVocabulary;
use model::syntax::PropertyKind;

/// A system to step through.
pub(in crate::cli) trait System {
    /// What was read, and its words.
    type Loaded: LoadedSystem;
    /// Something that can be done in a state.
    type Instance;

    /// What was read.
    fn loaded(&self) -> &Self::Loaded;

    /// Start states, in order, as they are asked for. There may be very many that an assumption is
    /// against, so the budget is asked between any two.
    fn starts<'s>(
        &'s self,
        budget: &'s Budget,
    ) -> Box<dyn Iterator<Item = Result<StartOf<Self>, Error>> + 's>;

    /// What can be done; some of it may come to nothing.
    fn instances(
        &self,
        state: &StateOfSystem<Self>,
    ) -> Result<Vec<Self::Instance>, FaultOfSystem<Self>>;

    /// The process and the event.
    fn action(&self, instance: &Self::Instance) -> Action<WordsOfSystem<Self>>;

    /// What an instance comes to; nothing if an assumption is against it.
    fn take(
        &self,
        state: &StateOfSystem<Self>,
        instance: &Self::Instance,
    ) -> Result<Option<TakenOf<Self>>, FaultOfSystem<Self>>;

    /// What is wrong with a state.
    fn trouble(&self, state: &StateOfSystem<Self>) -> Option<TroubleOf<Self>>;

    /// The step in which something fails.
    fn during(&self, fault: &FaultOfSystem<Self>) -> Option<String>;

    /// Whether what fails is a claim that is false.
    fn is_claim(&self, fault: &FaultOfSystem<Self>) -> bool;

    /// The possible steps, none twice. Fails if a guard does.
    fn offers(
        &self,
        state: &StateOfSystem<Self>,
    ) -> Result<Vec<OfferOf<Self>>, FaultOfSystem<Self>> {
        let mut offers: Vec<OfferOf<Self>> = Vec::new();
        let mut seen: HashMap<Action<WordsOfSystem<Self>>, Vec<usize>> = HashMap::new();
        for instance in self.instances(state)? {
            let Some(outcome) = self.take(state, &instance).transpose() else { continue };
            let action = self.action(&instance);
            let alike = seen.entry(action.clone()).or_default();
            if !alike.iter().any(|&k| offers[k].outcome == outcome) {
                alike.push(offers.len());
                offers.push(Offer { action, outcome });
            }
        }
        Ok(offers)
    }

    /// The words.
    fn view(&self) -> &<Self::Loaded as LoadedSystem>::View {
        self.loaded().view()
    }

    /// A message with its place.
    fn diagnostic(&self, trouble: &TroubleOf<Self>) -> Diagnostic {
        match trouble {
            Trouble::Failed(fault) => self.loaded().fault(fault),
            Trouble::Violated(diagnostic) => (**diagnostic).clone(),
        }
    }

    /// Says what is wrong.
    fn tell(&self, trouble: &TroubleOf<Self>, console: &Console) {
        let kind = match trouble {
            Trouble::Failed(_) => Kind::RuntimeError,
            Trouble::Violated(_) => Kind::Violated,
        };
        console.diagnose_among(kind, &self.loaded().texts(), &self.diagnostic(trouble));
    }

    /// Where it is wrong.
    fn location(&self, trouble: &TroubleOf<Self>) -> Location<'_> {
        self.loaded().place(self.diagnostic(trouble).span).location()
    }

    /// Whether a claim is false, at the top level or as a statement.
    fn is_violation(&self, trouble: &TroubleOf<Self>) -> bool {
        match trouble {
            Trouble::Violated(_) => true,
            Trouble::Failed(fault) => self.is_claim(fault),
        }
    }

    /// `client_0: request(client_0)`
    fn label(&self, (process, event): &Action<WordsOfSystem<Self>>) -> String {
        self.view().label(process, event)
    }

    /// All variables, two blanks before each line.
    fn state(&self, state: &StateOfSystem<Self>) -> String {
        steps::state(self.view(), state)
    }

    /// What a step changed, two blanks before each line: `  st[client_0]: Idle -> Waiting`.
    fn changes(&self, before: &StateOfSystem<Self>, after: &StateOfSystem<Self>) -> String {
        steps::changes(self.view(), before, after)
    }
}

type ViewOfSystem<S> = <<S as System>::Loaded as LoadedSystem>::View;
/// The types of a system.
pub(in crate::cli) type WordsOfSystem<S> = <ViewOfSystem<S> as View>::Words;
/// The states of a system.
pub(in crate::cli) type StateOfSystem<S> = StateOf<ViewOfSystem<S>>;
/// The run-time errors of a system.
pub(in crate::cli) type FaultOfSystem<S> = FaultOf<ViewOfSystem<S>>;
/// A start state of a system, or how it fails.
pub(in crate::cli) type StartOf<S> = Result<Started<StateOfSystem<S>>, FaultOfSystem<S>>;
/// What a step of a system comes to.
pub(in crate::cli) type TakenOf<S> = Taken<StateOfSystem<S>>;
/// A possible step of a system.
pub(in crate::cli) type OfferOf<S> = Offer<WordsOfSystem<S>>;
/// What is wrong with a state or a step of a system.
pub(in crate::cli) type TroubleOf<S> = Trouble<WordsOfSystem<S>>;

/// A start state.
#[derive(Clone)]
pub(in crate::cli) struct Started<State> {
    /// Its name, with the values of its parameters.
    pub(in crate::cli) name: String,
    pub(in crate::cli) state: State,
    /// What `put` statements printed.
    pub(in crate::cli) printed: Vec<String>,
}

/// A possible step.
pub(in crate::cli) struct Offer<V: Vocabulary> {
    pub(in crate::cli) action: Action<V>,
    /// Where it leads, unless it fails.
    pub(in crate::cli) outcome: Result<Taken<V::State>, V::Fault>,
}

/// What a step comes to.
#[derive(PartialEq)]
pub(in crate::cli) struct Taken<State> {
    pub(in crate::cli) target: State,
    /// What `put` statements printed.
    pub(in crate::cli) printed: Vec<String>,
}

/// What is wrong with a state or a step.
pub(in crate::cli) enum Trouble<V: Vocabulary> {
    /// An invariant is violated.
    Violated(Box<Diagnostic>),
    /// A run-time error.
    Failed(V::Fault),
}

/// A model to step through.
pub(super) struct ModelSystem<'m> {
    loaded: &'m Loaded,
    interpreter: Interpreter<'m>,
    /// Top-level `assume`: states without one of these do not exist.
    assumptions: Vec<PropertyId>,
    /// Top-level `invariant` and `assert`.
    claims: Vec<PropertyId>,
}

impl<'m> ModelSystem<'m> {
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
        ModelSystem { loaded, interpreter, assumptions, claims }
    }

    fn is_assumed(&self, state: &State) -> Result<bool, Failure> {
        for &assumption in &self.assumptions {
            if !self.interpreter.holds(state, assumption)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first values of its parameters for which a property is false: `, for c = client_0`; or nothing.
    fn values(&self, state: &State, property: PropertyId) -> String {
        let instances = self.interpreter.instances_of(state, property).unwrap_or_default();
        let first = instances.into_iter().find(|instance| instance.holds == Ok(false));
        let arguments = first.map(|instance| instance.arguments).unwrap_or_default();
        let model = &self.loaded.model;
        let property = &model.properties[property.0 as usize];
        steps::for_values(model, steps::bound(property).zip(&arguments))
    }
}

impl System for ModelSystem<'_> {
    type Loaded = Loaded;
    type Instance = Instance;

    fn loaded(&self) -> &Loaded {
        self.loaded
    }

    fn starts<'s>(
        &'s self,
        budget: &'s Budget,
    ) -> Box<dyn Iterator<Item = Result<StartOf<Self>, Error>> + 's> {
        Box::new(self.interpreter.starts().filter_map(|start| {
            if let Err(error) = budget.check() {
                return Some(Err(error));
            }
            match start.and_then(|start| Ok((self.is_assumed(&start.state)?, start))) {
                Ok((true, start)) => {
                    let name = start.show(&self.loaded.model);
                    Some(Ok(Ok(Started { name, state: start.state, printed: start.printed })))
                }
                Ok((false, _)) => None,
                Err(failure) => Some(Ok(Err(failure))),
            }
        }))
    }

    fn instances(&self, state: &State) -> Result<Vec<Instance>, Failure> {
        self.interpreter.instances(state)
    }

    fn action(&self, instance: &Instance) -> Action<ModelVocabulary> {
        (instance.process, instance.event.clone())
    }

    fn take(&self, state: &State, instance: &Instance) -> Result<Option<Taken<State>>, Failure> {
        let outcome = self.interpreter.fire(state, instance)?;
        let Some(target) = outcome.target else { return Ok(None) };
        Ok(self.is_assumed(&target)?.then_some(Taken { target, printed: outcome.printed }))
    }

    fn trouble(&self, state: &State) -> Option<Trouble<ModelVocabulary>> {
        self.claims.iter().find_map(|&claim| match self.interpreter.holds(state, claim) {
            Ok(true) => None,
            Ok(false) => {
                let property = &self.loaded.model.properties[claim.0 as usize];
                let values = self.values(state, claim);
                let message = format!("{} is violated{values}", steps::property(property));
                Some(Trouble::Violated(Box::new(Diagnostic::error(property.span, message))))
            }
            Err(failure) => Some(Trouble::Failed(failure)),
        })
    }

    fn during(&self, failure: &Failure) -> Option<String> {
        failure.during.as_deref().map(|action| self.label(action))
    }

    fn is_claim(&self, failure: &Failure) -> bool {
        matches!(failure.kind, FailureKind::Assertion(_))
    }
}

/// What `put` printed, line by line.
pub(super) fn printed(lines: &[String]) -> String {
    indented(lines.iter().flat_map(|text| text.lines()).map(|line| format!("put: {line}")))
}
