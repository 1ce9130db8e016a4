//! What the README and the book say is true: their code is run, their links lead somewhere.
//!
//! By the word behind the fence of a block:
//!
//! ```text
//! console          commands behind `$ `, with what they print; a line `...` stands for any lines
//! sh               commands that succeed, or find something violated
//! isonomy          a model without errors; `isonomy file=NAME` is kept for the commands that follow
//! rust             an example of the library, run by `cargo test --doc`
//! compile_fail     one that does not compile, which `cargo test --doc` sees to
//! json             JSON
//! text             no code
//! ```
//!
//! Pictures are drawn again (`pictures`), and the grammar of the language has all its words (`grammar`).
//!
//! Commands run in a folder of their document, with the project's `fixtures` in it. `BLESS=1` writes what was printed into
//! the documents.

mod blocks;
mod grammar;
mod links;
mod notions;
mod pictures;

use blocks::{Block, Piece, pieces};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::golden;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The README and all pages of the book, by their paths.
fn documents() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    let mut open = vec!["docs".to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("a file");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path() {
                sub if sub.is_dir() => open.push(path),
                file if file.extension().is_some_and(|end| end == "md") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).expect("a document")
}

/// Where the commands of a document are run.
fn folder_of(document: &str) -> PathBuf {
    let name = document.replace('/', "-");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("documents").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for shared in ["fixtures", "docs"] {
        symlink(root().join(shared), folder.join(shared)).expect("a link");
    }
    folder
}

fn shell(folder: &Path, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_isonomy")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    for variable in ["ISONOMY_LOG", "NO_COLOR", "RUST_BACKTRACE"] {
        shell.env_remove(variable);
    }
    shell
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .env("PATH", format!("{}:{path}", program.display()))
        .current_dir(folder)
        .output()
        .expect("there is a shell")
}

/// Times differ: a last field of digits is left out.
fn without_time(line: &str) -> &str {
    match line.rsplit_once(',') {
        Some((rest, time)) if time.parse::<u64>().is_ok() => rest,
        _ => line.trim_end(),
    }
}

/// Whether lines are as expected, where `...` stands for any lines.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match (expected.split_first(), found.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=found.len()).any(|k| fits(rest, &found[k..])),
        (Some((one, rest)), Some((line, lines))) => {
            without_time(one) == without_time(line) && fits(rest, lines)
        }
        _ => false,
    }
}

/// Runs a document; what is wrong with it, and how it would be right.
fn run(document: &str, faults: &mut Vec<String>) -> String {
    let folder = folder_of(document);
    let text = read(document);
    let mut right = String::new();
    for piece in pieces(&text) {
        let block = match piece {
            Piece::Prose(line) => {
                right += line;
                right.push('\n');
                continue;
            }
            Piece::Code(block) => block,
        };
        let at = format!("{document}:{}", block.line);
        let _ = writeln!(right, "{}", block.opening);
        let mut body = block.text();
        match block.kind() {
            "console" => body = console(&folder, &block, &at, faults),
            "sh" => commands(&folder, &block, &at, faults),
            "isonomy" => model(&folder, &block, &at, faults),
            "json" => {
                if let Err(error) = serde_json::from_str::<serde_json::Value>(&body) {
                    faults.push(format!("{at}: {error}"));
                }
            }
            "rust" | "compile_fail" if tested_by_rustdoc(document) => {}
            "rust" => faults.push(format!("{at}: src/lib.rs does not include the document")),
            // Who shows a command shows what it does.
            "text" if block.body.iter().any(|line| line.starts_with("$ ")) => {
                faults.push(format!("{at}: a command that nobody runs"));
            }
            "text" => {}
            other => faults.push(format!("{at}: nobody tests blocks of `{other}`")),
        }
        right += &body;
        let _ = writeln!(right, "{}", block.closing);
    }
    right
}

fn tested_by_rustdoc(document: &str) -> bool {
    read("src/lib.rs").contains(&format!("include_str!(\"../{document}\")"))
}

/// Commands with their outputs, as they are.
fn console(folder: &Path, block: &Block<'_>, at: &str, faults: &mut Vec<String>) -> String {
    let mut right = String::new();
    for (command, expected) in block.sessions() {
        let output = shell(folder, &command);
        let output = String::from_utf8(output.stdout).expect("output is UTF-8");
        let found: Vec<&str> = output.lines().collect();
        let shown = command.replace('\n', "\n> ");
        if fits(&expected, &found) {
            let _ = writeln!(right, "$ {shown}");
            for line in &expected {
                let _ = writeln!(right, "{line}");
            }
        } else {
            faults.push(format!("{at}: $ {shown}\n{output}"));
            let _ = write!(right, "$ {shown}\n{output}");
        }
    }
    right
}

