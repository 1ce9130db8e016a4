//! A system of processes as a table of rules.

use isonomy::protocol::*;
use run::random::SplitMix64;
use std::fmt::Write as _;
use terms::RuleFairness;

index! { pub(crate) Process }

/// A place of a process, or a value of the shared variable.
pub(crate) type Number = Ranged<0, 2>;
/// All numbers.
const NUMBERS: [i64; 3] = [0, 1, 2];

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
pub(crate) struct State {
    at: Map<Process, Number>,
    shared: Number,
    holder: Option<Process>,
}

/// Each event has a rule of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
pub(crate) enum Event {
    A(Process),
    B(Process),
    C(Process),
    /// Chooses another process.
    D(Process, Process),
    /// Chooses a value of the shared variable.
    E(Process, Number),
}

/// The names of events, as formulas write them.
pub(crate) const EVENTS: [&str; 5] = ["a", "b", "c", "d", "e"];
/// The positions of the events that choose something.
pub(crate) const CHOOSES_PROCESS: usize = 3;
pub(crate) const CHOOSES_NUMBER: usize = 4;

/// A rule, which a process p executes.
#[derive(Clone, Debug)]
struct Rule {
    /// The place of p.
    from: i64,
    /// The values of the shared variable with which it is enabled.
    shared: Vec<i64>,
    holder: Holder,
    others: Others,
    /// The place of the process that is chosen, if one is.
    chosen: i64,
    /// The next place of p.
    to: i64,
    /// The next place of the process that is chosen.
    chosen_to: i64,
    set: Set,
    take: Take,
    /// Whether a process called `server` executes it, and not p.
    is_served: bool,
    fairness: Option<RuleFairness>,
}

/// What a rule demands of the holder.
#[derive(Clone, Copy, Debug)]
enum Holder {
    Any,
    Nobody,
    Me,
    Another,
}

/// What a rule demands of other processes.
#[derive(Clone, Copy, Debug)]
enum Others {
    Any,
    NoneAt(i64),
    SomeAt(i64),
}

/// What a rule does with the shared variable.
#[derive(Clone, Copy, Debug)]
enum Set {
    Keep,
    To(i64),
    /// A run-time error if the sum is too large.
    Increment,
}

/// What a rule does with the holder.
#[derive(Clone, Copy, Debug)]
enum Take {
    Keep,
    Me,
    Nobody,
}

/// A requirement of fairness.
#[derive(Clone, Copy, Debug)]
enum Required {
    Nothing,
    /// Each process is there, infinitely often.
    Justice(i64),
    /// Each process that is here infinitely often, and holds, is there infinitely often.
    Compassion(i64, i64),
    /// The shared variable has this value infinitely often.
    Shared(i64),
}

/// A system of processes.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) processes: usize,
    /// Whether at the start somebody holds.
    is_held: bool,
    /// By event.
    rules: Vec<Option<Rule>>,
    required: Required,
    /// States with this value of the shared variable are left out.
    left_out: Option<i64>,
}

fn pick<T: Copy>(random: &mut SplitMix64, items: &[T]) -> T {
    *random.pick(items).expect("there are some")
}

impl Rule {
    fn random(k: usize, random: &mut SplitMix64) -> Rule {
        let mut shared = NUMBERS.to_vec();
        for _ in 0..[0, 0, 0, 1, 2][random.below(5)] {
            shared.remove(random.below(shared.len()));
        }
        let number = |random: &mut SplitMix64| pick(random, &NUMBERS);
        let (here, there) = (number(random), number(random));
        // Mostly processes go round, so that there are states and cycles.
        let goes_round = random.below(4) > 0;
        let around = NUMBERS[k % 3];
        let set = [Set::Keep, Set::Keep, Set::To(here), Set::To(there)];
        Rule {
            from: if goes_round { around } else { number(random) },
            shared,
            holder: pick(
                random,
                &[
                    Holder::Any,
                    Holder::Any,
                    Holder::Any,
                    Holder::Any,
                    Holder::Any,
                    Holder::Nobody,
                    Holder::Nobody,
                    Holder::Me,
                    Holder::Another,
                ],
            ),
            others: pick(
                random,
                &[
                    Others::Any,
                    Others::Any,
                    Others::Any,
                    Others::Any,
                    Others::NoneAt(here),
                    Others::SomeAt(there),
                ],
            ),
            chosen: number(random),
            to: if goes_round { (around + 1) % 3 } else { number(random) },
            chosen_to: number(random),
            set: if random.below(30) == 0 { Set::Increment } else { pick(random, &set) },
            take: pick(random, &[Take::Keep, Take::Keep, Take::Me, Take::Nobody]),
            is_served: random.below(5) == 0,
            fairness: pick(
                random,
                &[None, None, Some(RuleFairness::Weak), Some(RuleFairness::Strong)],
            ),
        }
    }

