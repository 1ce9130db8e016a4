//! Upper bounds of weighted sums of tokens, from the state equation.
//!
//! Under every binding an arc stands for equally many tokens. So the tokens of each place, all colours
//! together, are those of a net without colours, and a marking m that is reached is m₀ + C·x, where the
//! column of C for a transition says how it changes the places, and x ≥ 0 how often each has fired. For
//! weights c on places,
//!
//! ```text
//! c·m  ≤  c·m₀ + max { (c·C)·x : x ≥ 0, m₀ + C·x ≥ 0 }
//! ```
//!
//! A linear program, over rational numbers: no less exact if it is not exact, for more markings are
//! allowed then than are reached. x = 0 satisfies it, so that the simplex method can begin there; the
//! variable with the least number enters and leaves (Bland's rule), so that it ends.

use crate::net::{Arc, Net, Part, Transition};

/// Larger programs take longer than they are worth: the product of places and transitions.
const LARGEST: usize = 40_000;

/// No more pivots than this.
const MOST_PIVOTS: usize = 2_000;

/// An upper bound of the tokens of these places together, in all markings that are reached; none if
/// the state equation gives none, or not within limits.
pub fn most(net: &Net, places: &[usize]) -> Option<u64> {
    let mut weights: Vec<(i64, usize)> = places.iter().map(|&place| (1, place)).collect();
    weights.sort_unstable();
    weights.dedup();
    u64::try_from(Equation::of(net)?.most(&weights)?).ok()
}

/// The state equation of a net.
pub struct Equation {
    /// By place.
    initial: Vec<i128>,
    /// By transition, by place.
    changes: Vec<Vec<i128>>,
}

impl Equation {
    /// That of a net, unless it is too large.
    pub fn of(net: &Net) -> Option<Equation> {
        if net.places.len().saturating_mul(net.transitions.len()) > LARGEST {
            return None;
        }
        let change = |one: &Transition| {
            let mut change = vec![0; net.places.len()];
            for arc in &one.inputs {
                change[arc.place] -= weight(net, arc);
            }
            for arc in &one.outputs {
                change[arc.place] += weight(net, arc);
            }
            change
        };
        Some(Equation {
            initial: net.places.iter().map(|place| tokens(place.initial.values())).collect(),
            changes: net.transitions.iter().map(change).collect(),
        })
    }

    /// An upper bound of the sum of the tokens of places with these factors, each place once, in all
    /// markings that are reached; none if there is none, or not within limits.
    pub fn most(&self, weights: &[(i64, usize)]) -> Option<i128> {
        let sum = |of: &[i128]| -> i128 {
            weights.iter().map(|&(factor, place)| i128::from(factor) * of[place]).sum()
        };
        let places = 0..self.initial.len();
        let mut program = Program {
            rows: places
                .map(|place| {
                    let row = self.changes.iter().map(|change| Rational::whole(-change[place]));
                    row.chain([Rational::whole(self.initial[place])]).collect()
                })
                .collect(),
            gains: self
                .changes
                .iter()
                .map(|change| Rational::whole(sum(change)))
                .chain([Rational::whole(0)])
                .collect(),
            free: (0..self.changes.len()).collect(),
            bound: (self.changes.len()..self.changes.len() + self.initial.len()).collect(),
        };
        let gained = program.maximum()?;
        Some(sum(&self.initial) + gained.numerator.div_euclid(gained.denominator))
    }
}

fn tokens<'t>(counts: impl Iterator<Item = &'t u64>) -> i128 {
    counts.map(|&count| i128::from(count)).sum()
}

/// The number of tokens that an arc stands for.
fn weight(net: &Net, arc: &Arc) -> i128 {
    let sort = &net.places[arc.place].sort;
    let tuples = |parts: &[Part]| -> i128 {
        let all = parts.iter().zip(sort).filter(|(part, _)| **part == Part::All);
        all.map(|(_, &class)| i128::from(net.size(class))).product()
    };
    arc.sum.iter().map(|(number, parts)| i128::from(*number) * tuples(parts)).sum()
}

/// A linear program with a solution: each bound variable is the last column of its row less the sum of
/// the other columns times the free variables, which are 0. What is to be as large as possible is the sum
/// of the gains times the free variables, plus the last gain negated.
///
/// Invariant: no entry of the last column of `rows` is negative.
struct Program {
    rows: Vec<Vec<Rational>>,
    gains: Vec<Rational>,
    /// The variables of columns, and of rows.
    free: Vec<usize>,
    bound: Vec<usize>,
}

impl Program {
    /// The greatest value; none if there is none, or not within limits.
    fn maximum(&mut self) -> Option<Rational> {
        let last = self.free.len();
        for _ in 0..MOST_PIVOTS {
            let gaining = (0..last).filter(|&column| self.gains[column].is_positive());
            let Some(column) = gaining.min_by_key(|&column| self.free[column]) else {
                return Rational::whole(0).minus(self.gains[last]);
            };
            let mut leaving: Option<(usize, Rational)> = None;
            for (number, row) in self.rows.iter().enumerate() {
                if !row[column].is_positive() {
                    continue;
                }
                let most = row[last].over(row[column])?;
                let is_first = match leaving {
                    None => true,
                    Some((other, least)) => match most.minus(least)?.numerator.signum() {
                        0 => self.bound[number] < self.bound[other],
                        sign => sign < 0,
                    },
                };
                if is_first {
                    leaving = Some((number, most));
                }
            }
            let (row, _) = leaving?;
            self.pivot(row, column)?;
        }
        None
    }

    /// The variables of a row and of a column change their roles.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        run::poll_for((self.rows.len() * self.gains.len()) as u64);
        let by = self.rows[row][column];
        self.rows[row][column] = Rational::whole(1);
        for entry in &mut self.rows[row] {
            *entry = entry.over(by)?;
        }
        let pivot = self.rows[row].clone();
        let others = self.rows.iter_mut().enumerate().filter(|(number, _)| *number != row);
        for other in others.map(|(_, other)| other).chain([&mut self.gains]) {
            let factor = std::mem::replace(&mut other[column], Rational::whole(0));
            if factor.numerator == 0 {
                continue;
            }
            for (entry, of) in other.iter_mut().zip(&pivot).filter(|(_, of)| of.numerator != 0) {
                *entry = entry.minus(factor.times(*of)?)?;
            }
        }
        std::mem::swap(&mut self.bound[row], &mut self.free[column]);
        Some(())
    }
}

/// A rational number. Operations that would overflow give none.
#[derive(Clone, Copy)]
struct Rational {
    numerator: i128,
    /// Invariant: positive, and without a common divisor with the numerator.
    denominator: i128,
}

impl Rational {
    fn whole(numerator: i128) -> Rational {
        Rational { numerator, denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).ok()?.checked_mul(denominator.signum())?;
        Some(Rational { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    fn is_positive(self) -> bool {
        self.numerator > 0
    }

    fn minus(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Rational::new(left.checked_sub(right)?, denominator)
    }

    fn times(self, other: Rational) -> Option<Rational> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// The quotient; none of 0.
    fn over(self, other: Rational) -> Option<Rational> {
        if other.numerator == 0 {
            return None;
        }
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }
}
