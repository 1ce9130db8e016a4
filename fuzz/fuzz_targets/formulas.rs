//! Any text in any language: a formula that reads back when printed, or a message about a place in
//! the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ltl::parser::{Language, NESTING_LIMIT, parse};
use ltl::printer::{Syntax, Unprintable, print};
use ltl::source::{Colour, Source};
use ltl::{Atoms, Formulas};

fuzz_target!(|text: &str| {
    for language in [Language::Spot, Language::Spin, Language::Isonomy] {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        match parse(language, text, &mut formulas, &mut atoms) {
            Ok(f) => {
                assert!(formulas.depth(f) <= NESTING_LIMIT);
                for (syntax, target) in
                    [(Syntax::Spot, Language::Spot), (Syntax::Isonomy, Language::Isonomy)]
                {
                    match print(&formulas, &atoms, f, syntax) {
                        Ok(printed) => {
                            let back = parse(target, &printed, &mut formulas, &mut atoms);
                            assert_eq!(back, Ok(f), "{printed}");
                        }
                        Err(Unprintable::TooLong { .. }) => {}
                        Err(wrong) => panic!("{wrong}"),
                    }
                }
                if let Ok(printed) = print(&formulas, &atoms, f, Syntax::Spin)
                    && language == Language::Spin
                {
                    let back = parse(language, &printed, &mut formulas, &mut atoms);
                    assert_eq!(back, Ok(f), "{printed}");
                }
            }
            Err(wrong) => {
                let places = wrong.related.iter().map(|(place, _)| place).chain([&wrong.span]);
                for place in places {
                    assert!(text.get(place.start..place.end).is_some(), "{wrong:?}");
                }
                let shown = Source::new("formula", text).render(&wrong, Colour::Off);
                assert!(shown.contains('^'));
            }
        }
    }
});
