//! The results of checks: texts, JSON, pages, boundaries, deadlocks, limits, and the macro for tests.

use isonomy::protocol::*;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

index! { Counter }

/// Counters that go up without a bound but that of their type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Counters {
    at: Map<Counter, u16>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Up(Counter);

#[derive(Clone, Copy)]
struct Counting {
    counters: usize,
    /// Counters stop at this value.
    last: u16,
    boundary: Option<u16>,
}

const COUNTING: Counting = Counting { counters: 2, last: u16::MAX, boundary: None };

impl Protocol for Counting {
    type State = Counters;
    type Event = Up;

    fn indices(&self) -> Indices {
        Indices::new().with::<Counter>(self.counters)
    }

    fn starts(&self, all: &Indices) -> Vec<Counters> {
        vec![Counters { at: Map::filled(all, 0) }]
    }

    fn events(&self, counters: &Counters, enabled: &mut Vec<Up>) {
        enabled
            .extend(counters.at.iter().filter(|(_, at)| **at < self.last).map(|(one, _)| Up(one)));
    }

    fn next(&self, counters: &Counters, Up(one): &Up) -> Option<Counters> {
        let mut counters = counters.clone();
        counters.at[*one] += 1;
        Some(counters)
    }

    fn owner(&self, Up(one): &Up) -> Owner {
        Owner::of(*one)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state1("low", |counters, c| counters.at[c] < 2);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        if let Some(boundary) = self.boundary {
            properties.within("small", move |counters| counters.at.all(|at| *at <= boundary));
        }
        properties
            .always("below four", |counters| counters.at.all(|at| *at < 4))
            .sometimes("two", |counters| counters.at.any(|at| *at == 2));
    }
}

#[test]
fn a_boundary_is_said_everywhere() {
    let bounded = Counting { boundary: Some(3), ..COUNTING };
    let low = "forall c: Counter. G low(c)";
    let report = check(bounded).formula(low).expect("a formula").deadlocks(true).run();
    let report = report.expect("a report");
    assert!(report.is_bounded() && report.answer("below four").is_some());
    let text = report.to_string();
    assert!(text.contains("holds within the boundary: below four"), "{text}");
    assert!(text.contains("holds within the boundary: two"), "{text}");
    // A state all of whose successors lie outside is no deadlock; runs go on forever, so within the
    // boundary there are none.
    assert!(text.contains("holds within the boundary: no deadlock"), "{text}");
    assert!(text.contains("there is no run: the boundary cuts every one"), "{text}");
    assert!(report.to_json().contains("\"bounded\": true"));
    assert!(report.to_html().contains("holds within the boundary"));
    let counts = explore(bounded).expect("counts");
    assert_eq!((counts.states, counts.representatives), (16_u32.into(), 10));
}

#[test]
fn deadlocks_are_found_if_they_are_sought() {
    let stops = Counting { last: 3, ..COUNTING };
    let report = check(stops).run().expect("a report");
    assert!(report.holds() && report.answer("no deadlock").is_none(), "{report}");
    let report = check(stops).deadlocks(true).run().expect("a report");
    let deadlock = report.answer("no deadlock").expect("it was asked about");
    assert_eq!(deadlock.verdict(), Verdict::Violated);
    assert_eq!(deadlock.run().map(|run| run.stem.len()), Some(6));
}

#[test]
fn results_are_texts_json_and_pages() {
    let formula = "forall c: Counter. G low(c)";
    let check = check(Counting { last: 5, ..COUNTING }).formula(formula).expect("a formula");
    let report = check.fairness(Fairness::Strong).run().expect("a report");
    let text = report.to_string();
    for part in [
        "violated: below four",
        "holds: two",
        "violated: forall c: Counter. G low(c)",
        "  fairness  strong, over processes",
        "at[Counter_0]: 0 -> 1",
        "Counter_0: Up(Counter_0)",
        "symmetry: checked on all 36 states",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).expect("it is JSON");
    assert_eq!(json["symmetry_checked_on"], 36);
    assert_eq!(json["results"][0]["verdict"], "violated");
    assert_eq!(json["results"][0]["counterexample"]["stem"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["results"][2]["fairness"], "strong");
    assert_eq!(json["results"][2]["counterexample"]["stem"][0]["event"], "Up(Counter_0)");
    assert!(json["results"][2]["bindings"]["c"].as_str().is_some());
    let page = report.to_html();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("violated"), "{page}");
}

