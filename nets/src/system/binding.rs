//! The bindings of a transition that are enabled in a marking.

use super::PackedNet;
use super::alike::Alike;
use super::places::Token;
use super::plan::{FlatArc, Op, Plan};
use crate::net::{Base, Guard, Part, Side, Term};
use std::ops::Range;

/// The tokens of all places of one marking.
#[derive(Default)]
pub(super) struct Tokens {
    /// By place, in ascending order of codes.
    pub(super) tokens: Vec<Vec<Token>>,
    /// By place: the colours of each token, one tuple after the other.
    pub(super) colours: Vec<Vec<u32>>,
}

impl Tokens {
    pub(super) fn new(places: usize) -> Tokens {
        Tokens { tokens: vec![Vec::new(); places], colours: vec![Vec::new(); places] }
    }

    /// Reads a packed marking.
    pub(super) fn load(&mut self, net: &PackedNet<'_>, packed: &[u64]) {
        for (number, place) in net.places.iter().enumerate() {
            let (tokens, colours) = (&mut self.tokens[number], &mut self.colours[number]);
            place.read(&net.layout, packed, tokens);
            colours.clear();
            for token in tokens.iter() {
                place.colours(token.code, colours);
            }
        }
    }

    /// The number of tokens of a colour.
    pub(super) fn count(&self, place: usize, code: u64) -> u64 {
        let tokens = &self.tokens[place];
        let found = tokens.binary_search_by_key(&code, |token| token.code);
        found.map_or(0, |at| tokens[at].count)
    }
}

/// A search for bindings of one transition.
pub(super) struct Search<'s, 'n> {
    pub(super) net: &'s PackedNet<'n>,
    pub(super) plan: &'s Plan,
    pub(super) tokens: &'s Tokens,
    /// The binding; a variable that has no colour yet has [`OPEN`].
    pub(super) binding: &'s mut Vec<u32>,
    /// Tuples of an arc, while it is tested.
    pub(super) sum: &'s mut Vec<(u64, i64)>,
    /// If only least bindings are wanted.
    pub(super) alike: Option<&'s mut Alike>,
}

/// No colour.
pub(super) const OPEN: u32 = u32::MAX;

/// Why a search ends before all bindings were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Continue,
    Stop,
}

/// The input arc that subtracts more than it adds.
pub(super) struct Negative(pub(super) usize);

impl Search<'_, '_> {
    /// Calls `each` for every binding that is enabled, or whose arcs are wrong.
    pub(super) fn all(&mut self, each: &mut dyn FnMut(&[u32], Option<Negative>) -> Flow) -> Flow {
        self.binding.clear();
        self.binding.resize(self.plan.sizes.len(), OPEN);
        self.from(0, each)
    }

