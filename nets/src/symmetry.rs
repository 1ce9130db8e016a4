//! Which colours of a net can be told apart.
//!
//! Decided by use, not by declaration. Everything that guards and arcs say of a single colour divides
//! its class into *blocks*: a comparison with a constant, a part of a partition, a constant in an arc.
//! Colours of one block are interchangeable if nothing relates two colours but equality: no variables
//! are compared by order, and no successor is taken. Elements of a partition are told apart by the
//! colours that belong to them, and so are the values of variables that are compared with elements. If successors are taken, and the class is one
//! block whose order is never asked for, rotations are left.
//!
//! # Why this is right
//! Let g be a product of permutations of blocks. A guard is a Boolean combination of predicates of one
//! colour, each of which is constant on blocks, and of equalities of two, which g keeps. In an arc, a
//! sum of tuples, fix a position and everything of a tuple but the colour that is named there: the
//! colours that are named there with one coefficient are a union of blocks, so that g maps the sum to
//! itself, position by position. So a binding b is enabled in a marking m exactly if g(b) is in g(m),
//! and leads to the image. A rotation commutes with successors, and no constant is named at all.
//!
//! The initial marking is not asked. It need not be symmetric: the rules are, and a formula that names
//! no colour holds of a marking if it holds of its image. Whoever counts states must count under the
//! permutations that leave the initial marking unchanged, [`Symmetry::of_initial`].

use crate::net::{Arc, Base, Guard, Net, Part, Side, Term};
use std::collections::{BTreeMap, BTreeSet};
use terms::Group;

/// The symmetries of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// By class.
    pub classes: Vec<Blocks>,
}

/// A class, divided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// By colour: its block. Blocks are numbered from 0, in the order of their first colours.
    pub block_of: Vec<u32>,
    /// The permutations of the colours of each block.
    pub group: Group,
}

/// Facts about the use of the colours of a class.
#[derive(Clone, Default)]
struct Use {
    /// All colours are told apart: two are compared by order, or with elements of a partition.
    are_apart: bool,
    /// A successor is taken.
    is_shifted: bool,
    /// Sets of colours that are told apart from others.
    sets: Vec<Vec<bool>>,
}

impl Symmetry {
    /// No symmetry at all.
    pub fn none(net: &Net) -> Symmetry {
        let blocks = |class| Blocks::separate(net.size(class));
        Symmetry { classes: (0..net.classes.len()).map(blocks).collect() }
    }

    /// The symmetries of the rules of a net, and of formulas that name these colours (class, colour).
    pub fn of(net: &Net, named: &[(usize, u32)]) -> Symmetry {
        let mut uses = vec![Use::default(); net.classes.len()];
        for &(class, colour) in named {
            uses[class].set(net.size(class), |at| at == colour);
        }
        for transition in &net.transitions {
            let class_of = |base: Base| match base {
                Base::Variable(at) => Some(transition.variables[at].class),
                Base::Colour(_) => None,
            };
            guard(net, &transition.guard, &class_of, &mut uses);
            for arc in transition.inputs.iter().chain(&transition.outputs) {
                of_arc(net, arc, &mut uses);
            }
        }
        let blocks =
            uses.iter().zip(&net.classes).map(|(one, class)| one.blocks(class.colours.len()));
        Symmetry { classes: blocks.collect() }
    }

    /// The part that leaves the initial marking unchanged.
    ///
    /// Of permutations of a block, those of its parts in which any two colours can be exchanged without
    /// a change of the marking: to be exchangeable is an equivalence. Of rotations, all or none.
    #[must_use]
    pub fn of_initial(&self, net: &Net) -> Symmetry {
        let divided = self.classes.iter().enumerate().map(|(class, blocks)| match blocks.group {
            Group::Rotations => {
                let size = net.size(class);
                if is_fixed(net, class, |at| (at + 1) % size) {
                    blocks.clone()
                } else {
                    Blocks::separate(size)
                }
            }
            _ => blocks.exchangeable(net, class),
        });
        Symmetry { classes: divided.collect() }
    }

