//! The nodes that a formula needs, and the edges between them.

use crate::draft::{By, Elimination};
use crate::passes::{Eliminated, Graph, eliminate};
use crate::states::listed;
use crate::{Limits, Uncertified};
use hashbrown::HashMap;
use judge::{IndexType, Reference, Renaming, Vocabulary};
use std::collections::HashSet;
use terms::{Demand, Fairness, Group, Over, RuleFairness};
use verify::Refusal;
use verify::families::{Family, Objects};
use verify::obligations::Obligation;
use verify::product::{Node, Product};
use verify::space::{Space, Step};
use verify::tuples::Tuples;

type Formula<R> = <<R as Reference>::Vocabulary as Vocabulary>::Formula;

/// An edge between nodes.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Its step.
    pub step: Step,
    /// The number of the set of untils that it postpones.
    pub postponed: u32,
    /// The node that it leads to.
    pub to: u32,
}

/// How the nodes of a formula are eliminated, and whether all of them are: the rest has rank 0.
pub(crate) fn attempt<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    formula: &Formula<R>,
    demand: Demand,
    limits: Limits<'_>,
) -> Result<(Elimination, bool), Uncertified> {
    let generators = generators(&space.reference.index_types());
    let (proved, tuples) = tuples(space, &Tuples::new(space.reference, formula), &generators)?;
    let (numbered, families) = families(space, demand, &generators)?;
    let product = Product::new(space, formula);
    let objects =
        numbered.iter().map(|(family, more)| Objects::new(product.space, *family, demand, more));
    let objects = objects.collect::<Result<Vec<_>, _>>()?;
    let mut closing = Closing::new(&product, limits.most_nodes);
    closing.close(&proved)?;
    let (graph, sets) = closing.finish();
    let Eliminated { ranks, reasons, is_all } = eliminate(&product, &graph, &objects, demand)?;
    let sets = sets.list;
    Ok((Elimination { tuples, families, sets, nodes: graph.nodes, ranks, reasons }, is_all))
}

/// Generators of the group of each index type.
fn generators(types: &[IndexType]) -> Vec<Renaming> {
    let mut found = Vec::new();
    for (k, of) in types.iter().enumerate() {
        let n = of.size;
        let mut add = |image: &dyn Fn(u32) -> u32| {
            let identity = types.iter().map(|of| (0..of.size).collect());
            let mut images: Vec<Vec<u32>> = identity.collect();
            images[k] = (0..n).map(image).collect();
            let renaming = Renaming::new(images).expect("each image occurs once");
            if !renaming.is_identity() {
                found.push(renaming);
            }
        };
        let (rotated, swapped) = (|k: u32| (k + 1) % n, |k: u32| if k < 2 { 1 - k } else { k });
        match of.group {
            Group::Trivial => {}
            _ if n < 2 => {}
            Group::Rotations => add(&rotated),
            Group::Dihedral => {
                add(&rotated);
                add(&|k| (n - k) % n);
            }
            Group::Full => {
                add(&rotated);
                add(&swapped);
            }
        }
    }
    found
}

/// For each tuple: the one that is proved, and the renaming from it.
type Images = Vec<(u32, By)>;

/// The tuples that must be proved, one of each orbit; and for each tuple, of which one it is the image.
fn tuples<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    tuples: &Tuples<R>,
    generators: &[Renaming],
) -> Result<(Vec<u32>, Images), Refusal> {
    let mut images: Vec<Option<(u32, Renaming)>> = vec![None; tuples.count()];
    let mut proved = Vec::new();
    for tuple in 0..tuples.count() as u32 {
        if images[tuple as usize].is_some() {
            continue;
        }
        proved.push(tuple);
        images[tuple as usize] = Some((tuple, space.reference.identity()));
        let mut open = vec![tuple];
        while let Some(at) = open.pop() {
            let (_, so_far) = images[at as usize].clone().expect("it was found");
            for generator in generators {
                run::poll();
                let image = tuples.image(space.reference, generator, at);
                let image = image.expect("a symmetry takes tuples to tuples");
                if images[image as usize].is_none() {
                    images[image as usize] = Some((tuple, generator.after(&so_far)));
                    open.push(image);
                }
            }
        }
    }
    let images = images.into_iter().flatten();
    let images = images.map(|(of, renaming)| Ok((of, listed(space, renaming)?.0)));
    Ok((proved, images.collect::<Result<_, Refusal>>()?))
}

/// Families with images of events: the number of an event, and of a renaming.
type Numbered = Vec<(Family, Vec<(u32, u32)>)>;
/// The same, as it is written.
type Listed = Vec<(Family, Vec<(u32, By)>)>;

