//! The commands that are compared.

use crate::formulas;
use crate::normal::Form;
use crate::process::{Binary, Folder, fixtures, has_ending};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// In place of the path of the file that a command writes.
pub(crate) const FILE: &str = "{file}";

/// In place of the path of a file with [`Case::result`].
pub(crate) const RESULT: &str = "{result}";

const SYMMETRIES: [&str; 3] = ["auto", "fast", "off"];
const ENGINES: [&str; 3] = ["auto", "scc", "ndfs"];
const DEADLOCKS: [&str; 3] = ["off", "stuck", "stuttering"];
const FAIRNESS: [&[&str]; 7] = [
    &["--fairness", "none"],
    &["--fairness", "weak"],
    &["--fairness", "weak", "--fair-over", "event"],
    &["--fairness", "strong"],
    &["--fairness", "strong", "--fair-over", "event"],
    &["--fairness", "global"],
    &["--fairness", "all"],
];

/// States that a command may find: of a model as it stands, and with other constants.
const MOST_STATES: &str = "8000";
const FEWER_STATES: &str = "2000";

/// Start states of a model for which a few commands are enough: each of them enumerates all.
const MANY_STARTS: u64 = 10_000;

/// Bytes of an input that are shown with a command.
const MOST_SHOWN: usize = 300;

/// What is typed into a simulation.
const SESSION: &str = "help\nmore\n1\nrandom 5\nshow\ntrace\nundo 2\n2\n1\nfilter a\nmore\nfilter\n\
                       go\n1\nrandom 30\ntrace\nundo 100\n99999\nnonsense\n\nquit\n";

/// A command, with all that it reads and writes.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) arguments: Vec<String>,
    /// Standard input.
    pub(crate) input: Vec<u8>,
    /// The form of standard output.
    pub(crate) form: Form,
    /// The name of the file at [`FILE`].
    pub(crate) file: Option<&'static str>,
    /// The contents of the file at [`RESULT`].
    pub(crate) result: Option<String>,
    /// The options with constants, if counterexamples on standard output are to be replayed.
    pub(crate) replayed: Option<Vec<String>>,
}

impl Case {
    /// A command; blanks separate arguments, so that words with blanks come by [`Case::with`].
    pub(crate) fn new(command: &str) -> Case {
        let case = Case {
            arguments: Vec::new(),
            input: Vec::new(),
            form: Form::Exact,
            file: None,
            result: None,
            replayed: None,
        };
        case.with(&words(command))
    }

    /// The command with further arguments.
    pub(crate) fn with(mut self, arguments: &[impl AsRef<str>]) -> Case {
        self.arguments.extend(arguments.iter().map(|one| one.as_ref().to_owned()));
        let has = |name: &str, value: &str| {
            self.arguments.windows(2).any(|pair| pair[0] == name && pair[1] == value)
        };
        self.form = match self.arguments.first().map(String::as_str) {
            _ if has("--format", "json") => Form::Json,
            Some("automaton") if has("--format", "stats") => Form::Stats,
            Some("check" | "explore") => Form::Text,
            _ => Form::Exact,
        };
        self
    }

    /// The command with this standard input.
    pub(crate) fn reading(self, input: impl Into<Vec<u8>>) -> Case {
        Case { input: input.into(), ..self }
    }

    /// The command with an option that makes it write a file.
    fn writing(self, option: &str, name: &'static str) -> Case {
        Case { file: Some(name), ..self.with(&[option, FILE]) }
    }

    /// The form of the file that is written.
    pub(crate) fn file_form(&self) -> Form {
        match self.file {
            Some(name) if has_ending(name, "html") => Form::Html,
            _ => Form::Exact,
        }
    }

    /// The same command with one thread, if it has several.
    pub(crate) fn by_one_thread(&self) -> Option<Case> {
        let at = self.arguments.iter().position(|one| one == "--threads")? + 1;
        let mut alone = self.clone();
        let threads = alone.arguments.get_mut(at)?;
        let has_several = threads != "1";
        "1".clone_into(threads);
        has_several.then_some(alone)
    }

    /// Whether an output says that the limit of states was reached.
    pub(crate) fn is_limited(&self, output: &[u8]) -> bool {
        let limits = self.arguments.windows(2).filter(|pair| pair[0] == "--max-states");
        let text = String::from_utf8_lossy(output);
        limits.into_iter().any(|pair| text.contains(&format!("more than {} states", pair[1])))
    }

