//! Small random systems, and questions about them, as texts.
//!
//! `model::generate` writes all of the language, and much of what it writes is large, fails or has one
//! state only. Here a text is made to be useful: few variables, so that there are a handful of states;
//! everything is defined when it is read; rules that compare, move and pass on indices, so that runs
//! permute them. All group kinds and products of two, pointers and arrays of them, matrices, multisets,
//! undefined values, several start states (which the group moves, or not), deadlocks, assumptions,
//! processes; formulas with none, one or two tracked indices, events and owners.

mod named;
mod questions;

use named::NAMED;
use run::SplitMix64;
use std::fmt::Write as _;

/// A system, and what is asked about it.
pub struct Case {
    pub text: String,
    pub questions: Vec<String>,
    /// As many more, about what happens for ever; none, if somebody has thought of the questions.
    pub recurrences: Vec<String>,
    /// Justice and compassion that may be added to the text.
    pub requirements: String,
}

/// The case of a seed, with so many questions. The first ones are those that have been thought of.
pub fn case(seed: u64, questions: usize) -> Case {
    if let Some((text, questions)) = NAMED.get(seed as usize) {
        let questions = questions.iter().map(|one| (*one).to_owned()).collect();
        let (recurrences, requirements) = (Vec::new(), String::new());
        return Case { text: (*text).to_owned(), questions, recurrences, requirements };
    }
    let mut writer = Writer {
        random: SplitMix64::new(seed),
        types: Vec::new(),
        variables: Vec::new(),
        events: Vec::new(),
        owners: Vec::new(),
        has_server: false,
        bound: 0,
    };
    writer.types();
    writer.variables();
    let text = writer.text();
    let count = questions;
    let questions = (0..count).map(|_| writer.question()).collect();
    let requirements = (0..=writer.below(2)).map(|_| writer.requirement()).collect();
    let recurrences = (0..count).map(|_| writer.recurrence()).collect();
    Case { text, questions, recurrences, requirements }
}

/// The largest product of the variables' values: most of them are not reached.
const MOST_STATES: usize = 300;

/// How many elements a multiset has room for.
const ROOM: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalarset,
    Ring,
    Undirected,
}

#[derive(Clone, Copy)]
struct IndexType {
    name: &'static str,
    kind: Kind,
    size: usize,
}

/// What a variable holds; types by their numbers.
#[derive(Clone, Copy)]
enum Shape {
    /// A number below this.
    Number(usize),
    /// An index.
    Pointer { to: usize, is_defined: bool },
    /// By index, a number below this.
    Numbers(usize, usize),
    /// By index, an index.
    Pointers { of: usize, to: usize, is_defined: bool },
    /// By two indices, a truth value.
    Matrix(usize),
    /// Indices.
    Multiset(usize),
}

#[derive(Clone)]
struct Variable {
    name: String,
    shape: Shape,
}

/// Something that rules say of themselves: a name, and the types of the parameters.
struct Event {
    name: &'static str,
    parameters: Vec<usize>,
}

/// Index expressions that are there already, and their types.
type Scope = Vec<(String, usize)>;

struct Writer {
    random: SplitMix64,
    types: Vec<IndexType>,
    variables: Vec<Variable>,
    events: Vec<Event>,
    /// Types whose indices own a rule.
    owners: Vec<usize>,
    has_server: bool,
    /// How many names were bound by quantifiers and loops.
    bound: usize,
}

impl Writer {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn types(&mut self) {
        let two = self.chance(35);
        for name in ["pid", "loc"].into_iter().take(1 + usize::from(two)) {
            let kind = match self.below(10) {
                0..3 => Kind::Scalarset,
                3..7 => Kind::Ring,
                _ => Kind::Undirected,
            };
            let (least, more) = match (kind, two) {
                (Kind::Scalarset, false) => (2, 3),
                (Kind::Scalarset, true) => (2, 2),
                (Kind::Ring, false) => (3, 3),
                (Kind::Ring, true) | (Kind::Undirected, false) => (3, 2),
                (Kind::Undirected, true) => (4, 1),
            };
            let size = least + self.below(more);
            self.types.push(IndexType { name, kind, size });
        }
    }

    fn some_type(&mut self) -> usize {
        self.below(self.types.len())
    }