    /// Whether there is nothing but the identity.
    pub fn is_trivial(&self) -> bool {
        self.classes.iter().all(|one| one.group == Group::Trivial)
    }
}

impl Blocks {
    /// Every colour by itself.
    pub fn separate(size: u32) -> Blocks {
        Blocks { block_of: (0..size).collect(), group: Group::Trivial }
    }

    /// The colours of each block, in order.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let count = self.block_of.iter().max().map_or(0, |most| most + 1);
        let mut members = vec![Vec::new(); count as usize];
        for (colour, &block) in self.block_of.iter().enumerate() {
            members[block as usize].push(colour as u32);
        }
        members
    }

    fn exchangeable(&self, net: &Net, class: usize) -> Blocks {
        if self.group == Group::Trivial {
            return self.clone();
        }
        // What a marking says of a colour, with the colour itself marked: colours with different ones
        // cannot be exchanged, and if others are named beside it, exchange is tried.
        let mut block_of = vec![0; self.block_of.len()];
        let mut representatives: Vec<(u32, u32)> = Vec::new();
        let describe = Described::of(net, class);
        for colour in 0..net.size(class) {
            let block = self.block_of[colour as usize];
            let alike = representatives.iter().position(|&(other, of)| {
                of == block
                    && describe.counts[other as usize] == describe.counts[colour as usize]
                    && (describe.is_simple || is_fixed(net, class, |at| swapped(at, other, colour)))
            });
            block_of[colour as usize] = alike.unwrap_or(representatives.len()) as u32;
            if alike.is_none() {
                representatives.push((colour, block));
            }
        }
        let is_separate = representatives.len() == block_of.len();
        let group = if is_separate { Group::Trivial } else { self.group };
        Blocks { block_of, group }
    }
}

fn swapped(at: u32, one: u32, other: u32) -> u32 {
    if at == one {
        other
    } else if at == other {
        one
    } else {
        at
    }
}

/// A fast necessary condition for colours to be exchangeable.
struct Described {
    /// By colour: by place and position and the rest of the tuple's own count: how many tokens.
    counts: Vec<BTreeMap<(usize, usize, u64), u64>>,
    /// Whether no place has the class more than once: then it is sufficient, too.
    is_simple: bool,
}

impl Described {
    fn of(net: &Net, class: usize) -> Described {
        let mut counts = vec![BTreeMap::new(); net.size(class) as usize];
        let mut is_simple = true;
        for (number, place) in net.places.iter().enumerate() {
            let positions: Vec<usize> =
                (0..place.sort.len()).filter(|&k| place.sort[k] == class).collect();
            if positions.is_empty() {
                continue;
            }
            is_simple &= positions.len() == 1 || place.initial.is_empty();
            for (&code, &tokens) in &place.initial {
                let tuple = net.decode(&place.sort, code);
                for &position in &positions {
                    // With one position, the rest of the tuple is the same for exchangeable colours.
                    let mut rest = tuple.clone();
                    rest[position] = 0;
                    let rest =
                        if positions.len() == 1 { net.encode(&place.sort, rest) } else { tokens };
                    *counts[tuple[position] as usize]
                        .entry((number, position, rest))
                        .or_default() += tokens;
                }
            }
        }
        Described { counts, is_simple }
    }
}

/// Whether a permutation of the colours of a class leaves the initial marking unchanged.
fn is_fixed(net: &Net, class: usize, image: impl Fn(u32) -> u32) -> bool {
    net.places.iter().filter(|place| place.sort.contains(&class)).all(|place| {
        place.initial.iter().all(|(&code, tokens)| {
            let tuple = net.decode(&place.sort, code).into_iter().zip(&place.sort);
            let moved = tuple.map(|(at, &of)| if of == class { image(at) } else { at });
            place.initial.get(&net.encode(&place.sort, moved)) == Some(tokens)
        })
    })
}

impl Use {
    /// Tells colours of a set apart from the others.
    fn set(&mut self, size: u32, contains: impl Fn(u32) -> bool) {
        let set: Vec<bool> = (0..size).map(contains).collect();
        if !self.sets.contains(&set) {
            self.sets.push(set);
        }
    }

