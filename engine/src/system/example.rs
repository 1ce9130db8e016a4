//! A system for unit tests: functions over cells say what its steps are.

use super::{
    EventSummary, FamilySummary, FaultId, FaultSummary, Label, Layout, OwnerSummary,
    PropertySummary, RuleSummary, Shape, Steps, System, Worker,
};
use crate::symmetry::{IndexType, Indices};
use terms::{EventId, FamilyId, PropertyId, PropertyKind};

/// A step: the rule, its arguments, and the cells of its target; none if it fails.
pub(crate) type ExampleStep = (u32, Vec<i64>, Option<Vec<i64>>);

/// An assumption about the state with these cells; it returns nothing where it fails.
pub(crate) type Assumption = fn(&[i64]) -> Option<bool>;

/// A system with one start state, and one event for each rule.
pub(crate) struct Example {
    pub(crate) layout: Layout,
    pub(crate) indices: Vec<IndexType>,
    /// The shapes of the arguments of each rule.
    pub(crate) rules: Vec<Vec<Shape>>,
    /// The cells of the start state.
    pub(crate) start: Vec<i64>,
    /// The steps out of the state with these cells.
    pub(crate) next: fn(&[i64]) -> Vec<ExampleStep>,
    /// The one global assumption, if there is one.
    pub(crate) assumed: Option<Assumption>,
}

impl Example {
    fn pack(&self, cells: &[i64]) -> Box<[u64]> {
        let mut packed = vec![0; self.layout.words()];
        self.layout.pack(cells, &mut packed);
        packed.into()
    }
}

impl System for Example {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn starts(&self) -> Box<dyn Iterator<Item = Result<Box<[u64]>, FaultId>> + '_> {
        Box::new(std::iter::once(Ok(self.pack(&self.start))))
    }

    fn indices(&self) -> Indices {
        Indices::new(self.indices.iter().copied())
    }

    fn rules(&self) -> Vec<RuleSummary> {
        let rules = (0..).map(EventId).zip(&self.rules);
        let rules = rules.map(|(event, arguments)| RuleSummary {
            event,
            arguments: arguments.clone(),
            owner: OwnerSummary::Single(FamilyId(0)),
        });
        rules.collect()
    }

    fn properties(&self) -> Vec<PropertySummary> {
        let assumption = self.assumed.map(|_| PropertySummary {
            kind: PropertyKind::Assume,
            is_statement: false,
            parameters: Vec::new(),
        });
        assumption.into_iter().collect()
    }

    fn families(&self) -> Vec<FamilySummary> {
        vec![FamilySummary { members: None }]
    }

    fn events(&self) -> Vec<EventSummary> {
        vec![EventSummary { fairness: None }; self.rules.len()]
    }

    fn fault(&self, fault: FaultId) -> FaultSummary {
        FaultSummary { site: (fault.0 as usize, 0), kind: 0, assertion: None, property: None }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(ExampleWorker { system: self, cells: vec![0; self.layout.cells()] })
    }
}

struct ExampleWorker<'e> {
    system: &'e Example,
    cells: Vec<i64>,
}

/// The fault of an assumption; a rule that fails has its number as fault.
const ASSUMPTION_FAILS: FaultId = FaultId(u32::MAX);

impl Worker for ExampleWorker<'_> {
    fn is_assumed(&mut self, state: &[u64]) -> Result<bool, FaultId> {
        self.system.layout.unpack(state, &mut self.cells);
        let assumed = self.system.assumed.map_or(Some(true), |assumed| assumed(&self.cells));
        assumed.ok_or(ASSUMPTION_FAILS)
    }

    fn property(&mut self, state: &[u64], _: PropertyId) -> Vec<Result<bool, FaultId>> {
        vec![self.is_assumed(state)]
    }

    fn is_violated(&mut self, state: &[u64], _: PropertyId) -> bool {
        self.is_assumed(state) != Ok(true)
    }

    fn expand(&mut self, state: &[u64], steps: &mut Steps) {
        self.system.layout.unpack(state, &mut self.cells);
        for (rule, arguments, target) in (self.system.next)(&self.cells) {
            let Some(target) = target else {
                steps.faults.push(FaultId(rule));
                continue;
            };
            let first_argument = u32::try_from(steps.arguments.len()).expect("few arguments");
            let target = self.system.pack(&target);
            steps.labels.push(Label { rule, first_argument, stutters: *target == *state });
            steps.arguments.extend(arguments);
            steps.targets.extend(target);
        }
    }
}
