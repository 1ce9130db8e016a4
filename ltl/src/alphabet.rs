//! Which letters exist.
//!
//! A letter says which atoms are true at one step. Propositions are free; of events **at most one
//! happens in a step** (none in a stutter), and it has exactly one owner. So the event atoms of a
//! formula can be true together only in certain combinations, here called *profiles*: with
//! `@a(x)`, `@a(_)` and `@b`, the profiles are {}, {`@a(x)`, `@a(_)`}, {`@a(_)`} and {`@b`}.
//! Simplification, translation and equivalence are modulo this.
//!
//! Profiles are found by trying every event that the atoms could tell apart: each name and number
//! of arguments that occurs, each argument one of the values that occur in its place or some other
//! value; times each owner that occurs or some other one.

use crate::atoms::{Argument, AtomKind, Atoms, EventPattern};
use crate::formula::Atom;
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// The letters over a table of atoms.
#[derive(Clone, Default, Debug)]
pub struct Alphabet {
    /// The event atoms, ascending.
    events: Vec<Atom>,
    /// The sets of event atoms that can be true together: each ascending, all different, the empty
    /// one first.
    profiles: Vec<Vec<Atom>>,
}

/// More combinations of event atoms than this are refused: see [`Alphabet::of`].
pub const MOST_PROFILES: usize = 1 << 16;

/// An event or owner that the atoms can tell from others: `None` is a value that they do not name.
struct Witness<'a> {
    name: Option<&'a str>,
    arguments: Vec<Option<&'a str>>,
}

impl Alphabet {
    /// The letters over `atoms`, or `None` if their event atoms can be combined in more than
    /// [`MOST_PROFILES`] ways (many wildcards in many places).
    pub fn of(atoms: &Atoms) -> Option<Alphabet> {
        let mut patterns = Vec::new();
        for (atom, kind) in atoms.iter() {
            if let AtomKind::Event(pattern) = kind {
                patterns.push((atom, pattern));
            }
        }
        if patterns.is_empty() {
            return Some(Alphabet::default());
        }
        let events = patterns.iter().map(|&(atom, _)| atom).collect();
        let mut by_event: HashSet<Vec<Atom>> = HashSet::new();
        for witness in witnesses(&patterns)? {
            by_event.insert(true_atoms(&patterns, |pattern| witness.matches(pattern)));
        }
        let mut by_owner: HashSet<Vec<Atom>> = HashSet::new();
        for owner in owners(&patterns) {
            by_owner.insert(true_atoms(&patterns, |pattern| owned(pattern, owner)));
        }
        if by_event.len() * by_owner.len() > MOST_PROFILES {
            return None;
        }
        let mut profiles = BTreeSet::from([Vec::new()]);
        for event in &by_event {
            for owner in &by_owner {
                let mut profile = [&event[..], &owner[..]].concat();
                profile.sort_unstable();
                profiles.insert(profile);
            }
        }
        Some(Alphabet { events, profiles: profiles.into_iter().collect() })
    }

    /// The event atoms, ascending.
    pub fn events(&self) -> &[Atom] {
        &self.events
    }

    /// The combinations of event atoms that can be true together; none at all if there are no event
    /// atoms, else the empty one first.
    pub fn profiles(&self) -> &[Vec<Atom>] {
        &self.profiles
    }

    /// Whether a letter with these true atoms exists.
    pub fn allows(&self, is_true: impl Fn(Atom) -> bool) -> bool {
        let profile: Vec<_> = self.events.iter().copied().filter(|&atom| is_true(atom)).collect();
        self.profiles.is_empty() || self.profiles.binary_search(&profile).is_ok()
    }

    /// Whether `b` is true in every letter in which `a` is.
    pub fn implies(&self, a: Atom, b: Atom) -> bool {
        a == b
            || self.is_event(a)
                && self.is_event(b)
                && self.profiles.iter().all(|p| !p.contains(&a) || p.contains(&b))
    }

    /// Whether `a` and `b` are true together in no letter.
    pub fn excludes(&self, a: Atom, b: Atom) -> bool {
        self.is_event(a)
            && self.is_event(b)
            && self.profiles.iter().all(|p| !p.contains(&a) || !p.contains(&b))
    }

    fn is_event(&self, atom: Atom) -> bool {
        self.events.binary_search(&atom).is_ok()
    }
}

fn true_atoms(
    patterns: &[(Atom, &EventPattern)],
    is_true: impl Fn(&EventPattern) -> bool,
) -> Vec<Atom> {
    patterns.iter().filter(|(_, pattern)| is_true(pattern)).map(|&(atom, _)| atom).collect()
}

impl Witness<'_> {
    fn matches(&self, pattern: &EventPattern) -> bool {
        let EventPattern::Named { name, arguments } = pattern else { return false };
        self.name == Some(name)
            && arguments.as_ref().is_none_or(|arguments| {
                arguments.len() == self.arguments.len()
                    && arguments.iter().zip(&self.arguments).all(|(wanted, found)| match wanted {
                        Argument::Any => true,
                        Argument::Value(value) => *found == Some(value),
                    })
            })
    }
}

