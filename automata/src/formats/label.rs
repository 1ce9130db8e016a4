//! Labels as sums of products: `request & !grant | idle`.
//!
//! The sum is irredundant and lies between f ∧ possible and f ∨ ¬possible (Minato and Morreale's
//! recursion): letters that do not exist are used to make it short, so that `@a & !@b` is printed
//! as `@a`, and the label of all possible letters as `true`. Conversely f is the sum restricted to
//! the possible letters: nothing is lost.
//!
//! A small diagram can have a huge sum (the parity of n atoms has 2ⁿ⁻¹ products), so that the
//! literals of all labels of an automaton are counted against the limit for labels. Every call of
//! the recursion that does not end at once yields a product, so that this bounds the time as well.

use crate::guard::{Cube, Guard, Guards};
use crate::limits::StopReason;
use ltl::Atom;

/// A label as products of literals: no product is `false`; none at all is `false`; an empty one is
/// `true`, and then it is the only one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Sorted: by atoms, positive before negative, short before long.
    cubes: Vec<Cube>,
}

/// How many literals may still be written.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    left: usize,
    most: usize,
}

impl Budget {
    /// As many as labels may have nodes.
    pub fn of(guards: &Guards) -> Budget {
        let most = guards.limits().labels;
        Budget { left: most, most }
    }

    fn spend(&mut self, literals: usize) -> Result<(), StopReason> {
        self.left = self.left.checked_sub(literals).ok_or(StopReason::Labels(self.most))?;
        Ok(())
    }
}

/// The signs of a language of Boolean expressions in which `and` binds tighter than `or`.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    /// Between literals.
    pub and: &'static str,
    /// Between products.
    pub or: &'static str,
    /// The constant.
    pub truth: &'static str,
}

impl Signs {
    /// As in HOA: `0&!1 | 2`.
    pub const HOA: Signs = Signs { and: "&", or: " | ", truth: "t" };
    /// As in formulas: `a & !b | c`.
    pub const FORMULA: Signs = Signs { and: " & ", or: " | ", truth: "1" };
    /// As in Promela: `a && !b || c`.
    pub const PROMELA: Signs = Signs { and: " && ", or: " || ", truth: "true" };
}

impl Label {
    /// The label of an edge, as a person would write it.
    pub fn of(guards: &mut Guards, f: Guard, budget: &mut Budget) -> Result<Label, StopReason> {
        let possible = guards.possible();
        let lower = guards.and(f, possible);
        let impossible = guards.not(possible);
        let upper = guards.or(f, impossible);
        let mut cubes = Vec::new();
        irredundant(guards, lower, upper, &mut cubes, budget)?;
        for cube in &mut cubes {
            cube.sort_unstable();
        }
        cubes.sort_by(|a, b| {
            let key = |&(variable, sign): &(u32, bool)| (variable, !sign);
            a.iter().map(key).cmp(b.iter().map(key))
        });
        Ok(Label { cubes })
    }

    /// The products.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// The atoms that occur; one that occurs twice comes twice.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.cubes.iter().flatten().map(|&(variable, _)| Atom(variable))
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        self.cubes.iter().any(Vec::is_empty)
    }

    /// The function that the text means.
    pub fn function(&self, guards: &mut Guards) -> Guard {
        let mut sum = Guard::FALSE;
        for cube in &self.cubes {
            let cube = guards.cube(cube);
            sum = guards.or(sum, cube);
        }
        sum
    }

    /// The label as a text; `atom` names an atom.
    pub fn text(&self, signs: Signs, atom: impl Fn(Atom) -> String) -> String {
        let product = |cube: &Cube| {
            if cube.is_empty() {
                return signs.truth.to_owned();
            }
            literals(cube, &atom).collect::<Vec<_>>().join(signs.and)
        };
        self.cubes.iter().map(product).collect::<Vec<_>>().join(signs.or)
    }

    /// The label as a text in which the literals that all products have in common come first:
    /// `a & (b | c)`. In pieces, to be broken into lines: products of literals, each with the signs
    /// that follow it.
    pub fn factored(&self, signs: Signs, atom: impl Fn(Atom) -> String) -> Vec<Vec<String>> {
        if self.is_true() {
            return vec![vec![signs.truth.to_owned()]];
        }
        let common: Cube = match &self.cubes[..] {
            [first, others @ ..] if !others.is_empty() => {
                let everywhere = |literal: &_| others.iter().all(|cube| cube.contains(literal));
                first.iter().copied().filter(everywhere).collect()
            }
            _ => Cube::new(),
        };
        let mut products = Vec::with_capacity(self.cubes.len() + 1);
        if !common.is_empty() {
            products.push(literals(&common, &atom).map(|literal| literal + signs.and).collect());
        }
        let (open, close) = if common.is_empty() { ("", "") } else { ("(", ")") };
        for (k, cube) in self.cubes.iter().enumerate() {
            let rest: Cube = cube.iter().copied().filter(|lit| !common.contains(lit)).collect();
            let mut pieces: Vec<String> = literals(&rest, &atom).collect();
            let last = pieces.len() - 1;
            pieces[..last].iter_mut().for_each(|piece| piece.push_str(signs.and));
            pieces[last] += if k + 1 < self.cubes.len() { signs.or } else { close };
            if k == 0 {
                pieces[0].insert_str(0, open);
            }
            products.push(pieces);
        }
        products
    }
}