/// Commands whose output is not shown. Those of Cargo are not run here: the program is built, and tests are running.
fn commands(folder: &Path, block: &Block<'_>, at: &str, faults: &mut Vec<String>) {
    for line in &block.body {
        let words = line.split_whitespace();
        let words: Vec<&str> = words.skip_while(|word| is_assignment(word)).collect();
        let command = match &words[..] {
            ["cargo", "run", "--release", "--", ..] => {
                format!("isonomy {}", line.split_once(" -- ").expect("arguments").1)
            }
            ["cargo", kind @ ("test" | "bench" | "run"), flag, name, ..]
                if ["--test", "--bench", "--example"].contains(flag) =>
            {
                let folder = match *flag {
                    "--test" => "tests",
                    "--bench" => "benches",
                    _ => "examples",
                };
                let file = root().join(folder).join(format!("{name}.rs"));
                let main = root().join(folder).join(name).join("main.rs");
                if !file.exists() && !main.exists() {
                    faults.push(format!("{at}: there is no {name} for `cargo {kind}`"));
                }
                continue;
            }
            ["cargo", "test", "-p", package, ..] => {
                let folder = package.trim_start_matches("isonomy-");
                if !root().join(folder).join("Cargo.toml").exists() {
                    faults.push(format!("{at}: there is no package {package}"));
                }
                continue;
            }
            ["fuzz/run", target, ..] => {
                if !root().join(format!("fuzz/fuzz_targets/{target}.rs")).exists() {
                    faults.push(format!("{at}: there is no fuzz target {target}"));
                }
                continue;
            }
            [] | ["cargo", "test", "--workspace"] | ["cargo", "install", "--path", "."] => continue,
            ["cargo" | "git", ..] => {
                faults.push(format!("{at}: nobody tests `{line}`"));
                continue;
            }
            _ => (*line).to_owned(),
        };
        let output = shell(folder, &command);
        if !matches!(output.status.code(), Some(0 | 1)) {
            let printed = String::from_utf8_lossy(&output.stdout);
            faults.push(format!("{at}: $ {command}\n{printed}"));
        }
    }
}

/// Whether a word of a command sets a variable of the environment.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// A whole model.
fn model(folder: &Path, block: &Block<'_>, at: &str, faults: &mut Vec<String>) {
    let name = block.file().unwrap_or("unnamed.m");
    fs::write(folder.join(name), block.body.join("\n") + "\n").expect("room for a model");
    let output = shell(folder, &format!("isonomy describe {name}"));
    if output.status.code() != Some(0) {
        faults.push(format!("{at}: {}", String::from_utf8_lossy(&output.stdout)));
    }
}

#[test]
fn what_documents_show_is_what_happens() {
    let mut faults = Vec::new();
    let only = std::env::var("ISONOMY_DOCUMENT").ok();
    for document in documents() {
        if only.as_ref().is_some_and(|only| !document.contains(only.as_str())) {
            continue;
        }
        let mut here = Vec::new();
        let right = run(&document, &mut here);
        if golden::is_blessed() && right != read(&document) {
            fs::write(root().join(&document), right).expect("a document can be written");
        }
        faults.extend(here);
    }
    assert!(faults.is_empty(), "BLESS=1 would write this:\n{}", faults.join("\n"));
}

#[test]
fn documents_are_read_as_they_are() {
    for document in documents() {
        let text = read(&document);
        let mut again = String::new();
        for piece in pieces(&text) {
            match piece {
                Piece::Prose(line) => again = format!("{again}{line}\n"),
                Piece::Code(block) => {
                    let _ = write!(again, "{}\n{}", block.opening, block.text());
                    let _ = writeln!(again, "{}", block.closing);
                }
            }
        }
        assert_eq!(again, text, "{document}");
    }
    assert!(
        pieces(&read("README.md")).iter().filter(|one| matches!(one, Piece::Code(_))).count() > 3
    );
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for document in documents() {
        links::check(&root(), &document, &read(&document), &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every page of the book is in its table of contents.
#[test]
fn the_book_has_all_its_pages() {
    let summary = read("docs/SUMMARY.md");
    for document in documents() {
        if let Some(page) = document.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") {
            assert!(summary.contains(&format!("({page})")), "{page} is not in docs/SUMMARY.md");
        }
    }
}
