//! A protocol as the engine sees it: packed states.
//!
//! A worker unpacks a state, reads it as a value of the user's type, calls the user's code, and packs
//! the results. Every step has the cell of its owner in front of the cells of its event's arguments:
//! 0 if there is none, then the named processes, then the values of the index types. Every process is
//! a family, or a member of the family of its index type.

mod letters;
mod worker;

pub use letters::{FormulaAtoms, RequirementAtoms};
pub use worker::Beat;
pub(crate) use worker::{Evaluator, Loader, ProtocolWorker, doing};

use crate::code::{Code, Conditions, TypedCode};
use crate::coding::Coding;
use crate::fault::{self, Call, Fault, FaultKind};
use crate::formula::{Formula, FormulaError, Variable};
use crate::index::Indices;
use crate::plain::{IndexValue, Plain};
use crate::protocol::{
    Atom, Atoms, EventNames, Owner, OwnerKind, Properties, Property, Protocol, Requirement,
    Requirements,
};
use crate::value::Value;
use engine::symmetry::{self, IndexType};
use engine::system::atoms::{TrackedGroup, TrackedVariables};
use engine::system::layout::{self, Layout};
use engine::system::{
    self, EventSummary, FamilySummary, FaultId, FaultSummary, OwnerSummary, PropertySummary,
    RequirementSummary, RuleSummary, System, Worker,
};
use hashbrown::HashMap;
use ltl::Alphabet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use terms::{EventId, FamilyId, PropertyKind, RuleFairness};

/// All that a protocol declares, asked for once, except for the conditions.
pub(crate) struct Declarations {
    pub(crate) all: Indices,
    pub(crate) processes: Vec<&'static str>,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) properties: Vec<Property>,
    /// Fairness to events, by their names.
    pub(crate) fair_events: Vec<(String, RuleFairness)>,
    pub(crate) requirements: Vec<Requirement>,
}

/// A protocol, prepared to be checked.
pub struct Prepared {
    pub(crate) declared: Arc<Declarations>,
    pub(crate) code: Arc<dyn Code>,
    plain: Plain,
    faults: Mutex<Faults>,
    /// What the workers do, for the watchdog.
    beats: Mutex<Vec<Arc<Beat>>>,
}

#[derive(Default)]
struct Faults {
    list: Vec<Fault>,
    numbers: HashMap<Fault, FaultId>,
}

/// A protocol cannot be checked as it is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetupError(String);

impl SetupError {
    pub(crate) fn new(message: &str) -> SetupError {
        SetupError(message.to_owned())
    }