    /// The command as it would be typed, without the name of the program.
    pub(crate) fn shown(&self) -> String {
        let quoted = |argument: &String| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=@:,{}".contains(c);
            if !argument.is_empty() && argument.chars().all(is_plain) {
                return argument.clone();
            }
            format!("'{}'", argument.replace('\'', "'\\''"))
        };
        let mut shown = self.arguments.iter().map(quoted).collect::<Vec<_>>().join(" ");
        let result = self.result.as_ref().map(String::as_bytes).unwrap_or_default();
        for (sign, text) in [(" < ", &self.input[..]), (" of ", result)] {
            if !text.is_empty() {
                shown += sign;
                shown.extend(text[..text.len().min(MOST_SHOWN)].escape_ascii().map(char::from));
            }
        }
        shown
    }
}

/// All cases: those of each model together, then those without a model.
pub(crate) fn all(root: &Path, old: &Binary<'_>) -> Vec<Vec<Case>> {
    let folder = Folder::new(usize::MAX);
    let files = fixtures(root);
    let mut groups = Vec::new();
    for path in files.iter().filter(|path| has_ending(path, "m")) {
        let text = fs::read_to_string(root.join(path)).unwrap_or_default();
        let Some(described) = described(old, path, &[], &folder) else {
            groups.push(of_faulty_model(path, &text));
            continue;
        };
        let model = Model::new(path, &text, &described, &[]);
        groups.push(model.all());
        for definitions in definitions(&text) {
            let described = self::described(old, path, &definitions, &folder);
            let model = described.as_ref().map(|of| Model::new(path, &text, of, &definitions));
            groups.extend(
                model.map(|model| if model.is_large() { model.few() } else { model.some() }),
            );
        }
    }
    groups.push(formulas::questions(root, &files));
    groups.push(formulas::automata(root, &files));
    groups.push(garbage(&files));
    groups
}

/// What `describe` prints of a model, unless it has errors.
fn described(
    old: &Binary<'_>,
    path: &str,
    definitions: &[String],
    folder: &Folder,
) -> Option<Value> {
    let case = Case::new("describe --format json").with(&[path]).with(definitions);
    let run = old.run(&case, folder).ok().filter(|run| run.code == Some(0))?;
    serde_json::from_slice(&run.out).ok()
}

/// The constants of facts in a header, each as options: `-- states: 96 with N = 4`.
fn definitions(text: &str) -> BTreeSet<Vec<String>> {
    let header = text.lines().take_while(|line| line.starts_with("--"));
    let facts =
        header.filter(|line| line.contains(": ")).filter_map(|line| line.rsplit_once(" with "));
    let options = facts.filter_map(|(_, constants)| {
        let one = |constant: &str| {
            let (name, value) = constant.split_once(" = ")?;
            let (name, value) = (name.trim(), value.trim());
            let is_constant = !name.contains(' ') && value.parse::<u32>().is_ok();
            is_constant.then(|| ["-D".to_owned(), format!("{name}={value}")])
        };
        let options: Option<Vec<_>> = constants.split(',').map(one).collect();
        options.map(|options| options.concat())
    });
    options.collect()
}

/// A model without errors.
struct Model<'a> {
    path: &'a str,
    text: &'a str,
    described: &'a Value,
    /// Options with constants.
    definitions: &'a [String],
    /// Formulas about its events and processes.
    formulas: Vec<String>,
}

impl<'a> Model<'a> {
    fn new(path: &'a str, text: &'a str, described: &'a Value, definitions: &'a [String]) -> Self {
        let mut formulas = vec!["F false".to_owned()];
        let events: Vec<String> = list(described, "events").iter().take(2).map(event).collect();
        if let Some(first) = events.first() {
            formulas.push(format!("G F {first}"));
        }
        if let [first, second] = &events[..] {
            formulas.push(format!("G !{second}"));
            formulas.push(format!("G F {first} -> G({second} -> X F {first})"));
        }
        let processes = list(described, "processes");
        if let Some(of) = processes.iter().find_map(|one| one["type"].as_str()) {
            formulas.push(format!("forall i: {of}. G F @by(i)"));
        }
        Model { path, text, described, definitions, formulas }
    }

    fn is_large(&self) -> bool {
        let starts = list(self.described, "start_states");
        let starts = starts.iter().map(|one| one["instances"].as_u64().unwrap_or(u64::MAX));
        starts.fold(0, u64::saturating_add) > MANY_STARTS
    }

