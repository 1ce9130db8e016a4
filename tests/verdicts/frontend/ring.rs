//! A token ring in plain Rust, without a model text.
//!
//! Stations rest, want to work, and work while they hold the token; a station that does not work may
//! pass the token on. The engine's view ([`Ring`], over cells) and the judge's view ([`Plain`], over
//! [`Stations`]) are written apart: they share the types of this file and no code.

use engine::symmetry::{IndexType, Indices, Point};
use engine::system::atoms::{Letter, TrackedGroup};
use engine::system::{
    AtomFault, AtomWorker, Atoms, EventSummary, FamilySummary, FaultId, FaultSummary, Label,
    Layout, OwnerSummary, PropertySummary, RequirementSummary, RuleSummary, Shape, Steps, System,
    TrackedVariables, Worker,
};
use isonomy::frontend::FrontEnd;
use judge::{Bound, Reference, Renaming, RequirementVariables, Starts, Vocabulary};
use ltl::parser::{Language, parse};
use std::fmt;
use terms::{
    EventId, Fairness, FamilyId, Group, IndexTypeId, Over, PropertyId, PropertyKind, RuleFairness,
};

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stations {
    pub(crate) token: u32,
    pub(crate) at: Vec<Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Phase {
    Rests,
    Wants,
    Works,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Deed {
    pub(crate) what: What,
    pub(crate) station: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum What {
    Ask,
    Enter,
    Leave,
    Pass,
}

const WHATS: [What; 4] = [What::Ask, What::Enter, What::Leave, What::Pass];

/// A run-time error: a station leaves where that is forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NoExit(pub(crate) u32);

impl fmt::Display for NoExit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "station {} cannot leave", self.0)
    }
}

/// A formula over at most two tracked stations.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    text: String,
    formulas: ltl::Formulas,
    root: ltl::Formula,
    atoms: Vec<Meaning>,
    variables: usize,
}

/// What an atom says; variables are numbered.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    At(usize, Phase),
    SomeWorks,
    Does(What, usize),
    Moves(usize),
}

impl Claim {
    /// A formula with names of atoms: `wants_c`, `works_d`, `somebody_works`, `enters_c`, `moves_d`;
    /// the variables c and d, if there are two, are distinct.
    pub(crate) fn new(text: &str, variables: usize) -> Claim {
        let mut formulas = ltl::Formulas::new();
        let mut names = ltl::Atoms::new();
        let root = parse(Language::Isonomy, text, &mut formulas, &mut names).expect("a formula");
        let meaning = |(_, kind): (ltl::Atom, &ltl::AtomKind)| {
            let ltl::AtomKind::Proposition(name) = kind else { panic!("a name") };
            let (word, variable) = name.split_once('_').expect("a variable");
            let variable = usize::from(variable == "d");
            match word {
                "rests" => Meaning::At(variable, Phase::Rests),
                "wants" => Meaning::At(variable, Phase::Wants),
                "works" => Meaning::At(variable, Phase::Works),
                "somebody" => Meaning::SomeWorks,
                "enters" => Meaning::Does(What::Enter, variable),
                "leaves" => Meaning::Does(What::Leave, variable),
                "passes" => Meaning::Does(What::Pass, variable),
                "moves" => Meaning::Moves(variable),
                _ => panic!("no atom is called {name}"),
            }
        };
        let atoms = names.iter().map(meaning).collect();
        Claim { text: text.to_owned(), formulas, root, atoms, variables }
    }
}

/// The fairness that a ring declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    Nothing,
    /// The event `enter` is fair like this.
    FairEnter(RuleFairness),
    /// Every station rests infinitely often.
    Justice,
    /// A station that wants and has the token infinitely often works infinitely often.
    Compassion,
}

/// What rings are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) stations: u32,
    pub(crate) declared: Declared,
    /// Whether leaving fails while the next station wants to work.
    pub(crate) fails: bool,
    /// Whether states in which all stations want are assumed away.
    pub(crate) assumes: bool,
}

/// The names of the types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Words;

impl Vocabulary for Words {
    type State = Stations;
    type Process = u32;
    type Event = Deed;
    type Variable = usize;
    type Value = u32;
    type Formula = Claim;
    type Fault = NoExit;
    type FaultPattern = ();
}

const EXCLUSION: PropertyId = PropertyId(0);
const WORK: PropertyId = PropertyId(1);
const ASSUMPTION: PropertyId = PropertyId(2);

/// The judge's view.
#[derive(Debug)]
pub(crate) struct Plain {
    options: Options,
}

