//! Colours that can be exchanged in one marking, and bindings up to that.
//!
//! Two colours of a block are *alike* in a marking if it stays the same when they are exchanged. The
//! products H of permutations of alike colours fix the marking, so that H is a subgroup of its
//! stabiliser, and bindings that H maps to each other are equivalent steps. Of these the engine keeps the
//! one whose arguments are least, under the whole stabiliser. That one is least under H, too. A binding
//! is least under H exactly if its variables, in order, take the colours of each class of alike ones in
//! the order of their slots: each either was taken before or is the first that was not. Only such
//! bindings are made: then N colours are bound in a few ways, not in N.
//!
//! This is for searches that need one step of each orbit, and not for those that count steps.

use super::PackedNet;
use super::binding::Tokens;
use hashbrown::HashMap;

/// The alike colours of a marking.
#[derive(Default)]
pub(super) struct Alike {
    /// By class, by colour: the number of its set of alike colours.
    set_of: Vec<Vec<u32>>,
    /// By class, by colour: how many colours of its set are in earlier slots.
    rank_of: Vec<Vec<u32>>,
    refined: HashMap<(u32, u64, u64), u32>,
    counts: Vec<u32>,
    /// The sets that a binding has met, with the number of their colours.
    met: Vec<(usize, u32, u32)>,
}

impl Alike {
    /// Divides the colours by the tokens of a marking. Colours whose exchange changes it get different
    /// sets.
    pub(super) fn divide(&mut self, net: &PackedNet<'_>, tokens: &Tokens) {
        let classes = net.net.classes.len();
        self.set_of.resize(classes, Vec::new());
        self.rank_of.resize(classes, Vec::new());
        for class in 0..classes {
            if !net.exchanges[class] {
                continue;
            }
            let mut next = 0;
            let set_of = &mut self.set_of[class];
            set_of.clear();
            set_of.extend_from_slice(&net.symmetry.classes[class].block_of);
            next += set_of.iter().max().map_or(0, |most| most + 1);
            for (place, of) in net.net.places.iter().enumerate() {
                if !super::is_kept(&net.places[place].kind) {
                    continue;
                }
                let mut positions = (0..of.sort.len()).filter(|&k| of.sort[k] == class);
                let Some(position) = positions.next() else { continue };
                let is_twice = positions.next().is_some();
                self.refined.clear();
                let dimensions = of.sort.len();
                let factor = net.net.tuples(&of.sort[position + 1..]);
                for (at, token) in tokens.tokens[place].iter().enumerate() {
                    let tuple = &tokens.colours[place][at * dimensions..(at + 1) * dimensions];
                    if is_twice {
                        // A set of its own: whether an exchange changes more is not asked.
                        for &colour in tuple
                            .iter()
                            .zip(&of.sort)
                            .filter(|(_, of)| **of == class)
                            .map(|(c, _)| c)
                        {
                            set_of[colour as usize] = next;
                            next += 1;
                        }
                        continue;
                    }
                    let colour = tuple[position];
                    let rest = token.code - u64::from(colour) * factor;
                    let set = &mut set_of[colour as usize];
                    // Tokens come in ascending order: colours with the same tokens meet the same keys
                    // in the same order, and others do not.
                    *set = *self.refined.entry((*set, rest, token.count)).or_insert_with(|| {
                        next += 1;
                        next - 1
                    });
                }
            }
            self.counts.clear();
            self.counts.resize(next as usize, 0);
            let rank_of = &mut self.rank_of[class];
            rank_of.clear();
            rank_of.resize(set_of.len(), 0);
            for slot in 0..set_of.len() as u32 {
                let colour = net.slots.colour(class, slot) as usize;
                let count = &mut self.counts[set_of[colour] as usize];
                rank_of[colour] = *count;
                *count += 1;
            }
        }
    }

    /// Whether a binding with this colour can be least, if it has so many variables of the class.
    pub(super) fn may_be_least(&self, class: usize, colour: u32, variables: u32) -> bool {
        self.rank_of[class][colour as usize] < variables
    }

    /// Whether a binding is least.
    pub(super) fn is_least(
        &mut self,
        net: &PackedNet<'_>,
        classes: &[usize],
        binding: &[u32],
    ) -> bool {
        self.met.clear();
        for (&class, &colour) in classes.iter().zip(binding) {
            if !net.exchanges[class] {
                continue;
            }
            let (set, rank) =
                (self.set_of[class][colour as usize], self.rank_of[class][colour as usize]);
            let known = self.met.iter_mut().find(|one| (one.0, one.1) == (class, set));
            match known {
                Some((.., count)) if rank < *count => {}
                Some((.., count)) if rank == *count => *count += 1,
                None if rank == 0 => self.met.push((class, set, 1)),
                _ => return false,
            }
        }
        true
    }
}
