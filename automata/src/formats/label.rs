//! Labels as sums of products: `request & !grant | idle`.
//!
//! The sum is irredundant and lies between f ∧ possible and f ∨ ¬possible (Minato and Morreale's
//! recursion): letters that do not exist are used to make it short, so that `@a & !@b` is printed
//! as `@a`, and the label of all possible letters as `true`. Conversely f is the sum restricted to
//! the possible letters: nothing is lost.

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
    pub fn of(guards: &mut Guards, f: Guard) -> Result<Label, StopReason> {
        let mut cubes = guards.cubes(f);
        guards.check()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use ltl::{Alphabet, Atoms};

    fn text(label: &Label) -> String {
        label.text(Signs::FORMULA, |atom| ["a", "b", "c"][atom.index()].to_owned())
    }

    /// Every function of three atoms.
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
            let label = Label::of(&mut guards, f).expect("a small label");
            assert_eq!(label.function(&mut guards), f, "{table}");
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
            let label = Label::of(&mut guards, f).expect("a small label");
            assert_eq!(text(&label), expected, "{products:?}");
            // Restricted to the letters that exist, the text means the label.
            let back = label.function(&mut guards);
            assert_eq!(guards.and(back, guards.possible()), f, "{products:?}");
        }
    }
}