    fn command(&self, command: &str) -> Case {
        Case::new(command).with(&[self.path]).with(self.definitions)
    }

    fn check(&self, options: &str) -> Case {
        self.limited(self.command("check")).with(&words(options))
    }

    fn explore(&self, options: &str) -> Case {
        self.limited(self.command("explore")).with(&words(options))
    }

    fn limited(&self, case: Case) -> Case {
        let most = if self.definitions.is_empty() { MOST_STATES } else { FEWER_STATES };
        case.with(&["--max-states", most])
    }

    /// A check in JSON whose counterexamples are replayed.
    fn replayed(&self, case: Case) -> Case {
        let case = case.with(&["--format", "json"]);
        Case { replayed: Some(self.definitions.to_vec()), ..case }
    }

    /// A model that takes long.
    fn few(&self) -> Vec<Case> {
        vec![
            self.command("describe"),
            self.command("print"),
            self.replayed(self.check("--threads 1")),
            self.check("--threads 2 --symmetry off"),
            self.explore("--threads 1 --format json"),
            self.command("simulate --random 1"),
        ]
    }

    /// A model with other constants.
    fn some(&self) -> Vec<Case> {
        let mut cases = vec![self.command("describe"), self.command("describe --format json")];
        for symmetry in SYMMETRIES {
            let options = format!("--threads 1 --symmetry {symmetry}");
            for fairness in FAIRNESS {
                cases.push(self.check(&options).with(fairness).with(&["--format", "json"]));
            }
            let asked = self.check(&options).with(&["--fairness", "all"]).with(&self.formulas);
            cases.push(self.replayed(asked));
            cases.push(self.check(&format!("--threads 2 --fairness all --symmetry {symmetry}")));
            cases.push(self.check(&options).writing("--report", "report.html"));
            cases.push(self.explore(&options));
            let threads = format!("--threads 2 --symmetry {symmetry} --format json");
            cases.push(self.explore(&threads));
        }
        cases.push(self.command("simulate --random 4 --steps 50"));
        cases
    }

    /// A model as it stands.
    fn all(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        self.descriptions(&mut cases);
        self.checks_of_properties(&mut cases);
        self.checks_of_formulas(&mut cases);
        self.checks_with_options(&mut cases);
        self.explorations(&mut cases);
        self.simulations(&mut cases);
        cases
    }

    fn descriptions(&self, cases: &mut Vec<Case>) {
        for options in ["", "--format json", "--message-format json", "--color always"] {
            cases.push(self.command("describe").with(&words(options)));
        }
        cases.push(self.command("print"));
        cases.push(Case::new("print -").reading(self.text));
        cases.push(Case::new("describe -").reading(self.text));
    }

    /// The properties of the model under every notion of fairness.
    fn checks_of_properties(&self, cases: &mut Vec<Case>) {
        let is_temporal = !list(self.described, "formulas").is_empty();
        let notions = if is_temporal { &FAIRNESS[..] } else { &FAIRNESS[..1] };
        for symmetry in SYMMETRIES {
            for fairness in notions {
                let check = |threads| {
                    self.check(&format!("--threads {threads} --symmetry {symmetry}")).with(fairness)
                };
                cases.push(self.replayed(check(1)));
                cases.push(check(2));
                cases.push(check(1).writing("--report", "report.html"));
                for engine in &ENGINES[1..] {
                    cases.push(check(1).with(&["--engine", engine, "--format", "json"]));
                }
            }
            for deadlock in &DEADLOCKS[1..] {
                let options = format!("--threads 2 --symmetry {symmetry} --deadlock {deadlock}");
                cases.push(self.check(&options));
                cases.push(self.replayed(self.check(&options)));
            }
        }
        for of in ["properties", "formulas"] {
            for property in list(self.described, of) {
                if let Some(name) = property["name"].as_str() {
                    cases.push(self.check("--threads 2").with(&["-p", name]));
                }
            }
        }
    }