impl Plain {
    /// Where an event leads; none if it is not enabled.
    fn target(&self, state: &Stations, deed: Deed) -> Option<Result<Stations, NoExit>> {
        let Deed { what, station } = deed;
        let next = (station + 1) % self.options.stations;
        let phase = state.at[station as usize];
        let mut after = state.clone();
        match (what, phase) {
            (What::Ask, Phase::Rests) => after.at[station as usize] = Phase::Wants,
            (What::Enter, Phase::Wants) if state.token == station => {
                after.at[station as usize] = Phase::Works;
            }
            (What::Leave, Phase::Works) => {
                if self.options.fails && state.at[next as usize] == Phase::Wants {
                    return Some(Err(NoExit(station)));
                }
                after.at[station as usize] = Phase::Rests;
            }
            (What::Pass, Phase::Rests | Phase::Wants) if state.token == station => {
                after.token = next;
            }
            _ => return None,
        }
        Some(Ok(after))
    }
}

impl Reference for Plain {
    type Vocabulary = Words;

    fn starts(&self) -> Starts<'_, Words> {
        let at = vec![Phase::Rests; self.options.stations as usize];
        Box::new(
            (0..self.options.stations).map(move |token| Ok(Stations { token, at: at.clone() })),
        )
    }

    fn steps(&self, state: &Stations) -> judge::Steps<Words> {
        let stations = 0..self.options.stations;
        let deeds = WHATS
            .iter()
            .flat_map(|&what| stations.clone().map(move |station| Deed { what, station }));
        let attempts = deeds.filter_map(|deed| {
            let target = self.target(state, deed)?;
            Some(judge::Attempt { action: (deed.station, deed), target })
        });
        judge::Steps { guard_faults: Vec::new(), attempts: attempts.collect() }
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        let mut properties =
            vec![(EXCLUSION, PropertyKind::Invariant), (WORK, PropertyKind::Liveness)];
        properties.extend(self.options.assumes.then_some((ASSUMPTION, PropertyKind::Assume)));
        properties
    }

    fn holds(&self, state: &Stations, property: PropertyId) -> Result<bool, NoExit> {
        let working = state.at.iter().filter(|&&phase| phase == Phase::Works).count();
        Ok(match property {
            EXCLUSION => working <= 1,
            WORK => working > 0,
            _ => state.at.iter().any(|&phase| phase != Phase::Wants),
        })
    }

    fn pattern(&self, _: &NoExit) {}

    fn matches(&self, _: &NoExit, (): ()) -> bool {
        true
    }

    fn syntax<'f>(&self, formula: &'f Claim) -> (&'f ltl::Formulas, ltl::Formula) {
        (&formula.formulas, formula.root)
    }

    fn atoms(&self, formula: &Claim) -> u32 {
        u32::try_from(formula.atoms.len()).expect("few atoms")
    }

    fn atom(
        &self,
        formula: &Claim,
        atom: ltl::Atom,
        binding: &[Bound<Words>],
        state: &Stations,
        action: Option<&(u32, Deed)>,
    ) -> Result<bool, NoExit> {
        let value = |variable| {
            let bound = binding.iter().find(|(one, _)| *one == variable);
            bound.expect("every variable has a value").1
        };
        Ok(match formula.atoms[atom.0 as usize] {
            Meaning::At(variable, phase) => state.at[value(variable) as usize] == phase,
            Meaning::SomeWorks => state.at.contains(&Phase::Works),
            Meaning::Does(what, variable) => {
                action.is_some_and(|(_, deed)| *deed == Deed { what, station: value(variable) })
            }
            Meaning::Moves(variable) => action.is_some_and(|(owner, _)| *owner == value(variable)),
        })
    }

    fn atom_text(&self, formula: &Claim, atom: ltl::Atom) -> String {
        format!("{:?}", formula.atoms[atom.0 as usize])
    }

    fn tracked(&self, formula: &Claim) -> Vec<judge::TrackedGroup<Words>> {
        let variables: Vec<usize> = (0..formula.variables).collect();
        vec![judge::TrackedGroup { variables, is_distinct: true }]
    }

    fn has_value(&self, formula: &Claim, (variable, value): (usize, u32)) -> bool {
        variable < formula.variables && value < self.options.stations
    }

    fn variable_name(&self, _: &Claim, variable: usize) -> String {
        format!("variable {variable}")
    }

    fn processes(&self) -> Vec<u32> {
        (0..self.options.stations).collect()
    }

    fn fairness_of(&self, event: &Deed) -> Option<RuleFairness> {
        match self.options.declared {
            Declared::FairEnter(fairness) if event.what == What::Enter => Some(fairness),
            _ => None,
        }
    }

    fn has_fair_events(&self) -> bool {
        matches!(self.options.declared, Declared::FairEnter(_))
    }

    fn requirements(&self) -> Vec<judge::Requirement<Words>> {
        let has_premise = match self.options.declared {
            Declared::Nothing | Declared::FairEnter(_) => return Vec::new(),
            Declared::Justice => false,
            Declared::Compassion => true,
        };
        let values = (0..self.options.stations).collect();
        let variables = vec![RequirementVariables { count: 1, values, is_distinct: false }];
        vec![judge::Requirement { variables, has_premise }]
    }

    fn premise(&self, _: usize, values: &[u32], state: &Stations) -> Result<bool, NoExit> {
        Ok(state.token == values[0] && state.at[values[0] as usize] == Phase::Wants)
    }

    fn goal(&self, _: usize, values: &[u32], state: &Stations) -> Result<bool, NoExit> {
        let wanted = match self.options.declared {
            Declared::Justice => Phase::Rests,
            _ => Phase::Works,
        };
        Ok(state.at[values[0] as usize] == wanted)
    }

    fn index_types(&self) -> Vec<judge::IndexType> {
        let (name, size) = ("station".to_owned(), self.options.stations);
        vec![judge::IndexType { name, size, group: Group::Rotations }]
    }

    fn renamed_state(&self, by: &Renaming, state: &Stations) -> Stations {
        let mut renamed = state.clone();
        renamed.token = by.images(STATION)[state.token as usize];
        for (station, &image) in by.images(STATION).iter().enumerate() {
            renamed.at[image as usize] = state.at[station];
        }
        renamed
    }

    fn renamed_process(&self, by: &Renaming, process: &u32) -> u32 {
        by.images(STATION)[*process as usize]
    }

    fn renamed_event(&self, by: &Renaming, event: &Deed) -> Deed {
        Deed { station: by.images(STATION)[event.station as usize], ..*event }
    }

    fn renamed_value(&self, by: &Renaming, value: u32) -> u32 {
        by.images(STATION)[value as usize]
    }

    fn show_process(&self, process: &u32) -> String {
        format!("station {process}")
    }

    fn show_event(&self, event: &Deed) -> String {
        format!("{event:?}")
    }

    fn show_tuple(&self, requirement: usize, values: &[u32]) -> String {
        format!("requirement {requirement} of {values:?}")
    }
}