    /// A panic in the declarations.
    fn of_panic(kind: FaultKind) -> SetupError {
        let FaultKind::Panicked { message, .. } = kind else {
            unreachable!("declarations have no values")
        };
        SetupError(message)
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for SetupError {}

impl Prepared {
    /// Asks a protocol for its declarations. Its states and events become cells in the way of `C`.
    pub fn new<P: Protocol, C: Coding<P>>(protocol: P) -> Result<Self, SetupError> {
        fault::prepare();
        let asked = fault::call(|| {
            let all = protocol.indices();
            let mut names = EventNames::new();
            protocol.event_names(&mut names);
            let coding = C::new(&all, names)?;
            let processes = protocol.processes();
            let (mut atoms, mut properties) = (Atoms::new(), Properties::new());
            let mut requirements = Requirements::new();
            protocol.atoms(&mut atoms);
            protocol.properties(&mut properties);
            protocol.fairness(&mut requirements);
            let declared = Declarations {
                all,
                processes,
                atoms: atoms.declared,
                properties: properties.declared,
                fair_events: requirements.events,
                requirements: requirements.declared,
            };
            let conditions = Conditions {
                atoms: atoms.conditions,
                properties: properties.conditions,
                requirements: requirements.conditions,
            };
            Ok((declared, coding, conditions))
        });
        let (declared, coding, conditions) = asked.map_err(SetupError::of_panic)??;
        Prepared::of_code(declared, Arc::new(TypedCode { protocol, coding, conditions }))
    }

    fn of_code(declared: Declarations, code: Arc<dyn Code>) -> Result<Self, SetupError> {
        declared.check(code.kinds())?;
        let declared = Arc::new(declared);
        let plain = Plain::new(Arc::clone(&declared), Arc::clone(&code));
        Ok(Prepared { declared, code, plain, faults: Mutex::default(), beats: Mutex::default() })
    }

    /// The formula of a text.
    pub fn formula(&self, text: &str) -> Result<Formula, FormulaError> {
        Formula::parse(text, &self.declared, self.code.kinds())
    }

    /// Whether the cells of states have indices, so that there may be symmetry.
    pub fn has_indices(&self) -> bool {
        self.code.has_indices()
    }

    /// The names of the properties, with their kinds.
    pub fn properties(&self) -> impl Iterator<Item = (&str, PropertyKind)> {
        self.declared.properties.iter().map(|one| (one.name.as_str(), one.kind))
    }

    /// Whether there is a boundary.
    pub fn has_boundary(&self) -> bool {
        self.properties().any(|(_, kind)| kind == PropertyKind::Assume)
    }

    /// The judge's view of the same protocol.
    pub fn plain(&self) -> &Plain {
        &self.plain
    }

    /// The tracked variables of a formula.
    pub fn tracked(&self, formula: &Formula) -> TrackedVariables {
        let groups = formula.groups.iter().map(|group| {
            let of = formula.variables[group.variables[0]].of;
            TrackedGroup {
                values: self.index_shape(of),
                variables: group.variables.len(),
                distinct: group.is_distinct,
                stands_for_all: false,
            }
        });
        TrackedVariables { groups: groups.collect() }
    }

    /// The letters that a formula may read along a run.
    pub fn alphabet(&self, formula: &Formula) -> Alphabet {
        formula.alphabet(&self.declared)
    }

    /// The values of the variables of a formula that have these cells.
    pub fn bound(&self, formula: &Formula, cells: &[i64]) -> Vec<(usize, IndexValue)> {
        let value = |((variable, one), &cell): ((usize, &Variable), &i64)| {
            (variable, IndexValue { of: one.of, position: cell as u32 })
        };
        formula.variables.iter().enumerate().zip(cells).map(value).collect()
    }

    /// The atoms of a formula, for packed states.
    pub fn formula_atoms<'a>(&'a self, formula: &'a Formula) -> FormulaAtoms<'a> {
        FormulaAtoms::new(self, formula)
    }

    /// The state of a packed one.
    pub fn state(&self, packed: &[u64]) -> Value {
        let layout = self.code.layout();
        let mut cells = vec![0; layout.cells()];
        layout.unpack(packed, &mut cells);
        self.code.read(&self.declared.all, &cells)
    }

    /// A state, which must be one of the system, packed.
    pub fn packed(&self, state: &Value) -> Box<[u64]> {
        let mut cells = Vec::new();
        self.code.write(&self.declared.all, state, &mut cells);
        self.pack(&cells)
    }

    fn pack(&self, cells: &[i64]) -> Box<[u64]> {
        let layout = self.code.layout();
        let mut packed = vec![0; layout.words()];
        layout.pack(cells, &mut packed);
        packed.into()
    }

    /// A start state, packed.
    fn packed_start(&self, state: &Value) -> Result<Box<[u64]>, FaultId> {
        let mut cells = Vec::new();
        let written = fault::call(|| self.code.write(&self.declared.all, state, &mut cells));
        let kind = match written {
            Err(kind) => Some(kind),
            Ok(()) => FaultKind::outside(self.code.names(), &cells),
        };
        match kind {
            Some(kind) => Err(self.number(Fault { call: Call::Starts, kind })),
            None => Ok(self.pack(&cells)),
        }
    }

    /// The owner and the event of a step of a rule with these cells of arguments.
    pub fn step(&self, rule: u32, arguments: &[i64]) -> (Owner, Value) {
        let owner = self.declared.owner_of(arguments[0]);
        (owner, self.code.read_event(&self.declared.all, rule, &arguments[1..]))
    }

    /// The fault of a number.
    pub fn explain(&self, fault: FaultId) -> Fault {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.list[fault.0 as usize].clone()
    }

    /// The number of a fault.
    pub(crate) fn number(&self, fault: Fault) -> FaultId {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = faults.numbers.get(&fault) {
            return known;
        }
        let number = FaultId(faults.list.len() as u32);
        faults.list.push(fault.clone());
        faults.numbers.insert(fault, number);
        number
    }

    /// A call of the user's code that has lasted for longer than this, if there is one: what was
    /// called, and in which state.
    pub fn stuck(&self, longest: std::time::Duration) -> Option<(Call, Option<Value>)> {
        let beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let beat = beats.iter().find(|beat| beat.lasts_longer_than(longest))?;
        Some(self.interpret(beat))
    }

    fn index_shape(&self, of: terms::IndexTypeId) -> layout::Shape {
        let values = self.declared.all.types()[of.0 as usize].size.into();
        layout::Shape::Simple { low: 0, values, indices: vec![(of, 0)] }
    }
}

impl Declarations {
    /// Whether names are unique, and are those of something.
    fn check(&self, kinds: &[crate::coding::EventKind]) -> Result<(), SetupError> {
        let unique = |what: &str, names: &[&str]| {
            let again = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name));
            match again {
                Some((_, name)) => Err(SetupError(format!("two {what} are called \"{name}\""))),
                None => Ok(()),
            }
        };
        let atoms: Vec<&str> = self.atoms.iter().map(|one| one.name.as_str()).collect();
        let properties: Vec<&str> = self.properties.iter().map(|one| one.name.as_str()).collect();
        let names: Vec<&str> = kinds.iter().map(|one| one.name.as_str()).collect();
        unique("atoms", &atoms)?;
        unique("properties", &properties)?;
        unique("events", &names)?;
        unique("processes", &self.processes)?;
        for (event, _) in &self.fair_events {
            if !names.contains(&event.as_str()) {
                let message = format!(
                    "fairness is declared for an event `{event}`, but the events are: {}",
                    names.join(", ")
                );
                return Err(SetupError(message));
            }
        }
        let atoms = self.atoms.iter().map(|one| (&one.name, &one.arguments));
        let requirements = self.requirements.iter().map(|one| (&one.name, &one.arguments));
        for (name, arguments) in atoms.chain(requirements) {
            if arguments.iter().any(|&of| self.all.id_of_type(of).is_none()) {
                let message = format!(
                    "\"{name}\" has an argument of an index type that `Protocol::indices` does not list"
                );
                return Err(SetupError(message));
            }
        }
        Ok(())
    }

