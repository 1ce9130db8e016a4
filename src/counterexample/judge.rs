//! The judge of counterexamples.
//!
//! A run refutes a formula if it is a run of the system and does not satisfy the formula. Both are
//! decided by definition, from the checked model alone: the reference interpreter says where runs
//! start and which steps there are, every atom is evaluated at every position, and [`ltl::word`] says
//! what the formula means on the word of these letters. Nothing here may know of compiled code,
//! permutations, automata or searches, for those are the accused.
//!
//! # Runs of the system
//! A run begins in a start state that satisfies all global assumptions. Each of its steps is an
//! enabled instance of a rule whose body leads to the next state (an `assume` statement that is false
//! makes it no step), and that state satisfies all global assumptions, too: otherwise the step is
//! *cut*. A state without steps, cut ones included, is followed by itself for ever: it *stutters*,
//! nobody acts and no event happens.
//!
//! The assumptions do more: a state that has steps, but only such as are cut or lead to states that
//! are removed, is itself removed, until nothing changes. What remains is the system. So the states
//! that remain are the greatest set M of states such that each one
//!
//! ```text
//! (1)  has no steps, not even cut ones, or
//! (2)  has a step that is not cut, to a state in M.
//! ```
//!
//! The judge computes no such set: the states of an infinite run are one that is closed in this
//! way. Each state before a step has (2) by that very step, whose target is on the run, and each
//! state that stutters has (1), which is looked at. So they all are in the greatest one. A run that
//! ends proves nothing of the kind about its last state, and nothing is claimed about it: that is
//! how properties of states are meant, which a state violates even if no run goes on from there.
//!
//! # Failures
//! A state in which a guard fails has no steps at all. A body that fails is no step, and a state where
//! one does is not one without steps. Failures elsewhere are findings of their own; they are no
//! objection to a run that does not meet them.
//!
//! # Cost
//! The guards of all rules and the body of one, per step; all start states up to the one that is
//! meant; one byte per position and subformula.
//!
//! What a formula demands of fairness is not judged here.

use super::{Run, Step};
use crate::model::checked::{Atom, Formula, LocalId, Model, Operand, ProcessOperand, PropertyId};
use crate::model::interpret::{Event, Failure, Interpreter, Process, State};
use crate::model::syntax::PropertyKind;
use crate::model::types::TypeId;
use crate::model::value::{Scalar, Value};
use ltl::{Lasso, Letter};
use std::fmt;

/// What is wrong with a counterexample. Positions count steps from 0: the step at position k leads
/// from state k to state k + 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Objection {
    /// A tracked variable has no value.
    Unbound {
        /// Its name.
        name: String,
    },
    /// A tracked variable has more than one value.
    BoundTwice {
        /// Its name.
        name: String,
    },
    /// There is a value for something that is no tracked variable of the formula.
    NotTracked {
        /// What.
        local: LocalId,
    },
    /// The value of a tracked variable is not of its type.
    OfOtherType {
        /// The variable's name.
        name: String,
    },
    /// Two tracked variables that must be distinct have the same value.
    NotDistinct {
        /// The name of the first.
        first: String,
        /// The name of the second.
        second: String,
    },
    /// The run has no cycle, but the formula speaks of infinite runs.
    Finite,
    /// The first state is no start state.
    NotAStart,
    /// The first state is a start state that violates a global assumption.
    StartCut,
    /// There is no such step.
    NotAStep {
        /// Which.
        position: usize,
    },
    /// The step leads to a state that violates a global assumption.
    StepCut {
        /// Which.
        position: usize,
    },
    /// Nobody acts, but the state behind is another one.
    StutterMoves {
        /// Which step.
        position: usize,
    },
    /// Nobody acts, although the state has a step.
    NotStuck {
        /// Which step.
        position: usize,
    },
    /// Nobody acts in a state all of whose steps lead to states that violate a global assumption: it
    /// is none of the system's states.
    Removed {
        /// Which step.
        position: usize,
    },
    /// The state behind the cycle is not the first one of the cycle.
    Open,
    /// Whether this is a start state or a step cannot be known: something fails.
    Fails {
        /// Which step; none for the start state.
        position: Option<usize>,
        /// What happens.
        failure: Box<Failure>,
    },
    /// An atom of the formula has no value.
    AtomFails {
        /// In the state before which step.
        position: usize,
        /// The atom, as written.
        atom: String,
        /// What happens.
        failure: Box<Failure>,
    },
    /// The run satisfies the formula.
    Satisfied,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Unbound { name } => write!(f, "`{name}` has no value"),
            Objection::BoundTwice { name } => write!(f, "`{name}` has more than one value"),
            Objection::NotTracked { local } => {
                write!(f, "a value is given to local {}, which is not tracked", local.0)
            }
            Objection::OfOtherType { name } => {
                write!(f, "the value of `{name}` is not of its type")
            }
            Objection::NotDistinct { first, second } => {
                write!(f, "`{first}` and `{second}` must be distinct, but have the same value")
            }
            Objection::Finite => write!(f, "the run ends, but the formula is about infinite runs"),
            Objection::NotAStart => write!(f, "the run does not begin in a start state"),
            Objection::StartCut => {
                write!(f, "the run begins in a state that violates an assumption")
            }
            Objection::NotAStep { position } => {
                write!(f, "step {} is no step of the model", position + 1)
            }
            Objection::StepCut { position } => {
                write!(f, "step {} leads to a state that violates an assumption", position + 1)
            }
            Objection::StutterMoves { position } => {
                write!(f, "step {} changes the state, but nobody acts", position + 1)
            }
            Objection::NotStuck { position } => {
                write!(f, "nobody acts in step {}, but there is a step to take", position + 1)
            }
            Objection::Removed { position } => write!(
                f,
                "nobody acts in step {}, but there are steps, all to states that violate an \
                 assumption",
                position + 1
            ),
            Objection::Open => write!(f, "the cycle does not lead back to its first state"),
            Objection::Fails { position: None, failure } => {
                write!(f, "an assumption fails in the first state: {}", failure.message)
            }
            Objection::Fails { position: Some(position), failure } => {
                write!(f, "step {} cannot be checked: {}", position + 1, failure.message)
            }
            Objection::AtomFails { position, atom, failure } => {
                write!(f, "`{atom}` has no value in state {position}: {}", failure.message)
            }
            Objection::Satisfied => write!(f, "the run satisfies the formula"),
        }
    }
}

