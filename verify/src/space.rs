//! The states of a certificate, and their steps.
//!
//! No state is written down. A certificate says for every start state, and for every step of every
//! listed state, of which listed state it is the image, and by which renaming g. The first time that a
//! state is needed, it is not yet listed: then the list grows by g⁻¹ of what the reference has made. So
//! each listed state is a state of the system or a renamed one, whatever the file says; and the list is
//! closed when all of its states have been looked at.
//!
//! Listed states need not be canonical, and two of them may belong to one orbit.

use crate::Claim;
use crate::numbered::Numbered;
use crate::verdict::{Condition, Demands, Refusal, malformed};
use judge::{Action, Reference, Renaming, SoundSteps, Vocabulary};
use run::Crew;
use terms::{PropertyId, PropertyKind};

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;

/// The states that are looked at together.
const BATCH: usize = 1 << 10;

/// Says what states are images of. Nothing that it says is trusted.
pub trait Arcs<R: Reference> {
    /// A listed state, or the next one, and a renaming of the space that takes it to this state.
    fn image(&mut self, state: &State<R>, space: &mut Space<'_, R>) -> Result<(u32, u32), Refusal>;

    /// Numbers for all states, if there are assumptions: 0 for one that is not removed.
    fn removed(&mut self, space: &Space<'_, R>) -> Result<Vec<u32>, Refusal>;
}

/// A step of a listed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The number of its action; [`Step::STUTTER`] if no formula asks for actions.
    pub action: u32,
    /// The listed state that its target is an image of.
    pub target: u32,
    /// The number of the renaming g: the target is the image of the listed state by g.
    pub by: u32,
}

impl Step {
    /// The number of no action.
    pub const STUTTER: u32 = u32::MAX;
}

/// The states of a certificate, and their steps.
#[derive(Debug)]
pub struct Space<'r, R: Reference> {
    /// Executes the system.
    pub reference: &'r R,
    /// What is asked for.
    pub demands: Demands,
    assumptions: Vec<PropertyId>,
    /// Whether a formula speaks of steps, so that their actions are numbered.
    has_actions: bool,
    /// The listed states.
    pub states: Vec<State<R>>,
    /// Of the states that were looked at.
    known: Vec<Known>,
    /// The steps that are not cut.
    pub steps: Vec<Step>,
    /// By state: 0, or the number of a removed one.
    removed: Vec<u32>,
    /// What the start states are images of, in the order of the reference: a listed state, and a renaming.
    pub starts: Vec<(u32, u32)>,
    actions: Numbered<Action<R::Vocabulary>>,
    /// Invariant: symmetries of the index types. The first one changes nothing.
    pub renamings: Vec<Renaming>,
}

/// What is known of a state. Cut steps are steps here.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The end of its steps among all that are not cut.
    end: usize,
    /// There is no step.
    is_stuck: bool,
    /// There is no step to another state.
    is_still: bool,
}

/// The steps of a state that are not cut, as the reference makes them, and what is known of it.
type Expanded<R> = (SoundSteps<<R as Reference>::Vocabulary>, Known);

impl<'r, R: Reference + Sync> Space<'r, R> {
    /// Lists the states that these claims are about, and tests **Group**, **Fits** and **`NoFailure`**,
    /// **Removed** and **Kept**.
    pub fn new(
        reference: &'r R,
        claims: &[Claim<'_, R::Vocabulary>],
        arcs: &mut impl Arcs<R>,
        demands: Demands,
        crew: &Crew<'_>,
    ) -> Result<Space<'r, R>, Refusal> {
        let all = reference.properties().into_iter();
        let assumptions = all.filter(|(_, kind)| *kind == PropertyKind::Assume);
        let mut space = Space {
            reference,
            demands,
            assumptions: assumptions.map(|(id, _)| id).collect(),
            has_actions: claims.iter().any(|claim| matches!(claim, Claim::Formula(..))),
            states: Vec::new(),
            known: Vec::new(),
            steps: Vec::new(),
            removed: Vec::new(),
            starts: Vec::new(),
            actions: Numbered::default(),
            renamings: vec![reference.identity()],
        };
        crew.alone(|| space.list_starts(arcs))?;
        while space.known.len() < space.states.len() {
            space.list_targets(arcs, crew)?;
        }
        space.removed = vec![0; space.states.len()];
        if !space.assumptions.is_empty() {
            space.removed = crew.alone(|| arcs.removed(&space))?;
            space.check_removed()?;
        }
        Ok(space)
    }

    fn list_starts(&mut self, arcs: &mut impl Arcs<R>) -> Result<(), Refusal> {
        for start in run::polled(self.reference.starts()) {
            let place = || "the making of a start state".to_owned();
            let Some(start) = self.demands.sound(start, place)? else { continue };
            if self.is_assumed(&start)? {
                let (source, by) = self.list(arcs, &start)?;
                self.starts.push((source, by));
                self.check_fits(source, by, &start)?;
            }
        }
        Ok(())
    }

    /// Looks at some more states: their steps are made at once, then what they lead to is listed.
    fn list_targets(&mut self, arcs: &mut impl Arcs<R>, crew: &Crew<'_>) -> Result<(), Refusal> {
        let first = self.known.len();
        let batch = first..self.states.len().min(first + BATCH);
        let expanded = crew.each(batch, |state| self.expanded(state))?;
        let mut targets = Vec::new();
        crew.alone(|| {
            for (kept, known) in expanded {
                for (action, state) in kept {
                    let (target, by) = self.list(arcs, &state)?;
                    let action = action.map_or(Step::STUTTER, |action| self.actions.add(action));
                    self.steps.push(Step { action, target, by });
                    targets.push((target, by, state));
                }
                self.known.push(Known { end: self.steps.len(), ..known });
            }
            Ok::<_, Refusal>(())
        })?;
        let fits = |k: usize| self.check_fits(targets[k].0, targets[k].1, &targets[k].2);
        crew.each(0..targets.len(), fits).map(drop)
    }

