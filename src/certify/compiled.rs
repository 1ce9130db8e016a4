//! The engine's view of a system in the place of its reference: compiled steps, packed states.
//!
//! It answers as the reference does, in the same order, and a certificate that is made with it is one for
//! the reference. Who verifies with it trusts the compiler besides: what is accepted is true of the
//! compiled system.

use crate::frontend::{FaultOf, FormulaOf, FrontEnd, StateOf, VocabularyOf};
use engine::symmetry::{Action, Indices, Permutation, Point, Structure};
use engine::system::atoms::{Letter, MOST_ATOMS};
use engine::system::{AtomWorker, Atoms, Shape, Steps, Worker};
use judge::{
    Attempt, Bound, IndexType, PropertyInstance, Reference, Renaming, Requirement,
    RequirementVariables, Starts, TrackedGroup, Vocabulary,
};
use ltl::Atom;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Mutex;
use terms::{PropertyId, PropertyKind, RuleFairness};
use verify::Claim;

/// A packed state. Small ones need no allocation.
pub(super) type PackedState = SmallVec<[u64; 3]>;

/// The words of a front end, but packed states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Packed<V>(PhantomData<V>);

impl<V: Vocabulary> Vocabulary for Packed<V> {
    type State = PackedState;
    type Process = V::Process;
    type Event = V::Event;
    type Variable = V::Variable;
    type Value = V::Value;
    type Formula = V::Formula;
    type Fault = V::Fault;
    type FaultPattern = V::FaultPattern;
}

/// The same claim, about packed states.
pub(super) fn packed<'c, V: Vocabulary>(claim: &Claim<'c, V>) -> Claim<'c, Packed<V>> {
    match *claim {
        Claim::NoFailure => Claim::NoFailure,
        Claim::Invariant(property) => Claim::Invariant(property),
        Claim::Liveness(property) => Claim::Liveness(property),
        Claim::NoDeadlock(deadlock) => Claim::NoDeadlock(deadlock),
        Claim::Formula(formula, demand) => Claim::Formula(formula, demand),
    }
}

/// What a system needs to be asked in this way.
pub(super) struct Parts<'s, F: FrontEnd> {
    system: &'s F,
    /// How renamings act on packed states.
    pub(super) structure: Structure,
    formulas: Vec<(&'s FormulaOf<F>, Box<dyn Atoms + 's>)>,
}

impl<'s, F: FrontEnd> Parts<'s, F> {
    /// The parts for a system and the formulas of some claims.
    pub(super) fn new(
        system: &'s F,
        indices: &Indices,
        claims: &[Claim<'s, VocabularyOf<F>>],
    ) -> Parts<'s, F> {
        let formulas = claims.iter().filter_map(|claim| match claim {
            Claim::Formula(formula, _) => Some(*formula),
            _ => None,
        });
        let is_small =
            |formula: &&FormulaOf<F>| system.reference().atoms(formula) as usize <= MOST_ATOMS;
        let formulas =
            formulas.filter(is_small).map(|formula| (formula, system.atoms(formula))).collect();
        Parts { system, structure: Structure::new(system.layout(), indices), formulas }
    }
}

/// A system as the engine sees it.
pub(super) struct Compiled<'p, F: FrontEnd> {
    system: &'p F,
    action: &'p Action,
    formulas: Vec<CompiledFormula<'p, F>>,
    /// The properties that say something of all choices of values for their parameters.
    of_all_choices: Vec<PropertyId>,
    /// Scratch memory that no thread is using.
    idle: Mutex<Vec<Scratch<'p>>>,
}

/// A formula whose atoms are compiled.
struct CompiledFormula<'p, F: FrontEnd> {
    formula: &'p FormulaOf<F>,
    atoms: &'p dyn Atoms,
    /// By variable, in order: the cell of each of its values.
    cells: Vec<HashMap<ValueOf<F>, i64>>,
    idle: Mutex<Vec<Reading<'p>>>,
}

/// The atoms of a formula, and what was read last.
struct Reading<'p> {
    worker: Box<dyn AtomWorker + 'p>,
    state: Vec<u64>,
    cells: Vec<i64>,
    /// None if some atom fails, or nothing was read.
    letter: Option<Letter>,
}

/// What steps and renamings are computed in.
struct Scratch<'p> {
    worker: Box<dyn Worker + 'p>,
    steps: Steps,
    cells: Vec<i64>,
    image: Vec<i64>,
}

