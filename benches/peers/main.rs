//! How do we compare with the compiled peers, rumur and Spin?
//!
//! `cargo bench --bench peers` measures everything, and writes the figures into `docs/performance.md`, between
//! the comments that say so, and `docs/pictures/scale.svg`. `cargo bench --bench peers -- explore` measures one
//! section (`explore`, `small`, `symmetry`, `liveness`, `memory`, `scale`), and only prints; `-- write explore` writes it, too.
//!
//! Each run is a process of its own, so that times include everything and peak memory is comparable; peers are
//! run in turns. Counts and verdicts must be equal. Nobody looks for deadlocks; the invariants of a model are
//! checked by us and by rumur, Spin checks none. On a busy machine the work, in seconds of processors, says more
//! than the time. Promela versions, beside this file, are made of the same steps as our models.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::print_stderr, reason = "and what it is doing")]
#![allow(clippy::cast_precision_loss, reason = "figures of three digits")]

mod explore;
mod lab;
mod liveness;
mod machine;
mod memory;
mod model;
mod plot;
mod scale;
mod symmetry;
mod table;

use lab::Lab;
use std::fs;

const SECTIONS: [&str; 6] = ["explore", "small", "symmetry", "liveness", "memory", "scale"];

/// The word before sections that are to be written.
const WRITE: &str = "write";

/// Where the figures are kept.
const PAGE: &str = "docs/performance.md";
const PICTURE: &str = "docs/pictures/scale.svg";

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [model::ALONE, rest @ ..] => model::alone(rest),
        [] => measure(&SECTIONS, true),
        [WRITE, sections @ ..] => measure(sections, true),
        sections => measure(sections, false),
    }
}

/// Measures sections, prints their tables, and writes them into the page, if that is wanted.
fn measure(sections: &[&str], is_written: bool) {
    for section in sections {
        assert!(SECTIONS.contains(section), "{section} is not one of {SECTIONS:?}");
    }
    let mut lab = Lab::new();
    for section in sections {
        let (text, picture) = measured_in(&mut lab, section);
        println!("## {section}\n\n{text}");
        if !is_written {
            continue;
        }
        let page = fs::read_to_string(PAGE).expect("the page is there");
        let page = replaced(&page, "machine", &machine::described());
        fs::write(PAGE, replaced(&page, section, &text)).expect("the page can be written");
        if let Some(picture) = picture {
            fs::write(PICTURE, picture).expect("the picture can be written");
        }
    }
}

/// The tables of a section, and its picture.
fn measured_in(lab: &mut Lab, section: &str) -> (String, Option<String>) {
    match section {
        "explore" => (explore::section(lab), None),
        "small" => (explore::small(lab), None),
        "symmetry" => (symmetry::section(lab), None),
        "liveness" => (liveness::section(lab), None),
        "memory" => (memory::section(lab), None),
        _ => {
            let (text, picture) = scale::section(lab);
            (text, Some(picture))
        }
    }
}

/// The page with another text between the comments of a section.
fn replaced(page: &str, section: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- measured: {section} -->\n"), "<!-- end -->");
    let (before, behind) = page.split_once(&begin).expect("a place for the section");
    let (_, behind) = behind.split_once(end).expect("an end of the section");
    format!("{before}{begin}\n{text}\n{end}{behind}")
}
