//! The reference of the command line, `docs/cli.md`, is complete, and what it says is so.
//!
//! Usage, options, values and defaults of each command stand there between two marks, as they are made here
//! of the definition of the command line; `BLESS=1` writes them anew. The prose around is written by hand.
//! Whether all is documented is then asked of the text alone, whoever wrote it.

use super::{definition, pages, script};
use clap::builder::StyledStr;
use clap::{Arg, Command, ValueEnum as _};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const REFERENCE: &str = "docs/cli.md";

/// The name under which the options of all commands are documented.
const COMMON: &str = "Common options";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The options of a command that are not those of all commands.
fn own_arguments(command: &Command) -> Vec<&Arg> {
    let is_own = |argument: &&Arg| !argument.is_global_set() && argument.get_id() != "help";
    command.get_arguments().filter(is_own).collect()
}

/// The arguments by the sections that document them: `isonomy check`, ...
fn sections(command: &Command) -> Vec<(String, Vec<&Arg>)> {
    let common: Vec<_> = command.get_arguments().collect();
    let commands = command.get_subcommands();
    let commands = commands.map(|one| (format!("isonomy {}", one.get_name()), own_arguments(one)));
    std::iter::once((COMMON.to_owned(), common)).chain(commands).collect()
}

/// How an argument is written: `-p`, `--property`; or the name of its value.
fn spellings(argument: &Arg) -> Vec<String> {
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let found: Vec<_> = short.into_iter().chain(long).collect();
    if found.is_empty() { vec![value_name(argument)] } else { found }
}

fn value_name(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.first().map(ToString::to_string).unwrap_or_default()
}

/// The values of an argument that has a few, with what they mean.
fn values(argument: &Arg) -> Vec<(String, String)> {
    if !argument.get_action().takes_values() {
        return Vec::new();
    }
    let values = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
    values.map(|value| (value.get_name().to_owned(), line(value.get_help()))).collect()
}

/// A text of the help on one line: its paragraphs become sentences.
fn line(text: Option<&StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    let paragraphs =
        text.split("\n\n").map(|one| one.split_whitespace().collect::<Vec<_>>().join(" "));
    let sentence = |text: String| if text.ends_with(['.', ':']) { text } else { text + "." };
    let paragraphs: Vec<_> = paragraphs.filter(|text| !text.is_empty()).collect();
    match &paragraphs[..] {
        [one] => one.clone(),
        _ => paragraphs.into_iter().map(sentence).collect::<Vec<_>>().join(" "),
    }
}

/// What is said of an argument.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help());
    let values = values(argument).into_iter().map(|(name, help)| match &*help {
        "" => format!("`{name}`"),
        help => format!("`{name}`: {help}"),
    });
    let values: Vec<_> = values.collect();
    let separator = if values.iter().any(|value| value.contains(": ")) { "; " } else { ", " };
    let help = line(help);
    if values.is_empty() { help } else { format!("{help} ({})", values.join(separator)) }
}

/// What is said of an argument, and its default: clap's, or what its help says in brackets.
fn explained(argument: &Arg) -> (String, String) {
    let meaning = meaning(argument);
    if let Some((before, rest)) = meaning.split_once(" [default: ")
        && let Some((default, behind)) = rest.split_once(']')
    {
        return (format!("{before}{behind}"), default.to_owned());
    }
    if !argument.get_action().takes_values() {
        return (meaning, String::new());
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|one| format!("`{}`", one.to_string_lossy())).collect();
    (meaning, defaults.join(", "))
}

