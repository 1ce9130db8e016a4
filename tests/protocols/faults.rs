//! Code of protocols that panics, loops, or leaves a range: each is reported as what it is, with the
//! state, and everything else that is known is reported, too.

use isonomy::protocol::*;
use std::time::Duration;

index! { Worker }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Work {
    done: Map<Worker, Ranged<0, 3>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Advance(Worker),
    Reset(Worker),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trouble {
    None,
    Starts,
    Events,
    Next,
    Owner,
    Atom,
    Property,
    Range,
    StartRange,
    Process,
    Loop,
    LoopInEvents,
    LoopInAtom,
}

struct Works(Trouble);

impl Works {
    fn is_last(work: &Work) -> bool {
        work.done.all(|done| *done == 3)
    }
}

fn forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Protocol for Works {
    type State = Work;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Worker>(2)
    }

    fn starts(&self, all: &Indices) -> Vec<Work> {
        assert!(self.0 != Trouble::Starts, "there is no start");
        let first = if self.0 == Trouble::StartRange { -1 } else { 0 };
        vec![Work { done: Map::filled(all, Ranged::new(first)) }]
    }

    fn events(&self, work: &Work, enabled: &mut Vec<Event>) {
        if Works::is_last(work) {
            match self.0 {
                Trouble::Events => panic!("all is done"),
                Trouble::LoopInEvents => forever(),
                _ => {}
            }
        }
        for worker in work.done.keys() {
            enabled.extend([Event::Advance(worker), Event::Reset(worker)]);
        }
    }

    fn next(&self, work: &Work, event: &Event) -> Option<Work> {
        let mut next = work.clone();
        match *event {
            Event::Advance(worker) => {
                if work.done[worker] == 3 {
                    match self.0 {
                        Trouble::Next => panic!("{worker:?} has nothing to do"),
                        Trouble::Loop => forever(),
                        Trouble::Range => {}
                        _ => return None,
                    }
                }
                next.done[worker] += 1;
            }
            Event::Reset(worker) => next.done[worker] = Ranged::new(0),
        }
        Some(next)
    }

    fn owner(&self, event: &Event) -> Owner {
        let (Event::Advance(worker) | Event::Reset(worker)) = *event;
        match (self.0, event) {
            (Trouble::Owner, Event::Reset(_)) => panic!("nobody resets"),
            (Trouble::Process, Event::Reset(_)) => Owner::named("resetter"),
            _ => Owner::of(worker),
        }
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        let trouble = self.0;
        atoms.state("finished", move |work| {
            match trouble {
                Trouble::Atom if Works::is_last(work) => panic!("no atom here"),
                Trouble::LoopInAtom if Works::is_last(work) => forever(),
                _ => {}
            }
            Works::is_last(work)
        });
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        let trouble = self.0;
        properties.sometimes("half", |work| work.done.any(|done| *done == 2)).always(
            "few",
            move |work| {
                assert!(trouble != Trouble::Property || !Works::is_last(work), "no property here");
                true
            },
        );
    }
}

fn report(trouble: Trouble) -> Report<Works> {
    // Limits that loops are found by must not be met by a busy machine.
    let loops = [Trouble::Loop, Trouble::LoopInEvents, Trouble::LoopInAtom].contains(&trouble);
    // The examination would meet the loop first, which has no state of the engine.
    let verification = if loops { Verification::Off } else { Verification::First(10_000) };
    let patience = Duration::from_millis(if loops { 400 } else { 60_000 });
    let check = check(Works(trouble)).formula("G F !finished").expect("a formula");
    check.verify(verification).patience(patience).run().expect("there is a report")
}

fn verdicts(report: &Report<Works>) -> Vec<(&str, Verdict)> {
    report.answers().iter().map(|one| (one.name(), one.verdict())).collect()
}

#[test]
fn without_trouble_there_are_answers() {
    let report = report(Trouble::None);
    let expected = [
        ("half", Verdict::Holds),
        ("few", Verdict::Holds),
        // Both may finish, and then advance no more: nobody resets them.
        ("G F !finished", Verdict::Holds),
    ];
    assert_eq!(verdicts(&report), expected, "{report}");
    assert!(report.holds());
}

#[test]
fn a_panic_is_a_run_time_error_with_a_run_to_it() {
    let troubles = [
        (Trouble::Events, "`events` panicked at ", "all is done", Some(6)),
        (Trouble::Next, "`next` for Advance(Worker_", "has nothing to do", Some(3)),
        (Trouble::Starts, "`starts` panicked at ", "there is no start", None),
        (Trouble::Range, "makes a state in which `done[Worker_", "is 4, outside of 0..=3", Some(3)),
        (Trouble::StartRange, "`starts` makes a state in which `done[", "is -1, outside", None),
        (
            Trouble::Process,
            "the owner of Reset(Worker_",
            "which is not a declared process",
            Some(0),
        ),
        (Trouble::Owner, "the owner of Reset(Worker_", "nobody resets", Some(0)),
    ];
    for (trouble, start, end, steps) in troubles {
        let report = report(trouble);
        let failing: Vec<_> =
            report.answers().iter().filter(|one| one.name().contains(start)).collect();
        let [failing] = failing[..] else { panic!("{trouble:?}: {report}") };
        assert!(failing.name().contains(end), "{trouble:?}: {report}");
        assert_eq!(failing.verdict(), Verdict::Violated);
        assert_eq!(failing.run().map(|run| run.stem.len()), steps, "{trouble:?}: {report}");
        assert!(!report.holds());
        if let Trouble::Events | Trouble::Next | Trouble::Starts = trouble {
            assert!(failing.name().contains("faults.rs:"), "{report}");
        }
        // What does not depend on the rest is known.
        if matches!(trouble, Trouble::Events | Trouble::Next | Trouble::Range) {
            let half = report.answer("half").map(Answer::verdict);
            assert_eq!(half, Some(Verdict::Holds), "{report}");
        }
        let few = report.answer("few").map(Answer::verdict);
        assert_eq!(few, Some(Verdict::Unknown), "{report}");
    }
}

