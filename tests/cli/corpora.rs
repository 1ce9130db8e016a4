//! The inputs of the fuzz targets for the program itself, and some at random.

use super::binary::{isonomy, run};
use std::path::Path;
use suites::fuzzed::{commands, replays};
use support::corpora::{at_random, replay};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_isonomy"))
}

#[test]
fn replays_that_fuzzers_found() {
    replay("replay", |bytes| replays::check(binary(), bytes));
    at_random(60, |bytes| replays::check(binary(), bytes));
}

#[test]
fn commands_that_fuzzers_found() {
    replay("commands", |bytes| commands::check(binary(), bytes));
    at_random(100, |bytes| commands::check(binary(), bytes));
}

/// The fuzzer knows all commands and options.
#[test]
fn all_words_of_the_command_line_are_tried() {
    let mut missing = Vec::new();
    let help = run(isonomy(&["--help"]), b"").out;
    let listed = help.split("Commands:\n").nth(1).expect("a list of commands");
    let commands: Vec<&str> = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands {
        if !commands::COMMANDS.contains(&command) {
            missing.push(command.to_owned());
        }
        let help = run(isonomy(&[command, "--help"]), b"").out;
        for word in
            help.split(|letter: char| letter.is_whitespace() || "=,`'|<>[]().".contains(letter))
        {
            // `--write` would change the models of other tests.
            let is_tried = word.starts_with("--") && word.len() > 2 && word != "--write";
            if is_tried && !commands::OPTIONS.contains(&word) {
                missing.push(word.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
