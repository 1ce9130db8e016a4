//! Partial-order reduction of models: which process may move alone.
//!
//! Let l be the values of a process' own cells (see [`model::locality`]). All conditions are functions
//! of l, of the values of the formula's tracked variables, and of nothing else:
//!
//! - **C0** the process has an enabled step;
//! - **C1a** every rule of it that is possible at l is local;
//! - **C1b** no rule of another process that writes own cells of it is possible at l;
//! - **C1c** after each of its steps every view that rules of others have of it has the same value. A rule
//!   that is possible neither before nor after may see a change; without fairness over what is enabled it
//!   is enough that it is not possible before;
//! - **C2** no step of it is visible: it satisfies no atom about steps, and changes no view that atoms about
//!   states and declared requirements have of it;
//! - **C3** every step of it raises its rank;
//! - **C4** if events are demanded to be fair and processes are not: one of its enabled steps has a fair
//!   event that no other process executes, or after no step of it a rule with a fair event is possible;
//! - **C5** under strong fairness over events: after no step of it a rule is possible that is not local and
//!   whose event is demanded to be strongly fair;
//! - **C6** neither before nor after a step of it a rule is possible that has a fair event which other
//!   processes execute, too.
//!
//! So the answer for each l is computed once, by the reference interpreter, and remembered. The process
//! that is chosen is the first of those that satisfy all conditions.

use super::CompiledModel;
use super::cells::{UNDEFINED, decode, encode, state_of, width};
use engine::system::{
    AtomWorker, Choices, Chooser, OwnerSummary, ProcessId, Steps, System as _, Worker,
};
use hashbrown::HashMap;
use model::checked::{Demand, Expression, Formula, Local, LocalId, Model, ParameterDomain, Scope};
use model::interpret::{Process, State};
use model::locality::{Contact, Locality, Owner, RankStep, Root, Subject, View};
use model::syntax::{Fairness, Over, RuleFairness};
use model::types::{Type, TypeId, Types};
use model::value::Scalar;
use std::marker::PhantomData;
use std::ops::Range;

/// The conditions, one constant each. Tests leave out one at a time, and check that this is noticed.
pub trait Conditions: Send + Sync + 'static {
    /// C1a holds of all rules that are possible, not only of those that are enabled.
    const POSSIBLE: bool = true;
    /// C1a: a rule whose guard reads cells without an owner is not local.
    const GUARDS: bool = true;
    /// C1b.
    const WRITERS: bool = true;
    /// C1c.
    const READERS: bool = true;
    /// C2, for atoms about states.
    const ATOMS: bool = true;
    /// C2: atoms about states are judged by views, not by their values before and after the step.
    const VIEWS: bool = true;
    /// C2, for atoms about steps.
    const EVENTS: bool = true;
    /// C2, for declared requirements.
    const DECLARED: bool = true;
    /// C3.
    const PROVISO: bool = true;
    /// C3: a step that keeps the rank does not raise it.
    const STRICT: bool = true;
    /// C3: values of index types have no rank.
    const INVARIANT: bool = true;
    /// C4.
    const C4: bool = true;
    /// C5.
    const C5: bool = true;
    /// C6.
    const C6: bool = true;
    /// The position of the process that is asked first, modulo their number; none to choose no process in
    /// a state. It is no mistake to choose otherwise than here, as long as the same state and cells of
    /// tracked variables always have the same answer.
    fn first(_state: &[u64], _tracked: &[i64]) -> Option<usize> {
        Some(0)
    }
    /// Debug builds check that the steps of a chosen process commute with those of others.
    const ASSERTS: bool = true;
}

/// All conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exact;

impl Conditions for Exact {}

/// The processes of a model that may move alone, for one formula under one demand.
pub struct ModelChoices<'s, C> {
    system: &'s CompiledModel<'s>,
    locality: Locality<'s>,
    formula: &'s Formula,
    /// The tracked variables of the formula, with their types.
    tracked: Vec<(LocalId, TypeId)>,
    of_formula: Vec<Contact<'s>>,
    of_requirements: Vec<(&'s [Local], Vec<Contact<'s>>)>,
    demand: Demanded,
    /// The processes that have local rules.
    processes: Vec<Candidate>,
    owners: Vec<OwnerSummary>,
    conditions: PhantomData<C>,
}

