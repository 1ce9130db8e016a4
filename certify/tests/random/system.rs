//! Small random systems: explicit, with products of index types, closed under their groups.

use judge::{
    Action, Attempt, Bound, IndexType, PropertyInstance, Reference, Renaming, Requirement,
    RequirementVariables, Starts, Steps, TrackedGroup, Vocabulary,
};
use run::SplitMix64;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::RwLock;
use terms::{Group, IndexTypeId, PropertyId, PropertyKind, RuleFairness};

/// The values of all index types, one after the other.
pub(crate) type Point = u8;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    pub(crate) k: u8,
    pub(crate) at: Option<Point>,
    pub(crate) bits: Vec<bool>,
    pub(crate) links: Vec<Option<Point>>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Owner {
    Point(Point),
    Server,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Event {
    pub(crate) name: u8,
    pub(crate) arguments: Vec<Point>,
}

pub(crate) type Arrow = (Owner, Event, State);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault;

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a fault")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Words;

impl Vocabulary for Words {
    type State = State;
    type Process = Owner;
    type Event = Event;
    type Variable = usize;
    type Value = Point;
    type Formula = Formula;
    type Fault = Fault;
    type FaultPattern = ();
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Is(u8),
    Odd,
    Bit(usize),
    At(usize),
    Named(u8),
    Mentions(usize),
    By(usize),
}

#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) formulas: ltl::Formulas,
    pub(crate) root: ltl::Formula,
    pub(crate) meanings: Vec<Meaning>,
    /// By variable: its values.
    pub(crate) variables: Vec<Vec<Point>>,
    pub(crate) is_distinct: bool,
}

/// A predicate that the group respects: a coin for each orbit of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Coin {
    pub(crate) seed: u64,
    /// Of a hundred.
    pub(crate) heads: u64,
}

#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) variables: Vec<RequirementVariables<Words>>,
    pub(crate) premise: Option<Coin>,
    pub(crate) goal: Coin,
}

pub(crate) const ASSUMED: PropertyId = PropertyId(0);
pub(crate) const GOOD: PropertyId = PropertyId(1);
pub(crate) const LIVE: PropertyId = PropertyId(2);
pub(crate) const LIVE_EACH: PropertyId = PropertyId(3);

#[derive(Debug)]
pub(crate) struct Tiny {
    pub(crate) types: Vec<IndexType>,
    /// By type: the first of its points.
    offsets: Vec<u8>,
    pub(crate) points: usize,
    /// All permutations of the group.
    pub(crate) group: Vec<Vec<Point>>,
    pub(crate) starts: Vec<State>,
    pub(crate) arrows: BTreeMap<State, Vec<Arrow>>,
    pub(crate) assumption: Option<Coin>,
    pub(crate) good: Coin,
    pub(crate) live: Coin,
    pub(crate) fair: [Option<RuleFairness>; 2],
    pub(crate) requirements: Vec<Declared>,
    /// A state with a guard that fails.
    pub(crate) faulty: Option<State>,
    /// Whether signatures tell which point `at` is, which some symmetry changes.
    pub(crate) tells_at: bool,
    coins: RwLock<HashMap<(Coin, State, Vec<Point>), bool>>,
}

const SHAPES: [&[(Group, u32)]; 10] = [
    &[(Group::Full, 2)],
    &[(Group::Full, 3)],
    &[(Group::Full, 4)],
    &[(Group::Rotations, 3)],
    &[(Group::Rotations, 4)],
    &[(Group::Dihedral, 4)],
    &[(Group::Full, 2), (Group::Rotations, 3)],
    &[(Group::Full, 2), (Group::Full, 2)],
    &[(Group::Rotations, 2)],
    &[(Group::Full, 2), (Group::Trivial, 2)],
];

impl Tiny {
    /// A system without steps.
    pub(crate) fn new(shape: &[(Group, u32)]) -> Tiny {
        let types: Vec<IndexType> = shape
            .iter()
            .enumerate()
            .map(|(k, &(group, size))| IndexType { name: format!("t{k}"), size, group })
            .collect();
        let mut offsets = Vec::new();
        let mut points = 0;
        for &(_, size) in shape {
            offsets.push(points as u8);
            points += size as usize;
        }
        let coin = Coin { seed: 0, heads: 100 };
        let mut tiny = Tiny {
            types,
            offsets,
            points,
            group: Vec::new(),
            starts: Vec::new(),
            arrows: BTreeMap::new(),
            assumption: None,
            good: coin,
            live: coin,
            fair: [None; 2],
            requirements: Vec::new(),
            faulty: None,
            tells_at: false,
            coins: RwLock::default(),
        };
        let mut all = vec![Vec::new()];
        for of in &tiny.types {
            let mut longer = Vec::new();
            for images in permutations(of.size, of.group) {
                for before in &all {
                    let mut both: Vec<Vec<u32>> = Vec::clone(before);
                    both.push(images.clone());
                    longer.push(both);
                }
            }
            all = longer;
        }
        tiny.group = all
            .into_iter()
            .map(|images| tiny.on_points(&Renaming::new(images).expect("permutations")))
            .collect();
        tiny.group.sort();
        tiny
    }

