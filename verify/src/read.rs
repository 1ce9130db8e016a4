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
//!               3, listed state, step
//! list        = count, the first number, then what is left out between each and the next
//! ```

use crate::elimination::{Reason, Unserved};
use crate::families::{Family, Objects};
use crate::product::{Node, Nodes, Product};
use crate::space::{Arc, Arcs, By, Space};
use crate::verdict::{Demands, Refusal, malformed};
use crate::wire::Reader;
use judge::{IndexType, Reference, Renaming};

/// Reads what states are images of.
pub(crate) struct Arriving<'b, I: std::io::Read> {
    body: &'b mut Reader<I>,
    types: Vec<IndexType>,
    renamings: usize,
}

impl<'b, I: std::io::Read> Arriving<'b, I> {
    /// The first renaming, which is known, changes nothing.
    pub(crate) fn new(body: &'b mut Reader<I>, types: Vec<IndexType>) -> Self {
        Arriving { body, types, renamings: 1 }
    }

    fn arc(&mut self, known: usize) -> Result<Arc, Refusal> {
        let back = self.body.below(known + 1)?;
        Ok(Arc { source: known as u32 - back, by: self.renaming()? })
    }

    fn renaming(&mut self) -> Result<By, Refusal> {
        let by = renaming(self.body, &self.types, self.renamings)?;
        self.renamings += usize::from(matches!(by, By::New(_)));
        Ok(by)
    }
}

/// Reads a renaming, when so many are known.
fn renaming<I: std::io::Read>(
    body: &mut Reader<I>,
    types: &[IndexType],
    known: usize,
) -> Result<By, Refusal> {
    let number = body.below(known + 1)?;
    if (number as usize) < known {
        return Ok(By::Known(number));
    }
    let mut images = Vec::new();
    for of in types {
        let size = of.size as usize;
        let of: Result<Vec<u32>, Refusal> = (0..size).map(|_| body.below(size)).collect();
        images.push(of?);
    }
    Renaming::new(images).map(By::New).ok_or_else(|| malformed("two values have one image"))
}

impl<S, I: std::io::Read> Arcs<S> for Arriving<'_, I> {
    fn start(&mut self, _: &S, known: usize) -> Result<Arc, Refusal> {
        self.arc(known)
    }

    fn step(&mut self, _: &S, _: &S, known: usize) -> Result<Arc, Refusal> {
        self.arc(known)
    }

    fn removed<R: Reference>(&mut self, space: &Space<'_, R>) -> Result<Vec<u32>, Refusal> {
        (0..space.len()).map(|_| self.body.below(u32::MAX as usize)).collect()
    }
}

/// The distances of a `liveness` property: a list for each choice.
pub(crate) fn distances<I: std::io::Read>(
    body: &mut Reader<I>,
    choices: u64,
    states: usize,
) -> Result<Vec<Vec<u32>>, Refusal> {
    let mut all = Vec::new();
    for _ in 0..choices {
        let list: Result<_, Refusal> = (0..states).map(|_| body.below(u32::MAX as usize)).collect();
        all.push(list?);
    }
    Ok(all)
}

/// For each tuple: the one that is proved, and the renaming that takes it there.
pub(crate) fn tuples<I: std::io::Read, R: Reference + Sync>(
    body: &mut Reader<I>,
    space: &mut Space<'_, R>,
    count: usize,
    demands: Demands,
) -> Result<Vec<(u32, u32)>, Refusal> {
    let types = space.reference.index_types();
    let mut all = Vec::new();
    for _ in 0..count {
        let proved = body.below(count)?;
        let by = renaming(body, &types, space.renamings.len())?;
        all.push((proved, space.renaming(by, demands)?));
    }
    Ok(all)
}

/// The nodes, and their ranks.
pub(crate) fn nodes<I: std::io::Read, R: Reference>(
    body: &mut Reader<I>,
    product: &Product<'_, R>,
) -> Result<(Nodes, Vec<u32>), Refusal> {
    let mut sets = Vec::new();
    for _ in 0..body.number()? {
        sets.push(body.ascending(product.obligations.len())?);
    }
    let (mut list, mut ranks) = (Vec::new(), Vec::new());
    for state in (0..product.space.len() as u32).filter(|&one| !product.space.is_removed(one)) {
        for _ in 0..body.number()? {
            let (tuple, set) = (body.below(product.tuples.len())?, body.below(sets.len())?);
            list.push(Node { state, tuple, set });
            ranks.push(body.below(u32::MAX as usize)?);
        }
    }
    match Nodes::new(product.space.len(), sets, list) {
        Some(nodes) => Ok((nodes, ranks)),
        None => Err(malformed("its nodes or sets are not in order")),
    }
}

/// A family, and images of its events: the number of an event, and of a renaming.
pub(crate) type Listed = (Family, Vec<(u32, u32)>);

/// The families of objects that reasons speak about.
pub(crate) fn families<I: std::io::Read, R: Reference + Sync>(
    body: &mut Reader<I>,
    space: &mut Space<'_, R>,
    demands: Demands,
) -> Result<Vec<Listed>, Refusal> {
    let types = space.reference.index_types();
    let mut families = Vec::new();
    for _ in 0..body.number()? {
        let family = Family::of_number(body.below(u32::MAX as usize)?);
        let mut more = Vec::new();
        if matches!(family, Family::Events(_)) {
            for _ in 0..body.number()? {
                let event = body.below(u32::MAX as usize)?;
                let by = renaming(body, &types, space.renamings.len())?;
                more.push((event, space.renaming(by, demands)?));
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
    for moment in 0..body.number()? {
        reasons.push(match body.number()? {
            0 => Reason::Trim,
            1 => {
                let until = body.below(product.obligations.len())?;
                if !product.obligations.is_until(until) {
                    return Err(malformed("a reason names an obligation that is no until"));
                }
                Reason::Until(until)
            }
            2 => {
                let family = body.below(families.len())?;
                let bound = families[family as usize].len();
                let mut objects = Unserved::default();
                for &rank in ranks {
                    let is_left = u64::from(rank) >= moment;
                    objects.push(&if is_left { body.ascending(bound)? } else { Vec::new() });
                }
                Reason::Unserved { family, objects }
            }
            3 => {
                let state = body.below(product.space.len())?;
                Reason::Class { state, step: body.below(u32::MAX as usize)? }
            }
            other => return Err(malformed(&format!("there is no reason {other}"))),
        });
    }
    Ok(reasons)
}