    fn blocks(&self, size: usize) -> Blocks {
        let mut numbers: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
        let block_of: Vec<u32> = (0..size)
            .map(|colour| {
                let signature: Vec<bool> = self.sets.iter().map(|set| set[colour]).collect();
                let next = numbers.len() as u32;
                *numbers.entry(signature).or_insert(next)
            })
            .collect();
        let is_whole = numbers.len() == 1;
        if self.are_apart || (self.is_shifted && !is_whole) || numbers.len() == size {
            return Blocks::separate(size as u32);
        }
        let group = if self.is_shifted { Group::Rotations } else { Group::Full };
        Blocks { block_of, group }
    }
}

/// What a guard says of colours.
fn guard(net: &Net, of: &Guard, class_of: &impl Fn(Base) -> Option<usize>, uses: &mut [Use]) {
    match of {
        Guard::Constant(_) => {}
        Guard::And(parts) | Guard::Or(parts) => {
            for part in parts {
                guard(net, part, class_of, uses);
            }
        }
        Guard::Not(part) => guard(net, part, class_of, uses),
        Guard::Compare(comparison, left, right) => {
            for side in [left, right] {
                if let Some(class) = class_of(side.term.base)
                    && let Some(partition) = side.partition
                {
                    // Elements of a partition are told apart, in any case.
                    let element_of = &net.partitions[partition].element_of;
                    let elements = net.size(net.partitions[partition].elements);
                    for element in 0..elements {
                        uses[class].set(net.size(class), |at| element_of[at as usize] == element);
                    }
                }
            }
            match (class_of(left.term.base), class_of(right.term.base)) {
                (None, None) => {}
                (Some(class), None) => {
                    let right = value(net, right, 0);
                    unary(net, class, left, |at| comparison.holds(at, right), uses);
                }
                (None, Some(class)) => {
                    let left = value(net, left, 0);
                    unary(net, class, right, |at| comparison.holds(left, at), uses);
                }
                (Some(one), Some(other)) => {
                    for (class, side) in [(one, left), (other, right)] {
                        // What is compared with elements of a partition is told apart as they are.
                        if side.partition.is_none() && left.partition != right.partition {
                            uses[class].are_apart = true;
                        }
                        uses[class].is_shifted |= side.term.shift != 0;
                        // Equal elements are equal elements, for all colours of a block; elements
                        // that are in order say something of the order of blocks only.
                        uses[class].are_apart |= comparison.is_order() && side.partition.is_none();
                    }
                }
            }
        }
    }
}

/// A predicate of one colour.
fn unary(net: &Net, class: usize, side: &Side, holds: impl Fn(u32) -> bool, uses: &mut [Use]) {
    uses[class].is_shifted |= side.term.shift != 0;
    uses[class].set(net.size(class), |at| holds(value(net, side, at)));
}

/// The colour or element of a side if its variable has this value.
fn value(net: &Net, side: &Side, variable: u32) -> u32 {
    let Term { base, shift, size } = side.term;
    let at = match base {
        Base::Variable(_) => variable,
        Base::Colour(at) => at,
    };
    let at = (at + shift) % size;
    side.partition.map_or(at, |partition| net.partitions[partition].element_of[at as usize])
}

/// What an arc says of colours.
fn of_arc(net: &Net, arc: &Arc, uses: &mut [Use]) {
    let sort = &net.places[arc.place].sort;
    for (position, &class) in sort.iter().enumerate() {
        // By coefficient and all else of a tuple: the colours that are named here.
        let mut named: BTreeMap<(i64, Vec<Part>), BTreeSet<u32>> = BTreeMap::new();
        for (number, parts) in &arc.sum {
            let Part::One(term) = parts[position] else { continue };
            uses[class].is_shifted |= term.shift != 0;
            if let Base::Colour(at) = term.base {
                let mut rest = parts.clone();
                rest[position] = Part::All;
                named.entry((*number, rest)).or_default().insert(at);
            }
        }
        for colours in named.values() {
            uses[class].set(net.size(class), |at| colours.contains(&at));
        }
    }
}
