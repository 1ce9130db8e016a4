//! Command lines of the program's own words, values and garbage: whatever is asked, the program ends with an exit code
//! that does not mean a bug.
//!
//! Runs are in a folder with a few small files, and every file that is named is one of these or does not exist, so that
//! nothing else is read or written. Bytes that begin with ASCII are a command line, one argument per line.

use super::choices::Choices;
use super::program::{Folder, run};
use std::path::Path;

/// Commands.
pub const COMMANDS: [&str; 14] = [
    "fmt",
    "verify",
    "describe",
    "simulate",
    "check",
    "explore",
    "replay",
    "print",
    "automaton",
    "formula",
    "completions",
    "man",
    "help",
    "model.m",
];

/// Options of all commands.
pub const OPTIONS: [&str; 67] = [
    "--por",
    "--no-time",
    "--check",
    "--from",
    "--at",
    "--show",
    "--coverage",
    "--certificate",
    "--properties",
    "-D",
    "-p",
    "-h",
    "-V",
    "--help",
    "--version",
    "--log",
    "--trace",
    "--stats",
    "--progress",
    "--color",
    "--message-format",
    "--format",
    "--random",
    "--steps",
    "--full-states",
    "--timeout",
    "--memory-limit",
    "--property",
    "--fairness",
    "--fair-over",
    "--ignore-declared-fairness",
    "--symmetry",
    "--include-dir",
    "--engine",
    "--bitstate",
    "--hash-compaction",
    "--deadlock",
    "--threads",
    "--trust-compiled",
    "--shortest",
    "--report",
    "--paranoid",
    "--max-states",
    "--continue",
    "--compression",
    "--dot",
    "--svg",
    "--result",
    "--file",
    "--input",
    "--hoa-in",
    "--negate",
    "--acceptance",
    "--effort",
    "--header",
    "--syntax",
    "--simplify",
    "--classify",
    "--equivalent-to",
    "--implies",
    "--",
    "-",
    "-x",
    "--no-such-option",
    "--format=json",
    "-DClients=3",
    "--max-states=20",
];

const VALUES: [&str; 86] = [
    // Files.
    "model.m",
    "bad.m",
    "result.json",
    "formulas.ltl",
    "automaton.hoa",
    "no-such-file",
    "out.html",
    "out.json",
    "out.jsonl",
    "out.folded",
    "out.svg",
    "out.dot",
    "",
    "-",
    ".",
    // Words.
    "text",
    "json",
    "svg",
    "dot",
    "hoa",
    "never",
    "stats",
    "tgba",
    "buchi",
    "low",
    "medium",
    "high",
    "none",
    "weak",
    "strong",
    "global",
    "all",
    "process",
    "event",
    "auto",
    "off",
    "fast",
    "canonical",
    "scc",
    "sets",
    "ndfs",
    "stuck",
    "stuttering",
    "tree",
    "always",
    "never",
    "debug",
    "trace",
    "error",
    "spot",
    "spin",
    "isonomy",
    "latex",
    "bash",
    "fish",
    "zsh",
    // Numbers.
    "0",
    "1",
    "2",
    "3",
    "-1",
    "0.001",
    "1e300",
    "NaN",
    "99999999999999999999",
    "512M",
    "4G",
    "1K",
    "0x10",
    // Constants and properties.
    "Clients=2",
    "Clients=1",
    "Clients=0",
    "Clients=x",
    "Limit=1",
    "=",
    "granted",
    "exclusion",
    // Formulas, and what looks like one.
    "G F a",
    "a U (b & !c)",
    "forall c: client. G(st[c] = Waiting -> F st[c] = Working)",
    "G F @grant",
    "G (",
    "X X X X X X a <-> F G b",
    "é\u{7}\u{1b}[31m",
    "((((((((((((((((((((((((((((((((a",
    "G(a -> F b) & G(c -> F d) & G(e -> F f)",
];

/// The standard input of a command.
const INPUTS: [&[u8]; 8] = [
    b"",
    b"1\n1\n\nback\nquit\n",
    b"?\nhelp\nstate\n99\n-1\nrun 5\n",
    include_bytes!("../../../../fixtures/cli/lock.m"),
    b"G F a\na U b\nG(\n",
    include_bytes!("../../../../fixtures/hoa/stream.hoa"),
    b"{\"schema\":1,\"results\":[]}",
    b"\xff\xfe\x00",
];

/// Longer command lines say no more.
const MOST_ARGUMENTS: usize = 9;

/// What must be true of any bytes.
pub fn check(binary: &Path, bytes: &[u8]) {
    let (arguments, input) = if bytes.first().is_none_or(u8::is_ascii) {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let arguments: Vec<String> = text.lines().map(str::to_owned).collect();
        if !arguments.iter().all(|argument| is_harmless(argument)) {
            return;
        }
        (arguments, INPUTS[1])
    } else {
        let mut choices = Choices::new(&bytes[1..]);
        let input = *choices.pick(&INPUTS);
        (arguments(&mut choices), input)
    };
    let folder = Folder::new();
    folder.write("model.m", include_bytes!("../../../../fixtures/cli/lock.m"));
    folder.write("bad.m", b"var x: 0..; startstate x := y end; ltl G (x;");
    folder.write("formulas.ltl", b"G F a\n\na U b\nX (\n");
    folder.write("automaton.hoa", include_bytes!("../../../../fixtures/hoa/stream.hoa"));
    folder.write("result.json", RESULT.as_bytes());
    run(binary, &folder, &arguments, input);
}

/// A result of `model.m`, though not a right one.
const RESULT: &str = r#"{"schema":1,"model":"model.m","constants":{"Clients":2,"Limit":3},"results":[{
    "name":"exclusion","kind":"ltl","formula":null,"verdict":"violated","fairness":"none","over":null,
    "declared_fairness":[],"bindings":{"c":"client_0","d":"client_1"},"counterexample":{"stem":[],"cycle":[
    {"process":"client_0","event":"request","args":["client_0"],"state":{"st":{"client_0":"Idle",
    "client_1":"Idle"},"owner":null,"lent":0}}],"end":{"st":{"client_0":"Idle","client_1":"Idle"},
    "owner":null,"lent":0},"validated":true}}]}"#;

fn arguments(choices: &mut Choices<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    if choices.below(16) > 0 {
        arguments.push((*choices.pick(&COMMANDS)).to_owned());
    }
    if choices.below(4) > 0 {
        arguments.push("model.m".to_owned());
    }
    for _ in 0..choices.below(MOST_ARGUMENTS) {
        let option = *choices.pick(&OPTIONS);
        let value = *choices.pick(&VALUES);
        match choices.below(6) {
            0 => arguments.push(value.to_owned()),
            1 => arguments.push(option.to_owned()),
            2 if option.starts_with("--") => arguments.push(format!("{option}={value}")),
            3 => arguments.push(format!("{option}{value}")),
            _ => arguments.extend([option.to_owned(), value.to_owned()]),
        }
    }
    arguments.retain(|argument| !argument.contains('\0'));
    arguments
}

/// Whether nothing outside of the folder is named, and no constant is large.
fn is_harmless(argument: &str) -> bool {
    let is_outside = argument.contains('/') || argument.contains("..") || argument.contains('\0');
    let number = |text: &str| text.trim().parse().is_ok_and(|number: u64| number > 4);
    let is_large = argument
        .split_once('=')
        .is_some_and(|(name, value)| !name.starts_with("--") && number(value));
    !is_outside && !is_large
}