/// The index type of the stations.
const STATION: IndexTypeId = IndexTypeId(0);

/// The engine's view: the first cell is the station that has the token, the others are what each
/// station does.
pub(crate) struct Ring {
    options: Options,
    layout: Layout,
    plain: Plain,
    /// The group; all rings are symmetric under rotations.
    pub(crate) group: Group,
}

impl Ring {
    pub(crate) fn new(options: Options) -> Ring {
        let element = Box::new(Shape::range(0, 2));
        let (length, indices) = (options.stations.into(), vec![(STATION, 0)]);
        let stations = Shape::Array { length, indices, element };
        let layout = Layout::new(vec![station(options.stations), stations]);
        Ring { options, layout, plain: Plain { options }, group: Group::Rotations }
    }
}

/// The shape of a station.
fn station(stations: u32) -> Shape {
    Shape::Simple { low: 0, values: stations.into(), indices: vec![(STATION, 0)] }
}

impl System for Ring {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        Box::new((0..self.options.stations).map(|token| {
            let mut cells = vec![0; self.layout.cells()];
            cells[0] = token.into();
            let mut packed = vec![0; self.layout.words()];
            self.layout.pack(&cells, &mut packed);
            Ok(packed.into())
        }))
    }

    fn indices(&self) -> Indices {
        Indices::new([IndexType { size: self.options.stations, group: self.group }])
    }

    fn rules(&self) -> Vec<RuleSummary> {
        let members =
            (0..self.options.stations).map(|one| (one.into(), (FamilyId(0), i64::from(one))));
        let rule = |event| RuleSummary {
            event: EventId(event),
            arguments: vec![station(self.options.stations)],
            owner: OwnerSummary::Argument { cell: 0, members: members.clone().collect() },
        };
        (0..4).map(rule).collect()
    }

    fn properties(&self) -> Vec<PropertySummary> {
        let kinds = [PropertyKind::Invariant, PropertyKind::Liveness, PropertyKind::Assume];
        let kinds = &kinds[..if self.options.assumes { 3 } else { 2 }];
        let property =
            |&kind| PropertySummary { kind, is_statement: false, parameters: Vec::new() };
        kinds.iter().map(property).collect()
    }

    fn families(&self) -> Vec<FamilySummary> {
        vec![FamilySummary { members: Some(station(self.options.stations)) }]
    }

    fn events(&self) -> Vec<EventSummary> {
        let mut events = vec![EventSummary { fairness: None }; 4];
        if let Declared::FairEnter(fairness) = self.options.declared {
            events[1].fairness = Some(fairness);
        }
        events
    }

    fn requirements(&self) -> Vec<RequirementSummary> {
        let tracked = tracked(self.options.stations, 1, false);
        match self.options.declared {
            Declared::Nothing | Declared::FairEnter(_) => Vec::new(),
            Declared::Justice => vec![RequirementSummary { tracked, has_premise: false }],
            Declared::Compassion => vec![RequirementSummary { tracked, has_premise: true }],
        }
    }

    fn requirement_atoms(&self) -> Vec<Box<dyn Atoms + '_>> {
        let requirements = System::requirements(self);
        requirements.iter().map(|_| Box::new(Required(self)) as Box<dyn Atoms>).collect()
    }

    fn fault(&self, _: FaultId) -> FaultSummary {
        FaultSummary { site: (0, 0), kind: 0, assertion: None, property: None }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Cells { ring: self, cells: vec![0; self.layout.cells()] })
    }
}

