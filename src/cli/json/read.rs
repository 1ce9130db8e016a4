//! Values, states, steps and runs out of JSON: what the writers of the module above write.
//!
//! [`ReadBack`] reads runs of any front end that can read its states, events and renamings; [`Reader`] is
//! that of models.
//!
//! Nothing is believed. Every part must be what the model's types say; what is not is a [`Fault`], which
//! names the part and what is expected there. What can be read is well-formed, and nothing more: whether it
//! is true is for the judge to say.

mod component;

pub(crate) use component::read_component;

use judge::{Renaming, Run, Step, Vocabulary};
use model::checked::{EventId, FamilyId, Model};
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::ModelRenaming as _;
use model::reference::ModelVocabulary;
use model::types::{BOOLEAN_ENUMERATION, IndexTypeId, Type, TypeId};
use model::value::{Scalar, Value};
use run::poll::poll_for;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;

/// Where in a JSON text.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    /// The whole.
    Root,
    /// In an object.
    Key(&'p Path<'p>, &'p str),
    /// In a list.
    Item(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => out.write_str(key),
            Path::Key(above, key) => write!(out, "{above}.{key}"),
            Path::Item(above, k) => write!(out, "{above}[{k}]"),
        }
    }
}

/// What is wrong, and where.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    /// Where; nothing for the whole text.
    pub(crate) path: String,
    /// What: lower case, no final dot.
    pub(crate) message: String,
}

impl Path<'_> {
    /// Something is wrong here.
    pub(crate) fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { path: self.to_string(), message: message.into() })
    }
}

/// An object with its place.
#[derive(Clone, Copy)]
pub(crate) struct Object<'j> {
    fields: &'j serde_json::Map<String, Json>,
    /// Where it is.
    pub(crate) at: &'j Path<'j>,
}

impl<'j> Object<'j> {
    /// The value as an object.
    pub(crate) fn of(json: &'j Json, at: &'j Path<'j>) -> Result<Self, Fault> {
        match json {
            Json::Object(fields) => Ok(Object { fields, at }),
            other => at.fault(format!("expected an object, not {}", shown(other))),
        }
    }

    /// A field that must be there.
    pub(crate) fn field(&self, name: &str) -> Result<&'j Json, Fault> {
        match self.fields.get(name) {
            Some(json) => Ok(json),
            None => self.at.fault(format!("`{name}` is missing")),
        }
    }

    /// A field that may be missing, or null, which is the same.
    pub(crate) fn optional(&self, name: &str) -> Option<&'j Json> {
        self.fields.get(name).filter(|json| !json.is_null())
    }

    /// A string that may be missing, or null.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'j str>, Fault> {
        match self.optional(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Path::Key(self.at, name)
                .fault(format!("expected a string or null, not {}", shown(other))),
        }
    }

    /// Its fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'j str, &'j Json)> {
        self.fields.iter().map(|(name, json)| (&name[..], json))
    }
}

/// The value as a list.
pub(crate) fn list<'j>(json: &'j Json, at: &Path<'_>) -> Result<&'j [Json], Fault> {
    match json {
        Json::Array(items) => Ok(items),
        other => at.fault(format!("expected a list, not {}", shown(other))),
    }
}