impl std::error::Error for Objection {}

/// Judges a counterexample: accepts it if this is an infinite run of the system that does not satisfy
/// the formula for these values of its tracked variables.
pub fn judge(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    run: &Run,
) -> Result<(), Objection> {
    if run.cycle.is_empty() {
        return Err(Objection::Finite);
    }
    walk(model, run)?;
    let mut stem = letters(model, formula, binding, run)?;
    let cycle = stem.split_off(run.stem.len());
    let word = Lasso::new(stem, cycle).expect("the cycle is not empty");
    if word.satisfies(&formula.formulas, formula.root) {
        return Err(Objection::Satisfied);
    }
    Ok(())
}

/// Judges whether a run, infinite or not, is one of the system.
///
/// A state is compared with what the interpreter has made before anything is evaluated in it; so a
/// state that is no state of this model at all does no harm.
pub fn walk(model: &Model, run: &Run) -> Result<(), Objection> {
    let unreduced = Unreduced::new(model);
    unreduced.start(run.states().next().expect("a run has one more state than steps"))?;
    for (position, (step, target)) in run.steps().zip(run.states().skip(1)).enumerate() {
        match &step.action {
            Some(action) => unreduced.step(position, &step.state, action, target)?,
            None => unreduced.stutter(position, &step.state, target)?,
        }
    }
    match run.cycle.first() {
        Some(first) if first.state != run.end => Err(Objection::Open),
        _ => Ok(()),
    }
}

/// Which atoms of the formula are true at each step of the run, of the stem and then of the cycle,
/// for these values of the tracked variables. The states must be states of this model, such as
/// those of a run that [`walk`] accepts.
pub fn letters(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    run: &Run,
) -> Result<Vec<Letter>, Objection> {
    check_binding(model, formula, binding)?;
    let reading = Reading { interpreter: Interpreter::new(model), formula, binding };
    run.steps().enumerate().map(|(position, step)| reading.letter(position, step)).collect()
}

/// Whether each tracked variable has one value, of its type, and nothing else has; and whether what
/// must be distinct is.
fn check_binding(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
) -> Result<(), Objection> {
    let name = |local: LocalId| formula.locals[local.0 as usize].name.clone();
    let tracked = |local| formula.tracked.iter().any(|group| group.locals.contains(&local));
    if let Some(&(local, _)) = binding.iter().find(|(local, _)| !tracked(*local)) {
        return Err(Objection::NotTracked { local });
    }
    for group in &formula.tracked {
        let mut values: Vec<(LocalId, Scalar)> = Vec::new();
        for &local in &group.locals {
            let mut of_this = binding.iter().filter(|(bound, _)| *bound == local);
            let Some(&(_, value)) = of_this.next() else {
                return Err(Objection::Unbound { name: name(local) });
            };
            if of_this.next().is_some() {
                return Err(Objection::BoundTwice { name: name(local) });
            }
            if !is_value_of(model, value, group.of) {
                return Err(Objection::OfOtherType { name: name(local) });
            }
            let equal = values.iter().find(|(_, other)| group.distinct && *other == value);
            if let Some(&(first, _)) = equal {
                let (first, second) = (name(first), name(local));
                return Err(Objection::NotDistinct { first, second });
            }
            values.push((local, value));
        }
    }
    Ok(())
}

/// Whether the type has this value. A member or an index of a type may be claimed that does not have
/// that many.
fn is_value_of(model: &Model, value: Scalar, of: TypeId) -> bool {
    value.is_in(&model.types, of)
        && match value {
            Scalar::Number(_) => true,
            Scalar::Member(id, k) => (k as usize) < model.types.members(id).len(),
            Scalar::Index(id, k) => k < model.types.index_type(id).size,
        }
}

