//! The marking after a transition has fired.

use super::PackedNet;
use super::binding::{Tokens, tuples};
use super::places::Kind;
use crate::game::Fault;
use crate::pnml::MOST_TOKENS;
use engine::system::FaultId;
use engine::system::layout::UNDEFINED;

/// Scratch memory of firings.
#[derive(Default)]
pub(super) struct Firings {
    sum: Vec<(u64, i64)>,
    /// Place, colour, difference.
    changes: Vec<(usize, u64, i64)>,
    /// All tokens of a place that is written anew.
    tokens: Vec<(u64, u64)>,
}

impl Firings {
    /// Changes a copy of the source into the target; says whether they are equal.
    pub(super) fn fire(
        &mut self,
        net: &PackedNet<'_>,
        transition: usize,
        binding: &[u32],
        source: &Tokens,
        target: &mut [u64],
    ) -> Result<bool, FaultId> {
        let plan = &net.plans[transition];
        self.changes.clear();
        for (arcs, sign) in [(&plan.inputs, -1), (&plan.outputs, 1)] {
            for arc in arcs {
                if !super::is_kept(&net.places[arc.place].kind) {
                    continue;
                }
                tuples(net, arc, binding, &mut self.sum);
                if sign > 0 && self.sum.iter().any(|(_, number)| *number < 0) {
                    return Err(negative(net, transition, arc.place));
                }
                let changes =
                    self.sum.iter().map(|&(code, number)| (arc.place, code, sign * number));
                self.changes.extend(changes);
            }
        }
        self.changes.sort_unstable();
        let mut stutters = true;
        let mut at = 0;
        while at < self.changes.len() {
            let place = self.changes[at].0;
            let behind = self.changes[at..].iter().take_while(|one| one.0 == place).count() + at;
            let mut kept = at;
            for k in at..behind {
                let (_, code, number) = self.changes[k];
                if kept > at && self.changes[kept - 1].1 == code {
                    self.changes[kept - 1].2 += number;
                } else {
                    self.changes[kept] = (place, code, number);
                    kept += 1;
                }
            }
            stutters &= self.place(net, place, (at, kept), source, target)?;
            at = behind;
        }
        Ok(stutters)
    }

    /// Changes a place; says whether it stays as it is.
    fn place(
        &mut self,
        net: &PackedNet<'_>,
        place: usize,
        (first, behind): (usize, usize),
        source: &Tokens,
        target: &mut [u64],
    ) -> Result<bool, FaultId> {
        let changes = &self.changes[first..behind];
        if changes.iter().all(|(.., number)| *number == 0) {
            return Ok(true);
        }
        let of = &net.places[place];
        let grows = changes.iter().map(|(.., number)| number).sum::<i64>() > 0;
        let limited = net.net.places[place].safe.is_some() || grows;
        if limited {
            let before: u64 = source.tokens[place].iter().map(|token| token.count).sum();
            let change: i64 = changes.iter().map(|(.., number)| number).sum();
            let total = before as i64 + change;
            let id = || net.net.places[place].id.clone();
            if total > MOST_TOKENS as i64 {
                return Err(net.number(Fault::TooMany { place, id: id() }));
            }
            if net.net.places[place].safe.is_some() && total > 1 {
                return Err(net.number(Fault::Unsafe { place, id: id() }));
            }
        }
        if let Kind::Counts { most } = of.kind {
            for &(_, code, number) in changes.iter().filter(|(.., number)| *number != 0) {
                let cell = of.cell(code);
                let before = net.layout.get(target, cell);
                let before = if before == UNDEFINED { 0 } else { before };
                let after = before + number;
                if after as u64 > most {
                    return Err(net.raise(place, after as u64, after as u64));
                }
                net.layout.set(target, cell, if after == 0 { UNDEFINED } else { after });
            }
            return Ok(false);
        }
        let tokens = &mut self.tokens;
        tokens.clear();
        tokens.extend(source.tokens[place].iter().map(|token| (token.code, token.count)));
        for &(_, code, number) in changes {
            match tokens.binary_search_by_key(&code, |one| one.0) {
                Ok(at) => tokens[at].1 = (tokens[at].1 as i64 + number) as u64,
                Err(at) => tokens.insert(at, (code, number as u64)),
            }
        }
        tokens.retain(|(_, count)| *count > 0);
        if !of.write(&net.layout, target, tokens) {
            let most = tokens.iter().map(|one| one.1).max().unwrap_or(0);
            let total = tokens.iter().map(|one| one.1).sum();
            return Err(net.raise(place, most, total));
        }
        Ok(false)
    }
}

/// An arc subtracts more than it adds.
pub(super) fn negative(net: &PackedNet<'_>, transition: usize, place: usize) -> FaultId {
    let ids = (net.net.transitions[transition].id.clone(), net.net.places[place].id.clone());
    net.number(Fault::Negative { transition, ids })
}