type ValueOf<F> = <VocabularyOf<F> as Vocabulary>::Value;
type VariableOf<F> = <VocabularyOf<F> as Vocabulary>::Variable;
type ProcessOf<F> = <VocabularyOf<F> as Vocabulary>::Process;
type EventOf<F> = <VocabularyOf<F> as Vocabulary>::Event;
type PackedOf<F> = Packed<VocabularyOf<F>>;

impl<F: FrontEnd> fmt::Debug for Compiled<'_, F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Compiled").finish_non_exhaustive()
    }
}

impl<'p, F: FrontEnd> Compiled<'p, F> {
    /// The system that has these parts.
    pub(super) fn new(parts: &'p Parts<'p, F>) -> Compiled<'p, F> {
        let Parts { system, structure, formulas } = parts;
        let formulas = formulas.iter().map(|(formula, atoms)| CompiledFormula {
            formula: *formula,
            atoms: &**atoms,
            cells: cells_of_values(*system, formula),
            idle: Mutex::default(),
        });
        let properties = system.reference().properties().into_iter();
        let is_of_some = |kind| matches!(kind, PropertyKind::Cover | PropertyKind::Liveness);
        let of_all = properties.filter(|(_, kind)| !is_of_some(*kind)).map(|(id, _)| id);
        Compiled {
            system,
            action: structure.action(),
            formulas: formulas.collect(),
            of_all_choices: of_all.collect(),
            idle: Mutex::default(),
        }
    }

    /// Does some work with scratch memory. No lock is held meanwhile: the work may be abandoned.
    fn with<T>(&self, work: impl FnOnce(&mut Scratch<'p>) -> T) -> T {
        let idle = self.idle.lock().expect(UNHARMED).pop();
        let mut scratch = idle.unwrap_or_else(|| Scratch {
            worker: self.system.worker(),
            steps: Steps::default(),
            cells: vec![0; self.action.layout().cells()],
            image: vec![0; self.action.layout().cells()],
        });
        let done = work(&mut scratch);
        self.idle.lock().expect(UNHARMED).push(scratch);
        done
    }

    fn reference(&self) -> &F::Reference {
        self.system.reference()
    }

    fn state(&self, packed: &[u64]) -> StateOf<F> {
        self.system.state(packed)
    }

    fn permutation(&self, by: &Renaming) -> Permutation {
        let indices = self.action.indices();
        let mut images: Vec<Point> = vec![0; indices.points()];
        for of in indices.types() {
            let first = indices.points_of(of).start;
            for (point, image) in indices.points_of(of).zip(by.images(of)) {
                images[point as usize] = first + *image as Point;
            }
        }
        Permutation::of_images(images).expect("a renaming is a permutation")
    }

    /// The value of an atom about states, if it is compiled and no atom fails.
    fn compiled_atom(
        &self,
        formula: &FormulaOf<F>,
        atom: Atom,
        binding: &[Bound<VocabularyOf<F>>],
        state: &[u64],
    ) -> Option<bool> {
        let of = self.formulas.iter().find(|one| std::ptr::eq(one.formula, formula))?;
        let idle = of.idle.lock().expect(UNHARMED).pop();
        let mut reading = idle.unwrap_or_else(|| Reading {
            worker: of.atoms.worker(),
            state: Vec::new(),
            cells: Vec::new(),
            letter: None,
        });
        let cells = binding.iter().zip(&of.cells).map(|((_, value), of)| of.get(value).copied());
        let is_known = reading.letter.is_some()
            && reading.state == state
            && cells.clone().eq(reading.cells.iter().map(|&cell| Some(cell)));
        if !is_known {
            reading.cells.clear();
            for cell in cells {
                reading.cells.push(cell?);
            }
            reading.letter = reading.worker.of_state(state, &reading.cells).ok();
            reading.state.clear();
            reading.state.extend(state);
        }
        let letter = reading.letter;
        of.idle.lock().expect(UNHARMED).push(reading);
        letter.map(|letter| letter >> atom.index() & 1 == 1)
    }
}

