//! Where the links of documents lead.

use super::blocks::{Piece, pieces};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Finds links that lead nowhere. Those to other sites are not followed.
pub(crate) fn check(root: &Path, document: &str, text: &str, faults: &mut Vec<String>) {
    let folder = Path::new(document).parent().expect("a folder");
    for (line, target) in targets(text) {
        if target.starts_with("https://") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() { Path::new(document).to_owned() } else { folder.join(file) };
        if !root.join(&path).exists() {
            faults.push(format!(
                "{document}: `{}` has a link to {target}, which is not there",
                line.trim()
            ));
            continue;
        }
        let is_page = path.extension().is_some_and(|end| end == "md");
        if !anchor.is_empty() && is_page {
            let page = fs::read_to_string(root.join(&path)).expect("a page");
            if !anchors(&page).contains(anchor) {
                faults.push(format!("{document}: {target}: no such heading"));
            }
        }
    }
}

/// Lines with links, and where these lead.
fn targets(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        let Piece::Prose(line) = piece else { continue };
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            let before = &rest[..at];
            rest = &rest[at + 2..];
            // Not in code.
            if line[..line.len() - rest.len()].matches('`').count() % 2 == 1 || before.is_empty() {
                continue;
            }
            if let Some((target, behind)) = rest.split_once(')') {
                found.push((line, target));
                rest = behind;
            }
        }
    }
    found
}

/// The anchors of the headings of a page, as sites for repositories make them.
fn anchors(page: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    for piece in pieces(page) {
        let Piece::Prose(line) = piece else { continue };
        if !line.starts_with('#') {
            continue;
        }
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
    }
    found
}

#[test]
fn links_are_found() {
    let text = "see [a](b.md#c-d) and `[x](y)`, ![p](q.svg)\n# C D!\n```text\n[no](no)\n```\n";
    let found: Vec<_> = targets(text).into_iter().map(|(_, target)| target).collect();
    assert_eq!(found, ["b.md#c-d", "q.svg"]);
    assert!(anchors(text).contains("c-d"));
}