/// One event for each combination of values that the patterns can tell apart.
fn witnesses<'a>(patterns: &[(Atom, &'a EventPattern)]) -> Option<Vec<Witness<'a>>> {
    let mut found = vec![Witness { name: None, arguments: Vec::new() }];
    let mut shapes: BTreeSet<(&str, usize)> = BTreeSet::new();
    for (_, pattern) in patterns {
        if let EventPattern::Named { name, arguments } = pattern {
            match arguments {
                Some(arguments) => shapes.insert((name, arguments.len())),
                // An event of that name with a number of arguments that no other atom has.
                None => shapes.insert((name, usize::MAX)),
            };
        }
    }
    for (name, arity) in shapes {
        let mut tuples: Vec<Vec<Option<&str>>> = vec![Vec::new()];
        for place in 0..if arity == usize::MAX { 0 } else { arity } {
            let values = values_at(patterns, name, arity, place);
            if tuples.len() * values.len() > MOST_PROFILES {
                return None;
            }
            tuples = tuples
                .iter()
                .flat_map(|tuple| values.iter().map(|&v| [&tuple[..], &[v]].concat()))
                .collect();
        }
        if arity == usize::MAX {
            // No pattern with arguments has as many as this.
            let most = patterns.iter().map(|(_, p)| arity_of(p)).max().unwrap_or(0);
            tuples = vec![vec![None; most + 1]];
        }
        found.extend(tuples.into_iter().map(|arguments| Witness { name: Some(name), arguments }));
    }
    Some(found)
}

fn arity_of(pattern: &EventPattern) -> usize {
    match pattern {
        EventPattern::Named { arguments: Some(arguments), .. } => arguments.len(),
        EventPattern::Named { arguments: None, .. } | EventPattern::By(_) => 0,
    }
}

/// The values that patterns of this shape name in one place, and `None` for any other.
fn values_at<'a>(
    patterns: &[(Atom, &'a EventPattern)],
    name: &str,
    arity: usize,
    place: usize,
) -> BTreeSet<Option<&'a str>> {
    let mut values = BTreeSet::from([None]);
    for (_, pattern) in patterns {
        if let EventPattern::Named { name: other, arguments: Some(arguments) } = pattern
            && (other.as_str(), arguments.len()) == (name, arity)
            && let Argument::Value(value) = &arguments[place]
        {
            values.insert(Some(value.as_str()));
        }
    }
    values
}

/// The owners that the patterns name, and `None` for any other.
fn owners<'a>(patterns: &[(Atom, &'a EventPattern)]) -> BTreeSet<Option<&'a str>> {
    let named = patterns.iter().filter_map(|(_, pattern)| match pattern {
        EventPattern::By(Argument::Value(process)) => Some(Some(process.as_str())),
        _ => None,
    });
    named.chain([None]).collect()
}

fn owned(pattern: &EventPattern, owner: Option<&str>) -> bool {
    match pattern {
        EventPattern::By(Argument::Any) => true,
        EventPattern::By(Argument::Value(process)) => owner == Some(process),
        EventPattern::Named { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, arguments: Option<&[&str]>) -> AtomKind {
        let argument = |&text: &&str| match text {
            "_" => Argument::Any,
            value => Argument::Value(value.to_owned()),
        };
        let arguments = arguments.map(|list| list.iter().map(argument).collect());
        AtomKind::Event(match (name, arguments) {
            ("by", Some(mut list)) => EventPattern::By(Vec::remove(&mut list, 0)),
            (name, arguments) => EventPattern::Named { name: name.to_owned(), arguments },
        })
    }

    /// The profiles, each written as the positions of its atoms.
    fn check(kinds: &[AtomKind], expected: &[&str]) {
        let mut atoms = Atoms::new();
        for kind in kinds {
            atoms.intern(kind.clone());
        }
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        let profiles: Vec<String> = alphabet
            .profiles()
            .iter()
            .map(|profile| profile.iter().map(|atom| atom.0.to_string()).collect())
            .collect();
        assert_eq!(profiles, expected);
    }

    #[test]
    fn at_most_one_event_happens() {
        let x = Some(&["x"][..]);
        check(&[AtomKind::Proposition("p".into())], &[]);
        check(&[event("a", None), event("b", None)], &["", "0", "1"]);
        check(&[event("a", x), event("a", Some(&["_"])), event("b", None)], &["", "01", "1", "2"]);
        check(&[event("a", x), event("a", None)], &["", "01", "1"]);
        check(&[event("a", Some(&[])), event("a", x)], &["", "0", "1"]);
        check(
            &[event("a", Some(&["x", "_"])), event("a", Some(&["_", "y"]))],
            &["", "0", "01", "1"],
        );
        check(&[event("a", None), event("by", x)], &["", "0", "01", "1"]);
        check(
            &[event("by", x), event("by", Some(&["y"])), event("by", Some(&["_"]))],
            &["", "02", "12", "2"],
        );
    }

    #[test]
    fn relations_between_events() {
        let mut atoms = Atoms::new();
        let one = atoms.intern(event("a", Some(&["x"])));
        let other = atoms.intern(event("a", Some(&["y"])));
        let any = atoms.intern(event("a", Some(&["_"])));
        let p = atoms.proposition("p");
        let alphabet = Alphabet::of(&atoms).expect("few combinations");
        assert!(alphabet.implies(one, any) && !alphabet.implies(any, one));
        assert!(alphabet.excludes(one, other) && !alphabet.excludes(one, any));
        assert!(!alphabet.implies(one, p) && !alphabet.excludes(one, p) && alphabet.implies(p, p));
        assert!(alphabet.allows(|a| a == one || a == any || a == p));
        assert!(!alphabet.allows(|a| a == one));
    }
}
