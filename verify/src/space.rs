//! The states of a certificate, and their steps.
//!
//! No state is written down. A certificate says for every start state, and for every step of every
//! listed state, of which listed state it is the image, and by which renaming g. The first time that a
//! state is needed, it is not yet listed: then the list grows by g⁻¹ of what the reference has made. So
//! each listed state is a state of the system or a renamed one, whatever the file says; and the list is
//! closed when all of its states have been looked at.
//!
//! Listed states need not be canonical, and two of them may belong to one orbit.

use crate::crew::Crew;
use crate::verdict::{Condition, Demands, Refusal, malformed};
use judge::{Action, IndexType, Reference, Renaming, Vocabulary};
use run::Progress;
use std::collections::HashMap;
use terms::{PropertyId, PropertyKind};

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
type Kept<R> = (Action<<R as Reference>::Vocabulary>, State<R>);

/// The states that are looked at together.
const BATCH: usize = 1 << 12;

/// What a state is the image of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arc {
    /// The number of a listed state, or of the next one.
    pub source: u32,
    /// The renaming that takes it to the state.
    pub by: By,
}

/// A renaming of a table that grows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// One that is known.
    Known(u32),
    /// The next one.
    New(Renaming),
}

/// Says what states are images of. Nothing that it says is trusted.
pub trait Arcs<S> {
    /// What a start state is the image of, when so many states are known.
    fn start(&mut self, start: &S, known: usize) -> Result<Arc, Refusal>;

    /// What the target of a step of a listed state is the image of.
    fn step(&mut self, from: &S, target: &S, known: usize) -> Result<Arc, Refusal>;

    /// Numbers for all states, if there are assumptions: 0 for one that is not removed.
    fn removed<R: Reference>(&mut self, space: &Space<'_, R>) -> Result<Vec<u32>, Refusal>;
}

/// A step of a listed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The number of its action.
    pub action: u32,
    /// The listed state that its target is an image of.
    pub target: u32,
    /// The number of the renaming g: the target is the image of the listed state by g.
    pub by: u32,
}

impl Step {
    /// The action of a stutter: none.
    pub const STUTTER: u32 = u32::MAX;
}

/// The states of a certificate, and their steps.
#[derive(Debug)]
pub struct Space<'r, R: Reference> {
    /// Executes the system.
    pub reference: &'r R,
    types: Vec<IndexType>,
    assumptions: Vec<PropertyId>,
    states: Vec<State<R>>,
    /// By state: the end of its steps.
    ends: Vec<usize>,
    /// The steps that are not cut.
    steps: Vec<Step>,
    endings: Vec<Ending>,
    /// By state: 0, or the number of a removed one.
    removed: Vec<u32>,
    starts: Vec<(u32, u32)>,
    /// The actions of steps, each once.
    pub actions: Vec<Action<R::Vocabulary>>,
    action_numbers: HashMap<Action<R::Vocabulary>, u32>,
    /// Invariant: symmetries of the index types. The first one changes nothing.
    pub renamings: Vec<Renaming>,
}

/// How a state may end a run. Cut steps are steps here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ending {
    /// There is no step.
    is_stuck: bool,
    /// There is no step to another state.
    is_still: bool,
}

/// The steps of one state, as the reference makes them.
struct Expanded<R: Reference> {
    kept: Vec<Kept<R>>,
    ending: Ending,
}

