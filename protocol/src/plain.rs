//! A protocol as the judge sees it: the user's own values, nothing packed.

use crate::cells::Renaming;
use crate::code::Code;
use crate::fault::{self, Call, Fault, FaultKey, FaultKind};
use crate::formula::{Formula, Meaning, Pattern, Process};
use crate::index::Indices;
use crate::protocol::{Owner, OwnerKind, Protocol, Requirement};
use crate::system::Declarations;
use crate::value::Value;
use judge::{Bound, Reference, RequirementVariables, Run, Starts, Step, Vocabulary};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;
use terms::{Group, IndexTypeId, PropertyId, PropertyKind, RuleFairness};

/// The names of the types of protocols, for the judge: states and events are [`Value`]s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnyWords;

impl Vocabulary for AnyWords {
    type State = Value;
    type Process = Owner;
    type Event = Occurrence<Value>;
    type Variable = usize;
    type Value = IndexValue;
    type Formula = Formula;
    type Fault = Fault;
    type FaultPattern = FaultKey;
}

/// The names of the types of one protocol, for runs in its own states and events.
pub struct Words<P>(PhantomData<fn() -> P>);

impl<P> Clone for Words<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Words<P> {}

impl<P> PartialEq for Words<P> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<P> Eq for Words<P> {}

impl<P> Hash for Words<P> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<P> fmt::Debug for Words<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Words")
    }
}

/// An event that occurs, with an order for lists.
#[derive(Clone, Debug)]
pub struct Occurrence<E> {
    /// The event.
    pub event: E,
    /// Its kind and its cells.
    key: Vec<i64>,
}

impl<E: Eq> PartialEq for Occurrence<E> {
    fn eq(&self, other: &Self) -> bool {
        self.event == other.event
    }
}

impl<E: Eq> Eq for Occurrence<E> {}

impl<E: Hash> Hash for Occurrence<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.event.hash(state);
    }
}

impl<E: Eq> PartialOrd for Occurrence<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E: Eq> Ord for Occurrence<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

/// A value of an index type, with the type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IndexValue {
    /// The index type.
    pub of: IndexTypeId,
    /// The position among the values of the type.
    pub position: u32,
}

impl<P: Protocol> Vocabulary for Words<P> {
    type State = P::State;
    type Process = Owner;
    type Event = Occurrence<P::Event>;
    type Variable = usize;
    type Value = IndexValue;
    type Formula = Formula;
    type Fault = Fault;
    type FaultPattern = FaultKey;
}

/// A run in the protocol's own states and events.
///
/// # Panics
/// If the run is one of another protocol.
pub fn typed_run<P: Protocol>(run: &Run<AnyWords>) -> Run<Words<P>> {
    let occurrence = |of: &Occurrence<Value>| Occurrence {
        event: of.event.get::<P::Event>().clone(),
        key: of.key.clone(),
    };
    let step = |step: &Step<AnyWords>| Step {
        state: step.state.get::<P::State>().clone(),
        action: step.action.as_ref().map(|(owner, event)| (*owner, occurrence(event))),
    };
    Run {
        stem: run.stem.iter().map(step).collect(),
        cycle: run.cycle.iter().map(step).collect(),
        end: run.end.get::<P::State>().clone(),
    }
}

/// A protocol for the judge: it calls the user's code on the user's values.
pub struct Plain {
    declared: Arc<Declarations>,
    code: Arc<dyn Code>,
}

impl Plain {
    pub(crate) fn new(declared: Arc<Declarations>, code: Arc<dyn Code>) -> Self {
        Plain { declared, code }
    }

    fn all(&self) -> &Indices {
        &self.declared.all
    }

    /// An event with its order.
    pub fn occurrence(&self, event: Value) -> Occurrence<Value> {
        let mut key = Vec::new();
        let kind = self.code.write_event(self.all(), &event, &mut key);
        key.insert(0, kind.into());
        Occurrence { event, key }
    }

    /// A state, or the fault that a part of it is outside of its range.
    fn inside(&self, state: Value, call: impl FnOnce() -> Call) -> Result<Value, Fault> {
        let mut cells = Vec::new();
        let written = fault::call(|| self.code.write(self.all(), &state, &mut cells));
        let outside = written.and_then(|()| match FaultKind::outside(self.code.names(), &cells) {
            None => Ok(()),
            Some(kind) => Err(kind),
        });
        match outside {
            Ok(()) => Ok(state),
            Err(kind) => Err(Fault { call: call(), kind }),
        }
    }