/// The table of some arguments.
fn table(arguments: &[&Arg]) -> String {
    let mut table = String::new();
    for argument in arguments.iter().filter(|argument| !argument.is_hide_set()) {
        let mut spellings = spellings(argument);
        if !argument.is_positional() && argument.get_action().takes_values() {
            let last = spellings.last_mut().expect("one at least");
            let _ = write!(last, " {}", value_name(argument));
        }
        let spellings: Vec<_> = spellings.iter().map(|one| format!("`{one}`")).collect();
        let (meaning, default) = explained(argument);
        let cells = [spellings.join(", "), meaning, default];
        let _ = writeln!(table, "| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    format!("| argument | meaning | default |\n|---|---|---|\n{table}")
}

/// What is generated of a section.
fn generated(command: &Command, section: &str, arguments: &[&Arg]) -> String {
    let Some(name) = section.strip_prefix("isonomy ") else { return table(arguments) };
    let mut command = command.find_subcommand(name).expect("a command").clone();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    let mut text = format!("{}\n\n```text\n{usage}\n```\n", about.unwrap_or_default().trim());
    if !arguments.is_empty() {
        let _ = write!(text, "\n{}", table(arguments));
    }
    if let Some(end) = command.get_after_long_help() {
        let _ = write!(text, "\n```text\n{end}\n```\n");
    }
    text
}

/// The reference, with what is generated made anew.
fn refreshed(kept: &str) -> String {
    let command = definition();
    let mut found = kept.to_owned();
    for (section, arguments) in sections(&command) {
        let marks = ["begin", "end"].map(|word| format!("<!-- {word} {section} -->\n"));
        let [begin, end] = marks.each_ref().map(|mark| found.find(mark.as_str()));
        let (Some(begin), Some(end)) = (begin, end) else {
            panic!("{REFERENCE} has no place for {section}: write {}{}", marks[0], marks[1]);
        };
        let inside = format!("\n{}\n", generated(&command, &section, &arguments));
        found.replace_range(begin + marks[0].len()..end, &inside);
    }
    let marked = found.lines().filter(|line| line.starts_with("<!-- begin ")).count();
    assert_eq!(marked, sections(&command).len(), "a section for something that is gone");
    found
}

fn is_blessed() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

#[test]
fn the_reference_is_up_to_date() {
    let path = root().join(REFERENCE);
    let kept = fs::read_to_string(&path).expect("the reference");
    let found = refreshed(&kept);
    if is_blessed() {
        return fs::write(&path, &found).expect("the file can be written");
    }
    assert!(kept == found, "`BLESS=1 cargo test --lib reference` writes it anew:\n{found}");
}

/// README and all of `docs/`.
fn documents() -> Vec<String> {
    let mut open = vec![PathBuf::from("README.md"), PathBuf::from("docs")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        let path = root().join(path);
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(&path).expect("a text");
            // It is being written.
            let is_new = path == root().join(REFERENCE) && is_blessed();
            found.push(if is_new { refreshed(&text) } else { text });
        }
    }
    found
}

/// The words in code spans below the headings that are this title, in any document: what is between
/// backquotes, outside of blocks of code.
fn documented(title: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for document in documents() {
        let (mut depth, mut is_code) = (None, false);
        for line in document.lines() {
            is_code ^= line.starts_with("```");
            if is_code {
                continue;
            }
            let marks = line.bytes().take_while(|byte| *byte == b'#').count();
            if marks > 0 && depth.is_none_or(|depth| marks <= depth) {
                let is_it = line[marks..].trim().replace('`', "") == title;
                depth = is_it.then_some(marks);
            }
            if depth.is_some() {
                let spans = line.split('`').skip(1).step_by(2);
                words.extend(
                    spans.flat_map(str::split_whitespace).map(|word| word.replace("\\|", "|")),
                );
            }
        }
    }
    words
}

#[test]
fn everything_is_documented() {
    let command = definition();
    let mut missing = Vec::new();
    for (section, arguments) in sections(&command) {
        let words = documented(&section);
        for argument in arguments {
            let values = values(argument).into_iter().map(|(name, _)| name);
            for word in spellings(argument).into_iter().chain(values) {
                if !words.contains(&word) {
                    missing.push(format!("{section}: `{word}`"));
                }
            }
            assert!(argument.get_help().is_some(), "{section}: {} has no help", argument.get_id());
        }
    }
    // Whatever is written to or read from a file, and every format of results.
    let words = documented("File formats");
    let all = sections(&command);
    for (section, argument) in
        all.iter().flat_map(|(name, all)| all.iter().map(move |one| (name, *one)))
    {
        let name = value_name(argument);
        let is_file = name.starts_with("FILE") || ["RESULT.json", "MODEL"].contains(&&*name);
        let is_format = argument.get_long().is_some_and(|name| name.ends_with("format"));
        let names = if is_file { spellings(argument) } else { Vec::new() };
        let values = values(argument).into_iter().map(|(name, _)| name).filter(|_| is_format);
        for word in names.into_iter().chain(values).filter(|word| !words.contains(word)) {
            missing.push(format!("File formats: `{word}` of {section}"));
        }
    }
    for entry in fs::read_dir(root().join("fixtures/schema")).expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !words.contains(&format!("fixtures/schema/{name}")) {
            missing.push(format!("File formats: `fixtures/schema/{name}`"));
        }
    }
    // What stands at the end of the help, a line for each.
    let end = command.get_after_long_help().expect("exit codes and environment").to_string();
    for paragraph in end.split("\n\n") {
        let (title, lines) = paragraph.split_once(":\n").expect("a title");
        let title = if title == "Environment" { "Environment variables" } else { title };
        let words = documented(title);
        for line in lines.lines() {
            let word = line.split_whitespace().next().expect("a code or a variable");
            if !words.contains(word) {
                missing.push(format!("{title}: `{word}`"));
            }
        }
    }
    assert!(missing.is_empty(), "not in README.md or docs/:\n{}", missing.join("\n"));
}

#[test]
fn manual_and_completions_have_everything() {
    let command = definition();
    let manual = String::from_utf8(pages()).expect("UTF-8").replace("\\-", "-");
    let page = |section: &str| {
        let name = if section == COMMON { "isonomy".to_owned() } else { section.replace(' ', "-") };
        let start = format!(".TH {name} 1 ");
        let page = &manual[manual.find(&start).expect("a page")..];
        page[1..].split("\n.TH ").next().expect("a first part")
    };
    let scripts = clap_complete::Shell::value_variants().iter();
    let scripts = scripts.map(|shell| (*shell, String::from_utf8(script(*shell)).expect("UTF-8")));
    let scripts: Vec<_> = scripts.collect();
    for (section, arguments) in sections(&command) {
        let page = page(&section);
        for argument in arguments {
            for word in spellings(argument) {
                assert!(page.contains(&word), "the manual lacks {word} of {section}");
                for (shell, script) in &scripts {
                    let written = match word.strip_prefix("--") {
                        Some(name) if *shell == clap_complete::Shell::Fish => format!("-l {name} "),
                        _ => word.clone(),
                    };
                    let is_there = argument.is_positional() || script.contains(written.trim_end());
                    let is_short = !word.starts_with("--");
                    assert!(is_there || is_short, "{shell} lacks {word} of {section}");
                }
            }
            for (value, _) in values(argument) {
                assert!(page.contains(&value), "the manual lacks {value} of {section}");
            }
        }
    }
}