/// The model as it is written: every state, every step.
struct Unreduced<'m> {
    interpreter: Interpreter<'m>,
    /// The global ones.
    assumptions: Vec<PropertyId>,
}

impl<'m> Unreduced<'m> {
    fn new(model: &'m Model) -> Self {
        let properties = (0..).map(PropertyId).zip(&model.properties);
        let assumptions =
            properties.filter(|(_, one)| one.kind == PropertyKind::Assume && !one.is_statement);
        let assumptions = assumptions.map(|(id, _)| id).collect();
        Unreduced { interpreter: Interpreter::new(model), assumptions }
    }

    fn start(&self, first: &State) -> Result<(), Objection> {
        // A start state whose making fails is no state.
        let mut starts = self.interpreter.starts().filter_map(Result::ok);
        if !starts.any(|start| start.state == *first) {
            return Err(Objection::NotAStart);
        }
        if self.is_assumed(first, None)? { Ok(()) } else { Err(Objection::StartCut) }
    }

    fn step(
        &self,
        position: usize,
        state: &State,
        (process, event): &(Process, Event),
        target: &State,
    ) -> Result<(), Objection> {
        let fails = |failure| fails(Some(position), failure);
        let mut failed = None;
        for instance in self.interpreter.instances(state).map_err(fails)? {
            if instance.process != *process || instance.event != *event {
                continue;
            }
            // Several rules may be one event, and lead to different states.
            match self.interpreter.fire(state, &instance) {
                Ok(outcome) if outcome.target.as_ref() == Some(target) => {
                    return if self.is_assumed(target, Some(position))? {
                        Ok(())
                    } else {
                        Err(Objection::StepCut { position })
                    };
                }
                Ok(_) => {}
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        Err(failed.map_or(Objection::NotAStep { position }, fails))
    }

    fn stutter(&self, position: usize, state: &State, target: &State) -> Result<(), Objection> {
        if state != target {
            return Err(Objection::StutterMoves { position });
        }
        let fails = |failure| fails(Some(position), failure);
        let mut is_cut = false;
        for instance in self.interpreter.instances(state).map_err(fails)? {
            let outcome = self.interpreter.fire(state, &instance).map_err(fails)?;
            let Some(target) = outcome.target else { continue };
            if self.is_assumed(&target, Some(position))? {
                return Err(Objection::NotStuck { position });
            }
            is_cut = true;
        }
        if is_cut { Err(Objection::Removed { position }) } else { Ok(()) }
    }

    /// Whether a state satisfies all global assumptions. It is the first one, or behind this step.
    fn is_assumed(&self, state: &State, position: Option<usize>) -> Result<bool, Objection> {
        for &assumption in &self.assumptions {
            let holds = self.interpreter.holds(state, assumption);
            if !holds.map_err(|failure| fails(position, failure))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn fails(position: Option<usize>, failure: Failure) -> Objection {
    Objection::Fails { position, failure: Box::new(failure) }
}

/// What the atoms of a formula mean for some values of its tracked variables.
struct Reading<'m> {
    interpreter: Interpreter<'m>,
    formula: &'m Formula,
    /// Fits the formula.
    binding: &'m [(LocalId, Scalar)],
}

impl Reading<'_> {
    fn letter(&self, position: usize, step: &Step) -> Result<Letter, Objection> {
        let mut letter = Letter::new();
        for (number, atom) in (0..).map(ltl::Atom).zip(&self.formula.atoms) {
            let is_true = match atom {
                Atom::State { condition, text, .. } => {
                    let locals = &self.formula.locals;
                    let value =
                        self.interpreter.evaluate(condition, locals, self.binding, &step.state);
                    value.map(|value| value == Value::boolean(true)).map_err(|failure| {
                        let (atom, failure) = (text.clone(), Box::new(failure));
                        Objection::AtomFails { position, atom, failure }
                    })?
                }
                Atom::Event { events, arguments, .. } => {
                    let event = step.action.as_ref().map(|(_, event)| event);
                    event.is_some_and(|event| {
                        events.contains(&event.event) && self.agree(arguments, &event.arguments)
                    })
                }
                Atom::By { process, .. } => {
                    let actor = step.action.as_ref().map(|(process, _)| process);
                    actor.is_some_and(|actor| process.is_none_or(|one| self.is_process(one, actor)))
                }
            };
            letter.set(number, is_true);
        }
        Ok(letter)
    }

    /// Whether each argument that the atom says is the one of the event.
    fn agree(&self, said: &[Option<Operand>], arguments: &[Value]) -> bool {
        said.iter().zip(arguments).all(|(said, argument)| {
            said.is_none_or(|operand| Value::Scalar(self.value(operand)) == *argument)
        })
    }

    fn is_process(&self, operand: ProcessOperand, actor: &Process) -> bool {
        match operand {
            ProcessOperand::Single(family) => actor.family == family,
            ProcessOperand::Member(operand) => actor.member == Some(self.value(operand)),
        }
    }

    fn value(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Constant(value) => value,
            Operand::Local(local) => {
                let bound = self.binding.iter().find(|(bound, _)| *bound == local);
                bound.expect("every tracked variable is bound").1
            }
        }
    }
}
