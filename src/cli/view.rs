//! Front ends as the command line sees them: how states, steps and renamings are written.
//!
//! Whatever is said about runs, as text, as JSON or on a page, is made of a [`View`]'s words alone, so
//! that it is said of models and nets in the same way. What belongs to the file that was read, such as
//! places in its text, is added by a [`LoadedSystem`].

use super::input::Text;
use super::json::{Constants, Typed};
use super::loading::{Loaded, Place, texts};
use super::message::row;
use super::states::{self, PlaceTable};
use super::steps::cells;
use judge::{Action, Component, Onward, Party, Renaming, Run, Step, Vocabulary};
use ltl::{Diagnostic, Sources, Span};
use model::checked::{FamilyId, Model, Property, PropertyId, Shown};
use model::interpret;
pub(crate) use model::interpret::Change;
use model::interpret::{Event, Failure, Interpreter, Process, State};
use model::reference::{ModelReference, ModelVocabulary};
use model::syntax::PropertyKind;
use model::types::IndexTypeId;
use model::value::{Scalar, Value};
use run::poll::poll_for;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// How states, steps and renamings of a front end are written.
pub(crate) trait View {
    /// The types that are written.
    type Words: Vocabulary;

    /// What it is: `Model`.
    fn kind(&self) -> &'static str;

    /// The parts of a state with their values: all states have the same parts, in the same order.
    fn parts(&self, state: &StateOf<Self>) -> Vec<(String, String)>;

    /// A state, line by line: `st[client_0] = Idle`.
    fn lines(&self, state: &StateOf<Self>) -> Vec<String> {
        self.parts(state).into_iter().map(|(part, value)| format!("{part} = {value}")).collect()
    }

    /// The parts that differ.
    fn changes(&self, before: &StateOf<Self>, after: &StateOf<Self>) -> Vec<Change>;

    /// The parts that belong to tables of alike parts; a page shows them so.
    fn tables(&self, _: &StateOf<Self>) -> Vec<PlaceTable> {
        Vec::new()
    }

    /// By expression that is to be shown, its value in each state of a run, the end included, as JSON;
    /// null where it fails.
    fn shown(&self, _: &RunOf<Self>) -> BTreeMap<String, Vec<Json>> {
        BTreeMap::new()
    }

    /// The number of simple values of a state, for polls: to write it is so much work.
    fn size(&self, state: &StateOf<Self>) -> u64;

    /// A process; none if the front end has no processes.
    fn process(&self, process: &ProcessOf<Self>) -> Option<String>;

    /// The names of all processes, but not many more than this number; some may come several times.
    fn processes(&self, most: usize) -> Vec<String>;

    /// An event with its arguments: `grant(client_0)`.
    fn event(&self, event: &EventOf<Self>) -> String;

    /// A step: `client_0: grant(client_0)`.
    fn label(&self, process: &ProcessOf<Self>, event: &EventOf<Self>) -> String {
        match self.process(process) {
            Some(process) => format!("{process}: {}", self.event(event)),
            None => self.event(event),
        }
    }

    /// What a renaming does, by the names of the index types that it changes, in cycle notation.
    fn renamed(&self, renaming: &Renaming) -> Vec<(String, String)>;

    /// The name of an event, without its arguments, in JSON.
    fn event_name<'a>(&'a self, event: &'a EventOf<Self>) -> &'a str;

    /// The arguments of an event as JSON: a list.
    fn write_arguments<S: Serializer>(
        &self,
        event: &EventOf<Self>,
        to: S,
    ) -> Result<S::Ok, S::Error>;

    /// A state as JSON: an object.
    fn write_state<S: Serializer>(&self, state: &StateOf<Self>, to: S) -> Result<S::Ok, S::Error>;
}

/// The states of a view.
pub(crate) type StateOf<W> = <<W as View>::Words as Vocabulary>::State;
/// The processes of a view.
pub(crate) type ProcessOf<W> = <<W as View>::Words as Vocabulary>::Process;
/// The events of a view.
pub(crate) type EventOf<W> = <<W as View>::Words as Vocabulary>::Event;
/// The run-time errors of a view.
pub(crate) type FaultOf<W> = <<W as View>::Words as Vocabulary>::Fault;
/// The runs of a view.
pub(crate) type RunOf<W> = Run<<W as View>::Words>;
/// The steps of a view.
pub(crate) type StepOf<W> = Step<<W as View>::Words>;
/// The components of globally fair runs of a view.
pub(crate) type ComponentOf<W> = Component<<W as View>::Words>;
/// The steps of a place of a component.
pub(crate) type OnwardOf<W> = Onward<<W as View>::Words>;
/// The parties that runs of a view are fair to.
pub(crate) type PartyOf<W> = Party<<W as View>::Words>;

