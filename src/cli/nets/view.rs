//! How markings and steps of nets are written.

use super::load;
use crate::cli::input::Text;
use crate::cli::view::{Change, LoadedSystem, View};
use judge::{Party, Reference as _, Renaming, Run};
use ltl::Diagnostic;
use nets::game::NetVocabulary;
use nets::net::Tokens;
use nets::{Fault, Firing, Game, Marking};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use terms::IndexTypeId;

/// A net with its text.
pub(in crate::cli) struct LoadedNet<'n> {
    text: &'n Text,
    game: Game<'n>,
}

impl<'n> LoadedNet<'n> {
    pub(in crate::cli) fn new(text: &'n Text, game: Game<'n>) -> Self {
        LoadedNet { text, game }
    }
}

impl View for Game<'_> {
    type Words = NetVocabulary;

    fn kind(&self) -> &'static str {
        "Net"
    }

    fn parts(&self, marking: &Marking) -> Vec<(String, String)> {
        let places = self.net().places.iter().zip(marking).enumerate();
        places.map(|(at, (place, tokens))| (place.id.clone(), self.show(at, tokens))).collect()
    }

    /// Places without tokens are left out: there may be thousands of them.
    fn lines(&self, marking: &Marking) -> Vec<String> {
        let places = self.net().places.iter().zip(marking).enumerate();
        let marked = places.filter(|(_, (_, tokens))| !tokens.is_empty());
        marked
            .map(|(at, (place, tokens))| format!("{} = {}", place.id, self.show(at, tokens)))
            .collect()
    }

    fn changes(&self, before: &Marking, after: &Marking) -> Vec<Change> {
        let places = self.net().places.iter().zip(before.iter().zip(after)).enumerate();
        let changed = places.filter(|(_, (_, (before, after)))| before != after);
        let change =
            |(at, (place, (before, after))): (usize, (&nets::net::Place, (&Tokens, _)))| Change {
                place: place.id.clone(),
                before: self.show(at, before),
                after: self.show(at, after),
                edit: None,
            };
        changed.map(change).collect()
    }

    fn size(&self, marking: &Marking) -> u64 {
        marking.iter().map(|tokens| 1 + tokens.len() as u64).sum()
    }

    fn process(&self, (): &()) -> Option<String> {
        None
    }

    fn processes(&self, _: usize) -> Vec<String> {
        Vec::new()
    }

    fn event(&self, firing: &Firing) -> String {
        self.show_event(firing)
    }

    /// By class, whatever its blocks are: colours by their positions, from 0.
    fn renamed(&self, renaming: &Renaming) -> Vec<(String, String)> {
        let classes = self.net().classes.iter().zip(self.images(renaming));
        let cycles = classes.filter_map(|(class, images)| {
            let one = Renaming::new(vec![images]).expect("a renaming of a class is one of colours");
            (!one.is_identity()).then(|| (class.name.clone(), one.show(IndexTypeId(0))))
        });
        cycles.collect()
    }

    fn event_name<'a>(&'a self, firing: &'a Firing) -> &'a str {
        &self.net().transitions[firing.transition].id
    }

    fn write_arguments<S: Serializer>(&self, firing: &Firing, to: S) -> Result<S::Ok, S::Error> {
        let variables = &self.net().transitions[firing.transition].variables;
        let colours = variables.iter().zip(&firing.binding);
        to.collect_seq(colours.map(|(variable, &at)| self.net().colour(variable.class, at)))
    }

    /// Places without tokens are left out. Black tokens are a number, others a list of colours with
    /// numbers.
    fn write_state<S: Serializer>(&self, marking: &Marking, to: S) -> Result<S::Ok, S::Error> {
        let places = self.net().places.iter().zip(marking);
        let mut map = to.serialize_map(None)?;
        for (place, tokens) in places.filter(|(_, tokens)| !tokens.is_empty()) {
            if place.sort.is_empty() {
                map.serialize_entry(&place.id, &tokens.values().sum::<u64>())?;
                continue;
            }
            let coloured = tokens.iter().map(|(&code, &number)| {
                let colours = self.net().decode(&place.sort, code).into_iter().zip(&place.sort);
                let colours = colours.map(|(at, &class)| self.net().colour(class, at));
                Coloured { colour: colours.collect(), tokens: number }
            });
            map.serialize_entry(&place.id, &coloured.collect::<Vec<_>>())?;
        }
        map.end()
    }
}

/// Tokens of one colour.
#[derive(Serialize)]
struct Coloured<'n> {
    colour: Vec<&'n str>,
    tokens: u64,
}

impl<'n> LoadedSystem for LoadedNet<'n> {
    type View = Game<'n>;

    fn view(&self) -> &Game<'n> {
        &self.game
    }

    fn text(&self) -> &Text {
        self.text
    }

    fn texts(&self) -> Vec<&Text> {
        vec![self.text]
    }

    fn start(&self, _: &Run<NetVocabulary>) -> Option<String> {
        None
    }

    fn constants(&self) -> Vec<(&str, String)> {
        Vec::new()
    }

    fn write_constants<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_map(Some(0))?.end()
    }

    fn declared_fairness(&self) -> Vec<String> {
        Vec::new()
    }

    fn requirement(&self, _: usize) -> String {
        unreachable!("nets declare no requirements")
    }

    fn party(&self, party: &Party<NetVocabulary>) -> String {
        party.show(&self.game)
    }

    fn values(&self, party: &Party<NetVocabulary>) -> Option<String> {
        Some(self.party(party))
    }

    fn next_in(&self, one: &Party<NetVocabulary>, other: &Party<NetVocabulary>) -> Option<usize> {
        let (Party::Event(one), Party::Event(other)) = (one, other) else { return None };
        let (before, after) = (&one.binding, &other.binding);
        let mut different = (0..before.len()).filter(|&k| before.get(k) != after.get(k));
        let (k, is_only) = (different.next()?, different.next().is_none());
        let is_next = one.transition == other.transition && before[k] + 1 == after[k];
        (is_only && is_next).then_some(k)
    }

    fn fault(&self, fault: &Fault) -> Diagnostic {
        load::diagnostic(self.game.net(), fault)
    }

    /// Which colours are interchangeable is not declared, so that nothing is missing.
    fn symmetry_warnings(&self) -> Vec<String> {
        Vec::new()
    }
}
