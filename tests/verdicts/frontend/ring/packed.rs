//! The ring as the engine sees it: packed states, and letters over cells.

use super::plain::Plain;
use super::{
    Claim, Declared, Deed, EXCLUSION, Meaning, NoExit, Options, Phase, STATION, Stations, WHATS,
    WORK, What,
};
use engine::symmetry::{IndexType, Indices, Point};
use engine::system::atoms::{Letter, TrackedGroup};
use engine::system::{
    AtomFault, AtomWorker, Atoms, EventSummary, FamilySummary, FaultId, FaultSummary, Label,
    Layout, OwnerSummary, PropertySummary, RequirementSummary, RuleSummary, Shape, Steps, System,
    TrackedVariables, Worker,
};
use isonomy::frontend::FrontEnd;
use terms::{EventId, FamilyId, Group, PropertyId, PropertyKind};

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
    let group =
        TrackedGroup { values: station(stations), variables, distinct, stands_for_all: false };
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

    fn packed(&self, state: &Stations) -> Box<[u64]> {
        let phase = |phase: &Phase| match phase {
            Phase::Rests => 0,
            Phase::Wants => 1,
            Phase::Works => 2,
        };
        let cells: Vec<i64> =
            std::iter::once(state.token.into()).chain(state.at.iter().map(phase)).collect();
        let mut packed = vec![0; self.layout.words()];
        self.layout.pack(&cells, &mut packed);
        packed.into()
    }

    fn action(&self, rule: u32, arguments: &[i64]) -> (u32, Deed) {
        let station = u32::try_from(arguments[0]).expect("a station");
        (station, Deed { what: WHATS[rule as usize], station })
    }

    fn explain(&self, fault: FaultId) -> NoExit {
        NoExit(fault.0)
    }
}