/// A step that is possible in a state.
pub(crate) struct EnabledStep<V: Vocabulary> {
    pub(crate) action: Action<V>,
    /// The number of its rule.
    pub(crate) rule: usize,
    /// Where it leads.
    pub(crate) target: V::State,
}

/// The possible steps of a loaded system.
pub(crate) type EnabledOf<L> = Vec<EnabledStep<<<L as LoadedSystem>::View as View>::Words>>;

/// A system as it was read: its words, and the texts that messages show.
pub(crate) trait LoadedSystem {
    /// The words.
    type View: View;

    /// The words.
    fn view(&self) -> &Self::View;

    /// The file.
    fn text(&self) -> &Text;

    /// All texts, as messages with places of this system need them.
    fn texts(&self) -> Vec<&Text>;

    /// The same in one row of offsets.
    fn sources(&self) -> Sources<'_> {
        row(&self.texts()).sources
    }

    /// Where a place of this system is.
    fn place(&self, span: Span) -> Place<'_> {
        let (text, span) = row(&self.texts()).find(span);
        let (line, column) = text.source().position(span.start);
        let included = self.files().iter().position(|file| std::ptr::eq(*file, text));
        let included = included.filter(|file| *file > 0);
        Place { name: &text.name, line, column, included }
    }

    /// The file of the system, and those that it includes.
    fn files(&self) -> Vec<&Text> {
        match &self.text().joined {
            Some(joined) => joined.files.iter().collect(),
            None => vec![self.text()],
        }
    }

    /// The name of the start state that a run begins with, with the values of its parameters; none if
    /// start states have no names, if it is not found within the limits of the run, and if there is no
    /// such start state.
    fn start(&self, run: &RunOf<Self::View>) -> Option<String>;

    /// The constants with their values.
    fn constants(&self) -> Vec<(&str, String)>;

    /// The constants as JSON: an object.
    fn write_constants<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;

    /// The rules with their places, in the order of their numbers, if the system has any.
    fn rules(&self) -> Vec<(&str, Span)> {
        Vec::new()
    }

    /// The steps that are possible in a state, those that an assumption is against left out; none if
    /// there are more than so many, or if it is not told of such systems.
    fn enabled(&self, _: &StateOf<Self::View>, _most: usize) -> Option<EnabledOf<Self>> {
        None
    }

    /// What is declared to be fair, by name or place.
    fn declared_fairness(&self) -> Vec<String>;

    /// The name of a declared requirement, or its place.
    fn requirement(&self, number: usize) -> String;

    /// A party that a run is fair to: `client_0`, `grant(client_0)`, `"served"(client_0)`.
    fn party(&self, party: &PartyOf<Self::View>) -> String;

    /// The same without the name of a requirement; none if a requirement has no variables.
    fn values(&self, party: &PartyOf<Self::View>) -> Option<String>;

    /// Which value of the first party is followed by that of the second, if they differ in nothing else.
    fn next_in(&self, one: &PartyOf<Self::View>, other: &PartyOf<Self::View>) -> Option<usize>;

    /// A run-time error, at its place.
    fn fault(&self, fault: &FaultOf<Self::View>) -> Diagnostic;

    /// What is not reduced although symmetry is wanted, with the reasons.
    fn symmetry_warnings(&self) -> Vec<String>;
}

impl View for Model {
    type Words = ModelVocabulary;

