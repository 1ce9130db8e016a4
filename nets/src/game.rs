//! The token game, by definition: the reference that judges runs.
//!
//! A transition with a binding of its variables is enabled in a marking if its guard is true and every
//! place has the tokens that its arc stands for. To fire it takes these, and puts those of its arcs to
//! places. Nothing is packed, nothing is planned, and nothing here is used by the engine's view.
//!
//! Bindings are not tried in vain: a variable that stands in an arc from a place has a colour that a
//! token there has, unless something is subtracted in the arc.

use crate::formula::{self, Atom, Condition, Event, Formula, Sum};
use crate::net::{Arc, Base, Guard, Net, Part, Side, Term, Tokens, Transition};
use crate::pnml::MOST_TOKENS;
use crate::symmetry::Symmetry;
use judge::{Bound, Reference, Renaming, Requirement, Starts, Steps, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use terms::{Group, PropertyId, PropertyKind, RuleFairness};

/// The names of the types of nets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NetVocabulary;

/// The tokens of all places.
pub type Marking = Vec<Tokens>;

/// A transition with the colours of its variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Firing {
    /// The transition.
    pub transition: usize,
    /// By variable.
    pub binding: Vec<u32>,
}

/// Something that a net may not do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// More tokens than can be counted, in this place.
    TooMany {
        /// The place.
        place: usize,
        /// Its id.
        id: String,
    },
    /// A second token in a place of which the file says that there is none.
    Unsafe {
        /// The place.
        place: usize,
        /// Its id.
        id: String,
    },
    /// An arc subtracts more than it adds.
    Negative {
        /// The transition.
        transition: usize,
        /// The ids of transition and place.
        ids: (String, String),
    },
    /// A place has more tokens than the engine has reserved room for: to be asked again with more.
    NoRoom,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooMany { id, .. } => {
                write!(out, "the place `{id}` gets more than {MOST_TOKENS} tokens")
            }
            Fault::Unsafe { id, .. } => {
                write!(
                    out,
                    "the place `{id}` gets a second token, but the file says that the net is safe"
                )
            }
            Fault::Negative { ids: (transition, place), .. } => write!(
                out,
                "the arc between `{transition}` and `{place}` subtracts more tokens than it adds"
            ),
            Fault::NoRoom => out.write_str("there is no room for the tokens of a place"),
        }
    }
}

impl Vocabulary for NetVocabulary {
    type State = Marking;
    type Process = ();
    type Event = Firing;
    type Variable = u32;
    type Value = u32;
    type Formula = Formula;
    type Fault = Fault;
    type FaultPattern = (u8, usize);
}

/// The token game of a net.
#[derive(Clone, Debug)]
pub struct Game<'n> {
    net: &'n Net,
    /// By index type: the class and its colours that are interchangeable.
    types: Vec<(usize, Vec<u32>, Group)>,
}

impl<'n> Game<'n> {
    /// The game, with the symmetries that renamings are expected of.
    pub fn new(net: &'n Net, symmetry: &Symmetry) -> Game<'n> {
        let mut types = Vec::new();
        for (class, blocks) in symmetry.classes.iter().enumerate() {
            if blocks.group != Group::Trivial {
                let members = blocks.members().into_iter().filter(|one| one.len() > 1);
                types.extend(members.map(|members| (class, members, blocks.group)));
            }
        }
        Game { net, types }
    }

    /// The net.
    pub fn net(&self) -> &'n Net {
        self.net
    }

    /// The marking that the net starts with.
    pub fn initial(&self) -> Marking {
        self.net.places.iter().map(|place| place.initial.clone()).collect()
    }

    /// What an arc stands for.
    fn tokens(&self, transition: &Transition, arc: &Arc, binding: &[u32]) -> Result<Tokens, Fault> {
        let sort = &self.net.places[arc.place].sort;
        let mut sum: BTreeMap<u64, i64> = BTreeMap::new();
        for (number, parts) in &arc.sum {
            for tuple in self.tuples(sort, parts, binding) {
                *sum.entry(self.net.encode(sort, tuple)).or_default() += number;
            }
        }
        sum.retain(|_, number| *number != 0);
        let tokens =
            sum.into_iter().map(|(code, number)| Some((code, u64::try_from(number).ok()?)));
        tokens.collect::<Option<Tokens>>().ok_or_else(|| {
            let at = self.net.transition(&transition.id).expect("the transition is one of the net");
            let ids = (transition.id.clone(), self.net.places[arc.place].id.clone());
            Fault::Negative { transition: at, ids }
        })
    }

