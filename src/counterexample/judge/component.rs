//! Counterexamples that are a component: places, steps and renamings.
//!
//! What such a component claims, and why that is a globally fair run if it is true, is told where it is
//! [defined](crate::counterexample::component). Here it is decided whether it is true: the interpreter makes the
//! steps of every place, and renamings are multiplied; nothing is searched for. That renamings take steps to
//! steps is what the model's types promise for the symmetries that they declare. It is not taken on trust alone: a
//! run through the component is walked in the unreduced system, for so many steps.
//!
//! A globally fair run is fair to all processes and events as well, weakly and strongly: whoever is enabled again
//! and again is so by a step that is possible again and again. So there is nothing to judge of these, and of fair
//! rules, but of justice and compassion there is.
//!
//! Whether the run violates the formula is a question about all runs through the component. What the formula
//! sees of them, a graph of letters, is handed to [`paths`](crate::counterexample::paths). Here one of
//! them is looked at, by definition: the one that takes the steps of each place in turn, if it soon has taken all.

use super::fair::Looking;
use super::reading::Reading;
use super::unreduced::Unreduced;
use super::{Flaw, Objection, letters, refutes, walk};
use crate::counterexample::argument::Party;
use crate::counterexample::component::{Component, Element, Onward, Place};
use crate::counterexample::renaming::Renaming;
use crate::counterexample::{Run, Step};
use ltl::Letter;
use model::checked::{Demand, Formula, LocalId, Model, Requirement};
use model::interpret::{Event, Process, State};
use model::value::Scalar;
use std::collections::{HashMap, HashSet, VecDeque};

/// What a formula sees of a stem and a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterGraph {
    /// The letters of the stem's steps.
    pub stem: Vec<Letter>,
    /// By place, by step: its letter, and the place that it leads to. The run begins at the first place.
    pub steps: Vec<Vec<(Letter, usize)>>,
}

/// So many steps are taken to meet all steps of a component in turn.
const MOST_TURNS: usize = 100_000;

/// Judges a counterexample that is a component, but for the formula: accepts it if the stem is a run of the system
/// which leads to the first place, and whoever then walks through the component, and takes all of it again
/// and again, is on a run of the system that is globally fair and, if that is demanded, fair as the model
/// declares. At most so many steps of such a run are walked. What it does to the formula is handed back, as far
/// as it is not known.
pub fn judge_component(
    model: &Model,
    formula: &Formula,
    binding: &[(LocalId, Scalar)],
    demand: Demand,
    (run, component): (&Run, &Component),
    most_steps: usize,
) -> Result<LetterGraph, Objection> {
    if !run.cycle.is_empty() {
        return Err(Objection::Infinite);
    }
    if component.steps() == 0 {
        return Err(Objection::Finite);
    }
    let reading = Reading::new(model, formula, binding)?;
    walk(model, run)?;
    if component.places[0].state != run.end {
        return Err(Objection::Component(Flaw::OtherPlace));
    }
    let unreduced = Unreduced::new(model);
    let judging = Judging { model, component, unreduced };
    judging.numbers()?;
    let renamings = judging.renamings(formula, binding)?;
    judging.connected()?;
    judging.states()?;
    let elements = judging.elements();
    judging.all_steps(&elements)?;
    if demand.declared {
        for (k, requirement) in model.requirements.iter().enumerate() {
            judging.declared(k, requirement, &renamings)?;
        }
    }
    let mut steps = Vec::new();
    for (k, place) in component.places.iter().enumerate() {
        let letter = |(position, onward): (usize, &Onward)| {
            let step = Step { state: place.state.clone(), action: onward.action.clone() };
            let letter = reading.letter(position, &step).map_err(|what| at(k, what))?;
            Ok((letter, onward.target))
        };
        steps.push(place.steps.iter().enumerate().map(letter).collect::<Result<Vec<_>, _>>()?);
    }
    let graph = LetterGraph { stem: letters(model, formula, binding, run)?, steps };
    judging.take_turns(formula, &reading, &graph, most_steps)?;
    Ok(graph)
}

/// Something is wrong with a place.
fn at(place: usize, what: Objection) -> Objection {
    match what {
        // It says where.
        Objection::Component(Flaw::AtPlace { .. }) => what,
        _ => Objection::Component(Flaw::AtPlace { place, what: Box::new(what) }),
    }
}

struct Judging<'j> {
    model: &'j Model,
    component: &'j Component,
    unreduced: Unreduced<'j>,
}

