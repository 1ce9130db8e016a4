//! A file of results, as much of it as is needed.
//!
//! Nearly all of a large file is the steps of its runs. As trees they would take thirty times the memory of the
//! text. So they stay text until the one run that is replayed is read, step by step.

use super::super::json::read::WrittenSteps;
use run::poll::{poll, poll_for};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value as Json};
use std::fmt;

/// A file of results.
pub(super) struct ResultFile<'t> {
    /// All of it, but for lists of steps, which are empty here.
    pub(super) json: Json,
    /// The steps of each result's run.
    pub(super) steps: Vec<WrittenSteps<'t>>,
}

/// Reads a text. To be called under a watch.
pub(super) fn parse(text: &str) -> Result<ResultFile<'_>, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(text);
    let mut steps = Vec::new();
    let json = Tree { at: At::File, steps: &mut steps }.deserialize(&mut from)?;
    from.end()?;
    Ok(ResultFile { json, steps })
}

/// Where in a file.
#[derive(Clone, Copy)]
enum At {
    File,
    Results,
    Result(usize),
    Counterexample(usize),
    Stem(usize),
    Cycle(usize),
    Elsewhere,
}

impl At {
    /// Where the value of a key is.
    fn key(self, key: &str) -> At {
        match (self, key) {
            (At::File, "results") => At::Results,
            (At::Result(k), "counterexample") => At::Counterexample(k),
            (At::Counterexample(k), "stem") => At::Stem(k),
            (At::Counterexample(k), "cycle") => At::Cycle(k),
            _ => At::Elsewhere,
        }
    }
}

/// Reads a value.
struct Tree<'s, 't> {
    at: At,
    steps: &'s mut Vec<WrittenSteps<'t>>,
}

impl<'t> Tree<'_, 't> {
    fn below(&mut self, at: At) -> Tree<'_, 't> {
        Tree { at, steps: self.steps }
    }
}

impl<'t> DeserializeSeed<'t> for Tree<'_, 't> {
    type Value = Json;

    fn deserialize<D: Deserializer<'t>>(self, from: D) -> Result<Json, D::Error> {
        poll();
        // Of a key that comes twice, the last value counts.
        match self.at {
            At::Results => self.steps.clear(),
            At::Result(k) => self.steps.resize_with(k + 1, WrittenSteps::default),
            At::Counterexample(k) => self.steps[k] = WrittenSteps::default(),
            At::Stem(k) => self.steps[k].stem = None,
            At::Cycle(k) => self.steps[k].cycle = None,
            At::File | At::Elsewhere => {}
        }
        from.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Tree<'_, 't> {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'t>>(mut self, mut from: A) -> Result<Json, A::Error> {
        if let At::Stem(_) | At::Cycle(_) = self.at {
            let mut list: Vec<&'t RawValue> = Vec::new();
            while let Some(step) = from.next_element::<&'t RawValue>()? {
                poll_for(1 + step.get().len() as u64 / 64);
                list.push(step);
            }
            match self.at {
                At::Stem(k) => self.steps[k].stem = Some(list),
                At::Cycle(k) => self.steps[k].cycle = Some(list),
                _ => unreachable!("it is one of the two"),
            }
            return Ok(Json::Array(Vec::new()));
        }
        let mut list = Vec::new();
        loop {
            let at = if let At::Results = self.at { At::Result(list.len()) } else { At::Elsewhere };
            match from.next_element_seed(self.below(at))? {
                Some(item) => list.push(item),
                None => return Ok(Json::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut from: A) -> Result<Json, A::Error> {
        let mut map = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            let at = self.at.key(&key);
            let value = from.next_value_seed(self.below(at))?;
            map.insert(key, value);
        }
        Ok(Json::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_text() {
        let text = r#"{"schema": 1, "stem": [1], "results": [
            {"counterexample": {"stem": [{"a": "\u00e4"}, 2 ], "cycle": 7}, "x": [-1, 0.5, null, "ä"]},
            {"counterexample": null},
            {"counterexample": {"stem": [1]}, "counterexample": {"stem": [], "cycle": [[3]]}}]}"#;
        let file = parse(text).expect("JSON");
        let mut expected: Json = serde_json::from_str(text).expect("JSON");
        expected["results"][0]["counterexample"]["stem"] = Json::Array(Vec::new());
        expected["results"][2]["counterexample"]["cycle"] = Json::Array(Vec::new());
        assert_eq!(file.json, expected);
        let texts = |list: &Option<Vec<&RawValue>>| {
            list.as_ref()
                .map(|list| list.iter().map(|one| one.get().to_owned()).collect::<Vec<_>>())
        };
        let found: Vec<_> =
            file.steps.iter().map(|one| (texts(&one.stem), texts(&one.cycle))).collect();
        let list = |items: &[&str]| Some(items.iter().map(|&one| one.to_owned()).collect());
        assert_eq!(
            found,
            [
                (list(&["{\"a\": \"\\u00e4\"}", "2"]), None),
                (None, None),
                (list(&[]), list(&["[3]"]))
            ]
        );
        for wrong in ["", "{", "{} {}", "{\"results\": [{\"counterexample\": {\"stem\": [1 2]}}]}"]
        {
            let error = parse(wrong).err().map(|error| error.to_string());
            let usual = serde_json::from_str::<Json>(wrong).err().map(|error| error.to_string());
            assert_eq!(error, usual, "{wrong}");
        }
    }
}
