//! Where the tokens of a place are in a packed marking.

use super::Bounds;
use crate::net::Net;
use crate::symmetry::Symmetry;
use engine::system::layout::{PRESENT, UNDEFINED};
use engine::system::{Layout, Shape};
use std::ops::Range;
use terms::{Group, IndexTypeId};

/// The order of the colours of each class in packed markings.
pub(super) struct Slots {
    classes: Vec<ClassSlots>,
    types: Vec<(u32, Group)>,
}

struct ClassSlots {
    slot_of: Vec<u32>,
    colour_of: Vec<u32>,
    /// The index types of blocks, each with its first slot.
    indices: Vec<(IndexTypeId, i64)>,
}

impl Slots {
    /// Blocks follow each other. The index types are those of the token game, in the same order.
    pub(super) fn new(net: &Net, symmetry: &Symmetry) -> Slots {
        let mut types = Vec::new();
        let classes = symmetry.classes.iter().enumerate().map(|(class, blocks)| {
            let (mut colour_of, mut indices) = (Vec::new(), Vec::new());
            let members = if super::is_permuted(blocks.group) {
                blocks.members()
            } else {
                vec![(0..net.size(class)).collect()]
            };
            for members in members {
                if super::is_permuted(blocks.group) && members.len() > 1 {
                    indices.push((IndexTypeId(types.len() as u32), colour_of.len() as i64));
                    types.push((members.len() as u32, blocks.group));
                }
                colour_of.extend(members);
            }
            let mut slot_of = vec![0; colour_of.len()];
            for (slot, &colour) in colour_of.iter().enumerate() {
                slot_of[colour as usize] = slot as u32;
            }
            ClassSlots { slot_of, colour_of, indices }
        });
        let classes = classes.collect();
        Slots { classes, types }
    }

    pub(super) fn types(&self) -> impl Iterator<Item = (u32, Group)> {
        self.types.iter().copied()
    }

    /// Whether colours of a class are permuted.
    fn is_permuted(&self, class: usize) -> bool {
        !self.classes[class].indices.is_empty()
    }

    pub(super) fn slot(&self, class: usize, colour: u32) -> u32 {
        self.classes[class].slot_of[colour as usize]
    }

    pub(super) fn colour(&self, class: usize, slot: u32) -> u32 {
        self.classes[class].colour_of[slot as usize]
    }

    pub(super) fn shape(&self, net: &Net, class: usize) -> Shape {
        let indices = self.classes[class].indices.clone();
        Shape::Simple { low: 0, values: net.size(class).into(), indices }
    }
}

/// Tokens of one colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// The tuple of colours.
    pub(super) code: u64,
    pub(super) count: u64,
}

/// How the tokens of a place are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// No transition changes it.
    Constant,
    /// A number for each tuple.
    Counts {
        /// The most tokens of one colour.
        most: u64,
    },
    /// The colours of the only token.
    Single,
    /// A multiset of tuples.
    Bag {
        /// The most tokens.
        capacity: u32,
    },
}

/// A place in packed markings.
pub(super) struct PlaceLayout {
    pub(super) kind: Kind,
    /// Its first cell.
    pub(super) first: usize,
    /// Tokens, if it is constant.
    constant: Vec<Token>,
    /// By component: the number of colours, and the colour of each slot and back, if they differ.
    components: Vec<Component>,
    /// The number of tuples.
    tuples: u64,
    /// Whether slots and colours are the same.
    is_straight: bool,
}

struct Component {
    size: u64,
    colour_of: Vec<u32>,
    slot_of: Vec<u32>,
}

/// Bits of a number up to this one.
fn bits(most: u64) -> u64 {
    u64::from(64 - most.leading_zeros())
}

/// All places, and the shapes of their cells.
pub(super) fn layout(net: &Net, slots: &Slots, bounds: &Bounds) -> (Vec<PlaceLayout>, Vec<Shape>) {
    let (mut places, mut shapes) = (Vec::new(), Vec::new());
    let mut first = 0;
    for (number, place) in net.places.iter().enumerate() {
        let kind = kind(net, slots, bounds, number);
        let component = |&class: &usize| Component {
            size: net.size(class).into(),
            colour_of: slots.classes[class].colour_of.clone(),
            slot_of: slots.classes[class].slot_of.clone(),
        };
        let components: Vec<Component> = place.sort.iter().map(component).collect();
        let in_order = |one: &Component| one.slot_of.iter().zip(0..).all(|(&slot, k)| slot == k);
        let is_straight = components.iter().all(in_order);
        let constant = match kind {
            Kind::Constant => {
                place.initial.iter().map(|(&code, &count)| Token { code, count }).collect()
            }
            _ => Vec::new(),
        };
        let tuple =
            || Shape::Record(place.sort.iter().map(|&class| slots.shape(net, class)).collect());
        let tuples = net.tuples(&place.sort);
        let dimensions = place.sort.len();
        let (shape, cells) = match kind {
            Kind::Constant => (None, 0),
            Kind::Counts { most } => {
                let mut shape = Shape::Simple { low: 1, values: most, indices: Vec::new() };
                for &class in place.sort.iter().rev() {
                    let indices = slots.classes[class].indices.clone();
                    let length = net.size(class).into();
                    shape = Shape::Array { length, indices, element: Box::new(shape) };
                }
                (Some(shape), tuples as usize)
            }
            Kind::Single => (Some(tuple()), dimensions),
            Kind::Bag { capacity } => {
                let element = Box::new(tuple());
                (Some(Shape::Multiset { capacity, element }), capacity as usize * (1 + dimensions))
            }
        };
        shapes.extend(shape);
        places.push(PlaceLayout { kind, first, constant, components, tuples, is_straight });
        first += cells;
    }
    if shapes.is_empty() {
        // The engine keeps states of at least one word: a cell that is never written.
        shapes.push(Shape::range(0, 0));
    }
    (places, shapes)
}