    /// The value of a variable, as conditions take it.
    fn bound(&self, value: IndexValue) -> (u32, u32) {
        (value.position, self.all().types()[value.of.0 as usize].size)
    }

    fn is_declared(&self, owner: Owner) -> bool {
        match owner.0 {
            OwnerKind::None => true,
            OwnerKind::Named(name) => self.declared.processes.contains(&name),
            OwnerKind::Index { of, position } => self
                .all()
                .id_of_type(of)
                .is_some_and(|of| position < self.all().types()[of.0 as usize].size),
        }
    }

    /// A value of an index type, as people read it.
    pub fn show_value(&self, value: IndexValue) -> String {
        format!("{}_{}", self.type_name(value.of), value.position)
    }

    /// What differs between two states, if their parts have names: the part, its value before and
    /// after. None if parts have no names.
    pub fn changes(&self, before: &Value, after: &Value) -> Option<Vec<[String; 3]>> {
        if !self.code.has_indices() {
            return None;
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        self.code.write(self.all(), before, &mut old);
        self.code.write(self.all(), after, &mut new);
        let cells = self.code.names().iter().zip(old.iter().zip(&new));
        let changes = cells.filter(|(_, (old, new))| old != new).map(|(cell, (&old, &new))| {
            [cell.name.clone(), cell.show(self.all(), old), cell.show(self.all(), new)]
        });
        Some(changes.collect())
    }

    /// The name of an index type.
    pub fn type_name(&self, of: IndexTypeId) -> &'static str {
        self.all().types()[of.0 as usize].name
    }
}

impl Reference for Plain {
    type Vocabulary = AnyWords;

