//! A certificate as data, and how it is written. `verify/src/read.rs` describes the layout.

use crate::wire::Numbers;
use judge::Renaming;
use terms::{IndexTypeId, RuleFairness};
use verify::elimination::NodeSets;
use verify::families::Family;
use verify::obligations::Obligation;
use verify::product::Node;

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
    New(Box<Renaming>),
}

/// The reason of a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing leads there.
    Trim,
    /// This until is postponed for ever.
    Until(Obligation),
    /// Objects of a family, given by its position in the list of families, are not served.
    Unserved {
        /// The family.
        family: u32,
        /// By node of what is left.
        objects: NodeSets,
    },
    /// Steps of these classes are not taken: a part, a listed state, and the position of one of its steps.
    Class(Vec<(u32, u32, u32)>),
    /// The part of each node of what is left.
    Order(NodeSets),
}

/// A certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    /// What start states and the targets of steps are images of.
    pub arcs: Vec<Arc>,
    /// If there are assumptions: for each listed state, 0 or the number of a removed one.
    pub removed: Option<Vec<u32>>,
    /// The parts for the claims.
    pub parts: Vec<Part>,
}

/// The part for a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The states are all that there is to say.
    States,
    /// For each choice, for each listed state: the distance.
    Distances(Vec<Vec<u32>>),
    /// How the nodes of a formula are eliminated.
    Elimination(Elimination),
}

/// How the nodes of a formula are eliminated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elimination {
    /// For each tuple: the one that is proved, and the renaming from it.
    pub tuples: Vec<(u32, By)>,
    /// The families of objects, and images of events.
    pub families: Vec<(Family, Vec<(u32, By)>)>,
    /// Sets of obligations.
    pub sets: Vec<Vec<Obligation>>,
    /// The nodes, ascending.
    pub nodes: Vec<Node>,
    /// By node.
    pub ranks: Vec<u32>,
    /// By moment.
    pub reasons: Vec<Reason>,
}

impl Part {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        match self {
            Part::States | Part::Distances(_) => 0,
            Part::Elimination(of) => of.nodes.len(),
        }
    }
}

impl Draft {
    /// The number of listed states.
    pub fn states(&self) -> usize {
        let listed = |known, arc: &Arc| known + usize::from(arc.source as usize == known);
        self.arcs.iter().fold(0, listed)
    }

    /// The numbers of the body.
    pub fn written(&self) -> Numbers {
        let mut writing = Writing { to: Numbers::default(), renamings: 1 };
        let mut known = 0_u64;
        for arc in &self.arcs {
            writing.to.number(known.wrapping_sub(u64::from(arc.source)));
            known += u64::from(known == u64::from(arc.source));
            writing.by(&arc.by);
        }
        writing.list(self.removed.iter().flatten());
        for part in &self.parts {
            match part {
                Part::States => {}
                Part::Distances(all) => writing.list(all.iter().flatten()),
                Part::Elimination(of) => self.write_elimination(&mut writing, of),
            }
        }
        writing.to
    }

    fn write_elimination(&self, writing: &mut Writing, of: &Elimination) {
        for (proved, by) in &of.tuples {
            writing.to.number(u64::from(*proved));
            writing.by(by);
        }
        writing.to.number(of.families.len() as u64);
        for (family, more) in &of.families {
            writing.to.number(u64::from(number(*family)));
            if matches!(family, Family::Events(_)) {
                writing.to.number(more.len() as u64);
                for (event, by) in more {
                    writing.to.number(u64::from(*event));
                    writing.by(by);
                }
            }
        }
        writing.to.number(of.sets.len() as u64);
        of.sets.iter().for_each(|set| writing.to.ascending(set));
        let mut nodes = of.nodes.iter().zip(&of.ranks).peekable();
        let is_removed = |state| {
            self.removed.as_ref().is_some_and(|all| all.get(state).is_some_and(|&one| one > 0))
        };
        for state in (0..self.states()).filter(|&state| !is_removed(state)) {
            let mut here = Vec::new();
            while let Some(one) = nodes.next_if(|(node, _)| node.state as usize == state) {
                here.push(one);
            }
            writing.to.number(here.len() as u64);
            for (node, rank) in here {
                writing.list([&node.tuple, &node.set, rank]);
            }
        }
        writing.to.number(of.reasons.len() as u64);
        for (moment, reason) in of.reasons.iter().enumerate() {
            match reason {
                Reason::Trim => writing.list(&[0]),
                Reason::Until(until) => writing.list(&[1, *until]),
                Reason::Unserved { family, objects } => {
                    writing.list(&[2, *family]);
                    writing.sets(objects, &of.ranks, moment);
                }
                Reason::Class(untaken) => {
                    writing.list(&[3, untaken.len() as u32]);
                    for (part, state, step) in untaken {
                        writing.list([part, state, step]);
                    }
                }
                Reason::Order(parts) => {
                    writing.list(&[4]);
                    writing.sets(parts, &of.ranks, moment);
                }
            }
        }
    }
}

struct Writing {
    to: Numbers,
    /// The number of renamings that are known.
    renamings: u32,
}

impl Writing {
    fn list<'a>(&mut self, list: impl IntoIterator<Item = &'a u32>) {
        list.into_iter().for_each(|&one| self.to.number(u64::from(one)));
    }

    /// The sets of the nodes that are left at a moment.
    fn sets(&mut self, sets: &NodeSets, ranks: &[u32], moment: usize) {
        let left = (0..).zip(ranks).filter(|(_, rank)| **rank as usize >= moment);
        left.for_each(|(node, _)| self.to.ascending(sets.of(node)));
    }

    fn by(&mut self, by: &By) {
        match by {
            By::Known(number) => self.list(&[*number]),
            By::New(renaming) => {
                self.list(&[self.renamings]);
                self.renamings += 1;
                self.list(images(renaming));
            }
        }
    }
}

fn images(renaming: &Renaming) -> impl Iterator<Item = &u32> {
    (0..renaming.types()).flat_map(|of| renaming.images(IndexTypeId(of as u32)))
}

/// The number of a family.
const fn number(family: Family) -> u32 {
    match family {
        Family::Processes(RuleFairness::Weak) => 0,
        Family::Processes(RuleFairness::Strong) => 1,
        Family::Events(RuleFairness::Weak) => 2,
        Family::Events(RuleFairness::Strong) => 3,
        Family::Requirement(k) => 4 + k,
    }
}