    /// What a state is an image of: a listed state, and a renaming. If it is not listed yet, it is what
    /// this renaming takes to the state.
    fn list(&mut self, arcs: &mut impl Arcs<R>, state: &State<R>) -> Result<(u32, u32), Refusal> {
        let (source, by) = arcs.image(state, self)?;
        if source as usize > self.states.len() || by as usize >= self.renamings.len() {
            return Err(malformed("it refers to a state or a renaming that is not listed yet"));
        }
        if source as usize == self.states.len() {
            let undo = self.renamings[by as usize].inverse();
            self.states.push(self.reference.renamed_state(&undo, state));
        }
        Ok((source, by))
    }

    /// The steps of a state that are not cut; nothing may fail (**`NoFailure`**).
    fn expanded(&self, number: usize) -> Result<Expanded<R>, Refusal> {
        let state = &self.states[number];
        let place = || format!("state {number}");
        let all = self.reference.sound_steps(state, self.has_actions);
        let all = self.demands.sound(all, place)?.unwrap_or_default();
        let is_still = all.iter().all(|(_, target)| target == state);
        let known = Known { end: 0, is_stuck: all.is_empty(), is_still };
        let mut kept = Vec::with_capacity(all.len());
        for step in all {
            if self.is_assumed(&step.1)? {
                kept.push(step);
            }
        }
        Ok((kept, known))
    }

    /// Whether a state satisfies the global assumptions (**`NoFailure`**).
    fn is_assumed(&self, state: &State<R>) -> Result<bool, Refusal> {
        for &assumption in &self.assumptions {
            let holds = self.reference.holds(state, assumption);
            if self.demands.sound(holds, || "an assumption".to_owned())? == Some(false) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A renaming takes a listed state to this one (**Fits**).
    fn check_fits(&self, source: u32, by: u32, state: &State<R>) -> Result<(), Refusal> {
        let listed = &self.states[source as usize];
        // The first renaming changes nothing.
        let renaming = &self.renamings[by as usize];
        let image = || self.reference.renamed_state(renaming, listed);
        let fits = if by == 0 { listed == state } else { image() == *state };
        self.demands.ask(Condition::Fits, fits, || format!("state {source} by renaming {by}"))
    }

    /// The removed states are those of which every run is cut sooner or later. **Removed**: each of them
    /// has a step, and all its steps are cut or lead to removed states with smaller numbers. **Kept**:
    /// every other state has none, or one to a state that is not removed.
    fn check_removed(&self) -> Result<(), Refusal> {
        if self.removed.len() != self.states.len() {
            return Err(malformed("not every state is said to be removed or not"));
        }
        for state in 0..self.states.len() as u32 {
            let (number, is_stuck) = (self.removed[state as usize], self.is_stuck(state));
            let steps = self.all_steps(state).iter();
            let mut targets = steps.map(|step| self.removed[step.target as usize]);
            let place = || format!("state {state}");
            if number > 0 {
                let is_before = targets.all(|target| target > 0 && target < number);
                self.demands.ask(Condition::Removed, !is_stuck && is_before, place)?;
            } else {
                let is_kept = is_stuck || targets.any(|target| target == 0);
                self.demands.ask(Condition::Kept, is_kept, place)?;
            }
        }
        Ok(())
    }
}

impl<R: Reference> Space<'_, R> {
    /// Whether targets are listed states themselves, so that nothing else is a symmetry on the way.
    pub fn is_plain(&self) -> bool {
        self.steps.iter().all(|step| step.by == 0)
    }

    /// The number of a renaming, which must be in the group (**Group**).
    pub fn add_renaming(&mut self, by: Renaming) -> Result<u32, Refusal> {
        let types = self.reference.index_types();
        if !by.is_of(&types) {
            return Err(malformed("a renaming is not one of these index types"));
        }
        let asymmetric = by.asymmetric(&types).map(|of| format!("a renaming of `{}`", of.name));
        let is_in_group = asymmetric.is_none();
        self.demands.ask(Condition::Group, is_in_group, || asymmetric.unwrap_or_default())?;
        self.renamings.push(by);
        Ok(self.renamings.len() as u32 - 1)
    }

    /// Whether a state has no step, not even one that is cut.
    pub fn is_stuck(&self, state: u32) -> bool {
        self.known[state as usize].is_stuck
    }

    /// Whether a state has no step to another one, not even one that is cut.
    pub fn is_still(&self, state: u32) -> bool {
        self.known[state as usize].is_still
    }

    /// Whether every run from a state is cut.
    pub fn is_removed(&self, state: u32) -> bool {
        self.removed[state as usize] > 0
    }

    /// The steps of a state that are not cut. They may lead to removed states.
    pub fn all_steps(&self, state: u32) -> &[Step] {
        let first = (state as usize).checked_sub(1).map_or(0, |before| self.known[before].end);
        &self.steps[first..self.known[state as usize].end]
    }

    /// The steps of runs: those to states that are not removed; of a state without steps, the stutter.
    pub fn steps(&self, state: u32) -> Vec<Step> {
        if self.is_stuck(state) {
            return vec![Step { action: Step::STUTTER, target: state, by: 0 }];
        }
        let all = self.all_steps(state).iter();
        all.copied().filter(|step| !self.is_removed(step.target)).collect()
    }

    /// The actions of steps, each once, by their numbers.
    pub fn actions(&self) -> &[Action<R::Vocabulary>] {
        self.actions.all()
    }
}