impl<'j> Judging<'j> {
    /// Whatever has a number must be there.
    fn numbers(&self) -> Result<(), Objection> {
        let Component { places, elements } = self.component;
        for (k, place) in places.iter().enumerate() {
            let targets = place.steps.iter().map(|step| step.target);
            let mut targets = targets.chain(place.again.iter().map(|again| again.place));
            let mut needed = place.again.iter().filter_map(|again| again.element);
            if targets.any(|target| target >= places.len())
                || needed.any(|element| element >= elements.len())
            {
                return Err(at(k, Objection::Component(Flaw::NoSuchPart)));
            }
        }
        for (k, element) in elements.iter().enumerate() {
            let is_there = match *element {
                Element::Step { place, step } => {
                    places.get(place).is_some_and(|place| step < place.steps.len())
                }
                Element::Symmetry { place, symmetry } => {
                    places.get(place).is_some_and(|place| symmetry < place.symmetries.len())
                }
                Element::Product(after, first) => after < k && first < k,
                Element::Inverse(of) => of < k,
            };
            if !is_there {
                return Err(Objection::Component(Flaw::NoSuchPart));
            }
        }
        Ok(())
    }

    /// All renamings, each once: they must be symmetries of the model that leave the tracked values alone.
    fn renamings(
        &self,
        formula: &Formula,
        binding: &[(LocalId, Scalar)],
    ) -> Result<HashSet<&'j Renaming>, Objection> {
        let mut known: HashSet<&Renaming> = HashSet::new();
        for (k, place) in self.component.places.iter().enumerate() {
            let of_steps = place.steps.iter().map(|step| &step.renaming);
            for renaming in of_steps.chain(&place.symmetries) {
                if !known.insert(renaming) {
                    continue;
                }
                if !renaming.is_of(self.model) {
                    return Err(at(k, Objection::NotARenaming));
                }
                if let Some(of) = renaming.asymmetric(self.model) {
                    let of = self.model.types.index_type(of).name.clone();
                    return Err(at(k, Objection::NotASymmetry { of }));
                }
                let moved = binding.iter().find(|(_, value)| renaming.scalar(*value) != *value);
                if let Some((local, _)) = moved {
                    let name = formula.locals[local.0 as usize].name.clone();
                    return Err(at(k, Objection::Moves { name }));
                }
            }
        }
        Ok(known)
    }

    /// The graph must be strongly connected, and every place must be reached from the first without renaming.
    /// On the way it is seen that the states are such as the interpreter makes: only then may they be looked at.
    fn connected(&self) -> Result<(), Objection> {
        let places = &self.component.places;
        let mut sources = vec![Vec::new(); places.len()];
        let mut is_reached = vec![false; places.len()];
        is_reached[0] = true;
        let mut open = VecDeque::from([0]);
        while let Some(k) = open.pop_front() {
            for (position, step) in places[k].steps.iter().enumerate() {
                sources[step.target].push(k);
                if !is_reached[step.target] && step.renaming.is_identity() {
                    let target = &places[step.target].state;
                    self.follow(position, &places[k], step, target).map_err(|what| at(k, what))?;
                    is_reached[step.target] = true;
                    open.push_back(step.target);
                }
            }
        }
        let mut leads_back = vec![false; places.len()];
        leads_back[0] = true;
        let mut open = vec![0];
        while let Some(k) = open.pop() {
            for &source in &sources[k] {
                if !std::mem::replace(&mut leads_back[source], true) {
                    open.push(source);
                }
            }
        }
        let both = is_reached.iter().zip(&leads_back);
        match both.into_iter().position(|(reached, leads_back)| !(reached & leads_back)) {
            Some(place) => Err(Objection::Component(Flaw::NotConnected { place })),
            None => Ok(()),
        }
    }

    fn follow(
        &self,
        position: usize,
        place: &Place,
        step: &Onward,
        target: &State,
    ) -> Result<(), Objection> {
        let step = Step { state: place.state.clone(), action: step.action.clone() };
        self.unreduced.follow(position, &step, target)
    }

    /// Symmetries must leave the states as they are.
    fn states(&self) -> Result<(), Objection> {
        for (k, place) in self.component.places.iter().enumerate() {
            for symmetry in &place.symmetries {
                if symmetry.state(self.model, &place.state) != place.state {
                    return Err(at(k, Objection::Component(Flaw::NotAlike)));
                }
            }
        }
        Ok(())
    }

    /// The elements of the group that are calculated.
    fn elements(&self) -> Vec<Renaming> {
        let places = &self.component.places;
        let mut found: Vec<Renaming> = Vec::new();
        for element in &self.component.elements {
            found.push(match *element {
                Element::Step { place, step } => places[place].steps[step].renaming.clone(),
                Element::Symmetry { place, symmetry } => places[place].symmetries[symmetry].clone(),
                Element::Product(after, first) => found[after].after(&found[first]),
                Element::Inverse(of) => found[of].inverse(),
            });
        }
        found
    }

    /// What a step of a place leads to.
    fn target(&self, step: &Onward) -> State {
        step.renaming.state(self.model, &self.component.places[step.target].state)
    }

    /// All steps that are claimed must be steps of the system, and all steps of the system must be taken.
    fn all_steps(&self, elements: &[Renaming]) -> Result<(), Objection> {
        let places = &self.component.places;
        let looking = Looking::new(self.model);
        let identity = Renaming::identity(self.model);
        for (k, place) in places.iter().enumerate() {
            let mut owed = Owed::new(self.model, self.unreduced.steps(&place.state));
            for (position, step) in place.steps.iter().enumerate() {
                let target = self.target(step);
                let is_step = step
                    .action
                    .as_ref()
                    .is_some_and(|(process, event)| owed.take(process, event, || target.clone()));
                if !is_step {
                    // Somebody else may know what is wrong, and what a stutter is.
                    self.follow(position, place, step, &target).map_err(|what| at(k, what))?;
                }
            }
            for again in &place.again {
                let other = &places[again.place];
                let by = again.element.map_or(&identity, |element| &elements[element]);
                if by.state(self.model, &other.state) != place.state {
                    return Err(at(k, Objection::Component(Flaw::NotAgain { place: again.place })));
                }
                for step in &other.steps {
                    let Some((process, event)) = &step.action else { continue };
                    let (process, event) = (by.process(process), by.event(self.model, event));
                    owed.take(&process, &event, || by.state(self.model, &self.target(step)));
                }
            }
            owed.close(&place.symmetries);
            for (process, event, target) in owed.left() {
                if looking.is_alive(target)? {
                    let (process, event) = (process.show(self.model), event.show(self.model));
                    let to = format!("{process}: {event}");
                    return Err(at(k, Objection::Unfair { to }));
                }
            }
        }
        Ok(())
    }

    /// A declared requirement: for no orbit its premise may be true somewhere, and its conclusion nowhere.
    fn declared(
        &self,
        k: usize,
        requirement: &Requirement,
        renamings: &HashSet<&Renaming>,
    ) -> Result<(), Objection> {
        let Requirement { locals, tracked, premise, conclusion, .. } = requirement;
        let tuples = Looking::new(self.model).tuples(tracked);
        let numbers: HashMap<&[Scalar], usize> =
            tuples.iter().enumerate().map(|(k, tuple)| (&tuple[..], k)).collect();
        let mut orbits = Orbits((0..tuples.len()).collect());
        for renaming in renamings.iter().filter(|one| !one.is_identity()) {
            for (k, tuple) in tuples.iter().enumerate() {
                let image: Vec<Scalar> = tuple.iter().map(|&one| renaming.scalar(one)).collect();
                orbits.join(k, numbers[&image[..]]);
            }
        }
        let slots = tracked.iter().flat_map(|group| group.locals.iter().copied());
        let slots: Vec<LocalId> = slots.collect();
        let is_somewhere = |condition, tuple: &[Scalar]| {
            let binding: Vec<_> = slots.iter().copied().zip(tuple.iter().copied()).collect();
            for place in &self.component.places {
                let holds =
                    self.unreduced.interpreter.is_true(condition, locals, &binding, &place.state);
                let fails =
                    |failure| Objection::Fails { position: None, failure: Box::new(failure) };
                if holds.map_err(fails)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let mut served = HashSet::new();
        for (k, tuple) in tuples.iter().enumerate() {
            if !served.contains(&orbits.of(k)) && is_somewhere(conclusion, tuple)? {
                served.insert(orbits.of(k));
            }
        }
        for (n, tuple) in tuples.iter().enumerate() {
            let is_owed = !served.contains(&orbits.of(n))
                && match premise {
                    None => true,
                    Some(premise) => is_somewhere(premise, tuple)?,
                };
            if is_owed {
                let to = Party::Tuple(k, tuple.clone()).show(self.model);
                return Err(Objection::Unfair { to });
            }
        }
        Ok(())
    }

    /// Walks through the component, and takes at each place its steps in turn, and before each its symmetries. Some
    /// steps are taken in the unreduced system, too. When all have been taken, and the walk is back at the
    /// first place, its word must not satisfy the formula if it is repeated.
    fn take_turns(
        &self,
        formula: &Formula,
        reading: &Reading<'_>,
        graph: &LetterGraph,
        most_steps: usize,
    ) -> Result<(), Objection> {
        let places = &self.component.places;
        let mut visits = vec![0; places.len()];
        let mut left = self.component.steps();
        let mut word = graph.stem.clone();
        let mut here = 0;
        let mut frame = Renaming::identity(self.model);
        for taken in 0..MOST_TURNS {
            if left == 0 && here == 0 {
                return refutes(formula, word, graph.stem.len());
            }
            let (place, turn) = (&places[here], visits[here]);
            visits[here] += 1;
            left -= usize::from(turn < place.steps.len());
            let number = turn % place.steps.len();
            let step = &place.steps[number];
            let (letter, target) = &graph.steps[here][number];
            if taken < most_steps {
                if !place.symmetries.is_empty() {
                    frame = frame.after(&place.symmetries[turn % place.symmetries.len()]);
                }
                let action = step.action.as_ref().map(|(process, event)| {
                    (frame.process(process), frame.event(self.model, event))
                });
                let position = graph.stem.len() + taken;
                let concrete = Step { state: frame.state(self.model, &place.state), action };
                frame = frame.after(&step.renaming);
                let behind = frame.state(self.model, &places[*target].state);
                self.unreduced.follow(position, &concrete, &behind)?;
                if reading.letter(position, &concrete)? != *letter {
                    return Err(Objection::OtherLetter { position });
                }
            }
            word.push(letter.clone());
            here = *target;
        }
        Ok(())
    }
}

/// The steps of a state, and which of them are taken.
struct Owed<'m> {
    model: &'m Model,
    steps: Vec<(Process, Event, State)>,
    is_taken: Vec<bool>,
    /// Those of one event: mostly one.
    numbers: HashMap<(Process, Event), Vec<usize>>,
}