    /// The tuples of colours that a tuple of parts stands for.
    fn tuples(&self, sort: &[usize], parts: &[Part], binding: &[u32]) -> Vec<Vec<u32>> {
        let mut tuples = vec![Vec::new()];
        for (part, &class) in parts.iter().zip(sort) {
            let colours = match part {
                Part::All => 0..self.net.size(class),
                Part::One(term) => {
                    let colour = value(*term, binding);
                    colour..colour + 1
                }
            };
            let longer = tuples.iter().flat_map(|tuple: &Vec<u32>| {
                colours.clone().map(move |colour| tuple.iter().copied().chain([colour]).collect())
            });
            tuples = longer.collect();
        }
        tuples
    }

    fn allows(&self, guard: &Guard, binding: &[u32]) -> bool {
        match guard {
            Guard::Constant(value) => *value,
            Guard::And(parts) => parts.iter().all(|part| self.allows(part, binding)),
            Guard::Or(parts) => parts.iter().any(|part| self.allows(part, binding)),
            Guard::Not(part) => !self.allows(part, binding),
            Guard::Compare(comparison, left, right) => {
                comparison.holds(self.side(left, binding), self.side(right, binding))
            }
        }
    }

    fn side(&self, side: &Side, binding: &[u32]) -> u32 {
        let colour = value(side.term, binding);
        side.partition.map_or(colour, |of| self.net.partitions[of].element_of[colour as usize])
    }

    /// The marking after a transition has fired; none if it is not enabled.
    fn fired(&self, marking: &Marking, firing: &Firing) -> Option<Result<Marking, Fault>> {
        let transition = &self.net.transitions[firing.transition];
        if !self.allows(&transition.guard, &firing.binding) {
            return None;
        }
        let mut next = marking.clone();
        for arc in &transition.inputs {
            let taken = match self.tokens(transition, arc, &firing.binding) {
                Ok(taken) => taken,
                Err(fault) => return Some(Err(fault)),
            };
            for (code, number) in taken {
                let there = next[arc.place].get(&code).copied().unwrap_or(0);
                match there.checked_sub(number)? {
                    0 => next[arc.place].remove(&code),
                    left => next[arc.place].insert(code, left),
                };
            }
        }
        for arc in &transition.outputs {
            let put = match self.tokens(transition, arc, &firing.binding) {
                Ok(put) => put,
                Err(fault) => return Some(Err(fault)),
            };
            for (code, number) in put {
                *next[arc.place].entry(code).or_default() += number;
            }
        }
        let mut places = transition.outputs.iter().map(|arc| arc.place);
        let fault = places.find_map(|place| self.wrong(place, &next[place]));
        Some(fault.map_or(Ok(next), Err))
    }

    /// What is wrong with the tokens of a place.
    fn wrong(&self, place: usize, tokens: &Tokens) -> Option<Fault> {
        let of = &self.net.places[place];
        let total: u64 = tokens.values().sum();
        if total > MOST_TOKENS {
            return Some(Fault::TooMany { place, id: of.id.clone() });
        }
        let is_unsafe = of.safe.is_some() && total > 1;
        is_unsafe.then(|| Fault::Unsafe { place, id: of.id.clone() })
    }

    /// By variable: the colours that it may have.
    fn candidates(&self, transition: &Transition, marking: &Marking) -> Vec<Vec<u32>> {
        let all = transition.variables.iter().map(|one| (0..self.net.size(one.class)).collect());
        let mut candidates: Vec<BTreeSet<u32>> = all.collect();
        for arc in &transition.inputs {
            if arc.sum.iter().any(|(number, _)| *number < 0) {
                continue;
            }
            let sort = &self.net.places[arc.place].sort;
            let tuples: Vec<Vec<u32>> =
                marking[arc.place].keys().map(|&code| self.net.decode(sort, code)).collect();
            for (_, parts) in &arc.sum {
                for (position, part) in parts.iter().enumerate() {
                    if let Part::One(Term { base: Base::Variable(at), shift, size }) = part {
                        // x + shift = c.
                        let there =
                            tuples.iter().map(|tuple| (tuple[position] + size - shift) % size);
                        let there: BTreeSet<u32> = there.collect();
                        candidates[*at].retain(|colour| there.contains(colour));
                    }
                }
            }
        }
        candidates.into_iter().map(|one| one.into_iter().collect()).collect()
    }

