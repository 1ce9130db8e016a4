//! `isonomy describe` of a net.

use super::load;
use crate::cli::budget::Budget;
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use nets::formula::quoted;
use nets::symmetry::Blocks;
use nets::{Game, Net, Symmetry};
use std::fmt::Write as _;
use std::path::Path;
use terms::Group;

/// Runs the command.
pub(in crate::cli) fn run(
    path: &Path,
    budget: &Budget,
    console: &mut Console,
) -> Result<Exit, Error> {
    let (_, net) = load::net(path, budget, console)?;
    let symmetry = Symmetry::of(&net, &[]);
    let game = Game::new(&net, &symmetry);
    let mut text = format!("Petri net {}\n", net.name);
    for (class, blocks) in net.classes.iter().zip(&symmetry.classes) {
        let count = class.colours.len();
        let _ = writeln!(text, "colours {}: {count}, {}", quoted(&class.name), how(blocks));
    }
    for place in &net.places {
        let _ = write!(text, "place {}{}", quoted(&place.id), sort(&net, &place.sort));
        if !place.initial.is_empty() {
            let at = net.place(&place.id).expect("the place is one of the net");
            let tokens: u64 = place.initial.values().sum();
            let shown = if place.initial.len() > 8 {
                format!("{tokens} tokens")
            } else {
                game.show(at, &place.initial)
            };
            let _ = write!(text, " = {shown}");
        }
        text.push('\n');
    }
    for transition in &net.transitions {
        let variables = transition.variables.iter().map(|one| one.name.as_str());
        let variables: Vec<&str> = variables.collect();
        let _ = write!(text, "transition {}", quoted(&transition.id));
        if !variables.is_empty() {
            let _ = write!(text, "({})", variables.join(", "));
        }
        text.push('\n');
    }
    text.push_str("A net has no processes: fairness is to events, `--fair-over event`.\n");
    console.print(&text)?;
    Ok(Exit::Done)
}

fn sort(net: &Net, sort: &[usize]) -> String {
    let names: Vec<&str> = sort.iter().map(|&class| net.classes[class].name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(": {}", names.join(" × ")) }
}

/// What is interchangeable.
fn how(blocks: &Blocks) -> String {
    match blocks.group {
        Group::Trivial => "told apart".to_owned(),
        Group::Rotations => "a ring: only neighbours matter".to_owned(),
        _ => match blocks.members().iter().map(Vec::len).collect::<Vec<_>>()[..] {
            [_] => "interchangeable".to_owned(),
            ref sizes => {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                format!("interchangeable in blocks of {}", sizes.join(", "))
            }
        },
    }
}
