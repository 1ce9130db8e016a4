//! `isonomy describe --por`: which rules are local to their process, and why others are not.

use crate::cli::escape::on_one_line;
use crate::cli::loading::Loaded;
use crate::cli::table::table;
use crate::cli::view::LoadedSystem as _;
use model::checked::{FamilyId, Model};
use model::locality::{Locality, Owner, Sharing};
use std::fmt::Write as _;

/// The whole text.
pub(super) fn layout(loaded: &Loaded) -> String {
    let Loaded { model, .. } = loaded;
    let locality = Locality::new(model);
    let mut out = String::new();
    let families = (0..).map(FamilyId).zip(&model.processes);
    for (family, process) in families {
        let rules = model.rules.iter().zip(&locality.rules);
        let own: Vec<_> = rules.filter(|(rule, _)| rule.owner.family == family).collect();
        if own.is_empty() {
            continue;
        }
        let local = own.iter().filter(|(_, one)| one.shared.is_none()).count();
        let are = if local == 1 { "is" } else { "are" };
        if !out.is_empty() {
            out.push('\n');
        }
        let _ =
            writeln!(out, "process {}: {local} of {} rules {are} local", process.name, own.len());
        let mut rows = Vec::new();
        for (rule, locality) in own {
            let why = match &locality.shared {
                None => "local".to_owned(),
                Some(Sharing { span, reason }) => {
                    let place = loaded.place(*span);
                    format!("{reason} ({}:{})", place.line, place.column)
                }
            };
            rows.push(vec![format!("\"{}\"", on_one_line(&rule.name)), why]);
        }
        out.push_str(&table(&rows));
    }
    let nobody = shared(model, &locality);
    if !nobody.is_empty() {
        let _ = writeln!(out, "\nof no process: {}", nobody.join(", "));
    }
    out
}

/// The variables that belong to no process.
fn shared(model: &Model, locality: &Locality<'_>) -> Vec<String> {
    let all = locality.roots.iter().filter(|root| root.owner == Owner::Nobody);
    let mut names: Vec<String> =
        all.map(|root| model.variables[root.variable.0 as usize].name.clone()).collect();
    names.dedup();
    names
}