/// As messages show it: what is long or made of parts, by its kind only.
pub(crate) fn shown(json: &Json) -> String {
    /// Longer texts say nothing.
    const LONGEST: usize = 60;
    let text = match json {
        Json::Object(_) => "an object".to_owned(),
        Json::Array(_) => "a list".to_owned(),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

/// Reads what belongs to a model.
pub(crate) struct Reader<'m> {
    model: &'m Model,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Reader { model }
    }

    /// A value of this type.
    pub(crate) fn value(&self, of: TypeId, json: &Json, at: &Path<'_>) -> Result<Value, Fault> {
        let types = &self.model.types;
        match types.get(of) {
            Type::Array { index, element } => {
                let object = Object::of(json, at)?;
                let keys = (0..types.size(*index)).map(|k| Scalar::nth(types, *index, k));
                let keys = keys.map(|key| (key.show(types), *element));
                self.parts(object, keys)
            }
            Type::Record(fields) => self.parts(Object::of(json, at)?, fields.iter().cloned()),
            Type::Set(element) => {
                let capacity = u32::try_from(types.size(*element)).unwrap_or(u32::MAX);
                let items = self.items(of, capacity, json, at)?.iter().enumerate();
                let mut elements = BTreeSet::new();
                for (k, item) in items {
                    let path = Path::Item(at, k);
                    if !elements.insert(self.scalar(*element, item, &path)?) {
                        return path.fault("this element is in the set already");
                    }
                }
                Ok(Value::Set(elements))
            }
            Type::Queue { capacity, element } => {
                let items = self.items(of, *capacity, json, at)?.iter().enumerate();
                let elements =
                    items.map(|(k, item)| self.value(*element, item, &Path::Item(at, k)));
                Ok(Value::Queue(elements.collect::<Result<_, _>>()?))
            }
            Type::Multiset { capacity, element } => {
                let items = self.items(of, *capacity, json, at)?.iter().enumerate();
                let elements =
                    items.map(|(k, item)| self.value(*element, item, &Path::Item(at, k)).map(Some));
                let mut multiset = Value::Multiset(elements.collect::<Result<_, _>>()?);
                multiset.settle();
                Ok(multiset)
            }
            Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => {
                if json.is_null() {
                    return Ok(Value::Undefined);
                }
                self.scalar(of, json, at).map(Value::Scalar)
            }
        }
    }

    /// The elements of a multiset or a queue of this type.
    fn items<'j>(
        &self,
        of: TypeId,
        capacity: u32,
        json: &'j Json,
        at: &Path<'_>,
    ) -> Result<&'j [Json], Fault> {
        let items = list(json, at)?;
        if items.len() as u64 > u64::from(capacity) {
            let shown = self.model.types.show(of);
            return at.fault(format!("{} elements are too many for {shown}", items.len()));
        }
        Ok(items)
    }

    /// The parts of an array or a record: these, and no others.
    fn parts(
        &self,
        object: Object<'_>,
        keys: impl Iterator<Item = (String, TypeId)>,
    ) -> Result<Value, Fault> {
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for (key, of) in keys {
            let part = object.field(&key)?;
            parts.push(self.value(of, part, &Path::Key(object.at, &key))?);
            names.push(key);
        }
        only(object, &names)?;
        Ok(Value::Parts(parts))
    }

    /// A simple value of this type that is defined.
    pub(crate) fn scalar(&self, of: TypeId, json: &Json, at: &Path<'_>) -> Result<Scalar, Fault> {
        if let Some(scalar) = self.find(of, json) {
            return Ok(scalar);
        }
        let (name, examples) = (self.model.types.show(of), self.examples(of));
        let all = if name == examples { name } else { format!("{name}: {examples}") };
        at.fault(format!("{} is not a value of {all}", shown(json)))
    }

    fn find(&self, of: TypeId, json: &Json) -> Option<Scalar> {
        let types = &self.model.types;
        match (types.get(of), json) {
            (Type::Range { low, high }, _) => {
                let number = match json {
                    Json::Number(number) => number.as_i64()?,
                    // As written beyond 2^53; other ways to write a number are no numbers.
                    Json::String(text) => {
                        text.parse().ok().filter(|number: &i64| number.to_string() == *text)?
                    }
                    _ => return None,
                };
                (*low..=*high).contains(&number).then_some(Scalar::Number(number))
            }
            (Type::Enumeration(BOOLEAN_ENUMERATION), Json::Bool(value)) => {
                Some(Scalar::boolean(*value))
            }
            (Type::Enumeration(id), Json::String(text)) if *id != BOOLEAN_ENUMERATION => {
                let position = types.members(*id).iter().position(|member| member == text)?;
                Some(Scalar::Member(*id, position as u32))
            }
            (Type::Index(id), Json::String(text)) => {
                let index = types.index_type(*id);
                let digits = text.strip_prefix(&index.name)?.strip_prefix('_')?;
                let k = digits.parse().ok().filter(|k: &u32| k.to_string() == digits)?;
                (k < index.size).then_some(Scalar::Index(*id, k))
            }
            (Type::Union(members), _) => members.iter().find_map(|&member| self.find(member, json)),
            _ => None,
        }
    }

    /// What a value of a simple type looks like.
    fn examples(&self, of: TypeId) -> String {
        /// More members are not listed.
        const MOST: usize = 8;
        let types = &self.model.types;
        match types.get(of) {
            Type::Range { low, high } => format!("{low}..{high}"),
            Type::Enumeration(id) => match types.members(*id) {
                members if members.len() <= MOST => members.join(", "),
                members => format!("{}, ...", members[..MOST].join(", ")),
            },
            Type::Index(id) => match types.index_type(*id) {
                index if index.size == 1 => format!("{}_0", index.name),
                index => format!("{0}_0 .. {0}_{1}", index.name, index.size - 1),
            },
            Type::Union(members) => {
                let members: Vec<_> = members.iter().map(|&one| self.examples(one)).collect();
                members.join(", ")
            }
            Type::Array { .. }
            | Type::Record(_)
            | Type::Queue { .. }
            | Type::Set(_)
            | Type::Multiset { .. } => types.show(of),
        }
    }

    /// The processes that are written like this: mostly one.
    fn processes(&self, text: &str, at: &Path<'_>) -> Result<Vec<Process>, Fault> {
        let mut found = Vec::new();
        for (id, family) in (0..).map(FamilyId).zip(&self.model.processes) {
            let process = match family.of {
                None if family.name == text => Process::new(self.model, id, None),
                None => continue,
                Some(of) => {
                    let text = if self.model.types.is_range(of) {
                        text.strip_prefix(&family.name).and_then(|text| text.strip_prefix('_'))
                    } else {
                        Some(text)
                    };
                    // `false` and `true` may be processes, too.
                    let boolean = text.and_then(|text| text.parse().ok()).map(Json::Bool);
                    let text = text.map(|text| Json::String(text.to_owned()));
                    let member = text.and_then(|text| self.find(of, &text));
                    let member = member.or_else(|| self.find(of, &boolean?));
                    let Some(member) = member else { continue };
                    Process::new(self.model, id, Some(member))
                }
            };
            if !found.contains(&process) {
                found.push(process);
            }
        }
        if found.is_empty() {
            let families = self.model.processes.iter().map(|family| match family.of {
                None => family.name.clone(),
                Some(of) if self.model.types.is_range(of) => {
                    format!("{}_{}", family.name, self.examples(of))
                }
                Some(of) => self.examples(of),
            });
            let families = families.collect::<Vec<_>>().join(", ");
            return at.fault(format!("\"{text}\" is not a process of the model: {families}"));
        }
        Ok(found)
    }

    /// The events of this name with these arguments: mostly one.
    fn events(&self, name: &str, object: Object<'_>) -> Result<Vec<Event>, Fault> {
        let at = Path::Key(object.at, "args");
        let items = match object.optional("args") {
            None => &[],
            Some(json) => list(json, &at)?,
        };
        let mut found = Vec::new();
        let mut fault = None;
        for (id, event) in (0..).map(EventId).zip(&self.model.events) {
            if event.name != name {
                continue;
            }
            if event.parameters.len() != items.len() {
                let (has, given) = (event.parameters.len(), items.len());
                let wrong = format!("`{name}` has {has} arguments, not {given}");
                fault = fault.or(at.fault::<()>(wrong).err());
                continue;
            }
            let arguments = items.iter().zip(&event.parameters).enumerate();
            let arguments =
                arguments.map(|(k, (item, (_, of)))| self.value(*of, item, &Path::Item(&at, k)));
            match arguments.collect() {
                Ok(arguments) => found.push(Event { event: id, arguments }),
                Err(wrong) => fault = fault.or(Some(wrong)),
            }
        }
        match (found.is_empty(), fault) {
            (false, _) => Ok(found),
            (true, Some(fault)) => Err(fault),
            (true, None) => {
                let at = Path::Key(object.at, "event");
                at.fault(format!("the model has no event \"{name}\""))
            }
        }
    }
}

