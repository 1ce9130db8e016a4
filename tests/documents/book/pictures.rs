//! Pictures in documents are what the program draws.
//!
//! The command that draws a picture stands in a comment in the line before it, with `$PICTURE` for the file:
//!
//! ```text
//! <!-- isonomy explore fixtures/models/two_tools.m --svg $PICTURE -->
//! ![Two states](pictures/two_tools.svg)
//! ```
//!
//! `BLESS=1` draws them again.

use super::{documents, folder_of, read, root, shell};
use std::fs;
use std::path::{Path, PathBuf};
use support::golden;

/// The pictures of a document: its commands, and where they are kept.
fn pictures(document: &str) -> Vec<(String, PathBuf)> {
    let text = read(document);
    let lines: Vec<&str> = text.lines().collect();
    let folder = Path::new(document).parent().expect("a folder");
    let commands = lines.iter().enumerate().filter_map(|(k, line)| {
        let command = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
        command.contains("$PICTURE").then(|| {
            let shown = lines
                .get(k + 1)
                .and_then(|next| next.split_once("]("))
                .expect("a picture behind its command");
            let file = shown.1.split(')').next().expect("a file");
            (command.to_owned(), folder.join(file))
        })
    });
    commands.collect()
}

#[test]
fn pictures_are_what_the_program_draws() {
    let mut faults = Vec::new();
    let mut drawn = 0;
    for document in documents() {
        let all = pictures(&document);
        if all.is_empty() {
            continue;
        }
        let folder = folder_of(&format!("pictures-of-{document}"));
        for (command, file) in all {
            drawn += 1;
            let output = shell(&folder, &format!("PICTURE=picture.svg; {command}"));
            let Ok(picture) = fs::read_to_string(folder.join("picture.svg")) else {
                faults.push(format!(
                    "{document}: $ {command}\n{}",
                    String::from_utf8_lossy(&output.stdout)
                ));
                continue;
            };
            fs::remove_file(folder.join("picture.svg")).expect("it was there");
            let path = root().join(&file);
            if fs::read_to_string(&path).is_ok_and(|kept| kept == picture) {
                continue;
            }
            if golden::is_blessed() {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
                fs::write(&path, picture).expect("a picture can be written");
            } else {
                faults.push(format!("{document}: {} is drawn otherwise now", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(drawn > 5, "only {drawn} pictures");
}
