//! Tests of what a protocol promises: that it is a function of its arguments, that its cells are
//! faithful, and that it does not tell indices apart.
//!
//! The types of a protocol leave some ways open to tell indices apart: the order of iteration, hashes,
//! debug output, global variables. So the first states of every check are examined. Of each state s:
//!
//! - the code is called twice, the second time with copies, and must answer the same;
//! - what is written to cells is read back;
//! - for some renamings g, the events of g(s) are those of s, renamed, and lead to the renamed states,
//!   with renamed owners; properties, atoms and requirements are true of g(s) and g(c) exactly if they
//!   are true of s and c; and the engine's action on cells is the one on values.
//!
//! The absence of a difference is a proof only if all states were examined with generators of the group.

use crate::cells::Renaming;
use crate::code::Position;
use crate::fault::{self, FaultKind};
use crate::plain::Plain;
use crate::protocol::Owner;
use crate::system::{Beat, Prepared, doing};
use crate::value::Value;
use engine::symmetry::{Action, Permutation};
use engine::system::System as _;
use hashbrown::HashSet;
use judge::Reference as _;
use run::random::SplitMix64;
use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use terms::{Group, PropertyKind};

/// What was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The number of states.
    pub states: usize,
    /// Whether these are all states.
    pub is_complete: bool,
}

/// A promise that a protocol breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Which promise.
    pub promise: Promise,
    /// What was seen.
    pub what: String,
    /// The state, as debug output.
    pub state: String,
    /// The renaming, for [`Promise::Symmetric`].
    pub renaming: Option<String>,
}

