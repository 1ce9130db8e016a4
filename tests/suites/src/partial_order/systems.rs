//! Small systems with local steps: chains of values that only their process sees, others that look at them
//! or write them, shared values, events of several processes.

use run::SplitMix64;
use std::fmt::Write as _;

/// How processes are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A family over a scalarset.
    Full,
    /// A family over a ring.
    Ring,
    /// Single processes, each with its own rules.
    Single,
}

/// What else a rule does than to move from one value of its process to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing.
    Local,
    /// It may read and write what is shared.
    Shared,
    /// It looks at the value of another process, and may write it.
    Touch,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub name: &'static str,
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    /// The shared values with which it is enabled.
    pub needs: Option<Vec<usize>>,
    pub sets: Option<usize>,
    /// The values of another process with which it is enabled, and what it makes of them.
    pub seen: Vec<usize>,
    pub made: Option<usize>,
    /// 1: the token is here; 2: nobody has it.
    pub token: usize,
    /// 1: takes the token; 2: drops it; 3: passes it on.
    pub passes: usize,
    /// The flag that it needs, and that it sets.
    pub flag: Option<bool>,
    pub flags: Option<bool>,
    /// Whether its event is that of all processes with a rule of this name.
    pub is_common: bool,
    pub fairness: &'static str,
    /// The order of the conjuncts of its guard.
    pub order: usize,
}