    /// A type that some variable has to do with, most of the time.
    fn likely_type(&mut self) -> usize {
        let used: Vec<usize> = self
            .variables
            .iter()
            .flat_map(|one| match one.shape {
                Shape::Number(_) => Vec::new(),
                Shape::Pointer { to: of, .. }
                | Shape::Numbers(of, _)
                | Shape::Matrix(of)
                | Shape::Multiset(of) => vec![of],
                Shape::Pointers { of, to, .. } => vec![of, to],
            })
            .collect();
        let likely = self.random.pick(&used).copied();
        likely.filter(|_| self.random.below(10) > 0).unwrap_or_else(|| self.some_type())
    }

    fn variables(&mut self) {
        let wanted = 1 + self.below(3);
        let mut states = 1;
        let mut tries = 0;
        while self.variables.len() < wanted && tries < 20 {
            tries += 1;
            let (of, to, is_defined) = (self.some_type(), self.some_type(), self.chance(65));
            let size = self.types[of].size;
            let values = 2 + self.below(2);
            let shape = match self.below(12) {
                0..2 => Shape::Number(values),
                2..5 => Shape::Pointer { to, is_defined },
                5..8 => Shape::Numbers(of, values),
                8..10 => Shape::Pointers { of, to, is_defined },
                10 => Shape::Matrix(of),
                _ => Shape::Multiset(of),
            };
            let with_undefined = |is_defined: bool| usize::from(!is_defined);
            let count = match shape {
                Shape::Number(values) => values,
                Shape::Pointer { to, is_defined } => {
                    self.types[to].size + with_undefined(is_defined)
                }
                Shape::Numbers(_, values) => values.pow(size as u32),
                Shape::Pointers { to, is_defined, .. } => {
                    (self.types[to].size + with_undefined(is_defined)).pow(size as u32)
                }
                Shape::Matrix(_) => 1 << (size * size),
                Shape::Multiset(_) => (1..=ROOM).fold(1, |all, k| all + size.pow(k as u32)),
            };
            // Without indices there is nothing to permute.
            let is_plain = matches!(shape, Shape::Number(_));
            if states * count > MOST_STATES || is_plain && self.variables.is_empty() {
                continue;
            }
            states *= count;
            let name = format!("{}{}", shape.letter(), self.variables.len());
            self.variables.push(Variable { name, shape });
        }
        if self.variables.is_empty() {
            let shape = Shape::Pointer { to: 0, is_defined: true };
            self.variables.push(Variable { name: "h".to_owned(), shape });
        }
    }

    fn text(&mut self) -> String {
        let mut text = String::from("type\n");
        for of in &self.types {
            let kind = match of.kind {
                Kind::Scalarset => "scalarset",
                Kind::Ring => "ring",
                Kind::Undirected => "undirected ring",
            };
            let _ = writeln!(text, "  {}: {kind}({});", of.name, of.size);
        }
        text += "var\n";
        for Variable { name, shape } in &self.variables {
            let named = |of: usize| self.types[of].name;
            let of = match *shape {
                Shape::Number(values) => format!("0..{}", values - 1),
                Shape::Pointer { to, .. } => named(to).to_owned(),
                Shape::Numbers(of, values) => format!("array [{}] of 0..{}", named(of), values - 1),
                Shape::Pointers { of, to, .. } => format!("array [{}] of {}", named(of), named(to)),
                Shape::Matrix(of) => format!("array [{0}] of array [{0}] of boolean", named(of)),
                Shape::Multiset(of) => format!("multiset [{ROOM}] of {}", named(of)),
            };
            let _ = writeln!(text, "  {name}: {of};");
        }
        for _ in 0..[1, 1, 1, 2, 2, 3][self.below(6)] {
            text += &self.start();
        }
        // The first rule is one that is likely to do something.
        for k in 0..2 + self.below(3) {
            text += &self.rule(k == 0);
        }
        if self.chance(12) {
            text += &self.assumption();
        }
        text
    }