/// What a protocol promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// All methods are functions of their arguments.
    Deterministic,
    /// `read` returns what was written, and equal values have equal hashes.
    Faithful,
    /// Values of index types are not told apart.
    Symmetric,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { promise, what, state, renaming } = self;
        match promise {
            Promise::Deterministic => {
                writeln!(out, "the protocol is not a function of its arguments: {what}")?;
            }
            Promise::Faithful => {
                writeln!(out, "the cells of a value do not say what it is: {what}")?;
            }
            Promise::Symmetric => {
                writeln!(out, "the protocol tells indices apart: {what}")?;
            }
        }
        write!(out, "  in the state {state}")?;
        if let Some(renaming) = renaming {
            write!(out, "\n  and its image under the renaming {renaming}")?;
            write!(
                out,
                "\n  help: look for a use of the order of iteration, a stored index, a hash or debug \
                 output;\n  if the values are meant to differ, declare the type as `ordered`"
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Broken {}

/// Examines up to `most` states of a protocol, breadth first. States that have run-time errors, and
/// those outside of the boundary, are left to the check.
pub fn verify(system: &Prepared, most: usize) -> Result<Verified, Box<Broken>> {
    let span = tracing::debug_span!("protocol.verify", states = 0).entered();
    let mut looking = Looking::new(system);
    let all = &system.declared.all;
    looking.beat.calls(doing::STARTS, 0);
    let starts = fault::call(|| system.code.starts(all));
    looking.beat.rests();
    let Ok(starts) = starts else {
        return Ok(Verified { states: 0, is_complete: false });
    };
    looking.starts(&starts)?;
    let mut seen: HashSet<Value> = HashSet::new();
    let mut open: VecDeque<Value> = VecDeque::new();
    for start in starts {
        if seen.len() < most && looking.is_sound(&start) && seen.insert(start.clone()) {
            open.push_back(start);
        }
    }
    let mut states = 0;
    while let Some(state) = open.pop_front() {
        run::poll();
        states += 1;
        for target in looking.state(&state)? {
            // One state more than is examined says that there are more.
            if seen.len() <= most && looking.is_sound(&target) && seen.insert(target.clone()) {
                open.push_back(target);
            }
        }
        if states == most {
            break;
        }
    }
    span.record("states", states);
    Ok(Verified { states, is_complete: open.is_empty() && states < most })
}

struct Looking<'l> {
    system: &'l Prepared,
    plain: &'l Plain,
    action: Action,
    /// Renamings that generate the group, each with its text and the engine's permutation.
    generators: Vec<Generator>,
    random: SplitMix64,
    /// What is called now, for the watchdog.
    beat: Arc<Beat>,
}

struct Generator {
    renaming: judge::Renaming,
    text: String,
    permutation: Permutation,
}

/// A listed event, its owner, and the state after it.
type Step = (Value, Owner, Option<Value>);

/// What the user's code says of a state.
struct Seen {
    /// In the order in which they are listed.
    steps: Vec<Step>,
    properties: Vec<bool>,
}

impl<'l> Looking<'l> {
    fn new(system: &'l Prepared) -> Self {
        let plain = system.plain();
        let action = Action::new(system.layout(), &system.indices());
        let mut looking = Looking {
            system,
            plain,
            action,
            generators: Vec::new(),
            random: SplitMix64::new(1),
            beat: system.beat(),
        };
        if system.has_indices() {
            let types = looking.plain.index_types();
            for (k, of) in types.iter().enumerate() {
                for images in generators(of.group, of.size) {
                    let generator = looking.generator(k, images);
                    looking.generators.push(generator);
                }
            }
        }
        looking
    }

    /// The renaming of one index type by these images.
    fn generator(&self, of: usize, images: Vec<u32>) -> Generator {
        let types = self.plain.index_types();
        let mut all: Vec<Vec<u32>> = types.iter().map(|one| (0..one.size).collect()).collect();
        all[of] = images;
        self.renaming(all)
    }

    fn renaming(&self, images: Vec<Vec<u32>>) -> Generator {
        let types = self.plain.index_types();
        let mut points = Vec::new();
        let mut text = Vec::new();
        for (of, images) in types.iter().zip(&images) {
            let first = points.len() as u32;
            points.extend(images.iter().map(|image| first + image));
            let moved = images.iter().enumerate().filter(|(k, image)| *k as u32 != **image);
            text.extend(moved.map(|(k, image)| format!("{0}_{k} -> {0}_{image}", of.name)));
        }
        let permutation = Permutation::of_images(points).expect("renamings are permutations");
        let renaming = judge::Renaming::new(images).expect("renamings are permutations");
        Generator { renaming, text: text.join(", "), permutation }
    }

    /// A random product of generators.
    fn random(&mut self) -> Option<Generator> {
        let types = self.plain.index_types();
        let mut images: Vec<Vec<u32>> = types.iter().map(|one| (0..one.size).collect()).collect();
        let many = 2 * self.generators.len();
        if many == 0 {
            return None;
        }
        for _ in 0..many {
            let at = self.random.below(self.generators.len());
            for (of, images) in images.iter_mut().enumerate() {
                let by = self.generators[at].renaming.images(terms::IndexTypeId(of as u32));
                for image in images {
                    *image = by[*image as usize];
                }
            }
        }
        Some(self.renaming(images))
    }

    /// Whether a state is inside of the boundary, and of the ranges of its parts.
    fn is_sound(&self, state: &Value) -> bool {
        let mut cells = Vec::new();
        let written =
            fault::call(|| self.system.code.write(&self.system.declared.all, state, &mut cells));
        if written.is_err() || FaultKind::outside(self.system.code.names(), &cells).is_some() {
            return false;
        }
        let properties = &self.system.declared.properties;
        let mut boundary =
            properties.iter().enumerate().filter(|(_, one)| one.kind == PropertyKind::Assume);
        boundary.all(|(k, _)| fault::call(|| self.system.code.property(k, state)) == Ok(true))
    }

    /// What the code says of a state; none if it panics.
    fn look(&self, state: &Value) -> Option<Seen> {
        let Prepared { declared, code, .. } = self.system;
        let mut cells = Vec::new();
        code.write(&declared.all, state, &mut cells);
        if cells.len() == code.layout().cells() {
            let mut packed = vec![0; code.layout().words()];
            code.layout().pack(&cells, &mut packed);
            self.beat.at(&packed);
        }
        let looked = fault::call(|| {
            self.beat.calls(doing::EVENTS, 0);
            let events = code.events(state);
            let step = |(k, event): (usize, Value)| {
                self.beat.calls(doing::NEXT, k);
                let target = code.next(state, &event);
                let owner = code.owner(&event);
                (event, owner, target)
            };
            let steps = events.into_iter().enumerate().map(step).collect();
            let properties = (0..declared.properties.len()).map(|k| {
                self.beat.calls(doing::PROPERTY, k);
                code.property(k, state)
            });
            Seen { steps, properties: properties.collect() }
        });
        self.beat.rests();
        looked.ok()
    }

    fn starts(&self, starts: &[Value]) -> Result<(), Box<Broken>> {
        let all = &self.system.declared.all;
        let again = fault::call(|| self.system.code.starts(all));
        if let (Ok(again), Some(first)) = (again, starts.first())
            && again != starts
        {
            let what = "`starts` returns other states when it is called again".to_owned();
            return Err(Box::new(broken(Promise::Deterministic, first, what)));
        }
        let known: HashSet<&Value> = starts.iter().collect();
        for start in starts {
            for generator in &self.generators {
                let image = self.image(generator, start);
                if !known.contains(&image) {
                    let what = "one of the two is a start state".to_owned();
                    let renaming = Some(generator.text.clone());
                    return Err(Box::new(Broken {
                        renaming,
                        ..broken(Promise::Symmetric, start, what)
                    }));
                }
            }
        }
        Ok(())
    }

    fn image(&self, by: &Generator, state: &Value) -> Value {
        let by = Renaming::new(&self.system.declared.all, &by.renaming);
        self.system.code.renamed(&by, state)
    }

    /// Examines a state, and returns its successors.
    fn state(&mut self, state: &Value) -> Result<Vec<Value>, Box<Broken>> {
        let Some(here) = self.look(state) else { return Ok(Vec::new()) };
        self.deterministic(state, &here)?;
        self.faithful(state, &here)?;
        let random = self.random();
        for generator in self.generators.iter().chain(&random) {
            if let Some(what) = self.difference(state, &here, generator) {
                let renaming = Some(generator.text.clone());
                return Err(Box::new(Broken {
                    renaming,
                    ..broken(Promise::Symmetric, state, what)
                }));
            }
        }
        Ok(here.steps.into_iter().filter_map(|(_, _, target)| target).collect())
    }

    fn deterministic(&self, state: &Value, here: &Seen) -> Result<(), Box<Broken>> {
        // A copy is at another address.
        let copy = state.copied();
        let what = match self.look(&copy) {
            None => "a call panics when it is repeated".to_owned(),
            Some(again) if again.steps == here.steps && again.properties == here.properties => {
                return Ok(());
            }
            Some(again) => {
                let steps = here.steps.iter().zip(&again.steps);
                let different = steps.clone().find(|(one, other)| one.0 == other.0 && one != other);
                match different {
                    Some(((event, ..), _)) => {
                        format!(
                            "`next` or `owner` for {event:?} answers differently when called again"
                        )
                    }
                    None if here.properties != again.properties => {
                        "a property has another value when it is evaluated again".to_owned()
                    }
                    None => "`events` lists other events when it is called again".to_owned(),
                }
            }
        };
        Err(Box::new(broken(Promise::Deterministic, state, what)))
    }

    fn faithful(&self, state: &Value, here: &Seen) -> Result<(), Box<Broken>> {
        let all = &self.system.declared.all;
        let code = &*self.system.code;
        let mut cells = Vec::new();
        code.write(all, state, &mut cells);
        if cells.len() != code.names().len() {
            let what =
                format!("{} cells are written instead of {}", cells.len(), code.names().len());
            return Err(Box::new(broken(Promise::Faithful, state, what)));
        }
        let read = code.read(all, &cells);
        if read != *state {
            let what = format!("what is read back is {read:?}");
            return Err(Box::new(broken(Promise::Faithful, state, what)));
        }
        for (event, ..) in &here.steps {
            let mut cells = Vec::new();
            let kind = code.write_event(all, event, &mut cells);
            let read = code.read_event(all, kind, &cells);
            if read != *event {
                let what = format!("the event {event:?} is read back as {read:?}");
                return Err(Box::new(broken(Promise::Faithful, state, what)));
            }
        }
        Ok(())
    }

    /// A difference between a state and its image.
    fn difference(&self, state: &Value, here: &Seen, by: &Generator) -> Option<String> {
        let all = &self.system.declared.all;
        let code = &*self.system.code;
        let image = self.image(by, state);
        // The engine acts on cells as the values say.
        let (mut cells, mut moved) = (Vec::new(), Vec::new());
        code.write(all, state, &mut cells);
        code.write(all, &image, &mut moved);
        let mut expected = vec![0; cells.len()];
        self.action.apply(&by.permutation, &cells, &mut expected);
        if expected != moved {
            return Some("`Cells::renamed` does not agree with the shape of the type".to_owned());
        }
        let Some(there) = self.look(&image) else {
            return Some("a call panics in one of the two".to_owned());
        };
        let renaming = Renaming::new(all, &by.renaming);
        let expected: HashSet<_> = here
            .steps
            .iter()
            .map(|(event, owner, target)| {
                let target = target.as_ref().map(|target| self.image(by, target));
                let owner = self.plain.renamed_process(&by.renaming, owner);
                (code.renamed_event(&renaming, event), owner, target)
            })
            .collect();
        // An event that is listed but not enabled is no step.
        let is_step = |step: &&Step| step.2.is_some();
        let found: HashSet<_> = there.steps.iter().cloned().collect();
        let missing = expected.iter().filter(is_step).find(|step| !found.contains(*step));
        let added = found.iter().filter(is_step).find(|step| !expected.contains(*step));
        if let Some((event, owner, target)) = missing.or(added) {
            let other = if missing.is_some() { &found } else { &expected };
            let same = other.iter().find(|(one, _, target)| one == event && target.is_some());
            return Some(match same {
                None => format!("{event:?} is enabled in the image only, or not in it"),
                Some((_, one, _)) if one != owner => {
                    format!("the owner of {event:?} is not renamed along with it")
                }
                Some((_, _, one)) => {
                    format!("{event:?} leads to different states: {target:?} and {one:?}")
                }
            });
        }
        let properties = here.properties.iter().zip(&there.properties);
        if let Some(at) = properties.clone().position(|(one, other)| one != other) {
            let name = &self.system.declared.properties[at].name;
            return Some(format!("the property \"{name}\" has different values"));
        }
        self.conditions(state, here, &image, by)
    }

    /// A difference between the atoms and requirements of a state and those of its image.
    fn conditions(
        &self,
        state: &Value,
        here: &Seen,
        image: &Value,
        by: &Generator,
    ) -> Option<String> {
        let all = &self.system.declared.all;
        let code = &*self.system.code;
        let renamed = |arguments: &[TypeId], tuple: &[Position]| -> Vec<Position> {
            let image = |(&of, &(position, size)): (&TypeId, &Position)| {
                let of = all.id_of_type(of).expect("declarations have been checked");
                (by.renaming.images(of)[position as usize], size)
            };
            arguments.iter().zip(tuple).map(image).collect()
        };
        let renaming = Renaming::new(all, &by.renaming);
        for (k, atom) in self.system.declared.atoms.iter().enumerate() {
            self.beat.calls(doing::ATOM, k);
            for tuple in self.tuples(&atom.arguments) {
                let there = renamed(&atom.arguments, &tuple);
                let differs = if atom.is_of_steps {
                    here.steps.iter().any(|(event, ..)| {
                        let renamed = code.renamed_event(&renaming, event);
                        fault::call(|| code.atom_of_event(k, event, &tuple)).ok()
                            != fault::call(|| code.atom_of_event(k, &renamed, &there)).ok()
                    })
                } else {
                    fault::call(|| code.atom_of_state(k, state, &tuple)).ok()
                        != fault::call(|| code.atom_of_state(k, image, &there)).ok()
                };
                if differs {
                    return Some(format!("the atom `{}` has different values", atom.name));
                }
            }
        }
        for (k, requirement) in self.system.declared.requirements.iter().enumerate() {
            self.beat.calls(doing::REQUIREMENT, k);
            for tuple in self.tuples(&requirement.arguments) {
                let there = renamed(&requirement.arguments, &tuple);
                let values = |state: &Value, of: &[Position]| {
                    let premise = fault::call(|| code.premise(k, state, of)).ok();
                    (premise, fault::call(|| code.goal(k, state, of)).ok())
                };
                if values(state, &tuple) != values(image, &there) {
                    let name = &requirement.name;
                    return Some(format!("the requirement \"{name}\" has different values"));
                }
            }
        }
        self.beat.rests();
        None
    }

    /// All tuples of values of some index types; of very many, the first.
    fn tuples(&self, of: &[TypeId]) -> Vec<Vec<Position>> {
        const MANY: usize = 256;
        let mut tuples = vec![Vec::new()];
        for &of in of {
            let id =
                self.system.declared.all.id_of_type(of).expect("declarations have been checked");
            let size = self.system.declared.all.types()[id.0 as usize].size;
            let longer = tuples.iter().flat_map(|tuple: &Vec<Position>| {
                (0..size).map(move |k| {
                    let mut longer = tuple.clone();
                    longer.push((k, size));
                    longer
                })
            });
            tuples = longer.take(MANY).collect();
        }
        tuples
    }
}

/// A promise that is broken in a state.
fn broken(promise: Promise, state: &impl fmt::Debug, what: String) -> Broken {
    Broken { promise, what, state: format!("{state:?}"), renaming: None }
}

/// Generators of a group of permutations of so many values.
fn generators(group: Group, size: u32) -> Vec<Vec<u32>> {
    if size < 2 {
        return Vec::new();
    }
    let rotation: Vec<u32> = (0..size).map(|k| (k + 1) % size).collect();
    let reflection: Vec<u32> = (0..size).map(|k| (size - k) % size).collect();
    let mut swap: Vec<u32> = (0..size).collect();
    swap.swap(0, 1);
    match group {
        Group::Full if size == 2 => vec![swap],
        Group::Full => vec![swap, rotation],
        Group::Rotations => vec![rotation],
        Group::Dihedral => vec![rotation, reflection],
        Group::Trivial => Vec::new(),
    }
}