#[test]
fn limits_end_a_check_with_what_is_known() {
    let endless = Counting { counters: 3, ..COUNTING };
    let report =
        check(endless).verify(Verification::First(100)).state_limit(5_000).deadlocks(true).run();
    let report = report.expect("a report");
    assert!(report.stopped().is_some() && !report.holds(), "{report}");
    assert_eq!(report.answer("two").map(Answer::verdict), Some(Verdict::Holds), "{report}");
    assert_eq!(report.answer("below four").map(Answer::verdict), Some(Verdict::Violated));
    assert!(report.to_string().contains("symmetry: checked on 100 states"), "{report}");

    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let check =
        check(endless).deadlocks(true).time_limit(Duration::from_millis(100)).progress(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
    let report = check.run().expect("a report");
    assert!(report.stopped().is_some(), "{report}");
    assert!(calls.load(Ordering::Relaxed) > 0);

    let counts = isonomy::protocol::check(endless).state_limit(1_000).count().expect("counts");
    assert!(counts.stopped.is_some() && counts.representatives >= 1_000, "{counts:?}");
}

#[test]
fn tests_assert_that_formulas_hold() {
    let stops = Counting { last: 3, ..COUNTING };
    assert_holds!(stops, "forall c: Counter. F !low(c)", fairness = Weak);
    assert_holds!(
        stops,
        "forall c: Counter. F !low(c)",
        fairness = Strong,
        over = Events,
        threads = 1
    );
    let panicked = catch_unwind(|| assert_holds!(stops, "forall c: Counter. F !low(c) & G low(c)"));
    let payload = panicked.expect_err("it does not hold");
    let message = payload.downcast_ref::<String>().expect("a message");
    assert!(message.contains("violated: ") && message.contains("Up(Counter_"), "{message}");
    let panicked = catch_unwind(|| assert_holds!(stops, "F nothing"));
    let payload = panicked.expect_err("there is no such atom");
    assert!(
        payload.downcast_ref::<String>().is_some_and(|text| text.contains("no atom `nothing`"))
    );
}

/// The loose way: any types, without symmetry.
struct Texts;

impl Protocol for Texts {
    type State = Vec<String>;
    type Event = String;

    fn starts(&self, _: &Indices) -> Vec<Vec<String>> {
        vec![Vec::new()]
    }

    fn events(&self, texts: &Vec<String>, enabled: &mut Vec<String>) {
        if texts.len() < 3 {
            enabled.extend(["a", "b"].map(str::to_owned));
        }
        enabled.push("clear".to_owned());
    }

    fn next(&self, texts: &Vec<String>, event: &String) -> Option<Vec<String>> {
        let mut texts = texts.clone();
        match event.as_str() {
            "clear" => texts.clear(),
            other => texts.push(other.to_owned()),
        }
        Some(texts)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state("empty", Vec::is_empty).step("clears", |event| event == "clear");
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.sometimes("three", |texts| texts.len() == 3);
        properties.always("no c", |texts| !texts.iter().any(|text| text == "c"));
    }
}

#[test]
fn any_types_are_checked_in_the_loose_way() {
    let counts = check_loose(Texts).count().expect("counts");
    assert_eq!((counts.states, counts.representatives), (15_u32.into(), 15));
    let formulas = [
        ("G F empty", Fairness::None, true),
        ("G (clears -> X empty)", Fairness::None, true),
        ("F !empty", Fairness::None, false),
        ("F !empty", Fairness::Strong, true),
        ("G F @string(_)", Fairness::None, true),
    ];
    for (text, fairness, expected) in formulas {
        let check = check_loose(Texts).fairness(fairness).over(Over::Events).formula(text);
        let report = check.unwrap_or_else(|error| panic!("{error}")).run().expect("a report");
        let found = report.answer(text).map(Answer::verdict);
        assert_eq!(found == Some(Verdict::Holds), expected, "{report}");
        assert!(!report.to_string().contains("symmetry"), "{report}");
    }
}

/// Letters to addressees, as text: the loose way with names of events.
struct Post;

index! { Desk }

impl Protocol for Post {
    type State = Vec<(Desk, String)>;
    type Event = (Desk, Option<String>);

    fn indices(&self) -> Indices {
        Indices::new().with::<Desk>(2)
    }

    fn starts(&self, _: &Indices) -> Vec<Vec<(Desk, String)>> {
        vec![Vec::new()]
    }

    fn events(&self, letters: &Vec<(Desk, String)>, enabled: &mut Vec<(Desk, Option<String>)>) {
        for desk in self.indices().all::<Desk>() {
            enabled.push((desk, None));
            if letters.len() < 2 {
                enabled.extend(["dear", "sir"].map(|text| (desk, Some(text.to_owned()))));
            }
        }
    }

    fn next(
        &self,
        letters: &Vec<(Desk, String)>,
        (desk, text): &(Desk, Option<String>),
    ) -> Option<Vec<(Desk, String)>> {
        let mut letters = letters.clone();
        match text {
            Some(text) => letters.push((*desk, text.clone())),
            None => letters.retain(|(to, _)| to != desk),
        }
        Some(letters)
    }

    fn owner(&self, (desk, _): &(Desk, Option<String>)) -> Owner {
        Owner::of(*desk)
    }

    fn event_names(&self, names: &mut EventNames<Self>) {
        names.event("read", |(desk, text)| text.is_none().then_some(*desk)).event(
            "write",
            |(desk, text)| {
                let length = text.as_ref()?.len();
                Some((*desk, Ranged::<3, 4>::new(i64::try_from(length).expect("it is short"))))
            },
        );
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms.state1("has_letter", |letters, d| letters.iter().any(|(to, _)| *to == d));
    }

    fn fairness(&self, required: &mut Requirements<Self>) {
        required.weakly_fair("read");
    }
}

#[test]
fn events_have_names_in_the_loose_way() {
    let formulas = [
        ("forall d: Desk. G (@write(d, _) -> X has_letter(d))", true),
        ("forall d: Desk. G (@write(d, 3) -> X has_letter(d))", true),
        ("forall d: Desk. G (@write(d, 3) | @write(d, 4) | @read(_) -> !@write(d, _))", false),
        ("forall d: Desk. G (@read(d) -> X !has_letter(d))", true),
        ("forall d: Desk. G (@write -> @by(d))", false),
        ("forall d: Desk. G (@read(d) -> @by(d))", true),
        ("forall d: Desk. G (has_letter(d) -> F !has_letter(d))", true),
        ("forall d: Desk. G F @read(d)", true),
        ("forall d: Desk. G F @write(d, _)", false),
    ];
    for (text, expected) in formulas {
        let check = check_loose(Post).formula(text).unwrap_or_else(|error| panic!("{error}"));
        let report = check.run().expect("a report");
        assert_eq!(report.holds(), expected, "{report}");
    }
    // What the protocol declares to be fair matters.
    let read = "forall d: Desk. G F @read(d)";
    let report = check_loose(Post).declared_fairness(false).formula(read).expect("a formula").run();
    assert!(!report.expect("a report").holds());
    let wrong = [
        ("G @write", true, ""),
        ("G @send", false, "there are: read, write"),
        ("G @write(_)", false, "has 2 argument(s), but 1 are given"),
        ("G @write(_, 5)", false, "`5` is no number from 3 to 4"),
    ];
    for (text, is_formula, message) in wrong {
        let error = check_loose(Post).formula(text).err().map(|error| error.to_string());
        assert_eq!(error.is_none(), is_formula, "{text} {error:?}");
        assert!(error.is_none_or(|error| error.contains(message)), "{text}");
    }
}

/// A name that is given where it has no meaning.
#[test]
fn names_of_events_are_for_the_loose_way() {
    struct Named;
    impl Protocol for Named {
        type State = bool;
        type Event = bool;

        fn starts(&self, _: &Indices) -> Vec<bool> {
            vec![false]
        }

        fn events(&self, _: &bool, _: &mut Vec<bool>) {}

        fn next(&self, _: &bool, _: &bool) -> Option<bool> {
            None
        }

        fn event_names(&self, names: &mut EventNames<Self>) {
            names.event("on", |event| event.then_some(()));
        }
    }
    let error = check(Named).run().err().expect("it is refused").to_string();
    assert!(error.contains("`Protocol::event_names` is for the loose way"), "{error}");
    assert!(check_loose(Named).run().is_ok());
}