impl ReadBack for Reader<'_> {
    type Words = ModelVocabulary;

    fn state(&self, json: &Json, at: &Path<'_>) -> Result<State, Fault> {
        let object = Object::of(json, at)?;
        let variables = self.model.variables.iter().map(|one| (one.name.clone(), one.of));
        match self.parts(object, variables)? {
            Value::Parts(parts) => Ok(State(parts)),
            other => unreachable!("parts are parts, not {other:?}"),
        }
    }

    fn actions(&self, object: Object<'_>) -> Result<Vec<(Process, Event)>, Fault> {
        let at = object.at;
        for name in ["process", "event"] {
            object.field(name)?;
        }
        match (object.text("process")?, object.text("event")?) {
            (None, None) => Ok(Vec::new()),
            (Some(process), Some(event)) => {
                let processes = self.processes(process, &Path::Key(at, "process"))?;
                let events = self.events(event, object)?;
                let pairs = processes
                    .iter()
                    .flat_map(|process| events.iter().map(move |event| (*process, event.clone())));
                Ok(pairs.collect())
            }
            _ => at.fault("either both `process` and `event` are null, or neither is"),
        }
    }

    fn leads_to(&self, state: &State, (process, event): &(Process, Event), to: &State) -> bool {
        let interpreter = Interpreter::new(self.model);
        let instances = interpreter.instances(state).unwrap_or_default();
        let mut alike =
            instances.iter().filter(|one| one.process == *process && one.event == *event);
        alike.any(|one| {
            let fired = interpreter.fire(state, one);
            fired.is_ok_and(|outcome| outcome.target.as_ref() == Some(to))
        })
    }

    fn identity(&self) -> Renaming {
        Renaming::identity(self.model.types.index_sizes())
    }

    fn renamed(&self, renaming: &Renaming, state: &State) -> State {
        renaming.state(self.model, state)
    }

    fn renaming(&self, json: &Json, at: &Path<'_>) -> Result<Renaming, Fault> {
        let mut renaming = Renaming::identity(self.model.types.index_sizes());
        let types = &self.model.types.index_types;
        for (name, cycles) in Object::of(json, at)?.fields() {
            let at = Path::Key(at, name);
            let Some(of) = types.iter().position(|of| of.name == name) else {
                return at.fault(format!("the model has no index type `{name}`"));
            };
            let Json::String(cycles) = cycles else {
                return at.fault(format!(
                    "expected a permutation in cycle notation, as in \"(0 1 2)\", not {}",
                    shown(cycles)
                ));
            };
            if let Err(message) = renaming.read(IndexTypeId(of as u32), cycles) {
                return at.fault(message);
            }
        }
        Ok(renaming)
    }
}