fn literals<'a>(cube: &'a Cube, atom: &'a dyn Fn(Atom) -> String) -> impl Iterator<Item = String> {
    cube.iter().map(move |&(variable, sign)| {
        format!("{}{}", if sign { "" } else { "!" }, atom(Atom(variable)))
    })
}

/// Appends the products of a sum that lies between the two functions, and returns the sum.
fn irredundant(
    guards: &mut Guards,
    lower: Guard,
    upper: Guard,
    out: &mut Vec<Cube>,
    budget: &mut Budget,
) -> Result<Guard, StopReason> {
    guards.check()?;
    if lower == Guard::FALSE {
        return Ok(Guard::FALSE);
    }
    if upper == Guard::TRUE {
        budget.spend(1)?;
        if out.len().is_multiple_of(1 << 12) {
            guards.poll()?;
        }
        out.push(Cube::new());
        return Ok(Guard::TRUE);
    }
    let tops = [guards.decide(lower), guards.decide(upper)];
    let variable = tops.iter().flatten().map(|&(variable, ..)| variable).min();
    let variable = variable.expect("two constants of which one implies the other end above");
    let cofactors = |f: Guard, top: Option<(u32, Guard, Guard)>| match top {
        Some((own, low, high)) if own == variable => (low, high),
        _ => (f, f),
    };
    let (lower0, lower1) = cofactors(lower, tops[0]);
    let (upper0, upper1) = cofactors(upper, tops[1]);
    let mut with_literal = |guards: &mut Guards, lower, upper, sign| {
        let from = out.len();
        let covered = irredundant(guards, lower, upper, out, budget)?;
        budget.spend(out.len() - from)?;
        out[from..].iter_mut().for_each(|cube| cube.push((variable, sign)));
        Ok(covered)
    };
    // What only products with the negative, with the positive literal can cover.
    let only0 = guards.without(lower0, upper1);
    let covered0 = with_literal(guards, only0, upper0, false)?;
    let only1 = guards.without(lower1, upper0);
    let covered1 = with_literal(guards, only1, upper1, true)?;
    let (rest0, rest1) = (guards.without(lower0, covered0), guards.without(lower1, covered1));
    let rest = guards.or(rest0, rest1);
    let both = guards.and(upper0, upper1);
    let covered = irredundant(guards, rest, both, out, budget)?;
    let (low, high) = (guards.or(covered0, covered), guards.or(covered1, covered));
    Ok(guards.branch(variable, low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use ltl::{Alphabet, Atoms};

    fn text(label: &Label) -> String {
        label.text(Signs::FORMULA, |atom| ["a", "b", "c"][atom.index()].to_owned())
    }

    /// Every function of three atoms: the same products as the diagrams give, sorted.
    #[test]
    fn labels_are_irredundant_sums() {
        for table in 0..256u32 {
            let mut guards = Guards::new(Limits::default());
            let mut f = Guard::FALSE;
            for row in (0..8).filter(|row| table >> row & 1 == 1) {
                let cube: Cube = (0..3).map(|v| (v, row >> v & 1 == 1)).collect();
                let cube = guards.cube(&cube);
                f = guards.or(f, cube);
            }
            let mut budget = Budget::of(&guards);
            let label = Label::of(&mut guards, f, &mut budget).expect("a small label");
            assert_eq!(label.function(&mut guards), f, "{table}");
            let mut expected = guards.cubes(f);
            let mut found = label.cubes().to_vec();
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{table}");
        }
    }

    #[test]
    fn impossible_letters_make_labels_short() {
        let mut atoms = Atoms::new();
        for event in ["@a", "@b", "@c"] {
            atoms.intern(ltl::AtomKind::Event(event.parse().expect("an event")));
        }
        let alphabet = Alphabet::of(&atoms).expect("few letters");
        let mut guards = Guards::over(&alphabet, Limits::default());
        //  products of literals (an upper-case letter is negative)   printed
        let table = [
            (&[""][..], "1"),
            (&["aBC"], "a"),
            (&["aBC", "AbC"], "a | b"),
            (&["ABC"], "!a & !b & !c"),
            (&["A"], "!a"),
            (&["AbC", "ABc", "ABC"], "!a"),
            (&["b", "c"], "b | c"),
            (&[], ""),
        ];
        for (products, expected) in table {
            let mut f = Guard::FALSE;
            for product in products {
                let literal = |c: char| {
                    (u32::from(c.to_ascii_lowercase()) - u32::from('a'), c.is_lowercase())
                };
                let cube: Cube = product.chars().map(literal).collect();
                let cube = guards.cube(&cube);
                f = guards.or(f, cube);
            }
            let f = guards.and(f, guards.possible());
            let mut budget = Budget::of(&guards);
            let label = Label::of(&mut guards, f, &mut budget).expect("a small label");
            assert_eq!(text(&label), expected, "{products:?}");
            // Restricted to the letters that exist, the text means the label.
            let back = label.function(&mut guards);
            assert_eq!(guards.and(back, guards.possible()), f, "{products:?}");
        }
    }

    #[test]
    fn a_huge_sum_meets_the_limit() {
        let mut guards = Guards::new(Limits { labels: 100_000, ..Limits::default() });
        let mut parity = Guard::FALSE;
        for variable in (0..60).rev() {
            let other = guards.not(parity);
            parity = guards.branch(variable, parity, other);
        }
        let mut budget = Budget::of(&guards);
        let label = Label::of(&mut guards, parity, &mut budget);
        assert_eq!(label, Err(StopReason::Labels(100_000)));
    }
}