fn kind(net: &Net, slots: &Slots, bounds: &Bounds, number: usize) -> Kind {
    let place = &net.places[number];
    if is_constant(net, number) && is_symmetric(net, slots, number) {
        return Kind::Constant;
    }
    // Some room is for nothing: all numbers of as many bits.
    let (most, total) = (bounds.most[number], bounds.total[number]);
    let width = bits(most);
    let tuples = net.tuples(&place.sort);
    let colours: u64 = place.sort.iter().map(|&class| bits(net.size(class).into())).sum();
    let counts = tuples.saturating_mul(width);
    if place.sort.is_empty() {
        return Kind::Counts { most: (1 << width) - 1 };
    }
    if total <= 1 && colours < counts {
        return Kind::Single;
    }
    // Numbers, or a single token, at the colours of one permuted class keep it *plain*: states are
    // sorted, or turned, by what they say of each colour. With a multiset a search would be needed.
    if matches!(place.sort[..], [class] if slots.is_permuted(class)) {
        return Kind::Counts { most: (1 << width) - 1 };
    }
    let capacity = total.next_power_of_two();
    let bag = capacity.saturating_mul(1 + colours);
    if (counts > 256 && bag.saturating_mul(4) <= counts || tuples > 1 << 22) && capacity <= 1 << 20
    {
        return Kind::Bag { capacity: capacity as u32 };
    }
    Kind::Counts { most: (1 << width) - 1 }
}

/// Whether every transition puts back what it takes.
fn is_constant(net: &Net, place: usize) -> bool {
    net.transitions.iter().all(|of| {
        let sum = |arcs: &[crate::net::Arc]| {
            arcs.iter()
                .find(|arc| arc.place == place)
                .map(|arc| arc.sum.clone())
                .unwrap_or_default()
        };
        sum(&of.inputs) == sum(&of.outputs)
    })
}

/// Whether the initial tokens of a place are left unchanged by every permutation of slots: what is not
/// in a state cannot be renamed.
fn is_symmetric(net: &Net, slots: &Slots, number: usize) -> bool {
    let place = &net.places[number];
    place.sort.iter().enumerate().all(|(position, &class)| {
        // For products with a class twice, only the simplest case.
        let is_twice = place.sort.iter().filter(|one| **one == class).count() > 1;
        slots.classes[class].indices.iter().all(|&(of, first)| {
            let (size, _) = slots.types[of.0 as usize];
            let members = first as u32..first as u32 + size;
            if is_twice {
                let is_full = place.initial.len() as u64 == net.tuples(&place.sort);
                let mut counts = place.initial.values();
                let first = counts.next();
                return place.initial.is_empty()
                    || (is_full && counts.all(|count| Some(count) == first));
            }
            // Equal numbers for every rest of the tuple are right for all groups.
            let mut by_rest = std::collections::BTreeMap::new();
            for (&code, &count) in &place.initial {
                let mut tuple = net.decode(&place.sort, code);
                let slot = slots.slot(class, tuple[position]);
                if members.contains(&slot) {
                    tuple[position] = 0;
                    by_rest
                        .entry(net.encode(&place.sort, tuple))
                        .or_insert_with(Vec::new)
                        .push(count);
                }
            }
            by_rest.values().all(|counts| {
                counts.len() == size as usize && counts.iter().all(|count| *count == counts[0])
            })
        })
    })
}

impl PlaceLayout {
    /// The colours of a tuple, appended.
    pub(super) fn colours(&self, code: u64, into: &mut Vec<u32>) {
        let start = into.len();
        into.resize(start + self.components.len(), 0);
        let mut rest = code;
        for (k, one) in self.components.iter().enumerate().rev() {
            into[start + k] = (rest % one.size) as u32;
            rest /= one.size;
        }
    }

    /// The position in the array of slots.
    fn slots_of(&self, code: u64) -> u64 {
        if self.is_straight {
            return code;
        }
        let (mut rest, mut factor, mut position) = (code, 1, 0);
        for one in self.components.iter().rev() {
            position += u64::from(one.slot_of[(rest % one.size) as usize]) * factor;
            rest /= one.size;
            factor *= one.size;
        }
        position
    }