    /// A start state, or one for each value of its parameters.
    fn start(&mut self) -> String {
        // What must be defined needs an index to hold, and nothing in the language names one.
        let mut scope = Scope::new();
        let variables = self.variables.clone();
        for Variable { shape, .. } in &variables {
            let needed = match *shape {
                Shape::Pointer { to, is_defined: true } => Some(to),
                Shape::Pointers { of, to, is_defined: true } if of != to => Some(to),
                _ => None,
            };
            if let Some(of) = needed
                && !scope.iter().any(|(_, known)| *known == of)
            {
                scope.push((format!("s{}", scope.len()), of));
            }
        }
        if scope.len() < 2 && self.chance(40) {
            let of = self.some_type();
            scope.push((format!("s{}", scope.len()), of));
        }
        let mut body = Vec::new();
        for Variable { name, shape } in &variables {
            match *shape {
                Shape::Number(values) => body.push(format!("{name} := {};", self.below(values))),
                Shape::Pointer { to, is_defined } => {
                    if is_defined && self.chance(3) {
                        // The first value, which tells the values apart: the group becomes trivial.
                        body.push(format!("clear {name};"));
                    } else if is_defined || self.chance(50) {
                        body.extend(
                            self.known(to, &scope).map(|index| format!("{name} := {index};")),
                        );
                    }
                }
                Shape::Numbers(of, values) => {
                    let (all, one) = (self.below(values), self.below(values));
                    let named = self.types[of].name;
                    body.push(format!("for x: {named} do {name}[x] := {all}; end;"));
                    body.extend(
                        self.known(of, &scope).map(|index| format!("{name}[{index}] := {one};")),
                    );
                }
                Shape::Pointers { of, to, is_defined } => {
                    if !is_defined && self.chance(50) {
                        continue;
                    }
                    let target = match self.known(to, &scope) {
                        Some(index) if of != to || self.chance(40) => index,
                        _ if of == to && self.types[of].kind == Kind::Ring && self.chance(60) => {
                            "next(x)".to_owned()
                        }
                        _ if of == to => "x".to_owned(),
                        _ => continue,
                    };
                    let named = self.types[of].name;
                    body.push(format!("for x: {named} do {name}[x] := {target}; end;"));
                }
                Shape::Matrix(of) => {
                    let named = self.types[of].name;
                    body.push(format!(
                        "for x: {named} do for y: {named} do {name}[x][y] := x = y; end; end;"
                    ));
                    if let (Some(i), Some(j)) = (self.known(of, &scope), self.known(of, &scope)) {
                        body.push(format!("{name}[{i}][{j}] := true;"));
                    }
                }
                Shape::Multiset(of) => {
                    body.push(format!("undefine {name};"));
                    let index = self.known(of, &scope).filter(|_| self.chance(50));
                    body.extend(index.map(|index| format!("MultiSetAdd({index}, {name});")));
                }
            }
        }
        let start = format!("startstate\n  {}\nend;\n", body.join("\n  "));
        self.with_parameters(&scope, &start)
    }

    fn with_parameters(&self, scope: &[(String, usize)], inside: &str) -> String {
        if scope.is_empty() {
            return inside.to_owned();
        }
        let named = |(name, of): &(String, usize)| format!("{name}: {}", self.types[*of].name);
        let parameters: Vec<String> = scope.iter().map(named).collect();
        format!("ruleset {} do\n{inside}end;\n", parameters.join("; "))
    }