    fn from(&mut self, op: usize, each: &mut dyn FnMut(&[u32], Option<Negative>) -> Flow) -> Flow {
        let plan = self.plan;
        let Some(now) = plan.ops.get(op) else {
            if let Some(alike) = &mut self.alike
                && !alike.is_least(self.net, &plan.classes, self.binding)
            {
                return Flow::Continue;
            }
            return match self.is_enabled() {
                Ok(false) => Flow::Continue,
                Ok(true) => each(self.binding, None),
                Err(negative) => each(self.binding, Some(negative)),
            };
        };
        match now {
            Op::Test(guard) => {
                if self.allows(guard) {
                    self.from(op + 1, each)
                } else {
                    Flow::Continue
                }
            }
            Op::Assign { variable, shift, from } => {
                let size = self.plan.sizes[*variable];
                self.binding[*variable] = (value(*from, self.binding) + size - shift) % size;
                let flow = self.from(op + 1, each);
                self.binding[*variable] = OPEN;
                flow
            }
            Op::Enumerate { variable } => {
                for colour in 0..self.plan.sizes[*variable] {
                    run::poll();
                    if self.is_late(*variable, colour) {
                        continue;
                    }
                    self.binding[*variable] = colour;
                    if self.from(op + 1, each) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                self.binding[*variable] = OPEN;
                Flow::Continue
            }
            Op::Match { place, terms, count } => self.matched(op, (*place, terms, *count), each),
        }
    }

    /// Whether no least binding gives a variable this colour.
    fn is_late(&self, variable: usize, colour: u32) -> bool {
        let class = self.plan.classes[variable];
        match &self.alike {
            Some(alike) if self.net.exchanges[class] => {
                !alike.may_be_least(class, colour, self.plan.alike_variables[variable])
            }
            _ => false,
        }
    }

    /// Matches a term with tokens.
    fn matched(
        &mut self,
        op: usize,
        (place, terms, count): (usize, &[Term], u64),
        each: &mut dyn FnMut(&[u32], Option<Negative>) -> Flow,
    ) -> Flow {
        let is_open =
            |term: &Term| matches!(term.base, Base::Variable(at) if self.binding[at] == OPEN);
        if !terms.iter().any(is_open) {
            let sort = &self.net.net.places[place].sort;
            let code =
                self.net.net.encode(sort, terms.iter().map(|term| value(*term, self.binding)));
            if self.tokens.count(place, code) < count {
                return Flow::Continue;
            }
            return self.from(op + 1, each);
        }
        let tokens = self.tokens;
        let dimensions = terms.len();
        for at in self.beginning(place, terms) {
            let token = &tokens.tokens[place][at];
            if token.count < count {
                continue;
            }
            run::poll();
            let colours = &tokens.colours[place][at * dimensions..(at + 1) * dimensions];
            // The variables that this token binds, as bits of their positions among the terms.
            let mut new = 0_u64;
            let mut is_match = true;
            for (k, (term, &colour)) in terms.iter().zip(colours).enumerate() {
                match term.base {
                    Base::Variable(variable) if self.binding[variable] == OPEN => {
                        let value = (colour + term.size - term.shift) % term.size;
                        if self.is_late(variable, value) {
                            is_match = false;
                            break;
                        }
                        self.binding[variable] = value;
                        new |= 1 << k;
                    }
                    _ if value(*term, self.binding) == colour => {}
                    _ => {
                        is_match = false;
                        break;
                    }
                }
            }
            let flow = if is_match { self.from(op + 1, each) } else { Flow::Continue };
            for (k, term) in terms.iter().enumerate() {
                if new >> k & 1 == 1
                    && let Base::Variable(variable) = term.base
                {
                    self.binding[variable] = OPEN;
                }
            }
            if flow == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    /// The tokens of a place, by position, that begin with the colours of the first terms as far as these
    /// are bound: tokens are in ascending order.
    fn beginning(&self, place: usize, terms: &[Term]) -> Range<usize> {
        let (mut low, mut count) = (0, 1);
        let sort = &self.net.net.places[place].sort;
        let mut is_bound = true;
        for (term, &class) in terms.iter().zip(sort) {
            is_bound &= !matches!(term.base, Base::Variable(at) if self.binding[at] == OPEN);
            let size = u64::from(self.net.net.size(class));
            if is_bound {
                low = low * size + u64::from(value(*term, self.binding));
            } else {
                (low, count) = (low * size, count * size);
            }
        }
        let tokens = &self.tokens.tokens[place];
        if count == self.net.net.tuples(sort) {
            return 0..tokens.len();
        }
        let before = |code: u64| tokens.partition_point(|token| token.code < code);
        before(low)..before(low + count)
    }

    /// Whether the places have the tokens of arcs that are not matched term by term.
    fn is_enabled(&mut self) -> Result<bool, Negative> {
        let mut is_enabled = true;
        for (number, arc) in self.plan.inputs.iter().enumerate() {
            if arc.is_matched {
                continue;
            }
            tuples(self.net, arc, self.binding, self.sum);
            if self.sum.iter().any(|&(_, count)| count < 0) {
                return Err(Negative(number));
            }
            let has =
                |&(code, count): &(u64, i64)| self.tokens.count(arc.place, code) >= count as u64;
            is_enabled = is_enabled && self.sum.iter().all(has);
        }
        Ok(is_enabled)
    }

    fn allows(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Constant(value) => *value,
            Guard::And(parts) => parts.iter().all(|part| self.allows(part)),
            Guard::Or(parts) => parts.iter().any(|part| self.allows(part)),
            Guard::Not(part) => !self.allows(part),
            Guard::Compare(comparison, left, right) => {
                comparison.holds(self.side(left), self.side(right))
            }
        }
    }

    fn side(&self, side: &Side) -> u32 {
        let colour = value(side.term, self.binding);
        side.partition.map_or(colour, |of| self.net.net.partitions[of].element_of[colour as usize])
    }
}

/// The colour of a term whose variable is bound.
fn value(term: Term, binding: &[u32]) -> u32 {
    let colour = match term.base {
        Base::Variable(at) => binding[at],
        Base::Colour(colour) => colour,
    };
    let moved = colour + term.shift;
    if moved >= term.size { moved - term.size } else { moved }
}

/// The tuples that an arc stands for, in ascending order, each once and none with 0.
pub(super) fn tuples(
    net: &PackedNet<'_>,
    arc: &FlatArc,
    binding: &[u32],
    sum: &mut Vec<(u64, i64)>,
) {
    sum.clear();
    let sort = &net.net.places[arc.place].sort;
    for (number, parts) in &arc.sum {
        let start = sum.len();
        sum.push((0, *number));
        for (part, &class) in parts.iter().zip(sort) {
            let size = u64::from(net.net.size(class));
            match part {
                Part::One(term) => {
                    let colour = u64::from(value(*term, binding));
                    sum[start..].iter_mut().for_each(|(code, _)| *code = *code * size + colour);
                }
                Part::All => {
                    let before = sum.len();
                    for colour in 1..size {
                        for at in start..before {
                            let (code, number) = sum[at];
                            sum.push((code * size + colour, number));
                        }
                    }
                    sum[start..before].iter_mut().for_each(|(code, _)| *code *= size);
                }
            }
        }
    }
    if sum.len() > 1 {
        sum.sort_unstable_by_key(|&(code, _)| code);
        let mut kept = 0;
        for at in 0..sum.len() {
            let (code, number) = sum[at];
            if kept > 0 && sum[kept - 1].0 == code {
                sum[kept - 1].1 += number;
            } else {
                sum[kept] = (code, number);
                kept += 1;
            }
        }
        sum.truncate(kept);
    }
    sum.retain(|&(_, number)| number != 0);
}