    fn colours_of(&self, position: u64) -> u64 {
        if self.is_straight {
            return position;
        }
        let (mut rest, mut factor, mut code) = (position, 1, 0);
        for one in self.components.iter().rev() {
            code += u64::from(one.colour_of[(rest % one.size) as usize]) * factor;
            rest /= one.size;
            factor *= one.size;
        }
        code
    }

    /// The cell of the tokens of a colour, if there is one for each.
    pub(super) fn cell(&self, code: u64) -> usize {
        self.first + self.slots_of(code) as usize
    }

    /// The numbers of tokens of all colours, if they are kept.
    fn cells(&self) -> Range<usize> {
        self.first..self.first + self.tuples as usize
    }

    /// The tokens in a packed marking, in ascending order of their colours.
    pub(super) fn read(&self, layout: &Layout, packed: &[u64], into: &mut Vec<Token>) {
        into.clear();
        match self.kind {
            Kind::Constant => into.extend_from_slice(&self.constant),
            Kind::Counts { .. } => {
                layout.defined(packed, self.cells(), |cell, count| {
                    let code = self.colours_of((cell - self.first) as u64);
                    into.push(Token { code, count: count as u64 });
                });
            }
            Kind::Single => {
                if layout.get(packed, self.first) != UNDEFINED {
                    into.push(Token { code: self.tuple(layout, packed, self.first), count: 1 });
                }
            }
            Kind::Bag { capacity } => {
                let stride = 1 + self.components.len();
                for slot in 0..capacity as usize {
                    let cell = self.first + slot * stride;
                    if layout.get(packed, cell) == UNDEFINED {
                        break;
                    }
                    let code = self.tuple(layout, packed, cell + 1);
                    match into.last_mut() {
                        Some(last) if last.code == code => last.count += 1,
                        _ => into.push(Token { code, count: 1 }),
                    }
                }
            }
        }
        if !self.is_straight {
            into.sort_unstable_by_key(|token| token.code);
        }
    }

    fn tuple(&self, layout: &Layout, packed: &[u64], first: usize) -> u64 {
        let components = self.components.iter().enumerate();
        components.fold(0, |code, (k, one)| {
            let slot = layout.get(packed, first + k) as usize;
            code * one.size + u64::from(one.colour_of[slot])
        })
    }

    /// The number of tokens.
    pub(super) fn total(&self, layout: &Layout, packed: &[u64]) -> u64 {
        match self.kind {
            Kind::Constant => self.constant.iter().map(|token| token.count).sum(),
            Kind::Counts { .. } => {
                let mut total = 0;
                layout.defined(packed, self.cells(), |_, count| total += count as u64);
                total
            }
            Kind::Single => u64::from(layout.get(packed, self.first) != UNDEFINED),
            Kind::Bag { capacity } => {
                let stride = 1 + self.components.len();
                let slots = 0..capacity as usize;
                slots
                    .take_while(|slot| layout.get(packed, self.first + slot * stride) != UNDEFINED)
                    .count() as u64
            }
        }
    }

    /// Writes all tokens of the place; says whether there is room.
    pub(super) fn write(&self, layout: &Layout, packed: &mut [u64], tokens: &[(u64, u64)]) -> bool {
        let total: u64 = tokens.iter().map(|(_, count)| count).sum();
        match self.kind {
            Kind::Constant => true,
            Kind::Counts { most } => {
                for position in 0..self.tuples as usize {
                    layout.set(packed, self.first + position, UNDEFINED);
                }
                for &(code, count) in tokens {
                    if count > most {
                        return false;
                    }
                    layout.set(packed, self.cell(code), count as i64);
                }
                true
            }
            Kind::Single => {
                if total > 1 {
                    return false;
                }
                let token = tokens.iter().find(|(_, count)| *count > 0).map(|(code, _)| *code);
                self.put(layout, packed, self.first, token);
                true
            }
            Kind::Bag { capacity } => {
                if total > u64::from(capacity) {
                    return false;
                }
                // In ascending order of slots: the engine keeps them so.
                let mut all: Vec<u64> = Vec::with_capacity(total as usize);
                for &(code, count) in tokens {
                    all.extend((0..count).map(|_| self.slots_of(code)));
                }
                all.sort_unstable();
                let stride = 1 + self.components.len();
                for slot in 0..capacity as usize {
                    let cell = self.first + slot * stride;
                    let token = all.get(slot).map(|&position| self.colours_of(position));
                    let presence = if token.is_some() { PRESENT } else { UNDEFINED };
                    layout.set(packed, cell, presence);
                    self.put(layout, packed, cell + 1, token);
                }
                true
            }
        }
    }

    /// Writes the colours of a token, or none.
    fn put(&self, layout: &Layout, packed: &mut [u64], first: usize, token: Option<u64>) {
        let mut rest = token.unwrap_or(0);
        for (k, one) in self.components.iter().enumerate().rev() {
            let slot = i64::from(one.slot_of[(rest % one.size) as usize]);
            rest /= one.size;
            let value = if token.is_some() { slot } else { UNDEFINED };
            layout.set(packed, first + k, value);
        }
    }
}