impl<'r, R: Reference + Sync> Space<'r, R> {
    /// Lists the states, and tests **Group**, **Fits** and **`NoFailure`**, **Removed** and **Kept**.
    pub fn new(
        reference: &'r R,
        arcs: &mut impl Arcs<State<R>>,
        demands: Demands,
        crew: &Crew<'_>,
    ) -> Result<Space<'r, R>, Refusal> {
        let all = reference.properties().into_iter();
        let assumptions = all.filter(|(_, kind)| *kind == PropertyKind::Assume);
        let mut space = Space {
            reference,
            types: reference.index_types(),
            assumptions: assumptions.map(|(id, _)| id).collect(),
            states: Vec::new(),
            ends: Vec::new(),
            steps: Vec::new(),
            endings: Vec::new(),
            removed: Vec::new(),
            starts: Vec::new(),
            actions: Vec::new(),
            action_numbers: HashMap::new(),
            renamings: vec![reference.identity()],
        };
        crew.alone(|| space.list_starts(arcs, demands))?;
        while space.ends.len() < space.states.len() {
            space.list_targets(arcs, demands, crew)?;
        }
        space.removed = vec![0; space.states.len()];
        if !space.assumptions.is_empty() {
            space.removed = crew.alone(|| arcs.removed(&space))?;
            space.check_removed(demands)?;
        }
        Ok(space)
    }

    fn list_starts(
        &mut self,
        arcs: &mut impl Arcs<State<R>>,
        demands: Demands,
    ) -> Result<(), Refusal> {
        for start in self.reference.starts() {
            run::poll();
            let place = || "the making of a start state".to_owned();
            demands.ask(Condition::NoFailure, start.is_ok(), place)?;
            let Ok(start) = start else { continue };
            if !self.is_assumed(&start, demands)? {
                continue;
            }
            let (source, by) = self.known(arcs.start(&start, self.states.len())?, demands)?;
            if source as usize == self.states.len() {
                self.states.push(self.undone(by, &start));
            } else {
                self.check_fits(source, by, &start, demands)?;
            }
            self.starts.push((source, by));
        }
        Ok(())
    }

    /// Looks at some more states: their steps are made at once, then what they lead to is read.
    fn list_targets(
        &mut self,
        arcs: &mut impl Arcs<State<R>>,
        demands: Demands,
        crew: &Crew<'_>,
    ) -> Result<(), Refusal> {
        let first = self.ends.len();
        let batch = self.states.len().min(first + BATCH) - first;
        let known = self.states.len() as u64;
        let progress = |done| Progress {
            states: known,
            expanded: first as u64 + done,
            steps: self.steps.len() as u64,
            ..Progress::default()
        };
        let expanded = crew.each(batch, progress, |k| self.expanded(first + k, demands))?;
        // By step: what it is the image of. A step that lists a new state is in `new`.
        let (mut all, mut new, mut old) = (Vec::new(), Vec::new(), Vec::new());
        crew.alone(|| {
            for (k, one) in expanded.iter().enumerate() {
                for (_, target) in &one.kept {
                    let known = self.states.len() + new.len();
                    let arc = arcs.step(&self.states[first + k], target, known)?;
                    let (source, by) = self.known_below(arc, known + 1, demands)?;
                    let place = if source as usize == known { &mut new } else { &mut old };
                    place.push((source, by, target));
                    all.push((source, by));
                }
            }
            Ok(())
        })?;
        let nothing = |_| Progress::default();
        let undone = crew.each(new.len(), nothing, |k| Ok(self.undone(new[k].1, new[k].2)))?;
        self.states.extend(undone);
        crew.each(old.len(), nothing, |k| {
            let (source, by, target) = old[k];
            self.check_fits(source, by, target, demands)
        })?;
        let mut all = all.into_iter();
        for Expanded { kept, ending } in expanded {
            for ((action, _), (target, by)) in kept.into_iter().zip(&mut all) {
                let action = self.number_of(action);
                self.steps.push(Step { action, target, by });
            }
            self.ends.push(self.steps.len());
            self.endings.push(ending);
        }
        Ok(())
    }

    /// The steps of a state that are not cut; nothing may fail (**`NoFailure`**).
    fn expanded(&self, number: usize, demands: Demands) -> Result<Expanded<R>, Refusal> {
        let state = &self.states[number];
        let place = || format!("state {number}");
        let steps = self.reference.steps(state);
        demands.ask(Condition::NoFailure, steps.guard_faults.is_empty(), place)?;
        let is_stuck = steps.attempts.is_empty();
        let (mut kept, mut is_still) = (Vec::new(), true);
        for attempt in steps.attempts {
            demands.ask(Condition::NoFailure, attempt.target.is_ok(), place)?;
            let Ok(target) = attempt.target else { continue };
            is_still &= target == *state;
            if self.is_assumed(&target, demands)? {
                kept.push((attempt.action, target));
            }
        }
        Ok(Expanded { kept, ending: Ending { is_stuck, is_still } })
    }

    /// Whether a state satisfies the global assumptions.
    fn is_assumed(&self, state: &State<R>, demands: Demands) -> Result<bool, Refusal> {
        for &assumption in &self.assumptions {
            let holds = self.reference.holds(state, assumption);
            demands.ask(Condition::NoFailure, holds.is_ok(), || "an assumption".to_owned())?;
            if holds == Ok(false) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn known(&mut self, arc: Arc, demands: Demands) -> Result<(u32, u32), Refusal> {
        self.known_below(arc, self.states.len() + 1, demands)
    }

    /// The numbers of a state, which must be below a bound, and of a renaming (**Group**).
    fn known_below(
        &mut self,
        arc: Arc,
        bound: usize,
        demands: Demands,
    ) -> Result<(u32, u32), Refusal> {
        if arc.source as usize >= bound {
            return Err(malformed("it refers to a state that is not listed yet"));
        }
        Ok((arc.source, self.renaming(arc.by, demands)?))
    }

    /// The number of a renaming, which must be in the group (**Group**).
    pub fn renaming(&mut self, by: By, demands: Demands) -> Result<u32, Refusal> {
        match by {
            By::Known(number) if (number as usize) < self.renamings.len() => Ok(number),
            By::Known(_) => Err(malformed("it refers to a renaming that is not listed yet")),
            By::New(renaming) => {
                if !renaming.is_of(&self.types) {
                    return Err(malformed("a renaming is not one of these index types"));
                }
                let asymmetric = renaming.asymmetric(&self.types);
                let place = || match asymmetric {
                    Some(of) => format!("a renaming of `{}`", of.name),
                    None => String::new(),
                };
                demands.ask(Condition::Group, asymmetric.is_none(), place)?;
                self.renamings.push(renaming);
                Ok(self.renamings.len() as u32 - 1)
            }
        }
    }

    /// The state that a renaming takes to this one.
    fn undone(&self, by: u32, state: &State<R>) -> State<R> {
        self.reference.renamed_state(&self.renamings[by as usize].inverse(), state)
    }

    /// A renaming takes a listed state to this one (**Fits**).
    fn check_fits(
        &self,
        source: u32,
        by: u32,
        state: &State<R>,
        demands: Demands,
    ) -> Result<(), Refusal> {
        let listed = &self.states[source as usize];
        let image = self.reference.renamed_state(&self.renamings[by as usize], listed);
        let place = || format!("state {source} by renaming {by}");
        demands.ask(Condition::Fits, image == *state, place)
    }

    fn number_of(&mut self, action: Action<R::Vocabulary>) -> u32 {
        let next = self.actions.len() as u32;
        let actions = &mut self.actions;
        *self.action_numbers.entry(action).or_insert_with_key(|action| {
            actions.push(action.clone());
            next
        })
    }

    /// The removed states are those of which every run is cut sooner or later. **Removed**: each of them
    /// has a step, and all its steps are cut or lead to removed states with smaller numbers. **Kept**:
    /// every other state has none, or one to a state that is not removed.
    fn check_removed(&self, demands: Demands) -> Result<(), Refusal> {
        if self.removed.len() != self.states.len() {
            return Err(malformed("not every state is said to be removed or not"));
        }
        for state in 0..self.states.len() as u32 {
            let number = self.removed[state as usize];
            let is_stuck = self.is_stuck(state);
            let is_before = |step: &Step| {
                let target = self.removed[step.target as usize];
                target > 0 && target < number
            };
            let place = || format!("state {state}");
            if number > 0 {
                let all = self.all_steps(state).iter().all(is_before);
                demands.ask(Condition::Removed, !is_stuck && all, place)?;
            } else {
                let any = self.all_steps(state).iter().any(|step| !self.is_removed(step.target));
                demands.ask(Condition::Kept, is_stuck || any, place)?;
            }
        }
        Ok(())
    }
}

impl<R: Reference> Space<'_, R> {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The number of steps.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// A listed state.
    pub fn state(&self, number: u32) -> &State<R> {
        &self.states[number as usize]
    }

    /// The start states: the listed state and the renaming of each, in the order of the reference.
    pub fn starts(&self) -> &[(u32, u32)] {
        &self.starts
    }

    /// Whether a state has no step, not even one that is cut.
    pub fn is_stuck(&self, state: u32) -> bool {
        self.endings[state as usize].is_stuck
    }

    /// Whether a state has no step to another one, not even one that is cut.
    pub fn is_still(&self, state: u32) -> bool {
        self.endings[state as usize].is_still
    }

    /// Whether every run from a state is cut.
    pub fn is_removed(&self, state: u32) -> bool {
        self.removed[state as usize] > 0
    }

    /// The steps of a state that are not cut. They may lead to removed states.
    pub fn all_steps(&self, state: u32) -> &[Step] {
        let first = (state as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.steps[first..self.ends[state as usize]]
    }

    /// The steps of runs: those to states that are not removed; of a state without steps, the stutter.
    pub fn steps(&self, state: u32) -> Vec<Step> {
        if self.is_stuck(state) {
            return vec![Step { action: Step::STUTTER, target: state, by: 0 }];
        }
        let all = self.all_steps(state).iter();
        all.copied().filter(|step| !self.is_removed(step.target)).collect()
    }

    /// The action of a step.
    pub fn action(&self, step: Step) -> Option<&Action<R::Vocabulary>> {
        self.actions.get(step.action as usize)
    }
}