    fn rule(&mut self, is_eager: bool) -> String {
        let name = ["a", "b", "c"][self.below(3)];
        let count = [if is_eager { 2 } else { 0 }, 1, 1, 1, 2, 2][self.below(6)];
        let mut scope: Scope =
            ["i", "j"].iter().take(count).map(|one| ((*one).to_owned(), 0)).collect();
        for (_, of) in &mut scope {
            *of = self.likely_type();
        }
        let first = self.variables[0].shape;
        if let (true, Shape::Pointers { of, to, .. }) = (is_eager, first) {
            scope = vec![("i".to_owned(), of), ("j".to_owned(), to)];
        }
        let mut parameters: Vec<usize> = scope.iter().map(|(_, of)| *of).collect();
        let bags = self.variables.iter().filter_map(|one| match one.shape {
            Shape::Multiset(of) => Some((one.name.clone(), of)),
            _ => None,
        });
        let chosen =
            bags.collect::<Vec<_>>().pop().filter(|_| !is_eager && self.random.below(2) == 0);
        let outer = scope.clone();
        if let Some((bag, of)) = &chosen {
            parameters.push(*of);
            scope.push((format!("{bag}[z]"), *of));
        }
        let guard = match is_eager {
            true if self.chance(50) => "true".to_owned(),
            true => self.literal(&scope, 0),
            false => self.conjunction(&scope),
        };
        let mut body: Vec<String> = (0..=self.below(if is_eager { 1 } else { 2 }))
            .map(|_| self.statement(&scope, is_eager))
            .collect();
        if let Some((bag, _)) = &chosen {
            body.push(format!("MultiSetRemove(z, {bag});"));
        }
        let mut rule = format!("rule \"{name}\" {guard} ==>\n  {}\nend;\n", body.join("\n  "));
        if let Some((bag, _)) = &chosen {
            rule = format!("choose z: {bag} do\n{rule}end;\n");
        }
        self.events.push(Event { name, parameters });
        match (self.below(5), outer.split_first()) {
            (0, _) => {
                self.has_server = true;
                format!("process server do\n{}end;\n", self.with_parameters(&outer, &rule))
            }
            (1, Some(((first, of), rest))) => {
                self.owners.push(*of);
                let rest = self.with_parameters(rest, &rule);
                format!("process {first}: {} do\n{rest}end;\n", self.types[*of].name)
            }
            (_, first) => {
                self.owners.extend(first.map(|((_, of), _)| *of));
                self.with_parameters(&outer, &rule)
            }
        }
    }

    fn assumption(&mut self) -> String {
        let of = self.some_type();
        let scope = if self.chance(50) { vec![("x".to_owned(), of)] } else { Scope::new() };
        // Two, or nothing remains of most systems.
        let (one, other) = (self.literal(&scope, 1), self.literal(&scope, 1));
        self.with_parameters(&scope, &format!("assume {one} | {other};\n"))
    }

    /// A name that no other quantifier or loop binds.
    fn fresh(&mut self) -> String {
        self.bound += 1;
        format!("x{}", self.bound)
    }

    /// One of the indices of a type in scope.
    fn known(&mut self, of: usize, scope: &[(String, usize)]) -> Option<String> {
        let fitting: Vec<&String> =
            scope.iter().filter(|(_, one)| *one == of).map(|(name, _)| name).collect();
        self.random.pick(&fitting).map(|name| (*name).clone())
    }

