//! Bytes per state that is stored, all in all: the peak of the process, less that of the same program with a
//! tiny model.
//!
//! Spin has the least table that has a place for each state, and a stack that is just enough; both belong to
//! its memory, so for the tiny model they are tiny, too.

use crate::explore::{PROMELA, Promela};
use crate::lab::{By, Lab};
use crate::model::{Model, Way};
use crate::table::{Table, figure, geometric_mean};
use std::fmt::Write as _;

/// Models that rumur, too, reads; more than 10^6 states, where they have no Promela version.
const MODELS: [Model; 6] = [
    Model::new("peterson", "N=6"),
    Model::new("ticket_lock", "N=8"),
    Model::new("database_managers", "N=12"),
    Model::new("mcs_lock_stepwise", "N=4"),
    Model::new("mux_sem", "N=18"),
    Model::new("resource_controller", "N=17"),
];

/// More Promela versions of them.
const MORE: [Promela; 3] = [
    Promela::new("ticket_lock", "N=8", 1_753_608, 545_000),
    Promela::new("database_managers", "N=12", 2_125_765, 100),
    Promela::new("mcs_lock_stepwise", "N=4", 554_221, 141_000),
];

/// What has few states, and yet is compiled and runs long enough to be watched.
const TINY: Model = Model::new("peterson", "N=4");

pub(crate) fn section(lab: &mut Lab) -> String {
    let us = By::Us(Way::All(1));
    let rumur = By::Rumur { sorting: false };
    let nothing = lab.explored(TINY, &[us, rumur, By::Spin { depth: 4_000, table: 14 }]);
    let nothing: Vec<u64> =
        nothing.iter().map(|run| run.as_ref().map_or(0, |run| run.measured.peak)).collect();
    let mut table =
        Table::new(&["model", "states", "we", "rumur", "Spin", "rumur : we", "Spin : we"]);
    let (mut rumurs, mut spins, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let others = PROMELA.iter().map(|promela| promela.model);
    let others = others.filter(|model| model.name != "peterson");
    for model in MODELS.into_iter().chain(others) {
        let promela = PROMELA.iter().chain(&MORE).find(|promela| promela.model == model);
        let mut by = vec![us];
        by.extend(MODELS.contains(&model).then_some(rumur));
        by.extend(promela.map(|promela| promela.spin(0)));
        let runs = lab.explored(model, &by);
        let states = runs[0].as_ref().expect("ours").states;
        let bytes = |who: By, nothing: u64| {
            let run = runs[by.iter().position(|&one| one == who)?].as_ref()?;
            Some(run.measured.peak.saturating_sub(nothing) as f64 / states as f64)
        };
        if let (Some(promela), Some(Some(theirs)), Some(ours)) =
            (promela, runs.last(), runs[0].as_ref())
            && lab.has_spin()
        {
            promela.agree(ours, theirs);
        }
        let we = bytes(us, nothing[0]).expect("ours");
        let theirs = bytes(rumur, nothing[1]);
        let spin = promela.and_then(|promela| bytes(promela.spin(0), nothing[2]));
        ours.push(we);
        rumurs.extend(theirs.map(|theirs| (theirs, theirs / we)));
        spins.extend(spin.map(|spin| (spin, spin / we)));
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), figure);
        table.row(vec![
            model.to_string(),
            states.to_string(),
            figure(we),
            shown(theirs),
            shown(spin),
            shown(theirs.map(|theirs| theirs / we)),
            shown(spin.map(|spin| spin / we)),
        ]);
    }
    let mut text = table.markdown();
    let _ = writeln!(text, "\n- We: geometric mean {:.1} bytes per state.", geometric_mean(&ours));
    for (peer, figures) in [("rumur", rumurs), ("Spin", spins)] {
        if figures.is_empty() {
            let _ = writeln!(text, "- SKIPPED: {peer} is not here.");
            continue;
        }
        let (bytes, ratios): (Vec<f64>, Vec<f64>) = figures.into_iter().unzip();
        let _ = writeln!(
            text,
            "- {peer}: geometric mean {:.1} bytes per state, **{:.2}** times ours.",
            geometric_mean(&bytes),
            geometric_mean(&ratios),
        );
    }
    text
}