    /// The cell of an owner, if it is a declared process.
    #[inline]
    pub(crate) fn owner_cell(&self, owner: Owner) -> Option<i64> {
        match owner.0 {
            OwnerKind::None => Some(0),
            OwnerKind::Named(name) => {
                let at = self.processes.iter().position(|one| *one == name)?;
                Some(1 + at as i64)
            }
            OwnerKind::Index { of, position } => {
                let of = self.all.id_of_type(of)?;
                let is_value = position < self.all.types()[of.0 as usize].size;
                is_value.then(|| self.first_owner(of.0 as usize) + i64::from(position))
            }
        }
    }

    /// The cell of the first value of an index type as an owner.
    fn first_owner(&self, of: usize) -> i64 {
        let before: i64 = self.all.types()[..of].iter().map(|one| i64::from(one.size)).sum();
        1 + self.processes.len() as i64 + before
    }

    /// The owner of a cell.
    pub(crate) fn owner_of(&self, cell: i64) -> Owner {
        if cell == 0 {
            return Owner::none();
        }
        if let Some(&name) = self.processes.get(cell as usize - 1) {
            return Owner::named(name);
        }
        let types = self.all.types().iter().enumerate().rev();
        let (of, first) = types
            .map(|(of, _)| (of, self.first_owner(of)))
            .find(|(_, first)| *first <= cell)
            .expect("a cell is that of a process");
        Owner(OwnerKind::Index { of: self.all.type_id(of), position: (cell - first) as u32 })
    }

    /// The shape of the cell of an owner.
    fn owner_shape(&self) -> layout::Shape {
        let types = 0..self.all.types().len();
        let indices = types.map(|of| (terms::IndexTypeId(of as u32), self.first_owner(of)));
        let values = self.first_owner(self.all.types().len()) as u64;
        layout::Shape::Simple { low: 0, values, indices: indices.collect() }
    }

