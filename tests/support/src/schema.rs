//! A reader of JSON Schema: as much of it as the published schemas use.

use serde_json::Value;

/// Checks a value against a schema: the part of JSON Schema that ours uses. Any other word in a
/// schema is an error, so that nothing is taken for checked that is not.
pub fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{at}: {what}: {value}"));
    for (word, argument) in schema.as_object().expect("a schema is an object") {
        let holds = |condition: bool| if condition { Ok(()) } else { fail(word) };
        match word.as_str() {
            "$schema" | "title" | "description" | "$defs" => {}
            "$ref" => {
                let path =
                    argument.as_str().expect("a path").strip_prefix('#').expect("in this file");
                check(root, root.pointer(path).expect("it exists"), value, at)?;
            }
            "type" => {
                let single = std::slice::from_ref(argument);
                let names = argument.as_array().map_or(single, Vec::as_slice);
                let is = |name: &Value| match name.as_str().expect("a name") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("unknown type {other}"),
                };
                holds(names.iter().any(is))?;
            }
            "const" => holds(value == argument)?,
            "enum" => holds(argument.as_array().expect("a list").contains(value))?,
            "minimum" => holds(value.as_i64() >= argument.as_i64())?,
            "maximum" => holds(value.as_i64() <= argument.as_i64())?,
            "minItems" => {
                let items = value.as_array().map_or(0, Vec::len) as u64;
                holds(Some(items) >= argument.as_u64())?;
            }
            "pattern" => {
                assert_eq!(argument, "^[1-9][0-9]+$", "the only pattern that is known");
                let text = value.as_str().expect("a string");
                let digits = text.bytes().all(|b| b.is_ascii_digit());
                holds(text.len() >= 2 && !text.starts_with('0') && digits)?;
            }
            "anyOf" => {
                let mut options = argument.as_array().expect("a list").iter();
                holds(options.any(|option| check(root, option, value, at).is_ok()))?;
            }
            "required" => {
                let missing = |name: &&Value| value.get(name.as_str().expect("a name")).is_none();
                if let Some(name) = argument.as_array().expect("a list").iter().find(missing) {
                    return fail(&format!("{name} is missing"));
                }
            }
            "properties" => {
                for (name, schema) in argument.as_object().expect("an object") {
                    if let Some(value) = value.get(name) {
                        check(root, schema, value, &format!("{at}/{name}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties");
                let is_known = |name: &str| known.is_some_and(|known| known.get(name).is_some());
                let all = value.as_object().into_iter().flatten();
                for (name, value) in all.filter(|(name, _)| !is_known(name)) {
                    if *argument == Value::Bool(false) {
                        return fail(&format!("{name} is unknown"));
                    }
                    check(root, argument, value, &format!("{at}/{name}"))?;
                }
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, argument, item, &format!("{at}/{k}"))?;
                }
            }
            other => panic!("unknown word {other} in the schema"),
        }
    }
    Ok(())
}