impl<'m> Owed<'m> {
    fn new(model: &'m Model, steps: Vec<(Process, Event, State)>) -> Owed<'m> {
        let mut numbers: HashMap<(Process, Event), Vec<usize>> = HashMap::new();
        for (k, (process, event, _)) in steps.iter().enumerate() {
            numbers.entry((*process, event.clone())).or_default().push(k);
        }
        Owed { model, is_taken: vec![false; steps.len()], steps, numbers }
    }

    /// Somebody does something, which leads there; whether that is a step.
    fn take(&mut self, process: &Process, event: &Event, target: impl FnOnce() -> State) -> bool {
        let Some(numbers) = self.numbers.get(&(*process, event.clone())) else { return false };
        let target = target();
        let mut is_step = false;
        for &k in numbers {
            if self.steps[k].2 == target {
                self.is_taken[k] = true;
                is_step = true;
            }
        }
        is_step
    }

    /// Takes what symmetries of the state make of the steps that are taken.
    fn close(&mut self, symmetries: &[Renaming]) {
        let mut open: Vec<usize> = (0..self.steps.len()).filter(|&k| self.is_taken[k]).collect();
        while let Some(k) = open.pop() {
            for by in symmetries {
                let (process, event, target) = &self.steps[k];
                let image = (by.process(process), by.event(self.model, event));
                let Some(numbers) = self.numbers.get(&image) else { continue };
                // The image of a step is a step: if there is only one that it could be, that is it.
                let mut target_image = None;
                for &other in numbers {
                    let is_it = numbers.len() == 1
                        || *target_image.get_or_insert_with(|| by.state(self.model, target))
                            == self.steps[other].2;
                    if is_it && !std::mem::replace(&mut self.is_taken[other], true) {
                        open.push(other);
                    }
                }
            }
        }
    }

    /// The steps that are not taken.
    fn left(&self) -> impl Iterator<Item = &(Process, Event, State)> {
        let both = self.steps.iter().zip(&self.is_taken);
        both.filter(|(_, is_taken)| !**is_taken).map(|(step, _)| step)
    }
}

/// By number: a smaller one, or the same, of its orbit.
struct Orbits(Vec<usize>);

impl Orbits {
    fn of(&self, mut number: usize) -> usize {
        while self.0[number] != number {
            number = self.0[number];
        }
        number
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}