    /// The owner of steps, by the first cell of their arguments.
    fn owner_summary(&self) -> OwnerSummary {
        let named = self.processes.len();
        let mut members = HashMap::new();
        for k in 0..named {
            members.insert(1 + k as i64, (FamilyId(k as u32), 0));
        }
        for (of, declared) in self.all.types().iter().enumerate() {
            for k in 0..i64::from(declared.size) {
                members.insert(self.first_owner(of) + k, (FamilyId((named + of) as u32), k));
            }
        }
        OwnerSummary::Argument { cell: 0, members }
    }
}

impl System for Prepared {
    fn layout(&self) -> &Layout {
        self.code.layout()
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        let beat = self.beat();
        beat.calls(doing::STARTS, 0);
        let starts = fault::call(|| self.code.starts(&self.declared.all));
        beat.rests();
        match starts {
            Ok(starts) => Box::new(starts.into_iter().map(|state| self.packed_start(&state))),
            Err(kind) => {
                let fault = self.number(Fault { call: Call::Starts, kind });
                Box::new(std::iter::once(Err(fault)))
            }
        }
    }

    fn indices(&self) -> symmetry::Indices {
        let types = self.declared.all.types().iter();
        symmetry::Indices::new(types.map(|one| {
            let group = if self.has_indices() { one.group } else { terms::Group::Trivial };
            IndexType { size: one.size, group }
        }))
    }

    fn rules(&self) -> Vec<RuleSummary> {
        let owner = self.declared.owner_summary();
        let rule = |(kind, of): (usize, &crate::coding::EventKind)| RuleSummary {
            event: EventId(kind as u32),
            arguments: [self.declared.owner_shape()].into_iter().chain(of.shapes.clone()).collect(),
            owner: owner.clone(),
        };
        self.code.kinds().iter().enumerate().map(rule).collect()
    }

    fn properties(&self) -> Vec<PropertySummary> {
        let property =
            |(_, kind)| PropertySummary { kind, is_statement: false, parameters: Vec::new() };
        Prepared::properties(self).map(property).collect()
    }

    fn families(&self) -> Vec<FamilySummary> {
        let single = FamilySummary { members: Some(layout::Shape::range(0, 0)) };
        let named = std::iter::repeat_n(single, self.declared.processes.len());
        let types = 0..self.declared.all.types().len() as u32;
        let types = types
            .map(|of| FamilySummary { members: Some(self.index_shape(terms::IndexTypeId(of))) });
        named.chain(types).collect()
    }

    fn events(&self) -> Vec<EventSummary> {
        let kinds = self.code.kinds().iter();
        kinds.map(|kind| EventSummary { fairness: self.declared.fairness_of(&kind.name) }).collect()
    }

    fn requirements(&self) -> Vec<RequirementSummary> {
        let summary = |one: &Requirement| {
            let ids = one.arguments.iter().map(|&of| {
                self.declared.all.id_of_type(of).expect("declarations have been checked")
            });
            let groups = ids.map(|of| TrackedGroup {
                values: self.index_shape(of),
                variables: 1,
                distinct: false,
                stands_for_all: false,
            });
            RequirementSummary {
                tracked: TrackedVariables { groups: groups.collect() },
                has_premise: one.has_premise,
            }
        };
        self.declared.requirements.iter().map(summary).collect()
    }

    fn requirement_atoms(&self) -> Vec<Box<dyn system::Atoms + '_>> {
        let all = 0..self.declared.requirements.len();
        all.map(|k| Box::new(RequirementAtoms::new(self, k)) as Box<dyn system::Atoms>).collect()
    }

    fn fault(&self, fault: FaultId) -> FaultSummary {
        let fault = self.explain(fault);
        let crate::fault::FaultKey { site, kind } = fault.key();
        let property = match &fault.call {
            Call::Property(name) => self
                .properties()
                .position(|(one, kind)| one == name && kind != PropertyKind::Assume)
                .map(|at| terms::PropertyId(at as u32)),
            _ => None,
        };
        FaultSummary { site, kind, assertion: None, property }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        self.code.worker(self)
    }
}

impl Declarations {
    /// The fairness that is declared for events of this name: the strongest.
    pub(crate) fn fairness_of(&self, event: &str) -> Option<RuleFairness> {
        let declared = self.fair_events.iter().filter(|(name, _)| name == event);
        declared.map(|(_, fairness)| *fairness).max()
    }
}
