//! Judging a counterexample that is a component: places, steps and renamings.
//!
//! The [parent module](super) defines what such a component claims, and why that is a globally fair run
//! if it is true. Here it is decided whether it is true: the reference makes the steps of every place,
//! and renamings are multiplied; nothing is searched for. The front end guarantees, for the symmetries
//! that it declares, that renamings take steps to steps. This is not only trusted: a run through the
//! component is walked in the unreduced system, up to a limit.
//!
//! A globally fair run is fair to all processes and events as well, weakly and strongly: a party that is
//! enabled infinitely often is so by a step that is possible infinitely often. So only justice and
//! compassion remain to be judged.
//!
//! Whether the run violates the formula is a question about all runs through the component. Its caller
//! gets what the formula sees of them, a graph of letters. Here one of these runs is judged by
//! definition: the one that takes the steps of each place in turn, if it soon has taken all.

use super::{Component, Element, Onward, Place};
use crate::argument::Party;
use crate::fairness::{Looking, required_tuples, unfair_to_step};
use crate::objection::{Flaw, Objection};
use crate::reading::Reading;
use crate::reference::{Action, Bound, Reference, Requirement, Vocabulary};
use crate::renaming::Renaming;
use crate::run::{Run, Step};
use crate::unreduced::{Taken, Unreduced};
use crate::{Formula, letters, refutes, walk};
use ltl::Letter;
use std::collections::{HashMap, HashSet, VecDeque};
use terms::Demand;

type State<R> = <<R as Reference>::Vocabulary as Vocabulary>::State;
type Value<R> = <<R as Reference>::Vocabulary as Vocabulary>::Value;

/// What a formula sees of a stem and a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterGraph {
    /// The letters of the stem's steps.
    pub stem: Vec<Letter>,
    /// By place and step: the step's letter, and the place that it leads to. The run begins at the first
    /// place.
    pub steps: Vec<Vec<(Letter, usize)>>,
}

/// The number of steps within which the steps of all places must have been taken in turn.
const MOST_TURNS: usize = 100_000;

/// Judges a counterexample that is a component, but for the formula.
///
/// Accepts it if the stem is a run of the system which leads to the first place, and every walk through
/// the component that takes all of it infinitely often is a run of the system that is globally fair and,
/// if that is demanded, fair as the system declares. At most so many steps of such a run are walked.
/// Returns what the formula reads along these runs.
pub fn judge_component<R: Reference>(
    reference: &R,
    formula: &Formula<R>,
    binding: &[Bound<R::Vocabulary>],
    demand: Demand,
    (run, component): (&Run<R::Vocabulary>, &Component<R::Vocabulary>),
    most_steps: usize,
) -> Result<LetterGraph, Objection<R::Vocabulary>> {
    if !run.cycle.is_empty() {
        return Err(Objection::Infinite);
    }
    if component.steps() == 0 {
        return Err(Objection::Finite);
    }
    let reading = Reading::new(reference, formula, binding)?;
    walk(reference, run)?;
    if component.places[0].state != run.end {
        return Err(Objection::Component(Flaw::OtherPlace));
    }
    let unreduced = Unreduced::new(reference);
    let judging = Judging { reference, component, unreduced };
    judging.numbers()?;
    let renamings = judging.renamings(&reading)?;
    judging.connected()?;
    judging.states()?;
    let elements = judging.elements();
    judging.all_steps(&elements)?;
    if demand.declared {
        for (k, requirement) in reference.requirements().iter().enumerate() {
            judging.declared(k, requirement, &renamings)?;
        }
    }
    let mut steps = Vec::new();
    for (k, place) in component.places.iter().enumerate() {
        let letter = |(position, onward): (usize, &Onward<R::Vocabulary>)| {
            let step = Step { state: place.state.clone(), action: onward.action.clone() };
            let letter = reading.letter(position, &step).map_err(|what| at(k, what))?;
            Ok((letter, onward.target))
        };
        steps.push(place.steps.iter().enumerate().map(letter).collect::<Result<Vec<_>, _>>()?);
    }
    let graph = LetterGraph { stem: letters(reference, formula, binding, run)?, steps };
    judging.take_turns(formula, &reading, &graph, most_steps)?;
    Ok(graph)
}

/// An objection to a place.
fn at<V: Vocabulary>(place: usize, what: Objection<V>) -> Objection<V> {
    match what {
        // It says which place.
        Objection::Component(Flaw::AtPlace { .. }) => what,
        _ => Objection::Component(Flaw::AtPlace { place, what: Box::new(what) }),
    }
}

