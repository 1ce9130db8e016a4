//! Nets as the engine sees them: packed markings.
//!
//! # How a place is kept
//! - One number of tokens for each tuple of colours: an array over the components.
//! - If it never has more than one token: the colours of that token.
//! - If it has few tokens of many colours: a multiset.
//! - If no transition changes it: not at all.
//!
//! A number of tokens is the code of its cell: no token is a cell that is undefined. Colours stand in
//! *slots*: those of one block of the [`Symmetry`] follow each other, so that the index type of a block
//! permutes them.
//!
//! # Bounds
//! A net does not say how many tokens a place may get. [`Bounds`] are guessed, and kept while states are made: a
//! marking that does not fit is never stored. The step is a fault ([`Fault::NoRoom`]), the bounds that
//! it needs are remembered ([`PackedNet::raised`]), and whoever has asked begins again with these. So
//! no token is lost, and a result counts only if nothing was raised.

mod alike;
mod atoms;
mod binding;
mod bounds;
mod climb;
mod firing;
mod places;
mod plan;
mod walk;
mod worker;

pub use bounds::Bounds;
pub use walk::{Cycle, Walk};

use crate::Condition;
use crate::game::{Fault, Firing, Game, Marking};
use crate::net::{Net, Tokens};
use crate::symmetry::Symmetry;
use atoms::FormulaAtoms;
use engine::symmetry::{IndexType, Indices};
use engine::system::{
    self, EventSummary, FamilySummary, FaultId, FaultSummary, Layout, OwnerSummary,
    PropertySummary, RuleSummary, Shape, System,
};
use places::{Kind, PlaceLayout, Slots};
use plan::Plan;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use terms::{EventId, FamilyId, Group};
use worker::NetWorker;

/// A net with its packed markings.
pub struct PackedNet<'n> {
    net: &'n Net,
    game: Game<'n>,
    symmetry: Symmetry,
    slots: Slots,
    layout: Layout,
    places: Vec<PlaceLayout>,
    plans: Vec<Plan>,
    bounds: Bounds,
    raised: Mutex<Option<Bounds>>,
    is_raised: Arc<AtomicBool>,
    faults: Mutex<Vec<Fault>>,
    watched: Vec<Watched>,
    /// By class: whether it is enough to make one step of those that exchanges of alike colours map to
    /// each other.
    exchanges: Vec<bool>,
}

/// A figure of which the largest value is wanted, among all markings that are expanded.
#[derive(Debug)]
pub struct Watched {
    figure: Figure,
    most: AtomicU64,
}

/// A number that depends on a marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Figure {
    /// The tokens of these places together; each is named once.
    Sum(Vec<usize>),
    /// The tokens of one colour of one of these places, at most.
    Single(Vec<usize>),
    /// 1 if a condition is true, else 0.
    Condition(Condition),
}

impl Watched {
    /// Nothing was seen yet.
    pub fn new(figure: Figure) -> Watched {
        Watched { figure, most: AtomicU64::new(0) }
    }

    /// The largest value that was seen.
    pub fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn see(&self, value: u64) {
        if value > self.most.load(Ordering::Relaxed) {
            self.most.fetch_max(value, Ordering::Relaxed);
        }
    }
}

impl<'n> PackedNet<'n> {
    /// A net with these symmetries and bounds.
    pub fn new(net: &'n Net, symmetry: Symmetry, bounds: Bounds) -> PackedNet<'n> {
        let slots = Slots::new(net, &symmetry);
        let (places, shapes) = places::layout(net, &slots, &bounds);
        let plans = (0..net.transitions.len()).map(|of| Plan::new(net, &places, of)).collect();
        PackedNet {
            net,
            game: Game::new(net, &symmetry),
            symmetry,
            slots,
            layout: Layout::new(shapes),
            places,
            plans,
            bounds,
            raised: Mutex::new(None),
            is_raised: Arc::default(),
            faults: Mutex::default(),
            watched: Vec::new(),
            exchanges: vec![false; net.classes.len()],
        }
    }

    /// The same, with one step for those that exchanges of alike colours map to each other: for searches
    /// over representatives that do not count steps.
    #[must_use]
    pub fn with_few_steps(mut self) -> PackedNet<'n> {
        let has_many = |blocks: &crate::symmetry::Blocks| {
            blocks.group == Group::Full && blocks.members().iter().any(|one| one.len() > 1)
        };
        self.exchanges = self.symmetry.classes.iter().map(has_many).collect();
        self
    }