    pub(crate) fn on_points(&self, by: &Renaming) -> Vec<Point> {
        let all = self.offsets.iter().enumerate();
        all.flat_map(|(k, &offset)| {
            by.images(IndexTypeId(k as u32)).iter().map(move |&image| offset + image as u8)
        })
        .collect()
    }

    pub(crate) fn renaming(&self, points: &[Point]) -> Renaming {
        let mut images = Vec::new();
        for (of, &offset) in self.types.iter().zip(&self.offsets) {
            let all = points[usize::from(offset)..][..of.size as usize].iter();
            images.push(all.map(|&image| u32::from(image - offset)).collect());
        }
        Renaming::new(images).expect("a permutation")
    }

    pub(crate) fn type_points(&self, of: usize) -> Vec<Point> {
        (self.offsets[of]..self.offsets[of] + self.types[of].size as u8).collect()
    }

    /// All permutations of the values of each type, in the group or not.
    pub(crate) fn all_permutations(&self) -> Vec<Vec<Point>> {
        let mut all = vec![Vec::new()];
        for (of, &offset) in self.types.iter().zip(&self.offsets) {
            let images = permutations(of.size, Group::Full);
            let longer = all.iter().flat_map(|before: &Vec<Point>| {
                let shifted = images.iter().map(|one| one.iter().map(|&k| offset + k as Point));
                shifted.map(|one| before.iter().copied().chain(one).collect()).collect::<Vec<_>>()
            });
            all = longer.collect();
        }
        all
    }

    /// An equivariant predicate.
    pub(crate) fn toss(&self, coin: Coin, state: &State, tuple: &[Point]) -> bool {
        let key = (coin, state.clone(), tuple.to_vec());
        if let Some(&known) = self.coins.read().expect("no panic").get(&key) {
            return known;
        }
        let image = |by: &Vec<Point>| (image_of(by, state), map(by, tuple));
        let least = self.group.iter().map(image).min().expect("the identity is there");
        let mut hasher = DefaultHasher::new();
        (coin, least).hash(&mut hasher);
        let value = hasher.finish() % 100 < coin.heads;
        self.coins.write().expect("no panic").insert(key, value);
        value
    }

    /// Adds a step and its images.
    pub(crate) fn add(&mut self, from: &State, arrow: &Arrow) {
        for by in &self.group {
            let all = self.arrows.entry(image_of(by, from)).or_default();
            let image = image_of_arrow(by, arrow);
            if !all.contains(&image) {
                all.push(image);
            }
        }
    }