/// What a demand means for the conditions.
struct Demanded {
    /// Whether something is demanded of what is enabled.
    of_enabled: bool,
    over_processes: bool,
    /// By event: whether it is demanded to be fair, and whether strongly.
    events: Vec<Option<RuleFairness>>,
}

/// A process that may be chosen in some states.
struct Candidate {
    id: ProcessId,
    member: Option<Scalar>,
    /// Its own cells.
    cells: Vec<Range<usize>>,
    /// What its rank is made of.
    rank: Vec<RankPart>,
    /// Its rules, by their numbers.
    rules: Vec<usize>,
    /// What rules of others have to do with it: the rule, the position among its contacts, and the value of
    /// the variable that stands for this process.
    contacts: Vec<(usize, usize, Binding)>,
}

/// The variable that stands for a process, and its value.
type Binding = Option<(LocalId, Scalar)>;

/// Cells whose ranks are added.
struct RankPart {
    cells: Vec<usize>,
    /// By position of a value: its rank; if it is empty, the cell itself.
    order: Vec<u32>,
    low: i64,
    is_index: bool,
}

impl CompiledModel<'_> {
    /// The processes that may move alone; none if there are no such processes in any state. The formula
    /// must not be changed by steps that are not visible.
    pub fn ample_choices<'s, C: Conditions>(
        &'s self,
        formula: &'s Formula,
        demand: Demand,
    ) -> Option<ModelChoices<'s, C>> {
        let model: &'s Model = self.model();
        let all = processes_of(model)?;
        // A process that is alone has all steps of a state.
        if all.len() < 2 {
            return None;
        }
        let locality = Locality::new(model);
        let processes = candidates::<C>(self, &locality, &all);
        if processes.is_empty() {
            return None;
        }
        let tracked = formula.tracked.iter();
        let tracked =
            tracked.flat_map(|group| group.locals.iter().map(|&local| (local, group.of))).collect();
        let of_requirements = if demand.declared {
            let all = model.requirements.iter();
            all.map(|one| (&one.locals[..], locality.of_requirement(one))).collect()
        } else {
            Vec::new()
        };
        let of_formula = locality.of_formula(formula);
        Some(ModelChoices {
            system: self,
            locality,
            formula,
            tracked,
            of_formula,
            of_requirements,
            demand: Demanded::new(model, demand),
            processes,
            owners: self.rules().into_iter().map(|rule| rule.owner).collect(),
            conditions: PhantomData,
        })
    }
}

impl Demanded {
    fn new(model: &Model, demand: Demand) -> Demanded {
        let general = match demand.fairness {
            Fairness::Weak => Some(RuleFairness::Weak),
            Fairness::Strong => Some(RuleFairness::Strong),
            Fairness::None | Fairness::Global => None,
        };
        let over_processes = general.is_some() && demand.over == Over::Processes;
        let of_all = general.filter(|_| demand.over == Over::Events);
        let events = model.events.iter().map(|event| {
            let own = event.fairness.filter(|_| demand.declared);
            if own == Some(RuleFairness::Strong) { own } else { of_all.or(own) }
        });
        let events: Vec<_> = events.collect();
        let of_enabled = over_processes || events.iter().any(Option::is_some);
        Demanded { of_enabled, over_processes, events }
    }

    fn has_events(&self) -> bool {
        self.events.iter().any(Option::is_some)
    }
}

/// A model with more processes is not reduced: all of them are asked in every state.
const MOST_PROCESSES: usize = 1 << 10;