    /// Calls `each` for the bindings of a transition that may be enabled, until it says stop.
    fn bindings(&self, of: usize, marking: &Marking, each: &mut dyn FnMut(Firing) -> bool) {
        let candidates = self.candidates(&self.net.transitions[of], marking);
        if candidates.iter().any(Vec::is_empty) {
            return;
        }
        let mut at = vec![0; candidates.len()];
        loop {
            run::poll();
            let binding = at.iter().zip(&candidates).map(|(&at, colours)| colours[at]).collect();
            if !each(Firing { transition: of, binding }) {
                return;
            }
            let next = (0..at.len()).rev().find(|&k| at[k] + 1 < candidates[k].len());
            let Some(next) = next else { return };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }

    /// Whether some binding of a transition is enabled.
    fn is_fireable(&self, transition: usize, marking: &Marking) -> bool {
        let mut is_fireable = false;
        self.bindings(transition, marking, &mut |firing| {
            is_fireable = self.fired(marking, &firing).is_some();
            !is_fireable
        });
        is_fireable
    }

    fn condition(&self, condition: &Condition, marking: &Marking) -> bool {
        condition.evaluate(
            &mut |sum: &Sum| {
                let tokens = |place: usize| marking[place].values().sum::<u64>() as i64;
                sum.constant
                    + sum.places.iter().map(|&(factor, place)| factor * tokens(place)).sum::<i64>()
            },
            &mut |transitions| transitions.iter().any(|&one| self.is_fireable(one, marking)),
        )
    }

    fn attempts(&self, of: usize, marking: &Marking, steps: &mut Steps<NetVocabulary>) {
        self.bindings(of, marking, &mut |firing| {
            if let Some(target) = self.fired(marking, &firing) {
                steps.attempts.push(judge::Attempt { action: ((), firing), target });
            }
            true
        });
    }

    /// What a renaming does to the colours of each class: by class, by colour, the image.
    pub fn images(&self, by: &Renaming) -> Vec<Vec<u32>> {
        let class = |class| {
            (0..self.net.size(class)).map(|colour| self.renamed(by, class, colour)).collect()
        };
        (0..self.net.classes.len()).map(class).collect()
    }

    /// The renaming that does this to the colours of each class, if it is made of such as are expected.
    pub fn renaming(&self, images: &[Vec<u32>]) -> Option<Renaming> {
        let of = |(class, members, _): &(usize, Vec<u32>, Group)| -> Option<Vec<u32>> {
            let position = |&colour: &u32| {
                let image = images[*class][colour as usize];
                members.iter().position(|&one| one == image).map(|at| at as u32)
            };
            members.iter().map(position).collect()
        };
        let renaming = Renaming::new(self.types.iter().map(of).collect::<Option<_>>()?)?;
        (self.images(&renaming) == images).then_some(renaming)
    }

    /// The image of a colour.
    fn renamed(&self, by: &Renaming, class: usize, colour: u32) -> u32 {
        for (number, (of, members, _)) in self.types.iter().enumerate() {
            if *of == class
                && let Some(at) = members.iter().position(|&one| one == colour)
            {
                let image = by.images(terms::IndexTypeId(number as u32))[at];
                return members[image as usize];
            }
        }
        colour
    }

    /// A marking, as people read it, place by place.
    pub fn show(&self, place: usize, tokens: &Tokens) -> String {
        let sort = &self.net.places[place].sort;
        if sort.is_empty() {
            return tokens.values().sum::<u64>().to_string();
        }
        let shown = tokens.iter().map(|(&code, &number)| {
            let colour = self.net.show_colour(sort, code);
            if number == 1 { colour } else { format!("{number}{colour}") }
        });
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() { "empty".to_owned() } else { shown.join(" + ") }
    }
}

/// The colour of a term.
fn value(term: Term, binding: &[u32]) -> u32 {
    let colour = match term.base {
        Base::Variable(at) => binding[at],
        Base::Colour(colour) => colour,
    };
    (colour + term.shift) % term.size
}

impl Reference for Game<'_> {
    type Vocabulary = NetVocabulary;

