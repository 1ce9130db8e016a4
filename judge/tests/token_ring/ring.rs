//! A token ring of three nodes in plain Rust, as a reference for the judge.
//!
//! The node with the token serves its own request or passes the token on; every node may ask. An
//! optional environment takes the ring to states of which each does one thing that the judge must know:
//! no steps, a guard that fails, a body that fails, only cut steps, a violated assumption, an assumption
//! that fails.

use judge::{
    Action, Attempt, Bound, IndexType, PropertyInstance, Reference, Renaming, Requirement,
    RequirementVariables, Starts, Steps, TrackedGroup, Vocabulary,
};
use ltl::parser::{Language, parse};
use std::fmt;
use terms::{Group, IndexTypeId, PropertyId, PropertyKind, RuleFairness};

/// The ring, and which of its parts there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Ring {
    /// Whether nodes ask for the token.
    pub(crate) asks: bool,
    /// Whether there is an environment, and an assumption about it.
    pub(crate) environment: bool,
    /// The fairness that is declared.
    pub(crate) declares: Declares,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Declares {
    #[default]
    Nothing,
    /// Passing the token on is weakly fair, serving is strongly fair.
    FairEvents,
    /// Justice: every node has the token infinitely often. Compassion, for two nodes: if the first wants
    /// the token infinitely often, then infinitely often the second does not.
    Requirements,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(crate) token: u8,
    pub(crate) wants: [bool; 3],
    pub(crate) mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Mode {
    Running,
    /// There are no steps.
    Halted,
    /// A guard fails.
    Jammed,
    /// A body fails, and so do the invariant and the atom `sound`.
    Melted,
    /// All steps lead to states that violate the assumption.
    Doomed,
    /// The assumption is false.
    Forbidden,
    /// The assumption fails.
    Hazy,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Process {
    Node(u8),
    Environment,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Event {
    Ask(u8),
    Serve(u8),
    Pass(u8),
    Become(Mode),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fault {
    Guard,
    Body,
    Property,
    Assumption,
    Atom,
}

/// A formula over atoms such as `wants_n`, `at_0`, `serve_n`, `by_n`, `ask`, `sound`.
#[derive(Debug)]
pub(crate) struct Formula {
    formulas: ltl::Formulas,
    root: ltl::Formula,
    /// The texts of the atoms, by their number.
    atoms: Vec<String>,
    /// The tracked variables, all distinct.
    tracked: Vec<char>,
}

pub(crate) const QUIET: PropertyId = PropertyId(0);
pub(crate) const ALLOWED: PropertyId = PropertyId(1);
pub(crate) const RUNS: PropertyId = PropertyId(2);
pub(crate) const ALL_WANT: PropertyId = PropertyId(3);

impl Vocabulary for Ring {
    type State = State;
    type Process = Process;
    type Event = Event;
    type Variable = char;
    type Value = u8;
    type Formula = Formula;
    type Fault = Fault;
    type FaultPattern = Option<Fault>;
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?} fails")
    }
}

impl Formula {
    /// A formula in Spot's syntax, with these tracked variables.
    pub(crate) fn new(tracked: &str, text: &str) -> Formula {
        let (mut formulas, mut atoms) = (ltl::Formulas::new(), ltl::Atoms::new());
        let root = parse(Language::Spot, text, &mut formulas, &mut atoms).expect("a formula");
        let atoms = atoms.iter().map(|(_, kind)| match kind {
            ltl::AtomKind::Proposition(name) => name.clone(),
            ltl::AtomKind::Event(event) => panic!("{event:?} is no proposition"),
        });
        Formula { formulas, root, atoms: atoms.collect(), tracked: tracked.chars().collect() }
    }
}

impl State {
    /// The ring runs, no node wants the token, and this one has it.
    pub(crate) fn start(token: u8) -> State {
        State { token, wants: [false; 3], mode: Mode::Running }
    }
}

/// Rotates nodes by so many places.
pub(crate) fn rotation(by: u32) -> Renaming {
    Renaming::new(vec![(0..3).map(|k| (k + by) % 3).collect()]).expect("a renaming")
}

fn image(by: &Renaming, node: u8) -> u8 {
    by.images(IndexTypeId(0))[usize::from(node)] as u8
}

impl Ring {
    fn attempts(self, state: &State) -> Vec<Attempt<Ring>> {
        let mut found = Vec::new();
        let mut add = |process, event, target| {
            found.push(Attempt { action: (process, event), target });
        };
        let become_ = |mode| State { mode, ..state.clone() };
        match state.mode {
            Mode::Running => {
                for n in 0..3 {
                    let is_wanted = state.wants[usize::from(n)];
                    let wants = |value| {
                        let mut next = state.clone();
                        next.wants[usize::from(n)] = value;
                        next
                    };
                    if self.asks && !is_wanted {
                        add(Process::Node(n), Event::Ask(n), Ok(wants(true)));
                    }
                    if state.token == n {
                        if is_wanted {
                            add(Process::Node(n), Event::Serve(n), Ok(wants(false)));
                        }
                        let next = State { token: (n + 1) % 3, ..state.clone() };
                        add(Process::Node(n), Event::Pass(n), Ok(next));
                    }
                }
                let modes = [
                    Mode::Halted,
                    Mode::Jammed,
                    Mode::Melted,
                    Mode::Doomed,
                    Mode::Forbidden,
                    Mode::Hazy,
                ];
                for mode in modes.into_iter().filter(|_| self.environment) {
                    add(Process::Environment, Event::Become(mode), Ok(become_(mode)));
                }
            }
            // What is enabled here does not count: a guard fails.
            Mode::Jammed => {
                let event = Event::Become(Mode::Running);
                add(Process::Environment, event, Ok(become_(Mode::Running)));
            }
            Mode::Melted => {
                let (running, halted) = (Mode::Running, Mode::Halted);
                add(Process::Environment, Event::Become(running), Ok(become_(running)));
                add(Process::Environment, Event::Become(halted), Err(Fault::Body));
            }
            Mode::Doomed => {
                let event = Event::Become(Mode::Forbidden);
                add(Process::Environment, event, Ok(become_(Mode::Forbidden)));
            }
            Mode::Halted | Mode::Forbidden | Mode::Hazy => {}
        }
        found
    }
}

impl Reference for Ring {
    type Vocabulary = Ring;

    fn starts(&self) -> Starts<'_, Ring> {
        let others = [Mode::Forbidden, Mode::Hazy].into_iter().filter(|_| self.environment);
        let others = others.map(|mode| Ok(State { mode, ..State::start(0) }));
        // A start state that cannot be made is none.
        let failing = self.environment.then_some(Err(Fault::Body));
        Box::new(failing.into_iter().chain((0..3).map(|n| Ok(State::start(n)))).chain(others))
    }

    fn steps(&self, state: &State) -> Steps<Ring> {
        let is_jammed = state.mode == Mode::Jammed;
        let guard_faults = is_jammed.then_some(Fault::Guard).into_iter().collect();
        Steps { guard_faults, attempts: self.attempts(state) }
    }

    fn properties(&self) -> Vec<(PropertyId, PropertyKind)> {
        let assumed = self.environment.then_some((ALLOWED, PropertyKind::Assume));
        let others = [
            (QUIET, PropertyKind::Invariant),
            (RUNS, PropertyKind::Liveness),
            (ALL_WANT, PropertyKind::Cover),
        ];
        assumed.into_iter().chain(others).collect()
    }

    fn holds(&self, state: &State, property: PropertyId) -> Result<bool, Fault> {
        match property {
            QUIET if state.mode == Mode::Melted => Err(Fault::Property),
            QUIET => Ok(!state.wants.contains(&true)),
            ALLOWED if state.mode == Mode::Hazy => Err(Fault::Assumption),
            ALLOWED => Ok(state.mode != Mode::Forbidden),
            RUNS => Ok(state.mode == Mode::Running),
            ALL_WANT => Ok(!state.wants.contains(&false)),
            PropertyId(other) => panic!("there is no property {other}"),
        }
    }

    fn choices(&self, property: PropertyId) -> u64 {
        if property == QUIET { 3 } else { 1 }
    }

    fn instances(
        &self,
        state: &State,
        property: PropertyId,
    ) -> Result<Vec<PropertyInstance<Ring>>, Fault> {
        let each = |n: usize| PropertyInstance {
            choice: Some(n),
            holds: self.holds(state, property).map(|_| !state.wants[n]),
        };
        Ok(match property {
            QUIET => (0..3).map(each).collect(),
            _ => vec![PropertyInstance { choice: Some(0), holds: self.holds(state, property) }],
        })
    }

    fn pattern(&self, fault: &Fault) -> Option<Fault> {
        Some(*fault)
    }

    fn matches(&self, fault: &Fault, pattern: Option<Fault>) -> bool {
        pattern.is_none_or(|pattern| pattern == *fault)
    }

    fn syntax<'f>(&self, formula: &'f Formula) -> (&'f ltl::Formulas, ltl::Formula) {
        (&formula.formulas, formula.root)
    }

    fn atoms(&self, formula: &Formula) -> u32 {
        formula.atoms.len() as u32
    }

    fn atom(
        &self,
        formula: &Formula,
        atom: ltl::Atom,
        binding: &[Bound<Ring>],
        state: &State,
        action: Option<&Action<Ring>>,
    ) -> Result<bool, Fault> {
        let text = &formula.atoms[atom.index()];
        let (name, of) = text.split_once('_').unwrap_or((text, "0"));
        let of = of.chars().next().expect("a variable or a node");
        let node = binding.iter().find(|(variable, _)| *variable == of).map(|(_, node)| *node);
        let node = node.or(of.to_digit(10).map(|n| n as u8)).expect("a node");
        Ok(match name {
            "wants" => state.wants[usize::from(node)],
            "at" => state.token == node,
            "serve" => action.is_some_and(|(_, event)| *event == Event::Serve(node)),
            "by" => action.is_some_and(|(process, _)| *process == Process::Node(node)),
            "ask" => action.is_some_and(|(_, event)| matches!(event, Event::Ask(_))),
            "sound" if state.mode == Mode::Melted => return Err(Fault::Atom),
            "sound" => true,
            other => panic!("there is no atom {other}"),
        })
    }

    fn atom_text(&self, formula: &Formula, atom: ltl::Atom) -> String {
        formula.atoms[atom.index()].clone()
    }

    fn tracked(&self, formula: &Formula) -> Vec<TrackedGroup<Ring>> {
        vec![TrackedGroup { variables: formula.tracked.clone(), is_distinct: true }]
    }

    fn has_value(&self, _: &Formula, (_, node): Bound<Ring>) -> bool {
        node < 3
    }

    fn values(&self, _: &Formula, _: char) -> Vec<u8> {
        (0..3).collect()
    }

    fn variable_name(&self, _: &Formula, variable: char) -> String {
        variable.to_string()
    }

    fn processes(&self) -> Vec<Process> {
        let environment = self.environment.then_some(Process::Environment);
        (0..3).map(Process::Node).chain(environment).collect()
    }

    fn fairness_of(&self, event: &Event) -> Option<RuleFairness> {
        match event {
            Event::Pass(_) if self.has_fair_events() => Some(RuleFairness::Weak),
            Event::Serve(_) if self.has_fair_events() => Some(RuleFairness::Strong),
            _ => None,
        }
    }

    fn has_fair_events(&self) -> bool {
        self.declares == Declares::FairEvents
    }

    fn requirements(&self) -> Vec<Requirement<Ring>> {
        let nodes = |count| {
            let values = (0..3).collect();
            vec![RequirementVariables { count, values, is_distinct: true }]
        };
        let justice = Requirement { variables: nodes(1), has_premise: false };
        let compassion = Requirement { variables: nodes(2), has_premise: true };
        match self.declares {
            Declares::Requirements => vec![justice, compassion],
            Declares::Nothing | Declares::FairEvents => Vec::new(),
        }
    }

    fn premise(&self, requirement: usize, values: &[u8], state: &State) -> Result<bool, Fault> {
        assert_eq!(requirement, 1, "only compassion has a premise");
        Ok(state.wants[usize::from(values[0])])
    }

    fn goal(&self, requirement: usize, values: &[u8], state: &State) -> Result<bool, Fault> {
        Ok(match requirement {
            0 => state.token == values[0],
            _ => !state.wants[usize::from(values[1])],
        })
    }

    fn index_types(&self) -> Vec<IndexType> {
        vec![IndexType { name: "node".to_owned(), size: 3, group: Group::Rotations }]
    }

    fn renamed_state(&self, by: &Renaming, state: &State) -> State {
        let mut wants = [false; 3];
        for n in 0..3 {
            wants[usize::from(image(by, n))] = state.wants[usize::from(n)];
        }
        State { token: image(by, state.token), wants, mode: state.mode }
    }

    fn renamed_process(&self, by: &Renaming, process: &Process) -> Process {
        match *process {
            Process::Node(n) => Process::Node(image(by, n)),
            Process::Environment => Process::Environment,
        }
    }

    fn renamed_event(&self, by: &Renaming, event: &Event) -> Event {
        match *event {
            Event::Ask(n) => Event::Ask(image(by, n)),
            Event::Serve(n) => Event::Serve(image(by, n)),
            Event::Pass(n) => Event::Pass(image(by, n)),
            Event::Become(mode) => Event::Become(mode),
        }
    }

    fn renamed_value(&self, by: &Renaming, value: u8) -> u8 {
        image(by, value)
    }

    fn show_process(&self, process: &Process) -> String {
        format!("{process:?}")
    }

    fn show_event(&self, event: &Event) -> String {
        format!("{event:?}")
    }

    fn show_tuple(&self, requirement: usize, values: &[u8]) -> String {
        format!("{}{values:?}", ["justice", "compassion"][requirement])
    }
}