impl Rule {
    pub fn new(name: &'static str, from: usize, to: usize, kind: Kind) -> Rule {
        Rule {
            name,
            from,
            to,
            kind,
            needs: None,
            sets: None,
            seen: Vec::new(),
            made: None,
            token: 0,
            passes: 0,
            flag: None,
            flags: None,
            is_common: false,
            fairness: "",
            order: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub struct System {
    pub form: Form,
    pub size: usize,
    /// By process; of a family there is one.
    pub programs: Vec<Vec<Rule>>,
    pub init: Vec<usize>,
    /// How many values a process has, and how many the shared variable.
    pub values: usize,
    pub shared: usize,
    pub has_token: bool,
    pub has_flags: bool,
    pub requirements: String,
}

impl System {
    fn own(&self, variable: &str, j: usize) -> String {
        match self.form {
            Form::Single => format!("{variable}{j}"),
            _ => format!("{variable}[i]"),
        }
    }

    /// The text of the model.
    pub fn text(&self) -> String {
        let System { form, size, values, shared, .. } = self;
        let mut text = String::new();
        let (last, top) = (values - 1, shared - 1);
        match form {
            Form::Single => {
                let _ = writeln!(text, "var v: 0..{top};");
                for j in 0..*size {
                    let _ = writeln!(text, "  l{j}: 0..{last};");
                    if self.has_flags {
                        let _ = writeln!(text, "  f{j}: boolean;");
                    }
                }
                if self.has_token {
                    let _ = writeln!(text, "  t: 0..{size};");
                }
            }
            Form::Full | Form::Ring => {
                let kind = if *form == Form::Full { "scalarset" } else { "ring" };
                let _ = writeln!(text, "type pid: {kind}({size});\nvar v: 0..{top};");
                let _ = writeln!(text, "  l: array [pid] of 0..{last};");
                if self.has_flags {
                    text += "  f: array [pid] of boolean;\n";
                }
                if self.has_token {
                    text += "  t: pid;\n";
                }
            }
        }
        text += "startstate\n  v := 0;\n";
        if *form == Form::Single {
            for (j, init) in self.init.iter().enumerate() {
                let _ = writeln!(text, "  l{j} := {init};");
                if self.has_flags {
                    let _ = writeln!(text, "  f{j} := false;");
                }
            }
            if self.has_token {
                let _ = writeln!(text, "  t := {size};");
            }
        } else {
            let flag = if self.has_flags { " f[i] := false;" } else { "" };
            let _ = writeln!(text, "  for i: pid do l[i] := {};{flag} end;", self.init[0]);
        }
        text += "end;\n";
        for (j, program) in self.programs.iter().enumerate() {
            let head = match form {
                Form::Single => format!("process p{j} do"),
                _ => "process i: pid do".to_owned(),
            };
            let rules: String = program.iter().map(|rule| self.rule(rule, j)).collect();
            let _ = writeln!(text, "{head}\n{rules}end;");
        }
        text + &self.requirements
    }

    fn rule(&self, rule: &Rule, j: usize) -> String {
        if rule.kind != Kind::Touch {
            return self.instance(rule, j, None);
        }
        match self.form {
            Form::Single => {
                let others = (0..self.size).filter(|&k| k != j);
                others
                    .map(|k| self.instance(rule, j, Some((format!("l{k}"), format!("_{k}")))))
                    .collect()
            }
            Form::Ring => self.instance(rule, j, Some(("l[next(i)]".to_owned(), String::new()))),
            Form::Full => {
                let inner = self.instance(rule, j, Some(("l[k]".to_owned(), String::new())));
                format!("  ruleset k: pid do\n{inner}  end;\n")
            }
        }
    }

    fn instance(&self, rule: &Rule, j: usize, other: Option<(String, String)>) -> String {
        let any = |place: &str, values: &[usize]| {
            let all: Vec<String> =
                values.iter().map(|value| format!("{place} = {value}")).collect();
            if all.is_empty() { "false".to_owned() } else { format!("({})", all.join(" | ")) }
        };
        let own = self.own("l", j);
        let mut guard = vec![format!("{own} = {}", rule.from)];
        let mut body = vec![format!("{own} := {};", rule.to)];
        if let Some(flag) = rule.flag.filter(|_| self.has_flags) {
            guard.push(format!("{} = {flag}", self.own("f", j)));
        }
        if let Some(flag) = rule.flags.filter(|_| self.has_flags) {
            body.push(format!("{} := {flag};", self.own("f", j)));
        }
        let mut suffix = String::new();
        if rule.kind != Kind::Local {
            guard.extend(rule.needs.as_deref().map(|values| any("v", values)));
            body.extend(rule.sets.map(|value| format!("v := {value};")));
        }
        if rule.kind == Kind::Shared && self.has_token {
            let (here, nobody, next) = match self.form {
                Form::Single => {
                    (j.to_string(), self.size.to_string(), ((j + 1) % self.size).to_string())
                }
                Form::Full => ("i".to_owned(), String::new(), "i".to_owned()),
                Form::Ring => ("i".to_owned(), String::new(), "next(i)".to_owned()),
            };
            match (rule.token, self.form) {
                (1, Form::Single) => guard.push(format!("t = {here}")),
                (1, _) => guard.push(format!("!isundefined(t) & t = {here}")),
                (2, Form::Single) => guard.push(format!("t = {nobody}")),
                (2, _) => guard.push("isundefined(t)".to_owned()),
                _ => {}
            }
            match (rule.passes, self.form) {
                (1, _) => body.push(format!("t := {here};")),
                (2, Form::Single) => body.push(format!("t := {nobody};")),
                (2, _) => body.push("undefine t;".to_owned()),
                (3, _) => body.push(format!("t := {next};")),
                _ => {}
            }
        }
        if let Some((place, more)) = other {
            if self.form == Form::Full {
                guard.push("k != i".to_owned());
            }
            guard.push(any(&place, &rule.seen));
            body.extend(rule.made.map(|value| format!("{place} := {value};")));
            suffix = more;
        }
        let turn = rule.order % guard.len();
        guard.rotate_left(turn);
        let name = match self.form {
            Form::Single if !rule.is_common => format!("{}{j}{suffix}", rule.name),
            _ => rule.name.to_owned(),
        };
        let guard = guard.join(" & ");
        format!("  {}rule \"{name}\" {guard} ==> {} end;\n", rule.fairness, body.join(" "))
    }

    /// The event atoms of a name.
    pub fn atoms(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (j, program) in self.programs.iter().enumerate() {
            for rule in program.iter().filter(|rule| rule.name == name) {
                match (self.form, rule.kind) {
                    (Form::Single, _) if rule.is_common => found.push(format!("@{name}")),
                    (Form::Single, Kind::Touch) => {
                        let others = (0..self.size).filter(|&k| k != j);
                        found.extend(others.map(|k| format!("@{name}{j}_{k}")));
                    }
                    (Form::Single, _) => found.push(format!("@{name}{j}")),
                    _ => found.push(format!("@{name}")),
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "g"];

/// A system of a seed.
pub fn random(random: &mut SplitMix64) -> System {
    let form = [Form::Full, Form::Ring, Form::Single, Form::Single][random.below(4)];
    let size = match form {
        Form::Ring => 3,
        _ => 2 + random.below(2),
    };
    let values = if size == 3 { 2 + random.below(2) } else { 2 + random.below(3) };
    let shared = [1, 2, 2, 3][random.below(4)];
    let is_structured = random.below(10) < 6;
    let common: Vec<bool> = NAMES.iter().map(|_| random.below(4) == 0).collect();
    let has_contact = random.below(3) > 0;
    let mut program = |is_environment: bool| -> Vec<Rule> {
        if is_environment {
            // The shared value goes round, as a whole.
            let step = |k: usize| {
                let mut rule = Rule::new(["a", "b", "c"][k % 3], k, (k + 1) % values, Kind::Shared);
                rule.sets = Some((k + 1) % shared);
                rule
            };
            return (0..values).map(step).collect();
        }
        let count = if is_structured { values + random.below(3) } else { 2 + random.below(6) };
        let one = |k: usize| {
            let kind = match random.below(10) {
                0..5 => Kind::Local,
                8..10 if has_contact => Kind::Touch,
                _ => Kind::Shared,
            };
            let name = match kind {
                Kind::Local => ["a", "b", "c", "d", "d", "d", "e", "g"][random.below(8)],
                _ => ["a", "a", "b", "b", "c", "c", "d", "e"][random.below(8)],
            };
            let mut rule = Rule::new(name, random.below(values), random.below(values), kind);
            if is_structured && k < values {
                (rule.from, rule.to) = (k, (k + 1) % values);
            }
            let at = NAMES.iter().position(|one| *one == name).expect("one of the names");
            rule.is_common = common[at];
            let subset = |random: &mut SplitMix64, of: usize| -> Vec<usize> {
                (0..of).filter(|_| random.below(10) < 5).collect()
            };
            if kind != Kind::Local {
                if random.below(10) < 6 {
                    rule.needs = Some(subset(random, shared));
                }
                if random.below(10) < 6 {
                    rule.sets = Some(random.below(shared));
                }
                rule.token = [0, 0, 1, 2][random.below(4)];
                rule.passes = [0, 0, 1, 2, 3][random.below(5)];
            }
            if kind == Kind::Touch {
                rule.seen = subset(random, values);
                rule.made = (random.below(2) == 0).then(|| random.below(values));
            }
            if random.below(4) == 0 {
                rule.flag = Some(random.below(2) == 0);
            }
            if random.below(4) == 0 {
                rule.flags = Some(random.below(2) == 0);
            }
            rule.fairness = ["", "", "", "", "fair ", "strongly fair "][random.below(6)];
            rule.order = if random.below(3) == 0 { random.below(4) } else { 0 };
            rule
        };
        (0..count).map(one).collect()
    };
    let programs = match form {
        Form::Single => (0..size).map(|j| program(j == 0 && is_structured)).collect(),
        _ => vec![program(false)],
    };
    let init = (0..size).map(|_| random.below(values)).collect();
    let (has_token, has_flags) = (random.below(10) < 3, random.below(10) < 4);
    let mut system = System {
        form,
        size,
        programs,
        init,
        values,
        shared,
        has_token,
        has_flags,
        requirements: String::new(),
    };
    if random.below(2) == 0 {
        system.requirements = requirement(&system, random);
    }
    system
}

/// Something that is true of a state, in the words of a formula with these index variables.
pub fn condition(system: &System, random: &mut SplitMix64, tracked: Option<&str>) -> String {
    let value = random.below(system.values);
    let shared = random.below(system.shared);
    let j = random.below(system.size);
    match (system.form, random.below(6)) {
        (_, 0 | 1) => format!("v = {shared}"),
        (Form::Single, 2) => format!("(v = {shared} & l{j} = {value})"),
        (Form::Single, 3) if system.has_flags => format!("f{j}"),
        (Form::Single, 4) => format!("l{j} = l{}", (j + 1) % system.size),
        (Form::Single, _) => format!("l{j} = {value}"),
        (_, 2) => format!("(v = {shared} & exists x: pid do l[x] = {value} end)"),
        (_, 3) => match tracked {
            Some(one) if system.form == Form::Ring && random.below(2) == 0 => {
                format!("l[next({one})] = {value}")
            }
            Some(one) => format!("l[{one}] = {value}"),
            None => format!("exists x: pid do l[x] = {value} end"),
        },
        (_, 4) if system.has_flags => "exists x: pid do f[x] end".to_owned(),
        (_, 5) => format!("(sum x: pid do l[x] end) = {value}"),
        _ => format!("forall x: pid do l[x] != {value} end"),
    }
}

fn requirement(system: &System, random: &mut SplitMix64) -> String {
    let is_tracked = system.form != Form::Single && random.below(2) == 0;
    let (quantifier, tracked) =
        if is_tracked { ("forall y: pid. ", Some("y")) } else { ("", None) };
    let one = condition(system, random, tracked);
    if random.below(2) == 0 {
        return format!("justice: {quantifier}{one};\n");
    }
    let other = condition(system, random, tracked);
    format!("compassion: {quantifier}({one}, {other});\n")
}