/// The lists of steps of a run that are text still.
#[derive(Default)]
pub(crate) struct WrittenSteps<'t> {
    pub(crate) stem: Option<Vec<&'t RawValue>>,
    pub(crate) cycle: Option<Vec<&'t RawValue>>,
}

/// Reads what belongs to a front end.
pub(crate) trait ReadBack {
    /// The types of what is read.
    type Words: Vocabulary;

    /// A state.
    fn state(&self, json: &Json, at: &Path<'_>) -> Result<StateOf<Self>, Fault>;

    /// All that `{"process", "event", "args"}` may mean; nothing, in a stutter.
    fn actions(&self, object: Object<'_>) -> Result<Vec<ActionOf<Self>>, Fault>;

    /// Whether an action leads from a state to another one: asked if a step may mean several things.
    fn leads_to(&self, state: &StateOf<Self>, action: &ActionOf<Self>, to: &StateOf<Self>) -> bool;

    /// The renaming that changes nothing.
    fn identity(&self) -> Renaming;

    /// The image of a state.
    fn renamed(&self, renaming: &Renaming, state: &StateOf<Self>) -> StateOf<Self>;

    /// What takes a lap to the next: `{"client": "(0 1 2)"}`; types that are not named stay as they are.
    fn renaming(&self, json: &Json, at: &Path<'_>) -> Result<Renaming, Fault>;

    /// A run: `{"stem": [STEP], "cycle": [STEP], "end": STATE}`, whose steps may be text still.
    fn run(
        &self,
        object: Object<'_>,
        written: &WrittenSteps<'_>,
    ) -> Result<Run<Self::Words>, Fault> {
        let end = Path::Key(object.at, "end");
        let end = self.state(object.field("end")?, &end)?;
        let mut parts = [Vec::new(), Vec::new()];
        // What a step means depends on the state after it.
        let mut last: Option<(usize, ReadStep<Self::Words>)> = None;
        let lists = [("stem", &written.stem), ("cycle", &written.cycle)];
        for (part, (name, written)) in lists.into_iter().enumerate() {
            let at = Path::Key(object.at, name);
            let items = list(object.field(name)?, &at)?;
            for k in 0..written.as_ref().map_or(items.len(), Vec::len) {
                poll_for(16);
                let at = Path::Item(&at, k);
                let read = match written {
                    None => self.step(Object::of(&items[k], &at)?)?,
                    Some(written) => {
                        let item = serde_json::from_str(written[k].get())
                            .or_else(|error| at.fault(format!("not JSON: {error}")))?;
                        self.step(Object::of(&item, &at)?)?
                    }
                };
                if let Some((part, before)) = last.take() {
                    parts[part].push(self.decide(before, &read.state));
                }
                last = Some((part, read));
            }
        }
        if let Some((part, before)) = last {
            parts[part].push(self.decide(before, &end));
        }
        let [stem, cycle] = parts;
        Ok(Run { stem, cycle, end })
    }

    fn step(&self, object: Object<'_>) -> Result<ReadStep<Self::Words>, Fault> {
        let state = self.state(object.field("state")?, &Path::Key(object.at, "state"))?;
        Ok(ReadStep { state, actions: self.actions(object)? })
    }

    /// Of several things that a step may mean, one that leads to this state, if there is one.
    fn decide(&self, read: ReadStep<Self::Words>, target: &StateOf<Self>) -> Step<Self::Words> {
        let ReadStep { state, actions } = read;
        let mut action = actions.first().cloned();
        if actions.len() > 1 {
            let leading = actions.iter().find(|action| self.leads_to(&state, action, target));
            action = leading.cloned().or(action);
        }
        Step { state, action }
    }
}

type StateOf<R> = <<R as ReadBack>::Words as Vocabulary>::State;
type ActionOf<R> = judge::Action<<R as ReadBack>::Words>;

/// A step as it was read: all that it may mean. None is a stutter.
pub(crate) struct ReadStep<V: Vocabulary> {
    state: V::State,
    actions: Vec<judge::Action<V>>,
}

/// An object has no other fields than these.
fn only(object: Object<'_>, names: &[String]) -> Result<(), Fault> {
    // As many fields as names, each of which was found: then there is no other.
    if object.fields.len() == names.len() {
        return Ok(());
    }
    match object.fields().find(|(name, _)| !names.iter().any(|one| one == name)) {
        Some((name, _)) => {
            let expected = match names {
                [] => "nothing".to_owned(),
                [one] => format!("`{one}` only"),
                [first, .., last] => format!("`{first}` to `{last}` only"),
            };
            object.at.fault(format!("unexpected `{name}`: there is {expected}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StateEntry, StepEntry};
    use super::*;
    use model::check;
    use model::reference::{Run, Step};
    use run::SplitMix64;

    /// Random runs of all models in the fixtures, written and read again.
    #[test]
    fn what_is_written_can_be_read() {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let files = |name| std::fs::read_dir(fixtures.join(name)).expect("a folder");
        let mut runs = 0;
        let mut steps = 0;
        for entry in files("models").chain(files("inputs")) {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a file");
            let Ok(model) = check(&text, &[]) else { continue };
            for seed in 0..4 {
                if let Some(run) = random_run(&model, seed, 12) {
                    runs += 1;
                    steps += run.stem.len();
                    let written = written(&model, &run);
                    let at = Path::Root;
                    let object = Object::of(&written, &at).expect("an object");
                    let read = Reader::new(&model).run(object, &WrittenSteps::default());
                    let read = read.unwrap_or_else(|fault| panic!("{}: {fault:?}", path.display()));
                    assert_eq!(read, run, "{}", path.display());
                }
            }
        }
        assert!(runs > 200 && steps > 1000, "{runs} runs, {steps} steps");
    }

    fn random_run(model: &Model, seed: u64, most_steps: usize) -> Option<Run> {
        let interpreter = Interpreter::new(model);
        let mut random = SplitMix64::new(seed);
        let starts: Vec<_> = interpreter.starts().take(50).filter_map(Result::ok).collect();
        let mut state = starts.get(random.below(starts.len().max(1)))?.state.clone();
        let mut stem = Vec::new();
        while stem.len() < most_steps {
            let mut possible = interpreter.steps(&state).unwrap_or_default();
            if possible.is_empty() {
                break;
            }
            let taken = possible.swap_remove(random.below(possible.len()));
            let before = std::mem::replace(&mut state, taken.target);
            stem.push(Step { state: before, action: Some((taken.process, taken.event)) });
        }
        Some(Run { stem, cycle: Vec::new(), end: state })
    }

    fn written(model: &Model, run: &Run) -> Json {
        let step = |step: &Step| {
            let entry = StepEntry::of(model, step.action.as_ref(), &step.state);
            serde_json::to_value(entry).expect("JSON")
        };
        let end = StateEntry { view: model, state: &run.end };
        serde_json::json!({
            "stem": run.stem.iter().map(step).collect::<Vec<_>>(), "cycle": [], "end": end,
        })
    }

    const MODEL: &str = "
        type client: scalarset(3); lone: scalarset(1); phase: enum { Idle, Busy };
          either: union { client, phase };
        var small: -1..5; any: client; one: lone; ph: phase; flag: boolean; mixed: either;
          rec: record a: phase; b: client; end; row: array [-1..1] of boolean;
          bag: multiset [2] of phase; line: queue [2] of phase; some: set of either;
          large: -9007199254740995..9007199254740995;
        startstate flag := true; end;
        rule flag := !flag; end;";

    #[test]
    fn values_are_those_of_their_types() {
        let model = check(MODEL, &[]).expect("a model");
        let reader = Reader::new(&model);
        //  variable, JSON, the value as people read it, or what is wrong
        for (name, text, expected) in [
            ("small", "-1", Ok("-1")),
            ("small", "null", Ok("undefined")),
            ("small", "\"3\"", Ok("3")),
            ("small", "6", Err(("v", "6 is not a value of -1..5"))),
            ("small", "1.0", Err(("v", "1.0 is not a value of -1..5"))),
            ("small", "\"+3\"", Err(("v", "\"+3\" is not a value of -1..5"))),
            ("small", "true", Err(("v", "true is not a value of -1..5"))),
            ("any", "\"client_2\"", Ok("client_2")),
            (
                "any",
                "\"client_9\"",
                Err(("v", "\"client_9\" is not a value of client: client_0 .. client_2")),
            ),
            (
                "any",
                "\"client_02\"",
                Err(("v", "\"client_02\" is not a value of client: client_0 .. client_2")),
            ),
            ("any", "2", Err(("v", "2 is not a value of client: client_0 .. client_2"))),
            ("one", "\"lone_1\"", Err(("v", "\"lone_1\" is not a value of lone: lone_0"))),
            ("ph", "\"Busy\"", Ok("Busy")),
            ("ph", "\"busy\"", Err(("v", "\"busy\" is not a value of phase: Idle, Busy"))),
            ("ph", "[]", Err(("v", "a list is not a value of phase: Idle, Busy"))),
            ("flag", "false", Ok("false")),
            ("flag", "\"false\"", Err(("v", "\"false\" is not a value of boolean: false, true"))),
            ("mixed", "\"client_0\"", Ok("client_0")),
            ("mixed", "\"Idle\"", Ok("Idle")),
            (
                "mixed",
                "\"lone_0\"",
                Err(("v", "\"lone_0\" is not a value of either: client_0 .. client_2, Idle, Busy")),
            ),
            ("rec", r#"{"b": null, "a": "Idle"}"#, Ok("{a: Idle, b: undefined}")),
            ("rec", r#"{"a": "Idle"}"#, Err(("v", "`b` is missing"))),
            ("rec", "null", Err(("v", "expected an object, not null"))),
            (
                "rec",
                r#"{"a": null, "b": null, "c": 1}"#,
                Err(("v", "unexpected `c`: there is `a` to `b` only")),
            ),
            (
                "rec",
                r#"{"a": 0, "b": null}"#,
                Err(("v.a", "0 is not a value of phase: Idle, Busy")),
            ),
            (
                "row",
                r#"{"-1": true, "0": false, "1": null}"#,
                Ok("[-1: true, 0: false, 1: undefined]"),
            ),
            ("row", r"[true, false, null]", Err(("v", "expected an object, not a list"))),
            ("bag", r#"["Busy", "Idle"]"#, Ok("{Idle, Busy}")),
            ("bag", r"[]", Ok("{}")),
            ("bag", r#"["Busy", 1]"#, Err(("v[1]", "1 is not a value of phase: Idle, Busy"))),
            (
                "bag",
                r#"["Busy", "Busy", "Busy"]"#,
                Err(("v", "3 elements are too many for multiset [2] of phase")),
            ),
            ("line", r#"["Busy", "Idle"]"#, Ok("[Busy, Idle]")),
            (
                "line",
                r#"["Busy", "Busy", "Busy"]"#,
                Err(("v", "3 elements are too many for queue [2] of phase")),
            ),
            ("some", r#"["Busy", "client_2"]"#, Ok("{client_2, Busy}")),
            (
                "some",
                r#"["Busy", "Idle", "Busy"]"#,
                Err(("v[2]", "this element is in the set already")),
            ),
            ("large", "9007199254740993", Ok("9007199254740993")),
            ("large", "\"-9007199254740994\"", Ok("-9007199254740994")),
            (
                "large",
                "\"9223372036854775808\"",
                Err((
                    "v",
                    "\"9223372036854775808\" is not a value of -9007199254740995..9007199254740995",
                )),
            ),
        ] {
            let of = model.variables.iter().find(|one| one.name == name).expect("a variable").of;
            let json: Json = serde_json::from_str(text).expect("JSON");
            let read = reader.value(of, &json, &Path::Key(&Path::Root, "v"));
            let shown = read.map(|value| value.show(&model.types, of));
            let expected = expected.map(str::to_owned).map_err(|(path, message)| Fault {
                path: path.to_owned(),
                message: message.to_owned(),
            });
            assert_eq!(shown, expected, "{name} {text}");
        }
    }

    /// One name, two events; two families, one name: the state after the step decides.
    #[test]
    fn what_may_mean_several_things_means_what_happens() {
        let model = check(
            "var x: 0..9;
             startstate x := 0; end;
             ruleset a: 0..1 do rule \"go\" x := x + 1; end; end;
             ruleset a: 0..2 do rule \"go\" x := x + 2; end; end;",
            &[],
        );
        let model = model.expect("a model");
        assert_eq!(model.events.len(), 2, "the parameters are of different types");
        for (target, event) in [(1, 0), (2, 1), (7, 0)] {
            let json = serde_json::json!({
                "stem": [{ "process": "system", "event": "go", "args": [1], "state": { "x": 0 } }],
                "cycle": [], "end": { "x": target },
            });
            let at = Path::Root;
            let run = Reader::new(&model)
                .run(Object::of(&json, &at).expect("an object"), &WrittenSteps::default());
            let run = run.expect("a run");
            let (_, read) = run.stem[0].action.as_ref().expect("somebody acts");
            assert_eq!(read.event, EventId(event), "to {target}");
        }
    }
}