    fn is_enabled(&self, state: &State, p: Process) -> bool {
        let mut others = state.at.iter().filter(|(q, _)| *q != p).map(|(_, place)| place.get());
        state.at[p] == self.from
            && self.shared.contains(&state.shared.get())
            && match self.holder {
                Holder::Any => true,
                Holder::Nobody => state.holder.is_none(),
                Holder::Me => state.holder == Some(p),
                Holder::Another => state.holder.is_some_and(|q| q != p),
            }
            && match self.others {
                Others::Any => true,
                Others::NoneAt(place) => others.all(|at| at != place),
                Others::SomeAt(place) => others.any(|at| at == place),
            }
    }

    fn execute(&self, state: &mut State, p: Process) {
        state.at[p] = Number::new(self.to);
        match self.set {
            Set::Keep => {}
            Set::To(value) => state.shared = Number::new(value),
            Set::Increment => state.shared += 1,
        }
        match self.take {
            Take::Keep => {}
            Take::Me => state.holder = Some(p),
            Take::Nobody => state.holder = None,
        }
    }

    /// The rule of an event, as text.
    fn text(&self, event: usize) -> String {
        let shared: Vec<String> = self.shared.iter().map(|v| format!("shared = {v}")).collect();
        let mut guard = format!("at[p] = {} & ({})", self.from, shared.join(" | "));
        guard += match self.holder {
            Holder::Any => "",
            Holder::Nobody => " & isundefined(holder)",
            Holder::Me => " & !isundefined(holder) & holder = p",
            Holder::Another => " & !isundefined(holder) & holder != p",
        };
        match self.others {
            Others::Any => {}
            Others::NoneAt(b) => {
                let _ = write!(guard, " & forall o: proc do o = p | at[o] != {b} end");
            }
            Others::SomeAt(b) => {
                let _ = write!(guard, " & exists o: proc do o != p & at[o] = {b} end");
            }
        }
        let mut body = format!("at[p] := {};", self.to);
        match self.set {
            Set::Keep => {}
            Set::To(value) => {
                let _ = write!(body, " shared := {value};");
            }
            Set::Increment => body += " shared := shared + 1;",
        }
        body += match self.take {
            Take::Keep => "",
            Take::Me => " holder := p;",
            Take::Nobody => " undefine holder;",
        };
        let (mut around, mut end) = if self.is_served {
            ("process server do ruleset p: proc do".to_owned(), "end end".to_owned())
        } else {
            ("process p: proc do".to_owned(), "end".to_owned())
        };
        match event {
            CHOOSES_PROCESS => {
                around += " ruleset q: proc do";
                end += " end";
                let _ = write!(guard, " & q != p & at[q] = {}", self.chosen);
                let _ = write!(body, " at[q] := {};", self.chosen_to);
            }
            CHOOSES_NUMBER => {
                around += " ruleset x: 0..2 do";
                end += " end";
                body += " shared := x;";
            }
            _ => {}
        }
        let fair = match self.fairness {
            None => "",
            Some(RuleFairness::Weak) => "fair ",
            Some(RuleFairness::Strong) => "strongly fair ",
        };
        let name = EVENTS[event];
        format!("{around}\n  {fair}rule \"{name}\" {guard} ==> {body} end;\n{end};\n")
    }
}

