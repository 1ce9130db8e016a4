//! What the README shows is what happens: its `console` blocks are run, command by command.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// The commands of the README, each with the output shown below it.
fn sessions(readme: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => inside = line == "```console",
            Some(command) if inside => found.push((command, Vec::new())),
            None if inside => found.last_mut().expect("a command first").1.push(line),
            _ => {}
        }
    }
    found
}

/// Times differ: a last field of digits is left out.
fn without_time(line: &str) -> &str {
    match line.rsplit_once(',') {
        Some((rest, time)) if time.parse::<u64>().is_ok() => rest,
        _ => line,
    }
}

#[test]
fn sessions_are_real() {
    let readme = include_str!("../README.md");
    let folder = Path::new(env!("CARGO_BIN_EXE_isonomy")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let sessions = sessions(readme);
    assert!(sessions.len() >= 5, "the README shows how it is used");
    for (command, expected) in sessions {
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {command}; }} 2>&1")])
            .env("PATH", format!("{}:{path}", folder.display()))
            .env_remove("ISONOMY_LOG")
            .output()
            .expect("there is a shell");
        let output = String::from_utf8(output.stdout).expect("output is UTF-8");
        let found: Vec<_> = output.lines().map(without_time).collect();
        let expected: Vec<_> = expected.into_iter().map(without_time).collect();
        assert_eq!(found, expected, "$ {command}\n{output}");
    }
}