/// All processes, in their order; none if there are too many.
fn processes_of(model: &Model) -> Option<Vec<Process>> {
    let mut all = Vec::new();
    for rule in &model.rules {
        let family = rule.owner.family;
        match rule.owner.parameter {
            None => all.push(Process::new(model, family, None)),
            Some(parameter) => {
                let of = rule.locals[parameter.0 as usize].of;
                let size = model.types.size(of);
                if size > MOST_PROCESSES as u64 {
                    return None;
                }
                let values = (0..size).map(|k| Scalar::nth(&model.types, of, k));
                all.extend(values.map(|value| Process::new(model, family, Some(value))));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    (all.len() <= MOST_PROCESSES).then_some(all)
}

/// The processes that have local rules.
fn candidates<C: Conditions>(
    system: &CompiledModel<'_>,
    locality: &Locality<'_>,
    all: &[Process],
) -> Vec<Candidate> {
    let model = system.model();
    let types = &model.types;
    let places = Places::new(model, locality);
    let rules_of = |process: &Process| -> Vec<usize> {
        let is_own = |k: &usize| {
            let rule = &model.rules[*k];
            let member = match (rule.owner.parameter, process.member) {
                (None, None) => None,
                (Some(parameter), Some(value)) => {
                    if !value.is_in(types, rule.locals[parameter.0 as usize].of) {
                        return false;
                    }
                    Some(value)
                }
                _ => return false,
            };
            Process::new(model, rule.owner.family, member) == *process
        };
        (0..model.rules.len()).filter(is_own).collect()
    };
    let mut found = Vec::new();
    for &process in all {
        let rules = rules_of(&process);
        if !rules.iter().any(|&rule| is_local::<C>(locality, rule)) {
            continue;
        }
        let family = model.processes[process.family.0 as usize].of;
        let member = process
            .member
            .map(|value| encode(types, family.expect("the family of a member has members"), value));
        let id = ProcessId { family: process.family, member };
        let mut contacts = Vec::new();
        for (k, rule) in locality.rules.iter().enumerate() {
            for (at, contact) in rule.contacts.iter().enumerate() {
                let locals = &model.rules[k].locals;
                if let Some(binding) = bound(types, contact.subject, &process, locals) {
                    contacts.push((k, at, binding));
                }
            }
        }
        found.push(Candidate {
            id,
            member: process.member,
            cells: places.own(&process),
            rank: places.rank(&process),
            rules,
            contacts,
        });
    }
    found
}

fn is_local<C: Conditions>(locality: &Locality<'_>, rule: usize) -> bool {
    let rule = &locality.rules[rule];
    rule.shared.is_none() || !C::GUARDS && rule.is_guarded_only
}

/// How a name of processes is a name of this one: by a variable with this value, or without any. None if
/// it never is.
fn bound(types: &Types, subject: Subject, process: &Process, locals: &[Local]) -> Option<Binding> {
    match subject {
        Subject::Anyone => Some(None),
        Subject::Single(family) => {
            (process.member.is_none() && process.family == family).then_some(None)
        }
        Subject::Constant(value) => (process.member == Some(value)).then_some(None),
        Subject::Bound { local, shift } => {
            let value = shifted(types, process.member?, -shift)?;
            let is_possible = value.is_in(types, locals[local.0 as usize].of);
            is_possible.then_some(Some((local, value)))
        }
    }
}

/// The index so many places further around its ring.
fn shifted(types: &Types, value: Scalar, shift: i32) -> Option<Scalar> {
    match value {
        _ if shift == 0 => Some(value),
        Scalar::Index(of, k) => {
            let size = i64::from(types.index_type(of).size);
            let moved = (i64::from(k) + i64::from(shift)).rem_euclid(size);
            Some(Scalar::Index(of, u32::try_from(moved).ok()?))
        }
        _ => None,
    }
}

/// Where the roots of a model are in its states.
struct Places<'p> {
    model: &'p Model,
    locality: &'p Locality<'p>,
    /// By root: its first cell.
    first: Vec<usize>,
}

impl<'p> Places<'p> {
    fn new(model: &'p Model, locality: &'p Locality<'p>) -> Self {
        let mut variables = Vec::new();
        let mut next = 0;
        for variable in &model.variables {
            variables.push(next);
            next += width(&model.types, variable.of);
        }
        let first = locality.roots.iter().map(|root| {
            let variable = root.variable.0 as usize;
            variables[variable] + offset(&model.types, model.variables[variable].of, &root.fields).0
        });
        Places { model, locality, first: first.collect() }
    }

    /// The cells of a root that belong to a process, and their type.
    fn of(&self, at: usize, process: &Process) -> Option<(Range<usize>, TypeId)> {
        let Root { index, of, owner, family, .. } = &self.locality.roots[at];
        let element = width(&self.model.types, *of);
        let first = self.first[at];
        match owner {
            Owner::Nobody => None,
            Owner::Single(family) => {
                if process.member.is_some() || process.family != *family {
                    return None;
                }
                let count = index.map_or(1, |index| self.model.types.size(index) as usize);
                Some((first..first + count * element, *of))
            }
            Owner::Member => {
                if family.is_some_and(|family| family != process.family) {
                    return None;
                }
                let index = index.expect("it has elements");
                let position = process.member?.position(&self.model.types, index)? as usize;
                let first = first + position * element;
                Some((first..first + element, *of))
            }
        }
    }

    /// All own cells of a process.
    fn own(&self, process: &Process) -> Vec<Range<usize>> {
        (0..self.first.len()).filter_map(|root| Some(self.of(root, process)?.0)).collect()
    }

    /// The cells of a root that belong to a process, below these fields.
    fn below(&self, at: usize, process: &Process, fields: &[u32]) -> Option<Range<usize>> {
        let (cells, of) = self.of(at, process)?;
        if fields.is_empty() {
            return Some(cells);
        }
        let (start, of) = offset(&self.model.types, of, fields);
        Some(cells.start + start..cells.start + start + width(&self.model.types, of))
    }

    fn rank(&self, process: &Process) -> Vec<RankPart> {
        let types = &self.model.types;
        let mut found = Vec::new();
        for leaf in &self.locality.ranks {
            let Some((cells, _)) = self.of(leaf.root, process) else { continue };
            let root = &self.locality.roots[leaf.root];
            let mut starts = vec![cells.start];
            let (mut of, mut steps) = (root.of, &leaf.steps[..]);
            // The elements of a root that belongs to one process as a whole.
            if let (Owner::Single(_), Some(index)) = (root.owner, root.index) {
                let element = width(types, of);
                starts =
                    (0..types.size(index) as usize).map(|k| cells.start + k * element).collect();
                steps = &steps[1..];
            }
            for step in steps {
                match (step, types.get(of)) {
                    (RankStep::Field(field), Type::Record(_)) => {
                        let (more, inner) = offset(types, of, &[*field]);
                        for start in &mut starts {
                            *start += more;
                        }
                        of = inner;
                    }
                    (RankStep::All, Type::Array { index, element }) => {
                        let (count, size) = (types.size(*index) as usize, width(types, *element));
                        let all = starts
                            .iter()
                            .flat_map(|&start| (0..count).map(move |k| start + k * size));
                        starts = all.collect();
                        of = *element;
                    }
                    _ => unreachable!("steps follow the type"),
                }
            }
            let low = match types.get(of) {
                Type::Range { low, .. } => *low,
                _ => 0,
            };
            let (order, is_index) = (leaf.order.clone(), leaf.is_index);
            found.push(RankPart { cells: starts, order, low, is_index });
        }
        found
    }
}

/// The first cell of a part of a value, and its type.
fn offset(types: &Types, of: TypeId, fields: &[u32]) -> (usize, TypeId) {
    let (mut start, mut of) = (0, of);
    for &field in fields {
        let Type::Record(parts) = types.get(of) else { unreachable!("fields are of records") };
        let before = &parts[..field as usize];
        start += before.iter().map(|&(_, of)| width(types, of)).sum::<usize>();
        of = parts[field as usize].1;
    }
    (start, of)
}

impl<C: Conditions> Choices for ModelChoices<'_, C> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        let layout = self.system.layout();
        Box::new(ModelChooser {
            choices: self,
            places: Places::new(self.system.model(), &self.locality),
            worker: self.system.worker(),
            atoms: self.system.atoms(self.formula),
            cells: vec![0; layout.cells()],
            key: Vec::new(),
            known: HashMap::new(),
        })
    }
}