struct Judging<'j, R: Reference> {
    reference: &'j R,
    component: &'j Component<R::Vocabulary>,
    unreduced: Unreduced<'j, R>,
}

impl<'j, R: Reference> Judging<'j, R> {
    /// Every number must be that of a part.
    fn numbers(&self) -> Result<(), Objection<R::Vocabulary>> {
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

    /// All renamings, each once: they must be symmetries of the system that do not change the tracked
    /// values.
    fn renamings(
        &self,
        reading: &Reading<'_, R>,
    ) -> Result<HashSet<&'j Renaming>, Objection<R::Vocabulary>> {
        let index_types = self.reference.index_types();
        let mut known: HashSet<&Renaming> = HashSet::new();
        for (k, place) in self.component.places.iter().enumerate() {
            let of_steps = place.steps.iter().map(|step| &step.renaming);
            for renaming in of_steps.chain(&place.symmetries) {
                if !known.insert(renaming) {
                    continue;
                }
                if !renaming.is_of(&index_types) {
                    return Err(at(k, Objection::NotARenaming));
                }
                if let Some(of) = renaming.asymmetric(&index_types) {
                    return Err(at(k, Objection::NotASymmetry { of: of.name.clone() }));
                }
                reading.is_fixed_by(renaming).map_err(|what| at(k, what))?;
            }
        }
        Ok(known)
    }

    /// The graph must be strongly connected, and every place must be reached from the first without
    /// renaming. This also shows that the states are states of the system: only then may conditions be
    /// evaluated in them.
    fn connected(&self) -> Result<(), Objection<R::Vocabulary>> {
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
        place: &Place<R::Vocabulary>,
        step: &Onward<R::Vocabulary>,
        target: &State<R>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let step = Step { state: place.state.clone(), action: step.action.clone() };
        self.unreduced.follow(position, &step, target)
    }

