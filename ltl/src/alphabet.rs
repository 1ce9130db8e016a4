//! Which letters exist.
//!
//! A letter says which atoms are true at one step. Propositions are free; of events **at most one
//! happens in a step** (none in a stutter), and it has exactly one owner. So the event atoms of a
//! formula can be true together only in certain combinations, here called *profiles*: with
//! `@a(x)`, `@a(_)` and `@b`, the profiles are {}, {`@a(x)`, `@a(_)`}, {`@a(_)`} and {`@b`}.
//! Simplification, translation and equivalence are modulo this.
//!
//! Profiles are found shape by shape (a name and a number of arguments), and within a shape place by
//! place: a set of patterns that agree so far is split by the values that they name in that place,
//! and by some other value. Sets that come out equal go on as one, so that the cost is that of the
//! profiles and not of the tuples of values: a pattern with a hundred arguments has two profiles,
//! not 2¹⁰⁰. Places with many values come first, because they leave small sets after. Last, each
//! event is combined with each owner that occurs, and some other one.

use crate::atoms::{Argument, AtomKind, Atoms, EventPattern};
use crate::formula::Atom;
use hashbrown::HashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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
        let by_event = sets_of_events(&patterns)?;
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

    /// The letters in which these atoms are true only in one of these combinations; the empty one need
    /// not be among them.
    pub fn of_combinations(
        events: impl IntoIterator<Item = Atom>,
        combinations: impl IntoIterator<Item = Vec<Atom>>,
    ) -> Alphabet {
        let events: BTreeSet<Atom> = events.into_iter().collect();
        if events.is_empty() {
            return Alphabet::default();
        }
        let mut profiles = BTreeSet::from([Vec::new()]);
        for mut profile in combinations {
            profile.sort_unstable();
            profile.dedup();
            debug_assert!(profile.iter().all(|atom| events.contains(atom)), "one of the atoms");
            profiles.insert(profile);
        }
        Alphabet { events: events.into_iter().collect(), profiles: profiles.into_iter().collect() }
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

/// The sets of named patterns that one event can match, by trying values that they can tell apart.
fn sets_of_events(patterns: &[(Atom, &EventPattern)]) -> Option<HashSet<Vec<Atom>>> {
    // An event whose name occurs nowhere.
    let mut sets = HashSet::from([Vec::new()]);
    let mut any_arguments: BTreeMap<&str, Vec<Atom>> = BTreeMap::new();
    let mut shapes: BTreeMap<(&str, usize), Vec<Listed<'_>>> = BTreeMap::new();
    for &(atom, pattern) in patterns {
        if let EventPattern::Named { name, arguments } = pattern {
            match arguments {
                None => any_arguments.entry(name).or_default().push(atom),
                Some(list) => shapes.entry((name, list.len())).or_default().push((atom, list)),
            }
        }
    }
    // An event of that name with a number of arguments that no pattern has.
    sets.extend(any_arguments.values().cloned());
    for ((name, arity), listed) in shapes {
        for chosen in sets_of_shape(arity, &listed)? {
            let mut set = any_arguments.get(name).cloned().unwrap_or_default();
            set.extend(chosen.iter().map(|&i| listed[i].0));
            set.sort_unstable();
            sets.insert(set);
        }
        if sets.len() > MOST_PROFILES {
            return None;
        }
    }
    Some(sets)
}

/// A pattern that names its arguments.
type Listed<'a> = (Atom, &'a [Argument]);

/// The sets of patterns of one shape that one event can match, as positions in `patterns`.
fn sets_of_shape(arity: usize, patterns: &[Listed<'_>]) -> Option<HashSet<Vec<usize>>> {
    let value_at = |i: usize, place: usize| match &patterns[i].1[place] {
        Argument::Any => None,
        Argument::Value(value) => Some(value.as_str()),
    };
    let mut places: Vec<(usize, BTreeSet<&str>)> = (0..arity)
        .map(|place| (place, (0..patterns.len()).filter_map(|i| value_at(i, place)).collect()))
        .collect();
    places.retain(|(_, values)| !values.is_empty());
    places.sort_by_key(|(_, values)| Reverse(values.len()));
    let mut sets = HashSet::from([(0..patterns.len()).collect::<Vec<_>>()]);
    for (place, _) in places {
        let mut split = HashSet::new();
        for set in &sets {
            // `None` stands for a value that none of them names.
            let values: BTreeSet<Option<&str>> =
                set.iter().map(|&i| value_at(i, place)).chain([None]).collect();
            for value in values {
                let agrees = |&&i: &&usize| value_at(i, place).is_none_or(|v| Some(v) == value);
                split.insert(set.iter().filter(agrees).copied().collect());
            }
            if split.len() > MOST_PROFILES {
                return None;
            }
        }
        sets = split;
    }
    Some(sets)
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
    fn many_arguments_are_not_many_profiles() {
        let values: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        check(&[event("a", Some(&values))], &["", "0"]);
        let mut other = values.clone();
        other[99] = "_";
        check(&[event("a", Some(&values)), event("a", Some(&other))], &["", "01", "1"]);
        // Patterns that differ in the last place exclude each other, whatever comes before.
        let rows: Vec<AtomKind> = (0..20usize)
            .map(|row| {
                let last = values[row];
                let mut arguments: Vec<_> =
                    (0..20).map(|i| if i == row { "x" } else { "_" }).collect();
                arguments.push(last);
                event("a", Some(&arguments))
            })
            .collect();
        let mut atoms = Atoms::new();
        for kind in &rows {
            atoms.intern(kind.clone());
        }
        assert_eq!(Alphabet::of(&atoms).map(|a| a.profiles().len()), Some(21));
        // Without the last place every subset is possible.
        let mut atoms = Atoms::new();
        for row in 0..20 {
            let arguments: Vec<_> = (0..20).map(|i| if i == row { "x" } else { "_" }).collect();
            atoms.intern(event("a", Some(&arguments)));
        }
        assert!(Alphabet::of(&atoms).is_none());
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
