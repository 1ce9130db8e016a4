//! Random models that do with multisets whatever can be done with them: elements of all kinds and sizes,
//! multisets in arrays, one element chosen after another, elements that are changed where they are, used
//! after their removal, added where one was removed.

use run::SplitMix64;

/// The values of a simple part.
#[derive(Clone, Copy)]
enum Simple {
    Number,
    Boolean,
    Index,
    Kind,
    Agent,
}

/// Element types by name, each with its simple parts.
const ELEMENTS: [(&str, &[(&str, Simple)]); 7] = [
    ("number", &[("", Simple::Number)]),
    ("boolean", &[("", Simple::Boolean)]),
    ("pid", &[("", Simple::Index)]),
    ("agent", &[("", Simple::Agent)]),
    ("message", &[(".kind", Simple::Kind), (".from", Simple::Agent), (".n", Simple::Number)]),
    ("row", &[("[p]", Simple::Boolean)]),
    ("wide", &[(".a", Simple::Number), (".b", Simple::Number), (".c", Simple::Index)]),
];

/// A variable that is a multiset or an array of some, its elements.
type Declared = (&'static str, usize);

/// A position and the multiset that it is chosen from.
type Chosen = (&'static str, String, usize);

struct Generator {
    random: SplitMix64,
    multisets: Vec<Declared>,
    chosen: Vec<Chosen>,
    text: String,
    /// Names so far.
    names: usize,
    in_loop: bool,
}

/// A model. Some are refused by the checker.
pub fn model(seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let mut multisets = vec![("net", random.below(ELEMENTS.len()))];
    for name in ["box", "chan"] {
        if random.below(2) == 0 {
            let element = random.below(ELEMENTS.len());
            multisets.push((name, element));
        }
    }
    let mut generator = Generator {
        random,
        multisets,
        chosen: Vec::new(),
        text: String::new(),
        names: 0,
        in_loop: false,
    };
    generator.declarations();
    generator.start();
    for _ in 0..3 + generator.random.below(3) {
        generator.rule();
    }
    generator.properties();
    generator.text
}

impl Generator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn declarations(&mut self) {
        self.line(
            "type pid: scalarset(2); number: 0..2; kinds: enum { A, B, C }; home: enum { Home };\n\
             agent: union { home, pid };\n\
             message: record kind: kinds; from: agent; n: number; end;\n\
             row: array [pid] of boolean;\n\
             wide: record a, b: -3..1099511627775; c: pid; end;\n\
             var x: 0..9; yes: boolean; who: pid;",
        );
        for (name, element) in self.multisets.clone() {
            let (of, capacity) = (ELEMENTS[element].0, 1 + self.random.below(4));
            let prefix = if name == "chan" { "array [pid] of " } else { "" };
            self.line(&format!("{name}: {prefix}multiset [{capacity}] of {of}; v_{name}: {of};"));
        }
        for (name, element) in self.multisets.clone() {
            let of = ELEMENTS[element].0;
            if name != "chan" {
                self.line(&format!(
                    "procedure send_{name}(v: {of}); begin MultiSetAdd(v, {name}); end;\n\
                     function some_{name}(): boolean; begin\n\
                     return MultiSetCount(k: {name}, true) > 0; end;"
                ));
            }
            self.line(&format!(
                "procedure change_{name}(var v: {of}; w: {of}); begin v := w; x := 1; end;"
            ));
        }
    }

    fn start(&mut self) {
        self.line("startstate x := 0; yes := false;");
        for (name, element) in self.multisets.clone() {
            self.line("for p: pid do");
            for (part, simple) in ELEMENTS[element].1 {
                if self.random.below(6) > 0 {
                    let value = self.value(*simple, true);
                    self.line(&format!("v_{name}{part} := {value};"));
                }
            }
            let at = if name == "chan" { "chan[p]" } else { name };
            // Two times, so that there are equal ones; not if it is simple and undefined.
            self.line(&format!(
                "if MultiSetCount(k: {at}, true) = 0 then MultiSetAdd(v_{name}, {at}) end;"
            ));
            self.line("end;");
        }
        self.line("end;");
    }

    /// A value of a part.
    fn value(&mut self, simple: Simple, is_start: bool) -> String {
        let member = if self.in_loop && self.random.below(2) == 0 { "q" } else { "p" };
        match simple {
            Simple::Number if !is_start && self.random.below(4) == 0 => "x".to_owned(),
            Simple::Number => self.random.below(3).to_string(),
            Simple::Boolean => {
                (*self.random.pick(&["true", "false", "yes"]).expect("there are some")).to_owned()
            }
            Simple::Kind => {
                (*self.random.pick(&["A", "B", "C"]).expect("there are some")).to_owned()
            }
            Simple::Agent if self.random.below(2) == 0 => "Home".to_owned(),
            Simple::Index if self.random.below(5) == 0 && !is_start => "who".to_owned(),
            Simple::Index | Simple::Agent => member.to_owned(),
        }
    }

    /// A multiset, as it is written, the type of its elements, and its variable.
    fn multiset(&mut self) -> (String, usize, &'static str) {
        let (name, element) = *self.random.pick(&self.multisets).expect("there are some");
        let at = match (name, self.random.below(6)) {
            ("chan", 0) => "chan[who]".to_owned(),
            ("chan", 1 | 2) if self.in_loop => "chan[q]".to_owned(),
            ("chan", _) => "chan[p]".to_owned(),
            _ => name.to_owned(),
        };
        (at, element, name)
    }

    /// A whole value of an element type.
    fn whole(&mut self, element: usize) -> String {
        let mut all: Vec<String> = Vec::new();
        for (name, of) in &self.multisets {
            if *of == element {
                all.push(format!("v_{name}"));
            }
        }
        for (position, multiset, of) in &self.chosen {
            if *of == element {
                all.push(format!("{multiset}[{position}]"));
                all.push(format!("{multiset}[{position}]"));
            }
        }
        if let [("", simple)] = ELEMENTS[element].1 {
            let value = self.value(*simple, false);
            all.push(value);
        }
        self.random.pick(&all).expect("there are some").clone()
    }

    /// A simple part of an element type, and one of its values.
    fn part(&mut self, element: usize) -> (&'static str, String) {
        let (part, simple) = *self.random.pick(ELEMENTS[element].1).expect("there are some");
        (part, self.value(simple, false))
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("k{}", self.names)
    }

    fn count(&mut self, depth: usize) -> String {
        let (multiset, element, _) = self.multiset();
        let name = self.fresh();
        let condition = self.about(&format!("{multiset}[{name}]"), element, depth);
        format!("MultiSetCount({name}: {multiset}, {condition})")
    }

    /// A condition on something of an element type.
    fn about(&mut self, place: &str, element: usize, depth: usize) -> String {
        match self.random.below(6) {
            0 => "true".to_owned(),
            1 => format!("{place} = {}", self.whole(element)),
            2 if depth > 0 => {
                format!("{place} != {} | {}", self.whole(element), self.count(0) + " = 1")
            }
            3 => format!("isundefined({place}{})", self.part(element).0),
            _ => {
                let (part, value) = self.part(element);
                format!("{place}{part} = {value}")
            }
        }
    }

    fn condition(&mut self) -> String {
        let chosen = self.chosen.clone();
        match self.random.below(7) {
            0 | 1 if !chosen.is_empty() => {
                let (position, multiset, element) =
                    self.random.pick(&chosen).expect("there are some").clone();
                self.about(&format!("{multiset}[{position}]"), element, 1)
            }
            2 => {
                let limit = self.random.below(3);
                format!("{} <= {limit}", self.count(1))
            }
            3 => match *self.random.pick(&self.multisets).expect("there are some") {
                ("chan", _) => "yes".to_owned(),
                (name, _) => format!("some_{name}()"),
            },
            4 => format!("x < {}", 1 + self.random.below(9)),
            _ => "true".to_owned(),
        }
    }

    fn rule(&mut self) {
        self.line("ruleset p: pid do");
        let mut closing = 1;
        self.chosen.clear();
        for position in ["i", "j", "h"].into_iter().take(self.random.below(4)) {
            let (multiset, element, _) = match self.chosen.last() {
                Some((_, multiset, element)) if self.random.below(2) == 0 => {
                    (multiset.clone(), *element, "")
                }
                _ => self.multiset(),
            };
            self.line(&format!("choose {position}: {multiset} do"));
            self.chosen.push((position, multiset, element));
            closing += 1;
        }
        if let [(position, multiset, _), ..] = &self.chosen[..]
            && self.random.below(2) == 0
        {
            let head = format!("alias a: {multiset}[{position}] do");
            self.line(&head);
            closing += 1;
        }
        let has_alias = closing > 1 + self.chosen.len();
        let (one, other) = (self.condition(), self.condition());
        let name = ["", "\"go\""][self.random.below(2)];
        self.line(&format!("rule {name} {one} & ({other}) ==>"));
        for _ in 0..=self.random.below(4) {
            self.statement(2, has_alias);
        }
        self.line("end;");
        for _ in 0..closing {
            self.line("end;");
        }
        self.chosen.clear();
    }

    fn statement(&mut self, depth: usize, has_alias: bool) {
        let chosen = self.chosen.clone();
        let line = match self.random.below(16) {
            0..=2 => {
                let (multiset, element, _) = self.multiset();
                format!("MultiSetAdd({}, {multiset});", self.whole(element))
            }
            3 | 4 if !chosen.is_empty() => {
                let (position, multiset, _) = self.random.pick(&chosen).expect("there are some");
                format!("MultiSetRemove({position}, {multiset});")
            }
            5 => {
                let (multiset, element, _) = self.multiset();
                let name = self.fresh();
                let condition = self.about(&format!("{multiset}[{name}]"), element, 1);
                format!("MultiSetRemovePred({name}: {multiset}, {condition});")
            }
            6 | 7 if !chosen.is_empty() => {
                let (position, multiset, element) =
                    self.random.pick(&chosen).expect("there are some").clone();
                let (part, value) = self.part(element);
                let place = if has_alias && self.random.below(2) == 0 {
                    format!("a{}", self.part(chosen[0].2).0)
                } else {
                    format!("{multiset}[{position}]{part}")
                };
                format!("{place} := {value};")
            }
            8 if has_alias => {
                let (_, _, element) = chosen[0];
                match self.random.below(3) {
                    0 => format!("a := {};", self.whole(element)),
                    1 => format!("yes := isundefined(a{});", self.part(element).0),
                    _ => format!("undefine a{};", self.part(element).0),
                }
            }
            9 => format!("x := {};", self.count(1)),
            10 if depth > 0 => {
                let head = format!("if {} then", self.condition());
                self.line(&head);
                self.statement(depth - 1, has_alias);
                self.line("else");
                self.statement(depth - 1, has_alias);
                "end;".to_owned()
            }
            11 if depth > 0 && !self.in_loop => {
                self.line("for q: pid do");
                self.in_loop = true;
                self.statement(depth - 1, has_alias);
                self.in_loop = false;
                "end;".to_owned()
            }
            12 => match *self.random.pick(&self.multisets).expect("there are some") {
                (name @ ("net" | "box"), of) => format!("send_{name}({});", self.whole(of)),
                (name, element) => {
                    let (part, value) = self.part(element);
                    format!("v_{name}{part} := {value};")
                }
            },
            13 => {
                let (name, element) = *self.random.pick(&self.multisets).expect("there are some");
                let same = chosen.iter().filter(|(_, _, of)| *of == element);
                let mut places: Vec<String> =
                    same.map(|(position, multiset, _)| format!("{multiset}[{position}]")).collect();
                places.push(format!("v_{name}"));
                let place = self.random.pick(&places).expect("there are some").clone();
                format!("change_{name}({place}, {});", self.whole(element))
            }
            14 => (*self
                .random
                .pick(&["who := p;", "undefine who;", "x := x + 1;", "return;"])
                .expect("there are some"))
            .to_owned(),
            _ => match self.random.below(3) {
                0 => format!("assume {};", self.condition()),
                1 => format!("cover {};", self.condition()),
                _ => {
                    let (name, element) =
                        *self.random.pick(&self.multisets).expect("there are some");
                    let (part, value) = self.part(element);
                    format!("v_{name}{part} := {value};")
                }
            },
        };
        self.line(&line);
    }

    fn properties(&mut self) {
        let counted = self.count(1);
        self.line(&format!("ruleset p: pid do invariant \"few\" {counted} < 3; end;"));
        let (multiset, element, _) = self.multiset();
        let condition = self.about(&format!("{multiset}[i]"), element, 1);
        self.line(&format!(
            "ruleset p: pid do choose i: {multiset} do invariant \"each\" {condition}; end; end;"
        ));
    }
}
