//! The gallery of the book is what the checker says, and agrees with what the headers of the models state.

use support::gallery::{Exhibit, NOTIONS, exhibits, is_small, page};
use support::golden;
use support::headers::{self, Fact};

#[test]
fn the_gallery_is_up_to_date() {
    let exhibits = exhibits();
    golden::compare("docs/gallery.md", &page(&exhibits));
    for one in &exhibits {
        let is_input = one.file.starts_with("fixtures/inputs/");
        assert_eq!(is_small(one), is_input, "{}: only models for users have sections", one.name);
    }

    let mut compared = 0;
    for fixture in headers::fixtures() {
        let one = exhibits.iter().find(|one| one.name == fixture.name).expect("an exhibit");
        for fact in fixture.facts.iter().filter(|fact| is_of_the_page(fact, one)) {
            let (said, stated) = match expectation(fact) {
                Some((name, verdict, column)) => (said(one, name, column), verdict.to_owned()),
                None => (size(one, &fact.kind), fact.text.clone()),
            };
            if let Some(said) = said {
                assert_eq!(said, stated, "{}: {fact:?}", fixture.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "only {compared} facts were compared with headers");
}

/// Whether a fact is about the constants of the page: those of the file.
fn is_of_the_page(fact: &Fact, one: &Exhibit) -> bool {
    let mut constants =
        fact.definitions.iter().map(|one| format!("`{} = {}`", one.name, one.value));
    constants.all(|constant| one.constants.contains(&constant))
}

/// A number on the page.
fn size(one: &Exhibit, kind: &str) -> Option<String> {
    let space = one.space.as_ref()?;
    match kind {
        "states" => Some(space.states.clone()),
        "quotient" => Some(space.representatives.to_string()),
        "steps" => Some(space.steps.clone()),
        "deadlocks" => Some(space.deadlocks.clone()),
        _ => None,
    }
}

/// `"access" holds under weak fairness over events`: the property, the verdict, the column.
fn expectation(fact: &Fact) -> Option<(&str, &str, usize)> {
    let (name, rest) = fact.text.strip_prefix('"')?.split_once('"')?;
    let (verdict, notion) =
        rest.trim().split_once(" under ").unwrap_or((rest.trim(), "none fairness"));
    if fact.kind != "expect" || notion.ends_with(" alone") {
        return None;
    }
    let (kind, over) = notion.split_once(" fairness").expect("`weak fairness`");
    let title =
        if over.trim() == "over events" { format!("{kind}, events") } else { kind.to_owned() };
    let column = NOTIONS.iter().position(|(one, ..)| *one == title).expect("a notion");
    Some((name, verdict, column))
}

/// What the page says of a property.
fn said(one: &Exhibit, name: &str, column: usize) -> Option<String> {
    let state = one.states.iter().find(|(_, own, _)| own == name).map(|(.., verdict)| *verdict);
    let formula = one.formulas.iter().find(|(own, ..)| own == name);
    let formula = formula.and_then(|(.., verdicts)| verdicts[column].as_deref());
    state.or(formula.map(|verdict| verdict.trim_end_matches('*'))).map(str::to_owned)
}
