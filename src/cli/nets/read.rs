//! Runs of nets out of JSON: what [`view`](super::view) writes.

use crate::cli::json::read::{Fault, Object, Path, ReadBack, list, shown};
use judge::{Reference as _, Renaming};
use nets::game::NetVocabulary;
use nets::net::Tokens;
use nets::{Firing, Game, Marking};
use serde_json::Value as Json;
use terms::IndexTypeId;

/// Reads what belongs to a net.
pub(in crate::cli) struct NetReader<'g, 'n> {
    game: &'g Game<'n>,
}

impl<'g, 'n> NetReader<'g, 'n> {
    pub(in crate::cli) fn new(game: &'g Game<'n>) -> Self {
        NetReader { game }
    }

    /// The position of a colour in its class.
    fn colour(&self, class: usize, json: &Json, at: &Path<'_>) -> Result<u32, Fault> {
        let class = &self.game.net().classes[class];
        let position =
            json.as_str().and_then(|name| class.colours.iter().position(|colour| colour == name));
        match position {
            Some(position) => Ok(position as u32),
            None => at.fault(format!("{} is not a colour of `{}`", shown(json), class.name)),
        }
    }

    /// The number of a tuple of colours.
    fn tuple(&self, sort: &[usize], json: &Json, at: &Path<'_>) -> Result<u64, Fault> {
        let colours = list(json, at)?;
        if colours.len() != sort.len() {
            return at.fault(format!("expected {} colours, not {}", sort.len(), colours.len()));
        }
        let colours = sort.iter().zip(colours).enumerate();
        let colours =
            colours.map(|(k, (&class, json))| self.colour(class, json, &Path::Item(at, k)));
        Ok(self.game.net().encode(sort, colours.collect::<Result<Vec<_>, _>>()?))
    }

    /// The tokens of a place.
    fn tokens(&self, sort: &[usize], json: &Json, at: &Path<'_>) -> Result<Tokens, Fault> {
        let mut tokens = Tokens::new();
        if sort.is_empty() {
            tokens.insert(0, number(json, at)?);
            return Ok(tokens);
        }
        for (k, item) in list(json, at)?.iter().enumerate() {
            let at = Path::Item(at, k);
            let object = Object::of(item, &at)?;
            let code = self.tuple(sort, object.field("colour")?, &Path::Key(&at, "colour"))?;
            let number = number(object.field("tokens")?, &Path::Key(&at, "tokens"))?;
            if tokens.insert(code, number).is_some() {
                return at.fault("the tokens of this colour are there already");
            }
        }
        Ok(tokens)
    }
}

/// A number of tokens.
fn number(json: &Json, at: &Path<'_>) -> Result<u64, Fault> {
    match json.as_u64() {
        Some(number) if (1..=nets::pnml::MOST_TOKENS).contains(&number) => Ok(number),
        _ => at.fault(format!(
            "expected a number of tokens from 1 to {}, not {}",
            nets::pnml::MOST_TOKENS,
            shown(json)
        )),
    }
}

impl ReadBack for NetReader<'_, '_> {
    type Words = NetVocabulary;

    fn state(&self, json: &Json, at: &Path<'_>) -> Result<Marking, Fault> {
        let net = self.game.net();
        let mut marking = vec![Tokens::new(); net.places.len()];
        for (id, json) in Object::of(json, at)?.fields() {
            let at = Path::Key(at, id);
            let Some(place) = net.place(id) else {
                return at.fault(format!("the net has no place `{id}`"));
            };
            marking[place] = self.tokens(&net.places[place].sort, json, &at)?;
        }
        Ok(marking)
    }

    fn actions(&self, object: Object<'_>) -> Result<Vec<((), Firing)>, Fault> {
        let net = self.game.net();
        object.field("event")?;
        let Some(id) = object.text("event")? else { return Ok(Vec::new()) };
        let Some(transition) = net.transition(id) else {
            let at = Path::Key(object.at, "event");
            return at.fault(format!("the net has no transition `{id}`"));
        };
        let variables = &net.transitions[transition].variables;
        let at = Path::Key(object.at, "args");
        let colours = match object.optional("args") {
            None => &[],
            Some(json) => list(json, &at)?,
        };
        if colours.len() != variables.len() {
            return at.fault(format!(
                "`{id}` has {} variables, but {} colours are given",
                variables.len(),
                colours.len()
            ));
        }
        let colours = variables.iter().zip(colours).enumerate();
        let binding = colours
            .map(|(k, (variable, json))| self.colour(variable.class, json, &Path::Item(&at, k)));
        let binding = binding.collect::<Result<_, _>>()?;
        Ok(vec![((), Firing { transition, binding })])
    }

    fn leads_to(&self, _: &Marking, _: &((), Firing), _: &Marking) -> bool {
        // A transition with its colours means one thing only.
        true
    }

    fn identity(&self) -> Renaming {
        self.game.identity()
    }

    fn renamed(&self, renaming: &Renaming, marking: &Marking) -> Marking {
        self.game.renamed_state(renaming, marking)
    }

    fn renaming(&self, json: &Json, at: &Path<'_>) -> Result<Renaming, Fault> {
        let net = self.game.net();
        let mut images = self.game.images(&self.game.identity());
        for (name, cycles) in Object::of(json, at)?.fields() {
            let at = Path::Key(at, name);
            let Some(class) = net.classes.iter().position(|one| one.name == name) else {
                return at.fault(format!("the net has no class of colours `{name}`"));
            };
            let Json::String(cycles) = cycles else {
                return at.fault(format!(
                    "expected a permutation in cycle notation, as in \"(0 1 2)\", not {}",
                    shown(cycles)
                ));
            };
            let mut one = Renaming::identity([net.size(class)]);
            if let Err(message) = one.read(IndexTypeId(0), cycles) {
                return at.fault(message);
            }
            images[class] = one.images(IndexTypeId(0)).to_vec();
        }
        match self.game.renaming(&images) {
            Some(renaming) => Ok(renaming),
            None => {
                at.fault("this is no symmetry of the net: it confuses colours that are told apart")
            }
        }
    }
}
