//! The product of two automata accepts what both accept.
//!
//! States are pairs that can be reached, edges pairs of edges with a letter in common, and the marks of the
//! second stand after those of the first.

use crate::automaton::{Automaton, Builder, Marks, State};
use crate::guard::{Guard, Guards};
use crate::limits::StopReason;
use hashbrown::HashMap;
use run::Every;

/// A product, and what its states are.
#[derive(Clone, Debug)]
pub struct Product {
    /// The automaton of the words that both accept.
    pub automaton: Automaton,
    /// For each state, the pair that it stands for.
    pub pairs: Vec<(State, State)>,
}

impl Product {
    /// The product of two automata over the same labels.
    pub fn of(
        guards: &mut Guards<'_>,
        left: &Automaton,
        right: &Automaton,
    ) -> Result<Product, StopReason> {
        let sets = left.acceptance_sets() + right.acceptance_sets();
        if sets as usize > Marks::MOST {
            return Err(StopReason::AcceptanceSets(Marks::MOST));
        }
        let mut name: HashMap<(State, State), State> = HashMap::new();
        let mut pairs = vec![(left.initial(), right.initial())];
        name.insert(pairs[0], State(0));
        let mut builder = Builder::new();
        let mut next = 0;
        while next < pairs.len() {
            let (q, r) = pairs[next];
            for e in left.edges(q) {
                for f in right.edges(r) {
                    let guard = guards.and(e.guard, f.guard);
                    if guard == Guard::FALSE {
                        continue;
                    }
                    let target = *name.entry((e.target, f.target)).or_insert_with(|| {
                        pairs.push((e.target, f.target));
                        State(pairs.len() as u32 - 1)
                    });
                    let behind = f.marks.0.checked_shl(left.acceptance_sets()).unwrap_or(0);
                    builder.edge(guard, Marks(e.marks.0 | behind), target);
                }
            }
            builder.end_state();
            guards.check_size(pairs.len(), builder.edge_count())?;
            if Every::NODE.is_due(next as u64) {
                guards.poll()?;
            }
            next += 1;
        }
        Ok(Product { automaton: builder.finish(State(0), sets), pairs })
    }
}