/// Variables over stations.
fn tracked(stations: u32, variables: usize, distinct: bool) -> TrackedVariables {
    let group = TrackedGroup { values: station(stations), variables, distinct };
    TrackedVariables { groups: vec![group] }
}

struct Cells<'r> {
    ring: &'r Ring,
    cells: Vec<i64>,
}

impl Cells<'_> {
    fn load(&mut self, state: &[u64]) {
        self.ring.layout.unpack(state, &mut self.cells);
    }
}

impl Worker for Cells<'_> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        self.load(state);
        Ok(!self.ring.options.assumes || self.cells[1..].iter().any(|&phase| phase != 1))
    }

    fn property(&mut self, state: &[u64], property: PropertyId) -> Vec<Result<bool, FaultId>> {
        self.load(state);
        let working = self.cells[1..].iter().filter(|&&phase| phase == 2).count();
        vec![match property {
            EXCLUSION => Ok(working < 2),
            WORK => Ok(working != 0),
            _ => self.is_assumed(state),
        }]
    }

    fn is_violated(&mut self, state: &[u64], property: PropertyId) -> bool {
        self.property(state, property) != [Ok(true)]
    }

    fn expand(&mut self, state: &[u64], steps: &mut Steps) {
        self.load(state);
        let stations = self.cells.len() - 1;
        let token = usize::try_from(self.cells[0]).expect("a station");
        for rule in 0..4 {
            for station in 0..stations {
                let next = (station + 1) % stations;
                let (cell, value) = match (rule, self.cells[1 + station]) {
                    (0, 0) => (1 + station, 1),
                    (1, 1) if token == station => (1 + station, 2),
                    (2, 2) if self.ring.options.fails && self.cells[1 + next] == 1 => {
                        steps.faults.push(FaultId(u32::try_from(station).expect("few")));
                        continue;
                    }
                    (2, 2) => (1 + station, 0),
                    (3, 0 | 1) if token == station => (0, i64::try_from(next).expect("few")),
                    _ => continue,
                };
                let start = steps.targets.len();
                steps.targets.extend_from_slice(state);
                self.ring.layout.set(&mut steps.targets[start..], cell, value);
                let first_argument = u32::try_from(steps.arguments.len()).expect("few");
                steps.labels.push(Label { rule, first_argument, stutters: false });
                steps.arguments.push(i64::try_from(station).expect("few"));
                steps.fired += 1;
            }
        }
    }
}

/// The conditions of the declared requirement.
struct Required<'r>(&'r Ring);

impl Atoms for Required<'_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        Box::new(RequiredWorker { ring: self.0, cells: vec![0; self.0.layout.cells()] })
    }
}

struct RequiredWorker<'r> {
    ring: &'r Ring,
    cells: Vec<i64>,
}