    /// Formulas about events and processes under every notion of fairness, by every engine.
    fn checks_of_formulas(&self, cases: &mut Vec<Case>) {
        for (k, symmetry) in SYMMETRIES.into_iter().enumerate() {
            for (n, fairness) in FAIRNESS.into_iter().enumerate() {
                let check = |options: &str| {
                    self.check(&format!("--symmetry {symmetry} {options}")).with(fairness)
                };
                cases.push(self.replayed(check("--threads 1").with(&self.formulas)));
                let engine = ENGINES[(k + n) % ENGINES.len()];
                let options = format!("--threads 2 --engine {engine}");
                cases.push(check(&options).with(&self.formulas));
                if n % 3 == k {
                    let report = check("--threads 1").with(&self.formulas);
                    cases.push(report.writing("--report", "report.html"));
                    let undeclared = check("--threads 2 --ignore-declared-fairness");
                    cases.push(undeclared.with(&self.formulas));
                }
            }
            for approximate in ["--bitstate 1", "--hash-compaction"] {
                for fairness in ["none", "weak"] {
                    let options = format!("{approximate} --symmetry {symmetry} --threads 1");
                    let check = self.check(&options).with(&["--fairness", fairness]);
                    cases.push(check.with(&self.formulas).with(&["--format", "json"]));
                }
            }
        }
    }

    fn checks_with_options(&self, cases: &mut Vec<Case>) {
        let declares = !list(self.described, "requirements").is_empty()
            || list(self.described, "events").iter().any(|event| !event["fairness"].is_null());
        for fairness in FAIRNESS.into_iter().filter(|_| declares) {
            for symmetry in SYMMETRIES {
                let options =
                    format!("--threads 1 --symmetry {symmetry} --ignore-declared-fairness");
                cases.push(self.replayed(self.check(&options).with(fairness)));
            }
        }
        for options in ["--full-states", "--color always", "--message-format json"] {
            let check = self.check("--threads 2 --deadlock stuck --fairness weak");
            cases.push(check.with(&words(options)).with(&self.formulas));
        }
        for symmetry in SYMMETRIES {
            for most in ["3", "40"] {
                let options = format!("--threads 1 --symmetry {symmetry} --max-states {most}");
                let check = self.command("check").with(&words(&options));
                cases.push(check.with(&["F false", "--format", "json"]));
                cases.push(self.command("check").with(&words(&options)));
                cases.push(self.command("explore").with(&words(&options)));
            }
        }
        let check = Case::new("check - --threads 1 --fairness strong --format json");
        cases.push(check.with(&["--max-states", MOST_STATES]).reading(self.text));
        cases.push(self.check("--threads 1").with(&["G no_such_name", "-p", "no such property"]));
        cases.push(self.check("--threads 1 -D NoSuchConstant=3"));
    }

    fn explorations(&self, cases: &mut Vec<Case>) {
        for symmetry in SYMMETRIES {
            let explore = |options: &str| self.explore(&format!("--symmetry {symmetry} {options}"));
            for deadlock in DEADLOCKS {
                cases.push(explore(&format!("--threads 2 --deadlock {deadlock}")));
                let options = format!("--threads 1 --deadlock {deadlock} --format json");
                cases.push(explore(&options));
            }
            cases.push(explore("--threads 1 --continue"));
            cases.push(explore("--threads 2 --continue --format json --compression tree"));
            cases.push(explore("--threads 1 --deadlock stuck").writing("--dot", "states.dot"));
            cases.push(explore("--threads 2").writing("--svg", "states.svg"));
        }
        for options in ["--full-states", "--color always", "--message-format json"] {
            cases.push(self.explore("--threads 1").with(&words(options)));
        }
    }

    fn simulations(&self, cases: &mut Vec<Case>) {
        for options in [
            "--random 0",
            "--random 7 --steps 20 --full-states",
            "--random 8 --steps 30 --format json",
            "--random 9 --message-format json",
        ] {
            cases.push(self.command("simulate").with(&words(options)));
        }
        cases.push(self.command("simulate").reading(SESSION));
        cases.push(self.command("simulate --full-states").reading("2\nrandom 10\ntrace\n"));
    }
}

/// Commands on a model with errors.
fn of_faulty_model(path: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for command in [
        "describe",
        "describe --message-format json",
        "describe --color always",
        "describe --format json",
        "print",
        "check",
        "check --format json",
        "explore --format json",
        "simulate --random 1",
    ] {
        cases.push(Case::new(command).with(&[path]));
    }
    cases.push(Case::new("check -").with(&["F false"]).reading(text));
    cases.push(Case::new("replay").with(&[path, "-"]).reading("{}"));
    cases
}