    /// An index of a type: defined, whatever the state.
    fn index(&mut self, of: usize, scope: &[(String, usize)], depth: usize) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        // Twice, so that they are the most likely.
        for _ in 0..2 {
            found.extend(self.known(of, scope));
        }
        for Variable { name, shape } in self.variables.clone() {
            match shape {
                Shape::Pointer { to, is_defined: true } if to == of => found.push(name),
                Shape::Pointers { of: from, to, is_defined: true } if to == of && depth > 0 => {
                    let inner = self.index(from, scope, depth - 1);
                    found.extend(inner.map(|inner| format!("{name}[{inner}]")));
                }
                _ => {}
            }
        }
        let found = self.random.pick(&found)?.clone();
        if self.types[of].kind == Kind::Ring && self.chance(35) {
            let step = ["next", "prev"][self.below(2)];
            return Some(format!("{step}({found})"));
        }
        Some(found)
    }

    fn conjunction(&mut self, scope: &[(String, usize)]) -> String {
        let parts: Vec<String> =
            (0..[0, 1, 1, 2, 2][self.below(5)]).map(|_| self.literal(scope, 1)).collect();
        if parts.is_empty() { "true".to_owned() } else { parts.join(" & ") }
    }

    /// A condition that never fails, in parentheses; with so many quantifiers in it at most.
    fn literal(&mut self, scope: &[(String, usize)], quantifiers: usize) -> String {
        for _ in 0..8 {
            if let Some(found) = self.try_literal(scope, quantifiers) {
                return if self.chance(25) {
                    format!("(!({found}))")
                } else {
                    format!("({found})")
                };
            }
        }
        ["true", "true", "false"][self.below(3)].to_owned()
    }

    fn try_literal(&mut self, scope: &[(String, usize)], quantifiers: usize) -> Option<String> {
        let of = self.likely_type();
        let index = |writer: &mut Writer, of| writer.index(of, scope, 1);
        match self.below(8) {
            0 if quantifiers > 0 && self.chance(25) => self.pattern(),
            0 if quantifiers > 0 => {
                let name = self.fresh();
                let mut inner = scope.to_vec();
                inner.push((name.clone(), of));
                let which = ["exists", "forall"][self.below(2)];
                let mut condition = self.literal(&inner, quantifiers - 1);
                if self.chance(40) {
                    // Where something is, and what is next to it.
                    let operator = ["&", "|"][self.below(2)];
                    let other = self.literal(&inner, quantifiers - 1);
                    condition = format!("({condition} {operator} {other})");
                }
                let neighbour = self.index(of, scope, 0).filter(|_| self.random.below(2) == 0);
                if let (Some(index), Kind::Undirected) = (neighbour, self.types[of].kind) {
                    condition = format!("adjacent({index}, {name}) & {condition}");
                }
                Some(format!("{which} {name}: {} do {condition} end", self.types[of].name))
            }
            1 => {
                let (left, right) = (index(self, of)?, index(self, of)?);
                if left == right || format!("next({left})") == right {
                    return None;
                }
                let IndexType { kind, .. } = self.types[of];
                Some(match kind {
                    Kind::Undirected if self.chance(60) => format!("adjacent({left}, {right})"),
                    Kind::Ring if self.chance(60) => format!("next({left}) = {right}"),
                    _ => format!("{left} = {right}"),
                })
            }
            _ => {
                let Variable { name, shape } = self.random.pick(&self.variables)?.clone();
                Some(match shape {
                    Shape::Number(values) => format!("{name} = {}", self.below(values)),
                    Shape::Pointer { to, is_defined } => match index(self, to) {
                        None if is_defined => return None,
                        Some(index) if is_defined => {
                            if index == name {
                                return None;
                            }
                            format!("{name} = {index}")
                        }
                        Some(index) if self.chance(70) => {
                            format!("!isundefined({name}) & {name} = {index}")
                        }
                        _ => format!("isundefined({name})"),
                    },
                    Shape::Numbers(of, values) => {
                        format!("{name}[{}] = {}", index(self, of)?, self.below(values))
                    }
                    Shape::Pointers { of, to, is_defined } => {
                        let at = format!("{name}[{}]", index(self, of)?);
                        match index(self, to) {
                            Some(index) if index == at => return None,
                            Some(index) if is_defined => format!("{at} = {index}"),
                            Some(index) if self.chance(70) => {
                                format!("!isundefined({at}) & {at} = {index}")
                            }
                            _ if is_defined => return None,
                            _ => format!("isundefined({at})"),
                        }
                    }
                    Shape::Matrix(of) => {
                        format!("{name}[{}][{}]", index(self, of)?, index(self, of)?)
                    }
                    Shape::Multiset(of) => match index(self, of) {
                        Some(index) if self.chance(70) => {
                            // The chosen one is there in any case.
                            format!(
                                "MultiSetCount(y: {name}, {name}[y] = {index}) > {}",
                                self.below(2)
                            )
                        }
                        _ => format!("MultiSetCount(y: {name}, true) = {}", self.below(ROOM + 1)),
                    },
                })
            }
        }
    }

    /// Whether somewhere around a ring there are these numbers, one behind the other.
    fn pattern(&mut self) -> Option<String> {
        let around: Vec<(String, usize, usize)> = self
            .variables
            .iter()
            .filter_map(|one| match one.shape {
                Shape::Numbers(of, values) if self.types[of].kind != Kind::Scalarset => {
                    Some((one.name.clone(), of, values))
                }
                _ => None,
            })
            .collect();
        let (name, of, values) = self.random.pick(&around)?.clone();
        let IndexType { name: named, kind, .. } = self.types[of];
        let mut number = || self.random.below(values);
        let (a, b, c) = (number(), number(), number());
        let (x, y) = (self.fresh(), self.fresh());
        Some(match kind {
            Kind::Undirected => format!(
                "exists {x}: {named} do exists {y}: {named} do \
                 adjacent({x}, {y}) & {name}[{x}] = {a} & {name}[{y}] = {b} end end"
            ),
            _ => format!(
                "exists {x}: {named} do {name}[{x}] = {a} & {name}[next({x})] = {b} \
                 & {name}[next(next({x}))] = {c} end"
            ),
        })
    }

    /// Something that never fails; if it is eager, something that is likely to change the state.
    fn statement(&mut self, scope: &[(String, usize)], is_eager: bool) -> String {
        for _ in 0..12 {
            if let Some(found) = self.try_statement(scope, is_eager) {
                return match self.below(14) {
                    _ if is_eager => found,
                    0 | 1 => format!("if {} then {found} end;", self.literal(scope, 1)),
                    // A false one makes it no step at all.
                    2 => format!("{found} assume {};", self.literal(scope, 1)),
                    _ => found,
                };
            }
        }
        String::new()
    }

    fn try_statement(&mut self, scope: &[(String, usize)], is_eager: bool) -> Option<String> {
        let index = |writer: &mut Writer, of| writer.index(of, scope, 1);
        let Variable { name, shape } = self.random.pick(&self.variables)?.clone();
        let is_loop = !is_eager && self.chance(12);
        Some(match shape {
            Shape::Number(values) => match self.below(3) {
                k if is_eager || k == 0 => format!("{name} := ({name} + 1) % {values};"),
                _ => format!("{name} := {};", self.below(values)),
            },
            Shape::Pointer { is_defined: false, .. } if !is_eager && self.chance(30) => {
                format!("undefine {name};")
            }
            Shape::Pointer { to, .. } => {
                let index = index(self, to)?;
                if index == name {
                    return None;
                }
                format!("{name} := {index};")
            }
            Shape::Numbers(of, values) if is_loop => {
                let (x, value) = (self.fresh(), self.below(values));
                let mut inner = scope.to_vec();
                inner.push((x.clone(), of));
                let named = self.types[of].name;
                match self.below(3) {
                    // Some of these read what they write, and then the order matters.
                    0 => {
                        let condition = self.literal(&inner, 0);
                        format!(
                            "for {x}: {named} do if {condition} then {name}[{x}] := {value}; end; end;"
                        )
                    }
                    1 => format!(
                        "for {x}: {named} do {name}[{x}] := ({name}[{x}] + 1) % {values}; end;"
                    ),
                    _ => format!("for {x}: {named} do {name}[{x}] := {value}; end;"),
                }
            }
            Shape::Numbers(of, values) => {
                let index = index(self, of)?;
                match self.below(3) {
                    k if is_eager || k == 0 => {
                        format!("{name}[{index}] := ({name}[{index}] + 1) % {values};")
                    }
                    _ => format!("{name}[{index}] := {};", self.below(values)),
                }
            }
            Shape::Pointers { of, is_defined: false, .. } if !is_eager && self.chance(30) => {
                format!("undefine {name}[{}];", index(self, of)?)
            }
            Shape::Pointers { of, to, .. } => {
                let (at, target) = if is_eager {
                    (self.known(of, scope)?, self.known(to, scope)?)
                } else {
                    (index(self, of)?, index(self, to)?)
                };
                if target == format!("{name}[{at}]") || is_eager && target == at {
                    return None;
                }
                format!("{name}[{at}] := {target};")
            }
            Shape::Matrix(of) => {
                let (i, j) = (index(self, of)?, index(self, of)?);
                match self.below(3) {
                    k if is_eager || k == 0 => format!("{name}[{i}][{j}] := !{name}[{i}][{j}];"),
                    1 => format!("{name}[{i}][{j}] := {name}[{j}][{i}];"),
                    _ => format!("{name}[{i}][{j}] := {};", self.chance(50)),
                }
            }
            Shape::Multiset(of) => {
                let index = index(self, of)?;
                // What was chosen is removed at the end, by its place: nothing may be removed before.
                if scope.iter().any(|(one, _)| one.contains('[')) {
                    return None;
                }
                match self.below(4) {
                    0 if !is_eager => {
                        format!("MultiSetRemovePred(y: {name}, {name}[y] = {index});")
                    }
                    _ => format!(
                        "if MultiSetCount(y: {name}, true) < {ROOM} then MultiSetAdd({index}, {name}); end;"
                    ),
                }
            }
        })
    }
}

impl Shape {
    /// What names of such variables begin with.
    fn letter(self) -> &'static str {
        match self {
            Shape::Number(_) => "k",
            Shape::Pointer { .. } => "h",
            Shape::Numbers(..) => "v",
            Shape::Pointers { .. } => "p",
            Shape::Matrix(_) => "m",
            Shape::Multiset(_) => "bag",
        }
    }
}
