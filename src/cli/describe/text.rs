//! A description for people: sections, each a table.

use super::{Description, ParameterEntry, Remark};
use crate::cli::escape::on_one_line;
use crate::cli::table::table;
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout(description: &Description<'_>) -> String {
    let sections = [
        ("constants", constants(description)),
        ("index types", index_types(description)),
        ("types", types(description)),
        ("variables", variables(description)),
        ("processes", processes(description)),
        ("events", events(description)),
        ("start states", start_states(description)),
        ("properties", properties(description)),
        ("temporal properties", formulas(description)),
        ("fairness requirements", requirements(description)),
    ];
    let mut out = format!("model {}\n", description.model);
    for (title, rows) in sections.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let _ = write!(out, "\n{title}\n{}", table(&rows));
    }
    let bits = description.bits_per_state.0;
    let _ = write!(out, "\n{bits} bits per state, packed, with `undefined` a value of its own\n");
    out
}

type Rows = Vec<Vec<String>>;

fn constants(description: &Description<'_>) -> Rows {
    let row =
        |(name, value): &(&str, super::Simple<'_>)| vec![(*name).to_owned(), value.1.show(value.0)];
    description.constants.iter().map(row).collect()
}

fn index_types(description: &Description<'_>) -> Rows {
    let mut rows = Vec::new();
    for entry in &description.index_types {
        let group = match (entry.group, entry.reasons.is_empty()) {
            ("full", _) => "all permutations",
            ("rotations", _) => "rotations",
            ("dihedral", _) => "rotations and reflections",
            (_, true) => "no permutation but the identity",
            (_, false) => "no reduction:",
        };
        let declared = format!("{}({})", entry.kind, entry.size);
        rows.push(vec![entry.name.to_owned(), declared, group.to_owned()]);
        for reason in &entry.reasons {
            rows.push(vec![String::new(), String::new(), remark(reason)]);
        }
    }
    rows
}

fn types(description: &Description<'_>) -> Rows {
    description.types.iter().map(|of| vec![of.name.clone(), of.structure.clone()]).collect()
}

fn variables(description: &Description<'_>) -> Rows {
    let row = |variable: &super::VariableEntry<'_>| {
        let bits = counted(variable.bits.0, "bit", "bits");
        vec![variable.name.to_owned(), bits, variable.r#type.clone()]
    };
    description.variables.iter().map(row).collect()
}

fn processes(description: &Description<'_>) -> Rows {
    let row = |entry: &super::ProcessEntry<'_>| {
        let (first, last) = &entry.ends;
        let members = match (&entry.r#type, entry.size.0) {
            (None, _) => String::new(),
            (Some(of), 1) => format!("1 of {of}: {first}"),
            (Some(of), 2) => format!("2 of {of}: {first}, {last}"),
            (Some(of), size) => format!("{size} of {of}: {first} to {last}"),
        };
        vec![entry.name.to_owned(), members]
    };
    description.processes.iter().map(row).collect()
}

fn events(description: &Description<'_>) -> Rows {
    let row = |event: &super::EventEntry<'_>| {
        let fairness = match event.fairness {
            Some("strong") => "strongly fair",
            Some(_) => "fair",
            None => "",
        };
        vec![callable(event.name) + &list(&event.parameters), fairness.to_owned()]
    };
    description.events.iter().map(row).collect()
}

fn start_states(description: &Description<'_>) -> Rows {
    let row = |start: &super::StartEntry<'_>| {
        let instances = match start.instances {
            _ if start.parameters.is_empty() => String::new(),
            Some(count) => counted(count.0, "instance", "instances"),
            None => "more than 10^38 instances".to_owned(),
        };
        vec![callable(start.name) + &list(&start.parameters), start.position.to_string(), instances]
    };
    description.start_states.iter().map(row).collect()
}

fn properties(description: &Description<'_>) -> Rows {
    let row = |property: &super::PropertyEntry<'_>| {
        let mut name = quoted(property.name);
        if !property.parameters.is_empty() {
            let blank = if name.is_empty() { "" } else { " " };
            let _ = write!(name, "{blank}for each {}", bare_list(&property.parameters));
        }
        let statement = if property.statement { "a statement" } else { "" };
        vec![property.kind.to_owned(), property.position.to_string(), name, statement.to_owned()]
    };
    description.properties.iter().map(row).collect()
}

fn formulas(description: &Description<'_>) -> Rows {
    let row = |formula: &super::FormulaEntry<'_>| {
        let mut text = formula.formula.to_owned();
        if let Some(fairness) = formula.fairness {
            let _ = write!(text, " under {fairness} fairness");
        }
        if let Some(over) = formula.over {
            let _ = write!(text, " over {over}");
        }
        vec![quoted(formula.name), formula.position.to_string(), text]
    };
    description.formulas.iter().map(row).collect()
}

fn requirements(description: &Description<'_>) -> Rows {
    let row = |requirement: &super::RequirementEntry<'_>| {
        let mut name = quoted(requirement.name);
        if !requirement.parameters.is_empty() {
            let blank = if name.is_empty() { "" } else { " " };
            let _ = write!(name, "{blank}for each {}", bare_list(&requirement.parameters));
        }
        vec![requirement.kind.to_owned(), requirement.position.to_string(), name]
    };
    description.requirements.iter().map(row).collect()
}

fn remark(remark: &Remark<'_>) -> String {
    format!("{}: {}", remark.position, remark.message)
}

/// A name as formulas write it: in quotes if it is not an identifier.
fn callable(name: &str) -> String {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(letter) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn quoted(name: Option<&str>) -> String {
    name.map(|name| format!("\"{}\"", on_one_line(name))).unwrap_or_default()
}

/// `(c: client, d: client)`, or nothing.
fn list(parameters: &[ParameterEntry<'_>]) -> String {
    if parameters.is_empty() { String::new() } else { format!("({})", bare_list(parameters)) }
}

fn bare_list(parameters: &[ParameterEntry<'_>]) -> String {
    let each = parameters.iter().map(|p| format!("{}: {}", p.name, p.r#type));
    each.collect::<Vec<_>>().join(", ")
}

fn counted(count: u128, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