    fn kind(&self) -> &'static str {
        "Model"
    }

    fn parts(&self, state: &State) -> Vec<(String, String)> {
        states::parts(self, state)
    }

    fn lines(&self, state: &State) -> Vec<String> {
        states::lines(self, state)
    }

    fn changes(&self, before: &State, after: &State) -> Vec<Change> {
        states::changes(self, before, after)
    }

    fn tables(&self, state: &State) -> Vec<PlaceTable> {
        states::tables(self, state)
    }

    fn shown(&self, run: &model::reference::Run) -> BTreeMap<String, Vec<Json>> {
        let interpreter = Interpreter::new(self);
        let of = |one: &Shown| {
            let value = |state| {
                poll_for(16);
                let value = interpreter.shown(one, state).ok()?;
                let typed = Typed { types: &self.types, of: one.value.of, value: &value };
                serde_json::to_value(typed).ok()
            };
            let values = run.states().map(|state| value(state).unwrap_or(Json::Null)).collect();
            (one.text.clone(), values)
        };
        self.shown.iter().map(of).collect()
    }

    fn size(&self, state: &State) -> u64 {
        1 + state.0.iter().map(cells).sum::<u64>()
    }

    fn process(&self, process: &Process) -> Option<String> {
        Some(process.show(self))
    }

    fn processes(&self, most: usize) -> Vec<String> {
        let types = &self.types;
        let names = (0..).map(FamilyId).zip(&self.processes).flat_map(|(family, declared)| {
            let members = match declared.of {
                None => vec![None],
                Some(of) => {
                    let few = 0..types.size(of).min(most as u64 + 1);
                    few.map(|k| Some(Scalar::nth(types, of, k))).collect()
                }
            };
            let show = move |member| Process::new(self, family, member).show(self);
            members.into_iter().map(show)
        });
        names.take(most + 1).collect()
    }

    fn event(&self, event: &Event) -> String {
        event.show(self)
    }

    fn renamed(&self, renaming: &Renaming) -> Vec<(String, String)> {
        let types = (0..).map(IndexTypeId).zip(&self.types.index_types);
        let types =
            types.filter(|(id, _)| renaming.images(*id).iter().zip(0..).any(|(&g, k)| g != k));
        types.map(|(id, of)| (of.name.clone(), renaming.show(id))).collect()
    }

    fn event_name<'a>(&'a self, event: &'a Event) -> &'a str {
        &self.events[event.event.0 as usize].name
    }

    fn write_arguments<S: Serializer>(&self, event: &Event, to: S) -> Result<S::Ok, S::Error> {
        let declared = &self.events[event.event.0 as usize];
        let arguments = event.arguments.iter().zip(&declared.parameters);
        let types = &self.types;
        to.collect_seq(arguments.map(|(value, (_, of))| Typed { types, of: *of, value }))
    }

    fn write_state<S: Serializer>(&self, state: &State, to: S) -> Result<S::Ok, S::Error> {
        let pairs = self.variables.iter().zip(&state.0);
        let types = &self.types;
        to.collect_map(pairs.map(|(v, value)| (&v.name, Typed { types, of: v.of, value })))
    }
}

impl LoadedSystem for Loaded {
    type View = Model;

    fn view(&self) -> &Model {
        &self.model
    }

    fn text(&self) -> &Text {
        &self.text
    }

    fn texts(&self) -> Vec<&Text> {
        texts(&self.text, &self.formulas, &self.shown)
    }

    fn start(&self, run: &model::reference::Run) -> Option<String> {
        let span = tracing::debug_span!("model.starts", states = tracing::field::Empty).entered();
        let first = run.states().next().expect("a run has a state");
        let starts = Interpreter::new(&self.model).starts().enumerate();
        let mut starts = starts.filter_map(|(tried, start)| {
            tracing::trace!(target: "progress", parent: &span, states = tried);
            start.ok()
        });
        let start = self.watch.over(|| starts.find(|start| start.state == *first));
        start.ok().flatten().map(|start| start.show(&self.model))
    }

    fn constants(&self) -> Vec<(&str, String)> {
        let types = &self.model.types;
        self.model.constants.iter().map(|one| (&*one.name, one.value.show(types))).collect()
    }

