//! A globally fair component as it is reported: in the coordinates of one concrete state.
//!
//! Let the run be at the node `home` of a component C, in a *frame* that takes local coordinates
//! there to concrete ones. Along a spanning tree of C from there every node u gets a frame ρ(u),
//! the product of the permutations on its path, and is reported as the concrete state ρ(u)(r). An
//! edge u –π→ v is then a step that leads to h(ρ(v)(r′)) for h = ρ(u) π ρ(v)⁻¹, which is the
//! identity on the tree. One step is listed of those that are equivalent under Stab(r, l); the
//! symmetries that map it to the others are listed, too. These h and the symmetries generate the
//! loop group H of C.
//!
//! If a node does not take all steps of its state itself, others over the same (r, l) do: those w
//! for which ρ(u) ρ(w)⁻¹ is in H, see `global`. A calculation proves that it is in H (`words`).

use super::knowledge::Knowledge;
use super::words::{Origin, Words};
use crate::product::{Product, ProductEdge, Stop};
use crate::search::Node;
use crate::symmetry::{Permutation, StabiliserChain};
use hashbrown::{HashMap, HashSet};
use num_bigint::BigUint;

/// A component, reported from one of its nodes on, which is the first.
pub struct Spanned {
    /// The nodes; each but the first is reached by an edge without permutation from an earlier one.
    pub nodes: Vec<Told>,
    /// Elements of the loop group, each composed of earlier ones.
    pub elements: Vec<Element>,
}

/// A node of a reported component.
pub struct Told {
    /// The node of the product.
    pub node: Node,
    /// The permutation that takes the node's representative to the reported state.
    pub frame: Permutation,
    /// The edges that stay inside of the component.
    pub edges: Vec<ToldEdge>,
    /// Generators of the group that fixes the state and the tracked points.
    pub symmetries: Vec<Permutation>,
    /// Other nodes that are the same state: their numbers, and the numbers of the elements that
    /// take their states to this one, unless the reported states are equal.
    pub again: Vec<(usize, Option<usize>)>,
}

/// An edge of a reported component.
pub struct ToldEdge {
    /// The rule, and the arguments in the common coordinates; none for the stutter.
    pub action: Option<(u32, Vec<i64>)>,
    /// The number of the node that the edge leads to.
    pub target: usize,
    /// The permutation that takes the state of the target node to the state that the step leads to.
    pub permutation: Permutation,
}

/// An element of the loop group.
#[derive(Clone, Copy, Debug)]
pub enum Element {
    /// The permutation of an edge: the number of the node, and of its edge.
    Edge(usize, usize),
    /// A symmetry of a node: the number of the node, and of its symmetry.
    Symmetry(usize, usize),
    /// The product of two elements: the first after the second.
    Product(usize, usize),
    /// The inverse of an element.
    Inverse(usize),
}

/// The edges of a component's nodes that stay inside, computed once each.
pub struct Inner {
    nodes: Vec<(Node, Vec<ProductEdge>)>,
    numbers: HashMap<Node, usize>,
}

impl Inner {
    /// The edges of a component, breadth first from a node; none if there are more than allowed.
    pub fn of<P: Product>(
        product: &mut P,
        component: &[Node],
        home: Node,
        most_edges: usize,
    ) -> Result<Option<Inner>, Stop> {
        let inside: HashSet<Node> = component.iter().copied().collect();
        let mut inner = Inner { nodes: Vec::new(), numbers: HashMap::from([(home, 0)]) };
        let mut open = vec![home];
        let mut count = 0;
        while let Some(&node) = open.get(inner.nodes.len()) {
            let mut edges = product.labelled(node)?;
            edges.retain(|edge| inside.contains(&edge.target));
            count += edges.len();
            if count > most_edges {
                return Ok(None);
            }
            for edge in &edges {
                let next = inner.numbers.len();
                if *inner.numbers.entry(edge.target).or_insert(next) == next {
                    open.push(edge.target);
                }
            }
            inner.nodes.push((node, edges));
        }
        Ok(Some(inner))
    }
}

impl Spanned {
    /// Creates the report of a component whose first node is in the given frame.
    pub fn of<P: Product>(product: &mut P, inner: &Inner, frame: Permutation) -> Spanned {
        let mut frames: Vec<Option<Permutation>> = vec![None; inner.nodes.len()];
        frames[0] = Some(frame);
        let mut nodes: Vec<Told> = Vec::new();
        for (k, (node, edges)) in inner.nodes.iter().enumerate() {
            let frame = frames[k].clone().expect("a node is met before it is looked at");
            let mut told = Vec::new();
            for edge in edges {
                let target = inner.numbers[&edge.target];
                let behind = match &edge.step {
                    None => frame.clone(),
                    Some(step) => frame.after(&step.permutation),
                };
                let of_target = frames[target].get_or_insert_with(|| behind.clone());
                let permutation = behind.after(&of_target.inverse());
                let action = edge
                    .step
                    .as_ref()
                    .map(|step| (step.rule, product.renamed(step.rule, &frame, &step.arguments)));
                told.push(ToldEdge { action, target, permutation });
            }
            let back = frame.inverse();
            let symmetries = product.symmetries(*node);
            let symmetries = symmetries.iter().map(|one| frame.after(one).after(&back)).collect();
            let again = Vec::new();
            nodes.push(Told { node: *node, frame, edges: told, symmetries, again });
        }
        Spanned { nodes, elements: Vec::new() }
    }

