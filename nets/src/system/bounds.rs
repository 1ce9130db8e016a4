//! How many tokens there may be.

use crate::net::Net;

/// Room for tokens, by place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most tokens of one colour.
    pub(super) most: Vec<u64>,
    /// The most tokens of all colours together.
    pub(super) total: Vec<u64>,
}

impl Bounds {
    /// Room for the initial marking, and one token everywhere.
    pub fn of_initial(net: &Net) -> Bounds {
        let most =
            net.places.iter().map(|place| place.initial.values().copied().max().unwrap_or(0));
        let total = net.places.iter().map(|place| place.initial.values().sum());
        Bounds {
            most: most.map(|most: u64| most.max(1)).collect(),
            total: total.map(|total: u64| total.max(1)).collect(),
        }
    }

    /// Makes room in a place.
    pub(super) fn raise(&mut self, place: usize, most: u64, total: u64) {
        self.most[place] = self.most[place].max(most);
        self.total[place] = self.total[place].max(total);
    }

    /// Bounds that are larger than these where they are larger than others: what has grown grows on.
    #[must_use]
    pub fn with_room(mut self, before: &Bounds) -> Bounds {
        let grown = |new: &mut u64, old: u64| {
            if *new > old && *new > 1 {
                *new = (*new * 2 - 1).next_power_of_two() - 1;
            }
        };
        self.most.iter_mut().zip(&before.most).for_each(|(new, &old)| grown(new, old));
        self.total.iter_mut().zip(&before.total).for_each(|(new, &old)| grown(new, old));
        self
    }
}
