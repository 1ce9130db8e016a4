//! Reading the body of a certificate: its layout, and nothing of its meaning.
//!
//! ```text
//! body        = states, for each claim its part
//! states      = for each start state that is not cut: arc;
//!               for each listed state, for each of its steps that is not cut: arc;
//!               if there are assumptions, for each listed state: number, 0 if it is not removed
//! arc         = listed state (states known so far - its number; 0: the next one), renaming
//! renaming    = number of one that is known, or the next one and its images, type by type
//! invariant, no deadlock
//!             = nothing
//! liveness    = for each choice, for each listed state: distance
//! formula     = for each tuple: the tuple that is proved, renaming;
//!               count, so many families;
//!               count, so many lists of obligations;
//!               for each listed state that is not removed: count, so many nodes;
//!               count, so many reasons
//! node        = tuple, number of a list, rank
//! family      = number; if its objects are events: count, so many (event, renaming)
//! reason      = 0 | 1, obligation | 2, family, for each node of this rank or more: list of objects |
//!               3, count, so many (part, listed state, step) |
//!               4, for each node of this rank or more: list of its part, empty if that is 0
//! list        = count, the first number, then what is left out between each and the next
//! ```

use crate::elimination::{NodeSets, Reason};
use crate::families::{Family, Objects};
use crate::product::{Node, Nodes, Product};
use crate::space::{Arcs, Space};
use crate::verdict::{Refusal, malformed};
use crate::wire::Reader;
use judge::{Reference, Renaming, Vocabulary};
use std::collections::HashSet;

impl<R: Reference, I: std::io::Read> Arcs<R> for Reader<I> {
    fn image(
        &mut self,
        _: &<R::Vocabulary as Vocabulary>::State,
        space: &mut Space<'_, R>,
    ) -> Result<(u32, u32), Refusal> {
        let known = space.states.len();
        let back = self.below(known + 1)?;
        Ok((known as u32 - back, renaming(self, space)?))
    }

    fn removed(&mut self, space: &Space<'_, R>) -> Result<Vec<u32>, Refusal> {
        (0..space.states.len()).map(|_| self.below(u32::MAX as usize)).collect()
    }
}

/// The number of a renaming, which is added to the space if it is the next one.
fn renaming<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    space: &mut Space<'_, R>,
) -> Result<u32, Refusal> {
    let known = space.renamings.len();
    let number = body.below(known + 1)?;
    if (number as usize) < known {
        return Ok(number);
    }
    let mut images = Vec::new();
    for of in space.reference.index_types() {
        let size = of.size as usize;
        images.push((0..size).map(|_| body.below(size)).collect::<Result<_, _>>()?);
    }
    let new = Renaming::new(images).ok_or_else(|| malformed("two values have one image"))?;
    space.add_renaming(new)
}

/// The distances of a `liveness` property: a list for each choice.
pub(crate) fn distances<I: std::io::Read>(
    body: &mut Reader<I>,
    choices: u64,
    states: usize,
) -> Result<Vec<Vec<u32>>, Refusal> {
    let choices = run::polled(0..choices);
    choices.map(|_| (0..states).map(|_| body.below(u32::MAX as usize)).collect()).collect()
}

/// For each tuple: the one that is proved, and the renaming that takes it there.
pub(crate) fn tuples<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    space: &mut Space<'_, R>,
    count: usize,
) -> Result<Vec<(u32, u32)>, Refusal> {
    (0..count).map(|_| Ok((body.below(count)?, renaming(body, space)?))).collect()
}

/// The nodes, and their ranks.
pub(crate) fn nodes<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    product: &Product<'_, R>,
) -> Result<(Nodes, Vec<u32>), Refusal> {
    let (mut nodes, mut ranks) = (Nodes::default(), Vec::new());
    for number in 0..body.below(u32::MAX as usize)? {
        if nodes.sets.add(body.ascending(product.obligations.count())?) != number {
            return Err(malformed("it has a set of obligations twice"));
        }
    }
    for state in 0..product.space.states.len() as u32 {
        let count = if product.space.is_removed(state) { 0 } else { body.number()? };
        for _ in 0..count {
            let tuple = body.below(product.tuples.count())?;
            let node = Node { state, tuple, set: body.below(nodes.sets.all().len())? };
            if !nodes.add(node) {
                return Err(malformed("its nodes are not in order"));
            }
            ranks.push(body.below(u32::MAX as usize)?);
        }
        nodes.end_state();
    }
    Ok((nodes, ranks))
}

/// A family, and images of its events: the number of an event, and of a renaming.
pub(crate) type Listed = (Family, Vec<(u32, u32)>);

/// The families of objects that reasons speak about.
pub(crate) fn families<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    space: &mut Space<'_, R>,
) -> Result<Vec<Listed>, Refusal> {
    let mut families = Vec::new();
    // There are four besides those that are declared.
    for _ in 0..body.below(space.reference.requirements().len() + 5)? {
        let family = Family::of_number(body.below(u32::MAX as usize)?);
        let mut more = Vec::new();
        if matches!(family, Family::Events(_)) {
            for _ in 0..body.number()? {
                let event = body.below(u32::MAX as usize)?;
                more.push((event, renaming(body, space)?));
            }
        }
        families.push((family, more));
    }
    Ok(families)
}

/// The reasons of all moments.
pub(crate) fn reasons<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    product: &Product<'_, R>,
    ranks: &[u32],
    families: &[Objects<'_, R>],
) -> Result<Vec<Reason>, Refusal> {
    let mut reasons = Vec::new();
    // The nodes of this moment or more.
    let mut left: Vec<u32> = (0..ranks.len() as u32).collect();
    let mut sets = |body: &mut Reader<I>, moment, bound| {
        left.retain(|&node| ranks[node as usize] >= moment);
        let mut sets = NodeSets::default();
        for &node in &left {
            sets.push(node, &body.ascending(bound)?);
        }
        Ok::<_, Refusal>(sets)
    };
    for moment in 0..body.below(u32::MAX as usize)? {
        reasons.push(match body.number()? {
            0 => Reason::Trim,
            1 => {
                let until = body.below(product.obligations.count())?;
                if !product.obligations.is_until(until) {
                    return Err(malformed("a reason names an obligation that is no until"));
                }
                Reason::Until(until)
            }
            2 => {
                let family = body.below(families.len())?;
                Reason::Unserved(family, sets(body, moment, families[family as usize].count())?)
            }
            3 => {
                let mut untaken = HashSet::new();
                for _ in 0..body.number()? {
                    let part = body.below(u32::MAX as usize)?;
                    let state = body.below(product.space.states.len())?;
                    let steps = product.space.steps(state);
                    let step = steps[body.below(steps.len())? as usize];
                    untaken.insert((part, product.class(state), product.class_of(step)));
                }
                Reason::Class(untaken)
            }
            4 => Reason::Order(sets(body, moment, u32::MAX as usize)?),
            other => return Err(malformed(&format!("there is no reason {other}"))),
        });
    }
    Ok(reasons)
}