    fn write_constants<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Constants(&self.model).serialize(to)
    }

    fn rules(&self) -> Vec<(&str, Span)> {
        self.model.rules.iter().map(|rule| (&*rule.name, rule.span)).collect()
    }

    fn enabled(&self, state: &State, most: usize) -> Option<EnabledOf<Self>> {
        let interpreter = Interpreter::new(&self.model);
        // Where a guard fails, nothing is known.
        let steps = interpreter.steps(state).unwrap_or_default();
        if steps.len() > most {
            return None;
        }
        let properties = (0..).map(PropertyId).zip(&self.model.properties);
        let is_assumption = |one: &Property| one.kind == PropertyKind::Assume && !one.is_statement;
        let assumptions: Vec<PropertyId> =
            properties.filter(|(_, one)| is_assumption(one)).map(|(id, _)| id).collect();
        let is_possible = |step: &interpret::Step| {
            assumptions.iter().all(|&one| interpreter.holds(&step.target, one) == Ok(true))
        };
        let step = |step: interpret::Step| EnabledStep {
            action: (step.process, step.event),
            rule: step.rule,
            target: step.target,
        };
        Some(steps.into_iter().filter(is_possible).map(step).collect())
    }

    fn declared_fairness(&self) -> Vec<String> {
        let requirements = (0..self.model.requirements.len()).map(|k| self.requirement(k));
        let events = self.model.events.iter().filter(|one| one.fairness.is_some());
        requirements.chain(events.map(|one| one.name.clone())).collect()
    }

    fn requirement(&self, number: usize) -> String {
        let one = &self.model.requirements[number];
        one.name.clone().unwrap_or_else(|| {
            let place = self.place(one.span);
            let kind = self.kind_of_requirement(number);
            format!("{kind} ({}:{}:{})", place.name, place.line, place.column)
        })
    }

    fn party(&self, party: &Party<ModelVocabulary>) -> String {
        match party {
            Party::Tuple(k, values) if self.model.requirements[*k].name.is_none() => {
                let place = self.place(self.model.requirements[*k].span).location();
                let values = self.shown(values);
                let values = if values.is_empty() { String::new() } else { format!("({values})") };
                let kind = self.kind_of_requirement(*k);
                format!("{kind} {place}{values}")
            }
            _ => party.show(&ModelReference::new(&self.model)),
        }
    }

    fn values(&self, party: &Party<ModelVocabulary>) -> Option<String> {
        match party {
            Party::Tuple(_, values) => Some(self.shown(values)).filter(|text| !text.is_empty()),
            _ => Some(self.party(party)),
        }
    }

    fn next_in(
        &self,
        one: &Party<ModelVocabulary>,
        other: &Party<ModelVocabulary>,
    ) -> Option<usize> {
        let is_alike = match (one, other) {
            (Party::Process(one), Party::Process(other)) => one.family == other.family,
            (Party::Event(one), Party::Event(other)) => one.event == other.event,
            (Party::Tuple(one, _), Party::Tuple(other, _)) => one == other,
            _ => false,
        };
        let (one, other) = (simple_values(one)?, simple_values(other)?);
        if !is_alike || one.len() != other.len() {
            return None;
        }
        let mut different = (0..one.len()).filter(|&k| one[k] != other[k]);
        let (k, is_only) = (different.next()?, different.next().is_none());
        let is_next = match (one[k], other[k]) {
            (Scalar::Number(one), Scalar::Number(other)) => one.checked_add(1) == Some(other),
            (Scalar::Member(of, one), Scalar::Member(other_of, other)) => {
                of == other_of && one + 1 == other
            }
            (Scalar::Index(of, one), Scalar::Index(other_of, other)) => {
                of == other_of && one + 1 == other
            }
            _ => false,
        };
        (is_only && is_next).then_some(k)
    }

    fn fault(&self, failure: &Failure) -> Diagnostic {
        failure.diagnostic()
    }

    fn symmetry_warnings(&self) -> Vec<String> {
        let spoilt = self.model.symmetries.iter().filter_map(|one| {
            let (span, why) = one.reasons.first()?;
            let name = &self.model.types.index_type(one.of).name;
            let place = self.place(*span);
            let place = format!("{}:{}:{}", place.name, place.line, place.column);
            Some(format!("no symmetry of {name}: {why} ({place})"))
        });
        spoilt.collect()
    }
}

impl Loaded {
    fn kind_of_requirement(&self, number: usize) -> &'static str {
        match self.model.requirements[number].premise {
            Some(_) => "compassion",
            None => "justice",
        }
    }

    /// `client_0, 3`
    fn shown(&self, values: &[Scalar]) -> String {
        let values: Vec<_> = values.iter().map(|value| value.show(&self.model.types)).collect();
        values.join(", ")
    }
}

/// The values of a party, if they are simple.
fn simple_values(party: &Party<ModelVocabulary>) -> Option<Vec<Scalar>> {
    match party {
        Party::Process(process) => Some(process.member.into_iter().collect()),
        Party::Tuple(_, values) => Some(values.clone()),
        Party::Event(Event { arguments, .. }) => {
            let scalar = |value: &Value| match value {
                Value::Scalar(scalar) => Some(*scalar),
                _ => None,
            };
            arguments.iter().map(scalar).collect()
        }
    }
}