/// If a rule has more instances, all of them count as possible.
const MOST_INSTANCES: u64 = 1 << 8;

/// The number of remembered answers. Beyond it, all are forgotten.
const MOST_KNOWN: usize = 1 << 20;

/// Chooses processes, and remembers for which values of their cells they may be chosen.
struct ModelChooser<'c, C> {
    choices: &'c ModelChoices<'c, C>,
    places: Places<'c>,
    worker: Box<dyn Worker + 'c>,
    atoms: super::atoms::CompiledAtoms<'c>,
    /// The cells of the state.
    cells: Vec<i64>,
    key: Vec<i64>,
    /// By number of a process, tracked cells, own cells: whether it may move alone.
    known: HashMap<Box<[i64]>, bool>,
}

impl<C: Conditions> Chooser for ModelChooser<'_, C> {
    fn choose(&mut self, state: &[u64], tracked: &[i64]) -> Option<ProcessId> {
        self.choices.system.layout().unpack(state, &mut self.cells);
        let processes = &self.choices.processes;
        let first = C::first(state, tracked)?;
        for k in (first..first + processes.len()).map(|k| k % processes.len()) {
            let candidate = &processes[k];
            self.key.clear();
            self.key.push(k as i64);
            self.key.extend_from_slice(tracked);
            for range in &candidate.cells {
                self.key.extend_from_slice(&self.cells[range.clone()]);
            }
            // Values of atoms are no functions of own cells.
            let known = if C::VIEWS { self.known.get(&self.key[..]).copied() } else { None };
            let may_move = known.unwrap_or_else(|| {
                let judged = self.judge(candidate, state, tracked);
                if self.known.len() >= MOST_KNOWN {
                    self.known.clear();
                }
                // Where something fails there is no reduction, and nothing to remember.
                if let Some(judged) = judged {
                    self.known.insert(self.key.as_slice().into(), judged);
                }
                judged.unwrap_or(false)
            });
            if may_move {
                if cfg!(debug_assertions) && C::ASSERTS {
                    self.assert_independent(candidate, state, tracked);
                }
                return Some(candidate.id);
            }
        }
        None
    }
}

