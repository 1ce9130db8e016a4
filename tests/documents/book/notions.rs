//! The table of notions of fairness in the book is part of the one that a test checks.

use super::read;

#[test]
fn the_table_of_notions_is_that_of_the_test() {
    let rows =
        read("tests/verdicts/notions.rs").replace("(TWO_OWNERS,", "(\"one_event_two_owners\",");
    let page = read("docs/fairness.md");
    let mut found = 0;
    for line in page.lines().filter(|line| line.ends_with("+ |") || line.ends_with("- |")) {
        let (what, signs) = line.trim_matches(['|', ' ']).split_once('|').expect("cells");
        let (model, property) = what.trim().split_once(", ").expect("a model and a property");
        let signs = signs.split('|').map(str::trim).collect::<Vec<_>>().join(" ");
        let is_row = |row: &&str| {
            row.contains(&format!("(\"{model}\","))
                && row.contains(property)
                && row.contains(&format!("\"{signs}\""))
        };
        assert!(rows.lines().find(is_row).is_some(), "{line}");
        found += 1;
    }
    assert!(found > 5, "only {found} rows");
}