impl AtomWorker for RequiredWorker<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        self.ring.layout.unpack(state, &mut self.cells);
        let phase = self.cells[1 + usize::try_from(tracked[0]).expect("a station")];
        if self.ring.options.declared == Declared::Justice {
            return Ok(Letter::from(phase == 0));
        }
        let premise = self.cells[0] == tracked[0] && phase == 1;
        Ok(Letter::from(premise) | Letter::from(phase == 2) << 1)
    }

    fn of_step(&mut self, _: u32, _: &[i64], _: &[i64]) -> Letter {
        0
    }
}

/// The atoms of a formula.
struct Named<'r> {
    ring: &'r Ring,
    claim: &'r Claim,
}

impl Atoms for Named<'_> {
    fn worker(&self) -> Box<dyn AtomWorker + '_> {
        Box::new(NamedWorker { named: self, cells: vec![0; self.ring.layout.cells()] })
    }
}

struct NamedWorker<'r> {
    named: &'r Named<'r>,
    cells: Vec<i64>,
}

impl NamedWorker<'_> {
    fn letter(&self, is_true: impl Fn(Meaning) -> bool) -> Letter {
        let atoms = self.named.claim.atoms.iter().enumerate();
        atoms.fold(0, |letter, (k, &atom)| letter | Letter::from(is_true(atom)) << k)
    }
}

impl AtomWorker for NamedWorker<'_> {
    fn of_state(&mut self, state: &[u64], tracked: &[i64]) -> Result<Letter, AtomFault> {
        self.named.ring.layout.unpack(state, &mut self.cells);
        let phase = |variable: usize| {
            self.cells[1 + usize::try_from(tracked[variable]).expect("a station")]
        };
        Ok(self.letter(|atom| match atom {
            Meaning::At(variable, Phase::Rests) => phase(variable) == 0,
            Meaning::At(variable, Phase::Wants) => phase(variable) == 1,
            Meaning::At(variable, Phase::Works) => phase(variable) == 2,
            Meaning::SomeWorks => self.cells[1..].contains(&2),
            Meaning::Does(..) | Meaning::Moves(_) => false,
        }))
    }

    fn of_step(&mut self, rule: u32, arguments: &[i64], tracked: &[i64]) -> Letter {
        self.letter(|atom| match atom {
            Meaning::At(..) | Meaning::SomeWorks => false,
            Meaning::Does(What::Ask, variable) => rule == 0 && arguments[0] == tracked[variable],
            Meaning::Does(What::Enter, variable) => rule == 1 && arguments[0] == tracked[variable],
            Meaning::Does(What::Leave, variable) => rule == 2 && arguments[0] == tracked[variable],
            Meaning::Does(What::Pass, variable) => rule == 3 && arguments[0] == tracked[variable],
            Meaning::Moves(variable) => arguments[0] == tracked[variable],
        })
    }
}

impl FrontEnd for Ring {
    type Reference = Plain;

    fn reference(&self) -> &Plain {
        &self.plain
    }

    fn formula_name<'f>(&self, formula: &'f Claim) -> &'f str {
        &formula.text
    }

    fn fairness(&self, _: &Claim) -> Option<(Fairness, Option<Over>)> {
        None
    }

    fn tracked(&self, formula: &Claim) -> TrackedVariables {
        tracked(self.options.stations, formula.variables, true)
    }

    fn atoms<'a>(&'a self, formula: &'a Claim) -> Box<dyn Atoms + 'a> {
        Box::new(Named { ring: self, claim: formula })
    }

    fn binding(&self, _: &Claim, cells: &[i64]) -> Vec<(usize, u32)> {
        let value = |&cell: &i64| u32::try_from(cell).expect("a station");
        cells.iter().map(value).enumerate().collect()
    }

    fn unsatisfiable(&self, formula: &Claim) -> Claim {
        Claim { root: ltl::Formula::FALSE, ..formula.clone() }
    }

    fn state(&self, packed: &[u64]) -> Stations {
        let mut cells = vec![0; self.layout.cells()];
        self.layout.unpack(packed, &mut cells);
        let phase = |&cell: &i64| match cell {
            0 => Phase::Rests,
            1 => Phase::Wants,
            _ => Phase::Works,
        };
        let token = Point::try_from(cells[0]).expect("a station");
        Stations { token, at: cells[1..].iter().map(phase).collect() }
    }

    fn action(&self, rule: u32, arguments: &[i64]) -> (u32, Deed) {
        let station = u32::try_from(arguments[0]).expect("a station");
        (station, Deed { what: WHATS[rule as usize], station })
    }

    fn explain(&self, fault: FaultId) -> NoExit {
        NoExit(fault.0)
    }
}