    fn starts(&self) -> Starts<'_, AnyWords> {
        match fault::call(|| self.code.starts(self.all())) {
            Ok(starts) => {
                Box::new(starts.into_iter().map(|state| self.inside(state, || Call::Starts)))
            }
            Err(kind) => Box::new(std::iter::once(Err(Fault { call: Call::Starts, kind }))),
        }
    }

    fn steps(&self, state: &Value) -> judge::Steps<AnyWords> {
        let events = match fault::call(|| self.code.events(state)) {
            Ok(events) => events,
            Err(kind) => {
                let guard_faults = vec![Fault { call: Call::Events, kind }];
                return judge::Steps { guard_faults, attempts: Vec::new() };
            }
        };
        let mut attempts = Vec::new();
        for event in events {
            run::poll();
            let text = || format!("{event:?}");
            let target = match fault::call(|| self.code.next(state, &event)) {
                Ok(None) => continue,
                Ok(Some(target)) => Ok(target),
                Err(kind) => Err(Fault { call: Call::Next(text()), kind }),
            };
            let of_owner = |kind| Fault { call: Call::Owner(text()), kind };
            let owner = fault::call(|| self.code.owner(&event)).map_err(of_owner);
            let owner = owner.and_then(|owner| {
                if self.is_declared(owner) {
                    Ok(owner)
                } else {
                    Err(of_owner(FaultKind::UnknownProcess(format!("{owner:?}"))))
                }
            });
            // An event whose owner is not known has none.
            let (owner, target) = match (owner, target) {
                (Ok(owner), Ok(target)) => (owner, self.inside(target, || Call::Next(text()))),
                (owner, Err(fault)) => (owner.unwrap_or(Owner::none()), Err(fault)),
                (Err(fault), Ok(_)) => (Owner::none(), Err(fault)),
            };
            attempts.push(judge::Attempt { action: (owner, self.occurrence(event)), target });
        }
        judge::Steps { guard_faults: Vec::new(), attempts }
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        let properties = self.declared.properties.iter().enumerate();
        properties.map(|(k, one)| (PropertyId(k as u32), one.kind)).collect()
    }

    fn holds(&self, state: &Value, property: PropertyId) -> Result<bool, Fault> {
        let of = &self.declared.properties[property.0 as usize];
        fault::call(|| self.code.property(property.0 as usize, state))
            .map_err(|kind| Fault { call: Call::Property(of.name.clone()), kind })
    }

    fn pattern(&self, fault: &Fault) -> FaultKey {
        fault.key()
    }

    fn matches(&self, fault: &Fault, pattern: FaultKey) -> bool {
        fault.key() == pattern
    }

    fn syntax<'f>(&self, formula: &'f Formula) -> (&'f ltl::Formulas, ltl::Formula) {
        formula.syntax()
    }

    fn atoms(&self, formula: &Formula) -> u32 {
        formula.atoms.len() as u32
    }

    fn atom(
        &self,
        formula: &Formula,
        atom: ltl::Atom,
        binding: &[Bound<AnyWords>],
        state: &Value,
        action: Option<&(Owner, Occurrence<Value>)>,
    ) -> Result<bool, Fault> {
        let value = |variable: usize| {
            let bound = binding.iter().find(|(one, _)| *one == variable);
            bound.expect("every variable has a value").1
        };
        Ok(match &formula.atoms[atom.0 as usize].meaning {
            Meaning::Atom { atom, variables } => {
                let of = &self.declared.atoms[*atom];
                let values: Vec<(u32, u32)> =
                    variables.iter().map(|&one| self.bound(value(one))).collect();
                if of.is_of_steps {
                    action.is_some_and(|(_, occurred)| {
                        let event = &occurred.event;
                        fault::call(|| self.code.atom_of_event(*atom, event, &values))
                            .unwrap_or(false)
                    })
                } else {
                    fault::call(|| self.code.atom_of_state(*atom, state, &values))
                        .map_err(|kind| Fault { call: Call::Atom(of.name.clone()), kind })?
                }
            }
            Meaning::Event { kind, arguments } => action.is_some_and(|(_, occurred)| {
                occurred.key[0] == i64::from(*kind)
                    && arguments.iter().all(|&(cell, pattern)| {
                        let expected = match pattern {
                            Pattern::Variable(variable) => value(variable).position.into(),
                            Pattern::Cell(cell) => cell,
                        };
                        occurred.key[1 + cell] == expected
                    })
            }),
            Meaning::By(process) => action.is_some_and(|(owner, _)| match process {
                Process::Any => true,
                Process::Variable(variable) => {
                    let IndexValue { of, position } = value(*variable);
                    self.is_index(*owner, of)
                        && matches!(owner.0, OwnerKind::Index { position: p, .. } if p == position)
                }
                Process::Named(name) => matches!(owner.0, OwnerKind::Named(one) if one == name),
                Process::Type(of) => self.is_index(*owner, *of),
            }),
        })
    }

    fn atom_text(&self, formula: &Formula, atom: ltl::Atom) -> String {
        formula.atom_text(atom).to_owned()
    }

    fn tracked(&self, formula: &Formula) -> Vec<judge::TrackedGroup<AnyWords>> {
        let groups = formula.groups.iter().map(|group| judge::TrackedGroup {
            variables: group.variables.clone(),
            is_distinct: group.is_distinct,
        });
        groups.collect()
    }

    fn has_value(&self, formula: &Formula, (variable, value): (usize, IndexValue)) -> bool {
        formula.variables.get(variable).is_some_and(|one| one.of == value.of)
            && value.position < self.all().types()[value.of.0 as usize].size
    }

    fn values(&self, formula: &Formula, variable: usize) -> Vec<IndexValue> {
        let of = formula.variables[variable].of;
        let size = self.all().types()[of.0 as usize].size;
        (0..size).map(|position| IndexValue { of, position }).collect()
    }

    fn variable_name(&self, formula: &Formula, variable: usize) -> String {
        let known = formula.variables.get(variable);
        known.map_or_else(|| format!("variable {variable}"), |one| one.name.clone())
    }

    fn processes(&self) -> Vec<Owner> {
        let named = self.declared.processes.iter().map(|name| Owner::named(name));
        let types = self.all().types().iter().enumerate();
        let indices = types.flat_map(|(of, declared)| {
            let of = self.all().type_id(of);
            (0..declared.size).map(move |position| Owner(OwnerKind::Index { of, position }))
        });
        named.chain(indices).collect()
    }

    fn fairness_of(&self, event: &Occurrence<Value>) -> Option<RuleFairness> {
        let kind = usize::try_from(event.key[0]).expect("kinds are numbered from 0");
        self.declared.fairness_of(&self.code.kinds()[kind].name)
    }

    fn has_fair_events(&self) -> bool {
        !self.declared.fair_events.is_empty()
    }

    fn requirements(&self) -> Vec<judge::Requirement<AnyWords>> {
        let requirement = |one: &Requirement| {
            let variables = one.arguments.iter().map(|&of| {
                let of = self.all().id_of_type(of).expect("declarations have been checked");
                let size = self.all().types()[of.0 as usize].size;
                let values = (0..size).map(|position| IndexValue { of, position }).collect();
                RequirementVariables { count: 1, values, is_distinct: false }
            });
            judge::Requirement { variables: variables.collect(), has_premise: one.has_premise }
        };
        self.declared.requirements.iter().map(requirement).collect()
    }

    fn premise(
        &self,
        requirement: usize,
        values: &[IndexValue],
        state: &Value,
    ) -> Result<bool, Fault> {
        let of = &self.declared.requirements[requirement];
        let values: Vec<(u32, u32)> = values.iter().map(|&one| self.bound(one)).collect();
        fault::call(|| self.code.premise(requirement, state, &values))
            .map_err(|kind| Fault { call: Call::Requirement(of.name.clone()), kind })
    }

    fn goal(
        &self,
        requirement: usize,
        values: &[IndexValue],
        state: &Value,
    ) -> Result<bool, Fault> {
        let of = &self.declared.requirements[requirement];
        let values: Vec<(u32, u32)> = values.iter().map(|&one| self.bound(one)).collect();
        fault::call(|| self.code.goal(requirement, state, &values))
            .map_err(|kind| Fault { call: Call::Requirement(of.name.clone()), kind })
    }

    fn index_types(&self) -> Vec<judge::IndexType> {
        let index_type = |one: &crate::index::Declared| judge::IndexType {
            name: one.name.to_owned(),
            size: one.size,
            group: if self.code.has_indices() { one.group } else { Group::Trivial },
        };
        self.all().types().iter().map(index_type).collect()
    }

    fn renamed_state(&self, by: &judge::Renaming, state: &Value) -> Value {
        self.code.renamed(&Renaming::new(self.all(), by), state)
    }

    fn renamed_process(&self, by: &judge::Renaming, process: &Owner) -> Owner {
        match process.0 {
            OwnerKind::Index { of, position } => {
                let id = self.all().id_of_type(of).expect("owners have declared types");
                let position = by.images(id)[position as usize];
                Owner(OwnerKind::Index { of, position })
            }
            OwnerKind::None | OwnerKind::Named(_) => *process,
        }
    }

    fn renamed_event(&self, by: &judge::Renaming, event: &Occurrence<Value>) -> Occurrence<Value> {
        self.occurrence(self.code.renamed_event(&Renaming::new(self.all(), by), &event.event))
    }

    fn renamed_value(&self, by: &judge::Renaming, value: IndexValue) -> IndexValue {
        IndexValue { position: by.images(value.of)[value.position as usize], ..value }
    }

    fn kind_of_event(&self, event: &Occurrence<Value>) -> u32 {
        event.key[0] as u32
    }

    fn show_process(&self, process: &Owner) -> String {
        match process.0 {
            OwnerKind::None => "nobody".to_owned(),
            OwnerKind::Named(name) => name.to_owned(),
            OwnerKind::Index { of, position } => {
                let id = self.all().id_of_type(of).expect("owners have declared types");
                format!("{}_{position}", self.type_name(id))
            }
        }
    }

    fn show_event(&self, event: &Occurrence<Value>) -> String {
        format!("{:?}", event.event)
    }

    fn show_tuple(&self, requirement: usize, values: &[IndexValue]) -> String {
        let name = &self.declared.requirements[requirement].name;
        let values: Vec<String> = values.iter().map(|&value| self.show_value(value)).collect();
        format!("\"{name}\"({})", values.join(", "))
    }
}

impl Plain {
    fn is_index(&self, owner: Owner, of: IndexTypeId) -> bool {
        matches!(owner.0, OwnerKind::Index { of: one, .. } if self.all().id_of_type(one) == Some(of))
    }
}
