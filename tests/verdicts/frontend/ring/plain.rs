//! The ring as the judge sees it: steps, conditions and renamings of plain values.

use super::{
    ASSUMPTION, Claim, Declared, Deed, EXCLUSION, Meaning, NoExit, Options, Phase, STATION,
    Stations, WHATS, WORK, What, Words,
};
use judge::{Bound, Reference, Renaming, RequirementVariables, Starts};
use terms::{Group, PropertyId, PropertyKind, RuleFairness};

/// The judge's view.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(super) options: Options,
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

    fn values(&self, _: &Claim, _: usize) -> Vec<u32> {
        (0..self.options.stations).collect()
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
