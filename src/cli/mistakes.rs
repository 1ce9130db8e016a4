//! Mistakes on the command line about which there is more to say than clap does.

use super::error::Error;
use clap::error::{ContextKind, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// Options of other programs, and what is written here.
const ELSEWHERE: [(&str, &str, &str); 10] = [
    ("workers", "threads", "`--threads N`"),
    ("jobs", "threads", "`--threads N`"),
    ("cores", "threads", "`--threads N`"),
    ("json", "format", "`--format json`"),
    ("fair", "fairness", "`--fairness weak`, or `strong`, or `global`"),
    ("weak-fairness", "fairness", "`--fairness weak`"),
    ("strong-fairness", "fairness", "`--fairness strong`"),
    ("time-limit", "timeout", "`--timeout 10m`"),
    ("memory", "memory-limit", "`--memory-limit 4G`"),
    ("verbose", "log", "`--log debug`"),
];

/// What is wrong with the arguments, if it is known better than clap says it.
pub(crate) fn explained(
    program: &clap::Command,
    message: &clap::Error,
    arguments: &[OsString],
) -> Option<Error> {
    if message.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let given = message.get(ContextKind::InvalidArg)?.to_string();
    let words = arguments.iter().filter_map(|argument| argument.to_str());
    let command = words.clone().find_map(|word| program.find_subcommand(word))?;
    let name = command.get_name();
    if let Some(option) = given.strip_prefix("--").filter(|option| !option.starts_with(['>', '-']))
    {
        let option = option.split('=').next().unwrap_or(option);
        let has = |long: &str| {
            let own = command.get_arguments().chain(program.get_arguments());
            own.filter_map(clap::Arg::get_long).any(|own| own == long)
        };
        let known = ELSEWHERE.iter().find(|(other, ours, _)| *other == option && has(ours));
        let wrong = Error::usage(format!("`isonomy {name}` has no option `--{option}`"));
        return match known {
            Some((.., ours)) => Some(wrong.help(format!("write {ours}"))),
            None if message.get(ContextKind::SuggestedArg).is_some() => None,
            None => Some(wrong.help(format!("`isonomy {name} --help` lists its options"))),
        };
    }
    let is_operator = given.starts_with('-') && given.chars().any(|c| c == '>');
    if is_operator && name == "check" {
        return Some(
            Error::usage(format!("`{given}` is part of a formula, which the shell has divided"))
                .help("put the whole formula in quotes: 'G (p -> F q)'"),
        );
    }
    if given.starts_with('-') {
        return None;
    }
    let takes_model = ["explore", "describe", "simulate", "print"].contains(&name);
    if takes_model && Path::new(&given).is_file() {
        return Some(
            Error::usage(format!(
                "`isonomy {name}` takes one model, and `{given}` is another file"
            ))
            .help("run it once for each"),
        );
    }
    takes_model.then(|| {
        Error::usage(format!("`isonomy {name}` takes a model, and no formula: `{given}`"))
            .help(format!("`isonomy check MODEL '{given}'` checks a formula"))
    })
}