/// By tracked variable, in order: the cell of each of its values.
fn cells_of_values<F: FrontEnd>(
    system: &F,
    formula: &FormulaOf<F>,
) -> Vec<HashMap<ValueOf<F>, i64>> {
    let tracked = system.tracked(formula);
    let shapes: Vec<_> = tracked.shapes().collect();
    let range = |shape: &Shape| match shape {
        Shape::Simple { low, values, .. } => (*low, *values),
        _ => unreachable!("tracked variables have simple values"),
    };
    let first: Vec<i64> = shapes.iter().map(|shape| range(shape).0).collect();
    let all = shapes.iter().enumerate().map(|(variable, shape)| {
        let (low, values) = range(shape);
        let each = run::polled(0..values).map(|k| {
            let mut cells = first.clone();
            cells[variable] = low + k.cast_signed();
            (system.binding(formula, &cells)[variable].1, cells[variable])
        });
        each.collect()
    });
    all.collect()
}

/// Locks are held for a push or a pop only.
const UNHARMED: &str = "no panic occurs while it is held";

impl<F: FrontEnd> Reference for Compiled<'_, F> {
    type Vocabulary = PackedOf<F>;

    fn starts(&self) -> Starts<'_, PackedOf<F>> {
        let explain = |fault| self.system.explain(fault);
        let packed = |start: Box<[u64]>| PackedState::from_slice(&start);
        let starts = self.system.starts();
        Box::new(starts.map(move |start| start.map(packed).map_err(explain)))
    }

    fn steps(&self, state: &PackedState) -> judge::Steps<PackedOf<F>> {
        self.with(|Scratch { worker, steps, .. }| {
            steps.clear();
            worker.expand(state, steps);
            let guard_faults = steps.faults.iter().map(|&fault| self.system.explain(fault));
            let words = state.len();
            let attempt = |step: usize| Attempt {
                action: self.system.action(steps.labels[step].rule, steps.arguments_of(step)),
                target: Ok(steps.targets[step * words..][..words].into()),
            };
            judge::Steps {
                guard_faults: guard_faults.collect(),
                attempts: (0..steps.labels.len()).map(attempt).collect(),
            }
        })
    }

    fn sound_steps(
        &self,
        state: &PackedState,
        wants_actions: bool,
    ) -> Result<judge::SoundSteps<PackedOf<F>>, FaultOf<F>> {
        self.with(|Scratch { worker, steps, .. }| {
            steps.clear();
            worker.expand(state, steps);
            if let Some(&fault) = steps.faults.first() {
                return Err(self.system.explain(fault));
            }
            let words = state.len();
            let step = |k: usize| {
                let action = || self.system.action(steps.labels[k].rule, steps.arguments_of(k));
                let target = steps.targets[k * words..][..words].into();
                (wants_actions.then(action), target)
            };
            Ok((0..steps.labels.len()).map(step).collect())
        })
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        self.reference().properties()
    }

    fn holds(&self, state: &PackedState, property: PropertyId) -> Result<bool, FaultOf<F>> {
        let is_compiled = self.of_all_choices.contains(&property);
        if is_compiled && self.with(|scratch| !scratch.worker.is_violated(state, property)) {
            return Ok(true);
        }
        self.reference().holds(&self.state(state), property)
    }

    fn choices(&self, property: PropertyId) -> u64 {
        self.reference().choices(property)
    }

    fn instances(
        &self,
        state: &PackedState,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance<PackedOf<F>>>, FaultOf<F>> {
        let all = self.reference().instances(&self.state(state), property)?.into_iter();
        let instance = |PropertyInstance { choice, holds }| PropertyInstance { choice, holds };
        Ok(all.map(instance).collect())
    }

    fn pattern(&self, fault: &FaultOf<F>) -> <PackedOf<F> as Vocabulary>::FaultPattern {
        self.reference().pattern(fault)
    }

    fn matches(
        &self,
        fault: &FaultOf<F>,
        pattern: <PackedOf<F> as Vocabulary>::FaultPattern,
    ) -> bool {
        self.reference().matches(fault, pattern)
    }

    fn syntax<'f>(&self, formula: &'f FormulaOf<F>) -> (&'f ltl::Formulas, ltl::Formula) {
        self.reference().syntax(formula)
    }

    fn atoms(&self, formula: &FormulaOf<F>) -> u32 {
        self.reference().atoms(formula)
    }

    fn atom(
        &self,
        formula: &FormulaOf<F>,
        atom: Atom,
        binding: &[Bound<PackedOf<F>>],
        state: &PackedState,
        action: Option<&judge::Action<PackedOf<F>>>,
    ) -> Result<bool, FaultOf<F>> {
        let known = (!self.reads_events(formula, atom))
            .then(|| self.compiled_atom(formula, atom, binding, state))
            .flatten();
        match known {
            Some(known) => Ok(known),
            None => self.reference().atom(formula, atom, binding, &self.state(state), action),
        }
    }

    fn reads_events(&self, formula: &FormulaOf<F>, atom: Atom) -> bool {
        self.reference().reads_events(formula, atom)
    }

    fn atom_text(&self, formula: &FormulaOf<F>, atom: Atom) -> String {
        self.reference().atom_text(formula, atom)
    }

    fn tracked(&self, formula: &FormulaOf<F>) -> Vec<TrackedGroup<PackedOf<F>>> {
        let all = self.reference().tracked(formula).into_iter();
        let group =
            |TrackedGroup { variables, is_distinct }| TrackedGroup { variables, is_distinct };
        all.map(group).collect()
    }

    fn has_value(&self, formula: &FormulaOf<F>, bound: Bound<PackedOf<F>>) -> bool {
        self.reference().has_value(formula, bound)
    }

    fn values(&self, formula: &FormulaOf<F>, variable: VariableOf<F>) -> Vec<ValueOf<F>> {
        self.reference().values(formula, variable)
    }

    fn variable_name(&self, formula: &FormulaOf<F>, variable: VariableOf<F>) -> String {
        self.reference().variable_name(formula, variable)
    }

    fn processes(&self) -> Vec<ProcessOf<F>> {
        self.reference().processes()
    }

    fn fairness_of(&self, event: &EventOf<F>) -> Option<RuleFairness> {
        self.reference().fairness_of(event)
    }

    fn has_fair_events(&self) -> bool {
        self.reference().has_fair_events()
    }

    fn requirements(&self) -> Vec<Requirement<PackedOf<F>>> {
        let variables = |of: RequirementVariables<VocabularyOf<F>>| {
            let RequirementVariables { count, values, is_distinct } = of;
            RequirementVariables { count, values, is_distinct }
        };
        let all = self.reference().requirements().into_iter();
        let requirement = |one: Requirement<VocabularyOf<F>>| Requirement {
            variables: one.variables.into_iter().map(variables).collect(),
            has_premise: one.has_premise,
        };
        all.map(requirement).collect()
    }

    fn premise(
        &self,
        requirement: usize,
        values: &[ValueOf<F>],
        state: &PackedState,
    ) -> Result<bool, FaultOf<F>> {
        self.reference().premise(requirement, values, &self.state(state))
    }

    fn goal(
        &self,
        requirement: usize,
        values: &[ValueOf<F>],
        state: &PackedState,
    ) -> Result<bool, FaultOf<F>> {
        self.reference().goal(requirement, values, &self.state(state))
    }

    fn index_types(&self) -> Vec<IndexType> {
        self.reference().index_types()
    }

    fn renamed_state(&self, by: &Renaming, state: &PackedState) -> PackedState {
        let mut renamed = state.clone();
        if !by.is_identity() {
            let permutation = self.permutation(by);
            self.with(|Scratch { cells, image, .. }| {
                let layout = self.action.layout();
                layout.unpack(state, cells);
                self.action.apply(&permutation, cells, image);
                renamed.fill(0);
                layout.pack(image, &mut renamed);
            });
        }
        renamed
    }

    fn renamed_process(&self, by: &Renaming, process: &ProcessOf<F>) -> ProcessOf<F> {
        self.reference().renamed_process(by, process)
    }

    fn renamed_event(&self, by: &Renaming, event: &EventOf<F>) -> EventOf<F> {
        self.reference().renamed_event(by, event)
    }

    fn renamed_value(&self, by: &Renaming, value: ValueOf<F>) -> ValueOf<F> {
        self.reference().renamed_value(by, value)
    }

    fn renamed_choice(&self, by: &Renaming, property: PropertyId, choice: usize) -> Option<usize> {
        self.reference().renamed_choice(by, property, choice)
    }

    fn signature(&self, state: &PackedState) -> Vec<i64> {
        self.reference().signature(&self.state(state))
    }

    fn kind_of_event(&self, event: &EventOf<F>) -> u32 {
        self.reference().kind_of_event(event)
    }

    fn show_process(&self, process: &ProcessOf<F>) -> String {
        self.reference().show_process(process)
    }

    fn show_event(&self, event: &EventOf<F>) -> String {
        self.reference().show_event(event)
    }

    fn show_tuple(&self, requirement: usize, values: &[ValueOf<F>]) -> String {
        self.reference().show_tuple(requirement, values)
    }
}