    fn starts(&self) -> Starts<'_, NetVocabulary> {
        let initial = self.initial();
        let fault = (0..initial.len()).find_map(|place| self.wrong(place, &initial[place]));
        Box::new(std::iter::once(fault.map_or(Ok(initial), Err)))
    }

    fn steps(&self, marking: &Marking) -> Steps<NetVocabulary> {
        let mut steps = Steps { guard_faults: Vec::new(), attempts: Vec::new() };
        (0..self.net.transitions.len()).for_each(|of| self.attempts(of, marking, &mut steps));
        steps
    }

    fn steps_of(&self, marking: &Marking, ((), firing): &((), Firing)) -> Steps<NetVocabulary> {
        let mut steps = Steps { guard_faults: Vec::new(), attempts: Vec::new() };
        if let Some(target) = self.fired(marking, firing) {
            steps.attempts.push(judge::Attempt { action: ((), firing.clone()), target });
        }
        steps
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        Vec::new()
    }

    fn holds(&self, _: &Marking, _: PropertyId) -> Result<bool, Fault> {
        unreachable!("nets declare no properties")
    }

    fn pattern(&self, fault: &Fault) -> (u8, usize) {
        match fault {
            Fault::TooMany { place, .. } => (0, *place),
            Fault::Unsafe { place, .. } => (1, *place),
            Fault::Negative { transition, .. } => (2, *transition),
            Fault::NoRoom => (3, 0),
        }
    }

    fn matches(&self, fault: &Fault, pattern: (u8, usize)) -> bool {
        self.pattern(fault) == pattern
    }

    fn syntax<'f>(&self, formula: &'f Formula) -> (&'f ltl::Formulas, ltl::Formula) {
        (&formula.formulas, formula.root)
    }

    fn atoms(&self, formula: &Formula) -> u32 {
        formula.atoms.len() as u32
    }

    fn atom(
        &self,
        formula: &Formula,
        atom: ltl::Atom,
        _: &[Bound<NetVocabulary>],
        marking: &Marking,
        action: Option<&((), Firing)>,
    ) -> Result<bool, Fault> {
        Ok(match &formula.atoms[atom.0 as usize] {
            Atom::Marking(condition) => self.condition(condition, marking),
            Atom::Event(Event { transition, binding }) => action.is_some_and(|((), firing)| {
                transition.is_none_or(|one| one == firing.transition)
                    && binding
                        .iter()
                        .zip(&firing.binding)
                        .all(|(wanted, is)| wanted.is_none_or(|wanted| wanted == *is))
            }),
        })
    }

    fn reads_events(&self, formula: &Formula, atom: ltl::Atom) -> bool {
        matches!(formula.atoms[atom.0 as usize], Atom::Event(_))
    }

    fn atom_text(&self, formula: &Formula, atom: ltl::Atom) -> String {
        formula::show_atom(self.net, &formula.atoms[atom.0 as usize])
    }

    fn tracked(&self, _: &Formula) -> Vec<judge::TrackedGroup<NetVocabulary>> {
        Vec::new()
    }

    fn has_value(&self, _: &Formula, _: Bound<NetVocabulary>) -> bool {
        false
    }

    fn values(&self, _: &Formula, _: u32) -> Vec<u32> {
        Vec::new()
    }

    fn variable_name(&self, _: &Formula, variable: u32) -> String {
        format!("variable {variable}")
    }

    fn processes(&self) -> Vec<()> {
        vec![()]
    }

    fn fairness_of(&self, _: &Firing) -> Option<RuleFairness> {
        None
    }

    fn has_fair_events(&self) -> bool {
        false
    }

    fn requirements(&self) -> Vec<Requirement<NetVocabulary>> {
        Vec::new()
    }

    fn premise(&self, _: usize, _: &[u32], _: &Marking) -> Result<bool, Fault> {
        unreachable!("nets declare no requirements")
    }

    fn goal(&self, _: usize, _: &[u32], _: &Marking) -> Result<bool, Fault> {
        unreachable!("nets declare no requirements")
    }

    fn index_types(&self) -> Vec<judge::IndexType> {
        let of = |(number, (class, members, group)): (usize, &(usize, Vec<u32>, Group))| {
            let before = self.types[..number].iter().filter(|(other, ..)| other == class).count();
            let name = &self.net.classes[*class].name;
            let name = if before == 0 { name.clone() } else { format!("{name}.{}", before + 1) };
            judge::IndexType { name, size: members.len() as u32, group: *group }
        };
        self.types.iter().enumerate().map(of).collect()
    }

    fn renamed_state(&self, by: &Renaming, marking: &Marking) -> Marking {
        let places = self.net.places.iter().zip(marking);
        places
            .map(|(place, tokens)| {
                let moved = tokens.iter().map(|(&code, &number)| {
                    let tuple = self.net.decode(&place.sort, code).into_iter().zip(&place.sort);
                    let tuple: Vec<u32> =
                        tuple.map(|(colour, &class)| self.renamed(by, class, colour)).collect();
                    (self.net.encode(&place.sort, tuple), number)
                });
                moved.collect()
            })
            .collect()
    }

    fn renamed_process(&self, _: &Renaming, (): &()) {}

    fn renamed_event(&self, by: &Renaming, firing: &Firing) -> Firing {
        let variables = &self.net.transitions[firing.transition].variables;
        let colours = firing.binding.iter().zip(variables);
        let binding = colours.map(|(&colour, one)| self.renamed(by, one.class, colour)).collect();
        Firing { transition: firing.transition, binding }
    }

    fn renamed_value(&self, _: &Renaming, value: u32) -> u32 {
        value
    }

    fn show_process(&self, (): &()) -> String {
        "the net".to_owned()
    }

    fn show_event(&self, firing: &Firing) -> String {
        let of = &self.net.transitions[firing.transition];
        let colours = of.variables.iter().zip(&firing.binding);
        let colours: Vec<&str> =
            colours.map(|(variable, &colour)| self.net.colour(variable.class, colour)).collect();
        if colours.is_empty() {
            of.id.clone()
        } else {
            format!("{}({})", of.id, colours.join(", "))
        }
    }

    fn show_tuple(&self, _: usize, _: &[u32]) -> String {
        String::new()
    }
}