impl Table {
    pub(crate) fn random(random: &mut SplitMix64) -> Table {
        let rule = |k: usize, random: &mut SplitMix64| {
            let is_there = k < 2 || random.below(3) > 0;
            let mut rule = is_there.then(|| Rule::random(k, random))?;
            // A model has no process that executes nothing: formulas could not name it.
            rule.is_served &= k > 0;
            Some(rule)
        };
        let number = |random: &mut SplitMix64| pick(random, &NUMBERS);
        let (here, there) = (number(random), number(random));
        let required = [
            Required::Nothing,
            Required::Justice(here),
            Required::Compassion(here, there),
            Required::Shared(here),
        ];
        Table {
            processes: pick(random, &[1, 2, 2, 3, 3, 3]),
            is_held: random.below(3) == 0,
            rules: (0..EVENTS.len()).map(|k| rule(k, random)).collect(),
            required: pick(random, &required),
            left_out: (random.below(8) == 0).then(|| number(random)),
        }
    }

    /// Whether there is a rule for an event.
    pub(crate) fn has(&self, event: usize) -> bool {
        self.rules[event].is_some()
    }

    /// Whether the server executes some rule.
    pub(crate) fn has_server(&self) -> bool {
        self.rules.iter().flatten().any(|rule| rule.is_served)
    }

    /// The system as a model.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("type proc: scalarset({});\n", self.processes);
        text += "var at: array [proc] of 0..2; shared: 0..2; holder: proc;\n";
        let (around, held, end) = if self.is_held {
            ("ruleset h: proc do ", "holder := h", "end;")
        } else {
            ("", "undefine holder", "")
        };
        let place = "for p: proc do at[p] := 0 end; shared := 0;";
        let _ = writeln!(text, "{around}startstate {place} {held} end; {end}");
        for (event, rule) in self.rules.iter().enumerate() {
            text += &rule.as_ref().map_or(String::new(), |rule| rule.text(event));
        }
        text += "invariant \"empty\" !exists p: proc do \
                 at[p] = 2 & !isundefined(holder) & holder = p end;\n";
        text += "liveness \"again\" shared = 0;\n";
        if let Some(value) = self.left_out {
            let _ = writeln!(text, "assume shared != {value};");
        }
        match self.required {
            Required::Nothing => {}
            Required::Justice(a) => {
                let _ = writeln!(text, "justice \"there\": forall p: proc. at[p] = {a};");
            }
            Required::Compassion(a, b) => {
                let _ = writeln!(
                    text,
                    "compassion \"on\": forall p: proc. \
                     (at[p] = {a} & !isundefined(holder) & holder = p, at[p] = {b});"
                );
            }
            Required::Shared(a) => {
                let _ = writeln!(text, "justice \"shared\": shared = {a};");
            }
        }
        text
    }

    fn rule(&self, event: &Event) -> Option<&Rule> {
        let k = match event {
            Event::A(_) => 0,
            Event::B(_) => 1,
            Event::C(_) => 2,
            Event::D(..) => CHOOSES_PROCESS,
            Event::E(..) => CHOOSES_NUMBER,
        };
        self.rules[k].as_ref()
    }
}

impl Protocol for Table {
    type State = State;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Process>(self.processes)
    }

    fn starts(&self, all: &Indices) -> Vec<State> {
        let start =
            |holder| State { at: Map::filled(all, Number::LOW), shared: Number::LOW, holder };
        if self.is_held { all.all().map(|p| start(Some(p))).collect() } else { vec![start(None)] }
    }

    fn events(&self, state: &State, enabled: &mut Vec<Event>) {
        // Rule by rule, as the model does. Guards are seen by `next`.
        let all = || state.at.keys();
        enabled.extend(all().map(Event::A));
        enabled.extend(all().map(Event::B));
        enabled.extend(all().map(Event::C));
        enabled.extend(all().flat_map(|p| all().map(move |q| Event::D(p, q))));
        enabled.extend(all().flat_map(|p| NUMBERS.map(|x| Event::E(p, Number::new(x)))));
    }

    fn next(&self, state: &State, event: &Event) -> Option<State> {
        let rule = self.rule(event)?;
        let (Event::A(p) | Event::B(p) | Event::C(p) | Event::D(p, _) | Event::E(p, _)) = *event;
        if !rule.is_enabled(state, p) {
            return None;
        }
        let mut next = state.clone();
        rule.execute(&mut next, p);
        match *event {
            Event::D(_, q) if q == p || state.at[q] != rule.chosen => return None,
            Event::D(_, q) => next.at[q] = Number::new(rule.chosen_to),
            // The model fails before the number is chosen; a protocol's state is seen as a whole.
            Event::E(_, x) if next.shared.is_inside() => next.shared = x,
            _ => {}
        }
        Some(next)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::A(p) | Event::B(p) | Event::C(p) | Event::D(p, _) | Event::E(p, _)) = *event;
        let is_served = self.rule(event).is_some_and(|rule| rule.is_served);
        if is_served { Owner::named("server") } else { Owner::of(p) }
    }

    fn processes(&self) -> Vec<&'static str> {
        if self.has_server() { vec!["server"] } else { Vec::new() }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        Table::declare_atoms(atoms);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        self.declare_properties(properties);
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        self.declare_fairness(required);
    }
}

