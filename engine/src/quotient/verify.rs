//! Tests whether the declared symmetries of a system are symmetries.
//!
//! Models of our language are symmetric by their types. For a system written in Rust there is no
//! such guarantee: its author declares which index types there are and what may be permuted
//! ([`System::indices`]). This module examines some of its states: for every generator g of the
//! group, g must take start states to start states, and s and g(s) must have the same steps,
//! assumptions and violated properties, renamed by g. The absence of a difference is a proof only
//! if all states were examined.

use super::StepOrbits;
use crate::symmetry::{Action, Permutation};
use crate::system::FaultId;
use crate::system::{Steps, System, Worker};
use hashbrown::HashSet;
use std::collections::BTreeSet;
use std::fmt;
use terms::PropertyId;
use terms::PropertyKind;

/// A reason why a group is not a group of symmetries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asymmetry {
    /// The packed state that differs from its image.
    pub state: Box<[u64]>,
    /// The permutation.
    pub permutation: Permutation,
    /// The difference between the state and its image.
    pub difference: Difference,
}

/// A difference between a state and its image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Only one of the two is a start state.
    Start,
    /// This rule has a step in one of the two that it does not have in the other.
    Steps(u32),
    /// Different numbers of rule instances fail in the two.
    Failures,
    /// The assumptions are true of only one of the two.
    Assumption,
    /// This property is violated in only one of the two.
    Property(PropertyId),
}

impl fmt::Display for Asymmetry {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Asymmetry { state, permutation, difference } = self;
        write!(to, "{permutation} is no symmetry: in the packed state {state:x?} and its image, ")?;
        match difference {
            Difference::Start => write!(to, "one is a start state"),
            Difference::Steps(rule) => write!(to, "rule {rule} has different steps"),
            Difference::Failures => write!(to, "different numbers of rule instances fail"),
            Difference::Assumption => write!(to, "one violates an assumption"),
            Difference::Property(id) => write!(to, "property {} has different values", id.0),
        }
    }
}

/// Examines up to `most_states` start states and up to `most_states` reachable states. Returns the
/// number of states that were examined, or the first asymmetry.
pub fn verify_symmetry(system: &dyn System, most_states: usize) -> Result<usize, Box<Asymmetry>> {
    let indices = system.indices();
    let generators = indices.generators();
    let orbits = StepOrbits::new(system, &indices);
    let mut looking = Looking {
        action: Action::new(system.layout(), &indices),
        system,
        orbits: &orbits,
        worker: system.worker(),
    };
    let starts: Vec<Box<[u64]>> = system.starts().flatten().take(most_states).collect();
    let known: HashSet<&[u64]> = starts.iter().map(|start| &**start).collect();
    let are_all = starts.len() < most_states;
    for start in starts.iter().filter(|_| are_all) {
        for permutation in &generators {
            if !known.contains(&*looking.image(permutation, start)) {
                let (state, permutation) = (start.clone(), permutation.clone());
                let difference = Difference::Start;
                return Err(Box::new(Asymmetry { state, permutation, difference }));
            }
        }
    }
    let mut seen: HashSet<Box<[u64]>> = starts.iter().cloned().collect();
    let mut open: Vec<Box<[u64]>> = seen.iter().cloned().collect();
    open.sort_unstable();
    let mut next = 0;
    while next < open.len() && next < most_states {
        let state = open[next].clone();
        let here = looking.look(&state);
        for permutation in &generators {
            let there = looking.look(&looking.image(permutation, &state));
            if let Some(difference) = here.difference(&there, &looking, permutation) {
                let permutation = permutation.clone();
                return Err(Box::new(Asymmetry { state, permutation, difference }));
            }
        }
        for Step { target, .. } in here.steps {
            if seen.len() < most_states && seen.insert(target.clone()) {
                open.push(target);
            }
        }
        next += 1;
    }
    Ok(next)
}

/// A step, in a form in which the steps of a state and of its image can be compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    rule: u32,
    arguments: Vec<i64>,
    target: Box<[u64]>,
}

/// The observable facts about a state.
struct Seen {
    steps: BTreeSet<Step>,
    failures: usize,
    is_assumed: Result<bool, FaultId>,
    violated: Vec<PropertyId>,
}

struct Looking<'l> {
    action: Action,
    system: &'l dyn System,
    orbits: &'l StepOrbits,
    worker: Box<dyn Worker + 'l>,
}

impl Looking<'_> {
    fn image(&self, by: &Permutation, state: &[u64]) -> Box<[u64]> {
        let layout = self.system.layout();
        let (mut cells, mut image) = (vec![0; layout.cells()], vec![0; layout.cells()]);
        layout.unpack(state, &mut cells);
        self.action.apply(by, &cells, &mut image);
        let mut packed = vec![0; layout.words()];
        layout.pack(&image, &mut packed);
        packed.into_boxed_slice()
    }

    fn look(&mut self, state: &[u64]) -> Seen {
        let words = self.system.layout().words();
        let mut steps = Steps::default();
        self.worker.expand(state, &mut steps);
        let step = |k: usize| Step {
            rule: steps.labels[k].rule,
            arguments: steps.arguments_of(k).to_vec(),
            target: steps.targets[k * words..(k + 1) * words].into(),
        };
        let claims = self.system.properties().into_iter().enumerate().filter(|(_, one)| {
            !one.is_statement && matches!(one.kind, PropertyKind::Invariant | PropertyKind::Assert)
        });
        let claims: Vec<PropertyId> = claims.map(|(k, _)| PropertyId(k as u32)).collect();
        Seen {
            steps: (0..steps.labels.len()).map(step).collect(),
            failures: steps.faults.len(),
            is_assumed: self.worker.is_assumed(state),
            violated: claims.into_iter().filter(|&id| self.worker.is_violated(state, id)).collect(),
        }
    }
}

impl Seen {
    /// A difference between the image of this state's facts and the facts of the image state, if
    /// there is one.
    fn difference(
        &self,
        there: &Seen,
        looking: &Looking<'_>,
        by: &Permutation,
    ) -> Option<Difference> {
        let image = |step: &Step| Step {
            rule: step.rule,
            arguments: looking.orbits.renamed(step.rule, by, &step.arguments),
            target: looking.image(by, &step.target),
        };
        let expected: BTreeSet<Step> = self.steps.iter().map(image).collect();
        if let Some(step) = expected.symmetric_difference(&there.steps).next() {
            return Some(Difference::Steps(step.rule));
        }
        if self.failures != there.failures {
            return Some(Difference::Failures);
        }
        if self.is_assumed.as_ref().ok() != there.is_assumed.as_ref().ok() {
            return Some(Difference::Assumption);
        }
        let different = |id: &&PropertyId| !there.violated.contains(id);
        let here_only = self.violated.iter().find(different);
        let there_only = there.violated.iter().find(|id| !self.violated.contains(id));
        here_only.or(there_only).map(|&id| Difference::Property(id))
    }
}