    /// Symmetries must not change the states.
    fn states(&self) -> Result<(), Objection<R::Vocabulary>> {
        for (k, place) in self.component.places.iter().enumerate() {
            for symmetry in &place.symmetries {
                if self.reference.renamed_state(symmetry, &place.state) != place.state {
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

    /// The state that a step of a place leads to.
    fn target(&self, step: &Onward<R::Vocabulary>) -> State<R> {
        let state = &self.component.places[step.target].state;
        self.reference.renamed_state(&step.renaming, state)
    }

    /// All steps that are claimed must be steps of the system, and all steps of the system must be taken.
    fn all_steps(&self, elements: &[Renaming]) -> Result<(), Objection<R::Vocabulary>> {
        let places = &self.component.places;
        let looking = Looking::new(self.reference);
        let identity = self.reference.identity();
        for (k, place) in places.iter().enumerate() {
            let mut owed = Owed::new(self.reference, self.unreduced.steps(&place.state));
            for (position, step) in place.steps.iter().enumerate() {
                let target = self.target(step);
                let is_step =
                    step.action.as_ref().is_some_and(|action| owed.take(action, || target.clone()));
                if !is_step {
                    // It is a stutter, or `follow` says what is wrong with it.
                    self.follow(position, place, step, &target).map_err(|what| at(k, what))?;
                }
            }
            for again in &place.again {
                let other = &places[again.place];
                let by = again.element.map_or(&identity, |element| &elements[element]);
                if self.reference.renamed_state(by, &other.state) != place.state {
                    return Err(at(k, Objection::Component(Flaw::NotAgain { place: again.place })));
                }
                for step in &other.steps {
                    let Some(action) = &step.action else { continue };
                    let action = self.reference.renamed_action(by, action);
                    owed.take(&action, || self.reference.renamed_state(by, &self.target(step)));
                }
            }
            owed.close(&place.symmetries);
            for (action, target) in owed.left() {
                if looking.is_alive(target)? {
                    return Err(at(k, unfair_to_step(self.reference, action)));
                }
            }
        }
        Ok(())
    }

    /// A declared requirement: there must be no orbit for which its premise is true at some place, and
    /// its goal at none.
    fn declared(
        &self,
        k: usize,
        requirement: &Requirement<R::Vocabulary>,
        renamings: &HashSet<&Renaming>,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let tuples = required_tuples::<R>(requirement);
        let numbers: HashMap<&[Value<R>], usize> =
            tuples.iter().enumerate().map(|(k, tuple)| (&tuple[..], k)).collect();
        let mut orbits = Orbits((0..tuples.len()).collect());
        for renaming in renamings.iter().filter(|one| !one.is_identity()) {
            for (k, tuple) in tuples.iter().enumerate() {
                let image = |&one| self.reference.renamed_value(renaming, one);
                let image: Vec<Value<R>> = tuple.iter().map(image).collect();
                orbits.join(k, numbers[&image[..]]);
            }
        }
        let is_somewhere = |is_premise: bool, tuple: &[Value<R>]| {
            for place in &self.component.places {
                let holds = if is_premise {
                    self.reference.premise(k, tuple, &place.state)
                } else {
                    self.reference.goal(k, tuple, &place.state)
                };
                let fails =
                    |failure| Objection::Fails { position: None, failure: Box::new(failure) };
                if holds.map_err(fails)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let mut served = HashSet::new();
        for (n, tuple) in tuples.iter().enumerate() {
            if !served.contains(&orbits.of(n)) && is_somewhere(false, tuple)? {
                served.insert(orbits.of(n));
            }
        }
        for (n, tuple) in tuples.iter().enumerate() {
            let is_owed = !served.contains(&orbits.of(n))
                && (!requirement.has_premise || is_somewhere(true, tuple)?);
            if is_owed {
                let to = Party::Tuple(k, tuple.clone()).show(self.reference);
                return Err(Objection::Unfair { to });
            }
        }
        Ok(())
    }

    /// Walks through the component, and takes at each place its steps in turn, and before each its
    /// symmetries. Some steps are taken in the unreduced system, too. When all have been taken, and the
    /// walk is back at the first place, its word must not satisfy the formula if it is repeated.
    fn take_turns(
        &self,
        formula: &Formula<R>,
        reading: &Reading<'_, R>,
        graph: &LetterGraph,
        most_steps: usize,
    ) -> Result<(), Objection<R::Vocabulary>> {
        let places = &self.component.places;
        let mut visits = vec![0; places.len()];
        let mut left = self.component.steps();
        let mut word = graph.stem.clone();
        let mut here = 0;
        let mut frame = self.reference.identity();
        for taken in 0..MOST_TURNS {
            if left == 0 && here == 0 {
                return refutes(self.reference, formula, word, graph.stem.len());
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
                let action = step.action.as_ref();
                let action = action.map(|one| self.reference.renamed_action(&frame, one));
                let position = graph.stem.len() + taken;
                let state = self.reference.renamed_state(&frame, &place.state);
                let concrete = Step { state, action };
                frame = frame.after(&step.renaming);
                let after = self.reference.renamed_state(&frame, &places[*target].state);
                self.unreduced.follow(position, &concrete, &after)?;
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
struct Owed<'r, R: Reference> {
    reference: &'r R,
    steps: Vec<Taken<R::Vocabulary>>,
    is_taken: Vec<bool>,
    /// The numbers of the steps of an action: mostly one.
    numbers: HashMap<Action<R::Vocabulary>, Vec<usize>>,
}

impl<'r, R: Reference> Owed<'r, R> {
    fn new(reference: &'r R, steps: Vec<Taken<R::Vocabulary>>) -> Self {
        let mut numbers: HashMap<Action<R::Vocabulary>, Vec<usize>> = HashMap::new();
        for (k, (action, _)) in steps.iter().enumerate() {
            numbers.entry(action.clone()).or_default().push(k);
        }
        Owed { reference, is_taken: vec![false; steps.len()], steps, numbers }
    }

    /// Takes the step of this action to this target; whether there is one.
    fn take(&mut self, action: &Action<R::Vocabulary>, target: impl FnOnce() -> State<R>) -> bool {
        let Some(numbers) = self.numbers.get(action) else { return false };
        let target = target();
        let mut is_step = false;
        for &k in numbers {
            if self.steps[k].1 == target {
                self.is_taken[k] = true;
                is_step = true;
            }
        }
        is_step
    }

    /// Takes the images of the taken steps under symmetries of the state.
    fn close(&mut self, symmetries: &[Renaming]) {
        let mut open: Vec<usize> = (0..self.steps.len()).filter(|&k| self.is_taken[k]).collect();
        while let Some(k) = open.pop() {
            for by in symmetries {
                let (action, target) = &self.steps[k];
                let image = self.reference.renamed_action(by, action);
                let Some(numbers) = self.numbers.get(&image) else { continue };
                // The image of a step is a step: if there is only one that it could be, that is it.
                let mut target_image = None;
                for &other in numbers {
                    let is_it = numbers.len() == 1
                        || *target_image
                            .get_or_insert_with(|| self.reference.renamed_state(by, target))
                            == self.steps[other].1;
                    if is_it && !std::mem::replace(&mut self.is_taken[other], true) {
                        open.push(other);
                    }
                }
            }
        }
    }

    /// The steps that are not taken.
    fn left(&self) -> impl Iterator<Item = &Taken<R::Vocabulary>> {
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
