//! Reductions: each takes an automaton to a smaller one of the same language.
//!
//! One reduction a file, its invariant on top. They can be combined in any order.

mod useless;
mod marks;
mod simulation;
mod obligation;
mod merging;

use crate::automaton::{Automaton, Marking};
use crate::guard::Guards;
use crate::limits::StopReason;

pub use marks::minimise_marks;
pub use merging::merge_states;
pub use obligation::minimal_weak_deterministic;
pub use simulation::{direct_simulation, reverse_simulation};
pub use useless::remove_useless;

/// Which simulations to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simulation {
    /// Neither.
    None,
    /// Direct, once.
    Direct,
    /// Direct and reverse in turn, until neither helps.
    Both,
}

/// Reduces by simulation, and removes what became useless. The automaton must have nothing useless
/// itself.
pub fn simulate(
    guards: &mut Guards<'_>,
    automaton: &Automaton,
    marking: Marking,
    simulation: Simulation,
) -> Result<Automaton, StopReason> {
    if simulation == Simulation::None {
        return Ok(automaton.clone());
    }
    let direct = direct_simulation(guards, automaton)?;
    let mut smallest = remove_useless(guards, &direct, marking);
    if simulation == Simulation::Direct {
        return Ok(smallest);
    }
    loop {
        let reverse = reverse_simulation(guards, &smallest, marking)?;
        let reverse = remove_useless(guards, &reverse, marking);
        if size(&reverse) >= size(&smallest) {
            break;
        }
        let direct = direct_simulation(guards, &reverse)?;
        let direct = remove_useless(guards, &direct, marking);
        if size(&direct) >= size(&reverse) {
            smallest = reverse;
            break;
        }
        smallest = direct;
    }
    Ok(if size(&smallest) <= size(automaton) { smallest } else { automaton.clone() })
}

fn size(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.all_edges().len())
}