/// The rule and the arguments of a step, and the step with its target.
type Action = (u32, Vec<i64>);
type Expanded = (Action, Vec<u64>);

/// A state in all forms that are needed.
struct Before<'b> {
    cells: &'b [i64],
    state: State,
}

impl<C: Conditions> ModelChooser<'_, C> {
    /// Whether a process may move alone; none if something fails in this state.
    fn judge(&mut self, candidate: &Candidate, state: &[u64], tracked: &[i64]) -> Option<bool> {
        let ModelChoices { system, locality, demand, .. } = self.choices;
        let model = system.model();
        let mut steps = Steps::default();
        self.worker.expand(state, &mut steps);
        if !steps.faults.is_empty() {
            return None;
        }
        let own = self.own_steps(candidate, &steps);
        let before = Before { cells: &self.cells, state: state_of(model, &self.cells) };
        // C0
        if own.is_empty() {
            return Some(false);
        }
        // C1a
        let concerned: Vec<usize> = if C::POSSIBLE {
            self.possible(candidate, &before.state).collect()
        } else {
            own.iter().map(|&step| steps.labels[step].rule as usize).collect()
        };
        if !concerned.iter().all(|&rule| is_local::<C>(locality, rule)) {
            return Some(false);
        }
        // C1b
        let may_write = |&(rule, at, binding): &(usize, usize, Binding)| {
            locality.rules[rule].contacts[at].writes
                && self.may_happen(rule, at, binding, &before.state)
        };
        if C::WRITERS && candidate.contacts.iter().any(may_write) {
            return Some(false);
        }
        let rank = Self::rank(candidate, &self.cells);
        let words = system.layout().words();
        let mut cells = vec![0; self.cells.len()];
        let mut atoms = self.atoms.worker();
        // C4: a private fair event excludes that the process stops here.
        let mut is_forced = false;
        let mut has_fair_later = false;
        for &step in &own {
            let target = &steps.targets[step * words..][..words];
            system.layout().unpack(target, &mut cells);
            let after = Before { cells: &cells, state: state_of(model, &cells) };
            // C3
            let grown = Self::rank(candidate, &cells);
            let is_raised = if C::STRICT { grown > rank } else { grown >= rank };
            if C::PROVISO && !is_raised {
                return Some(false);
            }
            // C2
            let (rule, arguments) = (steps.labels[step].rule, steps.arguments_of(step));
            if C::EVENTS && atoms.of_step(rule, arguments, tracked) != 0 {
                return Some(false);
            }
            let is_visible = if C::VIEWS {
                self.is_seen_by_formula(candidate, &before, &after, tracked)
            } else {
                let letters = [state, target].map(|one| atoms.of_state(one, tracked).ok());
                letters[0] != letters[1]
            };
            if C::ATOMS && is_visible {
                return Some(false);
            }
            if C::DECLARED && self.is_seen_by_requirements(candidate, &before, &after) {
                return Some(false);
            }
            // C1c
            if C::READERS && self.is_seen_by_rules(candidate, &before, &after) {
                return Some(false);
            }
            if demand.has_events() {
                let event = model.rules[rule as usize].event.0 as usize;
                is_forced |= demand.events[event].is_some() && locality.private_events[event];
                for rule in self.possible(candidate, &after.state) {
                    let event = model.rules[rule].event.0 as usize;
                    let Some(fairness) = demand.events[event] else { continue };
                    has_fair_later = true;
                    // C6
                    if C::C6 && !locality.private_events[event] {
                        return Some(false);
                    }
                    // C5
                    let is_strong = fairness == RuleFairness::Strong;
                    if C::C5 && is_strong && !is_local::<C>(locality, rule) {
                        return Some(false);
                    }
                }
            }
        }
        // C6, before the step
        let is_shared = |rule: usize| {
            let event = model.rules[rule].event.0 as usize;
            demand.events[event].is_some() && !locality.private_events[event]
        };
        if C::C6 && self.possible(candidate, &before.state).any(is_shared) {
            return Some(false);
        }
        let is_left_behind = C::C4 && !demand.over_processes && has_fair_later && !is_forced;
        Some(!is_left_behind)
    }

    /// The steps of a process.
    fn own_steps(&self, candidate: &Candidate, steps: &Steps) -> Vec<usize> {
        let is_own = |&step: &usize| {
            let owner = &self.choices.owners[steps.labels[step].rule as usize];
            owner.process(steps.arguments_of(step)) == Some(candidate.id)
        };
        (0..steps.labels.len()).filter(is_own).collect()
    }

    /// The rules of a process that its own cells allow.
    fn possible<'a>(
        &'a self,
        candidate: &'a Candidate,
        state: &'a State,
    ) -> impl Iterator<Item = usize> + 'a {
        let ModelChoices { system, locality, .. } = self.choices;
        candidate.rules.iter().copied().filter(move |&rule| {
            let parameter = system.model().rules[rule].owner.parameter;
            let binding = parameter.zip(candidate.member);
            self.is_allowed(&locality.rules[rule].tests, rule, binding, state)
        })
    }

    /// Whether a rule that has to do with a process may happen, as far as the process' cells say.
    fn may_happen(&self, rule: usize, contact: usize, binding: Binding, state: &State) -> bool {
        let contact = &self.choices.locality.rules[rule].contacts[contact];
        self.is_allowed(&contact.tests, rule, binding, state)
    }

    fn is_allowed(
        &self,
        tests: &[&Expression],
        rule: usize,
        binding: Binding,
        state: &State,
    ) -> bool {
        let system = self.choices.system;
        let model = system.model();
        let (locals, types) = (&model.rules[rule].locals, &model.types);
        if tests.is_empty() {
            return true;
        }
        // All values of the other parameters, unless there are too many.
        let others = model.rules[rule].scope.iter().filter_map(|one| match one {
            Scope::Parameter { local, domain: ParameterDomain::Type(of) } => Some((*local, *of)),
            _ => None,
        });
        let others: Vec<_> =
            others.filter(|(local, _)| binding.is_none_or(|(bound, _)| bound != *local)).collect();
        let sizes: Vec<u64> = others.iter().map(|(_, of)| types.size(*of)).collect();
        let count = sizes.iter().fold(1_u64, |all, size| all.saturating_mul(*size));
        let has_steps = model.rules[rule].scope.iter().any(|one| {
            matches!(one, Scope::Parameter { domain: ParameterDomain::Steps { .. }, .. })
        });
        if count > MOST_INSTANCES || has_steps {
            return true;
        }
        let mut bindings: Vec<(LocalId, Scalar)> = Vec::new();
        (0..count).any(|mut number| {
            bindings.clear();
            bindings.extend(binding);
            for ((local, of), size) in others.iter().zip(&sizes) {
                bindings.push((*local, Scalar::nth(types, *of, number % size)));
                number /= size;
            }
            // What fails may be enabled.
            !tests
                .iter()
                .any(|test| system.interpreter.is_true(test, locals, &bindings, state) == Ok(false))
        })
    }

    /// Whether a rule of another process notices a step.
    fn is_seen_by_rules(
        &self,
        candidate: &Candidate,
        before: &Before<'_>,
        after: &Before<'_>,
    ) -> bool {
        let ModelChoices { system, locality, demand, .. } = self.choices;
        candidate.contacts.iter().any(|&(rule, at, binding)| {
            let contact = &locality.rules[rule].contacts[at];
            let locals = &system.model().rules[rule].locals;
            let bindings: Vec<(LocalId, Scalar)> = binding.into_iter().collect();
            self.is_seen(candidate, contact, locals, &bindings, before, after)
                && (self.may_happen(rule, at, binding, &before.state)
                    || demand.of_enabled && self.may_happen(rule, at, binding, &after.state))
        })
    }

    fn is_seen_by_formula(
        &self,
        candidate: &Candidate,
        before: &Before<'_>,
        after: &Before<'_>,
        cells: &[i64],
    ) -> bool {
        let ModelChoices { system, formula, tracked, of_formula, .. } = self.choices;
        let types = &system.model().types;
        let values = tracked.iter().zip(cells);
        let known: Vec<(LocalId, Scalar)> =
            values.map(|(&(local, of), &cell)| (local, decode(types, of, cell))).collect();
        of_formula.iter().any(|contact| {
            let Some(binding) = candidate.named(types, contact.subject, &formula.locals) else {
                return false;
            };
            let mut bindings = known.clone();
            if let Some((local, value)) = binding {
                match known.iter().find(|(one, _)| *one == local) {
                    // The variable is tracked, and has another value here.
                    Some((_, other)) if *other != value => return false,
                    Some(_) => {}
                    None => bindings.push((local, value)),
                }
            }
            self.is_seen(candidate, contact, &formula.locals, &bindings, before, after)
        })
    }

    fn is_seen_by_requirements(
        &self,
        candidate: &Candidate,
        before: &Before<'_>,
        after: &Before<'_>,
    ) -> bool {
        let ModelChoices { system, of_requirements, .. } = self.choices;
        let types = &system.model().types;
        of_requirements.iter().any(|(locals, contacts)| {
            contacts.iter().any(|contact| {
                let Some(binding) = candidate.named(types, contact.subject, locals) else {
                    return false;
                };
                let bindings: Vec<(LocalId, Scalar)> = binding.into_iter().collect();
                self.is_seen(candidate, contact, locals, &bindings, before, after)
            })
        })
    }

    /// Whether some view of a process changes.
    fn is_seen(
        &self,
        candidate: &Candidate,
        contact: &Contact<'_>,
        locals: &[Local],
        bindings: &[(LocalId, Scalar)],
        before: &Before<'_>,
        after: &Before<'_>,
    ) -> bool {
        let interpreter = self.choices.system.interpreter;
        contact.views.iter().any(|view| match view {
            View::Value(expression) => {
                let value = |state| interpreter.evaluate(expression, locals, bindings, state);
                value(&before.state) != value(&after.state)
            }
            View::Cells { root, fields } => {
                let process = Process { family: candidate.id.family, member: candidate.member };
                let cells = self.places.below(*root, &process, fields);
                cells.is_some_and(|cells| before.cells[cells.clone()] != after.cells[cells])
            }
        })
    }

    /// The rank of a process.
    fn rank(candidate: &Candidate, cells: &[i64]) -> Vec<i64> {
        let parts = candidate.rank.iter().filter(|part| !part.is_index || !C::INVARIANT);
        let rank = parts.map(|part| {
            let ranks = part.cells.iter().map(|&cell| match cells[cell] {
                UNDEFINED => 0,
                value => {
                    match usize::try_from(value - part.low).ok().and_then(|k| part.order.get(k)) {
                        Some(rank) => i64::from(*rank) + 1,
                        None => value.saturating_sub(part.low).saturating_add(1),
                    }
                }
            });
            ranks.fold(0_i64, i64::saturating_add)
        });
        rank.collect()
    }

    /// Checks that the steps of a chosen process commute with all others, that they neither enable nor
    /// disable others, and that no atom changes.
    fn assert_independent(&mut self, candidate: &Candidate, state: &[u64], tracked: &[i64]) {
        let ModelChoices { system, demand, .. } = self.choices;
        let words = system.layout().words();
        let mut expanded = |of: &[u64]| {
            let mut steps = Steps::default();
            self.worker.expand(of, &mut steps);
            let all = 0..steps.labels.len();
            let all = all.map(|k| {
                let action = (steps.labels[k].rule, steps.arguments_of(k).to_vec());
                (action, steps.targets[k * words..][..words].to_vec())
            });
            (all.collect::<Vec<_>>(), steps.faults.is_empty())
        };
        let is_own = |(rule, arguments): &Action| {
            let owner = &self.choices.owners[*rule as usize];
            owner.process(arguments) == Some(candidate.id)
        };
        let (here, is_sound) = expanded(state);
        if !is_sound {
            return;
        }
        let mut atoms = self.atoms.worker();
        let letter = atoms.of_state(state, tracked);
        for (own, target) in here.iter().filter(|(action, _)| is_own(action)) {
            assert_eq!(letter.ok(), atoms.of_state(target, tracked).ok(), "{own:?} is visible");
            let (there, is_sound) = expanded(target);
            if !is_sound {
                continue;
            }
            for (other, between) in here.iter().filter(|(action, _)| !is_own(action)) {
                let (beyond, is_sound) = expanded(between);
                let ends = |steps: &[Expanded], action: &Action| {
                    let same = steps.iter().filter(|(one, _)| one == action);
                    let mut ends: Vec<_> = same.map(|(_, target)| target.clone()).collect();
                    ends.sort_unstable();
                    ends
                };
                if is_sound {
                    let (one, two) = (ends(&there, other), ends(&beyond, own));
                    assert!(
                        one.iter().any(|end| two.contains(end)),
                        "{own:?} and {other:?} do not commute"
                    );
                }
            }
            if demand.of_enabled {
                let enabled = |steps: &[Expanded]| {
                    let others = steps.iter().filter(|(action, _)| !is_own(action));
                    let mut others: Vec<_> = others.map(|(action, _)| action.clone()).collect();
                    others.sort_unstable();
                    others.dedup();
                    others
                };
                assert_eq!(enabled(&here), enabled(&there), "{own:?} enables or disables others");
            }
        }
    }
}

impl Candidate {
    fn named(&self, types: &Types, subject: Subject, locals: &[Local]) -> Option<Binding> {
        let process = Process { family: self.id.family, member: self.member };
        bound(types, subject, &process, locals)
    }
}