    /// The same, with sums whose largest values are wanted.
    #[must_use]
    pub fn watching(self, watched: Vec<Watched>) -> PackedNet<'n> {
        PackedNet { watched, ..self }
    }

    /// The sums whose largest values are wanted.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// The net.
    pub fn net(&self) -> &'n Net {
        self.net
    }

    /// The token game.
    pub fn game(&self) -> &Game<'n> {
        &self.game
    }

    /// The symmetries.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// Bounds that some marking needs, if these were too small: then no result counts.
    pub fn raised(&self) -> Option<Bounds> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A watch that also stops when some bound was too small: what is left to do would be in vain.
    pub fn watch(&self, watch: &run::Watch) -> run::Watch {
        let (is_raised, watch) = (Arc::clone(&self.is_raised), watch.clone());
        run::Watch::new(move |now| {
            let in_vain =
                || is_raised.load(Ordering::Relaxed).then_some(run::StopReason::Interrupted);
            watch.report(now).or_else(in_vain)
        })
    }

    /// The atoms of a formula, for packed markings.
    pub fn formula_atoms<'a>(&'a self, formula: &'a crate::Formula) -> Box<dyn system::Atoms + 'a> {
        Box::new(FormulaAtoms::new(self, formula))
    }

    /// The marking of a packed one.
    pub fn marking(&self, packed: &[u64]) -> Marking {
        let mut tokens = Vec::new();
        self.places
            .iter()
            .map(|place| {
                place.read(&self.layout, packed, &mut tokens);
                tokens.iter().map(|token| (token.code, token.count)).collect::<Tokens>()
            })
            .collect()
    }

    /// A marking, packed. It was reached, so that there is room for it.
    pub fn packed(&self, marking: &Marking) -> Box<[u64]> {
        let mut packed = vec![0; self.layout.words()];
        for (place, tokens) in self.places.iter().zip(marking) {
            let tokens: Vec<(u64, u64)> =
                tokens.iter().map(|(&code, &count)| (code, count)).collect();
            assert!(place.write(&self.layout, &mut packed, &tokens), "a marking that was reached");
        }
        packed.into_boxed_slice()
    }

    /// The event of a step.
    pub fn firing(&self, rule: u32, arguments: &[i64]) -> Firing {
        let transition = rule as usize;
        let variables = &self.net.transitions[transition].variables;
        let colour =
            |(one, &slot): (&crate::net::Variable, &i64)| self.slots.colour(one.class, slot as u32);
        Firing { transition, binding: variables.iter().zip(arguments).map(colour).collect() }
    }

    /// The fault of a number.
    pub fn explain(&self, fault: FaultId) -> Fault {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)[fault.0 as usize].clone()
    }

    fn number(&self, fault: Fault) -> FaultId {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let known = faults.iter().position(|one| *one == fault);
        let number = known.unwrap_or_else(|| {
            faults.push(fault);
            faults.len() - 1
        });
        FaultId(number as u32)
    }

    /// Remembers that a place needs more room.
    fn raise(&self, place: usize, most: u64, total: u64) -> FaultId {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get_or_insert_with(|| self.bounds.clone()).raise(place, most, total);
        drop(raised);
        self.is_raised.store(true, Ordering::Relaxed);
        self.number(Fault::NoRoom)
    }

    /// The shape of a colour of a class.
    fn colour_shape(&self, class: usize) -> Shape {
        self.slots.shape(self.net, class)
    }
}

impl System for PackedNet<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        let mut packed = vec![0; self.layout.words()];
        for (number, place) in self.places.iter().enumerate() {
            let of = &self.net.places[number];
            let total: u64 = of.initial.values().sum();
            if of.safe.is_some() && total > 1 {
                let fault = Fault::Unsafe { place: number, id: of.id.clone() };
                return Box::new(std::iter::once(Err(self.number(fault))));
            }
            let tokens: Vec<(u64, u64)> =
                of.initial.iter().map(|(&code, &count)| (code, count)).collect();
            if !place.write(&self.layout, &mut packed, &tokens) {
                let most = of.initial.values().copied().max().unwrap_or(0);
                return Box::new(std::iter::once(Err(self.raise(number, most, total))));
            }
        }
        Box::new(std::iter::once(Ok(packed.into())))
    }

    /// The initial marking need not be symmetric.
    fn starts_are_closed(&self) -> bool {
        false
    }

    fn indices(&self) -> Indices {
        Indices::new(self.slots.types().map(|(size, group)| IndexType { size, group }))
    }

    fn rules(&self) -> Vec<RuleSummary> {
        let rule = |(number, of): (usize, &crate::net::Transition)| RuleSummary {
            event: EventId(number as u32),
            arguments: of.variables.iter().map(|one| self.colour_shape(one.class)).collect(),
            owner: OwnerSummary::Single(FamilyId(0)),
        };
        self.net.transitions.iter().enumerate().map(rule).collect()
    }

    fn properties(&self) -> Vec<PropertySummary> {
        Vec::new()
    }

    fn families(&self) -> Vec<FamilySummary> {
        vec![FamilySummary { members: Some(Shape::range(0, 0)) }]
    }

    fn events(&self) -> Vec<EventSummary> {
        vec![EventSummary { fairness: None }; self.net.transitions.len()]
    }

    fn fault(&self, fault: FaultId) -> FaultSummary {
        let (kind, site) = match self.explain(fault) {
            Fault::TooMany { place, .. } => (0, self.net.places[place].span),
            Fault::Unsafe { place, .. } => (1, self.net.places[place].span),
            Fault::Negative { transition, .. } => (2, self.net.transitions[transition].span),
            Fault::NoRoom => (3, run::Span::at(0)),
        };
        FaultSummary { site: (site.start, site.end), kind, assertion: None, property: None }
    }

    fn worker(&self) -> Box<dyn system::Worker + '_> {
        Box::new(NetWorker::new(self))
    }
}

/// Whether a place is kept in packed markings.
fn is_kept(kind: &Kind) -> bool {
    !matches!(kind, Kind::Constant)
}

/// Groups by name, for summaries.
pub(crate) fn is_permuted(group: Group) -> bool {
    group != Group::Trivial
}