/// The families that runs must be fair to; of events, with the images that objects may have on the way.
fn families<R: Reference + Sync>(
    space: &mut Space<'_, R>,
    demand: Demand,
    generators: &[Renaming],
) -> Result<(Numbered, Listed), Refusal> {
    let reference = space.reference;
    let all = match (demand.fairness, demand.over) {
        (Fairness::Weak, over) => Some((over, RuleFairness::Weak)),
        (Fairness::Strong, over) => Some((over, RuleFairness::Strong)),
        (Fairness::None | Fairness::Global, _) => None,
    };
    let mut families = Vec::new();
    if let Some((Over::Processes, strength)) = all {
        families.push(Family::Processes(strength));
    }
    let of_all = all.filter(|(over, _)| *over == Over::Events).map(|(_, strength)| strength);
    let declares = demand.declared && reference.has_fair_events();
    for strength in [RuleFairness::Weak, RuleFairness::Strong] {
        if declares || of_all == Some(strength) {
            families.push(Family::Events(strength));
        }
    }
    if demand.declared {
        let requirements = 0..reference.requirements().len() as u32;
        families.extend(requirements.map(Family::Requirement));
    }
    let (mut numbered, mut written) = (Vec::new(), Vec::new());
    for family in families {
        let (mut numbers, mut more) = (Vec::new(), Vec::new());
        // An object that is not served weakly has a step in every state.
        if family == Family::Events(RuleFairness::Strong) {
            for (event, generator) in images_of_events(space, demand, generators) {
                let (by, number) = listed(space, generators[generator].clone())?;
                numbers.push((event, number));
                more.push((event, by));
            }
        }
        numbered.push((family, numbers));
        written.push((family, more));
    }
    Ok((numbered, written))
}

/// Images under the group of the events that a run must be strongly fair to: of an event, by a
/// generator.
fn images_of_events<R: Reference>(
    space: &Space<'_, R>,
    demand: Demand,
    generators: &[Renaming],
) -> Vec<(u32, usize)> {
    let reference = space.reference;
    let is_of_all = demand.fairness == Fairness::Strong && demand.over == Over::Events;
    let is_owed = |event: &_| {
        is_of_all || demand.declared && reference.fairness_of(event) == Some(RuleFairness::Strong)
    };
    let (mut all, mut known, mut images) = (Vec::new(), HashSet::new(), Vec::new());
    for (_, event) in space.actions() {
        if is_owed(event) && known.insert(event.clone()) {
            all.push(event.clone());
        }
    }
    let mut next = 0;
    while next < all.len() {
        for (k, generator) in generators.iter().enumerate() {
            run::poll();
            let image = reference.renamed_event(generator, &all[next]);
            if known.insert(image.clone()) {
                images.push((next as u32, k));
                all.push(image);
            }
        }
        next += 1;
    }
    images
}

/// Lists that are numbered as they come.
#[derive(Debug, Default)]
pub struct Sets {
    list: Vec<Vec<Obligation>>,
    numbers: HashMap<Vec<Obligation>, u32>,
}

impl Sets {
    fn number(&mut self, set: &[Obligation]) -> u32 {
        if let Some(&known) = self.numbers.get(set) {
            return known;
        }
        let number = self.list.len() as u32;
        self.list.push(set.to_vec());
        self.numbers.insert(set.to_vec(), number);
        number
    }

    /// A list.
    pub fn get(&self, number: u32) -> &[Obligation] {
        &self.list[number as usize]
    }
}

/// Finds all nodes.
struct Closing<'c, 'p, R: Reference> {
    product: &'c Product<'p, R>,
    most: usize,
    sets: Sets,
    postponed: Sets,
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
    ends: Vec<usize>,
    edges: Vec<Edge>,
}

impl<'c, 'p, R: Reference + Sync> Closing<'c, 'p, R> {
    fn new(product: &'c Product<'p, R>, most: usize) -> Self {
        Closing {
            product,
            most,
            sets: Sets::default(),
            postponed: Sets::default(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            ends: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn node(&mut self, state: u32, tuple: u32, obligations: &[Obligation]) -> u32 {
        let node = Node { state, tuple, set: self.sets.number(obligations) };
        let next = self.nodes.len() as u32;
        let nodes = &mut self.nodes;
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            next
        })
    }

    fn close(&mut self, proved: &[u32]) -> Result<(), Uncertified> {
        let (product, space) = (self.product, self.product.space);
        for &(state, by) in space.starts.iter().filter(|(state, _)| !space.is_removed(*state)) {
            for &tuple in proved {
                let there = product.tuple_behind(by, tuple);
                self.node(state, there, &[product.obligations.negation()]);
            }
        }
        while self.ends.len() < self.nodes.len() {
            if self.nodes.len() > self.most {
                return Err(Uncertified::Nodes(self.most));
            }
            let node = self.nodes[self.ends.len()];
            let obligations = self.sets.get(node.set).to_vec();
            for one in product.reading(node.state, node.tuple).moves(&obligations)? {
                for alternative in one.alternatives.iter() {
                    let to = self.node(one.step.target, one.tuple, &alternative.next);
                    let postponed = self.postponed.number(&alternative.postponed);
                    self.edges.push(Edge { step: one.step, postponed, to });
                }
            }
            self.ends.push(self.edges.len());
        }
        Ok(())
    }

    /// The nodes in their final order.
    fn finish(self) -> (Graph, Sets) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|&old| self.nodes[old as usize]);
        let mut places = vec![0; order.len()];
        for (&old, place) in order.iter().zip(0..) {
            places[old as usize] = place;
        }
        let mut graph = Graph { postponed: self.postponed, ..Graph::default() };
        for &old in &order {
            let first = (old as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
            let edges = self.edges[first..self.ends[old as usize]].iter();
            let moved = edges.map(|edge| Edge { to: places[edge.to as usize], ..*edge });
            graph.edges.extend(moved);
            graph.ends.push(graph.edges.len());
            graph.nodes.push(self.nodes[old as usize]);
        }
        (graph, self.sets)
    }
}