#[test]
fn a_condition_that_panics_has_no_value() {
    let report = report(Trouble::Property);
    let few = report.answer("few").map(Answer::verdict);
    assert_ne!(few, Some(Verdict::Holds), "{report}");
    assert!(report.to_string().contains("no property here"), "{report}");
    assert_eq!(report.answer("half").map(Answer::verdict), Some(Verdict::Holds));

    let report = self::report(Trouble::Atom);
    assert!(report.to_string().contains("the atom `finished` panicked at "), "{report}");
    let formula = report.answers().iter().find(|one| one.name() == "G F !finished");
    assert_eq!(formula.map(Answer::verdict), Some(Verdict::Unknown), "{report}");
}

#[test]
fn a_loop_is_named_with_its_state_and_event() {
    let report = report(Trouble::Loop);
    let stuck = report.stuck().expect("`next` does not return");
    let Call::Next(event) = &stuck.call else { panic!("{report}") };
    assert!(event.starts_with("Advance(Worker_"), "{report}");
    let state = stuck.state.as_deref().expect("there is a state");
    assert!(state.contains(": 3"), "{report}");
    assert!(!report.holds());
    assert!(report.answers().iter().all(|one| one.verdict() != Verdict::Holds), "{report}");

    let report = self::report(Trouble::LoopInEvents);
    let stuck = report.stuck().expect("`events` does not return");
    assert_eq!(stuck.call, Call::Events);
    let state = stuck.state.as_deref();
    assert_eq!(state, Some("Work { done: {Worker_0: 3, Worker_1: 3} }"), "{report}");

    // The exploration of the properties has ended before: its answers are known.
    let report = self::report(Trouble::LoopInAtom);
    let stuck = report.stuck().expect("the atom does not return");
    assert_eq!(stuck.call, Call::Atom("finished".to_owned()));
    let expected =
        [("half", Verdict::Holds), ("few", Verdict::Holds), ("G F !finished", Verdict::Unknown)];
    assert_eq!(verdicts(&report), expected, "{report}");
}

/// The examination of the first states calls the code, too.
#[test]
fn a_loop_in_the_examination_is_found() {
    let check = check(Works(Trouble::Loop)).patience(Duration::from_millis(400));
    let report = check.run().expect("there is a report");
    assert!(matches!(report.stuck().map(|one| &one.call), Some(Call::Next(_))), "{report}");
    assert!(report.stuck().and_then(|one| one.state.as_ref()).is_some(), "{report}");
}

#[test]
fn declarations_that_do_not_fit_are_refused() {
    struct Odd(u8);
    impl Protocol for Odd {
        type State = Option<Worker>;
        type Event = bool;

        fn indices(&self) -> Indices {
            match self.0 {
                0 => Indices::new(),
                1 => Indices::new().with::<Worker>(0),
                2 => Indices::new().with::<Worker>(1).with::<Worker>(2),
                _ => Indices::new().with::<Worker>(2),
            }
        }

        fn starts(&self, _: &Indices) -> Vec<Option<Worker>> {
            vec![None]
        }

        fn events(&self, _: &Option<Worker>, _: &mut Vec<bool>) {}

        fn next(&self, _: &Option<Worker>, _: &bool) -> Option<Option<Worker>> {
            None
        }

        fn atoms(&self, atoms: &mut Atoms<Self>) {
            if self.0 == 3 {
                atoms.state("a", Option::is_some).state("a", Option::is_none);
            }
        }

        fn properties(&self, properties: &mut Properties<Self>) {
            if self.0 == 4 {
                properties.always("p", Option::is_some).sometimes("p", Option::is_none);
            }
        }

        fn fairness(&self, required: &mut Requirements<Self>) {
            if self.0 == 5 {
                required.weakly_fair("move");
            }
        }
    }
    let messages = [
        "the index type Worker is not declared: add it in Protocol::indices",
        "the index type Worker has no values",
        "the index type Worker is declared twice",
        "two atoms are called \"a\"",
        "two properties are called \"p\"",
        "fairness is declared for an event `move`, but the events are: false, true",
    ];
    for (odd, expected) in (0..).zip(messages) {
        let error = check(Odd(odd)).run().err().expect("it is refused").to_string();
        assert_eq!(error, format!("the protocol cannot be checked: {expected}"));
    }
}
