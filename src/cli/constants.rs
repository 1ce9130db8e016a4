//! The constants of a model, as they were when a file of results was written.
//!
//! The file has all constants, those that follow from others included, and does not say which were given
//! on the command line. Here are those that must have been: in the order of the model, each whose value is
//! not what the model makes it with the ones before. So `-D N=4` changes what follows from N, too.

use super::json::Simple;
use super::json::read::{Fault, Object, Path, shown};
use model::checked::Model;
use model::{Definition, check};
use serde_json::Value as Json;

/// The definitions of the file, then those of the command line, which take precedence.
pub(crate) fn definitions(
    text: &str,
    file: Object<'_>,
    own: &[Definition],
) -> Result<Vec<Definition>, Fault> {
    let at = Path::Key(file.at, "constants");
    let constants = Object::of(file.field("constants")?, &at)?;
    let mut given = Vec::new();
    for (name, value) in constants.fields() {
        let value_text = match value {
            Json::Bool(value) => value.to_string(),
            Json::Number(number) if number.is_i64() => number.to_string(),
            Json::String(text) => text.clone(),
            other => {
                return Path::Key(&at, name)
                    .fault(format!("{} is not the value of a constant", shown(other)));
            }
        };
        given.push((Definition { name: name.to_owned(), value: value_text }, value));
    }
    let mut found: Vec<Definition> = Vec::new();
    // If the text is no model, loading it reports that.
    if let Ok(mut model) = check(text, &[]) {
        let is_constant = |name: &str| model.constants.iter().any(|one| one.name == name);
        if let Some((unknown, _)) = given.iter().find(|(one, _)| !is_constant(&one.name)) {
            return Path::Key(&at, &unknown.name)
                .fault(format!("the model has no constant `{}`", unknown.name));
        }
        while let Some(next) = next(&model, &given, &found) {
            found.push(next.clone());
            let Ok(changed) = check(text, &found) else {
                // It makes no sense without the ones that follow.
                found = given.iter().map(|(one, _)| one.clone()).collect();
                break;
            };
            model = changed;
        }
    }
    found.extend(own.iter().cloned());
    Ok(found)
}

/// The first constant that has another value in the file and was not given it.
fn next<'d>(
    model: &Model,
    given: &'d [(Definition, &Json)],
    found: &[Definition],
) -> Option<&'d Definition> {
    model.constants.iter().find_map(|constant| {
        let (definition, value) = given.iter().find(|(one, _)| one.name == constant.name)?;
        let is = serde_json::to_value(Simple(&model.types, constant.value)).ok()?;
        let is_other = is != **value && !found.iter().any(|one| one.name == constant.name);
        is_other.then_some(definition)
    })
}