impl Table {
    fn declare_atoms<P: Protocol<State = State>>(atoms: &mut Atoms<P>) {
        for value in NUMBERS {
            atoms
                .state1(&format!("at_{value}"), move |state, p: Process| state.at[p] == value)
                .state(&format!("shared_{value}"), move |state| state.shared == value);
        }
        atoms
            .state1("holds", |state, p| state.holder == Some(p))
            .state2("before", |state, p: Process, q: Process| state.at[p] < state.at[q]);
    }

    fn declare_properties<P>(&self, properties: &mut Properties<P>)
    where
        P: Protocol<State = State>,
    {
        properties
            .always("empty", |state| state.holder.is_none_or(|p| state.at[p] != Number::HIGH))
            .possible("again", |state| state.shared == 0);
        if let Some(value) = self.left_out {
            properties.within("left out", move |state| state.shared != Number::new(value));
        }
    }

    fn declare_fairness<P>(&self, required: &mut Requirements<P>)
    where
        P: Protocol<State = State>,
    {
        for (event, rule) in EVENTS.iter().zip(&self.rules) {
            match rule.as_ref().and_then(|rule| rule.fairness) {
                None => {}
                Some(RuleFairness::Weak) => drop(required.weakly_fair(event)),
                Some(RuleFairness::Strong) => drop(required.strongly_fair(event)),
            }
        }
        match self.required {
            Required::Nothing => {}
            Required::Justice(a) => {
                required.justice1("there", move |state, p: Process| state.at[p] == a);
            }
            Required::Compassion(a, b) => {
                required.compassion1(
                    "on",
                    move |state, p: Process| state.at[p] == a && state.holder == Some(p),
                    move |state, p| state.at[p] == b,
                );
            }
            Required::Shared(a) => {
                required.justice("shared", move |state| state.shared == a);
            }
        }
    }
}

/// The same system in the loose way, with the same names of events.
#[derive(Clone, Debug)]
pub(crate) struct LooseTable(pub(crate) Table);

impl Protocol for LooseTable {
    type State = State;
    type Event = Event;

    fn indices(&self) -> Indices {
        self.0.indices()
    }

    fn starts(&self, all: &Indices) -> Vec<State> {
        self.0.starts(all)
    }

    fn events(&self, state: &State, enabled: &mut Vec<Event>) {
        self.0.events(state, enabled);
    }

    fn next(&self, state: &State, event: &Event) -> Option<State> {
        // A number outside of its range has no cells that could say so: the table panics instead.
        let next = self.0.next(state, event)?;
        assert!(next.shared.is_inside(), "the sum is too large");
        Some(next)
    }

    fn owner(&self, event: &Event) -> Owner {
        self.0.owner(event)
    }

    fn processes(&self) -> Vec<&'static str> {
        self.0.processes()
    }

    fn event_names(&self, names: &mut EventNames<Self>) {
        let one = |k: usize| {
            move |event: &Event| match (k, event) {
                (0, Event::A(p)) | (1, Event::B(p)) | (2, Event::C(p)) => Some(*p),
                _ => None,
            }
        };
        names.event("a", one(0)).event("b", one(1)).event("c", one(2));
        names.event("d", |event| if let Event::D(p, q) = event { Some((*p, *q)) } else { None });
        names.event("e", |event| if let Event::E(p, x) = event { Some((*p, *x)) } else { None });
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        Table::declare_atoms(atoms);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        self.0.declare_properties(properties);
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        self.0.declare_fairness(required);
    }
}