    /// Keeps what can be reached; none if that is more than so many states.
    pub(crate) fn close(&mut self, most: usize) -> Option<()> {
        let mut seen: BTreeSet<State> = self.starts.iter().cloned().collect();
        let mut open: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for (_, _, target) in self.arrows.get(&state).map_or(&[][..], Vec::as_slice) {
                if seen.insert(target.clone()) {
                    open.push(target.clone());
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        self.arrows.retain(|state, _| seen.contains(state));
        for state in seen {
            self.arrows.entry(state).or_default();
        }
        Some(())
    }

    pub(crate) fn random(rng: &mut SplitMix64) -> Option<Tiny> {
        let mut tiny = Tiny::new(rng.pick(&SHAPES)?);
        let n = tiny.points;
        let has_links = rng.below(100) < 30;
        let has_at = rng.below(100) < 50;
        let maybe = |rng: &mut SplitMix64, is: bool| {
            let k = rng.below(n + 1);
            (is && k < n).then_some(k as Point)
        };
        let state = |rng: &mut SplitMix64| State {
            k: rng.below(2) as u8,
            at: maybe(rng, has_at),
            bits: (0..n).map(|_| rng.below(2) == 1).collect(),
            links: (0..n).map(|_| maybe(rng, has_links)).collect(),
        };
        let blank = State { k: 0, at: None, bits: vec![false; n], links: vec![None; n] };
        let inits: Vec<State> = if rng.below(2) == 0 {
            vec![blank.clone()]
        } else {
            (0..=rng.below(2)).map(|_| state(rng)).collect()
        };
        let mut known = inits.clone();
        for _ in 0..2 + rng.below(8) {
            let from = rng.pick(&known)?.clone();
            let point = rng.below(n) as Point;
            let owner = if rng.below(4) == 0 { Owner::Server } else { Owner::Point(point) };
            let target = match rng.below(100) {
                0..35 => rng.pick(&known)?.clone(),
                35..65 => image_of(rng.pick(&tiny.group)?, rng.pick(&known)?),
                65..72 => State {
                    bits: vec![rng.below(2) == 1; n],
                    k: rng.below(2) as u8,
                    ..blank.clone()
                },
                _ => {
                    let mut to = from.clone();
                    to.bits[usize::from(point)] ^= true;
                    if rng.below(3) == 0 {
                        to.bits[rng.below(n)] ^= true;
                    }
                    if has_links && rng.below(2) == 0 {
                        to.links[usize::from(point)] = maybe(rng, true);
                    }
                    if has_at {
                        to.at = [None, to.at, Some(point)][rng.below(3)];
                    }
                    to.k = rng.below(2) as u8;
                    to
                }
            };
            let arguments = match rng.below(3) {
                0 => vec![],
                1 => vec![point],
                _ => vec![point, rng.below(n) as Point],
            };
            let event = Event { name: rng.below(2) as u8, arguments };
            tiny.add(&from, &(owner, event, target.clone()));
            if !known.contains(&target) {
                known.push(target);
            }
        }
        let images = inits.iter().flat_map(|one| tiny.group.iter().map(|by| image_of(by, one)));
        tiny.starts = images.collect::<BTreeSet<State>>().into_iter().collect();
        tiny.close(120)?;
        if rng.below(4) == 0 {
            tiny.assumption = Some(Coin { seed: rng.next(), heads: 75 });
        }
        tiny.good = Coin { seed: rng.next(), heads: 90 };
        tiny.live = Coin { seed: rng.next(), heads: 40 };
        if rng.below(3) == 0 {
            let strengths = [None, Some(RuleFairness::Weak), Some(RuleFairness::Strong)];
            tiny.fair = [strengths[rng.below(3)], strengths[rng.below(3)]];
        }
        for _ in 0..[0, 0, 1, 2][rng.below(4)] {
            let count = rng.below(3);
            let is_distinct = rng.below(2) == 0;
            let of = rng.below(tiny.types.len());
            let values =
                if rng.below(2) == 0 { tiny.type_points(of) } else { (0..n as Point).collect() };
            let premise = Coin { seed: rng.next(), heads: 40 };
            let has_premise = rng.below(2) == 0;
            tiny.requirements.push(Declared {
                variables: vec![RequirementVariables { count, values, is_distinct }],
                premise: has_premise.then_some(premise),
                goal: Coin { seed: rng.next(), heads: 50 },
            });
        }
        Some(tiny)
    }

    /// A random formula over tracked variables.
    pub(crate) fn formula(&self, rng: &mut SplitMix64) -> Formula {
        let tracked = [0, 0, 1, 1, 2][rng.below(5)];
        let mut variables = Vec::new();
        let one = rng.below(self.types.len());
        for _ in 0..tracked {
            let all = (0..self.points as Point).collect();
            variables.push(if rng.below(3) == 0 { all } else { self.type_points(one) });
        }
        let mut meanings = Vec::new();
        for _ in 0..2 + rng.below(2) {
            let plain = [Meaning::Is(1), Meaning::Odd, Meaning::Named(0), Meaning::Named(1)];
            let variable = rng.below(tracked);
            let of = [Meaning::Bit, Meaning::At, Meaning::Mentions, Meaning::By];
            let meaning = if tracked > 0 && rng.below(3) > 0 {
                of[rng.below(4)](variable)
            } else {
                plain[rng.below(4)]
            };
            meanings.push(meaning);
        }
        let mut formulas = ltl::Formulas::new();
        let atoms: Vec<ltl::Atom> = (0..meanings.len() as u32).map(ltl::Atom).collect();
        let mut random = ltl::generate::Random::new(rng.next());
        let size = 3 + rng.below(7);
        let root = random.formula(size, &atoms, &mut formulas);
        Formula { formulas, root, meanings, variables, is_distinct: rng.below(3) == 0 }
    }

    pub(crate) fn is_assumed(&self, state: &State) -> bool {
        self.assumption.is_none_or(|coin| self.toss(coin, state, &[]))
    }
}

fn permutations(size: u32, group: Group) -> Vec<Vec<u32>> {
    let n = size;
    match group {
        Group::Trivial => vec![(0..n).collect()],
        Group::Rotations => (0..n).map(|by| (0..n).map(|k| (k + by) % n).collect()).collect(),
        Group::Dihedral => {
            let mut all = permutations(n, Group::Rotations);
            all.extend((0..n).map(|by| (0..n).map(|k| (by + n - k) % n).collect::<Vec<u32>>()));
            all.sort();
            all.dedup();
            all
        }
        Group::Full => {
            let mut all = vec![Vec::new()];
            for _ in 0..n {
                let longer = all.iter().flat_map(|one: &Vec<u32>| {
                    let next = (0..n).filter(|k| !one.contains(k));
                    next.map(|k| [&one[..], &[k]].concat()).collect::<Vec<_>>()
                });
                all = longer.collect();
            }
            all
        }
    }
}

fn map(by: &[Point], points: &[Point]) -> Vec<Point> {
    points.iter().map(|&point| by[usize::from(point)]).collect()
}

pub(crate) fn image_of(by: &[Point], state: &State) -> State {
    let mut image = state.clone();
    let renamed = |point: Option<Point>| point.map(|point| by[usize::from(point)]);
    image.at = renamed(state.at);
    for (k, &to) in by.iter().enumerate() {
        image.bits[usize::from(to)] = state.bits[k];
        image.links[usize::from(to)] = renamed(state.links[k]);
    }
    image
}

fn image_of_arrow(by: &[Point], (owner, event, target): &Arrow) -> Arrow {
    let owner = match owner {
        Owner::Point(point) => Owner::Point(by[usize::from(*point)]),
        Owner::Server => Owner::Server,
    };
    let event = Event { name: event.name, arguments: map(by, &event.arguments) };
    (owner, event, image_of(by, target))
}

impl Reference for Tiny {
    type Vocabulary = Words;

    fn starts(&self) -> Starts<'_, Words> {
        Box::new(self.starts.iter().cloned().map(Ok))
    }

    fn steps(&self, state: &State) -> Steps<Words> {
        let arrows = self.arrows.get(state).map_or(&[][..], Vec::as_slice).iter().cloned();
        let attempt =
            |(owner, event, target)| Attempt { action: (owner, event), target: Ok(target) };
        let is_faulty = self.faulty.as_ref() == Some(state);
        let guard_faults = if is_faulty { vec![Fault] } else { Vec::new() };
        Steps { guard_faults, attempts: arrows.map(attempt).collect() }
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        let assumed = self.assumption.map(|_| (ASSUMED, PropertyKind::Assume));
        let live = PropertyKind::Liveness;
        let others = [(GOOD, PropertyKind::Invariant), (LIVE, live), (LIVE_EACH, live)];
        assumed.into_iter().chain(others).collect()
    }

    fn holds(&self, state: &State, property: PropertyId) -> Result<bool, Fault> {
        Ok(match property {
            ASSUMED => self.is_assumed(state),
            GOOD => self.toss(self.good, state, &[]),
            LIVE => self.toss(self.live, state, &[]),
            _ => (0..self.points as Point).any(|point| self.toss(self.live, state, &[point])),
        })
    }

    fn choices(&self, property: PropertyId) -> u64 {
        if property == LIVE_EACH { self.points as u64 } else { 1 }
    }

    fn instances(
        &self,
        state: &State,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance<Words>>, Fault> {
        if property != LIVE_EACH {
            let holds = self.holds(state, property);
            return Ok(vec![PropertyInstance { choice: Some(0), holds }]);
        }
        let each = |point| PropertyInstance {
            choice: Some(usize::from(point)),
            holds: Ok(self.toss(self.live, state, &[point])),
        };
        Ok((0..self.points as Point).map(each).collect())
    }

    fn pattern(&self, _: &Fault) {}

    fn matches(&self, _: &Fault, (): ()) -> bool {
        true
    }

    fn syntax<'f>(&self, formula: &'f Formula) -> (&'f ltl::Formulas, ltl::Formula) {
        (&formula.formulas, formula.root)
    }

    fn atoms(&self, formula: &Formula) -> u32 {
        formula.meanings.len() as u32
    }

    fn atom(
        &self,
        formula: &Formula,
        atom: ltl::Atom,
        binding: &[Bound<Words>],
        state: &State,
        action: Option<&Action<Words>>,
    ) -> Result<bool, Fault> {
        let value = |variable: usize| {
            binding.iter().find(|(one, _)| *one == variable).expect("every variable has a value").1
        };
        Ok(match formula.meanings[atom.index()] {
            Meaning::Is(k) => state.k == k,
            Meaning::Odd => state.bits.iter().filter(|bit| **bit).count() % 2 == 1,
            Meaning::Bit(variable) => state.bits[usize::from(value(variable))],
            Meaning::At(variable) => state.at == Some(value(variable)),
            Meaning::Named(name) => action.is_some_and(|(_, event)| event.name == name),
            Meaning::Mentions(variable) => {
                action.is_some_and(|(_, event)| event.arguments.contains(&value(variable)))
            }
            Meaning::By(variable) => {
                action.is_some_and(|(owner, _)| *owner == Owner::Point(value(variable)))
            }
        })
    }

    fn reads_events(&self, formula: &Formula, atom: ltl::Atom) -> bool {
        let meaning = formula.meanings[atom.index()];
        matches!(meaning, Meaning::Named(_) | Meaning::Mentions(_) | Meaning::By(_))
    }

    fn atom_text(&self, formula: &Formula, atom: ltl::Atom) -> String {
        format!("{:?}", formula.meanings[atom.index()])
    }

    fn tracked(&self, formula: &Formula) -> Vec<TrackedGroup<Words>> {
        let variables = (0..formula.variables.len()).collect();
        vec![TrackedGroup { variables, is_distinct: formula.is_distinct }]
    }

    fn has_value(&self, formula: &Formula, (variable, value): Bound<Words>) -> bool {
        formula.variables[variable].contains(&value)
    }

    fn values(&self, formula: &Formula, variable: usize) -> Vec<Point> {
        formula.variables[variable].clone()
    }

    fn variable_name(&self, _: &Formula, variable: usize) -> String {
        format!("v{variable}")
    }

    fn processes(&self) -> Vec<Owner> {
        (0..self.points as Point).map(Owner::Point).chain([Owner::Server]).collect()
    }

    fn fairness_of(&self, event: &Event) -> Option<RuleFairness> {
        self.fair[usize::from(event.name)]
    }

    fn has_fair_events(&self) -> bool {
        self.fair != [None; 2]
    }

    fn requirements(&self) -> Vec<Requirement<Words>> {
        let requirement = |one: &Declared| Requirement {
            variables: one.variables.clone(),
            has_premise: one.premise.is_some(),
        };
        self.requirements.iter().map(requirement).collect()
    }

    fn premise(&self, requirement: usize, values: &[Point], state: &State) -> Result<bool, Fault> {
        let premise = self.requirements[requirement].premise.expect("asked if there is one");
        Ok(self.toss(premise, state, values))
    }

    fn goal(&self, requirement: usize, values: &[Point], state: &State) -> Result<bool, Fault> {
        Ok(self.toss(self.requirements[requirement].goal, state, values))
    }

    fn index_types(&self) -> Vec<IndexType> {
        self.types.clone()
    }

    fn renamed_state(&self, by: &Renaming, state: &State) -> State {
        image_of(&self.on_points(by), state)
    }

    fn renamed_process(&self, by: &Renaming, process: &Owner) -> Owner {
        match process {
            Owner::Point(point) => Owner::Point(self.renamed_value(by, *point)),
            Owner::Server => Owner::Server,
        }
    }

    fn renamed_event(&self, by: &Renaming, event: &Event) -> Event {
        Event { arguments: map(&self.on_points(by), &event.arguments), ..*event }
    }

    fn renamed_value(&self, by: &Renaming, value: Point) -> Point {
        self.on_points(by)[usize::from(value)]
    }

    fn renamed_choice(&self, by: &Renaming, property: PropertyId, choice: usize) -> Option<usize> {
        Some(match property {
            LIVE_EACH => usize::from(self.renamed_value(by, choice as Point)),
            _ => choice,
        })
    }

    fn signature(&self, state: &State) -> Vec<i64> {
        let at = if self.tells_at { state.at.map(i64::from) } else { None };
        let mut found = vec![i64::from(state.k), i64::from(state.at.is_some()), at.unwrap_or(-1)];
        for (of, &offset) in self.types.iter().zip(&self.offsets) {
            let points = usize::from(offset)..usize::from(offset) + of.size as usize;
            found.push(points.clone().filter(|&k| state.bits[k]).count() as i64);
            found.push(points.filter(|&k| state.links[k].is_some()).count() as i64);
        }
        found
    }

    fn kind_of_event(&self, event: &Event) -> u32 {
        u32::from(event.name)
    }

    fn show_process(&self, process: &Owner) -> String {
        format!("{process:?}")
    }

    fn show_event(&self, event: &Event) -> String {
        format!("{event:?}")
    }

    fn show_tuple(&self, requirement: usize, values: &[Point]) -> String {
        format!("{requirement}{values:?}")
    }
}