    /// The loop group, with the origins of its generators.
    pub fn loop_group(&self) -> (StabiliserChain, Vec<Element>) {
        let mut group = StabiliserChain::trivial(self.nodes[0].frame.points());
        let mut origins = Vec::new();
        let mut known: HashSet<&Permutation> = HashSet::new();
        for (k, told) in self.nodes.iter().enumerate() {
            let of_edges = told.edges.iter().enumerate();
            let of_edges = of_edges.map(|(n, edge)| (&edge.permutation, Element::Edge(k, n)));
            let symmetries = told.symmetries.iter().enumerate();
            let symmetries = symmetries.map(|(n, symmetry)| (symmetry, Element::Symmetry(k, n)));
            for (permutation, origin) in of_edges.chain(symmetries) {
                if known.insert(permutation) && group.extend(permutation.clone()) {
                    origins.push(origin);
                }
            }
        }
        (group, origins)
    }

    /// Whether a globally fair lasso, which takes all steps of all concrete states, has more steps
    /// than allowed, for the given loop group. Each (r, l) has at least one orbit of states.
    pub fn is_longer<P: Product>(
        &self,
        product: &mut P,
        group: &StabiliserChain,
        most_steps: usize,
    ) -> Result<bool, Stop> {
        let order = group.order();
        let mut known = HashSet::new();
        let mut steps = BigUint::ZERO;
        for told in &self.nodes {
            if !known.insert(product.base(told.node)) {
                continue;
            }
            let own = StabiliserChain::new(group.points(), told.symmetries.iter().cloned());
            let states = &order / own.order();
            // The states alone may be more than allowed, and then nothing else need be counted.
            if states > BigUint::from(most_steps) {
                return Ok(true);
            }
            steps += states * product.unfolded_steps(told.node)?.len().max(1);
            if steps > BigUint::from(most_steps) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds for every node that does not take all steps of its state the nodes that do. Returns
    /// whether all were found in calculations of bounded length.
    pub fn find_again<P: Product>(
        &mut self,
        product: &mut P,
        inner: &Inner,
        knowledge: &Knowledge<'_>,
        (group, origins): (&StabiliserChain, &[Element]),
        most_lines: usize,
    ) -> Result<bool, Stop> {
        type Key = Option<(u32, Vec<i64>)>;
        let key =
            |edge: &ProductEdge| edge.step.as_ref().map(|step| (step.rule, step.arguments.clone()));
        let taken: Vec<HashSet<Key>> =
            inner.nodes.iter().map(|(_, edges)| edges.iter().map(key).collect()).collect();
        let mut over: HashMap<_, Vec<usize>> = HashMap::new();
        for (k, told) in self.nodes.iter().enumerate() {
            over.entry(product.base(told.node)).or_default().push(k);
        }
        let mut words = None;
        for k in 0..self.nodes.len() {
            let node = self.nodes[k].node;
            let steps = product.tracked_steps(node)?;
            let steps = steps.into_iter().filter(|step| !knowledge.is_removed(step.target));
            let mut missing: Vec<Key> = steps
                .map(|step| Some((step.rule, step.arguments)))
                .filter(|step| !taken[k].contains(step))
                .collect();
            for &other in &over[&product.base(node)] {
                if !missing.iter().any(|step| taken[other].contains(step)) {
                    continue;
                }
                let between = self.nodes[k].frame.after(&self.nodes[other].frame.inverse());
                if !group.contains(&between) {
                    continue;
                }
                let mut line = None;
                if !between.is_identity() {
                    if words.is_none() {
                        words = Words::new(group.generators(), &group.order(), most_lines);
                    }
                    line = words.as_mut().and_then(|words| words.line_of(&between));
                    if line.is_none() {
                        return Ok(false);
                    }
                }
                missing.retain(|step| !taken[other].contains(step));
                self.nodes[k].again.push((other, line));
            }
            if !missing.is_empty() {
                return Ok(false);
            }
        }
        if let Some(words) = words {
            self.keep(&words, origins);
        }
        Ok(true)
    }

    /// Keeps the lines of a calculation that are needed.
    fn keep(&mut self, words: &Words, origins: &[Element]) {
        let mut needed: HashSet<usize> = HashSet::new();
        let again = self.nodes.iter().flat_map(|told| &told.again);
        let mut open: Vec<usize> = again.filter_map(|(_, line)| *line).collect();
        while let Some(line) = open.pop() {
            if needed.insert(line) {
                match words.origin(line) {
                    Origin::Generator(_) => {}
                    Origin::Product(after, first) => open.extend([after, first]),
                    Origin::Inverse(of) => open.push(of),
                }
            }
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        let number = |line: usize| needed.binary_search(&line).expect("it is needed");
        let elements = needed.iter().map(|&line| match words.origin(line) {
            Origin::Generator(k) => origins[k],
            Origin::Product(after, first) => Element::Product(number(after), number(first)),
            Origin::Inverse(of) => Element::Inverse(number(of)),
        });
        self.elements = elements.collect();
        for (_, line) in self.nodes.iter_mut().flat_map(|told| &mut told.again) {
            *line = line.map(number);
        }
    }
}
