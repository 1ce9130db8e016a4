//! Splits a function by the letter: since atoms are decided first, the functions that remain after
//! the atoms are the nodes just below them.

use crate::guard::{Guard, Guards};
use hashbrown::HashMap;

/// The different functions of the auxiliary variables that `f` becomes under a letter, other than
/// `false`, each with the letters for which it does. `None` if there are more than `most`.
///
/// The letters of two functions are disjoint; order is that of the diagram, low branch first.
pub(crate) fn split(guards: &mut Guards<'_>, f: Guard, most: usize) -> Option<Vec<(Guard, Guard)>> {
    let mut known = HashMap::new();
    descend(guards, f, most, &mut known)?;
    known.remove(&f)
}

type Split = Vec<(Guard, Guard)>;

fn descend(
    guards: &mut Guards<'_>,
    f: Guard,
    most: usize,
    known: &mut HashMap<Guard, Split>,
) -> Option<()> {
    if known.contains_key(&f) {
        return Some(());
    }
    let split = match guards.decide(f) {
        Some((variable, low, high)) if variable < Guards::AUXILIARY => {
            descend(guards, low, most, known)?;
            descend(guards, high, most, known)?;
            let mut split: Split = Vec::with_capacity(known[&low].len());
            for &(residual, letters) in &known[&low] {
                split.push((residual, guards.branch(variable, letters, Guard::FALSE)));
            }
            let lows = split.len();
            for &(residual, letters) in &known[&high] {
                let letters = guards.branch(variable, Guard::FALSE, letters);
                match split[..lows].iter_mut().find(|(other, _)| *other == residual) {
                    Some((_, both)) => *both = guards.or(*both, letters),
                    None => split.push((residual, letters)),
                }
            }
            split
        }
        None if f == Guard::FALSE => Vec::new(),
        _ => vec![(f, Guard::TRUE)],
    };
    if split.len() > most {
        return None;
    }
    known.insert(f, split);
    Some(())
}