/// Help, bad usage and bad input.
fn garbage(files: &[String]) -> Vec<Case> {
    let mut cases = Vec::new();
    for word in COMMANDS {
        for command in [
            format!("{word} --help"),
            format!("{word} -h"),
            format!("help {word}"),
            word.to_owned(),
        ] {
            cases.push(Case::new(&command));
        }
        cases.push(Case::new(&format!("{word} --no-such-option")));
        cases.push(Case::new(&format!("{word} no_such_file --message-format json")));
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh", "sh"] {
        cases.push(Case::new(&format!("completions {shell}")));
    }
    for command in
        ["", "--version", "-V", "--help", "-h", "help", "man", "nonsense", "--color never"]
    {
        cases.push(Case::new(command));
    }
    let model = files.iter().find(|path| path.ends_with("/lock.m")).map_or("lock.m", |path| path);
    for options in BAD_OPTIONS {
        for word in ["check", "explore", "simulate", "replay"] {
            cases.push(Case::new(word).with(&[model]).with(&words(options)));
        }
    }
    for word in ["check", "explore", "describe", "print", "simulate --random 1"] {
        for input in [
            &b""[..],
            b"\xff\xfe",
            b"var x: 0..",
            b"rule end;",
            b"-- nothing\r\n",
            b"\xef\xbb\xbfvar x: 0..1; startstate x := 0; end;",
        ] {
            cases.push(Case::new(word).with(&["-"]).reading(input));
        }
        for path in ["fixtures", "no/such/file.m", "Cargo.toml"] {
            cases.push(Case::new(word).with(&[path]));
        }
    }
    for input in BAD_RESULTS {
        cases.push(Case::new("replay").with(&[model, "-"]).reading(*input));
        cases.push(Case::new("replay --message-format json").with(&[model, "-"]).reading(*input));
    }
    for path in ["fixtures", "no/such/file.json", model] {
        cases.push(Case::new("replay").with(&[model, path]));
        cases.push(Case::new("replay").with(&[path, path, "--result", "3"]));
    }
    cases
}

const COMMANDS: [&str; 10] = [
    "check",
    "describe",
    "explore",
    "simulate",
    "replay",
    "print",
    "automaton",
    "formula",
    "completions",
    "man",
];

const BAD_OPTIONS: &[&str] = &[
    "--threads 0",
    "--threads many",
    "--max-states -1",
    "--max-states 0",
    "--memory-limit 1X",
    "--memory-limit 1",
    "--timeout never",
    "--symmetry all",
    "--fairness fair",
    "--fairness global --fair-over event",
    "--fair-over event",
    "--engine fast",
    "--engine ndfs --fairness weak",
    "--bitstate 0",
    "--bitstate 1 --hash-compaction",
    "--bitstate 1 --fairness strong",
    "--deadlock always",
    "--format yaml",
    "--report no/such/folder/report.html",
    "--dot no/such/folder/states.dot",
    "--compression zip",
    "-D",
    "-D Clients",
    "-D Clients=",
    "-D Clients=0",
    "-D Clients=-3",
    "-D Clients=x",
    "-D clients=3",
    "-D Clients=3 -D Clients=4",
    "-D Clients=99999999999999999999",
    "-p nothing",
    "-p exclusion",
    "--property",
    "--random x",
    "--random 1 --steps x",
    "--random 1 --steps 0",
    "--result 0",
];

const BAD_RESULTS: &[&str] = &[
    "",
    "{",
    "[]",
    "{}",
    "null",
    r#"{"schema":1}"#,
    r#"{"schema":2,"results":[]}"#,
    r#"{"schema":1,"model":"lock.m","constants":{},"results":[]}"#,
    r#"{"schema":1,"model":"lock.m","constants":{"Clients":1000000},"results":[{"name":null}]}"#,
    r#"{"schema":1,"model":"lock.m","constants":{},"results":[{"name":"x","kind":"ltl","counterexample":{}}]}"#,
];

/// The elements of a member of an object.
fn list<'v>(object: &'v Value, name: &str) -> &'v [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

/// An atom that is true in the steps of an event, whatever its arguments.
fn event(event: &Value) -> String {
    let name = event["name"].as_str().unwrap_or_default();
    let arguments = vec!["_"; list(event, "parameters").len()];
    if arguments.is_empty() {
        format!("@\"{name}\"")
    } else {
        format!("@\"{name}\"({})", arguments.join(", "))
    }
}

fn words(options: &str) -> Vec<&str> {
    options.split_whitespace().collect()
}
